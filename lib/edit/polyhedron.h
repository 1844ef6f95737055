/* The convex polyhedra among the shapes: prism, pyramid, octahedron. */
#ifndef TR_EDIT_POLYHEDRON_H
#define TR_EDIT_POLYHEDRON_H

#include <stdint.h>

#define TR_POLYHEDRON_SIDES_MAX 16
#define TR_POLYHEDRON_CORNERS_MAX (2 * TR_POLYHEDRON_SIDES_MAX)
#define TR_POLYHEDRON_FACES_MAX (TR_POLYHEDRON_SIDES_MAX + 2)
#define TR_POLYHEDRON_TRIANGLES_MAX (4 * TR_POLYHEDRON_SIDES_MAX - 4)

/* Which corners make which faces, in order around them. */
struct tr_polyhedron {
    uint32_t corner_count, face_count, triangle_count;
    uint8_t faces[TR_POLYHEDRON_FACES_MAX];            /* the first corner of each */
    uint8_t triangles[TR_POLYHEDRON_TRIANGLES_MAX][3]; /* all faces, each a fan from its first corner */
};
struct tr_polyhedron tr_polyhedron_prism(uint32_t sides); /* 3..TR_POLYHEDRON_SIDES_MAX */
struct tr_polyhedron tr_polyhedron_pyramid(void);
struct tr_polyhedron tr_polyhedron_octahedron(void);

/* Where they are: corners, and the unit outward normals of the faces. */
struct tr_polyhedron_shape {
    double corners[TR_POLYHEDRON_CORNERS_MAX][3], normals[TR_POLYHEDRON_FACES_MAX][3];
};
/* `axis` is the unit direction from `from` to `to`, `side` and `top` two across it; top, axis, side are right-handed as x, y, z. */
void tr_prism_place(const double from[3], const double to[3], const double axis[3], const double side[3],
                    const double top[3], double radius, uint32_t sides, struct tr_polyhedron_shape *shape);
void tr_pyramid_place(const double center[3], const double size[3], struct tr_polyhedron_shape *shape);
void tr_octahedron_place(const double center[3], double radius, struct tr_polyhedron_shape *shape);

#endif
