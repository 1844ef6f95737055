/* Chunks in memory: who owns which sample, what the field is, what of, when a block or paint is worth storing, what
 * the hash sees. */
#include "lib/world/chunk.h"
#include "shaders/exact.h"
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

static void must_copy(struct tr_chunk *to, const struct tr_chunk *from)
{
    struct tr_error error = {0};

    if (tr_chunk_copy(to, from, &error) != TR_OK)
        fail_msg("%s", error.text);
}

static uint8_t *must_paint(struct tr_chunk *chunk)
{
    struct tr_error error = {0};

    if (tr_chunk_add_paint(chunk, &error) != TR_OK)
        fail_msg("%s", error.text);
    return chunk->paint;
}

static uint8_t *must_paint_block(struct tr_chunk *chunk, int32_t cy)
{
    struct tr_error error = {0};
    uint8_t *paint;

    if (tr_chunk_add_block_paint(chunk, cy, &paint, &error) != TR_OK)
        fail_msg("%s", error.text);
    return paint;
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
    struct tr_chunk plain, blocked;

    (void)state;
    chunk_gen_init(&plain, 2, 3, 64, 64);
    chunk_gen_heights(&plain, 11);
    plain.heights[0] = TR_HEIGHT_MAX;
    plain.heights[1] = -TR_HEIGHT_MAX;
    must_copy(&blocked, &plain);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        must_add(&blocked, rows[i]);
        for (int64_t y = (int64_t)rows[i] * 64; y < (int64_t)rows[i] * 64 + 64; y += 9)
            for (int x = 0; x < 64; x += 1)
                assert_int_equal(tr_chunk_field(&blocked, x, y, x * 5 % 64),
                                 tr_chunk_field(&plain, x, y, x * 5 % 64));
    }
    assert_int_equal(blocked.block_count, 5);
    tr_chunk_release(&plain);
    tr_chunk_release(&blocked);
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
    struct tr_chunk chunk, copy;

    (void)state;
    chunk_gen_init(&chunk, 4, 9, 64, 1);
    chunk_gen_heights(&chunk, 8);
    chunk_gen_random_block(&chunk, -7, 3);
    chunk_gen_random_block(&chunk, 7, 4);
    chunk_gen_paint(&chunk, 5);
    free(chunk.blocks[0].paint);
    chunk.blocks[0].paint = NULL;
    must_copy(&copy, &chunk);
    assert_chunks_equal(&copy, &chunk);
    assert_ptr_not_equal(copy.blocks[1].samples, chunk.blocks[1].samples);
    assert_ptr_not_equal(copy.blocks[1].paint, chunk.blocks[1].paint);
    assert_ptr_not_equal(copy.paint, chunk.paint);
    assert_null(copy.blocks[0].paint);
    tr_chunk_release(&chunk);
    assert_int_equal(copy.blocks[1].cy, 7);
    tr_chunk_release(&copy);
}

/* ---- paint ---- */

static void the_material_is_the_blocks_where_it_has_one_and_else_the_columns(void **state)
{
    static const struct {
        int x;
        int64_t y;
        int z, expected;
    } cases[] = {
        {5, -64, 6, 200}, /* the block's */
        {5, -63, 6, 3},   /* none there: the column's */
        {5, -65, 6, 3},   /* rows without a block, without an array in it, beyond all rows */
        {5, 64, 6, 3},    {5, INT64_MAX, 6, 3}, {5, INT64_MIN, 6, 3}, {63, -1, 63, 255}, /* no column paint */
        {63, 0, 63, 0},
    };
    struct tr_chunk chunk;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 64, 64);
    must_add(&chunk, -1);
    must_add(&chunk, 1);
    assert_int_equal(tr_chunk_material(&chunk, 5, -64, 6), 0);
    assert_false(tr_chunk_is_painted(&chunk));
    assert_null(tr_chunk_block_paint(&chunk, -1));
    assert_null(tr_chunk_block_paint(&chunk, 0));

    must_paint(&chunk)[6 * 64 + 5] = 3;
    must_paint_block(&chunk, -1)[tr_block_index(5, 0, 6)] = 200;
    must_paint_block(&chunk, -1)[tr_block_index(63, 63, 63)] = 255; /* the array that is there */
    must_paint(&chunk);
    assert_true(tr_chunk_is_painted(&chunk));
    assert_ptr_equal(tr_chunk_block_paint(&chunk, -1), chunk.blocks[0].paint);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int found = tr_chunk_material(&chunk, cases[i].x, cases[i].y, cases[i].z);

        if (found != cases[i].expected)
            fail_msg("material at (%d, %jd, %d) is %d, expected %d", cases[i].x, (intmax_t)cases[i].y,
                     cases[i].z, found, cases[i].expected);
    }
    tr_chunk_release(&chunk);
}

static void a_chunk_is_painted_when_one_of_its_blocks_alone_is(void **state)
{
    struct tr_chunk chunk;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 1, 64);
    must_add(&chunk, 2);
    must_add(&chunk, 3);
    assert_false(tr_chunk_is_painted(&chunk));
    must_paint_block(&chunk, 3);
    assert_true(tr_chunk_is_painted(&chunk));
    tr_chunk_release(&chunk);
}

static void paint_alone_keeps_no_block(void **state)
{
    struct tr_chunk chunk;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 64, 64);
    must_add(&chunk, 4);
    memset(must_paint_block(&chunk, 4), 9, TR_BLOCK_SAMPLES);
    tr_chunk_make_canonical(&chunk);
    assert_int_equal(chunk.block_count, 0);
    assert_false(tr_chunk_is_painted(&chunk));
    tr_chunk_release(&chunk);
}

static void the_canonical_form_keeps_paint_exactly_on_samples_that_differ(void **state)
{
    static const uint32_t sizes[][2] = {{64, 64}, {1, 64}, {64, 1}, {1, 1}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct tr_chunk chunk;
        int16_t *samples;
        const uint8_t *paint;

        chunk_gen_init(&chunk, 0, 0, sizes[i][0], sizes[i][1]);
        chunk_gen_heights(&chunk, 5);
        chunk_gen_sculpted_block(&chunk, -1, i);
        memset(must_paint_block(&chunk, -1), 9, TR_BLOCK_SAMPLES);
        samples = chunk.blocks[0].samples;
        tr_chunk_make_canonical(&chunk);
        paint = tr_chunk_block_paint(&chunk, -1);
        assert_non_null(paint);
        for (int y = 0; y < 64; y++)
            for (uint32_t z = 0; z < sizes[i][1]; z++)
                for (uint32_t x = 0; x < sizes[i][0]; x++) {
                    size_t at = tr_block_index(x, y, z);
                    int field = tr_height_field(y - 64, chunk.heights[z * 64 + x]);

                    if (paint[at] != (samples[at] == field ? 0 : 9))
                        fail_msg("%u x %u: paint at (%u, %d, %u) is %d over sample %d in a field of %d",
                                 sizes[i][0], sizes[i][1], x, y, z, paint[at], samples[at], field);
                }
        tr_chunk_release(&chunk);
    }
}

static void arrays_of_paint_without_paint_go(void **state)
{
    struct tr_chunk chunk;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 1, 1);
    must_add(&chunk, 0)[tr_block_index(0, 7, 0)] = 5;
    must_paint(&chunk)[1] = 9;                                /* beyond the rim */
    must_paint_block(&chunk, 0)[tr_block_index(0, 8, 0)] = 9; /* where the sample equals the field */
    tr_chunk_make_canonical(&chunk);
    assert_null(chunk.paint);
    assert_int_equal(chunk.block_count, 1);
    assert_null(chunk.blocks[0].paint);

    must_paint(&chunk)[0] = 1;
    must_paint_block(&chunk, 0)[tr_block_index(0, 7, 0)] = 2;
    tr_chunk_make_canonical(&chunk);
    assert_int_equal(tr_chunk_material(&chunk, 0, 0, 0), 1);
    assert_int_equal(tr_chunk_material(&chunk, 0, 7, 0), 2);
    tr_chunk_release(&chunk);
}

/* ---- the hash ---- */

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int b = 0; b < 4; b++)
        at[b] = (uint8_t)(value >> 8 * b);
}

static void put_hash(uint8_t *at, XXH128_hash_t hash)
{
    for (int b = 0; b < 8; b++) {
        at[b] = (uint8_t)(hash.low64 >> 8 * b);
        at[8 + b] = (uint8_t)(hash.high64 >> 8 * b);
    }
}

static XXH128_hash_t digest_of_heights(const struct tr_chunk *chunk)
{
    static uint8_t bytes[4 * TR_CHUNK_SAMPLES];
    size_t count = (size_t)chunk->size_x * chunk->size_z;

    for (size_t i = 0; i < count; i++)
        put_u32(bytes + 4 * i, (uint32_t)chunk->heights[i / chunk->size_x * 64 + i % chunk->size_x]);
    return XXH3_128bits(bytes, 4 * count);
}

/* Of so many layers of samples of 1 or 2 bytes, which lie in memory as 64 x 64 each; of one layer itself where it
 * is the columns'. */
static XXH128_hash_t digest_of_layers(const struct tr_chunk *chunk, const int16_t *samples,
                                      const uint8_t *paint, int layer_count)
{
    static uint8_t bytes[2 * TR_CHUNK_SAMPLES], layers[64 * 16];
    size_t count = (size_t)chunk->size_x * chunk->size_z, size_bytes = samples ? 2 : 1;
    XXH128_hash_t hash = {0};

    for (int y = 0; y < layer_count; y++) {
        for (size_t i = 0; i < count; i++) {
            size_t at = tr_block_index(i % chunk->size_x, (size_t)y, i / chunk->size_x);
            unsigned value = samples ? (uint16_t)samples[at] : paint[at];

            for (size_t b = 0; b < size_bytes; b++)
                bytes[size_bytes * i + b] = (uint8_t)(value >> 8 * b);
        }
        hash = XXH3_128bits(bytes, size_bytes * count);
        put_hash(layers + 16 * y, hash);
    }
    return layer_count == 1 ? hash : XXH3_128bits(layers, sizeof layers);
}

static XXH128_hash_t with_item(XXH128_hash_t hash, uint32_t kind, int32_t cy, XXH128_hash_t digest)
{
    uint8_t item[40];

    put_hash(item, hash);
    put_u32(item + 16, kind);
    put_u32(item + 20, (uint32_t)cy);
    put_hash(item + 24, digest);
    return XXH3_128bits(item, sizeof item);
}

/* FORMAT.md's definition once more: into buffers, then xxHash itself. */
static struct tr_hash hash_of_definition(const struct tr_chunk *chunk)
{
    uint8_t head[40] = "TRCHUNK\n";
    XXH128_hash_t hash;

    put_u32(head + 8, (uint32_t)chunk->cx);
    put_u32(head + 12, (uint32_t)chunk->cz);
    put_u32(head + 16, chunk->size_x);
    put_u32(head + 20, chunk->size_z);
    put_hash(head + 24, digest_of_heights(chunk));
    hash = XXH3_128bits(head, sizeof head);
    if (chunk->paint)
        hash = with_item(hash, 3, 0, digest_of_layers(chunk, NULL, chunk->paint, 1));
    for (size_t i = 0; i < chunk->block_count; i++) {
        const struct tr_block *block = &chunk->blocks[i];

        hash = with_item(hash, 2, block->cy, digest_of_layers(chunk, block->samples, NULL, 64));
        if (block->paint)
            hash = with_item(hash, 4, block->cy, digest_of_layers(chunk, NULL, block->paint, 64));
    }
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
        chunk_gen_paint(&chunk, i);
        assert_hash_equal(tr_chunk_hash(&chunk), hash_of_definition(&chunk));
        chunk_gen_random_block(&chunk, -1024, 3);
        chunk_gen_random_block(&chunk, 2, 4);
        assert_hash_equal(tr_chunk_hash(&chunk), hash_of_definition(&chunk));
        chunk_gen_paint(&chunk, i);
        assert_non_null(chunk.blocks[0].paint);
        assert_non_null(chunk.blocks[1].paint);
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
    for (int32_t cy = 30; cy > -30; cy--) {
        must_add(&worn, cy);
        must_paint_block(&worn, cy)[0] = 5;
    }
    must_paint(&worn);
    tr_chunk_make_canonical(&worn); /* they go again */
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
    must_paint(&worn)[64] = 1;
    assert_false(tr_hash_equal(tr_chunk_hash(&worn), hash));
    worn.paint[64] = 0;
    must_paint_block(&worn, 0)[tr_block_index(0, 63, 63)] = 1;
    assert_false(tr_hash_equal(tr_chunk_hash(&worn), hash));
    worn.blocks[0].paint[tr_block_index(0, 63, 63)] = 0;
    tr_chunk_make_canonical(&worn);
    assert_hash_equal(tr_chunk_hash(&worn), hash);
    tr_chunk_release(&plain);
    tr_chunk_release(&worn);
}

/* The same bytes, as the paint of the columns and as that of a layer, or in another block, say another thing. */
static void the_hash_tells_whose_paint_it_is(void **state)
{
    struct tr_hash hashes[5];
    struct tr_chunk chunk;

    (void)state;
    for (int i = 0; i < 5; i++) {
        chunk_gen_init(&chunk, 0, 0, 1, 1);
        chunk_gen_random_block(&chunk, 0, 3);
        chunk_gen_random_block(&chunk, 1, 3);
        if (i == 1)
            must_paint(&chunk)[0] = 7;
        if (i == 2)
            must_paint_block(&chunk, 0)[tr_block_index(0, 5, 0)] = 7;
        if (i == 3)
            must_paint_block(&chunk, 1)[tr_block_index(0, 5, 0)] = 7;
        if (i == 4)
            must_paint_block(&chunk, 1)[tr_block_index(0, 6, 0)] = 7;
        hashes[i] = tr_chunk_hash(&chunk);
        for (int before = 0; before < i; before++)
            if (tr_hash_equal(hashes[before], hashes[i]))
                fail_msg("cases %d and %d have one hash", before, i);
        tr_chunk_release(&chunk);
    }
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
        cmocka_unit_test(the_material_is_the_blocks_where_it_has_one_and_else_the_columns),
        cmocka_unit_test(a_chunk_is_painted_when_one_of_its_blocks_alone_is),
        cmocka_unit_test(paint_alone_keeps_no_block),
        cmocka_unit_test(the_canonical_form_keeps_paint_exactly_on_samples_that_differ),
        cmocka_unit_test(arrays_of_paint_without_paint_go),
        cmocka_unit_test(the_hash_is_the_one_that_the_format_defines),
        cmocka_unit_test(the_hash_depends_on_own_samples_and_not_on_history),
        cmocka_unit_test(the_hash_tells_whose_paint_it_is),
        cmocka_unit_test(floor_division_and_units_round_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
