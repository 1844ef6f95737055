/* An edit that has met its world: its numbers in voxels and units; and its stamps. */
#ifndef NAIVE_STROKE_H
#define NAIVE_STROKE_H

#include "tests/naive/naive.h"

/* The stamp of a brush; of a shape, which is one stamp, nothing of it counts. */
struct naive_stamp {
    double at[3], radius; /* voxels */
    double strength;      /* units at weight 1, what it adds to a height or sample; or lambda */
};

/* Of an edit, in voxels. */
struct naive_measures {
    double scale;       /* noise */
    double point[3];    /* volume flatten: a point of its plane */
    double by[3];       /* grab */
    int height;         /* flatten, set: units */
    double blend_width; /* with the ground */
};
struct naive_measures naive_measure(const struct naive_edit *edit, double voxel_size);

/* Metres to units, floor(256 v + 1/2). */
int naive_height_of_metres(double metres, double voxel_size);

/* The stamps of an edit, in order: free() them. NULL without memory. */
struct naive_stamp *naive_stamps(const struct naive_edit *edit, double voxel_size, size_t *count);

#endif
