/* terrain info: what a world or a pack is. */
#include "cmd/common.h"
#include "lib/edit/log.h"
#include "lib/mesh/selection.h"
#include "lib/pack/pack.h"
#include "lib/run/probe.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const struct tr_option options[] = {TR_OPTION_JOBS, TR_OPTION_JSON, TR_OPTION_END};

/* What reading every chunk tells. */
struct survey {
    const struct tr_world *world;
    struct chunk_survey {
        int32_t lowest, highest;
        uint64_t blocks, samples, file_bytes;
        bool is_painted;
    } * chunks;
};

static enum tr_status survey_chunk(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct survey *survey = context;
    struct chunk_survey *found = &survey->chunks[index];
    const struct tr_index_entry *entry = &survey->world->index[index];
    struct tr_chunk chunk = {0};
    enum tr_status status = tr_world_read_chunk(survey->world, entry->cx, entry->cz, &chunk, error);
    if (status == TR_OK)
        status = tr_world_chunk_file_bytes(survey->world, entry->cx, entry->cz, &found->file_bytes, error);
    if (status == TR_OK) {
        tr_chunk_height_range(&chunk, &found->lowest, &found->highest);
        found->is_painted = tr_chunk_is_painted(&chunk);
        found->blocks = chunk.block_count;
        found->samples = (uint64_t)chunk.size_x * chunk.size_z * (1 + TR_CHUNK * chunk.block_count);
    }
    tr_chunk_release(&chunk);
    return status;
}

static enum tr_status count_edits(const struct tr_world *world, size_t *count, struct tr_error *error)
{
    struct tr_log log = {0};
    enum tr_status status = tr_log_read_stored(&log, world, error);
    *count = log.count;
    tr_log_release(&log);
    return status;
}

struct world_facts {
    size_t edits, volumetric, painted;
    uint64_t blocks, samples, file_bytes;
    double lowest, highest; /* metres */
};

static enum tr_status survey_world(const struct tr_call *call, const struct tr_world *world,
                                   struct world_facts *facts, struct tr_error *error)
{
    struct tr_jobs *jobs = NULL;
    struct survey survey = {.world = world, .chunks = calloc(world->chunk_count, sizeof *survey.chunks)};
    enum tr_status status = survey.chunks ? TR_OK : tr_fail(error, TR_IO, "out of memory");
    if (status == TR_OK)
        status = tr_jobs_create((int)tr_call_number(call, "--jobs", 0), &jobs, error);
    if (status == TR_OK)
        status = tr_jobs_run(jobs, world->chunk_count, survey_chunk, &survey, error);
    if (status == TR_OK)
        status = count_edits(world, &facts->edits, error);
    int32_t lowest = INT32_MAX, highest = INT32_MIN;
    for (size_t i = 0; i < world->chunk_count && status == TR_OK; i++) {
        const struct chunk_survey *chunk = &survey.chunks[i];
        lowest = chunk->lowest < lowest ? chunk->lowest : lowest;
        highest = chunk->highest > highest ? chunk->highest : highest;
        facts->volumetric += chunk->blocks > 0;
        facts->painted += chunk->is_painted;
        facts->blocks += chunk->blocks;
        facts->samples += chunk->samples;
        facts->file_bytes += chunk->file_bytes;
    }
    facts->lowest = lowest * world->info.voxel_size / TR_UNITS;
    facts->highest = highest * world->info.voxel_size / TR_UNITS;
    tr_jobs_free(jobs);
    free(survey.chunks);
    return status;
}

static enum tr_status world_json(const struct tr_call *call, const struct tr_world *world,
                                 const struct world_facts *facts, struct tr_error *error)
{
    const struct tr_world_info *info = &world->info;
    cJSON *object = cJSON_CreateObject();
    tr_json_add_path(object, "path", call->arguments[0]);
    cJSON_AddStringToObject(object, "kind", "world");
    tr_json_add_point(object, "size_chunks", (double[]){info->size_x, info->size_z}, 2);
    cJSON_AddNumberToObject(object, "voxel_size_m", info->voxel_size);
    tr_json_add_point(object, "extent_voxels", info->extent, 4);
    tr_json_add_point(object, "height_range_m", (double[]){facts->lowest, facts->highest}, 2);
    cJSON_AddStringToObject(object, "source", info->source);
    if (info->has_seed) {
        char seed[24];
        snprintf(seed, sizeof seed, "%" PRIu64, info->seed);
        cJSON_AddStringToObject(object, "seed", seed);
    }
    if (info->has_georeference)
        tr_json_add_point(object, "origin_m", (double[]){info->origin_easting, info->origin_northing}, 2);
    cJSON_AddNumberToObject(object, "chunks", (double)world->chunk_count);
    cJSON_AddNumberToObject(object, "volumetric_chunks", (double)facts->volumetric);
    cJSON_AddNumberToObject(object, "painted_chunks", (double)facts->painted);
    cJSON_AddNumberToObject(object, "blocks", (double)facts->blocks);
    cJSON_AddNumberToObject(object, "edits", (double)facts->edits);
    cJSON_AddNumberToObject(object, "stored_samples", (double)facts->samples);
    cJSON_AddNumberToObject(object, "chunk_file_bytes", (double)facts->file_bytes);
    tr_json_add_hash(object, "hash", world->hash);
    return tr_json_print(object, error);
}

static void world_text(const struct tr_call *call, const struct tr_world *world,
                       const struct world_facts *facts)
{
    const struct tr_world_info *info = &world->info;
    char a[32], b[32], c[32], hash[33];
    tr_hash_text(world->hash, hash);
    printf("%s: world\n", tr_shown(call->arguments[0]));
    printf("  size        %d x %d chunks, %s x %s, voxel %s\n", info->size_x, info->size_z,
           tr_metres(64 * info->size_x * info->voxel_size, a),
           tr_metres(64 * info->size_z * info->voxel_size, b), tr_metres(info->voxel_size, c));
    if (info->extent[0] != 0 || info->extent[1] != 0 || info->extent[2] != 64.0 * info->size_x ||
        info->extent[3] != 64.0 * info->size_z)
        printf("  data        x %g to %g m, z %g to %g m; beyond it the edge height repeats\n",
               info->extent[0] * info->voxel_size, info->extent[2] * info->voxel_size,
               info->extent[1] * info->voxel_size, info->extent[3] * info->voxel_size);
    printf("  heights     %s to %s\n", tr_metres(facts->lowest, a), tr_metres(facts->highest, b));
    if (info->source[0])
        printf("  source      %s\n", info->source);
    if (info->has_seed)
        printf("  seed        %" PRIu64 "\n", info->seed);
    if (info->has_georeference)
        printf("  origin      easting %.3f m, northing %.3f m\n", info->origin_easting,
               info->origin_northing);
    printf("  sculpted    %zu of %zu chunks in 3D, %s block%s, %zu edit%s\n", facts->volumetric,
           world->chunk_count, tr_grouped(facts->blocks, a), facts->blocks == 1 ? "" : "s", facts->edits,
           facts->edits == 1 ? "" : "s");
    if (facts->painted)
        printf("  painted     %zu of %zu chunks\n", facts->painted, world->chunk_count);
    printf("  storage     %s, %.2f bytes a stored sample\n", tr_bytes_text(facts->file_bytes, a),
           (double)facts->file_bytes / (double)facts->samples);
    printf("  hash        %s\n", hash);
}

static enum tr_status info_world(const struct tr_call *call, struct tr_error *error)
{
    struct tr_world *world = NULL;
    struct world_facts facts = {0};
    enum tr_status status = tr_world_open(call->arguments[0], &world, error);
    if (status == TR_OK)
        status = survey_world(call, world, &facts, error);
    if (status == TR_OK && tr_call_has(call, "--json"))
        status = world_json(call, world, &facts, error);
    else if (status == TR_OK)
        world_text(call, world, &facts);
    tr_world_close(world);
    return status;
}

/* What a pack has of each level of detail. */
struct pack_facts {
    struct level_facts {
        uint64_t tiles, height_tiles, triangles, vertices;
        uint32_t error; /* units, the greatest */
    } levels[TR_LODS];
    uint64_t materials, targets, weights; /* tiles that have such a stream */
};

static void survey_pack(const struct tr_pack *pack, struct pack_facts *facts)
{
    for (size_t i = 0; i < pack->tile_count; i++) {
        const struct tr_pack_tile *tile = &pack->tiles[i];
        struct level_facts *level = &facts->levels[tile->lod];
        level->tiles++;
        level->height_tiles += tile->kind == TR_TILE_HEIGHTS;
        level->triangles += tile->index_count / 3;
        level->vertices += tile->vertex_count;
        level->error = tile->error > level->error ? tile->error : level->error;
        facts->materials += tile->has_materials;
        facts->targets += tile->has_targets;
        facts->weights += tile->has_weights;
    }
}

static enum tr_status pack_json(const struct tr_call *call, const struct tr_pack *pack,
                                const struct pack_facts *facts, struct tr_error *error)
{
    cJSON *object = cJSON_CreateObject(), *levels;
    tr_json_add_path(object, "path", call->arguments[0]);
    cJSON_AddStringToObject(object, "kind", "pack");
    tr_json_add_point(object, "size_chunks", (double[]){pack->info.size_x, pack->info.size_z}, 2);
    cJSON_AddNumberToObject(object, "voxel_size_m", pack->info.voxel_size);
    cJSON_AddNumberToObject(object, "tiles", (double)pack->tile_count);
    cJSON_AddNumberToObject(object, "triangles", (double)(pack->index_count / 3));
    cJSON_AddNumberToObject(object, "vertices", (double)pack->vertex_count);
    cJSON_AddNumberToObject(object, "file_bytes", (double)pack->file_bytes);
    tr_json_add_hash(object, "world_hash", pack->info.world_hash);
    tr_json_add_hash(object, "hash", pack->hash);
    cJSON_AddStringToObject(object, "form", pack->info.form == TR_PACK_WINDOW ? "window" : "all_lods");
    levels = cJSON_AddArrayToObject(object, "levels");
    for (int lod = 0; lod < TR_LODS; lod++) {
        const struct level_facts *from = &facts->levels[lod];
        cJSON *level;
        if (from->tiles == 0)
            continue;
        level = cJSON_CreateObject();
        cJSON_AddNumberToObject(level, "lod", lod);
        cJSON_AddNumberToObject(level, "tiles", (double)from->tiles);
        cJSON_AddNumberToObject(level, "height_tiles", (double)from->height_tiles);
        cJSON_AddNumberToObject(level, "triangles", (double)from->triangles);
        cJSON_AddNumberToObject(level, "vertices", (double)from->vertices);
        cJSON_AddNumberToObject(level, "error_m", from->error * pack->info.voxel_size / TR_UNITS);
        cJSON_AddItemToArray(levels, level);
    }
    cJSON_AddNumberToObject(object, "tiles_with_materials", (double)facts->materials);
    cJSON_AddNumberToObject(object, "tiles_with_targets", (double)facts->targets);
    cJSON_AddNumberToObject(object, "tiles_with_weights", (double)facts->weights);
    return tr_json_print(object, error);
}

static void print_stream(const char *name, uint64_t tiles, const struct tr_pack *pack, const char **before)
{
    char a[32];
    if (tiles == 0)
        return;
    printf("%s%s", *before, name);
    if (tiles < pack->tile_count)
        printf(" (%s of the tiles)", tr_grouped(tiles, a));
    *before = ", ";
}

static void pack_text(const struct tr_call *call, const struct tr_pack *pack, const struct pack_facts *facts)
{
    const uint64_t triangles = pack->index_count / 3;
    const char *before = "  streams     ";
    char a[32], b[32], hash[33], world_hash[33];
    tr_hash_text(pack->hash, hash);
    tr_hash_text(pack->info.world_hash, world_hash);
    printf("%s: mesh pack, %s\n", tr_shown(call->arguments[0]),
           pack->info.form == TR_PACK_WINDOW ? "one window" : "all levels of detail");
    printf("  world       %d x %d chunks, voxel %s, hash %s\n", pack->info.size_x, pack->info.size_z,
           tr_metres(pack->info.voxel_size, a), world_hash);
    printf("  mesh        %zu tiles, %s triangles, %s vertices (%s)\n", pack->tile_count,
           tr_grouped(triangles, a), tr_grouped(pack->vertex_count, b),
           pack->info.form == TR_PACK_WINDOW ? "on tile borders counted in each tile"
                                             : "for every neighbourhood that a tile may stand in");
    for (int lod = 0; lod < TR_LODS; lod++) {
        const struct level_facts *level = &facts->levels[lod];
        if (level->tiles == 0)
            continue;
        printf("  LOD %d       %s tile%s, ", lod, tr_grouped(level->tiles, a), level->tiles == 1 ? "" : "s");
        printf("%s of heights, %s triangles", tr_grouped(level->height_tiles, a),
               tr_grouped(level->triangles, b));
        if (lod > 0)
            printf(", at most %s off LOD 0", tr_metres(level->error * pack->info.voxel_size / TR_UNITS, a));
        printf("\n");
    }
    print_stream("materials", facts->materials, pack, &before);
    print_stream("geomorph targets", facts->targets, pack, &before);
    print_stream("splat weights", facts->weights, pack, &before);
    if (before[0] == ',')
        printf("\n");
    printf("  storage     %s, %.2f bytes a triangle\n", tr_bytes_text(pack->file_bytes, a),
           triangles ? (double)pack->file_bytes / (double)triangles : 0.0);
    printf("  hash        %s\n", hash);
}

static enum tr_status info_pack(const struct tr_call *call, struct tr_error *error)
{
    struct tr_pack *pack = NULL;
    struct pack_facts facts = {0};
    enum tr_status status = tr_pack_open(call->arguments[0], &pack, error);
    if (status != TR_OK)
        return status;
    survey_pack(pack, &facts);
    if (tr_call_has(call, "--json"))
        status = pack_json(call, pack, &facts, error);
    else
        pack_text(call, pack, &facts);
    tr_pack_close(pack);
    return status;
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    enum tr_kind kind;
    enum tr_status status = tr_find_kind(call->arguments[0], &kind, error);
    if (status != TR_OK)
        return status;
    return kind == TR_KIND_WORLD ? info_world(call, error) : info_pack(call, error);
}

const struct tr_command tr_command_info = {
    .name = "info",
    .usage = "WORLD|PACK",
    .summary = "say what a world or a pack is",
    .examples = "  terrain info world\n  terrain info --json world.tpack",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
