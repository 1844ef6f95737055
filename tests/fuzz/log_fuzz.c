/* Any bytes as an edit log, of any encoding or of messages: refused with one line, or read; and what was read, written in each encoding, reads
 * back to the same normal form. Then it meets worlds of several voxel sizes, unless it carries a mesh, whose field can take seconds; what
 * lies within the limits has boxes and slots, and the slots stay inside both. A torn last line that is left out leaves what a text without
 * it gives. */
#include "lib/edit/log.h"
#include "lib/edit/slot.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define STAMPS_PER_EDIT 3 /* that are looked at: the first, the middle, the last */

static void require(bool holds, const char *claim, const struct tr_error *error)
{
    if (holds)
        return;
    fprintf(stderr, "log_fuzz: %s: %s\n", claim, error->text);
    abort();
}

static void require_refusal(enum tr_status status, const struct tr_error *error)
{
    require(status == TR_BAD_INPUT && error->status == TR_BAD_INPUT, "refused as anything but bad input",
            error);
    require(error->text[0] != '\0' && !strchr(error->text, '\n'), "refused without one line", error);
}

static struct tr_writer write_log(const struct tr_log *log, enum tr_log_encoding encoding)
{
    struct tr_writer out = {0};
    struct tr_error error = {0};

    require(tr_log_write(log, encoding, &out, &error) == TR_OK, "not written", &error);
    return out;
}

static struct tr_log read_back(const struct tr_writer *text)
{
    struct tr_log log = {0};
    struct tr_error error = {0};

    require(tr_log_parse(&log, (const char *)text->bytes, text->size_bytes, "written", NULL, NULL, &error) ==
                TR_OK,
            "what was written is refused", &error);
    return log;
}

static void require_normal_form(const struct tr_log *log, const struct tr_writer *normal)
{
    struct tr_writer text = write_log(log, TR_LOG_LINES);
    struct tr_error error = {0};

    require(text.size_bytes == normal->size_bytes && memcmp(text.bytes, normal->bytes, text.size_bytes) == 0,
            "another normal form", &error);
    tr_writer_release(&text);
}

static void check_encodings(const struct tr_log *log, const struct tr_writer *normal)
{
    static const enum tr_log_encoding encodings[] = {TR_LOG_LINES, TR_LOG_JSON, TR_LOG_MESSAGE_PACK};

    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        struct tr_writer text = write_log(log, encodings[i]);
        struct tr_log again = read_back(&text);

        require_normal_form(&again, normal);
        tr_writer_release(&text);
        tr_log_release(&again);
    }
}

/* The slot in the frame of one sample of a stamp's box. */
static void check_slot(const struct tr_edit *edit, const struct tr_stamp *stamp, const struct tr_box *world,
                       const int64_t corner[3])
{
    struct tr_error error = {0};
    struct tr_words words = {0};
    int64_t origin[3];
    tr_edit_slot slot;
    bool reaches = false;

    for (int i = 0; i < 3; i++)
        origin[i] = TR_CHUNK * tr_floor_div(corner[i], TR_CHUNK);
    require(tr_edit_slot_make(edit, stamp, 0, world, origin, &words, &slot, &reaches, &error) == TR_OK,
            "no slot", &error);
    if (reaches) {
        require(slot.lo_x >= 0 && slot.lo_x <= slot.hi_x && slot.hi_x < TR_CHUNK,
                "slot leaves its frame in x", &error);
        require(slot.lo_z >= 0 && slot.lo_z <= slot.hi_z && slot.hi_z < TR_CHUNK,
                "slot leaves its frame in z", &error);
        require(slot.lo_y <= slot.hi_y, "slot is empty in y", &error);
        require(slot.radius >= 0 && slot.reach >= 0 && slot.blend_k >= 0, "slot has a NaN", &error);
    }
    tr_words_release(&words);
}

static void check_stamp(const struct tr_edit *edit, uint32_t index, const struct tr_box *world)
{
    const struct tr_stamp stamp = tr_edit_stamp(edit, index);
    struct tr_error error = {0};
    struct tr_box reads, writes;

    tr_edit_boxes(edit, &stamp, &reads, &writes);
    for (int i = 0; i < 3; i++)
        require(tr_box_is_empty(&writes) || (reads.lo[i] <= writes.lo[i] && reads.hi[i] >= writes.hi[i]),
                "writes what it does not read", &error);
    check_slot(edit, &stamp, world, writes.lo);
    check_slot(edit, &stamp, world, writes.hi);
    check_slot(edit, &stamp, world, world->lo);
}

static void check_world(const struct tr_writer *normal, size_t count, double voxel_size)
{
    const struct tr_world_info info = {.size_x = 3, .size_z = 2, .voxel_size = voxel_size};
    const struct tr_box world = tr_world_box(&info);
    struct tr_error error = {0};
    struct tr_log log = read_back(normal);
    size_t skipped = 0;
    enum tr_status status = tr_log_resolve(&log, 0, &info, "log", true, &skipped, &error);

    if (status != TR_OK)
        require_refusal(status, &error);
    else
        require(log.count + skipped == count, "edits were lost", &error);
    for (size_t i = 0; status == TR_OK && i < log.count; i++)
        for (uint32_t k = 0; k < STAMPS_PER_EDIT; k++)
            check_stamp(&log.edits[i], (tr_edit_stamp_count(&log.edits[i]) - 1) / (STAMPS_PER_EDIT - 1) * k,
                        &world);
    tr_log_release(&log);
}

static bool has_mesh(const struct tr_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        for (uint32_t k = 0; k < log->edits[i].shape.count; k++)
            if (log->edits[i].shape.nodes[k].kind == TR_SHAPE_MESH)
                return true;
    return false;
}

static void check_worlds(const struct tr_log *log, const struct tr_writer *normal)
{
    if (has_mesh(log))
        return;
    check_world(normal, log->count, 1.0);
    check_world(normal, log->count, 0x1p-20);
    check_world(normal, log->count, 1e12);
}

/* With a torn last line left out: a text that is whole without that line, or refused as before. */
static void check_recovery(const uint8_t *bytes, size_t size_bytes, enum tr_status status)
{
    struct tr_error error = {0};
    struct tr_log log = {0}, whole = {0};
    struct tr_log_torn torn;
    enum tr_status recovered =
        tr_log_parse(&log, (const char *)bytes, size_bytes, "fuzz", NULL, &torn, &error);

    require((recovered == TR_OK) == (status == TR_OK || torn.is_torn), "recovered what is not torn", &error);
    if (recovered == TR_OK && torn.is_torn) {
        struct tr_writer normal = write_log(&log, TR_LOG_LINES);

        require(torn.offset < size_bytes, "torn behind the end", &error);
        require(tr_log_parse(&whole, (const char *)bytes, torn.offset, "fuzz", NULL, NULL, &error) == TR_OK,
                "what is before the torn line is refused", &error);
        require_normal_form(&whole, &normal);
        tr_writer_release(&normal);
    }
    tr_log_release(&log);
    tr_log_release(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_error error = {0};
    struct tr_log log = {0};
    enum tr_status status = tr_log_parse(&log, (const char *)bytes, size_bytes, "fuzz", NULL, NULL, &error);

    if (status == TR_OK) {
        struct tr_writer normal = write_log(&log, TR_LOG_LINES);

        check_encodings(&log, &normal);
        check_worlds(&log, &normal);
        tr_writer_release(&normal);
    } else {
        require_refusal(status, &error);
        require(log.count == 0, "refused, but edits stay", &error);
    }
    check_recovery(bytes, size_bytes, status);
    tr_log_release(&log);
    return 0;
}
