/* The noise of brushes: gradient noise in the plane (height brushes) or in space (volume brushes), octaves summed.
 *
 * Words: seed, octaves, then for x, y, z the lattice cell of the frame's origin (modulo 2^32), then for x, y, z the place in that cell in
 * [0, 1) as floats, then the frequency, lattice cells a voxel, as a float. Octave o has the frequency times 2^o, the seed plus o times
 * 0x9e3779b1 and the weight 2^-o. Scaling a float by 2^o and taking its floor are exact, so all octaves follow from the one sum that is
 * rounded. */
#ifndef TR_SHADERS_BRUSH_NOISE_H
#define TR_SHADERS_BRUSH_NOISE_H
#include "noise.h"
#include "words.h"

#define TR_BRUSH_NOISE_WORDS 9u
#define TR_BRUSH_OCTAVES_MAX 8u

/* As tr_noise_corner, with three components in (-1, 1). */
TR_FN PF tr_noise_corner3(uint x, uint y, uint z, uint seed, float dx, float dy, float dz)
{
    uint h = tr_noise_hash(x, z, seed + y * 0xc2b2ae3du);
    PF gx = tr_to_float(tr_to_int(h & 1023u) * 2 - 1023) * 0.0009765625f;
    PF gy = tr_to_float(tr_to_int((h >> 10) & 1023u) * 2 - 1023) * 0.0009765625f;
    PF gz = tr_to_float(tr_to_int((h >> 20) & 1023u) * 2 - 1023) * 0.0009765625f;
    PF n = gx * dx + gy * dy + gz * dz;
    return n;
}

/* In space, the blend of eight corners times 1.5: seldom beyond +-1, never beyond +-2.25. */
TR_FN PF tr_noise3(uint ix, uint iy, uint iz, uint seed, float dx, float dy, float dz)
{
    PF ex = dx - 1.0f;
    PF ey = dy - 1.0f;
    PF ez = dz - 1.0f;
    PF wx = tr_noise_fade(dx);
    PF wy = tr_noise_fade(dy);
    PF wz = tr_noise_fade(dz);
    PF n000 = tr_noise_corner3(ix, iy, iz, seed, dx, dy, dz);
    PF n100 = tr_noise_corner3(ix + 1u, iy, iz, seed, ex, dy, dz);
    PF n010 = tr_noise_corner3(ix, iy + 1u, iz, seed, dx, ey, dz);
    PF n110 = tr_noise_corner3(ix + 1u, iy + 1u, iz, seed, ex, ey, dz);
    PF n001 = tr_noise_corner3(ix, iy, iz + 1u, seed, dx, dy, ez);
    PF n101 = tr_noise_corner3(ix + 1u, iy, iz + 1u, seed, ex, dy, ez);
    PF n011 = tr_noise_corner3(ix, iy + 1u, iz + 1u, seed, dx, ey, ez);
    PF n111 = tr_noise_corner3(ix + 1u, iy + 1u, iz + 1u, seed, ex, ey, ez);
    PF a = n000 + wx * (n100 - n000);
    PF b = n010 + wx * (n110 - n010);
    PF c = n001 + wx * (n101 - n001);
    PF d = n011 + wx * (n111 - n011);
    PF e = a + wy * (b - a);
    PF f = c + wy * (d - c);
    PF n = e + wz * (f - e);
    n = n * 1.5f;
    return n;
}

/* In the plane: as tr_noise. */
TR_FN PF tr_noise2(uint ix, uint iz, uint seed, float dx, float dz)
{
    PF ex = dx - 1.0f;
    PF ez = dz - 1.0f;
    PF wx = tr_noise_fade(dx);
    PF wz = tr_noise_fade(dz);
    PF n00 = tr_noise_corner(ix, iz, seed, dx, dz);
    PF n10 = tr_noise_corner(ix + 1u, iz, seed, ex, dz);
    PF n01 = tr_noise_corner(ix, iz + 1u, seed, dx, ez);
    PF n11 = tr_noise_corner(ix + 1u, iz + 1u, seed, ex, ez);
    PF a = n00 + wx * (n10 - n00);
    PF b = n01 + wx * (n11 - n01);
    PF n = a + wz * (b - a);
    n = n * 1.5f;
    return n;
}

/* Octave o at a point of the frame, times its weight, in the plane. */
TR_FN PF tr_brush_octave2(TR_WORDS_PARAM uint at, uint o, float px, float pz)
{
    PF scale = tr_to_float(1 << o);
    PF weight = tr_from_bits((127u - o) << 23);
    PF frequency = tr_word_float(TR_WORDS_ARG at + 8u);
    PF vx = px * frequency + tr_word_float(TR_WORDS_ARG at + 5u);
    PF vz = pz * frequency + tr_word_float(TR_WORDS_ARG at + 7u);
    vx = vx * scale;
    vz = vz * scale;
    PF fx = tr_floor(vx);
    PF fz = tr_floor(vz);
    PF dx = vx - fx;
    PF dz = vz - fz;
    uint ix = (tr_words[at + 2u] << o) + tr_to_uint(tr_to_int(fx));
    uint iz = (tr_words[at + 4u] << o) + tr_to_uint(tr_to_int(fz));
    PF n = tr_noise2(ix, iz, tr_words[at] + o * 0x9e3779b1u, dx, dz);
    n = n * weight;
    return n;
}

/* The same in space. */
TR_FN PF tr_brush_octave3(TR_WORDS_PARAM uint at, uint o, float px, float py, float pz)
{
    PF scale = tr_to_float(1 << o);
    PF weight = tr_from_bits((127u - o) << 23);
    PF frequency = tr_word_float(TR_WORDS_ARG at + 8u);
    PF vx = px * frequency + tr_word_float(TR_WORDS_ARG at + 5u);
    PF vy = py * frequency + tr_word_float(TR_WORDS_ARG at + 6u);
    PF vz = pz * frequency + tr_word_float(TR_WORDS_ARG at + 7u);
    vx = vx * scale;
    vy = vy * scale;
    vz = vz * scale;
    PF fx = tr_floor(vx);
    PF fy = tr_floor(vy);
    PF fz = tr_floor(vz);
    PF dx = vx - fx;
    PF dy = vy - fy;
    PF dz = vz - fz;
    uint ix = (tr_words[at + 2u] << o) + tr_to_uint(tr_to_int(fx));
    uint iy = (tr_words[at + 3u] << o) + tr_to_uint(tr_to_int(fy));
    uint iz = (tr_words[at + 4u] << o) + tr_to_uint(tr_to_int(fz));
    PF n = tr_noise3(ix, iy, iz, tr_words[at] + o * 0x9e3779b1u, dx, dy, dz);
    n = n * weight;
    return n;
}

/* The sum of the octaves, from the first on. C's loops over samples add them octave by octave instead. */
TR_FN PF tr_brush_noise2(TR_WORDS_PARAM uint at, float px, float pz)
{
    PF sum = 0.0f;
    for (uint o = 0u; o < tr_words[at + 1u]; o++) {
        PF n = tr_brush_octave2(TR_WORDS_ARG at, o, px, pz);
        sum = sum + n;
    }
    return sum;
}

TR_FN PF tr_brush_noise3(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF sum = 0.0f;
    for (uint o = 0u; o < tr_words[at + 1u]; o++) {
        PF n = tr_brush_octave3(TR_WORDS_ARG at, o, px, py, pz);
        sum = sum + n;
    }
    return sum;
}

#endif
