/* The vertex of a height field on one vertical line of samples: what marching cubes makes of field = clamp(256 y - height) there.
 *
 * With y0 = floor(height / 256) the line's only crossed edge goes from row y0, whose sample a = 256 y0 - height lies in -255..0 (solid), to
 * row y0 + 1 with b = a + 256. So |a| + |b| = 256, and tr_crossing(a, b) is |a| but for a = 0, which it clamps to 1: the vertex lies at the
 * height, or one unit above where the height is a multiple of 256.
 *
 * The rows y0 - 1 .. y0 + 2 of the line itself are never clamped, so its vertical differences are 512 at both ends of the edge; those to the
 * neighbouring lines are of clamped samples. Heights are below 2^24, of either sign; the shift is arithmetic in C (gcc, clang) and GLSL. */
#ifndef TR_SHADERS_HEIGHT_VERTEX_H
#define TR_SHADERS_HEIGHT_VERTEX_H
#include "cell.h"
#include "surface.h"

/* Units from y = 0. */
TR_FN int tr_height_crossing(int height)
{
    return (height & (TR_UNITS - 1)) == 0 ? height + 1 : height;
}

/* The normal, from the height of the line and of its neighbours at x - 1 (west), x + 1 (east), z - 1 (north) and z + 1 (south). */
TR_FN uint tr_height_normal(int height, int west, int east, int north, int south)
{
    int y0 = height >> 8;
    int y1 = y0 + 1;
    int t = tr_height_crossing(height) - y0 * TR_UNITS;
    int gx0 = tr_height_field(y0, east) - tr_height_field(y0, west);
    int gz0 = tr_height_field(y0, south) - tr_height_field(y0, north);
    int gx1 = tr_height_field(y1, east) - tr_height_field(y1, west);
    int gz1 = tr_height_field(y1, south) - tr_height_field(y1, north);
    return tr_normal(gx0, 2 * TR_UNITS, gz0, gx1, 2 * TR_UNITS, gz1, t, 1, true);
}

/* The vertex of line (x, z) of a grid at LOD 0, relative to its corner in x and z, and to y = 0. */
TR_FN tr_vertex tr_height_vertex(int x, int z, int height, int west, int east, int north, int south)
{
    tr_vertex vertex;
    vertex.x = x * TR_UNITS;
    vertex.y = tr_height_crossing(height);
    vertex.z = z * TR_UNITS;
    vertex.normal = tr_height_normal(height, west, east, north, south);
    return vertex;
}

#endif
