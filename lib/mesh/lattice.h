/* The lattice of a tile at one level of detail: the signs of its samples, and a vertex on every crossed edge between neighbours of them.
 * It is all that meshing a tile needs, and all that the next coarser level needs of it.
 *
 * At LOD 0 a lattice is made from the field. At LOD k + 1 it is selected from the eight of LOD k: every second sample, and of an edge's
 * two halves the crossing of the one whose ends differ. That is descending, done from below: each crossing lies on the edge of LOD 0 that
 * descending would find, with its position and normal, and no coarse tile reads a sample again.
 *
 * Width N: a tile has N cells a side, 2 to 64 and even (64 in the product); at the world's edge it is cut, so cells[] may be less. Rows of
 * samples (y, z) are numbered y * (cells[2] + 1) + z. The owner of a crossing is the lower end of its edge, and vertices are in the order
 * of their owner's y, z, x, then the edge's axis (shaders/cell.h). */
#ifndef TR_MESH_LATTICE_H
#define TR_MESH_LATTICE_H

#include "lib/base/isa.h"
#include "lib/base/status.h"
#include "shaders/cell.h"

struct tr_lattice {
    uint32_t lod;
    uint32_t cells[3]; /* x, y, z; 1 to 64 */
    /* Where vertex_count is 0 the arrays are NULL and every sample has the sign of is_solid. */
    bool is_solid;
    uint64_t *solid;     /* a row: bit x is set where sample x <= cells[0] - 1 is solid; 0 above */
    uint8_t *solid_last; /* a row: whether sample cells[0] is */
    uint32_t *first;     /* a row: vertices of the rows before; one entry more holds vertex_count */
    tr_vertex *vertices; /* units from the tile's lowest corner, 0 .. 256 * 2^lod * cells */
    uint8_t *materials;  /* a vertex: paint of its LOD 0 edge's solid end; NULL: all 0 */
    uint32_t vertex_count;
};

static inline uint32_t tr_lattice_rows(const uint32_t cells[3])
{
    return (cells[1] + 1) * (cells[2] + 1);
}

void tr_lattice_release(struct tr_lattice *lattice);

/* LOD 0, from a field (TR_TILE_FIELD_SAMPLES values laid out as tr_tile_index, of which samples -1 .. cells + 1 are read). materials stays
 * NULL. TR_IO without memory. This and the functions below that count bits are compiled for each instruction set (lattice_isa.c) and pick
 * theirs by tr_isa_pick(). */
enum tr_status tr_lattice_from_field(const int16_t *field, const uint32_t cells[3],
                                     struct tr_lattice *lattice, struct tr_error *error);

/* LOD k + 1 from the lattices of LOD k: child i lies at (i & 1, i >> 1 & 1, i >> 2 & 1); NULL beyond the world's edge (then so are all
 * farther along that axis, and child 0 is there). A child that another follows along an axis has `width` cells there. The sum of cells
 * along each axis is even. A parent without crossings comes out as one without arrays. TR_IO without memory. */
enum tr_status tr_lattice_reduce(const struct tr_lattice *const children[8], uint32_t width,
                                 struct tr_lattice *parent, struct tr_error *error);

/* The sign of a sample, each coordinate 0 .. cells. */
bool tr_lattice_is_solid(const struct tr_lattice *lattice, uint32_t x, uint32_t y, uint32_t z);
/* The vertex of the crossed edge from sample (x, y, z) along axis 0, 1 or 2; UINT32_MAX where the edge is not crossed or leaves the tile. */
uint32_t tr_lattice_vertex(const struct tr_lattice *lattice, uint32_t axis, uint32_t x, uint32_t y,
                           uint32_t z);

/* The triangles of the regular cells, in order of the cell's y, z, x and then the table's: *count indices into vertices, free() them; NULL
 * and 0 where there is none. TR_IO without memory. */
enum tr_status tr_lattice_triangles(const struct tr_lattice *lattice, uint32_t **indices, uint32_t *count,
                                    struct tr_error *error);

/* The same for each instruction set. */
TR_ISA_DECLARE(enum tr_status, tr_lattice_from_field,
               (const int16_t *field, const uint32_t cells[3], struct tr_lattice *lattice,
                struct tr_error *error));
TR_ISA_DECLARE(enum tr_status, tr_lattice_reduce,
               (const struct tr_lattice *const children[8], uint32_t width, struct tr_lattice *parent,
                struct tr_error *error));
TR_ISA_DECLARE(enum tr_status, tr_lattice_triangles,
               (const struct tr_lattice *lattice, uint32_t **indices, uint32_t *count,
                struct tr_error *error));

#endif
