/* Replays by the product against the naive replay, whole way: log as text, worlds on disk.
 *
 * Random logs from seed TERRAIN_TEST_SEED (1) on, TERRAIN_TEST_LOGS (200) of them, on device
 * TERRAIN_TEST_DEVICE (cpu), as JSON, JSON Lines and MessagePack in turn. Where a log differs, the message has its
 * seed, the first edit after which worlds differ, the sample with both values, and the shortest log found that still
 * differs. Two more tests hold the product against itself: however a log is cut and whatever works on it, one
 * world comes out. */
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

static const struct tr_chunk *product_chunk(const struct product *product, int x, int z)
{
    return &product->chunks[z / 64 * (product->world->info.size_x + 1) + x / 64];
}

static int product_height(const struct product *product, int x, int z)
{
    return product_chunk(product, x, z)->heights[z % 64 * 64 + x % 64];
}

static int product_field(const struct product *product, int x, int y, int z)
{
    return tr_chunk_field(product_chunk(product, x, z), x % 64, y, z % 64);
}

static int product_column_paint(const struct product *product, int x, int z)
{
    const uint8_t *paint = product_chunk(product, x, z)->paint;
    return paint != NULL ? paint[z % 64 * 64 + x % 64] : 0;
}

/* Of the block's sample, not what is seen there. */
static int product_sample_paint(const struct product *product, int x, int y, int z)
{
    const int32_t row = (int32_t)tr_floor_div(y, 64);
    const uint8_t *paint = tr_chunk_block_paint(product_chunk(product, x, z), row);
    return paint != NULL ? paint[tr_block_index(x % 64, y - 64 * row, z % 64)] : 0;
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

/* The edits as a log, from text in this encoding. */
static struct tr_log make_log(const struct naive_edit *edits, size_t count, enum tr_log_encoding encoding)
{
    struct tr_error error = {0};
    struct tr_log log = {0}, again = {0};
    struct tr_writer text = {0};
    char *json = log_gen_json(edits, count);
    assert_non_null(json);
    assert_ok(tr_log_parse(&log, json, strlen(json), "log.json", NULL, NULL, &error), &error);
    assert_int_equal(log.count, count);
    free(json);
    if (encoding == TR_LOG_JSON)
        return log;
    assert_ok(tr_log_write(&log, encoding, &text, &error), &error);
    assert_ok(tr_log_parse(&again, (const char *)text.bytes, text.size_bytes, "log", NULL, NULL, &error),
              &error);
    assert_int_equal(again.count, count);
    tr_writer_release(&text);
    tr_log_release(&log);
    return again;
}

/* World `to` from world `from` by a log. Edits that miss the world are skipped, as the naive replay's are by
 * doing nothing. */
static void product_replay(struct tr_bake *bake, int from, int to, const struct naive_edit *edits,
                           size_t count, enum tr_log_encoding encoding)
{
    struct tr_error error = {0};
    struct tr_world *world = NULL;
    struct tr_world_build *build = NULL;
    struct tr_replay_result result = {0};
    struct tr_hash hash;
    size_t skipped;
    char path[TR_PATH_BYTES];
    world_path(path, from);
    assert_ok(tr_world_open(path, &world, &error), &error);
    struct tr_log log = make_log(edits, count, encoding);
    assert_ok(tr_log_resolve(&log, 0, &world->info, "log", true, &skipped, &error), &error);
    world_path(path, to);
    assert_ok(tr_folder_remove(path, &error), &error);
    assert_ok(tr_world_build_create(path, &world->info, false, &build, &error), &error);
    assert_ok(tr_replay(bake, world, &log, 0, build, NULL, &result, &error), &error);
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_replay_result_release(&result);
    tr_world_build_free(build);
    tr_world_close(world);
    tr_log_release(&log);
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
    const char *what; /* NULL: there is none */
    int x, y, z, naive, product;
};

static bool differs(struct difference *d, const char *what, int naive, int product)
{
    d->what = naive != product ? what : NULL;
    d->naive = naive;
    d->product = product;
    return naive != product;
}

/* Heights and columns first: what is wrong with a sample may come from its column. */
static struct difference compare(const struct naive_world *naive, const struct product *product)
{
    struct difference d = {.what = NULL};
    for (d.z = 0; d.z < naive->size_z; d.z++)
        for (d.x = 0; d.x < naive->size_x; d.x++)
            if (differs(&d, "height", naive_height(naive, d.x, d.z), product_height(product, d.x, d.z)) ||
                differs(&d, "paint of column", naive_column_paint(naive, d.x, d.z),
                        product_column_paint(product, d.x, d.z)))
                return d;
    for (d.y = naive->known_lo; d.y <= naive->known_hi; d.y++)
        for (d.z = 0; d.z < naive->size_z; d.z++)
            for (d.x = 0; d.x < naive->size_x; d.x++)
                if (differs(&d, "sample", naive_field(naive, d.x, d.y, d.z),
                            product_field(product, d.x, d.y, d.z)) ||
                    differs(&d, "paint of sample", naive_sample_paint(naive, d.x, d.y, d.z),
                            product_sample_paint(product, d.x, d.y, d.z)))
                    return d;
    return d;
}

/* Replays edits on world 0, which has the case's heights, both ways. */
static struct difference replay_both(const struct log_gen_case *c, const struct naive_edit *edits,
                                     size_t count)
{
    static const enum tr_log_encoding encodings[3] = {TR_LOG_JSON, TR_LOG_LINES, TR_LOG_MESSAGE_PACK};
    struct naive_world naive;
    struct naive_report report;
    assert_true(
        naive_world_init(&naive, c->chunks_x, c->chunks_z, c->row_lo, c->row_hi, c->voxel_size, c->heights));
    if (!naive_replay(&naive, edits, count, &report))
        fail_msg("seed %llu: the naive replay doubts itself: edit %zu, %s at %d %d %d: found %g, expected %g",
                 (unsigned long long)c->seed, report.edit + 1, report.what, report.x, report.y, report.z,
                 report.found, report.expected);
    product_replay(bakes[THREE_JOBS], 0, 1, edits, count, encodings[c->seed % 3]);
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
        if (d.what == NULL)
            continue;
        last = d;
        memcpy(edits, fewer, n * sizeof *edits);
        *count = n;
    }
    return last;
}

static void print_difference(const char *what, const struct difference *d)
{
    print_error("%s: %s %d %d %d: naive %d, product %d\n", what, d->what != NULL ? d->what : "nothing", d->x,
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
        if (d.what != NULL) {
            print_difference(what, &d);
            break;
        }
    }
    struct naive_edit edits[LOG_GEN_EDITS_MAX];
    size_t count = c->count;
    memcpy(edits, c->edits, sizeof edits);
    struct difference d = shrink(c, edits, &count);
    print_difference("shortest", &d);
    char *json = log_gen_json(edits, count);
    fputs(json != NULL ? json : "", stderr); /* cmocka's own would cut it */
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
    unsigned long first = setting("TERRAIN_TEST_SEED", 1), logs = setting("TERRAIN_TEST_LOGS", 200);
    print_message("seeds %lu to %lu\n", first, first + logs - 1);
    for (unsigned long seed = first; seed < first + logs; seed++) {
        struct log_gen_case c = make_case(seed);
        struct difference d = replay_both(&c, c.edits, c.count);
        if (d.what != NULL) {
            explain(&c);
            fail_msg("seed %lu differs", seed);
        }
        log_gen_case_release(&c);
    }
}

static void every_shape_and_brush_alone_gives_the_samples_of_the_naive_replay(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int which = 0; which < LOG_GEN_SINGLES; which++) {
            struct log_gen_case c;
            assert_true(log_gen_single_init(&c, which, seed));
            product_create(0, c.chunks_x, c.chunks_z, c.voxel_size, c.heights);
            struct difference d = replay_both(&c, c.edits, c.count);
            if (d.what != NULL) {
                explain(&c);
                fail_msg("%d differs", which);
            }
            log_gen_case_release(&c);
        }
}

/* ---- every path ---- */

static void assert_same_hash(int a, int b, uint64_t seed, const char *what)
{
    const struct tr_hash of_a = product_hash(a), of_b = product_hash(b);
    char texts[2][33];
    tr_hash_text(of_a, texts[0]);
    tr_hash_text(of_b, texts[1]);
    if (!tr_hash_equal(of_a, of_b))
        fail_msg("seed %llu: %s: %s and %s", (unsigned long long)seed, what, texts[0], texts[1]);
}

/* Logs for each of the next two: fewer than above, of seeds of their own. */
static unsigned long property_logs(void)
{
    unsigned long logs = setting("TERRAIN_TEST_LOGS", 200);
    return logs < 16 ? logs : 16;
}

static void one_edit_at_a_time_gives_the_world_of_the_whole_log(void **state)
{
    (void)state;
    for (uint64_t seed = 5001; seed < 5001 + property_logs(); seed++) {
        struct log_gen_case c = make_case(seed);
        for (size_t i = 0; i < c.count; i++)
            product_replay(bakes[ONE_JOB], (int)i, (int)i + 1, &c.edits[i], 1, TR_LOG_JSON);
        const int stepwise = (int)c.count, whole = stepwise + 1;
        product_replay(bakes[ONE_JOB], 0, whole, c.edits, c.count, TR_LOG_JSON);
        assert_same_hash(stepwise, whole, seed, "edit by edit and at once");
        log_gen_case_release(&c);
    }
}

static void a_log_in_one_go_or_cut_in_two_by_any_jobs_gives_one_world(void **state)
{
    (void)state;
    for (uint64_t seed = 6001; seed < 6001 + property_logs(); seed++) {
        struct log_gen_case c = make_case(seed);
        const size_t cut = (size_t)(seed * 2654435761u >> 8) % (c.count + 1);
        product_replay(bakes[ONE_JOB], 0, 1, c.edits, c.count, TR_LOG_JSON);
        product_replay(bakes[THREE_JOBS], 0, 2, c.edits, c.count, TR_LOG_LINES);
        assert_same_hash(1, 2, seed, "1 job and 3 jobs");
        for (int jobs = ONE_JOB; jobs <= THREE_JOBS; jobs++) {
            product_replay(bakes[jobs], 0, 3, c.edits, cut, TR_LOG_MESSAGE_PACK);
            product_replay(bakes[jobs], 3, 4, c.edits + cut, c.count - cut, TR_LOG_JSON);
            assert_same_hash(1, 4, seed, "in one go and cut in two");
        }
        log_gen_case_release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_and_brush_alone_gives_the_samples_of_the_naive_replay),
        cmocka_unit_test(random_logs_give_the_samples_of_the_naive_replay),
        cmocka_unit_test(one_edit_at_a_time_gives_the_world_of_the_whole_log),
        cmocka_unit_test(a_log_in_one_go_or_cut_in_two_by_any_jobs_gives_one_world),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
