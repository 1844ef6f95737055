/* Parsing and help from the commands' option tables. See command.h. */
#include "cmd/command.h"
#include "lib/base/json.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static size_t option_index(const struct tr_command *command, const char *name)
{
    size_t i = 0;
    while (command->options[i].name && strcmp(command->options[i].name, name) != 0)
        i++;
    assert(command->options[i].name && "asked for an option that is not in the command's table");
    return i;
}

bool tr_call_has(const struct tr_call *call, const char *option)
{
    return call->text[option_index(call->command, option)] != NULL;
}

const char *tr_call_text(const struct tr_call *call, const char *option, const char *otherwise)
{
    const char *text = call->text[option_index(call->command, option)];
    return text ? text : otherwise;
}

double tr_call_number(const struct tr_call *call, const char *option, double otherwise)
{
    size_t i = option_index(call->command, option);
    return call->text[i] ? call->number[i] : otherwise;
}

/* Edits (insert, delete, change) that turn a into b, for short words; a large number when they are long. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    size_t n = strlen(a), m = strlen(b), row[LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[m];
}

const char *tr_nearest(const char *name, const char *(*next)(const void *context, size_t i),
                       const void *context)
{
    const char *best = NULL, *word;
    size_t best_distance = strlen(name) / 3 + 1;
    for (size_t i = 0; (word = next(context, i)); i++) {
        size_t distance = edit_distance(name, word);
        if (distance <= best_distance && (!best || distance < best_distance)) {
            best = word;
            best_distance = distance;
        }
    }
    return best;
}

static const char *option_word(const void *context, size_t i)
{
    return ((const struct tr_command *)context)->options[i].name;
}

/* Whether `text` is one of the words of "a|b|c". */
static bool is_choice(const char *choices, const char *text)
{
    size_t size = strlen(text);
    for (const char *at = choices; *at;) {
        size_t word = strcspn(at, "|");
        if (word == size && memcmp(at, text, size) == 0)
            return true;
        at += word + (at[word] == '|');
    }
    return false;
}

static enum tr_status set_value(struct tr_call *call, size_t i, const char *text, struct tr_error *error)
{
    const struct tr_option *option = &call->command->options[i];
    double number = 0;
    if (call->text[i])
        return tr_fail(error, TR_USAGE, "%s is given twice, expected once", option->name);
    switch (option->kind) {
    case TR_OPTION_NUMBER:
    case TR_OPTION_WHOLE:
        if (!tr_number_parse(text, strlen(text), &number) || number < option->min || number > option->max ||
            (option->kind == TR_OPTION_WHOLE && number != floor(number))) {
            char least[32], most[32];
            tr_number_text(option->min, least);
            tr_number_text(option->max, most);
            return tr_fail(error, TR_USAGE, "%s is '%s', expected a %snumber from %s to %s", option->name,
                           text, option->kind == TR_OPTION_WHOLE ? "whole " : "", least, most);
        }
        break;
    case TR_OPTION_CHOICE:
        if (!is_choice(option->value, text))
            return tr_fail(error, TR_USAGE, "%s is '%s', expected one of %s", option->name, text,
                           option->value);
        break;
    case TR_OPTION_TEXT:
        if (text[0] == 0)
            return tr_fail(error, TR_USAGE, "%s is empty, expected %s", option->name, option->value);
        break;
    case TR_OPTION_FLAG:
        break;
    }
    call->text[i] = text;
    call->number[i] = number;
    return TR_OK;
}

/* Finds "--name", "--name=value", "-l", "-lvalue" or "-l=value"; *value is what is attached, or NULL. */
static bool find_option(const struct tr_command *command, const char *word, size_t *index, const char **value)
{
    size_t name = strcspn(word, "=");
    *value = word[name] == '=' ? word + name + 1 : NULL;
    for (size_t i = 0; command->options[i].name; i++) {
        const struct tr_option *option = &command->options[i];
        bool is_long = strlen(option->name) == name && strncmp(option->name, word, name) == 0;
        bool is_short =
            option->letter && word[1] == option->letter && (word[2] == 0 || option->kind != TR_OPTION_FLAG);
        if (is_short && word[2])
            *value = word[2] == '=' ? word + 3 : word + 2;
        if (is_long || is_short) {
            *index = i;
            return true;
        }
    }
    return false;
}

static bool is_negative_number(const char *word)
{
    return word[0] == '-' &&
           ((word[1] >= '0' && word[1] <= '9') || (word[1] == '.' && word[2] >= '0' && word[2] <= '9'));
}

enum tr_status tr_call_parse(const struct tr_command *command, int argc, char **argv, struct tr_call *call,
                             bool *help, struct tr_error *error)
{
    const char **room = call->arguments;
    *call = (struct tr_call){.command = command, .arguments = room};
    *help = false;
    bool options_ended = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i], *value;
        size_t index;
        if (options_ended || word[0] != '-' || word[1] == 0 || is_negative_number(word)) {
            call->arguments[call->argument_count++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_ended = true;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            *help = true;
            return TR_OK;
        }
        if (!find_option(command, word, &index, &value)) {
            const char *near = tr_nearest(word, option_word, command);
            return tr_fail(error, TR_USAGE, "unknown option '%s'%s%s%s, see `terrain help %s`", word,
                           near ? ", did you mean " : "", near ? near : "", near ? "?" : "", command->name);
        }
        const struct tr_option *option = &command->options[index];
        if (option->kind == TR_OPTION_FLAG && value)
            return tr_fail(error, TR_USAGE, "%s takes no value, found '%s'", option->name, value);
        if (option->kind != TR_OPTION_FLAG && !value) {
            if (i + 1 == argc)
                return tr_fail(error, TR_USAGE, "%s needs a value: %s", option->name, option->value);
            value = argv[++i];
        }
        enum tr_status status = set_value(call, index, value ? value : "", error);
        if (status != TR_OK)
            return status;
    }
    if (call->argument_count < command->least || call->argument_count > command->most)
        return tr_fail(error, TR_USAGE, "found %d argument%s, expected: terrain %s %s", call->argument_count,
                       call->argument_count == 1 ? "" : "s", command->name,
                       command->usage ? command->usage : "alone");
    return TR_OK;
}

const struct tr_command *tr_command_find(const char *name)
{
    for (size_t i = 0; tr_commands[i]; i++)
        if (strcmp(tr_commands[i]->name, name) == 0)
            return tr_commands[i];
    return NULL;
}

const char *tr_verb_word(const struct tr_command *command, size_t i)
{
    const struct tr_command *verb = command->verbs[i];
    return verb ? verb->name + strlen(command->name) + 1 : NULL;
}

const struct tr_command *tr_verb_find(const struct tr_command *command, const char *word)
{
    for (size_t i = 0; command->verbs && command->verbs[i]; i++)
        if (strcmp(tr_verb_word(command, i), word) == 0)
            return command->verbs[i];
    return NULL;
}

void tr_help_list(FILE *to)
{
    fprintf(to,
            "terrain %s bakes sculptable worlds: fill from elevation or noise, replay edits, mesh, compare.\n"
            "The same inputs give the same bytes on every device, and every mesh is closed.\n\n"
            "usage: terrain COMMAND [OPTIONS]\n\n",
            TR_VERSION);
    for (size_t i = 0; tr_commands[i]; i++)
        fprintf(to, "  %-10s  %s\n", tr_commands[i]->name, tr_commands[i]->summary);
    fprintf(to, "\n`terrain help COMMAND` shows a command's options.\n"
                "exit: 0 done, 1 the answer is no, 2 wrong usage, 3 bad input, 4 input/output failure, 5 no "
                "usable device\n");
}

/* Prints `text` from `column` on, broken at blanks so that lines stay within 100 columns. */
static void print_wrapped(FILE *to, const char *text, int column)
{
    int at = column;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (at > column && at + 1 + word > 100) {
            fprintf(to, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', to);
            at++;
        }
        fprintf(to, "%.*s", word, text);
        at += word;
        text += word + (text[word] == ' ');
    }
    fputc('\n', to);
}

static void print_verbs(const struct tr_command *command, FILE *to)
{
    fprintf(to, "\n");
    for (size_t i = 0; command->verbs[i]; i++)
        fprintf(to, "  %-10s  %s\n", tr_verb_word(command, i), command->verbs[i]->summary);
    fprintf(to, "\n`terrain help %s %s` shows the options of one.\n", command->name,
            tr_verb_word(command, 0));
}

void tr_help_command(const struct tr_command *command, FILE *to)
{
    fprintf(to, "terrain %s%s%s\n\n%s.\n", command->name, command->usage ? " " : "",
            command->usage ? command->usage : "", command->summary);
    if (command->about)
        fprintf(to, "\n%s\n", command->about);
    if (command->verbs)
        print_verbs(command, to);
    if (command->options && command->options[0].name)
        fprintf(to, "\noptions:\n");
    for (const struct tr_option *option = command->options; option && option->name; option++) {
        char left[64], letter[5] = "    ";
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "%s%s%s%s", letter, option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        fprintf(to, "  %-34s ", left);
        if (strlen(left) > 34)
            fprintf(to, "\n%37s", "");
        print_wrapped(to, option->help, 37);
    }
    if (command->examples)
        fprintf(to, "\nexamples:\n%s\n", command->examples);
}

/* The cases of the completion script behind a command's name: its verbs, or its options. */
static void print_completion(const struct tr_command *command, FILE *to)
{
    if (command->verbs) {
        fprintf(to, "    2:\"%s \"*) COMPREPLY=($(compgen -W \"--help", command->name);
        for (size_t i = 0; command->verbs[i]; i++)
            fprintf(to, " %s", tr_verb_word(command, i));
        fprintf(to, "\" -- \"$word\")); return ;;\n");
        for (size_t i = 0; command->verbs[i]; i++)
            print_completion(command->verbs[i], to);
        return;
    }
    bool is_verb = strchr(command->name, ' ');
    fprintf(to, is_verb ? "    *:\"%s\") words=\"--help" : "    *:\"%s \"*) words=\"--help", command->name);
    for (const struct tr_option *option = command->options; option->name; option++)
        fprintf(to, " %s", option->name);
    fprintf(to, "\" ;;\n");
}

void tr_help_completion(FILE *to)
{
    fprintf(to, "# bash completion for terrain; load it with: source <(terrain help --completion)\n"
                "_terrain() {\n    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
                "    case \"$COMP_CWORD:${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n    1:*) words=\"");
    for (size_t i = 0; tr_commands[i]; i++)
        fprintf(to, "%s%s", i ? " " : "", tr_commands[i]->name);
    fprintf(to, "\" ;;\n");
    for (size_t i = 0; tr_commands[i]; i++)
        print_completion(tr_commands[i], to);
    fprintf(to, "    esac\n    if [[ $COMP_CWORD -eq 1 || $word == -* ]]; then COMPREPLY=($(compgen -W "
                "\"$words\" -- \"$word\"))\n"
                "    else COMPREPLY=($(compgen -f -- \"$word\")); fi\n}\ncomplete -o filenames -F _terrain "
                "terrain\n");
}
