/* An edit log as text: JSON and JSON Lines to edits and back to the normal form, and a log's meeting with its
 * world. EDITS.md beside this file is the specification. A log that is refused leaves the edits that were
 * there before it untouched.
 *
 * Ids are given when all edits of a text are known: first the written ones are entered in a hash table, then
 * edits without one get "e-" and 12 hex digits of the hash of their normal form, and "-2", "-3" ... behind it
 * while that is taken. */
#include "lib/edit/log.h"

#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "lib/edit/edit_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "terrain-edits"
#define FORMAT_VERSION 1
#define COUNT(array) (sizeof(array) / sizeof *(array))

void tr_log_release(struct tr_log *log)
{
    free(log->edits);
    *log = (struct tr_log){0};
}

enum tr_status tr_log_write(const struct tr_log *log, struct tr_writer *out, struct tr_error *error)
{
    tr_write_text(out, "{\"format\":\"%s\",\"version\":%d}\n", FORMAT_NAME, FORMAT_VERSION);
    for (size_t i = 0; i < log->count; i++) {
        tr_edit_write_json(&log->edits[i], out);
        tr_write_u8(out, '\n');
    }
    if (out->failed)
        return tr_fail(error, TR_IO, "out of memory: edit log of %zu edits", log->count);
    return TR_OK;
}

/* ---- ids ---- */

struct id_entry {
    size_t taken_by; /* index of the edit + 1; 0: free */
    size_t next;     /* occurrence to try next behind this id, 0: 2 */
};

struct id_table {
    struct id_entry *entries;
    size_t mask;
};

/* The entry of an id, or the free one where it belongs. At most half of the entries are ever taken. */
static struct id_entry *id_find(const struct id_table *table, const struct tr_log *log, const char *id)
{
    size_t at = (size_t)tr_hash_bytes(id, strlen(id)).lo & table->mask;

    while (table->entries[at].taken_by && strcmp(log->edits[table->entries[at].taken_by - 1].id, id) != 0)
        at = (at + 1) & table->mask;
    return &table->entries[at];
}

static enum tr_status fail_duplicate(const struct tr_log *log, size_t first, size_t earlier, size_t later,
                                     const char *name, struct tr_error *error)
{
    return tr_fail(error, TR_BAD_INPUT, "%s:%d: edit '%s': \"id\" is used twice, first in line %d%s", name,
                   log->edits[later].line, log->edits[later].id, log->edits[earlier].line,
                   earlier < first ? " of the log before this one" : "");
}

/* Enters the ids that are written, refusing the first that is there already. */
static enum tr_status enter_written_ids(struct tr_log *log, size_t first, struct id_table *table,
                                        const char *name, struct tr_error *error)
{
    for (size_t i = 0; i < log->count; i++) {
        struct id_entry *entry;

        if (log->edits[i].id[0] == '\0')
            continue;
        entry = id_find(table, log, log->edits[i].id);
        if (entry->taken_by)
            return fail_duplicate(log, first, entry->taken_by - 1, i, name, error);
        entry->taken_by = i + 1;
    }
    return TR_OK;
}

/* Gives edit i the id of its content: "e-<hash>", or that with the lowest occurrence that is free. */
static enum tr_status enter_content_id(struct tr_log *log, size_t i, struct id_table *table,
                                       struct tr_writer *scratch, struct tr_error *error)
{
    char hash[33], id[64];
    struct id_entry *base, *entry;

    scratch->size_bytes = 0;
    tr_edit_write_json(&log->edits[i], scratch);
    if (scratch->failed)
        return tr_fail(error, TR_IO, "out of memory: id of an edit");
    tr_hash_text(tr_hash_bytes(scratch->bytes, scratch->size_bytes), hash);
    snprintf(id, sizeof id, "e-%.12s", hash);
    base = entry = id_find(table, log, id);
    while (entry->taken_by) {
        base->next = base->next ? base->next + 1 : 2;
        snprintf(id, sizeof id, "e-%.12s-%zu", hash, base->next);
        entry = id_find(table, log, id);
    }
    entry->taken_by = i + 1;
    memcpy(log->edits[i].id, id, strlen(id) + 1);
    log->edits[i].id_is_made = true;
    return TR_OK;
}

static enum tr_status assign_ids(struct tr_log *log, size_t first, const char *name, struct tr_error *error)
{
    struct id_table table = {0};
    struct tr_writer scratch = {0};
    size_t size = 16;
    enum tr_status status;

    while (size / 2 < log->count)
        size *= 2;
    table.mask = size - 1;
    table.entries = tr_alloc(size, sizeof *table.entries, error);
    if (!table.entries)
        return TR_IO;
    status = enter_written_ids(log, first, &table, name, error);
    for (size_t i = first; i < log->count && status == TR_OK; i++)
        if (log->edits[i].id[0] == '\0')
            status = enter_content_id(log, i, &table, &scratch, error);
    tr_writer_release(&scratch);
    free(table.entries);
    return status;
}

/* ---- the two forms of text ---- */

static enum tr_status read_format(const struct tr_place *place, const cJSON *value)
{
    if (!cJSON_IsString(value) || strcmp(value->valuestring, FORMAT_NAME) != 0)
        return tr_place_fail_found(place, "format", value, "\"" FORMAT_NAME "\"");
    return TR_OK;
}

static enum tr_status read_version(const struct tr_place *place, const cJSON *value)
{
    char found[TR_FOUND_TEXT_BYTES];

    if (!cJSON_IsNumber(value))
        return tr_place_fail_found(place, "version", value, "a number");
    if (value->valuedouble != FORMAT_VERSION)
        return tr_place_fail(place, value, "version %s of the format is not supported, expected %d",
                             tr_found_text(value, found), FORMAT_VERSION);
    return TR_OK;
}

static enum tr_status read_edits(const struct tr_place *place, const cJSON *value)
{
    return cJSON_IsArray(value) ? TR_OK : tr_place_fail_found(place, "edits", value, "an array");
}

static const struct tr_field header_fields[] = {{"format", true, read_format},
                                                {"version", true, read_version}};
static const struct tr_form header_form = {" in the header line", header_fields, COUNT(header_fields)};
static const struct tr_field document_fields[] = {
    {"edits", true, read_edits}, {"format", true, read_format}, {"version", true, read_version}};
static const struct tr_form document_form = {"", document_fields, COUNT(document_fields)};

/* The object that heads a log: of a document with its edits, of JSON Lines without. */
static enum tr_status read_head(const cJSON *head, const struct tr_form *form, const char *name,
                                struct tr_error *error)
{
    const struct tr_place place = {.name = name, .error = error};
    char found[TR_FOUND_TEXT_BYTES];

    if (!cJSON_IsObject(head))
        return tr_place_fail(&place, head, "an edit log must be an object, found %s",
                             tr_found_text(head, found));
    if (tr_form_find(head, "brush") && !tr_form_find(head, "format"))
        return tr_place_fail(&place, head,
                             "found a message of the web client, which is not supported by this version");
    return tr_form_read(&place, head, form);
}

/* Reads one edit and appends it. `first` is the index of the text's first edit. */
static enum tr_status append_edit(struct tr_log *log, size_t first, const cJSON *item, const char *name,
                                  struct tr_error *error)
{
    struct tr_place place = {.name = name, .number = log->count - first + 1, .error = error};
    enum tr_status status = tr_grow(&log->edits, &log->capacity, log->count + 1, sizeof *log->edits, error);

    if (status != TR_OK)
        return status;
    place.edit = &log->edits[log->count];
    status = tr_edit_read_json(&place, item);
    if (status == TR_OK)
        log->count++;
    return status;
}

static enum tr_status read_document(struct tr_log *log, const cJSON *root, const char *name,
                                    struct tr_error *error)
{
    size_t first = log->count;
    enum tr_status status = read_head(root, &document_form, name, error);

    if (status != TR_OK)
        return status;
    for (const cJSON *item = tr_form_find(root, "edits")->child; item && status == TR_OK; item = item->next)
        status = append_edit(log, first, item, name, error);
    return status;
}

/* A line of JSON Lines, or of anything. */
struct line {
    const char *text;
    size_t size_bytes; /* without its end */
    size_t offset;     /* in the whole text */
    int number;
};

/* The first line from *at on that is not blank, and *at behind it; false when there is none. */
static bool next_line(const char *text, size_t size_bytes, size_t *at, int *number, struct line *line)
{
    while (*at < size_bytes) {
        const char *start = text + *at, *end = memchr(start, '\n', size_bytes - *at);
        size_t length = end ? (size_t)(end - start) : size_bytes - *at, blanks = 0;

        *line = (struct line){.text = start, .size_bytes = length, .offset = *at, .number = ++*number};
        *at += length + (end != NULL);
        while (blanks < length && (start[blanks] == ' ' || start[blanks] == '\t' || start[blanks] == '\r'))
            blanks++;
        if (blanks < length)
            return true;
    }
    return false;
}

/* The last line is not JSON: most likely its writer was interrupted. Says where it begins and what is whole
 * before it. */
static enum tr_status fail_torn(struct tr_log *log, size_t first, const struct line *line, const char *reason,
                                const char *name, struct tr_error *error)
{
    char prefix[TR_ERROR_TEXT_BYTES];
    size_t prefix_bytes;
    enum tr_status status = assign_ids(log, first, name, error);

    if (status != TR_OK)
        return status;
    prefix_bytes = (size_t)snprintf(prefix, sizeof prefix, "%s:%d: ", name, line->number);
    if (prefix_bytes < sizeof prefix && strncmp(reason, prefix, prefix_bytes) == 0)
        reason += prefix_bytes;
    if (log->count == first)
        return tr_fail(error, TR_BAD_INPUT,
                       "%s:%d: last line, at byte offset %zu, is torn, with no edit before it: %s", name,
                       line->number, line->offset, reason);
    return tr_fail(error, TR_BAD_INPUT,
                   "%s:%d: last line, at byte offset %zu, is torn, last good edit is '%s': %s", name,
                   line->number, line->offset, log->edits[log->count - 1].id, reason);
}

/* The edits of JSON Lines from byte `at` on, behind the header, whose line is `number`. */
static enum tr_status read_lines(struct tr_log *log, const char *text, size_t size_bytes, size_t at,
                                 int number, const char *name, struct tr_error *error)
{
    size_t first = log->count;
    struct line line, after = {0};
    bool has_line = next_line(text, size_bytes, &at, &number, &line);
    enum tr_status status = TR_OK;

    while (has_line && status == TR_OK) {
        struct tr_error reason = {0};
        cJSON *item;
        bool has_after = next_line(text, size_bytes, &at, &number, &after);

        status = tr_json_parse(line.text, line.size_bytes, name, line.number, &item, &reason);
        if (status == TR_OK)
            status = append_edit(log, first, item, name, error);
        else if (status == TR_BAD_INPUT && !has_after && text[size_bytes - 1] != '\n')
            status = fail_torn(log, first, &line, reason.text, name, error);
        else
            tr_fail(error, status, "%s", reason.text);
        cJSON_Delete(item);
        line = after;
        has_line = has_after;
    }
    return status;
}

/* JSON Lines begin with a line that is an object without "edits"; everything else is one JSON value. */
static enum tr_status read_text(struct tr_log *log, const char *text, size_t size_bytes, const char *name,
                                struct tr_error *error)
{
    struct line line, after;
    size_t at = 0, behind_first, at_after;
    int number = 0, number_after;
    cJSON *root = NULL;
    bool has_more, is_lines;
    enum tr_status status;

    if (!next_line(text, size_bytes, &at, &number, &line))
        return tr_fail(error, TR_BAD_INPUT, "%s:1: file is empty, expected an edit log", name);
    behind_first = at_after = at;
    number_after = number;
    has_more = next_line(text, size_bytes, &at_after, &number_after, &after);
    status = tr_json_parse(line.text, line.size_bytes, name, number, &root, has_more ? NULL : error);
    is_lines = status == TR_OK && cJSON_IsObject(root) && !tr_form_find(root, "edits");
    if (is_lines) {
        status = read_head(root, &header_form, name, error);
        if (status == TR_OK)
            status = read_lines(log, text, size_bytes, behind_first, number, name, error);
    } else {
        if (has_more) { /* that was only the beginning, or there is something behind a document */
            cJSON_Delete(root);
            status = tr_json_parse(text, size_bytes, name, 1, &root, error);
        }
        if (status == TR_OK)
            status = read_document(log, root, name, error);
    }
    cJSON_Delete(root);
    return status;
}

/* MessagePack is told apart by its first byte, that of a map or an array, with which no JSON begins. */
static bool is_message_pack(const char *text, size_t size_bytes)
{
    unsigned char byte = size_bytes > 0 ? (unsigned char)text[0] : '\0';

    return (byte >= 0x80 && byte <= 0x9f) || (byte >= 0xdc && byte <= 0xdf);
}

enum tr_status tr_log_parse(struct tr_log *log, const char *text, size_t size_bytes, const char *name,
                            struct tr_error *error)
{
    size_t first = log->count;
    enum tr_status status;

    if (size_bytes > TR_LOG_BYTES_MAX)
        return tr_fail(error, TR_BAD_INPUT, "%s: edit log of %zu bytes, expected at most %u", name,
                       size_bytes, TR_LOG_BYTES_MAX);
    if (is_message_pack(text, size_bytes))
        return tr_fail(
            error, TR_BAD_INPUT,
            "%s: byte offset 0: MessagePack is not supported by this version, expected JSON or JSON Lines",
            name);
    status = read_text(log, text, size_bytes, name, error);
    if (status == TR_OK)
        status = assign_ids(log, first, name, error);
    if (status != TR_OK)
        log->count = first;
    return status;
}

/* ---- meeting a world ---- */

/* Whether an edit reaches nothing of the world. A reach that falls between two samples, lo = hi + 1, is not
 * outside where both belong to the world: it changes nothing, but it is in there. */
static bool lies_outside(const struct tr_edit *edit, const struct tr_box *world)
{
    struct tr_box reads, writes;

    tr_edit_boxes(edit, &reads, &writes);
    for (int i = 0; i < 3; i++)
        if (writes.hi[i] < world->lo[i] || writes.lo[i] > world->hi[i])
            return true;
    return false;
}

static enum tr_status fail_outside(const struct tr_box *world, double voxel_size, const char *where,
                                   struct tr_error *error)
{
    char lo[3][32], hi[3][32];

    for (int i = 0; i < 3; i++) {
        tr_number_text((double)world->lo[i] * voxel_size, lo[i]);
        tr_number_text((double)world->hi[i] * voxel_size, hi[i]);
    }
    return tr_fail(error, TR_BAD_INPUT,
                   "%s lies outside the world, which spans x %s to %s, y %s to %s and z %s to %s m", where,
                   lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
}

enum tr_status tr_log_resolve(struct tr_log *log, size_t first, const struct tr_world_info *info,
                              const char *name, bool skip_outside, size_t *skipped, struct tr_error *error)
{
    const struct tr_box world = tr_world_box(info);
    size_t kept = first;
    enum tr_status status;

    for (size_t i = first; i < log->count; i++) {
        struct tr_edit *edit = &log->edits[i];
        char where[TR_ERROR_TEXT_BYTES];

        if (edit->id_is_made)
            snprintf(where, sizeof where, "%s:%d: edit #%zu", name, edit->line, i - first + 1);
        else
            snprintf(where, sizeof where, "%s:%d: edit '%s'", name, edit->line, edit->id);
        status = tr_edit_resolve(edit, info->voxel_size, where, error);
        if (status != TR_OK)
            return status;
        if (!skip_outside && lies_outside(edit, &world))
            return fail_outside(&world, info->voxel_size, where, error);
    }
    for (size_t i = first; i < log->count; i++)
        if (!lies_outside(&log->edits[i], &world))
            log->edits[kept++] = log->edits[i];
    if (skipped)
        *skipped = log->count - kept;
    log->count = kept;
    return TR_OK;
}

enum tr_status tr_log_read_stored(struct tr_log *log, const struct tr_world *world, struct tr_error *error)
{
    char *text = NULL, name[TR_PATH_BYTES];
    size_t size_bytes = 0;
    enum tr_status status = tr_world_read_log(world, &text, &size_bytes, error);

    if (status == TR_OK && text)
        status = tr_path_join(name, world->path, "edits.jsonl", error);
    if (status == TR_OK && text)
        status = tr_log_parse(log, text, size_bytes, name, error);
    free(text);
    return status;
}
