/* Writes a chunk file anew with every section compressed at another zstd level: the same chunk in other bytes.
 *
 *   recompress FROM TO LEVEL       TO must not be there
 *
 * Goes by lib/world/FORMAT.md alone, not through the codec: header and contents stay, sizes, offsets and
 * checksums are made anew. FROM is taken to be a good file, but nothing beyond its end is read. */
#include "lib/base/bytes.h"
#include "lib/base/file.h"
#include "lib/base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#define HEADER_BYTES 48
#define SECTIONS_AT 12 /* where the header says how many there are */
#define ENTRY_BYTES 32
#define CHECKSUM_BYTES 8
#define FILE_MAX (64u << 20)
#define SECTIONS_MAX 4098
#define CONTENT_MAX (64 * 64 * 64 * 2)

static uint64_t checksum_of(const void *bytes, size_t size_bytes)
{
    return tr_hash_bytes(bytes, size_bytes).lo;
}

/* Reads the entry at `table`, appends its section to `sections` and its entry to `out`. */
static bool recompress_section(struct tr_reader *table, uint64_t sections_at, int level,
                               struct tr_writer *sections, struct tr_writer *out)
{
    static uint8_t content[CONTENT_MAX], frame[ZSTD_COMPRESSBOUND(CONTENT_MAX)];
    uint32_t kind = tr_read_u32(table);
    int32_t row = tr_read_i32(table);
    uint64_t offset = tr_read_u64(table);
    uint32_t stored_bytes = tr_read_u32(table), content_bytes = tr_read_u32(table);
    size_t frame_bytes;

    tr_read_u64(table); /* the old checksum */
    if (table->failed || offset > table->size_bytes || stored_bytes > table->size_bytes - offset ||
        content_bytes > CONTENT_MAX)
        return false;
    if (ZSTD_decompress(content, content_bytes, table->bytes + offset, stored_bytes) != content_bytes)
        return false;
    frame_bytes = ZSTD_compress(frame, sizeof frame, content, content_bytes, level);
    if (ZSTD_isError(frame_bytes))
        return false;
    tr_write_u32(out, kind);
    tr_write_i32(out, row);
    tr_write_u64(out, sections_at + sections->size_bytes);
    tr_write_u32(out, (uint32_t)frame_bytes);
    tr_write_u32(out, content_bytes);
    tr_write_u64(out, checksum_of(frame, frame_bytes));
    tr_write_bytes(sections, frame, frame_bytes);
    return true;
}

/* Appends the file of the same chunk to `out`. False: `bytes` is no chunk file, or no memory. */
static bool recompress(const uint8_t *bytes, size_t size_bytes, int level, struct tr_writer *out)
{
    struct tr_reader reader = {.bytes = bytes, .size_bytes = size_bytes, .at = SECTIONS_AT};
    struct tr_writer sections = {0};
    uint32_t count = tr_read_u32(&reader);
    bool good = size_bytes >= HEADER_BYTES && count <= SECTIONS_MAX;

    reader.at = HEADER_BYTES;
    if (good)
        tr_write_bytes(out, bytes, HEADER_BYTES);
    for (uint32_t i = 0; good && i < count; i++)
        good = recompress_section(&reader, HEADER_BYTES + (uint64_t)count * ENTRY_BYTES + CHECKSUM_BYTES,
                                  level, &sections, out);
    if (good && !out->failed)
        tr_write_u64(out, checksum_of(out->bytes, out->size_bytes));
    tr_write_bytes(out, sections.bytes, sections.size_bytes);
    good = good && !out->failed && !sections.failed;
    tr_writer_release(&sections);
    return good;
}

int main(int argc, char **argv)
{
    struct tr_error error = {0};
    struct tr_writer out = {0};
    uint8_t *bytes = NULL;
    size_t size_bytes;
    int result = 1;

    if (argc != 4) {
        fprintf(stderr, "usage: recompress FROM TO LEVEL\n");
        return 2;
    }
    if (tr_file_read(argv[1], FILE_MAX, &bytes, &size_bytes, &error) != TR_OK)
        fprintf(stderr, "%s\n", error.text);
    else if (!recompress(bytes, size_bytes, (int)strtol(argv[3], NULL, 10), &out))
        fprintf(stderr, "%s: no chunk file, or no memory\n", argv[1]);
    else if (tr_file_write(argv[2], out.bytes, out.size_bytes, 0444, false, &error) != TR_OK)
        fprintf(stderr, "%s\n", error.text);
    else
        result = 0;
    tr_writer_release(&out);
    free(bytes);
    return result;
}
