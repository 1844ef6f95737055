/* A cell, its corners and edges: the one drawing that C, GLSL, the table generator and the tests share.
 *
 *        y                      corner i lies at (i & 1, i >> 1 & 1, i >> 2 & 1); its bit in a cell's case is 1 << i,
 *        |                      set where the sample is solid (<= 0)
 *        2-----3
 *       /|    /|                edge 0..3   along x, from corner 0, 2, 4, 6
 *      6-----7 |                edge 4..7   along y, from corner 0, 1, 4, 5
 *      | 0---|-1 -- x           edge 8..11  along z, from corner 0, 1, 2, 3
 *      |/    |/
 *      4-----5                  so edge / 4 is its axis, and its lower end is the corner listed
 *     /
 *    z
 *
 * A tile is 64 x 64 x 64 cells of a chunk's column. Its samples are numbered -1..65 along each axis: the cells' corners 0..64 and one
 * around them for central differences.
 *
 * Order of a tile's mesh. The owner of a crossing is the lower end of its edge. Vertices are sorted by their owner's y, z, x and then the
 * edge's axis; triangles by their cell's y, z, x and then the table's order. Both are counted per row (y, z) and summed up before anything
 * is written, so the order does not depend on who computes. */
#ifndef TR_SHADERS_CELL_H
#define TR_SHADERS_CELL_H
#include "shared.h"

#define TR_TILE_CELLS 64
#define TR_TILE_CORNERS 65 /* samples that are cell corners, along one axis */
#define TR_TILE_SAMPLES 67 /* with the one around */
#define TR_TILE_PITCH 68   /* field samples from one row (y, z) to the next: even, so two make a word */
#define TR_TILE_FIELD_SAMPLES (67 * 67 * 68)
#define TR_TILE_HALO (67 * 67) /* heights that a tile needs: [z + 1][x + 1], z and x in -1..65 */
/* Field sample (x, y, z), each in -1..65, of a tile */
#define tr_tile_index(x, y, z) ((((y) + 1) * TR_TILE_SAMPLES + (z) + 1) * TR_TILE_PITCH + (x) + 1)
#define TR_TILE_ROWS (65 * 65) /* rows of corners, numbered y * 65 + z */
#define TR_BLOCK_SAMPLES (64 * 64 * 64)
/* Block sample (x, y, z), each in 0..63 */
#define tr_block_index(x, y, z) (((y)*64 + (z)) * 64 + (x))

#define TR_CASE_TRIANGLES_MAX 5

/* A mesh vertex: position in units from the tile's lowest corner (0..16384 at LOD 0), normal as tr_octahedral packs it. */
TR_STRUCT(tr_vertex)
{
    int x, y, z;
    uint normal;
};

/* A case of the regular cell, packed for kernels: bits 0..2 of word 0 are the number of triangles, then 4 bits for each corner of each
 * triangle, an edge number: corner c (0..14) lies at bit 4 + 4c of the 64 bits, word 0 the lower half. */
TR_STRUCT(tr_case_packed)
{
    uint lo, hi;
};

TR_FN uint tr_case_count(tr_case_packed packed)
{
    return packed.lo & 7u;
}

TR_FN uint tr_case_edge(tr_case_packed packed, uint corner)
{
    uint bit = 4u + 4u * corner;
    return (bit < 32u ? packed.lo >> bit : packed.hi >> (bit - 32u)) & 15u;
}

#endif
