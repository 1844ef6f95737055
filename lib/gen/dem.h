/* Elevation from an Esri ASCII grid, resampled to voxels.
 *
 * The grid's first row is the northernmost; -Z is north, so row r lies at z = r, column c at x = c. Heights are point samples: voxel
 * (0, ., 0) is the north-west one. Voxels between them come from a cubic (Catmull-Rom) or bilinear interpolation in double; beyond the
 * grid's last row or column the nearest edge height repeats. */
#ifndef TR_GEN_DEM_H
#define TR_GEN_DEM_H

#include "lib/base/status.h"
#include "lib/world/world.h"

struct tr_dem {
    uint32_t columns, rows; /* 1..TR_DEM_SIDE_MAX each */
    double cell_size;       /* metres between heights, > 0 */
    double west, north;     /* map coordinates of the north-west height (a point), metres */
    float *heights;         /* [row][column], metres, all finite */
};

#define TR_DEM_SIDE_MAX 65536
#define TR_DEM_BYTES_MAX (2u << 30)

enum tr_dem_filter { TR_DEM_NEAREST, TR_DEM_BILINEAR, TR_DEM_CUBIC };

/* Reads .asc text: header keys in any case (ncols, nrows, xllcorner or xllcenter, yllcorner or yllcenter, cellsize, nodata_value), then
 * exactly ncols*nrows numbers. No-data heights (-9999 where the header does not say) are refused with their count and the first place; so are NaN, missing or extra numbers. */
enum tr_status tr_dem_parse(const char *text, size_t size_bytes, const char *name, struct tr_dem *dem,
                            struct tr_error *error);
void tr_dem_release(struct tr_dem *dem);

/* The size in chunks, extent and georeference of the world that the grid fills at voxel_size; refuses what leaves the limits. */
enum tr_status tr_dem_world_info(const struct tr_dem *dem, double voxel_size, const char *name,
                                 struct tr_world_info *info, struct tr_error *error);

/* Heights in units of the samples x..x+63, z..z+63 (array [z][x]). */
void tr_dem_fill(const struct tr_dem *dem, double voxel_size, enum tr_dem_filter filter, int64_t x, int64_t z,
                 int32_t *heights);

#endif
