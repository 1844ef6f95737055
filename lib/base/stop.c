/* See stop.h. */
#include "lib/base/stop.h"
#include <signal.h>
#include <stddef.h>

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};

static volatile sig_atomic_t asked; /* the signal, or 0 */

static void ask(int number)
{
    asked = number;
}

void tr_stop_install(void)
{
    /* SA_RESETHAND: a second one of the same kind is not ours any more */
    struct sigaction action = {.sa_handler = ask, .sa_flags = (int)SA_RESETHAND}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (sigaction(signals[i].number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i].number, &action, NULL);
}

enum tr_status tr_stop_check(struct tr_error *error)
{
    if (!asked)
        return TR_OK;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (signals[i].number == asked)
            return tr_fail(error, TR_IO, "stopped by %s, nothing was changed", signals[i].name);
    return TR_IO;
}

int tr_stop_signal(void)
{
    return asked;
}
