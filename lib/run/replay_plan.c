/* Stages of the replay: see replay_internal.h. */
#include "lib/base/alloc.h"
#include "lib/base/stop.h"
#include "lib/run/replay_internal.h"
#include <stdlib.h>

/* ---- plans by place ---- */

/* The place in the map of chunk (cx, cz): where it is, or the empty slot where it would go. */
static size_t map_slot(const struct tr_replay *replay, int32_t cx, int32_t cz)
{
    uint64_t h = ((uint64_t)(uint32_t)cx << 32 | (uint32_t)cz) * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(h >> 20) & (replay->map_size - 1);
    while (replay->map[at] != 0) {
        const struct tr_replay_plan *plan = &replay->plans[replay->map[at] - 1];
        if (plan->cx == cx && plan->cz == cz)
            break;
        at = (at + 1) & (replay->map_size - 1);
    }
    return at;
}

struct tr_replay_plan *tr_replay_find_plan(const struct tr_replay *replay, int32_t cx, int32_t cz)
{
    size_t index = replay->map_size ? replay->map[map_slot(replay, cx, cz)] : 0;
    return index ? &replay->plans[index - 1] : NULL;
}

static enum tr_status grow_map(struct tr_replay *replay, struct tr_error *error)
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

static enum tr_status add_plan(struct tr_replay *replay, int32_t cx, int32_t cz, struct tr_replay_plan **out,
                               struct tr_error *error)
{
    if ((*out = tr_replay_find_plan(replay, cx, cz)))
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

static enum tr_status add_entry(struct tr_replay_plan *plan, struct tr_replay_entry entry, uint32_t stage,
                                struct tr_error *error)
{
    if (tr_grow(&plan->entries, &plan->capacity, plan->count + 1, sizeof *plan->entries, error) != TR_OK)
        return TR_IO;
    entry.stage = stage;
    plan->entries[plan->count++] = entry;
    if (plan->last_stage < stage)
        plan->last_stage = stage;
    return TR_OK;
}

/* ---- stamps ---- */

struct tr_box tr_replay_writes(const struct tr_replay *replay, const struct tr_edit *edit, uint32_t stamp)
{
    struct tr_stamp at = tr_edit_stamp(edit, stamp);
    struct tr_box reads, writes;
    tr_edit_boxes(edit, &at, &reads, &writes);
    return tr_box_intersect(writes, &replay->box);
}

/* The height that the edit starts from; 0 where it does not ask, or before it has been read (boxes do not depend on it). */
static int32_t start_height(const struct tr_replay *replay, uint32_t edit)
{
    size_t lo = 0, hi = replay->start_count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (replay->starts[middle].edit < edit)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < replay->start_count && replay->starts[lo].edit == edit ? replay->starts[lo].height : 0;
}

enum tr_status tr_replay_slot(const struct tr_replay *replay, const struct tr_replay_entry *entry, int32_t cx,
                              int32_t cy, int32_t cz, struct tr_words *words, tr_edit_slot *slot,
                              bool *reaches, struct tr_error *error)
{
    const int64_t origin[3] = {(int64_t)cx * TR_CHUNK, (int64_t)cy * TR_CHUNK, (int64_t)cz * TR_CHUNK};
    const struct tr_edit *edit = tr_replay_edit(replay, entry);
    struct tr_stamp stamp = tr_edit_stamp(edit, entry->stamp);
    return tr_edit_slot_make(edit, &stamp, start_height(replay, entry->edit), &replay->box, origin, words,
                             slot, reaches, error);
}

/* Whether a stamp, whose writes are `box`, can change a sample of the chunk. */
static enum tr_status touches(const struct tr_replay *replay, const struct tr_replay_entry *entry,
                              const struct tr_box *box, int32_t cx, int32_t cz, bool *reaches,
                              struct tr_error *error)
{
    tr_edit_slot slot;
    int32_t row = 0, highest = 0;
    enum tr_status status = TR_OK;
    *reaches = false;
    if (!tr_edit_is_height(tr_replay_edit(replay, entry)))
        tr_replay_rows(box, &row, &highest);
    for (; row <= highest && !*reaches && status == TR_OK; row++)
        status = tr_replay_slot(replay, entry, cx, row, cz, NULL, &slot, reaches, error);
    return status;
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

/* Enters a stamp that looks only at its own samples, in no chunk before stage `earliest`. */
static enum tr_status plan_pointwise(struct tr_replay *replay, const struct tr_replay_entry *entry,
                                     const struct tr_box *writes, uint32_t earliest, struct tr_error *error)
{
    struct chunk_range range = chunks_of(writes);
    for (int32_t cz = range.z0; cz <= range.z1; cz++)
        for (int32_t cx = range.x0; cx <= range.x1; cx++) {
            struct tr_replay_plan *plan;
            bool reaches;
            enum tr_status status = touches(replay, entry, writes, cx, cz, &reaches, error);
            if (status == TR_OK && reaches)
                status = add_plan(replay, cx, cz, &plan, error);
            if (status == TR_OK && reaches) {
                if (plan->open < earliest)
                    plan->open = earliest;
                status = add_entry(plan, *entry, plan->open, error);
            }
            if (status != TR_OK)
                return status;
        }
    return TR_OK;
}

/* Makes all chunks of a range wait for a read of theirs: *stage is behind all that was done to them, and what is done to them from now
 * on is not before stage `*stage + behind`. */
static enum tr_status plan_read(struct tr_replay *replay, struct chunk_range range, uint32_t behind,
                                uint32_t *stage, struct tr_error *error)
{
    struct tr_replay_plan *plan;
    *stage = 0;
    for (int32_t cz = range.z0; cz <= range.z1; cz++)
        for (int32_t cx = range.x0; cx <= range.x1; cx++) {
            if (add_plan(replay, cx, cz, &plan, error) != TR_OK)
                return TR_IO;
            if (*stage < plan->open + 1)
                *stage = plan->open + 1;
        }
    for (int32_t cz = range.z0; cz <= range.z1; cz++)
        for (int32_t cx = range.x0; cx <= range.x1; cx++) {
            plan = tr_replay_find_plan(replay, cx, cz);
            plan->open = *stage + behind;
            if (plan->last_stage < *stage)
                plan->last_stage = *stage;
        }
    return TR_OK;
}

static enum tr_status plan_smooth(struct tr_replay *replay, const struct tr_replay_entry *entry,
                                  const struct tr_box *reads, const struct tr_box *writes,
                                  struct tr_error *error)
{
    struct chunk_range range = chunks_of(reads);
    uint32_t stage;
    enum tr_status status = plan_read(replay, range, 1, &stage, error);
    for (int32_t cz = range.z0; cz <= range.z1 && status == TR_OK; cz++)
        for (int32_t cx = range.x0; cx <= range.x1 && status == TR_OK; cx++) {
            bool reaches;
            status = touches(replay, entry, writes, cx, cz, &reaches, error);
            if (status == TR_OK && reaches)
                status = add_entry(tr_replay_find_plan(replay, cx, cz), *entry, stage, error);
        }
    return status;
}

/* A flatten from where it starts: the height is read at the beginning of *stage, before which no stamp of it may come. */
static enum tr_status plan_start(struct tr_replay *replay, uint32_t index, uint32_t *stage,
                                 struct tr_error *error)
{
    struct tr_replay_start start = {.edit = index};
    tr_edit_start_column(&replay->log->edits[index], &replay->box, &start.x, &start.z);
    int32_t cx = (int32_t)tr_floor_div(start.x, TR_CHUNK), cz = (int32_t)tr_floor_div(start.z, TR_CHUNK);
    enum tr_status status = plan_read(replay, (struct chunk_range){cx, cx, cz, cz}, 0, stage, error);
    if (status == TR_OK)
        status = tr_grow(&replay->starts, &replay->start_capacity, replay->start_count + 1,
                         sizeof *replay->starts, error);
    if (status != TR_OK)
        return status;
    start.stage = *stage;
    replay->starts[replay->start_count++] = start;
    return TR_OK;
}

static enum tr_status plan_stamp(struct tr_replay *replay, const struct tr_replay_entry *entry,
                                 uint32_t earliest, struct tr_error *error)
{
    const struct tr_edit *edit = tr_replay_edit(replay, entry);
    struct tr_stamp stamp = tr_edit_stamp(edit, entry->stamp);
    struct tr_box reads, writes;
    tr_edit_boxes(edit, &stamp, &reads, &writes);
    reads = tr_box_intersect(reads, &replay->box);
    writes = tr_box_intersect(writes, &replay->box);
    if (tr_box_is_empty(&writes))
        return TR_OK;
    return tr_edit_reads_neighbours(edit) ? plan_smooth(replay, entry, &reads, &writes, error)
                                          : plan_pointwise(replay, entry, &writes, earliest, error);
}

enum tr_status tr_replay_make_plans(struct tr_replay *replay, size_t first, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    for (size_t i = first; i < replay->log->count && status == TR_OK; i++) {
        const struct tr_edit *edit = &replay->log->edits[i];
        uint32_t stamps = tr_edit_stamp_count(edit), earliest = 0;
        status = tr_stop_check(error);
        if (status == TR_OK && tr_edit_reads_start(edit))
            status = plan_start(replay, (uint32_t)i, &earliest, error);
        for (uint32_t s = 0; s < stamps && status == TR_OK; s++)
            status = plan_stamp(replay, &(struct tr_replay_entry){.edit = (uint32_t)i, .stamp = s}, earliest,
                                error);
        replay->result->stamps += stamps;
    }
    return status;
}

/* ---- visits ---- */

static enum tr_status add_visit(struct tr_replay *replay, struct tr_replay_visit visit,
                                struct tr_error *error)
{
    if (tr_grow(&replay->visits, &replay->visit_capacity, replay->visit_count + 1, sizeof visit, error) !=
        TR_OK)
        return TR_IO;
    replay->visits[replay->visit_count++] = visit;
    return TR_OK;
}

static int compare_visits(const void *left, const void *right, void *context)
{
    const struct tr_replay_visit *a = left, *b = right;
    const struct tr_replay *replay = context;
    const struct tr_replay_plan *p = &replay->plans[a->plan], *q = &replay->plans[b->plan];
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (p->cz != q->cz)
        return p->cz < q->cz ? -1 : 1;
    return p->cx < q->cx ? -1 : p->cx > q->cx;
}

static int compare_starts(const void *left, const void *right, void *context)
{
    const struct tr_replay_start *starts = context;
    const size_t *a = left, *b = right;
    if (starts[*a].stage != starts[*b].stage)
        return starts[*a].stage < starts[*b].stage ? -1 : 1;
    return *a < *b ? -1 : 1;
}

static enum tr_status order_starts(struct tr_replay *replay, struct tr_error *error)
{
    replay->start_order = tr_alloc(replay->start_count, sizeof *replay->start_order, error);
    if (!replay->start_order)
        return TR_IO;
    for (size_t i = 0; i < replay->start_count; i++)
        replay->start_order[i] = i;
    if (replay->start_count)
        qsort_r(replay->start_order, replay->start_count, sizeof *replay->start_order, compare_starts,
                replay->starts);
    return TR_OK;
}

enum tr_status tr_replay_make_visits(struct tr_replay *replay, struct tr_error *error)
{
    for (size_t p = 0; p < replay->plan_count; p++) {
        const struct tr_replay_plan *plan = &replay->plans[p];
        for (size_t i = 0; i < plan->count;) {
            struct tr_replay_visit visit = {.stage = plan->entries[i].stage, .plan = p, .first = i};
            const struct tr_edit *edit = tr_replay_edit(replay, &plan->entries[i]);
            while (i < plan->count && plan->entries[i].stage == visit.stage)
                i++;
            visit.count = i - visit.first;
            visit.reads = tr_edit_reads_neighbours(edit) ? edit : NULL;
            visit.last = visit.stage == plan->last_stage;
            if (add_visit(replay, visit, error) != TR_OK)
                return TR_IO;
        }
        if (plan->count && plan->entries[plan->count - 1].stage < plan->last_stage &&
            add_visit(replay, (struct tr_replay_visit){.stage = plan->last_stage, .plan = p, .last = true},
                      error) != TR_OK)
            return TR_IO;
    }
    if (replay->visit_count)
        qsort_r(replay->visits, replay->visit_count, sizeof *replay->visits, compare_visits, replay);
    return order_starts(replay, error);
}
