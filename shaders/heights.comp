/* Height slots in their order, one column an invocation. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "heights_params.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_HEIGHTS_ITEMS) readonly buffer Items { tr_heights_item items[]; };
layout(std430, binding = TR_HEIGHTS_SLOTS) readonly buffer Slots { tr_edit_slot slots[]; };
layout(std430, binding = TR_HEIGHTS_BEFORE) readonly buffer Before { int before[]; };
layout(std430, binding = TR_HEIGHTS_RESULT) writeonly buffer Result { int result[]; };
layout(push_constant) uniform Params { tr_heights_params params; };

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
    for (uint k = 0u; k < item.slot_count; k++) {
        height = tr_slot_height(slots[item.first_slot + k], x, z, height, before[item.after * TR_COLUMNS + column]);
    }
    result[i] = height;
}
