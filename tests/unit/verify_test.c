/* Verification of worlds: every defect is told, in a line, in one order, and nothing else is.
 *
 * The world under test, "w", has 2 x 1 chunks, six with the rim, all in shard b2. A log changed chunk (1, 0),
 * so it has a base. Chunk (0, 0) has two blocks; chunk (1, 1), on the rim, has one and is painted. */
#include "lib/base/jobs.h"
#include "lib/world/store.h"
#include "lib/world/verify.h"
#include "lib/world/world.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534
#define LOG "{\"good\"}\n"

static struct tr_error why; /* of the last call that had to work */

#define OK(call) assert_ok(call, &why)

static int scratch_enter(void **state)
{
    umask(022);
    return scratch_make(state) == 0 && chdir(*state) == 0 && chmod(".", 0755) == 0 ? 0 : -1;
}

static int scratch_leave(void **state)
{
    return chdir("/") == 0 ? scratch_remove(state) : -1;
}

/* ---- the world ---- */

static struct tr_chunk chunk_of(int32_t cx, int32_t cz, uint64_t seed)
{
    struct tr_chunk chunk;

    chunk_gen_init(&chunk, cx, cz, cx == 2 ? 1 : 64, cz == 1 ? 1 : 64);
    chunk_gen_heights(&chunk, seed);
    if (cx == 0 && cz == 0) {
        chunk_gen_sculpted_block(&chunk, -1, seed);
        chunk_gen_sculpted_block(&chunk, 1, seed);
    }
    if (cx == 1 && cz == 1) {
        chunk_gen_sculpted_block(&chunk, 1, seed);
        chunk_gen_paint(&chunk, seed);
    }
    return chunk;
}

static void put(struct tr_world_build *build, int32_t cx, int32_t cz, uint64_t seed)
{
    struct tr_chunk chunk = chunk_of(cx, cz, seed);

    OK(tr_world_build_put(build, &chunk, &why));
    tr_chunk_release(&chunk);
}

static void commit(struct tr_world_build *build)
{
    struct tr_hash hash;

    OK(tr_world_build_commit(build, &hash, &why));
    tr_world_build_free(build);
}

static void make_worlds(const char *log)
{
    const struct tr_world_info info = {.size_x = 2, .size_z = 1, .voxel_size = 2, .extent = {0, 0, 128, 64}};
    struct tr_world_build *build;
    struct tr_world *plain;

    OK(tr_world_build_create("plain", &info, false, &build, &why));
    for (int32_t i = 0; i < 6; i++)
        put(build, i % 3, i / 3, 5);
    commit(build);
    OK(tr_world_open("plain", &plain, &why));
    OK(tr_world_build_create("w", &info, false, &build, &why));
    for (int32_t i = 0; i < 6; i++)
        if (i != 1)
            OK(tr_world_build_link(build, plain, i % 3, i / 3, &why));
    OK(tr_world_build_keep_base(build, plain, 1, 0, &why));
    put(build, 1, 0, 6);
    OK(tr_world_build_set_log(build, log, strlen(log), &why));
    commit(build);
    tr_world_close(plain);
}

/* ---- verifying ---- */

struct told {
    char text[16384]; /* lines */
    size_t count, most;
};

static enum tr_status note(void *context, const char *line, struct tr_error *error)
{
    struct told *told = context;

    if (told->count == told->most)
        return tr_fail(error, TR_NO, "enough");
    told->count++;
    strncat(told->text, line, sizeof told->text - strlen(told->text) - 2);
    strcat(told->text, "\n");
    return TR_OK;
}

static enum tr_status judge_log(void *context, const char *text, size_t size_bytes, const char *name,
                                struct tr_error *error)
{
    (void)context;
    assert_int_equal(strlen(text), size_bytes);
    if (strstr(text, "stop"))
        return tr_fail(error, TR_IO, "%s: stopped", name);
    return strstr(text, "bad") ? tr_fail(error, TR_BAD_INPUT, "%s:1: bad", name) : TR_OK;
}

static enum tr_status verify(const char *path, int job_count, struct told *told, struct tr_error *error)
{
    const struct tr_verify_calls calls = {.report = note, .check_log = judge_log, .context = told};
    struct tr_world *world;
    struct tr_jobs *jobs;
    enum tr_status status;

    OK(tr_world_open(path, &world, &why));
    OK(tr_jobs_create(job_count, &jobs, &why));
    status = tr_world_verify(world, jobs, &calls, error);
    tr_jobs_free(jobs);
    tr_world_close(world);
    return status;
}

/* The lines begin as those expected do: what follows is a checksum or hash. */
static void assert_told(const char *path, const char *expected)
{
    struct told told = {.most = 100};
    const char *found = told.text;

    OK(verify(path, 3, &told, &why));
    for (const char *line = expected; *line; line += *line == '\n') {
        size_t length = strcspn(line, "\n");

        if (strncmp(found, line, length) != 0)
            fail_msg("found:\n%sexpected:\n%s", told.text, expected);
        found += strcspn(found, "\n") + 1;
        line += length;
    }
    if (*found)
        fail_msg("found:\n%sexpected:\n%s", told.text, expected);
}

/* Replaces what `command` damages in a copy of "w" called "d". */
static void damage(const char *command)
{
    if (system("rm -rf d && cp -rP w d && chmod -R u+w d") != 0 || system(command) != 0)
        fail_msg("cannot set up: %s", command);
}

/* Flips a bit of the first byte of section i. */
static void damage_section(const char *path, int i)
{
    uint8_t *bytes;
    size_t size_bytes, at = 48 + 32 * (size_t)i + 8;

    OK(tr_file_read(path, 1 << 24, &bytes, &size_bytes, &why));
    at = bytes[at] | (size_t)bytes[at + 1] << 8 | (size_t)bytes[at + 2] << 16;
    assert_true(at < size_bytes);
    bytes[at] ^= 1;
    OK(tr_file_write(path, bytes, size_bytes, 0644, true, &why));
    free(bytes);
}

/* ---- tests ---- */

static void a_good_world_has_no_defects_whatever_its_modes(void **state)
{
    (void)state;
    make_worlds(LOG);
    assert_told("plain", "");
    assert_told("w", "");
    damage("chmod 666 d/world.json d/chunks/b2/*");
    assert_told("d", "");
}

static void each_defect_is_one_line(void **state)
{
    static const struct {
        const char *command, *told;
    } cases[] = {
        /* names and kinds */
        {"echo x >d/notes", "\"d/notes\" is no part of a world\n"},
        {"echo x >d/world.json~", "\"d/world.json~\" is no part of a world\n"},
        {"mkdir d/chunks/x", "\"d/chunks/x\" is no part of a world\n"},
        {"echo x >d/chunks/b2/c.0.0.trc.bak", "\"d/chunks/b2/c.0.0.trc.bak\" is no part of a world\n"},
        {"echo x >d/base/x", "\"d/base/x\" is no part of a world\n"},
        {"echo x >d/chunks/00", "\"d/chunks/00\" is no folder, expected one\n"},
        {"ln -s b2 d/chunks/00", "\"d/chunks/00\" is a symbolic link, expected a folder\n"},
        {"mkdir d/chunks/00 && cp d/chunks/b2/c.0.0.trc d/chunks/00",
         "\"d/chunks/00/c.0.0.trc\" is the place of no chunk of this world\n"},
        {"cp d/chunks/b2/c.0.0.trc d/chunks/b2/c.3.0.trc",
         "\"d/chunks/b2/c.3.0.trc\" is the place of no chunk of this world\n"},
        {"cp d/chunks/b2/c.0.0.trc d/chunks/b2/c.-1.0.trc",
         "\"d/chunks/b2/c.-1.0.trc\" is the place of no chunk of this world\n"},
        {"rm -r d/chunks", "\"d/chunks\" is missing, expected a folder\n"},
        {"mv d/chunks . && ln -s ../chunks d && rm -r chunks",
         "\"d/chunks\" is a symbolic link, expected a folder\n"},
        {"mv d/chunks/b2 d/chunks/b3 && ln -s b3 d/chunks/b2 && rm -r d/chunks/b3",
         "\"d/chunks/b2\" is a symbolic link, expected a folder\n"},
        /* the log */
        {"rm d/edits.jsonl", "\"d/edits.jsonl\" is missing, expected a file\n"},
        {"echo x >>d/edits.jsonl", "\"d/edits.jsonl\" has 11 bytes of hash "},
        {"printf '{\"gOod\"}\\n' >d/edits.jsonl", "\"d/edits.jsonl\" has 9 bytes of hash "},
        {"mv d/edits.jsonl . && ln -s ../edits.jsonl d",
         "\"d/edits.jsonl\": \"edits.jsonl\" is a symbolic link"},
        {"echo bad >d/edits.jsonl", "\"d/edits.jsonl\" has 4 bytes of hash \nd/edits.jsonl:1: bad\n"},
        /* chunk files */
        {"rm d/chunks/b2/c.2.1.trc", "\"d/chunks/b2/c.2.1.trc\" is missing, expected a file\n"},
        {": >d/chunks/b2/c.2.1.trc", "\"d/chunks/b2/c.2.1.trc\": header at byte 0: file of 0 bytes ends"},
        {"echo >>d/chunks/b2/c.2.1.trc", "\"d/chunks/b2/c.2.1.trc\": end of file at byte "},
        {"cp d/base/b2/c.1.0.trc d/chunks/b2/c.1.0.trc", "\"d/chunks/b2/c.1.0.trc\": chunk hash "},
        {"cp d/chunks/b2/c.0.1.trc d/chunks/b2/c.1.1.trc",
         "\"d/chunks/b2/c.1.1.trc\": header at byte 16: chunk (0, 1), expected (1, 1)\n"},
        {"rm d/chunks/b2/c.0.1.trc && mkfifo d/chunks/b2/c.0.1.trc",
         "\"d/chunks/b2/c.0.1.trc\" is no regular file, expected one\n"},
        /* base files */
        {"cp d/chunks/b2/c.1.0.trc d/base/b2", "\"d/base/b2/c.1.0.trc\": chunk hash "},
        {"cp d/chunks/b2/c.0.0.trc d/base/b2/c.1.0.trc",
         "\"d/base/b2/c.1.0.trc\": header at byte 16: chunk (0, 0), expected (1, 0)\n"},
        {"mv d/base/b2/c.1.0.trc d/base/b2/c.9.9.trc",
         "\"d/base/b2/c.9.9.trc\" is the place of no chunk of this world\n"},
        {"cp d/base/b2/c.1.0.trc . && ln -sf ../../../c.1.0.trc d/base/b2",
         "\"d/base/b2/c.1.0.trc\": \"c.1.0.trc\" is a symbolic link, expected a file\n"},
        {"mv d/base other && ln -s ../other d/base && rm -r other",
         "\"d/base\" is a symbolic link, expected a folder\n"},
        {"rm -r d/base && echo x >d/base", "\"d/base\" is no folder, expected one\n"},
        /* without a log in world.json */
        {"rm -rf d && cp -r plain d && cp w/edits.jsonl d",
         "\"d/edits.jsonl\" is there, but world.json has no log\n"},
        {"rm -rf d && cp -r plain d && mkdir d/base", "\"d/base\" is there, but world.json has no log\n"},
    };

    (void)state;
    make_worlds(LOG);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        damage(cases[i].command);
        assert_told("d", cases[i].told);
    }
}

static void every_damaged_section_of_a_file_is_told(void **state)
{
    static const char path[] = "d/chunks/b2/c.0.0.trc";

    (void)state;
    make_worlds(LOG);
    damage("true");
    damage_section(path, 2);
    assert_told("d", "\"d/chunks/b2/c.0.0.trc\": block row 1 at byte ");
    damage_section(path, 1);
    assert_told("d", "\"d/chunks/b2/c.0.0.trc\": block row -1 at byte \n"
                     "\"d/chunks/b2/c.0.0.trc\": block row 1 at byte \n");
    damage_section(path, 0);
    assert_told("d", "\"d/chunks/b2/c.0.0.trc\": heights at byte 152: checksum \n"
                     "\"d/chunks/b2/c.0.0.trc\": block row -1 at byte \n"
                     "\"d/chunks/b2/c.0.0.trc\": block row 1 at byte \n");
    damage_section(path, 1);
    damage_section(path, 2);
    assert_told("d", "\"d/chunks/b2/c.0.0.trc\": heights at byte 152: checksum \n");
}

static void damaged_paint_is_told_and_does_not_hide_what_else_is_damaged(void **state)
{
    static const char path[] = "d/chunks/b2/c.1.1.trc";

    (void)state;
    make_worlds(LOG);
    damage("true");
    damage_section(path, 1);
    assert_told("d", "\"d/chunks/b2/c.1.1.trc\": paint at byte ");
    damage_section(path, 3);
    assert_told("d", "\"d/chunks/b2/c.1.1.trc\": paint at byte \n"
                     "\"d/chunks/b2/c.1.1.trc\": paint of block row 1 at byte ");
    damage_section(path, 1);
    damage_section(path, 2);
    assert_told("d", "\"d/chunks/b2/c.1.1.trc\": block row 1 at byte \n"
                     "\"d/chunks/b2/c.1.1.trc\": paint of block row 1 at byte ");
    damage_section(path, 3); /* good paint of a block that cannot be read is no defect of its own */
    assert_told("d", "\"d/chunks/b2/c.1.1.trc\": block row 1 at byte ");
    damage_section(path, 2);
    damage_section(path, 0);
    assert_told("d", "\"d/chunks/b2/c.1.1.trc\": heights at byte ");
}

static void all_defects_come_in_one_order_at_any_number_of_jobs(void **state)
{
    static const char expected[] = "\"d/base/b2/x\" is no part of a world\n"
                                   "\"d/chunks/x\" is no part of a world\n"
                                   "\"d/notes\" is no part of a world\n"
                                   "\"d/edits.jsonl\" is missing, expected a file\n"
                                   "\"d/chunks/b2/c.0.0.trc\" is missing, expected a file\n"
                                   "\"d/chunks/b2/c.1.0.trc\" is missing, expected a file\n"
                                   "\"d/chunks/b2/c.2.0.trc\" is missing, expected a file\n"
                                   "\"d/chunks/b2/c.0.1.trc\" is missing, expected a file\n"
                                   "\"d/chunks/b2/c.1.1.trc\" is missing, expected a file\n"
                                   "\"d/chunks/b2/c.2.1.trc\" is missing, expected a file\n"
                                   "\"d/base/b2/c.1.0.trc\": header at byte 0: file of 0 bytes ends in it, "
                                   "expected 48\n";

    (void)state;
    make_worlds(LOG);
    damage("rm d/edits.jsonl d/chunks/b2/*; touch d/notes d/chunks/x d/base/b2/x; : >d/base/b2/c.1.0.trc");
    for (int jobs = 1; jobs <= 8; jobs++) {
        struct told told = {.most = 100};

        OK(verify("d", jobs, &told, &why));
        assert_string_equal(told.text, expected);
    }
}

static void a_listener_that_has_enough_ends_the_verification(void **state)
{
    (void)state;
    make_worlds(LOG);
    damage("rm d/edits.jsonl d/chunks/b2/*; touch d/notes; : >d/base/b2/c.1.0.trc");
    for (size_t most = 0; most < 9; most++) {
        struct told told = {.most = most};
        struct tr_error error = {0};

        assert_int_equal(verify("d", 2, &told, &error), TR_NO);
        assert_int_equal(told.count, most);
        assert_string_equal(error.text, "enough");
    }
}

static void a_log_that_cannot_be_judged_is_a_failure(void **state)
{
    struct told told = {.most = 100};
    struct tr_error error = {0};

    (void)state;
    make_worlds("{\"stop\"}\n");
    assert_int_equal(verify("w", 2, &told, &error), TR_IO);
    assert_string_equal(error.text, "w/edits.jsonl: stopped");
    assert_string_equal(told.text, "");
}

/* Verifies as somebody to whom modes apply. Exits 0 if that fails with that text. */
static void verify_as_a_user(const char *text)
{
    struct told told = {.most = 100};
    struct tr_error error = {0};

    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
                           setresuid(NOBODY, NOBODY, NOBODY) != 0))
        _exit(3);
    if (verify("d", 2, &told, &error) == TR_IO && strcmp(error.text, text) == 0)
        _exit(0);
    fprintf(stderr, "status %d: \"%s\", expected \"%s\"\n", error.status, error.text, text);
    _exit(1);
}

static void what_may_not_be_read_is_a_failure_and_no_defect(void **state)
{
    static const struct {
        const char *path, *text;
    } cases[] = {
        {"d/edits.jsonl", "cannot open \"d/edits.jsonl\": Permission denied"},
        {"d/chunks/b2/c.1.1.trc", "cannot open \"d/chunks/b2/c.1.1.trc\": Permission denied"},
        {"d/base/b2/c.1.0.trc", "cannot open \"d/base/b2/c.1.0.trc\": Permission denied"},
        {"d/chunks/b2", "cannot open folder \"d/chunks/b2\": Permission denied"},
        {"d/base", "cannot open folder \"d/base\": Permission denied"},
    };

    (void)state;
    make_worlds(LOG);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status;
        pid_t child;

        damage("true");
        assert_int_equal(chmod(cases[i].path, 0), 0);
        child = fork();
        if (child == 0)
            verify_as_a_user(cases[i].text);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(chmod(cases[i].path, 0755), 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

int main(void)
{
#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_good_world_has_no_defects_whatever_its_modes),
        SCRATCH_TEST(each_defect_is_one_line),
        SCRATCH_TEST(every_damaged_section_of_a_file_is_told),
        SCRATCH_TEST(damaged_paint_is_told_and_does_not_hide_what_else_is_damaged),
        SCRATCH_TEST(all_defects_come_in_one_order_at_any_number_of_jobs),
        SCRATCH_TEST(a_listener_that_has_enough_ends_the_verification),
        SCRATCH_TEST(a_log_that_cannot_be_judged_is_a_failure),
        SCRATCH_TEST(what_may_not_be_read_is_a_failure_and_no_defect),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
