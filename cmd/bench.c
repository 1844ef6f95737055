/* terrain bench: how fast fill, edit, mesh, grid and replay are on a device, on fixed work. One JSON line a step and
 * device.
 *
 * Times are of the whole call, transfers to and from the device included, and the median of some repeats
 * after a first one that is not counted (pipelines, clocks, page faults). Compare figures of one run on one
 * machine only. */
#include "cmd/bench.h"
#include "cmd/common.h"
#include "lib/bake/devices.h"
#include "lib/edit/slot.h"
#include "lib/gen/noise.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct tr_option options[] = {
    TR_OPTION_DEVICE,
    TR_OPTION_JOBS,
    {"--chunks", 0, TR_OPTION_WHOLE, "N", 1, 4096, "chunks in the work; 64 when not given"},
    {"--edits", 0, TR_OPTION_WHOLE, "N", 1, 10000000, "edits of the replay; 2000 when not given"},
    {"--repeats", 0, TR_OPTION_WHOLE, "N", 1, 1000, "timed runs of each step; 9 when not given"},
    TR_OPTION_END,
};

double tr_bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(struct tr_bench *bench)
{
    qsort(bench->seconds, bench->repeats, sizeof *bench->seconds, compare_seconds);
    return bench->seconds[bench->repeats / 2];
}

/* Figures to six digits: more would be noise. */
static void add_figure(cJSON *object, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    cJSON_AddNumberToObject(object, name, strtod(text, NULL));
}

static void add_rate(cJSON *object, const char *what, double count, double seconds)
{
    char rate[64];
    cJSON_AddNumberToObject(object, what, count);
    snprintf(rate, sizeof rate, "%s_per_second", what);
    add_figure(object, rate, count / seconds);
}

enum tr_status tr_bench_report(struct tr_bench *bench, const char *step, size_t chunks, const char *what,
                               double count, const char *also, double also_count, struct tr_error *error)
{
    double seconds = median(bench);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "device", bench->bake->device);
    cJSON_AddStringToObject(object, "step", step);
    cJSON_AddNumberToObject(object, "jobs", tr_jobs_count(bench->bake->jobs));
    cJSON_AddNumberToObject(object, "chunks", (double)chunks);
    add_figure(object, "median_ms", seconds * 1e3);
    add_rate(object, what, count, seconds);
    if (also)
        add_rate(object, also, also_count, seconds);
    return tr_json_print(object, error);
}

static enum tr_status report(struct tr_bench *bench, const char *step, const char *what, double count,
                             struct tr_error *error)
{
    return tr_bench_report(bench, step, bench->chunks, what, count, NULL, 0, error);
}

/* Fills bench->heights with hills, 8 chunks to a row; that is the ground of the other steps. */
static enum tr_status bench_fill(struct tr_bench *bench, struct tr_error *error)
{
    struct tr_preset preset;
    tr_preset_make("hills", 1, 1, &preset);
    enum tr_status status = TR_OK;
    struct tr_fill_task *tasks = calloc(bench->chunks, sizeof *tasks);
    tr_noise_layer *layers = calloc(bench->chunks * TR_PRESET_LAYERS_MAX, sizeof *layers);
    if (!tasks || !layers) {
        status = tr_fail(error, TR_IO, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < bench->chunks; i++) {
        tr_noise_layer *own = layers + i * TR_PRESET_LAYERS_MAX;
        for (uint32_t k = 0; k < preset.count; k++)
            own[k] = tr_noise_layer_at(&preset.sources[k], (int64_t)(i % 8) * TR_CHUNK,
                                       (int64_t)(i / 8) * TR_CHUNK);
        tasks[i] = (struct tr_fill_task){own, preset.count, 0, bench->heights + i * TR_CHUNK_SAMPLES};
    }
    for (size_t r = 0; r <= bench->repeats && status == TR_OK; r++) {
        double start = tr_bench_now();
        status = bench->bake->ops->fill(bench->bake, tasks, bench->chunks, error);
        bench->seconds[r ? r - 1 : 0] = tr_bench_now() - start;
    }
    if (status == TR_OK)
        status = report(bench, "fill", "samples", (double)(bench->chunks * TR_CHUNK_SAMPLES), error);
done:
    free(tasks);
    free(layers);
    return status;
}

#define EDITS_PER_CHUNK 32

double tr_bench_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40) / 16777216.0;
}

/* Spheres around the ground of a chunk; *count slots, and *touched grows. */
static enum tr_status make_edit_slots(const int32_t *heights, int32_t cy, uint64_t *state,
                                      tr_edit_slot *slots, uint32_t *count, uint64_t *touched,
                                      struct tr_error *error)
{
    const struct tr_box box = {{0, -65536, 0}, {64, 65535, 64}};
    const int64_t origin[3] = {0, (int64_t)cy * TR_CHUNK, 0};
    const struct tr_box block = {{0, origin[1], 0}, {TR_CHUNK - 1, origin[1] + TR_CHUNK - 1, TR_CHUNK - 1}};
    enum tr_status status = TR_OK;
    *count = 0;
    for (uint64_t i = 0; i < EDITS_PER_CHUNK && status == TR_OK; i++) {
        struct tr_edit edit;
        struct tr_words words = {0}; /* stays empty: a sphere needs none */
        double at[3], radius;
        bool reaches = false;
        at[0] = 64 * tr_bench_random(state);
        at[2] = 64 * tr_bench_random(state);
        at[1] = heights[(int)at[2] * TR_CHUNK + (int)at[0]] / 256.0;
        radius = 4 + 16 * tr_bench_random(state);
        status = tr_bench_sphere(i, at, radius, &edit, error);
        if (status == TR_OK) {
            struct tr_stamp stamp = tr_edit_stamp(&edit, 0);
            status =
                tr_edit_slot_make(&edit, &stamp, 0, &box, origin, &words, &slots[*count], &reaches, error);
        }
        *count += reaches;
        *touched += reaches ? tr_bench_touched(at, radius, &block) : 0;
        tr_words_release(&words);
        tr_edit_release(&edit);
    }
    return status;
}

static enum tr_status bench_edit(struct tr_bench *bench, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    uint64_t state = 1, touched = 0;
    size_t n = bench->chunks;
    struct tr_edit_task *tasks = calloc(n, sizeof *tasks);
    struct tr_edit_block *blocks = calloc(n, sizeof *blocks);
    tr_edit_slot *slots = calloc(n * EDITS_PER_CHUNK, sizeof *slots);
    int16_t *samples = malloc(n * TR_BLOCK_SAMPLES * sizeof *samples);
    if (!tasks || !blocks || !slots || !samples) {
        status = tr_fail(error, TR_IO, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        int32_t *heights = bench->heights + i * TR_CHUNK_SAMPLES;
        tr_edit_slot *own = slots + i * EDITS_PER_CHUNK;
        int32_t cy = (int32_t)tr_floor_div(heights[TR_CHUNK * 32 + 32], TR_UNITS * TR_CHUNK);
        uint32_t count;
        status = make_edit_slots(heights, cy, &state, own, &count, &touched, error);
        if (status != TR_OK)
            goto done;
        blocks[i] = (struct tr_edit_block){
            .cy = cy, .samples = samples + i * TR_BLOCK_SAMPLES, .slots = own, .slot_count = count};
        tasks[i] = (struct tr_edit_task){.size_x = TR_CHUNK,
                                         .size_z = TR_CHUNK,
                                         .heights = heights,
                                         .blocks = &blocks[i],
                                         .block_count = 1};
    }
    for (size_t r = 0; r <= bench->repeats && status == TR_OK; r++) {
        double start = tr_bench_now();
        status = bench->bake->ops->edit(bench->bake, tasks, n, error);
        bench->seconds[r ? r - 1 : 0] = tr_bench_now() - start;
    }
    if (status == TR_OK)
        status = report(bench, "edit", "touched_samples", (double)touched, error);
done:
    free(tasks);
    free(blocks);
    free(slots);
    free(samples);
    return status;
}

/* The heights around each chunk: its own, repeated. NULL without memory. */
static int32_t *make_halos(const struct tr_bench *bench)
{
    int32_t *halos = malloc(bench->chunks * TR_TILE_HALO * sizeof *halos);
    for (size_t i = 0; halos && i < bench->chunks; i++) {
        const int32_t *heights = bench->heights + i * TR_CHUNK_SAMPLES;
        int32_t *halo = halos + i * TR_TILE_HALO;
        for (int z = 0; z < TR_TILE_SAMPLES; z++)
            for (int x = 0; x < TR_TILE_SAMPLES; x++)
                halo[z * TR_TILE_SAMPLES + x] =
                    heights[tr_iclamp(z - 1, 0, 63) * TR_CHUNK + tr_iclamp(x - 1, 0, 63)];
    }
    return halos;
}

/* Tiles of the hills, one a chunk, in the row where the chunk's middle lies. */
static enum tr_status bench_mesh(struct tr_bench *bench, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    size_t n = bench->chunks;
    uint64_t triangles = 0;
    struct tr_mesh_task *tasks = calloc(n, sizeof *tasks);
    int32_t *halos = make_halos(bench);
    if (!tasks || !halos) {
        status = tr_fail(error, TR_IO, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        const int32_t *heights = bench->heights + i * TR_CHUNK_SAMPLES;
        int32_t cy = (int32_t)tr_floor_div(heights[TR_CHUNK * 32 + 32], TR_UNITS * TR_CHUNK);
        tasks[i] = (struct tr_mesh_task){.cx = (int32_t)(i % 8),
                                         .cy = cy,
                                         .cz = (int32_t)(i / 8),
                                         .world_x = 8,
                                         .world_z = 512,
                                         .heights = halos + i * TR_TILE_HALO,
                                         .wants_triangles = true};
    }
    for (size_t r = 0; r <= bench->repeats && status == TR_OK; r++) {
        double start = tr_bench_now();
        status = bench->bake->ops->mesh(bench->bake, tasks, n, error);
        bench->seconds[r ? r - 1 : 0] = tr_bench_now() - start;
        triangles = 0;
        for (size_t i = 0; i < n; i++) {
            triangles += tasks[i].index_count / 3;
            tr_lattice_release(&tasks[i].lattice);
            free(tasks[i].indices);
        }
    }
    if (status == TR_OK)
        status = tr_bench_report(bench, "mesh", n, "triangles", (double)triangles, "cells",
                                 (double)n * TR_BLOCK_SAMPLES, error);
done:
    free(tasks);
    free(halos);
    return status;
}

/* Height grids of the hills. Their triangles are always two a cell, so nobody needs to list them here. */
static enum tr_status bench_grid(struct tr_bench *bench, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    size_t n = bench->chunks;
    struct tr_grid_task *tasks = calloc(n, sizeof *tasks);
    int32_t *halos = make_halos(bench);
    if (!tasks || !halos) {
        status = tr_fail(error, TR_IO, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < n; i++)
        tasks[i].heights = halos + i * TR_TILE_HALO;
    for (size_t r = 0; r <= bench->repeats && status == TR_OK; r++) {
        double start = tr_bench_now();
        status = bench->bake->ops->grid(bench->bake, tasks, n, error);
        bench->seconds[r ? r - 1 : 0] = tr_bench_now() - start;
        for (size_t i = 0; i < n; i++)
            tr_height_grid_release(&tasks[i].grid);
    }
    if (status == TR_OK)
        status = tr_bench_report(bench, "grid", n, "triangles", 2.0 * (double)(n * TR_CHUNK_SAMPLES), "cells",
                                 (double)(n * TR_CHUNK_SAMPLES), error);
done:
    free(tasks);
    free(halos);
    return status;
}

static enum tr_status bench_device(const struct tr_call *call, const char *device, struct tr_error *error)
{
    struct tr_bake_options how = {.device = device, .jobs = (int)tr_call_number(call, "--jobs", 0)};
    struct tr_bench bench = {.chunks = (size_t)tr_call_number(call, "--chunks", 64),
                             .edits = (size_t)tr_call_number(call, "--edits", 2000),
                             .repeats = (size_t)tr_call_number(call, "--repeats", 9)};
    enum tr_status status = tr_bake_open(&how, &bench.bake, error);
    if (status != TR_OK)
        return status;
    bench.seconds = calloc(bench.repeats, sizeof *bench.seconds);
    bench.heights = malloc(bench.chunks * TR_CHUNK_SAMPLES * sizeof *bench.heights);
    if (!bench.seconds || !bench.heights)
        status = tr_fail(error, TR_IO, "out of memory");
    if (status == TR_OK)
        status = bench_fill(&bench, error);
    if (status == TR_OK)
        status = bench_edit(&bench, error);
    if (status == TR_OK)
        status = bench_mesh(&bench, error);
    if (status == TR_OK)
        status = bench_grid(&bench, error);
    if (status == TR_OK)
        status = tr_bench_replay(&bench, error);
    free(bench.seconds);
    free(bench.heights);
    tr_bake_close(bench.bake);
    return status;
}

/* cpu, then every Vulkan device. A machine without Vulkan has the first. */
static enum tr_status bench_all(const struct tr_call *call, struct tr_error *error)
{
    struct tr_bake_device *devices = NULL;
    size_t count = 0;
    enum tr_status status = bench_device(call, "cpu", error);
    if (status != TR_OK)
        return status;
    if (tr_bake_devices(&devices, &count, NULL) != TR_OK)
        count = 0;
    for (size_t i = 0; i < count && status == TR_OK; i++) {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        if (devices[i].selftest.status == TR_OK)
            status = bench_device(call, index, error);
    }
    free(devices);
    return status;
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const char *device = tr_call_text(call, "--device", NULL);
    return device ? bench_device(call, device, error) : bench_all(call, error);
}

const struct tr_command tr_command_bench = {
    .name = "bench",
    .usage = "[--device DEVICE]",
    .summary = "measure fill, edit, mesh, grid and replay on each device",
    .about =
        "Prints one JSON line a device and step: the median time of a call, transfers included, and "
        "samples, triangles, cells or edits\n"
        "a second. mesh is marching cubes on every cell of a tile, grid the mesh of ground that no edit has\n"
        "sculpted. replay works on a world of 32 x 32 chunks in a scratch folder ($TMPDIR) and reads it "
        "from there each time.\n"
        "Without --device all are measured, cpu first.",
    .examples = "  terrain bench\n  terrain bench --device cpu --jobs 1 --chunks 256\n"
                "  terrain bench --edits 100000",
    .least = 0,
    .most = 0,
    .options = options,
    .run = run,
};
