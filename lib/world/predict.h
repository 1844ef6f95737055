/* Prediction: samples to byte planes that compress well, and back. Exact for every value, since all
 * arithmetic wraps.
 *
 * Planes hold only the chunk's own samples, size_x x size_z of a layer. `residuals` is scratch of as many
 * words as there are samples. */
#ifndef TR_WORLD_PREDICT_H
#define TR_WORLD_PREDICT_H

#include "shaders/cell.h"

/* 4 planes of size_z x size_x bytes. */
void tr_heights_to_planes(const int32_t *heights, uint32_t size_x, uint32_t size_z, uint32_t *residuals,
                          uint8_t *planes);
void tr_heights_from_planes(const uint8_t *planes, uint32_t size_x, uint32_t size_z, uint32_t *residuals,
                            int32_t *heights);

/* 2 planes of 64 x size_z x size_x bytes; heights are those of the same chunk. */
void tr_block_to_planes(const int16_t *samples, const int32_t *heights, uint32_t size_x, uint32_t size_z,
                        int32_t cy, uint16_t *residuals, uint8_t *planes);
/* In a chunk of 64 x 64 samples `residuals` may be the samples' own memory. */
void tr_block_from_planes(const uint8_t *planes, const int32_t *heights, uint32_t size_x, uint32_t size_z,
                          int32_t cy, uint16_t *residuals, int16_t *samples);

#endif
