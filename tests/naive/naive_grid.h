/* Meshes: the signed distance from the mesh at each point of a regular grid, and its values between them. */
#ifndef NAIVE_GRID_H
#define NAIVE_GRID_H

#include "tests/naive/naive_image.h"

struct naive_grid {
    double cell;                  /* from sample to sample, as the mesh is written, metres */
    double least[3], greatest[3]; /* of the mesh's corners, metres */
    int first[3], size[3];        /* the first sample lies this many cells from 0 */
    int16_t *samples;             /* [y][z][x], units of 1/256 cell, positive outside */
};
/* `cell_voxels` is the cell in the world. Every sample is its nearest triangle's, of all of them; release the grid. False
 * without memory. */
bool naive_grid_make(const struct naive_mesh *mesh, double cell, double cell_voxels, struct naive_grid *grid);
void naive_grid_release(struct naive_grid *grid);

/* A grid as the samples of one owner see it. */
struct naive_framed_grid {
    const struct naive_grid *grid;
    int first[3];                /* the first sample that it sees */
    float rows[3][3], offset[3]; /* to the place in cells from that one */
    float least[3], greatest[3]; /* the mesh's box there */
    float cell, unit;            /* voxels, of a cell and of a unit of samples */
};
/* rows: the directions of the grid's axes; at: where its first sample is; cell, all in voxels. */
struct naive_framed_grid naive_grid_in_frame(const struct naive_grid *grid, const double rows[3][3],
                                             const double at[3], double cell, const int corner[3],
                                             const struct naive_view *view);
float naive_grid_distance(const struct naive_framed_grid *framed, const float p[3]);

#endif
