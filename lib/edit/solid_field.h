/* Distance fields of solids: the signed distance from a closed mesh at each point of a regular grid.
 *
 * The grid's points are whole multiples of the cell in each axis, from the last at or below the mesh's
 * least coordinate to the first at or above its greatest, and a margin of cells more on each side. The
 * mesh's vertices are moved to the nearest point of a lattice 65,536 times finer than the grid (vertices on
 * grid points stay where they are); all that follows is of that mesh:
 *
 * - The magnitude is the exact distance to the nearest triangle, computed in double and rounded once,
 *   halves away from 0.
 * - The sign is negative where the surface winds around the point, whichever way it does, decided in
 *   integers without rounding. So a part within another one is a hollow if it is wound the other way, and
 *   solid if not; parts may overlap and the surface may cross itself. Distances then are still those from
 *   the nearest triangle, within the solid too.
 *
 * The same bytes on all machines and for any number of jobs. */
#ifndef TR_EDIT_SOLID_FIELD_H
#define TR_EDIT_SOLID_FIELD_H

#include "lib/base/jobs.h"
#include "lib/edit/solid_mesh.h"
#include <stdint.h>

#define TR_SOLID_FIELD_UNITS 256                       /* of a sample in a cell */
#define TR_SOLID_FIELD_SIDE_MAX 16384u                 /* samples along an axis */
#define TR_SOLID_FIELD_SAMPLES_MAX ((uint64_t)1 << 27) /* in all */
#define TR_SOLID_FIELD_MARGIN_MAX 128u                 /* cells; farther out nothing is below the clamp */
#define TR_SOLID_FIELD_CELLS_MAX 0x1p35                /* from 0 to the mesh, in any axis */

struct tr_solid_field {
    uint32_t size[3]; /* samples along x, y, z */
    double origin[3]; /* of the first sample, in the unit of the mesh */
    double cell;      /* from sample to sample, in the same unit */
    /* [y][z][x], distances in 1/256 cell, clamped to +-32,767 (127.996 cells): > 0 outside, 0 at the
     * surface */
    int16_t *samples;
};

/* Makes the field of a mesh that tr_solid_mesh_parse has read. Refuses (TR_BAD_INPUT, without the mesh's
 * name) what is beyond the limits above. The time grows with the samples and, once triangles are smaller
 * than a cell, with the triangles to a cell of the surface; at the very worst it is samples times
 * triangles. */
enum tr_status tr_solid_field_make(const struct tr_solid_mesh *mesh, double cell, uint32_t margin,
                                   struct tr_jobs *jobs, struct tr_solid_field *field,
                                   struct tr_error *error);
void tr_solid_field_release(struct tr_solid_field *field);

/* The distance at a point, in the unit of the mesh: trilinear between samples, of the nearest point of the
 * grid's box beyond it. */
double tr_solid_field_at(const struct tr_solid_field *field, const double point[3]);

#endif
