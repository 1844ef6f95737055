/* Own sin, cos, exp, log and pow in double.
 *
 * Only + - * / are used, each rounded once to double, in a written order; so every machine and compiler gives
 * the same bits (flags: no contraction, no fast-math). Polynomials are Taylor series long enough for their
 * interval: the coefficients are exact fractions that need no source. Arguments are reduced with constants
 * split into parts (Cody and Waite 1980), whose products with the whole number of periods are exact. Where
 * one double is too short, values are unevaluated sums hi + lo (Dekker 1971; Knuth's two-sum).
 *
 *   sin, cos  x = n pi/2 + r, |r| <= pi/4
 *   exp       x = k ln 2 + r, |r| <= ln 2 / 2
 *   log       x = 2^k m, m in [sqrt 1/2, sqrt 2], log m = 2 atanh((m - 1) / (m + 1))
 *   pow       exp(y log x) with log and product as hi + lo
 */
#include "lib/base/dmath.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "double arithmetic must be rounded to double at every step"
#endif
#ifdef __FAST_MATH__
#error "fast-math breaks exact sums"
#endif

struct pair {
    double hi, lo; /* their exact sum; |lo| is at most about an ulp of hi */
};

/* a + b exactly, whatever their sizes. */
static struct pair sum_exact(double a, double b)
{
    double sum = a + b, b_part = sum - a;

    return (struct pair){sum, (a - (sum - b_part)) + (b - b_part)};
}

/* a * b exactly: each factor is cut into halves of at most 26 bits. Factors below 2^990. */
static struct pair product_exact(double a, double b)
{
    const double splitter = 134217729.0; /* 2^27 + 1 */
    double a_scaled = a * splitter, b_scaled = b * splitter;
    double a_hi = a_scaled - (a_scaled - a), b_hi = b_scaled - (b_scaled - b);
    double a_lo = a - a_hi, b_lo = b - b_hi;
    double product = a * b;

    return (struct pair){product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

static struct pair product_pair(struct pair a, struct pair b)
{
    struct pair product = product_exact(a.hi, b.hi);

    return sum_exact(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* The nearest whole number, halves away from zero; |x| < 2^62. */
static int64_t round_whole(double x)
{
    return (int64_t)(x < 0 ? x - 0.5 : x + 0.5);
}

/* 2^exponent, -1022 <= exponent <= 1023. */
static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- sin, cos ---- */

#define RADIANS_MAX 1048576.0 /* 2^20: n has 20 bits, each part of pi/2 below has 33 */

/* x - n pi/2; *quadrant is n mod 4. */
static struct pair reduce_quadrant(double x, int *quadrant)
{
    const double two_over_pi = 0x1.45f306dc9c883p-1;
    const double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34, part3 = 0x1.3198a2ep-69,
                 part4 = 0x1.b839a252049c1p-104;
    int64_t whole = round_whole(x * two_over_pi);
    double n = (double)whole;
    struct pair rest = sum_exact(x - n * part1, -(n * part2));

    *quadrant = (int)(whole & 3);
    return sum_exact(rest.hi, rest.lo - n * part3 - n * part4);
}

/* x - x^3/3! + x^5/5! ... to x^17, |x| <= pi/4. */
static double sin_series(struct pair x)
{
    double z = x.hi * x.hi;
    double tail = 1.0 / 355687428096000;

    tail = tail * z - 1.0 / 1307674368000;
    tail = tail * z + 1.0 / 6227020800;
    tail = tail * z - 1.0 / 39916800;
    tail = tail * z + 1.0 / 362880;
    tail = tail * z - 1.0 / 5040;
    tail = tail * z + 1.0 / 120;
    tail = tail * z - 1.0 / 6;
    return x.hi + (x.hi * z * tail + x.lo * (1.0 - 0.5 * z));
}

/* 1 - x^2/2! + x^4/4! ... to x^18, |x| <= pi/4. */
static double cos_series(struct pair x)
{
    double z = x.hi * x.hi, half = 0.5 * z;
    double tail = -1.0 / 6402373705728000;
    struct pair head = sum_exact(1.0, -half);

    tail = tail * z + 1.0 / 20922789888000;
    tail = tail * z - 1.0 / 87178291200;
    tail = tail * z + 1.0 / 479001600;
    tail = tail * z - 1.0 / 3628800;
    tail = tail * z + 1.0 / 40320;
    tail = tail * z - 1.0 / 720;
    tail = tail * z + 1.0 / 24;
    return head.hi + (head.lo + (z * z * tail - x.hi * x.lo));
}

/* sin(x + shift pi/2) */
static double sin_shifted(double x, int shift)
{
    struct pair rest;
    double value;
    int quadrant;

    if (!(x >= -RADIANS_MAX && x <= RADIANS_MAX))
        return NAN;
    rest = reduce_quadrant(x, &quadrant);
    quadrant = (quadrant + shift) & 3;
    value = quadrant & 1 ? cos_series(rest) : sin_series(rest);
    return quadrant & 2 ? -value : value;
}

double tr_sin(double radians)
{
    return sin_shifted(radians, 0);
}

double tr_cos(double radians)
{
    return sin_shifted(radians, 1);
}

/* ---- exp, log, pow ---- */

#define EXP_MIN -708.0 /* between these the result is a normal number */
#define EXP_MAX 709.0

static const double ln2_hi = 0x1.62e42fefa38p-1; /* 42 bits: its product with an exponent is exact */
static const double ln2_lo = 0x1.ef35793c7673p-45;

/* exp(x.hi + x.lo); 0 and infinity beyond the range of the header. */
static double exp_pair(struct pair x)
{
    const double one_over_ln2 = 0x1.71547652b82fep+0;
    struct pair rest, head;
    double tail, z, n;
    int64_t whole;

    if (!(x.hi >= EXP_MIN))
        return x.hi < EXP_MIN ? 0.0 : NAN;
    if (x.hi > EXP_MAX)
        return INFINITY;
    whole = round_whole(x.hi * one_over_ln2);
    n = (double)whole;
    rest = sum_exact(x.hi - n * ln2_hi, x.lo - n * ln2_lo);
    z = rest.hi * rest.hi;

    tail = 1.0 / 87178291200; /* 1/14! */
    tail = tail * rest.hi + 1.0 / 6227020800;
    tail = tail * rest.hi + 1.0 / 479001600;
    tail = tail * rest.hi + 1.0 / 39916800;
    tail = tail * rest.hi + 1.0 / 3628800;
    tail = tail * rest.hi + 1.0 / 362880;
    tail = tail * rest.hi + 1.0 / 40320;
    tail = tail * rest.hi + 1.0 / 5040;
    tail = tail * rest.hi + 1.0 / 720;
    tail = tail * rest.hi + 1.0 / 120;
    tail = tail * rest.hi + 1.0 / 24;
    tail = tail * rest.hi + 1.0 / 6;
    tail = tail * rest.hi + 0.5;

    head = sum_exact(1.0, rest.hi);
    return (head.hi + (head.lo + (z * tail + (rest.lo + rest.lo * rest.hi)))) * power_of_two((int)whole);
}

double tr_exp(double x)
{
    return exp_pair((struct pair){x, 0});
}

/* x = 2^*exponent m with m in [sqrt 1/2, sqrt 2], x normal. */
static double split_exponent(double x, int *exponent)
{
    uint64_t bits;
    double m;

    memcpy(&bits, &x, sizeof bits);
    *exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        (*exponent)++;
    }
    return m;
}

/* (m - 1) / (m + 1); m - 1 is exact in this range. */
static struct pair atanh_argument(double m)
{
    double above = m - 1.0, quotient;
    struct pair below = sum_exact(m, 1.0), product;

    quotient = above / below.hi;
    product = product_exact(quotient, below.hi);
    return (struct pair){quotient, (((above - product.hi) - product.lo) - quotient * below.lo) / below.hi};
}

/* atanh s - s = s (s^2/3 + s^4/5 + ... + s^24/25), |s| <= 0.172. The term s^2/3 is carried as a pair: in
 * tr_pow its rounding would be multiplied by up to 700. */
static struct pair atanh_beyond_linear(struct pair s)
{
    const struct pair third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    struct pair square = product_pair(s, s), factor;
    double z = square.hi, tail = 1.0 / 25;

    tail = tail * z + 1.0 / 23;
    tail = tail * z + 1.0 / 21;
    tail = tail * z + 1.0 / 19;
    tail = tail * z + 1.0 / 17;
    tail = tail * z + 1.0 / 15;
    tail = tail * z + 1.0 / 13;
    tail = tail * z + 1.0 / 11;
    tail = tail * z + 1.0 / 9;
    tail = tail * z + 1.0 / 7;
    tail = tail * z + 1.0 / 5;
    factor = sum_exact(third.hi, tail * z);
    factor.lo += third.lo;
    return product_pair(s, product_pair(square, factor));
}

/* log x to about 2^-65 of its value, x normal and > 0. */
static struct pair log_pair(double x)
{
    int exponent;
    double m = split_exponent(x, &exponent), n = exponent;
    struct pair s = atanh_argument(m), beyond = atanh_beyond_linear(s);
    struct pair half_log = sum_exact(s.hi, beyond.hi);
    struct pair whole = sum_exact(n * ln2_hi, 2.0 * half_log.hi);

    return sum_exact(whole.hi, whole.lo + (n * ln2_lo + 2.0 * (half_log.lo + (s.lo + beyond.lo))));
}

double tr_log(double x)
{
    if (!(x >= DBL_MIN && x <= DBL_MAX))
        return NAN;
    return log_pair(x).hi;
}

double tr_pow(double x, double y)
{
    /* |log x| is 0 or at least 2^-53, so a greater |y| leaves the range of exp; a smaller one cannot overflow
     * in a product */
    const double y_max = 0x1p63;
    struct pair logarithm, power;

    if (y == 0 || x == 1)
        return 1.0;
    if (x == 0 && y > 0)
        return 0.0;
    if (!(x >= DBL_MIN && x <= DBL_MAX) || isnan(y))
        return NAN;
    logarithm = log_pair(x);
    if (y > y_max || y < -y_max)
        return (y > 0) == (logarithm.hi > 0) ? INFINITY : 0.0;
    power = product_exact(y, logarithm.hi);
    return exp_pair(sum_exact(power.hi, power.lo + y * logarithm.lo));
}
