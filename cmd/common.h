/* What several commands do alike. */
#ifndef TR_CMD_COMMON_H
#define TR_CMD_COMMON_H

#include "cmd/command.h"
#include "lib/bake/bake.h"
#include "lib/base/hash.h"
#include "lib/world/world.h"
#include <cjson/cJSON.h>

/* The -o value; TR_USAGE when it is missing. */
enum tr_status tr_need_output(const struct tr_call *call, const char **path, struct tr_error *error);

/* TR_USAGE when more than one argument is "-": what is read once is gone. */
enum tr_status tr_check_one_input(const struct tr_call *call, struct tr_error *error);

/* TR_USAGE when the output's name ends in the extension of something else that terrain writes. own: "tpack" or "png"; what: "mesh packs". */
enum tr_status tr_check_extension(const struct tr_call *call, const char *path, const char *own,
                                  const char *what, struct tr_error *error);

/* What a path holds, for commands that take worlds and packs. */
enum tr_kind { TR_KIND_WORLD, TR_KIND_PACK };
/* TR_IO when there is nothing, TR_BAD_INPUT when it is neither. Looks no further than a folder's world.json and a file's first bytes. */
enum tr_status tr_find_kind(const char *path, enum tr_kind *kind, struct tr_error *error);

/* Opens the device that --device, --jobs and --vk-validate ask for; work as in struct tr_bake_options. */
enum tr_status tr_open_bake(const struct tr_call *call, uint64_t work, struct tr_bake **bake,
                            struct tr_error *error);

/* Reads "1,-2.5": at most `most` numbers with commas between. Returns how many, or 0 when it is anything else. */
int tr_parse_point(const char *text, double *values, int most);

/* JSON output: adds, prints on one line, frees. A path's bytes that are not UTF-8 become '?'. */
void tr_json_add_path(cJSON *object, const char *name, const char *path);
void tr_json_add_hash(cJSON *object, const char *name, struct tr_hash hash);
void tr_json_add_point(cJSON *object, const char *name, const double *values, int count);
enum tr_status tr_json_print(cJSON *object, struct tr_error *error);

/* A path fit to be printed in a line. Valid until the next call. */
const char *tr_shown(const char *path);

/* A count with thin groups of three: "1,234,567". Returns text. */
const char *tr_grouped(uint64_t number, char text[32]);
/* A size in bytes as people read it: "12.3 MiB". */
const char *tr_bytes_text(uint64_t size_bytes, char text[32]);
/* A length in metres with as many digits as help. */
const char *tr_metres(double metres, char text[32]);

/* Memory for decoded chunks that a command keeps: what --memory says. */
size_t tr_cache_bytes(const struct tr_call *call);

#endif
