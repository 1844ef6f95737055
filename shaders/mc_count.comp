/* How many vertices and triangles a row has, one row an invocation. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "mc_params.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_MC_COUNT_BITS) readonly buffer Bits { tr_row bits[]; };
layout(std430, binding = TR_MC_COUNT_CASES) readonly buffer Cases { tr_case_packed cases[]; };
layout(std430, binding = TR_MC_COUNT_VERTICES) writeonly buffer Vertices { uint vertices[]; };
layout(std430, binding = TR_MC_COUNT_TRIANGLES) writeonly buffer Triangles { uint triangles[]; };
layout(push_constant) uniform Params { tr_mc_params params; };

#include "mc_load.glsl"

uint triangles_in(uint mixed, uint first_x, tr_row r00, tr_row r10, tr_row r01, tr_row r11)
{
    uint count = 0u;
    for (; mixed != 0u; mixed &= mixed - 1u) {
        uint x = first_x + uint(findLSB(mixed));
        count += tr_case_count(cases[tr_row_case(r00, r10, r01, r11, x)]);
    }
    return count;
}

void main()
{
    uint i = tr_invocation();
    uint tile = i / TR_TILE_ROWS;
    if (tile >= params.tile_count)
        return;
    uint y = i / TR_TILE_CORNERS % TR_TILE_CORNERS;
    uint z = i % TR_TILE_CORNERS;
    uint triangle_count = 0u;
    if (y < TR_TILE_CELLS && z < TR_TILE_CELLS) {
        tr_row r00 = load_row(tile, y, z);
        tr_row r10 = load_row(tile, y + 1u, z);
        tr_row r01 = load_row(tile, y, z + 1u);
        tr_row r11 = load_row(tile, y + 1u, z + 1u);
        tr_row mixed = tr_row_mixed(r00, r10, r01, r11);
        triangle_count = triangles_in(mixed.w0, 0u, r00, r10, r01, r11) + triangles_in(mixed.w1, 32u, r00, r10, r01, r11);
    }
    vertices[i] = tr_row_vertices(load_edges(tile, y, z));
    triangles[i] = triangle_count;
}
