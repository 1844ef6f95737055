/* What tile_mesh.c asks of tile_transition.c: the transition cells of a tile's sides. */
#ifndef TR_MESH_TILE_PARTS_H
#define TR_MESH_TILE_PARTS_H

#include "lib/mesh/tile_mesh.h"

#include <stddef.h>

/* The triangles at the faces done so far, and the vertices of LOD k - 1 that they use. Indices count on from the vertices of the tile's own
 * lattice. Zero is empty, and without materials. */
struct tr_transition_cells {
    bool has_materials; /* set before the first face */
    tr_vertex *vertices;
    uint8_t *materials; /* a vertex; NULL without materials */
    uint32_t *indices;
    size_t vertex_count, index_count;
    size_t vertex_capacity, material_capacity, index_capacity;
};

void tr_transition_cells_release(struct tr_transition_cells *cells);

/* Appends those of one face; lattice, finer and width as in tr_tile_mesh_build. TR_IO without memory. */
enum tr_status tr_transition_cells_add(const struct tr_lattice *lattice,
                                       const struct tr_lattice *const finer[8], uint32_t width, uint32_t face,
                                       struct tr_transition_cells *cells, struct tr_error *error);

#endif
