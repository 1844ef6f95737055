/* What the exporters share: metres and normals as floats, the welded surface, and a file written in batches.
 *
 * Private to lib/pack. */
#ifndef TR_PACK_EXPORT_PARTS_H
#define TR_PACK_EXPORT_PARTS_H

#include "lib/base/bytes.h"
#include "lib/pack/export.h"
#include "lib/pack/pack_format.h"

/* Metres of a coordinate in units. In double the product is rounded once, dividing by 256 is exact; then float. Equal units give equal
 * bits, and up to the limit that tr_export_check_range holds, different units give different floats. */
static inline float tr_export_metres(int64_t units, double voxel_size)
{
    return (float)((double)units * voxel_size / TR_UNITS);
}

/* Unit vector of an octahedral normal (shaders/surface.h), decoded in double. */
void tr_export_normal(uint32_t octahedral, float normal[3]);

/* The tiles that are exported, which lie one behind another in the pack's table. */
struct tr_tile_range {
    size_t first, count;
};
/* Refuses coordinates of the tiles (and `floor_y`, in units) that floats cannot tell apart. */
enum tr_status tr_export_check_range(const struct tr_pack *pack, struct tr_tile_range tiles, int64_t floor_y,
                                     struct tr_error *error);

/* ---- the file ---- */

struct tr_sink {
    struct tr_output output;
    struct tr_writer batch; /* append here, then call tr_sink_pump */
    uint64_t written_bytes;
};
enum tr_status tr_sink_open(struct tr_sink *sink, const char *path, bool replace, struct tr_error *error);
/* Writes the batch out once it is large. */
enum tr_status tr_sink_pump(struct tr_sink *sink, struct tr_error *error);
enum tr_status tr_sink_commit(struct tr_sink *sink, struct tr_error *error);
void tr_sink_release(struct tr_sink *sink); /* removes what is not committed */

/* ---- the welded surface ---- */

/* Tiles as one mesh: vertices of equal position are one, in order of first appearance. */
struct tr_surface {
    int32_t (*xyz)[3]; /* units, world */
    uint32_t *normals; /* octahedral */
    size_t vertex_count, xyz_capacity, normal_capacity;
    uint32_t *indices; /* 3 a triangle */
    size_t index_count, index_capacity;
};
/* The tiles must have passed tr_export_check_range. */
enum tr_status tr_surface_read(struct tr_surface *surface, const struct tr_pack *pack,
                               struct tr_tile_range tiles, struct tr_error *error);
void tr_surface_release(struct tr_surface *surface);

/* Closes the open sides of a world `size` = {x, z} units wide with walls, and the bottom with a floor at y = floor_y (solid.c). */
enum tr_status tr_surface_make_solid(struct tr_surface *surface, const int32_t size[2], int32_t floor_y,
                                     struct tr_error *error);

/* A point of a plane, and the vertex of the surface that it is. */
struct tr_plane_point {
    int32_t u, y;
    uint32_t vertex, next; /* next: the point that the region's boundary goes on to, region on its left */
};
/* Fills a plane region with triangles of its own points, counter-clockwise in (u, y), appended to the surface (plane_fill.c). */
enum tr_status tr_plane_fill(const struct tr_plane_point *points, size_t point_count,
                             struct tr_surface *surface, struct tr_error *error);

/* ---- the formats ---- */

/* Opens its output itself: a file, or a folder of them. */
enum tr_status tr_export_glb(const struct tr_pack *pack, struct tr_tile_range tiles, const char *path,
                             const struct tr_export_options *options, struct tr_export_result *result,
                             struct tr_error *error);
enum tr_status tr_export_obj(const struct tr_surface *surface, double voxel_size, struct tr_sink *sink,
                             struct tr_error *error);
enum tr_status tr_export_ply(const struct tr_surface *surface, double voxel_size, struct tr_sink *sink,
                             struct tr_error *error);
enum tr_status tr_export_stl(const struct tr_surface *surface, double voxel_size, struct tr_sink *sink,
                             struct tr_error *error);

/* Shortest decimal, at most 9 significant digits, that reads back as exactly `value` (finite). */
#define TR_FLOAT_TEXT_BYTES 32
int tr_float_text(float value, char text[TR_FLOAT_TEXT_BYTES]);

#endif
