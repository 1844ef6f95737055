/* Meshes a window bottom-up, by the functions that the product calls and in its order: lattices and grids of LOD 0 from samples, those of each
 * coarser LOD from the finer, then the selected tiles.
 *
 * Most tiles of a high window are all air or all rock. Their lattices say nothing but that, so all of one LOD share one for each. */
#include "tests/support/window_mesh.h"

#include "lib/base/alloc.h"
#include "lib/mesh/height_tile.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define LODS 7
#define ALL_SIDES 0x3fu
#define COLUMN_SIDES 0x33u /* -x, +x, -z, +z */

struct level {
    uint32_t lod;
    int32_t tiles[3];                   /* along x, y, z */
    struct tr_lattice uniform[2];       /* full tiles of air, of rock */
    const struct tr_lattice **lattices; /* [z][x][y], so that a column's lie one behind another */
    struct tr_height_grid *grids;       /* [z][x], columns only; as is_marched */
    bool *is_marched;
};

struct builder {
    const struct window *w;
    struct level levels[LODS];
    uint8_t
        *sculpted; /* [z][x]: how many LODs see a sample there that differs from the heights, at the most */
    struct window_mesh *mesh;
};

static void *array_of(size_t count, size_t size_bytes)
{
    struct tr_error error = {0};
    void *array = tr_alloc(count, size_bytes, &error);
    if (!array)
        fail_msg("%s", error.text);
    return array;
}

static size_t column_at(const struct level *level, int32_t x, int32_t z)
{
    return (size_t)z * (size_t)level->tiles[0] + (size_t)x;
}

static size_t tile_at(const struct level *level, const int32_t at[3])
{
    return column_at(level, at[0], at[2]) * (size_t)level->tiles[1] + (size_t)at[1];
}

static bool is_column_of(const struct level *level, int32_t x, int32_t z)
{
    return x >= 0 && z >= 0 && x < level->tiles[0] && z < level->tiles[2];
}

/* Cells of tile number `at` along an axis. */
static uint32_t cells_along(const struct window *w, int axis, uint32_t lod, int32_t at)
{
    const int32_t cells = (w->size[axis] >> lod) - at * (int32_t)w->width;
    return cells < (int32_t)w->width ? (uint32_t)cells : w->width;
}

static void set_cells(const struct window *w, uint32_t lod, const int32_t at[3], uint32_t cells[3])
{
    for (int axis = 0; axis < 3; axis++)
        cells[axis] = cells_along(w, axis, lod, at[axis]);
}

/* ---- lattices ---- */

/* The shared lattice of a full tile of LOD 0 whose samples are of one sign; else NULL. */
static const struct tr_lattice *uniform_of_samples(const struct window *w, const struct level *level,
                                                   const int32_t at[3], const uint32_t cells[3])
{
    const int32_t width = (int32_t)w->width;
    const int32_t lo[3] = {at[0] * width, at[1] * width, at[2] * width};
    const bool is_solid = window_sample(w, lo[0], lo[1], lo[2]) <= 0;
    if (cells[0] < w->width || cells[2] < w->width)
        return NULL;
    for (int32_t y = lo[1]; y <= lo[1] + width; y++) {
        for (int32_t z = lo[2]; z <= lo[2] + width; z++) {
            const int16_t *row = w->samples + window_index(w, lo[0], y, z);
            for (int32_t x = 0; x <= width; x++) {
                if ((row[x] <= 0) != is_solid)
                    return NULL;
            }
        }
    }
    return &level->uniform[is_solid];
}

static const struct tr_lattice *lattice_of_samples(const struct window *w, const struct level *level,
                                                   const int32_t at[3])
{
    static int16_t field[TR_TILE_FIELD_SAMPLES];
    struct tr_error error = {0};
    uint32_t cells[3];
    const int32_t width = (int32_t)w->width;
    set_cells(w, 0, at, cells);
    const struct tr_lattice *shared = uniform_of_samples(w, level, at, cells);
    if (shared)
        return shared;
    for (int32_t y = -1; y <= (int32_t)cells[1] + 1; y++) {
        for (int32_t z = -1; z <= (int32_t)cells[2] + 1; z++) {
            for (int32_t x = -1; x <= (int32_t)cells[0] + 1; x++)
                field[tr_tile_index(x, y, z)] =
                    window_sample(w, x + at[0] * width, y + at[1] * width, z + at[2] * width);
        }
    }
    struct tr_lattice *lattice = array_of(1, sizeof *lattice);
    assert_ok(tr_lattice_from_field(field, cells, lattice, &error), &error);
    return lattice;
}

/* The tile's eight of the next finer level; NULL beyond the window. */
static void find_children(const struct level *finer, const int32_t at[3],
                          const struct tr_lattice *children[8])
{
    for (int i = 0; i < 8; i++) {
        const int32_t child[3] = {2 * at[0] + (i & 1), 2 * at[1] + (i >> 1 & 1), 2 * at[2] + (i >> 2)};
        const bool exists = is_column_of(finer, child[0], child[2]) && child[1] < finer->tiles[1];
        children[i] = exists ? finer->lattices[tile_at(finer, child)] : NULL;
    }
}

static const struct tr_lattice *lattice_of_children(const struct window *w, const struct level *level,
                                                    const struct level *finer, const int32_t at[3])
{
    const struct tr_lattice *children[8];
    struct tr_error error = {0};
    find_children(finer, at, children);
    for (int solid = 0; solid < 2; solid++) {
        int i = 0;
        while (i < 8 && children[i] == &finer->uniform[solid])
            i++;
        if (i == 8)
            return &level->uniform[solid];
    }
    struct tr_lattice *lattice = array_of(1, sizeof *lattice);
    assert_ok(tr_lattice_reduce(children, w->width, lattice, &error), &error);
    return lattice;
}

static void make_lattices(const struct window *w, struct level *level, const struct level *finer)
{
    int32_t at[3];
    level->lattices = array_of((size_t)level->tiles[0] * (size_t)level->tiles[1] * (size_t)level->tiles[2],
                               sizeof *level->lattices);
    for (at[2] = 0; at[2] < level->tiles[2]; at[2]++) {
        for (at[0] = 0; at[0] < level->tiles[0]; at[0]++) {
            for (at[1] = 0; at[1] < level->tiles[1]; at[1]++)
                level->lattices[tile_at(level, at)] =
                    finer ? lattice_of_children(w, level, finer, at) : lattice_of_samples(w, level, at);
        }
    }
}

static struct tr_lattice_column lattice_column(const struct builder *b, const struct level *level, int32_t x,
                                               int32_t z)
{
    return (struct tr_lattice_column){
        .lattices = level->lattices + column_at(level, x, z) * (size_t)level->tiles[1],
        .first_row = b->w->first_y / (int32_t)(b->w->width << level->lod),
        .count = (uint32_t)level->tiles[1],
    };
}

/* ---- columns ---- */

static void find_sculpted(struct builder *b)
{
    const struct window *w = b->w;
    const int32_t pitch = w->size[0] + 1;
    b->sculpted = array_of((size_t)pitch * (size_t)(w->size[2] + 1), 1);
    for (int32_t y = -1; y <= w->size[1] + 1; y++) {
        for (int32_t z = 0; z <= w->size[2]; z++) {
            for (int32_t x = 0; x <= w->size[0]; x++) {
                const uint8_t seen_by = (uint8_t)(1 + __builtin_ctz((uint32_t)y | 64u));
                uint8_t *sculpted = &b->sculpted[z * pitch + x];
                if (window_sample(w, x, y, z) == window_height_sample(w, x, y, z))
                    continue;
                *sculpted = seen_by > *sculpted ? seen_by : *sculpted;
                b->mesh->is_sculpted = true;
            }
        }
    }
}

static bool touches_sculpted(const struct builder *b, uint32_t lod, int32_t at_x, int32_t at_z)
{
    const struct window *w = b->w;
    const int32_t side = (int32_t)(w->width << lod), x0 = at_x * side, z0 = at_z * side;
    int32_t x1 = x0 + side, z1 = z0 + side, step = 1;
    uint8_t least = 1;
    if (w->mutant == WINDOW_TOUCH_OWNED) {
        x1--;
        z1--;
    }
    if (w->mutant == WINDOW_TOUCH_OWN_LOD) {
        step = 1 << lod;
        least = (uint8_t)(lod + 1);
    }
    for (int32_t z = z0; z <= z1 && z <= w->size[2]; z += step) {
        for (int32_t x = x0; x <= x1 && x <= w->size[0]; x += step) {
            if (b->sculpted[z * (w->size[0] + 1) + x] >= least)
                return true;
        }
    }
    return false;
}

/* The grid of LOD 0, with normals of the lattices where the ground beside it may be sculpted. */
static void make_finest_grid(const struct builder *b, int32_t at_x, int32_t at_z)
{
    static int32_t heights[TR_TILE_HALO];
    const struct window *w = b->w;
    const struct level *level = &b->levels[0];
    const int32_t width = (int32_t)w->width;
    const uint32_t cells[2] = {cells_along(w, 0, 0, at_x), cells_along(w, 2, 0, at_z)};
    struct tr_height_grid *grid = &level->grids[column_at(level, at_x, at_z)];
    struct tr_error error = {0};
    for (int32_t z = -1; z <= (int32_t)cells[1] + 1; z++) {
        for (int32_t x = -1; x <= (int32_t)cells[0] + 1; x++) {
            int32_t at[2] = {at_x * width + x, at_z * width + z};
            for (int i = 0; i < 2; i++) {
                at[i] = at[i] < 0 ? 0 : at[i];
                at[i] = at[i] > w->size[2 * i] ? w->size[2 * i] : at[i];
            }
            heights[(z + 1) * TR_TILE_SAMPLES + x + 1] = w->heights[at[1] * (w->size[0] + 1) + at[0]];
        }
    }
    assert_ok(tr_height_grid_from_heights(heights, TR_TILE_SAMPLES, cells, grid, &error), &error);
    for (uint32_t z = 0; w->mutant == WINDOW_HEIGHT_ON_SAMPLE && z <= cells[1]; z++) {
        for (uint32_t x = 0; x <= cells[0]; x++) /* one unit above a sample: the height was on it */
            grid->vertices[z * (cells[0] + 1) + x].y -=
                heights[(z + 1) * TR_TILE_SAMPLES + x + 1] % TR_UNITS == 0;
    }
}

static void make_grid(const struct builder *b, uint32_t lod, int32_t at_x, int32_t at_z)
{
    const struct level *level = &b->levels[lod];
    struct tr_height_grid *grid = &level->grids[column_at(level, at_x, at_z)];
    struct tr_error error = {0};
    if (lod == 0) {
        make_finest_grid(b, at_x, at_z);
    } else {
        const struct level *finer = &b->levels[lod - 1];
        const struct tr_height_grid *children[4];
        for (int i = 0; i < 4; i++) {
            const int32_t x = 2 * at_x + (i & 1), z = 2 * at_z + (i >> 1);
            children[i] = is_column_of(finer, x, z) ? &finer->grids[column_at(finer, x, z)] : NULL;
        }
        assert_ok(tr_height_grid_reduce(children, b->w->width, grid, &error), &error);
    }
    if (!touches_sculpted(b, lod, at_x, at_z)) {
        const struct tr_lattice_column column = lattice_column(b, level, at_x, at_z);
        tr_height_grid_take_normals(grid, &column, b->w->width);
    }
}

static void make_columns(struct builder *b, uint32_t lod)
{
    const struct window *w = b->w;
    struct level *level = &b->levels[lod];
    const size_t count = (size_t)level->tiles[0] * (size_t)level->tiles[2];
    level->grids = array_of(count, sizeof *level->grids);
    level->is_marched = array_of(count, sizeof *level->is_marched);
    for (int32_t z = 0; z < level->tiles[2]; z++) {
        for (int32_t x = 0; x < level->tiles[0]; x++) {
            const bool is_forced = w->forced[window_block(w, x << lod, 0, z << lod)] >> lod & 1;
            level->is_marched[column_at(level, x, z)] = is_forced || touches_sculpted(b, lod, x, z);
            make_grid(b, lod, x, z);
        }
    }
}

static void make_level(struct builder *b, uint32_t lod)
{
    const struct window *w = b->w;
    struct level *level = &b->levels[lod];
    level->lod = lod;
    for (int axis = 0; axis < 3; axis++) {
        const int32_t side = (int32_t)(w->width << lod);
        level->tiles[axis] = (w->size[axis] + side - 1) / side;
    }
    for (int solid = 0; solid < 2; solid++)
        level->uniform[solid] =
            (struct tr_lattice){.lod = lod, .cells = {w->width, w->width, w->width}, .is_solid = solid != 0};
    make_lattices(w, level, lod > 0 ? &b->levels[lod - 1] : NULL);
    if (w->layout == WINDOW_COLUMNS)
        make_columns(b, lod);
}

static void release_level(struct level *level)
{
    const size_t columns = (size_t)level->tiles[0] * (size_t)level->tiles[2];
    for (size_t i = 0; i < columns * (size_t)level->tiles[1]; i++) {
        const struct tr_lattice *lattice = level->lattices[i];
        if (lattice == &level->uniform[0] || lattice == &level->uniform[1])
            continue;
        tr_lattice_release((struct tr_lattice *)lattice);
        free((struct tr_lattice *)lattice);
    }
    for (size_t i = 0; level->grids && i < columns; i++)
        tr_height_grid_release(&level->grids[i]);
    free(level->lattices);
    free(level->grids);
    free(level->is_marched);
}

/* ---- neighbourhoods ---- */

/* Whether there is a tile or column beside the tile: not at the window's sides, nor between tiles of one column. */
static bool has_neighbour(const struct window *w, uint32_t lod, const int32_t at[3], uint32_t side)
{
    const int axis = (int)side / 2;
    const int32_t beside = at[axis] + (side & 1 ? 1 : -1);
    return beside >= 0 && beside < window_blocks(w, axis, lod);
}

static uint8_t state_of(const struct window *w, uint32_t lod, const int32_t at[3], uint32_t side)
{
    const int axis = (int)side / 2;
    int32_t beside[3] = {at[0] << lod, at[1] << lod, at[2] << lod};
    if (!has_neighbour(w, lod, at, side))
        return TR_SIDE_SAME;
    beside[axis] = side & 1 ? (at[axis] + 1) << lod : (at[axis] << lod) - 1;
    const uint32_t other = w->lods[window_block(w, beside[0], beside[1], beside[2])];
    return other < lod ? TR_SIDE_FINER : other > lod ? TR_SIDE_COARSER : TR_SIDE_SAME;
}

static uint8_t possible_states(const struct window *w, uint32_t lod, const int32_t at[3], uint32_t side)
{
    const int32_t along = at[side / 2];
    const bool is_sibling = (along + (side & 1 ? 1 : -1)) >> 1 == along >> 1;
    if (!w->all_states)
        return state_of(w, lod, at, side);
    if (!has_neighbour(w, lod, at, side))
        return TR_SIDE_SAME;
    return (uint8_t)(TR_SIDE_SAME | (lod > 0 ? TR_SIDE_FINER : 0) |
                     (lod < w->top && !is_sibling ? TR_SIDE_COARSER : 0));
}

static uint32_t sides_with(const uint8_t states[TR_SIDES], uint8_t state)
{
    uint32_t sides = 0;
    for (uint32_t side = 0; side < TR_SIDES; side++)
        sides |= (states[side] & state ? 1u : 0u) << side;
    return sides;
}

/* ---- meshes ---- */

/* The plain mesh as the text of tile_mesh.h says, but with all triangles. */
static void assemble_with_equal_corners(const struct window_tile *made, struct tr_mesh *mesh)
{
    const struct tr_tile_mesh *tile = &made->tile;
    const uint32_t finer = sides_with(made->states, TR_SIDE_FINER);
    mesh->vertices = array_of(tile->vertex_count, sizeof *mesh->vertices);
    mesh->indices = array_of(tile->index_count, sizeof *mesh->indices);
    mesh->vertex_count = tile->vertex_count;
    memcpy(mesh->vertices, tile->vertices, tile->vertex_count * sizeof *mesh->vertices);
    for (uint32_t i = 0; i < tile->move_count; i++) {
        const struct tr_tile_move *move = &tile->moves[i];
        if ((move->sides & ~finer) == 0)
            mesh->vertices[move->vertex] =
                (tr_vertex){move->x, move->y, move->z, mesh->vertices[move->vertex].normal};
    }
    for (uint32_t i = 0; i < tile->part_count; i++) {
        const struct tr_tile_part *part = &tile->parts[i];
        uint32_t side = 0;
        while (side < TR_SIDES && part->states[side] & made->states[side])
            side++;
        if (side < TR_SIDES)
            continue;
        memcpy(mesh->indices + mesh->index_count, tile->indices + part->first_index,
               part->index_count * sizeof *mesh->indices);
        mesh->index_count += part->index_count;
    }
}

static bool is_flat(const tr_vertex *a, const tr_vertex *b, const tr_vertex *c)
{
    const int64_t u[3] = {b->x - a->x, b->y - a->y, b->z - a->z};
    const int64_t v[3] = {c->x - a->x, c->y - a->y, c->z - a->z};
    return u[1] * v[2] == u[2] * v[1] && u[2] * v[0] == u[0] * v[2] && u[0] * v[1] == u[1] * v[0];
}

static void drop_flat_triangles(struct tr_mesh *mesh)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < mesh->index_count; i += 3) {
        const uint32_t *t = mesh->indices + i;
        if (is_flat(&mesh->vertices[t[0]], &mesh->vertices[t[1]], &mesh->vertices[t[2]]))
            continue;
        memmove(mesh->indices + kept, t, 3 * sizeof *t);
        kept += 3;
    }
    mesh->index_count = kept;
}

static uint32_t count_surface_indices(const struct window_tile *made)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < made->tile.part_count; i++) {
        const struct tr_tile_part *part = &made->tile.parts[i];
        uint32_t side = 0;
        while (side < TR_SIDES && part->states[side] & made->states[side])
            side++;
        if (side == TR_SIDES && part->face == TR_PART_SURFACE)
            count += part->index_count;
    }
    return count;
}

/* Assembles the tile in its neighbourhood and adds it to the window's. */
static void add_tile(struct builder *b, struct window_tile *made)
{
    struct window_mesh *mesh = b->mesh;
    struct tr_error error = {0};
    if (b->w->mutant == WINDOW_KEEP_EQUAL)
        assemble_with_equal_corners(made, &made->mesh);
    else
        assert_ok(tr_tile_mesh_assemble(&made->tile, made->states, &made->mesh, &error), &error);
    made->surface_indices = count_surface_indices(made);
    if (b->w->mutant == WINDOW_DROP_FLAT)
        drop_flat_triangles(&made->mesh);
    assert_ok(tr_grow(&mesh->tiles, &mesh->capacity, mesh->count + 1, sizeof *mesh->tiles, &error), &error);
    mesh->tiles[mesh->count++] = *made;
}

static struct window_tile tile_begun(const struct window *w, uint32_t lod, const int32_t at[3])
{
    struct window_tile made = {.lod = lod};
    for (uint32_t side = 0; side < TR_SIDES; side++) {
        made.states[side] = state_of(w, lod, at, side);
        made.possible[side] = possible_states(w, lod, at, side);
    }
    for (int axis = 0; axis < 3; axis++)
        made.corner[axis] = at[axis] * (int32_t)(w->width << lod);
    return made;
}

static void add_marched_tile(struct builder *b, uint32_t lod, const int32_t at[3],
                             const struct window_tile *begun)
{
    const struct window *w = b->w;
    const struct level *level = &b->levels[lod];
    const struct tr_lattice *lattice = level->lattices[tile_at(level, at)], *children[8];
    struct window_tile made = *begun;
    struct tr_error error = {0};
    uint32_t counting = w->layout == WINDOW_CUBES ? ALL_SIDES : COLUMN_SIDES;
    uint32_t transitions = sides_with(made.possible, TR_SIDE_FINER);
    made.corner[1] = at[1] * (int32_t)(w->width << lod);
    if (lod > 0)
        find_children(&b->levels[lod - 1], at, children);
    if (w->mutant == WINDOW_SKIP_BY_LATTICE && lattice->vertex_count == 0)
        return;
    if (w->mutant == WINDOW_MOVE_IF_ANY)
        counting = transitions = sides_with(made.states, TR_SIDE_FINER);
    assert_ok(tr_tile_mesh_build(lattice, lod > 0 ? children : NULL, w->width, counting, transitions,
                                 &made.tile, &error),
              &error);
    if (made.tile.vertex_count > 0)
        add_tile(b, &made);
    else
        tr_tile_mesh_release(&made.tile);
}

/* The border against the two finer columns beside a side, at (x, z) and on along the side in tiles of their LOD. */
static void make_finer_border(const struct builder *b, const struct level *level, const int32_t at[3],
                              uint32_t column_side, struct tr_height_border *border)
{
    const struct level *finer = &b->levels[level->lod - 1];
    const struct tr_height_grid *children[4] = {NULL};
    struct tr_lattice_column columns[4] = {0};
    struct tr_error error = {0};
    bool marched[2] = {false, false};
    for (int i = 0; i < 4; i++) {
        const int32_t x = 2 * at[0] + (i & 1), z = 2 * at[2] + (i >> 1);
        if (!is_column_of(finer, x, z))
            continue;
        children[i] = &finer->grids[column_at(finer, x, z)];
        columns[i] = lattice_column(b, finer, x, z);
    }
    for (int half = 0; half < 2; half++) {
        const int32_t across = column_side & 1 ? 2 : -1;
        const int32_t x = 2 * at[0] + (column_side < 2 ? across : half);
        const int32_t z = 2 * at[2] + (column_side < 2 ? half : across);
        marched[half] = is_column_of(finer, x, z) && finer->is_marched[column_at(finer, x, z)];
    }
    if (b->w->mutant == WINDOW_BORDER_PER_SIDE)
        marched[1] = marched[0];
    assert_ok(tr_height_border_finer(children, columns, b->w->width, column_side, marched, border, &error),
              &error);
}

/* Whether the column beside is marched, in a window where it has LOD `lod` or one more. */
static bool is_marched_beside(const struct builder *b, uint32_t lod, uint32_t coarser, const int32_t at[3],
                              uint32_t column_side)
{
    const struct level *level = &b->levels[lod + coarser];
    const int32_t step = column_side & 1 ? 1 : -1;
    const int32_t x = at[0] + (column_side < 2 ? step : 0), z = at[2] + (column_side < 2 ? 0 : step);
    return level->is_marched[column_at(level, x >> coarser, z >> coarser)];
}

static void make_borders(const struct builder *b, const struct level *level, const int32_t at[3],
                         const uint8_t states[TR_COLUMN_SIDES],
                         struct tr_height_border borders[TR_COLUMN_SIDES][3])
{
    const struct tr_lattice_column own = lattice_column(b, level, at[0], at[2]);
    struct tr_error error = {0};
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        if (!has_neighbour(b->w, level->lod, at, tr_column_side(side)))
            continue;
        if (states[side] & TR_SIDE_FINER)
            make_finer_border(b, level, at, side, &borders[side][1]);
        for (uint32_t coarser = 0; coarser < 2; coarser++) {
            if (states[side] & (coarser ? TR_SIDE_COARSER : TR_SIDE_SAME) &&
                is_marched_beside(b, level->lod, coarser, at, side))
                assert_ok(
                    tr_height_border_crossings(&own, b->w->width, side, &borders[side][2 * coarser], &error),
                    &error);
        }
    }
}

static void add_height_tile(struct builder *b, uint32_t lod, const int32_t at[3],
                            const struct window_tile *begun)
{
    const struct level *level = &b->levels[lod];
    struct window_tile made = *begun;
    struct tr_height_border borders[TR_COLUMN_SIDES][3] = {0};
    struct tr_error error = {0};
    uint8_t states[TR_COLUMN_SIDES];
    int32_t row;
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++)
        states[side] = made.possible[tr_column_side(side)];
    make_borders(b, level, at, states, borders);
    assert_ok(tr_height_tile_build(&level->grids[column_at(level, at[0], at[2])], borders, states,
                                   b->w->width, &row, &made.tile, &error),
              &error);
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        for (int state = 0; state < 3; state++)
            tr_height_border_release(&borders[side][state]);
    }
    made.corner[1] = row * (int32_t)(b->w->width << lod) - b->w->first_y;
    add_tile(b, &made);
}

/* Counts the column's sides by the kinds that meet there. */
static void count_pairings(struct builder *b, uint32_t lod, const int32_t at[3],
                           const struct window_tile *begun)
{
    const struct level *level = &b->levels[lod];
    const bool kind = level->is_marched[column_at(level, at[0], at[2])];
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        const uint8_t state = begun->states[tr_column_side(side)];
        if (!has_neighbour(b->w, lod, at, tr_column_side(side)))
            continue;
        if (state != TR_SIDE_FINER) {
            const uint32_t coarser = state == TR_SIDE_COARSER;
            b->mesh->pairings[kind][is_marched_beside(b, lod, coarser, at, side)][2 * coarser]++;
            continue;
        }
        const struct level *finer = &b->levels[lod - 1];
        for (int half = 0; half < 2; half++) {
            const int32_t across = side & 1 ? 2 : -1;
            const int32_t x = 2 * at[0] + (side < 2 ? across : half);
            const int32_t z = 2 * at[2] + (side < 2 ? half : across);
            if (is_column_of(finer, x, z))
                b->mesh->pairings[kind][finer->is_marched[column_at(finer, x, z)]][1]++;
        }
    }
}

static void add_column(struct builder *b, uint32_t lod, const int32_t at[3])
{
    const struct level *level = &b->levels[lod];
    const struct window_tile begun = tile_begun(b->w, lod, at);
    count_pairings(b, lod, at, &begun);
    if (!level->is_marched[column_at(level, at[0], at[2])]) {
        add_height_tile(b, lod, at, &begun);
        return;
    }
    for (int32_t y = 0; y < level->tiles[1]; y++)
        add_marched_tile(b, lod, (int32_t[3]){at[0], y, at[2]}, &begun);
}

static void add_selected(struct builder *b, uint32_t lod)
{
    const struct window *w = b->w;
    int32_t at[3];
    for (at[1] = 0; at[1] < window_blocks(w, 1, lod); at[1]++) {
        for (at[2] = 0; at[2] < window_blocks(w, 2, lod); at[2]++) {
            for (at[0] = 0; at[0] < window_blocks(w, 0, lod); at[0]++) {
                if (w->lods[window_block(w, at[0] << lod, at[1] << lod, at[2] << lod)] != lod)
                    continue;
                if (w->layout == WINDOW_COLUMNS) {
                    add_column(b, lod, at);
                } else {
                    const struct window_tile begun = tile_begun(w, lod, at);
                    add_marched_tile(b, lod, at, &begun);
                }
            }
        }
    }
}

void window_mesh_build(const struct window *w, struct window_mesh *mesh)
{
    struct builder *b = array_of(1, sizeof *b);
    *mesh = (struct window_mesh){0};
    b->w = w;
    b->mesh = mesh;
    if (w->layout == WINDOW_COLUMNS)
        find_sculpted(b);
    for (uint32_t lod = 0; lod <= w->top; lod++)
        make_level(b, lod);
    for (uint32_t lod = 0; lod <= w->top; lod++)
        add_selected(b, lod);
    for (uint32_t lod = 0; lod <= w->top; lod++)
        release_level(&b->levels[lod]);
    free(b->sculpted);
    free(b);
}

void window_mesh_release(struct window_mesh *mesh)
{
    for (size_t i = 0; i < mesh->count; i++) {
        tr_tile_mesh_release(&mesh->tiles[i].tile);
        tr_mesh_release(&mesh->tiles[i].mesh);
    }
    free(mesh->tiles);
    *mesh = (struct window_mesh){0};
}
