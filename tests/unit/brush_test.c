/* Height brushes and the follow law (shaders/brush.h), and lib/edit's loops over them in every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/edit/apply.h"
#include "shaders/brush.h"

#include <math.h>
#include <stdlib.h>

#define HALO 66

static void (*const apply_raise[])(const tr_edit_slot *, int32_t *) = TR_ISA_TABLE(tr_apply_raise);
static void (*const apply_smooth[])(const tr_edit_slot *, const int32_t *,
                                    int32_t *) = TR_ISA_TABLE(tr_apply_smooth);
static void (*const apply_begin[])(const int32_t *, uint32_t, uint32_t, int32_t,
                                   int16_t *) = TR_ISA_TABLE(tr_apply_begin);
static void (*const apply_follow[])(const int32_t *, const int32_t *, int32_t,
                                    int16_t *) = TR_ISA_TABLE(tr_apply_follow);

static int32_t heights[TR_CHUNK * TR_CHUNK], changed[TR_CHUNK * TR_CHUNK], halo[HALO * HALO];
static int16_t samples[TR_BLOCK_SAMPLES], expected_samples[TR_BLOCK_SAMPLES];

static uint64_t random_state = 1;

static int random_int(int lo, int hi)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return lo + (int)((random_state >> 33) % (uint64_t)(hi - lo + 1));
}

static tr_edit_slot brush(uint op, uint falloff, float strength)
{
    tr_edit_slot slot = {.op = op, .falloff = falloff, .power = 3, .hi_x = 63, .hi_y = 63, .hi_z = 63};
    slot.cx = 30.25f;
    slot.cz = 33.5f;
    slot.radius = 1.0f / 28.5f;
    slot.strength = strength;
    return slot;
}

static void random_span(int *lo, int *hi)
{
    int a = random_int(0, 63), b = random_int(0, 63);
    *lo = a < b ? a : b;
    *hi = a < b ? b : a;
}

/* Brushes of every falloff and power, with all kinds of boxes. */
static tr_edit_slot random_brush(uint op, int i)
{
    tr_edit_slot slot = brush(op, (uint)i % TR_FALLOFF_COUNT, 0);
    slot.power = (uint)random_int(2, (int)TR_FALLOFF_POWER_MAX);
    slot.strength =
        op == TR_SLOT_SMOOTH ? (float)random_int(1, 64) / 64.0f : (float)random_int(-100000, 100000);
    slot.cx = (float)random_int(-4000, 20000) / 256.0f;
    slot.cz = (float)random_int(-4000, 20000) / 256.0f;
    slot.radius = 1.0f / (float)random_int(1, 90);
    random_span(&slot.lo_x, &slot.hi_x);
    random_span(&slot.lo_z, &slot.hi_z);
    if (i % 7 == 0)
        slot.lo_x = slot.hi_x;
    return slot;
}

static bool in_box(const tr_edit_slot *slot, int x, int z)
{
    return x >= slot->lo_x && x <= slot->hi_x && z >= slot->lo_z && z <= slot->hi_z;
}

static int sum_of_4(const int32_t *at)
{
    return at[-1] + at[1] + at[-HALO] + at[HALO];
}

static void weight_distance_is_within_4_ulp(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        tr_edit_slot slot = brush(TR_SLOT_RAISE, TR_FALLOFF_LINEAR, 1);
        int x = random_int(0, 63), z = random_int(0, 63);
        long double dx, dz, distance, error;
        slot.cx = (float)random_int(-300000, 300000) / 1024.0f;
        slot.cz = (float)random_int(-300000, 300000) / 1024.0f;
        slot.radius = 1.0f / (float)random_int(400, 100000);
        dx = x - (long double)slot.cx;
        dz = z - (long double)slot.cz;
        distance = sqrtl(dx * dx + dz * dz) * slot.radius;
        if (distance >= 1)
            continue;
        /* linear shows the distance itself; 1 - d adds half a unit of 2^-24 */
        error = fabsl(1.0L - tr_brush_weight(slot, x, z) - distance);
        if (error > 4 * distance * 0x1p-23L + 0x1p-25L)
            fail_msg("distance %.9Lf is off by %.3Lg", distance, error);
    }
}

static void raise_adds_strength_times_weight_rounded_once(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        tr_edit_slot slot = random_brush(TR_SLOT_RAISE, i);
        int x = random_int(0, 63), z = random_int(0, 63), height = random_int(-1000000, 1000000);
        long double rise = (long double)slot.strength * tr_brush_weight(slot, x, z);
        long double error = fabsl(tr_brush_raise(slot, x, z, height) - (height + rise));
        if (error > 0.5L + fabsl(rise) * 0x1p-23L)
            fail_msg("height %d raised by %.3Lf became %d", height, rise, tr_brush_raise(slot, x, z, height));
    }
}

static void raise_saturates_at_the_limits(void **state)
{
    tr_edit_slot up = brush(TR_SLOT_RAISE, TR_FALLOFF_CONSTANT, 16777215.0f);
    tr_edit_slot down = brush(TR_SLOT_RAISE, TR_FALLOFF_CONSTANT, -16777215.0f);

    (void)state;
    assert_int_equal(tr_brush_raise(up, 30, 30, 5), TR_HEIGHT_MAX);
    assert_int_equal(tr_brush_raise(up, 30, 30, TR_HEIGHT_MAX), TR_HEIGHT_MAX);
    assert_int_equal(tr_brush_raise(down, 30, 30, -5), -TR_HEIGHT_MAX);
    assert_int_equal(tr_brush_raise(down, 30, 30, -TR_HEIGHT_MAX), -TR_HEIGHT_MAX);
    assert_int_equal(tr_brush_raise(up, 30, 30, INT32_C(-8000000)),
                     8777216); /* 2^24 - 1/2 is no float: 1 too high */
}

static void nothing_changes_at_the_radius_and_beyond(void **state)
{
    (void)state;
    for (uint falloff = 0; falloff < TR_FALLOFF_COUNT; falloff++) {
        tr_edit_slot slot = brush(TR_SLOT_RAISE, falloff, 100000.0f);
        slot.cx = slot.cz = 0.0f;
        slot.radius = 1.0f / 32.0f;
        for (int x = 32; x < 64; x++)
            assert_int_equal(tr_brush_raise(slot, x, 0, 77), 77);
        assert_true(tr_brush_raise(slot, 1, 0, 77) > 77);
    }
}

static void plane_stays_a_plane_when_smoothed(void **state)
{
    (void)state;
    for (uint falloff = 0; falloff < TR_FALLOFF_COUNT; falloff++) {
        tr_edit_slot slot = brush(TR_SLOT_SMOOTH, falloff, 1.0f);
        for (int i = 0; i < HALO * HALO; i++)
            halo[i] = 37 * (i % HALO) - 91 * (i / HALO) + 12345;
        apply_smooth[0](&slot, halo, changed);
        for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++)
            assert_int_equal(changed[i], halo[(i / 64 + 1) * HALO + i % 64 + 1]);
    }
}

static int64_t roughness(const int32_t *h)
{
    int64_t sum = 0;
    for (int z = 1; z < 63; z++)
        for (int x = 1; x < 63; x++) {
            const int32_t *at = h + z * 64 + x;
            sum += llabs((long long)at[-1] + at[1] + at[-64] + at[64] - 4 * at[0]);
        }
    return sum;
}

static void smoothing_reduces_curvature(void **state)
{
    tr_edit_slot slot = brush(TR_SLOT_SMOOTH, TR_FALLOFF_CONSTANT, 0.5f);
    int64_t before;

    (void)state;
    slot.radius = 1.0f / 1000.0f;
    for (int i = 0; i < HALO * HALO; i++)
        halo[i] = random_int(0, 20000);
    for (int step = 0; step < 5; step++) {
        for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++)
            heights[i] = halo[(i / 64 + 1) * HALO + i % 64 + 1];
        before = roughness(heights);
        apply_smooth[0](&slot, halo, changed);
        if (roughness(changed) >= before)
            fail_msg("step %d: curvature %lld, before %lld", step, (long long)roughness(changed),
                     (long long)before);
        for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++)
            halo[(i / 64 + 1) * HALO + i % 64 + 1] = changed[i];
    }
}

static void unsculpted_ground_follows_and_sculpted_ground_keeps_its_side(void **state)
{
    (void)state;
    for (int f = -9; f <= 9; f++)
        for (int f2 = -9; f2 <= 9; f2++)
            for (int s = -9; s <= 9; s++) {
                int after = tr_follow(s, f, f2);
                int expected = s == f ? f2 : s > f ? (s > f2 ? s : f2) : (s < f2 ? s : f2);
                assert_int_equal(after, expected);
                if (f == f2)
                    assert_int_equal(after, s);
                if (s > f) /* carved: never filled by rising ground, opened by sinking ground */
                    assert_true(after >= s && after >= f2);
                if (s < f)
                    assert_true(after <= s && after <= f2);
            }
}

static void raising_equals_the_scalar_function_within_the_box_and_stays_outside_it(void **state)
{
    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int i = 0; i < 90; i++) {
            tr_edit_slot slot = random_brush(TR_SLOT_RAISE, i);
            for (int k = 0; k < TR_CHUNK * TR_CHUNK; k++)
                changed[k] = heights[k] = random_int(-1000000, 1000000);
            apply_raise[level](&slot, changed);
            for (int k = 0; k < TR_CHUNK * TR_CHUNK; k++) {
                int expected = in_box(&slot, k % 64, k / 64)
                                   ? tr_brush_raise(slot, k % 64, k / 64, heights[k])
                                   : heights[k];
                if (changed[k] != expected)
                    fail_msg("%s, falloff %u, power %u, sample (%d, %d): %d, expected %d", tr_isa_name(level),
                             slot.falloff, slot.power, k % 64, k / 64, changed[k], expected);
            }
        }
}

static void smoothing_equals_the_scalar_function_within_the_box_and_copies_outside_it(void **state)
{
    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int i = 0; i < 90; i++) {
            tr_edit_slot slot = random_brush(TR_SLOT_SMOOTH, i);
            for (int k = 0; k < HALO * HALO; k++)
                halo[k] = random_int(-TR_HEIGHT_MAX, TR_HEIGHT_MAX);
            apply_smooth[level](&slot, halo, changed);
            for (int k = 0; k < TR_CHUNK * TR_CHUNK; k++) {
                int x = k % 64, z = k / 64;
                const int32_t *at = halo + (z + 1) * HALO + x + 1;
                int expected = in_box(&slot, x, z) ? tr_brush_smooth(slot, x, z, at[0], sum_of_4(at)) : at[0];
                if (changed[k] != expected)
                    fail_msg("%s, falloff %u, power %u, sample (%d, %d): %d, expected %d", tr_isa_name(level),
                             slot.falloff, slot.power, x, z, changed[k], expected);
            }
        }
}

static void fill_block(int cy)
{
    for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
        int field = tr_height_field(64 * cy + i / 4096, heights[i % 4096]);
        int sculpted = tr_sdf_clamp(field + random_int(-3000, 3000));
        samples[i] = (int16_t)(random_int(0, 2) == 0 ? sculpted : field);
    }
}

static void blocks_follow_as_the_scalar_function_does(void **state)
{
    const int rows[] = {0, -1, 1023, -1024};

    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int r = 0; r < 4; r++) {
            for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++) {
                heights[i] = tr_height_clamp(rows[r] * 16384 + random_int(-9000, 25000));
                /* whole rows and parts of rows that stay as they are */
                changed[i] = i / 64 % 3 == 0 || i % 64 < 20
                                 ? heights[i]
                                 : tr_height_clamp(heights[i] + random_int(-5000, 5000));
            }
            fill_block(rows[r]);
            for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
                int y = 64 * rows[r] + i / 4096;
                expected_samples[i] = (int16_t)tr_follow(samples[i], tr_height_field(y, heights[i % 4096]),
                                                         tr_height_field(y, changed[i % 4096]));
            }
            apply_follow[level](heights, changed, rows[r], samples);
            for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
                if (samples[i] != expected_samples[i])
                    fail_msg("%s, row %d, sample (%d, %d, %d): %d, expected %d", tr_isa_name(level), rows[r],
                             i % 64, i / 4096, i / 64 % 64, samples[i], expected_samples[i]);
        }
}

static void block_begins_as_the_height_field_at_valid_samples_only(void **state)
{
    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int size = 0; size < 3; size++) {
            uint32_t size_x = size == 1 ? 1 : 64, size_z = size == 2 ? 1 : 64;
            for (int i = 0; i < TR_CHUNK * TR_CHUNK; i++)
                heights[i] = random_int(-40000, 9000);
            memset(samples, 0x55, sizeof samples);
            apply_begin[level](heights, size_x, size_z, -2, samples);
            for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
                bool valid = (uint32_t)(i % 64) < size_x && (uint32_t)(i / 64 % 64) < size_z;
                int expected = valid ? tr_height_field(-128 + i / 4096, heights[i % 4096]) : 0x5555;
                if (samples[i] != expected)
                    fail_msg("%s, sample (%d, %d, %d): %d, expected %d", tr_isa_name(level), i % 64, i / 4096,
                             i / 64 % 64, samples[i], expected);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight_distance_is_within_4_ulp),
        cmocka_unit_test(raise_adds_strength_times_weight_rounded_once),
        cmocka_unit_test(raise_saturates_at_the_limits),
        cmocka_unit_test(nothing_changes_at_the_radius_and_beyond),
        cmocka_unit_test(plane_stays_a_plane_when_smoothed),
        cmocka_unit_test(smoothing_reduces_curvature),
        cmocka_unit_test(unsculpted_ground_follows_and_sculpted_ground_keeps_its_side),
        cmocka_unit_test(raising_equals_the_scalar_function_within_the_box_and_stays_outside_it),
        cmocka_unit_test(smoothing_equals_the_scalar_function_within_the_box_and_copies_outside_it),
        cmocka_unit_test(blocks_follow_as_the_scalar_function_does),
        cmocka_unit_test(block_begins_as_the_height_field_at_valid_samples_only),
    };
    return cmocka_run_group_tests_name("brush", tests, NULL, NULL);
}
