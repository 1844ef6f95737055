/* One edit as JSON: an object that has been checked to be JSON to an edit in metres, and an edit to its line of the normal form. */
#ifndef TR_EDIT_EDIT_JSON_H
#define TR_EDIT_EDIT_JSON_H

#include "lib/base/bytes.h"
#include "lib/edit/form.h"

/* place->edit becomes an edit at its defaults that stands where `item` does. It must hold nothing. */
void tr_edit_begin(const struct tr_place *place, const cJSON *item);

/* Gives place->edit `count` points, zeroed. */
enum tr_status tr_edit_take_points(const struct tr_place *place, size_t count);

/* Reads `item` into place->edit, which must hold nothing; its id stays empty where none is written. On failure it is to be released all
 * the same. */
enum tr_status tr_edit_read_json(const struct tr_place *place, const cJSON *item);

/* The object without blanks or end of line: keys in bytewise order, defaults left out, shortest numbers, no id where it is empty. */
void tr_edit_write_json(const struct tr_edit *edit, struct tr_writer *out);

#endif
