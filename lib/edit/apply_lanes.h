/* What the *_isa.c files that apply slots share: rows of samples as lanes, and what is computed for a row of them beside the slot's own
 * arithmetic. */
#ifndef TR_EDIT_APPLY_LANES_H
#define TR_EDIT_APPLY_LANES_H

#include "lib/edit/apply.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline, unused))
/* Samples a round. Whole vectors in every instruction set, so that no row leaves a rest to go through one by one. */
#define LANES TR_SLAB_X

/* A number for each sample of a round; aligned, so that no loop begins with samples one by one. */
typedef float lanes[LANES] __attribute__((aligned(4 * LANES)));

/* Adds the noise at words[at] of the samples from `first` on. Octave by octave: a loop over octaves inside of one over samples does not
 * become vectors. */
ALWAYS_INLINE void add_noise3(const uint *words, uint at, int first, int y, int z, lanes *sums)
{
    for (uint o = 0; o < words[at + 1u]; o++) {
#pragma omp simd
        for (int i = 0; i < LANES; i++)
            (*sums)[i] +=
                tr_brush_octave3(words, at, o, tr_to_float(first + i), tr_to_float(y), tr_to_float(z));
    }
}

#endif
