/* Casting a ray into a world: where it first meets solid ground, in the trilinear field of probe.h. */
#ifndef TR_RUN_RAYCAST_H
#define TR_RUN_RAYCAST_H

#include "lib/world/cache.h"
#include "lib/world/world.h"

#define TR_RAY_ORIGIN_MAX 1e9 /* voxels, of each coordinate: farther out a double is too coarse */

struct tr_ray {
    double origin_m[3];
    double direction[3]; /* of any length but 0 */
    double length_m;     /* >= 0; INFINITY: through the whole world */
};

struct tr_ray_hit {
    bool hit; /* what follows is 0 without one */
    double distance_m;
    double at_m[3];
    double
        normal[3];  /* unit length: the central differences of field() around the point, interpolated; against
                         the ray where they are 0 */
    int32_t cx, cz; /* the chunk whose cell it is in */
};

/* The first point of the ray with field <= 0. A ray that begins in solid ground hits at distance 0. The world is
 * its footprint at any height, endless ground below and air above: a ray from beside it meets the ground where it
 * enters the footprint, and one that leaves the footprint hits nothing.
 *
 * Takes time in proportion to the chunks under the ray and the cells it passes below the highest ground of each;
 * reads those chunks and holds four at a time. A direction of 0, or a number that is not finite or out of range:
 * TR_BAD_INPUT. */
enum tr_status tr_raycast(struct tr_cache *cache, const struct tr_world_info *info, const struct tr_ray *ray,
                          struct tr_ray_hit *hit, struct tr_error *error);

#endif
