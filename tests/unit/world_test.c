/* Worlds on disk: built whole or not at all, read back, shared by hard links, and never led out of their
 * folder.
 *
 * Each test has a scratch folder of its own, in which worlds are named a, b, ... */
#include "lib/base/jobs.h"
#include "lib/world/codec.h"
#include "lib/world/store.h"
#include "lib/world/world.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

/* Setup and teardown: the scratch folder is the working one. */
static int scratch_enter(void **state)
{
    umask(022);
    return scratch_make(state) == 0 && chdir(*state) == 0 ? 0 : -1;
}

static int scratch_leave(void **state)
{
    return chdir("/") == 0 ? scratch_remove(state) : -1;
}

/* ---- worlds to test with ---- */

static struct tr_error why; /* of the last call that had to work */

#define OK(call) assert_ok(call, &why)

static struct tr_world_info info_of(int32_t size_x, int32_t size_z)
{
    return (struct tr_world_info){.size_x = size_x,
                                  .size_z = size_z,
                                  .voxel_size = 2,
                                  .extent = {0, 0, 64.0 * size_x, 64.0 * size_z},
                                  .source = "noise"};
}

static struct tr_world_build *build_of(const char *path, int32_t size_x, int32_t size_z, bool replace)
{
    struct tr_world_info info = info_of(size_x, size_z);
    struct tr_world_build *build;

    OK(tr_world_build_create(path, &info, replace, &build, &why));
    return build;
}

/* Added to a seed: the same ground, painted. */
#define PAINTED 1000

/* Chunk (cx, cz) of the test world with that seed; some have blocks. */
static struct tr_chunk chunk_of(int32_t size_x, int32_t size_z, int32_t cx, int32_t cz, uint64_t seed)
{
    struct tr_world_info info = info_of(size_x, size_z);
    struct tr_chunk chunk;
    uint32_t sx, sz;

    tr_world_chunk_size(&info, cx, cz, &sx, &sz);
    chunk_gen_init(&chunk, cx, cz, sx, sz);
    chunk_gen_heights(&chunk, seed % PAINTED);
    if ((cx + cz + (int32_t)(seed % PAINTED)) % 3 == 0)
        chunk_gen_sculpted_block(&chunk, -1 - cx, seed % PAINTED);
    if (seed >= PAINTED)
        chunk_gen_paint(&chunk, seed);
    return chunk;
}

static void put(struct tr_world_build *build, int32_t size_x, int32_t size_z, int32_t cx, int32_t cz,
                uint64_t seed)
{
    struct tr_chunk chunk = chunk_of(size_x, size_z, cx, cz, seed);

    OK(tr_world_build_put(build, &chunk, &why));
    tr_chunk_release(&chunk);
}

static void put_all(struct tr_world_build *build, int32_t size_x, int32_t size_z, uint64_t seed)
{
    for (int32_t cz = 0; cz <= size_z; cz++)
        for (int32_t cx = 0; cx <= size_x; cx++)
            put(build, size_x, size_z, cx, cz, seed);
}

static struct tr_hash commit(struct tr_world_build *build)
{
    struct tr_hash hash;

    OK(tr_world_build_commit(build, &hash, &why));
    tr_world_build_free(build);
    return hash;
}

static struct tr_hash make_world(const char *path, int32_t size_x, int32_t size_z, uint64_t seed,
                                 bool replace)
{
    struct tr_world_build *build = build_of(path, size_x, size_z, replace);

    put_all(build, size_x, size_z, seed);
    return commit(build);
}

static struct tr_world *opened(const char *path)
{
    struct tr_world *world;

    OK(tr_world_open(path, &world, &why));
    return world;
}

/* All chunks of the world are those of the seed. */
static void assert_world_of(const char *path, uint64_t seed)
{
    struct tr_world *world = opened(path);

    for (size_t i = 0; i < world->chunk_count; i++) {
        struct tr_chunk chunk, expected = chunk_of(world->info.size_x, world->info.size_z, world->index[i].cx,
                                                   world->index[i].cz, seed);

        OK(tr_world_read_chunk(world, world->index[i].cx, world->index[i].cz, &chunk, &why));
        assert_chunks_equal(&chunk, &expected);
        tr_chunk_release(&chunk);
        tr_chunk_release(&expected);
    }
    tr_world_close(world);
}

static void path_of(char path[TR_PATH_BYTES], const char *world, const char *top, int32_t cx, int32_t cz)
{
    char in_world[TR_STORE_PATH_BYTES];

    tr_store_chunk_path(in_world, top, cx, cz);
    snprintf(path, TR_PATH_BYTES, "%s/%s", world, in_world);
}

static struct stat stat_of(const char *world, const char *top, int32_t cx, int32_t cz)
{
    char path[TR_PATH_BYTES];
    struct stat info;

    path_of(path, world, top, cx, cz);
    if (lstat(path, &info) != 0)
        fail_msg("\"%s\": %s", path, strerror(errno));
    return info;
}

static bool has_file(const char *world, const char *top, int32_t cx, int32_t cz)
{
    char path[TR_PATH_BYTES];

    path_of(path, world, top, cx, cz);
    return tr_path_exists(path);
}

static enum tr_status collect(void *context, const char *name, struct tr_error *error)
{
    char *names = context;

    (void)error;
    strcat(strcat(names, name), " ");
    return TR_OK;
}

/* The names in a folder, each with a blank behind. */
static void assert_names(const char *folder, const char *expected)
{
    char names[4096] = "";

    OK(tr_folder_list(folder, collect, names, &why));
    assert_string_equal(names, expected);
}

static void assert_fails(enum tr_status found, enum tr_status expected, const struct tr_error *error,
                         const char *what)
{
    if (found != expected || !strstr(error->text, what))
        fail_msg("status %d: \"%s\", expected status %d and \"%s\"", found, error->text, expected, what);
}

/* ---- building and reading ---- */

static void a_world_comes_back_with_its_rim(void **state)
{
    struct tr_world_info info = info_of(3, 2);
    struct tr_world_build *build;
    struct tr_world *world;
    struct tr_hash hash;
    struct tr_box box;

    (void)state;
    info.has_seed = true;
    info.seed = 1234567890123456789u;
    OK(tr_world_build_create("a", &info, false, &build, &why));
    put_all(build, 3, 2, 5);
    hash = commit(build);
    assert_names(".", "a ");
    assert_names("a", "chunks chunks.idx world.json ");
    assert_world_of("a", 5);
    world = opened("a");
    assert_int_equal(world->chunk_count, 12);
    assert_true(world->info.seed == info.seed);
    assert_string_equal(world->info.source, "noise");
    assert_true(tr_hash_equal(world->hash, hash));
    assert_null(tr_world_find(world, 4, 0));
    assert_null(tr_world_find(world, -1, 0));
    assert_null(tr_world_find(world, 0, 3));
    assert_int_equal(tr_world_find(world, 3, 2)->cx, 3);
    assert_int_equal(tr_world_find(world, 3, 2)->cz, 2);
    box = tr_world_box(&world->info);
    assert_int_equal(box.hi[0], 192);
    assert_int_equal(box.hi[2], 128);
    assert_int_equal(box.lo[1], -65536);
    assert_int_equal(box.hi[1], 65535);
    tr_world_close(world);
}

static void a_painted_world_comes_back_and_has_another_hash(void **state)
{
    struct tr_hash plain, painted;

    (void)state;
    plain = make_world("a", 2, 1, 5, false);
    painted = make_world("b", 2, 1, PAINTED + 5, false);
    assert_world_of("a", 5);
    assert_world_of("b", PAINTED + 5);
    assert_false(tr_hash_equal(plain, painted));
}

static void files_are_read_only_and_their_size_is_told(void **state)
{
    struct tr_world *world;
    uint64_t size_bytes;
    struct stat info;

    (void)state;
    make_world("a", 1, 1, 5, false);
    world = opened("a");
    info = stat_of("a", "chunks", 1, 1);
    assert_int_equal(info.st_mode, S_IFREG | 0444);
    OK(tr_world_chunk_file_bytes(world, 1, 1, &size_bytes, &why));
    assert_int_equal(size_bytes, info.st_size);
    tr_world_close(world);
}

static enum tr_status put_task(void *context, size_t index, int job, struct tr_error *error)
{
    struct tr_chunk chunk = chunk_of(7, 5, (int32_t)(index % 8), (int32_t)(index / 8), 9);
    enum tr_status status = tr_world_build_put(context, &chunk, error);

    (void)job;
    tr_chunk_release(&chunk);
    return status;
}

static void many_threads_in_any_order_give_the_same_world(void **state)
{
    struct tr_world_build *build = build_of("many", 7, 5, false);
    struct tr_jobs *jobs;
    struct tr_hash many, one;

    (void)state;
    OK(tr_jobs_create(8, &jobs, &why));
    OK(tr_jobs_run(jobs, 48, put_task, build, &why));
    tr_jobs_free(jobs);
    many = commit(build);
    one = make_world("one", 7, 5, 9, false);
    assert_true(tr_hash_equal(many, one));
    assert_int_equal(system("diff -r many one"), 0);
}

static void a_world_of_two_regions_uses_the_shards_that_the_format_names(void **state)
{
    static const uint8_t region[8] = {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};

    (void)state;
    make_world("a", 17, 1, 5, false);
    assert_int_equal(stat_of("a", "chunks", 15, 0).st_mode & S_IFMT, S_IFREG);
    assert_int_equal(tr_store_shard(0, 0), tr_store_shard(15, 15));
    assert_int_not_equal(tr_store_shard(15, 0), tr_store_shard(16, 0));
    assert_int_equal(tr_store_shard(-1, 0), tr_store_shard(-16, 0));
    assert_int_equal(tr_store_shard(0, 0), 0xb2);
    assert_int_equal(tr_store_shard(31, -16), XXH3_128bits(region, sizeof region).low64 & 255);
}

static void the_source_keeps_what_is_utf8(void **state)
{
    struct tr_world_info info = info_of(1, 1);
    struct tr_world_build *build;
    struct tr_world *world;

    (void)state;
    strcpy(info.source, "dem caf\xe9 caf\xc3\xa9 \xf0\x9f\x8f\x94 \xed\xa0\x80 \xc3");
    OK(tr_world_build_create("a", &info, false, &build, &why));
    put_all(build, 1, 1, 5);
    commit(build);
    world = opened("a");
    assert_string_equal(world->info.source, "dem caf? caf\xc3\xa9 \xf0\x9f\x8f\x94 ??? ?");
    tr_world_close(world);
}

/* ---- the final name ---- */

static void an_existing_output_is_refused_early_and_names_force(void **state)
{
    struct tr_world_info info = info_of(1, 1);
    struct tr_world_build *build;
    struct tr_error error = {0};

    (void)state;
    make_world("a", 1, 1, 5, false);
    assert_fails(tr_world_build_create("a", &info, false, &build, &error), TR_IO, &error, "--force");
    assert_null(build);
    assert_fails(tr_world_build_create("a/", &info, false, &build, &error), TR_IO, &error, "--force");
    assert_names(".", "a ");
    assert_world_of("a", 5);
}

static void what_is_no_world_is_not_replaced(void **state)
{
    struct tr_world_info info = info_of(1, 1);
    struct tr_world_build *build;
    struct tr_error error = {0};

    (void)state;
    OK(tr_folder_create("home", &why));
    OK(tr_file_write("home/notes.txt", "mine", 4, 0644, false, &why));
    assert_fails(tr_world_build_create("home", &info, true, &build, &error), TR_IO, &error, "notes.txt");
    assert_fails(tr_world_build_create("home/notes.txt", &info, true, &build, &error), TR_IO, &error,
                 "no folder");
    make_world("a", 1, 1, 5, false);
    assert_int_equal(symlink("a", "link"), 0);
    assert_fails(tr_world_build_create("link", &info, true, &build, &error), TR_IO, &error, "no folder");
    assert_fails(tr_world_build_create(".", &info, true, &build, &error), TR_BAD_INPUT, &error,
                 "names no folder");
    assert_fails(tr_world_build_create("a/..", &info, true, &build, &error), TR_BAD_INPUT, &error,
                 "names no folder");
    assert_fails(tr_world_build_create("/", &info, true, &build, &error), TR_BAD_INPUT, &error,
                 "names no folder");
    assert_fails(tr_world_build_create("", &info, true, &build, &error), TR_BAD_INPUT, &error,
                 "names no folder");
    assert_fails(tr_world_build_create("gone/a", &info, true, &build, &error), TR_IO, &error,
                 "cannot create");
    assert_names(".", "a home link ");
    assert_world_of("link", 5); /* reading through it is fine */
}

static void replacing_exchanges_worlds_and_leaves_no_debris(void **state)
{
    struct tr_hash old, new;
    struct tr_world *reader;
    struct tr_chunk chunk;
    struct tr_error error = {0};

    (void)state;
    old = make_world("a", 2, 1, 5, false);
    reader = opened("a");
    new = make_world("a", 1, 1, 6, true);
    assert_false(tr_hash_equal(old, new));
    assert_world_of("a", 6);
    assert_names(".", "a ");
    /* who has the old one open never sees the new one */
    assert_fails(tr_world_read_chunk(reader, 0, 0, &chunk, &error), TR_IO, &error,
                 "\"a\" was replaced while it was read");
    /* nor the chunk in the place of a base that may have been removed */
    assert_fails(tr_world_read_base_chunk(reader, 0, 0, &chunk, &error), TR_IO, &error,
                 "\"a\" was replaced while it was read");
    tr_world_close(reader);
    /* an equal world replaces as well, and so does one in the place of an empty folder */
    assert_true(tr_hash_equal(make_world("a", 1, 1, 6, true), new));
    OK(tr_folder_create("b", &why));
    make_world("b", 1, 1, 6, true);
    assert_int_equal(system("diff -r a b"), 0);
}

static void an_output_that_appeared_meanwhile_is_not_replaced(void **state)
{
    struct tr_world_build *build = build_of("a", 1, 1, false);
    struct tr_error error = {0};
    struct tr_hash hash;

    (void)state;
    put_all(build, 1, 1, 6);
    make_world("a", 1, 1, 5, false);
    assert_fails(tr_world_build_commit(build, &hash, &error), TR_IO, &error, "--force");
    tr_world_build_free(build);
    assert_names(".", "a ");
    assert_world_of("a", 5);
}

static void a_build_given_up_leaves_nothing(void **state)
{
    struct tr_world_build *build = build_of("a", 1, 1, false);

    (void)state;
    put(build, 1, 1, 0, 0, 5);
    tr_world_build_free(build);
    assert_names(".", "");
    tr_world_build_free(NULL);
}

static void a_missing_chunk_refuses_the_commit(void **state)
{
    struct tr_world_build *build = build_of("a", 2, 1, false);
    struct tr_error error = {0};
    struct tr_hash hash;

    (void)state;
    for (int32_t i = 0; i < 5; i++)
        put(build, 2, 1, i % 3, i / 3, 5);
    assert_fails(tr_world_build_commit(build, &hash, &error), TR_BAD_INPUT, &error,
                 "chunk (2, 1) was not written");
    put(build, 2, 1, 2, 1, 5);
    commit(build);
    assert_world_of("a", 5);
}

static void a_chunk_of_another_world_is_refused(void **state)
{
    struct tr_world_build *build = build_of("a", 1, 1, false);
    struct tr_error error = {0};
    struct tr_chunk chunk;

    (void)state;
    chunk_gen_init(&chunk, 2, 0, 64, 64);
    assert_fails(tr_world_build_put(build, &chunk, &error), TR_BAD_INPUT, &error,
                 "chunk (2, 0) outside the world");
    tr_chunk_release(&chunk);
    chunk_gen_init(&chunk, 1, 0, 64, 64);
    assert_fails(tr_world_build_put(build, &chunk, &error), TR_BAD_INPUT, &error,
                 "64 x 64 samples, expected 1 x 64");
    tr_chunk_release(&chunk);
    tr_world_build_free(build);
}

static void a_killed_build_leaves_the_old_world_whole_and_the_next_one_works(void **state)
{
    pid_t child;
    int status;

    (void)state;
    make_world("a", 2, 1, 5, false);
    child = fork();
    if (child == 0) {
        put_all(build_of("a", 2, 1, true), 2, 1, 6);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_world_of("a", 5);
    {
        char expected[128], temp[64];
        struct tr_error error = {0};
        struct tr_world *world;

        snprintf(temp, sizeof temp, ".a.tmp-%ld-0", (long)child);
        /* the number counts builds of the process, so of this one's before the fork too */
        for (int n = 0; n < 64 && !tr_path_exists(temp); n++)
            snprintf(temp, sizeof temp, ".a.tmp-%ld-%d", (long)child, n);
        snprintf(expected, sizeof expected, "%s a ", temp);
        assert_names(".", expected);
        assert_fails(tr_world_open(temp, &world, &error), TR_BAD_INPUT, &error, "world.json\" is missing");
    }
    make_world("a", 2, 1, 6, true);
    assert_world_of("a", 6);
    assert_names(".", "a ");
}

/* ---- sharing ---- */

static void a_linked_chunk_is_the_same_file(void **state)
{
    struct tr_world_build *build;
    struct tr_world *from;
    struct stat a, b;

    (void)state;
    make_world("a", 2, 1, 5, false);
    from = opened("a");
    build = build_of("b", 2, 1, false);
    for (size_t i = 0; i < from->chunk_count; i++)
        OK(tr_world_build_link(build, from, from->index[i].cx, from->index[i].cz, &why));
    assert_true(tr_hash_equal(commit(build), from->hash));
    tr_world_close(from);
    a = stat_of("a", "chunks", 1, 1);
    b = stat_of("b", "chunks", 1, 1);
    assert_int_equal(a.st_ino, b.st_ino);
    assert_int_equal(b.st_nlink, 2);
    assert_int_equal(b.st_mode, S_IFREG | 0444);
    assert_world_of("b", 5);
    OK(tr_folder_remove("a", &why));
    assert_world_of("b", 5);
}

static void a_file_that_somebody_may_write_is_copied(void **state)
{
    struct tr_world_build *build;
    struct tr_world *from;
    char path[TR_PATH_BYTES];
    struct stat b;

    (void)state;
    make_world("a", 1, 1, 5, false);
    path_of(path, "a", "chunks", 0, 1);
    assert_int_equal(chmod(path, 0644), 0);
    from = opened("a");
    build = build_of("b", 1, 1, false);
    for (size_t i = 0; i < from->chunk_count; i++)
        OK(tr_world_build_link(build, from, from->index[i].cx, from->index[i].cz, &why));
    commit(build);
    tr_world_close(from);
    b = stat_of("b", "chunks", 0, 1);
    assert_int_not_equal(stat_of("a", "chunks", 0, 1).st_ino, b.st_ino);
    assert_int_equal(b.st_mode, S_IFREG | 0444);
    assert_int_equal(stat_of("a", "chunks", 0, 1).st_mode, S_IFREG | 0644); /* not ours to change */
    assert_int_equal(stat_of("a", "chunks", 0, 0).st_ino, stat_of("b", "chunks", 0, 0).st_ino);
    assert_world_of("b", 5);
}

static void a_chunk_is_taken_from_a_world_in_which_it_has_the_same_samples_only(void **state)
{
    struct tr_world_build *build;
    struct tr_world *from;
    struct tr_error error = {0};

    (void)state;
    make_world("a", 1, 1, 5, false);
    from = opened("a");
    build = build_of("b", 2, 1, false);
    OK(tr_world_build_link(build, from, 0, 0, &why));
    assert_fails(tr_world_build_link(build, from, 1, 0, &error), TR_BAD_INPUT, &error, "1 x 64 samples");
    assert_fails(tr_world_build_link(build, from, 2, 0, &error), TR_BAD_INPUT, &error, "no chunk (2, 0)");
    assert_fails(tr_world_build_link(build, from, 3, 0, &error), TR_BAD_INPUT, &error, "outside the world");
    tr_world_build_free(build);
    tr_world_close(from);
}

/* ---- log and base ---- */

/* World `to` is `from` with chunk (1, 0) changed to that of the seed, by a log. */
static void edit(const char *from_path, const char *to, uint64_t seed, const char *log)
{
    struct tr_world *from = opened(from_path);
    struct tr_world_build *build = build_of(to, 2, 1, false);

    for (size_t i = 0; i < from->chunk_count; i++) {
        int32_t cx = from->index[i].cx, cz = from->index[i].cz;

        if (cx == 1 && cz == 0) {
            OK(tr_world_build_keep_base(build, from, cx, cz, &why));
            put(build, 2, 1, cx, cz, seed);
        } else {
            OK(tr_world_build_link(build, from, cx, cz, &why));
        }
    }
    OK(tr_world_build_set_log(build, log, strlen(log), &why));
    commit(build);
    tr_world_close(from);
}

static void assert_base_of(const char *path, uint64_t seed)
{
    struct tr_world *world = opened(path);

    for (size_t i = 0; i < world->chunk_count; i++) {
        struct tr_chunk chunk, expected = chunk_of(2, 1, world->index[i].cx, world->index[i].cz, seed);

        OK(tr_world_read_base_chunk(world, world->index[i].cx, world->index[i].cz, &chunk, &why));
        assert_chunks_equal(&chunk, &expected);
        tr_chunk_release(&chunk);
        tr_chunk_release(&expected);
    }
    tr_world_close(world);
}

static void the_base_is_the_chunk_before_the_log_through_any_number_of_logs(void **state)
{
    struct tr_chunk chunk, expected = chunk_of(2, 1, 1, 0, 7);
    struct tr_world *world;

    (void)state;
    make_world("a", 2, 1, 5, false);
    edit("a", "b", 6, "{\"first\"}\n");
    assert_names("b", "base chunks chunks.idx edits.jsonl world.json ");
    assert_true(has_file("b", "base", 1, 0));
    assert_false(has_file("b", "base", 0, 0));
    assert_int_equal(stat_of("b", "base", 1, 0).st_ino, stat_of("a", "chunks", 1, 0).st_ino);
    assert_base_of("b", 5);
    edit("b", "c", 7, "{\"first\"}\n{\"second\"}\n");
    assert_int_equal(stat_of("c", "base", 1, 0).st_ino, stat_of("a", "chunks", 1, 0).st_ino);
    assert_base_of("c", 5);
    world = opened("c");
    OK(tr_world_read_chunk(world, 1, 0, &chunk, &why));
    assert_chunks_equal(&chunk, &expected);
    tr_chunk_release(&chunk);
    tr_chunk_release(&expected);
    tr_world_close(world);
}

static void a_base_goes_along_when_its_chunk_is_linked(void **state)
{
    struct tr_world_build *build;
    struct tr_world *from;

    (void)state;
    make_world("a", 2, 1, 5, false);
    edit("a", "b", 6, "{}\n");
    from = opened("b");
    build = build_of("c", 2, 1, false);
    for (size_t i = 0; i < from->chunk_count; i++)
        OK(tr_world_build_link(build, from, from->index[i].cx, from->index[i].cz, &why));
    OK(tr_world_build_set_log(build, "{}\n", 3, &why));
    commit(build);
    tr_world_close(from);
    assert_base_of("c", 5);
    assert_int_equal(system("diff -r b c"), 0);
}

static void an_edit_taken_back_leaves_no_base(void **state)
{
    (void)state;
    make_world("a", 2, 1, 5, false);
    edit("a", "b", 6, "{\"there\"}\n");
    edit("b", "c", 5, "{\"there\"}\n{\"back\"}\n");
    assert_names("c", "chunks chunks.idx edits.jsonl world.json ");
    assert_world_of("c", 5);
    edit("a", "d", 5, "{\"there\"}\n{\"back\"}\n");
    assert_int_equal(system("diff -r c d"), 0);
}

static void paint_alone_makes_a_changed_chunk_with_a_base(void **state)
{
    (void)state;
    make_world("a", 2, 1, 5, false);
    edit("a", "b", PAINTED + 5, "{\"paint\"}\n");
    assert_true(has_file("b", "base", 1, 0));
    assert_base_of("b", 5);
    edit("b", "c", 5, "{\"paint\"}\n{\"back\"}\n");
    assert_names("c", "chunks chunks.idx edits.jsonl world.json ");
    assert_world_of("c", 5);
    assert_int_equal(system("diff -r a/chunks c/chunks"), 0);
}

static void the_log_comes_back_and_a_changed_one_is_refused(void **state)
{
    static const char log[] = "{\"id\":\"rim\"}\n";
    struct tr_error error = {0};
    struct tr_world *world;
    size_t size_bytes;
    char *text;

    (void)state;
    make_world("a", 2, 1, 5, false);
    world = opened("a");
    OK(tr_world_read_log(world, &text, &size_bytes, &why));
    assert_null(text);
    tr_world_close(world);

    edit("a", "b", 6, log);
    world = opened("b");
    OK(tr_world_read_log(world, &text, &size_bytes, &why));
    assert_int_equal(size_bytes, sizeof log - 1);
    assert_string_equal(text, log);
    free(text);
    for (size_t i = 0; i < sizeof log; i++) {
        char changed[sizeof log + 1] = {0};

        memcpy(changed, log, sizeof log);
        if (i < sizeof log - 1)
            changed[i] ^= 1;
        else
            strcat(changed, "\n");
        OK(tr_file_write("b/edits.jsonl", changed, strlen(changed), 0444, true, &why));
        assert_fails(tr_world_read_log(world, &text, &size_bytes, &error), TR_BAD_INPUT, &error,
                     "edits.jsonl");
        assert_null(text);
    }
    assert_int_equal(unlink("b/edits.jsonl"), 0);
    assert_fails(tr_world_read_log(world, &text, &size_bytes, &error), TR_BAD_INPUT, &error,
                 "edits.jsonl\" is missing");
    tr_world_close(world);
}

/* ---- damage ---- */

static void copy_over(const char *from, const char *to)
{
    uint8_t *bytes;
    size_t size_bytes;

    OK(tr_file_read(from, 1 << 24, &bytes, &size_bytes, &why));
    unlink(to);
    OK(tr_file_write(to, bytes, size_bytes, 0444, false, &why));
    free(bytes);
}

static void a_chunk_file_that_is_another_is_refused(void **state)
{
    char path[TR_PATH_BYTES], other[TR_PATH_BYTES];
    struct tr_error error = {0};
    struct tr_world *world;
    struct tr_chunk chunk;

    (void)state;
    make_world("a", 2, 2, 5, false);
    make_world("b", 2, 2, 6, false);
    make_world("rim", 1, 1, 5, false);
    world = opened("a");
    path_of(path, "a", "chunks", 1, 1);

    path_of(other, "a", "chunks", 0, 1);
    copy_over(other, path);
    assert_fails(tr_world_read_chunk(world, 1, 1, &chunk, &error), TR_BAD_INPUT, &error,
                 "chunk (0, 1), expected (1, 1)");
    path_of(other, "b", "chunks", 1, 1);
    copy_over(other, path);
    assert_fails(tr_world_read_chunk(world, 1, 1, &chunk, &error), TR_BAD_INPUT, &error, "expected");
    assert_non_null(strstr(error.text, "chunks.idx"));
    path_of(other, "rim", "chunks", 1, 1);
    copy_over(other, path);
    assert_fails(tr_world_read_chunk(world, 1, 1, &chunk, &error), TR_BAD_INPUT, &error,
                 "1 x 1 samples, expected 64 x 64");
    assert_int_equal(unlink(path), 0);
    assert_fails(tr_world_read_chunk(world, 1, 1, &chunk, &error), TR_BAD_INPUT, &error, path);
    assert_fails(tr_world_read_chunk(world, 3, 1, &chunk, &error), TR_BAD_INPUT, &error, "no chunk (3, 1)");
    tr_world_close(world);
}

static void an_index_of_another_world_is_refused(void **state)
{
    struct tr_error error = {0};
    struct tr_world *world;

    (void)state;
    make_world("a", 2, 1, 5, false);
    make_world("b", 2, 1, 6, false);
    make_world("c", 1, 2, 5, false);
    copy_over("b/chunks.idx", "a/chunks.idx");
    assert_fails(tr_world_open("a", &world, &error), TR_BAD_INPUT, &error, "gives world hash");
    copy_over("c/chunks.idx", "a/chunks.idx");
    assert_fails(tr_world_open("a", &world, &error), TR_BAD_INPUT, &error, "1 x 2 chunks, expected 2 x 1");
    assert_null(world);
}

static void what_is_no_world_is_not_opened(void **state)
{
    struct tr_error error = {0};
    struct tr_world *world;

    (void)state;
    assert_fails(tr_world_open("none", &world, &error), TR_IO, &error, "cannot open world \"none\"");
    OK(tr_file_write("file", "x", 1, 0644, false, &why));
    assert_fails(tr_world_open("file", &world, &error), TR_BAD_INPUT, &error, "\"file\" is no folder");
    OK(tr_folder_create("empty", &why));
    assert_fails(tr_world_open("empty", &world, &error), TR_BAD_INPUT, &error, "empty/world.json");
    make_world("a", 1, 1, 5, false);
    unlink("a/chunks.idx");
    assert_fails(tr_world_open("a", &world, &error), TR_BAD_INPUT, &error, "a/chunks.idx");
    assert_null(world);
}

static void links_pipes_and_folders_in_the_place_of_files_are_refused(void **state)
{
    char path[TR_PATH_BYTES], real[TR_PATH_BYTES];
    struct tr_error error = {0};
    struct tr_world_build *build;
    struct tr_world *world;
    struct tr_chunk chunk;

    make_world("a", 1, 1, 5, false);
    make_world("b", 1, 1, 5, false);
    world = opened("a");
    path_of(path, "a", "chunks", 0, 0);
    OK(tr_path_join(real, *state, "real.trc", &why));
    copy_over(path, real);

    unlink(path);
    assert_int_equal(symlink(real, path), 0);
    assert_fails(tr_world_read_chunk(world, 0, 0, &chunk, &error), TR_BAD_INPUT, &error,
                 "is a symbolic link");
    build = build_of("c", 1, 1, false);
    assert_fails(tr_world_build_link(build, world, 0, 0, &error), TR_BAD_INPUT, &error, "is a symbolic link");
    assert_fails(tr_world_build_keep_base(build, world, 0, 0, &error), TR_BAD_INPUT, &error,
                 "is a symbolic link");
    tr_world_build_free(build);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_fails(tr_world_read_chunk(world, 0, 0, &chunk, &error), TR_BAD_INPUT, &error, "no regular file");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_fails(tr_world_read_chunk(world, 0, 0, &chunk, &error), TR_BAD_INPUT, &error, "no regular file");
    rmdir(path);
    copy_over(real, path);

    /* a folder on the way */
    OK(tr_world_read_chunk(world, 0, 0, &chunk, &why));
    tr_chunk_release(&chunk);
    assert_int_equal(rename("a/chunks", "elsewhere"), 0);
    assert_int_equal(symlink("../elsewhere", "a/chunks"), 0);
    assert_fails(tr_world_read_chunk(world, 0, 0, &chunk, &error), TR_BAD_INPUT, &error,
                 "\"chunks\" is a symbolic link, expected a folder");
    tr_world_close(world);

    assert_int_equal(rename("b/world.json", "world.json"), 0);
    assert_int_equal(symlink("../world.json", "b/world.json"), 0);
    assert_fails(tr_world_open("b", &world, &error), TR_BAD_INPUT, &error,
                 "\"world.json\" is a symbolic link");
}

static void a_write_that_fails_is_told_and_leaves_nothing(void **state)
{
    struct tr_world_build *build = build_of("a", 1, 1, false);
    struct tr_error error = {0};
    struct tr_chunk chunk = chunk_of(1, 1, 0, 0, 5);
    struct rlimit before, small;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 60, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_fails(tr_world_build_put(build, &chunk, &error), TR_IO, &error, "cannot write");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    OK(tr_world_build_put(build, &chunk, &why)); /* nothing of the first try is in the way */
    tr_chunk_release(&chunk);
    tr_world_build_free(build);
    assert_names(".", "");
}

static void a_chunk_written_twice_is_refused(void **state)
{
    struct tr_world_build *build = build_of("a", 1, 1, false);
    struct tr_error error = {0};
    struct tr_chunk chunk = chunk_of(1, 1, 0, 0, 5);

    (void)state;
    OK(tr_world_build_put(build, &chunk, &why));
    assert_fails(tr_world_build_put(build, &chunk, &error), TR_IO, &error, "File exists");
    tr_chunk_release(&chunk);
    tr_world_build_free(build);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)
        SCRATCH_TEST(a_world_comes_back_with_its_rim),
        SCRATCH_TEST(a_painted_world_comes_back_and_has_another_hash),
        SCRATCH_TEST(files_are_read_only_and_their_size_is_told),
        SCRATCH_TEST(many_threads_in_any_order_give_the_same_world),
        SCRATCH_TEST(a_world_of_two_regions_uses_the_shards_that_the_format_names),
        SCRATCH_TEST(the_source_keeps_what_is_utf8),
        SCRATCH_TEST(an_existing_output_is_refused_early_and_names_force),
        SCRATCH_TEST(what_is_no_world_is_not_replaced),
        SCRATCH_TEST(replacing_exchanges_worlds_and_leaves_no_debris),
        SCRATCH_TEST(an_output_that_appeared_meanwhile_is_not_replaced),
        SCRATCH_TEST(a_build_given_up_leaves_nothing),
        SCRATCH_TEST(a_missing_chunk_refuses_the_commit),
        SCRATCH_TEST(a_chunk_of_another_world_is_refused),
        SCRATCH_TEST(a_killed_build_leaves_the_old_world_whole_and_the_next_one_works),
        SCRATCH_TEST(a_linked_chunk_is_the_same_file),
        SCRATCH_TEST(a_file_that_somebody_may_write_is_copied),
        SCRATCH_TEST(a_chunk_is_taken_from_a_world_in_which_it_has_the_same_samples_only),
        SCRATCH_TEST(the_base_is_the_chunk_before_the_log_through_any_number_of_logs),
        SCRATCH_TEST(a_base_goes_along_when_its_chunk_is_linked),
        SCRATCH_TEST(an_edit_taken_back_leaves_no_base),
        SCRATCH_TEST(paint_alone_makes_a_changed_chunk_with_a_base),
        SCRATCH_TEST(the_log_comes_back_and_a_changed_one_is_refused),
        SCRATCH_TEST(a_chunk_file_that_is_another_is_refused),
        SCRATCH_TEST(an_index_of_another_world_is_refused),
        SCRATCH_TEST(what_is_no_world_is_not_opened),
        SCRATCH_TEST(links_pipes_and_folders_in_the_place_of_files_are_refused),
        SCRATCH_TEST(a_write_that_fails_is_told_and_leaves_nothing),
        SCRATCH_TEST(a_chunk_written_twice_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
