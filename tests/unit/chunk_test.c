/* Chunks in memory: who owns which sample, what the field is, when a block is worth storing, what the hash
 * sees. */
#include "lib/world/chunk.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static void assert_hash_equal(struct tr_hash a, struct tr_hash b)
{
    char found[33], expected[33];

    tr_hash_text(a, found);
    tr_hash_text(b, expected);
    assert_string_equal(found, expected);
}

static int16_t *must_add(struct tr_chunk *chunk, int32_t cy)
{
    struct tr_error error = {0};
    int16_t *samples;

    if (tr_chunk_add_block(chunk, cy, &samples, &error) != TR_OK)
        fail_msg("%s", error.text);
    return samples;
}

static void the_field_without_blocks_is_height_above_ground_clamped(void **state)
{
    const struct {
        int64_t y;
        int32_t height;
        int expected;
    } cases[] = {
        {0, 0, 0},
        {1, 0, 256},
        {-1, 0, -256},
        {10, 2561, -1},
        {127, 0, 32512},
        {128, 0, 32767},
        {-128, 0, -32767},
        {-65536, 0, -32767},
        {65535, TR_HEIGHT_MAX, -255},
        {65536, TR_HEIGHT_MAX, 1},
        {-65536, -TR_HEIGHT_MAX, -1},
        {INT64_MAX, TR_HEIGHT_MAX, 32767},
        {INT64_MIN, -TR_HEIGHT_MAX, -32767},
    };
    struct tr_chunk chunk;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 64, 64);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int found;

        chunk.heights[5 * 64 + 7] = cases[i].height;
        found = tr_chunk_field(&chunk, 7, cases[i].y, 5);
        if (found != cases[i].expected)
            fail_msg("field at y %jd over height %d is %d, expected %d", (intmax_t)cases[i].y,
                     cases[i].height, found, cases[i].expected);
    }
    tr_chunk_release(&chunk);
}

static void a_block_owns_the_rows_from_64_cy_on_also_below_zero(void **state)
{
    struct tr_chunk chunk;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 64, 64);
    must_add(&chunk, -2)[tr_block_index(3, 63, 9)] = 1234;
    must_add(&chunk, -2)[tr_block_index(3, 0, 9)] = 4321;
    assert_int_equal(chunk.block_count, 1);
    assert_int_equal(tr_chunk_field(&chunk, 3, -65, 9), 1234);
    assert_int_equal(tr_chunk_field(&chunk, 3, -128, 9), 4321);
    assert_int_equal(tr_chunk_field(&chunk, 3, -64, 9), 256 * -64);
    assert_int_equal(tr_chunk_field(&chunk, 3, -129, 9), -32767);
    tr_chunk_release(&chunk);
}

static void adding_a_block_changes_no_sample_of_the_field(void **state)
{
    static const int32_t rows[] = {-1024, -1, 0, 1, 1023};
    struct tr_chunk chunk;

    (void)state;
    chunk_gen_init(&chunk, 2, 3, 64, 64);
    chunk_gen_heights(&chunk, 11);
    chunk.heights[0] = TR_HEIGHT_MAX;
    chunk.heights[1] = -TR_HEIGHT_MAX;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int64_t y = (int64_t)rows[i] * 64; y < (int64_t)rows[i] * 64 + 64; y += 9)
            for (int x = 0; x < 64; x += 1) {
                int before = tr_chunk_field(&chunk, x, y, x * 5 % 64);

                must_add(&chunk, rows[i]);
                assert_int_equal(tr_chunk_field(&chunk, x, y, x * 5 % 64), before);
                tr_chunk_remove_block(&chunk, rows[i]);
            }
    assert_int_equal(chunk.block_count, 0);
    tr_chunk_release(&chunk);
}

static void blocks_stay_sorted_whatever_the_order_they_come_in(void **state)
{
    static const int32_t rows[] = {5, -3, 0, 1023, 2, -1024, -1, 4};
    static const int32_t sorted[] = {-1024, -3, -1, 0, 2, 4, 5, 1023};
    struct tr_chunk chunk;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 1, 64);
    for (size_t i = 0; i < 8; i++)
        must_add(&chunk, rows[i])[0] = (int16_t)rows[i];
    assert_int_equal(chunk.block_count, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(chunk.blocks[i].cy, sorted[i]);
        assert_int_equal(tr_chunk_block(&chunk, sorted[i])[0], sorted[i]);
    }
    assert_null(tr_chunk_block(&chunk, 1));
    tr_chunk_remove_block(&chunk, 1); /* not there */
    tr_chunk_remove_block(&chunk, -3);
    tr_chunk_remove_block(&chunk, 1023);
    assert_int_equal(chunk.block_count, 6);
    assert_null(tr_chunk_block(&chunk, 1023));
    assert_int_equal(tr_chunk_block(&chunk, 5)[0], 5);
    tr_chunk_release(&chunk);
}

static void rows_sizes_and_indices_out_of_range_are_refused(void **state)
{
    struct tr_error error = {0};
    struct tr_chunk chunk;
    int16_t *samples;

    (void)state;
    assert_int_equal(tr_chunk_init(&chunk, 0, 0, 32, 64, &error), TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "32 x 64"));
    tr_chunk_release(&chunk);
    assert_int_equal(tr_chunk_init(&chunk, 1000001, 0, 64, 64, &error), TR_BAD_INPUT);
    tr_chunk_release(&chunk);
    chunk_gen_init(&chunk, -1000000, 1000000, 1, 1);
    assert_int_equal(tr_chunk_add_block(&chunk, 1024, &samples, &error), TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "block row 1024"));
    assert_null(samples);
    assert_int_equal(tr_chunk_add_block(&chunk, -1025, &samples, &error), TR_BAD_INPUT);
    assert_int_equal(chunk.block_count, 0);
    tr_chunk_release(&chunk);
}

static void only_a_sample_of_its_own_makes_a_block_differ(void **state)
{
    static const uint32_t sizes[][2] = {{64, 64}, {1, 64}, {64, 1}, {1, 1}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct tr_chunk chunk;
        int16_t *samples;

        chunk_gen_init(&chunk, 0, 0, sizes[i][0], sizes[i][1]);
        chunk_gen_heights(&chunk, 5);
        samples = must_add(&chunk, -1);
        assert_false(tr_block_differs(chunk.heights, sizes[i][0], sizes[i][1], -1, samples));
        for (int y = 0; y < 64; y += 21)
            for (uint32_t z = 0; z < 64; z += 21)
                for (uint32_t x = 0; x < 64; x += 21) {
                    bool own = x < sizes[i][0] && z < sizes[i][1];

                    samples[tr_block_index(x, y, z)] ^= 1;
                    if (tr_block_differs(chunk.heights, sizes[i][0], sizes[i][1], -1, samples) != own)
                        fail_msg("%u x %u: sample (%u, %d, %u) %s", sizes[i][0], sizes[i][1], x, y, z,
                                 own ? "is not seen" : "is not the chunk's and is seen");
                    samples[tr_block_index(x, y, z)] ^= 1;
                }
        tr_chunk_release(&chunk);
    }
}

static void the_canonical_form_keeps_exactly_the_blocks_that_differ(void **state)
{
    struct tr_chunk chunk;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 64, 64);
    chunk_gen_heights(&chunk, 5);
    for (int32_t cy = -3; cy <= 3; cy++)
        must_add(&chunk, cy);
    chunk_gen_sculpted_block(&chunk, -2, 1);
    chunk_gen_random_block(&chunk, 3, 2);
    tr_chunk_make_canonical(&chunk);
    assert_int_equal(chunk.block_count, 2);
    assert_int_equal(chunk.blocks[0].cy, -2);
    assert_int_equal(chunk.blocks[1].cy, 3);
    tr_chunk_release(&chunk);
}

static void a_copy_is_equal_and_its_own(void **state)
{
    struct tr_error error = {0};
    struct tr_chunk chunk, copy;

    (void)state;
    chunk_gen_init(&chunk, 4, 9, 64, 1);
    chunk_gen_heights(&chunk, 8);
    chunk_gen_random_block(&chunk, -7, 3);
    chunk_gen_random_block(&chunk, 7, 4);
    assert_int_equal(tr_chunk_copy(&copy, &chunk, &error), TR_OK);
    assert_chunks_equal(&copy, &chunk);
    assert_ptr_not_equal(copy.blocks[1].samples, chunk.blocks[1].samples);
    tr_chunk_release(&chunk);
    assert_int_equal(copy.blocks[1].cy, 7);
    tr_chunk_release(&copy);
}

/* FORMAT.md's definition once more: into one buffer, then xxHash itself. */
static struct tr_hash hash_of_definition(const struct tr_chunk *chunk)
{
    size_t layer_samples = (size_t)chunk->size_x * chunk->size_z;
    uint8_t *buffer = malloc(4 * layer_samples);
    uint8_t item[40];
    XXH128_hash_t hash;
    int32_t head[4] = {chunk->cx, chunk->cz, (int32_t)chunk->size_x, (int32_t)chunk->size_z};

    assert_non_null(buffer);
    for (size_t i = 0; i < layer_samples; i++) {
        uint32_t height = (uint32_t)chunk->heights[i / chunk->size_x * 64 + i % chunk->size_x];

        for (int b = 0; b < 4; b++)
            buffer[4 * i + (size_t)b] = (uint8_t)(height >> 8 * b);
    }
#define PUT64(at, value)                                                                                     \
    for (int b = 0; b < 8; b++)                                                                              \
    (at)[b] = (uint8_t)((uint64_t)(value) >> 8 * b)
#define PUT32(at, value)                                                                                     \
    for (int b = 0; b < 4; b++)                                                                              \
    (at)[b] = (uint8_t)((uint32_t)(value) >> 8 * b)
    hash = XXH3_128bits(buffer, 4 * layer_samples);
    memcpy(item, "TRCHUNK\n", 8);
    for (int i = 0; i < 4; i++)
        PUT32(item + 8 + 4 * i, head[i]);
    PUT64(item + 24, hash.low64);
    PUT64(item + 32, hash.high64);
    hash = XXH3_128bits(item, 40);

    for (size_t i = 0; i < chunk->block_count; i++) {
        uint8_t layers[64 * 16];

        PUT64(item, hash.low64);
        PUT64(item + 8, hash.high64);
        for (int y = 0; y < 64; y++) {
            for (size_t k = 0; k < layer_samples; k++) {
                uint16_t sample =
                    (uint16_t)chunk->blocks[i]
                        .samples[tr_block_index(k % chunk->size_x, (size_t)y, k / chunk->size_x)];

                buffer[2 * k] = (uint8_t)sample;
                buffer[2 * k + 1] = (uint8_t)(sample >> 8);
            }
            hash = XXH3_128bits(buffer, 2 * layer_samples);
            PUT64(layers + 16 * y, hash.low64);
            PUT64(layers + 16 * y + 8, hash.high64);
        }
        hash = XXH3_128bits(layers, sizeof layers);
        PUT32(item + 16, 2);
        PUT32(item + 20, chunk->blocks[i].cy);
        PUT64(item + 24, hash.low64);
        PUT64(item + 32, hash.high64);
        hash = XXH3_128bits(item, 40);
    }
    free(buffer);
    return (struct tr_hash){.lo = hash.low64, .hi = hash.high64};
}

static void the_hash_is_the_one_that_the_format_defines(void **state)
{
    static const uint32_t sizes[][2] = {{64, 64}, {1, 64}, {64, 1}, {1, 1}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct tr_chunk chunk;

        chunk_gen_init(&chunk, -4, 9, sizes[i][0], sizes[i][1]);
        chunk_gen_heights(&chunk, i + 1);
        assert_hash_equal(tr_chunk_hash(&chunk), hash_of_definition(&chunk));
        chunk_gen_random_block(&chunk, -1024, 3);
        chunk_gen_random_block(&chunk, 2, 4);
        assert_hash_equal(tr_chunk_hash(&chunk), hash_of_definition(&chunk));
        tr_chunk_release(&chunk);
    }
}

static void the_hash_depends_on_own_samples_and_not_on_history(void **state)
{
    struct tr_chunk plain, worn;
    struct tr_hash hash;

    (void)state;
    chunk_gen_init(&plain, 1, 0, 1, 64);
    chunk_gen_heights(&plain, 3);
    chunk_gen_random_block(&plain, 0, 9);
    hash = tr_chunk_hash(&plain);

    chunk_gen_init(&worn, 1, 0, 1, 64);
    for (int32_t cy = 30; cy > -30; cy--)
        must_add(&worn, cy)[0] = 5;
    for (int32_t cy = 30; cy > -30; cy--)
        tr_chunk_remove_block(&worn, cy);
    chunk_gen_heights(&worn, 3);
    chunk_gen_random_block(&worn, 0, 9);
    must_add(&worn, 1);
    worn.heights[1] = 77; /* beyond the rim */
    worn.blocks[0].samples[tr_block_index(1, 1, 1)] = 77;
    tr_chunk_make_canonical(&worn);
    assert_hash_equal(tr_chunk_hash(&worn), hash);

    worn.heights[64] ^= 1;
    assert_false(tr_hash_equal(tr_chunk_hash(&worn), hash));
    worn.heights[64] ^= 1;
    worn.blocks[0].samples[tr_block_index(0, 63, 63)] ^= 1;
    assert_false(tr_hash_equal(tr_chunk_hash(&worn), hash));
    worn.blocks[0].samples[tr_block_index(0, 63, 63)] ^= 1;
    worn.blocks[0].cy = 1;
    assert_false(tr_hash_equal(tr_chunk_hash(&worn), hash));
    worn.blocks[0].cy = 0;
    worn.cx = 2;
    assert_false(tr_hash_equal(tr_chunk_hash(&worn), hash));
    worn.cx = 1;
    assert_hash_equal(tr_chunk_hash(&worn), hash);
    tr_chunk_release(&plain);
    tr_chunk_release(&worn);
}

static void floor_division_and_units_round_down(void **state)
{
    (void)state;
    assert_int_equal(tr_floor_div(-1, 64), -1);
    assert_int_equal(tr_floor_div(-64, 64), -1);
    assert_int_equal(tr_floor_div(-65, 64), -2);
    assert_int_equal(tr_floor_div(63, 64), 0);
    assert_int_equal(tr_floor_mod(-1, 64), 63);
    assert_int_equal(tr_floor_mod(-64, 64), 0);
    assert_int_equal(tr_units_from_voxels(0.5 / 256, TR_HEIGHT_MAX), 1);
    assert_int_equal(tr_units_from_voxels(-0.5 / 256, TR_HEIGHT_MAX), 0);
    assert_int_equal(tr_units_from_voxels(-0.50001 / 256, TR_HEIGHT_MAX), -1);
    assert_int_equal(tr_units_from_voxels(1e300, TR_HEIGHT_MAX), TR_HEIGHT_MAX);
    assert_int_equal(tr_units_from_voxels(-1e300, TR_SDF_MAX), -TR_SDF_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_field_without_blocks_is_height_above_ground_clamped),
        cmocka_unit_test(a_block_owns_the_rows_from_64_cy_on_also_below_zero),
        cmocka_unit_test(adding_a_block_changes_no_sample_of_the_field),
        cmocka_unit_test(blocks_stay_sorted_whatever_the_order_they_come_in),
        cmocka_unit_test(rows_sizes_and_indices_out_of_range_are_refused),
        cmocka_unit_test(only_a_sample_of_its_own_makes_a_block_differ),
        cmocka_unit_test(the_canonical_form_keeps_exactly_the_blocks_that_differ),
        cmocka_unit_test(a_copy_is_equal_and_its_own),
        cmocka_unit_test(the_hash_is_the_one_that_the_format_defines),
        cmocka_unit_test(the_hash_depends_on_own_samples_and_not_on_history),
        cmocka_unit_test(floor_division_and_units_round_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
