/* Smooth and reshape on Vulkan: the kernels `smooth` and `reshape` on batches of chunks and of blocks. They differ in nothing that the
 * host sees but sizes, and that halos of blocks have several. */
#include "lib/bake/vulkan_internal.h"

#include "lib/base/alloc.h"
#include "shaders/smooth_params.h"
#include <stdlib.h>
#include <string.h>

_Static_assert(TR_SMOOTH_HALO_WIDTH == TR_HEIGHT_HALO, "the kernel's halo is that of the task");

/* A task of either kind. */
struct smooth_task {
    const void *halo;
    size_t halo_words;
    uint32_t margin; /* of a block */
    const tr_edit_slot *slot;
    void *after;
};

struct smooth {
    struct smooth_task *tasks;
    size_t count;
    enum tr_kernel kernel;
    size_t after_words;                /* a task; there is an invocation for each word that is made */
    const struct tr_vulkan_lane *lane; /* whose batch is gathered or scattered */
};

static size_t smooth_take(struct tr_vulkan *vulkan, void *context, int lane, size_t first)
{
    const struct smooth *smooth = context;
    uint64_t most = vulkan->batch_bytes / sizeof(uint32_t), words = 0;
    size_t taken = 0;

    (void)lane;
    do {
        words += smooth->tasks[first + taken++].halo_words;
    } while (first + taken < smooth->count && words + smooth->tasks[first + taken].halo_words <= most);
    return taken;
}

/* Where each task's halo lies behind the others; returns how many words all have. */
static uint64_t items_make(const struct smooth *smooth, const struct tr_vulkan_lane *lane)
{
    tr_reshape_item *items = tr_lane_mirror(lane, TR_LANE_ITEMS);
    uint64_t words = 0;

    for (size_t i = 0; i < lane->count; i++) {
        const struct smooth_task *task = &smooth->tasks[lane->first + i];

        items[i] = (tr_reshape_item){(uint32_t)words, (int)task->margin};
        words += task->halo_words;
    }
    return words;
}

static enum tr_status task_gather(void *context, size_t index, int job, struct tr_error *error)
{
    const struct smooth *smooth = context;
    const struct smooth_task *task = &smooth->tasks[smooth->lane->first + index];
    const tr_reshape_item *items = tr_lane_mirror(smooth->lane, TR_LANE_ITEMS);
    tr_edit_slot *slots = tr_lane_mirror(smooth->lane, TR_LANE_SLOTS);
    uint32_t *halos = tr_lane_mirror(smooth->lane, TR_LANE_HALO);

    (void)job;
    (void)error;
    slots[index] = *task->slot;
    memcpy(halos + items[index].halo, task->halo, task->halo_words * sizeof *halos);
    return TR_OK;
}

static enum tr_status smooth_gather(struct tr_vulkan *vulkan, struct smooth *smooth,
                                    struct tr_vulkan_lane *lane, struct tr_error *error)
{
    enum tr_status status;

    status = tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, lane->count, sizeof(tr_reshape_item), error);
    if (status == TR_OK)
        status =
            tr_vulkan_reserve(vulkan, lane, TR_LANE_HALO, items_make(smooth, lane), sizeof(uint32_t), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_SLOTS, lane->count, sizeof(tr_edit_slot), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, lane->count,
                                   smooth->after_words * sizeof(uint32_t), error);
    smooth->lane = lane;
    return status == TR_OK ? tr_jobs_run(vulkan->bake.jobs, lane->count, task_gather, smooth, error) : status;
}

static enum tr_status smooth_begin(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                   struct tr_error *error)
{
    struct smooth *smooth = context;
    tr_smooth_params params = {(uint32_t)lane->count};
    enum tr_status status = smooth_gather(vulkan, smooth, lane, error);

    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    tr_lane_upload(lane, TR_LANE_ITEMS);
    tr_lane_upload(lane, TR_LANE_SLOTS);
    tr_lane_upload(lane, TR_LANE_HALO);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    /* each kernel takes as many of these as it has */
    tr_vulkan_dispatch(vulkan, lane, smooth->kernel,
                       (struct tr_gpu_buffer *[TR_RESHAPE_BUFFERS]){
                           [TR_SMOOTH_SLOTS] = lane->buffers[TR_LANE_SLOTS],
                           [TR_SMOOTH_HALO] = lane->buffers[TR_LANE_HALO],
                           [TR_SMOOTH_RESULT] = lane->buffers[TR_LANE_RESULT],
                           [TR_RESHAPE_ITEMS] = lane->buffers[TR_LANE_ITEMS],
                       },
                       &params, (uint64_t)lane->count * smooth->after_words);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_RESULT);
    return tr_gpu_submit(lane->commands, error);
}

static enum tr_status task_scatter(void *context, size_t index, int job, struct tr_error *error)
{
    const struct smooth *smooth = context;
    const uint32_t *results = tr_lane_mirror(smooth->lane, TR_LANE_RESULT);

    (void)job;
    (void)error;
    memcpy(smooth->tasks[smooth->lane->first + index].after, results + index * smooth->after_words,
           smooth->after_words * sizeof *results);
    return TR_OK;
}

static enum tr_status smooth_finish(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                    struct tr_error *error)
{
    struct smooth *smooth = context;
    enum tr_status status = tr_gpu_wait(lane->commands, error);

    smooth->lane = lane;
    return status == TR_OK ? tr_jobs_run(vulkan->bake.jobs, lane->count, task_scatter, smooth, error)
                           : status;
}

static enum tr_status smooth_run(struct tr_vulkan *vulkan, struct smooth *smooth, struct tr_error *error)
{
    static const struct tr_vulkan_step step = {smooth_take, smooth_begin, NULL, smooth_finish};
    enum tr_status status = tr_vulkan_kernels(vulkan, &smooth->kernel, 1, error);

    return status == TR_OK ? tr_vulkan_run(vulkan, &step, smooth, smooth->count, error) : status;
}

enum tr_status tr_vulkan_smooth(struct tr_bake *bake, struct tr_smooth_task *tasks, size_t count,
                                struct tr_error *error)
{
    struct smooth smooth = {.tasks = tr_alloc(count, sizeof *smooth.tasks, error),
                            .count = count,
                            .kernel = TR_KERNEL_SMOOTH,
                            .after_words = TR_COLUMNS};
    enum tr_status status = TR_IO;

    for (size_t i = 0; smooth.tasks && i < count; i++)
        smooth.tasks[i] = (struct smooth_task){.halo = tasks[i].halo,
                                               .halo_words = TR_SMOOTH_HALO_WORDS,
                                               .slot = &tasks[i].slot,
                                               .after = tasks[i].after};
    if (smooth.tasks)
        status = smooth_run((struct tr_vulkan *)bake, &smooth, error);
    free(smooth.tasks);
    return status;
}

static struct smooth_task reshape_task(const struct tr_reshape_task *task)
{
    size_t side = TR_CHUNK + 2 * (size_t)task->margin; /* even: rows are whole words */

    return (struct smooth_task){.halo = task->halo,
                                .halo_words = side * side * side / 2,
                                .margin = task->margin,
                                .slot = &task->slot,
                                .after = task->after};
}

enum tr_status tr_vulkan_reshape(struct tr_bake *bake, struct tr_reshape_task *tasks, size_t count,
                                 struct tr_error *error)
{
    struct smooth smooth = {.tasks = tr_alloc(count, sizeof *smooth.tasks, error),
                            .count = count,
                            .kernel = TR_KERNEL_RESHAPE,
                            .after_words = TR_BLOCK_WORDS};
    enum tr_status status = TR_IO;

    for (size_t i = 0; smooth.tasks && i < count; i++)
        smooth.tasks[i] = reshape_task(&tasks[i]);
    if (smooth.tasks)
        status = smooth_run((struct tr_vulkan *)bake, &smooth, error);
    free(smooth.tasks);
    return status;
}
