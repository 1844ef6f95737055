/* Blends: how two solids become one. Distances negative inside; k is the width of the blend, in the unit of the distances.
 *
 *   hard      min(x, y)
 *   smooth    min(x, y) - h^2 / (4k), h = max(k - |x - y|, 0)                                a = 1 / (4k)
 *   chamfer   min(x, y, (x + y - k) / sqrt(2)): a face that cuts both solids at k
 *   stairs    min(x, y, (x + y - k + |w|) / 2), w the triangle wave of y - k - x with period 2s, s = k / steps, between -s and s: terraces
 *             from one solid to the other                                                    a = s, b = 1 / (2s)
 *
 * All are symmetric in x and y but for rounding, and none is above min(x, y). They are exactly y where x is far enough above it: for hard
 * x >= y, for smooth and stairs x >= y + k, for chamfer x >= max(y, (sqrt(2) - 1) y + k) (from (x + y - k) / sqrt(2) >= y); for stairs and
 * chamfer x lies 2^-22 (|x| + |y| + k) above that, since their sums are rounded. */
#ifndef TR_SHADERS_BLEND_H
#define TR_SHADERS_BLEND_H
#include "edit_slot.h"
#include "exact.h"

/* The union of solids at distances x and y. */
TR_FN PF tr_blend_min(uint blend, float k, float a, float b, float x, float y)
{
    PF m = tr_min(x, y);
    if (blend == TR_BLEND_SMOOTH) {
        PF gap = x - y;
        gap = tr_abs(gap);
        PF h = k - gap;
        PF dip = h * h;
        dip = dip * a;
        m = h > 0.0f ? m - dip : m;
    } else if (blend == TR_BLEND_CHAMFER) {
        PF face = x + y;
        face = face - k;
        face = face * 0.70710678f;
        m = tr_min(m, face);
    } else if (blend == TR_BLEND_STAIRS) {
        PF u = y - k;
        PF v = u - x;
        v = v + a;
        PF turns = v * b;
        turns = tr_floor(turns);
        PF period = a + a;
        v = v - turns * period;
        v = v - a;
        v = tr_abs(v);
        PF step = u + x;
        step = step + v;
        step = 0.5f * step;
        m = tr_min(m, step);
    }
    return m;
}

#endif
