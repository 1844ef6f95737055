/* The judge judged: the naive replay and its oracle against numbers worked out by hand, and the double check
 * over random logs. */
#include "lib/base/dmath.h"
#include "shaders/exact.h"
#include "tests/naive/naive_angle.h"
#include "tests/naive/naive_grid.h"
#include "tests/naive/naive_stroke.h"
#include "tests/naive/naive_tube.h"
#include "tests/naive/oracle.h"
#include "tests/support/log_gen.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 65 /* samples of a world of one chunk */

/* One chunk of voxels of this size, rows -1..0. */
static struct naive_world world_of(int32_t (*height)(int x, int z), double voxel_size)
{
    static int32_t heights[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = height(i % SIDE, i / SIDE);
    struct naive_world world;
    assert_true(naive_world_init(&world, 1, 1, -1, 0, voxel_size, heights));
    return world;
}

static int32_t flat_height;
static int32_t give_flat_height(int x, int z)
{
    (void)x;
    (void)z;
    return flat_height;
}

static struct naive_world flat_world(int height)
{
    flat_height = height;
    return world_of(give_flat_height, 1.0);
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
        fail_msg("edit %zu, %s at %d %d %d: found %g, expected %g", report.edit, report.what, report.x,
                 report.y, report.z, report.found, report.expected);
}

/* A brush of constant weight. */
static struct naive_edit brush(enum naive_op op, double x, double y, double z, double radius, double strength)
{
    return (struct naive_edit){
        .op = op,
        .falloff = NAIVE_FALLOFF_CONSTANT,
        .place = {.at = {x, y, z}, .radius = radius, .strength = strength},
    };
}

static struct naive_edit shape_edit(enum naive_op op, const struct naive_node *nodes, size_t count)
{
    return (struct naive_edit){.op = op, .shape = nodes, .shape_count = count};
}

static struct naive_node sphere(double x, double y, double z, double radius)
{
    return (struct naive_node){.kind = NAIVE_SPHERE, .at = {x, y, z}, .radius = radius};
}

/* From a shape in voxels of a metre. */
static double oracle_distance(const struct naive_node *nodes, size_t count, const double p[3])
{
    struct oracle_shape shape;
    bool doubtful;
    assert_true(oracle_shape_init(&shape, nodes, count, 1.0));
    double d = oracle_shape_distance(&shape, p, &doubtful);
    oracle_shape_release(&shape);
    return d;
}

/* Of 2 x 3 pixels: 0, 1/3, 2/3 down its left column, then its right one white. */
static const uint16_t six_pixels[] = {0, 65535, 21845, 65535, 43690, 65535};
static const struct naive_image six = {2, 3, false, six_pixels};

static const struct naive_blend smooth_8 = {.kind = NAIVE_BLEND_SMOOTH, .width = 8.0};

/* ---- the oracle ---- */

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

static void oracle_smooth_union_dips_by_a_quarter_of_its_width_where_both_are_equal(void **state)
{
    (void)state;
    assert_near(oracle_union(&smooth_8, 8.0, 3.0, 3.0), 1.0, 1e-15);
    assert_near(oracle_union(&smooth_8, 8.0, 0.0, 4.0), -0.5, 1e-15); /* e = 4, 16/32 */
    assert_near(oracle_union(&smooth_8, 8.0, 4.0, 0.0), -0.5, 1e-15);
    assert_near(oracle_union(&smooth_8, 8.0, -1.0, 7.0), -1.0, 1e-15);
}

static void oracle_chamfer_cuts_both_solids_at_its_width(void **state)
{
    (void)state;
    const struct naive_blend chamfer = {.kind = NAIVE_BLEND_CHAMFER, .width = 4.0};
    assert_near(oracle_union(&chamfer, 4.0, 4.0, 0.0), 0.0, 1e-15);
    assert_near(oracle_union(&chamfer, 4.0, 0.0, 4.0), 0.0, 1e-15);
    assert_near(oracle_union(&chamfer, 4.0, 2.0, 2.0), 0.0, 1e-15);
    assert_near(oracle_union(&chamfer, 4.0, 1.0, 1.0), -sqrt(2.0), 1e-15);
    assert_near(oracle_union(&chamfer, 4.0, 9.0, 2.0), 2.0, 0.0);
}

/* Two solids that meet at right angles, and between them one step, 2 wide and 2 high. */
static void oracle_stairs_have_their_steps(void **state)
{
    (void)state;
    const struct naive_blend stairs = {.kind = NAIVE_BLEND_STAIRS, .width = 4.0, .steps = 2};
    static const double on_surface[][2] = {{4, 0}, {3, 0}, {2, 0}, {2, 1}, {2, 2},
                                           {1, 2}, {0, 2}, {0, 3}, {0, 4}};
    for (size_t i = 0; i < sizeof on_surface / sizeof *on_surface; i++)
        assert_near(oracle_union(&stairs, 4.0, on_surface[i][0], on_surface[i][1]), 0.0, 1e-15);
    assert_near(oracle_union(&stairs, 4.0, 1.0, 1.0), -1.0, 1e-15);
    assert_near(oracle_union(&stairs, 4.0, 3.0, 1.0), 1.0, 1e-15);
    assert_near(oracle_union(&stairs, 4.0, 9.0, 3.0), 3.0, 0.0);
}

static void oracle_primitives_have_the_distances_that_a_ruler_gives(void **state)
{
    (void)state;
    static const uint16_t two_pixels[] = {0, 65535};
    static const struct naive_image ramp = {2, 1, false, two_pixels};
    static const struct naive_knot bent[] = {{{0, 0, 0}, 2}, {{8, 0, 0}, 4}};
    static const struct {
        struct naive_node node;
        double p[3], expected;
    } cases[] = {
        {{.kind = NAIVE_CAPSULE, .to = {10, 0, 0}, .radius = 2}, {5, 5, 0}, 3},
        {{.kind = NAIVE_CAPSULE, .to = {10, 0, 0}, .radius = 2}, {13, 4, 0}, 3},
        {{.kind = NAIVE_CAPSULE, .to = {10, 0, 0}, .radius = 2}, {-3, 0, -4}, 3},
        {{.kind = NAIVE_CAPSULE, .to = {10, 0, 0}, .radius = 2}, {4, 0, 0}, -2},
        {{.kind = NAIVE_BOX, .at = {1, 1, 1}, .size = {2, 4, 6}}, {5, 6, 1}, 4.2426406871192851},
        {{.kind = NAIVE_BOX, .at = {1, 1, 1}, .size = {2, 4, 6}}, {1, 1, 1}, -1},
        {{.kind = NAIVE_BOX, .at = {1, 1, 1}, .size = {2, 4, 6}}, {1, 9, 1}, 6},
        {{.kind = NAIVE_TORUS, .radius = 10, .tube = 2, .axis = {0, 3, 0}}, {13, 4, 0}, 3},
        {{.kind = NAIVE_TORUS, .radius = 10, .tube = 2, .axis = {0, 3, 0}}, {0, 0, 0}, 8},
        {{.kind = NAIVE_CYLINDER, .to = {0, 10, 0}, .radius = 4}, {7, 14, 0}, 5},
        {{.kind = NAIVE_CYLINDER, .to = {0, 10, 0}, .radius = 4}, {1, 5, 0}, -3},
        {{.kind = NAIVE_CYLINDER, .to = {0, 10, 0}, .radius = 4}, {0, -2, 0}, 2},
        {{.kind = NAIVE_CONE, .to = {0, 4, 0}, .radius = 3}, {0, 9, 0}, 5},
        {{.kind = NAIVE_CONE, .to = {0, 4, 0}, .radius = 3},
         {3, 4, 0},
         2.4}, /* from the slope 4x + 3y = 12 */
        {{.kind = NAIVE_CONE, .to = {0, 4, 0}, .radius = 3}, {1, -2, 0}, 2},
        {{.kind = NAIVE_CONE, .to = {0, 4, 0}, .radius = 3}, {1, 0.5, 0}, -0.5},
        {{.kind = NAIVE_ELLIPSOID, .size = {2, 4, 6}}, {5, 0, 0}, 3},
        {{.kind = NAIVE_ELLIPSOID, .size = {2, 4, 6}}, {0, 0, -5}, -1},
        {{.kind = NAIVE_ELLIPSOID, .size = {2, 4, 6}}, {0, 0, 0}, -2},
        {{.kind = NAIVE_CAPPED_CONE, .to = {0, 4, 0}, .radius = 4, .to_radius = 1}, {0, 9, 0}, 5},
        {{.kind = NAIVE_CAPPED_CONE, .to = {0, 4, 0}, .radius = 4, .to_radius = 1}, {5, 4, 0}, 3.2},
        {{.kind = NAIVE_CAPPED_CONE, .to = {0, 4, 0}, .radius = 4, .to_radius = 1}, {0, 3.5, 0}, -0.5},
        {{.kind = NAIVE_CAPPED_CONE, .to = {0, 4, 0}, .radius = 1, .to_radius = 4},
         {4, 8, 3},
         4.1231056256176606},
        {{.kind = NAIVE_ROUNDED_BOX, .size = {6, 6, 6}, .radius = 1}, {5, 6, 0}, 4},
        {{.kind = NAIVE_ROUNDED_BOX, .size = {6, 6, 6}, .radius = 1}, {0, 2.5, 0}, -0.5},
        {{.kind = NAIVE_HALF_SPACE, .at = {0, 1, 0}, .axis = {3, 4, 0}}, {5, 1, 9}, 3},
        {{.kind = NAIVE_PRISM, .to = {0, 2, 0}, .radius = 5, .sides = 4}, {0, 1, 0}, -1},
        {{.kind = NAIVE_PRISM, .to = {0, 90, 0}, .radius = 5, .sides = 4}, {1, 45, 1}, -2.1213203435596424},
        {{.kind = NAIVE_PRISM, .to = {0, 2, 0}, .radius = 5, .sides = 4}, {8, 6, 0}, 5},
        {{.kind = NAIVE_PRISM, .to = {0, 9, 0}, .radius = 2, .sides = 3}, {0, 4, 0}, -1},
        {{.kind = NAIVE_PYRAMID, .size = {6, 4, 6}}, {0, 6, 0}, 2},
        {{.kind = NAIVE_PYRAMID, .size = {6, 4, 6}}, {3, 4, 0}, 2.4},
        {{.kind = NAIVE_PYRAMID, .size = {6, 4, 6}}, {0, 0.5, 0}, -0.5},
        {{.kind = NAIVE_PYRAMID, .size = {6, 4, 6}}, {1, -3, 1}, 3},
        {{.kind = NAIVE_PYRAMID, .size = {6, 4, 6}}, {7, 0, 6}, 5},
        {{.kind = NAIVE_OCTAHEDRON, .radius = 6}, {0, 0, 0}, -3.4641016151377544},
        {{.kind = NAIVE_OCTAHEDRON, .radius = 6}, {3, 3, 3}, 1.7320508075688772},
        {{.kind = NAIVE_OCTAHEDRON, .radius = 6}, {0, -9, 0}, 3},
        {{.kind = NAIVE_LINK, .radius = 3, .tube = 1, .length = 10, .axis = {0, 0, 2}, .along = {1, 0, 5}},
         {9, 0, 0},
         0},
        {{.kind = NAIVE_LINK, .radius = 3, .tube = 1, .length = 10, .axis = {0, 0, 2}, .along = {1, 0, 5}},
         {4, 6, 4},
         4},
        /* A ramp that rises by 4 over 2, so a height is worth 1 / sqrt(5); its middle is at half the height. */
        {{.kind = NAIVE_HEIGHT_MAP, .size = {2, 4, 2}, .image = &ramp}, {0.5, 2, 0}, 0.44721359549995793},
        {{.kind = NAIVE_HEIGHT_MAP, .size = {2, 4, 2}, .image = &ramp}, {0.5, 0, 0}, -0.44721359549995793},
        {{.kind = NAIVE_HEIGHT_MAP, .size = {2, 4, 2}, .image = &ramp}, {-4, 0, 5}, 5},
        {{.kind = NAIVE_TUBE, .path = bent, .path_count = 2, .steps = 1}, {4, 6, 0}, 3},
        {{.kind = NAIVE_TUBE, .path = bent, .path_count = 2, .steps = 1, .profile = NAIVE_PROFILE_SQUARE},
         {4, 1, 1},
         -2},
        {{.kind = NAIVE_TUBE, .path = bent, .path_count = 2, .steps = 1, .profile = NAIVE_PROFILE_SQUARE},
         {11, 0, 0},
         3},
        {{.kind = NAIVE_TUBE, .path = bent, .path_count = 2, .steps = 1, .profile = NAIVE_PROFILE_ARCH},
         {4, -3, 0},
         1.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double found = oracle_distance(&cases[i].node, 1, cases[i].p);
        if (fabs(found - cases[i].expected) > 1e-12)
            fail_msg("case %zu: found %.17g, expected %.17g", i, found, cases[i].expected);
    }
}

/* Turned by 90 degrees around y, counter-clockwise seen from above, +x goes to -z. */
static void oracle_transforms_move_the_shape_and_not_the_point(void **state)
{
    (void)state;
    const struct naive_node nodes[] = {
        {.kind = NAIVE_TRANSLATE, .children = 1, .to = {0, 0, 5}},
        {.kind = NAIVE_ROTATE, .children = 1, .axis = {0, 2, 0}, .degrees = 90},
        {.kind = NAIVE_SCALE, .children = 1, .factor = 2, .at = {1, 0, 0}},
        {.kind = NAIVE_SPHERE, .at = {4, 0, 0}, .radius = 1},
    };
    const double centre[3] = {0, 0, -2}; /* 4 -> 7 -> (0, 0, -7) -> (0, 0, -2) */
    assert_near(oracle_distance(nodes, 4, centre), -2.0, 1e-14);
    const double beside[3] = {5, 0, -2};
    assert_near(oracle_distance(nodes, 4, beside), 3.0, 1e-14);
}

/* A ball of radius 1 at (4, 0, 0), modified. */
static void oracle_modifiers_do_what_their_words_say(void **state)
{
    (void)state;
    static const struct {
        struct naive_node modifier;
        double p[3], expected;
    } cases[] = {
        {{.kind = NAIVE_ROUND, .length = 0.5}, {4, 3, 0}, 1.5},
        {{.kind = NAIVE_ONION, .length = 0.5}, {4, 0, 0}, 0.75},
        {{.kind = NAIVE_ONION, .length = 0.5}, {4, 1, 0}, -0.25},
        {{.kind = NAIVE_MIRROR, .at = {1, 0, 0}, .axis = {5, 0, 0}}, {-2, 3, 0}, 2},
        {{.kind = NAIVE_MIRROR, .at = {1, 0, 0}, .axis = {5, 0, 0}}, {4, 3, 0}, 2},
        {{.kind = NAIVE_REPEAT, .to = {9, 10, 9}, .count = {1, 3, 1}}, {4, 23, 0}, 2},
        {{.kind = NAIVE_REPEAT, .to = {9, 10, 9}, .count = {1, 3, 1}}, {13, 0, 0}, 8},
        {{.kind = NAIVE_ELONGATE, .at = {4, 0, 0}, .to = {6, 0, 0}}, {9, 0, 0}, 1},
        {{.kind = NAIVE_ELONGATE, .at = {4, 0, 0}, .to = {6, 0, 0}}, {1, 2, 0}, 1},
        {{.kind = NAIVE_ELONGATE, .to = {6, 0, 0}}, {7, 0, 0}, -1}, /* all of it lies on one side */
        /* Counter-clockwise seen against the axis: at the height 1, from +x to -z. */
        {{.kind = NAIVE_TWIST, .axis = {0, 2, 0}, .degrees = 90}, {0, 1, -4}, 0},
        {{.kind = NAIVE_BEND, .axis = {0, 0, 1}, .along = {1, 0, 7}, .degrees = 30},
         {2, 3.4641016151377544, 0},
         -1},
        {{.kind = NAIVE_TAPER, .at = {0, -2, 0}, .to = {0, 2, 0}, .factor = 0.5}, {2, 0, 0}, 0},
        {{.kind = NAIVE_TAPER, .at = {0, -2, 0}, .to = {0, 2, 0}, .factor = 0.5}, {2, 9, 0}, 8},
        {{.kind = NAIVE_TAPER, .at = {0, -2, 0}, .to = {0, 2, 0}, .factor = 0.5}, {4, -9, 0}, 8},
        /* On lattice points noise is 0. */
        {{.kind = NAIVE_DISPLACE, .length = 5, .scale = 2, .octaves = 1}, {4, 4, 0}, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct naive_node nodes[2] = {cases[i].modifier, sphere(4, 0, 0, 1)};
        nodes[0].children = 1;
        double found = oracle_distance(nodes, 2, cases[i].p);
        if (fabs(found - cases[i].expected) > 1e-12)
            fail_msg("case %zu: found %.17g, expected %.17g", i, found, cases[i].expected);
    }
}

static void oracle_images_go_evenly_from_pixel_to_pixel(void **state)
{
    (void)state;
    assert_near(oracle_image(&six, 0, 0, 1), 1.0 / 3.0, 1e-15);
    assert_near(oracle_image(&six, 0, 0, 1.75), 7.0 / 12.0, 1e-15);
    assert_near(oracle_image(&six, 0, 0.25, 2), 0.75, 1e-15);
    assert_near(oracle_image(&six, 0, -9, 99), 2.0 / 3.0, 1e-15);
    /* Halved: the mean of four, and of the last row counted twice. */
    assert_near(oracle_image(&six, 1, 0, 0), 38229 / 65535.0, 1e-15);
    assert_near(oracle_image(&six, 1, 0, 1), 54613 / 65535.0, 1e-15);
    assert_near(oracle_image(&six, 2, 5, 5), 46421 / 65535.0, 1e-15);
}

static void halved_images_have_the_pixels_of_the_oracle(void **state)
{
    (void)state;
    for (int halvings = 0; halvings <= 2; halvings++) {
        struct naive_picture picture;
        assert_true(naive_picture_make(&six, halvings, &picture));
        for (int y = 0; y < picture.height; y++)
            for (int x = 0; x < picture.width; x++)
                assert_near(picture.pixels[y * picture.width + x] / 65535.0,
                            oracle_image(&six, halvings, x, y), 1e-15);
        naive_picture_release(&picture);
    }
    assert_int_equal(naive_halvings(&six, 1.0, 1.5), 0);
    assert_int_equal(naive_halvings(&six, 1.0, 1.25), 1);
    assert_int_equal(naive_halvings(&six, 0.1, 0.1), 2); /* one pixel is left */
}

/* ---- angles, strokes ---- */

static void sin_and_cos_are_those_of_the_format_to_the_bit(void **state)
{
    (void)state;
    for (int i = -400000; i <= 400000; i++) {
        double degrees = i % 2 == 0 ? i / 400 : i * 0.09; /* whole ones, and up to 36000 */
        double radians = degrees * 0x1.1df46a2529d39p-6;
        double sine[2] = {naive_sin(radians), tr_sin(radians)},
               cosine[2] = {naive_cos(radians), tr_cos(radians)};
        if (memcmp(&sine[0], &sine[1], sizeof *sine) != 0 ||
            memcmp(&cosine[0], &cosine[1], sizeof *cosine) != 0)
            fail_msg("%g degrees: sin %a and %a, cos %a and %a", degrees, sine[0], sine[1], cosine[0],
                     cosine[1]);
        assert_near(sine[0], sin(radians), 4e-16);
        assert_near(cosine[0], cos(radians), 4e-16);
    }
}

static void turns_are_those_of_the_kernels_to_the_bit(void **state)
{
    (void)state;
    for (int i = -200000; i <= 200000; i++) {
        float x = (float)i * (i % 2 == 0 ? 0.045f : 0x1.1p-13f), turn[2];
        tr_turn expected = tr_sincos(x);
        naive_turn(x, &turn[0], &turn[1]);
        if (memcmp(&turn[0], &expected.s, sizeof expected.s) != 0 ||
            memcmp(&turn[1], &expected.c, sizeof expected.c) != 0)
            fail_msg("%a: sin %a and %a, cos %a and %a", x, turn[0], expected.s, turn[1], expected.c);
    }
}

/* The slope at a point is half the way between its neighbours, and beyond an end stands the end. */
static void curves_go_through_their_points(void **state)
{
    (void)state;
    static const struct naive_knot path[] = {{{0, 0, 0}, 1}, {{4, 0, 0}, 1}, {{4, 4, 0}, 3}};
    const struct naive_node node = {.kind = NAIVE_TUBE, .path = path, .path_count = 3, .steps = 2};
    struct naive_knot points[5];
    assert_int_equal(naive_curve_count(&node), 5);
    naive_curve(&node, points);
    static const double expected[5][4] = {
        {0, 0, 0, 1}, {2, -0.25, 0, 0.875}, {4, 0, 0, 1}, {4.25, 2, 0, 2}, {4, 4, 0, 3}};
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 3; i++)
            assert_near(points[k].at[i], expected[k][i], 1e-15);
        assert_near(points[k].radius, expected[k][3], 1e-15);
    }
}

static void stamps_stand_at_whole_spacings_along_the_path(void **state)
{
    (void)state;
    static const struct naive_point path[] = {
        {.at = {0, 9, 0}, .radius = 2, .strength = 1},
        {.at = {3, 9, 4}, .radius = 4, .strength = 2},
        {.at = {3, 9, 4}, .radius = 6, .strength = 3},
        {.at = {8, 9, 4}, .radius = 6, .strength = 1},
    };
    const struct naive_edit edit = {.op = NAIVE_LOWER, .path = path, .path_count = 4, .spacing = 2.5};
    static const double expected[][4] = {/* x, z, radius, strength in voxels */
                                         {0, 0, 2, 1},
                                         {1.5, 2, 3, 1.5},
                                         {3, 4, 6, 3}, /* the last segment that begins there */
                                         {5.5, 4, 6, 2},
                                         {8, 4, 6, 1}};
    size_t count;
    struct naive_stamp *stamps = naive_stamps(&edit, 1.0, &count);
    assert_non_null(stamps);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        assert_near(stamps[i].at[0], expected[i][0], 1e-15);
        assert_near(stamps[i].at[1], 0.0, 0.0);
        assert_near(stamps[i].at[2], expected[i][1], 1e-15);
        assert_near(stamps[i].radius, expected[i][2], 1e-15);
        assert_near(stamps[i].strength, -256.0 * expected[i][3], 1e-12);
    }
    free(stamps);
}

static void a_path_without_spacing_has_a_stamp_every_half_radius(void **state)
{
    (void)state;
    static const struct naive_point path[] = {{.at = {0, 0, 0}, .radius = 3, .strength = 1},
                                              {.at = {0, 10, 0}, .radius = 9, .strength = 1}};
    const struct naive_edit edit = {.op = NAIVE_VOLUME_ADD, .path = path, .path_count = 2};
    size_t count;
    struct naive_stamp *stamps = naive_stamps(&edit, 0.5, &count);
    assert_non_null(stamps);
    assert_int_equal(count, 7); /* 0, 3, ... 18 voxels of 20 */
    assert_near(stamps[6].at[1], 18.0, 1e-14);
    free(stamps);
}

/* ---- height brushes ---- */

static void raise_linear_is_a_cone(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    struct naive_edit edit = brush(NAIVE_RAISE, 32, 0, 30, 4, 1);
    edit.falloff = NAIVE_FALLOFF_LINEAR;
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
    for (int sign = 1; sign >= -1; sign -= 2) {
        struct naive_world world = flat_world(1000);
        struct naive_edit edit = brush(sign > 0 ? NAIVE_RAISE : NAIVE_LOWER, 32, 0, 32, 3, 65535);
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
    const struct naive_edit edits[2] = {brush(NAIVE_RAISE, 20, 0, 20, 0.5, 4),
                                        brush(NAIVE_SMOOTH, 20, 0, 20, 5, 0.5)};
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
    const struct naive_edit edits[2] = {brush(NAIVE_RAISE, 64, 0, 64, 0.5, 4),
                                        brush(NAIVE_SMOOTH, 64, 0, 64, 0.5, 1)};
    replay(&world, edits, 2);
    assert_int_equal(naive_height(&world, 64, 64), 512); /* two of its four neighbours are itself */
    naive_world_release(&world);
}

/* A spike of 4096: its bend is -16384, its neighbours' 4096 each; so it goes down by (65536 + 16384) / 16 = 5120 times
 * 1 - beta, which is more than it is high at beta = 0. */
static void hc_smooth_moves_a_height_by_what_its_bend_differs_from_those_around(void **state)
{
    (void)state;
    static const struct {
        double beta;
        int spike, beside;
    } cases[] = {{0.0, -1024, 2048}, {0.5, 1536, 1024}, {0.75, 2816, 512}};
    for (int i = 0; i < 3; i++) {
        struct naive_world world = flat_world(0);
        struct naive_edit edits[2] = {brush(NAIVE_RAISE, 20, 0, 20, 0.5, 16),
                                      brush(NAIVE_HC_SMOOTH, 20, 0, 20, 5, 1)};
        edits[1].beta = cases[i].beta;
        replay(&world, edits, 2);
        assert_int_equal(naive_height(&world, 20, 20), cases[i].spike);
        assert_int_equal(naive_height(&world, 21, 20), cases[i].beside); /* (4 4096 + 16384) / 16 */
        naive_world_release(&world);
    }
}

static int32_t bowl_height(int x, int z)
{
    return 16 * ((x - 32) * (x - 32) + (z - 32) * (z - 32));
}

static void hc_smooth_keeps_what_is_bent_alike_everywhere(void **state)
{
    (void)state;
    struct naive_world world = world_of(bowl_height, 1.0);
    const struct naive_edit edit = brush(NAIVE_HC_SMOOTH, 32, 0, 32, 20, 1);
    replay(&world, &edit, 1);
    for (int x = 0; x < SIDE; x++)
        assert_int_equal(naive_height(&world, x, 30), bowl_height(x, 30));
    naive_world_release(&world);
}

static void flatten_goes_part_of_the_way_and_set_all_of_it(void **state)
{
    (void)state;
    struct naive_world world = flat_world(1000);
    struct naive_edit edits[2] = {brush(NAIVE_FLATTEN, 20, 0, 20, 2, 0.25),
                                  brush(NAIVE_SET, 40, 0, 40, 2, 0)};
    edits[0].has_height = edits[1].has_height = true;
    edits[0].height = 3.0;
    edits[1].height = -65535.99609375;
    replay(&world, edits, 2);
    assert_int_equal(naive_height(&world, 20, 20), 942); /* 1000 + floor(-58 + 0.5) */
    assert_int_equal(naive_height(&world, 40, 40), -16777215);
    naive_world_release(&world);
}

static int32_t ramp_height(int x, int z)
{
    (void)z;
    return 256 * x;
}

/* 10.5 lies half way between columns 10 and 11. */
static void flatten_without_height_takes_that_of_the_nearest_column_once(void **state)
{
    (void)state;
    struct naive_world world = world_of(ramp_height, 1.0);
    const struct naive_point path[] = {{.at = {10.5, 0, 9}, .radius = 3, .strength = 1},
                                       {.at = {30.0, 0, 9}, .radius = 3, .strength = 1}};
    const struct naive_edit edits[2] = {
        {.op = NAIVE_FLATTEN, .falloff = NAIVE_FALLOFF_CONSTANT, .path = path, .path_count = 2},
        brush(NAIVE_FLATTEN, -4, 0, 40, 7, 1)};
    replay(&world, edits, 2);
    for (int x = 8; x <= 32; x++)
        assert_int_equal(naive_height(&world, x, 9), 11 * 256);
    assert_int_equal(naive_height(&world, 2, 40), 0); /* the nearest column of the world */
    naive_world_release(&world);
}

/* On lattice points noise is 0; with octaves of cells of 8, 4 and 2 all multiples of 8 are such. */
static void noise_leaves_lattice_points_alone_and_differs_by_seed(void **state)
{
    (void)state;
    int differing = 0;
    struct naive_world worlds[2] = {flat_world(100), flat_world(100)};
    for (int i = 0; i < 2; i++) {
        struct naive_edit edit = brush(NAIVE_NOISE, 32, 0, 32, 100, 10);
        edit.scale = 8.0;
        edit.octaves = 3;
        edit.seed = i == 0 ? 7 : UINT64_C(7) << 32 | 1;
        replay(&worlds[i], &edit, 1);
    }
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++) {
            if (x % 8 == 0 && z % 8 == 0)
                assert_int_equal(naive_height(&worlds[0], x, z), 100);
            assert_in_range(naive_height(&worlds[0], x, z) + 100000, 100100 - 3840,
                            100100 + 3840); /* +-1.5 */
            differing += naive_height(&worlds[0], x, z) != naive_height(&worlds[1], x, z);
        }
    assert_true(differing > 3000);
    naive_world_release(&worlds[0]);
    naive_world_release(&worlds[1]);
}

/* ---- volume brushes ---- */

static void add_and_subtract_move_the_surface_by_their_strength(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_edit edits[2] = {brush(NAIVE_VOLUME_ADD, 20, 0, 20, 5, 2),
                                        brush(NAIVE_VOLUME_SUBTRACT, 40, 0, 40, 5, 3)};
    replay(&world, edits, 2);
    assert_int_equal(naive_field(&world, 20, 1, 20), -256);
    assert_int_equal(naive_field(&world, 20, 4, 20), 512);
    assert_int_equal(naive_field(&world, 20, 5, 20), 5 * 256); /* at the radius: beyond it */
    assert_int_equal(naive_field(&world, 40, -2, 40), 256);
    assert_int_equal(naive_height(&world, 40, 40), 0);
    naive_world_release(&world);
}

static void samples_saturate_at_their_limits(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_edit edits[2] = {brush(NAIVE_VOLUME_ADD, 20, 0, 20, 5, 65535),
                                        brush(NAIVE_VOLUME_SUBTRACT, 40, 0, 40, 5, 65535)};
    replay(&world, edits, 2);
    assert_int_equal(naive_field(&world, 20, 1, 20), -32767);
    assert_int_equal(naive_field(&world, 40, -1, 40), 32767);
    naive_world_release(&world);
}

static void a_projected_brush_is_a_cylinder_as_high_as_wide(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    struct naive_edit edit = brush(NAIVE_VOLUME_SUBTRACT, 30, -20, 30, 6, 1);
    edit.projected = true;
    edit.axis[1] = -1e-7;
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 33, -15, 33),
                     -15 * 256 + 256); /* 6.6 from the centre, 4.2 from the axis */
    assert_int_equal(naive_field(&world, 35, -25, 30), -25 * 256 + 256);
    assert_int_equal(naive_field(&world, 30, -14, 30), -14 * 256); /* a radius along the axis */
    assert_int_equal(naive_field(&world, 36, -20, 30), -20 * 256);
    naive_world_release(&world);
}

static void a_volume_smooth_spreads_a_spike_to_six_neighbours(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_edit edits[2] = {brush(NAIVE_VOLUME_SUBTRACT, 20, -20, 20, 0.5, 12),
                                        brush(NAIVE_VOLUME_SMOOTH, 20, -20, 20, 3, 0.5)};
    replay(&world, edits, 2);
    assert_int_equal(naive_field(&world, 20, -20, 20), -20 * 256 + 1536);
    assert_int_equal(naive_field(&world, 20, -19, 20), -19 * 256 + 256); /* half of a sixth of 3072 */
    assert_int_equal(naive_field(&world, 19, -20, 20), -20 * 256 + 256);
    assert_int_equal(naive_field(&world, 19, -19, 20), -19 * 256);
    naive_world_release(&world);
}

static void a_smooth_at_the_end_of_the_rows_takes_a_row_from_what_is_known(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_edit far = brush(NAIVE_VOLUME_SMOOTH, 20, 0, 20, 20, 0.5);
    const struct naive_edit near = brush(NAIVE_VOLUME_SMOOTH, 20, -50, 20, 20, 0.5);
    replay(&world, &far, 1);
    assert_int_equal(world.known_lo, -64);
    replay(&world, &near, 1);
    replay(&world, &near, 1);
    assert_int_equal(world.known_lo, -62);
    assert_int_equal(world.known_hi, 63);
    naive_world_release(&world);
}

/* The normal need not have length 1, and what is above the plane becomes air. */
static void a_volume_flatten_cuts_to_its_plane(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    struct naive_edit edit = brush(NAIVE_VOLUME_FLATTEN, 20, 0, 20, 12, 1);
    edit.normal[0] = 3.0;
    edit.normal[1] = 4.0;
    edit.has_point = true;
    edit.point[0] = 22.0;
    edit.point[2] = 7.0;
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 27, 5, 20), 7 * 256); /* (3 5 + 4 5) / 5 */
    assert_int_equal(naive_field(&world, 22, 0, 25), 0);
    assert_int_equal(naive_field(&world, 12, 5, 20), -2 * 256);
    naive_world_release(&world);
}

static void volume_noise_leaves_lattice_points_alone(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    struct naive_edit edit = brush(NAIVE_VOLUME_NOISE, 32, 0, 32, 30, 4);
    int changed = 0;
    edit.scale = 4.0;
    edit.octaves = 1;
    replay(&world, &edit, 1);
    for (int y = -16; y <= 16; y++) {
        if (y % 4 == 0)
            assert_int_equal(naive_field(&world, 32, y, 28), 256 * y);
        changed += naive_field(&world, 33, y, 30) != 256 * y;
    }
    assert_true(changed > 20);
    naive_world_release(&world);
}

/* An image of which only the left upper pixel is white, on a square of edge 8. */
static const uint16_t corner_pixels[] = {65535, 0, 0, 0};
static const struct naive_image corner_image = {2, 2, false, corner_pixels};

static void a_stamp_lies_with_its_left_edge_west_and_its_upper_one_north_and_turns_from_there(void **state)
{
    (void)state;
    static const struct {
        double degrees;
        int x, z; /* where it is white */
    } cases[] = {{0, -2, -2}, {90, -2, 2}, {-90, 2, -2}, {180, 2, 2}};
    for (int i = 0; i < 4; i++) {
        struct naive_world world = flat_world(0);
        struct naive_edit edit = brush(NAIVE_STAMP, 20, 0, 30, 4, 1);
        edit.image = &corner_image;
        edit.degrees = cases[i].degrees;
        replay(&world, &edit, 1);
        /* Half way from the middle, where it is 1/4, to the corner, at 3/4 of both ways. */
        assert_int_equal(naive_height(&world, 20 + cases[i].x, 30 + cases[i].z), 144);
        assert_int_equal(naive_height(&world, 20 - cases[i].x, 30 - cases[i].z), 16);
        assert_int_equal(naive_height(&world, 20, 30), 64);
        assert_int_equal(naive_height(&world, 24, 30), 0);
        naive_world_release(&world);
    }
}

/* Upright on a wall that faces west: seen from there, against the normal, its right is south and its top up. */
static void a_stamp_in_space_lies_in_the_plane_that_its_normal_is_up_from(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    struct naive_edit edit = brush(NAIVE_VOLUME_STAMP, 30, -20, 30, 4, 1);
    edit.image = &corner_image;
    edit.normal[0] = -2.0;
    replay(&world, &edit, 1);
    int least = 0, at[2] = {0, 0};
    for (int y = -2; y <= 2; y += 4)
        for (int z = -2; z <= 2; z += 4) {
            int change = naive_field(&world, 30, -20 + y, 30 + z) - 256 * (-20 + y);
            if (change < least) {
                least = change;
                at[0] = y;
                at[1] = z;
            }
        }
    assert_int_equal(least, -144);
    assert_int_equal(at[1], -2); /* its east is z, */
    assert_int_equal(at[0], 2);  /* its south z x (-x), which is down */
    naive_world_release(&world);
}

static void an_image_finer_than_two_pixels_a_voxel_is_halved_for_its_stamp(void **state)
{
    (void)state;
    uint16_t pixels[32 * 32];
    struct naive_image board = {32, 32, false, pixels};
    for (int i = 0; i < 32 * 32; i++)
        pixels[i] = (i + i / 32) % 2 == 0 ? 65535 : 0;
    struct naive_world world = flat_world(0);
    struct naive_edit edit = brush(NAIVE_STAMP, 20, 0, 30, 4, 1);
    edit.image = &board;
    replay(&world, &edit, 1);
    for (int x = 17; x <= 23; x++)
        assert_int_equal(naive_height(&world, x, 30), 128); /* a board of grey only */
    naive_world_release(&world);
}

static void inflate_moves_the_surface_by_its_strength_however_steep_the_field_is(void **state)
{
    (void)state;
    struct naive_world world = world_of(ramp_height, 1.0); /* one up for each along: of slope sqrt(2) */
    const struct naive_edit edit = brush(NAIVE_INFLATE, 20, 20, 20, 5, 2);
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 20, 20, 20), -724); /* 512 sqrt(2) = 724.08 */
    assert_int_equal(naive_field(&world, 21, 20, 22), -256 - 724);
    assert_int_equal(naive_field(&world, 20, 25, 20), 5 * 256);
    naive_world_release(&world);
}

static void pinch_takes_samples_from_twice_as_far_from_the_centre(void **state)
{
    (void)state;
    struct naive_world world = flat_world(100);
    const struct naive_edit edit = brush(NAIVE_PINCH, 20, 4, 20, 5, 0.75);
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 20, 4, 20), 4 * 256 - 100);
    assert_int_equal(naive_field(&world, 21, 2, 20), 4 * 256 - 896 - 100); /* 1.75 times 2 below */
    assert_int_equal(naive_field(&world, 20, 9, 20), 9 * 256 - 100);
    naive_world_release(&world);
}

static void grab_carries_the_ground_along(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_node ball = sphere(20, 30, 20, 3);
    struct naive_edit edits[2] = {shape_edit(NAIVE_UNION, &ball, 1), brush(NAIVE_GRAB, 22, 30, 20, 8, 0)};
    edits[1].by[0] = 2.5;
    edits[1].by[2] = -1.0;
    replay(&world, edits, 2);
    assert_int_equal(naive_field(&world, 22, 30, 19), -2 * 256 - 128); /* the middle between -2 and -3 */
    assert_int_equal(naive_field(&world, 25, 30, 19), -128);
    naive_world_release(&world);
}

/* A slope of 45 degrees, whose samples are sqrt(2) times the distance from it. */
static void redistance_makes_samples_of_a_slope_their_distances_from_it(void **state)
{
    (void)state;
    struct naive_world world = world_of(ramp_height, 1.0);
    const struct naive_edit edit = brush(NAIVE_REDISTANCE, 20, 20, 20, 9, 0);
    replay(&world, &edit, 1);
    for (int x = 14; x <= 26; x++)
        for (int y = 16; y <= 24; y++)
            if ((x - 20) * (x - 20) + (y - 20) * (y - 20) < 49)
                assert_near(naive_field(&world, x, y, 20), 256.0 * (y - x) / sqrt(2.0),
                            0.5001 + (y == x + 1));
    assert_int_equal(naive_field(&world, 20, 29, 20), 9 * 256); /* at the radius */
    naive_world_release(&world);
}

static void redistance_keeps_sides_and_does_nothing_where_there_is_no_surface(void **state)
{
    (void)state;
    struct naive_world world = flat_world(-1);
    struct naive_edit edits[3] = {brush(NAIVE_VOLUME_SUBTRACT, 20, -20, 20, 0.5, 30),
                                  brush(NAIVE_REDISTANCE, 20, -20, 20, 6, 0),
                                  brush(NAIVE_REDISTANCE, 20, 30, 20, 6, 0)};
    replay(&world, edits, 3);
    /* 10 above it and 19 or 20 below around: the surface is that far from the sample, on all sides. */
    assert_true(naive_field(&world, 20, -20, 20) > 0);
    assert_true(naive_field(&world, 21, -20, 20) < 0);
    assert_near(naive_field(&world, 20, -20, 20), 256.0 * 2561 / (2561 + 5375), 2.0);
    assert_int_equal(naive_field(&world, 20, 30, 20), 30 * 256 + 1);
    naive_world_release(&world);
}

static void what_carries_or_measures_ground_that_is_not_known_makes_more_unknown(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    struct naive_edit edits[3] = {brush(NAIVE_GRAB, 20, -60, 20, 10, 0),
                                  brush(NAIVE_REDISTANCE, 40, 50, 40, 12, 0),
                                  brush(NAIVE_GRAB, 20, -30, 20, 4, 0)};
    edits[0].by[1] = 5.0;
    edits[2].by[1] = 5.0;
    replay(&world, edits, 1);
    assert_int_equal(world.known_lo, -64 + 6);
    replay(&world, edits + 1, 1);
    assert_in_range(world.known_hi, 50 - 14, 50 - 12);
    replay(&world, edits + 2, 1);
    assert_int_equal(world.known_lo, -64 + 6);
    naive_world_release(&world);
}

/* ---- shapes ---- */

static void a_hard_sphere_in_the_air_stores_its_distance_within_the_band(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_node ball = sphere(32, 40, 32, 2);
    const struct naive_edit edit = shape_edit(NAIVE_UNION, &ball, 1);
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 32, 40, 32), -512);
    assert_int_equal(naive_field(&world, 34, 40, 32), 0);
    assert_int_equal(naive_field(&world, 32, 43, 32), 256);
    assert_int_equal(naive_field(&world, 33, 41, 33), -69); /* 256 (sqrt(3) - 2) = -68.59 */
    assert_int_equal(naive_field(&world, 50, 40, 32), 16 * 256);
    assert_int_equal(naive_field(&world, 51, 40, 32), 40 * 256); /* 17 voxels away: as it was */
    naive_world_release(&world);
}

static const struct naive_node tunnel = {
    .kind = NAIVE_CAPSULE, .at = {20, -30, 32}, .to = {40, -30, 32}, .radius = 5};

static void subtract_opens_solid_ground_and_leaves_air_alone(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_edit edit = shape_edit(NAIVE_SUBTRACT, &tunnel, 1);
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 30, -30, 32), 5 * 256);
    assert_int_equal(naive_field(&world, 30, -23, 32), -2 * 256);
    assert_int_equal(naive_field(&world, 17, -34, 32), 0);
    assert_int_equal(naive_field(&world, 30, -14, 32), -11 * 256);
    assert_int_equal(naive_field(&world, 30, -5, 32), -5 * 256);
    assert_int_equal(naive_field(&world, 30, 1, 32), 256);
    naive_world_release(&world);
}

static void a_smooth_union_fills_the_corner_between_shape_and_ground(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_node ball = sphere(32, 18, 32, 10);
    struct naive_edit edit = shape_edit(NAIVE_UNION, &ball, 1);
    edit.blend = smooth_8;
    replay(&world, &edit, 1);
    /* The ground and the sphere are both 4 voxels away: 4 - 8/4. */
    assert_int_equal(naive_field(&world, 32, 4, 32), 2 * 256);
    naive_world_release(&world);
}

static void intersect_keeps_only_what_lies_in_the_shape_but_nothing_changes_beyond_within(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_node ball = sphere(32, -20, 32, 10);
    struct naive_edit edit = shape_edit(NAIVE_INTERSECT, &ball, 1);
    edit.has_within = true;
    for (int i = 0; i < 3; i++) {
        edit.within[0][i] = i == 1 ? -39.5 : 12.0;
        edit.within[1][i] = i == 1 ? 5.0 : 51.75;
    }
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 32, -20, 32), -10 * 256);
    assert_int_equal(naive_field(&world, 32, -33, 32), 3 * 256);
    assert_int_equal(naive_field(&world, 51, -20, 32), 9 * 256);
    assert_int_equal(naive_field(&world, 12, -20, 32), 10 * 256);
    assert_int_equal(naive_field(&world, 52, -20, 32), -20 * 256);
    assert_int_equal(naive_field(&world, 11, -20, 32), -20 * 256);
    assert_int_equal(naive_field(&world, 32, -39, 32), 9 * 256);
    assert_int_equal(naive_field(&world, 32, -40, 32), -40 * 256);
    assert_int_equal(naive_field(&world, 32, 3, 32), 13 * 256); /* air moves away, too */
    naive_world_release(&world);
}

/* Along x from 20 to 40; turned by 90 degrees around z it stands from 20 to 40 along y. */
static void rotations_by_quarter_turns_are_as_exact_as_the_turned_numbers(void **state)
{
    (void)state;
    struct naive_world worlds[2] = {flat_world(0), flat_world(0)};
    const struct naive_node upright = {.kind = NAIVE_BOX, .at = {30, 30, 30}, .size = {6, 20, 8}};
    const struct naive_node turned[] = {
        {.kind = NAIVE_ROTATE, .children = 1, .axis = {0, 0, 5}, .degrees = -270, .at = {30, 30, 30}},
        {.kind = NAIVE_BOX, .at = {30, 30, 30}, .size = {20, 6, 8}}};
    const struct naive_edit edits[2] = {shape_edit(NAIVE_UNION, &upright, 1),
                                        shape_edit(NAIVE_UNION, turned, 2)};
    for (int i = 0; i < 2; i++)
        replay(&worlds[i], &edits[i], 1);
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < SIDE; x++)
            assert_int_equal(naive_field(&worlds[0], x, y, 30), naive_field(&worlds[1], x, y, 30));
    assert_int_equal(naive_field(&worlds[0], 30, 41, 30), 256);
    assert_int_equal(naive_field(&worlds[0], 34, 30, 30), 256);
    naive_world_release(&worlds[0]);
    naive_world_release(&worlds[1]);
}

static void scale_makes_a_shape_and_the_blends_in_it_larger(void **state)
{
    (void)state;
    struct naive_world worlds[2] = {flat_world(0), flat_world(0)};
    const struct naive_node large[] = {{.kind = NAIVE_NODE_UNION, .children = 2, .blend = smooth_8},
                                       sphere(28, 30, 30, 6),
                                       sphere(36, 30, 30, 6)};
    const struct naive_node scaled[] = {
        {.kind = NAIVE_SCALE, .children = 1, .factor = 4, .at = {32, 30, 30}},
        {.kind = NAIVE_NODE_UNION, .children = 2, .blend = {.kind = NAIVE_BLEND_SMOOTH, .width = 2}},
        sphere(31, 30, 30, 1.5),
        sphere(33, 30, 30, 1.5)};
    const struct naive_edit edits[2] = {shape_edit(NAIVE_UNION, large, 3),
                                        shape_edit(NAIVE_UNION, scaled, 4)};
    for (int i = 0; i < 2; i++)
        replay(&worlds[i], &edits[i], 1);
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < SIDE; x++)
            assert_int_equal(naive_field(&worlds[0], x, y, 31), naive_field(&worlds[1], x, y, 31));
    /* Between the two, sqrt(17) - 6 from each ... less a quarter of the width. */
    assert_int_equal(naive_field(&worlds[0], 32, 30, 31), (int)floor(256 * (sqrt(17) - 8) + 0.5));
    naive_world_release(&worlds[0]);
    naive_world_release(&worlds[1]);
}

static void operations_combine_from_left_to_right(void **state)
{
    (void)state;
    struct naive_world world = flat_world(-64 * 256);
    /* (ball less slab) with a ball in the gap: what comes last is there. */
    const struct naive_node nodes[] = {
        {.kind = NAIVE_NODE_UNION, .children = 2},
        {.kind = NAIVE_NODE_SUBTRACT, .children = 3},
        sphere(32, 20, 32, 12),
        {.kind = NAIVE_BOX, .at = {32, 20, 32}, .size = {60, 6, 60}},
        sphere(32, 32, 32, 4),
        {.kind = NAIVE_NODE_INTERSECT, .children = 2},
        sphere(32, 20, 32, 3),
        sphere(34, 20, 32, 3),
    };
    const struct naive_edit edit = shape_edit(NAIVE_UNION, nodes, sizeof nodes / sizeof *nodes);
    replay(&world, &edit, 1);
    assert_int_equal(naive_field(&world, 33, 20, 32), -2 * 256); /* in both small balls */
    assert_int_equal(naive_field(&world, 29, 20, 32), 2 * 256);  /* only in one of them, in the slab */
    assert_int_equal(naive_field(&world, 32, 25, 32), -2 * 256); /* above the slab */
    assert_int_equal(naive_field(&world, 32, 30, 32), 2 * 256);  /* in what was taken from the top */
    naive_world_release(&world);
}

/* Compares all samples of a row of z behind two unions. */
static void assert_same_solids(const struct naive_node *a, size_t a_count, const struct naive_node *b,
                               size_t b_count, int slack)
{
    struct naive_world worlds[2] = {flat_world(-64 * 256), flat_world(-64 * 256)};
    const struct naive_edit edits[2] = {shape_edit(NAIVE_UNION, a, a_count),
                                        shape_edit(NAIVE_UNION, b, b_count)};
    for (int i = 0; i < 2; i++)
        replay(&worlds[i], &edits[i], 1);
    for (int y = 0; y < 64; y++)
        for (int z = 28; z < 32; z++)
            for (int x = 0; x < SIDE; x++)
                assert_near(naive_field(&worlds[0], x, y, z), naive_field(&worlds[1], x, y, z), slack);
    naive_world_release(&worlds[0]);
    naive_world_release(&worlds[1]);
}

static void a_mesh_of_a_box_is_the_box_at_the_points_of_its_grid(void **state)
{
    (void)state;
    static double corners[8][3];
    static const int triangles[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    const struct naive_mesh cube = {8, 12, corners, triangles};
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++)
            corners[k][i] = (k >> i & 1 ? 40.25 : 24.0) - (i == 1 ? 4.0 : 0.0);
    const struct naive_node mesh = {.kind = NAIVE_MESH, .mesh = &cube, .cell = 1.0};
    const struct naive_node box = {
        .kind = NAIVE_BOX, .at = {32.125, 28.125, 32.125}, .size = {16.25, 16.25, 16.25}};
    assert_same_solids(&mesh, 1, &box, 1, 0);
}

static void a_field_has_the_signs_of_what_its_surface_winds_around(void **state)
{
    (void)state;
    struct log_gen_case c;
    bool seen_hollow = false;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        assert_true(log_gen_case_init(&c, seed));
        for (size_t i = 0; i < c.node_count; i++) {
            const struct naive_node *node = &c.nodes[i];
            struct naive_grid grid;
            if (node->kind != NAIVE_MESH)
                continue;
            assert_true(naive_grid_make(node->mesh, node->cell, 1.0, &grid));
            int inside = 0;
            for (int k = 0; k < grid.size[0] * grid.size[1] * grid.size[2]; k++)
                inside += grid.samples[k] < 0;
            assert_true(grid.samples[0] > 0);
            assert_true(inside > 0 || node->mesh->corner_count == 4); /* one is thinner than a cell */
            seen_hollow = seen_hollow || (node->mesh->corner_count == 16 && inside > 100);
            naive_grid_release(&grid);
        }
        log_gen_case_release(&c);
    }
    assert_true(seen_hollow);
}

static void copies_are_the_union_of_what_they_copy(void **state)
{
    (void)state;
    const struct naive_node repeated[] = {
        {.kind = NAIVE_REPEAT, .children = 1, .to = {16, 12, 0}, .count = {2, 2, 1}}, sphere(20, 20, 30, 4)};
    const struct naive_node four[] = {{.kind = NAIVE_NODE_UNION, .children = 4},
                                      sphere(20, 20, 30, 4),
                                      sphere(36, 20, 30, 4),
                                      sphere(20, 32, 30, 4),
                                      sphere(36, 32, 30, 4)};
    const struct naive_node mirrored[] = {
        {.kind = NAIVE_MIRROR, .children = 1, .at = {28, 0, 0}, .axis = {0.5, 0, 0}},
        {.kind = NAIVE_CAPSULE, .at = {20, 20, 30}, .to = {20, 32, 30}, .radius = 4}};
    const struct naive_node two[] = {
        {.kind = NAIVE_NODE_UNION, .children = 2},
        {.kind = NAIVE_CAPSULE, .at = {20, 20, 30}, .to = {20, 32, 30}, .radius = 4},
        {.kind = NAIVE_CAPSULE, .at = {36, 20, 30}, .to = {36, 32, 30}, .radius = 4}};
    assert_same_solids(repeated, 2, four, 5, 0);
    assert_same_solids(mirrored, 2, two, 3, 0);
}

/* What points are moved by is nothing here, or what a plainer shape has. */
static void moved_points_lead_to_the_shape_itself(void **state)
{
    (void)state;
    const struct naive_node ball = sphere(30, 30, 30, 7);
    const struct naive_node long_one = {
        .kind = NAIVE_CAPSULE, .at = {26, 30, 30}, .to = {34, 30, 30}, .radius = 7};
    const struct naive_node twisted[] = {
        {.kind = NAIVE_TWIST, .children = 1, .at = {30, 0, 30}, .axis = {0, 3, 0}, .degrees = 5}, ball};
    const struct naive_node bent[] = {
        {.kind = NAIVE_BEND, .children = 1, .at = {20, 30, 30}, .axis = {0, 0, 1}, .along = {1, 0, 0}}, ball};
    const struct naive_node tapered[] = {
        {.kind = NAIVE_TAPER, .children = 1, .at = {30, 0, 30}, .to = {30, 60, 30}, .factor = 1.0}, ball};
    const struct naive_node stretched[] = {
        {.kind = NAIVE_ELONGATE, .children = 1, .at = {30, 30, 30}, .to = {8, 0, 0}}, ball};
    assert_same_solids(twisted, 2, &ball, 1, 1);
    assert_same_solids(bent, 2, &ball, 1, 1);
    assert_same_solids(tapered, 2, &ball, 1, 1);
    assert_same_solids(stretched, 2, &long_one, 1, 1);
}

static void prisms_pyramids_and_octahedra_have_flat_faces_where_they_should(void **state)
{
    (void)state;
    static const struct {
        struct naive_node node;
        int p[3], expected;
    } cases[] = {
        {{.kind = NAIVE_PRISM, .at = {32, 10, 32}, .to = {32, 30, 32}, .radius = 10, .sides = 4},
         {32, 35, 32},
         1280},
        {{.kind = NAIVE_PRISM, .at = {32, 10, 32}, .to = {32, 30, 32}, .radius = 10, .sides = 4},
         {32, 13, 32},
         -768},
        {{.kind = NAIVE_PRISM, .at = {32, 10, 32}, .to = {32, 30, 32}, .radius = 10, .sides = 4},
         {45, 34, 32},
         1280},
        {{.kind = NAIVE_PYRAMID, .at = {32, 10, 32}, .size = {30, 20, 30}}, {32, 36, 32}, 1536},
        {{.kind = NAIVE_PYRAMID, .at = {32, 10, 32}, .size = {30, 20, 30}}, {47, 30, 32}, 3072},
        {{.kind = NAIVE_OCTAHEDRON, .at = {32, 20, 32}, .radius = 12},
         {32, 20, 32},
         -1774}, /* 12 / sqrt(3) */
        {{.kind = NAIVE_OCTAHEDRON, .at = {32, 20, 32}, .radius = 12}, {32, 5, 32}, 768},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct naive_world world = flat_world(-64 * 256);
        const struct naive_edit edit = shape_edit(NAIVE_UNION, &cases[i].node, 1);
        const int *p = cases[i].p;
        replay(&world, &edit, 1);
        assert_int_equal(naive_field(&world, p[0], p[1], p[2]), cases[i].expected);
        naive_world_release(&world);
    }
}

static void a_displaced_shape_is_displaced_by_the_noise_where_it_stands_in_the_world(void **state)
{
    (void)state;
    const struct naive_node ball = sphere(32, 30, 30, 9);
    const struct naive_node displaced[] = {
        {.kind = NAIVE_DISPLACE, .children = 1, .length = 4, .scale = 8, .octaves = 1, .seed = 5}, ball};
    struct naive_world worlds[2] = {flat_world(-64 * 256), flat_world(-64 * 256)};
    const struct naive_edit edits[2] = {shape_edit(NAIVE_UNION, &ball, 1),
                                        shape_edit(NAIVE_UNION, displaced, 2)};
    int changed = 0;
    for (int i = 0; i < 2; i++)
        replay(&worlds[i], &edits[i], 1);
    for (int x = 16; x <= 48; x++)
        for (int y = 16; y <= 48; y++) {
            int d[2] = {naive_field(&worlds[0], x, y, 32), naive_field(&worlds[1], x, y, 32)};
            if (x % 8 == 0 && y % 8 == 0)
                assert_int_equal(d[0], d[1]);
            changed += d[0] != d[1];
        }
    assert_true(changed > 500);
    naive_world_release(&worlds[0]);
    naive_world_release(&worlds[1]);
}

static void carved_stays_carved_and_added_stays_added_when_heights_move(void **state)
{
    (void)state;
    const struct naive_node below = sphere(20, -20, 20, 4), above = sphere(20, 20, 20, 4);
    struct naive_edit edits[3] = {shape_edit(NAIVE_SUBTRACT, &below, 1), shape_edit(NAIVE_UNION, &above, 1),
                                  brush(NAIVE_RAISE, 20, 0, 20, 30, 10)};
    struct naive_world world = flat_world(0);
    replay(&world, edits, 3);
    assert_int_equal(naive_field(&world, 20, -20, 20), 4 * 256); /* the cave */
    assert_int_equal(naive_field(&world, 20, 20, 20), -4 * 256); /* the ball */
    assert_int_equal(naive_field(&world, 20, 5, 20), -5 * 256);  /* ground that followed */
    /* Air below the ball: ground 2 below is nearer than the ball at 4. */
    assert_int_equal(naive_field(&world, 20, 12, 20), 2 * 256);
    naive_world_release(&world);
    edits[2] = brush(NAIVE_LOWER, 20, 0, 20, 30, 30);
    world = flat_world(0);
    replay(&world, edits, 3);
    assert_int_equal(naive_field(&world, 20, -20, 20),
                     10 * 256); /* the cave lies open: air over ground at -30 */
    assert_int_equal(naive_field(&world, 20, 20, 20), -4 * 256);
    naive_world_release(&world);
}

/* ---- paint ---- */

static void paint_reaches_columns_in_the_plane_and_in_space_where_their_ground_is(void **state)
{
    (void)state;
    struct naive_world world = flat_world(300); /* the ground is the sample y = 1 */
    struct naive_edit edits[3] = {brush(NAIVE_PAINT, 10, 0, 10, 3, 0),
                                  brush(NAIVE_VOLUME_PAINT, 30, 6, 30, 5.5, 0),
                                  brush(NAIVE_PAINT, 11, 0, 10, 0.5, 0)};
    edits[0].material = 7;
    edits[1].material = 255;
    replay(&world, edits, 3);
    assert_int_equal(naive_column_paint(&world, 10, 12), 7);
    assert_int_equal(naive_column_paint(&world, 10, 13), 0);
    assert_int_equal(naive_column_paint(&world, 11, 10), 0); /* material 0 takes it away */
    assert_int_equal(naive_column_paint(&world, 30, 30), 255);
    assert_int_equal(naive_column_paint(&world, 32, 30), 255); /* 5.39 away */
    assert_int_equal(naive_column_paint(&world, 33, 30), 0);   /* 5.83 */
    for (int y = -64; y < 64; y++)
        assert_int_equal(naive_sample_paint(&world, 30, y, 30), 0); /* all are the height field */
    naive_world_release(&world);
}

static void paint_of_a_sample_goes_when_the_height_field_takes_it_back(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_node ball = sphere(20, 10, 20, 4);
    struct naive_edit edits[3] = {shape_edit(NAIVE_UNION, &ball, 1), shape_edit(NAIVE_SHAPE_PAINT, &ball, 1),
                                  brush(NAIVE_RAISE, 20, 0, 20, 30, 100)};
    edits[1].material = 9;
    replay(&world, edits, 2);
    assert_int_equal(naive_sample_paint(&world, 20, 10, 20), 9);
    assert_int_equal(naive_sample_paint(&world, 20, 15, 20), 9); /* a voxel outside */
    assert_int_equal(naive_sample_paint(&world, 20, 16, 20), 0);
    assert_int_equal(naive_column_paint(&world, 20, 20), 0); /* its ground is below the ball */
    replay(&world, edits + 2, 1);
    assert_int_equal(naive_field(&world, 20, 10, 20), -90 * 256); /* buried */
    assert_int_equal(naive_sample_paint(&world, 20, 10, 20), 0);
    naive_world_release(&world);
}

static void a_shape_paints_no_sample_beyond_within(void **state)
{
    (void)state;
    struct naive_world world = flat_world(0);
    const struct naive_node ball = sphere(20, 0, 20, 6);
    struct naive_edit edits[2] = {brush(NAIVE_VOLUME_SUBTRACT, 20, 0, 20, 20, 1),
                                  shape_edit(NAIVE_SHAPE_PAINT, &ball, 1)};
    edits[1].material = 3;
    edits[1].has_within = true;
    for (int i = 0; i < 3; i++) {
        edits[1].within[0][i] = i == 1 ? 1.0 : 18.0;
        edits[1].within[1][i] = i == 1 ? 4.0 : 22.0;
    }
    replay(&world, edits, 2);
    assert_int_equal(naive_sample_paint(&world, 18, 1, 22), 3);
    assert_int_equal(naive_sample_paint(&world, 17, 1, 20), 0);
    assert_int_equal(naive_sample_paint(&world, 20, 0, 20), 0);
    assert_int_equal(naive_column_paint(&world, 20, 20), 0); /* its ground, the sample y = 0, is not within */
    naive_world_release(&world);
}

/* ---- frames, far and large ---- */

/* An edit moved by whole chunks gives the same bytes, moved: every sample is evaluated in the frame of its owner. */
static void edits_moved_by_whole_chunks_give_the_same_bytes(void **state)
{
    (void)state;
    enum { WIDE = 3 * 64 + 1 };
    static int32_t heights[WIDE * SIDE];
    struct naive_node capsule = {.kind = NAIVE_CAPSULE, .at = {60.1, -3.3, 7.7}, .to = {75.9, -20.1, 40.3}};
    struct naive_edit edits[3] = {brush(NAIVE_RAISE, 50.3, 0, 20.7, 17.1, 3.3),
                                  shape_edit(NAIVE_SUBTRACT, &capsule, 1),
                                  brush(NAIVE_VOLUME_NOISE, 61.7, 3.1, 20.7, 9.3, 3.3)};
    struct naive_world world, moved;
    capsule.radius = 4.7;
    edits[0].falloff = edits[2].falloff = NAIVE_FALLOFF_ROOT;
    edits[1].blend = (struct naive_blend){.kind = NAIVE_BLEND_SMOOTH, .width = 3.1};
    edits[2].scale = 16.0; /* a lattice that goes up in a chunk; its cells differ */
    edits[2].octaves = 2;
    assert_true(naive_world_init(&world, 3, 1, -1, 0, 1.0, heights));
    assert_true(naive_world_init(&moved, 3, 1, -1, 0, 1.0, heights));
    replay(&world, edits, 2);
    for (int i = 0; i < 3; i++)
        edits[i].place.at[0] += 64;
    capsule.at[0] += 64;
    capsule.to[0] += 64;
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
    const struct naive_node ball = sphere(31.3, 10.25 - radius, 30.9, radius);
    const struct naive_edit edit = shape_edit(NAIVE_UNION, &ball, 1);
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

static void metres_become_voxels_of_any_size(void **state)
{
    (void)state;
    flat_height = 0;
    struct naive_world world = world_of(give_flat_height, 0.3);
    const struct naive_node ball = sphere(9.0, 3.0, 6.0, 1.5); /* 30, 10, 20; 5 */
    const struct naive_edit edits[2] = {shape_edit(NAIVE_UNION, &ball, 1),
                                        brush(NAIVE_RAISE, 15, 0, 15, 0.6, 0.3)};
    replay(&world, edits, 2);
    assert_int_equal(naive_field(&world, 30, 10, 20), -5 * 256);
    assert_int_equal(naive_field(&world, 30, 16, 20), 256);
    assert_int_equal(naive_height(&world, 50, 51), 256);
    assert_int_equal(naive_height(&world, 50, 52), 0);
    naive_world_release(&world);
}

/* ---- random logs ---- */

/* The replay itself fails beyond a unit; here, that the check measures at all and how close it comes. */
static void random_logs_stay_within_a_unit_of_their_meaning(void **state)
{
    (void)state;
    double worst_height = 0.0, worst_sample = 0.0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct log_gen_case c;
        struct naive_world world;
        struct naive_report report;
        assert_true(log_gen_case_init(&c, seed));
        assert_true(
            naive_world_init(&world, c.chunks_x, c.chunks_z, c.row_lo, c.row_hi, c.voxel_size, c.heights));
        if (!naive_replay(&world, c.edits, c.count, &report))
            fail_msg("seed %llu, edit %zu, %s at %d %d %d: found %g, expected %g", (unsigned long long)seed,
                     report.edit + 1, report.what, report.x, report.y, report.z, report.found,
                     report.expected);
        worst_height = fmax(worst_height, report.worst_height);
        worst_sample = fmax(worst_sample, report.worst_sample);
        naive_world_release(&world);
        log_gen_case_release(&c);
    }
    print_message("worst difference: height %.4f, sample %.4f units\n", worst_height, worst_sample);
    assert_true(worst_height > 0.25 && worst_height <= 1.0);
    assert_true(worst_sample > 0.25 && worst_sample <= 1.0);
}

/* Every operation, falloff, primitive, blend, transform and modifier, strokes and `within`, and deep trees. */
static void random_logs_have_everything_in_them(void **state)
{
    (void)state;
    int ops[NAIVE_SHAPE_PAINT + 1] = {0}, kinds[NAIVE_KIND_COUNT] = {0}, blends[4] = {0}, falloffs[9] = {0};
    int strokes = 0, projected = 0, within = 0, large_trees = 0, profiles[3] = {0};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct log_gen_case c;
        assert_true(log_gen_case_init(&c, seed));
        for (size_t i = 0; i < c.count; i++) {
            const struct naive_edit *edit = &c.edits[i];
            ops[edit->op]++;
            strokes += edit->path != NULL;
            projected += edit->projected;
            within += edit->has_within;
            large_trees += edit->shape_count > 40;
            if (!naive_is_shape(edit->op))
                falloffs[edit->falloff]++;
            else
                blends[edit->blend.kind]++;
            for (size_t k = 0; k < edit->shape_count; k++) {
                kinds[edit->shape[k].kind]++;
                profiles[edit->shape[k].profile] += edit->shape[k].kind == NAIVE_TUBE;
            }
        }
        log_gen_case_release(&c);
    }
    for (int i = 0; i <= NAIVE_SHAPE_PAINT; i++)
        assert_true(ops[i] >= 20);
    for (int i = 0; i < NAIVE_KIND_COUNT; i++)
        assert_true(kinds[i] >= 30);
    for (int i = 0; i < 9; i++)
        assert_true(falloffs[i] >= 20);
    for (int i = 0; i < 4; i++)
        assert_true(blends[i] >= 20);
    for (int i = 0; i < 3; i++)
        assert_true(profiles[i] >= 5);
    assert_true(strokes >= 50 && projected >= 20 && within >= 20 && large_trees >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_falloffs_have_their_known_values_at_half_the_radius),
        cmocka_unit_test(oracle_smooth_union_dips_by_a_quarter_of_its_width_where_both_are_equal),
        cmocka_unit_test(oracle_chamfer_cuts_both_solids_at_its_width),
        cmocka_unit_test(oracle_stairs_have_their_steps),
        cmocka_unit_test(oracle_primitives_have_the_distances_that_a_ruler_gives),
        cmocka_unit_test(oracle_transforms_move_the_shape_and_not_the_point),
        cmocka_unit_test(oracle_modifiers_do_what_their_words_say),
        cmocka_unit_test(oracle_images_go_evenly_from_pixel_to_pixel),
        cmocka_unit_test(halved_images_have_the_pixels_of_the_oracle),
        cmocka_unit_test(sin_and_cos_are_those_of_the_format_to_the_bit),
        cmocka_unit_test(turns_are_those_of_the_kernels_to_the_bit),
        cmocka_unit_test(curves_go_through_their_points),
        cmocka_unit_test(stamps_stand_at_whole_spacings_along_the_path),
        cmocka_unit_test(a_path_without_spacing_has_a_stamp_every_half_radius),
        cmocka_unit_test(raise_linear_is_a_cone),
        cmocka_unit_test(heights_saturate_at_their_limits),
        cmocka_unit_test(smooth_spreads_a_spike_to_its_neighbours),
        cmocka_unit_test(smooth_reads_the_last_sample_again_beyond_the_world),
        cmocka_unit_test(hc_smooth_moves_a_height_by_what_its_bend_differs_from_those_around),
        cmocka_unit_test(hc_smooth_keeps_what_is_bent_alike_everywhere),
        cmocka_unit_test(flatten_goes_part_of_the_way_and_set_all_of_it),
        cmocka_unit_test(flatten_without_height_takes_that_of_the_nearest_column_once),
        cmocka_unit_test(noise_leaves_lattice_points_alone_and_differs_by_seed),
        cmocka_unit_test(add_and_subtract_move_the_surface_by_their_strength),
        cmocka_unit_test(samples_saturate_at_their_limits),
        cmocka_unit_test(a_projected_brush_is_a_cylinder_as_high_as_wide),
        cmocka_unit_test(a_volume_smooth_spreads_a_spike_to_six_neighbours),
        cmocka_unit_test(a_smooth_at_the_end_of_the_rows_takes_a_row_from_what_is_known),
        cmocka_unit_test(a_volume_flatten_cuts_to_its_plane),
        cmocka_unit_test(volume_noise_leaves_lattice_points_alone),
        cmocka_unit_test(a_stamp_lies_with_its_left_edge_west_and_its_upper_one_north_and_turns_from_there),
        cmocka_unit_test(a_stamp_in_space_lies_in_the_plane_that_its_normal_is_up_from),
        cmocka_unit_test(an_image_finer_than_two_pixels_a_voxel_is_halved_for_its_stamp),
        cmocka_unit_test(inflate_moves_the_surface_by_its_strength_however_steep_the_field_is),
        cmocka_unit_test(pinch_takes_samples_from_twice_as_far_from_the_centre),
        cmocka_unit_test(grab_carries_the_ground_along),
        cmocka_unit_test(redistance_makes_samples_of_a_slope_their_distances_from_it),
        cmocka_unit_test(redistance_keeps_sides_and_does_nothing_where_there_is_no_surface),
        cmocka_unit_test(what_carries_or_measures_ground_that_is_not_known_makes_more_unknown),
        cmocka_unit_test(a_hard_sphere_in_the_air_stores_its_distance_within_the_band),
        cmocka_unit_test(subtract_opens_solid_ground_and_leaves_air_alone),
        cmocka_unit_test(a_smooth_union_fills_the_corner_between_shape_and_ground),
        cmocka_unit_test(intersect_keeps_only_what_lies_in_the_shape_but_nothing_changes_beyond_within),
        cmocka_unit_test(rotations_by_quarter_turns_are_as_exact_as_the_turned_numbers),
        cmocka_unit_test(scale_makes_a_shape_and_the_blends_in_it_larger),
        cmocka_unit_test(operations_combine_from_left_to_right),
        cmocka_unit_test(a_mesh_of_a_box_is_the_box_at_the_points_of_its_grid),
        cmocka_unit_test(a_field_has_the_signs_of_what_its_surface_winds_around),
        cmocka_unit_test(copies_are_the_union_of_what_they_copy),
        cmocka_unit_test(moved_points_lead_to_the_shape_itself),
        cmocka_unit_test(prisms_pyramids_and_octahedra_have_flat_faces_where_they_should),
        cmocka_unit_test(a_displaced_shape_is_displaced_by_the_noise_where_it_stands_in_the_world),
        cmocka_unit_test(carved_stays_carved_and_added_stays_added_when_heights_move),
        cmocka_unit_test(paint_reaches_columns_in_the_plane_and_in_space_where_their_ground_is),
        cmocka_unit_test(paint_of_a_sample_goes_when_the_height_field_takes_it_back),
        cmocka_unit_test(a_shape_paints_no_sample_beyond_within),
        cmocka_unit_test(edits_moved_by_whole_chunks_give_the_same_bytes),
        cmocka_unit_test(surface_of_a_sphere_of_100000_voxels_is_right_to_a_unit),
        cmocka_unit_test(metres_become_voxels_of_any_size),
        cmocka_unit_test(random_logs_stay_within_a_unit_of_their_meaning),
        cmocka_unit_test(random_logs_have_everything_in_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
