/* The sign of every corner, one row an invocation. A row's samples x = -1..65 lie in 34 words: word k holds x = 2k - 1 and 2k. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "mc_params.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_MC_BITS_FIELD) readonly buffer Field { uint field[]; };
layout(std430, binding = TR_MC_BITS_BITS) writeonly buffer Bits { tr_row bits[]; };
layout(push_constant) uniform Params { tr_mc_params params; };

/* Bit 0 for the lower sample, bit 1 for the higher one: set where it is solid. */
uint solid_pair(uint word)
{
    return (tr_sample_low(word) <= 0 ? 1u : 0u) | (tr_sample_high(word) <= 0 ? 2u : 0u);
}

/* 32 samples, x = 2k - 1 and up. */
uint solid_word(uint first)
{
    uint solid = 0u;
    for (uint k = 0u; k < 16u; k++)
        solid |= solid_pair(field[first + k]) << (2u * k);
    return solid;
}

void main()
{
    uint i = tr_invocation();
    uint tile = i / TR_TILE_ROWS;
    if (tile >= params.tile_count)
        return;
    uint y = i / TR_TILE_CORNERS % TR_TILE_CORNERS;
    uint z = i % TR_TILE_CORNERS;
    uint first = tile * TR_FIELD_STRIDE + ((y + 1u) * TR_TILE_SAMPLES + z + 1u) * TR_FIELD_ROW_WORDS;
    tr_row shifted; /* begins with x = -1 */
    shifted.w0 = solid_word(first);
    shifted.w1 = solid_word(first + 16u);
    shifted.w2 = solid_pair(field[first + 32u]);
    tr_row row = tr_row_next(shifted);
    row.w2 = shifted.w2 >> 1;
    bits[i] = row;
}
