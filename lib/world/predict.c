/* Prediction, in four steps that each undo exactly: residual, Lorenzo, zigzag, byte planes.
 *
 *   residual   a block's sample minus the height field there, so that what was never sculpted is zero; a height is
 *              its own
 *   Lorenzo    the difference to the corner-opposite prediction from the neighbours before (Ibarria et al. 2003,
 *              "Out-of-core compression and decompression of large n-dimensional scalar fields"), which is nothing
 *              but a difference along each axis in turn; its inverse is a running sum along each axis
 *   zigzag     0, -1, 1, -2, ... become 0, 1, 2, 3, ... so that small differences of both signs have zero upper
 *              bytes
 *   planes     all lowest bytes, then all second bytes, ...
 *
 * Everything is unsigned and wraps, so no sample, however hostile, overflows: readers check ranges behind. Of
 * the predictors tried on sculpted blocks (none, along one axis, two, three; with and without the height
 * field) this was the smallest, and the rest of the work is less where the planes compress better.
 *
 * Paint does not come here: of differences along x, z and y, and all three, none made painted balls and shells
 * smaller than zstd makes the ids themselves. */
#include "lib/world/predict.h"

#include "shaders/exact.h"

static uint16_t zigzag16(uint16_t value)
{
    return (uint16_t)((uint32_t)value << 1) ^ (uint16_t)(0u - (value >> 15));
}

static uint16_t unzigzag16(uint16_t value)
{
    return (uint16_t)(value >> 1) ^ (uint16_t)(0u - (value & 1u));
}

static uint32_t zigzag32(uint32_t value)
{
    return value << 1 ^ (0u - (value >> 31));
}

static uint32_t unzigzag32(uint32_t value)
{
    return value >> 1 ^ (0u - (value & 1u));
}

/* ---- heights ---- */

void tr_heights_to_planes(const int32_t *heights, uint32_t size_x, uint32_t size_z, uint32_t *residuals,
                          uint8_t *planes)
{
    size_t count = (size_t)size_x * size_z;

    for (uint32_t z = 0; z < size_z; z++) {
        const int32_t *row = heights + z * 64;

        residuals[z * size_x] = (uint32_t)row[0];
        for (uint32_t x = 1; x < size_x; x++)
            residuals[z * size_x + x] = (uint32_t)row[x] - (uint32_t)row[x - 1];
    }
    for (size_t i = count; i-- > size_x;)
        residuals[i] -= residuals[i - size_x];
    for (size_t i = 0; i < count; i++) {
        uint32_t value = zigzag32(residuals[i]);

        planes[i] = (uint8_t)value;
        planes[count + i] = (uint8_t)(value >> 8);
        planes[2 * count + i] = (uint8_t)(value >> 16);
        planes[3 * count + i] = (uint8_t)(value >> 24);
    }
}

void tr_heights_from_planes(const uint8_t *planes, uint32_t size_x, uint32_t size_z, uint32_t *residuals,
                            int32_t *heights)
{
    size_t count = (size_t)size_x * size_z;

    for (size_t i = 0; i < count; i++)
        residuals[i] =
            unzigzag32((uint32_t)planes[i] | (uint32_t)planes[count + i] << 8 |
                       (uint32_t)planes[2 * count + i] << 16 | (uint32_t)planes[3 * count + i] << 24);
    for (size_t i = size_x; i < count; i++)
        residuals[i] += residuals[i - size_x];
    for (uint32_t z = 0; z < size_z; z++) {
        uint32_t sum = 0;

        for (uint32_t x = 0; x < size_x; x++) {
            sum += residuals[z * size_x + x];
            heights[z * 64 + x] = (int32_t)sum;
        }
    }
}

/* ---- blocks ---- */

/* Differences along z and then y of what is already differenced along x. */
static void block_difference(uint16_t *residuals, uint32_t size_x, uint32_t size_z)
{
    size_t layer = (size_t)size_x * size_z;

    for (size_t y = 0; y < 64; y++)
        for (size_t i = layer; i-- > size_x;)
            residuals[y * layer + i] =
                (uint16_t)(residuals[y * layer + i] - residuals[y * layer + i - size_x]);
    for (size_t i = 64 * layer; i-- > layer;)
        residuals[i] = (uint16_t)(residuals[i] - residuals[i - layer]);
}

static void block_sum(uint16_t *residuals, uint32_t size_x, uint32_t size_z)
{
    size_t layer = (size_t)size_x * size_z;

    for (size_t i = layer; i < 64 * layer; i++)
        residuals[i] = (uint16_t)(residuals[i] + residuals[i - layer]);
    for (size_t y = 0; y < 64; y++)
        for (size_t i = size_x; i < layer; i++)
            residuals[y * layer + i] =
                (uint16_t)(residuals[y * layer + i] + residuals[y * layer + i - size_x]);
}

void tr_block_to_planes(const int16_t *samples, const int32_t *heights, uint32_t size_x, uint32_t size_z,
                        int32_t cy, uint16_t *residuals, uint8_t *planes)
{
    size_t count = (size_t)64 * size_z * size_x;

    for (uint32_t y = 0; y < 64; y++)
        for (uint32_t z = 0; z < size_z; z++) {
            const int16_t *row = samples + tr_block_index(0, y, z);
            const int32_t *row_heights = heights + z * 64;
            uint16_t *to = residuals + ((size_t)y * size_z + z) * size_x;
            int world_y = cy * TR_CHUNK + (int)y;
            uint16_t before = 0;

            for (uint32_t x = 0; x < size_x; x++) {
                uint16_t residual = (uint16_t)(row[x] - tr_height_field(world_y, row_heights[x]));

                to[x] = (uint16_t)(residual - before);
                before = residual;
            }
        }
    block_difference(residuals, size_x, size_z);
    for (size_t i = 0; i < count; i++) {
        uint16_t value = zigzag16(residuals[i]);

        planes[i] = (uint8_t)value;
        planes[count + i] = (uint8_t)(value >> 8);
    }
}

void tr_block_from_planes(const uint8_t *planes, const int32_t *heights, uint32_t size_x, uint32_t size_z,
                          int32_t cy, uint16_t *residuals, int16_t *samples)
{
    size_t count = (size_t)64 * size_z * size_x;

    for (size_t i = 0; i < count; i++)
        residuals[i] = unzigzag16((uint16_t)(planes[i] | planes[count + i] << 8));
    block_sum(residuals, size_x, size_z);
    for (uint32_t y = 0; y < 64; y++)
        for (uint32_t z = 0; z < size_z; z++) {
            const uint16_t *from = residuals + ((size_t)y * size_z + z) * size_x;
            const int32_t *row_heights = heights + z * 64;
            int16_t *row = samples + tr_block_index(0, y, z);
            int world_y = cy * TR_CHUNK + (int)y;
            uint16_t residual = 0;

            for (uint32_t x = 0; x < size_x; x++) {
                residual = (uint16_t)(residual + from[x]);
                row[x] = (int16_t)(uint16_t)(residual + (uint32_t)tr_height_field(world_y, row_heights[x]));
            }
        }
}
