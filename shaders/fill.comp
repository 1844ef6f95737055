/* Heights from noise: clamp(base + round(sum of the layers)). */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "fill_params.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_FILL_ITEMS) readonly buffer Items { tr_fill_item items[]; };
layout(std430, binding = TR_FILL_LAYERS) readonly buffer Layers { tr_noise_layer layers[]; };
layout(std430, binding = TR_FILL_HEIGHTS) writeonly buffer Heights { int heights[]; };
layout(push_constant) uniform Params { tr_fill_params params; };

void main()
{
    uint i = tr_invocation();
    uint chunk = i / TR_COLUMNS;
    if (chunk >= params.chunk_count)
        return;
    int x = int(i % TR_CHUNK);
    int z = int(i / TR_CHUNK % TR_CHUNK);
    tr_fill_item item = items[chunk];
    PF sum = 0.0f;
    for (uint k = 0u; k < item.layer_count; k++) {
        PF part = tr_noise_height(layers[item.first_layer + k], x, z);
        sum = sum + part;
    }
    heights[i] = tr_noise_ground(item.base, sum);
}
