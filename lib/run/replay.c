/* See replay.h for the idea and replay_internal.h for its parts. Stage by stage: what the stage reads, then its visits in batches: read
 * the chunks, make their slots, let the device edit them in place; after a chunk's last visit it is written, or linked if it
 * came out as it went in. */
#include "lib/base/alloc.h"
#include "lib/base/stop.h"
#include "lib/run/replay_internal.h"
#include <stdlib.h>

/* No more visits are taken into a batch once their blocks may take this. */
#define BATCH_BYTES ((size_t)256 << 20)
/* Chunks that are only read, around a smooth, are kept up to this. */
#define CACHE_BYTES ((size_t)64 << 20)

void tr_replay_result_release(struct tr_replay_result *result)
{
    free(result->changed);
    *result = (struct tr_replay_result){0};
}

static enum tr_status load_plan(struct tr_replay *replay, struct tr_replay_plan *plan, struct tr_error *error)
{
    if (plan->loaded)
        return TR_OK;
    enum tr_status status = tr_world_read_chunk(replay->world, plan->cx, plan->cz, &plan->chunk, error);
    plan->loaded = status == TR_OK;
    return status;
}

/* Readies one visit: its chunk in memory, its task complete. */
static enum tr_status prepare_visit(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct tr_replay *replay = context;
    struct tr_replay_visit *visit = replay->batch[index];
    enum tr_status status = load_plan(replay, &replay->plans[visit->plan], error);
    if (status != TR_OK || visit->count == 0)
        return status;
    return tr_replay_make_task(replay, visit, error);
}

/* Writes a chunk that is done, or links the file it came from if nothing changed. */
static enum tr_status finish_chunk(struct tr_replay *replay, size_t index, struct tr_error *error)
{
    struct tr_replay_plan *plan = &replay->plans[index];
    tr_chunk_make_canonical(&plan->chunk);
    const struct tr_index_entry *entry = tr_world_find(replay->world, plan->cx, plan->cz);
    enum tr_status status = TR_OK;
    replay->changed[index] = !tr_hash_equal(tr_chunk_hash(&plan->chunk), entry->hash);
    if (!replay->build)
        return TR_OK;
    if (!replay->changed[index])
        return tr_world_build_link(replay->build, replay->world, plan->cx, plan->cz, error);
    status = tr_world_build_keep_base(replay->build, replay->world, plan->cx, plan->cz, error);
    if (status == TR_OK)
        status = tr_world_build_put(replay->build, &plan->chunk, error);
    return status;
}

/* Ends the chunk if this was its last visit. Blocks that came out as the height field stay until then: the
 * edits of later visits make of them what they make of the height field. */
static enum tr_status conclude_visit(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct tr_replay *replay = context;
    struct tr_replay_visit *visit = replay->batch[index];
    tr_replay_release_task(visit);
    return visit->last ? finish_chunk(replay, visit->plan, error) : TR_OK;
}

/* Chunks that are finished count into the result and leave memory: in order, so on one thread. */
static enum tr_status retire_batch(struct tr_replay *replay, size_t count, struct tr_error *error)
{
    struct tr_replay_result *result = replay->result;
    for (size_t i = 0; i < count; i++) {
        struct tr_replay_plan *plan = &replay->plans[replay->batch[i]->plan];
        if (!replay->batch[i]->last)
            continue;
        result->chunks_touched++;
        if (replay->changed[replay->batch[i]->plan]) {
            if (tr_grow(&result->changed, &result->changed_capacity, result->changed_count + 1,
                        sizeof *result->changed, error) != TR_OK)
                return TR_IO;
            result->changed[result->changed_count++] =
                (struct tr_replay_chunk){plan->cx, plan->cz, plan->chunk.block_count};
            result->blocks += plan->chunk.block_count;
        }
        tr_chunk_release(&plan->chunk);
        plan->loaded = false;
    }
    replay->visits_done += count;
    tr_progress_report(replay->progress, replay->visits_done, replay->visit_count);
    return TR_OK;
}

static enum tr_status edit_batch(struct tr_replay *replay, size_t count, struct tr_error *error)
{
    struct tr_edit_task *tasks = tr_alloc(count, sizeof *tasks, error);
    enum tr_status status =
        tasks ? tr_jobs_run(replay->bake->jobs, count, prepare_visit, replay, error) : TR_IO;
    size_t task_count = 0;
    if (status == TR_OK) {
        for (size_t i = 0; i < count; i++)
            if (replay->batch[i]->task.heights)
                tasks[task_count++] = replay->batch[i]->task;
        if (task_count)
            status = replay->bake->ops->edit(replay->bake, tasks, task_count, error);
    }
    if (status == TR_OK)
        status = tr_jobs_run(replay->bake->jobs, count, conclude_visit, replay, error);
    if (status == TR_OK)
        status = retire_batch(replay, count, error);
    free(tasks);
    return status;
}

static enum tr_status run_stage(struct tr_replay *replay, struct tr_replay_visit *visits, size_t count,
                                struct tr_error *error)
{
    struct tr_replay_visit *batch[TR_REPLAY_BATCH];
    enum tr_status status = tr_replay_read_stage(replay, visits, count, error);
    replay->batch = batch;
    for (size_t next = 0; next < count && status == TR_OK;) {
        size_t some = 0, bytes = 0;
        while (some < TR_REPLAY_BATCH && next < count && (some == 0 || bytes < BATCH_BYTES)) {
            batch[some++] = &visits[next];
            bytes += tr_replay_visit_bytes(replay, &visits[next++]);
        }
        status = edit_batch(replay, some, error);
    }
    replay->batch = NULL;
    return status;
}

static enum tr_status run_stages(struct tr_replay *replay, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    for (size_t i = 0; i < replay->visit_count && status == TR_OK;) {
        size_t end = i;
        while (end < replay->visit_count && replay->visits[end].stage == replay->visits[i].stage)
            end++;
        status = run_stage(replay, replay->visits + i, end - i, error);
        i = end;
    }
    return status;
}

static enum tr_status link_untouched(struct tr_replay *replay, struct tr_error *error)
{
    for (size_t i = 0; i < replay->world->chunk_count; i++) {
        const struct tr_index_entry *entry = &replay->world->index[i];
        const struct tr_replay_plan *plan = tr_replay_find_plan(replay, entry->cx, entry->cz);
        if (plan && plan->count)
            continue;
        enum tr_status status = tr_stop_check(error);
        if (status == TR_OK)
            status = tr_world_build_link(replay->build, replay->world, entry->cx, entry->cz, error);
        if (status != TR_OK)
            return status;
    }
    return TR_OK;
}

static int compare_changed(const void *left, const void *right)
{
    const struct tr_replay_chunk *a = left, *b = right;
    if (a->cz != b->cz)
        return a->cz < b->cz ? -1 : 1;
    return a->cx < b->cx ? -1 : a->cx > b->cx;
}

static void release_replay(struct tr_replay *replay)
{
    for (size_t i = 0; i < replay->visit_count; i++)
        tr_replay_release_task(&replay->visits[i]);
    for (size_t i = 0; i < replay->plan_count; i++) {
        tr_chunk_release(&replay->plans[i].chunk);
        free(replay->plans[i].entries);
    }
    free(replay->plans);
    free(replay->starts);
    free(replay->start_order);
    free(replay->visits);
    free(replay->map);
    free(replay->changed);
    tr_cache_free(replay->cache);
}

enum tr_status tr_replay(struct tr_bake *bake, const struct tr_world *world, const struct tr_log *log,
                         size_t first, struct tr_world_build *build, const struct tr_progress *progress,
                         struct tr_replay_result *result, struct tr_error *error)
{
    *result = (struct tr_replay_result){.edits = log->count - first};
    struct tr_replay replay = {.bake = bake,
                               .world = world,
                               .log = log,
                               .build = build,
                               .progress = progress,
                               .box = tr_world_box(&world->info),
                               .result = result};
    enum tr_status status = tr_cache_create(world, CACHE_BYTES, &replay.cache, error);
    if (status == TR_OK)
        status = tr_replay_make_plans(&replay, first, error);
    if (status == TR_OK)
        status = tr_replay_make_visits(&replay, error);
    if (status == TR_OK && !(replay.changed = tr_alloc(replay.plan_count, 1, error)))
        status = TR_IO;
    if (status == TR_OK)
        status = run_stages(&replay, error);
    if (status == TR_OK && build)
        status = link_untouched(&replay, error);
    if (result->changed_count)
        qsort(result->changed, result->changed_count, sizeof *result->changed, compare_changed);
    release_replay(&replay);
    return status;
}

uint64_t tr_edits_work(const struct tr_log *log, size_t first)
{
    double samples = 0;
    for (size_t i = first; i < log->count; i++) {
        const struct tr_edit *edit = &log->edits[i];
        struct tr_stamp stamp = tr_edit_stamp(edit, 0);
        struct tr_box reads, writes;
        double size = tr_edit_stamp_count(edit);
        tr_edit_boxes(edit, &stamp, &reads, &writes);
        for (int axis = 0; axis < 3; axis++)
            if (axis != 1 || !tr_edit_is_height(edit))
                size *= (double)(writes.hi[axis] - writes.lo[axis] + 1);
        samples += size;
    }
    return samples < 1e18 ? (uint64_t)samples : (uint64_t)1e18;
}
