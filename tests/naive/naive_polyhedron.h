/* Convex solids with flat faces: prism, pyramid, octahedron. */
#ifndef NAIVE_POLYHEDRON_H
#define NAIVE_POLYHEDRON_H

#include "tests/naive/naive.h"

#define NAIVE_SIDES_MAX 16
#define NAIVE_CORNERS_MAX (2 * NAIVE_SIDES_MAX)
#define NAIVE_FACES_MAX (NAIVE_SIDES_MAX + 2)

struct naive_polyhedron {
    int corner_count, face_count;
    double corners[NAIVE_CORNERS_MAX][3];
    int face_sizes[NAIVE_FACES_MAX];
    int faces[NAIVE_FACES_MAX]
             [NAIVE_SIDES_MAX]; /* corners one after the other; its plane and fan begin at the first */
    double normals[NAIVE_FACES_MAX][3]; /* outward */
};

/* The two directions across u, a direction: side = up x u and top = u x side; where up is too close to u, with `other`. */
void naive_axes_across(const double u[3], const double up[3], const double other[3], double side[3],
                       double top[3]);

/* Of a node as it is written, in metres. */
void naive_polyhedron_of(const struct naive_node *node, struct naive_polyhedron *out);

/* As the samples of one owner see it. */
#define NAIVE_TRIANGLES_MAX (4 * NAIVE_SIDES_MAX - 4)
struct naive_framed_polyhedron {
    int plane_count, triangle_count;
    float normals[NAIVE_FACES_MAX][3], offsets[NAIVE_FACES_MAX];
    float triangles[NAIVE_TRIANGLES_MAX][3][3];
};
void naive_polyhedron_in_frame(const struct naive_polyhedron *polyhedron, const int corner[3],
                               struct naive_framed_polyhedron *out);
float naive_polyhedron_distance(const struct naive_framed_polyhedron *polyhedron, const float p[3]);

#endif
