/* A world on disk: opened to read, or built aside and renamed into place.
 *
 *   world.json     version, size, extent, voxel size, seed, georeference
 *   chunks.idx     binary, sorted, fixed width: coordinates, hash of each chunk
 *   chunks/XX/     chunk files c.<cx>.<cz>.trc, sharded by their coordinates (FORMAT.md)
 *   edits.jsonl    the log it was baked with, in normal form; absent when there is none
 *   base/XX/       the chunk files as they were before that log, where the log changed them
 *
 * Worlds are never changed: commands build a new one beside the final name and rename it. Unchanged chunk
 * files are hard links. Chunk files are read-only (0444). */
#ifndef TR_WORLD_WORLD_H
#define TR_WORLD_WORLD_H

#include "lib/base/file.h"
#include "lib/world/chunk.h"

#define TR_WORLD_CHUNKS_MAX 1000000 /* size_x * size_z */
#define TR_WORLD_LOG_MAX (1u << 30) /* bytes of the stored log */

struct tr_world_info {
    int32_t size_x, size_z; /* chunks of cells, 1 or more, the product at most TR_WORLD_CHUNKS_MAX */
    double voxel_size;      /* metres, > 0 */
    double extent[4]; /* data's rectangle in voxels: x0, z0, x1, z1 (inclusive samples), within the world */
    bool has_seed;
    uint64_t seed;
    bool has_georeference;
    double origin_easting, origin_northing; /* map coordinates of voxel (0, ., 0), metres */
    /* What filled it, e.g. "dem maunga-whau.asc"; no path. May be empty. UTF-8: other bytes become '?' */
    char source[256];
};

struct tr_index_entry {
    int32_t cx, cz;
    struct tr_hash hash;
};

struct tr_world {
    char path[TR_PATH_BYTES];
    struct tr_world_info info;
    struct tr_index_entry *index; /* by cz, then cx */
    size_t chunk_count;           /* with the rim: (size_x + 1)(size_z + 1) */
    struct tr_hash hash;          /* the world hash: size, voxel size, sorted chunk hashes */
    bool has_log;
    uint64_t log_bytes;
    struct tr_hash log_hash;
    int folder; /* descriptor of the folder that was opened: what replaces it meanwhile is not looked at */
};

static inline bool tr_world_size_is_valid(int32_t size_x, int32_t size_z)
{
    return size_x >= 1 && size_z >= 1 && (int64_t)size_x * size_z <= TR_WORLD_CHUNKS_MAX;
}

/* With the rim; the size is valid. */
static inline size_t tr_world_chunk_count(int32_t size_x, int32_t size_z)
{
    return ((size_t)size_x + 1) * ((size_t)size_z + 1);
}

/* Samples that a chunk of the world owns along x and z: 64, or 1 on the rim. */
static inline void tr_world_chunk_size(const struct tr_world_info *info, int32_t cx, int32_t cz,
                                       uint32_t *size_x, uint32_t *size_z)
{
    *size_x = cx == info->size_x ? 1 : TR_CHUNK;
    *size_z = cz == info->size_z ? 1 : TR_CHUNK;
}

/* Opens a world to read: world.json and index are read and checked, chunk files are not touched. No
 * such folder: TR_IO; a file missing in it: TR_BAD_INPUT. `path` may be a symbolic link; inside the world none is followed. */
enum tr_status tr_world_open(const char *path, struct tr_world **out, struct tr_error *error);
void tr_world_close(struct tr_world *world);

/* The samples a world has: x in [0, 64 size_x], z likewise, y of all block rows. */
struct tr_box tr_world_box(const struct tr_world_info *info);

struct tr_chunk_head;
/* Whether a chunk file, which errors call `name`, says that it is chunk (cx, cz) of such a world. */
enum tr_status tr_world_check_head(const struct tr_world_info *info, int32_t cx, int32_t cz,
                                   const struct tr_chunk_head *head, const char *name,
                                   struct tr_error *error);

/* NULL where there is no such chunk. */
const struct tr_index_entry *tr_world_find(const struct tr_world *world, int32_t cx, int32_t cz);

/* Reads, decodes and checks one chunk file (its hash must be the index's). Safe from several threads. Release
 * the chunk. */
enum tr_status tr_world_read_chunk(const struct tr_world *world, int32_t cx, int32_t cz,
                                   struct tr_chunk *chunk, struct tr_error *error);
/* What header and table of contents of its file say; no section is read. */
enum tr_status tr_world_read_head(const struct tr_world *world, int32_t cx, int32_t cz,
                                  struct tr_chunk_head *head, struct tr_error *error);
/* Whether base/ holds the chunk: the log changed it. */
enum tr_status tr_world_has_base(const struct tr_world *world, int32_t cx, int32_t cz, bool *has_base,
                                 struct tr_error *error);
/* Size of its file in bytes, for `info`. */
enum tr_status tr_world_chunk_file_bytes(const struct tr_world *world, int32_t cx, int32_t cz,
                                         uint64_t *size_bytes, struct tr_error *error);
/* The stored log as text (*text NULL when there is none); free() it. */
enum tr_status tr_world_read_log(const struct tr_world *world, char **text, size_t *size_bytes,
                                 struct tr_error *error);
/* The chunk as it was before the log: from base/ where the log changed it, else the chunk itself. */
enum tr_status tr_world_read_base_chunk(const struct tr_world *world, int32_t cx, int32_t cz,
                                        struct tr_chunk *chunk, struct tr_error *error);

/* A world being built: a temporary folder beside the final name, until commit. */
struct tr_world_build;

/* Fails early (TR_IO) when `path` exists and not replace, or is what must not be replaced. What may be is a
 * folder that is empty or a world, whole or damaged: its world.json says so, it holds nothing that by name and
 * kind is no part of one (lib/world/tree.h), and it can be removed. */
enum tr_status tr_world_build_create(const char *path, const struct tr_world_info *info, bool replace,
                                     struct tr_world_build **out, struct tr_error *error);
/* Writes a chunk (made canonical first). Safe from several threads, one call a chunk. A base that was kept
 * and equals it goes: the log did not change the chunk then. */
enum tr_status tr_world_build_put(struct tr_world_build *build, struct tr_chunk *chunk,
                                  struct tr_error *error);
/* Takes a chunk file over from another world unread: a hard link, or a copy where links cannot be had or the
 * file is not read-only. With its base, if it has one. Safe from several threads, as is keep_base. */
enum tr_status tr_world_build_link(struct tr_world_build *build, const struct tr_world *from, int32_t cx,
                                   int32_t cz, struct tr_error *error);
/* For a chunk that the log changes: links the one it was before (from's base where there is one) into base/.
 * Before tr_world_build_put. */
enum tr_status tr_world_build_keep_base(struct tr_world_build *build, const struct tr_world *from, int32_t cx,
                                        int32_t cz, struct tr_error *error);
/* The log to store, normal form. */
enum tr_status tr_world_build_set_log(struct tr_world_build *build, const char *text, size_t size_bytes,
                                      struct tr_error *error);
/* Writes index and world.json, syncs, renames into place; a world to be replaced that has the same files is left as it is. Every chunk of the size must have been put or
 * linked. *hash: the world hash. After a failure what stood at the final name is unchanged there; if a world
 * that was replaced cannot be removed whole, its rest stays beside it under the temporary's name
 * (tr_folder_replace) until the next build of the same name. */
enum tr_status tr_world_build_commit(struct tr_world_build *build, struct tr_hash *hash,
                                     struct tr_error *error);
/* Removes what is not committed, and frees. Accepts NULL; needed after commit too. */
void tr_world_build_free(struct tr_world_build *build);

#endif
