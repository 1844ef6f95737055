/* A shape that has met its world: transforms folded into the primitives, metres turned to voxels; and its code for one frame, which
 * kernels evaluate (shaders/tree.h).
 *
 * Bounds. Every primitive's value is at least the distance from its own box, so a tree's samples lie within boxes; and over a small box
 * values lie in an interval, which the code itself gives. Code for a frame leaves out what cannot matter there: an operand of a union
 * that is everywhere farther than the other by what the blend reaches, and so on. That does not change a bit of a value up to the reach, and
 * a value above it stays above. */
#ifndef TR_EDIT_TREE_H
#define TR_EDIT_TREE_H

#include "lib/base/hash.h"
#include "lib/edit/grey.h"
#include "lib/edit/shape.h"
#include "lib/edit/solid_field.h"
#include "lib/world/coord.h"
#include "shaders/tree.h"

#include <math.h>

/* Voxels. The band is how far outside a shape the ground may change, beside the width of the blend; and the greatest width. */
#define TR_SHAPE_BAND 16.0
#define TR_SHAPE_RADIUS_MAX 100000.0
#define TR_ELLIPSOID_RADIUS_MIN 0x1p-10 /* smaller ones count as this */
#define TR_SHAPE_ENDS_MIN 0x1p-20 /* between the ends of a cylinder, cone, prism, taper; pieces of a tube */
#define TR_VOXELS_TINY 0x1p-40    /* numbers of slots and code that are smaller become 0 */

#define TR_TREE_NODES_MAX 65536        /* with all copies; each piece of a tube counts as one */
#define TR_TREE_SAMPLES_MAX (1u << 24) /* of the fields of an edit's meshes together */
#define TR_SCALE_MAX 65536.0           /* voxels, of noise; the least is 1 */
#define TR_MESH_MARGIN_MAX 16u         /* cells around a mesh */
#define TR_TUBE_PIECE_NUMBERS 17u      /* of a resolved tube: from, to, radii, axis, side, top */

/* A number as a word of slots and code. */
static inline uint32_t tr_number_word(double v)
{
    return tr_bits(fabs(v) < TR_VOXELS_TINY ? 0.0f : (float)v);
}

/* Words of slots: code, noise, pictures. A slot's words begin at an index. */
struct tr_words {
    uint32_t *words;
    size_t count, capacity;
};
void tr_words_release(struct tr_words *words);
/* Adds `count` words, which the caller fills; *first is where they begin. `what` is said when they are more than an index can reach. */
enum tr_status tr_words_add(struct tr_words *words, size_t count, const char *what, uint32_t *first,
                            struct tr_error *error);

/* Words of noise (shaders/brush_noise.h) in the frame at `origin`. */
void tr_noise_write(uint64_t seed, uint32_t octaves, double scale, const int64_t origin[3],
                    uint32_t words[TR_BRUSH_NOISE_WORDS]);
/* The greatest sum of the weights of n octaves: 1 + 1/2 + ... = 2 - 2^(1 - n). */
static inline double tr_octaves_weight(uint32_t octaves)
{
    return 2.0 - 1.0 / (double)(1u << (octaves - 1));
}

/* Metres to voxels, and what a message says when a number leaves its limit. */
struct tr_metres {
    double voxel_size;
    const char *where; /* how messages begin */
    struct tr_error *error;
};

/* *voxels = metres / voxel_size, at most voxels_max in magnitude. `state`: what is said of the number that is too great, "" or " after
 * transforms". */
enum tr_status tr_metres_convert(const struct tr_metres *metres, const char *field, const char *state,
                                 double value, double voxels_max, double *voxels);
/* The same of a place or a vector; x and z at most TR_COORDINATE_MAX, y at most y_max. */
enum tr_status tr_metres_convert_place(const struct tr_metres *metres, const char *field, const char *state,
                                       const double value[3], double y_max, double voxels[3]);
/* The same of the scale of noise, 1 to TR_SCALE_MAX. */
enum tr_status tr_metres_convert_scale(const struct tr_metres *metres, const char *state, double value,
                                       double *voxels);
#define TR_COORDINATE_MAX ((double)TR_CHUNK_INDEX_MAX * TR_CHUNK) /* |x|, |z|, voxels */
#define TR_ELEVATION_MAX ((double)-TR_BLOCK_ROW_MIN * TR_CHUNK)   /* |y|, voxels */

/* A node of a resolved tree, in voxels: a primitive, an operation on two, or a modifier of one. Within a modifier that moves points, places
 * are relative to its `a` and directions are along its rows. */
struct tr_tree_node {
    double a[3],
        b[3]; /* ends of the axis; of a centre, or of `about`, both are it. Mesh: its field's first sample */
    double rows
        [3]
        [3]; /* unit: the axes of the shape, or of the modifier. Torus, half-space: only the first, its direction */
    double size[3]; /* what the kind has, see node_set_* in tree_fold.c */
    double width;   /* operations: of the blend, 0 for hard */
    double growth;  /* how much its box is larger for the blends and modifiers above it */
    double spread;  /* how much its box grows for each voxel of R */
    /* Its box: where its value can make the root's at most R lies within this, grown by R times spread. Infinite where it has no bounds. */
    double lo[3], hi[3];
    uint32_t blend; /* operations */
    uint32_t steps; /* of a stairs blend; sides of a prism; octaves of a displace; profile of a tube */
    uint32_t kind;  /* enum tr_shape_kind: no transform, mirror, repeat or rounded box */
    uint32_t
        left; /* operations: index of the first operand; the second, and what is within a modifier, is the node before this one */
    uint32_t first; /* polyhedron, tube: of its numbers. Height map, mesh: which picture or solid */
    uint32_t count; /* tube: pieces */
    uint32_t
        around; /* the innermost modifier around it that moves points, which is movers[around - 1]; 0: none */
    uint32_t seed; /* displace, folded to 32 bits */
};

/* What copies of a height map share. */
struct tr_tree_picture {
    struct tr_grey picture; /* halved as far as its size wants it */
    double steepest
        [2]; /* the greatest difference of pixels beside each other in a row, and in a column, of 65535 */
    struct tr_hash source; /* of the pixels as written */
    uint32_t written;      /* which node of the shape it is */
};

/* What copies of a mesh share. */
struct tr_tree_solid {
    struct tr_solid_mesh mesh;   /* empty once there is a field */
    double min[3], max[3], cell; /* metres, as written */
    uint32_t margin;             /* cells around it */
    struct tr_solid_field field; /* made by tr_tree_load */
    struct tr_hash source;       /* of the bytes */
    uint32_t written;
};

/* Nodes are in postorder: operands stand before their operation, so every pass over a tree is a loop. An operation on more than two, and a
 * modifier that copies, are written as the operations on two that they mean, from left to right. */
struct tr_tree {
    struct tr_tree_node *nodes;
    double *numbers;  /* of polyhedra: corners, then normals of the faces; of tubes: pieces */
    uint32_t *movers; /* nodes that move points, outer ones before those within */
    struct tr_tree_picture *pictures;
    struct tr_tree_solid *solids;
    uint32_t count, number_count, mover_count, picture_count, solid_count;
};

/* Resolves a shape of well-formed nodes. Composition is in metres and in double, from the root down; each primitive's numbers are
 * divided by voxel_size once. Refuses (TR_BAD_INPUT, beginning with `where`) sizes and places that leave the limits after folding. */
enum tr_status tr_tree_create(const struct tr_shape *shape, double voxel_size, const char *where,
                              struct tr_tree **out, struct tr_error *error);
void tr_tree_free(struct tr_tree *tree);

/* Makes the distance fields of its meshes, once, before tr_tree_code: apart from tr_tree_create because it takes long. */
enum tr_status tr_tree_load(struct tr_tree *tree, const char *where, struct tr_error *error);

/* Two trees whose every resolved number is the same bits: they have the same distances everywhere. */
bool tr_tree_equal(const struct tr_tree *a, const struct tr_tree *b);

/* The box, in voxels, outside of which the value is above `reach` >= 0; false when it has no bounds. */
bool tr_tree_box(const struct tr_tree *tree, double reach, double lo[3], double hi[3]);

/* Whether the tree is one sphere or capsule: then a slot can hold it. */
bool tr_tree_is_round(const struct tr_tree *tree, double a[3], double b[3], double *radius);

/* An axis seen from a frame: c is the point of it nearest to the frame's origin, u its unit direction, 0 if its ends are one; it begins and
 * ends at t0 <= 0 <= t1 voxels from c along u. With `endless` it is the line through a and b. */
struct tr_axis {
    double c[3], u[3], t0, t1;
};
struct tr_axis tr_axis_make(const double a[3], const double b[3], bool endless, const int64_t origin[3]);

/* Fills a round as shaders/shape.h wants it, in the frame whose origin is `origin`: the segment from a to b (the point of it nearest to
 * the origin is c), or with `endless` the line through them. */
tr_round tr_round_make(const double a[3], const double b[3], double radius, bool endless,
                       const int64_t origin[3]);

/* Appends the code for the samples lo..hi of the frame at `origin`, whose values up to `reach` count; *reaches is false, and nothing
 * appended, when the value is above it at all of them. *first: where the code begins. With words NULL only *reaches is answered.
 * Thread-safe. */
enum tr_status tr_tree_code(const struct tr_tree *tree, const int64_t origin[3], const int lo[3],
                            const int hi[3], double reach, struct tr_words *words, uint32_t *first,
                            bool *reaches, struct tr_error *error);

/* Bounds of tr_tree_distance, as kernels compute it, over the points lo..hi of the frame: the code at words[at]. */
void tr_code_bounds(const uint32_t *words, uint32_t at, const double lo[3], const double hi[3], double *least,
                    double *most);

#endif
