/* Kernel `selftest`: every exact function on fixed pseudo-random inputs. The host computes the same words
 * with the same code, so a device that rounds, fuses or flushes otherwise is found before it bakes anything.
 *
 * Inputs have the sizes that occur in bakes; an invocation computes one word. */
#ifndef TR_SHADERS_SELFTEST_PARAMS_H
#define TR_SHADERS_SELFTEST_PARAMS_H
#include "ground.h"
#include "noise.h"
#include "redistance.h"
#include "surface.h"

#define TR_SELFTEST_LOCAL 64
#define TR_SELFTEST_WORDS 0 /* out: a word for each function and input */
#define TR_SELFTEST_BUFFERS 1

#define TR_SELFTEST_MULTIPLY_ADD 0u
#define TR_SELFTEST_RECIPROCAL 1u
#define TR_SELFTEST_ROOT 2u
#define TR_SELFTEST_ROUND 3u
#define TR_SELFTEST_CONVERT 4u
#define TR_SELFTEST_SINE 5u
#define TR_SELFTEST_FALLOFF 6u
#define TR_SELFTEST_RAISE 7u
#define TR_SELFTEST_LEVEL 8u
#define TR_SELFTEST_SMOOTH 9u
#define TR_SELFTEST_HC_SMOOTH 10u
#define TR_SELFTEST_DISTANCE 11u
#define TR_SELFTEST_JOIN 12u
#define TR_SELFTEST_PUSH 13u
#define TR_SELFTEST_PLANE 14u
#define TR_SELFTEST_VOLUME_SMOOTH 15u
#define TR_SELFTEST_INFLATE 16u
#define TR_SELFTEST_PINCH 17u /* and grab */
#define TR_SELFTEST_REDISTANCE 18u
#define TR_SELFTEST_NOISE 19u
#define TR_SELFTEST_NOISE_3D 20u
#define TR_SELFTEST_CROSSING 21u
#define TR_SELFTEST_NORMAL 22u
#define TR_SELFTEST_FOLLOW 23u
#define TR_SELFTEST_FUNCTIONS 24u
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

/* The operation of a function's slot. */
TR_FN uint tr_selftest_op(uint function, uint i)
{
    if (function == TR_SELFTEST_RAISE)
        return TR_SLOT_RAISE;
    if (function == TR_SELFTEST_LEVEL)
        return TR_SLOT_LEVEL;
    if (function == TR_SELFTEST_SMOOTH)
        return TR_SLOT_SMOOTH;
    if (function == TR_SELFTEST_HC_SMOOTH)
        return TR_SLOT_HC_SMOOTH;
    if (function == TR_SELFTEST_PUSH)
        return TR_SLOT_PUSH;
    if (function == TR_SELFTEST_PLANE)
        return TR_SLOT_PLANE;
    if (function == TR_SELFTEST_VOLUME_SMOOTH)
        return TR_SLOT_VOLUME_SMOOTH;
    if (function == TR_SELFTEST_INFLATE)
        return TR_SLOT_INFLATE;
    if (function == TR_SELFTEST_PINCH)
        return TR_SLOT_PINCH + (i / 2u & 1u); /* or GRAB */
    return TR_SLOT_UNION + i % 3u;            /* or SUBTRACT, INTERSECT */
}

/* A slot with the numbers of every kind, small and large form, all falloffs and blends; its box is all samples. */
TR_FN tr_edit_slot tr_selftest_slot(uint function, uint i)
{
    tr_edit_slot slot;
    slot.op = tr_selftest_op(function, i);
    bool shape = tr_slot_is_shape(slot);
    bool part = slot.op != TR_SLOT_RAISE && slot.op != TR_SLOT_PUSH &&
                slot.op != TR_SLOT_INFLATE; /* its strength is a part of the way */
    slot.form = i & 1u;                     /* round or large, spherical or projected */
    slot.falloff = i % TR_FALLOFF_COUNT;
    slot.power = 2u + i % 15u;
    slot.lo_x = -64;
    slot.lo_y = -64;
    slot.lo_z = -64;
    slot.hi_x = 128;
    slot.hi_y = 128;
    slot.hi_z = 128;
    slot.base_y = 0;
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
    inv = tr_rcp(radius);
    slot.radius = shape ? radius : inv;
    slot.strength = tr_selftest_float(function, i, 19u, part ? 255 : 65536, part ? 0.00390625f : 0.0625f);
    slot.px = uz;
    slot.py = ux;
    slot.pz = uy;
    slot.p0 = tr_selftest_float(function, i, 20u, 24576, 0.00390625f);
    slot.reach = 32.0f;
    slot.blend = i / 2u & 3u;
    slot.blend_k = 512.0f;
    slot.blend_a = slot.blend == TR_BLEND_STAIRS ? 170.66667f : 0.00048828125f;
    slot.blend_b = 0.0029296875f;
    slot.target = tr_selftest_int(function, i, 21u, TR_HEIGHT_MAX);
    slot.words = 0u;
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

/* Where a pinch or grab takes a sample from, and what it finds there. */
TR_FN uint tr_selftest_pinch(tr_edit_slot slot, uint f, uint i, int x, int y, int z)
{
    const int most = TR_SDF_MAX;
    tr_source source = tr_volume_source(slot, x, y, z);
    int s = tr_volume_mix(source, tr_selftest_int(f, i, 30u, most), tr_selftest_int(f, i, 31u, most),
                          tr_selftest_int(f, i, 32u, most), tr_selftest_int(f, i, 33u, most),
                          tr_selftest_int(f, i, 34u, most), tr_selftest_int(f, i, 35u, most),
                          tr_selftest_int(f, i, 36u, most), tr_selftest_int(f, i, 37u, most));
    return tr_noise_hash(tr_to_uint(source.x), tr_to_uint(source.y), tr_to_uint(source.z)) ^ tr_to_uint(s);
}

/* A sample again from a crossing near it. */
TR_FN uint tr_selftest_redistance(uint f, uint i, int x, int y, int z, int stored)
{
    const int most = 65534;
    PF way = tr_redistance_way(-tr_iabs(stored), 1 + tr_to_int(tr_selftest_bits(f, i, 30u) % 32767u));
    tr_crossing_point crossing = tr_redistance_crossing(
        x + tr_selftest_int(f, i, 31u, 9), y + tr_selftest_int(f, i, 32u, 9),
        z + tr_selftest_int(f, i, 33u, 9), tr_to_int(i % 3u), way, tr_selftest_int(f, i, 34u, most),
        tr_selftest_int(f, i, 35u, most), tr_selftest_int(f, i, 36u, most), tr_selftest_int(f, i, 37u, most),
        tr_selftest_int(f, i, 38u, most), tr_selftest_int(f, i, 39u, most));
    PF square = tr_redistance_square(crossing, x, y, z);
    return tr_bits(square) ^ tr_to_uint(tr_redistance_sample(crossing, x, y, z, stored));
}

/* The word of a function for input i. */
TR_FN uint tr_selftest_word(uint f, uint i)
{
    int x = tr_selftest_int(f, i, 0u, 64);
    int y = tr_selftest_int(f, i, 1u, 64);
    int z = tr_selftest_int(f, i, 2u, 64);
    int stored = tr_selftest_int(f, i, 3u, TR_SDF_MAX);
    int height = tr_selftest_int(f, i, 4u, TR_HEIGHT_MAX);
    tr_edit_slot slot = tr_selftest_slot(f, i);
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
    if (f == TR_SELFTEST_SINE) {
        tr_turn turn = tr_sincos(tr_selftest_float(f, i, 5u, 2097152, 0.00390625f));
        return (i & 1u) != 0u ? tr_bits(turn.s) : tr_bits(turn.c);
    }
    if (f == TR_SELFTEST_FALLOFF) {
        PF d = tr_selftest_float(f, i, 5u, 70000, 0.0000152587890625f);
        d = tr_abs(d);
        PF w = tr_falloff(i % TR_FALLOFF_COUNT, 2u + i % 15u, d);
        return tr_bits(w);
    }
    if (f == TR_SELFTEST_RAISE)
        return tr_to_uint(tr_brush_raise(slot, x, z, height));
    if (f == TR_SELFTEST_LEVEL)
        return tr_to_uint(tr_brush_level(slot, x, z, height));
    if (f == TR_SELFTEST_SMOOTH)
        return tr_to_uint(tr_brush_smooth(slot, x, z, height, tr_selftest_int(f, i, 5u, 67108863)));
    if (f == TR_SELFTEST_HC_SMOOTH)
        return tr_to_uint(tr_brush_hc_smooth(slot, x, z, height, tr_selftest_int(f, i, 5u, 67108863),
                                             tr_selftest_int(f, i, 6u, 67108863)));
    if (f == TR_SELFTEST_DISTANCE) {
        PF d = tr_slot_round_distance(slot, x, y, z);
        return tr_bits(d);
    }
    if (f == TR_SELFTEST_JOIN)
        return tr_to_uint(tr_shape_join(slot, tr_selftest_float(f, i, 5u, 32768, 0.0009765625f), stored));
    if (f == TR_SELFTEST_PUSH)
        return tr_to_uint(tr_volume_push(slot, x, y, z, stored));
    if (f == TR_SELFTEST_PLANE)
        return tr_to_uint(tr_volume_plane(slot, x, y, z, stored));
    if (f == TR_SELFTEST_VOLUME_SMOOTH)
        return tr_to_uint(tr_volume_smooth(slot, x, y, z, stored, tr_selftest_int(f, i, 5u, 6 * TR_SDF_MAX)));
    if (f == TR_SELFTEST_INFLATE)
        return tr_to_uint(tr_volume_inflate(slot, x, y, z, stored, tr_selftest_int(f, i, 5u, 65534),
                                            tr_selftest_int(f, i, 6u, 65534),
                                            tr_selftest_int(f, i, 7u, 65534)));
    if (f == TR_SELFTEST_PINCH)
        return tr_selftest_pinch(slot, f, i, x, y, z);
    if (f == TR_SELFTEST_REDISTANCE)
        return tr_selftest_redistance(f, i, x, y, z, stored);
    if (f == TR_SELFTEST_NOISE) {
        PF h = tr_noise_height(tr_selftest_layer(f, i), x, z);
        return tr_bits(h);
    }
    if (f == TR_SELFTEST_NOISE_3D) {
        tr_noise_layer layer = tr_selftest_layer(f, i);
        PF n = tr_noise3(layer.cell_x, tr_selftest_bits(f, i, 7u), layer.cell_z, layer.seed, layer.frac_x,
                         layer.frequency, layer.frac_z);
        return tr_bits(n);
    }
    if (f == TR_SELFTEST_CROSSING)
        return tr_to_uint(tr_crossing(-tr_iabs(stored), 1 + tr_to_int(tr_selftest_bits(f, i, 5u) % 32767u)));
    if (f == TR_SELFTEST_NORMAL)
        return tr_selftest_normal(f, i);
    return tr_to_uint(tr_follow(stored, tr_height_field(y, x * 16), tr_height_field(y, height)));
}

#endif
