/* The kernels of shaders/, compiled and embedded, so that the program runs from anywhere. */
#ifndef TR_BAKE_KERNELS_H
#define TR_BAKE_KERNELS_H

#include "lib/gpu/gpu.h"

enum tr_kernel {
    TR_KERNEL_FILL,
    TR_KERNEL_HEIGHTS,
    TR_KERNEL_HEIGHTS_ANY,
    TR_KERNEL_SMOOTH,
    TR_KERNEL_BLOCKS,
    TR_KERNEL_BLOCKS_ANY,
    TR_KERNEL_BLOCKS_TREE,
    TR_KERNEL_RESHAPE,
    TR_KERNEL_SWEEP,
    TR_KERNEL_REDISTANCE,
    TR_KERNEL_FIELD,
    TR_KERNEL_MC_BITS,
    TR_KERNEL_MC_COUNT,
    TR_KERNEL_MC_SCAN,
    TR_KERNEL_MC_VERTICES,
    TR_KERNEL_MC_TRIANGLES,
    TR_KERNEL_HEIGHT_GRID,
    TR_KERNEL_SELFTEST,
    TR_KERNEL_COUNT
};

extern const struct tr_gpu_kernel_source tr_kernel_sources[TR_KERNEL_COUNT];

#endif
