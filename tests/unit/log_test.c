/* Edit logs: what is read of all three encodings and of the web client's messages, one message for each thing refused, ids, the normal form,
 * and the meeting with a world. */
#include <setjmp.h>
#include "tests/unit/log_fixture.h"

#include "lib/edit/form.h"

#include <locale.h>

/* ---- what is read ---- */

static void a_document_gives_every_field_in_order(void **state)
{
    struct tr_log log = parse(DOCUMENT(
        "{\"id\":\"rim\",\"time\":-5,\"author\":\"Ada\",\"op\":\"lower\",\"path\":[[1.5,-2],[3,4]],"
        "\"spacing\":2,"
        "\"radius\":30,\"strength\":[2.25,1],\"falloff\":\"sharp\",\"power\":16},\n"
        "{\"id\":\"cave\",\"op\":\"subtract\"," CAPSULE ",\"blend\":{\"type\":\"stairs\",\"width\":0.5},"
        "\"within\":{\"min\":[-1,-2,-3],\"max\":[1,2,3]}}"));
    const struct tr_edit *rim = &log.edits[0], *cave = &log.edits[1];
    const struct tr_shape_node *capsule = &cave->shape.nodes[0];
    static const double capsule_values[TR_SHAPE_VALUES_MAX] = {1, 2, 3, 7, 4, 5, 6},
                        within[] = {-1, -2, -3, 1, 2, 3};

    (void)state;
    assert_int_equal(log.count, 2);
    assert_string_equal(rim->id, "rim");
    assert_string_equal(rim->author, "Ada");
    assert_true(rim->has_time && rim->time_ms == -5);
    assert_int_equal(rim->op, TR_EDIT_LOWER);
    assert_int_equal(rim->line, 2);
    assert_false(rim->has_offset);
    assert_true(rim->is_stroke && rim->point_count == 2);
    assert_true(rim->points[0].at_m[0] == 1.5 && rim->points[0].at_m[1] == 0 && rim->points[0].at_m[2] == -2);
    assert_true(rim->points[1].at_m[0] == 3 && rim->points[1].at_m[1] == 0 && rim->points[1].at_m[2] == 4);
    assert_true(rim->points[0].radius_m == 30 && rim->points[1].radius_m == 30);
    assert_true(rim->points[0].strength == 2.25 && rim->points[1].strength == 1);
    assert_true(rim->has_spacing && rim->spacing_m == 2);
    assert_int_equal(rim->falloff, TR_FALLOFF_SHARP);
    assert_int_equal(rim->power, 16);
    assert_int_equal(cave->op, TR_EDIT_SUBTRACT);
    assert_int_equal(cave->line, 3);
    assert_false(cave->has_time);
    assert_string_equal(cave->author, "");
    assert_null(cave->points);
    assert_int_equal(cave->shape.count, 1);
    assert_int_equal(capsule->kind, TR_SHAPE_CAPSULE);
    assert_memory_equal(capsule->values, capsule_values, sizeof capsule_values);
    assert_int_equal(cave->blend.kind, TR_BLEND_STAIRS);
    assert_int_equal(cave->blend.steps, 4);
    assert_true(cave->blend.width_m == 0.5 && cave->has_within);
    assert_memory_equal(cave->within_m, within, sizeof within);
    tr_log_release(&log);
}

static void what_is_not_written_has_its_default(void **state)
{
    struct tr_log log =
        parse(HEAD "{\"op\":\"noise\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"scale\":8}\n"
                   "{\"op\":\"hc-smooth\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"falloff\":\"sharp\"}\n"
                   "{\"op\":\"flatten\",\"at\":[0,0,0],\"radius\":1,\"strength\":1}\n"
                   "{\"op\":\"flatten\",\"at\":[0,0],\"radius\":1,\"strength\":1}\n"
                   "{\"op\":\"set\",\"at\":[0,0],\"radius\":1,\"height\":7}\n"
                   "{\"op\":\"union\",\"shape\":{\"type\":\"rotate\",\"axis\":[1,0,0],\"degrees\":5,\"of\":"
                   "{\"type\":\"torus\",\"center\":[0,0,0],\"radius\":2,\"tube\":1}}}");
    static const double rotate[TR_SHAPE_VALUES_MAX] = {0, 0, 0, 1, 0, 0, 5},
                        torus[TR_SHAPE_VALUES_MAX] = {0, 1, 0, 0, 0, 0, 2, 1};

    (void)state;
    assert_true(log.edits[0].falloff == TR_FALLOFF_SMOOTH && log.edits[0].octaves == 4 &&
                log.edits[0].seed == 0);
    assert_true(log.edits[1].power == 3 && log.edits[1].beta == 0.5);
    assert_true(!log.edits[2].is_projected && !log.edits[2].has_point && log.edits[2].normal[0] == 0 &&
                log.edits[2].normal[1] == 1 && log.edits[2].normal[2] == 0);
    assert_false(log.edits[3].has_height);
    assert_true(log.edits[4].has_height && log.edits[4].height_m == 7 &&
                log.edits[4].points[0].strength == 1);
    assert_int_equal(log.edits[5].blend.kind, TR_BLEND_HARD);
    assert_false(log.edits[5].has_within);
    assert_memory_equal(log.edits[5].shape.nodes[0].values, rotate, sizeof rotate);
    assert_memory_equal(log.edits[5].shape.nodes[1].values, torus, sizeof torus);
    tr_log_release(&log);
}

/* `at`, `path` and `shape` tell operations of one name apart. */
static void an_operation_is_known_by_its_name_and_place(void **state)
{
#define BRUSH(op, at, more) "{\"op\":\"" op "\"," at ",\"radius\":1" more "}"
#define XZ "\"at\":[0,0]"
#define XYZ "\"at\":[0,0,0]"
#define STRONG ",\"strength\":1"
    static const struct {
        const char *edit;
        enum tr_edit_op op;
    } cases[] = {
        {BRUSH("raise", XZ, STRONG), TR_EDIT_RAISE},
        {BRUSH("lower", XZ, STRONG), TR_EDIT_LOWER},
        {BRUSH("smooth", XZ, STRONG), TR_EDIT_SMOOTH},
        {BRUSH("smooth", "\"path\":[[0,0]]", STRONG), TR_EDIT_SMOOTH},
        {BRUSH("hc-smooth", XZ, STRONG), TR_EDIT_HC_SMOOTH},
        {BRUSH("flatten", XZ, STRONG), TR_EDIT_FLATTEN},
        {BRUSH("noise", XZ, STRONG ",\"scale\":1"), TR_EDIT_NOISE},
        {BRUSH("stamp", XZ, STRONG ",\"image\":" DATA(PNG_GREY8)), TR_EDIT_STAMP},
        {BRUSH("set", XZ, ",\"height\":1"), TR_EDIT_SET},
        {BRUSH("paint", XZ, ",\"material\":1"), TR_EDIT_PAINT},
        {BRUSH("add", XYZ, STRONG), TR_EDIT_VOLUME_ADD},
        {BRUSH("subtract", XYZ, STRONG), TR_EDIT_VOLUME_SUBTRACT},
        {BRUSH("smooth", XYZ, STRONG), TR_EDIT_VOLUME_SMOOTH},
        {BRUSH("smooth", "\"path\":[[0,0,0],[1,0,0]]", STRONG), TR_EDIT_VOLUME_SMOOTH},
        {BRUSH("flatten", XYZ, STRONG), TR_EDIT_VOLUME_FLATTEN},
        {BRUSH("noise", XYZ, STRONG ",\"scale\":1"), TR_EDIT_VOLUME_NOISE},
        {BRUSH("stamp", XYZ, STRONG ",\"image\":" DATA(PNG_GREY8)), TR_EDIT_VOLUME_STAMP},
        {BRUSH("inflate", XYZ, STRONG), TR_EDIT_INFLATE},
        {BRUSH("pinch", XYZ, STRONG), TR_EDIT_PINCH},
        {BRUSH("grab", XYZ, ",\"by\":[1,2,3]"), TR_EDIT_GRAB},
        {BRUSH("redistance", XYZ, ""), TR_EDIT_REDISTANCE},
        {BRUSH("paint", XYZ, ",\"material\":1"), TR_EDIT_VOLUME_PAINT},
        {"{\"op\":\"union\"," SPHERE "}", TR_EDIT_UNION},
        {"{\"op\":\"subtract\"," SPHERE "}", TR_EDIT_SUBTRACT},
        {"{\"op\":\"intersect\"," SPHERE ",\"within\":{\"min\":[0,0,0],\"max\":[0,0,0]}}", TR_EDIT_INTERSECT},
        {"{\"op\":\"paint\"," SPHERE ",\"material\":0}", TR_EDIT_SHAPE_PAINT},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tr_log log = parse_edit(cases[i].edit);

        if (log.count != 1 || log.edits[0].op != cases[i].op)
            fail_msg("%s: read as op %d, expected %d", cases[i].edit, log.edits[0].op, cases[i].op);
        assert_round_trip(&log);
        tr_log_release(&log);
    }
}

static void three_encodings_give_the_same_log(void **state)
{
    static const char document_text[] = DOCUMENT(RAISE_A ",{\"op\":\"union\"," SPHERE "}");
    struct tr_log lines =
        parse("\n" HEAD "\r\n" RAISE_A "\n \t\n{\"op\":\"union\"," SPHERE "}"); /* no last newline */
    struct tr_writer bytes = as_message_pack(document_text);
    struct tr_log document = parse(document_text), packed = parse_bytes(bytes.bytes, bytes.size_bytes);
    char *from_lines = normal_form(&lines), *from_document = normal_form(&document),
         *from_packed = normal_form(&packed);

    (void)state;
    assert_int_equal(lines.count, 2);
    assert_int_equal(lines.edits[0].line, 4);
    assert_int_equal(lines.edits[1].line, 6);
    assert_true(packed.edits[0].has_offset && packed.edits[1].has_offset);
    assert_int_equal(bytes.bytes[packed.edits[1].line], 0x82); /* a map of two */
    assert_string_equal(from_lines, from_document);
    assert_string_equal(from_lines, from_packed);
    free(from_lines);
    free(from_document);
    free(from_packed);
    tr_writer_release(&bytes);
    tr_log_release(&lines);
    tr_log_release(&document);
    tr_log_release(&packed);
}

static void encodings_are_written_as_documented(void **state)
{
    struct tr_log log = parse(HEAD RAISE_A "\n{\"id\":\"b\",\"op\":\"union\"," SPHERE "}");
    struct tr_writer json = write_log(&log, TR_LOG_JSON), packed = write_log(&log, TR_LOG_MESSAGE_PACK),
                     expected;
    static const char document[] =
        DOCUMENT("{\"at\":[1,2],\"id\":\"a\",\"op\":\"raise\",\"radius\":3,\"strength\":4},\n"
                 "{\"id\":\"b\",\"op\":\"union\",\"shape\":" BALL "}\n") "\n";

    (void)state;
    assert_int_equal(json.size_bytes, sizeof document - 1);
    assert_memory_equal(json.bytes, document, sizeof document - 1);
    expected = as_message_pack(document);
    assert_int_equal(packed.size_bytes, expected.size_bytes);
    assert_memory_equal(packed.bytes, expected.bytes, expected.size_bytes);
    tr_writer_release(&json);
    tr_writer_release(&packed);
    tr_writer_release(&expected);
    tr_log_release(&log);
}

/* Array headers of MessagePack change at 16 and 65,536. */
static void logs_of_any_length_are_written_as_message_pack(void **state)
{
    static const size_t counts[] = {0, 15, 16, 65535, 65536};

    (void)state;
    for (size_t i = 0; i < COUNT(counts); i++) {
        struct tr_writer text = {0}, first, expected;
        struct tr_log log, again;

        tr_write_text(&text, "%.*s,\"edits\":[", (int)strlen(HEAD) - 2, HEAD);
        for (size_t k = 0; k < counts[i]; k++)
            tr_write_text(&text,
                          "%s{\"at\":[0,0],\"id\":\"%zu\",\"op\":\"raise\",\"radius\":1,\"strength\":1}",
                          k > 0 ? "," : "", k);
        tr_write_text(&text, "]}");
        tr_write_u8(&text, 0);
        assert_false(text.failed);
        log = parse((const char *)text.bytes);
        assert_int_equal(log.count, counts[i]);
        first = write_log(&log, TR_LOG_MESSAGE_PACK);
        expected = as_message_pack((const char *)text.bytes);
        assert_int_equal(first.size_bytes, expected.size_bytes);
        assert_memory_equal(first.bytes, expected.bytes, first.size_bytes);
        again = parse_bytes(first.bytes, first.size_bytes);
        assert_same_log(&log, &again);
        tr_writer_release(&text);
        tr_writer_release(&first);
        tr_writer_release(&expected);
        tr_log_release(&log);
        tr_log_release(&again);
    }
}

static void a_log_without_edits_is_read_in_all_encodings(void **state)
{
    static const char *const texts[] = {
        HEAD, "{\"format\":\"terrain-edits\",\"version\":1}", HEAD "\n\n", DOCUMENT(""),
        "{\n\"edits\":[],\"version\":1.0,\n\"format\":\"terrain-edits\"}\n\n"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct tr_log log = parse(texts[i]);

        assert_int_equal(log.count, 0);
        tr_log_release(&log);
    }
    assert_normal_form(DOCUMENT(""), HEAD); /* MessagePack, too */
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

static void every_falloff_is_read_by_its_name(void **state)
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
    assert_int_equal(
        parse_into(&log, HEAD "{\"op\":\"union\"," SPHERE "}\n{\"op\":\"paint\"," SPHERE "}", &error),
        TR_BAD_INPUT);
    assert_int_equal(log.count, 1);
    assert_int_equal(parse_into(&log, HEAD "{\"op\":\"union\"," SPHERE "}\n" RAISE_A, &error), TR_BAD_INPUT);
    assert_string_equal(error.text, "edits.json:3: edit 'a': \"id\" is used twice, first at edits.json:2");
    assert_int_equal(log.count, 1);
    after = normal_form(&log);
    assert_string_equal(before, after);
    assert_int_equal(parse_into(&log, HEAD "{\"op\":\"union\"," SPHERE "}\n", &error), TR_OK);
    assert_int_equal(log.count, 2);
    free(before);
    free(after);
    tr_log_release(&log);
}

static void an_id_used_twice_names_the_file_that_has_it_first(void **state)
{
    static const struct {
        const char *name, *text, *expected;
    } logs[] = {
        {"one.json", HEAD RAISE_A, NULL},
        {"empty.json", HEAD, NULL},
        {"two.json", HEAD "{\"op\":\"union\"," SPHERE "}\n{\"id\":\"b\",\"op\":\"union\"," SPHERE "}", NULL},
        {"three.json", HEAD "{\"id\":\"b\",\"op\":\"union\"," SPHERE "}",
         "three.json:2: edit 'b': \"id\" is used twice, first at two.json:3"},
        {"four.json", HEAD RAISE_A, "four.json:2: edit 'a': \"id\" is used twice, first at one.json:2"},
    };
    struct tr_log log = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(logs); i++) {
        struct tr_error error = {0};
        enum tr_status status =
            tr_log_parse(&log, logs[i].text, strlen(logs[i].text), logs[i].name, NULL, NULL, &error);

        assert_int_equal(status, logs[i].expected ? TR_BAD_INPUT : TR_OK);
        if (logs[i].expected)
            assert_string_equal(error.text, logs[i].expected);
    }
    assert_int_equal(log.count, 3);
    tr_log_cut(&log, 1); /* "b" is free again, "a" is not */
    for (size_t i = 3; i < COUNT(logs); i++) {
        struct tr_error error = {0};
        enum tr_status status =
            tr_log_parse(&log, logs[i].text, strlen(logs[i].text), logs[i].name, NULL, NULL, &error);

        assert_int_equal(status, i == 3 ? TR_OK : TR_BAD_INPUT);
        assert_string_equal(error.text, i == 3 ? "" : logs[i].expected);
    }
    tr_log_release(&log);
}

/* ---- what is refused ---- */

#define OPERATIONS                                                                                           \
    "raise, lower, smooth, hc-smooth, flatten, noise, stamp, set, paint, add, subtract, inflate, pinch, "    \
    "grab, redistance, union, intersect"

static void texts_that_are_no_log_are_refused(void **state)
{
    static const struct refusal refusals[] = {
        {"", "edits.json:1: file is empty, expected an edit log"},
        {" \n\t\r\n", "edits.json:1: file is empty, expected an edit log"},
        {"[]", "edits.json:1: an edit log must be an object, found an array"},
        {"[{\"op\":\"raise\"}]", "edits.json:1: an edit log must be an object, found an array"},
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
        {"\xef\xbb\xbf" HEAD,
         "edits.json:1: text begins with a byte order mark, expected plain UTF-8 without one"},
        {"\xdd", "edits.json: byte offset 0: array 32 is cut, found 0 bytes behind the first, expected 4"},
        {"\x90", "edits.json: byte offset 0: an edit log must be an object, found an array"},
        {"\x80", "edits.json: byte offset 0: \"edits\" is missing"},
    };

    (void)state;
    ASSERT_REFUSED(refusals);
}

#define R1 "\"at\":[0,0],\"radius\":1,\"strength\":1"
#define V1 "\"at\":[0,0,0],\"radius\":1,\"strength\":1"

static void numbers_that_an_edit_cannot_have_are_refused(void **state)
{
    static const struct refusal refusals[] = {
        {RAISE("\"at\":[0,0],\"radius\":-2,\"strength\":1"), "\"radius\" must be > 0, found -2"},
        {RAISE("\"at\":[0,0],\"radius\":0,\"strength\":1"), "\"radius\" must be > 0, found 0"},
        {RAISE("\"at\":[0,0],\"radius\":-0.0,\"strength\":1"), "\"radius\" must be > 0, found 0"},
        {RAISE("\"at\":[0,0],\"radius\":1e-999,\"strength\":1"), "\"radius\" must be > 0, found 0"},
        {RAISE("\"at\":[0,0],\"radius\":1,\"strength\":-1"), "\"strength\" must be > 0, found -1"},
        {"{\"op\":\"smooth\",\"at\":[0,0],\"radius\":1,\"strength\":1.5}",
         "\"strength\" must be > 0 and at most 1, found 1.5"},
        {"{\"op\":\"hc-smooth\",\"at\":[0,0],\"radius\":1,\"strength\":1.5}",
         "\"strength\" must be > 0 and at most 1, found 1.5"},
        {"{\"op\":\"flatten\",\"at\":[0,0],\"radius\":1,\"strength\":2}",
         "\"strength\" must be > 0 and at most 1, found 2"},
        {"{\"op\":\"smooth\",\"at\":[0,0,0],\"radius\":1,\"strength\":1.5}",
         "\"strength\" must be > 0 and at most 1, found 1.5"},
        {"{\"op\":\"flatten\",\"at\":[0,0,0],\"radius\":1,\"strength\":1.5}",
         "\"strength\" must be > 0 and at most 1, found 1.5"},
        {"{\"op\":\"pinch\",\"at\":[0,0,0],\"radius\":1,\"strength\":1.5}",
         "\"strength\" must be > 0 and at most 1, found 1.5"},
        {"{\"op\":\"inflate\",\"at\":[0,0,0],\"radius\":1,\"strength\":-1}",
         "\"strength\" must be > 0, found -1"},
        {"{\"op\":\"stamp\"," R1 ",\"degrees\":36000.5,\"image\":" DATA(PNG_GREY8) "}",
         "\"degrees\" must be from -36000 to 36000, found 36000.5"},
        {"{\"op\":\"stamp\"," V1 ",\"normal\":[0,0,0],\"image\":" DATA(PNG_GREY8) "}",
         "\"normal\" must be a direction, with a number of at least 1e-9 in magnitude, found 0"},
        {"{\"op\":\"smooth\",\"at\":[0,0],\"radius\":1,\"strength\":0}", "\"strength\" must be > 0, found 0"},
        {"{\"op\":\"add\",\"at\":[0,0,0],\"radius\":1,\"strength\":0}", "\"strength\" must be > 0, found 0"},
        {RAISE(R1 ",\"time\":1.5"),
         "\"time\" must be an integer from -9007199254740992 to 9007199254740992, found 1.5"},
        {RAISE(R1 ",\"time\":1e300"),
         "\"time\" must be an integer from -9007199254740992 to 9007199254740992, found 1e+300"},
        {RAISE(R1 ",\"falloff\":\"sharp\",\"power\":1"),
         "\"power\" must be an integer from 2 to 16, found 1"},
        {RAISE(R1 ",\"falloff\":\"sharp\",\"power\":17"),
         "\"power\" must be an integer from 2 to 16, found 17"},
        {RAISE(R1 ",\"falloff\":\"sharp\",\"power\":2.5"),
         "\"power\" must be an integer from 2 to 16, found 2.5"},
        {RAISE(R1 ",\"power\":4"), "\"power\" goes with falloff \"sharp\" only, found falloff \"smooth\""},
        {RAISE("\"power\":3," R1 ",\"falloff\":\"pow4\""),
         "\"power\" goes with falloff \"sharp\" only, found falloff \"pow4\""},
        {"{\"op\":\"hc-smooth\"," R1 ",\"beta\":1}", "\"beta\" must be at least 0 and below 1, found 1"},
        {"{\"op\":\"hc-smooth\"," R1 ",\"beta\":-0.1}",
         "\"beta\" must be at least 0 and below 1, found -0.1"},
        {"{\"op\":\"noise\"," R1 ",\"scale\":0}", "\"scale\" must be > 0, found 0"},
        {"{\"op\":\"noise\"," R1 ",\"scale\":1,\"octaves\":0}",
         "\"octaves\" must be an integer from 1 to 8, found 0"},
        {"{\"op\":\"noise\"," V1 ",\"scale\":1,\"octaves\":9}",
         "\"octaves\" must be an integer from 1 to 8, found 9"},
        {"{\"op\":\"paint\",\"at\":[0,0],\"radius\":1,\"material\":256}",
         "\"material\" must be an integer from 0 to 255, found 256"},
        {"{\"op\":\"paint\"," SPHERE ",\"material\":-1}",
         "\"material\" must be an integer from 0 to 255, found -1"},
        {"{\"op\":\"flatten\"," V1 ",\"normal\":[0,0,0]}",
         "\"normal\" must be a direction, with a number of at least 1e-9 in magnitude, found 0"},
        {"{\"op\":\"flatten\"," V1 ",\"normal\":[0,2e9,0]}",
         "\"normal\" must be from -1000000000 to 1000000000, found 2000000000"},
        {"{\"op\":\"add\"," V1 ",\"projected\":[1e-10,0,-1e-10]}",
         "\"projected\" must be a direction, with a number of at least 1e-9 in magnitude, found 1e-10"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"smooth\",\"width\":0}}",
         "\"width\" in \"blend\" must be > 0, found 0"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"stairs\",\"width\":1,\"steps\":1}}",
         "\"steps\" in \"blend\" must be an integer from 2 to 64, found 1"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"stairs\",\"width\":1,\"steps\":65}}",
         "\"steps\" in \"blend\" must be an integer from 2 to 64, found 65"},
        {"{\"op\":\"union\"," SPHERE ",\"within\":{\"min\":[0,0,2],\"max\":[0,0,1.5]}}",
         "\"min\" in \"within\" must be <= \"max\", found 2 and 1.5 in z"},
    };
    static const struct refusal numbers[] = {
        {HEAD RAISE("\"at\":[0,0],\"radius\":1e999,\"strength\":1") "\n",
         "edits.json:2: number 1e999 is too large, expected a finite number"},
        {HEAD RAISE("\"at\":[0,0],\"radius\":NaN,\"strength\":1") "\n",
         "edits.json:2: found 'N', expected a value"},
        {HEAD RAISE("\"at\":[0,0],\"radius\":Infinity,\"strength\":1") "\n",
         "edits.json:2: found 'I', expected a value"},
        {HEAD RAISE("\"at\":[0,0],\"radius\":9007199254740993,\"strength\":1") "\n",
         "edits.json:2: number 9007199254740993 is too large, expected integers from -2^53 to 2^53"},
        {DOCUMENT(RAISE("\"id\":\"c-3\",\"at\":[0,0],\n\"radius\":-2,\"strength\":1")),
         "edits.json:3: edit 'c-3': \"radius\" must be > 0, found -2"},
    };

    (void)state;
    ASSERT_EDITS_REFUSED(refusals);
    ASSERT_REFUSED(numbers);
}

static void types_that_a_field_cannot_have_are_refused(void **state)
{
    static const struct refusal refusals[] = {
        {RAISE("\"at\":[0,0],\"radius\":\"1\",\"strength\":1"),
         "\"radius\" must be a number, found the string \"1\""},
        {RAISE("\"at\":[0,0],\"radius\":null,\"strength\":1"), "\"radius\" must be a number, found null"},
        {RAISE("\"at\":[0,0],\"radius\":1,\"strength\":true"), "\"strength\" must be a number, found true"},
        {RAISE("\"at\":[0,0],\"radius\":[1],\"strength\":1"), "\"radius\" must be a number, found an array"},
        {RAISE("\"at\":[1,\"2\"],\"radius\":1,\"strength\":1"),
         "\"at\" of raise must be a number, found the string \"2\""},
        {"{\"op\":\"union\",\"shape\":\"sphere\"}",
         "\"shape\" must be an object, found the string \"sphere\""},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":false}", "\"blend\" must be an object, found false"},
        {"{\"op\":\"union\"," SPHERE ",\"within\":[1]}", "\"within\" must be an object, found an array"},
        {"{\"op\":\"union\"," SPHERE ",\"within\":{\"min\":[1,2],\"max\":[1,2,3]}}",
         "\"min\" in \"within\" must be an array of 3 numbers, found an array of 2"},
        {"{\"op\":[1]}", "\"op\" must be a string, found an array"},
        {RAISE(R1 ",\"time\":\"now\""), "\"time\" must be a number, found the string \"now\""},
        {RAISE(R1 ",\"author\":7"), "\"author\" must be a string, found 7"},
        {RAISE(R1 ",\"falloff\":0"), "\"falloff\" must be a string, found 0"},
        {RAISE(R1 ",\"falloff\":\"sharp\",\"power\":\"3\""),
         "\"power\" must be a number, found the string \"3\""},
        {"{\"op\":\"flatten\"," R1 ",\"height\":null}", "\"height\" must be a number, found null"},
        {"{\"op\":\"flatten\"," V1 ",\"point\":[0,0]}",
         "\"point\" must be an array of 3 numbers, found an array of 2"},
        {"{\"op\":\"flatten\"," V1 ",\"normal\":1}", "\"normal\" must be an array of 3 numbers, found 1"},
        {"{\"op\":\"add\"," V1 ",\"projected\":true}",
         "\"projected\" must be an array of 3 numbers, found true"},
        {"{\"op\":\"hc-smooth\"," R1 ",\"beta\":\"x\"}", "\"beta\" must be a number, found the string \"x\""},
        {"{\"op\":\"noise\"," R1 ",\"scale\":[]}", "\"scale\" must be a number, found an array"},
        {"{\"op\":\"noise\"," R1 ",\"scale\":1,\"octaves\":{}}",
         "\"octaves\" must be a number, found an object"},
        {"{\"op\":\"grab\",\"at\":[0,0,0],\"radius\":1,\"by\":2}",
         "\"by\" must be an array of 3 numbers, found 2"},
        {"{\"op\":\"stamp\"," R1 ",\"degrees\":\"90\",\"image\":" DATA(PNG_GREY8) "}",
         "\"degrees\" must be a number, found the string \"90\""},
        {"{\"op\":\"stamp\"," R1 ",\"image\":\"rock.png\"}",
         "\"image\" must be an object, found the string \"rock.png\""},
        {"{\"op\":\"stamp\"," R1 ",\"image\":{\"data\":7}}",
         "\"data\" in \"image\" must be a string, found 7"},
        {"{\"op\":\"stamp\"," R1 ",\"image\":{\"data\":\"\",\"file\":\"a\"}}",
         "\"file\" in \"image\" stands instead of \"data\", found both"},
        {"{\"op\":\"stamp\"," R1 ",\"image\":{\"file\":\"a.png\"}}",
         "\"file\" in \"image\" names a file, but the log has no folder: expected \"data\""},
        {"{\"op\":\"stamp\"," R1 ",\"image\":{\"data\":\"AAAA\"}}",
         "\"image\": an image must be a PNG, found no signature of one"},
        {"{\"op\":\"stamp\"," R1 ",\"image\":" DATA(PNG_RGB) "}",
         "\"image\": an image must be grey, found RGB"},
        {"{\"op\":\"paint\"," SPHERE ",\"material\":\"rock\"}",
         "\"material\" must be a number, found the string \"rock\""},
        {RAISE("\"id\":7," R1), "\"id\" must be a string, found 7"},
        {RAISE("\"id\":\"\"," R1), "\"id\" must be 1 to 127 bytes long, found 0"},
        {RAISE("\"id\":\"a\\u001b[31m\"," R1),
         "\"id\" must be free of control characters, found the string \"a?[31m\""},
        {RAISE("\"id\":\"a\\u009b\"," R1),
         "\"id\" must be free of control characters, found the string \"a??\""},
        {RAISE("\"author\":\"\\u007f\"," R1),
         "\"author\" must be free of control characters, found the string \"?\""},
    };

    (void)state;
    ASSERT_EDITS_REFUSED(refusals);
}

static void places_and_paths_that_do_not_fit_are_refused(void **state)
{
#define PATH2 "\"path\":[[0,0],[1,1]]"
    static const struct refusal refusals[] = {
        {RAISE("\"at\":[1,2,3],\"radius\":1,\"strength\":1"),
         "\"at\" of raise must be an array of 2 numbers, found an array of 3"},
        {RAISE("\"at\":7,\"radius\":1,\"strength\":1"),
         "\"at\" of raise must be an array of 2 numbers, found 7"},
        {"{\"op\":\"add\",\"at\":[1,2],\"radius\":1,\"strength\":1}",
         "\"at\" of add must be an array of 3 numbers, found an array of 2"},
        {"{\"op\":\"set\",\"at\":[1,2,3],\"radius\":1,\"height\":1}",
         "\"at\" of set must be an array of 2 numbers, found an array of 3"},
        {"{\"op\":\"subtract\",\"at\":[1,2],\"radius\":1,\"strength\":1}",
         "\"at\" of subtract must be an array of 3 numbers, found an array of 2"},
        {"{\"op\":\"smooth\",\"at\":[1],\"radius\":1,\"strength\":1}",
         "\"at\" of smooth must be an array of 2 or 3 numbers, found an array of 1"},
        {"{\"op\":\"stamp\",\"at\":[1],\"radius\":1,\"strength\":1}",
         "\"at\" of stamp must be an array of 2 or 3 numbers, found an array of 1"},
        {"{\"op\":\"grab\",\"at\":[1,2],\"radius\":1,\"by\":[0,0,0]}",
         "\"at\" of grab must be an array of 3 numbers, found an array of 2"},
        {"{\"op\":\"redistance\",\"at\":[1,2],\"radius\":1}",
         "\"at\" of redistance must be an array of 3 numbers, found an array of 2"},
        {"{\"op\":\"paint\",\"at\":\"here\",\"radius\":1,\"material\":1}",
         "\"at\" of paint must be an array of 2 or 3 numbers, found the string \"here\""},
        {"{\"op\":\"noise\",\"path\":[[1,2,3,4]],\"radius\":1,\"strength\":1,\"scale\":1}",
         "\"path[0]\" of noise must be an array of 2 or 3 numbers, found an array of 4"},
        {"{\"op\":\"noise\",\"path\":[],\"radius\":1,\"strength\":1,\"scale\":1}",
         "\"path\" must be an array of 1 to 4096 points, found 0"},
        {"{\"op\":\"noise\",\"path\":1,\"radius\":1,\"strength\":1,\"scale\":1}",
         "\"path\" must be an array of points, found 1"},
        {RAISE("\"path\":[],\"radius\":1,\"strength\":1"),
         "\"path\" must be an array of 1 to 4096 points, found 0"},
        {RAISE("\"path\":{},\"radius\":1,\"strength\":1"),
         "\"path\" must be an array of points, found an object"},
        {RAISE("\"path\":[[0,0],[1,2,3]],\"radius\":1,\"strength\":1"),
         "\"path[1]\" of raise must be an array of 2 numbers, found an array of 3"},
        {"{\"op\":\"smooth\",\"path\":[[0,0,0],[1,2]],\"radius\":1,\"strength\":1}",
         "\"path[1]\" of smooth must be an array of 3 numbers, found an array of 2"},
        {RAISE("\"path\":[[0,0],[1,null]],\"radius\":1,\"strength\":1"),
         "\"path[1]\" of raise must be a number, found null"},
        {RAISE("\"at\":[0,0]," PATH2 ",\"radius\":1,\"strength\":1"),
         "\"path\" stands instead of \"at\", found both"},
        {RAISE("\"radius\":1,\"strength\":1"), "\"at\" or \"path\" is missing"},
        {"{\"op\":\"smooth\",\"radius\":1,\"strength\":1}", "\"at\" or \"path\" is missing"},
        {"{\"op\":\"stamp\",\"radius\":1,\"strength\":1}", "\"at\" or \"path\" is missing"},
        {"{\"op\":\"smooth\"," SPHERE "}", "\"at\" or \"path\" is missing"},
        {"{\"op\":\"paint\",\"material\":1}", "\"at\", \"path\" or \"shape\" is missing"},
        {"{\"op\":\"subtract\"}", "\"at\", \"path\" or \"shape\" is missing"},
        {RAISE(R1 ",\"spacing\":1"), "\"spacing\" goes with \"path\" only, found \"at\""},
        {RAISE(PATH2 ",\"radius\":1,\"strength\":1,\"spacing\":0"), "\"spacing\" must be > 0, found 0"},
        {RAISE(PATH2 ",\"radius\":[1,2,3],\"strength\":1"),
         "\"radius\" must be a number or an array of 2, as long as \"path\", found 3"},
        {RAISE(PATH2 ",\"radius\":[],\"strength\":1"),
         "\"radius\" must be a number or an array of 2, as long as \"path\", found 0"},
        {RAISE(PATH2 ",\"radius\":[1,0],\"strength\":1"), "\"radius\" must be > 0, found 0"},
        {RAISE(PATH2 ",\"radius\":1,\"strength\":[1]"),
         "\"strength\" must be a number or an array of 2, as long as \"path\", found 1"},
        {RAISE(PATH2 ",\"radius\":1,\"strength\":[1,\"2\"]"),
         "\"strength\" must be a number, found the string \"2\""},
        {"{\"op\":\"smooth\"," PATH2 ",\"radius\":1,\"strength\":[1,1.5]}",
         "\"strength\" must be > 0 and at most 1, found 1.5"},
    };

    (void)state;
    ASSERT_EDITS_REFUSED(refusals);
}

/* A path of `count` points, on one line. */
static char *long_path(size_t count)
{
    struct tr_writer text = {0};

    tr_write_text(&text, "%s", "{\"op\":\"raise\",\"radius\":1,\"strength\":1,\"path\":[");
    for (size_t i = 0; i < count; i++)
        tr_write_text(&text, "%s[%zu,0]", i > 0 ? "," : "", i);
    tr_write_text(&text, "]}");
    tr_write_u8(&text, 0);
    assert_false(text.failed);
    return (char *)text.bytes;
}

static void paths_have_up_to_4096_points(void **state)
{
    char *most = long_path(4096), *more = long_path(4097);
    struct tr_log log = parse_edit(most);

    (void)state;
    assert_int_equal(log.edits[0].point_count, 4096);
    assert_true(log.edits[0].points[4095].at_m[0] == 4095);
    assert_edit_refused(more, "\"path\" must be an array of 1 to 4096 points, found 4097");
    tr_log_release(&log);
    free(most);
    free(more);
}

static void names_that_are_not_known_are_refused_by_name(void **state)
{
    static const char *const later[] = {"melt", "erode", "redistances", "Raise", ""};
    static const struct refusal refusals[] = {
        {RAISE(R1 ",\"falloff\":\"gauss\""),
         "falloff 'gauss' is not supported by this version, expected one of smooth, smoother, sphere, root, "
         "sharp, pow4, linear, inverse-square, constant"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"round\"}}",
         "blend 'round' in \"blend\" is not supported by this version, expected one of hard, smooth, "
         "chamfer, "
         "stairs"},
        {RAISE("\"at\":[0,0],\"raduis\":1,\"strength\":1"),
         "unknown field \"raduis\", expected one of at, author, falloff, id, op, path, power, radius, "
         "spacing, "
         "strength, time"},
        {RAISE("\"X-note\":1," R1), "unknown field \"X-note\", expected one of at, author, falloff, id, op, "
                                    "path, power, radius, spacing, "
                                    "strength, time"},
        {RAISE(R1 "," SPHERE), "unknown field \"shape\", expected one of at, author, falloff, id, op, path, "
                               "power, radius, spacing, "
                               "strength, time"},
        {"{\"op\":\"hc-smooth\"," R1 ",\"y\":1}", "unknown field \"y\", expected one of at, author, beta, "
                                                  "falloff, id, op, path, power, radius, spacing, "
                                                  "strength, time"},
        {"{\"op\":\"flatten\"," R1 ",\"normal\":[0,1,0]}",
         "unknown field \"normal\", expected one of at, author, falloff, height, id, op, path, power, "
         "radius, "
         "spacing, strength, time"},
        {"{\"op\":\"set\"," R1 "}", "unknown field \"strength\", expected one of at, author, falloff, "
                                    "height, id, op, path, power, radius, "
                                    "spacing, time"},
        {"{\"op\":\"noise\"," R1 ",\"y\":1}", "unknown field \"y\", expected one of at, author, falloff, id, "
                                              "octaves, op, path, power, radius, scale, "
                                              "seed, spacing, strength, time"},
        {"{\"op\":\"stamp\"," R1 ",\"y\":1}", "unknown field \"y\", expected one of at, author, degrees, "
                                              "falloff, id, image, op, path, power, radius, spacing, "
                                              "strength, time"},
        {"{\"op\":\"stamp\"," V1 ",\"y\":1}", "unknown field \"y\", expected one of at, author, degrees, "
                                              "falloff, id, image, normal, op, path, power, "
                                              "projected, radius, spacing, strength, time"},
        {"{\"op\":\"inflate\"," V1 ",\"y\":1}", "unknown field \"y\", expected one of at, author, falloff, "
                                                "id, op, path, power, projected, radius, spacing, "
                                                "strength, time"},
        {"{\"op\":\"pinch\"," V1 ",\"y\":1}", "unknown field \"y\", expected one of at, author, falloff, id, "
                                              "op, path, power, projected, radius, spacing, "
                                              "strength, time"},
        {"{\"op\":\"grab\"," V1 ",\"by\":[0,0,0]}", "unknown field \"strength\", expected one of at, author, "
                                                    "by, falloff, id, op, path, power, projected, radius, "
                                                    "spacing, time"},
        {"{\"op\":\"redistance\"," V1 "}",
         "unknown field \"strength\", expected one of at, author, id, op, path, radius, spacing, time"},
        {"{\"op\":\"redistance\",\"at\":[0,0,0],\"radius\":1,\"projected\":[0,1,0]}",
         "unknown field \"projected\", expected one of at, author, id, op, path, radius, spacing, time"},
        {"{\"op\":\"redistance\",\"at\":[0,0,0],\"radius\":1,\"falloff\":\"smooth\"}",
         "unknown field \"falloff\", expected one of at, author, id, op, path, radius, spacing, time"},
        {"{\"op\":\"stamp\"," R1 ",\"image\":{\"url\":\"a\"}}",
         "unknown field \"url\" in \"image\", expected one of data, file"},
        {"{\"op\":\"paint\",\"at\":[0,0],\"radius\":1,\"material\":1,\"falloff\":\"smooth\"}",
         "unknown field \"falloff\", expected one of at, author, id, material, op, path, radius, spacing, "
         "time"},
        {"{\"op\":\"add\"," V1 ",\"y\":1}",
         "unknown field \"y\", expected one of at, author, falloff, id, op, path, power, projected, radius, "
         "spacing, strength, time"},
        {"{\"op\":\"flatten\"," V1 ",\"height\":1}",
         "unknown field \"height\", expected one of at, author, falloff, id, normal, op, path, point, power, "
         "projected, radius, spacing, strength, time"},
        {"{\"op\":\"noise\"," V1 ",\"y\":1}",
         "unknown field \"y\", expected one of at, author, falloff, id, octaves, op, path, power, projected, "
         "radius, scale, seed, spacing, strength, time"},
        {"{\"op\":\"paint\",\"at\":[0,0,0],\"radius\":1,\"material\":1,\"y\":1}",
         "unknown field \"y\", expected one of at, author, id, material, op, path, projected, radius, "
         "spacing, "
         "time"},
        {"{\"op\":\"union\"," SPHERE ",\"radius\":1}",
         "unknown field \"radius\", expected one of author, blend, id, op, shape, time, within"},
        {"{\"op\":\"paint\"," SPHERE ",\"material\":1,\"blend\":{\"type\":\"hard\"}}",
         "unknown field \"blend\", expected one of author, id, material, op, shape, time, within"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"hard\",\"width\":1}}",
         "unknown field \"width\" in \"blend\", expected one of type"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"chamfer\",\"width\":1,\"steps\":4}}",
         "unknown field \"steps\" in \"blend\", expected one of type, width"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"stairs\",\"width\":1,\"y\":4}}",
         "unknown field \"y\" in \"blend\", expected one of steps, type, width"},
        {"{\"op\":\"union\"," SPHERE ",\"within\":{\"min\":[0,0,0],\"max\":[0,0,0],\"mid\":1}}",
         "unknown field \"mid\" in \"within\", expected one of max, min"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(later); i++) {
        char edit[64], expected[512];

        snprintf(edit, sizeof edit, "{\"op\":\"%s\"}", later[i]);
        snprintf(expected, sizeof expected,
                 "operation '%s' is not supported by this version, expected one of " OPERATIONS, later[i]);
        assert_edit_refused(edit, expected);
    }
    ASSERT_EDITS_REFUSED(refusals);
}

static void fields_that_are_missing_are_named(void **state)
{
    static const struct refusal refusals[] = {
        {"{}", "\"op\" is missing"},
        {RAISE("\"at\":[0,0],\"strength\":1"), "\"radius\" is missing"},
        {RAISE("\"at\":[0,0],\"radius\":1"), "\"strength\" is missing"},
        {"{\"op\":\"add\",\"at\":[0,0,0],\"radius\":1}", "\"strength\" is missing"},
        {"{\"op\":\"set\",\"at\":[0,0],\"radius\":1}", "\"height\" is missing"},
        {"{\"op\":\"noise\"," R1 "}", "\"scale\" is missing"},
        {"{\"op\":\"noise\"," V1 "}", "\"scale\" is missing"},
        {"{\"op\":\"stamp\"," R1 "}", "\"image\" is missing"},
        {"{\"op\":\"stamp\"," V1 "}", "\"image\" is missing"},
        {"{\"op\":\"stamp\",\"at\":[0,0],\"radius\":1,\"image\":" DATA(PNG_GREY8) "}",
         "\"strength\" is missing"},
        {"{\"op\":\"inflate\",\"at\":[0,0,0],\"radius\":1}", "\"strength\" is missing"},
        {"{\"op\":\"pinch\",\"at\":[0,0,0],\"radius\":1}", "\"strength\" is missing"},
        {"{\"op\":\"grab\",\"at\":[0,0,0],\"radius\":1}", "\"by\" is missing"},
        {"{\"op\":\"redistance\",\"at\":[0,0,0]}", "\"radius\" is missing"},
        {"{\"op\":\"redistance\",\"radius\":1}", "\"at\" or \"path\" is missing"},
        {"{\"op\":\"stamp\"," R1 ",\"image\":{}}", "\"data\" or \"file\" in \"image\" is missing"},
        {"{\"op\":\"paint\",\"at\":[0,0],\"radius\":1}", "\"material\" is missing"},
        {"{\"op\":\"paint\",\"at\":[0,0,0],\"material\":1}", "\"radius\" is missing"},
        {"{\"op\":\"paint\"," SPHERE "}", "\"material\" is missing"},
        {"{\"op\":\"union\"}", "\"shape\" is missing"},
        {"{\"op\":\"intersect\"," SPHERE "}", "\"within\" is missing"},
        {"{\"op\":\"union\"," SPHERE ",\"within\":{\"min\":[0,0,0]}}", "\"max\" in \"within\" is missing"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{}}", "\"type\" in \"blend\" is missing"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"smooth\"}}",
         "\"width\" in \"blend\" is missing"},
        {"{\"op\":\"union\"," SPHERE ",\"blend\":{\"type\":\"stairs\",\"steps\":4}}",
         "\"width\" in \"blend\" is missing"},
    };

    (void)state;
    ASSERT_EDITS_REFUSED(refusals);
    assert_refused_as(DOCUMENT("{\"id\":\"a\"}"), strlen(DOCUMENT("{\"id\":\"a\"}")),
                      "edits.json:2: edit 'a': \"op\" is missing", true);
}
/* In the folder that is given; without one every name is refused, in each encoding. */
static void an_image_beside_the_log_becomes_data(void **state)
{
    static const char text[] =
        DOCUMENT("{\"id\":\"a\",\"op\":\"stamp\"," R1 ",\"image\":{\"file\":\"rock.png\"}}");
    static const char normal[] =
        HEAD "{\"at\":[0,0],\"id\":\"a\",\"image\":" DATA(PNG_GREY16) ",\"op\":\"stamp\","
                                                                      "\"radius\":1,\"strength\":1}\n";
    struct tr_writer packed = as_message_pack(text);
    const struct {
        const void *bytes;
        size_t size_bytes;
    } encodings[] = {{text, sizeof text - 1}, {packed.bytes, packed.size_bytes}};

    write_file(*state, "rock.png", PNG_GREY16);
    for (size_t i = 0; i < COUNT(encodings); i++) {
        struct tr_log log = {0};
        struct tr_error error = {0};
        char *found;

        assert_ok(
            tr_log_parse(&log, encodings[i].bytes, encodings[i].size_bytes, "log", *state, NULL, &error),
            &error);
        assert_true(log.edits[0].image.width == 3 && log.edits[0].image.height == 1);
        found = normal_form(&log);
        assert_string_equal(found, normal);
        assert_round_trip(&log);
        free(found);
        tr_log_release(&log);
        assert_int_equal(
            tr_log_parse(&log, encodings[i].bytes, encodings[i].size_bytes, "log", NULL, NULL, &error),
            TR_BAD_INPUT);
        assert_non_null(strstr(error.text, "\"file\" in \"image\" names a file, but the log has no folder"));
        tr_log_release(&log);
    }
    tr_writer_release(&packed);
}

static void an_image_that_the_system_refuses_is_the_systems_fault(void **state)
{
    static const char text[] = HEAD "{\"op\":\"stamp\"," R1 ",\"image\":{\"file\":\"none.png\"}}";
    struct tr_log log = {0};
    struct tr_error error = {0};
    char expected[TR_PATH_BYTES];

    snprintf(
        expected, sizeof expected,
        "edits.json:2: edit #1: \"image\": cannot open \"none.png\" in \"%s\": No such file or directory",
        (const char *)*state);
    assert_int_equal(tr_log_parse(&log, text, sizeof text - 1, "edits.json", *state, NULL, &error), TR_IO);
    assert_int_equal(error.status, TR_IO);
    assert_string_equal(error.text, expected);
    tr_log_release(&log);
}

/* A log of that size would take long: here the reader begins near the limits. */
static void a_log_carries_at_most_2_to_the_29_bytes_and_pixels(void **state)
{
    static const struct {
        struct tr_carried before; /* the image has 71 bytes and 4 pixels */
        const char *expected;     /* NULL: taken */
    } cases[] = {
        {{TR_CARRIED_BYTES_MAX - 71, TR_CARRIED_PIXELS_MAX - 4}, NULL},
        {{TR_CARRIED_BYTES_MAX - 70, 0},
         "log:1: \"image\": a log must carry at most 536870912 bytes of files in all, found 536870913"},
        {{0, TR_CARRIED_PIXELS_MAX - 3},
         "log:1: \"image\": a log must carry at most 536870912 pixels in all, found 536870913"},
    };
    static const char json[] = DATA(PNG_GREY8);
    struct tr_error error = {0};
    cJSON *value;

    (void)state;
    assert_ok(tr_json_parse(json, sizeof json - 1, "log", 1, &value, &error), &error);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tr_carried carried = cases[i].before;
        const struct tr_place place = {.name = "log", .carried = &carried, .error = &error};
        struct tr_resource image = {0};
        enum tr_status status = tr_form_image(&place, "image", value, &image);

        if (status != (cases[i].expected ? TR_BAD_INPUT : TR_OK))
            fail_msg("case %zu: status %d: %s", i, status, error.text);
        if (cases[i].expected)
            assert_string_equal(error.text, cases[i].expected);
        tr_resource_release(&image);
    }
    cJSON_Delete(value);
}

#define NOISE(seed) "{\"id\":\"a\",\"op\":\"noise\"," R1 ",\"scale\":1,\"seed\":" seed "}"

static void seeds_go_to_2_to_the_64_less_one(void **state)
{
    static const struct {
        const char *text;
        uint64_t seed;
        const char *normal;
    } seeds[] = {
        {HEAD NOISE("0"), 0, ""},
        {HEAD NOISE("\"0\""), 0, ""},
        {HEAD NOISE("17.0"), 17, "\"seed\":17,"},
        {HEAD NOISE("\"17\""), 17, "\"seed\":17,"},
        {HEAD NOISE("9007199254740992"), UINT64_C(1) << 53, "\"seed\":9007199254740992,"},
        {HEAD NOISE("\"9007199254740992\""), UINT64_C(1) << 53, "\"seed\":9007199254740992,"},
        {HEAD NOISE("\"9007199254740993\""), (UINT64_C(1) << 53) + 1, "\"seed\":\"9007199254740993\","},
        {HEAD NOISE("\"18446744073709551615\""), UINT64_MAX, "\"seed\":\"18446744073709551615\","},
    };
#define REFUSED_TEXT(text)                                                                                   \
    {                                                                                                        \
        "{\"op\":\"noise\"," R1 ",\"scale\":1,\"seed\":\"" text "\"}",                                       \
            "\"seed\" must be 0 to 18446744073709551615 in digits without leading zeros, found the string "  \
            "\"" text "\""                                                                                   \
    }
#define REFUSED_NUMBER(number, found)                                                                        \
    {                                                                                                        \
        "{\"op\":\"noise\"," R1 ",\"scale\":1,\"seed\":" number "}",                                         \
            "\"seed\" must be an integer from 0 to 9007199254740992, found " found                           \
    }
    static const struct refusal refusals[] = {
        REFUSED_TEXT("18446744073709551616"),
        REFUSED_TEXT("99999999999999999999"),
        REFUSED_TEXT("100000000000000000000000"),
        REFUSED_TEXT(""),
        REFUSED_TEXT("01"),
        REFUSED_TEXT("00"),
        REFUSED_TEXT("-1"),
        REFUSED_TEXT("+1"),
        REFUSED_TEXT(" 1"),
        REFUSED_TEXT("1e3"),
        REFUSED_TEXT("0x10"),
        REFUSED_NUMBER("-1", "-1"),
        REFUSED_NUMBER("1.5", "1.5"),
        REFUSED_NUMBER("1e16", "1e+16"),
        {"{\"op\":\"noise\"," R1 ",\"scale\":1,\"seed\":[1]}",
         "\"seed\" must be a number or a string of digits, found an array"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(seeds); i++) {
        struct tr_log log = parse(seeds[i].text);
        char expected[256];

        if (log.edits[0].seed != seeds[i].seed)
            fail_msg("%s: seed %llu", seeds[i].text, (unsigned long long)log.edits[0].seed);
        tr_log_release(&log);
        snprintf(expected, sizeof expected,
                 "%s{\"at\":[0,0],\"id\":\"a\",\"op\":\"noise\",\"radius\":1,\"scale\":1,%s\"strength\":1}\n",
                 HEAD, seeds[i].normal);
        assert_normal_form(seeds[i].text, expected);
    }
    ASSERT_EDITS_REFUSED(refusals);
}

static void message_pack_is_refused_with_byte_offsets(void **state)
{
    static const struct {
        const char *json, *fault, *expected; /* `fault` is the value at fault, as MessagePack */
    } cases[] = {
        {DOCUMENT(RAISE("\"id\":\"a\",\"at\":[0,0],\"radius\":-2,\"strength\":1")), "\xfe",
         "edit 'a': \"radius\" must be > 0, found -2"},
        {DOCUMENT("{\"op\":\"raise\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"raduis\":77}"), "\x4d",
         "edit #1: unknown field \"raduis\", expected one of at, author, falloff, id, op, path, power, "
         "radius, "
         "spacing, strength, time"},
        {DOCUMENT(RAISE_A ",{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"center\":77,\"radius\":1}}"),
         "\x4d", "edit #2: \"center\" in \"shape\" must be an array of 3 numbers, found 77"},
        {"{\"format\":\"terrain-edits\",\"version\":77,\"edits\":[]}", "\x4d",
         "version 77 of the format is not supported, expected 1"},
    };
    struct tr_writer twice = as_message_pack(DOCUMENT(RAISE_A ",\n" RAISE_A));
    const char *first, *second;
    char expected[256];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tr_writer bytes = as_message_pack(cases[i].json);
        const uint8_t *fault = memchr(bytes.bytes, (uint8_t)cases[i].fault[0], bytes.size_bytes);

        assert_non_null(fault);
        snprintf(expected, sizeof expected, "edits.json: byte offset %d: %s", (int)(fault - bytes.bytes),
                 cases[i].expected);
        assert_refused_as((const char *)bytes.bytes, bytes.size_bytes, expected, true);
        tr_writer_release(&bytes);
    }
    first = memchr(twice.bytes, 0x85, twice.size_bytes); /* maps of five */
    assert_non_null(first);
    second = memchr(first + 1, 0x85, twice.size_bytes - (size_t)(first + 1 - (const char *)twice.bytes));
    assert_non_null(second);
    snprintf(expected, sizeof expected,
             "edits.json: byte offset %d: edit 'a': \"id\" is used twice, first at byte offset %d",
             (int)(second - (const char *)twice.bytes), (int)(first - (const char *)twice.bytes));
    assert_refused_as((const char *)twice.bytes, twice.size_bytes, expected, true);
    tr_writer_release(&twice);
}

static void a_log_cut_anywhere_is_refused(void **state)
{
    static const char text[] = DOCUMENT(RAISE_A ",\n{\"op\":\"union\"," SPHERE "}");
    struct tr_writer bytes = as_message_pack(text);

    (void)state;
    for (size_t size = 0; size < sizeof text - 1; size++)
        assert_refused_as(text, size, "edits.json:", false);
    for (size_t size = 0; size < bytes.size_bytes; size++)
        assert_refused_as((const char *)bytes.bytes, size, "edits.json:", false);
    tr_writer_release(&bytes);
}

static void bytes_behind_a_nul_are_not_hidden(void **state)
{
    static const char text[] = HEAD RAISE_A "\n\0\0\0\0";

    (void)state;
    assert_refused_as(text, sizeof text - 1, "edits.json:3: last line", false);
}

/* ---- torn lines ---- */

/* cases.md 20: three whole lines and half a fourth. */
static const char whole_lines[] =
    HEAD "{\"id\":\"a\",\"op\":\"union\"," SPHERE "}\n{\"id\":\"b\",\"op\":\"union\"," SPHERE
         "}\n{\"id\":\"c\",\"op\":\"union\"," SPHERE "}\n";
static const char fourth_line[] = "{\"id\":\"d\",\"op\":\"union\"," SPHERE "}";

static void a_torn_last_line_is_refused_with_its_offset_and_the_last_good_edit(void **state)
{
    char text[sizeof whole_lines + sizeof fourth_line], expected[128];
    static const struct refusal refusals[] = {
        {HEAD "{\"op",
         "edits.json:2: last line, at byte offset 39, is torn, with no edit before it: text ends, "
         "expected '\"' to end the string"},
        {"{\"t\":1,\"brush\":{\"position\":[1,2,3],\"radius\":1,\"strength\":1,\"falloff\":\"smooth\","
         "\"operation\":\"raise\"}}\n{\"t\":",
         "edits.json:2: last line, at byte offset 100, is torn, last good edit is 'e-4faef478f213': text "
         "ends, "
         "expected a value"},
    };

    (void)state;
    snprintf(expected, sizeof expected,
             "edits.json:5: last line, at byte offset %zu, is torn, last good edit is 'c': ",
             sizeof whole_lines - 1);
    for (size_t torn = 1; torn < sizeof fourth_line - 1; torn++) {
        snprintf(text, sizeof text, "%s%.*s", whole_lines, (int)torn, fourth_line);
        assert_refused_as(text, strlen(text), expected, false);
    }
    ASSERT_REFUSED(refusals);
}

static void a_torn_last_line_is_left_out_on_request_and_told(void **state)
{
    char text[sizeof whole_lines + sizeof fourth_line];

    (void)state;
    for (size_t torn = 0; torn < sizeof fourth_line; torn++) {
        struct tr_error error = {0};
        struct tr_log log = {0};
        struct tr_log_torn told = {.is_torn = true, .line = 77, .offset = 77};
        bool is_torn = torn > 0 && torn < sizeof fourth_line - 1;

        snprintf(text, sizeof text, "%s%.*s", whole_lines, (int)torn, fourth_line);
        if (tr_log_parse(&log, text, strlen(text), "edits.json", NULL, &told, &error) != TR_OK)
            fail_msg("cut at %zu: %s", torn, error.text);
        assert_int_equal(log.count, torn == sizeof fourth_line - 1 ? 4 : 3);
        assert_int_equal(told.is_torn, is_torn);
        assert_int_equal(told.line, is_torn ? 5 : 0);
        assert_int_equal(told.offset, is_torn ? sizeof whole_lines - 1 : 0);
        tr_log_release(&log);
    }
}

/* Only a last line without its end of line is torn, and only in JSON Lines. */
static void damage_elsewhere_is_an_error_whatever_is_asked(void **state)
{
    static const struct refusal refusals[] = {
        {HEAD RAISE_A "\n{\"id\":\"b\",\"op\n{\"id\":\"c\",\"op\":\"union\"," SPHERE "}\n",
         "edits.json:3: text ends, expected '\"' to end the string"},
        {HEAD RAISE_A "\n{\"id\":\"b\",\"op\n", "edits.json:3: text ends, expected '\"' to end the string"},
        {HEAD RAISE_A "\n{\"id\":\"b\",\"op\":\"melt\"}",
         "edits.json:3: edit 'b': operation 'melt' is not supported by this version, expected one "
         "of " OPERATIONS},
        {"{\"format\":\"terrain-ed", "edits.json:1: text ends, expected '\"' to end the string"},
        {"{\"format\":\"terrain-edits\",\"version\":1,\"edits\":[\n" RAISE_A ",\n{\"id\":",
         "edits.json:3: text ends, expected a value"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct tr_error error = {0};
        struct tr_log log = {0};
        struct tr_log_torn told = {0};

        assert_int_equal(
            tr_log_parse(&log, refusals[i].text, strlen(refusals[i].text), "edits.json", NULL, &told, &error),
            TR_BAD_INPUT);
        assert_string_equal(error.text, refusals[i].expected);
        assert_int_equal(log.count, 0);
        assert_false(told.is_torn);
        tr_log_release(&log);
    }
    ASSERT_REFUSED(refusals);
}

/* ---- ids ---- */

static void an_id_used_twice_is_refused_with_both_lines(void **state)
{
    static const struct refusal refusals[] = {
        {HEAD RAISE_A "\n{\"op\":\"union\"," SPHERE "}\n\n" RAISE_A "\n",
         "edits.json:5: edit 'a': \"id\" is used twice, first in line 2"},
    };

    (void)state;
    ASSERT_REFUSED(refusals);
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
    assert_memory_equal(a.edits[0].points[0].at_m, b.edits[0].points[0].at_m,
                        sizeof a.edits[0].points[0].at_m); /* -0 is 0 */
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
    assert_int_equal(
        tr_log_parse(&log, (const char *)text.bytes, text.size_bytes, "edits.json", NULL, NULL, &error),
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

/* Every brush: how it may be written, and its normal form. Shapes: shape_json_test.c. */
static const struct normal_form normal_forms[] = {
    /* brushes: what is at its default goes, also what is only by its meaning */
    {"{\"op\":\"raise\",\"at\":[1,-0.0],\"radius\":1e1,\"strength\":0.50,\"falloff\":\"smooth\"}",
     "{\"at\":[1,0],\"id\":\"n\",\"op\":\"raise\",\"radius\":10,\"strength\":0.5}"},
    {"{\"op\":\"lower\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"falloff\":\"sharp\",\"power\":4,\"time\":"
     "0}",
     "{\"at\":[0,0],\"falloff\":\"sharp\",\"id\":\"n\",\"op\":\"lower\",\"power\":4,\"radius\":1,"
     "\"strength\":1,"
     "\"time\":0}"},
    {"{\"op\":\"smooth\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"falloff\":\"sharp\",\"power\":3}",
     "{\"at\":[0,0],\"falloff\":\"sharp\",\"id\":\"n\",\"op\":\"smooth\",\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"hc-smooth\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"beta\":0.5}",
     "{\"at\":[0,0],\"id\":\"n\",\"op\":\"hc-smooth\",\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"hc-smooth\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"beta\":0}",
     "{\"at\":[0,0],\"beta\":0,\"id\":\"n\",\"op\":\"hc-smooth\",\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"flatten\",\"at\":[0,0],\"radius\":1,\"strength\":1}",
     "{\"at\":[0,0],\"id\":\"n\",\"op\":\"flatten\",\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"flatten\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"height\":0}",
     "{\"at\":[0,0],\"height\":0,\"id\":\"n\",\"op\":\"flatten\",\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"noise\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"scale\":9,\"octaves\":4,\"seed\":0}",
     "{\"at\":[0,0],\"id\":\"n\",\"op\":\"noise\",\"radius\":1,\"scale\":9,\"strength\":1}"},
    {"{\"op\":\"noise\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"scale\":9,\"octaves\":8,\"seed\":\"12\"}",
     "{\"at\":[0,0],\"id\":\"n\",\"octaves\":8,\"op\":\"noise\",\"radius\":1,\"scale\":9,\"seed\":12,"
     "\"strength\":1}"},
    {"{\"op\":\"set\",\"at\":[0,0],\"radius\":1,\"height\":-3}",
     "{\"at\":[0,0],\"height\":-3,\"id\":\"n\",\"op\":\"set\",\"radius\":1}"},
    {"{\"op\":\"paint\",\"at\":[0,0],\"radius\":1,\"material\":0}",
     "{\"at\":[0,0],\"id\":\"n\",\"material\":0,\"op\":\"paint\",\"radius\":1}"},
    {"{\"op\":\"add\",\"at\":[0,1,2],\"radius\":1,\"strength\":3,\"projected\":[0,2,0]}",
     "{\"at\":[0,1,2],\"id\":\"n\",\"op\":\"add\",\"projected\":[0,2,0],\"radius\":1,\"strength\":3}"},
    {"{\"op\":\"subtract\",\"at\":[0,1,2],\"radius\":1,\"strength\":3,\"falloff\":\"root\"}",
     "{\"at\":[0,1,2],\"falloff\":\"root\",\"id\":\"n\",\"op\":\"subtract\",\"radius\":1,\"strength\":3}"},
    {"{\"op\":\"smooth\",\"at\":[0,1,2],\"radius\":1,\"strength\":1}",
     "{\"at\":[0,1,2],\"id\":\"n\",\"op\":\"smooth\",\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"flatten\",\"at\":[0,1,2],\"radius\":1,\"strength\":1,\"normal\":[0,1,0],\"point\":[0,1,2]}",
     "{\"at\":[0,1,2],\"id\":\"n\",\"op\":\"flatten\",\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"flatten\",\"at\":[0,1,2],\"radius\":1,\"strength\":1,\"normal\":[0,2,0],\"point\":[0,1,3]}",
     "{\"at\":[0,1,2],\"id\":\"n\",\"normal\":[0,2,0],\"op\":\"flatten\",\"point\":[0,1,3],\"radius\":1,"
     "\"strength\":1}"},
    {"{\"op\":\"noise\",\"at\":[0,1,2],\"radius\":1,\"strength\":1,\"scale\":9,\"octaves\":1}",
     "{\"at\":[0,1,2],\"id\":\"n\",\"octaves\":1,\"op\":\"noise\",\"radius\":1,\"scale\":9,\"strength\":1}"},
    {"{\"op\":\"paint\",\"at\":[0,1,2],\"radius\":1,\"material\":255,\"projected\":[1,0,0]}",
     "{\"at\":[0,1,2],\"id\":\"n\",\"material\":255,\"op\":\"paint\",\"projected\":[1,0,0],\"radius\":1}"},
    {"{\"op\":\"stamp\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"degrees\":0,\"image\":" DATA(
         PNG_GREY8) "}",
     "{\"at\":[0,0],\"id\":\"n\",\"image\":" DATA(
         PNG_GREY8) ",\"op\":\"stamp\",\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"stamp\",\"at\":[0,0],\"radius\":1,\"strength\":1,\"degrees\":-90,\"image\":{\"x-by\":\"Ada\","
     "\"data\":"
     "\"" PNG_GREY16 "\"}}",
     "{\"at\":[0,0],\"degrees\":-90,\"id\":\"n\",\"image\":" DATA(
         PNG_GREY16) ",\"op\":\"stamp\",\"radius\":1,"
                     "\"strength\":1}"},
    {"{\"op\":\"stamp\",\"at\":[0,1,2],\"radius\":1,\"strength\":1,\"normal\":[0,1,0],\"image\":" DATA(
         PNG_GREY8) "}",
     "{\"at\":[0,1,2],\"id\":\"n\",\"image\":" DATA(
         PNG_GREY8) ",\"op\":\"stamp\",\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"stamp\",\"path\":[[0,1,2],[3,4,5]],\"radius\":1,\"strength\":1,\"normal\":[1,0,0],"
     "\"projected\":[1,0,0],"
     "\"degrees\":0.5,\"image\":" DATA(PNG_GREY8) "}",
     "{\"degrees\":0.5,\"id\":\"n\",\"image\":" DATA(
         PNG_GREY8) ",\"normal\":[1,0,0],\"op\":\"stamp\",\"path\":"
                    "[[0,1,2],[3,4,5]],\"projected\":[1,0,0],\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"inflate\",\"at\":[0,1,2],\"radius\":1,\"strength\":3,\"falloff\":\"sphere\"}",
     "{\"at\":[0,1,2],\"falloff\":\"sphere\",\"id\":\"n\",\"op\":\"inflate\",\"radius\":1,\"strength\":3}"},
    {"{\"op\":\"pinch\",\"at\":[0,1,2],\"radius\":1,\"strength\":1,\"falloff\":\"smooth\"}",
     "{\"at\":[0,1,2],\"id\":\"n\",\"op\":\"pinch\",\"radius\":1,\"strength\":1}"},
    {"{\"op\":\"grab\",\"at\":[0,1,2],\"radius\":1,\"by\":[1,-0.0,2.50]}",
     "{\"at\":[0,1,2],\"by\":[1,0,2.5],\"id\":\"n\",\"op\":\"grab\",\"radius\":1}"},
    {"{\"op\":\"redistance\",\"path\":[[0,1,2]],\"radius\":1}",
     "{\"at\":[0,1,2],\"id\":\"n\",\"op\":\"redistance\",\"radius\":1}"},
    /* strokes */
    {"{\"op\":\"raise\",\"path\":[[1,2]],\"radius\":[3],\"strength\":[4]}",
     "{\"at\":[1,2],\"id\":\"n\",\"op\":\"raise\",\"radius\":3,\"strength\":4}"},
    {"{\"op\":\"raise\",\"path\":[[1,2]],\"radius\":3,\"strength\":4,\"spacing\":1.5}",
     "{\"at\":[1,2],\"id\":\"n\",\"op\":\"raise\",\"radius\":3,\"strength\":4}"},
    {"{\"op\":\"raise\",\"path\":[[1,2]],\"radius\":3,\"strength\":4,\"spacing\":2}",
     "{\"id\":\"n\",\"op\":\"raise\",\"path\":[[1,2]],\"radius\":3,\"spacing\":2,\"strength\":4}"},
    {"{\"op\":\"raise\",\"path\":[[1,2],[1,2]],\"radius\":[3,3],\"strength\":[4,4.5],\"spacing\":1.5}",
     "{\"id\":\"n\",\"op\":\"raise\",\"path\":[[1,2],[1,2]],\"radius\":3,\"strength\":[4,4.5]}"},
    {"{\"op\":\"raise\",\"path\":[[1,2],[3,4]],\"radius\":[3,5],\"strength\":[4,4],\"spacing\":2.5}",
     "{\"id\":\"n\",\"op\":\"raise\",\"path\":[[1,2],[3,4]],\"radius\":[3,5],\"spacing\":2.5,\"strength\":"
     "4}"},
    {"{\"op\":\"add\",\"path\":[[1,2,3],[4,5,6]],\"radius\":1,\"strength\":4}",
     "{\"id\":\"n\",\"op\":\"add\",\"path\":[[1,2,3],[4,5,6]],\"radius\":1,\"strength\":4}"},
    {"{\"op\":\"flatten\",\"path\":[[1,2,3],[4,5,6]],\"radius\":1,\"strength\":1,\"point\":[1,2,3]}",
     "{\"id\":\"n\",\"op\":\"flatten\",\"path\":[[1,2,3],[4,5,6]],\"radius\":1,\"strength\":1}"},
    /* integers beyond 2^53 do not look like integers, which would be refused */
    {"{\"op\":\"raise\",\"at\":[9007199254740994.0,-1e16],\"radius\":1e17,\"strength\":9007199254740992}",
     "{\"at\":[9.007199254740994e+15,-1e+16],\"id\":\"n\",\"op\":\"raise\",\"radius\":1e+17,"
     "\"strength\":9007199254740992}"},
};

static void every_brush_has_one_normal_form(void **state)
{
    (void)state;
    assert_normal_forms(normal_forms, COUNT(normal_forms));
}

/* A locale with a decimal comma, where the machine has one. */
static void no_locale_changes_a_log(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    const char *found = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT(names) && !found; i++)
        found = setlocale(LC_ALL, names[i]);
    if (!found)
        skip();
    assert_normal_form(
        HEAD "{\"id\":\"a\",\"op\":\"raise\",\"at\":[1.5,-2.25],\"radius\":3.125,\"strength\":1e-7}",
        HEAD "{\"at\":[1.5,-2.25],\"id\":\"a\",\"op\":\"raise\",\"radius\":3.125,"
             "\"strength\":1e-7}\n");
    setlocale(LC_ALL, "C");
}

/* ---- random edits ---- */

static bool has_weight(const struct tr_edit *edit)
{
    return !tr_edit_is_paint(edit) && edit->op != TR_EDIT_REDISTANCE;
}

static void random_brush(uint64_t *seed, struct tr_edit *edit)
{
    bool is_volume = !tr_edit_is_height(edit);

    edit->is_stroke = random_below(seed, 2);
    edit->point_count = edit->is_stroke ? 2 + random_below(seed, 5) : 1;
    edit->points = calloc(edit->point_count, sizeof *edit->points);
    assert_non_null(edit->points);
    for (uint32_t i = 0; i < edit->point_count; i++) {
        random_place(seed, edit->points[i].at_m);
        if (!is_volume)
            edit->points[i].at_m[1] = 0;
        edit->points[i].radius_m = random_below(seed, 2) ? 1 : random_positive(seed);
        edit->points[i].strength = edit->op == TR_EDIT_SET || edit->op == TR_EDIT_GRAB ? 1
                                   : has_weight(edit)                                  ? random_fraction(seed)
                                                                                       : 0;
    }
    edit->has_spacing = edit->is_stroke && random_below(seed, 2);
    if (edit->has_spacing)
        edit->spacing_m = 3 * edit->points[0].radius_m;
    if (has_weight(edit)) {
        edit->falloff = random_below(seed, TR_FALLOFF_COUNT);
        if (edit->falloff == TR_FALLOFF_SHARP)
            edit->power = 2 + random_below(seed, 15);
    }
    edit->is_projected = is_volume && edit->op != TR_EDIT_REDISTANCE && random_below(seed, 2);
    if (edit->is_projected)
        random_direction(seed, edit->axis);
}

/* What one operation has beside the others. */
static void random_fields(uint64_t *seed, struct tr_edit *edit)
{
    switch (edit->op) {
    case TR_EDIT_HC_SMOOTH:
        edit->beta = 1 - random_fraction(seed);
        break;
    case TR_EDIT_FLATTEN:
    case TR_EDIT_SET:
        edit->has_height = edit->op == TR_EDIT_SET || random_below(seed, 2);
        if (edit->has_height)
            edit->height_m = random_double(seed);
        break;
    case TR_EDIT_NOISE:
    case TR_EDIT_VOLUME_NOISE:
        edit->scale_m = random_positive(seed);
        edit->seed = random_next(seed) >> random_below(seed, 64);
        edit->octaves = 1 + random_below(seed, 8);
        break;
    case TR_EDIT_STAMP:
    case TR_EDIT_VOLUME_STAMP:
        edit->image = decode_image(random_below(seed, 2) ? PNG_GREY8 : PNG_GREY16);
        edit->degrees = random_below(seed, 2) ? 72000 * random_fraction(seed) - 36000 : 0;
        if (edit->op == TR_EDIT_VOLUME_STAMP && random_below(seed, 2))
            random_direction(seed, edit->normal);
        break;
    case TR_EDIT_GRAB:
        random_place(seed, edit->by_m);
        break;
    case TR_EDIT_VOLUME_FLATTEN:
        edit->has_point = random_below(seed, 2);
        if (edit->has_point)
            random_place(seed, edit->point_m);
        if (random_below(seed, 2))
            random_direction(seed, edit->normal);
        break;
    case TR_EDIT_PAINT:
    case TR_EDIT_VOLUME_PAINT:
        edit->material = random_below(seed, 256);
        break;
    default:
        break;
    }
}

/* A brush; shapes are in shape_json_test.c. */
static struct tr_edit random_edit(uint64_t *seed, size_t number)
{
    struct tr_edit edit = {.op = (enum tr_edit_op)random_below(seed, TR_EDIT_UNION),
                           .power = TR_EDIT_POWER_DEFAULT,
                           .octaves = TR_EDIT_OCTAVES_DEFAULT,
                           .beta = TR_EDIT_BETA_DEFAULT,
                           .normal = {0, 1, 0}};

    snprintf(edit.id, sizeof edit.id, "edit %zu", number);
    if (random_below(seed, 2))
        snprintf(edit.author, sizeof edit.author, "author \"%zu\"", number);
    edit.has_time = random_below(seed, 2);
    if (edit.has_time)
        edit.time_ms = (int64_t)(random_next(seed) >> 10) - (INT64_C(1) << 53);
    random_fields(seed, &edit);
    random_brush(seed, &edit);
    return edit;
}

static void brushes_that_are_written_read_back_equal_and_write_the_same(void **state)
{
    struct tr_log log = {.edits = calloc(1000, sizeof *log.edits), .count = 1000, .capacity = 1000};
    uint64_t seed = 20261;

    (void)state;
    assert_non_null(log.edits);
    for (size_t i = 0; i < log.count; i++)
        log.edits[i] = random_edit(&seed, i);
    assert_round_trip(&log);
    tr_log_release(&log);
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
                   "{\"op\":\"set\",\"at\":[3,7],\"radius\":5,\"height\":-2}\n"
                   "{\"op\":\"union\"," CAPSULE ",\"blend\":{\"type\":\"smooth\",\"width\":32}}");
    struct tr_error error = {0};
    size_t skipped = 9;

    (void)state;
    if (resolve(&log, false, &skipped, &error) != TR_OK)
        fail_msg("refused: %s", error.text);
    assert_int_equal(skipped, 0);
    assert_true(log.edits[0].points[0].at[0] == 1.5 && log.edits[0].points[0].at[1] == 0 &&
                log.edits[0].points[0].at[2] == 3.5);
    assert_true(log.edits[0].points[0].radius == 2.5 && log.edits[0].points[0].strength_units == -384);
    assert_true(log.edits[1].points[0].strength_units == 0.25);
    assert_true(log.edits[2].points[0].strength_units == 1 && log.edits[2].height == -256);
    assert_non_null(log.edits[3].tree);
    assert_true(log.edits[3].blend_width == 16);
    tr_log_release(&log);
}

/* The limits themselves: tests/unit/edit_test.c. */
static void what_leaves_the_limits_is_refused_with_its_place(void **state)
{
    static const char text[] =
        DOCUMENT(RAISE_A ",\n{\"id\":\"b\",\"op\":\"raise\",\"at\":[0,0],\"radius\":200001,"
                         "\"strength\":1}");
    static const char message[] = "edit 'b': \"radius\" must be at most 200000 m (100000 voxels)";
    struct tr_log log = parse(text), packed;
    struct tr_writer bytes = as_message_pack(text);
    struct tr_error error = {0};
    char expected[256];

    (void)state;
    assert_int_equal(resolve(&log, true, NULL, &error), TR_BAD_INPUT);
    snprintf(expected, sizeof expected, "edits.json:3: %s", message);
    if (strncmp(error.text, expected, strlen(expected)) != 0)
        fail_msg("found \"%s\", expected \"%s\"", error.text, expected);
    packed = parse_bytes(bytes.bytes, bytes.size_bytes);
    assert_int_equal(resolve(&packed, true, NULL, &error), TR_BAD_INPUT);
    snprintf(expected, sizeof expected, "edits.json: byte offset %d: %s", packed.edits[1].line, message);
    if (strncmp(error.text, expected, strlen(expected)) != 0)
        fail_msg("found \"%s\", expected \"%s\"", error.text, expected);
    tr_writer_release(&bytes);
    tr_log_release(&log);
    tr_log_release(&packed);
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
        /* a stroke is outside when all its stamps are */
        {"{\"op\":\"raise\",\"path\":[[-50,50],[-10,50]],\"radius\":5,\"strength\":1}", true},
        {"{\"op\":\"raise\",\"path\":[[-50,50],[50,50]],\"radius\":5,\"strength\":1}", false},
        {"{\"op\":\"raise\",\"path\":[[-50,50],[600,50]],\"radius\":5,\"strength\":1,\"spacing\":640}",
         true}, /* stamps at -50 and 590 */
        /* what lies outside of `within` never changes */
        {"{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"center\":[-39,0,50],\"radius\":50},"
         "\"within\":{\"min\":[-60,-60,0],\"max\":[-10,60,99]}}",
         true},
        {"{\"op\":\"add\",\"at\":[50,0,300],\"radius\":40,\"strength\":1}", true},
        {"{\"op\":\"add\",\"at\":[50,0,300],\"radius\":50,\"strength\":1}", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
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
    assert_true(log.edits[0].points[0].radius == 0);
    assert_true(log.edits[1].points[0].radius == 1.5);
    tr_log_release(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_gives_every_field_in_order),
        cmocka_unit_test(what_is_not_written_has_its_default),
        cmocka_unit_test(an_operation_is_known_by_its_name_and_place),
        cmocka_unit_test(three_encodings_give_the_same_log),
        cmocka_unit_test(encodings_are_written_as_documented),
        cmocka_unit_test(logs_of_any_length_are_written_as_message_pack),
        cmocka_unit_test(a_log_without_edits_is_read_in_all_encodings),
        cmocka_unit_test(fields_that_begin_with_x_are_passed_over_everywhere),
        cmocka_unit_test(every_falloff_is_read_by_its_name),
        cmocka_unit_test(parsing_appends_and_a_refused_log_leaves_what_was_there),
        cmocka_unit_test(an_id_used_twice_names_the_file_that_has_it_first),
        cmocka_unit_test(texts_that_are_no_log_are_refused),
        cmocka_unit_test(numbers_that_an_edit_cannot_have_are_refused),
        cmocka_unit_test(types_that_a_field_cannot_have_are_refused),
        cmocka_unit_test(places_and_paths_that_do_not_fit_are_refused),
        cmocka_unit_test(paths_have_up_to_4096_points),
        cmocka_unit_test(names_that_are_not_known_are_refused_by_name),
        cmocka_unit_test(fields_that_are_missing_are_named),
        cmocka_unit_test_setup_teardown(an_image_beside_the_log_becomes_data, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(an_image_that_the_system_refuses_is_the_systems_fault, scratch_make,
                                        scratch_remove),
        cmocka_unit_test(a_log_carries_at_most_2_to_the_29_bytes_and_pixels),
        cmocka_unit_test(seeds_go_to_2_to_the_64_less_one),
        cmocka_unit_test(message_pack_is_refused_with_byte_offsets),
        cmocka_unit_test(a_log_cut_anywhere_is_refused),
        cmocka_unit_test(bytes_behind_a_nul_are_not_hidden),
        cmocka_unit_test(a_torn_last_line_is_refused_with_its_offset_and_the_last_good_edit),
        cmocka_unit_test(a_torn_last_line_is_left_out_on_request_and_told),
        cmocka_unit_test(damage_elsewhere_is_an_error_whatever_is_asked),
        cmocka_unit_test(an_id_used_twice_is_refused_with_both_lines),
        cmocka_unit_test(edits_without_id_get_one_from_content_and_occurrence),
        cmocka_unit_test(the_same_content_has_the_same_id_however_it_is_written),
        cmocka_unit_test(appending_a_log_without_ids_twice_counts_on),
        cmocka_unit_test(many_equal_edits_get_their_ids),
        cmocka_unit_test(the_normal_form_is_as_documented),
        cmocka_unit_test(the_normal_form_escapes_what_json_must),
        cmocka_unit_test(every_brush_has_one_normal_form),
        cmocka_unit_test(no_locale_changes_a_log),
        cmocka_unit_test(brushes_that_are_written_read_back_equal_and_write_the_same),
        cmocka_unit_test(resolving_converts_metres_once),
        cmocka_unit_test(what_leaves_the_limits_is_refused_with_its_place),
        cmocka_unit_test(an_edit_wholly_outside_is_refused_with_what_the_world_spans),
        cmocka_unit_test(an_edit_is_outside_exactly_when_it_reaches_no_sample_of_the_world),
        cmocka_unit_test(skipping_keeps_the_order_of_the_others),
        cmocka_unit_test(edits_before_first_are_left_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
