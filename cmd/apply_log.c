/* terrain apply-log: a world and edit logs make a new world. */
#include "cmd/common.h"
#include "lib/run/replay.h"
#include <stdlib.h>
#include <string.h>

static const struct tr_option options[] = {
    TR_OPTION_OUT("WORLD"),
    TR_OPTION_FORCE,
    {"--until", 0, TR_OPTION_TEXT, "ID", 0, 0, "stop after the edit with this id"},
    {"--skip-outside", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "leave out edits wholly outside the world instead of refusing them"},
    TR_OPTION_DEVICE,
    TR_OPTION_JOBS,
    TR_OPTION_VALIDATE,
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

static enum tr_status read_logs(const struct tr_call *call, const struct tr_world *world, struct tr_log *log,
                                size_t *skipped, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    for (int i = 1; i < call->argument_count && status == TR_OK; i++) {
        uint8_t *bytes = NULL;
        size_t size = 0, first = log->count, left_out = 0;
        const char *name = strcmp(call->arguments[i], "-") == 0 ? "standard input" : call->arguments[i];
        status = tr_file_read(call->arguments[i], TR_LOG_BYTES_MAX, &bytes, &size, error);
        if (status == TR_OK)
            status = tr_log_parse(log, (const char *)bytes, size, name, error);
        if (status == TR_OK)
            status = tr_log_resolve(log, first, &world->info, name, tr_call_has(call, "--skip-outside"),
                                    &left_out, error);
        *skipped += left_out;
        free(bytes);
    }
    return status;
}

/* Cuts the log behind the edit named by --until, which must be one of the new ones. */
static enum tr_status cut_log(struct tr_log *log, size_t first, const char *until, struct tr_error *error)
{
    for (size_t i = first; i < log->count; i++)
        if (strcmp(log->edits[i].id, until) == 0) {
            log->count = i + 1;
            return TR_OK;
        }
    return tr_fail(error, TR_BAD_INPUT, "--until names edit '%s', which is not in the logs given", until);
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const char *out;
    struct tr_world *world = NULL;
    struct tr_log log = {0};
    struct tr_writer text = {0};
    struct tr_bake *bake = NULL;
    struct tr_world_build *build = NULL;
    struct tr_replay_result result;
    struct tr_hash hash;
    size_t first = 0, skipped = 0;
    enum tr_status status = tr_need_output(call, &out, error);
    if (status == TR_OK)
        status = tr_world_open(call->arguments[0], &world, error);
    if (status == TR_OK)
        status = tr_log_read_stored(&log, world, error); /* before the new ones */
    if (status == TR_OK) {
        first = log.count;
        status = read_logs(call, world, &log, &skipped, error);
    }
    if (status == TR_OK && tr_call_has(call, "--until"))
        status = cut_log(&log, first, tr_call_text(call, "--until", NULL), error);
    if (status == TR_OK)
        status = tr_world_build_create(out, &world->info, tr_call_has(call, "--force"), &build, error);
    if (status == TR_OK)
        status = tr_open_bake(call, tr_edits_work(&log, first), &bake, error);
    if (status == TR_OK)
        status = tr_replay(bake, world, &log, first, build, &result, error);
    if (status == TR_OK && log.count)
        status = tr_log_write(&log, &text, error);
    if (status == TR_OK && log.count)
        status = tr_world_build_set_log(build, (const char *)text.bytes, text.size_bytes, error);
    if (status == TR_OK)
        status = tr_world_build_commit(build, &hash, error);
    if (status == TR_OK && !tr_call_has(call, "--quiet")) {
        char hash_text[33];
        tr_hash_text(hash, hash_text);
        fprintf(stderr, "%s: %zu edit%s, %zu chunk%s changed, hash %s\n", tr_shown(out), result.edits,
                result.edits == 1 ? "" : "s", result.chunks_changed, result.chunks_changed == 1 ? "" : "s",
                hash_text);
        if (result.edits && result.chunks_changed == 0)
            fprintf(stderr, "the edits change nothing: are they where the ground is?\n");
        if (skipped)
            fprintf(stderr, "%zu edit%s outside the world left out\n", skipped, skipped == 1 ? "" : "s");
    }
    tr_writer_release(&text);
    tr_world_build_free(build);
    tr_bake_close(bake);
    tr_log_release(&log);
    tr_world_close(world);
    return status;
}

const struct tr_command tr_command_apply_log = {
    .name = "apply-log",
    .usage = "WORLD LOG... -o WORLD",
    .summary = "replay edit logs on a world into a new one",
    .about = "Logs are JSON or JSON Lines; '-' reads standard input. Edits of several logs follow one "
             "another, after those the\n"
             "world was baked with. The world given is not changed; chunks that no edit reaches are shared "
             "with it by hard links.",
    .examples = "  terrain apply-log world edits.json -o edited\n"
                "  terrain apply-log world edits.json --until tunnel-2 -o halfway",
    .least = 2,
    .most = TR_ARGUMENTS_ANY,
    .options = options,
    .run = run,
};
