/* The chunk file (FORMAT.md): a header and a table of contents under one checksum, then the sections, each
 * under its own, without gaps and with nothing behind the last.
 *
 * The reader goes through the file twice. First header and table: after that, where each section lies and how
 * large its content is, is known to agree with the file's size and the limits, and no memory has been taken.
 * Then section by section: checksum, one zstd frame of exactly the expected content, prediction undone (paint
 * lies there as it is), ranges, canonical form. A block's memory is taken only when its frame has passed, and the
 * hash over all of it closes the reading.
 *
 * The compressor is made anew for each chunk, so the bytes are a function of the chunk alone. */
#include "lib/world/codec.h"

#include "lib/base/alloc.h"
#include "lib/world/predict.h"
#include "shaders/exact.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define VERSION 1         /* of a chunk without paint */
#define VERSION_PAINTED 2 /* of one with paint, and of no other */
#define LEVEL 3           /* of zstd; readers take any */
#define HEADER_BYTES 48
#define ENTRY_BYTES 32
#define CHECKSUM_BYTES 8
#define BLOCKS_MAX (TR_BLOCK_ROW_MAX - TR_BLOCK_ROW_MIN + 1)
/* A reader sums a whole block where its samples go; heights and the blocks of a rim are at most this. */
#define DECODED_RESIDUALS_BYTES (TR_CHUNK_SAMPLES * sizeof(uint32_t))
#define ZSTD_FRAME_MAGIC 0xfd2fb528u

struct section {
    uint32_t kind; /* enum tr_section */
    int32_t cy;
    uint64_t offset;
    uint32_t stored_bytes, decoded_bytes;
    uint64_t checksum; /* of the stored bytes */
};

/* Where the table's checksum lies; the sections begin behind it. */
static size_t table_end(uint32_t section_count)
{
    return HEADER_BYTES + (size_t)section_count * ENTRY_BYTES;
}

static uint32_t section_count_max(uint32_t version)
{
    return (version == VERSION_PAINTED ? 2 : 1) * (1 + BLOCKS_MAX);
}

/* Size of a section's content. */
static uint32_t content_bytes(enum tr_section kind, uint32_t size_x, uint32_t size_z)
{
    uint32_t layer = size_x * size_z;

    switch (kind) {
    case TR_SECTION_HEIGHTS:
        return layer * (uint32_t)sizeof(int32_t);
    case TR_SECTION_BLOCK:
        return 64 * layer * (uint32_t)sizeof(int16_t);
    case TR_SECTION_PAINT:
        return layer;
    case TR_SECTION_BLOCK_PAINT:
        return 64 * layer;
    }
    return 0;
}

/* What zstd makes of content that does not compress, and some air for other versions. */
static uint32_t stored_bytes_max(uint32_t decoded_bytes)
{
    return decoded_bytes + decoded_bytes / 128 + 512;
}

static uint64_t checksum_of(const uint8_t *bytes, size_t size_bytes)
{
    return tr_hash_bytes(bytes, size_bytes).lo;
}

static bool height_is_valid(int32_t height)
{
    return height >= -TR_HEIGHT_MAX && height <= TR_HEIGHT_MAX;
}

/* The first of a block's own samples that is out of range, which only -32768 is; at[] is its x, y, z. */
static bool find_invalid_sample(const int16_t *samples, uint32_t size_x, uint32_t size_z, uint32_t at[3])
{
    for (uint32_t y = 0; y < 64; y++)
        for (uint32_t z = 0; z < size_z; z++) {
            const int16_t *row = samples + tr_block_index(0, y, z);
            int invalid = 0;

            for (uint32_t x = 0; x < size_x; x++)
                invalid |= row[x] < -TR_SDF_MAX;
            for (uint32_t x = 0; invalid && x < size_x; x++)
                if (row[x] < -TR_SDF_MAX) {
                    memcpy(at, (uint32_t[3]){x, y, z}, sizeof(uint32_t[3]));
                    return true;
                }
        }
    return false;
}

/* Paint packs the chunk's own samples of so many layers, and back. */
static void pack_paint(const uint8_t *paint, uint32_t layers, uint32_t size_x, uint32_t size_z,
                       uint8_t *content)
{
    for (uint32_t y = 0; y < layers; y++)
        for (uint32_t z = 0; z < size_z; z++, content += size_x)
            memcpy(content, paint + tr_block_index(0, y, z), size_x);
}

static void unpack_paint(const uint8_t *content, uint32_t layers, uint32_t size_x, uint32_t size_z,
                         uint8_t *paint)
{
    for (uint32_t y = 0; y < layers; y++)
        for (uint32_t z = 0; z < size_z; z++, content += size_x)
            memcpy(paint + tr_block_index(0, y, z), content, size_x);
}

/* Buffers for the largest section, taken once a chunk. */
struct scratch {
    uint8_t *content;
    void *residuals;
    uint8_t *stored; /* only where it is compressed */
};

static void scratch_release(struct scratch *scratch)
{
    free(scratch->content);
    free(scratch->residuals);
    free(scratch->stored);
}

static enum tr_status scratch_init(struct scratch *scratch, size_t content_bytes_max, size_t residuals_bytes,
                                   size_t stored_bytes, struct tr_error *error)
{
    *scratch = (struct scratch){.content = tr_alloc(content_bytes_max, 1, error),
                                .residuals = tr_alloc(residuals_bytes, 1, error),
                                .stored = tr_alloc(stored_bytes, 1, error)};
    return scratch->content && scratch->residuals && scratch->stored ? TR_OK : TR_IO;
}

static bool is_whole(uint32_t size_x, uint32_t size_z)
{
    return size_x == TR_CHUNK && size_z == TR_CHUNK;
}

static uint32_t largest_section(uint32_t size_x, uint32_t size_z, size_t block_count)
{
    return content_bytes(block_count > 0 ? TR_SECTION_BLOCK : TR_SECTION_HEIGHTS, size_x, size_z);
}

/* ---- writing ---- */

static enum tr_status check_heights_in_range(const struct tr_chunk *chunk, struct tr_error *error)
{
    for (uint32_t z = 0; z < chunk->size_z; z++)
        for (uint32_t x = 0; x < chunk->size_x; x++)
            if (!height_is_valid(chunk->heights[z * 64 + x]))
                return tr_fail(error, TR_BAD_INPUT,
                               "chunk (%d, %d): height %d at (%u, %u), expected at most %d from 0", chunk->cx,
                               chunk->cz, chunk->heights[z * 64 + x], x, z, TR_HEIGHT_MAX);
    return TR_OK;
}

static enum tr_status check_block_in_range(const struct tr_chunk *chunk, const struct tr_block *block,
                                           struct tr_error *error)
{
    uint32_t at[3];

    if (!find_invalid_sample(block->samples, chunk->size_x, chunk->size_z, at))
        return TR_OK;
    return tr_fail(error, TR_BAD_INPUT,
                   "chunk (%d, %d), block row %d: sample %d at (%u, %u, %u), expected %d or more", chunk->cx,
                   chunk->cz, block->cy, block->samples[tr_block_index(at[0], at[1], at[2])], at[0], at[1],
                   at[2], -TR_SDF_MAX);
}

static void write_entry(struct tr_writer *table, const struct section *section)
{
    tr_write_u32(table, section->kind);
    tr_write_i32(table, section->cy);
    tr_write_u64(table, section->offset);
    tr_write_u32(table, section->stored_bytes);
    tr_write_u32(table, section->decoded_bytes);
    tr_write_u64(table, section->checksum);
}

static uint32_t section_count_of(const struct tr_chunk *chunk)
{
    uint32_t count = 1 + (chunk->paint != NULL) + (uint32_t)chunk->block_count;

    for (size_t i = 0; i < chunk->block_count; i++)
        count += chunk->blocks[i].paint != NULL;
    return count;
}

static void write_header(struct tr_writer *table, const struct tr_chunk *chunk, struct tr_hash hash)
{
    tr_write_bytes(table, TR_CHUNK_MAGIC, 8);
    tr_write_u32(table, tr_chunk_is_painted(chunk) ? VERSION_PAINTED : VERSION);
    tr_write_u32(table, section_count_of(chunk));
    tr_write_i32(table, chunk->cx);
    tr_write_i32(table, chunk->cz);
    tr_write_u32(table, chunk->size_x);
    tr_write_u32(table, chunk->size_z);
    tr_write_u64(table, hash.lo);
    tr_write_u64(table, hash.hi);
}

/* A chunk being written: sections go to `out`, their entries to `table`. */
struct target {
    const struct tr_chunk *chunk;
    size_t file_start; /* in `out` */
    struct tr_writer table, *out;
    ZSTD_CCtx *compressor;
    struct scratch scratch;
    struct tr_error *error;
};

/* Compresses the content that lies in the scratch memory and appends it, with its entry. */
static enum tr_status append_section(struct target *to, enum tr_section kind, int32_t cy)
{
    struct section section = {.kind = kind,
                              .cy = cy,
                              .offset = to->out->size_bytes - to->file_start,
                              .decoded_bytes = content_bytes(kind, to->chunk->size_x, to->chunk->size_z)};
    size_t stored =
        ZSTD_compressCCtx(to->compressor, to->scratch.stored, ZSTD_compressBound(section.decoded_bytes),
                          to->scratch.content, section.decoded_bytes, LEVEL);

    if (ZSTD_isError(stored))
        return tr_fail(to->error, TR_IO, "cannot compress: %s", ZSTD_getErrorName(stored));
    assert(stored <= stored_bytes_max(section.decoded_bytes));
    section.stored_bytes = (uint32_t)stored;
    section.checksum = checksum_of(to->scratch.stored, stored);
    tr_write_bytes(to->out, to->scratch.stored, stored);
    write_entry(&to->table, &section);
    return TR_OK;
}

static enum tr_status write_heights(struct target *to)
{
    const struct tr_chunk *chunk = to->chunk;
    enum tr_status status = check_heights_in_range(chunk, to->error);

    if (status != TR_OK)
        return status;
    tr_heights_to_planes(chunk->heights, chunk->size_x, chunk->size_z, to->scratch.residuals,
                         to->scratch.content);
    return append_section(to, TR_SECTION_HEIGHTS, 0);
}

static enum tr_status write_paint(struct target *to)
{
    if (!to->chunk->paint)
        return TR_OK;
    pack_paint(to->chunk->paint, 1, to->chunk->size_x, to->chunk->size_z, to->scratch.content);
    return append_section(to, TR_SECTION_PAINT, 0);
}

/* With its paint. */
static enum tr_status write_block(struct target *to, const struct tr_block *block)
{
    const struct tr_chunk *chunk = to->chunk;
    enum tr_status status = check_block_in_range(chunk, block, to->error);

    if (status != TR_OK)
        return status;
    tr_block_to_planes(block->samples, chunk->heights, chunk->size_x, chunk->size_z, block->cy,
                       to->scratch.residuals, to->scratch.content);
    status = append_section(to, TR_SECTION_BLOCK, block->cy);
    if (status != TR_OK || !block->paint)
        return status;
    pack_paint(block->paint, 64, chunk->size_x, chunk->size_z, to->scratch.content);
    return append_section(to, TR_SECTION_BLOCK_PAINT, block->cy);
}

static enum tr_status write_sections(struct target *to)
{
    enum tr_status status = write_heights(to);

    if (status == TR_OK)
        status = write_paint(to);
    for (size_t i = 0; status == TR_OK && i < to->chunk->block_count; i++)
        status = write_block(to, &to->chunk->blocks[i]);
    return status;
}

enum tr_status tr_chunk_encode(const struct tr_chunk *chunk, struct tr_hash hash, struct tr_writer *out,
                               struct tr_error *error)
{
    uint32_t largest = largest_section(chunk->size_x, chunk->size_z, chunk->block_count);
    size_t table_bytes = table_end(section_count_of(chunk)) + CHECKSUM_BYTES;
    struct target to = {.chunk = chunk,
                        .file_start = out->size_bytes,
                        .out = out,
                        .compressor = ZSTD_createCCtx(),
                        .error = error};
    enum tr_status status = scratch_init(&to.scratch, largest, largest, ZSTD_compressBound(largest), error);

    if (status == TR_OK && !to.compressor)
        status = tr_fail(error, TR_IO, "out of memory: compressor");
    if (status != TR_OK)
        goto done;

    /* the table is known when the sections are, and goes where room was left for it */
    for (size_t i = 0; i < table_bytes; i++)
        tr_write_u8(out, 0);
    write_header(&to.table, chunk, hash);
    status = write_sections(&to);
    if (status != TR_OK)
        goto done;
    if (!to.table.failed)
        tr_write_u64(&to.table, checksum_of(to.table.bytes, to.table.size_bytes));
    if (to.table.failed || out->failed) {
        status = tr_fail(error, TR_IO, "out of memory: file of chunk (%d, %d)", chunk->cx, chunk->cz);
        goto done;
    }
    assert(to.table.size_bytes == table_bytes);
    memcpy(out->bytes + to.file_start, to.table.bytes, to.table.size_bytes);
done:
    ZSTD_freeCCtx(to.compressor);
    scratch_release(&to.scratch);
    tr_writer_release(&to.table);
    return status;
}

/* ---- reading: header and table of contents ---- */

/* Where all defects of a file are wanted, not only the first. */
struct defects {
    void (*report)(void *context, const char *line);
    void *context;
    size_t count;
};

/* A file being read, and what messages call it. */
struct source {
    const uint8_t *bytes;
    size_t size_bytes;
    const char *name;
    struct tr_error *error;  /* not NULL where `defects` is not */
    struct defects *defects; /* NULL: reading ends at the first */
};

__attribute__((format(printf, 4, 5))) static enum tr_status
fail_at(const struct source *source, const char *part, uint64_t offset, const char *format, ...)
{
    char what[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return tr_fail(source->error, TR_BAD_INPUT, "\"%s\": %s at byte %" PRIu64 ": %s", source->name, part,
                   offset, what);
}

static const char *section_name(const struct section *section, char text[32])
{
    if (section->kind == TR_SECTION_HEIGHTS)
        return "heights";
    if (section->kind == TR_SECTION_PAINT)
        return "paint";
    snprintf(text, 32, "%sblock row %d", section->kind == TR_SECTION_BLOCK_PAINT ? "paint of " : "",
             section->cy);
    return text;
}

static struct tr_reader reader_at(const struct source *source, size_t offset)
{
    return (struct tr_reader){.bytes = source->bytes, .size_bytes = source->size_bytes, .at = offset};
}

/* Entry i of a table that lies within the file. */
static struct section read_entry(const struct source *source, uint32_t i)
{
    struct tr_reader reader = reader_at(source, table_end(i));
    struct section section = {0};

    section.kind = tr_read_u32(&reader);
    section.cy = tr_read_i32(&reader);
    section.offset = tr_read_u64(&reader);
    section.stored_bytes = tr_read_u32(&reader);
    section.decoded_bytes = tr_read_u32(&reader);
    section.checksum = tr_read_u64(&reader);
    return section;
}

/* Reads magic, version and what follows up to the checksum, which proves that none of it was changed by
 * accident. */
static enum tr_status read_header(const struct source *source, struct tr_chunk_head *head)
{
    struct tr_reader reader = reader_at(source, 0);
    const uint8_t *magic = tr_read_bytes(&reader, 8);
    uint32_t version = tr_read_u32(&reader);
    uint32_t section_count = tr_read_u32(&reader);
    uint64_t checksum;

    *head = (struct tr_chunk_head){.version = version, .section_count = section_count};
    head->cx = tr_read_i32(&reader);
    head->cz = tr_read_i32(&reader);
    head->size_x = tr_read_u32(&reader);
    head->size_z = tr_read_u32(&reader);
    head->hash.lo = tr_read_u64(&reader);
    head->hash.hi = tr_read_u64(&reader);

    if (magic && memcmp(magic, TR_CHUNK_MAGIC, 8) != 0)
        return fail_at(source, "header", 0, "not a chunk file, expected the magic TRCHUNK");
    if (reader.failed)
        return fail_at(source, "header", 0, "file of %zu bytes ends in it, expected %d", source->size_bytes,
                       HEADER_BYTES);
    if (version != VERSION && version != VERSION_PAINTED)
        return fail_at(source, "header", 8, "version %u, expected %d or %d", version, VERSION,
                       VERSION_PAINTED);
    if (section_count < 1 || section_count > section_count_max(version))
        return fail_at(source, "header", 12, "%u sections, expected 1 to %u", section_count,
                       section_count_max(version));
    if (source->size_bytes < table_end(section_count) + CHECKSUM_BYTES)
        return fail_at(source, "header", 12,
                       "table of %u sections in a file of %zu bytes, expected at least %zu", section_count,
                       source->size_bytes, table_end(section_count) + CHECKSUM_BYTES);

    reader = reader_at(source, table_end(section_count));
    checksum = tr_read_u64(&reader);
    if (checksum != checksum_of(source->bytes, table_end(section_count)))
        return fail_at(source, "header", table_end(section_count),
                       "checksum %016" PRIx64 ", expected %016" PRIx64 " of header and table", checksum,
                       checksum_of(source->bytes, table_end(section_count)));
    return TR_OK;
}

static enum tr_status check_header(const struct source *source, const struct tr_chunk_head *head)
{
    if (head->cx < -TR_CHUNK_INDEX_MAX || head->cx > TR_CHUNK_INDEX_MAX || head->cz < -TR_CHUNK_INDEX_MAX ||
        head->cz > TR_CHUNK_INDEX_MAX)
        return fail_at(source, "header", 16, "chunk (%d, %d), expected at most %d from 0", head->cx, head->cz,
                       TR_CHUNK_INDEX_MAX);
    if ((head->size_x != 64 && head->size_x != 1) || (head->size_z != 64 && head->size_z != 1))
        return fail_at(source, "header", 24, "%u x %u samples, expected 64 or 1 each", head->size_x,
                       head->size_z);
    return TR_OK;
}

/* How far the table has been checked. */
struct table_state {
    uint32_t kind; /* of the section before; 0 at the first */
    int32_t row;   /* of the last block */
    uint64_t end;  /* of the section before, in the file */
    bool is_painted;
};

/* Heights come first, then blocks; in version 2 the paint of either may follow directly behind it. */
static enum tr_status check_kind(const struct source *source, const struct tr_chunk_head *head, uint32_t i,
                                 uint32_t kind, const struct table_state *before)
{
    uint32_t plain = i == 0 ? TR_SECTION_HEIGHTS : TR_SECTION_BLOCK, paint = 0;

    if (head->version == VERSION_PAINTED && before->kind == TR_SECTION_HEIGHTS)
        paint = TR_SECTION_PAINT;
    if (head->version == VERSION_PAINTED && before->kind == TR_SECTION_BLOCK)
        paint = TR_SECTION_BLOCK_PAINT;
    if (kind == plain || (paint != 0 && kind == paint))
        return TR_OK;
    if (paint != 0)
        return fail_at(source, "table of contents", table_end(i), "section %u of kind %u, expected %u or %u",
                       i, kind, plain, paint);
    return fail_at(source, "table of contents", table_end(i), "section %u of kind %u, expected %u", i, kind,
                   plain);
}

static enum tr_status check_row(const struct source *source, uint32_t i, const struct section *section,
                                const struct table_state *before)
{
    int32_t row = section->kind == TR_SECTION_BLOCK_PAINT ? before->row : 0;

    if (section->kind == TR_SECTION_BLOCK) {
        if (section->cy > before->row && section->cy <= TR_BLOCK_ROW_MAX)
            return TR_OK;
        return fail_at(source, "table of contents", table_end(i) + 4, "block row %d, expected %d to %d",
                       section->cy, before->row + 1, TR_BLOCK_ROW_MAX);
    }
    if (section->cy == row)
        return TR_OK;
    return fail_at(source, "table of contents", table_end(i) + 4, "row %d of the %s, expected %d",
                   section->cy, section->kind == TR_SECTION_HEIGHTS ? "heights" : "paint", row);
}

static enum tr_status check_place(const struct source *source, const struct tr_chunk_head *head, uint32_t i,
                                  const struct section *section, const struct table_state *before)
{
    uint32_t decoded_bytes = content_bytes(section->kind, head->size_x, head->size_z);
    uint64_t at = table_end(i);
    char text[32];
    const char *name = section_name(section, text);

    if (section->offset != before->end)
        return fail_at(source, "table of contents", at + 8, "%s begin at byte %" PRIu64 ", expected %" PRIu64,
                       name, section->offset, before->end);
    if (section->decoded_bytes != decoded_bytes)
        return fail_at(source, "table of contents", at + 20, "%s of %u bytes decoded, expected %u", name,
                       section->decoded_bytes, decoded_bytes);
    if (section->stored_bytes > stored_bytes_max(decoded_bytes))
        return fail_at(source, "table of contents", at + 16, "%s of %u bytes stored, expected at most %u",
                       name, section->stored_bytes, stored_bytes_max(decoded_bytes));
    if (section->stored_bytes > source->size_bytes - section->offset)
        return fail_at(source, name, section->offset,
                       "file of %zu bytes ends in it, expected %u bytes from there", source->size_bytes,
                       section->stored_bytes);
    return TR_OK;
}

/* Kinds, rows, sizes and places of all sections; the last must end where the file does. */
static enum tr_status check_table(const struct source *source, struct tr_chunk_head *head)
{
    struct table_state state = {.row = TR_BLOCK_ROW_MIN - 1,
                                .end = table_end(head->section_count) + CHECKSUM_BYTES};

    for (uint32_t i = 0; i < head->section_count; i++) {
        struct section section = read_entry(source, i);
        enum tr_status status = check_kind(source, head, i, section.kind, &state);

        if (status == TR_OK)
            status = check_row(source, i, &section, &state);
        if (status == TR_OK)
            status = check_place(source, head, i, &section, &state);
        if (status != TR_OK)
            return status;
        state.kind = section.kind;
        state.end = section.offset + section.stored_bytes;
        if (section.kind == TR_SECTION_BLOCK) {
            state.row = section.cy;
            head->block_count++;
        }
        state.is_painted =
            state.is_painted || section.kind == TR_SECTION_PAINT || section.kind == TR_SECTION_BLOCK_PAINT;
    }
    if (head->version == VERSION_PAINTED && !state.is_painted)
        return fail_at(source, "header", 8, "version %d without paint, expected %d", VERSION_PAINTED,
                       VERSION);
    if (state.end != source->size_bytes)
        return fail_at(source, "end of file", state.end,
                       "%" PRIu64 " bytes behind the last section, expected none",
                       (uint64_t)source->size_bytes - state.end);
    return TR_OK;
}

static enum tr_status read_head(const struct source *source, struct tr_chunk_head *head)
{
    enum tr_status status = read_header(source, head);

    if (status == TR_OK)
        status = check_header(source, head);
    if (status == TR_OK)
        status = check_table(source, head);
    return status;
}

enum tr_status tr_chunk_read_head(const uint8_t *bytes, size_t size_bytes, const char *name,
                                  struct tr_chunk_head *head, struct tr_error *error)
{
    struct source source = {.bytes = bytes, .size_bytes = size_bytes, .name = name, .error = error};

    return read_head(&source, head);
}

/* ---- reading: sections ---- */

/* Checks the stored bytes and expands them: exactly one zstd frame that declares exactly the content
 * expected. zstd itself would also take several frames, skippable ones, and those of its old formats. */
static enum tr_status read_content(const struct source *source, const struct section *section,
                                   ZSTD_DCtx *decompressor, uint8_t *content)
{
    const uint8_t *stored = source->bytes + section->offset;
    struct tr_reader reader = reader_at(source, (size_t)section->offset);
    uint64_t checksum = checksum_of(stored, section->stored_bytes);
    size_t decoded;
    char text[32];
    const char *name = section_name(section, text);

    if (checksum != section->checksum)
        return fail_at(source, name, section->offset, "checksum %016" PRIx64 ", expected %016" PRIx64,
                       checksum, section->checksum);
    if (section->stored_bytes < 4 || tr_read_u32(&reader) != ZSTD_FRAME_MAGIC)
        return fail_at(source, name, section->offset, "no zstd frame");
    if (ZSTD_findFrameCompressedSize(stored, section->stored_bytes) != section->stored_bytes)
        return fail_at(source, name, section->offset, "more or less than one zstd frame in %u bytes",
                       section->stored_bytes);
    if (ZSTD_getFrameContentSize(stored, section->stored_bytes) != section->decoded_bytes)
        return fail_at(source, name, section->offset,
                       "zstd frame declares no or another size, expected %u bytes", section->decoded_bytes);
    decoded =
        ZSTD_decompressDCtx(decompressor, content, section->decoded_bytes, stored, section->stored_bytes);
    if (ZSTD_isError(decoded))
        return fail_at(source, name, section->offset, "zstd frame is damaged: %s",
                       ZSTD_getErrorName(decoded));
    if (decoded != section->decoded_bytes)
        return fail_at(source, name, section->offset, "%zu bytes decoded, expected %u", decoded,
                       section->decoded_bytes);
    return TR_OK;
}

static enum tr_status take_heights(const struct source *source, const struct section *section,
                                   const struct scratch *scratch, struct tr_chunk *chunk)
{
    tr_heights_from_planes(scratch->content, chunk->size_x, chunk->size_z, scratch->residuals,
                           chunk->heights);
    for (uint32_t z = 0; z < chunk->size_z; z++)
        for (uint32_t x = 0; x < chunk->size_x; x++)
            if (!height_is_valid(chunk->heights[z * 64 + x]))
                return fail_at(source, "heights", section->offset,
                               "height %d at (%u, %u), expected at most %d from 0",
                               chunk->heights[z * 64 + x], x, z, TR_HEIGHT_MAX);
    return TR_OK;
}

static enum tr_status take_block(const struct source *source, const struct section *section,
                                 const struct scratch *scratch, struct tr_chunk *chunk)
{
    int16_t *samples;
    uint32_t at[3];
    char text[32];
    const char *name = section_name(section, text);
    enum tr_status status = tr_chunk_add_block(chunk, section->cy, &samples, source->error);

    if (status != TR_OK)
        return status;
    tr_block_from_planes(scratch->content, chunk->heights, chunk->size_x, chunk->size_z, section->cy,
                         is_whole(chunk->size_x, chunk->size_z) ? (void *)samples : scratch->residuals,
                         samples);
    if (find_invalid_sample(samples, chunk->size_x, chunk->size_z, at))
        return fail_at(source, name, section->offset, "sample %d at (%u, %u, %u), expected %d or more",
                       samples[tr_block_index(at[0], at[1], at[2])], at[0], at[1], at[2], -TR_SDF_MAX);
    if (!tr_block_differs(chunk->heights, chunk->size_x, chunk->size_z, section->cy, samples))
        return fail_at(source, name, section->offset, "equals the height field, expected no such block");
    return TR_OK;
}

/* Of either kind: paint that says nothing is not stored. */
static enum tr_status check_some_paint(const struct source *source, const struct section *section,
                                       const uint8_t *content)
{
    char text[32];

    for (uint32_t i = 0; i < section->decoded_bytes; i++)
        if (content[i] != 0)
            return TR_OK;
    return fail_at(source, section_name(section, text), section->offset, "all 0, expected no such section");
}

static enum tr_status take_paint(const struct source *source, const struct section *section,
                                 const struct scratch *scratch, struct tr_chunk *chunk)
{
    enum tr_status status = check_some_paint(source, section, scratch->content);

    if (status == TR_OK)
        status = tr_chunk_add_paint(chunk, source->error);
    if (status == TR_OK)
        unpack_paint(scratch->content, 1, chunk->size_x, chunk->size_z, chunk->paint);
    return status;
}

/* Paint where the sample equals the height field would be the column's. */
static enum tr_status check_paint_place(const struct source *source, const struct section *section,
                                        const struct tr_chunk *chunk, const uint8_t *paint)
{
    const int16_t *samples = tr_chunk_block(chunk, section->cy);
    char text[32];

    for (uint32_t y = 0; y < 64; y++)
        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++) {
                size_t at = tr_block_index(x, y, z);

                if (paint[at] != 0 && samples[at] == tr_height_field(section->cy * TR_CHUNK + (int)y,
                                                                     chunk->heights[z * 64 + x]))
                    return fail_at(source, section_name(section, text), section->offset,
                                   "paint %d at (%u, %u, %u), where the sample equals the height field, "
                                   "expected 0",
                                   paint[at], x, y, z);
            }
    return TR_OK;
}

static enum tr_status take_block_paint(const struct source *source, const struct section *section,
                                       const struct scratch *scratch, struct tr_chunk *chunk)
{
    uint8_t *paint;
    enum tr_status status = check_some_paint(source, section, scratch->content);

    if (status == TR_OK)
        status = tr_chunk_add_block_paint(chunk, section->cy, &paint, source->error);
    if (status != TR_OK)
        return status;
    unpack_paint(scratch->content, 64, chunk->size_x, chunk->size_z, paint);
    return check_paint_place(source, section, chunk, paint);
}

/* Puts a section's content, which lies in the scratch memory, into the chunk. */
static enum tr_status take_content(const struct source *source, const struct section *section,
                                   const struct scratch *scratch, struct tr_chunk *chunk)
{
    switch ((enum tr_section)section->kind) {
    case TR_SECTION_HEIGHTS:
        return take_heights(source, section, scratch, chunk);
    case TR_SECTION_BLOCK:
        return take_block(source, section, scratch, chunk);
    case TR_SECTION_PAINT:
        return take_paint(source, section, scratch, chunk);
    case TR_SECTION_BLOCK_PAINT:
        break;
    }
    return take_block_paint(source, section, scratch, chunk);
}

static enum tr_status check_hash(const struct source *source, const struct tr_chunk_head *head,
                                 const struct tr_chunk *chunk)
{
    struct tr_hash hash = tr_chunk_hash(chunk);
    char found[33], expected[33];

    if (tr_hash_equal(hash, head->hash))
        return TR_OK;
    tr_hash_text(head->hash, found);
    tr_hash_text(hash, expected);
    return fail_at(source, "header", 32, "chunk hash %s, expected %s of the samples", found, expected);
}

/* Tells a defect to whoever wants them all, and lets the reading go on. */
static enum tr_status pass_on(const struct source *source, enum tr_status status)
{
    if (status != TR_BAD_INPUT || !source->defects)
        return status;
    source->defects->report(source->defects->context, source->error->text);
    source->defects->count++;
    return TR_OK;
}

/* Where all defects are wanted, a section is read on behind a damaged one: its frame always, its content if what
 * it is said against is good, the heights for a block and the block for its paint. The hash tells nothing more
 * where a section is known to be damaged. */
static enum tr_status read_sections(const struct source *source, const struct tr_chunk_head *head,
                                    ZSTD_DCtx *decompressor, const struct scratch *scratch,
                                    struct tr_chunk *chunk)
{
    bool has_heights = false, has_block = false;

    for (uint32_t i = 0; i < head->section_count; i++) {
        struct section section = read_entry(source, i);
        bool has_ground = (section.kind != TR_SECTION_BLOCK || has_heights) &&
                          (section.kind != TR_SECTION_BLOCK_PAINT || has_block);
        enum tr_status status = read_content(source, &section, decompressor, scratch->content);

        if (status == TR_OK && has_ground)
            status = take_content(source, &section, scratch, chunk);
        if (section.kind == TR_SECTION_HEIGHTS)
            has_heights = status == TR_OK;
        if (section.kind == TR_SECTION_BLOCK)
            has_block = status == TR_OK && has_heights;
        status = pass_on(source, status);
        if (status != TR_OK)
            return status;
    }
    return source->defects && source->defects->count > 0 ? TR_OK : check_hash(source, head, chunk);
}

/* On failure *chunk holds what was read until then. */
static enum tr_status read_file(const struct source *source, struct tr_chunk_head *head,
                                struct tr_chunk *chunk)
{
    struct scratch scratch = {0};
    ZSTD_DCtx *decompressor = NULL;
    enum tr_status status;

    *chunk = (struct tr_chunk){0};
    status = read_head(source, head);
    if (status != TR_OK)
        return status;
    decompressor = ZSTD_createDCtx();
    if (!decompressor)
        status = tr_fail(source->error, TR_IO, "out of memory: decompressor");
    if (status == TR_OK)
        status = scratch_init(&scratch, largest_section(head->size_x, head->size_z, head->block_count),
                              DECODED_RESIDUALS_BYTES, 0, source->error);
    if (status == TR_OK)
        status = tr_chunk_init(chunk, head->cx, head->cz, head->size_x, head->size_z, source->error);
    if (status == TR_OK)
        status = read_sections(source, head, decompressor, &scratch, chunk);
    ZSTD_freeDCtx(decompressor);
    scratch_release(&scratch);
    return status;
}

enum tr_status tr_chunk_decode(const uint8_t *bytes, size_t size_bytes, const char *name,
                               struct tr_chunk *chunk, struct tr_hash *hash, struct tr_error *error)
{
    struct source source = {.bytes = bytes, .size_bytes = size_bytes, .name = name, .error = error};
    struct tr_chunk_head head;
    enum tr_status status = read_file(&source, &head, chunk);

    *hash = head.hash;
    if (status != TR_OK)
        tr_chunk_release(chunk);
    return status;
}

enum tr_status tr_chunk_inspect(const uint8_t *bytes, size_t size_bytes, const char *name,
                                void (*report)(void *context, const char *line), void *context,
                                struct tr_chunk_head *head, struct tr_error *error)
{
    struct defects defects = {.report = report, .context = context};
    struct source source = {
        .bytes = bytes, .size_bytes = size_bytes, .name = name, .error = error, .defects = &defects};
    struct tr_chunk chunk;
    enum tr_status status = pass_on(&source, read_file(&source, head, &chunk));

    tr_chunk_release(&chunk);
    return status == TR_OK && defects.count > 0 ? TR_BAD_INPUT : status;
}
