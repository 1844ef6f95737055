/* What the tests of edit logs share: reading a text or refusing it with one message, writing, the normal form, round trips, and random numbers.
 * Include it once, in a test. */
#ifndef TR_TESTS_LOG_FIXTURE_H
#define TR_TESTS_LOG_FIXTURE_H

#include "lib/base/bytes.h"
#include "lib/base/file.h"
#include "lib/base/msgpack.h"
#include "lib/edit/log.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define HEAD "{\"format\":\"terrain-edits\",\"version\":1}\n"
#define DOCUMENT(edits) "{\"format\":\"terrain-edits\",\"version\":1,\"edits\":[\n" edits "]}"
#define RAISE(fields) "{\"op\":\"raise\"," fields "}"
#define RAISE_A "{\"id\":\"a\",\"op\":\"raise\",\"at\":[1,2],\"radius\":3,\"strength\":4}"
#define SPHERE "\"shape\":{\"type\":\"sphere\",\"center\":[1,2,3],\"radius\":4}"
#define CAPSULE "\"shape\":{\"type\":\"capsule\",\"from\":[1,2,3],\"to\":[4,5,6],\"radius\":7}"
#define UNION_OF(shape) "{\"op\":\"union\",\"shape\":" shape "}"
#define BALL "{\"center\":[1,2,3],\"radius\":4,\"type\":\"sphere\"}"

/* Files in base64: PNGs of 2 x 2 pixels with 8 bits (0, 255, 128, 7) and 3 x 1 with 16 (0, 0x1234, 0xffff), one in colour; a tetrahedron with the
 * corner [0, 0, 2] as OBJ, another 3 wide as PLY, and the first with a face less. */
#define PNG_GREY8                                                                                            \
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mNg+M/QwA4ABQkBhwyell4AAAAASUVORK5CYII="
#define PNG_GREY16                                                                                           \
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAABEAAAAABuG5crAAAAD0lEQVR42mNgYBAy+f8fAAPoAkVs9PQPAAAAAElFTkSuQmCC"
#define PNG_RGB "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNgZGIGAAAOAAfpkjfUAAAAAElFTkSuQmCC"
#define OBJ_SOLID "diAwIDAgMAp2IDEgMCAwCnYgMCAxIDAKdiAwIDAgMgpmIDEgMyAyCmYgMSAyIDQKZiAyIDMgNApmIDMgMSA0Cg=="
#define PLY_SOLID                                                                                            \
    "cGx5CmZvcm1hdCBhc2NpaSAxLjAKZWxlbWVudCB2ZXJ0ZXggNApwcm9wZXJ0eSBmbG9hdCB4CnByb3BlcnR5IGZsb2F0IHkKcHJv"   \
    "cGVydHkgZmxvYXQgegplbGVtZW50IGZhY2UgNApwcm9wZXJ0eSBsaXN0IHVjaGFyIGludCB2ZXJ0ZXhfaW5kaWNlcwplbmRfaGVh"   \
    "ZGVyCjAgMCAwCjMgMCAwCjAgMSAwCjAgMCAxCjMgMCAyIDEKMyAwIDEgMwozIDEgMiAzCjMgMiAwIDMK"
#define OBJ_OPEN "diAwIDAgMAp2IDEgMCAwCnYgMCAxIDAKdiAwIDAgMgpmIDEgMyAyCmYgMSAyIDQKZiAyIDMgNAo="
#define DATA(base64) "{\"data\":\"" base64 "\"}"

/* ---- reading and refusing ---- */

static inline enum tr_status parse_into(struct tr_log *log, const char *text, struct tr_error *error)
{
    return tr_log_parse(log, text, strlen(text), "edits.json", NULL, NULL, error);
}

static inline struct tr_log parse_bytes(const void *bytes, size_t size_bytes)
{
    struct tr_error error = {0};
    struct tr_log log = {0};

    if (tr_log_parse(&log, bytes, size_bytes, "edits.json", NULL, NULL, &error) != TR_OK)
        fail_msg("refused: %s\nin %.200s", error.text, (const char *)bytes);
    return log;
}

static inline struct tr_log parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

/* The message must begin with `expected`; with `whole` it must be that. */
static inline void assert_refused_as(const char *text, size_t size_bytes, const char *expected, bool whole)
{
    struct tr_error error = {0};
    struct tr_log log = {0};
    enum tr_status status = tr_log_parse(&log, text, size_bytes, "edits.json", NULL, NULL, &error);
    size_t length = strlen(expected);

    if (status != TR_BAD_INPUT || error.status != TR_BAD_INPUT || log.count != 0 ||
        strncmp(error.text, expected, length) != 0 || (whole && error.text[length] != '\0'))
        fail_msg("\"%.200s\": status %d, %zu edits, found \"%s\", expected \"%s\"", text, status, log.count,
                 error.text, expected);
    tr_log_release(&log);
}

struct refusal {
    const char *text, *expected;
};

static inline void assert_refused(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused_as(refusals[i].text, strlen(refusals[i].text), refusals[i].expected, true);
}

#define ASSERT_REFUSED(table) assert_refused(table, COUNT(table))

/* One edit in the second line of a log, and the whole message but for the place. */
static inline void assert_edit_refused(const char *edit, const char *expected)
{
    size_t size = strlen(edit) + strlen(expected) + 256;
    char *text = malloc(size), *message = malloc(size);

    assert_true(text && message);
    snprintf(text, size, "%s%s", HEAD, edit);
    snprintf(message, size, "edits.json:2: edit #1: %s", expected);
    assert_refused_as(text, strlen(text), message, true);
    free(text);
    free(message);
}

static inline void assert_edits_refused(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_edit_refused(refusals[i].text, refusals[i].expected);
}

#define ASSERT_EDITS_REFUSED(table) assert_edits_refused(table, COUNT(table))

static inline struct tr_writer write_log(const struct tr_log *log, enum tr_log_encoding encoding)
{
    struct tr_writer out = {0};
    struct tr_error error = {0};

    if (tr_log_write(log, encoding, &out, &error) != TR_OK)
        fail_msg("not written: %s", error.text);
    return out;
}

/* The normal form as a string; free() it. */
static inline char *normal_form(const struct tr_log *log)
{
    struct tr_writer out = write_log(log, TR_LOG_LINES);

    tr_write_u8(&out, 0);
    assert_false(out.failed);
    return (char *)out.bytes;
}

static inline bool points_equal(const struct tr_edit *a, const struct tr_edit *b)
{
    if (a->point_count != b->point_count || !a->points != !b->points)
        return false;
    for (uint32_t i = 0; i < a->point_count; i++)
        if (memcmp(a->points[i].at_m, b->points[i].at_m, sizeof a->points[i].at_m) != 0 ||
            a->points[i].radius_m != b->points[i].radius_m || a->points[i].strength != b->points[i].strength)
            return false;
    return true;
}

static inline bool blends_equal(const struct tr_blend *a, const struct tr_blend *b)
{
    return a->kind == b->kind && a->width_m == b->width_m && a->steps == b->steps;
}

static inline bool resources_equal(const struct tr_resource *a, const struct tr_resource *b)
{
    size_t pixel_bytes = (size_t)a->width * a->height * sizeof *a->pixels;

    return a->size_bytes == b->size_bytes && a->width == b->width && a->height == b->height &&
           (a->size_bytes == 0 || memcmp(a->bytes, b->bytes, a->size_bytes) == 0) &&
           !a->pixels == !b->pixels && (!a->pixels || memcmp(a->pixels, b->pixels, pixel_bytes) == 0);
}

static inline bool mores_equal(const struct tr_shape_more *a, const struct tr_shape_more *b)
{
    if (!a || !b)
        return a == b;
    return resources_equal(&a->resource, &b->resource) && a->path_count == b->path_count &&
           (a->path_count == 0 || memcmp(a->path, b->path, a->path_count * sizeof *a->path) == 0) &&
           a->profile == b->profile && a->seed == b->seed && a->has_cell == b->has_cell;
}

static inline bool shapes_equal(const struct tr_shape *a, const struct tr_shape *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->nodes[i].kind != b->nodes[i].kind || a->nodes[i].child_count != b->nodes[i].child_count ||
            memcmp(a->nodes[i].values, b->nodes[i].values, sizeof a->nodes[i].values) != 0 ||
            !blends_equal(&a->nodes[i].blend, &b->nodes[i].blend) ||
            !mores_equal(a->nodes[i].more, b->nodes[i].more))
            return false;
    return true;
}

/* Everything that an edit says before it meets a world; numbers to the bit. */
static inline void assert_same_edit(const struct tr_edit *a, const struct tr_edit *b)
{
#define SAME(member) (memcmp(&a->member, &b->member, sizeof a->member) == 0)
    if (strcmp(a->id, b->id) != 0 || strcmp(a->author, b->author) != 0 || a->op != b->op || !SAME(has_time) ||
        !SAME(time_ms) || !points_equal(a, b) || !SAME(is_stroke) || !SAME(has_spacing) || !SAME(spacing_m) ||
        !SAME(falloff) || !SAME(power) || !SAME(is_projected) || !SAME(axis) || !SAME(has_height) ||
        !SAME(height_m) || !SAME(normal) || !SAME(has_point) || !SAME(point_m) || !SAME(seed) ||
        !SAME(scale_m) || !SAME(octaves) || !SAME(beta) || !SAME(material) || !SAME(degrees) || !SAME(by_m) ||
        !resources_equal(&a->image, &b->image) || !shapes_equal(&a->shape, &b->shape) ||
        !blends_equal(&a->blend, &b->blend) || !SAME(has_within) || !SAME(within_m))
        fail_msg("edit '%s' (op %d) was read back as another: '%s' (op %d)", a->id, a->op, b->id, b->op);
#undef SAME
}

static inline void assert_same_log(const struct tr_log *a, const struct tr_log *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        assert_same_edit(&a->edits[i], &b->edits[i]);
}

/* In each encoding what is written reads back to the same edits, which are written as the same bytes. */
static inline void assert_round_trip(const struct tr_log *log)
{
    static const enum tr_log_encoding encodings[] = {TR_LOG_LINES, TR_LOG_JSON, TR_LOG_MESSAGE_PACK};

    for (size_t i = 0; i < COUNT(encodings); i++) {
        struct tr_writer first = write_log(log, encodings[i]), second;
        struct tr_log again = parse_bytes(first.bytes, first.size_bytes);

        assert_same_log(log, &again);
        second = write_log(&again, encodings[i]);
        assert_int_equal(first.size_bytes, second.size_bytes);
        assert_memory_equal(first.bytes, second.bytes, first.size_bytes);
        tr_writer_release(&first);
        tr_writer_release(&second);
        tr_log_release(&again);
    }
}

static inline void assert_normal_form(const char *text, const char *expected)
{
    struct tr_log log = parse(text);
    char *normal = normal_form(&log);

    assert_string_equal(normal, expected);
    assert_round_trip(&log);
    free(normal);
    tr_log_release(&log);
}

/* A JSON document as MessagePack; release it. */
static inline struct tr_writer as_message_pack(const char *json)
{
    struct tr_writer out = {0};
    struct tr_error error = {0};
    cJSON *tree;

    if (tr_json_parse(json, strlen(json), "json", 1, &tree, &error) != TR_OK ||
        tr_msgpack_write(tree, &out, &error) != TR_OK)
        fail_msg("%s", error.text);
    cJSON_Delete(tree);
    return out;
}

/* How an edit may be written, and its normal form; both but for the id "n". */
struct normal_form {
    const char *written, *normal;
};

static inline void assert_normal_forms(const struct normal_form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[4096], expected[4096];

        snprintf(text, sizeof text, "%s{\"id\":\"n\",%s", HEAD, forms[i].written + 1);
        snprintf(expected, sizeof expected, "%s%s\n", HEAD, forms[i].normal);
        assert_normal_form(text, expected);
        assert_normal_form(expected, expected);
    }
}

/* An edit that is one line of a log. */
static inline struct tr_log parse_edit(const char *edit)
{
    size_t size = strlen(edit) + sizeof HEAD;
    char *text = malloc(size);
    struct tr_log log;

    assert_non_null(text);
    snprintf(text, size, "%s%s", HEAD, edit);
    log = parse(text);
    assert_int_equal(log.count, 1);
    free(text);
    return log;
}

/* The file whose base64 that is; release it. */
static inline struct tr_resource decode(const char *base64)
{
    struct tr_resource resource;
    struct tr_error error = {0};

    assert_ok(tr_resource_decode(base64, strlen(base64), &resource, &error), &error);
    return resource;
}

/* The same with its pixels. */
static inline struct tr_resource decode_image(const char *base64)
{
    struct tr_resource image = decode(base64);
    struct tr_error error = {0};

    assert_ok(tr_resource_open_image(&image, &error), &error);
    return image;
}

/* Writes the file whose base64 that is. */
static inline void write_file(const char *folder, const char *name, const char *base64)
{
    struct tr_resource resource = decode(base64);
    char path[TR_PATH_BYTES];
    FILE *file;

    assert_true(snprintf(path, sizeof path, "%s/%s", folder, name) < TR_PATH_BYTES);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(resource.bytes, 1, resource.size_bytes, file), resource.size_bytes);
    assert_int_equal(fclose(file), 0);
    tr_resource_release(&resource);
}

/* ---- random numbers ---- */

static inline uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Any finite double, all exponents alike. */
static inline double random_double(uint64_t *seed)
{
    uint64_t bits = random_next(seed) & ~(UINT64_C(1) << 62); /* exponent below 1024: finite */
    double value;

    memcpy(&value, &bits, sizeof value);
    return value + 0.0;
}

static inline uint32_t random_below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)(random_next(seed) >> 33) % limit;
}

/* In (0, 1]. */
static inline double random_fraction(uint64_t *seed)
{
    return (double)((random_next(seed) >> 11) + 1) * 0x1p-53;
}

static inline double random_positive(uint64_t *seed)
{
    double value = random_double(seed);

    return value < 0 ? -value : value == 0 ? 1 : value;
}

static inline void random_place(uint64_t *seed, double place[3])
{
    for (int i = 0; i < 3; i++)
        place[i] = random_double(seed);
}

static inline void random_direction(uint64_t *seed, double direction[3])
{
    for (int i = 0; i < 3; i++)
        direction[i] = random_fraction(seed) * (random_below(seed, 2) ? 1e9 : -2e-3);
    direction[random_below(seed, 3)] = -1e-9;
}

static inline struct tr_blend random_blend(uint64_t *seed)
{
    struct tr_blend blend = {.kind = random_below(seed, 4)};

    if (blend.kind != TR_BLEND_HARD)
        blend.width_m = random_positive(seed);
    if (blend.kind == TR_BLEND_STAIRS)
        blend.steps = 2 + random_below(seed, 63);
    return blend;
}

#endif
