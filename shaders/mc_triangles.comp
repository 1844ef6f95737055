/* The triangles of a group of tiles, one an invocation. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "mc_params.h"
#include "mc_find.glsl"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_MC_TRIANGLES_ITEMS) readonly buffer Items { tr_row_counts items[]; };
layout(std430, binding = TR_MC_TRIANGLES_ROWS) readonly buffer Rows { uint rows[]; };
layout(std430, binding = TR_MC_TRIANGLES_VERTICES) readonly buffer Vertices { uint first_vertex[]; };
layout(std430, binding = TR_MC_TRIANGLES_BITS) readonly buffer Bits { tr_row bits[]; };
layout(std430, binding = TR_MC_TRIANGLES_CASES) readonly buffer Cases { tr_case_packed cases[]; };
layout(std430, binding = TR_MC_TRIANGLES_OUT) writeonly buffer Out { uint indices[]; };
layout(push_constant) uniform Params { tr_mc_params params; };

#include "mc_load.glsl"

/* The vertex on an edge of the cell (x, y, z), numbered as in cell.h: its owner is the corner where the edge begins. */
uint edge_vertex(uint tile, uvec3 cell, uint edge)
{
    uint axis = edge / 4u;
    uint low = edge & 1u;
    uint high = edge >> 1 & 1u;
    uvec3 owner = cell + (axis == 0u ? uvec3(0u, low, high) : axis == 1u ? uvec3(low, 0u, high) : uvec3(low, high, 0u));
    uint first = first_vertex[tile * TR_TILE_ROWS + owner.y * TR_TILE_CORNERS + owner.z];
    return first + tr_row_vertex(load_edges(tile, owner.y, owner.z), axis, owner.x);
}

#define TILE_FIRST(i) items[i].triangles
#define ROW_FIRST(i) rows[tile * TR_TILE_ROWS + (i)]

void main()
{
    uint i = tr_invocation();
    if (i >= TILE_FIRST(params.tile_count))
        return;
    BISECT(item, params.tile_count, TILE_FIRST, i)
    uint tile = params.first_tile + item;
    uint n = i - TILE_FIRST(item);
    BISECT(row, TR_TILE_ROWS, ROW_FIRST, n)
    n -= ROW_FIRST(row);
    uint y = row / TR_TILE_CORNERS;
    uint z = row % TR_TILE_CORNERS;
    tr_row r00 = load_row(tile, y, z);
    tr_row r10 = load_row(tile, y + 1u, z);
    tr_row r01 = load_row(tile, y, z + 1u);
    tr_row r11 = load_row(tile, y + 1u, z + 1u);
    tr_row mixed = tr_row_mixed(r00, r10, r01, r11);

    uint x = 0u;
    tr_case_packed packed = tr_case_packed(0u, 0u);
    while ((mixed.w0 | mixed.w1) != 0u) {
        if (mixed.w0 != 0u) {
            x = uint(findLSB(mixed.w0));
            mixed.w0 &= mixed.w0 - 1u;
        } else {
            x = 32u + uint(findLSB(mixed.w1));
            mixed.w1 &= mixed.w1 - 1u;
        }
        packed = cases[tr_row_case(r00, r10, r01, r11, x)];
        uint count = tr_case_count(packed);
        if (n < count)
            break;
        n -= count;
    }
    for (uint corner = 0u; corner < 3u; corner++)
        indices[i * 3u + corner] = edge_vertex(tile, uvec3(x, y, z), tr_case_edge(packed, n * 3u + corner));
}
