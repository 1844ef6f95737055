/* A shape as it is written in a log: a tree of primitives, operations, transforms and modifiers, in preorder. The kinds and those of their
 * fields that are numbers stand in one table, which the reader, the writer, the limits and the tests go by. Meaning: EDITS.md. */
#ifndef TR_EDIT_SHAPE_H
#define TR_EDIT_SHAPE_H

#include "lib/base/status.h"
#include "lib/edit/resource.h"
#include "shaders/edit_slot.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tr_shape_kind {
    TR_SHAPE_SPHERE,
    TR_SHAPE_BOX,
    TR_SHAPE_CAPSULE,
    TR_SHAPE_TORUS,
    TR_SHAPE_CYLINDER,
    TR_SHAPE_CONE,
    TR_SHAPE_ELLIPSOID,
    TR_SHAPE_CAPPED_CONE,
    TR_SHAPE_ROUNDED_BOX,
    TR_SHAPE_HALF_SPACE,
    TR_SHAPE_PRISM,
    TR_SHAPE_PYRAMID,
    TR_SHAPE_OCTAHEDRON,
    TR_SHAPE_LINK,
    TR_SHAPE_HEIGHT_MAP,
    TR_SHAPE_MESH,
    TR_SHAPE_TUBE,
    /* operations on two and more */
    TR_SHAPE_UNION,
    TR_SHAPE_SUBTRACT,
    TR_SHAPE_INTERSECT,
    /* transforms of one */
    TR_SHAPE_TRANSLATE,
    TR_SHAPE_ROTATE,
    TR_SHAPE_SCALE,
    /* modifiers of one */
    TR_SHAPE_ROUND,
    TR_SHAPE_ONION,
    TR_SHAPE_ELONGATE,
    TR_SHAPE_MIRROR,
    TR_SHAPE_REPEAT,
    TR_SHAPE_TWIST,
    TR_SHAPE_BEND,
    TR_SHAPE_TAPER,
    TR_SHAPE_DISPLACE,
    TR_SHAPE_KIND_COUNT
};

#define TR_SHAPE_DEPTH_MAX 64   /* nodes from the root to a primitive, both counted */
#define TR_SHAPE_NODES_MAX 4096 /* of one edit */
#define TR_SHAPE_VALUES_MAX 12
#define TR_SHAPE_PATH_MAX 256      /* points of a tube */
#define TR_SHAPE_COPIES_MAX 4096   /* of a shape, by all repeats and mirrors around it */
#define TR_SHAPE_MOVERS_MAX 8      /* elongate, twist, bend, taper within each other: TR_TREE_POINTS */
#define TR_SHAPE_STEPS_DEFAULT 8   /* of a tube's span */
#define TR_SHAPE_OCTAVES_DEFAULT 4 /* of a displace */
#define TR_SHAPE_CELLS_DEFAULT 128 /* along the longest side of a mesh */

/* What the numbers of a field are, and so their limits. */
enum tr_value_kind {
    TR_VALUE_PLACE,  /* metres; x and z within +-64,000,000 voxels, y within +-65,536 */
    TR_VALUE_LENGTH, /* metres, > 0, at most 100,000 voxels */
    TR_VALUE_VECTOR, /* metres, each within +-64,000,000 voxels */
    TR_VALUE_AXIS, /* a direction, not zero, any length; each number within +-1e9, the greatest at least 1e-9 */
    TR_VALUE_ANGLE,   /* degrees, within +-36,000 */
    TR_VALUE_FACTOR,  /* > 0, 1/1024 to 1024 */
    TR_VALUE_EXTENT,  /* metres, >= 0, at most 100,000 voxels */
    TR_VALUE_RATE,    /* degrees a metre, within +-36,000; at most 90 a voxel */
    TR_VALUE_COUNT,   /* an integer, 1 to 4,096 */
    TR_VALUE_SIDES,   /* an integer, 3 to 16 */
    TR_VALUE_STEPS,   /* an integer, 1 to 32 */
    TR_VALUE_SCALE,   /* metres, 1 to 65,536 voxels */
    TR_VALUE_OCTAVES, /* an integer, 1 to 8 */
};

struct tr_shape_field {
    const char *name;
    enum tr_value_kind kind;
    uint8_t count; /* of numbers: 1, or 3 as an array */
    uint8_t first; /* index of its first number in tr_shape_node.values */
    bool is_optional;
    uint8_t at; /* default of an optional field: all 0, but the number at this index is `value` */
    double value;
};

#define TR_SHAPE_FIELDS_MAX 6

struct tr_shape_info {
    const char *name; /* as "type" has it */
    struct tr_shape_field
        fields[TR_SHAPE_FIELDS_MAX + 1]; /* by name, ascending; behind the last one has no name */
};
extern const struct tr_shape_info tr_shape_infos[TR_SHAPE_KIND_COUNT];

struct tr_blend {
    uint32_t kind;  /* TR_BLEND_* */
    double width_m; /* > 0, but 0 for hard */
    uint32_t steps; /* of stairs, 2..64; 0 for others */
};

/* What a node has beside its numbers. */
struct tr_shape_more {
    struct tr_resource resource; /* height-map, mesh */
    double (*path)[4];           /* tube: points and radii, metres */
    uint32_t path_count;
    uint32_t profile; /* TR_PROFILE_* */
    uint64_t seed;    /* displace */
    bool has_cell;    /* mesh: else its longest side / TR_SHAPE_CELLS_DEFAULT, and 0 in values */
};

struct tr_shape_node {
    enum tr_shape_kind kind;
    uint32_t child_count;               /* 0 primitives, 1 transforms and modifiers, 2 and more operations */
    double values[TR_SHAPE_VALUES_MAX]; /* of the kind's fields */
    struct tr_blend blend;              /* operations */
    struct tr_shape_more *more;         /* height-map, mesh, tube, displace; else NULL. Owned */
};

/* Nodes in preorder: a node, then the trees of its children. */
struct tr_shape {
    struct tr_shape_node *nodes;
    uint32_t count, capacity;
};
void tr_shape_release(struct tr_shape *shape);

/* Whether it ends somewhere in all directions, which half-spaces alone do not. */
bool tr_shape_is_bounded(const struct tr_shape *shape);

static inline bool tr_shape_is_operation(enum tr_shape_kind kind)
{
    return kind >= TR_SHAPE_UNION && kind <= TR_SHAPE_INTERSECT;
}
static inline bool tr_shape_is_transform(enum tr_shape_kind kind)
{
    return kind >= TR_SHAPE_TRANSLATE && kind <= TR_SHAPE_SCALE;
}
static inline bool tr_shape_is_modifier(enum tr_shape_kind kind)
{
    return kind >= TR_SHAPE_ROUND;
}
/* Whether what is within sees another point: TR_SHAPE_MOVERS_MAX. */
static inline bool tr_shape_moves_points(enum tr_shape_kind kind)
{
    return kind == TR_SHAPE_ELONGATE || (kind >= TR_SHAPE_TWIST && kind <= TR_SHAPE_TAPER);
}
/* Whether its nodes have a tr_shape_more. */
static inline bool tr_shape_has_more(enum tr_shape_kind kind)
{
    return (kind >= TR_SHAPE_HEIGHT_MAP && kind <= TR_SHAPE_TUBE) || kind == TR_SHAPE_DISPLACE;
}

#endif
