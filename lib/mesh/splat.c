/* Splat weights. See splat.h. */
#include "lib/mesh/splat.h"

#include "lib/base/alloc.h"

#include <string.h>

static int64_t units_from_metres(double metres, double voxel_size)
{
    const double units = metres * TR_UNITS / voxel_size + 0.5;
    const double limit = 0x1p42; /* beyond any height */
    return (int64_t)(units < limit ? units : limit);
}

struct tr_shore tr_shore_of(double voxel_size)
{
    struct tr_shore shore = {units_from_metres(1, voxel_size), units_from_metres(3, voxel_size)};
    if (shore.high <= shore.low)
        shore.high = shore.low + 1;
    return shore;
}

/* part / whole of `rest`, the fraction taken between 0 and 1; whole > 0. */
static uint32_t share(uint32_t rest, int64_t part, int64_t whole)
{
    if (part <= 0)
        return 0;
    if (part >= whole)
        return rest;
    return (uint32_t)((2 * (int64_t)rest * part + whole) / (2 * whole));
}

static int64_t magnitude(uint32_t component)
{
    const int64_t value = (int16_t)(component & 0xffff);
    return value < 0 ? -value : value;
}

static void weigh_ground(uint32_t normal, int64_t y, const struct tr_shore *shore,
                         uint8_t weights[TR_SPLAT_WEIGHTS])
{
    const int64_t level = magnitude(normal) + magnitude(normal >> 16);
    const int64_t up = 32767 - level;
    uint32_t rest = TR_SPLAT_ALL;
    /* (slope - 0.7) / (1.2 - 0.7) and (slope - 0.4) / (0.7 - 0.4), of slope = level / up */
    const uint32_t rock = up <= 0 ? rest : share(rest, 10 * level - 7 * up, 5 * up);
    rest -= rock;
    const uint32_t soil = up <= 0 ? rest : share(rest, 10 * level - 4 * up, 3 * up);
    rest -= soil;
    const uint32_t sand = share(rest, shore->high - y, shore->high - shore->low);
    weights[TR_SPLAT_GRASS] = (uint8_t)(rest - sand);
    weights[TR_SPLAT_ROCK] = (uint8_t)rock;
    weights[TR_SPLAT_SAND] = (uint8_t)sand;
    weights[TR_SPLAT_SOIL] = (uint8_t)soil;
}

static void weigh_paint(uint8_t material, uint8_t weights[TR_SPLAT_WEIGHTS])
{
    memset(weights, 0, TR_SPLAT_WEIGHTS);
    weights[(material - 1) % TR_SPLAT_WEIGHTS] = TR_SPLAT_ALL;
}

void tr_splat_point(uint32_t normal, int64_t y, uint8_t material, const struct tr_shore *shore,
                    uint8_t weights[TR_SPLAT_WEIGHTS])
{
    if (material != 0)
        weigh_paint(material, weights);
    else
        weigh_ground(normal, y, shore, weights);
}

enum tr_status tr_splat(struct tr_tile_mesh *tile, int64_t base_y, double voxel_size, struct tr_error *error)
{
    const struct tr_shore shore = tr_shore_of(voxel_size);
    tile->weights = tr_alloc(tile->vertex_count, sizeof *tile->weights, error);
    if (!tile->weights)
        return TR_IO;
    for (uint32_t i = 0; i < tile->vertex_count; i++) {
        const tr_vertex *vertex = &tile->vertices[i];
        tr_splat_point(vertex->normal, base_y + vertex->y, tile->materials ? tile->materials[i] : 0, &shore,
                       tile->weights[i]);
    }
    return TR_OK;
}
