/* Mesh on Vulkan: the kernels `field` and `mc_*` on batches of tiles.
 *
 * A batch is submitted in two parts. The first ends with the number of vertices and triangles of each tile;
 * the host reads these, cuts the batch into groups whose vertices and indices fit a buffer (nearly always
 * one), and submits the kernels that write them. Blocks that several tiles of a batch read are uploaded once:
 * tasks share them by pointer.
 *
 * What comes back is little beside the field: of tiles with vertices alone these, the rows' signs and sums of
 * vertices, and indices where they are wanted. The host could count the sums again from the signs, but takes
 * ten times as long for that as the copy does. */
#include "lib/bake/vulkan_internal.h"

#include "lib/base/alloc.h"
#include "lib/mesh/case_table.h"
#include "shaders/mc_params.h"
#include <stdlib.h>
#include <string.h>

#define FIELD_BYTES ((size_t)TR_FIELD_STRIDE * 4)
#define BLOCK_BYTES ((size_t)TR_BLOCK_SAMPLES * sizeof(int16_t))
#define TILES_MAX 256
#define NEIGHBOURS 27
#define NEIGHBOUR_OWN 13 /* of blocks[]: the tile's own */
#define SIGNS_BYTES (TR_TILE_ROWS * sizeof(tr_row))
#define SUMS_BYTES (TR_TILE_ROWS * sizeof(uint32_t))

/* No tile has more. */
#define VERTICES_MAX (3u * TR_TILE_CORNERS * TR_TILE_CORNERS * TR_TILE_CORNERS)
#define TRIANGLES_MAX (TR_CASE_TRIANGLES_MAX * TR_TILE_CELLS * TR_TILE_CELLS * TR_TILE_CELLS)

/* The blocks of a batch, each once, found by their address. Capacity for the most that TILES_MAX tiles can
 * have, at most half full. */
#define POOL_PLACES 16384
_Static_assert(POOL_PLACES >= 2 * NEIGHBOURS * TILES_MAX, "the pool is at most half full");

struct pool {
    const int16_t *blocks[NEIGHBOURS * TILES_MAX];
    uint32_t count;
    uint32_t places[POOL_PLACES]; /* index into blocks + 1, or 0 */
};

/* What is known of the batch in one lane. */
struct mesh_batch {
    struct pool pool;
    size_t group_first, group_count; /* tiles of the group that is on the device, within the batch */
};

struct mesh {
    struct tr_mesh_task *tasks;
    size_t count;
    struct mesh_batch *batches;        /* 2, one a lane */
    const struct tr_vulkan_lane *lane; /* whose batch is gathered or scattered */
};

/* Pool --------------------------------------------------------------------------------------------------- */

/* The place where the block is, or the free one where it would be. */
static uint32_t *pool_place(struct pool *pool, const int16_t *block)
{
    uint32_t at = (uint32_t)(((uint64_t)(uintptr_t)block >> 6) * 0x9e3779b97f4a7c15u >> 40) % POOL_PLACES;

    while (pool->places[at] != 0 && pool->blocks[pool->places[at] - 1] != block)
        at = (at + 1) % POOL_PLACES;
    return &pool->places[at];
}

static void pool_add_tile(struct pool *pool, const struct tr_mesh_task *task)
{
    for (int i = 0; i < NEIGHBOURS; i++) {
        const int16_t *block = task->blocks[i];
        uint32_t *place;

        if (!block)
            continue;
        place = pool_place(pool, block);
        if (*place == 0) {
            pool->blocks[pool->count++] = block;
            *place = pool->count;
        }
    }
}

/* Blocks of the tile that are not in the pool; one that the tile names twice may be counted twice. */
static uint32_t pool_count_new(struct pool *pool, const struct tr_mesh_task *task)
{
    uint32_t count = 0;

    for (int i = 0; i < NEIGHBOURS; i++)
        count += task->blocks[i] && *pool_place(pool, task->blocks[i]) == 0;
    return count;
}

static uint32_t pool_index(struct pool *pool, const int16_t *block)
{
    return block ? *pool_place(pool, block) - 1 : TR_FIELD_NO_BLOCK;
}

/* First part: field and counts --------------------------------------------------------------------------- */

static size_t mesh_take(struct tr_vulkan *vulkan, void *context, int lane, size_t first)
{
    struct mesh *mesh = context;
    struct pool *pool = &mesh->batches[lane].pool;
    size_t most = vulkan->batch_bytes / FIELD_BYTES, most_blocks = vulkan->batch_bytes / BLOCK_BYTES,
           taken = 0;

    if (most > TILES_MAX)
        most = TILES_MAX;
    memset(pool, 0, sizeof *pool);
    do {
        pool_add_tile(pool, &mesh->tasks[first + taken++]);
    } while (taken < most && first + taken < mesh->count &&
             pool->count + pool_count_new(pool, &mesh->tasks[first + taken]) <= most_blocks);
    return taken;
}

/* The world's samples along one axis as the tile counts them, as far as it reads. */
static void world_range(int32_t tile, int32_t world, int *lo, int *hi)
{
    int64_t first = -(int64_t)tile * TR_CHUNK;
    int64_t last = ((int64_t)world - tile) * TR_CHUNK;

    *lo = first < -1 ? -1 : (int)first;
    *hi = last > TR_TILE_CORNERS ? TR_TILE_CORNERS : (int)last;
}

static enum tr_status tile_gather(void *context, size_t index, int job, struct tr_error *error)
{
    struct mesh *mesh = context;
    const struct tr_mesh_task *task = &mesh->tasks[mesh->lane->first + index];
    tr_field_item *item = (tr_field_item *)tr_lane_mirror(mesh->lane, TR_LANE_ITEMS) + index;
    int32_t *heights = (int32_t *)tr_lane_mirror(mesh->lane, TR_LANE_HEIGHTS) + index * TR_TILE_HALO;

    (void)job;
    (void)error;
    item->low_y = task->cy * TR_CHUNK;
    world_range(task->cx, task->world_x, &item->lo_x, &item->hi_x);
    world_range(task->cz, task->world_z, &item->lo_z, &item->hi_z);
    for (int i = 0; i < NEIGHBOURS; i++)
        item->block[i] = pool_index(&mesh->batches[mesh->lane->number].pool, task->blocks[i]);
    memcpy(heights, task->heights, TR_TILE_HALO * sizeof *heights);
    return TR_OK;
}

static enum tr_status block_gather(void *context, size_t index, int job, struct tr_error *error)
{
    const struct mesh *mesh = context;
    int16_t *samples = tr_lane_mirror(mesh->lane, TR_LANE_BLOCKS);

    (void)job;
    (void)error;
    memcpy(samples + index * TR_BLOCK_SAMPLES, mesh->batches[mesh->lane->number].pool.blocks[index],
           BLOCK_BYTES);
    return TR_OK;
}

static enum tr_status mesh_reserve(struct tr_vulkan *vulkan, struct tr_vulkan_lane *lane,
                                   uint32_t block_count, struct tr_error *error)
{
    const struct {
        enum tr_lane_buffer which;
        uint64_t count;
        size_t size_bytes;
    } needs[] = {
        {TR_LANE_ITEMS, lane->count, sizeof(tr_field_item)},
        {TR_LANE_HEIGHTS, lane->count, TR_TILE_HALO * sizeof(int32_t)},
        {TR_LANE_BLOCKS, block_count, BLOCK_BYTES},
        {TR_LANE_FIELD, lane->count, FIELD_BYTES},
        {TR_LANE_BITS, lane->count, SIGNS_BYTES},
        {TR_LANE_ROWS, lane->count, SUMS_BYTES},
        {TR_LANE_ROW_TRIANGLES, lane->count, SUMS_BYTES},
        {TR_LANE_TOTALS, lane->count, sizeof(tr_row_counts)},
    };
    enum tr_status status = TR_OK;

    for (size_t i = 0; i < sizeof needs / sizeof *needs && status == TR_OK; i++)
        status = tr_vulkan_reserve(vulkan, lane, needs[i].which, needs[i].count, needs[i].size_bytes, error);
    return status;
}

/* From heights and blocks to the counts of rows and tiles. */
static void counts_record(struct tr_vulkan *vulkan, struct tr_vulkan_lane *lane)
{
    tr_field_params field = {(uint32_t)lane->count};
    tr_mc_params params = {.tile_count = (uint32_t)lane->count};
    uint64_t rows = (uint64_t)lane->count * TR_TILE_ROWS;

    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_FIELD,
                       (struct tr_gpu_buffer *[TR_FIELD_BUFFERS]){
                           [TR_FIELD_ITEMS] = lane->buffers[TR_LANE_ITEMS],
                           [TR_FIELD_HEIGHTS] = lane->buffers[TR_LANE_HEIGHTS],
                           [TR_FIELD_BLOCKS] = lane->buffers[TR_LANE_BLOCKS],
                           [TR_FIELD_SAMPLES] = lane->buffers[TR_LANE_FIELD],
                       },
                       &field, (uint64_t)lane->count * TR_FIELD_STRIDE);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_MC_BITS,
                       (struct tr_gpu_buffer *[TR_MC_BITS_BUFFERS]){
                           [TR_MC_BITS_FIELD] = lane->buffers[TR_LANE_FIELD],
                           [TR_MC_BITS_BITS] = lane->buffers[TR_LANE_BITS],
                       },
                       &params, rows);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_MC_COUNT,
                       (struct tr_gpu_buffer *[TR_MC_COUNT_BUFFERS]){
                           [TR_MC_COUNT_BITS] = lane->buffers[TR_LANE_BITS],
                           [TR_MC_COUNT_CASES] = vulkan->cases,
                           [TR_MC_COUNT_VERTICES] = lane->buffers[TR_LANE_ROWS],
                           [TR_MC_COUNT_TRIANGLES] = lane->buffers[TR_LANE_ROW_TRIANGLES],
                       },
                       &params, rows);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_MC_SCAN,
                       (struct tr_gpu_buffer *[TR_MC_SCAN_BUFFERS]){
                           [TR_MC_SCAN_VERTICES] = lane->buffers[TR_LANE_ROWS],
                           [TR_MC_SCAN_TRIANGLES] = lane->buffers[TR_LANE_ROW_TRIANGLES],
                           [TR_MC_SCAN_TOTALS] = lane->buffers[TR_LANE_TOTALS],
                       },
                       &params, (uint64_t)lane->count * TR_MC_SCAN_LOCAL);
}

static enum tr_status mesh_begin(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                 struct tr_error *error)
{
    struct mesh *mesh = context;
    const struct pool *pool = &mesh->batches[lane->number].pool;
    enum tr_status status = mesh_reserve(vulkan, lane, pool->count, error);

    mesh->lane = lane;
    if (status == TR_OK)
        status = tr_jobs_run(vulkan->bake.jobs, lane->count, tile_gather, mesh, error);
    if (status == TR_OK)
        status = tr_jobs_run(vulkan->bake.jobs, pool->count, block_gather, mesh, error);
    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    tr_lane_upload(lane, TR_LANE_ITEMS);
    tr_lane_upload(lane, TR_LANE_HEIGHTS);
    tr_gpu_upload(lane->commands, lane->buffers[TR_LANE_BLOCKS], 0, pool->count * BLOCK_BYTES);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    counts_record(vulkan, lane);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_TOTALS);
    return tr_gpu_submit(lane->commands, error);
}

/* Second part: lattices and indices ---------------------------------------------------------------------- */

/* Tiles from group_first on whose output fits; the items of the group go into the mirror, and their end, the
 * sum, is returned. */
static tr_row_counts group_take(const struct tr_vulkan *vulkan, const struct mesh *mesh,
                                struct mesh_batch *batch, const struct tr_vulkan_lane *lane)
{
    const struct tr_mesh_task *tasks = mesh->tasks + lane->first;
    const tr_row_counts *totals = tr_lane_mirror(lane, TR_LANE_TOTALS);
    tr_row_counts *items = tr_lane_mirror(lane, TR_LANE_GROUPS);
    uint64_t most_vertices = vulkan->batch_bytes / sizeof(tr_vertex);
    uint64_t most_triangles = vulkan->batch_bytes / (3 * sizeof(uint32_t));
    tr_row_counts sum = {0, 0};

    batch->group_count = 0;
    for (size_t i = batch->group_first; i < lane->count; i++) {
        uint32_t triangles = tasks[i].wants_triangles ? totals[i].triangles : 0;
        bool fits = (uint64_t)sum.vertices + totals[i].vertices <= most_vertices &&
                    (uint64_t)sum.triangles + triangles <= most_triangles;

        if (batch->group_count > 0 && !fits)
            break;
        items[batch->group_count++] = sum;
        sum.vertices += totals[i].vertices;
        sum.triangles += triangles;
    }
    items[batch->group_count] = sum;
    return sum;
}

/* Makes the vertices of the group and the triangles that are wanted, perhaps none. */
static void group_record(struct tr_vulkan *vulkan, const struct mesh_batch *batch,
                         struct tr_vulkan_lane *lane, tr_row_counts sum)
{
    tr_mc_params params = {(uint32_t)batch->group_first, (uint32_t)batch->group_count};

    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_MC_VERTICES,
                       (struct tr_gpu_buffer *[TR_MC_VERTICES_BUFFERS]){
                           [TR_MC_VERTICES_ITEMS] = lane->buffers[TR_LANE_GROUPS],
                           [TR_MC_VERTICES_ROWS] = lane->buffers[TR_LANE_ROWS],
                           [TR_MC_VERTICES_BITS] = lane->buffers[TR_LANE_BITS],
                           [TR_MC_VERTICES_FIELD] = lane->buffers[TR_LANE_FIELD],
                           [TR_MC_VERTICES_OUT] = lane->buffers[TR_LANE_VERTICES],
                       },
                       &params, sum.vertices);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_MC_TRIANGLES,
                       (struct tr_gpu_buffer *[TR_MC_TRIANGLES_BUFFERS]){
                           [TR_MC_TRIANGLES_ITEMS] = lane->buffers[TR_LANE_GROUPS],
                           [TR_MC_TRIANGLES_ROWS] = lane->buffers[TR_LANE_ROW_TRIANGLES],
                           [TR_MC_TRIANGLES_VERTICES] = lane->buffers[TR_LANE_ROWS],
                           [TR_MC_TRIANGLES_BITS] = lane->buffers[TR_LANE_BITS],
                           [TR_MC_TRIANGLES_CASES] = vulkan->cases,
                           [TR_MC_TRIANGLES_OUT] = lane->buffers[TR_LANE_INDICES],
                       },
                       &params, sum.triangles);
}

/* Signs and sums of the group's tiles that have vertices: a copy for each run of such tiles. */
static void rows_download(const struct mesh_batch *batch, struct tr_vulkan_lane *lane)
{
    const tr_row_counts *totals = tr_lane_mirror(lane, TR_LANE_TOTALS);
    size_t end = batch->group_first + batch->group_count, next;

    for (size_t first = batch->group_first; first < end; first = next + 1) {
        for (next = first; next < end && totals[next].vertices > 0;)
            next++;
        tr_gpu_download(lane->commands, lane->buffers[TR_LANE_BITS], first * SIGNS_BYTES,
                        (next - first) * SIGNS_BYTES);
        tr_gpu_download(lane->commands, lane->buffers[TR_LANE_ROWS], first * SUMS_BYTES,
                        (next - first) * SUMS_BYTES);
    }
}

static enum tr_status group_begin(struct tr_vulkan *vulkan, const struct mesh *mesh, struct mesh_batch *batch,
                                  struct tr_vulkan_lane *lane, struct tr_error *error)
{
    tr_row_counts sum;
    enum tr_status status =
        tr_vulkan_reserve(vulkan, lane, TR_LANE_GROUPS, lane->count + 1, sizeof(tr_row_counts), error);

    if (status != TR_OK)
        return status;
    sum = group_take(vulkan, mesh, batch, lane);
    status = tr_vulkan_reserve(vulkan, lane, TR_LANE_VERTICES, sum.vertices, sizeof(tr_vertex), error);
    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_INDICES, 3 * (uint64_t)sum.triangles,
                                   sizeof(uint32_t), error);
    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    tr_gpu_upload(lane->commands, lane->buffers[TR_LANE_GROUPS], 0,
                  (batch->group_count + 1) * sizeof(tr_row_counts));
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    group_record(vulkan, batch, lane, sum);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_gpu_download(lane->commands, lane->buffers[TR_LANE_VERTICES], 0, sum.vertices * sizeof(tr_vertex));
    tr_gpu_download(lane->commands, lane->buffers[TR_LANE_INDICES], 0,
                    3 * (uint64_t)sum.triangles * sizeof(uint32_t));
    rows_download(batch, lane);
    return tr_gpu_submit(lane->commands, error);
}

static enum tr_status mesh_proceed(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                   struct tr_error *error)
{
    struct mesh *mesh = context;
    struct mesh_batch *batch = &mesh->batches[lane->number];
    const tr_row_counts *totals;
    enum tr_status status = tr_gpu_wait(lane->commands, error);

    if (status != TR_OK)
        return status;
    totals = tr_lane_mirror(lane, TR_LANE_TOTALS);
    for (size_t i = 0; i < lane->count; i++)
        if (totals[i].vertices > VERTICES_MAX || totals[i].triangles > TRIANGLES_MAX)
            return tr_fail(error, TR_NO_DEVICE,
                           "device '%s' counts %u vertices and %u triangles in one tile, at most %u and %u",
                           vulkan->bake.device, totals[i].vertices, totals[i].triangles, VERTICES_MAX,
                           TRIANGLES_MAX);
    batch->group_first = 0;
    return group_begin(vulkan, mesh, batch, lane, error);
}

/* Whether the tile's lowest corner is solid, and so, where nothing is crossed, all of it. */
static bool tile_is_solid(const struct tr_mesh_task *task)
{
    const int16_t *own = task->blocks[NEIGHBOUR_OWN];

    return (own ? own[0] : tr_height_field(task->cy * TR_CHUNK, task->heights[TR_TILE_SAMPLES + 1])) <= 0;
}

static enum tr_status lattice_take(struct tr_lattice *lattice, uint32_t vertex_count, struct tr_error *error)
{
    lattice->solid = tr_alloc(TR_TILE_ROWS, sizeof *lattice->solid, error);
    lattice->solid_last = tr_alloc(TR_TILE_ROWS, sizeof *lattice->solid_last, error);
    lattice->first = tr_alloc(TR_TILE_ROWS + 1, sizeof *lattice->first, error);
    lattice->vertices = tr_alloc(vertex_count, sizeof *lattice->vertices, error);
    lattice->vertex_count = vertex_count;
    return lattice->solid && lattice->solid_last && lattice->first && lattice->vertices ? TR_OK : TR_IO;
}

static void lattice_scatter(const tr_row *signs, const uint32_t *sums, const tr_vertex *vertices,
                            struct tr_lattice *lattice)
{
    for (uint32_t row = 0; row < TR_TILE_ROWS; row++) {
        lattice->solid[row] = signs[row].w0 | (uint64_t)signs[row].w1 << 32;
        lattice->solid_last[row] = (uint8_t)(signs[row].w2 & 1u);
    }
    memcpy(lattice->first, sums, SUMS_BYTES);
    lattice->first[TR_TILE_ROWS] = lattice->vertex_count;
    memcpy(lattice->vertices, vertices, lattice->vertex_count * sizeof *vertices);
}

static enum tr_status indices_scatter(const uint32_t *indices, uint32_t index_count,
                                      struct tr_mesh_task *task, struct tr_error *error)
{
    task->indices = tr_alloc(index_count, sizeof *task->indices, error);
    if (!task->indices)
        return TR_IO;
    memcpy(task->indices, indices, index_count * sizeof *indices);
    task->index_count = index_count;
    return TR_OK;
}

static enum tr_status tile_scatter(void *context, size_t index, int job, struct tr_error *error)
{
    const struct mesh *mesh = context;
    const struct tr_vulkan_lane *lane = mesh->lane;
    size_t tile = mesh->batches[lane->number].group_first + index; /* within the batch */
    const tr_row_counts *items = (const tr_row_counts *)tr_lane_mirror(lane, TR_LANE_GROUPS) + index;
    const tr_row *signs = (const tr_row *)tr_lane_mirror(lane, TR_LANE_BITS) + tile * TR_TILE_ROWS;
    const uint32_t *sums = (const uint32_t *)tr_lane_mirror(lane, TR_LANE_ROWS) + tile * TR_TILE_ROWS;
    const tr_vertex *vertices = tr_lane_mirror(lane, TR_LANE_VERTICES);
    const uint32_t *indices = tr_lane_mirror(lane, TR_LANE_INDICES);
    struct tr_mesh_task *task = &mesh->tasks[lane->first + tile];
    uint32_t vertex_count = items[1].vertices - items[0].vertices;
    uint32_t index_count = 3 * (items[1].triangles - items[0].triangles);

    (void)job;
    task->lattice.cells[0] = task->lattice.cells[1] = task->lattice.cells[2] = TR_TILE_CELLS;
    if (vertex_count == 0) {
        task->lattice.is_solid = tile_is_solid(task);
        return TR_OK;
    }
    if (lattice_take(&task->lattice, vertex_count, error) != TR_OK)
        return TR_IO;
    lattice_scatter(signs, sums, vertices + items[0].vertices, &task->lattice);
    return index_count > 0
               ? indices_scatter(indices + (size_t)3 * items[0].triangles, index_count, task, error)
               : TR_OK;
}

static enum tr_status mesh_finish(struct tr_vulkan *vulkan, void *context, struct tr_vulkan_lane *lane,
                                  struct tr_error *error)
{
    struct mesh *mesh = context;
    struct mesh_batch *batch = &mesh->batches[lane->number];
    enum tr_status status = TR_OK;

    mesh->lane = lane;
    for (;;) {
        status = tr_gpu_wait(lane->commands, error);
        if (status == TR_OK)
            status = tr_jobs_run(vulkan->bake.jobs, batch->group_count, tile_scatter, mesh, error);
        batch->group_first += batch->group_count;
        if (status != TR_OK || batch->group_first == lane->count)
            return status;
        status = group_begin(vulkan, mesh, batch, lane, error);
        if (status != TR_OK)
            return status;
    }
}

/* The step ----------------------------------------------------------------------------------------------- */

static enum tr_status cases_upload(struct tr_vulkan *vulkan, struct tr_error *error)
{
    struct tr_vulkan_lane *lane = &vulkan->lanes[0];
    enum tr_status status;

    if (vulkan->cases_uploaded)
        return TR_OK;
    status = tr_gpu_buffer_reserve(vulkan->gpu, &vulkan->cases, "cases", true, sizeof tr_case_table, error);
    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status != TR_OK)
        return status;
    memcpy(tr_gpu_buffer_mirror(vulkan->cases), tr_case_table, sizeof tr_case_table);
    tr_gpu_upload(lane->commands, vulkan->cases, 0, sizeof tr_case_table);
    status = tr_gpu_submit(lane->commands, error);
    if (status == TR_OK)
        status = tr_gpu_wait(lane->commands, error);
    vulkan->cases_uploaded = status == TR_OK;
    return status;
}

enum tr_status tr_vulkan_mesh(struct tr_bake *bake, struct tr_mesh_task *tasks, size_t count,
                              struct tr_error *error)
{
    static const struct tr_vulkan_step step = {mesh_take, mesh_begin, mesh_proceed, mesh_finish};
    static const enum tr_kernel kernels[] = {TR_KERNEL_FIELD,       TR_KERNEL_MC_BITS,
                                             TR_KERNEL_MC_COUNT,    TR_KERNEL_MC_SCAN,
                                             TR_KERNEL_MC_VERTICES, TR_KERNEL_MC_TRIANGLES};
    struct tr_vulkan *vulkan = (struct tr_vulkan *)bake;
    struct mesh mesh = {.tasks = tasks, .count = count};
    enum tr_status status = tr_vulkan_kernels(vulkan, kernels, sizeof kernels / sizeof *kernels, error);

    for (size_t i = 0; i < count; i++) {
        memset(&tasks[i].lattice, 0, sizeof tasks[i].lattice);
        tasks[i].indices = NULL;
        tasks[i].index_count = 0;
    }
    if (status == TR_OK)
        status = cases_upload(vulkan, error);
    if (status == TR_OK) {
        mesh.batches = tr_alloc(2, sizeof *mesh.batches, error);
        status = mesh.batches ? tr_vulkan_run(vulkan, &step, &mesh, count, error) : TR_IO;
    }
    free(mesh.batches);
    return status;
}
