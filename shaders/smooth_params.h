/* Kernels `smooth` and `reshape`: one slot that reads what is around, on the heights of each chunk, and on the samples of each block. An
 * invocation does one column, or two samples, neighbours in x. */
#ifndef TR_SHADERS_SMOOTH_PARAMS_H
#define TR_SHADERS_SMOOTH_PARAMS_H
#include "edit_slot.h"
#include "layout.h"

#define TR_SMOOTH_LOCAL 64
#define TR_SMOOTH_SLOTS 0  /* tr_edit_slot, one a chunk or block */
#define TR_SMOOTH_HALO 1   /* the state before, one chunk or block behind the other */
#define TR_SMOOTH_RESULT 2 /* out: TR_COLUMNS words a chunk, or TR_BLOCK_WORDS a block */
#define TR_SMOOTH_BUFFERS 3
#define TR_RESHAPE_ITEMS 3 /* tr_reshape_item, one a block */
#define TR_RESHAPE_BUFFERS 4

#define TR_SMOOTH_HALO_WIDTH 68 /* heights: [z + 2][x + 2] */
#define TR_SMOOTH_HALO_WORDS (68 * 68)

/* Of a block the halo is a cube of side 64 + 2 margin, [y + margin][z + margin][x + margin], two samples a word. */
TR_STRUCT(tr_reshape_item)
{
    uint halo; /* its first word */
    int margin;
};

TR_STRUCT(tr_smooth_params)
{
    uint count; /* of chunks or blocks */
};

#endif
