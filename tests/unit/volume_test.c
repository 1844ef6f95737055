/* Volume brushes (shaders/volume.h) against the formulas of EDITS.md in double, and lib/edit's loops over them in every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/edit/apply.h"

#include <math.h>
#include <stdlib.h>

#define SIDE TR_BLOCK_HALO

static void (*const apply_volume[])(const uint32_t *, const tr_edit_slot *,
                                    int16_t *) = TR_ISA_TABLE(tr_apply_volume);
static void (*const apply_reshape[])(const tr_edit_slot *, uint32_t, const int16_t *,
                                     int16_t *) = TR_ISA_TABLE(tr_apply_reshape);

/* A block and MARGIN around it, of brushes that carry the ground; and one sample around it. */
#define MARGIN 26
#define WIDE (TR_CHUNK + 2 * MARGIN)

static int16_t wide[WIDE * WIDE * WIDE], halo[SIDE * SIDE * SIDE], before[TR_BLOCK_SAMPLES],
    after[TR_BLOCK_SAMPLES];

static uint64_t random_state = 1;

static double random_in(double lo, double hi)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * ((double)(random_state >> 11) * 0x1p-53);
}

static int random_int(int lo, int hi)
{
    return (int)floor(random_in(lo, hi + 1.0));
}

static void random_direction(float *x, float *y, float *z)
{
    double u[3], length;

    do {
        for (int i = 0; i < 3; i++)
            u[i] = random_in(-1, 1);
        length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    } while (length < 0.1 || length > 1);
    *x = (float)(u[0] / length);
    *y = (float)(u[1] / length);
    *z = (float)(u[2] / length);
}

static void random_span(int *lo, int *hi)
{
    int a = random_int(0, 63), b = random_int(0, 63);
    *lo = a < b ? a : b;
    *hi = a < b ? b : a;
}

/* Brushes of every falloff and power, spherical and projected in turn, whose box is the whole block. */
static tr_edit_slot random_brush(uint op, int i)
{
    tr_edit_slot slot = {.op = op, .hi_x = 63, .hi_y = 63, .hi_z = 63};
    bool is_share = op == TR_SLOT_PLANE || op == TR_SLOT_VOLUME_SMOOTH || op == TR_SLOT_PINCH;

    slot.falloff = (uint)i % TR_FALLOFF_COUNT;
    slot.power = i % 4 < 2 ? 3 : (uint)random_int(2, (int)TR_FALLOFF_POWER_MAX);
    slot.form = i / (int)TR_FALLOFF_COUNT % 2 ? TR_FORM_PROJECTED : TR_FORM_SPHERICAL;
    if (slot.form == TR_FORM_PROJECTED)
        random_direction(&slot.ux, &slot.uy, &slot.uz);
    random_direction(&slot.px, &slot.py, &slot.pz);
    slot.p0 = (float)random_in(-60, 60);
    slot.cx = (float)random_in(-10, 74);
    slot.cy = (float)random_in(-10, 74);
    slot.cz = (float)random_in(-10, 74);
    slot.radius = (float)(1.0 / random_in(1, 80));
    slot.strength = (float)(is_share ? random_in(0.01, 1) : random_in(-20000, 20000));
    return slot;
}

static tr_edit_slot boxed(tr_edit_slot slot, int i)
{
    random_span(&slot.lo_x, &slot.hi_x);
    random_span(&slot.lo_y, &slot.hi_y);
    random_span(&slot.lo_z, &slot.hi_z);
    if (i % 5 == 0)
        slot.lo_x = slot.hi_x;
    return slot;
}

/* --- the formulas of EDITS.md --- */

static double falloff_of(uint falloff, uint power, double t)
{
    double p = 1.0 - t;

    if (t >= 1.0)
        return 0.0;
    switch (falloff) {
    case TR_FALLOFF_SMOOTH:
        return 3 * p * p - 2 * p * p * p;
    case TR_FALLOFF_SMOOTHER:
        return 6 * pow(p, 5) - 15 * pow(p, 4) + 10 * pow(p, 3);
    case TR_FALLOFF_SPHERE:
        return sqrt(2 * p - p * p);
    case TR_FALLOFF_ROOT:
        return sqrt(p);
    case TR_FALLOFF_SHARP:
        return pow(p, power);
    case TR_FALLOFF_POW4:
        return pow(p, 4);
    case TR_FALLOFF_LINEAR:
        return p;
    case TR_FALLOFF_INVERSE_SQUARE:
        return p * (2 - p);
    default:
        return 1.0;
    }
}

/* The distance in radii; of a projected brush from the axis, and the radius where the middle is a radius away along it. */
static double distance_of(const tr_edit_slot *slot, int x, int y, int z)
{
    double q[3] = {x - (double)slot->cx, y - (double)slot->cy, z - (double)slot->cz};
    double u[3] = {(double)slot->ux, (double)slot->uy, (double)slot->uz}, along = 0, d2 = 0;

    for (int i = 0; i < 3; i++)
        along += q[i] * u[i];
    for (int i = 0; i < 3; i++)
        d2 += (q[i] - along * u[i]) * (q[i] - along * u[i]);
    return fabs(along) * (double)slot->radius >= 1.0 ? 1.0 : sqrt(d2) * (double)slot->radius;
}

static double weight_of(const tr_edit_slot *slot, int x, int y, int z)
{
    return falloff_of(slot->falloff, slot->power, distance_of(slot, x, y, z));
}

/* Where rounding may decide whether the brush reaches: at the rim and at the ends of a projected one. */
static bool is_at_the_rim(const tr_edit_slot *slot, int x, int y, int z)
{
    double along = (x - (double)slot->cx) * (double)slot->ux + (y - (double)slot->cy) * (double)slot->uy +
                   (z - (double)slot->cz) * (double)slot->uz;

    return fabs(distance_of(slot, x, y, z) - 1.0) < 1e-5 ||
           fabs(fabs(along) * (double)slot->radius - 1.0) < 1e-5;
}

static uint32_t hash_of(uint32_t x, uint32_t y, uint32_t z, uint32_t seed)
{
    uint32_t h = seed + y * 0xc2b2ae3du + x * 0x9e3779b1u;

    h = (h ^ h >> 15) * 0x2c1b3c6du + z * 0x85ebca77u;
    h = (h ^ h >> 12) * 0x297a2d39u;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

static double fade_of(double t)
{
    return ((6 * t - 15) * t + 10) * t * t * t;
}

/* One octave of gradient noise at a place counted in its cells: eight corners, times 1.5. */
static double octave_of(uint32_t seed, const double at[3])
{
    double value = 0.0;

    for (int corner = 0; corner < 8; corner++) {
        double cell[3], share = 1.0, slope = 0.0;
        uint32_t h;
        for (int i = 0; i < 3; i++) {
            int upper = corner >> i & 1;
            double fade = fade_of(at[i] - floor(at[i]));
            cell[i] = floor(at[i]) + upper;
            share *= upper ? fade : 1 - fade;
        }
        h = hash_of((uint32_t)(int64_t)cell[0], (uint32_t)(int64_t)cell[1], (uint32_t)(int64_t)cell[2], seed);
        for (int i = 0; i < 3; i++)
            slope += ((int)(h >> (10 * i) & 1023) * 2 - 1023) / 1024.0 * (at[i] - cell[i]);
        value += share * slope;
    }
    return 1.5 * value;
}

struct noise {
    uint32_t seed, octaves;
    double scale;     /* voxels */
    double origin[3]; /* the frame's, voxels */
};

static double noise_of(const struct noise *noise, int x, int y, int z)
{
    const double p[3] = {x, y, z};
    double sum = 0.0;

    for (uint32_t o = 0; o < noise->octaves; o++) {
        double at[3];
        for (int i = 0; i < 3; i++)
            at[i] = (noise->origin[i] + p[i]) * pow(2.0, o) / noise->scale;
        sum += pow(0.5, o) * octave_of(noise->seed + o * 0x9e3779b1u, at);
    }
    return sum;
}

static void noise_words(const struct noise *noise, uint32_t words[TR_BRUSH_NOISE_WORDS])
{
    words[0] = noise->seed;
    words[1] = noise->octaves;
    for (int i = 0; i < 3; i++) {
        double cells = noise->origin[i] / noise->scale;
        words[2 + i] = (uint32_t)(int64_t)floor(cells);
        words[5 + i] = tr_bits((float)(cells - floor(cells)));
    }
    words[8] = tr_bits((float)(1.0 / noise->scale));
}

static struct noise random_noise(void)
{
    struct noise noise = {
        (uint32_t)random_int(0, INT32_MAX), (uint32_t)random_int(1, 8), random_in(1, 200), {0}};

    for (int i = 0; i < 3; i++)
        noise.origin[i] = 64.0 * random_int(-900, 900);
    return noise;
}

/* A picture that lies in space: pixel (u, v) is at the points with east . p + east0 = u, south . p + south0 = v. */
#define IMAGE_MAX 20
struct image {
    int width, height;
    uint16_t pixels[IMAGE_MAX * IMAGE_MAX];
    float east[3], east0, south[3], south0;
};

static struct image random_image(void)
{
    struct image image = {.width = random_int(1, IMAGE_MAX), .height = random_int(1, IMAGE_MAX)};
    float scale = (float)random_in(0.05, 1);

    for (int i = 0; i < IMAGE_MAX * IMAGE_MAX; i++)
        image.pixels[i] = (uint16_t)random_int(0, 65535);
    random_direction(&image.east[0], &image.east[1], &image.east[2]);
    random_direction(&image.south[0], &image.south[1], &image.south[2]);
    for (int i = 0; i < 3; i++) {
        image.east[i] *= scale;
        image.south[i] *= scale;
    }
    image.east0 = (float)random_in(-20, 20);
    image.south0 = (float)random_in(-20, 20);
    return image;
}

#define IMAGE_WORDS (TR_IMAGE_PIXELS + IMAGE_MAX * IMAGE_MAX / 2)

static void image_words(const struct image *image, uint32_t words[IMAGE_WORDS])
{
    for (int i = 0; i < 3; i++) {
        words[i] = tr_bits(image->east[i]);
        words[4 + i] = tr_bits(image->south[i]);
    }
    words[3] = tr_bits(image->east0);
    words[7] = tr_bits(image->south0);
    words[8] = words[9] = tr_bits(0.0f);
    words[10] = tr_bits((float)(image->width - 1));
    words[11] = tr_bits((float)(image->height - 1));
    words[12] = (uint32_t)image->width;
    words[13] = (uint32_t)image->height;
    for (int i = 0; i < image->width * image->height; i += 2) {
        uint32_t right = i + 1 < image->width * image->height ? image->pixels[i + 1] : 0xdead;
        words[TR_IMAGE_PIXELS + i / 2] = image->pixels[i] | right << 16;
    }
}

static double pixel_of(const struct image *image, int u, int v)
{
    u = u < image->width ? u : image->width - 1;
    v = v < image->height ? v : image->height - 1;
    return image->pixels[v * image->width + u] / 65535.0;
}

/* Bilinear; beyond the picture its rim. */
static double grey_of(const struct image *image, int x, int y, int z)
{
    double u = (double)image->east0 + x * (double)image->east[0] + y * (double)image->east[1] +
               z * (double)image->east[2];
    double v = (double)image->south0 + x * (double)image->south[0] + y * (double)image->south[1] +
               z * (double)image->south[2];

    u = fmin(fmax(u, 0), image->width - 1);
    v = fmin(fmax(v, 0), image->height - 1);
    int iu = (int)u, iv = (int)v;
    double wu = u - iu, wv = v - iv;
    return (1 - wv) * ((1 - wu) * pixel_of(image, iu, iv) + wu * pixel_of(image, iu + 1, iv)) +
           wv * ((1 - wu) * pixel_of(image, iu, iv + 1) + wu * pixel_of(image, iu + 1, iv + 1));
}

static double stored_range(double s)
{
    return fmin(fmax(s, -TR_SDF_MAX), TR_SDF_MAX);
}

/* What the words of a slot hold. */
struct patterns {
    struct noise noise;
    struct image image;
    uint32_t words[IMAGE_WORDS];
};

static struct patterns random_patterns(uint op)
{
    struct patterns patterns = {.noise = random_noise()};

    if (op == TR_SLOT_VOLUME_STAMP) {
        patterns.image = random_image();
        image_words(&patterns.image, patterns.words);
    } else {
        noise_words(&patterns.noise, patterns.words);
    }
    return patterns;
}

static double exact_sample(const tr_edit_slot *slot, const struct patterns *patterns, int x, int y, int z,
                           int s)
{
    double w = weight_of(slot, x, y, z) * (double)slot->strength;

    if (slot->op == TR_SLOT_PUSH)
        return stored_range(s + w);
    if (slot->op == TR_SLOT_PLANE) {
        double from_plane =
            x * (double)slot->px + y * (double)slot->py + z * (double)slot->pz + (double)slot->p0;
        return s + w * (stored_range(256.0 * from_plane) - s);
    }
    if (slot->op == TR_SLOT_VOLUME_STAMP)
        return stored_range(s - w * grey_of(&patterns->image, x, y, z));
    return stored_range(s - w * noise_of(&patterns->noise, x, y, z));
}

static void every_pointwise_brush_is_its_formula_within_one_unit(void **state)
{
    const uint ops[] = {TR_SLOT_PUSH, TR_SLOT_PLANE, TR_SLOT_VOLUME_NOISE, TR_SLOT_VOLUME_STAMP};

    (void)state;
    for (int i = 0; i < 300000; i++) {
        tr_edit_slot slot = random_brush(ops[i % 4], i / 4);
        struct patterns patterns = random_patterns(slot.op);
        int x = random_int(0, 63), y = random_int(0, 63), z = random_int(0, 63);
        int s = random_int(-TR_SDF_MAX, TR_SDF_MAX), found;
        double exact = exact_sample(&slot, &patterns, x, y, z, s);
        found = tr_slot_sample(patterns.words, slot, x, y, z, s);
        if (fabs(found - exact) > 1.0 && !is_at_the_rim(&slot, x, y, z))
            fail_msg("operation %u, form %u, falloff %u, power %u, strength %g: %d became %d, expected %.3f",
                     slot.op, slot.form, slot.falloff, slot.power, (double)slot.strength, s, found, exact);
    }
}

static void push_saturates_and_its_sign_is_the_direction(void **state)
{
    tr_edit_slot slot = {.op = TR_SLOT_PUSH, .falloff = TR_FALLOFF_CONSTANT, .radius = 0.01f};

    (void)state;
    slot.strength = 16777215.0f;
    assert_int_equal(tr_volume_push(slot, 1, 2, 3, -TR_SDF_MAX), TR_SDF_MAX);
    slot.strength = -16777215.0f; /* add: toward solid */
    assert_int_equal(tr_volume_push(slot, 1, 2, 3, TR_SDF_MAX), -TR_SDF_MAX);
    slot.strength = 300.0f;
    assert_int_equal(tr_volume_push(slot, 1, 2, 3, -100), 200);
}

static void projected_brush_is_a_cylinder_as_high_as_wide(void **state)
{
    tr_edit_slot slot = {.op = TR_SLOT_PUSH, .form = TR_FORM_PROJECTED, .falloff = TR_FALLOFF_CONSTANT};

    (void)state;
    slot.cx = slot.cy = slot.cz = 32.0f;
    slot.uy = 1.0f;
    slot.radius = 1.0f / 16.0f;
    slot.strength = 77.0f;
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++) {
            bool inside = abs(x - 32) < 16 && abs(y - 32) < 16;
            assert_int_equal(tr_volume_push(slot, x, y, 32, 5), inside ? 82 : 5);
        }
}

/* --- smooth --- */

typedef int smooth_function(tr_edit_slot slot, int x, int y, int z, int s, int sum_of_6);

static int smooth_as_built(tr_edit_slot slot, int x, int y, int z, int s, int sum_of_6)
{
    return tr_volume_smooth(slot, x, y, z, s, sum_of_6);
}

/* Smoothing as it is often done wrong: samples are drawn toward zero, which thins the ground everywhere. */
static int smooth_toward_zero(tr_edit_slot slot, int x, int y, int z, int s, int sum_of_6)
{
    float w = tr_volume_weight(slot, x, y, z) * slot.strength;

    (void)sum_of_6;
    return tr_sample_change(s, -w * (float)s);
}

/* The mean of 7 samples instead of the way to that of 6. */
static int smooth_by_seven(tr_edit_slot slot, int x, int y, int z, int s, int sum_of_6)
{
    float w = tr_volume_weight(slot, x, y, z) * slot.strength;

    return tr_sample_change(s, w * (float)(sum_of_6 - 6 * s) / 7.0f);
}

/* How many of many random samples differ from s + lambda w (n / 6 - s) by more than one unit. */
static int smooth_mistakes(smooth_function *smooth)
{
    int mistakes = 0;

    for (int i = 0; i < 200000; i++) {
        tr_edit_slot slot = random_brush(TR_SLOT_VOLUME_SMOOTH, i);
        int x = random_int(0, 63), y = random_int(0, 63), z = random_int(0, 63);
        int s = random_int(-TR_SDF_MAX, TR_SDF_MAX), sum = 0;
        double exact;
        for (int k = 0; k < 6; k++)
            sum += tr_sdf_clamp(s + random_int(-3000, 3000));
        exact = s + weight_of(&slot, x, y, z) * (double)slot.strength * (sum / 6.0 - s);
        mistakes += fabs(smooth(slot, x, y, z, s, sum) - exact) > 1.0 && !is_at_the_rim(&slot, x, y, z);
    }
    return mistakes;
}

static void smooth_is_its_formula_within_one_unit(void **state)
{
    (void)state;
    assert_int_equal(smooth_mistakes(smooth_as_built), 0);
}

static void the_same_check_refuses_what_is_not_smooth(void **state)
{
    (void)state;
    assert_true(smooth_mistakes(smooth_toward_zero) > 20000);
    assert_true(smooth_mistakes(smooth_by_seven) > 20000);
}

static const int16_t *halo_at(int x, int y, int z)
{
    return halo + ((y + 1) * SIDE + z + 1) * SIDE + x + 1;
}

static int sum_of_6(const int16_t *at)
{
    return at[-1] + at[1] + at[-SIDE] + at[SIDE] + at[-SIDE * SIDE] + at[SIDE * SIDE];
}

/* How many samples of a sloping plane a full smooth moves. */
static int plane_moves(smooth_function *smooth)
{
    int moves = 0;

    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        halo[i] = (int16_t)(37 * (i % SIDE) - 91 * (i / SIDE % SIDE) + 150 * (i / (SIDE * SIDE)) - 4000);
    for (uint falloff = 0; falloff < TR_FALLOFF_COUNT; falloff++) {
        tr_edit_slot slot = {.op = TR_SLOT_VOLUME_SMOOTH, .falloff = falloff, .power = 3, .strength = 1.0f};
        slot.cx = slot.cy = slot.cz = 32.0f;
        slot.radius = 1.0f / 40.0f;
        for (int at = 0; at < TR_BLOCK_SAMPLES; at++) {
            int x = at % 64, z = at / 64 % 64, y = at / 4096;
            const int16_t *here = halo_at(x, y, z);
            moves += smooth(slot, x, y, z, *here, sum_of_6(here)) != *here;
        }
    }
    return moves;
}

static void plane_stays_a_plane_when_smoothed(void **state)
{
    (void)state;
    assert_int_equal(plane_moves(smooth_as_built), 0);
    assert_true(plane_moves(smooth_toward_zero) > 0);
}

/* Over the samples within two voxels of the surface, how much each differs from the mean of its neighbours. */
static int64_t curvature(void)
{
    int64_t sum = 0;

    for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
        const int16_t *here = halo_at(i % 64, i / 4096, i / 64 % 64);
        sum += abs(*here) < 512 ? abs(sum_of_6(here) - 6 * *here) : 0;
    }
    return sum;
}

static void smoothing_a_bumpy_sphere_lowers_its_curvature_and_keeps_its_size(void **state)
{
    tr_edit_slot slot = {.op = TR_SLOT_VOLUME_SMOOTH, .falloff = TR_FALLOFF_CONSTANT, .strength = 0.5f};
    int64_t solid_before = 0, solid_after = 0, first = 0;

    (void)state;
    slot.cx = slot.cy = slot.cz = 32.0f;
    slot.radius = 1.0f / 1000.0f;
    slot.hi_x = slot.hi_y = slot.hi_z = 63;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        double x = i % SIDE - 33, z = i / SIDE % SIDE - 33, y = i / (SIDE * SIDE) - 33;
        halo[i] = (int16_t)(256.0 * (sqrt(x * x + y * y + z * z) - 20.0) + random_int(-150, 150));
        solid_before += halo[i] <= 0;
    }
    for (int step = 0; step < 6; step++) {
        int64_t now = curvature();
        first = step == 0 ? now : first;
        apply_reshape[0](&slot, 1, halo, after);
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
            halo[((i / 4096 + 1) * SIDE + i / 64 % 64 + 1) * SIDE + i % 64 + 1] = after[i];
        if (curvature() >= now)
            fail_msg("step %d: curvature %lld, before %lld", step, (long long)curvature(), (long long)now);
    }
    assert_true(curvature() < first / 2);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        solid_after += halo[i] <= 0;
    if (llabs((long long)(solid_after - solid_before)) > solid_before / 50)
        fail_msg("%lld solid samples, %lld before", (long long)solid_after, (long long)solid_before);
}

/* --- loops --- */

static void blocks_equal_the_scalar_function_within_the_box_and_stay_outside_it(void **state)
{
    const uint ops[] = {TR_SLOT_PUSH, TR_SLOT_PLANE, TR_SLOT_VOLUME_NOISE, TR_SLOT_VOLUME_STAMP};

    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int i = 0; i < 4 * 2 * (int)TR_FALLOFF_COUNT; i++) {
            tr_edit_slot slot = boxed(random_brush(ops[i % 4], i / 4), i);
            struct patterns patterns = random_patterns(slot.op);
            uint32_t words[5 + IMAGE_WORDS];
            slot.words = 5;
            memcpy(words + 5, patterns.words, sizeof patterns.words);
            for (int k = 0; k < TR_BLOCK_SAMPLES; k++)
                after[k] = before[k] = (int16_t)random_int(-TR_SDF_MAX, TR_SDF_MAX);
            apply_volume[level](words, &slot, after);
            for (int k = 0; k < TR_BLOCK_SAMPLES; k++) {
                int x = k % 64, y = k / 4096, z = k / 64 % 64;
                int expected = tr_slot_sample(words, slot, x, y, z, before[k]);
                if (after[k] != expected)
                    fail_msg("%s, operation %u, form %u, falloff %u, power %u, sample (%d, %d, %d): %d, "
                             "expected %d",
                             tr_isa_name(level), slot.op, slot.form, slot.falloff, slot.power, x, y, z,
                             after[k], expected);
            }
        }
}

static const int16_t *wide_at(int x, int y, int z)
{
    return wide + ((y + MARGIN) * WIDE + z + MARGIN) * WIDE + x + MARGIN;
}

static int scalar_reshape(const tr_edit_slot *slot, int x, int y, int z)
{
    const int layer = WIDE * WIDE;
    const int16_t *s = wide_at(x, y, z);
    tr_source from;

    if (!tr_slot_covers(*slot, x, y, z))
        return s[0];
    if (slot->op == TR_SLOT_VOLUME_SMOOTH)
        return tr_volume_smooth(*slot, x, y, z, s[0],
                                s[-1] + s[1] + s[-WIDE] + s[WIDE] + s[-layer] + s[layer]);
    if (slot->op == TR_SLOT_INFLATE)
        return tr_volume_inflate(*slot, x, y, z, s[0], s[1] - s[-1], s[layer] - s[-layer],
                                 s[WIDE] - s[-WIDE]);
    from = tr_volume_source(*slot, x, y, z);
    s = wide_at(from.x, from.y, from.z);
    return tr_volume_mix(from, s[0], s[1], s[layer], s[layer + 1], s[WIDE], s[WIDE + 1], s[layer + WIDE],
                         s[layer + WIDE + 1]);
}

/* Pinch and grab that read no farther than MARGIN. */
static tr_edit_slot random_reshape(uint op, int i)
{
    tr_edit_slot slot = random_brush(op, i);
    float far = (float)random_in(0, MARGIN - 2);

    if (op == TR_SLOT_PINCH)
        slot.radius = (float)(1.0 / random_in(1, MARGIN - 2));
    slot.px *= far;
    slot.py *= far;
    slot.pz *= far;
    return slot;
}

static void reshaping_equals_the_scalar_functions_within_the_box_and_copies_outside_it(void **state)
{
    const uint ops[] = {TR_SLOT_VOLUME_SMOOTH, TR_SLOT_INFLATE, TR_SLOT_PINCH, TR_SLOT_GRAB};

    (void)state;
    for (int i = 0; i < WIDE * WIDE * WIDE; i++)
        wide[i] = (int16_t)random_int(-TR_SDF_MAX, TR_SDF_MAX);
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int i = 0; i < 4 * 2 * (int)TR_FALLOFF_COUNT; i++) {
            tr_edit_slot slot = boxed(random_reshape(ops[i % 4], i / 4), i);
            apply_reshape[level](&slot, MARGIN, wide, after);
            for (int k = 0; k < TR_BLOCK_SAMPLES; k++) {
                int x = k % 64, y = k / 4096, z = k / 64 % 64, expected = scalar_reshape(&slot, x, y, z);
                if (after[k] != expected)
                    fail_msg("%s, operation %u, form %u, falloff %u, power %u, sample (%d, %d, %d): %d, "
                             "expected %d",
                             tr_isa_name(level), slot.op, slot.form, slot.falloff, slot.power, x, y, z,
                             after[k], expected);
            }
        }
}

static void a_margin_of_1_is_enough_for_smooth_and_inflate(void **state)
{
    const uint ops[] = {TR_SLOT_VOLUME_SMOOTH, TR_SLOT_INFLATE};

    (void)state;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        halo[i] = *wide_at(i % SIDE - 1, i / (SIDE * SIDE) - 1, i / SIDE % SIDE - 1);
    for (int i = 0; i < 2; i++) {
        tr_edit_slot slot = random_reshape(ops[i], 0);
        slot.cx = slot.cy = slot.cz = 0.0f;
        slot.radius = 1.0f / 200.0f;
        apply_reshape[0](&slot, 1, halo, after);
        apply_reshape[0](&slot, MARGIN, wide, before);
        assert_memory_equal(after, before, sizeof after);
    }
}

/* --- what they are for --- */

/* A brush of full weight on all of the block. */
static tr_edit_slot full_brush(uint op, float strength)
{
    tr_edit_slot slot = {.op = op, .falloff = TR_FALLOFF_CONSTANT, .hi_x = 63, .hi_y = 63, .hi_z = 63};

    slot.cx = slot.cy = slot.cz = 32.0f;
    slot.radius = 1.0f / 1000.0f;
    slot.strength = strength;
    return slot;
}

static void wide_fill(double (*field)(double x, double y, double z, double parameter), double parameter)
{
    for (int i = 0; i < WIDE * WIDE * WIDE; i++) {
        double x = i % WIDE - MARGIN, y = i / (WIDE * WIDE) - MARGIN, z = i / WIDE % WIDE - MARGIN;
        wide[i] = (int16_t)floor(stored_range(256.0 * field(x, y, z, parameter)) + 0.5);
    }
}

/* The distance from the plane (2x + y + 2z) / 3 = 50, times the steepness; a whole number of units for multiples of 3/256. */
static double tilted_plane(double x, double y, double z, double steepness)
{
    return steepness * ((2 * x + y + 2 * z) / 3.0 - 50.0);
}

/* A surface that moves by `strength` along its normal is the same plane, so much farther, however steep its samples are. */
static void inflate_moves_a_tilted_plane_along_its_normal_by_its_strength_whatever_the_slope(void **state)
{
    const double steepnesses[] = {0.1875, 0.375, 0.75, 1.5};

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int strength = -700; strength <= 700; strength += 175) {
            tr_edit_slot slot = full_brush(TR_SLOT_INFLATE, (float)strength);
            wide_fill(tilted_plane, steepnesses[i]);
            apply_reshape[0](&slot, MARGIN, wide, after);
            for (int k = 0; k < TR_BLOCK_SAMPLES; k++) {
                double x = k % 64, y = k / 4096, z = k / 64 % 64;
                double moved = 256.0 * tilted_plane(x, y, z, steepnesses[i]) - strength * steepnesses[i];
                if (fabs(after[k] - moved) > 1.0)
                    fail_msg("steepness %g, strength %d, sample (%g, %g, %g): %d, expected %.3f",
                             steepnesses[i], strength, x, y, z, after[k], moved);
            }
        }
}

static void inflate_is_its_formula_within_one_unit(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        tr_edit_slot slot = random_brush(TR_SLOT_INFLATE, i);
        int x = random_int(0, 63), y = random_int(0, 63), z = random_int(0, 63);
        int s = random_int(-TR_SDF_MAX, TR_SDF_MAX), d[3], found;
        double slope2 = 0, exact;
        for (int k = 0; k < 3; k++) {
            d[k] = random_int(-1500, 1500);
            slope2 += (d[k] / 512.0) * (d[k] / 512.0);
        }
        exact = stored_range(s - (double)slot.strength * weight_of(&slot, x, y, z) * sqrt(slope2));
        found = tr_volume_inflate(slot, x, y, z, s, d[0], d[1], d[2]);
        if (fabs(found - exact) > 1.0 && !is_at_the_rim(&slot, x, y, z))
            fail_msg(
                "form %u, falloff %u, strength %g, differences (%d, %d, %d): %d became %d, expected %.3f",
                slot.form, slot.falloff, (double)slot.strength, d[0], d[1], d[2], s, found, exact);
    }
}

/* Trilinear between the samples around a point. */
static double wide_field(const double p[3])
{
    double value = 0.0;

    for (int corner = 0; corner < 8; corner++) {
        double share = 1.0;
        int at[3];
        for (int i = 0; i < 3; i++) {
            int upper = corner >> i & 1;
            double place = p[i] - floor(p[i]);
            at[i] = (int)floor(p[i]) + upper;
            share *= upper ? place : 1 - place;
        }
        value += share * *wide_at(at[0], at[1], at[2]);
    }
    return value;
}

/* Near the rim root and sphere are so steep that a rounded distance moves the place noticeably. */
static bool is_close_to_the_rim(const tr_edit_slot *slot, int x, int y, int z)
{
    return fabs(distance_of(slot, x, y, z) - 1.0) < 1e-3 || is_at_the_rim(slot, x, y, z);
}

static void pinch_and_grab_take_the_field_from_where_their_formula_says_within_one_unit(void **state)
{
    const uint ops[] = {TR_SLOT_PINCH, TR_SLOT_GRAB};

    (void)state;
    for (int i = 0; i < WIDE * WIDE * WIDE; i++)
        wide[i] = (int16_t)random_int(-1500, 1500);
    for (int i = 0; i < 200000; i++) {
        tr_edit_slot slot = random_reshape(ops[i % 2], i / 2);
        int at[3] = {random_int(0, 63), random_int(0, 63), random_int(0, 63)}, found;
        const double c[3] = {(double)slot.cx, (double)slot.cy, (double)slot.cz};
        const double by[3] = {(double)slot.px, (double)slot.py, (double)slot.pz};
        double w = weight_of(&slot, at[0], at[1], at[2]), p[3], exact;
        for (int k = 0; k < 3; k++)
            p[k] = slot.op == TR_SLOT_PINCH ? at[k] + (double)slot.strength * w * (at[k] - c[k])
                                            : at[k] - w * by[k];
        exact = wide_field(p);
        found = scalar_reshape(&slot, at[0], at[1], at[2]);
        if (fabs(found - exact) > 1.0 && !is_close_to_the_rim(&slot, at[0], at[1], at[2]))
            fail_msg("operation %u, form %u, falloff %u, sample (%d, %d, %d) from (%.3f, %.3f, %.3f): %d, "
                     "expected %.3f",
                     slot.op, slot.form, slot.falloff, at[0], at[1], at[2], p[0], p[1], p[2], found, exact);
    }
}

static double sphere(double x, double y, double z, double radius)
{
    return sqrt((x - 32) * (x - 32) + (y - 32) * (y - 32) + (z - 32) * (z - 32)) - radius;
}

/* Where the surface is on the way from the middle of the block along x. */
static double surface_east_of_the_middle(const int16_t *samples)
{
    for (int x = 32; x < 63; x++) {
        int s = samples[tr_block_index(x, 32, 32)], next = samples[tr_block_index(x + 1, 32, 32)];
        if (s <= 0 && next > 0)
            return x - 32 + (double)s / (s - next);
    }
    return NAN;
}

/* A ball shrinks, since what is there comes from farther out: by 1 + lambda where the weight is 1. */
static void pinch_draws_a_sphere_s_surface_to_its_centre(void **state)
{
    (void)state;
    wide_fill(sphere, 21.0);
    for (int tenths = 1; tenths <= 10; tenths++) {
        double radius = 21.0 / (1 + tenths / 10.0), found;
        tr_edit_slot slot = full_brush(TR_SLOT_PINCH, (float)tenths / 10.0f);
        slot.radius = 1.0f / 24.0f;
        apply_reshape[0](&slot, MARGIN, wide, after);
        found = surface_east_of_the_middle(after);
        if (!(fabs(found - radius) < 0.02))
            fail_msg("lambda %d/10: the surface is %.3f from the centre, expected %.3f", tenths, found,
                     radius);
    }
}

/* Flat ground at y = 24 with a bump on it, at (24, 24). */
static double bump(double x, double y, double z, double height)
{
    return y - 24.0 - height * exp(-((x - 24) * (x - 24) + (z - 24) * (z - 24)) / 40.0);
}

static void grab_carries_a_bump_along_by_whole_voxels_without_a_change(void **state)
{
    tr_edit_slot slot = full_brush(TR_SLOT_GRAB, 0.0f);

    (void)state;
    slot.px = 13.0f;
    slot.py = 4.0f;
    slot.pz = -7.0f;
    wide_fill(bump, 9.0);
    apply_reshape[0](&slot, MARGIN, wide, after);
    for (int k = 0; k < TR_BLOCK_SAMPLES; k++)
        assert_int_equal(after[k], *wide_at(k % 64 - 13, k / 4096 - 4, k / 64 % 64 + 7));
}

/* The column with the highest surface. */
static void find_top(const int16_t *samples, int *top_x, int *top_z)
{
    double highest = -1;

    for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
        int x = i % 64, y = i / 4096, z = i / 64 % 64;
        int s = samples[i], above = y < 63 ? samples[tr_block_index(x, y + 1, z)] : 0;
        double height = s <= 0 && above > 0 ? y + (double)s / (s - above) : -1;
        if (height > highest) {
            highest = height;
            *top_x = x;
            *top_z = z;
        }
    }
}

/* With a smooth falloff the middle of the bump goes with the brush and its foot stays. */
static void grab_with_a_falloff_moves_the_middle_and_leaves_what_is_beyond_the_radius(void **state)
{
    tr_edit_slot slot = full_brush(TR_SLOT_GRAB, 0.0f);
    int x = -1, z = -1;

    (void)state;
    slot.falloff = TR_FALLOFF_SMOOTH;
    slot.cx = slot.cy = slot.cz = 24.0f;
    slot.radius = 1.0f / 30.0f;
    slot.px = 6.0f;
    wide_fill(bump, 5.0);
    apply_reshape[0](&slot, MARGIN, wide, after);
    find_top(after, &x, &z);
    if (x < 28 || x > 30 || z != 24)
        fail_msg("the top of the bump is at (%d, %d), expected (28..30, 24)", x, z);
    for (int k = 0; k < TR_BLOCK_SAMPLES; k++)
        if (distance_of(&slot, k % 64, k / 4096, k / 64 % 64) > 1.0)
            assert_int_equal(after[k], *wide_at(k % 64, k / 4096, k / 64 % 64));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pointwise_brush_is_its_formula_within_one_unit),
        cmocka_unit_test(push_saturates_and_its_sign_is_the_direction),
        cmocka_unit_test(projected_brush_is_a_cylinder_as_high_as_wide),
        cmocka_unit_test(smooth_is_its_formula_within_one_unit),
        cmocka_unit_test(the_same_check_refuses_what_is_not_smooth),
        cmocka_unit_test(plane_stays_a_plane_when_smoothed),
        cmocka_unit_test(smoothing_a_bumpy_sphere_lowers_its_curvature_and_keeps_its_size),
        cmocka_unit_test(blocks_equal_the_scalar_function_within_the_box_and_stay_outside_it),
        cmocka_unit_test(reshaping_equals_the_scalar_functions_within_the_box_and_copies_outside_it),
        cmocka_unit_test(a_margin_of_1_is_enough_for_smooth_and_inflate),
        cmocka_unit_test(inflate_moves_a_tilted_plane_along_its_normal_by_its_strength_whatever_the_slope),
        cmocka_unit_test(inflate_is_its_formula_within_one_unit),
        cmocka_unit_test(pinch_and_grab_take_the_field_from_where_their_formula_says_within_one_unit),
        cmocka_unit_test(pinch_draws_a_sphere_s_surface_to_its_centre),
        cmocka_unit_test(grab_carries_a_bump_along_by_whole_voxels_without_a_change),
        cmocka_unit_test(grab_with_a_falloff_moves_the_middle_and_leaves_what_is_beyond_the_radius),
    };
    return cmocka_run_group_tests_name("volume", tests, NULL, NULL);
}
