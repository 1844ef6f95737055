/* Vulkan compute: limits, guard words and validation of lib/gpu, and every kernel of lib/bake's backend
 * against the scalar functions of shaders/ in plain loops, on the first Vulkan device of this machine. A
 * machine without any fails: continuous integration installs the software one. Validation is on where its
 * layer is installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/bake/bricks.h"
#include "lib/bake/devices.h"
#include "lib/bake/vulkan_internal.h"
#include "lib/base/alloc.h"
#include "lib/mesh/case_table.h"
#include "shaders/fill_params.h"
#include "shaders/ground.h"
#include "shaders/selftest_params.h"
#include "shaders/surface.h"
#include "tests/support/vulkan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HALO TR_BAKE_SMOOTH_HALO
#define SMALL_BATCH_BYTES 1000 /* makes every task a batch, and lists of slots many pieces */

static struct tr_error error;
static struct tr_vulkan *vulkan; /* the device under test */
static bool validation;

static void expect_ok(enum tr_status status)
{
    if (status != TR_OK)
        fail_msg("status %d: %s", (int)status, error.text);
}

static void expect_fault(enum tr_status status, enum tr_status expected, const char *text)
{
    if (status != expected || !strstr(error.text, text))
        fail_msg("status %d '%s', expected %d with '%s'", (int)status, error.text, (int)expected, text);
    if (strchr(error.text, '\n'))
        fail_msg("more than one line: '%s'", error.text);
}

/* Pseudo-random inputs -------------------------------------------------------------------------------------
 */

static uint32_t random_state;

static uint32_t random_bits(void)
{
    return random_state = tr_noise_hash(random_state, random_state >> 7, 0x1234567u) + 0x9e3779b9u;
}

static int random_int(int lo, int hi)
{
    return lo + (int)(random_bits() % (uint32_t)(hi - lo + 1));
}

/* A multiple of 1/256. */
static float random_float(int lo, int hi)
{
    return (float)random_int(lo * 256, hi * 256) / 256.0f;
}

static void *take(size_t count, size_t size_bytes)
{
    void *memory = tr_alloc(count, size_bytes, &error);

    assert_non_null(memory);
    return memory;
}

/* The group's device ------------------------------------------------------------------------------------- */

static int open_device(void **state)
{
    enum tr_status status = tr_vulkan_open(0, 2, true, &vulkan, &error);

    (void)state;
    vulkan_pin_driver();
    validation = status == TR_OK;
    if (!validation && strstr(error.text, "no vulkan validation layer"))
        status = tr_vulkan_open(0, 2, false, &vulkan, &error);
    if (status != TR_OK) {
        fprintf(stderr, "no device: %s\n", error.text);
        return -1;
    }
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    if (vulkan)
        tr_vulkan_close(&vulkan->bake);
    return 0;
}

/* Every test that computed ends with this. */
static void expect_clean(void)
{
    expect_ok(tr_gpu_check_guards(vulkan->gpu, &error));
    expect_ok(tr_gpu_check_messages(vulkan->gpu, &error));
}

static int restore_batches(void **state)
{
    (void)state;
    vulkan->batch_bytes = (uint64_t)40 << 20;
    return 0;
}

/* Devices ------------------------------------------------------------------------------------------------ */

static void a_listed_device_has_a_name_a_driver_and_limits(void **state)
{
    struct tr_gpu_info *infos = NULL;
    size_t count = 0;

    (void)state;
    expect_ok(tr_gpu_list(&infos, &count, &error));
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(infos[i].name) > 0);
        assert_true(strlen(infos[i].driver) > 1);
        /* what Vulkan promises at least */
        assert_true(infos[i].storage_range_bytes >= (1u << 27));
        assert_true(infos[i].group_invocations >= 128);
        assert_true(infos[i].group_count_x >= 65535 && infos[i].group_count_y >= 65535);
        assert_true(infos[i].shared_bytes >= 16384);
        assert_true(infos[i].push_bytes >= 128);
    }
    free(infos);
}

static void every_device_passes_the_selftest(void **state)
{
    struct tr_bake_device *devices = NULL;
    size_t count = 0;

    (void)state;
    expect_ok(tr_bake_devices(&devices, &count, &error));
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++)
        if (devices[i].selftest.status != TR_OK)
            fail_msg("device %zu: %s", i, devices[i].selftest.text);
    free(devices);
}

static void a_device_is_found_by_index_and_by_part_of_its_name_in_any_case(void **state)
{
    char part[256];
    size_t index = 99, length = strlen(vulkan->bake.device);

    (void)state;
    expect_ok(tr_bake_device_find("0", 0, &index, &error));
    assert_int_equal(index, 0);
    snprintf(part, sizeof part, "%s", vulkan->bake.device + (length > 4 ? 1 : 0));
    for (char *at = part; *at; at++)
        *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    index = 99;
    expect_ok(tr_bake_device_find(part, 0, &index, &error));
    assert_int_equal(index, 0);
}

static void an_unknown_device_is_answered_with_what_there_is(void **state)
{
    static const char *const names[] = {"no-such-thing", "99", "0x0", "", "4294967296"};
    size_t index = 0;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect_fault(tr_bake_device_find(names[i], 0, &index, &error), TR_NO_DEVICE, vulkan->bake.device);
        assert_non_null(strstr(error.text, names[i]));
    }
}

static void auto_never_takes_a_software_device(void **state)
{
    struct tr_bake_options options = {.device = "auto", .jobs = 1};
    struct tr_gpu_info *infos = NULL;
    struct tr_bake *bake = NULL;
    size_t count = 0, real = 0;

    (void)state;
    expect_ok(tr_gpu_list(&infos, &count, &error));
    for (size_t i = 0; i < count; i++)
        real += infos[i].type != TR_GPU_CPU;
    free(infos);
    if (real > 0) {
        expect_ok(tr_bake_open_vulkan(&options, &bake, &error));
        bake->ops->close(bake);
    } else {
        expect_fault(tr_bake_open_vulkan(&options, &bake, &error), TR_NO_DEVICE, "no real gpu");
        assert_null(bake);
    }
}

static void an_index_beyond_the_list_is_refused(void **state)
{
    struct tr_gpu *gpu = NULL;

    (void)state;
    expect_fault(tr_gpu_open(99, false, &gpu, &error), TR_NO_DEVICE, "no vulkan device 99");
    assert_null(gpu);
}

static void two_devices_can_be_open_at_a_time(void **state)
{
    struct tr_vulkan *second = NULL;

    (void)state;
    expect_ok(tr_vulkan_open(0, 1, false, &second, &error));
    expect_ok(tr_vulkan_selftest(second, &error));
    expect_ok(tr_vulkan_selftest(vulkan, &error));
    tr_vulkan_close(&second->bake);
    expect_ok(tr_vulkan_selftest(vulkan, &error));
    expect_clean();
}

/* Limits ------------------------------------------------------------------------------------------------- */

static void a_buffer_beyond_the_storage_range_is_refused(void **state)
{
    uint64_t range = tr_gpu_info(vulkan->gpu)->storage_range_bytes;
    struct tr_gpu_buffer *buffer = NULL;

    (void)state;
    expect_fault(tr_gpu_buffer_reserve(vulkan->gpu, &buffer, "huge", false, range / 4 * 4, &error),
                 TR_NO_DEVICE, "buffer 'huge'");
    expect_fault(tr_gpu_buffer_reserve(vulkan->gpu, &buffer, "huge", false, UINT64_MAX - 3, &error),
                 TR_NO_DEVICE, "buffer 'huge'");
    assert_null(buffer);
}

static void a_buffer_of_no_whole_words_is_refused(void **state)
{
    struct tr_gpu_buffer *buffer = NULL;

    (void)state;
    expect_fault(tr_gpu_buffer_reserve(vulkan->gpu, &buffer, "odd", false, 6, &error), TR_NO_DEVICE,
                 "buffer 'odd' of 6");
    expect_fault(tr_gpu_buffer_reserve(vulkan->gpu, &buffer, "odd", false, 0, &error), TR_NO_DEVICE,
                 "buffer 'odd' of 0");
    assert_null(buffer);
}

static void a_kernel_beyond_the_limits_is_refused(void **state)
{
    const struct tr_gpu_info *info = tr_gpu_info(vulkan->gpu);
    struct tr_gpu_kernel_source sources[4];
    static const char *const needs[] = {"invocations in a workgroup", "bytes of shared memory",
                                        "bytes of parameters", "storage buffers"};
    struct tr_gpu_kernel *kernel = NULL;

    (void)state;
    for (int i = 0; i < 4; i++)
        sources[i] = tr_kernel_sources[TR_KERNEL_FILL];
    sources[0].local_size = info->group_invocations + 1;
    sources[1].shared_bytes = info->shared_bytes + 4;
    sources[2].params_bytes = TR_GPU_PARAMS_BYTES_MAX + 4;
    sources[3].buffer_count = TR_GPU_BUFFERS_MAX + 1;
    for (int i = 0; i < 4; i++) {
        expect_fault(tr_gpu_kernel_create(vulkan->gpu, &sources[i], &kernel, &error), TR_NO_DEVICE, needs[i]);
        assert_non_null(strstr(error.text, "kernel 'fill'"));
        assert_null(kernel);
    }
}

static void every_kernel_fits_what_vulkan_promises(void **state)
{
    (void)state;
    for (int i = 0; i < TR_KERNEL_COUNT; i++) {
        const struct tr_gpu_kernel_source *source = &tr_kernel_sources[i];

        /* 128 invocations are promised, and 1024 by every driver in use */
        assert_true(source->local_size <= 256);
        assert_true(source->shared_bytes <= 16384);
        assert_true(source->params_bytes <= 128 && source->params_bytes % 4 == 0);
        assert_true(source->buffer_count <= TR_GPU_BUFFERS_MAX);
        assert_int_equal(source->words[0], 0x07230203);
    }
}

static void too_many_workgroups_are_refused_at_the_submission(void **state)
{
    static const enum tr_kernel kernels[] = {TR_KERNEL_SELFTEST};
    const struct tr_gpu_info *info = tr_gpu_info(vulkan->gpu);
    struct tr_vulkan_lane *lane = &vulkan->lanes[0];
    tr_selftest_params params = {0};

    (void)state;
    expect_ok(tr_vulkan_kernels(vulkan, kernels, 1, &error));
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, 1, 4, &error));
    expect_ok(tr_gpu_begin(lane->commands, &error));
    tr_gpu_dispatch(lane->commands, vulkan->kernels[TR_KERNEL_SELFTEST], &lane->buffers[TR_LANE_RESULT],
                    &params, (uint64_t)info->group_count_x * info->group_count_y + 1);
    expect_fault(tr_gpu_submit(lane->commands, &error), TR_NO_DEVICE, "kernel 'selftest' in");
    expect_clean();
}

static void more_groups_than_one_row_holds_are_all_run(void **state)
{
    static const enum tr_kernel kernels[] = {TR_KERNEL_FILL};
    const uint32_t chunk_count = 2048; /* 131072 workgroups */
    struct tr_vulkan_lane *lane = &vulkan->lanes[0];
    tr_fill_params params = {chunk_count};
    tr_fill_item *items;
    const int32_t *heights;

    (void)state;
    expect_ok(tr_vulkan_kernels(vulkan, kernels, 1, &error));
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, chunk_count, sizeof *items, &error));
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_SLOTS, 1, sizeof(tr_noise_layer), &error));
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, chunk_count, TR_COLUMNS * 4, &error));
    items = tr_lane_mirror(lane, TR_LANE_ITEMS);
    for (uint32_t i = 0; i < chunk_count; i++)
        items[i] = (tr_fill_item){0, 0, (int)i + 1};
    expect_ok(tr_gpu_begin(lane->commands, &error));
    tr_lane_upload(lane, TR_LANE_ITEMS);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_FILL,
                       (struct tr_gpu_buffer *[]){lane->buffers[TR_LANE_ITEMS], lane->buffers[TR_LANE_SLOTS],
                                                  lane->buffers[TR_LANE_RESULT]},
                       &params, (uint64_t)chunk_count * TR_COLUMNS);
    tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
    tr_lane_download(lane, TR_LANE_RESULT);
    expect_ok(tr_gpu_submit(lane->commands, &error));
    expect_ok(tr_gpu_wait(lane->commands, &error));
    heights = tr_lane_mirror(lane, TR_LANE_RESULT);
    for (uint32_t i = 0; i < chunk_count * TR_COLUMNS; i++)
        if (heights[i] != (int32_t)(i / TR_COLUMNS) + 1)
            fail_msg("height %u is %d, expected %u", i, heights[i], i / TR_COLUMNS + 1);
    expect_clean();
}

static void a_copy_beyond_a_buffer_is_refused_at_the_submission(void **state)
{
    struct tr_vulkan_lane *lane = &vulkan->lanes[0];

    (void)state;
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, 4, 4, &error));
    expect_ok(tr_gpu_begin(lane->commands, &error));
    tr_gpu_upload(lane->commands, lane->buffers[TR_LANE_ITEMS], 4, 16);
    expect_fault(tr_gpu_submit(lane->commands, &error), TR_NO_DEVICE,
                 "copy of 16 bytes at 4 of buffer 'items'");
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_BITS, 4, 4, &error));
    expect_ok(tr_gpu_begin(lane->commands, &error));
    tr_gpu_download(lane->commands, lane->buffers[TR_LANE_BITS], 0, 16);
    expect_fault(tr_gpu_submit(lane->commands, &error), TR_NO_DEVICE, "no mirror");
    expect_clean();
}

static void commands_that_were_not_begun_are_not_submitted(void **state)
{
    (void)state;
    expect_fault(tr_gpu_submit(vulkan->lanes[0].commands, &error), TR_NO_DEVICE, "not begun");
}

static void time_passes_between_stamps(void **state)
{
    struct tr_vulkan_lane *lane = &vulkan->lanes[0];
    uint32_t from, to;

    (void)state;
    expect_ok(tr_vulkan_selftest(vulkan, &error));
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, 1 << 20, 4, &error));
    expect_ok(tr_gpu_begin(lane->commands, &error));
    from = tr_gpu_stamp(lane->commands);
    tr_lane_upload(lane, TR_LANE_ITEMS);
    to = tr_gpu_stamp(lane->commands);
    expect_ok(tr_gpu_submit(lane->commands, &error));
    expect_ok(tr_gpu_wait(lane->commands, &error));
    assert_int_equal(from, 0);
    assert_int_equal(to, 1);
    assert_true(tr_gpu_elapsed_ns(lane->commands, from, to) < UINT64_C(600000000000));
    assert_int_equal(tr_gpu_elapsed_ns(lane->commands, from, 2), 0); /* no such stamp */
}

/* Guards and validation ---------------------------------------------------------------------------------- */

/* Runs `fill` on one chunk in a buffer that is `missing` words too small. */
static void fill_too_small(uint32_t missing)
{
    static const enum tr_kernel kernels[] = {TR_KERNEL_FILL};
    struct tr_vulkan_lane *lane = &vulkan->lanes[0];
    tr_fill_params params = {1};

    expect_ok(tr_vulkan_kernels(vulkan, kernels, 1, &error));
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_ITEMS, 1, sizeof(tr_fill_item), &error));
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_SLOTS, 1, sizeof(tr_noise_layer), &error));
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, TR_COLUMNS - missing, 4, &error));
    memset(tr_lane_mirror(lane, TR_LANE_ITEMS), 0, sizeof(tr_fill_item));
    expect_ok(tr_gpu_begin(lane->commands, &error));
    tr_lane_upload(lane, TR_LANE_ITEMS);
    tr_gpu_barrier(lane->commands, TR_GPU_UPLOAD_TO_KERNEL);
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_FILL,
                       (struct tr_gpu_buffer *[]){lane->buffers[TR_LANE_ITEMS], lane->buffers[TR_LANE_SLOTS],
                                                  lane->buffers[TR_LANE_RESULT]},
                       &params, TR_COLUMNS);
    expect_ok(tr_gpu_submit(lane->commands, &error));
    expect_ok(tr_gpu_wait(lane->commands, &error));
}

static void a_kernel_that_writes_behind_a_buffer_is_found_by_its_guard(void **state)
{
    (void)state;
    fill_too_small(0);
    expect_clean();
    fill_too_small(1);
    expect_fault(tr_gpu_check_guards(vulkan->gpu, &error), TR_NO_DEVICE,
                 "buffer 'result' of 16380 bytes: word 0");
    fill_too_small(0); /* a new use has a new guard */
    expect_clean();
}

static void a_missing_barrier_is_reported_by_validation(void **state)
{
    static const enum tr_kernel kernels[] = {TR_KERNEL_SELFTEST};
    struct tr_vulkan_lane *lane = &vulkan->lanes[0];
    tr_selftest_params params = {1};
    enum tr_status status;

    (void)state;
    if (!validation)
        skip();
    expect_ok(tr_vulkan_kernels(vulkan, kernels, 1, &error));
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, TR_SELFTEST_FUNCTIONS, 4, &error));
    expect_ok(tr_gpu_begin(lane->commands, &error));
    tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_SELFTEST, &lane->buffers[TR_LANE_RESULT], &params,
                       TR_SELFTEST_FUNCTIONS);
    tr_lane_download(lane, TR_LANE_RESULT);
    status = tr_gpu_submit(lane->commands, &error);
    tr_gpu_wait(lane->commands, NULL);
    expect_fault(status, TR_NO_DEVICE, "vulkan validation: ");
    assert_non_null(strstr(error.text, "SYNC-HAZARD-READ-AFTER-WRITE"));
    while (tr_gpu_check_messages(vulkan->gpu, NULL) != TR_OK)
        ;
    expect_ok(tr_vulkan_selftest(vulkan, &error));
}

/* Fill --------------------------------------------------------------------------------------------------- */

static tr_noise_layer random_layer(void)
{
    return (tr_noise_layer){
        .kind = random_bits() % 3,
        .seed = random_bits(),
        .cell_x = random_bits(),
        .cell_z = random_bits(),
        .frac_x = (float)(random_bits() >> 8) / 16777216.0f,
        .frac_z = (float)(random_bits() >> 8) / 16777216.0f,
        .frequency = (float)(1 + (random_bits() >> 8)) / 16777216.0f,
        .amplitude = random_float(-30000, 30000),
    };
}

static void fill_naive(const struct tr_fill_task *task, int32_t *heights)
{
    for (int z = 0; z < TR_CHUNK; z++) {
        for (int x = 0; x < TR_CHUNK; x++) {
            float sum = 0.0f;

            for (uint32_t i = 0; i < task->layer_count; i++)
                sum += tr_noise_height(task->layers[i], x, z);
            heights[z * TR_CHUNK + x] = tr_noise_ground(task->base, sum);
        }
    }
}

static void expect_equal_heights(const char *what, size_t task, const int32_t *found, const int32_t *expected)
{
    for (int i = 0; i < TR_COLUMNS; i++)
        if (found[i] != expected[i])
            fail_msg("%s, task %zu, x %d z %d: %d, expected %d", what, task, i % TR_CHUNK, i / TR_CHUNK,
                     found[i], expected[i]);
}

static void check_fill(size_t count)
{
    struct tr_fill_task *tasks = take(count, sizeof *tasks);
    tr_noise_layer *layers = take(count * TR_NOISE_LAYERS_MAX, sizeof *layers);
    int32_t *heights = take(count * TR_COLUMNS, sizeof *heights);
    int32_t *expected = take(TR_COLUMNS, sizeof *expected);

    random_state = 1;
    for (size_t i = 0; i < count; i++) {
        tr_noise_layer *own = layers + i * TR_NOISE_LAYERS_MAX;

        tasks[i] = (struct tr_fill_task){own, (uint32_t)(i % 12), random_int(-1000000, 1000000),
                                         heights + i * TR_COLUMNS};
        if (i == 3)
            tasks[i].layer_count = TR_NOISE_LAYERS_MAX;
        for (uint32_t k = 0; k < tasks[i].layer_count; k++)
            own[k] = random_layer();
    }
    expect_ok(vulkan->bake.ops->fill(&vulkan->bake, tasks, count, &error));
    for (size_t i = 0; i < count; i++) {
        fill_naive(&tasks[i], expected);
        expect_equal_heights("fill", i, tasks[i].heights, expected);
    }
    free(tasks);
    free(layers);
    free(heights);
    free(expected);
    expect_clean();
}

static void fill_equals_the_scalar_functions(void **state)
{
    (void)state;
    check_fill(40);
}

static void fill_does_not_depend_on_the_batch(void **state)
{
    (void)state;
    vulkan->batch_bytes = SMALL_BATCH_BYTES;
    check_fill(7);
}

/* Edit and smooth ---------------------------------------------------------------------------------------- */

/* Mostly up to 24 samples wide, sometimes everything. */
static void random_range(int size, int *lo, int *hi)
{
    *lo = random_int(0, size - 1);
    *hi = tr_imin(size - 1, *lo + random_int(0, 24));
    if (random_bits() % 8 == 0) {
        *lo = 0;
        *hi = size - 1;
    }
}

static void random_box(tr_edit_slot *slot, int size_x, int size_z)
{
    random_range(size_x, &slot->lo_x, &slot->hi_x);
    random_range(64, &slot->lo_y, &slot->hi_y);
    random_range(size_z, &slot->lo_z, &slot->hi_z);
}

static tr_edit_slot random_brush(uint op, int size_x, int size_z)
{
    tr_edit_slot slot = {
        .op = op, .falloff = random_bits() % TR_FALLOFF_COUNT, .power = 2 + random_bits() % 15};

    random_box(&slot, size_x, size_z);
    slot.cx = random_float(-20, 84);
    slot.cz = random_float(-20, 84);
    slot.radius = 1.0f / random_float(1, 60);
    slot.strength = op == TR_SLOT_SMOOTH ? (float)random_int(1, 256) / 256.0f : random_float(-4000, 4000);
    return slot;
}

static tr_edit_slot random_shape(int size_x, int size_z)
{
    static const float directions[4][3] = {
        {0, 0, 0}, {1, 0, 0}, {0.6f, 0, 0.8f}, {2.0f / 3, 1.0f / 3, -2.0f / 3}};
    const float *u = directions[random_bits() % 4];
    tr_edit_slot slot = {
        .op = random_bits() % 2 ? TR_SLOT_UNION : TR_SLOT_SUBTRACT, .ux = u[0], .uy = u[1], .uz = u[2]};

    random_box(&slot, size_x, size_z);
    slot.large = random_bits() % 4 == 0;
    slot.radius = slot.large ? random_float(1024, 100000) : random_float(1, 30);
    slot.cx = random_float(0, 63) + (slot.large ? slot.radius : 0.0f);
    slot.cy = random_float(0, 63);
    slot.cz = random_float(0, 63);
    slot.k0 = slot.cx * slot.cx + slot.cy * slot.cy + slot.cz * slot.cz - slot.radius * slot.radius;
    if (u[0] != 0.0f) {
        slot.t0 = -random_float(0, 30);
        slot.t1 = random_float(0, 30);
    }
    slot.reach = 16.0f;
    if (random_bits() % 2) {
        slot.blend = random_float(1, 16) * 256.0f;
        slot.inv_4blend = 1.0f / (4.0f * slot.blend);
        slot.reach += slot.blend / 256.0f;
    }
    return slot;
}

#define SLOTS_MAX 400 /* of one list */

/* Tasks with what they point to, twice: what the device gets, and what the plain loops get. */
struct edit_case {
    struct tr_edit_task *tasks, *expected;
    size_t count;
};

/* Volume slots between the chunk's height slots. */
static void random_block(const struct tr_edit_task *task, struct tr_edit_block *block, uint32_t volume_count)
{
    tr_edit_slot *slots = take(SLOTS_MAX, sizeof *slots);

    block->cy = random_int(-2, 2);
    block->stored = random_bits() % 2;
    block->samples = take(TR_BLOCK_SAMPLES, sizeof *block->samples);
    block->slots = slots;
    for (uint32_t i = 0; i < task->slot_count; i++) {
        for (uint32_t k = 0; k < volume_count; k++)
            slots[block->slot_count++] = random_shape((int)task->size_x, (int)task->size_z);
        slots[block->slot_count++] = task->slots[i];
    }
    for (uint32_t k = 0; k < volume_count; k++)
        slots[block->slot_count++] = random_shape((int)task->size_x, (int)task->size_z);
    for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
        block->samples[i] = (int16_t)random_int(-32767, 32767);
}

static void random_task(struct tr_edit_task *task, size_t number)
{
    tr_edit_slot *slots = take(SLOTS_MAX, sizeof *slots);
    int32_t *after = take(TR_COLUMNS, sizeof *after);
    static const uint32_t height_counts[] = {3, 0, 1, 70, 3}, volume_counts[] = {2, 5, 0, 3, 0};

    *task = (struct tr_edit_task){
        .size_x = number % 3 == 1 ? 1 : 64, .size_z = number % 4 == 2 ? 1 : 64, .slots = slots};
    task->heights = take(TR_COLUMNS, sizeof *task->heights);
    for (int i = 0; i < TR_COLUMNS; i++) {
        task->heights[i] = random_int(-30000, 30000);
        after[i] = random_int(-30000, 30000);
    }
    for (; task->slot_count < height_counts[number % 5]; task->slot_count++)
        slots[task->slot_count] = random_brush(TR_SLOT_RAISE, (int)task->size_x, (int)task->size_z);
    if (number % 5 == 2 || number % 5 == 4) {
        slots[0].op = TR_SLOT_FOLLOW;
        task->after = after;
    } else {
        free(after);
    }
    task->block_count = (uint32_t)(number + 1) % 3;
    task->blocks = take(task->block_count, sizeof *task->blocks);
    for (uint32_t i = 0; i < task->block_count; i++)
        random_block(task, &task->blocks[i], volume_counts[number % 5]);
}

static void copy_task(struct tr_edit_task *to, const struct tr_edit_task *from)
{
    *to = *from;
    to->heights = take(TR_COLUMNS, sizeof *to->heights);
    memcpy(to->heights, from->heights, TR_COLUMNS * sizeof *to->heights);
    to->blocks = take(from->block_count, sizeof *to->blocks);
    for (uint32_t i = 0; i < from->block_count; i++) {
        to->blocks[i] = from->blocks[i];
        to->blocks[i].samples = take(TR_BLOCK_SAMPLES, sizeof(int16_t));
        memcpy(to->blocks[i].samples, from->blocks[i].samples, TR_BLOCK_SAMPLES * sizeof(int16_t));
    }
}

static void edit_case_make(struct edit_case *edit, size_t count)
{
    random_state = 2;
    edit->count = count;
    edit->tasks = take(count, sizeof *edit->tasks);
    edit->expected = take(count, sizeof *edit->expected);
    for (size_t i = 0; i < count; i++) {
        random_task(&edit->tasks[i], i);
        copy_task(&edit->expected[i], &edit->tasks[i]);
    }
}

static void edit_case_release(struct edit_case *edit)
{
    for (size_t i = 0; i < edit->count; i++) {
        for (uint32_t k = 0; k < edit->tasks[i].block_count; k++) {
            free((void *)edit->tasks[i].blocks[k].slots);
            free(edit->tasks[i].blocks[k].samples);
            free(edit->expected[i].blocks[k].samples);
        }
        free((void *)edit->tasks[i].slots);
        free((void *)edit->tasks[i].after);
        free(edit->tasks[i].heights);
        free(edit->tasks[i].blocks);
        free(edit->expected[i].heights);
        free(edit->expected[i].blocks);
    }
    free(edit->tasks);
    free(edit->expected);
}

static void block_naive(const struct tr_edit_task *task, struct tr_edit_block *block, int x, int y, int z)
{
    int column = z * TR_CHUNK + x, voxel_y = block->cy * TR_CHUNK + y;
    int height = task->heights[column];
    int sdf = block->stored ? block->samples[tr_block_index(x, y, z)] : tr_height_field(voxel_y, height);

    for (uint32_t i = 0; i < block->slot_count; i++) {
        const tr_edit_slot *slot = &block->slots[i];
        bool in_column = x >= slot->lo_x && x <= slot->hi_x && z >= slot->lo_z && z <= slot->hi_z;
        int before = tr_height_field(voxel_y, height);

        if (!in_column)
            continue;
        if (slot->op == TR_SLOT_UNION || slot->op == TR_SLOT_SUBTRACT) {
            if (y < slot->lo_y || y > slot->hi_y)
                continue;
            sdf = slot->op == TR_SLOT_UNION ? tr_shape_union(*slot, x, y, z, sdf)
                                            : tr_shape_subtract(*slot, x, y, z, sdf);
        } else {
            height = slot->op == TR_SLOT_FOLLOW ? task->after[column] : tr_brush_raise(*slot, x, z, height);
            sdf = tr_follow(sdf, before, tr_height_field(voxel_y, height));
        }
    }
    block->samples[tr_block_index(x, y, z)] = (int16_t)sdf;
}

static void edit_naive(struct tr_edit_task *task)
{
    int size_x = (int)task->size_x, size_z = (int)task->size_z;

    for (uint32_t i = 0; i < task->block_count; i++)
        for (int y = 0; y < TR_CHUNK; y++)
            for (int z = 0; z < size_z; z++)
                for (int x = 0; x < size_x; x++)
                    block_naive(task, &task->blocks[i], x, y, z);
    for (int z = 0; z < size_z; z++)
        for (int x = 0; x < size_x; x++)
            for (uint32_t i = 0; i < task->slot_count; i++)
                task->heights[z * TR_CHUNK + x] =
                    tr_slot_height(task->slots[i], x, z, task->heights[z * TR_CHUNK + x],
                                   task->after ? task->after[z * TR_CHUNK + x] : 0);
}

static void expect_equal_edits(const struct edit_case *edit)
{
    for (size_t i = 0; i < edit->count; i++) {
        const struct tr_edit_task *found = &edit->tasks[i], *expected = &edit->expected[i];

        expect_equal_heights("edit", i, found->heights, expected->heights);
        for (uint32_t k = 0; k < found->block_count; k++)
            for (int s = 0; s < TR_BLOCK_SAMPLES; s++)
                if (found->blocks[k].samples[s] != expected->blocks[k].samples[s])
                    fail_msg("task %zu block %u, x %d y %d z %d: %d, expected %d", i, k, s % 64, s / 4096,
                             s / 64 % 64, found->blocks[k].samples[s], expected->blocks[k].samples[s]);
    }
}

static void check_edit(size_t count)
{
    struct edit_case edit;

    edit_case_make(&edit, count);
    expect_ok(vulkan->bake.ops->edit(&vulkan->bake, edit.tasks, edit.count, &error));
    for (size_t i = 0; i < count; i++)
        edit_naive(&edit.expected[i]);
    expect_equal_edits(&edit);
    edit_case_release(&edit);
    expect_clean();
}

static void edit_equals_the_scalar_functions_and_leaves_the_rim_alone(void **state)
{
    (void)state;
    check_edit(11);
}

static void edit_does_not_depend_on_the_batch_and_long_lists_go_in_pieces(void **state)
{
    (void)state;
    vulkan->batch_bytes = 30 * TR_BRICKS * sizeof(uint32_t); /* 30 slots */
    check_edit(5);
}

static void a_block_that_no_slot_reaches_is_the_height_field_or_stays_as_it_is(void **state)
{
    int32_t *heights = take(TR_COLUMNS, sizeof *heights);
    struct tr_edit_block block = {.cy = 0, .samples = take(TR_BLOCK_SAMPLES, sizeof(int16_t))};
    struct tr_edit_task task = {
        .size_x = 64, .size_z = 64, .heights = heights, .blocks = &block, .block_count = 1};

    (void)state;
    for (int i = 0; i < TR_COLUMNS; i++)
        heights[i] = i;
    for (int pass = 0; pass < 2; pass++) {
        expect_ok(vulkan->bake.ops->edit(&vulkan->bake, &task, 1, &error));
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
            assert_int_equal(block.samples[i],
                             tr_height_field(i / 4096, i % 4096) + (pass == 1 && i == 123456));
        block.stored = true;
        block.samples[123456]++;
    }
    free(heights);
    free(block.samples);
    expect_clean();
}

/* A slot of any kind that blocks have. */
static tr_edit_slot random_slot(void)
{
    uint kind = random_bits() % 4;

    return kind == 0   ? random_brush(TR_SLOT_FOLLOW, 64, 64)
           : kind == 1 ? random_brush(TR_SLOT_RAISE, 64, 64)
                       : random_shape(64, 64);
}

static bool slot_may_change(tr_edit_slot slot, int x, int y, int z)
{
    if (!tr_slot_covers_column(slot, x, z))
        return false;
    if (tr_slot_is_volume(slot))
        return y >= slot.lo_y && y <= slot.hi_y && tr_shape_distance(slot, x, y, z) <= slot.reach;
    return slot.op == TR_SLOT_FOLLOW || tr_brush_weight(slot, x, z) > 0.0f;
}

static bool set_has(const struct tr_brick_set *set, int brick)
{
    return set->layers[brick / 64] >> brick % 64 & 1;
}

static void a_slot_has_every_brick_where_it_may_change_a_sample(void **state)
{
    uint32_t changed = 0;

    (void)state;
    random_state = 5;
    for (int i = 0; i < 60; i++) {
        tr_edit_slot slot = random_slot();
        struct tr_brick_set set = tr_bricks_of_slot(&slot);

        for (int s = 0; s < TR_BLOCK_SAMPLES; s++) {
            int x = s % 64, y = s / 4096, z = s / 64 % 64, brick = (y / 8 * 8 + z / 8) * 8 + x / 8;

            if (!slot_may_change(slot, x, y, z))
                continue;
            changed++;
            if (!set_has(&set, brick))
                fail_msg("slot %d, op %u, may change x %d y %d z %d, but has not brick %d", i, slot.op, x, y,
                         z, brick);
        }
    }
    assert_true(changed > 100000);
}

static void bricks_out_of_a_slot_s_reach_are_left_out(void **state)
{
    tr_edit_slot sphere = {
        .op = TR_SLOT_UNION, .hi_x = 63, .hi_y = 63, .hi_z = 63, .cx = 32, .cy = 32, .cz = 32, .radius = 8};
    tr_edit_slot brush = {
        .op = TR_SLOT_RAISE, .hi_x = 63, .hi_z = 63, .cx = 32, .cz = 32, .radius = 1 / 24.0f};
    struct tr_brick_set set;
    int bricks = 0;

    (void)state;
    sphere.reach = 16.0f;
    set = tr_bricks_of_slot(&sphere);
    for (int i = 0; i < TR_BRICKS; i++)
        bricks += set_has(&set, i);
    assert_in_range(bricks, 100, 300); /* a ball of 4 bricks' radius has 268 */
    set = tr_bricks_of_slot(&brush);
    for (int i = 0; i < TR_BRICKS; i++)
        if (set_has(&set, i) != set_has(&set, i % 64))
            fail_msg("brick %d is in the set or not, unlike the lowest of its column", i);
    assert_false(set_has(&set, 0)); /* a corner */
    assert_true(set_has(&set, 4 * 8 + 1));
}

static void the_list_of_a_brick_has_its_slots_in_their_order(void **state)
{
    enum { SETS = 70, FIRST = 1000 };
    uint32_t counts[TR_BRICKS], next[TR_BRICKS], begin = 0;
    uint32_t *numbers = take(SETS * TR_BRICKS, sizeof *numbers);
    struct tr_brick_set sets[SETS];

    (void)state;
    random_state = 6;
    for (int k = 0; k < SETS; k++) {
        tr_edit_slot slot = random_slot();

        sets[k] = tr_bricks_of_slot(&slot);
    }
    tr_bricks_count(sets, SETS, counts);
    for (int i = 0; i < TR_BRICKS; begin += counts[i++])
        next[i] = begin;
    tr_bricks_list(sets, SETS, FIRST, next, numbers);
    begin = 0;
    for (int i = 0; i < TR_BRICKS; i++) {
        uint32_t at = begin;

        for (uint32_t k = 0; k < SETS; k++)
            if (set_has(&sets[k], i))
                assert_int_equal(numbers[at++], FIRST + k);
        assert_int_equal(at, next[i]);
        begin += counts[i];
        assert_int_equal(at, begin);
    }
    free(numbers);
}

static void check_smooth(size_t count)
{
    struct tr_smooth_task *tasks = take(count, sizeof *tasks);
    int32_t *halos = take(count * HALO * HALO, sizeof *halos);
    int32_t *after = take(count * TR_COLUMNS, sizeof *after);
    int32_t *expected = take(TR_COLUMNS, sizeof *expected);

    random_state = 3;
    for (size_t i = 0; i < count * HALO * HALO; i++)
        halos[i] = random_int(-TR_HEIGHT_MAX, TR_HEIGHT_MAX);
    for (size_t i = 0; i < count; i++)
        tasks[i] = (struct tr_smooth_task){halos + i * HALO * HALO, random_brush(TR_SLOT_SMOOTH, 64, 64),
                                           after + i * TR_COLUMNS};
    expect_ok(vulkan->bake.ops->smooth(&vulkan->bake, tasks, count, &error));
    for (size_t i = 0; i < count; i++) {
        for (int z = 0; z < TR_CHUNK; z++)
            for (int x = 0; x < TR_CHUNK; x++) {
                const int32_t *at = tasks[i].halo + (z + 1) * HALO + x + 1;
                const tr_edit_slot *slot = &tasks[i].slot;
                bool inside = x >= slot->lo_x && x <= slot->hi_x && z >= slot->lo_z && z <= slot->hi_z;

                expected[z * TR_CHUNK + x] =
                    inside ? tr_brush_smooth(*slot, x, z, *at, at[-1] + at[1] + at[-HALO] + at[HALO]) : *at;
            }
        expect_equal_heights("smooth", i, tasks[i].after, expected);
    }
    free(tasks);
    free(halos);
    free(after);
    free(expected);
    expect_clean();
}

static void smooth_equals_the_scalar_functions(void **state)
{
    (void)state;
    check_smooth(30);
}

static void smooth_does_not_depend_on_the_batch(void **state)
{
    (void)state;
    vulkan->batch_bytes = SMALL_BATCH_BYTES;
    check_smooth(5);
}

/* Mesh --------------------------------------------------------------------------------------------------- */

#define WORLD 3 /* chunks along x and z; block rows 0..WORLD-1 */

/* A world of its own: heights at all samples, some blocks, as every tile's task is gathered from. */
struct world {
    int32_t heights[WORLD * 64 + 1][WORLD * 64 + 1];
    int16_t *blocks[WORLD][WORLD + 1][WORLD + 1]; /* [y][z][x], NULL where none is */
};

static struct world *world_make(bool dense)
{
    struct world *world = take(1, sizeof *world);

    random_state = 4;
    for (int z = 0; z <= WORLD * 64; z++)
        for (int x = 0; x <= WORLD * 64; x++)
            world->heights[z][x] = 64 * 256 + 40 * (x - 90) + 30 * (z - 70) + random_int(-400, 400);
    for (int y = 0; y < WORLD; y++)
        for (int z = 0; z <= WORLD; z++)
            for (int x = 0; x <= WORLD; x++) {
                if (random_bits() % 3 == 0 || dense)
                    world->blocks[y][z][x] = take(TR_BLOCK_SAMPLES, sizeof(int16_t));
                for (int i = 0; world->blocks[y][z][x] && i < TR_BLOCK_SAMPLES; i++)
                    world->blocks[y][z][x][i] = (int16_t)(dense ? random_int(-9, 9) : random_int(-60, 3000));
            }
    return world;
}

static void world_free(struct world *world)
{
    for (int y = 0; y < WORLD; y++)
        for (int z = 0; z <= WORLD; z++)
            for (int x = 0; x <= WORLD; x++)
                free(world->blocks[y][z][x]);
    free(world);
}

static const int16_t *world_block(const struct world *world, int x, int y, int z)
{
    bool inside = x >= 0 && y >= 0 && z >= 0 && x <= WORLD && y < WORLD && z <= WORLD;

    return inside ? world->blocks[y][z][x] : NULL;
}

/* The field at any voxel, as the design defines it. */
static int world_field(const struct world *world, int x, int y, int z)
{
    const int16_t *block;

    x = tr_iclamp(x, 0, WORLD * 64);
    z = tr_iclamp(z, 0, WORLD * 64);
    block = y >= 0 ? world_block(world, x / 64, y / 64, z / 64) : NULL;
    return block ? block[tr_block_index(x % 64, y % 64, z % 64)] : tr_height_field(y, world->heights[z][x]);
}

static int32_t *task_gather(const struct world *world, int cx, int cy, int cz, struct tr_mesh_task *task)
{
    int32_t *heights = take(TR_TILE_HALO, sizeof *heights);

    for (int z = -1; z <= 65; z++)
        for (int x = -1; x <= 65; x++)
            heights[(z + 1) * 67 + x + 1] =
                world->heights[tr_iclamp(64 * cz + z, 0, WORLD * 64)][tr_iclamp(64 * cx + x, 0, WORLD * 64)];
    *task = (struct tr_mesh_task){
        .cx = cx, .cy = cy, .cz = cz, .world_x = WORLD, .world_z = WORLD, .heights = heights};
    for (int i = 0; i < 27; i++)
        task->blocks[i] = world_block(world, cx + i % 3 - 1, cy + i / 9 - 1, cz + i / 3 % 3 - 1);
    return heights;
}

/* A tile's mesh by walking owners and cells one by one in the order of cell.h. */
struct naive_mesh {
    tr_vertex *vertices;
    uint32_t *indices;
    uint32_t vertex_count, index_count;
    int32_t *ids; /* [y][z][x][axis] */
};

static int tile_field(const struct world *world, const struct tr_mesh_task *task, int x, int y, int z)
{
    return world_field(world, 64 * task->cx + x, 64 * task->cy + y, 64 * task->cz + z);
}

static void naive_vertex(const struct world *world, const struct tr_mesh_task *task, int x, int y, int z,
                         int axis, struct naive_mesh *mesh)
{
    int dx = axis == 0, dy = axis == 1, dz = axis == 2, g[2][3], t;
    int a = tile_field(world, task, x, y, z), b = tile_field(world, task, x + dx, y + dy, z + dz);
    bool leaves = x + dx > 64 || y + dy > 64 || z + dz > 64;
    tr_vertex vertex;

    if (leaves || (a <= 0) == (b <= 0))
        return;
    for (int end = 0; end < 2; end++) {
        int px = x + end * dx, py = y + end * dy, pz = z + end * dz;

        g[end][0] = tile_field(world, task, px + 1, py, pz) - tile_field(world, task, px - 1, py, pz);
        g[end][1] = tile_field(world, task, px, py + 1, pz) - tile_field(world, task, px, py - 1, pz);
        g[end][2] = tile_field(world, task, px, py, pz + 1) - tile_field(world, task, px, py, pz - 1);
    }
    t = tr_crossing(a, b);
    vertex = (tr_vertex){256 * x + dx * t, 256 * y + dy * t, 256 * z + dz * t,
                         tr_normal(g[0][0], g[0][1], g[0][2], g[1][0], g[1][1], g[1][2], t, axis, a <= 0)};
    mesh->ids[((y * 65 + z) * 65 + x) * 3 + axis] = (int32_t)mesh->vertex_count;
    mesh->vertices[mesh->vertex_count++] = vertex;
}

static void naive_cell(const struct world *world, const struct tr_mesh_task *task, int x, int y, int z,
                       struct naive_mesh *mesh)
{
    static const int first_corner[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
    tr_case_packed packed;
    int number = 0;

    for (int i = 0; i < 8; i++)
        number |= (tile_field(world, task, x + (i & 1), y + (i >> 1 & 1), z + (i >> 2 & 1)) <= 0) << i;
    packed = tr_case_table[number];
    for (uint32_t corner = 0; corner < 3 * tr_case_count(packed); corner++) {
        uint32_t edge = tr_case_edge(packed, corner);
        int owner = first_corner[edge];
        int at = ((y + (owner >> 1 & 1)) * 65 + z + (owner >> 2)) * 65 + x + (owner & 1);

        mesh->indices[mesh->index_count++] = (uint32_t)mesh->ids[at * 3 + (int)edge / 4];
    }
}

static void naive_make(const struct world *world, const struct tr_mesh_task *task, struct naive_mesh *mesh)
{
    mesh->vertex_count = mesh->index_count = 0;
    for (int i = 0; i < 65 * 65 * 65 * 3; i++)
        mesh->ids[i] = -1;
    for (int y = 0; y <= 64; y++)
        for (int z = 0; z <= 64; z++)
            for (int x = 0; x <= 64; x++)
                for (int axis = 0; axis < 3; axis++)
                    naive_vertex(world, task, x, y, z, axis, mesh);
    for (int y = 0; y < 64; y++)
        for (int z = 0; z < 64; z++)
            for (int x = 0; x < 64; x++)
                naive_cell(world, task, x, y, z, mesh);
}

static void expect_equal_mesh(size_t task, const struct tr_mesh *found, const struct naive_mesh *expected)
{
    if (found->vertex_count != expected->vertex_count || found->index_count != expected->index_count)
        fail_msg("tile %zu: %u vertices and %u indices, expected %u and %u", task, found->vertex_count,
                 found->index_count, expected->vertex_count, expected->index_count);
    for (uint32_t i = 0; i < found->vertex_count; i++) {
        const tr_vertex *a = &found->vertices[i], *b = &expected->vertices[i];

        if (memcmp(a, b, sizeof *a) != 0)
            fail_msg("tile %zu vertex %u: (%d %d %d) %08x, expected (%d %d %d) %08x", task, i, a->x, a->y,
                     a->z, a->normal, b->x, b->y, b->z, b->normal);
    }
    for (uint32_t i = 0; i < found->index_count; i++)
        if (found->indices[i] != expected->indices[i])
            fail_msg("tile %zu index %u: %u, expected %u", task, i, found->indices[i], expected->indices[i]);
}

/* Meshes `count` tiles of the world, beginning with its lowest row, and compares every `step`th with the
 * naive mesh. */
static void check_mesh(bool dense, size_t count, size_t step)
{
    struct world *world = world_make(dense);
    struct tr_mesh_task *tasks = take(count, sizeof *tasks);
    int32_t **heights = take(count, sizeof *heights);
    struct naive_mesh naive = {.vertices = take(65 * 65 * 65 * 3, sizeof(tr_vertex)),
                               .indices = take(64 * 64 * 64 * 15, sizeof(uint32_t)),
                               .ids = take(65 * 65 * 65 * 3, sizeof(int32_t))};
    uint64_t vertices = 0;

    for (size_t i = 0; i < count; i++)
        heights[i] = task_gather(world, (int)(i % 3), (int)(i / 9 % 5) - 1, (int)(i / 3 % 3), &tasks[i]);
    expect_ok(vulkan->bake.ops->mesh(&vulkan->bake, tasks, count, &error));
    for (size_t i = 0; i < count; i++) {
        if (i % step == 0) {
            naive_make(world, &tasks[i], &naive);
            expect_equal_mesh(i, &tasks[i].mesh, &naive);
        }
        vertices += tasks[i].mesh.vertex_count;
        tr_mesh_release(&tasks[i].mesh);
        free(heights[i]);
    }
    assert_true(vertices > 1000 * count);
    free(naive.vertices);
    free(naive.indices);
    free(naive.ids);
    free(heights);
    free(tasks);
    world_free(world);
    expect_clean();
}

static void mesh_equals_a_walk_over_all_edges_and_cells(void **state)
{
    (void)state;
    check_mesh(false, 45, 2);
}

static void mesh_goes_in_several_batches_and_reuses_its_buffers(void **state)
{
    (void)state;
    vulkan->batch_bytes = 10 << 20;
    check_mesh(false, 60, 11);
}

static void mesh_of_dense_noise_is_written_in_groups(void **state)
{
    (void)state;
    vulkan->batch_bytes = 16 << 20;
    check_mesh(true, 4, 3);
}

static void mesh_does_not_depend_on_the_batch(void **state)
{
    (void)state;
    vulkan->batch_bytes = SMALL_BATCH_BYTES;
    check_mesh(false, 12, 1);
}

static void no_task_is_no_work(void **state)
{
    (void)state;
    expect_ok(vulkan->bake.ops->fill(&vulkan->bake, NULL, 0, &error));
    expect_ok(vulkan->bake.ops->edit(&vulkan->bake, NULL, 0, &error));
    expect_ok(vulkan->bake.ops->smooth(&vulkan->bake, NULL, 0, &error));
    expect_ok(vulkan->bake.ops->mesh(&vulkan->bake, NULL, 0, &error));
    expect_clean();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_listed_device_has_a_name_a_driver_and_limits),
        cmocka_unit_test(every_device_passes_the_selftest),
        cmocka_unit_test(a_device_is_found_by_index_and_by_part_of_its_name_in_any_case),
        cmocka_unit_test(an_unknown_device_is_answered_with_what_there_is),
        cmocka_unit_test(auto_never_takes_a_software_device),
        cmocka_unit_test(an_index_beyond_the_list_is_refused),
        cmocka_unit_test(two_devices_can_be_open_at_a_time),
        cmocka_unit_test(a_buffer_beyond_the_storage_range_is_refused),
        cmocka_unit_test(a_buffer_of_no_whole_words_is_refused),
        cmocka_unit_test(a_kernel_beyond_the_limits_is_refused),
        cmocka_unit_test(every_kernel_fits_what_vulkan_promises),
        cmocka_unit_test(too_many_workgroups_are_refused_at_the_submission),
        cmocka_unit_test(more_groups_than_one_row_holds_are_all_run),
        cmocka_unit_test(a_copy_beyond_a_buffer_is_refused_at_the_submission),
        cmocka_unit_test(commands_that_were_not_begun_are_not_submitted),
        cmocka_unit_test(time_passes_between_stamps),
        cmocka_unit_test(a_kernel_that_writes_behind_a_buffer_is_found_by_its_guard),
        cmocka_unit_test(a_missing_barrier_is_reported_by_validation),
        cmocka_unit_test_teardown(fill_equals_the_scalar_functions, restore_batches),
        cmocka_unit_test_teardown(fill_does_not_depend_on_the_batch, restore_batches),
        cmocka_unit_test_teardown(edit_equals_the_scalar_functions_and_leaves_the_rim_alone, restore_batches),
        cmocka_unit_test_teardown(edit_does_not_depend_on_the_batch_and_long_lists_go_in_pieces,
                                  restore_batches),
        cmocka_unit_test_teardown(a_block_that_no_slot_reaches_is_the_height_field_or_stays_as_it_is,
                                  restore_batches),
        cmocka_unit_test(a_slot_has_every_brick_where_it_may_change_a_sample),
        cmocka_unit_test(bricks_out_of_a_slot_s_reach_are_left_out),
        cmocka_unit_test(the_list_of_a_brick_has_its_slots_in_their_order),
        cmocka_unit_test_teardown(smooth_equals_the_scalar_functions, restore_batches),
        cmocka_unit_test_teardown(smooth_does_not_depend_on_the_batch, restore_batches),
        cmocka_unit_test_teardown(mesh_equals_a_walk_over_all_edges_and_cells, restore_batches),
        cmocka_unit_test_teardown(mesh_goes_in_several_batches_and_reuses_its_buffers, restore_batches),
        cmocka_unit_test_teardown(mesh_of_dense_noise_is_written_in_groups, restore_batches),
        cmocka_unit_test_teardown(mesh_does_not_depend_on_the_batch, restore_batches),
        cmocka_unit_test(no_task_is_no_work),
    };

    return cmocka_run_group_tests(tests, open_device, close_device);
}
