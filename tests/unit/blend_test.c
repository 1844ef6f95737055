/* Blends (shaders/blend.h) against their formulas in double, which EDITS.md states, and what may be left out of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shaders/blend.h"

#include <math.h>

#define ROUNDS 400000

static const char *const names[] = {"hard", "smooth", "chamfer", "stairs"};

static uint64_t random_state = 1;

static double random_in(double lo, double hi)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * ((double)(random_state >> 11) * 0x1p-53);
}

/* A blend and its numbers as a slot or code holds them, and as they are meant. */
struct blend {
    uint kind;
    int steps;
    double width;
    float k, a, b;
};

static struct blend blend_make(uint kind, double width, int steps)
{
    struct blend blend = {.kind = kind, .steps = steps, .width = kind == TR_BLEND_HARD ? 0.0 : width};

    blend.k = (float)blend.width;
    if (kind == TR_BLEND_SMOOTH)
        blend.a = (float)(1.0 / (4.0 * width));
    if (kind == TR_BLEND_STAIRS) {
        blend.a = (float)(width / steps);
        blend.b = (float)(1.0 / (2.0 * width / steps));
    }
    return blend;
}

/* Widths from a thousandth of a unit to the greatest with the ground. */
static struct blend random_blend(uint kind)
{
    float width = (float)(4096.0 * pow(10.0, random_in(-6.0, 0.0)));
    return blend_make(kind, (double)width, (int)random_in(2.0, 65.0));
}

static double random_distance(void)
{
    double size = pow(10.0, random_in(-2.0, 4.5));
    return (double)(float)random_in(-size, size);
}

static float found(const struct blend *blend, double x, double y)
{
    return tr_blend_min(blend->kind, blend->k, blend->a, blend->b, (float)x, (float)y);
}

static double positive_remainder(double x, double period)
{
    double rest = fmod(x, period);
    return rest < 0.0 ? rest + period : rest;
}

static double formula(const struct blend *blend, double x, double y)
{
    double k = blend->width, least = fmin(x, y);

    if (blend->kind == TR_BLEND_SMOOTH) {
        double e = fmax(k - fabs(x - y), 0.0);
        return least - e * e / (4.0 * k);
    }
    if (blend->kind == TR_BLEND_CHAMFER)
        return fmin(least, (x + y - k) / sqrt(2.0));
    if (blend->kind == TR_BLEND_STAIRS) {
        double s = k / blend->steps, t = positive_remainder(y - k - x + s, 2.0 * s) - s;
        return fmin(least, (x + y - k + fabs(t)) / 2.0);
    }
    return least;
}

/* What rounding of the sums may make; stairs add up to a rounding of the period for each turn. */
static double tolerance(const struct blend *blend, double x, double y)
{
    double size = fabs(x) + fabs(y) + blend->width;
    return size * (blend->kind == TR_BLEND_STAIRS ? 0x1p-21 : 0x1p-22);
}

/* y near x half of the time, where blends differ from the minimum. */
static void random_pair(const struct blend *blend, double *x, double *y)
{
    *x = random_distance();
    *y = random_in(0.0, 1.0) < 0.5 ? random_distance()
                                   : (double)(float)(*x + blend->width * random_in(-1.5, 1.5));
}

static void every_blend_is_its_formula_but_for_rounding(void **state)
{
    (void)state;
    for (uint kind = TR_BLEND_HARD; kind <= TR_BLEND_STAIRS; kind++)
        for (int i = 0; i < ROUNDS; i++) {
            struct blend blend = random_blend(kind);
            double x, y, expected;
            random_pair(&blend, &x, &y);
            expected = formula(&blend, x, y);
            if (fabs((double)found(&blend, x, y) - expected) > tolerance(&blend, x, y))
                fail_msg("%s of width %g, %d steps, of %g and %g: %.9g, expected %.9g", names[kind],
                         blend.width, blend.steps, x, y, (double)found(&blend, x, y), expected);
        }
}

static void formulas_differ_from_each_other(void **state)
{
    (void)state;
    for (uint kind = TR_BLEND_SMOOTH; kind <= TR_BLEND_STAIRS; kind++) {
        struct blend hard = blend_make(TR_BLEND_HARD, 0, 4), blend = blend_make(kind, 512, 4);
        assert_true(found(&hard, 30, 40) - found(&blend, 30, 40) > 100.0f);
    }
    /* in the corner where both are 0: a quarter of the width, 1 / sqrt 2 of it, half of it */
    for (uint kind = TR_BLEND_SMOOTH; kind <= TR_BLEND_STAIRS; kind++) {
        const double depths[] = {0, 0.25, sqrt(0.5), 0.5};
        struct blend blend = blend_make(kind, 1024, 4);
        if (fabs((double)found(&blend, 0, 0) + 1024 * depths[kind]) > 0.01)
            fail_msg("%s of width 1024 of 0 and 0: %.9g, expected %g", names[kind],
                     (double)found(&blend, 0, 0), -1024 * depths[kind]);
    }
}

static void swapped_operands_give_the_same_but_for_rounding(void **state)
{
    (void)state;
    for (uint kind = TR_BLEND_HARD; kind <= TR_BLEND_STAIRS; kind++)
        for (int i = 0; i < ROUNDS; i++) {
            struct blend blend = random_blend(kind);
            double x, y, there, back;
            random_pair(&blend, &x, &y);
            there = (double)found(&blend, x, y);
            back = (double)found(&blend, y, x);
            if (fabs(there - back) > 2.0 * tolerance(&blend, x, y) ||
                (kind != TR_BLEND_STAIRS && there != back)) /* the other three to the bit */
                fail_msg("%s of width %g of %g and %g: %.9g, swapped %.9g", names[kind], blend.width, x, y,
                         there, back);
        }
}

static void no_blend_is_above_the_minimum(void **state)
{
    (void)state;
    for (uint kind = TR_BLEND_HARD; kind <= TR_BLEND_STAIRS; kind++)
        for (int i = 0; i < ROUNDS; i++) {
            struct blend blend = random_blend(kind);
            double x, y;
            random_pair(&blend, &x, &y);
            if ((double)found(&blend, x, y) > fmin(x, y))
                fail_msg("%s of width %g of %g and %g: %.9g, above the minimum", names[kind], blend.width, x,
                         y, (double)found(&blend, x, y));
        }
}

/* The least x, as a float, from which on blend.h says that the blend is y. */
static float cut_of(const struct blend *blend, double y)
{
    double k = blend->width, cut = y;
    float x;

    if (blend->kind == TR_BLEND_SMOOTH || blend->kind == TR_BLEND_STAIRS)
        cut = y + k;
    if (blend->kind == TR_BLEND_CHAMFER)
        cut = fmax(y, (sqrt(2.0) - 1.0) * y + k);
    if (blend->kind == TR_BLEND_CHAMFER || blend->kind == TR_BLEND_STAIRS)
        cut += 1.000001 * 0x1p-22 * (fabs(cut) + fabs(y) + k);
    x = (float)cut;
    return (double)x < cut ? nextafterf(x, INFINITY) : x;
}

static void far_operands_leave_the_other_bit_for_bit(void **state)
{
    (void)state;
    for (uint kind = TR_BLEND_HARD; kind <= TR_BLEND_STAIRS; kind++)
        for (int i = 0; i < ROUNDS; i++) {
            struct blend blend = random_blend(kind);
            double y = random_distance();
            float x = cut_of(&blend, y), m;
            if (i % 2 == 1)
                x += (float)pow(10.0, random_in(-3.0, 5.0));
            m = found(&blend, (double)x, y);
            if (tr_bits(m) != tr_bits((float)y))
                fail_msg("%s of width %g of %a and %a: %a, expected the latter", names[kind], blend.width,
                         (double)x, y, (double)m);
        }
}

/* ... and near ones matter: three quarters of the width closer, past the last terrace of two steps, the blend is less than y. */
static void near_operands_do_not(void **state)
{
    (void)state;
    for (uint kind = TR_BLEND_SMOOTH; kind <= TR_BLEND_STAIRS; kind++)
        for (int i = 0; i < 1000; i++) {
            struct blend blend = blend_make(kind, random_in(10, 4000), 2);
            double y = random_in(-1000, 1000);
            float x = cut_of(&blend, y) - 0.75f * blend.k;
            if (!((double)found(&blend, (double)x, y) < y))
                fail_msg("%s of width %g of %g and %g is %.9g, expected less", names[kind], blend.width,
                         (double)x, y, (double)found(&blend, (double)x, y));
        }
}

/* Terraces: along the join the stairs are level and steep in turn, `steps` of them. */
static void stairs_have_as_many_steps_as_they_say(void **state)
{
    (void)state;
    for (int steps = 2; steps <= 64; steps++) {
        struct blend blend = blend_make(TR_BLEND_STAIRS, 2048, steps);
        int changes = 0, direction = 0;
        /* from one solid's surface to the other's, the distance from both along the diagonal */
        for (int i = 1; i < 4096; i++) {
            double gap = -2048.0 + i, x = 1024.0 + gap / 2.0, y = 1024.0 - gap / 2.0;
            double rise = (double)found(&blend, x, y) -
                          (double)found(&blend, 1024.0 + (gap - 1) / 2.0, 1024.0 - (gap - 1) / 2.0);
            int now = rise > 0.25 ? 1 : rise < -0.25 ? -1 : direction;
            changes += now != direction;
            direction = now;
        }
        if (changes < 2 * steps - 2 || changes > 2 * steps + 2)
            fail_msg("%d steps turn %d times, expected about %d", steps, changes, 2 * steps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_blend_is_its_formula_but_for_rounding),
        cmocka_unit_test(formulas_differ_from_each_other),
        cmocka_unit_test(swapped_operands_give_the_same_but_for_rounding),
        cmocka_unit_test(no_blend_is_above_the_minimum),
        cmocka_unit_test(far_operands_leave_the_other_bit_for_bit),
        cmocka_unit_test(near_operands_do_not),
        cmocka_unit_test(stairs_have_as_many_steps_as_they_say),
    };
    return cmocka_run_group_tests_name("blend", tests, NULL, NULL);
}
