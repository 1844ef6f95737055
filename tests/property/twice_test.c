/* A whole run - fill, replay, mesh - done twice in one process gives the same bytes, on cpu and on software Vulkan, and both devices agree:
 * nothing is left over from the first run, in scratch, in buffers that are reused, or behind their ends. */
#include "lib/bake/vulkan_internal.h"
#include "lib/run/generate.h"
#include "lib/run/mesh_world.h"
#include "lib/run/replay.h"
#include "tests/support/log_gen.h"
#include "tests/support/test.h"
#include "tests/support/vulkan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 2

struct hashes {
    struct tr_hash filled, edited, meshed;
};

/* The first random log of eight edits that is for a world like the one below. */
static char *make_log(void)
{
    char *text = NULL;
    for (uint64_t seed = 1; text == NULL; seed++) {
        struct log_gen_case c;
        assert_true(log_gen_case_init(&c, seed));
        if (c.chunks_x == 3 && c.voxel_size == 1.0 && c.count == 8) {
            text = log_gen_json(c.edits, c.count);
            assert_non_null(text);
        }
        log_gen_case_release(&c);
    }
    return text;
}

/* One run on an open device, into folder/<name>-{fill,edit,mesh}. */
static struct hashes run_once(struct tr_bake *bake, const char *folder, const char *name, const char *text)
{
    struct tr_error error = {0};
    struct tr_world_info info = {.size_x = 3, .size_z = 2, .voxel_size = 1, .extent = {0, 0, 192, 128}};
    struct tr_preset preset;
    struct tr_world_build *build = NULL;
    struct tr_world *world = NULL;
    struct tr_pack_writer *writer = NULL;
    struct tr_replay_result replayed = {0};
    struct tr_mesh_result meshed;
    struct tr_log log = {0};
    struct hashes hashes;
    char fill[TR_PATH_BYTES + 32], edit[TR_PATH_BYTES + 32], mesh[TR_PATH_BYTES + 32];
    snprintf(fill, sizeof fill, "%s/%s-fill", folder, name);
    snprintf(edit, sizeof edit, "%s/%s-edit", folder, name);
    snprintf(mesh, sizeof mesh, "%s/%s-mesh", folder, name);

    assert_true(tr_preset_make("hills", 9, 1, &preset));
    assert_ok(tr_world_build_create(fill, &info, false, &build, &error), &error);
    assert_ok(tr_generate_noise(bake, &info, &preset, build, &error), &error);
    assert_ok(tr_world_build_commit(build, &hashes.filled, &error), &error);
    tr_world_build_free(build);

    assert_ok(tr_world_open(fill, &world, &error), &error);
    assert_ok(tr_log_parse(&log, text, strlen(text), "log", NULL, NULL, &error), &error);
    assert_ok(tr_log_resolve(&log, 0, &info, "log", true, NULL, &error), &error);
    assert_ok(tr_world_build_create(edit, &info, false, &build, &error), &error);
    assert_ok(tr_replay(bake, world, &log, 0, build, NULL, &replayed, &error), &error);
    assert_ok(tr_world_build_commit(build, &hashes.edited, &error), &error);
    tr_world_build_free(build);
    tr_world_close(world);
    tr_log_release(&log);

    assert_ok(tr_world_open(edit, &world, &error), &error);
    struct tr_pack_info pack_info = {.size_x = info.size_x,
                                     .size_z = info.size_z,
                                     .form = TR_PACK_ALL_LODS,
                                     .voxel_size = info.voxel_size,
                                     .world_hash = world->hash};
    struct tr_mesh_options options = {.wants_targets = true, .cache_bytes = 1 << 24};
    tr_selection_all(&options.selection, info.size_x, info.size_z, 2);
    assert_ok(tr_pack_writer_create(mesh, &pack_info, false, &writer, &error), &error);
    assert_ok(tr_mesh_world(bake, world, &options, writer, &meshed, &error), &error);
    assert_ok(tr_pack_writer_commit(writer, &hashes.meshed, &error), &error);
    tr_pack_writer_free(writer);
    tr_world_close(world);
    assert_true(meshed.lods[0].triangles > 1000);
    assert_true(replayed.changed_count > 0);
    tr_replay_result_release(&replayed);
    return hashes;
}

static void assert_same(const char *what, struct hashes a, struct hashes b)
{
    if (!tr_hash_equal(a.filled, b.filled) || !tr_hash_equal(a.edited, b.edited) ||
        !tr_hash_equal(a.meshed, b.meshed))
        fail_msg("%s: fill %s, edit %s, mesh %s", what,
                 tr_hash_equal(a.filled, b.filled) ? "equal" : "differs",
                 tr_hash_equal(a.edited, b.edited) ? "equal" : "differs",
                 tr_hash_equal(a.meshed, b.meshed) ? "equal" : "differs");
}

static void a_second_run_in_one_process_gives_the_same_bytes(void **state)
{
    struct tr_error error = {0};
    struct tr_bake *cpu = NULL, *vulkan = NULL;
    struct hashes on_cpu[RUNS], on_vulkan[RUNS];
    char *text = make_log(), name[32];
    vulkan_pin_driver();
    assert_ok(tr_bake_open(&(struct tr_bake_options){.device = "cpu", .jobs = 2}, &cpu, &error), &error);
    assert_ok(tr_bake_open(&(struct tr_bake_options){.device = "llvmpipe", .jobs = 2}, &vulkan, &error),
              &error);
    for (int run = 0; run < RUNS; run++) {
        snprintf(name, sizeof name, "cpu%d", run);
        on_cpu[run] = run_once(cpu, *state, name, text);
        snprintf(name, sizeof name, "vulkan%d", run);
        on_vulkan[run] = run_once(vulkan, *state, name, text);
    }
    assert_same("cpu, second run", on_cpu[0], on_cpu[1]);
    assert_same("vulkan, second run", on_vulkan[0], on_vulkan[1]);
    assert_same("cpu and vulkan", on_cpu[0], on_vulkan[0]);
    assert_ok(tr_gpu_check_guards(((struct tr_vulkan *)vulkan)->gpu, &error), &error);
    tr_bake_close(vulkan);
    tr_bake_close(cpu);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_second_run_in_one_process_gives_the_same_bytes, scratch_make,
                                        scratch_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
