/* Ground and selections for windows. See window_field.h. No libm but sqrt and floor, which every machine computes alike. */
#include "tests/support/window_field.h"

#include "lib/world/coord.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 8 /* voxels of air above the ground and of rock below it, at least */
#define HIGH_CLIFFS_CELLS 150
#define CUBES_CELLS_MAX 40000

/* 0 .. below - 1. */
static int32_t draw(uint64_t *random, int32_t below)
{
    return (int32_t)((random_next(random) >> 33) % (uint64_t)below);
}

static int32_t draw_within(uint64_t *random, int32_t lo, int32_t hi)
{
    return lo + draw(random, hi - lo + 1);
}

static bool draw_one_in(uint64_t *random, int32_t n)
{
    return draw(random, n) == 0;
}

static uint32_t hash(int32_t x, int32_t y, int32_t z, uint32_t seed)
{
    uint32_t h = seed * 0x9e3779b9u ^ (uint32_t)x * 0x85ebca6bu ^ (uint32_t)y * 0xc2b2ae35u ^
                 (uint32_t)z * 0x27d4eb2fu;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

/* Smooth noise of about one wavelength, -1 to 1. */
static double noise(const int32_t at[3], double wavelength, uint32_t seed)
{
    int32_t lower[3];
    double part[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        const double s = at[i] / wavelength;
        lower[i] = (int32_t)floor(s);
        const double p = s - lower[i];
        part[i] = p * p * (3 - 2 * p);
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        for (int i = 0; i < 3; i++)
            weight *= corner >> i & 1 ? part[i] : 1 - part[i];
        sum += weight *
               hash(lower[0] + (corner & 1), lower[1] + (corner >> 1 & 1), lower[2] + (corner >> 2), seed);
    }
    return sum / 0x1p31 - 1;
}

static int16_t quantised(double units)
{
    const double whole = floor(units + 0.5);
    return (int16_t)(whole < -TR_SDF_MAX ? -TR_SDF_MAX : whole > TR_SDF_MAX ? TR_SDF_MAX : whole);
}

static double distance(const double a[3], int32_t x, int32_t y, int32_t z)
{
    const double d[3] = {x - a[0], y - a[1], z - a[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* ---- sculpting ---- */

void window_set(struct window *w, int32_t x, int32_t y, int32_t z, int16_t value)
{
    if (y > 0 && y < w->size[1])
        w->samples[window_index(w, x, y, z)] = value;
}

void window_ball(struct window *w, const double centre[3], double radius, double blend, bool is_added)
{
    const double reach = radius + blend + 2;
    for (int32_t y = 0; y <= w->size[1]; y++) {
        if (y < centre[1] - reach || y > centre[1] + reach)
            continue;
        for (int32_t z = 0; z <= w->size[2]; z++) {
            for (int32_t x = 0; x <= w->size[0]; x++) {
                /* the union of rock and ball, or of air and ball */
                const double sign = is_added ? 1 : -1;
                const double a = sign * window_sample(w, x, y, z) / TR_UNITS;
                const double b = distance(centre, x, y, z) - radius;
                const double h = fmax(blend - fabs(a - b), 0);
                const double joined = fmin(a, b) - (blend > 0 ? h * h / (4 * blend) : 0);
                if (joined < a)
                    window_set(w, x, y, z, quantised(sign * joined * TR_UNITS));
            }
        }
    }
}

/* A place on a plane between tiles of LOD 0 in the axes of the set, anywhere in the others. */
static void place_on_planes(const struct window *w, uint32_t axes, uint64_t *random, int32_t at[3])
{
    const int32_t width = (int32_t)w->width;
    for (int axis = 0; axis < 3; axis++) {
        if (axes >> axis & 1)
            at[axis] = width * draw_within(random, 0, w->size[axis] / width);
        else
            at[axis] = draw_within(random, 0, w->size[axis]);
    }
}

/* Half of all places are moved near the ground. */
static void move_to_ground(const struct window *w, uint64_t *random, int32_t at[3])
{
    if (w->layout == WINDOW_CUBES || draw_one_in(random, 2))
        return;
    const int32_t height = w->heights[at[2] * (w->size[0] + 1) + at[0]];
    at[1] = (int32_t)tr_floor_div(height, TR_UNITS) - w->first_y + draw_within(random, -2, 2);
}

static void sculpt_ball(struct window *w, uint64_t *random)
{
    int32_t at[3];
    double centre[3];
    place_on_planes(w, 0, random, at);
    move_to_ground(w, random, at);
    for (int axis = 0; axis < 3; axis++)
        centre[axis] = at[axis] + draw(random, 64) / 64.0;
    window_ball(w, centre, 1 + draw(random, 320) / 64.0, draw_one_in(random, 2) ? 0.75 : 0,
                draw_one_in(random, 2));
}

/* Its centre lies off the place by whole voxels of which the radius is the length: 3-4-5 and 2-3-6-7. */
static void sculpt_tangent_ball(struct window *w, bool is_added, uint64_t *random)
{
    static const int32_t offsets[3][3] = {{4, 0, 0}, {3, 4, 0}, {2, 3, 6}}, radii[3] = {4, 5, 7};
    static const uint32_t axes[3] = {1, 3, 7};
    const int kind = draw(random, 3), turn = draw(random, 3);
    int32_t at[3];
    double centre[3];
    place_on_planes(w, (axes[kind] << turn | axes[kind] << turn >> 3) & 7, random, at);
    move_to_ground(w, random, at);
    for (int axis = 0; axis < 3; axis++) {
        const int32_t offset = offsets[kind][(axis + 3 - turn) % 3];
        centre[axis] = at[axis] + (draw_one_in(random, 2) ? offset : -offset);
    }
    window_ball(w, centre, radii[kind], draw_one_in(random, 2) ? 0.75 : 0, is_added);
}

static void sculpt_sample(struct window *w, uint64_t *random)
{
    static const int16_t values[6] = {-256, 0, 256, -1, 1, 3000};
    int32_t at[3];
    place_on_planes(w, (uint32_t)draw_within(random, 1, 7), random, at);
    move_to_ground(w, random, at);
    window_set(w, at[0], at[1], at[2], values[draw(random, 6)]);
}

/* Fills a box with rock, air or noise. */
static void sculpt_box(struct window *w, bool is_noise, uint64_t *random)
{
    int32_t lo[3], hi[3];
    const uint32_t seed = (uint32_t)random_next(random);
    const int16_t value = draw_one_in(random, 2) ? -300 : 300;
    place_on_planes(w, (uint32_t)draw(random, 8), random, lo);
    move_to_ground(w, random, lo);
    for (int axis = 0; axis < 3; axis++) {
        hi[axis] = lo[axis] + draw(random, is_noise ? 12 : 6);
        hi[axis] = hi[axis] < w->size[axis] ? hi[axis] : w->size[axis];
    }
    for (int32_t y = lo[1]; y <= hi[1]; y++) {
        for (int32_t z = lo[2]; z <= hi[2]; z++) {
            for (int32_t x = lo[0]; x <= hi[0]; x++)
                window_set(w, x, y, z,
                           is_noise ? quantised(900 * noise((int32_t[3]){x, y, z}, 3.5, seed)) : value);
        }
    }
}

static void sculpt(struct window *w, enum window_edits edits, uint64_t *random)
{
    const int32_t count = draw_within(random, 1, 4);
    for (int32_t i = 0; i < count && edits != EDITS_NONE; i++) {
        switch (edits) {
        case EDITS_BALLS:
            sculpt_ball(w, random);
            break;
        case EDITS_TANGENT:
            sculpt_tangent_ball(w, draw_one_in(random, 4), random);
            break;
        case EDITS_CAVES:
        case EDITS_BOXES:
            sculpt_box(w, edits == EDITS_CAVES, random);
            break;
        default:
            sculpt_sample(w, random);
        }
    }
}

/* ---- columns ---- */

/* Parameters of a ground, drawn once. */
struct ground {
    enum window_ground kind;
    uint32_t seed;
    int32_t base, step; /* units */
    int32_t slope[2];
};

static struct ground draw_ground(const struct window *w, enum window_ground kind, uint64_t *random)
{
    static const int32_t steps[3] = {9, 60, 540};
    const bool is_small = w->size[0] * w->size[2] <= HIGH_CLIFFS_CELLS;
    struct ground g = {.kind = kind, .seed = (uint32_t)random_next(random)};
    g.base = draw_within(random, -100 * TR_UNITS, 100 * TR_UNITS);
    g.step = TR_UNITS * steps[draw(random, is_small ? 3 : 2)];
    for (int i = 0; i < 2; i++)
        g.slope[i] = draw_within(random, -3 * TR_UNITS / 2, 3 * TR_UNITS / 2);
    return g;
}

static int32_t hills(const struct ground *g, int32_t x, int32_t z)
{
    const int32_t at[3] = {x, 0, z};
    const double height = 6 * noise(at, 11, g->seed) + 1.5 * noise(at, 5, g->seed + 1);
    return g->base + (int32_t)floor(TR_UNITS * height);
}

static int32_t height_at(const struct ground *g, int32_t x, int32_t z)
{
    switch (g->kind) {
    case GROUND_CLIFFS: {
        const uint32_t plateau = hash(x / 5, 0, z / 7, g->seed) & 1023u;
        return g->base + (int32_t)((int64_t)g->step * plateau / 1023);
    }
    case GROUND_WHITE:
        return g->base + (int32_t)(hash(x, 0, z, g->seed) % (14 * TR_UNITS));
    case GROUND_INTEGERS:
        return hills(g, x, z) & ~(TR_UNITS - 1);
    case GROUND_PLANE:
        return g->base + g->slope[0] * x + g->slope[1] * z;
    case GROUND_WAVES:
        return g->base + TR_UNITS * abs((x + 2 * z) % 14 - 7) + TR_UNITS / 3 * abs(z % 6 - 3);
    default:
        return hills(g, x, z);
    }
}

void window_fill_heights(struct window *w, const int32_t *heights)
{
    const size_t count = (size_t)(w->size[0] + 1) * (size_t)(w->size[2] + 1);
    const int32_t block = (int32_t)(w->width << w->top);
    int32_t lo = heights[0], hi = heights[0];
    for (size_t i = 0; i < count; i++) {
        lo = heights[i] < lo ? heights[i] : lo;
        hi = heights[i] > hi ? heights[i] : hi;
    }
    w->layout = WINDOW_COLUMNS;
    w->first_y = block * (int32_t)tr_floor_div(tr_floor_div(lo, TR_UNITS) - MARGIN, block);
    w->size[1] = block * (int32_t)(tr_floor_div(tr_floor_div(hi, TR_UNITS) + MARGIN, block) + 1) - w->first_y;
    window_allocate(w);
    memcpy(w->heights, heights, count * sizeof *heights);
    for (int32_t y = -1; y <= w->size[1] + 1; y++) {
        for (int32_t z = 0; z <= w->size[2]; z++) {
            for (int32_t x = 0; x <= w->size[0]; x++)
                w->samples[window_index(w, x, y, z)] = window_height_sample(w, x, y, z);
        }
    }
}

void window_fill_columns(struct window *w, enum window_ground ground, enum window_edits edits,
                         uint64_t *random)
{
    const struct ground g = draw_ground(w, ground, random);
    const int32_t pitch = w->size[0] + 1;
    int32_t *heights = malloc((size_t)pitch * (size_t)(w->size[2] + 1) * sizeof *heights);
    assert_non_null(heights);
    for (int32_t z = 0; z <= w->size[2]; z++) {
        for (int32_t x = 0; x <= w->size[0]; x++)
            heights[z * pitch + x] = height_at(&g, x, z);
    }
    window_fill_heights(w, heights);
    free(heights);
    sculpt(w, edits, random);
}

/* ---- cubes ---- */

static int16_t body_at(const struct window *w, enum window_body body, const int32_t at[3], uint32_t seed)
{
    const uint32_t h = hash(at[0], at[1], at[2], seed);
    switch (body) {
    case BODY_WHITE:
        return (int16_t)((int32_t)(h % (2 * TR_SDF_MAX + 1)) - TR_SDF_MAX);
    case BODY_NOISE:
        return quantised(700 * noise(at, 5, seed) + 400 * noise(at, 2.3, seed + 1));
    case BODY_THREE:
        return (int16_t)((int32_t)(h % 3) * TR_UNITS - TR_UNITS);
    case BODY_SPARSE:
        return h % 23 ? TR_UNITS : (int16_t) - (int32_t)(h >> 8 & 255);
    case BODY_CAVES: {
        const double ground = at[1] - w->size[1] / 2.0 - 4 * noise((int32_t[3]){at[0], 0, at[2]}, 11, seed);
        const double cave = 1.2 * noise(at, 6, seed + 1) + 0.3;
        return quantised(TR_UNITS * fmax(ground, cave));
    }
    default:
        return TR_UNITS;
    }
}

static void fill_body(struct window *w, enum window_body body, int16_t bottom, uint32_t seed)
{
    for (int32_t y = -1; y <= w->size[1] + 1; y++) {
        for (int32_t z = 0; z <= w->size[2]; z++) {
            for (int32_t x = 0; x <= w->size[0]; x++) {
                int16_t *sample = &w->samples[window_index(w, x, y, z)];
                *sample = y <= 0            ? bottom
                          : y >= w->size[1] ? TR_UNITS
                                            : body_at(w, body, (int32_t[3]){x, y, z}, seed);
            }
        }
    }
}

void window_fill_cubes(struct window *w, enum window_body body, uint64_t *random)
{
    const bool may_stand = body != BODY_SPHERE && body != BODY_TANGENT && body != BODY_SPARSE;
    const bool is_solid_below = body == BODY_CAVES || (may_stand && draw_one_in(random, 2));
    const uint32_t seed = (uint32_t)random_next(random);
    w->layout = WINDOW_CUBES;
    window_allocate(w);
    fill_body(w, body, is_solid_below ? -TR_UNITS : TR_UNITS, seed);
    if (body == BODY_SPHERE) {
        int32_t least = w->size[0] < w->size[2] ? w->size[0] : w->size[2];
        least = least < w->size[1] ? least : w->size[1];
        const double centre[3] = {w->size[0] / 2.0, w->size[1] / 2.0 + 0.125, w->size[2] / 2.0};
        window_ball(w, centre, least * 0.4 - 0.3, 0, true);
    }
    for (int i = 0; body == BODY_TANGENT && i < 2; i++)
        sculpt_tangent_ball(w, true, random);
}

/* ---- selections ---- */

void window_select_uniform(struct window *w, uint32_t lod)
{
    memset(w->lods, (int)lod, window_block(w, 0, window_blocks(w, 1, 0), 0));
}

void window_select_rings(struct window *w, int32_t x, int32_t y, int32_t z)
{
    window_select_uniform(w, w->top);
    while (window_split(w, x, y, z)) {
    }
    window_legalise(w);
}

void window_select_random(struct window *w, uint64_t *random)
{
    const int32_t splits = draw_within(random, 1, 3 * (int32_t)w->top + 3);
    window_select_uniform(w, w->top);
    for (int32_t i = 0; i < splits; i++)
        window_split(w, draw(random, window_blocks(w, 0, 0)), draw(random, window_blocks(w, 1, 0)),
                     draw(random, window_blocks(w, 2, 0)));
    window_legalise(w);
}

void window_force_random(struct window *w, uint64_t *random)
{
    const size_t count = window_block(w, 0, 1, 0);
    for (size_t i = 0; i < count; i++)
        w->forced[i] = (uint8_t)(random_next(random) >> 20 & random_next(random) >> 20);
}

/* ---- everything ---- */

static uint32_t draw_top(uint32_t width, uint64_t *random)
{
    uint32_t top = (uint32_t)draw_within(random, 1, 4);
    while (top > 1 && width << top > 32)
        top--;
    return top;
}

struct window window_random_columns(uint64_t *random, enum window_ground ground, enum window_edits edits)
{
    struct window w = {.layout = WINDOW_COLUMNS, .width = 2u << draw(random, 4)};
    w.top = draw_top(w.width, random);
    for (int axis = 0; axis < 3; axis += 2) {
        const int32_t block = (int32_t)(w.width << w.top), most = block < 16 ? 24 : block < 32 ? 40 : 64;
        w.size[axis] = draw_within(random, 1 + (block >> w.top), most >> w.top) << w.top;
    }
    window_fill_columns(&w, ground, edits, random);
    window_select_random(&w, random);
    if (draw_one_in(random, 2))
        window_force_random(&w, random);
    w.all_states = draw_one_in(random, 3);
    return w;
}

struct window window_random_cubes(uint64_t *random, enum window_body body)
{
    struct window w = {.layout = WINDOW_CUBES, .width = 2u << draw(random, 4)};
    w.top = draw_top(w.width, random);
    const int32_t block = (int32_t)(w.width << w.top);
    do {
        w.size[1] = block * draw_within(random, 1, block < 16 ? 3 : 2);
        for (int axis = 0; axis < 3; axis += 2)
            w.size[axis] = draw_within(random, 1, 3 * block >> w.top) << w.top;
    } while (w.size[0] * w.size[1] * w.size[2] > CUBES_CELLS_MAX);
    window_fill_cubes(&w, body, random);
    window_select_random(&w, random);
    w.all_states = draw_one_in(random, 3);
    return w;
}

struct window window_random(uint64_t seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < 8; i++)
        random_next(&random);
    const bool is_cubes = draw_one_in(&random, 3);
    const int kinds[3] = {draw(&random, GROUNDS), draw(&random, EDITS), draw(&random, BODIES)};
    struct window w =
        is_cubes ? window_random_cubes(&random, (enum window_body)kinds[2])
                 : window_random_columns(&random, (enum window_ground)kinds[0], (enum window_edits)kinds[1]);
    w.seed = seed;
    return w;
}
