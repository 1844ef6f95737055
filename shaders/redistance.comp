/* Samples within radius become their distance from the crossing that the sweeps have found. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "redistance_params.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_REDISTANCE_NEAREST) readonly buffer Nearest { uvec4 nearest[]; };
layout(std430, binding = TR_REDISTANCE_NORMALS) readonly buffer Normals { float normals[]; };
layout(std430, binding = TR_REDISTANCE_SLOT) readonly buffer Slots { tr_edit_slot slots[]; };
layout(std430, binding = TR_REDISTANCE_SAMPLES) readonly buffer Samples { uint samples[]; };
layout(std430, binding = TR_REDISTANCE_RESULT) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Params { tr_redistance_params params; };
#include "no_words.glsl"
#include "volume.h"

/* Sample s, number `index` of the region. */
int measured(uint index, int s)
{
    int x = int(index % uint(params.size_x));
    int z = int(index / uint(params.size_x) % uint(params.size_z));
    int y = int(index / uint(params.size_x * params.size_z));
    PF d = tr_volume_distance(slots[0], x, y, z);
    if (!tr_slot_covers(slots[0], x, y, z) || d >= 1.0f)
        return s;
    uvec4 known = nearest[tr_redistance_index(params.size_x, params.size_z, x, y, z)];
    tr_crossing_point crossing;
    crossing.x = tr_from_bits(known.x);
    crossing.y = tr_from_bits(known.y);
    crossing.z = tr_from_bits(known.z);
    crossing.nx = normals[known.w * 3u];
    crossing.ny = normals[known.w * 3u + 1u];
    crossing.nz = normals[known.w * 3u + 2u];
    return tr_redistance_sample(crossing, x, y, z, s);
}

void main()
{
    uint i = tr_invocation();
    if (2u * i >= uint(params.size_x * params.size_y * params.size_z))
        return;
    int low = measured(2u * i, tr_sample_low(samples[i]));
    int high = measured(2u * i + 1u, tr_sample_high(samples[i])); /* behind the last: outside the slot's box */
    result[i] = tr_sample_pair(low, high);
}
