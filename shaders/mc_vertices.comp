/* The vertices of a group of tiles, one an invocation. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "mc_params.h"
#include "surface.h"
#include "mc_find.glsl"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_MC_VERTICES_ITEMS) readonly buffer Items { tr_row_counts items[]; };
layout(std430, binding = TR_MC_VERTICES_ROWS) readonly buffer Rows { uint rows[]; };
layout(std430, binding = TR_MC_VERTICES_BITS) readonly buffer Bits { tr_row bits[]; };
layout(std430, binding = TR_MC_VERTICES_FIELD) readonly buffer Field { uint field[]; };
layout(std430, binding = TR_MC_VERTICES_OUT) writeonly buffer Out { tr_vertex vertices[]; };
layout(push_constant) uniform Params { tr_mc_params params; };

#include "mc_load.glsl"

int field_sample(uint tile, ivec3 p)
{
    uint at = uint(tr_tile_index(p.x, p.y, p.z));
    uint pair = field[tile * TR_FIELD_STRIDE + at / 2u];
    return (at & 1u) == 0u ? tr_sample_low(pair) : tr_sample_high(pair);
}

ivec3 field_gradient(uint tile, ivec3 p)
{
    return ivec3(field_sample(tile, p + ivec3(1, 0, 0)) - field_sample(tile, p - ivec3(1, 0, 0)),
                 field_sample(tile, p + ivec3(0, 1, 0)) - field_sample(tile, p - ivec3(0, 1, 0)),
                 field_sample(tile, p + ivec3(0, 0, 1)) - field_sample(tile, p - ivec3(0, 0, 1)));
}

tr_vertex make_vertex(uint tile, ivec3 lower, int axis)
{
    ivec3 along = ivec3(axis == 0 ? 1 : 0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0);
    int a = field_sample(tile, lower);
    int b = field_sample(tile, lower + along);
    int t = tr_crossing(a, b);
    ivec3 g0 = field_gradient(tile, lower);
    ivec3 g1 = field_gradient(tile, lower + along);
    ivec3 at = lower * TR_UNITS + along * t;
    tr_vertex vertex;
    vertex.x = at.x;
    vertex.y = at.y;
    vertex.z = at.z;
    vertex.normal = tr_normal(g0.x, g0.y, g0.z, g1.x, g1.y, g1.z, t, axis, a <= 0);
    return vertex;
}

#define TILE_FIRST(i) items[i].vertices
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
    tr_row_edges edges = load_edges(tile, y, z);
    uint x = tr_row_owner(edges, n);
    uint axis = tr_row_axis(edges, x, n - tr_row_vertices_below(edges, x));
    vertices[i] = make_vertex(tile, ivec3(x, y, z), int(axis));
}
