/* The field of one tile: every sample that meshing it reads, from its heights and the stored blocks around
 * it.
 *
 * This is field(x, y, z) of the whole world: the block's sample where a block is stored, else the height
 * field; in x and z reads beyond the world clamp to its last sample. The C side of the kernel `field`. */
#ifndef TR_MESH_FIELD_H
#define TR_MESH_FIELD_H

#include "lib/base/isa.h"
#include "shaders/cell.h"

/* What the field of the tile (cx, cy, cz) is made from. */
struct tr_tile {
    int32_t cx, cy, cz;
    int32_t world_x,
        world_z; /* size of the world in chunks: samples 0..64*world; 0 <= cx < world_x, cz likewise */
    const int32_t *heights;       /* TR_TILE_HALO, already clamped to the world */
    const int16_t *const *blocks; /* 27: [dy + 1][dz + 1][dx + 1] of chunk (cx + dx, cy + dy, cz + dz), NULL
                                     where none is stored */
};

/* Fills TR_TILE_FIELD_SAMPLES values, all of them; the unused end of a row holds TR_FIELD_PADDING. */
TR_ISA_DECLARE(void, tr_tile_field, (const struct tr_tile *tile, int16_t *field));

#endif
