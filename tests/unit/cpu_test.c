/* The device `cpu`: each step equals plain loops over the scalar functions, one sample at a time, in every instruction set that this
 * machine has and for any number of jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/bake/bake.h"
#include "lib/gen/noise.h"
#include "lib/mesh/field.h"
#include "shaders/brush.h"
#include "shaders/field_params.h"
#include "shaders/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES (TR_CHUNK * TR_CHUNK)
#define HALO TR_BAKE_SMOOTH_HALO
#define TASKS 5
#define BLOCKS 2 /* a task */
#define SLOTS_MAX 16

static uint64_t random_state;

static int random_int(int lo, int hi)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return lo + (int)((random_state >> 33) % (uint64_t)(hi - lo + 1));
}

static struct tr_bake *open_cpu(int jobs, int level)
{
    struct tr_bake_options options = {.device = "cpu", .jobs = jobs};
    struct tr_bake *bake = NULL;
    struct tr_error error = {0};

    setenv("TERRAIN_ISA", tr_isa_name(level), 1);
    if (tr_bake_open(&options, &bake, &error) != TR_OK)
        fail_msg("%s", error.text);
    unsetenv("TERRAIN_ISA");
    return bake;
}

/* Runs `check` on the device for each instruction set and 1, 2 and 3 jobs. */
static void on_every_cpu(void (*check)(struct tr_bake *bake, const char *what))
{
    int highest = tr_isa_pick();

    for (int level = 0; level <= highest; level++)
        for (int jobs = 1; jobs <= 3; jobs++) {
            struct tr_bake *bake = open_cpu(jobs, level);
            char what[32];
            snprintf(what, sizeof what, "%s, %d jobs", tr_isa_name(level), jobs);
            check(bake, what);
            tr_bake_close(bake);
        }
}

static void must(enum tr_status status, const struct tr_error *error)
{
    if (status != TR_OK)
        fail_msg("status %d: %s", status, error->text);
}

/* --- fill --- */

static void check_fill(struct tr_bake *bake, const char *what)
{
    static int32_t heights[TASKS][SAMPLES];
    static tr_noise_layer layers[TASKS][TR_PRESET_LAYERS_MAX];
    struct tr_fill_task tasks[TASKS];
    struct tr_preset preset;
    struct tr_error error;

    assert_true(tr_preset_make("hills", 11, 1.0, &preset));
    for (int t = 0; t < TASKS; t++) {
        for (uint32_t i = 0; i < preset.count; i++)
            layers[t][i] = tr_noise_layer_at(&preset.sources[i], (t - 2) * 64, t * 640);
        tasks[t] = (struct tr_fill_task){layers[t], t == 0 ? 0 : preset.count, t * 1000 - 7, heights[t]};
    }
    must(bake->ops->fill(bake, tasks, TASKS, &error), &error);
    for (int t = 0; t < TASKS; t++)
        for (int i = 0; i < SAMPLES; i++) {
            float sum = 0.0f;
            for (uint32_t k = 0; k < tasks[t].layer_count; k++)
                sum = sum + tr_noise_height(layers[t][k], i % 64, i / 64);
            if (heights[t][i] != tr_noise_ground(tasks[t].base, sum))
                fail_msg("%s, task %d, sample (%d, %d): %d, expected %d", what, t, i % 64, i / 64,
                         heights[t][i], tr_noise_ground(tasks[t].base, sum));
        }
}

static void fill_equals_plain_loops(void **state)
{
    (void)state;
    on_every_cpu(check_fill);
}

/* --- smooth --- */

static tr_edit_slot random_brush(uint op, uint32_t size_x, uint32_t size_z)
{
    tr_edit_slot slot = {.op = op, .falloff = (uint)random_int(0, TR_FALLOFF_COUNT - 1), .power = 4};
    slot.lo_x = random_int(0, (int)size_x - 1);
    slot.lo_z = random_int(0, (int)size_z - 1);
    slot.hi_x = random_int(slot.lo_x, (int)size_x - 1);
    slot.hi_z = random_int(slot.lo_z, (int)size_z - 1);
    slot.hi_y = 63;
    slot.cx = (float)random_int(0, 16000) / 256.0f;
    slot.cz = (float)random_int(0, 16000) / 256.0f;
    slot.radius = 1.0f / (float)random_int(5, 60);
    slot.strength = op == TR_SLOT_SMOOTH ? 0.75f : (float)random_int(-4000, 4000);
    return slot;
}

static bool slot_covers(const tr_edit_slot *slot, int x, int z)
{
    return x >= slot->lo_x && x <= slot->hi_x && z >= slot->lo_z && z <= slot->hi_z;
}

static void check_smooth(struct tr_bake *bake, const char *what)
{
    static int32_t halos[TASKS][HALO * HALO], after[TASKS][SAMPLES];
    struct tr_smooth_task tasks[TASKS];
    struct tr_error error;

    random_state = 2;
    for (int t = 0; t < TASKS; t++) {
        for (int i = 0; i < HALO * HALO; i++)
            halos[t][i] = random_int(-50000, 50000);
        tasks[t] = (struct tr_smooth_task){halos[t], random_brush(TR_SLOT_SMOOTH, 64, 64), after[t]};
    }
    must(bake->ops->smooth(bake, tasks, TASKS, &error), &error);
    for (int t = 0; t < TASKS; t++)
        for (int i = 0; i < SAMPLES; i++) {
            int x = i % 64, z = i / 64;
            const int32_t *at = halos[t] + (z + 1) * HALO + x + 1;
            int sum = at[-1] + at[1] + at[-HALO] + at[HALO];
            int expected =
                slot_covers(&tasks[t].slot, x, z) ? tr_brush_smooth(tasks[t].slot, x, z, *at, sum) : *at;
            if (after[t][i] != expected)
                fail_msg("%s, task %d, sample (%d, %d): %d, expected %d", what, t, x, z, after[t][i],
                         expected);
        }
}

static void smooth_equals_plain_loops(void **state)
{
    (void)state;
    on_every_cpu(check_smooth);
}

/* --- edit --- */

/* A task with all that it points to, and what it must become. */
struct edit_case {
    int32_t heights[SAMPLES], after[SAMPLES], expected_heights[SAMPLES];
    int16_t samples[BLOCKS][TR_BLOCK_SAMPLES], expected_samples[BLOCKS][TR_BLOCK_SAMPLES];
    tr_edit_slot slots[SLOTS_MAX], block_slots[BLOCKS][SLOTS_MAX];
    struct tr_edit_block blocks[BLOCKS];
    struct tr_edit_task task;
};
static struct edit_case cases[TASKS];

static tr_edit_slot random_shape(uint32_t size_x, uint32_t size_z)
{
    tr_edit_slot slot = random_brush(random_int(0, 1) ? TR_SLOT_UNION : TR_SLOT_SUBTRACT, size_x, size_z);
    slot.lo_y = random_int(0, 40);
    slot.hi_y = random_int(slot.lo_y, 63);
    slot.cy = 30.5f;
    slot.ux = 0.6f;
    slot.uz = 0.8f;
    slot.t0 = -3.0f;
    slot.t1 = 20.0f;
    slot.radius = (float)random_int(2, 30);
    slot.blend = (float)random_int(0, 1) * 1024.0f;
    slot.inv_4blend = slot.blend > 0.0f ? 1.0f / 4096.0f : 0.0f;
    slot.reach = 16.0f + slot.blend / 256.0f;
    return slot;
}

/* The first task is a rim chunk, the second has no edit. */
static void case_make(struct edit_case *c, int t)
{
    uint32_t size_x = t == 0 ? 1 : 64, size_z = 64;

    for (int i = 0; i < SAMPLES; i++) {
        bool valid = (uint32_t)(i % 64) < size_x;
        c->heights[i] = valid ? random_int(2000, 14000) : 0x5a5a5a;
        c->after[i] = valid ? c->heights[i] + random_int(-300, 300) : 0x777777;
    }
    c->task = (struct tr_edit_task){size_x, size_z, c->heights, c->after, c->slots, 0, c->blocks, BLOCKS};
    for (int b = 0; b < BLOCKS; b++) {
        c->blocks[b] = (struct tr_edit_block){b - 1, b == 1 && t != 1, c->samples[b], c->block_slots[b], 0};
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
            c->samples[b][i] = (int16_t)random_int(-3000, 3000);
    }
    for (int i = 0; i < 10 && t != 1; i++) {
        if (i % 2 == 0) {
            tr_edit_slot slot = random_brush(i == 0 ? TR_SLOT_FOLLOW : TR_SLOT_RAISE, size_x, size_z);
            c->slots[c->task.slot_count++] = slot;
            for (int b = 0; b < BLOCKS; b++)
                c->block_slots[b][c->blocks[b].slot_count++] = slot;
        } else {
            int b = random_int(0, BLOCKS - 1);
            c->block_slots[b][c->blocks[b].slot_count++] = random_shape(size_x, size_z);
        }
    }
}

static int height_after(const struct edit_case *c, const tr_edit_slot *slot, int x, int z, int height)
{
    if (!slot_covers(slot, x, z))
        return height;
    return slot->op == TR_SLOT_FOLLOW ? c->after[z * 64 + x] : tr_brush_raise(*slot, x, z, height);
}

/* One sample of one block through all its slots. */
static int sample_after(const struct edit_case *c, const struct tr_edit_block *block, int x, int y, int z)
{
    int height = c->heights[z * 64 + x], row = 64 * block->cy + y;
    int s = block->stored ? block->samples[tr_block_index(x, y, z)] : tr_height_field(row, height);

    for (uint32_t i = 0; i < block->slot_count; i++) {
        const tr_edit_slot *slot = &block->slots[i];
        if (slot->op == TR_SLOT_RAISE || slot->op == TR_SLOT_FOLLOW) {
            int height2 = height_after(c, slot, x, z, height);
            s = tr_follow(s, tr_height_field(row, height), tr_height_field(row, height2));
            height = height2;
        } else if (slot_covers(slot, x, z) && y >= slot->lo_y && y <= slot->hi_y) {
            s = slot->op == TR_SLOT_UNION ? tr_shape_union(*slot, x, y, z, s)
                                          : tr_shape_subtract(*slot, x, y, z, s);
        }
    }
    return s;
}

/* Samples and heights of a rim chunk that it does not own stay as they are. */
static void case_expect(struct edit_case *c)
{
    for (int i = 0; i < SAMPLES; i++) {
        c->expected_heights[i] = c->heights[i];
        for (uint32_t k = 0; k < c->task.slot_count; k++)
            c->expected_heights[i] = height_after(c, &c->slots[k], i % 64, i / 64, c->expected_heights[i]);
    }
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
            c->expected_samples[b][i] =
                (uint32_t)(i % 64) < c->task.size_x
                    ? (int16_t)sample_after(c, &c->blocks[b], i % 64, i / 4096, i / 64 % 64)
                    : c->samples[b][i];
}

static void case_check(const struct edit_case *c, const char *what, int t)
{
    for (int i = 0; i < SAMPLES; i++)
        if (c->heights[i] != c->expected_heights[i])
            fail_msg("%s, task %d, height (%d, %d): %d, expected %d", what, t, i % 64, i / 64, c->heights[i],
                     c->expected_heights[i]);
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
            if (c->samples[b][i] != c->expected_samples[b][i])
                fail_msg("%s, task %d, block %d, sample (%d, %d, %d): %d, expected %d", what, t, b, i % 64,
                         i / 4096, i / 64 % 64, c->samples[b][i], c->expected_samples[b][i]);
}

static void check_edit(struct tr_bake *bake, const char *what)
{
    struct tr_edit_task tasks[TASKS];
    struct tr_error error;

    random_state = 3;
    for (int t = 0; t < TASKS; t++) {
        case_make(&cases[t], t);
        case_expect(&cases[t]);
        tasks[t] = cases[t].task;
    }
    assert_memory_not_equal(cases[2].expected_samples[1], cases[2].samples[1], sizeof cases[2].samples[1]);
    must(bake->ops->edit(bake, tasks, TASKS, &error), &error);
    for (int t = 0; t < TASKS; t++)
        case_check(&cases[t], what, t);
}

static void edit_equals_plain_loops(void **state)
{
    (void)state;
    on_every_cpu(check_edit);
}

/* --- mesh --- */

/* A world of 2 x 1 chunks and block rows -1..1 whose ground is hills with a sphere of air and one of stone. */
#define WORLD_X 2
#define WORLD_Z 1

static int world_height(int x, int z)
{
    return 3000 + 37 * x - 21 * z + 900 * ((x * 7 + z * 5) % 11 > 5);
}

static int world_sample(int x, int y, int z)
{
    int field = tr_height_field(y, world_height(x, z));
    int air = 40 * 40 - (x - 64) * (x - 64) - (y + 2) * (y + 2) - (z - 30) * (z - 30);
    int stone = (x - 100) * (x - 100) + (y - 60) * (y - 60) + (z - 64) * (z - 64) - 400;
    return tr_sdf_clamp(tr_imin(tr_imax(field, 8 * air), 8 * stone));
}

/* Which blocks are stored: all but the lowest row of the first chunk. */
static bool world_stores(int cx, int cy, int cz)
{
    return cx >= 0 && cx <= WORLD_X && cz >= 0 && cz <= WORLD_Z && cy >= -1 && cy <= 1 &&
           !(cx == 0 && cy == -1);
}

static int world_field(int x, int y, int z)
{
    x = tr_iclamp(x, 0, 64 * WORLD_X);
    z = tr_iclamp(z, 0, 64 * WORLD_Z);
    return world_stores(x / 64, y >= 0 ? y / 64 : -1 - (-y - 1) / 64, z / 64)
               ? world_sample(x, y, z)
               : tr_height_field(y, world_height(x, z));
}

struct mesh_case {
    int32_t heights[TR_TILE_HALO];
    int16_t *blocks[27];
    int16_t field[TR_TILE_FIELD_SAMPLES];
};

static void mesh_case_make(struct mesh_case *c, struct tr_mesh_task *task)
{
    for (int i = 0; i < TR_TILE_HALO; i++)
        c->heights[i] = world_height(tr_iclamp(64 * task->cx + i % 67 - 1, 0, 64 * WORLD_X),
                                     tr_iclamp(64 * task->cz + i / 67 - 1, 0, 64 * WORLD_Z));
    task->heights = c->heights;
    for (int b = 0; b < 27; b++) {
        int cx = task->cx + b % 3 - 1, cy = task->cy + b / 9 - 1, cz = task->cz + b / 3 % 3 - 1;
        if (!world_stores(cx, cy, cz))
            continue;
        c->blocks[b] = malloc(TR_BLOCK_SAMPLES * sizeof **c->blocks);
        assert_non_null(c->blocks[b]);
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
            c->blocks[b][i] =
                (int16_t)world_sample(64 * cx + i % 64, 64 * cy + i / 4096, 64 * cz + i / 64 % 64);
        task->blocks[b] = c->blocks[b];
    }
    for (int i = 0; i < TR_TILE_FIELD_SAMPLES; i++)
        c->field[i] = TR_FIELD_PADDING;
    for (int y = -1; y <= 65; y++)
        for (int z = -1; z <= 65; z++)
            for (int x = -1; x <= 65; x++)
                c->field[tr_tile_index(x, y, z)] =
                    (int16_t)world_field(64 * task->cx + x, 64 * task->cy + y, 64 * task->cz + z);
}

static struct mesh_case mesh_cases[TASKS];
static struct tr_mesh_task mesh_tasks[TASKS];

static int mesh_setup(void **state)
{
    const int places[TASKS][2] = {{0, 0}, {1, 0}, {0, -1}, {1, 1}, {0, 5}}; /* the last is all air */

    (void)state;
    for (int t = 0; t < TASKS; t++) {
        mesh_tasks[t] = (struct tr_mesh_task){
            .cx = places[t][0], .cy = places[t][1], .world_x = WORLD_X, .world_z = WORLD_Z};
        mesh_case_make(&mesh_cases[t], &mesh_tasks[t]);
    }
    return 0;
}

static int mesh_teardown(void **state)
{
    (void)state;
    for (int t = 0; t < TASKS; t++)
        for (int b = 0; b < 27; b++)
            free(mesh_cases[t].blocks[b]);
    return 0;
}

static void tile_field_is_the_world_s_field_with_clamped_reads(void **state)
{
    static void (*const tile_field[])(const struct tr_tile *, int16_t *) = TR_ISA_TABLE(tr_tile_field);
    static int16_t field[TR_TILE_FIELD_SAMPLES];

    (void)state;
    for (int level = 0; level <= tr_isa_pick(); level++)
        for (int t = 0; t < TASKS; t++) {
            const struct tr_mesh_task *task = &mesh_tasks[t];
            struct tr_tile tile = {task->cx, task->cy,      task->cz,    WORLD_X,
                                   WORLD_Z,  task->heights, task->blocks};
            memset(field, 0x33, sizeof field);
            tile_field[level](&tile, field);
            for (int i = 0; i < TR_TILE_FIELD_SAMPLES; i++)
                if (field[i] != mesh_cases[t].field[i])
                    fail_msg("%s, tile (%d, %d), sample (%d, %d, %d): %d, expected %d", tr_isa_name(level),
                             task->cx, task->cy, i % 68 - 1, i / (67 * 68) - 1, i / 68 % 67 - 1, field[i],
                             mesh_cases[t].field[i]);
        }
}

static void check_mesh(struct tr_bake *bake, const char *what)
{
    static struct tr_march_scratch scratch;
    struct tr_error error;

    must(bake->ops->mesh(bake, mesh_tasks, TASKS, &error), &error);
    for (int t = 0; t < TASKS; t++) {
        struct tr_mesh expected = {0}, *mesh = &mesh_tasks[t].mesh;
        must(tr_march_v2(mesh_cases[t].field, &scratch, &expected, &error), &error);
        if (mesh->vertex_count != expected.vertex_count || mesh->index_count != expected.index_count)
            fail_msg("%s, task %d: %u vertices and %u indices, expected %u and %u", what, t,
                     mesh->vertex_count, mesh->index_count, expected.vertex_count, expected.index_count);
        assert_int_equal(expected.vertex_count == 0, t == TASKS - 1);
        if (expected.vertex_count > 0) {
            assert_memory_equal(mesh->vertices, expected.vertices,
                                expected.vertex_count * sizeof *expected.vertices);
            assert_memory_equal(mesh->indices, expected.indices,
                                expected.index_count * sizeof *expected.indices);
        }
        tr_mesh_release(mesh);
        tr_mesh_release(&expected);
    }
}

static void mesh_equals_marching_the_plain_field(void **state)
{
    (void)state;
    on_every_cpu(check_mesh);
}

/* --- the device --- */

static void no_tasks_are_done_at_once(void **state)
{
    struct tr_bake *bake = open_cpu(2, 0);
    struct tr_error error;

    (void)state;
    assert_int_equal(bake->ops->fill(bake, NULL, 0, &error), TR_OK);
    assert_int_equal(bake->ops->edit(bake, NULL, 0, &error), TR_OK);
    assert_int_equal(bake->ops->smooth(bake, NULL, 0, &error), TR_OK);
    assert_int_equal(bake->ops->mesh(bake, NULL, 0, &error), TR_OK);
    tr_bake_close(bake);
    tr_bake_close(NULL);
}

static void small_work_on_auto_takes_the_cpu(void **state)
{
    const char *const names[] = {"auto", NULL};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tr_bake_options options = {.device = names[i], .jobs = 1};
        struct tr_bake *bake;
        struct tr_error error;
        must(tr_bake_open(&options, &bake, &error), &error);
        assert_string_equal(bake->ops->name, "cpu");
        assert_int_equal(tr_jobs_count(bake->jobs), 1);
        tr_bake_close(bake);
    }
}

static void too_many_jobs_are_refused(void **state)
{
    struct tr_bake_options options = {.device = "cpu", .jobs = TR_JOBS_MAX + 1};
    struct tr_bake *bake = (struct tr_bake *)&options;
    struct tr_error error;

    (void)state;
    assert_int_equal(tr_bake_open(&options, &bake, &error), TR_USAGE);
    assert_null(bake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_equals_plain_loops),
        cmocka_unit_test(smooth_equals_plain_loops),
        cmocka_unit_test(edit_equals_plain_loops),
        cmocka_unit_test(tile_field_is_the_world_s_field_with_clamped_reads),
        cmocka_unit_test(mesh_equals_marching_the_plain_field),
        cmocka_unit_test(no_tasks_are_done_at_once),
        cmocka_unit_test(small_work_on_auto_takes_the_cpu),
        cmocka_unit_test(too_many_jobs_are_refused),
    };
    return cmocka_run_group_tests_name("cpu", tests, mesh_setup, mesh_teardown);
}
