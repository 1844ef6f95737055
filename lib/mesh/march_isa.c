/* Marching cubes of one tile, after Lorensen and Cline 1987; compiled once for each instruction set.
 *
 * Everything is counted on bits before anything is written. A row of corners (y, z) is one word of signs and
 * one more bit for corner 64; its crossed edges are three such words:
 *
 *   x   signs ^ signs one corner on
 *   y   signs ^ signs of row (y + 1, z)
 *   z   signs ^ signs of row (y, z + 1)
 *
 * The vertex of the edge at corner x of a row has the index: vertices of all rows before, plus set bits of
 * the three words below x, plus the row's crossed edges at x along a lower axis. So no index is stored for
 * any edge, and a cell finds its vertices, which up to four rows own, by counting bits. Rows at y = 64 and
 * z = 64 lie on the tile's far faces: they own the edges within the face and none beyond it. */
#include "lib/mesh/march.h"

#include "lib/base/alloc.h"
#include "lib/mesh/case_table.h"
#include "shaders/surface.h"

#include <stddef.h>
#include <string.h>

#define STEP_X ((ptrdiff_t)1)
#define STEP_Y ((ptrdiff_t)TR_TILE_SAMPLES * TR_TILE_PITCH)
#define STEP_Z ((ptrdiff_t)TR_TILE_PITCH)
#define ROWS_Y TR_TILE_CORNERS /* from a row to the one above */

/* The crossed edges whose lower end is a corner of a row. */
struct crossings {
    uint64_t x, y, z; /* bit i: the edge from corner i, i < 64 */
    uint32_t y_64, z_64;
};

/* The four rows around a row of cells, at (0, 0), (1, 0), (0, 1), (1, 1) in (y, z): row i has the cell's
 * corners 2i and 2i + 1. */
struct cell_row {
    uint64_t near[4]; /* bit x: corner at x is solid */
    uint64_t far[4];  /* bit x: corner at x + 1 */
    uint64_t mixed;   /* bit x: the cell at x has corners of both signs */
};

static uint64_t shift_in(uint64_t bits, uint32_t last)
{
    return bits >> 1 | (uint64_t)last << 63;
}

static uint32_t count_bits(uint64_t bits)
{
    return (uint32_t)__builtin_popcountll(bits);
}

static uint32_t lowest_bit(uint64_t bits)
{
    return (uint32_t)__builtin_ctzll(bits);
}

static uint32_t bit_at(uint64_t bits, uint32_t at)
{
    return (uint32_t)(bits >> at) & 1u;
}

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

static void read_signs(const int16_t *field, struct tr_march_scratch *scratch)
{
    for (int y = 0, row = 0; y < TR_TILE_CORNERS; y++) {
        for (int z = 0; z < TR_TILE_CORNERS; z++, row++) {
            const int16_t *samples = field + tr_tile_index(0, y, z);

            scratch->solid[row] = sign_word(samples);
            scratch->solid_64[row] = samples[64] <= 0;
        }
    }
}

/* ---- what is crossed ---- */

static struct crossings row_crossings(const struct tr_march_scratch *scratch, int y, int z)
{
    int row = y * ROWS_Y + z;
    int above = y < TR_TILE_CELLS ? row + ROWS_Y : row; /* on a far face the row itself: no edge is crossed */
    int behind = z < TR_TILE_CELLS ? row + 1 : row;
    uint64_t solid = scratch->solid[row];
    uint32_t solid_64 = scratch->solid_64[row];

    return (struct crossings){
        .x = solid ^ shift_in(solid, solid_64),
        .y = solid ^ scratch->solid[above],
        .z = solid ^ scratch->solid[behind],
        .y_64 = solid_64 ^ scratch->solid_64[above],
        .z_64 = solid_64 ^ scratch->solid_64[behind],
    };
}

static uint32_t crossings_below(const struct crossings *c, uint64_t below)
{
    return count_bits(c->x & below) + count_bits(c->y & below) + count_bits(c->z & below);
}

/* y and z: the row of cells, each below 64. */
static struct cell_row cell_row_at(const struct tr_march_scratch *scratch, int y, int z)
{
    struct cell_row cells;
    uint64_t any = 0, all = ~(uint64_t)0;

    for (int i = 0; i < 4; i++) {
        int row = (y + (i & 1)) * ROWS_Y + z + (i >> 1);

        cells.near[i] = scratch->solid[row];
        cells.far[i] = shift_in(scratch->solid[row], scratch->solid_64[row]);
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
        signs |= (bit_at(cells->near[i], x) | bit_at(cells->far[i], x) << 1) << (2 * i);
    return tr_case_table[signs];
}

/* ---- counting ---- */

static uint32_t count_vertices(struct tr_march_scratch *scratch)
{
    uint32_t total = 0;

    for (int y = 0, row = 0; y < TR_TILE_CORNERS; y++) {
        for (int z = 0; z < TR_TILE_CORNERS; z++, row++) {
            struct crossings c = row_crossings(scratch, y, z);

            scratch->first_vertex[row] = total;
            total += crossings_below(&c, ~(uint64_t)0) + c.y_64 + c.z_64;
        }
    }
    return total;
}

static uint32_t count_triangles(const struct tr_march_scratch *scratch)
{
    uint32_t total = 0;

    for (int y = 0; y < TR_TILE_CELLS; y++) {
        for (int z = 0; z < TR_TILE_CELLS; z++) {
            struct cell_row cells = cell_row_at(scratch, y, z);

            for (uint64_t left = cells.mixed; left; left &= left - 1)
                total += tr_case_count(case_of(&cells, lowest_bit(left)));
        }
    }
    return total;
}

/* ---- vertices ---- */

/* The vertex of the edge from corner (x, y, z), whose sample is *at, along an axis. Inlined for each axis, so
 * step is a constant. */
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
static tr_vertex *emit_row_vertices(const int16_t *field, const struct crossings *c, int y, int z,
                                    tr_vertex *out)
{
    const int16_t *samples = field + tr_tile_index(0, y, z);

    for (uint64_t left = c->x | c->y | c->z; left; left &= left - 1) {
        int x = (int)lowest_bit(left);
        uint64_t bit = left & (0 - left);

        if (c->x & bit)
            *out++ = edge_vertex(samples + x, STEP_X, 0, x, y, z);
        if (c->y & bit)
            *out++ = edge_vertex(samples + x, STEP_Y, 1, x, y, z);
        if (c->z & bit)
            *out++ = edge_vertex(samples + x, STEP_Z, 2, x, y, z);
    }
    if (c->y_64)
        *out++ = edge_vertex(samples + 64, STEP_Y, 1, 64, y, z);
    if (c->z_64)
        *out++ = edge_vertex(samples + 64, STEP_Z, 2, 64, y, z);
    return out;
}

static void emit_vertices(const int16_t *field, const struct tr_march_scratch *scratch, tr_vertex *out)
{
    for (int y = 0; y < TR_TILE_CORNERS; y++) {
        for (int z = 0; z < TR_TILE_CORNERS; z++) {
            struct crossings c = row_crossings(scratch, y, z);

            out = emit_row_vertices(field, &c, y, z, out);
        }
    }
}

/* ---- triangles ---- */

/* Vertex indices of the cell at x by edge number; only those of crossed edges mean anything. c and first:
 * crossings and first vertex of the four rows of the cell row, in its order. */
static void cell_vertices(const struct crossings c[4], const uint32_t first[4], uint32_t x,
                          uint32_t vertex[12])
{
    uint64_t below = ((uint64_t)1 << x) - 1;

    for (uint32_t i = 0; i < 4; i++) {
        uint32_t at_x =
            first[i] + crossings_below(&c[i], below); /* of the row's edges at x, by axis; then at x + 1 */
        uint32_t at_y = at_x + bit_at(c[i].x, x);
        uint32_t at_z = at_y + bit_at(c[i].y, x);
        uint32_t next_y = at_z + bit_at(c[i].z, x) + bit_at(c[i].x >> 1, x);
        uint32_t next_z = next_y + bit_at(shift_in(c[i].y, c[i].y_64), x);

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

static uint32_t *emit_row_triangles(const struct tr_march_scratch *scratch, const struct cell_row *cells,
                                    int y, int z, uint32_t *out)
{
    struct crossings c[4];
    uint32_t first[4];

    for (int i = 0; i < 4; i++) {
        c[i] = row_crossings(scratch, y + (i & 1), z + (i >> 1));
        first[i] = scratch->first_vertex[(y + (i & 1)) * ROWS_Y + z + (i >> 1)];
    }
    for (uint64_t left = cells->mixed; left; left &= left - 1) {
        uint32_t x = lowest_bit(left), vertex[12];
        tr_case_packed packed = case_of(cells, x);
        uint32_t corners = 3 * tr_case_count(packed);

        cell_vertices(c, first, x, vertex);
        for (uint32_t i = 0; i < corners; i++)
            *out++ = vertex[tr_case_edge(packed, i)];
    }
    return out;
}

static void emit_triangles(const struct tr_march_scratch *scratch, uint32_t *out)
{
    for (int y = 0; y < TR_TILE_CELLS; y++) {
        for (int z = 0; z < TR_TILE_CELLS; z++) {
            struct cell_row cells = cell_row_at(scratch, y, z);

            if (cells.mixed)
                out = emit_row_triangles(scratch, &cells, y, z, out);
        }
    }
}

enum tr_status TR_ISA_NAME(tr_march)(const int16_t *field, struct tr_march_scratch *scratch,
                                     struct tr_mesh *mesh, struct tr_error *error)
{
    struct tr_mesh made = {0};

    read_signs(field, scratch);
    made.vertex_count = count_vertices(scratch);
    made.index_count = 3 * count_triangles(scratch);
    if (made.vertex_count > 0) {
        made.vertices = tr_alloc(made.vertex_count, sizeof *made.vertices, error);
        made.indices = tr_alloc(made.index_count, sizeof *made.indices, error);
        if (!made.vertices || !made.indices) {
            tr_mesh_release(&made);
            return TR_IO;
        }
        emit_vertices(field, scratch, made.vertices);
        emit_triangles(scratch, made.indices);
    }
    *mesh = made;
    return TR_OK;
}
