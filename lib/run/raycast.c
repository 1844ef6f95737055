/* See raycast.h.
 *
 *   clip      the ray to the world's footprint
 *   chunks    a walk over the chunks under it; in each, what of the ray lies above all its ground is cut off
 *   cells     a walk over the cells that the rest passes, exactly: none is left out, however short the way in it
 *   cubic     along the ray the trilinear field of a cell is a cubic; its first zero is bracketed by subdivision
 *
 * Places along the ray are its parameter t, in voxels from the origin. Rounding can put a place into the cell
 * beside the right one, or a hair before the cell it is in. That does no harm: the field is continuous over cell
 * faces, and places are clamped to the cell that they are looked at in. */
#include "lib/run/raycast.h"

#include "lib/run/probe.h"

#include <math.h>

/* Beyond so many voxels up or down all is air or ground, blocks included. */
#define Y_MAX ((int64_t)1 << 20)

struct cast {
    struct tr_cache *cache;
    const struct tr_world_info *info;
    double origin[3];    /* voxels */
    double direction[3]; /* unit length */
};

static double place_on(const struct cast *cast, double t, int axis)
{
    return cast->origin[axis] + t * cast->direction[axis];
}

/* ---- clip ---- */

/* Cuts [*in, *out] to the footprint; false: nothing is left. */
static bool clip_to_world(const struct cast *cast, double *in, double *out)
{
    const double size[3] = {(double)cast->info->size_x * TR_CHUNK, 0.0,
                            (double)cast->info->size_z * TR_CHUNK};

    for (int axis = 0; axis < 3; axis += 2) {
        double origin = cast->origin[axis], direction = cast->direction[axis];

        if (direction == 0.0) {
            if (origin < 0.0 || origin > size[axis])
                return false;
            continue;
        }
        *in = fmax(*in, ((direction > 0.0 ? 0.0 : size[axis]) - origin) / direction);
        *out = fmin(*out, ((direction > 0.0 ? size[axis] : 0.0) - origin) / direction);
    }
    return *in <= *out && *in < INFINITY;
}

/* Cuts off what lies above y = ceiling. */
static bool clip_to_ceiling(const struct cast *cast, double ceiling, double *in, double *out)
{
    double origin = cast->origin[1], direction = cast->direction[1];

    if (direction == 0.0)
        return origin <= ceiling;
    if (direction < 0.0)
        *in = fmax(*in, (ceiling - origin) / direction);
    else
        *out = fmin(*out, (ceiling - origin) / direction);
    return *in <= *out;
}

/* The lowest level such that all samples there and above are air. */
static int64_t ceiling_of(const struct tr_cells *cells)
{
    int64_t ceiling = INT64_MIN;

    for (int i = 0; i < 4; i++) {
        const struct tr_chunk *chunk = cells->chunks[i / 2][i % 2];
        int32_t lowest, highest;
        int64_t level;

        tr_chunk_height_range(chunk, &lowest, &highest);
        level = tr_floor_div(highest, TR_UNITS) + 1;
        ceiling = level > ceiling ? level : ceiling;
        if (chunk->block_count > 0) {
            level = ((int64_t)chunk->blocks[chunk->block_count - 1].cy + 1) * TR_CHUNK;
            ceiling = level > ceiling ? level : ceiling;
        }
    }
    return ceiling;
}

/* ---- walk ---- */

/* The boxes of a grid that a ray passes, one after another, after Amanatides and Woo, "A fast voxel traversal
 * algorithm for ray tracing" (1987). Where the ray leaves a box is computed from the box, not summed up, so a long
 * way does not drift. */
struct walk {
    const double *origin;
    double direction[3];  /* 0 along an axis that the grid does not divide */
    double size;          /* of a box */
    int64_t lo[3], hi[3]; /* the boxes there are */
    int64_t at[3];
    double in, out; /* of the box */
    double end;     /* of the walk */
    int axis;       /* along which it leaves the box; -1: it ends there */
};

static void find_exit(struct walk *walk)
{
    walk->out = walk->end;
    walk->axis = -1;
    for (int axis = 0; axis < 3; axis++) {
        double direction = walk->direction[axis];

        if (direction != 0.0) {
            double face = (double)(walk->at[axis] + (direction > 0.0)) * walk->size;
            double t = (face - walk->origin[axis]) / direction;

            if (t < walk->out) {
                walk->out = t;
                walk->axis = axis;
            }
        }
    }
    walk->out = fmax(walk->out, walk->in);
}

/* Begins at in, which is finite; origin, direction, size, lo, hi and end are set. */
static void walk_begin(struct walk *walk, double in)
{
    walk->in = in;
    for (int axis = 0; axis < 3; axis++) {
        double box = floor((walk->origin[axis] + in * walk->direction[axis]) / walk->size);

        walk->at[axis] = (int64_t)fmin(fmax(box, (double)walk->lo[axis]), (double)walk->hi[axis]);
    }
    find_exit(walk);
}

static bool walk_next(struct walk *walk)
{
    int axis = walk->axis;

    if (axis < 0)
        return false;
    walk->at[axis] += walk->direction[axis] > 0.0 ? 1 : -1;
    if (walk->at[axis] < walk->lo[axis] || walk->at[axis] > walk->hi[axis])
        return false;
    walk->in = walk->out;
    find_exit(walk);
    return true;
}

/* ---- cubic ---- */

/* Halves of a cubic in Bernstein form (de Casteljau). */
static void split(const double b[4], double left[4], double right[4])
{
    double b01 = (b[0] + b[1]) / 2, b12 = (b[1] + b[2]) / 2, b23 = (b[2] + b[3]) / 2;
    double b012 = (b01 + b12) / 2, b123 = (b12 + b23) / 2, middle = (b012 + b123) / 2;

    left[0] = b[0];
    left[1] = b01;
    left[2] = b012;
    left[3] = right[0] = middle;
    right[1] = b123;
    right[2] = b23;
    right[3] = b[3];
}

static bool all_positive(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (values[i] <= 0.0)
            return false;
    return true;
}

/* The first s in [0, 1] where the cubic is <= 0, to 2^-HALVINGS. It lies within the hull of its coefficients, so a
 * piece with positive ones is passed over; others are halved, the earlier half first. A dip below 0 that is shorter
 * than the last piece is not found, unless it is met exactly. */
static bool first_zero(const double cubic[4], double *s)
{
    enum { HALVINGS = 32 };
    struct piece {
        double b[4], begin, length;
    } stack[HALVINGS + 2] = {{.b = {cubic[0], cubic[1], cubic[2], cubic[3]}, .length = 1.0}};
    int count = 1;

    while (count > 0) {
        struct piece piece = stack[--count];
        bool is_last = piece.length <= ldexp(1.0, -HALVINGS);

        if (piece.b[0] <= 0.0 || (is_last && piece.b[3] <= 0.0)) {
            *s = piece.b[0] <= 0.0 ? piece.begin : piece.begin + piece.length;
            return true;
        }
        if (is_last || all_positive(piece.b, 4))
            continue;
        struct piece *right = &stack[count++], *left = &stack[count++];
        left->length = right->length = piece.length / 2;
        left->begin = piece.begin;
        right->begin = piece.begin + left->length;
        split(piece.b, left->b, right->b);
    }
    return false;
}

/* The trilinear field from p to q in a cell. With T(x, y, z) linear in each of its arguments, the coefficients are
 * the means of T over the ways to take k arguments from q and the others from p (the blossom, Ramshaw 1987). */
static void cubic_of(const double corner[8], const double p[3], const double q[3], double b[4])
{
    b[0] = tr_trilinear(corner, p[0], p[1], p[2]);
    b[1] = (tr_trilinear(corner, q[0], p[1], p[2]) + tr_trilinear(corner, p[0], q[1], p[2]) +
            tr_trilinear(corner, p[0], p[1], q[2])) /
           3;
    b[2] = (tr_trilinear(corner, p[0], q[1], q[2]) + tr_trilinear(corner, q[0], p[1], q[2]) +
            tr_trilinear(corner, q[0], q[1], p[2])) /
           3;
    b[3] = tr_trilinear(corner, q[0], q[1], q[2]);
}

/* ---- cells ---- */

static void place_in_cell(const struct cast *cast, const struct walk *walk, double t, double place[3])
{
    for (int axis = 0; axis < 3; axis++)
        place[axis] = fmin(fmax(place_on(cast, t, axis) - (double)walk->at[axis], 0.0), 1.0);
}

/* Whether the ray meets the ground in the walk's cell, and where. */
static bool cast_cell(const struct cast *cast, const struct tr_cells *cells, const struct walk *walk,
                      double *t)
{
    int x = (int)(walk->at[0] - (int64_t)cells->cx * TR_CHUNK),
        z = (int)(walk->at[2] - (int64_t)cells->cz * TR_CHUNK);
    double corner[8], p[3], q[3], cubic[4], s;

    for (int i = 0; i < 8; i++)
        corner[i] = tr_cells_sample(cells, x + (i & 1), walk->at[1] + (i >> 1 & 1), z + (i >> 2 & 1));
    if (all_positive(corner, 8))
        return false;
    place_in_cell(cast, walk, walk->in, p);
    place_in_cell(cast, walk, walk->out, q);
    cubic_of(corner, p, q, cubic);
    if (!first_zero(cubic, &s))
        return false;
    *t = walk->in + s * (walk->out - walk->in);
    return true;
}

static bool cast_cells(const struct cast *cast, const struct tr_cells *cells, double in, double out,
                       double *t)
{
    int64_t x = (int64_t)cells->cx * TR_CHUNK, z = (int64_t)cells->cz * TR_CHUNK, ceiling = ceiling_of(cells);
    struct walk walk = {.origin = cast->origin,
                        .direction = {cast->direction[0], cast->direction[1], cast->direction[2]},
                        .size = 1.0,
                        .lo = {x, -Y_MAX, z},
                        .hi = {x + TR_CHUNK - 1, ceiling, z + TR_CHUNK - 1}};

    if (!clip_to_ceiling(cast, (double)ceiling, &in, &out))
        return false;
    walk.end = out;
    walk_begin(&walk, in);
    do
        if (cast_cell(cast, cells, &walk, t))
            return true;
    while (walk_next(&walk));
    return false;
}

/* ---- normal ---- */

/* field() at a sample of the world, clamped to it. */
static enum tr_status read_sample(const struct cast *cast, const int64_t at[3], int *value,
                                  struct tr_error *error)
{
    int64_t last_x = (int64_t)cast->info->size_x * TR_CHUNK, last_z = (int64_t)cast->info->size_z * TR_CHUNK;
    int64_t x = at[0] < 0 ? 0 : at[0] > last_x ? last_x : at[0];
    int64_t z = at[2] < 0 ? 0 : at[2] > last_z ? last_z : at[2];
    const struct tr_chunk *chunk;
    enum tr_status status =
        tr_cache_hold(cast->cache, (int32_t)(x / TR_CHUNK), (int32_t)(z / TR_CHUNK), &chunk, error);

    if (status != TR_OK)
        return status;
    *value = tr_chunk_field(chunk, (int)(x % TR_CHUNK), at[1], (int)(z % TR_CHUNK));
    tr_cache_release(cast->cache, chunk);
    return TR_OK;
}

static enum tr_status central_difference(const struct cast *cast, const int64_t at[3], int axis,
                                         double *difference, struct tr_error *error)
{
    int64_t lower[3] = {at[0], at[1], at[2]}, upper[3] = {at[0], at[1], at[2]};
    int a = 0, b = 0;
    enum tr_status status;

    lower[axis]--;
    upper[axis]++;
    status = read_sample(cast, lower, &a, error);
    if (status == TR_OK)
        status = read_sample(cast, upper, &b, error);
    *difference = b - a;
    return status;
}

static enum tr_status normal_at(const struct cast *cast, double t, double normal[3], struct tr_error *error)
{
    const int64_t hi[3] = {(int64_t)cast->info->size_x * TR_CHUNK - 1, Y_MAX,
                           (int64_t)cast->info->size_z * TR_CHUNK - 1};
    const int64_t lo[3] = {0, -Y_MAX, 0};
    int64_t cell[3];
    double part[3], length;

    for (int axis = 0; axis < 3; axis++) {
        double at = place_on(cast, t, axis);

        cell[axis] = (int64_t)fmin(fmax(floor(at), (double)lo[axis]), (double)hi[axis]);
        part[axis] = fmin(fmax(at - (double)cell[axis], 0.0), 1.0);
    }
    for (int axis = 0; axis < 3; axis++) {
        double corner[8];

        for (int i = 0; i < 8; i++) {
            int64_t at[3] = {cell[0] + (i & 1), cell[1] + (i >> 1 & 1), cell[2] + (i >> 2 & 1)};
            enum tr_status status = central_difference(cast, at, axis, &corner[i], error);

            if (status != TR_OK)
                return status;
        }
        normal[axis] = tr_trilinear(corner, part[0], part[1], part[2]);
    }
    length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = length > 0.0 ? normal[axis] / length : 0.0 - cast->direction[axis];
    return TR_OK;
}

/* ---- the ray ---- */

static enum tr_status prepare(struct cast *cast, const struct tr_ray *ray, struct tr_error *error)
{
    const double *direction = ray->direction;
    double most_m = TR_RAY_ORIGIN_MAX * cast->info->voxel_size;
    double largest = fmax(fabs(direction[0]), fmax(fabs(direction[1]), fabs(direction[2]))), length = 0.0;

    for (int axis = 0; axis < 3; axis++) {
        if (!(fabs(ray->origin_m[axis]) <= most_m))
            return tr_fail(error, TR_BAD_INPUT,
                           "the ray begins at %g, %g, %g, expected at most %g metres each", ray->origin_m[0],
                           ray->origin_m[1], ray->origin_m[2], most_m);
        if (!isfinite(direction[axis]) || largest == 0.0)
            return tr_fail(error, TR_BAD_INPUT,
                           "the ray's direction is %g, %g, %g, expected one that is not 0", direction[0],
                           direction[1], direction[2]);
    }
    if (!(ray->length_m >= 0.0))
        return tr_fail(error, TR_BAD_INPUT, "the ray's length is %g, expected 0 or more metres",
                       ray->length_m);
    for (int axis = 0; axis < 3; axis++) {
        cast->origin[axis] = ray->origin_m[axis] / cast->info->voxel_size;
        cast->direction[axis] = direction[axis] / largest; /* so that no square is lost */
        length += cast->direction[axis] * cast->direction[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        cast->direction[axis] /= sqrt(length);
    return TR_OK;
}

static enum tr_status describe(const struct cast *cast, double t, struct tr_ray_hit *hit,
                               struct tr_error *error)
{
    hit->hit = true;
    hit->distance_m = t * cast->info->voxel_size;
    for (int axis = 0; axis < 3; axis++)
        hit->at_m[axis] = place_on(cast, t, axis) * cast->info->voxel_size;
    return normal_at(cast, t, hit->normal, error);
}

enum tr_status tr_raycast(struct tr_cache *cache, const struct tr_world_info *info, const struct tr_ray *ray,
                          struct tr_ray_hit *hit, struct tr_error *error)
{
    struct cast cast = {.cache = cache, .info = info};
    struct walk walk = {.origin = cast.origin,
                        .size = TR_CHUNK,
                        .hi = {(int64_t)info->size_x - 1, 0, (int64_t)info->size_z - 1}};
    double in = 0.0, t = 0.0;
    bool found = false;
    enum tr_status status = prepare(&cast, ray, error);

    *hit = (struct tr_ray_hit){0};
    walk.end = ray->length_m / info->voxel_size;
    if (status != TR_OK || !clip_to_world(&cast, &in, &walk.end))
        return status;
    walk.direction[0] = cast.direction[0];
    walk.direction[2] = cast.direction[2];
    walk_begin(&walk, in);
    do {
        struct tr_cells cells;

        status = tr_cells_hold(cache, (int32_t)walk.at[0], (int32_t)walk.at[2], &cells, error);
        if (status != TR_OK)
            return status;
        found = cast_cells(&cast, &cells, walk.in, walk.out, &t);
        tr_cells_release(cache, &cells);
    } while (!found && walk_next(&walk));
    if (!found)
        return TR_OK;
    hit->cx = (int32_t)walk.at[0];
    hit->cz = (int32_t)walk.at[2];
    return describe(&cast, t, hit, error);
}
