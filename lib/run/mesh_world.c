/* See mesh_world.h. The world is taken in regions, each one column of the coarsest level that is built (of 8 x 8 chunks at least), and a
 * region in blocks of 8 x 8 chunks. In a block all levels up to that of the block are made, judged and packed; what its coarsest level needs
 * to go on is kept, and when all blocks of a region are there, the coarser levels follow in the same way. Meanwhile the vertices of LOD 0, by
 * which those are judged, wait in a file without a name, so that memory does not grow with the region. */
#include "lib/run/mesh_internal.h"

#include "lib/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

#define LEVELS_MAX (TR_LODS + 1)

/* ---- levels and their columns ---- */

uint32_t mesh_cells(int32_t size, uint32_t lod, int32_t column)
{
    const int64_t left = (((int64_t)size * TR_CHUNK) >> lod) - (int64_t)column * TR_CHUNK;
    return left < TR_CHUNK ? (uint32_t)left : TR_CHUNK;
}

enum tr_status mesh_level_init(struct mesher *mesher, uint32_t lod, int32_t corner_x, int32_t corner_z,
                               int32_t side, struct mesh_level *level, struct tr_error *error)
{
    const struct tr_selection *selection = &mesher->options->selection;
    const int32_t columns = side >> lod, x0 = corner_x >> lod, z0 = corner_z >> lod;
    const int32_t left_x = mesher->kinds.columns_x[lod] - x0, left_z = mesher->kinds.columns_z[lod] - z0;
    *level = (struct mesh_level){.lod = lod,
                                 .x0 = x0,
                                 .z0 = z0,
                                 .count_x = (uint32_t)(left_x < columns ? left_x : columns),
                                 .count_z = (uint32_t)(left_z < columns ? left_z : columns)};
    if (!(level->nodes = tr_alloc(mesh_level_count(level), sizeof *level->nodes, error)))
        return TR_IO;
    for (size_t i = 0; i < mesh_level_count(level); i++) {
        struct mesh_node *node = &level->nodes[i];
        node->cx = x0 + (int32_t)(i % level->count_x);
        node->cz = z0 + (int32_t)(i / level->count_x);
        node->is_marched = tr_column_is_marched(&mesher->kinds, lod, node->cx, node->cz);
        node->is_selected = tr_selection_has(selection, lod, node->cx, node->cz);
        if (node->is_selected)
            tr_selection_states(selection, lod, node->cx, node->cz, node->states);
    }
    return TR_OK;
}

void mesh_node_release(struct mesh_node *node)
{
    for (uint32_t r = 0; r < node->row_count; r++) {
        if (node->lattices)
            tr_lattice_release(&node->lattices[r]);
        if (node->triangles)
            free(node->triangles[r]);
    }
    for (size_t t = 0; t < node->tile_count; t++) {
        tr_tile_mesh_release(&node->tiles[t].mesh);
        tr_pack_blob_release(&node->tiles[t].blob);
    }
    tr_height_grid_release(&node->grid);
    free(node->lattices);
    free(node->rows);
    free(node->triangles);
    free(node->triangle_indices);
    free(node->tiles);
    free(node->points.xyz);
    *node = (struct mesh_node){0};
}

void mesh_level_release(struct mesh_level *level)
{
    for (size_t i = 0; level->nodes && i < mesh_level_count(level); i++)
        mesh_node_release(&level->nodes[i]);
    free(level->nodes);
    *level = (struct mesh_level){0};
}

struct mesh_node *mesh_level_find(const struct mesh_level *level, int32_t cx, int32_t cz)
{
    const int64_t x = (int64_t)cx - level->x0, z = (int64_t)cz - level->z0;
    if (x < 0 || z < 0 || x >= level->count_x || z >= level->count_z)
        return NULL;
    return &level->nodes[z * level->count_x + x];
}

const struct tr_lattice *mesh_node_row(const struct mesher *mesher, const struct mesh_node *node,
                                       uint32_t lod, int32_t row, struct tr_lattice *spare)
{
    const int64_t r = (int64_t)row - node->first_row;
    if (r >= 0 && r < node->row_count)
        return &node->lattices[r];
    *spare = (struct tr_lattice){.lod = lod,
                                 .cells = {mesh_cells(mesher->world->info.size_x, lod, node->cx), TR_CHUNK,
                                           mesh_cells(mesher->world->info.size_z, lod, node->cz)},
                                 .is_solid = r < 0};
    return spare;
}

/* ---- points that wait ---- */

static enum tr_status spool_points(FILE *spool, const struct mesh_level *ground, struct tr_error *error)
{
    for (size_t i = 0; i < mesh_level_count(ground); i++) {
        const struct mesh_points *points = &ground->nodes[i].points;
        if (points->count > 0 &&
            (fwrite(&points->count, sizeof points->count, 1, spool) != 1 ||
             fwrite(points->xyz, sizeof *points->xyz, points->count, spool) != points->count))
            return tr_fail_errno(error, "cannot write a temporary file");
    }
    return TR_OK;
}

static enum tr_status measure_spooled(FILE *spool, struct mesh_measure *measure, struct tr_error *error)
{
    struct mesh_points points = {0};
    size_t capacity = 0, count;
    enum tr_status status = TR_OK;
    if (fflush(spool) != 0)
        return tr_fail_errno(error, "cannot write a temporary file");
    rewind(spool);
    while (status == TR_OK && fread(&count, sizeof count, 1, spool) == 1) {
        status = tr_grow(&points.xyz, &capacity, count, sizeof *points.xyz, error);
        points.count = count;
        if (status == TR_OK && fread(points.xyz, sizeof *points.xyz, count, spool) != count)
            status = tr_fail(error, TR_IO, "cannot read a temporary file back");
        if (status == TR_OK)
            status = mesh_measure_add(measure, &points, 1, error);
    }
    if (status == TR_OK && ferror(spool))
        status = tr_fail(error, TR_IO, "cannot read a temporary file back");
    free(points.xyz);
    return status;
}

/* ---- a stack of levels ---- */

/* Levels first + 1 .. last over levels[0], which is there with its tiles: made and given tiles. */
static enum tr_status raise_levels(struct mesher *mesher, struct mesh_level *levels, uint32_t count,
                                   int32_t corner_x, int32_t corner_z, int32_t side, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    for (uint32_t l = 1; l < count && status == TR_OK; l++) {
        status = mesh_level_init(mesher, levels[0].lod + l, corner_x, corner_z, side, &levels[l], error);
        if (status == TR_OK)
            status = mesh_reduce(mesher, &levels[l - 1], &levels[l], error);
        if (status == TR_OK)
            status = mesh_build_tiles(mesher, &levels[l - 1], &levels[l], error);
    }
    return status;
}

/* Packs all levels that have a coarser one above, and the last if it is the coarsest of all. */
static enum tr_status finish_levels(struct mesher *mesher, struct mesh_level *levels, uint32_t count,
                                    struct tr_error *error)
{
    enum tr_status status = TR_OK;
    for (uint32_t l = 0; l < count && status == TR_OK; l++)
        if (l + 1 < count)
            status = mesh_finish(mesher, &levels[l], &levels[l + 1], error);
        else if (levels[l].lod == mesher->top)
            status = mesh_finish(mesher, &levels[l], NULL, error);
    return status;
}

static enum tr_status measure_ground(struct mesher *mesher, struct mesh_level *levels, uint32_t count,
                                     FILE *spool, struct tr_error *error)
{
    struct mesh_measure *measure = NULL;
    enum tr_status status = TR_OK;
    if (!mesher->measures)
        return TR_OK;
    if (count > 1)
        status = mesh_measure_create(mesher, levels, count, &measure, error);
    for (size_t i = 0; i < mesh_level_count(&levels[0]) && count > 1 && status == TR_OK; i++)
        status = mesh_measure_add(measure, &levels[0].nodes[i].points, 1, error);
    mesh_measure_end(measure);
    if (status == TR_OK && spool)
        status = spool_points(spool, &levels[0], error);
    return status;
}

/* A block: all its levels; *kept, the one column of its coarsest, is moved out where the region goes on. */
static enum tr_status mesh_block(struct mesher *mesher, int32_t corner_x, int32_t corner_z, FILE *spool,
                                 struct mesh_node *kept, struct tr_error *error)
{
    struct mesh_level levels[LEVELS_MAX] = {0};
    const uint32_t count = (mesher->top < TR_BLOCK_LOD ? mesher->top : TR_BLOCK_LOD) + 1;
    const int32_t side = 1 << TR_BLOCK_LOD;
    enum tr_status status = mesh_level_init(mesher, 0, corner_x, corner_z, side, &levels[0], error);
    if (status == TR_OK)
        status = mesh_ground(mesher, &levels[0], error);
    if (status == TR_OK)
        status = mesh_build_tiles(mesher, NULL, &levels[0], error);
    if (status == TR_OK)
        status = raise_levels(mesher, levels, count, corner_x, corner_z, side, error);
    if (status == TR_OK)
        status = measure_ground(mesher, levels, count, spool, error);
    if (status == TR_OK)
        status = finish_levels(mesher, levels, count, error);
    if (status == TR_OK && kept) {
        *kept = levels[count - 1].nodes[0];
        levels[count - 1].nodes[0] = (struct mesh_node){0};
    }
    for (uint32_t l = 0; l < count; l++)
        mesh_level_release(&levels[l]);
    return status;
}

/* The levels above those of blocks. */
static enum tr_status mesh_upper(struct mesher *mesher, struct mesh_level *levels, FILE *spool,
                                 struct tr_error *error)
{
    const uint32_t count = mesher->top - TR_BLOCK_LOD + 1;
    struct mesh_measure *measure = NULL;
    enum tr_status status =
        raise_levels(mesher, levels, count, mesher->region_x, mesher->region_z, 1 << mesher->top, error);
    if (status == TR_OK && mesher->measures)
        status = mesh_measure_create(mesher, levels + 1, count - 1, &measure, error);
    if (measure && status == TR_OK)
        status = measure_spooled(spool, measure, error);
    mesh_measure_end(measure);
    if (status == TR_OK)
        status = finish_levels(mesher, levels, count, error);
    return status;
}

static void report_block(struct mesher *mesher, int32_t x, int32_t z)
{
    const struct tr_world_info *info = &mesher->world->info;
    const int32_t side = 1 << TR_BLOCK_LOD;
    const int32_t width = info->size_x - x < side ? info->size_x - x : side,
                  depth = info->size_z - z < side ? info->size_z - z : side;
    mesher->chunks_done += (uint64_t)width * (uint64_t)depth;
    tr_progress_report(mesher->options->progress, mesher->chunks_done,
                       (uint64_t)info->size_x * (uint64_t)info->size_z);
}

static enum tr_status mesh_region(struct mesher *mesher, struct tr_error *error)
{
    struct mesh_level levels[LEVELS_MAX] = {0};
    const bool goes_on = mesher->top > TR_BLOCK_LOD;
    const int32_t side = 1 << (goes_on ? mesher->top : TR_BLOCK_LOD);
    FILE *spool = NULL;
    struct mesh_level blocks;
    enum tr_status status =
        mesh_level_init(mesher, TR_BLOCK_LOD, mesher->region_x, mesher->region_z, side, &blocks, error);
    if (status == TR_OK && goes_on && mesher->measures && !(spool = tmpfile()))
        status = tr_fail_errno(error, "cannot create a temporary file");
    for (size_t i = 0; i < mesh_level_count(&blocks) && status == TR_OK; i++) {
        const int32_t x = blocks.nodes[i].cx << TR_BLOCK_LOD, z = blocks.nodes[i].cz << TR_BLOCK_LOD;
        status = mesh_block(mesher, x, z, spool, goes_on ? &blocks.nodes[i] : NULL, error);
        report_block(mesher, x, z);
    }
    levels[0] = blocks;
    if (status == TR_OK && goes_on)
        status = mesh_upper(mesher, levels, spool, error);
    for (int l = 0; l < LEVELS_MAX; l++)
        mesh_level_release(&levels[l]);
    if (spool)
        fclose(spool);
    return status;
}

static enum tr_status mesh_regions(struct mesher *mesher, struct tr_error *error)
{
    const struct tr_world_info *info = &mesher->world->info;
    const int32_t side = 1 << (mesher->top > TR_BLOCK_LOD ? mesher->top : TR_BLOCK_LOD);
    enum tr_status status = TR_OK;
    for (int32_t z = 0; z < info->size_z && status == TR_OK; z += side)
        for (int32_t x = 0; x < info->size_x && status == TR_OK; x += side) {
            mesher->region_x = x;
            mesher->region_z = z;
            status = mesh_region(mesher, error);
        }
    return status;
}

enum tr_status tr_mesh_world(struct tr_bake *bake, const struct tr_world *world,
                             const struct tr_mesh_options *options, struct tr_pack_writer *writer,
                             struct tr_mesh_result *result, struct tr_error *error)
{
    *result = (struct tr_mesh_result){0};
    struct mesher mesher = {.bake = bake,
                            .world = world,
                            .options = options,
                            .writer = writer,
                            .result = result,
                            .top = options->selection.top,
                            .measures = options->selection.top > 0};
    if (options->wants_targets && mesher.top < TR_LOD_MAX)
        mesher.top++;
    enum tr_status status = tr_cache_create(world, options->cache_bytes, &mesher.cache, error);
    if (status == TR_OK)
        status = tr_column_kinds_init(&mesher.kinds, world, mesher.cache, bake->jobs, error);
    if (status == TR_OK)
        status = mesh_regions(&mesher, error);
    tr_cache_free(mesher.cache);
    tr_column_kinds_release(&mesher.kinds);
    return status;
}
