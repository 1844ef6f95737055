/* See gather.h. */
#include "lib/run/gather.h"

#include "shaders/exact.h"
#include <assert.h>
#include <string.h>

/* Where a clamped coordinate falls among the three chunks along one axis: which (0..2), and the sample in it.
 */
static void locate(int32_t size_chunks, int32_t chunk, int64_t sample, int *which, int *local)
{
    int64_t last = (int64_t)size_chunks * TR_CHUNK;
    int64_t at = (int64_t)chunk * TR_CHUNK + sample;
    at = at < 0 ? 0 : (at > last ? last : at);
    *which = (int)(tr_floor_div(at, TR_CHUNK) - chunk) + 1;
    *local = (int)tr_floor_mod(at, TR_CHUNK);
}

void tr_gather_heights(const struct tr_world_info *info, const struct tr_neighbourhood *around, int32_t cx,
                       int32_t cz, int lowest, int size, int32_t *out)
{
    int chunk_x[TR_GATHER_MAX], local_x[TR_GATHER_MAX];
    assert(size <= TR_GATHER_MAX);
    for (int i = 0; i < size; i++)
        locate(info->size_x, cx, lowest + i, &chunk_x[i], &local_x[i]);
    for (int j = 0; j < size; j++) {
        int chunk_z, local_z;
        locate(info->size_z, cz, lowest + j, &chunk_z, &local_z);
        for (int i = 0; i < size; i++)
            out[j * size + i] = around->chunks[chunk_z][chunk_x[i]]->heights[local_z * TR_CHUNK + local_x[i]];
    }
}

/* field() of `count` samples of one chunk, from local (x, z) on along x. */
static void field_row(const struct tr_chunk *chunk, int64_t y, int x, int z, int count, int16_t *out)
{
    const int16_t *samples = tr_chunk_block(chunk, (int32_t)tr_floor_div(y, TR_CHUNK));
    const int32_t *heights = chunk->heights + z * TR_CHUNK + x;
    if (samples) {
        memcpy(out, samples + tr_block_index(x, (int)tr_floor_mod(y, TR_CHUNK), z),
               (size_t)count * sizeof *out);
        return;
    }
    for (int i = 0; i < count; i++)
        out[i] = (int16_t)tr_height_field((int)y, heights[i]);
}

static int64_t clamp(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* A run of columns along x that one chunk owns. */
struct run {
    const struct tr_chunk *chunk;
    int x, z; /* its first column, in the chunk */
    int count;
};

/* All rows of a run: out points to the lowest one's place, rows are `step` samples apart. */
static void field_column(const struct run *run, int64_t y0, uint32_t size_y, size_t step, int16_t *out)
{
    const int64_t lowest = (int64_t)TR_BLOCK_ROW_MIN * TR_CHUNK,
                  highest = (int64_t)TR_BLOCK_ROW_MAX * TR_CHUNK + TR_CHUNK - 1;
    for (uint32_t j = 0; j < size_y; j++)
        field_row(run->chunk, clamp(y0 + j, lowest, highest), run->x, run->z, run->count, out + j * step);
}

/* How many columns from x on one chunk owns, at most `left`; one at a time beyond the world, where they repeat. */
static int run_length(int64_t x, int64_t unclamped, int64_t last, uint32_t left)
{
    int64_t count = TR_CHUNK - tr_floor_mod(x, TR_CHUNK);
    count = count > last - x + 1 ? last - x + 1 : count;
    count = count > left ? left : count;
    return x == unclamped ? (int)count : 1;
}

bool tr_gather_field(const struct tr_world_info *info, const int64_t lo[3], const uint32_t size[3],
                     tr_gather_find *find, void *context, int16_t *out)
{
    const int64_t last_x = (int64_t)info->size_x * TR_CHUNK, last_z = (int64_t)info->size_z * TR_CHUNK;
    for (uint32_t k = 0; k < size[2]; k++) {
        int64_t z = clamp(lo[2] + k, 0, last_z);
        for (uint32_t i = 0; i < size[0];) {
            int64_t x = clamp(lo[0] + i, 0, last_x);
            struct run run = {.x = (int)tr_floor_mod(x, TR_CHUNK), .z = (int)tr_floor_mod(z, TR_CHUNK)};
            run.chunk = find(context, (int32_t)tr_floor_div(x, TR_CHUNK), (int32_t)tr_floor_div(z, TR_CHUNK));
            if (!run.chunk)
                return false;
            run.count = run_length(x, lo[0] + i, last_x, size[0] - i);
            field_column(&run, lo[1], size[1], (size_t)size[2] * size[0], out + (size_t)k * size[0] + i);
            i += (uint32_t)run.count;
        }
    }
    return true;
}
