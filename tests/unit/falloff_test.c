/* Falloffs (shaders/falloff.h) against their formulas in long double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shaders/falloff.h"

#include <math.h>

#define UNIT 0x1p-24 /* of errors: between floats just below 1 */
#define STEPS 65536

static const char *const names[TR_FALLOFF_COUNT] = {
    "smooth", "smoother", "sphere", "root", "sharp", "pow4", "linear", "inverse-square", "constant"};

/* What falloff.h claims, in UNIT; sharp depends on its power. */
static const double limits[TR_FALLOFF_COUNT] = {1.5, 19.0, 1.5, 0.5, 0.0, 2.0, 0.5, 1.5, 0.0};

static long double exact(uint falloff, uint power, float d)
{
    long double p = 1.0L - (long double)d;

    if (d >= 1.0f)
        return 0.0L;
    switch (falloff) {
    case TR_FALLOFF_SMOOTH:
        return 3 * p * p - 2 * p * p * p;
    case TR_FALLOFF_SMOOTHER:
        return 6 * powl(p, 5) - 15 * powl(p, 4) + 10 * powl(p, 3);
    case TR_FALLOFF_SPHERE:
        return sqrtl(2 * p - p * p);
    case TR_FALLOFF_ROOT:
        return sqrtl(p);
    case TR_FALLOFF_SHARP:
        return powl(p, power);
    case TR_FALLOFF_POW4:
        return powl(p, 4);
    case TR_FALLOFF_LINEAR:
        return p;
    case TR_FALLOFF_INVERSE_SQUARE:
        return p * (2 - p);
    default:
        return 1.0L;
    }
}

static void check(uint falloff, uint power, float d)
{
    float w = tr_falloff(falloff, power, d);
    double error = (double)fabsl((long double)w - exact(falloff, power, d)) / UNIT;
    double limit = falloff == TR_FALLOFF_SHARP ? 0.5 * power : limits[falloff];

    if (error > limit || !(w >= 0.0f && w <= 1.0f))
        fail_msg("%s, power %u, at %a: %a, expected %La, off by %.2f * 2^-24, at most %g", names[falloff],
                 power, (double)d, (double)w, exact(falloff, power, d), error, limit);
}

static void check_everywhere(uint falloff, uint power)
{
    for (int i = 0; i <= STEPS; i++)
        check(falloff, power, (float)i / STEPS);
    for (int exponent = -100; exponent <= -1; exponent++) { /* close to the centre and to the edge */
        float small = tr_from_bits((uint)(exponent + 127) << 23);
        check(falloff, power, small);
        check(falloff, power, 1.0f - small);
    }
}

static void every_falloff_is_as_exact_as_its_comment_claims(void **state)
{
    (void)state;
    for (uint falloff = 0; falloff < TR_FALLOFF_COUNT; falloff++)
        if (falloff != TR_FALLOFF_SHARP)
            check_everywhere(falloff, 0);
}

static void sharp_is_within_n_halves_for_every_power(void **state)
{
    (void)state;
    for (uint power = 2; power <= TR_FALLOFF_POWER_MAX; power++)
        check_everywhere(TR_FALLOFF_SHARP, power);
}

static void every_falloff_is_1_at_the_centre_and_0_from_the_radius_on(void **state)
{
    const float outside[] = {1.0f, 1.0f + 0x1p-23f, 2.0f, 1e6f, 1e15f};

    (void)state;
    for (uint falloff = 0; falloff < TR_FALLOFF_COUNT; falloff++) {
        if (tr_falloff(falloff, 3, 0.0f) != 1.0f)
            fail_msg("%s is %a at the centre, expected 1", names[falloff],
                     (double)tr_falloff(falloff, 3, 0.0f));
        for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
            if (tr_bits(tr_falloff(falloff, TR_FALLOFF_POWER_MAX, outside[i])) != 0)
                fail_msg("%s is %a at %g radii, expected 0", names[falloff],
                         (double)tr_falloff(falloff, TR_FALLOFF_POWER_MAX, outside[i]), (double)outside[i]);
    }
}

static void no_weight_is_subnormal(void **state)
{
    (void)state;
    for (uint power = 2; power <= TR_FALLOFF_POWER_MAX; power++)
        for (int exponent = -24; exponent <= -1; exponent++) {
            float d = 1.0f - tr_from_bits((uint)(exponent + 127) << 23);
            float w = tr_falloff(TR_FALLOFF_SHARP, power, d);
            if (w != 0.0f && w < 0x1p-126f)
                fail_msg("sharp, power %u, at %a is %a, expected 0 or a normal number", power, (double)d,
                         (double)w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_falloff_is_as_exact_as_its_comment_claims),
        cmocka_unit_test(sharp_is_within_n_halves_for_every_power),
        cmocka_unit_test(every_falloff_is_1_at_the_centre_and_0_from_the_radius_on),
        cmocka_unit_test(no_weight_is_subnormal),
    };
    return cmocka_run_group_tests_name("falloff", tests, NULL, NULL);
}
