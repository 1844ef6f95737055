/* A level from the one below it, a column a job; and the tiles of a level, for every neighbourhood that they may stand in. */
#include "lib/run/mesh_internal.h"

#include "lib/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* What a job of either pass sees. */
struct pass {
    struct mesher *mesher;
    const struct mesh_level *finer; /* NULL at LOD 0 */
    struct mesh_level *level;
};

/* The four columns of the finer level under one, NULL beyond the world's edge. */
static void find_children(const struct pass *pass, const struct mesh_node *node,
                          const struct mesh_node *children[4])
{
    for (int i = 0; i < 4; i++)
        children[i] = pass->finer
                          ? mesh_level_find(pass->finer, 2 * node->cx + (i & 1), 2 * node->cz + (i >> 1))
                          : NULL;
}

/* The eight lattices of the finer level under the column's row; `spare` is for those beyond the children's rows. */
static void find_octants(const struct pass *pass, const struct mesh_node *const children[4], int32_t row,
                         struct tr_lattice spare[8], const struct tr_lattice *octants[8])
{
    for (int i = 0; i < 8; i++) {
        const struct mesh_node *child = children[(i & 1) | (i >> 2 & 1) << 1];
        octants[i] =
            child ? mesh_node_row(pass->mesher, child, pass->finer->lod, 2 * row + (i >> 1 & 1), &spare[i])
                  : NULL;
    }
}

/* ---- the next level ---- */

static enum tr_status reduce_lattices(const struct pass *pass, struct mesh_node *node,
                                      const struct mesh_node *const children[4], struct tr_error *error)
{
    int64_t first = INT32_MAX, last = INT32_MIN;
    for (int i = 0; i < 4; i++)
        if (children[i]) {
            const int64_t low = children[i]->first_row, high = low + children[i]->row_count - 1;
            first = low < first ? low : first;
            last = high > last ? high : last;
        }
    node->first_row = (int32_t)tr_floor_div(first, 2);
    node->row_count = (uint32_t)(tr_floor_div(last, 2) - node->first_row + 1);
    node->lattices = tr_alloc(node->row_count, sizeof *node->lattices, error);
    node->rows = tr_alloc(node->row_count, sizeof *node->rows, error);
    node->has_lattices = node->lattices && node->rows;
    enum tr_status status = node->has_lattices ? TR_OK : TR_IO;
    for (uint32_t r = 0; r < node->row_count && status == TR_OK; r++) {
        struct tr_lattice spare[8];
        const struct tr_lattice *octants[8];
        node->rows[r] = &node->lattices[r];
        find_octants(pass, children, node->first_row + (int32_t)r, spare, octants);
        status = tr_lattice_reduce(octants, TR_CHUNK, &node->lattices[r], error);
    }
    return status;
}

static enum tr_status reduce_column(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    const struct pass *pass = context;
    struct mesh_node *node = &pass->level->nodes[index];
    const struct mesh_node *children[4];
    const struct tr_height_grid *grids[4];
    bool all_have_lattices = true;
    find_children(pass, node, children);
    for (int i = 0; i < 4; i++) {
        grids[i] = children[i] ? &children[i]->grid : NULL;
        all_have_lattices = all_have_lattices && (!children[i] || children[i]->has_lattices);
    }
    enum tr_status status = TR_OK;
    if (!node->is_marched)
        status = tr_height_grid_reduce(grids, TR_CHUNK, &node->grid, error);
    if (all_have_lattices && status == TR_OK)
        status = reduce_lattices(pass, node, children, error);
    return status;
}

enum tr_status mesh_reduce(struct mesher *mesher, const struct mesh_level *finer, struct mesh_level *level,
                           struct tr_error *error)
{
    struct pass pass = {mesher, finer, level};
    return tr_jobs_run(mesher->bake->jobs, mesh_level_count(level), reduce_column, &pass, error);
}

/* ---- tiles of marching cubes ---- */

static uint32_t sides_that_may_be_finer(const struct mesh_node *node)
{
    uint32_t sides = 0;
    for (int side = 0; side < TR_SIDES; side++)
        sides |= node->states[side] & TR_SIDE_FINER ? 1u << side : 0;
    return sides;
}

static enum tr_status copy_bytes(void *to, const void *from, size_t count, size_t size_bytes,
                                 struct tr_error *error)
{
    void **copy = to;
    if (!(*copy = tr_alloc(count, size_bytes, error)))
        return TR_IO;
    memcpy(*copy, from, count * size_bytes);
    return TR_OK;
}

/* A tile of LOD 0 has no transitions, and the device has made its triangles, which it takes over. */
static enum tr_status build_ground_tile(struct mesh_node *node, uint32_t r, struct tr_tile_mesh *mesh,
                                        struct tr_error *error)
{
    const struct tr_lattice *lattice = &node->lattices[r];
    *mesh = (struct tr_tile_mesh){.kind = TR_TILE_MARCHED, .part_count = 1};
    for (int axis = 0; axis < 3; axis++)
        mesh->size[axis] = (int32_t)lattice->cells[axis] * TR_UNITS;
    enum tr_status status =
        copy_bytes(&mesh->vertices, lattice->vertices, lattice->vertex_count, sizeof *mesh->vertices, error);
    if (status == TR_OK && lattice->materials)
        status = copy_bytes(&mesh->materials, lattice->materials, lattice->vertex_count, 1, error);
    if (status == TR_OK && !(mesh->parts = tr_alloc(1, sizeof *mesh->parts, error)))
        status = TR_IO;
    if (status != TR_OK)
        return status;
    mesh->vertex_count = lattice->vertex_count;
    mesh->index_count = node->triangle_indices[r];
    mesh->indices = node->triangles[r];
    node->triangles[r] = NULL;
    mesh->parts[0] = (struct tr_tile_part){.face = TR_PART_SURFACE, .index_count = mesh->index_count};
    memset(mesh->parts[0].states, TR_SIDE_ANY, TR_SIDES);
    return TR_OK;
}

static enum tr_status build_marched(const struct pass *pass, struct mesh_node *node,
                                    const struct mesh_node *const children[4], struct tr_error *error)
{
    if (!(node->tiles = tr_alloc(node->row_count, sizeof *node->tiles, error)))
        return TR_IO;
    enum tr_status status = TR_OK;
    for (uint32_t r = 0; r < node->row_count && status == TR_OK; r++) {
        struct mesh_tile *tile = &node->tiles[node->tile_count++];
        tile->row = node->first_row + (int32_t)r;
        if (!pass->finer) {
            status = node->lattices[r].vertex_count ? build_ground_tile(node, r, &tile->mesh, error) : TR_OK;
            continue;
        }
        struct tr_lattice spare[8];
        const struct tr_lattice *octants[8];
        find_octants(pass, children, tile->row, spare, octants);
        status = tr_tile_mesh_build(&node->lattices[r], octants, TR_CHUNK, TR_COLUMN_FACES,
                                    sides_that_may_be_finer(node), &tile->mesh, error);
    }
    return status;
}

/* ---- height tiles ---- */

/* Which of the two finer columns at a side are marching cubes, in order along it. */
static void find_finer_marched(const struct pass *pass, const struct mesh_node *node, int side,
                               bool marched[2])
{
    const struct mesh_neighbour beside = mesh_neighbour_of(node, side);
    const uint32_t lod = pass->level->lod - 1;
    for (int half = 0; half < 2; half++) {
        const int32_t x = 2 * beside.cx + (side < 2 ? side == 0 : half),
                      z = 2 * beside.cz + (side < 2 ? half : side == 2);
        marched[half] = tr_column_is_marched(&pass->mesher->kinds, lod, x, z);
    }
}

static enum tr_status build_border(const struct pass *pass, const struct mesh_node *node,
                                   const struct mesh_node *const children[4], int side, uint32_t state,
                                   struct tr_height_border *border, struct tr_error *error)
{
    const struct mesh_neighbour beside = mesh_neighbour_of(node, side);
    const struct tr_column_kinds *kinds = &pass->mesher->kinds;
    const uint32_t lod = pass->level->lod;
    const struct tr_lattice_column lattices = {node->rows, node->first_row, node->row_count};
    if (state != TR_SIDE_FINER) {
        const bool is_marched = state == TR_SIDE_SAME
                                    ? tr_column_is_marched(kinds, lod, beside.cx, beside.cz)
                                    : tr_column_is_marched(kinds, lod + 1, beside.cx >> 1, beside.cz >> 1);
        return is_marched ? tr_height_border_crossings(&lattices, TR_CHUNK, (uint32_t)side, border, error)
                          : TR_OK;
    }
    const struct tr_height_grid *grids[4];
    struct tr_lattice_column columns[4] = {0};
    bool marched[2];
    for (int i = 0; i < 4; i++) {
        grids[i] = children[i] ? &children[i]->grid : NULL;
        if (children[i])
            columns[i] =
                (struct tr_lattice_column){children[i]->rows, children[i]->first_row, children[i]->row_count};
    }
    find_finer_marched(pass, node, side, marched);
    return tr_height_border_finer(grids, columns, TR_CHUNK, (uint32_t)side, marched, border, error);
}

static enum tr_status build_heights(const struct pass *pass, struct mesh_node *node,
                                    const struct mesh_node *const children[4], struct tr_error *error)
{
    struct tr_height_border borders[TR_COLUMN_SIDES][3] = {0};
    uint8_t states[TR_COLUMN_SIDES];
    enum tr_status status = TR_OK;
    for (int side = 0; side < TR_COLUMN_SIDES; side++) {
        states[side] = node->states[tr_column_side(side)];
        for (uint32_t s = 0; s < 3 && status == TR_OK; s++)
            if (states[side] & 1u << s)
                status = build_border(pass, node, children, side, 1u << s, &borders[side][s], error);
    }
    if (status == TR_OK && !(node->tiles = tr_alloc(1, sizeof *node->tiles, error)))
        status = TR_IO;
    if (status == TR_OK) {
        node->tile_count = 1;
        status = tr_height_tile_build(&node->grid, borders, states, TR_CHUNK, &node->tiles[0].row,
                                      &node->tiles[0].mesh, error);
    }
    for (int side = 0; side < TR_COLUMN_SIDES; side++)
        for (int s = 0; s < 3; s++)
            tr_height_border_release(&borders[side][s]);
    return status;
}

static enum tr_status build_column(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    const struct pass *pass = context;
    struct mesh_node *node = &pass->level->nodes[index];
    const struct mesh_node *children[4];
    if (!node->is_selected)
        return TR_OK;
    find_children(pass, node, children);
    return node->is_marched ? build_marched(pass, node, children, error)
                            : build_heights(pass, node, children, error);
}

enum tr_status mesh_build_tiles(struct mesher *mesher, const struct mesh_level *finer,
                                struct mesh_level *level, struct tr_error *error)
{
    struct pass pass = {mesher, finer, level};
    return tr_jobs_run(mesher->bake->jobs, mesh_level_count(level), build_column, &pass, error);
}
