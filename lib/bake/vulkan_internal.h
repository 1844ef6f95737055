/* What the files vulkan*.c share: the open device with its kernels, two lanes of buffers, and the loop over
 * batches.
 *
 * A step on many tasks goes in batches, as many tasks as fit the largest buffer. Two batches are in flight,
 * each in a lane of its own: while the device works on one the host gathers the next and scatters the one
 * before. */
#ifndef TR_BAKE_VULKAN_INTERNAL_H
#define TR_BAKE_VULKAN_INTERNAL_H

#include "lib/bake/bake.h"
#include "lib/bake/kernels.h"
#include "lib/gpu/gpu.h"

enum tr_lane_buffer {
    TR_LANE_ITEMS,         /* what each task is, as its kernel's header says */
    TR_LANE_SLOTS,         /* edit slots or noise layers */
    TR_LANE_WORDS,         /* of edit slots */
    TR_LANE_HEIGHTS,       /* heights that are read */
    TR_LANE_HALO,          /* heights or samples that are reshaped, and those around */
    TR_LANE_RESULT,        /* heights or samples that are made */
    TR_LANE_BLOCKS,        /* samples of blocks */
    TR_LANE_PAINT,         /* of blocks or columns */
    TR_LANE_NUMBERS,       /* of slots, for each brick */
    TR_LANE_NEAREST,       /* crossings, for each sample of a region */
    TR_LANE_NORMALS,       /* of crossings */
    TR_LANE_FIELD,         /* samples of tiles */
    TR_LANE_BITS,          /* tr_row, of tiles */
    TR_LANE_ROWS,          /* vertices before each row of tiles */
    TR_LANE_ROW_TRIANGLES, /* triangles before each row of tiles */
    TR_LANE_TOTALS,        /* tr_row_counts, one a tile */
    TR_LANE_GROUPS,        /* tr_row_counts before each tile of a group */
    TR_LANE_VERTICES,
    TR_LANE_INDICES,
    TR_LANE_BUFFER_COUNT
};

struct tr_vulkan_lane {
    struct tr_gpu_commands *commands;
    struct tr_gpu_buffer *buffers[TR_LANE_BUFFER_COUNT];
    int number;          /* 0 or 1 */
    size_t first, count; /* the batch's tasks; count 0: idle */
};

struct tr_vulkan {
    struct tr_bake bake; /* first: a tr_bake pointer is one to this */
    struct tr_gpu *gpu;
    struct tr_gpu_kernel *kernels[TR_KERNEL_COUNT]; /* made when first used */
    struct tr_gpu_buffer *cases;                    /* tr_case_table */
    bool cases_uploaded;
    struct tr_vulkan_lane lanes[2];
    uint64_t batch_bytes; /* what one buffer of a batch may take; results do not depend on it */
};

/* A step: how many tasks from `first` on make the next batch (at least 1); gather, record and submit it;
 * where a second submission needs what the first found, submit that (else NULL); wait and scatter. */
struct tr_vulkan_step {
    size_t (*take)(struct tr_vulkan *vulkan, void *context, int lane, size_t first);
    enum tr_status (*begin)(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                            struct tr_error *error);
    enum tr_status (*proceed)(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                              struct tr_error *error);
    enum tr_status (*finish)(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                             struct tr_error *error);
};

/* Runs a step on `count` tasks. When it returns, with success or without, nothing is in flight. */
enum tr_status tr_vulkan_run(struct tr_vulkan *vulkan, const struct tr_vulkan_step *step, void *context,
                             size_t count, struct tr_error *error);

/* Reserves a lane's buffer for `count` objects; at least a word, since no buffer may be empty. */
enum tr_status tr_vulkan_reserve(struct tr_vulkan *vulkan, struct tr_vulkan_lane *lane,
                                 enum tr_lane_buffer which, uint64_t count, size_t size_bytes,
                                 struct tr_error *error);

static inline void *tr_lane_mirror(const struct tr_vulkan_lane *lane, enum tr_lane_buffer which)
{
    return tr_gpu_buffer_mirror(lane->buffers[which]);
}

/* Copies a lane's whole buffer as reserved. */
void tr_lane_upload(struct tr_vulkan_lane *lane, enum tr_lane_buffer which);
void tr_lane_download(struct tr_vulkan_lane *lane, enum tr_lane_buffer which);

/* Makes sure that the kernels are there; must come before recording. */
enum tr_status tr_vulkan_kernels(struct tr_vulkan *vulkan, const enum tr_kernel *kernels, size_t count,
                                 struct tr_error *error);

/* Records a kernel for `invocations`, rounded up to whole workgroups. buffers[i] is bound at i. */
void tr_vulkan_dispatch(struct tr_vulkan *vulkan, struct tr_vulkan_lane *lane, enum tr_kernel kernel,
                        struct tr_gpu_buffer *const *buffers, const void *params, uint64_t invocations);

/* The table of functions, see bake.h. */
enum tr_status tr_vulkan_fill(struct tr_bake *bake, struct tr_fill_task *tasks, size_t count,
                              struct tr_error *error);
enum tr_status tr_vulkan_edit(struct tr_bake *bake, struct tr_edit_task *tasks, size_t count,
                              struct tr_error *error);
enum tr_status tr_vulkan_smooth(struct tr_bake *bake, struct tr_smooth_task *tasks, size_t count,
                                struct tr_error *error);
enum tr_status tr_vulkan_reshape(struct tr_bake *bake, struct tr_reshape_task *tasks, size_t count,
                                 struct tr_error *error);
enum tr_status tr_vulkan_redistance(struct tr_bake *bake, struct tr_redistance_task *tasks, size_t count,
                                    struct tr_error *error);
enum tr_status tr_vulkan_mesh(struct tr_bake *bake, struct tr_mesh_task *tasks, size_t count,
                              struct tr_error *error);
enum tr_status tr_vulkan_grid(struct tr_bake *bake, struct tr_grid_task *tasks, size_t count,
                              struct tr_error *error);

/* TR_NO_DEVICE, naming function, input and both words, unless the device computes every exact function as the
 * host does. */
enum tr_status tr_vulkan_selftest(struct tr_vulkan *vulkan, struct tr_error *error);

/* Opens device `index` without testing it. */
enum tr_status tr_vulkan_open(size_t index, int jobs, bool validate, struct tr_vulkan **out,
                              struct tr_error *error);
void tr_vulkan_close(struct tr_bake *bake);

#endif
