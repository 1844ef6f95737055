#include "tests/naive/naive_brush.h"
#include "tests/naive/naive_angle.h"
#include "tests/naive/naive_float.h"

/* ---- images of stamps ---- */

bool naive_stamp_picture(const struct naive_edit *edit, const struct naive_stamp *stamp,
                         struct naive_picture *picture)
{
    const double edge = 2.0 * stamp->radius; /* of the square that it covers */
    return naive_picture_make(edit->image, naive_halvings(edit->image, edge, edge), picture);
}

void naive_stamp_axes(const struct naive_edit *edit, double east[3], double south[3])
{
    double n[3] = {0, 1, 0}, e[3], s[3];
    if (!naive_is_height_brush(edit->op))
        naive_unit(edit->normal, n);
    const int axis = fabs(n[0]) < 0.9 ? 0 : 2;
    for (int i = 0; i < 3; i++)
        e[i] = (i == axis ? 1.0 : 0.0) - n[axis] * n[i];
    naive_unit(e, e);
    naive_cross(e, n, s);
    double cosine = naive_cos(edit->degrees * NAIVE_DEGREE), sine = naive_sin(edit->degrees * NAIVE_DEGREE);
    for (int i = 0; i < 3; i++) {
        east[i] = cosine * e[i] - sine * s[i];
        south[i] = sine * e[i] + cosine * s[i];
    }
}

/* Its middle is the brush's centre, its edges are twice the radius. */
static struct naive_framed_picture stamp_in_frame(const struct naive_edit *edit,
                                                  const struct naive_stamp *stamp,
                                                  const struct naive_picture *picture, const int corner[3])
{
    struct naive_view view = naive_view_of_frame();
    struct naive_picture_place place;
    double axes[2][3], centre[3];
    naive_stamp_axes(edit, axes[0], axes[1]);
    for (int i = 0; i < 3; i++)
        centre[i] = stamp->at[i] - corner[i];
    if (naive_is_height_brush(edit->op)) /* in the plane */
        centre[1] = view.middle[1] = view.half[1] = 0.0;
    for (int k = 0; k < 2; k++) {
        double last = (k == 0 ? picture->width : picture->height) - 1;
        for (int i = 0; i < 3; i++)
            place.a[k][i] = axes[k][i] * (last / (2.0 * fmax(stamp->radius, NAIVE_TINY)));
        place.a0[k] = last / 2.0 - naive_dot(place.a[k], centre);
    }
    return naive_picture_in_frame(picture, &place, &view);
}

/* ---- in a frame ---- */

static void put_plane(struct naive_brush *brush, const struct naive_measures *measures, const int corner[3])
{
    double normal[3], from_point[3];
    naive_unit(brush->edit->normal, normal);
    for (int i = 0; i < 3; i++)
        from_point[i] = corner[i] - measures->point[i];
    naive_parameters(normal, brush->plane);
    brush->plane_offset = naive_parameter(naive_dot(normal, from_point));
}

struct naive_brush naive_brush_in_frame(const struct naive_edit *edit, const struct naive_measures *measures,
                                        const struct naive_stamp *stamp, const struct naive_picture *picture,
                                        const int corner[3])
{
    struct naive_brush brush = {.edit = edit,
                                .inverse_radius = naive_parameter(1.0 / fmax(stamp->radius, NAIVE_TINY)),
                                .strength = naive_parameter(stamp->strength)};
    for (int i = 0; i < 3; i++)
        brush.centre[i] = naive_parameter(stamp->at[i] - corner[i]);
    if (edit->projected) {
        double axis[3];
        naive_unit(edit->axis, axis);
        naive_parameters(axis, brush.axis);
    }
    if (edit->op == NAIVE_VOLUME_FLATTEN)
        put_plane(&brush, measures, corner);
    if (naive_is_noise(edit->op))
        brush.noise = naive_noise_in_frame(edit->seed, edit->octaves, measures->scale,
                                           !naive_is_height_brush(edit->op), corner);
    if (naive_is_stamp(edit->op))
        brush.picture = stamp_in_frame(edit, stamp, picture, corner);
    naive_parameters(measures->by, brush.by);
    return brush;
}

/* ---- distances and weights ---- */

float naive_column_distance(const struct naive_brush *brush, int x, int z)
{
    float dx = (float)x - brush->centre[0], dz = (float)z - brush->centre[2];
    return naive_root(dx * dx + dz * dz) * brush->inverse_radius;
}

float naive_space_distance(const struct naive_brush *brush, const int p[3])
{
    float q[3], from_axis[3];
    for (int i = 0; i < 3; i++)
        q[i] = (float)p[i] - brush->centre[i];
    float along = naive_dot_float(q, brush->axis);
    for (int i = 0; i < 3; i++)
        from_axis[i] = q[i] - along * brush->axis[i];
    if (!(fabsf(along) * brush->inverse_radius < 1.0f))
        return 1.0f;
    return naive_root(naive_dot_float(from_axis, from_axis)) * brush->inverse_radius;
}

float naive_falloff(enum naive_falloff falloff, int power, float d)
{
    if (!(d < 1.0f))
        return 0.0f;
    float p = 1.0f - d;
    float w = 1.0f;
    switch (falloff) {
    case NAIVE_FALLOFF_SMOOTH:
        w = (p * p) * (3.0f - 2.0f * p);
        break;
    case NAIVE_FALLOFF_SMOOTHER:
        w = ((p * p) * p) * ((6.0f * p - 15.0f) * p + 10.0f);
        break;
    case NAIVE_FALLOFF_SPHERE:
        w = naive_root((2.0f - p) * p);
        break;
    case NAIVE_FALLOFF_ROOT:
        w = naive_root(p);
        break;
    case NAIVE_FALLOFF_SHARP:
        w = p;
        for (int i = 1; i < power; i++)
            w = w * p;
        break;
    case NAIVE_FALLOFF_POW4:
        w = (p * p) * (p * p);
        break;
    case NAIVE_FALLOFF_LINEAR:
        w = p;
        break;
    case NAIVE_FALLOFF_INVERSE_SQUARE:
        w = (2.0f - p) * p;
        break;
    case NAIVE_FALLOFF_CONSTANT:
        break;
    }
    return w > 1.0f ? 1.0f : w;
}

bool naive_stamp_is_near(const struct naive_edit *edit, const struct naive_stamp *stamp, double distance)
{
    double farthest = edit->projected ? stamp->radius * sqrt(2.0) : stamp->radius;
    return distance < farthest * 1.001 + 1.0;
}
