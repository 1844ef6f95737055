/* Solids from files: a closed triangle mesh read from Wavefront OBJ or PLY.
 *
 * OBJ: the statements v and f; positions are the first three numbers, corners are v, v/vt, v//vn or
 * v/vt/vn, counted from 1 or, negative, back from the last vertex so far. All other statements are ignored.
 * PLY: ascii, binary_little_endian and binary_big_endian 1.0; x, y, z of the element `vertex` and the list
 * vertex_indices or vertex_index of `face`, of any scalar types; other elements and properties are skipped.
 * A file that begins with the line "ply" is a PLY, any other an OBJ. Polygons become fans around their
 * first corner.
 *
 * What makes it a solid: vertices at equal positions are one (files split them where normals or colours
 * differ); triangles with two equal corners are dropped; then each directed edge must be met by exactly one
 * in the opposite direction. A mesh with a negative volume is taken as turned inside out, and all its
 * triangles are turned. Crossings of the surface with itself are not looked for: where they matter, it is
 * said (solid_field.h). */
#ifndef TR_EDIT_SOLID_MESH_H
#define TR_EDIT_SOLID_MESH_H

#include "lib/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TR_SOLID_MESH_BYTES_MAX ((size_t)1 << 30)       /* of a file */
#define TR_SOLID_MESH_VERTICES_MAX (UINT32_C(1) << 22)  /* in a file, before equal ones become one */
#define TR_SOLID_MESH_TRIANGLES_MAX (UINT32_C(1) << 23) /* in a file, before any is dropped */
#define TR_SOLID_MESH_COORDINATE_MAX 1e9                /* either sign */

struct tr_solid_mesh {
    uint32_t vertex_count, triangle_count;
    double (*positions)[3];   /* all different, each used, in the order of the file; never -0 */
    uint32_t (*triangles)[3]; /* counter-clockwise seen from outside (right-handed axes) */
    double min[3], max[3];    /* of the positions */
    double volume;            /* > 0 */
    bool is_turned;           /* the file had them clockwise */
    uint32_t part_count;      /* parts that share no vertex */
    uint32_t cavity_count; /* those of them with a negative volume: hollows, where they lie within another */
};

/* Reads a mesh; `name` is the file's, for messages. Refused in one line (TR_BAD_INPUT) with the line, or in
 * binary the byte offset: what is malformed or beyond the limits, a mesh that is not closed (with the first
 * such edge and how many there are), one without a triangle or with no volume that double precision can
 * tell from 0. */
enum tr_status tr_solid_mesh_parse(const void *bytes, size_t size_bytes, const char *name,
                                   struct tr_solid_mesh *mesh, struct tr_error *error);
void tr_solid_mesh_release(struct tr_solid_mesh *mesh);

#endif
