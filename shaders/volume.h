/* Volume brushes on block samples. Positions in the block's frame, samples in units, negative solid. */
#ifndef TR_SHADERS_VOLUME_H
#define TR_SHADERS_VOLUME_H
#include "brush_noise.h"
#include "edit_slot.h"
#include "falloff.h"
#include "image.h"

/* The distance from the brush's centre in radii; projected: from its axis, and 1 from a radius along it on. Worst error 4 ulp and what
 * the rounding of the centre makes, 2^-24 of its distance from the frame. */
TR_FN PF tr_volume_distance(tr_edit_slot slot, int x, int y, int z)
{
    PF qx = tr_to_float(x) - slot.cx;
    PF qy = tr_to_float(y) - slot.cy;
    PF qz = tr_to_float(z) - slot.cz;
    PF along = qx * slot.ux + qy * slot.uy + qz * slot.uz; /* 0 for a spherical one, whose u is 0 */
    PF vx = qx - along * slot.ux;
    PF vy = qy - along * slot.uy;
    PF vz = qz - along * slot.uz;
    PF d = vx * vx + vy * vy + vz * vz;
    d = tr_sqrt(d);
    d = d * slot.radius;
    PF end = tr_abs(along);
    end = end * slot.radius;
    d = end < 1.0f ? d : 1.0f;
    return d;
}

TR_FN PF tr_volume_weight(tr_edit_slot slot, int x, int y, int z)
{
    PF d = tr_volume_distance(slot, x, y, z);
    PF w = tr_falloff(slot.falloff, slot.power, d);
    return w;
}

/* s + round(change), saturating. */
TR_FN int tr_sample_change(int s, float change)
{
    return tr_sdf_clamp(s + tr_round_clamped(change, -65534.0f, 65534.0f));
}

/* Subtract (or add, strength < 0): the surface moves by strength * weight. */
TR_FN int tr_volume_push(tr_edit_slot slot, int x, int y, int z, int s)
{
    PF w = tr_volume_weight(slot, x, y, z);
    PF change = w * slot.strength;
    return tr_sample_change(s, change);
}

/* Flatten: strength * weight of the way to the distance from a plane. */
TR_FN int tr_volume_plane(tr_edit_slot slot, int x, int y, int z, int s)
{
    PF w = tr_volume_weight(slot, x, y, z);
    w = w * slot.strength;
    PF plane = tr_to_float(x) * slot.px + tr_to_float(y) * slot.py + tr_to_float(z) * slot.pz;
    plane = plane + slot.p0;
    plane = plane * 256.0f;
    plane = tr_clamp(plane, -32767.0f, 32767.0f);
    PF step = plane - tr_to_float(s);
    step = step * w;
    return tr_sample_change(s, step);
}

/* Noise n: where it is positive, ground is added. */
TR_FN int tr_volume_displace(tr_edit_slot slot, int x, int y, int z, int s, float n)
{
    PF w = tr_volume_weight(slot, x, y, z);
    w = w * slot.strength;
    PF change = w * n;
    change = 0.0f - change;
    return tr_sample_change(s, change);
}

TR_FN int tr_volume_noise(TR_WORDS_PARAM tr_edit_slot slot, int x, int y, int z, int s)
{
    PF px = tr_to_float(x);
    PF py = tr_to_float(y);
    PF pz = tr_to_float(z);
    PF n = tr_brush_noise3(TR_WORDS_ARG slot.words, px, py, pz);
    return tr_volume_displace(slot, x, y, z, s, n);
}

/* Smooth: strength * weight of the way to the mean of the 6 neighbours, whose sum is given: never toward zero. */
TR_FN int tr_volume_smooth(tr_edit_slot slot, int x, int y, int z, int s, int sum_of_6)
{
    PF w = tr_volume_weight(slot, x, y, z);
    w = w * slot.strength;
    w = w * 0.16666667f;
    PF step = tr_to_float(sum_of_6 - 6 * s);
    step = step * w;
    return tr_sample_change(s, step);
}

/* Stamp: strength * weight * image. */
TR_FN int tr_volume_stamp(TR_WORDS_PARAM tr_edit_slot slot, int x, int y, int z, int s)
{
    PF px = tr_to_float(x);
    PF py = tr_to_float(y);
    PF pz = tr_to_float(z);
    PF g = tr_words_image(TR_WORDS_ARG slot.words, px, py, pz);
    PF w = tr_volume_weight(slot, x, y, z);
    w = w * slot.strength;
    PF change = w * g;
    change = 0.0f - change;
    return tr_sample_change(s, change);
}

/* Inflate: the surface moves along its normal by strength * weight, however steep the field is. dx, dy, dz: the differences of the
 * neighbours along each axis, two voxels apart. */
TR_FN int tr_volume_inflate(tr_edit_slot slot, int x, int y, int z, int s, int dx, int dy, int dz)
{
    PF fx = tr_to_float(dx) * 0.001953125f;
    PF fy = tr_to_float(dy) * 0.001953125f;
    PF fz = tr_to_float(dz) * 0.001953125f;
    PF slope = fx * fx + fy * fy + fz * fz;
    slope = tr_sqrt(slope);
    PF w = tr_volume_weight(slot, x, y, z);
    w = w * slot.strength;
    PF change = w * slope;
    change = 0.0f - change;
    return tr_sample_change(s, change);
}

/* Where pinch and grab take a sample from. */
TR_STRUCT(tr_source)
{
    int x, y, z;      /* the lowest of the 8 samples around it */
    float wx, wy, wz; /* its place between them, in [0, 1) */
};

TR_FN tr_source tr_volume_source(tr_edit_slot slot, int x, int y, int z)
{
    PF w = tr_volume_weight(slot, x, y, z);
    PF px = tr_to_float(x);
    PF py = tr_to_float(y);
    PF pz = tr_to_float(z);
    PF k = w * slot.strength;
    bool pinches = slot.op == TR_SLOT_PINCH;
    PF mx = px - slot.cx;
    PF my = py - slot.cy;
    PF mz = pz - slot.cz;
    mx = pinches ? mx : slot.px;
    my = pinches ? my : slot.py;
    mz = pinches ? mz : slot.pz;
    PF minus = 0.0f - w;
    k = pinches ? k : minus;
    px = px + k * mx;
    py = py + k * my;
    pz = pz + k * mz;
    PF fx = tr_floor(px);
    PF fy = tr_floor(py);
    PF fz = tr_floor(pz);
    px = px - fx;
    py = py - fy;
    pz = pz - fz;
    tr_source source;
    source.x = tr_to_int(fx);
    source.y = tr_to_int(fy);
    source.z = tr_to_int(fz);
    source.wx = px;
    source.wy = py;
    source.wz = pz;
    return source;
}

/* Trilinear between 8 samples, sXYZ. */
TR_FN int tr_volume_mix(tr_source source, int s000, int s100, int s010, int s110, int s001, int s101,
                        int s011, int s111)
{
    PF a = tr_to_float(s000) + source.wx * tr_to_float(s100 - s000);
    PF b = tr_to_float(s010) + source.wx * tr_to_float(s110 - s010);
    PF c = tr_to_float(s001) + source.wx * tr_to_float(s101 - s001);
    PF d = tr_to_float(s011) + source.wx * tr_to_float(s111 - s011);
    PF e = a + source.wy * (b - a);
    PF f = c + source.wy * (d - c);
    PF m = e + source.wz * (f - e);
    return tr_round_clamped(m, -32767.0f, 32767.0f);
}

#endif
