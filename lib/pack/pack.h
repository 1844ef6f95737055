/* The mesh pack: one file with the meshes of all tiles of a world. The format is written down in FORMAT.md beside this.
 *
 * A tile is a mesh of 64 cells a side at some level of detail; positions are integers in units (1/256 voxel) from the tile's lowest corner,
 * normals octahedral (shaders/surface.h). A pack is either one window, whose tiles together are one closed mesh, or holds every tile of every
 * LOD, from which an engine selects: then a tile has triangles for each neighbourhood that it may stand in (lib/mesh/tile_mesh.h), and the
 * coarser side of a border between LODs owns its transition. The pack hash covers the decoded tiles and what they mean in metres, not
 * compressed bytes. */
#ifndef TR_PACK_PACK_H
#define TR_PACK_PACK_H

#include "lib/base/file.h"
#include "lib/base/hash.h"
#include "lib/mesh/tile_mesh.h"

#define TR_PACK_MAGIC "TRTPACK\n" /* how the file begins: 8 bytes */

enum tr_pack_form { TR_PACK_WINDOW = 0, TR_PACK_ALL_LODS = 1 };

struct tr_pack_info {
    int32_t size_x, size_z; /* the world, in chunks */
    enum tr_pack_form form;
    double voxel_size;         /* metres */
    struct tr_hash world_hash; /* what was meshed */
};

struct tr_pack_tile {
    int32_t cx, cy, cz; /* tile in units of tiles of its level */
    uint32_t lod;       /* 0: every sample */
    enum tr_tile_kind kind;
    /* The states that each side may have: in a window one each; in a pack of all LODs `same` and, unless it is the world's edge or there is
     * no such level, `finer` and `coarser`, the latter not towards the tile with which it makes up one of the next level. */
    uint8_t states[TR_SIDES];
    uint32_t vertex_count, index_count, move_count, part_count;
    bool has_materials, has_targets, has_weights;
    uint32_t error;       /* units, lib/mesh/tile_error.h */
    int32_t lo[3], hi[3]; /* bounds of its vertices and of where they move, units from the tile's corner */
    uint64_t offset, size_bytes; /* of its compressed streams in the file */
};

/* Writes tiles as they come, in any order without two of one place; the table is in order of (lod, cz, cx, cy). Tiles without triangles are
 * not stored. For equal bytes the order of adding must be equal. */
struct tr_pack_writer;
enum tr_status tr_pack_writer_create(const char *path, const struct tr_pack_info *info, bool replace,
                                     struct tr_pack_writer **out, struct tr_error *error);
/* Compresses one tile: safe from several threads. Parts are stored with those of their states that the tile can have, materials that are all
 * 0 as none. TR_BAD_INPUT for a mesh outside the limits of FORMAT.md. */
struct tr_pack_blob {
    struct tr_pack_tile tile;
    uint8_t *bytes;
    struct tr_hash hash; /* of the decoded tile */
};
enum tr_status tr_pack_encode(int32_t cx, int32_t cy, int32_t cz, const uint8_t states[TR_SIDES],
                              const struct tr_tile_mesh *mesh, struct tr_pack_blob *blob,
                              struct tr_error *error);
void tr_pack_blob_release(struct tr_pack_blob *blob);
/* Appends it. Does not keep it. */
enum tr_status tr_pack_writer_add(struct tr_pack_writer *writer, const struct tr_pack_blob *blob,
                                  struct tr_error *error);
/* Finishes the file under its name. Two tiles of one place are an error here. */
enum tr_status tr_pack_writer_commit(struct tr_pack_writer *writer, struct tr_hash *hash,
                                     struct tr_error *error);
void tr_pack_writer_free(
    struct tr_pack_writer *writer); /* removes what is not committed; NULL is fine; needed after commit too */

struct tr_pack {
    char path[TR_PATH_BYTES];
    struct tr_pack_info info;
    struct tr_pack_tile *tiles; /* in order of (lod, cz, cx, cy) */
    size_t tile_count;
    uint32_t lods;                      /* set of the levels that occur, bit 1 << lod */
    struct tr_hash hash;                /* as the file says; tr_pack_verify recomputes it */
    uint64_t vertex_count, index_count; /* sums */
    uint64_t file_bytes;
};
/* Reads and checks header and tile table; streams are read on demand. */
enum tr_status tr_pack_open(const char *path, struct tr_pack **out, struct tr_error *error);
void tr_pack_close(struct tr_pack *pack);
/* Reads, decodes and checks tile i. Safe from several threads. Release the tile. */
enum tr_status tr_pack_read_tile(const struct tr_pack *pack, size_t i, struct tr_tile_mesh *tile,
                                 struct tr_error *error);
/* The same as a plain mesh: of a window as it stands; of a pack of all LODs with neighbours of its own LOD all around. */
enum tr_status tr_pack_read_mesh(const struct tr_pack *pack, size_t i, struct tr_mesh *mesh,
                                 struct tr_error *error);

#endif
