/* The check of a pack against the world that it was meshed from. It shares no code with the mesher: what a crossing, a normal and the
 * outside are is worked out here again, one vertex at a time, from field().
 *
 *   position     A vertex lies on an edge between two neighbouring samples of LOD 0 with different signs, at the crossing of exactly these
 *                two. One of a marching-cubes tile of a window that lies within a cell of a finer neighbour may have moved: then it lies
 *                within a quarter of a cell along x and z of the crossing of an edge of its own LOD, found by descending.
 *   normal       It differs by at most 1e-4 radians from the field's central differences, interpolated along that edge (the stored form is
 *                within 6.5e-5 of a direction).
 *   material     It is that of the edge's solid end.
 *   orientation  The edge leaves the solid through the surface: seen from its air end, the triangles around the vertex go round it
 *                counter-clockwise, in each of the quarters that the cells around the edge cut. Marching-cubes tiles with a finer neighbour
 *                are left out, for there vertices move.
 *   lines        A vertical line of samples of a tile's LOD has as many vertices as sign changes, so nothing is left out. */
#ifndef TR_RUN_PACK_FIELD_CHECK_H
#define TR_RUN_PACK_FIELD_CHECK_H

#include "lib/base/jobs.h"
#include "lib/pack/pack.h"
#include "lib/world/world.h"

struct tr_pack_field_report {
    uint64_t vertices, moved; /* looked at; those of them that were taken as moved */
    uint64_t off_surface;     /* vertices that are no crossing */
    uint64_t wrong_normals, wrong_materials;
    uint64_t turned;           /* vertices whose triangles show their inside */
    uint64_t wrong_lines;      /* lines with another number of vertices */
    uint64_t unreadable_tiles; /* left out: tr_pack_verify says why */
    /* in units, the smallest by x, then y, then z; zero where there is none */
    int64_t first_off_surface[3], first_wrong_normal[3], first_wrong_material[3], first_turned[3],
        first_wrong_line[3]; /* y 0 */
};

/* TR_BAD_INPUT when the world is not the one that was meshed, by its hash and size. cache_bytes: for decoded chunks. *good: nothing is wrong.
 * Does not depend on the number of jobs. */
enum tr_status tr_pack_check_field(const struct tr_pack *pack, const struct tr_world *world,
                                   struct tr_jobs *jobs, size_t cache_bytes,
                                   struct tr_pack_field_report *report, bool *good, struct tr_error *error);

#endif
