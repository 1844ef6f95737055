/* See gather.h. */
#include "lib/run/gather.h"

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
    int chunk_x[TR_TILE_SAMPLES], local_x[TR_TILE_SAMPLES];
    for (int i = 0; i < size; i++)
        locate(info->size_x, cx, lowest + i, &chunk_x[i], &local_x[i]);
    for (int j = 0; j < size; j++) {
        int chunk_z, local_z;
        locate(info->size_z, cz, lowest + j, &chunk_z, &local_z);
        for (int i = 0; i < size; i++)
            out[j * size + i] = around->chunks[chunk_z][chunk_x[i]]->heights[local_z * TR_CHUNK + local_x[i]];
    }
}
