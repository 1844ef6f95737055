/* Which bricks of a block (shaders/blocks_params.h) each slot may change, samples or paint: a kernel is given these alone. A
 * slot's set has every brick in which it changes a sample, and few others. */
#ifndef TR_BAKE_BRICKS_H
#define TR_BAKE_BRICKS_H

#include "shaders/blocks_params.h"

/* Bricks of one block: brick (x, y, z) is bit z * 8 + x of layer y. */
struct tr_brick_set {
    uint64_t layers[8];
};

/* The bricks that the slot may change; `words` are those that its `words` index. */
struct tr_brick_set tr_bricks_of_slot(const tr_edit_slot *slot, const uint32_t *words);

/* counts[i] becomes the number of sets that have brick i. */
void tr_bricks_count(const struct tr_brick_set *sets, uint32_t set_count, uint32_t counts[TR_BRICKS]);

/* Lists for each brick the sets that have it, in their order: set k is the number first + k, and the numbers of
 * brick i go to numbers[next[i]] and on; next[i] ends behind the last. */
void tr_bricks_list(const struct tr_brick_set *sets, uint32_t set_count, uint32_t first,
                    uint32_t next[TR_BRICKS], uint32_t *numbers);

#endif
