/* Chunks for tests. Integers only, so that every machine makes the same ones. */
#include "tests/support/chunk_gen.h"
#include "tests/support/test.h"

uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

void chunk_gen_init(struct tr_chunk *chunk, int32_t cx, int32_t cz, uint32_t size_x, uint32_t size_z)
{
    struct tr_error error = {0};

    if (tr_chunk_init(chunk, cx, cz, size_x, size_z, &error) != TR_OK)
        fail_msg("%s", error.text);
}

static int16_t *add_block(struct tr_chunk *chunk, int32_t cy)
{
    struct tr_error error = {0};
    int16_t *samples;

    if (tr_chunk_add_block(chunk, cy, &samples, &error) != TR_OK)
        fail_msg("%s", error.text);
    return samples;
}

/* Slopes that fold back at many periods: 0, 1, ... half, ..., 1, 0 */
static int64_t fold(int64_t position, int64_t period)
{
    int64_t at = tr_floor_mod(position, period);

    return at < period / 2 ? at : period - at;
}

void chunk_gen_heights(struct tr_chunk *chunk, uint64_t seed)
{
    for (uint32_t z = 0; z < chunk->size_z; z++)
        for (uint32_t x = 0; x < chunk->size_x; x++) {
            int64_t wx = (int64_t)chunk->cx * 64 + x + (int64_t)(seed % 997);
            int64_t wz = (int64_t)chunk->cz * 64 + z + (int64_t)(seed % 1009);
            int64_t height =
                90 * fold(wx + 2 * wz, 131) + 70 * fold(3 * wx - wz, 77) + 40 * fold(wx * wz, 23);

            chunk->heights[z * 64 + x] = (int32_t)height;
        }
}

void chunk_gen_sculpted_block(struct tr_chunk *chunk, int32_t cy, uint64_t seed)
{
    int16_t *samples = add_block(chunk, cy);
    uint64_t state = seed * 2 + 1;
    int cx = (int)(random_next(&state) % 64), cy_local = (int)(random_next(&state) % 64),
        cz = (int)(random_next(&state) % 64), reach = 8 + (int)(random_next(&state) % 20);

    for (int y = 0; y < 64; y++)
        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++) {
                int dx = (int)x - cx, dy = y - cy_local, dz = (int)z - cz;
                int distance = dx * dx + dy * dy + dz * dz;
                int16_t *sample = &samples[tr_block_index(x, y, z)];

                /* the solid inside becomes air, by a value that falls off like a square */
                if (distance < reach * reach && *sample < 16 * (reach * reach - distance))
                    *sample = (int16_t)(16 * (reach * reach - distance));
                if (x + (uint32_t)y + z < 4)
                    *sample = -700;
            }
}

void chunk_gen_random_block(struct tr_chunk *chunk, int32_t cy, uint64_t seed)
{
    int16_t *samples = add_block(chunk, cy);
    uint64_t state = seed * 2 + 1;

    for (int y = 0; y < 64; y++)
        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++)
                samples[tr_block_index(x, y, z)] =
                    (int16_t)((int)(random_next(&state) >> 20 & 0xffff) % 65535 - 32767);
}

/* A ball of one material. */
struct patch {
    int x, y, z, radius;
    uint8_t material;
};
#define PATCHES 5

/* The first lies around (0, 8, 0), which every chunk owns. */
static void make_patches(uint64_t seed, struct patch patches[PATCHES])
{
    uint64_t state = seed * 2 + 1;

    for (int i = 0; i < PATCHES; i++)
        patches[i] = (struct patch){.x = i == 0 ? 0 : (int)(random_next(&state) % 64),
                                    .y = i == 0 ? 8 : (int)(random_next(&state) % 64),
                                    .z = i == 0 ? 0 : (int)(random_next(&state) % 64),
                                    .radius = 12 + (int)(random_next(&state) % 20),
                                    .material = (uint8_t)(1 + random_next(&state) % 255)};
}

/* Where patches overlap the last counts. */
static uint8_t patch_at(const struct patch patches[PATCHES], int x, int y, int z)
{
    uint8_t material = 0;

    for (int i = 0; i < PATCHES; i++) {
        int dx = x - patches[i].x, dy = y - patches[i].y, dz = z - patches[i].z;

        if (dx * dx + dy * dy + dz * dz < patches[i].radius * patches[i].radius)
            material = patches[i].material;
    }
    return material;
}

static void paint_columns(struct tr_chunk *chunk, uint64_t seed)
{
    struct tr_error error = {0};
    struct patch patches[PATCHES];

    if (tr_chunk_add_paint(chunk, &error) != TR_OK)
        fail_msg("%s", error.text);
    make_patches(seed, patches);
    for (uint32_t z = 0; z < chunk->size_z; z++)
        for (uint32_t x = 0; x < chunk->size_x; x++)
            chunk->paint[z * 64 + x] = patch_at(patches, (int)x, 8, (int)z);
}

static void paint_block(struct tr_chunk *chunk, int32_t cy, uint64_t seed)
{
    struct tr_error error = {0};
    struct patch patches[PATCHES];
    uint8_t *paint;

    if (tr_chunk_add_block_paint(chunk, cy, &paint, &error) != TR_OK)
        fail_msg("%s", error.text);
    make_patches(seed, patches);
    for (int y = 0; y < 64; y++)
        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++)
                paint[tr_block_index(x, y, z)] = patch_at(patches, (int)x, y, (int)z);
}

void chunk_gen_paint(struct tr_chunk *chunk, uint64_t seed)
{
    paint_columns(chunk, seed);
    for (size_t i = 0; i < chunk->block_count; i++)
        paint_block(chunk, chunk->blocks[i].cy, seed + 1 + i);
    tr_chunk_make_canonical(chunk);
}

static uint8_t paint_at(const uint8_t *paint, size_t at)
{
    return paint ? paint[at] : 0;
}

static void assert_blocks_equal(const struct tr_chunk *chunk, const struct tr_block *found,
                                const struct tr_block *expected)
{
    assert_int_equal(found->cy, expected->cy);
    for (int y = 0; y < 64; y++)
        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++) {
                size_t at = tr_block_index(x, y, z);

                if (found->samples[at] != expected->samples[at])
                    fail_msg("sample at (%u, %d, %u) of block row %d is %d, expected %d", x, y, z, found->cy,
                             found->samples[at], expected->samples[at]);
                if (paint_at(found->paint, at) != paint_at(expected->paint, at))
                    fail_msg("paint at (%u, %d, %u) of block row %d is %d, expected %d", x, y, z, found->cy,
                             paint_at(found->paint, at), paint_at(expected->paint, at));
            }
}

void assert_chunks_equal(const struct tr_chunk *found, const struct tr_chunk *expected)
{
    assert_int_equal(found->cx, expected->cx);
    assert_int_equal(found->cz, expected->cz);
    assert_int_equal(found->size_x, expected->size_x);
    assert_int_equal(found->size_z, expected->size_z);
    for (uint32_t z = 0; z < found->size_z; z++)
        for (uint32_t x = 0; x < found->size_x; x++) {
            size_t at = z * 64 + x;

            if (found->heights[at] != expected->heights[at])
                fail_msg("height at (%u, %u) is %d, expected %d", x, z, found->heights[at],
                         expected->heights[at]);
            if (paint_at(found->paint, at) != paint_at(expected->paint, at))
                fail_msg("paint at (%u, %u) is %d, expected %d", x, z, paint_at(found->paint, at),
                         paint_at(expected->paint, at));
        }
    assert_int_equal(found->block_count, expected->block_count);
    for (size_t i = 0; i < found->block_count; i++)
        assert_blocks_equal(found, &found->blocks[i], &expected->blocks[i]);
}
