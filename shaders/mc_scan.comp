/* Sums over the rows of a tile, one tile a workgroup: each invocation sums consecutive rows, and after one barrier those of the
 * invocations before it. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "mc_params.h"

layout(local_size_x = TR_MC_SCAN_LOCAL) in;
#include "grid.h"
layout(std430, binding = TR_MC_SCAN_VERTICES) buffer Vertices { uint vertices[]; };
layout(std430, binding = TR_MC_SCAN_TRIANGLES) buffer Triangles { uint triangles[]; };
layout(std430, binding = TR_MC_SCAN_TOTALS) writeonly buffer Totals { tr_row_counts totals[]; };
layout(push_constant) uniform Params { tr_mc_params params; };

shared tr_row_counts sums[TR_MC_SCAN_LOCAL];

void main()
{
    uint tile = tr_group();
    if (tile >= params.tile_count)
        return;
    uint lane = gl_LocalInvocationID.x;
    uint first = tile * TR_TILE_ROWS + lane * TR_MC_SCAN_ROWS;
    uint end = first + TR_MC_SCAN_ROWS;
    if (end > (tile + 1u) * TR_TILE_ROWS)
        end = (tile + 1u) * TR_TILE_ROWS;
    tr_row_counts sum = tr_row_counts(0u, 0u);
    for (uint i = first; i < end; i++) {
        sum.vertices += vertices[i];
        sum.triangles += triangles[i];
    }
    sums[lane] = sum;
    barrier();
    tr_row_counts before = tr_row_counts(0u, 0u);
    for (uint i = 0u; i < lane; i++) {
        before.vertices += sums[i].vertices;
        before.triangles += sums[i].triangles;
    }
    for (uint i = first; i < end; i++) {
        tr_row_counts counts = tr_row_counts(vertices[i], triangles[i]);
        vertices[i] = before.vertices;
        triangles[i] = before.triangles;
        before.vertices += counts.vertices;
        before.triangles += counts.triangles;
    }
    if (lane == TR_MC_SCAN_LOCAL - 1u)
        totals[tile] = before;
}
