/* See column_kinds.h. The closed footprint of a column is that of its four columns of the next finer LOD together, so only LOD 0 looks at
 * samples. */
#include "lib/run/column_kinds.h"

#include "lib/base/alloc.h"
#include "lib/world/codec.h"
#include "shaders/field_params.h"

#include <stdlib.h>

/* What of a chunk differs from its heights: anything, or samples on planes that it shares. */
enum { DIFFERS = 1, DIFFERS_AT_X0 = 2, DIFFERS_AT_Z0 = 4, DIFFERS_AT_CORNER = 8 };

struct survey {
    const struct tr_world *world;
    struct tr_cache *cache;
    uint8_t *chunks; /* a chunk of the world with its rim, in order of the index: DIFFERS if it has blocks */
    uint8_t *planes; /* the same: the rest of what differs, where that matters */
};

static bool sample_differs(const struct tr_chunk *chunk, const struct tr_block *block, int x, int y, int z)
{
    return block->samples[tr_block_index(x, y, z)] !=
           tr_height_field(block->cy * TR_CHUNK + y, chunk->heights[z * TR_CHUNK + x]);
}

static uint8_t survey_block(const struct tr_chunk *chunk, const struct tr_block *block)
{
    uint8_t found = 0;
    for (int y = 0; y < TR_CHUNK; y++) {
        if (sample_differs(chunk, block, 0, y, 0))
            found |= DIFFERS_AT_CORNER | DIFFERS_AT_X0 | DIFFERS_AT_Z0;
        for (int i = 1; i < (int)chunk->size_z && !(found & DIFFERS_AT_X0); i++)
            found |= sample_differs(chunk, block, 0, y, i) ? DIFFERS_AT_X0 : 0;
        for (int i = 1; i < (int)chunk->size_x && !(found & DIFFERS_AT_Z0); i++)
            found |= sample_differs(chunk, block, i, y, 0) ? DIFFERS_AT_Z0 : 0;
    }
    return found;
}

static enum tr_status survey_head(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct survey *survey = context;
    const struct tr_index_entry *entry = &survey->world->index[index];
    struct tr_chunk_head head;
    enum tr_status status = tr_world_read_head(survey->world, entry->cx, entry->cz, &head, error);
    if (status == TR_OK && head.block_count > 0)
        survey->chunks[index] = DIFFERS;
    return status;
}

/* Whether a column toward -x, -z or between, whose closed footprint reaches this chunk's lowest planes, has no block of its own. */
static bool planes_matter(const struct survey *survey, size_t index)
{
    const struct tr_index_entry *entry = &survey->world->index[index];
    const size_t row = (size_t)survey->world->info.size_x + 1;
    const size_t west = entry->cx > 0, north = entry->cz > 0 ? row : 0;
    return (survey->chunks[index - west] & survey->chunks[index - north] &
            survey->chunks[index - west - north] & DIFFERS) == 0;
}

static enum tr_status survey_planes(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct survey *survey = context;
    const struct tr_index_entry *entry = &survey->world->index[index];
    const struct tr_chunk *chunk;
    if (!(survey->chunks[index] & DIFFERS) || !planes_matter(survey, index))
        return TR_OK;
    enum tr_status status = tr_cache_hold(survey->cache, entry->cx, entry->cz, &chunk, error);
    if (status != TR_OK)
        return status;
    for (size_t b = 0; b < chunk->block_count; b++)
        survey->planes[index] |= survey_block(chunk, &chunk->blocks[b]);
    tr_cache_release(survey->cache, chunk);
    return TR_OK;
}

static enum tr_status alloc_levels(struct tr_column_kinds *kinds, const struct tr_world_info *info,
                                   struct tr_error *error)
{
    for (uint32_t lod = 0; lod < TR_LODS; lod++) {
        kinds->columns_x[lod] = tr_columns_along(info->size_x, lod);
        kinds->columns_z[lod] = tr_columns_along(info->size_z, lod);
        kinds->marched[lod] =
            tr_alloc((size_t)kinds->columns_x[lod] * (size_t)kinds->columns_z[lod], 1, error);
        if (!kinds->marched[lod])
            return TR_IO;
    }
    return TR_OK;
}

/* The index is in order of cz, then cx, and whole. */
static void judge_chunks(struct tr_column_kinds *kinds, const struct survey *survey)
{
    const size_t row = (size_t)survey->world->info.size_x + 1;
    for (int32_t cz = 0; cz < kinds->columns_z[0]; cz++)
        for (int32_t cx = 0; cx < kinds->columns_x[0]; cx++) {
            const size_t at = (size_t)cz * row + (size_t)cx;
            const uint8_t *planes = survey->planes + at;
            kinds->marched[0][(size_t)cz * (size_t)kinds->columns_x[0] + (size_t)cx] =
                (survey->chunks[at] & DIFFERS) || (planes[1] & DIFFERS_AT_X0) ||
                (planes[row] & DIFFERS_AT_Z0) || (planes[row + 1] & DIFFERS_AT_CORNER);
        }
}

static void judge_levels(struct tr_column_kinds *kinds)
{
    for (uint32_t lod = 1; lod < TR_LODS; lod++)
        for (int32_t cz = 0; cz < kinds->columns_z[lod]; cz++)
            for (int32_t cx = 0; cx < kinds->columns_x[lod]; cx++) {
                bool marched = false;
                for (int i = 0; i < 4; i++)
                    marched =
                        marched || tr_column_is_marched(kinds, lod - 1, 2 * cx + (i & 1), 2 * cz + (i >> 1));
                kinds->marched[lod][(size_t)cz * (size_t)kinds->columns_x[lod] + (size_t)cx] = marched;
            }
}

enum tr_status tr_column_kinds_init(struct tr_column_kinds *kinds, const struct tr_world *world,
                                    struct tr_cache *cache, struct tr_jobs *jobs, struct tr_error *error)
{
    *kinds = (struct tr_column_kinds){0};
    struct survey survey = {world, cache, tr_alloc(world->chunk_count, 1, error),
                            tr_alloc(world->chunk_count, 1, error)};
    enum tr_status status = survey.chunks && survey.planes ? alloc_levels(kinds, &world->info, error) : TR_IO;
    if (status == TR_OK)
        status = tr_jobs_run(jobs, world->chunk_count, survey_head, &survey, error);
    if (status == TR_OK)
        status = tr_jobs_run(jobs, world->chunk_count, survey_planes, &survey, error);
    if (status == TR_OK) {
        judge_chunks(kinds, &survey);
        judge_levels(kinds);
    } else {
        tr_column_kinds_release(kinds);
    }
    free(survey.chunks);
    free(survey.planes);
    return status;
}

void tr_column_kinds_release(struct tr_column_kinds *kinds)
{
    for (uint32_t lod = 0; lod < TR_LODS; lod++)
        free(kinds->marched[lod]);
    *kinds = (struct tr_column_kinds){0};
}

bool tr_column_is_marched(const struct tr_column_kinds *kinds, uint32_t lod, int32_t cx, int32_t cz)
{
    if (cx < 0 || cz < 0 || cx >= kinds->columns_x[lod] || cz >= kinds->columns_z[lod])
        return false;
    return kinds->marched[lod][(size_t)cz * (size_t)kinds->columns_x[lod] + (size_t)cx];
}
