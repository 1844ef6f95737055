/* Pictures: the right size, the right way round, caves where they are, ground beyond the data told apart, the
 * same bytes for any number of jobs, and clear refusals. Each test builds its world in a scratch folder of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/file.h"
#include "lib/run/column.h"
#include "lib/run/preview.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUND 40 /* height of the level worlds, voxels */

static char scratch[TR_PATH_BYTES];

static int scratch_create(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(scratch, sizeof scratch, "%s/terrain-preview-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(scratch) && chdir(scratch) == 0 ? 0 : -1;
}

static int scratch_remove(void **state)
{
    (void)state;
    return chdir("/") == 0 && tr_folder_remove(scratch, NULL) == TR_OK ? 0 : -1;
}

/* ---- worlds ---- */

typedef double shape_height(int64_t x, int64_t z); /* voxels */

struct ball { /* carved out, in voxels */
    double x, y, z, radius;
};

struct plan {
    int32_t size_x, size_z;
    double voxel_size;
    shape_height *height;
    struct ball balls[4]; /* radius 0 ends them */
    double extent[4];     /* all 0: the whole world */
};

static double level(int64_t x, int64_t z)
{
    (void)x;
    (void)z;
    return GROUND;
}

static double hills(int64_t x, int64_t z)
{
    return 30.0 + 9.0 * sin((double)x * 0.11) + 7.0 * cos((double)z * 0.07 + (double)x * 0.02);
}

static double north_west_hill(int64_t x, int64_t z)
{
    return fmax(0.0, 20.0 - hypot((double)x - 12.0, (double)z - 12.0));
}

static void carve(struct tr_chunk *chunk, const struct ball *ball)
{
    for (int32_t cy = -1; cy <= 1; cy++) {
        int16_t *samples;

        assert_int_equal(tr_chunk_add_block(chunk, cy, &samples, NULL), TR_OK);
        for (int y = 0; y < 64; y++)
            for (uint32_t z = 0; z < chunk->size_z; z++)
                for (uint32_t x = 0; x < chunk->size_x; x++) {
                    double dx = chunk->cx * 64.0 + x - ball->x, dy = cy * 64.0 + y - ball->y;
                    double dz = chunk->cz * 64.0 + z - ball->z;
                    double inside = (ball->radius - sqrt(dx * dx + dy * dy + dz * dz)) * 256.0;
                    int16_t *sample = samples + tr_block_index(x, y, z);

                    if (inside > *sample)
                        *sample = (int16_t)fmin(inside, TR_SDF_MAX);
                }
    }
}

static struct tr_world *world_of(const struct plan *plan)
{
    struct tr_world_info info = {.size_x = plan->size_x,
                                 .size_z = plan->size_z,
                                 .voxel_size = plan->voxel_size,
                                 .extent = {0, 0, plan->size_x * 64.0, plan->size_z * 64.0}};
    struct tr_world_build *build;
    struct tr_world *world = NULL;
    struct tr_error error = {0};
    struct tr_hash hash;

    if (plan->extent[2] > 0.0)
        memcpy(info.extent, plan->extent, sizeof info.extent);
    if (tr_world_build_create("world", &info, true, &build, &error) != TR_OK)
        fail_msg("%s", error.text);
    for (int32_t cz = 0; cz <= plan->size_z; cz++)
        for (int32_t cx = 0; cx <= plan->size_x; cx++) {
            struct tr_chunk chunk;
            uint32_t size_x, size_z;

            tr_world_chunk_size(&info, cx, cz, &size_x, &size_z);
            assert_int_equal(tr_chunk_init(&chunk, cx, cz, size_x, size_z, NULL), TR_OK);
            for (uint32_t z = 0; z < size_z; z++)
                for (uint32_t x = 0; x < size_x; x++)
                    chunk.heights[z * 64 + x] =
                        (int32_t)floor(plan->height(cx * 64 + x, cz * 64 + z) * 256.0);
            for (const struct ball *ball = plan->balls; ball->radius > 0.0; ball++)
                carve(&chunk, ball);
            if (tr_world_build_put(build, &chunk, &error) != TR_OK)
                fail_msg("%s", error.text);
            tr_chunk_release(&chunk);
        }
    if (tr_world_build_commit(build, &hash, &error) != TR_OK ||
        tr_world_open("world", &world, &error) != TR_OK)
        fail_msg("%s", error.text);
    tr_world_build_free(build);
    return world;
}

/* A view of the world and the picture it gives; axis 0: relief. */
static struct tr_picture view(const struct tr_world *world, int job_count, char axis, double at_m,
                              double scale)
{
    struct tr_jobs *jobs;
    struct tr_picture picture;
    struct tr_error error = {0};
    enum tr_status status;

    assert_int_equal(tr_jobs_create(job_count, &jobs, NULL), TR_OK);
    status = axis ? tr_preview_slice(jobs, world, axis, at_m, scale, &picture, &error)
                  : tr_preview_relief(jobs, world, scale, &picture, &error);
    tr_jobs_free(jobs);
    if (status != TR_OK)
        fail_msg("%s", error.text);
    return picture;
}

static const uint8_t *pixel(const struct tr_picture *picture, double x, double y)
{
    if (!(x >= 0 && y >= 0 && x < picture->width && y < picture->height))
        fail_msg("pixel (%g, %g) of a picture of %u x %u", x, y, picture->width, picture->height);
    return picture->rgb + ((size_t)y * picture->width + (size_t)x) * 3;
}

/* ---- relief ---- */

static void relief_has_scale_pixels_a_voxel_or_a_thousand(void **state)
{
    static const struct {
        double scale;
        uint32_t width, height;
    } sizes[] = {{1.0, 128, 64}, {2.5, 320, 160}, {0.25, 32, 16}, {0.01, 1, 1}, {0.0, 1000, 500}};
    struct tr_world *world =
        world_of(&(struct plan){.size_x = 2, .size_z = 1, .voxel_size = 3.0, .height = hills});

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct tr_picture picture = view(world, 1, 0, 0.0, sizes[i].scale);

        assert_int_equal(picture.width, sizes[i].width);
        assert_int_equal(picture.height, sizes[i].height);
        tr_picture_release(&picture);
    }
    tr_world_close(world);
}

/* Low ground is green, high ground is not: the sign of green - red tells them apart. */
static void relief_shows_north_above_and_west_to_the_left(void **state)
{
    struct tr_world *world =
        world_of(&(struct plan){.size_x = 1, .size_z = 1, .voxel_size = 1.0, .height = north_west_hill});

    (void)state;
    for (double scale = 0.5; scale <= 4.0; scale *= 2.0) {
        struct tr_picture picture = view(world, 1, 0, 0.0, scale);
        static const double places[4][2] = {{12, 12}, {52, 12}, {12, 52}, {52, 52}};

        for (int i = 0; i < 4; i++) {
            const uint8_t *rgb = pixel(&picture, places[i][0] * scale, places[i][1] * scale);

            if ((rgb[1] > rgb[0]) != (i > 0))
                fail_msg("scale %g: (%d, %d, %d) at voxel (%g, %g)", scale, rgb[0], rgb[1], rgb[2],
                         places[i][0], places[i][1]);
        }
        tr_picture_release(&picture);
    }
    tr_world_close(world);
}

static void relief_lights_north_west_slopes(void **state)
{
    struct tr_world *world =
        world_of(&(struct plan){.size_x = 1, .size_z = 1, .voxel_size = 1.0, .height = north_west_hill});
    struct tr_picture picture = view(world, 1, 0, 0.0, 4.0);
    const uint8_t *light = pixel(&picture, 4.0 * 7.3, 4.0 * 7.3),
                  *dark = pixel(&picture, 4.0 * 16.7, 4.0 * 16.7);

    (void)state;
    if (!(light[0] + light[1] + light[2] > dark[0] + dark[1] + dark[2] + 60))
        fail_msg("north-west side (%d, %d, %d), south-east side (%d, %d, %d)", light[0], light[1], light[2],
                 dark[0], dark[1], dark[2]);
    tr_picture_release(&picture);
    tr_world_close(world);
}

static double mean_brightness(const struct tr_picture *picture, double x, double y, int half)
{
    double sum = 0.0;

    for (int dy = -half; dy < half; dy++)
        for (int dx = -half; dx < half; dx++) {
            const uint8_t *rgb = pixel(picture, x + dx, y + dy);

            sum += (rgb[0] + rgb[1] + rgb[2]) / 3.0;
        }
    return sum / (4.0 * half * half);
}

static void relief_darkens_the_roof_of_a_cave_and_nothing_else(void **state)
{
    struct tr_world *world = world_of(&(struct plan){
        .size_x = 1, .size_z = 1, .voxel_size = 1.0, .height = level, .balls = {{44, 20, 20, 8}}});
    struct tr_picture picture = view(world, 1, 0, 0.0, 4.0);
    double over = mean_brightness(&picture, 4.0 * 44, 4.0 * 20, 14);
    double west = mean_brightness(&picture, 4.0 * 20, 4.0 * 20, 14);
    double south = mean_brightness(&picture, 4.0 * 44, 4.0 * 44, 14);

    (void)state;
    if (!(over < west - 15.0 && fabs(west - south) < 0.01))
        fail_msg("brightness %g over the cave, %g west of it, %g south of it", over, west, south);
    tr_picture_release(&picture);
    tr_world_close(world);
}

/* ---- slice ---- */

static bool is_cave(const uint8_t *rgb)
{
    return rgb[0] < 110 && rgb[1] < 110 && rgb[2] < 110;
}

static bool is_sky(const uint8_t *rgb)
{
    return rgb[2] > rgb[0] && rgb[2] > 180;
}

static bool is_ground(const uint8_t *rgb)
{
    return rgb[0] > rgb[2] + 20;
}

/* The first row of the level ground's outline. */
static double surface_row(const struct tr_picture *picture, double x)
{
    double row = TR_SLICE_ABOVE + 2;

    while (is_sky(pixel(picture, x, row)))
        row++;
    return row;
}

static void assert_cave_at(const struct tr_world *world, char axis, double at_m, double along, double depth,
                           double radius)
{
    const double scale = 4.0;
    struct tr_picture picture = view(world, 1, axis, at_m, scale);
    double x = TR_SLICE_LEFT + along * scale;
    double y = surface_row(&picture, x) + 1.0 + depth * scale;
    double in = (radius - 1.0) * scale, out = (radius + 1.5) * scale;

    for (int side = -1; side <= 1; side++) {
        const uint8_t *beside = pixel(&picture, x + side * in, y), *above = pixel(&picture, x, y + side * in);

        if (!is_cave(beside) || !is_cave(above))
            fail_msg("axis %c, side %d: (%d, %d, %d) beside, (%d, %d, %d) above the middle of the cave", axis,
                     side, beside[0], beside[1], beside[2], above[0], above[1], above[2]);
        beside = pixel(&picture, x + side * out, y);
        above = pixel(&picture, x, y + side * out);
        if (side && (!is_ground(beside) || !is_ground(above)))
            fail_msg("axis %c, side %d: (%d, %d, %d) beside, (%d, %d, %d) above the cave", axis, side,
                     beside[0], beside[1], beside[2], above[0], above[1], above[2]);
    }
    tr_picture_release(&picture);
}

static void slice_shows_a_cave_at_its_place(void **state)
{
    struct tr_world *world = world_of(&(struct plan){
        .size_x = 1, .size_z = 2, .voxel_size = 2.0, .height = level, .balls = {{20, 22, 62, 9}}});

    (void)state;
    assert_cave_at(world, 'x', 2.0 * 20, 62, GROUND - 22, 9); /* over the border of two chunks */
    assert_cave_at(world, 'z', 2.0 * 62, 20, GROUND - 22, 9);
    assert_cave_at(world, 'x', 2.0 * 25.4, 62, GROUND - 22, 7.2); /* between samples, off the middle */
    tr_world_close(world);
}

static void slice_beside_a_cave_does_not_show_it(void **state)
{
    struct tr_world *world = world_of(&(struct plan){
        .size_x = 1, .size_z = 1, .voxel_size = 1.0, .height = level, .balls = {{20, 22, 30, 8}}});
    struct tr_picture picture = view(world, 1, 'x', 30.0, 4.0);
    double x = TR_SLICE_LEFT + 30 * 4.0, y = surface_row(&picture, x) + (GROUND - 22) * 4.0;

    (void)state;
    if (!is_ground(pixel(&picture, x, y)))
        fail_msg("(%d, %d, %d)", pixel(&picture, x, y)[0], pixel(&picture, x, y)[1],
                 pixel(&picture, x, y)[2]);
    tr_picture_release(&picture);
    tr_world_close(world);
}

/* Sky, or hazy land behind the cut. */
static bool is_open(const uint8_t *rgb)
{
    return rgb[2] > rgb[0] && rgb[1] > rgb[0] && rgb[1] > 150;
}

static void slice_shows_a_pit_as_open(void **state)
{
    struct tr_world *world = world_of(&(struct plan){
        .size_x = 1, .size_z = 1, .voxel_size = 1.0, .height = level, .balls = {{32, GROUND, 32, 10}}});
    struct tr_picture picture = view(world, 1, 'z', 32.0, 4.0);
    double y = surface_row(&picture, TR_SLICE_LEFT + 8.0);
    const uint8_t *in = pixel(&picture, TR_SLICE_LEFT + 32 * 4.0, y + 8 * 4.0);
    const uint8_t *under = pixel(&picture, TR_SLICE_LEFT + 32 * 4.0, y + 12 * 4.0);

    (void)state;
    if (!is_open(in) || !is_ground(under))
        fail_msg("(%d, %d, %d) in the pit, (%d, %d, %d) under it", in[0], in[1], in[2], under[0], under[1],
                 under[2]);
    tr_picture_release(&picture);
    tr_world_close(world);
}

static void slice_has_scale_pixels_a_voxel_both_ways_or_a_thousand(void **state)
{
    struct tr_world *world =
        world_of(&(struct plan){.size_x = 2, .size_z = 1, .voxel_size = 0.5, .height = hills});
    struct tr_picture picture = view(world, 1, 'z', 10.0, 3.0);

    (void)state;
    assert_int_equal(picture.width, TR_SLICE_LEFT + 128 * 3 + TR_SLICE_RIGHT);
    assert_in_range(picture.height, 200, 400);
    tr_picture_release(&picture);
    picture = view(world, 1, 'z', 10.0, 0.0);
    assert_int_equal(picture.width, 1000);
    tr_picture_release(&picture);
    tr_world_close(world);
}

/* ---- ground beyond the data ---- */

/* Level ground with a cave in the data and one beyond them. */
static struct tr_world *world_with_data_to(double x1, double z1)
{
    return world_of(&(struct plan){.size_x = 1,
                                   .size_z = 1,
                                   .voxel_size = 1.0,
                                   .height = level,
                                   .balls = {{20, 22, 20, 8}, {50, 22, 20, 8}},
                                   .extent = {0, 0, x1, z1}});
}

/* From the veil's pale grey. */
static int veil_distance(const uint8_t *rgb)
{
    return abs(rgb[0] - 241) + abs(rgb[1] - 241) + abs(rgb[2] - 237);
}

/* The pixels from x0, y0 up to x1, y1 of a picture are those of `bare`, or nearer to the veil's colour. */
static void assert_pixels(const struct tr_picture *picture, const struct tr_picture *bare, uint32_t x0,
                          uint32_t x1, uint32_t y0, uint32_t y1, bool under_veil)
{
    assert_int_equal(picture->width, bare->width);
    assert_int_equal(picture->height, bare->height);
    for (uint32_t y = y0; y < y1; y++)
        for (uint32_t x = x0; x < x1; x++) {
            const uint8_t *now = pixel(picture, x, y), *was = pixel(bare, x, y);
            int margin = veil_distance(was) < 30 ? 0 : 5; /* what is pale cannot change much */

            if (under_veil ? veil_distance(now) + margin > veil_distance(was) : memcmp(now, was, 3) != 0)
                fail_msg("pixel (%u, %u): (%d, %d, %d), without a veil (%d, %d, %d), expected %s", x, y,
                         now[0], now[1], now[2], was[0], was[1], was[2], under_veil ? "paler" : "the same");
        }
}

static void relief_shows_ground_beyond_the_data_under_a_veil(void **state)
{
    struct tr_world *world = world_with_data_to(64, 64);
    struct tr_picture bare = view(world, 1, 0, 0.0, 4.0), veiled;
    double over, beside;

    (void)state;
    tr_world_close(world);
    world = world_with_data_to(36, 64);
    veiled = view(world, 1, 0, 0.0, 4.0);
    assert_pixels(&veiled, &bare, 0, 36 * 4, 0, bare.height, false);
    assert_pixels(&veiled, &bare, 36 * 4, bare.width, 0, bare.height, true);
    over = mean_brightness(&veiled, 4.0 * 50, 4.0 * 20, 14);
    beside = mean_brightness(&veiled, 4.0 * 50, 4.0 * 50, 14);
    if (!(over < beside - 10.0))
        fail_msg("brightness %g over the cave beyond the data, %g beside it", over, beside);
    tr_picture_release(&veiled);
    tr_picture_release(&bare);
    tr_world_close(world);
}

/* 6.5 pixels are drawn as 7: the middle of the last one is on the end of the world. */
static void relief_has_no_veil_where_the_data_are_the_whole_world(void **state)
{
    struct tr_world *world =
        world_of(&(struct plan){.size_x = 1, .size_z = 1, .voxel_size = 1.0, .height = level});
    struct tr_picture picture = view(world, 1, 0, 0.0, 6.5 / 64);

    (void)state;
    assert_int_equal(picture.width, 7);
    for (int i = 1; i < 7 * 7; i++)
        assert_memory_equal(picture.rgb + (size_t)3 * i, picture.rgb, 3);
    tr_picture_release(&picture);
    tr_world_close(world);
}

static void slice_shows_ground_beyond_the_data_under_a_veil(void **state)
{
    static const struct {
        double x1, z1;
        uint32_t veil; /* its first column of voxels */
    } cases[] = {
        {36, 64, 36},
        {36, 20, 36}, /* the cut runs along the southern edge */
        {36, 19, 0},  /* beyond the data all along */
    };
    struct tr_world *world = world_with_data_to(64, 64);
    struct tr_picture bare = view(world, 1, 'z', 20.0, 4.0);
    uint32_t left = TR_SLICE_LEFT, right = bare.width - TR_SLICE_RIGHT;
    uint32_t top = TR_SLICE_ABOVE + 30 /* below the title */, bottom = bare.height - TR_SLICE_BELOW;

    (void)state;
    tr_world_close(world);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t veil = left + cases[i].veil * 4;
        struct tr_picture veiled;

        world = world_with_data_to(cases[i].x1, cases[i].z1);
        veiled = view(world, 1, 'z', 20.0, 4.0);
        assert_pixels(&veiled, &bare, 0, veil, top, bottom, false);
        assert_pixels(&veiled, &bare, veil + 1, right, top, bottom, true); /* the dashes are one pixel wide */
        tr_picture_release(&veiled);
        tr_world_close(world);
    }
    tr_picture_release(&bare);
}

/* Steps between dark and light along a line of pixels. */
static int changes_along(const struct tr_picture *picture, uint32_t x, uint32_t y, int dx, int dy, int count)
{
    int changes = 0, was = -1;

    for (int i = 0; i < count; i++) {
        const uint8_t *rgb = pixel(picture, x + i * dx, y + i * dy);
        int dark = rgb[0] + rgb[1] + rgb[2] < 400;

        changes += was >= 0 && dark != was;
        was = dark;
    }
    return changes;
}

static void the_edge_of_the_data_is_dashed_unless_it_is_that_of_the_world(void **state)
{
    static const struct {
        double x1, z1;
        bool east, south, slice;
    } cases[] = {{64, 64, false, false, false}, {36, 64, true, false, true}, {36, 40, true, true, true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tr_world *world = world_with_data_to(cases[i].x1, cases[i].z1);
        struct tr_picture relief = view(world, 1, 0, 0.0, 8.0), slice = view(world, 1, 'z', 36.0, 4.0);
        int east = changes_along(&relief, 36 * 8, 80, 0, 1, 200);
        int south = changes_along(&relief, 30, 40 * 8, 1, 0, 200);
        int end = changes_along(&slice, TR_SLICE_LEFT + 36 * 4, TR_SLICE_ABOVE + 4, 0, 1, 40);

        if ((east > 20) != cases[i].east || (south > 20) != cases[i].south || (end > 3) != cases[i].slice)
            fail_msg("data to (%g, %g): %d changes along x = 36, %d along z = 40, %d in the slice",
                     cases[i].x1, cases[i].z1, east, south, end);
        tr_picture_release(&relief);
        tr_picture_release(&slice);
        tr_world_close(world);
    }
}

/* ---- any picture ---- */

static void pictures_are_the_same_for_any_number_of_jobs(void **state)
{
    static const struct {
        char axis;
        double at_m, scale;
    } views[] = {{0, 0.0, 3.0}, {0, 0.0, 0.3}, {'x', 63.7, 3.0}, {'z', 40.0, 0.4}};
    struct tr_world *world = world_of(&(struct plan){.size_x = 2,
                                                     .size_z = 3,
                                                     .voxel_size = 1.0,
                                                     .height = hills,
                                                     .balls = {{64, 18, 40, 9}, {64, 30, 60, 12}}});

    (void)state;
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        struct tr_picture one = view(world, 1, views[i].axis, views[i].at_m, views[i].scale);
        struct tr_picture three = view(world, 3, views[i].axis, views[i].at_m, views[i].scale);

        assert_int_equal(one.width, three.width);
        assert_int_equal(one.height, three.height);
        assert_memory_equal(one.rgb, three.rgb, (size_t)one.width * one.height * 3);
        tr_picture_release(&one);
        tr_picture_release(&three);
    }
    tr_world_close(world);
}

static void data_of_any_extent_give_a_picture_of_the_whole_world(void **state)
{
    static const double extents[][4] = {
        {5, 6, 5, 6}, {64, 64, 64, 64}, {0.3, 2.7, 60.2, 64}, {63.5, 0, 64, 64}};

    (void)state;
    for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++) {
        struct plan plan = {
            .size_x = 1, .size_z = 1, .voxel_size = 1.0, .height = hills, .balls = {{30, 20, 30, 9}}};
        struct tr_picture relief, slice;
        struct tr_world *world;

        memcpy(plan.extent, extents[i], sizeof plan.extent);
        world = world_of(&plan);
        relief = view(world, 2, 0, 0.0, 5.0);
        assert_int_equal(relief.width, 64 * 5);
        assert_int_equal(relief.height, 64 * 5);
        tr_picture_release(&relief);
        for (double at_m = 0.0; at_m <= 64.0; at_m += 32.0) {
            slice = view(world, 2, 'x', at_m, 5.0);
            assert_int_equal(slice.width, TR_SLICE_LEFT + 64 * 5 + TR_SLICE_RIGHT);
            tr_picture_release(&slice);
        }
        tr_world_close(world);
    }
}

static void refusals_name_what_was_expected(void **state)
{
    static const struct {
        char axis;
        double at_m, scale;
        enum tr_status status;
        const char *says;
    } wrong[] = {
        {'x', -0.1, 1.0, TR_BAD_INPUT, "slice x=-0.1 is outside the world, expected 0 to 256 metres"},
        {'z', 128.5, 1.0, TR_BAD_INPUT, "slice z=128.5 is outside the world, expected 0 to 128 metres"},
        {'x', NAN, 1.0, TR_BAD_INPUT, "expected 0 to 256 metres"},
        {'y', 1.0, 1.0, TR_USAGE, "slice along axis 'y', expected 'x' or 'z'"},
        {0, 0.0, 200.0, TR_BAD_INPUT, "25600 x 12800 pixels, expected 1 to 16384"},
        {'x', 1.0, 300.0, TR_BAD_INPUT, "expected 1 to 16384"},
        {0, 0.0, -1.0, TR_BAD_INPUT, "scale is -1"},
        {0, 0.0, NAN, TR_BAD_INPUT, "expected at least 1e-06"},
        {'z', 0.0, INFINITY, TR_BAD_INPUT, "scale is inf"},
        {0, 0.0, 1e-300, TR_BAD_INPUT, "scale is 1e-300"},
    };
    struct tr_world *world = world_of(&(struct plan){
        .size_x = 2, .size_z = 1, .voxel_size = 2.0, .height = level, .extent = {0, 0, 100, 50}});
    struct tr_jobs *jobs;

    (void)state;
    assert_int_equal(tr_jobs_create(1, &jobs, NULL), TR_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct tr_picture picture;
        struct tr_error error = {0};
        enum tr_status status = wrong[i].axis
                                    ? tr_preview_slice(jobs, world, wrong[i].axis, wrong[i].at_m,
                                                       wrong[i].scale, &picture, &error)
                                    : tr_preview_relief(jobs, world, wrong[i].scale, &picture, &error);

        if (status != wrong[i].status || !strstr(error.text, wrong[i].says))
            fail_msg("case %zu: status %d, \"%s\", expected %d, \"%s\"", i, (int)status, error.text,
                     (int)wrong[i].status, wrong[i].says);
        assert_null(picture.rgb);
        assert_int_equal(picture.width, 0);
    }
    tr_jobs_free(jobs);
    tr_world_close(world);
}

static void a_picture_is_written_as_png_and_replaces_nothing_unasked(void **state)
{
    static const uint8_t begin[] = {
        0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0,  13,           'I',
        'H',  'D', 'R', 0,   0,    0,    128,  0,    0, 0, 64, 8 /* bits */, 2 /* red, green, blue */,
        0,    0,   0};
    struct tr_world *world =
        world_of(&(struct plan){.size_x = 2, .size_z = 1, .voxel_size = 1.0, .height = level});
    struct tr_picture picture = view(world, 1, 0, 0.0, 1.0);
    struct tr_error error = {0};
    uint8_t *bytes;
    size_t size_bytes;

    (void)state;
    assert_int_equal(tr_picture_write(&picture, "map.png", false, &error), TR_OK);
    assert_int_equal(tr_picture_write(&picture, "map.png", false, &error), TR_IO);
    assert_non_null(strstr(error.text, "--force"));
    assert_int_equal(tr_picture_write(&picture, "map.png", true, &error), TR_OK);
    assert_int_equal(tr_file_read("map.png", 1 << 20, &bytes, &size_bytes, &error), TR_OK);
    assert_true(size_bytes > sizeof begin + 12);
    assert_memory_equal(bytes, begin, sizeof begin);
    assert_memory_equal(bytes + size_bytes - 8, "IEND\xae\x42\x60\x82", 8);
    free(bytes);
    tr_picture_release(&picture);
    tr_world_close(world);
}

/* ---- columns ---- */

static void assert_column(const struct tr_chunk *chunk, int x, int z, int32_t top, int32_t bottom,
                          uint32_t floors)
{
    struct tr_column column;

    tr_column_scan(chunk, x, z, &column);
    if (column.top != top || column.bottom != bottom || column.floors != floors)
        fail_msg("column (%d, %d): top %d, bottom %d, %u floors, expected %d, %d, %u", x, z, column.top,
                 column.bottom, column.floors, top, bottom, floors);
}

/* Blocks far above, at and far below the height, with rows between them that nothing stores. */
static void a_column_finds_every_surface_across_rows_without_blocks(void **state)
{
    struct tr_chunk chunk;
    int16_t *samples;

    (void)state;
    assert_int_equal(tr_chunk_init(&chunk, 0, 0, 64, 64, NULL), TR_OK);
    for (int i = 0; i < TR_CHUNK_SAMPLES; i++)
        chunk.heights[i] = 63 * 256 + 100; /* between two rows */
    assert_column(&chunk, 5, 6, 63 * 256 + 100, 63 * 256 + 100, 1);

    assert_int_equal(tr_chunk_add_block(&chunk, 9, &samples, NULL), TR_OK);
    assert_column(&chunk, 5, 6, 63 * 256 + 100, 63 * 256 + 100, 1);
    samples[tr_block_index(5, 63, 6)] = -256; /* the row's uppermost sample: a stone in the air */
    assert_column(&chunk, 5, 6, (9 * 64 + 63) * 256 + 2, 63 * 256 + 100, 2);

    assert_int_equal(tr_chunk_add_block(&chunk, -7, &samples, NULL), TR_OK);
    samples[tr_block_index(5, 0, 6)] = 256; /* the row's lowest sample: a hole deep down */
    assert_column(&chunk, 5, 6, (9 * 64 + 63) * 256 + 2, -7 * 64 * 256 - 2, 3);
    assert_column(&chunk, 6, 6, 63 * 256 + 100, 63 * 256 + 100, 1);
    tr_chunk_release(&chunk);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_create, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(relief_has_scale_pixels_a_voxel_or_a_thousand),
        TEST(relief_shows_north_above_and_west_to_the_left),
        TEST(relief_lights_north_west_slopes),
        TEST(relief_darkens_the_roof_of_a_cave_and_nothing_else),
        TEST(slice_shows_a_cave_at_its_place),
        TEST(slice_beside_a_cave_does_not_show_it),
        TEST(slice_shows_a_pit_as_open),
        TEST(slice_has_scale_pixels_a_voxel_both_ways_or_a_thousand),
        TEST(relief_shows_ground_beyond_the_data_under_a_veil),
        TEST(relief_has_no_veil_where_the_data_are_the_whole_world),
        TEST(slice_shows_ground_beyond_the_data_under_a_veil),
        TEST(the_edge_of_the_data_is_dashed_unless_it_is_that_of_the_world),
        TEST(pictures_are_the_same_for_any_number_of_jobs),
        TEST(data_of_any_extent_give_a_picture_of_the_whole_world),
        TEST(refusals_name_what_was_expected),
        TEST(a_picture_is_written_as_png_and_replaces_nothing_unasked),
        TEST(a_column_finds_every_surface_across_rows_without_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
