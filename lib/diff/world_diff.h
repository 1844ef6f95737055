/* What differs between two worlds of the same size and voxel size. Chunks with equal hashes are skipped
 * unread. */
#ifndef TR_DIFF_WORLD_DIFF_H
#define TR_DIFF_WORLD_DIFF_H

#include "lib/base/jobs.h"
#include "lib/world/world.h"

/* One chunk that differs. Volumes: each sample stands for one cubic voxel, filled by clamp(1/2 - s/256, 0,
 * 1). */
struct tr_chunk_diff {
    int32_t cx, cz;
    uint64_t heights;            /* heights that differ */
    uint64_t samples;            /* field samples that differ in rows where either world stores a block */
    uint64_t paint, block_paint; /* columns, and samples of blocks, whose own paint differs */
    uint32_t blocks_a, blocks_b;
    int32_t greatest; /* largest |height difference|, units */
    uint64_t sum;     /* of |height difference|, units */
    double cut, fill; /* cubic voxels of ground taken away and added */
    /* Around what differs: of heights the range between the two, of samples those where ground does, of paint the
     * columns' ground and the samples. */
    struct tr_box box;
};

struct tr_world_diff {
    bool equal;
    struct tr_chunk_diff *chunks; /* in index order */
    size_t count;
    struct tr_chunk_diff total; /* cx, cz unused */
};

/* Worlds of different size or voxel size are refused as input (TR_BAD_INPUT) with a line that says how they
 * differ. */
enum tr_status tr_world_diff(struct tr_jobs *jobs, const struct tr_world *a, const struct tr_world *b,
                             struct tr_world_diff *diff, struct tr_error *error);
void tr_world_diff_release(struct tr_world_diff *diff);

#endif
