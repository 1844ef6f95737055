/* Reading a mesh pack. Nothing is believed before it is checked:
 *
 *   the table must end the file, and the tiles' streams fill exactly what lies between header and table: none overlaps, nothing trails;
 *   the table is read in pieces, and memory for it grows with what was read;
 *   a tile's counts are limited, and more than its compressed bytes could decode to is refused before memory is taken;
 *   checksums come before decompression, the hash of the decoded tile after it.
 *
 * The file stays open, so a pack that is replaced meanwhile goes on being read as it was. Reads are pread: no position is shared. */
#include "lib/pack/pack_format.h"

#include "lib/base/alloc.h"
#include "lib/base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define TABLE_PIECE_ENTRIES 512

/* What tr_pack_open hands out is the first member of this. */
struct pack_file {
    struct tr_pack pack;
    int descriptor;
    struct tr_pack_sums *sums;
    size_t tile_capacity, sums_capacity;
    uint64_t table_offset, table_checksum;
    uint32_t claimed_tiles; /* as the header says; pack.tile_count counts what was read */
    uint32_t claimed_lods;
};

static const struct pack_file *file_of(const struct tr_pack *pack)
{
    return (const struct pack_file *)(const void *)pack;
}

const struct tr_pack_sums *tr_pack_sums(const struct tr_pack *pack)
{
    return file_of(pack)->sums;
}

static enum tr_status read_at(const struct pack_file *file, uint64_t offset, void *bytes, size_t size_bytes,
                              struct tr_error *error)
{
    uint8_t *to = bytes;

    while (size_bytes > 0) {
        ssize_t got = pread(file->descriptor, to, size_bytes, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tr_fail_errno(error, "cannot read \"%s\" at byte %" PRIu64, file->pack.path, offset);
        if (got == 0)
            return tr_fail(error, TR_BAD_INPUT,
                           "\"%s\": file ends at byte %" PRIu64 ", expected %zu bytes more", file->pack.path,
                           offset, size_bytes);
        to += got;
        offset += (uint64_t)got;
        size_bytes -= (size_t)got;
    }
    return TR_OK;
}

static struct tr_hash read_hash(struct tr_reader *reader)
{
    struct tr_hash hash;

    hash.lo = tr_read_u64(reader);
    hash.hi = tr_read_u64(reader);
    return hash;
}

static enum tr_status open_file(struct pack_file *file, const char *path, struct tr_error *error)
{
    struct stat info;

    if (strlen(path) >= sizeof file->pack.path)
        return tr_fail(error, TR_BAD_INPUT, "path of %zu bytes, expected at most %d: \"%.64s...\"",
                       strlen(path), TR_PATH_BYTES - 1, path);
    strcpy(file->pack.path, path);
    /* O_NONBLOCK: opening a pipe that nobody writes must not hang before it is refused */
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->descriptor < 0)
        return tr_fail_errno(error, "cannot open \"%s\"", path);
    if (fstat(file->descriptor, &info) != 0)
        return tr_fail_errno(error, "cannot inspect \"%s\"", path);
    if (!S_ISREG(info.st_mode))
        return tr_fail(error, TR_IO, "\"%s\" is not a regular file, expected a mesh pack", path);
    file->pack.file_bytes = (uint64_t)info.st_size;
    return TR_OK;
}

/* What tells the format, before anything is expected of it: other versions have other headers. */
static enum tr_status version_check(const struct pack_file *file, struct tr_error *error)
{
    uint8_t bytes[12] = {0};
    struct tr_reader reader = {.bytes = bytes, .size_bytes = sizeof bytes, .at = 8};
    const struct tr_pack *pack = &file->pack;
    const size_t there = pack->file_bytes < sizeof bytes ? (size_t)pack->file_bytes : sizeof bytes;
    enum tr_status status = read_at(file, 0, bytes, there, error);
    uint32_t version;

    if (status != TR_OK)
        return status;
    if (there >= 8 && memcmp(bytes, TR_PACK_MAGIC, 8) != 0)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte 0: not a mesh pack, expected the magic TRTPACK", pack->path);
    version = tr_read_u32(&reader);
    if (there == sizeof bytes && version != TR_PACK_VERSION)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": header at byte 8: version %u, expected %d", pack->path,
                       version, TR_PACK_VERSION);
    if (pack->file_bytes < TR_PACK_HEADER_BYTES)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": file of %" PRIu64 " bytes, expected a header of %d",
                       pack->path, pack->file_bytes, TR_PACK_HEADER_BYTES);
    return TR_OK;
}

static enum tr_status header_check(const struct pack_file *file, const uint8_t *bytes, struct tr_error *error)
{
    struct tr_reader reader = {
        .bytes = bytes, .size_bytes = TR_PACK_HEADER_BYTES, .at = TR_PACK_HEADER_BYTES - 8};
    const uint64_t checksum = tr_read_u64(&reader),
                   expected = tr_hash_bytes(bytes, TR_PACK_HEADER_BYTES - 8).lo;

    if (checksum != expected)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte %d: checksum %016" PRIx64 ", expected %016" PRIx64,
                       file->pack.path, TR_PACK_HEADER_BYTES - 8, checksum, expected);
    return TR_OK;
}

static enum tr_status read_header(struct pack_file *file, struct tr_error *error)
{
    uint8_t bytes[TR_PACK_HEADER_BYTES];
    struct tr_reader reader = {.bytes = bytes, .size_bytes = sizeof bytes, .at = 12};
    struct tr_pack *pack = &file->pack;
    uint64_t table_bytes;
    enum tr_status status = version_check(file, error);

    if (status == TR_OK)
        status = read_at(file, 0, bytes, sizeof bytes, error);
    if (status == TR_OK)
        status = header_check(file, bytes, error);
    if (status != TR_OK)
        return status;

    pack->info.form = (enum tr_pack_form)tr_read_u32(&reader);
    pack->info.size_x = tr_read_i32(&reader);
    pack->info.size_z = tr_read_i32(&reader);
    file->claimed_tiles = tr_read_u32(&reader);
    file->claimed_lods = tr_read_u32(&reader);
    pack->info.voxel_size = tr_read_f64(&reader);
    pack->info.world_hash = read_hash(&reader);
    pack->hash = read_hash(&reader);
    pack->vertex_count = tr_read_u64(&reader);
    pack->index_count = tr_read_u64(&reader);
    file->table_offset = tr_read_u64(&reader);
    file->table_checksum = tr_read_u64(&reader);
    status = tr_pack_info_check(&pack->info, pack->path, error);
    if (status != TR_OK)
        return status;

    table_bytes = (uint64_t)file->claimed_tiles * TR_PACK_ENTRY_BYTES;
    if (file->table_offset < TR_PACK_HEADER_BYTES || file->table_offset > pack->file_bytes ||
        pack->file_bytes - file->table_offset != table_bytes)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte 88: table of %u tiles at byte %" PRIu64
                       ", expected its %" PRIu64 " bytes to end the file of %" PRIu64,
                       pack->path, file->claimed_tiles, file->table_offset, table_bytes, pack->file_bytes);
    return TR_OK;
}

/* ---- the table ---- */

static enum tr_status read_entry(const struct pack_file *file, struct tr_reader *reader, uint64_t at_byte,
                                 struct tr_pack_tile *tile, struct tr_pack_sums *sums, struct tr_error *error)
{
    uint32_t streams, states;

    tile->lod = tr_read_u32(reader);
    tile->cx = tr_read_i32(reader);
    tile->cy = tr_read_i32(reader);
    tile->cz = tr_read_i32(reader);
    tile->kind = (enum tr_tile_kind)tr_read_u32(reader);
    streams = tr_read_u32(reader);
    states = tr_read_u32(reader);
    tile->vertex_count = tr_read_u32(reader);
    tile->index_count = tr_read_u32(reader);
    tile->move_count = tr_read_u32(reader);
    tile->part_count = tr_read_u32(reader);
    tile->error = tr_read_u32(reader);
    for (int axis = 0; axis < 3; axis++)
        tile->lo[axis] = tr_read_i32(reader);
    for (int axis = 0; axis < 3; axis++)
        tile->hi[axis] = tr_read_i32(reader);
    tile->offset = tr_read_u64(reader);
    tile->size_bytes = tr_read_u64(reader);
    sums->hash = read_hash(reader);
    sums->checksum = tr_read_u64(reader);

    tile->has_materials = streams & TR_PACK_MATERIALS;
    tile->has_targets = streams & TR_PACK_TARGETS;
    tile->has_weights = streams & TR_PACK_WEIGHTS;
    tr_pack_states_from(states, tile->states);
    if (tr_pack_optional_streams(tile) != streams || tr_pack_states_number(tile->states) != states)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64 ": streams %#x and states %#x, expected sets of "
                       "3 streams and of 3 states for each of 6 sides",
                       file->pack.path, at_byte, streams, states);
    return TR_OK;
}

/* A tile's streams must lie between header and table, and be able to hold what its counts say. */
static enum tr_status entry_check_size(const struct pack_file *file, const struct tr_pack_tile *tile,
                                       uint64_t at_byte, struct tr_error *error)
{
    const size_t streams_bytes = tr_pack_streams_bytes(tile);
    const uint64_t least = streams_bytes / TR_PACK_EXPANSION_MAX + 1,
                   most = streams_bytes + streams_bytes / 128 + 512;

    if (tile->size_bytes < least || tile->size_bytes > most)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64 ": %" PRIu64 " bytes of streams, expected %" PRIu64
                       " to %" PRIu64 " for %u vertices and %u indices",
                       file->pack.path, at_byte, tile->size_bytes, least, most, tile->vertex_count,
                       tile->index_count);
    if (tile->offset < TR_PACK_HEADER_BYTES || tile->offset > file->table_offset ||
        tile->size_bytes > file->table_offset - tile->offset)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64 ": %" PRIu64 " bytes of streams at byte %" PRIu64
                       ", expected them between the header of %d bytes and the table at byte %" PRIu64,
                       file->pack.path, at_byte, tile->size_bytes, tile->offset, TR_PACK_HEADER_BYTES,
                       file->table_offset);
    return TR_OK;
}

/* Checks and appends one entry. */
static enum tr_status add_entry(struct pack_file *file, struct tr_reader *reader, uint64_t at_byte,
                                struct tr_error *error)
{
    struct tr_pack *pack = &file->pack;
    struct tr_pack_tile tile = {0};
    struct tr_pack_sums sums;
    enum tr_status status = read_entry(file, reader, at_byte, &tile, &sums, error);

    if (status == TR_OK)
        status = tr_pack_tile_check(&tile, pack->path, at_byte, error);
    if (status == TR_OK)
        status = tr_pack_tile_check_place(&pack->info, &tile, pack->path, at_byte, error);
    if (status == TR_OK)
        status = entry_check_size(file, &tile, at_byte, error);
    if (status == TR_OK && pack->tile_count > 0 &&
        tr_pack_tile_compare(&pack->tiles[pack->tile_count - 1], &tile) >= 0)
        status = tr_fail(error, TR_BAD_INPUT,
                         "\"%s\": tile at byte %" PRIu64 ": out of the order of level, z, x, y", pack->path,
                         at_byte);
    if (status == TR_OK)
        status =
            tr_grow(&pack->tiles, &file->tile_capacity, pack->tile_count + 1, sizeof *pack->tiles, error);
    if (status == TR_OK)
        status = tr_grow(&file->sums, &file->sums_capacity, pack->tile_count + 1, sizeof *file->sums, error);
    if (status != TR_OK)
        return status;
    pack->tiles[pack->tile_count] = tile;
    file->sums[pack->tile_count] = sums;
    pack->tile_count++;
    return TR_OK;
}

static enum tr_status read_table(struct pack_file *file, struct tr_hasher *hasher, struct tr_error *error)
{
    uint8_t piece[TABLE_PIECE_ENTRIES * TR_PACK_ENTRY_BYTES];
    uint64_t at_byte = file->table_offset;
    enum tr_status status = TR_OK;

    for (uint32_t left = file->claimed_tiles; left > 0 && status == TR_OK;) {
        uint32_t count = left < TABLE_PIECE_ENTRIES ? left : TABLE_PIECE_ENTRIES;
        struct tr_reader reader = {.bytes = piece, .size_bytes = (size_t)count * TR_PACK_ENTRY_BYTES};

        status = read_at(file, at_byte, piece, reader.size_bytes, error);
        if (status == TR_OK)
            tr_hasher_add(hasher, piece, reader.size_bytes);
        for (uint32_t i = 0; i < count && status == TR_OK; i++) {
            status = add_entry(file, &reader, at_byte, error);
            at_byte += TR_PACK_ENTRY_BYTES;
        }
        left -= count;
    }
    return status;
}

/* Where a tile's streams lie. */
struct extent {
    uint64_t offset, size_bytes;
};

static int extent_compare(const void *a, const void *b)
{
    const struct extent *ea = a, *eb = b;

    return (ea->offset > eb->offset) - (ea->offset < eb->offset);
}

/* Every byte between header and table belongs to one tile: in order of their offsets, each tile's streams begin where those before end. */
static enum tr_status check_extents(const struct pack_file *file, struct tr_error *error)
{
    const struct tr_pack *pack = &file->pack;
    struct extent *extents = tr_alloc(pack->tile_count, sizeof *extents, error);
    uint64_t at = TR_PACK_HEADER_BYTES;
    enum tr_status status = TR_OK;

    if (!extents)
        return TR_IO;
    for (size_t i = 0; i < pack->tile_count; i++)
        extents[i] = (struct extent){pack->tiles[i].offset, pack->tiles[i].size_bytes};
    qsort(extents, pack->tile_count, sizeof *extents, extent_compare);
    for (size_t i = 0; i < pack->tile_count && status == TR_OK; i++) {
        if (extents[i].offset != at)
            status = tr_fail(error, TR_BAD_INPUT,
                             "\"%s\": streams of a tile at byte %" PRIu64 ", expected at byte %" PRIu64
                             ", where those before them end",
                             pack->path, extents[i].offset, at);
        at += extents[i].size_bytes;
    }
    if (status == TR_OK && at != file->table_offset)
        status = tr_fail(error, TR_BAD_INPUT,
                         "\"%s\": streams end at byte %" PRIu64
                         ", expected them to reach the table at byte %" PRIu64,
                         pack->path, at, file->table_offset);
    free(extents);
    return status;
}

/* The table against what the header says of it. */
static enum tr_status table_check(const struct pack_file *file, uint64_t checksum, struct tr_error *error)
{
    const struct tr_pack *pack = &file->pack;
    uint64_t vertex_count = 0, index_count = 0;
    uint32_t lods = 0;

    if (checksum != file->table_checksum)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": table at byte %" PRIu64 ": checksum %016" PRIx64 ", expected %016" PRIx64,
                       pack->path, file->table_offset, checksum, file->table_checksum);
    for (size_t i = 0; i < pack->tile_count; i++) {
        vertex_count += pack->tiles[i].vertex_count;
        index_count += pack->tiles[i].index_count;
        lods |= 1u << pack->tiles[i].lod;
    }
    if (lods != file->claimed_lods)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte 28: set of levels %#x, expected %#x as in the table",
                       pack->path, file->claimed_lods, lods);
    if (vertex_count != pack->vertex_count || index_count != pack->index_count)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte 72: %" PRIu64 " vertices and %" PRIu64
                       " indices, expected %" PRIu64 " and %" PRIu64 " as the table adds up to",
                       pack->path, pack->vertex_count, pack->index_count, vertex_count, index_count);
    return TR_OK;
}

enum tr_status tr_pack_open(const char *path, struct tr_pack **out, struct tr_error *error)
{
    struct pack_file *file;
    struct tr_hasher *hasher = NULL;
    uint64_t checksum;
    enum tr_status status;

    *out = NULL;
    file = tr_alloc(1, sizeof *file, error);
    if (!file)
        return TR_IO;
    file->descriptor = -1;
    status = open_file(file, path, error);
    if (status == TR_OK)
        status = read_header(file, error);
    if (status == TR_OK) {
        hasher = tr_hasher_create();
        status = hasher ? read_table(file, hasher, error)
                        : tr_fail(error, TR_IO, "out of memory: state of a hash");
    }
    if (hasher) {
        checksum = tr_hasher_done(hasher).lo;
        if (status == TR_OK)
            status = table_check(file, checksum, error);
        if (status == TR_OK)
            status = check_extents(file, error);
    }
    if (status != TR_OK) {
        tr_pack_close(&file->pack);
        return status;
    }
    file->pack.lods = file->claimed_lods;
    *out = &file->pack;
    return TR_OK;
}

void tr_pack_close(struct tr_pack *pack)
{
    struct pack_file *file = (struct pack_file *)(void *)pack;

    if (!file)
        return;
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->pack.tiles);
    free(file->sums);
    free(file);
}

/* ---- tiles ---- */

static enum tr_status fail_tile(const struct tr_pack *pack, const struct tr_pack_tile *tile, const char *what,
                                struct tr_error *error)
{
    return tr_fail(error, TR_BAD_INPUT,
                   "\"%s\": streams at byte %" PRIu64 " of tile (%d, %d, %d) of level %u: %s", pack->path,
                   tile->offset, tile->cx, tile->cy, tile->cz, tile->lod, what);
}

/* Exactly one zstd frame that says its decoded size, and says the right one. */
static enum tr_status decompress(const struct tr_pack *pack, const struct tr_pack_tile *tile,
                                 const uint8_t *packed, uint8_t *streams, size_t streams_bytes,
                                 struct tr_error *error)
{
    size_t packed_bytes = (size_t)tile->size_bytes, size_bytes;

    if (ZSTD_getFrameContentSize(packed, packed_bytes) != streams_bytes)
        return fail_tile(pack, tile, "not a zstd frame of the tile's decoded size", error);
    size_bytes = ZSTD_findFrameCompressedSize(packed, packed_bytes);
    if (ZSTD_isError(size_bytes) || size_bytes != packed_bytes)
        return fail_tile(pack, tile, "zstd frame does not fill them", error);
    size_bytes = ZSTD_decompress(streams, streams_bytes, packed, packed_bytes);
    if (ZSTD_isError(size_bytes))
        return fail_tile(pack, tile, ZSTD_getErrorName(size_bytes), error);
    if (size_bytes != streams_bytes)
        return fail_tile(pack, tile, "decoded to another size than the frame says", error);
    return TR_OK;
}

static enum tr_status read_streams(const struct tr_pack *pack, size_t i, uint8_t *packed, uint8_t *streams,
                                   size_t streams_bytes, struct tr_error *error)
{
    const struct tr_pack_tile *tile = &pack->tiles[i];
    enum tr_status status = read_at(file_of(pack), tile->offset, packed, (size_t)tile->size_bytes, error);

    if (status == TR_OK &&
        tr_hash_bytes(packed, (size_t)tile->size_bytes).lo != tr_pack_sums(pack)[i].checksum)
        status = fail_tile(pack, tile, "checksum differs from the table's", error);
    if (status == TR_OK)
        status = decompress(pack, tile, packed, streams, streams_bytes, error);
    return status;
}

enum tr_status tr_pack_mesh_take(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh,
                                 struct tr_error *error)
{
    const size_t count = tile->vertex_count;

    *mesh = (struct tr_tile_mesh){.kind = tile->kind,
                                  .lod = tile->lod,
                                  .vertex_count = tile->vertex_count,
                                  .index_count = tile->index_count,
                                  .move_count = tile->move_count,
                                  .part_count = tile->part_count,
                                  .error = tile->error};
    if (!(mesh->vertices = tr_alloc(count, sizeof *mesh->vertices, error)) ||
        (tile->has_materials && !(mesh->materials = tr_alloc(count, sizeof *mesh->materials, error))) ||
        (tile->has_targets && !(mesh->targets = tr_alloc(count, sizeof *mesh->targets, error))) ||
        (tile->has_weights && !(mesh->weights = tr_alloc(count, sizeof *mesh->weights, error))) ||
        !(mesh->indices = tr_alloc(tile->index_count, sizeof *mesh->indices, error)) ||
        !(mesh->moves = tr_alloc(tile->move_count, sizeof *mesh->moves, error)) ||
        !(mesh->parts = tr_alloc(tile->part_count, sizeof *mesh->parts, error)))
        return TR_IO;
    return TR_OK;
}

/* Where the tile's upper sides lie: it is cut at the world's edge. */
static void set_size(const struct tr_pack *pack, const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    const int64_t units = tr_pack_tile_units(tile->lod), chunk_units = tr_pack_tile_units(0);
    const int64_t rest_x = pack->info.size_x * chunk_units - tile->cx * units,
                  rest_z = pack->info.size_z * chunk_units - tile->cz * units;

    mesh->size[0] = (int32_t)(rest_x < units ? rest_x : units);
    mesh->size[1] = tile->kind == TR_TILE_HEIGHTS ? 0 : (int32_t)units;
    mesh->size[2] = (int32_t)(rest_z < units ? rest_z : units);
}

/* What the streams decoded to, against the table's hash and the rules for arrays. */
static enum tr_status decoded_check(const struct tr_pack *pack, size_t i, const struct tr_tile_mesh *mesh,
                                    struct tr_error *error)
{
    const struct tr_pack_tile *tile = &pack->tiles[i];
    struct tr_hash hash;
    const char *fault;
    enum tr_status status = tr_pack_hash_tile(tile, mesh, &hash, error);

    if (status != TR_OK)
        return status;
    if (!tr_hash_equal(hash, tr_pack_sums(pack)[i].hash))
        return fail_tile(pack, tile, "hash of the decoded mesh differs from the table's", error);
    fault = tr_pack_mesh_fault(tile, mesh);
    return fault ? fail_tile(pack, tile, fault, error) : TR_OK;
}

enum tr_status tr_pack_read_raw(const struct tr_pack *pack, size_t i, struct tr_tile_mesh *mesh,
                                struct tr_error *error)
{
    const struct tr_pack_tile *tile = &pack->tiles[i];
    const size_t streams_bytes = tr_pack_streams_bytes(tile);
    uint8_t *packed = tr_alloc((size_t)tile->size_bytes, 1, error);
    uint8_t *streams = packed ? tr_alloc(streams_bytes, 1, error) : NULL;
    enum tr_status status = streams ? read_streams(pack, i, packed, streams, streams_bytes, error) : TR_IO;

    *mesh = (struct tr_tile_mesh){0};
    if (status == TR_OK)
        status = tr_pack_mesh_take(tile, mesh, error);
    if (status == TR_OK) {
        set_size(pack, tile, mesh);
        tr_pack_streams_decode(streams, mesh);
        status = decoded_check(pack, i, mesh, error);
    }
    free(packed);
    free(streams);
    if (status != TR_OK)
        tr_tile_mesh_release(mesh);
    return status;
}

enum tr_status tr_pack_read_tile(const struct tr_pack *pack, size_t i, struct tr_tile_mesh *mesh,
                                 struct tr_error *error)
{
    const struct tr_pack_tile *tile = &pack->tiles[i];
    int32_t lo[3], hi[3];
    enum tr_status status = tr_pack_read_raw(pack, i, mesh, error);

    if (status != TR_OK)
        return status;
    tr_pack_mesh_bounds(mesh, lo, hi);
    if (memcmp(lo, tile->lo, sizeof lo) != 0 || memcmp(hi, tile->hi, sizeof hi) != 0)
        status = fail_tile(pack, tile, "bounds of the vertices differ from the table's", error);
    else if (tr_pack_mesh_bad_indices(mesh) > 0)
        status = fail_tile(pack, tile, "index that names no vertex", error);
    if (status != TR_OK)
        tr_tile_mesh_release(mesh);
    return status;
}

enum tr_status tr_pack_read_mesh(const struct tr_pack *pack, size_t i, struct tr_mesh *mesh,
                                 struct tr_error *error)
{
    static const uint8_t all_same[TR_SIDES] = {TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME,
                                               TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};
    struct tr_tile_mesh tile = {0};
    enum tr_status status = tr_pack_read_tile(pack, i, &tile, error);

    *mesh = (struct tr_mesh){0};
    if (status == TR_OK && pack->info.form == TR_PACK_ALL_LODS) {
        status = tr_tile_mesh_assemble(&tile, all_same, mesh, error);
    } else if (status == TR_OK) {
        /* a window's tile is drawn with all its parts, and nothing in it moves */
        *mesh = (struct tr_mesh){tile.vertices, tile.indices, tile.vertex_count, tile.index_count};
        tile.vertices = NULL;
        tile.indices = NULL;
    }
    tr_tile_mesh_release(&tile);
    return status;
}
