/* Redistance on Vulkan: crossings are found here, as the cpu does; the kernel `sweep` hands them on, front by front, and `redistance`
 * measures.
 *
 * A region of 131 samples a side has 8 passes of 911 fronts, each a small dispatch behind a barrier: many recordings. They take turns in
 * the commands of the two lanes, so that one is recorded while the device works on the other. Regions come one by one: they are rare, and
 * their memory is large where many samples lie beside crossings. */
#include "lib/bake/vulkan_internal.h"

#include "lib/base/alloc.h"
#include "shaders/redistance_params.h"
#include <stdlib.h>
#include <string.h>

/* A task on its way. */
struct region {
    struct tr_vulkan *vulkan;
    const struct tr_redistance_task *task;
    int size[3]; /* x, y, z */
    tr_crossing_point *crossings;
    size_t crossing_count;
    struct tr_vulkan_lane *buffers;   /* the lane that has all of them */
    struct tr_vulkan_lane *recording; /* the lane whose commands are recorded */
    int dispatch_count;               /* there */
};

/* What the device gets ----------------------------------------------------------------------------------- */

static int16_t sample_at(const struct region *region, int x, int y, int z)
{
    return region->task
        ->samples[((size_t)y * (size_t)region->size[2] + (size_t)z) * (size_t)region->size[0] + (size_t)x];
}

/* A sample next to a crossing takes it, unless it has one that is as near. */
static void crossing_offer(const struct region *region, uint32_t number, int x, int y, int z)
{
    const tr_crossing_point *crossing = &region->crossings[number];
    tr_nearest *own = (tr_nearest *)tr_lane_mirror(region->buffers, TR_LANE_NEAREST) +
                      tr_redistance_index(region->size[0], region->size[2], x, y, z);
    tr_crossing_point known = {.x = own->x, .y = own->y, .z = own->z};

    if (tr_redistance_square(*crossing, x, y, z) < tr_redistance_square(known, x, y, z))
        *own = (tr_nearest){crossing->x, crossing->y, crossing->z, number};
}

/* Offers the crossings of a sample with its upper neighbours, numbered from `number` on; returns how many they are. */
static uint32_t crossings_offer(const struct region *region, uint32_t number, int x, int y, int z)
{
    const int *size = region->size, place[3] = {x, y, z};
    bool is_solid = sample_at(region, x, y, z) <= 0;
    uint32_t count = 0;

    for (int axis = 0; axis < 3; axis++) {
        int upper_x = x + (axis == 0), upper_y = y + (axis == 1), upper_z = z + (axis == 2);

        if (place[axis] + 1 == size[axis] || (sample_at(region, upper_x, upper_y, upper_z) <= 0) == is_solid)
            continue;
        crossing_offer(region, number + count, x, y, z);
        crossing_offer(region, number + count, upper_x, upper_y, upper_z);
        count++;
    }
    return count;
}

static size_t nearest_count(const struct region *region)
{
    return (size_t)(region->size[0] + 2) * (size_t)(region->size[1] + 2) * (size_t)(region->size[2] + 2);
}

/* What each sample knows before the first pass. */
static void nearest_gather(const struct region *region)
{
    const tr_nearest none = {TR_REDISTANCE_FAR, TR_REDISTANCE_FAR, TR_REDISTANCE_FAR, TR_REDISTANCE_NONE};
    tr_nearest *nearest = tr_lane_mirror(region->buffers, TR_LANE_NEAREST);
    uint32_t number = 0;

    for (size_t i = 0; i < nearest_count(region); i++)
        nearest[i] = none;
    for (int y = 0; y < region->size[1]; y++)
        for (int z = 0; z < region->size[2]; z++)
            for (int x = 0; x < region->size[0]; x++)
                number += crossings_offer(region, number, x, y, z);
}

static void normals_gather(const struct region *region)
{
    float *normals = tr_lane_mirror(region->buffers, TR_LANE_NORMALS);

    for (size_t i = 0; i < region->crossing_count; i++) {
        const tr_crossing_point *crossing = &region->crossings[i];

        normals[3 * i] = crossing->nx;
        normals[3 * i + 1] = crossing->ny;
        normals[3 * i + 2] = crossing->nz;
    }
}

static size_t region_sample_count(const struct region *region)
{
    return (size_t)region->size[0] * (size_t)region->size[1] * (size_t)region->size[2];
}

static enum tr_status region_gather(const struct region *region, struct tr_error *error)
{
    struct tr_vulkan *vulkan = region->vulkan;
    struct tr_vulkan_lane *lane = region->buffers;
    size_t samples = region_sample_count(region), words = (samples + 1) / 2;
    enum tr_status status;

    status = tr_vulkan_reserve(vulkan, lane, TR_LANE_SLOTS, 1, sizeof(tr_edit_slot), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_HALO, words, sizeof(uint32_t), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, words, sizeof(uint32_t), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_NEAREST, nearest_count(region), sizeof(tr_nearest),
                                   error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_NORMALS, region->crossing_count, 3 * sizeof(float),
                                   error);
    if (status != TR_OK)
        return status;
    memcpy(tr_lane_mirror(lane, TR_LANE_SLOTS), &region->task->slot, sizeof region->task->slot);
    memcpy(tr_lane_mirror(lane, TR_LANE_HALO), region->task->samples, samples * sizeof(int16_t));
    nearest_gather(region);
    normals_gather(region);
    return TR_OK;
}

/* Dispatches --------------------------------------------------------------------------------------------- */

/* Ends the recording and begins one in the other lane, when what that had recorded before is done. */
static enum tr_status recording_turn(struct region *region, struct tr_error *error)
{
    enum tr_status status = tr_gpu_submit(region->recording->commands, error);

    region->recording = &region->vulkan->lanes[1 - region->recording->number];
    region->dispatch_count = 0;
    return status == TR_OK ? tr_gpu_begin(region->recording->commands, error) : status;
}

/* Records a kernel behind what was recorded or submitted before. */
static enum tr_status region_dispatch(struct region *region, enum tr_kernel kernel, const void *params,
                                      uint64_t invocations, struct tr_error *error)
{
    struct tr_gpu_buffer **buffers = region->buffers->buffers;
    enum tr_status status = TR_OK;

    if (region->dispatch_count == TR_GPU_DISPATCHES_MAX)
        status = recording_turn(region, error);
    else if (region->dispatch_count > 0)
        tr_gpu_barrier(region->recording->commands, TR_GPU_KERNEL_TO_KERNEL);
    if (status != TR_OK)
        return status;
    region->dispatch_count++;
    /* each kernel takes as many of these as it has */
    tr_vulkan_dispatch(region->vulkan, region->recording, kernel,
                       (struct tr_gpu_buffer *[TR_REDISTANCE_BUFFERS]){
                           [TR_REDISTANCE_NEAREST] = buffers[TR_LANE_NEAREST],
                           [TR_REDISTANCE_NORMALS] = buffers[TR_LANE_NORMALS],
                           [TR_REDISTANCE_SLOT] = buffers[TR_LANE_SLOTS],
                           [TR_REDISTANCE_SAMPLES] = buffers[TR_LANE_HALO],
                           [TR_REDISTANCE_RESULT] = buffers[TR_LANE_RESULT],
                       },
                       params, invocations);
    return TR_OK;
}

/* The y at which a front has samples follow from x + 2z + 4y = front. */
static enum tr_status front_dispatch(struct region *region, unsigned pass, int front, struct tr_error *error)
{
    const int *size = region->size;
    int beyond = tr_imax(front - (size[0] - 1) - 2 * (size[2] - 1), 0); /* 4y is at least this */
    int first_y = (beyond + 3) / 4, last_y = tr_imin(front / 4, size[1] - 1);
    tr_sweep_params params = {
        .size_x = size[0],
        .size_y = size[1],
        .size_z = size[2],
        .pass = pass,
        .front = front,
        .first_y = first_y,
        .count_y = last_y - first_y + 1,
        .count_z = tr_imin(size[2], (size[0] + 1) / 2),
    };

    return region_dispatch(region, TR_KERNEL_SWEEP, &params,
                           (uint64_t)params.count_y * (uint64_t)params.count_z, error);
}

static enum tr_status region_record(struct region *region, struct tr_error *error)
{
    const int *size = region->size;
    int fronts = size[0] - 1 + 2 * (size[2] - 1) + 4 * (size[1] - 1) + 1;
    tr_redistance_params params = {size[0], size[1], size[2]};
    enum tr_status status = TR_OK;

    for (unsigned pass = 0; pass < TR_REDISTANCE_PASSES; pass++)
        for (int front = 0; front < fronts && status == TR_OK; front++)
            status = front_dispatch(region, pass, front, error);
    if (status != TR_OK)
        return status;
    return region_dispatch(region, TR_KERNEL_REDISTANCE, &params, (region_sample_count(region) + 1) / 2,
                           error);
}

/* All on the device, from upload to download. */
static enum tr_status region_compute(struct region *region, struct tr_error *error)
{
    struct tr_gpu_commands *commands = region->recording->commands;
    struct tr_vulkan_lane *lane = region->buffers;
    enum tr_status status = tr_gpu_begin(commands, error);

    if (status != TR_OK)
        return status;
    static const enum tr_lane_buffer uploads[] = {TR_LANE_SLOTS, TR_LANE_HALO, TR_LANE_NEAREST,
                                                  TR_LANE_NORMALS};
    for (size_t i = 0; i < sizeof uploads / sizeof *uploads; i++)
        tr_lane_upload(lane, uploads[i]);
    tr_gpu_barrier(commands, TR_GPU_UPLOAD_TO_KERNEL);
    status = region_record(region, error);
    if (status != TR_OK)
        return status;
    commands = region->recording->commands;
    tr_gpu_barrier(commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_gpu_download(commands, lane->buffers[TR_LANE_RESULT], 0,
                    tr_gpu_buffer_size(lane->buffers[TR_LANE_RESULT]));
    status = tr_gpu_submit(commands, error);
    return status == TR_OK ? tr_gpu_wait(commands, error) : status;
}

/* Regions ------------------------------------------------------------------------------------------------ */

static enum tr_status region_run(struct tr_vulkan *vulkan, const struct tr_redistance_task *task,
                                 struct tr_error *error)
{
    struct region region = {.vulkan = vulkan,
                            .task = task,
                            .size = {(int)task->size[0], (int)task->size[1], (int)task->size[2]},
                            .buffers = &vulkan->lanes[0],
                            .recording = &vulkan->lanes[0]};
    enum tr_status status =
        tr_redistance_find(task->samples, task->size, &region.crossings, &region.crossing_count, error);

    if (status == TR_OK && region.crossing_count == 0) {
        memcpy(task->after, task->samples, region_sample_count(&region) * sizeof *task->after);
    } else if (status == TR_OK) {
        status = region_gather(&region, error);
        if (status == TR_OK)
            status = region_compute(&region, error);
        for (int i = 0; i < 2; i++)
            tr_gpu_wait(vulkan->lanes[i].commands, NULL);
        if (status == TR_OK)
            memcpy(task->after, tr_lane_mirror(region.buffers, TR_LANE_RESULT),
                   region_sample_count(&region) * sizeof *task->after);
    }
    free(region.crossings);
    return status;
}

enum tr_status tr_vulkan_redistance(struct tr_bake *bake, struct tr_redistance_task *tasks, size_t count,
                                    struct tr_error *error)
{
    static const enum tr_kernel kernels[] = {TR_KERNEL_SWEEP, TR_KERNEL_REDISTANCE};
    struct tr_vulkan *vulkan = (struct tr_vulkan *)bake;
    enum tr_status status = tr_vulkan_kernels(vulkan, kernels, sizeof kernels / sizeof *kernels, error);

    for (size_t i = 0; i < count && status == TR_OK; i++)
        status = region_run(vulkan, &tasks[i], error);
    return status;
}
