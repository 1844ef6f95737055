/* Kernel `fill`: the heights of many chunks from noise. An invocation makes one height. */
#ifndef TR_SHADERS_FILL_PARAMS_H
#define TR_SHADERS_FILL_PARAMS_H
#include "layout.h"
#include "noise.h"

#define TR_FILL_LOCAL 64
#define TR_FILL_ITEMS 0   /* tr_fill_item, one a chunk */
#define TR_FILL_LAYERS 1  /* tr_noise_layer of all chunks */
#define TR_FILL_HEIGHTS 2 /* out: TR_COLUMNS words a chunk */
#define TR_FILL_BUFFERS 3

TR_STRUCT(tr_fill_item)
{
    uint first_layer, layer_count;
    int base;
};

TR_STRUCT(tr_fill_params)
{
    uint chunk_count;
};

#endif
