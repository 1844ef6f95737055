/* terrain diff: how two worlds, or two packs, differ. */
#include "cmd/common.h"
#include "lib/diff/pack_diff.h"
#include "lib/diff/world_diff.h"
#include "lib/edit/log.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct tr_option options[] = {
    {"--name-only", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "print what differs, a line each: chunks of worlds as cx cz, tiles of packs as lod cx cy cz"},
    TR_OPTION_JSON,
    TR_OPTION_QUIET,
    TR_OPTION_JOBS,
    TR_OPTION_END,
};

static int compare_ids(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Keeps in `log` only the edits whose id `other` lacks. */
static enum tr_status keep_new(struct tr_log *log, const struct tr_log *other, struct tr_error *error)
{
    const char **ids = calloc(other->count + 1, sizeof *ids);
    if (!ids)
        return tr_fail(error, TR_IO, "out of memory");
    for (size_t i = 0; i < other->count; i++)
        ids[i] = other->edits[i].id;
    qsort(ids, other->count, sizeof *ids, compare_ids);
    size_t kept = 0;
    for (size_t i = 0; i < log->count; i++) {
        const char *id = log->edits[i].id;
        if (!bsearch(&id, ids, other->count, sizeof *ids, compare_ids))
            log->edits[kept++] = log->edits[i];
    }
    log->count = kept;
    free(ids);
    return TR_OK;
}

static enum tr_status compare_logs(const struct tr_world *a, const struct tr_world *b, struct tr_log *added,
                                   struct tr_log *removed, struct tr_error *error)
{
    struct tr_log again = {0};
    enum tr_status status = tr_log_read_stored(added, b, error);
    if (status == TR_OK)
        status = tr_log_read_stored(removed, a, error);
    if (status == TR_OK)
        status = tr_log_read_stored(&again, b, error);
    if (status == TR_OK)
        status = keep_new(added, removed, error);
    if (status == TR_OK)
        status = keep_new(removed, &again, error);
    tr_log_release(&again);
    return status;
}

static void print_ids(const char *what, const struct tr_log *log)
{
    enum { MOST = 8 };
    if (log->count == 0)
        return;
    printf("  %-11s %zu: ", what, log->count);
    for (size_t i = 0; i < log->count && i < MOST; i++)
        printf("%s%s", i ? ", " : "", log->edits[i].id);
    printf(log->count > MOST ? ", ...\n" : "\n");
}

static void print_diff(const struct tr_world *a, const struct tr_world_diff *diff, const struct tr_log *added,
                       const struct tr_log *removed)
{
    const struct tr_chunk_diff *total = &diff->total;
    double voxel = a->info.voxel_size, volume = voxel * voxel * voxel;
    char n[32], m[32], k[32];
    printf("%zu of %zu chunks differ\n", diff->count, a->chunk_count);
    if (total->heights)
        printf("  heights     %s differ, by %s on average, %s at most\n", tr_grouped(total->heights, n),
               tr_metres((double)total->sum / (double)total->heights / TR_UNITS * voxel, m),
               tr_metres(total->greatest * voxel / TR_UNITS, k));
    if (total->samples)
        printf("  3D          %s samples differ, %u -> %u blocks\n", tr_grouped(total->samples, n),
               total->blocks_a, total->blocks_b);
    if (total->paint || total->block_paint)
        printf("  paint       %s columns, %s samples of blocks differ\n", tr_grouped(total->paint, n),
               tr_grouped(total->block_paint, m));
    printf("  ground      cut %s m3, filled %s m3\n", tr_grouped((uint64_t)(total->cut * volume + 0.5), n),
           tr_grouped((uint64_t)(total->fill * volume + 0.5), m));
    if (!tr_box_is_empty(&total->box))
        printf("  region      x %g to %g m, y %g to %g m, z %g to %g m\n", (double)total->box.lo[0] * voxel,
               (double)total->box.hi[0] * voxel, (double)total->box.lo[1] * voxel,
               (double)total->box.hi[1] * voxel, (double)total->box.lo[2] * voxel,
               (double)total->box.hi[2] * voxel);
    print_ids("edits added", added);
    print_ids("edits gone", removed);
}

static cJSON *ids_json(const struct tr_log *log)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < log->count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(log->edits[i].id));
    return array;
}

static enum tr_status diff_json(const struct tr_world *a, const struct tr_world_diff *diff,
                                const struct tr_log *added, const struct tr_log *removed,
                                struct tr_error *error)
{
    const struct tr_chunk_diff *total = &diff->total;
    double voxel = a->info.voxel_size, volume = voxel * voxel * voxel;
    cJSON *object = cJSON_CreateObject(), *chunks = cJSON_AddArrayToObject(object, "chunks");
    cJSON_AddBoolToObject(object, "equal", diff->equal);
    cJSON_AddNumberToObject(object, "chunks_changed", (double)diff->count);
    cJSON_AddNumberToObject(object, "heights_changed", (double)total->heights);
    cJSON_AddNumberToObject(object, "samples_changed", (double)total->samples);
    cJSON_AddNumberToObject(object, "column_paint_changed", (double)total->paint);
    cJSON_AddNumberToObject(object, "block_paint_changed", (double)total->block_paint);
    cJSON_AddNumberToObject(object, "greatest_height_change_m", total->greatest * voxel / TR_UNITS);
    cJSON_AddNumberToObject(object, "mean_height_change_m",
                            total->heights ? (double)total->sum / (double)total->heights / TR_UNITS * voxel
                                           : 0);
    cJSON_AddNumberToObject(object, "cut_m3", total->cut * volume);
    cJSON_AddNumberToObject(object, "fill_m3", total->fill * volume);
    if (!diff->equal && !tr_box_is_empty(&total->box)) {
        double lo[3], hi[3];
        for (int i = 0; i < 3; i++) {
            lo[i] = (double)total->box.lo[i] * voxel;
            hi[i] = (double)total->box.hi[i] * voxel;
        }
        tr_json_add_point(object, "region_lo_m", lo, 3);
        tr_json_add_point(object, "region_hi_m", hi, 3);
    }
    cJSON_AddItemToObject(object, "edits_added", ids_json(added));
    cJSON_AddItemToObject(object, "edits_removed", ids_json(removed));
    for (size_t i = 0; i < diff->count; i++) {
        const struct tr_chunk_diff *from = &diff->chunks[i];
        cJSON *chunk = cJSON_CreateObject();
        cJSON_AddNumberToObject(chunk, "cx", from->cx);
        cJSON_AddNumberToObject(chunk, "cz", from->cz);
        cJSON_AddNumberToObject(chunk, "heights", (double)from->heights);
        cJSON_AddNumberToObject(chunk, "samples", (double)from->samples);
        cJSON_AddNumberToObject(chunk, "column_paint", (double)from->paint);
        cJSON_AddNumberToObject(chunk, "block_paint", (double)from->block_paint);
        cJSON_AddNumberToObject(chunk, "cut_m3", from->cut * volume);
        cJSON_AddNumberToObject(chunk, "fill_m3", from->fill * volume);
        cJSON_AddItemToArray(chunks, chunk);
    }
    return tr_json_print(object, error);
}

static enum tr_status diff_worlds(const struct tr_call *call, struct tr_error *error)
{
    struct tr_world *a = NULL, *b = NULL;
    struct tr_jobs *jobs = NULL;
    struct tr_world_diff diff = {0};
    struct tr_log added = {0}, removed = {0};
    enum tr_status status = tr_world_open(call->arguments[0], &a, error);
    if (status == TR_OK)
        status = tr_world_open(call->arguments[1], &b, error);
    if (status == TR_OK)
        status = tr_jobs_create((int)tr_call_number(call, "--jobs", 0), &jobs, error);
    if (status == TR_OK)
        status = tr_world_diff(jobs, a, b, &diff, error);
    if (status == TR_OK && !diff.equal)
        status = compare_logs(a, b, &added, &removed, error);
    if (status == TR_OK) {
        if (tr_call_has(call, "--json"))
            status = diff_json(a, &diff, &added, &removed, error);
        else if (tr_call_has(call, "--name-only"))
            for (size_t i = 0; i < diff.count; i++)
                printf("%d %d\n", diff.chunks[i].cx, diff.chunks[i].cz);
        else if (!diff.equal && !tr_call_has(call, "--quiet"))
            print_diff(a, &diff, &added, &removed);
    }
    if (status == TR_OK && !diff.equal)
        status = TR_NO;
    tr_log_release(&added);
    tr_log_release(&removed);
    tr_world_diff_release(&diff);
    tr_jobs_free(jobs);
    tr_world_close(a);
    tr_world_close(b);
    return status;
}

static enum tr_status pack_diff_json(const struct tr_pack *a, const struct tr_pack *b,
                                     const struct tr_pack_diff *diff, struct tr_error *error)
{
    cJSON *object = cJSON_CreateObject(), *tiles = cJSON_AddArrayToObject(object, "tiles");
    cJSON_AddBoolToObject(object, "equal", diff->equal);
    cJSON_AddNumberToObject(object, "tiles_changed", (double)diff->count);
    cJSON_AddNumberToObject(object, "triangles_a", (double)(a->index_count / 3));
    cJSON_AddNumberToObject(object, "triangles_b", (double)(b->index_count / 3));
    for (size_t i = 0; i < diff->count; i++) {
        const struct tr_tile_diff *from = &diff->tiles[i];
        cJSON *tile = cJSON_CreateObject();
        cJSON_AddNumberToObject(tile, "lod", from->lod);
        cJSON_AddNumberToObject(tile, "cx", from->cx);
        cJSON_AddNumberToObject(tile, "cy", from->cy);
        cJSON_AddNumberToObject(tile, "cz", from->cz);
        cJSON_AddNumberToObject(tile, "triangles_a", from->triangles_a);
        cJSON_AddNumberToObject(tile, "triangles_b", from->triangles_b);
        cJSON_AddItemToArray(tiles, tile);
    }
    return tr_json_print(object, error);
}

static const char *form_name(const struct tr_pack *pack)
{
    return pack->info.form == TR_PACK_WINDOW ? "one window" : "all levels";
}

static void print_pack_diff(const struct tr_pack *a, const struct tr_pack *b, const struct tr_pack_diff *diff)
{
    char n[32], m[32];
    printf("%zu of %zu tiles differ\n", diff->count,
           a->tile_count > b->tile_count ? a->tile_count : b->tile_count);
    if (a->info.size_x != b->info.size_x || a->info.size_z != b->info.size_z ||
        a->info.voxel_size != b->info.voxel_size)
        printf("  worlds      %d x %d chunks of voxel %g m, %d x %d of %g m\n", a->info.size_x,
               a->info.size_z, a->info.voxel_size, b->info.size_x, b->info.size_z, b->info.voxel_size);
    if (a->info.form != b->info.form)
        printf("  form        %s, %s\n", form_name(a), form_name(b));
    printf("  triangles   %s, %s\n", tr_grouped(a->index_count / 3, n), tr_grouped(b->index_count / 3, m));
}

static enum tr_status diff_packs(const struct tr_call *call, struct tr_error *error)
{
    struct tr_pack *a = NULL, *b = NULL;
    struct tr_pack_diff diff = {0};
    enum tr_status status = tr_pack_open(call->arguments[0], &a, error);
    if (status == TR_OK)
        status = tr_pack_open(call->arguments[1], &b, error);
    if (status == TR_OK)
        status = tr_pack_diff(a, b, &diff, error);
    if (status == TR_OK) {
        if (tr_call_has(call, "--json"))
            status = pack_diff_json(a, b, &diff, error);
        else if (tr_call_has(call, "--name-only"))
            for (size_t i = 0; i < diff.count; i++)
                printf("%u %d %d %d\n", diff.tiles[i].lod, diff.tiles[i].cx, diff.tiles[i].cy,
                       diff.tiles[i].cz);
        else if (!diff.equal && !tr_call_has(call, "--quiet"))
            print_pack_diff(a, b, &diff);
    }
    if (status == TR_OK && !diff.equal)
        status = TR_NO;
    tr_pack_diff_release(&diff);
    tr_pack_close(a);
    tr_pack_close(b);
    return status;
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    if (tr_call_has(call, "--json") && tr_call_has(call, "--name-only"))
        return tr_fail(error, TR_USAGE, "--json and --name-only exclude each other");
    enum tr_kind kinds[2];
    for (int i = 0; i < 2; i++) {
        enum tr_status status = tr_find_kind(call->arguments[i], &kinds[i], error);
        if (status != TR_OK)
            return status;
    }
    if (kinds[0] != kinds[1])
        return tr_fail(error, TR_BAD_INPUT, "'%s' is a world and '%s' is a mesh pack, expected two of a kind",
                       call->arguments[kinds[0] == TR_KIND_WORLD ? 0 : 1],
                       call->arguments[kinds[0] == TR_KIND_WORLD ? 1 : 0]);
    return kinds[0] == TR_KIND_WORLD ? diff_worlds(call, error) : diff_packs(call, error);
}

const struct tr_command tr_command_diff = {
    .name = "diff",
    .usage = "A B",
    .summary = "say how two worlds or two packs differ",
    .about = "Exit 0 when they are the same, 1 when they differ, 2 and above on trouble. Chunks with equal "
             "hashes are not read.",
    .examples = "  terrain diff world edited\n  terrain diff --json world edited | jq .cut_m3\n  terrain "
                "diff -q baked expected || exit 1",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
