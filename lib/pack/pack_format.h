/* What writer and reader of a mesh pack share: the numbers of FORMAT.md, the coding of one tile, and the rules a tile must keep.
 *
 * Private to lib/pack. A tile's streams are byte planes, so that bytes that behave alike lie together for zstd:
 *
 *   for x, y, z:  fraction (position mod 256) | difference of the voxel from the vertex before, zigzag, low byte | high byte
 *   normal:       u low | u high | v low | v high, differences from the vertex before, zigzag
 *   indices:      low | middle | high byte of differences, zigzag: corner 0 from corner 0 of the triangle before, 1 and 2 from corner 0
 *
 * Fractions are kept as they are: differences of them are noise, and make positions 30% larger (measured with zstd 3). */
#ifndef TR_PACK_PACK_FORMAT_H
#define TR_PACK_PACK_FORMAT_H

#include "lib/pack/pack.h"

#define TR_PACK_VERSION 1
#define TR_PACK_HEADER_BYTES 104
#define TR_PACK_ENTRY_BYTES 80
#define TR_PACK_LOD_MAX 6
#define TR_PACK_ZSTD_LEVEL 3

#define TR_PACK_TILE_VERTICES_MAX (65u * 65u * 65u * 3u)
#define TR_PACK_TILE_INDICES_MAX (64u * 64u * 64u * TR_CASE_TRIANGLES_MAX * 3u)
#define TR_PACK_VERTEX_BYTES 13 /* of decoded streams */
#define TR_PACK_INDEX_BYTES 3
#define TR_PACK_EXPANSION_MAX 32768 /* zstd: no 4 bytes of a frame decode to more than a block of 128 KiB */

/* Side of a tile in units. */
static inline int64_t tr_pack_tile_units(uint32_t lod)
{
    return (int64_t)TR_TILE_CELLS * TR_UNITS << lod;
}

/* What a tile's entry in the table holds besides struct tr_pack_tile. */
struct tr_pack_sums {
    struct tr_hash hash; /* of the decoded tile */
    uint64_t checksum;   /* of its compressed streams */
};

/* Below 0, 0 or above: the order of tiles in a pack. */
int tr_pack_tile_compare(const struct tr_pack_tile *a, const struct tr_pack_tile *b);

/* What a writer and a reader both refuse. `path` and the byte where it stands begin the error's line. */
enum tr_status tr_pack_info_check(const struct tr_pack_info *info, const char *path, struct tr_error *error);
/* Level, counts and bounds against the limits. */
enum tr_status tr_pack_tile_check(const struct tr_pack_tile *tile, const char *path, uint64_t at_byte,
                                  struct tr_error *error);
/* Its place in that world, the bounds included. */
enum tr_status tr_pack_tile_check_place(const struct tr_pack_info *info, const struct tr_pack_tile *tile,
                                        const char *path, uint64_t at_byte, struct tr_error *error);

static inline size_t tr_pack_streams_bytes(uint32_t vertex_count, uint32_t index_count)
{
    return (size_t)vertex_count * TR_PACK_VERTEX_BYTES + (size_t)index_count * TR_PACK_INDEX_BYTES;
}

/* `streams` has tr_pack_streams_bytes of the mesh's counts. Decoding fills arrays of these counts; every byte string decodes to something,
 * so the result is checked by the caller. */
void tr_pack_streams_encode(const struct tr_mesh *mesh, uint8_t *streams);
void tr_pack_streams_decode(const uint8_t *streams, struct tr_mesh *mesh);

/* Bounds of the vertices, of which there is at least one. */
void tr_pack_mesh_bounds(const struct tr_mesh *mesh, int32_t lo[3], int32_t hi[3]);
/* Indices that name no vertex. */
uint64_t tr_pack_mesh_bad_indices(const struct tr_mesh *mesh);
/* No half of a normal is -32768, which tr_octahedral never writes. */
bool tr_pack_mesh_normals_are_valid(const struct tr_mesh *mesh);

/* Hash of a decoded tile, and of a pack from the hashes of its tiles: FORMAT.md, "Hashes". TR_IO without memory. */
enum tr_status tr_pack_hash_tile(const struct tr_mesh *mesh, struct tr_hash *hash, struct tr_error *error);
enum tr_status tr_pack_hash_tiles(const struct tr_pack_info *info, const struct tr_pack_tile *tiles,
                                  const struct tr_pack_sums *sums, size_t tile_count, struct tr_hash *hash,
                                  struct tr_error *error);

/* Reads and decodes tile i as tr_pack_read_tile does, but leaves indices and bounds unchecked: for the count of defects. */
enum tr_status tr_pack_read_raw(const struct tr_pack *pack, size_t i, struct tr_mesh *mesh,
                                struct tr_error *error);
/* The checks of the pack's tiles. */
const struct tr_pack_sums *tr_pack_sums(const struct tr_pack *pack);

#endif
