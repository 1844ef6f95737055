/* See mesh_world.h. Columns are taken in order; the tiles of some columns make a batch, which the device
 * meshes, jobs compress and the writer appends. What a tile needs is copied from the chunks around it, so a
 * batch is free of the cache. */
#include "lib/run/mesh_world.h"
#include "lib/base/alloc.h"
#include "lib/run/gather.h"
#include "lib/world/cache.h"
#include <stdlib.h>
#include <string.h>

/* Tiles in a call of the device: enough to keep a GPU busy, small enough for a software device. */
#define BATCH 64
/* Bytes of blocks that the columns of a batch may hold in the cache, so that worlds of deep sculpting take no more: one column at least. */
#define HELD_BYTES ((size_t)512 << 20)

struct column {
    int32_t cx, cz;
    const struct tr_chunk *held[3][3]; /* chunks around, pinned in the cache while the batch is worked on */
    int32_t *heights;                  /* TR_TILE_HALO */
};

struct mesher {
    struct tr_bake *bake;
    const struct tr_world *world;
    struct tr_cache *cache;
    struct tr_pack_writer *writer;
    struct tr_mesh_result *result;
    struct column columns[BATCH];
    size_t column_count, held_bytes;
    struct tr_mesh_task tasks[BATCH];
    size_t task_count;
    struct tr_pack_blob blobs[BATCH];
};

static enum tr_status hold_column(struct mesher *mesher, struct column *column, struct tr_error *error)
{
    const struct tr_world_info *info = &mesher->world->info;
    for (int dz = -1; dz <= 1; dz++)
        for (int dx = -1; dx <= 1; dx++) {
            int32_t cx = column->cx + dx, cz = column->cz + dz;
            if (cx < 0 || cz < 0 || cx > info->size_x || cz > info->size_z)
                continue;
            const struct tr_chunk **held = &column->held[dz + 1][dx + 1];
            enum tr_status status = tr_cache_hold(mesher->cache, cx, cz, held, error);
            if (status != TR_OK)
                return status;
            mesher->held_bytes += (*held)->block_count * TR_BLOCK_SAMPLES *
                                  (sizeof(int16_t) + sizeof(uint8_t)); /* with paint */
        }
    if (!(column->heights = tr_alloc(TR_TILE_HALO, sizeof *column->heights, error)))
        return TR_IO;
    struct tr_neighbourhood around;
    memcpy(around.chunks, column->held, sizeof around.chunks);
    tr_gather_heights(info, &around, column->cx, column->cz, -1, TR_TILE_SAMPLES, column->heights);
    return TR_OK;
}

static void release_columns(struct mesher *mesher)
{
    for (size_t i = 0; i < mesher->column_count; i++) {
        for (int k = 0; k < 9; k++)
            if (mesher->columns[i].held[k / 3][k % 3])
                tr_cache_release(mesher->cache, mesher->columns[i].held[k / 3][k % 3]);
        free(mesher->columns[i].heights);
        mesher->columns[i] = (struct column){0};
    }
    mesher->column_count = 0;
    mesher->held_bytes = 0;
}

/* Rows of tiles that may have a sign change: where the ground of the column's cells lies, and where a block
 * of its closed footprint reaches (a block's lowest samples are the upper corners of the row below). Bit r is
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
    int64_t first = tr_floor_div(lowest, TR_UNITS * TR_CHUNK),
            last = tr_floor_div(highest, TR_UNITS * TR_CHUNK);
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

static enum tr_status encode_tile(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct mesher *mesher = context;
    const struct tr_mesh_task *task = &mesher->tasks[index];
    if (task->mesh.index_count == 0)
        return TR_OK;
    return tr_pack_encode(task->cx, task->cy, task->cz, 0, &task->mesh, &mesher->blobs[index], error);
}

static void release_tasks(struct mesher *mesher)
{
    for (size_t i = 0; i < mesher->task_count; i++) {
        tr_mesh_release(&mesher->tasks[i].mesh);
        tr_pack_blob_release(&mesher->blobs[i]);
        mesher->blobs[i] = (struct tr_pack_blob){0};
    }
    mesher->task_count = 0;
}

static enum tr_status flush(struct mesher *mesher, struct tr_error *error)
{
    if (mesher->task_count == 0)
        return TR_OK;
    enum tr_status status = mesher->bake->ops->mesh(mesher->bake, mesher->tasks, mesher->task_count, error);
    if (status == TR_OK)
        status = tr_jobs_run(mesher->bake->jobs, mesher->task_count, encode_tile, mesher, error);
    for (size_t i = 0; i < mesher->task_count && status == TR_OK; i++) {
        const struct tr_mesh *mesh = &mesher->tasks[i].mesh;
        if (mesh->index_count == 0)
            continue;
        status = tr_pack_writer_add(mesher->writer, &mesher->blobs[i], error);
        mesher->result->tiles++;
        mesher->result->vertices += mesh->vertex_count;
        mesher->result->triangles += mesh->index_count / 3;
    }
    release_tasks(mesher);
    return status;
}

/* Queues the tiles of a column; a batch that is full is flushed, and its columns but this one let go. */
static enum tr_status add_column(struct mesher *mesher, int32_t cx, int32_t cz, struct tr_error *error)
{
    if (mesher->column_count == BATCH || mesher->held_bytes > HELD_BYTES) {
        enum tr_status status = flush(mesher, error);
        release_columns(mesher);
        if (status != TR_OK)
            return status;
    }
    struct column *column = &mesher->columns[mesher->column_count++];
    *column = (struct column){.cx = cx, .cz = cz};
    enum tr_status status = hold_column(mesher, column, error);
    if (status != TR_OK)
        return status;
    uint8_t rows[ROWS];
    find_rows(column, rows);
    for (int r = 0; r < ROWS; r++) {
        if (!rows[r])
            continue;
        if (mesher->task_count == BATCH && (status = flush(mesher, error)) != TR_OK)
            return status;
        struct tr_mesh_task *task = &mesher->tasks[mesher->task_count++];
        int32_t cy = r + TR_BLOCK_ROW_MIN - 1;
        *task = (struct tr_mesh_task){.cx = cx,
                                      .cy = cy,
                                      .cz = cz,
                                      .world_x = mesher->world->info.size_x,
                                      .world_z = mesher->world->info.size_z,
                                      .heights = column->heights};
        for (int k = 0; k < 27; k++) {
            const struct tr_chunk *chunk = column->held[k / 3 % 3][k % 3];
            task->blocks[k] = chunk ? tr_chunk_block(chunk, cy + k / 9 - 1) : NULL;
        }
    }
    return TR_OK;
}

enum tr_status tr_mesh_world(struct tr_bake *bake, const struct tr_world *world, size_t cache_bytes,
                             struct tr_pack_writer *writer, struct tr_mesh_result *result,
                             struct tr_error *error)
{
    *result = (struct tr_mesh_result){0};
    struct mesher *mesher = tr_alloc(1, sizeof *mesher, error);
    if (!mesher)
        return TR_IO;
    *mesher = (struct mesher){.bake = bake, .world = world, .writer = writer, .result = result};
    enum tr_status status = tr_cache_create(world, cache_bytes, &mesher->cache, error);
    for (int32_t cz = 0; cz < world->info.size_z && status == TR_OK; cz++)
        for (int32_t cx = 0; cx < world->info.size_x && status == TR_OK; cx++)
            status = add_column(mesher, cx, cz, error);
    if (status == TR_OK)
        status = flush(mesher, error);
    release_tasks(mesher);
    release_columns(mesher);
    tr_cache_free(mesher->cache);
    free(mesher);
    return status;
}
