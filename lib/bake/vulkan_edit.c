/* Edit on Vulkan: the kernels `blocks` and `heights` on batches of blocks and of chunks.
 *
 * Both start from the old heights: an invocation of `blocks` carries its columns' heights along. So blocks go
 * first, all of them, and the chunks' heights are replaced when nothing needs the old ones any more. A list
 * of slots longer than a batch's buffer is applied piece by piece, each piece as if it were an edit of its
 * own: stored samples are quantised after every slot, so that changes nothing. */
#include "lib/bake/vulkan_internal.h"

#include "lib/base/alloc.h"
#include "shaders/blocks_params.h"
#include "shaders/heights_params.h"
#include <stdlib.h>
#include <string.h>

#define HEIGHTS_BYTES ((size_t)TR_COLUMNS * sizeof(int32_t))
#define BLOCK_BYTES ((size_t)TR_BLOCK_SAMPLES * sizeof(int16_t))
#define SLOT_BYTES sizeof(tr_edit_slot)
#define SLOTS_PER_BATCH 32768

/* A block with the chunk it belongs to. */
struct block_ref {
    struct tr_edit_task *task;
    struct tr_edit_block *block;
};

struct edit {
    struct tr_edit_task *tasks;
    size_t task_count;
    struct block_ref *blocks; /* of all tasks, in their order */
    size_t block_count;
    const struct tr_vulkan_lane *lane; /* whose batch is gathered or scattered */
};

/* Slots of one batch, and so of one list. Many large ones on many blocks keep a small GPU busy for a second,
 * and drivers give up on kernels that take much longer. */
static size_t slots_max(const struct tr_vulkan *vulkan)
{
    size_t most = vulkan->batch_bytes / SLOT_BYTES;

    if (most > SLOTS_PER_BATCH)
        most = SLOTS_PER_BATCH;
    return most > 0 ? most : 1;
}

/* Only valid samples are read or written: all of a chunk, or those of the rim. */
static void samples_copy(const struct tr_edit_task *task, int16_t *to, const int16_t *from)
{
    if (task->size_x == TR_CHUNK && task->size_z == TR_CHUNK) {
        memcpy(to, from, BLOCK_BYTES);
        return;
    }
    for (int y = 0; y < TR_CHUNK; y++)
        for (uint32_t z = 0; z < task->size_z; z++)
            memcpy(to + tr_block_index(0, y, (int)z), from + tr_block_index(0, y, (int)z),
                   task->size_x * sizeof *to);
}

static void heights_copy(const struct tr_edit_task *task, int32_t *to, const int32_t *from)
{
    for (uint32_t z = 0; z < task->size_z; z++)
        memcpy(to + z * TR_CHUNK, from + z * TR_CHUNK, task->size_x * sizeof *to);
}

/* Copies the heights of a task into the next free layers and returns their numbers. */
static void layers_gather(const struct tr_edit_task *task, int32_t *layers, uint32_t *layer_count,
                          uint *before, uint *after)
{
    *before = *after = (*layer_count)++;
    heights_copy(task, layers + (size_t)*before * TR_COLUMNS, task->heights);
    if (task->after) {
        *after = (*layer_count)++;
        heights_copy(task, layers + (size_t)*after * TR_COLUMNS, task->after);
    }
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

/* What the batch needs of each buffer. A task's heights are there once for all its blocks, which follow each
 * other. */
static void blocks_measure(const struct block_ref *refs, size_t count, uint64_t *slot_count,
                           uint64_t *layer_count)
{
    *slot_count = *layer_count = 0;
    for (size_t i = 0; i < count; i++) {
        *slot_count += refs[i].block->slot_count;
        if (i == 0 || refs[i].task != refs[i - 1].task)
            *layer_count += refs[i].task->after ? 2 : 1;
    }
}

static enum tr_status block_gather(void *context, size_t index, int job, struct tr_error *error)
{
    const struct edit *edit = context;
    const struct block_ref *ref = &edit->blocks[edit->lane->first + index];
    int16_t *samples = tr_lane_mirror(edit->lane, TR_LANE_BLOCKS);

    (void)job;
    (void)error;
    if (ref->block->stored)
        samples_copy(ref->task, samples + index * TR_BLOCK_SAMPLES, ref->block->samples);
    return TR_OK;
}

static void items_gather(const struct block_ref *refs, const struct tr_vulkan_lane *lane)
{
    tr_blocks_item *items = tr_lane_mirror(lane, TR_LANE_ITEMS);
    tr_edit_slot *slots = tr_lane_mirror(lane, TR_LANE_SLOTS);
    int32_t *layers = tr_lane_mirror(lane, TR_LANE_HEIGHTS);
    uint32_t slot_count = 0, layer_count = 0;
    uint before = 0, after = 0;

    for (size_t i = 0; i < lane->count; i++) {
        const struct tr_edit_task *task = refs[i].task;
        const struct tr_edit_block *block = refs[i].block;

        if (i == 0 || task != refs[i - 1].task)
            layers_gather(task, layers, &layer_count, &before, &after);
        items[i] = (tr_blocks_item){
            .low_y = block->cy * TR_CHUNK,
            .stored = block->stored,
            .before = before,
            .after = after,
            .first_slot = slot_count,
            .slot_count = block->slot_count,
            .size_x = task->size_x,
            .size_z = task->size_z,
        };
        if (block->slot_count > 0)
            memcpy(slots + slot_count, block->slots, block->slot_count * SLOT_BYTES);
        slot_count += block->slot_count;
    }
}

static enum tr_status blocks_reserve(struct tr_vulkan *vulkan, const struct block_ref *refs,
                                     struct tr_vulkan_lane *lane, struct tr_error *error)
{
    uint64_t slot_count, layer_count;
    enum tr_status status;

    blocks_measure(refs, lane->count, &slot_count, &layer_count);
    status = tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, lane->count, sizeof(tr_blocks_item), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_SLOTS, slot_count, SLOT_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_HEIGHTS, layer_count, HEIGHTS_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_BLOCKS, lane->count, BLOCK_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_DIFFERS, (uint64_t)lane->count * TR_BLOCKS_BRICKS, 4,
                                   error);
    return status;
}

static enum tr_status blocks_begin(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                   struct tr_error *error)
{
    struct edit *edit = context;
    const struct block_ref *refs = edit->blocks + lane->first;
    tr_blocks_params params = {(uint32_t)lane->count};
    enum tr_status status = blocks_reserve(vulkan, refs, lane, error);

    edit->lane = lane;
    if (status == TR_OK) {
        items_gather(refs, lane);
        status = tr_jobs_run(vulkan->bake.jobs, lane->count, block_gather, edit, error);
    }
    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    tr_lane_upload(lane, TR_LANE_ITEMS);
    tr_lane_upload(lane, TR_LANE_SLOTS);
    tr_lane_upload(lane, TR_LANE_HEIGHTS);
    for (size_t i = 0; i < lane->count; i++)
        if (refs[i].block->stored)
            tr_gpu_upload(lane->commands, lane->buffers[TR_LANE_BLOCKS], i * BLOCK_BYTES, BLOCK_BYTES);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_BLOCKS,
                       (struct tr_gpu_buffer *[TR_BLOCKS_BUFFERS]){
                           [TR_BLOCKS_ITEMS] = lane->buffers[TR_LANE_ITEMS],
                           [TR_BLOCKS_SLOTS] = lane->buffers[TR_LANE_SLOTS],
                           [TR_BLOCKS_HEIGHTS] = lane->buffers[TR_LANE_HEIGHTS],
                           [TR_BLOCKS_SAMPLES] = lane->buffers[TR_LANE_BLOCKS],
                           [TR_BLOCKS_DIFFERS] = lane->buffers[TR_LANE_DIFFERS],
                       },
                       &params, (uint64_t)lane->count * TR_BLOCKS_BRICKS * TR_BLOCKS_LOCAL);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_BLOCKS);
    tr_lane_download(lane, TR_LANE_DIFFERS);
    return tr_gpu_submit(lane->commands, error);
}

static enum tr_status block_scatter(void *context, size_t index, int job, struct tr_error *error)
{
    const struct edit *edit = context;
    const struct block_ref *ref = &edit->blocks[edit->lane->first + index];
    const int16_t *samples = tr_lane_mirror(edit->lane, TR_LANE_BLOCKS);
    const uint32_t *differs = tr_lane_mirror(edit->lane, TR_LANE_DIFFERS);

    (void)job;
    (void)error;
    samples_copy(ref->task, ref->block->samples, samples + index * TR_BLOCK_SAMPLES);
    ref->block->differs = false;
    for (size_t i = 0; i < TR_BLOCKS_BRICKS; i++)
        ref->block->differs |= differs[index * TR_BLOCKS_BRICKS + i] != 0;
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
        layers_gather(tasks + i, layers, &layer_count, &items[i].before, &items[i].after);
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
    struct edit edit = {.tasks = tasks, .task_count = count};
    size_t block_count = 0;
    enum tr_status status;

    for (size_t i = 0; i < count; i++)
        block_count += tasks[i].block_count;
    edit.blocks = tr_alloc(block_count, sizeof *edit.blocks, error);
    if (!edit.blocks)
        return TR_IO;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < tasks[i].block_count; k++)
            edit.blocks[edit.block_count++] = (struct block_ref){&tasks[i], &tasks[i].blocks[k]};
    status = edit_blocks(vulkan, &edit, error);
    if (status == TR_OK)
        status = edit_heights(vulkan, &edit, error);
    free(edit.blocks);
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
    if (block)
        block->differs = part.differs;
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
