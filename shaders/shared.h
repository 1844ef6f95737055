/* What lets one header be C and GLSL: names for types, functions and the few operations that are spelled differently.
 *
 * The rule of these headers (exact arithmetic): integers; float + - * whose every result is `precise`; comparisons, floor and
 * conversions; and the reciprocal and square root that exact.h builds from those. Never / sqrt min max abs mix fma dot or any other
 * built-in on floats: devices round them differently. No value is NaN, infinite or subnormal, and none depends on the sign of zero.
 *
 *   TR_FN   begins a function              PF      a float that is `precise` in GLSL: every local and every returned float
 *   TR_WORDS_PARAM, TR_WORDS_ARG           first parameter and argument of what reads the words of slots: an array `tr_words`, which a
 *                                          kernel declares as a buffer of that name before it includes such a header
 *
 * `precise` does not reach arithmetic written inside call arguments: name it as a PF local first. A check over the SPIR-V of every
 * kernel (tests/lint) finds each float operation that lacks NoContraction. */
#ifndef TR_SHADERS_SHARED_H
#define TR_SHADERS_SHARED_H

#ifdef GL_core_profile
#define TR_GLSL 1
#define TR_FN
#define PF precise float
#define TR_STRUCT(name) struct name
#define tr_bits(x) floatBitsToUint(x)
#define tr_from_bits(u) uintBitsToFloat(u)
#define tr_floor(x) floor(x)
#define tr_to_int(x) int(x)
#define tr_to_uint(x) uint(x)
#define tr_to_float(i) float(i)
#define tr_popcount(u) bitCount(u)
#define TR_UNROLL
#define TR_WORDS_PARAM
#define TR_WORDS_ARG
#else
#include <stdint.h>
#include <stdbool.h>
#include <string.h>
typedef uint32_t uint; /* GLSL's name for it; the C library has the same typedef where it has one */
#define TR_FN static inline __attribute__((always_inline, unused))
#define PF float
#define TR_STRUCT(name)                                                                                      \
    typedef struct name name;                                                                                \
    struct name
TR_FN uint tr_bits(float x)
{
    uint u;
    memcpy(&u, &x, sizeof u);
    return u;
}
TR_FN float tr_from_bits(uint u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
#define tr_floor(x) __builtin_floorf(x)
#define tr_to_int(x) ((int)(x))
#define tr_to_uint(x) ((uint)(x))
#define tr_to_float(i) ((float)(i))
#define tr_popcount(u) __builtin_popcount(u)
#define TR_WORDS_PARAM const uint *tr_words,
#define TR_WORDS_ARG tr_words,
#define TR_UNROLL                                                                                            \
    _Pragma("GCC unroll 16") /* before an inner loop of up to 16 rounds: makes the outer one vectors */
#endif

#define TR_UNITS 256           /* one voxel in the unit of all stored numbers */
#define TR_CHUNK 64            /* cells along a side of a chunk, and samples of a block */
#define TR_SDF_MAX 32767       /* signed distances are clamped to +-this */
#define TR_HEIGHT_MAX 16777215 /* heights too: |height| < 2^24 */

#endif
