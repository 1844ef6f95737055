/* Tasks of the replay: the slots that a visit's stamps have in its chunk and in each of its blocks. See replay_internal.h.
 *
 * A task has a block for each row that its volume edits reach, and all stored ones if a change of heights is among them. Paint alone
 * makes no block: where none is, every sample equals the height field, and such samples have no paint. */
#include "lib/base/alloc.h"
#include "lib/run/replay_internal.h"
#include <stdlib.h>

#define ROWS (TR_BLOCK_ROW_MAX - TR_BLOCK_ROW_MIN + 1)

static const struct tr_replay_plan *plan_of(const struct tr_replay *replay,
                                            const struct tr_replay_visit *visit)
{
    return &replay->plans[visit->plan];
}

static const struct tr_replay_entry *entry_of(const struct tr_replay *replay,
                                              const struct tr_replay_visit *visit, size_t i)
{
    return &plan_of(replay, visit)->entries[visit->first + i];
}

/* Marks the rows that entry i reaches: all, or those that are marked or stored already. */
static enum tr_status mark_reached(const struct tr_replay *replay, const struct tr_replay_visit *visit,
                                   size_t i, bool only_there, uint8_t *wanted, struct tr_error *error)
{
    const struct tr_replay_plan *plan = plan_of(replay, visit);
    const struct tr_replay_entry *entry = entry_of(replay, visit, i);
    struct tr_box writes = tr_replay_writes(replay, tr_replay_edit(replay, entry), entry->stamp);
    int32_t row, highest;
    enum tr_status status = TR_OK;
    tr_replay_rows(&writes, &row, &highest);
    for (; row <= highest && status == TR_OK; row++) {
        tr_edit_slot slot;
        bool reaches = false;
        if (wanted[row - TR_BLOCK_ROW_MIN] || (only_there && !tr_chunk_block(&plan->chunk, row)))
            continue;
        status = tr_replay_slot(replay, entry, plan->cx, row, plan->cz, NULL, &slot, &reaches, error);
        wanted[row - TR_BLOCK_ROW_MIN] = reaches;
    }
    return status;
}

/* The rows of the task's blocks, sorted, no two alike. */
static enum tr_status collect_rows(const struct tr_replay *replay, const struct tr_replay_visit *visit,
                                   int32_t **rows, size_t *count, struct tr_error *error)
{
    const struct tr_replay_plan *plan = plan_of(replay, visit);
    uint8_t wanted[ROWS] = {0};
    enum tr_status status = TR_OK;
    for (size_t i = 0; i < visit->count && status == TR_OK; i++) {
        const struct tr_edit *edit = tr_replay_edit(replay, entry_of(replay, visit, i));
        if (!tr_edit_is_height(edit))
            status = mark_reached(replay, visit, i, tr_edit_is_paint(edit), wanted, error);
        else if (!tr_edit_is_paint(edit))
            for (size_t b = 0; b < plan->chunk.block_count; b++)
                wanted[plan->chunk.blocks[b].cy - TR_BLOCK_ROW_MIN] = 1;
    }
    *count = 0;
    for (size_t i = 0; i < ROWS; i++)
        *count += wanted[i];
    if (status == TR_OK && !(*rows = tr_alloc(*count, sizeof **rows, error)))
        status = TR_IO;
    size_t at = 0;
    for (size_t i = 0; i < ROWS && status == TR_OK; i++)
        if (wanted[i])
            (*rows)[at++] = (int32_t)i + TR_BLOCK_ROW_MIN;
    return status;
}

/* Slots of a visit are collected behind one another; the task's lists point into them once they all are. */
static enum tr_status push_slot(struct tr_replay_visit *visit, const tr_edit_slot *slot,
                                struct tr_error *error)
{
    if (tr_grow(&visit->slots, &visit->slot_capacity, visit->slot_count + 1, sizeof *slot, error) != TR_OK)
        return TR_IO;
    visit->slots[visit->slot_count++] = *slot;
    return TR_OK;
}

/* Makes the slot of entry i in block row cy and pushes it if it reaches a sample. */
static enum tr_status push_made(const struct tr_replay *replay, struct tr_replay_visit *visit, size_t i,
                                int32_t cy, struct tr_error *error)
{
    const struct tr_replay_plan *plan = plan_of(replay, visit);
    tr_edit_slot slot;
    bool reaches;
    enum tr_status status = tr_replay_slot(replay, entry_of(replay, visit, i), plan->cx, cy, plan->cz,
                                           &visit->words, &slot, &reaches, error);
    return status == TR_OK && reaches ? push_slot(visit, &slot, error) : status;
}

/* The slots that heights and column paint see. at[i]: where the one slot of height entry i is, or SIZE_MAX. */
static enum tr_status push_height_slots(const struct tr_replay *replay, struct tr_replay_visit *visit,
                                        size_t *at, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    for (size_t i = 0; i < visit->count && status == TR_OK; i++) {
        const struct tr_replay_entry *entry = entry_of(replay, visit, i);
        const struct tr_edit *edit = tr_replay_edit(replay, entry);
        size_t before = visit->slot_count;
        int32_t row = 0, highest = 0;
        at[i] = SIZE_MAX;
        if (!tr_edit_is_height(edit)) {
            struct tr_box writes = tr_replay_writes(replay, edit, entry->stamp);
            if (!tr_edit_is_paint(edit))
                continue;
            tr_replay_rows(&writes, &row, &highest);
        }
        for (; row <= highest && status == TR_OK; row++)
            status = push_made(replay, visit, i, row, error);
        if (tr_edit_is_height(edit) && visit->slot_count > before)
            at[i] = before;
    }
    return status;
}

/* The slots of a block, in the log's order: those of heights again, and the volume slots that reach its row. */
static enum tr_status push_block_slots(const struct tr_replay *replay, struct tr_replay_visit *visit,
                                       int32_t cy, const size_t *at, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    for (size_t i = 0; i < visit->count && status == TR_OK; i++) {
        const struct tr_edit *edit = tr_replay_edit(replay, entry_of(replay, visit, i));
        if (!tr_edit_is_height(edit)) {
            status = push_made(replay, visit, i, cy, error);
        } else if (at[i] != SIZE_MAX && !tr_edit_is_paint(edit)) {
            tr_edit_slot slot = visit->slots[at[i]];
            status = push_slot(visit, &slot, error);
        }
    }
    return status;
}

static enum tr_status make_run_slots(const struct tr_replay *replay, struct tr_replay_visit *visit,
                                     struct tr_error *error)
{
    size_t *at = tr_alloc(visit->count, sizeof *at, error);
    enum tr_status status = at ? push_height_slots(replay, visit, at, error) : TR_IO;
    visit->task.slot_count = (uint32_t)visit->slot_count;
    for (size_t i = 0; i < visit->task.block_count && status == TR_OK; i++) {
        struct tr_edit_block *block = &visit->task.blocks[i];
        size_t before = visit->slot_count;
        status = push_block_slots(replay, visit, block->cy, at, error);
        block->slot_count = (uint32_t)(visit->slot_count - before);
    }
    free(at);
    return status;
}

/* The one slot of the second half of a smooth of heights: in its box they become `after`, and all blocks follow. */
static enum tr_status make_follow_slots(const struct tr_replay *replay, struct tr_replay_visit *visit,
                                        struct tr_error *error)
{
    const struct tr_replay_plan *plan = plan_of(replay, visit);
    tr_edit_slot slot;
    bool reaches;
    enum tr_status status = tr_replay_slot(replay, entry_of(replay, visit, 0), plan->cx, 0, plan->cz,
                                           &visit->words, &slot, &reaches, error);
    slot.op = TR_SLOT_FOLLOW;
    for (size_t i = 0; i <= visit->task.block_count && status == TR_OK; i++)
        status = push_slot(visit, &slot, error);
    visit->task.slot_count = 1;
    for (size_t i = 0; i < visit->task.block_count; i++)
        visit->task.blocks[i].slot_count = 1;
    return status;
}

/* Lists point into the slots, which grow no more. */
static void point_slots(struct tr_replay_visit *visit)
{
    struct tr_edit_task *task = &visit->task;
    const tr_edit_slot *next = visit->slots ? visit->slots + task->slot_count : NULL;
    task->slots = visit->slots;
    task->words = visit->words.words;
    task->word_count = visit->words.count;
    for (size_t i = 0; i < task->block_count; i++) {
        task->blocks[i].slots = next;
        if (next)
            next += task->blocks[i].slot_count;
    }
}

static bool visit_is_painted(const struct tr_replay *replay, const struct tr_replay_visit *visit)
{
    bool painted = tr_chunk_is_painted(&plan_of(replay, visit)->chunk);
    for (size_t i = 0; i < visit->count && !painted; i++)
        painted = tr_edit_is_paint(tr_replay_edit(replay, entry_of(replay, visit, i)));
    return painted;
}

/* Blocks in the chunk for the rows of the task, and arrays of paint where there may be some. */
static enum tr_status add_blocks(struct tr_chunk *chunk, struct tr_edit_task *task, const int32_t *rows,
                                 size_t row_count, bool painted, struct tr_error *error)
{
    enum tr_status status = painted ? tr_chunk_add_paint(chunk, error) : TR_OK;
    if (status == TR_OK && !(task->blocks = tr_alloc(row_count, sizeof *task->blocks, error)))
        status = TR_IO;
    for (; task->block_count < row_count && status == TR_OK; task->block_count++) {
        struct tr_edit_block *block = &task->blocks[task->block_count];
        block->cy = rows[task->block_count];
        block->stored = tr_chunk_block(chunk, block->cy) != NULL;
        status = tr_chunk_add_block(chunk, block->cy, &block->samples, error);
        if (status == TR_OK && painted)
            status = tr_chunk_add_block_paint(chunk, block->cy, &block->paint, error);
    }
    task->heights = chunk->heights;
    task->paint = painted ? chunk->paint : NULL;
    return status;
}

/* What a reshape or redistance made becomes the chunk's. */
static enum tr_status put_blocks_after(struct tr_replay_visit *visit, struct tr_chunk *chunk,
                                       struct tr_error *error)
{
    for (size_t i = 0; i < visit->block_after_count; i++) {
        struct tr_replay_after *after = &visit->blocks_after[i];
        int16_t *samples;
        uint8_t *paint = NULL;
        enum tr_status status = tr_chunk_add_block(chunk, after->cy, &samples, error);
        if (status == TR_OK && tr_chunk_is_painted(chunk))
            status = tr_chunk_add_block_paint(chunk, after->cy, &paint, error);
        if (status != TR_OK)
            return status;
        memcpy(samples, after->samples, TR_BLOCK_SAMPLES * sizeof *samples);
        if (paint)
            tr_apply_settle_paint(chunk->heights, chunk->size_x, chunk->size_z, after->cy, samples, paint);
    }
    return TR_OK;
}

enum tr_status tr_replay_make_task(const struct tr_replay *replay, struct tr_replay_visit *visit,
                                   struct tr_error *error)
{
    struct tr_chunk *chunk = &replay->plans[visit->plan].chunk;
    int32_t *rows = NULL;
    size_t row_count = 0;
    enum tr_status status;
    if (visit->reads && !tr_edit_is_height(visit->reads))
        return put_blocks_after(visit, chunk, error);
    visit->task =
        (struct tr_edit_task){.size_x = chunk->size_x, .size_z = chunk->size_z, .after = visit->after};
    status = collect_rows(replay, visit, &rows, &row_count, error);
    if (status == TR_OK)
        status = add_blocks(chunk, &visit->task, rows, row_count, visit_is_painted(replay, visit), error);
    if (status == TR_OK)
        status =
            visit->reads ? make_follow_slots(replay, visit, error) : make_run_slots(replay, visit, error);
    if (status == TR_OK)
        point_slots(visit);
    free(rows);
    return status;
}

void tr_replay_release_task(struct tr_replay_visit *visit)
{
    free(visit->task.blocks);
    free(visit->slots);
    free(visit->after);
    for (size_t i = 0; i < visit->block_after_count; i++)
        free(visit->blocks_after[i].samples);
    free(visit->blocks_after);
    tr_words_release(&visit->words);
    visit->task = (struct tr_edit_task){0};
    visit->slots = NULL;
    visit->slot_count = visit->slot_capacity = 0;
    visit->after = NULL;
    visit->blocks_after = NULL;
    visit->block_after_count = visit->block_after_capacity = 0;
}

/* Rows from the lowest to the highest that volume edits reach. Deep shapes span all 2048 rows, a gigabyte a chunk. */
size_t tr_replay_visit_bytes(const struct tr_replay *replay, const struct tr_replay_visit *visit)
{
    int32_t first = INT32_MAX, last = INT32_MIN;
    for (size_t i = 0; i < visit->count; i++) {
        const struct tr_replay_entry *entry = entry_of(replay, visit, i);
        const struct tr_edit *edit = tr_replay_edit(replay, entry);
        int32_t lowest, highest;
        if (tr_edit_is_height(edit) || tr_edit_is_paint(edit))
            continue;
        struct tr_box writes = tr_replay_writes(replay, edit, entry->stamp);
        tr_replay_rows(&writes, &lowest, &highest);
        first = lowest < first ? lowest : first;
        last = highest > last ? highest : last;
    }
    return last < first ? 0 : (size_t)(last - first + 1) * TR_BLOCK_SAMPLES * sizeof(int16_t);
}
