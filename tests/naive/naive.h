/* The naive replay: the judge of every fast path that edits the ground.
 *
 * A small world, dense: all heights, every signed distance sample of a range of block rows, and the paint of
 * both, each in one plain array. Edits are applied stamp after stamp, each alone, one sample at a time; no
 * batches, no bounds, no bytecode, and nothing is left out but where the meaning of a brush says at once that it
 * does not reach. The formulas are those that lib/edit/EDITS.md makes normative, in words of its own: nothing of
 * lib/ or shaders/ is included here (a check holds that), so that a mistake there cannot excuse itself.
 *
 *   naive_stroke      metres to voxels, stamps     naive_fold         transforms, copies, modifiers
 *   naive_brush       falloffs and distances       naive_shape        distances of shapes, blends
 *   naive_height      height brushes               naive_polyhedron   prism, pyramid, octahedron
 *   naive_volume      volume brushes               naive_tube         tubes
 *   naive_reshape     those that read around       naive_grid         meshes as distance fields
 *   naive_redistance  redistance                   naive_image        images of stamps and height maps
 *   naive_angle       sin and cos                  naive_noise        noise
 *   naive_check       the double check
 *
 * Double-checked: each result is compared with the meaning of the edit in double (oracle.h), and the replay
 * fails where they differ by more than rounding may.
 *
 * Edits are in metres, as logs are; heights and samples in units of 1/256 voxel. Must be compiled as the product
 * is, with -ffp-contract=off and floats evaluated as floats. */
#ifndef NAIVE_H
#define NAIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum naive_op {
    /* height brushes */
    NAIVE_RAISE,
    NAIVE_LOWER,
    NAIVE_SMOOTH,
    NAIVE_HC_SMOOTH,
    NAIVE_FLATTEN,
    NAIVE_SET,
    NAIVE_NOISE,
    NAIVE_STAMP,
    NAIVE_PAINT,
    /* volume brushes */
    NAIVE_VOLUME_ADD,
    NAIVE_VOLUME_SUBTRACT,
    NAIVE_VOLUME_SMOOTH,
    NAIVE_VOLUME_FLATTEN,
    NAIVE_VOLUME_NOISE,
    NAIVE_VOLUME_STAMP,
    NAIVE_INFLATE,
    NAIVE_PINCH,
    NAIVE_GRAB,
    NAIVE_REDISTANCE,
    NAIVE_VOLUME_PAINT,
    /* shapes */
    NAIVE_UNION,
    NAIVE_SUBTRACT,
    NAIVE_INTERSECT,
    NAIVE_SHAPE_PAINT,
};

enum naive_falloff {
    NAIVE_FALLOFF_SMOOTH,
    NAIVE_FALLOFF_SMOOTHER,
    NAIVE_FALLOFF_SPHERE,
    NAIVE_FALLOFF_ROOT,
    NAIVE_FALLOFF_SHARP,
    NAIVE_FALLOFF_POW4,
    NAIVE_FALLOFF_LINEAR,
    NAIVE_FALLOFF_INVERSE_SQUARE,
    NAIVE_FALLOFF_CONSTANT,
};

/* A place of a brush, or a point of a stroke's path. */
struct naive_point {
    double at[3];    /* a height brush does not use at[1] */
    double radius;   /* > 0 */
    double strength; /* metres or lambda; set, grab, redistance and paint do not use it */
};

struct naive_image {
    int width, height;
    bool has_8_bits;        /* as a file has it; then all pixels are multiples of 257 */
    const uint16_t *pixels; /* [row from above][column], black 0, white 65535 */
};

/* Closed, with every triangle turned alike: counter-clockwise seen from outside, or all clockwise. */
struct naive_mesh {
    int corner_count, triangle_count;
    double (*corners)[3]; /* metres */
    const int (*triangles)[3];
};

/* A point of a tube's path. */
struct naive_knot {
    double at[3], radius;
};

enum naive_profile { NAIVE_PROFILE_ROUND, NAIVE_PROFILE_SQUARE, NAIVE_PROFILE_ARCH };

enum naive_blend_kind { NAIVE_BLEND_HARD, NAIVE_BLEND_SMOOTH, NAIVE_BLEND_CHAMFER, NAIVE_BLEND_STAIRS };

struct naive_blend {
    enum naive_blend_kind kind;
    double width; /* > 0, but of hard */
    int steps;    /* of stairs */
};

enum naive_kind {
    NAIVE_SPHERE,
    NAIVE_BOX,
    NAIVE_CAPSULE,
    NAIVE_TORUS,
    NAIVE_CYLINDER,
    NAIVE_CONE,
    NAIVE_ELLIPSOID,
    NAIVE_CAPPED_CONE,
    NAIVE_ROUNDED_BOX,
    NAIVE_HALF_SPACE,
    NAIVE_PRISM,
    NAIVE_PYRAMID,
    NAIVE_OCTAHEDRON,
    NAIVE_LINK,
    NAIVE_HEIGHT_MAP,
    NAIVE_MESH,
    NAIVE_TUBE,
    /* operations on two and more */
    NAIVE_NODE_UNION,
    NAIVE_NODE_SUBTRACT,
    NAIVE_NODE_INTERSECT,
    /* transforms of one */
    NAIVE_TRANSLATE,
    NAIVE_ROTATE,
    NAIVE_SCALE,
    /* modifiers of one */
    NAIVE_ROUND,
    NAIVE_ONION,
    NAIVE_DISPLACE,
    NAIVE_MIRROR,
    NAIVE_REPEAT,
    /* ... that move points */
    NAIVE_ELONGATE,
    NAIVE_TWIST,
    NAIVE_BEND,
    NAIVE_TAPER,
};
#define NAIVE_KIND_COUNT (NAIVE_TAPER + 1)

/* A node of a shape. A shape is an array of them in preorder: a node, then the shapes of its children. */
struct naive_node {
    enum naive_kind kind;
    int children;     /* 0 of primitives, 1 of transforms and modifiers, 2 and more of operations */
    double at[3];     /* from, of what has two ends; else the centre, `about` or `point` */
    double to[3];     /* the other end. translate, repeat, elongate: by */
    double axis[3];   /* torus, link, rotate, twist, bend; half-space, mirror: the normal */
    double along[3];  /* link, bend */
    double size[3];   /* edges; ellipsoid: radii */
    double radius;    /* torus, link: of the ring. capped cone, prism: at `from`. rounded box: of its edges */
    double to_radius; /* capped cone */
    double tube;      /* torus, link */
    double length;    /* link. round: by. onion: thickness. displace: strength */
    double degrees;   /* rotate; twist, bend: a metre */
    double factor;    /* scale, taper */
    int sides;        /* prism */
    int count[3];     /* repeat */
    double scale;     /* displace: its noise */
    int octaves;
    uint64_t seed;
    const struct naive_image *image; /* height map */
    const struct naive_mesh *mesh;
    double cell;                   /* mesh */
    const struct naive_knot *path; /* tube */
    int path_count, steps;
    enum naive_profile profile;
    struct naive_blend blend; /* operations */
};

struct naive_edit {
    enum naive_op op;

    /* brushes */
    struct naive_point place;       /* used where there is no path */
    const struct naive_point *path; /* a stroke; NULL: none */
    size_t path_count;
    double spacing; /* of a stroke; 0: half the radius at its first point */
    enum naive_falloff falloff;
    int power;      /* of sharp */
    bool projected; /* volume brushes */
    double axis[3];
    bool has_height;  /* flatten */
    double height;    /* flatten, set */
    double normal[3]; /* volume flatten and stamp */
    bool has_point;   /* volume flatten; else the first point */
    double point[3];
    uint64_t seed; /* noise */
    double scale;
    int octaves;
    double beta;                     /* hc-smooth */
    int material;                    /* paints */
    const struct naive_image *image; /* stamps */
    double degrees;
    double by[3]; /* grab */

    /* shapes */
    const struct naive_node *shape;
    size_t shape_count;
    struct naive_blend blend; /* with the ground */
    bool has_within;
    double within[2][3];
};

static inline bool naive_is_height_brush(enum naive_op op)
{
    return op <= NAIVE_PAINT;
}
static inline bool naive_is_shape(enum naive_op op)
{
    return op >= NAIVE_UNION;
}
static inline bool naive_is_paint(enum naive_op op)
{
    return op == NAIVE_PAINT || op == NAIVE_VOLUME_PAINT || op == NAIVE_SHAPE_PAINT;
}
static inline bool naive_is_noise(enum naive_op op)
{
    return op == NAIVE_NOISE || op == NAIVE_VOLUME_NOISE;
}
static inline bool naive_is_stamp(enum naive_op op)
{
    return op == NAIVE_STAMP || op == NAIVE_VOLUME_STAMP;
}
/* Its strength is a fraction, not a length. */
static inline bool naive_has_lambda(enum naive_op op)
{
    return op == NAIVE_SMOOTH || op == NAIVE_HC_SMOOTH || op == NAIVE_FLATTEN || op == NAIVE_VOLUME_SMOOTH ||
           op == NAIVE_VOLUME_FLATTEN || op == NAIVE_PINCH;
}
static inline bool naive_has_no_strength(enum naive_op op)
{
    return naive_is_paint(op) || op == NAIVE_SET || op == NAIVE_GRAB || op == NAIVE_REDISTANCE;
}
/* A sample's result depends on the samples around it. */
static inline bool naive_reads_around(enum naive_op op)
{
    return op == NAIVE_VOLUME_SMOOTH || (op >= NAIVE_INFLATE && op <= NAIVE_REDISTANCE);
}
static inline bool naive_is_operation(enum naive_kind kind)
{
    return kind >= NAIVE_NODE_UNION && kind <= NAIVE_NODE_INTERSECT;
}
static inline bool naive_moves_points(enum naive_kind kind)
{
    return kind >= NAIVE_ELONGATE;
}

/* chunks_x x chunks_z chunks of cells, so samples 0 .. 64 chunks_x along x; y in [64 row_lo, 64 (row_hi + 1)).
 *
 * Some volume brushes read samples above and below, and what lies beyond these rows is not known here: each that
 * reaches an end of the known rows takes from them what may depend on that. */
struct naive_world {
    double voxel_size; /* metres */
    int row_lo, row_hi;
    int size_x, size_z, size_y; /* samples */
    int known_lo, known_hi;     /* y of the samples that are right, inclusive */
    int32_t *heights;           /* [z][x] */
    int16_t *samples;           /* [z][x][y - 64 row_lo] */
    uint8_t *column_paint;      /* [z][x] */
    uint8_t *sample_paint;      /* as samples */
    bool painted;               /* some edit has painted */
    int32_t *heights_before;    /* scratch: the state before the stamp at hand */
    int16_t *samples_before;
};

/* What the double check found. */
struct naive_report {
    /* greatest difference from the meaning beyond the slack for rounding, units; up to 1/2 is what storing
     * rounds */
    double worst_height, worst_sample;
    /* on failure: index of the edit, the sample, the two values */
    size_t edit;
    const char *what; /* "height", "sample", ... */
    int x, y, z;      /* y is 0 for a height */
    double found, expected;
};

/* Heights [z][x] of all samples are copied. False without memory; release it then too. */
bool naive_world_init(struct naive_world *world, int chunks_x, int chunks_z, int row_lo, int row_hi,
                      double voxel_size, const int32_t *heights);
void naive_world_release(struct naive_world *world);

int naive_height(const struct naive_world *world, int x, int z);
/* The sample at (x, y, z), which must be one that the world holds. */
int naive_field(const struct naive_world *world, int x, int y, int z);
int naive_column_paint(const struct naive_world *world, int x, int z);
int naive_sample_paint(const struct naive_world *world, int x, int y, int z);

/* Applies the edits. False when a result leaves the bounds of the double check, or without memory; report (never
 * NULL) then says where. */
bool naive_replay(struct naive_world *world, const struct naive_edit *edits, size_t count,
                  struct naive_report *report);

#endif
