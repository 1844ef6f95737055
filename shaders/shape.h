/* The round shapes, and what a shape does to a sample of the ground. Distances in voxels, negative inside; samples in units.
 *
 * One formula serves sphere, capsule and endless line: the distance to a segment of the axis, less the radius. With q = p - c and
 * s = q.u clamped to [t0, t1], it is |q - s u| - radius. The host puts c where the axis comes nearest to the frame's origin, so that all
 * numbers near the surface are of the size of radius and block.
 *
 * For large radii that difference cancels: at 100,000 voxels a float has 1/128 voxel left. There, N = |q - su|^2 - radius^2 is expanded
 * around the origin, |p|^2 - 2 p.c + k0 - s(2 q.u - s), in which near the surface no term exceeds 64 times the radius, and the
 * distance is N / (|q - su| + radius). Worst error: 1/2048 voxel (1/8 unit) up to radius 1,024 in the first form,
 * 1/1024 voxel in the second up to 100,000; measured in tests/unit/shape_test.c. */
#ifndef TR_SHADERS_SHAPE_H
#define TR_SHADERS_SHAPE_H
#include "blend.h"

#define TR_SHAPE_LARGE_RADIUS 1024.0f  /* from here on the second form */
#define TR_ROUND_ENDLESS 1073741824.0f /* t1, and -t0, of an endless line */

/* Fields as those of the same name in tr_edit_slot. */
TR_STRUCT(tr_round)
{
    float cx, cy, cz, ux, uy, uz, t0, t1, radius, k0;
    uint large;
};

TR_FN PF tr_round_distance(tr_round round, float px, float py, float pz)
{
    PF qx = px - round.cx;
    PF qy = py - round.cy;
    PF qz = pz - round.cz;
    PF along = qx * round.ux + qy * round.uy + qz * round.uz;
    PF s = tr_clamp(along, round.t0, round.t1);
    PF vx = qx - s * round.ux;
    PF vy = qy - s * round.uy;
    PF vz = qz - s * round.uz;
    PF len = vx * vx + vy * vy + vz * vz;
    len = tr_sqrt(len);
    PF d = len - round.radius;
    if (round.large != 0u) {
        PF tx = px * (px - 2.0f * round.cx);
        PF ty = py * (py - 2.0f * round.cy);
        PF tz = pz * (pz - 2.0f * round.cz);
        PF n = tx + ty + tz;
        n = n + round.k0;
        PF twice = 2.0f * along - s;
        n = n - s * twice;
        PF sum = len + round.radius;
        PF inv = tr_rcp(sum);
        d = n * inv;
    }
    return d;
}

/* The round shape of a slot whose form is TR_FORM_ROUND or TR_FORM_ROUND_LARGE. */
TR_FN PF tr_slot_round_distance(tr_edit_slot slot, int x, int y, int z)
{
    tr_round round;
    round.cx = slot.cx;
    round.cy = slot.cy;
    round.cz = slot.cz;
    round.ux = slot.ux;
    round.uy = slot.uy;
    round.uz = slot.uz;
    round.t0 = slot.t0;
    round.t1 = slot.t1;
    round.radius = slot.radius;
    round.k0 = slot.k0;
    round.large = slot.form;
    PF px = tr_to_float(x);
    PF py = tr_to_float(y);
    PF pz = tr_to_float(z);
    PF d = tr_round_distance(round, px, py, pz);
    return d;
}

/* The sample after a shape at distance d voxels was joined to the ground: added to it (UNION); taken from it, which is minus the union of
 * minus the sample; or the ground cut down to it (INTERSECT), which is its outside, at -d, taken from the ground. Unchanged beyond the
 * reach. One path for all, because a device that runs both sides of a branch would do everything twice. */
TR_FN int tr_shape_join(tr_edit_slot slot, float d, int stored)
{
    bool adds = slot.op == TR_SLOT_UNION;
    PF away = slot.op == TR_SLOT_INTERSECT ? 0.0f - d : d;
    PF b = away * 256.0f;
    PF m = tr_blend_min(slot.blend, slot.blend_k, slot.blend_a, slot.blend_b,
                        tr_to_float(adds ? stored : -stored), b);
    PF negated = 0.0f - m;
    m = adds ? m : negated;
    int s = tr_round_clamped(m, -32767.0f, 32767.0f);
    return away <= slot.reach ? s : stored;
}

#endif
