/* Filter, merge and optimize of whole logs. Logs are written here as edits, one a line; results are compared as lines of the normal form.
 *
 * That optimize keeps the bytes is shown on its shapes: equal trees at several voxel sizes, and the same bits from the kernels' code. */
#include "lib/edit/log_work.h"
#include "tests/support/test.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void parse(struct tr_log *log, const char *edits)
{
    struct tr_error error = {0};
    struct tr_writer text = {0};
    tr_write_text(&text, "{\"format\":\"terrain-edits\",\"version\":1}\n");
    tr_write_bytes(&text, edits, strlen(edits)); /* may be long */
    assert_ok(tr_log_parse(log, (const char *)text.bytes, text.size_bytes, "test", NULL, NULL, &error),
              &error);
    tr_writer_release(&text);
}

/* The ids of a log with blanks between; valid until the next call. */
static const char *ids(const struct tr_log *log)
{
    static char text[4096];
    text[0] = 0;
    for (size_t i = 0; i < log->count; i++) {
        strncat(text, i ? " " : "", sizeof text - strlen(text) - 1);
        strncat(text, log->edits[i].id, sizeof text - strlen(text) - 1);
    }
    return text;
}

/* The normal form without its header line; free() it. */
static char *lines(const struct tr_log *log)
{
    struct tr_writer out = {0};
    struct tr_error error = {0};
    assert_ok(tr_log_write(log, TR_LOG_LINES, &out, &error), &error);
    tr_write_u8(&out, 0);
    char *behind = strchr((char *)out.bytes, '\n'), *text = strdup(behind + 1);
    assert_non_null(text);
    tr_writer_release(&out);
    return text;
}

/* Whether a world with such voxels takes all edits. */
static bool is_resolved(struct tr_log *log, double voxel_size)
{
    for (size_t i = 0; i < log->count; i++)
        if (tr_edit_resolve(&log->edits[i], voxel_size, "test", NULL) != TR_OK)
            return false;
    return true;
}

/* A PNG of 2 x 2 pixels, one of a single black one, and a tetrahedron as OBJ. */
#define PNG_FOUR                                                                                             \
    "\"iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mNg+M/QwA4ABQkBhwyell4AAAAASUVORK5CYII=\""
#define PNG_ONE                                                                                              \
    "\"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg==\""
#define OBJ "\"diAwIDAgMAp2IDEgMCAwCnYgMCAxIDAKdiAwIDAgMgpmIDEgMyAyCmYgMSAyIDQKZiAyIDMgNApmIDMgMSA0Cg==\""
#define STAMP(at, png)                                                                                       \
    "\"op\":\"stamp\",\"at\":" at ",\"radius\":3,\"strength\":4,\"image\":{\"data\":" png "}"
#define MAP(png) "{\"center\":[0,0,0],\"image\":{\"data\":" png "},\"size\":[1,2,3],\"type\":\"height-map\"}"
#define MESH "{\"mesh\":{\"data\":" OBJ "},\"type\":\"mesh\"}"

/* ---- equality ---- */

static void edits_are_equal_however_they_are_written(void **state)
{
    static const char *const pairs[][2] = {
        {"{'id':'a','op':'raise','at':[1,2],'radius':3,'strength':4}",
         "{'strength':4.0,'radius':3e0,'falloff':'smooth','at':[1,2],'op':'raise','id':'a','x-note':1}"},
        {"{'id':'a','op':'raise','path':[[1,2],[3,4]],'radius':[3,3],'strength':4}",
         "{'id':'a','op':'raise','path':[[1,2],[3,4]],'radius':3,'strength':[4,4]}"},
        {"{'id':'a','op':'raise','at':[1,2],'radius':3,'strength':4}",
         "{'id':'a','op':'raise','at':[1,2],'radius':3,'strength':4.5}"},
        {"{'id':'a','op':'raise','at':[1,2],'radius':3,'strength':4}",
         "{'id':'b','op':'raise','at':[1,2],'radius':3,'strength':4}"},
        {"{'id':'a','op':'raise','at':[1,2],'radius':3,'strength':4}",
         "{'id':'a','time':0,'op':'raise','at':[1,2],'radius':3,'strength':4}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct tr_log logs[2] = {0};
        struct tr_error error = {0};
        bool equal = i >= 2;
        for (int j = 0; j < 2; j++) {
            char text[256];
            strcpy(text, pairs[i][j]);
            for (char *at = text; (at = strchr(at, '\''));)
                *at = '"';
            parse(&logs[j], text);
        }
        assert_ok(tr_edit_equal(&logs[0].edits[0], &logs[1].edits[0], &equal, &error), &error);
        if (equal != (i < 2))
            fail_msg("pair %zu: found %s", i, equal ? "equal" : "different");
        tr_log_release(&logs[0]);
        tr_log_release(&logs[1]);
    }
}

/* ---- filter ---- */

static const char mixed[] =
    "{\"id\":\"a\",\"author\":\"Ada\",\"time\":10,\"op\":\"raise\",\"at\":[100,100],\"radius\":10,"
    "\"strength\":1}\n"
    "{\"id\":\"b\",\"author\":\"Bo\",\"time\":20,\"op\":\"raise\",\"path\":[[0,0],[200,0]],\"radius\":4,"
    "\"strength\":1}\n"
    "{\"id\":\"c\",\"time\":30,\"op\":\"subtract\",\"shape\":{\"type\":\"sphere\",\"center\":[0,50,0],"
    "\"radius\":4}}\n"
    "{\"id\":\"d\",\"author\":\"Ada\",\"op\":\"add\",\"at\":[0,-50,0],\"radius\":4,\"strength\":1}\n";

static void check_filter(const struct tr_log_filter *filter, double voxel_size, const char *expected)
{
    struct tr_log log = {0};
    size_t dropped = 99;
    parse(&log, mixed);
    assert_true(is_resolved(&log, voxel_size));
    tr_log_filter(&log, filter, &dropped);
    assert_string_equal(ids(&log), expected);
    assert_int_equal(dropped, 4 - log.count);
    tr_log_release(&log);
}

static void a_filter_keeps_edits_of_an_author_or_of_none(void **state)
{
    (void)state;
    check_filter(&(struct tr_log_filter){.author = "Ada"}, 1, "a d");
    check_filter(&(struct tr_log_filter){.author = ""}, 1, "c");
    check_filter(&(struct tr_log_filter){.author = "ada"}, 1, "");
    check_filter(&(struct tr_log_filter){0}, 1, "a b c d");
}

static void a_filter_by_time_keeps_that_moment_and_drops_edits_without_one(void **state)
{
    (void)state;
    check_filter(&(struct tr_log_filter){.has_since = true, .since_ms = 20}, 1, "b c");
    check_filter(&(struct tr_log_filter){.has_since = true, .since_ms = 21}, 1, "c");
    check_filter(&(struct tr_log_filter){.has_since = true, .since_ms = 5, .author = "Ada"}, 1, "a");
}

static struct tr_log_filter bounds(int64_t x0, int64_t y0, int64_t z0, int64_t x1, int64_t y1, int64_t z1)
{
    return (struct tr_log_filter){.has_bounds = true, .bounds = {{x0, y0, z0}, {x1, y1, z1}}};
}

static void a_filter_by_place_keeps_what_a_stamp_writes_there(void **state)
{
    (void)state;
    struct tr_log_filter filter = bounds(90, 0, 90, 95, 0, 95); /* height brushes span all rows */
    check_filter(&filter, 1, "a");
    filter = bounds(89, 0, 0, 89, 0, 88); /* a gap of the rise, but a stamp of the stroke ends in it */
    check_filter(&filter, 1, "b");
    filter = bounds(50, 0, 10, 60, 0,
                    20); /* in the box around the whole stroke's path and radius there is nothing */
    check_filter(&filter, 1, "");
    filter = bounds(0, 40, 0, 0, 60, 0); /* the shape, and the stroke, not the brush below */
    check_filter(&filter, 1, "b c");
    filter = bounds(0, 71, 0, 0, 80, 0); /* 16 voxels beyond the sphere's 54 m and a little for rounding */
    check_filter(&filter, 1, "b");
    filter = bounds(180, 0, 180, 190, 0, 190); /* voxels half as large */
    check_filter(&filter, 0.5, "a");
}

/* ---- merge ---- */

#define R(id, more) "{\"id\":\"" id "\"," more "\"op\":\"raise\",\"at\":[1,2],\"radius\":3,\"strength\":4}\n"
#define T(id, time) R(id, "\"time\":" #time ",")
#define TA(id, time, author) R(id, "\"time\":" #time ",\"author\":\"" author "\",")

static void merged_logs_are_in_the_order_of_time_author_and_place(void **state)
{
    const char *const names[] = {"one", "two", "three"};
    struct tr_log parts[3] = {0}, log = {0};
    struct tr_error error = {0};
    (void)state;
    parse(&parts[0], TA("a", 5, "Bo") TA("b", 5, "Ada") T("c", 7));
    parse(&parts[1], T("d", -1) T("e", 5) TA("f", 5, "Ada") T("g", 9));
    assert_ok(tr_log_merge(&log, parts, names, 3, &error), &error);
    assert_string_equal(ids(&log), "d e b f a c g");
    for (int i = 0; i < 3; i++)
        assert_int_equal(parts[i].count, 0);
    tr_log_release(&log);
}

static void merging_nothing_gives_nothing(void **state)
{
    const char *const names[] = {"one", "two"};
    struct tr_log parts[2] = {0}, log = {0};
    struct tr_error error = {0};
    (void)state;
    assert_ok(tr_log_merge(&log, parts, names, 2, &error), &error);
    assert_int_equal(log.count, 0);
    tr_log_release(&log);
}

static void an_edit_that_several_logs_have_is_taken_once(void **state)
{
    const char *const names[] = {"one", "two", "three"};
    struct tr_log parts[3] = {0}, log = {0};
    struct tr_error error = {0};
    (void)state;
    parse(&parts[0], T("a", 1) T("b", 2));
    parse(&parts[1], T("b", 2) T("c", 3));
    parse(&parts[2], T("a", 1) T("b", 2) T("d", 2));
    assert_ok(tr_log_merge(&log, parts, names, 3, &error), &error);
    assert_string_equal(ids(&log), "a b d c");
    tr_log_release(&log);
}

static void edits_without_ids_are_merged_by_content(void **state)
{
    const char *const names[] = {"one", "two"};
    const char edit[] = "{\"time\":1,\"op\":\"raise\",\"at\":[1,2],\"radius\":3,\"strength\":4}\n";
    struct tr_log parts[2] = {0}, log = {0};
    struct tr_error error = {0};
    char both[256];
    (void)state;
    snprintf(both, sizeof both, "%s%s", edit, edit);
    parse(&parts[0], both);
    parse(&parts[1], edit);
    assert_ok(tr_log_merge(&log, parts, names, 2, &error), &error);
    assert_int_equal(log.count, 2);
    tr_log_release(&log);
}

static void edits_with_pictures_are_the_same_when_their_bytes_are(void **state)
{
#define AT(png) "{\"id\":\"a\",\"time\":1," STAMP("[1,2]", png) "}\n"
    static const struct {
        const char *one, *two;
        bool is_equal;
    } cases[] = {
        {AT(PNG_FOUR), AT(PNG_FOUR), true},
        {AT(PNG_FOUR), AT(PNG_ONE), false},
        {"{\"id\":\"a\",\"time\":1,\"op\":\"union\",\"shape\":" MAP(PNG_FOUR) "}",
         "{\"id\":\"a\",\"time\":1,\"op\":\"union\",\"shape\":" MAP(PNG_FOUR) "}", true},
        {"{\"id\":\"a\",\"time\":1,\"op\":\"union\",\"shape\":" MAP(PNG_FOUR) "}",
         "{\"id\":\"a\",\"time\":1,\"op\":\"union\",\"shape\":" MAP(PNG_ONE) "}", false},
    };
    const char *const names[] = {"one", "two"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tr_log parts[2] = {0}, log = {0};
        struct tr_error error = {0};
        parse(&parts[0], cases[i].one);
        parse(&parts[1], cases[i].two);
        assert_int_equal(tr_log_merge(&log, parts, names, 2, &error),
                         cases[i].is_equal ? TR_OK : TR_BAD_INPUT);
        assert_int_equal(log.count, cases[i].is_equal);
        tr_log_release(&log);
        tr_log_release(&parts[0]);
        tr_log_release(&parts[1]);
    }
}

static void a_merge_is_refused_with_the_place_and_leaves_the_logs(void **state)
{
    static const struct {
        const char *one, *two, *expected;
    } cases[] = {
        {T("a", 1), T("b", 2) R("c", ""), "two:3: edit 'c': \"time\" is missing, expected one to merge by"},
        {T("a", 1), T("b", 2) T("c", 1),
         "two:3: edit 'c': \"time\" must not go backwards in a log to merge, found 1 after 2"},
        {T("a", 1), T("b", 0) T("a", 2),
         "two:3: edit 'a': differs from the edit of that id at one:2, expected an equal one or another id"},
        {T("a", 3), T("b", 0) T("a", 2),
         "one:2: edit 'a': differs from the edit of that id at two:3, expected an equal one or another id"},
    };
    const char *const names[] = {"one", "two"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tr_log parts[2] = {0}, log = {0};
        struct tr_error error = {0};
        parse(&parts[0], cases[i].one);
        parse(&parts[1], cases[i].two);
        assert_int_equal(tr_log_merge(&log, parts, names, 2, &error), TR_BAD_INPUT);
        assert_string_equal(error.text, cases[i].expected);
        assert_int_equal(log.count, 0);
        assert_int_equal(parts[0].count, 1);
        assert_int_equal(parts[1].count, 2);
        tr_log_release(&log);
        tr_log_release(&parts[0]);
        tr_log_release(&parts[1]);
    }
}

/* ---- optimize: shapes ---- */

#define SPHERE "{\"center\":[1,2,3],\"radius\":4,\"type\":\"sphere\"}"
#define BOX "{\"center\":[1,2,3],\"size\":[4,5,6],\"type\":\"box\"}"

/* Optimizes one union of a shape; both as the normal form has them. */
static void check_shape(const char *shape, const char *expected, size_t nodes, size_t blends)
{
    struct tr_log log = {0};
    struct tr_error error = {0};
    struct tr_log_optimized result;
    char text[4096], wanted[4096];
    snprintf(text, sizeof text, "{\"id\":\"a\",\"op\":\"union\",\"shape\":%s}\n", shape);
    snprintf(wanted, sizeof wanted, "{\"id\":\"a\",\"op\":\"union\",\"shape\":%s}\n", expected);
    parse(&log, text);
    assert_ok(tr_log_optimize(&log, &result, &error), &error);
    char *found = lines(&log);
    assert_string_equal(found, wanted);
    assert_int_equal(result.nodes_dropped, nodes);
    assert_int_equal(result.blends_hardened, blends);
    assert_int_equal(result.edits_dropped, 0);
    free(found);
    tr_log_release(&log);
}

static void transforms_that_do_nothing_are_dropped(void **state)
{
    (void)state;
    check_shape("{\"by\":[0,0,0],\"of\":" SPHERE ",\"type\":\"translate\"}", SPHERE, 1, 0);
    check_shape("{\"axis\":[0,1,0],\"degrees\":0,\"of\":" BOX ",\"type\":\"rotate\"}", BOX, 1, 0);
    check_shape("{\"about\":[7,8,9],\"by\":1,\"of\":" SPHERE ",\"type\":\"scale\"}", SPHERE, 1, 0);
    check_shape("{\"by\":1,\"of\":{\"by\":[0,0,0],\"of\":{\"axis\":[1,2,3],\"degrees\":0,\"of\":" BOX
                ",\"type\":\"rotate\"},\"type\":\"translate\"},\"type\":\"scale\"}",
                BOX, 3, 0);
    check_shape("{\"of\":[{\"by\":[0,0,0],\"of\":" SPHERE ",\"type\":\"translate\"},{\"by\":1,\"of\":" BOX
                ",\"type\":\"scale\"}],\"type\":\"union\"}",
                "{\"of\":[" SPHERE "," BOX "],\"type\":\"union\"}", 2, 0);
}

static void transforms_of_one_kind_in_one_another_become_one(void **state)
{
    (void)state;
    check_shape("{\"by\":[1,2,3],\"of\":{\"by\":[4,5,-6],\"of\":" SPHERE
                ",\"type\":\"translate\"},\"type\":\"translate\"}",
                "{\"by\":[5,7,-3],\"of\":" SPHERE ",\"type\":\"translate\"}", 1, 0);
    check_shape("{\"by\":[1,2,3],\"of\":{\"by\":[-1,-2,-3],\"of\":" SPHERE
                ",\"type\":\"translate\"},\"type\":\"translate\"}",
                SPHERE, 2, 0);
    check_shape("{\"by\":2,\"of\":{\"by\":3,\"of\":" SPHERE ",\"type\":\"scale\"},\"type\":\"scale\"}",
                "{\"by\":6,\"of\":" SPHERE ",\"type\":\"scale\"}", 1, 0);
    check_shape("{\"by\":2,\"of\":{\"by\":0.5,\"of\":" SPHERE ",\"type\":\"scale\"},\"type\":\"scale\"}",
                SPHERE, 2, 0);
    check_shape("{\"about\":[8,0,8],\"by\":2,\"of\":{\"about\":[8,0,8],\"by\":4,\"of\":" SPHERE
                ",\"type\":\"scale\"},\"type\":\"scale\"}",
                "{\"about\":[8,0,8],\"by\":8,\"of\":" SPHERE ",\"type\":\"scale\"}", 1, 0);
    check_shape("{\"by\":[1,0,0],\"of\":{\"by\":1,\"of\":{\"by\":[2,0,0],\"of\":" SPHERE
                ",\"type\":\"translate\"},\"type\":\"scale\"},\"type\":\"translate\"}",
                "{\"by\":[3,0,0],\"of\":" SPHERE ",\"type\":\"translate\"}", 2, 0);
}

static void transforms_stay_where_one_bit_would_change(void **state)
{
    static const char *const shapes[] = {
        /* 3 x 0.1 + 3 x 0.3 is not 3 x (0.1 + 0.3) in double */
        "{\"by\":3,\"of\":{\"by\":[0.1,0,0],\"of\":{\"by\":[0.3,0,0],\"of\":{\"center\":[0,0,0],\"radius\":4,"
        "\"type\":\"sphere\"},\"type\":\"translate\"},\"type\":\"translate\"},\"type\":\"scale\"}",
        "{\"axis\":[0,1,0],\"degrees\":17,\"of\":{\"axis\":[0,1,0],\"degrees\":24,\"of\":" BOX
        ",\"type\":\"rotate\"},\"type\":\"rotate\"}",
        "{\"about\":[1,0,0],\"by\":2,\"of\":{\"by\":2,\"of\":" SPHERE
        ",\"type\":\"scale\"},\"type\":\"scale\"}",
        "{\"by\":1024,\"of\":{\"by\":2,\"of\":" SPHERE ",\"type\":\"scale\"},\"type\":\"scale\"}",
        "{\"by\":[0,0,0.5],\"of\":" SPHERE ",\"type\":\"translate\"}",
        /* in voxels of 1 m these radii count as one and the same, 1/1024 */
        "{\"by\":0.0009765625,\"of\":{\"by\":1.1,\"of\":{\"center\":[0,0,0],\"radii\":[0.1,0.1,0.1],\"type\":"
        "\"ellipsoid\"},\"type\":\"scale\"},\"type\":\"scale\"}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check_shape(shapes[i], shapes[i], 0, 0);
}

/* What would be dropped in a shape of primitives and transforms alone. */
static void shapes_with_modifiers_pictures_or_meshes_are_left_as_they_are(void **state)
{
#define MOVED(of) "{\"by\":[0,0,0],\"of\":" of ",\"type\":\"translate\"}"
#define BESIDE(of)                                                                                           \
    "{\"blend\":{\"type\":\"smooth\",\"width\":1e-30},\"of\":[" SPHERE "," of "],\"type\":\"union\"}"
    static const char *const shapes[] = {
        MOVED("{\"by\":1,\"of\":" SPHERE ",\"type\":\"round\"}"),
        "{\"by\":1,\"of\":" MOVED(SPHERE) ",\"type\":\"round\"}",
        MOVED("{\"of\":" SPHERE ",\"scale\":5,\"seed\":7,\"strength\":1,\"type\":\"displace\"}"),
        MOVED("{\"path\":[[0,0,0],[9,9,9]],\"radius\":1,\"type\":\"tube\"}"),
        MOVED("{\"center\":[0,0,0],\"radius\":1,\"type\":\"octahedron\"}"),
        MOVED(MAP(PNG_FOUR)),
        MOVED(MESH),
        BESIDE(MESH),
        BESIDE("{\"center\":[0,0,0],\"radius\":1,\"type\":\"octahedron\"}"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check_shape(shapes[i], shapes[i], 0, 0);
}

static void moves_are_added_only_within_what_every_world_takes(void **state)
{
    (void)state;
    /* A sphere of 4 m is at most 100,000 voxels, so a voxel is at least 4e-5 m and 2,560 m are in bounds. */
    check_shape("{\"by\":[1250,0,0],\"of\":{\"by\":[1250,0,0],\"of\":" SPHERE
                ",\"type\":\"translate\"},\"type\":\"translate\"}",
                "{\"by\":[2500,0,0],\"of\":" SPHERE ",\"type\":\"translate\"}", 1, 0);
    check_shape("{\"by\":[1500,0,0],\"of\":{\"by\":[1500,0,0],\"of\":" SPHERE
                ",\"type\":\"translate\"},\"type\":\"translate\"}",
                "{\"by\":[1500,0,0],\"of\":{\"by\":[1500,0,0],\"of\":" SPHERE
                ",\"type\":\"translate\"},\"type\":\"translate\"}",
                0, 0);
}

static void smooth_blends_too_narrow_for_every_world_become_hard(void **state)
{
    (void)state;
    check_shape("{\"blend\":{\"type\":\"smooth\",\"width\":1e-18},\"of\":[" SPHERE "," BOX
                "],\"type\":\"union\"}",
                "{\"of\":[" SPHERE "," BOX "],\"type\":\"union\"}", 0, 1);
    check_shape("{\"by\":0.001953125,\"of\":{\"blend\":{\"type\":\"smooth\",\"width\":1e-15},\"of\":[" SPHERE
                "," BOX "],\"type\":\"union\"},\"type\":\"scale\"}",
                "{\"by\":0.001953125,\"of\":{\"blend\":{\"type\":\"smooth\",\"width\":1e-15},\"of\":[" SPHERE
                "," BOX "],\"type\":\"union\"},\"type\":\"scale\"}",
                0, 0); /* the shapes have become smaller too, so voxels may be */
    check_shape(
        "{\"blend\":{\"type\":\"chamfer\",\"width\":1e-18},\"of\":[" SPHERE "," BOX "],\"type\":\"union\"}",
        "{\"blend\":{\"type\":\"chamfer\",\"width\":1e-18},\"of\":[" SPHERE "," BOX "],\"type\":\"union\"}",
        0, 0);
    check_shape(
        "{\"blend\":{\"type\":\"smooth\",\"width\":1e-9},\"of\":[" SPHERE "," BOX "],\"type\":\"union\"}",
        "{\"blend\":{\"type\":\"smooth\",\"width\":1e-9},\"of\":[" SPHERE "," BOX "],\"type\":\"union\"}", 0,
        0);
}

/* ---- optimize: edits ---- */

static void check_kept(const char *edits, const char *expected)
{
    struct tr_log log = {0};
    struct tr_error error = {0};
    struct tr_log_optimized result;
    parse(&log, edits);
    size_t before = log.count;
    assert_ok(tr_log_optimize(&log, &result, &error), &error);
    assert_string_equal(ids(&log), expected);
    assert_int_equal(result.edits_dropped, before - log.count);
    tr_log_release(&log);
}

static void brushes_too_weak_to_change_a_sample_are_dropped(void **state)
{
    (void)state;
    check_kept(
        "{\"id\":\"a\",\"op\":\"raise\",\"at\":[0,0],\"radius\":10,\"strength\":1e-9}\n"
        "{\"id\":\"b\",\"op\":\"raise\",\"at\":[0,0],\"radius\":10,\"strength\":1e-6}\n"
        "{\"id\":\"c\",\"op\":\"raise\",\"path\":[[0,0],[9,9]],\"radius\":10,\"strength\":[1e-9,1]}\n"
        "{\"id\":\"d\",\"op\":\"add\",\"path\":[[0,0,0],[9,9,9]],\"radius\":10,\"strength\":[1e-9,2e-9]}\n"
        "{\"id\":\"e\",\"op\":\"noise\",\"at\":[0,0,0],\"radius\":10,\"strength\":1e-9,\"scale\":5}\n"
        "{\"id\":\"f\",\"op\":\"stamp\",\"at\":[0,0],\"radius\":10,\"strength\":1e-9,\"image\":{"
        "\"data\":" PNG_ONE "}}\n"
        "{\"id\":\"g\",\"op\":\"stamp\",\"at\":[0,0,0],\"radius\":10,\"strength\":1e-9,\"image\":{"
        "\"data\":" PNG_ONE "}}\n",
        "b c");
    check_kept("{\"id\":\"a\",\"op\":\"smooth\",\"at\":[0,0],\"radius\":10,\"strength\":1e-9}\n"
               "{\"id\":\"b\",\"op\":\"smooth\",\"at\":[0,0],\"radius\":10,\"strength\":1e-7}\n"
               "{\"id\":\"c\",\"op\":\"smooth\",\"at\":[0,0,0],\"radius\":10,\"strength\":1e-7}\n"
               "{\"id\":\"d\",\"op\":\"smooth\",\"at\":[0,0,0],\"radius\":10,\"strength\":1e-5}\n"
               "{\"id\":\"e\",\"op\":\"hc-smooth\",\"at\":[0,0],\"radius\":10,\"strength\":1e-10}\n"
               "{\"id\":\"f\",\"op\":\"flatten\",\"at\":[0,0],\"radius\":10,\"strength\":1e-9,\"height\":9}\n"
               "{\"id\":\"g\",\"op\":\"flatten\",\"at\":[0,0,0],\"radius\":10,\"strength\":1e-7}\n"
               "{\"id\":\"h\",\"op\":\"set\",\"at\":[0,0],\"radius\":10,\"height\":0}\n",
               "b d h");
}

static void repeats_of_what_is_done_once_are_dropped(void **state)
{
    (void)state;
    check_kept("{\"id\":\"a\",\"op\":\"union\",\"shape\":" SPHERE "}\n"
               "{\"id\":\"b\",\"author\":\"Ada\",\"time\":5,\"op\":\"union\",\"shape\":" SPHERE "}\n"
               "{\"id\":\"c\",\"op\":\"subtract\",\"shape\":" SPHERE "}\n"
               "{\"id\":\"d\",\"op\":\"union\",\"shape\":" SPHERE "}\n"
               "{\"id\":\"e\",\"op\":\"union\",\"shape\":{\"by\":[0,0,0],\"of\":" SPHERE
               ",\"type\":\"translate\"}}\n"
               "{\"id\":\"f\",\"op\":\"union\",\"shape\":" BOX "}\n",
               "a c d f");
    check_kept(
        "{\"id\":\"a\",\"op\":\"paint\",\"at\":[0,0],\"radius\":9,\"material\":1}\n"
        "{\"id\":\"b\",\"op\":\"paint\",\"at\":[0,0],\"radius\":9,\"material\":1}\n"
        "{\"id\":\"c\",\"op\":\"paint\",\"at\":[0,0],\"radius\":9,\"material\":2}\n"
        "{\"id\":\"d\",\"op\":\"set\",\"at\":[0,0],\"radius\":9,\"height\":4,\"falloff\":\"constant\"}\n"
        "{\"id\":\"e\",\"op\":\"set\",\"at\":[0,0],\"radius\":9,\"height\":4,\"falloff\":\"constant\"}\n"
        "{\"id\":\"f\",\"op\":\"flatten\",\"at\":[0,0],\"radius\":9,\"strength\":1,\"height\":5,\"falloff\":"
        "\"constant\"}\n"
        "{\"id\":\"g\",\"op\":\"flatten\",\"at\":[0,0],\"radius\":9,\"strength\":1,\"height\":5,\"falloff\":"
        "\"constant\"}\n",
        "a c d f");
}

static void repeats_of_what_goes_on_stay(void **state)
{
    static const char *const edits[] = {
        "\"op\":\"raise\",\"at\":[0,0],\"radius\":9,\"strength\":1",
        "\"op\":\"smooth\",\"at\":[0,0],\"radius\":9,\"strength\":1",
        "\"op\":\"set\",\"at\":[0,0],\"radius\":9,\"height\":4",
        "\"op\":\"flatten\",\"at\":[0,0],\"radius\":9,\"strength\":0.5,\"height\":5,\"falloff\":\"constant\"",
        "\"op\":\"flatten\",\"at\":[0,0],\"radius\":9,\"strength\":1,\"falloff\":\"constant\"",
        "\"op\":\"flatten\",\"at\":[0,0,0],\"radius\":9,\"strength\":1,\"falloff\":\"constant\"",
        "\"op\":\"union\",\"shape\":" SPHERE ",\"blend\":{\"type\":\"smooth\",\"width\":2}",
        STAMP("[0,0]", PNG_FOUR),
        STAMP("[0,0,0]", PNG_FOUR),
        "\"op\":\"inflate\",\"at\":[0,0,0],\"radius\":9,\"strength\":1",
        "\"op\":\"pinch\",\"at\":[0,0,0],\"radius\":9,\"strength\":1",
        "\"op\":\"grab\",\"at\":[0,0,0],\"radius\":9,\"by\":[1,0,0]",
        "\"op\":\"redistance\",\"at\":[0,0,0],\"radius\":9",
    };
    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "{\"id\":\"a\",%s}\n{\"id\":\"b\",%s}\n", edits[i], edits[i]);
        check_kept(text, "a b");
    }
}

static void ids_made_from_content_stay_when_it_is_rewritten(void **state)
{
    struct tr_log log = {0};
    struct tr_error error = {0};
    struct tr_log_optimized result;
    char before[TR_EDIT_ID_BYTES];
    (void)state;
    parse(&log, "{\"op\":\"union\",\"shape\":{\"by\":1,\"of\":" SPHERE ",\"type\":\"scale\"}}\n");
    strcpy(before, log.edits[0].id);
    assert_true(log.edits[0].id_is_made);
    assert_ok(tr_log_optimize(&log, &result, &error), &error);
    assert_string_equal(log.edits[0].id, before);
    assert_false(log.edits[0].id_is_made);
    tr_log_release(&log);
}

/* ---- optimize: random trees ---- */

static uint32_t random_next(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*seed * n) >> 32);
}

/* Numbers that often cancel, are often 0, and sometimes have all their digits. */
static double random_number(uint32_t *seed)
{
    switch (random_next(seed, 4)) {
    case 0:
        return 0;
    case 1:
        return random_next(seed, 9) - 4.0;
    case 2:
        return (random_next(seed, 65) - 32.0) / 8;
    default:
        return random_next(seed, 1u << 31) * 0x1p-27 - 8;
    }
}

static void write_vector(struct tr_writer *out, uint32_t *seed, const char *field)
{
    double v[3] = {random_number(seed), random_number(seed), random_number(seed)};
    tr_write_text(out, ",\"%s\":[%.17g,%.17g,%.17g]", field, v[0], v[1], v[2]);
}

static void write_shape(struct tr_writer *out, uint32_t *seed, int depth)
{
    static const double factors[] = {1, 2, 0.5, 3, 0.7};
    static const char *const axes[] = {"[0,1,0]", "[1,0,0]", "[1,2,3]"}, *const widths[] = {"1e-20", "1",
                                                                                            "3"};
    static const int degrees[] = {0, 90, -90, 360, 17};
    switch (depth > 0 ? random_next(seed, 6) : 5) {
    case 0:
    case 1:
        tr_write_text(out, "{\"type\":\"translate\"");
        write_vector(out, seed, "by");
        break;
    case 2:
        tr_write_text(out, "{\"type\":\"scale\",\"by\":%.17g", factors[random_next(seed, 5)]);
        if (random_next(seed, 2))
            write_vector(out, seed, "about");
        break;
    case 3:
        tr_write_text(out, "{\"type\":\"rotate\",\"axis\":%s,\"degrees\":%d", axes[random_next(seed, 3)],
                      degrees[random_next(seed, 5)]);
        if (random_next(seed, 2))
            write_vector(out, seed, "about");
        break;
    case 4:
        tr_write_text(out, "{\"type\":\"subtract\",\"blend\":{\"type\":\"smooth\",\"width\":%s},\"of\":[",
                      widths[random_next(seed, 3)]);
        write_shape(out, seed, depth - 1);
        tr_write_u8(out, ',');
        write_shape(out, seed, depth - 1);
        tr_write_text(out, "]}");
        return;
    default:
        tr_write_text(out, random_next(seed, 2) ? "{\"type\":\"sphere\",\"radius\":5"
                                                : "{\"type\":\"box\",\"size\":[4,5,6]");
        write_vector(out, seed, "center");
        tr_write_u8(out, '}');
        return;
    }
    tr_write_text(out, ",\"of\":");
    write_shape(out, seed, depth - 1);
    tr_write_u8(out, '}');
}

/* The distances of both trees at points of a block, as kernels compute them. */
static void check_distances(const struct tr_tree *a, const struct tr_tree *b, uint32_t seed)
{
    static const int lo[3] = {0, 0, 0}, hi[3] = {63, 63, 63};
    const int64_t origin[3] = {-32, -32, -32};
    struct tr_words words = {0};
    struct tr_error error = {0};
    uint32_t first[2];
    bool reaches_a, reaches_b;
    assert_ok(tr_tree_code(a, origin, lo, hi, 1e9, &words, &first[0], &reaches_a, &error), &error);
    assert_ok(tr_tree_code(b, origin, lo, hi, 1e9, &words, &first[1], &reaches_b, &error), &error);
    assert_true(reaches_a && reaches_b);
    for (int i = 0; i < 27; i++) {
        float x = 16.0f * (float)(i % 3 + 1), y = 16.0f * (float)(i / 3 % 3 + 1),
              z = 16.0f * (float)(i / 9 + 1);
        float found_a = tr_tree_distance(words.words, first[0], x, y, z);
        float found_b = tr_tree_distance(words.words, first[1], x, y, z);
        if (found_a != found_b)
            fail_msg("seed %u: %.9g became %.9g at %g %g %g", seed, (double)found_a, (double)found_b,
                     (double)x, (double)y, (double)z);
    }
    tr_words_release(&words);
}

static void a_rewritten_shape_is_the_same_bits_at_every_voxel_size(void **state)
{
    static const double voxel_sizes[] = {1, 0.3, 0.001, 7.7};
    size_t dropped = 0, hardened = 0, compared = 0;
    (void)state;
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        struct tr_log before = {0}, after = {0};
        struct tr_error error = {0};
        struct tr_log_optimized result;
        struct tr_writer text = {0};
        uint32_t random = seed * 2654435761u;
        tr_write_text(&text, "{\"op\":\"union\",\"shape\":");
        write_shape(&text, &random, 7);
        tr_write_bytes(&text, "}", 2);
        parse(&before, (const char *)text.bytes);
        parse(&after, (const char *)text.bytes);
        assert_ok(tr_log_optimize(&after, &result, &error), &error);
        dropped += result.nodes_dropped;
        hardened += result.blends_hardened;
        assert_int_equal(after.edits[0].shape.count + result.nodes_dropped, before.edits[0].shape.count);
        for (size_t i = 0; i < sizeof voxel_sizes / sizeof voxel_sizes[0]; i++) {
            if (!is_resolved(&before, voxel_sizes[i]))
                continue;
            if (!is_resolved(&after, voxel_sizes[i]))
                fail_msg("seed %u: a world of voxels of %g m takes no more %s", seed, voxel_sizes[i],
                         (const char *)text.bytes);
            compared++;
            if (result.blends_hardened == 0 && !tr_tree_equal(before.edits[0].tree, after.edits[0].tree))
                fail_msg("seed %u, voxels of %g m: another tree for %s", seed, voxel_sizes[i],
                         (const char *)text.bytes);
            check_distances(before.edits[0].tree, after.edits[0].tree, seed);
        }
        tr_writer_release(&text);
        tr_log_release(&before);
        tr_log_release(&after);
    }
    assert_true(dropped > 500 && hardened > 100 && compared > 4000); /* it was put to the test */
}

static void what_is_optimized_is_optimal(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        struct tr_log log = {0};
        struct tr_error error = {0};
        struct tr_log_optimized result;
        struct tr_writer text = {0};
        uint32_t random = seed * 40503u;
        for (int i = 0; i < 3; i++) {
            tr_write_text(&text, "{\"op\":\"subtract\",\"shape\":");
            write_shape(&text, &random, 5);
            tr_write_text(&text, "}\n");
        }
        tr_write_u8(&text, 0);
        parse(&log, (const char *)text.bytes);
        assert_ok(tr_log_optimize(&log, &result, &error), &error);
        assert_ok(tr_log_optimize(&log, &result, &error), &error);
        assert_int_equal(result.nodes_dropped + result.blends_hardened + result.edits_dropped, 0);
        tr_writer_release(&text);
        tr_log_release(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_equal_however_they_are_written),
        cmocka_unit_test(a_filter_keeps_edits_of_an_author_or_of_none),
        cmocka_unit_test(a_filter_by_time_keeps_that_moment_and_drops_edits_without_one),
        cmocka_unit_test(a_filter_by_place_keeps_what_a_stamp_writes_there),
        cmocka_unit_test(merged_logs_are_in_the_order_of_time_author_and_place),
        cmocka_unit_test(merging_nothing_gives_nothing),
        cmocka_unit_test(an_edit_that_several_logs_have_is_taken_once),
        cmocka_unit_test(edits_without_ids_are_merged_by_content),
        cmocka_unit_test(edits_with_pictures_are_the_same_when_their_bytes_are),
        cmocka_unit_test(a_merge_is_refused_with_the_place_and_leaves_the_logs),
        cmocka_unit_test(transforms_that_do_nothing_are_dropped),
        cmocka_unit_test(transforms_of_one_kind_in_one_another_become_one),
        cmocka_unit_test(transforms_stay_where_one_bit_would_change),
        cmocka_unit_test(shapes_with_modifiers_pictures_or_meshes_are_left_as_they_are),
        cmocka_unit_test(moves_are_added_only_within_what_every_world_takes),
        cmocka_unit_test(smooth_blends_too_narrow_for_every_world_become_hard),
        cmocka_unit_test(brushes_too_weak_to_change_a_sample_are_dropped),
        cmocka_unit_test(repeats_of_what_is_done_once_are_dropped),
        cmocka_unit_test(repeats_of_what_goes_on_stay),
        cmocka_unit_test(ids_made_from_content_stay_when_it_is_rewritten),
        cmocka_unit_test(a_rewritten_shape_is_the_same_bits_at_every_voxel_size),
        cmocka_unit_test(what_is_optimized_is_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
