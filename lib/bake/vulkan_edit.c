/* Edit on Vulkan: the kernels `blocks` and `heights` on batches of blocks and of chunks.
 *
 * Of a block only those bricks travel that a slot may change; the rest of one that is not stored becomes the
 * height field here, which costs less than fetching it. Both kernels start from the old heights: an invocation of
 * `blocks` carries its columns' heights along. So blocks go first, all of them, and the chunks' heights are
 * replaced when nothing needs the old ones any more. A list of slots longer than a batch's buffer is applied
 * piece by piece, each piece as if it were an edit of its own: stored samples are quantised after every slot,
 * so that changes nothing. */
#include "lib/bake/vulkan_internal.h"

#include "lib/bake/bricks.h"
#include "lib/base/alloc.h"
#include "lib/edit/apply.h"
#include "shaders/heights_params.h"
#include <stdlib.h>
#include <string.h>

#define HEIGHTS_BYTES ((size_t)TR_COLUMNS * sizeof(int32_t))
#define BLOCK_BYTES ((size_t)TR_BLOCK_SAMPLES * sizeof(int16_t))
#define BRICK_BYTES ((size_t)TR_BRICK_SAMPLES * sizeof(int16_t))
#define SLOT_BYTES sizeof(tr_edit_slot)
#define SLOT_NUMBERS_BYTES (TR_BRICKS * sizeof(uint32_t)) /* of a slot that all bricks of its block list */
#define SLOTS_PER_BATCH 32768

/* A block with the chunk it belongs to, and where its batch has it. */
struct block_ref {
    struct tr_edit_task *task;
    struct tr_edit_block *block;
    uint32_t first_slot, before, after; /* in the buffers of slots and heights */
    uint32_t first_brick, brick_count;  /* in those of bricks and samples */
    uint32_t first_number, number_count;
};

struct edit {
    struct tr_edit_task *tasks;
    size_t task_count;
    struct block_ref *blocks; /* of all tasks, in their order */
    size_t block_count;
    const struct tr_vulkan_lane *lane; /* whose batch is gathered or scattered */
    /* of the batch that is gathered: the bricks of each slot, and for each block how many slots a brick has */
    struct tr_brick_set *sets;
    uint32_t *counts; /* TR_BRICKS a block */
    size_t set_capacity, count_capacity;
    int isa;
};

/* Slots of one batch, and so of one list: few enough that their numbers fit a buffer even where every brick
 * lists them all. Many large ones on many blocks keep a small GPU busy for a second, and drivers give up on
 * kernels that take much longer. */
static size_t slots_max(const struct tr_vulkan *vulkan)
{
    size_t most = vulkan->batch_bytes / SLOT_NUMBERS_BYTES;

    if (most > SLOTS_PER_BATCH)
        most = SLOTS_PER_BATCH;
    return most > 0 ? most : 1;
}

static void heights_copy(const struct tr_edit_task *task, int32_t *to, const int32_t *from)
{
    for (uint32_t z = 0; z < task->size_z; z++)
        memcpy(to + z * TR_CHUNK, from + z * TR_CHUNK, task->size_x * sizeof *to);
}

/* Numbers the layers of a task's heights; `after` is `before` where none is needed. */
static void layers_number(const struct tr_edit_task *task, uint32_t *layer_count, uint32_t *before,
                          uint32_t *after)
{
    *before = (*layer_count)++;
    *after = task->after ? (*layer_count)++ : *before;
}

/* Copies the heights of a task into its layers. */
static void layers_gather(const struct tr_edit_task *task, int32_t *layers, uint32_t before, uint32_t after)
{
    heights_copy(task, layers + (size_t)before * TR_COLUMNS, task->heights);
    if (task->after)
        heights_copy(task, layers + (size_t)after * TR_COLUMNS, task->after);
}

/* Blocks ------------------------------------------------------------------------------------------------- */

static size_t blocks_take(struct tr_vulkan *vulkan, void *context, int lane, size_t first)
{
    const struct edit *edit = context;
    size_t most = vulkan->batch_bytes / BLOCK_BYTES, most_slots = slots_max(vulkan);
    size_t slots = edit->blocks[first].block->slot_count, taken = 1;

    (void)lane;
    while (first + taken < edit->block_count && taken < most &&
           slots + edit->blocks[first + taken].block->slot_count <= most_slots)
        slots += edit->blocks[first + taken++].block->slot_count;
    return taken;
}

/* Numbers the slots and the layers of heights of a batch and returns how many there are. A task's heights are
 * there once for all its blocks, which follow each other. */
static void blocks_number(struct block_ref *refs, size_t count, uint32_t *slot_count, uint32_t *layer_count)
{
    *slot_count = *layer_count = 0;
    for (size_t i = 0; i < count; i++) {
        refs[i].first_slot = *slot_count;
        *slot_count += refs[i].block->slot_count;
        if (i > 0 && refs[i].task == refs[i - 1].task) {
            refs[i].before = refs[i - 1].before;
            refs[i].after = refs[i - 1].after;
        } else {
            layers_number(refs[i].task, layer_count, &refs[i].before, &refs[i].after);
        }
    }
}

/* Finds the bricks of a block that its slots may change. */
static enum tr_status block_find_bricks(void *context, size_t index, int job, struct tr_error *error)
{
    const struct edit *edit = context;
    struct block_ref *ref = &edit->blocks[edit->lane->first + index];
    struct tr_brick_set *sets = edit->sets + ref->first_slot;
    uint32_t *counts = edit->counts + index * TR_BRICKS;

    (void)job;
    (void)error;
    for (uint32_t i = 0; i < ref->block->slot_count; i++)
        sets[i] = tr_bricks_of_slot(&ref->block->slots[i]);
    tr_bricks_count(sets, ref->block->slot_count, counts);
    ref->brick_count = ref->number_count = 0;
    for (uint32_t i = 0; i < TR_BRICKS; i++) {
        ref->brick_count += counts[i] > 0;
        ref->number_count += counts[i];
    }
    return TR_OK;
}

/* Numbers the bricks of a batch and what their lists hold, and returns how many there are. */
static void bricks_number(struct block_ref *refs, size_t count, uint32_t *brick_count, uint32_t *number_count)
{
    *brick_count = *number_count = 0;
    for (size_t i = 0; i < count; i++) {
        refs[i].first_brick = *brick_count;
        refs[i].first_number = *number_count;
        *brick_count += refs[i].brick_count;
        *number_count += refs[i].number_count;
    }
}

static tr_brick *bricks_of(const struct edit *edit, const struct block_ref *ref)
{
    return (tr_brick *)tr_lane_mirror(edit->lane, TR_LANE_ITEMS) + ref->first_brick;
}

static int16_t *samples_of(const struct edit *edit, const struct block_ref *ref)
{
    return (int16_t *)tr_lane_mirror(edit->lane, TR_LANE_BLOCKS) +
           (size_t)ref->first_brick * TR_BRICK_SAMPLES;
}

/* Rows of a brick are whole but in the world's rim. */
static void row_copy(int16_t *to, const int16_t *from, int size)
{
    if (size == TR_BRICK)
        memcpy(to, from, TR_BRICK * sizeof *to);
    else if (size > 0)
        memcpy(to, from, (size_t)size * sizeof *to);
}

/* Copies the valid samples of brick `place` from the block to `brick`, or back. */
static void brick_copy(const struct block_ref *ref, uint32_t place, int16_t *brick, bool back)
{
    const struct tr_edit_task *task = ref->task;
    int low_x = tr_brick_x(place), low_y = tr_brick_y(place), low_z = tr_brick_z(place);
    int size_x = tr_imin(TR_BRICK, (int)task->size_x - low_x);
    int size_z = tr_imin(TR_BRICK, (int)task->size_z - low_z);

    for (int y = 0; y < TR_BRICK; y++)
        for (int z = 0; z < size_z; z++) {
            int16_t *block_row = ref->block->samples + tr_block_index(low_x, low_y + y, low_z + z);
            int16_t *brick_row = brick + (y * TR_BRICK + z) * TR_BRICK;

            row_copy(back ? block_row : brick_row, back ? brick_row : block_row, size_x);
        }
}

/* Puts a block's bricks, their lists and their samples where the batch has them. */
static void bricks_gather(const struct edit *edit, const struct block_ref *ref, const uint32_t *counts)
{
    tr_brick *brick = bricks_of(edit, ref);
    int16_t *samples = samples_of(edit, ref);
    uint32_t next[TR_BRICKS], number = ref->first_number;

    for (uint32_t i = 0; i < TR_BRICKS; i++) {
        next[i] = number;
        if (counts[i] == 0)
            continue;
        *brick++ = (tr_brick){
            .place = i,
            .low_y = ref->block->cy * TR_CHUNK,
            .stored = ref->block->stored,
            .before = ref->before,
            .after = ref->after,
            .first = number,
            .count = counts[i],
        };
        if (ref->block->stored)
            brick_copy(ref, i, samples, false);
        samples += TR_BRICK_SAMPLES;
        number += counts[i];
    }
    tr_bricks_list(edit->sets + ref->first_slot, ref->block->slot_count, ref->first_slot, next,
                   tr_lane_mirror(edit->lane, TR_LANE_NUMBERS));
}

static enum tr_status block_gather(void *context, size_t index, int job, struct tr_error *error)
{
    static void (*const apply_begin[])(const int32_t *, uint32_t, uint32_t, int32_t, int16_t *) =
        TR_ISA_TABLE(tr_apply_begin);
    const struct edit *edit = context;
    const struct block_ref *ref = &edit->blocks[edit->lane->first + index];
    const struct tr_edit_task *task = ref->task;

    (void)job;
    (void)error;
    if (!ref->block->stored && ref->brick_count < TR_BRICKS)
        apply_begin[edit->isa](task->heights, task->size_x, task->size_z, ref->block->cy,
                               ref->block->samples);
    bricks_gather(edit, ref, edit->counts + index * TR_BRICKS);
    return TR_OK;
}

static void slots_gather(const struct block_ref *refs, const struct tr_vulkan_lane *lane)
{
    tr_edit_slot *slots = tr_lane_mirror(lane, TR_LANE_SLOTS);
    int32_t *layers = tr_lane_mirror(lane, TR_LANE_HEIGHTS);

    for (size_t i = 0; i < lane->count; i++) {
        if (refs[i].block->slot_count > 0)
            memcpy(slots + refs[i].first_slot, refs[i].block->slots, refs[i].block->slot_count * SLOT_BYTES);
        if (i == 0 || refs[i].task != refs[i - 1].task)
            layers_gather(refs[i].task, layers, refs[i].before, refs[i].after);
    }
}

/* Gathers a batch: first what bricks there are, then all that the kernel needs. */
static enum tr_status blocks_gather(struct tr_vulkan *vulkan, struct edit *edit, struct tr_vulkan_lane *lane,
                                    uint32_t *brick_count, struct tr_error *error)
{
    struct block_ref *refs = edit->blocks + lane->first;
    uint32_t slot_count, layer_count, number_count;
    enum tr_status status;

    edit->lane = lane;
    blocks_number(refs, lane->count, &slot_count, &layer_count);
    /* one more, so that there is an array to point into where no block has a slot */
    status = tr_grow(&edit->sets, &edit->set_capacity, slot_count + 1, sizeof *edit->sets, error);
    if (status == TR_OK)
        status = tr_grow(&edit->counts, &edit->count_capacity, lane->count * TR_BRICKS, sizeof *edit->counts,
                         error);
    if (status == TR_OK)
        status = tr_jobs_run(vulkan->bake.jobs, lane->count, block_find_bricks, edit, error);
    if (status != TR_OK)
        return status;
    bricks_number(refs, lane->count, brick_count, &number_count);
    status = tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, *brick_count, sizeof(tr_brick), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_NUMBERS, number_count, sizeof(uint32_t), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_SLOTS, slot_count, SLOT_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_HEIGHTS, layer_count, HEIGHTS_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_BLOCKS, *brick_count, BRICK_BYTES, error);
    if (status != TR_OK)
        return status;
    slots_gather(refs, lane);
    return tr_jobs_run(vulkan->bake.jobs, lane->count, block_gather, edit, error);
}

static enum tr_status blocks_begin(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                   struct tr_error *error)
{
    struct edit *edit = context;
    const struct block_ref *refs = edit->blocks + lane->first;
    tr_blocks_params params;
    enum tr_status status = blocks_gather(vulkan, edit, lane, &params.brick_count, error);

    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    tr_lane_upload(lane, TR_LANE_ITEMS);
    tr_lane_upload(lane, TR_LANE_NUMBERS);
    tr_lane_upload(lane, TR_LANE_SLOTS);
    tr_lane_upload(lane, TR_LANE_HEIGHTS);
    for (size_t i = 0; i < lane->count; i++)
        if (refs[i].block->stored)
            tr_gpu_upload(lane->commands, lane->buffers[TR_LANE_BLOCKS], refs[i].first_brick * BRICK_BYTES,
                          refs[i].brick_count * BRICK_BYTES);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_BLOCKS,
                       (struct tr_gpu_buffer *[TR_BLOCKS_BUFFERS]){
                           [TR_BLOCKS_BRICKS] = lane->buffers[TR_LANE_ITEMS],
                           [TR_BLOCKS_NUMBERS] = lane->buffers[TR_LANE_NUMBERS],
                           [TR_BLOCKS_SLOTS] = lane->buffers[TR_LANE_SLOTS],
                           [TR_BLOCKS_HEIGHTS] = lane->buffers[TR_LANE_HEIGHTS],
                           [TR_BLOCKS_SAMPLES] = lane->buffers[TR_LANE_BLOCKS],
                       },
                       &params, (uint64_t)params.brick_count * TR_BLOCKS_LOCAL);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_BLOCKS);
    return tr_gpu_submit(lane->commands, error);
}

static enum tr_status block_scatter(void *context, size_t index, int job, struct tr_error *error)
{
    const struct edit *edit = context;
    const struct block_ref *ref = &edit->blocks[edit->lane->first + index];
    const tr_brick *bricks = bricks_of(edit, ref);
    int16_t *samples = samples_of(edit, ref);

    (void)job;
    (void)error;
    for (uint32_t i = 0; i < ref->brick_count; i++)
        brick_copy(ref, bricks[i].place, samples + (size_t)i * TR_BRICK_SAMPLES, true);
    return TR_OK;
}

static enum tr_status blocks_finish(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                    struct tr_error *error)
{
    struct edit *edit = context;
    enum tr_status status = tr_gpu_wait(lane->commands, error);

    edit->lane = lane;
    if (status == TR_OK)
        status = tr_jobs_run(vulkan->bake.jobs, lane->count, block_scatter, edit, error);
    return status;
}

static enum tr_status edit_blocks(struct tr_vulkan *vulkan, struct edit *edit, struct tr_error *error)
{
    static const struct tr_vulkan_step step = {blocks_take, blocks_begin, NULL, blocks_finish};

    return tr_vulkan_run(vulkan, &step, edit, edit->block_count, error);
}

/* Heights ------------------------------------------------------------------------------------------------ */

static size_t heights_take(struct tr_vulkan *vulkan, void *context, int lane, size_t first)
{
    const struct edit *edit = context;
    size_t most = vulkan->batch_bytes / (2 * HEIGHTS_BYTES),
           most_slots = slots_max(vulkan); /* before and after */
    size_t slots = edit->tasks[first].slot_count, taken = 1;

    (void)lane;
    while (first + taken < edit->task_count && taken < most &&
           slots + edit->tasks[first + taken].slot_count <= most_slots)
        slots += edit->tasks[first + taken++].slot_count;
    return taken;
}

static void heights_gather(const struct tr_edit_task *tasks, const struct tr_vulkan_lane *lane)
{
    tr_heights_item *items = tr_lane_mirror(lane, TR_LANE_ITEMS);
    tr_edit_slot *slots = tr_lane_mirror(lane, TR_LANE_SLOTS);
    int32_t *layers = tr_lane_mirror(lane, TR_LANE_HEIGHTS);
    uint32_t slot_count = 0, layer_count = 0;

    for (size_t i = 0; i < lane->count; i++) {
        items[i].first_slot = slot_count;
        items[i].slot_count = tasks[i].slot_count;
        layers_number(tasks + i, &layer_count, &items[i].before, &items[i].after);
        layers_gather(tasks + i, layers, items[i].before, items[i].after);
        if (tasks[i].slot_count > 0)
            memcpy(slots + slot_count, tasks[i].slots, tasks[i].slot_count * SLOT_BYTES);
        slot_count += tasks[i].slot_count;
    }
}

static enum tr_status heights_reserve(struct tr_vulkan *vulkan, const struct tr_edit_task *tasks,
                                      struct tr_vulkan_lane *lane, struct tr_error *error)
{
    uint64_t slot_count = 0, layer_count = 0;
    enum tr_status status;

    for (size_t i = 0; i < lane->count; i++) {
        slot_count += tasks[i].slot_count;
        layer_count += tasks[i].after ? 2 : 1;
    }
    status = tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, lane->count, sizeof(tr_heights_item), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_SLOTS, slot_count, SLOT_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_HEIGHTS, layer_count, HEIGHTS_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, lane->count, HEIGHTS_BYTES, error);
    return status;
}

static enum tr_status heights_begin(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                    struct tr_error *error)
{
    const struct edit *edit = context;
    const struct tr_edit_task *tasks = edit->tasks + lane->first;
    tr_heights_params params = {(uint32_t)lane->count};
    enum tr_status status = heights_reserve(vulkan, tasks, lane, error);

    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    heights_gather(tasks, lane);
    tr_lane_upload(lane, TR_LANE_ITEMS);
    tr_lane_upload(lane, TR_LANE_SLOTS);
    tr_lane_upload(lane, TR_LANE_HEIGHTS);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_HEIGHTS,
                       (struct tr_gpu_buffer *[TR_HEIGHTS_BUFFERS]){
                           [TR_HEIGHTS_ITEMS] = lane->buffers[TR_LANE_ITEMS],
                           [TR_HEIGHTS_SLOTS] = lane->buffers[TR_LANE_SLOTS],
                           [TR_HEIGHTS_BEFORE] = lane->buffers[TR_LANE_HEIGHTS],
                           [TR_HEIGHTS_RESULT] = lane->buffers[TR_LANE_RESULT],
                       },
                       &params, (uint64_t)lane->count * TR_COLUMNS);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_RESULT);
    return tr_gpu_submit(lane->commands, error);
}

static enum tr_status heights_finish(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                     struct tr_error *error)
{
    const struct edit *edit = context;
    enum tr_status status = tr_gpu_wait(lane->commands, error);

    (void)vulkan;
    if (status == TR_OK) {
        const int32_t *heights = tr_lane_mirror(lane, TR_LANE_RESULT);

        for (size_t i = 0; i < lane->count; i++) {
            const struct tr_edit_task *task = &edit->tasks[lane->first + i];

            heights_copy(task, task->heights, heights + i * TR_COLUMNS);
        }
    }
    return status;
}

static enum tr_status edit_heights(struct tr_vulkan *vulkan, struct edit *edit, struct tr_error *error)
{
    static const struct tr_vulkan_step step = {heights_take, heights_begin, NULL, heights_finish};

    return tr_vulkan_run(vulkan, &step, edit, edit->task_count, error);
}

/* Tasks -------------------------------------------------------------------------------------------------- */

/* Tasks whose lists all fit a batch. */
static enum tr_status edit_tasks(struct tr_vulkan *vulkan, struct tr_edit_task *tasks, size_t count,
                                 struct tr_error *error)
{
    struct edit edit = {.tasks = tasks, .task_count = count, .isa = tr_isa_pick()};
    size_t block_count = 0;
    enum tr_status status;

    for (size_t i = 0; i < count; i++)
        block_count += tasks[i].block_count;
    edit.blocks = tr_alloc(block_count, sizeof *edit.blocks, error);
    if (!edit.blocks)
        return TR_IO;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < tasks[i].block_count; k++)
            edit.blocks[edit.block_count++] =
                (struct block_ref){.task = &tasks[i], .block = &tasks[i].blocks[k]};
    status = edit_blocks(vulkan, &edit, error);
    if (status == TR_OK)
        status = edit_heights(vulkan, &edit, error);
    free(edit.blocks);
    free(edit.sets);
    free(edit.counts);
    return status;
}

/* Applies a list piece by piece to heights and, unless it is NULL, to one block. The kernel `heights` passes
 * over volume slots, so a block's list serves for both. */
static enum tr_status edit_pieces(struct tr_vulkan *vulkan, const struct tr_edit_task *task, int32_t *heights,
                                  struct tr_edit_block *block, const tr_edit_slot *slots, uint32_t slot_count,
                                  struct tr_error *error)
{
    struct tr_edit_task piece = *task;
    struct tr_edit_block part = {0};
    uint32_t at = 0;
    enum tr_status status;

    if (block)
        part = *block;
    piece.heights = heights;
    piece.blocks = block ? &part : NULL;
    piece.block_count = block ? 1 : 0;
    do { /* once for an empty list too: the block may have to begin as the height field */
        size_t left = slot_count - at, most = slots_max(vulkan);

        piece.slots = part.slots = slot_count > 0 ? slots + at : NULL;
        piece.slot_count = part.slot_count = (uint32_t)(left < most ? left : most);
        status = edit_tasks(vulkan, &piece, 1, error);
        part.stored = true;
        at += piece.slot_count;
    } while (at < slot_count && status == TR_OK);
    return status;
}

static bool task_is_long(const struct tr_vulkan *vulkan, const struct tr_edit_task *task)
{
    bool is_long = task->slot_count > slots_max(vulkan);

    for (uint32_t i = 0; i < task->block_count; i++)
        is_long = is_long || task->blocks[i].slot_count > slots_max(vulkan);
    return is_long;
}

static enum tr_status edit_long_task(struct tr_vulkan *vulkan, struct tr_edit_task *task,
                                     struct tr_error *error)
{
    int32_t *heights = tr_alloc(TR_COLUMNS, sizeof *heights, error);
    enum tr_status status = heights ? TR_OK : TR_IO;

    for (uint32_t i = 0; i < task->block_count && status == TR_OK; i++) {
        struct tr_edit_block *block = &task->blocks[i];

        heights_copy(task, heights, task->heights);
        status = edit_pieces(vulkan, task, heights, block, block->slots, block->slot_count, error);
    }
    if (status == TR_OK)
        status = edit_pieces(vulkan, task, task->heights, NULL, task->slots, task->slot_count, error);
    free(heights);
    return status;
}

enum tr_status tr_vulkan_edit(struct tr_bake *bake, struct tr_edit_task *tasks, size_t count,
                              struct tr_error *error)
{
    static const enum tr_kernel kernels[] = {TR_KERNEL_BLOCKS, TR_KERNEL_HEIGHTS};
    struct tr_vulkan *vulkan = (struct tr_vulkan *)bake;
    enum tr_status status = tr_vulkan_kernels(vulkan, kernels, sizeof kernels / sizeof *kernels, error);
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
