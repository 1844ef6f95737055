/* Height brushes, and what a change of height does to a block's samples and paint. Positions in the chunk's frame, heights in units. */
#ifndef TR_SHADERS_BRUSH_H
#define TR_SHADERS_BRUSH_H
#include "brush_noise.h"
#include "edit_slot.h"
#include "falloff.h"
#include "image.h"

/* The brush's weight at column (x, z): the falloff of the distance in XZ over the radius. Worst error of the distance 4 ulp. */
TR_FN PF tr_brush_weight(tr_edit_slot slot, int x, int z)
{
    PF dx = tr_to_float(x) - slot.cx;
    PF dz = tr_to_float(z) - slot.cz;
    PF d = dx * dx + dz * dz;
    d = tr_sqrt(d);
    d = d * slot.radius;
    PF w = tr_falloff(slot.falloff, slot.power, d);
    return w;
}

TR_FN int tr_height_clamp(int height)
{
    return tr_iclamp(height, -TR_HEIGHT_MAX, TR_HEIGHT_MAX);
}

/* height + round(change), saturating; |change| < 2^30. */
TR_FN int tr_height_change(int height, float change)
{
    PF step = change + 0.5f;
    step = tr_floor(step);
    return tr_height_clamp(height + tr_to_int(step));
}

/* Raise (or lower, strength < 0): height + round(strength * weight). |strength| < 2^24. */
TR_FN int tr_brush_raise(tr_edit_slot slot, int x, int z, int height)
{
    PF w = tr_brush_weight(slot, x, z);
    PF rise = w * slot.strength;
    return tr_height_change(height, rise);
}

/* Flatten and set: strength * weight of the way to the target, all of it where that is 1 (the difference of two heights need not fit a
 * float's 24 bits; its conversion rounds to nearest even, as all devices do). */
TR_FN int tr_brush_level(tr_edit_slot slot, int x, int z, int height)
{
    PF w = tr_brush_weight(slot, x, z);
    w = w * slot.strength;
    PF step = tr_to_float(slot.target - height);
    step = step * w;
    int moved = tr_height_change(height, step);
    return w >= 1.0f ? slot.target : moved;
}

/* Noise: height + round(strength * weight * noise). The sum n of the octaves is below 3, so the change below 2^26. */
TR_FN int tr_brush_displace(tr_edit_slot slot, int x, int z, int height, float n)
{
    PF w = tr_brush_weight(slot, x, z);
    w = w * slot.strength;
    PF rise = w * n;
    return tr_height_change(height, rise);
}

TR_FN int tr_brush_noise(TR_WORDS_PARAM tr_edit_slot slot, int x, int z, int height)
{
    PF px = tr_to_float(x);
    PF pz = tr_to_float(z);
    PF n = tr_brush_noise2(TR_WORDS_ARG slot.words, px, pz);
    return tr_brush_displace(slot, x, z, height, n);
}

/* Stamp: height + round(strength * weight * image). */
TR_FN int tr_brush_stamp(TR_WORDS_PARAM tr_edit_slot slot, int x, int z, int height)
{
    PF px = tr_to_float(x);
    PF pz = tr_to_float(z);
    PF g = tr_words_image(TR_WORDS_ARG slot.words, px, 0.0f, pz);
    PF w = tr_brush_weight(slot, x, z);
    w = w * slot.strength;
    PF rise = w * g;
    return tr_height_change(height, rise);
}

/* Smooth: lambda * weight of the way to the mean of the 4 neighbours, whose sum is given (|sum| < 2^26, so the difference is below
 * 2^27). A plane stays a plane exactly. */
TR_FN int tr_brush_smooth(tr_edit_slot slot, int x, int z, int height, int sum_of_4)
{
    PF w = tr_brush_weight(slot, x, z);
    w = w * slot.strength;
    w = w * 0.25f;
    PF step = tr_to_float(sum_of_4 - 4 * height);
    step = step * w;
    return tr_height_change(height, step);
}

/* HC smooth (Vollmer, Mencl, Mueller: Improved Laplacian Smoothing of Noisy Surface Meshes, 1999, one step): what smoothing would move a
 * height by, less beta of that and 1 - beta of what it would move the 4 neighbours by. So slopes and bulges wider than a few samples keep
 * their volume. bend = sum of the 4 neighbours - 4 height; sum_of_4 the sum of the neighbours' bends: |4 bend - sum| < 2^30. */
TR_FN int tr_brush_hc_smooth(tr_edit_slot slot, int x, int z, int height, int bend, int sum_of_4)
{
    PF w = tr_brush_weight(slot, x, z);
    w = w * slot.strength;
    w = w * slot.px;
    w = w * 0.0625f;
    PF step = tr_to_float(4 * bend - sum_of_4);
    step = step * w;
    return tr_height_change(height, step);
}

/* Whether a paint brush reaches the column. */
TR_FN bool tr_brush_covers(tr_edit_slot slot, int x, int z)
{
    PF dx = tr_to_float(x) - slot.cx;
    PF dz = tr_to_float(z) - slot.cz;
    PF d = dx * dx + dz * dz;
    d = tr_sqrt(d);
    d = d * slot.radius;
    return d < 1.0f;
}

/* A block sample s when the height field there goes from f to f2: ground that was not sculpted follows; what was carved stays carved
 * down to the new ground; what was added stays added above it. */
TR_FN int tr_follow(int s, int f, int f2)
{
    return s == f ? f2 : (s > f ? tr_imax(s, f2) : tr_imin(s, f2));
}

/* The paint of a block sample s where the height field is f: where they are equal only the column has paint. */
TR_FN int tr_settle_paint(int s, int f, int paint)
{
    return s == f ? 0 : paint;
}

#endif
