/* Kernel `heights`: a list of height slots applied to the heights of each chunk. An invocation does one
 * column; slots of volume edits in the list are passed over. */
#ifndef TR_SHADERS_HEIGHTS_PARAMS_H
#define TR_SHADERS_HEIGHTS_PARAMS_H
#include "ground.h"
#include "layout.h"

#define TR_HEIGHTS_LOCAL 64
#define TR_HEIGHTS_ITEMS 0  /* tr_heights_item, one a chunk */
#define TR_HEIGHTS_SLOTS 1  /* tr_edit_slot of all chunks */
#define TR_HEIGHTS_BEFORE 2 /* layers of TR_COLUMNS words: old heights, and what TR_SLOT_FOLLOW sets */
#define TR_HEIGHTS_RESULT 3 /* out: TR_COLUMNS words a chunk */
#define TR_HEIGHTS_BUFFERS 4

TR_STRUCT(tr_heights_item)
{
    uint before, after; /* layers of TR_HEIGHTS_BEFORE; `after` is any where no slot follows */
    uint first_slot, slot_count;
};

TR_STRUCT(tr_heights_params)
{
    uint chunk_count;
};

#endif
