/* The surfaces that a vertical line of samples crosses, from field(): what pictures need to know of a
 * column. */
#ifndef TR_RUN_COLUMN_H
#define TR_RUN_COLUMN_H

#include "lib/world/chunk.h"

struct tr_column {
    int32_t top;     /* units: the topmost surface, air above ground */
    int32_t bottom;  /* units: the lowest crossing, floor or ceiling; top where the ground is simple */
    uint32_t floors; /* surfaces with air above ground, at least 1: more where something overhangs */
};

/* The column at local x, z of the chunk. There is always a floor: beyond the rows that can hold blocks it
 * is air above, ground below. */
void tr_column_scan(const struct tr_chunk *chunk, int x, int z, struct tr_column *column);

#endif
