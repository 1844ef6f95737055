/* Height brushes and the follow law (shaders/brush.h) against the formulas of EDITS.md in double, and lib/edit's loops over them in every
 * instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/edit/apply.h"
#include <math.h>
#include <stdlib.h>

#define HALO TR_HEIGHT_HALO

static void (*const apply_height[])(const uint32_t *, const tr_edit_slot *,
                                    int32_t *) = TR_ISA_TABLE(tr_apply_height);
static void (*const apply_smooth[])(const tr_edit_slot *, const int32_t *,
                                    int32_t *) = TR_ISA_TABLE(tr_apply_smooth);
static void (*const apply_begin[])(const int32_t *, uint32_t, uint32_t, int32_t,
                                   int16_t *) = TR_ISA_TABLE(tr_apply_begin);
static void (*const apply_follow[])(const int32_t *, const int32_t *, int32_t,
                                    int16_t *) = TR_ISA_TABLE(tr_apply_follow);

static int32_t heights[TR_CHUNK * TR_CHUNK], changed[TR_CHUNK * TR_CHUNK], halo[HALO * HALO];
static int16_t samples[TR_BLOCK_SAMPLES], expected_samples[TR_BLOCK_SAMPLES];

static uint64_t random_state = 1;

static int random_int(int lo, int hi)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return lo + (int)((random_state >> 33) % (uint64_t)(hi - lo + 1));
}

static double random_in(double lo, double hi)
{
    return lo + (hi - lo) * (random_int(0, 1 << 30) / (double)(1 << 30));
}

static tr_edit_slot brush(uint op, uint falloff, float strength)
{
    tr_edit_slot slot = {.op = op, .falloff = falloff, .power = 3, .hi_x = 63, .hi_y = 63, .hi_z = 63};
    slot.cx = 30.25f;
    slot.cz = 33.5f;
    slot.radius = 1.0f / 28.5f;
    slot.strength = strength;
    slot.px = 0.5f; /* 1 - beta, of hc-smooth */
    return slot;
}

static void random_span(int *lo, int *hi)
{
    int a = random_int(0, 63), b = random_int(0, 63);
    *lo = a < b ? a : b;
    *hi = a < b ? b : a;
}

/* Brushes of every falloff and power, with all kinds of boxes. */
static tr_edit_slot random_brush(uint op, int i)
{
    tr_edit_slot slot = brush(op, (uint)i % TR_FALLOFF_COUNT, 0);
    bool is_share = op == TR_SLOT_SMOOTH || op == TR_SLOT_HC_SMOOTH || op == TR_SLOT_LEVEL;

    slot.power = i % 2 ? 3 : (uint)random_int(2, (int)TR_FALLOFF_POWER_MAX);
    slot.strength = is_share ? (float)random_int(1, 64) / 64.0f : (float)random_int(-100000, 100000);
    slot.px = (float)random_int(1, 64) / 64.0f;
    slot.target = random_int(-100000, 100000);
    slot.cx = (float)random_int(-4000, 20000) / 256.0f;
    slot.cz = (float)random_int(-4000, 20000) / 256.0f;
    slot.radius = 1.0f / (float)random_int(1, 90);
    random_span(&slot.lo_x, &slot.hi_x);
    random_span(&slot.lo_z, &slot.hi_z);
    if (i % 7 == 0)
        slot.lo_x = slot.hi_x;
    return slot;
}

static bool in_box(const tr_edit_slot *slot, int x, int z)
{
    return x >= slot->lo_x && x <= slot->hi_x && z >= slot->lo_z && z <= slot->hi_z;
}

/* The sum of the 4 neighbours of a height in the halo. */
static int sum_of_4(const int32_t *at)
{
    return at[-1] + at[1] + at[-HALO] + at[HALO];
}

static int bend_of(const int32_t *at)
{
    return sum_of_4(at) - 4 * at[0];
}

static int sum_of_bends(const int32_t *at)
{
    return bend_of(at - 1) + bend_of(at + 1) + bend_of(at - HALO) + bend_of(at + HALO);
}

static const int32_t *halo_at(int x, int z)
{
    return halo + (z + 2) * HALO + x + 2;
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

static double weight_of(const tr_edit_slot *slot, int x, int z)
{
    double dx = x - (double)slot->cx, dz = z - (double)slot->cz;

    return falloff_of(slot->falloff, slot->power, sqrt(dx * dx + dz * dz) * (double)slot->radius);
}

/* A place where rounding may decide whether it is within the radius: there constant, sphere and root jump or are steep. */
static bool is_at_the_rim(const tr_edit_slot *slot, int x, int z)
{
    double dx = x - (double)slot->cx, dz = z - (double)slot->cz;

    return fabs(sqrt(dx * dx + dz * dz) * (double)slot->radius - 1.0) < 1e-5;
}

/* Noise as brush_noise.h describes it: the hash, gradients in (-1, 1), the quintic fade, times 1.5. */
static uint32_t hash_of(uint32_t x, uint32_t z, uint32_t seed)
{
    uint32_t h = seed + x * 0x9e3779b1u;

    h = (h ^ h >> 15) * 0x2c1b3c6du + z * 0x85ebca77u;
    h = (h ^ h >> 12) * 0x297a2d39u;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

static double fade_of(double t)
{
    return ((6 * t - 15) * t + 10) * t * t * t;
}

/* One octave at the place (x, z), counted in its cells. */
static double octave_of(uint32_t seed, double x, double z)
{
    double value = 0.0;

    for (int corner = 0; corner < 4; corner++) {
        double cell_x = floor(x) + (corner & 1), cell_z = floor(z) + (corner >> 1);
        uint32_t h = hash_of((uint32_t)(int64_t)cell_x, (uint32_t)(int64_t)cell_z, seed);
        double gradient_x = ((int)(h & 1023) * 2 - 1023) / 1024.0;
        double gradient_z = ((int)(h >> 10 & 1023) * 2 - 1023) / 1024.0;
        double share_x = corner & 1 ? fade_of(x - floor(x)) : 1 - fade_of(x - floor(x));
        double share_z = corner >> 1 ? fade_of(z - floor(z)) : 1 - fade_of(z - floor(z));
        value += share_x * share_z * (gradient_x * (x - cell_x) + gradient_z * (z - cell_z));
    }
    return 1.5 * value;
}

struct noise {
    uint32_t seed, octaves;
    double scale;      /* voxels */
    double at_x, at_z; /* the frame's origin, voxels */
};

static double noise_of(const struct noise *noise, int x, int z)
{
    double sum = 0.0;

    for (uint32_t o = 0; o < noise->octaves; o++) {
        double cells = pow(2.0, o) / noise->scale;
        sum += pow(0.5, o) *
               octave_of(noise->seed + o * 0x9e3779b1u, (noise->at_x + x) * cells, (noise->at_z + z) * cells);
    }
    return sum;
}

static void noise_words(const struct noise *noise, uint32_t words[TR_BRUSH_NOISE_WORDS])
{
    double x = noise->at_x / noise->scale, z = noise->at_z / noise->scale;

    words[0] = noise->seed;
    words[1] = noise->octaves;
    words[2] = (uint32_t)(int64_t)floor(x);
    words[3] = 0xdeadbeef; /* heights have no y */
    words[4] = (uint32_t)(int64_t)floor(z);
    words[5] = tr_bits((float)(x - floor(x)));
    words[6] = 0xdeadbeef;
    words[7] = tr_bits((float)(z - floor(z)));
    words[8] = tr_bits((float)(1.0 / noise->scale));
}

static struct noise random_noise(void)
{
    return (struct noise){(uint32_t)random_int(0, INT32_MAX - 1), (uint32_t)random_int(1, 8),
                          random_in(1, 200), 64.0 * random_int(-900, 900), 64.0 * random_int(-900, 900)};
}

/* A picture in the plane: pixel (u, v) is at the columns with east . (x, z) + east0 = u, south . (x, z) + south0 = v. */
#define IMAGE_MAX 20
struct image {
    int width, height;
    uint16_t pixels[IMAGE_MAX * IMAGE_MAX];
    float east[2], east0, south[2], south0; /* of x, z */
};

static struct image random_image(void)
{
    struct image image = {.width = random_int(1, IMAGE_MAX), .height = random_int(1, IMAGE_MAX)};
    double scale = random_in(0.05, 1), turn = random_in(0, 7);

    for (int i = 0; i < IMAGE_MAX * IMAGE_MAX; i++)
        image.pixels[i] = (uint16_t)random_int(0, 65535);
    image.east[0] = image.south[1] = (float)(scale * cos(turn));
    image.east[1] = (float)(scale * sin(turn));
    image.south[0] = -image.east[1];
    image.east0 = (float)random_in(-20, 20);
    image.south0 = (float)random_in(-20, 20);
    return image;
}

#define IMAGE_WORDS (TR_IMAGE_PIXELS + IMAGE_MAX * IMAGE_MAX / 2)

static void image_words(const struct image *image, uint32_t words[IMAGE_WORDS])
{
    for (int i = 0; i < 2; i++) {
        words[2 * i] = tr_bits(image->east[i]);
        words[4 + 2 * i] = tr_bits(image->south[i]);
    }
    words[1] = words[5] = tr_bits(77.0f); /* of y, where heights are 0 */
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
static double grey_of(const struct image *image, int x, int z)
{
    double u = (double)image->east0 + x * (double)image->east[0] + z * (double)image->east[1];
    double v = (double)image->south0 + x * (double)image->south[0] + z * (double)image->south[1];

    u = fmin(fmax(u, 0), image->width - 1);
    v = fmin(fmax(v, 0), image->height - 1);
    int iu = (int)u, iv = (int)v;
    double wu = u - iu, wv = v - iv;
    return (1 - wv) * ((1 - wu) * pixel_of(image, iu, iv) + wu * pixel_of(image, iu + 1, iv)) +
           wv * ((1 - wu) * pixel_of(image, iu, iv + 1) + wu * pixel_of(image, iu + 1, iv + 1));
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

    if (op == TR_SLOT_STAMP) {
        patterns.image = random_image();
        image_words(&patterns.image, patterns.words);
    } else {
        noise_words(&patterns.noise, patterns.words);
    }
    return patterns;
}

static double exact_height(const tr_edit_slot *slot, const struct patterns *patterns, int x, int z,
                           int height)
{
    double w = weight_of(slot, x, z) * (double)slot->strength;

    if (slot->op == TR_SLOT_RAISE)
        return height + w;
    if (slot->op == TR_SLOT_LEVEL)
        return height + w * (slot->target - height);
    if (slot->op == TR_SLOT_STAMP)
        return height + w * grey_of(&patterns->image, x, z);
    return height + w * noise_of(&patterns->noise, x, z);
}

/* at points into the halo. */
static double exact_smooth(const tr_edit_slot *slot, int x, int z, const int32_t *at)
{
    double w = weight_of(slot, x, z) * (double)slot->strength;

    if (slot->op == TR_SLOT_SMOOTH)
        return at[0] + w * (sum_of_4(at) / 4.0 - at[0]);
    return at[0] + w * (double)slot->px * (4.0 * bend_of(at) - sum_of_bends(at)) / 16.0;
}

static void every_pointwise_brush_is_its_formula_within_one_unit(void **state)
{
    const uint ops[] = {TR_SLOT_RAISE, TR_SLOT_LEVEL, TR_SLOT_NOISE, TR_SLOT_STAMP};

    (void)state;
    for (int i = 0; i < 300000; i++) {
        tr_edit_slot slot = random_brush(ops[i % 4], i / 4);
        struct patterns patterns = random_patterns(slot.op);
        int x = random_int(0, 63), z = random_int(0, 63), height = random_int(-100000, 100000), found;
        /* places in an image are rounded to 2^-17 pixel, and from one pixel to the next it may go from black to white */
        slot.strength = slot.op == TR_SLOT_STAMP ? 0.2f * slot.strength : slot.strength;
        double exact = exact_height(&slot, &patterns, x, z, height);
        slot.lo_x = slot.lo_z = 0;
        slot.hi_x = slot.hi_z = 63;
        found = tr_slot_height(patterns.words, slot, x, z, height, 0);
        if (fabs(found - exact) > 1.0 && !is_at_the_rim(&slot, x, z))
            fail_msg("operation %u, falloff %u, power %u, strength %g: height %d became %d, expected %.3f",
                     slot.op, slot.falloff, slot.power, (double)slot.strength, height, found, exact);
    }
}

static void level_reaches_the_target_where_its_weight_is_1(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        tr_edit_slot slot = brush(TR_SLOT_LEVEL, TR_FALLOFF_CONSTANT, 1.0f);
        slot.target = random_int(-TR_HEIGHT_MAX, TR_HEIGHT_MAX); /* differences do not fit a float */
        assert_int_equal(tr_brush_level(slot, 30, 30, random_int(-TR_HEIGHT_MAX, TR_HEIGHT_MAX)),
                         slot.target);
    }
}

static void white_of_a_stamp_lifts_by_the_strength_and_black_by_nothing(void **state)
{
    struct image image = {.width = 2, .height = 1, .pixels = {0, 65535}, .east = {0.125f, 0}, .east0 = -1};
    tr_edit_slot slot = brush(TR_SLOT_STAMP, TR_FALLOFF_CONSTANT, 12345.0f);
    uint32_t words[IMAGE_WORDS];

    (void)state;
    image_words(&image, words);
    assert_int_equal(tr_slot_height(words, slot, 8, 30, 77, 0), 77);
    assert_int_equal(tr_slot_height(words, slot, 12, 30, 77, 0), 77 + 6173); /* the mean, halves up */
    for (int x = 16; x < 50; x++) /* beyond the image its last pixel */
        assert_int_equal(tr_slot_height(words, slot, x, 30, 77, 0), 77 + 12345);
}

/* Neighbouring chunks see one and the same noise, wherever in the world their frames are. */
static void noise_does_not_depend_on_the_frame(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        uint32_t here_words[TR_BRUSH_NOISE_WORDS], there_words[TR_BRUSH_NOISE_WORDS];
        struct noise here = random_noise(), there = here;
        float from_here, from_there;
        int z = random_int(0, 63);
        there.at_x += 63.0;
        noise_words(&here, here_words);
        noise_words(&there, there_words);
        from_here = tr_brush_noise2(here_words, 0, 63.0f, (float)z);
        from_there = tr_brush_noise2(there_words, 0, 0.0f, (float)z);
        if (fabs((double)from_here - (double)from_there) > 3e-3) /* 64 voxels of a cell each, 8 octaves */
            fail_msg("noise of scale %g, %u octaves: %g from one frame, %g from the other", here.scale,
                     here.octaves, (double)from_here, (double)from_there);
    }
}

static void halo_fill(int lo, int hi)
{
    for (int i = 0; i < HALO * HALO; i++)
        halo[i] = random_int(lo, hi);
}

static void both_smooths_are_their_formulas_within_one_unit(void **state)
{
    const uint ops[] = {TR_SLOT_SMOOTH, TR_SLOT_HC_SMOOTH};

    (void)state;
    for (int i = 0; i < 120; i++) {
        tr_edit_slot slot = random_brush(ops[i % 2], i / 2);
        halo_fill(-100000, 100000);
        apply_smooth[0](&slot, halo, changed);
        for (int k = 0; k < TR_CHUNK * TR_CHUNK; k++) {
            int x = k % 64, z = k / 64;
            double exact = exact_smooth(&slot, x, z, halo_at(x, z));
            if (in_box(&slot, x, z) && fabs(changed[k] - exact) > 1.0 && !is_at_the_rim(&slot, x, z))
                fail_msg(
                    "operation %u, falloff %u, lambda %g, 1 - beta %g, sample (%d, %d): %d, expected %.3f",
                    slot.op, slot.falloff, (double)slot.strength, (double)slot.px, x, z, changed[k], exact);
        }
    }
}

static void weight_distance_is_within_4_ulp(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        tr_edit_slot slot = brush(TR_SLOT_RAISE, TR_FALLOFF_LINEAR, 1);
        int x = random_int(0, 63), z = random_int(0, 63);
        long double dx, dz, distance, error;
        slot.cx = (float)random_int(-300000, 300000) / 1024.0f;
        slot.cz = (float)random_int(-300000, 300000) / 1024.0f;
        slot.radius = 1.0f / (float)random_int(400, 100000);
        dx = x - (long double)slot.cx;
        dz = z - (long double)slot.cz;
        distance = sqrtl(dx * dx + dz * dz) * slot.radius;
        if (distance >= 1)
            continue;
        /* linear shows the distance itself; 1 - d adds half a unit of 2^-24 */
        error = fabsl(1.0L - tr_brush_weight(slot, x, z) - distance);
        if (error > 4 * distance * 0x1p-23L + 0x1p-25L)
            fail_msg("distance %.9Lf is off by %.3Lg", distance, error);
    }
}

static void raise_adds_strength_times_weight_rounded_once(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        tr_edit_slot slot = random_brush(TR_SLOT_RAISE, i);
        int x = random_int(0, 63), z = random_int(0, 63), height = random_int(-1000000, 1000000);
        long double rise = (long double)slot.strength * tr_brush_weight(slot, x, z);
        long double error = fabsl(tr_brush_raise(slot, x, z, height) - (height + rise));
        if (error > 0.5L + fabsl(rise) * 0x1p-23L)
            fail_msg("height %d raised by %.3Lf became %d", height, rise, tr_brush_raise(slot, x, z, height));
    }
}

static void raise_saturates_at_the_limits(void **state)
{
    tr_edit_slot up = brush(TR_SLOT_RAISE, TR_FALLOFF_CONSTANT, 16777215.0f);
    tr_edit_slot down = brush(TR_SLOT_RAISE, TR_FALLOFF_CONSTANT, -16777215.0f);

    (void)state;
    assert_int_equal(tr_brush_raise(up, 30, 30, 5), TR_HEIGHT_MAX);
    assert_int_equal(tr_brush_raise(up, 30, 30, TR_HEIGHT_MAX), TR_HEIGHT_MAX);
    assert_int_equal(tr_brush_raise(down, 30, 30, -5), -TR_HEIGHT_MAX);
    assert_int_equal(tr_brush_raise(down, 30, 30, -TR_HEIGHT_MAX), -TR_HEIGHT_MAX);
    assert_int_equal(tr_brush_raise(up, 30, 30, INT32_C(-8000000)),
                     8777216); /* 2^24 - 1/2 is no float: 1 too high */
}

static void nothing_changes_at_the_radius_and_beyond(void **state)
{
    (void)state;
    for (uint falloff = 0; falloff < TR_FALLOFF_COUNT; falloff++) {
        tr_edit_slot slot = brush(TR_SLOT_RAISE, falloff, 100000.0f);
        slot.cx = slot.cz = 0.0f;
        slot.radius = 1.0f / 32.0f;
        for (int x = 32; x < 64; x++)
            assert_int_equal(tr_brush_raise(slot, x, 0, 77), 77);
        assert_true(tr_brush_raise(slot, 1, 0, 77) > 77);
    }
}

static void plane_stays_a_plane_under_both_smooths(void **state)
{
    (void)state;
    for (uint falloff = 0; falloff < TR_FALLOFF_COUNT; falloff++)
        for (uint op = TR_SLOT_SMOOTH; op <= TR_SLOT_HC_SMOOTH; op++) {
            tr_edit_slot slot = brush(op, falloff, 1.0f);
            for (int i = 0; i < HALO * HALO; i++)
                halo[i] = 37 * (i % HALO) - 91 * (i / HALO) + 12345;
            apply_smooth[0](&slot, halo, changed);
            for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++)
                assert_int_equal(changed[i], *halo_at(i % 64, i / 64));
        }
}

/* What a hill of 40 voxels loses to 20 steps of a brush at its top, in parts of a million. */
static double volume_lost(uint op)
{
    tr_edit_slot slot = brush(op, TR_FALLOFF_SMOOTH, 1.0f);
    double before = 0, after = 0;

    slot.cx = slot.cz = 32.0f;
    slot.radius = 1.0f / 14.0f;
    for (int i = 0; i < HALO * HALO; i++) {
        double dx = i % HALO - 2 - 32, dz = i / HALO - 2 - 32;
        halo[i] = (int32_t)(10240.0 * exp(-(dx * dx + dz * dz) / 200.0));
        before += halo[i];
    }
    for (int step = 0; step < 20; step++) {
        apply_smooth[0](&slot, halo, changed);
        for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++)
            halo[(i / 64 + 2) * HALO + i % 64 + 2] = changed[i];
    }
    for (int i = 0; i < HALO * HALO; i++)
        after += halo[i];
    return 1e6 * (before - after) / before;
}

static void hc_smooth_keeps_the_volume_of_a_hill_that_smooth_takes(void **state)
{
    double by_smooth = volume_lost(TR_SLOT_SMOOTH), by_hc = volume_lost(TR_SLOT_HC_SMOOTH);

    (void)state;
    if (by_smooth < 5000 || by_hc > by_smooth / 10)
        fail_msg("smooth takes %.0f parts of a million, hc-smooth %.0f, expected at most a tenth", by_smooth,
                 by_hc);
}

static int64_t roughness(const int32_t *h)
{
    int64_t sum = 0;
    for (int z = 1; z < 63; z++)
        for (int x = 1; x < 63; x++) {
            const int32_t *at = h + z * 64 + x;
            sum += llabs((long long)at[-1] + at[1] + at[-64] + at[64] - 4 * at[0]);
        }
    return sum;
}

static void both_smooths_reduce_curvature(void **state)
{
    (void)state;
    for (uint op = TR_SLOT_SMOOTH; op <= TR_SLOT_HC_SMOOTH; op++) {
        tr_edit_slot slot = brush(op, TR_FALLOFF_CONSTANT, 0.5f);
        slot.radius = 1.0f / 1000.0f;
        halo_fill(0, 20000);
        for (int step = 0; step < 5; step++) {
            int64_t before;
            for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++)
                heights[i] = *halo_at(i % 64, i / 64);
            before = roughness(heights);
            apply_smooth[0](&slot, halo, changed);
            if (roughness(changed) >= before)
                fail_msg("operation %u, step %d: curvature %lld, before %lld", op, step,
                         (long long)roughness(changed), (long long)before);
            for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++)
                halo[(i / 64 + 2) * HALO + i % 64 + 2] = changed[i];
        }
    }
}

static void unsculpted_ground_follows_and_sculpted_ground_keeps_its_side(void **state)
{
    (void)state;
    for (int f = -9; f <= 9; f++)
        for (int f2 = -9; f2 <= 9; f2++)
            for (int s = -9; s <= 9; s++) {
                int after = tr_follow(s, f, f2);
                int expected = s == f ? f2 : s > f ? (s > f2 ? s : f2) : (s < f2 ? s : f2);
                assert_int_equal(after, expected);
                if (f == f2)
                    assert_int_equal(after, s);
                if (s > f) /* carved: never filled by rising ground, opened by sinking ground */
                    assert_true(after >= s && after >= f2);
                if (s < f)
                    assert_true(after <= s && after <= f2);
            }
}

static void pointwise_brushes_equal_the_scalar_function_within_the_box_and_stay_outside_it(void **state)
{
    const uint ops[] = {TR_SLOT_RAISE, TR_SLOT_LEVEL, TR_SLOT_NOISE, TR_SLOT_STAMP};

    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int i = 0; i < 240; i++) {
            tr_edit_slot slot = random_brush(ops[i % 4], i / 4);
            struct patterns patterns = random_patterns(slot.op);
            uint32_t words[3 + IMAGE_WORDS];
            slot.words = 3;
            memcpy(words + 3, patterns.words, sizeof patterns.words);
            for (int k = 0; k < TR_CHUNK * TR_CHUNK; k++)
                changed[k] = heights[k] = random_int(-1000000, 1000000);
            apply_height[level](words, &slot, changed);
            for (int k = 0; k < TR_CHUNK * TR_CHUNK; k++) {
                int expected = tr_slot_height(words, slot, k % 64, k / 64, heights[k], 0);
                if (changed[k] != expected)
                    fail_msg("%s, operation %u, falloff %u, power %u, sample (%d, %d): %d, expected %d",
                             tr_isa_name(level), slot.op, slot.falloff, slot.power, k % 64, k / 64,
                             changed[k], expected);
            }
        }
}

static int scalar_smooth(const tr_edit_slot *slot, int x, int z, const int32_t *at)
{
    if (!in_box(slot, x, z))
        return at[0];
    return slot->op == TR_SLOT_SMOOTH ? tr_brush_smooth(*slot, x, z, at[0], sum_of_4(at))
                                      : tr_brush_hc_smooth(*slot, x, z, at[0], bend_of(at), sum_of_bends(at));
}

static void both_smooths_equal_the_scalar_function_within_the_box_and_copy_outside_it(void **state)
{
    const uint ops[] = {TR_SLOT_SMOOTH, TR_SLOT_HC_SMOOTH};

    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int i = 0; i < 180; i++) {
            tr_edit_slot slot = random_brush(ops[i % 2], i / 2);
            halo_fill(-TR_HEIGHT_MAX, TR_HEIGHT_MAX);
            apply_smooth[level](&slot, halo, changed);
            for (int k = 0; k < TR_CHUNK * TR_CHUNK; k++) {
                int expected = scalar_smooth(&slot, k % 64, k / 64, halo_at(k % 64, k / 64));
                if (changed[k] != expected)
                    fail_msg("%s, operation %u, falloff %u, power %u, sample (%d, %d): %d, expected %d",
                             tr_isa_name(level), slot.op, slot.falloff, slot.power, k % 64, k / 64,
                             changed[k], expected);
            }
        }
}

static void fill_block(int cy)
{
    for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
        int field = tr_height_field(64 * cy + i / 4096, heights[i % 4096]);
        int sculpted = tr_sdf_clamp(field + random_int(-3000, 3000));
        samples[i] = (int16_t)(random_int(0, 2) == 0 ? sculpted : field);
    }
}

static void blocks_follow_as_the_scalar_function_does(void **state)
{
    const int rows[] = {0, -1, 1023, -1024};

    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int r = 0; r < 4; r++) {
            for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++) {
                heights[i] = tr_height_clamp(rows[r] * 16384 + random_int(-9000, 25000));
                /* whole rows and parts of rows that stay as they are */
                changed[i] = i / 64 % 3 == 0 || i % 64 < 20
                                 ? heights[i]
                                 : tr_height_clamp(heights[i] + random_int(-5000, 5000));
            }
            fill_block(rows[r]);
            for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
                int y = 64 * rows[r] + i / 4096;
                expected_samples[i] = (int16_t)tr_follow(samples[i], tr_height_field(y, heights[i % 4096]),
                                                         tr_height_field(y, changed[i % 4096]));
            }
            apply_follow[level](heights, changed, rows[r], samples);
            for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
                if (samples[i] != expected_samples[i])
                    fail_msg("%s, row %d, sample (%d, %d, %d): %d, expected %d", tr_isa_name(level), rows[r],
                             i % 64, i / 4096, i / 64 % 64, samples[i], expected_samples[i]);
        }
}

static void block_begins_as_the_height_field_at_valid_samples_only(void **state)
{
    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int size = 0; size < 3; size++) {
            uint32_t size_x = size == 1 ? 1 : 64, size_z = size == 2 ? 1 : 64;
            for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++)
                heights[i] = random_int(-40000, 9000);
            memset(samples, 0x55, sizeof samples);
            apply_begin[level](heights, size_x, size_z, -2, samples);
            for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
                bool valid = (uint32_t)(i % 64) < size_x && (uint32_t)(i / 64 % 64) < size_z;
                int expected = valid ? tr_height_field(-128 + i / 4096, heights[i % 4096]) : 0x5555;
                if (samples[i] != expected)
                    fail_msg("%s, sample (%d, %d, %d): %d, expected %d", tr_isa_name(level), i % 64, i / 4096,
                             i / 64 % 64, samples[i], expected);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pointwise_brush_is_its_formula_within_one_unit),
        cmocka_unit_test(level_reaches_the_target_where_its_weight_is_1),
        cmocka_unit_test(white_of_a_stamp_lifts_by_the_strength_and_black_by_nothing),
        cmocka_unit_test(noise_does_not_depend_on_the_frame),
        cmocka_unit_test(both_smooths_are_their_formulas_within_one_unit),
        cmocka_unit_test(weight_distance_is_within_4_ulp),
        cmocka_unit_test(raise_adds_strength_times_weight_rounded_once),
        cmocka_unit_test(raise_saturates_at_the_limits),
        cmocka_unit_test(nothing_changes_at_the_radius_and_beyond),
        cmocka_unit_test(plane_stays_a_plane_under_both_smooths),
        cmocka_unit_test(both_smooths_reduce_curvature),
        cmocka_unit_test(hc_smooth_keeps_the_volume_of_a_hill_that_smooth_takes),
        cmocka_unit_test(unsculpted_ground_follows_and_sculpted_ground_keeps_its_side),
        cmocka_unit_test(pointwise_brushes_equal_the_scalar_function_within_the_box_and_stay_outside_it),
        cmocka_unit_test(both_smooths_equal_the_scalar_function_within_the_box_and_copy_outside_it),
        cmocka_unit_test(blocks_follow_as_the_scalar_function_does),
        cmocka_unit_test(block_begins_as_the_height_field_at_valid_samples_only),
    };
    return cmocka_run_group_tests_name("brush", tests, NULL, NULL);
}
