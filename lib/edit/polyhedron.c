/* Corners and faces of the convex polyhedra.
 *
 *   prism       corners 0 .. n-1 around `from`, n .. 2n-1 around `to`, corner i and n + i beside each other
 *               faces: 0, n-1, n-2, .. 1;  n, n+1, .. 2n-1;  then for each i, j behind it: i, j, n + j, n + i
 *   pyramid     corners 0 (-x, -z), 1 (x, -z), 2 (x, z), 3 (-x, z), 4 the tip
 *               faces: 0, 1, 2, 3;  then for each i of 0 .. 3, j behind it: j, i, 4
 *   octahedron  corners 0 +x, 1 -x, 2 +y, 3 -y, 4 +z, 5 -z
 *               faces: for k = 0 .. 7 those of x, y, z at bits 0, 1, 2 of k (set: negative), x, z, y where an odd number is negative
 *
 * All faces are counter-clockwise seen from outside, where x, y, z are right-handed and, of a prism, top, axis and side are. */
#include "lib/edit/polyhedron.h"

#include "lib/base/dmath.h"

#include <math.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */

static void add_face(struct tr_polyhedron *polyhedron, const uint8_t *corners, uint32_t count)
{
    polyhedron->faces[polyhedron->face_count++] = corners[0];
    for (uint32_t i = 1; i + 1 < count; i++) {
        uint8_t *triangle = polyhedron->triangles[polyhedron->triangle_count++];

        triangle[0] = corners[0];
        triangle[1] = corners[i];
        triangle[2] = corners[i + 1];
    }
}

struct tr_polyhedron tr_polyhedron_prism(uint32_t sides)
{
    struct tr_polyhedron prism = {.corner_count = 2 * sides};
    uint8_t bottom[TR_POLYHEDRON_SIDES_MAX] = {0}, top[TR_POLYHEDRON_SIDES_MAX] = {0};

    for (uint32_t i = 0; i < sides; i++) {
        bottom[i] = (uint8_t)((sides - i) % sides);
        top[i] = (uint8_t)(sides + i);
    }
    add_face(&prism, bottom, sides);
    add_face(&prism, top, sides);
    for (uint32_t i = 0; i < sides; i++) {
        uint32_t next = (i + 1) % sides;
        const uint8_t face[] = {(uint8_t)i, (uint8_t)next, (uint8_t)(sides + next), (uint8_t)(sides + i)};

        add_face(&prism, face, 4);
    }
    return prism;
}

struct tr_polyhedron tr_polyhedron_pyramid(void)
{
    static const uint8_t base[] = {0, 1, 2, 3};
    struct tr_polyhedron pyramid = {.corner_count = 5};

    add_face(&pyramid, base, 4);
    for (int i = 0; i < 4; i++) {
        const uint8_t face[] = {(uint8_t)((i + 1) % 4), (uint8_t)i, 4};

        add_face(&pyramid, face, 3);
    }
    return pyramid;
}

struct tr_polyhedron tr_polyhedron_octahedron(void)
{
    struct tr_polyhedron octahedron = {.corner_count = 6};

    for (int k = 0; k < 8; k++) {
        int minus_x = k & 1, minus_y = k >> 1 & 1, minus_z = k >> 2 & 1;
        int is_odd = minus_x ^ minus_y ^ minus_z;
        uint8_t y = (uint8_t)(2 + minus_y), z = (uint8_t)(4 + minus_z);
        const uint8_t face[] = {(uint8_t)minus_x, is_odd ? z : y, is_odd ? y : z};

        add_face(&octahedron, face, 3);
    }
    return octahedron;
}

/* radius (cos side + sin top) at so many turns. */
static void turned(double turns, const double side[3], const double top[3], double radius, double v[3])
{
    double angle = TURN * turns, c = tr_cos(angle), s = tr_sin(angle);

    for (int i = 0; i < 3; i++)
        v[i] = radius * (c * side[i] + s * top[i]);
}

void tr_prism_place(const double from[3], const double to[3], const double axis[3], const double side[3],
                    const double top[3], double radius, uint32_t sides, struct tr_polyhedron_shape *shape)
{
    double away[3];

    for (int i = 0; i < 3; i++) {
        shape->normals[0][i] = -axis[i];
        shape->normals[1][i] = axis[i];
    }
    for (uint32_t k = 0; k < sides; k++) {
        turned((double)k / (double)sides, side, top, radius, away);
        turned((k + 0.5) / (double)sides, side, top, 1.0, shape->normals[2 + k]);
        for (int i = 0; i < 3; i++) {
            shape->corners[k][i] = from[i] + away[i];
            shape->corners[sides + k][i] = to[i] + away[i];
        }
    }
}

void tr_pyramid_place(const double center[3], const double size[3], struct tr_polyhedron_shape *shape)
{
    static const double x[] = {-0.5, 0.5, 0.5, -0.5, 0.0}, z[] = {-0.5, -0.5, 0.5, 0.5, 0.0};
    static const double out[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}}; /* of the sides, in x and z */

    for (int k = 0; k < 5; k++) {
        shape->corners[k][0] = center[0] + x[k] * size[0];
        shape->corners[k][1] = center[1] + (k == 4 ? size[1] : 0.0);
        shape->corners[k][2] = center[2] + z[k] * size[2];
    }
    shape->normals[0][0] = shape->normals[0][2] = 0.0;
    shape->normals[0][1] = -1.0;
    for (int k = 0; k < 4; k++) {
        double half = 0.5 * (k % 2 == 0 ? size[2] : size[0]), larger = tr_greatest(half, size[1]);
        double up = half / larger, away = size[1] / larger; /* so that no square is too small */
        double length = sqrt(up * up + away * away);

        shape->normals[1 + k][0] = out[k][0] * (away / length);
        shape->normals[1 + k][1] = up / length;
        shape->normals[1 + k][2] = out[k][1] * (away / length);
    }
}

void tr_octahedron_place(const double center[3], double radius, struct tr_polyhedron_shape *shape)
{
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 3; i++)
            shape->corners[k][i] = center[i] + (k / 2 != i ? 0.0 : k % 2 != 0 ? -radius : radius);
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++)
            shape->normals[k][i] = (k >> i & 1) != 0 ? -sqrt(1.0 / 3.0) : sqrt(1.0 / 3.0);
}
