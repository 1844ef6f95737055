/* Noise sources and presets: from what a recipe says to what one chunk computes with.
 *
 * Positions in the lattice are exact. A frequency is rounded to float once, and that float is the frequency,
 * here and in kernels; a voxel coordinate has 27 bits and a float 24, so their product is exact in a double,
 * and so are its floor and the rest. The rest is cut to multiples of 2^-24, which a float holds. Far chunks
 * therefore lose nothing, and neighbours agree along their border but for the rounding of x * frequency
 * within a chunk. */
#include "lib/gen/noise.h"

#include <math.h>

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the result depends on every bit of
 * the state. */
static uint64_t mix(uint64_t state)
{
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
}

/* Number i of SplitMix64 begun at `seed`. */
static uint64_t seed_of_layer(uint64_t seed, uint32_t i)
{
    return mix(seed + (i + 1u) * 0x9e3779b97f4a7c15u);
}

/* Splits a place along one axis, in lattice cells, into the cell modulo 2^32 and the place in it. */
static void lattice_split(int64_t voxel, float frequency, uint32_t *cell, float *frac)
{
    double place = (double)voxel * (double)frequency;
    double below = floor(place);
    *cell = (uint32_t)(int64_t)below;
    *frac = (float)(floor((place - below) * 0x1p24) * 0x1p-24);
}

tr_noise_layer tr_noise_layer_at(const struct tr_noise_source *source, int64_t x, int64_t z)
{
    tr_noise_layer layer = {0};

    layer.kind = source->kind;
    layer.seed = (uint32_t)(mix(source->seed) >> 32);
    layer.frequency = (float)(1.0 / source->wavelength);
    layer.amplitude = (float)source->amplitude;
    lattice_split(x, layer.frequency, &layer.cell_x, &layer.frac_x);
    lattice_split(z, layer.frequency, &layer.cell_z, &layer.frac_z);
    return layer;
}

/* Octaves: each has half the wavelength of the one before and a fixed share of its amplitude. */
struct octaves {
    uint32_t kind, count;
    double wavelength_m, amplitude_m; /* of the first */
    double gain;
};

/* Wide hills, ridges that break their slopes, and unevenness underfoot. */
static const struct octaves hills[] = {
    {TR_NOISE_PLAIN, 5, 512.0, 40.0, 0.45},
    {TR_NOISE_RIDGED, 4, 192.0, 6.0, 0.45},
    {TR_NOISE_PLAIN, 3, 12.0, 0.4, 0.5},
};

const char *const tr_preset_names[] = {"hills", "flat", NULL};

/* Octaves that voxels of this size cannot show, shorter than two voxels, are left out; each keeps its seed
 * whatever else is. */
static void preset_add(struct tr_preset *preset, const struct octaves *octaves, uint32_t first_layer,
                       uint64_t seed, double voxel_size)
{
    double wavelength = octaves->wavelength_m / voxel_size;
    double amplitude = octaves->amplitude_m / voxel_size * TR_UNITS;

    for (uint32_t i = 0; i < octaves->count; i++) {
        if (wavelength >= 2.0 && preset->count < TR_PRESET_LAYERS_MAX) {
            struct tr_noise_source *source = &preset->sources[preset->count++];
            source->kind = octaves->kind;
            source->seed = seed_of_layer(seed, first_layer + i);
            source->wavelength = wavelength < 0x1p24 ? wavelength : 0x1p24;
            source->amplitude = amplitude < TR_HEIGHT_MAX ? amplitude : TR_HEIGHT_MAX;
        }
        wavelength *= 0.5;
        amplitude *= octaves->gain;
    }
}

bool tr_preset_make(const char *name, uint64_t seed, double voxel_size, struct tr_preset *preset)
{
    uint32_t first_layer = 0;

    *preset = (struct tr_preset){0};
    if (strcmp(name, "flat") == 0)
        return true;
    if (strcmp(name, "hills") != 0)
        return false;
    for (size_t i = 0; i < sizeof hills / sizeof *hills; i++) {
        preset_add(preset, &hills[i], first_layer, seed, voxel_size);
        first_layer += hills[i].count;
    }
    return true;
}
