/* Build: a world that comes into being in a temporary folder beside its final name (lib/base/temp.h), and
 * gets that name in one step when all of it is on the disk. Whoever is killed leaves that folder, or in it
 * what was not yet removed of the world that was replaced, and nothing else. The next build of the same name
 * removes it, unless a living process holds it or something in it is no part of a world. world.json is
 * written last and removed first: what is not whole has none, and nobody takes it for a world.
 *
 * What may be replaced is looked at twice, at the beginning, so that no work is in vain, and at the end. Only
 * names and kinds count, and that world.json is recognisably ours: a damaged world may be replaced, a folder
 * that holds anything else may not.
 *
 * Syncing is one syncfs for all files, links and folders: a world of a million chunks would wait hours for an
 * fsync each.
 *
 * A hard link shares the file with the world it came from, so only a file without write permission is linked.
 * What was linked is compared with what was opened before, because a name may mean another file a moment
 * later. */
#include "lib/world/world.h"

#include "lib/base/alloc.h"
#include "lib/base/temp.h"
#include "lib/base/text.h"
#include "lib/world/codec.h"
#include "lib/world/index.h"
#include "lib/world/same.h"
#include "lib/world/store.h"
#include "lib/world/tree.h"
#include "lib/world/world_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What has happened to a chunk. */
enum {
    CHUNK_DONE = 1, /* its file is there, its index entry filled */
    CHUNK_BASE = 2, /* its base is */
};

/* Shards under chunks/ and base/. */
enum top {
    TOP_CHUNKS,
    TOP_BASE,
    TOP_COUNT,
};
static const char *const top_names[TOP_COUNT] = {TR_STORE_CHUNKS, TR_STORE_BASE};

struct tr_world_build {
    char path[TR_PATH_BYTES], temp[TR_PATH_BYTES];
    bool replace;
    int folder; /* descriptor of temp, which it holds locked */
    struct tr_world_json json;
    size_t chunk_count;
    struct tr_index_entry *index;
    uint8_t *state; /* of each chunk; only the thread that handles the chunk touches it */
    atomic_bool has_shard[TOP_COUNT][TR_STORE_SHARDS];
};

/* ---- the final name ---- */

/* What stands at the final name. */
struct target {
    const char *path;
    bool is_empty, has_json;
};

/* Anything but what a world is made of is somebody's and must not go. */
static enum tr_status check_target_entry(void *context, const struct tr_tree_entry *entry,
                                         struct tr_error *error)
{
    struct target *target = context;

    target->is_empty = false;
    target->has_json |= entry->role == TR_TREE_JSON;
    if (tr_tree_entry_is_sound(entry))
        return TR_OK;
    return tr_fail(error, TR_IO,
                   "\"%s\" holds \"%s\", which is no part of a world, expected a world to replace",
                   target->path, entry->path);
}

/* A damaged world may be replaced, as long as its world.json is recognised. */
static enum tr_status check_target_json(int folder, const char *path, struct tr_error *error)
{
    uint8_t *text;
    size_t size_bytes;
    struct tr_error why;
    enum tr_status status =
        tr_store_read(folder, path, TR_WORLD_JSON_NAME, TR_WORLD_JSON_MAX, &text, &size_bytes, &why);

    if (status != TR_OK)
        return tr_fail(error, TR_IO, "%s%s", why.text,
                       status == TR_BAD_INPUT ? ", expected a world to replace" : "");
    if (!tr_world_json_is_ours((const char *)text, size_bytes))
        status = tr_fail(error, TR_IO, "\"%s/%s\" is not that of a world, expected a world to replace", path,
                         TR_WORLD_JSON_NAME);
    free(text);
    return status;
}

static enum tr_status check_target_folder(const char *path, struct tr_error *error)
{
    struct target target = {.path = path, .is_empty = true};
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    enum tr_status status;

    if (folder < 0)
        return tr_fail_errno(error, "cannot open folder \"%s\"", path);
    status = tr_tree_walk(folder, path, check_target_entry, &target, error);
    if (status == TR_OK && !target.is_empty && !target.has_json)
        status = tr_fail(error, TR_IO, "\"%s\" holds no %s, expected a world to replace", path,
                         TR_WORLD_JSON_NAME);
    else if (status == TR_OK && !target.is_empty)
        status = check_target_json(folder, path, error);
    close(folder);
    return status;
}

static enum tr_status check_target(const struct tr_world_build *build, struct tr_error *error)
{
    struct stat info;

    if (lstat(build->path, &info) != 0)
        return errno == ENOENT ? TR_OK : tr_fail_errno(error, "cannot inspect \"%s\"", build->path);
    if (!build->replace)
        return tr_fail(error, TR_IO, "\"%s\" exists, expected a new name or --force", build->path);
    if (!S_ISDIR(info.st_mode))
        return tr_fail(error, TR_IO, "\"%s\" is no folder, expected a world to replace", build->path);
    return check_target_folder(build->path, error);
}

/* The final name without slashes at its end. */
static enum tr_status set_path(struct tr_world_build *build, const char *path, struct tr_error *error)
{
    size_t length = strlen(path);
    const char *slash, *last;

    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length >= sizeof build->path)
        return tr_fail(error, TR_BAD_INPUT, "path of %zu bytes, expected at most %zu", length,
                       sizeof build->path - 1);
    memcpy(build->path, path, length);
    slash = strrchr(build->path, '/');
    last = slash ? slash + 1 : build->path;
    if (*last == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\" names no folder, expected the name of a new world", path);
    return TR_OK;
}

static enum tr_status check_abandoned_entry(void *context, const struct tr_tree_entry *entry,
                                            struct tr_error *error)
{
    (void)context;
    return tr_tree_entry_is_sound(entry) ? TR_OK : tr_fail(error, TR_NO, "\"%s\" is not ours", entry->path);
}

/* A killed build has left nothing but what a world is made of. */
static bool may_remove_abandoned(int folder, const char *path)
{
    return tr_tree_walk(folder, path, check_abandoned_entry, NULL, NULL) == TR_OK;
}

/* ---- life ---- */

static enum tr_status prepare(struct tr_world_build *build, const char *path, struct tr_error *error)
{
    const struct tr_world_info *info = &build->json.info;
    enum tr_status status = tr_world_info_check(info, error);

    if (status == TR_OK)
        status = set_path(build, path, error);
    if (status == TR_OK)
        status = check_target(build, error);
    if (status == TR_OK) /* or all the work would be for nothing */
        status = tr_folder_check_removable(build->path, error);
    if (status != TR_OK)
        return status;
    /* a file's name, which the source often repeats, may hold any bytes; JSON holds UTF-8 only */
    tr_text_make_utf8(build->json.info.source);
    build->chunk_count = tr_world_chunk_count(info->size_x, info->size_z);
    build->index = tr_alloc(build->chunk_count, sizeof *build->index, error);
    build->state = tr_alloc(build->chunk_count, sizeof *build->state, error);
    if (!build->index || !build->state)
        return TR_IO;
    status = tr_temp_create_folder(build->path, may_remove_abandoned, build->temp, &build->folder, error);
    if (status == TR_OK && mkdirat(build->folder, TR_STORE_CHUNKS, 0777) != 0)
        status = tr_fail_errno(error, "cannot create folder \"%s/%s\"", build->temp, TR_STORE_CHUNKS);
    return status;
}

enum tr_status tr_world_build_create(const char *path, const struct tr_world_info *info, bool replace,
                                     struct tr_world_build **out, struct tr_error *error)
{
    struct tr_world_build *build = tr_alloc(1, sizeof *build, error);
    enum tr_status status;

    *out = NULL;
    if (!build)
        return TR_IO;
    build->folder = -1;
    build->replace = replace;
    build->json.info = *info;
    status = prepare(build, path, error);
    if (status != TR_OK) {
        tr_world_build_free(build);
        return status;
    }
    *out = build;
    return TR_OK;
}

void tr_world_build_free(struct tr_world_build *build)
{
    if (!build)
        return;
    if (build->temp[0])
        tr_folder_remove(build->temp, NULL);
    if (build->folder >= 0)
        close(build->folder);
    free(build->index);
    free(build->state);
    free(build);
}

/* ---- chunks ---- */

/* Position of a chunk in index and state; refuses what is not in the world. */
static enum tr_status find_slot(const struct tr_world_build *build, int32_t cx, int32_t cz, size_t *slot,
                                struct tr_error *error)
{
    const struct tr_world_info *info = &build->json.info;

    if (cx < 0 || cx > info->size_x || cz < 0 || cz > info->size_z)
        return tr_fail(error, TR_BAD_INPUT, "chunk (%d, %d) outside the world, expected (0, 0) to (%d, %d)",
                       cx, cz, info->size_x, info->size_z);
    *slot = (size_t)cz * ((size_t)info->size_x + 1) + (size_t)cx;
    return TR_OK;
}

static enum tr_status check_size(const struct tr_world_build *build, int32_t cx, int32_t cz, uint32_t size_x,
                                 uint32_t size_z, struct tr_error *error)
{
    uint32_t expected_x, expected_z;

    tr_world_chunk_size(&build->json.info, cx, cz, &expected_x, &expected_z);
    if (size_x == expected_x && size_z == expected_z)
        return TR_OK;
    return tr_fail(error, TR_BAD_INPUT, "chunk (%d, %d) of %u x %u samples, expected %u x %u", cx, cz, size_x,
                   size_z, expected_x, expected_z);
}

static void set_done(struct tr_world_build *build, size_t slot, int32_t cx, int32_t cz, struct tr_hash hash)
{
    build->index[slot] = (struct tr_index_entry){.cx = cx, .cz = cz, .hash = hash};
    build->state[slot] |= CHUNK_DONE;
}

/* Path of a chunk's file in the new world, with its folder made. Several threads may make the same one. */
static enum tr_status make_way(struct tr_world_build *build, enum top top, int32_t cx, int32_t cz,
                               char path[TR_STORE_PATH_BYTES], struct tr_error *error)
{
    unsigned shard = tr_store_shard(cx, cz);
    char folder[TR_STORE_PATH_BYTES];

    tr_store_chunk_path(path, top_names[top], cx, cz);
    if (atomic_load(&build->has_shard[top][shard]))
        return TR_OK;
    tr_store_shard_path(folder, top_names[top], shard);
    if ((mkdirat(build->folder, top_names[top], 0777) != 0 && errno != EEXIST) ||
        (mkdirat(build->folder, folder, 0777) != 0 && errno != EEXIST))
        return tr_fail_errno(error, "cannot create folder \"%s/%s\"", build->temp, folder);
    atomic_store(&build->has_shard[top][shard], true);
    return TR_OK;
}

/* Removes a base that says nothing: equal samples have one world, whatever was done between. */
static enum tr_status drop_equal_base(struct tr_world_build *build, size_t slot, const struct tr_chunk *chunk,
                                      struct tr_hash hash, struct tr_error *error)
{
    char path[TR_STORE_PATH_BYTES];
    struct tr_chunk_head head;
    uint8_t *bytes;
    size_t size_bytes;
    enum tr_status status;

    tr_store_chunk_path(path, TR_STORE_BASE, chunk->cx, chunk->cz);
    status = tr_store_read(build->folder, build->temp, path, TR_CHUNK_FILE_MAX, &bytes, &size_bytes, error);
    if (status != TR_OK)
        return status;
    status = tr_chunk_read_head(bytes, size_bytes, path, &head, error);
    free(bytes);
    if (status != TR_OK || !tr_hash_equal(head.hash, hash))
        return status;
    if (unlinkat(build->folder, path, 0) != 0)
        return tr_fail_errno(error, "cannot remove \"%s/%s\"", build->temp, path);
    build->state[slot] &= (uint8_t)~CHUNK_BASE;
    return TR_OK;
}

enum tr_status tr_world_build_put(struct tr_world_build *build, struct tr_chunk *chunk,
                                  struct tr_error *error)
{
    char path[TR_STORE_PATH_BYTES];
    struct tr_writer writer = {0};
    struct tr_hash hash;
    size_t slot = 0;
    enum tr_status status = find_slot(build, chunk->cx, chunk->cz, &slot, error);

    if (status == TR_OK)
        status = check_size(build, chunk->cx, chunk->cz, chunk->size_x, chunk->size_z, error);
    if (status != TR_OK)
        return status;
    tr_chunk_make_canonical(chunk);
    hash = tr_chunk_hash(chunk);
    status = tr_chunk_encode(chunk, hash, &writer, error);
    if (status == TR_OK)
        status = make_way(build, TOP_CHUNKS, chunk->cx, chunk->cz, path, error);
    if (status == TR_OK)
        status = tr_store_write(build->folder, build->temp, path, writer.bytes, writer.size_bytes, error);
    tr_writer_release(&writer);
    if (status == TR_OK && (build->state[slot] & CHUNK_BASE))
        status = drop_equal_base(build, slot, chunk, hash, error);
    if (status == TR_OK)
        set_done(build, slot, chunk->cx, chunk->cz, hash);
    return status;
}

/* Whether a failed link means that a copy is the way. */
static bool wants_copy(int code)
{
    return code == EXDEV || code == EPERM || code == EMLINK || code == ENOTSUP || code == ENOSYS;
}

static enum tr_status copy_file(struct tr_world_build *build, const struct tr_store_file *file,
                                const struct tr_world *from, const char *from_path, const char *path,
                                struct tr_error *error)
{
    uint8_t *bytes;
    size_t size_bytes;
    enum tr_status status =
        tr_store_read_open(file, from->path, from_path, TR_CHUNK_FILE_MAX, &bytes, &size_bytes, error);

    if (status == TR_OK)
        status = tr_store_write(build->folder, build->temp, path, bytes, size_bytes, error);
    free(bytes);
    return status;
}

/* Gives the new world the open file of the other under `path`. */
static enum tr_status take_file(struct tr_world_build *build, const struct tr_store_file *file,
                                const struct tr_world *from, const char *from_path, const char *path,
                                struct tr_error *error)
{
    struct stat linked;

    if (file->info.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH))
        return copy_file(build, file, from, from_path, path, error);
    if (linkat(file->folder, file->name, build->folder, path, 0) != 0)
        return wants_copy(errno) ? copy_file(build, file, from, from_path, path, error)
                                 : tr_fail_errno(error, "cannot link \"%s/%s\" to \"%s/%s\"", from->path,
                                                 from_path, build->temp, path);
    if (fstatat(build->folder, path, &linked, AT_SYMLINK_NOFOLLOW) != 0)
        return tr_fail_errno(error, "cannot inspect \"%s/%s\"", build->temp, path);
    if (linked.st_dev == file->info.st_dev && linked.st_ino == file->info.st_ino)
        return TR_OK;
    unlinkat(build->folder, path, 0);
    return tr_fail(error, TR_IO, "\"%s/%s\" changed while it was linked, expected a world at rest",
                   from->path, from_path);
}

/* Takes a chunk's file over, from under from_top of the other world to under `top`. *taken: it was there. */
static enum tr_status take_chunk(struct tr_world_build *build, enum top top, const struct tr_world *from,
                                 enum top from_top, bool may_miss, int32_t cx, int32_t cz, bool *taken,
                                 struct tr_error *error)
{
    char from_path[TR_STORE_PATH_BYTES], path[TR_STORE_PATH_BYTES];
    struct tr_store_file file;
    enum tr_status status;

    *taken = false;
    tr_store_chunk_path(from_path, top_names[from_top], cx, cz);
    status = tr_store_open(from->folder, from->path, from_path, may_miss, &file, error);
    if (status != TR_OK || file.file < 0)
        return status;
    status = make_way(build, top, cx, cz, path, error);
    if (status == TR_OK)
        status = take_file(build, &file, from, from_path, path, error);
    tr_store_close(&file);
    *taken = status == TR_OK;
    return status;
}

/* The chunk must be in both worlds, with the same samples of its own. */
static enum tr_status check_source(const struct tr_world_build *build, const struct tr_world *from,
                                   int32_t cx, int32_t cz, size_t *slot, struct tr_error *error)
{
    uint32_t size_x, size_z;
    enum tr_status status = find_slot(build, cx, cz, slot, error);

    if (status != TR_OK)
        return status;
    if (!tr_world_find(from, cx, cz))
        return tr_fail(error, TR_BAD_INPUT, "no chunk (%d, %d) in \"%s\"", cx, cz, from->path);
    tr_world_chunk_size(&from->info, cx, cz, &size_x, &size_z);
    return check_size(build, cx, cz, size_x, size_z, error);
}

enum tr_status tr_world_build_link(struct tr_world_build *build, const struct tr_world *from, int32_t cx,
                                   int32_t cz, struct tr_error *error)
{
    size_t slot = 0;
    bool taken;
    enum tr_status status = check_source(build, from, cx, cz, &slot, error);

    if (status == TR_OK)
        status = take_chunk(build, TOP_CHUNKS, from, TOP_CHUNKS, false, cx, cz, &taken, error);
    if (status == TR_OK)
        status = take_chunk(build, TOP_BASE, from, TOP_BASE, true, cx, cz, &taken, error);
    if (status == TR_OK)
        set_done(build, slot, cx, cz, tr_world_find(from, cx, cz)->hash);
    return status;
}

enum tr_status tr_world_build_keep_base(struct tr_world_build *build, const struct tr_world *from, int32_t cx,
                                        int32_t cz, struct tr_error *error)
{
    size_t slot = 0;
    bool taken = false;
    enum tr_status status = check_source(build, from, cx, cz, &slot, error);

    if (status == TR_OK)
        status = take_chunk(build, TOP_BASE, from, TOP_BASE, true, cx, cz, &taken, error);
    if (status == TR_OK && !taken)
        status = take_chunk(build, TOP_BASE, from, TOP_CHUNKS, false, cx, cz, &taken, error);
    if (status == TR_OK)
        build->state[slot] |= CHUNK_BASE;
    return status;
}

/* ---- the log and the end ---- */

enum tr_status tr_world_build_set_log(struct tr_world_build *build, const char *text, size_t size_bytes,
                                      struct tr_error *error)
{
    enum tr_status status;

    if (size_bytes > TR_WORLD_LOG_MAX)
        return tr_fail(error, TR_BAD_INPUT, "log of %zu bytes, expected at most %u", size_bytes,
                       TR_WORLD_LOG_MAX);
    status = tr_store_write(build->folder, build->temp, TR_STORE_LOG, text, size_bytes, error);
    if (status != TR_OK)
        return status;
    build->json.has_log = true;
    build->json.log_bytes = size_bytes;
    build->json.log_hash = tr_hash_bytes(text, size_bytes);
    return TR_OK;
}

static enum tr_status check_complete(const struct tr_world_build *build, struct tr_error *error)
{
    size_t width = (size_t)build->json.info.size_x + 1;

    for (size_t i = 0; i < build->chunk_count; i++)
        if (!(build->state[i] & CHUNK_DONE))
            return tr_fail(error, TR_BAD_INPUT, "chunk (%zu, %zu) was not written, expected all %zu",
                           i % width, i / width, build->chunk_count);
    return TR_OK;
}

/* A folder that holds something refuses to go, and stays. */
static enum tr_status remove_if_empty(struct tr_world_build *build, const char *folder,
                                      struct tr_error *error)
{
    if (unlinkat(build->folder, folder, AT_REMOVEDIR) == 0 || errno == ENOENT || errno == ENOTEMPTY ||
        errno == EEXIST)
        return TR_OK;
    return tr_fail_errno(error, "cannot remove \"%s/%s\"", build->temp, folder);
}

/* Folders whose bases all went leave no trace either. */
static enum tr_status remove_empty_base_folders(struct tr_world_build *build, struct tr_error *error)
{
    char folder[TR_STORE_PATH_BYTES];
    enum tr_status status = TR_OK;

    for (unsigned shard = 0; status == TR_OK && shard < TR_STORE_SHARDS; shard++)
        if (atomic_load(&build->has_shard[TOP_BASE][shard])) {
            tr_store_shard_path(folder, TR_STORE_BASE, shard);
            status = remove_if_empty(build, folder, error);
        }
    return status == TR_OK ? remove_if_empty(build, TR_STORE_BASE, error) : status;
}

static enum tr_status write_index(struct tr_world_build *build, struct tr_error *error)
{
    const struct tr_world_info *info = &build->json.info;
    struct tr_writer writer = {0};
    enum tr_status status;

    tr_index_write(build->index, info->size_x, info->size_z, &writer);
    if (writer.failed)
        status = tr_fail(error, TR_IO, "out of memory: index of %zu chunks", build->chunk_count);
    else
        status =
            tr_store_write(build->folder, build->temp, TR_INDEX_NAME, writer.bytes, writer.size_bytes, error);
    tr_writer_release(&writer);
    return status;
}

static enum tr_status write_world_json(struct tr_world_build *build, struct tr_error *error)
{
    struct tr_writer writer = {0};
    enum tr_status status;

    tr_world_json_write(&build->json, &writer);
    if (writer.failed)
        status = tr_fail(error, TR_IO, "out of memory: %s", TR_WORLD_JSON_NAME);
    else
        status = tr_store_write(build->folder, build->temp, TR_WORLD_JSON_NAME, writer.bytes,
                                writer.size_bytes, error);
    tr_writer_release(&writer);
    return status;
}

/* Whether the world to be replaced has just these files: then it is left as it is, with its times, and build tools that look at them stop
 * there. */
static enum tr_status compare_target(const struct tr_world_build *build, bool *same, struct tr_error *error)
{
    int folder = open(build->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    enum tr_status status = TR_OK;

    *same = false;
    if (folder < 0) /* there is none */
        return TR_OK;
    status = tr_world_is_same(build->folder, build->temp, folder, build->path, same, error);
    close(folder);
    return status;
}

enum tr_status tr_world_build_commit(struct tr_world_build *build, struct tr_hash *hash,
                                     struct tr_error *error)
{
    bool same = false;
    enum tr_status status = check_complete(build, error);

    if (status == TR_OK)
        status = remove_empty_base_folders(build, error);
    if (status == TR_OK)
        status = tr_index_world_hash(build->index, &build->json.info, &build->json.hash, error);
    if (status == TR_OK)
        status = write_index(build, error);
    if (status == TR_OK)
        status = write_world_json(build, error);
    if (status == TR_OK && syncfs(build->folder) != 0)
        status = tr_fail_errno(error, "cannot sync \"%s\"", build->temp);
    if (status == TR_OK) /* what is there may have changed since the beginning */
        status = check_target(build, error);
    if (status == TR_OK && build->replace)
        status = compare_target(build, &same, error);
    if (status == TR_OK && !same)
        status = tr_folder_replace(build->temp, build->path, build->replace, error);
    if (status != TR_OK)
        return status;
    if (!same) /* else what was built is of no use, and goes */
        build->temp[0] = '\0';
    *hash = build->json.hash;
    return TR_OK;
}
