/* An edit meets its world: metres become voxels and units, once, and from those follow its stamps and what each can touch.
 *
 * Kernels decide in float whether a sample lies within an edit's reach; boxes are taken in double, a little wider than the reach in real
 * numbers. The distance of a kernel is off by less than 1/1024 voxel for a round shape (shaders/shape.h), by less than 1/16 for the
 * largest of the others near where their reach ends (shaders/tree.h), and by less than 2^-21 of the radius for a brush. BOX_MARGIN allows
 * more: a sample is added to a box only where rounding could matter, and none that a kernel changes is missing
 * (tests/unit/edit_test.c). */
#include "lib/edit/edit.h"

#include "lib/base/alloc.h"
#include "lib/base/dmath.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOX_MARGIN(radius) (1.0 / 64.0 + (radius)*0x1p-20)

static void release_halved(struct tr_edit *edit)
{
    for (uint32_t i = 0; i < edit->halved_count; i++)
        tr_grey_release(&edit->halved[i]);
    free(edit->halved);
    edit->halved = NULL;
    edit->halved_count = 0;
}

void tr_edit_release(struct tr_edit *edit)
{
    release_halved(edit);
    tr_resource_release(&edit->image);
    free(edit->points);
    tr_shape_release(&edit->shape);
    tr_tree_free(edit->tree);
    *edit = (struct tr_edit){0};
}

/* ---- from metres to voxels ---- */

static bool is_volume(const struct tr_edit *edit)
{
    return !tr_edit_is_height(edit) && !tr_edit_is_shape(edit);
}

/* Whether strength is a height or distance, and not a fraction or nothing. */
static bool strength_is_length(const struct tr_edit *edit)
{
    switch (edit->op) {
    case TR_EDIT_RAISE:
    case TR_EDIT_LOWER:
    case TR_EDIT_NOISE:
    case TR_EDIT_STAMP:
    case TR_EDIT_VOLUME_ADD:
    case TR_EDIT_VOLUME_SUBTRACT:
    case TR_EDIT_VOLUME_NOISE:
    case TR_EDIT_VOLUME_STAMP:
    case TR_EDIT_INFLATE:
        return true;
    default:
        return false;
    }
}

static bool is_noise(const struct tr_edit *edit)
{
    return edit->op == TR_EDIT_NOISE || edit->op == TR_EDIT_VOLUME_NOISE;
}

static enum tr_status convert_strength(const struct tr_edit *edit, const struct tr_metres *metres,
                                       struct tr_edit_point *point)
{
    double voxels;
    enum tr_status status;

    if (!strength_is_length(edit)) {
        point->strength_units = edit->op == TR_EDIT_SET ? 1.0 : point->strength;
        return TR_OK;
    }
    status =
        tr_metres_convert(metres, "strength", "", point->strength, (double)TR_HEIGHT_MAX / TR_UNITS, &voxels);
    point->strength_units = voxels * TR_UNITS;
    if (is_noise(edit))
        point->strength_units = point->strength_units / tr_octaves_weight(edit->octaves);
    if (edit->op == TR_EDIT_LOWER || edit->op == TR_EDIT_VOLUME_ADD)
        point->strength_units = -point->strength_units;
    return status;
}

static double distance(const double a[3], const double b[3])
{
    double v[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};

    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double radius_max_of(const struct tr_edit *edit)
{
    switch (edit->op) {
    case TR_EDIT_VOLUME_SMOOTH:
    case TR_EDIT_INFLATE:
        return TR_VOLUME_SMOOTH_RADIUS_MAX;
    case TR_EDIT_PINCH:
        return edit->is_projected ? TR_PINCH_PROJECTED_RADIUS_MAX : TR_RESHAPE_RADIUS_MAX;
    case TR_EDIT_GRAB:
    case TR_EDIT_REDISTANCE:
        return TR_RESHAPE_RADIUS_MAX;
    default:
        return TR_BRUSH_RADIUS_MAX;
    }
}

static enum tr_status convert_points(const struct tr_edit *edit, const struct tr_metres *metres)
{
    double radius_max = radius_max_of(edit);
    enum tr_status status = TR_OK;

    for (uint32_t i = 0; i < edit->point_count && status == TR_OK; i++) {
        struct tr_edit_point *point = &edit->points[i];

        status = tr_metres_convert_place(metres, edit->is_stroke ? "path" : "at", "", point->at_m,
                                         TR_ELEVATION_MAX, point->at);
        if (status == TR_OK)
            status = tr_metres_convert(metres, "radius", "", point->radius_m, radius_max, &point->radius);
        if (status == TR_OK)
            status = convert_strength(edit, metres, point);
        point->along = i == 0 ? 0.0 : point[-1].along + distance(point[-1].at, point->at);
    }
    return status;
}

static double path_length(const struct tr_edit *edit)
{
    return edit->points[edit->point_count - 1].along;
}

static enum tr_status convert_spacing(struct tr_edit *edit, const struct tr_metres *metres)
{
    enum tr_status status = TR_OK;

    edit->spacing = edit->points[0].radius / 2.0;
    if (edit->has_spacing)
        status =
            tr_metres_convert(metres, "spacing", "", edit->spacing_m, TR_BRUSH_RADIUS_MAX, &edit->spacing);
    if (status == TR_OK && !((double)TR_EDIT_STAMPS_MAX * edit->spacing > path_length(edit)) &&
        path_length(edit) > 0.0)
        return tr_fail(metres->error, TR_BAD_INPUT, "%s: \"path\" must have at most %d stamps, found more",
                       metres->where, TR_EDIT_STAMPS_MAX);
    return status;
}

static enum tr_status convert_height(struct tr_edit *edit, const struct tr_metres *metres)
{
    double voxels;
    enum tr_status status =
        tr_metres_convert(metres, "height", "", edit->height_m, (double)TR_HEIGHT_MAX / TR_UNITS, &voxels);

    if (status == TR_OK)
        edit->height = tr_units_from_voxels(voxels, TR_HEIGHT_MAX);
    return status;
}

/* The point that a volume flatten's plane goes through: its own, or the first of the path. */
static enum tr_status convert_plane_point(struct tr_edit *edit, const struct tr_metres *metres)
{
    if (edit->has_point)
        return tr_metres_convert_place(metres, "point", "", edit->point_m, TR_ELEVATION_MAX, edit->point);
    memcpy(edit->point, edit->points[0].at, sizeof edit->point);
    return TR_OK;
}

/* Where a grab carries the ground. */
static enum tr_status convert_by(struct tr_edit *edit, const struct tr_metres *metres)
{
    static const double nowhere[3] = {0, 0, 0};
    double unused;

    for (int i = 0; i < 3; i++)
        edit->by[i] = edit->by_m[i] / metres->voxel_size;
    return tr_metres_convert(metres, "by", "", distance(nowhere, edit->by_m), TR_GRAB_MAX, &unused);
}

/* How often the image is halved for a radius: it covers a square twice as wide. */
static uint32_t halvings_for(const struct tr_edit *edit, double radius)
{
    return tr_grey_halvings(edit->image.width, edit->image.height, 2.0 * radius, 2.0 * radius);
}

/* The image at every size that a stamp may want: radii lie between those of the points. */
static enum tr_status halve_image(struct tr_edit *edit, const struct tr_metres *metres)
{
    uint32_t most = 0;
    enum tr_status status = TR_OK;

    release_halved(edit);
    for (uint32_t i = 0; i < edit->point_count; i++) {
        uint32_t halvings = halvings_for(edit, edit->points[i].radius);

        most = halvings > most ? halvings : most;
    }
    edit->halved = tr_alloc(most, sizeof *edit->halved, metres->error);
    if (!edit->halved)
        return TR_IO;
    for (uint32_t i = 0; i < most && status == TR_OK; i++) {
        struct tr_grey larger = {edit->image.pixels, edit->image.width, edit->image.height};
        struct tr_resource from;

        if (i > 0)
            larger = edit->halved[i - 1];
        from = (struct tr_resource){.pixels = larger.pixels, .width = larger.width, .height = larger.height};
        status = tr_grey_make(&from, 1, &edit->halved[i], metres->error);
        edit->halved_count = i + 1;
    }
    return status;
}

static enum tr_status resolve_brush(struct tr_edit *edit, const struct tr_metres *metres)
{
    enum tr_status status = convert_points(edit, metres);

    if (status == TR_OK && edit->is_stroke)
        status = convert_spacing(edit, metres);
    if (status == TR_OK && (edit->has_height || edit->op == TR_EDIT_SET))
        status = convert_height(edit, metres);
    if (status == TR_OK && is_noise(edit))
        status = tr_metres_convert_scale(metres, "", edit->scale_m, &edit->scale);
    if (status == TR_OK && edit->op == TR_EDIT_VOLUME_FLATTEN)
        status = convert_plane_point(edit, metres);
    if (status == TR_OK && edit->op == TR_EDIT_GRAB)
        status = convert_by(edit, metres);
    if (status == TR_OK && tr_edit_is_stamp(edit))
        status = halve_image(edit, metres);
    return status;
}

static int64_t floor_to_integer(double v) /* |v| < 2^62 */
{
    int64_t i = (int64_t)v; /* toward zero */
    return i - ((double)i > v);
}

static int64_t ceil_to_integer(double v)
{
    return -floor_to_integer(-v);
}

static enum tr_status convert_within(struct tr_edit *edit, const struct tr_metres *metres)
{
    double corners[2][3];
    enum tr_status status = TR_OK;

    for (int i = 0; i < 2 && status == TR_OK; i++)
        status =
            tr_metres_convert_place(metres, "within", "", edit->within_m[i], TR_ELEVATION_MAX, corners[i]);
    for (int axis = 0; axis < 3 && status == TR_OK; axis++) {
        edit->within.lo[axis] = ceil_to_integer(corners[0][axis]);
        edit->within.hi[axis] = floor_to_integer(corners[1][axis]);
    }
    return status;
}

static enum tr_status resolve_shape(struct tr_edit *edit, const struct tr_metres *metres)
{
    double lo[3], hi[3];
    enum tr_status status =
        tr_metres_convert(metres, "width", "", edit->blend.width_m, TR_SHAPE_BAND, &edit->blend_width);

    if (status == TR_OK && edit->has_within)
        status = convert_within(edit, metres);
    tr_tree_free(edit->tree);
    edit->tree = NULL;
    if (status == TR_OK)
        status = tr_tree_create(&edit->shape, metres->voxel_size, metres->where, &edit->tree, metres->error);
    if (status == TR_OK && !edit->has_within && !tr_tree_box(edit->tree, 0.0, lo, hi))
        return tr_fail(metres->error, TR_BAD_INPUT, "%s: \"within\" is missing: a half-space has no bounds",
                       metres->where);
    if (status == TR_OK)
        status = tr_tree_load(edit->tree, metres->where, metres->error);
    return status;
}

enum tr_status tr_edit_resolve(struct tr_edit *edit, double voxel_size, const char *where,
                               struct tr_error *error)
{
    const struct tr_metres metres = {.voxel_size = voxel_size, .where = where, .error = error};

    return tr_edit_is_shape(edit) ? resolve_shape(edit, &metres) : resolve_brush(edit, &metres);
}

/* ---- stamps ---- */

uint32_t tr_edit_stamp_count(const struct tr_edit *edit)
{
    double length, steps;

    if (tr_edit_is_shape(edit) || !edit->is_stroke || path_length(edit) == 0.0)
        return 1;
    length = path_length(edit);
    steps = floor(length /
                  edit->spacing); /* may be off by one where the quotient was rounded to a whole number */
    while ((steps + 1.0) * edit->spacing <= length)
        steps += 1.0;
    while (steps * edit->spacing > length)
        steps -= 1.0;
    return (uint32_t)steps + 1;
}

/* The last segment that begins at or before the length l; of a path of two points and more. */
static uint32_t find_segment(const struct tr_edit *edit, double l)
{
    uint32_t low = 0, high = edit->point_count - 1; /* its begin is in [low, high) */

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (edit->points[middle].along <= l)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct tr_stamp tr_edit_stamp(const struct tr_edit *edit, uint32_t index)
{
    const struct tr_edit_point *a = edit->points, *b = a;
    double l = (double)index * edit->spacing, fraction = 0.0;
    struct tr_stamp stamp = {.radius = 0.0};

    if (tr_edit_is_shape(edit))
        return stamp;
    if (edit->point_count > 1) {
        a += find_segment(edit, l);
        b = a + 1;
        if (b->along > a->along)
            fraction = (l - a->along) / (b->along - a->along);
    }
    for (int i = 0; i < 3; i++)
        stamp.at[i] = a->at[i] + fraction * (b->at[i] - a->at[i]);
    stamp.radius = a->radius + fraction * (b->radius - a->radius);
    stamp.strength = a->strength_units + fraction * (b->strength_units - a->strength_units);
    return stamp;
}

static int64_t clamp_to(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

void tr_edit_start_column(const struct tr_edit *edit, const struct tr_box *world, int64_t *x, int64_t *z)
{
    const double *at = edit->points[0].at;

    *x = clamp_to(floor_to_integer(at[0] + 0.5), world->lo[0], world->hi[0]);
    *z = clamp_to(floor_to_integer(at[2] + 0.5), world->lo[2], world->hi[2]);
}

/* ---- boxes ---- */

/* The samples no farther than `reach` from a number between a and b. */
static void reach_range(double a, double b, double reach, int axis, struct tr_box *box)
{
    box->lo[axis] = ceil_to_integer((a < b ? a : b) - reach);
    box->hi[axis] = floor_to_integer((a < b ? b : a) + reach);
}

/* How far a brush reaches along the axis where it reaches farthest: a projected one is a cylinder. */
static double brush_extent(const struct tr_edit *edit, double radius)
{
    return edit->is_projected ? sqrt(2.0) * radius : radius;
}

static struct tr_box brush_box(const struct tr_edit *edit, const struct tr_stamp *stamp)
{
    double radius = brush_extent(edit, stamp->radius);
    struct tr_box box;

    for (int axis = 0; axis < 3; axis++)
        reach_range(stamp->at[axis], stamp->at[axis], radius + BOX_MARGIN(radius), axis, &box);
    if (tr_edit_is_height(edit)) {
        box.lo[1] = (int64_t)TR_BLOCK_ROW_MIN * TR_CHUNK;
        box.hi[1] = (int64_t)TR_BLOCK_ROW_MAX * TR_CHUNK + TR_CHUNK - 1;
    }
    return box;
}

static struct tr_box tree_box(const struct tr_edit *edit, double reach)
{
    double lo[3], hi[3], radius = 0.0;
    struct tr_box box;

    if (!tr_tree_box(edit->tree, reach, lo, hi))
        return edit->within;
    for (int axis = 0; axis < 3; axis++)
        radius = tr_greatest(radius, 0.5 * (hi[axis] - lo[axis]));
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = ceil_to_integer(lo[axis] - BOX_MARGIN(radius));
        box.hi[axis] = floor_to_integer(hi[axis] + BOX_MARGIN(radius));
    }
    return box;
}

static struct tr_box shape_box(const struct tr_edit *edit)
{
    double a[3], b[3], radius, reach = TR_SHAPE_BAND + edit->blend_width;
    struct tr_box box;

    if (edit->op == TR_EDIT_INTERSECT)
        return edit->within;
    if (edit->op == TR_EDIT_SHAPE_PAINT)
        reach = 1.0;
    if (tr_tree_is_round(edit->tree, a, b, &radius)) {
        for (int axis = 0; axis < 3; axis++)
            reach_range(a[axis], b[axis], radius + reach + BOX_MARGIN(radius), axis, &box);
    } else {
        box = tree_box(edit, reach);
    }
    return edit->has_within ? tr_box_intersect(box, &edit->within) : box;
}

uint32_t tr_edit_margin(const struct tr_edit *edit, const struct tr_stamp *stamp)
{
    static const double nowhere[3] = {0, 0, 0};

    switch (edit->op) {
    case TR_EDIT_SMOOTH:
    case TR_EDIT_VOLUME_SMOOTH:
    case TR_EDIT_INFLATE:
    case TR_EDIT_REDISTANCE:
        return 1;
    case TR_EDIT_HC_SMOOTH:
        return 2;
    /* The greatest way a point is taken from; one sample for the 8 around it, and one for rounding. */
    case TR_EDIT_PINCH:
        return (uint32_t)ceil(stamp->strength * brush_extent(edit, stamp->radius)) + 2;
    case TR_EDIT_GRAB:
        return (uint32_t)ceil(distance(nowhere, edit->by)) + 2;
    default:
        return 0;
    }
}

struct tr_grey tr_edit_picture(const struct tr_edit *edit, const struct tr_stamp *stamp)
{
    uint32_t halvings = halvings_for(edit, stamp->radius);

    if (halvings > edit->halved_count) /* no radius is less than the least of the points but by rounding */
        halvings = edit->halved_count;
    return halvings > 0 ? edit->halved[halvings - 1]
                        : (struct tr_grey){edit->image.pixels, edit->image.width, edit->image.height};
}

void tr_edit_boxes(const struct tr_edit *edit, const struct tr_stamp *stamp, struct tr_box *reads,
                   struct tr_box *writes)
{
    int64_t halo = tr_edit_margin(edit, stamp);

    *writes = tr_edit_is_shape(edit) ? shape_box(edit) : brush_box(edit, stamp);
    *reads = *writes;
    if (tr_box_is_empty(writes)) /* an empty box must not grow into one that is not */
        return;
    for (int axis = 0; axis < 3; axis++)
        if (axis != 1 || is_volume(edit)) {
            reads->lo[axis] -= halo;
            reads->hi[axis] += halo;
        }
}
