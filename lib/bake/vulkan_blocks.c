/* Blocks of an edit on Vulkan: the kernels `blocks`, `blocks_any` and `blocks_tree`.
 *
 * Of a block only those bricks travel that a slot may change; the rest of one that is not stored becomes the height field here, which
 * costs less than fetching it. Blocks go in batches by what they need, so that an unusual edit slows none but those that it is on. */
#include "lib/bake/vulkan_edit.h"

#include "lib/bake/bricks.h"
#include "lib/base/alloc.h"
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)TR_BLOCK_SAMPLES * sizeof(int16_t))
#define BRICK_BYTES ((size_t)TR_BRICK_SAMPLES * sizeof(int16_t)) /* of samples, and of paint */

/* What blocks need; a batch has those of one kind. */
enum need { COMMON, ANY, ANY_PAINT, TREE, TREE_PAINT, NEEDS };

static const struct {
    enum tr_kernel kernel;
    bool has_paint;
} needs[NEEDS] = {
    [COMMON] = {TR_KERNEL_BLOCKS, false},         [ANY] = {TR_KERNEL_BLOCKS_ANY, false},
    [ANY_PAINT] = {TR_KERNEL_BLOCKS_ANY, true},   [TREE] = {TR_KERNEL_BLOCKS_TREE, false},
    [TREE_PAINT] = {TR_KERNEL_BLOCKS_TREE, true},
};

/* A block with the chunk it belongs to, and where its batch has it. */
struct block_ref {
    struct tr_edit_task *task;
    struct tr_edit_block *block;
    enum need need;
    struct tr_slot_load load;
    uint32_t first_slot, before, after; /* in the buffers of slots and heights */
    uint32_t first_brick, brick_count;  /* in those of bricks, samples and paint */
    uint32_t first_number, number_count;
};

struct blocks {
    struct block_ref *refs; /* of one need; those of a task follow each other */
    size_t count;
    enum tr_kernel kernel; /* what they need */
    bool has_paint;
    const struct tr_vulkan_lane *lane; /* whose batch is gathered or scattered */
    /* of the batch that is gathered: the bricks of each slot, and for each block how many slots a brick has */
    struct tr_brick_set *sets;
    uint32_t *counts; /* TR_BRICKS a block */
    size_t set_capacity, count_capacity;
    int isa;
};

static struct tr_slot_list list_of(const struct block_ref *ref)
{
    return (struct tr_slot_list){ref->block->slots, ref->block->slot_count, ref->task->words,
                                 ref->task->word_count};
}

/* What a batch has ----------------------------------------------------------------------------------- */

static size_t blocks_take(struct tr_vulkan *vulkan, void *context, int lane, size_t first)
{
    const struct blocks *blocks = context;
    struct tr_slot_load load = {0, 0};
    size_t most = vulkan->batch_bytes / BLOCK_BYTES, taken = 0;

    (void)lane;
    do {
        load.slots += blocks->refs[first + taken].load.slots;
        load.words += blocks->refs[first + taken].load.words;
        if (taken > 0 && !tr_slot_load_fits(vulkan, load))
            break;
        taken++;
    } while (first + taken < blocks->count && taken < most);
    return taken;
}

/* Numbers the slots and the layers of heights of a batch and returns how many there are. A task's heights are
 * there once for all its blocks. */
static struct tr_slot_load blocks_number(struct block_ref *refs, size_t count, uint32_t *layer_count)
{
    struct tr_slot_load load = {0, 0};

    *layer_count = 0;
    for (size_t i = 0; i < count; i++) {
        refs[i].first_slot = (uint32_t)load.slots;
        load.slots += refs[i].load.slots;
        load.words += refs[i].load.words;
        if (i > 0 && refs[i].task == refs[i - 1].task) {
            refs[i].before = refs[i - 1].before;
            refs[i].after = refs[i - 1].after;
        } else {
            tr_layers_number(refs[i].task, layer_count, &refs[i].before, &refs[i].after);
        }
    }
    return load;
}

/* Finds the bricks of a block that its slots may change. */
static enum tr_status block_find_bricks(void *context, size_t index, int job, struct tr_error *error)
{
    const struct blocks *blocks = context;
    struct block_ref *ref = &blocks->refs[blocks->lane->first + index];
    struct tr_brick_set *sets = blocks->sets + ref->first_slot;
    uint32_t *counts = blocks->counts + index * TR_BRICKS;

    (void)job;
    (void)error;
    for (uint32_t i = 0; i < ref->block->slot_count; i++)
        sets[i] = tr_bricks_of_slot(&ref->block->slots[i], ref->task->words);
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

/* Bricks --------------------------------------------------------------------------------------------- */

static tr_blocks_item *bricks_of(const struct blocks *blocks, const struct block_ref *ref)
{
    return (tr_blocks_item *)tr_lane_mirror(blocks->lane, TR_LANE_ITEMS) + ref->first_brick;
}

/* Rows of a brick are whole but in the world's rim. */
static void row_copy(int16_t *to, const int16_t *from, int size)
{
    if (size == TR_BRICK)
        memcpy(to, from, TR_BRICK * sizeof *to);
    else if (size > 0)
        memcpy(to, from, (size_t)size * sizeof *to);
}

/* How many samples of the brick are valid, along x and z. */
static int valid_x(const struct block_ref *ref, uint32_t place)
{
    return tr_imin(TR_BRICK, (int)ref->task->size_x - tr_brick_x(place));
}

static int valid_z(const struct block_ref *ref, uint32_t place)
{
    return tr_imin(TR_BRICK, (int)ref->task->size_z - tr_brick_z(place));
}

/* Copies the valid samples of brick `place` from the block to `brick`, or back. */
static void brick_copy(const struct block_ref *ref, uint32_t place, int16_t *brick, bool back)
{
    int size_x = valid_x(ref, place), size_z = valid_z(ref, place);
    int low_x = tr_brick_x(place), low_y = tr_brick_y(place), low_z = tr_brick_z(place);

    for (int y = 0; y < TR_BRICK; y++)
        for (int z = 0; z < size_z; z++) {
            int16_t *block_row = ref->block->samples + tr_block_index(low_x, low_y + y, low_z + z);
            int16_t *brick_row = brick + (y * TR_BRICK + z) * TR_BRICK;

            row_copy(back ? block_row : brick_row, back ? brick_row : block_row, size_x);
        }
}

/* The same of its paint, a byte there and 16 bits in `brick`. */
static void brick_copy_paint(const struct block_ref *ref, uint32_t place, int16_t *brick, bool back)
{
    int size_x = valid_x(ref, place), size_z = valid_z(ref, place);
    int low_x = tr_brick_x(place), low_y = tr_brick_y(place), low_z = tr_brick_z(place);

    for (int y = 0; y < TR_BRICK; y++)
        for (int z = 0; z < size_z; z++) {
            uint8_t *block_row = ref->block->paint + tr_block_index(low_x, low_y + y, low_z + z);
            int16_t *brick_row = brick + (y * TR_BRICK + z) * TR_BRICK;

            for (int x = 0; x < size_x; x++) {
                if (back)
                    block_row[x] = (uint8_t)brick_row[x];
                else
                    brick_row[x] = block_row[x];
            }
        }
}

/* Copies samples and paint of brick `place`, the block's number `index` in the batch, there or back. */
static void brick_move(const struct blocks *blocks, const struct block_ref *ref, uint32_t place,
                       uint32_t index, bool back)
{
    size_t at = ((size_t)ref->first_brick + index) * TR_BRICK_SAMPLES;

    brick_copy(ref, place, (int16_t *)tr_lane_mirror(blocks->lane, TR_LANE_BLOCKS) + at, back);
    if (blocks->has_paint)
        brick_copy_paint(ref, place, (int16_t *)tr_lane_mirror(blocks->lane, TR_LANE_PAINT) + at, back);
}

/* Puts a block's bricks, their lists, samples and paint where the batch has them. */
static void bricks_gather(const struct blocks *blocks, const struct block_ref *ref, const uint32_t *counts)
{
    tr_blocks_item *brick = bricks_of(blocks, ref);
    uint32_t next[TR_BRICKS], number = ref->first_number, brick_count = 0;

    for (uint32_t i = 0; i < TR_BRICKS; i++) {
        next[i] = number;
        if (counts[i] == 0)
            continue;
        brick[brick_count] = (tr_blocks_item){
            .place = i,
            .low_y = ref->block->cy * TR_CHUNK,
            .stored = ref->block->stored,
            .before = ref->before,
            .after = ref->after,
            .first = number,
            .count = counts[i],
        };
        if (ref->block->stored)
            brick_move(blocks, ref, i, brick_count, false);
        brick_count++;
        number += counts[i];
    }
    tr_bricks_list(blocks->sets + ref->first_slot, ref->block->slot_count, ref->first_slot, next,
                   tr_lane_mirror(blocks->lane, TR_LANE_NUMBERS));
}

/* A block that is not stored is the height field, which has no paint. */
static void block_begin(const struct blocks *blocks, const struct block_ref *ref)
{
    static void (*const apply_begin[])(const int32_t *, uint32_t, uint32_t, int32_t, int16_t *) =
        TR_ISA_TABLE(tr_apply_begin);
    const struct tr_edit_task *task = ref->task;

    apply_begin[blocks->isa](task->heights, task->size_x, task->size_z, ref->block->cy, ref->block->samples);
    for (int y = 0; ref->block->paint && y < TR_CHUNK; y++)
        for (uint32_t z = 0; z < task->size_z; z++)
            memset(ref->block->paint + tr_block_index(0, y, (int)z), 0, task->size_x);
}

static enum tr_status block_gather(void *context, size_t index, int job, struct tr_error *error)
{
    const struct blocks *blocks = context;
    const struct block_ref *ref = &blocks->refs[blocks->lane->first + index];

    (void)job;
    (void)error;
    if (!ref->block->stored && ref->brick_count < TR_BRICKS)
        block_begin(blocks, ref);
    bricks_gather(blocks, ref, blocks->counts + index * TR_BRICKS);
    return TR_OK;
}

/* Batches -------------------------------------------------------------------------------------------- */

static void slots_gather(const struct block_ref *refs, const struct tr_vulkan_lane *lane)
{
    struct tr_slot_load at = {0, 0};

    for (size_t i = 0; i < lane->count; i++) {
        tr_slots_gather(lane, list_of(&refs[i]), &at);
        if (i == 0 || refs[i].task != refs[i - 1].task)
            tr_layers_gather(refs[i].task, lane, refs[i].before, refs[i].after);
    }
}

/* Finds what bricks a batch has; then every number in its refs holds. */
static enum tr_status bricks_find(struct tr_vulkan *vulkan, struct blocks *blocks, size_t slot_count,
                                  uint32_t *brick_count, uint32_t *number_count, struct tr_error *error)
{
    const struct tr_vulkan_lane *lane = blocks->lane;
    /* one set more, so that there is an array to point into where no block has a slot */
    enum tr_status status =
        tr_grow(&blocks->sets, &blocks->set_capacity, slot_count + 1, sizeof *blocks->sets, error);

    if (status == TR_OK)
        status = tr_grow(&blocks->counts, &blocks->count_capacity, lane->count * TR_BRICKS,
                         sizeof *blocks->counts, error);
    if (status == TR_OK)
        status = tr_jobs_run(vulkan->bake.jobs, lane->count, block_find_bricks, blocks, error);
    if (status == TR_OK)
        bricks_number(blocks->refs + lane->first, lane->count, brick_count, number_count);
    return status;
}

/* Gathers a batch: first what bricks there are, then all that the kernel needs. */
static enum tr_status blocks_gather(struct tr_vulkan *vulkan, struct blocks *blocks,
                                    struct tr_vulkan_lane *lane, uint32_t *brick_count,
                                    struct tr_error *error)
{
    struct block_ref *refs = blocks->refs + lane->first;
    uint32_t layer_count, number_count = 0;
    struct tr_slot_load load = blocks_number(refs, lane->count, &layer_count);
    enum tr_status status;

    blocks->lane = lane;
    status = bricks_find(vulkan, blocks, (size_t)load.slots, brick_count, &number_count, error);
    if (status == TR_OK)
        status = tr_slots_reserve(vulkan, lane, load, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, *brick_count, sizeof(tr_blocks_item), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_NUMBERS, number_count, sizeof(uint32_t), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_HEIGHTS, layer_count, TR_HEIGHTS_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_BLOCKS, *brick_count, BRICK_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_PAINT, blocks->has_paint ? *brick_count : 0,
                                   BRICK_BYTES, error);
    if (status != TR_OK)
        return status;
    slots_gather(refs, lane);
    return tr_jobs_run(vulkan->bake.jobs, lane->count, block_gather, blocks, error);
}

/* What of the samples or the paint the kernel reads: that of blocks that are stored. */
static void stored_upload(const struct block_ref *refs, struct tr_vulkan_lane *lane,
                          enum tr_lane_buffer which)
{
    for (size_t i = 0; i < lane->count; i++)
        if (refs[i].block->stored)
            tr_gpu_upload(lane->commands, lane->buffers[which], refs[i].first_brick * BRICK_BYTES,
                          refs[i].brick_count * BRICK_BYTES);
}

static enum tr_status blocks_begin(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                   struct tr_error *error)
{
    struct blocks *blocks = context;
    const struct block_ref *refs = blocks->refs + lane->first;
    tr_blocks_params params = {.painted = blocks->has_paint};
    enum tr_status status = blocks_gather(vulkan, blocks, lane, &params.brick_count, error);

    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    tr_lane_upload(lane, TR_LANE_ITEMS);
    tr_lane_upload(lane, TR_LANE_NUMBERS);
    tr_lane_upload(lane, TR_LANE_SLOTS);
    tr_lane_upload(lane, TR_LANE_WORDS);
    tr_lane_upload(lane, TR_LANE_HEIGHTS);
    stored_upload(refs, lane, TR_LANE_BLOCKS);
    if (blocks->has_paint)
        stored_upload(refs, lane, TR_LANE_PAINT);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    /* each kernel takes as many of these as it has */
    tr_vulkan_dispatch(vulkan, lane, blocks->kernel,
                       (struct tr_gpu_buffer *[TR_BLOCKS_ANY_BUFFERS]){
                           [TR_BLOCKS_BRICKS] = lane->buffers[TR_LANE_ITEMS],
                           [TR_BLOCKS_NUMBERS] = lane->buffers[TR_LANE_NUMBERS],
                           [TR_BLOCKS_SLOTS] = lane->buffers[TR_LANE_SLOTS],
                           [TR_BLOCKS_HEIGHTS] = lane->buffers[TR_LANE_HEIGHTS],
                           [TR_BLOCKS_SAMPLES] = lane->buffers[TR_LANE_BLOCKS],
                           [TR_BLOCKS_WORDS] = lane->buffers[TR_LANE_WORDS],
                           [TR_BLOCKS_PAINT] = lane->buffers[TR_LANE_PAINT],
                       },
                       &params, (uint64_t)params.brick_count * TR_BLOCKS_LOCAL);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_BLOCKS);
    if (blocks->has_paint)
        tr_lane_download(lane, TR_LANE_PAINT);
    return tr_gpu_submit(lane->commands, error);
}

static enum tr_status block_scatter(void *context, size_t index, int job, struct tr_error *error)
{
    const struct blocks *blocks = context;
    const struct block_ref *ref = &blocks->refs[blocks->lane->first + index];
    const tr_blocks_item *bricks = bricks_of(blocks, ref);

    (void)job;
    (void)error;
    for (uint32_t i = 0; i < ref->brick_count; i++)
        brick_move(blocks, ref, bricks[i].place, i, true);
    return TR_OK;
}

static enum tr_status blocks_finish(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                    struct tr_error *error)
{
    struct blocks *blocks = context;
    enum tr_status status = tr_gpu_wait(lane->commands, error);

    blocks->lane = lane;
    if (status == TR_OK)
        status = tr_jobs_run(vulkan->bake.jobs, lane->count, block_scatter, blocks, error);
    return status;
}

static enum need need_of(const struct tr_edit_task *task, const struct tr_edit_block *block)
{
    bool is_common = !block->paint;

    for (uint32_t i = 0; i < block->slot_count; i++) {
        if (tr_slot_is_uncommon_tree(&block->slots[i], task->words))
            return block->paint ? TREE_PAINT : TREE;
        is_common = is_common && tr_blocks_is_common(block->slots[i]);
    }
    return is_common ? COMMON : block->paint ? ANY_PAINT : ANY;
}

static void refs_make(struct tr_edit_task *tasks, size_t count, struct block_ref *refs)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < tasks[i].block_count; k++) {
            struct block_ref ref = {.task = &tasks[i], .block = &tasks[i].blocks[k]};

            ref.need = need_of(ref.task, ref.block);
            ref.load = tr_slot_list_load(list_of(&ref));
            *refs++ = ref;
        }
}

/* Runs those of the refs that have just this need. */
static enum tr_status blocks_run(struct tr_vulkan *vulkan, struct blocks *blocks, enum need need,
                                 const struct block_ref *refs, size_t ref_count, struct tr_error *error)
{
    static const struct tr_vulkan_step step = {blocks_take, blocks_begin, NULL, blocks_finish};
    enum tr_status status;

    blocks->kernel = needs[need].kernel;
    blocks->has_paint = needs[need].has_paint;
    blocks->count = 0;
    for (size_t i = 0; i < ref_count; i++)
        if (refs[i].need == need)
            blocks->refs[blocks->count++] = refs[i];
    if (blocks->count == 0)
        return TR_OK;
    status = tr_vulkan_kernels(vulkan, &blocks->kernel, 1, error);
    return status == TR_OK ? tr_vulkan_run(vulkan, &step, blocks, blocks->count, error) : status;
}

enum tr_status tr_vulkan_edit_blocks(struct tr_vulkan *vulkan, struct tr_edit_task *tasks, size_t count,
                                     struct tr_error *error)
{
    struct blocks blocks = {.isa = tr_isa_pick()};
    struct block_ref *refs;
    size_t ref_count = 0;
    enum tr_status status;

    for (size_t i = 0; i < count; i++)
        ref_count += tasks[i].block_count;
    refs = tr_alloc(ref_count, sizeof *refs, error);
    blocks.refs = tr_alloc(ref_count, sizeof *blocks.refs, error);
    status = refs && blocks.refs ? TR_OK : TR_IO;
    if (status == TR_OK)
        refs_make(tasks, count, refs);
    for (enum need need = COMMON; need < NEEDS && status == TR_OK; need++)
        status = blocks_run(vulkan, &blocks, need, refs, ref_count, error);
    free(refs);
    free(blocks.refs);
    free(blocks.sets);
    free(blocks.counts);
    return status;
}
