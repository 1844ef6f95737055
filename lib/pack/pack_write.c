/* Writing a mesh pack: tiles are compressed one by one, appended as they come, and the table and the header are written last.
 *
 * Until commit the file has its temporary name and no header, so nothing half-written can be taken for a pack. The bytes depend on the
 * meshes, the order in which they come and the version of zstd alone. */
#include "lib/pack/pack_format.h"

#include "lib/base/alloc.h"
#include "lib/base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct entry {
    struct tr_pack_tile tile;
    struct tr_pack_sums sums;
};

struct tr_pack_writer {
    struct tr_output output;
    struct tr_pack_info info;
    struct entry *entries; /* in order of writing, until commit sorts them */
    size_t entry_count, entry_capacity;
    uint64_t vertex_count, index_count;
    uint64_t at; /* where the next tile's streams go */
};

static const char *const unwritten = "mesh"; /* what errors call a tile that is in no file yet */

/* ---- one tile ---- */

/* Makes `stored` the form in which the mesh is stored: parts are drawn in no states that the tile cannot have, and paint that is 0 throughout
 * is none. `parts` has TR_PACK_PARTS_MAX; nothing is taken. */
static void normalize(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh,
                      struct tr_tile_part *parts, struct tr_tile_mesh *stored)
{
    *stored = *mesh;
    if (!tile->has_materials)
        stored->materials = NULL;
    stored->parts = parts;
    memcpy(parts, mesh->parts, mesh->part_count * sizeof *parts);
    for (size_t i = 0; i < mesh->part_count; i++) {
        for (int side = 0; side < TR_SIDES; side++)
            parts[i].states[side] &= tile->states[side];
    }
}

static bool is_painted(const struct tr_tile_mesh *mesh)
{
    for (size_t i = 0; mesh->materials && i < mesh->vertex_count; i++) {
        if (mesh->materials[i] != 0)
            return true;
    }
    return false;
}

static void describe(int32_t cx, int32_t cy, int32_t cz, const uint8_t states[TR_SIDES],
                     const struct tr_tile_mesh *mesh, struct tr_pack_tile *tile)
{
    *tile = (struct tr_pack_tile){.cx = cx,
                                  .cy = cy,
                                  .cz = cz,
                                  .lod = mesh->lod,
                                  .kind = mesh->kind,
                                  .vertex_count = mesh->vertex_count,
                                  .index_count = mesh->index_count,
                                  .move_count = mesh->move_count,
                                  .part_count = mesh->part_count,
                                  .has_materials = is_painted(mesh),
                                  .has_targets = mesh->targets,
                                  .has_weights = mesh->weights,
                                  .error = mesh->error};
    memcpy(tile->states, states, sizeof tile->states);
    if (mesh->vertex_count > 0)
        tr_pack_mesh_bounds(mesh, tile->lo, tile->hi);
}

static enum tr_status mesh_check(const struct tr_pack_tile *tile, const struct tr_tile_mesh *stored,
                                 struct tr_error *error)
{
    const uint64_t bad_indices = tr_pack_mesh_bad_indices(stored);
    const char *fault;

    if (bad_indices > 0)
        return tr_fail(error, TR_BAD_INPUT,
                       "mesh of tile (%d, %d, %d) of level %u: %" PRIu64 " indices name no vertex", tile->cx,
                       tile->cy, tile->cz, tile->lod, bad_indices);
    fault = tr_pack_mesh_fault(tile, stored);
    if (fault)
        return tr_fail(error, TR_BAD_INPUT, "mesh of tile (%d, %d, %d) of level %u: %s", tile->cx, tile->cy,
                       tile->cz, tile->lod, fault);
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
        return tr_fail(error, TR_IO, "cannot compress tile (%d, %d, %d) of level %u: %s", blob->tile.cx,
                       blob->tile.cy, blob->tile.cz, blob->tile.lod, ZSTD_getErrorName(size_bytes));
    blob->tile.size_bytes = size_bytes;
    return TR_OK;
}

static enum tr_status encode(const struct tr_tile_mesh *stored, struct tr_pack_blob *blob,
                             struct tr_error *error)
{
    const size_t streams_bytes = tr_pack_streams_bytes(&blob->tile);
    uint8_t *streams = tr_alloc(streams_bytes, 1, error);
    enum tr_status status = TR_IO;

    if (streams) {
        tr_pack_streams_encode(stored, streams);
        status = compress(streams, streams_bytes, blob, error);
    }
    if (status == TR_OK)
        status = tr_pack_hash_tile(&blob->tile, stored, &blob->hash, error);
    free(streams);
    return status;
}

enum tr_status tr_pack_encode(int32_t cx, int32_t cy, int32_t cz, const uint8_t states[TR_SIDES],
                              const struct tr_tile_mesh *mesh, struct tr_pack_blob *blob,
                              struct tr_error *error)
{
    struct tr_tile_part parts[TR_PACK_PARTS_MAX];
    struct tr_tile_mesh stored;
    enum tr_status status;

    *blob = (struct tr_pack_blob){0};
    if (mesh->index_count == 0)
        return TR_OK; /* an empty tile has no streams; adding it does nothing */

    describe(cx, cy, cz, states, mesh, &blob->tile);
    status = tr_pack_tile_check(&blob->tile, unwritten, 0, error);
    if (status == TR_OK) {
        normalize(&blob->tile, mesh, parts, &stored);
        status = mesh_check(&blob->tile, &stored, error);
    }
    if (status == TR_OK)
        status = encode(&stored, blob, error);
    if (status != TR_OK)
        tr_pack_blob_release(blob);
    return status;
}

void tr_pack_blob_release(struct tr_pack_blob *blob)
{
    free(blob->bytes);
    *blob = (struct tr_pack_blob){0};
}

/* ---- the file ---- */

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
    struct entry *entry;
    enum tr_status status;

    if (blob->tile.index_count == 0)
        return TR_OK;
    status = tr_pack_tile_check_place(&writer->info, &blob->tile, path, writer->at, error);
    if (status != TR_OK)
        return status;
    if (writer->entry_count == UINT32_MAX)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": more than %u tiles", path, UINT32_MAX);

    status = tr_grow(&writer->entries, &writer->entry_capacity, writer->entry_count + 1,
                     sizeof *writer->entries, error);
    if (status == TR_OK)
        status = tr_output_write(&writer->output, blob->bytes, (size_t)blob->tile.size_bytes, error);
    if (status != TR_OK)
        return status;

    entry = &writer->entries[writer->entry_count++];
    *entry = (struct entry){.tile = blob->tile};
    entry->tile.offset = writer->at;
    entry->sums.hash = blob->hash;
    entry->sums.checksum = tr_hash_bytes(blob->bytes, (size_t)blob->tile.size_bytes).lo;
    writer->at += blob->tile.size_bytes;
    writer->vertex_count += blob->tile.vertex_count;
    writer->index_count += blob->tile.index_count;
    return TR_OK;
}

static int entry_compare(const void *a, const void *b)
{
    return tr_pack_tile_compare(&((const struct entry *)a)->tile, &((const struct entry *)b)->tile);
}

static enum tr_status sort_entries(struct tr_pack_writer *writer, struct tr_error *error)
{
    if (writer->entry_count > 0)
        qsort(writer->entries, writer->entry_count, sizeof *writer->entries, entry_compare);
    for (size_t i = 1; i < writer->entry_count; i++) {
        const struct tr_pack_tile *tile = &writer->entries[i].tile;

        if (tr_pack_tile_compare(tile, &writer->entries[i - 1].tile) == 0)
            return tr_fail(error, TR_BAD_INPUT,
                           "\"%s\": tile (%d, %d, %d) of level %u was added twice, expected once",
                           writer->output.path, tile->cx, tile->cy, tile->cz, tile->lod);
    }
    return TR_OK;
}

static enum tr_status hash_entries(const struct tr_pack_writer *writer, struct tr_hash *hash,
                                   struct tr_error *error)
{
    struct tr_pack_tile *tiles = tr_alloc(writer->entry_count, sizeof *tiles, error);
    struct tr_pack_sums *sums = tiles ? tr_alloc(writer->entry_count, sizeof *sums, error) : NULL;
    enum tr_status status = TR_IO;

    for (size_t i = 0; sums && i < writer->entry_count; i++) {
        tiles[i] = writer->entries[i].tile;
        sums[i] = writer->entries[i].sums;
    }
    if (sums)
        status = tr_pack_hash_tiles(&writer->info, tiles, sums, writer->entry_count, hash, error);
    free(tiles);
    free(sums);
    return status;
}

static void write_hash(struct tr_writer *out, struct tr_hash hash)
{
    tr_write_u64(out, hash.lo);
    tr_write_u64(out, hash.hi);
}

static void write_entry(const struct entry *entry, struct tr_writer *out)
{
    const struct tr_pack_tile *tile = &entry->tile;

    tr_write_u32(out, tile->lod);
    tr_write_i32(out, tile->cx);
    tr_write_i32(out, tile->cy);
    tr_write_i32(out, tile->cz);
    tr_write_u32(out, tile->kind);
    tr_write_u32(out, tr_pack_optional_streams(tile));
    tr_write_u32(out, tr_pack_states_number(tile->states));
    tr_write_u32(out, tile->vertex_count);
    tr_write_u32(out, tile->index_count);
    tr_write_u32(out, tile->move_count);
    tr_write_u32(out, tile->part_count);
    tr_write_u32(out, tile->error);
    for (int axis = 0; axis < 3; axis++)
        tr_write_i32(out, tile->lo[axis]);
    for (int axis = 0; axis < 3; axis++)
        tr_write_i32(out, tile->hi[axis]);
    tr_write_u64(out, tile->offset);
    tr_write_u64(out, tile->size_bytes);
    write_hash(out, entry->sums.hash);
    tr_write_u64(out, entry->sums.checksum);
}

static void write_header(const struct tr_pack_writer *writer, struct tr_hash hash, uint64_t table_checksum,
                         struct tr_writer *out)
{
    uint32_t lods = 0;

    for (size_t i = 0; i < writer->entry_count; i++)
        lods |= 1u << writer->entries[i].tile.lod;
    tr_write_bytes(out, TR_PACK_MAGIC, 8);
    tr_write_u32(out, TR_PACK_VERSION);
    tr_write_u32(out, writer->info.form);
    tr_write_i32(out, writer->info.size_x);
    tr_write_i32(out, writer->info.size_z);
    tr_write_u32(out, (uint32_t)writer->entry_count);
    tr_write_u32(out, lods);
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
    enum tr_status status = sort_entries(writer, error);

    if (status == TR_OK)
        status = hash_entries(writer, hash, error);
    if (status != TR_OK)
        return status;
    for (size_t i = 0; i < writer->entry_count; i++)
        write_entry(&writer->entries[i], &table);
    write_header(writer, *hash, tr_hash_bytes(table.bytes, table.size_bytes).lo, &header);
    if (table.failed || header.failed)
        status = tr_fail(error, TR_IO, "out of memory: table of \"%s\", %zu tiles", writer->output.path,
                         writer->entry_count);
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
    free(writer->entries);
    free(writer);
}
