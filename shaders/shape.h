/* Shapes and their blends with the ground. Distances in voxels, negative inside; samples in units.
 *
 * One formula serves sphere and capsule: the distance to a segment of the axis, less the radius. With q = p - c and s = q.u clamped
 * to [t0, t1], it is |q - s u| - radius. The host puts c where the axis comes nearest to the frame's origin, so that all numbers near
 * the surface are of the size of radius and block.
 *
 * For large radii that difference cancels: at 100,000 voxels a float has 1/128 voxel left. There, N = |q - su|^2 - radius^2 is expanded
 * around the origin, |p|^2 - 2 p.c + k0 - s(2 q.u - s), in which near the surface no term exceeds 64 times the radius, and the
 * distance is N / (|q - su| + radius). Worst error: 1/2048 voxel (1/8 unit) up to radius 1,024 in the first form,
 * 1/1024 voxel in the second up to 100,000; measured in tests/unit/shape_test.c. */
#ifndef TR_SHADERS_SHAPE_H
#define TR_SHADERS_SHAPE_H
#include "edit_slot.h"
#include "exact.h"

#define TR_SHAPE_LARGE_RADIUS 1024.0f /* from here on the second form */

TR_FN PF tr_shape_distance(tr_edit_slot slot, int x, int y, int z)
{
    PF px = tr_to_float(x);
    PF py = tr_to_float(y);
    PF pz = tr_to_float(z);
    PF qx = px - slot.cx;
    PF qy = py - slot.cy;
    PF qz = pz - slot.cz;
    PF along = qx * slot.ux + qy * slot.uy + qz * slot.uz;
    PF s = tr_clamp(along, slot.t0, slot.t1);
    PF vx = qx - s * slot.ux;
    PF vy = qy - s * slot.uy;
    PF vz = qz - s * slot.uz;
    PF len = vx * vx + vy * vy + vz * vz;
    len = tr_sqrt(len);
    PF d = len - slot.radius;
    if (slot.large != 0u) {
        PF tx = px * (px - 2.0f * slot.cx);
        PF ty = py * (py - 2.0f * slot.cy);
        PF tz = pz * (pz - 2.0f * slot.cz);
        PF n = tx + ty + tz;
        n = n + slot.k0;
        PF twice = 2.0f * along - s;
        n = n - s * twice;
        PF sum = len + slot.radius;
        PF inv = tr_rcp(sum);
        d = n * inv;
    }
    return d;
}

/* min(a, b) - h^2/(4k), h = max(k - |a - b|, 0), all in units; hard where k is 0. */
TR_FN PF tr_blend_min(float a, float b, float k, float inv_4k)
{
    PF m = tr_min(a, b);
    PF gap = a - b;
    gap = tr_abs(gap);
    PF h = k - gap;
    PF dip = h * h;
    dip = dip * inv_4k;
    m = h > 0.0f ? m - dip : m;
    return m;
}

/* The sample after the shape is added to the ground (union), or taken from it: minus the union of minus the
 * sample, max(stored, -d) where it is hard. Unchanged beyond the reach. One function for both, because a device
 * that runs both sides of a branch would compute the distance twice. */
TR_FN int tr_shape_apply(tr_edit_slot slot, bool adds, int x, int y, int z, int stored)
{
    PF d = tr_shape_distance(slot, x, y, z);
    PF b = d * 256.0f;
    PF m = tr_blend_min(tr_to_float(adds ? stored : -stored), b, slot.blend, slot.inv_4blend);
    PF negated = 0.0f - m;
    m = adds ? m : negated;
    int s = tr_round_clamped(m, -32767.0f, 32767.0f);
    return d <= slot.reach ? s : stored;
}

TR_FN int tr_shape_union(tr_edit_slot slot, int x, int y, int z, int stored)
{
    return tr_shape_apply(slot, true, x, y, z, stored);
}

TR_FN int tr_shape_subtract(tr_edit_slot slot, int x, int y, int z, int stored)
{
    return tr_shape_apply(slot, false, x, y, z, stored);
}

#endif
