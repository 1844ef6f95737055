/* Trees of shapes as code: words that every backend evaluates, written by lib/edit/tree_code.c for one frame. A shape's code leaves one
 * distance on the stack, an operation takes two and leaves one; TR_CODE_END ends. Operands are floats in voxels (as bits) unless said
 * otherwise; each instruction has a fixed number of them behind its opcode, or begins with how many there are ("n").
 *
 *   shapes      operands                                                                   value
 *   ROUND       round                                                                      sphere or capsule, tr_round_distance
 *   BOX         r (9), a (3), b (3)                                                        e_i = max(g_i + a_i, b_i - g_i), g_i = r_i . p; over all three
 *   CYLINDER    round (endless), a, b                                                      e = (distance of the line, max(g + a, b - g)), g = u . p
 *   TORUS       round (endless, of the ring's radius), h, tube                             sqrt(distance of the line^2 + (g + h)^2) - tube
 *   CONE        round (endless, radius 0), h, half, low, high, slope x, y, 1/|slope|^2     capped cone, see tr_leaf_cone
 *   ELLIPSOID   r (9), t (3), radii (3), 1/radii (3)                                       see tr_leaf_ellipsoid
 *   PLANE       normal (3), p0                                                             p . normal + p0
 *   LINK        r (9), t (3), half, radius, tube                                           a torus in its x-y plane, pulled apart along x by half each way
 *   POLYHEDRON  n, planes, triangles (counts), planes (4 each), triangles (9 each)         convex, see tr_leaf_polyhedron
 *   TUBE        n, profile, segments (counts), segments (18 each)                          see tr_leaf_tube
 *   HEIGHTS     n, ...                                                                     see tr_leaf_heights
 *   GRID        n, ...                                                                     see tr_leaf_grid
 *   operations
 *   BLEND       operation | 256 if the operands lie swapped, blend, k, a, b                y is popped, then x; union, or that of -x and y (subtract: x less y),
 *                                                                                          or of -x and -y (intersect), the latter two negated
 *   OFFSET      r                                                                          x - r
 *   ONION       half                                                                       |x| - half
 *   DISPLACE    amplitude, noise (9, brush_noise.h)                                        x - amplitude * noise at the sample
 *   points: the shapes behind them see another point until POINT_POP
 *   POINT_PUSH  r (9), t (3)                                                               the present point is kept; p = r p + t
 *   ELONGATE    half (3)                                                                   p = p - clamp(p, -half, half)
 *   TWIST       radians a voxel                                                            p turned about y by that times p.y
 *   BEND        radians a voxel                                                            p turned about z by that times p.x
 *   TAPER       1/length, 1/factor - 1                                                     p.x and p.z times 1 + c (1/factor - 1), c = p.y / length in [0, 1]
 *   POINT_POP   -                                                                          the kept point is the present one again
 *
 *   r: rows of the rotation (or reflection) from the frame to the shape, scaled by nothing: sizes are. round: the 11 words of tr_round.
 *
 * "Over" e: |max(e, 0)| + min(max_i e_i, 0), the distance of a box from its faces' distances. Faces are given by their own offsets, computed
 * in double, so that a face near the samples is exact to a float's rounding however large the box.
 *
 * Errors near the surface, up to sizes of 1,024 voxels: 1/1024 voxel; up to 100,000: 1/64 voxel; measured in tests/unit/tree_test.c. */
#ifndef TR_SHADERS_TREE_H
#define TR_SHADERS_TREE_H
#include "brush_noise.h"
#include "image.h"
#include "shape.h"
#include "words.h"

#define TR_CODE_END 0u
#define TR_CODE_ROUND 1u
#define TR_CODE_BOX 2u
#define TR_CODE_CYLINDER 3u
#define TR_CODE_TORUS 4u
#define TR_CODE_CONE 5u
#define TR_CODE_ELLIPSOID 6u
#define TR_CODE_PLANE 7u
#define TR_CODE_LINK 8u
#define TR_CODE_POLYHEDRON 9u
#define TR_CODE_TUBE 10u
#define TR_CODE_HEIGHTS 11u
#define TR_CODE_GRID 12u
#define TR_CODE_BLEND 16u
#define TR_CODE_OFFSET 17u
#define TR_CODE_ONION 18u
#define TR_CODE_DISPLACE 19u
#define TR_CODE_POINT_PUSH 24u
#define TR_CODE_ELONGATE 25u
#define TR_CODE_TWIST 26u
#define TR_CODE_BEND 27u
#define TR_CODE_TAPER 28u
#define TR_CODE_POINT_POP 29u

/* Of the common instructions: there is a kernel that knows these alone, because on devices that run both sides of a branch each of the others
 * costs time with every instruction. */
TR_FN bool tr_code_is_common(uint code)
{
    return code <= TR_CODE_ELLIPSOID || code == TR_CODE_BLEND;
}

/* Operations of TR_CODE_BLEND */
#define TR_BLEND_UNION 0u
#define TR_BLEND_SUBTRACT 1u
#define TR_BLEND_INTERSECT 2u
#define TR_BLEND_SWAPPED 256u

/* Words behind the opcode */
#define TR_CODE_ROUND_WORDS 11u
#define TR_CODE_BOX_WORDS 15u
#define TR_CODE_CYLINDER_WORDS 13u
#define TR_CODE_TORUS_WORDS 13u
#define TR_CODE_CONE_WORDS 18u
#define TR_CODE_ELLIPSOID_WORDS 18u
#define TR_CODE_PLANE_WORDS 4u
#define TR_CODE_LINK_WORDS 15u
#define TR_CODE_BLEND_WORDS 5u
#define TR_CODE_OFFSET_WORDS 1u
#define TR_CODE_ONION_WORDS 1u
#define TR_CODE_DISPLACE_WORDS 10u
#define TR_CODE_POINT_PUSH_WORDS 12u
#define TR_CODE_ELONGATE_WORDS 3u
#define TR_CODE_TWIST_WORDS 1u
#define TR_CODE_BEND_WORDS 1u
#define TR_CODE_TAPER_WORDS 2u

#define TR_TREE_STACK                                                                                        \
    16 /* distances; a tree of up to 2^15 shapes needs no more when its larger branches go first */
#define TR_TREE_POINTS 8 /* points kept: shapes within shapes that move points */

#define TR_PROFILE_ROUND 0u
#define TR_PROFILE_SQUARE 1u
#define TR_PROFILE_ARCH 2u
#define TR_TUBE_SEGMENT_WORDS 18u

TR_FN tr_round tr_words_round(TR_WORDS_PARAM uint at)
{
    tr_round round;
    round.cx = tr_word_float(TR_WORDS_ARG at);
    round.cy = tr_word_float(TR_WORDS_ARG at + 1u);
    round.cz = tr_word_float(TR_WORDS_ARG at + 2u);
    round.ux = tr_word_float(TR_WORDS_ARG at + 3u);
    round.uy = tr_word_float(TR_WORDS_ARG at + 4u);
    round.uz = tr_word_float(TR_WORDS_ARG at + 5u);
    round.t0 = tr_word_float(TR_WORDS_ARG at + 6u);
    round.t1 = tr_word_float(TR_WORDS_ARG at + 7u);
    round.radius = tr_word_float(TR_WORDS_ARG at + 8u);
    round.k0 = tr_word_float(TR_WORDS_ARG at + 9u);
    round.large = tr_words[at + 10u];
    return round;
}

/* A box from the distances of its faces, the farther one along each axis. */
TR_FN PF tr_over_faces(float ex, float ey, float ez)
{
    PF ox = tr_max(ex, 0.0f);
    PF oy = tr_max(ey, 0.0f);
    PF oz = tr_max(ez, 0.0f);
    PF out2 = ox * ox + oy * oy + oz * oz;
    PF d = tr_sqrt(out2);
    PF inner = tr_max(ex, ey);
    inner = tr_max(inner, ez);
    inner = tr_min(inner, 0.0f);
    d = d + inner;
    return d;
}

TR_FN PF tr_leaf_round(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF d = tr_round_distance(tr_words_round(TR_WORDS_ARG at), px, py, pz);
    return d;
}

TR_FN PF tr_leaf_box(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF gx = tr_words_row(TR_WORDS_ARG at, px, py, pz);
    PF gy = tr_words_row(TR_WORDS_ARG at + 3u, px, py, pz);
    PF gz = tr_words_row(TR_WORDS_ARG at + 6u, px, py, pz);
    PF ax = gx + tr_word_float(TR_WORDS_ARG at + 9u);
    PF ay = gy + tr_word_float(TR_WORDS_ARG at + 10u);
    PF az = gz + tr_word_float(TR_WORDS_ARG at + 11u);
    PF bx = tr_word_float(TR_WORDS_ARG at + 12u) - gx;
    PF by = tr_word_float(TR_WORDS_ARG at + 13u) - gy;
    PF bz = tr_word_float(TR_WORDS_ARG at + 14u) - gz;
    PF ex = tr_max(ax, bx);
    PF ey = tr_max(ay, by);
    PF ez = tr_max(az, bz);
    PF d = tr_over_faces(ex, ey, ez);
    return d;
}

TR_FN PF tr_leaf_cylinder(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    tr_round line = tr_words_round(TR_WORDS_ARG at);
    PF side = tr_round_distance(line, px, py, pz);
    PF g = line.ux * px + line.uy * py + line.uz * pz;
    PF top = g + tr_word_float(TR_WORDS_ARG at + 11u);
    PF bottom = tr_word_float(TR_WORDS_ARG at + 12u) - g;
    PF cap = tr_max(top, bottom);
    PF none = tr_min(side, cap); /* in the plane: a third face that is neither the farthest nor outside */
    none = tr_min(none, 0.0f);
    PF d = tr_over_faces(side, cap, none);
    return d;
}

TR_FN PF tr_leaf_torus(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    tr_round ring = tr_words_round(TR_WORDS_ARG at);
    PF side = tr_round_distance(ring, px, py, pz);
    PF g = ring.ux * px + ring.uy * py + ring.uz * pz;
    g = g + tr_word_float(TR_WORDS_ARG at + 11u);
    PF d = side * side + g * g;
    d = tr_sqrt(d);
    d = d - tr_word_float(TR_WORDS_ARG at + 12u);
    return d;
}

/* In the half-plane of distance q from the axis and height y above the middle, the cone is the area below the slope from (low, -half) to
 * (high, half). The nearest point lies on an end, at the same q or at the rim, or on the slope. */
TR_FN PF tr_leaf_cone(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    tr_round line = tr_words_round(TR_WORDS_ARG at);
    PF q = tr_round_distance(line, px, py, pz);
    PF y = line.ux * px + line.uy * py + line.uz * pz;
    y = y + tr_word_float(TR_WORDS_ARG at + 11u);
    PF half_height = tr_word_float(TR_WORDS_ARG at + 12u);
    PF low = tr_word_float(TR_WORDS_ARG at + 13u);
    PF high = tr_word_float(TR_WORDS_ARG at + 14u);
    PF sx = tr_word_float(TR_WORDS_ARG at + 15u);
    PF sy = tr_word_float(TR_WORDS_ARG at + 16u);
    PF inv = tr_word_float(TR_WORDS_ARG at + 17u);
    PF rim = y < 0.0f ? low : high;
    rim = tr_min(q, rim);
    PF end_x = q - rim;
    PF end_y = tr_abs(y);
    end_y = end_y - half_height;
    PF back_x = high - q;
    PF back_y = half_height - y;
    PF t = back_x * sx + back_y * sy;
    t = t * inv;
    t = tr_clamp(t, 0.0f, 1.0f);
    PF slope_x = t * sx - back_x;
    PF slope_y = t * sy - back_y;
    PF end2 = end_x * end_x + end_y * end_y;
    PF slope2 = slope_x * slope_x + slope_y * slope_y;
    PF d = tr_min(end2, slope2);
    d = tr_sqrt(d);
    PF inside = 0.0f - d;
    d = slope_x < 0.0f && end_y < 0.0f ? inside : d;
    return d;
}

/* With n = q / radii and m = n / radii, |n| (|n| - 1) / |m| is 0 on the surface and of slope 1 there; elsewhere it is an estimate. So that
 * it never claims to be near where it is far, it is at least the distance from the box around the ellipsoid. */
TR_FN PF tr_leaf_ellipsoid(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF qx = tr_words_row(TR_WORDS_ARG at, px, py, pz);
    PF qy = tr_words_row(TR_WORDS_ARG at + 3u, px, py, pz);
    PF qz = tr_words_row(TR_WORDS_ARG at + 6u, px, py, pz);
    qx = qx + tr_word_float(TR_WORDS_ARG at + 9u);
    qy = qy + tr_word_float(TR_WORDS_ARG at + 10u);
    qz = qz + tr_word_float(TR_WORDS_ARG at + 11u);
    PF rx = tr_word_float(TR_WORDS_ARG at + 12u);
    PF ry = tr_word_float(TR_WORDS_ARG at + 13u);
    PF rz = tr_word_float(TR_WORDS_ARG at + 14u);
    PF ix = tr_word_float(TR_WORDS_ARG at + 15u);
    PF iy = tr_word_float(TR_WORDS_ARG at + 16u);
    PF iz = tr_word_float(TR_WORDS_ARG at + 17u);
    PF nx = qx * ix;
    PF ny = qy * iy;
    PF nz = qz * iz;
    PF mx = nx * ix;
    PF my = ny * iy;
    PF mz = nz * iz;
    PF n = nx * nx + ny * ny + nz * nz;
    PF m = mx * mx + my * my + mz * mz;
    n = tr_sqrt(n);
    m = tr_sqrt(m);
    bool middle = n < 0.0009765625f; /* 2^-10: there the estimate has no direction */
    m = middle ? 1.0f : m;
    PF inv = tr_rcp(m);
    PF d = n - 1.0f;
    d = d * n;
    d = d * inv;
    PF least = tr_min(rx, ry);
    least = tr_min(least, rz);
    PF deepest = 0.0f - least;
    d = middle ? deepest : d;
    PF ex = tr_abs(qx);
    PF ey = tr_abs(qy);
    PF ez = tr_abs(qz);
    ex = ex - rx;
    ey = ey - ry;
    ez = ez - rz;
    PF box = tr_over_faces(ex, ey, ez);
    d = tr_max(d, box);
    return d;
}

TR_FN PF tr_leaf_plane(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF d = tr_words_row(TR_WORDS_ARG at, px, py, pz);
    d = d + tr_word_float(TR_WORDS_ARG at + 3u);
    return d;
}

TR_FN PF tr_leaf_link(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF qx = tr_words_row(TR_WORDS_ARG at, px, py, pz);
    PF qy = tr_words_row(TR_WORDS_ARG at + 3u, px, py, pz);
    PF qz = tr_words_row(TR_WORDS_ARG at + 6u, px, py, pz);
    qx = qx + tr_word_float(TR_WORDS_ARG at + 9u);
    qy = qy + tr_word_float(TR_WORDS_ARG at + 10u);
    qz = qz + tr_word_float(TR_WORDS_ARG at + 11u);
    qx = tr_abs(qx);
    qx = qx - tr_word_float(TR_WORDS_ARG at + 12u);
    qx = tr_max(qx, 0.0f);
    PF ring = qx * qx + qy * qy;
    ring = tr_sqrt(ring);
    ring = ring - tr_word_float(TR_WORDS_ARG at + 13u);
    PF d = ring * ring + qz * qz;
    d = tr_sqrt(d);
    d = d - tr_word_float(TR_WORDS_ARG at + 14u);
    return d;
}

/* The squared distance of p from an edge a + t e, inv = 1/e.e. */
TR_FN PF tr_edge_square(float vx, float vy, float vz, float ex, float ey, float ez)
{
    PF t = vx * ex + vy * ey + vz * ez;
    PF n = ex * ex + ey * ey + ez * ez;
    n = tr_max(n, 7.8886091e-31f); /* 2^-100 */
    PF inv = tr_rcp(n);
    t = t * inv;
    t = tr_clamp(t, 0.0f, 1.0f);
    PF wx = vx - t * ex;
    PF wy = vy - t * ey;
    PF wz = vz - t * ez;
    PF d = wx * wx + wy * wy + wz * wz;
    return d;
}

/* The squared distance of p from a triangle of nine words. Above its inside (on the same side of the three planes through its edges) it is that
 * from its plane, else that from the nearest edge. */
TR_FN PF tr_triangle_square(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF ax = tr_word_float(TR_WORDS_ARG at);
    PF ay = tr_word_float(TR_WORDS_ARG at + 1u);
    PF az = tr_word_float(TR_WORDS_ARG at + 2u);
    PF bx = tr_word_float(TR_WORDS_ARG at + 3u);
    PF by = tr_word_float(TR_WORDS_ARG at + 4u);
    PF bz = tr_word_float(TR_WORDS_ARG at + 5u);
    PF cx = tr_word_float(TR_WORDS_ARG at + 6u);
    PF cy = tr_word_float(TR_WORDS_ARG at + 7u);
    PF cz = tr_word_float(TR_WORDS_ARG at + 8u);
    PF abx = bx - ax;
    PF aby = by - ay;
    PF abz = bz - az;
    PF bcx = cx - bx;
    PF bcy = cy - by;
    PF bcz = cz - bz;
    PF cax = ax - cx;
    PF cay = ay - cy;
    PF caz = az - cz;
    PF nx = abz * cay - aby * caz; /* ab x ac, with ca for -ac */
    PF ny = abx * caz - abz * cax;
    PF nz = aby * cax - abx * cay;
    PF vx = px - ax;
    PF vy = py - ay;
    PF vz = pz - az;
    PF wx = px - bx;
    PF wy = py - by;
    PF wz = pz - bz;
    PF ux = px - cx;
    PF uy = py - cy;
    PF uz = pz - cz;
    PF d = tr_edge_square(vx, vy, vz, abx, aby, abz);
    PF d2 = tr_edge_square(wx, wy, wz, bcx, bcy, bcz);
    d = tr_min(d, d2);
    d2 = tr_edge_square(ux, uy, uz, cax, cay, caz);
    d = tr_min(d, d2);
    PF sab = (aby * nz - abz * ny) * vx + (abz * nx - abx * nz) * vy + (abx * ny - aby * nx) * vz;
    PF sbc = (bcy * nz - bcz * ny) * wx + (bcz * nx - bcx * nz) * wy + (bcx * ny - bcy * nx) * wz;
    PF sca = (cay * nz - caz * ny) * ux + (caz * nx - cax * nz) * uy + (cax * ny - cay * nx) * uz;
    PF h = vx * nx + vy * ny + vz * nz;
    PF nn = nx * nx + ny * ny + nz * nz;
    bool has_inside = nn >= 7.8886091e-31f; /* else its corners are one point or lie on a line */
    nn = tr_max(nn, 7.8886091e-31f);
    PF inv = tr_rcp(nn);
    PF plane = h * inv;
    plane = plane * h;
    d = has_inside && sab <= 0.0f && sbc <= 0.0f && sca <= 0.0f ? plane : d;
    return d;
}

/* Inside, the nearest face is the one whose plane is nearest; outside, one of the triangles is. */
TR_FN PF tr_leaf_polyhedron(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    uint planes = tr_words[at + 1u];
    uint triangles = tr_words[at + 2u];
    PF inner = -1073741824.0f;
    at = at + 3u;
    for (uint i = 0u; i < planes; i++) {
        PF h = tr_leaf_plane(TR_WORDS_ARG at, px, py, pz);
        inner = tr_max(inner, h);
        at = at + 4u;
    }
    PF nearest = 1.0e30f;
    for (uint k = 0u; k < triangles; k++) {
        PF square = tr_triangle_square(TR_WORDS_ARG at, px, py, pz);
        nearest = tr_min(nearest, square);
        at = at + 9u;
    }
    PF outer = tr_sqrt(nearest);
    PF d = inner <= 0.0f ? inner : outer;
    return d;
}

/* One segment of a tube: from (3), to - from (3), 1/length^2, radius at from, radius at to less that, unit axis (3), side (3), top (3).
 * The profile stands around the nearest point of the axis: a circle; a square of half edge radius, with flat ends; a circle cut by a floor
 * half a radius below the axis. */
TR_FN PF tr_tube_segment(TR_WORDS_PARAM uint at, uint profile, float px, float py, float pz)
{
    PF ex = tr_word_float(TR_WORDS_ARG at + 3u);
    PF ey = tr_word_float(TR_WORDS_ARG at + 4u);
    PF ez = tr_word_float(TR_WORDS_ARG at + 5u);
    PF vx = px - tr_word_float(TR_WORDS_ARG at);
    PF vy = py - tr_word_float(TR_WORDS_ARG at + 1u);
    PF vz = pz - tr_word_float(TR_WORDS_ARG at + 2u);
    PF t = vx * ex + vy * ey + vz * ez;
    t = t * tr_word_float(TR_WORDS_ARG at + 6u);
    t = tr_clamp(t, 0.0f, 1.0f);
    PF wx = vx - t * ex;
    PF wy = vy - t * ey;
    PF wz = vz - t * ez;
    PF radius = t * tr_word_float(TR_WORDS_ARG at + 8u);
    radius = radius + tr_word_float(TR_WORDS_ARG at + 7u);
    PF d = 0.0f;
    if (profile == TR_PROFILE_SQUARE) {
        PF along = tr_words_row(TR_WORDS_ARG at + 9u, wx, wy, wz);
        PF side = tr_words_row(TR_WORDS_ARG at + 12u, wx, wy, wz);
        PF top = tr_words_row(TR_WORDS_ARG at + 15u, wx, wy, wz);
        along = tr_abs(along);
        side = tr_abs(side);
        top = tr_abs(top);
        side = side - radius;
        top = top - radius;
        PF none = tr_min(side, top);
        none = tr_min(none, 0.0f);
        PF end = t > 0.0f && t < 1.0f ? none : along;
        d = tr_over_faces(side, top, end);
    } else {
        d = wx * wx + wy * wy + wz * wz;
        d = tr_sqrt(d);
        d = d - radius;
        PF below = tr_words_row(TR_WORDS_ARG at + 15u, wx, wy, wz);
        below = 0.0f - below;
        below = below - 0.5f * radius;
        PF arch = tr_max(d, below);
        d = profile == TR_PROFILE_ARCH ? arch : d;
    }
    return d;
}

TR_FN PF tr_leaf_tube(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    uint profile = tr_words[at + 1u];
    uint segments = tr_words[at + 2u];
    PF d = 1073741824.0f;
    at = at + 3u;
    for (uint i = 0u; i < segments; i++) {
        PF one = tr_tube_segment(TR_WORDS_ARG at, profile, px, py, pz);
        d = tr_min(d, one);
        at = at + TR_TUBE_SEGMENT_WORDS;
    }
    return d;
}

/* A box whose top is a grey image. n, r (9), t (3): q = r p + t from its middle; half (3); rise: twice half y; flat: what a vertical distance
 * is worth, 1 / sqrt(1 + greatest slope^2); then the image (image.h) in q.x and q.z. */
#define TR_HEIGHTS_IMAGE 18u /* behind n: where the image's words begin */
TR_FN PF tr_leaf_heights(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF qx = tr_words_row(TR_WORDS_ARG at + 1u, px, py, pz);
    PF qy = tr_words_row(TR_WORDS_ARG at + 4u, px, py, pz);
    PF qz = tr_words_row(TR_WORDS_ARG at + 7u, px, py, pz);
    qx = qx + tr_word_float(TR_WORDS_ARG at + 10u);
    qy = qy + tr_word_float(TR_WORDS_ARG at + 11u);
    qz = qz + tr_word_float(TR_WORDS_ARG at + 12u);
    PF hy = tr_word_float(TR_WORDS_ARG at + 14u);
    PF ex = tr_abs(qx);
    PF ey = tr_abs(qy);
    PF ez = tr_abs(qz);
    ex = ex - tr_word_float(TR_WORDS_ARG at + 13u);
    ey = ey - hy;
    ez = ez - tr_word_float(TR_WORDS_ARG at + 15u);
    PF box = tr_over_faces(ex, ey, ez);
    PF grey = tr_words_image(TR_WORDS_ARG at + TR_HEIGHTS_IMAGE, qx, 0.0f, qz);
    PF top = grey * tr_word_float(TR_WORDS_ARG at + 16u);
    PF above = qy + hy;
    above = above - top;
    above = above * tr_word_float(TR_WORDS_ARG at + 17u);
    PF d = tr_max(box, above);
    return d;
}

/* A distance field on a grid. n; r (9), t (3): g = r p + t in cells from the first sample here; least (3) and greatest (3) place where the grid
 * has samples; the solid's own box, least (3) and greatest (3); cell, voxels; unit: voxels of one step of a sample; size x, y, z of the
 * samples here (integers); samples [y][z][x], two a word. Between samples trilinear; off the grid the value at its rim and the way there; nowhere
 * less than the distance from the solid's box. */
#define TR_GRID_SAMPLES 30u /* behind n: where the samples begin */
TR_FN PF tr_grid_sample(TR_WORDS_PARAM uint first, uint index)
{
    uint pair = tr_words[first + index / 2u];
    int value = (index & 1u) != 0u ? tr_to_int(pair) >> 16 : tr_to_int(pair << 16) >> 16;
    PF v = tr_to_float(value);
    return v;
}
TR_FN PF tr_leaf_grid(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF gx = tr_words_row(TR_WORDS_ARG at + 1u, px, py, pz);
    PF gy = tr_words_row(TR_WORDS_ARG at + 4u, px, py, pz);
    PF gz = tr_words_row(TR_WORDS_ARG at + 7u, px, py, pz);
    gx = gx + tr_word_float(TR_WORDS_ARG at + 10u);
    gy = gy + tr_word_float(TR_WORDS_ARG at + 11u);
    gz = gz + tr_word_float(TR_WORDS_ARG at + 12u);
    PF cell = tr_word_float(TR_WORDS_ARG at + 25u);
    PF cx = tr_clamp(gx, tr_word_float(TR_WORDS_ARG at + 13u), tr_word_float(TR_WORDS_ARG at + 16u));
    PF cy = tr_clamp(gy, tr_word_float(TR_WORDS_ARG at + 14u), tr_word_float(TR_WORDS_ARG at + 17u));
    PF cz = tr_clamp(gz, tr_word_float(TR_WORDS_ARG at + 15u), tr_word_float(TR_WORDS_ARG at + 18u));
    uint size_x = tr_words[at + 27u];
    uint size_y = tr_words[at + 28u];
    uint size_z = tr_words[at + 29u];
    PF fx = tr_floor(cx);
    PF fy = tr_floor(cy);
    PF fz = tr_floor(cz);
    fx = tr_clamp(fx, 0.0f, tr_to_float(tr_to_int(size_x) - 2));
    fy = tr_clamp(fy, 0.0f, tr_to_float(tr_to_int(size_y) - 2));
    fz = tr_clamp(fz, 0.0f, tr_to_float(tr_to_int(size_z) - 2));
    PF wx = cx - fx;
    PF wy = cy - fy;
    PF wz = cz - fz;
    wx = tr_clamp(wx, 0.0f, 1.0f);
    wy = tr_clamp(wy, 0.0f, 1.0f);
    wz = tr_clamp(wz, 0.0f, 1.0f);
    uint row =
        (tr_to_uint(tr_to_int(fy)) * size_z + tr_to_uint(tr_to_int(fz))) * size_x + tr_to_uint(tr_to_int(fx));
    uint first = at + TR_GRID_SAMPLES;
    uint up = size_x * size_z;
    PF v000 = tr_grid_sample(TR_WORDS_ARG first, row);
    PF v100 = tr_grid_sample(TR_WORDS_ARG first, row + 1u);
    PF v001 = tr_grid_sample(TR_WORDS_ARG first, row + size_x);
    PF v101 = tr_grid_sample(TR_WORDS_ARG first, row + size_x + 1u);
    PF v010 = tr_grid_sample(TR_WORDS_ARG first, row + up);
    PF v110 = tr_grid_sample(TR_WORDS_ARG first, row + up + 1u);
    PF v011 = tr_grid_sample(TR_WORDS_ARG first, row + up + size_x);
    PF v111 = tr_grid_sample(TR_WORDS_ARG first, row + up + size_x + 1u);
    PF a = v000 + wx * (v100 - v000);
    PF b = v001 + wx * (v101 - v001);
    PF c = v010 + wx * (v110 - v010);
    PF e = v011 + wx * (v111 - v011);
    PF low = a + wz * (b - a);
    PF high = c + wz * (e - c);
    PF d = low + wy * (high - low);
    d = d * tr_word_float(TR_WORDS_ARG at + 26u);
    PF ox = gx - cx;
    PF oy = gy - cy;
    PF oz = gz - cz;
    PF gap = ox * ox + oy * oy + oz * oz;
    gap = tr_sqrt(gap);
    d = d + gap * cell;
    PF lx = tr_word_float(TR_WORDS_ARG at + 19u) - gx;
    PF ly = tr_word_float(TR_WORDS_ARG at + 20u) - gy;
    PF lz = tr_word_float(TR_WORDS_ARG at + 21u) - gz;
    PF mx = gx - tr_word_float(TR_WORDS_ARG at + 22u);
    PF my = gy - tr_word_float(TR_WORDS_ARG at + 23u);
    PF mz = gz - tr_word_float(TR_WORDS_ARG at + 24u);
    lx = tr_max(lx, mx);
    ly = tr_max(ly, my);
    lz = tr_max(lz, mz);
    PF box = tr_over_faces(lx, ly, lz);
    box = box * cell;
    d = tr_max(d, box);
    return d;
}

/* ---- points ---- */

TR_STRUCT(tr_point)
{
    float x, y, z;
};

TR_FN tr_point tr_point_push(TR_WORDS_PARAM uint at, tr_point p)
{
    PF x = tr_words_row(TR_WORDS_ARG at, p.x, p.y, p.z);
    PF y = tr_words_row(TR_WORDS_ARG at + 3u, p.x, p.y, p.z);
    PF z = tr_words_row(TR_WORDS_ARG at + 6u, p.x, p.y, p.z);
    x = x + tr_word_float(TR_WORDS_ARG at + 9u);
    y = y + tr_word_float(TR_WORDS_ARG at + 10u);
    z = z + tr_word_float(TR_WORDS_ARG at + 11u);
    p.x = x;
    p.y = y;
    p.z = z;
    return p;
}

TR_FN tr_point tr_point_elongate(TR_WORDS_PARAM uint at, tr_point p)
{
    PF hx = tr_word_float(TR_WORDS_ARG at);
    PF hy = tr_word_float(TR_WORDS_ARG at + 1u);
    PF hz = tr_word_float(TR_WORDS_ARG at + 2u);
    PF minus_x = 0.0f - hx;
    PF minus_y = 0.0f - hy;
    PF minus_z = 0.0f - hz;
    PF x = p.x - tr_clamp(p.x, minus_x, hx);
    PF y = p.y - tr_clamp(p.y, minus_y, hy);
    PF z = p.z - tr_clamp(p.z, minus_z, hz);
    p.x = x;
    p.y = y;
    p.z = z;
    return p;
}

/* (x, z) turned by p.y times the rate, from z toward x where it is positive, as a rotation about y does. */
TR_FN tr_point tr_point_twist(TR_WORDS_PARAM uint at, tr_point p)
{
    PF angle = p.y * tr_word_float(TR_WORDS_ARG at);
    tr_turn turn = tr_sincos(angle);
    PF x = turn.c * p.x + turn.s * p.z;
    PF z = turn.c * p.z - turn.s * p.x;
    p.x = x;
    p.z = z;
    return p;
}

/* (x, y) turned by p.x times the rate, from x toward y, as a rotation about z does. */
TR_FN tr_point tr_point_bend(TR_WORDS_PARAM uint at, tr_point p)
{
    PF angle = p.x * tr_word_float(TR_WORDS_ARG at);
    tr_turn turn = tr_sincos(angle);
    PF x = turn.c * p.x - turn.s * p.y;
    PF y = turn.c * p.y + turn.s * p.x;
    p.x = x;
    p.y = y;
    return p;
}

TR_FN tr_point tr_point_taper(TR_WORDS_PARAM uint at, tr_point p)
{
    PF c = p.y * tr_word_float(TR_WORDS_ARG at);
    c = tr_clamp(c, 0.0f, 1.0f);
    PF widen = c * tr_word_float(TR_WORDS_ARG at + 1u);
    widen = widen + 1.0f;
    PF x = p.x * widen;
    PF z = p.z * widen;
    p.x = x;
    p.z = z;
    return p;
}

/* The distance x behind OFFSET, ONION or DISPLACE, whose operands begin at `at`; p is the sample. */
TR_FN PF tr_tree_alter(TR_WORDS_PARAM uint code, uint at, tr_point p, float x)
{
    PF by = tr_word_float(TR_WORDS_ARG at);
    PF d = x;
    if (code == TR_CODE_ONION)
        d = tr_abs(x);
    if (code == TR_CODE_DISPLACE) {
        PF n = tr_brush_noise3(TR_WORDS_ARG at + 1u, p.x, p.y, p.z);
        by = by * n;
    }
    d = d - by;
    return d;
}

/* The instruction BLEND whose operands begin at `at`, on the two topmost distances: `under` was pushed first. */
TR_FN PF tr_tree_blend(TR_WORDS_PARAM uint at, float under, float top)
{
    uint operation = tr_words[at] & 255u;
    bool swapped = (tr_words[at] & TR_BLEND_SWAPPED) != 0u;
    PF x = swapped ? top : under;
    PF y = swapped ? under : top;
    PF minus_x = 0.0f - x;
    PF minus_y = 0.0f - y;
    bool outer = operation != TR_BLEND_UNION;
    x = outer ? minus_x : x;
    y = operation == TR_BLEND_INTERSECT ? minus_y : y;
    PF d = tr_blend_min(tr_words[at + 1u], tr_word_float(TR_WORDS_ARG at + 2u),
                        tr_word_float(TR_WORDS_ARG at + 3u), tr_word_float(TR_WORDS_ARG at + 4u), x, y);
    PF negated = 0.0f - d;
    d = outer ? negated : d;
    return d;
}

/* The distance of the code that begins at `at`, at the point p of the frame. */
TR_FN PF tr_tree_distance(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF stack[TR_TREE_STACK];
    tr_point kept[TR_TREE_POINTS];
    tr_point outer;
    outer.x = px;
    outer.y = py;
    outer.z = pz;
    tr_point p = outer;
    int top = 0;   /* distances on the stack */
    int depth = 0; /* points kept */
    PF d = 0.0f;
    uint code = tr_words[at];
    while (code != TR_CODE_END) {
        uint words = 0u;
        at = at + 1u;
        if (code >= TR_CODE_POINT_PUSH) {
            if (code == TR_CODE_POINT_PUSH) {
                kept[depth] = p;
                depth = depth + 1;
                p = tr_point_push(TR_WORDS_ARG at, p);
                words = TR_CODE_POINT_PUSH_WORDS;
            } else if (code == TR_CODE_ELONGATE) {
                p = tr_point_elongate(TR_WORDS_ARG at, p);
                words = TR_CODE_ELONGATE_WORDS;
            } else if (code == TR_CODE_TWIST) {
                p = tr_point_twist(TR_WORDS_ARG at, p);
                words = TR_CODE_TWIST_WORDS;
            } else if (code == TR_CODE_BEND) {
                p = tr_point_bend(TR_WORDS_ARG at, p);
                words = TR_CODE_BEND_WORDS;
            } else if (code == TR_CODE_TAPER) {
                p = tr_point_taper(TR_WORDS_ARG at, p);
                words = TR_CODE_TAPER_WORDS;
            } else {
                depth = depth - 1;
                p = kept[depth];
            }
        } else {
            if (code == TR_CODE_BLEND) {
                d = tr_tree_blend(TR_WORDS_ARG at, stack[top - 2], stack[top - 1]);
                words = TR_CODE_BLEND_WORDS;
                top = top - 2;
            } else if (code > TR_CODE_BLEND) {
                d = tr_tree_alter(TR_WORDS_ARG code, at, outer, stack[top - 1]);
                words = code == TR_CODE_DISPLACE ? TR_CODE_DISPLACE_WORDS : TR_CODE_OFFSET_WORDS;
                top = top - 1;
            } else if (code == TR_CODE_ROUND) {
                d = tr_leaf_round(TR_WORDS_ARG at, p.x, p.y, p.z);
                words = TR_CODE_ROUND_WORDS;
            } else if (code == TR_CODE_BOX) {
                d = tr_leaf_box(TR_WORDS_ARG at, p.x, p.y, p.z);
                words = TR_CODE_BOX_WORDS;
            } else if (code == TR_CODE_CYLINDER) {
                d = tr_leaf_cylinder(TR_WORDS_ARG at, p.x, p.y, p.z);
                words = TR_CODE_CYLINDER_WORDS;
            } else if (code == TR_CODE_TORUS) {
                d = tr_leaf_torus(TR_WORDS_ARG at, p.x, p.y, p.z);
                words = TR_CODE_TORUS_WORDS;
            } else if (code == TR_CODE_CONE) {
                d = tr_leaf_cone(TR_WORDS_ARG at, p.x, p.y, p.z);
                words = TR_CODE_CONE_WORDS;
            } else if (code == TR_CODE_ELLIPSOID) {
                d = tr_leaf_ellipsoid(TR_WORDS_ARG at, p.x, p.y, p.z);
                words = TR_CODE_ELLIPSOID_WORDS;
            } else if (code == TR_CODE_PLANE) {
                d = tr_leaf_plane(TR_WORDS_ARG at, p.x, p.y, p.z);
                words = TR_CODE_PLANE_WORDS;
            } else if (code == TR_CODE_LINK) {
                d = tr_leaf_link(TR_WORDS_ARG at, p.x, p.y, p.z);
                words = TR_CODE_LINK_WORDS;
            } else {
                words = tr_words[at];
                if (code == TR_CODE_POLYHEDRON)
                    d = tr_leaf_polyhedron(TR_WORDS_ARG at, p.x, p.y, p.z);
                else if (code == TR_CODE_TUBE)
                    d = tr_leaf_tube(TR_WORDS_ARG at, p.x, p.y, p.z);
                else if (code == TR_CODE_HEIGHTS)
                    d = tr_leaf_heights(TR_WORDS_ARG at, p.x, p.y, p.z);
                else
                    d = tr_leaf_grid(TR_WORDS_ARG at, p.x, p.y, p.z);
            }
            stack[top] = d;
            top = top + 1;
        }
        at = at + words;
        code = tr_words[at];
    }
    return d;
}

#endif
