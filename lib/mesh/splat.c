/* Splat weights. See splat.h. */
#include "lib/mesh/splat.h"

#include "lib/base/alloc.h"

#include <string.h>

#define ALL 255

enum { GRASS, ROCK, SAND, SOIL, WEIGHTS };

/* A ramp over heights, units from y = 0. */
struct shore {
    int64_t low, high;
};

static int64_t units_from_metres(double metres, double voxel_size)
{
    const double units = metres * TR_UNITS / voxel_size + 0.5;
    const double limit = 0x1p42; /* beyond any height */
    return (int64_t)(units < limit ? units : limit);
}

static struct shore shore_of(double voxel_size)
{
    struct shore shore = {units_from_metres(1, voxel_size), units_from_metres(3, voxel_size)};
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

static void weigh_ground(uint32_t normal, int64_t y, const struct shore *shore, uint8_t weights[WEIGHTS])
{
    const int64_t level = magnitude(normal) + magnitude(normal >> 16);
    const int64_t up = 32767 - level;
    uint32_t rest = ALL;
    /* (slope - 0.7) / (1.2 - 0.7) and (slope - 0.4) / (0.7 - 0.4), of slope = level / up */
    const uint32_t rock = up <= 0 ? rest : share(rest, 10 * level - 7 * up, 5 * up);
    rest -= rock;
    const uint32_t soil = up <= 0 ? rest : share(rest, 10 * level - 4 * up, 3 * up);
    rest -= soil;
    const uint32_t sand = share(rest, shore->high - y, shore->high - shore->low);
    weights[GRASS] = (uint8_t)(rest - sand);
    weights[ROCK] = (uint8_t)rock;
    weights[SAND] = (uint8_t)sand;
    weights[SOIL] = (uint8_t)soil;
}

static void weigh_paint(uint8_t material, uint8_t weights[WEIGHTS])
{
    memset(weights, 0, WEIGHTS);
    weights[(material - 1) % WEIGHTS] = ALL;
}

enum tr_status tr_splat(struct tr_tile_mesh *tile, int64_t base_y, double voxel_size, struct tr_error *error)
{
    const struct shore shore = shore_of(voxel_size);
    tile->weights = tr_alloc(tile->vertex_count, sizeof *tile->weights, error);
    if (!tile->weights)
        return TR_IO;
    for (uint32_t i = 0; i < tile->vertex_count; i++) {
        const tr_vertex *vertex = &tile->vertices[i];
        if (tile->materials && tile->materials[i] != 0)
            weigh_paint(tile->materials[i], tile->weights[i]);
        else
            weigh_ground(vertex->normal, base_y + vertex->y, &shore, tile->weights[i]);
    }
    return TR_OK;
}
