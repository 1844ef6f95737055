/* Kernels `mc_*`: marching cubes on the fields of many tiles, in an order that depends on nothing but the
 * tile.
 *
 *   mc_bits       a bit for each corner: an invocation reads a row of the field and writes its three words
 *   mc_count      an invocation counts the vertices and triangles of a row
 *   mc_scan       a workgroup sums a tile's rows: each count becomes that of the rows before, the sum is the
 *                 tile's
 *   mc_vertices   an invocation makes one vertex: finds tile, row and edge by bisecting the counts
 *   mc_triangles  an invocation makes one triangle: tile and row alike, then the cell by walking the row's
 *                 mixed cells
 *
 * Between mc_scan and the last two the host reads the totals and lays out a group of tiles one behind the
 * other: the item of tile i says how many vertices and triangles of the tiles before it are made, one more
 * item ends the list. A tile whose triangles nobody wants has none there.
 *
 * The signs of the rows and the sums of their vertices are results too: with the vertices they are the tile's
 * lattice. So the sums of triangles, which only mc_triangles reads, lie apart. */
#ifndef TR_SHADERS_MC_PARAMS_H
#define TR_SHADERS_MC_PARAMS_H
#include "field_params.h"
#include "march_rows.h"

#define TR_MC_LOCAL 64
#define TR_MC_SCAN_LOCAL 64
#define TR_MC_SCAN_ROWS 67 /* of an invocation: 64 * 67 >= TR_TILE_ROWS */
#define TR_MC_SCAN_SHARED_BYTES 512

#define TR_MC_BITS_FIELD 0 /* as kernel `field` writes them */
#define TR_MC_BITS_BITS 1  /* out: tr_row, TR_TILE_ROWS a tile */
#define TR_MC_BITS_BUFFERS 2

#define TR_MC_COUNT_BITS 0
#define TR_MC_COUNT_CASES 1     /* tr_case_packed, 256 */
#define TR_MC_COUNT_VERTICES 2  /* out: a word a row, TR_TILE_ROWS a tile */
#define TR_MC_COUNT_TRIANGLES 3 /* out: the same */
#define TR_MC_COUNT_BUFFERS 4

#define TR_MC_SCAN_VERTICES 0  /* in and out */
#define TR_MC_SCAN_TRIANGLES 1 /* in and out */
#define TR_MC_SCAN_TOTALS 2    /* out: tr_row_counts, one a tile */
#define TR_MC_SCAN_BUFFERS 3

#define TR_MC_VERTICES_ITEMS 0 /* tr_row_counts before each tile of the group, and their sum at the end */
#define TR_MC_VERTICES_ROWS 1  /* vertices before each row */
#define TR_MC_VERTICES_BITS 2
#define TR_MC_VERTICES_FIELD 3
#define TR_MC_VERTICES_OUT 4 /* out: tr_vertex */
#define TR_MC_VERTICES_BUFFERS 5

#define TR_MC_TRIANGLES_ITEMS 0
#define TR_MC_TRIANGLES_ROWS 1     /* triangles before each row */
#define TR_MC_TRIANGLES_VERTICES 2 /* vertices before each row */
#define TR_MC_TRIANGLES_BITS 3
#define TR_MC_TRIANGLES_CASES 4
#define TR_MC_TRIANGLES_OUT 5 /* out: 3 indices a triangle, into the tile's vertices */
#define TR_MC_TRIANGLES_BUFFERS 6

TR_STRUCT(tr_mc_params)
{
    uint first_tile; /* of the group, among the tiles in the buffers; 0 for bits, count and scan */
    uint tile_count;
};

#endif
