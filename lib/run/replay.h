/* `apply-log` as a pipeline: edits of a log on a world, into a new world.
 *
 * Each stamp of each edit works on the stored samples that the ones before it left. Work is cut by chunk: runs of stamps
 * that look only at their own sample go in one pass over the chunk; one that reads neighbours (the smooths) or a place elsewhere (flatten,
 * where it starts) waits until all chunks it reads are at its place in the log, and later edits of those chunks wait for it.
 * So each chunk goes through numbered stages, and within a stage chunks are independent. Chunks that no edit
 * touches are linked, never read. */
#ifndef TR_RUN_REPLAY_H
#define TR_RUN_REPLAY_H

#include "lib/bake/bake.h"
#include "lib/base/progress.h"
#include "lib/edit/log.h"
#include "lib/world/world.h"

struct tr_replay_chunk {
    int32_t cx, cz;
    size_t block_count; /* stored in it afterwards */
};

struct tr_replay_result {
    size_t edits;                    /* applied */
    size_t stamps;                   /* of them */
    size_t chunks_touched;           /* read and edited */
    struct tr_replay_chunk *changed; /* chunks whose samples or paint differ afterwards, by cz, then cx */
    size_t changed_count, changed_capacity;
    size_t blocks; /* stored in the changed chunks */
};
void tr_replay_result_release(struct tr_replay_result *result);

/* Applies log->edits[first..count) (resolved) to the chunks of `world`, and puts or links every chunk of it
 * in `build`; with build NULL the result is all there is (a dry run). progress may be NULL. Release the result, after a failure too. */
enum tr_status tr_replay(struct tr_bake *bake, const struct tr_world *world, const struct tr_log *log,
                         size_t first, struct tr_world_build *build, const struct tr_progress *progress,
                         struct tr_replay_result *result, struct tr_error *error);

/* Samples that the edits reach, roughly: what tr_bake_options asks for as `work`. */
uint64_t tr_edits_work(const struct tr_log *log, size_t first);

#endif
