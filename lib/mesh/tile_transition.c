/* The transition cells of one face of a tile, after E. Lengyel, "Transition Cells for Dynamic Multiresolution Marching Cubes" (2010).
 *
 * Signs are read from the finer lattices, line by line along u, as words of bits: a cell's nine samples are three bits at one place of three
 * lines, and cells whose samples are all alike, nearly all of them, are passed over by the word. Where a face of the tile's own lattice has
 * no crossing the finer one may have some, so the tile's own samples decide nothing here.
 *
 * A vertex of LOD k - 1 belongs to the first cell, v outer and u inner, that has its edge. An edge on a cell's border is shared with the cell
 * before along u or along v alone, and a crossed edge is used by every cell that has it; so what those cells leave behind says where it is. */
#include "lib/mesh/tile_parts.h"

#include "lib/base/alloc.h"
#include "lib/mesh/lattice_rows.h"
#include "lib/mesh/transition_table.h"

#include <stdlib.h>

/* The face of a tile, and the cells made so far. */
struct face {
    const struct tr_lattice *lattice;
    const struct tr_lattice *const *finer;
    uint32_t width;
    uint32_t u, v, w; /* the tile's axes along which the cell's run */
    uint32_t plane;   /* where the face lies along w, in samples of the lattice */
    struct tr_transition_cells *cells;
    uint32_t
        upper[2 * TR_TILE_CELLS]; /* vertices on edges along u at the greatest v of the last row of cells */
    uint32_t right[2];            /* those on edges along v at the greatest u of the last cell */
};

/* A sample of a tile. */
struct place {
    uint32_t at[3];
};

/* The samples of LOD k - 1 along u: bit i of `even` is sample 2i, of `odd` 2i + 1, of `next` 2i + 2. */
struct line {
    uint64_t even, odd, next;
};

/* A row of cells: the lines at its lowest, middle and greatest v. */
struct cell_row {
    struct line lines[3];
};

void tr_transition_cells_release(struct tr_transition_cells *cells)
{
    free(cells->vertices);
    free(cells->materials);
    free(cells->indices);
    *cells = (struct tr_transition_cells){0};
}

/* ---- finer samples ---- */

static struct place place_on(const struct face *face, uint32_t u, uint32_t v, uint32_t w)
{
    struct place place;
    place.at[face->u] = u;
    place.at[face->v] = v;
    place.at[face->w] = w;
    return place;
}

/* The child that holds a sample of LOD k - 1 (one on the plane between two belongs to the upper one, which knows the edges beyond it); makes
 * the place one within that child. */
static uint32_t child_of(const struct face *face, struct place *place)
{
    uint32_t child = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (place->at[axis] >= face->width && face->finer[1u << axis]) {
            place->at[axis] -= face->width;
            child |= 1u << axis;
        }
    }
    return child;
}

/* The signs of a lattice's samples along an axis, beginning at a place on its lower side. */
static struct tr_lattice_signs signs_along(const struct tr_lattice *lattice, uint32_t axis,
                                           struct place place)
{
    const uint32_t *cells = lattice->cells;
    const uint32_t row = tr_lattice_row(cells, place.at[1], place.at[2]);
    if (axis == 0)
        return tr_lattice_row_signs(lattice, row);
    if (lattice->vertex_count == 0)
        return (struct tr_lattice_signs){lattice->is_solid ? tr_bits_below(cells[axis]) : 0,
                                         lattice->is_solid};
    const uint32_t step = axis == 1 ? cells[2] + 1 : 1, last = row + cells[axis] * step, x = place.at[0];
    if (x == cells[0]) {
        struct tr_lattice_signs signs = {0, lattice->solid_last[last]};
        for (uint32_t i = 0; i < cells[axis]; i++)
            signs.bits |= (uint64_t)lattice->solid_last[row + i * step] << i;
        return signs;
    }
    struct tr_lattice_signs signs = {0, tr_bits_at(lattice->solid[last], x)};
    for (uint32_t i = 0; i < cells[axis]; i++)
        signs.bits |= (lattice->solid[row + i * step] >> x & 1) << i;
    return signs;
}

static struct line read_line(const struct face *face, uint32_t v)
{
    struct place place = place_on(face, 0, v, 2 * face->plane);
    const uint32_t child = child_of(face, &place);
    struct tr_lattice_signs signs = signs_along(face->finer[child], face->u, place);
    struct line line = {.even = tr_bits_even(signs.bits), .odd = tr_bits_even(signs.bits >> 1)};
    if (face->finer[1u << face->u]) {
        signs = signs_along(face->finer[child | 1u << face->u], face->u, place);
        line.even |= tr_bits_even(signs.bits) << face->width / 2;
        line.odd |= tr_bits_even(signs.bits >> 1) << face->width / 2;
    }
    signs.bits = line.even;
    line.next = tr_bits_next(signs, face->lattice->cells[face->u]);
    return line;
}

/* Bit u: the cell at u has samples of both signs. */
static uint64_t mixed_cells(const struct cell_row *row)
{
    uint64_t any = 0, all = ~(uint64_t)0;
    for (uint32_t i = 0; i < 3; i++) {
        const struct line *line = &row->lines[i];
        any |= line->even | line->odd | line->next;
        all &= line->even & line->odd & line->next;
    }
    return any & ~all;
}

static uint32_t case_of(const struct cell_row *row, uint32_t u)
{
    uint32_t signs = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const struct line *line = &row->lines[i];
        const uint32_t three =
            tr_bits_at(line->even, u) | tr_bits_at(line->odd, u) << 1 | tr_bits_at(line->next, u) << 2;
        signs |= three << (3 * i);
    }
    return signs;
}

/* ---- vertices ---- */

/* Appends the vertex of the edge of LOD k - 1 that begins at (u, v) of the face, which is crossed. */
static enum tr_status add_finer_vertex(struct face *face, uint32_t axis, uint32_t u, uint32_t v,
                                       uint32_t *out, struct tr_error *error)
{
    struct tr_transition_cells *cells = face->cells;
    struct place place = place_on(face, u, v, 2 * face->plane);
    const uint32_t child = child_of(face, &place);
    const struct tr_lattice *lattice = face->finer[child];
    const uint32_t from = tr_lattice_vertex(lattice, axis, place.at[0], place.at[1], place.at[2]);
    const size_t needed = cells->vertex_count + 1;
    if (tr_grow(&cells->vertices, &cells->vertex_capacity, needed, sizeof *cells->vertices, error) ||
        (cells->has_materials && tr_grow(&cells->materials, &cells->material_capacity, needed, 1, error)))
        return TR_IO;
    const int32_t child_units = (int32_t)(face->width * TR_UNITS << lattice->lod);
    tr_vertex vertex = lattice->vertices[from];
    vertex.x += child & 1 ? child_units : 0;
    vertex.y += child & 2 ? child_units : 0;
    vertex.z += child & 4 ? child_units : 0;
    *out = face->lattice->vertex_count + (uint32_t)cells->vertex_count;
    cells->vertices[cells->vertex_count] = vertex;
    if (lattice->materials)
        cells->materials[cells->vertex_count] = lattice->materials[from];
    cells->vertex_count++;
    return TR_OK;
}

/* The vertex of edge e of the cell (u, v), which is crossed. */
static enum tr_status edge_vertex(struct face *face, uint32_t u, uint32_t v, uint32_t e, uint32_t *vertex,
                                  struct tr_error *error)
{
    const uint32_t edge_u = tr_transition_edge_u(e), edge_v = tr_transition_edge_v(e);
    const bool along_u = tr_transition_edge_axis(e) == 0;
    const uint32_t axis = along_u ? face->u : face->v;
    if (e >= TR_TRANSITION_FULL_EDGES) {
        const struct place place = place_on(face, u + edge_u / 2, v + edge_v / 2, face->plane);
        *vertex = tr_lattice_vertex(face->lattice, axis, place.at[0], place.at[1], place.at[2]);
        return TR_OK;
    }
    if (along_u && edge_v == 0 && v > 0) {
        *vertex = face->upper[2 * u + edge_u];
        return TR_OK;
    }
    if (!along_u && edge_u == 0 && u > 0) {
        *vertex = face->right[edge_v];
        return TR_OK;
    }
    return add_finer_vertex(face, axis, 2 * u + edge_u, 2 * v + edge_v, vertex, error);
}

/* ---- cells ---- */

static enum tr_status add_cell(struct face *face, uint32_t u, uint32_t v, uint32_t signs,
                               struct tr_error *error)
{
    struct tr_transition_cells *cells = face->cells;
    const tr_transition_packed packed = tr_transition_table[signs];
    const uint32_t corners = 3 * tr_transition_count(packed);
    uint32_t vertex[TR_TRANSITION_EDGES] = {0};
    for (uint32_t e = 0; e < TR_TRANSITION_EDGES; e++) {
        const bool is_crossed =
            tr_bits_at(signs, tr_transition_edge_lower(e)) != tr_bits_at(signs, tr_transition_edge_upper(e));
        if (is_crossed && edge_vertex(face, u, v, e, &vertex[e], error))
            return TR_IO;
    }
    face->upper[2 * u] = vertex[4];
    face->upper[2 * u + 1] = vertex[5];
    face->right[0] = vertex[8];
    face->right[1] = vertex[11];
    if (tr_grow(&cells->indices, &cells->index_capacity, cells->index_count + corners, sizeof *cells->indices,
                error))
        return TR_IO;
    for (uint32_t i = 0; i < corners; i++)
        cells->indices[cells->index_count++] = vertex[tr_transition_edge(packed, i)];
    return TR_OK;
}

enum tr_status tr_transition_cells_add(const struct tr_lattice *lattice,
                                       const struct tr_lattice *const finer[8], uint32_t width,
                                       uint32_t face_number, struct tr_transition_cells *cells,
                                       struct tr_error *error)
{
    struct face face = {.lattice = lattice,
                        .finer = finer,
                        .width = width,
                        .u = tr_transition_u_axis(face_number),
                        .v = tr_transition_v_axis(face_number),
                        .w = face_number / 2,
                        .cells = cells};
    face.plane = face_number % 2 ? lattice->cells[face.w] : 0;
    struct cell_row row = {.lines[2] = read_line(&face, 0)};
    for (uint32_t v = 0; v < lattice->cells[face.v]; v++) {
        row.lines[0] = row.lines[2];
        row.lines[1] = read_line(&face, 2 * v + 1);
        row.lines[2] = read_line(&face, 2 * v + 2);
        for (uint64_t left = mixed_cells(&row); left; left &= left - 1) {
            const uint32_t u = tr_bits_lowest(left);
            if (add_cell(&face, u, v, case_of(&row, u), error))
                return TR_IO;
        }
    }
    return TR_OK;
}
