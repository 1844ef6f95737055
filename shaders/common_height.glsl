/* The height at column (x, z) behind a common slot, as tr_slot_height has it. */
int common_height(tr_edit_slot slot, int x, int z, int height, int after)
{
    if (!tr_slot_covers_column(slot, x, z))
        return height;
    if (slot.op == TR_SLOT_RAISE)
        return tr_brush_raise(slot, x, z, height);
    if (slot.op == TR_SLOT_LEVEL)
        return tr_brush_level(slot, x, z, height);
    return slot.op == TR_SLOT_FOLLOW ? after : height;
}
