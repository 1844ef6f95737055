/* Numbers as the format has them: parameters rounded to float once, float arithmetic that needs more than + - *,
 * rounding to units. The C library's sqrtf stands for the product's own square root, which is correctly rounded
 * too. */
#ifndef NAIVE_FLOAT_H
#define NAIVE_FLOAT_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "floats must be evaluated as floats");

#define NAIVE_UNITS 256 /* in a voxel */
#define NAIVE_OWNER 64  /* samples of a chunk or block along an axis */
#define NAIVE_HEIGHT_LIMIT 16777215
#define NAIVE_SAMPLE_LIMIT 32767
#define NAIVE_TINY 0x1p-40 /* parameters below it count as 0 */

static inline int naive_clamp_int(int v, int limit)
{
    return v < -limit ? -limit : v > limit ? limit : v;
}

/* floor(v / 64), and 64 times that: the lowest coordinate of the owner of coordinate v. */
static inline int naive_owner(int v)
{
    int in_owner = ((v % NAIVE_OWNER) + NAIVE_OWNER) % NAIVE_OWNER;
    return (v - in_owner) / NAIVE_OWNER;
}
static inline int naive_owner_low(int v)
{
    return NAIVE_OWNER * naive_owner(v);
}

/* The height field's sample at row y. */
static inline int naive_field_of_height(int y, int height)
{
    return naive_clamp_int(NAIVE_UNITS * y - height, NAIVE_SAMPLE_LIMIT);
}

static inline double naive_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void naive_cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* v / |v| */
static inline void naive_unit(const double v[3], double u[3])
{
    double length = sqrt(naive_dot(v, v));
    for (int i = 0; i < 3; i++)
        u[i] = v[i] / length;
}

/* A parameter, rounded once. */
static inline float naive_parameter(double v)
{
    return fabs(v) < NAIVE_TINY ? 0.0f : (float)v;
}
static inline void naive_parameters(const double v[3], float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = naive_parameter(v[i]);
}

/* Square root; what is below 2^-80 counts as 0. */
static inline float naive_root(float v)
{
    return v < 0x1p-80f ? 0.0f : sqrtf(v);
}

/* 1/v: a guess from the bits of v, then four steps of Newton's y (2 - v y). The bits of the result are part of
 * the format, so the division of the machine will not do. */
static inline float naive_reciprocal(float v)
{
    uint32_t bits;
    float y;
    memcpy(&bits, &v, sizeof bits);
    bits = UINT32_C(0x7ef311c7) - bits;
    memcpy(&y, &bits, sizeof y);
    for (int step = 0; step < 4; step++)
        y = y * (2.0f - v * y);
    return y;
}

static inline float naive_smaller(float a, float b)
{
    return b < a ? b : a;
}
static inline float naive_larger(float a, float b)
{
    return b > a ? b : a;
}

static inline float naive_between(float v, float lo, float hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* (v_0 w_0 + v_1 w_1) + v_2 w_2 in float. */
static inline float naive_dot_float(const float v[3], const float w[3])
{
    return (v[0] * w[0] + v[1] * w[1]) + v[2] * w[2];
}
static inline void naive_cross_float(const float a[3], const float b[3], float c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}
/* From a box whose faces are at these distances, the farther face of each pair. */
static inline float naive_over_faces(float x, float y, float z)
{
    const float out[3] = {naive_larger(x, 0.0f), naive_larger(y, 0.0f), naive_larger(z, 0.0f)};
    return naive_root(naive_dot_float(out, out)) + naive_smaller(naive_larger(naive_larger(x, y), z), 0.0f);
}

/* floor(v + 1/2), no farther from 0 than `limit`. */
static inline int naive_round(float v, int limit)
{
    float rounded = floorf(v + 0.5f);
    if (rounded < (float)-limit)
        return -limit;
    return rounded > (float)limit ? limit : (int)rounded;
}

#endif
