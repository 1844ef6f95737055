#include "tests/naive/naive_polyhedron.h"
#include "tests/naive/naive_angle.h"
#include "tests/naive/naive_float.h"

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */

void naive_axes_across(const double u[3], const double up[3], const double other[3], double side[3],
                       double top[3])
{
    double across[3];
    naive_cross(fabs(naive_dot(up, u)) > 0.999 ? other : up, u, across);
    naive_unit(across, side);
    naive_cross(u, side, top);
}

/* ---- corners and faces ---- */

/* A face of so many corners, to be filled in; n is its normal. */
static int *add_face(struct naive_polyhedron *out, int size, const double n[3])
{
    memcpy(out->normals[out->face_count], n, sizeof *out->normals);
    out->face_sizes[out->face_count] = size;
    return out->faces[out->face_count++];
}

/* radius (cos side + sin top) at so many turns. */
static void around(double turns, const double side[3], const double top[3], double radius, double out[3])
{
    double cosine = naive_cos(TURN * turns), sine = naive_sin(TURN * turns);
    for (int i = 0; i < 3; i++)
        out[i] = radius * (cosine * side[i] + sine * top[i]);
}

/* Corners around `from`, then those around `to`. Faces: the one at `from`, backwards; the one at `to`; the sides. */
static void make_prism(const struct naive_node *node, struct naive_polyhedron *out)
{
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    const int sides = node->sides;
    double along[3], u[3], back[3], side[3], top[3], away[3], n[3];
    for (int i = 0; i < 3; i++)
        along[i] = node->to[i] - node->at[i];
    naive_unit(along, u);
    for (int i = 0; i < 3; i++)
        back[i] = -u[i];
    naive_axes_across(u, y, x, side, top);
    out->corner_count = 2 * sides;
    int *low = add_face(out, sides, back), *high = add_face(out, sides, u);
    for (int k = 0; k < sides; k++) {
        around((double)k / sides, side, top, node->radius, away);
        for (int i = 0; i < 3; i++) {
            out->corners[k][i] = node->at[i] + away[i];
            out->corners[sides + k][i] = node->to[i] + away[i];
        }
        low[k] = (sides - k) % sides;
        high[k] = sides + k;
        around((k + 0.5) / sides, side, top, 1.0, n);
        int *face = add_face(out, 4, n), next = (k + 1) % sides;
        face[0] = k;
        face[1] = next;
        face[2] = sides + next;
        face[3] = sides + k;
    }
}

/* A side of a pyramid rises by `height` over the half edge `half`: its normal goes up by the one and away by the other. */
static void side_normal(double half, double height, int k, double n[3])
{
    double larger = half > height ? half : height, up = half / larger, away = height / larger;
    double length = sqrt(up * up + away * away);
    n[0] = k % 2 == 0 ? 0.0 : k == 1 ? away / length : -(away / length);
    n[1] = up / length;
    n[2] = k % 2 == 1 ? 0.0 : k == 2 ? away / length : -(away / length);
}

/* The base goes around from its least corner, first along x; then the tip. Faces: the base; the sides from the first on. */
static void make_pyramid(const struct naive_node *node, struct naive_polyhedron *out)
{
    static const double down[3] = {0, -1, 0};
    out->corner_count = 5;
    int *base = add_face(out, 4, down);
    for (int k = 0; k < 4; k++) {
        double *corner = out->corners[k], n[3];
        memcpy(corner, node->at, sizeof node->at);
        corner[0] += (k == 1 || k == 2 ? 0.5 : -0.5) * node->size[0];
        corner[2] += (k >= 2 ? 0.5 : -0.5) * node->size[2];
        base[k] = k;
        side_normal(0.5 * node->size[k % 2 == 0 ? 2 : 0], node->size[1], k, n);
        int *face = add_face(out, 3, n);
        face[0] = (k + 1) % 4;
        face[1] = k;
        face[2] = 4;
    }
    memcpy(out->corners[4], node->at, sizeof node->at);
    out->corners[4][1] += node->size[1];
}

/* Corners +x, -x, +y, -y, +z, -z. Faces by the signs of x, y, z, those of x changing fastest. */
static void make_octahedron(const struct naive_node *node, struct naive_polyhedron *out)
{
    out->corner_count = 6;
    for (int k = 0; k < 6; k++) {
        memcpy(out->corners[k], node->at, sizeof node->at);
        out->corners[k][k / 2] += k % 2 == 0 ? node->radius : -node->radius;
    }
    for (int signs = 0; signs < 8; signs++) {
        int x = signs % 2, y = signs / 2 % 2, z = signs / 4;
        bool is_turned = (x + y + z) % 2 == 1;
        const double part = sqrt(1.0 / 3.0), n[3] = {x ? -part : part, y ? -part : part, z ? -part : part};
        int *face = add_face(out, 3, n);
        face[0] = x;
        face[1] = is_turned ? 4 + z : 2 + y;
        face[2] = is_turned ? 2 + y : 4 + z;
    }
}

void naive_polyhedron_of(const struct naive_node *node, struct naive_polyhedron *out)
{
    *out = (struct naive_polyhedron){0};
    if (node->kind == NAIVE_PRISM)
        make_prism(node, out);
    else if (node->kind == NAIVE_PYRAMID)
        make_pyramid(node, out);
    else
        make_octahedron(node, out);
}

/* ---- in a frame ---- */

void naive_polyhedron_in_frame(const struct naive_polyhedron *polyhedron, const int corner[3],
                               struct naive_framed_polyhedron *out)
{
    out->plane_count = polyhedron->face_count;
    out->triangle_count = 0;
    for (int k = 0; k < polyhedron->face_count; k++) {
        const int *face = polyhedron->faces[k];
        double from_first[3];
        for (int i = 0; i < 3; i++)
            from_first[i] = corner[i] - polyhedron->corners[face[0]][i];
        naive_parameters(polyhedron->normals[k], out->normals[k]);
        out->offsets[k] = naive_parameter(naive_dot(polyhedron->normals[k], from_first));
        for (int j = 1; j + 1 < polyhedron->face_sizes[k]; j++) {
            const int fan[3] = {face[0], face[j], face[j + 1]};
            for (int v = 0; v < 3; v++)
                for (int i = 0; i < 3; i++)
                    out->triangles[out->triangle_count][v][i] =
                        naive_parameter(polyhedron->corners[fan[v]][i] - corner[i]);
            out->triangle_count++;
        }
    }
}

/* The square of the distance from an edge that v leads to from its beginning. */
static float from_edge(const float v[3], const float edge[3])
{
    float length_2 = naive_larger(naive_dot_float(edge, edge), 0x1p-100f), away[3];
    float t = naive_between(naive_dot_float(v, edge) * naive_reciprocal(length_2), 0.0f, 1.0f);
    for (int i = 0; i < 3; i++)
        away[i] = v[i] - t * edge[i];
    return naive_dot_float(away, away);
}

/* The square of the distance from a triangle: of its plane where p lies over it, else of the nearest edge. */
static float from_triangle(const float corners[3][3], const float p[3])
{
    float edges[3][3], from[3][3], normal[3], nearest = 0.0f;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            edges[k][i] = corners[(k + 1) % 3][i] - corners[k][i];
            from[k][i] = p[i] - corners[k][i];
        }
    naive_cross_float(edges[2], edges[0], normal);
    bool is_over = true;
    for (int k = 0; k < 3; k++) {
        float outward[3], away = from_edge(from[k], edges[k]);
        nearest = k == 0 ? away : naive_smaller(nearest, away);
        naive_cross_float(edges[k], normal, outward);
        is_over = is_over && naive_dot_float(outward, from[k]) <= 0.0f;
    }
    float height = naive_dot_float(from[0], normal);
    float normal_2 = naive_dot_float(normal, normal);
    if (!is_over || normal_2 < 0x1p-100f) /* corners that are one point, or lie on a line, have no inside */
        return nearest;
    return (height * naive_reciprocal(normal_2)) * height;
}

float naive_polyhedron_distance(const struct naive_framed_polyhedron *polyhedron, const float p[3])
{
    float inner = -0x1p30f, nearest = 1e30f;
    for (int k = 0; k < polyhedron->plane_count; k++)
        inner = naive_larger(inner, naive_dot_float(polyhedron->normals[k], p) + polyhedron->offsets[k]);
    if (inner <= 0.0f)
        return inner;
    for (int k = 0; k < polyhedron->triangle_count; k++)
        nearest = naive_smaller(nearest, from_triangle(polyhedron->triangles[k], p));
    return naive_root(nearest);
}
