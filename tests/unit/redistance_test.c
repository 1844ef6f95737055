/* Redistance (shaders/redistance.h, lib/edit/apply_redistance.c): fields of known surfaces, distorted as sculpting distorts them, become
 * distances again and keep their surface; and the order of everything, against plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/edit/apply.h"

#include <math.h>
#include <stdlib.h>

#define RADIUS 44             /* of the brush, at the middle of the region */
#define SIDE (2 * RADIUS + 3) /* of the region */
#define MIDDLE (RADIUS + 1)
#define SAMPLES (SIDE * SIDE * SIDE)
#define BAND 8.0 /* voxels from the surface, where samples must be distances */
#define RIM                                                                                                  \
    14.0 /* voxels from the brush's rim, beyond which a surface may be that the region does not show */

static int16_t before[SAMPLES], after[SAMPLES], again[SAMPLES];

static uint64_t random_state = 1;

static int random_int(int lo, int hi)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return lo + (int)((random_state >> 33) % (uint64_t)(hi - lo + 1));
}

static void must(enum tr_status status, const struct tr_error *error)
{
    if (status != TR_OK)
        fail_msg("status %d: %s", status, error->text);
}

static tr_edit_slot whole_brush(void)
{
    tr_edit_slot slot = {.op = TR_SLOT_REDISTANCE, .hi_x = SIDE - 1, .hi_y = SIDE - 1, .hi_z = SIDE - 1};

    slot.cx = slot.cy = slot.cz = MIDDLE;
    slot.radius = 1.0f / (float)RADIUS;
    return slot;
}

static void redistance(const int16_t *from, int16_t *to)
{
    const uint32_t size[3] = {SIDE, SIDE, SIDE};
    tr_edit_slot slot = whole_brush();
    struct tr_error error;

    must(tr_apply_redistance(&slot, from, size, to, &error), &error);
}

/* --- surfaces --- */

/* Signed distances, negative inside; x, y, z from the middle. Medial axes are farther than BAND + 6 from the surfaces. */
static double sphere(double x, double y, double z)
{
    return sqrt((x - 0.3) * (x - 0.3) + (y + 0.2) * (y + 0.2) + z * z) - 16.3;
}

static double torus(double x, double y, double z)
{
    double ring = sqrt((x - 0.3) * (x - 0.3) + (z - 0.1) * (z - 0.1)) - 31.0;

    return sqrt(ring * ring + (y + 0.4) * (y + 0.4)) - 14.7;
}

static double plane(double x, double y, double z)
{
    return 0.48 * x + 0.6 * y + 0.64 * z - 0.37;
}

struct surface {
    const char *name;
    double (*distance)(double x, double y, double z);
};
static const struct surface surfaces[] = {{"sphere", sphere}, {"torus", torus}, {"plane", plane}};
#define SURFACES ((int)(sizeof surfaces / sizeof *surfaces))

static double distance_at(const struct surface *surface, double x, double y, double z)
{
    return surface->distance(x - MIDDLE, y - MIDDLE, z - MIDDLE);
}

/* Distances times a factor between 0.5 and 2.5 that changes from place to place. */
static void fill_distorted(const struct surface *surface)
{
    for (int i = 0; i < SAMPLES; i++) {
        int x = i % SIDE, y = i / (SIDE * SIDE), z = i / SIDE % SIDE;
        double factor = 1.5 + sin(0.2 * x + 0.1 * y) * cos(0.17 * z - 0.05 * y);
        double units = 256.0 * factor * distance_at(surface, x, y, z);
        before[i] = (int16_t)floor(fmin(fmax(units, -TR_SDF_MAX), TR_SDF_MAX) + 0.5);
    }
}

/* How far a sample is from the brush's middle, voxels. */
static double from_middle(int i)
{
    int x = i % SIDE - MIDDLE, y = i / (SIDE * SIDE) - MIDDLE, z = i / SIDE % SIDE - MIDDLE;

    return sqrt(x * x + y * y + z * z);
}

static bool is_in_band(const struct surface *surface, int i)
{
    return from_middle(i) < RADIUS - RIM &&
           fabs(distance_at(surface, i % SIDE, i / (SIDE * SIDE), i / SIDE % SIDE)) <= BAND;
}

static double gradient_length(const int16_t *samples, int i)
{
    double x = samples[i + 1] - samples[i - 1], z = samples[i + SIDE] - samples[i - SIDE];
    double y = samples[i + SIDE * SIDE] - samples[i - SIDE * SIDE];

    return sqrt(x * x + y * y + z * z) / 512.0;
}

/* Bounds of the gradient's length over the band. */
static void gradient_bounds(const struct surface *surface, const int16_t *samples, double *least,
                            double *most)
{
    *least = INFINITY;
    *most = 0.0;
    for (int i = 0; i < SAMPLES; i++)
        if (is_in_band(surface, i)) {
            *least = fmin(*least, gradient_length(samples, i));
            *most = fmax(*most, gradient_length(samples, i));
        }
}

/* The farthest that a sample of the band is from the true distance. */
static double distance_error(const struct surface *surface, const int16_t *samples)
{
    double worst = 0.0;

    for (int i = 0; i < SAMPLES; i++) {
        double distance = distance_at(surface, i % SIDE, i / (SIDE * SIDE), i / SIDE % SIDE);
        if (is_in_band(surface, i))
            worst = fmax(worst, fabs(samples[i] / 256.0 - distance));
    }
    return worst;
}

static void samples_near_the_surface_become_distances(void **state)
{
    (void)state;
    for (int k = 0; k < SURFACES; k++) {
        double least, most, worst;
        fill_distorted(&surfaces[k]);
        gradient_bounds(&surfaces[k], before, &least, &most);
        assert_true(least < 0.6 && most > 2.2); /* else there would be nothing to do */
        redistance(before, after);
        gradient_bounds(&surfaces[k], after, &least, &most);
        if (least < 0.95 || most > 1.05)
            fail_msg("%s: gradients from %.4f to %.4f, expected 0.95 to 1.05", surfaces[k].name, least, most);
        worst = distance_error(&surfaces[k], after);
        if (worst > 0.08)
            fail_msg("%s: a sample is %.4f voxel off, expected at most 0.08", surfaces[k].name, worst);
    }
}

/* The farthest that any crossing between samples well within the brush is from the true surface. */
static double surface_error(const struct surface *surface, const int16_t *samples)
{
    const int steps[3] = {1, SIDE * SIDE, SIDE};
    double worst = 0.0;

    for (int i = 0; i < SAMPLES; i++)
        for (int axis = 0; axis < 3 && from_middle(i) < RADIUS - 2; axis++) {
            double s = samples[i], next = samples[i + steps[axis]], way = s / (s - next);
            if ((s <= 0) == (next <= 0))
                continue;
            worst = fmax(worst, fabs(distance_at(surface, i % SIDE + (axis == 0 ? way : 0),
                                                 i / (SIDE * SIDE) + (axis == 1 ? way : 0),
                                                 i / SIDE % SIDE + (axis == 2 ? way : 0))));
        }
    return worst;
}

static void the_surface_moves_less_than_a_16th_of_a_voxel(void **state)
{
    (void)state;
    for (int k = 0; k < SURFACES; k++) {
        double error;
        fill_distorted(&surfaces[k]);
        redistance(before, after);
        error = surface_error(&surfaces[k], after);
        if (error >= 1.0 / 16.0)
            fail_msg("%s: a crossing is %.4f voxel from the surface, expected below 0.0625; %.4f before",
                     surfaces[k].name, error, surface_error(&surfaces[k], before));
    }
}

static void every_sample_keeps_its_side(void **state)
{
    (void)state;
    for (int k = 0; k <= SURFACES; k++) {
        if (k < SURFACES)
            fill_distorted(&surfaces[k]);
        for (int i = 0; i < SAMPLES && k == SURFACES; i++)
            before[i] = (int16_t)random_int(-3, 3);
        redistance(before, after);
        for (int i = 0; i < SAMPLES; i++)
            if ((after[i] <= 0) != (before[i] <= 0))
                fail_msg("field %d, sample (%d, %d, %d): %d became %d", k, i % SIDE, i / (SIDE * SIDE),
                         i / SIDE % SIDE, before[i], after[i]);
    }
}

static void samples_at_the_radius_and_beyond_and_outside_the_box_stay(void **state)
{
    const uint32_t size[3] = {SIDE, SIDE, SIDE};
    tr_edit_slot slot = whole_brush();
    struct tr_error error;
    int changes = 0;

    (void)state;
    slot.radius = 1.0f / 30.0f;
    slot.lo_x = 40;
    slot.hi_y = 50;
    fill_distorted(&surfaces[2]);
    must(tr_apply_redistance(&slot, before, size, after, &error), &error);
    for (int i = 0; i < SAMPLES; i++) {
        bool is_within = from_middle(i) < 30 && i % SIDE >= 40 && i / (SIDE * SIDE) <= 50;
        changes += after[i] != before[i];
        if (!is_within && after[i] != before[i])
            fail_msg("sample (%d, %d, %d): %d became %d", i % SIDE, i / (SIDE * SIDE), i / SIDE % SIDE,
                     before[i], after[i]);
    }
    assert_true(changes > 10000);
}

static void without_a_crossing_all_samples_stay(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < SAMPLES; i++)
            before[i] = (int16_t)(side < 0 ? -random_int(0, 5000) : random_int(1, 5000));
        redistance(before, after);
        assert_memory_equal(after, before, sizeof after);
    }
}

/* What is a distance already stays one: a second time changes a sample of the band by less than a unit on the average and by less than 1/12
 * voxel anywhere, and however often it is done the surface stays where it is. */
static void a_second_time_changes_next_to_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < SURFACES; k++) {
        int worst = 0, count = 0;
        double sum = 0.0, error;
        fill_distorted(&surfaces[k]);
        redistance(before, after);
        redistance(after, again);
        for (int i = 0; i < SAMPLES; i++)
            if (is_in_band(&surfaces[k], i)) {
                int change = abs(again[i] - after[i]);
                worst = change > worst ? change : worst;
                sum += change;
                count++;
            }
        if (worst > 21 || sum > count)
            fail_msg("%s: samples change by up to %d units, by %.3f on the average, expected 21 and 1",
                     surfaces[k].name, worst, sum / count);
        for (int time = 3; time <= 5; time++) {
            memcpy(after, again, sizeof after);
            redistance(after, again);
        }
        error = surface_error(&surfaces[k], again);
        if (error >= 1.0 / 16.0)
            fail_msg("%s: after 5 times a crossing is %.4f voxel from the surface, expected below 0.0625",
                     surfaces[k].name, error);
    }
}

/* --- the order of everything --- */

#define SMALL 24

/* A region as EDITS.md describes the operation on it, in plain loops. */
struct region {
    int size[3];
    int16_t samples[SMALL * SMALL * SMALL];
    tr_crossing_point crossings[3 * SMALL * SMALL * SMALL];
    int crossing_count;
    int nearest[SMALL * SMALL * SMALL]; /* -1: none */
};

static int place(const struct region *region, const int p[3])
{
    return (p[1] * region->size[2] + p[2]) * region->size[0] + p[0];
}

static bool is_in_region(const struct region *region, const int p[3])
{
    for (int i = 0; i < 3; i++)
        if (p[i] < 0 || p[i] >= region->size[i])
            return false;
    return true;
}

/* The difference of the neighbours along an axis, those beyond the region the last in it. */
static int difference(const struct region *region, const int p[3], int axis)
{
    int low[3] = {p[0], p[1], p[2]}, high[3] = {p[0], p[1], p[2]};

    low[axis] -= low[axis] > 0;
    high[axis] += high[axis] + 1 < region->size[axis];
    return region->samples[place(region, high)] - region->samples[place(region, low)];
}

static void take_if_nearer(struct region *region, const int p[3], int crossing)
{
    int *nearest = &region->nearest[place(region, p)];

    if (*nearest < 0 || tr_redistance_square(region->crossings[crossing], p[0], p[1], p[2]) <
                            tr_redistance_square(region->crossings[*nearest], p[0], p[1], p[2]))
        *nearest = crossing;
}

static void find_crossing(struct region *region, const int p[3], int axis)
{
    int q[3] = {p[0], p[1], p[2]}, s = region->samples[place(region, p)], next, g[3], h[3];

    q[axis]++;
    if (!is_in_region(region, q))
        return;
    next = region->samples[place(region, q)];
    if ((s <= 0) == (next <= 0))
        return;
    for (int i = 0; i < 3; i++) {
        g[i] = difference(region, p, i);
        h[i] = difference(region, q, i);
    }
    region->crossings[region->crossing_count] = tr_redistance_crossing(
        p[0], p[1], p[2], axis, tr_redistance_way(s, next), g[0], g[1], g[2], h[0], h[1], h[2]);
    take_if_nearer(region, p, region->crossing_count);
    take_if_nearer(region, q, region->crossing_count);
    region->crossing_count++;
}

static void find_crossings(struct region *region)
{
    int p[3];

    region->crossing_count = 0;
    for (int i = 0; i < SMALL * SMALL * SMALL; i++)
        region->nearest[i] = -1;
    for (p[1] = 0; p[1] < region->size[1]; p[1]++)
        for (p[2] = 0; p[2] < region->size[2]; p[2]++)
            for (p[0] = 0; p[0] < region->size[0]; p[0]++)
                for (int axis = 0; axis < 3; axis++)
                    find_crossing(region, p, axis);
}

static void look_around(struct region *region, const int p[3])
{
    for (int dy = -1; dy <= 1; dy++)
        for (int dz = -1; dz <= 1; dz++)
            for (int dx = -1; dx <= 1; dx++) {
                const int q[3] = {p[0] + dx, p[1] + dy, p[2] + dz};
                if (is_in_region(region, q) && region->nearest[place(region, q)] >= 0)
                    take_if_nearer(region, p, region->nearest[place(region, q)]);
            }
}

/* Passes from 1: which axes descend. */
static void sweep(struct region *region, int pass)
{
    bool x_descends = pass % 2 == 0, z_descends = pass >= 5;
    bool y_descends = pass == 3 || pass == 4 || pass == 7 || pass == 8;
    const int *size = region->size;

    for (int j = 0; j < size[1]; j++)
        for (int k = 0; k < size[2]; k++)
            for (int i = 0; i < size[0]; i++) {
                const int p[3] = {x_descends ? size[0] - 1 - i : i, y_descends ? size[1] - 1 - j : j,
                                  z_descends ? size[2] - 1 - k : k};
                look_around(region, p);
            }
}

static int sample_expected(const struct region *region, const tr_edit_slot *slot, const int p[3])
{
    int s = region->samples[place(region, p)], nearest = region->nearest[place(region, p)];

    if (nearest < 0 || !tr_slot_covers(*slot, p[0], p[1], p[2]) ||
        !(tr_volume_distance(*slot, p[0], p[1], p[2]) < 1.0f))
        return s;
    return tr_redistance_sample(region->crossings[nearest], p[0], p[1], p[2], s);
}

/* Regions of all sizes, flat ones too; noise, steps of few units (ties, samples of 0), slopes. */
static void region_make(struct region *region, int number)
{
    int range = number % 3 == 0 ? 2 : 3000, slope = number % 3 == 2 ? 700 : 0;

    for (int i = 0; i < 3; i++)
        region->size[i] = number % 7 == i ? 1 : random_int(1, SMALL);
    for (int i = 0; i < SMALL * SMALL * SMALL; i++)
        region->samples[i] = (int16_t)(random_int(-range, range) + slope * (i % region->size[0] - 5));
}

static tr_edit_slot region_slot(const struct region *region)
{
    tr_edit_slot slot = {.op = TR_SLOT_REDISTANCE};

    slot.hi_x = region->size[0] - 1;
    slot.hi_y = region->size[1] - 1;
    slot.hi_z = region->size[2] - 1;
    slot.lo_x = random_int(0, slot.hi_x);
    slot.cx = (float)random_int(0, 10 * SMALL) / 10.0f;
    slot.cy = (float)random_int(0, 10 * SMALL) / 10.0f;
    slot.cz = (float)random_int(0, 10 * SMALL) / 10.0f;
    slot.radius = 1.0f / (float)random_int(5, 40);
    return slot;
}

static void it_equals_plain_loops_in_the_order_of_the_passes_and_neighbours(void **state)
{
    static struct region region;
    int changes = 0;

    (void)state;
    for (int number = 0; number < 120; number++) {
        struct tr_error error;
        tr_edit_slot slot;
        region_make(&region, number);
        const uint32_t size[3] = {(uint32_t)region.size[0], (uint32_t)region.size[1],
                                  (uint32_t)region.size[2]};
        slot = region_slot(&region);
        find_crossings(&region);
        for (int pass = 1; pass <= 8; pass++)
            sweep(&region, pass);
        must(tr_apply_redistance(&slot, region.samples, size, after, &error), &error);
        for (int i = 0; i < region.size[0] * region.size[1] * region.size[2]; i++) {
            const int p[3] = {i % region.size[0], i / (region.size[0] * region.size[2]),
                              i / region.size[0] % region.size[2]};
            int expected = sample_expected(&region, &slot, p);
            changes += expected != region.samples[i];
            if (after[i] != expected)
                fail_msg("region %d of %d x %d x %d, sample (%d, %d, %d): %d, expected %d", number,
                         region.size[0], region.size[1], region.size[2], p[0], p[1], p[2], after[i],
                         expected);
        }
    }
    assert_true(changes > 10000);
}

static void crossings_are_numbered_by_their_lower_sample_and_axis(void **state)
{
    static struct region region;

    (void)state;
    for (int number = 0; number < 60; number++) {
        tr_crossing_point *crossings;
        struct tr_error error;
        size_t count;
        region_make(&region, number);
        const uint32_t size[3] = {(uint32_t)region.size[0], (uint32_t)region.size[1],
                                  (uint32_t)region.size[2]};
        find_crossings(&region);
        must(tr_redistance_find(region.samples, size, &crossings, &count, &error), &error);
        assert_int_equal(count, region.crossing_count);
        if (count > 0)
            assert_memory_equal(crossings, region.crossings, count * sizeof *crossings);
        free(crossings);
    }
}

/* One solid sample in air: six crossings, each a third of the way out, their normals outward. */
static void crossings_of_one_solid_sample_are_around_it(void **state)
{
    const uint32_t size[3] = {3, 3, 3};
    const float third = 1.0f / 3.0f;
    const float expected[6][6] = {{1, 1 - third, 1, 0, -1, 0}, {1, 1, 1 - third, 0, 0, -1},
                                  {1 - third, 1, 1, -1, 0, 0}, {1 + third, 1, 1, 1, 0, 0},
                                  {1, 1 + third, 1, 0, 1, 0},  {1, 1, 1 + third, 0, 0, 1}};
    int16_t samples[27];
    tr_crossing_point *crossings;
    struct tr_error error;
    size_t count;

    (void)state;
    for (int i = 0; i < 27; i++)
        samples[i] = 200;
    samples[13] = -100;
    must(tr_redistance_find(samples, size, &crossings, &count, &error), &error);
    assert_int_equal(count, 6);
    for (int i = 0; i < 6; i++) {
        float found[6];
        memcpy(found, &crossings[i], sizeof found);
        for (int k = 0; k < 6; k++)
            if (fabs((double)found[k] - (double)expected[i][k]) > 1e-6)
                fail_msg("crossing %d, number %d: %g, expected %g", i, k, (double)found[k],
                         (double)expected[i][k]);
    }
    free(crossings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_near_the_surface_become_distances),
        cmocka_unit_test(the_surface_moves_less_than_a_16th_of_a_voxel),
        cmocka_unit_test(every_sample_keeps_its_side),
        cmocka_unit_test(samples_at_the_radius_and_beyond_and_outside_the_box_stay),
        cmocka_unit_test(without_a_crossing_all_samples_stay),
        cmocka_unit_test(a_second_time_changes_next_to_nothing),
        cmocka_unit_test(it_equals_plain_loops_in_the_order_of_the_passes_and_neighbours),
        cmocka_unit_test(crossings_are_numbered_by_their_lower_sample_and_axis),
        cmocka_unit_test(crossings_of_one_solid_sample_are_around_it),
    };
    return cmocka_run_group_tests_name("redistance", tests, NULL, NULL);
}
