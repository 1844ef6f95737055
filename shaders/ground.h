/* What one slot makes of one sample and of the height of its column. */
#ifndef TR_SHADERS_GROUND_H
#define TR_SHADERS_GROUND_H
#include "brush.h"
#include "shape.h"

TR_FN bool tr_slot_is_volume(tr_edit_slot slot)
{
    return slot.op == TR_SLOT_UNION || slot.op == TR_SLOT_SUBTRACT;
}

TR_FN bool tr_slot_covers_column(tr_edit_slot slot, int x, int z)
{
    return x >= slot.lo_x && x <= slot.hi_x && z >= slot.lo_z && z <= slot.hi_z;
}

/* The height at column (x, z) behind a height slot; `after` is what TR_SLOT_FOLLOW sets. */
TR_FN int tr_slot_height(tr_edit_slot slot, int x, int z, int height, int after)
{
    if (!tr_slot_covers_column(slot, x, z))
        return height;
    if (slot.op == TR_SLOT_RAISE)
        return tr_brush_raise(slot, x, z, height);
    return slot.op == TR_SLOT_FOLLOW ? after : height;
}

/* The sample behind a volume slot. */
TR_FN int tr_slot_sample(tr_edit_slot slot, int x, int y, int z, int stored)
{
    if (!tr_slot_covers_column(slot, x, z) || y < slot.lo_y || y > slot.hi_y)
        return stored;
    return tr_shape_apply(slot, slot.op == TR_SLOT_UNION, x, y, z, stored);
}

#endif
