/* Kernels `blocks`, `blocks_any` and `blocks_tree`: height and volume slots applied to bricks, 8 x 8 x 8 samples of a block each. A workgroup does one
 * brick, an invocation all eight rows of two columns, neighbours in x.
 *
 * The host lists the bricks that some slot may change, and for each its slots (lib/bake/bricks.h); the rest of a block stays at home.
 * Heights change along with the samples, so each invocation keeps its columns' heights beside its samples and no stage between is
 * stored. Samples and paint are read and written in place, by one invocation each.
 *
 * `blocks` knows the common slots alone, `blocks_any` all but trees with instructions that are not common (tree.h), `blocks_tree` all. To
 * know more costs every slot, on devices that run both sides of a branch by time and on others by registers; so a block takes the least
 * that does. */
#ifndef TR_SHADERS_BLOCKS_PARAMS_H
#define TR_SHADERS_BLOCKS_PARAMS_H
#include "edit_slot.h"
#include "layout.h"

#define TR_BRICK 8              /* samples along a side */
#define TR_BRICKS 512           /* of a block, numbered (y * 8 + z) * 8 + x */
#define TR_BRICK_SAMPLES 512    /* in the same order */
#define TR_BRICK_WORDS 256      /* of its samples, two a word */
#define TR_BRICK_LAYER_WORDS 32 /* from a word to the one above */

#define TR_BLOCKS_LOCAL 32 /* 4 pairs of columns in x, 8 in z: the words of a layer */

#define TR_BLOCKS_BRICKS 0      /* tr_blocks_item, one a workgroup */
#define TR_BLOCKS_NUMBERS 1     /* of slots: the lists of all bricks */
#define TR_BLOCKS_SLOTS 2       /* tr_edit_slot of all blocks */
#define TR_BLOCKS_HEIGHTS 3     /* layers of TR_COLUMNS words, as kernel `heights` has them */
#define TR_BLOCKS_SAMPLES 4     /* in and out: TR_BRICK_WORDS a brick */
#define TR_BLOCKS_BUFFERS 5     /* of `blocks` */
#define TR_BLOCKS_WORDS 5       /* of the slots */
#define TR_BLOCKS_PAINT 6       /* in and out: as the samples */
#define TR_BLOCKS_ANY_BUFFERS 7 /* of the other two */

TR_STRUCT(tr_blocks_item)
{
    uint place;         /* which of its block */
    int low_y;          /* voxel row of the block's lowest samples */
    uint stored;        /* 1: samples and paint hold it, 0: it begins as the height field */
    uint before, after; /* layers of TR_BLOCKS_HEIGHTS */
    uint first, count;  /* of TR_BLOCKS_NUMBERS: its slots in order of the log, at least one */
};

TR_STRUCT(tr_blocks_params)
{
    uint brick_count;
    uint painted; /* 1: the paint is there; 0: TR_BLOCKS_PAINT is not read */
};

/* Whether `blocks` knows the slot: raise, level and follow, round shapes with a hard or smooth blend, and what leaves samples alone. */
TR_FN bool tr_blocks_is_common(tr_edit_slot slot)
{
    if (slot.op == TR_SLOT_UNION || slot.op == TR_SLOT_SUBTRACT || slot.op == TR_SLOT_INTERSECT)
        return slot.form != TR_FORM_TREE && (slot.blend == TR_BLEND_HARD || slot.blend == TR_BLEND_SMOOTH);
    return slot.op == TR_SLOT_RAISE || slot.op == TR_SLOT_LEVEL || slot.op == TR_SLOT_FOLLOW ||
           slot.op == TR_SLOT_PAINT;
}

/* The lowest sample of a brick, in its block. */
TR_FN int tr_brick_x(uint place)
{
    return tr_to_int(place % 8u) * TR_BRICK;
}
TR_FN int tr_brick_z(uint place)
{
    return tr_to_int(place / 8u % 8u) * TR_BRICK;
}
TR_FN int tr_brick_y(uint place)
{
    return tr_to_int(place / 64u) * TR_BRICK;
}

#endif
