/* Commands and their options: one table a command, which parses, prints help and completes.
 *
 * To add a command: write cmd/<name>.c with its table of options and its function; declare the `struct
 * tr_command` here; add it to the list in main.c; add tests/cli/<name>.sh. A command of several verbs (`terrain log check`) has a list of
 * verbs instead of options and function, each a command of its own whose name is both words. */
#ifndef TR_CMD_COMMAND_H
#define TR_CMD_COMMAND_H

#include "lib/base/status.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TR_VERSION "0.1.0"

enum tr_option_kind {
    TR_OPTION_FLAG,
    TR_OPTION_TEXT,
    TR_OPTION_NUMBER, /* a double in [min, max] */
    TR_OPTION_WHOLE,  /* a whole number in [min, max] */
    TR_OPTION_CHOICE, /* one of `choices`, separated by '|' */
};

struct tr_option {
    const char *name; /* with its dashes: "--voxel-size" */
    char letter;      /* 'o' for -o; 0: none */
    enum tr_option_kind kind;
    const char *value; /* what help calls it: "METRES"; a choice's words "a|b|c" */
    double min, max;
    const char *help;
};

#define TR_OPTIONS_MAX 32
#define TR_ARGUMENTS_ANY INT_MAX /* as `most` */

struct tr_command;

/* A parsed command line. */
struct tr_call {
    const struct tr_command *command;
    const char *text[TR_OPTIONS_MAX]; /* by option index: value, or "" for a flag; NULL when not given */
    double number[TR_OPTIONS_MAX];
    const char **arguments;
    int argument_count;
};

struct tr_command {
    const char *name;    /* of a verb "log check" */
    const char *usage;   /* behind the name: "WORLD LOG... -o OUT"; NULL: nothing */
    const char *summary; /* one line for the list */
    const char *about;   /* paragraph(s) for the command's own help; may be NULL */
    const char *examples;
    int least, most;                 /* arguments */
    const struct tr_option *options; /* ends with a NULL name */
    enum tr_status (*run)(const struct tr_call *call, struct tr_error *error);
    const struct tr_command *const
        *verbs; /* ends with NULL; the word behind the name is one of them. NULL: the command itself runs */
};

extern const struct tr_command *const tr_commands[]; /* ends with NULL */
extern const struct tr_command tr_command_gen, tr_command_apply_log, tr_command_mesh, tr_command_export,
    tr_command_diff, tr_command_info, tr_command_ls, tr_command_dump, tr_command_sample, tr_command_raycast,
    tr_command_verify, tr_command_preview, tr_command_devices, tr_command_bench, tr_command_help,
    tr_command_version, tr_command_log, tr_command_scatter;

/* Rows that several commands have. */
#define TR_OPTION_OUT(what)                                                                                  \
    {                                                                                                        \
        "--output", 'o', TR_OPTION_TEXT, what, 0, 0, "where the result goes; must not exist without --force" \
    }
#define TR_OPTION_FORCE                                                                                      \
    {                                                                                                        \
        "--force", 'f', TR_OPTION_FLAG, NULL, 0, 0,                                                          \
            "replace an existing output; the old one stays until the new one is whole"                       \
    }
#define TR_OPTION_JSON                                                                                       \
    {                                                                                                        \
        "--json", 0, TR_OPTION_FLAG, NULL, 0, 0, "print one JSON object for machines"                        \
    }
#define TR_OPTION_QUIET                                                                                      \
    {                                                                                                        \
        "--quiet", 'q', TR_OPTION_FLAG, NULL, 0, 0, "print nothing but errors"                               \
    }
#define TR_OPTION_JOBS                                                                                       \
    {                                                                                                        \
        "--jobs", 'j', TR_OPTION_WHOLE, "N", 1, 256,                                                         \
            "threads; as many as there are processors when not given. Never changes the result"              \
    }
#define TR_OPTION_DEVICE                                                                                     \
    {                                                                                                        \
        "--device", 'd', TR_OPTION_TEXT, "DEVICE", 0, 0,                                                     \
            "auto, cpu, an index or part of a name from `terrain devices`. Never changes the result"         \
    }
#define TR_OPTION_VALIDATE                                                                                   \
    {                                                                                                        \
        "--vk-validate", 0, TR_OPTION_FLAG, NULL, 0, 0,                                                      \
            "run with the Vulkan validation layers; what they say is an error"                               \
    }
#define TR_OPTION_MEMORY                                                                                     \
    {                                                                                                        \
        "--memory", 0, TR_OPTION_WHOLE, "MIB", 1, 1 << 20,                                                   \
            "decoded chunks to keep, in MiB; 256 when not given"                                             \
    }
#define TR_OPTION_END                                                                                        \
    {                                                                                                        \
        NULL, 0, TR_OPTION_FLAG, NULL, 0, 0, NULL                                                            \
    }

/* Values by option name; the name must be in the command's table. */
bool tr_call_has(const struct tr_call *call, const char *option);
const char *tr_call_text(const struct tr_call *call, const char *option, const char *otherwise);
double tr_call_number(const struct tr_call *call, const char *option, double otherwise);

/* Parses what stands behind the command's name. -h and --help set *help. Refusals are TR_USAGE. A value that
 * begins with a minus and a digit is a value; "--" ends the options. call->arguments must have room for argc
 * pointers. */
enum tr_status tr_call_parse(const struct tr_command *command, int argc, char **argv, struct tr_call *call,
                             bool *help, struct tr_error *error);

void tr_help_list(FILE *to);
void tr_help_command(const struct tr_command *command, FILE *to);
/* Shell completion derived from the tables; shell is bash or zsh. */
void tr_help_completion(FILE *to);
/* The command of that name, or NULL. */
const struct tr_command *tr_command_find(const char *name);
/* The command's verb of that word, or NULL. */
const struct tr_command *tr_verb_find(const struct tr_command *command, const char *word);
/* The word of the command's verb i, or NULL behind the last. */
const char *tr_verb_word(const struct tr_command *command, size_t i);
/* The known name nearest to a mistyped one, or NULL when none is near. */
const char *tr_nearest(const char *name, const char *(*next)(const void *context, size_t i),
                       const void *context);

#endif
