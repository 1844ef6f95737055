/* What writer and reader of a mesh pack share: the numbers of FORMAT.md, the coding of one tile, and the rules a tile must keep.
 *
 * Private to lib/pack. A tile's streams are byte planes, so that bytes that behave alike lie together for zstd:
 *
 *   for x, y, z:  fraction (position mod 256) | difference of the voxel from the vertex before, zigzag, low byte | high bytes
 *   normal:       u low | u high | v low | v high, differences from the vertex before, zigzag
 *   material, target, weights, each only where the tile has them: the id | difference from the position, zigzag | three of the four
 *   indices:      low | middle | high byte of differences, zigzag: corner 0 from corner 0 of the triangle before, 1 and 2 from corner 0
 *   moves, parts
 *
 * Fractions are kept as they are: differences of them are noise, and make positions 30% larger (measured with zstd 3). */
#ifndef TR_PACK_PACK_FORMAT_H
#define TR_PACK_PACK_FORMAT_H

#include "lib/mesh/selection.h"
#include "lib/pack/pack.h"

#define TR_PACK_VERSION 2
#define TR_PACK_HEADER_BYTES 112
#define TR_PACK_ENTRY_BYTES 112
#define TR_PACK_ZSTD_LEVEL 3

/* What a tile of marching cubes can have at most: the edges and cells of its lattice, and on each of the four sides that may have a
 * transition 64 x 64 cells with 12 edges of the finer level and 12 triangles. */
#define TR_PACK_MARCHED_VERTICES_MAX (3u * 64 * 65 * 65 + 4u * 64 * 64 * 12)
#define TR_PACK_MARCHED_INDICES_MAX (3u * (64u * 64 * 64 * TR_CASE_TRIANGLES_MAX + 4u * 64 * 64 * 12))
/* What a height tile may have. A column whose border is steeper throughout than FORMAT.md says cannot be packed. */
#define TR_PACK_HEIGHTS_VERTICES_MAX (1u << 22)
#define TR_PACK_HEIGHTS_INDICES_MAX (3u << 23)
#define TR_PACK_PARTS_MAX 81u
#define TR_PACK_HEIGHT_MAX ((1 << 24) - 1) /* |y| of a height tile's vertex in the world, units */

/* Bytes of decoded streams: of a vertex, of what it may have besides, of an index, a move and a part. */
#define TR_PACK_VERTEX_BYTES 14
#define TR_PACK_TARGET_BYTES 8
#define TR_PACK_WEIGHT_BYTES 3
#define TR_PACK_INDEX_BYTES 3
#define TR_PACK_MOVE_BYTES 8
#define TR_PACK_PART_BYTES 7
#define TR_PACK_EXPANSION_MAX 32768 /* zstd: no 4 bytes of a frame decode to more than a block of 128 KiB */

/* Side of a tile in units. */
static inline int64_t tr_pack_tile_units(uint32_t lod)
{
    return (int64_t)TR_TILE_CELLS * TR_UNITS << lod;
}

/* The greatest part of a move along x or z, a quarter of a cell; and of a target along an axis, a cell of the next level. */
static inline int32_t tr_pack_move_max(uint32_t lod)
{
    return TR_UNITS / 4 << lod;
}
static inline int32_t tr_pack_target_max(uint32_t lod)
{
    return TR_UNITS << (lod + 1);
}

/* Sets of states of all sides in one number: bit 3 * side + i for TR_SIDE_* 1 << i. */
#define TR_PACK_STATES_BITS (3 * TR_SIDES)
static inline uint32_t tr_pack_states_number(const uint8_t states[TR_SIDES])
{
    uint32_t number = 0;

    for (int side = 0; side < TR_SIDES; side++)
        number |= (uint32_t)states[side] << (3 * side);
    return number;
}
static inline void tr_pack_states_from(uint32_t number, uint8_t states[TR_SIDES])
{
    for (int side = 0; side < TR_SIDES; side++)
        states[side] = (uint8_t)(number >> (3 * side) & TR_SIDE_ANY);
}

/* Which of the streams that are optional a tile has, as bits of its entry. */
#define TR_PACK_MATERIALS 1u
#define TR_PACK_TARGETS 2u
#define TR_PACK_WEIGHTS 4u
static inline uint32_t tr_pack_optional_streams(const struct tr_pack_tile *tile)
{
    return (tile->has_materials ? TR_PACK_MATERIALS : 0) | (tile->has_targets ? TR_PACK_TARGETS : 0) |
           (tile->has_weights ? TR_PACK_WEIGHTS : 0);
}

/* What a tile's entry in the table holds besides struct tr_pack_tile. */
struct tr_pack_sums {
    struct tr_hash hash; /* of the decoded tile */
    uint64_t checksum;   /* of its compressed streams */
};

/* ---- rules that hold for writing and reading alike (pack_format.c) ---- */

/* Below 0, 0 or above: the order of tiles in a pack. */
int tr_pack_tile_compare(const struct tr_pack_tile *a, const struct tr_pack_tile *b);

/* `path` and the byte where it stands begin the error's line. */
enum tr_status tr_pack_info_check(const struct tr_pack_info *info, const char *path, struct tr_error *error);
/* What an entry says, against the limits of its level and kind. */
enum tr_status tr_pack_tile_check(const struct tr_pack_tile *tile, const char *path, uint64_t at_byte,
                                  struct tr_error *error);
/* Its place in that pack: inside the world, bounds included, and with states that its sides can have there. */
enum tr_status tr_pack_tile_check_place(const struct tr_pack_info *info, const struct tr_pack_tile *tile,
                                        const char *path, uint64_t at_byte, struct tr_error *error);
/* What is wrong with the arrays of a mesh of the tile's counts, besides indices and bounds; NULL: nothing. */
const char *tr_pack_mesh_fault(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh);
/* Bounds of the vertices, of which there is at least one, and of where they move. */
void tr_pack_mesh_bounds(const struct tr_tile_mesh *mesh, int32_t lo[3], int32_t hi[3]);
/* Indices that name no vertex. */
uint64_t tr_pack_mesh_bad_indices(const struct tr_tile_mesh *mesh);

/* ---- the coding of one tile (pack_streams.c) ---- */

size_t tr_pack_streams_bytes(const struct tr_pack_tile *tile);

/* `streams` has tr_pack_streams_bytes. Of what is optional the mesh has arrays exactly where the tile has streams. Encoding is for meshes
 * without fault. Decoding fills the mesh's arrays, whose counts are the tile's; every byte string decodes to something, so the caller checks
 * the result. */
void tr_pack_streams_encode(const struct tr_tile_mesh *mesh, uint8_t *streams);
void tr_pack_streams_decode(const uint8_t *streams, struct tr_tile_mesh *mesh);

/* Hash of a decoded tile, and of a pack from the hashes of its tiles: FORMAT.md, "Hashes". TR_IO without memory. */
enum tr_status tr_pack_hash_tile(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh,
                                 struct tr_hash *hash, struct tr_error *error);
enum tr_status tr_pack_hash_tiles(const struct tr_pack_info *info, const struct tr_pack_tile *tiles,
                                  const struct tr_pack_sums *sums, size_t tile_count, struct tr_hash *hash,
                                  struct tr_error *error);

/* ---- reading (pack_read.c) ---- */

/* Takes the arrays of a tile, all counts and flags set as the table says. Release the mesh, also after a failure. */
enum tr_status tr_pack_mesh_take(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh,
                                 struct tr_error *error);
/* Reads and decodes tile i as tr_pack_read_tile does, but leaves indices and bounds unchecked: for the count of defects. */
enum tr_status tr_pack_read_raw(const struct tr_pack *pack, size_t i, struct tr_tile_mesh *mesh,
                                struct tr_error *error);
/* The checks of the pack's tiles. */
const struct tr_pack_sums *tr_pack_sums(const struct tr_pack *pack);

#endif
