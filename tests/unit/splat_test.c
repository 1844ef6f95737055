/* Splat weights: they sum to 255, follow slope and height monotonically, and have the values worked out by hand. */
#include "lib/mesh/splat.h"
#include "shaders/surface.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum { GRASS, ROCK, SAND, SOIL };

/* Octahedral components u, v. */
static uint32_t packed(int32_t u, int32_t v)
{
    return ((uint32_t)u & 0xffffu) | (uint32_t)v << 16;
}

static void weigh(uint32_t normal, int32_t y, int64_t base_y, double voxel_size, uint8_t weights[4])
{
    struct tr_error error;
    tr_vertex vertex = {0, y, 0, normal};
    struct tr_tile_mesh tile = {.vertex_count = 1, .vertices = &vertex};
    assert_ok(tr_splat(&tile, base_y, voxel_size, &error), &error);
    memcpy(weights, tile.weights[0], 4);
    free(tile.weights);
}

static void assert_weights(uint32_t normal, int32_t y, double voxel_size, int grass, int rock, int sand,
                           int soil)
{
    uint8_t found[4];
    weigh(normal, y, 0, voxel_size, found);
    if (found[GRASS] != grass || found[ROCK] != rock || found[SAND] != sand || found[SOIL] != soil)
        fail_msg("normal %08x y %d: grass %d rock %d sand %d soil %d, expected %d %d %d %d", normal, y,
                 found[GRASS], found[ROCK], found[SAND], found[SOIL], grass, rock, sand, soil);
}

#define HIGH 100000 /* far above any sand */

static void slopes_have_the_weights_of_the_ramps(void **state)
{
    (void)state;
    assert_weights(packed(0, 0), HIGH, 1, 255, 0, 0, 0);
    assert_weights(packed(9362, 0), HIGH, 1, 255, 0, 0, 0); /* 9362 / 23405 = 0.4 */
    assert_weights(packed(7000, 4500), HIGH, 1, 135, 0, 0,
                   120); /* 11500 / 21267 = 0.5407: 0.4691 of it soil */
    assert_weights(packed(-6746, 6746), HIGH, 1, 0, 0, 0, 255); /* 13492 / 19275 = 0.69997 */
    assert_weights(packed(0, -16000), HIGH, 1, 0, 130, 0,
                   125);                                     /* 16000 / 16767 = 0.9543: 0.5085 of it rock */
    assert_weights(packed(17873, 0), HIGH, 1, 0, 255, 0, 0); /* 17873 / 14894 = 1.2 */
    assert_weights(packed(32767, 0), HIGH, 1, 0, 255, 0, 0); /* a wall */
    assert_weights(packed(32767, 32767), HIGH, 1, 0, 255, 0, 0); /* straight down */
    assert_weights(packed(-20000, 20000), HIGH, 1, 0, 255, 0, 0);
}

static void heights_have_the_weights_of_the_shore(void **state)
{
    (void)state;
    assert_weights(packed(0, 0), -5000, 1, 0, 0, 255, 0);
    assert_weights(packed(0, 0), 256, 1, 0, 0, 255, 0);
    assert_weights(packed(0, 0), 512, 1, 127, 0, 128, 0); /* half of 255, halves up */
    assert_weights(packed(0, 0), 768, 1, 255, 0, 0, 0);
    assert_weights(packed(0, 0), 512, 2, 255, 0, 0, 0); /* voxels of 2 m: 4 m up */
    assert_weights(packed(0, 0), 128, 2, 0, 0, 255, 0);
    assert_weights(packed(0, 0), 256, 2, 127, 0, 128, 0);
    assert_weights(packed(0, 0), 0, 1e6, 0, 0, 255, 0); /* both heights round to 0 */
    assert_weights(packed(0, 0), 1, 1e6, 255, 0, 0, 0);
    assert_weights(packed(0, 0), 1 << 24, 1e-300, 0, 0, 255, 0);
    assert_weights(packed(0, -16000), -9, 1, 0, 130, 0, 125); /* nothing is left for sand */
}

static void the_height_is_that_in_the_world(void **state)
{
    (void)state;
    uint8_t a[4], b[4];
    weigh(packed(0, 0), 16384 + 400, -16384, 1, a);
    weigh(packed(0, 0), 400, 0, 1, b);
    assert_memory_equal(a, b, 4);
    assert_in_range(a[SAND], 1, 254);
}

static void weights_sum_to_255_for_every_normal(void **state)
{
    (void)state;
    for (int32_t u = -32767; u <= 32767; u += 331)
        for (int32_t v = -32767; v <= 32767; v += 337)
            for (int32_t y = 200; y < 800; y += 150) {
                uint8_t w[4];
                weigh(packed(u, v), y, 0, 1, w);
                if (w[GRASS] + w[ROCK] + w[SAND] + w[SOIL] != 255)
                    fail_msg("u %d v %d y %d: sum %d", u, v, y, w[GRASS] + w[ROCK] + w[SAND] + w[SOIL]);
            }
}

static void steeper_ground_has_no_less_rock_and_no_more_grass(void **state)
{
    (void)state;
    uint8_t last[4] = {255, 0, 0, 0};
    bool has_soil_peaked = false;
    for (int32_t u = 0; u <= 32767; u++) {
        uint8_t w[4];
        weigh(packed(u - u / 3, -(u / 3)), HIGH, 0, 1, w);
        has_soil_peaked = has_soil_peaked || w[SOIL] < last[SOIL];
        if (w[ROCK] < last[ROCK] || w[GRASS] > last[GRASS] || (has_soil_peaked && w[SOIL] > last[SOIL]))
            fail_msg("u %d: grass %d rock %d soil %d behind %d %d %d", u, w[GRASS], w[ROCK], w[SOIL],
                     last[GRASS], last[ROCK], last[SOIL]);
        memcpy(last, w, 4);
    }
    assert_true(has_soil_peaked);
}

static void higher_ground_has_no_more_sand(void **state)
{
    (void)state;
    uint8_t last = 255;
    for (int32_t y = -300; y <= 1000; y++) {
        uint8_t w[4];
        weigh(packed(3000, 10), y, 0, 1, w);
        assert_in_range(w[SAND], 0, last);
        last = w[SAND];
    }
    assert_int_equal(last, 0);
}

static void paint_is_all_of_one_material(void **state)
{
    (void)state;
    static const int wanted[] = {-1, GRASS, ROCK, SAND, SOIL, GRASS, ROCK};
    struct tr_error error;
    tr_vertex vertices[7] = {0};
    uint8_t materials[7] = {0, 1, 2, 3, 4, 5, 254};
    struct tr_tile_mesh tile = {.vertex_count = 7, .vertices = vertices, .materials = materials};
    for (int i = 0; i < 7; i++)
        vertices[i] = (tr_vertex){0, 512, 0, packed(0, -16000)};
    assert_ok(tr_splat(&tile, 0, 1, &error), &error);
    for (int i = 1; i < 7; i++)
        for (int m = 0; m < 4; m++)
            assert_int_equal(tile.weights[i][m], m == wanted[i] ? 255 : 0);
    assert_int_equal(tile.weights[0][ROCK], 130); /* material 0 is no paint */
    free(tile.weights);
}

static void an_empty_tile_has_no_weights_to_fill(void **state)
{
    (void)state;
    struct tr_error error;
    struct tr_tile_mesh tile = {0};
    assert_ok(tr_splat(&tile, 0, 1, &error), &error);
    assert_non_null(tile.weights);
    free(tile.weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_have_the_weights_of_the_ramps),
        cmocka_unit_test(heights_have_the_weights_of_the_shore),
        cmocka_unit_test(the_height_is_that_in_the_world),
        cmocka_unit_test(weights_sum_to_255_for_every_normal),
        cmocka_unit_test(steeper_ground_has_no_less_rock_and_no_more_grass),
        cmocka_unit_test(higher_ground_has_no_more_sand),
        cmocka_unit_test(paint_is_all_of_one_material),
        cmocka_unit_test(an_empty_tile_has_no_weights_to_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
