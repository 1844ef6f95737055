/* What the files of edits on Vulkan share: vulkan_edit.c cuts the work, vulkan_blocks.c and vulkan_heights.c do it.
 *
 * A batch has the lists of slots of many blocks or chunks one behind the other, and behind each other the words of those slots alone:
 * a slot's `words` becomes the place of its own in the batch. So it does not matter which lists make a batch, nor how a long list
 * is cut. */
#ifndef TR_BAKE_VULKAN_EDIT_H
#define TR_BAKE_VULKAN_EDIT_H

#include "lib/bake/vulkan_internal.h"
#include "shaders/blocks_params.h"

#define TR_HEIGHTS_BYTES ((size_t)TR_COLUMNS * sizeof(int32_t))

/* A list of slots, or a part of one, and the words that they index. */
struct tr_slot_list {
    const tr_edit_slot *slots;
    uint32_t count;
    const uint32_t *words;
    size_t word_count; /* 0: no slot has any */
};

/* How much lists put into a batch; also a place in one. */
struct tr_slot_load {
    uint64_t slots, words;
};

struct tr_slot_load tr_slot_list_load(struct tr_slot_list list);

/* Whether the slot is of a tree whose instructions are not all common (shaders/tree.h). */
bool tr_slot_is_uncommon_tree(const tr_edit_slot *slot, const uint32_t *words);

/* Whether lists of that load in all may make a batch. */
bool tr_slot_load_fits(const struct tr_vulkan *vulkan, struct tr_slot_load load);

/* Reserves a lane's slots and words; and copies a list there, *at moving behind it. */
enum tr_status tr_slots_reserve(struct tr_vulkan *vulkan, struct tr_vulkan_lane *lane,
                                struct tr_slot_load load, struct tr_error *error);
void tr_slots_gather(const struct tr_vulkan_lane *lane, struct tr_slot_list list, struct tr_slot_load *at);

/* The valid columns of a chunk. */
void tr_heights_copy(const struct tr_edit_task *task, int32_t *to, const int32_t *from);

/* Layers of TR_LANE_HEIGHTS: numbers those of a task, `after` being `before` where none is needed; and copies its heights there. */
void tr_layers_number(const struct tr_edit_task *task, uint32_t *layer_count, uint32_t *before,
                      uint32_t *after);
void tr_layers_gather(const struct tr_edit_task *task, const struct tr_vulkan_lane *lane, uint32_t before,
                      uint32_t after);

/* The steps, on tasks whose lists each fit a batch. Both start from the tasks' old heights, so blocks go first. */
enum tr_status tr_vulkan_edit_blocks(struct tr_vulkan *vulkan, struct tr_edit_task *tasks, size_t count,
                                     struct tr_error *error);
enum tr_status tr_vulkan_edit_heights(struct tr_vulkan *vulkan, struct tr_edit_task *tasks, size_t count,
                                      struct tr_error *error);

#endif
