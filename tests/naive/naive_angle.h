/* sin and cos in double, bit for bit those of the format (lib/base/dmath.h), |radians| <= 2^20: the C library's
 * differ from machine to machine. */
#ifndef NAIVE_ANGLE_H
#define NAIVE_ANGLE_H

double naive_sin(double radians);
double naive_cos(double radians);

#define NAIVE_DEGREE 0x1.1df46a2529d39p-6 /* in radians */

/* Those of samples, in float: twist and bend. Angles beyond +-8192 count as that. */
void naive_turn(float radians, float *sine, float *cosine);

#endif
