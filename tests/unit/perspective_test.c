/* Pictures of mesh packs in perspective: what lies where is computed here from the view alone and looked for in the picture.
 *
 * The ground is found by its colour: with --lod-colors that of LOD 0 is red, and nothing else is. */
#include "tests/support/test.h"

#include "lib/base/alloc.h"
#include "lib/run/perspective.h"
#include "lib/run/perspective_parts.h"
#include "lib/run/scan.h"
#include "tests/unit/pack_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static char pack_path[TR_PATH_BYTES];

static int setup(void **state)
{
    if (scratch_make(state) != 0)
        return -1;
    return tr_path_join(pack_path, *state, "a.tpack", NULL) == TR_OK ? 0 : -1;
}

/* ---- scenes of one tile ---- */

static int ball_at(double x, double y, double z, double radius, int px, int py, int pz)
{
    double dx = px - x, dy = py - y, dz = pz - z;

    return (int)floor((sqrt(dx * dx + dy * dy + dz * dz) - radius) * 256.0 + 0.5);
}

#define GROUND 16 /* of level ground, voxels */
#define PLANE (256 * GROUND + 128)

static int level_field(int x, int y, int z)
{
    (void)x;
    (void)z;
    return 256 * y - PLANE;
}

static int ball_field(int x, int y, int z)
{
    return ball_at(32.0, 32.0, 32.0, 20.0, x, y, z);
}

/* A ball afloat above level ground. */
static int lamp_field(int x, int y, int z)
{
    int ground = level_field(x, y, z), ball = ball_at(20.0, 32.0, 32.0, 5.0, x, y, z);

    return ground < ball ? ground : ball;
}

/* Level ground with a tunnel along x from side to side. */
static int tunnel_field(int x, int y, int z)
{
    int ground = 256 * y - (256 * 40 + 128), tunnel = ball_at(x, 24.3, 30.2, 8.0, x, y, z);

    return ground > -tunnel ? ground : -tunnel;
}

static struct tr_pack *pack_of(fixture_field *field, double voxel_size)
{
    struct tr_pack_info info = {.size_x = 1, .size_z = 1, .voxel_size = voxel_size};
    struct tr_error error = {0};
    struct tr_mesh mesh = fixture_march(field, 0, 0, 0);
    struct tr_tile_part part;
    struct tr_tile_mesh tile = fixture_tile(&mesh, &part);
    struct tr_pack_writer *writer;
    struct tr_pack_blob blob = {0};
    struct tr_pack *pack;
    struct tr_hash hash;

    assert_ok(tr_pack_writer_create(pack_path, &info, true, &writer, &error), &error);
    assert_ok(tr_pack_encode(0, 0, 0, fixture_same, &tile, &blob, &error), &error);
    assert_ok(tr_pack_writer_add(writer, &blob, &error), &error);
    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_blob_release(&blob);
    tr_pack_writer_free(writer);
    tr_mesh_release(&mesh);
    assert_ok(tr_pack_open(pack_path, &pack, &error), &error);
    return pack;
}

static enum tr_status try_draw(const struct tr_pack *pack, const struct tr_view *view, int job_count,
                               struct tr_picture *picture, struct tr_error *error)
{
    struct tr_jobs *jobs;
    enum tr_status status;

    assert_int_equal(tr_jobs_create(job_count, &jobs, NULL), TR_OK);
    status = tr_preview_perspective(jobs, pack, view, picture, error);
    tr_jobs_free(jobs);
    return status;
}

static struct tr_picture draw(const struct tr_pack *pack, const struct tr_view *view)
{
    struct tr_picture picture;
    struct tr_error error = {0};

    assert_ok(try_draw(pack, view, 1, &picture, &error), &error);
    assert_int_equal(picture.width, view->width);
    assert_int_equal(picture.height, view->height);
    return picture;
}

/* 200 x 160 pixels of ground in red, from and to places in voxels of a world of 1 m voxels. */
static struct tr_view view_of(double from_x, double from_y, double from_z, double to_x, double to_y,
                              double to_z)
{
    struct tr_view view;

    tr_view_init(&view);
    view.width = 200;
    view.height = 160;
    view.lod_colors = true;
    view.has_from = view.has_look_at = true;
    memcpy(view.from, (double[]){from_x, from_y, from_z}, sizeof view.from);
    memcpy(view.look_at, (double[]){to_x, to_y, to_z}, sizeof view.look_at);
    return view;
}

/* Pixels a unit of x / z or y / z is wide. */
static double focal(const struct tr_view *view)
{
    return view->height / 2.0 / tan(view->fov * PI / 360.0);
}

static const uint8_t *pixel(const struct tr_picture *picture, int x, int y)
{
    if (x < 0 || y < 0 || x >= (int)picture->width || y >= (int)picture->height)
        fail_msg("pixel %d, %d of a picture of %u x %u", x, y, picture->width, picture->height);
    return picture->rgb + ((size_t)y * picture->width + (size_t)x) * 3;
}

static bool is_red(const struct tr_picture *picture, int x, int y)
{
    const uint8_t *rgb = pixel(picture, x, y);

    return rgb[0] * 10 > rgb[1] * 13 && rgb[0] * 10 > rgb[2] * 13; /* in shadow too; earth is browner */
}

static int brightness(const struct tr_picture *picture, int x, int y)
{
    const uint8_t *rgb = pixel(picture, x, y);

    return rgb[0] + rgb[1] + rgb[2];
}

/* ---- tests ---- */

static void level_ground_ends_where_perspective_says(void **state)
{
    struct tr_pack *pack = pack_of(level_field, 1.0);
    /* straight north, 12 above the ground, 90 away from its far side and 26 from its near one */
    struct tr_view view = view_of(32.0, GROUND + 12.5, 90.0, 32.0, GROUND + 12.5, 0.0);
    struct tr_picture picture = draw(pack, &view);
    double far_row = 80.0 + 12.0 / 90.0 * focal(&view), near_row = 80.0 + 12.0 / 26.0 * focal(&view);
    double left = 100.0 - 32.0 / 90.0 * focal(&view);

    (void)state;
    for (int x = 100 - 20; x <= 100 + 20; x += 10) {
        int top = 0, bottom = (int)picture.height;

        while (top < (int)picture.height && !is_red(&picture, x, top))
            top++;
        while (bottom > top && !is_red(&picture, x, bottom - 1))
            bottom--;
        if (fabs(top - far_row) > 1.0)
            fail_msg("column %d: ground from row %d, expected %.2f", x, top, far_row);
        if (near_row < picture.height && fabs(bottom - near_row) > 1.0)
            fail_msg("column %d: ground to row %d, expected %.2f", x, bottom, near_row);
    }
    for (int x = 0; x < 100; x++) {
        bool expected = x + 0.5 > left;

        if (fabs(x + 0.5 - left) > 1.5 && is_red(&picture, x, (int)far_row + 1) != expected)
            fail_msg("row %d, column %d: ground is %d, expected from column %.2f", (int)far_row + 1, x,
                     !expected, left);
    }
    tr_picture_release(&picture);
    tr_pack_close(pack);
}

/* Where it is dark or hazy red is hard to tell: the ball is what --lod-colors paints otherwise. */
static void a_ball_has_the_outline_of_its_tangent_cone(void **state)
{
    struct tr_pack *pack = pack_of(ball_field, 1.0);
    struct tr_view view = view_of(32.0, 32.0, 132.0, 32.0, 32.0, 32.0);
    struct tr_picture red = draw(pack, &view), green;
    double radius = tan(asin(20.0 / 100.0)) * focal(&view);

    (void)state;
    view.lod_colors = false;
    green = draw(pack, &view);
    for (int y = 0; y < 160; y++)
        for (int x = y < 120 ? 0 : 70; x < 200; x++) { /* in the corner lies the legend */
            double from_middle = hypot(x + 0.5 - 100.0, y + 0.5 - 80.0);
            bool is_ball = memcmp(pixel(&red, x, y), pixel(&green, x, y), 3) != 0;

            if (fabs(from_middle - radius) > 1.2 && is_ball != (from_middle < radius))
                fail_msg("pixel %d, %d, %.2f from the middle, outline at %.2f: %s", x, y, from_middle, radius,
                         is_ball ? "ball" : "no ball");
        }
    tr_picture_release(&red);
    tr_picture_release(&green);
    tr_pack_close(pack);
}

static void voxels_of_another_size_make_the_same_picture(void **state)
{
    struct tr_pack *pack = pack_of(ball_field, 0.25);
    struct tr_view view = view_of(8.0, 8.0, 33.0, 8.0, 8.0, 8.0),
                   metres = view_of(32.0, 32.0, 132.0, 32.0, 32.0, 32.0);
    struct tr_picture quarter = draw(pack, &view), whole;
    int differing = 0;

    (void)state;
    tr_pack_close(pack);
    pack = pack_of(ball_field, 1.0);
    whole = draw(pack, &metres);
    for (int y = 0; y < 160; y++)
        for (int x = 0; x < 200; x++)
            differing += is_red(&quarter, x, y) != is_red(&whole, x, y);
    assert_int_equal(differing, 0);
    tr_picture_release(&quarter);
    tr_picture_release(&whole);
    tr_pack_close(pack);
}

static void a_shadow_lies_where_the_sun_casts_it(void **state)
{
    struct tr_pack *pack = pack_of(lamp_field, 1.0);
    /* straight down on the middle; north is up. The ball is 15.5 above the ground and the sun in the west at 45 degrees */
    struct tr_view view = view_of(32.0, 132.5, 32.0, 32.0, GROUND, 32.0);
    double metre; /* pixels, on the ground */
    int middle_x, radius;

    (void)state;
    view.sun_azimuth = 270.0;
    view.sun_elevation = 45.0;
    metre = focal(&view) / (132.5 - GROUND - 0.5);
    middle_x = (int)(100.0 + (20.0 + 15.5 - 32.0) * metre);
    radius = (int)(5.0 * metre);
    for (int sun = 0; sun < 2; sun++) {
        struct tr_picture picture;
        int shaded, lit;

        view.sun_azimuth = sun ? 90.0 : 270.0; /* from the east it falls to the west of the ball instead */
        picture = draw(pack, &view);
        shaded = brightness(&picture, sun ? (int)(100.0 + (20.0 - 15.5 - 32.0) * metre) : middle_x, 80);
        lit = brightness(&picture, sun ? middle_x : (int)(100.0 + (20.0 - 15.5 - 32.0) * metre), 80);
        if (!(shaded * 3 < lit * 2))
            fail_msg("sun in the %s: the shadow's middle is %d, the other side %d", sun ? "east" : "west",
                     shaded, lit);
        if (sun == 0) {
            int beyond = brightness(&picture, middle_x, 80 - radius - 3);

            if (!(shaded * 3 < beyond * 2))
                fail_msg("north of the shadow it is %d, in it %d", beyond, shaded);
            assert_true(is_red(&picture, middle_x, 80));
        }
        tr_picture_release(&picture);
    }
    tr_pack_close(pack);
}

static void wires_are_drawn_only_when_asked_for(void **state)
{
    struct tr_pack *pack = pack_of(level_field, 1.0);
    struct tr_view view = view_of(32.0, 60.0, 32.5, 32.0, GROUND, 32.0);
    struct tr_picture plain = draw(pack, &view), wires;
    int darker = 0, same = 0;

    (void)state;
    view.wireframe = true;
    wires = draw(pack, &view);
    for (int y = 0; y < 160; y++)
        for (int x = 0; x < 200; x++) {
            if (brightness(&wires, x, y) > brightness(&plain, x, y))
                fail_msg("pixel %d, %d is brighter with wires", x, y);
            darker += brightness(&wires, x, y) * 4 < brightness(&plain, x, y) * 3;
            same += brightness(&wires, x, y) == brightness(&plain, x, y);
        }
    /* cells are 5 to 6 pixels wide here: lines over a good part, and not over all */
    if (darker < 200 * 160 / 10 || same < 200 * 160 / 10)
        fail_msg("%d pixels darker, %d the same, of %d", darker, same, 200 * 160);
    tr_picture_release(&plain);
    tr_picture_release(&wires);
    tr_pack_close(pack);
}

static void jobs_do_not_change_a_byte(void **state)
{
    struct tr_pack *pack = pack_of(lamp_field, 1.0);
    struct tr_view view;
    struct tr_picture one, three;
    struct tr_error error = {0};

    (void)state;
    tr_view_init(&view);
    view.width = 301;
    view.height = 199;
    view.wireframe = true;
    assert_ok(try_draw(pack, &view, 1, &one, &error), &error);
    assert_ok(try_draw(pack, &view, 3, &three, &error), &error);
    assert_memory_equal(one.rgb, three.rgb, (size_t)301 * 199 * 3);
    tr_picture_release(&one);
    tr_picture_release(&three);
    tr_pack_close(pack);
}

static void the_default_view_shows_the_whole_mesh(void **state)
{
    struct tr_pack *pack = pack_of(level_field, 1.0);
    struct tr_view view;
    struct tr_picture picture;
    int red = 0;

    (void)state;
    tr_view_init(&view);
    view.width = 200;
    view.height = 160;
    view.lod_colors = true;
    picture = draw(pack, &view);
    for (int y = 0; y < 160; y++)
        for (int x = 0; x < 200; x++) {
            bool is_border = x == 0 || y == 0 || x == 199 || y == 159;

            red += is_red(&picture, x, y);
            if (is_border && is_red(&picture, x, y))
                fail_msg("ground at the picture's border: %d, %d", x, y);
        }
    if (red < 200 * 160 / 5)
        fail_msg("%d of %d pixels show ground, expected a fifth at least", red, 200 * 160);
    tr_picture_release(&picture);
    tr_pack_close(pack);
}

static void views_that_show_nothing_are_refused(void **state)
{
    struct tr_pack *pack = pack_of(level_field, 1.0);
    const struct tr_view good = view_of(32.0, 60.0, 90.0, 32.0, 16.0, 32.0);
    struct tr_view bad[11];
    static const char *const said[11] = {"0 x 160",       "4097",         "degrees",     "degrees",
                                         "elevation 0.5", "elevation 91", "azimuth 400", "--from",
                                         "--from",        "--look-at",    "--lod"};

    (void)state;
    for (int i = 0; i < 11; i++)
        bad[i] = good;
    bad[0].width = 0;
    bad[1].height = 4097;
    bad[2].fov = 0.5;
    bad[3].fov = NAN;
    bad[4].sun_elevation = 0.5;
    bad[5].sun_elevation = 91.0;
    bad[6].sun_azimuth = 400.0;
    bad[7].from[1] = 1e300;
    bad[8].from[0] = 32.0, bad[8].from[1] = 16.0, bad[8].from[2] = 32.0;
    bad[9].look_at[2] = -INFINITY;
    bad[10].has_lod = true;
    for (int i = 0; i < 11; i++) {
        struct tr_picture picture;
        struct tr_error error = {0};
        enum tr_status status = try_draw(pack, &bad[i], 1, &picture, &error);

        if (status != (i == 10 ? TR_USAGE : TR_BAD_INPUT) || !strstr(error.text, said[i]) || picture.rgb)
            fail_msg("view %d: status %d, '%s', expected '%s'", i, (int)status, error.text, said[i]);
    }
    tr_pack_close(pack);
}

/* ---- the sides ---- */

static void a_ray_ends_in_cut_ground_and_passes_through_a_tunnel(void **state)
{
    struct tr_mesh mesh = fixture_march(tunnel_field, 0, 0, 0);
    struct tr_tile_part part;
    struct tr_tile_mesh tile = fixture_tile(&mesh, &part);
    struct tr_cut cut = {.size = {64.0, 64.0}, .floor = -5.0};
    const int64_t corner[3] = {0}, size[2] = {64 * 256, 64 * 256};
    struct tr_error error = {0};
    struct tr_cut_hit hit;

    (void)state;
    assert_ok(tr_cut_collect(&tile, corner, size, cut.sides, &error), &error);
    assert_ok(tr_cut_sort(&cut, &error), &error);
    for (int y = -10; y < 50; y++)
        for (int z = -3; z < 67; z++) {
            const double from[3] = {80.0, y + 0.25, z + 0.25}, ray[3] = {-2.0, 0.0, 0.0};
            double to_tunnel = hypot(from[1] - 24.3, from[2] - 30.2);
            bool ground = from[1] > -5.0 && from[1] < 40.5 && from[2] > 0 && from[2] < 64 && to_tunnel > 8.0;
            bool found = tr_cut_hit(&cut, from, ray, &hit);
            double roof =
                fabs(from[2] - 30.2) < 8.0 ? 24.3 - sqrt(64.0 - (from[2] - 30.2) * (from[2] - 30.2)) : 40.5;

            if (fabs(to_tunnel - 8.0) < 0.2)
                continue; /* on the tunnel's wall, which the mesh has as straight pieces */
            if (found != ground)
                fail_msg("at y %.2f, z %.2f: %s", from[1], from[2], found ? "cut ground" : "no ground");
            if (!found)
                continue;
            assert_int_equal(hit.side, 1);
            assert_true(hit.t == 8.0);
            if (from[1] > roof)
                roof = 40.5;
            if (fabs(hit.below - (roof - from[1])) > 0.3)
                fail_msg("at y %.2f, z %.2f: %.2f below the surface, expected %.2f", from[1], from[2],
                         hit.below, roof - from[1]);
        }
    /* from within, and along the side, it meets none */
    assert_false(tr_cut_hit(&cut, (double[]){32.0, 10.0, 10.0}, (double[]){1.0, 0.0, 0.0}, &hit));
    assert_false(tr_cut_hit(&cut, (double[]){80.0, 10.0, 10.0}, (double[]){0.0, 0.0, 1.0}, &hit));
    tr_cut_release(&cut);
    tr_mesh_release(&mesh);
}

/* ---- scanning ---- */

enum { GRID = 48 };

static void count_sample(void *context, const struct tr_scan_planes *planes, int32_t x, int32_t y,
                         const double q[3])
{
    int *counts = context;

    (void)planes;
    assert_in_range(x, 0, GRID - 1);
    assert_in_range(y, 0, GRID - 1);
    assert_true(q[0] + q[1] + q[2] > 0.0);
    counts[y * GRID + x]++;
}

static uint64_t seed = 1;

static double random_between(double lo, double hi)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(seed >> 40) / (double)(1 << 24);
}

/* A fan of triangles around a corner inside, out to far beyond the picture and behind the eye. */
static void triangles_that_share_edges_cover_each_sample_once(void **state)
{
    const struct tr_scan_rect all = {0, 0, GRID, GRID};

    (void)state;
    for (int round = 0; round < 300; round++) {
        enum { SPOKES = 7 };
        float points[SPOKES + 1][4];
        int counts[GRID * GRID] = {0};

        for (int i = 0; i <= SPOKES; i++) {
            double angle = 2.0 * PI * (i + random_between(0.1, 0.4)) / SPOKES;
            double reach = round % 3 == 2 ? random_between(40.0, 4000.0) : random_between(3.0, 9.0);
            double w = random_between(0.5, 20.0);

            if (i == SPOKES) /* the middle, now and then exactly on a sample */
                reach = round % 2 ? 0.0 : random_between(0.0, 0.4);
            points[i][0] = (float)(reach * cos(angle) * w);
            points[i][1] = (float)(reach * sin(angle) * w);
            points[i][2] = 0.0f;
            points[i][3] = (float)w;
        }
        for (int i = 0; i < SPOKES; i++) {
            const float *const clip[3] = {points[SPOKES], points[i], points[(i + 1) % SPOKES]};

            tr_scan_triangle(clip, GRID, GRID, 0.01, all, count_sample, counts);
        }
        for (int i = 0; i < GRID * GRID; i++)
            if (counts[i] != 1)
                fail_msg("round %d: sample %d, %d is covered %d times", round, i % GRID, i / GRID, counts[i]);
    }
}

/* A floor that reaches from behind the eye to the horizon: below it everything is covered, above nothing. */
static void what_lies_behind_the_eye_is_cut_off(void **state)
{
    static const double eye[3] = {0.0, 2.0, 0.0}, north[3] = {0.0, 0.0, -1.0};
    static const double corners[4][3] = {{-4e5, 0, 4e5}, {4e5, 0, 4e5}, {4e5, 0, -4e5}, {-4e5, 0, -4e5}};
    const struct tr_scan_rect all = {0, 0, GRID, GRID};
    struct tr_camera camera;
    float points[4][4];
    int counts[GRID * GRID] = {0};

    (void)state;
    tr_camera_perspective(&camera, eye, north, 60.0, 1.0);
    for (int i = 0; i < 4; i++)
        tr_camera_project(&camera, corners[i], points[i]);
    for (int i = 1; i < 3; i++) {
        const float *const clip[3] = {points[0], points[i], points[i + 1]};

        tr_scan_triangle(clip, GRID, GRID, TR_CAMERA_NEAR, all, count_sample, counts);
    }
    for (int i = 0; i < GRID * GRID; i++)
        if (counts[i] != (i / GRID >= GRID / 2))
            fail_msg("sample %d, %d is covered %d times", i % GRID, i / GRID, counts[i]);
}

static void look_at_sample(void *context, const struct tr_scan_planes *planes, int32_t x, int32_t y,
                           const double q[3])
{
    (void)planes;
    (void)q;
    assert_in_range(x, 8, 39);
    assert_in_range(y, 16, 31);
    ++*(int *)context;
}

/* Needles, single points, corners behind the eye, far out or on a clipping plane. */
static void any_corners_are_scanned_within_the_rectangle(void **state)
{
    static const float special[] = {0.0f,   1.0f,  -1.0f,  0.01f, -0.01f, 64.0f,
                                    -64.0f, 0.64f, 1e-30f, 1e9f,  -1e9f,  3e18f};
    const struct tr_scan_rect part = {8, 16, 40, 32};
    int scanned = 0;

    (void)state;
    for (int round = 0; round < 200000; round++) {
        float points[3][4];
        const float *const clip[3] = {points[0], points[1], points[2]};

        for (int i = 0; i < 12; i++) {
            int choice = (int)random_between(0.0, 24.0);

            points[i / 4][i % 4] = choice < 12 ? special[choice] : (float)random_between(-3.0, 3.0);
        }
        if (round % 4 == 0) /* almost in one line */
            for (int k = 0; k < 4; k++)
                points[2][k] = (points[0][k] + points[1][k]) * 0.5f;
        tr_scan_triangle(clip, GRID, GRID, 0.01, part, look_at_sample, &scanned);
    }
    assert_true(scanned > 100000);
}

static void normals_survive_packing(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        double normal[3], back[3], length = 0.0, dot = 0.0;

        for (int axis = 0; axis < 3; axis++) {
            normal[axis] = i < 6 ? (i / 2 == axis) * (i % 2 ? -1.0 : 1.0) : random_between(-1.0, 1.0);
            length += normal[axis] * normal[axis];
        }
        tr_normal_unpack(tr_normal_pack(normal), back);
        for (int axis = 0; axis < 3; axis++)
            dot += normal[axis] / sqrt(length) * back[axis];
        if (!(dot > 1.0 - 1e-7))
            fail_msg("(%g, %g, %g) came back as (%g, %g, %g)", normal[0], normal[1], normal[2], back[0],
                     back[1], back[2]);
    }
}

#define SCRATCH(test) cmocka_unit_test_setup_teardown(test, setup, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH(level_ground_ends_where_perspective_says),
        SCRATCH(a_ball_has_the_outline_of_its_tangent_cone),
        SCRATCH(voxels_of_another_size_make_the_same_picture),
        SCRATCH(a_shadow_lies_where_the_sun_casts_it),
        SCRATCH(wires_are_drawn_only_when_asked_for),
        SCRATCH(jobs_do_not_change_a_byte),
        SCRATCH(the_default_view_shows_the_whole_mesh),
        SCRATCH(views_that_show_nothing_are_refused),
        cmocka_unit_test(a_ray_ends_in_cut_ground_and_passes_through_a_tunnel),
        cmocka_unit_test(triangles_that_share_edges_cover_each_sample_once),
        cmocka_unit_test(what_lies_behind_the_eye_is_cut_off),
        cmocka_unit_test(any_corners_are_scanned_within_the_rectangle),
        cmocka_unit_test(normals_survive_packing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
