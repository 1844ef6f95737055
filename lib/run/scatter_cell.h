/* One cell of a layer: where its candidate stands, what is drawn for it, and how likely the ground lets it stay.
 *
 * Cells are squares of the map, (i, k) the one from i * cell east and k * cell south of the world's voxel (0, ., 0). Each has one
 * candidate. All that is drawn for it is a hash of the layer's key, i, k and the floor it stands on, so it is the same whatever
 * lies around it, however large the world is and in whatever order the work is done. Everything here is in integers.
 *
 * The hash is the finaliser of SplitMix64 (Steele, Lea, Flood 2014, constants of Stafford's variant 13) after each number that is
 * added. */
#ifndef TR_RUN_SCATTER_CELL_H
#define TR_RUN_SCATTER_CELL_H

#include "lib/run/scatter_rules.h"

static inline uint64_t tr_scatter_mix(uint64_t h)
{
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

/* Of the candidate of a cell; and of the one that stands on a floor of it, counted from above. */
uint64_t tr_scatter_cell_hash(const struct tr_scatter_layer *layer, int64_t i, int64_t k);
uint64_t tr_scatter_floor_hash(uint64_t cell_hash, uint32_t floor);

/* Independent numbers of one hash. */
enum tr_scatter_draw {
    TR_SCATTER_DRAW_X = 1, /* of the cell's hash; those below of the floor's */
    TR_SCATTER_DRAW_Z,
    TR_SCATTER_DRAW_STAY, /* the candidate stays where this is below its odds */
    TR_SCATTER_DRAW_MODEL,
    TR_SCATTER_DRAW_SCALE,
    TR_SCATTER_DRAW_YAW,
    TR_SCATTER_DRAW_RANK, /* of two that are too near the greater one stays */
};
uint64_t tr_scatter_draw64(uint64_t hash, enum tr_scatter_draw draw);
static inline uint32_t tr_scatter_draw(uint64_t hash, enum tr_scatter_draw draw)
{
    return (uint32_t)(tr_scatter_draw64(hash, draw) >> 32);
}
/* lo <= result < hi, or lo where both are equal; hi - lo <= 2^31. */
static inline int64_t tr_scatter_between(uint32_t draw, int64_t lo, int64_t hi)
{
    return lo + (int64_t)((uint64_t)draw * (uint64_t)(hi - lo) >> 32);
}

/* The candidate's place, units. */
void tr_scatter_place(const struct tr_scatter_layer *layer, int64_t i, int64_t k, int64_t *x, int64_t *z);
/* The model that is drawn, an index of layer->models. */
uint32_t tr_scatter_model_of(const struct tr_scatter_layer *layer, uint64_t floor_hash);

/* ---- odds ---- */

#define TR_SCATTER_CERTAIN (UINT64_C(1) << 32) /* odds of one that always stays: above every draw */

/* odds times a weight of TR_SCATTER_ONE. */
static inline uint64_t tr_scatter_odds(uint64_t odds, uint32_t weight)
{
    return odds * weight >> 16;
}

uint32_t tr_scatter_band_weight(const struct tr_scatter_band *band, int64_t at);
/* The noise at a place, 0 to TR_SCATTER_ONE - 1: octaves of value noise (corners of a lattice hashed, blended by 3t^2 - 2t^3),
 * each of half the wavelength and weight of the one before. */
int32_t tr_scatter_noise_at(const struct tr_scatter_noise *noise, int64_t x, int64_t z);
uint32_t tr_scatter_noise_weight(const struct tr_scatter_noise *noise, int64_t x, int64_t z);
/* Of splat weights. */
uint32_t tr_scatter_splat_weight(const struct tr_scatter_layer *layer,
                                 const uint8_t weights[TR_SPLAT_WEIGHTS]);
/* The slope of ground with this gradient, which is not all zero, |component| < 2^24: whole 16ths of a degree; 90 degrees for what
 * leans over. */
int64_t tr_scatter_slope(const struct tr_scatter_rules *rules, const int32_t gradient[3]);

#endif
