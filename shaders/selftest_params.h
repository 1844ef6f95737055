/* Kernel `selftest`: every exact function on fixed pseudo-random inputs. The host computes the same words
 * with the same code, so a device that rounds, fuses or flushes otherwise is found before it bakes anything.
 *
 * Inputs have the sizes that occur in bakes; an invocation computes one word. */
#ifndef TR_SHADERS_SELFTEST_PARAMS_H
#define TR_SHADERS_SELFTEST_PARAMS_H
#include "ground.h"
#include "noise.h"
#include "surface.h"

#define TR_SELFTEST_LOCAL 64
#define TR_SELFTEST_WORDS 0 /* out: a word for each function and input */
#define TR_SELFTEST_BUFFERS 1

#define TR_SELFTEST_MULTIPLY_ADD 0u
#define TR_SELFTEST_RECIPROCAL 1u
#define TR_SELFTEST_ROOT 2u
#define TR_SELFTEST_ROUND 3u
#define TR_SELFTEST_CONVERT 4u
#define TR_SELFTEST_FALLOFF 5u
#define TR_SELFTEST_RAISE 6u
#define TR_SELFTEST_SMOOTH 7u
#define TR_SELFTEST_DISTANCE 8u
#define TR_SELFTEST_UNION 9u
#define TR_SELFTEST_SUBTRACT 10u
#define TR_SELFTEST_NOISE 11u
#define TR_SELFTEST_CROSSING 12u
#define TR_SELFTEST_NORMAL 13u
#define TR_SELFTEST_FOLLOW 14u
#define TR_SELFTEST_FUNCTIONS 15u
#define TR_SELFTEST_INPUTS 1024u /* of each function */

TR_STRUCT(tr_selftest_params)
{
    uint inputs;
};

/* Number k of input i of a function. */
TR_FN uint tr_selftest_bits(uint function, uint i, uint k)
{
    return tr_noise_hash(i, k, function);
}

/* A whole number in [-range, range]. */
TR_FN int tr_selftest_int(uint function, uint i, uint k, int range)
{
    return tr_to_int(tr_selftest_bits(function, i, k) % tr_to_uint(2 * range + 1)) - range;
}

/* A multiple of step in [-range step, range step]. */
TR_FN PF tr_selftest_float(uint function, uint i, uint k, int range, float step)
{
    PF x = tr_to_float(tr_selftest_int(function, i, k, range));
    x = x * step;
    return x;
}

/* Any mantissa, 2^-30 <= x < 2^30. */
TR_FN PF tr_selftest_positive(uint function, uint i, uint k)
{
    uint bits = tr_selftest_bits(function, i, k);
    PF x = tr_from_bits((97u + bits % 60u) << 23 | (bits >> 9));
    return x;
}

/* A slot with both kinds of numbers, small and large form, all falloffs; its box is all samples. */
TR_FN tr_edit_slot tr_selftest_slot(uint function, uint i, uint op)
{
    tr_edit_slot slot;
    slot.op = op;
    slot.falloff = i % TR_FALLOFF_COUNT;
    slot.power = 2u + i % 15u;
    slot.large = i & 1u;
    slot.lo_x = -64;
    slot.lo_y = -64;
    slot.lo_z = -64;
    slot.hi_x = 128;
    slot.hi_y = 128;
    slot.hi_z = 128;
    slot.cx = tr_selftest_float(function, i, 10u, 24576, 0.00390625f);
    slot.cy = tr_selftest_float(function, i, 11u, 24576, 0.00390625f);
    slot.cz = tr_selftest_float(function, i, 12u, 24576, 0.00390625f);
    PF ux = tr_selftest_float(function, i, 13u, 1000, 0.125f);
    PF uy = tr_selftest_float(function, i, 14u, 1000, 0.125f);
    PF uz = tr_selftest_float(function, i, 15u, 1000, 0.125f);
    PF length = ux * ux + uy * uy + uz * uz;
    length = length + 1.0f;
    length = tr_sqrt(length);
    PF inv = tr_rcp(length);
    ux = ux * inv;
    uy = uy * inv;
    uz = uz * inv;
    slot.ux = ux;
    slot.uy = uy;
    slot.uz = uz;
    PF t0 = tr_selftest_float(function, i, 16u, 8192, 0.00390625f);
    PF t1 = tr_selftest_float(function, i, 17u, 8192, 0.00390625f);
    t0 = tr_abs(t0);
    t1 = tr_abs(t1);
    t0 = 0.0f - t0;
    slot.t0 = t0;
    slot.t1 = t1;
    PF radius = tr_selftest_float(function, i, 18u, 8191, 0.00390625f);
    radius = tr_abs(radius);
    radius = radius + 1.0f;
    PF k0 = slot.cx * slot.cx + slot.cy * slot.cy + slot.cz * slot.cz;
    k0 = k0 - radius * radius;
    slot.k0 = k0;
    slot.radius = radius;
    if (op == TR_SLOT_RAISE || op == TR_SLOT_SMOOTH)
        slot.radius = tr_rcp(radius);
    slot.strength = tr_selftest_float(function, i, 19u, 65536, 0.0625f);
    if (op == TR_SLOT_SMOOTH)
        slot.strength = tr_selftest_float(function, i, 19u, 255, 0.00390625f);
    slot.reach = 32.0f;
    slot.blend = 0.0f;
    slot.inv_4blend = 0.0f;
    if ((i & 2u) != 0u) {
        slot.blend = 512.0f;
        slot.inv_4blend = 0.00048828125f;
    }
    return slot;
}

TR_FN tr_noise_layer tr_selftest_layer(uint function, uint i)
{
    tr_noise_layer layer;
    layer.kind = i % 3u;
    layer.seed = tr_selftest_bits(function, i, 0u);
    layer.cell_x = tr_selftest_bits(function, i, 1u);
    layer.cell_z = tr_selftest_bits(function, i, 2u);
    PF fx = tr_selftest_float(function, i, 3u, 65535, 0.0000152587890625f);
    PF fz = tr_selftest_float(function, i, 4u, 65535, 0.0000152587890625f);
    PF frequency = tr_selftest_float(function, i, 5u, 65535, 0.0000152587890625f);
    layer.frac_x = tr_abs(fx);
    layer.frac_z = tr_abs(fz);
    layer.frequency = tr_abs(frequency);
    layer.amplitude = tr_selftest_float(function, i, 6u, 65536, 1.0f);
    return layer;
}

TR_FN uint tr_selftest_normal(uint f, uint i)
{
    const int most = 65534;
    return tr_normal(tr_selftest_int(f, i, 0u, most), tr_selftest_int(f, i, 1u, most),
                     tr_selftest_int(f, i, 2u, most), tr_selftest_int(f, i, 3u, most),
                     tr_selftest_int(f, i, 4u, most), tr_selftest_int(f, i, 5u, most),
                     1 + tr_to_int(i % 255u), tr_to_int(i % 3u), (i & 1u) != 0u);
}

/* The word of a function for input i. */
TR_FN uint tr_selftest_word(uint f, uint i)
{
    int x = tr_selftest_int(f, i, 0u, 64);
    int y = tr_selftest_int(f, i, 1u, 64);
    int z = tr_selftest_int(f, i, 2u, 64);
    int stored = tr_selftest_int(f, i, 3u, TR_SDF_MAX);
    int height = tr_selftest_int(f, i, 4u, TR_HEIGHT_MAX);
    if (f == TR_SELFTEST_MULTIPLY_ADD) {
        PF r = tr_selftest_float(f, i, 5u, 8388607, 0.00390625f);
        r = r * tr_selftest_float(f, i, 6u, 8388607, 0.00390625f) +
            tr_selftest_float(f, i, 7u, 8388607, 0.00390625f);
        return tr_bits(r);
    }
    if (f == TR_SELFTEST_RECIPROCAL) {
        PF r = tr_selftest_positive(f, i, 5u);
        r = tr_rcp(r);
        return tr_bits(r);
    }
    if (f == TR_SELFTEST_ROOT) {
        PF r = tr_selftest_positive(f, i, 5u);
        r = tr_sqrt(r);
        return tr_bits(r);
    }
    if (f == TR_SELFTEST_ROUND) {
        PF r = tr_selftest_float(f, i, 5u, 8388607, 0.0078125f);
        return tr_to_uint(tr_round_clamped(r, -32767.0f, 32767.0f));
    }
    if (f == TR_SELFTEST_CONVERT) { /* an integer of 31 bits to the nearest float, ties to even */
        PF r = tr_to_float(tr_to_int(tr_selftest_bits(f, i, 5u)));
        return tr_bits(r);
    }
    if (f == TR_SELFTEST_FALLOFF) {
        PF d = tr_selftest_float(f, i, 5u, 70000, 0.0000152587890625f);
        d = tr_abs(d);
        PF w = tr_falloff(i % TR_FALLOFF_COUNT, 2u + i % 15u, d);
        return tr_bits(w);
    }
    if (f == TR_SELFTEST_RAISE)
        return tr_to_uint(tr_brush_raise(tr_selftest_slot(f, i, TR_SLOT_RAISE), x, z, height));
    if (f == TR_SELFTEST_SMOOTH)
        return tr_to_uint(tr_brush_smooth(tr_selftest_slot(f, i, TR_SLOT_SMOOTH), x, z, height,
                                          tr_selftest_int(f, i, 5u, 67108863)));
    if (f == TR_SELFTEST_DISTANCE) {
        PF d = tr_shape_distance(tr_selftest_slot(f, i, TR_SLOT_UNION), x, y, z);
        return tr_bits(d);
    }
    if (f == TR_SELFTEST_UNION)
        return tr_to_uint(tr_shape_union(tr_selftest_slot(f, i, TR_SLOT_UNION), x, y, z, stored));
    if (f == TR_SELFTEST_SUBTRACT)
        return tr_to_uint(tr_shape_subtract(tr_selftest_slot(f, i, TR_SLOT_SUBTRACT), x, y, z, stored));
    if (f == TR_SELFTEST_NOISE) {
        PF h = tr_noise_height(tr_selftest_layer(f, i), x, z);
        return tr_bits(h);
    }
    if (f == TR_SELFTEST_CROSSING)
        return tr_to_uint(tr_crossing(-tr_iabs(stored), 1 + tr_to_int(tr_selftest_bits(f, i, 5u) % 32767u)));
    if (f == TR_SELFTEST_NORMAL)
        return tr_selftest_normal(f, i);
    return tr_to_uint(tr_follow(stored, tr_height_field(y, x * 16), tr_height_field(y, height)));
}

#endif
