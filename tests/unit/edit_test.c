/* What an edit can touch, and its slots: boxes hold every sample that the kernels' formulas change, slots
 * keep the true distance in every frame, and culling never takes a sample away.
 *
 * Slots are judged by `slot_by_hand`, which takes the same numbers from long double and neither clips nor
 * culls, and distances by `true_distance`, which knows no frame at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/edit/edit.h"
#include "shaders/brush.h"
#include "shaders/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct tr_box everywhere = {{-70000000, -65536, -70000000}, {70000000, 65535, 70000000}};

/* ---- random edits ---- */

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static double random_between(uint64_t *seed, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(random_next(seed) >> 11) * 0x1p-53);
}

static int random_below(uint64_t *seed, int n)
{
    return (int)((random_next(seed) >> 33) % (uint64_t)n);
}

/* A coordinate near a chunk's corner, chunks from one edge of the widest world to the other; whole, half or
 * any. */
static double random_coordinate(uint64_t *seed, int chunks_max)
{
    static const int chunks[] = {0, -1, 1, -1000, 77777, -999999, 999999};
    int chunk = chunks[random_below(seed, 7)];
    double v = random_between(seed, -40, 104);

    while (chunk > chunks_max || chunk < -chunks_max)
        chunk /= 10;
    switch (random_below(seed, 4)) {
    case 0:
        v = floor(v);
        break;
    case 1:
        v = floor(v) + 0.5;
        break;
    }
    return chunk * 64.0 + v;
}

static void random_direction(uint64_t *seed, double u[3])
{
    double length;

    do {
        for (int i = 0; i < 3; i++)
            u[i] = random_between(seed, -1, 1);
        length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    } while (length < 0.1 || length > 1);
    for (int i = 0; i < 3; i++)
        u[i] /= length;
}

static struct tr_edit random_brush(uint64_t *seed, double radius)
{
    static const enum tr_edit_op ops[] = {TR_EDIT_RAISE, TR_EDIT_LOWER, TR_EDIT_SMOOTH};
    struct tr_edit edit = {.op = ops[random_below(seed, 3)], .radius = radius, .power = 3};

    edit.falloff =
        random_below(seed, 2) ? TR_FALLOFF_CONSTANT : (uint32_t)random_below(seed, TR_FALLOFF_COUNT);
    edit.strength_units = edit.op == TR_EDIT_RAISE ? 1000 : edit.op == TR_EDIT_LOWER ? -1000 : 0.5;
    edit.a[0] = edit.b[0] = random_coordinate(seed, 1000000);
    edit.a[2] = edit.b[2] = random_coordinate(seed, 1000000);
    return edit;
}

static struct tr_edit random_shape(uint64_t *seed, double radius)
{
    static const double lengths[] = {0, 1e-13, 1e-6, 0.5, 7, 150, 5000};
    double length = lengths[random_below(seed, 7)], u[3];
    struct tr_edit edit = {.op = random_below(seed, 2) ? TR_EDIT_UNION : TR_EDIT_SUBTRACT, .radius = radius};

    edit.shape = random_below(seed, 3) ? TR_SHAPE_CAPSULE : TR_SHAPE_SPHERE;
    edit.blend = random_below(seed, 2) ? random_between(seed, 0, 16) : 0;
    random_direction(seed, u);
    if (random_below(seed, 3) == 0) /* along x, y or z */
        for (int i = 0, axis = random_below(seed, 3); i < 3; i++)
            u[i] = i == axis;
    for (int i = 0; i < 3; i++) {
        edit.a[i] = random_coordinate(seed, i == 1 ? 1000 : 1000000);
        edit.b[i] = edit.shape == TR_SHAPE_CAPSULE ? edit.a[i] + length * u[i] : edit.a[i];
    }
    return edit;
}

/* ---- judges ---- */

/* The point of the edit's axis nearest to p, as a distance from `a` along it, and p's distance from it, less
 * the radius. */
static long double true_distance(const struct tr_edit *edit, const long double p[3], long double *along)
{
    long double axis[3], q[3], length_2 = 0, t = 0, d_2 = 0;

    for (int i = 0; i < 3; i++) {
        axis[i] = (long double)edit->b[i] - edit->a[i];
        q[i] = p[i] - edit->a[i];
        length_2 += axis[i] * axis[i];
        t += axis[i] * q[i];
    }
    t = length_2 > 0 ? t / length_2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int i = 0; i < 3; i++)
        d_2 += (q[i] - t * axis[i]) * (q[i] - t * axis[i]);
    if (along)
        *along = t * sqrtl(length_2);
    return sqrtl(d_2) - edit->radius;
}

/* The numbers that the formulas read, in the frame at `origin`; no box. */
static tr_edit_slot slot_by_hand(const struct tr_edit *edit, const int64_t origin[3])
{
    tr_edit_slot slot = {.falloff = edit->falloff, .power = edit->power};
    long double o[3] = {origin[0], origin[1], origin[2]}, c[3], u[3] = {0}, length = 0, t, c_2 = 0;

    if (tr_edit_is_height(edit)) {
        slot.cx = (float)(edit->a[0] - o[0]);
        slot.cz = (float)(edit->a[2] - o[2]);
        slot.radius = (float)(1 / edit->radius);
        return slot;
    }
    true_distance(edit, o, &t);
    for (int i = 0; i < 3; i++)
        length += ((long double)edit->b[i] - edit->a[i]) * ((long double)edit->b[i] - edit->a[i]);
    length = sqrtl(length);
    for (int i = 0; i < 3; i++) {
        u[i] = length > 1e-12L ? ((long double)edit->b[i] - edit->a[i]) / length : 0;
        c[i] = edit->a[i] - o[i] + t * u[i];
        c_2 += c[i] * c[i];
    }
    slot.large = edit->radius >= 1024;
    slot.cx = (float)c[0];
    slot.cy = (float)c[1];
    slot.cz = (float)c[2];
    slot.ux = (float)u[0];
    slot.uy = (float)u[1];
    slot.uz = (float)u[2];
    slot.t0 = (float)-t;
    slot.t1 = (float)(length - t);
    slot.radius = (float)edit->radius;
    slot.k0 = (float)(c_2 - (long double)edit->radius * edit->radius);
    slot.reach = (float)(16 + edit->blend);
    slot.blend = (float)(edit->blend * 256);
    slot.inv_4blend = edit->blend > 0 ? (float)(1 / (4 * edit->blend * 256)) : 0;
    return slot;
}

/* Whether the formulas change a sample, at (x, y, z) of the slot's frame, that is as easy to change as any.
 */
static bool changes(const struct tr_edit *edit, tr_edit_slot slot, int x, int y, int z)
{
    if (tr_edit_is_height(edit))
        return tr_brush_weight(slot, x, z) > 0;
    return edit->op == TR_EDIT_UNION ? tr_shape_union(slot, x, y, z, TR_SDF_MAX) != TR_SDF_MAX
                                     : tr_shape_subtract(slot, x, y, z, -TR_SDF_MAX) != -TR_SDF_MAX;
}

static bool changes_at(const struct tr_edit *edit, const int64_t p[3])
{
    int64_t origin[3];

    for (int i = 0; i < 3; i++)
        origin[i] = 64 * tr_floor_div(p[i], 64);
    return changes(edit, slot_by_hand(edit, origin), (int)(p[0] - origin[0]), (int)(p[1] - origin[1]),
                   (int)(p[2] - origin[2]));
}

static bool box_holds(const struct tr_box *box, const int64_t p[3])
{
    for (int i = 0; i < 3; i++)
        if (p[i] < box->lo[i] || p[i] > box->hi[i])
            return false;
    return true;
}

static void fail_sample(const char *what, const struct tr_edit *edit, const int64_t p[3])
{
    struct tr_box reads, writes;

    tr_edit_boxes(edit, &reads, &writes);
    fail_msg("%s: sample (%lld, %lld, %lld), op %d, radius %.17g, blend %.17g, axis (%.17g, %.17g, %.17g) to "
             "(%.17g, %.17g, "
             "%.17g), box x %lld to %lld, y %lld to %lld, z %lld to %lld",
             what, (long long)p[0], (long long)p[1], (long long)p[2], edit->op, edit->radius, edit->blend,
             edit->a[0], edit->a[1], edit->a[2], edit->b[0], edit->b[1], edit->b[2], (long long)writes.lo[0],
             (long long)writes.hi[0], (long long)writes.lo[1], (long long)writes.hi[1],
             (long long)writes.lo[2], (long long)writes.hi[2]);
}

/* ---- boxes ---- */

/* Looks at all samples within 2 of the box but not in it; a height brush at one row. Returns how many there
 * were. */
static size_t assert_nothing_changes_around(const struct tr_edit *edit)
{
    struct tr_box reads, writes;
    int64_t p[3], y_lo, y_hi;
    size_t count = 0;

    tr_edit_boxes(edit, &reads, &writes);
    y_lo = tr_edit_is_height(edit) ? 0 : writes.lo[1] - 2;
    y_hi = tr_edit_is_height(edit) ? 0 : writes.hi[1] + 2;
    for (p[1] = y_lo; p[1] <= y_hi; p[1]++)
        for (p[2] = writes.lo[2] - 2; p[2] <= writes.hi[2] + 2; p[2]++)
            for (p[0] = writes.lo[0] - 2; p[0] <= writes.hi[0] + 2; p[0]++) {
                if (box_holds(&writes, p)) {
                    p[0] = writes.hi[0]; /* on to the other side */
                    continue;
                }
                if (changes_at(edit, p))
                    fail_sample("changed outside the box", edit, p);
                count++;
            }
    return count;
}

static void boxes_hold_every_sample_that_a_brush_changes(void **state)
{
    static const double radii[] = {1e-30, 0.25, 0.5, 1, 5, 17.3, 64};
    uint64_t seed = 1;
    size_t count = 0;

    (void)state;
    for (int i = 0; i < 700; i++) {
        struct tr_edit edit = random_brush(&seed, radii[i % 7]);

        count += assert_nothing_changes_around(&edit);
    }
    assert_true(count > 10000);
}

static void boxes_hold_every_sample_that_a_shape_changes(void **state)
{
    static const double radii[] = {1e-30, 0.25, 1, 4, 9.7};
    uint64_t seed = 2;
    size_t count = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        struct tr_edit edit = random_shape(&seed, radii[i % 5]);

        for (int axis = 0; axis < 3; axis++) /* short, so that all around it can be looked at */
            if (fabs(edit.b[axis] - edit.a[axis]) > 10)
                edit.b[axis] = edit.a[axis] + 10;
        count += assert_nothing_changes_around(&edit);
    }
    assert_true(count > 100000);
}

/* Where a sphere or brush of huge radius comes closest to each side of its box, 40 samples around: the
 * surface is flat there. */
static void boxes_hold_every_sample_near_the_poles_of_huge_edits(void **state)
{
    static const double radii[] = {1023.999, 1024, 5000.25, 99999.5, 100000};
    uint64_t seed = 3;
    size_t inside = 0;

    (void)state;
    for (int i = 0; i < 60; i++) {
        double radius = radii[i % 5];
        struct tr_edit edit = i % 2 ? random_brush(&seed, radius) : random_shape(&seed, radius);
        struct tr_box reads, writes;

        memcpy(edit.b, edit.a, sizeof edit.b);
        edit.falloff = TR_FALLOFF_CONSTANT;
        tr_edit_boxes(&edit, &reads, &writes);
        for (int axis = 0; axis < 3; axis += tr_edit_is_height(&edit) ? 2 : 1)
            for (int side = 0; side < 2; side++)
                for (int step = 0; step < 4 * 1000; step++) {
                    int64_t p[3];

                    for (int j = 0; j < 3; j++)
                        p[j] = (int64_t)floor(edit.a[j]) + random_below(&seed, 81) - 40;
                    p[axis] = side ? writes.hi[axis] - 1 + step / 1000 : writes.lo[axis] + 1 - step / 1000;
                    if (box_holds(&writes, p))
                        inside += changes_at(&edit, p);
                    else if (changes_at(&edit, p))
                        fail_sample("changed outside the box", &edit, p);
                }
    }
    assert_true(inside > 1000); /* so it was looked at where it matters */
}

/* Samples that lie beyond the reach by less than a kernel's distance may be off: some do change, and the box
 * must know. */
static void boxes_hold_the_samples_that_only_rounding_brings_into_reach(void **state)
{
    uint64_t seed = 13;
    int beyond[2] = {0, 0};

    (void)state;
    for (int i = 0; i < 100000; i++) {
        double radius = exp(random_between(&seed, 0, 11.5)), off = random_between(&seed, 0, 0x1p-21);
        bool is_brush = i % 2;
        struct tr_edit edit = is_brush ? random_brush(&seed, radius) : random_shape(&seed, radius);
        double reach = radius + (is_brush ? 0 : 16 + edit.blend);
        struct tr_box reads, writes;
        int64_t p[3];

        edit.falloff = TR_FALLOFF_CONSTANT;
        for (int j = 0; j < 3; j++)
            p[j] = (int64_t)floor(edit.a[j]);
        for (int j = 0; j < 3; j++) /* straight to the west of p */
            edit.a[j] = edit.b[j] =
                (double)p[j] - (j == 0 ? is_brush ? reach * (1 + off) : reach + off * 1024 : 0);
        if (!changes_at(&edit, p))
            continue;
        tr_edit_boxes(&edit, &reads, &writes);
        if (!box_holds(&writes, p))
            fail_sample("changed outside the box", &edit, p);
        beyond[is_brush] += (double)p[0] - edit.a[0] > reach;
    }
    assert_true(beyond[0] > 100 && beyond[1] > 100);
}

static void boxes_are_no_wider_than_the_reach_and_a_margin(void **state)
{
    uint64_t seed = 4;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        double radius = exp(random_between(&seed, -10, 11.5)), reach;
        bool is_brush = random_below(&seed, 2);
        struct tr_edit edit = is_brush ? random_brush(&seed, radius) : random_shape(&seed, radius);
        struct tr_box reads, writes;

        tr_edit_boxes(&edit, &reads, &writes);
        reach = radius + (is_brush ? 0 : 16 + edit.blend) + 0.125;
        for (int axis = 0; axis < 3; axis += is_brush ? 2 : 1)
            if ((double)writes.lo[axis] < fmin(edit.a[axis], edit.b[axis]) - reach ||
                (double)writes.hi[axis] > fmax(edit.a[axis], edit.b[axis]) + reach)
                fail_sample("box too wide", &edit, writes.lo);
    }
}

static void only_smooth_reads_beyond_what_it_writes(void **state)
{
    uint64_t seed = 5;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct tr_edit edit = i % 2 ? random_brush(&seed, i % 3 ? 20 : 0.01)
                                    : random_shape(&seed, random_between(&seed, 1, 30));
        int64_t wider = edit.op == TR_EDIT_SMOOTH;
        struct tr_box reads, writes;

        tr_edit_boxes(&edit, &reads, &writes);
        wider = tr_box_is_empty(&writes) ? 0 : wider;
        for (int axis = 0; axis < 3; axis++) {
            assert_int_equal(reads.lo[axis], writes.lo[axis] - (axis == 1 ? 0 : wider));
            assert_int_equal(reads.hi[axis], writes.hi[axis] + (axis == 1 ? 0 : wider));
        }
        if (tr_edit_is_height(&edit)) {
            assert_int_equal(writes.lo[1], -65536);
            assert_int_equal(writes.hi[1], 65535);
        }
    }
}

/* ---- slots ---- */

static void slots_of_a_brush_carry_its_numbers(void **state)
{
    const struct tr_box world = {{0, -65536, 0}, {128, 65535, 64}};
    const int64_t origin[3] = {64, 12345, 0};
    struct tr_edit edit = {
        .op = TR_EDIT_LOWER, .a = {70.5, 0, 3}, .b = {70.5, 0, 3}, .radius = 8, .strength_units = -512};
    tr_edit_slot slot;

    (void)state;
    edit.falloff = TR_FALLOFF_SHARP;
    edit.power = 5;
    assert_true(tr_edit_slot_make(&edit, &world, origin, &slot));
    assert_int_equal(slot.op, TR_SLOT_RAISE);
    assert_int_equal(slot.falloff, TR_FALLOFF_SHARP);
    assert_int_equal(slot.power, 5);
    assert_true(slot.cx == 6.5f && slot.cz == 3 && slot.radius == 0.125f && slot.strength == -512);
    assert_int_equal(slot.lo_x, 0); /* 62.5 - 64, clipped to the frame */
    assert_int_equal(slot.hi_x, 14);
    assert_int_equal(slot.lo_z, 0); /* -5, clipped to the world */
    assert_int_equal(slot.hi_z, 11);
    assert_int_equal(slot.lo_y, -65536);
    assert_int_equal(slot.hi_y, 65535);
    edit.op = TR_EDIT_SMOOTH;
    edit.strength_units = 0.25;
    assert_true(tr_edit_slot_make(&edit, &world, origin, &slot));
    assert_int_equal(slot.op, TR_SLOT_SMOOTH);
    assert_true(slot.strength == 0.25f);
}

static void slots_of_a_shape_carry_its_numbers(void **state)
{
    const int64_t origin[3] = {-64, 0, 64};
    struct tr_edit edit = {.op = TR_EDIT_SUBTRACT, .shape = TR_SHAPE_CAPSULE, .radius = 5, .blend = 2};
    tr_edit_slot slot;

    (void)state;
    memcpy(edit.a, (double[3]){-84, 3, 68}, sizeof edit.a);
    memcpy(edit.b, (double[3]){-44, 3, 68}, sizeof edit.b);
    assert_true(tr_edit_slot_make(&edit, &everywhere, origin, &slot));
    assert_int_equal(slot.op, TR_SLOT_SUBTRACT);
    assert_int_equal(slot.large, 0);
    assert_true(slot.cx == 0 && slot.cy == 3 && slot.cz == 4);
    assert_true(slot.ux == 1 && slot.uy == 0 && slot.uz == 0);
    assert_true(slot.t0 == -20 && slot.t1 == 20);
    assert_true(slot.radius == 5 && slot.k0 == 0 && slot.reach == 18);
    assert_true(slot.blend == 512 && slot.inv_4blend == 1.0f / 2048);
    assert_int_equal(slot.lo_x, 0);
    assert_int_equal(slot.hi_x, 20 + 23);
    assert_int_equal(slot.hi_y, 3 + 23);
    assert_int_equal(slot.hi_z, 4 + 23);
    edit.op = TR_EDIT_UNION;
    edit.radius = 1024;
    edit.blend = 0;
    assert_true(tr_edit_slot_make(&edit, &everywhere, origin, &slot));
    assert_int_equal(slot.op, TR_SLOT_UNION);
    assert_int_equal(slot.large, 1);
    assert_true(slot.k0 == 25 - 1024 * 1024 && slot.reach == 16 && slot.blend == 0 && slot.inv_4blend == 0);
}

static void a_capsule_whose_ends_coincide_is_a_sphere(void **state)
{
    uint64_t seed = 6;
    int made = 0;

    (void)state;
    for (int i = 0; i < 500; i++) {
        struct tr_edit sphere = random_shape(&seed, exp(random_between(&seed, -2, 11.5))), capsule;
        int64_t origin[3];
        tr_edit_slot a, b;
        bool is_made;

        sphere.shape = TR_SHAPE_SPHERE;
        memcpy(sphere.b, sphere.a, sizeof sphere.b);
        capsule = sphere;
        capsule.shape = TR_SHAPE_CAPSULE;
        for (int j = 0; j < 3; j++)
            origin[j] = 64 * tr_floor_div((int64_t)floor(sphere.a[j] + (j == 0 ? sphere.radius : 0)), 64);
        is_made = tr_edit_slot_make(&sphere, &everywhere, origin, &a);
        assert_int_equal(tr_edit_slot_make(&capsule, &everywhere, origin, &b), is_made);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(a.ux == 0 && a.uy == 0 && a.uz == 0 && a.t0 == 0 && a.t1 == 0);
        made += is_made;
    }
    assert_true(made > 400);
}

/* A sample within `band` voxels of the surface: from a place on the axis in any direction. */
static void random_sample(uint64_t *seed, const struct tr_edit *edit, double band, int64_t p[3])
{
    double t = random_between(seed, -0.1, 1.1), away = edit->radius + random_between(seed, -band, band), u[3];

    t = t < 0 ? 0 : t > 1 ? 1 : t;
    random_direction(seed, u);
    for (int i = 0; i < 3; i++)
        p[i] = (int64_t)floor(edit->a[i] + t * (edit->b[i] - edit->a[i]) + away * u[i] + 0.5);
}

/* Compares the distance of samples near the surface, from the frame of their owner and from one beside it,
 * with the true one. */
static void assert_distances(uint64_t seed, double radius_lo, double radius_hi, double bound)
{
    int owners = 0, others = 0;

    for (int i = 0; i < 20000; i++) {
        struct tr_edit edit = random_shape(&seed, exp(random_between(&seed, log(radius_lo), log(radius_hi))));
        long double at[3], expected;
        int64_t p[3];
        int moved = random_below(&seed, 3), by = random_below(&seed, 2) ? 64 : -64;

        random_sample(&seed, &edit, 32, p);
        for (int j = 0; j < 3; j++)
            at[j] = p[j];
        expected = true_distance(&edit, at, NULL);
        if (p[1] < -65536 || p[1] > 65535 || expected > 16)
            continue;
        for (int frame = 0; frame < 2; frame++) {
            int64_t origin[3];
            tr_edit_slot slot;
            double found;

            for (int j = 0; j < 3; j++)
                origin[j] = 64 * tr_floor_div(p[j], 64) + (frame == 1 && j == moved ? by : 0);
            if (!tr_edit_slot_make(&edit, &everywhere, origin, &slot)) {
                if (frame == 0)
                    fail_sample("its owner has no slot", &edit, p);
                continue;
            }
            found = tr_shape_distance(slot, (int)(p[0] - origin[0]), (int)(p[1] - origin[1]),
                                      (int)(p[2] - origin[2]));
            if (!(fabsl(found - expected) <= bound)) {
                print_error("frame %d: distance %.9g, true %.9Lg, bound %g\n", frame, found, expected, bound);
                fail_sample("distance is off", &edit, p);
            }
            owners += frame == 0;
            others += frame == 1;
        }
    }
    assert_true(owners > 5000 && others > 1000);
}

static void slots_keep_the_distance_within_1_2048_voxel(void **state)
{
    (void)state;
    assert_distances(7, 0.01, 10, 1.0 / 2048);
    assert_distances(8, 10, 1023.999, 1.0 / 2048);
}

static void slots_of_large_radius_keep_it_within_1_1024_voxel(void **state)
{
    (void)state;
    assert_distances(9, 1024, 100000, 1.0 / 1024);
    assert_distances(10, 99999, 100000, 1.0 / 1024);
}

/* ---- culling and clipping ---- */

/* The slot, or its absence, against all samples of the frame: none that changes is left out, none is in
 * another place. */
static size_t assert_slot_leaves_nothing_out(const struct tr_edit *edit, const struct tr_box *world,
                                             const int64_t origin[3])
{
    tr_edit_slot slot, whole = slot_by_hand(edit, origin);
    bool is_made = tr_edit_slot_make(edit, world, origin, &slot), is_height = tr_edit_is_height(edit);
    size_t count = 0;

    for (int y = 0; y < (is_height ? 1 : 64); y++)
        for (int z = 0; z < 64; z++)
            for (int x = 0; x < 64; x++) {
                const int64_t p[3] = {origin[0] + x, origin[1] + y, origin[2] + z};
                bool in_slot = is_made && x >= slot.lo_x && x <= slot.hi_x && y >= slot.lo_y &&
                               y <= slot.hi_y && z >= slot.lo_z && z <= slot.hi_z;

                if (in_slot && !box_holds(world, p))
                    fail_sample("in the slot but outside the world", edit, p);
                if (in_slot || !box_holds(world, p))
                    continue;
                if (changes(edit, whole, x, y, z))
                    fail_sample(is_made ? "left out by the slot's box" : "left out with its frame", edit, p);
                count++;
            }
    return count;
}

/* Frames into which an edit of any size just reaches, or just not. */
static void culling_never_changes_a_result(void **state)
{
    uint64_t seed = 11;
    int made = 0, refused = 0;

    (void)state;
    for (int i = 0; i < 150; i++) {
        double radius = exp(random_between(&seed, -1, 11.5));
        struct tr_edit edit = i % 3 == 0 ? random_brush(&seed, radius) : random_shape(&seed, radius);
        double reach = radius + (tr_edit_is_height(&edit) ? 0 : 16 + edit.blend), u[3];
        int64_t origin[3];
        tr_edit_slot slot;

        random_direction(&seed, u);
        if (tr_edit_is_height(&edit)) {
            double flat = sqrt(u[0] * u[0] + u[2] * u[2]);

            u[0] = flat > 0 ? u[0] / flat : 1;
            u[2] = flat > 0 ? u[2] / flat : 0;
            u[1] = 0;
        }
        for (int j = 0; j < 3; j++) { /* the frame's near corner lies about where the reach ends */
            double v = edit.b[j] + (reach + random_between(&seed, -3, 3)) * u[j];

            origin[j] = (int64_t)floor(v) - (u[j] < 0 ? 63 : 0);
        }
        if (origin[1] < -65536 + 64 || origin[1] > 65535 - 64)
            continue;
        assert_slot_leaves_nothing_out(&edit, &everywhere, origin);
        if (tr_edit_slot_make(&edit, &everywhere, origin, &slot))
            made++;
        else
            refused++;
    }
    assert_true(made > 20 && refused > 20);
}

static void a_frame_beside_a_diagonal_capsule_is_culled(void **state)
{
    struct tr_edit edit = {
        .op = TR_EDIT_UNION, .shape = TR_SHAPE_CAPSULE, .radius = 4, .b = {10000, 10000, 10000}};
    int made = 0;

    (void)state;
    for (int64_t i = 0; i < 10; i++)
        for (int64_t j = 0; j < 10; j++)
            for (int64_t k = 0; k < 10; k++) {
                const int64_t origin[3] = {64 * i, 64 * j, 64 * k};
                long double lo[3], best = 1e9L;
                bool is_made;
                tr_edit_slot slot;

                for (int n = 0; n < 64 * 64;
                     n++) { /* the capsule lies on the diagonal, so the box's nearest point does too */
                    long double s = n * 10000.0L / (64 * 64), d_2 = 0;

                    for (int axis = 0; axis < 3; axis++) {
                        lo[axis] = s < origin[axis]        ? origin[axis] - s
                                   : s > origin[axis] + 63 ? s - origin[axis] - 63
                                                           : 0;
                        d_2 += lo[axis] * lo[axis];
                    }
                    best = d_2 < best ? d_2 : best;
                }
                is_made = tr_edit_slot_make(&edit, &everywhere, origin, &slot);
                if (sqrtl(best) < 4 + 16 && !is_made)
                    fail_msg("frame %lld %lld %lld at distance %Lg is culled", (long long)i, (long long)j,
                             (long long)k, sqrtl(best));
                if (sqrtl(best) > 4 + 16 + 1 + 2.5L && is_made)
                    fail_msg("frame %lld %lld %lld at distance %Lg is not culled", (long long)i, (long long)j,
                             (long long)k, sqrtl(best));
                made += is_made;
            }
    assert_true(made >= 10 && made < 120); /* of 1000 that meet its box */
}

static void slots_are_clipped_to_the_world(void **state)
{
    const struct tr_box world = {{0, -65536, 0}, {128, 65535, 64}}; /* 2 x 1 chunks */
    uint64_t seed = 12;
    size_t count = 0;

    (void)state;
    for (int i = 0; i < 20; i++) {
        struct tr_edit edit = i % 2 ? random_brush(&seed, 30) : random_shape(&seed, 10);

        for (int j = 0; j < 3; j++)
            edit.a[j] = edit.b[j] = random_between(&seed, -30, j == 1 ? 30 : 160);
        for (int64_t cz = -1; cz <= 1; cz++)
            for (int64_t cx = -1; cx <= 2; cx++) {
                const int64_t origin[3] = {64 * cx, -64, 64 * cz};

                count += assert_slot_leaves_nothing_out(&edit, &world, origin);
            }
    }
    assert_true(count > 1000);
}

static void a_frame_outside_the_world_has_no_slot(void **state)
{
    const struct tr_box world = {{0, -65536, 0}, {128, 65535, 64}};
    const int64_t outside[][3] = {{-64, 0, 0}, {0, 0, -64},   {192, 0, 0},
                                  {0, 0, 128}, {0, 65536, 0}, {0, -65600, 0}};
    struct tr_edit edit = {.op = TR_EDIT_UNION, .radius = 100000};
    tr_edit_slot slot;

    (void)state;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_false(tr_edit_slot_make(&edit, &world, outside[i], &slot));
    assert_true(
        tr_edit_slot_make(&edit, &world, (int64_t[3]){128, 0, 64}, &slot)); /* the rim: one sample wide */
    assert_int_equal(slot.hi_x, 0);
    assert_int_equal(slot.hi_y, 63);
    assert_int_equal(slot.hi_z, 0);
}

/* No number of a slot is subnormal, infinite or NaN, however small what it came from. */
static void tiny_numbers_give_slots_that_every_device_reads_alike(void **state)
{
    static const double tiny[] = {5e-324, 1e-300, 1e-45, 1e-30, 0x1p-41};
    const int64_t origin[3] = {0, 0, 0};

    (void)state;
    for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++)
        for (int op = 0; op < TR_EDIT_OP_COUNT; op++) {
            double t = tiny[i];
            struct tr_edit edit = {
                .op = (enum tr_edit_op)op, .shape = TR_SHAPE_CAPSULE, .radius = t, .blend = t};
            tr_edit_slot slot;
            float numbers[14];

            for (int j = 0; j < 3; j++) {
                edit.a[j] = t;
                edit.b[j] = j == 0 ? 10 : -t;
            }
            edit.strength_units = t;
            assert_true(tr_edit_slot_make(&edit, &everywhere, origin, &slot));
            assert_int_equal(sizeof slot - offsetof(tr_edit_slot, cx), sizeof numbers);
            memcpy(numbers, &slot.cx, sizeof numbers);
            for (int j = 0; j < 14; j++)
                if (numbers[j] != 0 && !isnormal(numbers[j]))
                    fail_msg("%g, op %d: number %d is %g", t, op, j, (double)numbers[j]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_every_sample_that_a_brush_changes),
        cmocka_unit_test(boxes_hold_every_sample_that_a_shape_changes),
        cmocka_unit_test(boxes_hold_every_sample_near_the_poles_of_huge_edits),
        cmocka_unit_test(boxes_hold_the_samples_that_only_rounding_brings_into_reach),
        cmocka_unit_test(boxes_are_no_wider_than_the_reach_and_a_margin),
        cmocka_unit_test(only_smooth_reads_beyond_what_it_writes),
        cmocka_unit_test(slots_of_a_brush_carry_its_numbers),
        cmocka_unit_test(slots_of_a_shape_carry_its_numbers),
        cmocka_unit_test(a_capsule_whose_ends_coincide_is_a_sphere),
        cmocka_unit_test(slots_keep_the_distance_within_1_2048_voxel),
        cmocka_unit_test(slots_of_large_radius_keep_it_within_1_1024_voxel),
        cmocka_unit_test(culling_never_changes_a_result),
        cmocka_unit_test(a_frame_beside_a_diagonal_capsule_is_culled),
        cmocka_unit_test(slots_are_clipped_to_the_world),
        cmocka_unit_test(a_frame_outside_the_world_has_no_slot),
        cmocka_unit_test(tiny_numbers_give_slots_that_every_device_reads_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
