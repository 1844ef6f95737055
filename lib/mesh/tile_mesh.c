/* The mesh of a tile for every neighbourhood, and for one of them. See tile_mesh.h.
 *
 * A vertex tells its own edge: along the edge it lies between two samples, along the other axes on one (no crossing lies on a sample of any
 * LOD). So moves are computed from positions alone: both ends' displacement, in 1/1024 voxel, in proportion to where between them it lies.
 *
 * An end moves while all of its sides are finer. Of a cell's edge the sides of one end include those of the other, or one end has none (in a
 * tile one cell wide the end on the world's edge never moves, which is as good as none). So at most two sets of sides matter to a vertex, the
 * second including the first. */
#include "lib/mesh/tile_mesh.h"

#include "lib/base/alloc.h"
#include "lib/mesh/tile_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void tr_tile_mesh_release(struct tr_tile_mesh *tile)
{
    free(tile->vertices);
    free(tile->materials);
    free(tile->targets);
    free(tile->weights);
    free(tile->indices);
    free(tile->moves);
    free(tile->parts);
    *tile = (struct tr_tile_mesh){0};
}

/* ---- moves ---- */

/* How the samples of a tile move. */
struct samples {
    uint32_t lod, cells[3];
    uint32_t counting, transitions; /* sets of sides */
};

static uint32_t sides_of(const struct samples *samples, const int32_t at[3])
{
    uint32_t sides = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        sides |= at[axis] == 0 ? 1u << 2 * axis : 0;
        sides |= at[axis] == (int32_t)samples->cells[axis] ? 2u << 2 * axis : 0;
    }
    return sides & samples->counting;
}

/* Of a sample with these sides along an axis, in 1/1024 voxel, while they are all finer: a quarter of a cell inward. */
static int32_t displacement(const struct samples *samples, uint32_t sides, uint32_t axis)
{
    const int32_t quarter = (int32_t)(TR_UNITS << samples->lod);
    return (sides >> 2 * axis & 1 ? quarter : 0) - (sides >> (2 * axis + 1) & 1 ? quarter : 0);
}

/* How far along its edge, of cell_units, a crossing is taken to be. Where one end moves across the edge and the other does not, the edge
 * slants by a quarter, and only every fourth unit of it has whole coordinates: the crossing goes to the nearest of these that is no sample. So
 * all on such a slant stay in one plane; rounding each by itself would turn over slivers beside it, on height fields too. */
static int32_t place_along(const struct samples *samples, int32_t along, uint32_t lower, uint32_t upper,
                           uint32_t edge_axis)
{
    const int32_t last = (int32_t)(TR_UNITS << samples->lod) - 4;
    bool slants = false;
    for (uint32_t axis = 0; axis < 3; axis++)
        slants |=
            axis != edge_axis && displacement(samples, lower, axis) != displacement(samples, upper, axis);
    if (!slants)
        return along;
    along = (along + 2) & ~3;
    return along < 4 ? 4 : along > last ? last : along;
}

/* Where the vertex lies when its edge's lower end has moved from the sides `lower` and its upper end from `upper`. */
static struct tr_tile_move move_of(const struct samples *samples, uint32_t vertex, const int32_t from[3],
                                   uint32_t lower, uint32_t upper, uint32_t edge_axis)
{
    const int32_t cell_units = (int32_t)(TR_UNITS << samples->lod);
    const int32_t quarter = cell_units / 4;
    const int32_t was_along = from[edge_axis] % cell_units;
    const int32_t along = place_along(samples, was_along, lower, upper, edge_axis);
    int32_t to[3];
    for (uint32_t axis = 0; axis < 3; axis++) {
        const int32_t d0 = displacement(samples, lower, axis), d1 = displacement(samples, upper, axis);
        const int32_t at = from[axis] + (axis == edge_axis ? along - was_along : 0);
        const int32_t moved = 4 * at + d0 + (d1 - d0) / cell_units * along; /* the quotient is exact */
        to[axis] = (moved + 2) >> 2;
        /* A cell that is the world's last as well as the tile's first may slant and shrink: no vertex moves more than its samples do. */
        if (d0 != d1 && to[axis] - from[axis] > quarter)
            to[axis] = from[axis] + quarter;
        if (d0 != d1 && to[axis] - from[axis] < -quarter)
            to[axis] = from[axis] - quarter;
    }
    return (struct tr_tile_move){vertex, lower | upper, to[0], to[1], to[2]};
}

/* Whether neither end of the vertex's edge lies on a side; so with nearly all of them. */
static bool is_inside(const struct samples *samples, const int32_t from[3])
{
    const int32_t cell_units = (int32_t)(TR_UNITS << samples->lod);
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (from[axis] < cell_units || from[axis] > (int32_t)(samples->cells[axis] - 1) * cell_units)
            return false;
    }
    return true;
}

/* Writes the moves of a vertex, at most two; returns how many. */
static uint32_t put_moves(const struct samples *samples, uint32_t vertex, const tr_vertex *position,
                          struct tr_tile_move *out)
{
    const int32_t from[3] = {position->x, position->y, position->z};
    int32_t lower_at[3], upper_at[3];
    uint32_t edge_axis = 0;
    if (is_inside(samples, from))
        return 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        lower_at[axis] = from[axis] >> 8 >> samples->lod;
        const bool is_between = from[axis] % TR_UNITS != 0;
        upper_at[axis] = lower_at[axis] + is_between;
        edge_axis = is_between ? axis : edge_axis;
    }
    uint32_t lower = sides_of(samples, lower_at), upper = sides_of(samples, upper_at);
    lower = lower & ~samples->transitions ? 0 : lower;
    upper = upper & ~samples->transitions ? 0 : upper;
    const uint32_t both = lower | upper, first = lower && upper ? lower & upper : both;
    uint32_t count = 0;
    if (!both)
        return 0;
    assert(both == lower || both == upper);
    if (first != both)
        out[count++] =
            move_of(samples, vertex, from, lower == first ? lower : 0, upper == first ? upper : 0, edge_axis);
    out[count++] = move_of(samples, vertex, from, lower, upper, edge_axis);
    return count;
}

static enum tr_status make_moves(const struct tr_lattice *lattice, uint32_t counting, uint32_t transitions,
                                 struct tr_tile_mesh *tile, struct tr_error *error)
{
    struct samples samples = {lattice->lod, {0}, counting, transitions};
    memcpy(samples.cells, lattice->cells, sizeof samples.cells);
    struct tr_tile_move of_one[2];
    uint32_t count = 0;
    for (uint32_t i = 0; transitions && i < lattice->vertex_count; i++)
        count += put_moves(&samples, i, &lattice->vertices[i], of_one);
    if (count == 0)
        return TR_OK;
    if (!(tile->moves = tr_alloc(count, sizeof *tile->moves, error)))
        return TR_IO;
    for (uint32_t i = 0; i < lattice->vertex_count; i++)
        tile->move_count += put_moves(&samples, i, &lattice->vertices[i], tile->moves + tile->move_count);
    return TR_OK;
}

/* ---- the tile ---- */

static bool have_materials(const struct tr_lattice *lattice, const struct tr_lattice *const *finer)
{
    if (lattice->materials)
        return true;
    for (uint32_t i = 0; finer && i < 8; i++) {
        if (finer[i] && finer[i]->materials)
            return true;
    }
    return false;
}

static enum tr_status gather_vertices(const struct tr_lattice *lattice,
                                      const struct tr_transition_cells *cells, struct tr_tile_mesh *tile,
                                      struct tr_error *error)
{
    const uint32_t own = lattice->vertex_count;
    tile->vertex_count = own + (uint32_t)cells->vertex_count;
    if (tile->vertex_count == 0)
        return TR_OK;
    if (!(tile->vertices = tr_alloc(tile->vertex_count, sizeof *tile->vertices, error)))
        return TR_IO;
    if (cells->has_materials &&
        !(tile->materials = tr_alloc(tile->vertex_count, sizeof *tile->materials, error)))
        return TR_IO;
    if (own)
        memcpy(tile->vertices, lattice->vertices, own * sizeof *tile->vertices);
    if (lattice->materials)
        memcpy(tile->materials, lattice->materials, own);
    if (cells->vertex_count)
        memcpy(tile->vertices + own, cells->vertices, cells->vertex_count * sizeof *tile->vertices);
    if (cells->vertex_count && cells->materials)
        memcpy(tile->materials + own, cells->materials, cells->vertex_count);
    return TR_OK;
}

/* Puts the transitions' indices behind those of the surface, which the tile has already. */
static enum tr_status append_indices(const struct tr_transition_cells *cells, struct tr_tile_mesh *tile,
                                     struct tr_error *error)
{
    if (cells->index_count == 0)
        return TR_OK;
    const size_t count = tile->index_count + cells->index_count;
    uint32_t *all = tr_alloc(count, sizeof *all, error);
    if (!all)
        return TR_IO;
    if (tile->index_count)
        memcpy(all, tile->indices, tile->index_count * sizeof *all);
    memcpy(all + tile->index_count, cells->indices, cells->index_count * sizeof *all);
    free(tile->indices);
    tile->indices = all;
    tile->index_count = (uint32_t)count;
    return TR_OK;
}

/* Adds a part with the indices up to `end`, unless it has none. */
static void add_part(struct tr_tile_mesh *tile, uint32_t face, uint32_t end)
{
    const struct tr_tile_part *last = tile->part_count ? &tile->parts[tile->part_count - 1] : NULL;
    const uint32_t first = last ? last->first_index + last->index_count : 0;
    if (end == first)
        return;
    struct tr_tile_part *part = &tile->parts[tile->part_count++];
    *part = (struct tr_tile_part){.face = (uint8_t)face, .first_index = first, .index_count = end - first};
    memset(part->states, TR_SIDE_ANY, sizeof part->states);
    if (face != TR_PART_SURFACE)
        part->states[face] = TR_SIDE_FINER;
}

enum tr_status tr_tile_mesh_build(const struct tr_lattice *lattice, const struct tr_lattice *const *finer,
                                  uint32_t width, uint32_t counting, uint32_t transitions,
                                  struct tr_tile_mesh *tile, struct tr_error *error)
{
    struct tr_tile_mesh made = {.kind = TR_TILE_MARCHED, .lod = lattice->lod};
    struct tr_transition_cells cells = {.has_materials = have_materials(lattice, finer)};
    enum tr_status status = TR_IO;
    for (uint32_t axis = 0; axis < 3; axis++)
        made.size[axis] = (int32_t)(lattice->cells[axis] * TR_UNITS << lattice->lod);
    if (!(made.parts = tr_alloc(1 + TR_SIDES, sizeof *made.parts, error)) ||
        tr_lattice_triangles(lattice, &made.indices, &made.index_count, error))
        goto done;
    add_part(&made, TR_PART_SURFACE, made.index_count);
    for (uint32_t face = 0; face < TR_SIDES; face++) {
        if (!(transitions >> face & 1))
            continue;
        if (tr_transition_cells_add(lattice, finer, width, face, &cells, error))
            goto done;
        add_part(&made, face, made.index_count + (uint32_t)cells.index_count);
    }
    if (append_indices(&cells, &made, error) || gather_vertices(lattice, &cells, &made, error) ||
        make_moves(lattice, counting, transitions, &made, error))
        goto done;
    *tile = made;
    made = (struct tr_tile_mesh){0};
    status = TR_OK;
done:
    tr_transition_cells_release(&cells);
    tr_tile_mesh_release(&made);
    return status;
}

/* ---- one neighbourhood ---- */

static uint32_t sides_in_state(const uint8_t states[TR_SIDES], uint32_t state)
{
    uint32_t sides = 0;
    for (uint32_t side = 0; side < TR_SIDES; side++)
        sides |= (states[side] & state ? 1u : 0u) << side;
    return sides;
}

/* Sides on whose plane a vertex lies; a height tile's are the vertical ones. */
static uint32_t planes_of(const struct tr_tile_mesh *tile, const tr_vertex *vertex)
{
    const int32_t at[3] = {vertex->x, vertex->y, vertex->z};
    uint32_t sides = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (axis == 1 && tile->kind == TR_TILE_HEIGHTS)
            continue;
        sides |= at[axis] == 0 ? 1u << 2 * axis : 0;
        sides |= at[axis] == tile->size[axis] ? 2u << 2 * axis : 0;
    }
    return sides;
}

/* Moves the vertices, in order, to where they lie while the sides `finer` are. targets: NULL, or those of the tile, of which the moved
 * vertices' and those of vertices on the sides `bordering` become their own places. */
static void move_vertices(const struct tr_tile_mesh *tile, uint32_t finer, uint32_t bordering,
                          tr_vertex *vertices, int32_t (*targets)[3])
{
    uint32_t next = 0; /* of the moves */
    for (uint32_t i = 0; i < tile->vertex_count; i++) {
        tr_vertex *vertex = &vertices[i];
        bool is_fixed = targets && planes_of(tile, vertex) & bordering;
        for (; next < tile->move_count && tile->moves[next].vertex == i; next++) {
            const struct tr_tile_move *move = &tile->moves[next];
            if (move->sides & ~finer)
                continue;
            vertex->x = move->x;
            vertex->y = move->y;
            vertex->z = move->z;
            is_fixed = true;
        }
        if (targets && is_fixed) {
            targets[i][0] = vertex->x;
            targets[i][1] = vertex->y;
            targets[i][2] = vertex->z;
        }
    }
}

static bool are_equal(const tr_vertex *a, const tr_vertex *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

static bool is_degenerate(const tr_vertex *vertices, const uint32_t corners[3])
{
    const tr_vertex *a = &vertices[corners[0]], *b = &vertices[corners[1]], *c = &vertices[corners[2]];
    return are_equal(a, b) || are_equal(b, c) || are_equal(c, a);
}

/* Writes the triangles of a part that stay, to `out`, which may be where they are; returns the number of their indices. */
static uint32_t keep_triangles(const struct tr_tile_mesh *tile, const struct tr_tile_part *part,
                               const tr_vertex *vertices, uint32_t *out)
{
    const uint32_t *corners = tile->indices + part->first_index;
    uint32_t count = 0;
    for (uint32_t i = 0; i < part->index_count; i += 3) {
        if (part->face != TR_PART_SURFACE && is_degenerate(vertices, corners + i))
            continue;
        memmove(out + count, corners + i, 3 * sizeof *out);
        count += 3;
    }
    return count;
}

/* Numbers the vertices that triangles use, in order: number[i] is vertex i's, UINT32_MAX for one that none uses. Renumbers the indices and
 * returns how many vertices are used. */
static uint32_t number_used(uint32_t *indices, uint32_t index_count, uint32_t *number, uint32_t vertex_count)
{
    uint32_t used = 0;
    memset(number, 0, vertex_count * sizeof *number);
    for (uint32_t i = 0; i < index_count; i++)
        number[indices[i]] = 1;
    for (uint32_t i = 0; i < vertex_count; i++)
        number[i] = number[i] ? used++ : UINT32_MAX;
    for (uint32_t i = 0; i < index_count; i++)
        indices[i] = number[indices[i]];
    return used;
}

/* Moves the used ones of an array's elements to their numbers. */
static void compact(void *array, size_t size_bytes, const uint32_t *number, uint32_t vertex_count)
{
    unsigned char *bytes = array;
    for (uint32_t i = 0; bytes && i < vertex_count; i++) {
        if (number[i] < i)
            memcpy(bytes + number[i] * size_bytes, bytes + i * size_bytes, size_bytes);
    }
}

enum tr_status tr_tile_mesh_settle(struct tr_tile_mesh *tile, const uint8_t states[TR_SIDES],
                                   struct tr_error *error)
{
    uint32_t *number = tr_alloc(tile->vertex_count, sizeof *number, error);
    if (!number)
        return TR_IO;
    move_vertices(tile, sides_in_state(states, TR_SIDE_FINER),
                  sides_in_state(states, TR_SIDE_FINER | TR_SIDE_COARSER), tile->vertices, tile->targets);
    uint32_t index_count = 0, part_count = 0;
    for (uint32_t i = 0; i < tile->part_count; i++) {
        struct tr_tile_part part = tile->parts[i];
        if (!tr_tile_part_is_drawn(&part, states))
            continue;
        part.index_count = keep_triangles(tile, &part, tile->vertices, tile->indices + index_count);
        part.first_index = index_count;
        index_count += part.index_count;
        if (part.index_count > 0)
            tile->parts[part_count++] = part;
    }
    const uint32_t used = number_used(tile->indices, index_count, number, tile->vertex_count);
    compact(tile->vertices, sizeof *tile->vertices, number, tile->vertex_count);
    compact(tile->materials, sizeof *tile->materials, number, tile->vertex_count);
    compact(tile->targets, sizeof *tile->targets, number, tile->vertex_count);
    compact(tile->weights, sizeof *tile->weights, number, tile->vertex_count);
    free(tile->moves);
    tile->moves = NULL;
    tile->move_count = 0;
    tile->vertex_count = used;
    tile->index_count = index_count;
    tile->part_count = part_count;
    free(number);
    return TR_OK;
}

enum tr_status tr_tile_mesh_assemble(const struct tr_tile_mesh *tile, const uint8_t states[TR_SIDES],
                                     struct tr_mesh *mesh, struct tr_error *error)
{
    struct tr_mesh made = {.vertices = tr_alloc(tile->vertex_count, sizeof *made.vertices, error),
                           .indices = tr_alloc(tile->index_count, sizeof *made.indices, error)};
    uint32_t *number = tr_alloc(tile->vertex_count, sizeof *number, error);
    enum tr_status status = TR_IO;
    if (!made.vertices || !made.indices || !number)
        goto done;
    if (tile->vertex_count)
        memcpy(made.vertices, tile->vertices, tile->vertex_count * sizeof *made.vertices);
    move_vertices(tile, sides_in_state(states, TR_SIDE_FINER), 0, made.vertices, NULL);
    for (uint32_t i = 0; i < tile->part_count; i++) {
        const struct tr_tile_part *part = &tile->parts[i];
        if (tr_tile_part_is_drawn(part, states))
            made.index_count += keep_triangles(tile, part, made.vertices, made.indices + made.index_count);
    }
    made.vertex_count = number_used(made.indices, made.index_count, number, tile->vertex_count);
    compact(made.vertices, sizeof *made.vertices, number, tile->vertex_count);
    *mesh = made;
    made = (struct tr_mesh){0};
    status = TR_OK;
done:
    free(number);
    tr_mesh_release(&made);
    return status;
}
