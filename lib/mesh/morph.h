/* Geomorph targets: where each vertex of a tile lies on the surface of the next coarser LOD, so that a renderer can blend from one level to
 * the next without a jump.
 *
 * A vertex inside a marching-cubes tile goes to the nearest point, along the line of its normal in both directions, on the coarse triangles
 * of the coarse cell that contains it (of several, the one with the lowest coordinates); it stays where there is none. What two tiles share
 * must go to one place, so a vertex on a side of the tile (any of the six) uses nothing but that plane: the line is that of its normal's two
 * components in the plane, the surface the contour of the coarse cell's face (solid corners apart, as in the tables). A vertex on two sides
 * stays: it is the coarse edge's crossing, if that is crossed. What the line only runs along is not met; of points equally near the first
 * counts, triangles being in the table's order.
 *
 * A vertex inside a height tile goes straight up or down to the triangles of the coarse grid (plain cells, as height_tile.c fans them), and
 * so does one on a side whose neighbour of the same LOD is a height tile too; on a side with a marching-cubes neighbour it follows the
 * rules of the plane, the planes between tile rows being sides too.
 *
 * What a side needs only while its neighbour is of another LOD is its own target in that state (tr_tile_mesh_settle), whatever stands here.
 * Points are computed in integers and exactly; a target is rounded once, to units, halves up. */
#ifndef TR_MESH_MORPH_H
#define TR_MESH_MORPH_H

#include "lib/mesh/height_tile.h"

/* tile: as tr_tile_mesh_build made it from `lattice`, before settling; transition vertices keep their place. coarse: the lattice of LOD k + 1
 * that contains it (at most 6), in which it is child `child` (0..7, as tr_lattice_reduce). Fills tile->targets (taken here). TR_IO without
 * memory. */
enum tr_status tr_morph_marched(const struct tr_lattice *lattice, const struct tr_lattice *coarse,
                                uint32_t child, uint32_t width, struct tr_tile_mesh *tile,
                                struct tr_error *error);

/* tile: as tr_height_tile_build made it, its tile row being `row`; its vertices begin with those of its grid, whose every second line is the
 * coarse grid here. marched: the set of sides -x, +x, -z, +z (bit 1 << side) whose neighbour of the same LOD is marching cubes; if there is
 * one, coarse is the column of LOD k + 1 (at most 6) in which the tile is child `child` (0..3), each row that has a crossing on these
 * sides; else it may be NULL. */
enum tr_status tr_morph_heights(const struct tr_lattice_column *coarse, uint32_t child, uint32_t width,
                                uint32_t marched, int32_t row, struct tr_tile_mesh *tile,
                                struct tr_error *error);

#endif
