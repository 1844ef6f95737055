/* One front of a pass of redistance: a sample takes a neighbour's crossing where that is nearer than its own. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "redistance_params.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_REDISTANCE_NEAREST) buffer Nearest { uvec4 nearest[]; };
layout(push_constant) uniform Params { tr_sweep_params params; };

PF square_of(uvec4 known, int x, int y, int z)
{
    tr_crossing_point crossing;
    crossing.x = tr_from_bits(known.x);
    crossing.y = tr_from_bits(known.y);
    crossing.z = tr_from_bits(known.z);
    PF square = tr_redistance_square(crossing, x, y, z);
    return square;
}

void look_around(int x, int y, int z)
{
    uint here = tr_redistance_index(params.size_x, params.size_z, x, y, z);
    uvec4 own = nearest[here];
    PF least = square_of(own, x, y, z);
    for (int dy = -1; dy <= 1; dy++)
        for (int dz = -1; dz <= 1; dz++) {
            uint row = tr_redistance_index(params.size_x, params.size_z, x, y + dy, z + dz);
            for (uint i = row - 1u; i <= row + 1u; i++) {
                uvec4 other = nearest[i];
                PF square = square_of(other, x, y, z);
                own = square < least ? other : own;
                least = tr_min(least, square);
            }
        }
    nearest[here] = own;
}

void main()
{
    int i = int(tr_invocation());
    int y = params.first_y + i / params.count_z;
    int left = params.front - 4 * y; /* x + 2z */
    int z = (tr_imax(left - (params.size_x - 1), 0) + 1) / 2 + i % params.count_z;
    int x = left - 2 * z;
    if (y >= params.first_y + params.count_y || z >= params.size_z || x < 0)
        return;
    x = (params.pass & 1u) != 0u ? params.size_x - 1 - x : x;
    y = (params.pass & 2u) != 0u ? params.size_y - 1 - y : y;
    z = (params.pass & 4u) != 0u ? params.size_z - 1 - z : z;
    look_around(x, y, z);
}
