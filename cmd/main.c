/* terrain: finds the command, parses its line, runs it, prints what went wrong, exits with its status. */
#include "cmd/command.h"
#include "lib/base/stop.h"
#include "lib/base/text.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct tr_command *const tr_commands[] = {
    &tr_command_gen,
    &tr_command_apply_log,
    &tr_command_log,
    &tr_command_mesh,
    &tr_command_export,
    &tr_command_scatter,
    &tr_command_diff,
    &tr_command_info,
    &tr_command_ls,
    &tr_command_dump,
    &tr_command_sample,
    &tr_command_raycast,
    &tr_command_verify,
    &tr_command_preview,
    &tr_command_devices,
    &tr_command_bench,
    &tr_command_help,
    &tr_command_version,
    NULL,
};

static const char *command_word(const void *context, size_t i)
{
    (void)context;
    return tr_commands[i] ? tr_commands[i]->name : NULL;
}

static const char *verb_word(const void *context, size_t i)
{
    return tr_verb_word(context, i);
}

static void say_unknown(const char *what, const char *word, const char *near, const char *of)
{
    char shown[64];
    fprintf(stderr, "terrain%s%s: unknown %s '%s'%s%s%s, see `terrain help%s%s`\n", of[0] ? " " : "", of,
            what, tr_text_shown(word, shown, sizeof shown), near ? ", did you mean " : "", near ? near : "",
            near ? "?" : "", of[0] ? " " : "", of);
}

/* The command that the line names; NULL when it names none, which has been said. *words: how many words the name is. A command of verbs
 * itself is found where help is asked for. */
static const struct tr_command *find_command(int argc, char **argv, int *words)
{
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0)
        name = "version";
    const struct tr_command *command = tr_command_find(name);
    *words = 1;
    if (!command)
        say_unknown("command", name, tr_nearest(name, command_word, NULL), "");
    if (!command || !command->verbs)
        return command;
    if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0))
        return command;
    *words = 2;
    if (argc < 3) {
        fprintf(stderr, "terrain %s: expected: terrain %s %s\n", command->name, command->name,
                command->usage);
        return NULL;
    }
    const struct tr_command *verb = tr_verb_find(command, argv[2]);
    if (!verb)
        say_unknown("verb", argv[2], tr_nearest(argv[2], verb_word, command), command->name);
    return verb;
}

/* An error in a line of a file begins with that place, as editors and CI jobs look for it; others say which command it was. */
static bool begins_with_place(const char *text)
{
    static const char offset[] = " byte offset ";
    size_t name = strcspn(text, ":\"'");
    const char *at = text + name + 1;
    if (name == 0 || text[name] != ':')
        return false;
    if (strncmp(at, offset, strlen(offset)) == 0)
        at += strlen(offset);
    size_t digits = strspn(at, "0123456789");
    return digits && at[digits] == ':';
}

/* Output that was lost (full disk, closed pipe) is a failure, even when the work itself was done. */
static enum tr_status flush_output(struct tr_error *error)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return tr_fail_errno(error, "cannot write to standard output");
    return TR_OK;
}

/* A stream that was closed is opened on nothing, so that no file of ours gets its number and is taken for it. */
static void open_standard_streams(void)
{
    for (int number = 0; number <= 2; number++)
        if (fcntl(number, F_GETFD) < 0)
            open("/dev/null",
                 number == 0 ? O_WRONLY : O_RDONLY); /* reading or writing it fails, as it should */
}

int main(int argc, char **argv)
{
    struct tr_error error = {0};
    open_standard_streams();
    signal(
        SIGPIPE,
        SIG_IGN); /* a closed pipe, or a file at its limit, is an error to report, not a death in the middle */
    signal(SIGXFSZ, SIG_IGN);
    tr_stop_install();
    if (argc < 2) {
        tr_help_list(stderr);
        return TR_USAGE;
    }
    int words;
    const struct tr_command *command = find_command(argc, argv, &words);
    if (!command)
        return TR_USAGE;
    struct tr_call call = {.arguments = calloc((size_t)argc, sizeof(char *))};
    bool help = false;
    enum tr_status status = TR_IO;
    if (!call.arguments)
        tr_fail(&error, TR_IO, "out of memory");
    else
        status = tr_call_parse(command, argc - 1 - words, argv + 1 + words, &call, &help, &error);
    if (status == TR_OK) {
        if (help)
            tr_help_command(command, stdout);
        else
            status = command->run(&call, &error);
    }
    if (status == TR_OK || status == TR_NO) {
        error.text[0] = 0; /* what was tried first and failed, on the way to an answer */
        enum tr_status flushed = flush_output(&error);
        status = flushed == TR_OK ? status : flushed;
    }
    if (error.text[0] && begins_with_place(error.text))
        fprintf(stderr, "%s\n", error.text);
    else if (error.text[0])
        fprintf(stderr, "terrain %s: %s\n", command->name, error.text);
    free(call.arguments);
    if (tr_stop_signal() && status > TR_NO) { /* die by it, so that a shell or make knows */
        signal(tr_stop_signal(), SIG_DFL);
        raise(tr_stop_signal());
    }
    return status;
}
