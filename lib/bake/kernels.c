/* The words of each kernel as glslc printed them when the program was built, with what its header in shaders/
 * says of it.
 *
 * To add a kernel: write shaders/NAME.comp and NAME_params.h, add it to enum tr_kernel, to the words and to
 * the table below. */
#include "lib/bake/kernels.h"

#include "shaders/blocks_params.h"
#include "shaders/field_params.h"
#include "shaders/fill_params.h"
#include "shaders/height_grid_params.h"
#include "shaders/heights_params.h"
#include "shaders/mc_params.h"
#include "shaders/redistance_params.h"
#include "shaders/selftest_params.h"
#include "shaders/smooth_params.h"

static const uint32_t words_fill[] = {
#include "fill.inc"
};
static const uint32_t words_heights[] = {
#include "heights.inc"
};
static const uint32_t words_heights_any[] = {
#include "heights_any.inc"
};
static const uint32_t words_smooth[] = {
#include "smooth.inc"
};
static const uint32_t words_blocks[] = {
#include "blocks.inc"
};
static const uint32_t words_blocks_any[] = {
#include "blocks_any.inc"
};
static const uint32_t words_blocks_tree[] = {
#include "blocks_tree.inc"
};
static const uint32_t words_reshape[] = {
#include "reshape.inc"
};
static const uint32_t words_sweep[] = {
#include "sweep.inc"
};
static const uint32_t words_redistance[] = {
#include "redistance.inc"
};
static const uint32_t words_field[] = {
#include "field.inc"
};
static const uint32_t words_mc_bits[] = {
#include "mc_bits.inc"
};
static const uint32_t words_mc_count[] = {
#include "mc_count.inc"
};
static const uint32_t words_mc_scan[] = {
#include "mc_scan.inc"
};
static const uint32_t words_mc_vertices[] = {
#include "mc_vertices.inc"
};
static const uint32_t words_mc_triangles[] = {
#include "mc_triangles.inc"
};
static const uint32_t words_height_grid[] = {
#include "height_grid.inc"
};
static const uint32_t words_selftest[] = {
#include "selftest.inc"
};

#define KERNEL(name_, buffers, params, local, shared)                                                        \
    {                                                                                                        \
        .name = #name_, .words = words_##name_, .size_bytes = sizeof words_##name_,                          \
        .buffer_count = (buffers), .params_bytes = sizeof(params), .local_size = (local),                    \
        .shared_bytes = (shared),                                                                            \
    }

const struct tr_gpu_kernel_source tr_kernel_sources[TR_KERNEL_COUNT] = {
    [TR_KERNEL_FILL] = KERNEL(fill, TR_FILL_BUFFERS, tr_fill_params, TR_FILL_LOCAL, 0),
    [TR_KERNEL_HEIGHTS] = KERNEL(heights, TR_HEIGHTS_BUFFERS, tr_heights_params, TR_HEIGHTS_LOCAL, 0),
    [TR_KERNEL_HEIGHTS_ANY] =
        KERNEL(heights_any, TR_HEIGHTS_ANY_BUFFERS, tr_heights_params, TR_HEIGHTS_LOCAL, 0),
    [TR_KERNEL_SMOOTH] = KERNEL(smooth, TR_SMOOTH_BUFFERS, tr_smooth_params, TR_SMOOTH_LOCAL, 0),
    [TR_KERNEL_BLOCKS] = KERNEL(blocks, TR_BLOCKS_BUFFERS, tr_blocks_params, TR_BLOCKS_LOCAL, 0),
    [TR_KERNEL_BLOCKS_ANY] = KERNEL(blocks_any, TR_BLOCKS_ANY_BUFFERS, tr_blocks_params, TR_BLOCKS_LOCAL, 0),
    [TR_KERNEL_BLOCKS_TREE] =
        KERNEL(blocks_tree, TR_BLOCKS_ANY_BUFFERS, tr_blocks_params, TR_BLOCKS_LOCAL, 0),
    [TR_KERNEL_RESHAPE] = KERNEL(reshape, TR_RESHAPE_BUFFERS, tr_smooth_params, TR_SMOOTH_LOCAL, 0),
    [TR_KERNEL_SWEEP] = KERNEL(sweep, TR_SWEEP_BUFFERS, tr_sweep_params, TR_REDISTANCE_LOCAL, 0),
    [TR_KERNEL_REDISTANCE] =
        KERNEL(redistance, TR_REDISTANCE_BUFFERS, tr_redistance_params, TR_REDISTANCE_LOCAL, 0),
    [TR_KERNEL_FIELD] = KERNEL(field, TR_FIELD_BUFFERS, tr_field_params, TR_FIELD_LOCAL, 0),
    [TR_KERNEL_MC_BITS] = KERNEL(mc_bits, TR_MC_BITS_BUFFERS, tr_mc_params, TR_MC_LOCAL, 0),
    [TR_KERNEL_MC_COUNT] = KERNEL(mc_count, TR_MC_COUNT_BUFFERS, tr_mc_params, TR_MC_LOCAL, 0),
    [TR_KERNEL_MC_SCAN] =
        KERNEL(mc_scan, TR_MC_SCAN_BUFFERS, tr_mc_params, TR_MC_SCAN_LOCAL, TR_MC_SCAN_SHARED_BYTES),
    [TR_KERNEL_MC_VERTICES] = KERNEL(mc_vertices, TR_MC_VERTICES_BUFFERS, tr_mc_params, TR_MC_LOCAL, 0),
    [TR_KERNEL_MC_TRIANGLES] = KERNEL(mc_triangles, TR_MC_TRIANGLES_BUFFERS, tr_mc_params, TR_MC_LOCAL, 0),
    [TR_KERNEL_HEIGHT_GRID] =
        KERNEL(height_grid, TR_HEIGHT_GRID_BUFFERS, tr_height_grid_params, TR_HEIGHT_GRID_LOCAL, 0),
    [TR_KERNEL_SELFTEST] = KERNEL(selftest, TR_SELFTEST_BUFFERS, tr_selftest_params, TR_SELFTEST_LOCAL, 0),
};

/* The layout that GLSL gives these structs: words without gaps. */
_Static_assert(sizeof(tr_fill_item) == 3 * 4 && sizeof(tr_heights_item) == 5 * 4 &&
                   sizeof(tr_blocks_item) == 7 * 4 && sizeof(tr_reshape_item) == 2 * 4 &&
                   sizeof(tr_nearest) == 4 * 4,
               "items are packed words");
_Static_assert(sizeof(tr_field_item) == 32 * 4 && sizeof(tr_row) == 3 * 4 && sizeof(tr_row_counts) == 2 * 4,
               "items are packed words");
_Static_assert(sizeof(tr_noise_layer) == 8 * 4 && sizeof(tr_vertex) == 4 * 4 &&
                   sizeof(tr_case_packed) == 2 * 4,
               "items are packed words");
_Static_assert(TR_COLUMNS == TR_CHUNK * TR_CHUNK && TR_BLOCK_WORDS * 2 == TR_BLOCK_SAMPLES,
               "layout.h follows cell.h");
_Static_assert(TR_BRICK *TR_BRICK *TR_BRICK == TR_BRICK_SAMPLES && TR_BRICK_WORDS * 2 == TR_BRICK_SAMPLES &&
                   TR_BRICKS * TR_BRICK_SAMPLES == TR_BLOCK_SAMPLES &&
                   TR_BRICK_LAYER_WORDS * TR_BRICK == TR_BRICK_WORDS &&
                   TR_BLOCKS_LOCAL == TR_BRICK_LAYER_WORDS,
               "blocks_params.h counts its bricks right");
_Static_assert(TR_FIELD_WORDS * 2 == TR_TILE_FIELD_SAMPLES && TR_FIELD_ROW_WORDS * 2 == TR_TILE_PITCH,
               "field_params.h follows cell.h");
_Static_assert(TR_MC_SCAN_LOCAL *TR_MC_SCAN_ROWS >= TR_TILE_ROWS, "mc_scan reaches all rows");
