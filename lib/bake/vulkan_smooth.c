/* Smooth on Vulkan: the kernel `smooth` on batches of chunks. */
#include "lib/bake/vulkan_internal.h"

#include "shaders/smooth_params.h"
#include <string.h>

#define HALO_BYTES ((size_t)TR_SMOOTH_HALO_WORDS * sizeof(int32_t))
#define HEIGHTS_BYTES ((size_t)TR_COLUMNS * sizeof(int32_t))

_Static_assert(TR_SMOOTH_HALO_WIDTH == TR_BAKE_SMOOTH_HALO, "the kernel's halo is that of the task");

struct smooth {
    struct tr_smooth_task *tasks;
    size_t count;
};

static size_t smooth_take(struct tr_vulkan *vulkan, void *context, int lane, size_t first)
{
    const struct smooth *smooth = context;
    size_t most = vulkan->batch_bytes / HALO_BYTES, left = smooth->count - first;

    (void)lane;
    if (most == 0)
        most = 1;
    return left < most ? left : most;
}

static enum tr_status smooth_begin(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                   struct tr_error *error)
{
    const struct smooth *smooth = context;
    const struct tr_smooth_task *tasks = smooth->tasks + lane->first;
    tr_smooth_params params = {(uint32_t)lane->count};
    tr_edit_slot *slots;
    int32_t *halos;
    enum tr_status status;

    status = tr_vulkan_reserve(vulkan, lane, TR_LANE_SLOTS, lane->count, sizeof(tr_edit_slot), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_HEIGHTS, lane->count, HALO_BYTES, error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, lane->count, HEIGHTS_BYTES, error);
    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    slots = tr_lane_mirror(lane, TR_LANE_SLOTS);
    halos = tr_lane_mirror(lane, TR_LANE_HEIGHTS);
    for (size_t i = 0; i < lane->count; i++) {
        slots[i] = tasks[i].slot;
        memcpy(halos + i * TR_SMOOTH_HALO_WORDS, tasks[i].halo, HALO_BYTES);
    }
    tr_lane_upload(lane, TR_LANE_SLOTS);
    tr_lane_upload(lane, TR_LANE_HEIGHTS);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_SMOOTH,
                       (struct tr_gpu_buffer *[TR_SMOOTH_BUFFERS]){
                           [TR_SMOOTH_SLOTS] = lane->buffers[TR_LANE_SLOTS],
                           [TR_SMOOTH_HALO] = lane->buffers[TR_LANE_HEIGHTS],
                           [TR_SMOOTH_RESULT] = lane->buffers[TR_LANE_RESULT],
                       },
                       &params, (uint64_t)lane->count * TR_COLUMNS);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_RESULT);
    return tr_gpu_submit(lane->commands, error);
}

static enum tr_status smooth_finish(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                    struct tr_error *error)
{
    const struct smooth *smooth = context;
    enum tr_status status = tr_gpu_wait(lane->commands, error);

    (void)vulkan;
    if (status == TR_OK) {
        const int32_t *heights = tr_lane_mirror(lane, TR_LANE_RESULT);

        for (size_t i = 0; i < lane->count; i++)
            memcpy(smooth->tasks[lane->first + i].after, heights + i * TR_COLUMNS, HEIGHTS_BYTES);
    }
    return status;
}

enum tr_status tr_vulkan_smooth(struct tr_bake *bake, struct tr_smooth_task *tasks, size_t count,
                                struct tr_error *error)
{
    static const struct tr_vulkan_step step = {smooth_take, smooth_begin, NULL, smooth_finish};
    static const enum tr_kernel kernels[] = {TR_KERNEL_SMOOTH};
    struct tr_vulkan *vulkan = (struct tr_vulkan *)bake;
    struct smooth smooth = {tasks, count};
    enum tr_status status = tr_vulkan_kernels(vulkan, kernels, 1, error);

    return status == TR_OK ? tr_vulkan_run(vulkan, &step, &smooth, count, error) : status;
}
