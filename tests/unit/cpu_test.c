/* The device `cpu`: each step equals plain loops over the scalar functions, one sample at a time, in every instruction set that this
 * machine has and for any number of jobs. Slots are made here by hand, of every kind and with boxes of all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/bake/bake.h"
#include "lib/gen/noise.h"
#include "lib/mesh/field.h"
#include "shaders/field_params.h"
#include "shaders/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES (TR_CHUNK * TR_CHUNK)
#define HALO TR_HEIGHT_HALO
#define TASKS 5
#define EDIT_TASKS 12
#define BLOCKS 2 /* a task */
#define SLOTS_MAX 48
#define WORDS_MAX 131072
#define UNOWNED 0x5a5a5a /* heights in a rim chunk that it does not own: no height of these cases */

static uint64_t random_state;

static int random_int(int lo, int hi)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return lo + (int)((random_state >> 33) % (uint64_t)(hi - lo + 1));
}

static double random_in(double lo, double hi)
{
    return lo + (hi - lo) * (random_int(0, 1 << 30) / (double)(1 << 30));
}

static struct tr_bake *open_cpu(int jobs, int level)
{
    struct tr_bake_options options = {.device = "cpu", .jobs = jobs};
    struct tr_bake *bake = NULL;
    struct tr_error error = {0};

    setenv("TERRAIN_ISA", tr_isa_name(level), 1);
    if (tr_bake_open(&options, &bake, &error) != TR_OK)
        fail_msg("%s", error.text);
    unsetenv("TERRAIN_ISA");
    return bake;
}

/* Runs `check` on the device for each instruction set and 1, 2 and 3 jobs. */
static void on_every_cpu(void (*check)(struct tr_bake *bake, const char *what))
{
    int highest = tr_isa_pick();

    for (int level = 0; level <= highest; level++)
        for (int jobs = 1; jobs <= 3; jobs++) {
            struct tr_bake *bake = open_cpu(jobs, level);
            char what[32];
            snprintf(what, sizeof what, "%s, %d jobs", tr_isa_name(level), jobs);
            check(bake, what);
            tr_bake_close(bake);
        }
}

static void must(enum tr_status status, const struct tr_error *error)
{
    if (status != TR_OK)
        fail_msg("status %d: %s", status, error->text);
}

/* --- fill --- */

static void check_fill(struct tr_bake *bake, const char *what)
{
    static int32_t heights[TASKS][SAMPLES];
    static tr_noise_layer layers[TASKS][TR_PRESET_LAYERS_MAX];
    struct tr_fill_task tasks[TASKS];
    struct tr_preset preset;
    struct tr_error error;

    assert_true(tr_preset_make("hills", 11, 1.0, &preset));
    for (int t = 0; t < TASKS; t++) {
        for (uint32_t i = 0; i < preset.count; i++)
            layers[t][i] = tr_noise_layer_at(&preset.sources[i], (t - 2) * 64, t * 640);
        tasks[t] = (struct tr_fill_task){layers[t], t == 0 ? 0 : preset.count, t * 1000 - 7, heights[t]};
    }
    must(bake->ops->fill(bake, tasks, TASKS, &error), &error);
    for (int t = 0; t < TASKS; t++)
        for (int i = 0; i < SAMPLES; i++) {
            float sum = 0.0f;
            for (uint32_t k = 0; k < tasks[t].layer_count; k++)
                sum = sum + tr_noise_height(layers[t][k], i % 64, i / 64);
            if (heights[t][i] != tr_noise_ground(tasks[t].base, sum))
                fail_msg("%s, task %d, sample (%d, %d): %d, expected %d", what, t, i % 64, i / 64,
                         heights[t][i], tr_noise_ground(tasks[t].base, sum));
        }
}

static void fill_equals_plain_loops(void **state)
{
    (void)state;
    on_every_cpu(check_fill);
}

/* --- slots --- */

/* Words of slots, as a task has them. */
struct words {
    uint32_t words[WORDS_MAX];
    uint count;
};

static void words_add(struct words *words, uint32_t word)
{
    assert_true(words->count < WORDS_MAX);
    words->words[words->count++] = word;
}

static void words_add_float(struct words *words, double value)
{
    words_add(words, tr_bits((float)value));
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normalize(double u[3])
{
    double length = sqrt(dot(u, u));
    for (int i = 0; i < 3; i++)
        u[i] /= length;
}

static void random_direction(double u[3])
{
    do {
        for (int i = 0; i < 3; i++)
            u[i] = random_in(-1, 1);
    } while (dot(u, u) < 0.1);
    normalize(u);
}

/* Three directions at right angles. */
static void random_axes(double axes[3][3])
{
    double *u = axes[0], *v = axes[1], *w = axes[2], along;

    random_direction(u);
    do {
        random_direction(v);
        along = dot(u, v);
    } while (fabs(along) > 0.9);
    for (int i = 0; i < 3; i++)
        v[i] -= along * u[i];
    normalize(v);
    for (int i = 0; i < 3; i++)
        w[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
}

static void random_place(double p[3])
{
    for (int i = 0; i < 3; i++)
        p[i] = random_in(-5, 69);
}

static void words_add_round(struct words *words, const double c[3], const double u[3], double t0, double t1,
                            double radius, bool large)
{
    for (int i = 0; i < 3; i++)
        words_add_float(words, c[i]);
    for (int i = 0; i < 3; i++)
        words_add_float(words, u[i]);
    words_add_float(words, t0);
    words_add_float(words, t1);
    words_add_float(words, radius);
    words_add_float(words, dot(c, c) - radius * radius);
    words_add(words, large);
}

static void words_add_line(struct words *words, const double c[3], const double u[3], double radius)
{
    words_add_round(words, c, u, (double)-TR_ROUND_ENDLESS, (double)TR_ROUND_ENDLESS, radius,
                    radius >= (double)TR_SHAPE_LARGE_RADIUS);
}

static void words_add_vector(struct words *words, const double v[3])
{
    for (int i = 0; i < 3; i++)
        words_add_float(words, v[i]);
}

static void words_add_axes(struct words *words, double axes[3][3])
{
    for (int i = 0; i < 9; i++)
        words_add_float(words, axes[i / 3][i % 3]);
}

static void add_box(struct words *words)
{
    double axes[3][3], middle[3], half[3];

    random_axes(axes);
    random_place(middle);
    words_add_axes(words, axes);
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i < 3; i++) {
            half[i] = side < 0 ? random_in(1, 20) : half[i];
            words_add_float(words, side * dot(axes[i], middle) - half[i]);
        }
}

static void add_ellipsoid(struct words *words)
{
    double axes[3][3], middle[3], radii[3];

    random_axes(axes);
    random_place(middle);
    words_add_axes(words, axes);
    for (int i = 0; i < 3; i++)
        words_add_float(words, -dot(axes[i], middle));
    for (int i = 0; i < 3; i++)
        words_add_float(words, radii[i] = random_in(1, 25));
    for (int i = 0; i < 3; i++)
        words_add_float(words, 1.0 / radii[i]);
}

/* Rows of random axes, and where the origin lies from `middle` on in them, all in lengths of `unit`. */
static void words_add_frame(struct words *words, const double middle[3], double unit)
{
    double axes[3][3];

    random_axes(axes);
    for (int i = 0; i < 9; i++)
        words_add_float(words, axes[i / 3][i % 3] / unit);
    for (int i = 0; i < 3; i++)
        words_add_float(words, -dot(axes[i], middle) / unit);
}

static void add_link(struct words *words)
{
    double middle[3];

    random_place(middle);
    words_add_frame(words, middle, 1.0);
    words_add_float(words, random_in(0, 15));
    words_add_float(words, random_in(3, 15));
    words_add_float(words, random_in(0.5, 6));
}

/* The plane through three corners, whose normal leads away from `middle`. */
static void add_face_plane(struct words *words, double corners[3][3], const double middle[3])
{
    double e[3], f[3], normal[3], out[3], flip;

    for (int i = 0; i < 3; i++) {
        e[i] = corners[1][i] - corners[0][i];
        f[i] = corners[2][i] - corners[0][i];
        out[i] = corners[0][i] - middle[i];
    }
    for (int i = 0; i < 3; i++)
        normal[i] = e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3];
    normalize(normal);
    flip = dot(normal, out) < 0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++)
        normal[i] *= flip;
    words_add_vector(words, normal);
    words_add_float(words, -dot(normal, corners[0]));
}

/* A skewed octahedron: its eight faces as planes, then as triangles. */
static void add_polyhedron(struct words *words)
{
    double axes[3][3], middle[3], reach[3], corners[8][3][3];

    random_axes(axes);
    random_place(middle);
    for (int i = 0; i < 3; i++)
        reach[i] = random_in(2, 30);
    for (int face = 0; face < 8; face++)
        for (int corner = 0; corner < 3; corner++)
            for (int i = 0; i < 3; i++)
                corners[face][corner][i] =
                    middle[i] + (face >> corner & 1 ? 1 : -1) * reach[corner] * axes[corner][i];
    words_add(words, 3 + 8 * 4 + 8 * 9);
    words_add(words, 8);
    words_add(words, 8);
    for (int face = 0; face < 8; face++)
        add_face_plane(words, corners[face], middle);
    for (int face = 0; face < 8; face++)
        for (int corner = 0; corner < 3; corner++)
            words_add_vector(words, corners[face][corner]);
}

static void add_segment(struct words *words, const double from[3], const double to[3], double radius,
                        double to_radius)
{
    double along[3], axis[3], side[3], top[3], up[3] = {0, 1, 0};

    for (int i = 0; i < 3; i++)
        axis[i] = along[i] = to[i] - from[i];
    normalize(axis);
    if (fabs(axis[1]) > 0.999) {
        up[0] = 1;
        up[1] = 0;
    }
    for (int i = 0; i < 3; i++)
        side[i] = up[(i + 1) % 3] * axis[(i + 2) % 3] - up[(i + 2) % 3] * axis[(i + 1) % 3];
    normalize(side);
    for (int i = 0; i < 3; i++)
        top[i] = axis[(i + 1) % 3] * side[(i + 2) % 3] - axis[(i + 2) % 3] * side[(i + 1) % 3];
    words_add_vector(words, from);
    words_add_vector(words, along);
    words_add_float(words, 1.0 / dot(along, along));
    words_add_float(words, radius);
    words_add_float(words, to_radius - radius);
    words_add_vector(words, axis);
    words_add_vector(words, side);
    words_add_vector(words, top);
}

static void add_tube(struct words *words)
{
    uint segments = (uint)random_int(1, 7);
    double from[3], to[3], radius = random_in(1, 8), to_radius;

    random_place(from);
    words_add(words, 3 + segments * TR_TUBE_SEGMENT_WORDS);
    words_add(words, (uint)random_int(TR_PROFILE_ROUND, TR_PROFILE_ARCH));
    words_add(words, segments);
    for (uint k = 0; k < segments; k++) {
        random_place(to);
        to_radius = random_in(0, 8);
        add_segment(words, from, to, radius, to_radius);
        memcpy(from, to, sizeof from);
        radius = to_radius;
    }
}

/* Pixels of a smooth picture; their neighbours differ by less than a fifth of white. */
static void add_pixels(struct words *words, int width, int height)
{
    double turn = random_in(0, 6), slope = random_in(0.05, 0.3);
    uint pair = 0;

    for (int i = 0; i < width * height; i++) {
        double grey = 0.5 + 0.5 * sin(turn + slope * (i % width) + 0.7 * slope * (i / width));
        uint value = (uint)(65535.0 * grey);
        pair = i % 2 ? pair | value << 16 : value;
        if (i % 2 || i == width * height - 1)
            words_add(words, pair);
    }
}

/* An image of so many pixels a voxel, whose middle is at `middle`. */
static void add_image(struct words *words, double axes[3][3], const double middle[3], double scale, int width,
                      int height)
{
    for (int row = 0; row < 3; row += 2) { /* east and south */
        for (int i = 0; i < 3; i++)
            words_add_float(words, scale * axes[row][i]);
        words_add_float(words, ((row == 0 ? width : height) - 1) / 2.0 - scale * dot(axes[row], middle));
    }
    words_add_float(words, 0.0);
    words_add_float(words, 0.0);
    words_add_float(words, width - 1.0);
    words_add_float(words, height - 1.0);
    words_add(words, (uint)width);
    words_add(words, (uint)height);
    add_pixels(words, width, height);
}

static uint image_words(int width, int height)
{
    return TR_IMAGE_PIXELS + ((uint)(width * height) + 1u) / 2u;
}

static void add_heights(struct words *words)
{
    double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, origin[3] = {0, 0, 0}, middle[3];
    int width = random_int(2, 12), height = random_int(2, 12);
    double scale = random_in(0.2, 1.5), half_y = random_in(1, 20), slope;

    random_place(middle);
    slope = 0.2 * 2 * half_y * scale; /* a fifth of white from pixel to pixel */
    words_add(words, TR_HEIGHTS_IMAGE + image_words(width, height));
    words_add_frame(words, middle, 1.0);
    words_add_float(words, (width - 1) / 2.0 / scale);
    words_add_float(words, half_y);
    words_add_float(words, (height - 1) / 2.0 / scale);
    words_add_float(words, 2 * half_y);
    words_add_float(words, 1.0 / sqrt(1.0 + 2 * slope * slope));
    add_image(words, axes, origin, scale, width, height);
}

/* The field of a ball, in cells. */
static void add_grid(struct words *words)
{
    int size[3] = {random_int(2, 9), random_int(2, 9), random_int(2, 9)};
    double cell = random_in(0.5, 6), unit = cell / 100.0, center[3], radius = random_in(0.5, 3);
    int count = size[0] * size[1] * size[2];
    double middle[3];
    uint pair = 0;

    random_place(middle);
    for (int i = 0; i < 3; i++)
        center[i] = (size[i] - 1) / 2.0;
    words_add(words, TR_GRID_SAMPLES + ((uint)count + 1u) / 2u);
    words_add_frame(words, middle, cell);
    for (int i = 0; i < 3; i++)
        words_add_float(words, 0.0);
    for (int i = 0; i < 3; i++)
        words_add_float(words, size[i] - 1.0);
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i < 3; i++)
            words_add_float(words, center[i] + side * radius);
    words_add_float(words, cell);
    words_add_float(words, unit);
    for (int i = 0; i < 3; i++)
        words_add(words, (uint)size[i]);
    for (int i = 0; i < count; i++) {
        double q[3] = {i % size[0] - center[0], i / (size[0] * size[2]) - center[1],
                       i / size[0] % size[2] - center[2]};
        uint value = (uint)(int)floor((sqrt(dot(q, q)) - radius) * 100.0) & 0xffffu;
        pair = i % 2 ? pair | value << 16 : value;
        if (i % 2 || i == count - 1)
            words_add(words, pair);
    }
}

/* One of a size that takes the second form of the distance: its axis goes away from `place`, where its surface is, by the radius. */
static double enlarge(double place[3], const double u[3])
{
    double radius = random_in(1024, 90000), out[3], along;

    random_direction(out);
    along = dot(out, u);
    for (int i = 0; i < 3; i++)
        out[i] -= along * u[i];
    normalize(out);
    for (int i = 0; i < 3; i++)
        place[i] -= radius * out[i];
    return radius;
}

/* A leaf of the given kind, as tree.h describes its operands. */
static void add_leaf(struct words *words, uint code)
{
    double u[3], middle[3], radius = random_in(1, 25), length = random_in(2, 50), g;

    random_direction(u);
    random_place(middle);
    g = dot(u, middle);
    if (code != TR_CODE_CONE && random_int(0, 3) == 0)
        radius = enlarge(middle, u);
    words_add(words, code);
    if (code == TR_CODE_ROUND)
        words_add_round(words, middle, u, -length / 3, length, radius,
                        radius >= (double)TR_SHAPE_LARGE_RADIUS);
    if (code == TR_CODE_BOX)
        add_box(words);
    if (code == TR_CODE_ELLIPSOID)
        add_ellipsoid(words);
    if (code == TR_CODE_CYLINDER) {
        words_add_line(words, middle, u, radius);
        words_add_float(words, -g - length / 2);
        words_add_float(words, g - length / 2);
    }
    if (code == TR_CODE_TORUS) {
        words_add_line(words, middle, u, radius);
        words_add_float(words, -g);
        words_add_float(words, random_in(0.5, 5));
    }
    if (code == TR_CODE_CONE) {
        words_add_line(words, middle, u, 0.0);
        words_add_float(words, -g);
        words_add_float(words, length / 2);
        words_add_float(words, radius);
        words_add_float(words, 0.0);
        words_add_float(words, -radius);
        words_add_float(words, length);
        words_add_float(words, 1.0 / (radius * radius + length * length));
    }
    if (code == TR_CODE_PLANE) {
        words_add_vector(words, u);
        words_add_float(words, -g);
    }
    if (code == TR_CODE_LINK)
        add_link(words);
    if (code == TR_CODE_POLYHEDRON)
        add_polyhedron(words);
    if (code == TR_CODE_TUBE)
        add_tube(words);
    if (code == TR_CODE_HEIGHTS)
        add_heights(words);
    if (code == TR_CODE_GRID)
        add_grid(words);
}

/* Width k in whatever unit the blend works in; stairs of 5 steps. */
static void blend_numbers(uint blend, double k, float numbers[3])
{
    numbers[0] = blend == TR_BLEND_HARD ? 0.0f : (float)k;
    numbers[1] = numbers[2] = 0.0f;
    if (blend == TR_BLEND_SMOOTH)
        numbers[1] = (float)(1.0 / (4.0 * k));
    if (blend == TR_BLEND_STAIRS) {
        numbers[1] = (float)(k / 5.0);
        numbers[2] = (float)(1.0 / (2.0 * k / 5.0));
    }
}

static void add_blend(struct words *words, int i)
{
    uint blend = (uint)i % 4u;
    float numbers[3];

    blend_numbers(blend, random_in(0.5, 8), numbers);
    words_add(words, TR_CODE_BLEND);
    words_add(words, (uint)random_int(0, 2) | (random_int(0, 1) ? TR_BLEND_SWAPPED : 0u));
    words_add(words, blend);
    for (int k = 0; k < 3; k++)
        words_add(words, tr_bits(numbers[k]));
}

static uint add_noise(struct words *words)
{
    uint first = words->count;

    words_add(words, (uint)random_int(0, INT32_MAX - 1));
    words_add(words, (uint)random_int(1, (int)TR_BRUSH_OCTAVES_MAX));
    for (int i = 0; i < 3; i++)
        words_add(words, (uint)random_int(0, INT32_MAX - 1));
    for (int i = 0; i < 3; i++)
        words_add_float(words, random_in(0, 1));
    words_add_float(words, 1.0 / random_in(1, 100));
    return first;
}

/* How code is to be made: so many distances may be on the stack and so many points kept; leaves come one after another. */
struct recipe {
    int stack, points;
    uint leaf; /* counts them */
};

static void add_moves(struct words *words)
{
    double middle[3];

    random_place(middle);
    words_add(words, TR_CODE_POINT_PUSH);
    words_add_frame(words, middle, 1.0);
    switch (random_int(0, 5)) {
    case 0:
        words_add(words, TR_CODE_ELONGATE);
        for (int i = 0; i < 3; i++)
            words_add_float(words, random_in(0, 10));
        break;
    case 1:
        words_add(words, TR_CODE_TWIST);
        words_add_float(words, random_in(-0.1, 0.1));
        break;
    case 2:
        words_add(words, TR_CODE_BEND);
        words_add_float(words, random_in(-0.05, 0.05));
        break;
    case 3:
        words_add(words, TR_CODE_TAPER);
        words_add_float(words, 1.0 / random_in(2, 60));
        words_add_float(words, random_in(-0.5, 2));
        break;
    }
}

static void add_alteration(struct words *words)
{
    switch (random_int(0, 2)) {
    case 0:
        words_add(words, TR_CODE_OFFSET);
        words_add_float(words, random_in(0, 4));
        break;
    case 1:
        words_add(words, TR_CODE_ONION);
        words_add_float(words, random_in(0.5, 3));
        break;
    default:
        words_add(words, TR_CODE_DISPLACE);
        words_add_float(words, random_in(0.1, 4));
        add_noise(words);
        break;
    }
}

static void add_leaf_moved(struct words *words, struct recipe *recipe, int moves)
{
    for (int i = 0; i < moves; i++)
        add_moves(words);
    add_leaf(words, TR_CODE_ROUND + recipe->leaf++ % (TR_CODE_GRID - TR_CODE_ROUND + 1u));
    for (int i = 0; i < moves; i++)
        words_add(words, TR_CODE_POINT_POP);
}

/* A tree of so many leaves, here and there altered and moved. */
static void add_tree(struct words *words, struct recipe *recipe, int leaves)
{
    bool is_moved = recipe->points > 0 && random_int(0, 3) == 0;

    if (is_moved) {
        add_moves(words);
        recipe->points--;
    }
    if (leaves == 1 || recipe->stack == 1) {
        add_leaf_moved(words, recipe, 0);
    } else {
        int first = random_int(1, leaves - 1);
        add_tree(words, recipe, first);
        recipe->stack--;
        add_tree(words, recipe, leaves - first);
        recipe->stack++;
        add_blend(words, leaves);
    }
    if (random_int(0, 3) == 0)
        add_alteration(words);
    if (is_moved) {
        words_add(words, TR_CODE_POINT_POP);
        recipe->points++;
    }
}

/* A stack of distances as high, and one of points as deep, as they may be. */
static void add_full_stacks(struct words *words, struct recipe *recipe)
{
    for (int i = 0; i < TR_TREE_STACK; i++)
        add_leaf_moved(words, recipe, i == TR_TREE_STACK / 2 ? TR_TREE_POINTS : 0);
    for (int i = 1; i < TR_TREE_STACK; i++)
        add_blend(words, i);
}

/* Code of up to 8 leaves, or with both stacks full. Returns where it begins. */
static uint add_code(struct words *words, int i)
{
    struct recipe recipe = {TR_TREE_STACK, TR_TREE_POINTS, (uint)i};
    uint first = words->count;

    if (i % 9 == 8)
        add_full_stacks(words, &recipe);
    else
        add_tree(words, &recipe, 1 + i % 9);
    words_add(words, TR_CODE_END);
    return first;
}

/* A stamp's image, upright in the plane of y for heights. */
static uint add_stamp(struct words *words, bool is_volume)
{
    double axes[3][3] = {{0.8, 0, 0.6}, {0, 1, 0}, {-0.6, 0, 0.8}}, middle[3];
    uint first = words->count;

    random_place(middle);
    if (is_volume)
        random_axes(axes);
    add_image(words, axes, middle, random_in(0.05, 1), random_int(1, 40), random_int(1, 40));
    return first;
}

static void random_span(int size, bool all, int *lo, int *hi)
{
    int a = random_int(0, size - 1), b = random_int(0, size - 1);

    *lo = all ? 0 : tr_imin(a, b);
    *hi = all ? size - 1 : tr_imax(a, b);
}

/* The brushes' part: falloffs, centre, radius; of slot number i. */
static tr_edit_slot random_brush(uint op, int i, uint32_t size_x, uint32_t size_z)
{
    tr_edit_slot slot = {.op = op, .hi_y = 63};
    bool is_share = op == TR_SLOT_LEVEL || op == TR_SLOT_PLANE || op == TR_SLOT_SMOOTH ||
                    op == TR_SLOT_HC_SMOOTH || op == TR_SLOT_VOLUME_SMOOTH || op == TR_SLOT_PINCH;

    random_span((int)size_x, i % 5 == 0, &slot.lo_x, &slot.hi_x);
    random_span((int)size_z, i % 5 == 0, &slot.lo_z, &slot.hi_z);
    slot.falloff = (uint)random_int(0, TR_FALLOFF_COUNT - 1);
    slot.power = (uint)random_int(2, 5);
    slot.cx = (float)random_in(0, 64);
    slot.cz = (float)random_in(0, 64);
    slot.radius = (float)(1.0 / random_in(5, 60));
    slot.strength = (float)(is_share ? random_in(0.1, 1) : random_in(-4000, 4000));
    slot.px = 0.5f;
    slot.target = random_int(2000, 14000);
    return slot;
}

static tr_edit_slot random_height_slot(uint op, int i, uint32_t size_x, uint32_t size_z, struct words *words)
{
    tr_edit_slot slot = random_brush(op, i, size_x, size_z);

    if (op == TR_SLOT_NOISE)
        slot.words = add_noise(words);
    if (op == TR_SLOT_STAMP)
        slot.words = add_stamp(words, false);
    if (op == TR_SLOT_PAINT)
        slot.target = random_int(0, 255);
    return slot;
}

static tr_edit_slot random_volume_slot(uint op, int i, uint32_t size_x, uint32_t size_z, int base_y,
                                       struct words *words)
{
    tr_edit_slot slot = random_brush(op, i, size_x, size_z);
    double u[3], c[3];

    random_span(TR_CHUNK, i % 5 == 0, &slot.lo_y, &slot.hi_y);
    random_direction(u);
    random_place(c);
    slot.base_y = base_y;
    slot.cx = (float)c[0];
    slot.cy = (float)c[1];
    slot.cz = (float)c[2];
    if (tr_slot_is_shape(slot)) {
        float numbers[3];
        double radius = random_in(2, 30);
        slot.form = (uint)i % 3u;
        if (slot.form == TR_FORM_ROUND_LARGE)
            radius = enlarge(c, u);
        slot.cx = (float)c[0];
        slot.cy = (float)c[1];
        slot.cz = (float)c[2];
        slot.radius = (float)radius;
        slot.k0 = (float)(dot(c, c) - radius * radius);
        slot.t0 = i % 2 ? -3.0f : 0.0f;
        slot.t1 = i % 2 ? 20.0f : 0.0f;
        slot.blend = (uint)(i / 3) % 4u;
        blend_numbers(slot.blend, random_in(100, 4096), numbers);
        slot.blend_k = numbers[0];
        slot.blend_a = numbers[1];
        slot.blend_b = numbers[2];
        slot.reach = 16.0f + slot.blend_k / 256.0f;
        if (slot.form == TR_FORM_TREE)
            slot.words = add_code(words, i);
    } else {
        slot.form = i % 2 ? TR_FORM_PROJECTED : TR_FORM_SPHERICAL;
    }
    if (tr_slot_is_shape(slot) ? i % 2 : slot.form == TR_FORM_PROJECTED) {
        slot.ux = (float)u[0];
        slot.uy = (float)u[1];
        slot.uz = (float)u[2];
    }
    if (op == TR_SLOT_PLANE) {
        slot.py = 0.8f;
        slot.px = 0.6f;
        slot.p0 = (float)random_in(-50, 0);
    }
    if (op == TR_SLOT_VOLUME_NOISE)
        slot.words = add_noise(words);
    if (op == TR_SLOT_VOLUME_STAMP)
        slot.words = add_stamp(words, true);
    if (op == TR_SLOT_GRAB) {
        slot.px = (float)(20 * u[0]);
        slot.py = (float)(20 * u[1]);
        slot.pz = (float)(20 * u[2]);
    }
    if (tr_slot_is_paint(slot)) {
        slot.reach = 1.0f;
        slot.target = random_int(0, 255);
    }
    return slot;
}

/* --- smooth --- */

static int bend_of(const int32_t *at)
{
    return at[-1] + at[1] + at[-HALO] + at[HALO] - 4 * at[0];
}

static int smoothed_height(const tr_edit_slot *slot, int x, int z, const int32_t *at)
{
    if (!tr_slot_covers_column(*slot, x, z))
        return at[0];
    if (slot->op == TR_SLOT_SMOOTH)
        return tr_brush_smooth(*slot, x, z, at[0], bend_of(at) + 4 * at[0]);
    return tr_brush_hc_smooth(*slot, x, z, at[0], bend_of(at),
                              bend_of(at - 1) + bend_of(at + 1) + bend_of(at - HALO) + bend_of(at + HALO));
}

static void check_smooth(struct tr_bake *bake, const char *what)
{
    static int32_t halos[TASKS][HALO * HALO], after[TASKS][SAMPLES];
    struct tr_smooth_task tasks[TASKS];
    struct tr_error error;

    random_state = 2;
    for (int t = 0; t < TASKS; t++) {
        uint op = t % 2 ? TR_SLOT_HC_SMOOTH : TR_SLOT_SMOOTH;
        for (int i = 0; i < HALO * HALO; i++)
            halos[t][i] = random_int(-50000, 50000);
        tasks[t] = (struct tr_smooth_task){halos[t], random_brush(op, t, 64, 64), after[t]};
    }
    must(bake->ops->smooth(bake, tasks, TASKS, &error), &error);
    for (int t = 0; t < TASKS; t++)
        for (int i = 0; i < SAMPLES; i++) {
            int x = i % 64, z = i / 64;
            int expected = smoothed_height(&tasks[t].slot, x, z, halos[t] + (z + 2) * HALO + x + 2);
            if (after[t][i] != expected)
                fail_msg("%s, task %d, sample (%d, %d): %d, expected %d", what, t, x, z, after[t][i],
                         expected);
        }
}

static void smooth_equals_plain_loops(void **state)
{
    (void)state;
    on_every_cpu(check_smooth);
}

/* --- reshape --- */

#define RESHAPE_TASKS 8

/* x, y, z from the block's first sample on. */
static int halo_sample(const struct tr_reshape_task *task, int x, int y, int z)
{
    int margin = (int)task->margin, side = TR_CHUNK + 2 * margin;

    return task->halo[((y + margin) * side + z + margin) * side + x + margin];
}

static int reshaped_sample(const struct tr_reshape_task *t, int x, int y, int z)
{
    const tr_edit_slot *slot = &t->slot;
    int s = halo_sample(t, x, y, z), west = halo_sample(t, x - 1, y, z), east = halo_sample(t, x + 1, y, z);
    int down = halo_sample(t, x, y - 1, z), up = halo_sample(t, x, y + 1, z);
    int north = halo_sample(t, x, y, z - 1), south = halo_sample(t, x, y, z + 1);
    tr_source from;

    if (!tr_slot_covers(*slot, x, y, z))
        return s;
    if (slot->op == TR_SLOT_VOLUME_SMOOTH)
        return tr_volume_smooth(*slot, x, y, z, s, west + east + down + up + north + south);
    if (slot->op == TR_SLOT_INFLATE)
        return tr_volume_inflate(*slot, x, y, z, s, east - west, up - down, south - north);
    from = tr_volume_source(*slot, x, y, z);
    return tr_volume_mix(
        from, halo_sample(t, from.x, from.y, from.z), halo_sample(t, from.x + 1, from.y, from.z),
        halo_sample(t, from.x, from.y + 1, from.z), halo_sample(t, from.x + 1, from.y + 1, from.z),
        halo_sample(t, from.x, from.y, from.z + 1), halo_sample(t, from.x + 1, from.y, from.z + 1),
        halo_sample(t, from.x, from.y + 1, from.z + 1), halo_sample(t, from.x + 1, from.y + 1, from.z + 1));
}

/* Two of each operation; pinch and grab with the greatest margin, too. */
static tr_edit_slot reshape_slot(int t, uint32_t *margin)
{
    const uint ops[] = {TR_SLOT_VOLUME_SMOOTH, TR_SLOT_INFLATE, TR_SLOT_PINCH, TR_SLOT_GRAB};
    static struct words no_words;
    tr_edit_slot slot = random_volume_slot(ops[t % 4], t, 64, 64, 0, &no_words);

    *margin = t % 4 < 2 ? 1 + (uint32_t)t / 4 : 22; /* a grab by 20 */
    if (slot.op == TR_SLOT_PINCH) {
        *margin = t < 4 ? 12 : TR_RESHAPE_MARGIN_MAX;
        slot.radius = 1.0f / (float)(*margin - 2);
        slot.cx = 0.5f * (float)(slot.lo_x + slot.hi_x);
        slot.cy = 0.5f * (float)(slot.lo_y + slot.hi_y);
        slot.cz = 0.5f * (float)(slot.lo_z + slot.hi_z);
    }
    return slot;
}

static void check_reshape(struct tr_bake *bake, const char *what)
{
    static int16_t after[RESHAPE_TASKS][TR_BLOCK_SAMPLES];
    struct tr_reshape_task tasks[RESHAPE_TASKS];
    int16_t *halos[RESHAPE_TASKS];
    struct tr_error error;
    int changes[RESHAPE_TASKS] = {0};

    random_state = 5;
    for (int t = 0; t < RESHAPE_TASKS; t++) {
        tasks[t] = (struct tr_reshape_task){.after = after[t]};
        tasks[t].slot = reshape_slot(t, &tasks[t].margin);
        size_t side = TR_CHUNK + 2 * (size_t)tasks[t].margin;
        tasks[t].halo = halos[t] = malloc(side * side * side * sizeof *halos[t]);
        assert_non_null(halos[t]);
        for (size_t i = 0; i < side * side * side; i++)
            halos[t][i] = (int16_t)random_int(-TR_SDF_MAX, TR_SDF_MAX);
    }
    must(bake->ops->reshape(bake, tasks, RESHAPE_TASKS, &error), &error);
    for (int t = 0; t < RESHAPE_TASKS; t++) {
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
            int x = i % 64, y = i / 4096, z = i / 64 % 64, expected = reshaped_sample(&tasks[t], x, y, z);
            changes[t] += expected != halo_sample(&tasks[t], x, y, z);
            if (after[t][i] != expected)
                fail_msg("%s, operation %u, margin %u, sample (%d, %d, %d): %d, expected %d", what,
                         tasks[t].slot.op, tasks[t].margin, x, y, z, after[t][i], expected);
        }
        free(halos[t]);
        if (changes[t] < 100)
            fail_msg("operation %u, task %d changed %d samples", tasks[t].slot.op, t, changes[t]);
    }
}

static void reshape_equals_plain_loops(void **state)
{
    (void)state;
    on_every_cpu(check_reshape);
}

/* --- redistance --- */

#define REGION_MAX 37
#define REGION_SAMPLES (REGION_MAX * REGION_MAX * REGION_MAX)

static void check_redistance(struct tr_bake *bake, const char *what)
{
    static int16_t samples[TASKS][REGION_SAMPLES], after[TASKS][REGION_SAMPLES], expected[REGION_SAMPLES];
    struct tr_redistance_task tasks[TASKS];
    struct tr_error error;

    random_state = 6;
    for (int t = 0; t < TASKS; t++) {
        tasks[t] = (struct tr_redistance_task){.samples = samples[t], .after = after[t]};
        for (int i = 0; i < 3; i++)
            tasks[t].size[i] = (uint32_t)random_int(t == 0 ? 1 : 12, REGION_MAX);
        tasks[t].slot = (tr_edit_slot){.op = TR_SLOT_REDISTANCE,
                                       .hi_x = (int)tasks[t].size[0] - 1,
                                       .hi_y = (int)tasks[t].size[1] - 1,
                                       .hi_z = (int)tasks[t].size[2] - 1,
                                       .cx = 9.25f,
                                       .cy = 8.5f,
                                       .cz = 10.0f,
                                       .radius = 1.0f / 14.5f};
        for (size_t i = 0; i < REGION_SAMPLES; i++)
            samples[t][i] = (int16_t)(random_int(-900, 900) + 300 * (int)(i % tasks[t].size[0]) - 3000);
    }
    must(bake->ops->redistance(bake, tasks, TASKS, &error), &error);
    for (int t = 0; t < TASKS; t++) {
        size_t count = (size_t)tasks[t].size[0] * tasks[t].size[1] * tasks[t].size[2];
        must(tr_apply_redistance(&tasks[t].slot, samples[t], tasks[t].size, expected, &error), &error);
        for (size_t i = 0; i < count; i++)
            if (after[t][i] != expected[i])
                fail_msg("%s, task %d, sample %zu: %d, expected %d", what, t, i, after[t][i], expected[i]);
    }
}

static void redistance_is_that_of_each_region_alone(void **state)
{
    (void)state;
    on_every_cpu(check_redistance);
}

/* --- edit --- */

/* Heights, samples and paint of a chunk. */
struct ground {
    int32_t heights[SAMPLES];
    uint8_t paint[SAMPLES];
    int16_t samples[BLOCKS][TR_BLOCK_SAMPLES];
    uint8_t block_paint[BLOCKS][TR_BLOCK_SAMPLES];
};

/* A task with all that it points to: it works on `now`. */
struct edit_case {
    struct ground begin, now, expected;
    int32_t after[SAMPLES];
    struct words words;
    tr_edit_slot slots[SLOTS_MAX], block_slots[BLOCKS][SLOTS_MAX];
    struct tr_edit_block blocks[BLOCKS];
    struct tr_edit_task task;
};
static struct edit_case cases[EDIT_TASKS];

/* How often each operation changed a height, a sample or paint in the cases. */
static int changes_of[TR_SLOT_VOLUME_SMOOTH + 1];

static void ground_make(struct ground *ground, uint32_t size_x, uint32_t size_z)
{
    for (int i = 0; i < SAMPLES; i++) {
        bool valid = (uint32_t)(i % 64) < size_x && (uint32_t)(i / 64) < size_z;
        ground->heights[i] = valid ? random_int(2000, 14000) : UNOWNED;
        ground->paint[i] = (uint8_t)random_int(0, 3);
    }
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
            ground->samples[b][i] = (int16_t)random_int(-3000, 3000);
            ground->block_paint[b][i] =
                (uint8_t)(i / 4096 % 3 ? random_int(0, 2) : 0); /* rows without any, too */
        }
}

static void task_add(struct edit_case *c, tr_edit_slot slot)
{
    assert_true(c->task.slot_count < SLOTS_MAX);
    c->slots[c->task.slot_count++] = slot;
}

static void block_add(struct edit_case *c, int b, tr_edit_slot slot)
{
    assert_true(c->blocks[b].slot_count < SLOTS_MAX);
    c->block_slots[b][c->blocks[b].slot_count++] = slot;
}

/* Volume slots of every operation for each block, height slots for all, in a random order. */
static void case_add_slots(struct edit_case *c, int number)
{
    const uint heights[] = {TR_SLOT_FOLLOW, TR_SLOT_RAISE, TR_SLOT_LEVEL,
                            TR_SLOT_NOISE,  TR_SLOT_PAINT, TR_SLOT_STAMP};
    const uint volumes[] = {TR_SLOT_UNION,        TR_SLOT_SUBTRACT,     TR_SLOT_INTERSECT,
                            TR_SLOT_PUSH,         TR_SLOT_VOLUME_NOISE, TR_SLOT_SHAPE_PAINT,
                            TR_SLOT_VOLUME_PAINT, TR_SLOT_PLANE,        TR_SLOT_VOLUME_STAMP};
    uint32_t size_x = c->task.size_x, size_z = c->task.size_z;

    for (int i = 0; i < 24; i++) {
        uint op = i % 4 == 0 ? heights[i / 4 % 6] : volumes[random_int(0, 8)];
        int b = random_int(0, BLOCKS - 1);
        tr_edit_slot slot = i % 4 == 0 ? random_height_slot(op, number + i / 4, size_x, size_z, &c->words)
                                       : random_volume_slot(op, number * 5 + i, size_x, size_z,
                                                            64 * c->blocks[b].cy, &c->words);
        if (tr_slot_is_paint(slot) && !c->task.paint)
            continue;
        if (!tr_slot_is_volume(slot) || tr_slot_is_paint(slot))
            task_add(c, slot);
        for (int k = 0; k < BLOCKS; k++)
            if (slot.op != TR_SLOT_PAINT && (k == b || !tr_slot_is_volume(slot)))
                block_add(c, k, slot);
    }
}

/* As a chunk has it: a block that begins as the height field has no paint, others only where they differ from it. */
static void case_settle(struct edit_case *c)
{
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
            int height = c->begin.heights[i % SAMPLES], row = 64 * c->blocks[b].cy + i / SAMPLES;
            bool valid = height != UNOWNED;
            if (valid && (!c->blocks[b].stored || c->begin.samples[b][i] == tr_height_field(row, height)))
                c->begin.block_paint[b][i] = 0;
        }
}

/* The first are rim chunks, the second has no edit, every third no paint. */
static void case_make(struct edit_case *c, int t)
{
    uint32_t size_x = t == 0 || t == 3 ? 1 : 64, size_z = t == 2 || t == 3 ? 1 : 64;
    bool painted = t % 3 != 1;

    ground_make(&c->begin, size_x, size_z);
    for (int i = 0; i < SAMPLES; i++)
        c->after[i] = c->begin.heights[i] != UNOWNED ? c->begin.heights[i] + random_int(-300, 300) : 0x777777;
    c->words.count = 1; /* so that no slot's words begin at 0 */
    c->task = (struct tr_edit_task){.size_x = size_x,
                                    .size_z = size_z,
                                    .heights = c->now.heights,
                                    .after = c->after,
                                    .paint = painted ? c->now.paint : NULL,
                                    .words = c->words.words,
                                    .slots = c->slots,
                                    .blocks = c->blocks,
                                    .block_count = BLOCKS};
    for (int b = 0; b < BLOCKS; b++)
        c->blocks[b] = (struct tr_edit_block){.cy = b - 1,
                                              .stored = b == 1 && t != 1,
                                              .samples = c->now.samples[b],
                                              .paint = painted ? c->now.block_paint[b] : NULL,
                                              .slots = c->block_slots[b]};
    case_settle(c);
    if (t != 1)
        case_add_slots(c, t);
    c->task.word_count = c->words.count;
}

/* One sample of one block, and its paint, through all the block's slots. */
static void sample_expect(struct edit_case *c, int b, int x, int y, int z)
{
    const struct tr_edit_block *block = &c->blocks[b];
    int at = tr_block_index(x, y, z), column = z * 64 + x, row = 64 * block->cy + y;
    int height = c->begin.heights[column], paint = c->begin.block_paint[b][at];
    int s = block->stored ? c->begin.samples[b][at] : tr_height_field(row, height);

    for (uint32_t i = 0; i < block->slot_count; i++) {
        const tr_edit_slot *slot = &block->slots[i];
        int s_before = s, paint_before = paint;
        if (tr_slot_is_volume(*slot)) {
            s = tr_slot_sample(c->words.words, *slot, x, y, z, s);
            paint =
                tr_slot_sample_paint(c->words.words, *slot, x, y, z, s, tr_height_field(row, height), paint);
        } else {
            int height2 = tr_slot_height(c->words.words, *slot, x, z, height, c->after[column]);
            s = tr_follow(s, tr_height_field(row, height), tr_height_field(row, height2));
            height = height2;
            paint = tr_settle_paint(s, tr_height_field(row, height), paint);
        }
        changes_of[slot->op] += tr_slot_is_paint(*slot) ? paint != paint_before : s != s_before;
    }
    c->expected.samples[b][at] = (int16_t)s;
    if (block->paint)
        c->expected.block_paint[b][at] = (uint8_t)paint;
}

static void column_expect(struct edit_case *c, int x, int z)
{
    int at = z * 64 + x, height = c->begin.heights[at], paint = c->begin.paint[at];

    for (uint32_t i = 0; i < c->task.slot_count; i++) {
        const tr_edit_slot *slot = &c->slots[i];
        int before = paint;
        if (c->task.paint)
            paint = tr_slot_is_paint(*slot) ? tr_slot_column_paint(c->words.words, *slot, x, z, height, paint)
                                            : paint;
        height = tr_slot_height(c->words.words, *slot, x, z, height, c->after[at]);
        changes_of[slot->op] += slot->op == TR_SLOT_PAINT && paint != before;
    }
    c->expected.heights[at] = height;
    c->expected.paint[at] = (uint8_t)paint;
}

/* What a rim chunk does not own stays as it is. */
static void case_expect(struct edit_case *c)
{
    c->expected = c->begin;
    for (int z = 0; z < (int)c->task.size_z; z++)
        for (int x = 0; x < (int)c->task.size_x; x++) {
            column_expect(c, x, z);
            for (int b = 0; b < BLOCKS; b++)
                for (int y = 0; y < 64; y++)
                    sample_expect(c, b, x, y, z);
        }
}

static void case_check(const struct edit_case *c, const char *what, int t)
{
    const struct ground *now = &c->now, *expected = &c->expected;

    for (int i = 0; i < SAMPLES; i++)
        if (now->heights[i] != expected->heights[i] || now->paint[i] != expected->paint[i])
            fail_msg("%s, task %d, column (%d, %d): %d, paint %d, expected %d, %d", what, t, i % 64, i / 64,
                     now->heights[i], now->paint[i], expected->heights[i], expected->paint[i]);
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
            if (now->samples[b][i] != expected->samples[b][i] ||
                now->block_paint[b][i] != expected->block_paint[b][i])
                fail_msg("%s, task %d, block %d, sample (%d, %d, %d): %d, paint %d, expected %d, %d", what, t,
                         b, i % 64, i / 4096, i / 64 % 64, now->samples[b][i], now->block_paint[b][i],
                         expected->samples[b][i], expected->block_paint[b][i]);
}

static void check_edit(struct tr_bake *bake, const char *what)
{
    struct tr_edit_task tasks[EDIT_TASKS];
    struct tr_error error;

    for (int t = 0; t < EDIT_TASKS; t++) {
        cases[t].now = cases[t].begin;
        tasks[t] = cases[t].task;
    }
    must(bake->ops->edit(bake, tasks, EDIT_TASKS, &error), &error);
    for (int t = 0; t < EDIT_TASKS; t++)
        case_check(&cases[t], what, t);
}

static void edit_equals_plain_loops_for_every_kind_of_slot(void **state)
{
    (void)state;
    random_state = 3;
    for (int t = 0; t < EDIT_TASKS; t++) {
        case_make(&cases[t], t);
        case_expect(&cases[t]);
    }
    for (uint op = TR_SLOT_RAISE; op < TR_SLOT_VOLUME_SMOOTH; op++)
        if (op != TR_SLOT_SMOOTH && op != TR_SLOT_HC_SMOOTH && changes_of[op] < 100)
            fail_msg("operation %u changed %d samples in all cases", op, changes_of[op]);
    on_every_cpu(check_edit);
}

/* --- code --- */

#define CODES 240
#define CODES_ALONE 120 /* so many are one shape, each in its turn */
#define CODE_STEP 3     /* one sample in so many along each axis is looked at */

/* A slot that makes every sample of air the distance of its code, as far as a sample holds it. The first ones are one shape alone. */
static tr_edit_slot code_slot(int i, struct words *words)
{
    tr_edit_slot slot = {.op = TR_SLOT_UNION, .form = TR_FORM_TREE, .reach = 1.0e6f};

    words->count = 1;
    slot.words = words->count;
    if (i < CODES_ALONE) {
        struct recipe recipe = {1, 0, (uint)i};
        add_leaf_moved(words, &recipe, 0);
        words_add(words, TR_CODE_END);
    } else {
        slot.words = add_code(words, i);
    }
    slot.lo_x = random_int(0, 20);
    slot.lo_y = random_int(0, 20);
    slot.lo_z = random_int(0, 20);
    slot.hi_x = random_int(40, 63);
    slot.hi_y = random_int(40, 63);
    slot.hi_z = random_int(40, 63);
    return slot;
}

static void code_gives_the_bits_of_the_scalar_interpreter(void **state)
{
    static void (*const apply_volume[])(const uint32_t *, const tr_edit_slot *, int16_t *) =
        TR_ISA_TABLE(tr_apply_volume);
    static int16_t samples[TR_ISA_LEVELS][TR_BLOCK_SAMPLES];
    static struct words words;
    int inside[TR_CODE_GRID + 1] = {0}, levels = tr_isa_pick() + 1;

    (void)state;
    random_state = 7;
    for (int i = 0; i < CODES; i++) {
        tr_edit_slot slot = code_slot(i, &words);
        bool is_alone = i < CODES_ALONE;
        for (int level = 0; level < levels; level++) {
            for (int k = 0; k < TR_BLOCK_SAMPLES; k++)
                samples[level][k] = TR_SDF_MAX;
            apply_volume[level](words.words, &slot, samples[level]);
        }
        for (int y = slot.lo_y; y <= slot.hi_y; y += CODE_STEP)
            for (int z = slot.lo_z; z <= slot.hi_z; z += CODE_STEP)
                for (int x = slot.lo_x; x <= slot.hi_x; x += CODE_STEP) {
                    int expected = tr_slot_sample(words.words, slot, x, y, z, TR_SDF_MAX);
                    inside[is_alone ? words.words[slot.words] : 0] += expected <= 0;
                    for (int level = 0; level < levels; level++) {
                        int found = samples[level][tr_block_index(x, y, z)];
                        if (found != expected)
                            fail_msg("%s, code %d that begins with %u, sample (%d, %d, %d): %d, expected %d",
                                     tr_isa_name(level), i, words.words[slot.words], x, y, z, found,
                                     expected);
                    }
                }
    }
    for (uint code = TR_CODE_ROUND; code <= TR_CODE_GRID; code++)
        if (inside[code] < 10)
            fail_msg("%d samples lie within shapes of code %u, expected 10", inside[code], code);
}

/* --- mesh --- */

/* A world of 2 x 1 chunks and block rows -1..1 whose ground is hills with a sphere of air and one of stone. */
#define WORLD_X 2
#define WORLD_Z 1

static int world_height(int x, int z)
{
    return 3000 + 37 * x - 21 * z + 900 * ((x * 7 + z * 5) % 11 > 5);
}

static int world_sample(int x, int y, int z)
{
    int field = tr_height_field(y, world_height(x, z));
    int air = 40 * 40 - (x - 64) * (x - 64) - (y + 2) * (y + 2) - (z - 30) * (z - 30);
    int stone = (x - 100) * (x - 100) + (y - 60) * (y - 60) + (z - 64) * (z - 64) - 400;
    return tr_sdf_clamp(tr_imin(tr_imax(field, 8 * air), 8 * stone));
}

/* Which blocks are stored: all but the lowest row of the first chunk. */
static bool world_stores(int cx, int cy, int cz)
{
    return cx >= 0 && cx <= WORLD_X && cz >= 0 && cz <= WORLD_Z && cy >= -1 && cy <= 1 &&
           !(cx == 0 && cy == -1);
}

static int world_field(int x, int y, int z)
{
    x = tr_iclamp(x, 0, 64 * WORLD_X);
    z = tr_iclamp(z, 0, 64 * WORLD_Z);
    return world_stores(x / 64, y >= 0 ? y / 64 : -1 - (-y - 1) / 64, z / 64)
               ? world_sample(x, y, z)
               : tr_height_field(y, world_height(x, z));
}

struct mesh_case {
    int32_t heights[TR_TILE_HALO];
    int16_t *blocks[27];
    int16_t field[TR_TILE_FIELD_SAMPLES];
};

static void mesh_case_make(struct mesh_case *c, struct tr_mesh_task *task)
{
    for (int i = 0; i < TR_TILE_HALO; i++)
        c->heights[i] = world_height(tr_iclamp(64 * task->cx + i % 67 - 1, 0, 64 * WORLD_X),
                                     tr_iclamp(64 * task->cz + i / 67 - 1, 0, 64 * WORLD_Z));
    task->heights = c->heights;
    for (int b = 0; b < 27; b++) {
        int cx = task->cx + b % 3 - 1, cy = task->cy + b / 9 - 1, cz = task->cz + b / 3 % 3 - 1;
        if (!world_stores(cx, cy, cz))
            continue;
        c->blocks[b] = malloc(TR_BLOCK_SAMPLES * sizeof **c->blocks);
        assert_non_null(c->blocks[b]);
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
            c->blocks[b][i] =
                (int16_t)world_sample(64 * cx + i % 64, 64 * cy + i / 4096, 64 * cz + i / 64 % 64);
        task->blocks[b] = c->blocks[b];
    }
    for (int i = 0; i < TR_TILE_FIELD_SAMPLES; i++)
        c->field[i] = TR_FIELD_PADDING;
    for (int y = -1; y <= 65; y++)
        for (int z = -1; z <= 65; z++)
            for (int x = -1; x <= 65; x++)
                c->field[tr_tile_index(x, y, z)] =
                    (int16_t)world_field(64 * task->cx + x, 64 * task->cy + y, 64 * task->cz + z);
}

static struct mesh_case mesh_cases[TASKS];
static struct tr_mesh_task mesh_tasks[TASKS];

static int mesh_setup(void **state)
{
    const int places[TASKS][2] = {{0, 0}, {1, 0}, {0, -1}, {1, 1}, {0, 5}}; /* the last is all air */

    (void)state;
    for (int t = 0; t < TASKS; t++) {
        mesh_tasks[t] = (struct tr_mesh_task){
            .cx = places[t][0], .cy = places[t][1], .world_x = WORLD_X, .world_z = WORLD_Z};
        mesh_case_make(&mesh_cases[t], &mesh_tasks[t]);
    }
    return 0;
}

static int mesh_teardown(void **state)
{
    (void)state;
    for (int t = 0; t < TASKS; t++)
        for (int b = 0; b < 27; b++)
            free(mesh_cases[t].blocks[b]);
    return 0;
}

static void tile_field_is_the_world_s_field_with_clamped_reads(void **state)
{
    static void (*const tile_field[])(const struct tr_tile *, int16_t *) = TR_ISA_TABLE(tr_tile_field);
    static int16_t field[TR_TILE_FIELD_SAMPLES];

    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int t = 0; t < TASKS; t++) {
            const struct tr_mesh_task *task = &mesh_tasks[t];
            struct tr_tile tile = {task->cx, task->cy,      task->cz,    WORLD_X,
                                   WORLD_Z,  task->heights, task->blocks};
            memset(field, 0x33, sizeof field);
            tile_field[level](&tile, field);
            for (int i = 0; i < TR_TILE_FIELD_SAMPLES; i++)
                if (field[i] != mesh_cases[t].field[i])
                    fail_msg("%s, tile (%d, %d), sample (%d, %d, %d): %d, expected %d", tr_isa_name(level),
                             task->cx, task->cy, i % 68 - 1, i / (67 * 68) - 1, i / 68 % 67 - 1, field[i],
                             mesh_cases[t].field[i]);
        }
}

/* The lattice and triangles of the plain field. */
static void check_mesh(struct tr_bake *bake, const char *what)
{
    static const uint32_t cells[3] = {64, 64, 64};
    const size_t rows = 65 * 65;
    struct tr_error error;

    for (int t = 0; t < TASKS; t++)
        mesh_tasks[t].wants_triangles = t != 1;
    must(bake->ops->mesh(bake, mesh_tasks, TASKS, &error), &error);
    for (int t = 0; t < TASKS; t++) {
        struct tr_lattice expected = {0}, *lattice = &mesh_tasks[t].lattice;
        uint32_t *indices = NULL, index_count = 0;
        must(tr_lattice_from_field(mesh_cases[t].field, cells, &expected, &error), &error);
        if (mesh_tasks[t].wants_triangles)
            must(tr_lattice_triangles(&expected, &indices, &index_count, &error), &error);
        if (lattice->vertex_count != expected.vertex_count || mesh_tasks[t].index_count != index_count)
            fail_msg("%s, task %d: %u vertices and %u indices, expected %u and %u", what, t,
                     lattice->vertex_count, mesh_tasks[t].index_count, expected.vertex_count, index_count);
        assert_int_equal(expected.vertex_count == 0, t == TASKS - 1);
        assert_int_equal(index_count == 0, t == TASKS - 1 || !mesh_tasks[t].wants_triangles);
        assert_int_equal(lattice->is_solid, expected.is_solid);
        assert_memory_equal(lattice->cells, cells, sizeof cells);
        if (expected.vertex_count > 0) {
            assert_memory_equal(lattice->solid, expected.solid, rows * sizeof *expected.solid);
            assert_memory_equal(lattice->solid_last, expected.solid_last, rows * sizeof *expected.solid_last);
            assert_memory_equal(lattice->first, expected.first, (rows + 1) * sizeof *expected.first);
            assert_memory_equal(lattice->vertices, expected.vertices,
                                expected.vertex_count * sizeof *expected.vertices);
        }
        if (index_count > 0)
            assert_memory_equal(mesh_tasks[t].indices, indices, index_count * sizeof *indices);
        tr_lattice_release(lattice);
        tr_lattice_release(&expected);
        free(mesh_tasks[t].indices);
        free(indices);
    }
}

static void mesh_equals_marching_the_plain_field(void **state)
{
    (void)state;
    on_every_cpu(check_mesh);
}

/* --- grid --- */

/* Where marching cubes crosses the vertical line of samples at `at`, a height among its neighbours, by walking up the line. */
static tr_vertex naive_grid_vertex(const int32_t *at, int x, int z)
{
    int y = *at / TR_UNITS - 3, a, b, t, g[2][3];

    assert_true(tr_height_field(y, *at) <= 0);
    while (tr_height_field(y + 1, *at) <= 0)
        y++;
    a = tr_height_field(y, *at);
    b = tr_height_field(y + 1, *at);
    t = tr_crossing(a, b);
    for (int end = 0; end < 2; end++) {
        g[end][0] = tr_height_field(y + end, at[1]) - tr_height_field(y + end, at[-1]);
        g[end][1] = tr_height_field(y + end + 1, *at) - tr_height_field(y + end - 1, *at);
        g[end][2] = tr_height_field(y + end, at[67]) - tr_height_field(y + end, at[-67]);
    }
    return (tr_vertex){256 * x, 256 * y + t, 256 * z,
                       tr_normal(g[0][0], g[0][1], g[0][2], g[1][0], g[1][1], g[1][2], t, 1, true)};
}

/* Hills, whole voxels, cliffs beyond the clamp, and the ends of the range. */
static int grid_height(int task)
{
    switch (task) {
    case 0:
        return random_int(-3000, 3000);
    case 1:
        return 256 * random_int(-2, 2);
    case 2:
        return random_int(0, 1) ? random_int(-99999, -99000) : random_int(99000, 99999);
    default:
        return random_int(0, 1) ? TR_HEIGHT_MAX : -TR_HEIGHT_MAX;
    }
}

static void check_grid(struct tr_bake *bake, const char *what)
{
    static int32_t heights[4][TR_TILE_HALO];
    struct tr_grid_task tasks[4] = {
        {heights[0], {0}}, {heights[1], {0}}, {heights[2], {0}}, {heights[3], {0}}};
    struct tr_error error;

    random_state = 21;
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < TR_TILE_HALO; i++)
            heights[t][i] = grid_height(t);
    must(bake->ops->grid(bake, tasks, 4, &error), &error);
    for (int t = 0; t < 4; t++) {
        assert_int_equal(tasks[t].grid.cells[0], 64);
        assert_int_equal(tasks[t].grid.cells[1], 64);
        for (int i = 0; i < 65 * 65; i++) {
            const int x = i % 65, z = i / 65;
            const tr_vertex found = tasks[t].grid.vertices[i];
            const tr_vertex expected = naive_grid_vertex(&heights[t][(z + 1) * 67 + x + 1], x, z);
            if (memcmp(&found, &expected, sizeof found) != 0)
                fail_msg("%s, task %d, line (%d, %d): (%d %d %d) %08x, expected (%d %d %d) %08x", what, t, x,
                         z, found.x, found.y, found.z, found.normal, expected.x, expected.y, expected.z,
                         expected.normal);
        }
        tr_height_grid_release(&tasks[t].grid);
    }
}

static void grid_is_where_marching_cubes_crosses_each_vertical_line(void **state)
{
    (void)state;
    on_every_cpu(check_grid);
}

/* --- the device --- */

static void no_tasks_are_done_at_once(void **state)
{
    struct tr_bake *bake = open_cpu(2, 0);
    struct tr_error error;

    (void)state;
    assert_int_equal(bake->ops->fill(bake, NULL, 0, &error), TR_OK);
    assert_int_equal(bake->ops->edit(bake, NULL, 0, &error), TR_OK);
    assert_int_equal(bake->ops->smooth(bake, NULL, 0, &error), TR_OK);
    assert_int_equal(bake->ops->reshape(bake, NULL, 0, &error), TR_OK);
    assert_int_equal(bake->ops->redistance(bake, NULL, 0, &error), TR_OK);
    assert_int_equal(bake->ops->mesh(bake, NULL, 0, &error), TR_OK);
    assert_int_equal(bake->ops->grid(bake, NULL, 0, &error), TR_OK);
    tr_bake_close(bake);
    tr_bake_close(NULL);
}

static void small_work_on_auto_takes_the_cpu(void **state)
{
    const char *const names[] = {"auto", NULL};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tr_bake_options options = {.device = names[i], .jobs = 1};
        struct tr_bake *bake;
        struct tr_error error;
        must(tr_bake_open(&options, &bake, &error), &error);
        assert_string_equal(bake->ops->name, "cpu");
        assert_int_equal(tr_jobs_count(bake->jobs), 1);
        tr_bake_close(bake);
    }
}

static void too_many_jobs_are_refused(void **state)
{
    struct tr_bake_options options = {.device = "cpu", .jobs = TR_JOBS_MAX + 1};
    struct tr_bake *bake = (struct tr_bake *)&options;
    struct tr_error error;

    (void)state;
    assert_int_equal(tr_bake_open(&options, &bake, &error), TR_USAGE);
    assert_null(bake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_equals_plain_loops),
        cmocka_unit_test(smooth_equals_plain_loops),
        cmocka_unit_test(reshape_equals_plain_loops),
        cmocka_unit_test(redistance_is_that_of_each_region_alone),
        cmocka_unit_test(edit_equals_plain_loops_for_every_kind_of_slot),
        cmocka_unit_test(code_gives_the_bits_of_the_scalar_interpreter),
        cmocka_unit_test(tile_field_is_the_world_s_field_with_clamped_reads),
        cmocka_unit_test(mesh_equals_marching_the_plain_field),
        cmocka_unit_test(grid_is_where_marching_cubes_crosses_each_vertical_line),
        cmocka_unit_test(no_tasks_are_done_at_once),
        cmocka_unit_test(small_work_on_auto_takes_the_cpu),
        cmocka_unit_test(too_many_jobs_are_refused),
    };
    return cmocka_run_group_tests_name("cpu", tests, mesh_setup, mesh_teardown);
}
