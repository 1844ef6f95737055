/* LOD 0 of a block: what each column needs is copied or held from the chunks around it, the device makes lattices and height grids, and what
 * only the host knows is added: materials, and the points by which coarser tiles are judged. */
#include "lib/run/mesh_internal.h"

#include "lib/base/alloc.h"
#include "lib/run/gather.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS 64 /* of a block */
#define TILES 64 /* in a call of the device: enough to keep a GPU busy, small enough for a software device */
/* Bytes of blocks that the columns of a batch may hold in the cache, so that worlds of deep sculpting take no more: one row of columns at
 * least. */
#define HELD_BYTES ((size_t)512 << 20)
#define TILE_UNITS (TR_CHUNK * TR_UNITS)

struct column {
    struct mesh_node *node;
    const struct tr_chunk *held[3][3]; /* chunks around, pinned in the cache while the batch is worked on */
    size_t held_bytes;                 /* of their blocks */
    int32_t *heights;                  /* TR_TILE_HALO */
    size_t first_task;                 /* of its rows that may have a crossing */
    size_t task_count;
};

struct ground {
    struct mesher *mesher;
    struct column columns[COLUMNS];
    size_t column_count, ready_count, held_bytes; /* ready: held and queued */
    struct tr_mesh_task *tasks;
    size_t task_count, task_capacity;
    struct tr_grid_task grids[COLUMNS];
    size_t grid_count;
};

/* ---- what is needed ---- */

/* Whether the column is meshed, or is the parent of one that is and so has its geomorph targets. */
static bool is_used(const struct mesher *mesher, uint32_t lod, int32_t cx, int32_t cz)
{
    const struct tr_selection *selection = &mesher->options->selection;
    if (tr_selection_has(selection, lod, cx, cz))
        return true;
    for (int i = 0; i < 4 && lod > 0 && mesher->options->wants_targets; i++)
        if (tr_selection_has(selection, lod - 1, 2 * cx + (i & 1), 2 * cz + (i >> 1)))
            return true;
    return false;
}

/* Whether the column is marching cubes or may stand beside a column that is. */
static bool meets_marched(const struct mesher *mesher, uint32_t lod, int32_t cx, int32_t cz)
{
    static const int32_t beside[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int i = 0; i < 5; i++) {
        const int32_t x = cx + beside[i][0], z = cz + beside[i][1];
        if (tr_column_is_marched(&mesher->kinds, lod, x, z) ||
            (i > 0 && lod < TR_LOD_MAX && tr_column_is_marched(&mesher->kinds, lod + 1, x >> 1, z >> 1)))
            return true;
    }
    return false;
}

/* A lattice is needed by a column that is marching cubes or meets one, and by all that are coarser over it. */
static bool needs_lattices(const struct mesher *mesher, int32_t cx, int32_t cz)
{
    for (uint32_t lod = 0; lod <= mesher->top; lod++)
        if (is_used(mesher, lod, cx >> lod, cz >> lod) && meets_marched(mesher, lod, cx >> lod, cz >> lod))
            return true;
    return false;
}

/* ---- gathering ---- */

static enum tr_status hold_chunks(const struct mesher *mesher, struct column *column, struct tr_error *error)
{
    const struct tr_world_info *info = &mesher->world->info;
    for (int dz = -1; dz <= 1; dz++)
        for (int dx = -1; dx <= 1; dx++) {
            const int32_t cx = column->node->cx + dx, cz = column->node->cz + dz;
            if (cx < 0 || cz < 0 || cx > info->size_x || cz > info->size_z)
                continue;
            const struct tr_chunk **held = &column->held[dz + 1][dx + 1];
            enum tr_status status = tr_cache_hold(mesher->cache, cx, cz, held, error);
            if (status != TR_OK)
                return status;
            column->held_bytes += (*held)->block_count * TR_BLOCK_SAMPLES *
                                  (sizeof(int16_t) + sizeof(uint8_t)); /* with paint */
        }
    if (!(column->heights = tr_alloc(TR_TILE_HALO, sizeof *column->heights, error)))
        return TR_IO;
    struct tr_neighbourhood around;
    memcpy(around.chunks, column->held, sizeof around.chunks);
    tr_gather_heights(info, &around, column->node->cx, column->node->cz, -1, TR_TILE_SAMPLES,
                      column->heights);
    return TR_OK;
}

/* Rows of tiles that may have a sign change: where the ground of the column's cells lies, and where a block
 * of its closed footprint reaches (a block's lowest samples are the upper corners of the row below). rows[r] is
 * row r + TR_BLOCK_ROW_MIN - 1. */
#define ROWS (TR_BLOCK_ROW_MAX - TR_BLOCK_ROW_MIN + 3)
static void find_rows(const struct column *column, uint8_t rows[ROWS])
{
    int32_t lowest = column->heights[TR_TILE_SAMPLES + 1], highest = lowest;
    for (int z = 1; z <= TR_TILE_CORNERS; z++)
        for (int x = 1; x <= TR_TILE_CORNERS; x++) {
            int32_t h = column->heights[z * TR_TILE_SAMPLES + x];
            lowest = h < lowest ? h : lowest;
            highest = h > highest ? h : highest;
        }
    memset(rows, 0, ROWS);
    int64_t first = tr_floor_div(lowest, TILE_UNITS), last = tr_floor_div(highest, TILE_UNITS);
    for (int64_t row = first; row <= last; row++)
        rows[row - TR_BLOCK_ROW_MIN + 1] = 1;
    for (int k = 0; k < 4; k++) {
        const struct tr_chunk *chunk = column->held[1 + k / 2][1 + k % 2];
        for (size_t b = 0; chunk && b < chunk->block_count; b++) {
            rows[chunk->blocks[b].cy - TR_BLOCK_ROW_MIN] = 1;
            rows[chunk->blocks[b].cy - TR_BLOCK_ROW_MIN + 1] = 1;
        }
    }
}

static enum tr_status alloc_rows(struct mesh_node *node, struct tr_error *error)
{
    node->lattices = tr_alloc(node->row_count, sizeof *node->lattices, error);
    node->rows = tr_alloc(node->row_count, sizeof *node->rows, error);
    node->triangles = tr_alloc(node->row_count, sizeof *node->triangles, error);
    node->triangle_indices = tr_alloc(node->row_count, sizeof *node->triangle_indices, error);
    if (!node->lattices || !node->rows || !node->triangles || !node->triangle_indices)
        return TR_IO;
    for (uint32_t r = 0; r < node->row_count; r++) {
        node->lattices[r] = (struct tr_lattice){.cells = {TR_CHUNK, TR_CHUNK, TR_CHUNK}};
        node->rows[r] = &node->lattices[r];
    }
    node->has_lattices = true;
    return TR_OK;
}

static enum tr_status queue_rows(struct ground *ground, struct column *column, struct tr_error *error)
{
    struct mesh_node *node = column->node;
    const struct tr_world_info *info = &ground->mesher->world->info;
    uint8_t rows[ROWS];
    find_rows(column, rows);
    int first = 0, last = ROWS - 1;
    while (!rows[first])
        first++;
    while (!rows[last])
        last--;
    node->first_row = first + TR_BLOCK_ROW_MIN - 1;
    node->row_count = (uint32_t)(last - first + 1);
    enum tr_status status = alloc_rows(node, error);
    column->first_task = ground->task_count;
    for (int r = first; r <= last && status == TR_OK; r++) {
        const int32_t cy = r + TR_BLOCK_ROW_MIN - 1;
        if (!rows[r]) { /* no block and no ground: one sign, that of any of its heights */
            node->lattices[r - first].is_solid =
                (int64_t)cy * TILE_UNITS <= column->heights[TR_TILE_SAMPLES + 1];
            continue;
        }
        status = tr_grow(&ground->tasks, &ground->task_capacity, ground->task_count + 1,
                         sizeof *ground->tasks, error);
        if (status != TR_OK)
            break;
        struct tr_mesh_task *task = &ground->tasks[ground->task_count++];
        *task = (struct tr_mesh_task){.cx = node->cx,
                                      .cy = cy,
                                      .cz = node->cz,
                                      .world_x = info->size_x,
                                      .world_z = info->size_z,
                                      .heights = column->heights,
                                      .wants_triangles = node->is_selected && node->is_marched};
        for (int k = 0; k < 27; k++) {
            const struct tr_chunk *chunk = column->held[k / 3 % 3][k % 3];
            task->blocks[k] = chunk ? tr_chunk_block(chunk, cy + k / 9 - 1) : NULL;
        }
        column->task_count++;
    }
    return status;
}

/* ---- materials and points ---- */

/* Paint at a sample of the column's closed footprint, x and z 0..64. */
static uint8_t material_at(const struct column *column, int x, int64_t y, int z)
{
    const struct tr_chunk *chunk = column->held[1 + z / TR_CHUNK][1 + x / TR_CHUNK];
    return (uint8_t)tr_chunk_material(chunk, x % TR_CHUNK, y, z % TR_CHUNK);
}

static bool is_painted(const struct column *column)
{
    for (int k = 0; k < 4; k++) {
        const struct tr_chunk *chunk = column->held[1 + k / 2][1 + k % 2];
        if (chunk && tr_chunk_is_painted(chunk))
            return true;
    }
    return false;
}

/* A vertex of LOD 0 is off the lattice along one axis only, and its edge ends at the samples there. */
static uint8_t lattice_material(const struct column *column, const struct tr_lattice *lattice, int64_t low_y,
                                const tr_vertex *vertex)
{
    int at[3] = {vertex->x / TR_UNITS, vertex->y / TR_UNITS, vertex->z / TR_UNITS};
    const int axis = vertex->x % TR_UNITS ? 0 : vertex->y % TR_UNITS ? 1 : 2;
    if (!tr_lattice_is_solid(lattice, (uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]))
        at[axis]++;
    return material_at(column, at[0], low_y + at[1], at[2]);
}

static enum tr_status paint_lattice(const struct column *column, struct tr_lattice *lattice, int32_t row,
                                    struct tr_error *error)
{
    if (lattice->vertex_count == 0)
        return TR_OK;
    if (!(lattice->materials = tr_alloc(lattice->vertex_count, 1, error)))
        return TR_IO;
    for (uint32_t i = 0; i < lattice->vertex_count; i++)
        lattice->materials[i] =
            lattice_material(column, lattice, (int64_t)row * TR_CHUNK, &lattice->vertices[i]);
    return TR_OK;
}

static uint32_t grid_vertices(const struct tr_height_grid *grid)
{
    return grid->vertices ? (grid->cells[0] + 1) * (grid->cells[1] + 1) : 0;
}

static enum tr_status paint_grid(const struct column *column, struct tr_height_grid *grid,
                                 struct tr_error *error)
{
    const uint32_t count = grid_vertices(grid);
    if (!(grid->materials = tr_alloc(count, 1, error)))
        return TR_IO;
    for (uint32_t i = 0; i < count; i++) {
        const tr_vertex *vertex = &grid->vertices[i];
        grid->materials[i] = material_at(column, vertex->x / TR_UNITS, tr_floor_div(vertex->y, TR_UNITS),
                                         vertex->z / TR_UNITS);
    }
    return TR_OK;
}

static void add_points(const struct mesher *mesher, struct mesh_node *node, const tr_vertex *vertices,
                       uint32_t count, int32_t low_y)
{
    const int32_t x = (node->cx - mesher->region_x) * TILE_UNITS,
                  z = (node->cz - mesher->region_z) * TILE_UNITS;
    for (uint32_t i = 0; i < count; i++) {
        int32_t *point = node->points.xyz[node->points.count++];
        point[0] = x + vertices[i].x;
        point[1] = low_y + vertices[i].y;
        point[2] = z + vertices[i].z;
    }
}

static enum tr_status keep_points(const struct mesher *mesher, struct mesh_node *node, struct tr_error *error)
{
    size_t count = grid_vertices(&node->grid);
    for (uint32_t r = 0; r < node->row_count && node->is_marched; r++)
        count += node->lattices[r].vertex_count;
    if (!(node->points.xyz = tr_alloc(count, sizeof *node->points.xyz, error)))
        return TR_IO;
    add_points(mesher, node, node->grid.vertices, grid_vertices(&node->grid), 0);
    for (uint32_t r = 0; r < node->row_count && node->is_marched; r++)
        add_points(mesher, node, node->lattices[r].vertices, node->lattices[r].vertex_count,
                   (node->first_row + (int32_t)r) * TILE_UNITS);
    return TR_OK;
}

static enum tr_status complete_column(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct ground *ground = context;
    struct column *column = &ground->columns[index];
    struct mesh_node *node = column->node;
    const struct tr_lattice_column lattices = {node->rows, node->first_row, node->row_count};
    enum tr_status status = TR_OK;
    if (node->grid.vertices && node->has_lattices)
        tr_height_grid_take_normals(&node->grid, &lattices, TR_CHUNK);
    if (is_painted(column)) {
        for (uint32_t r = 0; r < node->row_count && status == TR_OK; r++)
            status = paint_lattice(column, &node->lattices[r], node->first_row + (int32_t)r, error);
        if (node->grid.vertices && status == TR_OK)
            status = paint_grid(column, &node->grid, error);
    }
    if (ground->mesher->measures && status == TR_OK)
        status = keep_points(ground->mesher, node, error);
    return status;
}

/* ---- batches ---- */

static void release_batch(struct ground *ground)
{
    for (size_t i = 0; i < ground->column_count; i++) {
        struct column *column = &ground->columns[i];
        for (int k = 0; k < 9; k++)
            if (column->held[k / 3][k % 3])
                tr_cache_release(ground->mesher->cache, column->held[k / 3][k % 3]);
        free(column->heights);
        *column = (struct column){0};
    }
    for (size_t i = 0; i < ground->task_count; i++) { /* what a failure left */
        tr_lattice_release(&ground->tasks[i].lattice);
        free(ground->tasks[i].indices);
    }
    for (size_t i = 0; i < ground->grid_count; i++)
        tr_height_grid_release(&ground->grids[i].grid);
    ground->column_count = ground->ready_count = 0;
    ground->task_count = ground->grid_count = ground->held_bytes = 0;
}

/* What the tasks made goes to the columns' nodes. */
static void hand_over(struct ground *ground)
{
    size_t grid = 0;
    for (size_t i = 0; i < ground->column_count; i++) {
        struct column *column = &ground->columns[i];
        struct mesh_node *node = column->node;
        if (!node->is_marched)
            node->grid = ground->grids[grid++].grid;
        for (size_t k = 0; k < column->task_count; k++) {
            struct tr_mesh_task *task = &ground->tasks[column->first_task + k];
            const int32_t row = task->cy - node->first_row;
            node->lattices[row] = task->lattice;
            node->triangles[row] = task->indices;
            node->triangle_indices[row] = task->index_count;
            task->lattice = (struct tr_lattice){0};
            task->indices = NULL;
        }
    }
    ground->grid_count = 0;
}

static enum tr_status flush(struct ground *ground, struct tr_error *error)
{
    struct tr_bake *bake = ground->mesher->bake;
    enum tr_status status = TR_OK;
    if (ground->task_count > 0)
        status = bake->ops->mesh(bake, ground->tasks, ground->task_count, error);
    if (ground->grid_count > 0 && status == TR_OK)
        status = bake->ops->grid(bake, ground->grids, ground->grid_count, error);
    if (status == TR_OK) {
        hand_over(ground);
        status = tr_jobs_run(bake->jobs, ground->column_count, complete_column, ground, error);
    }
    release_batch(ground);
    return status;
}

static enum tr_status hold_column(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct ground *ground = context;
    return hold_chunks(ground->mesher, &ground->columns[ground->ready_count + index], error);
}

/* Some columns: their chunks are decoded by all jobs, then the device's work is queued in order. */
static enum tr_status add_columns(struct ground *ground, struct mesh_node *nodes, size_t count,
                                  struct tr_error *error)
{
    for (size_t i = 0; i < count; i++)
        ground->columns[ground->column_count++] = (struct column){.node = &nodes[i]};
    enum tr_status status = tr_jobs_run(ground->mesher->bake->jobs, count, hold_column, ground, error);
    for (; ground->ready_count < ground->column_count && status == TR_OK; ground->ready_count++) {
        struct column *column = &ground->columns[ground->ready_count];
        ground->held_bytes += column->held_bytes;
        if (!column->node->is_marched)
            ground->grids[ground->grid_count++] = (struct tr_grid_task){.heights = column->heights};
        if (needs_lattices(ground->mesher, column->node->cx, column->node->cz))
            status = queue_rows(ground, column, error);
    }
    return status;
}

enum tr_status mesh_ground(struct mesher *mesher, struct mesh_level *level, struct tr_error *error)
{
    struct ground *ground = tr_alloc(1, sizeof *ground, error);
    if (!ground)
        return TR_IO;
    ground->mesher = mesher;
    enum tr_status status = TR_OK;
    for (size_t i = 0; i < mesh_level_count(level) && status == TR_OK; i += level->count_x) {
        if (ground->task_count >= TILES || ground->held_bytes > HELD_BYTES)
            status = flush(ground, error);
        if (status == TR_OK)
            status = add_columns(ground, &level->nodes[i], level->count_x, error);
    }
    if (status == TR_OK)
        status = flush(ground, error);
    release_batch(ground);
    free(ground->tasks);
    free(ground);
    return status;
}
