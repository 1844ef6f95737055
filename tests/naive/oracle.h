/* What edits mean, in double, by formulas as independent of the kernels' as can be: textbook forms in world
 * coordinates, libm, no frame, no rounding to units. For comparing within a bound; nothing here decides a
 * byte. Nothing of lib/ or shaders/ is included. */
#ifndef ORACLE_H
#define ORACLE_H

#include "tests/naive/naive.h"

/* Weight at distance d >= 0, in radii; power is n of sharp. 0 from d = 1 on. */
double oracle_falloff(enum naive_falloff falloff, int power, double d);

/* Distance of a column from a centre in the plane of x and z. */
double oracle_column_distance(const double centre[3], double x, double z);
/* Distance of a point from a centre; or with an axis (of any length), from the line through the centre along it,
 * and *along, how far along it. *along is 0 without. */
double oracle_space_distance(const double centre[3], const double *axis, const double p[3], double *along);

/* Gradient noise at a point, all in voxels; the weights of its octaves sum up to 1. */
struct oracle_noise {
    uint64_t seed;
    int octaves;
    double scale;
    bool in_space; /* else y does not count */
};
double oracle_noise(const struct oracle_noise *noise, const double p[3]);

/* An image halved so often, in pixels from the middle of the left upper one, black 0, white 1: between pixels a mean of
 * the four around, beyond them the rim. */
double oracle_image(const struct naive_image *image, int halvings, double x, double y);
/* The greatest steps between its pixels along a row and along a column. */
void oracle_image_steps(const struct naive_image *image, int halvings, double steps[2]);
/* The image of a stamp's edit at a point, all in voxels. */
double oracle_stamp(const struct naive_edit *edit, double radius, const double centre[3], const double p[3]);

/* What is the same at all points of a shape. */
struct oracle_shape {
    const struct naive_node *nodes;
    double voxel_size;
    struct oracle_node *known; /* of each node */
    double size;               /* the greatest length of its primitives, voxels */
    double blur; /* what rounding of places may count for, once moved and measured, as a factor */
    double off;  /* ... and rounding of noise and of samples, voxels */
};
/* False without memory; release it then too. */
bool oracle_shape_init(struct oracle_shape *shape, const struct naive_node *nodes, size_t count,
                       double voxel_size);
void oracle_shape_release(struct oracle_shape *shape);

/* Signed distance of a point from the shape, negative inside, all in voxels. *doubtful is set where it jumps nearby: in
 * the middle of an ellipsoid, at the ends of a square tube. */
double oracle_shape_distance(const struct oracle_shape *shape, const double p[3], bool *doubtful);

/* Of a primitive; all in metres. */
struct oracle_node {
    double factor;  /* of the transforms around it */
    int halvings;   /* height map */
    double grade_2; /* ... the square of its steepest grade */
    double margin;  /* mesh: cells around it */
    double near;    /* what counts as at the end of a tube, metres */
};
double oracle_primitive_distance(const struct naive_node *node, const struct oracle_node *known,
                                 const double p[3], bool *doubtful);

/* The union of solids at distances a and b, by a blend of width k. */
double oracle_union(const struct naive_blend *blend, double k, double a, double b);
/* The ground `stored` behind a union, subtraction or intersection with a shape at distance d, all in one unit, not
 * clamped. */
double oracle_combine(enum naive_op op, const struct naive_blend *blend, double k, double stored, double d);

/* By how much a height or sample moves all the way to the mean of its neighbours. */
double oracle_smooth(double value, const double *neighbours, int count);

#endif
