/* An edit as one chunk or block sees it: the host makes it once per stamp and place (lib/edit/slot.c), kernels apply it.
 *
 * All positions are in voxels in the frame whose origin is the lowest corner of the chunk (height brushes) or block (volume edits),
 * so numbers stay small and every backend and batch computes with the same ones. What few edits need, noise and trees of shapes,
 * stands in an array of words beside the slots. Only 4-byte scalars: C and GLSL agree. */
#ifndef TR_SHADERS_EDIT_SLOT_H
#define TR_SHADERS_EDIT_SLOT_H
#include "shared.h"

/* Heights, pointwise: the block samples of the column follow. */
#define TR_SLOT_RAISE 0u  /* lower is raise with a negative strength */
#define TR_SLOT_LEVEL 1u  /* flatten, set */
#define TR_SLOT_NOISE 2u  /* its words: tr_noise_brush */
#define TR_SLOT_FOLLOW 3u /* heights become those of the `after` array, which SMOOTH or HC_SMOOTH made */
/* Heights, reading neighbours: alone in their stage. */
#define TR_SLOT_SMOOTH 4u
#define TR_SLOT_HC_SMOOTH 5u
/* Paint of columns by a height brush: no height changes. */
#define TR_SLOT_PAINT 6u
#define TR_SLOT_STAMP 7u /* pointwise again; its words: an image, image.h */

/* Block samples. From here on `op >= TR_SLOT_VOLUME`. */
#define TR_SLOT_VOLUME 8u
#define TR_SLOT_UNION 8u
#define TR_SLOT_SUBTRACT 9u
#define TR_SLOT_INTERSECT 10u
#define TR_SLOT_SHAPE_PAINT 11u
#define TR_SLOT_PUSH 12u         /* subtract; add is this with a negative strength */
#define TR_SLOT_PLANE 13u        /* flatten to a plane */
#define TR_SLOT_VOLUME_NOISE 14u /* its words: tr_noise_brush */
#define TR_SLOT_VOLUME_PAINT 15u
#define TR_SLOT_VOLUME_STAMP 16u /* its words: an image, image.h */
/* Reading samples around: alone in their stage. */
#define TR_SLOT_VOLUME_SMOOTH 17u
#define TR_SLOT_INFLATE 18u
#define TR_SLOT_PINCH 19u
#define TR_SLOT_GRAB 20u       /* by (px, py, pz) */
#define TR_SLOT_REDISTANCE 21u /* on a region, not a block */

/* What `form` says. Shapes: */
#define TR_FORM_ROUND 0u       /* a sphere or capsule, in the slot itself */
#define TR_FORM_ROUND_LARGE 1u /* the same, by the distance for large radii, see shape.h */
#define TR_FORM_TREE 2u        /* anything else: code in the words, see tree.h */
/* Volume brushes: */
#define TR_FORM_SPHERICAL 0u
#define TR_FORM_PROJECTED 1u /* distance from the axis, as far as the radius along it */

#define TR_BLEND_HARD 0u
#define TR_BLEND_SMOOTH 1u
#define TR_BLEND_CHAMFER 2u
#define TR_BLEND_STAIRS 3u

#define TR_SLOT_WORDS 33

TR_STRUCT(tr_edit_slot)
{
    uint op;
    uint form;
    uint falloff, power; /* brushes: TR_FALLOFF_*, and n of sharp */
    int lo_x, lo_y,
        lo_z; /* the samples it may change, inclusive, clipped to the world; a height slot has all y */
    int hi_x, hi_y, hi_z;
    int base_y; /* voxel row of y = 0 of the frame; 0 for height slots */
    float cx, cy,
        cz; /* brush: centre (cy unused by height brushes). Round: the point of its axis nearest to the origin */
    float ux, uy,
        uz; /* round: unit direction of the axis, 0 for a sphere. Projected brush: the axis. PLANE, not here: see px */
    float t0, t1; /* round: where the axis begins and ends, in voxels from c along u; t0 <= 0 <= t1 */
    float radius; /* round: voxels. Brush: 1/radius */
    float k0;     /* round, large: |c|^2 - radius^2 */
    float
        strength; /* RAISE, NOISE, PUSH, VOLUME_NOISE: units at weight 1. LEVEL, PLANE, smooths: lambda in (0, 1] */
    float px, py, pz,
        p0; /* PLANE: its distance is p.(px, py, pz) + p0 voxels, the normal of length 1. HC_SMOOTH: px is 1 - beta. GRAB: by */
    float
        reach;  /* shape: samples farther than this many voxels outside it never change: B + k, 1 for paint */
    uint blend; /* shape: TR_BLEND_* with the ground */
    float blend_k, blend_a, blend_b; /* in units: see tr_blend_min */
    int target;                      /* LEVEL: height, units. Paints: material id */
    uint words;                      /* where its words begin: trees and noise */
};

#ifndef TR_GLSL
_Static_assert(sizeof(tr_edit_slot) == 4 * TR_SLOT_WORDS, "tr_edit_slot is TR_SLOT_WORDS words");
#endif

TR_FN bool tr_slot_is_volume(tr_edit_slot slot)
{
    return slot.op >= TR_SLOT_VOLUME;
}

/* Of a shape, not a brush. */
TR_FN bool tr_slot_is_shape(tr_edit_slot slot)
{
    return slot.op >= TR_SLOT_UNION && slot.op <= TR_SLOT_SHAPE_PAINT;
}

/* Changes paint and nothing else. */
TR_FN bool tr_slot_is_paint(tr_edit_slot slot)
{
    return slot.op == TR_SLOT_PAINT || slot.op == TR_SLOT_SHAPE_PAINT || slot.op == TR_SLOT_VOLUME_PAINT;
}

TR_FN bool tr_slot_covers_column(tr_edit_slot slot, int x, int z)
{
    return x >= slot.lo_x && x <= slot.hi_x && z >= slot.lo_z && z <= slot.hi_z;
}

TR_FN bool tr_slot_covers(tr_edit_slot slot, int x, int y, int z)
{
    return tr_slot_covers_column(slot, x, z) && y >= slot.lo_y && y <= slot.hi_y;
}

#endif
