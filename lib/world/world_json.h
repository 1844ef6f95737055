/* world.json: what a world is but for its chunks; read strictly, written in exactly one form (FORMAT.md). */
#ifndef TR_WORLD_WORLD_JSON_H
#define TR_WORLD_WORLD_JSON_H

#include "lib/base/bytes.h"
#include "lib/world/world.h"

#define TR_WORLD_JSON_NAME "world.json"
#define TR_WORLD_JSON_MAX (64u << 10) /* bytes */

struct tr_world_json {
    struct tr_world_info info;
    struct tr_hash hash; /* the world hash */
    bool has_log;
    uint64_t log_bytes;
    struct tr_hash log_hash; /* of the log's bytes */
};

/* Whether a text, which may be damaged or of another version, is recognisably the world.json of a world. */
bool tr_world_json_is_ours(const char *text, size_t size_bytes);

/* Refuses (TR_BAD_INPUT) sizes, voxel sizes, extents and numbers that the format cannot hold. */
enum tr_status tr_world_info_check(const struct tr_world_info *info, struct tr_error *error);

/* Appends the one text that says this. The info must pass tr_world_info_check, its source be UTF-8. */
void tr_world_json_write(const struct tr_world_json *json, struct tr_writer *out);

/* Takes only what tr_world_json_write writes. `name` is what errors call the file. */
enum tr_status tr_world_json_read(const char *text, size_t size_bytes, const char *name,
                                  struct tr_world_json *json, struct tr_error *error);

#endif
