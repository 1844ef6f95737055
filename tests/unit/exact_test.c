/* Exact arithmetic (shaders/exact.h, shaders/surface.h): the errors and ranges that its comments claim, measured against long double.
 *
 * TERRAIN_TEST_FULL=1 takes every mantissa where a sixteenth of them is enough otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shaders/brush.h"
#include "shaders/surface.h"

#include <math.h>
#include <stdlib.h>

#define MANTISSAS (1u << 23)
#define QUARTER_TURN 1.5707963267948966

static uint64_t random_state;

static uint32_t random_u32(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 32);
}

/* In [lo, hi]. */
static int random_int(int lo, int hi)
{
    return lo + (int)(random_u32() % (uint32_t)(hi - lo + 1));
}

static uint32_t mantissa_step(void)
{
    const char *full = getenv("TERRAIN_TEST_FULL");
    return full && strcmp(full, "1") == 0 ? 1 : 16;
}

static float float_of(uint32_t mantissa, int exponent)
{
    return tr_from_bits((uint32_t)(exponent + 127) << 23 | mantissa);
}

/* |found - exact| in units in the last place of a float of the size of exact. */
static double error_ulp(float found, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)found - exact) / ldexpl(1.0L, exponent - 24));
}

static void check_rcp(float x, double *worst)
{
    double error = error_ulp(tr_rcp(x), 1.0L / (long double)x);
    if (error > 1.5)
        fail_msg("tr_rcp(%a) = %a, %.2f ulp off, expected at most 1.5", (double)x, (double)tr_rcp(x), error);
    *worst = error > *worst ? error : *worst;
}

static void rcp_is_within_1_5_ulp_from_2_to_the_minus_100_to_100(void **state)
{
    double worst = 0.0;

    (void)state;
    for (uint32_t m = 0; m < MANTISSAS; m += mantissa_step())
        check_rcp(float_of(m, 0), &worst);
    for (int exponent = -100; exponent <= 100; exponent++)
        for (int i = 0; i < 1000; i++)
            check_rcp(float_of(exponent == 100 ? 0 : random_u32() % MANTISSAS, exponent), &worst);
    /* a claim that is far too careful would be wrong as well */
    assert_true(worst > 1.0);
}

static void check_sqrt(float x)
{
    if (tr_bits(tr_sqrt(x)) != tr_bits(sqrtf(x)))
        fail_msg("tr_sqrt(%a) = %a, expected %a", (double)x, (double)tr_sqrt(x), (double)sqrtf(x));
}

static void sqrt_is_correctly_rounded_for_every_mantissa_and_both_parities(void **state)
{
    (void)state;
    for (int parity = 0; parity < 2; parity++)
        for (uint32_t m = 0; m < MANTISSAS; m += mantissa_step())
            check_sqrt(float_of(m, parity));
}

static void sqrt_is_correctly_rounded_from_2_to_the_minus_80_to_80(void **state)
{
    (void)state;
    for (int exponent = -80; exponent <= 80; exponent++) {
        check_sqrt(float_of(0, exponent));
        for (int i = 0; i < 2000 && exponent < 80; i++)
            check_sqrt(float_of(random_u32() % MANTISSAS, exponent));
    }
}

static void sqrt_of_zero_and_of_less_than_2_to_the_minus_80_is_zero(void **state)
{
    const float small[] = {0.0f, float_of(MANTISSAS - 1, -81), float_of(0, -126)};

    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (tr_bits(tr_sqrt(small[i])) != 0)
            fail_msg("tr_sqrt(%a) = %a, expected 0", (double)small[i], (double)tr_sqrt(small[i]));
}

/* The greater of both errors, which are absolute: what a turn moves a point by, in parts of its distance. */
static double check_sincos(float x)
{
    tr_turn turn = tr_sincos(x);
    double error_s = (double)fabsl(turn.s - sinl((long double)x));
    double error_c = (double)fabsl(turn.c - cosl((long double)x));
    double error = error_s > error_c ? error_s : error_c;

    if (error > 0x1p-23)
        fail_msg("tr_sincos(%a) is (%a, %a), 2^%.2f off, expected at most 2^-23", (double)x, (double)turn.s,
                 (double)turn.c, log2(error));
    return error;
}

static void sine_and_cosine_are_within_2_to_the_minus_23_up_to_8192(void **state)
{
    double worst = 0.0, error;

    (void)state;
    for (int exponent = -40; exponent <= 12; exponent++)
        for (int i = 0; i < 40000; i++) {
            float x = float_of(random_u32() % MANTISSAS, exponent);
            error = check_sincos(i % 2 ? x : -x);
            worst = error > worst ? error : worst;
        }
    for (int quarter = -5214; quarter < 5215;
         quarter++) /* at their ends and in the middle, where they are told apart */
        for (int i = -3; i <= 3; i++) {
            float x = (float)(quarter * QUARTER_TURN);
            check_sincos(quarter == 0 && i < 0 ? -0.0f : tr_from_bits(tr_bits(x) + (uint32_t)i)); /* no NaN */
            x = (float)((quarter + 0.5) * QUARTER_TURN);
            check_sincos(tr_from_bits(tr_bits(x) + (uint32_t)i));
        }
    check_sincos(8192.0f);
    check_sincos(-8192.0f);
    /* a claim that is far too careful would be wrong as well */
    assert_true(worst > 0x1p-23 / 1.25);
}

static void no_turn_is_exact_and_one_beyond_8192_is_that_of_8192(void **state)
{
    (void)state;
    assert_true(tr_bits(tr_sincos(0.0f).s) == 0 && tr_sincos(0.0f).c == 1.0f);
    for (int side = -1; side <= 1; side += 2) {
        tr_turn beyond = tr_sincos((float)side * 1e9f), last = tr_sincos((float)side * 8192.0f);
        assert_memory_equal(&beyond, &last, sizeof last);
    }
}

static void square_residual_is_exact(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        float x = float_of(random_u32() % MANTISSAS, random_int(-20, 20));
        float s = sqrtf(x);
        long double exact =
            (long double)x - (long double)s * (long double)s; /* 48 bits of product fit in 64 */
        if ((long double)tr_square_residual(x, s) != exact)
            fail_msg("residual of %a and %a is %a, expected %La", (double)x, (double)s,
                     (double)tr_square_residual(x, s), exact);
    }
}

static void check_round(float x, float lo, float hi)
{
    long double exact = floorl((long double)x + 0.5L);
    exact = exact < (long double)lo ? (long double)lo : exact > (long double)hi ? (long double)hi : exact;
    if (tr_round_clamped(x, lo, hi) != (int)exact)
        fail_msg("tr_round_clamped(%a, %g, %g) = %d, expected %d", (double)x, (double)lo, (double)hi,
                 tr_round_clamped(x, lo, hi), (int)exact);
}

static void round_takes_halves_up_and_clamps(void **state)
{
    (void)state;
    assert_int_equal(tr_round_clamped(0.5f, -9.0f, 9.0f), 1);
    assert_int_equal(tr_round_clamped(-0.5f, -9.0f, 9.0f), 0);
    assert_int_equal(tr_round_clamped(-1.5f, -9.0f, 9.0f), -1);
    for (int i = -70000; i <= 70000; i++)
        for (int quarter = 0; quarter < 4; quarter++)
            check_round((float)i + 0.25f * (float)quarter, -32767.0f, 32767.0f);
    for (int i = 0; i < 100000; i++) /* 2^22: there x + 1/2 is still exact */
        check_round((float)random_int(-(1 << 23), 1 << 23) * 0.5f, -16777215.0f, 16777215.0f);
}

static void minimum_maximum_and_clamp_agree_with_comparison(void **state)
{
    const float v[] = {-3.5f, -1.0f, 0.0f, 0.25f, 7.0f};

    (void)state;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            assert_true(tr_min(v[i], v[j]) == v[i < j ? i : j]);
            assert_true(tr_max(v[i], v[j]) == v[i > j ? i : j]);
            for (int k = j; k < 5; k++)
                assert_true(tr_clamp(v[i], v[j], v[k]) == v[i < j ? j : i > k ? k : i]);
        }
    assert_true(tr_abs(-2.5f) == 2.5f && tr_abs(2.5f) == 2.5f);
}

static void height_field_is_clamped_to_what_a_sample_holds(void **state)
{
    (void)state;
    assert_int_equal(tr_height_field(3, 700), 68);
    assert_int_equal(tr_height_field(65535, -TR_HEIGHT_MAX), TR_SDF_MAX);
    assert_int_equal(tr_height_field(-65536, TR_HEIGHT_MAX), -TR_SDF_MAX);
    assert_int_equal(tr_height_field(0, TR_SDF_MAX), -TR_SDF_MAX);
    assert_int_equal(tr_height_field(0, -TR_SDF_MAX), TR_SDF_MAX);
}

static void check_crossing(int a, int b)
{
    long double share = 256.0L * abs(a) / (abs(a) + abs(b));
    long double rounded = floorl(share + 0.5L);
    int expected = rounded < 1 ? 1 : rounded > 255 ? 255 : (int)rounded;
    if (tr_crossing(a, b) != expected)
        fail_msg("tr_crossing(%d, %d) = %d, expected %d", a, b, tr_crossing(a, b), expected);
}

static void crossing_is_the_rounded_share_of_the_edge_and_never_an_end(void **state)
{
    (void)state;
    for (int a = 0; a <= 600; a++)
        for (int b = 1; b <= 600; b++) {
            check_crossing(-a, b);
            check_crossing(b, -a);
        }
    for (int i = 0; i < 300000; i++)
        check_crossing(-random_int(0, TR_SDF_MAX), random_int(1, TR_SDF_MAX));
    check_crossing(-TR_SDF_MAX, TR_SDF_MAX);
    check_crossing(-TR_SDF_MAX, 1);
    check_crossing(0, TR_SDF_MAX);
}

/* The direction that a packed normal stands for. */
static void normal_decode(uint packed, long double n[3])
{
    long double u = (int16_t)(packed & 0xffffu) / 32767.0L, v = (int16_t)(packed >> 16) / 32767.0L;
    long double length;

    n[0] = u;
    n[1] = 1.0L - fabsl(u) - fabsl(v);
    n[2] = v;
    if (n[1] < 0) {
        n[0] = (1.0L - fabsl(v)) * (u < 0 ? -1 : 1);
        n[2] = (1.0L - fabsl(u)) * (v < 0 ? -1 : 1);
    }
    length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++)
        n[i] /= length;
}

static double check_normal(int gx, int gy, int gz)
{
    long double n[3], g[3] = {gx, gy, gz}, cross[3], angle;
    long double length = sqrtl(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);

    normal_decode(tr_octahedral(gx, gy, gz), n);
    for (int i = 0; i < 3; i++)
        cross[i] = n[(i + 1) % 3] * g[(i + 2) % 3] - n[(i + 2) % 3] * g[(i + 1) % 3];
    angle = atan2l(sqrtl(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]),
                   n[0] * g[0] + n[1] * g[1] + n[2] * g[2]);
    if (angle > 7e-5L)
        fail_msg("normal of (%d, %d, %d) is off by %.3Lg radians, of length %.3Lg, expected at most 7e-5", gx,
                 gy, gz, angle, length);
    return (double)angle;
}

static void octahedral_normal_is_within_7e_5_radians(void **state)
{
    double worst = 0.0;
    const int ranges[] = {3, 100, 65535, TR_HEIGHT_MAX};

    (void)state;
    for (int i = 0; i < 400000; i++) {
        int range = ranges[i % 4];
        int g[3];
        do {
            for (int k = 0; k < 3; k++)
                g[k] = random_int(-range, range);
        } while (g[0] == 0 && g[1] == 0 && g[2] == 0);
        double angle = check_normal(g[0], g[1], g[2]);
        worst = angle > worst ? angle : worst;
    }
    assert_true(worst > 4e-5);
}

static void octahedral_normal_of_an_axis_is_exact(void **state)
{
    (void)state;
    assert_int_equal(tr_octahedral(0, 5, 0), 0);
    assert_int_equal(tr_octahedral(77, 0, 0), 32767);
    assert_int_equal(tr_octahedral(-77, 0, 0), (uint)-32767 & 0xffffu);
    assert_int_equal(tr_octahedral(0, 0, 77), 32767u << 16);
    assert_int_equal(tr_octahedral(0, 0, -77), (uint)-32767 << 16);
    assert_int_equal(tr_octahedral(0, -9, 0), 32767u | 32767u << 16);
}

static void normal_without_gradient_is_the_edge_from_solid_to_air(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++)
        for (int solid = 0; solid < 2; solid++) {
            int along = solid ? 1 : -1;
            uint expected =
                tr_octahedral(axis == 0 ? along : 0, axis == 1 ? along : 0, axis == 2 ? along : 0);
            /* opposite gradients cancel in the middle of the edge */
            assert_int_equal(tr_normal(6, -8, 2, -6, 8, -2, 128, axis, solid != 0), expected);
        }
}

static void gradient_is_interpolated_exactly(void **state)
{
    (void)state;
    assert_int_equal(tr_gradient(65534, 65534, 1), 65534 * 256);
    assert_int_equal(tr_gradient(-65534, 65534, 255), -65534 + 65534 * 255);
    for (int i = 0; i < 10000; i++) {
        int g0 = random_int(-65534, 65534), g1 = random_int(-65534, 65534), t = random_int(1, 255);
        assert_int_equal(tr_gradient(g0, g1, t), 256 * g0 + (g1 - g0) * t);
    }
}

/* One step of smoothing at full weight: half a unit of rounding, and float rounding of a step of the given size. */
static void laplacian_step_is_rounded_once(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        tr_edit_slot slot = {.op = TR_SLOT_SMOOTH, .falloff = TR_FALLOFF_CONSTANT, .radius = 1.0f / 64.0f};
        int height = random_int(-(1 << 20), 1 << 20), spread = 1 << random_int(0, 18);
        int sum = 4 * height + random_int(-spread, spread);
        long double exact, error;
        slot.strength = (float)random_int(1, 1024) / 1024.0f;
        exact = (long double)height + (long double)slot.strength * (sum - 4 * height) / 4.0L;
        error = fabsl(tr_brush_smooth(slot, 0, 0, height, sum) - exact);
        if (error > 0.5L + spread * 0x1p-24L)
            fail_msg("height %d, sum %d, lambda %g: %d, expected %.4Lf", height, sum, (double)slot.strength,
                     tr_brush_smooth(slot, 0, 0, height, sum), exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rcp_is_within_1_5_ulp_from_2_to_the_minus_100_to_100),
        cmocka_unit_test(sqrt_is_correctly_rounded_for_every_mantissa_and_both_parities),
        cmocka_unit_test(sqrt_is_correctly_rounded_from_2_to_the_minus_80_to_80),
        cmocka_unit_test(sqrt_of_zero_and_of_less_than_2_to_the_minus_80_is_zero),
        cmocka_unit_test(sine_and_cosine_are_within_2_to_the_minus_23_up_to_8192),
        cmocka_unit_test(no_turn_is_exact_and_one_beyond_8192_is_that_of_8192),
        cmocka_unit_test(square_residual_is_exact),
        cmocka_unit_test(round_takes_halves_up_and_clamps),
        cmocka_unit_test(minimum_maximum_and_clamp_agree_with_comparison),
        cmocka_unit_test(height_field_is_clamped_to_what_a_sample_holds),
        cmocka_unit_test(crossing_is_the_rounded_share_of_the_edge_and_never_an_end),
        cmocka_unit_test(octahedral_normal_is_within_7e_5_radians),
        cmocka_unit_test(octahedral_normal_of_an_axis_is_exact),
        cmocka_unit_test(normal_without_gradient_is_the_edge_from_solid_to_air),
        cmocka_unit_test(gradient_is_interpolated_exactly),
        cmocka_unit_test(laplacian_step_is_rounded_once),
    };
    return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}
