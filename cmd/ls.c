/* terrain ls: the chunks of a world, a line each. */
#include "cmd/common.h"
#include "lib/base/alloc.h"
#include "lib/run/probe.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct tr_option options[] = {
    {"--volumetric", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "only chunks that store blocks, where the ground is in 3D"},
    TR_OPTION_JSON,
    TR_OPTION_JOBS,
    TR_OPTION_END,
};

struct listing {
    const struct tr_world *world;
    struct entry {
        int32_t lowest, highest; /* units */
        int32_t *rows;           /* of its blocks, rising */
        size_t row_count;
        bool is_painted;
        uint64_t file_bytes;
    } * entries; /* by index */
};

static enum tr_status look_at_chunk(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct listing *listing = context;
    struct entry *entry = &listing->entries[index];
    int32_t cx = listing->world->index[index].cx, cz = listing->world->index[index].cz;
    struct tr_chunk chunk = {0};
    enum tr_status status = tr_world_read_chunk(listing->world, cx, cz, &chunk, error);
    if (status == TR_OK)
        status = tr_world_chunk_file_bytes(listing->world, cx, cz, &entry->file_bytes, error);
    if (status == TR_OK && chunk.block_count) {
        entry->rows = tr_alloc(chunk.block_count, sizeof *entry->rows, error);
        status = entry->rows ? TR_OK : TR_IO;
    }
    if (status == TR_OK) {
        tr_chunk_height_range(&chunk, &entry->lowest, &entry->highest);
        entry->is_painted = tr_chunk_is_painted(&chunk);
        entry->row_count = chunk.block_count;
        for (size_t i = 0; i < chunk.block_count; i++)
            entry->rows[i] = chunk.blocks[i].cy;
    }
    tr_chunk_release(&chunk);
    return status;
}

/* "-1..2,5", "-" when there are none; returns its length. */
static int print_rows(const struct entry *entry)
{
    int length = entry->row_count ? 0 : printf("-");
    for (size_t i = 0; i < entry->row_count;) {
        size_t last = i;
        while (last + 1 < entry->row_count && entry->rows[last + 1] == entry->rows[last] + 1)
            last++;
        length += printf("%s%d", i ? "," : "", entry->rows[i]);
        if (last > i)
            length += printf("..%d", entry->rows[last]);
        i = last + 1;
    }
    return length;
}

static void print_text(const struct listing *listing, bool volumetric)
{
    const struct tr_world *world = listing->world;
    double metres = world->info.voxel_size / TR_UNITS;
    printf("%5s %5s %11s %11s %6s  %-9s %9s  %-12s  %s\n", "cx", "cz", "lowest_m", "highest_m", "blocks",
           "rows", "bytes", "hash", "paint");
    for (size_t i = 0; i < world->chunk_count; i++) {
        const struct entry *entry = &listing->entries[i];
        char hash[33];
        if (volumetric && entry->row_count == 0)
            continue;
        tr_hash_text(world->index[i].hash, hash);
        printf("%5d %5d %11.3f %11.3f %6zu  ", world->index[i].cx, world->index[i].cz, entry->lowest * metres,
               entry->highest * metres, entry->row_count);
        int length = print_rows(entry);
        printf("%*s %9" PRIu64 "  %.12s  %s\n", length < 9 ? 9 - length : 0, "", entry->file_bytes, hash,
               entry->is_painted ? "yes" : "-");
    }
}

static enum tr_status print_json(const struct tr_call *call, const struct listing *listing, bool volumetric,
                                 struct tr_error *error)
{
    const struct tr_world *world = listing->world;
    double metres = world->info.voxel_size / TR_UNITS;
    cJSON *object = cJSON_CreateObject(), *chunks;
    tr_json_add_path(object, "path", call->arguments[0]);
    chunks = cJSON_AddArrayToObject(object, "chunks");
    for (size_t i = 0; i < world->chunk_count; i++) {
        const struct entry *entry = &listing->entries[i];
        cJSON *chunk;
        if (volumetric && entry->row_count == 0)
            continue;
        chunk = cJSON_CreateObject();
        cJSON_AddNumberToObject(chunk, "cx", world->index[i].cx);
        cJSON_AddNumberToObject(chunk, "cz", world->index[i].cz);
        cJSON_AddNumberToObject(chunk, "lowest_m", entry->lowest * metres);
        cJSON_AddNumberToObject(chunk, "highest_m", entry->highest * metres);
        cJSON_AddNumberToObject(chunk, "blocks", (double)entry->row_count);
        cJSON_AddItemToObject(chunk, "rows", cJSON_CreateIntArray(entry->rows, (int)entry->row_count));
        cJSON_AddNumberToObject(chunk, "file_bytes", (double)entry->file_bytes);
        cJSON_AddBoolToObject(chunk, "painted", entry->is_painted);
        tr_json_add_hash(chunk, "hash", world->index[i].hash);
        cJSON_AddItemToArray(chunks, chunk);
    }
    return tr_json_print(object, error);
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    struct tr_world *world = NULL;
    struct tr_jobs *jobs = NULL;
    struct listing listing = {0};
    bool volumetric = tr_call_has(call, "--volumetric");
    enum tr_status status = tr_world_open(call->arguments[0], &world, error);
    listing.world = world;
    if (status == TR_OK) {
        listing.entries = tr_alloc(world->chunk_count, sizeof *listing.entries, error);
        status = listing.entries ? TR_OK : TR_IO;
    }
    if (status == TR_OK)
        status = tr_jobs_create((int)tr_call_number(call, "--jobs", 0), &jobs, error);
    if (status == TR_OK)
        status = tr_jobs_run(jobs, world->chunk_count, look_at_chunk, &listing, error);
    if (status == TR_OK && tr_call_has(call, "--json"))
        status = print_json(call, &listing, volumetric, error);
    else if (status == TR_OK)
        print_text(&listing, volumetric);
    for (size_t i = 0; listing.entries && i < world->chunk_count; i++)
        free(listing.entries[i].rows);
    free(listing.entries);
    tr_jobs_free(jobs);
    tr_world_close(world);
    return status;
}

const struct tr_command tr_command_ls = {
    .name = "ls",
    .usage = "WORLD",
    .summary = "list a world's chunks",
    .about =
        "A line a chunk: its place, heights in metres, blocks and the rows they are in, size of its "
        "file, the\n"
        "first digits of its hash, and whether it is painted. The last row and column are the rim, which "
        "holds the\n"
        "world's last samples.",
    .examples =
        "  terrain ls world\n  terrain ls --volumetric edited\n  terrain ls --json world | jq '.chunks[0]'",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
