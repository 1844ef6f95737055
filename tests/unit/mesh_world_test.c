/* Meshing as a pipeline: packs depend on nothing but the world and the selection, and tiles carry the errors of what they cover. */
#include "lib/base/file.h"
#include "lib/run/mesh_world.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_BYTES ((size_t)1 << 26)

/* ---- worlds ---- */

typedef int32_t ground_function(int64_t x, int64_t z);
typedef double body_function(int64_t x, int64_t y, int64_t z); /* units, negative inside; is subtracted */

static int32_t hills(int64_t x, int64_t z)
{
    return (int32_t)(256 * (12 + 9 * sin((double)x / 17) * cos((double)z / 23)) + 3 * (x * z % 31));
}

/* Tunnels along x through the ground, in every second chunk along z. */
static double tunnels(int64_t x, int64_t y, int64_t z)
{
    const double dy = (double)y - 8, dz = (double)(z & 127) - 60;
    return 256 * (sqrt(dy * dy + dz * dz) - 6) + (double)(x & 3);
}

static void put_chunk(struct tr_world_build *build, const struct tr_world_info *info, int32_t cx, int32_t cz,
                      ground_function *ground, body_function *body)
{
    struct tr_error error = {0};
    struct tr_chunk chunk;
    uint32_t size_x, size_z;
    tr_world_chunk_size(info, cx, cz, &size_x, &size_z);
    assert_ok(tr_chunk_init(&chunk, cx, cz, size_x, size_z, &error), &error);
    for (uint32_t z = 0; z < size_z; z++)
        for (uint32_t x = 0; x < size_x; x++)
            chunk.heights[z * 64 + x] = ground(64 * (int64_t)cx + x, 64 * (int64_t)cz + z);
    int16_t *samples;
    if (body) {
        assert_ok(tr_chunk_add_block(&chunk, 0, &samples, &error), &error);
        for (uint32_t i = 0; i < TR_BLOCK_SAMPLES; i++) {
            const uint32_t x = i % 64, z = i / 64 % 64, y = i / 4096;
            const double carved = -body(64 * (int64_t)cx + x, y, 64 * (int64_t)cz + z);
            if (x < size_x && z < size_z && carved > samples[i])
                samples[i] = (int16_t)floor(carved);
        }
    }
    assert_ok(tr_world_build_put(build, &chunk, &error), &error);
    tr_chunk_release(&chunk);
}

static struct tr_world *make_world(const char *folder, const char *name, int32_t size_x, int32_t size_z,
                                   ground_function *ground, body_function *body)
{
    struct tr_error error = {0};
    struct tr_world_info info = {
        .size_x = size_x, .size_z = size_z, .voxel_size = 1, .extent = {0, 0, 64 * size_x, 64 * size_z}};
    struct tr_world_build *build = NULL;
    struct tr_world *world = NULL;
    struct tr_hash hash;
    char path[TR_PATH_BYTES];
    snprintf(path, sizeof path, "%.3000s/%s", folder, name);
    assert_ok(tr_world_build_create(path, &info, false, &build, &error), &error);
    for (int32_t cz = 0; cz <= size_z; cz++)
        for (int32_t cx = 0; cx <= size_x; cx++)
            put_chunk(build, &info, cx, cz, ground, body);
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_world_build_free(build);
    assert_ok(tr_world_open(path, &world, &error), &error);
    return world;
}

static struct tr_bake *open_cpu(int jobs)
{
    struct tr_error error = {0};
    struct tr_bake *bake = NULL;
    assert_ok(tr_bake_open(&(struct tr_bake_options){.device = "cpu", .jobs = jobs}, &bake, &error), &error);
    return bake;
}

/* Meshes to folder/name and opens the pack. */
static struct tr_pack *mesh(struct tr_bake *bake, const struct tr_world *world,
                            const struct tr_mesh_options *options, const char *folder, const char *name)
{
    struct tr_error error = {0};
    struct tr_pack_info info = {.size_x = world->info.size_x,
                                .size_z = world->info.size_z,
                                .form = options->selection.has_all ? TR_PACK_ALL_LODS : TR_PACK_WINDOW,
                                .voxel_size = 1,
                                .world_hash = world->hash};
    struct tr_pack_writer *writer = NULL;
    struct tr_mesh_result result;
    struct tr_pack *pack = NULL;
    struct tr_hash hash;
    char path[TR_PATH_BYTES];
    snprintf(path, sizeof path, "%.3000s/%s", folder, name);
    assert_ok(tr_pack_writer_create(path, &info, true, &writer, &error), &error);
    assert_ok(tr_mesh_world(bake, world, options, writer, &result, &error), &error);
    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);
    assert_ok(tr_pack_open(path, &pack, &error), &error);
    return pack;
}

static void assert_same_files(const char *folder, const char *a, const char *b)
{
    struct tr_error error = {0};
    char path[2][TR_PATH_BYTES];
    uint8_t *bytes[2];
    size_t size_bytes[2];
    snprintf(path[0], sizeof path[0], "%.3000s/%s", folder, a);
    snprintf(path[1], sizeof path[1], "%.3000s/%s", folder, b);
    for (int i = 0; i < 2; i++)
        assert_ok(tr_file_read(path[i], 1u << 30, &bytes[i], &size_bytes[i], &error), &error);
    assert_int_equal(size_bytes[0], size_bytes[1]);
    assert_memory_equal(bytes[0], bytes[1], size_bytes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* ---- what a pack does not depend on ---- */

static void packs_do_not_depend_on_jobs_or_on_what_the_cache_keeps(void **state)
{
    static const int jobs[] = {1, 3, 16};
    struct tr_world *world = make_world(*state, "world", 5, 3, hills, tunnels);
    struct tr_mesh_options all = {.wants_targets = true}, rings = {.wants_targets = true};
    tr_selection_all(&all.selection, 5, 3, 3);
    tr_selection_rings(&rings.selection, 5, 3, 0, 0, 3, 1);
    for (int i = 0; i < 3; i++)
        for (size_t cache = 0; cache <= 1; cache++) {
            struct tr_bake *bake = open_cpu(jobs[i]);
            const bool is_first = i == 0 && cache == 0;
            all.cache_bytes = rings.cache_bytes = cache ? CACHE_BYTES : 0; /* 0: nothing is kept */
            struct tr_pack *pack = mesh(bake, world, &all, *state, is_first ? "all" : "all2");
            assert_true(pack->index_count > 300000);
            assert_int_equal(pack->lods, 0xf);
            tr_pack_close(pack);
            tr_pack_close(mesh(bake, world, &rings, *state, is_first ? "rings" : "rings2"));
            if (!is_first) {
                assert_same_files(*state, "all", "all2");
                assert_same_files(*state, "rings", "rings2");
            }
            tr_bake_close(bake);
        }
    tr_world_close(world);
}

#define TILES 8

static void make_tasks(struct tr_mesh_task tasks[TILES], int32_t *heights)
{
    for (int i = 0; i < TILES; i++) {
        for (int k = 0; k < TR_TILE_HALO; k++)
            heights[i * TR_TILE_HALO + k] = hills(k % TR_TILE_SAMPLES + 7 * i, k / TR_TILE_SAMPLES);
        tasks[i] = (struct tr_mesh_task){.cx = i,
                                         .world_x = TILES,
                                         .world_z = 1,
                                         .heights = heights + i * TR_TILE_HALO,
                                         .wants_triangles = true};
    }
}

static void assert_same_task(const struct tr_mesh_task *a, const struct tr_mesh_task *b)
{
    assert_int_equal(a->lattice.vertex_count, b->lattice.vertex_count);
    assert_int_equal(a->index_count, b->index_count);
    assert_true(a->index_count > 3000);
    assert_memory_equal(a->lattice.vertices, b->lattice.vertices,
                        a->lattice.vertex_count * sizeof *a->lattice.vertices);
    assert_memory_equal(a->indices, b->indices, a->index_count * sizeof *a->indices);
}

static void release_task(struct tr_mesh_task *task)
{
    tr_lattice_release(&task->lattice);
    free(task->indices);
    task->indices = NULL;
}

static void tiles_handed_over_in_four_orders_at_1_3_and_16_jobs_are_the_same(void **state)
{
    (void)state;
    static const int orders[4][TILES] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                         {7, 6, 5, 4, 3, 2, 1, 0},
                                         {1, 3, 5, 7, 0, 2, 4, 6},
                                         {3, 0, 6, 1, 7, 4, 2, 5}};
    static const int jobs[] = {1, 3, 16};
    struct tr_error error = {0};
    int32_t *heights = malloc(sizeof *heights * TILES * TR_TILE_HALO);
    struct tr_mesh_task first[TILES], tasks[TILES], ordered[TILES];
    struct tr_bake *bake = open_cpu(2);
    assert_non_null(heights);
    make_tasks(first, heights);
    make_tasks(tasks, heights);
    assert_ok(bake->ops->mesh(bake, first, TILES, &error), &error);
    tr_bake_close(bake);
    for (int j = 0; j < 3; j++) {
        bake = open_cpu(jobs[j]);
        for (int o = 0; o < 4; o++)
            for (int warm = 0; warm < 2; warm++) {
                for (int i = 0; i < TILES; i++)
                    ordered[i] = tasks[orders[o][i]];
                assert_ok(bake->ops->mesh(bake, ordered, TILES, &error), &error);
                for (int i = 0; i < TILES; i++) {
                    assert_same_task(&first[orders[o][i]], &ordered[i]);
                    release_task(&ordered[i]);
                }
            }
        tr_bake_close(bake);
    }
    for (int i = 0; i < TILES; i++)
        release_task(&first[i]);
    free(heights);
}

/* cases.md 9: leftovers past the count. */
static void a_tile_of_one_triangle_after_one_of_ten_thousand_is_that_of_a_fresh_process(void **state)
{
    (void)state;
    struct tr_error error = {0};
    int32_t *heights = malloc(sizeof *heights * TILES * TR_TILE_HALO);
    int32_t *below = malloc(sizeof *below * TR_TILE_HALO);
    int16_t *block = malloc(sizeof *block * TR_BLOCK_SAMPLES);
    struct tr_mesh_task large[TILES], small;
    struct tr_bake *bake = open_cpu(1);
    assert_true(heights && below && block);
    make_tasks(large, heights);
    for (int i = 0; i < TR_TILE_HALO; i++)
        below[i] = -256000;
    for (int i = 0; i < TR_BLOCK_SAMPLES; i++)
        block[i] = 256;
    block[0] = -256;
    for (int run = 0; run < 2; run++) {
        small =
            (struct tr_mesh_task){.world_x = TILES, .world_z = 1, .heights = below, .wants_triangles = true};
        small.blocks[13] = block;
        assert_ok(bake->ops->mesh(bake, &small, 1, &error), &error);
        assert_int_equal(small.index_count, 3);
        assert_int_equal(small.lattice.vertex_count, 3);
        for (uint32_t i = 0; i < 3; i++) {
            const tr_vertex *v = &small.lattice.vertices[i];
            assert_int_equal(v->x + v->y + v->z, 128);
            assert_true(small.indices[i] < 3);
        }
        release_task(&small);
        assert_ok(bake->ops->mesh(bake, large, 1, &error), &error);
        assert_true(large[0].index_count > 3 * 8192);
        release_task(&large[0]);
    }
    tr_bake_close(bake);
    free(block);
    free(below);
    free(heights);
}

/* ---- errors ---- */

#define SPIKE_X (3 * 64 + 33)

/* Flat but for one sample that every coarser level leaves out. */
static int32_t spike(int64_t x, int64_t z)
{
    return x == SPIKE_X && z == 21 ? 2560 : 0;
}

static void the_error_is_that_of_a_spike_in_every_tile_that_leaves_it_out_and_0_elsewhere(void **state)
{
    struct tr_world *world = make_world(*state, "world", 19, 1, spike, NULL);
    struct tr_mesh_options options = {.wants_targets = true, .cache_bytes = CACHE_BYTES};
    struct tr_bake *bake = open_cpu(2);
    tr_selection_all(&options.selection, 19, 1, 5);
    struct tr_pack *pack = mesh(bake, world, &options, *state, "pack");
    int tiles_with_error = 0;
    assert_int_equal(pack->tile_count, 19 + 10 + 5 + 3 + 2 + 1);
    for (size_t i = 0; i < pack->tile_count; i++) {
        const struct tr_pack_tile *tile = &pack->tiles[i];
        const bool has_spike = tile->lod > 0 && tile->cx == SPIKE_X / 64 >> tile->lod;
        assert_int_equal(tile->kind, TR_TILE_HEIGHTS);
        assert_int_equal(tile->error, has_spike ? 2560 : 0);
        tiles_with_error += has_spike;
    }
    assert_int_equal(tiles_with_error, 5);
    tr_pack_close(pack);
    tr_bake_close(bake);
    tr_world_close(world);
}

/* ---- kinds ---- */

/* A bubble that only the lowest plane of chunk (1, 0) along x holds, within the closed footprint of (0, 0). */
static double bubble_on_the_plane(int64_t x, int64_t y, int64_t z)
{
    return x == 64 && y == 3 && z == 30 ? -256 : 256 * 100;
}

static void a_column_is_marched_exactly_if_its_closed_footprint_is_sculpted(void **state)
{
    struct tr_world *world = make_world(*state, "world", 4, 2, hills, bubble_on_the_plane);
    struct tr_mesh_options options = {.cache_bytes = CACHE_BYTES};
    struct tr_bake *bake = open_cpu(2);
    tr_selection_uniform(&options.selection, 4, 2, 0);
    struct tr_pack *pack = mesh(bake, world, &options, *state, "pack");
    bool is_marched[2][4] = {{false}};
    for (size_t i = 0; i < pack->tile_count; i++)
        is_marched[pack->tiles[i].cz][pack->tiles[i].cx] = pack->tiles[i].kind == TR_TILE_MARCHED;
    for (int cz = 0; cz < 2; cz++)
        for (int cx = 0; cx < 4; cx++)
            assert_int_equal(is_marched[cz][cx], cz == 0 && cx < 2);
    tr_pack_close(pack);
    tr_bake_close(bake);
    tr_world_close(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(packs_do_not_depend_on_jobs_or_on_what_the_cache_keeps, scratch_make,
                                        scratch_remove),
        cmocka_unit_test(tiles_handed_over_in_four_orders_at_1_3_and_16_jobs_are_the_same),
        cmocka_unit_test(a_tile_of_one_triangle_after_one_of_ten_thousand_is_that_of_a_fresh_process),
        cmocka_unit_test_setup_teardown(
            the_error_is_that_of_a_spike_in_every_tile_that_leaves_it_out_and_0_elsewhere, scratch_make,
            scratch_remove),
        cmocka_unit_test_setup_teardown(a_column_is_marched_exactly_if_its_closed_footprint_is_sculpted,
                                        scratch_make, scratch_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
