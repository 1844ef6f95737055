/* The field of tiles: the block's sample where a block is stored, else the height field; beyond the world its last sample. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "field_params.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_FIELD_ITEMS) readonly buffer Items { tr_field_item items[]; };
layout(std430, binding = TR_FIELD_HEIGHTS) readonly buffer Heights { int heights[]; };
layout(std430, binding = TR_FIELD_BLOCKS) readonly buffer Blocks { uint blocks[]; };
layout(std430, binding = TR_FIELD_SAMPLES) writeonly buffer Samples { uint samples[]; };
layout(push_constant) uniform Params { tr_field_params params; };

int field_sample(uint tile, int x, int y, int z)
{
    int owned_x = tr_iclamp(x, items[tile].lo_x, items[tile].hi_x);
    int owned_z = tr_iclamp(z, items[tile].lo_z, items[tile].hi_z);
    /* 64 is added so that no side is negative: 0 the chunk before, 1 the tile's own, 2 the one after */
    uint side_x = uint(owned_x + TR_CHUNK) / TR_CHUNK;
    uint side_y = uint(y + TR_CHUNK) / TR_CHUNK;
    uint side_z = uint(owned_z + TR_CHUNK) / TR_CHUNK;
    uint block = items[tile].block[(side_y * 3u + side_z) * 3u + side_x];
    if (block != TR_FIELD_NO_BLOCK) {
        int at = tr_block_index(owned_x & 63, y & 63, owned_z & 63);
        uint pair = blocks[block * TR_BLOCK_WORDS + uint(at) / 2u];
        return (at & 1) == 0 ? tr_sample_low(pair) : tr_sample_high(pair);
    }
    int height = heights[tile * TR_TILE_HALO + uint((z + 1) * TR_TILE_SAMPLES + x + 1)];
    return tr_height_field(items[tile].low_y + y, height);
}

void main()
{
    uint i = tr_invocation();
    uint tile = i / TR_FIELD_STRIDE;
    uint word = i % TR_FIELD_STRIDE;
    if (tile >= params.tile_count || word >= TR_FIELD_WORDS)
        return;
    uint row = word / TR_FIELD_ROW_WORDS;
    int x = int(word % TR_FIELD_ROW_WORDS) * 2 - 1;
    int z = int(row % TR_TILE_SAMPLES) - 1;
    int y = int(row / TR_TILE_SAMPLES) - 1;
    int low = field_sample(tile, x, y, z);
    int high = x < TR_TILE_CORNERS ? field_sample(tile, x + 1, y, z) : TR_FIELD_PADDING;
    samples[i] = tr_sample_pair(low, high);
}
