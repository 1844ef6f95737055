/* How far a long job has come, for whoever wants to show it. The library never prints. */
#ifndef TR_BASE_PROGRESS_H
#define TR_BASE_PROGRESS_H

#include <stdint.h>

struct tr_progress {
    /* Called now and then, always from the thread that started the job; done grows up to total. */
    void (*report)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/* progress may be NULL. */
static inline void tr_progress_report(const struct tr_progress *progress, uint64_t done, uint64_t total)
{
    if (progress)
        progress->report(progress->context, done, total);
}

#endif
