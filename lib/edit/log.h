/* An edit log: edits in order, read from JSON, JSON Lines or MessagePack (told apart by content), written in normal form or as any of
 * the three.
 *
 * Every refusal is one line `file:line: edit 'id': "field" what, found, expected`; in MessagePack `file: byte offset N: edit ...`. Unknown
 * fields, operations and versions are errors by name; fields that begin with x- are ignored. The document's form is in EDITS.md. */
#ifndef TR_EDIT_LOG_H
#define TR_EDIT_LOG_H

#include "lib/base/bytes.h"
#include "lib/edit/edit.h"

#define TR_LOG_BYTES_MAX (1u << 30)

/* A text that was read into a log, for messages. */
struct tr_log_part {
    size_t first; /* index of its first edit; they go up to the next part's */
    char *name;
};

struct tr_log {
    struct tr_edit *edits;
    size_t count, capacity;
    struct tr_log_part *parts;
    size_t part_count, part_capacity;
};
void tr_log_release(struct tr_log *log);
/* Releases edits from index `count` on, and forgets texts that have none before it. */
void tr_log_cut(struct tr_log *log, size_t count);

/* Where an edit stands, for messages: `file:line: edit 'id'`, in MessagePack `file: byte offset N: edit 'id'`. An edit whose id was made
 * from its content goes by `number`, its place in the file from 1: `edit #4`. */
void tr_edit_where(const struct tr_edit *edit, const char *name, size_t number,
                   char where[TR_ERROR_TEXT_BYTES]);

/* What was left out of a text whose last line is torn. */
struct tr_log_torn {
    bool is_torn;
    int line;
    size_t offset; /* byte offset at which the line begins */
};

/* Parses a log and appends its edits, which must have ids that are new to `log`. Edits without an id get one from their content and
 * occurrence. Fields in metres only: resolve them with tr_log_resolve. Files that edits name (`file`) are read from beside the log, in
 * `folder`; with NULL they are refused. With `torn` a torn last line of JSON Lines is left out and told
 * there; with NULL it is refused. On failure the log is as it was. */
enum tr_status tr_log_parse(struct tr_log *log, const char *text, size_t size_bytes, const char *name,
                            const char *folder, struct tr_log_torn *torn, struct tr_error *error);
/* Appends the edits of the log that a world was baked with; none when it has no log. */
enum tr_status tr_log_read_stored(struct tr_log *log, const struct tr_world *world, struct tr_error *error);
/* tr_edit_resolve for each edit from `first`; then refuses edits wholly outside the world (or, with skip_outside, removes them and counts
 * them in *skipped). */
enum tr_status tr_log_resolve(struct tr_log *log, size_t first, const struct tr_world_info *info,
                              const char *name, bool skip_outside, size_t *skipped, struct tr_error *error);

enum tr_log_encoding {
    TR_LOG_LINES, /* the normal form: a header line, then one edit a line with sorted keys, defaults left out, shortest numbers */
    TR_LOG_JSON,  /* one document; each edit as in the normal form, on a line of its own */
    TR_LOG_MESSAGE_PACK, /* the document as MessagePack */
};
enum tr_status tr_log_write(const struct tr_log *log, enum tr_log_encoding encoding, struct tr_writer *out,
                            struct tr_error *error);

#endif
