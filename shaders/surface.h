/* The surface between samples: where a cell edge is crossed, and the normal there. Integers but for the last step.
 *
 * A sample <= 0 is solid. Positions are in units along the edge from its lower end. */
#ifndef TR_SHADERS_SURFACE_H
#define TR_SHADERS_SURFACE_H
#include "exact.h"

/* round(256 |a| / (|a| + |b|)), halves up, clamped to 1..255: the crossing of the edge from sample a to sample b of the other sign.
 * |a|, |b| <= 32767, so 512 |a| + sum fits 25 bits. The quotient is of integers, which every device divides alike. */
TR_FN int tr_crossing(int a, int b)
{
    uint m = tr_to_uint(tr_iabs(a));
    uint sum = m + tr_to_uint(tr_iabs(b));
    uint t = (512u * m + sum) / (2u * sum);
    return tr_iclamp(tr_to_int(t), 1, 255);
}

/* A gradient, interpolated between the two ends of an edge at t/256: each component of g0, g1 is a difference of two samples, below
 * 2^16, so the result is below 2^24 and exact. */
TR_FN int tr_gradient(int g0, int g1, int t)
{
    return g0 * (256 - t) + g1 * t;
}

/* Octahedral form of a direction (not all zero, each |component| < 2^24): with n = g / (|gx| + |gy| + |gz|), (n.x, n.z) if n.y >= 0, else
 * folded over the corners; each scaled to +-32767, rounded, packed x low, z high as two's complement 16 bits. Y is the axis, since
 * most ground faces up. Worst error of the direction: 6.5e-5 radians. */
TR_FN uint tr_octahedral(int gx, int gy, int gz)
{
    PF sum = tr_to_float(tr_iabs(gx) + tr_iabs(gy) + tr_iabs(gz));
    PF inv = tr_rcp(sum);
    PF u = tr_to_float(gx) * inv;
    PF v = tr_to_float(gz) * inv;
    PF au = tr_abs(u);
    PF av = tr_abs(v);
    PF fu = 1.0f - av;
    PF fv = 1.0f - au;
    fu = gx < 0 ? 0.0f - fu : fu;
    fv = gz < 0 ? 0.0f - fv : fv;
    u = gy < 0 ? fu : u;
    v = gy < 0 ? fv : v;
    u = u * 32767.0f;
    v = v * 32767.0f;
    int iu = tr_round_clamped(u, -32767.0f, 32767.0f);
    int iv = tr_round_clamped(v, -32767.0f, 32767.0f);
    return (tr_to_uint(iu) & 0xffffu) | (tr_to_uint(iv) << 16);
}

/* The normal of the crossing at t on an edge along `axis` (0 x, 1 y, 2 z), from the central differences at its lower (0) and upper (1)
 * end. Where they cancel to nothing it is the edge's own direction, from solid to air. */
TR_FN uint tr_normal(int gx0, int gy0, int gz0, int gx1, int gy1, int gz1, int t, int axis,
                     bool lower_is_solid)
{
    int gx = tr_gradient(gx0, gx1, t);
    int gy = tr_gradient(gy0, gy1, t);
    int gz = tr_gradient(gz0, gz1, t);
    if (gx == 0 && gy == 0 && gz == 0) {
        int along = lower_is_solid ? 1 : -1;
        gx = axis == 0 ? along : 0;
        gy = axis == 1 ? along : 0;
        gz = axis == 2 ? along : 0;
    }
    return tr_octahedral(gx, gy, gz);
}

#endif
