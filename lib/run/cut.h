/* The world as if cut out of the ground: its sides show earth below the surface, down to a floor.
 *
 * Nothing is meshed for that. The mesh is open in the world's four outer planes, and its open edges there are the
 * profile of the ground: a point of a side is in the ground exactly if an odd number of them lies straight above it.
 * That holds for tunnels that come out of a side, and an edge of a triangle that lies in the side counts twice and so not
 * at all. A ray that enters the world through a side at such a point ends there.
 *
 * Lengths are voxels; sides are numbered as those of a tile without -y and +y: -x, +x, -z, +z. */
#ifndef TR_RUN_CUT_H
#define TR_RUN_CUT_H

#include "lib/mesh/tile_mesh.h"

#include <stddef.h>

#define TR_CUT_SIDES 4

/* An edge in a side, along the other axis and y; u0 < u1. */
struct tr_cut_edge {
    double u0, y0, u1, y1;
};

struct tr_cut_edges {
    struct tr_cut_edge *list;
    size_t count, capacity;
};

struct tr_cut {
    double size[2]; /* the world's, x and z */
    double floor;   /* y */
    struct tr_cut_edges sides[TR_CUT_SIDES];
    /* Edges by where they lie: bin i of a side has those of items[starts[i]] to items[starts[i + 1]]. */
    size_t bin_count[TR_CUT_SIDES];
    size_t *starts[TR_CUT_SIDES], *items[TR_CUT_SIDES];
};

/* Appends those edges of a tile, with its lowest corner at (x, y, z) units, that lie in each side of a world of this size. */
enum tr_status tr_cut_collect(const struct tr_tile_mesh *tile, const int64_t corner[3], const int64_t size[2],
                              struct tr_cut_edges sides[TR_CUT_SIDES], struct tr_error *error);
/* Once all edges are there. */
enum tr_status tr_cut_sort(struct tr_cut *cut, struct tr_error *error);
void tr_cut_release(struct tr_cut *cut);

struct tr_cut_hit {
    double t; /* along the ray */
    int side;
    double below; /* depth below the surface there */
};
/* Where a ray from outside the world meets cut ground. */
bool tr_cut_hit(const struct tr_cut *cut, const double from[3], const double ray[3], struct tr_cut_hit *hit);

#endif
