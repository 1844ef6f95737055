/* Text fit to be shown, and stopping by a signal. */
#include "lib/base/text.h"
#include "lib/base/jobs.h"
#include "lib/base/stop.h"
#include "tests/support/test.h"
#include <signal.h>
#include <string.h>

static void bytes_that_are_not_utf8_become_question_marks(void **state)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"plain", "plain"},
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8b", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8b"},
        {"\xff", "?"},
        {"a\xc3", "a?"},
        {"\xc0\xaf", "??"},           /* an overlong '/' */
        {"\xed\xa0\x80", "???"},      /* a surrogate */
        {"\xf4\x90\x80\x80", "????"}, /* beyond the last code point */
        {"\xe2\x82z", "??z"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[32];
        strcpy(text, cases[i].from);
        tr_text_make_utf8(text);
        assert_string_equal(text, cases[i].to);
    }
}

static void shown_text_is_one_line_and_fits(void **state)
{
    char room[8];
    (void)state;
    assert_string_equal(tr_text_shown("a\nb\x1b[", room, sizeof room), "a?b?[");
    assert_string_equal(tr_text_shown("0123456789", room, sizeof room), "0123456");
}

static enum tr_status count_task(void *context, size_t index, int job, struct tr_error *error)
{
    int *done = context;
    (void)index;
    (void)job;
    (void)error;
    if (++*done == 3)
        raise(SIGTERM);
    return TR_OK;
}

static void a_signal_ends_a_run_of_tasks_and_says_so(void **state)
{
    struct tr_jobs *jobs = NULL;
    struct tr_error error = {0};
    int done = 0;
    (void)state;
    assert_ok(tr_jobs_create(1, &jobs, &error), &error);
    tr_stop_install();
    assert_ok(tr_stop_check(&error), &error);
    assert_int_equal(tr_jobs_run(jobs, 100, count_task, &done, &error), TR_IO);
    assert_int_equal(done, 3);
    assert_string_equal(error.text, "stopped by SIGTERM, nothing was changed");
    assert_int_equal(tr_stop_signal(), SIGTERM);
    tr_jobs_free(jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_not_utf8_become_question_marks),
        cmocka_unit_test(shown_text_is_one_line_and_fits),
        cmocka_unit_test(a_signal_ends_a_run_of_tasks_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
