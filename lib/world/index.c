/* The index: a header, one entry a chunk, a checksum over all of it. A world has every chunk of its size, so
 * entry i is chunk (i mod (size_x + 1), i / (size_x + 1)) and finding one is arithmetic. The coordinates are
 * stored all the same: they are what a person with a hex dump looks for, and the reader checks them. */
#include "lib/world/index.h"

#include "lib/base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "TRINDEX\n"
#define VERSION 1
#define HEADER_BYTES 24
#define ENTRY_BYTES 24
#define CHECKSUM_BYTES 8

size_t tr_index_file_bytes(size_t chunk_count)
{
    return HEADER_BYTES + chunk_count * ENTRY_BYTES + CHECKSUM_BYTES;
}

void tr_index_write(const struct tr_index_entry *entries, int32_t size_x, int32_t size_z,
                    struct tr_writer *out)
{
    size_t start = out->size_bytes, count = tr_world_chunk_count(size_x, size_z);

    tr_write_bytes(out, MAGIC, 8);
    tr_write_u32(out, VERSION);
    tr_write_u32(out, (uint32_t)count);
    tr_write_i32(out, size_x);
    tr_write_i32(out, size_z);
    for (size_t i = 0; i < count; i++) {
        tr_write_i32(out, entries[i].cx);
        tr_write_i32(out, entries[i].cz);
        tr_write_u64(out, entries[i].hash.lo);
        tr_write_u64(out, entries[i].hash.hi);
    }
    if (!out->failed)
        tr_write_u64(out, tr_hash_bytes(out->bytes + start, out->size_bytes - start).lo);
}

/* Checks all but the entries; *count of them are known to lie within the file. */
static enum tr_status read_header(const uint8_t *bytes, size_t size_bytes, const char *name, int32_t *size_x,
                                  int32_t *size_z, size_t *count, struct tr_error *error)
{
    struct tr_reader reader = {.bytes = bytes, .size_bytes = size_bytes};
    const uint8_t *magic = tr_read_bytes(&reader, 8);
    uint32_t version = tr_read_u32(&reader);
    uint32_t claimed_count = tr_read_u32(&reader);
    uint64_t checksum, expected;

    *size_x = tr_read_i32(&reader);
    *size_z = tr_read_i32(&reader);
    if (magic && memcmp(magic, MAGIC, 8) != 0)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte 0: not an index, expected the magic TRINDEX", name);
    if (reader.failed)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte 0: file of %zu bytes ends in it, expected %d", name,
                       size_bytes, HEADER_BYTES);
    if (version != VERSION)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": header at byte 8: version %u, expected %d", name,
                       version, VERSION);
    if (!tr_world_size_is_valid(*size_x, *size_z))
        return tr_fail(
            error, TR_BAD_INPUT,
            "\"%s\": header at byte 16: %d x %d chunks, expected at least 1 each and at most %d in all", name,
            *size_x, *size_z, TR_WORLD_CHUNKS_MAX);
    *count = tr_world_chunk_count(*size_x, *size_z);
    if (claimed_count != *count)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte 12: %u entries, expected %zu for %d x %d chunks", name,
                       claimed_count, *count, *size_x, *size_z);
    if (size_bytes != tr_index_file_bytes(*count))
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": entries at byte %d: file of %zu bytes, expected %zu",
                       name, HEADER_BYTES, size_bytes, tr_index_file_bytes(*count));

    reader.at = size_bytes - CHECKSUM_BYTES;
    checksum = tr_read_u64(&reader);
    expected = tr_hash_bytes(bytes, size_bytes - CHECKSUM_BYTES).lo;
    if (checksum != expected)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": checksum at byte %zu: %016" PRIx64 ", expected %016" PRIx64
                       " of header and entries",
                       name, size_bytes - CHECKSUM_BYTES, checksum, expected);
    return TR_OK;
}

enum tr_status tr_index_read(const uint8_t *bytes, size_t size_bytes, const char *name, int32_t *size_x,
                             int32_t *size_z, struct tr_index_entry **entries, struct tr_error *error)
{
    struct tr_reader reader = {.bytes = bytes, .size_bytes = size_bytes, .at = HEADER_BYTES};
    size_t count = 0;
    enum tr_status status = read_header(bytes, size_bytes, name, size_x, size_z, &count, error);

    *entries = NULL;
    if (status != TR_OK)
        return status;
    *entries = tr_alloc(count, sizeof **entries, error);
    if (!*entries)
        return TR_IO;
    for (size_t i = 0; i < count; i++) {
        struct tr_index_entry *entry = &(*entries)[i];
        int32_t cx = (int32_t)(i % ((size_t)*size_x + 1)), cz = (int32_t)(i / ((size_t)*size_x + 1));

        entry->cx = tr_read_i32(&reader);
        entry->cz = tr_read_i32(&reader);
        entry->hash.lo = tr_read_u64(&reader);
        entry->hash.hi = tr_read_u64(&reader);
        if (entry->cx != cx || entry->cz != cz) {
            status = tr_fail(error, TR_BAD_INPUT,
                             "\"%s\": entry %zu at byte %zu: chunk (%d, %d), expected (%d, %d)", name, i,
                             HEADER_BYTES + i * ENTRY_BYTES, entry->cx, entry->cz, cx, cz);
            free(*entries);
            *entries = NULL;
            return status;
        }
    }
    return TR_OK;
}

enum tr_status tr_index_check_hash(const struct tr_index_entry *entry, struct tr_hash hash, const char *name,
                                   struct tr_error *error)
{
    char found[33], expected[33];

    if (tr_hash_equal(hash, entry->hash))
        return TR_OK;
    tr_hash_text(hash, found);
    tr_hash_text(entry->hash, expected);
    return tr_fail(error, TR_BAD_INPUT, "\"%s\": chunk hash %s, expected %s as in %s", name, found, expected,
                   TR_INDEX_NAME);
}

enum tr_status tr_index_world_hash(const struct tr_index_entry *entries, const struct tr_world_info *info,
                                   struct tr_hash *hash, struct tr_error *error)
{
    struct tr_hasher *hasher = tr_hasher_create();
    size_t count = tr_world_chunk_count(info->size_x, info->size_z);
    uint64_t voxel_size_bits;

    if (!hasher)
        return tr_fail(error, TR_IO, "out of memory: world hash");
    memcpy(&voxel_size_bits, &info->voxel_size, sizeof voxel_size_bits);
    tr_hasher_add(hasher, "TRWORLD\n", 8);
    tr_hasher_add_u32(hasher, (uint32_t)info->size_x);
    tr_hasher_add_u32(hasher, (uint32_t)info->size_z);
    tr_hasher_add_u64(hasher, voxel_size_bits);
    for (size_t i = 0; i < count; i++) {
        tr_hasher_add_u64(hasher, entries[i].hash.lo);
        tr_hasher_add_u64(hasher, entries[i].hash.hi);
    }
    *hash = tr_hasher_done(hasher);
    return TR_OK;
}
