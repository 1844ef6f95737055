/* Noise layers as one chunk sees them, and filling its heights: the C side of the kernel `fill`. */
#ifndef TR_GEN_NOISE_H
#define TR_GEN_NOISE_H

#include "lib/base/isa.h"
#include "lib/base/status.h"
#include "shaders/noise.h"

/* A layer of the whole world: what a recipe says. */
struct tr_noise_source {
    uint32_t kind; /* TR_NOISE_* */
    uint64_t seed;
    double wavelength; /* voxels, 1..2^24 */
    double amplitude;  /* units, |amplitude| < 2^24 */
};

/* The layer in the frame of the chunk whose lowest sample is (x, z), |x|, |z| <= 2^26. */
tr_noise_layer tr_noise_layer_at(const struct tr_noise_source *source, int64_t x, int64_t z);

/* A named set of layers. hills: 5 octaves of hills, 4 of ridges, 3 of fine detail. flat: none. False for an unknown name. */
#define TR_PRESET_LAYERS_MAX 16
struct tr_preset {
    struct tr_noise_source sources[TR_PRESET_LAYERS_MAX];
    uint32_t count;
    double base; /* units */
};
bool tr_preset_make(const char *name, uint64_t seed, double voxel_size, struct tr_preset *preset);
extern const char *const tr_preset_names[]; /* ends with NULL */

/* heights[z][x] of one chunk: base plus the layers, summed as floats in their order, rounded once, clamped. */
TR_ISA_DECLARE(void, tr_fill_heights,
               (const tr_noise_layer *layers, uint32_t count, int32_t base, int32_t *heights));

#endif
