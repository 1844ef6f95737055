/* Whether two world folders hold the same files, byte for byte. */
#ifndef TR_WORLD_SAME_H
#define TR_WORLD_SAME_H

#include "lib/base/status.h"
#include <stdbool.h>

/* a and b are open folders; messages call them by their names. Files that are one (hard links) are not read. Anything that is no part of a
 * world, or cannot be read, makes them differ. */
enum tr_status tr_world_is_same(int a, const char *a_name, int b, const char *b_name, bool *same,
                                struct tr_error *error);

#endif
