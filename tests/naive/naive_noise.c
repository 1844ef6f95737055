/* At a point in a cell, each corner of the cell gives the product of its gradient and the way from it; these are
 * mixed along x, then y, then z by the fade of the place in the cell, and the whole is taken 1.5 times. */
#include "tests/naive/naive_noise.h"
#include "tests/naive/naive_float.h"

static uint32_t lattice_hash(uint32_t x, uint32_t z, uint32_t seed)
{
    uint32_t h = seed + x * UINT32_C(0x9e3779b1);
    h = (h ^ (h >> 15)) * UINT32_C(0x2c1b3c6d);
    h = h + z * UINT32_C(0x85ebca77);
    h = (h ^ (h >> 12)) * UINT32_C(0x297a2d39);
    h = (h ^ (h >> 15)) * UINT32_C(0x846ca68b);
    return h ^ (h >> 16);
}

/* The ten bits of the hash from bit `first` on. */
static float component(uint32_t hash, int first)
{
    int bits = (int)(hash >> first & 1023);
    return (float)(2 * bits - 1023) / 1024.0f;
}

void naive_noise_gradient(const uint32_t point[3], uint32_t seed, bool in_space, float g[3])
{
    uint32_t hash = lattice_hash(point[0], point[2], seed + point[1] * UINT32_C(0xc2b2ae3d));
    g[0] = component(hash, 0);
    g[1] = in_space ? component(hash, 10) : 0.0f;
    g[2] = component(hash, in_space ? 20 : 10);
}

uint32_t naive_noise_seed(uint64_t seed)
{
    return (uint32_t)seed ^ (uint32_t)(seed >> 32);
}

double naive_noise_weight(int octaves)
{
    double sum = 0.0;
    for (int octave = 0; octave < octaves; octave++)
        sum += ldexp(1.0, -octave);
    return sum;
}

struct naive_noise naive_noise_in_frame(uint64_t seed, int octaves, double scale, bool in_space,
                                        const int corner[3])
{
    struct naive_noise noise = {.in_space = in_space,
                                .seed = naive_noise_seed(seed),
                                .octaves = octaves,
                                .frequency = naive_parameter(1.0 / scale)};
    for (int i = 0; i < 3; i++) {
        double at = i == 1 && !noise.in_space ? 0.0 : corner[i] / scale;
        noise.cell[i] = (uint32_t)(int64_t)floor(at);
        noise.place[i] = naive_parameter(at - floor(at));
    }
    return noise;
}

static float fade(float t)
{
    return ((t * 6.0f - 15.0f) * t + 10.0f) * ((t * t) * t);
}

static float mix(float a, float b, float share)
{
    return a + share * (b - a);
}

/* Of the corner of a cell at `low` whose bits x, y, z say where it is high. */
static float corner_value(const uint32_t low[3], const float way[3], int bits, uint32_t seed, bool in_space)
{
    uint32_t point[3];
    float g[3], from[3];
    for (int i = 0; i < 3; i++) {
        int high = bits >> i & 1;
        point[i] = low[i] + (uint32_t)high;
        from[i] = high ? way[i] - 1.0f : way[i];
    }
    naive_noise_gradient(point, seed, in_space, g);
    return naive_dot_float(g, from);
}

static float octave_value(const uint32_t low[3], const float way[3], uint32_t seed, bool in_space)
{
    float along_x[4]; /* by bits y, z */
    for (int yz = 0; yz < 4; yz++)
        along_x[yz] = mix(corner_value(low, way, 2 * yz, seed, in_space),
                          corner_value(low, way, 2 * yz + 1, seed, in_space), fade(way[0]));
    float near = in_space ? mix(along_x[0], along_x[1], fade(way[1])) : along_x[0];
    float far = in_space ? mix(along_x[2], along_x[3], fade(way[1])) : along_x[2];
    return mix(near, far, fade(way[2])) * 1.5f;
}

float naive_noise_at(const struct naive_noise *noise, const float p[3])
{
    float v[3], sum = 0.0f, weight = 1.0f;
    uint32_t cell[3], seed = noise->seed;
    for (int i = 0; i < 3; i++) {
        v[i] = p[i] * noise->frequency + noise->place[i];
        v[i] = i == 1 && !noise->in_space ? 0.0f : v[i];
        cell[i] = noise->cell[i];
    }
    for (int octave = 0; octave < noise->octaves; octave++) {
        uint32_t low[3];
        float way[3];
        for (int i = 0; i < 3; i++) {
            low[i] = cell[i] + (uint32_t)(int)floorf(v[i]);
            way[i] = v[i] - floorf(v[i]);
        }
        sum = sum + octave_value(low, way, seed, noise->in_space) * weight;
        weight = weight * 0.5f;
        seed += NAIVE_OCTAVE_SEED;
        for (int i = 0; i < 3; i++) {
            v[i] = v[i] + v[i];
            cell[i] = cell[i] + cell[i];
        }
    }
    return sum;
}
