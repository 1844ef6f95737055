/* The world, and the way of each stamp through it: heights by the chunk that owns them, samples by the block, since a
 * sample is evaluated in the frame whose origin is the lowest corner of its owner. */
#include "tests/naive/naive.h"
#include "tests/naive/naive_check.h"
#include "tests/naive/naive_float.h"
#include "tests/naive/naive_height.h"
#include "tests/naive/naive_redistance.h"
#include "tests/naive/naive_reshape.h"
#include "tests/naive/naive_shape.h"
#include "tests/naive/naive_volume.h"
#include "tests/naive/oracle.h"

#include <stdlib.h>
#include <string.h>

#define BAND 16.0       /* how far outside a hard shape it may change samples, voxels */
#define PAINT_REACH 1.0 /* how far outside it paints */

/* ---- the world ---- */

static size_t column_index(const struct naive_world *world, int x, int z)
{
    return (size_t)z * (size_t)world->size_x + (size_t)x;
}

static size_t sample_index(const struct naive_world *world, int x, int y, int z)
{
    return column_index(world, x, z) * (size_t)world->size_y + (size_t)(y - NAIVE_OWNER * world->row_lo);
}

static size_t column_count(const struct naive_world *world)
{
    return (size_t)world->size_x * (size_t)world->size_z;
}

static size_t sample_count(const struct naive_world *world)
{
    return column_count(world) * (size_t)world->size_y;
}

/* First and last row of samples. */
static int lowest(const struct naive_world *world)
{
    return NAIVE_OWNER * world->row_lo;
}
static int highest(const struct naive_world *world)
{
    return NAIVE_OWNER * (world->row_hi + 1) - 1;
}

bool naive_world_init(struct naive_world *world, int chunks_x, int chunks_z, int row_lo, int row_hi,
                      double voxel_size, const int32_t *heights)
{
    *world = (struct naive_world){.voxel_size = voxel_size, .row_lo = row_lo, .row_hi = row_hi};
    world->size_x = NAIVE_OWNER * chunks_x + 1;
    world->size_z = NAIVE_OWNER * chunks_z + 1;
    world->size_y = NAIVE_OWNER * (row_hi - row_lo + 1);
    world->known_lo = lowest(world);
    world->known_hi = highest(world);
    size_t columns = column_count(world), samples = sample_count(world);
    world->heights = malloc(columns * sizeof *world->heights);
    world->heights_before = malloc(columns * sizeof *world->heights);
    world->samples = malloc(samples * sizeof *world->samples);
    world->samples_before = malloc(samples * sizeof *world->samples);
    world->column_paint = calloc(columns, 1);
    world->sample_paint = calloc(samples, 1);
    if (world->heights == NULL || world->heights_before == NULL || world->samples == NULL ||
        world->samples_before == NULL || world->column_paint == NULL || world->sample_paint == NULL)
        return false;
    memcpy(world->heights, heights, columns * sizeof *heights);
    size_t i = 0;
    for (size_t column = 0; column < columns; column++)
        for (int y = lowest(world); y <= highest(world); y++)
            world->samples[i++] = (int16_t)naive_field_of_height(y, heights[column]);
    return true;
}

void naive_world_release(struct naive_world *world)
{
    free(world->heights);
    free(world->heights_before);
    free(world->samples);
    free(world->samples_before);
    free(world->column_paint);
    free(world->sample_paint);
    *world = (struct naive_world){0};
}

int naive_height(const struct naive_world *world, int x, int z)
{
    return world->heights[column_index(world, x, z)];
}

int naive_field(const struct naive_world *world, int x, int y, int z)
{
    return world->samples[sample_index(world, x, y, z)];
}

int naive_column_paint(const struct naive_world *world, int x, int z)
{
    return world->column_paint[column_index(world, x, z)];
}

int naive_sample_paint(const struct naive_world *world, int x, int y, int z)
{
    return world->sample_paint[sample_index(world, x, y, z)];
}

typedef bool apply_function(struct naive_world *world, const struct naive_step *step, const int corner[3]);

/* Calls `apply` for every owner of heights, or of samples, until one fails. */
static bool for_each_chunk(struct naive_world *world, const struct naive_step *step, apply_function *apply)
{
    for (int z = 0; z < world->size_z; z += NAIVE_OWNER)
        for (int x = 0; x < world->size_x; x += NAIVE_OWNER)
            if (!apply(world, step, (const int[3]){x, 0, z}))
                return false;
    return true;
}

static bool for_each_block(struct naive_world *world, const struct naive_step *step, apply_function *apply)
{
    for (int row = world->row_lo; row <= world->row_hi; row++)
        for (int z = 0; z < world->size_z; z += NAIVE_OWNER)
            for (int x = 0; x < world->size_x; x += NAIVE_OWNER)
                if (!apply(world, step, (const int[3]){x, NAIVE_OWNER * row, z}))
                    return false;
    return true;
}

/* The end of an owner's samples along an axis. */
static int end_of(int corner, int size)
{
    return corner + NAIVE_OWNER < size ? corner + NAIVE_OWNER : size;
}

/* ---- height brushes ---- */

/* The samples of a column go with its height. */
static void follow(struct naive_world *world, int x, int z, int before, int after)
{
    for (int y = lowest(world); y <= highest(world) && before != after; y++) {
        int16_t *s = &world->samples[sample_index(world, x, y, z)];
        *s = (int16_t)naive_followed_sample(*s, naive_field_of_height(y, before),
                                            naive_field_of_height(y, after));
    }
}

static bool brush_column(struct naive_world *world, const struct naive_step *step,
                         const struct naive_brush *brush, int x, int z)
{
    size_t at = column_index(world, x, z);
    if (step->edit->op == NAIVE_PAINT) {
        bool reaches = naive_brush_paints_column(brush, x, z);
        if (reaches)
            world->column_paint[at] = (uint8_t)step->edit->material;
        return naive_check_painted(step, (const int[3]){x, 0, z}, reaches);
    }
    int before = naive_height_before(world, x, z);
    int after = naive_brushed_height(world, brush, step->target, x, z);
    world->heights[at] = after;
    follow(world, x, z, before, after);
    return naive_check_height(step, x, z, after);
}

static bool brush_chunk(struct naive_world *world, const struct naive_step *step, const int corner[3])
{
    const double *centre = step->stamp.at;
    struct naive_brush brush =
        naive_brush_in_frame(step->edit, &step->measures, &step->stamp, &step->picture, corner);
    for (int z = corner[2]; z < end_of(corner[2], world->size_z); z++)
        for (int x = corner[0]; x < end_of(corner[0], world->size_x); x++)
            if (naive_stamp_is_near(step->edit, &step->stamp, hypot(x - centre[0], z - centre[2])) &&
                !brush_column(world, step, &brush, x, z))
                return false;
    return true;
}

/* ---- volume brushes ---- */

static bool brush_sample(struct naive_world *world, const struct naive_step *step,
                         const struct naive_brush *brush, const int p[3], const int corner[3])
{
    const int in_frame[3] = {p[0] - corner[0], p[1] - corner[1], p[2] - corner[2]};
    size_t at = sample_index(world, p[0], p[1], p[2]);
    if (step->edit->op == NAIVE_VOLUME_PAINT) {
        bool reaches = naive_brush_reaches(brush, in_frame);
        if (reaches)
            world->sample_paint[at] = (uint8_t)step->edit->material;
        return naive_check_painted(step, p, reaches);
    }
    int before = world->samples[at];
    int after = naive_reads_around(step->edit->op) ? naive_reshaped_sample(world, brush, corner, p)
                                                   : naive_brushed_sample(brush, in_frame, before);
    world->samples[at] = (int16_t)after;
    return naive_check_sample(step, p, before, after);
}

static bool brush_block(struct naive_world *world, const struct naive_step *step, const int corner[3])
{
    const double *centre = step->stamp.at;
    struct naive_brush brush =
        naive_brush_in_frame(step->edit, &step->measures, &step->stamp, &step->picture, corner);
    for (int z = corner[2]; z < end_of(corner[2], world->size_z); z++)
        for (int x = corner[0]; x < end_of(corner[0], world->size_x); x++) {
            if (!naive_stamp_is_near(step->edit, &step->stamp, hypot(x - centre[0], z - centre[2])))
                continue;
            for (int y = corner[1]; y < corner[1] + NAIVE_OWNER; y++) {
                const int p[3] = {x, y, z};
                if (naive_stamp_is_near(step->edit, &step->stamp, fabs(y - centre[1])) &&
                    !brush_sample(world, step, &brush, p, corner))
                    return false;
            }
        }
    return true;
}

/* ---- redistance ---- */

static bool redistance_region(struct naive_world *world, const struct naive_step *step,
                              const struct naive_region *region)
{
    struct naive_brush brush =
        naive_brush_in_frame(step->edit, &step->measures, &step->stamp, NULL, region->low);
    for (int y = 0; y < region->size[1]; y++)
        for (int z = 0; z < region->size[2]; z++)
            for (int x = 0; x < region->size[0]; x++) {
                const int p[3] = {x, y, z};
                const struct naive_crossing *nearest = naive_region_nearest(region, p);
                if (nearest == NULL || !naive_brush_reaches(&brush, p))
                    continue;
                int16_t *s = &world->samples[sample_index(world, region->low[0] + x, region->low[1] + y,
                                                          region->low[2] + z)];
                *s = (int16_t)naive_redistanced_sample(nearest, p, *s);
            }
    return naive_check_region(step, region);
}

static bool redistance(struct naive_world *world, const struct naive_step *step)
{
    struct naive_region region;
    bool is_empty;
    bool good = naive_region_make(world, &step->stamp, &region, &is_empty) &&
                (is_empty || redistance_region(world, step, &region));
    naive_region_release(&region);
    return good;
}

/* ---- known rows ---- */

/* What a brush reads `reach` rows away from where it is not known spreads so far, but not beyond its own rows; in the
 * region of a redistance it spreads to all of them. */
static void forget_rows(struct naive_world *world, const struct naive_step *step)
{
    const struct naive_stamp *stamp = &step->stamp;
    const bool is_region = step->edit->op == NAIVE_REDISTANCE;
    const int reach = is_region ? 1 : naive_reshape_reach(step->edit, &step->measures, stamp);
    const double radius = (step->edit->projected ? sqrt(2.0) : 1.0) * stamp->radius * 1.001 + 1.0;
    const double lo = fmax(ceil(stamp->at[1] - radius), lowest(world));
    const double hi = fmin(floor(stamp->at[1] + radius), highest(world));
    if (lo - reach < world->known_lo && lo <= hi) {
        double last = is_region ? hi : fmin(hi, world->known_lo + reach - 1);
        world->known_lo = (int)fmax(world->known_lo, last + 1.0);
    }
    if (hi + reach > world->known_hi && lo <= hi) {
        double first = is_region ? lo : fmax(lo, world->known_hi - reach + 1);
        world->known_hi = (int)fmin(world->known_hi, first - 1.0);
    }
}

/* ---- paint in space ---- */

/* The sample that stands for the ground of a column, and the corner of its block. */
static void ground_of_column(const struct naive_world *world, int x, int z, int p[3], int corner[3])
{
    p[0] = x;
    p[1] = (int)floor(naive_height(world, x, z) / (double)NAIVE_UNITS);
    p[2] = z;
    for (int i = 0; i < 3; i++)
        corner[i] = naive_owner_low(p[i]);
}

static bool brush_paints_grounds(struct naive_world *world, const struct naive_step *step)
{
    for (int z = 0; z < world->size_z; z++)
        for (int x = 0; x < world->size_x; x++) {
            int p[3], corner[3];
            ground_of_column(world, x, z, p, corner);
            struct naive_brush brush =
                naive_brush_in_frame(step->edit, &step->measures, &step->stamp, NULL, corner);
            const int in_frame[3] = {p[0] - corner[0], p[1] - corner[1], p[2] - corner[2]};
            bool reaches = naive_brush_reaches(&brush, in_frame);
            if (reaches)
                world->column_paint[column_index(world, x, z)] = (uint8_t)step->edit->material;
            if (!naive_check_painted(step, p, reaches))
                return false;
        }
    return true;
}

/* ---- shapes ---- */

/* A shape in one frame, and how it joins the ground. */
struct framed_shape {
    struct naive_shape *shape;
    struct naive_blender blender;
    float reach;
    int corner[3];
};

static bool is_within(const struct naive_world *world, const struct naive_edit *edit, const int p[3])
{
    for (int i = 0; edit->has_within && i < 3; i++)
        if (p[i] < edit->within[0][i] / world->voxel_size || p[i] > edit->within[1][i] / world->voxel_size)
            return false;
    return true;
}

static float distance_at(const struct framed_shape *framed, const int p[3])
{
    const float q[3] = {(float)(p[0] - framed->corner[0]), (float)(p[1] - framed->corner[1]),
                        (float)(p[2] - framed->corner[2])};
    return naive_shape_distance(framed->shape, q);
}

static void put_in_frame(struct framed_shape *framed, const int corner[3])
{
    naive_shape_place(framed->shape, corner);
    memcpy(framed->corner, corner, sizeof framed->corner);
}

/* Most samples stay as they are, and the oracle is slow: of those it looks at one in 16, which still finds a region that
 * should have changed. */
static bool is_looked_at(const int p[3], bool changed)
{
    return changed || (unsigned)(p[0] + 3 * p[1] + 7 * p[2]) % 16 == 0;
}

/* What a shape does to the sample p, which lies in the frame. */
static bool shape_sample(struct naive_world *world, const struct naive_step *step,
                         const struct framed_shape *framed, const int p[3])
{
    const struct naive_edit *edit = step->edit;
    size_t at = sample_index(world, p[0], p[1], p[2]);
    bool inside = is_within(world, edit, p);
    if (edit->op == NAIVE_SHAPE_PAINT) {
        bool reaches = inside && distance_at(framed, p) <= framed->reach;
        if (reaches)
            world->sample_paint[at] = (uint8_t)edit->material;
        return !is_looked_at(p, reaches) || naive_check_painted(step, p, reaches);
    }
    int before = world->samples[at], after = before;
    if (inside)
        after =
            naive_joined_sample(edit->op, &framed->blender, framed->reach, distance_at(framed, p), before);
    world->samples[at] = (int16_t)after;
    return !is_looked_at(p, after != before) || naive_check_joined(step, p, before, after);
}

static bool shape_block(struct naive_world *world, const struct naive_step *step,
                        const struct framed_shape *framed)
{
    const int *corner = framed->corner;
    for (int z = corner[2]; z < end_of(corner[2], world->size_z); z++)
        for (int x = corner[0]; x < end_of(corner[0], world->size_x); x++)
            for (int y = corner[1]; y < corner[1] + NAIVE_OWNER; y++)
                if (!shape_sample(world, step, framed, (const int[3]){x, y, z}))
                    return false;
    return true;
}

static bool shape_paints_grounds(struct naive_world *world, const struct naive_step *step,
                                 struct framed_shape *framed)
{
    for (int z = 0; z < world->size_z; z++)
        for (int x = 0; x < world->size_x; x++) {
            int p[3], corner[3];
            ground_of_column(world, x, z, p, corner);
            put_in_frame(framed, corner);
            bool reaches = is_within(world, step->edit, p) && distance_at(framed, p) <= framed->reach;
            if (reaches)
                world->column_paint[column_index(world, x, z)] = (uint8_t)step->edit->material;
            if (!naive_check_painted(step, p, reaches))
                return false;
        }
    return true;
}

static bool shape_blocks(struct naive_world *world, const struct naive_step *step,
                         struct framed_shape *framed)
{
    for (int row = world->row_lo; row <= world->row_hi; row++)
        for (int z = 0; z < world->size_z; z += NAIVE_OWNER)
            for (int x = 0; x < world->size_x; x += NAIVE_OWNER) {
                put_in_frame(framed, (const int[3]){x, NAIVE_OWNER * row, z});
                if (!shape_block(world, step, framed))
                    return false;
            }
    return step->edit->op != NAIVE_SHAPE_PAINT || shape_paints_grounds(world, step, framed);
}

static bool apply_shape(struct naive_world *world, const struct naive_step *step)
{
    const struct naive_edit *edit = step->edit;
    double width = step->measures.blend_width;
    struct framed_shape framed = {
        .shape = naive_shape_create(edit->shape, world->voxel_size),
        .blender = naive_blender_of(&edit->blend, width, NAIVE_UNITS),
        .reach = naive_parameter(naive_is_paint(edit->op) ? PAINT_REACH : BAND + width),
    };
    bool good = framed.shape != NULL && shape_blocks(world, step, &framed);
    naive_shape_free(framed.shape);
    return good;
}

/* ---- replay ---- */

/* A sample that equals the height field has no paint. */
static void settle_paint(struct naive_world *world)
{
    for (int z = 0; z < world->size_z; z++)
        for (int x = 0; x < world->size_x; x++)
            for (int y = lowest(world); y <= highest(world); y++) {
                size_t at = sample_index(world, x, y, z);
                if (world->samples[at] == naive_field_of_height(y, naive_height(world, x, z)))
                    world->sample_paint[at] = 0;
            }
}

static bool apply_op(struct naive_world *world, const struct naive_step *step)
{
    const enum naive_op op = step->edit->op;
    if (naive_is_shape(op))
        return apply_shape(world, step);
    if (naive_is_height_brush(op))
        return for_each_chunk(world, step, brush_chunk);
    if (op == NAIVE_REDISTANCE)
        return redistance(world, step);
    return for_each_block(world, step, brush_block) &&
           (op != NAIVE_VOLUME_PAINT || brush_paints_grounds(world, step));
}

static bool apply_stamp(struct naive_world *world, struct naive_step *step)
{
    const enum naive_op op = step->edit->op;
    memcpy(world->heights_before, world->heights, column_count(world) * sizeof *world->heights);
    if (naive_reads_around(op)) {
        memcpy(world->samples_before, world->samples, sample_count(world) * sizeof *world->samples);
        forget_rows(world, step);
    }
    if (naive_is_stamp(op) && !naive_stamp_picture(step->edit, &step->stamp, &step->picture))
        return false;
    bool good = apply_op(world, step);
    naive_picture_release(&step->picture);
    world->painted = world->painted || naive_is_paint(op);
    if (world->painted)
        settle_paint(world);
    return good;
}

/* The height of the column nearest to a place, in the world. */
static int nearest_height(const struct naive_world *world, const double at[3])
{
    double x = fmin(fmax(floor(at[0] + 0.5), 0.0), world->size_x - 1);
    double z = fmin(fmax(floor(at[2] + 0.5), 0.0), world->size_z - 1);
    return naive_height(world, (int)x, (int)z);
}

static bool apply_stamps(struct naive_world *world, struct naive_step *step, const struct naive_stamp *stamps,
                         size_t count)
{
    step->target = step->measures.height;
    if (step->edit->op == NAIVE_FLATTEN && !step->edit->has_height)
        step->target = nearest_height(world, stamps[0].at);
    for (size_t i = 0; i < count; i++) {
        step->stamp = stamps[i];
        if (!apply_stamp(world, step))
            return false;
    }
    return true;
}

static bool apply_edit(struct naive_world *world, const struct naive_edit *edit, struct naive_report *report)
{
    size_t count;
    struct naive_stamp *stamps = naive_stamps(edit, world->voxel_size, &count);
    struct naive_step step = {
        .world = world, .edit = edit, .measures = naive_measure(edit, world->voxel_size), .report = report};
    bool good = stamps != NULL &&
                (!naive_is_shape(edit->op) ||
                 oracle_shape_init(&step.shape, edit->shape, edit->shape_count, world->voxel_size)) &&
                apply_stamps(world, &step, stamps, count);
    oracle_shape_release(&step.shape);
    free(stamps);
    return good;
}

bool naive_replay(struct naive_world *world, const struct naive_edit *edits, size_t count,
                  struct naive_report *report)
{
    *report = (struct naive_report){.what = "out of memory"};
    for (size_t i = 0; i < count; i++) {
        report->edit = i;
        if (!apply_edit(world, &edits[i], report))
            return false;
    }
    return true;
}
