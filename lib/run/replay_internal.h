/* What the parts of the replay share: plans and visits.
 *
 *   plan    (replay_plan.c) each stamp is entered with the chunks whose samples it can change, and gets a stage in each. A chunk's `open`
 *           stage is where its next stamp goes if that looks only at its own sample. A smooth goes one stage behind every chunk it reads,
 *           and opens the next one in all of them: before it they are done, after it they may go on.
 *   visit   a visit is one chunk at one stage: a run of stamps, or one smooth, or only the end of a chunk that others read until then.
 *           Visits are sorted by stage, then place.
 *   read    (replay_read.c) what the smooths of a stage, and flattens that begin in it, take from the state before it
 *   task    (replay_task.c) the slots of a visit, for the device
 *   work    (replay.c) stage by stage, in batches */
#ifndef TR_RUN_REPLAY_INTERNAL_H
#define TR_RUN_REPLAY_INTERNAL_H

#include "lib/edit/slot.h"
#include "lib/run/replay.h"
#include "lib/world/cache.h"

/* Visits edited in one call of the device. A chunk has seldom more than four blocks of 512 KiB under edit. */
#define TR_REPLAY_BATCH 32

struct tr_replay_entry {
    uint32_t edit, stamp, stage;
};

/* What the log does to one chunk. */
struct tr_replay_plan {
    int32_t cx, cz;
    struct tr_replay_entry *entries;
    size_t count, capacity;
    uint32_t open;       /* stage of the next pointwise stamp */
    uint32_t last_stage; /* of the last visit that writes or reads it */
    bool loaded;
    struct tr_chunk chunk;
};

/* The height that a flatten takes where it starts, read before the first visit of its stage or a later one. */
struct tr_replay_start {
    uint32_t edit, stage;
    int64_t x, z;
    int32_t height; /* units */
};

/* A block as a reshape or redistance leaves it. */
struct tr_replay_after {
    int32_t cy;
    int16_t *samples;
};

struct tr_replay_visit {
    uint32_t stage;
    size_t plan;
    size_t first, count;         /* entries; count 0: only the end of the chunk */
    const struct tr_edit *reads; /* the one edit of the visit, if it reads neighbours */
    bool last;
    /* while a batch is worked on */
    struct tr_edit_task task;
    tr_edit_slot *slots; /* those of the heights, then each block's */
    size_t slot_count, slot_capacity;
    struct tr_words words;
    int32_t *after;                       /* result of a smooth of heights */
    struct tr_replay_after *blocks_after; /* ... of a reshape or redistance */
    size_t block_after_count, block_after_capacity;
};

struct tr_replay {
    struct tr_bake *bake;
    const struct tr_world *world;
    const struct tr_log *log;
    struct tr_world_build *build; /* NULL: a dry run */
    const struct tr_progress *progress;
    struct tr_cache *cache;
    struct tr_box box; /* the world's samples */
    struct tr_replay_plan *plans;
    size_t plan_count, plan_capacity;
    size_t *map; /* open addressing: plan index + 1, 0 empty; map_size a power of two */
    size_t map_size;
    struct tr_replay_start *starts; /* by edit */
    size_t start_count, start_capacity;
    size_t *start_order, starts_read; /* starts by stage, and how many of those have been read */
    struct tr_replay_visit *visits;
    size_t visit_count, visit_capacity, visits_done;
    struct tr_replay_visit **batch; /* visits of the batch that jobs work on */
    uint8_t *changed;               /* by plan: written, not linked */
    struct tr_replay_result *result;
};

static inline const struct tr_edit *tr_replay_edit(const struct tr_replay *replay,
                                                   const struct tr_replay_entry *entry)
{
    return &replay->log->edits[entry->edit];
}

/* Block rows that a box spans. */
static inline void tr_replay_rows(const struct tr_box *box, int32_t *lowest, int32_t *highest)
{
    *lowest = (int32_t)tr_floor_div(box->lo[1], TR_CHUNK);
    *highest = (int32_t)tr_floor_div(box->hi[1], TR_CHUNK);
}

/* What a stamp writes of the world. */
struct tr_box tr_replay_writes(const struct tr_replay *replay, const struct tr_edit *edit, uint32_t stamp);

/* The slot of an entry in the frame of chunk (cx, cz), block row cy; words NULL asks only whether it reaches a sample. */
enum tr_status tr_replay_slot(const struct tr_replay *replay, const struct tr_replay_entry *entry, int32_t cx,
                              int32_t cy, int32_t cz, struct tr_words *words, tr_edit_slot *slot,
                              bool *reaches, struct tr_error *error);

/* Plans and visits of log->edits[first..). */
enum tr_status tr_replay_make_plans(struct tr_replay *replay, size_t first, struct tr_error *error);
enum tr_status tr_replay_make_visits(struct tr_replay *replay, struct tr_error *error);
struct tr_replay_plan *tr_replay_find_plan(const struct tr_replay *replay, int32_t cx, int32_t cz);

/* What is read before a stage's visits, which are `count` from `visits` on, write. */
enum tr_status tr_replay_read_stage(struct tr_replay *replay, struct tr_replay_visit *visits, size_t count,
                                    struct tr_error *error);

/* Readies one visit, whose chunk is loaded: its task complete. A reshape or redistance has no task: its blocks are put in the chunk. */
enum tr_status tr_replay_make_task(const struct tr_replay *replay, struct tr_replay_visit *visit,
                                   struct tr_error *error);
void tr_replay_release_task(struct tr_replay_visit *visit);
/* Bytes of blocks that a visit may have under edit, at most. */
size_t tr_replay_visit_bytes(const struct tr_replay *replay, const struct tr_replay_visit *visit);

#endif
