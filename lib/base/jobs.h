/* Jobs: run count independent tasks on a fixed number of threads. Tasks are handed out in order of index;
 * results go to slots by index, so nothing depends on the number of jobs. */
#ifndef TR_BASE_JOBS_H
#define TR_BASE_JOBS_H

#include "lib/base/status.h"
#include <stddef.h>

#define TR_JOBS_MAX 256

struct tr_jobs;

/* jobs 0: as many as the machine has processors for this process. 1 starts no thread. */
enum tr_status tr_jobs_create(int jobs, struct tr_jobs **out, struct tr_error *error);
void tr_jobs_free(struct tr_jobs *jobs);
int tr_jobs_count(const struct tr_jobs *jobs);

/* Calls task(context, index, job, error) for each index in [0, count); `job` in [0, jobs) names the calling
 * thread's scratch. When tasks fail, none is begun any more, and the error of the lowest index that failed is
 * returned. When a signal asks to stop (stop.h),
 * it ends the same way. Not reentrant. */
enum tr_status tr_jobs_run(struct tr_jobs *jobs, size_t count,
                           enum tr_status (*task)(void *context, size_t index, int job,
                                                  struct tr_error *error),
                           void *context, struct tr_error *error);

#endif
