/* The noise of brushes and of displaced shapes: gradient noise over a lattice of whole cells, octaves summed. In the plane of x and z for
 * height brushes, else in space; in the plane y is 0 throughout. */
#ifndef NAIVE_NOISE_H
#define NAIVE_NOISE_H

#include "tests/naive/naive.h"

#define NAIVE_OCTAVE_SEED UINT32_C(0x9e3779b1) /* added to the seed from octave to octave */

/* The gradient of a lattice point, each component an odd multiple of 1/1024 in (-1, 1). */
void naive_noise_gradient(const uint32_t point[3], uint32_t seed, bool in_space, float g[3]);

uint32_t naive_noise_seed(uint64_t seed);

/* Noise as the samples of one owner see it. */
struct naive_noise {
    bool in_space;
    uint32_t seed, cell[3];
    int octaves;
    float place[3], frequency;
};
/* `scale` in voxels. */
struct naive_noise naive_noise_in_frame(uint64_t seed, int octaves, double scale, bool in_space,
                                        const int corner[3]);

/* The sum of the octaves, the first of weight 1, at a sample of the frame. */
float naive_noise_at(const struct naive_noise *noise, const float p[3]);
/* The sum of their weights. */
double naive_noise_weight(int octaves);

#endif
