/* What may be replaced by a new world, and what is left when an old one cannot be removed.
 *
 * This program has its own unlinkat, which the library under test calls: it can be told to refuse, as the
 * system does for reasons that no permission tells. Who runs as the superuser, to whom nothing is forbidden,
 * tests permissions as a user without a name. */
#include "lib/base/file.h"
#include "lib/world/store.h"
#include "lib/world/world.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static struct tr_error why; /* of the last call that had to work */

#define OK(call) assert_ok(call, &why)

/* Removals that still work; negative: all. */
static int removals = -1;

int unlinkat(int folder, const char *name, int flags)
{
    if (removals == 0) {
        errno = EPERM;
        return -1;
    }
    if (removals > 0)
        removals--;
    return (int)syscall(SYS_unlinkat, folder, name, flags);
}

static int scratch_enter(void **state)
{
    umask(022);
    return scratch_make(state) == 0 && chdir(*state) == 0 && chmod(".", 0777) == 0 ? 0 : -1;
}

static int scratch_leave(void **state)
{
    removals = -1;
    return system("chmod -R u+rwx .") == 0 && chdir("/") == 0 ? scratch_remove(state) : -1;
}

/* ---- worlds to replace ---- */

/* A world of 1 x 1 chunks, all at that height. */
static enum tr_status build(const char *path, int32_t height, bool replace, struct tr_error *error)
{
    const struct tr_world_info info = {.size_x = 1, .size_z = 1, .voxel_size = 1, .extent = {0, 0, 64, 64}};
    struct tr_world_build *build = NULL;
    struct tr_hash hash;
    enum tr_status status = tr_world_build_create(path, &info, replace, &build, error);

    for (int32_t i = 0; status == TR_OK && i < 4; i++) {
        struct tr_chunk chunk;

        chunk_gen_init(&chunk, i % 2, i / 2, i % 2 ? 1 : 64, i / 2 ? 1 : 64);
        chunk.heights[0] = height;
        status = tr_world_build_put(build, &chunk, error);
        tr_chunk_release(&chunk);
    }
    if (status == TR_OK)
        status = tr_world_build_commit(build, &hash, error);
    tr_world_build_free(build);
    return status;
}

static void assert_height(const char *path, int32_t height)
{
    struct tr_world *world;
    struct tr_chunk chunk;

    OK(tr_world_open(path, &world, &why));
    OK(tr_world_read_chunk(world, 1, 1, &chunk, &why));
    assert_int_equal(chunk.heights[0], height);
    tr_chunk_release(&chunk);
    tr_world_close(world);
}

static enum tr_status count_entry(void *context, const char *name, struct tr_error *error)
{
    (void)name;
    (void)error;
    ++*(int *)context;
    return TR_OK;
}

static int entry_count(const char *path)
{
    int count = 0;

    OK(tr_folder_list(path, count_entry, &count, &why));
    return count;
}

static void assert_fails(enum tr_status found, enum tr_status expected, const struct tr_error *error,
                         const char *what)
{
    if (found != expected || !strstr(error->text, what))
        fail_msg("status %d: \"%s\", expected status %d and \"%s\"", found, error->text, expected, what);
}

static void write_text(const char *path, const char *text)
{
    OK(tr_file_write(path, text, strlen(text), 0644, true, &why));
}

/* ---- what is a world ---- */

/* Each line makes a folder "f"; the text must be in the refusal. */
static void a_folder_that_is_no_world_is_named_and_left_alone(void **state)
{
    static const struct {
        const char *make, *told;
    } cases[] = {
        {"mkdir -p f/base && echo x >f/base/mine", "\"f\" holds \"base/mine\""},
        {"mkdir -p f/chunks && echo x >f/chunks/mine.txt", "\"f\" holds \"chunks/mine.txt\""},
        {"mkdir -p f/chunks/b2", "\"f\" holds no world.json"},
        {"mkdir f && echo x >f/chunks.idx", "\"f\" holds no world.json"},
        {"mkdir f && echo '{}' >f/world.json", "\"f/world.json\" is not that of a world"},
        {"mkdir f && : >f/world.json", "\"f/world.json\" is not that of a world"},
        {"mkdir -p f/world.json", "\"f\" holds \"world.json\""},
        {"mkdir f && ln -s ../w/world.json f", "\"f\" holds \"world.json\""},
        {"cp -r w f && rm f/chunks.idx && mkdir f/chunks.idx", "\"f\" holds \"chunks.idx\""},
        {"cp -r w f && echo x >f/edits.json", "\"f\" holds \"edits.json\""},
        {"cp -r w f && echo x >f/chunks/b2/c.0.0.trc~", "\"f\" holds \"chunks/b2/c.0.0.trc~\""},
        {"cp -r w f && echo x >f/chunks/b2/c.-0.0.trc", "\"f\" holds \"chunks/b2/c.-0.0.trc\""},
        {"cp -r w f && echo x >f/chunks/b2/c.0.00.trc", "\"f\" holds \"chunks/b2/c.0.00.trc\""},
        {"cp -r w f && echo x >f/chunks/b2/c.0.99999999999.trc", "\"f\" holds \"chunks/b2/c.0.9"},
        {"cp -r w f && mkdir f/chunks/b2/c.1.2.trc", "\"f\" holds \"chunks/b2/c.1.2.trc\""},
        {"cp -r w f && mkdir f/chunks/B2", "\"f\" holds \"chunks/B2\""},
        {"cp -r w f && mkdir f/chunks/b", "\"f\" holds \"chunks/b\""},
        {"cp -r w f && mkdir f/chunks/b2a", "\"f\" holds \"chunks/b2a\""},
        {"cp -r w f && echo x >f/chunks/00", "\"f\" holds \"chunks/00\""},
        {"cp -r w f && ln -s ../w/chunks f/base", "\"f\" holds \"base\""},
        {"cp -r w f && ln -s b2 f/chunks/00", "\"f\" holds \"chunks/00\""},
        {"cp -r w f && ln -s c.0.0.trc f/chunks/b2/c.5.5.trc", "\"f\" holds \"chunks/b2/c.5.5.trc\""},
    };

    (void)state;
    OK(build("w", 1, false, &why));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tr_error error = {0};

        assert_int_equal(system(cases[i].make), 0);
        assert_int_equal(system("cp -rP f before"), 0);
        assert_fails(build("f", 2, true, &error), TR_IO, &error, cases[i].told);
        assert_int_equal(system("diff -r --no-dereference f before"), 0);
        assert_int_equal(entry_count("."), 3);
        OK(tr_folder_remove("f", &why));
        OK(tr_folder_remove("before", &why));
    }
}

static void a_damaged_world_and_an_empty_folder_are_replaced(void **state)
{
    static const char *const cases[] = {
        "mkdir f",
        "cp -r w f && rm f/chunks.idx && rm -r f/chunks",
        "cp -r w f && sed -i 's/\"version\": 1/\"version\": 2/' f/world.json",
        "cp -r w f && head -c 120 w/world.json >cut && mv -f cut f/world.json",
        "cp -r w f && mkdir -p f/base/00 && echo x >f/base/00/c.-7.3.trc && echo x >f/edits.jsonl",
    };

    (void)state;
    OK(build("w", 1, false, &why));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(system(cases[i]), 0);
        OK(build("f", 2, true, &why));
        assert_height("f", 2);
        assert_int_equal(entry_count("."), 2);
        assert_int_equal(system("rm -rf f"), 0);
    }
}

static void what_came_into_the_old_world_meanwhile_is_kept(void **state)
{
    const struct tr_world_info info = {.size_x = 1, .size_z = 1, .voxel_size = 1, .extent = {0, 0, 64, 64}};
    struct tr_world_build *late;
    struct tr_error error = {0};
    struct tr_hash hash;

    (void)state;
    OK(build("w", 1, false, &why));
    OK(tr_world_build_create("w", &info, true, &late, &why));
    for (int32_t i = 0; i < 4; i++) {
        struct tr_chunk chunk;

        chunk_gen_init(&chunk, i % 2, i / 2, i % 2 ? 1 : 64, i / 2 ? 1 : 64);
        OK(tr_world_build_put(late, &chunk, &why));
        tr_chunk_release(&chunk);
    }
    write_text("w/chunks/mine", "mine");
    assert_fails(tr_world_build_commit(late, &hash, &error), TR_IO, &error, "chunks/mine");
    tr_world_build_free(late);
    assert_true(tr_path_exists("w/chunks/mine"));
    assert_height("w", 1);
    assert_int_equal(entry_count("."), 1);
}

/* ---- what can be removed ---- */

/* Runs a build over "w" as somebody to whom modes apply. It must be refused with that text, or, where that is
 * NULL, succeed. */
static void assert_replacing_as_a_user(const char *told)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        struct tr_error error = {0};
        enum tr_status found;

        if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
                               setresuid(NOBODY, NOBODY, NOBODY) != 0))
            _exit(3);
        found = build("w", 2, true, &error);
        if (found == (told ? TR_IO : TR_OK) && (!told || strstr(error.text, told)))
            _exit(0);
        fprintf(stderr, "status %d: \"%s\", expected \"%s\"\n", found, error.text, told ? told : "success");
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(entry_count("."), 1);
    assert_height("w", told ? 1 : 2);
}

static void a_world_in_whose_folders_one_may_not_write_is_refused_unchanged(void **state)
{
    static const char *const folders[] = {"w", "w/chunks", "w/chunks/b2"};
    static const char *const told[] = {"cannot remove \"w/chunks\": Permission denied",
                                       "cannot remove \"w/chunks/b2\": Permission denied",
                                       "cannot remove \"w/chunks/b2/c.0.0.trc\": Permission denied"};

    (void)state;
    OK(build("w", 1, false, &why));
    assert_int_equal(system("chmod -R a+rwX w"), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(chmod(folders[i], 0555), 0);
        assert_replacing_as_a_user(told[i]);
        assert_int_equal(chmod(folders[i], 0777), 0);
    }
    assert_replacing_as_a_user(NULL);
}

static void a_world_that_the_sticky_bit_of_its_parent_keeps_is_refused_unchanged(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* it takes two users */
    OK(build("w", 1, false, &why));
    assert_int_equal(system("chmod -R a+rwX w"), 0);
    assert_int_equal(chmod(".", 01777), 0);
    assert_replacing_as_a_user("cannot remove \"w\": its folder's sticky bit keeps it");
    assert_int_equal(chmod(".", 0777), 0);
    assert_int_equal(chmod("w/chunks/b2", 01777), 0);
    assert_replacing_as_a_user("cannot remove \"w/chunks/b2/c.0.0.trc\": its folder's sticky bit keeps it");
    assert_int_equal(chown("w/chunks/b2", NOBODY, NOBODY), 0); /* in one's own folder the bit holds nothing */
    assert_replacing_as_a_user(NULL);
}

static void an_old_world_of_which_nothing_can_be_removed_gets_its_name_back(void **state)
{
    struct tr_error error = {0};

    (void)state;
    OK(build("w", 1, false, &why));
    assert_int_equal(mkdir("new", 0777), 0);
    removals = 0;
    assert_fails(tr_folder_replace("new", "w", true, &error), TR_IO, &error, "Operation not permitted");
    removals = -1;
    assert_int_equal(entry_count("new"), 0);
    assert_height("w", 1);
}

static void an_old_world_that_is_no_longer_whole_makes_way(void **state)
{
    (void)state;
    for (int i = 1; i <= 8; i++) { /* 4 chunk files, 2 folders above them, world.json and index: 9 with "w" */
        OK(build("w", 1, false, &why));
        OK(build("new", 2, false, &why));
        removals = i;
        OK(tr_folder_replace("new", "w", true, &why));
        removals = -1;
        assert_height("w", 2);
        assert_true(tr_path_exists("new")); /* the rest of the old one */
        OK(tr_folder_remove("new", &why));
        OK(tr_folder_remove("w", &why));
    }
}

static void removability_is_asked_without_removing(void **state)
{
    struct tr_error error = {0};

    (void)state;
    OK(build("w", 1, false, &why));
    OK(tr_folder_check_removable("w", &why));
    OK(tr_folder_check_removable("w/", &why));
    OK(tr_folder_check_removable("missing", &why));
    assert_height("w", 1);
    write_text("file", "x");
    assert_fails(tr_folder_check_removable("file", &error), TR_IO, &error, "\"file\" is a file");
    assert_int_equal(symlink("w", "link"), 0);
    assert_fails(tr_folder_check_removable("link", &error), TR_IO, &error, "\"link\" is a symbolic link");
}

int main(void)
{
#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_folder_that_is_no_world_is_named_and_left_alone),
        SCRATCH_TEST(a_damaged_world_and_an_empty_folder_are_replaced),
        SCRATCH_TEST(what_came_into_the_old_world_meanwhile_is_kept),
        SCRATCH_TEST(a_world_in_whose_folders_one_may_not_write_is_refused_unchanged),
        SCRATCH_TEST(a_world_that_the_sticky_bit_of_its_parent_keeps_is_refused_unchanged),
        SCRATCH_TEST(an_old_world_of_which_nothing_can_be_removed_gets_its_name_back),
        SCRATCH_TEST(an_old_world_that_is_no_longer_whole_makes_way),
        SCRATCH_TEST(removability_is_asked_without_removing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
