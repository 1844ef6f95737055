/* See scatter_cell.h. */
#include "lib/run/scatter_cell.h"

#include "lib/world/coord.h"
#include "shaders/noise.h"

#include <math.h>

/* Odd, 2^64 divided by the golden ratio and by the two roots of x^3 = x + 1 (R2 sequence): no small multiples agree. */
#define STEP UINT64_C(0x9e3779b97f4a7c15)
#define STEP_X UINT64_C(0xc13fa9a902a6328f)
#define STEP_Z UINT64_C(0x91e10da5c79e7b1d)

uint64_t tr_scatter_cell_hash(const struct tr_scatter_layer *layer, int64_t i, int64_t k)
{
    uint64_t h = tr_scatter_mix(layer->key + (uint64_t)i * STEP_X);

    return tr_scatter_mix(h + (uint64_t)k * STEP_Z);
}

uint64_t tr_scatter_floor_hash(uint64_t cell_hash, uint32_t floor)
{
    return tr_scatter_mix(cell_hash ^ (uint64_t)floor * STEP_X);
}

uint64_t tr_scatter_draw64(uint64_t hash, enum tr_scatter_draw draw)
{
    return tr_scatter_mix(hash + (uint64_t)draw * STEP);
}

void tr_scatter_place(const struct tr_scatter_layer *layer, int64_t i, int64_t k, int64_t *x, int64_t *z)
{
    uint64_t hash = tr_scatter_cell_hash(layer, i, k);
    int64_t spread = layer->cell * layer->jitter / TR_SCATTER_ONE, lowest = (layer->cell - spread) / 2;

    *x = i * layer->cell +
         tr_scatter_between(tr_scatter_draw(hash, TR_SCATTER_DRAW_X), lowest, lowest + spread);
    *z = k * layer->cell +
         tr_scatter_between(tr_scatter_draw(hash, TR_SCATTER_DRAW_Z), lowest, lowest + spread);
}

uint32_t tr_scatter_model_of(const struct tr_scatter_layer *layer, uint64_t floor_hash)
{
    uint32_t draw = tr_scatter_draw(floor_hash, TR_SCATTER_DRAW_MODEL), model = 0;
    int64_t left = tr_scatter_between(draw, 0, layer->weight_sum);

    while (left >= layer->models[model].weight)
        left -= layer->models[model++].weight;
    return model;
}

/* ---- odds ---- */

/* part / whole of TR_SCATTER_ONE; 0 <= part <= whole < 2^43, whole > 0 */
static uint32_t ramp(int64_t part, int64_t whole)
{
    return (uint32_t)(part * TR_SCATTER_ONE / whole);
}

uint32_t tr_scatter_band_weight(const struct tr_scatter_band *band, int64_t at)
{
    if (!band->is_used || (at >= band->full_low && at <= band->full_high))
        return TR_SCATTER_ONE;
    if (at <= band->low || at >= band->high)
        return 0;
    return at < band->full_low ? ramp(at - band->low, band->full_low - band->low)
                               : ramp(band->high - at, band->high - band->full_high);
}

/* 3t^2 - 2t^3 of t, of TR_SCATTER_ONE. */
static int64_t fade(int64_t t)
{
    return t * t / TR_SCATTER_ONE * (3 * TR_SCATTER_ONE - 2 * t) / TR_SCATTER_ONE;
}

static int64_t blend(int64_t a, int64_t b, int64_t t)
{
    return (a * (TR_SCATTER_ONE - t) + b * t) / TR_SCATTER_ONE;
}

/* 0 to TR_SCATTER_ONE - 1 */
static int64_t octave(int64_t x, int64_t z, int64_t wavelength, uint32_t seed)
{
    uint32_t i = (uint32_t)tr_floor_div(x, wavelength), k = (uint32_t)tr_floor_div(z, wavelength);
    int64_t tx = fade(tr_floor_mod(x, wavelength) * TR_SCATTER_ONE / wavelength);
    int64_t tz = fade(tr_floor_mod(z, wavelength) * TR_SCATTER_ONE / wavelength);
    int64_t near = blend(tr_noise_hash(i, k, seed) >> 16, tr_noise_hash(i + 1, k, seed) >> 16, tx);
    int64_t far = blend(tr_noise_hash(i, k + 1, seed) >> 16, tr_noise_hash(i + 1, k + 1, seed) >> 16, tx);

    return blend(near, far, tz);
}

int32_t tr_scatter_noise_at(const struct tr_scatter_noise *noise, int64_t x, int64_t z)
{
    int64_t sum = 0, weights = 0;

    for (uint32_t o = 0; o < noise->octaves; o++) {
        int64_t weight = 1 << (noise->octaves - 1 - o);

        sum += weight * octave(x, z, noise->wavelength >> o, noise->seed + o * 0x9e3779b1u);
        weights += weight;
    }
    return (int32_t)(sum / weights);
}

uint32_t tr_scatter_noise_weight(const struct tr_scatter_noise *noise, int64_t x, int64_t z)
{
    int32_t value, low, high;
    uint32_t weight;

    if (noise->octaves == 0)
        return TR_SCATTER_ONE;
    value = tr_scatter_noise_at(noise, x, z);
    low = noise->from < noise->to ? noise->from : noise->to;
    high = noise->from < noise->to ? noise->to : noise->from;
    weight = value >= high ? TR_SCATTER_ONE : value <= low ? 0 : ramp(value - low, high - low);
    return noise->from <= noise->to ? weight : TR_SCATTER_ONE - weight;
}

uint32_t tr_scatter_splat_weight(const struct tr_scatter_layer *layer,
                                 const uint8_t weights[TR_SPLAT_WEIGHTS])
{
    uint32_t sum = 0;

    if (!layer->has_splat)
        return TR_SCATTER_ONE;
    for (int i = 0; i < TR_SPLAT_WEIGHTS; i++)
        sum += layer->splat[i] * weights[i];
    return sum / TR_SPLAT_ALL;
}

/* The squares are below 2^50, so their sum is exact in double, and its root is correctly rounded. */
int64_t tr_scatter_slope(const struct tr_scatter_rules *rules, const int32_t gradient[3])
{
    double x = gradient[0], y = gradient[1], z = gradient[2];
    int32_t up = y > 0.0 ? (int32_t)(y / sqrt(x * x + y * y + z * z) * 0x1p30 + 0.5) : 0;
    int64_t least = 0, most = TR_SCATTER_SLOPES - 1; /* cosines[least] >= up */

    while (least < most) {
        int64_t middle = (least + most + 1) / 2;

        if (rules->cosines[middle] >= up)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}
