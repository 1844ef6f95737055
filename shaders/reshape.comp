/* One slot a block that reads the samples around: every sample sees the state before. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "smooth_params.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_SMOOTH_SLOTS) readonly buffer Slots { tr_edit_slot slots[]; };
layout(std430, binding = TR_SMOOTH_HALO) readonly buffer Halo { uint halo[]; };
layout(std430, binding = TR_SMOOTH_RESULT) writeonly buffer Result { uint result[]; };
layout(std430, binding = TR_RESHAPE_ITEMS) readonly buffer Items { tr_reshape_item items[]; };
layout(push_constant) uniform Params { tr_smooth_params params; };
#include "no_words.glsl"
#include "volume.h"

int halo_sample(tr_reshape_item item, int x, int y, int z)
{
    int side = TR_CHUNK + 2 * item.margin;
    uint at = uint(((y + item.margin) * side + z + item.margin) * side + x + item.margin);
    uint pair = halo[item.halo + at / 2u];
    return (at & 1u) == 0u ? tr_sample_low(pair) : tr_sample_high(pair);
}

/* The sample behind a smooth or inflate. */
int from_neighbours(tr_edit_slot slot, tr_reshape_item item, int x, int y, int z, int s)
{
    int west = halo_sample(item, x - 1, y, z);
    int east = halo_sample(item, x + 1, y, z);
    int down = halo_sample(item, x, y - 1, z);
    int up = halo_sample(item, x, y + 1, z);
    int north = halo_sample(item, x, y, z - 1);
    int south = halo_sample(item, x, y, z + 1);
    if (slot.op == TR_SLOT_INFLATE)
        return tr_volume_inflate(slot, x, y, z, s, east - west, up - down, south - north);
    return tr_volume_smooth(slot, x, y, z, s, west + east + down + up + north + south);
}

/* The sample behind a pinch or grab. */
int from_elsewhere(tr_edit_slot slot, tr_reshape_item item, int x, int y, int z)
{
    tr_source from = tr_volume_source(slot, x, y, z);
    return tr_volume_mix(from, halo_sample(item, from.x, from.y, from.z), halo_sample(item, from.x + 1, from.y, from.z),
                         halo_sample(item, from.x, from.y + 1, from.z), halo_sample(item, from.x + 1, from.y + 1, from.z),
                         halo_sample(item, from.x, from.y, from.z + 1), halo_sample(item, from.x + 1, from.y, from.z + 1),
                         halo_sample(item, from.x, from.y + 1, from.z + 1),
                         halo_sample(item, from.x + 1, from.y + 1, from.z + 1));
}

int reshaped(tr_edit_slot slot, tr_reshape_item item, int x, int y, int z)
{
    int s = halo_sample(item, x, y, z);
    if (tr_slot_covers(slot, x, y, z)) {
        if (slot.op == TR_SLOT_PINCH || slot.op == TR_SLOT_GRAB)
            s = from_elsewhere(slot, item, x, y, z);
        else
            s = from_neighbours(slot, item, x, y, z, s);
    }
    return s;
}

void main()
{
    uint i = tr_invocation();
    uint block = i / TR_BLOCK_WORDS;
    if (block >= params.count)
        return;
    int x = int(i % 32u) * 2;
    int z = int(i / 32u % TR_CHUNK);
    int y = int(i / 2048u % TR_CHUNK);
    tr_edit_slot slot = slots[block];
    tr_reshape_item item = items[block];
    result[i] = tr_sample_pair(reshaped(slot, item, x, y, z), reshaped(slot, item, x + 1, y, z));
}
