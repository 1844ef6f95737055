/* Any bytes as a mesh pack: refused with one line, or a pack that can be verified, and of which each level can be welded and, where its mesh
 * is closed, made a solid of which every edge has its opposite.
 *
 * Bytes at random never pass a checksum, so each input is tried a second time with checksums, sums and tile hashes made right, which lets
 * mutations reach the table, the streams and the meshes. Packs are opened by name, so an input goes through a file in memory. */
#include "lib/pack/export_parts.h"
#include "lib/pack/pack_check.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#define TILES_MAX 64 /* more in an input only cost time */
#define VERTICES_MAX (1u << 20)

/* ---- solids ---- */

struct side {
    uint32_t low, high;
    int direction;
};

static int side_compare(const void *a, const void *b)
{
    const struct side *sa = a, *sb = b;

    if (sa->low != sb->low)
        return sa->low < sb->low ? -1 : 1;
    return (sa->high > sb->high) - (sa->high < sb->high);
}

/* Whatever the mesh was, walls and floor close it: each edge is run through as often one way as the other. */
static void check_edges_cancel(const struct tr_surface *surface)
{
    struct side *edges = malloc((surface->index_count + 1) * sizeof *edges);
    long sum = 0;

    if (!edges)
        return;
    for (size_t k = 0; k < surface->index_count; k++) {
        uint32_t from = surface->indices[k], to = surface->indices[k % 3 == 2 ? k - 2 : k + 1];

        FUZZ_CHECK(from < surface->vertex_count);
        edges[k] = (struct side){
            .low = from < to ? from : to, .high = from < to ? to : from, .direction = from < to ? 1 : -1};
    }
    qsort(edges, surface->index_count, sizeof *edges, side_compare);
    for (size_t k = 0; k < surface->index_count; k++) {
        sum += edges[k].direction;
        if (k + 1 == surface->index_count || side_compare(&edges[k], &edges[k + 1]) != 0) {
            FUZZ_CHECK(sum == 0);
            sum = 0;
        }
    }
    free(edges);
}

static void check_solid(const struct tr_pack *pack, struct tr_tile_range tiles)
{
    struct tr_error error = {0};
    struct tr_surface surface = {0};
    const int64_t size[2] = {pack->info.size_x * tr_pack_tile_units(0),
                             pack->info.size_z * tr_pack_tile_units(0)};
    enum tr_status status;

    if (tr_export_check_range(pack, tiles, 1 << 24, &error) != TR_OK || size[0] > 1 << 24 ||
        size[1] > 1 << 24)
        return;
    FUZZ_CHECK(tr_surface_read(&surface, pack, tiles, &error) == TR_OK);
    FUZZ_CHECK(pack->info.form == TR_PACK_ALL_LODS || surface.index_count == pack->index_count);
    status =
        tr_surface_make_solid(&surface, (int32_t[2]){(int32_t)size[0], (int32_t)size[1]}, -(1 << 24), &error);
    FUZZ_CHECK(status == TR_OK || status == TR_BAD_INPUT);
    if (status == TR_OK)
        check_edges_cancel(&surface);
    tr_surface_release(&surface);
}

/* The whole window, or each level. */
static void check_solids(const struct tr_pack *pack)
{
    struct tr_tile_range tiles = {0, pack->tile_count};

    if (pack->info.form == TR_PACK_WINDOW) {
        check_solid(pack, tiles);
        return;
    }
    for (size_t end = 0; end < pack->tile_count; tiles.first = end) {
        while (end < pack->tile_count && pack->tiles[end].lod == pack->tiles[tiles.first].lod)
            end++;
        tiles.count = end - tiles.first;
        check_solid(pack, tiles);
    }
}

/* ---- packs ---- */

/* What was read is inside the limits that a writer has: it can be written again, to the same hash. */
static void check_encodes(const struct tr_pack *pack, size_t i, const struct tr_tile_mesh *mesh)
{
    const struct tr_pack_tile *tile = &pack->tiles[i];
    struct tr_error error = {0};
    struct tr_pack_blob blob;

    FUZZ_CHECK(tr_pack_encode(tile->cx, tile->cy, tile->cz, tile->states, mesh, &blob, &error) == TR_OK);
    FUZZ_CHECK(tr_hash_equal(blob.hash, tr_pack_sums(pack)[i].hash));
    tr_pack_blob_release(&blob);
}

static void check_tiles(const struct tr_pack *pack)
{
    struct tr_error error = {0};
    static struct tr_pack_report report;
    struct tr_tile_mesh mesh;
    bool good = false, readable = true;

    for (size_t i = 0; i < pack->tile_count; i++) {
        enum tr_status status = tr_pack_read_tile(pack, i, &mesh, &error);

        FUZZ_CHECK(status == TR_OK || (status == TR_BAD_INPUT && error.text[0] != '\0' && !mesh.vertices));
        readable = readable && status == TR_OK;
        if (status == TR_OK)
            check_encodes(pack, i, &mesh);
        tr_tile_mesh_release(&mesh);
    }
    if (tr_pack_verify(pack, NULL, &report, &good, &error) != TR_OK)
        FUZZ_CHECK(!readable);
    FUZZ_CHECK(!good || readable);
    if (readable)
        check_solids(pack);
}

static void open_bytes(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_error error = {0};
    struct tr_pack *pack;
    char path[64];
    int file = memfd_create("pack", MFD_CLOEXEC);
    enum tr_status status;

    if (file < 0)
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (write(file, bytes, size_bytes) == (ssize_t)size_bytes) {
        status = tr_pack_open(path, &pack, &error);
        FUZZ_CHECK(status == TR_OK || (status == TR_BAD_INPUT && error.text[0] != '\0' && !pack));
        if (status == TR_OK && pack->vertex_count <= VERTICES_MAX)
            check_tiles(pack);
        tr_pack_close(pack);
    }
    close(file);
}

/* ---- repair ---- */

static uint64_t number_at(const uint8_t *bytes, size_t at, int size_bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < size_bytes; i++)
        value |= (uint64_t)bytes[at + (size_t)i] << (8 * i);
    return value;
}

static void put_u64(uint8_t *bytes, size_t at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        bytes[at + (size_t)i] = (uint8_t)(value >> (8 * i));
}

/* What an entry says of its streams. */
static struct tr_pack_tile tile_at(const uint8_t *bytes, size_t entry)
{
    const uint32_t streams = (uint32_t)number_at(bytes, entry + 20, 4);
    struct tr_pack_tile tile = {.lod = (uint32_t)number_at(bytes, entry, 4),
                                .kind = (enum tr_tile_kind)number_at(bytes, entry + 16, 4),
                                .vertex_count = (uint32_t)number_at(bytes, entry + 28, 4),
                                .index_count = (uint32_t)number_at(bytes, entry + 32, 4),
                                .move_count = (uint32_t)number_at(bytes, entry + 36, 4),
                                .part_count = (uint32_t)number_at(bytes, entry + 40, 4),
                                .error = (uint32_t)number_at(bytes, entry + 44, 4),
                                .has_materials = streams & TR_PACK_MATERIALS,
                                .has_targets = streams & TR_PACK_TARGETS,
                                .has_weights = streams & TR_PACK_WEIGHTS,
                                .offset = number_at(bytes, entry + 72, 8),
                                .size_bytes = number_at(bytes, entry + 80, 8)};

    tr_pack_states_from((uint32_t)number_at(bytes, entry + 24, 4), tile.states);
    return tile;
}

/* The hash of what a tile's streams decode to, where they do. */
static void repair_tile_hash(uint8_t *bytes, size_t entry, const struct tr_pack_tile *tile)
{
    struct tr_tile_mesh mesh = {0};
    struct tr_hash hash;
    size_t streams_bytes;
    uint8_t *streams;

    if (tile->vertex_count > VERTICES_MAX || tile->index_count > TR_PACK_MARCHED_INDICES_MAX ||
        tile->move_count > VERTICES_MAX || tile->part_count > TR_PACK_PARTS_MAX)
        return;
    streams_bytes = tr_pack_streams_bytes(tile);
    streams = malloc(streams_bytes + 1);
    if (streams &&
        ZSTD_decompress(streams, streams_bytes, bytes + tile->offset, (size_t)tile->size_bytes) ==
            streams_bytes &&
        tr_pack_mesh_take(tile, &mesh, NULL) == TR_OK) {
        tr_pack_streams_decode(streams, &mesh);
        if (tr_pack_hash_tile(tile, &mesh, &hash, NULL) == TR_OK) {
            put_u64(bytes, entry + 88, hash.lo);
            put_u64(bytes, entry + 96, hash.hi);
        }
    }
    free(streams);
    tr_tile_mesh_release(&mesh);
}

static void repair(uint8_t *bytes, size_t size_bytes)
{
    uint64_t table, vertices = 0, indices = 0;
    uint8_t lods = 0;

    if (size_bytes < TR_PACK_HEADER_BYTES)
        return;
    table = number_at(bytes, 88, 8);
    if (table < TR_PACK_HEADER_BYTES || table > size_bytes ||
        (size_bytes - table) / TR_PACK_ENTRY_BYTES > TILES_MAX)
        return;
    for (size_t entry = (size_t)table; entry + TR_PACK_ENTRY_BYTES <= size_bytes;
         entry += TR_PACK_ENTRY_BYTES) {
        const struct tr_pack_tile tile = tile_at(bytes, entry);

        vertices += tile.vertex_count;
        indices += tile.index_count;
        lods |= (uint8_t)(1u << (tile.lod & 7));
        if (tile.offset > table || tile.size_bytes > table - tile.offset)
            continue;
        repair_tile_hash(bytes, entry, &tile);
        put_u64(bytes, entry + 104, tr_hash_bytes(bytes + tile.offset, (size_t)tile.size_bytes).lo);
    }
    bytes[28] = lods;
    put_u64(bytes, 72, vertices);
    put_u64(bytes, 80, indices);
    put_u64(bytes, 96, tr_hash_bytes(bytes + table, size_bytes - (size_t)table).lo);
    put_u64(bytes, 104, tr_hash_bytes(bytes, TR_PACK_HEADER_BYTES - 8).lo);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    uint8_t *copy = malloc(size_bytes > 0 ? size_bytes : 1);

    open_bytes(bytes, size_bytes);
    if (!copy)
        return 0;
    memcpy(copy, bytes, size_bytes);
    repair(copy, size_bytes);
    open_bytes(copy, size_bytes);
    free(copy);
    return 0;
}
