/* An edit as one chunk or block sees it: the host makes it once per edit and place (lib/edit/slot.c), kernels apply it.
 *
 * All positions are in voxels in the frame whose origin is the lowest corner of the chunk (height brushes) or block (volume edits),
 * so numbers stay small and every backend and batch computes with the same ones. Only 4-byte scalars: C and GLSL agree. */
#ifndef TR_SHADERS_EDIT_SLOT_H
#define TR_SHADERS_EDIT_SLOT_H
#include "shared.h"

#define TR_SLOT_RAISE 0u  /* height brush; lower is raise with a negative strength */
#define TR_SLOT_SMOOTH 1u /* height brush that reads neighbours: alone in its stage */
#define TR_SLOT_FOLLOW                                                                                       \
    2u                   /* heights become those of the `after` array (set by smooth), block samples follow */
#define TR_SLOT_UNION 3u /* volume */
#define TR_SLOT_SUBTRACT 4u /* volume */

#define TR_SLOT_WORDS 24

TR_STRUCT(tr_edit_slot)
{
    uint op;
    uint falloff, power; /* height brushes: TR_FALLOFF_*, and n of sharp */
    uint large;          /* shapes: 1 takes the form for large radii, see shape.h */
    int lo_x, lo_y,
        lo_z; /* the samples it may change, inclusive, clipped to the world; a height brush has all y */
    int hi_x, hi_y, hi_z;
    float cx, cy,
        cz; /* brush: centre (cy unused). Shape: the point of its axis nearest to the frame's origin */
    float ux, uy, uz; /* shape: unit direction of the axis; 0 for a sphere */
    float t0, t1;     /* shape: where the axis begins and ends, in voxels from c along u; t0 <= 0 <= t1 */
    float radius;     /* shape: voxels. Brush: 1/radius */
    float k0;         /* shape, large form: |c|^2 - radius^2 */
    float strength;   /* raise: units at weight 1. smooth: lambda in (0, 1] */
    float reach;      /* shape: samples farther than this many voxels outside it never change: B + k */
    float blend;      /* shape: width k of a smooth blend in units, 0 for a hard one */
    float inv_4blend; /* 1 / (4 blend), 0 for a hard one */
};

#ifndef TR_GLSL
_Static_assert(sizeof(tr_edit_slot) == 4 * TR_SLOT_WORDS, "tr_edit_slot is TR_SLOT_WORDS words");
#endif

#endif
