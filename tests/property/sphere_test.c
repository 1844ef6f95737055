/* A sphere of radius 20 voxels added in the air over the corner where four chunks meet, through the whole pipeline: replay, store, mesh, pack.
 * Its surface is closed, a sphere by its Euler number, of the right volume and area, and winds outward. */
#include "lib/mesh/check.h"
#include "lib/pack/pack.h"
#include "lib/run/generate.h"
#include "lib/run/mesh_world.h"
#include "lib/run/replay.h"
#include "tests/support/test.h"
#include <stdlib.h>
#include <string.h>

#define RADIUS 20.0
#define PI 3.14159265358979323846

/* Adds the triangles of the pack that lie above y = 25 voxels: the sphere's. */
static void add_upper(struct tr_check *check, const struct tr_pack *pack)
{
    struct tr_error error = {0};
    for (size_t i = 0; i < pack->tile_count; i++) {
        struct tr_mesh mesh = {0};
        const struct tr_pack_tile *tile = &pack->tiles[i];
        assert_ok(tr_pack_read_mesh(pack, i, &mesh, &error), &error);
        int64_t *xyz = malloc(mesh.vertex_count * 3 * sizeof *xyz);
        uint32_t *indices = malloc(mesh.index_count * sizeof *indices), count = 0;
        assert_non_null(xyz);
        assert_non_null(indices);
        for (uint32_t v = 0; v < mesh.vertex_count; v++) {
            xyz[3 * v] = (int64_t)tile->cx * 16384 + mesh.vertices[v].x;
            xyz[3 * v + 1] = (int64_t)tile->cy * 16384 + mesh.vertices[v].y;
            xyz[3 * v + 2] = (int64_t)tile->cz * 16384 + mesh.vertices[v].z;
        }
        for (uint32_t k = 0; k < mesh.index_count; k += 3)
            if (xyz[3 * mesh.indices[k] + 1] > 25 * 256) {
                memcpy(indices + count, mesh.indices + k, 3 * sizeof *indices);
                count += 3;
            }
        assert_ok(tr_check_add(check, xyz, mesh.vertex_count, indices, count, &error), &error);
        free(xyz);
        free(indices);
        tr_mesh_release(&mesh);
    }
}

static void bake_sphere(const char *folder, const char *pack_path)
{
    static const char text[] =
        "{\"format\":\"terrain-edits\",\"version\":1,\"edits\":[{\"id\":\"ball\",\"op\":\"union\","
        "\"shape\":{\"type\":\"sphere\",\"center\":[64,50,64],\"radius\":20}}]}";
    struct tr_error error = {0};
    struct tr_world_info info = {.size_x = 2, .size_z = 2, .voxel_size = 1, .extent = {0, 0, 128, 128}};
    struct tr_preset preset;
    struct tr_bake *bake = NULL;
    struct tr_world_build *build = NULL;
    struct tr_world *flat = NULL, *world = NULL;
    struct tr_log log = {0};
    struct tr_hash hash;
    char flat_path[TR_PATH_BYTES], world_path[TR_PATH_BYTES];
    assert_ok(tr_path_join(flat_path, folder, "flat", &error), &error);
    assert_ok(tr_path_join(world_path, folder, "ball", &error), &error);
    assert_ok(tr_bake_open(&(struct tr_bake_options){.device = "cpu", .jobs = 2}, &bake, &error), &error);

    assert_true(tr_preset_make("flat", 0, 1, &preset));
    assert_ok(tr_world_build_create(flat_path, &info, false, &build, &error), &error);
    assert_ok(tr_generate_noise(bake, &info, &preset, build, &error), &error);
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_world_build_free(build);

    size_t skipped;
    struct tr_replay_result replayed = {0};
    assert_ok(tr_world_open(flat_path, &flat, &error), &error);
    assert_ok(tr_log_parse(&log, text, sizeof text - 1, "ball.json", NULL, NULL, &error), &error);
    assert_ok(tr_log_resolve(&log, 0, &info, "ball.json", false, &skipped, &error), &error);
    assert_ok(tr_world_build_create(world_path, &info, false, &build, &error), &error);
    assert_ok(tr_replay(bake, flat, &log, 0, build, NULL, &replayed, &error), &error);
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_world_build_free(build);
    assert_int_equal(replayed.changed_count, 4);
    tr_replay_result_release(&replayed);

    struct tr_pack_writer *writer = NULL;
    struct tr_mesh_options options = {.cache_bytes = 1 << 24};
    struct tr_mesh_result meshed;
    assert_ok(tr_world_open(world_path, &world, &error), &error);
    struct tr_pack_info pack_info = {.size_x = info.size_x,
                                     .size_z = info.size_z,
                                     .voxel_size = info.voxel_size,
                                     .world_hash = world->hash};
    tr_selection_uniform(&options.selection, info.size_x, info.size_z, 0);
    assert_ok(tr_pack_writer_create(pack_path, &pack_info, false, &writer, &error), &error);
    assert_ok(tr_mesh_world(bake, world, &options, writer, &meshed, &error), &error);
    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);
    tr_world_close(flat);
    tr_world_close(world);
    tr_log_release(&log);
    tr_bake_close(bake);
}

static void assert_near(const char *what, double found, double exact)
{
    if (found < 0.99 * exact || found > 1.01 * exact)
        fail_msg("%s is %.1f, expected %.1f within 1%%", what, found, exact);
}

static void a_sphere_in_the_air_is_closed_round_and_faces_outward(void **state)
{
    const char *folder = *state;
    struct tr_error error = {0};
    struct tr_pack *pack = NULL;
    struct tr_check *check = NULL;
    struct tr_check_result result;
    char path[TR_PATH_BYTES];
    const int64_t lo[2] = {INT64_MIN / 4, INT64_MIN / 4},
                  hi[2] = {INT64_MAX / 4, INT64_MAX / 4}; /* no sides */
    assert_ok(tr_path_join(path, folder, "ball.tpack", &error), &error);
    bake_sphere(folder, path);
    assert_ok(tr_pack_open(path, &pack, &error), &error);
    assert_ok(tr_check_create(lo, hi, &check, &error), &error);
    add_upper(check, pack);
    assert_ok(tr_check_finish(check, &result, &error), &error);
    assert_int_equal(result.open_edges, 0);
    assert_int_equal(result.side_edges, 0);
    assert_int_equal(result.crowded_edges, 0);
    assert_int_equal(result.duplicates, 0);
    assert_int_equal(result.degenerates, 0);
    assert_int_equal(result.pinches, 0);
    assert_int_equal(result.components, 1);
    assert_int_equal(result.euler, 2);
    assert_near("volume", result.volume_units3 / (256.0 * 256 * 256),
                4.0 / 3 * PI * RADIUS * RADIUS * RADIUS);
    assert_near("area", result.area_units2 / (256.0 * 256), 4 * PI * RADIUS * RADIUS);
    tr_check_free(check);
    tr_pack_close(pack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_sphere_in_the_air_is_closed_round_and_faces_outward, scratch_make,
                                        scratch_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
