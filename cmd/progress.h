/* Progress on a terminal: one line on standard error that is rewritten, and gone when the job is over. */
#ifndef TR_CMD_PROGRESS_H
#define TR_CMD_PROGRESS_H

#include "cmd/command.h"
#include "lib/base/progress.h"
#include <time.h>

struct tr_terminal {
    struct tr_progress progress; /* give this to the job */
    const char *doing;           /* "replaying" */
    bool is_shown, is_drawn;
    struct timespec next; /* not before this is the line drawn (again) */
};

/* Shows nothing where standard error is no terminal, or with --quiet (which the command must have). */
void tr_terminal_begin(struct tr_terminal *terminal, const struct tr_call *call, const char *doing);
/* Clears the line. */
void tr_terminal_end(struct tr_terminal *terminal);

#endif
