/* Height tiles: the mesh of a column whose ground is nowhere sculpted, as a grid with two triangles a cell.
 *
 * A vertex is the crossing of a vertical line of samples: at the height, or one unit above where the height is a multiple of 256 (a sample of
 * exactly 0 is solid). Positions and normals are those that marching cubes gives on that line. Grids of LOD k + 1 are every second vertex of
 * LOD k.
 *
 * A cell's edge in the tile's border is a polyline, so that the mesh meets whatever stands beside it: with l the smaller of the two LODs it
 * has the vertices at every 2^l-th sample, and if the neighbour is marching cubes also its crossings with each line y = j * 2^l in (lower
 * height, higher height], in order along the side. A cell with a split side is fanned from the corner that lies on no split side. */
#ifndef TR_MESH_HEIGHT_TILE_H
#define TR_MESH_HEIGHT_TILE_H

#include "lib/mesh/tile_mesh.h"

/* Vertices of a column, [z][x]: x and z in units from the column's corner, y in units from y = 0 of the world. */
struct tr_height_grid {
    uint32_t lod;
    uint32_t cells[2];   /* x, z; 1 to 64 */
    tr_vertex *vertices; /* (cells[0] + 1) * (cells[1] + 1) */
    uint8_t *materials;  /* the same; NULL: all 0 */
};

void tr_height_grid_release(struct tr_height_grid *grid);

/* LOD 0. heights: [z + 1][x + 1] with `pitch` from row to row, samples -1 .. cells + 1. Normals are those of the height field alone; where a
 * sculpted neighbour changes them at the border, the caller takes the lattice's (tr_height_grid_take_normals). materials stays NULL. */
enum tr_status tr_height_grid_from_heights(const int32_t *heights, uint32_t pitch, const uint32_t cells[2],
                                           struct tr_height_grid *grid, struct tr_error *error);

/* LOD k + 1 from four: child i lies at (i & 1, i >> 1); NULL beyond the world's edge, as tr_lattice_reduce. */
enum tr_status tr_height_grid_reduce(const struct tr_height_grid *const children[4], uint32_t width,
                                     struct tr_height_grid *parent, struct tr_error *error);

/* The lattices of one column and LOD, one tile row above the other without gaps: row first_row is lattices[0]. */
struct tr_lattice_column {
    const struct tr_lattice *const *lattices;
    int32_t first_row;
    uint32_t count;
};

/* Takes the normals of the grid's outermost vertices from the column's lattices of the same LOD. */
void tr_height_grid_take_normals(struct tr_height_grid *grid, const struct tr_lattice_column *column,
                                 uint32_t width);

/* Sides of a column: -x, +x, -z, +z. */
#define TR_COLUMN_SIDES 4
/* The number of a column's side among a tile's. */
#define tr_column_side(side) ((side) < 2 ? (side) : (side) + 2)

/* The vertices of a side between those of the grid, in one state: cell c's (along the side, ascending) are vertices[first[c]] ..
 * vertices[first[c + 1] - 1] in order along the side; positions as the grid's. */
struct tr_height_border {
    uint32_t *first; /* cells along the side + 1; NULL: no cell is split */
    tr_vertex *vertices;
    uint8_t *materials;
};
void tr_height_border_release(struct tr_height_border *border);

/* A side against a neighbour of the same LOD or coarser: split only if that is marching cubes, then by the crossings of the column's own
 * lattices of this LOD on the side's plane. */
enum tr_status tr_height_border_crossings(const struct tr_lattice_column *column, uint32_t width,
                                          uint32_t side, struct tr_height_border *border,
                                          struct tr_error *error);

/* A side against finer neighbours, of which there are two: marched[half] says which are marching cubes. children: the four grids of LOD k - 1
 * as tr_height_grid_reduce; columns: the lattices of LOD k - 1 of the same four, only read (and only there) on marched halves. The border
 * between the halves is one between cells. */
enum tr_status tr_height_border_finer(const struct tr_height_grid *const children[4],
                                      const struct tr_lattice_column columns[4], uint32_t width,
                                      uint32_t side, const bool marched[2], struct tr_height_border *border,
                                      struct tr_error *error);

/* borders[side][0]: while the neighbour is of the same LOD, [1]: finer, [2]: coarser; states[side] the set of states (TR_SIDE_*) that the side
 * may have, TR_SIDE_SAME alone at the world's edge: parts are made for these, and where two states give the same triangles one part serves
 * both. Triangles face up. row: the tile row whose lowest corner positions are relative to (y = 0 of the tile is width * 2^lod * row voxels):
 * *row is the row of the lowest vertex. Order: the grid's vertices, then each side's borders in order of state, an edge's left out where a
 * lower state has the same; parts by the set of sides that their cells touch, inner cells first; within a part cells in order of z, x, and a
 * cell's triangles round its fan's corner, the lowest one where the cell is not split. TR_IO without memory. */
enum tr_status tr_height_tile_build(const struct tr_height_grid *grid,
                                    const struct tr_height_border borders[TR_COLUMN_SIDES][3],
                                    const uint8_t states[TR_COLUMN_SIDES], uint32_t width, int32_t *row,
                                    struct tr_tile_mesh *tile, struct tr_error *error);

#endif
