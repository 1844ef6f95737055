/* Distances of primitives, each in the space where it is as written, metres. */
#include "tests/naive/oracle.h"

#include <math.h>

#define PI 3.14159265358979323846

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double length_of(const double v[3])
{
    return sqrt(dot(v, v));
}

static double length_in_plane(double x, double y)
{
    return sqrt(x * x + y * y);
}

/* ---- round ones and boxes ---- */

static double distance_from_segment(const double a[3], const double b[3], const double p[3])
{
    double ab[3], ap[3], away[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = b[i] - a[i];
        ap[i] = p[i] - a[i];
    }
    double share = dot(ab, ab) > 0.0 ? fmin(fmax(dot(ap, ab) / dot(ab, ab), 0.0), 1.0) : 0.0;
    for (int i = 0; i < 3; i++)
        away[i] = ap[i] - share * ab[i];
    return length_of(away);
}

/* From a box or rectangle whose sides are at these distances. */
static double outside_or_in(const double *e, int count)
{
    double out_2 = 0.0, in = -INFINITY;
    for (int i = 0; i < count; i++) {
        out_2 += e[i] > 0.0 ? e[i] * e[i] : 0.0;
        in = e[i] > in ? e[i] : in;
    }
    return in > 0.0 ? sqrt(out_2) : in;
}

static double box_distance(const double half[3], const double q[3])
{
    const double e[3] = {fabs(q[0]) - half[0], fabs(q[1]) - half[1], fabs(q[2]) - half[2]};
    return outside_or_in(e, 3);
}

static double rounded_box_distance(const double half[3], double radius, const double q[3])
{
    const double inner[3] = {half[0] - radius, half[1] - radius, half[2] - radius};
    return box_distance(inner, q) - radius;
}

static double ellipsoid_distance(const double radii[3], const double q[3], bool *doubtful)
{
    const double n[3] = {q[0] / radii[0], q[1] / radii[1], q[2] / radii[2]};
    const double m[3] = {n[0] / radii[0], n[1] / radii[1], n[2] / radii[2]};
    double size = length_of(n);
    *doubtful = *doubtful || fabs(size - 0x1p-10) < 0x1p-16;
    double estimate =
        size < 0x1p-10 ? -fmin(fmin(radii[0], radii[1]), radii[2]) : size * (size - 1.0) / length_of(m);
    return fmax(estimate, box_distance(radii, q));
}

/* ---- outlines in a plane ---- */

static double distance_in_plane(const double a[2], const double b[2], double x, double y)
{
    const double from[3] = {a[0], a[1], 0.0}, to[3] = {b[0], b[1], 0.0}, p[3] = {x, y, 0.0};
    return distance_from_segment(from, to, p);
}

/* How far p lies to the right of the way from a to b. */
static double right_of(const double a[2], const double b[2], double x, double y)
{
    return (b[1] - a[1]) * (x - a[0]) - (b[0] - a[0]) * (y - a[1]);
}

/* A convex outline, counter-clockwise; the first `open` of its edges are no surface, as those along an axis. */
static double outline_distance(const double (*corners)[2], int count, int open, double x, double y)
{
    double nearest = INFINITY;
    bool inside = true;
    for (int i = 0; i < count; i++) {
        const double *a = corners[i], *b = corners[(i + 1) % count];
        inside = inside && (i < open || right_of(a, b, x, y) < 0.0);
        if (i >= open)
            nearest = fmin(nearest, distance_in_plane(a, b, x, y));
    }
    return inside ? -nearest : nearest;
}

/* A point as a solid of revolution has it: distance from the axis, and height above the point `base`. */
static void turn(const double base[3], const double axis[3], const double p[3], double *rho, double *height)
{
    double q[3], side[3], length = length_of(axis);
    for (int i = 0; i < 3; i++)
        q[i] = p[i] - base[i];
    *height = dot(q, axis) / length;
    for (int i = 0; i < 3; i++)
        side[i] = q[i] - *height * axis[i] / length;
    *rho = length_of(side);
}

/* In the half-plane; its edge along the axis is no surface. */
static double capped_cone_distance(double radius, double to_radius, double length, double rho, double height)
{
    const double outline[4][2] = {{0.0, length}, {0.0, 0.0}, {radius, 0.0}, {to_radius, length}};
    return outline_distance(outline, to_radius > 0.0 ? 4 : 3, 1, rho, height);
}

/* ---- flat faces ---- */

/* The directions that go with `up` across an axis, or where that is too close with x. */
static void across(const double axis[3], double side[3], double top[3])
{
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    double u[3], v[3];
    for (int i = 0; i < 3; i++)
        u[i] = axis[i] / length_of(axis);
    cross(fabs(u[1]) > 0.999 ? x : y, u, v);
    for (int i = 0; i < 3; i++)
        side[i] = v[i] / length_of(v);
    cross(u, side, top);
}

/* A polygon, and how far above or below its ends. */
static double prism_distance(const struct naive_node *node, const double axis[3], const double q[3])
{
    double polygon[16][2], side[3], top[3], length = length_of(axis), height = dot(q, axis) / length;
    across(axis, side, top);
    for (int i = 0; i < node->sides; i++) {
        polygon[i][0] = node->radius * cos(2.0 * PI * i / node->sides);
        polygon[i][1] = node->radius * sin(2.0 * PI * i / node->sides);
    }
    const double e[2] = {
        outline_distance((const double(*)[2])polygon, node->sides, 0, dot(q, side), dot(q, top)),
        fmax(-height, height - length)};
    return outside_or_in(e, 2);
}

struct triangle {
    double a[3], b[3], c[3];
};

/* From its plane where the foot of p lies in it, by shares of its corners; else from its edges. */
static double distance_from_triangle(const struct triangle *t, const double p[3], double *above)
{
    double ab[3], ac[3], ap[3], n[3], across_b[3], across_c[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = t->b[i] - t->a[i];
        ac[i] = t->c[i] - t->a[i];
        ap[i] = p[i] - t->a[i];
    }
    cross(ab, ac, n);
    cross(ap, ac, across_b);
    cross(ab, ap, across_c);
    double share_b = dot(across_b, n) / dot(n, n), share_c = dot(across_c, n) / dot(n, n);
    *above = dot(ap, n) / length_of(n);
    if (share_b >= 0.0 && share_c >= 0.0 && share_b + share_c <= 1.0)
        return fabs(*above);
    return fmin(fmin(distance_from_segment(t->a, t->b, p), distance_from_segment(t->b, t->c, p)),
                distance_from_segment(t->c, t->a, p));
}

/* A convex solid around `middle`. */
static double convex_distance(const struct triangle *triangles, int count, const double middle[3],
                              const double p[3])
{
    double outer = INFINITY, inner = -INFINITY, above, side;
    for (int i = 0; i < count; i++) {
        distance_from_triangle(&triangles[i], middle, &side);
        outer = fmin(outer, distance_from_triangle(&triangles[i], p, &above));
        inner = fmax(inner, side < 0.0 ? above : -above);
    }
    return inner < 0.0 ? inner : outer;
}

static double octahedron_distance(double radius, const double q[3])
{
    static const double middle[3] = {0, 0, 0};
    struct triangle faces[8];
    for (int i = 0; i < 8; i++)
        faces[i] = (struct triangle){{i & 1 ? radius : -radius, 0, 0},
                                     {0, i & 2 ? radius : -radius, 0},
                                     {0, 0, i & 4 ? radius : -radius}};
    return convex_distance(faces, 8, middle, q);
}

static double pyramid_distance(const double size[3], const double q[3])
{
    const double x = size[0] / 2.0, y = size[1], z = size[2] / 2.0, middle[3] = {0.0, y / 4.0, 0.0};
    const struct triangle faces[6] = {
        {{-x, 0, -z}, {x, 0, -z}, {x, 0, z}}, {{-x, 0, -z}, {x, 0, z}, {-x, 0, z}},
        {{-x, 0, -z}, {x, 0, -z}, {0, y, 0}}, {{x, 0, -z}, {x, 0, z}, {0, y, 0}},
        {{x, 0, z}, {-x, 0, z}, {0, y, 0}},   {{-x, 0, z}, {-x, 0, -z}, {0, y, 0}},
    };
    return convex_distance(faces, 6, middle, q);
}

/* ---- links, height maps ---- */

static double link_distance(const struct naive_node *node, const double q[3])
{
    double axis[3], along[3], aside[3];
    for (int i = 0; i < 3; i++)
        axis[i] = node->axis[i] / length_of(node->axis);
    for (int i = 0; i < 3; i++)
        along[i] = node->along[i] - dot(node->along, axis) * axis[i];
    double x = dot(q, along) / length_of(along), z = dot(q, axis);
    for (int i = 0; i < 3; i++)
        aside[i] = q[i] - x * along[i] / length_of(along) - z * axis[i];
    x = fmax(fabs(x) - node->length / 2.0, 0.0);
    return length_in_plane(length_in_plane(x, length_of(aside)) - node->radius, z) - node->tube;
}

static double height_map_distance(const struct naive_node *node, const struct oracle_node *known,
                                  const double half[3], const double q[3])
{
    int width = node->image->width, height = node->image->height;
    for (int i = 0; i < known->halvings; i++) {
        width = width / 2 + width % 2;
        height = height / 2 + height % 2;
    }
    double grey = oracle_image(node->image, known->halvings, (0.5 + q[0] / node->size[0]) * (width - 1),
                               (0.5 + q[2] / node->size[2]) * (height - 1));
    double over = q[1] - (grey - 0.5) * node->size[1];
    return fmax(box_distance(half, q), over / sqrt(1.0 + known->grade_2));
}

/* ---- meshes ---- */

/* How often the surface winds around p: what a ray of no special direction crosses. */
static int winding(const struct naive_mesh *mesh, const double p[3])
{
    static const double ray[3] = {0.43571, 0.77213, 0.61037};
    int sum = 0;
    for (int k = 0; k < mesh->triangle_count; k++) {
        double v[3][3], c[3];
        int side = 0;
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                v[j][i] = mesh->corners[mesh->triangles[k][j]][i] - p[i];
        for (int j = 0; j < 3; j++) {
            cross(v[j], v[(j + 1) % 3], c);
            side += dot(c, ray) > 0.0 ? 1 : -1;
        }
        cross(v[0], v[1], c);
        if (side == 3 || side == -3) /* the line goes through it; the ray if it lies ahead */
            sum += (dot(c, v[2]) > 0.0) == (side > 0) ? side / 3 : 0;
    }
    return sum;
}

static double mesh_distance(const struct naive_mesh *mesh, const double p[3])
{
    double nearest = INFINITY, above;
    for (int k = 0; k < mesh->triangle_count; k++) {
        const int *corner = mesh->triangles[k];
        struct triangle triangle;
        for (int i = 0; i < 3; i++) {
            triangle.a[i] = mesh->corners[corner[0]][i];
            triangle.b[i] = mesh->corners[corner[1]][i];
            triangle.c[i] = mesh->corners[corner[2]][i];
        }
        nearest = fmin(nearest, distance_from_triangle(&triangle, p, &above));
    }
    return nearest > 0.0 && winding(mesh, p) != 0 ? -nearest : nearest;
}

/* The mean of the distances at the 8 points of the lattice of cells around; beyond the grid, which goes a margin of cells
 * around the mesh, that of the rim and the way there. */
static double grid_distance(const struct naive_node *node, const struct oracle_node *known, const double p[3])
{
    const struct naive_mesh *mesh = node->mesh;
    double low[3], share[3], middle[3], half[3], beyond[3], q[3], sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double least = INFINITY, greatest = -INFINITY;
        for (int k = 0; k < mesh->corner_count; k++) {
            least = fmin(least, mesh->corners[k][i]);
            greatest = fmax(greatest, mesh->corners[k][i]);
        }
        middle[i] = p[i] - (least + greatest) / 2.0;
        half[i] = (greatest - least) / 2.0;
        double first = floor(least / node->cell + 0x1p-20) - known->margin;
        double last = ceil(greatest / node->cell - 0x1p-20) + known->margin;
        double at = p[i] / node->cell, on_grid = fmin(fmax(at, first), last);
        low[i] = fmin(floor(on_grid), last - 1.0);
        share[i] = on_grid - low[i];
        beyond[i] = (at - on_grid) * node->cell;
    }
    for (int k = 0; k < 8; k++) {
        double weight = 1.0;
        for (int i = 0; i < 3; i++) {
            int high = k >> i & 1;
            weight *= high ? share[i] : 1.0 - share[i];
            q[i] = (low[i] + high) * node->cell;
        }
        if (weight > 0.0)
            sum += weight * mesh_distance(mesh, q);
    }
    return fmax(sum + length_of(beyond), box_distance(half, middle));
}

/* ---- tubes ---- */

/* In Hermite's form: a span goes from b to c, with half the way from a to c as its slope at b. */
static double curve(double a, double b, double c, double d, double t)
{
    double slope_b = (c - a) / 2.0, slope_c = (d - b) / 2.0, s = 1.0 - t;
    return b * s * s * (1.0 + 2.0 * t) + c * t * t * (3.0 - 2.0 * t) + slope_b * t * s * s -
           slope_c * t * t * s;
}

static struct naive_knot knot_at(const struct naive_node *node, int span, double t)
{
    const struct naive_knot *b = &node->path[span], *c = b + 1, *a = span > 0 ? b - 1 : b;
    const struct naive_knot *d = span + 2 < node->path_count ? c + 1 : c;
    struct naive_knot knot = {.radius = fmax(curve(a->radius, b->radius, c->radius, d->radius, t), 0.0)};
    for (int i = 0; i < 3; i++)
        knot.at[i] = curve(a->at[i], b->at[i], c->at[i], d->at[i], t);
    return knot;
}

static double piece_distance(const struct naive_knot *from, const struct naive_knot *to,
                             enum naive_profile profile, double near, const double p[3], bool *doubtful)
{
    double axis[3], q[3], w[3], side[3], top[3];
    for (int i = 0; i < 3; i++) {
        axis[i] = to->at[i] - from->at[i];
        q[i] = p[i] - from->at[i];
    }
    double length = length_of(axis), along = dot(q, axis) / length, t = fmin(fmax(along / length, 0.0), 1.0);
    double radius = from->radius * (1.0 - t) + to->radius * t;
    for (int i = 0; i < 3; i++)
        w[i] = q[i] - t * axis[i];
    across(axis, side, top);
    if (profile == NAIVE_PROFILE_ROUND)
        return length_of(w) - radius;
    if (profile == NAIVE_PROFILE_ARCH)
        return fmax(length_of(w) - radius, -dot(w, top) - radius / 2.0);
    double e[3] = {fabs(dot(w, side)) - radius, fabs(dot(w, top)) - radius, fmax(-along, along - length)};
    *doubtful = *doubtful || (fabs(e[2]) < near && e[0] < near && e[1] < near);
    return outside_or_in(e, e[2] >= 0.0 ? 3 : 2);
}

static double tube_distance(const struct naive_node *node, double near, const double p[3], bool *doubtful)
{
    double nearest = INFINITY;
    for (int span = 0; span + 1 < node->path_count; span++)
        for (int k = 0; k < node->steps; k++) {
            struct naive_knot from = knot_at(node, span, (double)k / node->steps);
            struct naive_knot to = knot_at(node, span, (k + 1.0) / node->steps);
            double d = piece_distance(&from, &to, node->profile, near, p, doubtful);
            nearest = d < nearest ? d : nearest; /* a piece without length has none */
        }
    return nearest;
}

/* ---- all ---- */

double oracle_primitive_distance(const struct naive_node *node, const struct oracle_node *known,
                                 const double p[3], bool *doubtful)
{
    double axis[3], q[3], half[3], rho, height;
    for (int i = 0; i < 3; i++) {
        axis[i] = node->to[i] - node->at[i];
        q[i] = p[i] - node->at[i];
        half[i] = node->size[i] / 2.0;
    }
    switch (node->kind) {
    case NAIVE_SPHERE:
        return length_of(q) - node->radius;
    case NAIVE_BOX:
        return box_distance(half, q);
    case NAIVE_ROUNDED_BOX:
        return rounded_box_distance(half, node->radius, q);
    case NAIVE_CAPSULE:
        return distance_from_segment(node->at, node->to, p) - node->radius;
    case NAIVE_TORUS:
        turn(node->at, node->axis, p, &rho, &height);
        return length_in_plane(rho - node->radius, height) - node->tube;
    case NAIVE_CYLINDER: {
        turn(node->at, axis, p, &rho, &height);
        const double e[2] = {rho - node->radius, fmax(-height, height - length_of(axis))};
        return outside_or_in(e, 2);
    }
    case NAIVE_CONE:
    case NAIVE_CAPPED_CONE:
        turn(node->at, axis, p, &rho, &height);
        return capped_cone_distance(node->radius, node->to_radius, length_of(axis), rho, height);
    case NAIVE_ELLIPSOID:
        return ellipsoid_distance(node->size, q, doubtful);
    case NAIVE_HALF_SPACE:
        return dot(q, node->axis) / length_of(node->axis);
    case NAIVE_PRISM:
        return prism_distance(node, axis, q);
    case NAIVE_PYRAMID:
        return pyramid_distance(node->size, q);
    case NAIVE_OCTAHEDRON:
        return octahedron_distance(node->radius, q);
    case NAIVE_LINK:
        return link_distance(node, q);
    case NAIVE_HEIGHT_MAP:
        return height_map_distance(node, known, half, q);
    case NAIVE_MESH:
        return grid_distance(node, known, p);
    case NAIVE_TUBE:
        return tube_distance(node, known->near, p, doubtful);
    default:
        return NAN;
    }
}
