/* Any bytes as a mesh pack: refused with one line, or a pack that can be verified, welded and, where its mesh is closed, made a solid of
 * which every edge has its opposite.
 *
 * Bytes at random never pass a checksum, so each input is tried a second time with checksums and tile hashes made right, which lets
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

static void check_solid(const struct tr_pack *pack)
{
    struct tr_error error = {0};
    struct tr_surface surface = {0};
    const int64_t size[2] = {pack->info.size_x * tr_pack_tile_units(0),
                             pack->info.size_z * tr_pack_tile_units(0)};
    enum tr_status status;

    if (tr_export_check_range(pack, 1 << 24, &error) != TR_OK || size[0] > 1 << 24 || size[1] > 1 << 24)
        return;
    FUZZ_CHECK(tr_surface_read(&surface, pack, &error) == TR_OK);
    FUZZ_CHECK(surface.index_count == pack->index_count);
    status =
        tr_surface_make_solid(&surface, (int32_t[2]){(int32_t)size[0], (int32_t)size[1]}, -(1 << 24), &error);
    FUZZ_CHECK(status == TR_OK || status == TR_BAD_INPUT);
    if (status == TR_OK)
        check_edges_cancel(&surface);
    tr_surface_release(&surface);
}

/* ---- packs ---- */

static void check_tiles(const struct tr_pack *pack)
{
    struct tr_error error = {0};
    struct tr_pack_report report;
    struct tr_mesh mesh;
    bool good = false, readable = true;

    for (size_t i = 0; i < pack->tile_count; i++) {
        enum tr_status status = tr_pack_read_tile(pack, i, &mesh, &error);

        FUZZ_CHECK(status == TR_OK || (status == TR_BAD_INPUT && error.text[0] != '\0' && !mesh.vertices));
        readable = readable && status == TR_OK;
        tr_mesh_release(&mesh);
    }
    if (tr_pack_verify(pack, &report, &good, &error) != TR_OK)
        FUZZ_CHECK(!readable);
    FUZZ_CHECK(!good || readable);
    if (readable)
        check_solid(pack);
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

/* The hash of what a tile's streams decode to, where they do. */
static void repair_tile_hash(uint8_t *bytes, size_t entry, const uint8_t *packed, size_t packed_bytes)
{
    uint32_t vertex_count = (uint32_t)number_at(bytes, entry + 16, 4),
             index_count = (uint32_t)number_at(bytes, entry + 20, 4);
    size_t streams_bytes = tr_pack_streams_bytes(vertex_count, index_count);
    struct tr_mesh mesh = {0};
    struct tr_hash hash;
    uint8_t *streams;

    if (vertex_count > VERTICES_MAX || index_count > TR_PACK_TILE_INDICES_MAX || streams_bytes == 0)
        return;
    streams = malloc(streams_bytes);
    mesh = (struct tr_mesh){.vertices = calloc(vertex_count + 1, sizeof *mesh.vertices),
                            .indices = calloc(index_count + 1, sizeof *mesh.indices),
                            .vertex_count = vertex_count,
                            .index_count = index_count};
    if (streams && mesh.vertices && mesh.indices &&
        ZSTD_decompress(streams, streams_bytes, packed, packed_bytes) == streams_bytes) {
        tr_pack_streams_decode(streams, &mesh);
        if (tr_pack_hash_tile(&mesh, &hash, NULL) == TR_OK) {
            put_u64(bytes, entry + 56, hash.lo);
            put_u64(bytes, entry + 64, hash.hi);
        }
    }
    free(streams);
    tr_mesh_release(&mesh);
}

static void repair(uint8_t *bytes, size_t size_bytes)
{
    uint64_t table, offset = TR_PACK_HEADER_BYTES;

    if (size_bytes < TR_PACK_HEADER_BYTES)
        return;
    table = number_at(bytes, 80, 8);
    if (table < TR_PACK_HEADER_BYTES || table > size_bytes ||
        (size_bytes - table) / TR_PACK_ENTRY_BYTES > TILES_MAX)
        return;
    for (size_t entry = (size_t)table; entry + TR_PACK_ENTRY_BYTES <= size_bytes;
         entry += TR_PACK_ENTRY_BYTES) {
        uint64_t stored = number_at(bytes, entry + 48, 8);

        if (stored > table - offset)
            break;
        repair_tile_hash(bytes, entry, bytes + offset, (size_t)stored);
        put_u64(bytes, entry + 72, tr_hash_bytes(bytes + offset, (size_t)stored).lo);
        offset += stored;
    }
    put_u64(bytes, 88, tr_hash_bytes(bytes + table, size_bytes - (size_t)table).lo);
    put_u64(bytes, 96, tr_hash_bytes(bytes, TR_PACK_HEADER_BYTES - 8).lo);
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
