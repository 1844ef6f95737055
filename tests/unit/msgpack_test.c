/* MessagePack: what the reader makes of every format, where it says that values begin, one message for each
 * thing it refuses, its agreement with the reader of JSON, and the one encoding that the writer gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/msgpack.h"

#include <msgpack.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define BYTES(literal) literal, sizeof(literal) - 1

/* ---- helpers ---- */

static const char *hex(const void *bytes, size_t size_bytes)
{
    static char text[3 * 48 + 4];
    size_t shown = size_bytes < 48 ? size_bytes : 48, length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < shown; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%02x", i ? " " : "",
                                   ((const uint8_t *)bytes)[i]);
    if (shown < size_bytes)
        snprintf(text + length, sizeof text - length, "...");
    return text;
}

/* The bytes are copied to memory of exactly their size, so that a sanitizer watches the byte behind. */
static enum tr_status parse_exact(const void *bytes, size_t size_bytes, cJSON **tree, struct tr_error *error)
{
    uint8_t *exact = malloc(size_bytes > 0 ? size_bytes : 1);
    enum tr_status status;

    assert_non_null(exact);
    if (size_bytes > 0)
        memcpy(exact, bytes, size_bytes);
    status = tr_msgpack_parse(exact, size_bytes, "log", tree, error);
    free(exact);
    return status;
}

static cJSON *parse(const void *bytes, size_t size_bytes)
{
    struct tr_error error = {0};
    cJSON *tree;

    if (parse_exact(bytes, size_bytes, &tree, &error) != TR_OK)
        fail_msg("%s: refused: %s", hex(bytes, size_bytes), error.text);
    return tree;
}

static void assert_refused(const void *bytes, size_t size_bytes, const char *message)
{
    struct tr_error error = {0};
    cJSON *tree = NULL;
    enum tr_status status = parse_exact(bytes, size_bytes, &tree, &error);

    if (status != TR_BAD_INPUT || tree || strcmp(error.text, message) != 0)
        fail_msg("%s: status %d, found \"%s\", expected \"%s\"", hex(bytes, size_bytes), status, error.text,
                 message);
}

static cJSON *parse_json(const char *text)
{
    struct tr_error error = {0};
    cJSON *tree;

    if (tr_json_parse(text, strlen(text), "text", 1, &tree, &error) != TR_OK)
        fail_msg("%s", error.text);
    return tree;
}

/* Same kinds, numbers, strings, keys and order; only the places may differ. */
static bool tree_equal(const cJSON *a, const cJSON *b)
{
    if (!a || !b)
        return a == b;
    if (a->type != b->type || (cJSON_IsNumber(a) && a->valuedouble != b->valuedouble) ||
        (cJSON_IsString(a) && strcmp(a->valuestring, b->valuestring) != 0))
        return false;
    for (a = a->child, b = b->child; a && b; a = a->next, b = b->next)
        if (!a->string != !b->string || (a->string && strcmp(a->string, b->string) != 0) || !tree_equal(a, b))
            return false;
    return a == b;
}

static void assert_written(const cJSON *tree, const char *label, const void *bytes, size_t size_bytes)
{
    struct tr_writer writer = {0};
    struct tr_error error = {0};

    if (tr_msgpack_write(tree, &writer, &error) != TR_OK)
        fail_msg("%s: %s", label, error.text);
    if (writer.size_bytes != size_bytes || memcmp(writer.bytes, bytes, size_bytes) != 0) {
        print_error("%s: expected %zu bytes, %s\n", label, size_bytes, hex(bytes, size_bytes));
        fail_msg("%s: found %zu bytes, %s", label, writer.size_bytes, hex(writer.bytes, writer.size_bytes));
    }
    tr_writer_release(&writer);
}

/* ---- reading ---- */

struct both {
    const char *bytes;
    size_t size_bytes;
    const char *json;
};

/* The shortest encoding of each document; what the writer gives too. */
static const struct both canonical[] = {
    {BYTES("\xc0"), "null"},
    {BYTES("\xc2"), "false"},
    {BYTES("\xc3"), "true"},
    {BYTES("\x00"), "0"},
    {BYTES("\x7f"), "127"},
    {BYTES("\xff"), "-1"},
    {BYTES("\xe0"), "-32"},
    {BYTES("\xcc\x80"), "128"},
    {BYTES("\xcc\xff"), "255"},
    {BYTES("\xcd\x01\x00"), "256"},
    {BYTES("\xcd\xff\xff"), "65535"},
    {BYTES("\xce\x00\x01\x00\x00"), "65536"},
    {BYTES("\xce\xff\xff\xff\xff"), "4294967295"},
    {BYTES("\xcf\x00\x00\x00\x01\x00\x00\x00\x00"), "4294967296"},
    {BYTES("\xcf\x00\x20\x00\x00\x00\x00\x00\x00"), "9007199254740992"},
    {BYTES("\xcf\x00\x20\x00\x00\x00\x00\x00\x00"), "9007199254740992.0"},
    {BYTES("\xd0\xdf"), "-33"},
    {BYTES("\xd0\x80"), "-128"},
    {BYTES("\xd1\xff\x7f"), "-129"},
    {BYTES("\xd1\x80\x00"), "-32768"},
    {BYTES("\xd2\xff\xff\x7f\xff"), "-32769"},
    {BYTES("\xd2\x80\x00\x00\x00"), "-2147483648"},
    {BYTES("\xd3\xff\xff\xff\xff\x7f\xff\xff\xff"), "-2147483649"},
    {BYTES("\xd3\xff\xe0\x00\x00\x00\x00\x00\x00"), "-9007199254740992"},
    {BYTES("\xca\x3f\x00\x00\x00"), "0.5"},
    {BYTES("\xca\xc0\x20\x00\x00"), "-2.5"},
    {BYTES("\xca\x7f\x7f\xff\xff"), "340282346638528859811704183484516925440.0"},
    {BYTES("\xca\x5b\x00\x00\x00"), "36028797018963968.0"},
    {BYTES("\xca\x3d\xcc\xcc\xcd"), "0.100000001490116119384765625"},
    {BYTES("\xca\x00\x00\x00\x01"), "1.401298464324817070923729583289916131280e-45"},
    {BYTES("\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a"), "0.1"},
    {BYTES("\xcb\x7e\x37\xe4\x3c\x88\x00\x75\x9c"), "1e300"},
    {BYTES("\xcb\x43\x40\x00\x00\x00\x00\x00\x01"), "9007199254740994.0"},
    {BYTES("\xcb\xff\xef\xff\xff\xff\xff\xff\xff"), "-1.7976931348623157e308"},
    {BYTES("\xcb\x00\x00\x00\x00\x00\x00\x00\x01"), "5e-324"},
    {BYTES("\xa0"), "\"\""},
    {BYTES("\xa3\x61\x0a\x7f"), "\"a\\n\x7f\""},
    {BYTES("\xa9\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "\"\xc3\xa9\\u20ac\\ud83d\\ude00\""},
    {BYTES("\x90"), "[]"},
    {BYTES("\x80"), "{}"},
    {BYTES("\x93\x01\x91\x90\xc0"), "[1,[[]],null]"},
    {BYTES("\x82\xa1\x62\x81\xa0\x01\xa1\x61\x80"), "{\"b\":{\"\":1},\"a\":{}}"},
};

/* The same kinds of values under headers that are wider than they must be. */
static const struct both wide[] = {
    {BYTES("\xcc\x01"), "1"},
    {BYTES("\xcd\x00\x01"), "1"},
    {BYTES("\xce\x00\x00\x00\x01"), "1"},
    {BYTES("\xcf\x00\x00\x00\x00\x00\x00\x00\x01"), "1"},
    {BYTES("\xd0\x01"), "1"},
    {BYTES("\xd1\x00\x01"), "1"},
    {BYTES("\xd1\xff\xff"), "-1"},
    {BYTES("\xd2\x00\x00\x00\x01"), "1"},
    {BYTES("\xd2\xff\xff\xff\xff"), "-1"},
    {BYTES("\xd3\x00\x00\x00\x00\x00\x00\x00\x01"), "1"},
    {BYTES("\xd3\xff\xff\xff\xff\xff\xff\xff\xff"), "-1"},
    {BYTES("\xd3\x00\x20\x00\x00\x00\x00\x00\x00"), "9007199254740992"},
    {BYTES("\xca\x3f\x80\x00\x00"), "1"},
    {BYTES("\xca\x80\x00\x00\x00"), "-0"},
    {BYTES("\xcb\x3f\xe0\x00\x00\x00\x00\x00\x00"), "0.5"},
    {BYTES("\xcb\x43\x40\x00\x00\x00\x00\x00\x00"), "9007199254740992"},
    {BYTES("\xd9\x00"), "\"\""},
    {BYTES("\xd9\x01\x61"), "\"a\""},
    {BYTES("\xda\x00\x01\x61"), "\"a\""},
    {BYTES("\xdb\x00\x00\x00\x01\x61"), "\"a\""},
    {BYTES("\xdc\x00\x00"), "[]"},
    {BYTES("\xdc\x00\x01\xc0"), "[null]"},
    {BYTES("\xdd\x00\x00\x00\x01\xc0"), "[null]"},
    {BYTES("\xde\x00\x00"), "{}"},
    {BYTES("\xde\x00\x01\xa1\x61\xc0"), "{\"a\":null}"},
    {BYTES("\xdf\x00\x00\x00\x01\xdb\x00\x00\x00\x01\x61\xc0"), "{\"a\":null}"},
};

static void assert_same_documents(const struct both *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cJSON *read = parse(table[i].bytes, table[i].size_bytes), *expected = parse_json(table[i].json);

        if (!tree_equal(read, expected)) {
            char *text = cJSON_PrintUnformatted(read);

            fail_msg("%s: found %s, expected %s", hex(table[i].bytes, table[i].size_bytes), text,
                     table[i].json);
        }
        cJSON_Delete(read);
        cJSON_Delete(expected);
    }
}

static void every_format_is_read_as_the_same_document_in_json(void **state)
{
    (void)state;
    assert_same_documents(canonical, COUNT(canonical));
    assert_same_documents(wide, COUNT(wide));
}

static void each_value_knows_its_byte_offset(void **state)
{
    static const char bytes[] = "\x82\xa1\x61\x93\xcd\x01\x00\x80\xc0\xd9\x01\x62\xa1\x78";
    cJSON *tree = parse(BYTES(bytes)), *a = tree->child, *b = a->next;

    (void)state;
    assert_int_equal(tr_msgpack_offset(tree), 0);
    assert_string_equal(a->string, "a");
    assert_int_equal(tr_msgpack_offset(a), 3);
    assert_int_equal(tr_msgpack_offset(cJSON_GetArrayItem(a, 0)), 4);
    assert_int_equal(tr_msgpack_offset(cJSON_GetArrayItem(a, 1)), 7);
    assert_int_equal(tr_msgpack_offset(cJSON_GetArrayItem(a, 2)), 8);
    assert_string_equal(b->string, "b");
    assert_int_equal(tr_msgpack_offset(b), 12);
    cJSON_Delete(tree);
}

static void documents_that_json_refuses_are_refused_here_too(void **state)
{
    static const struct both table[] = {
        {BYTES("\xcf\x00\x20\x00\x00\x00\x00\x00\x01"), "9007199254740993"},
        {BYTES("\xd3\xff\xdf\xff\xff\xff\xff\xff\xff"), "-9007199254740993"},
        {BYTES("\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00"), "1e999"},
        {BYTES("\x82\xa1\x61\x01\xa1\x61\x01"), "{\"a\":1,\"a\":1}"},
        {BYTES("\x81\x01\x02"), "{1:2}"},
        {BYTES("\x81\xc0\x02"), "{null:2}"},
        {BYTES("\xa1\x00"), "\"\\u0000\""},
        {BYTES("\x81\xa1\x00\x01"), "{\"\\u0000\":1}"},
        {BYTES("\xa1\x80"), "\"\x80\""},
        {BYTES("\xa2\xc0\x80"), "\"\xc0\x80\""},
        {BYTES("\xa3\xed\xa0\x80"), "\"\xed\xa0\x80\""},
        {BYTES("\xa4\xf4\x90\x80\x80"), "\"\xf4\x90\x80\x80\""},
        {BYTES("\xa2\xe2\x82"), "\"\xe2\x82\""},
        {BYTES("\x01\x02"), "1 2"},
        {BYTES(""), ""},
        {BYTES("\x92\x01"), "[1,"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        struct tr_error error = {0};
        cJSON *tree;

        if (parse_exact(table[i].bytes, table[i].size_bytes, &tree, &error) != TR_BAD_INPUT)
            fail_msg("%s was read", hex(table[i].bytes, table[i].size_bytes));
        if (tr_json_parse(table[i].json, strlen(table[i].json), "text", 1, &tree, &error) != TR_BAD_INPUT)
            fail_msg("%s was read", table[i].json);
    }
}

static void values_that_json_lacks_are_refused_by_name(void **state)
{
    static const struct {
        const char *bytes;
        size_t size_bytes;
        const char *found;
    } table[] = {
        {BYTES("\xc1"), "byte 0xc1"},
        {BYTES("\xc4\x01\x00"), "bin 8"},
        {BYTES("\xc5\x00\x00"), "bin 16"},
        {BYTES("\xc6\x00\x00\x00\x00"), "bin 32"},
        {BYTES("\xc7\x01\x05\x00"), "ext 8 of type 5"},
        {BYTES("\xc7\x00"), "ext 8"}, /* its type is cut off */
        {BYTES("\xc8\x00\x01\x80\x00"), "ext 16 of type -128"},
        {BYTES("\xc9\x00\x00\x00\x00\x7f"), "ext 32 of type 127"},
        {BYTES("\xd4\x07\x00"), "fixext 1 of type 7"},
        {BYTES("\xd5\x07\x00\x00"), "fixext 2 of type 7"},
        {BYTES("\xd6\x07\x00\x00\x00\x00"), "fixext 4 of type 7"},
        {BYTES("\xd7\x07"), "fixext 8 of type 7"},
        {BYTES("\xd8\x07"), "fixext 16 of type 7"},
        {BYTES("\xd6\xff\x00\x00\x00\x00"), "a timestamp"},
        {BYTES("\xd7\xff\x00\x00\x00\x00\x00\x00\x00\x00"), "a timestamp"},
        {BYTES("\xc7\x0c\xff"), "a timestamp"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char bytes[16] = "\x91", message[160];

        memcpy(bytes + 1, table[i].bytes, table[i].size_bytes);
        snprintf(
            message, sizeof message,
            "log: byte offset 1: found %s, expected nil, a boolean, a number, a string, an array or a map",
            table[i].found);
        assert_refused(bytes, table[i].size_bytes + 1, message);
    }
}

static void each_refusal_names_its_offset_what_was_found_and_expected(void **state)
{
    static const struct {
        const char *bytes;
        size_t size_bytes;
        const char *message;
    } table[] = {
        {BYTES(""), "log: byte offset 0: bytes end, expected a value"},
        {BYTES("\x90\xc0"), "log: byte offset 1: found byte 0xc0, expected the end behind the value"},
        {BYTES("\xcf\x00\x20\x00\x00\x00\x00\x00\x01"), "log: byte offset 0: number 9007199254740993 is too "
                                                        "large, expected integers from -2^53 to 2^53"},
        {BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), "log: byte offset 0: number 18446744073709551615 is "
                                                        "too large, expected integers from -2^53 to 2^53"},
        {BYTES("\xd3\x80\x00\x00\x00\x00\x00\x00\x00"), "log: byte offset 0: number -9223372036854775808 is "
                                                        "too large, expected integers from -2^53 to 2^53"},
        {BYTES("\xd3\x00\x20\x00\x00\x00\x00\x00\x01"), "log: byte offset 0: number 9007199254740993 is too "
                                                        "large, expected integers from -2^53 to 2^53"},
        {BYTES("\x91\xca\x7f\x80\x00\x00"),
         "log: byte offset 1: float 32 is infinite, expected a finite number"},
        {BYTES("\xca\x7f\x80\x00\x01"), "log: byte offset 0: float 32 is not a number, expected a finite "
                                        "number"},
        {BYTES("\xcb\xff\xf0\x00\x00\x00\x00\x00\x00"),
         "log: byte offset 0: float 64 is infinite, expected a finite number"},
        {BYTES("\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"),
         "log: byte offset 0: float 64 is not a number, expected a finite number"},
        {BYTES("\xa3\x61\x00\x62"), "log: byte offset 2: string holds a NUL, expected none"},
        {BYTES("\xa3\x61\x62\xff"), "log: byte offset 3: found byte 0xff, expected UTF-8"},
        {BYTES("\x92\xa1\xc3\xa9"), "log: byte offset 2: found byte 0xc3, expected UTF-8"},
        {BYTES("\x81\xa2\x61\x80\x01"), "log: byte offset 3: found byte 0x80, expected UTF-8"},
        {BYTES("\x81\x01\x02"), "log: byte offset 1: found positive fixint as a key, expected a string"},
        {BYTES("\x81\xc4\x00\x02"), "log: byte offset 1: found bin 8 as a key, expected a string"},
        {BYTES("\x81\x90\x02"), "log: byte offset 1: found fixarray as a key, expected a string"},
        {BYTES("\x82\xa1\x61\x01\xd9\x01\x61\x02"), "log: byte offset 4: key \"a\" appears twice in one map"},
        {BYTES("\x82\xa0\x01\xa0\x02"), "log: byte offset 3: key \"\" appears twice in one map"},
        {BYTES("\x91\x84\xa1\x62\x01\xa1\x61\x80\xa1\x61\x80\xa1\x62\x00"),
         "log: byte offset 8: key \"a\" appears twice in one map"},
        {BYTES("\x82\xa1\x6b\x81\xa1\x6b\x01\xa1\x6b\x02"),
         "log: byte offset 7: key \"k\" appears twice in one map"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(table); i++)
        assert_refused(table[i].bytes, table[i].size_bytes, table[i].message);
}

static void one_key_may_stand_in_many_maps(void **state)
{
    cJSON *tree = parse(BYTES("\x82\xa1\x61\x81\xa1\x61\x01\xa1\x41\x92\x81\xa1\x61\x01\x81\xa1\x61\x01"));
    cJSON *expected = parse_json("{\"a\":{\"a\":1},\"A\":[{\"a\":1},{\"a\":1}]}");

    (void)state;
    assert_true(tree_equal(tree, expected));
    cJSON_Delete(tree);
    cJSON_Delete(expected);
}

static void one_repetition_among_very_many_keys_is_found(void **state)
{
    enum { KEYS = 65535, KEY_BYTES = 7 };
    uint8_t *bytes = malloc(3 + KEYS * KEY_BYTES);
    uint8_t *at = bytes;

    (void)state;
    assert_non_null(bytes);
    memcpy(at, "\xde\xff\xff", 3);
    at += 3;
    for (int i = 0; i < KEYS; i++, at += KEY_BYTES)
        snprintf((char *)at, KEY_BYTES, "\xa5%05d", i == 60000 ? 123 : i);
    for (at = bytes + 3; at < bytes + 3 + KEYS * KEY_BYTES; at += KEY_BYTES)
        at[KEY_BYTES - 1] = 0xc0;
    assert_refused(bytes, 3 + KEYS * KEY_BYTES,
                   "log: byte offset 420003: key \"00123\" appears twice in one map");
    memcpy(bytes + 3 + 60000 * KEY_BYTES,
           "\xa5"
           "60000",
           6);
    cJSON_Delete(parse(bytes, 3 + KEYS * KEY_BYTES));
    free(bytes);
}

static void every_truncation_is_refused_with_the_offset_of_what_is_cut(void **state)
{
    static const char bytes[] =
        "\x82\xa1\x61\x93\xcd\x01\x00\xca\x3f\x80\x00\x00\xc0\xd9\x01\x62\xa2\xc3\xa9";
    static const char *const messages[] = {
        "0: bytes end, expected a value",
        "0: fixmap of 2 pairs is cut, found 0 bytes behind its header, expected at least 4",
        "0: fixmap of 2 pairs is cut, found 1 bytes behind its header, expected at least 4",
        "0: fixmap of 2 pairs is cut, found 2 bytes behind its header, expected at least 4",
        "0: fixmap of 2 pairs is cut, found 3 bytes behind its header, expected at least 4",
        "3: fixarray of 3 values is cut, found 1 bytes behind its header, expected at least 3",
        "3: fixarray of 3 values is cut, found 2 bytes behind its header, expected at least 3",
        "7: bytes end, expected a value",
        "7: float 32 is cut, found 0 bytes behind the first, expected 4",
        "7: float 32 is cut, found 1 bytes behind the first, expected 4",
        "7: float 32 is cut, found 2 bytes behind the first, expected 4",
        "7: float 32 is cut, found 3 bytes behind the first, expected 4",
        "12: bytes end, expected a value",
        "13: bytes end, expected a key",
        "13: str 8 is cut, found 0 bytes behind the first, expected 1",
        "13: str 8 of 1 bytes is cut, found 0 bytes behind its header, expected at least 1",
        "16: bytes end, expected a value",
        "16: fixstr of 2 bytes is cut, found 0 bytes behind its header, expected at least 2",
        "16: fixstr of 2 bytes is cut, found 1 bytes behind its header, expected at least 2",
    };

    (void)state;
    assert_int_equal(COUNT(messages), sizeof bytes - 1);
    for (size_t length = 0; length < COUNT(messages); length++) {
        char message[160];

        snprintf(message, sizeof message, "log: byte offset %s", messages[length]);
        assert_refused(bytes, length, message);
    }
    cJSON_Delete(parse(BYTES(bytes)));
}

/* ---- memory ---- */

static size_t allocated_bytes, allocations_left;

static void *counting_malloc(size_t size_bytes)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left--;
    allocated_bytes += size_bytes;
    return malloc(size_bytes);
}

static cJSON_Hooks counting_hooks = {counting_malloc, free};

static int hooks_install(void **state)
{
    (void)state;
    allocated_bytes = 0;
    allocations_left = SIZE_MAX;
    cJSON_InitHooks(&counting_hooks);
    return 0;
}

static int hooks_remove(void **state)
{
    (void)state;
    cJSON_InitHooks(NULL);
    return 0;
}

static void a_claim_is_refused_before_memory_is_taken_for_it(void **state)
{
    static const struct {
        const char *bytes;
        size_t size_bytes;
        const char *message;
    } table[] = {
        {BYTES("\xdd\xff\xff\xff\xff\x00\x00\x00\x00\x00"),
         "log: byte offset 0: array 32 of 4294967295 values is cut, found 5 bytes behind its header, "
         "expected "
         "at least 4294967295"},
        {BYTES("\xdf\xff\xff\xff\xff\xa1\x61\x00\xa1\x62"),
         "log: byte offset 0: map 32 of 4294967295 pairs is cut, found 5 bytes behind its header, expected "
         "at "
         "least 8589934590"},
        {BYTES("\xdb\xff\xff\xff\xff\x61\x61\x61\x61\x61"),
         "log: byte offset 0: str 32 of 4294967295 bytes is cut, found 5 bytes behind its header, expected "
         "at "
         "least 4294967295"},
        {BYTES("\xdc\xff\xff"),
         "log: byte offset 0: array 16 of 65535 values is cut, found 0 bytes behind its "
         "header, expected at least 65535"},
        {BYTES("\xde\x00\x03\xa0\x00\xa1\x61\x00"),
         "log: byte offset 0: map 16 of 3 pairs is cut, found 5 bytes "
         "behind its header, expected at least 6"},
        {BYTES("\x8f"), "log: byte offset 0: fixmap of 15 pairs is cut, found 0 bytes behind its header, "
                        "expected at least 30"},
        {BYTES("\xda\x00\x02\x61"), "log: byte offset 0: str 16 of 2 bytes is cut, found 1 bytes behind its "
                                    "header, expected at least 2"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        allocated_bytes = 0;
        assert_refused(table[i].bytes, table[i].size_bytes, table[i].message);
        if (allocated_bytes > sizeof(cJSON))
            fail_msg("%s: %zu bytes were taken, expected one item", hex(table[i].bytes, table[i].size_bytes),
                     allocated_bytes);
    }
}

static const char sample[] =
    "\x83\xa7"
    "version\x01\xa5"
    "edits\x91\x83\xa2"
    "id\xa4"
    "a\xc3\xa9z\xa2"
    "at\x93"
    "\xca\x3f\xc0\x00\x00\xd1\xf8\x30\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a\xa2"
    "on\xc3"
    "\xa0\xdc\x00\x02\xc0\xdf\x00\x00\x00\x01\xd9\x01x\xcf\x00\x00\x00\x00\x00\x00\x00\x01";

static void lack_of_memory_at_any_item_is_no_bad_input(void **state)
{
    size_t needed = 0;
    enum tr_status status;

    (void)state;
    do {
        struct tr_error error = {0};
        cJSON *tree = NULL;

        allocations_left = needed++;
        status = parse_exact(BYTES(sample), &tree, &error);
        if (status != TR_OK &&
            (status != TR_IO || tree || strcmp(error.text, "out of memory: tree of \"log\"")))
            fail_msg("at allocation %zu: status %d, %s", needed, status, error.text);
        cJSON_Delete(tree);
    } while (status != TR_OK);
    assert_true(needed > 20); /* 13 items, 8 keys and a string */
}

/* ---- nesting and damage ---- */

static void nesting_is_accepted_to_the_limit_and_refused_beyond(void **state)
{
    uint8_t arrays[TR_JSON_DEPTH_MAX + 1], maps[3 * (TR_JSON_DEPTH_MAX + 1)];

    (void)state;
    memset(arrays, 0x91, sizeof arrays);
    for (size_t i = 0; i <= TR_JSON_DEPTH_MAX; i++)
        memcpy(maps + 3 * i, "\x81\xa1k", 3);
    assert_refused(arrays, sizeof arrays, "log: byte offset 256: values nested deeper than 256");
    assert_refused(maps, sizeof maps, "log: byte offset 768: values nested deeper than 256");
    arrays[TR_JSON_DEPTH_MAX] = 0xc0;
    cJSON_Delete(parse(arrays, sizeof arrays));
    maps[3 * TR_JSON_DEPTH_MAX] = 0xc0;
    cJSON_Delete(parse(maps, 3 * TR_JSON_DEPTH_MAX + 1));
}

static void depth_bomb_is_refused(void **state)
{
    size_t size_bytes = (size_t)4 << 20;
    uint8_t *bytes = malloc(size_bytes);

    (void)state;
    assert_non_null(bytes);
    memset(bytes, 0x91, size_bytes);
    assert_refused(bytes, size_bytes, "log: byte offset 256: values nested deeper than 256");
    free(bytes);
}

static void any_changed_byte_is_accepted_or_refused_as_bad_input(void **state)
{
    char bytes[sizeof sample];
    int accepted = 0;

    (void)state;
    for (size_t at = 0; at < sizeof sample - 1; at++) {
        for (int value = 0; value < 256; value++) {
            struct tr_error error = {0};
            enum tr_status status;
            cJSON *tree;

            memcpy(bytes, sample, sizeof sample);
            bytes[at] = (char)value;
            status = parse_exact(bytes, sizeof sample - 1, &tree, &error);
            if (status != TR_OK && status != TR_BAD_INPUT)
                fail_msg("byte %zu as 0x%02x: status %d, %s", at, (unsigned)value, status, error.text);
            accepted += status == TR_OK;
            cJSON_Delete(tree);
        }
    }
    assert_true(accepted >= (int)sizeof sample - 1); /* each byte as it was, at least */
}

/* ---- writing ---- */

static void each_document_is_written_in_its_one_shortest_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(canonical); i++) {
        cJSON *tree = parse_json(canonical[i].json);

        assert_written(tree, canonical[i].json, canonical[i].bytes, canonical[i].size_bytes);
        cJSON_Delete(tree);
    }
}

static void wider_encodings_are_written_as_the_shortest(void **state)
{
    static const char expected[] = "\x92\x01\x81\xa1\x61\x00";
    cJSON *tree =
        parse(BYTES("\xdd\x00\x00\x00\x02\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00\xde\x00\x01\xda\x00\x01"
                    "\x61\xca\x80\x00\x00\x00"));

    (void)state;
    assert_written(tree, "[1,{\"a\":-0}]", BYTES(expected));
    cJSON_Delete(tree);
}

/* Around each size at which a header grows. */
static void strings_get_the_shortest_header(void **state)
{
    static const struct {
        size_t length;
        const char *header;
        size_t header_bytes;
    } table[] = {
        {31, BYTES("\xbf")},          {32, BYTES("\xd9\x20")},        {255, BYTES("\xd9\xff")},
        {256, BYTES("\xda\x01\x00")}, {65535, BYTES("\xda\xff\xff")}, {65536, BYTES("\xdb\x00\x01\x00\x00")},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        size_t size_bytes = table[i].header_bytes + table[i].length;
        char *bytes = malloc(size_bytes + 1);
        cJSON *read, *made;

        assert_non_null(bytes);
        memcpy(bytes, table[i].header, table[i].header_bytes);
        memset(bytes + table[i].header_bytes, 'x', table[i].length);
        bytes[size_bytes] = '\0';
        made = cJSON_CreateString(bytes + table[i].header_bytes);
        assert_written(made, "string", bytes, size_bytes);
        read = parse(bytes, size_bytes);
        assert_true(tree_equal(read, made));
        cJSON_Delete(made);
        cJSON_Delete(read);
        free(bytes);
    }
}

static void arrays_and_maps_get_the_shortest_header(void **state)
{
    static const struct {
        int count;
        const char *array_header, *map_header;
        size_t header_bytes;
    } table[] = {
        {15, "\x9f", BYTES("\x8f")},
        {16, "\xdc\x00\x10", BYTES("\xde\x00\x10")},
        {65535, "\xdc\xff\xff", BYTES("\xde\xff\xff")},
        {65536, "\xdd\x00\x01\x00\x00", BYTES("\xdf\x00\x01\x00\x00")},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        for (int is_map = 0; is_map < 2; is_map++) {
            const char *header = is_map ? table[i].map_header : table[i].array_header;
            cJSON *made = is_map ? cJSON_CreateObject() : cJSON_CreateArray(), *read;
            struct tr_writer writer = {0};
            struct tr_error error = {0};
            char key[16];

            for (int member = 0; member < table[i].count; member++) {
                snprintf(key, sizeof key, "%d", member);
                if (is_map)
                    cJSON_AddItemToObject(made, key, cJSON_CreateTrue());
                else
                    cJSON_AddItemToArray(made, cJSON_CreateTrue());
            }
            assert_int_equal(tr_msgpack_write(made, &writer, &error), TR_OK);
            assert_memory_equal(writer.bytes, header, table[i].header_bytes);
            read = parse(writer.bytes, writer.size_bytes);
            assert_true(tree_equal(read, made));
            cJSON_Delete(made);
            cJSON_Delete(read);
            tr_writer_release(&writer);
        }
    }
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Any finite number: bits at random, or an integer of a random width. */
static double random_number(void)
{
    uint64_t bits = random_next();
    double value;

    if (bits & 1)
        return (double)((int64_t)random_next() >> (11 + bits % 53));
    memcpy(&value, &bits, sizeof value);
    if (bits & 2)
        value = (double)((float)(int32_t)random_next() / 1024.0f);
    return isfinite(value) ? value : 0;
}

static cJSON *random_string(void)
{
    static const char *const pieces[] = {"a",         "\n", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                         "0123456789"};
    char text[400];
    size_t length = 0;

    text[0] = '\0';
    for (uint64_t left = random_next() % 40; left > 0; left--)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s",
                                   pieces[random_next() % COUNT(pieces)]);
    return cJSON_CreateString(text);
}

static cJSON *random_tree(int levels)
{
    uint64_t kind = random_next() % (levels > 0 ? 9 : 6), members = random_next() % 20;
    cJSON *tree;

    switch (kind) {
    case 0:
        return cJSON_CreateNull();
    case 1:
        return cJSON_CreateBool(random_next() & 1);
    case 2:
        return random_string();
    case 3:
    case 4:
    case 5:
        return cJSON_CreateNumber(random_number());
    case 6:
        tree = cJSON_CreateArray();
        while (members-- > 0)
            cJSON_AddItemToArray(tree, random_tree(levels - 1));
        return tree;
    default:
        tree = cJSON_CreateObject();
        while (members-- > 0) {
            char key[24];

            snprintf(key, sizeof key, "%x.%d", (unsigned)(random_next() & 0xfff), (int)members);
            cJSON_AddItemToObject(tree, key, random_tree(levels - 1));
        }
        return tree;
    }
}

static void random_trees_read_back_equal_and_are_written_the_same_again(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        cJSON *tree = random_tree(4), *read;
        struct tr_writer writer = {0};
        struct tr_error error = {0};

        assert_int_equal(tr_msgpack_write(tree, &writer, &error), TR_OK);
        read = parse(writer.bytes, writer.size_bytes);
        if (!tree_equal(tree, read))
            fail_msg("tree %d reads back different", i);
        assert_written(read, "read back", writer.bytes, writer.size_bytes);
        cJSON_Delete(tree);
        cJSON_Delete(read);
        tr_writer_release(&writer);
    }
}

static void what_is_written_follows_what_was_there(void **state)
{
    struct tr_writer writer = {0};
    struct tr_error error = {0};
    cJSON *tree = parse_json("[true]");

    (void)state;
    tr_write_u8(&writer, 0x2a);
    assert_int_equal(tr_msgpack_write(tree, &writer, &error), TR_OK);
    assert_int_equal(writer.size_bytes, 3);
    assert_memory_equal(writer.bytes, "\x2a\x91\xc3", 3);
    cJSON_Delete(tree);
    tr_writer_release(&writer);
}

/* Takes the item. */
static void assert_not_written(cJSON *item, const char *message)
{
    struct tr_writer writer = {0};
    struct tr_error error = {0};
    cJSON *tree = cJSON_CreateArray();
    enum tr_status status;

    cJSON_AddItemToArray(tree, cJSON_CreateTrue());
    cJSON_AddItemToArray(tree, item);
    tr_write_u8(&writer, 0x2a);
    status = tr_msgpack_write(tree, &writer, &error);
    if (status != TR_BAD_INPUT || strcmp(error.text, message) != 0)
        fail_msg("status %d, found \"%s\", expected \"%s\"", status, error.text, message);
    assert_int_equal(writer.size_bytes, 1);
    cJSON_Delete(tree);
    tr_writer_release(&writer);
}

static void trees_that_would_not_read_back_are_not_written(void **state)
{
    cJSON *deep = cJSON_CreateArray();

    (void)state;
    for (int depth = 1; depth < TR_JSON_DEPTH_MAX; depth++) {
        cJSON *outer = cJSON_CreateArray();

        cJSON_AddItemToArray(outer, deep);
        deep = outer;
    }
    assert_not_written(deep, "tree holds values nested deeper than 256");
    assert_not_written(cJSON_CreateNumber((double)NAN), "tree holds a NaN, expected a finite number");
    assert_not_written(cJSON_CreateNumber(-(double)INFINITY),
                       "tree holds an infinity, expected a finite number");
    assert_not_written(cJSON_CreateRaw("1"),
                       "tree holds an item of cJSON type 128, expected one that JSON has");
}

static void msgpack_c_reads_what_is_written(void **state)
{
    cJSON *tree = parse(BYTES(sample));
    struct tr_writer writer = {0};
    struct tr_error error = {0};
    msgpack_unpacked unpacked;
    const msgpack_object_kv *pairs;
    size_t at = 0;

    (void)state;
    assert_int_equal(tr_msgpack_write(tree, &writer, &error), TR_OK);
    msgpack_unpacked_init(&unpacked);
    assert_int_equal(msgpack_unpack_next(&unpacked, (const char *)writer.bytes, writer.size_bytes, &at),
                     MSGPACK_UNPACK_SUCCESS);
    assert_int_equal(at, writer.size_bytes);
    assert_int_equal(unpacked.data.type, MSGPACK_OBJECT_MAP);
    assert_int_equal(unpacked.data.via.map.size, 3);
    pairs = unpacked.data.via.map.ptr;
    assert_int_equal(pairs[0].key.via.str.size, 7);
    assert_memory_equal(pairs[0].key.via.str.ptr, "version", 7);
    assert_int_equal(pairs[0].val.via.u64, 1);
    assert_int_equal(pairs[1].val.type, MSGPACK_OBJECT_ARRAY);
    pairs = pairs[1].val.via.array.ptr[0].via.map.ptr; /* the edit; "at" is its second member */
    assert_int_equal(pairs[1].val.via.array.size, 3);
    assert_true(pairs[1].val.via.array.ptr[0].via.f64 == 1.5);
    assert_true(pairs[1].val.via.array.ptr[1].via.i64 == -2000);
    assert_true(pairs[1].val.via.array.ptr[2].via.f64 == 0.1);
    assert_true(pairs[2].val.via.boolean);
    msgpack_unpacked_destroy(&unpacked);
    cJSON_Delete(tree);
    tr_writer_release(&writer);
}

/* ---- recognition ---- */

static void maps_and_arrays_are_told_from_json_by_their_first_byte(void **state)
{
    (void)state;
    assert_false(tr_msgpack_is("", 0));
    assert_false(tr_msgpack_is(NULL, 0));
    for (int value = 0; value < 256; value++) {
        uint8_t first = (uint8_t)value;
        bool expected = (first >= 0x80 && first <= 0x9f) || (first >= 0xdc && first <= 0xdf);

        if (tr_msgpack_is(&first, 1) != expected)
            fail_msg("0x%02x: found %d", first, !expected);
    }
    for (const char *first = " \t\r\n{[\"-0123456789tfn\xef"; *first; first++)
        if (tr_msgpack_is(first, 1))
            fail_msg("0x%02x, with which JSON begins, is taken for MessagePack", (uint8_t)*first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_read_as_the_same_document_in_json),
        cmocka_unit_test(each_value_knows_its_byte_offset),
        cmocka_unit_test(documents_that_json_refuses_are_refused_here_too),
        cmocka_unit_test(values_that_json_lacks_are_refused_by_name),
        cmocka_unit_test(each_refusal_names_its_offset_what_was_found_and_expected),
        cmocka_unit_test(one_key_may_stand_in_many_maps),
        cmocka_unit_test(one_repetition_among_very_many_keys_is_found),
        cmocka_unit_test(every_truncation_is_refused_with_the_offset_of_what_is_cut),
        cmocka_unit_test_setup_teardown(a_claim_is_refused_before_memory_is_taken_for_it, hooks_install,
                                        hooks_remove),
        cmocka_unit_test_setup_teardown(lack_of_memory_at_any_item_is_no_bad_input, hooks_install,
                                        hooks_remove),
        cmocka_unit_test(nesting_is_accepted_to_the_limit_and_refused_beyond),
        cmocka_unit_test(depth_bomb_is_refused),
        cmocka_unit_test(any_changed_byte_is_accepted_or_refused_as_bad_input),
        cmocka_unit_test(each_document_is_written_in_its_one_shortest_form),
        cmocka_unit_test(wider_encodings_are_written_as_the_shortest),
        cmocka_unit_test(strings_get_the_shortest_header),
        cmocka_unit_test(arrays_and_maps_get_the_shortest_header),
        cmocka_unit_test(random_trees_read_back_equal_and_are_written_the_same_again),
        cmocka_unit_test(what_is_written_follows_what_was_there),
        cmocka_unit_test(trees_that_would_not_read_back_are_not_written),
        cmocka_unit_test(msgpack_c_reads_what_is_written),
        cmocka_unit_test(maps_and_arrays_are_told_from_json_by_their_first_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
