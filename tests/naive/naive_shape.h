/* Shapes: trees of primitives, operations, transforms and modifiers; their distances; and what they do to the ground. */
#ifndef NAIVE_SHAPE_H
#define NAIVE_SHAPE_H

#include "tests/naive/naive_grid.h"
#include "tests/naive/naive_image.h"
#include "tests/naive/naive_noise.h"
#include "tests/naive/naive_polyhedron.h"
#include "tests/naive/naive_tube.h"

/* A node as it is in the world, in voxels; within what moves points, relative to that one's place, along its axes.
 * Transforms are gone, a mirror or repeat is a union of copies, and the others keep their order. */
struct naive_solid {
    enum naive_kind kind;
    const struct naive_node *node;
    int children;
    double a[3], b[3]; /* as at and to of the node; mesh: the first sample */
    double axis[3];    /* torus, half-space: direction */
    double rows[3][3]; /* its axes, as directions; of what moves points, those of the move */
    double size[3];    /* as in naive_node; elongate: by */
    double radius, to_radius, tube, length; /* as in naive_node */
    double scale;                           /* displace */
    double cell;                            /* mesh */
    double rate;                            /* twist, bend: radians a voxel */
    struct naive_blend blend;
    struct naive_polyhedron *polyhedron; /* owned, and so is the rest */
    struct naive_piece *pieces;
    size_t piece_count;
    struct naive_picture picture;
    struct naive_grid grid; /* copies have the one of the first */
    bool has_grid;
};

/* A shape in its world: free it. NULL without memory. */
struct naive_shape {
    struct naive_solid *solids;
    struct naive_part *parts;
    size_t count;
};
struct naive_shape *naive_shape_create(const struct naive_node *nodes, double voxel_size);
void naive_shape_free(struct naive_shape *shape);

/* naive_fold.c: how many solids the nodes make, and making them; false without memory, with what is made owned by them. */
size_t naive_solid_count(const struct naive_node *nodes);
bool naive_solids_make(const struct naive_node *nodes, double voxel_size, struct naive_solid *out);

/* A blend as samples see it; k, 1 / (4k), k / steps, 1 / (2 k / steps) rounded. */
struct naive_blender {
    enum naive_blend_kind kind;
    float width, inverse_4, step, inverse_period;
};
struct naive_blender naive_blender_of(const struct naive_blend *blend, double width, double unit);
/* The union of solids at distances x and y. */
float naive_blended(const struct naive_blender *blender, float x, float y);

/* The axis of a round primitive near the frame's origin, c + t u with t from t0 to t1. */
struct naive_axis {
    float c[3], u[3], t0, t1, radius, c2_minus_r2;
    bool large;
};

/* A solid as the samples of one owner see it. Which numbers count depends on the kind; see naive_shape.c. */
struct naive_part {
    enum naive_kind kind;
    int children;
    struct naive_axis axis;
    float rows[3][3], low[3], high[3];
    float along, size[3], inverse_size[3], radius, tube;
    float half, to_radius, slope[2], inverse_slope_2;
    float flatness, amount, rate, inverse_length, widening;
    struct naive_noise noise;
    struct naive_blender blender;
    struct naive_framed_polyhedron *polyhedron; /* owned */
    struct naive_framed_piece *pieces;          /* owned */
    size_t piece_count;
    enum naive_profile profile;
    struct naive_framed_picture picture;
    struct naive_framed_grid grid;
};

/* Puts the shape in the frame at `corner`. */
void naive_shape_place(struct naive_shape *shape, const int corner[3]);
/* The distance in voxels, negative inside, of the sample p of that frame. */
float naive_shape_distance(const struct naive_shape *shape, const float p[3]);

/* The sample behind a union, subtraction or intersection with a shape at this distance. */
int naive_joined_sample(enum naive_op op, const struct naive_blender *blender, float reach, float distance,
                        int stored);

#endif
