/* Falloffs: the weight of a brush at distance d from its centre, d in radii, p = 1 - d.
 *
 *   smooth 3p^2 - 2p^3          smoother 6p^5 - 15p^4 + 10p^3    sphere sqrt(2p - p^2)       root sqrt(p)
 *   sharp p^n (n = 2 to 16)     pow4 p^4                         linear p                    inverse-square p(2 - p)
 *   constant 1                  every one is 0 at d >= 1
 *
 * Worst error against the formula in real numbers, for the d that is given: 4 ulp of 1 (2.4e-7), sharp n + 2 ulp. */
#ifndef TR_SHADERS_FALLOFF_H
#define TR_SHADERS_FALLOFF_H
#include "exact.h"

#define TR_FALLOFF_SMOOTH 0u
#define TR_FALLOFF_SMOOTHER 1u
#define TR_FALLOFF_SPHERE 2u
#define TR_FALLOFF_ROOT 3u
#define TR_FALLOFF_SHARP 4u
#define TR_FALLOFF_POW4 5u
#define TR_FALLOFF_LINEAR 6u
#define TR_FALLOFF_INVERSE_SQUARE 7u
#define TR_FALLOFF_CONSTANT 8u
#define TR_FALLOFF_COUNT 9u
#define TR_FALLOFF_POWER_MAX 16u /* of sharp; the least is 2 */

/* d >= 0; power is n of sharp, not read otherwise. Result in [0, 1]. */
TR_FN PF tr_falloff(uint falloff, uint power, float d)
{
    PF p = 1.0f - d;
    p = p < 0.0f ? 0.0f : p; /* so nothing below overflows, however far away */
    PF w = 1.0f;
    PF t = p * p;
    if (falloff == TR_FALLOFF_SMOOTH) {
        PF u = 2.0f * p;
        u = 3.0f - u;
        w = t * u;
    } else if (falloff == TR_FALLOFF_SMOOTHER) {
        PF u = 6.0f * p;
        u = u - 15.0f;
        u = u * p;
        u = u + 10.0f;
        w = t * p;
        w = w * u;
    } else if (falloff == TR_FALLOFF_SPHERE) {
        PF u = 2.0f - p;
        u = u * p;
        w = tr_sqrt(u);
    } else if (falloff == TR_FALLOFF_ROOT) {
        w = tr_sqrt(p);
    } else if (falloff == TR_FALLOFF_SHARP) {
        w = t;
        /* Times p while i < power, then times 1: a fixed number of rounds, and no condition that all samples share, so that C's loops
         * over samples become vectors. */
        TR_UNROLL
        for (uint i = 2u; i < TR_FALLOFF_POWER_MAX; i++) {
            uint mask = i < power ? 0xffffffffu : 0u;
            PF factor = tr_from_bits((tr_bits(p) & mask) | (0x3f800000u & ~mask));
            w = w < 5.4210109e-20f ? 0.0f : w; /* 2^-64: so no product with p >= 2^-24 is subnormal */
            w = w * factor;
        }
    } else if (falloff == TR_FALLOFF_POW4) {
        w = t * t;
    } else if (falloff == TR_FALLOFF_LINEAR) {
        w = p;
    } else if (falloff == TR_FALLOFF_INVERSE_SQUARE) {
        w = 2.0f - p;
        w = w * p;
    }
    w = w > 1.0f ? 1.0f : w;
    w = d < 1.0f ? w : 0.0f;
    return w;
}

#endif
