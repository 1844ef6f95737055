/* Common slots in their order, one column an invocation. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "heights_params.h"
#include "no_words.glsl"
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
    /* The condition comes last, since a device that only masks what it skips would do one slot more. */
    if (item.slot_count > 0u) {
        uint k = 0u;
        do {
            height = common_height(slots[item.first_slot + k], x, z, height, after);
            k++;
        } while (k < item.slot_count);
    }
    result[i] = height;
}
