/* Jobs: a pool of threads that take indices from one atomic ticket.
 *
 * The calling thread is job 0 and works too; the pool adds jobs - 1 threads, which sleep between runs.
 * Indices are handed out in ascending order and an index once taken is always run. So when index j fails,
 * every lower index has been taken, runs to its end and can report its own failure: the lowest failing index
 * is the same for any number of jobs. */
#include "lib/base/jobs.h"

#include "lib/base/alloc.h"
#include "lib/base/stop.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

typedef enum tr_status jobs_task(void *context, size_t index, int job, struct tr_error *error);

struct worker {
    struct tr_jobs *jobs;
    pthread_t thread;
    int job;
};

struct tr_jobs {
    int count;        /* with the calling thread */
    int worker_count; /* threads that run, count - 1 once created */
    struct worker workers[TR_JOBS_MAX - 1];

    pthread_mutex_t mutex;
    pthread_cond_t wake; /* run_number has grown, or stop */
    pthread_cond_t idle; /* busy_workers has become 0 */
    uint64_t run_number;
    int busy_workers;
    bool stop;

    /* the run in progress: written under the mutex before the workers wake */
    jobs_task *task;
    void *context;
    size_t task_count;
    atomic_size_t ticket;
    atomic_bool failed;

    /* guarded by the mutex */
    size_t error_index;
    struct tr_error error;
};

static void run_note_error(struct tr_jobs *jobs, size_t index, const struct tr_error *error)
{
    pthread_mutex_lock(&jobs->mutex);
    if (!atomic_load(&jobs->failed) || index < jobs->error_index) {
        jobs->error_index = index;
        jobs->error = *error;
        atomic_store(&jobs->failed, true);
    }
    pthread_mutex_unlock(&jobs->mutex);
}

static void run_tasks(struct tr_jobs *jobs, int job)
{
    while (!atomic_load(&jobs->failed)) {
        size_t index = atomic_fetch_add(&jobs->ticket, 1);
        struct tr_error error = {0};

        if (index >= jobs->task_count)
            break;
        error.status = tr_stop_check(&error);
        if (error.status == TR_OK)
            error.status = jobs->task(jobs->context, index, job, &error);
        if (error.status != TR_OK)
            run_note_error(jobs, index, &error);
    }
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct tr_jobs *jobs = worker->jobs;
    uint64_t seen_run = 0;

    pthread_mutex_lock(&jobs->mutex);
    for (;;) {
        while (!jobs->stop && jobs->run_number == seen_run)
            pthread_cond_wait(&jobs->wake, &jobs->mutex);
        if (jobs->stop)
            break;
        seen_run = jobs->run_number;
        pthread_mutex_unlock(&jobs->mutex);

        run_tasks(jobs, worker->job);

        pthread_mutex_lock(&jobs->mutex);
        if (--jobs->busy_workers == 0)
            pthread_cond_signal(&jobs->idle);
    }
    pthread_mutex_unlock(&jobs->mutex);
    return NULL;
}

static int processor_count(void)
{
    cpu_set_t set;
    long count;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        count = CPU_COUNT(&set);
    else /* more processors than a cpu_set_t holds */
        count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count < 1)
        return 1;
    return count > TR_JOBS_MAX ? TR_JOBS_MAX : (int)count;
}

enum tr_status tr_jobs_create(int count, struct tr_jobs **out, struct tr_error *error)
{
    struct tr_jobs *jobs;

    *out = NULL;
    if (count < 0 || count > TR_JOBS_MAX)
        return tr_fail(error, TR_USAGE, "%d jobs, expected 0 to %d", count, TR_JOBS_MAX);
    jobs = tr_alloc(1, sizeof *jobs, error);
    if (!jobs)
        return TR_IO;
    jobs->count = count == 0 ? processor_count() : count;
    pthread_mutex_init(&jobs->mutex, NULL);
    pthread_cond_init(&jobs->wake, NULL);
    pthread_cond_init(&jobs->idle, NULL);

    for (int job = 1; job < jobs->count; job++) {
        struct worker *worker = &jobs->workers[job - 1];
        int code;

        worker->jobs = jobs;
        worker->job = job;
        code = pthread_create(&worker->thread, NULL, worker_main, worker);
        if (code != 0) {
            errno = code;
            tr_fail_errno(error, "cannot start thread %d of %d", job + 1, jobs->count);
            tr_jobs_free(jobs);
            return TR_IO;
        }
        jobs->worker_count++;
    }
    *out = jobs;
    return TR_OK;
}

void tr_jobs_free(struct tr_jobs *jobs)
{
    if (!jobs)
        return;
    pthread_mutex_lock(&jobs->mutex);
    jobs->stop = true;
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->mutex);
    for (int i = 0; i < jobs->worker_count; i++)
        pthread_join(jobs->workers[i].thread, NULL);
    pthread_cond_destroy(&jobs->idle);
    pthread_cond_destroy(&jobs->wake);
    pthread_mutex_destroy(&jobs->mutex);
    free(jobs);
}

int tr_jobs_count(const struct tr_jobs *jobs)
{
    return jobs->count;
}

enum tr_status tr_jobs_run(struct tr_jobs *jobs, size_t count, jobs_task *task, void *context,
                           struct tr_error *error)
{
    pthread_mutex_lock(&jobs->mutex);
    jobs->task = task;
    jobs->context = context;
    jobs->task_count = count;
    atomic_store(&jobs->ticket, 0);
    atomic_store(&jobs->failed, false);
    /* a single task is not worth waking anybody */
    if (jobs->worker_count > 0 && count > 1) {
        jobs->busy_workers = jobs->worker_count;
        jobs->run_number++;
        pthread_cond_broadcast(&jobs->wake);
    }
    pthread_mutex_unlock(&jobs->mutex);

    run_tasks(jobs, 0);

    pthread_mutex_lock(&jobs->mutex);
    while (jobs->busy_workers > 0)
        pthread_cond_wait(&jobs->idle, &jobs->mutex);
    pthread_mutex_unlock(&jobs->mutex);

    if (!atomic_load(&jobs->failed))
        return TR_OK;
    if (error)
        *error = jobs->error;
    return jobs->error.status;
}
