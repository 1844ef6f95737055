/* One smoothing slot a chunk: every column reads the state before. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "smooth_params.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_SMOOTH_SLOTS) readonly buffer Slots { tr_edit_slot slots[]; };
layout(std430, binding = TR_SMOOTH_HALO) readonly buffer Halo { int halo[]; };
layout(std430, binding = TR_SMOOTH_RESULT) writeonly buffer Result { int result[]; };
layout(push_constant) uniform Params { tr_smooth_params params; };

void main()
{
    uint i = tr_invocation();
    uint chunk = i / TR_COLUMNS;
    if (chunk >= params.chunk_count)
        return;
    uint x = i % TR_CHUNK;
    uint z = i / TR_CHUNK % TR_CHUNK;
    uint at = chunk * TR_SMOOTH_HALO_WORDS + (z + 1u) * TR_SMOOTH_HALO_WIDTH + x + 1u;
    tr_edit_slot slot = slots[chunk];
    int height = halo[at];
    if (tr_slot_covers_column(slot, int(x), int(z))) {
        int sum = halo[at - 1u] + halo[at + 1u] + halo[at - TR_SMOOTH_HALO_WIDTH] + halo[at + TR_SMOOTH_HALO_WIDTH];
        height = tr_brush_smooth(slot, int(x), int(z), height, sum);
    }
    result[i] = height;
}
