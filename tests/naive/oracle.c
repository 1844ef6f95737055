/* The formulas are written from the design's text, each in a form that differs from the kernels': powers by
 * pow, the smooth minimum as a mix of the two values, the distance to a segment by the parameter in [0, 1]
 * between its ends. */
#include "tests/naive/oracle.h"

#include <math.h>

double oracle_falloff(enum naive_falloff falloff, int power, double d)
{
    if (d >= 1.0)
        return 0.0;
    double p = 1.0 - d;
    switch (falloff) {
    case NAIVE_FALLOFF_SMOOTH:
        return 3.0 * pow(p, 2.0) - 2.0 * pow(p, 3.0);
    case NAIVE_FALLOFF_SMOOTHER:
        return 6.0 * pow(p, 5.0) - 15.0 * pow(p, 4.0) + 10.0 * pow(p, 3.0);
    case NAIVE_FALLOFF_SPHERE:
        return sqrt(1.0 - d * d);
    case NAIVE_FALLOFF_ROOT:
        return pow(p, 0.5);
    case NAIVE_FALLOFF_SHARP:
        return pow(p, power);
    case NAIVE_FALLOFF_POW4:
        return pow(p, 4.0);
    case NAIVE_FALLOFF_LINEAR:
        return p;
    case NAIVE_FALLOFF_INVERSE_SQUARE:
        return 1.0 - d * d;
    case NAIVE_FALLOFF_CONSTANT:
        return 1.0;
    }
    return NAN;
}

double oracle_brush_distance(const struct naive_edit *edit, double x, double z)
{
    return hypot(x - edit->a[0], z - edit->a[2]) / edit->radius;
}

double oracle_shape_distance(const struct naive_edit *edit, double x, double y, double z)
{
    const double *a = edit->a;
    double ab[3] = {0.0, 0.0, 0.0};
    double ap[3] = {x - a[0], y - a[1], z - a[2]};
    double along = 0.0, length_2 = 0.0;
    for (int i = 0; i < 3 && edit->capsule; i++) {
        ab[i] = edit->b[i] - a[i];
        along += ab[i] * ap[i];
        length_2 += ab[i] * ab[i];
    }
    double t = length_2 > 0.0 ? fmin(fmax(along / length_2, 0.0), 1.0) : 0.0;
    double away_2 = 0.0;
    for (int i = 0; i < 3; i++)
        away_2 += (ap[i] - t * ab[i]) * (ap[i] - t * ab[i]);
    return sqrt(away_2) - edit->radius;
}

double oracle_smin(double a, double b, double k)
{
    if (k <= 0.0)
        return fmin(a, b);
    /* The share of b, and what the corner between the two lines is rounded off by. */
    double share = fmin(fmax(0.5 + (a - b) / (2.0 * k), 0.0), 1.0);
    return a * (1.0 - share) + b * share - k * share * (1.0 - share);
}

double oracle_combine(enum naive_op op, double stored, double d, double k)
{
    return op == NAIVE_UNION ? oracle_smin(stored, d, k) : -oracle_smin(-stored, d, k);
}

double oracle_smooth(double height, const double neighbours[4], double amount)
{
    double mean = (neighbours[0] + neighbours[1] + neighbours[2] + neighbours[3]) / 4.0;
    return height * (1.0 - amount) + mean * amount;
}
