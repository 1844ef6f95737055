/* Catmull-Rom curves (Catmull and Rom, A Class of Local Interpolating Splines, 1974), uniform: each span is the cubic whose slope at a point
 * is half the way from the point before to the point behind; beyond an end of the path its last point is repeated. The curve goes
 * through all points, and its radius is a coordinate like the others. */
#include "lib/edit/curve.h"

#include <string.h>

uint32_t tr_curve_count(uint32_t count, uint32_t steps)
{
    return (count - 1) * steps + 1;
}

static double cubic(double p0, double p1, double p2, double p3, double t)
{
    double linear = (p2 - p0) * t;
    double square = (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3) * t * t;
    double cube = (3.0 * (p1 - p2) + p3 - p0) * t * t * t;

    return 0.5 * (2.0 * p1 + linear + square + cube);
}

void tr_curve_flatten(const double (*path)[4], uint32_t count, uint32_t steps, double (*points)[4])
{
    for (uint32_t span = 0; span + 1 < count; span++) {
        const double *p1 = path[span], *p2 = path[span + 1];
        const double *p0 = span > 0 ? path[span - 1] : p1, *p3 = span + 2 < count ? path[span + 2] : p2;

        for (uint32_t k = 0; k < steps; k++, points++) {
            for (int i = 0; i < 4; i++)
                (*points)[i] = cubic(p0[i], p1[i], p2[i], p3[i], (double)k / (double)steps);
            if ((*points)[3] < 0.0) /* between points of very different radii the cubic swings below */
                (*points)[3] = 0.0;
        }
    }
    memcpy(*points, path[count - 1], sizeof *points);
}
