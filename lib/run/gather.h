/* Gathering what one step needs of a world: samples around a chunk, clamped to the world, from the chunks
 * that own them. */
#ifndef TR_RUN_GATHER_H
#define TR_RUN_GATHER_H

#include "lib/world/world.h"

/* The chunks around one: [dz + 1][dx + 1], NULL where the world has none (they are never read: reads are
 * clamped). */
struct tr_neighbourhood {
    const struct tr_chunk *chunks[3][3];
};

#define TR_GATHER_MAX 68 /* heights along a side */

/* Heights of samples lowest..lowest+size-1 along x and z in the frame of the middle chunk (cx, cz), clamped to the
 * world: out[z][x]. The clamped samples must lie in the neighbourhood. */
void tr_gather_heights(const struct tr_world_info *info, const struct tr_neighbourhood *around, int32_t cx,
                       int32_t cz, int lowest, int size, int32_t *out);

/* field() of samples x0.., y0.., z0.. on, size_x x size_y x size_z of them, clamped to the world: out[y][z][x]. find gives the chunk that owns
 * a column, or NULL to stop, when the answer is false; chunks are asked for again and again. */
typedef const struct tr_chunk *tr_gather_find(void *context, int32_t cx, int32_t cz);
bool tr_gather_field(const struct tr_world_info *info, const int64_t lo[3], const uint32_t size[3],
                     tr_gather_find *find, void *context, int16_t *out);

#endif
