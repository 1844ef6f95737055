/* Any bytes as an Esri ASCII grid: read or refused in one line; what was read is finite, and where it makes a world, every sample is a height. */
#include "lib/gen/dem.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

static void fill_corners(const struct tr_dem *dem, const struct tr_world_info *info)
{
    static const enum tr_dem_filter filters[] = {TR_DEM_NEAREST, TR_DEM_BILINEAR, TR_DEM_CUBIC};
    int32_t heights[TR_CHUNK * TR_CHUNK];

    for (size_t f = 0; f < sizeof filters / sizeof filters[0]; f++)
        for (int corner = 0; corner < 2; corner++) {
            int64_t x = corner ? (int64_t)info->size_x * TR_CHUNK : 0,
                    z = corner ? (int64_t)info->size_z * TR_CHUNK : 0;
            tr_dem_fill(dem, info->voxel_size, filters[f], x, z, heights);
            for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++)
                FUZZ_CHECK(heights[i] >= -TR_HEIGHT_MAX && heights[i] <= TR_HEIGHT_MAX);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_dem dem = {0};
    struct tr_world_info info;
    struct tr_error error = {0};
    enum tr_status status = tr_dem_parse((const char *)bytes, size_bytes, "fuzz.asc", &dem, &error);

    if (status != TR_OK) {
        FUZZ_CHECK(status == TR_BAD_INPUT || status == TR_IO);
        FUZZ_CHECK(error.text[0] && !strchr(error.text, '\n'));
        return 0;
    }
    FUZZ_CHECK(dem.columns >= 1 && dem.columns <= TR_DEM_SIDE_MAX && dem.rows >= 1 &&
               dem.rows <= TR_DEM_SIDE_MAX);
    for (size_t i = 0; i < (size_t)dem.columns * dem.rows; i++)
        FUZZ_CHECK(isfinite(dem.heights[i]));
    if (tr_dem_world_info(&dem, 2.5, "fuzz.asc", &info, &error) == TR_OK)
        fill_corners(&dem, &info);
    tr_dem_release(&dem);
    return 0;
}
