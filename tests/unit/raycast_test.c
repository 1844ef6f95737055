/* Rays and points: hits where analytic ground is, along every axis, through corners and from far away; the same
 * first hit as a dense march finds in noise; the surfaces of a vertical line; clear refusals. Each test builds its
 * world in a scratch folder of its own. */
#include "tests/support/test.h"

#include "lib/base/file.h"
#include "lib/run/probe.h"
#include "lib/run/raycast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- worlds ---- */

typedef double height_function(double x, double z); /* voxels */
typedef double field_function(double x, double y, double z,
                              double ground); /* voxels; ground: of the heights */

struct plan {
    int32_t size_x, size_z;
    double voxel_size; /* 0: 1 m */
    height_function *height;
    field_function *field; /* NULL: heights only */
    int32_t row_lo, row_hi;
};

struct scene {
    struct tr_world *world;
    struct tr_cache *cache;
};

static int32_t units(double voxels)
{
    return (int32_t)floor(voxels * TR_UNITS + 0.5);
}

static void fill_chunk(struct tr_chunk *chunk, const struct plan *plan)
{
    for (uint32_t z = 0; z < chunk->size_z; z++)
        for (uint32_t x = 0; x < chunk->size_x; x++)
            chunk->heights[z * 64 + x] = units(plan->height(chunk->cx * 64.0 + x, chunk->cz * 64.0 + z));
    for (int32_t cy = plan->row_lo; plan->field && cy <= plan->row_hi; cy++) {
        int16_t *samples;

        assert_int_equal(tr_chunk_add_block(chunk, cy, &samples, NULL), TR_OK);
        for (int y = 0; y < 64; y++)
            for (uint32_t z = 0; z < chunk->size_z; z++)
                for (uint32_t x = 0; x < chunk->size_x; x++) {
                    double at_y = cy * 64.0 + y, ground = at_y - chunk->heights[z * 64 + x] / 256.0;
                    double value = plan->field(chunk->cx * 64.0 + x, at_y, chunk->cz * 64.0 + z, ground);

                    samples[tr_block_index(x, y, z)] =
                        (int16_t)fmax(fmin(units(value), TR_SDF_MAX), -TR_SDF_MAX);
                }
    }
}

static struct scene scene_of(const char *folder, const struct plan *plan)
{
    struct tr_world_info info = {.size_x = plan->size_x,
                                 .size_z = plan->size_z,
                                 .voxel_size = plan->voxel_size > 0.0 ? plan->voxel_size : 1.0,
                                 .extent = {0, 0, plan->size_x * 64.0, plan->size_z * 64.0}};
    struct tr_world_build *build;
    struct tr_error error = {0};
    struct tr_hash hash;
    struct scene scene;
    char path[TR_PATH_BYTES];

    assert_ok(tr_path_join(path, folder, "world", &error), &error);
    assert_ok(tr_world_build_create(path, &info, true, &build, &error), &error);
    for (int32_t cz = 0; cz <= plan->size_z; cz++)
        for (int32_t cx = 0; cx <= plan->size_x; cx++) {
            struct tr_chunk chunk;
            uint32_t size_x, size_z;

            tr_world_chunk_size(&info, cx, cz, &size_x, &size_z);
            assert_ok(tr_chunk_init(&chunk, cx, cz, size_x, size_z, &error), &error);
            fill_chunk(&chunk, plan);
            assert_ok(tr_world_build_put(build, &chunk, &error), &error);
            tr_chunk_release(&chunk);
        }
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_world_build_free(build);
    assert_ok(tr_world_open(path, &scene.world, &error), &error);
    assert_ok(tr_cache_create(scene.world, 64 << 20, &scene.cache, &error), &error);
    return scene;
}

static void scene_release(struct scene *scene)
{
    tr_cache_free(scene->cache);
    tr_world_close(scene->world);
}

static struct tr_ray_hit cast(const struct scene *scene, const struct tr_ray *ray)
{
    struct tr_ray_hit hit;
    struct tr_error error = {0};

    assert_ok(tr_raycast(scene->cache, &scene->world->info, ray, &hit, &error), &error);
    return hit;
}

/* An endless ray. */
static struct tr_ray_hit cast_from(const struct scene *scene, double x, double y, double z, double dx,
                                   double dy, double dz)
{
    return cast(scene,
                &(struct tr_ray){.origin_m = {x, y, z}, .direction = {dx, dy, dz}, .length_m = INFINITY});
}

static void assert_near(const char *what, double found, double expected, double within)
{
    if (!(fabs(found - expected) <= within))
        fail_msg("%s: %.9g, expected %.9g within %g", what, found, expected, within);
}

static void assert_hit_at(const struct tr_ray_hit *hit, double x, double y, double z, double within)
{
    const double expected[3] = {x, y, z};

    if (!hit->hit)
        fail_msg("no hit, expected one at %g, %g, %g", x, y, z);
    for (int i = 0; i < 3; i++)
        assert_near("hit", hit->at_m[i], expected[i], within);
}

static double field_at(const struct scene *scene, double x, double y, double z)
{
    struct tr_error error = {0};
    double distance;

    assert_ok(tr_probe_field(scene->cache, &scene->world->info, (double[]){x, y, z}, &distance, &error),
              &error);
    return distance;
}

static double level(double x, double z)
{
    (void)x;
    (void)z;
    return 40.25;
}

static double slope(double x, double z)
{
    return 10.0 + 0.25 * x + 0.5 * z;
}

/* A ball of solid in the air around (64, 90, 64), across chunks and rows. */
#define BALL 20.0
static double ball(double x, double y, double z, double ground)
{
    double dx = x - 64.0, dy = y - 90.0, dz = z - 64.0;

    return fmin(ground, sqrt(dx * dx + dy * dy + dz * dz) - BALL);
}

/* A round tunnel along x through level ground, its axis at y = 20, z = 60. */
#define TUNNEL 6.0
static double tunnel(double x, double y, double z, double ground)
{
    double wall = TUNNEL - sqrt((y - 20.0) * (y - 20.0) + (z - 60.0) * (z - 60.0));

    (void)x;
    return wall < -TUNNEL ? ground : fmax(ground, wall); /* far from it nothing is changed */
}

/* Rough noise, solid and air in cubes of 3 voxels; of integers alone, so that it is the same everywhere. */
static double noise(double x, double y, double z, double ground)
{
    (void)ground;
    uint32_t h = (uint32_t)(x / 3.0) * 73856093u ^ (uint32_t)((y + 1000.0) / 3.0) * 19349663u ^
                 (uint32_t)(z / 3.0) * 83492791u;

    h = (h ^ h >> 13) * 0x5bd1e995u;
    return (double)(h >> 20) / 2048.0 - 0.75;
}

static uint32_t random_state;

static double random_between(double lo, double hi)
{
    random_state = random_state * 1664525u + 1013904223u;
    return lo + (hi - lo) * (random_state >> 8) / 16777216.0;
}

/* ---- rays ---- */

static void a_plane_is_hit_where_it_is(void **state)
{
    struct scene scene = scene_of(*state, &(struct plan){.size_x = 2, .size_z = 1, .height = slope});

    random_state = 1;
    for (int i = 0; i < 200; i++) {
        double x = random_between(0.0, 128.0), z = random_between(0.0, 64.0), y = slope(x, z);
        double dx = random_between(-1.0, 1.0), dz = random_between(-1.0, 1.0), dy = -1.0;
        /* back from the place, by as much as stays in the world */
        double back = random_between(0.0, 0.9) * fmin(fmin(x, 128.0 - x), fmin(z, 64.0 - z));
        struct tr_ray_hit hit =
            cast_from(&scene, x - back * dx, y - back * dy, z - back * dz, 7.0 * dx, 7.0 * dy, 7.0 * dz);

        assert_hit_at(&hit, x, y, z, 1e-6);
        assert_near("distance", hit.distance_m, back * sqrt(dx * dx + dy * dy + dz * dz), 1e-6);
        assert_int_equal(hit.cx, (int)(x / 64.0));
        if (x > 1.0 && x < 127.0 && z > 1.0 && z < 63.0) {
            double length = sqrt(0.25 * 0.25 + 1.0 + 0.5 * 0.5);

            assert_near("normal x", hit.normal[0], -0.25 / length, 1e-9);
            assert_near("normal y", hit.normal[1], 1.0 / length, 1e-9);
            assert_near("normal z", hit.normal[2], -0.5 / length, 1e-9);
        }
    }
    scene_release(&scene);
}

static void a_ball_is_hit_within_a_sixteenth_of_a_voxel(void **state)
{
    struct scene scene = scene_of(
        *state,
        &(struct plan){.size_x = 2, .size_z = 2, .height = level, .field = ball, .row_lo = 0, .row_hi = 1});
    int tried = 0;

    random_state = 2;
    for (int i = 0; i < 300; i++) {
        /* the point on the ball where the ray enters, and a way in that is not flat */
        double n[3], d[3], length = 0.0, cosine = 0.0;

        for (int k = 0; k < 3; k++) {
            n[k] = random_between(-1.0, 1.0);
            length += n[k] * n[k];
        }
        for (int k = 0; k < 3; k++)
            n[k] /= sqrt(length);
        length = 0.0;
        for (int k = 0; k < 3; k++) {
            d[k] = 0.7 * random_between(-1.0, 1.0) - n[k];
            length += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++) {
            d[k] /= sqrt(length);
            cosine -= d[k] * n[k];
        }
        if (cosine < 0.5)
            continue;
        struct tr_ray_hit hit = cast_from(&scene, 64 + BALL * n[0] - 25 * d[0], 90 + BALL * n[1] - 25 * d[1],
                                          64 + BALL * n[2] - 25 * d[2], d[0], d[1], d[2]);
        tried++;
        assert_hit_at(&hit, 64 + BALL * n[0], 90 + BALL * n[1], 64 + BALL * n[2], 1.0 / 16.0);
        for (int k = 0; k < 3; k++)
            assert_near("normal", hit.normal[k], n[k], 0.02);
    }
    assert_true(tried > 150);
    scene_release(&scene);
}

static void rays_along_axes_and_through_corners_hit(void **state)
{
    struct scene scene = scene_of(
        *state,
        &(struct plan){.size_x = 2, .size_z = 2, .height = level, .field = ball, .row_lo = 0, .row_hi = 1});
    static const int ways[][3] = {{1, 0, 0},    {-1, 0, 0}, {0, 1, 0},   {0, -1, 0},  {0, 0, 1},
                                  {0, 0, -1},   {1, 1, 0},  {-1, 0, 1},  {0, -1, -1}, {1, 1, 1},
                                  {-1, -1, -1}, {1, -1, 1}, {-1, 1, -1}, {1, -1, 0}};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0];
         i++) { /* each from a sample, along samples, edges or corners */
        const int *way = ways[i];
        double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        double back = BALL / length;
        struct tr_ray_hit hit =
            cast_from(&scene, 64 - 28 * way[0], 90 - 28 * way[1], 64 - 28 * way[2], way[0], way[1], way[2]);

        assert_hit_at(&hit, 64 - back * way[0], 90 - back * way[1], 64 - back * way[2], 1.0 / 16.0);
    }
    scene_release(&scene);
}

static void the_axis_of_a_tunnel_is_free_and_its_wall_is_hit(void **state)
{
    struct scene scene = scene_of(
        *state,
        &(struct plan){.size_x = 2, .size_z = 2, .height = level, .field = tunnel, .row_lo = 0, .row_hi = 0});
    struct tr_ray_hit hit = cast_from(&scene, 0.0, 20.0, 60.0, 1.0, 0.0, 0.0);

    assert_false(hit.hit);
    hit = cast_from(&scene, -500.0, 20.0, 60.0, 1.0, 0.0, 0.0);
    assert_false(hit.hit);
    for (int i = 0; i < 24; i++) {
        double angle = i * 0.2617993877991494, dy = sin(angle), dz = cos(angle);

        hit = cast_from(&scene, 70.5, 20.0, 60.0, 0.0, dy, dz);
        assert_hit_at(&hit, 70.5, 20.0 + TUNNEL * dy, 60.0 + TUNNEL * dz, 1.0 / 16.0);
        assert_near("normal y", hit.normal[1], -dy, 0.05);
        assert_near("normal z", hit.normal[2], -dz, 0.05);
        assert_int_equal(hit.cx, 1);
    }
    scene_release(&scene);
}

static void a_ray_that_begins_in_the_ground_hits_at_once(void **state)
{
    struct scene scene = scene_of(*state, &(struct plan){.size_x = 1, .size_z = 1, .height = level});
    static const double heights[] = {40.25, 40.0, 3.5, -1000.0, -70000.0, -1e9};

    for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++)
        for (int up = -1; up <= 1; up++) {
            struct tr_ray_hit hit = cast_from(&scene, 10.5, heights[i], 20.25, 1.0, up, 0.5);

            assert_hit_at(&hit, 10.5, heights[i], 20.25, 0.0);
            assert_near("distance", hit.distance_m, 0.0, 0.0);
        }
    scene_release(&scene);
}

static void a_ray_that_leaves_the_world_hits_nothing(void **state)
{
    struct scene scene = scene_of(*state, &(struct plan){.size_x = 2, .size_z = 1, .height = level});

    assert_false(cast_from(&scene, 10.0, 41.0, 20.0, 1.0, 0.0, 0.0).hit);
    assert_false(cast_from(&scene, 10.0, 41.0, 20.0, 0.0, 1.0, 0.0).hit);
    assert_false(
        cast_from(&scene, 10.0, 60.0, 20.0, -1.0, -1.0, 0.0).hit); /* below the ground beside the world */
    assert_false(cast_from(&scene, 300.0, 500.0, 20.0, 0.0, -1.0, 0.0).hit);
    assert_false(cast_from(&scene, 10.0, 500.0, -0.001, 0.0, -1.0, 0.0).hit);
    assert_true(cast_from(&scene, 128.0, 500.0, 64.0, 0.0, -1.0, 0.0).hit); /* its last sample */
    assert_true(cast_from(&scene, 0.0, 500.0, 0.0, 0.0, -1.0, 0.0).hit);
    scene_release(&scene);
}

static void a_ray_from_beside_the_world_meets_its_side(void **state)
{
    struct scene scene = scene_of(*state, &(struct plan){.size_x = 2, .size_z = 1, .height = level});
    struct tr_ray_hit hit = cast_from(&scene, -10.0, 20.0, 20.0, 1.0, 0.0, 0.0);

    assert_hit_at(&hit, 0.0, 20.0, 20.0, 1e-9);
    hit = cast_from(&scene, 150.0, 20.0, 20.0, -1.0, 0.0, 0.0);
    assert_hit_at(&hit, 128.0, 20.0, 20.0, 1e-9);
    assert_int_equal(hit.cx, 1);
    scene_release(&scene);
}

static void a_ray_ends_at_its_length(void **state)
{
    struct scene scene =
        scene_of(*state, &(struct plan){.size_x = 1, .size_z = 1, .voxel_size = 2.0, .height = level});
    struct tr_ray ray = {.origin_m = {30.0, 100.0, 30.0}, .direction = {0.0, -3.0, 0.0}, .length_m = 19.4};

    assert_false(cast(&scene, &ray).hit);
    ray.length_m = 19.5; /* the ground is at 80.5 m */
    struct tr_ray_hit hit = cast(&scene, &ray);
    assert_hit_at(&hit, 30.0, 80.5, 30.0, 1e-9);
    assert_near("distance", hit.distance_m, 19.5, 1e-9);
    scene_release(&scene);
}

/* These would take days if the way above the world were walked cell by cell. */
static void a_ray_from_far_above_comes_down_at_once(void **state)
{
    struct scene scene = scene_of(*state, &(struct plan){.size_x = 2, .size_z = 2, .height = slope});
    struct tr_ray_hit hit = cast_from(&scene, 33.5, 1e9, 77.25, 0.0, -1.0, 0.0);

    assert_hit_at(&hit, 33.5, slope(33.5, 77.25), 77.25, 1e-6);
    hit = cast_from(&scene, 64.0 - 5e8, 26.0 + 32.0 + 5e8, 64.0, 1.0, -1.0, 0.0);
    assert_hit_at(&hit, 64.0, 58.0, 64.0, 1.0); /* y = 58 at x = 64 and falling, where the ground is 58 */
    assert_false(cast_from(&scene, 33.5, 1e9, 77.25, 0.0, 1.0, 0.0).hit);
    scene_release(&scene);
}

/* The first hit is the end of what a fine march finds free, and the field there is 0. */
static void noise_is_hit_where_a_dense_march_meets_it(void **state)
{
    struct scene scene = scene_of(
        *state,
        &(struct plan){.size_x = 1, .size_z = 1, .height = level, .field = noise, .row_lo = 0, .row_hi = 0});
    int hits = 0;

    random_state = 3;
    for (int i = 0; i < 400; i++) {
        double o[3], d[3], length = 0.0;

        for (int k = 0; k < 3; k++) {
            o[k] = random_between(20.0, 44.0);
            d[k] = random_between(-1.0, 1.0);
            if (i % 4 == 0)
                o[k] = floor(o[k]);
            if (i % 5 == 0)
                d[k] = floor(3.0 * d[k]) / 2.0;
            length += d[k] * d[k];
        }
        if (length == 0.0)
            continue;
        for (int k = 0; k < 3; k++)
            d[k] /= sqrt(length);
        struct tr_ray ray = {{o[0], o[1], o[2]}, {d[0], d[1], d[2]}, 20.0};
        struct tr_ray_hit hit = cast(&scene, &ray);
        double end = hit.hit ? hit.distance_m : 20.0;
        for (double t = 0.0; t < end - 1e-6; t += 1.0 / 128.0) {
            double value = field_at(&scene, o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2]);

            if (value <= 0.0)
                fail_msg("ray %d: the ground at %.9g (%.9g) was passed, the hit is at %.9g", i, t, value,
                         end);
        }
        if (hit.hit) {
            double value = field_at(&scene, hit.at_m[0], hit.at_m[1], hit.at_m[2]);

            if (!(value <= 1e-6))
                fail_msg("ray %d: the field at the hit is %.9g, expected 0 or less", i, value);
            hits += hit.distance_m > 0.0;
        }
    }
    assert_true(hits > 50);
    scene_release(&scene);
}

static void rays_that_mean_nothing_are_refused(void **state)
{
    struct scene scene = scene_of(*state, &(struct plan){.size_x = 1, .size_z = 1, .height = level});
    static const struct tr_ray rays[] = {
        {{1, 2, 3}, {0, 0, 0}, 1},   {{1, 2, 3}, {0, NAN, 1}, 1},    {{1, 2, 3}, {0, INFINITY, 1}, 1},
        {{NAN, 2, 3}, {0, 1, 0}, 1}, {{1, 1.1e9, 3}, {0, -1, 0}, 1}, {{1, 2, 3}, {0, 1, 0}, -1},
        {{1, 2, 3}, {0, 1, 0}, NAN},
    };

    for (size_t i = 0; i < sizeof rays / sizeof rays[0]; i++) {
        struct tr_ray_hit hit;
        struct tr_error error = {0};
        enum tr_status status = tr_raycast(scene.cache, &scene.world->info, &rays[i], &hit, &error);

        if (status != TR_BAD_INPUT || !strstr(error.text, "expected"))
            fail_msg("ray %zu: status %d, \"%s\"", i, (int)status, error.text);
    }
    /* but any direction is one */
    assert_true(cast_from(&scene, 1.0, 50.0, 3.0, 0.0, -1e-300, 0.0).hit);
    assert_true(cast_from(&scene, 1.0, 50.0, 3.0, 1e300, -1e308, 0.0).hit);
    assert_false(cast_from(&scene, -1.0, 50.0, 3.0, 5e-324, -1.0, 0.0).hit);
    scene_release(&scene);
}

/* ---- points ---- */

static void the_field_between_samples_is_trilinear(void **state)
{
    struct scene scene = scene_of(*state, &(struct plan){.size_x = 1,
                                                         .size_z = 1,
                                                         .voxel_size = 0.5,
                                                         .height = slope,
                                                         .field = tunnel,
                                                         .row_lo = 0,
                                                         .row_hi = 0});

    /* on a sample, between two, at the world's corner; in metres of half a voxel */
    assert_near("axis", field_at(&scene, 5.0, 10.0, 30.0), TUNNEL * 0.5, 1e-9);
    assert_near("between", field_at(&scene, 5.25, 11.25, 30.0), (TUNNEL - 2.5) * 0.5, 1e-9);
    assert_near("corner", field_at(&scene, 32.0, 35.0, 32.0), (70.0 - slope(64.0, 64.0)) * 0.5, 1e-9);
    assert_near("far above", field_at(&scene, 1.0, 30000.0, 1.0), 32767.0 / 256.0 * 0.5, 1e-9);
    scene_release(&scene);
}

static void a_vertical_line_has_all_its_surfaces(void **state)
{
    struct scene scene = scene_of(*state, &(struct plan){.size_x = 2,
                                                         .size_z = 2,
                                                         .voxel_size = 2.0,
                                                         .height = level,
                                                         .field = tunnel,
                                                         .row_lo = -1,
                                                         .row_hi = 0});
    struct tr_ground ground;
    struct tr_error error = {0};
    static const double expected[] = {40.25, 26.0, 14.0};

    assert_ok(tr_probe_ground(scene.cache, &scene.world->info, 2 * 64.0, 2 * 60.0, &ground, &error), &error);
    assert_near("height", ground.height_m, 80.5, 1e-9);
    assert_true(ground.sculpted);
    assert_int_equal(ground.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_near("surface", ground.surfaces[i].y_m, 2 * expected[i], 1e-9);
        assert_int_equal(ground.surfaces[i].solid_below, i != 1);
    }
    tr_ground_release(&ground);

    assert_ok(tr_probe_ground(scene.cache, &scene.world->info, 2 * 70.25, 2 * 60.5, &ground, &error), &error);
    assert_int_equal(ground.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_near("field at a surface", field_at(&scene, 2 * 70.25, ground.surfaces[i].y_m, 2 * 60.5), 0.0,
                    1e-9);
    tr_ground_release(&ground);

    assert_ok(tr_probe_ground(scene.cache, &scene.world->info, 2 * 64.0, 2 * 100.0, &ground, &error), &error);
    assert_false(ground.sculpted); /* its chunk is, this line is not */
    assert_int_equal(ground.count, 1);
    assert_near("surface", ground.surfaces[0].y_m, 80.5, 1e-9);
    tr_ground_release(&ground);
    scene_release(&scene);
}

static double low(double x, double z)
{
    (void)x;
    (void)z;
    return -40.0;
}

/* Solid up to y = 5, where the row's block ends below it at y = 0. */
static double slab(double x, double y, double z, double ground)
{
    (void)x;
    (void)z;
    return fmin(ground, y - 5.0);
}

static void a_surface_between_a_block_and_the_heights_below_is_found(void **state)
{
    struct scene scene = scene_of(
        *state,
        &(struct plan){.size_x = 1, .size_z = 1, .height = low, .field = slab, .row_lo = 0, .row_hi = 0});
    struct tr_ground ground;
    struct tr_error error = {0};
    static const double expected[] = {5.0, -5.0 / 44.0,
                                      -40.0}; /* the field is -5 at y = 0 and 39 at y = -1 */

    assert_ok(tr_probe_ground(scene.cache, &scene.world->info, 30.5, 20.0, &ground, &error), &error);
    assert_int_equal(ground.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_near("surface", ground.surfaces[i].y_m, expected[i], 1e-9);
    tr_ground_release(&ground);
    struct tr_ray_hit hit = cast_from(&scene, 30.5, -20.0, 20.0, 0.0, 1.0, 0.0);
    assert_hit_at(&hit, 30.5, expected[1], 20.0, 1e-6);
    scene_release(&scene);
}

static void heights_between_samples_are_bilinear(void **state)
{
    struct scene scene = scene_of(*state, &(struct plan){.size_x = 2, .size_z = 1, .height = slope});
    struct tr_error error = {0};

    random_state = 4;
    for (int i = 0; i < 50; i++) {
        double x = random_between(0.0, 128.0), z = random_between(0.0, 64.0);
        struct tr_ground ground;

        assert_ok(tr_probe_ground(scene.cache, &scene.world->info, x, z, &ground, &error), &error);
        assert_near("height", ground.height_m, slope(x, z), 1e-9);
        assert_int_equal(ground.count, 1);
        assert_near("surface", ground.surfaces[0].y_m, slope(x, z), 1e-9);
        assert_near("field", field_at(&scene, x, 30.0, z), 30.0 - slope(x, z), 1e-9);
        tr_ground_release(&ground);
    }
    scene_release(&scene);
}

static double extremes(double x, double z)
{
    (void)z;
    return x < 32.0 ? 65535.5 : -65535.5;
}

static void the_highest_and_lowest_ground_is_found(void **state)
{
    struct scene scene = scene_of(*state, &(struct plan){.size_x = 1, .size_z = 1, .height = extremes});
    struct tr_ground ground;
    struct tr_error error = {0};

    for (int side = 0; side < 2; side++) {
        double x = side ? 40.5 : 20.5, y = extremes(x, 1.0);
        struct tr_ray_hit hit = cast_from(&scene, x, 1e6, 1.0, 0.0, -1.0, 0.0);

        assert_hit_at(&hit, x, y, 1.0, 1e-6);
        assert_ok(tr_probe_ground(scene.cache, &scene.world->info, x, 1.0, &ground, &error), &error);
        assert_int_equal(ground.count, 1);
        assert_near("surface", ground.surfaces[0].y_m, y, 1e-9);
        tr_ground_release(&ground);
    }
    scene_release(&scene);
}

static void points_outside_the_world_are_refused_with_its_range(void **state)
{
    struct scene scene =
        scene_of(*state, &(struct plan){.size_x = 2, .size_z = 1, .voxel_size = 0.1, .height = level});
    static const double outside[][3] = {{-0.001, 0, 0}, {12.9, 0, 0}, {0, 0, 6.41}, {0, 0, -1}, {NAN, 0, 0}};
    struct tr_error error;
    struct tr_ground ground;
    double distance;

    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        error = (struct tr_error){0};
        assert_int_equal(tr_probe_field(scene.cache, &scene.world->info, outside[i], &distance, &error),
                         TR_BAD_INPUT);
        assert_non_null(strstr(error.text, "expected x 0 to 12.8 and z 0 to 6.4 metres"));
        error = (struct tr_error){0};
        assert_int_equal(
            tr_probe_ground(scene.cache, &scene.world->info, outside[i][0], outside[i][2], &ground, &error),
            TR_BAD_INPUT);
        assert_non_null(strstr(error.text, "expected x 0 to 12.8 and z 0 to 6.4 metres"));
    }
    assert_int_equal(
        tr_probe_field(scene.cache, &scene.world->info, (double[]){1, 6554, 1}, &distance, &error),
        TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "expected -6553.7 to 6553.6 metres"));
    assert_near("last", field_at(&scene, 12.8, 4.0, 6.4), -0.025, 1e-9);
    scene_release(&scene);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_plane_is_hit_where_it_is),
        IN_SCRATCH(a_ball_is_hit_within_a_sixteenth_of_a_voxel),
        IN_SCRATCH(rays_along_axes_and_through_corners_hit),
        IN_SCRATCH(the_axis_of_a_tunnel_is_free_and_its_wall_is_hit),
        IN_SCRATCH(a_ray_that_begins_in_the_ground_hits_at_once),
        IN_SCRATCH(a_ray_that_leaves_the_world_hits_nothing),
        IN_SCRATCH(a_ray_from_beside_the_world_meets_its_side),
        IN_SCRATCH(a_ray_ends_at_its_length),
        IN_SCRATCH(a_ray_from_far_above_comes_down_at_once),
        IN_SCRATCH(noise_is_hit_where_a_dense_march_meets_it),
        IN_SCRATCH(rays_that_mean_nothing_are_refused),
        IN_SCRATCH(the_field_between_samples_is_trilinear),
        IN_SCRATCH(a_vertical_line_has_all_its_surfaces),
        IN_SCRATCH(a_surface_between_a_block_and_the_heights_below_is_found),
        IN_SCRATCH(heights_between_samples_are_bilinear),
        IN_SCRATCH(the_highest_and_lowest_ground_is_found),
        IN_SCRATCH(points_outside_the_world_are_refused_with_its_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
