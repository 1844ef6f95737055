/* Geomorph targets. See morph.h.
 *
 * Why integers suffice: within a coarse cell of at most 2^14 units a vertex and the coarse corners differ by at most that much along each
 * axis, and a packed normal's direction is whole with |x| + |y| + |z| = 32767. So which triangle a line meets is the sign of products below
 * 2^45, and neighbouring triangles, which share the products of their common edge, leave no gap for a line between them. Where it is met is
 * a quotient of two such numbers, and its product with the direction stays below 2^61. Only which of two points is nearer is decided by
 * quotients in double, which every machine rounds alike. */
#include "lib/mesh/morph.h"

#include "lib/base/alloc.h"
#include "lib/mesh/case_table.h"
#include "lib/world/coord.h"

#include <assert.h>

/* ---- a line and what it meets ---- */

/* The line through a vertex, and the nearest point found on it: numerator / denominator times `along` away. */
struct line {
    int64_t along[3];
    int64_t numerator;
    int64_t denominator; /* 0: nothing is met yet */
    double distance;     /* |numerator / denominator| */
};

static int64_t absolute(int64_t value)
{
    return value < 0 ? -value : value;
}

/* The line of a normal as tr_octahedral packs it. */
static struct line line_along(uint32_t normal)
{
    const int64_t u = (int16_t)(normal & 0xffff), v = (int16_t)(normal >> 16);
    const int64_t up = 32767 - absolute(u) - absolute(v);
    if (up >= 0)
        return (struct line){.along = {u, up, v}};
    const int64_t x = 32767 - absolute(v), z = 32767 - absolute(u);
    return (struct line){.along = {u < 0 ? -x : x, up, v < 0 ? -z : z}};
}

/* The line meets something at this quotient. */
static void meet(struct line *line, int64_t numerator, int64_t denominator)
{
    const double distance = (double)absolute(numerator) / (double)absolute(denominator);
    if (line->denominator != 0 && line->distance <= distance)
        return;
    line->numerator = denominator < 0 ? -numerator : numerator;
    line->denominator = absolute(denominator);
    line->distance = distance;
}

static int64_t dot(const int64_t a[3], const int64_t b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const int64_t a[3], const int64_t b[3], int64_t out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* a, b, c: the triangle's corners from the vertex. The line passes it on one side of each edge, and inside if that is the same side. */
static void meet_triangle(struct line *line, const int64_t a[3], const int64_t b[3], const int64_t c[3])
{
    int64_t ab[3], bc[3], ca[3];
    cross(a, b, ab);
    cross(b, c, bc);
    cross(c, a, ca);
    const int64_t sides[3] = {dot(line->along, ab), dot(line->along, bc), dot(line->along, ca)};
    const bool has_left = sides[0] > 0 || sides[1] > 0 || sides[2] > 0;
    const bool has_right = sides[0] < 0 || sides[1] < 0 || sides[2] < 0;
    if (has_left != has_right)
        meet(line, dot(a, bc), sides[0] + sides[1] + sides[2]);
}

/* The same in a plane, given its axes i and j. */
static void meet_segment(struct line *line, uint32_t i, uint32_t j, const int64_t a[3], const int64_t b[3])
{
    const int64_t side_a = line->along[i] * a[j] - line->along[j] * a[i];
    const int64_t side_b = line->along[i] * b[j] - line->along[j] * b[i];
    const bool is_apart = (side_a > 0 && side_b > 0) || (side_a < 0 && side_b < 0);
    if (!is_apart && side_a != side_b)
        meet(line, a[i] * b[j] - a[j] * b[i], side_b - side_a);
}

/* The way from the vertex to the nearest point that was met: 0 where there is none. */
static void take_move(const struct line *line, int32_t move[3])
{
    for (int axis = 0; axis < 3 && line->denominator != 0; axis++)
        move[axis] = (int32_t)tr_floor_div(2 * line->along[axis] * line->numerator + line->denominator,
                                           2 * line->denominator);
}

/* ---- the coarse surface ---- */

/* The coarse cell (in a plane: its face) of a place, by its lowest corner. A vertex between two cells belongs to the lower one; along the axes
 * of the set (bit 1 << axis) the place lies in a plane of coarse samples, and that plane is meant. */
static void find_cell(const struct tr_lattice *coarse, const int32_t place[3], uint32_t planes,
                      uint32_t cell[3])
{
    const int32_t units = TR_UNITS << coarse->lod;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const bool is_plane = planes >> axis & 1;
        assert(place[axis] >= (is_plane ? 0 : 1) && (!is_plane || place[axis] % units == 0));
        cell[axis] = (uint32_t)((place[axis] - (is_plane ? 0 : 1)) / units);
    }
}

/* The coarse crossing on the edge from a sample, as seen from a place. */
static void find_crossing(const struct tr_lattice *coarse, uint32_t axis, const uint32_t sample[3],
                          const int32_t place[3], int64_t out[3])
{
    const uint32_t found = tr_lattice_vertex(coarse, axis, sample[0], sample[1], sample[2]);
    assert(found != UINT32_MAX);
    const tr_vertex *vertex = &coarse->vertices[found];
    out[0] = (int64_t)vertex->x - place[0];
    out[1] = (int64_t)vertex->y - place[1];
    out[2] = (int64_t)vertex->z - place[2];
}

static uint32_t case_of(const struct tr_lattice *coarse, const uint32_t cell[3])
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < 8; i++) {
        if (tr_lattice_is_solid(coarse, cell[0] + (i & 1), cell[1] + (i >> 1 & 1), cell[2] + (i >> 2)))
            number |= 1u << i;
    }
    return number;
}

/* The crossing on an edge of a cell, numbered as in shaders/cell.h. */
static void find_cell_crossing(const struct tr_lattice *coarse, const uint32_t cell[3], uint32_t edge,
                               const int32_t place[3], int64_t out[3])
{
    const uint32_t axis = edge / 4;
    uint32_t lower[3] = {cell[0], cell[1], cell[2]};
    lower[axis == 0 ? 1 : 0] += edge & 1;
    lower[axis == 2 ? 1 : 2] += edge >> 1 & 1;
    find_crossing(coarse, axis, lower, place, out);
}

static void move_in_cell(const struct tr_lattice *coarse, const int32_t place[3], struct line line,
                         int32_t move[3])
{
    int64_t crossings[12][3];
    uint32_t cell[3], known = 0;
    find_cell(coarse, place, 0, cell);
    const tr_case_packed triangles = tr_case_table[case_of(coarse, cell)];
    for (uint32_t t = 0; t < tr_case_count(triangles); t++) {
        const int64_t *corners[3];
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t edge = tr_case_edge(triangles, 3 * t + c);
            if (!(known >> edge & 1))
                find_cell_crossing(coarse, cell, edge, place, crossings[edge]);
            known |= 1u << edge;
            corners[c] = crossings[edge];
        }
        meet_triangle(&line, corners[0], corners[1], corners[2]);
    }
    take_move(&line, move);
}

/* A face of a coarse cell; its corners go round from the lowest, edge n from corner n to the next:
 *
 *      3 --2-- 2
 *      3       1     i runs to the right, j up
 *      0 --0-- 1 */
struct face {
    uint32_t i, j; /* axes */
    uint32_t cell[3];
};

static void face_corner(const struct face *face, uint32_t corner, uint32_t sample[3])
{
    for (int axis = 0; axis < 3; axis++)
        sample[axis] = face->cell[axis];
    sample[face->i] += corner == 1 || corner == 2;
    sample[face->j] += corner == 2 || corner == 3;
}

static void find_face_crossing(const struct tr_lattice *coarse, const struct face *face, uint32_t edge,
                               const int32_t place[3], int64_t out[3])
{
    uint32_t lower[3];
    face_corner(face, edge == 2 ? 3 : edge == 3 ? 0 : edge, lower);
    find_crossing(coarse, edge & 1 ? face->j : face->i, lower, place, out);
}

/* Each run of solid corners has one segment, from the edge before it to the edge behind it. */
static void move_in_plane(const struct tr_lattice *coarse, uint32_t axis, const int32_t place[3],
                          struct line line, int32_t move[3])
{
    struct face face = {.i = (axis + 1) % 3, .j = (axis + 2) % 3};
    bool solid[4];
    find_cell(coarse, place, 1u << axis, face.cell);
    for (uint32_t corner = 0; corner < 4; corner++) {
        uint32_t sample[3];
        face_corner(&face, corner, sample);
        solid[corner] = tr_lattice_is_solid(coarse, sample[0], sample[1], sample[2]);
    }
    line.along[axis] = 0;
    for (uint32_t before = 0; before < 4; before++) {
        uint32_t behind = (before + 1) & 3;
        int64_t ends[2][3];
        if (solid[before] || !solid[behind])
            continue;
        while (solid[(behind + 1) & 3])
            behind = (behind + 1) & 3;
        find_face_crossing(coarse, &face, before, place, ends[0]);
        find_face_crossing(coarse, &face, behind, place, ends[1]);
        meet_segment(&line, face.i, face.j, ends[0], ends[1]);
    }
    take_move(&line, move);
}

/* Where a vertex goes that lies at `place` of the coarse lattice, in the planes of the set and no other of its tile. On two of them it stays:
 * of a coarse edge's two halves one is crossed, and then its crossing is the coarse one, or both or none, and then the coarse edge is not. */
static void find_move(const struct tr_lattice *coarse, const int32_t place[3], uint32_t planes,
                      uint32_t normal, int32_t move[3])
{
    move[0] = move[1] = move[2] = 0;
    if (coarse->vertex_count == 0)
        return;
    if (planes == 0)
        move_in_cell(coarse, place, line_along(normal), move);
    else if ((planes & (planes - 1)) == 0)
        move_in_plane(coarse, (uint32_t)__builtin_ctz(planes), place, line_along(normal), move);
}

/* ---- tiles ---- */

/* Every vertex is its own target to begin with. */
static enum tr_status take_targets(struct tr_tile_mesh *tile, struct tr_error *error)
{
    tile->targets = tr_alloc(tile->vertex_count, sizeof *tile->targets, error);
    if (!tile->targets)
        return TR_IO;
    for (uint32_t i = 0; i < tile->vertex_count; i++) {
        tile->targets[i][0] = tile->vertices[i].x;
        tile->targets[i][1] = tile->vertices[i].y;
        tile->targets[i][2] = tile->vertices[i].z;
    }
    return TR_OK;
}

enum tr_status tr_morph_marched(const struct tr_lattice *lattice, const struct tr_lattice *coarse,
                                uint32_t child, uint32_t width, struct tr_tile_mesh *tile,
                                struct tr_error *error)
{
    const int32_t units = TR_UNITS << lattice->lod;
    if (take_targets(tile, error))
        return TR_IO;
    for (uint32_t i = 0; i < lattice->vertex_count; i++) {
        int32_t *target = tile->targets[i];
        int32_t place[3], move[3];
        uint32_t planes = 0;
        for (uint32_t axis = 0; axis < 3; axis++) {
            const bool is_on_side =
                target[axis] == 0 || target[axis] == (int32_t)lattice->cells[axis] * units;
            planes |= is_on_side ? 1u << axis : 0;
            place[axis] = target[axis] + (int32_t)((child >> axis & 1) * width) * units;
        }
        find_move(coarse, place, planes, lattice->vertices[i].normal, move);
        for (int axis = 0; axis < 3; axis++)
            target[axis] += move[axis];
    }
    return TR_OK;
}

/* ---- height tiles ---- */

/* The sides -x, +x, -z, +z (bit 1 << side) on which a vertex lies. */
static uint32_t sides_of(const struct tr_tile_mesh *tile, const tr_vertex *vertex)
{
    return (vertex->x == 0 ? 1u : 0) | (vertex->x == tile->size[0] ? 2u : 0) | (vertex->z == 0 ? 4u : 0) |
           (vertex->z == tile->size[2] ? 8u : 0);
}

/* The height of the coarse grid's triangles at (x, z). Each of its cells is two cells of the tile wide; the diagonal goes up with x and z. */
static int32_t coarse_height(const struct tr_tile_mesh *tile, int32_t x, int32_t z)
{
    const int32_t units = TR_UNITS << (tile->lod + 1);
    const int32_t cell_x = x == tile->size[0] ? x / units - 1 : x / units;
    const int32_t cell_z = z == tile->size[2] ? z / units - 1 : z / units;
    const size_t pitch = (size_t)(tile->size[0] / (units / 2)) + 1;
    const tr_vertex *north = tile->vertices + 2 * ((size_t)cell_z * pitch + (size_t)cell_x);
    const tr_vertex *south = north + 2 * pitch;
    const int64_t in_x = x - cell_x * units, in_z = z - cell_z * units;
    const int64_t low = north[0].y, high = south[2].y;
    const int64_t middle = in_x >= in_z ? north[2].y : south[0].y;
    const int64_t more = in_x >= in_z ? in_x : in_z, less = in_x >= in_z ? in_z : in_x;
    return (int32_t)(low +
                     tr_floor_div(2 * ((middle - low) * more + (high - middle) * less) + units, 2 * units));
}

/* The move of a vertex on a side that follows the rules of the plane. */
static void move_on_side(const struct tr_lattice_column *coarse, uint32_t child, uint32_t width, int32_t row,
                         const struct tr_tile_mesh *tile, const tr_vertex *vertex, int32_t move[3])
{
    const uint32_t sides = sides_of(tile, vertex);
    const int64_t tile_units = (int64_t)width * TR_UNITS << tile->lod;
    const int64_t y = vertex->y + row * tile_units;
    /* As in a cell, what lies between two coarse rows is looked up in the lower one. */
    const int64_t coarse_row = tr_floor_div(y - 1, 2 * tile_units);
    const int32_t place[3] = {vertex->x + (int32_t)((child & 1) * tile_units),
                              (int32_t)(y - coarse_row * 2 * tile_units),
                              vertex->z + (int32_t)((child >> 1) * tile_units)};
    const uint32_t planes =
        (sides & 3 ? 1u : 0) | (tr_floor_mod(y, tile_units) == 0 ? 2u : 0) | (sides & 12 ? 4u : 0);
    move[0] = move[1] = move[2] = 0;
    if (coarse_row >= coarse->first_row && coarse_row < (int64_t)coarse->first_row + coarse->count)
        find_move(coarse->lattices[coarse_row - coarse->first_row], place, planes, vertex->normal, move);
}

enum tr_status tr_morph_heights(const struct tr_lattice_column *coarse, uint32_t child, uint32_t width,
                                uint32_t marched, int32_t row, struct tr_tile_mesh *tile,
                                struct tr_error *error)
{
    if (take_targets(tile, error))
        return TR_IO;
    for (uint32_t i = 0; i < tile->vertex_count; i++) {
        const tr_vertex *vertex = &tile->vertices[i];
        int32_t move[3];
        if (!(sides_of(tile, vertex) & marched)) {
            tile->targets[i][1] = coarse_height(tile, vertex->x, vertex->z);
            continue;
        }
        move_on_side(coarse, child, width, row, tile, vertex, move);
        for (int axis = 0; axis < 3; axis++)
            tile->targets[i][axis] += move[axis];
    }
    return TR_OK;
}
