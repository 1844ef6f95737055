/* Kernel `blocks`: a list of height and volume slots applied to each 3D block. A workgroup does one brick of
 * 8 x 8 x 8 samples, an invocation four rows of two columns, neighbours in x.
 *
 * Heights change along with the samples, so each invocation keeps its columns' heights beside its samples and
 * no stage between is stored. Samples are read and written in place, by one invocation each. */
#ifndef TR_SHADERS_BLOCKS_PARAMS_H
#define TR_SHADERS_BLOCKS_PARAMS_H
#include "ground.h"
#include "layout.h"

#define TR_BLOCKS_LOCAL 64 /* 4 pairs of columns in x, 8 in z, 2 halves of the brick in y */
#define TR_BLOCKS_ROWS 4   /* of an invocation */
#define TR_BLOCKS_BRICK 8
#define TR_BLOCKS_BRICKS 512 /* of a block, numbered (y * 8 + z) * 8 + x */
/* No sample of a brick is farther from its middle (4, 4, 4): sqrt(48), and the error of two distances. */
#define TR_BLOCKS_BRICK_REACH 8.0f
#define TR_BLOCKS_SHARED_BYTES 264
#define TR_BLOCKS_ROW_WORDS 2048 /* from a word of samples to the one above */

#define TR_BLOCKS_ITEMS 0   /* tr_blocks_item, one a block */
#define TR_BLOCKS_SLOTS 1   /* tr_edit_slot of all blocks */
#define TR_BLOCKS_HEIGHTS 2 /* layers of TR_COLUMNS words, as kernel `heights` has them */
#define TR_BLOCKS_SAMPLES 3 /* in and out: TR_BLOCK_WORDS a block */
#define TR_BLOCKS_DIFFERS 4 /* out, a word a brick: 1 if a valid sample differs from the new height field */
#define TR_BLOCKS_BUFFERS 5

TR_STRUCT(tr_blocks_item)
{
    int low_y;          /* voxel row of the lowest samples */
    uint stored;        /* 1: samples hold the block, 0: it begins as the height field */
    uint before, after; /* layers of TR_BLOCKS_HEIGHTS */
    uint first_slot, slot_count;
    uint size_x, size_z; /* valid samples: 64, or 1 in the world's rim */
};

TR_STRUCT(tr_blocks_params)
{
    uint block_count;
};

#endif
