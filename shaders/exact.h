/* Exact arithmetic: the operations beyond + - * that kernels may use, the same bits on every device.
 *
 * Each line of a comment names formula, range and worst error; tests/unit/exact_test.c measures them against long double. */
#ifndef TR_SHADERS_EXACT_H
#define TR_SHADERS_EXACT_H
#include "shared.h"

/* Minimum, maximum, absolute value by comparison. Arguments that are equal give the first; no argument may be -0 where it matters. */
TR_FN PF tr_min(float a, float b)
{
    PF r = b < a ? b : a;
    return r;
}
TR_FN PF tr_max(float a, float b)
{
    PF r = b > a ? b : a;
    return r;
}
TR_FN PF tr_clamp(float x, float lo, float hi)
{
    PF r = x < lo ? lo : (x > hi ? hi : x);
    return r;
}
TR_FN PF tr_abs(float x)
{
    PF r = tr_from_bits(tr_bits(x) & 0x7fffffffu);
    return r;
}
TR_FN int tr_imin(int a, int b)
{
    return b < a ? b : a;
}
TR_FN int tr_imax(int a, int b)
{
    return b > a ? b : a;
}
TR_FN int tr_iclamp(int x, int lo, int hi)
{
    return x < lo ? lo : (x > hi ? hi : x);
}
TR_FN int tr_iabs(int x)
{
    return x < 0 ? -x : x;
}

/* 1/x for 2^-100 <= x <= 2^100. A guess by the exponent trick (within 12.5%), then Newton's y(2 - xy), which squares the error:
 * 1.6e-2, 2.5e-4, 6e-8, rounding. Worst error 1 ulp. */
TR_FN PF tr_rcp(float x)
{
    PF y = tr_from_bits(0x7ef311c7u - tr_bits(x));
    PF e = 2.0f - x * y;
    y = y * e;
    e = 2.0f - x * y;
    y = y * e;
    e = 2.0f - x * y;
    y = y * e;
    e = 2.0f - x * y;
    y = y * e;
    return y;
}

/* x - s*s without rounding of the product: s is split in halves of 12 bits (Veltkamp), whose products are exact (Dekker 1971).
 * |s| in [2^-40, 2^50]. */
TR_FN PF tr_square_residual(float x, float s)
{
    PF c = s * 4097.0f;
    PF d = c - s;
    PF hi = c - d;
    PF lo = s - hi;
    PF r = x - hi * hi;
    PF cross = hi * lo;
    r = r - cross;
    r = r - cross;
    r = r - lo * lo;
    return r;
}

/* sqrt(x) for x = 0 or 2^-80 <= x <= 2^80, correctly rounded (equal to IEEE 754's square root; all 2^24 mantissas of both exponent
 * parities tested). Smaller x give 0. Inverse root by the exponent trick and Newton, then two corrections by the exact residual. */
TR_FN PF tr_sqrt(float x)
{
    bool tiny = x < 8.2718061e-25f;
    x = tiny ? 1.0f : x; /* else the first squares overflow */
    PF y = tr_from_bits(0x5f375a86u - (tr_bits(x) >> 1));
    PF half_x = 0.5f * x;
    PF e = y * y;
    e = 1.5f - half_x * e;
    y = y * e;
    e = y * y;
    e = 1.5f - half_x * e;
    y = y * e;
    e = y * y;
    e = 1.5f - half_x * e;
    y = y * e;
    PF half_y = 0.5f * y;
    PF s = x * y;
    PF r = tr_square_residual(x, s);
    s = s + r * half_y;
    r = tr_square_residual(x, s);
    s = s + r * half_y;
    s = tiny ? 0.0f : s;
    return s;
}

/* sin and cos of x, |x| <= 8192 (beyond, of 8192 with its sign). Reduced to [-pi/4, pi/4] around a multiple n of pi/2, given as three floats
 * of which n times the first is exact (Cody and Waite 1980), then Taylor's series to x^9 and x^8. Worst error 2^-23. */
TR_STRUCT(tr_turn)
{
    float s, c; /* sin and cos */
};
TR_FN tr_turn tr_sincos(float x)
{
    PF v = tr_clamp(x, -8192.0f, 8192.0f);
    PF n = v * 0.63661977f;
    n = n + 0.5f;
    n = tr_floor(n);
    PF r = v - n * 1.5703125f;
    r = r - n * 4.8375129699707031e-4f;
    r = r - n * 7.5497899548918822e-8f;
    PF q = r * r;
    PF s = q * 2.7557319e-6f;
    s = s - 1.9841270e-4f;
    s = s * q;
    s = s + 8.3333333e-3f;
    s = s * q;
    s = s - 0.16666667f;
    s = s * q;
    s = s * r;
    s = s + r;
    PF c = q * 2.4801587e-5f;
    c = c - 1.3888889e-3f;
    c = c * q;
    c = c + 4.1666667e-2f;
    c = c * q;
    c = c - 0.5f;
    c = c * q;
    c = c + 1.0f;
    int quarter = tr_to_int(n) & 3;
    PF minus_s = 0.0f - s;
    PF minus_c = 0.0f - c;
    tr_turn turn;
    turn.s = quarter == 0 ? s : (quarter == 1 ? c : (quarter == 2 ? minus_s : minus_c));
    turn.c = quarter == 0 ? c : (quarter == 1 ? minus_s : (quarter == 2 ? minus_c : s));
    return turn;
}

/* The nearest integer, halves up: floor(x + 1/2), |x| < 2^23 for an exact sum; clamped to [lo, hi] before converting. */
TR_FN int tr_round_clamped(float x, float lo, float hi)
{
    PF y = x + 0.5f;
    y = tr_floor(y);
    y = tr_clamp(y, lo, hi);
    return tr_to_int(y);
}

/* Clamps a signed distance in units to what is stored. */
TR_FN int tr_sdf_clamp(int units)
{
    return tr_iclamp(units, -TR_SDF_MAX, TR_SDF_MAX);
}

/* The height field's signed distance at voxel row y above a column of that height: y is the distance from the row where the height
 * is measured, in voxels, |y| <= 2^16, so that nothing overflows. */
TR_FN int tr_height_field(int y_vox, int height)
{
    return tr_sdf_clamp(TR_UNITS * y_vox - height);
}

#endif
