/* Slots of every kind in their order, one column an invocation: its height and its paint. The list is walked in runs, of common slots and
 * of others, for the reason that blocks_any.comp gives. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "heights_params.h"

layout(std430, binding = TR_HEIGHTS_WORDS) readonly buffer Words { uint tr_words[]; };
layout(std430, binding = TR_HEIGHTS_PAINT) buffer Paint { uint paints[]; };
#include "heights.glsl"

void main()
{
    uint i = tr_invocation();
    uint chunk = i / TR_COLUMNS;
    if (chunk >= params.chunk_count)
        return;
    uint column = i % TR_COLUMNS;
    int x = int(column % TR_CHUNK);
    int z = int(column / TR_CHUNK);
    tr_heights_item item = items[chunk];
    int height = before[item.before * TR_COLUMNS + column];
    int after = before[item.after * TR_COLUMNS + column];
    bool painted = item.paint != TR_HEIGHTS_NO_PAINT;
    uint paint_at = item.paint * TR_COLUMNS + column;
    int paint = painted ? int(paints[paint_at]) : 0;
    uint k = 0u;
    uint end = item.slot_count;
    while (k < end) {
        while (k < end && tr_heights_is_common(slots[item.first_slot + k])) {
            height = common_height(slots[item.first_slot + k], x, z, height, after);
            k++;
        }
        while (k < end && !tr_heights_is_common(slots[item.first_slot + k])) {
            tr_edit_slot slot = slots[item.first_slot + k];
            height = tr_slot_height(slot, x, z, height, after);
            if (painted && tr_slot_is_paint(slot))
                paint = tr_slot_column_paint(slot, x, z, height, paint);
            k++;
        }
    }
    result[i] = height;
    if (painted)
        paints[paint_at] = uint(paint);
}
