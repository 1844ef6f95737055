/* The check of a whole window of meshes: closed, manifold, no duplicates, no pinch. It knows nothing of how
 * meshes are made.
 *
 * Triangles of any number of tiles are added in world positions (units); corners with equal positions are one
 * vertex (exact, never by distance). "Closed": each directed edge is met by exactly one opposite edge, but
 * edges lying in the window's outer planes x = lo, x = hi, z = lo, z = hi (world sides). At most two
 * triangles an edge; no two triangles with the same three corners; no triangle with two equal corners; every
 * vertex has one fan of triangles (closed, or open at the sides): else it is a pinch. No limit on triangles
 * at a vertex.
 *
 * What lies inside a tile is judged when the tile is added, and forgotten; only what may meet other tiles is kept until the end. */
#ifndef TR_MESH_CHECK_H
#define TR_MESH_CHECK_H

#include "lib/base/status.h"
#include <stddef.h>
#include <stdint.h>

struct tr_check;

/* lo and hi: the world's outer planes in units, {x, z}. */
enum tr_status tr_check_create(const int64_t lo[2], const int64_t hi[2], struct tr_check **out,
                               struct tr_error *error);
void tr_check_free(struct tr_check *check);

/* One triangle soup or indexed mesh: position of vertex i is (xyz[3i], xyz[3i+1], xyz[3i+2]), each within
 * +-2^36. Indices must be < vertex_count. At most 2^32 - 1 vertices and 2^30 triangles in a mesh, and 2^32 - 1 vertices and edges
 * that are kept of all. Bad input leaves the check as it was. Safe from several threads. */
enum tr_status tr_check_add(struct tr_check *check, const int64_t *xyz, size_t vertex_count,
                            const uint32_t *indices, size_t index_count, struct tr_error *error);

/* The mesh of a tile: no other mesh has a vertex strictly inside the box lo .. hi, so that what touches a vertex there is all known now. Gives what
 * tr_check_add gives, in less memory: of what it takes, only vertices elsewhere and what lies between them are kept. */
enum tr_status tr_check_add_tile(struct tr_check *check, const int64_t lo[3], const int64_t hi[3],
                                 const int64_t *xyz, size_t vertex_count, const uint32_t *indices,
                                 size_t index_count, struct tr_error *error);

/* "First" is the smallest by position (x, then y, then z), an edge's smaller end first; zero where there is
 * none. */
struct tr_check_result {
    uint64_t vertices;      /* welded, and used by a triangle that counts */
    uint64_t edges;         /* undirected */
    uint64_t triangles;     /* without the degenerate */
    uint64_t components;    /* parts that share no vertex */
    uint64_t side_edges;    /* open edges in the world's sides: allowed */
    uint64_t open_edges;    /* directed edges without opposite elsewhere */
    uint64_t crowded_edges; /* undirected edges with more than two triangles, or two of one direction */
    uint64_t duplicates;    /* triangles beyond the first with the same three corners */
    uint64_t degenerates;   /* triangles with two equal corners */
    uint64_t pinches;       /* vertices with more than one fan */
    int64_t euler;          /* vertices - edges + triangles */
    double volume_units3;   /* signed volume when closed: sum over triangles of det / 6, in cubic units */
    double area_units2;     /* of each triangle rounded to 2^-16 */
    double
        cover_units2; /* area seen from above, counted negative where a triangle faces down; exact up to 2^53 */
    int64_t first_open[6];
    int64_t first_pinch[3];
    int64_t first_crowded[6];
};
/* Judges all that was added so far; more may be added after. The result does not depend on the order in which meshes were added. */
enum tr_status tr_check_finish(struct tr_check *check, struct tr_check_result *result,
                               struct tr_error *error);

#endif
