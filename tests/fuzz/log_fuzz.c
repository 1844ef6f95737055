/* Any bytes as an edit log: read or refused in one line, and what was read is written in a normal form that
 * reads back to itself. Then it meets worlds of several voxel sizes; what lies within the limits has boxes
 * and slots, and the slots stay inside both. */
#include "lib/edit/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

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

static void write_log(const struct tr_log *log, struct tr_writer *out)
{
    struct tr_error error = {0};

    require(tr_log_write(log, out, &error) == TR_OK, "not written", &error);
}

static void check_normal_form(const struct tr_log *log)
{
    struct tr_writer first = {0}, second = {0};
    struct tr_error error = {0};
    struct tr_log again = {0};

    write_log(log, &first);
    require(tr_log_parse(&again, (const char *)first.bytes, first.size_bytes, "normal", &error) == TR_OK,
            "normal form refused", &error);
    require(again.count == log->count, "normal form has other edits", &error);
    write_log(&again, &second);
    require(first.size_bytes == second.size_bytes && memcmp(first.bytes, second.bytes, first.size_bytes) == 0,
            "normal form is no fixed point", &error);
    tr_writer_release(&first);
    tr_writer_release(&second);
    tr_log_release(&again);
}

/* The slot in the frame of one sample of the edit's box. */
static void check_slot(const struct tr_edit *edit, const struct tr_box *world, const int64_t corner[3])
{
    struct tr_error error = {0};
    int64_t origin[3];
    tr_edit_slot slot;

    for (int i = 0; i < 3; i++)
        origin[i] = TR_CHUNK * tr_floor_div(corner[i], TR_CHUNK);
    if (!tr_edit_slot_make(edit, world, origin, &slot))
        return;
    require(slot.lo_x >= 0 && slot.lo_x <= slot.hi_x && slot.hi_x < TR_CHUNK, "slot leaves its frame in x",
            &error);
    require(slot.lo_z >= 0 && slot.lo_z <= slot.hi_z && slot.hi_z < TR_CHUNK, "slot leaves its frame in z",
            &error);
    require(slot.lo_y <= slot.hi_y, "slot is empty in y", &error);
    require(slot.radius >= 0 && slot.reach >= 0 && slot.blend >= 0 && slot.inv_4blend >= 0, "slot has a NaN",
            &error);
}

static void check_world(const struct tr_log *log, double voxel_size)
{
    const struct tr_world_info info = {.size_x = 3, .size_z = 2, .voxel_size = voxel_size};
    const struct tr_box world = tr_world_box(&info);
    struct tr_error error = {0};
    struct tr_log copy = {0};
    struct tr_writer text = {0};
    size_t skipped = 0;
    enum tr_status status;

    write_log(log, &text);
    require(tr_log_parse(&copy, (const char *)text.bytes, text.size_bytes, "copy", &error) == TR_OK,
            "copy refused", &error);
    status = tr_log_resolve(&copy, 0, &info, "copy", true, &skipped, &error);
    if (status != TR_OK)
        require_refusal(status, &error);
    else
        require(copy.count + skipped == log->count, "edits were lost", &error);
    for (size_t i = 0; status == TR_OK && i < copy.count; i++) {
        struct tr_box reads, writes;

        tr_edit_boxes(&copy.edits[i], &reads, &writes);
        check_slot(&copy.edits[i], &world, writes.lo);
        check_slot(&copy.edits[i], &world, writes.hi);
        check_slot(&copy.edits[i], &world, world.lo);
    }
    tr_writer_release(&text);
    tr_log_release(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_error error = {0};
    struct tr_log log = {0};
    enum tr_status status = tr_log_parse(&log, (const char *)bytes, size_bytes, "fuzz", &error);

    if (status == TR_OK) {
        check_normal_form(&log);
        check_world(&log, 1.0);
        check_world(&log, 0x1p-20);
        check_world(&log, 1e12);
    } else {
        require_refusal(status, &error);
        require(log.count == 0, "refused, but edits stay", &error);
    }
    tr_log_release(&log);
    return 0;
}
