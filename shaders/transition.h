/* A transition cell, its samples, edges and triangles: the one drawing that C, GLSL, the table generator and
 * the tests share. After E. Lengyel, "Transition Cells for Dynamic Multiresolution Marching Cubes" (2010).
 *
 * It fills the gap between one face of a coarse cell and the four faces of finer cells on the other side. Its
 * axes are u, v along the tile's face and w from the face into the coarse tile; (u, v, w) is right-handed.
 * Unlike a regular cell it has crossings on two faces only, w = 0 and w = 1, since samples 9 to 12 are
 * samples 0, 2, 6, 8 again, seen from the coarse side.
 *
 *      samples                                       edges
 *   v   w = 0, full resolution   w = 1, half            w = 0                     w = 1
 *   |
 *   |     6-----7-----8         11----------12          +--4--+--5--+            +----13-----+
 *   |     |     |     |          |           |          9    10    11            |           |
 *   |     3-----4-----5          |           |          +--2--+--3--+           14          15
 *   |     |     |     |          |           |          6     7     8            |           |
 *   |     0-----1-----2          9----------10          +--0--+--1--+            +----12-----+
 *   |
 *   +------------ u
 *
 * A case has bit 1 << i for each solid sample (<= 0) i of 0..8. Its triangles are counter-clockwise seen from
 * the air. */
#ifndef TR_SHADERS_TRANSITION_H
#define TR_SHADERS_TRANSITION_H
#include "shared.h"

#define TR_TRANSITION_CASES 512
#define TR_TRANSITION_SAMPLES 9
#define TR_TRANSITION_EDGES 16
#define TR_TRANSITION_FULL_EDGES 12 /* these come first; the others are of half resolution */
#define TR_TRANSITION_TRIANGLES_MAX 12

/* The tile's axis along which u and v run on its face -x, +x, -y, +y, -z, +z (0..5). w runs along face / 2,
 * into the tile. Both always in the axis's direction: it is their order that keeps (u, v, w) right-handed on
 * all six faces. */
TR_FN uint tr_transition_u_axis(uint face)
{
    return (face / 2u + 1u + face % 2u) % 3u;
}

TR_FN uint tr_transition_v_axis(uint face)
{
    return (face / 2u + 2u - face % 2u) % 3u;
}

/* Where edge e's lower end lies, in steps of the full resolution: 0..2. */
TR_FN uint tr_transition_edge_u(uint e)
{
    if (e < 6u)
        return e % 2u;
    return e < TR_TRANSITION_FULL_EDGES ? e % 3u : e == 15u ? 2u : 0u;
}

TR_FN uint tr_transition_edge_v(uint e)
{
    if (e < 6u)
        return e / 2u;
    return e < TR_TRANSITION_FULL_EDGES ? e / 3u - 2u : e == 13u ? 2u : 0u;
}

/* 0 for an edge along u, 1 for one along v. */
TR_FN uint tr_transition_edge_axis(uint e)
{
    return e < TR_TRANSITION_FULL_EDGES ? e / 6u : e / 2u - 6u;
}

/* Its length, in the same steps. */
TR_FN uint tr_transition_edge_steps(uint e)
{
    return e < TR_TRANSITION_FULL_EDGES ? 1u : 2u;
}

/* The samples of 0..8 whose signs are those of edge e's ends. */
TR_FN uint tr_transition_edge_lower(uint e)
{
    return tr_transition_edge_u(e) + 3u * tr_transition_edge_v(e);
}

TR_FN uint tr_transition_edge_upper(uint e)
{
    return tr_transition_edge_lower(e) +
           tr_transition_edge_steps(e) * (tr_transition_edge_axis(e) == 0u ? 1u : 3u);
}

/* A case, packed for kernels as 40 times 4 bits, the lowest of word 0 first: the number of triangles, then
 * for each corner of each triangle an edge number. */
TR_STRUCT(tr_transition_packed)
{
    uint word0, word1, word2, word3, word4;
};

TR_FN uint tr_transition_count(tr_transition_packed packed)
{
    return packed.word0 & 15u;
}

TR_FN uint tr_transition_edge(tr_transition_packed packed, uint corner)
{
    uint place = corner + 1u;
    uint word = place < 8u    ? packed.word0
                : place < 16u ? packed.word1
                : place < 24u ? packed.word2
                : place < 32u ? packed.word3
                              : packed.word4;
    return word >> (4u * (place % 8u)) & 15u;
}

#endif
