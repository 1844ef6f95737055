/* The check of a window: closed bodies pass, and each kind of planted defect is found and placed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/mesh/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define CORNERS_MAX 1024
#define TRIANGLES_MAX 2048
#define FAR (INT64_C(1) << 36)

/* A mesh under construction. */
struct body {
    int64_t xyz[3 * CORNERS_MAX];
    uint32_t indices[3 * TRIANGLES_MAX];
    size_t corners, triangles;
};

static uint32_t add_corner(struct body *body, int64_t x, int64_t y, int64_t z)
{
    int64_t *at = body->xyz + 3 * body->corners;

    assert_true(body->corners < CORNERS_MAX);
    at[0] = x;
    at[1] = y;
    at[2] = z;
    return (uint32_t)body->corners++;
}

static void add_triangle(struct body *body, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *at = body->indices + 3 * body->triangles++;

    assert_true(body->triangles <= TRIANGLES_MAX);
    at[0] = a;
    at[1] = b;
    at[2] = c;
}

/* Wound outward where a, b, c are counter-clockwise seen from d's other side. */
static void add_tetrahedron(struct body *body, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(body, a, b, c);
    add_triangle(body, a, d, b);
    add_triangle(body, b, d, c);
    add_triangle(body, c, d, a);
}

/* The tetrahedron with its right angle at (x, y, z) and legs of the given length, which may be negative. */
static void add_corner_tetrahedron(struct body *body, int64_t x, int64_t y, int64_t z, int64_t leg)
{
    uint32_t o = add_corner(body, x, y, z);
    uint32_t a = add_corner(body, x + leg, y, z);
    uint32_t b = add_corner(body, x, y + leg, z);
    uint32_t c = add_corner(body, x, y, z + leg);

    if (leg > 0)
        add_tetrahedron(body, a, b, c, o);
    else
        add_tetrahedron(body, b, a, c, o);
}

static void add_cube(struct body *body, int64_t lo, int64_t hi)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t base = (uint32_t)body->corners;

    for (int i = 0; i < 8; i++)
        add_corner(body, i & 1 ? hi : lo, i & 2 ? hi : lo, i & 4 ? hi : lo);
    for (int i = 0; i < 6; i++) {
        const uint32_t *q = quads[i];

        add_triangle(body, base + q[0], base + q[1], base + q[2]);
        add_triangle(body, base + q[0], base + q[2], base + q[3]);
    }
}

static const int64_t far_lo[2] = {-FAR, -FAR}, far_hi[2] = {FAR, FAR};

static struct tr_check *check_of(const int64_t lo[2], const int64_t hi[2])
{
    struct tr_check *check;
    struct tr_error error = {0};

    if (tr_check_create(lo, hi, &check, &error) != TR_OK)
        fail_msg("%s", error.text);
    return check;
}

static void add_body(struct tr_check *check, const struct body *body)
{
    struct tr_error error = {0};

    if (tr_check_add(check, body->xyz, body->corners, body->indices, 3 * body->triangles, &error) != TR_OK)
        fail_msg("%s", error.text);
}

static struct tr_check_result finish(struct tr_check *check)
{
    struct tr_check_result result;
    struct tr_error error = {0};

    if (tr_check_finish(check, &result, &error) != TR_OK)
        fail_msg("%s", error.text);
    return result;
}

static struct tr_check_result judge_within(const int64_t lo[2], const int64_t hi[2], const struct body *body)
{
    struct tr_check *check = check_of(lo, hi);
    struct tr_check_result result;

    add_body(check, body);
    result = finish(check);
    tr_check_free(check);
    return result;
}

static struct tr_check_result judge(const struct body *body)
{
    return judge_within(far_lo, far_hi, body);
}

struct defects {
    uint64_t open, side, crowded, duplicates, degenerates, pinches;
};

static void expect_defects(const struct tr_check_result *r, struct defects want)
{
    if (r->open_edges != want.open || r->side_edges != want.side || r->crowded_edges != want.crowded ||
        r->duplicates != want.duplicates || r->degenerates != want.degenerates || r->pinches != want.pinches)
        fail_msg("found %" PRIu64 " open, %" PRIu64 " side, %" PRIu64 " crowded, %" PRIu64
                 " duplicate, %" PRIu64 " degenerate, %" PRIu64 " pinched; expected %" PRIu64 ", %" PRIu64
                 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                 r->open_edges, r->side_edges, r->crowded_edges, r->duplicates, r->degenerates, r->pinches,
                 want.open, want.side, want.crowded, want.duplicates, want.degenerates, want.pinches);
}

static void expect_position(const int64_t found[3], int64_t x, int64_t y, int64_t z)
{
    if (found[0] != x || found[1] != y || found[2] != z)
        fail_msg("found (%" PRId64 ", %" PRId64 ", %" PRId64 "), expected (%" PRId64 ", %" PRId64 ", %" PRId64
                 ")",
                 found[0], found[1], found[2], x, y, z);
}

/* ---- bodies without defect ---- */

static void nothing_has_no_defect(void **state)
{
    struct tr_check *check = check_of(far_lo, far_hi);
    struct tr_check_result result = finish(check);

    (void)state;
    expect_defects(&result, (struct defects){0});
    assert_int_equal(result.vertices + result.edges + result.triangles + result.components, 0);
    tr_check_free(check);
    tr_check_free(NULL);
}

static void a_tetrahedron_is_closed(void **state)
{
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_corner_tetrahedron(&body, -3, 5, 7, 6);
    result = judge(&body);
    expect_defects(&result, (struct defects){0});
    assert_int_equal(result.vertices, 4);
    assert_int_equal(result.edges, 6);
    assert_int_equal(result.triangles, 4);
    assert_int_equal(result.euler, 2);
    assert_int_equal(result.components, 1);
    assert_float_equal(result.volume_units3, 36, 0);
    assert_float_equal(result.area_units2, 54 + 18 * sqrt(3), 1e-12);
}

static void a_cube_of_loose_triangles_is_welded(void **state)
{
    struct body cube = {0}, loose = {0};
    struct tr_check_result whole, welded;

    (void)state;
    add_cube(&cube, -128, 384);
    for (size_t i = 0; i < 3 * cube.triangles; i++) {
        const int64_t *at = cube.xyz + 3 * cube.indices[i];

        loose.indices[i] = add_corner(&loose, at[0], at[1], at[2]);
    }
    loose.triangles = cube.triangles;
    whole = judge(&cube);
    welded = judge(&loose);
    assert_memory_equal(&whole, &welded, sizeof whole);
    expect_defects(&welded, (struct defects){0});
    assert_int_equal(welded.vertices, 8);
    assert_int_equal(welded.edges, 18);
    assert_int_equal(welded.euler, 2);
}

static void a_cube_as_wide_as_positions_go_is_measured_exactly(void **state)
{
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_cube(&body, -FAR, FAR);
    result = judge(&body);
    expect_defects(&result, (struct defects){0});
    assert_true(result.volume_units3 == ldexp(1, 111));
    assert_true(result.area_units2 == 6 * ldexp(1, 74));
}

static void a_cube_turned_inside_out_has_negative_volume(void **state)
{
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_cube(&body, 0, 10);
    for (size_t i = 0; i < body.triangles; i++) {
        uint32_t first = body.indices[3 * i];

        body.indices[3 * i] = body.indices[3 * i + 1];
        body.indices[3 * i + 1] = first;
    }
    result = judge(&body);
    expect_defects(&result, (struct defects){0});
    assert_float_equal(result.volume_units3, -1000, 0);
    assert_float_equal(result.area_units2, 600, 0);
}

static void what_is_seen_from_above_is_counted_by_direction(void **state)
{
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_cube(&body, 0, 10);
    result = judge(&body);
    assert_float_equal(result.cover_units2, 0, 0);
    for (int i = 0; i < 4; i++)
        add_corner(&body, i & 1 ? 7 : 0, i, i & 2 ? 5 : 0);
    add_triangle(&body, 8, 10, 9);
    result = judge(&body);
    assert_float_equal(result.cover_units2, 17.5, 0);
    add_triangle(&body, 9, 11, 10);
    add_triangle(&body, 9, 11, 10);
    result = judge(&body);
    assert_float_equal(result.cover_units2, -17.5, 0);
}

static void two_bodies_apart_are_two_components(void **state)
{
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_cube(&body, 0, 10);
    add_cube(&body, 11, 20);
    result = judge(&body);
    expect_defects(&result, (struct defects){0});
    assert_int_equal(result.components, 2);
    assert_int_equal(result.euler, 4);
}

static void vertices_that_no_triangle_uses_do_not_count(void **state)
{
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_corner(&body, -1, -1, -1);
    add_cube(&body, 0, 10);
    add_corner(&body, 5, 5, 5);
    result = judge(&body);
    expect_defects(&result, (struct defects){0});
    assert_int_equal(result.vertices, 8);
    assert_int_equal(result.components, 1);
    assert_int_equal(result.euler, 2);
}

/* Two cones of `sides` triangles each on one rim. */
static void a_vertex_of_a_thousand_triangles_is_no_pinch(void **state)
{
    const uint32_t sides = 1000;
    struct body body = {0};
    struct tr_check_result result;
    uint32_t top = add_corner(&body, 0, 100, 0), bottom = add_corner(&body, 0, -100, 0);

    (void)state;
    for (int64_t i = 0; i < sides; i++)
        add_corner(&body, i, 0, i * i);
    for (uint32_t i = 0; i < sides; i++) {
        uint32_t here = 2 + i, next = 2 + (i + 1) % sides;

        add_triangle(&body, top, here, next);
        add_triangle(&body, bottom, next, here);
    }
    result = judge(&body);
    expect_defects(&result, (struct defects){0});
    assert_int_equal(result.euler, 2);
}

/* ---- planted defects ---- */

static void a_removed_triangle_leaves_three_open_edges(void **state)
{
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_cube(&body, 0, 10);
    body.triangles--; /* corners 4, 7, 6 */
    result = judge(&body);
    expect_defects(&result, (struct defects){.open = 3});
    expect_position(result.first_open, 0, 0, 10);
    expect_position(result.first_open + 3, 0, 10, 10);
}

static void a_flipped_triangle_has_three_edges_of_two_equal_directions(void **state)
{
    struct body body = {0};
    struct tr_check_result result;
    uint32_t *last;

    (void)state;
    add_cube(&body, 0, 10);
    last = body.indices + 3 * (body.triangles - 1);
    last[1] = 6;
    last[2] = 7;
    result = judge(&body);
    expect_defects(&result, (struct defects){.open = 6, .crowded = 3});
    expect_position(result.first_crowded, 0, 0, 10);
    expect_position(result.first_crowded + 3, 0, 10, 10);
}

static void a_triangle_met_twice_is_a_duplicate_whatever_its_winding(void **state)
{
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_cube(&body, 0, 10);
    add_triangle(&body, body.indices[1], body.indices[2], body.indices[0]);
    result = judge(&body);
    expect_defects(&result, (struct defects){.open = 3, .crowded = 3, .duplicates = 1});
    add_triangle(&body, body.indices[1], body.indices[0], body.indices[2]);
    result = judge(&body);
    expect_defects(&result, (struct defects){.crowded = 3, .duplicates = 2});
}

static void a_triangle_of_two_equal_corners_is_degenerate_and_nothing_else(void **state)
{
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_cube(&body, 0, 10);
    add_triangle(&body, 0, 1, add_corner(&body, 0, 0, 0));
    add_triangle(&body, 3, 3, 3);
    result = judge(&body);
    expect_defects(&result, (struct defects){.degenerates = 2});
    assert_int_equal(result.triangles, 12);
    assert_int_equal(result.euler, 2);
}

static void a_thin_triangle_of_three_corners_is_not_degenerate(void **state)
{
    struct body body = {0};
    struct tr_check_result result;
    uint32_t a = add_corner(&body, 0, 0, 0), b = add_corner(&body, 5, 0, 0), c = add_corner(&body, 10, 0, 0);

    (void)state;
    add_triangle(&body, a, b, c);
    result = judge(&body);
    expect_defects(&result, (struct defects){.open = 3});
    assert_int_equal(result.triangles, 1);
    assert_float_equal(result.area_units2, 0, 0);
}

static void two_tetrahedra_that_share_a_vertex_pinch_it(void **state)
{
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_corner_tetrahedron(&body, 3, 4, 5, 6);
    add_corner_tetrahedron(&body, 3, 4, 5, -6);
    result = judge(&body);
    expect_defects(&result, (struct defects){.pinches = 1});
    expect_position(result.first_pinch, 3, 4, 5);
    assert_int_equal(result.components, 1);
    assert_int_equal(result.euler, 3);
}

static void two_tetrahedra_that_share_an_edge_crowd_it(void **state)
{
    struct body body = {0};
    struct tr_check_result result;
    uint32_t a = add_corner(&body, 0, 0, 0), b = add_corner(&body, 0, 10, 0);
    uint32_t c = add_corner(&body, 10, 0, 0), d = add_corner(&body, 10, 0, 10);
    uint32_t e = add_corner(&body, -10, 0, 0), f = add_corner(&body, -10, 0, -10);

    (void)state;
    add_tetrahedron(&body, a, b, c, d);
    add_tetrahedron(&body, a, b, e, f);
    result = judge(&body);
    expect_defects(&result, (struct defects){.crowded = 1});
    expect_position(result.first_crowded, 0, 0, 0);
    expect_position(result.first_crowded + 3, 0, 10, 0);
}

static void edges_in_the_worlds_sides_may_be_open_and_no_others(void **state)
{
    const int64_t lo[2] = {-10, 0}, hi[2] = {10, 20}, wider[2] = {11, 21};
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    for (int i = 0; i < 4; i++)
        add_corner(&body, i & 1 ? hi[0] : lo[0], i == 3 ? 7 : 0, i & 2 ? hi[1] : lo[1]);
    add_triangle(&body, 0, 2, 1);
    add_triangle(&body, 1, 2, 3);
    result = judge_within(lo, hi, &body);
    expect_defects(&result, (struct defects){.side = 4});
    result = judge_within(lo, wider, &body);
    expect_defects(&result, (struct defects){.side = 2, .open = 2});
    expect_position(result.first_open, -10, 0, 20);
    expect_position(result.first_open + 3, 10, 7, 20);

    /* from one side to another is not in a side */
    body.triangles = 1;
    result = judge_within(lo, hi, &body);
    expect_defects(&result, (struct defects){.side = 2, .open = 1});
}

static void two_fans_at_a_vertex_in_the_worlds_side_are_a_pinch(void **state)
{
    const int64_t lo[2] = {0, 0}, hi[2] = {100, 100};
    struct body body = {0};
    struct tr_check_result result;
    uint32_t meeting = add_corner(&body, 0, 0, 50);
    uint32_t a = add_corner(&body, 0, 0, 0), b = add_corner(&body, 100, 0, 0);
    uint32_t c = add_corner(&body, 100, 0, 100), d = add_corner(&body, 0, 0, 100);

    (void)state;
    add_triangle(&body, meeting, b, a);
    add_triangle(&body, meeting, d, c);
    result = judge_within(lo, hi, &body);
    expect_defects(&result, (struct defects){.side = 4, .open = 2, .pinches = 1});
    expect_position(result.first_pinch, 0, 0, 50);
    add_triangle(&body, meeting, c, b);
    result = judge_within(lo, hi, &body);
    expect_defects(&result, (struct defects){.side = 5});
}

/* ---- tiles ---- */

#define GRID 6 /* voxels a side */
#define GRID_TRIANGLES_MAX (GRID * GRID * GRID * 12 * 2)

/* Random voxels of a grid of GRID a side, each solid one with the triangles of its faces to air: closed, with crowded edges and pinches. Its
 * triangles are dropped, turned, doubled and flattened here and there. */
struct grid {
    int64_t xyz[3 * GRID_TRIANGLES_MAX * 3];
    uint32_t indices[3 * GRID_TRIANGLES_MAX]; /* 0, 1, 2 ..: no two triangles share a corner */
    uint8_t voxel[GRID_TRIANGLES_MAX][3];     /* a triangle's */
    uint32_t triangles;
};

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static void add_grid_triangle(struct grid *grid, const int at[3], const int corners[3])
{
    for (int c = 0; c < 3; c++) {
        uint32_t vertex = 3 * grid->triangles + (uint32_t)c;

        for (int axis = 0; axis < 3; axis++)
            grid->xyz[3 * vertex + (uint32_t)axis] = 10 * (at[axis] + (corners[c] >> axis & 1));
        grid->indices[vertex] = vertex;
    }
    for (int axis = 0; axis < 3; axis++)
        grid->voxel[grid->triangles][axis] = (uint8_t)at[axis];
    grid->triangles++;
}

/* One in `rarity` is not added as it is. */
static void add_grid_face(struct grid *grid, const int at[3], const int quad[4], uint32_t rarity)
{
    for (int half = 0; half < 2; half++) {
        int corners[3] = {quad[0], quad[1 + half], quad[2 + half]};

        switch (random_below(4 * rarity)) {
        case 0:
            continue;
        case 1:
            corners[1] = quad[2 + half];
            corners[2] = quad[1 + half];
            break;
        case 2:
            add_grid_triangle(grid, at, corners);
            break;
        case 3:
            corners[1] = corners[0];
            break;
        default:
            break;
        }
        add_grid_triangle(grid, at, corners);
    }
}

static void fill_grid(struct grid *grid, uint32_t rarity)
{
    static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    bool solid[GRID + 2][GRID + 2][GRID + 2] = {0};
    const uint32_t share = 1 + random_below(9);
    int at[3];

    grid->triangles = 0;
    for (int i = 0; i < GRID * GRID * GRID; i++)
        solid[1 + i / GRID / GRID][1 + i / GRID % GRID][1 + i % GRID] = random_below(10) < share;
    for (int i = 0; i < GRID * GRID * GRID; i++) {
        at[0] = i % GRID;
        at[1] = i / GRID % GRID;
        at[2] = i / GRID / GRID;
        for (int face = 0; face < 6 && solid[1 + at[2]][1 + at[1]][1 + at[0]]; face++) {
            int beside[3] = {1 + at[0], 1 + at[1], 1 + at[2]};

            beside[face / 2] += face % 2 ? 1 : -1;
            if (!solid[beside[2]][beside[1]][beside[0]])
                add_grid_face(grid, at, quads[face], rarity);
        }
    }
}

/* The grid in tiles of `width` voxels, in that order or backwards; with their boxes or without. */
static struct tr_check_result judge_grid(const struct grid *grid, const int64_t hi[2], int width,
                                         bool backwards, bool with_boxes)
{
    static int64_t xyz[3 * GRID_TRIANGLES_MAX * 3];
    const int64_t lo[2] = {0, 0};
    const int along = (GRID + width - 1) / width, count = along * along * along;
    struct tr_check *check = check_of(lo, hi);
    struct tr_check_result result;
    struct tr_error error = {0};

    for (int i = 0; i < count; i++) {
        const int tile = backwards ? count - 1 - i : i;
        const int at[3] = {tile % along, tile / along % along, tile / along / along};
        int64_t box_lo[3], box_hi[3];
        size_t used = 0;

        for (int axis = 0; axis < 3; axis++) {
            box_lo[axis] = 10 * width * at[axis];
            box_hi[axis] = box_lo[axis] + 10 * width;
        }
        for (uint32_t t = 0; t < grid->triangles; t++) {
            const uint8_t *voxel = grid->voxel[t];

            if (voxel[0] / width != at[0] || voxel[1] / width != at[1] || voxel[2] / width != at[2])
                continue;
            memcpy(xyz + 3 * used, grid->xyz + (size_t)9 * t, 9 * sizeof *xyz);
            used += 3;
        }
        if (with_boxes ? tr_check_add_tile(check, box_lo, box_hi, xyz, used, grid->indices, used, &error)
                       : tr_check_add(check, xyz, used, grid->indices, used, &error))
            fail_msg("%s", error.text);
    }
    result = finish(check);
    tr_check_free(check);
    return result;
}

static void a_mesh_in_tiles_is_judged_as_in_one_piece(void **state)
{
    static struct grid grid;
    const int64_t near[2] = {10 * GRID, 10 * GRID}, far[2] = {FAR, FAR};
    uint64_t defects = 0;

    (void)state;
    for (uint32_t seed = 1; seed <= 100; seed++) {
        const int64_t *hi = seed % 2 ? near : far;
        struct tr_check_result whole, tiles;

        random_state = seed;
        fill_grid(&grid, seed % 3 ? 1u << seed % 10 : 1000000);
        whole = judge_grid(&grid, hi, GRID, false, false);
        defects +=
            whole.open_edges + whole.duplicates + whole.degenerates + whole.pinches + whole.crowded_edges;
        for (int way = 0; way < 12; way++) {
            const int width = 1 + way / 4 + way / 8; /* 1, 2, 4 */

            tiles = judge_grid(&grid, hi, width, way & 1, way & 2);
            if (memcmp(&whole, &tiles, sizeof whole) != 0)
                fail_msg("seed %" PRIu32 ", tiles of %d, way %d: whole: V %" PRIu64 " E %" PRIu64
                         " F %" PRIu64 " parts %" PRIu64 " open %" PRIu64 " crowded %" PRIu64
                         " pinches %" PRIu64 "; tiles: V %" PRIu64 " E %" PRIu64 " F %" PRIu64
                         " parts %" PRIu64 " open %" PRIu64 " crowded %" PRIu64 " pinches %" PRIu64,
                         seed, width, way, whole.vertices, whole.edges, whole.triangles, whole.components,
                         whole.open_edges, whole.crowded_edges, whole.pinches, tiles.vertices, tiles.edges,
                         tiles.triangles, tiles.components, tiles.open_edges, tiles.crowded_edges,
                         tiles.pinches);
        }
    }
    assert_true(defects > 5000);
}

static void a_tile_of_a_thousand_fans_on_its_side_is_joined_to_the_next(void **state)
{
    const int64_t lo[3] = {-1000000, -1000, -2000000}, hi[3] = {1000000, 0, 2000000},
                  above[3] = {1000000, 1000, 2000000};
    const uint32_t sides = 1000;
    struct body bottom = {0}, top = {0};
    struct tr_check *check = check_of(far_lo, far_hi);
    struct tr_check_result result;
    struct tr_error error = {0};

    (void)state;
    for (int half = 0; half < 2; half++) {
        struct body *body = half ? &top : &bottom;

        add_corner(body, 0, half ? 100 : -100, 0);
        for (int64_t i = 0; i < sides; i++)
            add_corner(body, i, 0, i * i);
        for (uint32_t i = 0; i < sides; i++) {
            const uint32_t here = 1 + i, next = 1 + (i + 1) % sides;

            add_triangle(body, 0, half ? here : next, half ? next : here);
        }
        if (tr_check_add_tile(check, half ? (const int64_t[3]){lo[0], 0, lo[2]} : lo, half ? above : hi,
                              body->xyz, body->corners, body->indices, 3 * body->triangles, &error) != TR_OK)
            fail_msg("%s", error.text);
    }
    result = finish(check);
    expect_defects(&result, (struct defects){0});
    assert_int_equal(result.vertices, sides + 2);
    assert_int_equal(result.euler, 2);
    assert_int_equal(result.components, 1);
    tr_check_free(check);
}

/* ---- how it is called ---- */

static void the_order_of_meshes_does_not_matter(void **state)
{
    struct tr_check *forth = check_of(far_lo, far_hi), *back = check_of(far_lo, far_hi);
    struct tr_check_result a, b;

    (void)state;
    for (int i = 0; i < 40; i++) {
        for (int side = 0; side < 2; side++) {
            struct body body = {0};
            int64_t n = side ? 39 - i : i;

            add_corner_tetrahedron(&body, (n * 7 % 40) * 64, -n * n * 5000, n << 25, 6 + n);
            if (n % 3 == 0)
                body.triangles--;
            add_body(side ? back : forth, &body);
        }
    }
    a = finish(forth);
    b = finish(back);
    expect_defects(&a, (struct defects){.open = 3 * 14});
    assert_int_equal(a.components, 40);
    expect_position(a.first_open, 0, 0, 0);
    assert_memory_equal(&a, &b, sizeof a);
    tr_check_free(forth);
    tr_check_free(back);
}

static void finishing_twice_gives_the_same_and_more_may_be_added(void **state)
{
    struct tr_check *check = check_of(far_lo, far_hi);
    struct body body = {0};
    struct tr_check_result once, twice;

    (void)state;
    add_cube(&body, 0, 10);
    body.triangles--;
    add_body(check, &body);
    once = finish(check);
    twice = finish(check);
    assert_memory_equal(&once, &twice, sizeof once);
    expect_defects(&twice, (struct defects){.open = 3});

    body.indices[0] = 4;
    body.indices[1] = 7;
    body.indices[2] = 6;
    body.triangles = 1;
    add_body(check, &body);
    twice = finish(check);
    expect_defects(&twice, (struct defects){0});
    tr_check_free(check);
}

static void expect_refused(struct tr_check *check, const struct body *body, size_t index_count,
                           const char *text)
{
    struct tr_error error = {0};

    assert_int_equal(tr_check_add(check, body->xyz, body->corners, body->indices, index_count, &error),
                     TR_BAD_INPUT);
    assert_string_equal(error.text, text);
}

static void bad_input_is_refused_and_changes_nothing(void **state)
{
    struct tr_check *check = check_of(far_lo, far_hi);
    struct body body = {0};
    struct tr_check_result result;

    (void)state;
    add_cube(&body, 0, 10);
    add_body(check, &body);
    expect_refused(check, &body, 35, "mesh check: found 35 indices, expected a multiple of 3");
    body.indices[7] = 8;
    expect_refused(check, &body, 36, "mesh check: index 7: found vertex 8, expected below 8");
    body.indices[7] = 0;
    body.xyz[4] = FAR + 1;
    expect_refused(check, &body, 36,
                   "mesh check: vertex 1: found coordinate 68719476737, expected at most 2^36 from 0");
    body.xyz[4] = INT64_MIN;
    expect_refused(
        check, &body, 36,
        "mesh check: vertex 1: found coordinate -9223372036854775808, expected at most 2^36 from 0");
    result = finish(check);
    expect_defects(&result, (struct defects){0});
    assert_int_equal(result.vertices, 8);
    assert_int_equal(result.triangles, 12);
    tr_check_free(check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_has_no_defect),
        cmocka_unit_test(a_tetrahedron_is_closed),
        cmocka_unit_test(a_cube_of_loose_triangles_is_welded),
        cmocka_unit_test(a_cube_as_wide_as_positions_go_is_measured_exactly),
        cmocka_unit_test(a_cube_turned_inside_out_has_negative_volume),
        cmocka_unit_test(what_is_seen_from_above_is_counted_by_direction),
        cmocka_unit_test(two_bodies_apart_are_two_components),
        cmocka_unit_test(vertices_that_no_triangle_uses_do_not_count),
        cmocka_unit_test(a_vertex_of_a_thousand_triangles_is_no_pinch),
        cmocka_unit_test(a_removed_triangle_leaves_three_open_edges),
        cmocka_unit_test(a_flipped_triangle_has_three_edges_of_two_equal_directions),
        cmocka_unit_test(a_triangle_met_twice_is_a_duplicate_whatever_its_winding),
        cmocka_unit_test(a_triangle_of_two_equal_corners_is_degenerate_and_nothing_else),
        cmocka_unit_test(a_thin_triangle_of_three_corners_is_not_degenerate),
        cmocka_unit_test(two_tetrahedra_that_share_a_vertex_pinch_it),
        cmocka_unit_test(two_tetrahedra_that_share_an_edge_crowd_it),
        cmocka_unit_test(edges_in_the_worlds_sides_may_be_open_and_no_others),
        cmocka_unit_test(two_fans_at_a_vertex_in_the_worlds_side_are_a_pinch),
        cmocka_unit_test(a_mesh_in_tiles_is_judged_as_in_one_piece),
        cmocka_unit_test(a_tile_of_a_thousand_fans_on_its_side_is_joined_to_the_next),
        cmocka_unit_test(the_order_of_meshes_does_not_matter),
        cmocka_unit_test(finishing_twice_gives_the_same_and_more_may_be_added),
        cmocka_unit_test(bad_input_is_refused_and_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
