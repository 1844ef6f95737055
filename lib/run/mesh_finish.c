/* The last steps of a tile, a tile a job: its error, its geomorph targets and weights, the neighbourhood of a window, and the pack. */
#include "lib/run/mesh_internal.h"

#include "lib/base/alloc.h"
#include "lib/mesh/morph.h"
#include "lib/mesh/splat.h"
#include "lib/mesh/tile_error.h"

#include <stdlib.h>
#include <string.h>

/* A tile with its column and level. */
struct place {
    const struct mesh_level *level;
    struct mesh_node *node;
    struct mesh_tile *tile;
};

static size_t count_tiles(const struct mesh_level *levels, size_t level_count, bool counts_ground)
{
    size_t count = 0;
    for (size_t l = 0; l < level_count; l++)
        for (size_t i = 0; i < mesh_level_count(&levels[l]); i++)
            if (counts_ground || levels[l].lod > 0)
                count += levels[l].nodes[i].tile_count;
    return count;
}

static enum tr_status list_tiles(const struct mesh_level *levels, size_t level_count, bool counts_ground,
                                 struct place **places, size_t *count, struct tr_error *error)
{
    *count = 0;
    *places = tr_alloc(count_tiles(levels, level_count, counts_ground), sizeof **places, error);
    if (!*places)
        return TR_IO;
    for (size_t l = 0; l < level_count; l++)
        for (size_t i = 0; i < mesh_level_count(&levels[l]); i++)
            for (size_t t = 0; t < levels[l].nodes[i].tile_count; t++)
                if (counts_ground || levels[l].lod > 0)
                    (*places)[(*count)++] =
                        (struct place){&levels[l], &levels[l].nodes[i], &levels[l].nodes[i].tiles[t]};
    return TR_OK;
}

static int64_t tile_units(uint32_t lod)
{
    return (int64_t)TR_CHUNK * TR_UNITS << lod;
}

/* ---- errors ---- */

struct measured {
    struct place place;
    struct tr_tile_error *error;
    int32_t lo[3], hi[3]; /* what the tile covers, in the frame of points; hi is beyond it */
    int32_t low_row;      /* the tile row where the measured surface begins */
};

struct mesh_measure {
    struct mesher *mesher;
    struct measured *tiles;
    size_t count;
    const struct mesh_points *points; /* of the call that is running */
    size_t points_count;
};

/* A height tile covers all heights, a tile of marching cubes its own row. What lies on the far sides belongs to the tile there, but for the
 * world's edge. */
static void find_cover(const struct mesher *mesher, struct measured *measured)
{
    const struct place *place = &measured->place;
    const int64_t units = tile_units(place->level->lod);
    const int64_t at[3] = {place->node->cx * units - (int64_t)mesher->region_x * tile_units(0),
                           place->tile->row * units,
                           place->node->cz * units - (int64_t)mesher->region_z * tile_units(0)};
    const bool is_last[3] = {place->node->cx + 1 == mesher->kinds.columns_x[place->level->lod], false,
                             place->node->cz + 1 == mesher->kinds.columns_z[place->level->lod]};
    for (int axis = 0; axis < 3; axis++) {
        measured->lo[axis] = (int32_t)at[axis];
        measured->hi[axis] = (int32_t)(at[axis] + units + is_last[axis]);
    }
    if (place->tile->mesh.kind == TR_TILE_HEIGHTS) {
        measured->lo[1] = INT32_MIN;
        measured->hi[1] = INT32_MAX;
    }
}

/* Appends a tile's surface, raised to its place over low_row, as part of one. */
static void stack_surface(const struct mesh_tile *tile, int32_t raise, struct tr_tile_mesh *stack)
{
    for (uint32_t i = 0; i < tile->mesh.part_count; i++) {
        const struct tr_tile_part *part = &tile->mesh.parts[i];
        for (uint32_t k = 0; k < part->index_count && part->face == TR_PART_SURFACE; k++)
            stack->indices[stack->index_count++] =
                stack->vertex_count + tile->mesh.indices[part->first_index + k];
    }
    for (uint32_t i = 0; i < tile->mesh.vertex_count; i++) {
        tr_vertex vertex = tile->mesh.vertices[i];
        vertex.y += raise;
        stack->vertices[stack->vertex_count++] = vertex;
    }
}

/* Where a column is cut into tiles means nothing to the surface: ground just below the border of two rows may have its coarse surface just above it,
 * in the other tile. So a tile of marching cubes is measured against its own surface with those of the tiles on and under it. */
static enum tr_status measure_stack(struct measured *measured, struct tr_error *error)
{
    const struct mesh_node *node = measured->place.node;
    const struct mesh_tile *middle = measured->place.tile, *end = node->tiles + node->tile_count;
    const struct mesh_tile *first = middle > node->tiles ? middle - 1 : middle;
    const struct mesh_tile *last = middle + 1 < end ? middle + 1 : middle;
    const int32_t units = (int32_t)tile_units(measured->place.level->lod);
    struct tr_tile_part part = {.face = TR_PART_SURFACE};
    struct tr_tile_mesh stack = middle->mesh;
    size_t vertices = 0, indices = 0;
    for (const struct mesh_tile *tile = first; tile <= last; tile++) {
        vertices += tile->mesh.vertex_count;
        indices += tile->mesh.index_count;
    }
    memset(part.states, TR_SIDE_ANY, sizeof part.states);
    stack.vertices = tr_alloc(vertices, sizeof *stack.vertices, error);
    stack.indices = tr_alloc(indices, sizeof *stack.indices, error);
    stack.vertex_count = stack.index_count = 0;
    enum tr_status status = stack.vertices && stack.indices ? TR_OK : TR_IO;
    if (status == TR_OK) {
        measured->low_row = first->row;
        for (const struct mesh_tile *tile = first; tile <= last; tile++)
            stack_surface(tile, (tile->row - first->row) * units, &stack);
        part.index_count = stack.index_count;
        stack.parts = &part;
        stack.part_count = 1;
        stack.size[1] = (last->row - first->row + 1) * units;
        status = tr_tile_error_create(&stack, &measured->error, error);
    }
    free(stack.vertices);
    free(stack.indices);
    return status;
}

enum tr_status mesh_measure_create(struct mesher *mesher, struct mesh_level *levels, size_t level_count,
                                   struct mesh_measure **out, struct tr_error *error)
{
    struct place *places = NULL;
    size_t count = 0;
    struct mesh_measure *measure = tr_alloc(1, sizeof *measure, error);
    enum tr_status status = measure ? list_tiles(levels, level_count, false, &places, &count, error) : TR_IO;
    if (status == TR_OK && !(measure->tiles = tr_alloc(count, sizeof *measure->tiles, error)))
        status = TR_IO;
    if (measure)
        measure->mesher = mesher;
    for (size_t i = 0; i < count && status == TR_OK; i++) {
        struct measured *measured = &measure->tiles[measure->count++];
        measured->place = places[i];
        measured->low_row = places[i].tile->row;
        find_cover(mesher, measured);
        status = places[i].tile->mesh.kind == TR_TILE_MARCHED
                     ? measure_stack(measured, error)
                     : tr_tile_error_create(&places[i].tile->mesh, &measured->error, error);
    }
    free(places);
    *out = measure;
    return status;
}

static bool covers(const struct measured *measured, const int32_t point[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (point[axis] < measured->lo[axis] || point[axis] >= measured->hi[axis])
            return false;
    return true;
}

#define BUFFER 512

static void measure_points(struct measured *measured, const struct mesh_points *points)
{
    const int32_t low_y = (int32_t)(measured->low_row * tile_units(measured->place.level->lod));
    const int32_t corner[3] = {measured->lo[0], low_y, measured->lo[2]};
    int32_t buffer[BUFFER][3];
    size_t count = 0;
    for (size_t i = 0; i < points->count; i++) {
        if (!covers(measured, points->xyz[i]))
            continue;
        for (int axis = 0; axis < 3; axis++)
            buffer[count][axis] = points->xyz[i][axis] - corner[axis];
        if (++count == BUFFER) {
            tr_tile_error_add(measured->error, (const int32_t(*)[3])buffer, count);
            count = 0;
        }
    }
    tr_tile_error_add(measured->error, (const int32_t(*)[3])buffer, count);
}

/* Points of one column come together: whether any of them can be covered is seen from the first, within a chunk. */
static bool may_cover(const struct measured *measured, const struct mesh_points *points)
{
    const int32_t reach = (int32_t)tile_units(0);
    if (points->count == 0)
        return false;
    for (int axis = 0; axis < 3; axis += 2)
        if (points->xyz[0][axis] < measured->lo[axis] - reach ||
            points->xyz[0][axis] > measured->hi[axis] + reach)
            return false;
    return true;
}

static enum tr_status measure_tile(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    (void)error;
    struct mesh_measure *measure = context;
    struct measured *measured = &measure->tiles[index];
    for (size_t i = 0; i < measure->points_count; i++)
        if (may_cover(measured, &measure->points[i]))
            measure_points(measured, &measure->points[i]);
    return TR_OK;
}

enum tr_status mesh_measure_add(struct mesh_measure *measure, const struct mesh_points *points, size_t count,
                                struct tr_error *error)
{
    measure->points = points;
    measure->points_count = count;
    return tr_jobs_run(measure->mesher->bake->jobs, measure->count, measure_tile, measure, error);
}

void mesh_measure_end(struct mesh_measure *measure)
{
    if (!measure)
        return;
    for (size_t i = 0; i < measure->count; i++) {
        struct measured *measured = &measure->tiles[i];
        if (measured->error)
            measured->place.tile->mesh.error = tr_tile_error_result(measured->error);
        tr_tile_error_free(measured->error);
    }
    free(measure->tiles);
    free(measure);
}

/* ---- finishing ---- */

struct finish {
    struct mesher *mesher;
    const struct mesh_level *coarse;
    struct place *places;
    size_t count;
};

static enum tr_status make_marched_targets(const struct finish *finish, const struct place *place,
                                           struct tr_error *error)
{
    const struct mesh_node *node = place->node;
    const struct mesh_node *parent = mesh_level_find(finish->coarse, node->cx >> 1, node->cz >> 1);
    const int32_t row = place->tile->row;
    struct tr_lattice spare;
    const struct tr_lattice *coarse =
        mesh_node_row(finish->mesher, parent, finish->coarse->lod, (int32_t)tr_floor_div(row, 2), &spare);
    const uint32_t child =
        (uint32_t)(node->cx & 1) | (uint32_t)(row & 1) << 1 | (uint32_t)(node->cz & 1) << 2;
    return tr_morph_marched(&node->lattices[row - node->first_row], coarse, child, TR_CHUNK,
                            &place->tile->mesh, error);
}

static enum tr_status make_height_targets(const struct finish *finish, const struct place *place,
                                          struct tr_error *error)
{
    const struct mesh_node *node = place->node;
    const struct mesh_node *parent = mesh_level_find(finish->coarse, node->cx >> 1, node->cz >> 1);
    const struct tr_lattice_column coarse = {parent->rows, parent->first_row, parent->row_count};
    const uint32_t child = (uint32_t)(node->cx & 1) | (uint32_t)(node->cz & 1) << 1;
    uint32_t marched = 0;
    for (int side = 0; side < TR_COLUMN_SIDES; side++) {
        const struct mesh_neighbour beside = mesh_neighbour_of(node, side);
        if (tr_column_is_marched(&finish->mesher->kinds, place->level->lod, beside.cx, beside.cz))
            marched |= 1u << side;
    }
    return tr_morph_heights(&coarse, child, TR_CHUNK, marched, place->tile->row, &place->tile->mesh, error);
}

static enum tr_status finish_tile(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct finish *finish = context;
    const struct place *place = &finish->places[index];
    struct mesh_tile *tile = place->tile;
    const uint32_t lod = place->level->lod;
    enum tr_status status = TR_OK;
    if (tile->mesh.index_count == 0)
        return TR_OK;
    if (finish->coarse && finish->mesher->options->wants_targets)
        status = tile->mesh.kind == TR_TILE_MARCHED ? make_marched_targets(finish, place, error)
                                                    : make_height_targets(finish, place, error);
    if (status == TR_OK)
        status =
            tr_splat(&tile->mesh, tile->row * tile_units(lod), finish->mesher->world->info.voxel_size, error);
    if (status == TR_OK && !finish->mesher->options->selection.has_all)
        status = tr_tile_mesh_settle(&tile->mesh, place->node->states, error);
    if (status == TR_OK && tile->mesh.index_count > 0)
        status = tr_pack_encode(place->node->cx, tile->row, place->node->cz, place->node->states, &tile->mesh,
                                &tile->blob, error);
    return status;
}

static enum tr_status pack_tile(struct mesher *mesher, const struct place *place, struct tr_error *error)
{
    const struct tr_tile_mesh *mesh = &place->tile->mesh;
    if (mesh->index_count == 0)
        return TR_OK;
    enum tr_status status = tr_pack_writer_add(mesher->writer, &place->tile->blob, error);
    mesher->result->lods[place->level->lod].tiles++;
    mesher->result->lods[place->level->lod].vertices += mesh->vertex_count;
    mesher->result->lods[place->level->lod].triangles += mesh->index_count / 3;
    if (mesh->error > mesher->result->lods[place->level->lod].error)
        mesher->result->lods[place->level->lod].error = mesh->error;
    return status;
}

enum tr_status mesh_finish(struct mesher *mesher, struct mesh_level *level, const struct mesh_level *coarse,
                           struct tr_error *error)
{
    struct finish finish = {.mesher = mesher, .coarse = coarse};
    enum tr_status status = list_tiles(level, 1, true, &finish.places, &finish.count, error);
    if (status == TR_OK)
        status = tr_jobs_run(mesher->bake->jobs, finish.count, finish_tile, &finish, error);
    for (size_t i = 0; i < finish.count && status == TR_OK; i++)
        status = pack_tile(mesher, &finish.places[i], error);
    free(finish.places);
    return status;
}
