/* Lattices from a field and from finer lattices, and marching cubes over a lattice, after Lorensen and Cline 1987; compiled once for each
 * instruction set.
 *
 * Everything is counted on bits (lattice_rows.h) before anything is written: a row's crossed edges are exclusive ors of words of signs, and
 * a cell finds its vertices, which up to four rows own, by counting bits. */
#include "lib/mesh/lattice.h"

#include "lib/base/alloc.h"
#include "lib/mesh/case_table.h"
#include "lib/mesh/lattice_rows.h"
#include "shaders/surface.h"

#include <stddef.h>
#include <string.h>

#define STEP_X ((ptrdiff_t)1)
#define STEP_Y ((ptrdiff_t)TR_TILE_SAMPLES * TR_TILE_PITCH)
#define STEP_Z ((ptrdiff_t)TR_TILE_PITCH)

/* ---- signs ---- */

/* Signs of 64 samples as one word. Each sample becomes the byte of its bit, a loop that compilers turn into
 * vector code; a multiplication adds up the eight bytes of a group, whichever way round the machine keeps
 * them. */
static uint64_t sign_word(const int16_t *samples)
{
    static const uint8_t weight[64] = {
        1,  2,   4,  8,   16, 32, 64, 128, 1,  2,   4,  8,   16, 32, 64, 128, 1,  2,   4,  8,   16, 32,
        64, 128, 1,  2,   4,  8,  16, 32,  64, 128, 1,  2,   4,  8,  16, 32,  64, 128, 1,  2,   4,  8,
        16, 32,  64, 128, 1,  2,  4,  8,   16, 32,  64, 128, 1,  2,  4,  8,   16, 32,  64, 128,
    };
    uint8_t bytes[64];
    uint64_t word = 0;

    for (int i = 0; i < 64; i++)
        bytes[i] = samples[i] <= 0 ? weight[i] : 0;
    for (int group = 0; group < 8; group++) {
        uint64_t eight;

        memcpy(&eight, bytes + 8 * group, sizeof eight);
        word |= (eight * 0x0101010101010101u >> 56) << (8 * group);
    }
    return word;
}

/* The same of fewer samples. */
static uint64_t short_sign_word(const int16_t *samples, uint32_t count)
{
    uint64_t word = 0;
    for (uint32_t i = 0; i < count; i++)
        word |= (uint64_t)(samples[i] <= 0) << i;
    return word;
}

static void read_signs(const int16_t *field, struct tr_lattice *lattice)
{
    const uint32_t *cells = lattice->cells;
    for (uint32_t y = 0, row = 0; y <= cells[1]; y++) {
        for (uint32_t z = 0; z <= cells[2]; z++, row++) {
            const int16_t *samples = field + tr_tile_index(0, (int)y, (int)z);
            lattice->solid[row] = cells[0] == 64 ? sign_word(samples) : short_sign_word(samples, cells[0]);
            lattice->solid_last[row] = samples[cells[0]] <= 0;
        }
    }
}

/* ---- what every lattice goes through ---- */

/* Takes the rows of a lattice whose lod and cells are set. */
static enum tr_status take_rows(struct tr_lattice *lattice, struct tr_error *error)
{
    const size_t rows = tr_lattice_rows(lattice->cells);
    lattice->solid = tr_alloc(rows, sizeof *lattice->solid, error);
    lattice->solid_last = tr_alloc(rows, sizeof *lattice->solid_last, error);
    lattice->first = tr_alloc(rows + 1, sizeof *lattice->first, error);
    return lattice->solid && lattice->solid_last && lattice->first ? TR_OK : TR_IO;
}

/* Numbers the crossings of the signs. */
static void number_vertices(struct tr_lattice *lattice)
{
    uint32_t total = 0, row = 0;
    for (uint32_t y = 0; y <= lattice->cells[1]; y++) {
        for (uint32_t z = 0; z <= lattice->cells[2]; z++) {
            const struct tr_lattice_crossings c = tr_lattice_row_crossings(lattice, y, z);
            lattice->first[row++] = total;
            total += tr_crossings_within(&c, ~(uint64_t)0) + c.y_last + c.z_last;
        }
    }
    lattice->first[row] = total;
    lattice->vertex_count = total;
}

/* Takes the vertices of a numbered lattice; one that has none becomes a lattice without arrays. */
static enum tr_status take_vertices(struct tr_lattice *lattice, bool has_materials, struct tr_error *error)
{
    if (lattice->vertex_count == 0) {
        struct tr_lattice empty = {.lod = lattice->lod, .is_solid = lattice->solid_last[0]};
        memcpy(empty.cells, lattice->cells, sizeof empty.cells);
        tr_lattice_release(lattice);
        *lattice = empty;
        return TR_OK;
    }
    lattice->vertices = tr_alloc(lattice->vertex_count, sizeof *lattice->vertices, error);
    if (has_materials)
        lattice->materials = tr_alloc(lattice->vertex_count, sizeof *lattice->materials, error);
    return lattice->vertices && (lattice->materials || !has_materials) ? TR_OK : TR_IO;
}

/* ---- from a field ---- */

/* The vertex of the edge from sample (x, y, z), which is *at, along an axis. Inlined for each axis, so step is a constant. */
static inline __attribute__((always_inline)) tr_vertex edge_vertex(const int16_t *at, ptrdiff_t step,
                                                                   int axis, int x, int y, int z)
{
    const int16_t *to = at + step;
    int t = tr_crossing(*at, *to);
    uint normal = tr_normal(at[STEP_X] - at[-STEP_X], at[STEP_Y] - at[-STEP_Y], at[STEP_Z] - at[-STEP_Z],
                            to[STEP_X] - to[-STEP_X], to[STEP_Y] - to[-STEP_Y], to[STEP_Z] - to[-STEP_Z], t,
                            axis, *at <= 0);

    return (tr_vertex){x * TR_UNITS + (axis == 0 ? t : 0), y * TR_UNITS + (axis == 1 ? t : 0),
                       z * TR_UNITS + (axis == 2 ? t : 0), normal};
}

/* Writes the vertices that a row owns and returns the place behind them. */
static tr_vertex *emit_row_vertices(const int16_t *field, const struct tr_lattice_crossings *c, int last,
                                    int y, int z, tr_vertex *out)
{
    const int16_t *samples = field + tr_tile_index(0, y, z);

    for (uint64_t left = c->x | c->y | c->z; left; left &= left - 1) {
        int x = (int)tr_bits_lowest(left);
        uint64_t bit = left & (0 - left);

        if (c->x & bit)
            *out++ = edge_vertex(samples + x, STEP_X, 0, x, y, z);
        if (c->y & bit)
            *out++ = edge_vertex(samples + x, STEP_Y, 1, x, y, z);
        if (c->z & bit)
            *out++ = edge_vertex(samples + x, STEP_Z, 2, x, y, z);
    }
    if (c->y_last)
        *out++ = edge_vertex(samples + last, STEP_Y, 1, last, y, z);
    if (c->z_last)
        *out++ = edge_vertex(samples + last, STEP_Z, 2, last, y, z);
    return out;
}

static void emit_vertices(const int16_t *field, struct tr_lattice *lattice)
{
    tr_vertex *out = lattice->vertices;
    uint32_t row = 0;
    for (uint32_t y = 0; y <= lattice->cells[1]; y++) {
        for (uint32_t z = 0; z <= lattice->cells[2]; z++, row++) {
            if (lattice->first[row] == lattice->first[row + 1])
                continue;
            const struct tr_lattice_crossings c = tr_lattice_row_crossings(lattice, y, z);
            out = emit_row_vertices(field, &c, (int)lattice->cells[0], (int)y, (int)z, out);
        }
    }
}

enum tr_status TR_ISA_NAME(tr_lattice_from_field)(const int16_t *field, const uint32_t cells[3],
                                                  struct tr_lattice *lattice, struct tr_error *error)
{
    struct tr_lattice made = {0};
    memcpy(made.cells, cells, sizeof made.cells);
    if (take_rows(&made, error))
        goto fail;
    read_signs(field, &made);
    number_vertices(&made);
    if (take_vertices(&made, false, error))
        goto fail;
    if (made.vertex_count > 0)
        emit_vertices(field, &made);
    *lattice = made;
    return TR_OK;
fail:
    tr_lattice_release(&made);
    return TR_IO;
}

/* ---- from finer lattices ---- */

/* The children that hold a row of the parent (one that lies between two belongs to the upper one, which knows the edges beyond it), and where
 * it lies in them. */
struct child_row {
    const struct tr_lattice *lower, *upper; /* along x; upper NULL where there is none */
    uint32_t y, z;
};

/* Cells of the children together along an axis. */
static uint32_t cells_along(const struct tr_lattice *const children[8], uint32_t axis)
{
    const struct tr_lattice *second = children[1u << axis];
    return children[0]->cells[axis] + (second ? second->cells[axis] : 0);
}

static bool have_materials(const struct tr_lattice *const children[8])
{
    for (uint32_t i = 0; i < 8; i++) {
        if (children[i] && children[i]->materials)
            return true;
    }
    return false;
}

static struct child_row child_row_at(const struct tr_lattice *const children[8], uint32_t width, uint32_t y,
                                     uint32_t z)
{
    const uint32_t in_y = 2 * y >= width && children[2], in_z = 2 * z >= width && children[4];
    const uint32_t first = in_y * 2 + in_z * 4;
    return (struct child_row){children[first], children[first + 1], 2 * y - in_y * width,
                              2 * z - in_z * width};
}

static void select_signs(const struct tr_lattice *const children[8], uint32_t width,
                         struct tr_lattice *parent)
{
    uint32_t row = 0;
    for (uint32_t y = 0; y <= parent->cells[1]; y++) {
        for (uint32_t z = 0; z <= parent->cells[2]; z++, row++) {
            const struct child_row from = child_row_at(children, width, y, z);
            struct tr_lattice_signs signs =
                tr_lattice_row_signs(from.lower, tr_lattice_row(from.lower->cells, from.y, from.z));
            parent->solid[row] = tr_bits_even(signs.bits);
            if (from.upper) {
                signs = tr_lattice_row_signs(from.upper, tr_lattice_row(from.upper->cells, from.y, from.z));
                parent->solid[row] |= tr_bits_even(signs.bits) << width / 2;
            }
            parent->solid_last[row] = (uint8_t)signs.last;
        }
    }
}

/* Where the vertices of a parent's row come from within one child: the row of its own that coincides with it, and those in which the upper
 * halves of its edges along y and z begin. */
struct half_rows {
    const struct tr_lattice *child;
    struct tr_lattice_crossings here, above, behind;
    uint32_t first_here, first_above, first_behind;
    tr_vertex offset; /* of the child within the parent */
};

static void find_row(const struct tr_lattice *child, uint32_t y, uint32_t z, struct tr_lattice_crossings *c,
                     uint32_t *first)
{
    if (y > child->cells[1] || z > child->cells[2])
        return; /* beyond a far face: no edge that way begins in the row */
    *c = tr_lattice_row_crossings(child, y, z);
    *first = child->first[tr_lattice_row(child->cells, y, z)];
}

static struct half_rows half_rows_of(const struct tr_lattice *child, uint32_t y, uint32_t z, tr_vertex offset)
{
    struct half_rows rows = {.child = child, .offset = offset};
    find_row(child, y, z, &rows.here, &rows.first_here);
    find_row(child, y + 1, z, &rows.above, &rows.first_above);
    find_row(child, y, z + 1, &rows.behind, &rows.first_behind);
    return rows;
}

static void copy_vertex(const struct half_rows *rows, uint32_t from, struct tr_lattice *parent, uint32_t to)
{
    tr_vertex vertex = rows->child->vertices[from];
    vertex.x += rows->offset.x;
    vertex.y += rows->offset.y;
    vertex.z += rows->offset.z;
    parent->vertices[to] = vertex;
    if (rows->child->materials)
        parent->materials[to] = rows->child->materials[from];
}

/* The child's vertex of the edge along x that begins at one of its even samples x, whose halves lie in one row. */
static uint32_t half_along_x(const struct half_rows *rows, uint32_t x)
{
    const uint32_t at = tr_bits_at(rows->here.x, x) ? x : x + 1;
    return rows->first_here + tr_crossings_within(&rows->here, tr_bits_below(at));
}

/* Along y: the lower half begins in the row itself. x may be the last sample. */
static uint32_t half_along_y(const struct half_rows *rows, uint32_t x)
{
    const bool is_last = x == rows->child->cells[0];
    const struct tr_lattice_crossings *c = &rows->here;
    uint32_t first = rows->first_here;
    if (!(is_last ? c->y_last : tr_bits_at(c->y, x))) {
        c = &rows->above;
        first = rows->first_above;
    }
    return first + tr_crossings_within(c, tr_bits_below(x)) + (is_last ? 0 : tr_bits_at(c->x, x));
}

static uint32_t half_along_z(const struct half_rows *rows, uint32_t x)
{
    const bool is_last = x == rows->child->cells[0];
    const struct tr_lattice_crossings *c = &rows->here;
    uint32_t first = rows->first_here;
    if (!(is_last ? c->z_last : tr_bits_at(c->z, x))) {
        c = &rows->behind;
        first = rows->first_behind;
    }
    first += tr_crossings_within(c, tr_bits_below(x));
    return first + (is_last ? c->y_last : tr_bits_at(c->x, x) + tr_bits_at(c->y, x));
}

/* Copies the vertices of the samples of the set `within`, of which first_x is the child's sample 0; returns the place behind them. */
static uint32_t select_row_part(const struct tr_lattice_crossings *c, uint64_t within, uint32_t first_x,
                                const struct half_rows *rows, struct tr_lattice *parent, uint32_t to)
{
    for (uint64_t left = (c->x | c->y | c->z) & within; left; left &= left - 1) {
        const uint32_t at = tr_bits_lowest(left), x = 2 * (at - first_x);
        if (tr_bits_at(c->x, at))
            copy_vertex(rows, half_along_x(rows, x), parent, to++);
        if (tr_bits_at(c->y, at))
            copy_vertex(rows, half_along_y(rows, x), parent, to++);
        if (tr_bits_at(c->z, at))
            copy_vertex(rows, half_along_z(rows, x), parent, to++);
    }
    return to;
}

static void select_row(const struct child_row *from, tr_vertex offset, uint32_t width,
                       const struct tr_lattice_crossings *c, struct tr_lattice *parent, uint32_t to)
{
    const uint32_t in_lower = from->upper ? width / 2 : parent->cells[0];
    const uint64_t lower = tr_bits_below(in_lower);
    struct half_rows rows = {0};
    if (from->lower->vertex_count > 0) {
        rows = half_rows_of(from->lower, from->y, from->z, offset);
        to = select_row_part(c, lower, 0, &rows, parent, to);
    }
    if (from->upper && from->upper->vertex_count > 0) {
        offset.x = (int32_t)(width * TR_UNITS << from->upper->lod);
        rows = half_rows_of(from->upper, from->y, from->z, offset);
        to = select_row_part(c, ~lower, in_lower, &rows, parent, to);
    }
    if (c->y_last)
        copy_vertex(&rows, half_along_y(&rows, rows.child->cells[0]), parent, to++);
    if (c->z_last)
        copy_vertex(&rows, half_along_z(&rows, rows.child->cells[0]), parent, to);
}

static void select_vertices(const struct tr_lattice *const children[8], uint32_t width,
                            struct tr_lattice *parent)
{
    const int32_t child_units = (int32_t)(width * TR_UNITS << children[0]->lod);
    uint32_t row = 0;
    for (uint32_t y = 0; y <= parent->cells[1]; y++) {
        for (uint32_t z = 0; z <= parent->cells[2]; z++, row++) {
            if (parent->first[row] == parent->first[row + 1])
                continue;
            const struct child_row from = child_row_at(children, width, y, z);
            const tr_vertex offset = {.y = from.y == 2 * y ? 0 : child_units,
                                      .z = from.z == 2 * z ? 0 : child_units};
            const struct tr_lattice_crossings c = tr_lattice_row_crossings(parent, y, z);
            select_row(&from, offset, width, &c, parent, parent->first[row]);
        }
    }
}

enum tr_status TR_ISA_NAME(tr_lattice_reduce)(const struct tr_lattice *const children[8], uint32_t width,
                                              struct tr_lattice *parent, struct tr_error *error)
{
    struct tr_lattice made = {.lod = children[0]->lod + 1};
    for (uint32_t axis = 0; axis < 3; axis++)
        made.cells[axis] = cells_along(children, axis) / 2;
    if (take_rows(&made, error))
        goto fail;
    select_signs(children, width, &made);
    number_vertices(&made);
    if (take_vertices(&made, have_materials(children), error))
        goto fail;
    if (made.vertex_count > 0)
        select_vertices(children, width, &made);
    *parent = made;
    return TR_OK;
fail:
    tr_lattice_release(&made);
    return TR_IO;
}

/* ---- triangles ---- */

/* The four rows around a row of cells, at (0, 0), (1, 0), (0, 1), (1, 1) in (y, z): row i has the cell's
 * corners 2i and 2i + 1. */
struct cell_row {
    uint64_t near[4]; /* bit x: corner at x is solid */
    uint64_t far[4];  /* bit x: corner at x + 1 */
    uint64_t mixed;   /* bit x: the cell at x has corners of both signs */
};

/* Whether no vertex belongs to the two lower rows around a row of cells: then their samples are all alike, and those above are too, since the
 * edges up to them belong to the same rows. */
static bool is_plain_cell_row(const struct tr_lattice *lattice, uint32_t y, uint32_t z)
{
    const uint32_t *first = lattice->first + tr_lattice_row(lattice->cells, y, z);
    return first[0] == first[2];
}

/* y and z: the row of cells. Inlined, because returned through memory it costs more than it computes. */
static inline __attribute__((always_inline)) struct cell_row cell_row_at(const struct tr_lattice *lattice,
                                                                         uint32_t y, uint32_t z)
{
    struct cell_row cells;
    uint64_t any = 0, all = ~(uint64_t)0;

    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t row = tr_lattice_row(lattice->cells, y + (i & 1), z + (i >> 1));
        const struct tr_lattice_signs signs = {lattice->solid[row], lattice->solid_last[row]};

        cells.near[i] = signs.bits;
        cells.far[i] = tr_bits_next(signs, lattice->cells[0]);
        any |= cells.near[i] | cells.far[i];
        all &= cells.near[i] & cells.far[i];
    }
    cells.mixed = any & ~all;
    return cells;
}

static tr_case_packed case_of(const struct cell_row *cells, uint32_t x)
{
    uint32_t signs = 0;

    for (int i = 0; i < 4; i++)
        signs |= (tr_bits_at(cells->near[i], x) | tr_bits_at(cells->far[i], x) << 1) << (2 * i);
    return tr_case_table[signs];
}

static uint32_t count_triangles(const struct tr_lattice *lattice)
{
    uint32_t total = 0;

    for (uint32_t y = 0; y < lattice->cells[1]; y++) {
        for (uint32_t z = 0; z < lattice->cells[2]; z++) {
            if (is_plain_cell_row(lattice, y, z))
                continue;
            const struct cell_row cells = cell_row_at(lattice, y, z);
            for (uint64_t left = cells.mixed; left; left &= left - 1)
                total += tr_case_count(case_of(&cells, tr_bits_lowest(left)));
        }
    }
    return total;
}

/* Vertex indices of the cell at x by edge number; only those of crossed edges mean anything. c and first:
 * crossings and first vertex of the four rows of the cell row, in its order. */
static void cell_vertices(const struct tr_lattice_crossings c[4], const uint32_t first[4],
                          const uint64_t next_y_bits[4], uint32_t x, uint32_t vertex[12])
{
    const uint64_t below = ((uint64_t)1 << x) - 1;

    for (uint32_t i = 0; i < 4; i++) {
        /* of the row's edges at x, by axis; then at x + 1 */
        uint32_t at_x = first[i] + tr_crossings_within(&c[i], below);
        uint32_t at_y = at_x + tr_bits_at(c[i].x, x);
        uint32_t at_z = at_y + tr_bits_at(c[i].y, x);
        uint32_t next_y = at_z + tr_bits_at(c[i].z, x) + tr_bits_at(c[i].x >> 1, x);
        uint32_t next_z = next_y + tr_bits_at(next_y_bits[i], x);

        vertex[i] = at_x;
        if (i == 0 || i == 2) { /* the rows at the cell's lower y own its edges along y */
            vertex[4 + i] = at_y;
            vertex[5 + i] = next_y;
        }
        if (i < 2) { /* and those at its lower z its edges along z */
            vertex[8 + 2 * i] = at_z;
            vertex[9 + 2 * i] = next_z;
        }
    }
}

static uint32_t *emit_row_triangles(const struct tr_lattice *lattice, const struct cell_row *cells,
                                    uint32_t y, uint32_t z, uint32_t *out)
{
    struct tr_lattice_crossings c[4];
    uint32_t first[4];
    uint64_t next_y_bits[4]; /* bit x: the edge along y from x + 1 is crossed */

    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t row_y = y + (i & 1), row_z = z + (i >> 1);

        c[i] = tr_lattice_row_crossings(lattice, row_y, row_z);
        first[i] = lattice->first[tr_lattice_row(lattice->cells, row_y, row_z)];
        next_y_bits[i] = tr_bits_next((struct tr_lattice_signs){c[i].y, c[i].y_last}, lattice->cells[0]);
    }
    for (uint64_t left = cells->mixed; left; left &= left - 1) {
        uint32_t x = tr_bits_lowest(left), vertex[12];
        tr_case_packed packed = case_of(cells, x);
        uint32_t corners = 3 * tr_case_count(packed);

        cell_vertices(c, first, next_y_bits, x, vertex);
        for (uint32_t i = 0; i < corners; i++)
            *out++ = vertex[tr_case_edge(packed, i)];
    }
    return out;
}

enum tr_status TR_ISA_NAME(tr_lattice_triangles)(const struct tr_lattice *lattice, uint32_t **indices,
                                                 uint32_t *count, struct tr_error *error)
{
    *indices = NULL;
    *count = 0;
    if (lattice->vertex_count == 0)
        return TR_OK;
    const uint32_t index_count = 3 * count_triangles(lattice);
    if (index_count == 0)
        return TR_OK;
    uint32_t *out = tr_alloc(index_count, sizeof *out, error);
    if (!out)
        return TR_IO;
    *indices = out;
    *count = index_count;
    for (uint32_t y = 0; y < lattice->cells[1]; y++) {
        for (uint32_t z = 0; z < lattice->cells[2]; z++) {
            if (is_plain_cell_row(lattice, y, z))
                continue;
            const struct cell_row cells = cell_row_at(lattice, y, z);
            if (cells.mixed)
                out = emit_row_triangles(lattice, &cells, y, z, out);
        }
    }
    return TR_OK;
}
