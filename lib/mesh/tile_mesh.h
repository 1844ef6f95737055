/* The mesh of a tile for every neighbourhood it may stand in: vertices, and lists of triangles each of which is drawn in some
 * neighbourhoods only.
 *
 * A side is one of the tile's faces -x, +x, -y, +y, -z, +z (0..5, as shaders/transition.h). Its state is that of the tile or column beside
 * it: of the same LOD (so too at the world's edge and between tiles stacked in one column), finer, or coarser. Meshes in 3D layouts,
 * which only tests build, have six sides of any state; in the product -y and +y are always `same`.
 *
 * Where all of a sample's sides are finer it moves inward by a quarter of a cell along each (the design, "samples move, vertices follow").
 * A crossing keeps its place between its edge's moved ends, rounded to units; but on an edge that slants, because one end moves and the other
 * does not, it first goes to the nearest multiple of 4 units along it, so that it lies on the edge exactly and nothing folds. The space is
 * filled by transition parts, which the coarser tile owns. A transition triangle two of whose corners have the same position is left out when
 * a mesh is assembled; nothing else ever is. */
#ifndef TR_MESH_TILE_MESH_H
#define TR_MESH_TILE_MESH_H

#include "lib/mesh/lattice.h"
#include "lib/mesh/mesh.h"

#define TR_SIDES 6
/* States of a side, as bits of a set. */
#define TR_SIDE_SAME 1u
#define TR_SIDE_FINER 2u
#define TR_SIDE_COARSER 4u
#define TR_SIDE_ANY 7u

/* Where a vertex lies while all sides of the set `sides` (bit 1 << side) are finer. A vertex has at most two moves, the second one's sides
 * a superset of the first one's: the last that holds wins. */
struct tr_tile_move {
    uint32_t vertex;
    uint32_t sides;
    int32_t x, y, z;
};

#define TR_PART_SURFACE 6u /* face of a part that is no transition */

/* Triangles that are drawn when the state of each side is in the part's set for it. */
struct tr_tile_part {
    uint8_t states[TR_SIDES];
    uint8_t face; /* 0..5: the transition at that side; else TR_PART_SURFACE */
    uint32_t first_index, index_count;
};

enum tr_tile_kind { TR_TILE_MARCHED = 0, TR_TILE_HEIGHTS = 1 };

struct tr_tile_mesh {
    enum tr_tile_kind kind;
    uint32_t lod;
    int32_t size[3]; /* units: where the sides +x, +y, +z lie; size[1] is 0 for TR_TILE_HEIGHTS */
    uint32_t vertex_count, index_count, move_count, part_count;
    tr_vertex *vertices;        /* units from the tile's lowest corner */
    uint8_t *materials;         /* a vertex; NULL: all 0 */
    int32_t (*targets)[3];      /* a vertex's geomorph target, the same units; NULL: each is its own */
    uint8_t (*weights)[4];      /* grass, rock, sand, soil, of 255; NULL: not made */
    uint32_t *indices;          /* 3 a triangle */
    struct tr_tile_move *moves; /* ascending by vertex, the smaller set of sides first */
    struct tr_tile_part *parts; /* their indices lie one behind another, the surface first */
    uint32_t error;             /* units, see tile_error.h */
};

void tr_tile_mesh_release(struct tr_tile_mesh *tile);

/* states[side] being one bit. */
static inline bool tr_tile_part_is_drawn(const struct tr_tile_part *part, const uint8_t states[TR_SIDES])
{
    for (uint32_t side = 0; side < TR_SIDES; side++) {
        if (!(part->states[side] & states[side]))
            return false;
    }
    return true;
}

/* The tile of a lattice. `finer` are the four lattices of LOD k - 1 behind each side's face (of this tile's own volume, children in the
 * sense of tr_lattice_reduce): finer[i] is child i, so all eight are given at LOD k > 0 (NULL beyond the world's edge) and the face's four
 * are read; NULL altogether at LOD 0. `counting`: the set of sides (bit 1 << side) on which a sample counts as lying: the four vertical ones
 * where LOD is chosen by column, all six where it is chosen in 3D, at the world's edge too. `transitions`: those of them that may have a finer
 * neighbour: only for these are transition parts and moves made; 0 at LOD 0. Sides outside `transitions` are never finer, so a sample on one
 * that counts never moves. A tile one cell wide along an axis has not both of that axis's sides in `transitions`.
 *
 * Vertices: the lattice's, then for each face of `transitions` in order the crossings of LOD k - 1 on it, in the order in which its cells
 * (v outer, u inner, as shaders/transition.h lays axes; then the cell's edge number) first use them. A part without triangles is left out.
 * A tile may have transition triangles and no vertex of its own lattice, or nothing at all (vertex_count 0). TR_IO without memory. */
enum tr_status tr_tile_mesh_build(const struct tr_lattice *lattice, const struct tr_lattice *const *finer,
                                  uint32_t width, uint32_t counting, uint32_t transitions,
                                  struct tr_tile_mesh *tile, struct tr_error *error);

/* Makes the tile that of one neighbourhood, states[side] being one bit: vertices moved, parts that are not drawn and their vertices gone,
 * transition triangles with two equal corners left out, no moves left; vertices that no triangle uses are gone. A vertex that moved, or that
 * lies on a side whose state is not `same`, becomes its own geomorph target. */
enum tr_status tr_tile_mesh_settle(struct tr_tile_mesh *tile, const uint8_t states[TR_SIDES],
                                   struct tr_error *error);

/* The plain mesh in that neighbourhood: what settling would leave, in order. The tile stays as it is. */
enum tr_status tr_tile_mesh_assemble(const struct tr_tile_mesh *tile, const uint8_t states[TR_SIDES],
                                     struct tr_mesh *mesh, struct tr_error *error);

#endif
