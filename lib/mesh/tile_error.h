/* The error of a tile: the greatest distance of the LOD 0 vertices that it covers from its surface, Euclidean, in units and rounded up.
 *
 * The surface is the tile's without moves and transitions (states all `same`; of a side that is never so, the lowest state it has parts for).
 * Points come in any number of calls. Distances are computed in double with + - * / alone, and the square root once; the result is that of
 * comparing each point with each triangle, so it depends on neither order nor machine. A point that cannot exceed the greatest distance so
 * far is settled by the triangles near it, so the cost is a few triangles a point. */
#ifndef TR_MESH_TILE_ERROR_H
#define TR_MESH_TILE_ERROR_H

#include "lib/mesh/tile_mesh.h"

struct tr_tile_error;

/* The tile may be several stacked ones as one mesh, size[1] being theirs. Copies what it needs of it, each of whose surface triangles lies within a cell. A tile without surface triangles has no error: points
 * do nothing. TR_IO without memory. */
enum tr_status tr_tile_error_create(const struct tr_tile_mesh *tile, struct tr_tile_error **out,
                                    struct tr_error *error);
/* points: x, y, z in units from the tile's lowest corner, |coordinate| <= 2^26. */
void tr_tile_error_add(struct tr_tile_error *measure, const int32_t (*points)[3], size_t count);
/* Units; 0 without points. */
uint32_t tr_tile_error_result(const struct tr_tile_error *measure);
/* NULL is fine. */
void tr_tile_error_free(struct tr_tile_error *measure);

#endif
