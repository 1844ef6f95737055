/* The heavy steps on many chunks, behind one table of functions with two implementations: `cpu` (plain C on all jobs, the reference)
 * and `vulkan`. The same tasks give the same bytes on each, in whatever batches they come.
 *
 * Tasks hold copies of what they need, never references to worlds: the caller gathers, calls, and scatters. Arrays of heights are
 * [z][x], 64 x 64, units; block samples as tr_block_index. A rim chunk is valid only for x < size_x, z < size_z (64 or 1): samples
 * beyond are neither read nor written. */
#ifndef TR_BAKE_BAKE_H
#define TR_BAKE_BAKE_H

#include "lib/base/jobs.h"
#include "lib/base/status.h"
#include "lib/edit/apply.h"
#include "lib/mesh/height_tile.h"
#include "shaders/noise.h"

/* Fill: heights[i] = clamp(base + round(sum of layers)). Layers are in the chunk's frame (lib/gen/noise.h makes them). */
struct tr_fill_task {
    const tr_noise_layer *layers;
    uint32_t layer_count;
    int32_t base;     /* units */
    int32_t *heights; /* out, 64 x 64 */
};

/* One block of an edited chunk. */
struct tr_edit_block {
    int32_t cy;  /* block row; its lowest samples have y = 64 cy */
    bool stored; /* samples hold the block; else it begins as the height field and samples are out only */
    int16_t *samples; /* in and out, TR_BLOCK_SAMPLES */
    uint8_t *paint;   /* in and out, the same; NULL exactly if the task's paint is */
    const tr_edit_slot
        *slots; /* height and volume slots in order of the log; volume ones in the block's frame */
    uint32_t slot_count;
};

/* A run of edits on one chunk, applied in order to its heights, its blocks, and their paint. */
struct tr_edit_task {
    uint32_t size_x, size_z;
    int32_t *heights;     /* in and out, 64 x 64 */
    uint8_t *paint;       /* in and out, the same; NULL: nothing of the chunk has paint, and no slot paints */
    const int32_t *after; /* heights that a TR_SLOT_FOLLOW slot sets; NULL when there is none */
    const uint32_t *words; /* of all slots of the task */
    size_t word_count;
    /* The slots that heights and column paint see, in order: the height slots, and where the task has paint the paints of volume slots,
     * one for each block row that they reach (its frame's, see base_y), whether that block is there or not. */
    const tr_edit_slot *slots;
    uint32_t slot_count;
    struct tr_edit_block *blocks;
    uint32_t block_count;
};

/* One SMOOTH or HC_SMOOTH slot on one chunk. */
struct tr_smooth_task {
    const int32_t *halo; /* TR_HEIGHT_HALO squared, the state before */
    tr_edit_slot slot;
    int32_t *after; /* out, 64 x 64; where the slot does not reach, the height before */
};

/* One slot that reads the samples around (VOLUME_SMOOTH, INFLATE, PINCH, GRAB) on one block. */
struct tr_reshape_task {
    const int16_t
        *halo; /* cube of side 64 + 2 margin, [y][z][x], the state before: samples -margin .. 63 + margin */
    uint32_t margin; /* 1 .. TR_RESHAPE_MARGIN_MAX: no sample farther out is read */
    tr_edit_slot slot;
    int16_t *after; /* out, a block; where the slot does not reach, the sample before */
};

/* One REDISTANCE slot on its whole region. */
struct tr_redistance_task {
    uint32_t size[3];       /* samples along x, y, z, at most TR_REDISTANCE_SIDE_MAX each */
    const int16_t *samples; /* [y][z][x], the state before */
    tr_edit_slot slot;      /* in the frame of the region's lowest sample */
    int16_t *after;         /* out, the same */
};

/* The lattice of LOD 0 of one tile (cx, cy, cz), and its triangles where they are wanted. */
struct tr_mesh_task {
    int32_t cx, cy, cz;
    int32_t world_x, world_z; /* size of the world in chunks: reads are clamped to samples 0..64*world */
    const int32_t *heights;   /* TR_TILE_HALO, already clamped to the world by who gathered them */
    /* blocks [dy + 1][dz + 1][dx + 1] of chunk (cx + dx, cy + dy, cz + dz), NULL where none is stored. A clamped read takes
     * the block that owns the clamped sample. */
    const int16_t *blocks[27];
    bool wants_triangles;
    struct tr_lattice lattice; /* out; release each, after a failure too. 64 cells a side, materials NULL */
    uint32_t *indices;         /* out: of the regular cells if wanted, as tr_lattice_triangles; free() each */
    uint32_t index_count;
};

/* The height grid of LOD 0 of one chunk's column. */
struct tr_grid_task {
    const int32_t *heights;     /* TR_TILE_HALO, already clamped to the world */
    struct tr_height_grid grid; /* out; release each, after a failure too. 64 x 64 cells, materials NULL */
};

struct tr_bake;

struct tr_bake_ops {
    const char *name; /* "cpu" or "vulkan" */
    enum tr_status (*fill)(struct tr_bake *bake, struct tr_fill_task *tasks, size_t count,
                           struct tr_error *error);
    enum tr_status (*edit)(struct tr_bake *bake, struct tr_edit_task *tasks, size_t count,
                           struct tr_error *error);
    enum tr_status (*smooth)(struct tr_bake *bake, struct tr_smooth_task *tasks, size_t count,
                             struct tr_error *error);
    enum tr_status (*reshape)(struct tr_bake *bake, struct tr_reshape_task *tasks, size_t count,
                              struct tr_error *error);
    enum tr_status (*redistance)(struct tr_bake *bake, struct tr_redistance_task *tasks, size_t count,
                                 struct tr_error *error);
    enum tr_status (*mesh)(struct tr_bake *bake, struct tr_mesh_task *tasks, size_t count,
                           struct tr_error *error);
    enum tr_status (*grid)(struct tr_bake *bake, struct tr_grid_task *tasks, size_t count,
                           struct tr_error *error);
    void (*close)(struct tr_bake *bake);
};

/* What both implementations begin with. */
struct tr_bake {
    const struct tr_bake_ops *ops;
    struct tr_jobs *jobs;
    char device[256]; /* name to show */
};

struct tr_bake_options {
    const char *device; /* "auto", "cpu", an index as `terrain devices` lists, or part of a name (any case) */
    int jobs;           /* 0: all processors */
    bool validate;      /* Vulkan validation layers; a message from them makes the call fail */
    uint64_t
        work; /* estimate of the work in samples: auto opens a GPU only where it repays; 0 unknown, taken as small */
};

/* Opens a device. TR_NO_DEVICE with one line that lists what there is when the named one is missing or unfit. */
enum tr_status tr_bake_open(const struct tr_bake_options *options, struct tr_bake **out,
                            struct tr_error *error);
void tr_bake_close(struct tr_bake *bake);

/* The implementations, for tr_bake_open. tr_bake_open_vulkan with the device "auto" takes the first real GPU that is fit, never a
 * software device, and answers TR_NO_DEVICE where there is none. */
enum tr_status tr_bake_open_cpu(const struct tr_bake_options *options, struct tr_bake **out,
                                struct tr_error *error);
enum tr_status tr_bake_open_vulkan(const struct tr_bake_options *options, struct tr_bake **out,
                                   struct tr_error *error);

#endif
