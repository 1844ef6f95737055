/* History leaves no trace: equal samples reached by different routes are one world, byte for byte - index,
 * chunk files and bases, world.json, and the log where that is one.
 *
 * Random worlds and logs from seed TERRAIN_TEST_SEED (1) on, TERRAIN_TEST_CASES (25) of them for each test.
 * A failure names the seed, the routes, and the first file that differs with its chunk. Worlds without a log,
 * or with logs that differ in edits that come to nothing, are compared apart from edits.jsonl and the lines
 * of world.json that speak of it. */
#include "lib/base/bytes.h"
#include "lib/run/replay.h"
#include "lib/world/store.h"
#include "lib/world/verify.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/log_gen.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS 256.0
#define EDITS_MAX (LOG_GEN_EDITS_MAX + 24)
#define FILE_MAX ((size_t)64 << 20)

enum { ONE_JOB, THREE_JOBS };
static struct tr_bake *bakes[2];
static const char *folder; /* scratch: the worlds, by name */
static uint64_t seed;      /* of the case at hand */
static bool in_case;       /* still true after a test: it failed there */

static unsigned long setting(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strtoul(text, NULL, 10) : otherwise;
}

static int open_devices(void **state)
{
    if (scratch_make(state) != 0)
        return -1;
    folder = *state;
    for (int i = 0; i < 2; i++) {
        const struct tr_bake_options options = {.device = "cpu", .jobs = i == ONE_JOB ? 1 : 3};
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

/* Whatever it was that failed, the seed is told. */
static int tell_seed(void **state)
{
    (void)state;
    if (in_case)
        print_error("failed with TERRAIN_TEST_SEED=%llu\n", (unsigned long long)seed);
    in_case = false;
    return 0;
}

/* ---- random numbers ---- */

static uint64_t random_state;

/* In [lo, hi]. */
static int pick(int lo, int hi)
{
    return lo + (int)((random_next(&random_state) >> 33) % (uint64_t)(hi - lo + 1));
}

static bool one_in(int n)
{
    return pick(1, n) == 1;
}

static void shuffle(size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)pick(0, (int)i - 1), item = items[j];
        items[j] = items[i - 1];
        items[i - 1] = item;
    }
}

/* ---- worlds ---- */

static void world_path(char path[TR_PATH_BYTES], const char *name)
{
    struct tr_error error = {0};
    assert_ok(tr_path_join(path, folder, name, &error), &error);
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

/* Whatever has the name is replaced. */
static struct tr_world_build *build_create(const char *name, const struct tr_world_info *info)
{
    struct tr_error error = {0};
    struct tr_world_build *build = NULL;
    char path[TR_PATH_BYTES];
    world_path(path, name);
    assert_ok(tr_world_build_create(path, info, true, &build, &error), &error);
    return build;
}

static void build_commit(struct tr_world_build *build)
{
    struct tr_error error = {0};
    struct tr_hash hash;
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_world_build_free(build);
}

static void create_start(const struct log_gen_case *c)
{
    const struct tr_world_info info = {.size_x = c->chunks_x,
                                       .size_z = c->chunks_z,
                                       .voxel_size = c->voxel_size,
                                       .extent = {0.0, 0.0, 64.0 * c->chunks_x, 64.0 * c->chunks_z}};
    const int samples_x = 64 * c->chunks_x + 1;
    struct tr_world_build *build = build_create("start", &info);
    for (int cz = 0; cz <= c->chunks_z; cz++)
        for (int cx = 0; cx <= c->chunks_x; cx++) {
            struct tr_error error = {0};
            struct tr_chunk chunk = {0};
            uint32_t size_x, size_z;
            tr_world_chunk_size(&info, cx, cz, &size_x, &size_z);
            chunk_gen_init(&chunk, cx, cz, size_x, size_z);
            for (int z = 0; z < (int)size_z; z++)
                for (int x = 0; x < (int)size_x; x++)
                    chunk.heights[z * 64 + x] = c->heights[(cz * 64 + z) * samples_x + cx * 64 + x];
            assert_ok(tr_world_build_put(build, &chunk, &error), &error);
            tr_chunk_release(&chunk);
        }
    build_commit(build);
}

/* The nodes of the shapes that a case makes. */
static struct naive_node nodes[2 * EDITS_MAX];
static size_t node_count;

/* Some cases have heights at the clamps, where what is done cannot be taken back: those come down. */
static void lower_to_middle(struct log_gen_case *c)
{
    const int32_t base = c->heights[0];
    const int count = (64 * c->chunks_x + 1) * (64 * c->chunks_z + 1);
    for (int i = 0; i < count && labs(base) > 1 << 23; i++)
        c->heights[i] -= base;
}

/* Calls `check` with each case, its heights stored as world "start". */
static void for_each_case(void (*check)(const struct log_gen_case *c))
{
    unsigned long first = setting("TERRAIN_TEST_SEED", 1), cases = setting("TERRAIN_TEST_CASES", 25);
    for (seed = first; seed < first + cases; seed++) {
        struct log_gen_case c;
        in_case = true;
        random_state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
        assert_true(log_gen_case_init(&c, seed));
        lower_to_middle(&c);
        create_start(&c);
        node_count = 0;
        check(&c);
        log_gen_case_release(&c);
        in_case = false;
    }
}

/* The edits as a log, not resolved; their ids are their places in it. */
static struct tr_log make_log(const struct naive_edit *edits, size_t count)
{
    struct tr_error error = {0};
    struct tr_log log = {0};
    char *json = log_gen_json(edits, count);
    assert_non_null(json);
    assert_ok(tr_log_parse(&log, json, strlen(json), "log.json", NULL, NULL, &error), &error);
    assert_int_equal(log.count, count);
    free(json);
    return log;
}

/* The log of a world, and behind it edits [first, end) of `edits`, resolved. */
static struct tr_log continue_log(const struct tr_world *world, const struct tr_log *edits, size_t first,
                                  size_t end, size_t *stored)
{
    const struct tr_log part = {.edits = edits->edits + first, .count = end - first};
    struct tr_error error = {0};
    struct tr_log log = {0};
    struct tr_writer text = {0};
    assert_ok(tr_log_read_stored(&log, world, &error), &error);
    *stored = log.count;
    assert_ok(tr_log_write(&part, TR_LOG_LINES, &text, &error), &error);
    assert_ok(tr_log_parse(&log, (const char *)text.bytes, text.size_bytes, "part", NULL, NULL, &error),
              &error);
    assert_ok(tr_log_resolve(&log, *stored, &world->info, "part", true, NULL, &error), &error);
    tr_writer_release(&text);
    return log;
}

/* What became of a world. */
struct outcome {
    size_t chunks_touched, chunks_changed, blocks;
};

/* As `apply-log` does it: world `to` is world `from`, which may be the same, after edits [first, end). */
static struct outcome apply(struct tr_bake *bake, const char *from, const char *to,
                            const struct tr_log *edits, size_t first, size_t end)
{
    struct tr_error error = {0};
    struct tr_replay_result result = {0};
    struct tr_writer text = {0};
    size_t stored;
    struct tr_world *world = world_open(from);
    struct tr_log log = continue_log(world, edits, first, end, &stored);
    struct tr_world_build *build = build_create(to, &world->info);
    assert_ok(tr_replay(bake, world, &log, stored, build, NULL, &result, &error), &error);
    if (log.count > 0) {
        assert_ok(tr_log_write(&log, TR_LOG_LINES, &text, &error), &error);
        assert_ok(tr_world_build_set_log(build, (const char *)text.bytes, text.size_bytes, &error), &error);
    }
    build_commit(build);
    const struct outcome outcome = {result.chunks_touched, result.changed_count, result.blocks};
    tr_replay_result_release(&result);
    tr_writer_release(&text);
    tr_log_release(&log);
    tr_world_close(world);
    return outcome;
}

static struct outcome apply_edits(const char *from, const char *to, const struct naive_edit *edits,
                                  size_t count)
{
    struct tr_log log = make_log(edits, count);
    struct outcome outcome = apply(bakes[THREE_JOBS], from, to, &log, 0, count);
    tr_log_release(&log);
    return outcome;
}

/* ---- comparing ---- */

enum compared { WITH_LOG, APART_FROM_LOG };

struct content {
    uint8_t *bytes; /* NULL: there is no such file */
    size_t size_bytes;
};

static bool find_path(char path[TR_PATH_BYTES], const char *world, const char *name)
{
    struct tr_error error = {0};
    char world_folder[TR_PATH_BYTES];
    world_path(world_folder, world);
    assert_ok(tr_path_join(path, world_folder, name, &error), &error);
    return tr_path_exists(path);
}

static void assert_both_or_neither(const char *a, const char *b, const char *name, const char *what)
{
    char path[TR_PATH_BYTES];
    const bool in_a = find_path(path, a, name), in_b = find_path(path, b, name);
    if (in_a != in_b)
        fail_msg("seed %llu: %s is in %s and not in %s (%s)", (unsigned long long)seed, name, in_a ? a : b,
                 in_a ? b : a, what);
}

static struct content read_content(const char *world, const char *file)
{
    struct tr_error error = {0};
    struct content content = {0};
    char path[TR_PATH_BYTES];
    if (find_path(path, world, file))
        assert_ok(tr_file_read(path, FILE_MAX, &content.bytes, &content.size_bytes, &error), &error);
    return content;
}

/* Takes the line of a member of world.json out of it. */
static void remove_member(struct content *json, const char *member)
{
    char *text = (char *)json->bytes, *begin = strstr(text, member);
    if (begin == NULL)
        return;
    char *end = strchr(begin, '\n');
    assert_non_null(end);
    memmove(begin, end + 1, json->size_bytes - (size_t)(end + 1 - text) + 1);
    json->size_bytes -= (size_t)(end + 1 - begin);
}

static void assert_same_content(const char *a, const char *b, const char *file, const char *what,
                                enum compared compared)
{
    assert_both_or_neither(a, b, file, what);
    struct content of_a = read_content(a, file), of_b = read_content(b, file);
    size_t at = 0;
    if (of_a.bytes != NULL && compared == APART_FROM_LOG) {
        remove_member(&of_a, "  \"checksum\": ");
        remove_member(&of_a, "  \"log\": ");
        remove_member(&of_b, "  \"checksum\": ");
        remove_member(&of_b, "  \"log\": ");
    }
    while (at < of_a.size_bytes && at < of_b.size_bytes && of_a.bytes[at] == of_b.bytes[at])
        at++;
    if (at < of_a.size_bytes || at < of_b.size_bytes)
        fail_msg("seed %llu: %s of %s, %zu bytes, and of %s, %zu bytes, differ from byte %zu on (%s)",
                 (unsigned long long)seed, file, a, of_a.size_bytes, b, of_b.size_bytes, at, what);
    free(of_a.bytes);
    free(of_b.bytes);
}

static enum tr_status fail_on_defect(void *context, const char *line, struct tr_error *error)
{
    (void)error;
    fail_msg("seed %llu: %s (%s)", (unsigned long long)seed, line, (const char *)context);
    return TR_OK;
}

/* No defect, so no file either that a comparison by names would miss. */
static void assert_good(const struct tr_world *world, const char *what)
{
    struct tr_error error = {0};
    const struct tr_verify_calls calls = {.report = fail_on_defect, .context = (void *)what};
    assert_ok(tr_world_verify(world, bakes[ONE_JOB]->jobs, &calls, &error), &error);
}

/* The chunk's file and its base, and the folders they lie in. */
static void assert_same_chunk(const char *a, const char *b, int32_t cx, int32_t cz, const char *what)
{
    static const char *const tops[] = {TR_STORE_CHUNKS, TR_STORE_BASE};
    for (int i = 0; i < 2; i++) {
        char path[TR_STORE_PATH_BYTES];
        tr_store_chunk_path(path, tops[i], cx, cz);
        assert_same_content(a, b, path, what, WITH_LOG);
        tr_store_shard_path(path, tops[i], tr_store_shard(cx, cz));
        assert_both_or_neither(a, b, path, what);
    }
}

/* Equal hashes, and every file of equal bytes. */
static void assert_same_worlds(const char *a, const char *b, enum compared compared, const char *what)
{
    struct tr_world *of_a = world_open(a), *of_b = world_open(b);
    assert_good(of_a, what);
    assert_good(of_b, what);
    assert_int_equal(of_a->chunk_count, of_b->chunk_count);
    for (size_t i = 0; i < of_a->chunk_count; i++)
        assert_same_chunk(a, b, of_a->index[i].cx, of_a->index[i].cz, what);
    assert_both_or_neither(a, b, TR_STORE_BASE, what);
    assert_same_content(a, b, "chunks.idx", what, WITH_LOG);
    if (!tr_hash_equal(of_a->hash, of_b->hash))
        fail_msg("seed %llu: equal chunks of two world hashes (%s)", (unsigned long long)seed, what);
    assert_same_content(a, b, "world.json", what, compared);
    if (compared == WITH_LOG)
        assert_same_content(a, b, TR_STORE_LOG, what, WITH_LOG);
    tr_world_close(of_a);
    tr_world_close(of_b);
}

/* ---- batches, jobs, reloading ---- */

static void check_batches(const struct log_gen_case *c)
{
    struct tr_log log = make_log(c->edits, c->count);
    apply(bakes[ONE_JOB], "start", "whole", &log, 0, c->count);

    apply(bakes[THREE_JOBS], "start", "jobs", &log, 0, c->count);
    assert_same_worlds("whole", "jobs", WITH_LOG, "one job and three");

    const char *from = "start";
    for (size_t end = 0, first = 0; first < c->count; first = end, from = "steps") {
        end = first + (size_t)pick(1, (int)(c->count - first));
        apply(bakes[one_in(2) ? ONE_JOB : THREE_JOBS], from, "steps", &log, first, end);
    }
    assert_same_worlds("whole", "steps", WITH_LOG, "in one go and in steps");

    for (size_t i = 0; i < c->count; i++)
        apply(bakes[THREE_JOBS], i == 0 ? "start" : "singly", "singly", &log, i, i + 1);
    assert_same_worlds("whole", "singly", WITH_LOG, "in one go and edit by edit");
    tr_log_release(&log);
}

static void a_log_in_any_batches_by_any_jobs_gives_one_world(void **state)
{
    (void)state;
    for_each_case(check_batches);
}

/* ---- edit and undo ---- */

/* A sphere, or a capsule that lies level, given in voxels. */
static struct naive_edit random_shape(const struct log_gen_case *c, enum naive_op op, double radius, double x,
                                      double y, double z, double blend)
{
    const double size = c->voxel_size;
    assert_true(node_count < sizeof nodes / sizeof *nodes);
    struct naive_node *node = &nodes[node_count++];
    *node = (struct naive_node){.kind = one_in(2) ? NAIVE_CAPSULE : NAIVE_SPHERE,
                                .radius = radius * size,
                                .at = {x * size, y * size, z * size}};
    node->to[0] = (x + pick(-20, 20)) * size;
    node->to[1] = node->at[1];
    node->to[2] = (z + pick(-20, 20)) * size;
    struct naive_edit edit = {.op = op, .shape = node, .shape_count = 1};
    if (blend > 0.0)
        edit.blend = (struct naive_blend){.kind = NAIVE_BLEND_SMOOTH, .width = blend * size};
    return edit;
}

/* A shape that changes the ground somewhere in the world: its centre is a sample less than its radius above or
 * below the surface. */
static struct naive_edit shape_at_surface(const struct log_gen_case *c, enum naive_op op)
{
    const int x = pick(0, 64 * c->chunks_x), z = pick(0, 64 * c->chunks_z);
    const int32_t height = c->heights[z * (64 * c->chunks_x + 1) + x];
    const double radius = pick(4, 40) / 4.0, blend = one_in(2) ? 0.0 : pick(1, 32) / 2.0;
    const int off = (int)radius - 1, y = (int)tr_floor_div(height, 256) + pick(-off, off);
    return random_shape(c, op, radius, x, y, z, blend);
}

/* A brush of constant weight, given in voxels. */
static struct naive_edit brush(const struct log_gen_case *c, enum naive_op op, double x, double y, double z,
                               double radius, double strength)
{
    const double size = c->voxel_size;
    return (struct naive_edit){.op = op,
                               .falloff = NAIVE_FALLOFF_CONSTANT,
                               .place = {.at = {x * size, y * size, z * size},
                                         .radius = radius * size,
                                         .strength = naive_has_lambda(op) ? strength : strength * size}};
}

/* Raises or lowers every column it reaches by the same whole number of units, so that its opposite takes it
 * back exactly. Strengths are far from the clamps of a height. */
static struct naive_edit step_brush(const struct log_gen_case *c, enum naive_op op)
{
    const int x = pick(0, 64 * c->chunks_x), z = pick(0, 64 * c->chunks_z);
    const double radius = pick(4, 200) / 4.0;
    return brush(c, op, x, 0.0, z, radius, pick(1, 1 << pick(1, 15)) / UNITS);
}

static enum naive_op opposite(enum naive_op op)
{
    return op == NAIVE_RAISE ? NAIVE_LOWER : NAIVE_RAISE;
}

/* In ground that was only carved, raising loses nothing and lowering takes it back: a carved sample stays as
 * it is while the ground rises. Where it was only added to, the other way round. Where it was not sculpted,
 * any order does. */
static void check_undo(const struct log_gen_case *c)
{
    enum { UNTOUCHED, CARVED, ADDED } ground = (int)(seed % 3);
    struct naive_edit edits[EDITS_MAX];
    size_t shapes = ground == UNTOUCHED ? 0 : (size_t)pick(1, 4), brushes = (size_t)pick(1, 5);
    for (size_t i = 0; i < shapes; i++)
        edits[i] = shape_at_surface(c, ground == CARVED ? NAIVE_SUBTRACT : NAIVE_UNION);
    struct naive_edit *undone = edits + shapes;
    for (size_t i = 0; i < brushes; i++) {
        enum naive_op any = one_in(2) ? NAIVE_RAISE : NAIVE_LOWER;
        undone[i] = step_brush(c, ground == UNTOUCHED ? any : ground == CARVED ? NAIVE_RAISE : NAIVE_LOWER);
        struct naive_edit *undo = &undone[2 * brushes - 1 - i];
        *undo = undone[i];
        undo->op = opposite(undone[i].op);
    }
    size_t done = shapes + brushes, count = shapes + 2 * brushes;
    struct tr_log log = make_log(edits, count);

    apply(bakes[THREE_JOBS], "start", "before", &log, 0, shapes);
    apply(bakes[THREE_JOBS], "start", "at_once", &log, 0, count);
    assert_same_worlds("before", "at_once", APART_FROM_LOG, "an edit and its undo in one log");

    struct outcome result = apply(bakes[THREE_JOBS], "before", "edited", &log, shapes, done);
    if (result.chunks_changed == 0)
        fail_msg("seed %llu: the edits to be undone did nothing", (unsigned long long)seed);
    result = apply(bakes[THREE_JOBS], "edited", "undone", &log, done, count);
    assert_true(result.chunks_changed > 0);
    assert_same_worlds("before", "undone", APART_FROM_LOG, "an edit and its undo, stored between them");
    tr_log_release(&log);
}

static void an_edit_taken_back_gives_the_world_before_it(void **state)
{
    (void)state;
    for_each_case(check_undo);
}

/* ---- sculpted ground that is gone ---- */

/* What was carved is lowered away, what was added is buried, by a brush over the whole world that is stronger
 * than any height of a case: then only the new height is left. */
static void check_overwritten(const struct log_gen_case *c)
{
    const bool carve = one_in(2);
    struct naive_edit edits[EDITS_MAX];
    size_t shapes = (size_t)pick(1, 4);
    for (size_t i = 0; i < shapes; i++)
        edits[i] = shape_at_surface(c, carve ? NAIVE_SUBTRACT : NAIVE_UNION);
    edits[shapes] = brush(c, carve ? NAIVE_LOWER : NAIVE_RAISE, 0.0, 0.0, 0.0, 1000.0, 30000.0);

    struct outcome result = apply_edits("start", "sculpted", edits, shapes);
    if (result.blocks == 0)
        fail_msg("seed %llu: nothing was sculpted", (unsigned long long)seed);
    apply_edits("start", "plain", &edits[shapes], 1);
    apply_edits("start", "at_once", edits, shapes + 1);
    assert_same_worlds("plain", "at_once", APART_FROM_LOG, "sculpted and gone in one log");

    struct tr_log log = make_log(edits, shapes + 1);
    apply(bakes[ONE_JOB], "sculpted", "gone", &log, shapes, shapes + 1);
    assert_same_worlds("plain", "gone", APART_FROM_LOG, "sculpted and gone, stored between them");
    tr_log_release(&log);
}

static void sculpted_ground_that_is_gone_leaves_the_heights_alone(void **state)
{
    (void)state;
    for_each_case(check_overwritten);
}

/* ---- promoted chunks ---- */

/* A shape added wholly inside the ground, or taken wholly from the air: its chunks get blocks while they are
 * edited, which come out equal to the height field. */
static struct naive_edit shape_without_effect(const struct log_gen_case *c)
{
    const int size_x = 64 * c->chunks_x, size_z = 64 * c->chunks_z;
    int32_t lowest = c->heights[0], highest = c->heights[0];
    for (int i = 0; i < (size_x + 1) * (size_z + 1); i++) {
        lowest = c->heights[i] < lowest ? c->heights[i] : lowest;
        highest = c->heights[i] > highest ? c->heights[i] : highest;
    }
    const bool adds = one_in(2);
    const double blend = one_in(2) ? 0.0 : pick(1, 32) / 2.0, radius = pick(4, 40) / 4.0;
    const double away = radius + blend + pick(4, 80) / 4.0; /* a voxel and more */
    const int x = pick(0, size_x), z = pick(0, size_z);
    const double y = adds ? lowest / UNITS - away : highest / UNITS + away;
    return random_shape(c, adds ? NAIVE_UNION : NAIVE_SUBTRACT, radius, x, y, z, blend);
}

static void check_promoted(const struct log_gen_case *c)
{
    struct naive_edit edits[EDITS_MAX];
    size_t shapes = (size_t)pick(1, 4);
    for (size_t i = 0; i < shapes; i++)
        edits[i] = shape_without_effect(c);
    memcpy(edits + shapes, c->edits, c->count * sizeof *edits);

    struct outcome result = apply_edits("start", "promoted", edits, shapes);
    if (result.chunks_touched == 0 || result.chunks_changed > 0)
        fail_msg("seed %llu: of %zu promoted chunks %zu changed", (unsigned long long)seed,
                 result.chunks_touched, result.chunks_changed);
    assert_same_worlds("start", "promoted", APART_FROM_LOG, "never promoted and promoted");

    apply_edits("start", "plain", c->edits, c->count);
    apply_edits("start", "promoted", edits, shapes + c->count);
    assert_same_worlds("plain", "promoted", APART_FROM_LOG, "edited heights and promoted blocks");
}

static void a_promoted_chunk_is_stored_as_if_it_never_was(void **state)
{
    (void)state;
    for_each_case(check_promoted);
}

/* ---- chunks in memory ---- */

/* The same samples and paint by another way: blocks added in any order, heights set after them, blocks added that
 * equal the height field, and arrays of paint without any. */
static void remake_chunk(struct tr_chunk *to, const struct tr_chunk *from)
{
    struct tr_error error = {0};
    size_t order[TR_BLOCK_ROW_MAX - TR_BLOCK_ROW_MIN + 1];
    int16_t *samples;
    uint8_t *paint;
    chunk_gen_init(to, from->cx, from->cz, from->size_x, from->size_z);
    for (size_t i = 0; i < from->block_count; i++)
        order[i] = i;
    shuffle(order, from->block_count);
    for (size_t i = 0; i < from->block_count; i++) {
        const struct tr_block *block = &from->blocks[order[i]];
        assert_ok(tr_chunk_add_block(to, block->cy, &samples, &error), &error);
        memcpy(samples, block->samples, TR_BLOCK_SAMPLES * sizeof *samples);
        if (block->paint == NULL && one_in(2))
            continue;
        assert_ok(tr_chunk_add_block_paint(to, block->cy, &paint, &error), &error);
        if (block->paint != NULL)
            memcpy(paint, block->paint, TR_BLOCK_SAMPLES);
    }
    memcpy(to->heights, from->heights, TR_CHUNK_SAMPLES * sizeof *to->heights);
    if (from->paint != NULL || one_in(2))
        assert_ok(tr_chunk_add_paint(to, &error), &error);
    if (from->paint != NULL)
        memcpy(to->paint, from->paint, TR_CHUNK_SAMPLES);
    for (int extra = pick(0, 3); extra > 0; extra--) {
        const int32_t row = pick(-4, 4);
        if (tr_chunk_block(from, row) == NULL)
            assert_ok(tr_chunk_add_block(to, row, &samples, &error), &error);
    }
}

/* World `to` of the samples, bases and log of world `from`, its chunks made anew and put in any order. */
static void remake_world(const char *from, const char *to)
{
    struct tr_error error = {0};
    struct tr_world *world = world_open(from);
    struct tr_world_build *build = build_create(to, &world->info);
    size_t order[64], size_bytes;
    char *text;
    assert_true(world->chunk_count <= 64);
    for (size_t i = 0; i < world->chunk_count; i++)
        order[i] = i;
    shuffle(order, world->chunk_count);
    for (size_t i = 0; i < world->chunk_count; i++) {
        const struct tr_index_entry *entry = &world->index[order[i]];
        struct tr_chunk chunk = {0}, again = {0};
        assert_ok(tr_world_read_chunk(world, entry->cx, entry->cz, &chunk, &error), &error);
        remake_chunk(&again, &chunk);
        assert_ok(tr_world_build_keep_base(build, world, entry->cx, entry->cz, &error), &error);
        assert_ok(tr_world_build_put(build, &again, &error), &error);
        tr_chunk_release(&again);
        tr_chunk_release(&chunk);
    }
    assert_ok(tr_world_read_log(world, &text, &size_bytes, &error), &error);
    if (text != NULL)
        assert_ok(tr_world_build_set_log(build, text, size_bytes, &error), &error);
    free(text);
    build_commit(build);
    tr_world_close(world);
}

static void check_remade(const struct log_gen_case *c)
{
    apply_edits("start", "edited", c->edits, c->count);
    remake_world("edited", "remade");
    assert_same_worlds("edited", "remade", WITH_LOG, "as edited and made anew from its samples");
}

static void equal_samples_put_in_any_order_are_stored_alike(void **state)
{
    (void)state;
    for_each_case(check_remade);
}

/* ---- edits without effect, and paint ---- */

/* A place half way between samples, and a brush too small to reach any; a plane's distance from itself; air taken from
 * air. */
static size_t edits_without_effect(const struct log_gen_case *c, struct naive_edit *edits)
{
    static const uint16_t white = 65535;
    static const struct naive_image image = {.width = 1, .height = 1, .pixels = &white};
    size_t count = 0;
    for (enum naive_op op = NAIVE_RAISE; op <= NAIVE_VOLUME_PAINT; op++) {
        const double x = pick(0, 64 * c->chunks_x - 1) + 0.5, y = pick(-60, 60) + 0.5;
        const double z = pick(0, 64 * c->chunks_z - 1) + 0.5;
        struct naive_edit *edit = &edits[count++];
        *edit = brush(c, op, x, y, z, 0.25, 0.5);
        edit->height = 100.0;
        edit->normal[1] = 1.0;
        edit->scale = c->voxel_size;
        edit->octaves = 4;
        edit->beta = 0.5;
        edit->material = 7;
        edit->image = &image;
        edit->by[0] = 2.0 * c->voxel_size;
    }
    edits[count++] = shape_without_effect(c);
    edits[count] = shape_at_surface(c, NAIVE_SHAPE_PAINT); /* takes away paint that is not there */
    edits[count++].blend = (struct naive_blend){0};
    return count;
}

static void check_without_effect(const struct log_gen_case *c)
{
    struct naive_edit edits[EDITS_MAX];
    size_t count = edits_without_effect(c, edits);
    struct outcome outcome = apply_edits("start", "same", edits, count);
    if (outcome.chunks_changed > 0)
        fail_msg("seed %llu: %zu chunks changed", (unsigned long long)seed, outcome.chunks_changed);
    assert_same_worlds("start", "same", APART_FROM_LOG, "without and with edits that do nothing");

    memcpy(edits + count, c->edits, c->count * sizeof *edits);
    apply_edits("start", "plain", c->edits, c->count);
    apply_edits("start", "more", edits, count + c->count);
    assert_same_worlds("plain", "more", APART_FROM_LOG, "a log, and the same behind edits that do nothing");
}

static void an_edit_without_effect_leaves_no_trace(void **state)
{
    (void)state;
    for_each_case(check_without_effect);
}

/* Ground of its own: the sculpted world has blocks whose samples can be painted. */
static void check_paint(const struct log_gen_case *c)
{
    struct naive_edit edits[EDITS_MAX];
    size_t count = 0;
    edits[count++] = shape_at_surface(c, one_in(2) ? NAIVE_SUBTRACT : NAIVE_UNION);
    const size_t sculpted = count;
    struct naive_edit paint = edits[0]; /* what was sculpted, from end to end */
    paint.op = NAIVE_SHAPE_PAINT;
    paint.blend = (struct naive_blend){0};
    paint.material = pick(1, 255);
    edits[count++] = paint;
    const double *at = edits[0].shape->at, size = c->voxel_size;
    edits[count] = brush(c, NAIVE_VOLUME_PAINT, at[0] / size, at[1] / size, at[2] / size, 12.0, 0.0);
    edits[count++].material = pick(1, 255);
    edits[count] = brush(c, NAIVE_PAINT, at[0] / size, 0.0, at[2] / size, 20.0, 0.0);
    edits[count++].material = pick(1, 255);
    const size_t painted = count;
    for (size_t i = sculpted; i < painted; i++) {
        edits[count] = edits[i];
        edits[count++].material = 0;
    }

    struct tr_log log = make_log(edits, count);
    apply(bakes[THREE_JOBS], "start", "before", &log, 0, sculpted);
    struct outcome outcome = apply(bakes[THREE_JOBS], "before", "painted", &log, sculpted, painted);
    if (outcome.chunks_changed == 0)
        fail_msg("seed %llu: the paint did nothing", (unsigned long long)seed);
    apply(bakes[ONE_JOB], "painted", "washed", &log, painted, count);
    assert_same_worlds("before", "washed", APART_FROM_LOG, "paint and taking it away, stored between them");
    apply(bakes[THREE_JOBS], "start", "at_once", &log, 0, count);
    assert_same_worlds("before", "at_once", APART_FROM_LOG, "paint and taking it away in one log");
    tr_log_release(&log);
}

static void paint_taken_away_leaves_no_trace(void **state)
{
    (void)state;
    for_each_case(check_paint);
}

/* Ground that is only heights has no sample to paint: its columns are painted, and no block is stored. */
static void check_paint_of_heights(const struct log_gen_case *c)
{
    struct naive_edit edits[3];
    for (int i = 0; i < 3; i++) {
        edits[i] = shape_at_surface(c, NAIVE_SHAPE_PAINT);
        edits[i].blend = (struct naive_blend){0};
        edits[i].material = pick(1, 255);
    }
    struct outcome outcome = apply_edits("start", "painted", edits, 3);
    assert_int_equal(outcome.blocks, 0);
    assert_true(outcome.chunks_changed > 0);
}

static void paint_of_ground_that_is_only_heights_stores_no_block(void **state)
{
    (void)state;
    for_each_case(check_paint_of_heights);
}

/* ---- cases of ../cases.md ---- */

/* Case 14. What was sculpted before lies elsewhere in the same chunk and the same block; far enough that neither reaches
 * the other, so their order does not matter. */
static void check_ways_of_a_chunk(const struct log_gen_case *c)
{
    const int32_t height = c->heights[20 * (64 * c->chunks_x + 1) + 20];
    const double y = tr_floor_div(height, 256);
    struct naive_edit edits[2] = {random_shape(c, NAIVE_SUBTRACT, 3.0, 8.0, y - 2.0, 8.0, 0.0),
                                  random_shape(c, NAIVE_UNION, 3.0, 56.0, y + 1.0, 56.0, 0.0)};
    for (size_t i = 0; i < 2; i++) {
        nodes[node_count - 2 + i].kind = NAIVE_CAPSULE;
        memcpy(nodes[node_count - 2 + i].to, nodes[node_count - 2 + i].at, sizeof nodes->to);
    }
    const struct naive_edit reversed[2] = {edits[1], edits[0]};
    struct tr_log log = make_log(edits, 2);
    apply(bakes[ONE_JOB], "start", "in_memory", &log, 0, 2);   /* the second on a chunk just sculpted */
    apply(bakes[THREE_JOBS], "start", "reloaded", &log, 0, 1); /* ... on one that was stored and read again */
    apply(bakes[THREE_JOBS], "reloaded", "reloaded", &log, 1, 2);
    apply_edits("start", "fresh", reversed, 2); /* ... on one that was never sculpted */
    assert_same_worlds("in_memory", "reloaded", WITH_LOG,
                       "an edit on a sculpted chunk, at once and re-loaded");
    assert_same_worlds("in_memory", "fresh", APART_FROM_LOG, "an edit on a sculpted and on a fresh chunk");
    tr_log_release(&log);
}

static void the_same_edit_on_fresh_sculpted_and_reloaded_chunks_gives_equal_hashes(void **state)
{
    (void)state;
    for_each_case(check_ways_of_a_chunk);
}

static bool has_chunk(const struct tr_replay_result *result, int32_t cx, int32_t cz)
{
    for (size_t i = 0; i < result->changed_count; i++)
        if (result->changed[i].cx == cx && result->changed[i].cz == cz)
            return true;
    return false;
}

/* Case 17. Chunks that are told to have changed are those whose hashes differ, and a dry run tells the same. */
static void check_changed_chunks(const struct log_gen_case *c)
{
    struct tr_error error = {0};
    struct tr_log edits = make_log(c->edits, c->count);
    struct tr_world *before = world_open("start");
    size_t stored;
    struct tr_log log = continue_log(before, &edits, 0, c->count, &stored);
    apply(bakes[THREE_JOBS], "start", "after", &edits, 0, c->count);
    struct tr_world *after = world_open("after");
    struct tr_replay_result dry = {0};
    assert_ok(tr_replay(bakes[THREE_JOBS], before, &log, 0, NULL, NULL, &dry, &error), &error);
    for (size_t i = 0; i < before->chunk_count; i++) {
        const struct tr_index_entry *entry = &before->index[i];
        const bool differs = !tr_hash_equal(entry->hash, after->index[i].hash);
        if (has_chunk(&dry, entry->cx, entry->cz) != differs)
            fail_msg("seed %llu: chunk %d %d %s, and is %s", (unsigned long long)seed, entry->cx, entry->cz,
                     differs ? "changed" : "did not change", differs ? "not told" : "told to have");
    }
    tr_replay_result_release(&dry);
    tr_world_close(after);
    tr_world_close(before);
    tr_log_release(&log);
    tr_log_release(&edits);
}

static void every_chunk_that_an_edit_reaches_is_told_and_no_other(void **state)
{
    (void)state;
    for_each_case(check_changed_chunks);
}

/* Case 17, as it was seen: a sphere a voxel inside the border of a chunk, then a raise near a corner. */
static void an_edit_that_reaches_past_its_chunk_changes_its_neighbours(void **state)
{
    (void)state;
    struct log_gen_case c = {.chunks_x = 2, .chunks_z = 2, .voxel_size = 1.0};
    c.heights = calloc((size_t)129 * 129, sizeof *c.heights);
    assert_non_null(c.heights);
    create_start(&c);
    static const struct naive_node ball = {.kind = NAIVE_SPHERE, .at = {63.0, 2.0, 30.0}, .radius = 5.0};
    const struct naive_edit edits[2] = {{.op = NAIVE_UNION, .shape = &ball, .shape_count = 1},
                                        brush(&c, NAIVE_RAISE, 62.0, 0.0, 63.0, 4.0, 1.0)};
    struct outcome outcome = apply_edits("start", "ball", edits, 1);
    assert_int_equal(outcome.chunks_changed, 2);
    outcome = apply_edits("start", "both", edits, 2);
    assert_int_equal(outcome.chunks_changed, 4);
    remake_world("both", "remade");
    assert_same_worlds("both", "remade", WITH_LOG, "as edited and made anew from its samples");
    log_gen_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_log_in_any_batches_by_any_jobs_gives_one_world, tell_seed),
        cmocka_unit_test_teardown(an_edit_taken_back_gives_the_world_before_it, tell_seed),
        cmocka_unit_test_teardown(sculpted_ground_that_is_gone_leaves_the_heights_alone, tell_seed),
        cmocka_unit_test_teardown(a_promoted_chunk_is_stored_as_if_it_never_was, tell_seed),
        cmocka_unit_test_teardown(equal_samples_put_in_any_order_are_stored_alike, tell_seed),
        cmocka_unit_test_teardown(an_edit_without_effect_leaves_no_trace, tell_seed),
        cmocka_unit_test_teardown(paint_taken_away_leaves_no_trace, tell_seed),
        cmocka_unit_test_teardown(paint_of_ground_that_is_only_heights_stores_no_block, tell_seed),
        cmocka_unit_test_teardown(the_same_edit_on_fresh_sculpted_and_reloaded_chunks_gives_equal_hashes,
                                  tell_seed),
        cmocka_unit_test_teardown(every_chunk_that_an_edit_reaches_is_told_and_no_other, tell_seed),
        cmocka_unit_test_teardown(an_edit_that_reaches_past_its_chunk_changes_its_neighbours, tell_seed),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
