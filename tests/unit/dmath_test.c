/* sin, cos, exp, log, pow: their error against long double, exact cases, edges, and bits that must be the
 * same everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/dmath.h"
#include "lib/base/hash.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 150000

/* xorshift64 (Marsaglia 2003): the samples are the same in every run */
static uint64_t random_state;

static double random_unit(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

static double random_between(double low, double high)
{
    return low + (high - low) * random_unit();
}

/* The calls are in statements of their own: compilers evaluate the arguments of one call in different orders.
 */
static double random_scaled(double low, double high, int exponent_low, int exponent_high)
{
    double value = random_between(low, high);

    return ldexp(value, (int)random_between(exponent_low, exponent_high));
}

static int seed_random(void **state)
{
    (void)state;
    random_state = 88172645463325252u;
    return 0;
}

struct worst {
    double ulps, x, y;
};

/* floor_error: an absolute error up to this counts as none. */
static void worst_note(struct worst *worst, double got, long double exact, double floor_error, double x,
                       double y)
{
    long double error = fabsl(got - exact);
    double ulps;
    int exponent;

    if (error <= floor_error)
        return;
    frexpl(exact, &exponent);
    ulps = (double)ldexpl(error, DBL_MANT_DIG - exponent);
    if (!(ulps <= worst->ulps))
        *worst = (struct worst){ulps, x, y};
}

static void assert_worst(const char *name, const struct worst *worst, double bound)
{
    print_message("           %s: %.4f ulp, bound %g\n", name, worst->ulps, bound);
    if (!(worst->ulps <= bound))
        fail_msg("%s: %g ulp at x = %a, y = %a, expected at most %g", name, worst->ulps, worst->x, worst->y,
                 bound);
}

/* Where long double is double, there is nothing finer to measure with. */
static void require_long_double(void)
{
    if (LDBL_MANT_DIG < 64)
        skip();
}

static void sin_and_cos_stay_within_their_bound(void **state)
{
    struct worst worst_sin = {0}, worst_cos = {0};

    (void)state;
    require_long_double();
    for (int i = 0; i < SAMPLES; i++) {
        double multiple = (double)(floor(random_between(-667500, 667500)) * 1.57079632679489661923L);
        double near = i & 1 ? multiple : nextafter(multiple, 2e6);
        double any = random_scaled(-1, 1, -20, 21);
        const double samples[] = {any, near};

        for (int s = 0; s < 2; s++) {
            double x = samples[s];

            worst_note(&worst_sin, tr_sin(x), sinl(x), 0x1p-100, x, 0);
            worst_note(&worst_cos, tr_cos(x), cosl(x), 0x1p-100, x, 0);
        }
    }
    assert_worst("sin", &worst_sin, 0.9);
    assert_worst("cos", &worst_cos, 0.9);
}

static void exp_stays_within_its_bound(void **state)
{
    struct worst worst = {0};

    (void)state;
    require_long_double();
    for (int i = 0; i < SAMPLES; i++) {
        double wide = random_between(-708, 709), small = random_between(-1, 1);
        double tiny = ldexp(small, -(int)random_between(0, 60));

        worst_note(&worst, tr_exp(wide), expl(wide), 0, wide, 0);
        worst_note(&worst, tr_exp(small), expl(small), 0, small, 0);
        worst_note(&worst, tr_exp(tiny), expl(tiny), 0, tiny, 0);
    }
    worst_note(&worst, tr_exp(-708), expl(-708), 0, -708, 0);
    worst_note(&worst, tr_exp(709), expl(709), 0, 709, 0);
    assert_worst("exp", &worst, 0.7);
}

static void log_stays_within_its_bound(void **state)
{
    struct worst worst = {0};

    (void)state;
    require_long_double();
    for (int i = 0; i < SAMPLES; i++) {
        double wide = random_scaled(1, 2, -1022, 1023), middle = random_between(0.5, 2);
        double near_one = 1 + random_scaled(-0.5, 0.5, -52, 0);

        worst_note(&worst, tr_log(wide), logl(wide), 0, wide, 0);
        worst_note(&worst, tr_log(middle), logl(middle), 0, middle, 0);
        worst_note(&worst, tr_log(near_one), logl(near_one), 0, near_one, 0);
    }
    worst_note(&worst, tr_log(DBL_MIN), logl(DBL_MIN), 0, DBL_MIN, 0);
    worst_note(&worst, tr_log(DBL_MAX), logl(DBL_MAX), 0, DBL_MAX, 0);
    assert_worst("log", &worst, 0.51);
}

static void pow_stays_within_its_bound(void **state)
{
    struct worst worst = {0};

    (void)state;
    require_long_double();
    for (int i = 0; i < SAMPLES; i++) {
        double x = random_scaled(1, 2, -1022, 1023);
        double y = random_between(-707, 707) / (fabs(tr_log(x)) + 1e-300);
        double unit = random_unit() + 1e-12, sharpness = random_between(0, 16);
        double near_one = 1 + random_scaled(-0.5, 0.5, -40, 0);
        double steep = random_between(-707, 707) / (fabs(tr_log(near_one)) + 1e-17);

        worst_note(&worst, tr_pow(x, y), powl(x, y), 0, x, y);
        worst_note(&worst, tr_pow(unit, sharpness), powl(unit, sharpness), 0, unit, sharpness);
        worst_note(&worst, tr_pow(near_one, steep), powl(near_one, steep), 0, near_one, steep);
    }
    assert_worst("pow", &worst, 0.7);
}

static void assert_double(const char *what, double got, double expected)
{
    if (memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("%s = %a, expected %a", what, got, expected);
}

static void exact_results_are_exact(void **state)
{
    (void)state;
    assert_double("sin 0", tr_sin(0), 0);
    assert_double("cos 0", tr_cos(0), 1);
    assert_double("exp 0", tr_exp(0), 1);
    assert_double("log 1", tr_log(1), 0);
    assert_double("pow 3 2", tr_pow(3, 2), 9);
    assert_double("pow 0.25 0.5", tr_pow(0.25, 0.5), 0.5);
    assert_double("pow 10 15", tr_pow(10, 15), 1e15);
    assert_double("pow 2 -1021", tr_pow(2, -1021), 0x1p-1021);
    for (int base = 1; base <= 30; base++) {
        double product = 1;

        for (int power = 0; product < 0x1p53; power++, product *= base) {
            assert_double("whole power", tr_pow(base, power), product);
            if (base == 1 && power == 100)
                break;
        }
    }
}

static void sin_is_odd_and_cos_is_even(void **state)
{
    (void)state;
    for (int i = 0; i < 10000; i++) {
        double x = random_between(0, 1048576);

        assert_double("sin(-x)", tr_sin(-x), -tr_sin(x));
        assert_double("cos(-x)", tr_cos(-x), tr_cos(x));
    }
}

static void arguments_beyond_the_range_have_stated_results(void **state)
{
    (void)state;
    assert_true(isnan(tr_sin(1048577)));
    assert_true(isnan(tr_cos(-INFINITY)));
    assert_true(isnan(tr_sin(NAN)));
    assert_false(isnan(tr_sin(1048576)));
    assert_double("exp -709", tr_exp(-709), 0);
    assert_double("exp 710", tr_exp(710), INFINITY);
    assert_true(isnan(tr_exp(NAN)));
    assert_true(isnan(tr_log(0)));
    assert_true(isnan(tr_log(-1)));
    assert_true(isnan(tr_log(DBL_MIN / 2)));
    assert_true(isnan(tr_log(INFINITY)));
    assert_double("pow 0 2", tr_pow(0, 2), 0);
    assert_double("pow 0 0", tr_pow(0, 0), 1);
    assert_double("pow 1 1e300", tr_pow(1, 1e300), 1);
    assert_double("pow 2 1e300", tr_pow(2, 1e300), INFINITY);
    assert_double("pow 0.5 1e300", tr_pow(0.5, 1e300), 0);
    assert_double("pow 0.5 -1e300", tr_pow(0.5, -1e300), INFINITY);
    assert_double("pow 10 400", tr_pow(10, 400), INFINITY);
    assert_true(isnan(tr_pow(-8, 2)));
    assert_true(isnan(tr_pow(0, -1)));
    assert_true(isnan(tr_pow(2, NAN)));
}

/* Not a reference value but a fixed one: compilers, flags and processors must not change a bit. */
static void bits_are_the_same_on_every_machine(void **state)
{
    enum { count = 20000 };
    double *results = malloc(5 * count * sizeof *results);
    struct tr_hasher *hasher = tr_hasher_create();
    char text[33];

    (void)state;
    assert_non_null(results);
    assert_non_null(hasher);
    for (int i = 0; i < count; i++) {
        double x = random_between(-1, 1), positive = random_unit() + 0x1p-40;

        results[5 * i] = tr_sin(x * 1048576);
        results[5 * i + 1] = tr_cos(x * 10);
        results[5 * i + 2] = tr_exp(x * 700);
        results[5 * i + 3] = tr_log(positive);
        results[5 * i + 4] = tr_pow(positive, x * 20);
    }
    for (int i = 0; i < 5 * count; i++) {
        uint64_t bits;

        memcpy(&bits, &results[i], sizeof bits);
        tr_hasher_add_u64(hasher, bits);
    }
    tr_hash_text(tr_hasher_done(hasher), text);
    free(results);
    assert_string_equal(text, "50c5e136e087c5124880929d5d5feedc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sin_and_cos_stay_within_their_bound, seed_random),
        cmocka_unit_test_setup(exp_stays_within_its_bound, seed_random),
        cmocka_unit_test_setup(log_stays_within_its_bound, seed_random),
        cmocka_unit_test_setup(pow_stays_within_its_bound, seed_random),
        cmocka_unit_test(exact_results_are_exact),
        cmocka_unit_test_setup(sin_is_odd_and_cos_is_even, seed_random),
        cmocka_unit_test(arguments_beyond_the_range_have_stated_results),
        cmocka_unit_test_setup(bits_are_the_same_on_every_machine, seed_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
