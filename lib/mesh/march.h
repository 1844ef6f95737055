/* Marching cubes of one tile: from its field samples to an indexed triangle mesh.
 *
 * After Lorensen and Cline 1987, with the table of case_table.h and one vertex per crossed edge (shared by
 * all cells around it). Positions, normals and order are those of shaders/surface.h and shaders/cell.h, so
 * every device writes the same bytes. */
#ifndef TR_MESH_MARCH_H
#define TR_MESH_MARCH_H

#include "lib/base/isa.h"
#include "lib/base/status.h"
#include "shaders/cell.h"

/* A finished mesh; what the caller owns. Zero is empty. */
struct tr_mesh {
    tr_vertex *vertices;
    uint32_t *indices; /* 3 a triangle, each < vertex_count */
    uint32_t vertex_count, index_count;
};
void tr_mesh_release(struct tr_mesh *mesh);

/* What meshing needs besides the field, reused from tile to tile: about 60 KiB. Zero before the first use,
 * free() nothing. */
struct tr_march_scratch {
    uint64_t solid[TR_TILE_ROWS];        /* bit x: corner x of the row is solid, x < 64 */
    uint8_t solid_64[TR_TILE_ROWS];      /* corner 64 */
    uint32_t first_vertex[TR_TILE_ROWS]; /* vertices in the rows before */
};

/* Builds the mesh of the tile whose field is `field` (TR_TILE_FIELD_SAMPLES values, see tr_tile_index). Fails
 * with TR_IO without memory. mesh must be zero or released before. */
TR_ISA_DECLARE(enum tr_status, tr_march,
               (const int16_t *field, struct tr_march_scratch *scratch, struct tr_mesh *mesh,
                struct tr_error *error));

#endif
