/* Noise: gradient noise over an integer lattice, in two dimensions, and sums of its octaves.
 *
 * The lattice hash is integer only. A chunk's lowest corner lies in lattice cell (cell_x, cell_z), at (frac_x, frac_z) of it; the host
 * computes these in double, so far coordinates and long worlds lose nothing: a sample's own coordinates are at most 64 voxels
 * from the corner. Layers are summed in units and rounded once. */
#ifndef TR_SHADERS_NOISE_H
#define TR_SHADERS_NOISE_H
#include "exact.h"

#define TR_NOISE_PLAIN 0u  /* amplitude * n */
#define TR_NOISE_RIDGED 1u /* amplitude * (1 - 2|n|) */
#define TR_NOISE_BILLOW 2u /* amplitude * (2|n| - 1) */
#define TR_NOISE_LAYERS_MAX 32

TR_STRUCT(tr_noise_layer)
{
    uint kind;
    uint seed;
    uint cell_x, cell_z;  /* lattice cell of the chunk's corner, modulo 2^32 */
    float frac_x, frac_z; /* in [0, 1) */
    float frequency;      /* lattice cells a voxel, at most 1 */
    float amplitude;      /* units */
};

/* Two rounds of multiply and xor-shift after adding the coordinates; every input bit reaches every output bit. */
TR_FN uint tr_noise_hash(uint x, uint z, uint seed)
{
    uint h = seed + x * 0x9e3779b1u;
    h = h ^ (h >> 15);
    h = h * 0x2c1b3c6du;
    h = h + z * 0x85ebca77u;
    h = h ^ (h >> 12);
    h = h * 0x297a2d39u;
    h = h ^ (h >> 15);
    h = h * 0x846ca68bu;
    h = h ^ (h >> 16);
    return h;
}

/* The gradient of a lattice point dotted with the offset from it: both components are odd multiples of 1/1024 in (-1, 1) from the hash,
 * so that no direction is preferred and no table is needed. */
TR_FN PF tr_noise_corner(uint x, uint z, uint seed, float dx, float dz)
{
    uint h = tr_noise_hash(x, z, seed);
    PF gx = tr_to_float(tr_to_int(h & 1023u) * 2 - 1023) * 0.0009765625f;
    PF gz = tr_to_float(tr_to_int((h >> 10) & 1023u) * 2 - 1023) * 0.0009765625f;
    PF n = gx * dx + gz * dz;
    return n;
}

/* 6t^5 - 15t^4 + 10t^3 */
TR_FN PF tr_noise_fade(float t)
{
    PF u = t * 6.0f - 15.0f;
    u = u * t + 10.0f;
    PF c = t * t;
    c = c * t;
    u = u * c;
    return u;
}

/* One layer's noise at the sample (x, z) of the chunk, the blend of four corners times 1.5: seldom beyond +-1, never beyond +-1.5. */
TR_FN PF tr_noise(tr_noise_layer layer, int x, int z)
{
    PF px = tr_to_float(x) * layer.frequency + layer.frac_x;
    PF pz = tr_to_float(z) * layer.frequency + layer.frac_z;
    PF fx = tr_floor(px);
    PF fz = tr_floor(pz);
    uint ix = layer.cell_x + tr_to_uint(tr_to_int(fx));
    uint iz = layer.cell_z + tr_to_uint(tr_to_int(fz));
    PF dx = px - fx;
    PF dz = pz - fz;
    PF ex = dx - 1.0f;
    PF ez = dz - 1.0f;
    PF n00 = tr_noise_corner(ix, iz, layer.seed, dx, dz);
    PF n10 = tr_noise_corner(ix + 1u, iz, layer.seed, ex, dz);
    PF n01 = tr_noise_corner(ix, iz + 1u, layer.seed, dx, ez);
    PF n11 = tr_noise_corner(ix + 1u, iz + 1u, layer.seed, ex, ez);
    PF wx = tr_noise_fade(dx);
    PF wz = tr_noise_fade(dz);
    PF a = n00 + wx * (n10 - n00);
    PF b = n01 + wx * (n11 - n01);
    PF n = a + wz * (b - a);
    n = n * 1.5f;
    return n;
}

/* What one layer adds to the height, in units. */
TR_FN PF tr_noise_height(tr_noise_layer layer, int x, int z)
{
    PF n = tr_noise(layer, x, z);
    PF m = tr_abs(n);
    m = 2.0f * m;
    if (layer.kind == TR_NOISE_RIDGED)
        n = 1.0f - m;
    else if (layer.kind == TR_NOISE_BILLOW)
        n = m - 1.0f;
    n = n * layer.amplitude;
    return n;
}

/* The height of a sample: base plus what its layers add, summed in their order, rounded once, halves up, and clamped. At most 32 layers,
 * so |sum| < 2^30 and nothing overflows. */
TR_FN int tr_noise_ground(int base, float sum)
{
    int rise = tr_round_clamped(sum, -1073741824.0f, 1073741824.0f);
    return tr_iclamp(base + rise, -TR_HEIGHT_MAX, TR_HEIGHT_MAX);
}

#endif
