/* Messages of the web client: what its network carries when somebody sculpts, in two kinds. Both become height brushes (EDITS.md). */
#ifndef TR_EDIT_WEB_JSON_H
#define TR_EDIT_WEB_JSON_H

#include "lib/edit/form.h"

/* Whether an item is a message: an object with `brush` and without `format`. */
bool tr_web_is_message(const cJSON *item);

/* Reads a message into place->edit, which must hold nothing; it gets no id. On failure it is to be released all the same. */
enum tr_status tr_web_read_json(const struct tr_place *place, const cJSON *item);

#endif
