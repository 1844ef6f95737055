/* world.json: members in a table, one function to read each.
 *
 * The text carries a checksum of itself, taken while the checksum's own digits are zeros, and there is one
 * text for one content. So the reader, once it has the values, writes them again and compares: a changed
 * value shows in the checksum, a changed blank in the text. Whoever changes the file by hand is told the
 * checksum that would fit. */
#include "lib/world/world_json.h"

#include "lib/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "terrain world"
#define VERSION 1
#define CHECKSUM_OFFSET 17 /* of its 16 digits in the text */

enum tr_status tr_world_info_check(const struct tr_world_info *info, struct tr_error *error)
{
    const double *extent = info->extent;

    if (!tr_world_size_is_valid(info->size_x, info->size_z))
        return tr_fail(error, TR_BAD_INPUT,
                       "world of %d x %d chunks, expected at least 1 each and at most %d in all",
                       info->size_x, info->size_z, TR_WORLD_CHUNKS_MAX);
    if (!(isfinite(info->voxel_size) && info->voxel_size > 0))
        return tr_fail(error, TR_BAD_INPUT, "voxel size %g, expected more than 0", info->voxel_size);
    if (!(0 <= extent[0] && extent[0] <= extent[2] && extent[2] <= 64.0 * info->size_x && 0 <= extent[1] &&
          extent[1] <= extent[3] && extent[3] <= 64.0 * info->size_z))
        return tr_fail(error, TR_BAD_INPUT,
                       "extent [%g, %g, %g, %g], expected [x0, z0, x1, z1] within [0, 0, %d, %d]", extent[0],
                       extent[1], extent[2], extent[3], 64 * info->size_x, 64 * info->size_z);
    if (info->has_georeference && !(isfinite(info->origin_easting) && isfinite(info->origin_northing)))
        return tr_fail(error, TR_BAD_INPUT, "georeference %g, %g, expected finite numbers",
                       info->origin_easting, info->origin_northing);
    if (!memchr(info->source, 0, sizeof info->source))
        return tr_fail(error, TR_BAD_INPUT, "source without end, expected at most %zu bytes",
                       sizeof info->source - 1);
    return TR_OK;
}

/* ---- writing ---- */

static void write_number(struct tr_writer *out, double value)
{
    char text[32];

    tr_number_text(value, text);
    tr_write_text(out, "%s", text);
}

static void write_string(struct tr_writer *out, const char *text)
{
    tr_write_u8(out, '"');
    for (const char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;

        if (c == '"' || c == '\\')
            tr_write_text(out, "\\%c", c);
        else if (c < 0x20)
            tr_write_text(out, "\\u%04x", c);
        else
            tr_write_u8(out, c);
    }
    tr_write_u8(out, '"');
}

static void write_hash(struct tr_writer *out, struct tr_hash hash)
{
    char text[33];

    tr_hash_text(hash, text);
    tr_write_text(out, "\"%s\"", text);
}

/* All of it but the checksum, in whose place are zeros. Keys are sorted. */
static void write_members(const struct tr_world_json *json, struct tr_writer *out)
{
    const struct tr_world_info *info = &json->info;

    tr_write_text(out, "{\n  \"checksum\": \"%016d\",\n  \"extent\": [", 0);
    for (int i = 0; i < 4; i++) {
        tr_write_text(out, "%s", i > 0 ? ", " : "");
        write_number(out, info->extent[i]);
    }
    tr_write_text(out, "],\n  \"format\": \"" FORMAT_NAME "\",\n");
    if (info->has_georeference) {
        tr_write_text(out, "  \"georeference\": {\"origin_easting\": ");
        write_number(out, info->origin_easting);
        tr_write_text(out, ", \"origin_northing\": ");
        write_number(out, info->origin_northing);
        tr_write_text(out, "},\n");
    }
    tr_write_text(out, "  \"hash\": ");
    write_hash(out, json->hash);
    if (json->has_log) {
        tr_write_text(out, ",\n  \"log\": {\"bytes\": %" PRIu64 ", \"hash\": ", json->log_bytes);
        write_hash(out, json->log_hash);
        tr_write_text(out, "}");
    }
    if (info->has_seed)
        tr_write_text(out, ",\n  \"seed\": \"%" PRIu64 "\"", info->seed);
    tr_write_text(out, ",\n  \"size\": [%d, %d],\n  \"source\": ", info->size_x, info->size_z);
    write_string(out, info->source);
    tr_write_text(out, ",\n  \"version\": %d,\n  \"voxel_size\": ", VERSION);
    write_number(out, info->voxel_size);
    tr_write_text(out, "\n}\n");
}

void tr_world_json_write(const struct tr_world_json *json, struct tr_writer *out)
{
    size_t start = out->size_bytes;
    char digits[33];

    write_members(json, out);
    if (out->failed)
        return;
    tr_hash_text(tr_hash_bytes(out->bytes + start, out->size_bytes - start), digits);
    memcpy(out->bytes + start + CHECKSUM_OFFSET, digits + 16, 16); /* the low half, as everywhere */
}

/* ---- reading ---- */

struct reading {
    const char *name;
    struct tr_world_json *json;
    const char *checksum; /* as the file has it */
    struct tr_error *error;
};

static enum tr_status fail_member(const struct reading *reading, const cJSON *item, const char *expected)
{
    char *found = cJSON_PrintUnformatted(item);
    enum tr_status status = tr_fail(reading->error, TR_BAD_INPUT, "%s:%d: \"%s\" is %.64s, expected %s",
                                    reading->name, tr_json_line(item), item->string ? item->string : "",
                                    found ? found : "something else", expected);

    cJSON_free(found);
    return status;
}

static bool is_integer(const cJSON *item, double lo, double hi)
{
    return cJSON_IsNumber(item) && item->valuedouble >= lo && item->valuedouble <= hi &&
           item->valuedouble == floor(item->valuedouble);
}

static bool read_hash(const cJSON *item, struct tr_hash *hash)
{
    return cJSON_IsString(item) && tr_hash_from_text(item->valuestring, hash);
}

static enum tr_status read_checksum(struct reading *reading, const cJSON *item)
{
    struct tr_hash hash;
    char text[33] = "0000000000000000";

    if (cJSON_IsString(item) && strlen(item->valuestring) == 16) {
        memcpy(text + 16, item->valuestring, 17);
        reading->checksum = item->valuestring;
        if (tr_hash_from_text(text, &hash))
            return TR_OK;
    }
    return fail_member(reading, item, "16 lower-case hex digits");
}

static enum tr_status read_extent(struct reading *reading, const cJSON *item)
{
    const cJSON *number = item->child;

    for (int i = 0; i < 4; i++, number = number->next) {
        if (!cJSON_IsArray(item) || !cJSON_IsNumber(number))
            return fail_member(reading, item, "four numbers");
        reading->json->info.extent[i] = number->valuedouble;
    }
    return number ? fail_member(reading, item, "four numbers") : TR_OK;
}

static enum tr_status read_format(struct reading *reading, const cJSON *item)
{
    if (cJSON_IsString(item) && strcmp(item->valuestring, FORMAT_NAME) == 0)
        return TR_OK;
    return fail_member(reading, item, "\"" FORMAT_NAME "\"");
}

static enum tr_status read_georeference(struct reading *reading, const cJSON *item)
{
    const cJSON *easting = cJSON_GetObjectItemCaseSensitive(item, "origin_easting");
    const cJSON *northing = cJSON_GetObjectItemCaseSensitive(item, "origin_northing");

    if (!cJSON_IsObject(item) || cJSON_GetArraySize(item) != 2 || !cJSON_IsNumber(easting) ||
        !cJSON_IsNumber(northing))
        return fail_member(reading, item, "an object of origin_easting and origin_northing, numbers");
    reading->json->info.has_georeference = true;
    reading->json->info.origin_easting = easting->valuedouble;
    reading->json->info.origin_northing = northing->valuedouble;
    return TR_OK;
}

static enum tr_status read_world_hash(struct reading *reading, const cJSON *item)
{
    return read_hash(item, &reading->json->hash) ? TR_OK
                                                 : fail_member(reading, item, "32 lower-case hex digits");
}

static enum tr_status read_log(struct reading *reading, const cJSON *item)
{
    const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(item, "bytes");
    const cJSON *hash = cJSON_GetObjectItemCaseSensitive(item, "hash");

    if (!cJSON_IsObject(item) || cJSON_GetArraySize(item) != 2 || !is_integer(bytes, 0, TR_WORLD_LOG_MAX) ||
        !read_hash(hash, &reading->json->log_hash))
        return fail_member(reading, item, "an object of bytes, a size, and hash, 32 lower-case hex digits");
    reading->json->has_log = true;
    reading->json->log_bytes = (uint64_t)bytes->valuedouble;
    return TR_OK;
}

/* A string, for JSON numbers are exact only up to 2^53. */
static enum tr_status read_seed(struct reading *reading, const cJSON *item)
{
    uint64_t seed = 0;
    bool valid = cJSON_IsString(item) && item->valuestring[0] != '\0';

    for (const char *at = valid ? item->valuestring : ""; *at && valid; at++) {
        uint64_t digit = (uint64_t)(unsigned char)*at - '0';

        valid = digit <= 9 && seed <= (UINT64_MAX - digit) / 10;
        seed = seed * 10 + digit;
    }
    if (!valid)
        return fail_member(reading, item, "a string of decimal digits, below 2^64");
    reading->json->info.has_seed = true;
    reading->json->info.seed = seed;
    return TR_OK;
}

static enum tr_status read_size(struct reading *reading, const cJSON *item)
{
    const cJSON *x = cJSON_IsArray(item) ? item->child : NULL;
    const cJSON *z = x ? x->next : NULL;

    if (!z || z->next || !is_integer(x, 1, TR_CHUNK_INDEX_MAX) || !is_integer(z, 1, TR_CHUNK_INDEX_MAX))
        return fail_member(reading, item, "two counts of chunks, 1 to 1000000");
    reading->json->info.size_x = (int32_t)x->valuedouble;
    reading->json->info.size_z = (int32_t)z->valuedouble;
    return TR_OK;
}

static enum tr_status read_source(struct reading *reading, const cJSON *item)
{
    struct tr_world_info *info = &reading->json->info;

    if (!cJSON_IsString(item) || strlen(item->valuestring) >= sizeof info->source)
        return fail_member(reading, item, "a string of at most 255 bytes");
    strcpy(info->source, item->valuestring);
    return TR_OK;
}

static enum tr_status read_version(struct reading *reading, const cJSON *item)
{
    return is_integer(item, VERSION, VERSION) ? TR_OK
                                              : fail_member(reading, item, "1, the version that this reads");
}

static enum tr_status read_voxel_size(struct reading *reading, const cJSON *item)
{
    if (!cJSON_IsNumber(item))
        return fail_member(reading, item, "a number of metres");
    reading->json->info.voxel_size = item->valuedouble;
    return TR_OK;
}

/* The first two decide whether the others mean anything to this reader. */
static const struct member {
    const char *key;
    bool required;
    enum tr_status (*read)(struct reading *reading, const cJSON *item);
} members[] = {
    {"format", true, read_format},
    {"version", true, read_version},
    {"checksum", true, read_checksum},
    {"extent", true, read_extent},
    {"georeference", false, read_georeference},
    {"hash", true, read_world_hash},
    {"log", false, read_log},
    {"seed", false, read_seed},
    {"size", true, read_size},
    {"source", true, read_source},
    {"voxel_size", true, read_voxel_size},
};
#define MEMBER_COUNT (sizeof members / sizeof members[0])

static enum tr_status check_keys(const struct reading *reading, const cJSON *tree)
{
    for (const cJSON *item = tree->child; item; item = item->next) {
        size_t i = 0;

        while (i < MEMBER_COUNT && strcmp(item->string, members[i].key) != 0)
            i++;
        if (i == MEMBER_COUNT)
            return tr_fail(reading->error, TR_BAD_INPUT, "%s:%d: unknown field \"%s\"", reading->name,
                           tr_json_line(item), item->string);
    }
    return TR_OK;
}

static enum tr_status read_members(struct reading *reading, const cJSON *tree)
{
    enum tr_status status = TR_OK;

    if (!cJSON_IsObject(tree))
        return tr_fail(reading->error, TR_BAD_INPUT, "%s:%d: not an object, expected one", reading->name,
                       tr_json_line(tree));
    for (size_t i = 0; status == TR_OK && i < MEMBER_COUNT; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(tree, members[i].key);

        if (item)
            status = members[i].read(reading, item);
        else if (members[i].required)
            status = tr_fail(reading->error, TR_BAD_INPUT, "%s: field \"%s\" is missing", reading->name,
                             members[i].key);
    }
    return status == TR_OK ? check_keys(reading, tree) : status;
}

/* The text must be the one that its values give. */
static enum tr_status check_form(const struct reading *reading, const char *text, size_t size_bytes)
{
    struct tr_writer writer = {0};
    enum tr_status status = TR_OK;
    const char *expected;
    size_t same = 0;

    tr_world_json_write(reading->json, &writer);
    if (writer.failed)
        return tr_fail(reading->error, TR_IO, "out of memory: form of \"%s\"", reading->name);
    expected = (const char *)writer.bytes;
    while (same < size_bytes && same < writer.size_bytes && text[same] == expected[same])
        same++;
    if (memcmp(reading->checksum, expected + CHECKSUM_OFFSET, 16) != 0)
        status = tr_fail(reading->error, TR_BAD_INPUT, "%s: checksum %s, expected %.16s of these values",
                         reading->name, reading->checksum, expected + CHECKSUM_OFFSET);
    else if (same < size_bytes || same < writer.size_bytes)
        status = tr_fail(reading->error, TR_BAD_INPUT,
                         "%s: byte %zu is not in the canonical form, expected the text as it was written",
                         reading->name, same);
    tr_writer_release(&writer);
    return status;
}

bool tr_world_json_is_ours(const char *text, size_t size_bytes)
{
    static const char member[] = "\n  \"format\": \"" FORMAT_NAME "\",\n";

    return size_bytes > 0 && text[0] == '{' && memmem(text, size_bytes, member, sizeof member - 1);
}

enum tr_status tr_world_json_read(const char *text, size_t size_bytes, const char *name,
                                  struct tr_world_json *json, struct tr_error *error)
{
    struct reading reading = {.name = name, .json = json, .error = error};
    struct tr_error why = {0};
    cJSON *tree = NULL;
    enum tr_status status;

    *json = (struct tr_world_json){0};
    if (size_bytes > TR_WORLD_JSON_MAX)
        return tr_fail(error, TR_BAD_INPUT, "%s has %zu bytes, expected at most %u", name, size_bytes,
                       TR_WORLD_JSON_MAX);
    status = tr_json_parse(text, size_bytes, name, 1, &tree, error);
    if (status == TR_OK)
        status = read_members(&reading, tree);
    if (status == TR_OK && tr_world_info_check(&json->info, &why) != TR_OK)
        status = tr_fail(error, TR_BAD_INPUT, "%s: %s", name, why.text);
    if (status == TR_OK)
        status = check_form(&reading, text, size_bytes);
    cJSON_Delete(tree);
    return status;
}
