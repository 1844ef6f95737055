/* What a stage of the replay reads before anything of the stage is written: the neighbourhoods of smooths and reshapes, the regions of
 * redistances, and heights where flattens start. See replay_internal.h. */
#include "lib/base/alloc.h"
#include "lib/run/gather.h"
#include "lib/run/replay_internal.h"
#include <assert.h>
#include <stdlib.h>

/* Halos of reshapes that wait for one call of the device may take this. */
#define HALO_BYTES ((size_t)64 << 20)

/* ---- chunks as they are at this moment of the replay ---- */

/* The chunks that one read needs, held until it is over. The widest, of pinch and grab, reaches a chunk farther on each side. */
#define HELD_MAX 25

struct held {
    const struct tr_replay *replay;
    struct {
        int32_t cx, cz;
        const struct tr_chunk *chunk;
        bool from_cache;
    } chunks[HELD_MAX];
    size_t count;
    enum tr_status status;
    struct tr_error *error;
};

static void held_release(struct held *held)
{
    for (size_t i = 0; i < held->count; i++)
        if (held->chunks[i].from_cache)
            tr_cache_release(held->replay->cache, held->chunks[i].chunk);
    held->count = 0;
}

/* The one in memory, or from the world if no edit has reached it yet. */
static const struct tr_chunk *held_find(void *context, int32_t cx, int32_t cz)
{
    struct held *held = context;
    for (size_t i = 0; i < held->count; i++)
        if (held->chunks[i].cx == cx && held->chunks[i].cz == cz)
            return held->chunks[i].chunk;
    assert(held->count < HELD_MAX);
    const struct tr_replay_plan *plan = tr_replay_find_plan(held->replay, cx, cz);
    const struct tr_chunk *chunk = plan ? &plan->chunk : NULL;
    bool from_cache = !(plan && plan->loaded);
    if (from_cache)
        held->status = tr_cache_hold(held->replay->cache, cx, cz, &chunk, held->error);
    if (held->status != TR_OK)
        return NULL;
    held->chunks[held->count].cx = cx;
    held->chunks[held->count].cz = cz;
    held->chunks[held->count].chunk = chunk;
    held->chunks[held->count++].from_cache = from_cache;
    return chunk;
}

/* ---- smooths of heights ---- */

static enum tr_status gather_heights(struct held *held, const struct tr_replay_plan *plan, int32_t *halo)
{
    const struct tr_world_info *info = &held->replay->world->info;
    struct tr_neighbourhood around = {0};
    for (int dz = -1; dz <= 1; dz++)
        for (int dx = -1; dx <= 1; dx++) {
            int32_t cx = plan->cx + dx, cz = plan->cz + dz;
            if (cx < 0 || cz < 0 || cx > info->size_x || cz > info->size_z)
                continue;
            if (!(around.chunks[dz + 1][dx + 1] = held_find(held, cx, cz)))
                return held->status;
        }
    tr_gather_heights(info, &around, plan->cx, plan->cz, -2, TR_HEIGHT_HALO, halo);
    return TR_OK;
}

static enum tr_status read_heights(const struct tr_replay *replay, struct tr_replay_visit *visit,
                                   struct tr_smooth_task *task, int32_t *halo, struct tr_error *error)
{
    const struct tr_replay_plan *plan = &replay->plans[visit->plan];
    struct held held = {.replay = replay, .error = error};
    bool reaches;
    enum tr_status status = gather_heights(&held, plan, halo);
    held_release(&held);
    if (status != TR_OK)
        return status;
    visit->after = tr_alloc(TR_CHUNK_SAMPLES, sizeof *visit->after, error);
    if (!visit->after)
        return TR_IO;
    *task = (struct tr_smooth_task){.halo = halo, .after = visit->after};
    return tr_replay_slot(replay, &plan->entries[visit->first], plan->cx, 0, plan->cz, &visit->words,
                          &task->slot, &reaches, error);
}

static enum tr_status smooth_batch(struct tr_replay *replay, struct tr_replay_visit *const *visits,
                                   size_t count, struct tr_error *error)
{
    const size_t halo_size = (size_t)TR_HEIGHT_HALO * TR_HEIGHT_HALO;
    struct tr_smooth_task *tasks = tr_alloc(count, sizeof *tasks, error);
    int32_t *halos = tr_alloc(count * halo_size, sizeof *halos, error);
    enum tr_status status = tasks && halos ? TR_OK : TR_IO;
    for (size_t i = 0; i < count && status == TR_OK; i++)
        status = read_heights(replay, visits[i], &tasks[i], halos + i * halo_size, error);
    if (status == TR_OK)
        status = replay->bake->ops->smooth(replay->bake, tasks, count, error);
    free(tasks);
    free(halos);
    return status;
}

static enum tr_status smooth_heights(struct tr_replay *replay, struct tr_replay_visit *visits, size_t count,
                                     struct tr_error *error)
{
    struct tr_replay_visit *batch[TR_REPLAY_BATCH];
    size_t filled = 0;
    enum tr_status status = TR_OK;
    for (size_t i = 0; i < count && status == TR_OK; i++) {
        if (visits[i].reads && tr_edit_is_height(visits[i].reads))
            batch[filled++] = &visits[i];
        if (filled == TR_REPLAY_BATCH || (i + 1 == count && filled)) {
            status = smooth_batch(replay, batch, filled, error);
            filled = 0;
        }
    }
    return status;
}

/* ---- reshapes of blocks ---- */

static enum tr_status add_block_after(struct tr_replay_visit *visit, int32_t cy, int16_t **samples,
                                      struct tr_error *error)
{
    enum tr_status status = tr_grow(&visit->blocks_after, &visit->block_after_capacity,
                                    visit->block_after_count + 1, sizeof *visit->blocks_after, error);
    if (status != TR_OK)
        return status;
    if (!(*samples = tr_alloc(TR_BLOCK_SAMPLES, sizeof **samples, error)))
        return TR_IO;
    visit->blocks_after[visit->block_after_count++] = (struct tr_replay_after){cy, *samples};
    return TR_OK;
}

/* Block tasks that are gathered for one call of the device. */
struct reshape_batch {
    struct tr_reshape_task tasks[TR_REPLAY_BATCH];
    int16_t *halos[TR_REPLAY_BATCH];
    size_t count, bytes;
};

static enum tr_status reshape_run(struct tr_replay *replay, struct reshape_batch *batch,
                                  struct tr_error *error)
{
    enum tr_status status = TR_OK;
    if (batch->count)
        status = replay->bake->ops->reshape(replay->bake, batch->tasks, batch->count, error);
    for (size_t i = 0; i < batch->count; i++)
        free(batch->halos[i]);
    batch->count = batch->bytes = 0;
    return status;
}

/* Adds one block of a visit's chunk. */
static enum tr_status reshape_add(struct tr_replay *replay, struct reshape_batch *batch,
                                  struct tr_replay_visit *visit, struct held *held, int32_t cy,
                                  const tr_edit_slot *slot, uint32_t margin)
{
    const struct tr_replay_plan *plan = &replay->plans[visit->plan];
    const uint32_t side = TR_CHUNK + 2 * margin, size[3] = {side, side, side};
    const int64_t lo[3] = {(int64_t)plan->cx * TR_CHUNK - margin, (int64_t)cy * TR_CHUNK - margin,
                           (int64_t)plan->cz * TR_CHUNK - margin};
    const size_t samples = (size_t)side * side * side;
    int16_t *after = NULL, *halo = tr_alloc(samples, sizeof *halo, held->error);
    if (!halo)
        return TR_IO;
    batch->halos[batch->count] = halo;
    batch->bytes += samples * sizeof *halo;
    struct tr_reshape_task *task = &batch->tasks[batch->count++];
    if (!tr_gather_field(&replay->world->info, lo, size, held_find, held, halo))
        return held->status;
    enum tr_status status = add_block_after(visit, cy, &after, held->error);
    *task = (struct tr_reshape_task){.halo = halo, .margin = margin, .slot = *slot, .after = after};
    if (status == TR_OK && (batch->count == TR_REPLAY_BATCH || batch->bytes > HALO_BYTES))
        status = reshape_run(replay, batch, held->error);
    return status;
}

static enum tr_status reshape_visit(struct tr_replay *replay, struct reshape_batch *batch,
                                    struct tr_replay_visit *visit, struct tr_error *error)
{
    const struct tr_replay_plan *plan = &replay->plans[visit->plan];
    const struct tr_replay_entry *entry = &plan->entries[visit->first];
    struct tr_box writes = tr_replay_writes(replay, visit->reads, entry->stamp);
    struct tr_stamp stamp = tr_edit_stamp(visit->reads, entry->stamp);
    struct held held = {.replay = replay, .error = error};
    int32_t row, highest;
    enum tr_status status = TR_OK;
    tr_replay_rows(&writes, &row, &highest);
    for (; row <= highest && status == TR_OK; row++) {
        tr_edit_slot slot;
        bool reaches;
        status =
            tr_replay_slot(replay, entry, plan->cx, row, plan->cz, &visit->words, &slot, &reaches, error);
        if (status == TR_OK && reaches)
            status =
                reshape_add(replay, batch, visit, &held, row, &slot, tr_edit_margin(visit->reads, &stamp));
    }
    held_release(&held);
    return status;
}

static enum tr_status reshape_blocks(struct tr_replay *replay, struct tr_replay_visit *visits, size_t count,
                                     struct tr_error *error)
{
    struct reshape_batch batch = {.count = 0};
    enum tr_status status = TR_OK, last;
    for (size_t i = 0; i < count && status == TR_OK; i++)
        if (visits[i].reads && !tr_edit_is_height(visits[i].reads) &&
            visits[i].reads->op != TR_EDIT_REDISTANCE)
            status = reshape_visit(replay, &batch, &visits[i], error);
    if (status != TR_OK) {
        for (size_t i = 0; i < batch.count; i++)
            free(batch.halos[i]);
        return status;
    }
    last = reshape_run(replay, &batch, error);
    return last;
}

/* ---- redistances ---- */

/* The region of one stamp, before and after; all chunks that it writes take their part of it. */
struct region {
    uint32_t edit, stamp;
    int64_t lo[3];
    int16_t *before, *after;
    struct tr_redistance_task task;
};

static void region_release(struct region *region)
{
    free(region->before);
    free(region->after);
    *region = (struct region){0};
}

static enum tr_status region_make(struct tr_replay *replay, const struct tr_replay_entry *entry,
                                  struct region *region, struct tr_error *error)
{
    const struct tr_edit *edit = tr_replay_edit(replay, entry);
    struct tr_stamp stamp = tr_edit_stamp(edit, entry->stamp);
    struct held held = {.replay = replay, .error = error};
    struct tr_redistance_task *task = &region->task;
    enum tr_status status = TR_OK;
    *region = (struct region){.edit = entry->edit, .stamp = entry->stamp};
    tr_edit_region(edit, &stamp, &replay->box, region->lo, task->size, &task->slot);
    size_t samples = (size_t)task->size[0] * task->size[1] * task->size[2];
    region->before = tr_alloc(samples, sizeof *region->before, error);
    region->after = tr_alloc(samples, sizeof *region->after, error);
    if (!region->before || !region->after)
        return TR_IO;
    if (!tr_gather_field(&replay->world->info, region->lo, task->size, held_find, &held, region->before))
        status = held.status;
    held_release(&held);
    task->samples = region->before;
    task->after = region->after;
    return status == TR_OK ? replay->bake->ops->redistance(replay->bake, task, 1, error) : status;
}

/* The part of row cy of a chunk that a region holds: what the ground is there now, with the region's samples in it. */
static enum tr_status region_cut(struct tr_replay *replay, const struct region *region,
                                 struct tr_replay_visit *visit, int32_t cy, struct tr_error *error)
{
    const struct tr_replay_plan *plan = &replay->plans[visit->plan];
    const int64_t origin[3] = {(int64_t)plan->cx * TR_CHUNK, (int64_t)cy * TR_CHUNK,
                               (int64_t)plan->cz * TR_CHUNK};
    const uint32_t whole[3] = {TR_CHUNK, TR_CHUNK, TR_CHUNK};
    struct held held = {.replay = replay, .error = error};
    int lo[3], hi[3];
    int16_t *block = NULL;
    enum tr_status status = add_block_after(visit, cy, &block, error);
    if (status == TR_OK && !tr_gather_field(&replay->world->info, origin, whole, held_find, &held, block))
        status = held.status;
    held_release(&held);
    for (int i = 0; i < 3; i++) {
        int64_t first = region->lo[i] - origin[i], last = first + region->task.size[i] - 1;
        lo[i] = (int)(first < 0 ? 0 : first);
        hi[i] = (int)(last > TR_CHUNK - 1 ? TR_CHUNK - 1 : last);
    }
    for (int y = lo[1]; y <= hi[1] && status == TR_OK; y++)
        for (int z = lo[2]; z <= hi[2]; z++) {
            size_t row = (size_t)(origin[1] + y - region->lo[1]) * region->task.size[2] +
                         (size_t)(origin[2] + z - region->lo[2]);
            const int16_t *from =
                region->after + row * region->task.size[0] + (origin[0] + lo[0] - region->lo[0]);
            if (hi[0] >= lo[0])
                memcpy(block + tr_block_index(lo[0], y, z), from,
                       (size_t)(hi[0] - lo[0] + 1) * sizeof *block);
        }
    return status;
}

static enum tr_status redistance_visit(struct tr_replay *replay, struct region *region,
                                       struct tr_replay_visit *visit, struct tr_error *error)
{
    const struct tr_replay_plan *plan = &replay->plans[visit->plan];
    const struct tr_replay_entry *entry = &plan->entries[visit->first];
    struct tr_box writes = tr_replay_writes(replay, visit->reads, entry->stamp);
    int32_t row, highest;
    enum tr_status status = TR_OK;
    if (!region->before || region->edit != entry->edit || region->stamp != entry->stamp) {
        region_release(region);
        status = region_make(replay, entry, region, error);
    }
    tr_replay_rows(&writes, &row, &highest);
    for (; row <= highest && status == TR_OK; row++) {
        tr_edit_slot slot;
        bool reaches;
        status = tr_replay_slot(replay, entry, plan->cx, row, plan->cz, NULL, &slot, &reaches, error);
        if (status == TR_OK && reaches)
            status = region_cut(replay, region, visit, row, error);
    }
    return status;
}

static int compare_entries(const void *left, const void *right, void *context)
{
    const struct tr_replay *replay = context;
    const struct tr_replay_visit *const *a = left, *const *b = right;
    const struct tr_replay_entry *p = &replay->plans[(*a)->plan].entries[(*a)->first],
                                 *q = &replay->plans[(*b)->plan].entries[(*b)->first];
    if (p->edit != q->edit)
        return p->edit < q->edit ? -1 : 1;
    if (p->stamp != q->stamp)
        return p->stamp < q->stamp ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

/* Stamp by stamp, so that each region is made once. */
static enum tr_status redistance(struct tr_replay *replay, struct tr_replay_visit *visits, size_t count,
                                 struct tr_error *error)
{
    struct region region = {0};
    struct tr_replay_visit **some = NULL;
    size_t found = 0;
    enum tr_status status = TR_OK;
    for (size_t i = 0; i < count; i++)
        found += visits[i].reads && visits[i].reads->op == TR_EDIT_REDISTANCE;
    if (found == 0)
        return TR_OK;
    if (!(some = tr_alloc(found, sizeof *some, error)))
        return TR_IO;
    found = 0;
    for (size_t i = 0; i < count; i++)
        if (visits[i].reads && visits[i].reads->op == TR_EDIT_REDISTANCE)
            some[found++] = &visits[i];
    qsort_r(some, found, sizeof(struct tr_replay_visit *), compare_entries, replay);
    for (size_t i = 0; i < found && status == TR_OK; i++)
        status = redistance_visit(replay, &region, some[i], error);
    region_release(&region);
    free(some);
    return status;
}

/* ---- starts ---- */

static enum tr_status read_start(struct tr_replay *replay, struct tr_replay_start *start,
                                 struct tr_error *error)
{
    struct held held = {.replay = replay, .error = error};
    const struct tr_chunk *chunk = held_find(&held, (int32_t)tr_floor_div(start->x, TR_CHUNK),
                                             (int32_t)tr_floor_div(start->z, TR_CHUNK));
    if (chunk)
        start->height =
            chunk->heights[tr_floor_mod(start->z, TR_CHUNK) * TR_CHUNK + tr_floor_mod(start->x, TR_CHUNK)];
    held_release(&held);
    return held.status;
}

/* Those of all stages up to this one: a stage without visits is passed over, and changes nothing. */
static enum tr_status read_starts(struct tr_replay *replay, uint32_t stage, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    while (replay->starts_read < replay->start_count && status == TR_OK) {
        struct tr_replay_start *start = &replay->starts[replay->start_order[replay->starts_read]];
        if (start->stage > stage)
            break;
        status = read_start(replay, start, error);
        replay->starts_read++;
    }
    return status;
}

enum tr_status tr_replay_read_stage(struct tr_replay *replay, struct tr_replay_visit *visits, size_t count,
                                    struct tr_error *error)
{
    enum tr_status status = read_starts(replay, visits[0].stage, error);
    if (status == TR_OK)
        status = smooth_heights(replay, visits, count, error);
    if (status == TR_OK)
        status = reshape_blocks(replay, visits, count, error);
    if (status == TR_OK)
        status = redistance(replay, visits, count, error);
    return status;
}
