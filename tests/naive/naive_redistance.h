/* Redistance: samples become distances from the surface that runs between them. */
#ifndef NAIVE_REDISTANCE_H
#define NAIVE_REDISTANCE_H

#include "tests/naive/naive_brush.h"

/* Where the surface crosses the way between two neighbours of a region, in samples of it; and its normal there. */
struct naive_crossing {
    float at[3], normal[3];
};

/* A box of samples: `low` is its first. What is without crossing has none to know. */
struct naive_region {
    int low[3], size[3];
    const struct naive_world *world; /* its samples_before */
    struct naive_crossing *crossings;
    int *nearest; /* [y][z][x]: the number of the crossing that the sample knows, or -1 */
    size_t crossing_count;
};
/* The samples within radius of a stamp and those one beyond, in the world; *is_empty when there are none. Release it. False
 * without memory. */
bool naive_region_make(const struct naive_world *world, const struct naive_stamp *stamp,
                       struct naive_region *region, bool *is_empty);
void naive_region_release(struct naive_region *region);

/* The crossing that p of the region knows; NULL: there is none at all. */
const struct naive_crossing *naive_region_nearest(const struct naive_region *region, const int p[3]);
/* The sample s there, measured from it. */
int naive_redistanced_sample(const struct naive_crossing *crossing, const int p[3], int s);

#endif
