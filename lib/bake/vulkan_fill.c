/* Fill on Vulkan: the kernel `fill` on batches of chunks. */
#include "lib/bake/vulkan_internal.h"

#include "shaders/fill_params.h"
#include <string.h>

#define LAYER_BYTES sizeof(tr_noise_layer)
#define HEIGHTS_BYTES ((size_t)TR_COLUMNS * sizeof(int32_t))

struct fill {
    struct tr_fill_task *tasks;
    size_t count;
    const struct tr_vulkan_lane *lane; /* whose batch is scattered */
};

static size_t fill_take(struct tr_vulkan *vulkan, void *context, int lane, size_t first)
{
    const struct fill *fill = context;
    size_t layers_max = vulkan->batch_bytes / LAYER_BYTES, most = vulkan->batch_bytes / HEIGHTS_BYTES;
    size_t layers = fill->tasks[first].layer_count, taken = 1;

    (void)lane;
    while (first + taken < fill->count && taken < most &&
           layers + fill->tasks[first + taken].layer_count <= layers_max)
        layers += fill->tasks[first + taken++].layer_count;
    return taken;
}

static void fill_gather(const struct tr_fill_task *tasks, const struct tr_vulkan_lane *lane)
{
    tr_fill_item *items = tr_lane_mirror(lane, TR_LANE_ITEMS);
    tr_noise_layer *layers = tr_lane_mirror(lane, TR_LANE_SLOTS);
    uint32_t layer_count = 0;

    for (size_t i = 0; i < lane->count; i++) {
        items[i] = (tr_fill_item){layer_count, tasks[i].layer_count, tasks[i].base};
        if (tasks[i].layer_count > 0)
            memcpy(layers + layer_count, tasks[i].layers, tasks[i].layer_count * LAYER_BYTES);
        layer_count += tasks[i].layer_count;
    }
}

static enum tr_status fill_begin(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                 struct tr_error *error)
{
    const struct fill *fill = context;
    const struct tr_fill_task *tasks = fill->tasks + lane->first;
    tr_fill_params params = {(uint32_t)lane->count};
    uint64_t layer_count = 0;
    enum tr_status status;

    for (size_t i = 0; i < lane->count; i++)
        layer_count += tasks[i].layer_count;
    status = tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, lane->count, sizeof(tr_fill_item), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_SLOTS, layer_count, LAYER_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, lane->count, HEIGHTS_BYTES, error);
    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    fill_gather(tasks, lane);
    tr_lane_upload(lane, TR_LANE_ITEMS);
    tr_lane_upload(lane, TR_LANE_SLOTS);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_FILL,
                       (struct tr_gpu_buffer *[TR_FILL_BUFFERS]){
                           [TR_FILL_ITEMS] = lane->buffers[TR_LANE_ITEMS],
                           [TR_FILL_LAYERS] = lane->buffers[TR_LANE_SLOTS],
                           [TR_FILL_HEIGHTS] = lane->buffers[TR_LANE_RESULT],
                       },
                       &params, (uint64_t)lane->count * TR_COLUMNS);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_RESULT);
    return tr_gpu_submit(lane->commands, error);
}

static enum tr_status heights_scatter(void *context, size_t index, int job, struct tr_error *error)
{
    const struct fill *fill = context;
    const int32_t *heights = tr_lane_mirror(fill->lane, TR_LANE_RESULT);

    (void)job;
    (void)error;
    memcpy(fill->tasks[fill->lane->first + index].heights, heights + index * TR_COLUMNS, HEIGHTS_BYTES);
    return TR_OK;
}

static enum tr_status fill_finish(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                  struct tr_error *error)
{
    struct fill *fill = context;
    enum tr_status status = tr_gpu_wait(lane->commands, error);

    fill->lane = lane;
    return status == TR_OK ? tr_jobs_run(vulkan->bake.jobs, lane->count, heights_scatter, fill, error)
                           : status;
}

enum tr_status tr_vulkan_fill(struct tr_bake *bake, struct tr_fill_task *tasks, size_t count,
                              struct tr_error *error)
{
    static const struct tr_vulkan_step step = {fill_take, fill_begin, NULL, fill_finish};
    static const enum tr_kernel kernels[] = {TR_KERNEL_FILL};
    struct tr_vulkan *vulkan = (struct tr_vulkan *)bake;
    struct fill fill = {.tasks = tasks, .count = count};
    enum tr_status status = tr_vulkan_kernels(vulkan, kernels, 1, error);

    return status == TR_OK ? tr_vulkan_run(vulkan, &step, &fill, count, error) : status;
}
