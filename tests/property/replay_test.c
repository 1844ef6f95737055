/* Replays by the product against the naive replay, whole way: log as JSON text, worlds on disk.
 *
 * Random logs from seed TERRAIN_TEST_SEED (1) on, TERRAIN_TEST_LOGS (100) of them, on device
 * TERRAIN_TEST_DEVICE (cpu). Where a log differs, the message has its seed, the first edit after which worlds
 * differ, the sample with both values, and the shortest log found that still differs. The other tests are
 * properties that hold for any right replay, whatever the formulas. */
#include "lib/bake/bake.h"
#include "lib/edit/log.h"
#include "lib/run/replay.h"
#include "lib/world/world.h"
#include "tests/support/log_gen.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ONE_JOB, THREE_JOBS };
static struct tr_bake *bakes[2];
static const char *folder; /* scratch: worlds "0", "1", ... */

static unsigned long setting(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strtoul(text, NULL, 10) : otherwise;
}

static int open_devices(void **state)
{
    const char *device = getenv("TERRAIN_TEST_DEVICE");
    if (scratch_make(state) != 0)
        return -1;
    folder = *state;
    for (int i = 0; i < 2; i++) {
        const struct tr_bake_options options = {.device = device != NULL ? device : "cpu",
                                                .jobs = i == ONE_JOB ? 1 : 3};
        struct tr_error error = {0};
        if (tr_bake_open(&options, &bakes[i], &error) != TR_OK) {
            print_error("%s\n", error.text);
            return -1;
        }
    }
    return 0;
}

static int close_devices(void **state)
{
    for (int i = 0; i < 2; i++)
        tr_bake_close(bakes[i]);
    return scratch_remove(state);
}

/* ---- the product's way ---- */

/* A world of the product in memory, rim chunks and all. */
struct product {
    struct tr_world *world;  /* open, for its hash */
    struct tr_chunk *chunks; /* [cz][cx], size_x + 1 wide */
};

static void product_release(struct product *product)
{
    if (product->world == NULL)
        return;
    for (size_t i = 0; i < product->world->chunk_count; i++)
        tr_chunk_release(&product->chunks[i]);
    free(product->chunks);
    tr_world_close(product->world);
    *product = (struct product){0};
}

static int product_height(const struct product *product, int x, int z)
{
    int wide = product->world->info.size_x + 1;
    return product->chunks[z / 64 * wide + x / 64].heights[z % 64 * 64 + x % 64];
}

static int product_field(const struct product *product, int x, int y, int z)
{
    int wide = product->world->info.size_x + 1;
    return tr_chunk_field(&product->chunks[z / 64 * wide + x / 64], x % 64, y, z % 64);
}

static void world_path(char path[TR_PATH_BYTES], int number)
{
    struct tr_error error = {0};
    char name[16];
    snprintf(name, sizeof name, "%d", number);
    assert_ok(tr_path_join(path, folder, name, &error), &error);
}

/* Writes world `number` of these heights [z][x], units. */
static void product_create(int number, int chunks_x, int chunks_z, double voxel_size, const int32_t *heights)
{
    const struct tr_world_info info = {.size_x = chunks_x,
                                       .size_z = chunks_z,
                                       .voxel_size = voxel_size,
                                       .extent = {0.0, 0.0, 64.0 * chunks_x, 64.0 * chunks_z}};
    const int size_x = 64 * chunks_x + 1;
    struct tr_error error = {0};
    struct tr_world_build *build = NULL;
    struct tr_hash hash;
    char path[TR_PATH_BYTES];
    world_path(path, number);
    assert_ok(tr_folder_remove(path, &error), &error);
    assert_ok(tr_world_build_create(path, &info, false, &build, &error), &error);
    for (int cz = 0; cz <= chunks_z; cz++)
        for (int cx = 0; cx <= chunks_x; cx++) {
            struct tr_chunk chunk = {0};
            const int wide = cx < chunks_x ? 64 : 1, deep = cz < chunks_z ? 64 : 1;
            assert_ok(tr_chunk_init(&chunk, cx, cz, (uint32_t)wide, (uint32_t)deep, &error), &error);
            for (int z = 0; z < deep; z++)
                for (int x = 0; x < wide; x++)
                    chunk.heights[z * 64 + x] = heights[(cz * 64 + z) * size_x + cx * 64 + x];
            assert_ok(tr_world_build_put(build, &chunk, &error), &error);
            tr_chunk_release(&chunk);
        }
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_world_build_free(build);
}

/* World `to` from world `from` by a log. Edits that miss the world are skipped, as the naive replay's are by
 * doing nothing. */
static struct tr_replay_result product_replay(struct tr_bake *bake, int from, int to,
                                              const struct naive_edit *edits, size_t count)
{
    struct tr_error error = {0};
    struct tr_world *world = NULL;
    struct tr_world_build *build = NULL;
    struct tr_log log = {0};
    struct tr_replay_result result;
    struct tr_hash hash;
    size_t skipped;
    char path[TR_PATH_BYTES];
    world_path(path, from);
    assert_ok(tr_world_open(path, &world, &error), &error);
    char *json = log_gen_json(edits, count, world->info.voxel_size);
    assert_non_null(json);
    assert_ok(tr_log_parse(&log, json, strlen(json), "log.json", &error), &error);
    assert_int_equal(log.count, count);
    assert_ok(tr_log_resolve(&log, 0, &world->info, "log.json", true, &skipped, &error), &error);
    world_path(path, to);
    assert_ok(tr_folder_remove(path, &error), &error);
    assert_ok(tr_world_build_create(path, &world->info, false, &build, &error), &error);
    assert_ok(tr_replay(bake, world, &log, 0, build, &result, &error), &error);
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_world_build_free(build);
    tr_world_close(world);
    tr_log_release(&log);
    free(json);
    return result;
}

static struct product product_read(int number)
{
    struct product product = {0};
    struct tr_error error = {0};
    char path[TR_PATH_BYTES];
    world_path(path, number);
    assert_ok(tr_world_open(path, &product.world, &error), &error);
    const struct tr_world *world = product.world;
    product.chunks = calloc(world->chunk_count, sizeof *product.chunks);
    assert_non_null(product.chunks);
    for (size_t i = 0; i < world->chunk_count; i++) {
        int32_t cx = world->index[i].cx, cz = world->index[i].cz;
        struct tr_chunk *chunk = &product.chunks[cz * (world->info.size_x + 1) + cx];
        assert_ok(tr_world_read_chunk(world, cx, cz, chunk, &error), &error);
    }
    return product;
}

static struct tr_hash product_hash(int number)
{
    struct tr_error error = {0};
    struct tr_world *world = NULL;
    char path[TR_PATH_BYTES];
    world_path(path, number);
    assert_ok(tr_world_open(path, &world, &error), &error);
    struct tr_hash hash = world->hash;
    tr_world_close(world);
    return hash;
}

/* ---- against the naive replay ---- */

struct difference {
    bool found, is_height;
    int x, y, z, naive, product;
};

static struct difference compare(const struct naive_world *naive, const struct product *product)
{
    struct difference d = {.found = true, .is_height = true};
    for (d.z = 0; d.z < naive->size_z; d.z++)
        for (d.x = 0; d.x < naive->size_x; d.x++) {
            d.naive = naive_height(naive, d.x, d.z);
            d.product = product_height(product, d.x, d.z);
            if (d.naive != d.product)
                return d;
        }
    d.is_height = false;
    for (d.y = 64 * naive->row_lo; d.y < 64 * (naive->row_hi + 1); d.y++)
        for (d.z = 0; d.z < naive->size_z; d.z++)
            for (d.x = 0; d.x < naive->size_x; d.x++) {
                d.naive = naive_field(naive, d.x, d.y, d.z);
                d.product = product_field(product, d.x, d.y, d.z);
                if (d.naive != d.product)
                    return d;
            }
    return (struct difference){.found = false};
}

/* Replays edits on world 0, which has the case's heights, both ways. */
static struct difference replay_both(const struct log_gen_case *c, const struct naive_edit *edits,
                                     size_t count)
{
    struct naive_world naive;
    struct naive_report report;
    assert_true(naive_world_init(&naive, c->chunks_x, c->chunks_z, c->row_lo, c->row_hi, c->heights));
    if (!naive_replay(&naive, edits, count, &report))
        fail_msg("seed %llu: the naive replay doubts itself: edit %zu at %d %d %d: found %g, expected %g",
                 (unsigned long long)c->seed, report.edit + 1, report.x, report.y, report.z, report.found,
                 report.expected);
    product_replay(bakes[THREE_JOBS], 0, 1, edits, count);
    struct product product = product_read(1);
    struct difference d = compare(&naive, &product);
    product_release(&product);
    naive_world_release(&naive);
    return d;
}

/* Leaves out edits, one after another, while what is left still differs. */
static struct difference shrink(const struct log_gen_case *c, struct naive_edit *edits, size_t *count)
{
    struct difference last = replay_both(c, edits, *count);
    for (size_t i = *count; i-- > 0;) {
        struct naive_edit fewer[LOG_GEN_EDITS_MAX];
        size_t n = 0;
        for (size_t j = 0; j < *count; j++)
            if (j != i)
                fewer[n++] = edits[j];
        struct difference d = replay_both(c, fewer, n);
        if (!d.found)
            continue;
        last = d;
        memcpy(edits, fewer, n * sizeof *edits);
        *count = n;
    }
    return last;
}

static void print_difference(const char *what, const struct difference *d)
{
    print_error("%s: %s %d %d %d: naive %d, product %d\n", what, d->is_height ? "height" : "sample", d->x,
                d->y, d->z, d->naive, d->product);
}

static void explain(const struct log_gen_case *c)
{
    print_error("seed %llu, %d x %d chunks, voxel size %g, %zu edits\n", (unsigned long long)c->seed,
                c->chunks_x, c->chunks_z, c->voxel_size, c->count);
    for (size_t n = 1; n <= c->count; n++) {
        struct difference d = replay_both(c, c->edits, n);
        char what[32];
        snprintf(what, sizeof what, "after edit %zu", n);
        if (d.found) {
            print_difference(what, &d);
            break;
        }
    }
    struct naive_edit edits[LOG_GEN_EDITS_MAX];
    size_t count = c->count;
    memcpy(edits, c->edits, sizeof edits);
    struct difference d = shrink(c, edits, &count);
    print_difference("shortest", &d);
    char *json = log_gen_json(edits, count, c->voxel_size);
    print_error("%s", json != NULL ? json : "");
    free(json);
}

static struct log_gen_case make_case(uint64_t seed)
{
    struct log_gen_case c;
    assert_true(log_gen_case_init(&c, seed));
    product_create(0, c.chunks_x, c.chunks_z, c.voxel_size, c.heights);
    return c;
}

static void random_logs_give_the_samples_of_the_naive_replay(void **state)
{
    (void)state;
    unsigned long first = setting("TERRAIN_TEST_SEED", 1), logs = setting("TERRAIN_TEST_LOGS", 100);
    print_message("seeds %lu to %lu\n", first, first + logs - 1);
    for (unsigned long seed = first; seed < first + logs; seed++) {
        struct log_gen_case c = make_case(seed);
        struct difference d = replay_both(&c, c.edits, c.count);
        if (d.found) {
            explain(&c);
            fail_msg("seed %lu differs", seed);
        }
        log_gen_case_release(&c);
    }
}

/* ---- properties ---- */

/* Logs for each of the next two: fewer than above, of seeds of their own. */
static unsigned long property_logs(void)
{
    unsigned long logs = setting("TERRAIN_TEST_LOGS", 100);
    return logs < 8 ? logs : 8;
}

static void assert_same_hash(struct tr_hash a, struct tr_hash b, uint64_t seed, const char *what)
{
    char texts[2][33];
    tr_hash_text(a, texts[0]);
    tr_hash_text(b, texts[1]);
    if (!tr_hash_equal(a, b))
        fail_msg("seed %llu: %s: %s and %s", (unsigned long long)seed, what, texts[0], texts[1]);
}

static void one_edit_at_a_time_gives_the_world_of_the_whole_log(void **state)
{
    (void)state;
    for (uint64_t seed = 5001; seed < 5001 + property_logs(); seed++) {
        struct log_gen_case c = make_case(seed);
        for (size_t i = 0; i < c.count; i++)
            product_replay(bakes[ONE_JOB], (int)i, (int)i + 1, &c.edits[i], 1);
        struct tr_hash stepwise = product_hash((int)c.count);
        product_replay(bakes[ONE_JOB], 0, 1, c.edits, c.count);
        assert_same_hash(stepwise, product_hash(1), seed, "edit by edit and at once");
        log_gen_case_release(&c);
    }
}

static void one_job_and_three_give_one_world(void **state)
{
    (void)state;
    for (uint64_t seed = 6001; seed < 6001 + property_logs(); seed++) {
        struct log_gen_case c = make_case(seed);
        product_replay(bakes[ONE_JOB], 0, 1, c.edits, c.count);
        product_replay(bakes[THREE_JOBS], 0, 2, c.edits, c.count);
        assert_same_hash(product_hash(1), product_hash(2), seed, "1 job and 3 jobs");
        log_gen_case_release(&c);
    }
}

/* Samples of one chunk with its rim. */
#define SIDE 65

static int rolling_height(int x, int z)
{
    return 3000 + 37 * x - 23 * z + (x * 7919 + z * 104729) % 1500;
}

static void fill(int32_t heights[SIDE * SIDE], int (*height)(int x, int z))
{
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            heights[z * SIDE + x] = height(x, z);
}

static int height_field(int y, int height)
{
    int f = 256 * y - height;
    return f < -32767 ? -32767 : f > 32767 ? 32767 : f;
}

static void a_chunk_that_becomes_volumetric_keeps_its_surface(void **state)
{
    (void)state;
    static int32_t heights[SIDE * SIDE];
    fill(heights, rolling_height);
    product_create(0, 1, 1, 1.0, heights);
    const struct naive_edit ball = {.op = NAIVE_UNION, .a = {30.0, 50.0, 31.0}, .radius = 5.0};
    product_replay(bakes[ONE_JOB], 0, 1, &ball, 1);
    struct product product = product_read(1);
    assert_true(product.chunks[0].block_count >= 1);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            for (int y = -64; y < 128; y++) {
                int dx = x - 30, dy = y - 50, dz = z - 31, d2 = dx * dx + dy * dy + dz * dz;
                int before = height_field(y, heights[z * SIDE + x]), now = product_field(&product, x, y, z);
                if (d2 > 22 * 22 ? now != before : d2 > 5 * 5 && (now <= 0) != (before <= 0))
                    fail_msg("sample %d %d %d was %d, is %d", x, y, z, before, now);
            }
    product_release(&product);
}

/* A hill 40 voxels high in the middle. */
static int hill_height(int x, int z)
{
    int dx = x - 32, dz = z - 32;
    return 40 * 256 - (dx * dx + dz * dz) * 10;
}

static const struct naive_edit tunnel = {.op = NAIVE_SUBTRACT,
                                         .capsule = true,
                                         .a = {-5.0, 12.3, 30.0},
                                         .b = {70.0, 14.1, 35.0},
                                         .radius = 6.0,
                                         .blend = 4.0};

static void a_hill_with_a_tunnel_lowered_away_leaves_no_shell(void **state)
{
    (void)state;
    static int32_t heights[SIDE * SIDE];
    fill(heights, hill_height);
    product_create(0, 1, 1, 1.0, heights);
    struct naive_edit edits[2] = {tunnel,
                                  {.op = NAIVE_LOWER,
                                   .falloff = NAIVE_FALLOFF_CONSTANT,
                                   .a = {32, 0, 32},
                                   .radius = 200.0,
                                   .strength = 100.0}};
    product_replay(bakes[ONE_JOB], 0, 1, edits, 1);
    struct product product = product_read(1);
    assert_true(product_field(&product, 32, 13, 32) > 0); /* there is a tunnel */
    assert_true(product_field(&product, 32, 30, 32) < 0); /* and hill above it */
    product_release(&product);
    product_replay(bakes[ONE_JOB], 0, 1, edits, 2);
    product = product_read(1);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            for (int y = -128; y < 64; y++) {
                int now = product_field(&product, x, y, z), ground = product_height(&product, x, z);
                if (now != height_field(y, ground))
                    fail_msg("sample %d %d %d is %d over a height of %d", x, y, z, now, ground);
            }
    for (size_t i = 0; i < product.world->chunk_count; i++)
        assert_int_equal(product.chunks[i].block_count, 0); /* so nothing is stored either */
    product_release(&product);
}

static void a_hill_with_a_tunnel_cut_away_by_a_shape_leaves_no_shell(void **state)
{
    (void)state;
    static int32_t heights[SIDE * SIDE];
    fill(heights, hill_height);
    product_create(0, 1, 1, 1.0, heights);
    const struct naive_edit edits[2] = {tunnel,
                                        {.op = NAIVE_SUBTRACT, .a = {32.0, 30.0, 32.0}, .radius = 45.0}};
    product_replay(bakes[ONE_JOB], 0, 1, edits, 2);
    struct product product = product_read(1);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            for (int y = -20; y < 80; y++) {
                int dx = x - 32, dy = y - 30, dz = z - 32;
                int now = product_field(&product, x, y, z);
                if (dx * dx + dy * dy + dz * dz < 45 * 45 && now <= 0)
                    fail_msg("sample %d %d %d is solid: %d", x, y, z, now);
            }
    product_release(&product);
}

static int plane_height(int x, int z)
{
    return 77 + 300 * x - 211 * z;
}

static void smooth_keeps_a_plane_a_plane(void **state)
{
    (void)state;
    static int32_t heights[SIDE * SIDE];
    fill(heights, plane_height);
    product_create(0, 1, 1, 1.0, heights);
    struct naive_edit edits[9];
    for (int i = 0; i < 9; i++)
        edits[i] = (struct naive_edit){.op = NAIVE_SMOOTH,
                                       .falloff = (enum naive_falloff)i,
                                       .power = 3,
                                       .a = {30.0 + i * 0.3, 0.0, 34.0 - i * 0.3},
                                       .radius = 27.0,
                                       .strength = 0.7};
    struct tr_replay_result result = product_replay(bakes[ONE_JOB], 0, 1, edits, 9);
    assert_int_equal(result.edits, 9);
    assert_int_equal(result.chunks_changed, 0);
    assert_same_hash(product_hash(0), product_hash(1), 0, "plane and smoothed plane");
}

/* The sum of squares of what each inner height of a chunk is off the mean of its neighbours. */
static double roughness(const struct product *product)
{
    double sum = 0.0;
    for (int z = 1; z < SIDE - 1; z++)
        for (int x = 1; x < SIDE - 1; x++) {
            double off = product_height(product, x - 1, z) + product_height(product, x + 1, z) +
                         product_height(product, x, z - 1) + product_height(product, x, z + 1) -
                         4.0 * product_height(product, x, z);
            sum += off * off;
        }
    return sum;
}

static void smooth_lowers_curvature(void **state)
{
    (void)state;
    static int32_t heights[SIDE * SIDE];
    fill(heights, rolling_height);
    product_create(0, 1, 1, 1.0, heights);
    struct product before = product_read(0);
    for (int i = 0; i < 9; i++) {
        const struct naive_edit smooth = {.op = NAIVE_SMOOTH,
                                          .falloff = (enum naive_falloff)i,
                                          .power = 2,
                                          .a = {31.0, 0.0, 33.0},
                                          .radius = 30.0,
                                          .strength = 0.5};
        product_replay(bakes[ONE_JOB], 0, 1, &smooth, 1);
        struct product after = product_read(1);
        if (!(roughness(&after) < 0.95 * roughness(&before)))
            fail_msg("falloff %d: roughness %g, before %g", i, roughness(&after), roughness(&before));
        product_release(&after);
    }
    product_release(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_logs_give_the_samples_of_the_naive_replay),
        cmocka_unit_test(one_edit_at_a_time_gives_the_world_of_the_whole_log),
        cmocka_unit_test(one_job_and_three_give_one_world),
        cmocka_unit_test(a_chunk_that_becomes_volumetric_keeps_its_surface),
        cmocka_unit_test(a_hill_with_a_tunnel_lowered_away_leaves_no_shell),
        cmocka_unit_test(a_hill_with_a_tunnel_cut_away_by_a_shape_leaves_no_shell),
        cmocka_unit_test(smooth_keeps_a_plane_a_plane),
        cmocka_unit_test(smooth_lowers_curvature),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
