/* terrain apply-log: a world and edit logs make a new world. */
#include "cmd/common.h"
#include "cmd/progress.h"
#include "lib/run/replay.h"
#include <stdlib.h>
#include <string.h>

static const struct tr_option options[] = {
    TR_OPTION_OUT("WORLD"),
    TR_OPTION_FORCE,
    {"--until", 0, TR_OPTION_TEXT, "ID", 0, 0,
     "stop after the edit with this id; whether those behind it suit the world is not asked"},
    {"--dry-run", 'n', TR_OPTION_FLAG, NULL, 0, 0, "replay, say what would change, write nothing"},
    {"--recover", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "leave out the last line of a JSON Lines log where it is torn, and say so"},
    {"--skip-outside", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "leave out edits wholly outside the world instead of refusing them"},
    TR_OPTION_JSON,
    TR_OPTION_DEVICE,
    TR_OPTION_JOBS,
    TR_OPTION_VALIDATE,
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

/* The edits to replay, and what was left out of the logs that were given. */
struct input {
    struct tr_log log; /* those of the world, then the new ones */
    size_t first;      /* of the new ones */
    size_t skipped;    /* outside the world */
    size_t torn;       /* logs whose last line was */
    bool is_cut;       /* behind the edit of --until */
};

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Cuts the log behind the edit named by --until, if that is one of those from `first`. Before edits outside the world are left out: it may be
 * one of them. */
static void cut_log(struct input *input, const char *until, size_t first)
{
    for (size_t i = first; i < input->log.count && !input->is_cut; i++)
        if (strcmp(input->log.edits[i].id, until) == 0) {
            tr_log_cut(&input->log, i + 1);
            input->is_cut = true;
        }
}

static enum tr_status read_log(const struct tr_call *call, const struct tr_world *world, const char *path,
                               struct input *input, struct tr_error *error)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct tr_log_torn torn = {0};
    uint8_t *bytes = NULL;
    size_t size = 0, first = input->log.count, whole = 0, left_out = 0;
    char folder[TR_PATH_BYTES], own_name[TR_PATH_BYTES];
    bool has_folder = strcmp(path, "-") != 0;
    enum tr_status status = tr_file_read(path, TR_LOG_BYTES_MAX, &bytes, &size, error);
    if (status == TR_OK && has_folder)
        status = tr_path_split(path, folder, own_name, error);
    if (status == TR_OK)
        status = tr_log_parse(&input->log, (const char *)bytes, size, name, has_folder ? folder : NULL,
                              tr_call_has(call, "--recover") ? &torn : NULL, error);
    if (status == TR_OK) {
        whole = input->log.count - first;
        if (tr_call_has(call, "--until"))
            cut_log(input, tr_call_text(call, "--until", NULL), first);
    }
    if (status == TR_OK)
        status = tr_log_resolve(&input->log, first, &world->info, name, tr_call_has(call, "--skip-outside"),
                                &left_out, error);
    if (status == TR_OK && torn.is_torn) {
        input->torn++;
        if (!tr_call_has(call, "--quiet"))
            fprintf(stderr, "%s:%d: last line, at byte offset %zu, is torn: left out, %zu edit%s before it\n",
                    tr_shown(name), torn.line, torn.offset, whole, plural(whole));
    }
    input->skipped += left_out;
    free(bytes);
    return status;
}

static enum tr_status read_input(const struct tr_call *call, const struct tr_world *world,
                                 struct input *input, struct tr_error *error)
{
    enum tr_status status = tr_log_read_stored(&input->log, world, error); /* before the new ones */
    input->first = input->log.count;
    for (int i = 1; i < call->argument_count && status == TR_OK && !input->is_cut; i++)
        status = read_log(call, world, call->arguments[i], input, error);
    if (status == TR_OK && tr_call_has(call, "--until") && !input->is_cut)
        status = tr_fail(error, TR_BAD_INPUT, "--until names edit '%s', which is not in the logs given",
                         tr_call_text(call, "--until", NULL));
    return status;
}

static enum tr_status store_log(struct tr_world_build *build, const struct tr_log *log,
                                struct tr_error *error)
{
    struct tr_writer text = {0};
    enum tr_status status = TR_OK;
    if (log->count)
        status = tr_log_write(log, TR_LOG_LINES, &text, error);
    if (status == TR_OK && log->count)
        status = tr_world_build_set_log(build, (const char *)text.bytes, text.size_bytes, error);
    tr_writer_release(&text);
    return status;
}

/* ---- what happened, or would ---- */

#define SHOWN_CHUNKS 12 /* of a dry run, for people; --json has all */

static void print_chunk(const struct tr_replay_chunk *chunk)
{
    printf("chunk %d,%d", chunk->cx, chunk->cz);
    if (chunk->block_count)
        printf(", with %zu block%s in 3D", chunk->block_count, plural(chunk->block_count));
    printf("\n");
}

static void print_text(const struct tr_world *world, const struct input *input,
                       const struct tr_replay_result *result, const char *out, struct tr_hash hash)
{
    char hash_text[33];
    if (out) {
        tr_hash_text(hash, hash_text);
        fprintf(stderr, "%s: %zu edit%s, %zu chunk%s changed, hash %s\n", tr_shown(out), result->edits,
                plural(result->edits), result->changed_count, plural(result->changed_count), hash_text);
    } else {
        printf("%zu edit%s would change %zu of %zu chunks, nothing was written\n", result->edits,
               plural(result->edits), result->changed_count, world->chunk_count);
        for (size_t i = 0; i < result->changed_count && i < SHOWN_CHUNKS; i++)
            print_chunk(&result->changed[i]);
        if (result->changed_count > SHOWN_CHUNKS)
            printf("... and %zu more, see --json\n", result->changed_count - SHOWN_CHUNKS);
    }
    if (result->edits && result->changed_count == 0)
        fprintf(stderr, "the edits change nothing: are they where the ground is?\n");
    if (input->skipped)
        fprintf(stderr, "%zu edit%s outside the world left out\n", input->skipped, plural(input->skipped));
}

static enum tr_status print_json(const struct input *input, const struct tr_replay_result *result,
                                 const char *out, struct tr_hash hash, struct tr_error *error)
{
    cJSON *json = cJSON_CreateObject();
    cJSON *chunks = cJSON_AddArrayToObject(json, "changed");
    if (out) {
        tr_json_add_path(json, "world", out);
        tr_json_add_hash(json, "hash", hash);
    }
    cJSON_AddNumberToObject(json, "edits", (double)result->edits);
    cJSON_AddNumberToObject(json, "stamps", (double)result->stamps);
    cJSON_AddNumberToObject(json, "skipped_outside", (double)input->skipped);
    cJSON_AddNumberToObject(json, "torn_logs", (double)input->torn);
    cJSON_AddNumberToObject(json, "chunks_touched", (double)result->chunks_touched);
    for (size_t i = 0; i < result->changed_count; i++) {
        cJSON *chunk = cJSON_CreateObject();
        cJSON_AddNumberToObject(chunk, "cx", result->changed[i].cx);
        cJSON_AddNumberToObject(chunk, "cz", result->changed[i].cz);
        cJSON_AddNumberToObject(chunk, "blocks", (double)result->changed[i].block_count);
        cJSON_AddItemToArray(chunks, chunk);
    }
    return tr_json_print(json, error);
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    bool is_dry = tr_call_has(call, "--dry-run");
    const char *out = NULL;
    struct tr_world *world = NULL;
    struct input input = {0};
    struct tr_bake *bake = NULL;
    struct tr_world_build *build = NULL;
    struct tr_terminal terminal;
    struct tr_replay_result result = {0};
    struct tr_hash hash = {0};
    enum tr_status status = TR_OK;
    if (!is_dry)
        status = tr_need_output(call, &out, error);
    else if (tr_call_has(call, "--output"))
        status = tr_fail(error, TR_USAGE, "--dry-run writes nothing, found --output too");
    if (status == TR_OK)
        status = tr_check_one_input(call, error);
    if (status == TR_OK)
        status = tr_world_open(call->arguments[0], &world, error);
    if (status == TR_OK)
        status = read_input(call, world, &input, error);
    if (status == TR_OK && out)
        status = tr_world_build_create(out, &world->info, tr_call_has(call, "--force"), &build, error);
    if (status == TR_OK)
        status = tr_open_bake(call, tr_edits_work(&input.log, input.first), &bake, error);
    if (status == TR_OK) {
        tr_terminal_begin(&terminal, call, "replaying");
        status = tr_replay(bake, world, &input.log, input.first, build, &terminal.progress, &result, error);
        tr_terminal_end(&terminal);
    }
    if (status == TR_OK && build)
        status = store_log(build, &input.log, error);
    if (status == TR_OK && build)
        status = tr_world_build_commit(build, &hash, error);
    if (status == TR_OK && tr_call_has(call, "--json"))
        status = print_json(&input, &result, out, hash, error);
    else if (status == TR_OK && !tr_call_has(call, "--quiet"))
        print_text(world, &input, &result, out, hash);
    tr_replay_result_release(&result);
    tr_world_build_free(build);
    tr_bake_close(bake);
    tr_log_release(&input.log);
    tr_world_close(world);
    return status;
}

const struct tr_command tr_command_apply_log = {
    .name = "apply-log",
    .usage = "WORLD LOG... -o WORLD",
    .summary = "replay edit logs on a world into a new one",
    .about =
        "Logs are JSON, JSON Lines or MessagePack; '-' reads standard input. Edits of several logs follow "
        "one another, after\n"
        "those the world was baked with. The world given is not changed; chunks that no edit reaches are "
        "shared with it by\n"
        "hard links. What edits can be is in lib/edit/EDITS.md, for editors in samples/edits.schema.json.",
    .examples = "  terrain apply-log world edits.json -o edited\n"
                "  terrain apply-log world edits.json --until tunnel-2 -o halfway\n"
                "  terrain apply-log world edits.json --dry-run",
    .least = 2,
    .most = TR_ARGUMENTS_ANY,
    .options = options,
    .run = run,
};
