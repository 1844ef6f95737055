/* The smallest parts of lib/base: error lines, memory, byte buffers, hashes, instruction set levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/alloc.h"
#include "lib/base/bytes.h"
#include "lib/base/hash.h"
#include "lib/base/isa.h"
#include "lib/base/status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- status ---- */

static void error_is_formatted_and_status_returned(void **state)
{
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(tr_fail(&error, TR_BAD_INPUT, "%s:%d: %s", "edits.json", 7, "radius is missing"),
                     TR_BAD_INPUT);
    assert_int_equal(error.status, TR_BAD_INPUT);
    assert_string_equal(error.text, "edits.json:7: radius is missing");
    assert_int_equal(tr_fail(NULL, TR_NO, "nobody wants %s", "this"), TR_NO);
}

static void error_may_quote_its_own_text(void **state)
{
    struct tr_error error = {0};

    (void)state;
    tr_fail(&error, TR_IO, "cannot read");
    tr_fail(&error, error.status, "world: %s", error.text);
    assert_string_equal(error.text, "world: cannot read");
}

static void control_characters_cannot_fake_a_second_line(void **state)
{
    struct tr_error error = {0};

    (void)state;
    tr_fail(&error, TR_BAD_INPUT, "name \"%s\"", "a\nb\r\t\x1b[2J\x7f\xc2\x9b");
    assert_string_equal(error.text, "name \"a?b???[2J???\"");
    tr_fail(&error, TR_BAD_INPUT, "name \"%s\"", "caf\xc3\xa9");
    assert_string_equal(error.text, "name \"caf\xc3\xa9\"");
}

static void long_text_is_cut_behind_a_whole_character(void **state)
{
    char name[3 * TR_ERROR_TEXT_BYTES];
    struct tr_error error = {0};

    (void)state;
    for (size_t shift = 0; shift < 3; shift++) {
        size_t length;

        memset(name, 'x', sizeof name);
        for (size_t i = shift; i + 3 < sizeof name; i += 3)
            memcpy(name + i, "\xe2\x82\xac", 3);
        name[sizeof name - 1] = '\0';
        tr_fail(&error, TR_BAD_INPUT, "%s", name);
        length = strlen(error.text);
        assert_in_range(length, TR_ERROR_TEXT_BYTES - 4, TR_ERROR_TEXT_BYTES - 1);
        assert_string_equal(error.text + length - 3, "...");
        assert_int_equal((length - 3 - shift) % 3, 0);
    }
    memset(name, 'x', TR_ERROR_TEXT_BYTES - 1);
    name[TR_ERROR_TEXT_BYTES - 1] = '\0';
    tr_fail(&error, TR_BAD_INPUT, "%s", name);
    assert_string_equal(error.text, name);
}

static void system_error_carries_its_reason(void **state)
{
    struct tr_error error = {0};

    (void)state;
    errno = ENOENT;
    assert_int_equal(tr_fail_errno(&error, "cannot open \"%s\"", "a"), TR_IO);
    assert_int_equal(error.status, TR_IO);
    assert_string_equal(error.text, "cannot open \"a\": No such file or directory");
}

/* ---- alloc ---- */

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    for (size_t count = 0; count < 300; count += 37) {
        struct tr_error error = {0};
        uint8_t *bytes = tr_alloc(count, 3, &error);

        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % 64, 0);
        for (size_t i = 0; i < count * 3; i++)
            assert_int_equal(bytes[i], 0);
        free(bytes);
    }
}

static void overflowing_size_is_refused(void **state)
{
    struct tr_error error = {0};
    int *array = NULL;
    size_t capacity = 0;

    (void)state;
    assert_null(tr_alloc(SIZE_MAX / 2, 4, &error));
    assert_int_equal(error.status, TR_IO);
    assert_null(tr_alloc(SIZE_MAX, 1, NULL));
    assert_int_equal(tr_grow(&array, &capacity, SIZE_MAX / 2, sizeof *array, &error), TR_IO);
    assert_null(array);
    assert_int_equal(capacity, 0);
}

static void growing_keeps_the_old_and_zeroes_the_new(void **state)
{
    int *array = NULL;
    size_t capacity = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(tr_grow(&array, &capacity, (size_t)i + 1, sizeof *array, NULL), TR_OK);
        assert_true(capacity > (size_t)i);
        assert_int_equal(array[i], 0);
        array[i] = i + 1;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(array[i], i + 1);
    free(array);
}

/* ---- bytes ---- */

static void numbers_are_stored_low_byte_first(void **state)
{
    static const uint8_t expected[] = {0x01, 0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 0x0f, 0x0e, 0x0d, 0x0c, 0x0b,
                                       0x0a, 0x09, 0x08, 0xfe, 0xff, 0xff, 0xff, 0,    0,    0x80, 0x3f, 0,
                                       0,    0,    0,    0,    0,    0x04, 0xc0, 'n',  '=',  '5'};
    struct tr_writer writer = {0};

    (void)state;
    tr_write_u8(&writer, 1);
    tr_write_u16(&writer, 0x0203);
    tr_write_u32(&writer, 0x04050607);
    tr_write_u64(&writer, 0x08090a0b0c0d0e0f);
    tr_write_i32(&writer, -2);
    tr_write_f32(&writer, 1.0f);
    tr_write_f64(&writer, -2.5);
    tr_write_text(&writer, "n=%d", 5);
    assert_false(writer.failed);
    assert_int_equal(writer.size_bytes, sizeof expected);
    assert_memory_equal(writer.bytes, expected, sizeof expected);
    tr_writer_release(&writer);
    assert_null(writer.bytes);
}

static void reader_returns_what_the_writer_wrote(void **state)
{
    struct tr_writer writer = {0};
    struct tr_reader reader = {0};

    (void)state;
    tr_write_u8(&writer, 200);
    tr_write_u16(&writer, 60000);
    tr_write_u32(&writer, 4000000000u);
    tr_write_u64(&writer, UINT64_MAX - 1);
    tr_write_i32(&writer, INT32_MIN);
    tr_write_f64(&writer, 0.1);
    tr_write_bytes(&writer, "abc", 3);
    reader = (struct tr_reader){.bytes = writer.bytes, .size_bytes = writer.size_bytes};
    assert_int_equal(tr_read_u8(&reader), 200);
    assert_int_equal(tr_read_u16(&reader), 60000);
    assert_int_equal(tr_read_u32(&reader), 4000000000u);
    assert_true(tr_read_u64(&reader) == UINT64_MAX - 1);
    assert_true(tr_read_i32(&reader) == INT32_MIN);
    assert_true(tr_read_f64(&reader) == 0.1);
    assert_memory_equal(tr_read_bytes(&reader, 3), "abc", 3);
    assert_false(reader.failed);
    assert_int_equal(reader.at, reader.size_bytes);
    tr_writer_release(&writer);
}

static void reading_past_the_end_fails_for_good(void **state)
{
    static const uint8_t bytes[] = {1, 2, 3, 4, 5};

    (void)state;
    struct tr_reader reader = {.bytes = bytes, .size_bytes = sizeof bytes};
    assert_int_equal(tr_read_u32(&reader), 0x04030201);
    assert_int_equal(tr_read_u16(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(tr_read_u8(&reader), 0);
    assert_null(tr_read_bytes(&reader, 0));

    reader = (struct tr_reader){.bytes = bytes, .size_bytes = sizeof bytes, .at = 1};
    assert_null(tr_read_bytes(&reader, SIZE_MAX));
    assert_true(reader.failed);
    reader = (struct tr_reader){0};
    assert_int_equal(tr_read_u64(&reader), 0);
    assert_true(reader.failed);
}

static void long_text_is_written_whole(void **state)
{
    struct tr_writer writer = {0};

    (void)state;
    tr_write_text(&writer, "%5000d", 7);
    tr_write_text(&writer, "%s", "");
    assert_int_equal(writer.size_bytes, 5000);
    assert_int_equal(writer.bytes[4999], '7');
    tr_writer_release(&writer);
}

/* ---- hash ---- */

static void hash_is_xxh3_with_128_bits(void **state)
{
    char text[33];

    (void)state;
    tr_hash_text(tr_hash_bytes("", 0), text); /* the value that the xxHash specification gives for no bytes */
    assert_string_equal(text, "99aa06d3014798d86001c324468d497f");
}

static void hash_in_pieces_equals_hash_at_once(void **state)
{
    uint8_t bytes[5000];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    for (size_t piece = 1; piece < 2000; piece = piece * 3 + 1) {
        struct tr_hasher *hasher = tr_hasher_create();

        assert_non_null(hasher);
        for (size_t at = 0; at < sizeof bytes; at += piece)
            tr_hasher_add(hasher, bytes + at, sizeof bytes - at < piece ? sizeof bytes - at : piece);
        assert_true(tr_hash_equal(tr_hasher_done(hasher), tr_hash_bytes(bytes, sizeof bytes)));
    }
}

static void hashed_numbers_are_low_byte_first(void **state)
{
    static const uint8_t bytes[] = {4, 3, 2, 1, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11};
    struct tr_hasher *hasher = tr_hasher_create();

    (void)state;
    assert_non_null(hasher);
    tr_hasher_add_u32(hasher, 0x01020304);
    tr_hasher_add_u64(hasher, 0x1112131415161718);
    assert_true(tr_hash_equal(tr_hasher_done(hasher), tr_hash_bytes(bytes, sizeof bytes)));
}

static void hash_text_reads_back_and_all_else_is_refused(void **state)
{
    static const char *const wrong[] = {
        "", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef0",
        "0123456789abcdef0123456789abcdeF", "0123456789abcdef0123456789abcde "};
    struct tr_hash hash = {0}, read = {0};
    char text[33];

    (void)state;
    assert_true(tr_hash_from_text("0123456789abcdeffedcba9876543210", &hash));
    assert_true(hash.hi == 0x0123456789abcdef && hash.lo == 0xfedcba9876543210);
    tr_hash_text(hash, text);
    assert_string_equal(text, "0123456789abcdeffedcba9876543210");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (tr_hash_from_text(wrong[i], &read))
            fail_msg("\"%s\" was read as a hash", wrong[i]);
}

/* ---- isa ---- */

static void environment_lowers_the_level_but_never_raises_it(void **state)
{
    int highest;

    (void)state;
    unsetenv("TERRAIN_ISA");
    highest = tr_isa_pick();
    assert_in_range(highest, 0, TR_ISA_LEVELS - 1);
    for (int level = 0; level < TR_ISA_LEVELS; level++) {
        setenv("TERRAIN_ISA", tr_isa_name(level), 1);
        assert_int_equal(tr_isa_pick(), level < highest ? level : highest);
    }
    setenv("TERRAIN_ISA", "v9", 1);
    assert_int_equal(tr_isa_pick(), highest);
    unsetenv("TERRAIN_ISA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_is_formatted_and_status_returned),
        cmocka_unit_test(error_may_quote_its_own_text),
        cmocka_unit_test(control_characters_cannot_fake_a_second_line),
        cmocka_unit_test(long_text_is_cut_behind_a_whole_character),
        cmocka_unit_test(system_error_carries_its_reason),
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(overflowing_size_is_refused),
        cmocka_unit_test(growing_keeps_the_old_and_zeroes_the_new),
        cmocka_unit_test(numbers_are_stored_low_byte_first),
        cmocka_unit_test(reader_returns_what_the_writer_wrote),
        cmocka_unit_test(reading_past_the_end_fails_for_good),
        cmocka_unit_test(long_text_is_written_whole),
        cmocka_unit_test(hash_is_xxh3_with_128_bits),
        cmocka_unit_test(hash_in_pieces_equals_hash_at_once),
        cmocka_unit_test(hashed_numbers_are_low_byte_first),
        cmocka_unit_test(hash_text_reads_back_and_all_else_is_refused),
        cmocka_unit_test(environment_lowers_the_level_but_never_raises_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
