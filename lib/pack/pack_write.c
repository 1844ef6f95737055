/* Writing a mesh pack: tiles are compressed one by one, appended as they come, and the table and the header are written last.
 *
 * Until commit the file has its temporary name and no header, so nothing half-written can be taken for a pack. The bytes depend on the
 * meshes, their order and the version of zstd alone. */
#include "lib/pack/pack_format.h"

#include "lib/base/alloc.h"
#include "lib/base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct tr_pack_writer {
    struct tr_output output;
    struct tr_pack_info info;
    struct tr_pack_tile *tiles;
    size_t tile_count, tile_capacity;
    struct tr_pack_sums *sums;
    size_t sums_capacity;
    uint64_t vertex_count, index_count;
    uint64_t at; /* where the next tile's streams go */
};

static const char *const unwritten = "mesh"; /* what errors call a tile that is in no file yet */

static enum tr_status mesh_check(const struct tr_mesh *mesh, struct tr_pack_tile *tile,
                                 struct tr_error *error)
{
    uint64_t bad_indices;
    enum tr_status status;

    if (mesh->vertex_count > 0)
        tr_pack_mesh_bounds(mesh, tile->lo, tile->hi);
    status = tr_pack_tile_check(tile, unwritten, 0, error);
    if (status != TR_OK)
        return status;
    bad_indices = tr_pack_mesh_bad_indices(mesh);
    if (bad_indices > 0)
        return tr_fail(error, TR_BAD_INPUT, "mesh of tile (%d, %d, %d): %" PRIu64 " indices name no vertex",
                       tile->cx, tile->cy, tile->cz, bad_indices);
    if (!tr_pack_mesh_normals_are_valid(mesh))
        return tr_fail(error, TR_BAD_INPUT,
                       "mesh of tile (%d, %d, %d): normal of -32768, expected -32767 to 32767", tile->cx,
                       tile->cy, tile->cz);
    return TR_OK;
}

static enum tr_status compress(const uint8_t *streams, size_t streams_bytes, struct tr_pack_blob *blob,
                               struct tr_error *error)
{
    size_t capacity = ZSTD_compressBound(streams_bytes), size_bytes;

    blob->bytes = tr_alloc(capacity, 1, error);
    if (!blob->bytes)
        return TR_IO;
    size_bytes = ZSTD_compress(blob->bytes, capacity, streams, streams_bytes, TR_PACK_ZSTD_LEVEL);
    if (ZSTD_isError(size_bytes))
        return tr_fail(error, TR_IO, "cannot compress tile (%d, %d, %d): %s", blob->tile.cx, blob->tile.cy,
                       blob->tile.cz, ZSTD_getErrorName(size_bytes));
    blob->tile.size_bytes = size_bytes;
    return TR_OK;
}

enum tr_status tr_pack_encode(int32_t cx, int32_t cy, int32_t cz, uint32_t lod, const struct tr_mesh *mesh,
                              struct tr_pack_blob *blob, struct tr_error *error)
{
    uint8_t *streams = NULL;
    size_t streams_bytes;
    enum tr_status status;

    *blob = (struct tr_pack_blob){.tile = {.cx = cx,
                                           .cy = cy,
                                           .cz = cz,
                                           .lod = lod,
                                           .vertex_count = mesh->vertex_count,
                                           .index_count = mesh->index_count}};
    if (mesh->index_count == 0)
        return TR_OK; /* an empty tile has no streams; adding it does nothing */

    status = mesh_check(mesh, &blob->tile, error);
    if (status != TR_OK)
        goto done;
    streams_bytes = tr_pack_streams_bytes(mesh->vertex_count, mesh->index_count);
    streams = tr_alloc(streams_bytes, 1, error);
    if (!streams) {
        status = TR_IO;
        goto done;
    }
    tr_pack_streams_encode(mesh, streams);
    status = compress(streams, streams_bytes, blob, error);
    if (status == TR_OK)
        status = tr_pack_hash_tile(mesh, &blob->hash, error);
done:
    free(streams);
    if (status != TR_OK)
        tr_pack_blob_release(blob);
    return status;
}

void tr_pack_blob_release(struct tr_pack_blob *blob)
{
    free(blob->bytes);
    *blob = (struct tr_pack_blob){0};
}

enum tr_status tr_pack_writer_create(const char *path, const struct tr_pack_info *info, bool replace,
                                     struct tr_pack_writer **out, struct tr_error *error)
{
    static const uint8_t no_header[TR_PACK_HEADER_BYTES];
    struct tr_pack_writer *writer;
    enum tr_status status;

    *out = NULL;
    status = tr_pack_info_check(info, path, error);
    if (status != TR_OK)
        return status;
    writer = tr_alloc(1, sizeof *writer, error);
    if (!writer)
        return TR_IO;
    writer->info = *info;
    writer->at = TR_PACK_HEADER_BYTES;
    status = tr_output_open(&writer->output, path, replace, error);
    if (status == TR_OK)
        status = tr_output_write(&writer->output, no_header, sizeof no_header, error);
    if (status != TR_OK) {
        tr_pack_writer_free(writer);
        return status;
    }
    *out = writer;
    return TR_OK;
}

enum tr_status tr_pack_writer_add(struct tr_pack_writer *writer, const struct tr_pack_blob *blob,
                                  struct tr_error *error)
{
    const char *path = writer->output.path;
    const struct tr_pack_tile *last = writer->tile_count > 0 ? &writer->tiles[writer->tile_count - 1] : NULL;
    struct tr_pack_tile *tile;
    enum tr_status status;

    if (blob->tile.index_count == 0)
        return TR_OK;
    status = tr_pack_tile_check_place(&writer->info, &blob->tile, path, writer->at, error);
    if (status != TR_OK)
        return status;
    if (last && tr_pack_tile_compare(last, &blob->tile) >= 0)
        return tr_fail(
            error, TR_BAD_INPUT,
            "\"%s\": tile (%d, %d, %d) of level %u follows (%d, %d, %d) of level %u, expected the order of "
            "level, z, x, y",
            path, blob->tile.cx, blob->tile.cy, blob->tile.cz, blob->tile.lod, last->cx, last->cy, last->cz,
            last->lod);
    if (writer->tile_count == UINT32_MAX)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": more than %u tiles", path, UINT32_MAX);

    status =
        tr_grow(&writer->tiles, &writer->tile_capacity, writer->tile_count + 1, sizeof *writer->tiles, error);
    if (status == TR_OK)
        status = tr_grow(&writer->sums, &writer->sums_capacity, writer->tile_count + 1, sizeof *writer->sums,
                         error);
    if (status == TR_OK)
        status = tr_output_write(&writer->output, blob->bytes, (size_t)blob->tile.size_bytes, error);
    if (status != TR_OK)
        return status;

    tile = &writer->tiles[writer->tile_count];
    *tile = blob->tile;
    tile->offset = writer->at;
    writer->sums[writer->tile_count] = (struct tr_pack_sums){
        .hash = blob->hash, .checksum = tr_hash_bytes(blob->bytes, (size_t)tile->size_bytes).lo};
    writer->tile_count++;
    writer->at += tile->size_bytes;
    writer->vertex_count += tile->vertex_count;
    writer->index_count += tile->index_count;
    return TR_OK;
}

static void write_hash(struct tr_writer *out, struct tr_hash hash)
{
    tr_write_u64(out, hash.lo);
    tr_write_u64(out, hash.hi);
}

static void write_table(const struct tr_pack_writer *writer, struct tr_writer *out)
{
    for (size_t i = 0; i < writer->tile_count; i++) {
        const struct tr_pack_tile *tile = &writer->tiles[i];

        tr_write_u32(out, tile->lod);
        tr_write_i32(out, tile->cx);
        tr_write_i32(out, tile->cy);
        tr_write_i32(out, tile->cz);
        tr_write_u32(out, tile->vertex_count);
        tr_write_u32(out, tile->index_count);
        for (int axis = 0; axis < 3; axis++)
            tr_write_i32(out, tile->lo[axis]);
        for (int axis = 0; axis < 3; axis++)
            tr_write_i32(out, tile->hi[axis]);
        tr_write_u64(out, tile->size_bytes);
        write_hash(out, writer->sums[i].hash);
        tr_write_u64(out, writer->sums[i].checksum);
    }
}

static void write_header(const struct tr_pack_writer *writer, struct tr_hash hash, uint64_t table_checksum,
                         struct tr_writer *out)
{
    tr_write_bytes(out, TR_PACK_MAGIC, 8);
    tr_write_u32(out, TR_PACK_VERSION);
    tr_write_i32(out, writer->info.size_x);
    tr_write_i32(out, writer->info.size_z);
    tr_write_u32(out, (uint32_t)writer->tile_count);
    tr_write_f64(out, writer->info.voxel_size);
    write_hash(out, writer->info.world_hash);
    write_hash(out, hash);
    tr_write_u64(out, writer->vertex_count);
    tr_write_u64(out, writer->index_count);
    tr_write_u64(out, writer->at);
    tr_write_u64(out, table_checksum);
    if (!out->failed)
        tr_write_u64(out, tr_hash_bytes(out->bytes, out->size_bytes).lo);
}

enum tr_status tr_pack_writer_commit(struct tr_pack_writer *writer, struct tr_hash *hash,
                                     struct tr_error *error)
{
    struct tr_writer table = {0}, header = {0};
    enum tr_status status;

    status = tr_pack_hash_tiles(&writer->info, writer->tiles, writer->sums, writer->tile_count, hash, error);
    if (status != TR_OK)
        return status;
    write_table(writer, &table);
    write_header(writer, *hash, tr_hash_bytes(table.bytes, table.size_bytes).lo, &header);
    if (table.failed || header.failed)
        status = tr_fail(error, TR_IO, "out of memory: table of \"%s\", %zu tiles", writer->output.path,
                         writer->tile_count);
    if (status == TR_OK)
        status = tr_output_write(&writer->output, table.bytes, table.size_bytes, error);
    if (status == TR_OK)
        status = tr_output_seek(&writer->output, 0, error);
    if (status == TR_OK)
        status = tr_output_write(&writer->output, header.bytes, header.size_bytes, error);
    if (status == TR_OK)
        status = tr_output_commit(&writer->output, error);
    tr_writer_release(&table);
    tr_writer_release(&header);
    return status;
}

void tr_pack_writer_free(struct tr_pack_writer *writer)
{
    if (!writer)
        return;
    tr_output_abort(&writer->output);
    free(writer->tiles);
    free(writer->sums);
    free(writer);
}
