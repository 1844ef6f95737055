/* Kernel `field`: the samples of tiles from the heights and the stored blocks around them. An invocation
 * makes one word, two samples. */
#ifndef TR_SHADERS_FIELD_PARAMS_H
#define TR_SHADERS_FIELD_PARAMS_H
#include "exact.h"
#include "layout.h"

#define TR_FIELD_LOCAL 64
#define TR_FIELD_ITEMS 0   /* tr_field_item, one a tile */
#define TR_FIELD_HEIGHTS 1 /* TR_TILE_HALO words a tile, clamped to the world */
#define TR_FIELD_BLOCKS 2  /* TR_BLOCK_WORDS each, shared by tiles */
#define TR_FIELD_SAMPLES 3 /* out: TR_FIELD_STRIDE words a tile, ordered as tr_tile_index */
#define TR_FIELD_BUFFERS 4

#define TR_FIELD_ROW_WORDS 34  /* TR_TILE_PITCH / 2 */
#define TR_FIELD_WORDS 152626  /* TR_TILE_FIELD_SAMPLES / 2 */
#define TR_FIELD_STRIDE 152640 /* rounded up to whole 64 bytes */
#define TR_FIELD_PADDING 32767 /* what the unused end of a row holds: air */
#define TR_FIELD_NO_BLOCK 0xffffffffu

TR_STRUCT(tr_field_item)
{
    int low_y;                  /* voxel row of sample y = 0 */
    int lo_x, hi_x, lo_z, hi_z; /* the world's samples near the tile: reads are clamped to these, in -1..65 */
    uint block[27];             /* [dy + 1][dz + 1][dx + 1]: which one, or TR_FIELD_NO_BLOCK */
};

TR_STRUCT(tr_field_params)
{
    uint tile_count;
};

#endif
