/* Scattering: instances stand on analytic ground with its normal, in the numbers that their odds say, off overhangs, caves and edited ground,
 * apart from one another as a search over all pairs says; the same for any number of jobs and in a world cut smaller; rules that are wrong
 * are refused; both files are read back. Each test builds its worlds in a scratch folder of its own. */
#include "tests/support/test.h"

#include "lib/base/file.h"
#include "lib/base/json.h"
#include "lib/pack/instances.h"
#include "lib/run/probe.h"
#include "lib/run/scatter.h"
#include "lib/run/scatter_cell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_UNITS (64 * 256)
#define HEAD "{\"format\": \"terrain-scatter\", \"version\": 1, \"layers\": ["
#define PI 3.14159265358979323846

/* ---- worlds ---- */

typedef double height_function(double x, double z); /* voxels */
typedef double field_function(double x, double y, double z,
                              double ground); /* voxels; ground: of the heights */

struct plan {
    int32_t size_x, size_z;
    double voxel_size; /* 0: 1 m */
    height_function *height;
    field_function *field; /* of block row 0; NULL: heights only */
};

static double level(double x, double z)
{
    (void)x;
    (void)z;
    return 30.5;
}

static double hills(double x, double z)
{
    return 32 + 12 * sin(x / 17) + 9 * cos(z / 13);
}

/* Rises 3 in 4 to the east. */
static double tilted(double x, double z)
{
    (void)z;
    return 5 + 0.75 * x;
}

/* A hollow ball in the ground, near enough to the surface that its roof is thin, and a slab in the air. */
static double hollow(double x, double y, double z, double ground)
{
    double ball = sqrt((x - 30) * (x - 30) + (y - 18) * (y - 18) + (z - 30) * (z - 30)) - 11;
    double slab = fmax(fabs(y - 50) - 1.75, fmax(fabs(x - 90), fabs(z - 30)) - 12);

    return fmin(fmax(ground, -ball), slab);
}

static int32_t units(double voxels)
{
    return (int32_t)floor(voxels * TR_UNITS + 0.5);
}

static void fill_chunk(struct tr_chunk *chunk, const struct plan *plan)
{
    int16_t *samples;

    for (uint32_t z = 0; z < chunk->size_z; z++)
        for (uint32_t x = 0; x < chunk->size_x; x++)
            chunk->heights[z * 64 + x] = units(plan->height(chunk->cx * 64.0 + x, chunk->cz * 64.0 + z));
    if (!plan->field)
        return;
    assert_int_equal(tr_chunk_add_block(chunk, 0, &samples, NULL), TR_OK);
    for (int y = 0; y < 64; y++)
        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++) {
                double ground = y - chunk->heights[z * 64 + x] / 256.0;
                double value = plan->field(chunk->cx * 64.0 + x, y, chunk->cz * 64.0 + z, ground);

                samples[tr_block_index((int)x, y, (int)z)] =
                    (int16_t)fmax(fmin(units(value), TR_SDF_MAX), -TR_SDF_MAX);
            }
}

static void put_chunks(struct tr_world_build *build, const struct tr_world_info *info,
                       const struct plan *plan, const struct tr_world *before)
{
    struct tr_error error = {0};

    for (int32_t cz = 0; cz <= plan->size_z; cz++)
        for (int32_t cx = 0; cx <= plan->size_x; cx++) {
            struct tr_chunk chunk;
            uint32_t size_x, size_z;

            tr_world_chunk_size(info, cx, cz, &size_x, &size_z);
            assert_ok(tr_chunk_init(&chunk, cx, cz, size_x, size_z, &error), &error);
            fill_chunk(&chunk, plan);
            if (before)
                assert_ok(tr_world_build_keep_base(build, before, cx, cz, &error), &error);
            assert_ok(tr_world_build_put(build, &chunk, &error), &error);
            tr_chunk_release(&chunk);
        }
}

/* A world of that plan; one that a log made of `before`, when there is one. */
static struct tr_world *world_of(const char *folder, const char *name, const struct plan *plan,
                                 const struct tr_world *before)
{
    struct tr_world_info info = {.size_x = plan->size_x,
                                 .size_z = plan->size_z,
                                 .voxel_size = plan->voxel_size > 0.0 ? plan->voxel_size : 1.0,
                                 .extent = {0, 0, plan->size_x * 64.0, plan->size_z * 64.0}};
    static const char log[] = "{\"format\":\"terrain-edits\",\"version\":1}\n";
    struct tr_world_build *build;
    struct tr_world *world;
    struct tr_error error = {0};
    struct tr_hash hash;
    char path[TR_PATH_BYTES];

    assert_ok(tr_path_join(path, folder, name, &error), &error);
    assert_ok(tr_world_build_create(path, &info, false, &build, &error), &error);
    put_chunks(build, &info, plan, before);
    if (before)
        assert_ok(tr_world_build_set_log(build, log, sizeof log - 1, &error), &error);
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_world_build_free(build);
    assert_ok(tr_world_open(path, &world, &error), &error);
    return world;
}

/* ---- scattering ---- */

struct scattered {
    struct tr_scatter_rules rules;
    struct tr_instances instances;
};

static void read_rules(const char *layers, double voxel_size, struct tr_scatter_rules *rules)
{
    char text[4096];
    int length = snprintf(text, sizeof text, HEAD "%s]}", layers);
    struct tr_error error = {0};

    assert_in_range(length, 1, sizeof text - 1);
    assert_ok(tr_scatter_rules_read(text, (size_t)length, "rules", voxel_size, rules, &error), &error);
}

/* By the text of the layers. */
static void scatter(const struct tr_world *world, const char *layers, int job_count, struct scattered *out)
{
    const struct tr_scatter_options options = {.cache_bytes = 16 << 20};
    struct tr_jobs *jobs;
    struct tr_error error = {0};

    read_rules(layers, world->info.voxel_size, &out->rules);
    assert_ok(tr_jobs_create(job_count, &jobs, &error), &error);
    assert_ok(tr_scatter(jobs, world, &out->rules, &options, &out->instances, &error), &error);
    tr_jobs_free(jobs);
}

static void scattered_release(struct scattered *scattered)
{
    tr_instances_release(&scattered->instances);
    tr_scatter_rules_release(&scattered->rules);
}

/* All instances of a layer, in order, with their places in units. */
struct found {
    struct tr_instance instance;
    int64_t x, z;
};

static struct found *list_layer(const struct tr_instances *instances, uint32_t layer, size_t *count)
{
    struct found *list = calloc(tr_instances_count(instances, layer) + 1, sizeof *list);

    assert_non_null(list);
    *count = 0;
    for (int32_t cz = 0; cz < instances->size_z; cz++)
        for (int32_t cx = 0; cx < instances->size_x; cx++) {
            const struct tr_instance_list *chunk =
                &instances->layers[layer].chunks[cz * instances->size_x + cx];

            for (size_t i = 0; i < chunk->count; i++)
                list[(*count)++] =
                    (struct found){chunk->items[i], (int64_t)cx * CHUNK_UNITS + chunk->items[i].x,
                                   (int64_t)cz * CHUNK_UNITS + chunk->items[i].z};
        }
    return list;
}

static void assert_same(const struct found *a, size_t count_a, const struct found *b, size_t count_b)
{
    if (count_a != count_b)
        fail_msg("%zu instances, expected %zu", count_a, count_b);
    for (size_t i = 0; i < count_a; i++)
        if (a[i].instance.cell_x != b[i].instance.cell_x || a[i].instance.cell_z != b[i].instance.cell_z ||
            a[i].instance.floor != b[i].instance.floor || a[i].x != b[i].x || a[i].z != b[i].z ||
            a[i].instance.y != b[i].instance.y || a[i].instance.normal != b[i].instance.normal ||
            a[i].instance.scale != b[i].instance.scale || a[i].instance.yaw != b[i].instance.yaw ||
            a[i].instance.model != b[i].instance.model)
            fail_msg("instance %zu of cell %d,%d differs from that of cell %d,%d", i, a[i].instance.cell_x,
                     a[i].instance.cell_z, b[i].instance.cell_x, b[i].instance.cell_z);
}

/* Whether a count of `of` draws with these odds is nearer to what is expected than 5 standard deviations. */
static void assert_likely(const char *what, size_t count, size_t of, double odds)
{
    double expected = (double)of * odds, deviation = sqrt((double)of * odds * (1 - odds));

    if (fabs((double)count - expected) > 5 * deviation + 1)
        fail_msg("%s: %zu of %zu, expected %.0f, standard deviation %.1f", what, count, of, expected,
                 deviation);
}

/* ---- cells ---- */

static void candidates_lie_anywhere_in_their_cell_and_nowhere_else(void **state)
{
    struct tr_scatter_rules rules;
    size_t bins[4][4] = {{0}}, models[2] = {0};

    (void)state;
    read_rules("{\"id\": \"a\", \"model\": {\"x\": 3, \"y\": 1}, \"cell\": 5.3}, {\"id\": \"b\", \"model\": "
               "\"m\", \"cell\": 8, \"jitter\": 0.25}, {\"id\": \"c\", \"model\": \"m\", \"cell\": 8, "
               "\"jitter\": 0}",
               1, &rules);
    for (int64_t k = 0; k < 200; k++)
        for (int64_t i = 0; i < 200; i++) {
            const int64_t cell = rules.layers[0].cell;
            int64_t x, z;

            tr_scatter_place(&rules.layers[0], i, k, &x, &z);
            if (x < i * cell || x >= (i + 1) * cell || z < k * cell || z >= (k + 1) * cell)
                fail_msg("cell %d,%d: %lld,%lld is outside", (int)i, (int)k, (long long)x, (long long)z);
            bins[(z - k * cell) * 4 / cell][(x - i * cell) * 4 / cell]++;
            models[tr_scatter_model_of(
                &rules.layers[0], tr_scatter_floor_hash(tr_scatter_cell_hash(&rules.layers[0], i, k), 0))]++;
            tr_scatter_place(&rules.layers[1], i, k, &x, &z);
            assert_in_range(x - i * 2048, 768, 1279); /* a quarter of 2048, in the middle */
            assert_in_range(z - k * 2048, 768, 1279);
            tr_scatter_place(&rules.layers[2], i, k, &x, &z);
            assert_int_equal(x, i * 2048 + 1024);
            assert_int_equal(z, k * 2048 + 1024);
        }
    for (int i = 0; i < 16; i++)
        assert_likely("sixteenth of a cell", bins[i / 4][i % 4], 40000, 1 / 16.0);
    assert_likely("model of weight 3 in 4", models[0], 40000, 0.75);
    tr_scatter_rules_release(&rules);
}

static void draws_of_neighbours_layers_and_kinds_are_independent(void **state)
{
    struct tr_scatter_rules rules;
    size_t both[4] = {0}, count = 0;

    (void)state;
    read_rules(
        "{\"id\": \"a\", \"model\": \"m\", \"cell\": 4}, {\"id\": \"b\", \"model\": \"m\", \"cell\": 4}", 1,
        &rules);
    for (int64_t k = -100; k < 100; k++)
        for (int64_t i = -100; i < 100; i++, count++) {
            const struct tr_scatter_layer *a = &rules.layers[0], *b = &rules.layers[1];
            uint64_t hash = tr_scatter_cell_hash(a, i, k);
            uint32_t draw = tr_scatter_draw(hash, TR_SCATTER_DRAW_STAY) >> 31;

            both[0] += draw & tr_scatter_draw(tr_scatter_cell_hash(a, i + 1, k), TR_SCATTER_DRAW_STAY) >> 31;
            both[1] += draw & tr_scatter_draw(tr_scatter_cell_hash(a, i, k + 1), TR_SCATTER_DRAW_STAY) >> 31;
            both[2] += draw & tr_scatter_draw(tr_scatter_cell_hash(b, i, k), TR_SCATTER_DRAW_STAY) >> 31;
            both[3] += draw & tr_scatter_draw(hash, TR_SCATTER_DRAW_YAW) >> 31;
        }
    for (int i = 0; i < 4; i++)
        assert_likely("both of two draws above a half", both[i], count, 0.25);
    tr_scatter_rules_release(&rules);
}

static void bands_have_ramps_on_both_sides(void **state)
{
    const struct tr_scatter_band band = {true, 100, 200, 300, 340}, step = {true, 5, 5, 9, 9}, none = {0};

    (void)state;
    assert_int_equal(tr_scatter_band_weight(&band, 100), 0);
    assert_int_equal(tr_scatter_band_weight(&band, 125), TR_SCATTER_ONE / 4);
    assert_int_equal(tr_scatter_band_weight(&band, 200), TR_SCATTER_ONE);
    assert_int_equal(tr_scatter_band_weight(&band, 300), TR_SCATTER_ONE);
    assert_int_equal(tr_scatter_band_weight(&band, 330), TR_SCATTER_ONE / 4);
    assert_int_equal(tr_scatter_band_weight(&band, 340), 0);
    assert_int_equal(tr_scatter_band_weight(&step, 4), 0);
    assert_int_equal(tr_scatter_band_weight(&step, 5), TR_SCATTER_ONE);
    assert_int_equal(tr_scatter_band_weight(&step, 9), TR_SCATTER_ONE);
    assert_int_equal(tr_scatter_band_weight(&step, 10), 0);
    assert_int_equal(tr_scatter_band_weight(&none, INT64_MIN), TR_SCATTER_ONE);
}

static void slopes_are_the_angle_to_a_16th_of_a_degree(void **state)
{
    struct tr_scatter_rules rules;

    (void)state;
    read_rules("{\"id\": \"a\", \"model\": \"m\", \"cell\": 4}", 1, &rules);
    for (int i = 0; i <= 9000; i++) {
        double degrees = i / 100.0, exact = degrees * PI / 180;
        const int32_t gradient[3] = {(int32_t)lrint(9e6 * sin(exact) * 0.6), (int32_t)lrint(9e6 * cos(exact)),
                                     (int32_t)lrint(9e6 * sin(exact) * -0.8)};
        double found = (double)tr_scatter_slope(&rules, gradient) / TR_SCATTER_DEGREE;

        if (found > degrees + 0.003 || found < degrees - 1.0 / TR_SCATTER_DEGREE - 0.003)
            fail_msg("a slope of %.2f degrees is %.4f", degrees, found);
    }
    assert_int_equal(tr_scatter_slope(&rules, (const int32_t[]){0, 7, 0}), 0);
    assert_int_equal(tr_scatter_slope(&rules, (const int32_t[]){1, -7, 0}), 90 * TR_SCATTER_DEGREE);
    tr_scatter_rules_release(&rules);
}

static void noise_is_smooth_and_its_weight_follows_from_and_to(void **state)
{
    struct tr_scatter_noise noise = {.octaves = 1, .seed = 5, .wavelength = 4096, .from = 20000, .to = 40000};
    struct tr_scatter_noise turned = noise;
    int32_t last = tr_scatter_noise_at(&noise, -50000, 777), lowest = INT32_MAX, highest = INT32_MIN;

    (void)state;
    turned.from = noise.to;
    turned.to = noise.from;
    for (int64_t x = -50000; x < 200000; x += 16) {
        int32_t value = tr_scatter_noise_at(&noise, x, 777);
        uint32_t weight = tr_scatter_noise_weight(&noise, x, 777);

        assert_in_range(value, 0, TR_SCATTER_ONE - 1);
        if (abs(value - last) > 65536 * 16 / 4096 * 3 / 2 + 8) /* the steepest of 3t^2 - 2t^3 is 3/2 */
            fail_msg("x %d: noise goes from %d to %d", (int)x, last, value);
        assert_int_equal(weight, value <= 20000   ? 0
                                 : value >= 40000 ? TR_SCATTER_ONE
                                                  : (int64_t)(value - 20000) * TR_SCATTER_ONE / 20000);
        assert_int_equal(weight + tr_scatter_noise_weight(&turned, x, 777), TR_SCATTER_ONE);
        lowest = value < lowest ? value : lowest;
        highest = value > highest ? value : highest;
        last = value;
    }
    if (lowest > 10000 || highest < 55000)
        fail_msg("noise lies within %d to %d", lowest, highest);
    noise.octaves = 8;
    assert_int_not_equal(tr_scatter_noise_at(&noise, 1000, 2000), tr_scatter_noise_at(&turned, 1000, 2000));
}

/* ---- on the ground ---- */

static void instances_stand_on_the_ground_that_sample_finds(void **state)
{
    const struct plan plan = {3, 2, 2.0, hills, hollow};
    struct tr_world *world = world_of(*state, "w", &plan, NULL);
    struct scattered s;
    struct tr_cache *cache;
    struct tr_error error = {0};
    size_t count, caves = 0;
    struct found *list;

    scatter(world, "{\"id\": \"a\", \"model\": \"m\", \"cell\": 5, \"avoid\": []}", 2, &s);
    list = list_layer(&s.instances, 0, &count);
    assert_ok(tr_cache_create(world, 64 << 20, &cache, &error), &error);
    assert_true(count > 3000);
    for (size_t i = 0; i < count; i++) {
        struct tr_ground ground;
        double y_m = list[i].instance.y / 128.0;
        size_t floor = list[i].instance.floor, at = 0;

        assert_ok(tr_probe_ground(cache, &world->info, (double)list[i].x / 128.0, (double)list[i].z / 128.0,
                                  &ground, &error),
                  &error);
        for (at = 0; at < ground.count && (!ground.surfaces[at].solid_below || floor > 0); at++)
            floor -= ground.surfaces[at].solid_below;
        assert_in_range(at, 0, ground.count - 1);
        if (fabs(ground.surfaces[at].y_m - y_m) > 0.5 / 128 + 1e-9)
            fail_msg("at %.4f,%.4f: y %.5f m, the ground is at %.5f m", (double)list[i].x / 128.0,
                     (double)list[i].z / 128.0, y_m, ground.surfaces[at].y_m);
        caves += list[i].instance.floor > 0;
        tr_ground_release(&ground);
    }
    if (caves < 30)
        fail_msg("%zu instances stand under ground, expected more", caves);
    free(list);
    tr_cache_free(cache);
    scattered_release(&s);
    tr_world_close(world);
}

static void on_a_plane_position_and_normal_are_exact(void **state)
{
    const struct plan plan = {1, 1, 1.0, tilted, NULL};
    struct tr_world *world = world_of(*state, "w", &plan, NULL);
    struct scattered s;
    size_t count;
    struct found *list;

    scatter(world, "{\"id\": \"a\", \"model\": \"m\", \"cell\": 3, \"align\": 1}", 1, &s);
    list = list_layer(&s.instances, 0, &count);
    assert_in_range(count, 21 * 21, 22 * 22); /* the last cells reach beyond the world */
    for (size_t i = 0; i < count; i++) {
        double exact = 5 * 256 + 0.75 * (double)list[i].x, rotation[4], up[3];

        if (fabs(list[i].instance.y - exact) > 0.5)
            fail_msg("x %lld: y %d, expected %.2f", (long long)list[i].x, list[i].instance.y, exact);
        if (list[i].x < 256 || list[i].x >= 63 * 256)
            continue; /* differences end at the world's edge */
        tr_instance_rotation(&s.instances.layers[0], &list[i].instance, rotation);
        /* the rotated (0, 1, 0) */
        up[0] = 2 * (rotation[0] * rotation[1] - rotation[3] * rotation[2]);
        up[1] = 1 - 2 * (rotation[0] * rotation[0] + rotation[2] * rotation[2]);
        up[2] = 2 * (rotation[1] * rotation[2] + rotation[3] * rotation[0]);
        if (fabs(up[0] + 0.6) > 1e-4 || fabs(up[1] - 0.8) > 1e-4 || fabs(up[2]) > 1e-4)
            fail_msg("x %lld: up is %.5f %.5f %.5f, expected -0.6 0.8 0", (long long)list[i].x, up[0], up[1],
                     up[2]);
    }
    free(list);
    scattered_release(&s);
    tr_world_close(world);
}

static void yaw_turns_from_z_to_x(void **state)
{
    const struct tr_instance_layer layer = {.align = 0};
    struct tr_instance instance = {.yaw = 65536 / 4, .normal = 12345};
    double q[4];

    (void)state;
    tr_instance_rotation(&layer, &instance, q);
    assert_true(fabs(2 * (q[0] * q[2] + q[3] * q[1]) - 1) < 1e-12); /* x of the rotated (0, 0, 1) */
    assert_true(fabs(q[0]) < 1e-12 && fabs(q[2]) < 1e-12);
}

static void a_normal_straight_down_still_has_a_rotation(void **state)
{
    struct tr_instance_layer layer = {.align = 65536};
    const struct tr_instance instance = {.normal = 32767u | 32767u << 16}; /* folded to the corner */
    double q[4];

    (void)state;
    for (int i = 0; i < 2; i++) {
        tr_instance_rotation(&layer, &instance, q);
        assert_true(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-12);
        layer.align = 32768; /* half way: up and down cancel */
    }
}

static void counts_match_the_odds(void **state)
{
    const struct plan plan = {3, 3, 1.0, level, NULL};
    struct tr_world *world = world_of(*state, "w", &plan, NULL);
    const size_t cells = 96 * 96;
    struct scattered s;

    scatter(
        world,
        "{\"id\": \"all\", \"model\": \"m\", \"cell\": 2}, {\"id\": \"some\", \"model\": \"m\", \"cell\": 2, "
        "\"density\": 0.3}, {\"id\": \"none\", \"model\": \"m\", \"cell\": 2, \"density\": 0},"
        "{\"id\": \"ramp\", \"model\": \"m\", \"cell\": 2, \"height\": {\"min\": 40.5, \"ramp\": 40}},"
        "{\"id\": \"splat\", \"model\": \"m\", \"cell\": 2, \"splat\": {\"grass\": 0.5, \"rock\": 1}},"
        "{\"id\": \"steep\", \"model\": \"m\", \"cell\": 2, \"slope\": {\"min\": 1}},"
        "{\"id\": \"flat\", \"model\": \"m\", \"cell\": 2, \"slope\": {\"max\": 0}}",
        2, &s);
    assert_int_equal(tr_instances_count(&s.instances, 0), cells);
    assert_likely("density 0.3", tr_instances_count(&s.instances, 1), cells, 0.3);
    assert_int_equal(tr_instances_count(&s.instances, 2), 0);
    assert_likely("10 m below, on a ramp of 40 m", tr_instances_count(&s.instances, 3), cells, 0.75);
    assert_likely("grass worth a half", tr_instances_count(&s.instances, 4), cells, 0.5);
    assert_int_equal(tr_instances_count(&s.instances, 5), 0);
    assert_int_equal(tr_instances_count(&s.instances, 6), cells);
    scattered_release(&s);
    tr_world_close(world);
}

/* ---- what is avoided ---- */

static void nothing_stands_in_caves_or_on_thin_roofs(void **state)
{
    const struct plan plan = {2, 1, 1.0, level, hollow};
    struct tr_world *world = world_of(*state, "w", &plan, NULL);
    static const char *const layers[] = {
        "{\"id\": \"a\", \"model\": \"m\", \"cell\": 1}",
        "{\"id\": \"a\", \"model\": \"m\", \"cell\": 1, \"avoid\": [\"cave\"]}",
        "{\"id\": \"a\", \"model\": \"m\", \"cell\": 1, \"avoid\": [\"overhang\"], \"roof\": 5}"};
    size_t roofs[3] = {0}, caves[3] = {0}, open[3] = {0};

    for (int i = 0; i < 3; i++) {
        struct scattered s;
        size_t count;
        struct found *list;

        scatter(world, layers[i], 2, &s);
        list = list_layer(&s.instances, 0, &count);
        for (size_t j = 0; j < count; j++) {
            double x = (double)list[j].x / 256, z = (double)list[j].z / 256, y = list[j].instance.y / 256.0;
            double off = (x - 30) * (x - 30) + (z - 30) * (z - 30);
            bool is_slab = fabs(y - 51.75) < 0.1; /* 3.5 thick */
            bool is_thin = fabs(y - 30.5) < 0.1 && off < 120 && 30.5 - (18 + sqrt(121 - off)) < 3.9;

            roofs[i] += is_slab || is_thin;
            caves[i] += list[j].instance.floor > 0;
            open[i] += !is_slab && !is_thin && list[j].instance.floor == 0;
        }
        free(list);
        scattered_release(&s);
    }
    assert_int_equal(caves[0], 0);
    assert_int_equal(caves[1], 0);
    if (caves[2] < 300 + 500) /* the floor of the ball, and what lies under the slab */
        fail_msg("%zu instances stand under ground where caves are let be", caves[2]);
    if (roofs[0] > 0 || roofs[1] < 600) /* the edge of the slab is neither level nor as thick */
        fail_msg("%zu instances stand on thin ground, %zu where overhangs are let be", roofs[0], roofs[1]);
    assert_true(open[0] > 7000);
    tr_world_close(world);
}

static double raised(double x, double z)
{
    return level(x, z) + (fabs(x - 70) < 20 && fabs(z - 30) < 15 ? 3 : 0);
}

static void nothing_stands_on_ground_that_the_log_moved(void **state)
{
    const struct plan plan = {2, 1, 1.0, level, NULL}, edited_plan = {2, 1, 1.0, raised, NULL};
    struct tr_world *before = world_of(*state, "before", &plan, NULL);
    struct tr_world *world = world_of(*state, "after", &edited_plan, before);
    const char *layer = "{\"id\": \"a\", \"model\": \"m\", \"cell\": 1, \"avoid\": [\"edited\"]}";
    struct scattered s, unmoved;
    size_t count, count_before, kept = 0;
    struct found *list, *list_before;

    scatter(world, layer, 2, &s);
    scatter(before, layer, 2, &unmoved);
    list = list_layer(&s.instances, 0, &count);
    list_before = list_layer(&unmoved.instances, 0, &count_before);
    assert_int_equal(count_before, 128 * 64);
    for (size_t i = 0; i < count_before; i++) {
        /* a cell with a raised corner: samples 51..89, 16..44 are */
        bool is_moved = list_before[i].x >= 50 * 256 && list_before[i].x < 90 * 256 &&
                        list_before[i].z >= 15 * 256 && list_before[i].z < 45 * 256;

        if (!is_moved) {
            assert_true(kept < count);
            assert_int_equal(list[kept].x, list_before[i].x);
            assert_int_equal(list[kept].z, list_before[i].z);
            assert_int_equal(list[kept++].instance.y, list_before[i].instance.y);
        }
    }
    assert_int_equal(kept, count);
    free(list);
    free(list_before);
    scattered_release(&s);
    scattered_release(&unmoved);
    tr_world_close(world);
    tr_world_close(before);
}

/* ---- apart ---- */

#define CROWD                                                                                                \
    "{\"id\": \"rocks\", \"model\": \"m\", \"cell\": 9, \"density\": 0.6},"                                  \
    "{\"id\": \"trees\", \"model\": {\"a\": 1, \"b\": 2}, \"cell\": 3.7, \"density\": 0.8%s},"               \
    "{\"id\": \"ferns\", \"model\": \"m\", \"cell\": 2, \"density\": 0.8, \"avoid\": []%s}"

static double distance_of(const struct found *a, const struct found *b)
{
    double x = (double)(a->x - b->x), y = (double)(a->instance.y - b->instance.y), z = (double)(a->z - b->z);

    return sqrt(x * x + y * y + z * z) / 256;
}

/* Drops from `list` what is nearer than `metres` to one of `others`. */
static void drop_near(struct found *list, size_t *count, const struct found *others, size_t other_count,
                      double metres)
{
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++) {
        bool is_near = false;

        for (size_t j = 0; j < other_count && !is_near; j++)
            is_near = distance_of(&list[i], &others[j]) < metres;
        if (!is_near)
            list[kept++] = list[i];
    }
    *count = kept;
}

static uint64_t rank_of(const struct tr_scatter_layer *layer, const struct found *f)
{
    uint64_t cell = tr_scatter_cell_hash(layer, f->instance.cell_x, f->instance.cell_z);

    return tr_scatter_draw64(tr_scatter_floor_hash(cell, f->instance.floor), TR_SCATTER_DRAW_RANK);
}

/* Drops the lesser of each two that are nearer than `metres`, dropped ones counting. */
static void drop_lesser(struct found *list, size_t *count, const struct tr_scatter_layer *layer,
                        double metres)
{
    size_t kept = 0;
    bool *goes = calloc(*count + 1, sizeof *goes);

    assert_non_null(goes);
    for (size_t i = 0; i < *count; i++)
        for (size_t j = 0; j < *count && !goes[i]; j++)
            goes[i] = i != j && distance_of(&list[i], &list[j]) < metres &&
                      rank_of(layer, &list[i]) < rank_of(layer, &list[j]);
    for (size_t i = 0; i < *count; i++)
        if (!goes[i])
            list[kept++] = list[i];
    *count = kept;
    free(goes);
}

static void layers_keep_apart_as_a_search_over_all_pairs_says(void **state)
{
    const struct plan plan = {2, 2, 1.0, hills, hollow};
    struct tr_world *world = world_of(*state, "w", &plan, NULL);
    struct scattered grown, settled;
    char layers[1024];
    size_t grown_count[3], settled_count[3];
    struct found *grown_list[3], *settled_list[3];

    snprintf(layers, sizeof layers, CROWD, "", "");
    scatter(world, layers, 2, &grown);
    snprintf(layers, sizeof layers, CROWD, ", \"distance\": {\"trees\": 4, \"rocks\": 5}",
             ", \"distance\": {\"rocks\": 3, \"trees\": 1.5, \"ferns\": 2.25}");
    scatter(world, layers, 2, &settled);
    for (uint32_t i = 0; i < 3; i++) {
        grown_list[i] = list_layer(&grown.instances, i, &grown_count[i]);
        settled_list[i] = list_layer(&settled.instances, i, &settled_count[i]);
    }
    drop_near(grown_list[1], &grown_count[1], grown_list[0], grown_count[0], 5);
    drop_lesser(grown_list[1], &grown_count[1], &grown.rules.layers[1], 4);
    drop_near(grown_list[2], &grown_count[2], grown_list[0], grown_count[0], 3);
    drop_near(grown_list[2], &grown_count[2], grown_list[1], grown_count[1], 1.5);
    drop_lesser(grown_list[2], &grown_count[2], &grown.rules.layers[2], 2.25);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(settled_count[i] > 50);
        assert_same(settled_list[i], settled_count[i], grown_list[i], grown_count[i]);
        free(grown_list[i]);
        free(settled_list[i]);
    }
    scattered_release(&grown);
    scattered_release(&settled);
    tr_world_close(world);
}

/* ---- what must not matter ---- */

static const char everything[] =
    "{\"id\": \"rocks\", \"model\": \"m\", \"cell\": 9, \"density\": 0.6, \"align\": 1, \"scale\": [0.5, 2]},"
    "{\"id\": \"trees\", \"model\": {\"a\": 1, \"b\": 2}, \"cell\": 3.7, \"slope\": {\"max\": 25, \"ramp\": "
    "10},"
    " \"splat\": {\"grass\": 1, \"soil\": 0.5}, \"noise\": {\"wavelength\": 40, \"octaves\": 3, \"from\": "
    "0.3, \"to\": "
    "0.6}, \"distance\": {\"rocks\": 3, \"trees\": 4}},"
    "{\"id\": \"huge\", \"model\": \"m\", \"cell\": 100},"
    "{\"id\": \"ferns\", \"model\": \"m\", \"cell\": 2, \"avoid\": [], \"distance\": {\"trees\": 1, "
    "\"huge\": 20}}";

static void instances_do_not_depend_on_the_number_of_jobs(void **state)
{
    const struct plan plan = {3, 2, 1.0, hills, hollow};
    struct tr_world *world = world_of(*state, "w", &plan, NULL);
    struct scattered one, more;

    scatter(world, everything, 1, &one);
    for (int jobs = 2; jobs <= 5; jobs += 3) {
        scatter(world, everything, jobs, &more);
        for (uint32_t layer = 0; layer < 4; layer++) {
            size_t count, expected;
            struct found *a = list_layer(&more.instances, layer, &count),
                         *b = list_layer(&one.instances, layer, &expected);

            assert_true(expected > 0);
            assert_same(a, count, b, expected);
            free(a);
            free(b);
        }
        scattered_release(&more);
    }
    scattered_release(&one);
    tr_world_close(world);
}

/* Keeps what lies in x < limit (units). */
static void keep_west(struct found *list, size_t *count, int64_t limit)
{
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++)
        if (list[i].x < limit)
            list[kept++] = list[i];
    *count = kept;
}

static int by_cell(const void *a, const void *b)
{
    const struct tr_instance *p = &((const struct found *)a)->instance,
                             *q = &((const struct found *)b)->instance;

    if (p->cell_z != q->cell_z)
        return p->cell_z < q->cell_z ? -1 : 1;
    if (p->cell_x != q->cell_x)
        return p->cell_x < q->cell_x ? -1 : 1;
    return p->floor < q->floor ? -1 : p->floor > q->floor;
}

static void a_world_cut_smaller_keeps_its_inner_instances(void **state)
{
    const struct plan whole_plan = {3, 2, 1.0, hills, hollow}, cut_plan = {2, 2, 1.0, hills, hollow};
    struct tr_world *whole = world_of(*state, "whole", &whole_plan, NULL);
    struct tr_world *cut = world_of(*state, "cut", &cut_plan, NULL);
    struct scattered a, b;

    scatter(whole, everything, 2, &a);
    scatter(cut, everything, 2, &b);
    for (uint32_t layer = 0; layer < 4; layer++) {
        size_t count_a, count_b;
        struct found *list_a = list_layer(&a.instances, layer, &count_a),
                     *list_b = list_layer(&b.instances, layer, &count_b);
        /* normals reach two samples, distances 3 + 4 (trees) or 20 (ferns) and then what trees reach */
        const int64_t inner = (128 - (layer == 3 ? 22 : layer == 1 ? 9 : 2)) * 256;

        keep_west(list_a, &count_a, inner);
        keep_west(list_b, &count_b, inner);
        qsort(list_a, count_a, sizeof *list_a, by_cell);
        qsort(list_b, count_b, sizeof *list_b, by_cell);
        assert_true(count_a > 0);
        assert_same(list_b, count_b, list_a, count_a);
        free(list_a);
        free(list_b);
    }
    scattered_release(&a);
    scattered_release(&b);
    tr_world_close(whole);
    tr_world_close(cut);
}

static void a_layer_does_not_depend_on_those_beside_it(void **state)
{
    const struct plan plan = {1, 1, 1.0, hills, NULL};
    struct tr_world *world = world_of(*state, "w", &plan, NULL);
    struct scattered alone, last;
    size_t count_a, count_b;
    struct found *list_a, *list_b;

    scatter(world, "{\"id\": \"a\", \"model\": \"m\", \"cell\": 3}", 1, &alone);
    scatter(world,
            "{\"id\": \"b\", \"model\": \"m\", \"cell\": 3}, {\"id\": \"a\", \"model\": \"m\", \"cell\": 3}",
            1, &last);
    list_a = list_layer(&alone.instances, 0, &count_a);
    list_b = list_layer(&last.instances, 1, &count_b);
    assert_same(list_b, count_b, list_a, count_a);
    free(list_b);
    list_b = list_layer(&last.instances, 0, &count_b);
    assert_int_not_equal(list_a[0].x, list_b[0].x);
    free(list_a);
    free(list_b);
    scattered_release(&alone);
    scattered_release(&last);
    tr_world_close(world);
}

/* ---- rules ---- */

static void assert_refused(const char *text, const char *expected)
{
    struct tr_scatter_rules rules;
    struct tr_error error = {0};
    enum tr_status status = tr_scatter_rules_read(text, strlen(text), "rules", 2, &rules, &error);

    if (status != TR_BAD_INPUT || !strstr(error.text, expected) || strchr(error.text, '\n') ||
        strncmp(error.text, "rules:1: ", 9) != 0)
        fail_msg("%s: status %d, '%s', expected '%s' in it", text, (int)status, error.text, expected);
    tr_scatter_rules_release(&rules);
}

static void wrong_rules_are_refused_by_name_and_place(void **state)
{
    static const struct {
        const char *fields, *expected; /* of a layer with id and model */
    } layers[] = {
        {"", "\"cell\" in \"layers[0]\" is missing"},
        {", \"cell\": 4, \"colour\": 1",
         "unknown field \"colour\" in \"layers[0]\", expected one of align, avoid"},
        {", \"cell\": \"4\"", "\"cell\" in \"layers[0]\" must be a number, found the string \"4\""},
        {", \"cell\": -1", "\"cell\" in \"layers[0]\" must be > 0, found -1"},
        {", \"cell\": 0.4", "\"cell\" in \"layers[0]\" must be from 0.5 to 8192, found 0.4"},
        {", \"cell\": 1e300", "must be from 0.5 to 8192, found 1e+300"},
        {", \"cell\": 1e999", "1e999"},
        {", \"cell\": 4, \"cell\": 4", "\"cell\""},
        {", \"cell\": 4, \"density\": 1.5", "\"density\" in \"layers[0]\" must be from 0 to 1, found 1.5"},
        {", \"cell\": 4, \"density\": -1e300", "must be from 0 to 1"},
        {", \"cell\": 4, \"jitter\": 2", "\"jitter\""},
        {", \"cell\": 4, \"align\": null", "\"align\" in \"layers[0]\" must be a number, found null"},
        {", \"cell\": 4, \"scale\": 2", "\"scale\" in \"layers[0]\" must be an array of 2 numbers, found 2"},
        {", \"cell\": 4, \"scale\": [2, 1]", "\"scale\" in \"layers[0]\" must have its lesser number first"},
        {", \"cell\": 4, \"scale\": [0, 1]", "must be from 0.001 to 1000, found 0"},
        {", \"cell\": 4, \"yaw\": [0, 361]", "\"yaw\""},
        {", \"cell\": 4, \"slope\": 3", "\"slope\" in \"layers[0]\" must be an object, found 3"},
        {", \"cell\": 4, \"slope\": {\"max\": 91}",
         "\"max\" in \"layers[0].slope\" must be from 0 to 90, found 91"},
        {", \"cell\": 4, \"slope\": {\"min\": 9, \"max\": 8}",
         "\"min\" in \"layers[0].slope\" must not be above"},
        {", \"cell\": 4, \"slope\": {\"least\": 9}", "unknown field \"least\" in \"layers[0].slope\""},
        {", \"cell\": 4, \"height\": {\"min\": 1e300}", "\"min\" in \"layers[0].height\""},
        {", \"cell\": 4, \"splat\": {\"lava\": 1}", "unknown field \"lava\" in \"layers[0].splat\""},
        {", \"cell\": 4, \"splat\": {\"rock\": 2}",
         "\"rock\" in \"layers[0].splat\" must be from 0 to 1, found 2"},
        {", \"cell\": 4, \"noise\": {}", "\"wavelength\" in \"layers[0].noise\" is missing"},
        {", \"cell\": 4, \"noise\": {\"wavelength\": 1}", "must be from 2 to 8388608, found 1"},
        {", \"cell\": 4, \"noise\": {\"wavelength\": 1e300}", "must be from 2 to 8388608"},
        {", \"cell\": 4, \"noise\": {\"wavelength\": 9, \"octaves\": 9}",
         "\"octaves\" in \"layers[0].noise\""},
        {", \"cell\": 4, \"noise\": {\"wavelength\": 9, \"seed\": -1}", "\"seed\" in \"layers[0].noise\""},
        {", \"cell\": 4, \"avoid\": \"cave\"", "\"avoid\" in \"layers[0]\" must be an array"},
        {", \"cell\": 4, \"avoid\": [\"sky\"]", "ground 'sky' in \"layers[0]\""},
        {", \"cell\": 4, \"avoid\": [\"cave\", \"cave\"]", "names 'cave' twice"},
        {", \"cell\": 4, \"roof\": -1", "\"roof\""},
        {", \"cell\": 4, \"distance\": {\"b\": 1}",
         "\"b\" in \"layers[0].distance\" is no layer before this one"},
        {", \"cell\": 4, \"distance\": {\"a\": 0}", "\"a\" in \"layers[0].distance\" must be > 0"},
        {", \"cell\": 4, \"distance\": {\"a\": 65}",
         "\"a\" in \"layers[0].distance\" must be from 0 to 64, found 65"},
    };
    static const char *const documents[][2] = {
        {"", ""},
        {"[]", "rules must be an object, found an array"},
        {"{\"version\": 1, \"layers\": []}", "\"format\" is missing"},
        {"{\"format\": \"terrain-edits\", \"version\": 1, \"layers\": []}",
         "\"format\" must be \"terrain-scatter\""},
        {"{\"format\": \"terrain-scatter\", \"version\": 2, \"layers\": []}",
         "version 2 of the format is not supported"},
        {HEAD "]}", "\"layers\" must be 1 to 64, found 0"},
        {HEAD "7]}", "a layer must be an object, found 7"},
        {HEAD "{\"model\": \"m\", \"cell\": 1}]}", "\"id\" in \"layers[0]\" is missing"},
        {HEAD "{\"id\": \"\", \"model\": \"m\", \"cell\": 1}]}",
         "\"id\" in \"layers[0]\" must be 1 to 127 bytes long"},
        {HEAD "{\"id\": \"a\\n\", \"model\": \"m\", \"cell\": 1}]}", "free of control characters"},
        {HEAD "{\"id\": \"a\", \"model\": 3, \"cell\": 1}]}",
         "\"model\" in \"layers[0]\" must be a name, or an object"},
        {HEAD "{\"id\": \"a\", \"model\": {}, \"cell\": 1}]}",
         "\"model\" in \"layers[0]\" must have 1 to 64 names"},
        {HEAD "{\"id\": \"a\", \"model\": {\"m\": 0}, \"cell\": 1}]}", "\"m\" in \"layers[0].model\""},
        {HEAD "{\"id\": \"a\", \"model\": {\"\\u0007\": 1}, \"cell\": 1}]}", "free of control characters"},
        {HEAD
         "{\"id\": \"a\", \"model\": \"m\", \"cell\": 1}, {\"id\": \"a\", \"model\": \"m\", \"cell\": 1}]}",
         "\"id\" in \"layers[1]\" is 'a', as that of \"layers[0]\""},
        {HEAD "{\"id\": \"a\", \"model\": \"m\", \"cell\": 1}], \"extra\": 1}", "unknown field \"extra\""},
        {HEAD "{\"id\": \"a\", \"model\": \"m\", \"cell\": 1}]} x", ""},
    };
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        snprintf(text, sizeof text, HEAD "{\"id\": \"a\", \"model\": \"m\"%s}]}", layers[i].fields);
        assert_refused(text, layers[i].expected);
    }
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++)
        assert_refused(documents[i][0], documents[i][1]);
}

/* A cut anywhere is refused, and leaves nothing behind (sanitizers). */
static void rules_cut_short_are_refused(void **state)
{
    char text[2048];
    size_t size = (size_t)snprintf(text, sizeof text, HEAD "%s]}", everything);

    (void)state;
    assert_in_range(size, 1, sizeof text - 1);
    for (size_t cut = 0; cut < size; cut++) {
        struct tr_scatter_rules rules;
        struct tr_error error = {0};
        enum tr_status status = tr_scatter_rules_read(text, cut, "rules", 1, &rules, &error);

        if (status != TR_BAD_INPUT)
            fail_msg("rules cut to %zu bytes: status %d", cut, (int)status);
        tr_scatter_rules_release(&rules);
    }
}

static void fields_that_begin_with_x_are_passed_over(void **state)
{
    struct tr_scatter_rules rules;

    (void)state;
    read_rules("{\"id\": \"a\", \"model\": \"m\", \"cell\": 4, \"x-note\": {}, \"slope\": {\"x-why\": 1}}", 1,
               &rules);
    assert_int_equal(rules.layer_count, 1);
    tr_scatter_rules_release(&rules);
}

/* ---- files ---- */

static uint8_t *write_and_read(const struct tr_instances *instances, const char *folder, const char *name,
                               size_t *size_bytes)
{
    enum tr_instance_format format;
    struct tr_error error = {0};
    char path[TR_PATH_BYTES];
    uint64_t written;
    uint8_t *bytes;

    assert_ok(tr_path_join(path, folder, name, &error), &error);
    assert_true(tr_instances_format_of(path, &format));
    assert_ok(tr_instances_write(instances, path, format, false, &written, &error), &error);
    assert_ok(tr_file_read(path, 64 << 20, &bytes, size_bytes, &error), &error);
    assert_int_equal(written, *size_bytes);
    return bytes;
}

static double number_at(const cJSON *array, int i)
{
    const cJSON *item = cJSON_GetArrayItem(array, i);

    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

/* The instances of one model in the order of the files, for a world of one tile. */
static size_t of_model(const struct found *list, size_t count, uint32_t model, const struct found **out)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (list[i].instance.model == model)
            out[kept++] = &list[i];
    return kept;
}

static void json_has_every_instance(void **state)
{
    const struct plan plan = {2, 1, 0.3, hills, hollow};
    struct tr_world *world = world_of(*state, "w", &plan, NULL);
    struct scattered s;
    struct tr_error error = {0};
    size_t size_bytes, groups = 0;
    uint8_t *bytes;
    cJSON *document;

    scatter(world,
            "{\"id\": \"a \\\"b\\\"\", \"model\": {\"x\": 1, \"y\": 1}, \"cell\": 1, \"avoid\": [], "
            "\"align\": 0.5, \"scale\": [0.5, 2]}, {\"id\": \"none\", \"model\": \"z\", \"cell\": 1, "
            "\"density\": 0}",
            2, &s);
    bytes = write_and_read(&s.instances, *state, "out.json", &size_bytes);
    assert_ok(tr_json_parse((const char *)bytes, size_bytes, "out", 1, &document, &error), &error);
    assert_string_equal(cJSON_GetObjectItem(document, "format")->valuestring, "terrain-instances");
    for (const cJSON *group = cJSON_GetObjectItem(document, "groups")->child; group;
         group = group->next, groups++) {
        const cJSON *item = cJSON_GetObjectItem(group, "instances")->child;
        size_t count, expected;
        struct found *list = list_layer(&s.instances, groups / 2, &count);
        const struct found **kept = calloc(count + 1, sizeof(struct found *));

        expected = of_model(list, count, groups % 2, kept);
        assert_true(expected > 100 || groups == 2);
        assert_int_equal(cJSON_GetObjectItem(group, "count")->valuedouble, expected);
        assert_string_equal(cJSON_GetObjectItem(group, "layer")->valuestring,
                            groups < 2 ? "a \"b\"" : "none");
        for (size_t i = 0; i < expected; i++, item = item->next) {
            const cJSON *at = cJSON_GetObjectItem(item, "at"), *q = cJSON_GetObjectItem(item, "rotation");
            const cJSON *floor = cJSON_GetObjectItem(item, "floor");
            double rotation[4];

            assert_true(number_at(at, 0) == (double)kept[i]->x * (0.3 / 256));
            assert_true(number_at(at, 1) == kept[i]->instance.y * (0.3 / 256));
            assert_true(number_at(at, 2) == (double)kept[i]->z * (0.3 / 256));
            assert_int_equal(number_at(cJSON_GetObjectItem(item, "cell"), 0), kept[i]->instance.cell_x);
            assert_int_equal(floor ? floor->valuedouble : 0, kept[i]->instance.floor);
            tr_instance_rotation(&s.instances.layers[groups / 2], &kept[i]->instance, rotation);
            for (int axis = 0; axis < 4; axis++)
                assert_true(fabs(number_at(q, axis) - rotation[axis]) < 0.51e-6);
            assert_true(fabs(cJSON_GetObjectItem(item, "scale")->valuedouble -
                             kept[i]->instance.scale / 65536.0) < 0.51e-6);
        }
        assert_null(item);
        free(kept);
        free(list);
    }
    assert_int_equal(groups, 3);
    cJSON_Delete(document);
    free(bytes);
    scattered_release(&s);
    tr_world_close(world);
}

static uint32_t u32_at(const uint8_t *bytes, size_t at)
{
    return (uint32_t)bytes[at] | (uint32_t)bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16 |
           (uint32_t)bytes[at + 3] << 24;
}

static float f32_at(const uint8_t *bytes, size_t at)
{
    uint32_t word = u32_at(bytes, at);
    float value;

    memcpy(&value, &word, sizeof value);
    return value;
}

/* Where an accessor's data begins in the BIN chunk, and how many elements it has. */
static size_t accessor_at(const cJSON *document, int index, size_t *count)
{
    const cJSON *accessor = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "accessors"), index);
    const cJSON *view = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "bufferViews"),
                                           (int)cJSON_GetObjectItem(accessor, "bufferView")->valuedouble);

    *count = (size_t)cJSON_GetObjectItem(accessor, "count")->valuedouble;
    return (size_t)(cJSON_GetObjectItem(view, "byteOffset")->valuedouble +
                    cJSON_GetObjectItem(accessor, "byteOffset")->valuedouble);
}

static void glb_has_every_instance_where_it_is(void **state)
{
    const struct plan plan = {17, 1, 2.0, hills, NULL}; /* two tiles */
    struct tr_world *world = world_of(*state, "w", &plan, NULL);
    struct scattered s;
    struct tr_error error = {0};
    size_t size_bytes, json_bytes, count, sum = 0, kept_count[2];
    uint8_t *bytes;
    const uint8_t *bin;
    struct found *list;
    const struct found **kept[2];
    cJSON *document;

    scatter(
        world,
        "{\"id\": \"a\", \"model\": {\"x\": 1, \"y\": 1}, \"cell\": 8, \"align\": 1, \"scale\": [0.5, 2]}", 2,
        &s);
    bytes = write_and_read(&s.instances, *state, "out.glb", &size_bytes);
    assert_memory_equal(bytes, "glTF\2\0\0\0", 8);
    assert_int_equal(u32_at(bytes, 8), size_bytes);
    json_bytes = u32_at(bytes, 12);
    bin = bytes + 28 + json_bytes;
    assert_int_equal(u32_at(bytes, 20 + json_bytes), size_bytes - 28 - json_bytes);
    assert_ok(tr_json_parse((const char *)bytes + 20, json_bytes, "out", 1, &document, &error), &error);
    list = list_layer(&s.instances, 0, &count);
    for (uint32_t model = 0; model < 2; model++) {
        kept[model] = calloc(count + 1, sizeof(struct found *));
        kept_count[model] = of_model(list, count, model, kept[model]);
    }
    for (const cJSON *node = cJSON_GetObjectItem(document, "nodes")->child; node; node = node->next) {
        const cJSON *attributes = cJSON_GetObjectItem(
            cJSON_GetObjectItem(cJSON_GetObjectItem(node, "extensions"), "EXT_mesh_gpu_instancing"),
            "attributes");
        const cJSON *translation = cJSON_GetObjectItem(node, "translation");
        uint32_t model = (uint32_t)cJSON_GetObjectItem(node, "mesh")->valuedouble;
        int32_t tile_x = (int32_t)number_at(translation, 0) / 2 / 1024;
        size_t found, at = accessor_at(
                          document, (int)cJSON_GetObjectItem(attributes, "TRANSLATION")->valuedouble, &found);
        size_t turn =
            accessor_at(document, (int)cJSON_GetObjectItem(attributes, "ROTATION")->valuedouble, &found);
        size_t scale =
            accessor_at(document, (int)cJSON_GetObjectItem(attributes, "SCALE")->valuedouble, &found);
        size_t matched = 0;

        for (size_t i = 0; i < kept_count[model]; i++) {
            const struct found *f = kept[model][i];
            double rotation[4];

            if (f->x / (1024 * 256) != tile_x)
                continue;
            assert_true(number_at(translation, 0) + f32_at(bin, at) == (double)f->x / 128);
            assert_true(f32_at(bin, at + 4) == f->instance.y / 128.0);
            assert_true(number_at(translation, 2) + f32_at(bin, at + 8) == (double)f->z / 128);
            tr_instance_rotation(&s.instances.layers[0], &f->instance, rotation);
            for (size_t axis = 0; axis < 4; axis++)
                assert_true(f32_at(bin, turn + 4 * axis) == (float)rotation[axis]);
            assert_true(f32_at(bin, scale) == (float)(f->instance.scale / 65536.0));
            at += 12;
            turn += 16;
            scale += 12;
            matched++;
        }
        assert_int_equal(matched, found);
        sum += matched;
    }
    assert_int_equal(sum, count);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(document, "nodes")), 4);
    free((void *)kept[0]);
    free((void *)kept[1]);
    free(list);
    cJSON_Delete(document);
    free(bytes);
    scattered_release(&s);
    tr_world_close(world);
}

int main(void)
{
#define WITH_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_lie_anywhere_in_their_cell_and_nowhere_else),
        cmocka_unit_test(draws_of_neighbours_layers_and_kinds_are_independent),
        cmocka_unit_test(bands_have_ramps_on_both_sides),
        cmocka_unit_test(slopes_are_the_angle_to_a_16th_of_a_degree),
        cmocka_unit_test(noise_is_smooth_and_its_weight_follows_from_and_to),
        WITH_SCRATCH(instances_stand_on_the_ground_that_sample_finds),
        WITH_SCRATCH(on_a_plane_position_and_normal_are_exact),
        cmocka_unit_test(yaw_turns_from_z_to_x),
        cmocka_unit_test(a_normal_straight_down_still_has_a_rotation),
        WITH_SCRATCH(counts_match_the_odds),
        WITH_SCRATCH(nothing_stands_in_caves_or_on_thin_roofs),
        WITH_SCRATCH(nothing_stands_on_ground_that_the_log_moved),
        WITH_SCRATCH(layers_keep_apart_as_a_search_over_all_pairs_says),
        WITH_SCRATCH(instances_do_not_depend_on_the_number_of_jobs),
        WITH_SCRATCH(a_world_cut_smaller_keeps_its_inner_instances),
        WITH_SCRATCH(a_layer_does_not_depend_on_those_beside_it),
        cmocka_unit_test(wrong_rules_are_refused_by_name_and_place),
        cmocka_unit_test(rules_cut_short_are_refused),
        cmocka_unit_test(fields_that_begin_with_x_are_passed_over),
        WITH_SCRATCH(json_has_every_instance),
        WITH_SCRATCH(glb_has_every_instance_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
