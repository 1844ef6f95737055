/* Messages of the web client: that they become the height brushes of EDITS.md in every encoding, and the messages for what they cannot be. */
#include "tests/unit/log_fixture.h"

#define MESSAGE(t, position, radius, strength, falloff, operation)                                           \
    "{\"t\":" t ",\"brush\":{\"position\":" position ",\"radius\":" radius ",\"strength\":" strength         \
    ",\"falloff\":\"" falloff "\",\"operation\":\"" operation "\"}}"
#define NUMBERED(t, x, z, radius, strength, falloff, operation)                                              \
    "{\"t\":" t ",\"cx\":-1,\"cz\":2,\"brush\":{\"wx\":" x ",\"wz\":" z ",\"radius\":" radius                \
    ",\"strength\":" strength ",\"falloff\":" falloff ",\"operation\":" operation "}}"

/* The lines as they are, as a JSON array over many lines, and as a MessagePack array: all the same log. */
static void assert_messages(const char *const *lines, size_t count, const char *normal_lines)
{
    struct tr_writer text = {0}, array = {0}, bytes;
    struct tr_log logs[3];

    for (size_t i = 0; i < count; i++) {
        tr_write_text(&text, "%s\n", lines[i]);
        tr_write_text(&array, "%s%s", i == 0 ? "[\n" : ",\n", lines[i]);
    }
    tr_write_text(&array, "]");
    tr_write_u8(&array, 0);
    assert_true(!text.failed && !array.failed);
    bytes = as_message_pack((const char *)array.bytes);
    logs[0] = parse_bytes(text.bytes, text.size_bytes);
    logs[1] = parse((const char *)array.bytes);
    logs[2] = parse_bytes(bytes.bytes, bytes.size_bytes);
    for (int i = 0; i < 3; i++) {
        struct tr_log *log = &logs[i];
        struct tr_writer out = {0};

        assert_int_equal(log->count, count);
        assert_round_trip(log);
        for (size_t k = 0; k < log->count; k++) { /* ids come from the content, which is compared here */
            char *normal;
            struct tr_edit edit = log->edits[k];
            struct tr_log one = {.edits = &edit, .count = 1};

            assert_true(edit.id_is_made && strncmp(edit.id, "e-", 2) == 0);
            strcpy(edit.id, "w");
            normal = normal_form(&one);
            tr_write_text(&out, "%s", normal + strlen(HEAD));
            free(normal);
        }
        tr_write_u8(&out, 0);
        assert_string_equal((const char *)out.bytes, normal_lines);
        tr_writer_release(&out);
        tr_log_release(log);
    }
    tr_writer_release(&text);
    tr_writer_release(&array);
    tr_writer_release(&bytes);
}

static void messages_with_names_become_height_brushes(void **state)
{
    static const char *const lines[] = {
        MESSAGE("1700000000000", "[1.5,99,-2]", "8", "2.5", "smooth", "raise"),
        MESSAGE("2", "[1,2,3]", "8", "2", "linear", "lower"),
        MESSAGE("3", "[1,2,3]", "8", "2", "sharp", "smooth"),
        MESSAGE("4", "[1,2,3]", "8", "0.25", "constant", "flatten"),
        "{\"t\":5,\"x-from\":1,\"brush\":{\"position\":[1,2,3],\"radius\":8,\"strength\":7,\"falloff\":"
        "\"smooth\","
        "\"operation\":\"flatten\",\"targetHeight\":-4.5,\"x-y\":2}}",
        MESSAGE("-6", "[1,2,3]", "8", "3", "smooth", "noise"),
        MESSAGE("7", "[1,2,3]", "2", "3", "smooth", "noise"),
    };

    (void)state;
    assert_messages(
        lines, COUNT(lines),
        "{\"at\":[1.5,-2],\"id\":\"w\",\"op\":\"raise\",\"radius\":8,\"strength\":2.5,\"time\":1700000000000}"
        "\n"
        "{\"at\":[1,3],\"falloff\":\"linear\",\"id\":\"w\",\"op\":\"lower\",\"radius\":8,\"strength\":2,"
        "\"time\":2}\n"
        "{\"at\":[1,3],\"falloff\":\"sharp\",\"id\":\"w\",\"op\":\"smooth\",\"radius\":8,\"strength\":1,"
        "\"time\":3}\n"
        "{\"at\":[1,3],\"falloff\":\"constant\",\"id\":\"w\",\"op\":\"flatten\",\"radius\":8,\"strength\":0."
        "25,"
        "\"time\":4}\n"
        "{\"at\":[1,3],\"height\":-4.5,\"id\":\"w\",\"op\":\"flatten\",\"radius\":8,\"strength\":1,\"time\":"
        "5}\n"
        "{\"at\":[1,3],\"id\":\"w\",\"op\":\"noise\",\"radius\":8,\"scale\":2,\"strength\":3,\"time\":-6}\n"
        "{\"at\":[1,3],\"id\":\"w\",\"op\":\"noise\",\"radius\":2,\"scale\":1,\"strength\":3,\"time\":7}\n");
}

static void messages_with_numbers_become_height_brushes(void **state)
{
    static const char *const lines[] = {
        NUMBERED("1", "1.5", "-2", "8", "2.5", "0", "0"), NUMBERED("2", "1", "3", "8", "2", "1", "1"),
        NUMBERED("3", "1", "3", "8", "2", "2", "2"),      NUMBERED("4", "1", "3", "8", "0.25", "3", "3"),
        NUMBERED("5", "1", "3", "400", "3", "0", "4"),
    };

    (void)state;
    assert_messages(
        lines, COUNT(lines),
        "{\"at\":[1.5,-2],\"id\":\"w\",\"op\":\"raise\",\"radius\":8,\"strength\":2.5,\"time\":1}\n"
        "{\"at\":[1,3],\"falloff\":\"linear\",\"id\":\"w\",\"op\":\"lower\",\"radius\":8,\"strength\":2,"
        "\"time\":2}\n"
        "{\"at\":[1,3],\"falloff\":\"sharp\",\"id\":\"w\",\"op\":\"smooth\",\"radius\":8,\"strength\":1,"
        "\"time\":3}\n"
        "{\"at\":[1,3],\"falloff\":\"constant\",\"id\":\"w\",\"op\":\"flatten\",\"radius\":8,\"strength\":0."
        "25,"
        "\"time\":4}\n"
        "{\"at\":[1,3],\"id\":\"w\",\"op\":\"noise\",\"radius\":400,\"scale\":100,\"strength\":3,\"time\":5}"
        "\n");
}

/* Both kinds may come from one client. */
static void both_kinds_of_messages_may_be_mixed(void **state)
{
    static const char *const lines[] = {MESSAGE("1", "[1,2,3]", "8", "2", "smooth", "raise"),
                                        NUMBERED("1", "1", "3", "8", "2", "0", "1")};

    (void)state;
    assert_messages(lines, COUNT(lines),
                    "{\"at\":[1,3],\"id\":\"w\",\"op\":\"raise\",\"radius\":8,\"strength\":2,\"time\":1}\n"
                    "{\"at\":[1,3],\"id\":\"w\",\"op\":\"lower\",\"radius\":8,\"strength\":2,\"time\":1}\n");
}

static void messages_that_cannot_be_are_refused(void **state)
{
#define M1 MESSAGE("1", "[1,2,3]", "8", "2", "smooth", "raise")
#define BRUSH_FIELDS "\"position\":[1,2,3],\"radius\":8,\"strength\":2,\"falloff\":\"smooth\""
    static const struct refusal refusals[] = {
        {MESSAGE("1", "[1,2,3]", "0", "2", "smooth", "raise"),
         "edits.json:1: edit #1: \"radius\" in \"brush\" must be > 0, found 0"},
        {M1 "\n\n" MESSAGE("1", "[1,2,3]", "1", "-2", "smooth", "raise"),
         "edits.json:3: edit #2: \"strength\" in \"brush\" must be > 0, found -2"},
        {"[" M1 ",\n" MESSAGE("1.5", "[1,2,3]", "1", "2", "smooth", "raise") "]",
         "edits.json:2: edit #2: \"t\" must be an integer from -9007199254740992 to 9007199254740992, found "
         "1.5"},
        {MESSAGE("1", "[1,2]", "1", "2", "smooth", "raise"),
         "edits.json:1: edit #1: \"position\" in \"brush\" must be an array of 3 numbers, found an array of "
         "2"},
        {MESSAGE("1", "[1,null,2]", "1", "2", "smooth", "raise"),
         "edits.json:1: edit #1: \"position\" in \"brush\" must be a number, found null"},
        {MESSAGE("1", "[1,2,3]", "1", "2", "root", "raise"),
         "edits.json:1: edit #1: falloff 'root' in \"brush\" is not supported by this version, expected one "
         "of "
         "smooth, linear, sharp, constant"},
        {MESSAGE("1", "[1,2,3]", "1", "2", "smooth", "paint"),
         "edits.json:1: edit #1: operation 'paint' in \"brush\" is not supported by this version, expected "
         "one of "
         "raise, lower, smooth, flatten, noise"},
        {"{\"t\":1,\"brush\":{" BRUSH_FIELDS ",\"operation\":0}}",
         "edits.json:1: edit #1: \"operation\" in \"brush\" must be a string, found 0"},
        {"{\"t\":1,\"brush\":{" BRUSH_FIELDS ",\"operation\":\"raise\",\"targetHeight\":3}}",
         "edits.json:1: edit #1: \"targetHeight\" in \"brush\" goes with operation \"flatten\" only, found "
         "operation \"raise\""},
        {"{\"t\":1,\"brush\":{" BRUSH_FIELDS ",\"operation\":\"flatten\",\"targetHeight\":null}}",
         "edits.json:1: edit #1: \"targetHeight\" in \"brush\" must be a number, found null"},
        {"{\"t\":1,\"brush\":{" BRUSH_FIELDS "}}",
         "edits.json:1: edit #1: \"operation\" in \"brush\" is missing"},
        {"{\"t\":1,\"brush\":{" BRUSH_FIELDS ",\"wx\":1}}",
         "edits.json:1: edit #1: unknown field \"wx\" in \"brush\", expected one of falloff, operation, "
         "position, "
         "radius, strength, targetHeight"},
        {"{\"t\":1,\"brush\":3}", "edits.json:1: edit #1: \"brush\" must be an object, found 3"},
        {"{\"brush\":{}}", "edits.json:1: edit #1: \"t\" is missing"},
        {"{\"brush\":{},\"t\":1,\"id\":\"a\"}",
         "edits.json:1: edit #1: unknown field \"id\", expected one of brush, t"},
        {NUMBERED("1", "1", "2", "1", "2", "4", "0"),
         "edits.json:1: edit #1: \"falloff\" in \"brush\" must be an integer from 0 to 3, found 4"},
        {NUMBERED("1", "1", "2", "1", "2", "0", "5"),
         "edits.json:1: edit #1: \"operation\" in \"brush\" must be an integer from 0 to 4, found 5"},
        {NUMBERED("1", "1", "2", "1", "2", "0", "-1"),
         "edits.json:1: edit #1: \"operation\" in \"brush\" must be an integer from 0 to 4, found -1"},
        {NUMBERED("1", "1", "2", "1", "2", "\"smooth\"", "0"),
         "edits.json:1: edit #1: \"falloff\" in \"brush\" must be a number, found the string \"smooth\""},
        {NUMBERED("1", "\"1\"", "2", "1", "2", "0", "0"),
         "edits.json:1: edit #1: \"wx\" in \"brush\" must be a number, found the string \"1\""},
        {NUMBERED("1", "1", "[]", "1", "2", "0", "0"),
         "edits.json:1: edit #1: \"wz\" in \"brush\" must be a number, found an array"},
        {"{\"t\":1,\"cx\":0.5,\"cz\":0,\"brush\":{\"wx\":1,\"wz\":1,\"radius\":1,\"strength\":1,\"falloff\":"
         "0,"
         "\"operation\":0}}",
         "edits.json:1: edit #1: \"cx\" must be an integer from -9007199254740992 to 9007199254740992, found "
         "0.5"},
        {"{\"t\":1,\"cx\":0,\"brush\":{}}", "edits.json:1: edit #1: \"cz\" is missing"},
        {"{\"t\":1,\"cx\":0,\"cz\":0,\"brush\":{\"wx\":1,\"wz\":1,\"radius\":1,\"strength\":1,\"falloff\":0,"
         "\"operation\":3,\"targetHeight\":1}}",
         "edits.json:1: edit #1: unknown field \"targetHeight\" in \"brush\", expected one of falloff, "
         "operation, "
         "radius, strength, wx, wz"},
        /* edits and messages do not mix */
        {M1 "\n" RAISE_A "\n", "edits.json:2: edit #2: found an edit among messages of the web client"},
        {M1 "\n" HEAD, "edits.json:2: edit #2: unknown field \"format\", expected one of brush, t"},
        {M1 "\n17\n", "edits.json:2: edit #2: a message must be an object, found 17"},
        {"[" M1 "," RAISE_A "]", "edits.json:1: edit #2: found an edit among messages of the web client"},
        {"[" RAISE_A "," M1 "]", "edits.json:1: an edit log must be an object, found an array"},
        {HEAD RAISE_A "\n" M1 "\n", "edits.json:3: edit #2: found a message of the web client among edits"},
        {DOCUMENT(M1), "edits.json:2: edit #1: found a message of the web client among edits"},
        /* a message alone is a line */
        {"{\"t\":1,\n\"brush\":{}}",
         "edits.json:1: a message of the web client must be alone on its line or in an array"},
    };
    struct tr_writer bytes = as_message_pack(M1);

    (void)state;
    ASSERT_REFUSED(refusals);
    assert_refused_as(
        (const char *)bytes.bytes, bytes.size_bytes,
        "edits.json: byte offset 0: a message of the web client must be alone on its line or in an "
        "array",
        true);
    tr_writer_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_with_names_become_height_brushes),
        cmocka_unit_test(messages_with_numbers_become_height_brushes),
        cmocka_unit_test(both_kinds_of_messages_may_be_mixed),
        cmocka_unit_test(messages_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
