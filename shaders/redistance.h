/* Redistance: samples become distances from the surface between them (lib/edit/EDITS.md). Crossings between samples are numbered; sweeps hand
 * the number of the nearest one on from sample to sample, as fast sweeping does for distances (Zhao, A Fast Sweeping Method for Eikonal
 * Equations, 2005; for nearest points Tsai, Rapid and Accurate Computation of the Distance Function Using Grids, 2002). The distance is
 * then measured from the plane through the crossing, which is exact for planes and off by 1/40 voxel for a sphere of radius 16; beside
 * the crossing by more than 3/4 voxel, where edges are, from the crossing too.
 *
 * A sample may be updated when all it reads are: those on the same x + 2z + 4y (of a pass's own directions) read none of each other. */
#ifndef TR_SHADERS_REDISTANCE_H
#define TR_SHADERS_REDISTANCE_H
#include "exact.h"

#define TR_REDISTANCE_NONE 0xffffffffu /* no crossing known */
#define TR_REDISTANCE_PASSES 8u

/* A crossing: where, in samples of the region, and its unit normal. Six words. */
TR_STRUCT(tr_crossing_point)
{
    float x, y, z, nx, ny, nz;
};

/* Of the way from sample s to its neighbour n on the other side. */
TR_FN PF tr_redistance_way(int s, int n)
{
    PF own = tr_to_float(tr_iabs(s));
    PF both = tr_to_float(tr_iabs(s) + tr_iabs(n));
    PF inv = tr_rcp(both);
    PF way = own * inv;
    return way;
}

/* The crossing `way` from (x, y, z) along axis 0, 1 or 2 (x, y, z); differences of the neighbours of the two samples, g here, h there. */
TR_FN tr_crossing_point tr_redistance_crossing(int x, int y, int z, int axis, float way, int gx, int gy,
                                               int gz, int hx, int hy, int hz)
{
    PF nx = tr_to_float(gx) + way * tr_to_float(hx - gx);
    PF ny = tr_to_float(gy) + way * tr_to_float(hy - gy);
    PF nz = tr_to_float(gz) + way * tr_to_float(hz - gz);
    PF length = nx * nx + ny * ny + nz * nz;
    length = tr_sqrt(length);
    PF inv = tr_rcp(tr_max(length, 1.0f));
    PF px = tr_to_float(x);
    PF py = tr_to_float(y);
    PF pz = tr_to_float(z);
    px = px + (axis == 0 ? way : 0.0f);
    py = py + (axis == 1 ? way : 0.0f);
    pz = pz + (axis == 2 ? way : 0.0f);
    nx = nx * inv;
    ny = ny * inv;
    nz = nz * inv;
    tr_crossing_point crossing;
    crossing.x = px;
    crossing.y = py;
    crossing.z = pz;
    crossing.nx = nx;
    crossing.ny = ny;
    crossing.nz = nz;
    return crossing;
}

/* The squared way from the crossing to a sample: what sweeps compare. */
TR_FN PF tr_redistance_square(tr_crossing_point crossing, int x, int y, int z)
{
    PF mx = tr_to_float(x) - crossing.x;
    PF my = tr_to_float(y) - crossing.y;
    PF mz = tr_to_float(z) - crossing.z;
    PF square = mx * mx + my * my + mz * mz;
    return square;
}

/* Sample s again, as far from the crossing's plane as it is, on its side. */
TR_FN int tr_redistance_sample(tr_crossing_point crossing, int x, int y, int z, int s)
{
    PF mx = tr_to_float(x) - crossing.x;
    PF my = tr_to_float(y) - crossing.y;
    PF mz = tr_to_float(z) - crossing.z;
    PF h = mx * crossing.nx + my * crossing.ny + mz * crossing.nz;
    PF h2 = h * h;
    PF beside = mx * mx + my * my + mz * mz;
    beside = beside - h2;
    beside = tr_max(beside, 0.0f);
    beside = tr_sqrt(beside);
    beside = beside - 0.75f;
    beside = tr_max(beside, 0.0f);
    PF d = h2 + beside * beside;
    d = tr_sqrt(d);
    d = d * 256.0f;
    int away = tr_round_clamped(d, 0.0f, 32767.0f);
    return s <= 0 ? -away : tr_imax(away, 1);
}

#endif
