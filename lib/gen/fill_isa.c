/* Filling one chunk's heights from noise layers: rows along x around tr_noise_height.
 *
 * A layer's kind is a constant where its loop is compiled, so a row has no branch and becomes vectors.
 * Compiled once for each instruction set, see lib/base/isa.h. */
#include "lib/gen/noise.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void layer_add_row(tr_noise_layer layer, uint kind, int z, float *restrict sums)
{
    layer.kind = kind;
#pragma omp simd
    for (int x = 0; x < TR_CHUNK; x++) {
        PF rise = tr_noise_height(layer, x, z);
        sums[x] = sums[x] + rise;
    }
}

/* Not inlined: there gcc 12 takes the case without layers out of the loop and makes no vectors of what is
 * left. */
__attribute__((noinline)) static void ground_row(int32_t base, const float *restrict sums,
                                                 int32_t *restrict row)
{
#pragma omp simd
    for (int x = 0; x < TR_CHUNK; x++)
        row[x] = tr_noise_ground(base, sums[x]);
}

void TR_ISA_NAME(tr_fill_heights)(const tr_noise_layer *layers, uint32_t count, int32_t base,
                                  int32_t *heights)
{
    for (int z = 0; z < TR_CHUNK; z++) {
        float sums[TR_CHUNK] = {0};
        for (uint32_t i = 0; i < count; i++) {
            if (layers[i].kind == TR_NOISE_RIDGED)
                layer_add_row(layers[i], TR_NOISE_RIDGED, z, sums);
            else if (layers[i].kind == TR_NOISE_BILLOW)
                layer_add_row(layers[i], TR_NOISE_BILLOW, z, sums);
            else
                layer_add_row(layers[i], TR_NOISE_PLAIN, z, sums);
        }
        ground_row(base, sums, heights + z * TR_CHUNK);
    }
}
