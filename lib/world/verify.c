/* Three passes: the folder is walked by names, the log read, then all chunk files and base files by many jobs.
 * A job writes the defects of file i into lines i of its batch, and after each batch they are reported in the
 * order of the files; so neither order nor memory depends on the number of jobs or of defects.
 *
 * A folder that is none, such as chunks as a symbolic link, is one defect: the files that it would hold are
 * not reported missing too. */
#include "lib/world/verify.h"

#include "lib/base/alloc.h"
#include "lib/base/bytes.h"
#include "lib/world/codec.h"
#include "lib/world/index.h"
#include "lib/world/store.h"
#include "lib/world/tree.h"
#include "lib/world/world_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 4096
#define NO_LOG "is there, but " TR_WORLD_JSON_NAME " has no log"
#define NAME_BYTES (TR_PATH_BYTES + TR_STORE_PATH_BYTES)

struct verify {
    const struct tr_world *world;
    const struct tr_verify_calls *calls;
    bool has_chunks;                     /* something of that name */
    bool is_reported[TR_STORE_SHARDS];   /* that the shard under chunks, or chunks itself, is no folder */
    const struct tr_index_entry **bases; /* chunks that have a file under base */
    size_t base_count, base_capacity;

    /* the batch that the jobs work on */
    bool is_base; /* files under base, not chunks */
    size_t first;
    struct tr_writer *lines; /* of each file; a NUL behind each line */
};

/* ---- names and kinds ---- */

static enum tr_status report(const struct verify *verify, const char *path, const char *what,
                             struct tr_error *error)
{
    struct tr_error defect;

    tr_fail(&defect, TR_BAD_INPUT, "\"%s/%s\" %s", verify->world->path, path, what);
    return verify->calls->report(verify->calls->context, defect.text, error);
}

static enum tr_status report_if_no_folder(const struct verify *verify, const struct tr_tree_entry *entry,
                                          struct tr_error *error)
{
    if (tr_tree_entry_is_sound(entry))
        return TR_OK;
    return report(
        verify, entry->path,
        S_ISLNK(entry->mode) ? "is a symbolic link, expected a folder" : "is no folder, expected one", error);
}

/* Chunks, or base, which only a world with a log has. */
static enum tr_status visit_top(struct verify *verify, const struct tr_tree_entry *entry,
                                struct tr_error *error)
{
    enum tr_status status = TR_OK;

    if (entry->is_base && !verify->world->has_log)
        status = report(verify, entry->path, NO_LOG, error);
    if (!entry->is_base) {
        verify->has_chunks = true;
        memset(verify->is_reported, !tr_tree_entry_is_sound(entry), sizeof verify->is_reported);
    }
    return status == TR_OK ? report_if_no_folder(verify, entry, error) : status;
}

static enum tr_status visit_shard(struct verify *verify, const struct tr_tree_entry *entry,
                                  struct tr_error *error)
{
    if (!entry->is_base)
        verify->is_reported[entry->shard] = !tr_tree_entry_is_sound(entry);
    return report_if_no_folder(verify, entry, error);
}

/* The file must lie where the world has one of its name. */
static enum tr_status visit_chunk(struct verify *verify, const struct tr_tree_entry *entry,
                                  struct tr_error *error)
{
    const struct tr_index_entry *chunk = tr_world_find(verify->world, entry->cx, entry->cz);
    char path[TR_STORE_PATH_BYTES];
    enum tr_status status = TR_OK;

    tr_store_chunk_path(path, entry->is_base ? TR_STORE_BASE : TR_STORE_CHUNKS, entry->cx, entry->cz);
    if (!chunk || strcmp(entry->path, path) != 0)
        return report(verify, entry->path, "is the place of no chunk of this world", error);
    if (entry->is_base)
        status = tr_grow(&verify->bases, &verify->base_capacity, verify->base_count + 1,
                         sizeof *verify->bases, error);
    if (entry->is_base && status == TR_OK)
        verify->bases[verify->base_count++] = chunk;
    return status;
}

/* Files are opened later, and then what is none is noticed; of folders only the walk knows. */
static enum tr_status visit(void *context, const struct tr_tree_entry *entry, struct tr_error *error)
{
    struct verify *verify = context;

    switch (entry->role) {
    case TR_TREE_STRAY:
        return report(verify, entry->path, "is no part of a world", error);
    case TR_TREE_LOG:
        return verify->world->has_log ? TR_OK : report(verify, entry->path, NO_LOG, error);
    case TR_TREE_TOP:
        return visit_top(verify, entry, error);
    case TR_TREE_SHARD:
        return visit_shard(verify, entry, error);
    case TR_TREE_CHUNK:
        return visit_chunk(verify, entry, error);
    case TR_TREE_JSON: /* both are read */
    case TR_TREE_INDEX:
        break;
    }
    return TR_OK;
}

static enum tr_status check_tree(struct verify *verify, struct tr_error *error)
{
    enum tr_status status = tr_tree_walk(verify->world->folder, verify->world->path, visit, verify, error);

    if (status != TR_OK || verify->has_chunks)
        return status;
    memset(verify->is_reported, true, sizeof verify->is_reported);
    return report(verify, TR_STORE_CHUNKS, "is missing, expected a folder", error);
}

/* ---- the log ---- */

static enum tr_status check_log_hash(const struct verify *verify, const char *text, size_t size_bytes,
                                     struct tr_error *error)
{
    const struct tr_world *world = verify->world;
    struct tr_hash hash = tr_hash_bytes(text, size_bytes);
    char what[256], found[33], expected[33];

    if (size_bytes == world->log_bytes && tr_hash_equal(hash, world->log_hash))
        return TR_OK;
    tr_hash_text(hash, found);
    tr_hash_text(world->log_hash, expected);
    snprintf(what, sizeof what, "has %zu bytes of hash %s, expected %" PRIu64 " of %s as in %s", size_bytes,
             found, world->log_bytes, expected, TR_WORLD_JSON_NAME);
    return report(verify, TR_STORE_LOG, what, error);
}

/* A text that is not the one expected is read all the same: that may tell in which line it was damaged. */
static enum tr_status check_log_text(const struct verify *verify, const char *text, size_t size_bytes,
                                     struct tr_error *error)
{
    const struct tr_verify_calls *calls = verify->calls;
    char name[NAME_BYTES];
    struct tr_error defect = {0};
    enum tr_status status = check_log_hash(verify, text, size_bytes, error);

    if (status != TR_OK || !calls->check_log)
        return status;
    snprintf(name, sizeof name, "%s/%s", verify->world->path, TR_STORE_LOG);
    status = calls->check_log(calls->context, text, size_bytes, name, &defect);
    if (status == TR_BAD_INPUT)
        return calls->report(calls->context, defect.text, error);
    if (status != TR_OK && error)
        *error = defect;
    return status;
}

static enum tr_status check_log(const struct verify *verify, struct tr_error *error)
{
    const struct tr_world *world = verify->world;
    struct tr_error defect = {0};
    uint8_t *text;
    size_t size_bytes;
    enum tr_status status;

    if (!world->has_log)
        return TR_OK;
    status = tr_store_read(world->folder, world->path, TR_STORE_LOG, TR_WORLD_LOG_MAX, &text, &size_bytes,
                           &defect);
    if (status == TR_BAD_INPUT)
        return verify->calls->report(verify->calls->context, defect.text, error);
    if (status == TR_OK)
        status = check_log_text(verify, (const char *)text, size_bytes, error);
    else if (error)
        *error = defect;
    free(text);
    return status;
}

/* ---- chunk files ---- */

static void add_line(void *context, const char *line)
{
    tr_write_bytes(context, line, strlen(line) + 1);
}

/* A base that equals what the log made of it says nothing, and is not stored. */
static enum tr_status check_base_hash(const struct tr_index_entry *entry, struct tr_hash hash,
                                      const char *name, struct tr_error *error)
{
    char text[33];

    if (!tr_hash_equal(hash, entry->hash))
        return TR_OK;
    tr_hash_text(hash, text);
    return tr_fail(error, TR_BAD_INPUT, "\"%s\": chunk hash %s, expected another than that of the chunk",
                   name, text);
}

/* All of a file that has been read. Each defect is a line; TR_BAD_INPUT: there was one, and its line is in. */
static enum tr_status inspect_file(const struct verify *verify, const struct tr_index_entry *entry,
                                   const uint8_t *bytes, size_t size_bytes, const char *path,
                                   struct tr_writer *lines, struct tr_error *error)
{
    const struct tr_world *world = verify->world;
    char name[NAME_BYTES];
    struct tr_chunk_head head;
    enum tr_status status;

    snprintf(name, sizeof name, "%s/%s", world->path, path);
    status = tr_chunk_inspect(bytes, size_bytes, name, add_line, lines, &head, error);
    if (status != TR_OK)
        return status;
    status = tr_world_check_head(&world->info, entry->cx, entry->cz, &head, name, error);
    if (status == TR_OK)
        status = verify->is_base ? check_base_hash(entry, head.hash, name, error)
                                 : tr_index_check_hash(entry, head.hash, name, error);
    if (status == TR_BAD_INPUT)
        add_line(lines, error->text);
    return status;
}

static enum tr_status check_file(const struct verify *verify, const struct tr_index_entry *entry,
                                 struct tr_writer *lines, struct tr_error *error)
{
    const struct tr_world *world = verify->world;
    char path[TR_STORE_PATH_BYTES];
    uint8_t *bytes;
    size_t size_bytes;
    enum tr_status status;

    tr_store_chunk_path(path, verify->is_base ? TR_STORE_BASE : TR_STORE_CHUNKS, entry->cx, entry->cz);
    status = tr_store_read(world->folder, world->path, path, TR_CHUNK_FILE_MAX, &bytes, &size_bytes, error);
    if (status == TR_BAD_INPUT)
        add_line(lines, error->text);
    else if (status == TR_OK)
        status = inspect_file(verify, entry, bytes, size_bytes, path, lines, error);
    free(bytes);
    if (lines->failed)
        return tr_fail(error, TR_IO, "out of memory: defects of \"%s/%s\"", world->path, path);
    return status == TR_BAD_INPUT ? TR_OK : status;
}

static enum tr_status check_task(void *context, size_t index, int job, struct tr_error *error)
{
    const struct verify *verify = context;
    size_t at = verify->first + index;
    const struct tr_index_entry *entry = verify->is_base ? verify->bases[at] : &verify->world->index[at];

    (void)job;
    if (!verify->is_base && verify->is_reported[tr_store_shard(entry->cx, entry->cz)])
        return TR_OK;
    return check_file(verify, entry, &verify->lines[index], error);
}

static enum tr_status report_lines(const struct verify *verify, const struct tr_writer *lines,
                                   struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (size_t at = 0; status == TR_OK && at < lines->size_bytes;) {
        const char *line = (const char *)lines->bytes + at;

        status = verify->calls->report(verify->calls->context, line, error);
        at += strlen(line) + 1;
    }
    return status;
}

static enum tr_status check_batch(struct verify *verify, size_t count, struct tr_jobs *jobs,
                                  struct tr_error *error)
{
    enum tr_status status = tr_jobs_run(jobs, count, check_task, verify, error);

    for (size_t i = 0; i < count; i++) {
        if (status == TR_OK)
            status = report_lines(verify, &verify->lines[i], error);
        tr_writer_release(&verify->lines[i]);
    }
    return status;
}

/* The files under one of the two folders. */
static enum tr_status check_files(struct verify *verify, bool is_base, size_t count, struct tr_jobs *jobs,
                                  struct tr_error *error)
{
    enum tr_status status = TR_OK;

    verify->is_base = is_base;
    for (size_t first = 0; status == TR_OK && first < count; first += BATCH) {
        verify->first = first;
        status = check_batch(verify, count - first < BATCH ? count - first : BATCH, jobs, error);
    }
    return status;
}

enum tr_status tr_world_verify(const struct tr_world *world, struct tr_jobs *jobs,
                               const struct tr_verify_calls *calls, struct tr_error *error)
{
    struct verify verify = {.world = world, .calls = calls};
    enum tr_status status = TR_IO;

    verify.lines = tr_alloc(BATCH, sizeof *verify.lines, error);
    if (verify.lines)
        status = check_tree(&verify, error);
    if (status == TR_OK)
        status = check_log(&verify, error);
    if (status == TR_OK)
        status = check_files(&verify, false, world->chunk_count, jobs, error);
    if (status == TR_OK)
        status = check_files(&verify, true, verify.base_count, jobs, error);
    free(verify.lines);
    free(verify.bases);
    return status;
}
