/* Heights and column paint of an edit on Vulkan: the kernels `heights` and `heights_any` on batches of chunks, each kernel with
 * batches of its own. */
#include "lib/bake/vulkan_edit.h"

#include "lib/base/alloc.h"
#include "shaders/heights_params.h"
#include <stdlib.h>

struct task_ref {
    struct tr_edit_task *task;
    struct tr_slot_load load;
};

struct heights {
    struct task_ref *refs; /* the tasks for the kernel */
    size_t count;
    enum tr_kernel kernel;
};

static struct tr_slot_list list_of(const struct tr_edit_task *task)
{
    return (struct tr_slot_list){task->slots, task->slot_count, task->words, task->word_count};
}

static size_t heights_take(struct tr_vulkan *vulkan, void *context, int lane, size_t first)
{
    const struct heights *heights = context;
    struct tr_slot_load load = {0, 0};
    size_t most = vulkan->batch_bytes / (2 * TR_HEIGHTS_BYTES), taken = 0; /* before and after */

    (void)lane;
    do {
        load.slots += heights->refs[first + taken].load.slots;
        load.words += heights->refs[first + taken].load.words;
        if (taken > 0 && !tr_slot_load_fits(vulkan, load))
            break;
        taken++;
    } while (first + taken < heights->count && taken < most);
    return taken;
}

/* Paint, a byte a column there and a word in `words`. */
static void paint_to_words(const struct tr_edit_task *task, uint32_t *words)
{
    for (uint32_t z = 0; z < task->size_z; z++)
        for (uint32_t x = 0; x < task->size_x; x++)
            words[z * TR_CHUNK + x] = task->paint[z * TR_CHUNK + x];
}

static void paint_from_words(const struct tr_edit_task *task, const uint32_t *words)
{
    for (uint32_t z = 0; z < task->size_z; z++)
        for (uint32_t x = 0; x < task->size_x; x++)
            task->paint[z * TR_CHUNK + x] = (uint8_t)words[z * TR_CHUNK + x];
}

static enum tr_status heights_reserve(struct tr_vulkan *vulkan, const struct task_ref *refs,
                                      struct tr_vulkan_lane *lane, struct tr_error *error)
{
    struct tr_slot_load load = {0, 0};
    uint64_t layer_count = 0, paint_count = 0;
    enum tr_status status;

    for (size_t i = 0; i < lane->count; i++) {
        load.slots += refs[i].load.slots;
        load.words += refs[i].load.words;
        layer_count += refs[i].task->after ? 2 : 1;
        paint_count += refs[i].task->paint ? 1 : 0;
    }
    status = tr_slots_reserve(vulkan, lane, load, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, lane->count, sizeof(tr_heights_item), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_HEIGHTS, layer_count, TR_HEIGHTS_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, lane->count, TR_HEIGHTS_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_PAINT, paint_count, TR_HEIGHTS_BYTES, error);
    return status;
}

static void heights_gather(const struct task_ref *refs, const struct tr_vulkan_lane *lane)
{
    tr_heights_item *items = tr_lane_mirror(lane, TR_LANE_ITEMS);
    uint32_t *paint = tr_lane_mirror(lane, TR_LANE_PAINT);
    struct tr_slot_load at = {0, 0};
    uint32_t layer_count = 0, paint_count = 0;

    for (size_t i = 0; i < lane->count; i++) {
        const struct tr_edit_task *task = refs[i].task;

        items[i].first_slot = (uint32_t)at.slots;
        items[i].slot_count = task->slot_count;
        tr_slots_gather(lane, list_of(task), &at);
        tr_layers_number(task, &layer_count, &items[i].before, &items[i].after);
        tr_layers_gather(task, lane, items[i].before, items[i].after);
        items[i].paint = task->paint ? paint_count++ : TR_HEIGHTS_NO_PAINT;
        if (task->paint)
            paint_to_words(task, paint + (size_t)items[i].paint * TR_COLUMNS);
    }
}

static enum tr_status heights_begin(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                    struct tr_error *error)
{
    const struct heights *heights = context;
    const struct task_ref *refs = heights->refs + lane->first;
    tr_heights_params params = {(uint32_t)lane->count};
    enum tr_status status = heights_reserve(vulkan, refs, lane, error);

    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    heights_gather(refs, lane);
    tr_lane_upload(lane, TR_LANE_ITEMS);
    tr_lane_upload(lane, TR_LANE_SLOTS);
    tr_lane_upload(lane, TR_LANE_WORDS);
    tr_lane_upload(lane, TR_LANE_HEIGHTS);
    tr_lane_upload(lane, TR_LANE_PAINT);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    /* each kernel takes as many of these as it has */
    tr_vulkan_dispatch(vulkan, lane, heights->kernel,
                       (struct tr_gpu_buffer *[TR_HEIGHTS_ANY_BUFFERS]){
                           [TR_HEIGHTS_ITEMS] = lane->buffers[TR_LANE_ITEMS],
                           [TR_HEIGHTS_SLOTS] = lane->buffers[TR_LANE_SLOTS],
                           [TR_HEIGHTS_BEFORE] = lane->buffers[TR_LANE_HEIGHTS],
                           [TR_HEIGHTS_RESULT] = lane->buffers[TR_LANE_RESULT],
                           [TR_HEIGHTS_WORDS] = lane->buffers[TR_LANE_WORDS],
                           [TR_HEIGHTS_PAINT] = lane->buffers[TR_LANE_PAINT],
                       },
                       &params, (uint64_t)lane->count * TR_COLUMNS);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_RESULT);
    tr_lane_download(lane, TR_LANE_PAINT);
    return tr_gpu_submit(lane->commands, error);
}

static enum tr_status heights_finish(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                     struct tr_error *error)
{
    const struct heights *heights = context;
    enum tr_status status = tr_gpu_wait(lane->commands, error);
    const tr_heights_item *items = tr_lane_mirror(lane, TR_LANE_ITEMS);
    const int32_t *result = tr_lane_mirror(lane, TR_LANE_RESULT);
    const uint32_t *paint = tr_lane_mirror(lane, TR_LANE_PAINT);

    (void)vulkan;
    for (size_t i = 0; i < lane->count && status == TR_OK; i++) {
        struct tr_edit_task *task = heights->refs[lane->first + i].task;

        tr_heights_copy(task, task->heights, result + i * TR_COLUMNS);
        if (task->paint)
            paint_from_words(task, paint + (size_t)items[i].paint * TR_COLUMNS);
    }
    return status;
}

/* The least kernel that a task needs. */
static enum tr_kernel task_kernel(const struct tr_edit_task *task)
{
    if (task->paint)
        return TR_KERNEL_HEIGHTS_ANY;
    for (uint32_t i = 0; i < task->slot_count; i++)
        if (!tr_heights_is_common(task->slots[i]))
            return TR_KERNEL_HEIGHTS_ANY;
    return TR_KERNEL_HEIGHTS;
}

/* Runs those tasks, all for one kernel. */
static enum tr_status heights_run(struct tr_vulkan *vulkan, enum tr_kernel kernel, struct task_ref *refs,
                                  size_t count, struct tr_error *error)
{
    static const struct tr_vulkan_step step = {heights_take, heights_begin, NULL, heights_finish};
    struct heights heights = {refs, count, kernel};
    enum tr_status status = TR_OK;

    if (count > 0)
        status = tr_vulkan_kernels(vulkan, &kernel, 1, error);
    return count > 0 && status == TR_OK ? tr_vulkan_run(vulkan, &step, &heights, count, error) : status;
}

enum tr_status tr_vulkan_edit_heights(struct tr_vulkan *vulkan, struct tr_edit_task *tasks, size_t count,
                                      struct tr_error *error)
{
    struct task_ref *refs = tr_alloc(count, sizeof *refs, error);
    size_t common = 0, other = count; /* from the front and from the back */
    enum tr_status status = refs ? TR_OK : TR_IO;

    for (size_t i = 0; i < count && refs; i++) {
        struct task_ref ref = {&tasks[i], tr_slot_list_load(list_of(&tasks[i]))};

        if (task_kernel(&tasks[i]) == TR_KERNEL_HEIGHTS)
            refs[common++] = ref;
        else
            refs[--other] = ref;
    }
    if (status == TR_OK)
        status = heights_run(vulkan, TR_KERNEL_HEIGHTS, refs, common, error);
    if (status == TR_OK)
        status = heights_run(vulkan, TR_KERNEL_HEIGHTS_ANY, refs + common, count - common, error);
    free(refs);
    return status;
}
