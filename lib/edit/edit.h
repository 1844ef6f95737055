/* An edit: what one entry of a log does to the ground. Its meaning, units, reach and limits are in EDITS.md beside this file; the
 * numbers here have been converted once, from metres to voxels, when the log met its world. */
#ifndef TR_EDIT_EDIT_H
#define TR_EDIT_EDIT_H

#include "lib/world/coord.h"
#include "lib/world/world.h"
#include "shaders/edit_slot.h"
#include "shaders/falloff.h"

enum tr_edit_op {
    TR_EDIT_RAISE,
    TR_EDIT_LOWER,
    TR_EDIT_SMOOTH,
    TR_EDIT_UNION,
    TR_EDIT_SUBTRACT,
    TR_EDIT_OP_COUNT
};
enum tr_shape_kind { TR_SHAPE_SPHERE, TR_SHAPE_CAPSULE };

#define TR_EDIT_ID_BYTES 128

struct tr_edit {
    char id[TR_EDIT_ID_BYTES]; /* 1..127 bytes of UTF-8, no control characters; unique in its log */
    bool id_is_made;           /* none was written: it comes from the content */
    bool has_time;
    int64_t time_ms;
    char author[TR_EDIT_ID_BYTES]; /* empty: none */
    enum tr_edit_op op;
    int line; /* where it stands in the file, for messages */

    /* As written, metres: what the normal form prints. */
    double radius_m;         /* > 0, at most TR_BRUSH_RADIUS_MAX voxels */
    double a_m[3], b_m[3];   /* the capsule's ends; both are the centre of a sphere or brush (whose y is 0) */
    double strength;         /* raise, lower: metres, > 0. smooth: lambda in (0, 1] */
    double blend_m;          /* 0: hard */
    uint32_t falloff, power; /* TR_FALLOFF_*; n of sharp */
    enum tr_shape_kind shape;

    /* In voxels, and units for strength and blend: what is computed with. */
    double radius, a[3], b[3];
    double strength_units; /* raise > 0, lower < 0: units at weight 1. smooth: lambda */
    double blend;          /* voxels, at most TR_SHAPE_BAND */
};

/* Converts the metres fields to voxels; refuses what leaves the limits. `where` is "file:line: edit 'id'" for the message. */
enum tr_status tr_edit_resolve(struct tr_edit *edit, double voxel_size, const char *where,
                               struct tr_error *error);

static inline bool tr_edit_is_height(const struct tr_edit *edit)
{
    return edit->op <= TR_EDIT_SMOOTH;
}

/* The samples an edit may write, and those it reads: the one function that everything asks what an edit can touch. A height brush writes
 * heights, which all samples of the column follow: its boxes span all y. Not clipped to the world. */
void tr_edit_boxes(const struct tr_edit *edit, struct tr_box *reads, struct tr_box *writes);

/* The slot of an edit in the frame whose origin is the sample `origin` (x, y, z; a height brush ignores y), clipped to `world` and to the
 * 64 samples along each axis from the origin. False when it reaches none of them. Doubles and exact operations only (+ - * / sqrt). */
bool tr_edit_slot_make(const struct tr_edit *edit, const struct tr_box *world, const int64_t origin[3],
                       tr_edit_slot *slot);

#endif
