/* Kernels `sweep` and `redistance`: the passes over a region of samples, and what is measured then (redistance.h says how).
 *
 * A dispatch of `sweep` does one front of one pass: the samples on the same x + 2z + 4y, counted in the pass's directions, of which none
 * reads another. So the fronts in their order do what a walk from sample to sample does. In a front each y has few z, and each of
 * these one x: an invocation does one z of one y. An invocation of `redistance` writes two samples, neighbours in memory. */
#ifndef TR_SHADERS_REDISTANCE_PARAMS_H
#define TR_SHADERS_REDISTANCE_PARAMS_H
#include "edit_slot.h"
#include "layout.h"
#include "redistance.h"

#define TR_REDISTANCE_LOCAL 64
#define TR_REDISTANCE_NEAREST                                                                                \
    0 /* in and out: of each sample, four words of tr_nearest, [y + 1][z + 1][x + 1]; a rim around knows none */
#define TR_SWEEP_BUFFERS 1
#define TR_REDISTANCE_NORMALS 1 /* of the crossings, x, y, z */
#define TR_REDISTANCE_SLOT 2
#define TR_REDISTANCE_SAMPLES 3 /* [y][z][x], two a word; behind the last of an odd number anything */
#define TR_REDISTANCE_RESULT 4  /* out: the same */
#define TR_REDISTANCE_BUFFERS 5

#define TR_REDISTANCE_FAR                                                                                    \
    1.0e18f /* where a sample that knows no crossing has one: no other is as far, and the square no overflow */

/* The nearest crossing that a sample knows: its place stands beside its number, so that a look around reads each neighbour once. */
TR_STRUCT(tr_nearest)
{
    float x, y, z;
    uint number;
};

TR_STRUCT(tr_sweep_params)
{
    int size_x, size_y, size_z; /* of the region, samples */
    uint pass;                  /* bits 0, 1, 2: x, y, z descend */
    int front;
    int first_y, count_y; /* where the front has samples, in the pass's directions */
    int count_z;          /* of one y, at most */
};

TR_STRUCT(tr_redistance_params)
{
    int size_x, size_y, size_z;
};

/* The index of sample (x, y, z) with the rim. */
TR_FN uint tr_redistance_index(int size_x, int size_z, int x, int y, int z)
{
    return tr_to_uint(((y + 1) * (size_z + 2) + z + 1) * (size_x + 2) + x + 1);
}

#endif
