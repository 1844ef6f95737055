/* See replay.h for the idea. Three steps:
 *
 *   plan    each edit is entered with the chunks whose samples it can change, and gets a stage in each. A
 * chunk's `open` stage is where its next edit goes if that looks only at its own sample. A smooth goes one
 * stage behind every chunk it reads, and opens the next one in all of them: before it they are done, after it
 * they may go on. visit   a visit is one chunk at one stage: a run of edits, or one smooth, or only the end
 * of a chunk that others read until then. Visits are sorted by stage, then place. work    stage by stage, in
 * batches: read the chunks, make their slots, let the device edit them in place; after a chunk's last
 * visit it is written, or linked if it came out as it went in. */
#include "lib/run/replay.h"
#include "lib/base/alloc.h"
#include "lib/base/stop.h"
#include "lib/run/gather.h"
#include "lib/world/cache.h"
#include <stdlib.h>
#include <string.h>

/* Chunks edited in one call of the device. A chunk has seldom more than four blocks of 512 KiB under edit. */
#define BATCH 32
/* ... and no more are taken once their blocks may take this. */
#define BATCH_BYTES ((size_t)256 << 20)
/* Chunks that are only read, around a smooth, are kept up to this. */
#define CACHE_BYTES ((size_t)64 << 20)

struct entry {
    uint32_t edit, stage;
};

/* What the log does to one chunk. */
struct plan {
    int32_t cx, cz;
    struct entry *entries;
    size_t count, capacity;
    uint32_t open;       /* stage of the next pointwise edit */
    uint32_t last_stage; /* of the last visit that writes or reads it */
    bool loaded;
    struct tr_chunk chunk;
};

struct visit {
    uint32_t stage;
    size_t plan;
    size_t first, count; /* entries; count 0: only the end of the chunk */
    bool smooth, last;
    /* while a batch is worked on */
    struct tr_edit_task task;
    tr_edit_slot *slots; /* the height slots, then each block's */
    size_t slot_capacity;
    int32_t *after; /* result of a smooth */
};

struct replay {
    struct tr_bake *bake;
    const struct tr_world *world;
    const struct tr_log *log;
    struct tr_world_build *build;
    struct tr_cache *cache;
    struct tr_box box; /* the world's samples */
    struct plan *plans;
    size_t plan_count, plan_capacity;
    size_t *map; /* open addressing: plan index + 1, 0 empty; map_size a power of two */
    size_t map_size;
    struct visit *visits;
    size_t visit_count, visit_capacity;
    struct visit **batch; /* visits of the batch that jobs work on */
    uint8_t *changed;     /* by plan: written, not linked */
    struct tr_replay_result *result;
};

/* The place in the map of chunk (cx, cz): where it is, or the empty slot where it would go. */
static size_t map_slot(const struct replay *replay, int32_t cx, int32_t cz)
{
    uint64_t h = ((uint64_t)(uint32_t)cx << 32 | (uint32_t)cz) * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(h >> 20) & (replay->map_size - 1);
    while (replay->map[at] != 0) {
        const struct plan *plan = &replay->plans[replay->map[at] - 1];
        if (plan->cx == cx && plan->cz == cz)
            break;
        at = (at + 1) & (replay->map_size - 1);
    }
    return at;
}

static struct plan *find_plan(const struct replay *replay, int32_t cx, int32_t cz)
{
    size_t index = replay->map_size ? replay->map[map_slot(replay, cx, cz)] : 0;
    return index ? &replay->plans[index - 1] : NULL;
}

static enum tr_status grow_map(struct replay *replay, struct tr_error *error)
{
    size_t size = replay->map_size ? 2 * replay->map_size : 1024;
    size_t *map = tr_alloc(size, sizeof *map, error);
    if (!map)
        return TR_IO;
    free(replay->map);
    replay->map = map;
    replay->map_size = size;
    for (size_t i = 0; i < replay->plan_count; i++)
        map[map_slot(replay, replay->plans[i].cx, replay->plans[i].cz)] = i + 1;
    return TR_OK;
}

static enum tr_status add_plan(struct replay *replay, int32_t cx, int32_t cz, struct plan **out,
                               struct tr_error *error)
{
    if ((*out = find_plan(replay, cx, cz)))
        return TR_OK;
    if (2 * (replay->plan_count + 1) > replay->map_size && grow_map(replay, error) != TR_OK)
        return TR_IO;
    if (tr_grow(&replay->plans, &replay->plan_capacity, replay->plan_count + 1, sizeof *replay->plans,
                error) != TR_OK)
        return TR_IO;
    replay->map[map_slot(replay, cx, cz)] = replay->plan_count + 1;
    *out = &replay->plans[replay->plan_count++];
    (*out)->cx = cx;
    (*out)->cz = cz;
    return TR_OK;
}

static enum tr_status add_entry(struct plan *plan, uint32_t edit, uint32_t stage, struct tr_error *error)
{
    if (tr_grow(&plan->entries, &plan->capacity, plan->count + 1, sizeof *plan->entries, error) != TR_OK)
        return TR_IO;
    plan->entries[plan->count++] = (struct entry){edit, stage};
    if (plan->last_stage < stage)
        plan->last_stage = stage;
    return TR_OK;
}

/* Block rows that a box spans. */
static void rows_of(const struct tr_box *box, int32_t *lowest, int32_t *highest)
{
    *lowest = (int32_t)tr_floor_div(box->lo[1], TR_CHUNK);
    *highest = (int32_t)tr_floor_div(box->hi[1], TR_CHUNK);
}

static bool make_slot(const struct replay *replay, const struct tr_edit *edit, int32_t cx, int32_t cy,
                      int32_t cz, tr_edit_slot *slot)
{
    const int64_t origin[3] = {(int64_t)cx * TR_CHUNK, (int64_t)cy * TR_CHUNK, (int64_t)cz * TR_CHUNK};
    return tr_edit_slot_make(edit, &replay->box, origin, slot);
}

/* Whether an edit, whose writes are `box`, can change a sample of the chunk. */
static bool touches(const struct replay *replay, const struct tr_edit *edit, const struct tr_box *box,
                    int32_t cx, int32_t cz)
{
    tr_edit_slot slot;
    int32_t row = 0, highest = 0;
    if (!tr_edit_is_height(edit))
        rows_of(box, &row, &highest);
    for (; row <= highest; row++)
        if (make_slot(replay, edit, cx, row, cz, &slot))
            return true;
    return false;
}

struct chunk_range {
    int32_t x0, x1, z0, z1;
};

static struct chunk_range chunks_of(const struct tr_box *box)
{
    return (struct chunk_range){
        (int32_t)tr_floor_div(box->lo[0], TR_CHUNK), (int32_t)tr_floor_div(box->hi[0], TR_CHUNK),
        (int32_t)tr_floor_div(box->lo[2], TR_CHUNK), (int32_t)tr_floor_div(box->hi[2], TR_CHUNK)};
}

static enum tr_status plan_pointwise(struct replay *replay, uint32_t index, const struct tr_box *writes,
                                     struct tr_error *error)
{
    const struct tr_edit *edit = &replay->log->edits[index];
    struct chunk_range range = chunks_of(writes);
    for (int32_t cz = range.z0; cz <= range.z1; cz++)
        for (int32_t cx = range.x0; cx <= range.x1; cx++) {
            struct plan *plan;
            if (!touches(replay, edit, writes, cx, cz))
                continue;
            if (add_plan(replay, cx, cz, &plan, error) != TR_OK ||
                add_entry(plan, index, plan->open, error) != TR_OK)
                return TR_IO;
        }
    return TR_OK;
}

static enum tr_status plan_smooth(struct replay *replay, uint32_t index, const struct tr_box *reads,
                                  const struct tr_box *writes, struct tr_error *error)
{
    const struct tr_edit *edit = &replay->log->edits[index];
    struct chunk_range range = chunks_of(reads);
    struct plan *plan;
    uint32_t stage = 0;
    for (int32_t cz = range.z0; cz <= range.z1; cz++)
        for (int32_t cx = range.x0; cx <= range.x1; cx++) {
            if (add_plan(replay, cx, cz, &plan, error) != TR_OK)
                return TR_IO;
            if (stage < plan->open + 1)
                stage = plan->open + 1;
        }
    for (int32_t cz = range.z0; cz <= range.z1; cz++)
        for (int32_t cx = range.x0; cx <= range.x1; cx++) {
            plan = find_plan(replay, cx, cz);
            plan->open = stage + 1;
            if (plan->last_stage < stage)
                plan->last_stage = stage;
            if (touches(replay, edit, writes, cx, cz) && add_entry(plan, index, stage, error) != TR_OK)
                return TR_IO;
        }
    return TR_OK;
}

static enum tr_status make_plans(struct replay *replay, size_t first, struct tr_error *error)
{
    for (size_t i = first; i < replay->log->count; i++) {
        const struct tr_edit *edit = &replay->log->edits[i];
        struct tr_box reads, writes;
        tr_edit_boxes(edit, &reads, &writes);
        reads = tr_box_intersect(reads, &replay->box);
        writes = tr_box_intersect(writes, &replay->box);
        if (tr_box_is_empty(&writes))
            continue;
        enum tr_status status = edit->op == TR_EDIT_SMOOTH
                                    ? plan_smooth(replay, (uint32_t)i, &reads, &writes, error)
                                    : plan_pointwise(replay, (uint32_t)i, &writes, error);
        if (status != TR_OK)
            return status;
    }
    return TR_OK;
}

static enum tr_status add_visit(struct replay *replay, struct visit visit, struct tr_error *error)
{
    if (tr_grow(&replay->visits, &replay->visit_capacity, replay->visit_count + 1, sizeof visit, error) !=
        TR_OK)
        return TR_IO;
    replay->visits[replay->visit_count++] = visit;
    return TR_OK;
}

static int compare_visits(const void *left, const void *right, void *context)
{
    const struct visit *a = left, *b = right;
    const struct replay *replay = context;
    const struct plan *p = &replay->plans[a->plan], *q = &replay->plans[b->plan];
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (p->cz != q->cz)
        return p->cz < q->cz ? -1 : 1;
    return p->cx < q->cx ? -1 : p->cx > q->cx;
}

static enum tr_status make_visits(struct replay *replay, struct tr_error *error)
{
    for (size_t p = 0; p < replay->plan_count; p++) {
        const struct plan *plan = &replay->plans[p];
        for (size_t i = 0; i < plan->count;) {
            struct visit visit = {.stage = plan->entries[i].stage, .plan = p, .first = i};
            while (i < plan->count && plan->entries[i].stage == visit.stage)
                i++;
            visit.count = i - visit.first;
            visit.smooth = replay->log->edits[plan->entries[visit.first].edit].op == TR_EDIT_SMOOTH;
            visit.last = visit.stage == plan->last_stage;
            if (add_visit(replay, visit, error) != TR_OK)
                return TR_IO;
        }
        if (plan->count && plan->entries[plan->count - 1].stage < plan->last_stage &&
            add_visit(replay, (struct visit){.stage = plan->last_stage, .plan = p, .last = true}, error) !=
                TR_OK)
            return TR_IO;
    }
    if (replay->visit_count)
        qsort_r(replay->visits, replay->visit_count, sizeof *replay->visits, compare_visits, replay);
    return TR_OK;
}

static enum tr_status load_plan(struct replay *replay, struct plan *plan, struct tr_error *error)
{
    if (plan->loaded)
        return TR_OK;
    enum tr_status status = tr_world_read_chunk(replay->world, plan->cx, plan->cz, &plan->chunk, error);
    plan->loaded = status == TR_OK;
    return status;
}

/* Slots of a batch's visit are collected behind one another; blocks point into them once they all are. */
static enum tr_status push_slot(struct visit *visit, size_t *count, const tr_edit_slot *slot,
                                struct tr_error *error)
{
    if (tr_grow(&visit->slots, &visit->slot_capacity, *count + 1, sizeof *slot, error) != TR_OK)
        return TR_IO;
    visit->slots[(*count)++] = *slot;
    return TR_OK;
}

/* The block rows that the visit's volume edits reach, and all stored ones if a height edit is among them:
 * sorted, no two alike. */
static enum tr_status collect_rows(struct replay *replay, const struct visit *visit, int32_t **rows,
                                   size_t *count, struct tr_error *error)
{
    const struct plan *plan = &replay->plans[visit->plan];
    uint8_t wanted[TR_BLOCK_ROW_MAX - TR_BLOCK_ROW_MIN + 1] = {0};
    for (size_t i = 0; i < visit->count; i++) {
        const struct tr_edit *edit = &replay->log->edits[plan->entries[visit->first + i].edit];
        if (tr_edit_is_height(edit)) {
            for (size_t b = 0; b < plan->chunk.block_count; b++)
                wanted[plan->chunk.blocks[b].cy - TR_BLOCK_ROW_MIN] = 1;
            continue;
        }
        struct tr_box reads, writes;
        int32_t lowest, highest;
        tr_edit_slot slot;
        tr_edit_boxes(edit, &reads, &writes);
        writes = tr_box_intersect(writes, &replay->box);
        rows_of(&writes, &lowest, &highest);
        for (int32_t row = lowest; row <= highest; row++)
            if (!wanted[row - TR_BLOCK_ROW_MIN] && make_slot(replay, edit, plan->cx, row, plan->cz, &slot))
                wanted[row - TR_BLOCK_ROW_MIN] = 1;
    }
    *count = 0;
    for (size_t i = 0; i < sizeof wanted; i++)
        *count += wanted[i];
    if (!(*rows = tr_alloc(*count, sizeof **rows, error)))
        return TR_IO;
    size_t at = 0;
    for (size_t i = 0; i < sizeof wanted; i++)
        if (wanted[i])
            (*rows)[at++] = (int32_t)i + TR_BLOCK_ROW_MIN;
    return TR_OK;
}

/* Makes the slots of a run: the height slots alone, and for each row all that reach it, in the log's order.
 */
static enum tr_status make_run_slots(struct replay *replay, struct visit *visit, const int32_t *rows,
                                     struct tr_error *error)
{
    const struct plan *plan = &replay->plans[visit->plan];
    size_t count = 0;
    tr_edit_slot slot;
    for (size_t pass = 0; pass <= visit->task.block_count; pass++) {
        size_t begin = count;
        for (size_t i = 0; i < visit->count; i++) {
            const struct tr_edit *edit = &replay->log->edits[plan->entries[visit->first + i].edit];
            bool height = tr_edit_is_height(edit);
            if ((!height && pass == 0) ||
                !make_slot(replay, edit, plan->cx, pass == 0 || height ? 0 : rows[pass - 1], plan->cz, &slot))
                continue;
            if (push_slot(visit, &count, &slot, error) != TR_OK)
                return TR_IO;
        }
        if (pass == 0)
            visit->task.slot_count = (uint32_t)count;
        else
            visit->task.blocks[pass - 1].slot_count = (uint32_t)(count - begin);
    }
    return TR_OK;
}

/* The one slot of a smooth's second half: heights in the box of the smooth become `after`, all blocks follow. */
static enum tr_status make_follow_slots(struct replay *replay, struct visit *visit, struct tr_error *error)
{
    const struct plan *plan = &replay->plans[visit->plan];
    size_t count = 0;
    tr_edit_slot slot;
    make_slot(replay, &replay->log->edits[plan->entries[visit->first].edit], plan->cx, 0, plan->cz, &slot);
    slot.op = TR_SLOT_FOLLOW;
    for (size_t i = 0; i <= visit->task.block_count; i++)
        if (push_slot(visit, &count, &slot, error) != TR_OK)
            return TR_IO;
    visit->task.slot_count = 1;
    for (size_t i = 0; i < visit->task.block_count; i++)
        visit->task.blocks[i].slot_count = 1;
    return TR_OK;
}

/* Readies one visit: its chunk in memory, its task complete. */
static enum tr_status prepare_visit(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct replay *replay = context;
    struct visit *visit = replay->batch[index];
    struct plan *plan = &replay->plans[visit->plan];
    int32_t *rows = NULL;
    size_t row_count = 0;
    enum tr_status status = load_plan(replay, plan, error);
    if (status != TR_OK || visit->count == 0)
        return status;
    status = collect_rows(replay, visit, &rows, &row_count, error);
    if (status != TR_OK)
        goto done;
    struct tr_edit_task *task = &visit->task;
    *task = (struct tr_edit_task){.size_x = plan->chunk.size_x,
                                  .size_z = plan->chunk.size_z,
                                  .heights = plan->chunk.heights,
                                  .after = visit->after};
    status = TR_IO;
    if (!(task->blocks = tr_alloc(row_count, sizeof *task->blocks, error)))
        goto done;
    for (; task->block_count < row_count; task->block_count++) {
        struct tr_edit_block *block = &task->blocks[task->block_count];
        block->cy = rows[task->block_count];
        block->stored = tr_chunk_block(&plan->chunk, block->cy) != NULL;
        status = tr_chunk_add_block(&plan->chunk, block->cy, &block->samples, error);
        if (status != TR_OK)
            goto done;
    }
    status =
        visit->smooth ? make_follow_slots(replay, visit, error) : make_run_slots(replay, visit, rows, error);
    task->slots = visit->slots;
    const tr_edit_slot *next = visit->slots ? visit->slots + task->slot_count : NULL;
    for (size_t i = 0; i < task->block_count; i++) {
        task->blocks[i].slots = next;
        if (next)
            next += task->blocks[i].slot_count;
    }
done:
    free(rows);
    return status;
}

static void release_task(struct visit *visit)
{
    free(visit->task.blocks);
    free(visit->slots);
    free(visit->after);
    visit->task = (struct tr_edit_task){0};
    visit->slots = NULL;
    visit->slot_capacity = 0;
    visit->after = NULL;
}

/* Writes a chunk that is done, or links the file it came from if nothing changed. */
static enum tr_status finish_chunk(struct replay *replay, size_t index, struct tr_error *error)
{
    struct plan *plan = &replay->plans[index];
    tr_chunk_make_canonical(&plan->chunk);
    const struct tr_index_entry *entry = tr_world_find(replay->world, plan->cx, plan->cz);
    enum tr_status status;
    if (tr_hash_equal(tr_chunk_hash(&plan->chunk), entry->hash)) {
        status = tr_world_build_link(replay->build, replay->world, plan->cx, plan->cz, error);
    } else {
        replay->changed[index] = 1;
        status = tr_world_build_keep_base(replay->build, replay->world, plan->cx, plan->cz, error);
        if (status == TR_OK)
            status = tr_world_build_put(replay->build, &plan->chunk, error);
    }
    return status;
}

/* Ends the chunk if this was its last visit. Blocks that came out as the height field stay until then: the
 * edits of later visits make of them what they make of the height field. */
static enum tr_status conclude_visit(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct replay *replay = context;
    struct visit *visit = replay->batch[index];
    release_task(visit);
    return visit->last ? finish_chunk(replay, visit->plan, error) : TR_OK;
}

/* Chunks that are finished count into the result and leave memory: in order, so on one thread. */
static void retire_batch(struct replay *replay, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct plan *plan = &replay->plans[replay->batch[i]->plan];
        if (!replay->batch[i]->last)
            continue;
        replay->result->chunks_touched++;
        if (replay->changed[replay->batch[i]->plan]) {
            replay->result->chunks_changed++;
            replay->result->blocks += plan->chunk.block_count;
        }
        tr_chunk_release(&plan->chunk);
        plan->loaded = false;
    }
}

static enum tr_status edit_batch(struct replay *replay, size_t count, struct tr_error *error)
{
    struct tr_edit_task *tasks = tr_alloc(count, sizeof *tasks, error);
    enum tr_status status =
        tasks ? tr_jobs_run(replay->bake->jobs, count, prepare_visit, replay, error) : TR_IO;
    size_t task_count = 0;
    if (status == TR_OK) {
        for (size_t i = 0; i < count; i++)
            if (replay->batch[i]->count)
                tasks[task_count++] = replay->batch[i]->task;
        if (task_count)
            status = replay->bake->ops->edit(replay->bake, tasks, task_count, error);
    }
    if (status == TR_OK)
        status = tr_jobs_run(replay->bake->jobs, count, conclude_visit, replay, error);
    if (status == TR_OK)
        retire_batch(replay, count);
    free(tasks);
    return status;
}

/* The chunk as it is at this moment of the replay: the one in memory, or from the world if no edit has
 * reached it yet. */
static enum tr_status hold_chunk(struct replay *replay, int32_t cx, int32_t cz, const struct tr_chunk **chunk,
                                 bool *from_cache, struct tr_error *error)
{
    struct plan *plan = find_plan(replay, cx, cz);
    *from_cache = !(plan && plan->loaded);
    if (*from_cache)
        return tr_cache_hold(replay->cache, cx, cz, chunk, error);
    *chunk = &plan->chunk;
    return TR_OK;
}

static enum tr_status gather_smooth(struct replay *replay, const struct visit *visit, int32_t *halo,
                                    struct tr_error *error)
{
    const struct plan *plan = &replay->plans[visit->plan];
    const struct tr_world_info *info = &replay->world->info;
    struct tr_neighbourhood around = {0};
    bool from_cache[3][3] = {{false}};
    enum tr_status status = TR_OK;
    for (int dz = -1; dz <= 1 && status == TR_OK; dz++)
        for (int dx = -1; dx <= 1 && status == TR_OK; dx++) {
            int32_t cx = plan->cx + dx, cz = plan->cz + dz;
            if (cx < 0 || cz < 0 || cx > info->size_x || cz > info->size_z)
                continue;
            status = hold_chunk(replay, cx, cz, &around.chunks[dz + 1][dx + 1], &from_cache[dz + 1][dx + 1],
                                error);
        }
    if (status == TR_OK)
        tr_gather_heights(info, &around, plan->cx, plan->cz, -1, TR_BAKE_SMOOTH_HALO, halo);
    for (int i = 0; i < 9; i++)
        if (from_cache[i / 3][i % 3] && around.chunks[i / 3][i % 3])
            tr_cache_release(replay->cache, around.chunks[i / 3][i % 3]);
    return status;
}

/* First half of the smooths of a stage: the heights after, from the state that no visit of the stage has
 * changed yet. */
static enum tr_status smooth_batch(struct replay *replay, struct visit *const *visits, size_t count,
                                   struct tr_error *error)
{
    const size_t halo_size = (size_t)TR_BAKE_SMOOTH_HALO * TR_BAKE_SMOOTH_HALO;
    enum tr_status status = TR_IO;
    struct tr_smooth_task *tasks = tr_alloc(count, sizeof *tasks, error);
    int32_t *halos = tr_alloc(count * halo_size, sizeof *halos, error);
    if (!tasks || !halos)
        goto done;
    for (size_t i = 0; i < count; i++) {
        struct visit *visit = visits[i];
        const struct plan *plan = &replay->plans[visit->plan];
        status = gather_smooth(replay, visit, halos + i * halo_size, error);
        if (status == TR_OK && !(visit->after = tr_alloc(TR_CHUNK_SAMPLES, sizeof *visit->after, error)))
            status = TR_IO;
        if (status != TR_OK)
            goto done;
        tasks[i] = (struct tr_smooth_task){.halo = halos + i * halo_size, .after = visit->after};
        make_slot(replay, &replay->log->edits[plan->entries[visit->first].edit], plan->cx, 0, plan->cz,
                  &tasks[i].slot);
    }
    status = replay->bake->ops->smooth(replay->bake, tasks, count, error);
done:
    free(tasks);
    free(halos);
    return status;
}

/* Bytes of blocks that a visit may have under edit, at most: rows from the lowest to the highest that its volume edits reach. Deep shapes
 * span all 2048 rows, a gigabyte a chunk. */
static size_t visit_bytes(const struct replay *replay, const struct visit *visit)
{
    const struct plan *plan = &replay->plans[visit->plan];
    int32_t first = INT32_MAX, last = INT32_MIN;
    for (size_t i = 0; i < visit->count; i++) {
        const struct tr_edit *edit = &replay->log->edits[plan->entries[visit->first + i].edit];
        struct tr_box reads, writes;
        int32_t lowest, highest;
        if (tr_edit_is_height(edit))
            continue;
        tr_edit_boxes(edit, &reads, &writes);
        writes = tr_box_intersect(writes, &replay->box);
        rows_of(&writes, &lowest, &highest);
        first = lowest < first ? lowest : first;
        last = highest > last ? highest : last;
    }
    return last < first ? 0 : (size_t)(last - first + 1) * TR_BLOCK_SAMPLES * sizeof(int16_t);
}

/* The smooths of a stage read before anything of the stage is written. */
static enum tr_status run_stage(struct replay *replay, struct visit *visits, size_t count,
                                struct tr_error *error)
{
    struct visit *batch[BATCH];
    size_t filled = 0;
    enum tr_status status = TR_OK;
    for (size_t i = 0; i < count && status == TR_OK; i++) {
        if (visits[i].smooth)
            batch[filled++] = &visits[i];
        if (filled == BATCH || (i + 1 == count && filled)) {
            status = smooth_batch(replay, batch, filled, error);
            filled = 0;
        }
    }
    replay->batch = batch;
    for (size_t next = 0; next < count && status == TR_OK;) {
        size_t some = 0, bytes = 0;
        while (some < BATCH && next < count && (some == 0 || bytes < BATCH_BYTES)) {
            batch[some++] = &visits[next];
            bytes += visit_bytes(replay, &visits[next++]);
        }
        status = edit_batch(replay, some, error);
    }
    replay->batch = NULL;
    return status;
}

static enum tr_status link_untouched(struct replay *replay, struct tr_error *error)
{
    for (size_t i = 0; i < replay->world->chunk_count; i++) {
        const struct tr_index_entry *entry = &replay->world->index[i];
        const struct plan *plan = find_plan(replay, entry->cx, entry->cz);
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

static void release_replay(struct replay *replay)
{
    for (size_t i = 0; i < replay->visit_count; i++)
        release_task(&replay->visits[i]);
    for (size_t i = 0; i < replay->plan_count; i++) {
        tr_chunk_release(&replay->plans[i].chunk);
        free(replay->plans[i].entries);
    }
    free(replay->plans);
    free(replay->visits);
    free(replay->map);
    free(replay->changed);
    tr_cache_free(replay->cache);
}

enum tr_status tr_replay(struct tr_bake *bake, const struct tr_world *world, const struct tr_log *log,
                         size_t first, struct tr_world_build *build, struct tr_replay_result *result,
                         struct tr_error *error)
{
    *result = (struct tr_replay_result){.edits = log->count - first};
    struct replay replay = {.bake = bake,
                            .world = world,
                            .log = log,
                            .build = build,
                            .box = tr_world_box(&world->info),
                            .result = result};
    enum tr_status status = tr_cache_create(world, CACHE_BYTES, &replay.cache, error);
    if (status == TR_OK)
        status = make_plans(&replay, first, error);
    if (status == TR_OK)
        status = make_visits(&replay, error);
    if (status == TR_OK && !(replay.changed = tr_alloc(replay.plan_count, 1, error)))
        status = TR_IO;
    for (size_t i = 0; i < replay.visit_count && status == TR_OK;) {
        size_t end = i;
        while (end < replay.visit_count && replay.visits[end].stage == replay.visits[i].stage)
            end++;
        status = run_stage(&replay, replay.visits + i, end - i, error);
        i = end;
    }
    if (status == TR_OK)
        status = link_untouched(&replay, error);
    release_replay(&replay);
    return status;
}

uint64_t tr_edits_work(const struct tr_log *log, size_t first)
{
    double samples = 0;
    for (size_t i = first; i < log->count; i++) {
        struct tr_box reads, writes;
        tr_edit_boxes(&log->edits[i], &reads, &writes);
        double size = 1;
        for (int axis = 0; axis < 3; axis++)
            if (axis != 1 || !tr_edit_is_height(&log->edits[i]))
                size *= (double)(writes.hi[axis] - writes.lo[axis] + 1);
        samples += size;
    }
    return samples < 1e18 ? (uint64_t)samples : (uint64_t)1e18;
}
