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

/* Heights of samples x0..x0+size-1, z0..z0+size-1 in the frame of the middle chunk (cx, cz), clamped to the
 * world: out[z][x]. The clamped samples must lie in the neighbourhood. */
void tr_gather_heights(const struct tr_world_info *info, const struct tr_neighbourhood *around, int32_t cx,
                       int32_t cz, int lowest, int size, int32_t *out);

#endif
