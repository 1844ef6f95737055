/* chunks.idx: which chunks a world has and their hashes; binary, sorted, fixed width (FORMAT.md). And the
 * world hash, which follows from it. */
#ifndef TR_WORLD_INDEX_H
#define TR_WORLD_INDEX_H

#include "lib/base/bytes.h"
#include "lib/world/world.h"

#define TR_INDEX_NAME "chunks.idx"

/* Size of the file of a world of so many chunks, with its rim. */
size_t tr_index_file_bytes(size_t chunk_count);

/* Writes the (size_x + 1)(size_z + 1) entries of a world, which are sorted by cz and then cx. */
void tr_index_write(const struct tr_index_entry *entries, int32_t size_x, int32_t size_z,
                    struct tr_writer *out);

/* Reads the whole file. `name` is what errors call it. free() *entries. */
enum tr_status tr_index_read(const uint8_t *bytes, size_t size_bytes, const char *name, int32_t *size_x,
                             int32_t *size_z, struct tr_index_entry **entries, struct tr_error *error);

/* Whether `hash`, of the chunk file that errors call `name`, is the one that the index has for it. */
enum tr_status tr_index_check_hash(const struct tr_index_entry *entry, struct tr_hash hash, const char *name,
                                   struct tr_error *error);

/* The world hash: of size, voxel size and the chunks' hashes. */
enum tr_status tr_index_world_hash(const struct tr_index_entry *entries, const struct tr_world_info *info,
                                   struct tr_hash *hash, struct tr_error *error);

#endif
