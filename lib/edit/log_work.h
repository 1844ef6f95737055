/* What `terrain log` does to whole logs: filter, merge, optimize. Logs are as parsed, in metres; what meets a world is said. */
#ifndef TR_EDIT_LOG_WORK_H
#define TR_EDIT_LOG_WORK_H

#include "lib/edit/log.h"

/* Which edits to keep: those for which all that is set holds. */
struct tr_log_filter {
    bool has_bounds; /* reach: a stamp writes samples of the box, voxels; edits must be resolved */
    struct tr_box bounds;
    const char *author; /* NULL: any; "" those without one */
    bool has_since;     /* time >= since_ms; edits without a time are dropped */
    int64_t since_ms;
};
/* Removes the other edits, in place; *dropped counts them. */
void tr_log_filter(struct tr_log *log, const struct tr_log_filter *filter, size_t *dropped);

/* Appends to `log` (empty) the edits of several logs: their concatenation, sorted by time, then author (bytewise, none first), otherwise
 * in the order in which they stand. Refused: an edit without a time, a log whose times go backwards, and two edits of one id
 * unless they are equal, which are one, at the place of the first. The logs are emptied. `names` are for messages. */
enum tr_status tr_log_merge(struct tr_log *log, struct tr_log *parts, const char *const *names, size_t count,
                            struct tr_error *error);

/* Rewrites a log so that its replay gives the same bytes on every world that takes it: drops transforms that do nothing, folds nested ones where that
 * leaves every resolved number the same bits, makes blends hard whose effect is nil, drops edits that provably change nothing. Shapes with
 * modifiers, images, meshes and the like stay as they are. Ids stay; an id that was made from the content is kept as if it had been written. */
struct tr_log_optimized {
    size_t edits_dropped, nodes_dropped, blends_hardened;
};
enum tr_status tr_log_optimize(struct tr_log *log, struct tr_log_optimized *result, struct tr_error *error);

/* Whether two edits are the same but for where they stand: equal normal forms. */
enum tr_status tr_edit_equal(const struct tr_edit *a, const struct tr_edit *b, bool *equal,
                             struct tr_error *error);

#endif
