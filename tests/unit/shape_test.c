/* Round shapes (shaders/shape.h): distances against long double, what a shape does to a sample, and lib/edit's loops against the scalar
 * functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/edit/apply.h"
#include "shaders/shape.h"

#include <math.h>
#include <stdlib.h>

#define BAND 16.0 /* voxels beyond a shape that it may still change, blends apart */

static void (*const apply_volume[])(const uint32_t *, const tr_edit_slot *,
                                    int16_t *) = TR_ISA_TABLE(tr_apply_volume);

static uint64_t random_state = 1;

static double random_unit(void) /* in [0, 1) */
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) * 0x1p-53;
}

static double random_in(double lo, double hi)
{
    return lo + (hi - lo) * random_unit();
}

/* A capsule from a to b (a sphere where they are equal), or the endless line through them, in the frame of a block. */
struct capsule {
    double a[3], b[3], radius;
    bool endless;
};

/* With the ground: a blend of that width in voxels, stairs of 4 steps. */
static tr_edit_slot slot_of(const struct capsule *capsule, uint op, uint blend, double width)
{
    tr_edit_slot slot = {.op = op, .hi_x = 63, .hi_y = 63, .hi_z = 63};
    double u[3] = {0, 0, 0}, c[3], length = 0, s = 0, cc = 0, units = width * TR_UNITS;

    for (int i = 0; i < 3; i++)
        length += (capsule->b[i] - capsule->a[i]) * (capsule->b[i] - capsule->a[i]);
    length = sqrt(length);
    for (int i = 0; i < 3 && length > 0; i++)
        u[i] = (capsule->b[i] - capsule->a[i]) / length;
    for (int i = 0; i < 3; i++)
        s -= capsule->a[i] * u[i];
    if (!capsule->endless)
        s = s < 0 ? 0 : s > length ? length : s;
    for (int i = 0; i < 3; i++) {
        c[i] = capsule->a[i] + s * u[i];
        cc += c[i] * c[i];
    }
    slot.cx = (float)c[0];
    slot.cy = (float)c[1];
    slot.cz = (float)c[2];
    slot.ux = (float)u[0];
    slot.uy = (float)u[1];
    slot.uz = (float)u[2];
    slot.t0 = capsule->endless ? -TR_ROUND_ENDLESS : (float)-s;
    slot.t1 = capsule->endless ? TR_ROUND_ENDLESS : (float)(length - s);
    slot.radius = (float)capsule->radius;
    slot.form = capsule->radius >= (double)TR_SHAPE_LARGE_RADIUS ? TR_FORM_ROUND_LARGE : TR_FORM_ROUND;
    slot.k0 = (float)(cc - capsule->radius * capsule->radius);
    slot.reach = (float)(BAND + width);
    slot.blend = blend;
    slot.blend_k = (float)units;
    if (blend == TR_BLEND_SMOOTH)
        slot.blend_a = (float)(1.0 / (4.0 * units));
    if (blend == TR_BLEND_STAIRS) {
        slot.blend_a = (float)(units / 4.0);
        slot.blend_b = (float)(1.0 / (2.0 * units / 4.0));
    }
    return slot;
}

static long double exact_distance(const struct capsule *capsule, int x, int y, int z)
{
    long double p[3] = {x, y, z}, along = 0, length2 = 0, d2 = 0, s;

    for (int i = 0; i < 3; i++) {
        long double ab = (long double)capsule->b[i] - capsule->a[i];
        along += (p[i] - capsule->a[i]) * ab;
        length2 += ab * ab;
    }
    s = length2 > 0 ? along / length2 : 0;
    if (!capsule->endless)
        s = s < 0 ? 0 : s > 1 ? 1 : s;
    for (int i = 0; i < 3; i++) {
        long double v = p[i] - capsule->a[i] - s * ((long double)capsule->b[i] - capsule->a[i]);
        d2 += v * v;
    }
    return sqrtl(d2) - capsule->radius;
}

static void random_direction(double u[3])
{
    double length;
    do {
        for (int i = 0; i < 3; i++)
            u[i] = random_in(-1, 1);
        length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    } while (length < 0.1 || length > 1);
    for (int i = 0; i < 3; i++)
        u[i] /= length;
}

/* One whose surface passes through the block. */
static struct capsule random_capsule(double radius, double length)
{
    struct capsule capsule = {.radius = radius};
    double out[3], u[3], share = random_unit();

    random_direction(out);
    random_direction(u);
    for (int i = 0; i < 3;
         i++) { /* along the axis is at right angles to outwards, else the surface is elsewhere */
        double dot = u[0] * out[0] + u[1] * out[1] + u[2] * out[2];
        u[i] -= dot * out[i];
    }
    for (int i = 0; i < 3; i++) {
        double middle = random_in(0, 63) - radius * out[i];
        capsule.a[i] = middle - share * length * u[i];
        capsule.b[i] = middle + (1 - share) * length * u[i];
    }
    return capsule;
}

static double worst_distance_error(double radius, double length, bool endless)
{
    double worst = 0;

    for (int shape = 0; shape < 60; shape++) {
        struct capsule capsule = random_capsule(radius, length);
        capsule.endless = endless;
        tr_edit_slot slot = slot_of(&capsule, TR_SLOT_UNION, TR_BLEND_HARD, 0);
        for (int i = 0; i < 2000; i++) {
            int x = (int)random_in(0, 64), y = (int)random_in(0, 64), z = (int)random_in(0, 64);
            long double exact = exact_distance(&capsule, x, y, z);
            double error = (double)fabsl((long double)tr_slot_round_distance(slot, x, y, z) - exact);
            if (fabsl(exact) <= 2 * BAND && error > worst)
                worst = error;
        }
    }
    return worst;
}

static void check_distances(const double *radii, size_t count, double limit)
{
    const double lengths[] = {0, 0.5, 40, 1000, 150000, 30}; /* the last one goes on beyond its ends */

    for (size_t r = 0; r < count; r++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            bool endless = l == sizeof lengths / sizeof *lengths - 1;
            double worst = worst_distance_error(radii[r], lengths[l], endless);
            if (worst > limit)
                fail_msg("radius %g, length %g%s: off by 1/%.0f voxel, expected at most 1/%.0f", radii[r],
                         lengths[l], endless ? ", endless" : "", 1 / worst, 1 / limit);
        }
}

static void distance_is_within_a_2048th_of_a_voxel_up_to_radius_1024(void **state)
{
    const double radii[] = {0.1, 1, 5, 33.3, 250, 700, 1023.9};
    (void)state;
    check_distances(radii, sizeof radii / sizeof *radii, 1.0 / 2048);
}

static void distance_is_within_a_1024th_of_a_voxel_up_to_radius_100000(void **state)
{
    const double radii[] = {1024, 2000, 9999.9, 31000, 99999.9, 100000};
    (void)state;
    check_distances(radii, sizeof radii / sizeof *radii, 1.0 / 1024);
}

static void sphere_at_a_lattice_point_is_exact_along_the_axes(void **state)
{
    struct capsule sphere = {{20, 20, 20}, {20, 20, 20}, 7, false};
    tr_edit_slot slot = slot_of(&sphere, TR_SLOT_UNION, TR_BLEND_HARD, 0);

    (void)state;
    for (int i = 0; i < 43; i++) {
        assert_true(tr_slot_round_distance(slot, 20 + i, 20, 20) == (float)(i - 7));
        assert_true(tr_slot_round_distance(slot, 20, 20 + i, 20) == (float)(i - 7));
        assert_true(tr_slot_round_distance(slot, 20, 20, 20 + i) == (float)(i - 7));
    }
}

static long double positive_remainder(long double x, long double period)
{
    long double rest = fmodl(x, period);
    return rest < 0 ? rest + period : rest;
}

/* The union of EDITS.md, in units. */
static long double exact_union(uint blend, long double k, long double a, long double b)
{
    long double least = a < b ? a : b;

    if (blend == TR_BLEND_SMOOTH) {
        long double e = k - fabsl(a - b);
        return e > 0 ? least - e * e / (4 * k) : least;
    }
    if (blend == TR_BLEND_CHAMFER)
        return fminl(least, (a + b - k) / sqrtl(2));
    if (blend == TR_BLEND_STAIRS) {
        long double s = k / 4, t = positive_remainder(b - k - a + s, 2 * s) - s;
        return fminl(least, (a + b - k + fabsl(t)) / 2);
    }
    return least;
}

/* The sample after a shape within its reach, by the formulas of EDITS.md. */
static long double exact_sample(const tr_edit_slot *slot, long double distance, int stored)
{
    long double d = distance * TR_UNITS, k = slot->blend_k, m;

    if (slot->op == TR_SLOT_UNION)
        m = exact_union(slot->blend, k, stored, d);
    else if (slot->op == TR_SLOT_SUBTRACT)
        m = -exact_union(slot->blend, k, -stored, d);
    else
        m = -exact_union(slot->blend, k, -stored, -d);
    return m < -TR_SDF_MAX ? -TR_SDF_MAX : m > TR_SDF_MAX ? TR_SDF_MAX : m;
}

static int scalar_join(const tr_edit_slot *slot, int x, int y, int z, int stored)
{
    return tr_shape_join(*slot, tr_slot_round_distance(*slot, x, y, z), stored);
}

static tr_edit_slot random_slot(int i, const struct capsule *capsule)
{
    const uint ops[] = {TR_SLOT_UNION, TR_SLOT_SUBTRACT, TR_SLOT_INTERSECT};
    uint blend = (uint)i % 4u;

    return slot_of(capsule, ops[i / 4 % 3], blend, blend == TR_BLEND_HARD ? 0 : random_in(0.01, 16));
}

static void join_is_the_blend_of_the_ground_and_the_shape_within_the_reach(void **state)
{
    (void)state;
    for (int shape = 0; shape < 480; shape++) {
        struct capsule capsule = random_capsule(random_in(1, 60), shape % 5 ? random_in(0, 100) : 0);
        tr_edit_slot slot = random_slot(shape, &capsule);
        for (int i = 0; i < 500; i++) {
            int x = (int)random_in(0, 64), y = (int)random_in(0, 64), z = (int)random_in(0, 64);
            int stored = (int)random_in(-9000, 9000);
            long double distance = exact_distance(&capsule, x, y, z);
            long double away = slot.op == TR_SLOT_INTERSECT ? -distance : distance;
            int found = scalar_join(&slot, x, y, z, stored);
            if (away > (long double)slot.reach + 0.001L) {
                if (found != stored)
                    fail_msg("%.3Lf voxels away from operation %u of reach %g: %d became %d", away, slot.op,
                             (double)slot.reach, stored, found);
            } else if (away < (long double)slot.reach - 0.001L) {
                long double exact = exact_sample(&slot, distance, stored);
                if (fabsl(found - exact) > 0.5L + 0.15L) /* rounding once, and 1/8 unit of distance */
                    fail_msg("operation %u, blend %u of %g, distance %.4Lf, stored %d: %d, expected %.3Lf",
                             slot.op, slot.blend, (double)slot.blend_k, distance, stored, found, exact);
            }
        }
    }
}

static void hard_edits_keep_what_they_do_not_win(void **state)
{
    struct capsule sphere = {{32, 32, 32}, {32, 32, 32}, 10, false};
    tr_edit_slot add = slot_of(&sphere, TR_SLOT_UNION, TR_BLEND_HARD, 0);
    tr_edit_slot cut = slot_of(&sphere, TR_SLOT_SUBTRACT, TR_BLEND_HARD, 0);
    tr_edit_slot keep = slot_of(&sphere, TR_SLOT_INTERSECT, TR_BLEND_HARD, 0);

    (void)state;
    for (int x = 0; x < 64; x++)
        for (int stored = -TR_SDF_MAX; stored <= TR_SDF_MAX; stored += 4681) {
            assert_true(scalar_join(&add, x, 32, 32, stored) <= stored);
            assert_true(scalar_join(&cut, x, 32, 32, stored) >= stored);
            assert_true(scalar_join(&keep, x, 32, 32, stored) >= stored);
        }
    assert_int_equal(scalar_join(&add, 32, 32, 32, 5000), -2560);
    assert_int_equal(scalar_join(&cut, 32, 32, 32, -5000), 2560);
    assert_int_equal(scalar_join(&add, 32, 32, 32, -5000), -5000);
    assert_int_equal(scalar_join(&keep, 32, 32, 32, -5000), -2560);
    assert_int_equal(scalar_join(&keep, 52, 32, 32, -5000), 2560); /* outside everything goes, however far */
    assert_int_equal(scalar_join(&keep, 0, 0, 0, -5000), 11629);
}

static void random_span(int *lo, int *hi)
{
    int a = (int)random_in(0, 64), b = (int)random_in(0, 64);
    *lo = a < b ? a : b;
    *hi = a < b ? b : a;
}

static int16_t before[TR_BLOCK_SAMPLES], after[TR_BLOCK_SAMPLES];

static void check_block(const tr_edit_slot *slot, int level)
{
    for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
        after[i] = before[i] = (int16_t)random_in(-9000, 9000);
    apply_volume[level](NULL, slot, after);
    for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
        int x = i % 64, z = i / 64 % 64, y = i / 4096;
        int expected = tr_slot_covers(*slot, x, y, z) ? scalar_join(slot, x, y, z, before[i]) : before[i];
        if (after[i] != expected)
            fail_msg("%s, operation %u, blend %u, radius %g, box (%d, %d, %d) to (%d, %d, %d), sample (%d, "
                     "%d, %d): "
                     "%d, expected %d",
                     tr_isa_name(level), slot->op, slot->blend, (double)slot->radius, slot->lo_x, slot->lo_y,
                     slot->lo_z, slot->hi_x, slot->hi_y, slot->hi_z, x, y, z, after[i], expected);
    }
}

/* Every operation with every blend and both forms of the distance, in boxes of all kinds; a few too small to be seen whole. */
static void blocks_equal_the_scalar_functions_within_the_box_and_stay_outside_it(void **state)
{
    const double radii[] = {3, 40, 5000, 0.4, 99000};

    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int i = 0; i < 60; i++) {
            struct capsule capsule = random_capsule(radii[i % 5], i % 2 ? 70 : 0);
            tr_edit_slot slot = random_slot(i, &capsule);
            if (i % 6 > 0) {
                random_span(&slot.lo_x, &slot.hi_x);
                random_span(&slot.lo_y, &slot.hi_y);
                random_span(&slot.lo_z, &slot.hi_z);
            }
            if (i % 6 == 1)
                slot.lo_x = slot.hi_x;
            check_block(&slot, level);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_within_a_2048th_of_a_voxel_up_to_radius_1024),
        cmocka_unit_test(distance_is_within_a_1024th_of_a_voxel_up_to_radius_100000),
        cmocka_unit_test(sphere_at_a_lattice_point_is_exact_along_the_axes),
        cmocka_unit_test(join_is_the_blend_of_the_ground_and_the_shape_within_the_reach),
        cmocka_unit_test(hard_edits_keep_what_they_do_not_win),
        cmocka_unit_test(blocks_equal_the_scalar_functions_within_the_box_and_stay_outside_it),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
