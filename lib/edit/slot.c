/* A stamp as one chunk or block sees it: the numbers that shaders/brush.h, volume.h, shape.h and tree.h compute with.
 *
 * Positions are taken relative to the frame's origin in double, where nothing cancels up to the edge of the widest world (2^26 voxels
 * leave 2^-26), and only then rounded to float. A round shape's axis is described from the point c where it comes nearest to the origin,
 * so that an end which matters to the frame's samples lies at a small t0 or t1:
 *
 *     a                 c                        b       t0 = -|c - a|, t1 = |b - c|
 *     o-----------------+-----------> u ---------o
 *                       :
 *                       : |c|
 *                       origin of the frame
 *
 * Numbers below 2^-40 become 0: then no product in a kernel that matters is subnormal. */
#include "lib/edit/slot.h"

#include "lib/base/dmath.h"

#include <math.h>

#define RADIANS_PER_DEGREE 0x1.1df46a2529d39p-6
#define AXIS_STEP (1.0 / 16.0) /* voxels along an axis, see axis_box_distance_squared */
/* Voxels by which a frame must lie beyond the reach to be culled: far more than AXIS_STEP or a kernel's rounding, so that culling never
 * decides a sample. */
#define CULL_SLACK 1.0
#define EVERYWHERE 1e30 /* voxels: a reach that no distance exceeds */

static const uint32_t slot_ops[TR_EDIT_OP_COUNT] = {
    [TR_EDIT_RAISE] = TR_SLOT_RAISE,
    [TR_EDIT_LOWER] = TR_SLOT_RAISE,
    [TR_EDIT_SMOOTH] = TR_SLOT_SMOOTH,
    [TR_EDIT_HC_SMOOTH] = TR_SLOT_HC_SMOOTH,
    [TR_EDIT_FLATTEN] = TR_SLOT_LEVEL,
    [TR_EDIT_NOISE] = TR_SLOT_NOISE,
    [TR_EDIT_STAMP] = TR_SLOT_STAMP,
    [TR_EDIT_SET] = TR_SLOT_LEVEL,
    [TR_EDIT_PAINT] = TR_SLOT_PAINT,
    [TR_EDIT_VOLUME_ADD] = TR_SLOT_PUSH,
    [TR_EDIT_VOLUME_SUBTRACT] = TR_SLOT_PUSH,
    [TR_EDIT_VOLUME_SMOOTH] = TR_SLOT_VOLUME_SMOOTH,
    [TR_EDIT_VOLUME_FLATTEN] = TR_SLOT_PLANE,
    [TR_EDIT_VOLUME_NOISE] = TR_SLOT_VOLUME_NOISE,
    [TR_EDIT_VOLUME_STAMP] = TR_SLOT_VOLUME_STAMP,
    [TR_EDIT_INFLATE] = TR_SLOT_INFLATE,
    [TR_EDIT_PINCH] = TR_SLOT_PINCH,
    [TR_EDIT_GRAB] = TR_SLOT_GRAB,
    [TR_EDIT_REDISTANCE] = TR_SLOT_REDISTANCE,
    [TR_EDIT_VOLUME_PAINT] = TR_SLOT_VOLUME_PAINT,
    [TR_EDIT_UNION] = TR_SLOT_UNION,
    [TR_EDIT_SUBTRACT] = TR_SLOT_SUBTRACT,
    [TR_EDIT_INTERSECT] = TR_SLOT_INTERSECT,
    [TR_EDIT_SHAPE_PAINT] = TR_SLOT_SHAPE_PAINT,
};

static float narrow(double v)
{
    return tr_from_bits(tr_number_word(v));
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void unit(const double v[3], double u[3])
{
    double length = sqrt(dot(v, v));

    for (int i = 0; i < 3; i++)
        u[i] = v[i] / length;
}

/* How far v lies outside [lo, hi], with sign. */
static double outside(double v, double lo, double hi)
{
    return v < lo ? v - lo : v > hi ? v - hi : 0.0;
}

/* ---- where ---- */

/* A slot in the making. */
struct making {
    const struct tr_edit *edit;
    const struct tr_stamp *stamp;
    const int64_t *origin;
    int lo[3], hi[3]; /* its samples, relative to the frame */
    tr_edit_slot *slot;
    struct tr_words *words; /* NULL: whether it reaches is all that is asked */
    struct tr_error *error;
};

/* The stamp's samples within the frame and the world; false when there are none. */
static bool find_box(struct making *making, const struct tr_box *world)
{
    struct tr_box reads, box;

    tr_edit_boxes(making->edit, making->stamp, &reads, &box);
    box = tr_box_intersect(box, world);
    for (int i = 0; i < 3; i++) {
        bool all_rows = i == 1 && tr_edit_is_height(making->edit);
        int64_t first = all_rows ? 0 : making->origin[i];

        if (!all_rows && box.lo[i] < first)
            box.lo[i] = first;
        if (!all_rows && box.hi[i] > first + TR_CHUNK - 1)
            box.hi[i] = first + TR_CHUNK - 1;
        if (box.lo[i] > box.hi[i])
            return false;
        making->lo[i] = (int)(box.lo[i] - first);
        making->hi[i] = (int)(box.hi[i] - first);
    }
    return true;
}

static void set_box(const struct making *making)
{
    tr_edit_slot *slot = making->slot;

    slot->lo_x = making->lo[0];
    slot->lo_y = making->lo[1];
    slot->lo_z = making->lo[2];
    slot->hi_x = making->hi[0];
    slot->hi_y = making->hi[1];
    slot->hi_z = making->hi[2];
    slot->base_y = tr_edit_is_height(making->edit) ? 0 : (int)making->origin[1];
}

/* ---- brushes ---- */

/* The centre, seen from the frame. */
static void brush_centre(const struct making *making, double c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = i == 1 && tr_edit_is_height(making->edit) ? 0.0
                                                         : making->stamp->at[i] - (double)making->origin[i];
}

static enum tr_status add_noise(const struct making *making)
{
    const struct tr_edit *edit = making->edit;
    const int64_t *origin = making->origin;
    const int64_t lowest[3] = {origin[0], tr_edit_is_height(edit) ? 0 : origin[1], origin[2]};
    enum tr_status status = tr_words_add(making->words, TR_BRUSH_NOISE_WORDS, "noise of edits",
                                         &making->slot->words, making->error);

    if (status == TR_OK)
        tr_noise_write(edit->seed, edit->octaves, edit->scale, lowest,
                       making->words->words + making->slot->words);
    return status;
}

/* Which way the right and the lower edge of a stamp's image lie. */
static void image_axes(const struct tr_edit *edit, double east[3], double south[3])
{
    static const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1}, up[3] = {0, 1, 0};
    double radians = edit->degrees * RADIANS_PER_DEGREE, c = tr_cos(radians), s = tr_sin(radians);
    double n[3], across[3], e[3], f[3], part;
    const double *from;

    unit(tr_edit_is_height(edit) ? up : edit->normal, n);
    from = fabs(n[0]) < 0.9 ? x : z;
    part = dot(from, n);
    for (int i = 0; i < 3; i++)
        across[i] = from[i] - part * n[i];
    unit(across, e);
    for (int i = 0; i < 3; i++)
        f[i] = e[(i + 1) % 3] * n[(i + 2) % 3] - e[(i + 2) % 3] * n[(i + 1) % 3];
    for (int i = 0; i < 3; i++) {
        east[i] = c * e[i] - s * f[i];
        south[i] = s * e[i] + c * f[i];
    }
}

/* The image over the square of half edge radius around the centre. */
static struct tr_grey_place image_place(const struct making *making, const struct tr_grey *picture)
{
    double radius = tr_greatest(making->stamp->radius, TR_VOXELS_TINY), east[3], south[3];
    double across = (picture->width - 1.0) / (2.0 * radius), down = (picture->height - 1.0) / (2.0 * radius);
    struct tr_grey_place place;
    double c[3];

    brush_centre(making, c);
    image_axes(making->edit, east, south);
    for (int i = 0; i < 3; i++) {
        place.a[i] = east[i] * across;
        place.b[i] = south[i] * down;
    }
    place.a0 = (picture->width - 1.0) / 2.0 - dot(place.a, c);
    place.b0 = (picture->height - 1.0) / 2.0 - dot(place.b, c);
    return place;
}

static enum tr_status add_image(const struct making *making)
{
    const double half = 0.5 * (TR_CHUNK - 1);
    struct tr_crop crop = {{half, half, half}, {half, half, half}, false};
    struct tr_grey picture = tr_edit_picture(making->edit, making->stamp);
    struct tr_grey_place place = image_place(making, &picture);
    enum tr_status status;

    if (tr_edit_is_height(making->edit))
        crop.middle[1] = crop.half[1] = 0.0;
    status = tr_words_add(making->words, tr_grey_words(&picture, &place, &crop), "images of edits",
                          &making->slot->words, making->error);
    if (status == TR_OK)
        tr_grey_write(&picture, &place, &crop, making->words->words + making->slot->words);
    return status;
}

/* The plane of a flatten: p.n + n.(o - point) of the unit normal n. */
static void set_plane(const struct making *making)
{
    const struct tr_edit *edit = making->edit;
    double n[3], away[3];

    unit(edit->normal, n);
    for (int i = 0; i < 3; i++)
        away[i] = (double)making->origin[i] - edit->point[i];
    making->slot->px = narrow(n[0]);
    making->slot->py = narrow(n[1]);
    making->slot->pz = narrow(n[2]);
    making->slot->p0 = narrow(dot(n, away));
}

/* Where a grab carries the ground. */
static void set_carry(const struct making *making)
{
    making->slot->px = narrow(making->edit->by[0]);
    making->slot->py = narrow(making->edit->by[1]);
    making->slot->pz = narrow(making->edit->by[2]);
}

/* What is about the operation and not the place. */
static void set_operation(const struct making *making, int32_t start_height)
{
    const struct tr_edit *edit = making->edit;
    tr_edit_slot *slot = making->slot;

    slot->falloff = edit->falloff;
    slot->power = edit->power;
    slot->strength = narrow(making->stamp->strength);
    if (edit->op == TR_EDIT_HC_SMOOTH)
        slot->px = narrow(1.0 - edit->beta);
    else if (edit->op == TR_EDIT_FLATTEN || edit->op == TR_EDIT_SET)
        slot->target = tr_edit_reads_start(edit) ? start_height : edit->height;
    else if (edit->op == TR_EDIT_VOLUME_FLATTEN)
        set_plane(making);
    else if (edit->op == TR_EDIT_GRAB)
        set_carry(making);
    else if (tr_edit_is_paint(edit))
        slot->target = (int)edit->material;
}

static bool brush_reaches(const struct making *making)
{
    const struct tr_edit *edit = making->edit;
    double radius = making->stamp->radius, c[3], gap[3];
    double cull = (edit->is_projected ? radius * sqrt(2.0) : radius) + CULL_SLACK;

    brush_centre(making, c);
    for (int i = 0; i < 3; i++)
        gap[i] = i == 1 && tr_edit_is_height(edit) ? 0.0 : outside(c[i], making->lo[i], making->hi[i]);
    return dot(gap, gap) <= cull * cull;
}

/* All but words. */
static void set_brush(const struct making *making, int32_t start_height)
{
    const struct tr_edit *edit = making->edit;
    tr_edit_slot *slot = making->slot;
    double radius = making->stamp->radius, c[3], u[3] = {0, 0, 0};

    brush_centre(making, c);
    if (edit->is_projected)
        unit(edit->axis, u);
    slot->form = edit->is_projected ? TR_FORM_PROJECTED : TR_FORM_SPHERICAL;
    slot->cx = narrow(c[0]);
    slot->cy = narrow(c[1]);
    slot->cz = narrow(c[2]);
    slot->ux = narrow(u[0]);
    slot->uy = narrow(u[1]);
    slot->uz = narrow(u[2]);
    /* below TR_VOXELS_TINY only a sample at the centre itself is within the radius, for which any finite factor does */
    slot->radius = (float)(1.0 / (radius < TR_VOXELS_TINY ? TR_VOXELS_TINY : radius));
    set_operation(making, start_height);
}

static enum tr_status make_brush(const struct making *making, int32_t start_height, bool *reaches)
{
    const struct tr_edit *edit = making->edit;

    *reaches = brush_reaches(making);
    if (!*reaches || !making->words)
        return TR_OK;
    set_brush(making, start_height);
    if (tr_edit_is_stamp(edit))
        return add_image(making);
    return edit->op == TR_EDIT_NOISE || edit->op == TR_EDIT_VOLUME_NOISE ? add_noise(making) : TR_OK;
}

/* ---- shapes ---- */

/* The squared distance of the slot's box from the axis, taken at a point of the axis within AXIS_STEP / 2 of the one that is nearest; so
 * the distance is too large by at most that. Along the axis its square is convex: the sign of the slope says on which side the nearest
 * point lies. */
static double axis_box_distance_squared(const struct tr_axis *axis, const int lo[3], const int hi[3])
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

/* The greatest distance of the box from the axis, squared: that of a corner, since distance from a segment is convex. */
static double axis_box_farthest_squared(const struct tr_axis *axis, const int lo[3], const int hi[3])
{
    double farthest = 0.0;

    for (int corner = 0; corner < 8; corner++) {
        double q[3], along;

        for (int i = 0; i < 3; i++)
            q[i] = (double)(corner >> i & 1 ? hi[i] : lo[i]) - axis->c[i];
        along = tr_least(tr_greatest(dot(q, axis->u), axis->t0), axis->t1);
        for (int i = 0; i < 3; i++)
            q[i] -= along * axis->u[i];
        farthest = tr_greatest(farthest, dot(q, q));
    }
    return farthest;
}

/* Whether a round may change a sample of the box; `reach` is what counts outside it, or for an intersection within it. */
static bool round_reaches(const struct making *making, const struct tr_axis *axis, double radius,
                          double reach)
{
    double cull = radius + reach + CULL_SLACK, depth = radius - reach - CULL_SLACK;

    if (making->edit->op == TR_EDIT_INTERSECT)
        return depth <= 0.0 || axis_box_farthest_squared(axis, making->lo, making->hi) >= depth * depth;
    return axis_box_distance_squared(axis, making->lo, making->hi) <= cull * cull;
}

static void set_round(tr_edit_slot *slot, tr_round round)
{
    slot->form = round.large != 0 ? TR_FORM_ROUND_LARGE : TR_FORM_ROUND;
    slot->cx = round.cx;
    slot->cy = round.cy;
    slot->cz = round.cz;
    slot->ux = round.ux;
    slot->uy = round.uy;
    slot->uz = round.uz;
    slot->t0 = round.t0;
    slot->t1 = round.t1;
    slot->radius = round.radius;
    slot->k0 = round.k0;
}

/* The blend with the ground, whose samples are in units. */
static void set_blend(const struct tr_edit *edit, tr_edit_slot *slot)
{
    double k = edit->blend_width * TR_UNITS, step;

    if (edit->blend_width < TR_VOXELS_TINY)
        return; /* hard */
    slot->blend = edit->blend.kind;
    slot->blend_k = narrow(k);
    if (slot->blend == TR_BLEND_SMOOTH)
        slot->blend_a = narrow(1.0 / (4.0 * k));
    if (slot->blend == TR_BLEND_STAIRS) {
        step = k / edit->blend.steps;
        slot->blend_a = narrow(step);
        slot->blend_b = narrow(1.0 / (2.0 * step));
    }
}

static enum tr_status add_code(const struct making *making, double reach, bool *reaches)
{
    bool is_intersect = making->edit->op == TR_EDIT_INTERSECT;
    struct tr_words own = {0}, *words = making->words;
    double least, most;
    enum tr_status status;

    if (!words && is_intersect) /* whether it reaches takes the code to say */
        words = &own;
    status =
        tr_tree_code(making->edit->tree, making->origin, making->lo, making->hi,
                     is_intersect ? EVERYWHERE : reach, words, &making->slot->words, reaches, making->error);
    if (status == TR_OK && is_intersect) {
        const double lo[3] = {making->lo[0], making->lo[1], making->lo[2]};
        const double hi[3] = {making->hi[0], making->hi[1], making->hi[2]};

        tr_code_bounds(words->words, making->slot->words, lo, hi, &least, &most);
        *reaches = most >= -reach;
        if (!*reaches)
            words->count = making->slot->words;
    }
    tr_words_release(&own);
    return status;
}

static enum tr_status make_shape(const struct making *making, bool *reaches)
{
    const struct tr_edit *edit = making->edit;
    tr_edit_slot *slot = making->slot;
    double a[3], b[3], radius,
        reach = edit->op == TR_EDIT_SHAPE_PAINT ? 1.0 : TR_SHAPE_BAND + edit->blend_width;
    enum tr_status status = TR_OK;

    if (tr_tree_is_round(edit->tree, a, b, &radius)) {
        struct tr_axis axis = tr_axis_make(a, b, false, making->origin);

        *reaches = round_reaches(making, &axis, radius, reach);
        set_round(slot, tr_round_make(a, b, radius, false, making->origin));
    } else {
        slot->form = TR_FORM_TREE;
        status = add_code(making, reach, reaches);
    }
    slot->reach = narrow(reach);
    slot->target = edit->op == TR_EDIT_SHAPE_PAINT ? (int)edit->material : 0;
    set_blend(edit, slot);
    return status;
}

enum tr_status tr_edit_slot_make(const struct tr_edit *edit, const struct tr_stamp *stamp,
                                 int32_t start_height, const struct tr_box *world, const int64_t origin[3],
                                 struct tr_words *words, tr_edit_slot *slot, bool *reaches,
                                 struct tr_error *error)
{
    struct making making = {
        .edit = edit, .stamp = stamp, .origin = origin, .slot = slot, .words = words, .error = error};

    *slot = (tr_edit_slot){0};
    *reaches = find_box(&making, world);
    if (!*reaches)
        return TR_OK;
    set_box(&making);
    slot->op = slot_ops[edit->op];
    return tr_edit_is_shape(edit) ? make_shape(&making, reaches) : make_brush(&making, start_height, reaches);
}

/* ---- regions ---- */

void tr_edit_region(const struct tr_edit *edit, const struct tr_stamp *stamp, const struct tr_box *world,
                    int64_t lo[3], uint32_t size[3], tr_edit_slot *slot)
{
    struct making making = {.edit = edit, .stamp = stamp, .origin = lo, .slot = slot};
    struct tr_box reads, writes;

    tr_edit_boxes(edit, stamp, &reads, &writes);
    reads = tr_box_intersect(reads, world);
    writes = tr_box_intersect(writes, world);
    *slot = (tr_edit_slot){.op = slot_ops[edit->op]};
    for (int i = 0; i < 3; i++) {
        bool is_empty = tr_box_is_empty(&writes);

        lo[i] = reads.lo[i];
        size[i] = is_empty ? 0 : (uint32_t)(reads.hi[i] - reads.lo[i] + 1);
        making.lo[i] = is_empty ? 0 : (int)(writes.lo[i] - lo[i]);
        making.hi[i] = is_empty ? -1 : (int)(writes.hi[i] - lo[i]);
    }
    set_box(&making);
    set_brush(&making, 0);
}
