/* Kernels `heights` and `heights_any`: a list of slots applied to the heights of each chunk, and by `heights_any` to the paint of
 * its columns. An invocation does one column. Slots that change no heights are passed over, but paints where there is paint.
 *
 * `heights` knows the common slots alone, for the reason that blocks_params.h gives. */
#ifndef TR_SHADERS_HEIGHTS_PARAMS_H
#define TR_SHADERS_HEIGHTS_PARAMS_H
#include "edit_slot.h"
#include "layout.h"

#define TR_HEIGHTS_LOCAL 64
#define TR_HEIGHTS_ITEMS 0   /* tr_heights_item, one a chunk */
#define TR_HEIGHTS_SLOTS 1   /* tr_edit_slot of all chunks */
#define TR_HEIGHTS_BEFORE 2  /* layers of TR_COLUMNS words: old heights, and what TR_SLOT_FOLLOW sets */
#define TR_HEIGHTS_RESULT 3  /* out: TR_COLUMNS words a chunk */
#define TR_HEIGHTS_BUFFERS 4 /* of `heights` */
#define TR_HEIGHTS_WORDS 4   /* of the slots */
#define TR_HEIGHTS_PAINT 5   /* in and out: layers of TR_COLUMNS words */
#define TR_HEIGHTS_ANY_BUFFERS 6

#define TR_HEIGHTS_NO_PAINT 0xffffffffu

TR_STRUCT(tr_heights_item)
{
    uint before, after; /* layers of TR_HEIGHTS_BEFORE; `after` is any where no slot follows */
    uint first_slot, slot_count;
    uint paint; /* layer of TR_HEIGHTS_PAINT, or TR_HEIGHTS_NO_PAINT */
};

TR_STRUCT(tr_heights_params)
{
    uint chunk_count;
};

/* Whether `heights` knows the slot: raise, level and follow, and what leaves heights and paint alone. */
TR_FN bool tr_heights_is_common(tr_edit_slot slot)
{
    return slot.op == TR_SLOT_RAISE || slot.op == TR_SLOT_LEVEL || slot.op == TR_SLOT_FOLLOW ||
           (tr_slot_is_volume(slot) && !tr_slot_is_paint(slot));
}

#endif
