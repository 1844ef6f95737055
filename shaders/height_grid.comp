/* The vertices of height grids: one for each vertical line of samples, where it meets the ground. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "height_grid_params.h"
#include "height_vertex.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_HEIGHT_GRID_HEIGHTS) readonly buffer Heights { int heights[]; };
layout(std430, binding = TR_HEIGHT_GRID_VERTICES) writeonly buffer Vertices { tr_vertex vertices[]; };
layout(push_constant) uniform Params { tr_height_grid_params params; };

void main()
{
    uint i = tr_invocation();
    uint chunk = i / TR_HEIGHT_GRID_LINES;
    if (chunk >= params.chunk_count)
        return;
    uint x = i % TR_TILE_CORNERS;
    uint z = i / TR_TILE_CORNERS % TR_TILE_CORNERS;
    uint at = chunk * TR_TILE_HALO + (z + 1u) * TR_TILE_SAMPLES + x + 1u;
    vertices[i] = tr_height_vertex(int(x), int(z), heights[at], heights[at - 1u], heights[at + 1u],
                                   heights[at - TR_TILE_SAMPLES], heights[at + TR_TILE_SAMPLES]);
}
