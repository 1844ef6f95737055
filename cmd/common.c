/* See common.h. */
#include "cmd/common.h"
#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/pack/pack.h"
#include "lib/world/codec.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum tr_status tr_need_output(const struct tr_call *call, const char **path, struct tr_error *error)
{
    *path = tr_call_text(call, "--output", NULL);
    if (*path && strcmp(*path, "-") == 0)
        return tr_fail(error, TR_USAGE,
                       "--output is '-', expected a path: results are files that appear whole, not streams");
    if (*path)
        return TR_OK;
    return tr_fail(error, TR_USAGE, "no output named, expected: terrain %s %s", call->command->name,
                   call->command->usage);
}

enum tr_status tr_check_one_input(const struct tr_call *call, struct tr_error *error)
{
    int count = 0;
    for (int i = 0; i < call->argument_count; i++)
        count += strcmp(call->arguments[i], "-") == 0;
    return count <= 1 ? TR_OK
                      : tr_fail(error, TR_USAGE,
                                "standard input can be read once, expected one '-', found %d", count);
}

enum tr_status tr_check_extension(const struct tr_call *call, const char *path, const char *own,
                                  const char *what, struct tr_error *error)
{
    static const char *const others[] = {"tpack", "glb", "gltf", "obj",  "ply",   "stl",
                                         "png",   "jpg", "jpeg", "json", "jsonl", "asc"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof others / sizeof others[0]; i++)
        if (strcasecmp(dot + 1, others[i]) == 0 && strcmp(others[i], own) != 0)
            return tr_fail(error, TR_USAGE, "'%s' ends in .%s, but %s writes %s, expected a name in .%s",
                           path, others[i], call->command->name, what, own);
    return TR_OK;
}

enum tr_status tr_find_kind(const char *path, enum tr_kind *kind, struct tr_error *error)
{
    char json[TR_PATH_BYTES], magic[8] = {0};
    if (!tr_path_exists(path))
        return tr_fail(error, TR_IO, "'%s' does not exist, expected a world or a mesh pack", path);
    if (tr_path_is_folder(path)) {
        enum tr_status status = tr_path_join(json, path, "world.json", error);
        if (status == TR_OK && !tr_path_exists(json))
            status = tr_fail(error, TR_BAD_INPUT,
                             "'%s' is a folder without world.json, expected a world or a mesh pack", path);
        *kind = TR_KIND_WORLD;
        return status;
    }
    FILE *file = fopen(path, "rb");
    if (!file)
        return tr_fail_errno(error, "cannot open '%s'", path);
    size_t size = fread(magic, 1, sizeof magic, file);
    bool failed = ferror(file);
    fclose(file);
    if (failed)
        return tr_fail(error, TR_IO, "cannot read '%s'", path);
    if (size == sizeof magic && memcmp(magic, TR_CHUNK_MAGIC, sizeof magic) == 0)
        return tr_fail(error, TR_BAD_INPUT,
                       "'%s' is a chunk file, expected the world that it is in, or a mesh pack", path);
    if (size != sizeof magic || memcmp(magic, TR_PACK_MAGIC, sizeof magic) != 0)
        return tr_fail(error, TR_BAD_INPUT, "'%s' is neither a world nor a mesh pack", path);
    *kind = TR_KIND_PACK;
    return TR_OK;
}

enum tr_status tr_open_bake(const struct tr_call *call, uint64_t work, struct tr_bake **bake,
                            struct tr_error *error)
{
    struct tr_bake_options options = {
        .device = tr_call_text(call, "--device", "auto"),
        .jobs = (int)tr_call_number(call, "--jobs", 0),
        .validate = tr_call_has(call, "--vk-validate"),
        .work = work,
    };
    return tr_bake_open(&options, bake, error);
}

int tr_parse_point(const char *text, double *values, int most)
{
    for (int count = 1; count <= most; count++) {
        size_t size = strcspn(text, ",");
        if (!tr_number_parse(text, size, &values[count - 1]))
            return 0;
        if (text[size] == 0)
            return count;
        text += size + 1;
    }
    return 0;
}

void tr_json_add_path(cJSON *object, const char *name, const char *path)
{
    char *text = strdup(path);
    if (!text)
        return;
    tr_text_make_utf8(text);
    cJSON_AddStringToObject(object, name, text);
    free(text);
}

void tr_json_add_hash(cJSON *object, const char *name, struct tr_hash hash)
{
    char text[33];
    tr_hash_text(hash, text);
    cJSON_AddStringToObject(object, name, text);
}

void tr_json_add_point(cJSON *object, const char *name, const double *values, int count)
{
    cJSON_AddItemToObject(object, name, cJSON_CreateDoubleArray(values, count));
}

enum tr_status tr_json_print(cJSON *object, struct tr_error *error)
{
    char *text = object ? cJSON_PrintUnformatted(object) : NULL;
    cJSON_Delete(object);
    if (!text)
        return tr_fail(error, TR_IO, "out of memory");
    puts(text);
    free(text);
    return TR_OK;
}

const char *tr_shown(const char *path)
{
    static char room[TR_PATH_BYTES];
    return tr_text_shown(path, room, sizeof room);
}

const char *tr_grouped(uint64_t number, char text[32])
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number), at = 0;
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = 0;
    return text;
}

const char *tr_bytes_text(uint64_t size_bytes, char text[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)size_bytes;
    int unit = 0;
    while (size >= 1024 && unit < 4) {
        size /= 1024;
        unit++;
    }
    snprintf(text, 32, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
    return text;
}

const char *tr_metres(double metres, char text[32])
{
    double size = fabs(metres);
    snprintf(text, 32, size >= 100 ? "%.0f m" : (size >= 1 ? "%.1f m" : "%.3f m"), metres);
    return text;
}

size_t tr_cache_bytes(const struct tr_call *call)
{
    return (size_t)tr_call_number(call, "--memory", 256) << 20;
}
