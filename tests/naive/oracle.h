/* What edits mean, in double, by formulas as independent of the kernels' as can be: textbook forms in world
 * coordinates, libm, no frame, no rounding to units. For comparing within a bound; nothing here decides a
 * byte. Nothing of lib/ or shaders/ is included. */
#ifndef ORACLE_H
#define ORACLE_H

#include "tests/naive/naive.h"

/* Weight at distance d >= 0, in radii; power is n of sharp. 0 from d = 1 on. */
double oracle_falloff(enum naive_falloff falloff, int power, double d);

/* Distance of a brush's column (x, z) from its centre, in radii. */
double oracle_brush_distance(const struct naive_edit *edit, double x, double z);

/* Signed distance of a point from an edit's sphere or capsule, voxels, negative inside. */
double oracle_shape_distance(const struct naive_edit *edit, double x, double y, double z);

/* Smooth minimum of width k: min(a, b) where they are k or more apart, a parabola between; the plain minimum
 * for k = 0. */
double oracle_smin(double a, double b, double k);

/* The ground `stored` after the edit's shape at distance d has been added or taken away, all in one unit, not
 * clamped. */
double oracle_combine(enum naive_op op, double stored, double d, double k);

/* A height moved by `amount` of the way to the mean of its 4 neighbours. */
double oracle_smooth(double height, const double neighbours[4], double amount);

#endif
