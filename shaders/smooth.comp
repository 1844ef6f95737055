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
#include "no_words.glsl"
#include "brush.h"

int sum_of_4(uint at)
{
    return halo[at - 1u] + halo[at + 1u] + halo[at - TR_SMOOTH_HALO_WIDTH] + halo[at + TR_SMOOTH_HALO_WIDTH];
}

int bend(uint at)
{
    return sum_of_4(at) - 4 * halo[at];
}

void main()
{
    uint i = tr_invocation();
    uint chunk = i / TR_COLUMNS;
    if (chunk >= params.count)
        return;
    uint x = i % TR_CHUNK;
    uint z = i / TR_CHUNK % TR_CHUNK;
    uint at = chunk * TR_SMOOTH_HALO_WORDS + (z + 2u) * TR_SMOOTH_HALO_WIDTH + x + 2u;
    tr_edit_slot slot = slots[chunk];
    int height = halo[at];
    if (tr_slot_covers_column(slot, int(x), int(z))) {
        if (slot.op == TR_SLOT_HC_SMOOTH) {
            int bends = bend(at - 1u) + bend(at + 1u) + bend(at - TR_SMOOTH_HALO_WIDTH) + bend(at + TR_SMOOTH_HALO_WIDTH);
            height = tr_brush_hc_smooth(slot, int(x), int(z), height, bend(at), bends);
        } else {
            height = tr_brush_smooth(slot, int(x), int(z), height, sum_of_4(at));
        }
    }
    result[i] = height;
}
