/* The field of one tile, row by row along x: the height field for the whole row, then the samples of stored
 * blocks over it.
 *
 * A row of 67 samples spans three chunks: x = -1 lies in the western one, 0..63 in the tile's own, 64 and 65
 * in the eastern one. At the world's border the sample that a read clamps to may lie in another chunk than
 * the read itself, so each axis maps tile coordinates to the owner of the clamped sample first. Compiled once
 * for each instruction set, see lib/base/isa.h. */
#include "lib/mesh/field.h"

#include "lib/world/coord.h"
#include "shaders/field_params.h"

/* Who owns the sample at a tile coordinate along one axis. */
struct owner {
    int side;  /* 0 the chunk (or block row) before the tile's, 1 its own, 2 the one after */
    int local; /* 0..63 within it */
};

static struct owner owner_of(int64_t sample, int32_t tile)
{
    struct owner owner = {(int)(tr_floor_div(sample, TR_CHUNK) - tile) + 1,
                          (int)tr_floor_mod(sample, TR_CHUNK)};
    return owner;
}

/* Of tile coordinate i, in -1..65, of tile number `tile` in a world of `world` chunks, whose samples are
 * 0..64*world. */
static struct owner owner_in_world(int i, int32_t tile, int32_t world)
{
    int64_t sample = (int64_t)tile * TR_CHUNK + i;
    int64_t last = (int64_t)world * TR_CHUNK;
    sample = sample < 0 ? 0 : (sample > last ? last : sample);
    return owner_of(sample, tile);
}

/* The samples -1..65 of a row at voxel row y as the height field gives them; row points to sample 0, heights
 * to the one at -1. */
static void row_from_heights(const int32_t *restrict heights, int y, int16_t *restrict row)
{
#pragma omp simd
    for (int i = 0; i < TR_TILE_SAMPLES; i++)
        row[i - 1] = (int16_t)tr_height_field(y, heights[i]);
}

void TR_ISA_NAME(tr_tile_field)(const struct tr_tile *tile, int16_t *field)
{
    static const int edges[3] = {-1, 64, 65}; /* tile coordinates that are not the tile's own */
    struct owner edge_x[3];

    for (int i = 0; i < 3; i++)
        edge_x[i] = owner_in_world(edges[i], tile->cx, tile->world_x);

    for (int y = -1; y <= TR_TILE_CORNERS; y++) {
        int32_t voxel_y = tile->cy * TR_CHUNK + y;
        struct owner owner_y = owner_of(voxel_y, tile->cy);
        for (int z = -1; z <= TR_TILE_CORNERS; z++) {
            struct owner owner_z = owner_in_world(z, tile->cz, tile->world_z);
            const int16_t *const *blocks = tile->blocks + (owner_y.side * 3 + owner_z.side) * 3;
            int block_row = tr_block_index(0, owner_y.local, owner_z.local);
            int16_t *row = field + tr_tile_index(0, y, z);

            row_from_heights(tile->heights + (z + 1) * TR_TILE_SAMPLES, voxel_y, row);
            if (blocks[1])
                memcpy(row, blocks[1] + block_row, TR_CHUNK * sizeof *row);
            for (int i = 0; i < 3; i++) {
                const int16_t *block = blocks[edge_x[i].side];
                if (block)
                    row[edges[i]] = block[block_row + edge_x[i].local];
            }
            row[TR_TILE_CORNERS + 1] = TR_FIELD_PADDING;
        }
    }
}
