/* The strict reader: what it accepts, the line it gives each value, and one message for each thing it
 * refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/bytes.h"
#include "lib/base/json.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cJSON *parse(const char *text)
{
    struct tr_error error = {0};
    cJSON *json;

    if (tr_json_parse(text, strlen(text), "edits.json", 1, &json, &error) != TR_OK)
        fail_msg("refused: %s", error.text);
    return json;
}

static void assert_refused_bytes(const char *text, size_t size_bytes, const char *message)
{
    struct tr_error error = {0};
    cJSON *json;
    enum tr_status status = tr_json_parse(text, size_bytes, "edits.json", 1, &json, &error);

    if (status != TR_BAD_INPUT || json || strcmp(error.text, message) != 0)
        fail_msg("\"%.60s\": status %d, found \"%s\", expected \"%s\"", text, status, error.text, message);
}

struct refusal {
    const char *text, *message;
};

static void assert_refused(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused_bytes(refusals[i].text, strlen(refusals[i].text), refusals[i].message);
}

#define ASSERT_REFUSED(table) assert_refused(table, sizeof(table) / sizeof *(table))

static void every_kind_of_value_is_read(void **state)
{
    cJSON *json = parse(" {\"a\": [1, -2.5, 1e3, true, false, null, \"t\"], \"b\": {}, \"c\": []} \r\n");
    cJSON *a = cJSON_GetObjectItemCaseSensitive(json, "a");

    (void)state;
    assert_int_equal(cJSON_GetArraySize(a), 7);
    assert_true(cJSON_GetArrayItem(a, 0)->valuedouble == 1);
    assert_true(cJSON_GetArrayItem(a, 1)->valuedouble == -2.5);
    assert_true(cJSON_GetArrayItem(a, 2)->valuedouble == 1000);
    assert_true(cJSON_IsTrue(cJSON_GetArrayItem(a, 3)));
    assert_true(cJSON_IsFalse(cJSON_GetArrayItem(a, 4)));
    assert_true(cJSON_IsNull(cJSON_GetArrayItem(a, 5)));
    assert_string_equal(cJSON_GetArrayItem(a, 6)->valuestring, "t");
    assert_true(cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(json, "b")));
    assert_true(cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(json, "c")));
    cJSON_Delete(json);
}

static void each_value_knows_its_line(void **state)
{
    static const char text[] = "\n{\n\"a\": [1,\n2, {\"x\":\n3}],\n\n\"b\":\n\"s\", \"c\": {}}";
    struct tr_error error = {0};
    cJSON *json, *a, *x;

    (void)state;
    assert_int_equal(tr_json_parse(text, strlen(text), "n", 10, &json, &error), TR_OK);
    a = cJSON_GetObjectItemCaseSensitive(json, "a");
    x = cJSON_GetArrayItem(a, 2);
    assert_int_equal(tr_json_line(json), 11);
    assert_int_equal(tr_json_line(a), 12);
    assert_int_equal(tr_json_line(cJSON_GetArrayItem(a, 0)), 12);
    assert_int_equal(tr_json_line(cJSON_GetArrayItem(a, 1)), 13);
    assert_int_equal(tr_json_line(x), 13);
    assert_int_equal(tr_json_line(x->child), 14);
    assert_int_equal(tr_json_line(cJSON_GetObjectItemCaseSensitive(json, "b")), 17);
    assert_int_equal(tr_json_line(cJSON_GetObjectItemCaseSensitive(json, "c")), 17);
    cJSON_Delete(json);
}

static void text_need_not_end_with_nul(void **state)
{
    static const char *const texts[] = {"12", "true", "\"ab\"", "[1]", "{\"a\":1}"};
    struct tr_error error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t size_bytes = strlen(texts[i]);
        char *exact = malloc(size_bytes); /* the sanitizer watches the byte behind */
        cJSON *json;

        assert_non_null(exact);
        memcpy(exact, texts[i], size_bytes);
        if (tr_json_parse(exact, size_bytes, "n", 1, &json, &error) != TR_OK)
            fail_msg("%s", error.text);
        cJSON_Delete(json);
        free(exact);
    }
}

static void broken_syntax_is_refused_with_found_and_expected(void **state)
{
    static const struct refusal table[] = {
        {"", "edits.json:1: file is empty, expected a JSON value"},
        {" \n ", "edits.json:2: file is empty, expected a JSON value"},
        {"\xef\xbb\xbf{}",
         "edits.json:1: text begins with a byte order mark, expected plain UTF-8 without one"},
        {"[1,\n2", "edits.json:2: text ends, expected ',' or ']'"},
        {"[1 2]", "edits.json:1: found '2', expected ',' or ']'"},
        {"[1,]", "edits.json:1: found ']', expected a value"},
        {"[,1]", "edits.json:1: found ',', expected a value"},
        {"{\"a\" 1}", "edits.json:1: found '1', expected ':' behind the key"},
        {"{\"a\":}", "edits.json:1: found '}', expected a value"},
        {"{\"a\":1,}", "edits.json:1: found '}', expected a key in quotes"},
        {"{a:1}", "edits.json:1: found 'a', expected a key in quotes"},
        {"{\"a\":1]", "edits.json:1: found ']', expected ',' or '}'"},
        {"{} {}", "edits.json:1: found '{', expected the end behind the value"},
        {"1\n,", "edits.json:2: found ',', expected the end behind the value"},
        {"tru", "edits.json:1: found 't', expected a value"},
        {"truex", "edits.json:1: found 'x', expected the end behind the value"},
        {"NaN", "edits.json:1: found 'N', expected a value"},
        {"-Infinity", "edits.json:1: found 'I', expected a digit"},
        {"// c\n1", "edits.json:1: found '/', expected a value"},
        {"'a'", "edits.json:1: found ''', expected a value"},
        {"\x01", "edits.json:1: found byte 0x01, expected a value"},
        {"[1\f]", "edits.json:1: found byte 0x0c, expected ',' or ']'"},
    };

    (void)state;
    ASSERT_REFUSED(table);
    assert_refused_bytes("1\0", 2, "edits.json:1: found byte 0x00, expected the end behind the value");
}

static void broken_numbers_are_refused(void **state)
{
    static const struct refusal table[] = {
        {"\n\n1e999", "edits.json:3: number 1e999 is too large, expected a finite number"},
        {"-1e309", "edits.json:1: number -1e309 is too large, expected a finite number"},
        {"1e99999999999999999999",
         "edits.json:1: number 1e99999999999999999999 is too large, expected a finite number"},
        {"9007199254740993",
         "edits.json:1: number 9007199254740993 is too large, expected integers from -2^53 to 2^53"},
        {"-9007199254740994",
         "edits.json:1: number -9007199254740994 is too large, expected integers from -2^53 to 2^53"},
        {"01", "edits.json:1: number 0 is followed by a digit, expected no leading zero"},
        {"-", "edits.json:1: text ends, expected a digit"},
        {"+1", "edits.json:1: found '+', expected a value"},
        {".5", "edits.json:1: found '.', expected a value"},
        {"1.", "edits.json:1: text ends, expected a digit behind the point"},
        {"[1.e5]", "edits.json:1: found 'e', expected a digit behind the point"},
        {"[1e]", "edits.json:1: found ']', expected a digit in the exponent"},
        {"1e+", "edits.json:1: text ends, expected a digit in the exponent"},
        {"0x10", "edits.json:1: found 'x', expected the end behind the value"},
        {"0.0000000000000000000000000000000000000000000000000000000000000001",
         "edits.json:1: number 0.00000000000000000000000000000000000000000000000000000000000000... is too "
         "long, expected "
         "at most 63 characters"},
    };

    (void)state;
    ASSERT_REFUSED(table);
}

static void numbers_at_the_limits_are_read(void **state)
{
    static const struct {
        const char *text;
        double value;
    } table[] = {
        {"9007199254740992", 9007199254740992.0},
        {"-9007199254740992", -9007199254740992.0},
        {"1.7976931348623157e308", DBL_MAX},
        {"1e-400", 0},
        {"1e-99999999999999999999", 0},
        {"-0", 0},
        {"0e5", 0},
        {"1E+2", 100},
        {"9007199254740993.0", 9007199254740992.0},
        {"0.1", 0.1},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"12345678901234567890123456789012345678901234567890123456789e-30",
         12345678901234567890123456789.0123456789},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        cJSON *json = parse(table[i].text);

        if (json->valuedouble != table[i].value)
            fail_msg("%s: found %a, expected %a", table[i].text, json->valuedouble, table[i].value);
        cJSON_Delete(json);
    }
}

static void broken_strings_are_refused(void **state)
{
    static const struct refusal table[] = {
        {"\"abc", "edits.json:1: text ends, expected '\"' to end the string"},
        {"\"abc\\", "edits.json:1: text ends, expected one of \"\\/bfnrtu behind a backslash"},
        {"\"\\x\"", "edits.json:1: found 'x', expected one of \"\\/bfnrtu behind a backslash"},
        {"\"a\nb\"", "edits.json:1: found byte 0x0a, expected control characters in strings to be escaped"},
        {"\"\\u12g4\"", "edits.json:1: found 'g', expected 4 hex digits behind \\u"},
        {"\"\\u12", "edits.json:1: text ends, expected 4 hex digits behind \\u"},
        {"\"\\u0000\"", "edits.json:1: string holds \\u0000, expected no NUL"},
        {"{\"\\u0000\":1}", "edits.json:1: string holds \\u0000, expected no NUL"},
        {"\"\\ud800\"", "edits.json:1: string holds half a surrogate pair, expected \\ud800-\\udbff and then "
                        "\\udc00-\\udfff"},
        {"\"\\ud800\\u0041\"", "edits.json:1: string holds half a surrogate pair, expected \\ud800-\\udbff "
                               "and then \\udc00-\\udfff"},
        {"\"\\udc00\"", "edits.json:1: string holds half a surrogate pair, expected \\ud800-\\udbff and then "
                        "\\udc00-\\udfff"},
        {"\"\xff\"", "edits.json:1: found byte 0xff, expected UTF-8"},
        {"\"\xc0\x80\"", "edits.json:1: found byte 0xc0, expected UTF-8"},
        {"\"\xe0\x80\x80\"", "edits.json:1: found byte 0xe0, expected UTF-8"},
        {"\"\xed\xa0\x80\"", "edits.json:1: found byte 0xed, expected UTF-8"},
        {"\"\xf4\x90\x80\x80\"", "edits.json:1: found byte 0xf4, expected UTF-8"},
        {"\"\xf0\x8f\xbf\xbf\"", "edits.json:1: found byte 0xf0, expected UTF-8"},
        {"\"\xe2\x82\"", "edits.json:1: found byte 0xe2, expected UTF-8"},
        {"\"\xe2\x82", "edits.json:1: found byte 0xe2, expected UTF-8"},
        {"\"\x80\"", "edits.json:1: found byte 0x80, expected UTF-8"},
    };

    (void)state;
    ASSERT_REFUSED(table);
    assert_refused_bytes(
        "\"a\0b\"", 5, "edits.json:1: found byte 0x00, expected control characters in strings to be escaped");
    assert_refused_bytes("\"\\\0\"", 4,
                         "edits.json:1: found byte 0x00, expected one of \"\\/bfnrtu behind a backslash");
}

static void strings_are_unescaped(void **state)
{
    cJSON *json =
        parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\ude00\xf0\x9f\x98\x80\x7f\"");

    (void)state;
    assert_string_equal(json->valuestring,
                        "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf0\x9f\x98\x80\x7f");
    cJSON_Delete(json);
}

static void repeated_keys_are_refused_however_they_are_spelled(void **state)
{
    static const struct refusal table[] = {
        {"{\"op\":1,\n\"x\":2,\n\"op\":3}", "edits.json:3: key \"op\" appears twice in one object"},
        {"{\"a\":1,\"\\u0061\":2}", "edits.json:1: key \"a\" appears twice in one object"},
        {"{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}",
         "edits.json:1: key \"\xf0\x9f\x98\x80\" appears twice in one object"},
        {"{\"\":1,\"\":2}", "edits.json:1: key \"\" appears twice in one object"},
        {"[{\"z\":{\"b\":1,\"a\":0,\n\"a\":{},\n\"b\":0}}]",
         "edits.json:2: key \"a\" appears twice in one object"},
        {"{\"k\":{\"k\":1},\n\"j\":0,\"k\":1}", "edits.json:2: key \"k\" appears twice in one object"},
    };
    cJSON *json = parse("{\"a\":{\"a\":1,\"A\":2,\"\":3},\"aa\":[{\"a\":1},{\"a\":1}]}");

    (void)state;
    ASSERT_REFUSED(table);
    assert_int_equal(cJSON_GetArraySize(json), 2);
    cJSON_Delete(json);
}

static void one_repetition_among_very_many_keys_is_found(void **state)
{
    struct tr_writer writer = {0};
    struct tr_error error = {0};
    cJSON *json;

    (void)state;
    tr_write_text(&writer, "{\"key 77777\":0");
    for (int i = 0; i < 200000; i++)
        tr_write_text(&writer, ",\n\"key %d\":%d", i, i);
    tr_write_text(&writer, "}");
    assert_int_equal(tr_json_parse((char *)writer.bytes, writer.size_bytes, "n", 1, &json, &error),
                     TR_BAD_INPUT);
    assert_string_equal(error.text, "n:77779: key \"key 77777\" appears twice in one object");
    tr_writer_release(&writer);
}

static void nesting_is_accepted_to_the_limit_and_refused_beyond(void **state)
{
    char text[2 * TR_JSON_DEPTH_MAX + 3];

    (void)state;
    for (size_t depth = TR_JSON_DEPTH_MAX; depth <= TR_JSON_DEPTH_MAX + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        text[2 * depth] = '\0';
        if (depth == TR_JSON_DEPTH_MAX)
            cJSON_Delete(parse(text));
        else
            assert_refused_bytes(text, 2 * depth, "edits.json:1: values nested deeper than 256");
    }
}

static void depth_bomb_is_refused(void **state)
{
    size_t size_bytes = 1 << 22;
    char *text = malloc(size_bytes);

    (void)state;
    assert_non_null(text);
    memset(text, '[', size_bytes);
    assert_refused_bytes(text, size_bytes, "edits.json:1: values nested deeper than 256");
    free(text);
}

static const char sample[] =
    "{\"version\":1,\"edits\":[{\"id\":\"a\\u00e9\xc3\xa9\",\"op\":\"raise\",\"at\":[1.5,-2e3,0],"
    "\"on\":true,\"off\":false,\"none\":null,\"more\":{\"\":{}}}]}";

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for (size_t length = 0; length < strlen(sample); length++) {
        struct tr_error error = {0};
        char *cut = malloc(length + 1);
        cJSON *json;

        assert_non_null(cut);
        memcpy(cut, sample, length);
        if (tr_json_parse(cut, length, "n", 1, &json, &error) != TR_BAD_INPUT)
            fail_msg("the first %zu bytes were accepted", length);
        free(cut);
    }
}

/* TR_IO would mean that the scan accepts what cJSON does not. */
static void any_changed_byte_is_accepted_or_refused_as_bad_input(void **state)
{
    char text[sizeof sample];
    int accepted = 0;

    (void)state;
    for (size_t at = 0; at < strlen(sample); at++) {
        for (int value = 0; value < 256; value++) {
            struct tr_error error = {0};
            enum tr_status status;
            cJSON *json;

            memcpy(text, sample, sizeof sample);
            text[at] = (char)value;
            status = tr_json_parse(text, strlen(sample), "n", 1, &json, &error);
            if (status != TR_OK && status != TR_BAD_INPUT)
                fail_msg("byte %zu as 0x%02x: status %d, %s", at, (unsigned)value, status, error.text);
            accepted += status == TR_OK;
            cJSON_Delete(json);
        }
    }
    assert_true(accepted >= (int)strlen(sample));
}

/* ---- numbers as text ---- */

static void assert_number_text(double value, const char *expected)
{
    char text[32];
    int length = tr_number_text(value, text);

    if (strcmp(text, expected) != 0 || length != (int)strlen(expected))
        fail_msg("%a: found \"%s\" of length %d, expected \"%s\"", value, text, length, expected);
}

static void number_text_is_shortest_and_compact(void **state)
{
    (void)state;
    assert_number_text(0, "0");
    assert_number_text(-0.0, "0");
    assert_number_text(12, "12");
    assert_number_text(-2.5, "-2.5");
    assert_number_text(0.1, "0.1");
    assert_number_text(0.1 + 0.2, "0.30000000000000004");
    assert_number_text(1.0 / 3, "0.3333333333333333");
    assert_number_text(100, "100");
    assert_number_text(123.456, "123.456");
    assert_number_text(1e15, "1000000000000000");
    assert_number_text(1e16, "1e+16");
    assert_number_text(12345678901234568, "1.2345678901234568e+16");
    assert_number_text(1e17, "1e+17");
    assert_number_text(-1e30, "-1e+30");
    assert_number_text(1.5e300, "1.5e+300");
    assert_number_text(0.00001, "0.00001");
    assert_number_text(0.000012345, "0.000012345");
    assert_number_text(0.000001, "1e-6");
    assert_number_text(9007199254740992, "9007199254740992"); /* integers that a reader takes, and the next */
    assert_number_text(-9007199254740994, "-9.007199254740994e+15");
    assert_number_text(DBL_MAX, "1.7976931348623157e+308");
    assert_number_text(DBL_MIN, "2.2250738585072014e-308");
    assert_number_text(5e-324, "5e-324");
}

static void number_text_reads_back_equal(void **state)
{
    uint64_t random = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 30000; i++) {
        char text[32];
        double value, read = NAN;
        int length;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if (i & 1)
            memcpy(&value, &random, sizeof value);
        else
            value = (double)(int64_t)random / (double)(1 << (i % 31));
        if (!isfinite(value))
            continue;
        length = tr_number_text(value, text);
        assert_in_range(length, 1, 31);
        if (!tr_number_parse(text, (size_t)length, &read) || read != value)
            fail_msg("%a gave \"%s\", which reads as %a", value, text, read);
    }
}

static void strict_numbers_are_told_from_others(void **state)
{
    static const char *const good[] = {"0", "-1", "+1", "1.5", ".5", "5.", "-.5e-3", "1e5", "1E+05", "007"};
    static const char *const bad[] = {"",      " 1",  "1 ",    "1\n",   "-",    "+",   ".",
                                      "e5",    "1e",  "1e+",   "--1",   "0x10", "inf", "nan",
                                      "1e999", "1,5", "1.2.3", "1e5.0", "1_0",  "1f"};
    double value;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!tr_number_parse(good[i], strlen(good[i]), &value) || value != strtod(good[i], NULL))
            fail_msg("\"%s\" was refused or misread", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (tr_number_parse(bad[i], strlen(bad[i]), &value))
            fail_msg("\"%s\" was read as %g", bad[i], value);
    assert_false(tr_number_parse("1\0", 2, &value));
    assert_true(tr_number_parse("123", 2, &value));
    assert_true(value == 12);
}

static void a_locale_with_a_comma_changes_nothing(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    const char *found = NULL;
    double value;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]);
    if (!found)
        skip(); /* none installed */
    assert_number_text(-2.5, "-2.5");
    assert_true(tr_number_parse("0.25", 4, &value));
    assert_true(value == 0.25);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_read),
        cmocka_unit_test(each_value_knows_its_line),
        cmocka_unit_test(text_need_not_end_with_nul),
        cmocka_unit_test(broken_syntax_is_refused_with_found_and_expected),
        cmocka_unit_test(broken_numbers_are_refused),
        cmocka_unit_test(numbers_at_the_limits_are_read),
        cmocka_unit_test(broken_strings_are_refused),
        cmocka_unit_test(strings_are_unescaped),
        cmocka_unit_test(repeated_keys_are_refused_however_they_are_spelled),
        cmocka_unit_test(one_repetition_among_very_many_keys_is_found),
        cmocka_unit_test(nesting_is_accepted_to_the_limit_and_refused_beyond),
        cmocka_unit_test(depth_bomb_is_refused),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(any_changed_byte_is_accepted_or_refused_as_bad_input),
        cmocka_unit_test(number_text_is_shortest_and_compact),
        cmocka_unit_test(number_text_reads_back_equal),
        cmocka_unit_test(strict_numbers_are_told_from_others),
        cmocka_unit_test(a_locale_with_a_comma_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
