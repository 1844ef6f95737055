/* An edit log: edits in order, read from JSON or JSON Lines (told apart by content), written in normal form.
 *
 * Every refusal is one line `file:line: edit 'id': "field" what, found, expected`. Unknown fields, operations and versions are errors by
 * name; fields that begin with x- are ignored. The document's form is in EDITS.md. */
#ifndef TR_EDIT_LOG_H
#define TR_EDIT_LOG_H

#include "lib/base/bytes.h"
#include "lib/edit/edit.h"

#define TR_LOG_BYTES_MAX (1u << 30)

struct tr_log {
    struct tr_edit *edits;
    size_t count, capacity;
};
void tr_log_release(struct tr_log *log);

/* Parses a log and appends its edits, which must have ids that are new to `log`. Edits without an id get one from their content and
 * occurrence. Fields in metres only: resolve them with tr_log_resolve. */
enum tr_status tr_log_parse(struct tr_log *log, const char *text, size_t size_bytes, const char *name,
                            struct tr_error *error);
/* Appends the edits of the log that a world was baked with; none when it has no log. */
enum tr_status tr_log_read_stored(struct tr_log *log, const struct tr_world *world, struct tr_error *error);
/* tr_edit_resolve for each edit from `first`; then refuses edits wholly outside the world (or, with skip_outside, removes them and counts
 * them in *skipped). */
enum tr_status tr_log_resolve(struct tr_log *log, size_t first, const struct tr_world_info *info,
                              const char *name, bool skip_outside, size_t *skipped, struct tr_error *error);
/* The normal form: a header line, then one edit a line with sorted keys, defaults left out, shortest numbers. */
enum tr_status tr_log_write(const struct tr_log *log, struct tr_writer *out, struct tr_error *error);

#endif
