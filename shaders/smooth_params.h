/* Kernel `smooth`: one smoothing slot on the heights of each chunk. An invocation does one column. */
#ifndef TR_SHADERS_SMOOTH_PARAMS_H
#define TR_SHADERS_SMOOTH_PARAMS_H
#include "ground.h"
#include "layout.h"

#define TR_SMOOTH_LOCAL 64
#define TR_SMOOTH_SLOTS 0  /* tr_edit_slot, one a chunk */
#define TR_SMOOTH_HALO 1   /* the state before: TR_SMOOTH_HALO_WORDS a chunk, [z + 1][x + 1] */
#define TR_SMOOTH_RESULT 2 /* out: TR_COLUMNS words a chunk */
#define TR_SMOOTH_BUFFERS 3

#define TR_SMOOTH_HALO_WIDTH 66
#define TR_SMOOTH_HALO_WORDS (66 * 66)

TR_STRUCT(tr_smooth_params)
{
    uint chunk_count;
};

#endif
