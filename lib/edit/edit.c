/* An edit meets its world: metres become voxels and units, once, and from those follows what the edit can
 * touch.
 *
 * Kernels decide in float whether a sample lies within an edit's reach; boxes are taken in double, a little
 * wider than the reach in real numbers. The distance of a kernel is off by less than 1/1024 voxel for a shape
 * (shaders/shape.h) and by less than 2^-22 of the radius for a brush. BOX_MARGIN allows at least four times
 * as much: a sample is added to a box only where rounding could matter, and none that a kernel changes is
 * missing (tests/unit/edit_test.c). */
#include "lib/edit/edit.h"

#include "lib/base/json.h"

#include <math.h>

#define COORDINATE_MAX ((double)TR_CHUNK_INDEX_MAX * TR_CHUNK) /* |x|, |z|, voxels */
#define ELEVATION_MAX ((double)-TR_BLOCK_ROW_MIN * TR_CHUNK)   /* |y|, voxels */
#define BOX_MARGIN(radius) (1.0 / 64.0 + (radius)*0x1p-20)

/* ---- from metres to voxels ---- */

/* What a limit is about, for the message. */
struct limit {
    const struct tr_edit *edit;
    const char *where;
    double voxel_size;
    struct tr_error *error;
};

static enum tr_status fail_limit(const struct limit *limit, const char *field, double voxels_max,
                                 double found_m)
{
    char voxels[32], metres[32], found[32];

    tr_number_text(voxels_max, voxels);
    tr_number_text(voxels_max * limit->voxel_size, metres);
    tr_number_text(found_m, found);
    return tr_fail(limit->error, TR_BAD_INPUT,
                   "%s: \"%s\" must be at most %s m (%s voxels) in magnitude, found %s", limit->where, field,
                   metres, voxels, found);
}

/* *voxels = metres / voxel_size, at most voxels_max in magnitude. */
static enum tr_status convert(const struct limit *limit, const char *field, double metres, double voxels_max,
                              double *voxels)
{
    *voxels = metres / limit->voxel_size;
    if (!(fabs(*voxels) <= voxels_max)) /* also refuses an infinite quotient */
        return fail_limit(limit, field, voxels_max, metres);
    return TR_OK;
}

static enum tr_status convert_position(const struct limit *limit, const char *field, const double metres[3],
                                       double voxels[3])
{
    enum tr_status status = TR_OK;

    for (int i = 0; i < 3 && status == TR_OK; i++)
        status = convert(limit, field, metres[i], i == 1 ? ELEVATION_MAX : COORDINATE_MAX, &voxels[i]);
    return status;
}

static enum tr_status convert_strength(const struct limit *limit, struct tr_edit *edit)
{
    double voxels;
    enum tr_status status;

    if (edit->op == TR_EDIT_SMOOTH) {
        edit->strength_units = edit->strength;
        return TR_OK;
    }
    status = convert(limit, "strength", edit->strength, (double)TR_HEIGHT_MAX / TR_UNITS, &voxels);
    edit->strength_units = (edit->op == TR_EDIT_LOWER ? -voxels : voxels) * TR_UNITS;
    return status;
}

enum tr_status tr_edit_resolve(struct tr_edit *edit, double voxel_size, const char *where,
                               struct tr_error *error)
{
    const struct limit limit = {.edit = edit, .where = where, .voxel_size = voxel_size, .error = error};
    bool is_height = tr_edit_is_height(edit), is_sphere = edit->shape == TR_SHAPE_SPHERE;
    const char *first_end = is_height ? "at" : is_sphere ? "center" : "from";
    enum tr_status status;

    status = convert_position(&limit, first_end, edit->a_m, edit->a);
    if (status == TR_OK)
        status = convert_position(&limit, "to", edit->b_m, edit->b);
    if (status == TR_OK)
        status = convert(&limit, "radius", edit->radius_m, TR_BRUSH_RADIUS_MAX, &edit->radius);
    if (status == TR_OK)
        status = convert(&limit, "width", edit->blend_m, TR_SHAPE_BAND, &edit->blend);
    if (status == TR_OK)
        status = convert_strength(&limit, edit);
    return status;
}

/* ---- boxes ---- */

static int64_t floor_to_integer(double v) /* |v| < 2^62 */
{
    int64_t i = (int64_t)v; /* toward zero */
    return i - ((double)i > v);
}

static int64_t ceil_to_integer(double v)
{
    return -floor_to_integer(-v);
}

/* The samples no farther than `reach` voxels from the edit's axis, along one coordinate. */
static void reach_range(const struct tr_edit *edit, double reach, int axis, struct tr_box *box)
{
    double a = edit->a[axis], b = edit->b[axis];

    box->lo[axis] = ceil_to_integer((a < b ? a : b) - reach);
    box->hi[axis] = floor_to_integer((a < b ? b : a) + reach);
}

static struct tr_box height_box(const struct tr_edit *edit)
{
    double reach = edit->radius + BOX_MARGIN(edit->radius);
    struct tr_box box;

    reach_range(edit, reach, 0, &box);
    reach_range(edit, reach, 2, &box);
    box.lo[1] = (int64_t)TR_BLOCK_ROW_MIN * TR_CHUNK;
    box.hi[1] = (int64_t)TR_BLOCK_ROW_MAX * TR_CHUNK + TR_CHUNK - 1;
    return box;
}

static struct tr_box shape_box(const struct tr_edit *edit)
{
    double reach = edit->radius + TR_SHAPE_BAND + edit->blend + BOX_MARGIN(edit->radius);
    struct tr_box box;

    for (int axis = 0; axis < 3; axis++)
        reach_range(edit, reach, axis, &box);
    return box;
}

void tr_edit_boxes(const struct tr_edit *edit, struct tr_box *reads, struct tr_box *writes)
{
    *writes = tr_edit_is_height(edit) ? height_box(edit) : shape_box(edit);
    *reads = *writes;
    if (edit->op == TR_EDIT_SMOOTH &&
        !tr_box_is_empty(writes)) { /* an empty box must not grow into one that is not */
        for (int axis = 0; axis < 3; axis += 2) {
            reads->lo[axis]--;
            reads->hi[axis]++;
        }
    }
}
