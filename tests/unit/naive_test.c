/* The judge judged: the naive replay and its oracle against numbers worked out by hand, and the double check
 * over random logs. */
#include "tests/naive/oracle.h"
#include "tests/support/log_gen.h"
#include "tests/support/test.h"

#include <math.h>

#define SIDE 65 /* samples of a world of one chunk */

/* One chunk, flat at `height` units, rows -1..0. */
static struct naive_world flat_world(int height)
{
    static int32_t heights[SIDE * SIDE];
    for (size_t i = 0; i < SIDE * SIDE; i++)
        heights[i] = height;
    struct naive_world world;
    assert_true(naive_world_init(&world, 1, 1, -1, 0, heights));
    return world;
}

static void assert_near(double found, double expected, double epsilon)
{
    if (!(fabs(found - expected) <= epsilon))
        fail_msg("found %.17g, expected %.17g within %g", found, expected, epsilon);
}

static void replay(struct naive_world *world, const struct naive_edit *edits, size_t count)
{
    struct naive_report report;
    if (!naive_replay(world, edits, count, &report))
        fail_msg("edit %zu at %d %d %d: found %g, expected %g", report.edit, report.x, report.y, report.z,
                 report.found, report.expected);
}

static void oracle_falloffs_have_their_known_values_at_half_the_radius(void **state)
{
    (void)state;
    static const struct {
        enum naive_falloff falloff;
        double expected;
    } cases[] = {
        {NAIVE_FALLOFF_SMOOTH, 0.5},
        {NAIVE_FALLOFF_SMOOTHER, 0.5},
        {NAIVE_FALLOFF_SPHERE, 0.86602540378443865},
        {NAIVE_FALLOFF_ROOT, 0.70710678118654752},
        {NAIVE_FALLOFF_SHARP, 0.125},
        {NAIVE_FALLOFF_POW4, 0.0625},
        {NAIVE_FALLOFF_LINEAR, 0.5},
        {NAIVE_FALLOFF_INVERSE_SQUARE, 0.75},
        {NAIVE_FALLOFF_CONSTANT, 1.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_near(oracle_falloff(cases[i].falloff, 3, 0.5), cases[i].expected, 1e-15);
        assert_near(oracle_falloff(cases[i].falloff, 3, 0.0), 1.0, 0.0);
        assert_near(oracle_falloff(cases[i].falloff, 3, 1.0), 0.0, 0.0);
    }
    assert_near(oracle_falloff(NAIVE_FALLOFF_SHARP, 16, 0.5), 0x1p-16, 1e-20);
}

static void oracle_smin_dips_by_a_quarter_of_its_width_where_both_are_equal(void **state)
{
    (void)state;
    assert_near(oracle_smin(3.0, 3.0, 8.0), 1.0, 1e-15);
    assert_near(oracle_smin(0.0, 4.0, 8.0), -0.5, 1e-15); /* h = 4, 16/32 */
    assert_near(oracle_smin(4.0, 0.0, 8.0), -0.5, 1e-15);
    assert_near(oracle_smin(-1.0, 7.0, 8.0), -1.0, 1e-15);
    assert_near(oracle_smin(2.0, -5.0, 0.0), -5.0, 0.0);
}

static void oracle_capsule_is_round_at_its_ends(void **state)
{
    (void)state;
    struct naive_edit capsule = {
        .op = NAIVE_UNION, .capsule = true, .radius = 2.0, .a = {0, 0, 0}, .b = {10, 0, 0}};
    assert_near(oracle_shape_distance(&capsule, 5, 5, 0), 3.0, 1e-14);
    assert_near(oracle_shape_distance(&capsule, 13, 4, 0), 3.0, 1e-14);
    assert_near(oracle_shape_distance(&capsule, -3, 0, -4), 3.0, 1e-14);
    assert_near(oracle_shape_distance(&capsule, 4, 0, 0), -2.0, 1e-14);
}

static void raise_linear_is_a_cone(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_edit edit = {
        .op = NAIVE_RAISE, .falloff = NAIVE_FALLOFF_LINEAR, .a = {32, 0, 30}, .radius = 4.0, .strength = 1.0};
    replay(&world, &edit, 1);
    static const int expected[] = {0, 64, 128, 192, 256, 192, 128, 64, 0};
    for (int i = 0; i < 9; i++) {
        assert_int_equal(naive_height(&world, 28 + i, 30), expected[i]);
        assert_int_equal(naive_height(&world, 32, 26 + i), expected[i]);
        assert_int_equal(naive_field(&world, 28 + i, -3, 30), -3 * 256 - expected[i]);
    }
    assert_int_equal(naive_height(&world, 33, 31), 165); /* 256 (1 - sqrt(2)/4) = 165.49 */
    naive_world_release(&world);
}

static void heights_saturate_at_their_limits(void **state)
{
    (void)state;
    struct naive_edit edit = {.op = NAIVE_RAISE,
                              .falloff = NAIVE_FALLOFF_CONSTANT,
                              .a = {32, 0, 32},
                              .radius = 3.0,
                              .strength = 65535.0};
    for (int sign = 1; sign >= -1; sign -= 2) {
        struct naive_world world = flat_world(1000);
        edit.op = sign > 0 ? NAIVE_RAISE : NAIVE_LOWER;
        const struct naive_edit twice[2] = {edit, edit};
        replay(&world, twice, 2);
        assert_int_equal(naive_height(&world, 32, 32), sign * 16777215);
        assert_int_equal(naive_field(&world, 32, 63, 32), -sign * 32767);
        naive_world_release(&world);
    }
}

static void smooth_spreads_a_spike_to_its_neighbours(void **state)
{
    (void)state;
    struct naive_world world = flat_world(512);
    const struct naive_edit edits[2] = {{.op = NAIVE_RAISE,
                                         .falloff = NAIVE_FALLOFF_CONSTANT,
                                         .a = {20, 0, 20},
                                         .radius = 0.5,
                                         .strength = 4.0},
                                        {.op = NAIVE_SMOOTH,
                                         .falloff = NAIVE_FALLOFF_CONSTANT,
                                         .a = {20, 0, 20},
                                         .radius = 5.0,
                                         .strength = 0.5}};
    replay(&world, edits, 2);
    assert_int_equal(naive_height(&world, 20, 20),
                     512 + 512); /* half of the way from 1024 over it to 0 over it */
    assert_int_equal(naive_height(&world, 21, 20), 512 + 128); /* half of a quarter of 1024 */
    assert_int_equal(naive_height(&world, 20, 19), 512 + 128);
    assert_int_equal(naive_height(&world, 21, 21), 512);
    naive_world_release(&world);
}

static void smooth_reads_the_last_sample_again_beyond_the_world(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_edit edits[2] = {{.op = NAIVE_RAISE,
                                         .falloff = NAIVE_FALLOFF_CONSTANT,
                                         .a = {64, 0, 64},
                                         .radius = 0.5,
                                         .strength = 4.0},
                                        {.op = NAIVE_SMOOTH,
                                         .falloff = NAIVE_FALLOFF_CONSTANT,
                                         .a = {64, 0, 64},
                                         .radius = 0.5,
                                         .strength = 1.0}};
    replay(&world, edits, 2);
    assert_int_equal(naive_height(&world, 64, 64), 512); /* two of its four neighbours are itself */
    naive_world_release(&world);
}

static void hard_sphere_in_the_air_stores_its_distance_within_the_band(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_edit edit = {.op = NAIVE_UNION, .a = {32, 40, 32}, .radius = 2.0};
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 32, 40, 32), -512);
    assert_int_equal(naive_field(&world, 34, 40, 32), 0);
    assert_int_equal(naive_field(&world, 32, 43, 32), 256);
    assert_int_equal(naive_field(&world, 33, 41, 33), -69); /* 256 (sqrt(3) - 2) = -68.59 */
    assert_int_equal(naive_field(&world, 50, 40, 32), 16 * 256);
    assert_int_equal(naive_field(&world, 51, 40, 32), 40 * 256); /* 17 voxels away: as it was */
    naive_world_release(&world);
}

static void subtract_opens_solid_ground_and_leaves_air_alone(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_edit edit = {
        .op = NAIVE_SUBTRACT, .capsule = true, .a = {20, -30, 32}, .b = {40, -30, 32}, .radius = 5.0};
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 30, -30, 32), 5 * 256);
    assert_int_equal(naive_field(&world, 30, -23, 32), -2 * 256);
    assert_int_equal(naive_field(&world, 17, -34, 32), 0);
    assert_int_equal(naive_field(&world, 30, -14, 32), -11 * 256);
    assert_int_equal(naive_field(&world, 30, -5, 32), -5 * 256);
    assert_int_equal(naive_field(&world, 30, 1, 32), 256);
    naive_world_release(&world);
}

static void smooth_union_fills_the_corner_between_shape_and_ground(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    /* At (32, 4, 32) the ground and the sphere are both 4 voxels away: 4 - 8/4. */
    const struct naive_edit edit = {.op = NAIVE_UNION, .a = {32, 18, 32}, .radius = 10.0, .blend = 8.0};
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 32, 4, 32), 2 * 256);
    naive_world_release(&world);
}

static void carved_stays_carved_and_added_stays_added_when_heights_move(void **state)
{
    (void)state;
    struct naive_edit edits[3] = {{.op = NAIVE_SUBTRACT, .a = {20, -20, 20}, .radius = 4.0},
                                  {.op = NAIVE_UNION, .a = {20, 20, 20}, .radius = 4.0},
                                  {.op = NAIVE_RAISE,
                                   .falloff = NAIVE_FALLOFF_CONSTANT,
                                   .a = {20, 0, 20},
                                   .radius = 30.0,
                                   .strength = 10.0}};
    struct naive_world world = flat_world(0);
    replay(&world, edits, 3);
    assert_int_equal(naive_field(&world, 20, -20, 20), 4 * 256); /* the cave */
    assert_int_equal(naive_field(&world, 20, 20, 20), -4 * 256); /* the ball */
    assert_int_equal(naive_field(&world, 20, 5, 20), -5 * 256);  /* ground that followed */
    assert_int_equal(naive_field(&world, 20, 12, 20),
                     2 * 256); /* air below the ball: ground 2 below is nearer than the ball at 4 */
    naive_world_release(&world);
    edits[2].op = NAIVE_LOWER;
    edits[2].strength = 30.0;
    world = flat_world(0);
    replay(&world, edits, 3);
    assert_int_equal(naive_field(&world, 20, -20, 20),
                     10 * 256); /* the cave lies open: air over ground at -30 */
    assert_int_equal(naive_field(&world, 20, 20, 20), -4 * 256);
    naive_world_release(&world);
}

/* An edit moved by whole chunks gives the same bytes, moved: every sample is evaluated in the frame of its
 * owner. */
static void edits_moved_by_whole_chunks_give_the_same_bytes(void **state)
{
    (void)state;
    enum { WIDE = 3 * 64 + 1 };
    static int32_t heights[WIDE * SIDE];
    struct naive_edit edits[2] = {{.op = NAIVE_RAISE,
                                   .falloff = NAIVE_FALLOFF_ROOT,
                                   .a = {50.3, 0, 20.7},
                                   .radius = 17.1,
                                   .strength = 3.3},
                                  {.op = NAIVE_SUBTRACT,
                                   .capsule = true,
                                   .a = {60.1, -3.3, 7.7},
                                   .b = {75.9, -20.1, 40.3},
                                   .radius = 4.7,
                                   .blend = 3.1}};
    struct naive_world world, moved;
    assert_true(naive_world_init(&world, 3, 1, -1, 0, heights));
    assert_true(naive_world_init(&moved, 3, 1, -1, 0, heights));
    replay(&world, edits, 2);
    for (int i = 0; i < 2; i++) {
        edits[i].a[0] += 64;
        edits[i].b[0] += 64;
    }
    replay(&moved, edits, 2);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x <= 2 * 64; x++)
            for (int y = -64; y < 64; y++)
                assert_int_equal(naive_field(&world, x, y, z), naive_field(&moved, x + 64, y, z));
    naive_world_release(&world);
    naive_world_release(&moved);
}

/* At 100,000 voxels a float has 1/128 voxel left; the large form must not lose it. */
static void surface_of_a_sphere_of_100000_voxels_is_right_to_a_unit(void **state)
{
    (void)state;
    struct naive_world world = flat_world(-100 * 256);
    const double radius = 100000.0;
    const struct naive_edit edit = {.op = NAIVE_UNION, .a = {31.3, 10.25 - radius, 30.9}, .radius = radius};
    replay(&world, &edit, 1);
    double worst = 0.0;
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            for (int y = -5; y < 25; y++) {
                double away = sqrt(pow(x - 31.3, 2) + pow(y - 10.25 + radius, 2) + pow(z - 30.9, 2)) - radius;
                if (away < 16.0)
                    worst = fmax(worst, fabs(naive_field(&world, x, y, z) - 256.0 * away));
            }
    if (worst > 1.0)
        fail_msg("off by %g units", worst);
    naive_world_release(&world);
}

/* The replay itself fails beyond a unit; here, that the check measures at all and how close it comes. */
static void random_logs_stay_within_a_unit_of_their_meaning(void **state)
{
    (void)state;
    double worst_height = 0.0, worst_sample = 0.0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct log_gen_case c;
        struct naive_world world;
        struct naive_report report;
        assert_true(log_gen_case_init(&c, seed));
        assert_true(naive_world_init(&world, c.chunks_x, c.chunks_z, c.row_lo, c.row_hi, c.heights));
        if (!naive_replay(&world, c.edits, c.count, &report))
            fail_msg("seed %llu, edit %zu at %d %d %d: found %g, expected %g", (unsigned long long)seed,
                     report.edit, report.x, report.y, report.z, report.found, report.expected);
        worst_height = fmax(worst_height, report.worst_height);
        worst_sample = fmax(worst_sample, report.worst_sample);
        naive_world_release(&world);
        log_gen_case_release(&c);
    }
    print_message("worst difference: height %.4f, sample %.4f units\n", worst_height, worst_sample);
    assert_true(worst_height > 0.25 && worst_height <= 1.0);
    assert_true(worst_sample > 0.25 && worst_sample <= 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_falloffs_have_their_known_values_at_half_the_radius),
        cmocka_unit_test(oracle_smin_dips_by_a_quarter_of_its_width_where_both_are_equal),
        cmocka_unit_test(oracle_capsule_is_round_at_its_ends),
        cmocka_unit_test(raise_linear_is_a_cone),
        cmocka_unit_test(heights_saturate_at_their_limits),
        cmocka_unit_test(smooth_spreads_a_spike_to_its_neighbours),
        cmocka_unit_test(smooth_reads_the_last_sample_again_beyond_the_world),
        cmocka_unit_test(hard_sphere_in_the_air_stores_its_distance_within_the_band),
        cmocka_unit_test(subtract_opens_solid_ground_and_leaves_air_alone),
        cmocka_unit_test(smooth_union_fills_the_corner_between_shape_and_ground),
        cmocka_unit_test(carved_stays_carved_and_added_stays_added_when_heights_move),
        cmocka_unit_test(edits_moved_by_whole_chunks_give_the_same_bytes),
        cmocka_unit_test(surface_of_a_sphere_of_100000_voxels_is_right_to_a_unit),
        cmocka_unit_test(random_logs_stay_within_a_unit_of_their_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
