/* The chunk file: what is written is read back, is the one that FORMAT.md shows, and nothing else is taken.
 *
 * Forged files are put together here, not by the encoder: sections of any kind and content, with checksums
 * that fit, so that what is refused is refused for its own sake. */
#include "lib/base/file.h"
#include "lib/world/codec.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/format_example.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

/* ---- helpers ---- */

static struct tr_writer encoded(struct tr_chunk *chunk)
{
    struct tr_error error = {0};
    struct tr_writer writer = {0};

    tr_chunk_make_canonical(chunk);
    if (tr_chunk_encode(chunk, tr_chunk_hash(chunk), &writer, &error) != TR_OK)
        fail_msg("%s", error.text);
    return writer;
}

static struct tr_chunk decoded(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_error error = {0};
    struct tr_chunk chunk;
    struct tr_hash hash;

    if (tr_chunk_decode(bytes, size_bytes, "a file", &chunk, &hash, &error) != TR_OK)
        fail_msg("%s", error.text);
    assert_true(tr_hash_equal(hash, tr_chunk_hash(&chunk)));
    return chunk;
}

/* What reading the file says. The copy has its exact size, so that a sanitizer sees a byte read beyond. */
static enum tr_status try_decode(const uint8_t *bytes, size_t size_bytes, struct tr_error *error)
{
    struct tr_chunk chunk;
    struct tr_hash hash;
    uint8_t *copy = malloc(size_bytes > 0 ? size_bytes : 1);
    enum tr_status status;

    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    status = tr_chunk_decode(copy, size_bytes, "a file", &chunk, &hash, error);
    free(copy);
    tr_chunk_release(&chunk);
    return status;
}

static void assert_refused(const uint8_t *bytes, size_t size_bytes, const char *part, const char *what)
{
    struct tr_error error = {0};
    enum tr_status status = try_decode(bytes, size_bytes, &error);

    if (status == TR_OK)
        fail_msg("taken, expected a refusal of the %s: %s", part, what);
    assert_int_equal(status, TR_BAD_INPUT);
    if (!strstr(error.text, "\"a file\": ") || !strstr(error.text, part) || !strstr(error.text, what))
        fail_msg("refused by \"%s\", expected it to name \"%s\" and \"%s\"", error.text, part, what);
}

static void round_trip(struct tr_chunk *chunk)
{
    struct tr_writer file = encoded(chunk);
    struct tr_chunk back = decoded(file.bytes, file.size_bytes);
    struct tr_writer again = encoded(&back);

    assert_chunks_equal(&back, chunk);
    assert_int_equal(again.size_bytes, file.size_bytes);
    assert_memory_equal(again.bytes, file.bytes, file.size_bytes);
    tr_chunk_release(&back);
    tr_writer_release(&file);
    tr_writer_release(&again);
}

/* The rim chunk (5, 7) of one sample with two blocks: a file of a few hundred bytes. */
static struct tr_chunk small_chunk(void)
{
    struct tr_chunk chunk;

    chunk_gen_init(&chunk, 5, 7, 1, 1);
    chunk_gen_heights(&chunk, 4);
    chunk_gen_random_block(&chunk, -3, 5);
    chunk_gen_sculpted_block(&chunk, 2, 6);
    return chunk;
}

/* The same, column and both blocks painted. */
static struct tr_chunk small_painted_chunk(void)
{
    struct tr_chunk chunk = small_chunk();

    chunk_gen_paint(&chunk, 7);
    assert_non_null(chunk.paint);
    assert_non_null(chunk.blocks[0].paint);
    assert_non_null(chunk.blocks[1].paint);
    return chunk;
}

static void drop_paint(uint8_t **paint)
{
    free(*paint);
    *paint = NULL;
}

/* ---- what is written is read back ---- */

static void every_shape_of_chunk_comes_back_and_gives_the_same_bytes(void **state)
{
    static const uint32_t sizes[][2] = {{64, 64}, {1, 64}, {64, 1}, {1, 1}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct tr_chunk chunk;

        chunk_gen_init(&chunk, (int32_t)i - 2, 1000000, sizes[i][0], sizes[i][1]);
        round_trip(&chunk);
        chunk_gen_heights(&chunk, 77 + i);
        round_trip(&chunk);
        chunk_gen_paint(&chunk, i); /* of the columns alone */
        assert_non_null(chunk.paint);
        round_trip(&chunk);
        drop_paint(&chunk.paint);
        chunk_gen_sculpted_block(&chunk, 0, i);
        chunk_gen_random_block(&chunk, -1024, i);
        chunk_gen_random_block(&chunk, 1023, i);
        chunk_gen_sculpted_block(&chunk, -1, i);
        round_trip(&chunk);
        assert_int_equal(chunk.block_count, 4);
        chunk_gen_paint(&chunk, i);
        round_trip(&chunk);
        drop_paint(&chunk.paint); /* some blocks alone */
        drop_paint(&chunk.blocks[1].paint);
        drop_paint(&chunk.blocks[3].paint);
        assert_true(tr_chunk_is_painted(&chunk));
        round_trip(&chunk);
        tr_chunk_release(&chunk);
    }
}

static void every_material_comes_back(void **state)
{
    struct tr_error error = {0};
    struct tr_chunk chunk;
    int16_t *samples;
    uint8_t *paint;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 64, 64);
    assert_int_equal(tr_chunk_add_block(&chunk, 0, &samples, &error), TR_OK);
    assert_int_equal(tr_chunk_add_block_paint(&chunk, 0, &paint, &error), TR_OK);
    assert_int_equal(tr_chunk_add_paint(&chunk, &error), TR_OK);
    for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
        samples[i] = 1;
        paint[i] = (uint8_t)(i + i / 64 + i / 4096);
    }
    for (int i = 0; i < TR_CHUNK_SAMPLES; i++)
        chunk.paint[i] = (uint8_t)(255 - (i + i / 64));
    round_trip(&chunk);
    tr_chunk_release(&chunk);
}

/* The version is the lowest that can hold the chunk, so paint that is gone leaves no trace. */
static void only_a_painted_chunk_is_of_version_2(void **state)
{
    struct tr_chunk chunk = small_chunk();
    struct tr_writer plain = encoded(&chunk), painted, again;

    (void)state;
    assert_int_equal(plain.bytes[8], 1);
    chunk_gen_paint(&chunk, 7);
    painted = encoded(&chunk);
    assert_int_equal(painted.bytes[8], 2);
    assert_int_equal(painted.bytes[12], 6);
    memset(chunk.paint, 0, TR_CHUNK_SAMPLES);
    for (size_t i = 0; i < chunk.block_count; i++)
        memset(chunk.blocks[i].paint, 0, TR_BLOCK_SAMPLES);
    again = encoded(&chunk);
    assert_int_equal(again.size_bytes, plain.size_bytes);
    assert_memory_equal(again.bytes, plain.bytes, plain.size_bytes);
    tr_writer_release(&plain);
    tr_writer_release(&painted);
    tr_writer_release(&again);
    tr_chunk_release(&chunk);
}

static void the_most_extreme_values_side_by_side_come_back(void **state)
{
    struct tr_error error = {0};
    struct tr_chunk chunk;
    int16_t *samples;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 64, 64);
    for (int i = 0; i < TR_CHUNK_SAMPLES; i++)
        chunk.heights[i] = (i + i / 64) % 2 ? TR_HEIGHT_MAX : -TR_HEIGHT_MAX;
    for (int32_t cy = -1024; cy <= 1023; cy += 2047) {
        assert_int_equal(tr_chunk_add_block(&chunk, cy, &samples, &error), TR_OK);
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
            samples[i] = (i + i / 64 + i / 4096) % 2 ? TR_SDF_MAX : -TR_SDF_MAX;
    }
    round_trip(&chunk);
    tr_chunk_release(&chunk);
}

static void equal_ground_gives_equal_bytes_whatever_its_history(void **state)
{
    struct tr_chunk plain = small_painted_chunk(), worn;
    struct tr_writer expected = encoded(&plain), found = {0};
    struct tr_error error = {0};
    int16_t *samples;
    uint8_t *paint;

    (void)state;
    chunk_gen_init(&worn, 5, 7, 1, 1);
    for (int32_t cy = 40; cy > 0; cy--)
        assert_int_equal(tr_chunk_add_block(&worn, cy, &samples, &error), TR_OK);
    tr_chunk_make_canonical(&worn); /* they go again */
    chunk_gen_heights(&worn, 4);
    chunk_gen_sculpted_block(&worn, 2, 6);
    chunk_gen_random_block(&worn, -3, 5);
    chunk_gen_paint(&worn, 7);
    worn.heights[1] = 99; /* beyond the rim */
    worn.paint[1] = 99;
    worn.blocks[0].samples[1] = 99;
    worn.blocks[0].paint[1] = 99;
    assert_int_equal(tr_chunk_add_block(&worn, 40, &samples, &error), TR_OK);
    assert_int_equal(tr_chunk_add_block_paint(&worn, 40, &paint, &error), TR_OK);
    paint[0] = 1; /* of a block that goes */
    found = encoded(&worn);
    assert_int_equal(found.size_bytes, expected.size_bytes);
    assert_memory_equal(found.bytes, expected.bytes, expected.size_bytes);
    tr_writer_release(&found);
    tr_writer_release(&expected);
    tr_chunk_release(&plain);
    tr_chunk_release(&worn);
}

static void the_file_is_appended_to_what_the_writer_holds(void **state)
{
    struct tr_chunk chunk = small_chunk();
    struct tr_writer alone = encoded(&chunk), behind = {0};
    struct tr_error error = {0};

    (void)state;
    tr_write_bytes(&behind, "before", 6);
    assert_int_equal(tr_chunk_encode(&chunk, tr_chunk_hash(&chunk), &behind, &error), TR_OK);
    assert_int_equal(behind.size_bytes, alone.size_bytes + 6);
    assert_memory_equal(behind.bytes, "before", 6);
    assert_memory_equal(behind.bytes + 6, alone.bytes, alone.size_bytes);
    tr_writer_release(&alone);
    tr_writer_release(&behind);
    tr_chunk_release(&chunk);
}

static void a_value_that_no_reader_would_take_is_not_written(void **state)
{
    struct tr_error error = {0};
    struct tr_writer writer = {0};
    struct tr_chunk chunk = small_chunk();

    (void)state;
    chunk.blocks[1].samples[tr_block_index(0, 9, 0)] = INT16_MIN;
    assert_int_equal(tr_chunk_encode(&chunk, tr_chunk_hash(&chunk), &writer, &error), TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "chunk (5, 7), block row 2: sample -32768 at (0, 9, 0)"));
    tr_writer_release(&writer);
    chunk.heights[0] = TR_HEIGHT_MAX + 1;
    assert_int_equal(tr_chunk_encode(&chunk, tr_chunk_hash(&chunk), &writer, &error), TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "height 16777216 at (0, 0)"));
    tr_writer_release(&writer);
    tr_chunk_release(&chunk);
}

/* The chunk (1, 1) of the examples. */
static struct tr_chunk example_chunk(void)
{
    struct tr_error error = {0};
    struct tr_chunk chunk;
    int16_t *samples;

    chunk_gen_init(&chunk, 1, 1, 1, 1);
    chunk.heights[0] = 300;
    assert_int_equal(tr_chunk_add_block(&chunk, 0, &samples, &error), TR_OK);
    for (int y = 0; y < 64; y++)
        samples[tr_block_index(0, y, 0)] = (int16_t)(127 * y - 429);
    return chunk;
}

/* The bytes of the document's block are read as the chunk, and written from it. */
static void assert_example_is(const char *fence, size_t expected_bytes, struct tr_chunk *chunk)
{
    uint8_t example[FORMAT_EXAMPLE_BYTES];
    size_t size_bytes = format_example(fence, example);
    struct tr_chunk back = decoded(example, size_bytes);
    struct tr_writer file = encoded(chunk);

    assert_chunks_equal(&back, chunk);
    assert_int_equal(size_bytes, expected_bytes);
    assert_int_equal(file.size_bytes, size_bytes);
    assert_memory_equal(file.bytes, example, size_bytes);
    tr_writer_release(&file);
    tr_chunk_release(&back);
}

static void the_examples_of_the_format_are_what_is_written(void **state)
{
    struct tr_error error = {0};
    struct tr_chunk chunk = example_chunk();
    uint8_t *paint;

    (void)state;
    assert_example_is("```hex chunk\n", 150, &chunk);

    assert_int_equal(tr_chunk_add_paint(&chunk, &error), TR_OK);
    chunk.paint[0] = 7;
    assert_int_equal(tr_chunk_add_block_paint(&chunk, 0, &paint, &error), TR_OK);
    for (int y = 32; y < 64; y++)
        paint[tr_block_index(0, y, 0)] = 2;
    assert_example_is("```hex painted chunk\n", 244, &chunk);
    tr_chunk_release(&chunk);
}

static void the_header_is_read_without_the_sections(void **state)
{
    struct tr_error error = {0};
    struct tr_chunk chunk = small_painted_chunk();
    struct tr_writer file = encoded(&chunk);
    struct tr_chunk_head head;

    (void)state;
    file.bytes[file.size_bytes - 1] ^= 1; /* of the last section */
    assert_int_equal(tr_chunk_read_head(file.bytes, file.size_bytes, "a file", &head, &error), TR_OK);
    assert_int_equal(head.cx, 5);
    assert_int_equal(head.cz, 7);
    assert_int_equal(head.size_x, 1);
    assert_int_equal(head.size_z, 1);
    assert_int_equal(head.version, 2);
    assert_int_equal(head.section_count, 6);
    assert_int_equal(head.block_count, 2);
    assert_true(tr_hash_equal(head.hash, tr_chunk_hash(&chunk)));
    tr_writer_release(&file);
    tr_chunk_release(&chunk);
}

/* ---- damage ---- */

/* The part of the small painted chunk's file (header, six sections) that a byte belongs to. */
static const char *part_of(const uint8_t *file, size_t at)
{
    static const char *const names[] = {
        "\": heights",      "\": paint at",
        "\": block row -3", "\": paint of block row -3",
        "\": block row 2",  "\": paint of block row 2",
    };
    const char *part = "header";

    for (size_t i = 0; i < 6; i++) {
        struct tr_reader reader = {.bytes = file, .size_bytes = 48 + 6 * 32, .at = 48 + 32 * i + 8};

        if (at >= tr_read_u64(&reader))
            part = names[i];
    }
    return part;
}

static void every_flipped_bit_is_refused_by_the_part_it_is_in(void **state)
{
    struct tr_chunk chunk = small_painted_chunk();
    struct tr_writer file = encoded(&chunk);

    (void)state;
    for (size_t at = 0; at < file.size_bytes; at++)
        for (int bit = 0; bit < 8; bit++) {
            const char *part = part_of(file.bytes, at);

            file.bytes[at] ^= (uint8_t)(1 << bit);
            assert_refused(file.bytes, file.size_bytes, part, " at byte ");
            file.bytes[at] ^= (uint8_t)(1 << bit);
        }
    tr_writer_release(&file);
    tr_chunk_release(&chunk);
}

static void every_other_length_is_refused_by_the_part_it_ends_in(void **state)
{
    struct tr_chunk chunk = small_painted_chunk();
    struct tr_writer file = encoded(&chunk);
    size_t whole = file.size_bytes;

    (void)state;
    for (size_t size = 0; size < whole; size++)
        assert_refused(file.bytes, size, part_of(file.bytes, size), " at byte ");
    tr_write_u8(&file, 0);
    assert_refused(file.bytes, whole + 1, "end of file", "1 bytes behind the last section");
    tr_writer_release(&file);
    tr_chunk_release(&chunk);
}

/* ---- forgeries ---- */

struct forged_section {
    uint32_t kind;
    int32_t cy;
    const void *stored;
    uint32_t stored_bytes, decoded_bytes;
};

/* A chunk (0, 0) of 1 x 1 samples from sections that are taken as they are, all checksums right; of version 2 where
 * one of them is paint. */
static struct tr_writer forge(const struct forged_section *sections, uint32_t count)
{
    struct tr_writer file = {0};
    uint64_t offset = 56 + 32 * count;
    uint32_t version = 1;

    for (uint32_t i = 0; i < count; i++)
        if (sections[i].kind == 3 || sections[i].kind == 4)
            version = 2;
    tr_write_bytes(&file, "TRCHUNK\n", 8);
    tr_write_u32(&file, version);
    tr_write_u32(&file, count);
    tr_write_u64(&file, 0);
    tr_write_u32(&file, 1);
    tr_write_u32(&file, 1);
    tr_write_u64(&file, 0);
    tr_write_u64(&file, 0);
    for (uint32_t i = 0; i < count; i++) {
        tr_write_u32(&file, sections[i].kind);
        tr_write_i32(&file, sections[i].cy);
        tr_write_u64(&file, offset);
        tr_write_u32(&file, sections[i].stored_bytes);
        tr_write_u32(&file, sections[i].decoded_bytes);
        tr_write_u64(&file, XXH3_128bits(sections[i].stored, sections[i].stored_bytes).low64);
        offset += sections[i].stored_bytes;
    }
    tr_write_u64(&file, XXH3_128bits(file.bytes, file.size_bytes).low64);
    for (uint32_t i = 0; i < count; i++)
        tr_write_bytes(&file, sections[i].stored, sections[i].stored_bytes);
    assert_false(file.failed);
    return file;
}

/* Puts a number into the header or table of a file and makes the header's checksum fit again. */
static void rewrite(struct tr_writer *file, uint32_t section_count, size_t at, uint64_t value, int size_bytes)
{
    size_t end = 48 + 32 * (size_t)section_count;
    uint64_t checksum;

    for (int i = 0; i < size_bytes; i++)
        file->bytes[at + (size_t)i] = (uint8_t)(value >> 8 * i);
    checksum = XXH3_128bits(file->bytes, end).low64;
    for (int i = 0; i < 8; i++)
        file->bytes[end + (size_t)i] = (uint8_t)(checksum >> 8 * i);
}

struct frame {
    uint8_t bytes[512];
    uint32_t size_bytes;
};

static struct frame frame_of(const void *content, size_t size_bytes, int level)
{
    struct frame frame;
    size_t size = ZSTD_compress(frame.bytes, sizeof frame.bytes, content, size_bytes, level);

    assert_false(ZSTD_isError(size));
    frame.size_bytes = (uint32_t)size;
    return frame;
}

/* The 4 planes of one height. */
static struct frame height_frame(int32_t height)
{
    uint32_t value = height < 0 ? ~((uint32_t)height << 1) : (uint32_t)height << 1;
    uint8_t planes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                         (uint8_t)(value >> 24)};

    return frame_of(planes, 4, 3);
}

/* The planes of a column of 64 samples: residual `first` in the lowest, `step` more in each above. */
static struct frame block_frame(int16_t first, int16_t step)
{
    uint8_t planes[128];

    for (int y = 0; y < 64; y++) {
        int e = y == 0 ? first : step;
        uint16_t value = (uint16_t)(e < 0 ? -2 * e - 1 : 2 * e);

        planes[y] = (uint8_t)value;
        planes[64 + y] = (uint8_t)(value >> 8);
    }
    return frame_of(planes, sizeof planes, 3);
}

/* The planes of a column of 64 samples of which only the one at y differs from the field, by 1. */
static struct frame lone_block_frame(int y)
{
    uint8_t planes[128] = {0};

    planes[y] = 2;     /* zigzag of 1 */
    planes[y + 1] = 1; /* of -1 */
    return frame_of(planes, sizeof planes, 3);
}

/* The paint of the column's 64 samples in a block: `id` at y, and 0 elsewhere. */
static struct frame block_paint_frame(int y, uint8_t id)
{
    uint8_t paint[64] = {0};

    paint[y] = id;
    return frame_of(paint, sizeof paint, 3);
}

static void assert_forgery_refused(const struct forged_section *sections, uint32_t count, const char *part,
                                   const char *what)
{
    struct tr_writer file = forge(sections, count);

    assert_refused(file.bytes, file.size_bytes, part, what);
    tr_writer_release(&file);
}

static void tables_that_break_a_rule_are_refused(void **state)
{
    struct frame h = height_frame(0), b = block_frame(1, 0);
    struct forged_section heights = {1, 0, h.bytes, h.size_bytes, 4};
    struct forged_section block = {2, 3, b.bytes, b.size_bytes, 128};

    (void)state;
#define SECTIONS(...) (struct forged_section[]){__VA_ARGS__}
    assert_forgery_refused(SECTIONS(block), 1, "table of contents at byte 48", "kind 2, expected 1");
    assert_forgery_refused(SECTIONS(heights, heights), 2, "table of contents at byte 80",
                           "kind 1, expected 2");
    assert_forgery_refused(SECTIONS(heights, block, block), 3, "table of contents at byte 116",
                           "block row 3");
    heights.cy = 1;
    assert_forgery_refused(SECTIONS(heights), 1, "table of contents at byte 52", "row 1 of the heights");
    heights.cy = 0;
    block.cy = 1024;
    assert_forgery_refused(SECTIONS(heights, block), 2, "table of contents at byte 84", "block row 1024");
    block.cy = -1025;
    assert_forgery_refused(SECTIONS(heights, block), 2, "table of contents at byte 84", "block row -1025");
    block.cy = 0;
    block.kind = 7;
    assert_forgery_refused(SECTIONS(heights, block), 2, "table of contents at byte 80", "kind 7");
    block.kind = 2;
    block.decoded_bytes = 129;
    assert_forgery_refused(SECTIONS(heights, block), 2, "table of contents at byte 100",
                           "block row 0 of 129 bytes decoded, expected 128");
    heights.decoded_bytes = 0;
    assert_forgery_refused(SECTIONS(heights), 1, "table of contents at byte 68",
                           "heights of 0 bytes decoded");
}

static void rows_out_of_order_are_refused(void **state)
{
    struct frame h = height_frame(0), b = block_frame(1, 0);

    (void)state;
    assert_forgery_refused(SECTIONS({1, 0, h.bytes, h.size_bytes, 4}, {2, 4, b.bytes, b.size_bytes, 128},
                                    {2, -4, b.bytes, b.size_bytes, 128}),
                           3, "table of contents at byte 116", "block row -4, expected 5 to 1023");
}

/* What a painted file of one block in row 3 is made of; each test below changes one thing. */
struct painted {
    struct frame frames[4];
    struct forged_section heights, paint, block, block_paint;
};

static void make_painted(struct painted *painted)
{
    const uint8_t material = 7;

    painted->frames[0] = height_frame(0);
    painted->frames[1] = frame_of(&material, 1, 3);
    painted->frames[2] = block_frame(-1, 0); /* each sample 1 below the field */
    painted->frames[3] = block_paint_frame(5, 9);
    painted->heights =
        (struct forged_section){1, 0, painted->frames[0].bytes, painted->frames[0].size_bytes, 4};
    painted->paint =
        (struct forged_section){3, 0, painted->frames[1].bytes, painted->frames[1].size_bytes, 1};
    painted->block =
        (struct forged_section){2, 3, painted->frames[2].bytes, painted->frames[2].size_bytes, 128};
    painted->block_paint =
        (struct forged_section){4, 3, painted->frames[3].bytes, painted->frames[3].size_bytes, 64};
}

#define PAINTED(p) SECTIONS((p).heights, (p).paint, (p).block, (p).block_paint), 4

static void a_forged_painted_file_is_taken_once_its_hash_is_right(void **state)
{
    struct tr_error error = {0};
    struct tr_chunk chunk, back;
    struct tr_writer file;
    struct tr_hash hash;
    struct painted p;
    int16_t *samples;
    uint8_t *paint;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 1, 1);
    assert_int_equal(tr_chunk_add_block(&chunk, 3, &samples, &error), TR_OK);
    for (int y = 0; y < 64; y++)
        samples[tr_block_index(0, y, 0)]--;
    assert_int_equal(tr_chunk_add_paint(&chunk, &error), TR_OK);
    chunk.paint[0] = 7;
    assert_int_equal(tr_chunk_add_block_paint(&chunk, 3, &paint, &error), TR_OK);
    paint[tr_block_index(0, 5, 0)] = 9;
    hash = tr_chunk_hash(&chunk);

    make_painted(&p);
    file = forge(PAINTED(p));
    rewrite(&file, 4, 32, hash.lo, 8);
    rewrite(&file, 4, 40, hash.hi, 8);
    back = decoded(file.bytes, file.size_bytes);
    assert_chunks_equal(&back, &chunk);
    tr_chunk_release(&back);
    tr_writer_release(&file);
    tr_chunk_release(&chunk);
}

static void paint_at_another_place_of_the_table_is_refused(void **state)
{
    struct painted p;

    (void)state;
    make_painted(&p);
    assert_forgery_refused(SECTIONS(p.paint, p.heights), 2, "table of contents at byte 48",
                           "section 0 of kind 3, expected 1");
    assert_forgery_refused(SECTIONS(p.block_paint, p.heights), 2, "table of contents at byte 48",
                           "section 0 of kind 4, expected 1");
    assert_forgery_refused(SECTIONS(p.heights, p.paint, p.paint), 3, "table of contents at byte 112",
                           "section 2 of kind 3, expected 2");
    assert_forgery_refused(SECTIONS(p.heights, p.block, p.paint), 3, "table of contents at byte 112",
                           "section 2 of kind 3, expected 2 or 4");
    assert_forgery_refused(SECTIONS(p.heights, p.block, p.block_paint, p.paint), 4,
                           "table of contents at byte 144", "section 3 of kind 3, expected 2");
    assert_forgery_refused(SECTIONS(p.heights, p.block_paint, p.block), 3, "table of contents at byte 80",
                           "section 1 of kind 4, expected 2 or 3");
    assert_forgery_refused(SECTIONS(p.heights, p.paint, p.block_paint), 3, "table of contents at byte 112",
                           "section 2 of kind 4, expected 2");
    assert_forgery_refused(SECTIONS(p.heights, p.block, p.block_paint, p.block_paint), 4,
                           "table of contents at byte 144", "section 3 of kind 4, expected 2");
    assert_forgery_refused(SECTIONS(p.heights, p.paint, p.heights), 3, "table of contents at byte 112",
                           "section 2 of kind 1, expected 2");
}

static void rows_and_sizes_of_paint_that_break_a_rule_are_refused(void **state)
{
    struct painted good, p;

    (void)state;
    make_painted(&good);
    p = good;
    p.paint.cy = 1;
    assert_forgery_refused(PAINTED(p), "table of contents at byte 84", "row 1 of the paint, expected 0");
    p = good;
    p.block_paint.cy = 2;
    assert_forgery_refused(PAINTED(p), "table of contents at byte 148", "row 2 of the paint, expected 3");
    p.block_paint.cy = 4;
    assert_forgery_refused(PAINTED(p), "table of contents at byte 148", "row 4 of the paint, expected 3");
    p = good;
    p.paint.decoded_bytes = 4096;
    assert_forgery_refused(PAINTED(p), "table of contents at byte 100",
                           "paint of 4096 bytes decoded, expected 1");
    p = good;
    p.block_paint.decoded_bytes = 128;
    assert_forgery_refused(PAINTED(p), "table of contents at byte 164",
                           "paint of block row 3 of 128 bytes decoded, expected 64");
    /* the block's row counts on, whatever stands between */
    assert_forgery_refused(SECTIONS(good.heights, good.block, good.block_paint, good.block), 4,
                           "table of contents at byte 148", "block row 3, expected 4 to 1023");
}

static void paint_that_says_nothing_or_lies_on_the_height_field_is_refused(void **state)
{
    const uint8_t none[64] = {0};
    struct painted good, p;

    (void)state;
    make_painted(&good);
    good.block.cy = good.block_paint.cy = 0;
    p = good;
    p.frames[1] = frame_of(none, 1, 3);
    p.paint.stored = p.frames[1].bytes;
    assert_forgery_refused(PAINTED(p), "\": paint at byte", "all 0, expected no such section");
    p = good;
    p.frames[3] = frame_of(none, 64, 3);
    p.block_paint.stored = p.frames[3].bytes;
    p.block_paint.stored_bytes = p.frames[3].size_bytes;
    assert_forgery_refused(PAINTED(p), "paint of block row 0 at byte", "all 0, expected no such section");

    /* only the sample at y = 6 differs from the field, and that at y = 5 is painted */
    p = good;
    p.frames[2] = lone_block_frame(6);
    p.block.stored = p.frames[2].bytes;
    p.block.stored_bytes = p.frames[2].size_bytes;
    assert_forgery_refused(PAINTED(p), "paint of block row 0 at byte",
                           "paint 9 at (0, 5, 0), where the sample equals the height field, expected 0");
    p.frames[2] = lone_block_frame(5);
    p.block.stored_bytes = p.frames[2].size_bytes;
    assert_forgery_refused(PAINTED(p), "header at byte 32", "chunk hash 0000000000000000");
}

static void paint_and_version_belong_together(void **state)
{
    struct painted p;
    struct tr_writer file;

    (void)state;
    make_painted(&p);
    file = forge(SECTIONS(p.heights, p.paint), 2);
    rewrite(&file, 2, 8, 1, 4);
    assert_refused(file.bytes, file.size_bytes, "table of contents at byte 80", "kind 3, expected 2");
    tr_writer_release(&file);
    file = forge(SECTIONS(p.heights, p.block, p.block_paint), 3);
    rewrite(&file, 3, 8, 1, 4);
    assert_refused(file.bytes, file.size_bytes, "table of contents at byte 112", "kind 4, expected 2");
    tr_writer_release(&file);
    file = forge(SECTIONS(p.heights, p.block), 2);
    rewrite(&file, 2, 8, 2, 4);
    assert_refused(file.bytes, file.size_bytes, "header at byte 8", "version 2 without paint, expected 1");
    tr_writer_release(&file);
}

static void sections_that_are_not_one_frame_of_the_content_are_refused(void **state)
{
    struct frame h = height_frame(0), b = block_frame(1, 0), two = b, padded = b, cut = b, other;
    static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9};
    uint8_t content[127] = {0}, streamed[64];
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    size_t size;

    (void)state;
#define BLOCK(frame)                                                                                         \
    SECTIONS({1, 0, h.bytes, h.size_bytes, 4}, {2, 3, (frame).bytes, (frame).size_bytes, 128}), 2
    memcpy(two.bytes + two.size_bytes, b.bytes, b.size_bytes);
    two.size_bytes += b.size_bytes;
    assert_forgery_refused(BLOCK(two), "block row 3", "more or less than one zstd frame");
    memcpy(padded.bytes + padded.size_bytes, skippable, sizeof skippable);
    padded.size_bytes += sizeof skippable;
    assert_forgery_refused(BLOCK(padded), "block row 3", "more or less than one zstd frame");
    cut.size_bytes--;
    assert_forgery_refused(BLOCK(cut), "block row 3", "more or less than one zstd frame");
    cut.size_bytes = 3;
    assert_forgery_refused(BLOCK(cut), "block row 3", "no zstd frame");
    cut.size_bytes = 0;
    assert_forgery_refused(BLOCK(cut), "block row 3", "no zstd frame");
    memcpy(other.bytes, skippable, sizeof skippable);
    other.size_bytes = sizeof skippable;
    assert_forgery_refused(BLOCK(other), "block row 3", "no zstd frame");
    other = frame_of(content, 127, 3);
    assert_forgery_refused(BLOCK(other), "block row 3", "declares no or another size");

    /* a frame that does not say how much it holds */
    assert_non_null(compressor);
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_contentSizeFlag, 0);
    size = ZSTD_compress2(compressor, streamed, sizeof streamed, content, sizeof content);
    assert_false(ZSTD_isError(size));
    memcpy(other.bytes, streamed, size);
    other.size_bytes = (uint32_t)size;
    assert_forgery_refused(BLOCK(other), "block row 3", "declares no or another size");
    ZSTD_freeCCtx(compressor);
}

static void contents_out_of_range_or_not_canonical_are_refused(void **state)
{
    struct frame good = height_frame(0), lowest = height_frame(-TR_HEIGHT_MAX), h, b;

    (void)state;
#define FILE_OF(heights, row, block)                                                                         \
    SECTIONS({1, 0, (heights).bytes, (heights).size_bytes, 4},                                               \
             {2, row, (block).bytes, (block).size_bytes, 128}),                                              \
        2
    h = height_frame(TR_HEIGHT_MAX + 1);
    b = block_frame(1, 0);
    assert_forgery_refused(FILE_OF(h, 0, b), "heights", "height 16777216 at (0, 0)");
    h = height_frame(INT32_MIN);
    assert_forgery_refused(FILE_OF(h, 0, b), "heights", "height -2147483648 at (0, 0)");
    b = block_frame(0, 0);
    assert_forgery_refused(FILE_OF(good, 0, b), "block row 0", "equals the height field");
    assert_forgery_refused(FILE_OF(lowest, -1024, b), "block row -1024", "equals the height field");
    b = block_frame(-1, 0);
    /* far below the ground the field is -32767 */
    assert_forgery_refused(FILE_OF(good, -9, b), "block row -9", "sample -32768 at (0, 0, 0)");
    b = block_frame(1, 0);
    assert_forgery_refused(FILE_OF(good, 0, b), "header", "chunk hash 0000000000000000");
}

/* A number in header or table that says what is not so, in the file of heights and a block or in the painted one. */
struct claim {
    bool is_painted;
    size_t at;
    uint64_t value;
    int size_bytes;
    const char *part;
};

static const struct claim claims[] = {
    {false, 12, 2050, 4, "header at byte 12: 2050 sections, expected 1 to 2049"},
    {false, 12, 0xffffffff, 4, "header at byte 12"},
    {false, 12, 0, 4, "header at byte 12"},
    {false, 12, 2049, 4, "header at byte 12: table of 2049 sections"},
    {false, 16, 1000001, 4, "header at byte 16"},
    {false, 20, 0x80000000, 4, "header at byte 16"},
    {false, 24, 0x40000000, 4, "header at byte 24"},
    {false, 28, 0, 4, "header at byte 24"},
    {false, 48 + 8, 0xffffffffffffffff, 8, "table of contents at byte 56"},
    {false, 48 + 8, 119, 8, "table of contents at byte 56"},
    {false, 48 + 16, 0xffffffff, 4, "table of contents at byte 64"},
    {false, 48 + 16, 517, 4, "table of contents at byte 64"},
    {false, 48 + 16, 516, 4, "heights at byte 120"},
    {false, 48 + 20, 0xffffffff, 4, "table of contents at byte 68"},
    {false, 80 + 8, 0x100000078, 8, "table of contents at byte 88"},
    {false, 80 + 16, 640, 4, "block row 3 at byte"},
    {false, 80 + 20, 0x80000000, 4, "table of contents at byte 100"},
    {true, 12, 4099, 4, "header at byte 12: 4099 sections, expected 1 to 4098"},
    {true, 12, 4098, 4, "header at byte 12: table of 4098 sections"},
    {true, 80 + 8, 0x1000000c5, 8, "table of contents at byte 88"},
    {true, 80 + 16, 514, 4, "table of contents at byte 96"},
    {true, 80 + 16, 513, 4, ": paint at byte"},
    {true, 80 + 20, 0xffffffff, 4, "table of contents at byte 100"},
    {true, 144 + 16, 577, 4, "table of contents at byte 160"},
    {true, 144 + 16, 576, 4, ": paint of block row 3 at byte"},
    {true, 144 + 20, 0x80000000, 4, "table of contents at byte 164"},
};

static bool claim_is_refused(const struct claim *claim)
{
    struct frame h = height_frame(0), b = block_frame(1, 0);
    struct tr_error error = {0};
    struct tr_writer file;
    struct painted p;
    bool is_refused;

    make_painted(&p);
    file = claim->is_painted ? forge(PAINTED(p)) : forge(FILE_OF(h, 3, b));
    rewrite(&file, claim->is_painted ? 4 : 2, claim->at, claim->value, claim->size_bytes);
    is_refused =
        try_decode(file.bytes, file.size_bytes, &error) == TR_BAD_INPUT && strstr(error.text, claim->part);
    if (!is_refused)
        print_error("\"%s\", expected %s\n", error.text, claim->part);
    tr_writer_release(&file);
    return is_refused;
}

static void claims_beyond_the_file_are_refused_without_taking_memory(void **state)
{
    int status;
    pid_t child;

    (void)state;
    /* in a process that has no memory to give: a refusal for lack of it would be TR_IO */
    child = fork();
    if (child == 0) {
#ifndef __SANITIZE_ADDRESS__
        setrlimit(RLIMIT_DATA, &(struct rlimit){.rlim_cur = 1 << 20, .rlim_max = 1 << 20});
#endif
        for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++)
            if (!claim_is_refused(&claims[i]))
                _exit(1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the process ended with wait status %d, expected 0", status);
}

static void another_version_is_refused_by_its_number(void **state)
{
    struct frame h = height_frame(0);
    struct tr_writer file = forge(SECTIONS({1, 0, h.bytes, h.size_bytes, 4}), 1);

    (void)state;
    rewrite(&file, 1, 8, 0, 4);
    assert_refused(file.bytes, file.size_bytes, "header at byte 8", "version 0, expected 1 or 2");
    rewrite(&file, 1, 8, 3, 4);
    assert_refused(file.bytes, file.size_bytes, "header at byte 8", "version 3, expected 1 or 2");
    rewrite(&file, 1, 8, 1, 4);
    rewrite(&file, 1, 0, 0x41, 1);
    assert_refused(file.bytes, file.size_bytes, "header at byte 0", "not a chunk file");
    tr_writer_release(&file);
}

static void a_chunk_compressed_at_another_level_is_the_same_chunk(void **state)
{
    struct tr_chunk chunk, back;
    struct tr_hash hash;
    uint8_t planes[128];
    struct tr_writer file;
    struct frame h, b;
    struct tr_error error = {0};
    int16_t *samples;

    (void)state;
    chunk_gen_init(&chunk, 0, 0, 1, 1);
    assert_int_equal(tr_chunk_add_block(&chunk, 0, &samples, &error), TR_OK);
    for (int y = 0; y < 64; y++) {
        samples[tr_block_index(0, y, 0)] = (int16_t)(samples[tr_block_index(0, y, 0)] + 3 * (y + 1));
        planes[y] = 6; /* zigzag of 3 more each time */
        planes[64 + y] = 0;
    }
    hash = tr_chunk_hash(&chunk);
    for (int level = -5; level <= 22; level += 9) {
        h = height_frame(0);
        b = frame_of(planes, sizeof planes, level);
        file = forge(FILE_OF(h, 0, b));
        rewrite(&file, 2, 32, hash.lo, 8);
        rewrite(&file, 2, 40, hash.hi, 8);
        back = decoded(file.bytes, file.size_bytes);
        assert_chunks_equal(&back, &chunk);
        tr_chunk_release(&back);
        tr_writer_release(&file);
    }
    tr_chunk_release(&chunk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_of_chunk_comes_back_and_gives_the_same_bytes),
        cmocka_unit_test(every_material_comes_back),
        cmocka_unit_test(only_a_painted_chunk_is_of_version_2),
        cmocka_unit_test(the_most_extreme_values_side_by_side_come_back),
        cmocka_unit_test(equal_ground_gives_equal_bytes_whatever_its_history),
        cmocka_unit_test(the_file_is_appended_to_what_the_writer_holds),
        cmocka_unit_test(a_value_that_no_reader_would_take_is_not_written),
        cmocka_unit_test(the_examples_of_the_format_are_what_is_written),
        cmocka_unit_test(the_header_is_read_without_the_sections),
        cmocka_unit_test(every_flipped_bit_is_refused_by_the_part_it_is_in),
        cmocka_unit_test(every_other_length_is_refused_by_the_part_it_ends_in),
        cmocka_unit_test(tables_that_break_a_rule_are_refused),
        cmocka_unit_test(rows_out_of_order_are_refused),
        cmocka_unit_test(a_forged_painted_file_is_taken_once_its_hash_is_right),
        cmocka_unit_test(paint_at_another_place_of_the_table_is_refused),
        cmocka_unit_test(rows_and_sizes_of_paint_that_break_a_rule_are_refused),
        cmocka_unit_test(paint_that_says_nothing_or_lies_on_the_height_field_is_refused),
        cmocka_unit_test(paint_and_version_belong_together),
        cmocka_unit_test(sections_that_are_not_one_frame_of_the_content_are_refused),
        cmocka_unit_test(contents_out_of_range_or_not_canonical_are_refused),
        cmocka_unit_test(claims_beyond_the_file_are_refused_without_taking_memory),
        cmocka_unit_test(another_version_is_refused_by_its_number),
        cmocka_unit_test(a_chunk_compressed_at_another_level_is_the_same_chunk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
