/* An edit as one chunk or block sees it: the numbers that shaders/brush.h and shaders/shape.h compute with.
 *
 * Positions are taken relative to the frame's origin in double, where nothing cancels up to the edge of the
 * widest world (2^26 voxels leave 2^-26), and only then rounded to float. A shape's axis is described from
 * the point c where it comes nearest to the origin, so that an end which matters to the frame's samples lies
 * at a small t0 or t1:
 *
 *     a                 c                        b       t0 = -|c - a|, t1 = |b - c|
 *     o-----------------+-----------> u ---------o
 *                       :
 *                       : |c|
 *                       origin of the frame
 *
 * Lengths below 2^-40 voxel become 0: then no product in a kernel that matters is subnormal. */
#include "lib/edit/edit.h"

#include "shaders/shape.h"

#include <math.h>

#define TINY 0x1p-40
#define AXIS_STEP (1.0 / 16.0) /* voxels along an axis, see axis_box_distance_squared */
/* Voxels by which a frame must lie beyond the reach to be culled: far more than AXIS_STEP or a kernel's
 * rounding, so that culling never decides a sample. */
#define CULL_SLACK 1.0

static float narrow(double v)
{
    return fabs(v) < TINY ? 0.0f : (float)v;
}

struct axis {
    double c[3], u[3];
    double t0, t1;
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The segment from a to b seen from the origin; a single point (u = 0) where both ends are one. */
static struct axis axis_from_origin(const double a[3], const double b[3])
{
    struct axis axis = {.c = {a[0], a[1], a[2]}};
    double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double length = sqrt(dot(along, along)), t;

    if (length < TINY)
        return axis;
    for (int i = 0; i < 3; i++)
        axis.u[i] = along[i] / length;
    t = -dot(a, axis.u); /* from a to the foot of the origin */
    t = t < 0.0 ? 0.0 : t > length ? length : t;
    for (int i = 0; i < 3; i++)
        axis.c[i] = t == length ? b[i] : a[i] + t * axis.u[i];
    axis.t0 = -t;
    axis.t1 = length - t;
    return axis;
}

/* How far v lies outside [lo, hi], with sign. */
static double outside(double v, double lo, double hi)
{
    return v < lo ? v - lo : v > hi ? v - hi : 0.0;
}

/* The squared distance of a box from the axis, taken at a point of the axis within AXIS_STEP / 2 of the one
 * that is nearest; so the distance is too large by at most that. Along the axis its square is convex: the
 * sign of the slope says on which side the nearest point lies. */
static double axis_box_distance_squared(const struct axis *axis, const int lo[3], const int hi[3])
{
    double begin = axis->t0, end = axis->t1, s, gap[3];

    for (;;) {
        s = 0.5 * (begin + end);
        for (int i = 0; i < 3; i++)
            gap[i] = outside(axis->c[i] + s * axis->u[i], lo[i], hi[i]);
        if (end - begin <= AXIS_STEP)
            return dot(gap, gap);
        if (dot(gap, axis->u) > 0.0)
            end = s;
        else
            begin = s;
    }
}

/* The edit's samples within the frame and the world, relative to the frame; false when there are none. */
static bool frame_box(const struct tr_edit *edit, const struct tr_box *world, const int64_t origin[3],
                      int lo[3], int hi[3])
{
    struct tr_box reads, box;

    tr_edit_boxes(edit, &reads, &box);
    box = tr_box_intersect(box, world);
    for (int i = 0; i < 3; i++) {
        bool all_rows = i == 1 && tr_edit_is_height(edit);
        int64_t first = all_rows ? 0 : origin[i];

        if (!all_rows && box.lo[i] < first)
            box.lo[i] = first;
        if (!all_rows && box.hi[i] > first + TR_CHUNK - 1)
            box.hi[i] = first + TR_CHUNK - 1;
        if (box.lo[i] > box.hi[i])
            return false;
        lo[i] = (int)(box.lo[i] - first);
        hi[i] = (int)(box.hi[i] - first);
    }
    return true;
}

static void slot_set_box(tr_edit_slot *slot, const int lo[3], const int hi[3])
{
    slot->lo_x = lo[0];
    slot->lo_y = lo[1];
    slot->lo_z = lo[2];
    slot->hi_x = hi[0];
    slot->hi_y = hi[1];
    slot->hi_z = hi[2];
}

static bool slot_make_brush(const struct tr_edit *edit, const int64_t origin[3], const int lo[3],
                            const int hi[3], tr_edit_slot *slot)
{
    double cx = edit->a[0] - (double)origin[0], cz = edit->a[2] - (double)origin[2];
    double gap_x = outside(cx, lo[0], hi[0]), gap_z = outside(cz, lo[2], hi[2]);
    double reach = edit->radius + CULL_SLACK;

    if (gap_x * gap_x + gap_z * gap_z > reach * reach)
        return false;
    slot->op = edit->op == TR_EDIT_SMOOTH ? TR_SLOT_SMOOTH : TR_SLOT_RAISE;
    slot->falloff = edit->falloff;
    slot->power = edit->power;
    slot->cx = narrow(cx);
    slot->cz = narrow(cz);
    /* below TINY only a sample at the centre itself is within the radius, for which any finite factor does */
    slot->radius = (float)(1.0 / (edit->radius < TINY ? TINY : edit->radius));
    slot->strength = narrow(edit->strength_units);
    return true;
}

static bool slot_make_shape(const struct tr_edit *edit, const int64_t origin[3], const int lo[3],
                            const int hi[3], tr_edit_slot *slot)
{
    double a[3], b[3], reach = TR_SHAPE_BAND + edit->blend, blend_units = edit->blend * TR_UNITS;
    double cull = edit->radius + reach + CULL_SLACK;
    struct axis axis;

    for (int i = 0; i < 3; i++) {
        a[i] = edit->a[i] - (double)origin[i];
        b[i] = edit->b[i] - (double)origin[i];
    }
    axis = axis_from_origin(a, b);
    if (axis_box_distance_squared(&axis, lo, hi) > cull * cull)
        return false;
    slot->op = edit->op == TR_EDIT_UNION ? TR_SLOT_UNION : TR_SLOT_SUBTRACT;
    slot->large = edit->radius >= (double)TR_SHAPE_LARGE_RADIUS;
    slot->cx = narrow(axis.c[0]);
    slot->cy = narrow(axis.c[1]);
    slot->cz = narrow(axis.c[2]);
    slot->ux = narrow(axis.u[0]);
    slot->uy = narrow(axis.u[1]);
    slot->uz = narrow(axis.u[2]);
    slot->t0 = narrow(axis.t0);
    slot->t1 = narrow(axis.t1);
    slot->radius = narrow(edit->radius);
    /* from c before it is rounded: the rounding of c alone would move a surface of radius 100,000 by 1/256
     * voxel */
    slot->k0 = narrow(dot(axis.c, axis.c) - edit->radius * edit->radius);
    slot->reach = narrow(reach);
    slot->blend = narrow(blend_units);
    slot->inv_4blend = slot->blend > 0.0f ? (float)(1.0 / (4.0 * blend_units)) : 0.0f;
    return true;
}

bool tr_edit_slot_make(const struct tr_edit *edit, const struct tr_box *world, const int64_t origin[3],
                       tr_edit_slot *slot)
{
    int lo[3], hi[3];

    *slot = (tr_edit_slot){0};
    if (!frame_box(edit, world, origin, lo, hi))
        return false;
    slot_set_box(slot, lo, hi);
    if (tr_edit_is_height(edit))
        return slot_make_brush(edit, origin, lo, hi, slot);
    return slot_make_shape(edit, origin, lo, hi, slot);
}
