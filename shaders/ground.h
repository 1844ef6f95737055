/* What one slot makes of one sample, of the height of its column, and of their paint. In C, reads slot words through `tr_words`; a kernel
 * declares the buffer of that name before it includes this. */
#ifndef TR_SHADERS_GROUND_H
#define TR_SHADERS_GROUND_H
#include "brush.h"
#include "tree.h"
#include "volume.h"

/* The distance of a slot's shape at a sample, voxels. */
TR_FN PF tr_slot_distance(TR_WORDS_PARAM tr_edit_slot slot, int x, int y, int z)
{
    PF d = 0.0f;
    if (slot.form == TR_FORM_TREE) {
        PF px = tr_to_float(x);
        PF py = tr_to_float(y);
        PF pz = tr_to_float(z);
        d = tr_tree_distance(TR_WORDS_ARG slot.words, px, py, pz);
    } else {
        d = tr_slot_round_distance(slot, x, y, z);
    }
    return d;
}

/* The height at column (x, z) behind a height slot; `after` is what TR_SLOT_FOLLOW sets. Other slots leave it. */
TR_FN int tr_slot_height(TR_WORDS_PARAM tr_edit_slot slot, int x, int z, int height, int after)
{
    if (!tr_slot_covers_column(slot, x, z))
        return height;
    if (slot.op == TR_SLOT_RAISE)
        return tr_brush_raise(slot, x, z, height);
    if (slot.op == TR_SLOT_LEVEL)
        return tr_brush_level(slot, x, z, height);
    if (slot.op == TR_SLOT_NOISE)
        return tr_brush_noise(TR_WORDS_ARG slot, x, z, height);
    if (slot.op == TR_SLOT_STAMP)
        return tr_brush_stamp(TR_WORDS_ARG slot, x, z, height);
    return slot.op == TR_SLOT_FOLLOW ? after : height;
}

/* The sample behind a volume slot; paints and smooth leave it. */
TR_FN int tr_slot_sample(TR_WORDS_PARAM tr_edit_slot slot, int x, int y, int z, int stored)
{
    if (!tr_slot_covers(slot, x, y, z))
        return stored;
    if (slot.op <= TR_SLOT_INTERSECT) {
        PF d = tr_slot_distance(TR_WORDS_ARG slot, x, y, z);
        return tr_shape_join(slot, d, stored);
    }
    if (slot.op == TR_SLOT_PUSH)
        return tr_volume_push(slot, x, y, z, stored);
    if (slot.op == TR_SLOT_PLANE)
        return tr_volume_plane(slot, x, y, z, stored);
    if (slot.op == TR_SLOT_VOLUME_NOISE)
        return tr_volume_noise(TR_WORDS_ARG slot, x, y, z, stored);
    if (slot.op == TR_SLOT_VOLUME_STAMP)
        return tr_volume_stamp(TR_WORDS_ARG slot, x, y, z, stored);
    return stored;
}

/* Whether a volume slot that paints reaches a sample: its shape and one voxel around it, since the solid end of an edge that the shape's
 * surface crosses may lie outside. */
TR_FN bool tr_slot_paints(TR_WORDS_PARAM tr_edit_slot slot, int x, int y, int z)
{
    bool paints = false;
    if (slot.op == TR_SLOT_SHAPE_PAINT && tr_slot_covers(slot, x, y, z)) {
        PF d = tr_slot_distance(TR_WORDS_ARG slot, x, y, z);
        paints = d <= slot.reach;
    } else if (slot.op == TR_SLOT_VOLUME_PAINT && tr_slot_covers(slot, x, y, z)) {
        PF d = tr_volume_distance(slot, x, y, z);
        paints = d < 1.0f;
    }
    return paints;
}

/* The paint of a column behind a slot: that of a height brush where it reaches, of a volume slot where it reaches the highest solid sample
 * of the height field, which the slot's own block row must hold. */
TR_FN int tr_slot_column_paint(TR_WORDS_PARAM tr_edit_slot slot, int x, int z, int height, int paint)
{
    bool paints = false;
    if (slot.op == TR_SLOT_PAINT)
        paints = tr_slot_covers_column(slot, x, z) && tr_brush_covers(slot, x, z);
    else
        paints = tr_slot_paints(TR_WORDS_ARG slot, x, (height >> 8) - slot.base_y, z);
    return paints ? slot.target : paint;
}

/* The paint of a block sample s behind a slot, where the height field is f. */
TR_FN int tr_slot_sample_paint(TR_WORDS_PARAM tr_edit_slot slot, int x, int y, int z, int s, int f, int paint)
{
    paint = tr_slot_paints(TR_WORDS_ARG slot, x, y, z) ? slot.target : paint;
    return tr_settle_paint(s, f, paint);
}

#endif
