/* Looking at single points of a world: the field between its samples, and the ground along a vertical line.
 *
 * Between samples field() is trilinear in each cell, and solid where it is <= 0. That is the ground that points
 * and rays meet; the mesh's vertices lie on it to 1/256 voxel, its triangles cut through it. Results are for
 * people and scripts: computed in double on the host, no part of the exact bytes. */
#ifndef TR_RUN_PROBE_H
#define TR_RUN_PROBE_H

#include "lib/world/cache.h"
#include "lib/world/world.h"

/* The cells of chunk (cx, cz), 0 <= cx < size_x of the world, cz likewise: 64 x 64 columns of any height, with
 * the chunks that own their corners at local 0..64. */
struct tr_cells {
    int32_t cx, cz;
    const struct tr_chunk *chunks[2][2]; /* [dz][dx] */
};
enum tr_status tr_cells_hold(struct tr_cache *cache, int32_t cx, int32_t cz, struct tr_cells *cells,
                             struct tr_error *error);
void tr_cells_release(struct tr_cache *cache, struct tr_cells *cells);

/* field() at local x, z in 0..64 and world row y. */
int tr_cells_sample(const struct tr_cells *cells, int x, int64_t y, int z);
/* The height there, units. */
int32_t tr_cells_height(const struct tr_cells *cells, int x, int z);
/* The material at the same place as the field, and the column's alone. */
int tr_cells_material(const struct tr_cells *cells, int x, int64_t y, int z);
int tr_cells_paint(const struct tr_cells *cells, int x, int z);

/* Between the corners of a cell, numbered as in shaders/cell.h; x, y, z in [0, 1]. */
static inline double tr_trilinear(const double corner[8], double x, double y, double z)
{
    double edge[4], face[2];

    for (int i = 0; i < 4; i++)
        edge[i] = corner[2 * i] + (corner[2 * i + 1] - corner[2 * i]) * x;
    for (int i = 0; i < 2; i++)
        face[i] = edge[2 * i] + (edge[2 * i + 1] - edge[2 * i]) * y;
    return face[0] + (face[1] - face[0]) * z;
}

/* Lowest and highest height of the chunk's own samples, units. */
void tr_chunk_height_range(const struct tr_chunk *chunk, int32_t *lowest, int32_t *highest);

/* field() at a point, in metres; negative in the ground. Along a simple height field it is the vertical
 * distance, and beyond 128 voxels it is cut, as samples are. Outside the world or its block rows:
 * TR_BAD_INPUT, with the range. */
enum tr_status tr_probe_field(struct tr_cache *cache, const struct tr_world_info *info, const double at_m[3],
                              double *distance_m, struct tr_error *error);

/* What the ground at such a point is painted with: the material of the sample that counts most there, of those in
 * the ground. 0 in air, and where there is no paint. */
enum tr_status tr_probe_material(struct tr_cache *cache, const struct tr_world_info *info,
                                 const double at_m[3], int *material, struct tr_error *error);

struct tr_surface {
    double y_m;
    bool solid_below; /* else it is a ceiling: air below, ground above */
    int material;     /* of the ground's sample at it that counts most */
};

struct tr_ground {
    double height_m; /* of the height field */
    int material;    /* of the nearest column alone; 0: none */
    bool sculpted;   /* a sample around the line differs from the height field */
    struct tr_surface
        *surfaces; /* from above; the first is where the sky ends, and ground is below the last */
    size_t count, capacity;
};
void tr_ground_release(struct tr_ground *ground);

/* The ground along the vertical line at part_x, part_z, in [0, 1], of the column of cells at local x, z in 0..63. What
 * `ground` held is replaced and its memory used again; release it on failure, too. Where the parts are whole 256ths the
 * field along the line is exact, and so are the surfaces but for one division; with a voxel_size of 1 they are in
 * voxels. */
enum tr_status tr_cells_ground(const struct tr_cells *cells, int x, int z, double part_x, double part_z,
                               double voxel_size, struct tr_ground *ground, struct tr_error *error);

/* The ground at x, z of the map, in metres. Outside the world: TR_BAD_INPUT, with the range. Release it. */
enum tr_status tr_probe_ground(struct tr_cache *cache, const struct tr_world_info *info, double x_m,
                               double z_m, struct tr_ground *ground, struct tr_error *error);

#endif
