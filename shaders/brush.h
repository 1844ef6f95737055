/* Height brushes, and what a change of height does to a block's samples. Positions in the chunk's frame, heights in units. */
#ifndef TR_SHADERS_BRUSH_H
#define TR_SHADERS_BRUSH_H
#include "edit_slot.h"
#include "falloff.h"

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

/* Raise (or lower, strength < 0): height + round(strength * weight), saturating. |strength| < 2^24. */
TR_FN int tr_brush_raise(tr_edit_slot slot, int x, int z, int height)
{
    PF w = tr_brush_weight(slot, x, z);
    PF rise = w * slot.strength;
    rise = rise + 0.5f;
    rise = tr_floor(rise);
    return tr_height_clamp(height + tr_to_int(rise));
}

/* Smooth: lambda * weight of the way to the mean of the 4 neighbours, whose sum is given (|sum| < 2^26, so the difference is below
 * 2^27; its conversion rounds to nearest even, as all devices do). A plane stays a plane exactly. */
TR_FN int tr_brush_smooth(tr_edit_slot slot, int x, int z, int height, int sum_of_4)
{
    PF w = tr_brush_weight(slot, x, z);
    w = w * slot.strength;
    w = w * 0.25f;
    PF step = tr_to_float(sum_of_4 - 4 * height);
    step = step * w;
    step = step + 0.5f;
    step = tr_floor(step);
    return tr_height_clamp(height + tr_to_int(step));
}

/* A block sample s when the height field there goes from f to f2: ground that was not sculpted follows; what was carved stays carved
 * down to the new ground; what was added stays added above it. */
TR_FN int tr_follow(int s, int f, int f2)
{
    return s == f ? f2 : (s > f ? tr_imax(s, f2) : tr_imin(s, f2));
}

#endif
