/* A shape and a blend as JSON: objects that have been checked to be JSON to a tree in metres, and back in the normal form. */
#ifndef TR_EDIT_SHAPE_JSON_H
#define TR_EDIT_SHAPE_JSON_H

#include "lib/base/bytes.h"
#include "lib/edit/form.h"

/* `name` is the field's; `shape` is empty. On failure it is to be released all the same. */
enum tr_status tr_shape_read_json(const struct tr_place *place, const char *name, const cJSON *value,
                                  struct tr_shape *shape);
/* Defaults are not written, neither here nor below. */
void tr_shape_write_json(const struct tr_shape *shape, const char *name, struct tr_writer *out);

/* place->inside says where the blend is; `value` is an object. */
enum tr_status tr_blend_read_json(const struct tr_place *place, const cJSON *value, struct tr_blend *blend);
void tr_blend_write_json(const struct tr_blend *blend, const char *name, struct tr_writer *out);

#endif
