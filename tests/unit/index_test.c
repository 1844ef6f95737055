/* chunks.idx and world.json: what is written is read back, is what FORMAT.md shows, and every damage is
 * refused. */
#include "lib/world/index.h"
#include "lib/world/world_json.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/format_example.h"
#include "tests/support/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- the index ---- */

/* The entries of a world, hashes of any kind. */
static struct tr_index_entry *make_entries(int32_t size_x, int32_t size_z)
{
    size_t count = tr_world_chunk_count(size_x, size_z);
    struct tr_index_entry *entries = calloc(count, sizeof *entries);
    uint64_t state = 7;

    assert_non_null(entries);
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct tr_index_entry){.cx = (int32_t)(i % ((size_t)size_x + 1)),
                                             .cz = (int32_t)(i / ((size_t)size_x + 1)),
                                             .hash = {.lo = random_next(&state), .hi = random_next(&state)}};
    return entries;
}

static struct tr_writer make_index(int32_t size_x, int32_t size_z)
{
    struct tr_index_entry *entries = make_entries(size_x, size_z);
    struct tr_writer file = {0};

    tr_index_write(entries, size_x, size_z, &file);
    assert_false(file.failed);
    free(entries);
    return file;
}

static void assert_index_refused(const uint8_t *bytes, size_t size_bytes, const char *what)
{
    struct tr_error error = {0};
    struct tr_index_entry *entries;
    int32_t size_x, size_z;
    uint8_t *copy = malloc(size_bytes > 0 ? size_bytes : 1);
    enum tr_status status;

    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    status = tr_index_read(copy, size_bytes, "an index", &size_x, &size_z, &entries, &error);
    free(copy);
    if (status == TR_OK)
        fail_msg("taken, expected a refusal: %s", what);
    assert_int_equal(status, TR_BAD_INPUT);
    assert_null(entries);
    if (!strstr(error.text, "\"an index\": ") || !strstr(error.text, what))
        fail_msg("refused by \"%s\", expected it to name \"%s\"", error.text, what);
}

static void an_index_comes_back_as_it_was_written(void **state)
{
    static const int32_t sizes[][2] = {{1, 1}, {3, 2}, {1, 40}, {64, 1}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct tr_error error = {0};
        struct tr_index_entry *expected = make_entries(sizes[i][0], sizes[i][1]), *entries;
        struct tr_writer file = make_index(sizes[i][0], sizes[i][1]);
        size_t count = tr_world_chunk_count(sizes[i][0], sizes[i][1]);
        int32_t size_x, size_z;

        assert_int_equal(file.size_bytes, tr_index_file_bytes(count));
        if (tr_index_read(file.bytes, file.size_bytes, "an index", &size_x, &size_z, &entries, &error) !=
            TR_OK)
            fail_msg("%s", error.text);
        assert_int_equal(size_x, sizes[i][0]);
        assert_int_equal(size_z, sizes[i][1]);
        assert_memory_equal(entries, expected, count * sizeof *entries);
        free(entries);
        free(expected);
        tr_writer_release(&file);
    }
}

static void every_flipped_bit_of_an_index_is_refused(void **state)
{
    struct tr_writer file = make_index(2, 1);

    (void)state;
    for (size_t at = 0; at < file.size_bytes; at++)
        for (int bit = 0; bit < 8; bit++) {
            file.bytes[at] ^= (uint8_t)(1 << bit);
            assert_index_refused(file.bytes, file.size_bytes, " at byte ");
            file.bytes[at] ^= (uint8_t)(1 << bit);
        }
    tr_writer_release(&file);
}

static void every_other_length_of_an_index_is_refused(void **state)
{
    struct tr_writer file = make_index(2, 1);
    size_t whole = file.size_bytes;

    (void)state;
    for (size_t size = 0; size < whole; size++)
        assert_index_refused(file.bytes, size, size < 24 ? "header at byte 0" : "entries at byte 24");
    tr_write_u8(&file, 0);
    assert_index_refused(file.bytes, whole + 1, "entries at byte 24");
    tr_writer_release(&file);
}

/* Puts a number into an index and makes its checksum fit again. */
static void rewrite(struct tr_writer *file, size_t at, uint32_t value)
{
    size_t end = file->size_bytes - 8;
    uint64_t checksum;

    for (int i = 0; i < 4; i++)
        file->bytes[at + (size_t)i] = (uint8_t)(value >> 8 * i);
    checksum = XXH3_128bits(file->bytes, end).low64;
    for (int i = 0; i < 8; i++)
        file->bytes[end + (size_t)i] = (uint8_t)(checksum >> 8 * i);
}

static void a_forged_index_is_refused_for_what_it_breaks(void **state)
{
    static const struct {
        size_t at;
        uint32_t value;
        const char *what;
    } forgeries[] = {
        {8, 2, "version 2, expected 1"},
        {12, 7, "7 entries, expected 6"},
        {12, 0xffffffff, "4294967295 entries"},
        {16, 0, "0 x 1 chunks"},
        {16, 0x80000000, "-2147483648 x 1 chunks"},
        {16, 1000001, "1000001 x 1 chunks"},
        {20, 500001, "2 x 500001 chunks"},
        {20, 0x7fffffff, "2 x 2147483647 chunks"},
        {24, 1, "entry 0 at byte 24: chunk (1, 0), expected (0, 0)"},
        {24 + 24 * 5 + 4, 0, "entry 5 at byte 144: chunk (2, 0), expected (2, 1)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
        struct tr_writer file = make_index(2, 1);

        rewrite(&file, forgeries[i].at, forgeries[i].value);
        assert_index_refused(file.bytes, file.size_bytes, forgeries[i].what);
        tr_writer_release(&file);
    }
}

static void a_short_index_that_claims_a_million_chunks_is_refused_by_its_length(void **state)
{
    struct tr_writer file = make_index(2, 1);

    (void)state;
    rewrite(&file, 12, 1001u * 1001u);
    rewrite(&file, 16, 1000);
    rewrite(&file, 20, 1000);
    assert_index_refused(file.bytes, file.size_bytes, "file of 176 bytes, expected 24048056");
    tr_writer_release(&file);
}

static void the_world_hash_depends_on_size_voxel_size_and_every_chunk(void **state)
{
    struct tr_world_info info = {.size_x = 2, .size_z = 1, .voxel_size = 0.5};
    struct tr_index_entry *entries = make_entries(2, 1);
    struct tr_hash hash, other;

    (void)state;
    assert_int_equal(tr_index_world_hash(entries, &info, &hash, NULL), TR_OK);
    for (int i = 0; i < 6; i++) {
        entries[i].hash.hi ^= 1;
        assert_int_equal(tr_index_world_hash(entries, &info, &other, NULL), TR_OK);
        assert_false(tr_hash_equal(hash, other));
        entries[i].hash.hi ^= 1;
    }
    info.voxel_size = 0.25;
    assert_int_equal(tr_index_world_hash(entries, &info, &other, NULL), TR_OK);
    assert_false(tr_hash_equal(hash, other));
    info.voxel_size = 0.5;
    info.size_x = 1;
    info.size_z = 2;
    assert_int_equal(tr_index_world_hash(entries, &info, &other, NULL), TR_OK);
    assert_false(tr_hash_equal(hash, other));

    /* and on nothing else */
    info.size_x = 2;
    info.size_z = 1;
    info.has_seed = true;
    info.seed = 9;
    info.extent[2] = 5;
    strcpy(info.source, "elsewhere");
    assert_int_equal(tr_index_world_hash(entries, &info, &other, NULL), TR_OK);
    assert_true(tr_hash_equal(hash, other));
    free(entries);
}

/* ---- world.json ---- */

static struct tr_writer text_of(const struct tr_world_json *json)
{
    struct tr_error error = {0};
    struct tr_writer text = {0};

    if (tr_world_info_check(&json->info, &error) != TR_OK)
        fail_msg("%s", error.text);
    tr_world_json_write(json, &text);
    assert_false(text.failed);
    tr_write_u8(&text, 0); /* so that it is a string */
    text.size_bytes--;
    return text;
}

static struct tr_world_json sample_json(void)
{
    return (struct tr_world_json){
        .info = {.size_x = 2,
                 .size_z = 1,
                 .voxel_size = 2,
                 .extent = {0, 0, 128, 63.5},
                 .has_seed = true,
                 .seed = UINT64_MAX,
                 .has_georeference = true,
                 .origin_easting = -0.1,
                 .origin_northing = 5919730.25,
                 .source = "dem \"a\\b\"\t\xc3\xa9.asc"},
        .hash = {.lo = 1, .hi = 2},
        .has_log = true,
        .log_bytes = 12,
        .log_hash = {.lo = 3, .hi = 4},
    };
}

static void assert_json_refused(const char *text, size_t size_bytes, const char *what)
{
    struct tr_error error = {0};
    struct tr_world_json json;
    enum tr_status status = tr_world_json_read(text, size_bytes, "world.json", &json, &error);

    if (status == TR_OK)
        fail_msg("taken, expected a refusal: %s\n%.*s", what, (int)size_bytes, text);
    assert_int_equal(status, TR_BAD_INPUT);
    if (!strstr(error.text, "world.json:") || !strstr(error.text, what))
        fail_msg("refused by \"%s\", expected it to name \"%s\"", error.text, what);
}

static void world_json_comes_back_as_it_was_written(void **state)
{
    struct tr_world_json json = sample_json(), back;
    struct tr_error error = {0};

    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        struct tr_writer text, again;

        json.info.has_seed = variant & 1;
        json.info.seed = variant & 1 ? UINT64_MAX - (uint64_t)variant : 0;
        json.info.has_georeference = variant & 2;
        json.info.origin_easting = variant & 2 ? -0.1 : 0;
        json.info.origin_northing = variant & 2 ? DBL_MAX : 0;
        json.has_log = variant & 4;
        json.log_bytes = variant & 4 ? TR_WORLD_LOG_MAX : 0;
        json.log_hash.lo = json.log_hash.hi = variant & 4 ? 77 : 0;
        if (variant & 8)
            json.info.source[0] = '\0';
        json.info.voxel_size = variant & 8 ? 0.1 + 0.2 : DBL_MIN;
        text = text_of(&json);
        if (tr_world_json_read((char *)text.bytes, text.size_bytes, "world.json", &back, &error) != TR_OK)
            fail_msg("%s\n%s", error.text, (char *)text.bytes);
        assert_string_equal(back.info.source, json.info.source);
        assert_int_equal(back.info.has_seed, json.info.has_seed);
        assert_true(back.info.seed == json.info.seed);
        assert_int_equal(back.info.has_georeference, json.info.has_georeference);
        assert_true(back.info.origin_easting == json.info.origin_easting);
        assert_true(back.info.origin_northing == json.info.origin_northing);
        assert_int_equal(back.has_log, json.has_log);
        assert_true(back.log_bytes == json.log_bytes);
        assert_true(tr_hash_equal(back.log_hash, json.log_hash));
        assert_true(tr_hash_equal(back.hash, json.hash));
        assert_true(back.info.voxel_size == json.info.voxel_size);
        assert_memory_equal(back.info.extent, json.info.extent, sizeof back.info.extent);
        again = text_of(&back);
        assert_string_equal((char *)again.bytes, (char *)text.bytes);
        tr_writer_release(&again);
        tr_writer_release(&text);
    }
}

static void every_changed_byte_of_world_json_is_refused(void **state)
{
    struct tr_world_json json = sample_json();
    struct tr_writer text = text_of(&json);

    (void)state;
    for (size_t at = 0; at < text.size_bytes; at++)
        for (int value = 1; value < 256; value++) {
            text.bytes[at] ^= (uint8_t)value;
            assert_json_refused((char *)text.bytes, text.size_bytes, "");
            text.bytes[at] ^= (uint8_t)value;
        }
    tr_writer_release(&text);
}

static void every_other_length_of_world_json_is_refused(void **state)
{
    struct tr_world_json json = sample_json();
    struct tr_writer text = text_of(&json);

    (void)state;
    for (size_t size = 0; size < text.size_bytes; size++)
        assert_json_refused((char *)text.bytes, size, "");
    tr_write_text(&text, "\n");
    assert_json_refused((char *)text.bytes, text.size_bytes, "not in the canonical form");
    tr_writer_release(&text);
}

/* The text with one part replaced by another; free() it. */
static char *replaced(const char *text, const char *part, const char *by)
{
    const char *at = strstr(text, part);
    char *out = malloc(strlen(text) + strlen(by) + 1);

    assert_non_null(out);
    if (!at)
        fail_msg("no %s in %s", part, text);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, by, at + strlen(part));
    return out;
}

static void a_wrong_member_is_refused_by_line_and_name(void **state)
{
    static const struct {
        const char *part, *by, *what;
    } changes[] = {
        {"\"size\"", "\"sizes\"", "field \"size\" is missing"},
        {"  \"size\"", "  \"colour\": 3,\n  \"size\"", "world.json:9: unknown field \"colour\""},
        {"  \"size\"", "  \"size\": [2, 1],\n  \"size\"", "size"},
        {"[2, 1]", "[2, 1, 1]", "world.json:9: \"size\" is [2,1,1], expected two counts"},
        {"[2, 1]", "[2]", "\"size\" is [2]"},
        {"[2, 1]", "[2, 1.5]", "\"size\""},
        {"[2, 1]", "[2, 0]", "\"size\""},
        {"[2, 1]", "[2, -1]", "\"size\""},
        {"[2, 1]", "[1000000, 2]", "world of 1000000 x 2 chunks"},
        {"[2, 1]", "{\"x\": 2, \"z\": 1}", "\"size\""},
        {"[2, 1]", "[2, 1e999]", "1e999"},
        {"\"voxel_size\": 2", "\"voxel_size\": \"2\"", "\"voxel_size\" is \"2\", expected a number"},
        {"\"voxel_size\": 2", "\"voxel_size\": -2", "voxel size -2"},
        {"\"voxel_size\": 2", "\"voxel_size\": 0", "voxel size 0"},
        {"\"voxel_size\": 2", "\"voxel_size\": NaN", "world.json:12:"},
        {"\"version\": 1", "\"version\": 2", "\"version\" is 2, expected 1"},
        {"\"terrain world\"", "\"mesh pack\"", "\"format\" is \"mesh pack\""},
        {"[0, 0, 128, 63.5]", "[0, 0, 129, 63.5]", "extent"},
        {"[0, 0, 128, 63.5]", "[-1, 0, 128, 63.5]", "extent"},
        {"[0, 0, 128, 63.5]", "[0, 64, 128, 63.5]", "extent"},
        {"[0, 0, 128, 63.5]", "[0, 0, 128]", "\"extent\" is [0,0,128], expected four numbers"},
        {"[0, 0, 128, 63.5]", "[0, 0, 128, 63.5, 1]", "\"extent\""},
        {"[0, 0, 128, 63.5]", "null", "\"extent\" is null"},
        {"\"18446744073709551615\"", "\"18446744073709551616\"", "\"seed\""},
        {"\"18446744073709551615\"", "\"-1\"", "\"seed\""},
        {"\"18446744073709551615\"", "\"\"", "\"seed\""},
        {"\"18446744073709551615\"", "7", "\"seed\""},
        {"\"18446744073709551615\"", "\"07\"", "checksum"},
        {"\"bytes\": 12", "\"bytes\": -12", "\"log\""},
        {"\"bytes\": 12", "\"byte\": 12", "\"log\""},
        {"\"bytes\": 12", "\"bytes\": 12, \"name\": 0", "\"log\""},
        {"\"bytes\": 12", "\"bytes\": 2000000000", "\"log\""},
        {"\"origin_easting\": -0.1", "\"origin_easting\": null", "\"georeference\""},
        {"\"source\": \"", "\"source\": \"\\u0000", "NUL"},
        {"[2, 1]", "[2,  1]", "byte 333 is not in the canonical form"},
    };
    struct tr_world_json json = sample_json();
    struct tr_writer text = text_of(&json);
    char long_source[400];

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char *changed = replaced((char *)text.bytes, changes[i].part, changes[i].by);

        assert_json_refused(changed, strlen(changed), changes[i].what);
        free(changed);
    }
    snprintf(long_source, sizeof long_source, "\"source\": \"%0300d", 0);
    {
        char *changed = replaced((char *)text.bytes, "\"source\": \"", long_source);

        assert_json_refused(changed, strlen(changed), "\"source\"");
        free(changed);
    }
    assert_json_refused("[]\n", 3, "not an object");
    assert_json_refused("", 0, "");
    tr_writer_release(&text);
}

static void infos_that_the_format_cannot_hold_are_refused(void **state)
{
    struct tr_error error = {0};
    struct tr_world_info good = sample_json().info, bad;

    (void)state;
    assert_int_equal(tr_world_info_check(&good, &error), TR_OK);
#define REFUSED(change, what)                                                                                \
    do {                                                                                                     \
        bad = good;                                                                                          \
        change;                                                                                              \
        assert_int_equal(tr_world_info_check(&bad, &error), TR_BAD_INPUT);                                   \
        if (!strstr(error.text, what))                                                                       \
            fail_msg("refused by \"%s\", expected it to name %s", error.text, what);                         \
    } while (0)
    REFUSED(bad.size_x = 0, "0 x 1 chunks");
    REFUSED(bad.size_z = 500001, "2 x 500001 chunks");
    REFUSED(bad.voxel_size = NAN, "voxel size");
    REFUSED(bad.voxel_size = INFINITY, "voxel size");
    REFUSED(bad.extent[3] = NAN, "extent");
    REFUSED(bad.extent[0] = 128.5, "extent");
    REFUSED(bad.origin_northing = INFINITY, "georeference");
    REFUSED(memset(bad.source, 'x', sizeof bad.source), "source");
}

static void the_examples_of_the_format_are_what_is_written(void **state)
{
    struct tr_error error = {0};
    struct tr_index_entry entries[4];
    struct tr_world_json json = {.info = {.size_x = 1,
                                          .size_z = 1,
                                          .voxel_size = 0.5,
                                          .extent = {0, 0, 64, 60.5},
                                          .has_seed = true,
                                          .seed = 7,
                                          .source = "noise"}};
    struct tr_writer index = {0}, text;
    uint8_t example[FORMAT_EXAMPLE_BYTES];
    char example_text[FORMAT_EXAMPLE_BYTES];
    size_t size_bytes = format_example("```hex index\n", example);

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct tr_chunk chunk;
        int16_t *samples;

        chunk_gen_init(&chunk, i % 2, i / 2, i % 2 ? 1 : 64, i / 2 ? 1 : 64);
        if (i == 3) {
            chunk.heights[0] = 300;
            assert_int_equal(tr_chunk_add_block(&chunk, 0, &samples, &error), TR_OK);
            for (int y = 0; y < 64; y++)
                samples[tr_block_index(0, y, 0)] = (int16_t)(127 * y - 429);
        }
        entries[i] = (struct tr_index_entry){.cx = i % 2, .cz = i / 2, .hash = tr_chunk_hash(&chunk)};
        tr_chunk_release(&chunk);
    }
    tr_index_write(entries, 1, 1, &index);
    assert_int_equal(size_bytes, 128);
    assert_int_equal(index.size_bytes, size_bytes);
    assert_memory_equal(index.bytes, example, size_bytes);

    assert_int_equal(tr_index_world_hash(entries, &json.info, &json.hash, &error), TR_OK);
    text = text_of(&json);
    assert_int_equal(format_example_text("```json\n", example_text), 233);
    assert_string_equal((char *)text.bytes, example_text);
    tr_writer_release(&index);
    tr_writer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_comes_back_as_it_was_written),
        cmocka_unit_test(every_flipped_bit_of_an_index_is_refused),
        cmocka_unit_test(every_other_length_of_an_index_is_refused),
        cmocka_unit_test(a_forged_index_is_refused_for_what_it_breaks),
        cmocka_unit_test(a_short_index_that_claims_a_million_chunks_is_refused_by_its_length),
        cmocka_unit_test(the_world_hash_depends_on_size_voxel_size_and_every_chunk),
        cmocka_unit_test(world_json_comes_back_as_it_was_written),
        cmocka_unit_test(every_changed_byte_of_world_json_is_refused),
        cmocka_unit_test(every_other_length_of_world_json_is_refused),
        cmocka_unit_test(a_wrong_member_is_refused_by_line_and_name),
        cmocka_unit_test(infos_that_the_format_cannot_hold_are_refused),
        cmocka_unit_test(the_examples_of_the_format_are_what_is_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
