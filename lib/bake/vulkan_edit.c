/* Edit on Vulkan: cuts the work into what fits batches, blocks and heights.
 *
 * Both kernels start from the old heights: an invocation of `blocks` carries its columns' heights along. So blocks go first, all of
 * them, and the chunks' heights are replaced when nothing needs the old ones any more. A list of slots longer than a batch's buffer is
 * applied piece by piece, each piece as if it were an edit of its own: stored samples are quantised after every slot, so that changes
 * nothing. */
#include "lib/bake/vulkan_edit.h"

#include "lib/base/alloc.h"
#include <stdlib.h>
#include <string.h>

#define SLOT_BYTES sizeof(tr_edit_slot)
#define SLOT_NUMBERS_BYTES (TR_BRICKS * sizeof(uint32_t)) /* of a slot that all bricks of its block list */
#define SLOTS_PER_BATCH 32768

/* Slots ---------------------------------------------------------------------------------------------- */

/* Words of an instruction, its opcode counted. */
static uint32_t instruction_word_count(const uint32_t *code)
{
    static const uint8_t operands[] = {
        [TR_CODE_ROUND] = TR_CODE_ROUND_WORDS,
        [TR_CODE_BOX] = TR_CODE_BOX_WORDS,
        [TR_CODE_CYLINDER] = TR_CODE_CYLINDER_WORDS,
        [TR_CODE_TORUS] = TR_CODE_TORUS_WORDS,
        [TR_CODE_CONE] = TR_CODE_CONE_WORDS,
        [TR_CODE_ELLIPSOID] = TR_CODE_ELLIPSOID_WORDS,
        [TR_CODE_PLANE] = TR_CODE_PLANE_WORDS,
        [TR_CODE_LINK] = TR_CODE_LINK_WORDS,
        [TR_CODE_BLEND] = TR_CODE_BLEND_WORDS,
        [TR_CODE_OFFSET] = TR_CODE_OFFSET_WORDS,
        [TR_CODE_ONION] = TR_CODE_ONION_WORDS,
        [TR_CODE_DISPLACE] = TR_CODE_DISPLACE_WORDS,
        [TR_CODE_POINT_PUSH] = TR_CODE_POINT_PUSH_WORDS,
        [TR_CODE_ELONGATE] = TR_CODE_ELONGATE_WORDS,
        [TR_CODE_TWIST] = TR_CODE_TWIST_WORDS,
        [TR_CODE_BEND] = TR_CODE_BEND_WORDS,
        [TR_CODE_TAPER] = TR_CODE_TAPER_WORDS,
        [TR_CODE_POINT_POP] = 0,
    };

    if (code[0] >= TR_CODE_POLYHEDRON && code[0] <= TR_CODE_GRID)
        return 1 + code[1]; /* these say it themselves */
    return 1 + operands[code[0]];
}

/* The code of a tree, its END counted. */
static uint32_t code_word_count(const uint32_t *code)
{
    uint32_t at = 0;

    while (code[at] != TR_CODE_END)
        at += instruction_word_count(code + at);
    return at + 1;
}

bool tr_slot_is_uncommon_tree(const tr_edit_slot *slot, const uint32_t *words)
{
    const uint32_t *code;

    if (!tr_slot_is_shape(*slot) || slot->form != TR_FORM_TREE)
        return false;
    code = words + slot->words;
    while (*code != TR_CODE_END && tr_code_is_common(*code))
        code += instruction_word_count(code);
    return *code != TR_CODE_END;
}

static uint32_t image_word_count(const uint32_t *image)
{
    uint32_t pixels = image[TR_IMAGE_PIXELS - 2] * image[TR_IMAGE_PIXELS - 1]; /* width, height */

    return TR_IMAGE_PIXELS + (pixels + 1) / 2;
}

static uint32_t slot_word_count(const tr_edit_slot *slot, const uint32_t *words)
{
    if (slot->op == TR_SLOT_NOISE || slot->op == TR_SLOT_VOLUME_NOISE)
        return TR_BRUSH_NOISE_WORDS;
    if (slot->op == TR_SLOT_STAMP || slot->op == TR_SLOT_VOLUME_STAMP)
        return image_word_count(words + slot->words);
    if (tr_slot_is_shape(*slot) && slot->form == TR_FORM_TREE)
        return code_word_count(words + slot->words);
    return 0;
}

struct tr_slot_load tr_slot_list_load(struct tr_slot_list list)
{
    struct tr_slot_load load = {list.count, 0};

    for (uint32_t i = 0; i < list.count && list.word_count > 0; i++)
        load.words += slot_word_count(&list.slots[i], list.words);
    return load;
}

/* Few enough slots that their numbers fit a buffer even where every brick lists them all. Many large ones on many blocks keep a small
 * GPU busy for a second, and drivers give up on kernels that take much longer. */
bool tr_slot_load_fits(const struct tr_vulkan *vulkan, struct tr_slot_load load)
{
    return load.slots <= SLOTS_PER_BATCH && load.slots * SLOT_NUMBERS_BYTES <= vulkan->batch_bytes &&
           load.words * sizeof(uint32_t) <= vulkan->batch_bytes;
}

/* How many slots of a list, which has some, go in one batch; one always does. */
static uint32_t slots_that_fit(const struct tr_vulkan *vulkan, struct tr_slot_list list)
{
    struct tr_slot_load load = {0, 0};

    while (load.slots < list.count) {
        load.words += slot_word_count(&list.slots[load.slots], list.words);
        if (load.slots > 0 && !tr_slot_load_fits(vulkan, (struct tr_slot_load){load.slots + 1, load.words}))
            break;
        load.slots++;
    }
    return (uint32_t)load.slots;
}

enum tr_status tr_slots_reserve(struct tr_vulkan *vulkan, struct tr_vulkan_lane *lane,
                                struct tr_slot_load load, struct tr_error *error)
{
    enum tr_status status = tr_vulkan_reserve(vulkan, lane, TR_LANE_SLOTS, load.slots, SLOT_BYTES, error);

    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_WORDS, load.words, sizeof(uint32_t), error);
    return status;
}

void tr_slots_gather(const struct tr_vulkan_lane *lane, struct tr_slot_list list, struct tr_slot_load *at)
{
    tr_edit_slot *slots = (tr_edit_slot *)tr_lane_mirror(lane, TR_LANE_SLOTS) + at->slots;
    uint32_t *words = tr_lane_mirror(lane, TR_LANE_WORDS);

    if (list.count > 0)
        memcpy(slots, list.slots, list.count * SLOT_BYTES);
    for (uint32_t i = 0; i < list.count && list.word_count > 0; i++) {
        uint32_t count = slot_word_count(&slots[i], list.words);

        if (count == 0)
            continue;
        memcpy(words + at->words, list.words + slots[i].words, count * sizeof *words);
        slots[i].words = (uint32_t)at->words;
        at->words += count;
    }
    at->slots += list.count;
}

/* Heights -------------------------------------------------------------------------------------------- */

void tr_heights_copy(const struct tr_edit_task *task, int32_t *to, const int32_t *from)
{
    for (uint32_t z = 0; z < task->size_z; z++)
        memcpy(to + z * TR_CHUNK, from + z * TR_CHUNK, task->size_x * sizeof *to);
}

void tr_layers_number(const struct tr_edit_task *task, uint32_t *layer_count, uint32_t *before,
                      uint32_t *after)
{
    *before = (*layer_count)++;
    *after = task->after ? (*layer_count)++ : *before;
}

void tr_layers_gather(const struct tr_edit_task *task, const struct tr_vulkan_lane *lane, uint32_t before,
                      uint32_t after)
{
    int32_t *layers = tr_lane_mirror(lane, TR_LANE_HEIGHTS);

    tr_heights_copy(task, layers + (size_t)before * TR_COLUMNS, task->heights);
    if (task->after)
        tr_heights_copy(task, layers + (size_t)after * TR_COLUMNS, task->after);
}

/* Tasks ---------------------------------------------------------------------------------------------- */

/* Tasks whose lists each fit a batch. */
static enum tr_status edit_tasks(struct tr_vulkan *vulkan, struct tr_edit_task *tasks, size_t count,
                                 struct tr_error *error)
{
    enum tr_status status = tr_vulkan_edit_blocks(vulkan, tasks, count, error);

    return status == TR_OK ? tr_vulkan_edit_heights(vulkan, tasks, count, error) : status;
}

/* Applies a list piece by piece to the heights and column paint of `target`, and to the one block that it may have. */
static enum tr_status edit_pieces(struct tr_vulkan *vulkan, const struct tr_edit_task *target,
                                  struct tr_slot_list list, struct tr_error *error)
{
    struct tr_edit_task piece = *target;
    struct tr_edit_block block = {0};
    enum tr_status status;

    if (target->block_count > 0) {
        block = target->blocks[0];
        piece.blocks = &block;
    }
    do { /* once for an empty list too: the block may have to begin as the height field */
        piece.slots = block.slots = list.slots;
        piece.slot_count = block.slot_count = slots_that_fit(vulkan, list);
        status = edit_tasks(vulkan, &piece, 1, error);
        block.stored = true;
        list.slots = list.count > 0 ? list.slots + piece.slot_count : list.slots;
        list.count -= piece.slot_count;
    } while (list.count > 0 && status == TR_OK);
    return status;
}

/* A block of a long task, for which the heights that its slots see change in `heights`, a copy. The kernels of heights pass over volume
 * slots, so the block's list serves for both; no column is painted, which the task's own list will do. */
static enum tr_status edit_long_block(struct tr_vulkan *vulkan, const struct tr_edit_task *task,
                                      struct tr_edit_block *block, int32_t *heights, struct tr_error *error)
{
    struct tr_edit_task target = *task;
    struct tr_slot_list list = {block->slots, block->slot_count, task->words, task->word_count};

    tr_heights_copy(task, heights, task->heights);
    target.heights = heights;
    target.paint = NULL;
    target.blocks = block;
    target.block_count = 1;
    return edit_pieces(vulkan, &target, list, error);
}

static enum tr_status edit_long_task(struct tr_vulkan *vulkan, struct tr_edit_task *task,
                                     struct tr_error *error)
{
    struct tr_edit_task columns = *task; /* without its blocks */
    struct tr_slot_list list = {task->slots, task->slot_count, task->words, task->word_count};
    int32_t *heights = tr_alloc(TR_COLUMNS, sizeof *heights, error);
    enum tr_status status = heights ? TR_OK : TR_IO;

    for (uint32_t i = 0; i < task->block_count && status == TR_OK; i++)
        status = edit_long_block(vulkan, task, &task->blocks[i], heights, error);
    columns.blocks = NULL;
    columns.block_count = 0;
    if (status == TR_OK)
        status = edit_pieces(vulkan, &columns, list, error);
    free(heights);
    return status;
}

static bool list_is_long(const struct tr_vulkan *vulkan, struct tr_slot_list list)
{
    return list.count > 1 && !tr_slot_load_fits(vulkan, tr_slot_list_load(list));
}

static bool task_is_long(const struct tr_vulkan *vulkan, const struct tr_edit_task *task)
{
    struct tr_slot_list list = {task->slots, task->slot_count, task->words, task->word_count};
    bool is_long = list_is_long(vulkan, list);

    for (uint32_t i = 0; i < task->block_count; i++) {
        list.slots = task->blocks[i].slots;
        list.count = task->blocks[i].slot_count;
        is_long = is_long || list_is_long(vulkan, list);
    }
    return is_long;
}

enum tr_status tr_vulkan_edit(struct tr_bake *bake, struct tr_edit_task *tasks, size_t count,
                              struct tr_error *error)
{
    struct tr_vulkan *vulkan = (struct tr_vulkan *)bake;
    enum tr_status status = TR_OK;
    size_t done = 0;

    while (done < count && status == TR_OK) {
        size_t run = 0; /* tasks up to the next long one */

        while (done + run < count && !task_is_long(vulkan, &tasks[done + run]))
            run++;
        if (run > 0)
            status = edit_tasks(vulkan, tasks + done, run, error);
        else
            status = edit_long_task(vulkan, &tasks[done], error);
        done += run > 0 ? run : 1;
    }
    return status;
}
