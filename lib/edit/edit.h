/* An edit: what one entry of a log does to the ground. Its meaning, units, reach and limits are in EDITS.md beside this file. The numbers
 * ending in _m, and those said to be as written, are what the normal form prints; the others have been converted once, from metres to
 * voxels and units, when the log met its world (tr_edit_resolve).
 *
 * A brush works by stamps: one where it has a place, many along a path (a stroke). A shape is one stamp. Everything that asks what an edit
 * does asks it of one stamp. */
#ifndef TR_EDIT_EDIT_H
#define TR_EDIT_EDIT_H

#include "lib/edit/shape.h"
#include "lib/edit/tree.h"
#include "lib/world/coord.h"
#include "lib/world/world.h"
#include "shaders/falloff.h"

enum tr_edit_op {
    /* height brushes, at [x, z] */
    TR_EDIT_RAISE,
    TR_EDIT_LOWER,
    TR_EDIT_SMOOTH,
    TR_EDIT_HC_SMOOTH,
    TR_EDIT_FLATTEN,
    TR_EDIT_NOISE,
    TR_EDIT_STAMP,
    TR_EDIT_SET,
    TR_EDIT_PAINT,
    /* volume brushes, at [x, y, z] */
    TR_EDIT_VOLUME_ADD,
    TR_EDIT_VOLUME_SUBTRACT,
    TR_EDIT_VOLUME_SMOOTH,
    TR_EDIT_VOLUME_FLATTEN,
    TR_EDIT_VOLUME_NOISE,
    TR_EDIT_VOLUME_STAMP,
    TR_EDIT_INFLATE,
    TR_EDIT_PINCH,
    TR_EDIT_GRAB,
    TR_EDIT_REDISTANCE,
    TR_EDIT_VOLUME_PAINT,
    /* shapes (CSG) */
    TR_EDIT_UNION,
    TR_EDIT_SUBTRACT,
    TR_EDIT_INTERSECT,
    TR_EDIT_SHAPE_PAINT,
    TR_EDIT_OP_COUNT
};

#define TR_EDIT_ID_BYTES 128
#define TR_EDIT_POINTS_MAX 4096  /* of a path */
#define TR_EDIT_STAMPS_MAX 65536 /* of a stroke */
#define TR_EDIT_POWER_DEFAULT 3u /* n of sharp */
#define TR_EDIT_OCTAVES_DEFAULT 4u
#define TR_EDIT_BETA_DEFAULT 0.5
#define TR_EDIT_STEPS_DEFAULT 4u /* of a stairs blend */
/* Voxels. What a volume smooth or inflate writes is in memory as a whole; a block's pinch or grab reads no farther than its neighbours, and a
 * redistance works on all of its samples at once. */
#define TR_VOLUME_SMOOTH_RADIUS_MAX 256.0
#define TR_RESHAPE_RADIUS_MAX 64.0
#define TR_PINCH_PROJECTED_RADIUS_MAX 45.0 /* whose farthest sample is sqrt 2 radii from the centre */
#define TR_GRAB_MAX 64.0                   /* length of `by` */

/* A place of a brush, or a point of a stroke's path. */
struct tr_edit_point {
    double at_m[3];  /* a height brush's y is 0 */
    double radius_m; /* > 0 */
    double
        strength; /* as written: metres or lambda; 1 for a set and a grab, 0 for a paint and a redistance */
    double at[3], radius, strength_units; /* voxels; units (lower, add: negative) or lambda */
    double along;                         /* voxels along the path up to here */
};

struct tr_edit {
    char id[TR_EDIT_ID_BYTES]; /* 1..127 bytes of UTF-8, no control characters; unique in its log */
    bool id_is_made;           /* none was written: it comes from the content */
    bool has_time;
    int64_t time_ms;
    char author[TR_EDIT_ID_BYTES]; /* empty: none */
    enum tr_edit_op op;
    int line;        /* where it stands in the file, for messages; in MessagePack the byte offset */
    bool has_offset; /* it is the byte offset */

    /* Brushes. */
    struct tr_edit_point *points; /* 1, or those of the path; NULL for shapes */
    uint32_t point_count;
    bool is_stroke;   /* a path was written, even one of one point */
    bool has_spacing; /* else half the radius at the first point */
    double spacing_m, spacing;
    uint32_t falloff, power; /* TR_FALLOFF_*; n of sharp */
    bool is_projected;       /* volume brushes */
    double axis[3];          /* as written, not zero */
    bool has_height;         /* flatten: else the height where the stroke starts */
    double height_m;         /* flatten, set */
    int32_t height;          /* units */
    double normal[3];        /* volume flatten, as written, not zero */
    bool has_point;          /* volume flatten: else the first point */
    double point_m[3], point[3];
    uint64_t seed;            /* noise */
    double scale_m, scale;    /* noise: size of its largest features */
    uint32_t octaves;         /* 1..TR_BRUSH_OCTAVES_MAX */
    double beta;              /* HC smooth, [0, 1) */
    uint32_t material;        /* paints, 0..255 */
    struct tr_resource image; /* stamps */
    struct tr_grey *halved;   /* the image halved once, twice, ...: as often as its smallest stamp wants */
    uint32_t halved_count;
    double degrees;        /* stamps */
    double by_m[3], by[3]; /* grab */

    /* Shapes. */
    struct tr_shape shape; /* as written; no nodes for brushes */
    struct tr_tree *tree;  /* the same in voxels; NULL before tr_edit_resolve */
    struct tr_blend blend; /* with the ground, as written: width in metres */
    double blend_width;    /* voxels, at most TR_SHAPE_BAND */
    bool has_within;
    double within_m[2][3]; /* least and greatest corner */
    struct tr_box within;  /* the samples in it */
};

/* Frees what an edit holds and clears it. */
void tr_edit_release(struct tr_edit *edit);

static inline bool tr_edit_is_height(const struct tr_edit *edit)
{
    return edit->op <= TR_EDIT_PAINT;
}
static inline bool tr_edit_is_shape(const struct tr_edit *edit)
{
    return edit->op >= TR_EDIT_UNION;
}
static inline bool tr_edit_is_paint(const struct tr_edit *edit)
{
    return edit->op == TR_EDIT_PAINT || edit->op == TR_EDIT_VOLUME_PAINT || edit->op == TR_EDIT_SHAPE_PAINT;
}
static inline bool tr_edit_is_stamp(const struct tr_edit *edit)
{
    return edit->op == TR_EDIT_STAMP || edit->op == TR_EDIT_VOLUME_STAMP;
}
/* Whether a sample's result depends on other samples than itself: those of the state before the stamp. */
static inline bool tr_edit_reads_neighbours(const struct tr_edit *edit)
{
    return edit->op == TR_EDIT_SMOOTH || edit->op == TR_EDIT_HC_SMOOTH || edit->op == TR_EDIT_VOLUME_SMOOTH ||
           edit->op == TR_EDIT_INFLATE || edit->op == TR_EDIT_PINCH || edit->op == TR_EDIT_GRAB ||
           edit->op == TR_EDIT_REDISTANCE;
}
/* Whether it takes the height where it starts: the column nearest to its first point, clamped to the world. Read once, before its first
 * stamp. */
static inline bool tr_edit_reads_start(const struct tr_edit *edit)
{
    return edit->op == TR_EDIT_FLATTEN && !edit->has_height;
}
void tr_edit_start_column(const struct tr_edit *edit, const struct tr_box *world, int64_t *x, int64_t *z);

/* Converts the metres fields to voxels; refuses what leaves the limits. `where` is "file:line: edit 'id'" for the message. May be called
 * again for another voxel size. */
enum tr_status tr_edit_resolve(struct tr_edit *edit, double voxel_size, const char *where,
                               struct tr_error *error);

/* Stamps of a resolved edit, in their order. */
struct tr_stamp {
    double at[3], radius; /* voxels; of shapes not used */
    double strength;      /* units or lambda, as tr_edit_point.strength_units */
};
uint32_t tr_edit_stamp_count(const struct tr_edit *edit); /* 1..TR_EDIT_STAMPS_MAX */
struct tr_stamp tr_edit_stamp(const struct tr_edit *edit, uint32_t index);

/* The samples a stamp may write, and those it reads: the one function that everything asks what an edit can touch. A height brush writes
 * heights (or paint), which all samples of the column follow: its boxes span all y. A volume paint paints columns too, where their ground
 * lies in its box. Not clipped to the world. */
void tr_edit_boxes(const struct tr_edit *edit, const struct tr_stamp *stamp, struct tr_box *reads,
                   struct tr_box *writes);

/* How many samples beyond what it writes a stamp reads on each side (of a height brush, in x and z): what a volume smooth, inflate, pinch or
 * grab needs around a block, at most TR_RESHAPE_MARGIN_MAX. 0 for what reads only what it writes. */
uint32_t tr_edit_margin(const struct tr_edit *edit, const struct tr_stamp *stamp);

/* The image of a stamp, halved as its radius wants it. Belongs to the edit. */
struct tr_grey tr_edit_picture(const struct tr_edit *edit, const struct tr_stamp *stamp);

#endif
