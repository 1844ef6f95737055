/* MessagePack: a second encoding of the documents that json.h reads, to the same cJSON tree and back.
 *
 * The reader takes what tr_json_parse would take of the same document and nothing else: maps have string keys
 * and none twice, strings are UTF-8 without NUL, nesting ends at TR_JSON_DEPTH_MAX, integers lie within
 * +-2^53. A float stands for a number written with a point or exponent: any finite one will do, integral or
 * not. What JSON has no word for (bin, ext, timestamp) is refused by its name. Headers may be wider than
 * needed. The tree keeps in `valueint` where each value begins: read numbers from `valuedouble` only. */
#ifndef TR_BASE_MSGPACK_H
#define TR_BASE_MSGPACK_H

#include "lib/base/bytes.h"
#include "lib/base/json.h"

/* Whether bytes begin with a map or an array of MessagePack; no JSON text begins with such a byte. */
bool tr_msgpack_is(const void *bytes, size_t size_bytes);

/* Parses one MessagePack value that ends where the bytes end. Errors read "name: byte offset N: what, found,
 * expected" (TR_BAD_INPUT), where N is that of the value at fault. Free with cJSON_Delete. */
enum tr_status tr_msgpack_parse(const void *bytes, size_t size_bytes, const char *name, cJSON **out,
                                struct tr_error *error);

/* The byte offset at which a value of a tree from tr_msgpack_parse begins; INT_MAX when beyond. Where
 * tr_json_line is asked of a tree from tr_json_parse: whoever parsed knows which. */
int tr_msgpack_offset(const cJSON *item);

/* Appends the one canonical encoding of a tree that either parser made, or of one like it: integral numbers
 * within +-2^53 (-0 too, as 0) as the narrowest integer, others as float 32 where that is exact and else
 * float 64, the shortest headers, members in the order of the tree. Equal trees give equal bytes, which read
 * back to an equal tree. A number that is not finite, deeper nesting and items that no text has are refused
 * (TR_BAD_INPUT) with `out` as it was. */
enum tr_status tr_msgpack_write(const cJSON *tree, struct tr_writer *out, struct tr_error *error);

#endif
