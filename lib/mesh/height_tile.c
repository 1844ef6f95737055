/* The mesh of a height column for every neighbourhood. See height_tile.h.
 *
 * Corners and edges of a cell go round in the direction that faces up, from its lowest corner; seen from above, z downward:
 *
 *      0 --edge 3-- 3 ---- x      edge 0 lies at the side -x, 1 at +z, 2 at +x, 3 at -z. Along edges 0 and 1 the side's
 *      |            |             coordinate ascends, along 2 and 3 it descends.
 *    edge 0       edge 2
 *      |            |             A plain cell is fanned from corner 0, so its diagonal is 0-2; one with split edges from a
 *      1 --edge 1-- 2             corner that lies on none of them, of the diagonal where that is possible. Seen from such a
 *      |                          corner the vertices of the others lie in order round the square, so no triangle faces down,
 *      z                          and none lies in the plane of a split side.
 *
 * Cells are grouped by the set of the column's sides that they touch, as a cell's triangles depend on the states of those alone. */
#include "lib/mesh/height_tile.h"

#include "lib/base/alloc.h"
#include "lib/world/coord.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define STATES 3
#define SIDE_SETS (1u << TR_COLUMN_SIDES)
/* Sides of one axis give a group at most three states each, and the groups of one axis at most 1 + 3 + 3 combinations, or 3 * 3 in a column of
 * one cell: see group_parts. */
#define PARTS_MAX (9 * 9)

/* Vertices that split one cell's edge: consecutive ones of the tile. */
struct run {
    uint32_t first, count;
};

struct builder {
    const struct tr_height_grid *grid;
    const struct tr_height_border (*borders)[STATES];
    const uint8_t *states;
    struct run runs[TR_COLUMN_SIDES][STATES][TR_TILE_CELLS]; /* by side, state and cell along the side */
    struct tr_tile_part parts[PARTS_MAX];
    struct tr_tile_mesh made;
};

static uint32_t cells_on_side(const struct tr_height_grid *grid, uint32_t side)
{
    return grid->cells[side < 2 ? 1 : 0];
}

/* ---- vertices ---- */

static struct run run_of(const struct tr_height_border *border, uint32_t cell)
{
    if (!border->first)
        return (struct run){0};
    return (struct run){border->first[cell], border->first[cell + 1] - border->first[cell]};
}

static bool are_same_vertices(const struct tr_height_border *a, struct run run_a,
                              const struct tr_height_border *b, struct run run_b)
{
    if (run_a.count != run_b.count)
        return false;
    for (uint32_t i = 0; i < run_a.count; i++) {
        const uint32_t at_a = run_a.first + i, at_b = run_b.first + i;
        if (memcmp(&a->vertices[at_a], &b->vertices[at_b], sizeof(tr_vertex)) != 0 ||
            (a->materials ? a->materials[at_a] : 0) != (b->materials ? b->materials[at_b] : 0))
            return false;
    }
    return true;
}

/* Gives a cell's edge in one state its vertices of the tile: those of a lower state where they are the same, else new ones. */
static void number_edge(struct builder *b, uint32_t side, uint32_t state, uint32_t cell)
{
    const struct tr_height_border *borders = b->borders[side];
    const struct run run = run_of(&borders[state], cell);
    for (uint32_t lower = 0; lower < state; lower++) {
        if (b->states[side] >> lower & 1 &&
            are_same_vertices(&borders[lower], run_of(&borders[lower], cell), &borders[state], run)) {
            b->runs[side][state][cell] = b->runs[side][lower][cell];
            return;
        }
    }
    b->runs[side][state][cell] = (struct run){b->made.vertex_count, run.count};
    b->made.vertex_count += run.count;
}

static void number_vertices(struct builder *b)
{
    b->made.vertex_count = (b->grid->cells[0] + 1) * (b->grid->cells[1] + 1);
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        for (uint32_t state = 0; state < STATES; state++) {
            if (!(b->states[side] >> state & 1))
                continue;
            for (uint32_t cell = 0; cell < cells_on_side(b->grid, side); cell++)
                number_edge(b, side, state, cell);
        }
    }
}

static bool has_materials(const struct builder *b)
{
    if (b->grid->materials)
        return true;
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        for (uint32_t state = 0; state < STATES; state++) {
            if (b->states[side] >> state & 1 && b->borders[side][state].materials)
                return true;
        }
    }
    return false;
}

static void copy_vertices(const tr_vertex *vertices, const uint8_t *materials, struct run from, uint32_t to,
                          struct tr_tile_mesh *tile)
{
    if (from.count == 0)
        return;
    memcpy(tile->vertices + to, vertices + from.first, from.count * sizeof *vertices);
    if (materials)
        memcpy(tile->materials + to, materials + from.first, from.count);
}

/* The tile's vertices as they were given. */
static enum tr_status gather_vertices(struct builder *b, struct tr_error *error)
{
    struct tr_tile_mesh *made = &b->made;
    const uint32_t lines = (b->grid->cells[0] + 1) * (b->grid->cells[1] + 1);
    made->vertices = tr_alloc(made->vertex_count, sizeof *made->vertices, error);
    if (!made->vertices)
        return TR_IO;
    if (has_materials(b)) {
        made->materials = tr_alloc(made->vertex_count, sizeof *made->materials, error);
        if (!made->materials)
            return TR_IO;
    }
    copy_vertices(b->grid->vertices, b->grid->materials, (struct run){0, lines}, 0, made);
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        for (uint32_t state = 0; state < STATES; state++) {
            if (!(b->states[side] >> state & 1))
                continue;
            const struct tr_height_border *border = &b->borders[side][state];
            for (uint32_t cell = 0; cell < cells_on_side(b->grid, side); cell++)
                copy_vertices(border->vertices, border->materials, run_of(border, cell),
                              b->runs[side][state][cell].first, made);
        }
    }
    return TR_OK;
}

/* Makes heights relative to the tile row of the lowest vertex, and returns that row. */
static int32_t rebase(struct tr_tile_mesh *made, int64_t row_units)
{
    int32_t lowest = INT32_MAX;
    for (uint32_t i = 0; i < made->vertex_count; i++)
        lowest = made->vertices[i].y < lowest ? made->vertices[i].y : lowest;
    const int64_t row = tr_floor_div(lowest, row_units);
    for (uint32_t i = 0; i < made->vertex_count; i++)
        made->vertices[i].y = (int32_t)(made->vertices[i].y - row * row_units);
    return (int32_t)row;
}

/* ---- parts ---- */

/* Cells lo .. hi - 1 along an axis. */
struct span {
    uint32_t lo, hi;
};

/* The cells along an axis that touch exactly those of its two sides that are in the set: bit 0 the lower, bit 1 the upper one. */
static struct span cells_touching(uint32_t set, uint32_t cells)
{
    if (set == 0)
        return cells > 2 ? (struct span){1, cells - 1} : (struct span){0, 0};
    if ((set == 3) != (cells == 1))
        return (struct span){0, 0};
    return set == 2 ? (struct span){cells - 1, cells} : (struct span){0, 1};
}

/* The group of cells that touch the sides of a set, one rectangle. */
struct group {
    uint32_t sides;
    struct span x, z;
};

static struct group group_of(const struct tr_height_grid *grid, uint32_t sides)
{
    return (struct group){sides, cells_touching(sides & 3, grid->cells[0]),
                          cells_touching(sides >> 2, grid->cells[1])};
}

static bool is_empty(const struct group *group)
{
    return group->x.lo == group->x.hi || group->z.lo == group->z.hi;
}

/* A side that a cell does not touch is split in no state. */
static struct run edge_run(const struct builder *b, const struct group *group, const uint8_t states[TR_SIDES],
                           uint32_t side, uint32_t x, uint32_t z)
{
    if (!(group->sides >> side & 1))
        return (struct run){0};
    const uint32_t state = (uint32_t)__builtin_ctz(states[tr_column_side(side)]); /* of those that agree */
    return b->runs[side][state][side < 2 ? z : x];
}

static bool do_states_agree(const struct builder *b, uint32_t side, struct span cells, uint32_t a,
                            uint32_t other)
{
    for (uint32_t cell = cells.lo; cell < cells.hi; cell++) {
        const struct run run_a = b->runs[side][a][cell], run_other = b->runs[side][other][cell];
        if (run_a.count != run_other.count || (run_a.count > 0 && run_a.first != run_other.first))
            return false;
    }
    return true;
}

/* The states that a side may have, as sets of those that give the group the same triangles; returns how many. */
static uint32_t classes_of(const struct builder *b, const struct group *group, uint32_t side,
                           uint8_t classes[STATES])
{
    const struct span cells = side < 2 ? group->z : group->x;
    uint32_t count = 0;
    if (!(group->sides >> side & 1)) {
        classes[0] = TR_SIDE_ANY;
        return 1;
    }
    for (uint32_t state = 0; state < STATES; state++) {
        if (!(b->states[side] >> state & 1))
            continue;
        uint32_t i = 0;
        while (i < count && !do_states_agree(b, side, cells, (uint32_t)__builtin_ctz(classes[i]), state))
            i++;
        if (i == count)
            classes[count++] = 0;
        classes[i] |= (uint8_t)(1u << state);
    }
    return count;
}

static uint32_t count_indices(const struct builder *b, const struct group *group,
                              const uint8_t states[TR_SIDES])
{
    uint32_t triangles = 0;
    for (uint32_t z = group->z.lo; z < group->z.hi; z++) {
        for (uint32_t x = group->x.lo; x < group->x.hi; x++) {
            triangles += 2;
            for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++)
                triangles += edge_run(b, group, states, side, x, z).count;
        }
    }
    return 3 * triangles;
}

/* Plans a group's parts: one for each combination of classes of its sides. */
static void group_parts(struct builder *b, const struct group *group)
{
    uint8_t classes[TR_COLUMN_SIDES][STATES];
    uint32_t counts[TR_COLUMN_SIDES], combinations = 1;
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        counts[side] = classes_of(b, group, side, classes[side]);
        combinations *= counts[side];
    }
    for (uint32_t i = 0; i < combinations; i++) {
        assert(b->made.part_count < PARTS_MAX);
        struct tr_tile_part *part = &b->parts[b->made.part_count++];
        *part = (struct tr_tile_part){.face = TR_PART_SURFACE, .first_index = b->made.index_count};
        memset(part->states, TR_SIDE_ANY, sizeof part->states);
        for (uint32_t side = 0, rest = i; side < TR_COLUMN_SIDES; side++) {
            part->states[tr_column_side(side)] = classes[side][rest % counts[side]];
            rest /= counts[side];
        }
        part->index_count = count_indices(b, group, part->states);
        b->made.index_count += part->index_count;
    }
}

/* ---- triangles ---- */

static uint32_t *put_triangle(uint32_t a, uint32_t b, uint32_t c, uint32_t *out)
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
    return out + 3;
}

/* The corner to fan from, given the set of split edges: on none of them. Opposite edges are never both split, because a tile of one cell ends
 * at the world's edge. */
static uint32_t pivot_of(uint32_t split)
{
    static const uint32_t preferred[4] = {0, 2, 1, 3};
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t corner = preferred[i];
        if (!(split >> corner & 1) && !(split >> ((corner + 3) & 3) & 1))
            return corner;
    }
    assert(!"opposite edges of a cell are split");
    return 0;
}

/* The triangles of the cell whose corners and split edges are given, from the pivot round. */
static uint32_t *put_fan(const uint32_t corners[4], const struct run edges[4], uint32_t *out)
{
    uint32_t split = 0;
    for (uint32_t edge = 0; edge < 4; edge++)
        split |= (edges[edge].count > 0 ? 1u : 0u) << edge;
    const uint32_t pivot = pivot_of(split);
    uint32_t last = corners[(pivot + 1) & 3];
    for (uint32_t i = 1; i <= 2; i++) {
        const uint32_t edge = (pivot + i) & 3;
        const struct run run = edges[edge];
        for (uint32_t j = 0; j < run.count; j++) {
            const uint32_t next = run.first + (edge < 2 ? j : run.count - 1 - j);
            out = put_triangle(corners[pivot], last, next, out);
            last = next;
        }
        const uint32_t corner = corners[(edge + 1) & 3];
        out = put_triangle(corners[pivot], last, corner, out);
        last = corner;
    }
    return out;
}

static uint32_t *put_part(const struct builder *b, const struct group *group, const struct tr_tile_part *part,
                          uint32_t *out)
{
    static const uint32_t edge_sides[4] = {0, 3, 1, 2};
    const uint32_t pitch = b->grid->cells[0] + 1;
    for (uint32_t z = group->z.lo; z < group->z.hi; z++) {
        for (uint32_t x = group->x.lo; x < group->x.hi; x++) {
            const uint32_t lowest = z * pitch + x;
            const uint32_t corners[4] = {lowest, lowest + pitch, lowest + pitch + 1, lowest + 1};
            struct run edges[4];
            for (uint32_t edge = 0; edge < 4; edge++)
                edges[edge] = edge_run(b, group, part->states, edge_sides[edge], x, z);
            out = put_fan(corners, edges, out);
        }
    }
    return out;
}

static enum tr_status make_parts(struct builder *b, struct tr_error *error)
{
    struct tr_tile_mesh *made = &b->made;
    uint32_t first_part[SIDE_SETS + 1] = {0};
    for (uint32_t sides = 0; sides < SIDE_SETS; sides++) {
        const struct group group = group_of(b->grid, sides);
        if (!is_empty(&group))
            group_parts(b, &group);
        first_part[sides + 1] = made->part_count;
    }
    made->indices = tr_alloc(made->index_count, sizeof *made->indices, error);
    made->parts = tr_alloc(made->part_count, sizeof *made->parts, error);
    if (!made->indices || !made->parts)
        return TR_IO;
    memcpy(made->parts, b->parts, made->part_count * sizeof *made->parts);
    uint32_t *out = made->indices;
    for (uint32_t sides = 0; sides < SIDE_SETS; sides++) {
        const struct group group = group_of(b->grid, sides);
        for (uint32_t i = first_part[sides]; i < first_part[sides + 1]; i++)
            out = put_part(b, &group, &b->parts[i], out);
    }
    assert(out == made->indices + made->index_count);
    return TR_OK;
}

enum tr_status tr_height_tile_build(const struct tr_height_grid *grid,
                                    const struct tr_height_border borders[TR_COLUMN_SIDES][3],
                                    const uint8_t states[TR_COLUMN_SIDES], uint32_t width, int32_t *row,
                                    struct tr_tile_mesh *tile, struct tr_error *error)
{
    struct builder b = {.grid = grid, .borders = borders, .states = states};
    const int64_t cell_units = (int64_t)TR_UNITS << grid->lod;
    b.made.kind = TR_TILE_HEIGHTS;
    b.made.lod = grid->lod;
    b.made.size[0] = (int32_t)(grid->cells[0] * cell_units);
    b.made.size[2] = (int32_t)(grid->cells[1] * cell_units);

    number_vertices(&b);
    if (gather_vertices(&b, error) || make_parts(&b, error)) {
        tr_tile_mesh_release(&b.made);
        return TR_IO;
    }
    *row = rebase(&b.made, width * cell_units);
    *tile = b.made;
    return TR_OK;
}
