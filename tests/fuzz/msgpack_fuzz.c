/* Any bytes as MessagePack: refused with one line, or a tree that msgpack-c's own unpacker gives too, whose
 * written form reads back to an equal tree and is written the same again. */
#include "lib/base/msgpack.h"
#include "tests/fuzz/fuzz.h"

#include <msgpack.h>

#include <string.h>

#define UNPACKER_DEPTH_MAX 32 /* what msgpack-c reads */

static bool tree_equal(const cJSON *a, const cJSON *b)
{
    if (a->type != b->type || (cJSON_IsNumber(a) && a->valuedouble != b->valuedouble) ||
        (cJSON_IsString(a) && strcmp(a->valuestring, b->valuestring) != 0))
        return false;
    for (a = a->child, b = b->child; a && b; a = a->next, b = b->next)
        if (!a->string != !b->string || (a->string && strcmp(a->string, b->string) != 0) || !tree_equal(a, b))
            return false;
    return a == b;
}

static int tree_depth(const cJSON *tree)
{
    int deepest = 0;

    for (const cJSON *child = tree->child; child; child = child->next) {
        int depth = tree_depth(child);

        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + (cJSON_IsArray(tree) || cJSON_IsObject(tree));
}

static bool text_equal(const char *text, const msgpack_object *object)
{
    size_t size_bytes = object->via.str.size;

    if (object->type != MSGPACK_OBJECT_STR || strlen(text) != size_bytes)
        return false;
    return size_bytes == 0 || memcmp(text, object->via.str.ptr, size_bytes) == 0; /* no bytes, no pointer */
}

static bool object_equal(const cJSON *tree, const msgpack_object *object)
{
    const cJSON *child = tree->child;

    switch (object->type) {
    case MSGPACK_OBJECT_NIL:
        return cJSON_IsNull(tree);
    case MSGPACK_OBJECT_BOOLEAN:
        return object->via.boolean ? cJSON_IsTrue(tree) : cJSON_IsFalse(tree);
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return cJSON_IsNumber(tree) && tree->valuedouble == (double)object->via.u64;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return cJSON_IsNumber(tree) && tree->valuedouble == (double)object->via.i64;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return cJSON_IsNumber(tree) && tree->valuedouble == object->via.f64;
    case MSGPACK_OBJECT_STR:
        return cJSON_IsString(tree) && text_equal(tree->valuestring, object);
    case MSGPACK_OBJECT_ARRAY:
        for (uint32_t i = 0; i < object->via.array.size; i++, child = child->next)
            if (!child || !object_equal(child, &object->via.array.ptr[i]))
                return false;
        return cJSON_IsArray(tree) && !child;
    case MSGPACK_OBJECT_MAP:
        for (uint32_t i = 0; i < object->via.map.size; i++, child = child->next)
            if (!child || !child->string || !text_equal(child->string, &object->via.map.ptr[i].key) ||
                !object_equal(child, &object->via.map.ptr[i].val))
                return false;
        return cJSON_IsObject(tree) && !child;
    default:
        return false;
    }
}

static void check_unpacker_agrees(const cJSON *tree, const uint8_t *bytes, size_t size_bytes)
{
    msgpack_unpacked unpacked;
    size_t at = 0;

    if (tree_depth(tree) > UNPACKER_DEPTH_MAX)
        return;
    msgpack_unpacked_init(&unpacked);
    FUZZ_CHECK(msgpack_unpack_next(&unpacked, (const char *)bytes, size_bytes, &at) ==
               MSGPACK_UNPACK_SUCCESS);
    FUZZ_CHECK(at == size_bytes);
    FUZZ_CHECK(object_equal(tree, &unpacked.data));
    msgpack_unpacked_destroy(&unpacked);
}

static void check_round_trip(const cJSON *tree)
{
    struct tr_writer first = {0}, second = {0};
    struct tr_error error = {0};
    cJSON *again;

    FUZZ_CHECK(tr_msgpack_write(tree, &first, &error) == TR_OK);
    FUZZ_CHECK(tr_msgpack_parse(first.bytes, first.size_bytes, "written", &again, &error) == TR_OK);
    FUZZ_CHECK(tree_equal(tree, again));
    FUZZ_CHECK(tr_msgpack_write(again, &second, &error) == TR_OK);
    FUZZ_CHECK(first.size_bytes == second.size_bytes &&
               memcmp(first.bytes, second.bytes, first.size_bytes) == 0);
    cJSON_Delete(again);
    tr_writer_release(&first);
    tr_writer_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_error error = {0};
    cJSON *tree;
    enum tr_status status = tr_msgpack_parse(bytes, size_bytes, "input", &tree, &error);

    if (status == TR_OK) {
        check_unpacker_agrees(tree, bytes, size_bytes);
        check_round_trip(tree);
        cJSON_Delete(tree);
    } else {
        FUZZ_CHECK(status == TR_BAD_INPUT && error.status == status && !tree);
        FUZZ_CHECK(error.text[0] != '\0' && !strchr(error.text, '\n'));
    }
    return 0;
}
