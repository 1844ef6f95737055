#include "tests/naive/naive_tube.h"
#include "tests/naive/naive_float.h"
#include "tests/naive/naive_polyhedron.h"

#define LEAST_LENGTH 0x1p-20 /* of a piece, voxels */

size_t naive_curve_count(const struct naive_node *node)
{
    return (size_t)(node->path_count - 1) * (size_t)node->steps + 1;
}

static double cubic(const double p[4], double t)
{
    return 0.5 * (2.0 * p[1] + (p[2] - p[0]) * t + (2.0 * p[0] - 5.0 * p[1] + 4.0 * p[2] - p[3]) * t * t +
                  (3.0 * (p[1] - p[2]) + p[3] - p[0]) * t * t * t);
}

/* The point at t of the span that begins at path[i]; beyond an end of the path stands its last point again. */
static struct naive_knot curve_point(const struct naive_node *node, int i, double t)
{
    const struct naive_knot *around[4];
    struct naive_knot point;
    for (int k = 0; k < 4; k++) {
        int at = i - 1 + k;
        around[k] = &node->path[at < 0 ? 0 : at >= node->path_count ? node->path_count - 1 : at];
    }
    for (int axis = 0; axis < 3; axis++) {
        const double p[4] = {around[0]->at[axis], around[1]->at[axis], around[2]->at[axis],
                             around[3]->at[axis]};
        point.at[axis] = cubic(p, t);
    }
    const double radii[4] = {around[0]->radius, around[1]->radius, around[2]->radius, around[3]->radius};
    point.radius = fmax(cubic(radii, t), 0.0);
    return point;
}

void naive_curve(const struct naive_node *node, struct naive_knot *points)
{
    for (int i = 0; i + 1 < node->path_count; i++)
        for (int k = 0; k < node->steps; k++)
            *points++ = curve_point(node, i, (double)k / node->steps);
    *points = node->path[node->path_count - 1];
}

bool naive_piece_make(const struct naive_knot *from, const struct naive_knot *to, const double up[3],
                      const double other[3], struct naive_piece *out)
{
    double along[3];
    for (int i = 0; i < 3; i++)
        along[i] = to->at[i] - from->at[i];
    if (sqrt(naive_dot(along, along)) < LEAST_LENGTH)
        return false;
    out->from = *from;
    out->to = *to;
    naive_unit(along, out->axis);
    naive_axes_across(out->axis, up, other, out->side, out->top);
    return true;
}

struct naive_framed_piece naive_piece_in_frame(const struct naive_piece *piece, const int corner[3])
{
    double along[3];
    struct naive_framed_piece framed = {
        .radius = naive_parameter(piece->from.radius),
        .widening = naive_parameter(piece->to.radius - piece->from.radius),
    };
    for (int i = 0; i < 3; i++) {
        along[i] = piece->to.at[i] - piece->from.at[i];
        framed.from[i] = naive_parameter(piece->from.at[i] - corner[i]);
    }
    framed.inverse_2 = naive_parameter(1.0 / naive_dot(along, along));
    naive_parameters(along, framed.along);
    naive_parameters(piece->axis, framed.axis);
    naive_parameters(piece->side, framed.side);
    naive_parameters(piece->top, framed.top);
    return framed;
}

static float piece_distance(const struct naive_framed_piece *piece, enum naive_profile profile,
                            const float p[3])
{
    float q[3], w[3];
    for (int i = 0; i < 3; i++)
        q[i] = p[i] - piece->from[i];
    float t = naive_between(naive_dot_float(q, piece->along) * piece->inverse_2, 0.0f, 1.0f);
    for (int i = 0; i < 3; i++)
        w[i] = q[i] - t * piece->along[i];
    float radius = t * piece->widening + piece->radius;
    float above = naive_dot_float(piece->top, w);
    if (profile == NAIVE_PROFILE_SQUARE) {
        float beside = fabsf(naive_dot_float(piece->side, w)) - radius;
        float over = fabsf(above) - radius;
        float beyond = fabsf(naive_dot_float(piece->axis, w));
        bool is_end = !(t > 0.0f && t < 1.0f); /* else the ends are no face */
        return naive_over_faces(beside, over,
                                is_end ? beyond : naive_smaller(naive_smaller(beside, over), 0.0f));
    }
    float round = naive_root(naive_dot_float(w, w)) - radius;
    float below_floor = (0.0f - above) - 0.5f * radius;
    return profile == NAIVE_PROFILE_ARCH ? naive_larger(round, below_floor) : round;
}

float naive_tube_distance(const struct naive_framed_piece *pieces, size_t count, enum naive_profile profile,
                          const float p[3])
{
    float d = 0x1p30f;
    for (size_t i = 0; i < count; i++)
        d = naive_smaller(d, piece_distance(&pieces[i], profile, p));
    return d;
}
