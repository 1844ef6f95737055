/* The error of a tile: equal to comparing every point with every triangle, whatever is left out on the way. */
#include "lib/mesh/tile_error.h"
#include "lib/mesh/height_tile.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- every point with every triangle ---- */

struct vector {
    long double x, y, z;
};

static struct vector minus(struct vector a, struct vector b)
{
    return (struct vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static long double dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector cross(struct vector a, struct vector b)
{
    return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static struct vector vector_of(const tr_vertex *vertex)
{
    return (struct vector){vertex->x, vertex->y, vertex->z};
}

static long double segment_distance(struct vector p, struct vector a, struct vector b)
{
    const struct vector way = minus(b, a);
    const long double length = dot(way, way);
    long double t = length > 0 ? dot(minus(p, a), way) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const struct vector off = minus(p, (struct vector){a.x + t * way.x, a.y + t * way.y, a.z + t * way.z});
    return sqrtl(dot(off, off));
}

static long double triangle_distance(struct vector p, struct vector a, struct vector b, struct vector c)
{
    const struct vector normal = cross(minus(b, a), minus(c, a));
    const long double length = sqrtl(dot(normal, normal));
    long double least = fminl(segment_distance(p, a, b), segment_distance(p, b, c));
    least = fminl(least, segment_distance(p, c, a));
    if (length > 0 && dot(cross(minus(b, a), minus(p, a)), normal) >= 0 &&
        dot(cross(minus(c, b), minus(p, b)), normal) >= 0 &&
        dot(cross(minus(a, c), minus(p, c)), normal) >= 0)
        least = fminl(least, fabsl(dot(minus(p, a), normal)) / length);
    return least;
}

static uint32_t naive_error(const struct tr_tile_mesh *tile, const int32_t (*points)[3], size_t count)
{
    long double greatest = 0;
    for (size_t i = 0; i < count; i++) {
        const struct vector p = {points[i][0], points[i][1], points[i][2]};
        long double least = HUGE_VALL;
        for (uint32_t part = 0; part < tile->part_count; part++) {
            const uint32_t *indices = tile->indices + tile->parts[part].first_index;
            for (uint32_t t = 0; t < tile->parts[part].index_count; t += 3)
                least = fminl(least, triangle_distance(p, vector_of(&tile->vertices[indices[t]]),
                                                       vector_of(&tile->vertices[indices[t + 1]]),
                                                       vector_of(&tile->vertices[indices[t + 2]])));
        }
        greatest = fmaxl(greatest, least);
    }
    return (uint32_t)ceill(greatest);
}

/* ---- tiles ---- */

static void tile_free(struct tr_tile_mesh *tile)
{
    free(tile->vertices);
    free(tile->materials);
    free(tile->indices);
    free(tile->parts);
}

static uint32_t random_below(uint64_t *state, uint32_t end)
{
    return (uint32_t)(random_next(state) * 0x2545f4914f6cdd1du >> 33) % end;
}

/* What a marching-cubes tile draws, as one part. The field is noise where `is_noisy`, else steep ground with a cave. */
static void marched_tile(uint64_t seed, uint32_t width, bool is_noisy, bool is_coarse,
                         struct tr_tile_mesh *tile)
{
    struct tr_error error;
    struct tr_lattice lattice, coarse;
    const uint32_t cells[3] = {width, width, width - 2};
    int16_t *field = calloc(TR_TILE_FIELD_SAMPLES, sizeof *field);
    assert_non_null(field);
    for (int y = -1; y <= (int)width + 1; y++)
        for (int z = -1; z <= (int)width + 1; z++)
            for (int x = -1; x <= (int)width + 1; x++) {
                const int ground = 200 * y - 90 * x + 60 * z - 256,
                          cave = 700 - 200 * (abs(x - 3) + abs(y - 3));
                const int noise = (int)random_below(&seed, 601) - 300;
                field[tr_tile_index(x, y, z)] = (int16_t)(is_noisy ? noise : ground > cave ? ground : cave);
            }
    assert_ok(tr_lattice_from_field(field, cells, &lattice, &error), &error);
    free(field);
    if (is_coarse) {
        const struct tr_lattice *children[8] = {&lattice};
        assert_ok(tr_lattice_reduce(children, width, &coarse, &error), &error);
        tr_lattice_release(&lattice);
        lattice = coarse;
    }
    *tile = (struct tr_tile_mesh){.lod = lattice.lod, .part_count = 1};
    for (int axis = 0; axis < 3; axis++)
        tile->size[axis] = (int32_t)(lattice.cells[axis] * TR_UNITS << lattice.lod);
    assert_ok(tr_lattice_triangles(&lattice, &tile->indices, &tile->index_count, &error), &error);
    tile->vertex_count = lattice.vertex_count;
    tile->vertices = lattice.vertices;
    lattice.vertices = NULL;
    tr_lattice_release(&lattice);
    tile->parts = calloc(1, sizeof *tile->parts);
    assert_non_null(tile->parts);
    tile->parts[0] = (struct tr_tile_part){.face = TR_PART_SURFACE, .index_count = tile->index_count};
    memset(tile->parts[0].states, TR_SIDE_ANY, TR_SIDES);
}

/* A height tile alone in the world, of steps up to `relief`; `states`: what its side -x may have, where a finer neighbour has a vertex in the
 * middle of each cell, 600 units above. */
static void height_tile(uint64_t seed, uint32_t width, uint32_t relief, uint8_t states,
                        struct tr_tile_mesh *tile)
{
    struct tr_error error;
    struct tr_height_border borders[TR_COLUMN_SIDES][3] = {0};
    const uint8_t side_states[TR_COLUMN_SIDES] = {states, TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};
    struct tr_height_grid grid = {.lod = 1, .cells = {width, width}};
    uint32_t first[65];
    tr_vertex middles[64];
    int32_t row;
    grid.vertices = calloc((width + 1) * (width + 1), sizeof *grid.vertices);
    assert_non_null(grid.vertices);
    for (uint32_t z = 0; z <= width; z++)
        for (uint32_t x = 0; x <= width; x++)
            grid.vertices[z * (width + 1) + x] =
                (tr_vertex){(int)(512 * x), (int)random_below(&seed, relief), (int)(512 * z), 0};
    for (uint32_t cell = 0; cell <= width; cell++) {
        first[cell] = cell;
        if (cell < width)
            middles[cell] =
                (tr_vertex){0, grid.vertices[cell * (width + 1)].y + 600, (int)(512 * cell + 256), 0};
    }
    borders[0][1] = (struct tr_height_border){.first = first, .vertices = middles};
    assert_ok(tr_height_tile_build(&grid, (const struct tr_height_border(*)[3])borders, side_states, width,
                                   &row, tile, &error),
              &error);
    tr_height_grid_release(&grid);
}

/* Points about the tile, most of them inside, near each other in groups. */
static void fill_points(uint64_t *state, const struct tr_tile_mesh *tile, int32_t (*points)[3], size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const int32_t size = tile->size[axis] > 0 ? tile->size[axis] : 2000;
            if (i % 7 != 0)
                points[i][axis] = points[i - 1][axis] + (int32_t)random_below(state, 200) - 100;
            else if (random_below(state, 5) == 0)
                points[i][axis] = (int32_t)random_below(state, (uint32_t)(3 * size)) - size;
            else
                points[i][axis] = (int32_t)random_below(state, (uint32_t)size);
        }
}

static uint32_t measured(const struct tr_tile_mesh *tile, const int32_t (*points)[3], size_t count)
{
    struct tr_error error;
    struct tr_tile_error *measure;
    assert_ok(tr_tile_error_create(tile, &measure, &error), &error);
    tr_tile_error_add(measure, points, count);
    const uint32_t result = tr_tile_error_result(measure);
    tr_tile_error_free(measure);
    return result;
}

/* ---- tests ---- */

#define POINTS 140

static void assert_is_naive(const struct tr_tile_mesh *tile, uint64_t seed, const char *what)
{
    int32_t points[POINTS][3];
    uint64_t state = seed * 77 + 1;
    for (int round = 0; round < 8; round++) {
        const size_t count = round < 4 ? 7 : POINTS;
        fill_points(&state, tile, points, count);
        const uint32_t found = measured(tile, (const int32_t(*)[3])points, count);
        const uint32_t expected = naive_error(tile, (const int32_t(*)[3])points, count);
        if (found != expected)
            fail_msg("%s, seed %u, round %d: error %u, expected %u", what, (unsigned)seed, round, found,
                     expected);
    }
}

static void it_is_what_comparing_every_point_with_every_triangle_gives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct tr_tile_mesh tile;
        marched_tile(seed, seed % 2 ? 8 : 4, false, seed % 3 == 0, &tile);
        assert_in_range(tile.index_count, 3, UINT32_MAX);
        assert_is_naive(&tile, seed, "ground");
        tile_free(&tile);
        marched_tile(seed, seed % 2 ? 8 : 4, true, seed % 3 == 0, &tile);
        assert_in_range(tile.index_count, 3, UINT32_MAX);
        assert_is_naive(&tile, seed, "noise");
        tile_free(&tile);
        height_tile(seed, seed % 2 ? 8 : 3, seed % 4 ? 2000 : 60000, TR_SIDE_SAME, &tile);
        assert_is_naive(&tile, seed, "heights");
        tile_free(&tile);
    }
}

static void it_depends_on_neither_order_nor_calls(void **state)
{
    (void)state;
    struct tr_error error;
    struct tr_tile_mesh tile;
    struct tr_tile_error *measure;
    int32_t points[POINTS][3];
    uint64_t random = 5;
    marched_tile(3, 8, false, false, &tile);
    fill_points(&random, &tile, points, POINTS);
    const uint32_t together = measured(&tile, (const int32_t(*)[3])points, POINTS);
    assert_ok(tr_tile_error_create(&tile, &measure, &error), &error);
    for (int i = POINTS; i-- > 0;)
        tr_tile_error_add(measure, (const int32_t(*)[3])points + i, 1);
    assert_int_equal(tr_tile_error_result(measure), together);
    tr_tile_error_free(measure);
    tile_free(&tile);
}

static void distances_are_euclidean_and_rounded_up(void **state)
{
    (void)state;
    struct tr_tile_mesh tile; /* flat at y = 0, 0 <= x, z <= 2048 */
    static const struct {
        int32_t point[3];
        uint32_t error;
    } cases[] = {{{700, 0, 900}, 0},         {{700, 5, 900}, 5},
                 {{512, -9, 512}, 9},        {{-3, 4, 600}, 5},
                 {{2048 + 2, 3, -6}, 7},     {{-1, -1, 2049}, 2},
                 {{0, 1 << 26, 0}, 1 << 26}, {{-(1 << 26), 0, 77}, 1 << 26}};
    height_tile(1, 4, 1, TR_SIDE_SAME, &tile);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(measured(&tile, &cases[i].point, 1), cases[i].error);
    tile_free(&tile);
}

static void without_points_or_triangles_it_is_zero(void **state)
{
    (void)state;
    const struct tr_tile_mesh nothing = {.size = {1024, 1024, 1024}};
    static const int32_t point[1][3] = {{5, 6, 7}};
    struct tr_tile_mesh tile;
    assert_int_equal(measured(&nothing, point, 1), 0);
    marched_tile(1, 4, false, false, &tile);
    assert_int_equal(measured(&tile, point, 0), 0);
    tile.parts[0].face = 1; /* a transition is no surface */
    assert_int_equal(measured(&tile, point, 1), 0);
    tile_free(&tile);
}

/* In the middle of the border cells: the middle vertex of a finer neighbour lies 600 above, and the flat ground below. */
static void the_surface_is_that_among_neighbours_of_its_own_level(void **state)
{
    (void)state;
    static const int32_t points[2][3] = {{0, 0, 256}, {0, 600, 256}};
    struct tr_tile_mesh tile;
    height_tile(1, 4, 1, TR_SIDE_SAME | TR_SIDE_FINER | TR_SIDE_COARSER, &tile);
    assert_int_equal(measured(&tile, points, 1), 0);
    assert_int_equal(measured(&tile, points + 1, 1), 600);
    tile_free(&tile);
    height_tile(1, 4, 1, TR_SIDE_FINER, &tile); /* in a window where there are none */
    assert_in_range(measured(&tile, points, 1), 1, 600);
    assert_int_equal(measured(&tile, points + 1, 1), 0);
    tile_free(&tile);
}

static void triangles_without_area_count_as_their_longest_side(void **state)
{
    (void)state;
    tr_vertex vertices[3] = {{10, 20, 30, 0}, {110, 120, 130, 0}, {60, 70, 80, 0}};
    uint32_t indices[3] = {0, 1, 2};
    struct tr_tile_part part = {.states = {7, 7, 7, 7, 7, 7}, .face = TR_PART_SURFACE, .index_count = 3};
    const struct tr_tile_mesh tile = {.size = {256, 256, 256},
                                      .vertex_count = 3,
                                      .index_count = 3,
                                      .part_count = 1,
                                      .vertices = vertices,
                                      .indices = indices,
                                      .parts = &part};
    static const int32_t points[][3] = {{60 + 30, 70 - 30, 80}, {110, 120, 140}, {35, 45, 55}};
    static const uint32_t errors[] = {43, 10, 0}; /* 30 sqrt(2) */
    for (int i = 0; i < 3; i++)
        assert_int_equal(measured(&tile, points + i, 1), errors[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_comparing_every_point_with_every_triangle_gives),
        cmocka_unit_test(it_depends_on_neither_order_nor_calls),
        cmocka_unit_test(distances_are_euclidean_and_rounded_up),
        cmocka_unit_test(without_points_or_triangles_it_is_zero),
        cmocka_unit_test(the_surface_is_that_among_neighbours_of_its_own_level),
        cmocka_unit_test(triangles_without_area_count_as_their_longest_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
