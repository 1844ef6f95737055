/* Edit logs as text: what is read, one message for each thing refused, ids, the normal form, and the meeting
 * with a world. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/bytes.h"
#include "lib/edit/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "{\"format\":\"terrain-edits\",\"version\":1}\n"
#define DOCUMENT(edits) "{\"format\":\"terrain-edits\",\"version\":1,\"edits\":[\n" edits "]}"
#define RAISE(fields) "{\"op\":\"raise\"," fields "}"
#define RAISE_A "{\"id\":\"a\",\"op\":\"raise\",\"at\":[1,2],\"radius\":3,\"strength\":4}"
#define SPHERE "\"shape\":{\"type\":\"sphere\",\"center\":[1,2,3],\"radius\":4}"
#define CAPSULE "\"shape\":{\"type\":\"capsule\",\"from\":[1,2,3],\"to\":[4,5,6],\"radius\":7}"

static enum tr_status parse_into(struct tr_log *log, const char *text, struct tr_error *error)
{
    return tr_log_parse(log, text, strlen(text), "edits.json", error);
}

static struct tr_log parse(const char *text)
{
    struct tr_error error = {0};
    struct tr_log log = {0};

    if (parse_into(&log, text, &error) != TR_OK)
        fail_msg("refused: %s\nin %s", error.text, text);
    return log;
}

static void assert_refused_bytes(const char *text, size_t size_bytes, const char *expected)
{
    struct tr_error error = {0};
    struct tr_log log = {0};
    enum tr_status status = tr_log_parse(&log, text, size_bytes, "edits.json", &error);

    if (status != TR_BAD_INPUT || error.status != TR_BAD_INPUT || !strstr(error.text, expected) ||
        log.count != 0)
        fail_msg("\"%.80s\": status %d, %zu edits, found \"%s\", expected \"%s\"", text, status, log.count,
                 error.text, expected);
    tr_log_release(&log);
}

static void assert_refused_text(const char *text, const char *expected)
{
    assert_refused_bytes(text, strlen(text), expected);
}

struct refusal {
    const char *text, *expected;
};

static void assert_refused(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused_text(refusals[i].text, refusals[i].expected);
}

#define ASSERT_REFUSED(table) assert_refused(table, sizeof(table) / sizeof *(table))

/* The normal form as a string; free() it. */
static char *normal_form(const struct tr_log *log)
{
    struct tr_writer out = {0};
    struct tr_error error = {0};

    if (tr_log_write(log, &out, &error) != TR_OK)
        fail_msg("not written: %s", error.text);
    tr_write_u8(&out, 0);
    assert_false(out.failed);
    return (char *)out.bytes;
}

static void assert_normal_form(const char *text, const char *expected)
{
    struct tr_log log = parse(text), again;
    char *first = normal_form(&log), *second;

    assert_string_equal(first, expected);
    again = parse(first);
    second = normal_form(&again);
    assert_string_equal(second, first);
    free(first);
    free(second);
    tr_log_release(&log);
    tr_log_release(&again);
}

/* ---- what is read ---- */

static void a_document_gives_every_field_in_order(void **state)
{
    struct tr_log log = parse(DOCUMENT(
        "{\"id\":\"rim\",\"time\":-5,\"author\":\"Ada\",\"op\":\"lower\",\"at\":[1.5,-2],"
        "\"radius\":30,\"strength\":2.25,\"falloff\":\"sharp\",\"power\":16},\n"
        "{\"id\":\"cave\",\"op\":\"subtract\"," CAPSULE ",\"blend\":{\"type\":\"smooth\",\"width\":0.5}}"));
    const struct tr_edit *rim = &log.edits[0], *cave = &log.edits[1];

    (void)state;
    assert_int_equal(log.count, 2);
    assert_string_equal(rim->id, "rim");
    assert_string_equal(rim->author, "Ada");
    assert_true(rim->has_time && rim->time_ms == -5);
    assert_int_equal(rim->op, TR_EDIT_LOWER);
    assert_int_equal(rim->line, 2);
    assert_true(rim->a_m[0] == 1.5 && rim->a_m[1] == 0 && rim->a_m[2] == -2);
    assert_true(rim->radius_m == 30 && rim->strength == 2.25);
    assert_int_equal(rim->falloff, TR_FALLOFF_SHARP);
    assert_int_equal(rim->power, 16);
    assert_int_equal(cave->op, TR_EDIT_SUBTRACT);
    assert_int_equal(cave->line, 3);
    assert_false(cave->has_time);
    assert_string_equal(cave->author, "");
    assert_int_equal(cave->shape, TR_SHAPE_CAPSULE);
    assert_true(cave->a_m[0] == 1 && cave->a_m[1] == 2 && cave->a_m[2] == 3);
    assert_true(cave->b_m[0] == 4 && cave->b_m[1] == 5 && cave->b_m[2] == 6);
    assert_true(cave->radius_m == 7 && cave->blend_m == 0.5);
    tr_log_release(&log);
}

static void lines_and_document_give_the_same_log(void **state)
{
    struct tr_log lines =
        parse("\n" HEAD "\r\n" RAISE_A "\n \t\n{\"op\":\"union\"," SPHERE "}"); /* no last newline */
    struct tr_log document = parse(DOCUMENT(RAISE_A ",{\"op\":\"union\"," SPHERE "}"));
    char *from_lines = normal_form(&lines), *from_document = normal_form(&document);

    (void)state;
    assert_int_equal(lines.count, 2);
    assert_int_equal(lines.edits[0].line, 4);
    assert_int_equal(lines.edits[1].line, 6);
    assert_string_equal(from_lines, from_document);
    free(from_lines);
    free(from_document);
    tr_log_release(&lines);
    tr_log_release(&document);
}

static void a_log_without_edits_is_read_in_both_forms(void **state)
{
    static const char *const texts[] = {
        HEAD, "{\"format\":\"terrain-edits\",\"version\":1}", HEAD "\n\n", DOCUMENT(""),
        "{\n\"edits\":[],\"version\":1.0,\n\"format\":\"terrain-edits\"}\n\n"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tr_log log = parse(texts[i]);

        assert_int_equal(log.count, 0);
        tr_log_release(&log);
    }
    assert_normal_form(DOCUMENT(""), HEAD);
}

static void fields_that_begin_with_x_are_passed_over_everywhere(void **state)
{
    (void)state;
    assert_normal_form("{\"x-tool\":{\"deep\":[1]},\"format\":\"terrain-edits\",\"version\":1,\"edits\":["
                       "{\"x-\":null,\"id\":\"a\",\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"x-y\":1,"
                       "\"center\":[1,2,3],\"radius\":4},\"blend\":{\"x-z\":2,\"type\":\"hard\"}}]}",
                       HEAD "{\"id\":\"a\",\"op\":\"union\",\"shape\":{\"center\":[1,2,3],\"radius\":4,"
                            "\"type\":\"sphere\"}}\n");
}

static void every_name_of_the_form_is_read(void **state)
{
    static const char *const falloffs[] = {"smooth", "smoother", "sphere",         "root",    "sharp",
                                           "pow4",   "linear",   "inverse-square", "constant"};

    (void)state;
    for (uint32_t i = 0; i < TR_FALLOFF_COUNT; i++) {
        char text[256];
        struct tr_log log;

        snprintf(text, sizeof text,
                 DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1,\"falloff\":\"%s\"")), falloffs[i]);
        log = parse(text);
        assert_int_equal(log.edits[0].falloff, i);
        assert_int_equal(log.edits[0].power, 3);
        tr_log_release(&log);
    }
}

static void parsing_appends_and_a_refused_log_leaves_what_was_there(void **state)
{
    struct tr_log log = parse(HEAD RAISE_A);
    struct tr_error error = {0};
    char *before = normal_form(&log), *after;

    (void)state;
    assert_int_equal(parse_into(&log, HEAD "{\"op\":\"union\"," SPHERE "}\n{\"op\":\"flatten\"}", &error),
                     TR_BAD_INPUT);
    assert_int_equal(log.count, 1);
    assert_int_equal(parse_into(&log, HEAD "{\"op\":\"union\"," SPHERE "}\n" RAISE_A, &error), TR_BAD_INPUT);
    assert_string_equal(
        error.text,
        "edits.json:3: edit 'a': \"id\" is used twice, first in line 2 of the log before this one");
    assert_int_equal(log.count, 1);
    after = normal_form(&log);
    assert_string_equal(before, after);
    assert_int_equal(parse_into(&log, HEAD "{\"op\":\"union\"," SPHERE "}\n", &error), TR_OK);
    assert_int_equal(log.count, 2);
    free(before);
    free(after);
    tr_log_release(&log);
}

/* ---- what is refused ---- */

static void texts_that_are_no_log_are_refused(void **state)
{
    static const struct refusal refusals[] = {
        {"", "edits.json:1: file is empty, expected an edit log"},
        {" \n\t\r\n", "edits.json:1: file is empty, expected an edit log"},
        {"[]", "edits.json:1: an edit log must be an object, found an array"},
        {"17", "edits.json:1: an edit log must be an object, found 17"},
        {"\"log\"", "edits.json:1: an edit log must be an object, found the string \"log\""},
        {"{}", "edits.json:1: \"format\" in the header line is missing"},
        {"{\n}", "edits.json:1: \"edits\" is missing"},
        {"{\"format\":\"terrain-edits\"}", "edits.json:1: \"version\" in the header line is missing"},
        {"{\"format\":\"terrain-edits\",\n\"version\":1}", "edits.json:1: \"edits\" is missing"},
        {"{\"format\":\"terrain-world\",\"version\":1}",
         "edits.json:1: \"format\" must be \"terrain-edits\", found the string \"terrain-world\""},
        {"{\"format\":7,\"version\":1}", "edits.json:1: \"format\" must be \"terrain-edits\", found 7"},
        {"{\"format\":\"terrain-edits\",\"version\":2}",
         "edits.json:1: version 2 of the format is not supported, expected 1"},
        {"{\"format\":\"terrain-edits\",\"version\":\"1\"}",
         "edits.json:1: \"version\" must be a number, found the string \"1\""},
        {"{\"format\":\"terrain-edits\",\"version\":1,\"edit\":[]}",
         "edits.json:1: unknown field \"edit\" in the header line, expected one of format, version"},
        {"{\"format\":\"terrain-edits\",\"version\":1,\n\"edits\":[],\n\"units\":\"m\"}",
         "edits.json:3: unknown field \"units\", expected one of edits, format, version"},
        {"{\"format\":\"terrain-edits\",\"version\":1,\"edits\":{}}",
         "edits.json:1: \"edits\" must be an array, found an object"},
        {DOCUMENT("") "\n" RAISE_A, "edits.json:3: found '{', expected the end behind the value"},
        {HEAD "[]", "edits.json:2: edit #1: an edit must be an object, found an array"},
        {DOCUMENT(RAISE_A ",\nnull"), "edits.json:3: edit #2: an edit must be an object, found null"},
        {DOCUMENT(RAISE_A ","), "edits.json:2: found ']', expected a value"},
        {HEAD "{\"t\":1,\"brush\":{}}\n" RAISE_A, "edits.json:2: edit #1: \"op\" is missing"},
        {"{\"t\":1,\"brush\":{}}\n{\"t\":2,\"brush\":{}}",
         "edits.json:1: found a message of the web client, which is not supported by this version"},
        {"\x83\xa6", "edits.json: byte offset 0: MessagePack is not supported by this version"},
        {"\xdd", "edits.json: byte offset 0: MessagePack is not supported by this version"},
        {"\xef\xbb\xbf" HEAD, "edits.json:1: text begins with a byte order mark"},
    };

    (void)state;
    ASSERT_REFUSED(refusals);
}

static void values_that_an_edit_cannot_have_are_refused(void **state)
{
    static const struct refusal refusals[] = {
        /* numbers */
        {DOCUMENT(RAISE("\"id\":\"c-3\",\"at\":[0,0],\n\"radius\":-2,\"strength\":1")),
         "edits.json:3: edit 'c-3': \"radius\" must be > 0, found -2"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":0,\"strength\":1")),
         "edits.json:2: edit #1: \"radius\" must be > 0, found 0"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":-0.0,\"strength\":1")), "\"radius\" must be > 0, found 0"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1e-999,\"strength\":1")), "\"radius\" must be > 0, found 0"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1e999,\"strength\":1")),
         "edits.json:2: number 1e999 is too large, expected a finite number"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":NaN,\"strength\":1")),
         "edits.json:2: found 'N', expected a value"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":Infinity,\"strength\":1")),
         "edits.json:2: found 'I', expected a value"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":9007199254740993,\"strength\":1")),
         "is too large, expected integers"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":-1")), "\"strength\" must be > 0, found -1"},
        {DOCUMENT("{\"op\":\"smooth\",\"at\":[0,0],\"radius\":1,\"strength\":1.5}"),
         "\"strength\" must be > 0 and at most 1, found 1.5"},
        {DOCUMENT("{\"op\":\"smooth\",\"at\":[0,0],\"radius\":1,\"strength\":0}"),
         "\"strength\" must be > 0, found 0"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1,\"time\":1.5")),
         "\"time\" must be an integer from -9007199254740992 to 9007199254740992, found 1.5"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1,\"time\":1e300")),
         "\"time\" must be an integer from"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1,\"falloff\":\"sharp\",\"power\":1")),
         "\"power\" must be an integer from 2 to 16, found 1"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1,\"falloff\":\"sharp\",\"power\":17")),
         "\"power\" must be an integer from 2 to 16, found 17"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1,\"falloff\":\"sharp\",\"power\":2.5")),
         "\"power\" must be an integer from 2 to 16, found 2.5"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1,\n\"power\":4")),
         "edits.json:3: edit #1: \"power\" goes with falloff \"sharp\" only, found falloff \"smooth\""},
        {DOCUMENT("{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":0}}"),
         "\"radius\" must be > 0, found 0"},
        {DOCUMENT("{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"smooth\",\"width\":0}}"),
         "\"width\" must be > 0, found 0"},
        /* types */
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":\"1\",\"strength\":1")),
         "\"radius\" must be a number, found the string \"1\""},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":null,\"strength\":1")),
         "\"radius\" must be a number, found null"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":true")),
         "\"strength\" must be a number, found true"},
        {DOCUMENT(RAISE("\"at\":7,\"radius\":1,\"strength\":1")),
         "\"at\" must be an array of 2 numbers, found 7"},
        {DOCUMENT(RAISE("\"at\":[1,2,3],\"radius\":1,\"strength\":1")),
         "\"at\" must be an array of 2 numbers, found 3"},
        {DOCUMENT(RAISE("\"at\":[1,\"2\"],\"radius\":1,\"strength\":1")),
         "\"at\" must be a number, found the string"},
        {DOCUMENT("{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"center\":[0,0],\"radius\":1}}"),
         "\"center\" must be an array of 3 numbers, found 2"},
        {DOCUMENT("{\"op\":\"union\",\"shape\":\"sphere\"}"),
         "\"shape\" must be an object, found the string \"sphere\""},
        {DOCUMENT("{\"op\":\"union\"," SPHERE ",\"blend\":false}"),
         "\"blend\" must be an object, found false"},
        {DOCUMENT("{\"op\":[1]}"), "\"op\" must be a string, found an array"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1,\"time\":\"now\"")),
         "\"time\" must be a number"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1,\"author\":7")),
         "\"author\" must be a string, found 7"},
        {DOCUMENT(RAISE("\"id\":7,\"at\":[0,0],\"radius\":1,\"strength\":1")),
         "edits.json:2: edit #1: \"id\" must be a string, found 7"},
        {DOCUMENT(RAISE("\"id\":\"\",\"at\":[0,0],\"radius\":1,\"strength\":1")),
         "edit #1: \"id\" must be 1 to 127 bytes long, found 0"},
        {DOCUMENT(RAISE("\"id\":\"a\\u001b[31m\",\"at\":[0,0],\"radius\":1,\"strength\":1")),
         "edit #1: \"id\" must be free of control characters"},
        {DOCUMENT(RAISE("\"id\":\"a\\u009b\",\"at\":[0,0],\"radius\":1,\"strength\":1")),
         "free of control characters"},
        {DOCUMENT(RAISE("\"author\":\"\\u007f\",\"at\":[0,0],\"radius\":1,\"strength\":1")),
         "free of control characters"},
    };

    (void)state;
    ASSERT_REFUSED(refusals);
}

static void names_that_are_not_known_are_refused_by_name(void **state)
{
    static const struct refusal refusals[] = {
        {DOCUMENT("{\"id\":\"a\",\"op\":\"flatten\"}"),
         "edits.json:2: edit 'a': operation 'flatten' is not supported by this version, expected one of "
         "raise, lower, "
         "smooth, union, subtract"},
        {DOCUMENT("{\"op\":\"Raise\"}"), "operation 'Raise' is not supported by this version"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1,\"falloff\":\"gauss\"")),
         "falloff 'gauss' is not supported by this version, expected one of smooth, smoother, sphere, root, "
         "sharp, pow4, "
         "linear, inverse-square, constant"},
        {DOCUMENT("{\"op\":\"union\",\"shape\":{\"type\":\"box\"}}"),
         "shape 'box' is not supported by this version, expected one of sphere, capsule"},
        {DOCUMENT("{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"chamfer\"}}"),
         "blend 'chamfer' is not supported by this version, expected one of hard, smooth"},
        {DOCUMENT(RAISE("\"id\":\"a\",\"at\":[0,0],\n\"raduis\":1,\"strength\":1")),
         "edits.json:3: edit 'a': unknown field \"raduis\", expected one of at, author, falloff, id, op, "
         "power, radius, "
         "strength, time"},
        {DOCUMENT("{\"op\":\"union\"," SPHERE ",\"radius\":1}"),
         "unknown field \"radius\", expected one of author, blend, id, op, shape, time"},
        {DOCUMENT("{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"centre\":[0,0,0],\"radius\":1}}"),
         "unknown field \"centre\" in \"shape\", expected one of center, radius, type"},
        {DOCUMENT("{\"op\":\"union\",\"shape\":{\"type\":\"capsule\",\"center\":[0,0,0],\"radius\":1}}"),
         "unknown field \"center\" in \"shape\", expected one of from, radius, to, type"},
        {DOCUMENT("{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"hard\",\"width\":1}}"),
         "unknown field \"width\" in \"blend\", expected one of type"},
        {DOCUMENT(RAISE("\"X-note\":1,\"at\":[0,0],\"radius\":1,\"strength\":1")),
         "unknown field \"X-note\""},
    };

    (void)state;
    ASSERT_REFUSED(refusals);
}

static void fields_that_are_missing_are_named(void **state)
{
    static const struct refusal refusals[] = {
        {DOCUMENT("{}"), "edits.json:2: edit #1: \"op\" is missing"},
        {DOCUMENT("{\"id\":\"a\"}"), "edits.json:2: edit 'a': \"op\" is missing"},
        {DOCUMENT(RAISE("\"radius\":1,\"strength\":1")), "\"at\" is missing"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"strength\":1")), "\"radius\" is missing"},
        {DOCUMENT(RAISE("\"at\":[0,0],\"radius\":1")), "\"strength\" is missing"},
        {DOCUMENT("{\"op\":\"union\"}"), "\"shape\" is missing"},
        {DOCUMENT("{\"op\":\"union\",\"shape\":{}}"), "\"type\" in \"shape\" is missing"},
        {DOCUMENT("{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"radius\":1}}"),
         "\"center\" in \"shape\" is missing"},
        {DOCUMENT("{\"op\":\"union\",\"shape\":{\"type\":\"capsule\",\"radius\":1,\"from\":[1,2,3]}}"),
         "\"to\" in \"shape\" is missing"},
        {DOCUMENT("{\"op\":\"union\"," SPHERE ",\"blend\":{}}"), "\"type\" in \"blend\" is missing"},
        {DOCUMENT("{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"smooth\"}}"),
         "\"width\" in \"blend\" is missing"},
    };

    (void)state;
    ASSERT_REFUSED(refusals);
}

static void a_document_cut_anywhere_is_refused(void **state)
{
    static const char text[] = DOCUMENT(RAISE_A ",\n{\"op\":\"union\"," SPHERE "}");

    (void)state;
    for (size_t size = 0; size < sizeof text - 1; size++)
        assert_refused_bytes(text, size, "edits.json:");
}

static void bytes_behind_a_nul_are_not_hidden(void **state)
{
    static const char text[] = HEAD RAISE_A "\n\0\0\0\0";

    (void)state;
    assert_refused_bytes(text, sizeof text - 1, "edits.json:3: last line");
}

/* cases.md 20: three whole lines and half a fourth. */
static void a_torn_last_line_is_refused_with_its_offset_and_the_last_good_edit(void **state)
{
    static const char whole[] =
        HEAD "{\"id\":\"a\",\"op\":\"union\"," SPHERE "}\n{\"id\":\"b\",\"op\":\"union\"," SPHERE
             "}\n{\"id\":\"c\",\"op\":\"union\"," SPHERE "}\n";
    static const char fourth[] = "{\"id\":\"d\",\"op\":\"union\"," SPHERE "}";
    char text[sizeof whole + sizeof fourth], expected[128];

    (void)state;
    snprintf(
        expected, sizeof expected,
        "edits.json:5: last line, at byte offset %zu, is torn, last good edit is 'c': ", sizeof whole - 1);
    for (size_t torn = 1; torn < sizeof fourth - 1; torn++) {
        snprintf(text, sizeof text, "%s%.*s", whole, (int)torn, fourth);
        assert_refused_text(text, expected);
    }
    assert_refused_text(HEAD "{\"op",
                        "edits.json:2: last line, at byte offset 39, is torn, with no edit before it: "
                        "text ends, expected '\"' to end the string");
    assert_refused_text(HEAD RAISE("\"at\":[0,0],\"radius\":1,\"strength\":1") "\n{",
                        "last good edit is 'e-");
}

static void damage_before_the_last_line_is_not_called_torn(void **state)
{
    static const char text[] =
        HEAD RAISE_A "\n{\"id\":\"b\",\"op\n{\"id\":\"c\",\"op\":\"union\"," SPHERE "}\n";
    struct tr_error error = {0};
    struct tr_log log = {0};

    (void)state;
    assert_int_equal(parse_into(&log, text, &error), TR_BAD_INPUT);
    assert_string_equal(error.text, "edits.json:3: text ends, expected '\"' to end the string");
    tr_log_release(&log);
}

/* ---- ids ---- */

static void an_id_used_twice_is_refused_with_both_lines(void **state)
{
    (void)state;
    assert_refused_text(HEAD RAISE_A "\n{\"op\":\"union\"," SPHERE "}\n\n" RAISE_A "\n",
                        "edits.json:5: edit 'a': \"id\" is used twice, first in line 2");
}

static void edits_without_id_get_one_from_content_and_occurrence(void **state)
{
    static const char one[] = "{\"op\":\"union\"," SPHERE "}\n",
                      other[] = "{\"op\":\"subtract\"," SPHERE "}\n";
    char text[1024], taken[TR_EDIT_ID_BYTES];
    struct tr_log log;

    (void)state;
    snprintf(text, sizeof text, "%s%s%s%s%s", HEAD, one, other, one, one);
    log = parse(text);
    assert_int_equal(strlen(log.edits[0].id), 14);
    assert_memory_equal(log.edits[0].id, "e-", 2);
    assert_int_equal(strspn(log.edits[0].id + 2, "0123456789abcdef"), 12);
    assert_string_not_equal(log.edits[1].id, log.edits[0].id);
    assert_memory_equal(log.edits[2].id, log.edits[0].id, 14);
    assert_string_equal(log.edits[2].id + 14, "-2");
    assert_string_equal(log.edits[3].id + 14, "-3");
    strcpy(taken, log.edits[2].id);
    tr_log_release(&log);

    /* an id that is written keeps its edit, wherever it stands */
    snprintf(text, sizeof text, "%s%s%s%s{\"id\":\"%s\",\"op\":\"subtract\"," SPHERE "}", HEAD, one, one,
             other, taken);
    log = parse(text);
    assert_string_equal(log.edits[1].id + 14, "-3");
    assert_string_equal(log.edits[3].id, taken);
    tr_log_release(&log);
}

static void the_same_content_has_the_same_id_however_it_is_written(void **state)
{
    struct tr_log a = parse(HEAD RAISE("\"at\":[1,-0.0],\"radius\":1e1,\"strength\":0.50"));
    struct tr_log b = parse(DOCUMENT("{\"x-note\":7,\"strength\":5e-1,\"falloff\":\"smooth\",\"radius\":10.0,"
                                     "\"at\":[1,0],\"op\":\"raise\"}"));
    struct tr_log later = parse(HEAD RAISE("\"at\":[1,0],\"radius\":10,\"strength\":0.5,\"time\":1"));

    (void)state;
    assert_string_equal(a.edits[0].id, b.edits[0].id);
    assert_memory_equal(a.edits[0].a_m, b.edits[0].a_m, sizeof a.edits[0].a_m); /* -0 is 0 */
    assert_string_not_equal(a.edits[0].id, later.edits[0].id);
    tr_log_release(&a);
    tr_log_release(&b);
    tr_log_release(&later);
}

static void appending_a_log_without_ids_twice_counts_on(void **state)
{
    struct tr_log log = parse(HEAD "{\"op\":\"union\"," SPHERE "}");
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(parse_into(&log, HEAD "{\"op\":\"union\"," SPHERE "}", &error), TR_OK);
    assert_int_equal(log.count, 2);
    assert_string_equal(log.edits[1].id + 14, "-2");
    tr_log_release(&log);
}

/* Would take minutes if each of the equal edits tried all occurrences before it. */
static void many_equal_edits_get_their_ids(void **state)
{
    static const char line[] = "{\"op\":\"union\"," SPHERE "}\n";
    const size_t count = 20000;
    struct tr_writer text = {0};
    struct tr_error error = {0};
    struct tr_log log = {0};

    (void)state;
    tr_write_text(&text, "%s", HEAD);
    for (size_t i = 0; i < count; i++)
        tr_write_bytes(&text, line, sizeof line - 1);
    assert_int_equal(tr_log_parse(&log, (const char *)text.bytes, text.size_bytes, "edits.json", &error),
                     TR_OK);
    assert_int_equal(log.count, count);
    assert_string_equal(log.edits[count - 1].id + 14, "-20000");
    tr_log_release(&log);
    tr_writer_release(&text);
}

/* ---- the normal form ---- */

/* The example of EDITS.md. */
static void the_normal_form_is_as_documented(void **state)
{
    (void)state;
    assert_normal_form(
        "{\"format\": \"terrain-edits\", \"version\": 1, \"edits\": [\n"
        "  {\"id\": \"rim\", \"time\": 1700000000000, \"op\": \"raise\", \"at\": [430, 300.0], \"radius\": "
        "60,\n"
        "   \"strength\": 2.50, \"falloff\": \"smooth\"},\n"
        "  {\"id\": \"path\", \"author\": \"Ada\", \"op\": \"smooth\", \"at\": [500, 310], \"radius\": 25,\n"
        "   \"strength\": 0.5, \"falloff\": \"sharp\", \"power\": 3},\n"
        "  {\"id\": \"cave\", \"op\": \"subtract\", \"blend\": {\"type\": \"smooth\", \"width\": 4},\n"
        "   \"shape\": {\"type\": \"capsule\", \"from\": [430, 140, 300], \"to\": [560, 120, 330], "
        "\"radius\": 9}}\n"
        "]}\n",
        HEAD "{\"at\":[430,300],\"id\":\"rim\",\"op\":\"raise\",\"radius\":60,\"strength\":2.5,\"time\":"
             "1700000000000}\n"
             "{\"at\":[500,310],\"author\":\"Ada\",\"falloff\":\"sharp\",\"id\":\"path\",\"op\":\"smooth\","
             "\"radius\":25,"
             "\"strength\":0.5}\n"
             "{\"blend\":{\"type\":\"smooth\",\"width\":4},\"id\":\"cave\",\"op\":\"subtract\",\"shape\":{"
             "\"from\":[430,140,300],"
             "\"radius\":9,\"to\":[560,120,330],\"type\":\"capsule\"}}\n");
}

static void the_normal_form_escapes_what_json_must(void **state)
{
    (void)state;
    assert_normal_form(
        HEAD "{\"id\":\"\\u00e9\\\"\\\\\\/\",\"author\":\"\\ud83d\\uDE00\",\"op\":\"union\"," SPHERE "}",
        HEAD "{\"author\":\"\xf0\x9f\x98\x80\",\"id\":\"\xc3\xa9\\\"\\\\/\",\"op\":\"union\","
             "\"shape\":{\"center\":[1,2,3],\"radius\":4,\"type\":\"sphere\"}}\n");
}

static void the_normal_form_leaves_out_exactly_the_defaults(void **state)
{
    (void)state;
    assert_normal_form(
        HEAD "{\"id\":\"a\",\"op\":\"lower\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"falloff\":\"sharp\","
             "\"power\":4}\n"
             "{\"id\":\"b\",\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"hard\"},\"time\":0}",
        HEAD "{\"at\":[0,0],\"falloff\":\"sharp\",\"id\":\"a\",\"op\":\"lower\",\"power\":4,\"radius\":1,"
             "\"strength\":1}\n"
             "{\"id\":\"b\",\"op\":\"union\",\"shape\":{\"center\":[1,2,3],\"radius\":4,"
             "\"type\":\"sphere\"},\"time\":0}\n");
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Any finite double, all exponents alike. */
static double random_double(uint64_t *seed)
{
    uint64_t bits = random_next(seed) & ~(UINT64_C(1) << 62); /* exponent below 1024: finite */
    double value;

    memcpy(&value, &bits, sizeof value);
    return value + 0.0;
}

static struct tr_edit random_edit(uint64_t *seed, size_t number)
{
    struct tr_edit edit = {.op = (enum tr_edit_op)(random_next(seed) % TR_EDIT_OP_COUNT), .power = 3};
    double positive = random_double(seed);

    snprintf(edit.id, sizeof edit.id, "edit %zu", number);
    if (random_next(seed) % 2)
        snprintf(edit.author, sizeof edit.author, "author \"%zu\"", number);
    edit.has_time = random_next(seed) % 2;
    if (edit.has_time)
        edit.time_ms = (int64_t)(random_next(seed) >> 11) - (INT64_C(1) << 52);
    edit.radius_m = positive < 0 ? -positive : positive == 0 ? 1 : positive;
    for (int i = 0; i < 3; i++) {
        edit.a_m[i] = random_double(seed);
        edit.b_m[i] = random_double(seed);
    }
    if (tr_edit_is_height(&edit)) {
        edit.a_m[1] = 0;
        edit.strength = (double)(random_next(seed) >> 11) * 0x1p-53 + 0x1p-60;
        edit.falloff = (uint32_t)(random_next(seed) % TR_FALLOFF_COUNT);
        if (edit.falloff == TR_FALLOFF_SHARP)
            edit.power = 2 + (uint32_t)(random_next(seed) % 15);
    } else {
        edit.shape = random_next(seed) % 2 ? TR_SHAPE_CAPSULE : TR_SHAPE_SPHERE;
        edit.blend_m = random_next(seed) % 2 ? edit.radius_m : 0;
    }
    if (tr_edit_is_height(&edit) || edit.shape == TR_SHAPE_SPHERE)
        memcpy(edit.b_m, edit.a_m, sizeof edit.b_m);
    return edit;
}

static void assert_same_edit(const struct tr_edit *a, const struct tr_edit *b)
{
    if (memcmp(a->a_m, b->a_m, sizeof a->a_m) != 0 || memcmp(a->b_m, b->b_m, sizeof a->b_m) != 0 ||
        strcmp(a->id, b->id) != 0 || strcmp(a->author, b->author) != 0 || a->has_time != b->has_time ||
        a->time_ms != b->time_ms || a->op != b->op || a->radius_m != b->radius_m ||
        a->strength != b->strength || a->blend_m != b->blend_m || a->falloff != b->falloff ||
        a->power != b->power || a->shape != b->shape)
        fail_msg("'%s' (%d, radius %a, a %a %a %a) was read back as '%s' (%d, radius %a, a %a %a %a)", a->id,
                 a->op, a->radius_m, a->a_m[0], a->a_m[1], a->a_m[2], b->id, b->op, b->radius_m, b->a_m[0],
                 b->a_m[1], b->a_m[2]);
}

static void what_is_written_reads_back_equal_and_writes_the_same(void **state)
{
    struct tr_edit edits[500];
    struct tr_log log = {.edits = edits, .count = 500, .capacity = 500}, again;
    uint64_t seed = 20261;
    char *first, *second;

    (void)state;
    for (size_t i = 0; i < log.count; i++)
        edits[i] = random_edit(&seed, i);
    first = normal_form(&log);
    again = parse(first);
    assert_int_equal(again.count, log.count);
    for (size_t i = 0; i < log.count; i++)
        assert_same_edit(&log.edits[i], &again.edits[i]);
    second = normal_form(&again);
    assert_string_equal(first, second);
    free(first);
    free(second);
    tr_log_release(&again);
}

/* ---- meeting a world ---- */

static const struct tr_world_info small_world = {
    .size_x = 4, .size_z = 2, .voxel_size = 2}; /* 512 m x 256 m */

static enum tr_status resolve(struct tr_log *log, bool skip_outside, size_t *skipped, struct tr_error *error)
{
    return tr_log_resolve(log, 0, &small_world, "edits.json", skip_outside, skipped, error);
}

static void resolving_converts_metres_once(void **state)
{
    struct tr_log log =
        parse(HEAD "{\"op\":\"lower\",\"at\":[3,7],\"radius\":5,\"strength\":3}\n"
                   "{\"op\":\"smooth\",\"at\":[3,7],\"radius\":5,\"strength\":0.25}\n"
                   "{\"op\":\"union\"," CAPSULE ",\"blend\":{\"type\":\"smooth\",\"width\":32}}");
    struct tr_error error = {0};
    size_t skipped = 9;

    (void)state;
    assert_int_equal(resolve(&log, false, &skipped, &error), TR_OK);
    assert_int_equal(skipped, 0);
    assert_true(log.edits[0].a[0] == 1.5 && log.edits[0].a[1] == 0 && log.edits[0].a[2] == 3.5);
    assert_true(log.edits[0].radius == 2.5 && log.edits[0].strength_units == -384);
    assert_true(log.edits[1].strength_units == 0.25);
    assert_true(log.edits[2].a[0] == 0.5 && log.edits[2].a[1] == 1 && log.edits[2].a[2] == 1.5);
    assert_true(log.edits[2].b[0] == 2 && log.edits[2].b[1] == 2.5 && log.edits[2].b[2] == 3);
    assert_true(log.edits[2].radius == 3.5 && log.edits[2].blend == 16);
    tr_log_release(&log);
}

static void numbers_beyond_the_limits_are_refused_when_the_voxel_size_is_known(void **state)
{
    static const struct refusal refusals[] = {
        {RAISE("\"id\":\"a\",\"at\":[0,0],\"radius\":200000.001,\"strength\":1"),
         "edits.json:2: edit 'a': \"radius\" must be at most 200000 m (100000 voxels) in magnitude, found "
         "200000.001"},
        {RAISE("\"id\":\"a\",\"at\":[0,0],\"radius\":1,\"strength\":131072"),
         "\"strength\" must be at most 131071.9921875 m (65535.99609375 voxels) in magnitude, found 131072"},
        {RAISE("\"id\":\"a\",\"at\":[-128000002,0],\"radius\":1,\"strength\":1"),
         "\"at\" must be at most 128000000 m (64000000 voxels) in magnitude, found -128000002"},
        {RAISE("\"id\":\"a\",\"at\":[0,1e308],\"radius\":1,\"strength\":1"),
         "\"at\" must be at most 128000000 m"},
        {"{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"center\":[0,131073,0],\"radius\":1}}",
         "\"center\" must be at most 131072 m (65536 voxels) in magnitude, found 131073"},
        {"{\"op\":\"union\",\"shape\":{\"type\":\"capsule\",\"from\":[0,0,1e9],\"to\":[0,0,0],\"radius\":1}}",
         "\"from\" must be at most 128000000 m"},
        {"{\"op\":\"union\",\"shape\":{\"type\":\"capsule\",\"from\":[0,0,0],\"to\":[0,-1e9,0],\"radius\":1}"
         "}",
         "\"to\" must be at most 131072 m"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"smooth\",\"width\":32.5}}",
         "\"width\" must be at most 32 m (16 voxels) in magnitude, found 32.5"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        char text[512];
        struct tr_error error = {0};
        struct tr_log log;
        enum tr_status status;

        snprintf(text, sizeof text, "%s%s", HEAD, refusals[i].text);
        log = parse(text);
        status = resolve(&log, true, NULL, &error);
        if (status != TR_BAD_INPUT || !strstr(error.text, refusals[i].expected))
            fail_msg("%s: status %d, found \"%s\", expected \"%s\"", refusals[i].text, status, error.text,
                     refusals[i].expected);
        tr_log_release(&log);
    }
}

static void numbers_at_the_limits_are_taken(void **state)
{
    struct tr_log log = parse(
        HEAD "{\"op\":\"lower\",\"at\":[0,0],\"radius\":200000,\"strength\":131071.9921875}\n"
             "{\"op\":\"union\",\"shape\":{\"type\":\"capsule\",\"from\":[-128000000,-131072,-128000000],"
             "\"to\":[128000000,131072,128000000],\"radius\":200000},\"blend\":{\"type\":\"smooth\","
             "\"width\":32}}");
    struct tr_error error = {0};

    (void)state;
    if (resolve(&log, false, NULL, &error) != TR_OK)
        fail_msg("refused: %s", error.text);
    assert_true(log.edits[0].strength_units == -TR_HEIGHT_MAX);
    tr_log_release(&log);
}

static void an_edit_wholly_outside_is_refused_with_what_the_world_spans(void **state)
{
    struct tr_log log =
        parse(HEAD RAISE_A "\n{\"id\":\"far\",\"op\":\"union\",\"shape\":{\"type\":\"sphere\","
                           "\"center\":[600,0,0],\"radius\":10}}");
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(resolve(&log, false, NULL, &error), TR_BAD_INPUT);
    assert_string_equal(error.text,
                        "edits.json:3: edit 'far' lies outside the world, which spans x 0 to 512, "
                        "y -131072 to 131070 and z 0 to 256 m");
    tr_log_release(&log);
}

static void an_edit_is_outside_exactly_when_it_reaches_no_sample_of_the_world(void **state)
{
    static const struct {
        const char *edit;
        bool is_outside;
    } cases[] = {
        {"{\"op\":\"raise\",\"at\":[-10,50],\"radius\":9.5,\"strength\":1}", true},
        {"{\"op\":\"raise\",\"at\":[-10,50],\"radius\":10.5,\"strength\":1}", false},
        {"{\"op\":\"raise\",\"at\":[522,50],\"radius\":9.5,\"strength\":1}", true},
        {"{\"op\":\"raise\",\"at\":[522,50],\"radius\":10.5,\"strength\":1}", false},
        {"{\"op\":\"raise\",\"at\":[50,-1],\"radius\":0.5,\"strength\":1}", true},
        {"{\"op\":\"raise\",\"at\":[50,257],\"radius\":0.5,\"strength\":1}", true},
        {"{\"op\":\"raise\",\"at\":[51,51],\"radius\":0.001,\"strength\":1}",
         false}, /* between samples, but inside */
        {"{\"op\":\"smooth\",\"at\":[-3,50],\"radius\":2,\"strength\":1}",
         true}, /* what it reads does not count */
        {"{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"center\":[-41,0,50],\"radius\":8}}", true},
        {"{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"center\":[-39,0,50],\"radius\":8}}", false},
        {"{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"center\":[-71,0,50],\"radius\":8},"
         "\"blend\":{\"type\":\"smooth\",\"width\":32}}",
         false},
        {"{\"op\":\"subtract\",\"shape\":{\"type\":\"sphere\",\"center\":[50,131072,50],\"radius\":8}}",
         false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        struct tr_error error = {0};
        struct tr_log log;
        size_t skipped = 9;
        enum tr_status status;

        snprintf(text, sizeof text, "%s%s", HEAD, cases[i].edit);
        log = parse(text);
        status = resolve(&log, false, NULL, &error);
        if (status != (cases[i].is_outside ? TR_BAD_INPUT : TR_OK))
            fail_msg("%s: status %d, %s", cases[i].edit, status, error.text);
        assert_int_equal(resolve(&log, true, &skipped, &error), TR_OK);
        assert_int_equal(skipped, cases[i].is_outside);
        assert_int_equal(log.count, !cases[i].is_outside);
        tr_log_release(&log);
    }
}

static void skipping_keeps_the_order_of_the_others(void **state)
{
    static const char near[] = "\"op\":\"raise\",\"at\":[50,50],\"radius\":2,\"strength\":1}\n",
                      far[] = "\"op\":\"raise\",\"at\":[-50,50],\"radius\":2,\"strength\":1}\n";
    char text[1024];
    struct tr_error error = {0};
    struct tr_log log;
    size_t skipped;

    (void)state;
    snprintf(text, sizeof text, "%s{\"id\":\"a\",%s{\"id\":\"b\",%s{\"id\":\"c\",%s{\"id\":\"d\",%s", HEAD,
             far, near, far, near);
    log = parse(text);
    assert_int_equal(resolve(&log, true, &skipped, &error), TR_OK);
    assert_int_equal(skipped, 2);
    assert_int_equal(log.count, 2);
    assert_string_equal(log.edits[0].id, "b");
    assert_string_equal(log.edits[1].id, "d");
    tr_log_release(&log);
}

static void edits_before_first_are_left_as_they_are(void **state)
{
    struct tr_log log =
        parse(HEAD "{\"id\":\"far\",\"op\":\"raise\",\"at\":[-50,50],\"radius\":2,\"strength\":1}");
    struct tr_error error = {0};
    size_t skipped;

    (void)state;
    assert_int_equal(parse_into(&log, HEAD RAISE_A, &error), TR_OK);
    assert_int_equal(tr_log_resolve(&log, 1, &small_world, "edits.json", true, &skipped, &error), TR_OK);
    assert_int_equal(skipped, 0);
    assert_int_equal(log.count, 2);
    assert_string_equal(log.edits[0].id, "far");
    assert_true(log.edits[0].radius == 0);
    assert_true(log.edits[1].radius == 1.5);
    tr_log_release(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_gives_every_field_in_order),
        cmocka_unit_test(lines_and_document_give_the_same_log),
        cmocka_unit_test(a_log_without_edits_is_read_in_both_forms),
        cmocka_unit_test(fields_that_begin_with_x_are_passed_over_everywhere),
        cmocka_unit_test(every_name_of_the_form_is_read),
        cmocka_unit_test(parsing_appends_and_a_refused_log_leaves_what_was_there),
        cmocka_unit_test(texts_that_are_no_log_are_refused),
        cmocka_unit_test(values_that_an_edit_cannot_have_are_refused),
        cmocka_unit_test(names_that_are_not_known_are_refused_by_name),
        cmocka_unit_test(fields_that_are_missing_are_named),
        cmocka_unit_test(a_document_cut_anywhere_is_refused),
        cmocka_unit_test(bytes_behind_a_nul_are_not_hidden),
        cmocka_unit_test(a_torn_last_line_is_refused_with_its_offset_and_the_last_good_edit),
        cmocka_unit_test(damage_before_the_last_line_is_not_called_torn),
        cmocka_unit_test(an_id_used_twice_is_refused_with_both_lines),
        cmocka_unit_test(edits_without_id_get_one_from_content_and_occurrence),
        cmocka_unit_test(the_same_content_has_the_same_id_however_it_is_written),
        cmocka_unit_test(appending_a_log_without_ids_twice_counts_on),
        cmocka_unit_test(many_equal_edits_get_their_ids),
        cmocka_unit_test(the_normal_form_is_as_documented),
        cmocka_unit_test(the_normal_form_escapes_what_json_must),
        cmocka_unit_test(the_normal_form_leaves_out_exactly_the_defaults),
        cmocka_unit_test(what_is_written_reads_back_equal_and_writes_the_same),
        cmocka_unit_test(resolving_converts_metres_once),
        cmocka_unit_test(numbers_beyond_the_limits_are_refused_when_the_voxel_size_is_known),
        cmocka_unit_test(numbers_at_the_limits_are_taken),
        cmocka_unit_test(an_edit_wholly_outside_is_refused_with_what_the_world_spans),
        cmocka_unit_test(an_edit_is_outside_exactly_when_it_reaches_no_sample_of_the_world),
        cmocka_unit_test(skipping_keeps_the_order_of_the_others),
        cmocka_unit_test(edits_before_first_are_left_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
