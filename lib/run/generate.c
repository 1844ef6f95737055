/* See generate.h. Chunks are independent: each is filled in its own frame, made whole and written. */
#include "lib/run/generate.h"
#include "lib/base/alloc.h"
#include <stdlib.h>
#include <string.h>

/* The i-th chunk of a world, rim included, in index order. */
static enum tr_status chunk_at(const struct tr_world_info *info, size_t i, struct tr_chunk *chunk,
                               struct tr_error *error)
{
    int32_t columns = info->size_x + 1;
    int32_t cx = (int32_t)(i % (size_t)columns), cz = (int32_t)(i / (size_t)columns);
    return tr_chunk_init(chunk, cx, cz, cx == info->size_x ? 1 : TR_CHUNK, cz == info->size_z ? 1 : TR_CHUNK,
                         error);
}

static size_t chunk_total(const struct tr_world_info *info)
{
    return (size_t)(info->size_x + 1) * (size_t)(info->size_z + 1);
}

/* Samples that a rim chunk does not own are zero. */
static void clear_unowned(struct tr_chunk *chunk)
{
    for (uint32_t z = 0; z < TR_CHUNK; z++)
        for (uint32_t x = 0; x < TR_CHUNK; x++)
            if (x >= chunk->size_x || z >= chunk->size_z)
                chunk->heights[z * TR_CHUNK + x] = 0;
}

struct dem_run {
    const struct tr_world_info *info;
    const struct tr_dem *dem;
    enum tr_dem_filter filter;
    struct tr_world_build *build;
};

static enum tr_status dem_chunk(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct dem_run *run = context;
    struct tr_chunk chunk = {0};
    enum tr_status status = chunk_at(run->info, index, &chunk, error);
    if (status == TR_OK) {
        tr_dem_fill(run->dem, run->info->voxel_size, run->filter, (int64_t)chunk.cx * TR_CHUNK,
                    (int64_t)chunk.cz * TR_CHUNK, chunk.heights);
        clear_unowned(&chunk);
        status = tr_world_build_put(run->build, &chunk, error);
    }
    tr_chunk_release(&chunk);
    return status;
}

enum tr_status tr_generate_dem(struct tr_jobs *jobs, const struct tr_world_info *info,
                               const struct tr_dem *dem, enum tr_dem_filter filter,
                               struct tr_world_build *build, struct tr_error *error)
{
    struct dem_run run = {info, dem, filter, build};
    return tr_jobs_run(jobs, chunk_total(info), dem_chunk, &run, error);
}

/* Chunks filled in one call of the device: enough to fill a GPU, 4 MiB of heights. */
#define NOISE_BATCH 256

struct noise_run {
    struct tr_world_build *build;
    struct tr_chunk *chunks;
};

static enum tr_status put_chunk(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct noise_run *run = context;
    clear_unowned(&run->chunks[index]);
    return tr_world_build_put(run->build, &run->chunks[index], error);
}

enum tr_status tr_generate_noise(struct tr_bake *bake, const struct tr_world_info *info,
                                 const struct tr_preset *preset, struct tr_world_build *build,
                                 struct tr_error *error)
{
    enum tr_status status = TR_IO;
    size_t total = chunk_total(info), initialised = 0;
    struct tr_chunk *chunks = tr_alloc(NOISE_BATCH, sizeof *chunks, error);
    struct tr_fill_task *tasks = tr_alloc(NOISE_BATCH, sizeof *tasks, error);
    tr_noise_layer *layers = tr_alloc(NOISE_BATCH * TR_PRESET_LAYERS_MAX, sizeof *layers, error);
    if (!chunks || !tasks || !layers)
        goto done;
    for (size_t first = 0; first < total; first += NOISE_BATCH) {
        size_t count = total - first < NOISE_BATCH ? total - first : NOISE_BATCH;
        for (initialised = 0; initialised < count; initialised++) {
            struct tr_chunk *chunk = &chunks[initialised];
            status = chunk_at(info, first + initialised, chunk, error);
            if (status != TR_OK)
                goto done;
            tr_noise_layer *own = layers + initialised * TR_PRESET_LAYERS_MAX;
            for (uint32_t i = 0; i < preset->count; i++)
                own[i] = tr_noise_layer_at(&preset->sources[i], (int64_t)chunk->cx * TR_CHUNK,
                                           (int64_t)chunk->cz * TR_CHUNK);
            tasks[initialised] = (struct tr_fill_task){
                .layers = own,
                .layer_count = preset->count,
                .base = tr_units_from_voxels(preset->base / TR_UNITS, TR_HEIGHT_MAX),
                .heights = chunk->heights,
            };
        }
        status = bake->ops->fill(bake, tasks, count, error);
        if (status == TR_OK)
            status = tr_jobs_run(bake->jobs, count, put_chunk, &(struct noise_run){build, chunks}, error);
        if (status != TR_OK)
            goto done;
        for (; initialised > 0; initialised--)
            tr_chunk_release(&chunks[initialised - 1]);
    }
    status = TR_OK;
done:
    for (; initialised > 0; initialised--)
        tr_chunk_release(&chunks[initialised - 1]);
    free(chunks);
    free(tasks);
    free(layers);
    return status;
}
