/* Welding: vertices of equal position become one. Exact, never by distance. */
#ifndef TR_MESH_WELD_H
#define TR_MESH_WELD_H

#include "lib/base/status.h"
#include <stddef.h>
#include <stdint.h>

#define TR_POSITION_MAX (INT64_C(1) << 36) /* of each coordinate, either sign */

struct tr_position {
    int64_t at[3]; /* units */
};

/* Below 0, 0 or above: by x, then y, then z. */
int tr_position_compare(const struct tr_position *a, const struct tr_position *b);

/* number[i]: which of the distinct positions, in order, position i is. welded (room for `count`): these, *welded_count of them.
 * count < 2^32. TR_IO without memory. */
enum tr_status tr_weld(const struct tr_position *positions, size_t count, struct tr_position *welded,
                       uint32_t *number, uint32_t *welded_count, struct tr_error *error);

#endif
