/* Kernel `height_grid`: the vertices of many chunks' height grids at LOD 0. An invocation makes one vertex,
 * that of the vertical line of samples at (x, z). */
#ifndef TR_SHADERS_HEIGHT_GRID_PARAMS_H
#define TR_SHADERS_HEIGHT_GRID_PARAMS_H
#include "cell.h"

#define TR_HEIGHT_GRID_LOCAL 64
#define TR_HEIGHT_GRID_HEIGHTS 0  /* TR_TILE_HALO words a chunk, clamped to the world */
#define TR_HEIGHT_GRID_VERTICES 1 /* out: tr_vertex, TR_HEIGHT_GRID_LINES a chunk, [z][x] */
#define TR_HEIGHT_GRID_BUFFERS 2

#define TR_HEIGHT_GRID_LINES (TR_TILE_CORNERS * TR_TILE_CORNERS)

TR_STRUCT(tr_height_grid_params)
{
    uint chunk_count;
};

#endif
