/* Slots: an edit's stamp as one chunk or block sees it (shaders/edit_slot.h). Doubles and exact operations only (+ - * / sqrt). */
#ifndef TR_EDIT_SLOT_H
#define TR_EDIT_SLOT_H

#include "lib/edit/edit.h"

/* Makes the slot in the frame whose origin is the sample `origin` (x, y, z; a height brush ignores y and has base_y 0), clipped to `world`
 * and to the 64 samples along each axis from the origin. *reaches is false when it reaches none of them. A flatten that reads its start
 * takes `start_height`, units. What does not fit the slot goes to `words`; with words NULL only *reaches is answered and the slot is not
 * complete. */
enum tr_status tr_edit_slot_make(const struct tr_edit *edit, const struct tr_stamp *stamp,
                                 int32_t start_height, const struct tr_box *world, const int64_t origin[3],
                                 struct tr_words *words, tr_edit_slot *slot, bool *reaches,
                                 struct tr_error *error);

/* The region of a redistance stamp: what it reads, clipped to the world, from the sample `lo` on `size` samples along each axis (all 0 where
 * it writes nothing in the world); and its slot in the frame of `lo`, whose box is what it writes. */
void tr_edit_region(const struct tr_edit *edit, const struct tr_stamp *stamp, const struct tr_box *world,
                    int64_t lo[3], uint32_t size[3], tr_edit_slot *slot);

#endif
