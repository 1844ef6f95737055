/* World, to read: the folder is opened once and every file is found from there, so a world that is replaced
 * while it is read stays what it was, or reading it fails (store.h); two worlds are never mixed.
 *
 * world.json names the world hash, and the index must give it: a file of another world, however valid in
 * itself, is refused. A chunk file must be the chunk, size and hash that the index names. */
#include "lib/world/world.h"

#include "lib/base/alloc.h"
#include "lib/world/codec.h"
#include "lib/world/index.h"
#include "lib/world/store.h"
#include "lib/world/world_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What messages call a file of the world. */
#define FILE_NAME_BYTES (TR_PATH_BYTES + TR_STORE_PATH_BYTES)

static void file_name(char name[FILE_NAME_BYTES], const struct tr_world *world, const char *path)
{
    snprintf(name, FILE_NAME_BYTES, "%s/%s", world->path, path);
}

/* ---- opening ---- */

static enum tr_status open_folder(struct tr_world *world, const char *path, struct tr_error *error)
{
    if (strlen(path) >= sizeof world->path)
        return tr_fail(error, TR_BAD_INPUT, "path of %zu bytes, expected at most %zu", strlen(path),
                       sizeof world->path - 1);
    strcpy(world->path, path);
    world->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (world->folder >= 0)
        return TR_OK;
    if (errno == ENOTDIR)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\" is no folder, expected a world", path);
    return tr_fail_errno(error, "cannot open world \"%s\"", path);
}

static enum tr_status read_world_json(struct tr_world *world, struct tr_error *error)
{
    char name[FILE_NAME_BYTES];
    struct tr_world_json json;
    uint8_t *text;
    size_t size_bytes;
    enum tr_status status = tr_store_read(world->folder, world->path, TR_WORLD_JSON_NAME, TR_WORLD_JSON_MAX,
                                          &text, &size_bytes, error);

    if (status != TR_OK)
        return status;
    file_name(name, world, TR_WORLD_JSON_NAME);
    status = tr_world_json_read((const char *)text, size_bytes, name, &json, error);
    free(text);
    if (status != TR_OK)
        return status;
    world->info = json.info;
    world->hash = json.hash;
    world->has_log = json.has_log;
    world->log_bytes = json.log_bytes;
    world->log_hash = json.log_hash;
    return TR_OK;
}

static enum tr_status read_index(struct tr_world *world, struct tr_error *error)
{
    char name[FILE_NAME_BYTES];
    int32_t size_x, size_z;
    uint8_t *bytes;
    size_t size_bytes;
    enum tr_status status;

    world->chunk_count = tr_world_chunk_count(world->info.size_x, world->info.size_z);
    status = tr_store_read(world->folder, world->path, TR_INDEX_NAME, tr_index_file_bytes(world->chunk_count),
                           &bytes, &size_bytes, error);
    if (status != TR_OK)
        return status;
    file_name(name, world, TR_INDEX_NAME);
    status = tr_index_read(bytes, size_bytes, name, &size_x, &size_z, &world->index, error);
    free(bytes);
    if (status == TR_OK && (size_x != world->info.size_x || size_z != world->info.size_z))
        status = tr_fail(error, TR_BAD_INPUT,
                         "\"%s\": header at byte 16: %d x %d chunks, expected %d x %d as in %s", name, size_x,
                         size_z, world->info.size_x, world->info.size_z, TR_WORLD_JSON_NAME);
    return status;
}

static enum tr_status check_world_hash(const struct tr_world *world, struct tr_error *error)
{
    struct tr_hash hash;
    char found[33], expected[33];
    enum tr_status status = tr_index_world_hash(world->index, &world->info, &hash, error);

    if (status != TR_OK || tr_hash_equal(hash, world->hash))
        return status;
    tr_hash_text(hash, found);
    tr_hash_text(world->hash, expected);
    return tr_fail(error, TR_BAD_INPUT, "\"%s/%s\" gives world hash %s, expected %s as in %s", world->path,
                   TR_INDEX_NAME, found, expected, TR_WORLD_JSON_NAME);
}

enum tr_status tr_world_open(const char *path, struct tr_world **out, struct tr_error *error)
{
    struct tr_world *world = tr_alloc(1, sizeof *world, error);
    enum tr_status status;

    *out = NULL;
    if (!world)
        return TR_IO;
    world->folder = -1;
    status = open_folder(world, path, error);
    if (status == TR_OK)
        status = read_world_json(world, error);
    if (status == TR_OK)
        status = read_index(world, error);
    if (status == TR_OK)
        status = check_world_hash(world, error);
    if (status != TR_OK) {
        tr_world_close(world);
        return status;
    }
    *out = world;
    return TR_OK;
}

void tr_world_close(struct tr_world *world)
{
    if (!world)
        return;
    if (world->folder >= 0)
        close(world->folder);
    free(world->index);
    free(world);
}

/* ---- looking things up ---- */

struct tr_box tr_world_box(const struct tr_world_info *info)
{
    return (struct tr_box){
        .lo = {0, (int64_t)TR_BLOCK_ROW_MIN * TR_CHUNK, 0},
        .hi = {(int64_t)info->size_x * TR_CHUNK, (int64_t)TR_BLOCK_ROW_MAX * TR_CHUNK + TR_CHUNK - 1,
               (int64_t)info->size_z * TR_CHUNK},
    };
}

const struct tr_index_entry *tr_world_find(const struct tr_world *world, int32_t cx, int32_t cz)
{
    if (cx < 0 || cx > world->info.size_x || cz < 0 || cz > world->info.size_z)
        return NULL;
    return &world->index[(size_t)cz * ((size_t)world->info.size_x + 1) + (size_t)cx];
}

static enum tr_status fail_no_chunk(const struct tr_world *world, int32_t cx, int32_t cz,
                                    struct tr_error *error)
{
    return tr_fail(error, TR_BAD_INPUT, "no chunk (%d, %d) in \"%s\", expected (0, 0) to (%d, %d)", cx, cz,
                   world->path, world->info.size_x, world->info.size_z);
}

/* ---- chunks ---- */

enum tr_status tr_world_check_head(const struct tr_world_info *info, int32_t cx, int32_t cz,
                                   const struct tr_chunk_head *head, const char *name, struct tr_error *error)
{
    uint32_t size_x, size_z;

    tr_world_chunk_size(info, cx, cz, &size_x, &size_z);
    if (head->cx != cx || head->cz != cz)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": header at byte 16: chunk (%d, %d), expected (%d, %d)",
                       name, head->cx, head->cz, cx, cz);
    if (head->size_x != size_x || head->size_z != size_z)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": header at byte 24: %u x %u samples, expected %u x %u",
                       name, head->size_x, head->size_z, size_x, size_z);
    return TR_OK;
}

/* Decodes an open chunk file and checks that it is chunk (cx, cz) of this world. */
static enum tr_status read_chunk_file(const struct tr_world *world, const struct tr_store_file *file,
                                      const char *path, int32_t cx, int32_t cz, struct tr_chunk *chunk,
                                      struct tr_hash *hash, struct tr_error *error)
{
    char name[FILE_NAME_BYTES];
    struct tr_chunk_head head;
    uint8_t *bytes;
    size_t size_bytes;
    enum tr_status status =
        tr_store_read_open(file, world->path, path, TR_CHUNK_FILE_MAX, &bytes, &size_bytes, error);

    if (status != TR_OK)
        return status;
    file_name(name, world, path);
    status = tr_chunk_decode(bytes, size_bytes, name, chunk, hash, error);
    free(bytes);
    if (status != TR_OK)
        return status;
    head = (struct tr_chunk_head){
        .cx = chunk->cx, .cz = chunk->cz, .size_x = chunk->size_x, .size_z = chunk->size_z};
    status = tr_world_check_head(&world->info, cx, cz, &head, name, error);
    if (status != TR_OK)
        tr_chunk_release(chunk);
    return status;
}

enum tr_status tr_world_read_chunk(const struct tr_world *world, int32_t cx, int32_t cz,
                                   struct tr_chunk *chunk, struct tr_error *error)
{
    const struct tr_index_entry *entry = tr_world_find(world, cx, cz);
    char path[TR_STORE_PATH_BYTES], name[FILE_NAME_BYTES];
    struct tr_store_file file;
    struct tr_hash hash;
    enum tr_status status;

    *chunk = (struct tr_chunk){0};
    if (!entry)
        return fail_no_chunk(world, cx, cz, error);
    tr_store_chunk_path(path, TR_STORE_CHUNKS, cx, cz);
    status = tr_store_open(world->folder, world->path, path, false, &file, error);
    if (status != TR_OK)
        return status;
    status = read_chunk_file(world, &file, path, cx, cz, chunk, &hash, error);
    tr_store_close(&file);
    if (status != TR_OK)
        return status;
    file_name(name, world, path);
    status = tr_index_check_hash(entry, hash, name, error);
    if (status != TR_OK)
        tr_chunk_release(chunk);
    return status;
}

enum tr_status tr_world_read_head(const struct tr_world *world, int32_t cx, int32_t cz,
                                  struct tr_chunk_head *head, struct tr_error *error)
{
    char path[TR_STORE_PATH_BYTES], name[FILE_NAME_BYTES];
    uint8_t *bytes;
    size_t size_bytes;
    enum tr_status status;

    if (!tr_world_find(world, cx, cz))
        return fail_no_chunk(world, cx, cz, error);
    tr_store_chunk_path(path, TR_STORE_CHUNKS, cx, cz);
    status = tr_store_read(world->folder, world->path, path, TR_CHUNK_FILE_MAX, &bytes, &size_bytes, error);
    if (status != TR_OK)
        return status;
    file_name(name, world, path);
    status = tr_chunk_read_head(bytes, size_bytes, name, head, error);
    free(bytes);
    if (status == TR_OK)
        status = tr_world_check_head(&world->info, cx, cz, head, name, error);
    return status;
}

enum tr_status tr_world_read_base_chunk(const struct tr_world *world, int32_t cx, int32_t cz,
                                        struct tr_chunk *chunk, struct tr_error *error)
{
    char path[TR_STORE_PATH_BYTES];
    struct tr_store_file file;
    struct tr_hash hash;
    enum tr_status status;

    *chunk = (struct tr_chunk){0};
    if (!tr_world_find(world, cx, cz))
        return fail_no_chunk(world, cx, cz, error);
    tr_store_chunk_path(path, TR_STORE_BASE, cx, cz);
    status = tr_store_open(world->folder, world->path, path, true, &file, error);
    if (status != TR_OK)
        return status;
    if (file.file < 0)
        return tr_world_read_chunk(world, cx, cz, chunk, error);
    status = read_chunk_file(world, &file, path, cx, cz, chunk, &hash, error);
    tr_store_close(&file);
    return status;
}

enum tr_status tr_world_has_base(const struct tr_world *world, int32_t cx, int32_t cz, bool *has_base,
                                 struct tr_error *error)
{
    char path[TR_STORE_PATH_BYTES];
    struct tr_store_file file;
    enum tr_status status;

    tr_store_chunk_path(path, TR_STORE_BASE, cx, cz);
    status = tr_store_open(world->folder, world->path, path, true, &file, error);
    *has_base = status == TR_OK && file.file >= 0;
    if (*has_base)
        tr_store_close(&file);
    return status;
}

enum tr_status tr_world_chunk_file_bytes(const struct tr_world *world, int32_t cx, int32_t cz,
                                         uint64_t *size_bytes, struct tr_error *error)
{
    char path[TR_STORE_PATH_BYTES];
    struct tr_store_file file;
    enum tr_status status;

    *size_bytes = 0;
    if (!tr_world_find(world, cx, cz))
        return fail_no_chunk(world, cx, cz, error);
    tr_store_chunk_path(path, TR_STORE_CHUNKS, cx, cz);
    status = tr_store_open(world->folder, world->path, path, false, &file, error);
    if (status != TR_OK)
        return status;
    *size_bytes = (uint64_t)file.info.st_size;
    tr_store_close(&file);
    return TR_OK;
}

/* ---- the log ---- */

enum tr_status tr_world_read_log(const struct tr_world *world, char **text, size_t *size_bytes,
                                 struct tr_error *error)
{
    uint8_t *bytes;
    enum tr_status status;

    *text = NULL;
    *size_bytes = 0;
    if (!world->has_log)
        return TR_OK;
    status =
        tr_store_read(world->folder, world->path, TR_STORE_LOG, TR_WORLD_LOG_MAX, &bytes, size_bytes, error);
    if (status != TR_OK)
        return status;
    if (*size_bytes != world->log_bytes ||
        !tr_hash_equal(tr_hash_bytes(bytes, *size_bytes), world->log_hash)) {
        free(bytes);
        status =
            tr_fail(error, TR_BAD_INPUT, "\"%s/%s\": %zu bytes that do not hash as %s says of the log of %ju",
                    world->path, TR_STORE_LOG, *size_bytes, TR_WORLD_JSON_NAME, (uintmax_t)world->log_bytes);
        *size_bytes = 0;
        return status;
    }
    *text = (char *)bytes;
    return TR_OK;
}
