/* Which parts of a slot's box it reaches. A shape reaches the samples where tr_shape_join changes anything or paint counts, a brush those
 * whose weight is not 0 for its distance.
 *
 * Round shapes and brushes are judged by the true distance of a slab's middle, which changes by no more than the way to its corners. In
 * the frames that a slot is made for, all distances that kernels compute are within a small part of a voxel of the true ones (shape.h,
 * volume.h), so a slack of one voxel keeps the judgement from deciding a sample. Code is judged by tr_code_bounds, which knows what
 * kernels compute. */
#include "lib/edit/apply.h"
#include "lib/edit/tree.h"

#include <math.h>

#define SLACK 1.0 /* voxels */

enum reach { REACH_NONE, REACH_SOME, REACH_ALL };

/* Bounds of a number over a slab. */
struct bounds {
    double least, most;
};

static struct bounds around(double middle, double way)
{
    return (struct bounds){middle - way, middle + way};
}

/* Where a slab is, seen from the slot's c. */
struct place {
    double q[3];  /* its middle */
    double along; /* q.u */
    double way;   /* from the middle to the farthest sample, and the slack */
};

static struct place place_of(const tr_edit_slot *slot, const struct tr_slab *slab)
{
    const double c[3] = {(double)slot->cx, (double)slot->cy, (double)slot->cz};
    const double u[3] = {(double)slot->ux, (double)slot->uy, (double)slot->uz};
    struct place place = {.along = 0.0};
    double way2 = 0.0;

    for (int i = 0; i < 3; i++) {
        double half = 0.5 * (slab->hi[i] - slab->lo[i]);
        place.q[i] = slab->lo[i] + half - c[i];
        place.along += place.q[i] * u[i];
        way2 += half * half;
    }
    place.way = sqrt(way2) + SLACK;
    return place;
}

/* How far the middle is from the point s u. */
static double place_distance(const struct place *place, const tr_edit_slot *slot, double s)
{
    double x = place->q[0] - s * (double)slot->ux;
    double y = place->q[1] - s * (double)slot->uy;
    double z = place->q[2] - s * (double)slot->uz;

    return sqrt(x * x + y * y + z * z);
}

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static struct bounds round_bounds(const tr_edit_slot *slot, const struct tr_slab *slab)
{
    struct place place = place_of(slot, slab);
    double s = clamp(place.along, (double)slot->t0, (double)slot->t1);

    return around(place_distance(&place, slot, s) - (double)slot->radius, place.way);
}

static struct bounds code_bounds(const uint32_t *words, uint32_t at, const struct tr_slab *slab)
{
    double lo[3], hi[3];
    struct bounds bounds;

    for (int i = 0; i < 3; i++) {
        lo[i] = slab->lo[i];
        hi[i] = slab->hi[i];
    }
    tr_code_bounds(words, at, lo, hi, &bounds.least, &bounds.most);
    return bounds;
}

static enum reach shape_reach(const uint32_t *words, const tr_edit_slot *slot, const struct tr_slab *slab)
{
    struct bounds d =
        slot->form == TR_FORM_TREE ? code_bounds(words, slot->words, slab) : round_bounds(slot, slab);
    struct bounds away = slot->op == TR_SLOT_INTERSECT ? (struct bounds){-d.most, -d.least} : d;

    if (away.least > (double)slot->reach)
        return REACH_NONE;
    return away.most <= (double)slot->reach ? REACH_ALL : REACH_SOME;
}

static enum reach brush_reach(const tr_edit_slot *slot, const struct tr_slab *slab)
{
    struct place place = place_of(slot, slab);
    double radius = 1.0 / (double)slot->radius;
    struct bounds side = around(place_distance(&place, slot, place.along), place.way);
    struct bounds end = around(fabs(place.along), place.way); /* 0 for a spherical brush, whose u is 0 */

    if (side.least > radius || end.least > radius)
        return REACH_NONE;
    return side.most < radius && end.most < radius ? REACH_ALL : REACH_SOME;
}

/* Goes on to the next slab, along x, then z, then y. */
static bool slab_step(const tr_edit_slot *slot, struct tr_slab *slab)
{
    const int size[3] = {TR_SLAB_X, TR_SLAB_Y, TR_SLAB_Z}, order[3] = {0, 2, 1};
    const int lo[3] = {slot->lo_x, slot->lo_y, slot->lo_z}, hi[3] = {slot->hi_x, slot->hi_y, slot->hi_z};
    bool more = slab->lo[0] < 0;

    if (more)
        memcpy(slab->lo, lo, sizeof lo);
    for (int k = 0; k < 3 && !more; k++) {
        int i = order[k];
        more = slab->hi[i] < hi[i];
        slab->lo[i] = more ? slab->hi[i] + 1 : lo[i];
    }
    for (int i = 0; i < 3; i++)
        slab->hi[i] = tr_imin(slab->lo[i] / size[i] * size[i] + size[i] - 1, hi[i]);
    return more;
}

bool tr_slab_next(const uint32_t *words, const tr_edit_slot *slot, struct tr_slab *slab)
{
    while (slab_step(slot, slab)) {
        enum reach reach = tr_slot_is_shape(*slot) ? shape_reach(words, slot, slab) : brush_reach(slot, slab);
        slab->covered = reach == REACH_ALL;
        if (reach != REACH_NONE)
            return true;
    }
    return false;
}
