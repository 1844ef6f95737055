/* See log_gen.h. Random numbers are xorshift64*; all choices are integers drawn from it, so no libm and no
 * order of evaluation of arguments decides a log: each draw is a statement of its own. Everything is drawn in voxels,
 * and made metres at the end. */
#include "tests/support/log_gen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 64
#define UNITS 256
#define NODES_MAX 2048
#define POINTS_MAX (8 * LOG_GEN_EDITS_MAX)
#define TREE_DEPTH_MAX 64 /* nodes from the root to a primitive */
#define IMAGES_MAX 48
#define PIXELS_MAX (33 * 24) /* of an image */
#define MESHES_MAX 16
#define CORNERS_MAX 16 /* of a mesh */
#define TUBES_MAX 64
#define KNOTS_MAX 5 /* of a tube */

/* What edits carry or point to. */
struct log_gen_files {
    struct naive_image images[IMAGES_MAX];
    uint16_t pixels[IMAGES_MAX][PIXELS_MAX];
    struct naive_mesh meshes[MESHES_MAX];
    double corners[MESHES_MAX][CORNERS_MAX][3];
    int triangles[MESHES_MAX][2 * CORNERS_MAX][3];
    struct naive_knot knots[TUBES_MAX][KNOTS_MAX];
    int image_count, mesh_count, tube_count;
};

struct rng {
    uint64_t state;
};

static uint64_t rng_next(struct rng *rng)
{
    rng->state ^= rng->state >> 12;
    rng->state ^= rng->state << 25;
    rng->state ^= rng->state >> 27;
    return rng->state * UINT64_C(0x2545f4914f6cdd1d);
}

/* In [0, n). */
static int rng_below(struct rng *rng, int n)
{
    return (int)((rng_next(rng) >> 33) % (uint64_t)n);
}

/* In [lo, hi], inclusive. */
static int rng_int(struct rng *rng, int lo, int hi)
{
    return lo + rng_below(rng, hi - lo + 1);
}

static double rng_double(struct rng *rng, double lo, double hi)
{
    double unit = (double)(rng_next(rng) >> 11) * 0x1p-53;
    return lo + (hi - lo) * unit;
}

static bool rng_one_in(struct rng *rng, int n)
{
    return rng_below(rng, n) == 0;
}

/* One of the numbers. */
static double rng_of(struct rng *rng, const double *numbers, int count)
{
    return numbers[rng_below(rng, count)];
}

/* ---- worlds ---- */

static int random_height(struct rng *rng, int kind, int x, int z, const int slope[2], int base)
{
    switch (kind) {
    case 0: /* flat: the ground is exactly on samples where base is a multiple of 256 */
        return base;
    case 1: /* steps that are whole voxels */
        return base + UNITS * rng_int(rng, -2, 2);
    case 2: /* a slope, up to 40 voxels a sample */
        return base + slope[0] * x + slope[1] * z;
    default: /* rough */
        return base + rng_int(rng, -4000, 4000);
    }
}

static bool fill_heights(struct log_gen_case *c, struct rng *rng)
{
    const int limit = 16777215;
    int size_x = CELLS * c->chunks_x + 1, size_z = CELLS * c->chunks_z + 1;
    c->heights = malloc((size_t)size_x * (size_t)size_z * sizeof *c->heights);
    if (c->heights == NULL)
        return false;
    int kind = rng_below(rng, 4);
    int slope[2];
    int steepest = rng_one_in(rng, 2) ? 200 : 40 * UNITS;
    for (int i = 0; i < 2; i++)
        slope[i] = rng_int(rng, -steepest, steepest);
    int base = rng_one_in(rng, 2) ? UNITS * rng_int(rng, -64, 64) : rng_int(rng, -20000, 20000);
    if (rng_one_in(rng, 16)) /* at the clamps */
        base = rng_one_in(rng, 2) ? limit - 2000 : 2000 - limit;
    for (int z = 0; z < size_z; z++)
        for (int x = 0; x < size_x; x++) {
            int height = random_height(rng, kind, x, z, slope, base);
            c->heights[z * size_x + x] = height > limit ? limit : height < -limit ? -limit : height;
        }
    return true;
}

/* ---- places and sizes ---- */

/* A coordinate along an axis of `chunks` chunks: on a border, the rim, near them, or anywhere. */
static double random_place(struct rng *rng, int chunks)
{
    static const double near[] = {-1.0, -0.5, 0.0, 0.0, 0.0, 0.25, 1.0};
    double border = CELLS * rng_int(rng, 0, chunks);
    switch (rng_below(rng, 5)) {
    case 0:
        return border;
    case 1:
        return border + near[rng_below(rng, 7)];
    case 2:
        return rng_int(rng, 0, CELLS * chunks);
    case 3: /* a little outside too */
        return rng_double(rng, -4.0, CELLS * chunks + 4.0);
    default:
        return rng_double(rng, 0.0, CELLS * chunks);
    }
}

static double random_y(struct rng *rng, const struct log_gen_case *c)
{
    int lo = CELLS * c->row_lo, hi = CELLS * (c->row_hi + 1);
    switch (rng_below(rng, 4)) {
    case 0:
        return CELLS * rng_int(rng, c->row_lo, c->row_hi + 1);
    case 1:
        return rng_int(rng, -8, 8);
    case 2:
        return rng_int(rng, lo, hi);
    default:
        return rng_double(rng, lo, hi);
    }
}

/* In the ground or the air, but most often where they meet. */
static void random_point(struct rng *rng, const struct log_gen_case *c, double at[3])
{
    at[0] = random_place(rng, c->chunks_x);
    at[1] = random_y(rng, c);
    at[2] = random_place(rng, c->chunks_z);
    int x = (int)fmin(fmax(at[0], 0.0), CELLS * c->chunks_x),
        z = (int)fmin(fmax(at[2], 0.0), CELLS * c->chunks_z);
    double ground = c->heights[z * (CELLS * c->chunks_x + 1) + x] / (double)UNITS;
    double off = rng_double(rng, -12.0, 12.0);
    if (!rng_one_in(rng, 3) && fabs(ground) < 200.0)
        at[1] = rng_one_in(rng, 4) ? floor(ground) : ground + off;
}

static double random_radius(struct rng *rng)
{
    static const double exact[] = {0.5, 1.0, 2.0, 5.0, 16.0, 31.0};
    switch (rng_below(rng, 4)) {
    case 0:
        return rng_of(rng, exact, 6);
    case 1:
        return rng_double(rng, 0.1, 2.0);
    default:
        return rng_double(rng, 1.0, 40.0);
    }
}

/* A radius around the change of formula, or far beyond it. */
static double random_large_radius(struct rng *rng)
{
    static const double exact[] = {1000.0, 1023.9999999, 1024.0, 1024.0000001, 1500.0, 3000.0};
    int i = rng_below(rng, 8);
    return i < 6 ? exact[i] : rng_double(rng, 600.0, 3000.0);
}

/* A direction: along an axis, along a diagonal, or any; of length 1. */
static void random_direction(struct rng *rng, double u[3])
{
    int kind = rng_below(rng, 3);
    int axis = rng_below(rng, 3);
    double length_2 = 0.0;
    for (int i = 0; i < 3; i++) {
        double sign = rng_one_in(rng, 2) ? -1.0 : 1.0;
        double any = rng_double(rng, 0.01, 1.0);
        u[i] = sign * (kind == 0 ? (i == axis ? 1.0 : 0.0) : kind == 1 ? 1.0 : any);
        length_2 += u[i] * u[i];
    }
    for (int i = 0; i < 3; i++)
        u[i] = u[i] / sqrt(length_2);
}

/* The same, of any length. */
static void random_axis(struct rng *rng, double axis[3])
{
    static const double lengths[] = {1.0, 1.0, 1e-6, 0.3, 7.0, 1e6};
    random_direction(rng, axis);
    double length = rng_of(rng, lengths, 6);
    for (int i = 0; i < 3; i++)
        axis[i] *= length;
}

static void scale_all(double v[3], double by)
{
    for (int i = 0; i < 3; i++)
        v[i] *= by;
}

/* ---- brushes ---- */

static double random_strength(struct rng *rng, enum naive_op op)
{
    static const double rises[] = {1.0 / 512.0, 1.0, 300.0, 65535.0};
    int how = rng_below(rng, 3);
    double any = rng_double(rng, 0.0, 1.0), extreme = rng_of(rng, rises, 4);
    if (naive_has_no_strength(op))
        return 0.0;
    if (naive_has_lambda(op))
        return how == 0 ? 1.0 : how == 1 ? 0.5 : 0.01 + 0.99 * any;
    return how == 0 ? extreme : how == 1 ? 200.0 * any + 0.01 : 20.0 * any + 0.01;
}

static double random_flat_height(struct rng *rng, const struct log_gen_case *c)
{
    static const double extremes[] = {65535.0, -65535.0, 0.0};
    double near = random_y(rng, c), extreme = rng_of(rng, extremes, 3);
    return rng_one_in(rng, 8) ? extreme : near;
}

static uint64_t random_seed(struct rng *rng)
{
    static const uint64_t seeds[] = {
        0, 1, 2147483647, UINT64_C(9007199254740992), UINT64_C(9007199254740993), UINT64_MAX};
    return seeds[rng_below(rng, 6)];
}

static void random_noise(struct rng *rng, struct naive_edit *edit)
{
    static const double scales[] = {1.0, 2.5, 8.0, 16.0, 64.0, 100.3, 65536.0};
    edit->scale = rng_of(rng, scales, 7);
    edit->octaves = rng_int(rng, 1, 8);
    edit->seed = random_seed(rng);
}

/* An image of a few pixels; when there is no room for more, one that is there already. */
static const struct naive_image *random_image(struct rng *rng, struct log_gen_case *c)
{
    static const int sizes[][2] = {{1, 1}, {1, 9}, {2, 2}, {7, 5}, {16, 16}, {24, 33}, {33, 20}, {3, 24}};
    struct log_gen_files *files = c->files;
    int size = rng_below(rng, 8), kind = rng_below(rng, 4), high = rng_int(rng, 1, 65535);
    bool has_8_bits = rng_one_in(rng, 2);
    if (files->image_count == IMAGES_MAX)
        return &files->images[IMAGES_MAX - 1];
    uint16_t *pixels = files->pixels[files->image_count];
    struct naive_image *image = &files->images[files->image_count++];
    *image = (struct naive_image){sizes[size][0], sizes[size][1], has_8_bits, pixels};
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            int any = rng_below(rng, 65536), slope = (x * 5 + y * 3) * 256;
            int grey = kind == 0 ? any : kind == 1 ? (x + y) % 2 * high : kind == 2 ? slope : high;
            pixels[y * image->width + x] = (uint16_t)(has_8_bits ? grey / 256 * 257 : grey);
        }
    return image;
}

/* What only some operations have. */
static void random_details(struct rng *rng, struct log_gen_case *c, struct naive_edit *edit)
{
    static const double betas[] = {0.0, 0.5, 0.3, 0.999}, ways[] = {0.0, 0.5, 3.0, 12.0, 40.0};
    static const double angles[] = {0.0, 0.0, 90.0, -45.0, 180.0, 36000.0};
    edit->falloff = (enum naive_falloff)rng_below(rng, 9);
    edit->power = rng_int(rng, 2, 16);
    edit->material = rng_one_in(rng, 4) ? 0 : rng_int(rng, 1, 255);
    edit->beta = rng_of(rng, betas, 4);
    edit->projected = !naive_is_height_brush(edit->op) && edit->op != NAIVE_REDISTANCE && rng_one_in(rng, 3);
    random_axis(rng, edit->axis);
    random_axis(rng, edit->normal);
    random_noise(rng, edit);
    edit->has_height = edit->op == NAIVE_SET || (edit->op == NAIVE_FLATTEN && rng_one_in(rng, 3));
    edit->height = random_flat_height(rng, c);
    edit->has_point = edit->op == NAIVE_VOLUME_FLATTEN && rng_one_in(rng, 2);
    random_point(rng, c, edit->point);
    random_direction(rng, edit->by);
    double way = rng_of(rng, ways, 5), angle = rng_double(rng, -400.0, 400.0), exact = rng_of(rng, angles, 6);
    for (int i = 0; i < 3; i++)
        edit->by[i] *= way;
    edit->degrees = rng_one_in(rng, 2) ? angle : exact;
    if (naive_is_stamp(edit->op))
        edit->image = random_image(rng, c);
}

/* A path from the brush's place on, of one to five points, and a spacing that gives few stamps: every one of them goes
 * over all samples. */
static void random_path(struct rng *rng, struct log_gen_case *c, struct naive_edit *edit)
{
    struct naive_point *points = c->points + c->point_count;
    size_t count = (size_t)rng_int(rng, 1, 5);
    double length = 0.0;
    bool varies = rng_one_in(rng, 2);
    points[0] = edit->place;
    for (size_t i = 1; i < count; i++) {
        points[i] = points[i - 1];
        double step_2 = 0.0;
        for (int k = 0; k < 3; k++) {
            double step = rng_one_in(rng, 6) ? 0.0 : rng_double(rng, -20.0, 20.0);
            step = k == 1 && (naive_is_height_brush(edit->op) || edit->op == NAIVE_REDISTANCE) ? 0.0 : step;
            points[i].at[k] += step;
            step_2 += step * step;
        }
        length += sqrt(step_2);
        double share = rng_double(rng, 0.5, 1.0);
        points[i].radius *= varies ? share : 1.0;
        points[i].strength *= varies ? share : 1.0;
    }
    const int most = naive_is_height_brush(edit->op) ? 12 : edit->op == NAIVE_REDISTANCE ? 2 : 5;
    double stamps = rng_one_in(rng, 2) ? rng_int(rng, 1, most) : rng_double(rng, 1.0, most);
    edit->spacing = length > 0.0 ? length / stamps : 3.0;
    if (length / (points[0].radius / 2.0) < most && rng_one_in(rng, 2))
        edit->spacing = 0.0;
    edit->path = points;
    edit->path_count = count;
    c->point_count += count;
}

/* Beside a border that it does not cross: what it reads beyond lies in a chunk that it does not write. */
static void stop_at_border(struct rng *rng, const struct log_gen_case *c, struct naive_edit *edit)
{
    struct naive_point *place = &edit->place;
    edit->falloff = NAIVE_FALLOFF_CONSTANT;
    place->radius = rng_double(rng, 2.0, 25.0);
    bool along_x = rng_one_in(rng, 2), is_west = rng_one_in(rng, 2);
    int border = CELLS * rng_int(rng, 1, along_x ? c->chunks_x : c->chunks_z);
    place->at[along_x ? 0 : 2] = border - 0.5 + (is_west ? -place->radius : place->radius);
}

/* In the middle rows: what such a brush makes of rows that nobody knows spreads. */
static void keep_from_ends(struct rng *rng, const struct log_gen_case *c, struct naive_edit *edit)
{
    struct naive_point *place = &edit->place;
    double away = rng_one_in(rng, 4) ? 0.0 : 6.0 + place->radius;
    double lo = CELLS * c->row_lo + away, hi = CELLS * (c->row_hi + 1) - away;
    place->at[1] = fmin(fmax(place->at[1], lo), hi);
}

static void random_size(struct rng *rng, enum naive_op op, struct naive_point *place)
{
    place->radius = random_radius(rng);
    if (place->radius < 4.0 && !rng_one_in(rng, 3))
        place->radius *= 8.0;
    if (op == NAIVE_PINCH || op == NAIVE_GRAB)
        place->radius = fmin(place->radius, 20.0);
    if (op == NAIVE_REDISTANCE)
        place->radius = fmin(place->radius, 12.0);
}

/* How large a shape's primitives are, in the middle of which it stands. */
struct spot {
    double at[3], radius;
};

/* Where the last shape has its surface, and so the ground edges and walls. */
static void move_to_shape(struct rng *rng, const struct spot *last, struct naive_edit *edit)
{
    double u[3];
    random_direction(rng, u);
    for (int i = 0; i < 3; i++)
        edit->place.at[i] = last->at[i] + u[i] * last->radius;
}

static void random_brush(struct rng *rng, struct log_gen_case *c, enum naive_op op, const struct spot *last,
                         struct naive_edit *edit)
{
    static const double exact[] = {1.0, 2.0, 5.0, 8.0, 10.0, 25.0};
    struct naive_point *place = &edit->place;
    edit->op = op;
    random_details(rng, c, edit);
    random_point(rng, c, place->at);
    random_size(rng, op, place);
    if (naive_reads_around(op) && last->radius > 0.0 && !rng_one_in(rng, 3))
        move_to_shape(rng, last, edit);
    place->strength = random_strength(rng, op);
    int kind = rng_below(rng, 8);
    double off = rng_double(rng, 5.0, 60.0);
    if (kind == 0 && !naive_reads_around(op)) { /* far away, its brim across the world */
        place->radius = random_large_radius(rng);
        place->at[0] = place->at[0] - place->radius + off;
        if (op == NAIVE_VOLUME_NOISE) /* else it takes longer than all else */
            edit->octaves = (edit->octaves + 3) / 4;
    } else if (kind <= 2) { /* samples exactly on its brim, where constant jumps */
        edit->falloff = NAIVE_FALLOFF_CONSTANT;
        place->radius = rng_of(rng, exact, op == NAIVE_REDISTANCE ? 5 : 6);
        for (int i = 0; i < 3; i++)
            place->at[i] = floor(place->at[i]);
    }
    bool stops =
        op == NAIVE_SMOOTH || op == NAIVE_HC_SMOOTH || op == NAIVE_VOLUME_SMOOTH || op == NAIVE_INFLATE;
    if (stops && rng_one_in(rng, 2))
        stop_at_border(rng, c, edit);
    if (op == NAIVE_PINCH || op == NAIVE_GRAB || op == NAIVE_REDISTANCE)
        keep_from_ends(rng, c, edit);
    if (naive_is_height_brush(op))
        place->at[1] = 0.0;
    if (rng_one_in(rng, 3) && place->radius < 100.0)
        random_path(rng, c, edit);
}

/* ---- shapes ---- */

static struct naive_blend random_blend(struct rng *rng)
{
    static const double widths[] = {0.5, 4.0, 16.0};
    struct naive_blend blend = {.kind = (enum naive_blend_kind)rng_below(rng, 4)};
    double width = rng_double(rng, 0.01, 16.0);
    double exact = rng_of(rng, widths, 3);
    if (blend.kind != NAIVE_BLEND_HARD)
        blend.width = rng_one_in(rng, 2) ? exact : width;
    if (blend.kind == NAIVE_BLEND_STAIRS)
        blend.steps = rng_one_in(rng, 2) ? 4 : rng_int(rng, 2, 64);
    return blend;
}

static struct naive_node *add_node(struct log_gen_case *c, enum naive_kind kind, int children)
{
    struct naive_node *node = &c->nodes[c->node_count++];
    *node = (struct naive_node){.kind = kind, .children = children};
    return node;
}

/* A shape in the making. What it costs to compute a distance is kept within bounds, since every sample of the world asks
 * for one; a sphere costs 1. */
struct shaping {
    struct rng *rng;
    struct log_gen_case *c;
    int budget;
    double factor;   /* of the scales around */
    int copies;      /* that repeats and mirrors around make of each primitive */
    int movers;      /* around, that move points */
    bool is_endless; /* there is a half-space in it */
};

/* A place in the midst of the spot. */
static void near_spot(struct rng *rng, const struct spot *spot, double way, double at[3])
{
    for (int i = 0; i < 3; i++)
        at[i] = spot->at[i] + rng_double(rng, -1.0, 1.0) * way;
}

/* A direction that is far from being parallel to the axis. */
static void random_along(struct rng *rng, const double axis[3], double along[3])
{
    double dot = 1.0, length = 0.0;
    for (int i = 0; i < 3; i++)
        length += axis[i] * axis[i];
    while (fabs(dot) > 0.9) {
        random_direction(rng, along);
        dot = (along[0] * axis[0] + along[1] * axis[1] + along[2] * axis[2]) / sqrt(length);
    }
}

/* ---- meshes ---- */

static void add_triangle(struct log_gen_files *files, struct naive_mesh *mesh, int a, int b, int c,
                         bool is_turned)
{
    int *triangle = files->triangles[files->mesh_count][mesh->triangle_count++];
    triangle[0] = a;
    triangle[1] = is_turned ? c : b;
    triangle[2] = is_turned ? b : c;
}

/* Between two corners; `is_turned` it is a hollow. */
static void add_box(struct log_gen_files *files, struct naive_mesh *mesh, const double lo[3],
                    const double hi[3], bool is_turned)
{
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const int first = mesh->corner_count;
    for (int k = 0; k < 8; k++, mesh->corner_count++)
        for (int i = 0; i < 3; i++)
            mesh->corners[mesh->corner_count][i] = k >> i & 1 ? hi[i] : lo[i];
    for (int k = 0; k < 6; k++)
        for (int half = 1; half <= 2; half++)
            add_triangle(files, mesh, first + faces[k][0], first + faces[k][half], first + faces[k][half + 1],
                         is_turned);
}

static void add_tetrahedron(struct log_gen_files *files, struct naive_mesh *mesh, const double corners[4][3])
{
    double e[3][3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            e[k][i] = corners[k + 1][i] - corners[0][i];
    double volume = 0.0;
    for (int i = 0; i < 3; i++)
        volume += e[2][i] * (e[0][(i + 1) % 3] * e[1][(i + 2) % 3] - e[0][(i + 2) % 3] * e[1][(i + 1) % 3]);
    memcpy(mesh->corners, corners, 4 * sizeof *corners);
    mesh->corner_count = 4;
    add_triangle(files, mesh, 0, 1, 2, volume > 0.0);
    add_triangle(files, mesh, 0, 3, 1, volume > 0.0);
    add_triangle(files, mesh, 1, 3, 2, volume > 0.0);
    add_triangle(files, mesh, 0, 2, 3, volume > 0.0);
}

/* Corners of four tetrahedra, in cells: none flat, their faces at few angles to the axes. */
static const double tetrahedra[4][4][3] = {
    {{-4, -3, -4}, {5, -2, -3}, {0, 6, 1}, {-1, -2, 5}},
    {{-2, -2, -2}, {6, -2, -2}, {-2, 4, -2}, {-2, -2, 7}},
    {{-5, 0, 0}, {4, 1, 0}, {0, -5, 3}, {1, -4, -6}},
    {{-0.5, -3.25, 0}, {0.75, -3, 0.5}, {0, 4.5, 0.25}, {-0.25, 0, 2.0625}}};

/* A small closed mesh around the spot: a box, one with a hollow, two that overlap, or a tetrahedron; some inside out.
 *
 * Its field is compared bit for bit with one that is computed in another way, so no sample may lie where a double's
 * rounding decides. Corners are sixteenths of a cell, and the cell is a power of 2 (both times the voxel size, which goes
 * out again), so what a distance is made of are small whole numbers: in units it is 16 sqrt(a / b), b the square of a
 * normal or an edge without common factor, or 1. Such a square is no multiple of 4, so the distance is never halfway
 * between two units, and double is off by far less than it misses that. */
static void random_mesh(struct shaping *shaping, const struct spot *spot, struct naive_node *node)
{
    static const double cells[] = {0.5, 1.0, 2.0, 4.0};
    struct rng *rng = shaping->rng;
    struct log_gen_files *files = shaping->c->files;
    struct naive_mesh *mesh = &files->meshes[files->mesh_count];
    const int kind = rng_below(rng, 4), which = rng_below(rng, 4);
    double middle[3], lo[3], hi[3], inner_lo[3], inner_hi[3], corners[4][3];
    node->cell = rng_of(rng, cells, 4);
    *mesh = (struct naive_mesh){.corners = files->corners[files->mesh_count],
                                .triangles = (const int(*)[3])files->triangles[files->mesh_count]};
    for (int i = 0; i < 3; i++) {
        int below = rng_int(rng, 24, 90), above = rng_int(rng, 24, 90);
        middle[i] = floor(spot->at[i] / node->cell * 16.0) / 16.0;
        lo[i] = middle[i] - below / 16.0;
        hi[i] = middle[i] + above / 16.0;
        inner_lo[i] = kind == 1 ? middle[i] - 1.0 : hi[i] - 0.5;
        inner_hi[i] = kind == 1 ? middle[i] + 0.75 : hi[i] + 2.0;
        for (int k = 0; k < 4; k++)
            corners[k][i] = middle[i] + tetrahedra[which][k][i];
    }
    if (kind < 3)
        add_box(files, mesh, lo, hi, false);
    if (kind == 1 || kind == 2) /* a hollow; another box that overlaps */
        add_box(files, mesh, inner_lo, inner_hi, kind == 1);
    if (kind == 3)
        add_tetrahedron(files, mesh, (const double(*)[3])corners);
    bool is_turned = rng_one_in(rng, 4);
    for (int k = 0; k < mesh->triangle_count && is_turned; k++) {
        int *triangle = files->triangles[files->mesh_count][k], b = triangle[1];
        triangle[1] = triangle[2];
        triangle[2] = b;
    }
    for (int k = 0; k < mesh->corner_count; k++)
        for (int i = 0; i < 3; i++)
            mesh->corners[k][i] *= node->cell;
    node->mesh = mesh;
    files->mesh_count++;
}

/* ---- primitives ---- */

static void random_tube(struct shaping *shaping, const struct spot *spot, struct naive_node *node)
{
    struct rng *rng = shaping->rng;
    struct log_gen_files *files = shaping->c->files;
    struct naive_knot *knots = files->knots[files->tube_count++];
    node->path = knots;
    node->path_count = rng_int(rng, 2, rng_one_in(rng, 4) ? KNOTS_MAX : 3);
    node->steps = rng_int(rng, 1, 3);
    node->profile = (enum naive_profile)rng_below(rng, 3);
    bool varies = rng_one_in(rng, 2);
    for (int k = 0; k < node->path_count; k++) {
        double share = rng_double(rng, 0.2, 0.6);
        near_spot(rng, spot, 1.5 * spot->radius, knots[k].at);
        knots[k].radius = (varies ? share : 0.4) * spot->radius;
        if (k > 0 && rng_one_in(rng, 8)) /* up, or level */
            for (int i = 0; i < 3; i++)
                knots[k].at[i] = knots[k - 1].at[i] + (i == 1 ? spot->radius : 0.0);
    }
}

static bool has_ends(enum naive_kind kind)
{
    return kind == NAIVE_CAPSULE || kind == NAIVE_CYLINDER || kind == NAIVE_CONE ||
           kind == NAIVE_CAPPED_CONE || kind == NAIVE_PRISM;
}

/* What only some kinds have. */
static void random_parts(struct shaping *shaping, const struct spot *spot, struct naive_node *node)
{
    struct rng *rng = shaping->rng;
    double least = fmin(fmin(node->size[0], node->size[1]), node->size[2]);
    double share = rng_double(rng, 0.02, 0.48), other = rng_double(rng, 0.05, 1.5);
    node->sides = rng_one_in(rng, 20) ? 16 : rng_int(rng, 3, 6);
    if (node->kind == NAIVE_ROUNDED_BOX)
        node->radius = share * least;
    if (node->kind == NAIVE_CAPPED_CONE)
        node->to_radius = rng_one_in(rng, 6) ? node->radius : other * node->radius;
    if (node->kind == NAIVE_LINK)
        node->length = other * spot->radius;
    if (node->kind == NAIVE_LINK)
        random_along(rng, node->axis, node->along);
    if (node->kind == NAIVE_HEIGHT_MAP)
        node->image = random_image(rng, shaping->c);
    if (node->kind == NAIVE_HEIGHT_MAP || node->kind == NAIVE_PYRAMID)
        scale_all(node->size, 2.0);
    if (node->kind == NAIVE_TUBE)
        random_tube(shaping, spot, node);
    if (node->kind == NAIVE_MESH)
        random_mesh(shaping, spot, node);
    shaping->is_endless = shaping->is_endless || node->kind == NAIVE_HALF_SPACE;
}

static void random_primitive(struct shaping *shaping, enum naive_kind kind, const struct spot *spot)
{
    struct rng *rng = shaping->rng;
    struct naive_node *node = add_node(shaping->c, kind, 0);
    double u[3],
        length = rng_one_in(rng, 4) ? rng_double(rng, 0.001, 1.0) : rng_double(rng, 0.2, 4.0) * spot->radius;
    random_direction(rng, u);
    if (rng_one_in(rng, 8))
        length = kind == NAIVE_CAPSULE ? 0.0 : shaping->movers == 0 && kind != NAIVE_PRISM ? 5000.0 : 50.0;
    for (int i = 0; i < 3; i++) {
        double share = rng_double(rng, 0.1, 1.5);
        node->at[i] = spot->at[i];
        node->size[i] = share * spot->radius;
        if (has_ends(kind)) {
            node->at[i] -= u[i] * length / 2.0; /* so that the samples lie along its middle */
            node->to[i] = node->at[i] + u[i] * length;
        }
    }
    if (length == 0.0)
        memcpy(node->to, node->at, sizeof node->to);
    node->radius = spot->radius;
    node->tube = spot->radius * rng_double(rng, 0.1, 0.9);
    random_axis(rng, node->axis);
    random_parts(shaping, spot, node);
}

static int cost_of(enum naive_kind kind)
{
    switch (kind) {
    case NAIVE_PRISM:
        return 24;
    case NAIVE_PYRAMID:
    case NAIVE_OCTAHEDRON:
        return 14;
    case NAIVE_TUBE:
        return 10;
    case NAIVE_HEIGHT_MAP:
    case NAIVE_MESH:
        return 8;
    default:
        return 2;
    }
}

/* Any that may be had here: a sphere always. */
static enum naive_kind random_kind(struct shaping *shaping, const struct spot *spot)
{
    const struct log_gen_files *files = shaping->c->files;
    enum naive_kind kind = (enum naive_kind)rng_below(shaping->rng, NAIVE_TUBE + 1);
    bool has_room = (kind != NAIVE_MESH || files->mesh_count < MESHES_MAX) &&
                    (kind != NAIVE_TUBE || files->tube_count < TUBES_MAX);
    bool is_large = spot->radius > 100.0 && kind >= NAIVE_PRISM;
    if (!has_room || is_large || cost_of(kind) * shaping->copies > shaping->budget)
        kind = NAIVE_SPHERE;
    shaping->budget -= cost_of(kind) * shaping->copies;
    return kind;
}

/* ---- transforms and modifiers ---- */

static void random_transform(struct shaping *shaping, enum naive_kind kind, const struct spot *spot)
{
    static const double angles[] = {0.0, 90.0, 180.0, 270.0, -90.0, 360.0, 720.0, 45.0, 30.0, 36000.0};
    static const double factors[] = {1.0, 2.0, 0.5, 1.5, 0.75, 3.0};
    struct rng *rng = shaping->rng;
    struct naive_node *node = add_node(shaping->c, kind, 1);
    double angle = rng_double(rng, -360.0, 360.0), exact = rng_of(rng, angles, 10),
           by = rng_of(rng, factors, 6);
    bool around_origin = rng_one_in(rng, 20);
    for (int i = 0; i < 3; i++) {
        double off = rng_double(rng, -6.0, 6.0);
        node->to[i] = rng_one_in(rng, 4) ? floor(off) : off;
        node->at[i] = around_origin ? 0.0 : spot->at[i];
    }
    node->degrees = rng_one_in(rng, 2) ? angle : exact;
    random_axis(rng, node->axis);
    bool leaves = shaping->factor * by > 8.0 || shaping->factor * by < 0.125;
    node->factor = leaves ? 1.0 / by : by;
    if (node->kind == NAIVE_SCALE)
        shaping->factor *= node->factor;
}

static void random_copies(struct shaping *shaping, const struct spot *spot, struct naive_node *node)
{
    struct rng *rng = shaping->rng;
    int left = node->kind == NAIVE_MIRROR ? 1 : 4, total = node->kind == NAIVE_MIRROR ? 2 : 1;
    for (int i = 0; i < 3; i++) {
        double by = rng_double(rng, 0.5, 3.0) * spot->radius;
        node->count[i] = rng_int(rng, 1, left);
        left /= node->count[i];
        total *= node->count[i];
        node->to[i] = node->kind == NAIVE_REPEAT ? rng_one_in(rng, 2) ? by : -by : 0.0;
    }
    shaping->copies *= total;
}

static void random_move(struct shaping *shaping, const struct spot *spot, struct naive_node *node)
{
    struct rng *rng = shaping->rng;
    static const double factors[] = {0.5, 2.0, 0.75, 1.0, 0.3};
    double rate = rng_double(rng, -8.0, 8.0), u[3];
    random_direction(rng, u);
    random_along(rng, node->axis, node->along);
    node->degrees = rate;
    node->factor = rng_of(rng, factors, 5);
    for (int i = 0; i < 3; i++) {
        double by = rng_double(rng, 0.0, 12.0);
        if (node->kind == NAIVE_ELONGATE)
            node->to[i] = rng_one_in(rng, 3) ? 0.0 : by;
        if (node->kind == NAIVE_TAPER)
            node->at[i] -= u[i] * spot->radius;
        if (node->kind == NAIVE_TAPER)
            node->to[i] = node->at[i] + 2.0 * u[i] * spot->radius;
    }
    shaping->movers++;
}

static bool may_modify(const struct shaping *shaping, const struct spot *spot, enum naive_kind kind)
{
    if (spot->radius > 100.0 || (naive_moves_points(kind) && shaping->movers >= 3))
        return false;
    if (kind == NAIVE_MIRROR || kind == NAIVE_REPEAT)
        return shaping->copies == 1 && shaping->budget > 12;
    return kind != NAIVE_DISPLACE || shaping->budget > 30;
}

static void random_modifier(struct shaping *shaping, enum naive_kind kind, const struct spot *spot)
{
    static const double scales[] = {8.5, 16.0, 20.5, 64.0};
    struct rng *rng = shaping->rng;
    if (!may_modify(shaping, spot, kind))
        kind = rng_one_in(rng, 2) ? NAIVE_ROUND : NAIVE_ONION;
    struct naive_node *node = add_node(shaping->c, kind, 1);
    near_spot(rng, spot, rng_one_in(rng, 2) ? 0.0 : 0.5 * spot->radius, node->at);
    random_axis(rng, node->axis);
    node->length = rng_double(rng, 0.05, 4.0);
    node->scale = rng_of(rng, scales, 4);
    node->octaves = rng_int(rng, 1, 3);
    node->seed = random_seed(rng);
    if (kind == NAIVE_MIRROR || kind == NAIVE_REPEAT)
        random_copies(shaping, spot, node);
    if (naive_moves_points(kind))
        random_move(shaping, spot, node);
    if (kind == NAIVE_DISPLACE)
        shaping->budget -= 8 * node->octaves;
}

/* ---- trees ---- */

/* A tree of so many primitives, none deeper than `depth` nodes. What stands around comes back behind it. */
static void random_tree(struct shaping *shaping, int leaves, int depth, const struct spot *spot)
{
    struct rng *rng = shaping->rng;
    const double factor = shaping->factor;
    const int copies = shaping->copies, movers = shaping->movers;
    int chain = rng_one_in(rng, 40) ? depth / 2 : rng_one_in(rng, 4) ? rng_int(rng, 1, 3) : 0;
    for (; chain > 0 && depth > 8; chain--, depth--)
        random_transform(shaping, (enum naive_kind)(NAIVE_TRANSLATE + rng_below(rng, 3)), spot);
    for (; depth > 8 && rng_one_in(rng, 4); depth--)
        random_modifier(shaping, (enum naive_kind)rng_int(rng, NAIVE_ROUND, NAIVE_TAPER), spot);
    struct spot part = *spot;
    if (leaves == 1) {
        random_primitive(shaping, random_kind(shaping, spot), &part);
    } else {
        int children = leaves < 4 || rng_one_in(rng, 2) ? 2 : 3;
        struct naive_node *node =
            add_node(shaping->c, (enum naive_kind)(NAIVE_NODE_UNION + rng_below(rng, 3)), children);
        if (rng_one_in(rng, 2)) /* else most would be empty */
            node->kind = NAIVE_NODE_UNION;
        node->blend = random_blend(rng);
        for (int i = children; i > 0; i--) {
            int share = i == 1 ? leaves : rng_int(rng, 1, leaves - (i - 1));
            share =
                share > leaves / i + 1 && i > 1 ? leaves / i + 1 : share; /* balanced enough for the depth */
            near_spot(rng, spot, spot->radius, part.at);
            double smaller = rng_double(rng, 0.4, 1.2);
            part.radius = spot->radius * smaller;
            random_tree(shaping, share, depth - 1, &part);
            leaves -= share;
        }
    }
    shaping->factor = factor;
    shaping->copies = copies;
    shaping->movers = movers;
}

static int random_leaves(struct rng *rng, const struct log_gen_case *c)
{
    int kind = rng_below(rng, 32), few = rng_int(rng, 2, 6);
    bool is_small = c->chunks_x == 1 && c->chunks_z == 1; /* else many take long */
    return kind < 20 ? 1 : kind < 31 || !is_small ? few : 40;
}

static void random_within(struct rng *rng, const struct spot *spot, struct naive_edit *edit)
{
    edit->has_within = true;
    for (int i = 0; i < 3; i++) {
        double lo = rng_double(rng, 0.0, 30.0), hi = rng_double(rng, 0.0, 30.0);
        bool whole = rng_one_in(rng, 2);
        edit->within[0][i] = whole ? floor(spot->at[i] - lo) : spot->at[i] - lo;
        edit->within[1][i] = whole ? floor(spot->at[i] + hi) + 1.0 : spot->at[i] + hi;
    }
}

/* Far away, its surface through the world; sideways mostly, which reaches fewer rows. */
static void move_far(struct rng *rng, struct spot *spot)
{
    double side[3];
    spot->radius = random_large_radius(rng);
    side[0] = rng_one_in(rng, 2) ? 1.0 : -1.0;
    side[1] = rng_double(rng, -0.1, 0.1);
    side[2] = rng_double(rng, -0.3, 0.3);
    double away = spot->radius * rng_double(rng, 0.99, 1.0);
    for (int i = 0; i < 3; i++)
        spot->at[i] += side[i] * away;
}

static void random_shape(struct rng *rng, struct log_gen_case *c, enum naive_op op, struct spot *last,
                         struct naive_edit *edit)
{
    struct spot spot;
    double u[3];
    edit->op = op;
    random_point(rng, c, spot.at);
    spot.radius = random_radius(rng);
    int place = rng_below(rng, 6);
    random_direction(rng, u);
    for (int i = 0; i < 3; i++) {
        double off = rng_double(rng, -3.0, 3.0);
        if (place == 0 && last->radius > 0.0) /* tangent to the last shape, from outside */
            spot.at[i] = last->at[i] + u[i] * (last->radius + spot.radius);
        else if (place == 1 && last->radius > 0.0) /* overlapping it */
            spot.at[i] = last->at[i] + off;
    }
    if (rng_one_in(rng, 4)) { /* samples exactly on its surface and at its reach */
        for (int i = 0; i < 3; i++)
            spot.at[i] = floor(spot.at[i]);
        spot.radius = ceil(spot.radius);
    }
    *last = spot;
    edit->blend = random_blend(rng);
    if (naive_is_paint(op))
        edit->blend = (struct naive_blend){0};
    edit->material = rng_one_in(rng, 4) ? 0 : rng_int(rng, 1, 255);
    edit->shape = c->nodes + c->node_count;
    size_t first = c->node_count;
    int leaves = random_leaves(rng, c);
    struct spot middle = spot;
    if (leaves == 1 && rng_one_in(rng, 6))
        move_far(rng, &spot);
    struct shaping shaping = {.rng = rng, .c = c, .budget = leaves > 6 ? 90 : 50, .factor = 1.0, .copies = 1};
    random_tree(&shaping, leaves, TREE_DEPTH_MAX, &spot);
    edit->shape_count = c->node_count - first;
    if (op == NAIVE_INTERSECT || shaping.is_endless || rng_one_in(rng, 5))
        random_within(rng, &middle, edit);
}

/* ---- metres ---- */

static void scale_point(struct naive_point *point, enum naive_op op, double by)
{
    scale_all(point->at, by);
    point->radius *= by;
    if (!naive_has_lambda(op))
        point->strength *= by;
}

/* Meshes and paths of tubes are each of one node. */
static void node_to_metres(struct log_gen_case *c, struct naive_node *node, double by)
{
    scale_all(node->at, by);
    scale_all(node->to, by);
    scale_all(node->size, by);
    node->radius *= by;
    node->to_radius *= by;
    node->tube *= by;
    node->length *= by;
    node->scale *= by;
    node->cell *= by;
    node->blend.width *= by;
    if (node->kind == NAIVE_TWIST || node->kind == NAIVE_BEND)
        node->degrees /= by;
    for (int k = 0; node->mesh != NULL && k < node->mesh->corner_count; k++)
        scale_all(node->mesh->corners[k], by);
    for (int k = 0; k < node->path_count; k++) {
        struct naive_knot *knot = &c->files->knots[0][0] + (node->path - &c->files->knots[0][0]) + k;
        scale_all(knot->at, by);
        knot->radius *= by;
    }
}

static void to_metres(struct log_gen_case *c, struct naive_edit *edit)
{
    const double by = c->voxel_size;
    scale_point(&edit->place, edit->op, by);
    for (size_t i = 0; i < edit->path_count; i++)
        scale_point(&c->points[edit->path - c->points + (ptrdiff_t)i], edit->op, by);
    edit->spacing *= by;
    edit->height *= by;
    edit->scale *= by;
    edit->blend.width *= by;
    scale_all(edit->point, by);
    scale_all(edit->within[0], by);
    scale_all(edit->within[1], by);
    scale_all(edit->by, by);
    for (size_t i = 0; i < edit->shape_count; i++)
        node_to_metres(c, &c->nodes[edit->shape - c->nodes + (ptrdiff_t)i], by);
}

/* ---- cases ---- */

static enum naive_op random_op(struct rng *rng, int brushes)
{
    static const enum naive_op in_plane[] = {NAIVE_RAISE,   NAIVE_LOWER,   NAIVE_SMOOTH, NAIVE_HC_SMOOTH,
                                             NAIVE_FLATTEN, NAIVE_FLATTEN, NAIVE_SET,    NAIVE_NOISE,
                                             NAIVE_STAMP,   NAIVE_STAMP,   NAIVE_PAINT};
    const int in_space = NAIVE_VOLUME_PAINT - NAIVE_VOLUME_ADD + 1;
    if (rng_below(rng, 4) >= brushes)
        return (enum naive_op)(NAIVE_UNION + rng_below(rng, 4));
    int plane_op = rng_below(rng, 11), space_op = rng_below(rng, in_space + 1);
    if (space_op == in_space) /* more of these: many lie where they do nothing */
        return NAIVE_REDISTANCE;
    return rng_one_in(rng, 2) ? in_plane[plane_op] : (enum naive_op)(NAIVE_VOLUME_ADD + space_op);
}

static struct rng rng_of_seed(uint64_t seed)
{
    struct rng rng = {.state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1};
    for (int i = 0; i < 8; i++)
        rng_next(&rng);
    return rng;
}

static bool case_begin(struct log_gen_case *c, struct rng *rng)
{
    c->nodes = malloc(NODES_MAX * sizeof *c->nodes);
    c->points = malloc(POINTS_MAX * sizeof *c->points);
    c->files = calloc(1, sizeof *c->files);
    return c->nodes != NULL && c->points != NULL && c->files != NULL && fill_heights(c, rng);
}

bool log_gen_case_init(struct log_gen_case *out, uint64_t seed)
{
    static const int sizes[][2] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1},
                                   {1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 2}};
    static const double voxel_sizes[] = {1.0, 1.0, 2.0, 0.5, 0.3, 1.7};
    *out = (struct log_gen_case){.seed = seed};
    struct rng rng = rng_of_seed(seed);
    int size = rng_below(&rng, 10);
    out->chunks_x = sizes[size][0];
    out->chunks_z = sizes[size][1];
    out->row_lo = rng_int(&rng, -2, -1);
    out->row_hi = size < 6 && rng_one_in(&rng, 3) ? 1 : 0;
    out->voxel_size = rng_of(&rng, voxel_sizes, 6);
    if (!case_begin(out, &rng))
        return false;
    out->count = (size_t)rng_int(&rng, 1, size < 6 ? LOG_GEN_EDITS_MAX : LOG_GEN_EDITS_MAX / 2);
    int brushes = rng_int(&rng, 1, 4); /* of 4 edits */
    struct spot last = {.radius = 0.0};
    for (size_t i = 0; i < out->count; i++) {
        struct naive_edit *edit = &out->edits[i];
        enum naive_op op = random_op(&rng, brushes);
        if (naive_is_shape(op))
            random_shape(&rng, out, op, &last, edit);
        else
            random_brush(&rng, out, op, &last, edit);
        to_metres(out, edit);
    }
    return true;
}

/* The shape of an edit of these: the kind, around a box or two where it is not a primitive. */
static void single_shape(struct rng *rng, struct log_gen_case *c, enum naive_kind kind,
                         const struct spot *spot, struct naive_edit *edit)
{
    struct shaping shaping = {.rng = rng, .c = c, .budget = 100, .factor = 1.0, .copies = 1};
    const size_t first = c->node_count;
    struct spot beside = *spot;
    edit->shape = c->nodes + first;
    if (naive_is_operation(kind))
        add_node(c, kind, 2)->blend = random_blend(rng);
    else if (kind >= NAIVE_TRANSLATE && kind <= NAIVE_SCALE)
        random_transform(&shaping, kind, spot);
    else if (kind > NAIVE_SCALE)
        random_modifier(&shaping, kind, spot);
    random_primitive(&shaping, kind <= NAIVE_TUBE ? kind : NAIVE_BOX, spot);
    near_spot(rng, spot, spot->radius, beside.at);
    if (naive_is_operation(kind))
        random_primitive(&shaping, NAIVE_BOX, &beside);
    edit->shape_count = c->node_count - first;
    if (edit->op == NAIVE_INTERSECT || shaping.is_endless)
        random_within(rng, spot, edit);
}

bool log_gen_single_init(struct log_gen_case *out, int which, uint64_t seed)
{
    static const enum naive_op ops[3] = {NAIVE_UNION, NAIVE_SUBTRACT, NAIVE_INTERSECT};
    struct rng rng = rng_of_seed(seed * LOG_GEN_SINGLES + (uint64_t)which);
    *out =
        (struct log_gen_case){.seed = seed, .chunks_x = 1, .chunks_z = 1, .row_lo = -1, .voxel_size = 0.75};
    if (!case_begin(out, &rng))
        return false;
    for (int i = 0; i < (CELLS + 1) * (CELLS + 1); i++)
        out->heights[i] = out->heights[i] % 2048 - UNITS; /* near y = 0 */
    struct spot spot = {.at = {32.0, 2.0, 30.5}};
    near_spot(&rng, &spot, 6.0, spot.at);
    spot.radius = rng_double(&rng, 7.0, 11.0);
    const bool is_shape = which < NAIVE_KIND_COUNT;
    out->edits[0].op = is_shape ? ops[seed % 3] : NAIVE_UNION;
    single_shape(&rng, out, is_shape ? (enum naive_kind)which : NAIVE_BOX, &spot, &out->edits[0]);
    for (size_t i = 0; i < out->node_count; i++)
        out->nodes[i].profile = (enum naive_profile)(seed % 3);
    out->count = 1;
    if (!is_shape) {
        struct naive_edit *edit = &out->edits[out->count++];
        edit->op = (enum naive_op)(which - NAIVE_KIND_COUNT);
        random_details(&rng, out, edit);
        edit->place.radius = spot.radius;
        edit->place.strength = 0.75;
        near_spot(&rng, &spot, 0.5 * spot.radius, edit->place.at);
    }
    for (size_t i = 0; i < out->count; i++)
        to_metres(out, &out->edits[i]);
    return true;
}

void log_gen_case_release(struct log_gen_case *c)
{
    free(c->heights);
    free(c->nodes);
    free(c->points);
    free(c->files);
    *c = (struct log_gen_case){0};
}
