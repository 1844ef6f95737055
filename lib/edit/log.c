/* An edit log: JSON, JSON Lines and MessagePack to edits and back, and a log's meeting with its world. EDITS.md beside this file is the
 * specification. A log that is refused leaves the edits that were there before it untouched.
 *
 * Ids are given when all edits of a text are known: first the written ones are entered in a hash table, then edits without one get "e-"
 * and 12 hex digits of the hash of their normal form, and "-2", "-3" ... behind it while that is taken. */
#include "lib/edit/log.h"

#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "lib/base/msgpack.h"
#include "lib/edit/edit_json.h"
#include "lib/edit/web_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "terrain-edits"
#define FORMAT_VERSION 1
#define COUNT(array) (sizeof(array) / sizeof *(array))

void tr_log_cut(struct tr_log *log, size_t count)
{
    while (log->count > count)
        tr_edit_release(&log->edits[--log->count]);
    while (log->part_count > 0 && log->parts[log->part_count - 1].first >= count)
        free(log->parts[--log->part_count].name);
}

void tr_log_release(struct tr_log *log)
{
    tr_log_cut(log, 0);
    free(log->edits);
    free(log->parts);
    *log = (struct tr_log){0};
}

void tr_edit_where(const struct tr_edit *edit, const char *name, size_t number,
                   char where[TR_ERROR_TEXT_BYTES])
{
    size_t length;

    tr_position_text(name, edit->has_offset, edit->line, where);
    length = strlen(where);
    if (edit->id_is_made)
        snprintf(where + length, TR_ERROR_TEXT_BYTES - length, ": edit #%zu", number);
    else
        snprintf(where + length, TR_ERROR_TEXT_BYTES - length, ": edit '%s'", edit->id);
}

/* ---- writing ---- */

static void write_lines(const struct tr_log *log, struct tr_writer *out)
{
    tr_write_text(out, "{\"format\":\"%s\",\"version\":%d}\n", FORMAT_NAME, FORMAT_VERSION);
    for (size_t i = 0; i < log->count; i++) {
        tr_edit_write_json(&log->edits[i], out);
        tr_write_u8(out, '\n');
    }
}

static void write_document(const struct tr_log *log, struct tr_writer *out)
{
    tr_write_text(out, "{\"format\":\"%s\",\"version\":%d,\"edits\":[\n", FORMAT_NAME, FORMAT_VERSION);
    for (size_t i = 0; i < log->count; i++) {
        tr_edit_write_json(&log->edits[i], out);
        tr_write_text(out, i + 1 < log->count ? ",\n" : "\n");
    }
    tr_write_text(out, "]}\n");
}

/* The shortest header of an array. */
static void write_array_head(struct tr_writer *out, uint32_t count)
{
    if (count < 16) {
        tr_write_u8(out, (uint8_t)(0x90 | count));
    } else if (count <= UINT16_MAX) {
        const uint8_t head[] = {0xdc, (uint8_t)(count >> 8), (uint8_t)count};

        tr_write_bytes(out, head, sizeof head);
    } else {
        const uint8_t head[] = {0xdd, (uint8_t)(count >> 24), (uint8_t)(count >> 16), (uint8_t)(count >> 8),
                                (uint8_t)count};

        tr_write_bytes(out, head, sizeof head);
    }
}

/* Edit by edit, so that there is never more than one edit's tree in memory. */
static enum tr_status write_message_pack(const struct tr_log *log, struct tr_writer *out,
                                         struct tr_error *error)
{
    static const char head[] = "\x83\xa6"
                               "format"
                               "\xad" FORMAT_NAME "\xa7"
                               "version"
                               "\x01\xa5"
                               "edits";
    struct tr_writer text = {0};
    enum tr_status status = TR_OK;

    _Static_assert(sizeof FORMAT_NAME - 1 == 13 && FORMAT_VERSION == 1, "as the head says");
    if (log->count > UINT32_MAX)
        return tr_fail(error, TR_BAD_INPUT, "edit log of %zu edits, expected less than 2^32 for MessagePack",
                       log->count);
    tr_write_bytes(out, head, sizeof head - 1);
    write_array_head(out, (uint32_t)log->count);
    for (size_t i = 0; i < log->count && status == TR_OK; i++) {
        cJSON *tree = NULL;

        text.size_bytes = 0;
        tr_edit_write_json(&log->edits[i], &text);
        if (text.failed)
            status = tr_fail(error, TR_IO, "out of memory: edit '%s'", log->edits[i].id);
        if (status == TR_OK)
            status = tr_json_parse((const char *)text.bytes, text.size_bytes, "edit", 1, &tree, error);
        if (status == TR_OK)
            status = tr_msgpack_write(tree, out, error);
        cJSON_Delete(tree);
    }
    tr_writer_release(&text);
    return status;
}

enum tr_status tr_log_write(const struct tr_log *log, enum tr_log_encoding encoding, struct tr_writer *out,
                            struct tr_error *error)
{
    enum tr_status status = TR_OK;

    if (encoding == TR_LOG_MESSAGE_PACK)
        status = write_message_pack(log, out, error);
    else if (encoding == TR_LOG_JSON)
        write_document(log, out);
    else
        write_lines(log, out);
    if (status == TR_OK && out->failed)
        return tr_fail(error, TR_IO, "out of memory: edit log of %zu edits", log->count);
    return status;
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

/* The text from which an edit was read. */
static const char *part_name(const struct tr_log *log, size_t edit)
{
    size_t part = log->part_count - 1;

    while (part > 0 && log->parts[part].first > edit)
        part--;
    return log->parts[part].name;
}

static enum tr_status fail_duplicate(const struct tr_log *log, size_t first, size_t earlier, size_t later,
                                     const char *name, struct tr_error *error)
{
    const struct tr_edit *edit = &log->edits[earlier];
    char where[TR_ERROR_TEXT_BYTES], other[TR_ERROR_TEXT_BYTES];

    tr_edit_where(&log->edits[later], name, 0, where);
    if (earlier >= first)
        return tr_fail(error, TR_BAD_INPUT, "%s: \"id\" is used twice, first %s %d", where,
                       edit->has_offset ? "at byte offset" : "in line", edit->line);
    tr_position_text(part_name(log, earlier), edit->has_offset, edit->line, other);
    return tr_fail(error, TR_BAD_INPUT, "%s: \"id\" is used twice, first at %s", where, other);
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

/* ---- reading ---- */

/* A text that is being read into a log. */
struct source {
    struct tr_log *log;
    size_t first; /* index of the text's first edit */
    const char *name;
    const char *folder; /* that files are named from, or NULL */
    bool has_offsets;   /* MessagePack */
    bool is_messages;   /* of the web client */
    struct tr_carried *carried;
    struct tr_log_torn *torn;
    struct tr_error *error;
};

static struct tr_place source_place(const struct source *source)
{
    return (struct tr_place){.name = source->name,
                             .has_offsets = source->has_offsets,
                             .folder = source->folder,
                             .carried = source->carried,
                             .error = source->error};
}

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

/* The object that heads a log: of a document with its edits, the header line of JSON Lines without. */
static enum tr_status read_head(const struct source *source, const cJSON *head, bool is_document)
{
    static const struct tr_field fields[] = {{"edits", true}, {"format", true}, {"version", true}};
    struct tr_place place = source_place(source);
    char found[TR_FOUND_TEXT_BYTES];
    enum tr_status status;

    if (!cJSON_IsObject(head))
        return tr_place_fail(&place, head, "an edit log must be an object, found %s",
                             tr_found_text(head, found));
    place.inside = is_document ? NULL : " in the header line";
    status = tr_form_check(&place, head, fields + !is_document, COUNT(fields) - !is_document);
    place.inside = NULL;
    if (status == TR_OK)
        status = read_format(&place, tr_form_find(head, "format"));
    if (status == TR_OK)
        status = read_version(&place, tr_form_find(head, "version"));
    if (status == TR_OK && is_document && !cJSON_IsArray(tr_form_find(head, "edits")))
        status = tr_place_fail_found(&place, "edits", tr_form_find(head, "edits"), "an array");
    return status;
}

/* Reads one edit or message and appends it. */
static enum tr_status append_edit(const struct source *source, const cJSON *item)
{
    struct tr_log *log = source->log;
    struct tr_place place = source_place(source);
    struct tr_edit edit = {0};
    enum tr_status status =
        tr_grow(&log->edits, &log->capacity, log->count + 1, sizeof *log->edits, source->error);

    if (status != TR_OK)
        return status;
    place.edit = &edit;
    place.number = log->count - source->first + 1;
    if (source->is_messages)
        status = tr_web_read_json(&place, item);
    else if (tr_web_is_message(item))
        status = tr_place_fail(&place, item, "found a message of the web client among edits");
    else
        status = tr_edit_read_json(&place, item);
    if (status == TR_OK)
        log->edits[log->count++] = edit;
    else
        tr_edit_release(&edit);
    return status;
}

static enum tr_status append_edits(const struct source *source, const cJSON *array)
{
    enum tr_status status = TR_OK;

    for (const cJSON *item = array->child; item && status == TR_OK; item = item->next)
        status = append_edit(source, item);
    return status;
}

/* One value that is all there is: a document, or an array of messages. */
static enum tr_status read_whole(struct source *source, const cJSON *root)
{
    struct tr_place place = source_place(source);
    enum tr_status status;

    source->is_messages = cJSON_IsArray(root) && root->child && tr_web_is_message(root->child);
    if (source->is_messages)
        return append_edits(source, root);
    if (tr_web_is_message(root))
        return tr_place_fail(&place, root,
                             "a message of the web client must be alone on its line or in an array");
    status = read_head(source, root, true);
    return status == TR_OK ? append_edits(source, tr_form_find(root, "edits")) : status;
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

/* The last line is not JSON: most likely its writer was interrupted. Says where it begins and what is whole before it. */
static enum tr_status fail_torn(const struct source *source, const struct line *line, const char *reason)
{
    const struct tr_log *log = source->log;
    char prefix[TR_ERROR_TEXT_BYTES], good[TR_ERROR_TEXT_BYTES];
    size_t prefix_bytes;
    enum tr_status status = assign_ids(source->log, source->first, source->name, source->error);

    if (status != TR_OK)
        return status;
    prefix_bytes = (size_t)snprintf(prefix, sizeof prefix, "%s:%d: ", source->name, line->number);
    if (prefix_bytes < sizeof prefix && strncmp(reason, prefix, prefix_bytes) == 0)
        reason += prefix_bytes;
    if (log->count == source->first)
        snprintf(good, sizeof good, "with no edit before it");
    else
        snprintf(good, sizeof good, "last good edit is '%s'", log->edits[log->count - 1].id);
    return tr_fail(source->error, TR_BAD_INPUT, "%s:%d: last line, at byte offset %zu, is torn, %s: %s",
                   source->name, line->number, line->offset, good, reason);
}

/* Whoever asks is told; else it is refused. */
static enum tr_status leave_torn(const struct source *source, const struct line *line, const char *reason)
{
    if (!source->torn)
        return fail_torn(source, line, reason);
    *source->torn = (struct tr_log_torn){.is_torn = true, .line = line->number, .offset = line->offset};
    return TR_OK;
}

/* The edits or messages of JSON Lines from byte `at` on, behind line `number`. */
static enum tr_status read_lines(const struct source *source, const char *text, size_t size_bytes, size_t at,
                                 int number)
{
    struct line line, after = {0};
    bool has_line = next_line(text, size_bytes, &at, &number, &line);
    enum tr_status status = TR_OK;

    while (has_line && status == TR_OK) {
        struct tr_error reason = {0};
        cJSON *item;
        bool has_after = next_line(text, size_bytes, &at, &number, &after);

        status = tr_json_parse(line.text, line.size_bytes, source->name, line.number, &item, &reason);
        if (status == TR_OK)
            status = append_edit(source, item);
        else if (status == TR_BAD_INPUT && !has_after && text[size_bytes - 1] != '\n')
            status = leave_torn(source, &line, reason.text);
        else
            tr_fail(source->error, status, "%s", reason.text);
        cJSON_Delete(item);
        line = after;
        has_line = has_after;
    }
    return status;
}

/* JSON Lines begin with a line that is an object without "edits", the header or a message; everything else is one JSON value. */
static enum tr_status read_text(struct source *source, const char *text, size_t size_bytes)
{
    struct line line, after;
    size_t at = 0, behind_first, at_after;
    int number = 0, number_after;
    cJSON *root = NULL;
    bool has_more;
    enum tr_status status;

    if (!next_line(text, size_bytes, &at, &number, &line))
        return tr_fail(source->error, TR_BAD_INPUT, "%s:1: file is empty, expected an edit log",
                       source->name);
    behind_first = at_after = at;
    number_after = number;
    has_more = next_line(text, size_bytes, &at_after, &number_after, &after);
    status = tr_json_parse(line.text, line.size_bytes, source->name, number, &root,
                           has_more ? NULL : source->error);
    if (status == TR_OK && cJSON_IsObject(root) && !tr_form_find(root, "edits")) {
        source->is_messages = tr_web_is_message(root);
        status = source->is_messages ? append_edit(source, root) : read_head(source, root, false);
        if (status == TR_OK)
            status = read_lines(source, text, size_bytes, behind_first, number);
    } else {
        if (has_more) { /* that was only the beginning, or there is something behind a document */
            cJSON_Delete(root);
            status = tr_json_parse(text, size_bytes, source->name, 1, &root, source->error);
        }
        if (status == TR_OK)
            status = read_whole(source, root);
    }
    cJSON_Delete(root);
    return status;
}

static enum tr_status read_message_pack(struct source *source, const char *bytes, size_t size_bytes)
{
    cJSON *root = NULL;
    enum tr_status status = tr_msgpack_parse(bytes, size_bytes, source->name, &root, source->error);

    source->has_offsets = true;
    if (status == TR_OK)
        status = read_whole(source, root);
    cJSON_Delete(root);
    return status;
}

static enum tr_status append_part(struct tr_log *log, const char *name, struct tr_error *error)
{
    size_t size = strlen(name) + 1;
    char *copy = tr_alloc(size, 1, error);

    if (!copy)
        return TR_IO;
    if (tr_grow(&log->parts, &log->part_capacity, log->part_count + 1, sizeof *log->parts, error) != TR_OK) {
        free(copy);
        return TR_IO;
    }
    memcpy(copy, name, size);
    log->parts[log->part_count++] = (struct tr_log_part){.first = log->count, .name = copy};
    return TR_OK;
}

enum tr_status tr_log_parse(struct tr_log *log, const char *text, size_t size_bytes, const char *name,
                            const char *folder, struct tr_log_torn *torn, struct tr_error *error)
{
    struct tr_carried carried = {0};
    struct source source = {.log = log,
                            .first = log->count,
                            .name = name,
                            .folder = folder,
                            .carried = &carried,
                            .torn = torn,
                            .error = error};
    enum tr_status status;

    if (torn)
        *torn = (struct tr_log_torn){0};
    if (size_bytes > TR_LOG_BYTES_MAX)
        return tr_fail(error, TR_BAD_INPUT, "%s: edit log of %zu bytes, expected at most %u", name,
                       size_bytes, TR_LOG_BYTES_MAX);
    status = append_part(log, name, error);
    if (status == TR_OK && tr_msgpack_is(text, size_bytes))
        status = read_message_pack(&source, text, size_bytes);
    else if (status == TR_OK)
        status = read_text(&source, text, size_bytes);
    if (status == TR_OK)
        status = assign_ids(log, source.first, name, error);
    if (status != TR_OK) {
        tr_log_cut(log, source.first);
        if (torn)
            *torn = (struct tr_log_torn){0};
    }
    return status;
}

/* ---- meeting a world ---- */

/* Whether a stamp reaches nothing of the world. A reach that falls between two samples, lo = hi + 1, is not outside where both belong to
 * the world: it changes nothing, but it is in there. */
static bool stamp_lies_outside(const struct tr_edit *edit, uint32_t index, const struct tr_box *world)
{
    const struct tr_stamp stamp = tr_edit_stamp(edit, index);
    struct tr_box reads, writes;

    tr_edit_boxes(edit, &stamp, &reads, &writes);
    for (int i = 0; i < 3; i++)
        if (writes.hi[i] < world->lo[i] || writes.lo[i] > world->hi[i])
            return true;
    return false;
}

/* All stamps. */
static bool lies_outside(const struct tr_edit *edit, const struct tr_box *world)
{
    uint32_t count = tr_edit_stamp_count(edit);

    for (uint32_t i = 0; i < count; i++)
        if (!stamp_lies_outside(edit, i, world))
            return false;
    return true;
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

/* Takes out the edits from `first` on that lie outside; returns how many. */
static size_t remove_outside(struct tr_log *log, size_t first, const struct tr_box *world)
{
    size_t kept = first, removed;

    for (size_t i = first; i < log->count; i++)
        if (lies_outside(&log->edits[i], world))
            tr_edit_release(&log->edits[i]);
        else
            log->edits[kept++] = log->edits[i];
    removed = log->count - kept;
    log->count = kept;
    return removed;
}

enum tr_status tr_log_resolve(struct tr_log *log, size_t first, const struct tr_world_info *info,
                              const char *name, bool skip_outside, size_t *skipped, struct tr_error *error)
{
    const struct tr_box world = tr_world_box(info);
    size_t removed = 0;

    for (size_t i = first; i < log->count; i++) {
        struct tr_edit *edit = &log->edits[i];
        char where[TR_ERROR_TEXT_BYTES];
        enum tr_status status;

        tr_edit_where(edit, name, i - first + 1, where);
        status = tr_edit_resolve(edit, info->voxel_size, where, error);
        if (status != TR_OK)
            return status;
        if (!skip_outside && lies_outside(edit, &world))
            return fail_outside(&world, info->voxel_size, where, error);
    }
    if (skip_outside)
        removed = remove_outside(log, first, &world);
    if (skipped)
        *skipped = removed;
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
        status = tr_log_parse(log, text, size_bytes, name, NULL, NULL, error);
    free(text);
    return status;
}
