/* Splat weights: how much grass, rock, sand and soil a vertex shows, of 255 in all, from its slope and height or from its paint.
 *
 * Everything is in integers. With the normal's octahedral components u, v (of 32767) and n = 32767 - |u| - |v|, the slope is
 * (|u| + |v|) / n; straight walls and what faces down count as infinitely steep. Each boundary is a ramp, and what one material gives up the
 * next takes:
 *
 *   rock   rises from 0 at slope 0.7 to all at slope 1.2
 *   soil   of the rest, rises from 0 at slope 0.4 to all at slope 0.7
 *   sand   of the rest, all up to 1 m above y = 0, falling to 0 at 3 m
 *   grass  what is left
 *
 * Each of the first three is rounded to a whole number, halves up, and the next shares what remains of 255, so the sum is 255 always. The two
 * heights are rounded to units likewise, the upper one at least a unit above the lower.
 *
 * A painted vertex is all of one: material 1 grass, 2 rock, 3 sand, 4 soil, and so on round for greater ones. */
#ifndef TR_MESH_SPLAT_H
#define TR_MESH_SPLAT_H

#include "lib/mesh/tile_mesh.h"

enum { TR_SPLAT_GRASS, TR_SPLAT_ROCK, TR_SPLAT_SAND, TR_SPLAT_SOIL, TR_SPLAT_WEIGHTS };
#define TR_SPLAT_ALL 255 /* what the weights sum to */

/* The ramp between sand and grass, units from y = 0. */
struct tr_shore {
    int64_t low, high;
};
struct tr_shore tr_shore_of(double voxel_size);

/* The weights at one point: its octahedral normal, its y in units from y = 0, |y| < 2^41, and its material, 0 for none. */
void tr_splat_point(uint32_t normal, int64_t y, uint8_t material, const struct tr_shore *shore,
                    uint8_t weights[TR_SPLAT_WEIGHTS]);

/* Fills tile->weights (taken here). base_y: y of the tile's lowest corner in units from the world's y = 0, |base_y| < 2^40; voxel_size in
 * metres, > 0. TR_IO without memory. */
enum tr_status tr_splat(struct tr_tile_mesh *tile, int64_t base_y, double voxel_size, struct tr_error *error);

#endif
