/* A shape in one frame, and its distance there. */
#include "tests/naive/naive_shape.h"
#include "tests/naive/naive_angle.h"
#include "tests/naive/naive_float.h"

#include <stdlib.h>

#define LARGE_RADIUS 1024.0  /* from here on the distance that does not cancel */
#define ENDLESS 0x1p30       /* how far an endless axis goes to either side */
#define LEAST_RADIUS 0x1p-10 /* of an ellipsoid */

/* ---- blends ---- */

struct naive_blender naive_blender_of(const struct naive_blend *blend, double width, double unit)
{
    if (blend->kind == NAIVE_BLEND_HARD || width < NAIVE_TINY)
        return (struct naive_blender){.kind = NAIVE_BLEND_HARD};
    double k = width * unit, step = k / (blend->kind == NAIVE_BLEND_STAIRS ? blend->steps : 1);
    return (struct naive_blender){.kind = blend->kind,
                                  .width = naive_parameter(k),
                                  .inverse_4 = naive_parameter(1.0 / (4.0 * k)),
                                  .step = naive_parameter(step),
                                  .inverse_period = naive_parameter(1.0 / (2.0 * step))};
}

float naive_blended(const struct naive_blender *blender, float x, float y)
{
    float m = naive_smaller(x, y), k = blender->width;
    switch (blender->kind) {
    case NAIVE_BLEND_SMOOTH: {
        float e = k - fabsf(x - y);
        return e > 0.0f ? m - (e * e) * blender->inverse_4 : m;
    }
    case NAIVE_BLEND_CHAMFER:
        return naive_smaller(m, ((x + y) - k) * (float)0.70710678118654752);
    case NAIVE_BLEND_STAIRS: {
        /* A triangle wave of y - k - x, from s at its whole periods down to 0 and up again. */
        float s = blender->step, t = (((y - k) - x) + s);
        t = t - floorf(t * blender->inverse_period) * (s + s);
        return naive_smaller(m, 0.5f * (((y - k) + x) + fabsf(t - s)));
    }
    case NAIVE_BLEND_HARD:
        break;
    }
    return m;
}

/* ---- primitives in a frame ---- */

static void relative(const double p[3], const int corner[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = p[i] - corner[i];
}

/* Of the segment from a to b, or the line through a along u; c is the point of it nearest to the frame's origin, so
 * that numbers stay small near the samples. */
static struct naive_axis axis_through(const double a[3], const double b[3], const double u[3], double length,
                                      bool endless, double radius)
{
    double t = -naive_dot(a, u), c[3];
    if (!endless)
        t = t < 0.0 ? 0.0 : t > length ? length : t;
    for (int i = 0; i < 3; i++)
        c[i] = !endless && length > 0.0 && t == length ? b[i] : a[i] + t * u[i];
    struct naive_axis axis = {.t0 = naive_parameter(endless ? -ENDLESS : -t),
                              .t1 = naive_parameter(endless ? ENDLESS : length - t),
                              .radius = naive_parameter(radius),
                              .c2_minus_r2 = naive_parameter(naive_dot(c, c) - radius * radius),
                              .large = radius >= LARGE_RADIUS};
    for (int i = 0; i < 3; i++) {
        axis.c[i] = naive_parameter(c[i]);
        axis.u[i] = naive_parameter(u[i]);
    }
    return axis;
}

static double direction(const double a[3], const double b[3], double u[3])
{
    double ab[3];
    for (int i = 0; i < 3; i++)
        ab[i] = b[i] - a[i];
    double length = sqrt(naive_dot(ab, ab));
    length = length < NAIVE_TINY ? 0.0 : length;
    for (int i = 0; i < 3; i++)
        u[i] = length > 0.0 ? ab[i] / length : 0.0;
    return length;
}

static void put_round(struct naive_part *part, const struct naive_solid *solid, const int corner[3])
{
    double a[3], b[3], u[3];
    relative(solid->a, corner, a);
    relative(solid->kind == NAIVE_CAPSULE ? solid->b : solid->a, corner, b);
    double length = direction(a, b, u);
    part->axis = axis_through(a, b, u, length, false, solid->radius);
}

static void put_rows(struct naive_part *part, const struct naive_solid *solid)
{
    for (int i = 0; i < 3; i++)
        naive_parameters(solid->rows[i], part->rows[i]);
}

/* low and high: what to add to the place along each axis of the box, and to take it from, for the distance from the
 * face above and below. */
static void put_box(struct naive_part *part, const struct naive_solid *solid, const int corner[3])
{
    double centre[3];
    relative(solid->a, corner, centre);
    put_rows(part, solid);
    part->radius = naive_parameter(solid->radius);
    for (int i = 0; i < 3; i++) {
        double g = naive_dot(solid->rows[i], centre), half = solid->size[i] / 2.0;
        if (solid->kind == NAIVE_ROUNDED_BOX)
            half = half - solid->radius;
        part->high[i] = naive_parameter(-g - half);
        part->low[i] = naive_parameter(g - half);
    }
}

/* rows and low lead from a sample to its place along the axes, from the centre. */
static void put_axes(struct naive_part *part, const struct naive_solid *solid, const int corner[3])
{
    double centre[3];
    relative(solid->a, corner, centre);
    put_rows(part, solid);
    for (int i = 0; i < 3; i++)
        part->low[i] = naive_parameter(-naive_dot(solid->rows[i], centre));
}

static void put_ellipsoid(struct naive_part *part, const struct naive_solid *solid, const int corner[3])
{
    put_axes(part, solid, corner);
    for (int i = 0; i < 3; i++) {
        double radius = fmax(solid->size[i], LEAST_RADIUS);
        part->size[i] = naive_parameter(radius);
        part->inverse_size[i] = naive_parameter(1.0 / radius);
    }
}

/* Cylinder and cones, from a to b; the torus, around its centre. */
static void put_turned(struct naive_part *part, const struct naive_solid *solid, const int corner[3])
{
    const bool is_cone = solid->kind == NAIVE_CONE || solid->kind == NAIVE_CAPPED_CONE;
    double a[3], b[3], u[3], middle[3], length = 0.0;
    relative(solid->a, corner, a);
    relative(solid->b, corner, b);
    if (solid->kind == NAIVE_TORUS)
        naive_unit(solid->axis, u);
    else
        length = direction(a, b, u);
    for (int i = 0; i < 3; i++)
        middle[i] = solid->kind == NAIVE_TORUS ? a[i] : (a[i] + b[i]) / 2.0;
    double g = naive_dot(u, middle), radius = solid->radius, slope = solid->to_radius - radius;
    part->axis = axis_through(a, b, u, length, true, is_cone ? 0.0 : radius);
    part->along = naive_parameter(-g);
    part->high[0] = naive_parameter(-g - length / 2.0);
    part->low[0] = naive_parameter(g - length / 2.0);
    part->tube = naive_parameter(solid->tube);
    part->half = naive_parameter(length / 2.0);
    part->radius = naive_parameter(radius);
    part->to_radius = naive_parameter(solid->to_radius);
    part->slope[0] = naive_parameter(slope);
    part->slope[1] = naive_parameter(length);
    part->inverse_slope_2 = naive_parameter(1.0 / (slope * slope + length * length));
}

/* The half-space is below the plane; low[0] is the height of the frame's origin above it. */
static void put_half_space(struct naive_part *part, const struct naive_solid *solid, const int corner[3])
{
    double n[3], from_point[3];
    naive_unit(solid->axis, n);
    for (int i = 0; i < 3; i++)
        from_point[i] = corner[i] - solid->a[i];
    naive_parameters(n, part->rows[0]);
    part->low[0] = naive_parameter(naive_dot(n, from_point));
}

static void put_link(struct naive_part *part, const struct naive_solid *solid, const int corner[3])
{
    put_axes(part, solid, corner);
    part->half = naive_parameter(solid->length / 2.0);
    part->radius = naive_parameter(solid->radius);
    part->tube = naive_parameter(solid->tube);
}

/* The view seen along the axes of a height map, from its centre. */
static struct naive_view view_along(const struct naive_view *view, const struct naive_solid *solid,
                                    const int corner[3])
{
    struct naive_view turned = {.is_endless = view->is_endless};
    double centre[3];
    relative(solid->a, corner, centre);
    for (int i = 0; i < 3; i++) {
        const double *r = solid->rows[i], *half = view->half;
        turned.middle[i] = naive_dot(r, view->middle) - naive_dot(r, centre);
        turned.half[i] = fabs(r[0]) * half[0] + fabs(r[1]) * half[1] + fabs(r[2]) * half[2];
    }
    return turned;
}

/* What a height above the picture is worth as a distance, where it is at most so steep across and down. */
static double flatness_of(const struct naive_solid *solid)
{
    const struct naive_picture *picture = &solid->picture;
    double steps[2];
    naive_picture_steps(picture, steps);
    double across = steps[0] * solid->size[1] * (picture->width - 1) / solid->size[0];
    double down = steps[1] * solid->size[1] * (picture->height - 1) / solid->size[2];
    return 1.0 / sqrt(1.0 + across * across + down * down);
}

static void put_height_map(struct naive_part *part, const struct naive_solid *solid, const int corner[3],
                           const struct naive_view *view)
{
    const struct naive_picture *picture = &solid->picture;
    const struct naive_view turned = view_along(view, solid, corner);
    const struct naive_picture_place place = {
        .a = {{(picture->width - 1) / solid->size[0], 0, 0}, {0, 0, (picture->height - 1) / solid->size[2]}},
        .a0 = {(picture->width - 1) / 2.0, (picture->height - 1) / 2.0}};
    put_axes(part, solid, corner);
    for (int i = 0; i < 3; i++)
        part->size[i] = naive_parameter(solid->size[i] / 2.0);
    part->along = naive_parameter(solid->size[1]);
    part->flatness = naive_parameter(flatness_of(solid));
    part->picture = naive_picture_in_frame(picture, &place, &turned);
}

static void put_tube(struct naive_part *part, const struct naive_solid *solid, const int corner[3])
{
    part->piece_count = solid->piece_count;
    part->profile = solid->node->profile;
    for (size_t i = 0; i < solid->piece_count; i++)
        part->pieces[i] = naive_piece_in_frame(&solid->pieces[i], corner);
}

/* ---- modifiers in a frame ---- */

/* What makes points of those within: rows and low lead to the move's own axes. */
static void put_move(struct naive_part *part, const struct naive_solid *solid, const int corner[3])
{
    double along[3];
    put_axes(part, solid, corner);
    for (int i = 0; i < 3; i++) {
        part->size[i] = naive_parameter(solid->size[i] / 2.0);
        along[i] = solid->b[i] - solid->a[i];
    }
    part->rate = naive_parameter(-solid->rate); /* points turn back */
    part->inverse_length = naive_parameter(1.0 / sqrt(naive_dot(along, along)));
    part->widening = naive_parameter(1.0 / solid->node->factor - 1.0);
}

/* `world` is the corner of the samples' owner, wherever points are moved. */
static void put_displace(struct naive_part *part, const struct naive_solid *solid, const int world[3])
{
    const struct naive_node *node = solid->node;
    part->amount = naive_parameter(solid->length / naive_noise_weight(node->octaves));
    part->noise = naive_noise_in_frame(node->seed, node->octaves, solid->scale, true, world);
}

/* Where numbers are taken from. */
struct frame {
    int corner[3], world[3];
    struct naive_view view;
};

static void put_part(struct naive_part *part, const struct naive_solid *solid, const struct frame *frame)
{
    const int *corner = frame->corner;
    switch (solid->kind) {
    case NAIVE_SPHERE:
    case NAIVE_CAPSULE:
        put_round(part, solid, corner);
        break;
    case NAIVE_BOX:
    case NAIVE_ROUNDED_BOX:
        put_box(part, solid, corner);
        break;
    case NAIVE_ELLIPSOID:
        put_ellipsoid(part, solid, corner);
        break;
    case NAIVE_TORUS:
    case NAIVE_CYLINDER:
    case NAIVE_CONE:
    case NAIVE_CAPPED_CONE:
        put_turned(part, solid, corner);
        break;
    case NAIVE_HALF_SPACE:
        put_half_space(part, solid, corner);
        break;
    case NAIVE_PRISM:
    case NAIVE_PYRAMID:
    case NAIVE_OCTAHEDRON:
        naive_polyhedron_in_frame(solid->polyhedron, corner, part->polyhedron);
        break;
    case NAIVE_LINK:
        put_link(part, solid, corner);
        break;
    case NAIVE_HEIGHT_MAP:
        put_height_map(part, solid, corner, &frame->view);
        break;
    case NAIVE_MESH:
        part->grid =
            naive_grid_in_frame(&solid->grid, solid->rows, solid->a, solid->cell, corner, &frame->view);
        break;
    case NAIVE_TUBE:
        put_tube(part, solid, corner);
        break;
    case NAIVE_ROUND:
        part->amount = naive_parameter(solid->length);
        break;
    case NAIVE_ONION:
        part->amount = naive_parameter(solid->length / 2.0);
        break;
    case NAIVE_DISPLACE:
        put_displace(part, solid, frame->world);
        break;
    case NAIVE_ELONGATE:
    case NAIVE_TWIST:
    case NAIVE_BEND:
    case NAIVE_TAPER:
        put_move(part, solid, corner);
        break;
    default: /* operations */
        part->blender = naive_blender_of(&solid->blend, solid->blend.width, 1.0);
        break;
    }
}

/* The shape that begins at the solid *next. */
static void place(struct naive_shape *shape, size_t *next, const struct frame *frame)
{
    const struct naive_solid *solid = &shape->solids[*next];
    struct frame inner = *frame;
    put_part(&shape->parts[(*next)++], solid, frame);
    if (naive_moves_points(solid->kind)) {
        memset(inner.corner, 0, sizeof inner.corner);
        inner.view.is_endless = true;
    }
    for (int i = 0; i < solid->children; i++)
        place(shape, next, &inner);
}

void naive_shape_place(struct naive_shape *shape, const int corner[3])
{
    struct frame frame = {.view = naive_view_of_frame()};
    size_t next = 0;
    memcpy(frame.corner, corner, sizeof frame.corner);
    memcpy(frame.world, corner, sizeof frame.world);
    place(shape, &next, &frame);
}

/* ---- shapes ---- */

static bool make_parts(struct naive_shape *shape)
{
    bool good = true;
    for (size_t i = 0; i < shape->count; i++) {
        const struct naive_solid *solid = &shape->solids[i];
        struct naive_part *part = &shape->parts[i];
        part->kind = solid->kind;
        part->children = solid->children;
        if (solid->polyhedron != NULL)
            part->polyhedron = malloc(sizeof *part->polyhedron);
        if (solid->pieces != NULL)
            part->pieces = malloc((solid->piece_count + 1) * sizeof *part->pieces);
        good = good && (solid->polyhedron == NULL || part->polyhedron != NULL) &&
               (solid->pieces == NULL || part->pieces != NULL);
    }
    return good;
}

struct naive_shape *naive_shape_create(const struct naive_node *nodes, double voxel_size)
{
    struct naive_shape *shape = calloc(1, sizeof *shape);
    if (shape == NULL)
        return NULL;
    shape->count = naive_solid_count(nodes);
    shape->solids = calloc(shape->count, sizeof *shape->solids);
    shape->parts = calloc(shape->count, sizeof *shape->parts);
    if (shape->solids != NULL && shape->parts != NULL &&
        naive_solids_make(nodes, voxel_size, shape->solids) && make_parts(shape))
        return shape;
    naive_shape_free(shape);
    return NULL;
}

void naive_shape_free(struct naive_shape *shape)
{
    if (shape == NULL)
        return;
    for (size_t i = 0; i < shape->count && shape->solids != NULL && shape->parts != NULL; i++) {
        struct naive_solid *solid = &shape->solids[i];
        free(solid->polyhedron);
        free(solid->pieces);
        naive_picture_release(&solid->picture);
        if (solid->has_grid)
            naive_grid_release(&solid->grid);
        free(shape->parts[i].polyhedron);
        free(shape->parts[i].pieces);
    }
    free(shape->solids);
    free(shape->parts);
    free(shape);
}

/* ---- distances ---- */

static float axis_distance(const struct naive_axis *axis, const float p[3])
{
    float q[3], v[3];
    for (int i = 0; i < 3; i++)
        q[i] = p[i] - axis->c[i];
    float along = naive_dot_float(q, axis->u);
    float s = along < axis->t0 ? axis->t0 : along > axis->t1 ? axis->t1 : along;
    for (int i = 0; i < 3; i++)
        v[i] = q[i] - s * axis->u[i];
    float away = naive_root(naive_dot_float(v, v));
    if (!axis->large)
        return away - axis->radius;
    /* (|v|^2 - r^2) / (|v| + r), the numerator expanded around the frame's origin, where it does not cancel. */
    float t[3];
    for (int i = 0; i < 3; i++)
        t[i] = p[i] * (p[i] - 2.0f * axis->c[i]);
    float n = ((t[0] + t[1]) + t[2]) + axis->c2_minus_r2;
    n = n - s * (2.0f * along - s);
    return n * naive_reciprocal(away + axis->radius);
}

static float box_distance(const struct naive_part *part, const float p[3])
{
    float e[3];
    for (int i = 0; i < 3; i++) {
        float g = naive_dot_float(part->rows[i], p);
        e[i] = naive_larger(g + part->high[i], part->low[i] - g);
    }
    return naive_over_faces(e[0], e[1], e[2]);
}

/* Along the axes of the part, from its centre. */
static void along_axes(const struct naive_part *part, const float p[3], float q[3])
{
    for (int i = 0; i < 3; i++)
        q[i] = naive_dot_float(part->rows[i], p) + part->low[i];
}

static float cylinder_distance(const struct naive_part *part, const float p[3])
{
    float side = axis_distance(&part->axis, p);
    float g = naive_dot_float(part->axis.u, p);
    float end = naive_larger(g + part->high[0], part->low[0] - g);
    /* In the plane: a third face that is never outside, nor the farthest inside. */
    return naive_over_faces(side, end, naive_smaller(naive_smaller(side, end), 0.0f));
}

static float torus_distance(const struct naive_part *part, const float p[3])
{
    float side = axis_distance(&part->axis, p);
    float above = naive_dot_float(part->axis.u, p) + part->along;
    return naive_root(side * side + above * above) - part->tube;
}

/* In the half-plane of the distance from the axis and the height above the middle: the nearer of the end on this side
 * and of the slope, which runs from the far rim back down by minus `slope`. */
static float cone_distance(const struct naive_part *part, const float p[3])
{
    float away = axis_distance(&part->axis, p);
    float above = naive_dot_float(part->axis.u, p) + part->along;
    float beyond = away - naive_smaller(away, above < 0.0f ? part->radius : part->to_radius);
    float over = fabsf(above) - part->half;
    float to_rim[2] = {part->to_radius - away, part->half - above};
    float t = (to_rim[0] * part->slope[0] + to_rim[1] * part->slope[1]) * part->inverse_slope_2;
    t = naive_between(t, 0.0f, 1.0f);
    float from_slope[2] = {t * part->slope[0] - to_rim[0], t * part->slope[1] - to_rim[1]};
    float ends_2 = beyond * beyond + over * over;
    float slope_2 = from_slope[0] * from_slope[0] + from_slope[1] * from_slope[1];
    float d = naive_root(naive_smaller(ends_2, slope_2));
    return from_slope[0] < 0.0f && over < 0.0f ? 0.0f - d : d;
}

static float ellipsoid_distance(const struct naive_part *part, const float p[3])
{
    float q[3], n[3], m[3];
    along_axes(part, p, q);
    for (int i = 0; i < 3; i++) {
        n[i] = q[i] * part->inverse_size[i];
        m[i] = n[i] * part->inverse_size[i];
    }
    const float *r = part->size;
    float n_length = naive_root(naive_dot_float(n, n)), m_length = naive_root(naive_dot_float(m, m));
    float estimate = 0.0f - naive_smaller(naive_smaller(r[0], r[1]), r[2]);
    if (!(n_length < 0x1p-10f))
        estimate = ((n_length - 1.0f) * n_length) * naive_reciprocal(m_length);
    return naive_larger(estimate,
                        naive_over_faces(fabsf(q[0]) - r[0], fabsf(q[1]) - r[1], fabsf(q[2]) - r[2]));
}

/* A torus around z, pulled apart along x. */
static float link_distance(const struct naive_part *part, const float p[3])
{
    float q[3];
    along_axes(part, p, q);
    float x = naive_larger(fabsf(q[0]) - part->half, 0.0f);
    float side = naive_root(x * x + q[1] * q[1]) - part->radius;
    return naive_root(side * side + q[2] * q[2]) - part->tube;
}

static float height_map_distance(const struct naive_part *part, const float p[3])
{
    float q[3];
    along_axes(part, p, q);
    const float *half = part->size, on_picture[3] = {q[0], 0.0f, q[2]};
    float box = naive_over_faces(fabsf(q[0]) - half[0], fabsf(q[1]) - half[1], fabsf(q[2]) - half[2]);
    float top = naive_picture_at(&part->picture, on_picture) * part->along;
    return naive_larger(box, ((q[1] + half[1]) - top) * part->flatness);
}

/* ---- moved points ---- */

/* The point at which what is within is asked instead of p. */
static void moved_point(const struct naive_part *part, const float p[3], float q[3])
{
    float sine, cosine, x, wide;
    along_axes(part, p, q);
    switch (part->kind) {
    case NAIVE_ELONGATE:
        for (int i = 0; i < 3; i++)
            q[i] = q[i] - naive_between(q[i], 0.0f - part->size[i], part->size[i]);
        break;
    case NAIVE_TWIST: /* around y, from z toward x */
        naive_turn(q[1] * part->rate, &sine, &cosine);
        x = cosine * q[0] + sine * q[2];
        q[2] = cosine * q[2] - sine * q[0];
        q[0] = x;
        break;
    case NAIVE_BEND: /* around z, from x toward y */
        naive_turn(q[0] * part->rate, &sine, &cosine);
        x = cosine * q[0] - sine * q[1];
        q[1] = cosine * q[1] + sine * q[0];
        q[0] = x;
        break;
    default: /* taper */
        wide = naive_between(q[1] * part->inverse_length, 0.0f, 1.0f) * part->widening + 1.0f;
        q[0] = q[0] * wide;
        q[2] = q[2] * wide;
        break;
    }
}

/* ---- the tree ---- */

/* x is what has been combined so far, y the next. */
static float operate(const struct naive_part *part, float x, float y)
{
    if (part->kind == NAIVE_NODE_UNION)
        return naive_blended(&part->blender, x, y);
    return 0.0f - naive_blended(&part->blender, 0.0f - x, part->kind == NAIVE_NODE_INTERSECT ? 0.0f - y : y);
}

static float primitive_distance(const struct naive_part *part, const float p[3])
{
    switch (part->kind) {
    case NAIVE_SPHERE:
    case NAIVE_CAPSULE:
        return axis_distance(&part->axis, p);
    case NAIVE_BOX:
        return box_distance(part, p);
    case NAIVE_ROUNDED_BOX:
        return box_distance(part, p) - part->radius;
    case NAIVE_CYLINDER:
        return cylinder_distance(part, p);
    case NAIVE_TORUS:
        return torus_distance(part, p);
    case NAIVE_CONE:
    case NAIVE_CAPPED_CONE:
        return cone_distance(part, p);
    case NAIVE_ELLIPSOID:
        return ellipsoid_distance(part, p);
    case NAIVE_HALF_SPACE:
        return naive_dot_float(part->rows[0], p) + part->low[0];
    case NAIVE_LINK:
        return link_distance(part, p);
    case NAIVE_HEIGHT_MAP:
        return height_map_distance(part, p);
    case NAIVE_MESH:
        return naive_grid_distance(&part->grid, p);
    case NAIVE_TUBE:
        return naive_tube_distance(part->pieces, part->piece_count, part->profile, p);
    default:
        return naive_polyhedron_distance(part->polyhedron, p);
    }
}

/* Of the shape that begins at the part *next; `sample` is where the frame has the sample, p where moves have led it. */
static float distance(const struct naive_part *parts, size_t *next, const float p[3], const float sample[3])
{
    const struct naive_part *part = &parts[(*next)++];
    float moved[3] = {p[0], p[1], p[2]};
    if (part->children == 0)
        return primitive_distance(part, p);
    if (naive_moves_points(part->kind))
        moved_point(part, p, moved);
    float d = distance(parts, next, moved, sample);
    switch (part->kind) {
    case NAIVE_ROUND:
        return d - part->amount;
    case NAIVE_ONION:
        return fabsf(d) - part->amount;
    case NAIVE_DISPLACE:
        return d - part->amount * naive_noise_at(&part->noise, sample);
    default:
        break;
    }
    for (int i = 1; i < part->children; i++)
        d = operate(part, d, distance(parts, next, moved, sample));
    return d;
}

float naive_shape_distance(const struct naive_shape *shape, const float p[3])
{
    size_t next = 0;
    return distance(shape->parts, &next, p, p);
}

int naive_joined_sample(enum naive_op op, const struct naive_blender *blender, float reach, float distance,
                        int stored)
{
    float away = op == NAIVE_INTERSECT ? 0.0f - distance : distance;
    if (!(away <= reach))
        return stored;
    if (op == NAIVE_UNION)
        return naive_round(naive_blended(blender, (float)stored, away * 256.0f), NAIVE_SAMPLE_LIMIT);
    return naive_round(0.0f - naive_blended(blender, (float)-stored, away * 256.0f), NAIVE_SAMPLE_LIMIT);
}
