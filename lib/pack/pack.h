/* The mesh pack: one file with the meshes of all tiles of a world. The format is written down in FORMAT.md beside this.
 *
 * A tile is a mesh of 64 cells a side at some level of detail; positions are integers in units (1/256 voxel) from the tile's lowest corner,
 * normals octahedral (shaders/surface.h). The pack hash covers the decoded tiles and what they mean in metres, not compressed bytes. */
#ifndef TR_PACK_PACK_H
#define TR_PACK_PACK_H

#include "lib/base/file.h"
#include "lib/base/hash.h"
#include "lib/mesh/march.h"

#define TR_PACK_MAGIC "TRTPACK\n" /* how the file begins: 8 bytes */

struct tr_pack_info {
    int32_t size_x, size_z;    /* the world, in chunks */
    double voxel_size;         /* metres */
    struct tr_hash world_hash; /* what was meshed */
};

struct tr_pack_tile {
    int32_t cx, cy, cz; /* tile in units of tiles of its level */
    uint32_t lod;       /* 0: every sample */
    uint32_t vertex_count, index_count;
    int32_t lo[3], hi[3]; /* bounds of its vertices, units from the tile's corner; 0 for an empty tile */
    uint64_t offset, size_bytes; /* of its compressed streams in the file */
};

/* Writes tiles as they come, in order of (lod, cz, cx, cy): the caller keeps the order, which is checked. Empty tiles are not stored. */
struct tr_pack_writer;
enum tr_status tr_pack_writer_create(const char *path, const struct tr_pack_info *info, bool replace,
                                     struct tr_pack_writer **out, struct tr_error *error);
/* Compresses one tile: safe from several threads. */
struct tr_pack_blob {
    struct tr_pack_tile tile;
    uint8_t *bytes;
    struct tr_hash hash; /* of the decoded tile */
};
enum tr_status tr_pack_encode(int32_t cx, int32_t cy, int32_t cz, uint32_t lod, const struct tr_mesh *mesh,
                              struct tr_pack_blob *blob, struct tr_error *error);
void tr_pack_blob_release(struct tr_pack_blob *blob);
/* Appends it. */
enum tr_status tr_pack_writer_add(struct tr_pack_writer *writer, const struct tr_pack_blob *blob,
                                  struct tr_error *error);
/* Finishes the file under its name. */
enum tr_status tr_pack_writer_commit(struct tr_pack_writer *writer, struct tr_hash *hash,
                                     struct tr_error *error);
void tr_pack_writer_free(
    struct tr_pack_writer *writer); /* removes what is not committed; NULL is fine; needed after commit too */

struct tr_pack {
    char path[TR_PATH_BYTES];
    struct tr_pack_info info;
    struct tr_pack_tile *tiles; /* in file order */
    size_t tile_count;
    struct tr_hash hash;                /* as the file says; tr_pack_verify recomputes it */
    uint64_t vertex_count, index_count; /* sums */
    uint64_t file_bytes;
};
/* Reads and checks header and tile table; streams are read on demand. */
enum tr_status tr_pack_open(const char *path, struct tr_pack **out, struct tr_error *error);
void tr_pack_close(struct tr_pack *pack);
/* Reads, decodes and checks tile i. Safe from several threads. Release the mesh. */
enum tr_status tr_pack_read_tile(const struct tr_pack *pack, size_t i, struct tr_mesh *mesh,
                                 struct tr_error *error);

#endif
