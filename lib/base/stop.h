/* Stopping: Ctrl-C, a terminated job or a closed terminal end a command as a failure does, so that what it had begun is removed.
 *
 * The first signal only sets a flag, which long work looks at between its pieces and then fails with "stopped by SIGINT"; the second one
 * ends the process at once, as it would have without us. */
#ifndef TR_BASE_STOP_H
#define TR_BASE_STOP_H

#include "lib/base/status.h"

/* From here on SIGINT, SIGTERM and SIGHUP ask to stop (those that are ignored stay so). Once, before any thread is started. */
void tr_stop_install(void);

/* TR_IO when a signal has asked to stop. Cheap enough for every task. */
enum tr_status tr_stop_check(struct tr_error *error);

/* The signal that asked to stop, or 0: for whoever ends the process, which should die by it. */
int tr_stop_signal(void);

#endif
