/* Verify: whether a world's folder keeps every rule of FORMAT.md that can be checked without replaying the
 * log. All defects are found, not the first: entries that belong to no world, a log that is not the one that
 * world.json names, and of every chunk file each damaged section. */
#ifndef TR_WORLD_VERIFY_H
#define TR_WORLD_VERIFY_H

#include "lib/base/jobs.h"
#include "lib/world/world.h"

struct tr_verify_calls {
    /* Gets each defect: one line that names the file and, where there are such, section and byte offset. The
     * order is one for one folder, whatever the number of jobs. Not TR_OK: ends the verification. */
    enum tr_status (*report)(void *context, const char *line, struct tr_error *error);
    /* Judges the text of the log, which this layer cannot read. TR_BAD_INPUT is a defect, whose line is the
     * error's; anything else but TR_OK a failure. NULL: only size and hash are checked. */
    enum tr_status (*check_log)(void *context, const char *text, size_t size_bytes, const char *name,
                                struct tr_error *error);
    void *context;
};

/* An open world: world.json and chunks.idx are good and not read again; every other file is read once. A
 * missing file is a defect, one that the system does not let us read a failure (TR_IO). Base files are checked
 * for being chunks of this world that differ from what the log made of them; whether one is there for every
 * chunk that the log changed is not known here. */
enum tr_status tr_world_verify(const struct tr_world *world, struct tr_jobs *jobs,
                               const struct tr_verify_calls *calls, struct tr_error *error);

#endif
