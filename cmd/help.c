/* terrain help and terrain version. */
#include "cmd/command.h"
#include <string.h>

static const struct tr_option help_options[] = {
    {"--completion", 0, TR_OPTION_FLAG, NULL, 0, 0, "print a completion script for bash"},
    TR_OPTION_END,
};

static enum tr_status run_help(const struct tr_call *call, struct tr_error *error)
{
    if (tr_call_has(call, "--completion")) {
        tr_help_completion(stdout);
    } else if (call->argument_count == 0) {
        tr_help_list(stdout);
    } else {
        const struct tr_command *command = tr_command_find(call->arguments[0]);
        if (!command)
            return tr_fail(error, TR_USAGE, "no command '%s', see `terrain help`", call->arguments[0]);
        if (call->argument_count > 1) {
            const char *name = command->name;
            command = tr_verb_find(command, call->arguments[1]);
            if (!command)
                return tr_fail(error, TR_USAGE, "no command '%s %s', see `terrain help %s`", name,
                               call->arguments[1], name);
        }
        tr_help_command(command, stdout);
    }
    return TR_OK;
}

const struct tr_command tr_command_help = {
    .name = "help",
    .usage = "[COMMAND [VERB]]",
    .summary = "show the commands, or one command's options",
    .least = 0,
    .most = 2,
    .options = help_options,
    .run = run_help,
};

static const struct tr_option version_options[] = {TR_OPTION_END};

static enum tr_status run_version(const struct tr_call *call, struct tr_error *error)
{
    (void)call;
    (void)error;
    printf("terrain %s\n", TR_VERSION);
    return TR_OK;
}

const struct tr_command tr_command_version = {
    .name = "version",
    .usage = NULL,
    .summary = "show the version",
    .least = 0,
    .most = 0,
    .options = version_options,
    .run = run_version,
};
