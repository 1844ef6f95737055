/* Applying slots to one chunk: the C side of the kernels heights, smooth and blocks, one chunk at a time. */
#ifndef TR_EDIT_APPLY_H
#define TR_EDIT_APPLY_H

#include "lib/base/isa.h"
#include "lib/base/status.h"
#include "shaders/cell.h"
#include "shaders/edit_slot.h"

/* One TR_SLOT_RAISE on a chunk's 64 x 64 heights (the slot's box limits it). */
TR_ISA_DECLARE(void, tr_apply_raise, (const tr_edit_slot *slot, int32_t *heights));

/* One TR_SLOT_SMOOTH: from the 66 x 66 halo of the state before to `after`, 64 x 64; untouched heights are copied. */
TR_ISA_DECLARE(void, tr_apply_smooth, (const tr_edit_slot *slot, const int32_t *halo, int32_t *after));

/* A block as the height field gives it, at the valid samples (x < size_x, z < size_z); its lowest samples have y = 64 cy. */
TR_ISA_DECLARE(void, tr_apply_begin,
               (const int32_t *heights, uint32_t size_x, uint32_t size_z, int32_t cy, int16_t *samples));

/* Block samples follow a change of heights from `before` to `after` (64 x 64 each); the block's lowest samples have y = 64 cy. */
TR_ISA_DECLARE(void, tr_apply_follow,
               (const int32_t *before, const int32_t *after, int32_t cy, int16_t *samples));

/* One TR_SLOT_UNION or TR_SLOT_SUBTRACT on a block. */
TR_ISA_DECLARE(void, tr_apply_shape, (const tr_edit_slot *slot, int16_t *samples));

#endif
