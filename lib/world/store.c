/* Store: names of files within a world, and opening them one folder at a time with O_NOFOLLOW. A world may
 * have come from anywhere, as an archive for instance, and a symbolic link planted in it would lead a reader,
 * or a hard link, out of it.
 *
 * Writing goes into a folder that this process has just made, so it needs no such care. */
#include "lib/world/store.h"

#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "lib/world/coord.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REGION_CHUNKS 16
#define FILE_MODE 0444 /* worlds are never changed; the umask takes its share */

/* ---- names ---- */

unsigned tr_store_shard(int32_t cx, int32_t cz)
{
    uint32_t region[2] = {(uint32_t)tr_floor_div(cx, REGION_CHUNKS),
                          (uint32_t)tr_floor_div(cz, REGION_CHUNKS)};
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(region[i / 4] >> (8 * (i % 4)));
    return (unsigned)(tr_hash_bytes(bytes, sizeof bytes).lo & (TR_STORE_SHARDS - 1));
}

void tr_store_chunk_path(char path[TR_STORE_PATH_BYTES], const char *top, int32_t cx, int32_t cz)
{
    snprintf(path, TR_STORE_PATH_BYTES, "%s/%02x/c.%d.%d.trc", top, tr_store_shard(cx, cz), cx, cz);
}

void tr_store_shard_path(char path[TR_STORE_PATH_BYTES], const char *top, unsigned shard)
{
    snprintf(path, TR_STORE_PATH_BYTES, "%s/%02x", top, shard);
}

bool tr_store_parse_shard(const char *name, unsigned *shard)
{
    char again[3];

    if (sscanf(name, "%2x", shard) != 1)
        return false;
    snprintf(again, sizeof again, "%02x", *shard & 0xff);
    return strcmp(name, again) == 0;
}

/* There is one name for one chunk, so what does not come back the same is none. */
bool tr_store_parse_chunk(const char *name, int32_t *cx, int32_t *cz)
{
    char again[TR_STORE_PATH_BYTES];

    if (sscanf(name, "c.%8d.%8d.trc", cx, cz) != 2) /* 8: of -1000000, so that no number overflows */
        return false;
    snprintf(again, sizeof again, "c.%d.%d.trc", *cx, *cz);
    return strcmp(name, again) == 0;
}

/* ---- opening ---- */

/* Whether another world has taken the name that the open one had. Then its files are being removed, and one
 * that is missing says nothing of what the world was. */
static bool is_replaced(int root, const char *root_name)
{
    struct stat open_one, named;

    return fstat(root, &open_one) == 0 && (stat(root_name, &named) != 0 || open_one.st_dev != named.st_dev ||
                                           open_one.st_ino != named.st_ino);
}

/* After an open that failed: fine where the file may miss and does, else says what is wrong. */
static enum tr_status fail_open(int root, int folder, const char *name, const char *expected, bool may_miss,
                                const char *root_name, const char *path, struct tr_error *error)
{
    int code = errno;
    struct stat info;

    if (code == ENOENT && is_replaced(root, root_name))
        return tr_fail(error, TR_IO, "\"%s\" was replaced while it was read, expected a world at rest",
                       root_name);
    if (code == ENOENT && may_miss)
        return TR_OK;
    if (code == ENOENT)
        return tr_fail(error, TR_BAD_INPUT, "\"%s/%s\" is missing, expected a %s", root_name, path, expected);
    if ((code == ELOOP || code == ENOTDIR) && fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0)
        return tr_fail(error, TR_BAD_INPUT, "\"%s/%s\": \"%s\" is %s, expected a %s", root_name, path, name,
                       S_ISLNK(info.st_mode) ? "a symbolic link" : "no folder", expected);
    errno = code;
    return tr_fail_errno(error, "cannot open \"%s/%s\"", root_name, path);
}

/* Opens the folders on the way to the path's last part; out->folder is -1 where one may miss and does. */
static enum tr_status open_way(int root, const char *root_name, const char *path, bool may_miss,
                               struct tr_store_file *out, struct tr_error *error)
{
    char part[TR_STORE_PATH_BYTES];
    const char *slash;

    out->folder = fcntl(root, F_DUPFD_CLOEXEC, 0);
    out->name = path;
    if (out->folder < 0)
        return tr_fail_errno(error, "cannot open \"%s/%s\"", root_name, path);
    while ((slash = strchr(out->name, '/'))) {
        int next;

        snprintf(part, sizeof part, "%.*s", (int)(slash - out->name), out->name);
        next = openat(out->folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0) {
            enum tr_status status =
                fail_open(root, out->folder, part, "folder", may_miss, root_name, path, error);

            tr_store_close(out);
            return status;
        }
        close(out->folder);
        out->folder = next;
        out->name = slash + 1;
    }
    return TR_OK;
}

enum tr_status tr_store_open(int root, const char *root_name, const char *path, bool may_miss,
                             struct tr_store_file *out, struct tr_error *error)
{
    enum tr_status status;

    *out = (struct tr_store_file){.file = -1, .folder = -1};
    status = open_way(root, root_name, path, may_miss, out, error);
    if (status != TR_OK || out->folder < 0)
        return status;
    /* O_NONBLOCK: opening a pipe that nobody writes must not hang before it is refused */
    out->file = openat(out->folder, out->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (out->file < 0)
        status = fail_open(root, out->folder, out->name, "file", may_miss, root_name, path, error);
    else if (fstat(out->file, &out->info) != 0)
        status = tr_fail_errno(error, "cannot inspect \"%s/%s\"", root_name, path);
    else if (!S_ISREG(out->info.st_mode))
        status = tr_fail(error, TR_BAD_INPUT, "\"%s/%s\" is no regular file, expected one", root_name, path);
    else
        return TR_OK;
    tr_store_close(out);
    return status;
}

void tr_store_close(struct tr_store_file *file)
{
    if (file->file >= 0)
        close(file->file);
    if (file->folder >= 0)
        close(file->folder);
    file->file = file->folder = -1;
}

/* ---- reading and writing ---- */

enum tr_status tr_store_read_open(const struct tr_store_file *file, const char *root_name, const char *path,
                                  size_t max_bytes, uint8_t **bytes, size_t *size_bytes,
                                  struct tr_error *error)
{
    size_t size, at = 0;
    uint8_t *buffer;
    enum tr_status status = TR_OK;

    *bytes = NULL;
    *size_bytes = 0;
    if ((uintmax_t)file->info.st_size > max_bytes)
        return tr_fail(error, TR_BAD_INPUT, "\"%s/%s\" has %jd bytes, expected at most %zu", root_name, path,
                       (intmax_t)file->info.st_size, max_bytes);
    size = (size_t)file->info.st_size;
    buffer = malloc(size + 1);
    if (!buffer)
        return tr_fail(error, TR_IO, "out of memory: \"%s/%s\" of %zu bytes", root_name, path, size);
    while (status == TR_OK && at < size) {
        ssize_t got = read(file->file, buffer + at, size - at);

        if (got > 0)
            at += (size_t)got;
        else if (got == 0)
            status = tr_fail(error, TR_IO, "\"%s/%s\" ends at byte %zu, expected %zu bytes", root_name, path,
                             at, size);
        else if (errno != EINTR)
            status = tr_fail_errno(error, "cannot read \"%s/%s\" at byte %zu", root_name, path, at);
    }
    if (status != TR_OK) {
        free(buffer);
        return status;
    }
    buffer[size] = 0;
    *bytes = buffer;
    *size_bytes = size;
    return TR_OK;
}

enum tr_status tr_store_read(int root, const char *root_name, const char *path, size_t max_bytes,
                             uint8_t **bytes, size_t *size_bytes, struct tr_error *error)
{
    struct tr_store_file file;
    enum tr_status status = tr_store_open(root, root_name, path, false, &file, error);

    *bytes = NULL;
    *size_bytes = 0;
    if (status != TR_OK)
        return status;
    status = tr_store_read_open(&file, root_name, path, max_bytes, bytes, size_bytes, error);
    tr_store_close(&file);
    return status;
}

enum tr_status tr_store_write(int root, const char *root_name, const char *path, const void *bytes,
                              size_t size_bytes, struct tr_error *error)
{
    int file = openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    enum tr_status status = TR_OK;
    size_t at = 0;

    if (file < 0)
        return tr_fail_errno(error, "cannot create \"%s/%s\"", root_name, path);
    while (status == TR_OK && at < size_bytes) {
        ssize_t put = write(file, (const uint8_t *)bytes + at, size_bytes - at);

        if (put >= 0)
            at += (size_t)put;
        else if (errno != EINTR)
            status = tr_fail_errno(error, "cannot write \"%s/%s\" at byte %zu", root_name, path, at);
    }
    if (close(file) != 0 && status == TR_OK)
        status = tr_fail_errno(error, "cannot write \"%s/%s\"", root_name, path);
    if (status != TR_OK)
        unlinkat(root, path, 0);
    return status;
}
