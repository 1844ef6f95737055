/* Files and folders: what is replaced is whole at any moment, and what must not be replaced or followed is
 * not. Each test has a scratch folder of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/file.h"

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

static char scratch[TR_PATH_BYTES];

static int scratch_create(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(scratch, sizeof scratch, "%s/terrain-file-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(scratch) && chdir(scratch) == 0 ? 0 : -1;
}

static int scratch_remove(void **state)
{
    (void)state;
    return chdir("/") == 0 && tr_folder_remove(scratch, NULL) == TR_OK ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        fail_msg("cannot set up \"%s\": %s", path, strerror(errno));
}

static void assert_file(const char *path, const char *text)
{
    struct tr_error error = {0};
    uint8_t *bytes;
    size_t size_bytes;

    if (tr_file_read(path, 1 << 20, &bytes, &size_bytes, &error) != TR_OK)
        fail_msg("%s", error.text);
    assert_string_equal((char *)bytes, text);
    assert_int_equal(size_bytes, strlen(text));
    free(bytes);
}

static enum tr_status count_entry(void *context, const char *name, struct tr_error *error)
{
    (void)name;
    (void)error;
    ++*(int *)context;
    return TR_OK;
}

static void assert_entry_count(const char *path, int expected)
{
    int count = 0;

    assert_int_equal(tr_folder_list(path, count_entry, &count, NULL), TR_OK);
    assert_int_equal(count, expected);
}

static void assert_failed(enum tr_status status, enum tr_status expected, const struct tr_error *error,
                          const char *text)
{
    if (status != expected || error->status != expected || strcmp(error->text, text) != 0)
        fail_msg("status %d \"%s\", expected %d \"%s\"", status, error->text, expected, text);
}

/* ---- paths ---- */

static void joined_path_has_one_slash_and_fits(void **state)
{
    char path[TR_PATH_BYTES], longest[TR_PATH_BYTES];
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(tr_path_join(path, "a", "b", &error), TR_OK);
    assert_string_equal(path, "a/b");
    assert_int_equal(tr_path_join(path, "a/", "b", &error), TR_OK);
    assert_string_equal(path, "a/b");
    assert_int_equal(tr_path_join(path, "/", "b", &error), TR_OK);
    assert_string_equal(path, "/b");
    assert_int_equal(tr_path_join(path, "", "b", &error), TR_OK);
    assert_string_equal(path, "b");

    memset(longest, 'x', sizeof longest);
    longest[TR_PATH_BYTES - 3] = '\0';
    assert_int_equal(tr_path_join(path, longest, "b", &error), TR_OK);
    assert_int_equal(strlen(path), TR_PATH_BYTES - 1);
    assert_int_equal(tr_path_join(path, longest, "bc", &error), TR_BAD_INPUT);
    assert_string_equal(path, "");
}

/* ---- reading ---- */

static void file_is_read_whole_with_a_nul_behind(void **state)
{
    struct tr_error error = {0};
    uint8_t *bytes;
    size_t size_bytes;

    (void)state;
    put("empty", "");
    assert_file("empty", "");
    put("some", "one\ntwo\n");
    assert_file("some", "one\ntwo\n");
    assert_int_equal(tr_file_read("some", 8, &bytes, &size_bytes, &error), TR_OK);
    free(bytes);
    assert_failed(tr_file_read("some", 7, &bytes, &size_bytes, &error), TR_BAD_INPUT, &error,
                  "\"some\" has 8 bytes, expected at most 7");
    assert_null(bytes);
}

static void what_is_no_file_is_refused_without_hanging(void **state)
{
    struct tr_error error = {0};
    uint8_t *bytes;
    size_t size_bytes;

    (void)state;
    assert_failed(tr_file_read("missing", 10, &bytes, &size_bytes, &error), TR_IO, &error,
                  "cannot open \"missing\": No such file or directory");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_failed(tr_file_read("folder", 10, &bytes, &size_bytes, &error), TR_IO, &error,
                  "\"folder\" is a folder, expected a file");
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_failed(tr_file_read("pipe", 10, &bytes, &size_bytes, &error), TR_IO, &error,
                  "\"pipe\" is a device, pipe or socket, expected a file");
    assert_failed(tr_file_read("/dev/zero", 10, &bytes, &size_bytes, &error), TR_IO, &error,
                  "\"/dev/zero\" is a device, pipe or socket, expected a file");
}

/* Puts `text` on standard input and reads "-". */
static enum tr_status read_standard_input(const char *text, size_t max_bytes, uint8_t **bytes,
                                          size_t *size_bytes, struct tr_error *error)
{
    int saved = dup(STDIN_FILENO), ends[2];
    enum tr_status status;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    status = tr_file_read("-", max_bytes, bytes, size_bytes, error);
    dup2(saved, STDIN_FILENO);
    close(saved);
    return status;
}

static void minus_reads_standard_input_up_to_the_limit(void **state)
{
    struct tr_error error = {0};
    uint8_t *bytes;
    size_t size_bytes;

    (void)state;
    assert_int_equal(read_standard_input("from a pipe", 11, &bytes, &size_bytes, &error), TR_OK);
    assert_string_equal((char *)bytes, "from a pipe");
    assert_int_equal(size_bytes, 11);
    free(bytes);
    assert_failed(read_standard_input("from a pipe", 10, &bytes, &size_bytes, &error), TR_BAD_INPUT, &error,
                  "\"standard input\" has more than 10 bytes, expected at most that many");
}

static void file_that_hides_its_size_is_read_whole(void **state)
{
    struct tr_error error = {0};
    uint8_t *bytes;
    size_t size_bytes;

    (void)state;
    /* files of /proc say 0 bytes */
    if (tr_file_read("/proc/self/status", 1 << 20, &bytes, &size_bytes, &error) != TR_OK)
        fail_msg("%s", error.text);
    assert_true(size_bytes > 100);
    free(bytes);
    assert_int_equal(tr_file_read("/proc/self/status", 100, &bytes, &size_bytes, &error), TR_BAD_INPUT);
}

/* ---- writing ---- */

static void file_is_written_with_its_mode_and_nothing_else_is_left(void **state)
{
    struct tr_error error = {0};
    struct stat info;

    (void)state;
    umask(022);
    assert_int_equal(tr_file_write("new", "abc", 3, 0444, false, &error), TR_OK);
    assert_file("new", "abc");
    assert_int_equal(stat("new", &info), 0);
    assert_int_equal(info.st_mode & 07777, 0444);
    assert_int_equal(tr_file_write("nothing", NULL, 0, 0644, false, &error), TR_OK);
    assert_file("nothing", "");
    assert_entry_count(".", 2);
}

static void existing_file_is_kept_without_replace(void **state)
{
    struct tr_error error = {0};

    (void)state;
    put("old", "old");
    assert_failed(tr_file_write("old", "new", 3, 0644, false, &error), TR_IO, &error,
                  "\"old\" exists, expected a new name or --force");
    assert_file("old", "old");
    assert_entry_count(".", 1);
    assert_int_equal(tr_file_write("old", "new", 3, 0644, true, &error), TR_OK);
    assert_file("old", "new");
    assert_entry_count(".", 1);
}

static void file_that_appears_while_writing_is_kept(void **state)
{
    struct tr_output output;
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(tr_output_open(&output, "late", false, &error), TR_OK);
    assert_int_equal(tr_output_write(&output, "mine", 4, &error), TR_OK);
    put("late", "theirs");
    assert_failed(tr_output_commit(&output, &error), TR_IO, &error,
                  "\"late\" exists, expected a new name or --force");
    assert_file("late", "theirs");
    assert_entry_count(".", 1);
}

static void reader_of_the_old_file_sees_it_whole(void **state)
{
    struct tr_error error = {0};
    char seen[8] = {0};
    int old;

    (void)state;
    put("file", "old one");
    old = open("file", O_RDONLY);
    assert_true(old >= 0);
    assert_int_equal(tr_file_write("file", "the new one", 11, 0644, true, &error), TR_OK);
    assert_int_equal(read(old, seen, sizeof seen), 7);
    assert_string_equal(seen, "old one");
    close(old);
    assert_file("file", "the new one");
}

static void only_regular_files_are_replaced(void **state)
{
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_failed(tr_file_write("folder", "x", 1, 0644, true, &error), TR_IO, &error,
                  "\"folder\" is a folder, expected a file to replace");
    assert_failed(tr_file_write("/dev/null", "x", 1, 0644, true, &error), TR_IO, &error,
                  "\"/dev/null\" is a device, pipe or socket, expected a file to replace");
    put("target", "precious");
    assert_int_equal(symlink("target", "link"), 0);
    assert_failed(tr_file_write("link", "x", 1, 0644, true, &error), TR_IO, &error,
                  "\"link\" is a symbolic link, expected a file to replace");
    assert_failed(tr_file_write("link", "x", 1, 0644, false, &error), TR_IO, &error,
                  "\"link\" exists, expected a new name or --force");
    assert_file("target", "precious");
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(tr_file_write("dangling", "x", 1, 0644, false, &error), TR_IO);
    assert_false(tr_path_exists("nowhere"));
}

static void names_that_cannot_be_written_are_refused(void **state)
{
    static const char *const names[] = {"",     "/",         ".", "..", "folder/..", "missing/file",
                                        "new/", "file/below"};

    (void)state;
    put("file", "");
    assert_int_equal(mkdir("folder", 0777), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct tr_error error = {0};

        if (tr_file_write(names[i], "x", 1, 0644, true, &error) == TR_OK)
            fail_msg("\"%s\" was written", names[i]);
        assert_true(error.text[0] != '\0');
    }
    assert_entry_count(".", 2);
}

static void longest_name_is_written(void **state)
{
    struct tr_error error = {0};
    char name[256];

    (void)state;
    memset(name, 'n', 255);
    name[255] = '\0';
    if (tr_file_write(name, "x", 1, 0644, false, &error) != TR_OK)
        fail_msg("%s", error.text);
    assert_file(name, "x");
}

static void output_in_pieces_seeks_and_commits(void **state)
{
    struct tr_output output;
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(tr_output_open(&output, "pieces", false, &error), TR_OK);
    assert_int_equal(tr_output_write(&output, "head....", 8, &error), TR_OK);
    assert_int_equal(tr_output_write(&output, "tail", 4, &error), TR_OK);
    assert_int_equal(tr_output_seek(&output, 4, &error), TR_OK);
    assert_int_equal(tr_output_write(&output, "done", 4, &error), TR_OK);
    assert_int_equal(tr_output_seek(&output, UINT64_MAX, &error), TR_IO);
    assert_false(tr_path_exists("pieces"));
    assert_int_equal(tr_output_commit(&output, &error), TR_OK);
    tr_output_abort(&output);
    assert_file("pieces", "headdonetail");
    assert_entry_count(".", 1);
}

static void aborted_output_leaves_nothing(void **state)
{
    struct tr_output output, never = {0};
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(tr_output_open(&output, "gone", false, &error), TR_OK);
    assert_entry_count(".", 1);
    tr_output_abort(&output);
    tr_output_abort(&output);
    tr_output_abort(&never);
    assert_entry_count(".", 0);
}

/* Runs step in a child; returns its exit status. */
static int in_child(int (*step)(void))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        _exit(step());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int die_while_writing(void)
{
    struct tr_output output;
    char block[100000] = {0};

    if (tr_output_open(&output, "file", true, NULL) || tr_output_write(&output, block, sizeof block, NULL))
        return 1;
    return 0;
}

static void writer_that_dies_leaves_the_old_file(void **state)
{
    struct tr_error error = {0};

    (void)state;
    put("file", "old");
    assert_int_equal(in_child(die_while_writing), 0);
    assert_file("file", "old");
    assert_entry_count(".", 2); /* the orphan bears another name */
    assert_int_equal(tr_file_write("file", "new", 3, 0644, true, &error), TR_OK);
    assert_file("file", "new");
    assert_entry_count(".", 1); /* and goes when somebody writes there again */
}

static void temporary_of_a_living_writer_is_kept(void **state)
{
    struct tr_output output;
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(tr_output_open(&output, "file", true, &error), TR_OK);
    assert_int_equal(tr_file_write("file", "theirs", 6, 0644, true, &error), TR_OK);
    assert_entry_count(".", 2);
    assert_int_equal(tr_output_write(&output, "mine", 4, &error), TR_OK);
    assert_int_equal(tr_output_commit(&output, &error), TR_OK);
    assert_file("file", "mine");
    assert_entry_count(".", 1);
}

static int write_beyond_the_limit(void)
{
    struct rlimit limit = {1000, 1000};
    struct tr_error error = {0};
    char block[100000] = {0};

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    if (tr_file_write("file", block, sizeof block, 0644, true, &error) != TR_IO)
        return 1;
    return strcmp(error.text, "cannot write \"file\": File too large") == 0 ? 0 : 2;
}

static void full_disk_leaves_the_old_file_and_no_temporary(void **state)
{
    (void)state;
    put("file", "old");
    assert_int_equal(in_child(write_beyond_the_limit), 0);
    assert_file("file", "old");
    assert_entry_count(".", 1);
}

/* ---- folders ---- */

static void folders_are_created_with_their_parents(void **state)
{
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(tr_folder_create_all("a/b//c/", &error), TR_OK);
    assert_int_equal(tr_folder_create_all("a/b/c", &error), TR_OK);
    assert_true(tr_path_is_folder("a/b/c"));
    assert_int_equal(tr_folder_create("a/d", &error), TR_OK);
    assert_failed(tr_folder_create("a/d", &error), TR_IO, &error,
                  "\"a/d\" exists, expected a new name or --force");
    put("a/file", "");
    assert_failed(tr_folder_create_all("a/file/x", &error), TR_IO, &error,
                  "\"a/file\" exists and is not a folder");
    assert_int_equal(tr_folder_create_all("", &error), TR_BAD_INPUT);
    assert_false(tr_path_is_folder("a/file"));
    assert_int_equal(tr_folder_sync("a", &error), TR_OK);
    assert_int_equal(tr_folder_sync("missing", &error), TR_IO);
}

static enum tr_status append_name(void *context, const char *name, struct tr_error *error)
{
    if (strcmp(name, "stop") == 0)
        return tr_fail(error, TR_NO, "stopped");
    strcat(context, name);
    strcat(context, " ");
    return TR_OK;
}

static void entries_are_listed_in_the_order_of_their_names(void **state)
{
    struct tr_error error = {0};
    char names[256] = "";

    (void)state;
    put("b", "");
    put("a.10", "");
    put(".hidden", "");
    put("a.9", "");
    put("B", "");
    assert_int_equal(mkdir("a", 0777), 0);
    assert_int_equal(tr_folder_list(".", append_name, names, &error), TR_OK);
    assert_string_equal(names, ".hidden B a a.10 a.9 b ");

    put("stop", "");
    assert_failed(tr_folder_list(".", append_name, names, &error), TR_NO, &error, "stopped");
    assert_failed(tr_folder_list("b", append_name, names, &error), TR_IO, &error,
                  "cannot open folder \"b\": Not a directory");
}

static void removal_takes_all_and_follows_no_link(void **state)
{
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(mkdir("outside", 0777), 0);
    put("outside/kept", "kept");
    assert_int_equal(tr_folder_create_all("tree/sub/sub", &error), TR_OK);
    put("tree/sub/read-only", "x");
    assert_int_equal(chmod("tree/sub/read-only", 0444), 0);
    put("tree/sub/sub/deep", "x");
    assert_int_equal(symlink("../../outside", "tree/sub/link"), 0);
    assert_int_equal(symlink("missing", "tree/dangling"), 0);
    assert_int_equal(mkfifo("tree/pipe", 0666), 0);
    if (tr_folder_remove("tree/", &error) != TR_OK)
        fail_msg("%s", error.text);
    assert_false(tr_path_exists("tree"));
    assert_file("outside/kept", "kept");
}

static void only_a_folder_is_removed(void **state)
{
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(tr_folder_remove("missing", &error), TR_OK);
    assert_int_equal(tr_folder_remove("missing/too", &error), TR_OK);
    put("file", "kept");
    assert_failed(tr_folder_remove("file", &error), TR_IO, &error,
                  "\"file\" is a file, expected a folder to remove");
    assert_int_equal(mkdir("real", 0777), 0);
    put("real/kept", "kept");
    assert_int_equal(symlink("real", "link"), 0);
    assert_failed(tr_folder_remove("link", &error), TR_IO, &error,
                  "\"link\" is a symbolic link, expected a folder to remove");
    assert_failed(tr_folder_remove("real/.", &error), TR_BAD_INPUT, &error,
                  "\"real/.\" names no file or folder");
    assert_failed(tr_folder_remove("real/..", &error), TR_BAD_INPUT, &error,
                  "\"real/..\" names no file or folder");
    assert_failed(tr_folder_remove("/", &error), TR_BAD_INPUT, &error, "\"/\" names no file or folder");
    assert_file("real/kept", "kept");
}

static void removal_is_bounded_in_depth(void **state)
{
    char path[TR_PATH_BYTES] = "d";
    struct tr_error error = {0};

    (void)state;
    for (int depth = 2; depth <= 64; depth++)
        strcat(path, "/d");
    assert_int_equal(tr_folder_create_all(path, &error), TR_OK);
    assert_int_equal(tr_folder_remove("d", &error), TR_OK);
    assert_false(tr_path_exists("d"));

    strcat(path, "/d");
    assert_int_equal(tr_folder_create_all(path, &error), TR_OK);
    assert_failed(tr_folder_remove("d", &error), TR_IO, &error,
                  "\"d\" has folders nested deeper than 64, expected at most that");
    assert_int_equal(tr_folder_remove("d/d", &error), TR_OK);
}

static void folder_is_moved_to_a_free_name(void **state)
{
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(mkdir("new", 0777), 0);
    put("new/file", "new");
    assert_int_equal(tr_folder_replace("new", "world", false, &error), TR_OK);
    assert_false(tr_path_exists("new"));
    assert_file("world/file", "new");
}

static void folder_is_exchanged_only_with_replace(void **state)
{
    struct tr_error error = {0};
    int old;

    (void)state;
    assert_int_equal(mkdir("new", 0777), 0);
    put("new/file", "new");
    assert_int_equal(mkdir("world", 0777), 0);
    assert_failed(tr_folder_replace("new", "world", false, &error), TR_IO, &error,
                  "\"world\" exists, expected a new name or --force");
    assert_true(tr_path_exists("new/file"));
    assert_false(tr_path_exists("world/file"));

    put("world/file", "old");
    old = open("world/file", O_RDONLY);
    if (tr_folder_replace("new", "world/", true, &error) != TR_OK)
        fail_msg("%s", error.text);
    assert_file("world/file", "new");
    assert_false(tr_path_exists("new"));
    assert_int_equal(lseek(old, 0, SEEK_END), 3); /* who has the old world open still reads it */
    close(old);
}

static void folder_replaces_nothing_but_a_folder(void **state)
{
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(mkdir("new", 0777), 0);
    put("file", "kept");
    assert_failed(tr_folder_replace("new", "file", true, &error), TR_IO, &error,
                  "\"file\" is a file, expected a folder to replace");
    assert_int_equal(mkdir("real", 0777), 0);
    put("real/kept", "kept");
    assert_int_equal(symlink("real", "link"), 0);
    assert_failed(tr_folder_replace("new", "link", true, &error), TR_IO, &error,
                  "\"link\" is a symbolic link, expected a folder to replace");
    assert_failed(tr_folder_replace("missing", "world", false, &error), TR_IO, &error,
                  "cannot rename \"missing\" to \"world\": No such file or directory");
    assert_failed(tr_folder_replace("missing", "real", true, &error), TR_IO, &error,
                  "cannot exchange \"missing\" with \"real\": No such file or directory");
    assert_file("file", "kept");
    assert_file("real/kept", "kept");
    assert_true(tr_path_is_folder("new"));
}

#define SCRATCH_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_create, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(joined_path_has_one_slash_and_fits),
        SCRATCH_TEST(file_is_read_whole_with_a_nul_behind),
        SCRATCH_TEST(what_is_no_file_is_refused_without_hanging),
        SCRATCH_TEST(minus_reads_standard_input_up_to_the_limit),
        SCRATCH_TEST(file_that_hides_its_size_is_read_whole),
        SCRATCH_TEST(file_is_written_with_its_mode_and_nothing_else_is_left),
        SCRATCH_TEST(existing_file_is_kept_without_replace),
        SCRATCH_TEST(file_that_appears_while_writing_is_kept),
        SCRATCH_TEST(reader_of_the_old_file_sees_it_whole),
        SCRATCH_TEST(only_regular_files_are_replaced),
        SCRATCH_TEST(names_that_cannot_be_written_are_refused),
        SCRATCH_TEST(longest_name_is_written),
        SCRATCH_TEST(output_in_pieces_seeks_and_commits),
        SCRATCH_TEST(aborted_output_leaves_nothing),
        SCRATCH_TEST(writer_that_dies_leaves_the_old_file),
        SCRATCH_TEST(temporary_of_a_living_writer_is_kept),
        SCRATCH_TEST(full_disk_leaves_the_old_file_and_no_temporary),
        SCRATCH_TEST(folders_are_created_with_their_parents),
        SCRATCH_TEST(entries_are_listed_in_the_order_of_their_names),
        SCRATCH_TEST(removal_takes_all_and_follows_no_link),
        SCRATCH_TEST(only_a_folder_is_removed),
        SCRATCH_TEST(removal_is_bounded_in_depth),
        SCRATCH_TEST(folder_is_moved_to_a_free_name),
        SCRATCH_TEST(folder_is_exchanged_only_with_replace),
        SCRATCH_TEST(folder_replaces_nothing_but_a_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
