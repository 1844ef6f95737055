/* The pool: every index once, scratch never shared, and the same error for any number of jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define TASKS_MAX 5000

struct seen {
    int jobs;
    atomic_int runs[TASKS_MAX];
    atomic_int inside[TR_JOBS_MAX]; /* tasks now running under a job number */
    atomic_int clashes;
    pthread_t caller;
    atomic_int foreign;
    size_t fail_first, fail_step; /* indices fail_first + n fail_step fail; step 0: none */
};

static enum tr_status task(void *context, size_t index, int job, struct tr_error *error)
{
    struct seen *seen = context;

    if (job < 0 || job >= seen->jobs || atomic_fetch_add(&seen->inside[job], 1) != 0)
        atomic_fetch_add(&seen->clashes, 1);
    if (!pthread_equal(pthread_self(), seen->caller))
        atomic_fetch_add(&seen->foreign, 1);
    atomic_fetch_add(&seen->runs[index], 1);
    for (volatile size_t i = 0; i < index * 7919 % 500; i++)
        ; /* unequal lengths, so that tasks overtake each other */
    atomic_fetch_sub(&seen->inside[job], 1);
    if (seen->fail_step > 0 && index >= seen->fail_first && (index - seen->fail_first) % seen->fail_step == 0)
        return tr_fail(error, TR_BAD_INPUT, "task %zu", index);
    return TR_OK;
}

static struct tr_jobs *jobs_of(int count, struct seen *seen)
{
    struct tr_jobs *jobs;
    struct tr_error error = {0};

    if (tr_jobs_create(count, &jobs, &error) != TR_OK)
        fail_msg("%s", error.text);
    memset(seen, 0, sizeof *seen);
    seen->jobs = tr_jobs_count(jobs);
    seen->caller = pthread_self();
    return jobs;
}

static struct seen seen; /* large for a stack */

static void every_index_runs_exactly_once(void **state)
{
    static const int counts[] = {1, 2, 3, 8, 17};
    static const size_t tasks[] = {0, 1, 2, 7, TASKS_MAX};

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++) {
            struct tr_jobs *jobs = jobs_of(counts[c], &seen);

            assert_int_equal(tr_jobs_count(jobs), counts[c]);
            assert_int_equal(tr_jobs_run(jobs, tasks[t], task, &seen, NULL), TR_OK);
            for (size_t i = 0; i < TASKS_MAX; i++)
                assert_int_equal(seen.runs[i], i < tasks[t] ? 1 : 0);
            assert_int_equal(seen.clashes, 0);
            tr_jobs_free(jobs);
        }
    }
}

static void one_job_runs_on_the_calling_thread(void **state)
{
    struct tr_jobs *jobs = jobs_of(1, &seen);

    (void)state;
    assert_int_equal(tr_jobs_run(jobs, 100, task, &seen, NULL), TR_OK);
    assert_int_equal(seen.foreign, 0);
    tr_jobs_free(jobs);
}

static void a_pool_runs_many_times(void **state)
{
    struct tr_jobs *jobs = jobs_of(4, &seen);

    (void)state;
    for (int run = 1; run <= 500; run++) {
        assert_int_equal(tr_jobs_run(jobs, 5, task, &seen, NULL), TR_OK);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(seen.runs[i], run);
    }
    assert_int_equal(seen.clashes, 0);
    tr_jobs_free(jobs);
}

static void the_lowest_failing_index_is_reported_for_any_number_of_jobs(void **state)
{
    static const int counts[] = {1, 2, 5, 16};

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t first = 0; first < 60; first += 7) {
            struct tr_jobs *jobs = jobs_of(counts[c], &seen);
            struct tr_error error = {0};
            char expected[32];

            seen.fail_first = first;
            seen.fail_step = 1;
            snprintf(expected, sizeof expected, "task %zu", first);
            assert_int_equal(tr_jobs_run(jobs, 1000, task, &seen, &error), TR_BAD_INPUT);
            assert_int_equal(error.status, TR_BAD_INPUT);
            assert_string_equal(error.text, expected);
            for (size_t i = 0; i <= first; i++)
                assert_int_equal(seen.runs[i], 1);
            tr_jobs_free(jobs);
        }
    }
}

static void nothing_is_begun_after_a_failure(void **state)
{
    struct tr_jobs *jobs = jobs_of(1, &seen);

    (void)state;
    seen.fail_first = 3;
    seen.fail_step = TASKS_MAX;
    assert_int_equal(tr_jobs_run(jobs, 1000, task, &seen, NULL), TR_BAD_INPUT);
    assert_int_equal(seen.runs[3], 1);
    assert_int_equal(seen.runs[4], 0);
    tr_jobs_free(jobs);
}

static void a_failed_run_does_not_spoil_the_next(void **state)
{
    struct tr_jobs *jobs = jobs_of(3, &seen);
    struct tr_error error = {0};

    (void)state;
    seen.fail_step = 1;
    assert_int_equal(tr_jobs_run(jobs, 50, task, &seen, &error), TR_BAD_INPUT);
    seen.fail_step = 0;
    assert_int_equal(tr_jobs_run(jobs, 50, task, &seen, &error), TR_OK);
    tr_jobs_free(jobs);
}

static void count_is_checked_and_zero_means_the_machine(void **state)
{
    struct tr_error error = {0};
    struct tr_jobs *jobs;

    (void)state;
    assert_int_equal(tr_jobs_create(-1, &jobs, &error), TR_USAGE);
    assert_null(jobs);
    assert_int_equal(tr_jobs_create(TR_JOBS_MAX + 1, &jobs, &error), TR_USAGE);
    assert_string_equal(error.text, "257 jobs, expected 0 to 256");
    assert_int_equal(tr_jobs_create(0, &jobs, &error), TR_OK);
    assert_in_range(tr_jobs_count(jobs), 1, TR_JOBS_MAX);
    tr_jobs_free(jobs);
    tr_jobs_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_runs_exactly_once),
        cmocka_unit_test(one_job_runs_on_the_calling_thread),
        cmocka_unit_test(a_pool_runs_many_times),
        cmocka_unit_test(the_lowest_failing_index_is_reported_for_any_number_of_jobs),
        cmocka_unit_test(nothing_is_begun_after_a_failure),
        cmocka_unit_test(a_failed_run_does_not_spoil_the_next),
        cmocka_unit_test(count_is_checked_and_zero_means_the_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
