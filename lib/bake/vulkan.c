/* The Vulkan backend: opening and closing, kernels, and the loop that keeps two batches in flight.
 *
 *   host     gather 0 | gather 1        | scatter 0, gather 2 | scatter 1, gather 3 | ...
 *   device            | batch 0         | batch 1             | batch 2             | ...
 */
#include "lib/bake/vulkan_internal.h"

#include "lib/bake/devices.h"
#include "lib/base/alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of one buffer: a software device gains nothing from more and has 2 GiB in all; two lanes of a dozen
 * buffers and their mirrors must fit a small card's memory. */
#define BATCH_BYTES_CPU ((uint64_t)40 << 20)
#define BATCH_BYTES_GPU ((uint64_t)256 << 20)
#define BATCHES_IN_MEMORY 32

static const char *const lane_buffer_names[TR_LANE_BUFFER_COUNT] = {
    [TR_LANE_ITEMS] = "items",     [TR_LANE_SLOTS] = "slots",     [TR_LANE_WORDS] = "words",
    [TR_LANE_HEIGHTS] = "heights", [TR_LANE_HALO] = "halo",       [TR_LANE_RESULT] = "result",
    [TR_LANE_BLOCKS] = "blocks",   [TR_LANE_PAINT] = "paint",     [TR_LANE_NUMBERS] = "numbers",
    [TR_LANE_NEAREST] = "nearest", [TR_LANE_NORMALS] = "normals", [TR_LANE_FIELD] = "field",
    [TR_LANE_BITS] = "bits",       [TR_LANE_ROWS] = "rows",       [TR_LANE_ROW_TRIANGLES] = "row triangles",
    [TR_LANE_TOTALS] = "totals",   [TR_LANE_GROUPS] = "groups",   [TR_LANE_VERTICES] = "vertices",
    [TR_LANE_INDICES] = "indices",
};

static const struct tr_bake_ops vulkan_ops = {
    .name = "vulkan",
    .fill = tr_vulkan_fill,
    .edit = tr_vulkan_edit,
    .smooth = tr_vulkan_smooth,
    .reshape = tr_vulkan_reshape,
    .redistance = tr_vulkan_redistance,
    .mesh = tr_vulkan_mesh,
    .grid = tr_vulkan_grid,
    .close = tr_vulkan_close,
};

/* Open and close ----------------------------------------------------------------------------------------- */

static uint64_t batch_bytes_for(const struct tr_gpu_info *info)
{
    uint64_t bytes = info->type == TR_GPU_CPU ? BATCH_BYTES_CPU : BATCH_BYTES_GPU;
    uint64_t limits[] = {info->memory_bytes / BATCHES_IN_MEMORY,
                         info->storage_range_bytes - TR_GPU_GUARD_BYTES};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (bytes > limits[i])
            bytes = limits[i];
    return bytes;
}

enum tr_status tr_vulkan_open(size_t index, int jobs, bool validate, struct tr_vulkan **out,
                              struct tr_error *error)
{
    struct tr_vulkan *vulkan = tr_alloc(1, sizeof *vulkan, error);
    enum tr_status status;

    *out = NULL;
    if (!vulkan)
        return TR_IO;
    vulkan->bake.ops = &vulkan_ops;
    status = tr_jobs_create(jobs, &vulkan->bake.jobs, error);
    if (status == TR_OK)
        status = tr_gpu_open(index, validate, &vulkan->gpu, error);
    for (int i = 0; i < 2 && status == TR_OK; i++) {
        vulkan->lanes[i].number = i;
        status = tr_gpu_commands_create(vulkan->gpu, &vulkan->lanes[i].commands, error);
    }
    if (status == TR_OK) {
        snprintf(vulkan->bake.device, sizeof vulkan->bake.device, "%s", tr_gpu_info(vulkan->gpu)->name);
        vulkan->batch_bytes = batch_bytes_for(tr_gpu_info(vulkan->gpu));
        *out = vulkan;
        vulkan = NULL;
    }
    if (vulkan)
        tr_vulkan_close(&vulkan->bake);
    return status;
}

static enum tr_status open_tested(size_t index, const struct tr_bake_options *options, struct tr_bake **out,
                                  struct tr_error *error)
{
    struct tr_vulkan *vulkan = NULL;
    enum tr_status status = tr_vulkan_open(index, options->jobs, options->validate, &vulkan, error);

    if (status == TR_OK)
        status = tr_vulkan_selftest(vulkan, error);
    if (status == TR_OK)
        *out = &vulkan->bake;
    else if (vulkan)
        tr_vulkan_close(&vulkan->bake);
    return status;
}

enum tr_status tr_bake_open_vulkan(const struct tr_bake_options *options, struct tr_bake **out,
                                   struct tr_error *error)
{
    const char *wanted = options->device ? options->device : "auto";
    bool is_auto = strcmp(wanted, "auto") == 0;
    size_t index = 0;
    enum tr_status status = tr_bake_device_find(wanted, 0, &index, error);

    *out = NULL;
    if (status == TR_OK)
        status = open_tested(index, options, out, error);
    while (status == TR_NO_DEVICE && is_auto && tr_bake_device_find(wanted, index + 1, &index, NULL) == TR_OK)
        status = open_tested(index, options, out, error);
    return status;
}

void tr_vulkan_close(struct tr_bake *bake)
{
    struct tr_vulkan *vulkan = (struct tr_vulkan *)bake;

    for (int i = 0; i < 2; i++) {
        tr_gpu_commands_free(vulkan->lanes[i].commands);
        for (int k = 0; k < TR_LANE_BUFFER_COUNT; k++)
            tr_gpu_buffer_free(vulkan->gpu, vulkan->lanes[i].buffers[k]);
    }
    tr_gpu_buffer_free(vulkan->gpu, vulkan->cases);
    for (int i = 0; i < TR_KERNEL_COUNT; i++)
        tr_gpu_kernel_free(vulkan->gpu, vulkan->kernels[i]);
    tr_gpu_close(vulkan->gpu);
    tr_jobs_free(vulkan->bake.jobs);
    free(vulkan);
}

/* Buffers and kernels ------------------------------------------------------------------------------------ */

/* What stays on the device has no mirror. */
static bool lane_buffer_mirrored(enum tr_lane_buffer which)
{
    return which != TR_LANE_FIELD && which != TR_LANE_ROW_TRIANGLES;
}

enum tr_status tr_vulkan_reserve(struct tr_vulkan *vulkan, struct tr_vulkan_lane *lane,
                                 enum tr_lane_buffer which, uint64_t count, size_t size_bytes,
                                 struct tr_error *error)
{
    uint64_t bytes = count * size_bytes;

    return tr_gpu_buffer_reserve(vulkan->gpu, &lane->buffers[which], lane_buffer_names[which],
                                 lane_buffer_mirrored(which), bytes > 0 ? bytes : 4, error);
}

void tr_lane_upload(struct tr_vulkan_lane *lane, enum tr_lane_buffer which)
{
    tr_gpu_upload(lane->commands, lane->buffers[which], 0, tr_gpu_buffer_size(lane->buffers[which]));
}

void tr_lane_download(struct tr_vulkan_lane *lane, enum tr_lane_buffer which)
{
    tr_gpu_download(lane->commands, lane->buffers[which], 0, tr_gpu_buffer_size(lane->buffers[which]));
}

enum tr_status tr_vulkan_kernels(struct tr_vulkan *vulkan, const enum tr_kernel *kernels, size_t count,
                                 struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (size_t i = 0; i < count && status == TR_OK; i++)
        if (!vulkan->kernels[kernels[i]])
            status = tr_gpu_kernel_create(vulkan->gpu, &tr_kernel_sources[kernels[i]],
                                          &vulkan->kernels[kernels[i]], error);
    return status;
}

void tr_vulkan_dispatch(struct tr_vulkan *vulkan, struct tr_vulkan_lane *lane, enum tr_kernel kernel,
                        struct tr_gpu_buffer *const *buffers, const void *params, uint64_t invocations)
{
    uint32_t local = tr_kernel_sources[kernel].local_size;

    tr_gpu_dispatch(lane->commands, vulkan->kernels[kernel], buffers, params,
                    (invocations + local - 1) / local);
}

/* Batches ------------------------------------------------------------------------------------------------ */

static enum tr_status lane_begin(struct tr_vulkan *vulkan, const struct tr_vulkan_step *step, void *context,
                                 struct tr_vulkan_lane *lane, size_t first, struct tr_error *error)
{
    lane->first = first;
    lane->count = step->take(vulkan, context, lane->number, first);
    return step->begin(vulkan, context, lane, error);
}

enum tr_status tr_vulkan_run(struct tr_vulkan *vulkan, const struct tr_vulkan_step *step, void *context,
                             size_t count, struct tr_error *error)
{
    size_t begun = 0; /* tasks */
    enum tr_status status = TR_OK;

    for (int i = 0; status == TR_OK; i = 1 - i) {
        struct tr_vulkan_lane *lane = &vulkan->lanes[i], *other = &vulkan->lanes[1 - i];

        if (begun == count && lane->count == 0 && other->count == 0)
            break;
        if (other->count > 0 && step->proceed)
            status = step->proceed(vulkan, context, other, error);
        if (lane->count > 0 && status == TR_OK)
            status = step->finish(vulkan, context, lane, error);
        lane->count = 0;
        if (begun < count && status == TR_OK) {
            status = lane_begin(vulkan, step, context, lane, begun, error);
            begun += lane->count;
        }
    }
    for (int i = 0; i < 2; i++) {
        tr_gpu_wait(vulkan->lanes[i].commands, NULL);
        vulkan->lanes[i].count = 0;
    }
    return status;
}
