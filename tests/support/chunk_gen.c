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

void assert_chunks_equal(const struct tr_chunk *found, const struct tr_chunk *expected)
{
    assert_int_equal(found->cx, expected->cx);
    assert_int_equal(found->cz, expected->cz);
    assert_int_equal(found->size_x, expected->size_x);
    assert_int_equal(found->size_z, expected->size_z);
    for (uint32_t z = 0; z < found->size_z; z++)
        for (uint32_t x = 0; x < found->size_x; x++)
            if (found->heights[z * 64 + x] != expected->heights[z * 64 + x])
                fail_msg("height at (%u, %u) is %d, expected %d", x, z, found->heights[z * 64 + x],
                         expected->heights[z * 64 + x]);
    assert_int_equal(found->block_count, expected->block_count);
    for (size_t i = 0; i < found->block_count; i++) {
        const struct tr_block *a = &found->blocks[i], *b = &expected->blocks[i];

        assert_int_equal(a->cy, b->cy);
        for (int y = 0; y < 64; y++)
            for (uint32_t z = 0; z < found->size_z; z++)
                for (uint32_t x = 0; x < found->size_x; x++)
                    if (a->samples[tr_block_index(x, y, z)] != b->samples[tr_block_index(x, y, z)])
                        fail_msg("sample at (%u, %d, %u) of block row %d is %d, expected %d", x, y, z, a->cy,
                                 a->samples[tr_block_index(x, y, z)], b->samples[tr_block_index(x, y, z)]);
    }
}
