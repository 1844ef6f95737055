/* Tubes: a profile along a curve, which is cut into straight pieces. */
#ifndef NAIVE_TUBE_H
#define NAIVE_TUBE_H

#include "tests/naive/naive.h"

/* The Catmull-Rom curve through a path of 2 and more points, each span cut into `steps`: (count - 1) steps + 1 points. */
size_t naive_curve_count(const struct naive_node *node);
void naive_curve(const struct naive_node *node, struct naive_knot *points);

/* A straight piece, in voxels. */
struct naive_piece {
    struct naive_knot from, to;
    double axis[3], side[3], top[3];
};
/* The piece between two points of the curve, `up` and `other` the directions that y and x are there; false when it is too
 * short to have an axis. */
bool naive_piece_make(const struct naive_knot *from, const struct naive_knot *to, const double up[3],
                      const double other[3], struct naive_piece *out);

/* A piece as the samples of one owner see it. */
struct naive_framed_piece {
    float from[3], along[3], inverse_2, radius, widening, axis[3], side[3], top[3];
};
struct naive_framed_piece naive_piece_in_frame(const struct naive_piece *piece, const int corner[3]);

/* The least of the distances from the pieces. */
float naive_tube_distance(const struct naive_framed_piece *pieces, size_t count, enum naive_profile profile,
                          const float p[3]);

#endif
