/* Where the files of a world lie, and how they are opened: relative to the world's folder, regular files
 * only, no symbolic link followed on the way. */
#ifndef TR_WORLD_STORE_H
#define TR_WORLD_STORE_H

#include "lib/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define TR_STORE_SHARDS 256
#define TR_STORE_PATH_BYTES 48
#define TR_STORE_CHUNKS "chunks"
#define TR_STORE_BASE "base"
#define TR_STORE_LOG "edits.jsonl"

/* The shard of a chunk: its region of 16 x 16 chunks, hashed (FORMAT.md). 0..255 */
unsigned tr_store_shard(int32_t cx, int32_t cz);
/* "<top>/XX/c.<cx>.<cz>.trc"; top is TR_STORE_CHUNKS or TR_STORE_BASE. */
void tr_store_chunk_path(char path[TR_STORE_PATH_BYTES], const char *top, int32_t cx, int32_t cz);
/* "<top>/XX" */
void tr_store_shard_path(char path[TR_STORE_PATH_BYTES], const char *top, unsigned shard);
/* Whether a name is that of a shard, "XX", or of a chunk's file, "c.<cx>.<cz>.trc", and which. */
bool tr_store_parse_shard(const char *name, unsigned *shard);
bool tr_store_parse_chunk(const char *name, int32_t *cx, int32_t *cz);

/* An open file of a world, and the folder it lies in, so that it can be linked by name. */
struct tr_store_file {
    int file, folder; /* descriptors; -1 when not open */
    const char *name; /* in `folder`: the end of the path that was opened */
    struct stat info;
};

/* Opens `path` below the folder `root`, which was opened as root_name. A missing file gives TR_OK and file -1
 * if may_miss, else TR_BAD_INPUT, as a link, folder, pipe or device in its place does; either is TR_IO when
 * root_name has come to mean another folder. `path` must outlive the file. */
enum tr_status tr_store_open(int root, const char *root_name, const char *path, bool may_miss,
                             struct tr_store_file *out, struct tr_error *error);
void tr_store_close(struct tr_store_file *file);

/* Reads an open file whole; larger than max_bytes: TR_BAD_INPUT. Messages name root_name/path. A NUL that
 * size_bytes does not count follows the bytes; free() them. */
enum tr_status tr_store_read_open(const struct tr_store_file *file, const char *root_name, const char *path,
                                  size_t max_bytes, uint8_t **bytes, size_t *size_bytes,
                                  struct tr_error *error);
/* Opens, reads, closes. */
enum tr_status tr_store_read(int root, const char *root_name, const char *path, size_t max_bytes,
                             uint8_t **bytes, size_t *size_bytes, struct tr_error *error);

/* Creates a read-only file (0444 less the umask) that must not be there; does not sync it. */
enum tr_status tr_store_write(int root, const char *root_name, const char *path, const void *bytes,
                              size_t size_bytes, struct tr_error *error);

#endif
