/* Noise: its range, that nothing is lost far away or with long seeds, and that chunks join. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/gen/noise.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLES (64 * 64)
#define FAR (INT64_C(1) << 24)

static void (*const fill_heights[])(const tr_noise_layer *, uint32_t, int32_t,
                                    int32_t *) = TR_ISA_TABLE(tr_fill_heights);

static const uint64_t seeds[] = {0, 1, INT32_MAX, (UINT64_C(1) << 53) + 1, UINT64_MAX};
#define SEED_COUNT (sizeof seeds / sizeof *seeds)

static uint32_t preset_layers(const struct tr_preset *preset, int64_t x, int64_t z, tr_noise_layer *layers)
{
    for (uint32_t i = 0; i < preset->count; i++)
        layers[i] = tr_noise_layer_at(&preset->sources[i], x, z);
    return preset->count;
}

static int scalar_height(const tr_noise_layer *layers, uint32_t count, int32_t base, int x, int z)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < count; i++)
        sum = sum + tr_noise_height(layers[i], x, z);
    return tr_noise_ground(base, sum);
}

static void noise_is_seldom_beyond_1_and_never_beyond_1_5(void **state)
{
    int beyond = 0, count = 0;
    double lowest = 0.0, highest = 0.0;

    (void)state;
    for (size_t s = 0; s < SEED_COUNT; s++) {
        struct tr_noise_source source = {TR_NOISE_PLAIN, seeds[s], 7.3, 1.0};
        for (int chunk = 0; chunk < 16; chunk++) {
            tr_noise_layer layer = tr_noise_layer_at(&source, chunk * 64, -chunk * 128);
            for (int i = 0; i < SAMPLES; i++, count++) {
                double n = (double)tr_noise(layer, i % 64, i / 64);
                if (!(n >= -1.5 && n <= 1.5))
                    fail_msg("noise is %g, expected at most 1.5 up or down", n);
                beyond += n < -1.0 || n > 1.0;
                lowest = n < lowest ? n : lowest;
                highest = n > highest ? n : highest;
            }
        }
    }
    if (beyond > count / 1000)
        fail_msg("%d of %d values beyond 1, expected at most one in a thousand", beyond, count);
    if (lowest > -0.7 || highest < 0.7)
        fail_msg("values from %g to %g, expected at least -0.7 to 0.7", lowest, highest);
}

static void kinds_are_folded_as_their_names_say(void **state)
{
    struct tr_noise_source source = {TR_NOISE_PLAIN, 5, 20.0, 1000.0};
    tr_noise_layer layer = tr_noise_layer_at(&source, 0, 0);

    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        float n = tr_noise(layer, i % 64, i / 64);
        tr_noise_layer ridged = layer, billow = layer;
        ridged.kind = TR_NOISE_RIDGED;
        billow.kind = TR_NOISE_BILLOW;
        assert_true(tr_noise_height(layer, i % 64, i / 64) == n * 1000.0f);
        assert_true(fabs((double)tr_noise_height(ridged, i % 64, i / 64) -
                         1000.0 * (1.0 - 2.0 * fabs((double)n))) < 1e-3);
        assert_true(tr_noise_height(billow, i % 64, i / 64) ==
                    0.0f - tr_noise_height(ridged, i % 64, i / 64));
    }
}

/* 4 x 4 chunks of one steep layer, whose heights seldom meet: what is lost shows as equal ones. */
#define REGION_CHUNKS 4
static int32_t region[REGION_CHUNKS * REGION_CHUNKS * SAMPLES];

static int order(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int distinct_heights(uint64_t seed, int64_t x, int64_t z)
{
    const size_t count = sizeof region / sizeof *region;
    struct tr_noise_source source = {TR_NOISE_PLAIN, seed, 96.0, 8000000.0};
    int distinct = 1;

    for (int chunk = 0; chunk < REGION_CHUNKS * REGION_CHUNKS; chunk++) {
        tr_noise_layer layer =
            tr_noise_layer_at(&source, x + chunk % REGION_CHUNKS * 64, z + chunk / REGION_CHUNKS * 64);
        fill_heights[0](&layer, 1, 0, region + chunk * SAMPLES);
    }
    qsort(region, count, sizeof *region, order);
    for (size_t i = 1; i < count; i++)
        distinct += region[i] != region[i - 1];
    return distinct;
}

static void heights_are_as_many_far_away_and_with_long_seeds_as_near_the_origin(void **state)
{
    int near = distinct_heights(0, 0, 0);
    const int64_t places[][2] = {{0, 0},      {FAR, 0},     {-FAR, FAR},
                                 {FAR, -FAR}, {-FAR, -FAR}, {4 * FAR - 64, 64 - 4 * FAR}};

    (void)state;
    for (size_t s = 0; s < SEED_COUNT; s++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            int here = distinct_heights(seeds[s], places[p][0], places[p][1]);
            if (abs(here - near) > near / 100)
                fail_msg(
                    "seed %llu at (%lld, %lld): %d distinct heights, near the origin %d, expected within 1%%",
                    (unsigned long long)seeds[s], (long long)places[p][0], (long long)places[p][1], here,
                    near);
        }
}

static void lattice_places_are_exact_wherever_the_chunk_lies(void **state)
{
    struct tr_noise_source source = {TR_NOISE_PLAIN, 0, 256.0, 1.0};
    const int64_t chunks[] = {0, 1, -1, 3, -5, 4, 262144, -262143, 999999, -1000000};

    (void)state;
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        int64_t x = chunks[i] * 64;
        tr_noise_layer layer = tr_noise_layer_at(&source, x, -x);
        int64_t cell = (x - ((x % 256) + 256) % 256) / 256;
        if (layer.cell_x != (uint32_t)cell || layer.frac_x != (float)(x - cell * 256) / 256.0f)
            fail_msg("x %lld: cell %u and %g, expected %u and %g", (long long)x, layer.cell_x,
                     (double)layer.frac_x, (uint32_t)cell, (double)(x - cell * 256) / 256.0);
        assert_true(layer.frac_z >= 0.0f && layer.frac_z < 1.0f);
    }
}

static void check_border(const struct tr_preset *preset, int64_t x, int64_t z, int64_t dx, int64_t dz)
{
    tr_noise_layer here[TR_PRESET_LAYERS_MAX], there[TR_PRESET_LAYERS_MAX];
    uint32_t count = preset_layers(preset, x, z, here);

    preset_layers(preset, x + dx, z + dz, there);
    for (int i = 0; i < 64; i++) {
        int a = scalar_height(here, count, 0, dx ? 64 : i, dz ? 64 : i);
        int b = scalar_height(there, count, 0, dx ? 0 : i, dz ? 0 : i);
        if (abs(a - b) > 1)
            fail_msg("sample %d of the border between chunks at (%lld, %lld) and its neighbour: %d and %d, "
                     "expected within 1",
                     i, (long long)x, (long long)z, a, b);
    }
}

static void heights_continue_across_chunk_borders(void **state)
{
    struct tr_preset preset;
    const int64_t places[] = {0, -64, 64 * 17, FAR, -FAR, 64 * INT64_C(999999), -64 * INT64_C(1000000)};

    (void)state;
    for (size_t s = 0; s < SEED_COUNT; s++) {
        assert_true(tr_preset_make("hills", seeds[s], 1.0, &preset));
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            check_border(&preset, places[i], places[0], 64, 0);
            check_border(&preset, places[0], places[i], 0, 64);
        }
    }
}

static void seeds_and_layers_give_unlike_ground(void **state)
{
    struct tr_preset a, b;
    tr_noise_layer la[TR_PRESET_LAYERS_MAX], lb[TR_PRESET_LAYERS_MAX];

    (void)state;
    for (size_t s = 0; s + 1 < SEED_COUNT; s++) {
        int equal = 0;
        assert_true(tr_preset_make("hills", seeds[s], 1.0, &a) &&
                    tr_preset_make("hills", seeds[s + 1], 1.0, &b));
        preset_layers(&a, 0, 0, la);
        preset_layers(&b, 0, 0, lb);
        for (int i = 0; i < SAMPLES; i++)
            equal += scalar_height(la, a.count, 0, i % 64, i / 64) ==
                     scalar_height(lb, b.count, 0, i % 64, i / 64);
        if (equal > SAMPLES / 50)
            fail_msg("seeds %llu and %llu agree at %d of %d samples", (unsigned long long)seeds[s],
                     (unsigned long long)seeds[s + 1], equal, SAMPLES);
        for (uint32_t i = 1; i < a.count; i++)
            if (la[i].seed == la[i - 1].seed)
                fail_msg("layers %u and %u of seed %llu share a seed", i - 1, i,
                         (unsigned long long)seeds[s]);
    }
}

static void presets_keep_to_the_limits_at_every_voxel_size(void **state)
{
    const double sizes[] = {1e-6, 0.001, 0.25, 1.0, 2.0, 30.0, 200.0, 1e6};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tr_preset preset;
        assert_true(tr_preset_make("hills", 3, sizes[i], &preset));
        for (uint32_t l = 0; l < preset.count; l++) {
            const struct tr_noise_source *source = &preset.sources[l];
            if (!(source->wavelength >= 2.0 && source->wavelength <= 0x1p24 && source->amplitude > 0.0 &&
                  source->amplitude <= TR_HEIGHT_MAX))
                fail_msg("voxel size %g, layer %u: wavelength %g, amplitude %g", sizes[i], l,
                         source->wavelength, source->amplitude);
        }
    }
}

static void presets_are_found_by_name(void **state)
{
    struct tr_preset preset;

    (void)state;
    assert_true(tr_preset_make("hills", 0, 1.0, &preset));
    assert_int_equal(preset.count, 12);
    assert_true(tr_preset_make("flat", 0, 1.0, &preset));
    assert_int_equal(preset.count, 0);
    assert_false(tr_preset_make("Hills", 0, 1.0, &preset));
    assert_false(tr_preset_make("", 0, 1.0, &preset));
    for (int i = 0; tr_preset_names[i]; i++)
        assert_true(tr_preset_make(tr_preset_names[i], 0, 1.0, &preset));
}

static void filling_equals_the_scalar_functions_in_every_instruction_set(void **state)
{
    struct tr_preset preset;
    tr_noise_layer layers[TR_PRESET_LAYERS_MAX];
    static int32_t heights[SAMPLES];
    const int32_t bases[] = {0, -12345, TR_HEIGHT_MAX, -TR_HEIGHT_MAX};

    (void)state;
    assert_true(tr_preset_make("hills", 99, 1.0, &preset));
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int chunk = 0; chunk < 4; chunk++) {
            uint32_t count = preset_layers(&preset, (chunk - 2) * 64, chunk * 6400, layers);
            layers[chunk].kind = TR_NOISE_BILLOW;
            fill_heights[level](layers, count, bases[chunk], heights);
            for (int i = 0; i < SAMPLES; i++)
                if (heights[i] != scalar_height(layers, count, bases[chunk], i % 64, i / 64))
                    fail_msg("%s, sample (%d, %d): %d, expected %d", tr_isa_name(level), i % 64, i / 64,
                             heights[i], scalar_height(layers, count, bases[chunk], i % 64, i / 64));
        }
}

static void sums_beyond_all_heights_are_clamped(void **state)
{
    (void)state;
    assert_int_equal(tr_noise_ground(0, 8e8f), TR_HEIGHT_MAX);
    assert_int_equal(tr_noise_ground(TR_HEIGHT_MAX, 8e8f), TR_HEIGHT_MAX);
    assert_int_equal(tr_noise_ground(-TR_HEIGHT_MAX, -8e8f), -TR_HEIGHT_MAX);
    assert_int_equal(tr_noise_ground(-TR_HEIGHT_MAX, 16777216.0f), 1);
    assert_int_equal(tr_noise_ground(7, 0.5f), 8);
    assert_int_equal(tr_noise_ground(7, -0.5f), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_seldom_beyond_1_and_never_beyond_1_5),
        cmocka_unit_test(kinds_are_folded_as_their_names_say),
        cmocka_unit_test(heights_are_as_many_far_away_and_with_long_seeds_as_near_the_origin),
        cmocka_unit_test(lattice_places_are_exact_wherever_the_chunk_lies),
        cmocka_unit_test(heights_continue_across_chunk_borders),
        cmocka_unit_test(seeds_and_layers_give_unlike_ground),
        cmocka_unit_test(presets_keep_to_the_limits_at_every_voxel_size),
        cmocka_unit_test(presets_are_found_by_name),
        cmocka_unit_test(filling_equals_the_scalar_functions_in_every_instruction_set),
        cmocka_unit_test(sums_beyond_all_heights_are_clamped),
    };
    return cmocka_run_group_tests_name("noise", tests, NULL, NULL);
}
