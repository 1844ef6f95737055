/* MessagePack (github.com/msgpack/msgpack/blob/master/spec.md): msgpack-c writes; the reading is done here.
 *
 * msgpack-c's unpacker cannot read untrusted documents as json.c does: it takes memory for as many elements
 * as an array's header claims, ends at 32 levels of nesting, and tells neither where a value stood nor that a
 * key came twice. A strict scan in front of it would have to read every header itself and be left with
 * nothing to ask. So one pass here reads and builds, and msgpack-c is what tests read the same bytes with.
 *
 * A header's count or size is compared with the bytes behind it before anything is done with it, as an
 * element takes at least one byte and a pair two. Memory grows only with values that were read. The recursion
 * is bounded by TR_JSON_DEPTH_MAX. Keys are sorted when their map ends, so a repeated one is found in n log n
 * steps. Each item is put into the tree before it is filled: whatever fails, deleting the root releases all. */
#include "lib/base/msgpack.h"

#include "lib/base/alloc.h"

#include <msgpack.h>

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTEGER_MAX ((int64_t)1 << 53)
#define SHOWN_BYTES 64 /* of a key in a message */

bool tr_msgpack_is(const void *bytes, size_t size_bytes)
{
    uint8_t first = size_bytes > 0 ? *(const uint8_t *)bytes : 0;

    return (first >= 0x80 && first <= 0x9f) || (first >= 0xdc && first <= 0xdf);
}

int tr_msgpack_offset(const cJSON *item)
{
    return item->valueint;
}

/* ---- headers ---- */

enum kind {
    KIND_NONE, /* JSON has no such value */
    KIND_EXT,
    KIND_NIL,
    KIND_FALSE,
    KIND_TRUE,
    KIND_UINT,
    KIND_INT,
    KIND_FLOAT32,
    KIND_FLOAT64,
    KIND_STRING,
    KIND_ARRAY,
    KIND_MAP,
};

struct format {
    const char *name; /* as the specification calls it */
    enum kind kind;
    size_t number_bytes; /* of the big-endian number behind the first byte */
};

/* First bytes 0xc0 to 0xdf; all others hold their number themselves. */
static const struct format formats[32] = {
    {"nil", KIND_NIL, 0},       {"byte 0xc1", KIND_NONE, 0},   {"false", KIND_FALSE, 0},
    {"true", KIND_TRUE, 0},     {"bin 8", KIND_NONE, 1},       {"bin 16", KIND_NONE, 2},
    {"bin 32", KIND_NONE, 4},   {"ext 8", KIND_EXT, 1},        {"ext 16", KIND_EXT, 2},
    {"ext 32", KIND_EXT, 4},    {"float 32", KIND_FLOAT32, 4}, {"float 64", KIND_FLOAT64, 8},
    {"uint 8", KIND_UINT, 1},   {"uint 16", KIND_UINT, 2},     {"uint 32", KIND_UINT, 4},
    {"uint 64", KIND_UINT, 8},  {"int 8", KIND_INT, 1},        {"int 16", KIND_INT, 2},
    {"int 32", KIND_INT, 4},    {"int 64", KIND_INT, 8},       {"fixext 1", KIND_EXT, 0},
    {"fixext 2", KIND_EXT, 0},  {"fixext 4", KIND_EXT, 0},     {"fixext 8", KIND_EXT, 0},
    {"fixext 16", KIND_EXT, 0}, {"str 8", KIND_STRING, 1},     {"str 16", KIND_STRING, 2},
    {"str 32", KIND_STRING, 4}, {"array 16", KIND_ARRAY, 2},   {"array 32", KIND_ARRAY, 4},
    {"map 16", KIND_MAP, 2},    {"map 32", KIND_MAP, 4},
};

/* The format of a first byte; *number is what the byte itself holds, 0 if nothing. */
static const struct format *format_of(uint8_t first, uint64_t *number)
{
    static const struct format positive = {"positive fixint", KIND_UINT, 0},
                               negative = {"negative fixint", KIND_INT, 0}, map = {"fixmap", KIND_MAP, 0},
                               array = {"fixarray", KIND_ARRAY, 0}, string = {"fixstr", KIND_STRING, 0};

    *number = 0;
    if (first >= 0xe0) {
        *number = (uint64_t)first - 0x100; /* -32 to -1, as two's complement */
        return &negative;
    }
    if (first >= 0xc0)
        return &formats[first - 0xc0];
    if (first >= 0xa0) {
        *number = first & 0x1f;
        return &string;
    }
    if (first >= 0x80) {
        *number = first & 0x0f;
        return first >= 0x90 ? &array : &map;
    }
    *number = first;
    return &positive;
}

struct key {
    const char *text; /* in the tree */
    size_t offset;
};

struct scan {
    const uint8_t *bytes;
    size_t size_bytes, at;
    const char *name;
    int depth;
    struct key *keys; /* of the open maps, innermost last */
    size_t key_count, key_capacity;
    struct tr_error *error;
};

/* A first byte and the number behind or in it: a value, a size in bytes, a count or the bits of a float. */
struct head {
    const struct format *format;
    size_t offset;
    uint64_t number;
};

static enum tr_status fail_at(const struct scan *scan, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum tr_status fail_at(const struct scan *scan, size_t offset, const char *format, ...)
{
    char text[TR_ERROR_TEXT_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tr_fail(scan->error, TR_BAD_INPUT, "%s: byte offset %zu: %s", scan->name, offset, text);
}

static enum tr_status fail_memory(const struct scan *scan)
{
    return tr_fail(scan->error, TR_IO, "out of memory: tree of \"%s\"", scan->name);
}

static size_t bytes_left(const struct scan *scan)
{
    return scan->size_bytes - scan->at;
}

static enum tr_status read_head(struct scan *scan, const char *expected, struct head *head)
{
    size_t number_bytes;

    head->offset = scan->at;
    if (bytes_left(scan) == 0)
        return fail_at(scan, scan->at, "bytes end, expected %s", expected);
    head->format = format_of(scan->bytes[scan->at++], &head->number);
    number_bytes = head->format->number_bytes;
    if (bytes_left(scan) < number_bytes)
        return fail_at(scan, head->offset, "%s is cut, found %zu bytes behind the first, expected %zu",
                       head->format->name, bytes_left(scan), number_bytes);
    for (size_t i = 0; i < number_bytes; i++)
        head->number = head->number << 8 | scan->bytes[scan->at++];
    return TR_OK;
}

/* The bytes behind a header must be able to hold what it claims. */
static enum tr_status check_claim(const struct scan *scan, const struct head *head, const char *things,
                                  uint64_t bytes_each)
{
    uint64_t needed = head->number * bytes_each; /* the number has 32 bits at most */

    if (needed <= bytes_left(scan))
        return TR_OK;
    return fail_at(scan, head->offset,
                   "%s of %" PRIu64
                   " %s is cut, found %zu bytes behind its header, expected at least %" PRIu64,
                   head->format->name, head->number, things, bytes_left(scan), needed);
}

/* ---- values ---- */

static enum tr_status fail_no_json(const struct scan *scan, const struct head *head)
{
    static const char expected[] = "nil, a boolean, a number, a string, an array or a map";
    int type;

    if (head->format->kind != KIND_EXT || bytes_left(scan) == 0)
        return fail_at(scan, head->offset, "found %s, expected %s", head->format->name, expected);
    type = (int8_t)scan->bytes[scan->at];
    if (type == -1)
        return fail_at(scan, head->offset, "found a timestamp, expected %s", expected);
    return fail_at(scan, head->offset, "found %s of type %d, expected %s", head->format->name, type,
                   expected);
}

static enum tr_status read_uint(const struct scan *scan, const struct head *head, cJSON *item)
{
    if (head->number > (uint64_t)INTEGER_MAX)
        return fail_at(scan, head->offset,
                       "number %" PRIu64 " is too large, expected integers from -2^53 to 2^53", head->number);
    item->type = cJSON_Number;
    item->valuedouble = (double)head->number;
    return TR_OK;
}

static enum tr_status read_int(const struct scan *scan, const struct head *head, cJSON *item)
{
    int64_t value = (int64_t)head->number;

    switch (head->format->number_bytes) {
    case 1:
        value = (int8_t)head->number;
        break;
    case 2:
        value = (int16_t)head->number;
        break;
    case 4:
        value = (int32_t)head->number;
        break;
    default: /* 8, or a fixint, whose number is whole */
        break;
    }
    if (value > INTEGER_MAX || value < -INTEGER_MAX)
        return fail_at(scan, head->offset,
                       "number %" PRId64 " is too large, expected integers from -2^53 to 2^53", value);
    item->type = cJSON_Number;
    item->valuedouble = (double)value;
    return TR_OK;
}

static enum tr_status read_float(const struct scan *scan, const struct head *head, cJSON *item)
{
    double value;

    if (head->format->kind == KIND_FLOAT32) {
        uint32_t bits = (uint32_t)head->number;
        float narrow;

        memcpy(&narrow, &bits, sizeof narrow);
        value = (double)narrow;
    } else {
        memcpy(&value, &head->number, sizeof value);
    }
    if (!isfinite(value))
        return fail_at(scan, head->offset, "%s is %s, expected a finite number", head->format->name,
                       isnan(value) ? "not a number" : "infinite");
    item->type = cJSON_Number;
    item->valuedouble = value;
    return TR_OK;
}

/* The bytes of a string behind its header, copied to *text for the tree. */
static enum tr_status read_string(struct scan *scan, const struct head *head, char **text)
{
    enum tr_status status = check_claim(scan, head, "bytes", 1);
    size_t end, length;

    if (status != TR_OK)
        return status;
    end = scan->at + (size_t)head->number;
    for (size_t at = scan->at; at < end; at += length) {
        length = tr_utf8_length(scan->bytes + at, end - at);
        if (length == 0)
            return fail_at(scan, at, "found byte 0x%02x, expected UTF-8", scan->bytes[at]);
        if (scan->bytes[at] == 0)
            return fail_at(scan, at, "string holds a NUL, expected none");
    }
    *text = cJSON_malloc((size_t)head->number + 1);
    if (!*text)
        return fail_memory(scan);
    memcpy(*text, scan->bytes + scan->at, (size_t)head->number);
    (*text)[head->number] = '\0';
    scan->at = end;
    return TR_OK;
}

/* A nil at the end of an array or a map, to be filled; NULL without memory. */
static cJSON *append_item(cJSON *parent)
{
    cJSON *item = cJSON_CreateNull();

    if (item)
        cJSON_AddItemToArray(parent, item);
    return item;
}

static enum tr_status read_value(struct scan *scan, cJSON *item);

static enum tr_status read_array(struct scan *scan, const struct head *head, cJSON *array)
{
    enum tr_status status = check_claim(scan, head, "values", 1);

    array->type = cJSON_Array;
    for (uint64_t i = 0; i < head->number && status == TR_OK; i++) {
        cJSON *item = append_item(array);

        status = item ? read_value(scan, item) : fail_memory(scan);
    }
    return status;
}

static int key_compare(const void *a, const void *b)
{
    const struct key *left = a, *right = b;
    int order = strcmp(left->text, right->text);

    if (order != 0)
        return order;
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

/* Sorts the keys from `first` on, which belong to one map, and refuses the earliest repetition. */
static enum tr_status check_keys(const struct scan *scan, size_t first)
{
    struct key *keys = scan->keys + first, *repeated = NULL;
    size_t count = scan->key_count - first;

    qsort(keys, count, sizeof *keys, key_compare);
    for (size_t i = 1; i < count; i++)
        if (strcmp(keys[i].text, keys[i - 1].text) == 0 && (!repeated || keys[i].offset < repeated->offset))
            repeated = &keys[i];
    if (!repeated)
        return TR_OK;
    return fail_at(scan, repeated->offset, "key \"%.*s%s\" appears twice in one map", SHOWN_BYTES,
                   repeated->text, strlen(repeated->text) > SHOWN_BYTES ? "..." : "");
}

static enum tr_status read_key(struct scan *scan, cJSON *item)
{
    struct head head;
    enum tr_status status = read_head(scan, "a key", &head);

    if (status == TR_OK && head.format->kind != KIND_STRING)
        status = fail_at(scan, head.offset, "found %s as a key, expected a string", head.format->name);
    if (status == TR_OK)
        status = read_string(scan, &head, &item->string);
    if (status == TR_OK)
        status =
            tr_grow(&scan->keys, &scan->key_capacity, scan->key_count + 1, sizeof *scan->keys, scan->error);
    if (status == TR_OK)
        scan->keys[scan->key_count++] = (struct key){.text = item->string, .offset = head.offset};
    return status;
}

static enum tr_status read_map(struct scan *scan, const struct head *head, cJSON *object)
{
    size_t first_key = scan->key_count;
    enum tr_status status = check_claim(scan, head, "pairs", 2);

    object->type = cJSON_Object;
    for (uint64_t i = 0; i < head->number && status == TR_OK; i++) {
        cJSON *item = append_item(object);

        status = item ? read_key(scan, item) : fail_memory(scan);
        if (status == TR_OK)
            status = read_value(scan, item);
    }
    if (status == TR_OK && head->number > 1)
        status = check_keys(scan, first_key);
    scan->key_count = first_key;
    return status;
}

static enum tr_status read_nested(struct scan *scan, const struct head *head, cJSON *item)
{
    enum tr_status status;

    if (scan->depth == TR_JSON_DEPTH_MAX)
        return fail_at(scan, head->offset, "values nested deeper than %d", TR_JSON_DEPTH_MAX);
    scan->depth++;
    status = head->format->kind == KIND_MAP ? read_map(scan, head, item) : read_array(scan, head, item);
    scan->depth--;
    return status;
}

static enum tr_status read_value(struct scan *scan, cJSON *item)
{
    struct head head;
    enum tr_status status = read_head(scan, "a value", &head);

    if (status != TR_OK)
        return status;
    item->valueint = head.offset > INT_MAX ? INT_MAX : (int)head.offset;
    switch (head.format->kind) {
    case KIND_NIL:
        item->type = cJSON_NULL;
        return TR_OK;
    case KIND_FALSE:
        item->type = cJSON_False;
        return TR_OK;
    case KIND_TRUE:
        item->type = cJSON_True;
        return TR_OK;
    case KIND_UINT:
        return read_uint(scan, &head, item);
    case KIND_INT:
        return read_int(scan, &head, item);
    case KIND_FLOAT32:
    case KIND_FLOAT64:
        return read_float(scan, &head, item);
    case KIND_STRING:
        item->type = cJSON_String;
        return read_string(scan, &head, &item->valuestring);
    case KIND_ARRAY:
    case KIND_MAP:
        return read_nested(scan, &head, item);
    case KIND_NONE:
    case KIND_EXT:
        break;
    }
    return fail_no_json(scan, &head);
}

enum tr_status tr_msgpack_parse(const void *bytes, size_t size_bytes, const char *name, cJSON **out,
                                struct tr_error *error)
{
    struct scan scan = {.bytes = bytes, .size_bytes = size_bytes, .name = name, .error = error};
    cJSON *root = cJSON_CreateNull();
    enum tr_status status = root ? read_value(&scan, root) : fail_memory(&scan);

    if (status == TR_OK && bytes_left(&scan) > 0)
        status = fail_at(&scan, scan.at, "found byte 0x%02x, expected the end behind the value",
                         scan.bytes[scan.at]);
    if (status != TR_OK) {
        cJSON_Delete(root);
        root = NULL;
    }
    free(scan.keys);
    *out = root;
    return status;
}

/* ---- writing ---- */

/* What msgpack-c writes goes to the writer, which keeps in mind whether it failed. */
static int append_bytes(void *writer, const char *bytes, size_t size_bytes)
{
    tr_write_bytes(writer, bytes, size_bytes);
    return 0;
}

static enum tr_status fail_size(struct tr_error *error, const char *what, size_t size)
{
    return tr_fail(error, TR_BAD_INPUT, "tree holds %s of %zu, expected less than 2^32", what, size);
}

static enum tr_status write_number(msgpack_packer *packer, double value, struct tr_error *error)
{
    if (!isfinite(value))
        return tr_fail(error, TR_BAD_INPUT, "tree holds %s, expected a finite number",
                       isnan(value) ? "a NaN" : "an infinity");
    if (fabs(value) <= (double)INTEGER_MAX && (double)(int64_t)value == value)
        msgpack_pack_int64(packer, (int64_t)value);
    else if (fabs(value) <= FLT_MAX && (double)(float)value == value)
        msgpack_pack_float(packer, (float)value);
    else
        msgpack_pack_double(packer, value);
    return TR_OK;
}

static enum tr_status write_string(msgpack_packer *packer, const char *text, struct tr_error *error)
{
    size_t size_bytes = strlen(text);

    if (size_bytes > UINT32_MAX)
        return fail_size(error, "a string", size_bytes);
    msgpack_pack_str_with_body(packer, text, size_bytes);
    return TR_OK;
}

static enum tr_status write_value(msgpack_packer *packer, const cJSON *item, int depth,
                                  struct tr_error *error);

/* An array or a map; `depth` is how many it stands in. */
static enum tr_status write_nested(msgpack_packer *packer, const cJSON *item, int depth,
                                   struct tr_error *error)
{
    bool is_map = cJSON_IsObject(item);
    enum tr_status status = TR_OK;
    size_t count = 0;

    if (depth == TR_JSON_DEPTH_MAX)
        return tr_fail(error, TR_BAD_INPUT, "tree holds values nested deeper than %d", TR_JSON_DEPTH_MAX);
    for (const cJSON *child = item->child; child; child = child->next)
        count++;
    if (count > UINT32_MAX)
        return fail_size(error, is_map ? "a map" : "an array", count);
    if (is_map)
        msgpack_pack_map(packer, count);
    else
        msgpack_pack_array(packer, count);
    for (const cJSON *child = item->child; child && status == TR_OK; child = child->next) {
        if (is_map)
            status = write_string(packer, child->string, error);
        if (status == TR_OK)
            status = write_value(packer, child, depth + 1, error);
    }
    return status;
}

static enum tr_status write_value(msgpack_packer *packer, const cJSON *item, int depth,
                                  struct tr_error *error)
{
    switch (item->type & 0xff) { /* the bits above say who owns the memory */
    case cJSON_NULL:
        msgpack_pack_nil(packer);
        return TR_OK;
    case cJSON_False:
        msgpack_pack_false(packer);
        return TR_OK;
    case cJSON_True:
        msgpack_pack_true(packer);
        return TR_OK;
    case cJSON_Number:
        return write_number(packer, item->valuedouble, error);
    case cJSON_String:
        return write_string(packer, item->valuestring, error);
    case cJSON_Array:
    case cJSON_Object:
        return write_nested(packer, item, depth, error);
    default:
        return tr_fail(error, TR_BAD_INPUT, "tree holds an item of cJSON type %d, expected one that JSON has",
                       item->type);
    }
}

enum tr_status tr_msgpack_write(const cJSON *tree, struct tr_writer *out, struct tr_error *error)
{
    size_t start_bytes = out->size_bytes;
    msgpack_packer packer;
    enum tr_status status;

    msgpack_packer_init(&packer, out, append_bytes);
    status = write_value(&packer, tree, 0, error);
    if (out->failed)
        return tr_fail(error, TR_IO, "out of memory: MessagePack");
    if (status != TR_OK)
        out->size_bytes = start_bytes;
    return status;
}
