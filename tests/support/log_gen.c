/* See log_gen.h. Random numbers are xorshift64*; all choices are integers drawn from it, so no libm and no
 * order of evaluation of arguments decides a log: each draw is a statement of its own. */
#include "tests/support/log_gen.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 64
#define UNITS 256

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
    for (int z = 0; z < size_z; z++)
        for (int x = 0; x < size_x; x++)
            c->heights[z * size_x + x] = random_height(rng, kind, x, z, slope, base);
    return true;
}

/* ---- places ---- */

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

static double random_radius(struct rng *rng)
{
    static const double exact[] = {0.5, 1.0, 2.0, 5.0, 16.0, 31.0};
    switch (rng_below(rng, 4)) {
    case 0:
        return exact[rng_below(rng, 6)];
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

/* A unit vector: along an axis, along a diagonal, or any. */
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

/* ---- edits ---- */

static void random_brush(struct rng *rng, const struct log_gen_case *c, struct naive_edit *edit)
{
    static const double rises[] = {1.0 / 512.0, 1.0, 300.0, 65535.0};
    static const double exact[] = {1.0, 2.0, 5.0, 8.0, 10.0, 25.0};
    edit->op = (enum naive_op)rng_below(rng, 3);
    edit->falloff = (enum naive_falloff)rng_below(rng, 9);
    edit->power = rng_int(rng, 2, 16);
    edit->a[0] = random_place(rng, c->chunks_x);
    edit->a[2] = random_place(rng, c->chunks_z);
    edit->radius = random_radius(rng);
    edit->radius = edit->radius < 4.0 && !rng_one_in(rng, 3) ? edit->radius * 8.0 : edit->radius;
    int kind = rng_below(rng, 6);
    if (kind == 0) { /* far away, its brim across the world */
        edit->radius = random_large_radius(rng);
        edit->a[0] = edit->a[0] - edit->radius + rng_double(rng, 5.0, 60.0);
    } else if (kind == 1) { /* samples exactly on its brim, where constant jumps */
        edit->falloff = NAIVE_FALLOFF_CONSTANT;
        edit->radius = exact[rng_below(rng, 6)];
        edit->a[0] = floor(edit->a[0]);
        edit->a[2] = floor(edit->a[2]);
    }
    int how = rng_below(rng, 3);
    double any = rng_double(rng, 0.0, 1.0);
    if (edit->op == NAIVE_SMOOTH)
        edit->strength = how == 0 ? 1.0 : how == 1 ? 0.5 : 0.01 + 0.99 * any;
    else
        edit->strength = how == 0   ? rises[rng_below(rng, 4)]
                         : how == 1 ? 1000.0 * any + 0.01
                                    : 30.0 * any + 0.01;
}

/* Moves a shape by `by` along u. */
static void move(struct naive_edit *edit, const double u[3], double by)
{
    for (int i = 0; i < 3; i++) {
        edit->a[i] += u[i] * by;
        edit->b[i] += u[i] * by;
    }
}

static void random_shape(struct rng *rng, const struct log_gen_case *c, const struct naive_edit *last,
                         struct naive_edit *edit)
{
    static const double widths[] = {0.5, 4.0, 16.0};
    double u[3];
    edit->op = rng_one_in(rng, 2) ? NAIVE_UNION : NAIVE_SUBTRACT;
    edit->radius = random_radius(rng);
    edit->a[0] = random_place(rng, c->chunks_x);
    edit->a[1] = random_y(rng, c);
    edit->a[2] = random_place(rng, c->chunks_z);
    int place = rng_below(rng, 6);
    random_direction(rng, u);
    if (place == 0 && last != NULL && last->radius < 100.0) { /* tangent to the last shape, from outside */
        for (int i = 0; i < 3; i++)
            edit->a[i] = last->a[i];
        move(edit, u, last->radius + edit->radius);
    } else if (place == 1 && last != NULL && last->radius < 100.0) { /* overlapping it */
        for (int i = 0; i < 3; i++)
            edit->a[i] = last->a[i] + rng_double(rng, -3.0, 3.0);
    }
    if (rng_one_in(rng, 4)) { /* samples exactly on its surface and at its reach */
        for (int i = 0; i < 3; i++)
            edit->a[i] = floor(edit->a[i]);
        edit->radius = ceil(edit->radius);
    }
    edit->capsule = rng_one_in(rng, 2);
    random_direction(rng, u);
    double length = rng_one_in(rng, 4) ? rng_double(rng, 0.001, 1.0) : rng_double(rng, 1.0, 150.0);
    length = rng_one_in(rng, 8) ? 5000.0 : length;
    for (int i = 0; i < 3; i++)
        edit->b[i] = edit->a[i] + u[i] * length;
    if (edit->capsule && rng_one_in(rng, 3)) /* the samples lie along its middle */
        move(edit, u, -length / 2.0);
    if (rng_one_in(
            rng,
            6)) { /* far away, its surface through the world; sideways mostly, which reaches fewer rows */
        edit->radius = random_large_radius(rng);
        double side[3];
        side[0] = rng_one_in(rng, 2) ? 1.0 : -1.0;
        side[1] = rng_double(rng, -0.1, 0.1);
        side[2] = rng_double(rng, -0.3, 0.3);
        double away = edit->radius * rng_double(rng, 0.99, 1.0);
        move(edit, side, away);
        if (edit->capsule) /* its axis stays as far away */
            for (int i = 0; i < 3; i++)
                edit->b[i] = edit->a[i] + (i == 0 ? 0.0 : u[i] * 100.0);
    }
    int blend = rng_below(rng, 6);
    double width = rng_double(rng, 0.01, 16.0);
    edit->blend = blend < 3 ? 0.0 : blend < 5 ? widths[rng_below(rng, 3)] : width;
}

bool log_gen_case_init(struct log_gen_case *out, uint64_t seed)
{
    static const int sizes[][2] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 2}};
    *out = (struct log_gen_case){.seed = seed};
    struct rng rng = {.state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1};
    for (int i = 0; i < 8; i++)
        rng_next(&rng);
    int size = rng_below(&rng, 8);
    out->chunks_x = sizes[size][0];
    out->chunks_z = sizes[size][1];
    out->row_lo = rng_int(&rng, -2, -1);
    out->row_hi = size < 4 ? rng_int(&rng, 0, 1) : 0;
    static const double voxel_sizes[] = {1.0, 1.0, 2.0, 0.5};
    out->voxel_size = voxel_sizes[rng_below(&rng, 4)];
    if (!fill_heights(out, &rng))
        return false;
    out->count = (size_t)rng_int(&rng, 1, size < 4 ? LOG_GEN_EDITS_MAX : LOG_GEN_EDITS_MAX / 2);
    int brushes = rng_int(&rng, 1, 3); /* of 4 edits */
    const struct naive_edit *last = NULL;
    for (size_t i = 0; i < out->count; i++) {
        struct naive_edit *edit = &out->edits[i];
        if (rng_below(&rng, 4) < brushes) {
            random_brush(&rng, out, edit);
        } else {
            random_shape(&rng, out, last, edit);
            last = edit;
        }
    }
    return true;
}

void log_gen_case_release(struct log_gen_case *c)
{
    free(c->heights);
    *c = (struct log_gen_case){0};
}

/* ---- JSON ---- */

#define EDIT_TEXT_BYTES 1024 /* no edit is longer */

struct text {
    char *bytes;
    size_t length, capacity;
};

__attribute__((format(printf, 2, 3))) static void text_add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text->bytes + text->length, text->capacity - text->length, format, args);
    va_end(args);
    text->length += n > 0 ? (size_t)n : 0;
}

static void add_point(struct text *text, const char *name, const double at[3], double voxel_size)
{
    text_add(text, "\"%s\":[%.17g,%.17g,%.17g]", name, at[0] * voxel_size, at[1] * voxel_size,
             at[2] * voxel_size);
}

static void add_brush(struct text *text, const struct naive_edit *edit, double voxel_size)
{
    static const char *const falloffs[] = {"smooth", "smoother", "sphere",         "root",    "sharp",
                                           "pow4",   "linear",   "inverse-square", "constant"};
    double strength = edit->op == NAIVE_SMOOTH ? edit->strength : edit->strength * voxel_size;
    text_add(text, "\"at\":[%.17g,%.17g],\"radius\":%.17g,\"strength\":%.17g,\"falloff\":\"%s\"",
             edit->a[0] * voxel_size, edit->a[2] * voxel_size, edit->radius * voxel_size, strength,
             falloffs[edit->falloff]);
    if (edit->falloff == NAIVE_FALLOFF_SHARP)
        text_add(text, ",\"power\":%d", edit->power);
}

static void add_shape(struct text *text, const struct naive_edit *edit, double voxel_size)
{
    text_add(text, "\"shape\":{\"type\":\"%s\",", edit->capsule ? "capsule" : "sphere");
    add_point(text, edit->capsule ? "from" : "center", edit->a, voxel_size);
    if (edit->capsule) {
        text_add(text, ",");
        add_point(text, "to", edit->b, voxel_size);
    }
    text_add(text, ",\"radius\":%.17g}", edit->radius * voxel_size);
    if (edit->blend > 0.0)
        text_add(text, ",\"blend\":{\"type\":\"smooth\",\"width\":%.17g}", edit->blend * voxel_size);
}

char *log_gen_json(const struct naive_edit *edits, size_t count, double voxel_size)
{
    static const char *const ops[] = {"raise", "lower", "smooth", "union", "subtract"};
    struct text text = {.capacity = (count + 1) * EDIT_TEXT_BYTES};
    text.bytes = malloc(text.capacity);
    if (text.bytes == NULL)
        return NULL;
    text_add(&text, "{\"format\":\"terrain-edits\",\"version\":1,\"edits\":[");
    for (size_t i = 0; i < count; i++) {
        const struct naive_edit *edit = &edits[i];
        text_add(&text, "%s\n{\"id\":\"e%zu\",\"op\":\"%s\",", i == 0 ? "" : ",", i + 1, ops[edit->op]);
        if (edit->op == NAIVE_UNION || edit->op == NAIVE_SUBTRACT)
            add_shape(&text, edit, voxel_size);
        else
            add_brush(&text, edit, voxel_size);
        text_add(&text, "}");
    }
    text_add(&text, "\n]}\n");
    return text.bytes;
}
