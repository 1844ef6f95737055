/* Grid on Vulkan: the kernel `height_grid` on batches of chunks. A chunk brings 18 KB of heights and takes
 * away 68 KB of vertices, so the buffer of vertices decides how many make a batch. */
#include "lib/bake/vulkan_internal.h"

#include "lib/base/alloc.h"
#include "shaders/height_grid_params.h"
#include <string.h>

#define HALO_BYTES ((size_t)TR_TILE_HALO * sizeof(int32_t))
#define VERTICES_BYTES ((size_t)TR_HEIGHT_GRID_LINES * sizeof(tr_vertex))
_Static_assert(VERTICES_BYTES > HALO_BYTES, "the buffer of vertices is the larger one");

struct grid {
    struct tr_grid_task *tasks;
    size_t count;
    const struct tr_vulkan_lane *lane; /* whose batch is gathered or scattered */
};

static size_t grid_take(struct tr_vulkan *vulkan, void *context, int lane, size_t first)
{
    const struct grid *grid = context;
    size_t most = vulkan->batch_bytes / VERTICES_BYTES, left = grid->count - first;

    (void)lane;
    return most < 1 ? 1 : most < left ? most : left;
}

static enum tr_status heights_gather(void *context, size_t index, int job, struct tr_error *error)
{
    const struct grid *grid = context;
    int32_t *heights = tr_lane_mirror(grid->lane, TR_LANE_HEIGHTS);

    (void)job;
    (void)error;
    memcpy(heights + index * TR_TILE_HALO, grid->tasks[grid->lane->first + index].heights, HALO_BYTES);
    return TR_OK;
}

static enum tr_status grid_begin(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                 struct tr_error *error)
{
    struct grid *grid = context;
    tr_height_grid_params params = {(uint32_t)lane->count};
    enum tr_status status =
        tr_vulkan_reserve(vulkan, lane, TR_LANE_VERTICES, lane->count, VERTICES_BYTES, error);

    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_HEIGHTS, lane->count, HALO_BYTES, error);
    grid->lane = lane;
    if (status == TR_OK)
        status = tr_jobs_run(vulkan->bake.jobs, lane->count, heights_gather, grid, error);
    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    tr_lane_upload(lane, TR_LANE_HEIGHTS);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_HEIGHT_GRID,
                       (struct tr_gpu_buffer *[TR_HEIGHT_GRID_BUFFERS]){
                           [TR_HEIGHT_GRID_HEIGHTS] = lane->buffers[TR_LANE_HEIGHTS],
                           [TR_HEIGHT_GRID_VERTICES] = lane->buffers[TR_LANE_VERTICES],
                       },
                       &params, (uint64_t)lane->count * TR_HEIGHT_GRID_LINES);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_VERTICES);
    return tr_gpu_submit(lane->commands, error);
}

static enum tr_status vertices_scatter(void *context, size_t index, int job, struct tr_error *error)
{
    const struct grid *grid = context;
    const tr_vertex *vertices = tr_lane_mirror(grid->lane, TR_LANE_VERTICES);
    struct tr_height_grid *out = &grid->tasks[grid->lane->first + index].grid;

    (void)job;
    out->cells[0] = out->cells[1] = TR_TILE_CELLS;
    out->vertices = tr_alloc(TR_HEIGHT_GRID_LINES, sizeof *out->vertices, error);
    if (!out->vertices)
        return TR_IO;
    memcpy(out->vertices, vertices + index * TR_HEIGHT_GRID_LINES, VERTICES_BYTES);
    return TR_OK;
}

static enum tr_status grid_finish(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                  struct tr_error *error)
{
    struct grid *grid = context;
    enum tr_status status = tr_gpu_wait(lane->commands, error);

    grid->lane = lane;
    return status == TR_OK ? tr_jobs_run(vulkan->bake.jobs, lane->count, vertices_scatter, grid, error)
                           : status;
}

enum tr_status tr_vulkan_grid(struct tr_bake *bake, struct tr_grid_task *tasks, size_t count,
                              struct tr_error *error)
{
    static const struct tr_vulkan_step step = {grid_take, grid_begin, NULL, grid_finish};
    static const enum tr_kernel kernels[] = {TR_KERNEL_HEIGHT_GRID};
    struct tr_vulkan *vulkan = (struct tr_vulkan *)bake;
    struct grid grid = {.tasks = tasks, .count = count};
    enum tr_status status = tr_vulkan_kernels(vulkan, kernels, 1, error);

    for (size_t i = 0; i < count; i++)
        memset(&tasks[i].grid, 0, sizeof tasks[i].grid);
    return status == TR_OK ? tr_vulkan_run(vulkan, &step, &grid, count, error) : status;
}
