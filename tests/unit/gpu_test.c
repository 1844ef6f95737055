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
#include "shaders/field_params.h"
#include "shaders/fill_params.h"
#include "shaders/ground.h"
#include "shaders/height_vertex.h"
#include "shaders/selftest_params.h"
#include "shaders/surface.h"
#include "tests/support/vulkan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    expect_ok(tr_vulkan_reserve(vulkan, lane, TR_LANE_FIELD, 4, 4, &error));
    expect_ok(tr_gpu_begin(lane->commands, &error));
    tr_gpu_download(lane->commands, lane->buffers[TR_LANE_FIELD], 0, 16);
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

/* Slots ----------------------------------------------------------------------------------------------------
 */

#define WORDS_MAX 1000000 /* of a task */

/* Words of slots, as they come. */
struct words {
    uint32_t words[WORDS_MAX], count;
    bool uncommon; /* trees have every instruction, not the common ones alone */
};

static void word_put(struct words *words, uint32_t word)
{
    if (words->count == WORDS_MAX)
        fail_msg("more than %d words", WORDS_MAX);
    words->words[words->count++] = word;
}

static void floats_put(struct words *words, const float *floats, int count)
{
    for (int i = 0; i < count; i++)
        word_put(words, tr_bits(floats[i]));
}

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

static const float directions[4][3] = {
    {0, 1, 0}, {1, 0, 0}, {0.6f, 0, 0.8f}, {2.0f / 3, 1.0f / 3, -2.0f / 3}};

static float random_part(void) /* of one */
{
    return (float)random_int(1, 256) / 256.0f;
}

static uint32_t noise_words(struct words *words)
{
    uint32_t first = words->count;

    word_put(words, random_bits());
    word_put(words, 1 + random_bits() % TR_BRUSH_OCTAVES_MAX);
    for (int i = 0; i < 3; i++)
        word_put(words, random_bits());
    for (int i = 0; i < 3; i++)
        floats_put(words, (float[]){(float)random_int(0, 255) / 256.0f}, 1);
    floats_put(words, (float[]){1.0f / random_float(1, 60)}, 1);
    assert_int_equal(words->count - first, TR_BRUSH_NOISE_WORDS);
    return first;
}

/* An image of 7 x 5 pixels, mapped anyhow. */
static uint32_t image_words(struct words *words)
{
    uint32_t first = words->count;

    for (int i = 0; i < 2; i++)
        floats_put(
            words,
            (float[]){random_float(-1, 1), random_float(-1, 1), random_float(-1, 1), random_float(-9, 9)}, 4);
    floats_put(words, (float[]){0, 0, 6, 4}, 4);
    word_put(words, 7);
    word_put(words, 5);
    for (int i = 0; i < 18; i++)
        word_put(words, random_bits());
    assert_int_equal(words->count - first, TR_IMAGE_PIXELS + 18);
    return first;
}

/* The axis nearest to the origin, for a round shape or the endless line of another. */
static void round_words(struct words *words, bool endless, double radius, const double at[3], const float *u)
{
    double along = at[0] * u[0] + at[1] * u[1] + at[2] * u[2], k0 = -radius * radius;
    float c[3];

    for (int i = 0; i < 3; i++) {
        double foot = at[i] - along * u[i];

        c[i] = (float)foot;
        k0 += foot * foot;
    }
    floats_put(words, c, 3);
    floats_put(words, u, 3);
    if (endless)
        floats_put(words, (float[]){-TR_ROUND_ENDLESS, TR_ROUND_ENDLESS}, 2);
    else
        floats_put(words, (float[]){-random_float(0, 30), random_float(0, 30)}, 2);
    floats_put(words, (float[]){(float)radius, (float)k0}, 2);
    word_put(words, 0);
}

/* Rows of a rotation, and minus what they give for the place of the shape. */
static void rows_words(struct words *words, const double at[3], double place[3])
{
    static const float rows[2][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.6f, 0, 0.8f, 0, 1, 0, -0.8f, 0, 0.6f}};
    const float *r = rows[random_bits() % 2];

    floats_put(words, r, 9);
    for (int i = 0; i < 3; i++)
        place[i] = -(r[3 * i] * at[0] + r[3 * i + 1] * at[1] + r[3 * i + 2] * at[2]);
}

/* Instructions that begin with how many words they are: where that word is, and later what it says. */
static uint32_t counted_begin(struct words *words)
{
    word_put(words, 0);
    return words->count - 1;
}

static void counted_end(struct words *words, uint32_t begin)
{
    words->words[begin] = words->count - begin;
}

static void place_put(struct words *words, const double place[3])
{
    floats_put(words, (float[]){(float)place[0], (float)place[1], (float)place[2]}, 3);
}

/* An octahedron. */
static void polyhedron_words(struct words *words, const double at[3], float radius)
{
    const float n = 0.57735027f;
    uint32_t begin = counted_begin(words);

    word_put(words, 8);
    word_put(words, 8);
    for (int k = 0; k < 8; k++) {
        float x = k & 1 ? -n : n, y = k & 2 ? -n : n, z = k & 4 ? -n : n;

        floats_put(words, (float[]){x, y, z, -n * radius - (float)(x * at[0] + y * at[1] + z * at[2])}, 4);
    }
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++) {
            double corner[3] = {at[0], at[1], at[2]};

            corner[i] += k >> i & 1 ? (double)-radius : (double)radius;
            place_put(words, corner);
        }
    counted_end(words, begin);
}

/* Pieces along x and up, of any profile. */
static void tube_words(struct words *words, const double at[3], float radius)
{
    uint32_t begin = counted_begin(words), pieces = 1 + random_bits() % 9;
    float x = (float)at[0], y = (float)at[1];

    word_put(words, random_bits() % 3);
    word_put(words, pieces);
    for (uint32_t i = 0; i < pieces; i++) {
        float way = random_float(1, 9);

        floats_put(words, (float[]){x, y, (float)at[2], 0.6f * way, 0.8f * way, 0, 1 / (way * way)}, 7);
        floats_put(words, (float[]){radius, random_float(-1, 1), 0.6f, 0.8f, 0}, 5);
        floats_put(words, (float[]){0, 0, 1, -0.8f, 0.6f, 0}, 6);
        x += 0.6f * way;
        y += 0.8f * way;
    }
    counted_end(words, begin);
}

/* A box of these half edges below an image of 5 x 3 pixels. */
static void heights_words(struct words *words, const double at[3], const float half[3])
{
    uint32_t begin = counted_begin(words), pixels[15];
    double place[3], steepest[2] = {0, 0}, a, b;

    for (int i = 0; i < 15; i++)
        pixels[i] = random_bits() >> 16;
    for (int i = 0; i < 15; i++) {
        if (i % 5 > 0)
            steepest[0] = fmax(steepest[0], fabs((double)pixels[i] - pixels[i - 1]));
        if (i >= 5)
            steepest[1] = fmax(steepest[1], fabs((double)pixels[i] - pixels[i - 5]));
    }
    a = steepest[0] / 65535 * 2 * half[1] * 4 / (2 * half[0]);
    b = steepest[1] / 65535 * 2 * half[1] * 2 / (2 * half[2]);
    rows_words(words, at, place);
    place_put(words, place);
    floats_put(words, half, 3);
    floats_put(words, (float[]){2 * half[1], (float)(1 / sqrt(1 + a * a + b * b))}, 2);
    floats_put(words, (float[]){4 / (2 * half[0]), 0, 0, 2, 0, 0, 2 / (2 * half[2]), 1}, 8);
    floats_put(words, (float[]){0, 0, 4, 2}, 4);
    word_put(words, 5);
    word_put(words, 3);
    for (int i = 0; i < 15; i += 2)
        word_put(words, pixels[i] | (i < 14 ? pixels[i + 1] << 16 : 0));
    counted_end(words, begin);
}

/* The field of a ball, size cubed samples, 1.5 voxels apart. */
static void grid_words(struct words *words, const double at[3], int size)
{
    const float cell = 1.5f, middle = 0.5f * (float)(size - 1), radius = 0.3f * (float)size;
    uint32_t begin = counted_begin(words), pair = 0;

    for (int i = 0; i < 9; i++)
        floats_put(words, (float[]){i % 4 == 0 ? 1 / cell : 0}, 1);
    for (int i = 0; i < 3; i++)
        floats_put(words, (float[]){middle - (float)at[i] / cell}, 1);
    for (int i = 0; i < 6; i++)
        floats_put(words, (float[]){i < 3 ? 0 : (float)(size - 1)}, 1);
    for (int i = 0; i < 6; i++)
        floats_put(words, (float[]){i < 3 ? middle - radius : middle + radius}, 1);
    floats_put(words, (float[]){cell, cell / 256}, 2);
    for (int i = 0; i < 3; i++)
        word_put(words, (uint32_t)size);
    for (int i = 0; i < size * size * size; i++) {
        float x = (float)(i % size) - middle, y = (float)(i / size / size) - middle;
        float z = (float)(i / size % size) - middle, d = sqrtf(x * x + y * y + z * z) - radius;
        uint32_t sample = (uint32_t)(int)floorf(256 * d) & 0xffffu;

        pair = i % 2 ? pair | sample << 16 : sample;
        if (i % 2 || i + 1 == size * size * size)
            word_put(words, pair);
    }
    counted_end(words, begin);
}

/* A leaf of which not tr_code_is_common. */
static void uncommon_leaf_words(struct words *words)
{
    double at[3] = {random_float(0, 63), random_float(0, 63), random_float(0, 63)}, place[3];
    const float *u = directions[random_bits() % 4];
    float radius = random_float(2, 20), half[3];
    uint32_t code = TR_CODE_PLANE + random_bits() % 6;

    for (int i = 0; i < 3; i++)
        half[i] = random_float(2, 20);
    word_put(words, code);
    if (code == TR_CODE_PLANE) {
        floats_put(words, u, 3);
        floats_put(words, (float[]){-(float)(at[0] * u[0] + at[1] * u[1] + at[2] * u[2])}, 1);
    } else if (code == TR_CODE_LINK) {
        rows_words(words, at, place);
        place_put(words, place);
        floats_put(words, (float[]){half[0], radius, random_float(1, 8)}, 3);
    } else if (code == TR_CODE_POLYHEDRON) {
        polyhedron_words(words, at, radius);
    } else if (code == TR_CODE_TUBE) {
        tube_words(words, at, radius);
    } else if (code == TR_CODE_HEIGHTS) {
        heights_words(words, at, half);
    } else {
        grid_words(words, at, random_bits() % 4 ? random_int(2, 9) : 40);
    }
}

/* A leaf somewhere in the block, its numbers as shaders/tree.h wants them. */
static void common_leaf_words(struct words *words)
{
    double at[3] = {random_float(0, 63), random_float(0, 63), random_float(0, 63)}, place[3];
    const float *u = directions[random_bits() % 4];
    float g = (float)(at[0] * u[0] + at[1] * u[1] + at[2] * u[2]);
    float radius = random_float(2, 25), half = random_float(2, 20), size[3];
    uint32_t code = TR_CODE_ROUND + random_bits() % 6;

    for (int i = 0; i < 3; i++)
        size[i] = random_float(2, 20);
    word_put(words, code);
    if (code == TR_CODE_BOX || code == TR_CODE_ELLIPSOID)
        rows_words(words, at, place);
    else
        round_words(words, code != TR_CODE_ROUND, code == TR_CODE_CONE ? 0.0 : (double)radius, at, u);
    if (code == TR_CODE_BOX) {
        for (int side = 1; side >= -1; side -= 2)
            for (int i = 0; i < 3; i++)
                floats_put(words, (float[]){(float)(side * place[i] - size[i])}, 1);
    } else if (code == TR_CODE_CYLINDER) {
        floats_put(words, (float[]){-g - half, g - half}, 2);
    } else if (code == TR_CODE_TORUS) {
        floats_put(words, (float[]){-g, random_float(1, 8)}, 2);
    } else if (code == TR_CODE_CONE) {
        floats_put(words,
                   (float[]){-g, half, radius, 0, -radius, 2 * half, 1 / (radius * radius + 4 * half * half)},
                   7);
    } else if (code == TR_CODE_ELLIPSOID) {
        for (int i = 0; i < 3; i++)
            floats_put(words, (float[]){(float)place[i]}, 1);
        floats_put(words, size, 3);
        floats_put(words, (float[]){1 / size[0], 1 / size[1], 1 / size[2]}, 3);
    }
}

/* Moves the points of what follows, up to a POINT_POP. */
static void mover_words(struct words *words)
{
    double at[3] = {random_float(0, 63), random_float(0, 63), random_float(0, 63)}, place[3];
    uint32_t code = TR_CODE_ELONGATE + random_bits() % 4;

    word_put(words, TR_CODE_POINT_PUSH);
    rows_words(words, at, place);
    place_put(words, place);
    word_put(words, code);
    if (code == TR_CODE_ELONGATE)
        floats_put(words, (float[]){random_float(0, 9), random_float(0, 9), random_float(0, 9)}, 3);
    else if (code == TR_CODE_TAPER)
        floats_put(words, (float[]){1 / random_float(4, 40), random_float(-1, 3) * 0.5f}, 2);
    else
        floats_put(words, (float[]){random_float(-1, 1) * 0.125f}, 1);
}

/* Changes the distance on top of the stack. */
static void alter_words(struct words *words)
{
    uint32_t code = TR_CODE_OFFSET + random_bits() % 3;

    word_put(words, code);
    floats_put(words, (float[]){random_float(-2, 4)}, 1);
    if (code == TR_CODE_DISPLACE)
        noise_words(words);
}

static void leaf_words(struct words *words)
{
    uint32_t movers = words->uncommon && random_bits() % 3 == 0 ? 1 + random_bits() % 3 : 0;

    for (uint32_t i = 0; i < movers; i++)
        mover_words(words);
    if (words->uncommon && random_bits() % 3)
        uncommon_leaf_words(words);
    else
        common_leaf_words(words);
    for (uint32_t i = 0; i < movers; i++)
        word_put(words, TR_CODE_POINT_POP);
    if (words->uncommon && random_bits() % 3 == 0)
        alter_words(words);
}

/* k, a and b of a blend; k in any unit. */
static void blend_floats(uint32_t blend, float k, float floats[3])
{
    float steps = (float)random_int(2, 9);

    floats[0] = blend == TR_BLEND_HARD ? 0 : k;
    floats[1] = blend == TR_BLEND_SMOOTH ? 1 / (4 * k) : blend == TR_BLEND_STAIRS ? k / steps : 0;
    floats[2] = blend == TR_BLEND_STAIRS ? steps / (2 * k) : 0;
}

static uint32_t tree_words(struct words *words)
{
    uint32_t first = words->count, leaves = 1 + random_bits() % (random_bits() % 8 == 0 ? 60 : 5);

    leaf_words(words);
    for (uint32_t i = 1; i < leaves; i++) {
        uint32_t blend = random_bits() % 4;
        float floats[3];

        leaf_words(words);
        word_put(words, TR_CODE_BLEND);
        word_put(words, random_bits() % 3 | (random_bits() % 2 ? TR_BLEND_SWAPPED : 0));
        word_put(words, blend);
        blend_floats(blend, random_float(1, 12), floats);
        floats_put(words, floats, 3);
    }
    word_put(words, TR_CODE_END);
    return first;
}

static tr_edit_slot random_brush(struct words *words, uint op, int size_x, int size_z)
{
    tr_edit_slot slot = {
        .op = op, .falloff = random_bits() % TR_FALLOFF_COUNT, .power = 2 + random_bits() % 15};
    const float *u = directions[random_bits() % 4], *n = directions[random_bits() % 4];
    bool is_part = op == TR_SLOT_LEVEL || op == TR_SLOT_PLANE || op == TR_SLOT_SMOOTH ||
                   op == TR_SLOT_HC_SMOOTH || op == TR_SLOT_VOLUME_SMOOTH || op == TR_SLOT_PINCH;

    random_box(&slot, size_x, size_z);
    slot.cx = random_float(-20, 84);
    slot.cy = random_float(-20, 84);
    slot.cz = random_float(-20, 84);
    slot.radius = 1.0f / random_float(1, 60);
    slot.strength = is_part ? random_part() : random_float(-4000, 4000);
    if (op >= TR_SLOT_VOLUME && random_bits() % 2) {
        slot.form = TR_FORM_PROJECTED;
        slot.ux = u[0];
        slot.uy = u[1];
        slot.uz = u[2];
    }
    slot.px = op == TR_SLOT_HC_SMOOTH ? random_part() : n[0];
    slot.py = n[1];
    slot.pz = n[2];
    slot.p0 = random_float(-60, 60);
    slot.target = op == TR_SLOT_LEVEL ? random_int(-30000, 30000) : random_int(0, 255);
    if (op == TR_SLOT_NOISE || op == TR_SLOT_VOLUME_NOISE)
        slot.words = noise_words(words);
    if (op == TR_SLOT_STAMP || op == TR_SLOT_VOLUME_STAMP)
        slot.words = image_words(words);
    return slot;
}

static void round_fields(tr_edit_slot *slot)
{
    const float *u = directions[random_bits() % 4];

    slot->form = random_bits() % 4 == 0 ? TR_FORM_ROUND_LARGE : TR_FORM_ROUND;
    slot->radius = slot->form == TR_FORM_ROUND_LARGE ? random_float(1024, 100000) : random_float(1, 30);
    slot->cx = random_float(0, 63) + (slot->form == TR_FORM_ROUND_LARGE ? slot->radius : 0.0f);
    slot->cy = random_float(0, 63);
    slot->cz = random_float(0, 63);
    slot->k0 = slot->cx * slot->cx + slot->cy * slot->cy + slot->cz * slot->cz - slot->radius * slot->radius;
    if (random_bits() % 4) {
        slot->ux = u[0];
        slot->uy = u[1];
        slot->uz = u[2];
        slot->t0 = -random_float(0, 30);
        slot->t1 = random_float(0, 30);
    }
}

static tr_edit_slot random_shape(struct words *words, uint op, bool is_tree, uint32_t blend, int size_x,
                                 int size_z)
{
    tr_edit_slot slot = {.op = op, .blend = blend};
    float k = random_float(1, 16), floats[3];

    random_box(&slot, size_x, size_z);
    if (is_tree) {
        slot.form = TR_FORM_TREE;
        slot.words = tree_words(words);
    } else {
        round_fields(&slot);
    }
    blend_floats(blend, 256 * k, floats);
    slot.blend_k = floats[0];
    slot.blend_a = floats[1];
    slot.blend_b = floats[2];
    slot.reach = op == TR_SLOT_SHAPE_PAINT ? 1 : blend == TR_BLEND_HARD ? 16 : 16 + k;
    slot.target = random_int(0, 255);
    return slot;
}

/* Which slots there may be: those that the kernels for common ones know, all but paint, or all. */
enum kind { COMMON, ANY, PAINTED, KINDS };

/* One that changes heights; in a painted task one in four paints columns. */
static tr_edit_slot random_height_slot(struct words *words, enum kind kind, int size_x, int size_z)
{
    static const uint ops[] = {TR_SLOT_RAISE, TR_SLOT_LEVEL, TR_SLOT_NOISE, TR_SLOT_STAMP};
    uint op = ops[random_bits() % (kind == COMMON ? 2 : 4)];

    if (kind == PAINTED && random_bits() % 4 == 0)
        op = TR_SLOT_PAINT;
    return random_brush(words, op, size_x, size_z);
}

static tr_edit_slot random_volume_paint(struct words *words, int size_x, int size_z)
{
    if (random_bits() % 2)
        return random_brush(words, TR_SLOT_VOLUME_PAINT, size_x, size_z);
    return random_shape(words, TR_SLOT_SHAPE_PAINT, random_bits() % 2, TR_BLEND_HARD, size_x, size_z);
}

static tr_edit_slot random_volume_slot(struct words *words, enum kind kind, int size_x, int size_z)
{
    static const uint brushes[] = {TR_SLOT_PUSH, TR_SLOT_PLANE, TR_SLOT_VOLUME_NOISE, TR_SLOT_VOLUME_STAMP};
    uint op = TR_SLOT_UNION + random_bits() % 3;

    if (kind == PAINTED && random_bits() % 3 == 0)
        return random_volume_paint(words, size_x, size_z);
    if (kind == COMMON || random_bits() % 4 == 0)
        return random_shape(words, op, false, random_bits() % 2, size_x, size_z);
    if (random_bits() % 2)
        return random_brush(words, brushes[random_bits() % 4], size_x, size_z);
    return random_shape(words, op, random_bits() % 2, random_bits() % 4, size_x, size_z);
}

/* Edit ----------------------------------------------------------------------------------------------------
 */

#define SLOTS_MAX 400 /* of one list */

/* Tasks with what they point to, twice: what the device gets, and what the plain loops get. */
struct edit_case {
    struct tr_edit_task *tasks, *expected;
    struct words **words; /* a task */
    size_t count;
};

static uint8_t *random_paint(size_t count)
{
    uint8_t *paint = take(count, 1);

    for (size_t i = 0; i < count; i++)
        paint[i] = (uint8_t)(random_bits() % 3 ? 0 : random_bits() % 256);
    return paint;
}

/* Samples, and paint where they differ from the height field. */
static void random_samples(const struct tr_edit_task *task, struct tr_edit_block *block)
{
    block->samples = take(TR_BLOCK_SAMPLES, sizeof *block->samples);
    block->paint = task->paint ? random_paint(TR_BLOCK_SAMPLES) : NULL;
    for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
        int f = tr_height_field(block->cy * TR_CHUNK + i / TR_COLUMNS, task->heights[i % TR_COLUMNS]);

        block->samples[i] = (int16_t)(random_bits() % 2 ? f : random_int(-32767, 32767));
        if (block->paint)
            block->paint[i] = (uint8_t)tr_settle_paint(block->samples[i], f, block->paint[i]);
    }
}

/* Volume slots between the chunk's height slots. */
static void random_block(struct words *words, enum kind kind, const struct tr_edit_task *task,
                         struct tr_edit_block *block, uint32_t volume_count)
{
    tr_edit_slot *slots = take(SLOTS_MAX, sizeof *slots);

    block->cy = random_int(-2, 2);
    block->stored = random_bits() % 2;
    block->slots = slots;
    random_samples(task, block);
    for (uint32_t i = 0; i <= task->slot_count; i++) {
        for (uint32_t k = 0; k < volume_count; k++)
            slots[block->slot_count++] =
                random_volume_slot(words, kind, (int)task->size_x, (int)task->size_z);
        if (i < task->slot_count && !tr_slot_is_volume(task->slots[i]))
            slots[block->slot_count++] = task->slots[i];
    }
}

static void random_task_slots(struct words *words, enum kind kind, struct tr_edit_task *task, uint32_t count)
{
    tr_edit_slot *slots = take(SLOTS_MAX, sizeof *slots);

    task->slots = slots;
    for (uint32_t i = 0; i < count; i++) {
        slots[task->slot_count++] = random_height_slot(words, kind, (int)task->size_x, (int)task->size_z);
        if (kind == PAINTED) { /* for the column paint, in a block row of its own */
            tr_edit_slot paint = random_volume_paint(words, (int)task->size_x, (int)task->size_z);

            paint.base_y = TR_CHUNK * random_int(-2, 1);
            paint.lo_y = 0; /* few columns have their ground in a low box */
            paint.hi_y = 63;
            slots[task->slot_count++] = paint;
        }
    }
}

/* What a task has; the numbers of slots are those between which it has volume slots, and how many. */
struct plan {
    enum kind kind;
    uint32_t size_x, size_z, block_count, height_count, volume_count;
    bool follows, uncommon;
};

static void random_task(struct words *words, struct tr_edit_task *task, const struct plan *plan)
{
    *task = (struct tr_edit_task){.size_x = plan->size_x, .size_z = plan->size_z};
    words->uncommon = plan->uncommon;
    task->heights = take(TR_COLUMNS, sizeof *task->heights);
    task->paint = plan->kind == PAINTED ? random_paint(TR_COLUMNS) : NULL;
    for (int i = 0; i < TR_COLUMNS; i++)
        task->heights[i] = random_int(-30000, 30000);
    random_task_slots(words, plan->kind, task, plan->height_count);
    if (plan->follows) {
        int32_t *after = take(TR_COLUMNS, sizeof *after);

        for (int i = 0; i < TR_COLUMNS; i++)
            after[i] = random_int(-30000, 30000);
        ((tr_edit_slot *)task->slots)[0].op = TR_SLOT_FOLLOW;
        task->after = after;
    }
    task->block_count = plan->block_count;
    task->blocks = take(task->block_count, sizeof *task->blocks);
    for (uint32_t i = 0; i < task->block_count; i++)
        random_block(words, plan->kind, task, &task->blocks[i], plan->volume_count);
    task->words = words->words;
    task->word_count = words->count;
}

static void *copy(const void *from, size_t size_bytes)
{
    return from ? memcpy(take(size_bytes, 1), from, size_bytes) : NULL;
}

static void copy_task(struct tr_edit_task *to, const struct tr_edit_task *from)
{
    *to = *from;
    to->heights = copy(from->heights, TR_COLUMNS * sizeof *to->heights);
    to->paint = copy(from->paint, TR_COLUMNS);
    to->blocks = copy(from->blocks, from->block_count * sizeof *to->blocks);
    for (uint32_t i = 0; i < from->block_count; i++) {
        to->blocks[i].samples = copy(from->blocks[i].samples, TR_BLOCK_SAMPLES * sizeof(int16_t));
        to->blocks[i].paint = copy(from->blocks[i].paint, TR_BLOCK_SAMPLES);
    }
}

static const struct plan plans[] = {
    {COMMON, 64, 64, 1, 3, 2, false, false},  {ANY, 1, 64, 2, 0, 5, false, true},
    {PAINTED, 64, 64, 2, 3, 2, false, false}, {ANY, 64, 64, 2, 2, 3, true, false},
    {COMMON, 64, 64, 1, 70, 3, false, false}, {PAINTED, 64, 1, 1, 1, 6, true, true},
    {PAINTED, 64, 64, 0, 4, 0, false, false}, {COMMON, 64, 64, 2, 3, 0, true, false},
    {ANY, 64, 64, 1, 30, 3, true, false},     {PAINTED, 64, 64, 1, 30, 3, true, false},
    {ANY, 64, 64, 0, 3, 0, false, false},     {PAINTED, 1, 1, 2, 0, 4, false, false},
    {COMMON, 1, 64, 0, 5, 0, true, false},    {ANY, 64, 1, 1, 1, 4, false, false},
    {PAINTED, 64, 64, 2, 0, 9, false, false}, {ANY, 64, 64, 1, 2, 12, false, true},
    {PAINTED, 64, 64, 0, 9, 0, false, true},
};
#define PLANS (sizeof plans / sizeof *plans)

/* The first `count` of the plans. */
static void edit_case_make(struct edit_case *edit, size_t count)
{
    random_state = 2;
    edit->count = count;
    edit->tasks = take(count, sizeof *edit->tasks);
    edit->expected = take(count, sizeof *edit->expected);
    edit->words = take(count, sizeof *edit->words);
    for (size_t i = 0; i < count; i++) {
        edit->words[i] = take(1, sizeof **edit->words);
        random_task(edit->words[i], &edit->tasks[i], &plans[i]);
        copy_task(&edit->expected[i], &edit->tasks[i]);
    }
}

static void task_release(struct tr_edit_task *task)
{
    for (uint32_t i = 0; i < task->block_count; i++) {
        free(task->blocks[i].samples);
        free(task->blocks[i].paint);
    }
    free(task->heights);
    free(task->paint);
    free(task->blocks);
}

static void edit_case_release(struct edit_case *edit)
{
    for (size_t i = 0; i < edit->count; i++) {
        for (uint32_t k = 0; k < edit->tasks[i].block_count; k++)
            free((void *)edit->tasks[i].blocks[k].slots);
        free((void *)edit->tasks[i].slots);
        free((void *)edit->tasks[i].after);
        task_release(&edit->tasks[i]);
        task_release(&edit->expected[i]);
        free(edit->words[i]);
    }
    free(edit->tasks);
    free(edit->expected);
    free(edit->words);
}

static void sample_naive(const struct tr_edit_task *task, struct tr_edit_block *block, int x, int y, int z)
{
    int column = z * TR_CHUNK + x, at = tr_block_index(x, y, z), voxel_y = block->cy * TR_CHUNK + y;
    int height = task->heights[column], after = task->after ? task->after[column] : 0;
    int sdf = block->stored ? block->samples[at] : tr_height_field(voxel_y, height);
    int paint = block->stored && block->paint ? block->paint[at] : 0;

    for (uint32_t i = 0; i < block->slot_count; i++) {
        tr_edit_slot slot = block->slots[i];
        int f = tr_height_field(voxel_y, height);

        if (tr_slot_is_volume(slot)) {
            sdf = tr_slot_sample(task->words, slot, x, y, z, sdf);
            if (block->paint)
                paint = tr_slot_sample_paint(task->words, slot, x, y, z, sdf, f, paint);
        } else {
            height = tr_slot_height(task->words, slot, x, z, height, after);
            sdf = tr_follow(sdf, f, tr_height_field(voxel_y, height));
            paint = tr_settle_paint(sdf, tr_height_field(voxel_y, height), paint);
        }
    }
    block->samples[at] = (int16_t)sdf;
    if (block->paint)
        block->paint[at] = (uint8_t)paint;
}

static void column_naive(struct tr_edit_task *task, int x, int z)
{
    int at = z * TR_CHUNK + x;

    for (uint32_t i = 0; i < task->slot_count; i++) {
        tr_edit_slot slot = task->slots[i];

        if (task->paint)
            task->paint[at] =
                (uint8_t)tr_slot_column_paint(task->words, slot, x, z, task->heights[at], task->paint[at]);
        task->heights[at] =
            tr_slot_height(task->words, slot, x, z, task->heights[at], task->after ? task->after[at] : 0);
    }
}

static void edit_naive(struct tr_edit_task *task)
{
    int size_x = (int)task->size_x, size_z = (int)task->size_z;

    for (uint32_t i = 0; i < task->block_count; i++)
        for (int y = 0; y < TR_CHUNK; y++)
            for (int z = 0; z < size_z; z++)
                for (int x = 0; x < size_x; x++)
                    sample_naive(task, &task->blocks[i], x, y, z);
    for (int z = 0; z < size_z; z++)
        for (int x = 0; x < size_x; x++)
            column_naive(task, x, z);
}

static void expect_equal_blocks(size_t task, uint32_t block, const struct tr_edit_block *found,
                                const struct tr_edit_block *expected)
{
    for (int s = 0; s < TR_BLOCK_SAMPLES; s++) {
        int x = s % 64, y = s / 4096, z = s / 64 % 64;

        if (found->samples[s] != expected->samples[s])
            fail_msg("task %zu block %u, x %d y %d z %d: %d, expected %d", task, block, x, y, z,
                     found->samples[s], expected->samples[s]);
        if (found->paint && found->paint[s] != expected->paint[s])
            fail_msg("task %zu block %u, x %d y %d z %d: paint %d, expected %d", task, block, x, y, z,
                     found->paint[s], expected->paint[s]);
    }
}

static void expect_equal_edits(const struct edit_case *edit)
{
    for (size_t i = 0; i < edit->count; i++) {
        const struct tr_edit_task *found = &edit->tasks[i], *expected = &edit->expected[i];

        expect_equal_heights("edit", i, found->heights, expected->heights);
        for (int k = 0; found->paint && k < TR_COLUMNS; k++)
            if (found->paint[k] != expected->paint[k])
                fail_msg("task %zu, x %d z %d: paint %d, expected %d", i, k % TR_CHUNK, k / TR_CHUNK,
                         found->paint[k], expected->paint[k]);
        for (uint32_t k = 0; k < found->block_count; k++)
            expect_equal_blocks(i, k, &found->blocks[k], &expected->blocks[k]);
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
    check_edit(PLANS);
}

static void edit_does_not_depend_on_the_batch_and_long_lists_go_in_pieces(void **state)
{
    (void)state;
    vulkan->batch_bytes = 30 * TR_BRICKS * sizeof(uint32_t); /* 30 slots */
    check_edit(PLANS);
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

/* Bricks --------------------------------------------------------------------------------------------------
 */

/* A slot of any kind that blocks have. */
static tr_edit_slot random_slot(struct words *words)
{
    uint kind = random_bits() % 8;

    if (kind == 0)
        return random_brush(words, TR_SLOT_FOLLOW, 64, 64);
    return kind < 3 ? random_height_slot(words, PAINTED, 64, 64) : random_volume_slot(words, PAINTED, 64, 64);
}

static bool shape_may_change(const uint32_t *words, tr_edit_slot slot, int x, int y, int z)
{
    float d = tr_slot_distance(words, slot, x, y, z);

    return (slot.op == TR_SLOT_INTERSECT ? -d : d) <= slot.reach;
}

static bool slot_may_change(const uint32_t *words, tr_edit_slot slot, int x, int y, int z)
{
    if (!tr_slot_is_volume(slot))
        return slot.op != TR_SLOT_PAINT && tr_slot_covers_column(slot, x, z) &&
               (slot.op == TR_SLOT_FOLLOW || tr_brush_weight(slot, x, z) > 0.0f);
    if (!tr_slot_covers(slot, x, y, z))
        return false;
    return tr_slot_is_shape(slot) ? shape_may_change(words, slot, x, y, z)
                                  : tr_volume_distance(slot, x, y, z) < 1.0f;
}

static bool set_has(const struct tr_brick_set *set, int brick)
{
    return set->layers[brick / 64] >> brick % 64 & 1;
}

static void a_slot_has_every_brick_where_it_may_change_a_sample(void **state)
{
    struct words *words = take(1, sizeof *words);
    uint32_t changed = 0;

    (void)state;
    random_state = 5;
    for (int i = 0; i < 200; i++) {
        tr_edit_slot slot;
        struct tr_brick_set set;

        words->uncommon = i % 2 == 1;
        slot = random_slot(words);
        set = tr_bricks_of_slot(&slot, words->words);
        for (int s = i % 3; s < TR_BLOCK_SAMPLES; s += 3) {
            int x = s % 64, y = s / 4096, z = s / 64 % 64, brick = (y / 8 * 8 + z / 8) * 8 + x / 8;

            if (set_has(&set, brick) || !slot_may_change(words->words, slot, x, y, z)) {
                changed += set_has(&set, brick);
                continue;
            }
            fail_msg("slot %d, op %u, form %u, may change x %d y %d z %d, but has not brick %d", i, slot.op,
                     slot.form, x, y, z, brick);
        }
    }
    assert_true(changed > 100000);
    free(words);
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
    set = tr_bricks_of_slot(&sphere, NULL);
    for (int i = 0; i < TR_BRICKS; i++)
        bricks += set_has(&set, i);
    assert_in_range(bricks, 100, 300); /* a ball of 4 bricks' radius has 268 */
    set = tr_bricks_of_slot(&brush, NULL);
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
    struct words *words = take(1, sizeof *words);
    struct tr_brick_set sets[SETS];

    (void)state;
    random_state = 6;
    for (int k = 0; k < SETS; k++) {
        tr_edit_slot slot = random_slot(words);

        sets[k] = tr_bricks_of_slot(&slot, words->words);
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
    free(words);
}

/* Smooth --------------------------------------------------------------------------------------------------
 */

#define HALO TR_HEIGHT_HALO

static int sum_of_4(const int32_t *at)
{
    return at[-1] + at[1] + at[-HALO] + at[HALO];
}

static int bend(const int32_t *at)
{
    return sum_of_4(at) - 4 * *at;
}

static int smooth_naive(tr_edit_slot slot, int x, int z, const int32_t *at)
{
    int bends = bend(at - 1) + bend(at + 1) + bend(at - HALO) + bend(at + HALO);

    if (!tr_slot_covers_column(slot, x, z))
        return *at;
    return slot.op == TR_SLOT_SMOOTH ? tr_brush_smooth(slot, x, z, *at, sum_of_4(at))
                                     : tr_brush_hc_smooth(slot, x, z, *at, bend(at), bends);
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
        tasks[i] = (struct tr_smooth_task){
            halos + i * HALO * HALO, random_brush(NULL, i % 2 ? TR_SLOT_HC_SMOOTH : TR_SLOT_SMOOTH, 64, 64),
            after + i * TR_COLUMNS};
    expect_ok(vulkan->bake.ops->smooth(&vulkan->bake, tasks, count, &error));
    for (size_t i = 0; i < count; i++) {
        for (int z = 0; z < TR_CHUNK; z++)
            for (int x = 0; x < TR_CHUNK; x++)
                expected[z * TR_CHUNK + x] =
                    smooth_naive(tasks[i].slot, x, z, tasks[i].halo + (z + 2) * HALO + x + 2);
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

/* Reshape ------------------------------------------------------------------------------------------------ */

/* x, y, z from the block's first sample on. */
static int halo_sample(const struct tr_reshape_task *task, int x, int y, int z)
{
    int margin = (int)task->margin, side = TR_CHUNK + 2 * margin;

    return task->halo[((y + margin) * side + z + margin) * side + x + margin];
}

static int reshape_naive(const struct tr_reshape_task *t, int x, int y, int z)
{
    int s = halo_sample(t, x, y, z), west = halo_sample(t, x - 1, y, z), east = halo_sample(t, x + 1, y, z);
    int down = halo_sample(t, x, y - 1, z), up = halo_sample(t, x, y + 1, z);
    int north = halo_sample(t, x, y, z - 1), south = halo_sample(t, x, y, z + 1), corners[8];
    tr_source from;

    if (!tr_slot_covers(t->slot, x, y, z))
        return s;
    if (t->slot.op == TR_SLOT_VOLUME_SMOOTH)
        return tr_volume_smooth(t->slot, x, y, z, s, west + east + down + up + north + south);
    if (t->slot.op == TR_SLOT_INFLATE)
        return tr_volume_inflate(t->slot, x, y, z, s, east - west, up - down, south - north);
    from = tr_volume_source(t->slot, x, y, z);
    for (int i = 0; i < 8; i++)
        corners[i] = halo_sample(t, from.x + (i & 1), from.y + (i >> 1 & 1), from.z + (i >> 2));
    return tr_volume_mix(from, corners[0], corners[1], corners[2], corners[3], corners[4], corners[5],
                         corners[6], corners[7]);
}

/* A slot in the middle of its box that reads no farther than margin: a pinch moves by less than its radius, a grab by less than `by`. */
static tr_edit_slot random_reshape(uint op, uint32_t margin)
{
    tr_edit_slot slot = random_brush(NULL, op, 64, 64);
    float reach = (float)margin - 2.0f, way = random_part() * reach;

    slot.cx = 0.5f * (float)(slot.lo_x + slot.hi_x);
    slot.cy = 0.5f * (float)(slot.lo_y + slot.hi_y);
    slot.cz = 0.5f * (float)(slot.lo_z + slot.hi_z);
    slot.radius = 1.0f / random_float(5, 60);
    if (op == TR_SLOT_PINCH) {
        slot.form = TR_FORM_SPHERICAL; /* a projected one reaches sqrt 2 times as far */
        slot.ux = slot.uy = slot.uz = 0.0f;
        slot.radius = 1.0f / reach;
    }
    slot.px *= way;
    slot.py *= way;
    slot.pz *= way;
    return slot;
}

static struct tr_reshape_task random_reshape_task(size_t number)
{
    static const struct {
        uint op;
        uint32_t margin;
    } kinds[] = {{TR_SLOT_VOLUME_SMOOTH, 1},
                 {TR_SLOT_INFLATE, 1},
                 {TR_SLOT_PINCH, TR_RESHAPE_MARGIN_MAX},
                 {TR_SLOT_GRAB, 22},
                 {TR_SLOT_GRAB, TR_RESHAPE_MARGIN_MAX},
                 {TR_SLOT_INFLATE, 2},
                 {TR_SLOT_PINCH, 12},
                 {TR_SLOT_VOLUME_SMOOTH, 2}};
    const size_t kind = number % (sizeof kinds / sizeof *kinds);
    struct tr_reshape_task task = {.margin = kinds[kind].margin};
    size_t side = TR_CHUNK + 2 * (size_t)task.margin, samples = side * side * side;
    int16_t *halo = take(samples, sizeof *halo);

    for (size_t i = 0; i < samples; i++)
        halo[i] = (int16_t)random_int(-TR_SDF_MAX, TR_SDF_MAX);
    task.halo = halo;
    task.slot = random_reshape(kinds[kind].op, task.margin);
    task.after = take(TR_BLOCK_SAMPLES, sizeof *task.after);
    return task;
}

static void check_reshape(size_t count)
{
    struct tr_reshape_task *tasks = take(count, sizeof *tasks);

    random_state = 7;
    for (size_t i = 0; i < count; i++)
        tasks[i] = random_reshape_task(i);
    expect_ok(vulkan->bake.ops->reshape(&vulkan->bake, tasks, count, &error));
    for (size_t i = 0; i < count; i++) {
        int changed = 0;

        for (int s = 0; s < TR_BLOCK_SAMPLES; s++) {
            int x = s % 64, y = s / 4096, z = s / 64 % 64, expected = reshape_naive(&tasks[i], x, y, z);

            changed += expected != halo_sample(&tasks[i], x, y, z);
            if (tasks[i].after[s] != expected)
                fail_msg("task %zu, op %u, margin %u, x %d y %d z %d: %d, expected %d", i, tasks[i].slot.op,
                         tasks[i].margin, x, y, z, tasks[i].after[s], expected);
        }
        if (changed == 0)
            fail_msg("task %zu, op %u, margin %u changes nothing", i, tasks[i].slot.op, tasks[i].margin);
        free((void *)tasks[i].halo);
        free(tasks[i].after);
    }
    free(tasks);
    expect_clean();
}

static void reshape_equals_the_scalar_functions(void **state)
{
    (void)state;
    check_reshape(16);
}

static void reshape_does_not_depend_on_the_batch(void **state)
{
    (void)state;
    vulkan->batch_bytes = SMALL_BATCH_BYTES;
    check_reshape(8);
}

/* Redistance --------------------------------------------------------------------------------------------- */

/* What the ground of a region is like. */
enum ground { HILLS, NOISE, STEPS, AIR, SOLID, GROUNDS };

static int16_t random_ground(enum ground ground, int x, int y, int z)
{
    switch (ground) {
    case HILLS: /* as after edits: no distances any more */
        return (int16_t)(170 * (y - 4) + 60 * (x % 9) - 90 * (z % 5) + random_int(-40, 40));
    case NOISE:
        return (int16_t)random_int(-TR_SDF_MAX, TR_SDF_MAX);
    case STEPS: /* zeros, and crossings that are equally near */
        return (int16_t)(256 * ((x / 3 + y + z / 2) % 3 - 1));
    case AIR:
        return (int16_t)random_int(1, TR_SDF_MAX);
    default:
        return (int16_t)random_int(-TR_SDF_MAX, 0);
    }
}

/* A region with a brush in its middle that does not reach all of it. */
static struct tr_redistance_task random_region(const uint32_t size[3], enum ground ground)
{
    struct tr_redistance_task task = {.size = {size[0], size[1], size[2]}};
    size_t count = (size_t)size[0] * size[1] * size[2];
    int16_t *samples = take(count, sizeof *samples);
    uint32_t longest = size[0] > size[1] ? size[0] : size[1];

    for (size_t i = 0; i < count; i++)
        samples[i] = random_ground(ground, (int)(i % size[0]), (int)(i / size[0] / size[2]),
                                   (int)(i / size[0] % size[2]));
    longest = longest > size[2] ? longest : size[2];
    task.samples = samples;
    task.after = take(count, sizeof *task.after);
    task.slot = (tr_edit_slot){.op = TR_SLOT_REDISTANCE,
                               .hi_x = (int)size[0] - 1,
                               .lo_y = size[1] > 2 ? 1 : 0,
                               .hi_y = (int)size[1] - 1,
                               .hi_z = (int)size[2] - 1,
                               .cx = 0.5f * (float)(size[0] - 1) + 0.25f,
                               .cy = 0.5f * (float)(size[1] - 1),
                               .cz = 0.5f * (float)(size[2] - 1),
                               .radius = 1.0f / (0.45f * (float)longest + 0.5f)};
    return task;
}

static size_t region_compare(const struct tr_redistance_task *task)
{
    size_t count = (size_t)task->size[0] * task->size[1] * task->size[2], changed = 0;
    int16_t *expected = take(count, sizeof *expected);

    expect_ok(tr_apply_redistance(&task->slot, task->samples, task->size, expected, &error));
    for (size_t i = 0; i < count; i++) {
        changed += expected[i] != task->samples[i];
        if (task->after[i] != expected[i])
            fail_msg("region of %u x %u x %u, sample %zu: %d, expected %d", task->size[0], task->size[1],
                     task->size[2], i, task->after[i], expected[i]);
    }
    free(expected);
    return changed;
}

static void check_redistance(const uint32_t (*sizes)[3], size_t size_count)
{
    size_t count = size_count * GROUNDS;
    struct tr_redistance_task *tasks = take(count, sizeof *tasks);

    random_state = 8;
    for (size_t i = 0; i < count; i++)
        tasks[i] = random_region(sizes[i / GROUNDS], (enum ground)(i % GROUNDS));
    expect_ok(vulkan->bake.ops->redistance(&vulkan->bake, tasks, count, &error));
    for (size_t i = 0; i < count; i++) {
        bool has_surface = i % GROUNDS < AIR && tasks[i].size[0] * tasks[i].size[1] * tasks[i].size[2] > 1000;

        if (region_compare(&tasks[i]) == 0 && has_surface)
            fail_msg("region of %u x %u x %u, ground %zu: nothing changes", tasks[i].size[0],
                     tasks[i].size[1], tasks[i].size[2], i % GROUNDS);
        free((void *)tasks[i].samples);
        free(tasks[i].after);
    }
    free(tasks);
    expect_clean();
}

static void redistance_equals_the_walk_of_the_cpu(void **state)
{
    static const uint32_t sizes[][3] = {{1, 1, 1},   {2, 1, 1},   {1, 9, 1},   {1, 1, 12},  {3, 2, 2},
                                        {131, 3, 7}, {3, 131, 5}, {5, 4, 131}, {37, 20, 30}};

    (void)state;
    check_redistance(sizes, sizeof sizes / sizeof *sizes);
}

static void a_redistance_of_a_large_region_equals_that_of_the_cpu(void **state)
{
    const uint32_t size[3] = {TR_REDISTANCE_SIDE_MAX, 40, TR_REDISTANCE_SIDE_MAX};
    struct tr_redistance_task task = random_region(size, HILLS);

    (void)state;
    expect_ok(vulkan->bake.ops->redistance(&vulkan->bake, &task, 1, &error));
    assert_true(region_compare(&task) > 100000);
    free((void *)task.samples);
    free(task.after);
    expect_clean();
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

/* A tile's lattice and mesh by walking owners and cells one by one in the order of cell.h. */
struct naive_mesh {
    bool solid[65 * 65][65]; /* [row][x] */
    uint32_t first[65 * 65 + 1];
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
    for (int row = 0; row < 65 * 65; row++) {
        mesh->first[row] = mesh->vertex_count;
        for (int x = 0; x <= 64; x++) {
            mesh->solid[row][x] = tile_field(world, task, x, row / 65, row % 65) <= 0;
            for (int axis = 0; axis < 3; axis++)
                naive_vertex(world, task, x, row / 65, row % 65, axis, mesh);
        }
    }
    mesh->first[65 * 65] = mesh->vertex_count;
    for (int y = 0; y < 64; y++)
        for (int z = 0; z < 64; z++)
            for (int x = 0; x < 64; x++)
                naive_cell(world, task, x, y, z, mesh);
}

/* vertex_count is that of both. */
static void expect_equal_vertices(const char *what, size_t task, const tr_vertex *found,
                                  const tr_vertex *expected, uint32_t vertex_count)
{
    for (uint32_t i = 0; i < vertex_count; i++) {
        const tr_vertex *a = &found[i], *b = &expected[i];

        if (memcmp(a, b, sizeof *a) != 0)
            fail_msg("%s %zu vertex %u: (%d %d %d) %08x, expected (%d %d %d) %08x", what, task, i, a->x, a->y,
                     a->z, a->normal, b->x, b->y, b->z, b->normal);
    }
}

static void expect_equal_indices(size_t task, const uint32_t *found, uint32_t count, const uint32_t *expected,
                                 uint32_t expected_count)
{
    if (count != expected_count || (found == NULL) != (count == 0))
        fail_msg("tile %zu: %u indices%s, expected %u", task, count, found ? "" : " at NULL", expected_count);
    for (uint32_t i = 0; i < count; i++)
        if (found[i] != expected[i])
            fail_msg("tile %zu index %u: %u, expected %u", task, i, found[i], expected[i]);
}

static void expect_naive_tile(size_t number, const struct tr_mesh_task *task, const struct naive_mesh *naive)
{
    const struct tr_lattice *found = &task->lattice;

    if (found->vertex_count != naive->vertex_count)
        fail_msg("tile %zu: %u vertices, expected %u", number, found->vertex_count, naive->vertex_count);
    for (int row = 0; row < 65 * 65; row++)
        for (int x = 0; x <= 64; x++) {
            bool is_solid = found->vertex_count == 0 ? found->is_solid
                            : x < 64                 ? found->solid[row] >> x & 1
                                                     : found->solid_last[row];

            if (is_solid != naive->solid[row][x])
                fail_msg("tile %zu: the sample (%d %d %d) is %s", number, x, row / 65, row % 65,
                         is_solid ? "solid" : "air");
        }
    for (int row = 0; found->vertex_count > 0 && row <= 65 * 65; row++)
        if (found->first[row] != naive->first[row])
            fail_msg("tile %zu: %u vertices before row %d, expected %u", number, found->first[row], row,
                     naive->first[row]);
    expect_equal_vertices("tile", number, found->vertices, naive->vertices, found->vertex_count);
    expect_equal_indices(number, task->indices, task->index_count, naive->indices,
                         task->wants_triangles ? naive->index_count : 0);
}

static void expect_same_tile(size_t number, const struct tr_mesh_task *task, const struct tr_mesh_task *other)
{
    const struct tr_lattice *a = &task->lattice, *b = &other->lattice;

    assert_int_equal(a->lod, b->lod);
    assert_memory_equal(a->cells, b->cells, sizeof a->cells);
    assert_int_equal(a->is_solid, b->is_solid);
    assert_null(a->materials);
    if (a->vertex_count != b->vertex_count)
        fail_msg("tile %zu: %u vertices, on cpu %u", number, a->vertex_count, b->vertex_count);
    if (a->vertex_count == 0) {
        assert_true(!a->solid && !a->solid_last && !a->first && !a->vertices);
        assert_true(!b->solid && !b->solid_last && !b->first && !b->vertices);
    } else {
        assert_memory_equal(a->solid, b->solid, 65 * 65 * sizeof *a->solid);
        assert_memory_equal(a->solid_last, b->solid_last, 65 * 65 * sizeof *a->solid_last);
        assert_memory_equal(a->first, b->first, (65 * 65 + 1) * sizeof *a->first);
        expect_equal_vertices("tile", number, a->vertices, b->vertices, a->vertex_count);
    }
    expect_equal_indices(number, task->indices, task->index_count, other->indices, other->index_count);
}

static void mesh_task_release(struct tr_mesh_task *task)
{
    tr_lattice_release(&task->lattice);
    free(task->indices);
}

static struct tr_bake *open_cpu(void)
{
    struct tr_bake_options options = {.device = "cpu", .jobs = 2};
    struct tr_bake *cpu = NULL;

    expect_ok(tr_bake_open(&options, &cpu, &error));
    return cpu;
}

/* Which tiles want triangles. */
enum wanted { NONE_WANTED, SOME_WANTED, ALL_WANTED };

/* Meshes `count` tiles of the world, beginning with its lowest row, and compares all with the cpu's and every
 * `step`th with the naive one. */
static void check_mesh(bool dense, enum wanted wanted, size_t count, size_t step)
{
    struct world *world = world_make(dense);
    struct tr_mesh_task *tasks = take(count, sizeof *tasks), *others = take(count, sizeof *others);
    int32_t **heights = take(count, sizeof *heights);
    struct naive_mesh *naive = take(1, sizeof *naive);
    struct tr_bake *cpu = open_cpu();
    uint64_t vertices = 0;

    naive->vertices = take(65 * 65 * 65 * 3, sizeof(tr_vertex));
    naive->indices = take(64 * 64 * 64 * 15, sizeof(uint32_t));
    naive->ids = take(65 * 65 * 65 * 3, sizeof(int32_t));
    for (size_t i = 0; i < count; i++) {
        heights[i] = task_gather(world, (int)(i % 3), (int)(i / 9 % 5) - 1, (int)(i / 3 % 3), &tasks[i]);
        tasks[i].wants_triangles = wanted == ALL_WANTED || (wanted == SOME_WANTED && i % 4 % 3 == 0);
        others[i] = tasks[i];
    }
    expect_ok(vulkan->bake.ops->mesh(&vulkan->bake, tasks, count, &error));
    expect_ok(cpu->ops->mesh(cpu, others, count, &error));
    for (size_t i = 0; i < count; i++) {
        expect_same_tile(i, &tasks[i], &others[i]);
        if (i % step == 0) {
            naive_make(world, &tasks[i], naive);
            expect_naive_tile(i, &tasks[i], naive);
        }
        vertices += tasks[i].lattice.vertex_count;
        mesh_task_release(&tasks[i]);
        mesh_task_release(&others[i]);
        free(heights[i]);
    }
    assert_true(vertices > 1000 * count);
    tr_bake_close(cpu);
    free(naive->vertices);
    free(naive->indices);
    free(naive->ids);
    free(naive);
    free(heights);
    free(tasks);
    free(others);
    world_free(world);
    expect_clean();
}

static void mesh_equals_a_walk_over_all_edges_and_cells(void **state)
{
    (void)state;
    check_mesh(false, ALL_WANTED, 45, 2);
}

static void mesh_goes_in_several_batches_and_reuses_its_buffers(void **state)
{
    (void)state;
    vulkan->batch_bytes = 10 << 20;
    check_mesh(false, SOME_WANTED, 60, 11);
}

static void mesh_of_dense_noise_is_written_in_groups(void **state)
{
    (void)state;
    vulkan->batch_bytes = 16 << 20;
    check_mesh(true, SOME_WANTED, 5, 4);
}

static void mesh_does_not_depend_on_the_batch(void **state)
{
    (void)state;
    vulkan->batch_bytes = SMALL_BATCH_BYTES;
    check_mesh(false, SOME_WANTED, 12, 1);
}

static void mesh_makes_lattices_alone_where_nobody_wants_triangles(void **state)
{
    (void)state;
    check_mesh(false, NONE_WANTED, 23, 7);
}

/* A tile all of one sign has no rows to tell it: neither ground beside a block of air, nor the other way round, is mistaken for it. */
static void a_tile_without_crossings_has_the_sign_of_its_samples(void **state)
{
    static const int ground[] = {-4000 * 256, 4000 * 256}; /* far below and above the tile */
    static const int stored[] = {0, 1000, -1000};          /* 0: no block */
    struct tr_mesh_task tasks[6];
    int32_t *heights[2];
    int16_t *blocks[3] = {0};

    (void)state;
    for (int h = 0; h < 2; h++) {
        heights[h] = take(TR_TILE_HALO, sizeof **heights);
        for (int i = 0; i < TR_TILE_HALO; i++)
            heights[h][i] = ground[h];
    }
    for (int b = 1; b < 3; b++) {
        blocks[b] = take(TR_BLOCK_SAMPLES, sizeof **blocks);
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
            blocks[b][i] = (int16_t)stored[b];
    }
    for (int t = 0; t < 6; t++) {
        tasks[t] = (struct tr_mesh_task){
            .cx = 1, .cz = 1, .world_x = WORLD, .world_z = WORLD, .heights = heights[t % 2]};
        for (int i = 0; i < 27; i++)
            tasks[t].blocks[i] = blocks[t / 2];
        tasks[t].wants_triangles = true;
    }
    expect_ok(vulkan->bake.ops->mesh(&vulkan->bake, tasks, 6, &error));
    for (int t = 0; t < 6; t++) {
        bool expected = t < 2 ? ground[t] > 0 : stored[t / 2] <= 0;

        assert_int_equal(tasks[t].lattice.vertex_count, 0);
        assert_int_equal(tasks[t].index_count, 0);
        if (tasks[t].lattice.is_solid != expected)
            fail_msg("tile %d is %s", t, expected ? "air" : "solid");
        mesh_task_release(&tasks[t]);
    }
    for (int h = 0; h < 2; h++)
        free(heights[h]);
    for (int b = 1; b < 3; b++)
        free(blocks[b]);
    expect_clean();
}

/* A batch that the device cannot hold is refused with nothing in the tasks, and the device goes on. */
static void a_mesh_that_does_not_fit_the_device_is_refused(void **state)
{
    const size_t count = tr_gpu_info(vulkan->gpu)->storage_range_bytes / ((size_t)TR_FIELD_STRIDE * 4) + 1;
    struct tr_mesh_task *tasks = take(count, sizeof *tasks);
    int32_t *heights = take(TR_TILE_HALO, sizeof *heights);

    (void)state;
    for (size_t i = 0; i < count; i++)
        tasks[i] = (struct tr_mesh_task){.world_x = 1, .world_z = 1, .heights = heights};
    if (count <= 256) { /* what a batch takes at most: a device with more room cannot be brought to fail */
        vulkan->batch_bytes = UINT64_MAX / 2;
        expect_fault(vulkan->bake.ops->mesh(&vulkan->bake, tasks, count, &error), TR_NO_DEVICE,
                     "buffer 'field'");
    }
    for (size_t i = 0; i < count; i++)
        assert_true(tasks[i].lattice.vertex_count == 0 && !tasks[i].lattice.vertices && !tasks[i].indices);
    free(tasks);
    free(heights);
    restore_batches(NULL);
    check_mesh(false, ALL_WANTED, 2, 1);
}

/* Grid --------------------------------------------------------------------------------------------------- */

/* Ground of every kind: rough, level on whole voxels, so steep that distances are clamped, and at the ends of
 * the range. */
static int32_t random_height(size_t task)
{
    switch (task % 4) {
    case 0:
        return random_int(-3000, 3000);
    case 1:
        return 256 * random_int(-2, 2);
    case 2:
        return random_int(-200000, 200000);
    default:
        return random_bits() % 2 == 0 ? TR_HEIGHT_MAX : -TR_HEIGHT_MAX;
    }
}

static void check_grid(size_t count)
{
    struct tr_grid_task *tasks = take(count, sizeof *tasks), *others = take(count, sizeof *others);
    int32_t *heights = take(count * TR_TILE_HALO, sizeof *heights);
    tr_vertex *expected = take(65 * 65, sizeof *expected);
    struct tr_bake *cpu = open_cpu();

    random_state = 9;
    for (size_t i = 0; i < count * TR_TILE_HALO; i++)
        heights[i] = random_height(i / TR_TILE_HALO);
    for (size_t i = 0; i < count; i++)
        tasks[i].heights = others[i].heights = heights + i * TR_TILE_HALO;
    expect_ok(vulkan->bake.ops->grid(&vulkan->bake, tasks, count, &error));
    expect_ok(cpu->ops->grid(cpu, others, count, &error));
    for (size_t i = 0; i < count; i++) {
        const struct tr_height_grid *found = &tasks[i].grid, *other = &others[i].grid;

        for (int z = 0; z <= 64; z++)
            for (int x = 0; x <= 64; x++) {
                const int32_t *at = tasks[i].heights + (z + 1) * 67 + x + 1;

                expected[z * 65 + x] = tr_height_vertex(x, z, *at, at[-1], at[1], at[-67], at[67]);
            }
        assert_int_equal(found->lod, other->lod);
        assert_memory_equal(found->cells, other->cells, sizeof found->cells);
        assert_null(found->materials);
        expect_equal_vertices("grid", i, found->vertices, expected, 65 * 65);
        expect_equal_vertices("grid on cpu", i, other->vertices, expected, 65 * 65);
        tr_height_grid_release(&tasks[i].grid);
        tr_height_grid_release(&others[i].grid);
    }
    tr_bake_close(cpu);
    free(tasks);
    free(others);
    free(heights);
    free(expected);
    expect_clean();
}

static void grid_equals_the_scalar_function(void **state)
{
    (void)state;
    check_grid(37);
}

static void grid_does_not_depend_on_the_batch(void **state)
{
    (void)state;
    vulkan->batch_bytes = SMALL_BATCH_BYTES;
    check_grid(5);
    vulkan->batch_bytes = 3 * 65 * 65 * sizeof(tr_vertex) + 1;
    check_grid(13);
}

/* As a_mesh_that_does_not_fit_the_device_is_refused. */
static void a_grid_that_does_not_fit_the_device_is_refused(void **state)
{
    const size_t count = tr_gpu_info(vulkan->gpu)->storage_range_bytes / (65 * 65 * sizeof(tr_vertex)) + 1;
    struct tr_grid_task *tasks = take(count, sizeof *tasks);
    int32_t *heights = take(TR_TILE_HALO, sizeof *heights);

    (void)state;
    for (size_t i = 0; i < count; i++)
        tasks[i].heights = heights;
    vulkan->batch_bytes = UINT64_MAX / 2;
    expect_fault(vulkan->bake.ops->grid(&vulkan->bake, tasks, count, &error), TR_NO_DEVICE,
                 "buffer 'vertices'");
    for (size_t i = 0; i < count; i++)
        assert_null(tasks[i].grid.vertices);
    free(tasks);
    free(heights);
    restore_batches(NULL);
    check_grid(2);
}

static void no_task_is_no_work(void **state)
{
    (void)state;
    expect_ok(vulkan->bake.ops->fill(&vulkan->bake, NULL, 0, &error));
    expect_ok(vulkan->bake.ops->edit(&vulkan->bake, NULL, 0, &error));
    expect_ok(vulkan->bake.ops->smooth(&vulkan->bake, NULL, 0, &error));
    expect_ok(vulkan->bake.ops->reshape(&vulkan->bake, NULL, 0, &error));
    expect_ok(vulkan->bake.ops->redistance(&vulkan->bake, NULL, 0, &error));
    expect_ok(vulkan->bake.ops->mesh(&vulkan->bake, NULL, 0, &error));
    expect_ok(vulkan->bake.ops->grid(&vulkan->bake, NULL, 0, &error));
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
        cmocka_unit_test_teardown(reshape_equals_the_scalar_functions, restore_batches),
        cmocka_unit_test_teardown(reshape_does_not_depend_on_the_batch, restore_batches),
        cmocka_unit_test(redistance_equals_the_walk_of_the_cpu),
        cmocka_unit_test(a_redistance_of_a_large_region_equals_that_of_the_cpu),
        cmocka_unit_test_teardown(mesh_equals_a_walk_over_all_edges_and_cells, restore_batches),
        cmocka_unit_test_teardown(mesh_goes_in_several_batches_and_reuses_its_buffers, restore_batches),
        cmocka_unit_test_teardown(mesh_of_dense_noise_is_written_in_groups, restore_batches),
        cmocka_unit_test_teardown(mesh_does_not_depend_on_the_batch, restore_batches),
        cmocka_unit_test(mesh_makes_lattices_alone_where_nobody_wants_triangles),
        cmocka_unit_test(a_tile_without_crossings_has_the_sign_of_its_samples),
        cmocka_unit_test_teardown(a_mesh_that_does_not_fit_the_device_is_refused, restore_batches),
        cmocka_unit_test_teardown(grid_equals_the_scalar_function, restore_batches),
        cmocka_unit_test_teardown(grid_does_not_depend_on_the_batch, restore_batches),
        cmocka_unit_test_teardown(a_grid_that_does_not_fit_the_device_is_refused, restore_batches),
        cmocka_unit_test(no_task_is_no_work),
    };

    return cmocka_run_group_tests(tests, open_device, close_device);
}
