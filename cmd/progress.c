/* See progress.h. The first line comes after half a second, so that quick jobs show none, and then ten a second at most. */
#include "cmd/progress.h"
#include <stdio.h>
#include <unistd.h>

#define FIRST_MS 500
#define EACH_MS 100

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void set_next(struct tr_terminal *terminal, const struct timespec *now, long ms)
{
    long nanoseconds = now->tv_nsec + ms * 1000000;
    terminal->next = (struct timespec){now->tv_sec + nanoseconds / 1000000000, nanoseconds % 1000000000};
}

static void report(void *context, uint64_t done, uint64_t total)
{
    struct tr_terminal *terminal = context;
    struct timespec now;
    if (!terminal->is_shown || total == 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (is_before(&now, &terminal->next))
        return;
    set_next(terminal, &now, EACH_MS);
    terminal->is_drawn = true;
    fprintf(stderr, "\r%s %3.0f%%", terminal->doing, 100.0 * (double)done / (double)total);
    fflush(stderr);
}

void tr_terminal_begin(struct tr_terminal *terminal, const struct tr_call *call, const char *doing)
{
    struct timespec now;
    *terminal = (struct tr_terminal){.doing = doing};
    terminal->progress = (struct tr_progress){.report = report, .context = terminal};
    terminal->is_shown = isatty(STDERR_FILENO) && !tr_call_has(call, "--quiet");
    clock_gettime(CLOCK_MONOTONIC, &now);
    set_next(terminal, &now, FIRST_MS);
}

void tr_terminal_end(struct tr_terminal *terminal)
{
    if (terminal->is_drawn)
        fprintf(stderr, "\r%*s\r", 60, "");
    terminal->is_shown = terminal->is_drawn = false;
}
