/* What edits mean, on worlds of the product, whatever the formulas: nothing is left of a tunnel when its hill is
 * quarried away; smoothing keeps what is plane and lowers curvature; the largest spheres have their surface where
 * they should; paint lies on the surface that a shape made.
 *
 * Worlds are of one chunk with its rim, on disk and back. */
#include "lib/bake/bake.h"
#include "lib/edit/log.h"
#include "lib/run/replay.h"
#include "lib/world/world.h"
#include "tests/support/log_gen.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 65 /* samples of the world along x and z */
#define UNITS 256

static struct tr_bake *bake;
static const char *folder;

static int open_device(void **state)
{
    const char *device = getenv("TERRAIN_TEST_DEVICE");
    const struct tr_bake_options options = {.device = device != NULL ? device : "cpu", .jobs = 2};
    struct tr_error error = {0};
    if (scratch_make(state) != 0)
        return -1;
    folder = *state;
    if (tr_bake_open(&options, &bake, &error) != TR_OK) {
        print_error("%s\n", error.text);
        return -1;
    }
    return 0;
}

static int close_device(void **state)
{
    tr_bake_close(bake);
    return scratch_remove(state);
}

/* ---- worlds ---- */

static const struct tr_world_info info = {
    .size_x = 1, .size_z = 1, .voxel_size = 1.0, .extent = {0.0, 0.0, 64.0, 64.0}};

/* A world in memory: its four chunks, three of them rim. */
struct ground {
    struct tr_world *world;
    struct tr_chunk chunks[2][2]; /* [z][x] */
    size_t changed;               /* chunks that the log changed */
};

static void ground_release(struct ground *ground)
{
    for (int i = 0; i < 4; i++)
        tr_chunk_release(&ground->chunks[i / 2][i % 2]);
    tr_world_close(ground->world);
}

static const struct tr_chunk *chunk_at(const struct ground *ground, int x, int z)
{
    return &ground->chunks[z / 64][x / 64];
}

static int height_at(const struct ground *ground, int x, int z)
{
    return chunk_at(ground, x, z)->heights[z % 64 * 64 + x % 64];
}

static int field_at(const struct ground *ground, int x, int y, int z)
{
    return tr_chunk_field(chunk_at(ground, x, z), x % 64, y, z % 64);
}

static int material_at(const struct ground *ground, int x, int y, int z)
{
    return tr_chunk_material(chunk_at(ground, x, z), x % 64, y, z % 64);
}

static size_t block_count(const struct ground *ground)
{
    size_t count = 0;
    for (int i = 0; i < 4; i++)
        count += ground->chunks[i / 2][i % 2].block_count;
    return count;
}

static void world_path(char path[TR_PATH_BYTES], const char *name)
{
    struct tr_error error = {0};
    assert_ok(tr_path_join(path, folder, name, &error), &error);
}

static struct tr_world_build *build_create(const char *name)
{
    struct tr_error error = {0};
    struct tr_world_build *build = NULL;
    char path[TR_PATH_BYTES];
    world_path(path, name);
    assert_ok(tr_world_build_create(path, &info, true, &build, &error), &error);
    return build;
}

static void build_commit(struct tr_world_build *build)
{
    struct tr_error error = {0};
    struct tr_hash hash;
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_world_build_free(build);
}

static struct tr_world *world_open(const char *name)
{
    struct tr_error error = {0};
    struct tr_world *world = NULL;
    char path[TR_PATH_BYTES];
    world_path(path, name);
    assert_ok(tr_world_open(path, &world, &error), &error);
    return world;
}

/* Stores world "start". */
static void create_start(int (*height)(int x, int z))
{
    struct tr_error error = {0};
    struct tr_world_build *build = build_create("start");
    for (int32_t i = 0; i < 4; i++) {
        const int32_t cx = i % 2, cz = i / 2;
        struct tr_chunk chunk = {0};
        uint32_t size_x, size_z;
        tr_world_chunk_size(&info, cx, cz, &size_x, &size_z);
        assert_ok(tr_chunk_init(&chunk, cx, cz, size_x, size_z, &error), &error);
        for (int z = 0; z < (int)size_z; z++)
            for (int x = 0; x < (int)size_x; x++)
                chunk.heights[z * 64 + x] = height(64 * cx + x, 64 * cz + z);
        assert_ok(tr_world_build_put(build, &chunk, &error), &error);
        tr_chunk_release(&chunk);
    }
    build_commit(build);
}

/* World "start" behind a log, as JSON. */
static struct ground edit_text(const char *json)
{
    struct tr_error error = {0};
    struct tr_log log = {0};
    struct tr_replay_result result = {0};
    struct ground ground = {0};
    struct tr_world *start = world_open("start");
    struct tr_world_build *build = build_create("edited");
    assert_ok(tr_log_parse(&log, json, strlen(json), "log.json", NULL, NULL, &error), &error);
    assert_ok(tr_log_resolve(&log, 0, &info, "log.json", false, NULL, &error), &error);
    assert_ok(tr_replay(bake, start, &log, 0, build, NULL, &result, &error), &error);
    build_commit(build);
    ground.changed = result.changed_count;
    tr_replay_result_release(&result);
    tr_log_release(&log);
    tr_world_close(start);
    ground.world = world_open("edited");
    for (int i = 0; i < 4; i++)
        assert_ok(tr_world_read_chunk(ground.world, i % 2, i / 2, &ground.chunks[i / 2][i % 2], &error),
                  &error);
    return ground;
}

static struct ground edit(const struct naive_edit *edits, size_t count)
{
    char *json = log_gen_json(edits, count);
    assert_non_null(json);
    struct ground ground = edit_text(json);
    free(json);
    return ground;
}

/* ---- edits ---- */

static struct naive_edit brush(enum naive_op op, double x, double y, double z, double radius, double strength)
{
    return (struct naive_edit){
        .op = op,
        .falloff = NAIVE_FALLOFF_CONSTANT,
        .power = 3,
        .beta = 0.5,
        .place = {.at = {x, y, z}, .radius = radius, .strength = strength},
    };
}

static struct naive_edit shape(enum naive_op op, const struct naive_node *nodes, size_t count)
{
    return (struct naive_edit){.op = op, .shape = nodes, .shape_count = count};
}

static int height_field(int y, int height)
{
    int f = UNITS * y - height;
    return f < -32767 ? -32767 : f > 32767 ? 32767 : f;
}

static int rolling_height(int x, int z)
{
    return 3000 + 37 * x - 23 * z + (x * 7919 + z * 104729) % 1500;
}

static int plane_height(int x, int z)
{
    return 77 + 300 * x - 211 * z;
}

static int low_height(int x, int z)
{
    return 512 + (x * 7919 + z * 104729) % 300;
}

/* ---- tunnel, then quarry the hill away ---- */

static const struct naive_node tunnel_node = {
    .kind = NAIVE_CAPSULE, .at = {5.0, 14.3, 30.0}, .to = {60.0, 16.1, 35.0}, .radius = 6.0};

enum tunnel { NO_TUNNEL, HARD_TUNNEL, SMOOTH_TUNNEL };

/* Raises a hill 45 voxels high over low ground, drives a tunnel through it, or does not, and then quarries. */
static struct ground quarry(enum tunnel tunnel, const struct naive_edit *last)
{
    struct naive_edit edits[3];
    size_t count = 0;
    edits[count] = brush(NAIVE_RAISE, 32, 0, 32, 28, 45);
    edits[count++].falloff = NAIVE_FALLOFF_SMOOTH;
    if (tunnel != NO_TUNNEL)
        edits[count++] = shape(NAIVE_SUBTRACT, &tunnel_node, 1);
    if (tunnel == SMOOTH_TUNNEL)
        edits[count - 1].blend = (struct naive_blend){.kind = NAIVE_BLEND_SMOOTH, .width = 4.0};
    edits[count] = last != NULL ? *last : brush(NAIVE_RAISE, 32.5, 0, 32.5, 0.1, 1);
    return edit(edits, count + 1);
}

static void assert_no_shell(const char *what, enum tunnel tunnel, const struct naive_edit *last)
{
    create_start(low_height);
    struct ground hollow = quarry(tunnel, NULL);
    if (!(field_at(&hollow, 32, 15, 32) > 0 && field_at(&hollow, 32, 30, 32) < 0))
        fail_msg("there is no tunnel with a hill above it: %d, %d", field_at(&hollow, 32, 15, 32),
                 field_at(&hollow, 32, 30, 32));
    ground_release(&hollow);
    struct ground never = quarry(NO_TUNNEL, last), quarried = quarry(tunnel, last);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            for (int y = -64; y < 128; y++)
                if (field_at(&never, x, y, z) != field_at(&quarried, x, y, z))
                    fail_msg("%s: sample %d %d %d is %d, and %d where there never was a tunnel", what, x, y,
                             z, field_at(&quarried, x, y, z), field_at(&never, x, y, z));
    if (!tr_hash_equal(never.world->hash, quarried.world->hash))
        fail_msg("%s: equal samples of two hashes", what);
    if (last->op < NAIVE_UNION && block_count(&quarried) != 0)
        fail_msg("%s: %zu blocks are left", what, block_count(&quarried));
    ground_release(&never);
    ground_release(&quarried);
}

static void a_hill_with_a_tunnel_lowered_away_leaves_no_shell(void **state)
{
    (void)state;
    const struct naive_edit lower = brush(NAIVE_LOWER, 32, 0, 32, 60, 50);
    assert_no_shell("lower", HARD_TUNNEL, &lower);
    assert_no_shell("lower", SMOOTH_TUNNEL, &lower);
}

static void a_hill_with_a_tunnel_flattened_away_leaves_no_shell(void **state)
{
    (void)state;
    struct naive_edit flatten = brush(NAIVE_FLATTEN, 32, 0, 32, 60, 1),
                      set = brush(NAIVE_SET, 32, 0, 32, 60, 0);
    flatten.has_height = set.has_height = true;
    flatten.height = set.height = 2.5;
    assert_no_shell("flatten", SMOOTH_TUNNEL, &flatten);
    assert_no_shell("set", SMOOTH_TUNNEL, &set);
}

/* A height brush that takes its height from beside the hill. */
static void a_hill_with_a_tunnel_flattened_from_its_foot_leaves_no_shell(void **state)
{
    (void)state;
    static const struct naive_point path[] = {{.at = {2, 0, 2}, .radius = 40, .strength = 1},
                                              {.at = {62, 0, 62}, .radius = 40, .strength = 1}};
    const struct naive_edit stroke = {.op = NAIVE_FLATTEN,
                                      .falloff = NAIVE_FALLOFF_CONSTANT,
                                      .path = path,
                                      .path_count = 2,
                                      .spacing = 20.0};
    assert_no_shell("stroke", SMOOTH_TUNNEL, &stroke);
}

/* Ground cut down to a slab whose upper face lies below the tunnel. A smooth one would show: it bends solid ground that is
 * nearer to it than its width. */
static void a_hill_with_a_tunnel_intersected_away_leaves_no_shell(void **state)
{
    (void)state;
    const struct naive_node slab = {.kind = NAIVE_BOX, .at = {32, -200, 32}, .size = {1000, 410, 1000}};
    struct naive_edit intersect = shape(NAIVE_INTERSECT, &slab, 1);
    intersect.has_within = true;
    for (int i = 0; i < 3; i++) {
        intersect.within[0][i] = i == 1 ? -100 : -1000;
        intersect.within[1][i] = i == 1 ? 200 : 1000;
    }
    assert_no_shell("intersect", HARD_TUNNEL, &intersect);
}

/* The same by taking a great ball from the hill: nothing solid is left in it. */
static void a_hill_with_a_tunnel_cut_away_by_a_shape_leaves_no_shell(void **state)
{
    (void)state;
    const struct naive_node ball = {.kind = NAIVE_SPHERE, .at = {32, 30, 32}, .radius = 45};
    const struct naive_edit subtract = shape(NAIVE_SUBTRACT, &ball, 1);
    create_start(low_height);
    struct ground ground = quarry(SMOOTH_TUNNEL, &subtract);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            for (int y = -20; y < 80; y++) {
                int dx = x - 32, dy = y - 30, dz = z - 32, s = field_at(&ground, x, y, z);
                if (dx * dx + dy * dy + dz * dz < 45 * 45 && s <= 0)
                    fail_msg("sample %d %d %d is solid: %d", x, y, z, s);
            }
    ground_release(&ground);
}

static void a_chunk_that_becomes_volumetric_keeps_its_surface(void **state)
{
    (void)state;
    const struct naive_node ball = {.kind = NAIVE_SPHERE, .at = {30, 50, 31}, .radius = 5};
    const struct naive_edit add = shape(NAIVE_UNION, &ball, 1);
    create_start(rolling_height);
    struct ground ground = edit(&add, 1);
    assert_true(ground.chunks[0][0].block_count >= 1);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            for (int y = -64; y < 128; y++) {
                int dx = x - 30, dy = y - 50, dz = z - 31, d2 = dx * dx + dy * dy + dz * dz;
                int before = height_field(y, rolling_height(x, z)), now = field_at(&ground, x, y, z);
                if (d2 > 22 * 22 ? now != before : d2 > 5 * 5 && (now <= 0) != (before <= 0))
                    fail_msg("sample %d %d %d was %d, is %d", x, y, z, before, now);
            }
    ground_release(&ground);
}

/* ---- the largest shapes ---- */

#define LARGE 100000.0

static int bottom_height(int x, int z)
{
    (void)x;
    (void)z;
    return -100 * UNITS;
}

static int top_height(int x, int z)
{
    (void)x;
    (void)z;
    return 120 * UNITS;
}

/* Centres LARGE voxels from (32, 10, 32): a level place is out of reach, as centres lie within 65,536 voxels along y. */
static const double centres[][3] = {
    {32 - 0.8 * LARGE, 10 - 0.6 * LARGE, 32}, {32, 10 - 0.6 * LARGE, 32 + 0.8 * LARGE}, {32 + LARGE, 10, 32}};

static double large_distance(const double centre[3], int x, int y, int z)
{
    return sqrt(pow(x - centre[0], 2) + pow(y - centre[1], 2) + pow(z - centre[2], 2)) - LARGE;
}

/* The height at which the surface crosses the column, between its samples y and y + 1, of which exactly one is solid;
 * against the sphere's own. */
static void check_crossing(const struct ground *ground, const double centre[3], int x, int y, int z)
{
    const double lo = field_at(ground, x, y, z), hi = field_at(ground, x, y + 1, z);
    const double across_2 = pow(x - centre[0], 2) + pow(z - centre[2], 2);
    const double found = y + lo / (lo - hi), expected = centre[1] + sqrt(LARGE * LARGE - across_2);
    if (!(fabs(found - expected) * UNITS <= 1.0))
        fail_msg("the surface crosses %d . %d at %.6f, expected %.6f", x, z, found, expected);
}

/* With `sign` 1 the sphere is added to air, with -1 it is taken from solid ground. */
static void check_large_sphere(const double centre[3], int sign)
{
    const struct naive_node ball = {
        .kind = NAIVE_SPHERE, .at = {centre[0], centre[1], centre[2]}, .radius = LARGE};
    const struct naive_edit one = shape(sign > 0 ? NAIVE_UNION : NAIVE_SUBTRACT, &ball, 1);
    create_start(sign > 0 ? bottom_height : top_height);
    struct ground ground = edit(&one, 1);
    int checked = 0;
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            for (int y = -60; y < 80; y++) {
                const double d = large_distance(centre, x, y, z), above = large_distance(centre, x, y + 1, z);
                if (fabs(d) > 15.0)
                    continue;
                const int s = field_at(&ground, x, y, z);
                if (!(fabs(s - sign * UNITS * d) <= 1.0))
                    fail_msg("sample %d %d %d is %d, expected %.3f", x, y, z, s, sign * UNITS * d);
                checked++;
                if (d < -0.1 && above > 0.1 && centre[1] < 0.0)
                    check_crossing(&ground, centre, x, y, z);
            }
    assert_true(checked > 10000);
    ground_release(&ground);
}

static void a_sphere_of_100000_voxels_has_its_height_within_a_unit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof centres / sizeof *centres; i++) {
        check_large_sphere(centres[i], 1);
        check_large_sphere(centres[i], -1);
    }
}

/* A plane through (32, 10, 32) whose point of reference lies LARGE voxels along it, joined to air in a box. */
static void check_far_half_space(const double normal[3], const double along[3])
{
    struct naive_node below = {.kind = NAIVE_HALF_SPACE};
    struct naive_edit one;
    double length = sqrt(pow(normal[0], 2) + pow(normal[1], 2) + pow(normal[2], 2));
    int checked = 0;
    for (int i = 0; i < 3; i++) {
        const double here = i == 1 ? 10.0 : 32.0;
        below.at[i] = here + LARGE * along[i];
        below.axis[i] = normal[i];
    }
    one = shape(NAIVE_UNION, &below, 1);
    one.has_within = true;
    for (int i = 0; i < 3; i++) {
        one.within[0][i] = -60.0;
        one.within[1][i] = 79.0;
    }
    create_start(bottom_height);
    struct ground ground = edit(&one, 1);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            for (int y = -60; y < 80; y++) {
                const double d =
                    (normal[0] * (x - 32.0) + normal[1] * (y - 10.0) + normal[2] * (z - 32.0)) / length;
                if (fabs(d) > 15.0)
                    continue;
                const int s = field_at(&ground, x, y, z);
                if (!(fabs(s - UNITS * d) <= 1.0))
                    fail_msg("sample %d %d %d is %d, expected %.3f", x, y, z, s, UNITS * d);
                checked++;
            }
    assert_true(checked > 10000);
    ground_release(&ground);
}

static void a_half_space_told_from_100000_voxels_away_has_its_height_within_a_unit(void **state)
{
    (void)state;
    check_far_half_space((double[]){0, 1, 0}, (double[]){1, 0, 0});
    check_far_half_space((double[]){0.6, 0.8, 0}, (double[]){0, 0, -1});
    check_far_half_space((double[]){3, 4, 12}, (double[]){0.8, -0.6, 0});
}

/* ---- smoothing ---- */

static void smoothing_heights_keeps_a_plane_a_plane(void **state)
{
    (void)state;
    struct naive_edit edits[18];
    create_start(plane_height);
    for (int i = 0; i < 18; i++) {
        edits[i] = brush(i < 9 ? NAIVE_SMOOTH : NAIVE_HC_SMOOTH, 30.0 + i * 0.3, 0, 34.0 - i * 0.3, 24, 0.7);
        edits[i].falloff = (enum naive_falloff)(i % 9);
    }
    struct ground ground = edit(edits, 18);
    assert_int_equal(ground.changed, 0);
    ground_release(&ground);
}

/* The samples of a plane are bent only where they are clamped, 128 voxels from it. */
static void smoothing_samples_keeps_a_plane_a_plane(void **state)
{
    (void)state;
    struct naive_edit edits[18];
    create_start(plane_height);
    for (int i = 0; i < 18; i++) {
        edits[i] = brush(NAIVE_VOLUME_SMOOTH, 30.0 + i * 0.3, 11.0 + i, 34.0 - i * 0.3, 20, 0.7);
        edits[i].falloff = (enum naive_falloff)(i % 9);
        edits[i].projected = i >= 9;
        edits[i].axis[0] = 1.0;
        edits[i].axis[1] = i - 13.0;
    }
    struct ground ground = edit(edits, 18);
    assert_int_equal(ground.changed, 0);
    ground_release(&ground);
}

/* The sum of squares of what each inner height is off the mean of its neighbours. */
static double height_curvature(const struct ground *ground)
{
    double sum = 0.0;
    for (int z = 1; z < SIDE - 1; z++)
        for (int x = 1; x < SIDE - 1; x++) {
            double off = height_at(ground, x - 1, z) + height_at(ground, x + 1, z) +
                         height_at(ground, x, z - 1) + height_at(ground, x, z + 1) -
                         4.0 * height_at(ground, x, z);
            sum += off * off;
        }
    return sum;
}

/* The same of the samples within 12 voxels of the middle. */
static double sample_curvature(const struct ground *ground)
{
    double sum = 0.0;
    for (int z = 20; z <= 44; z++)
        for (int x = 20; x <= 44; x++)
            for (int y = 0; y <= 24; y++) {
                double off = field_at(ground, x - 1, y, z) + field_at(ground, x + 1, y, z) +
                             field_at(ground, x, y - 1, z) + field_at(ground, x, y + 1, z) +
                             field_at(ground, x, y, z - 1) + field_at(ground, x, y, z + 1) -
                             6.0 * field_at(ground, x, y, z);
                sum += off * off;
            }
    return sum;
}

/* A smooth of each falloff, behind an edit or none. */
static void check_curvature(const struct naive_edit *before, struct naive_edit smooth,
                            double (*curvature)(const struct ground *ground))
{
    struct naive_edit edits[2];
    size_t count = 0;
    create_start(rolling_height);
    edits[count++] = before != NULL ? *before : brush(NAIVE_RAISE, 32.5, 0, 32.5, 0.1, 1);
    struct ground rough = edit(edits, count);
    for (int i = 0; i < 9; i++) {
        smooth.falloff = (enum naive_falloff)i;
        smooth.power = 2;
        edits[count] = smooth;
        struct ground smoothed = edit(edits, count + 1);
        if (!(curvature(&smoothed) < 0.97 * curvature(&rough)))
            fail_msg("falloff %d: curvature %g, before %g", i, curvature(&smoothed), curvature(&rough));
        ground_release(&smoothed);
    }
    ground_release(&rough);
}

static void smoothing_heights_lowers_curvature(void **state)
{
    (void)state;
    check_curvature(NULL, brush(NAIVE_SMOOTH, 31, 0, 33, 30, 0.5), height_curvature);
    check_curvature(NULL, brush(NAIVE_HC_SMOOTH, 31, 0, 33, 30, 0.5), height_curvature);
}

static void smoothing_samples_lowers_curvature(void **state)
{
    (void)state;
    static const struct naive_node box = {.kind = NAIVE_BOX, .at = {32, 12, 32}, .size = {12, 10, 14}};
    const struct naive_edit subtract = shape(NAIVE_SUBTRACT, &box, 1);
    check_curvature(&subtract, brush(NAIVE_VOLUME_SMOOTH, 32, 12, 32, 22, 0.5), sample_curvature);
}

/* Rounds of a smooth on a hill 20 voxels high; what its top has lost, voxels. */
static double lost_height(enum naive_op op)
{
    enum { ROUNDS = 12 };
    struct naive_edit edits[ROUNDS + 1];
    create_start(bottom_height);
    edits[0] = brush(NAIVE_RAISE, 32, 0, 32, 12, 20);
    edits[0].falloff = NAIVE_FALLOFF_SMOOTH;
    for (int i = 1; i <= ROUNDS; i++)
        edits[i] = brush(op, 32, 0, 32, 30, 0.8);
    struct ground ground = edit(edits, ROUNDS + 1);
    double lost = 20.0 - (height_at(&ground, 32, 32) - bottom_height(32, 32)) / (double)UNITS;
    ground_release(&ground);
    return lost;
}

static void hc_smooth_keeps_a_hill_that_smooth_wears_down(void **state)
{
    (void)state;
    const double smooth = lost_height(NAIVE_SMOOTH), hc = lost_height(NAIVE_HC_SMOOTH);
    if (!(smooth > 2.0 && hc > 0.0 && hc < smooth / 2))
        fail_msg("smooth takes %.3f voxels from the hill, hc-smooth %.3f", smooth, hc);
}

/* ---- noise ---- */

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int distinct_heights(uint64_t seed)
{
    static int heights[SIDE * SIDE];
    struct naive_edit noise = brush(NAIVE_NOISE, 32, 0, 32, 100, 100);
    noise.scale = 24.0;
    noise.octaves = 5;
    noise.seed = seed;
    struct ground ground = edit(&noise, 1);
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = height_at(&ground, i % SIDE, i / SIDE);
    ground_release(&ground);
    qsort(heights, SIDE * SIDE, sizeof *heights, compare_ints);
    int count = 1;
    for (int i = 1; i < SIDE * SIDE; i++)
        count += heights[i] != heights[i - 1];
    return count;
}

/* Plateaus are what noise degrades to. */
static void noise_of_large_seeds_has_as_many_heights_as_of_seed_0(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {2147483647, UINT64_C(9007199254740993), UINT64_MAX};
    create_start(bottom_height);
    const int expected = distinct_heights(0);
    for (int i = 0; i < 3; i++) {
        const int found = distinct_heights(seeds[i]);
        if (abs(found - expected) > expected / 20)
            fail_msg("seed %llu: %d distinct heights, of seed 0 %d", (unsigned long long)seeds[i], found,
                     expected);
    }
}

/* ---- paint ---- */

/* Of each pair of neighbours that the surface of a ball in the air lies between, the solid one is painted, and what is
 * far from the ball is not. */
static void a_surface_made_with_a_shape_is_painted_with_it(void **state)
{
    (void)state;
    const struct naive_node ball = {.kind = NAIVE_SPHERE, .at = {31.3, 20.7, 32.9}, .radius = 9.4};
    struct naive_edit edits[2] = {shape(NAIVE_UNION, &ball, 1), shape(NAIVE_SHAPE_PAINT, &ball, 1)};
    int checked = 0;
    edits[1].material = 200;
    create_start(bottom_height);
    struct ground ground = edit(edits, 2);
    for (int z = 1; z < SIDE - 1; z++)
        for (int x = 1; x < SIDE - 1; x++)
            for (int y = 1; y < 63; y++) {
                if (field_at(&ground, x, y, z) > 0)
                    continue;
                const int beside[] = {field_at(&ground, x - 1, y, z), field_at(&ground, x + 1, y, z),
                                      field_at(&ground, x, y - 1, z), field_at(&ground, x, y + 1, z),
                                      field_at(&ground, x, y, z - 1), field_at(&ground, x, y, z + 1)};
                for (int i = 0; i < 6; i++)
                    if (beside[i] > 0 && material_at(&ground, x, y, z) != 200)
                        fail_msg("sample %d %d %d has material %d", x, y, z, material_at(&ground, x, y, z));
                checked++;
            }
    assert_true(checked > 1000);
    assert_int_equal(material_at(&ground, 32, 33, 32), 0);
    assert_int_equal(material_at(&ground, 32, -99, 32), 0);
    ground_release(&ground);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hill_with_a_tunnel_lowered_away_leaves_no_shell),
        cmocka_unit_test(a_hill_with_a_tunnel_flattened_away_leaves_no_shell),
        cmocka_unit_test(a_hill_with_a_tunnel_flattened_from_its_foot_leaves_no_shell),
        cmocka_unit_test(a_hill_with_a_tunnel_intersected_away_leaves_no_shell),
        cmocka_unit_test(a_hill_with_a_tunnel_cut_away_by_a_shape_leaves_no_shell),
        cmocka_unit_test(a_chunk_that_becomes_volumetric_keeps_its_surface),
        cmocka_unit_test(a_sphere_of_100000_voxels_has_its_height_within_a_unit),
        cmocka_unit_test(a_half_space_told_from_100000_voxels_away_has_its_height_within_a_unit),
        cmocka_unit_test(smoothing_heights_keeps_a_plane_a_plane),
        cmocka_unit_test(smoothing_samples_keeps_a_plane_a_plane),
        cmocka_unit_test(smoothing_heights_lowers_curvature),
        cmocka_unit_test(smoothing_samples_lowers_curvature),
        cmocka_unit_test(hc_smooth_keeps_a_hill_that_smooth_wears_down),
        cmocka_unit_test(noise_of_large_seeds_has_as_many_heights_as_of_seed_0),
        cmocka_unit_test(a_surface_made_with_a_shape_is_painted_with_it),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
