/* What the files of trees share: vectors, the fold, boxes, instructions and their bounds. Not for others. */
#ifndef TR_EDIT_TREE_PARTS_H
#define TR_EDIT_TREE_PARTS_H

#include "lib/edit/tree.h"

/* ---- vectors ---- */

static inline double tr_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void tr_cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void tr_unit(const double v[3], double u[3])
{
    double length = sqrt(tr_dot(v, v));

    for (int i = 0; i < 3; i++)
        u[i] = v[i] / length;
}

/* The two directions across an axis that go with `up`, or where that is too close to the axis with `other`; all unit. */
static inline void tr_axes_across(const double u[3], const double up[3], const double other[3],
                                  double side[3], double top[3])
{
    double across[3];

    tr_cross(fabs(tr_dot(up, u)) > 0.999 ? other : up, u, across);
    tr_unit(across, side);
    tr_cross(u, side, top);
}

/* ---- nodes ---- */

static inline bool tr_node_is_operation(const struct tr_tree_node *node)
{
    return tr_shape_is_operation((enum tr_shape_kind)node->kind);
}

static inline bool tr_node_is_modifier(const struct tr_tree_node *node)
{
    return tr_shape_is_modifier((enum tr_shape_kind)node->kind);
}

static inline bool tr_node_moves_points(const struct tr_tree_node *node)
{
    return tr_shape_moves_points((enum tr_shape_kind)node->kind);
}

static inline bool tr_node_is_polyhedron(const struct tr_tree_node *node)
{
    return node->kind == TR_SHAPE_PRISM || node->kind == TR_SHAPE_PYRAMID ||
           node->kind == TR_SHAPE_OCTAHEDRON;
}

/* Walks the shape and fills the empty tree, all but boxes. */
enum tr_status tr_tree_fold(struct tr_tree *tree, const struct tr_shape *shape,
                            const struct tr_metres *metres);

/* Where the field of a mesh begins along an axis, metres as written: the origin of solid_field.h. */
double tr_solid_first(const struct tr_tree_solid *solid, int axis);

/* Fills growth, spread and boxes of all nodes. */
void tr_tree_set_boxes(struct tr_tree *tree);

/* The numbers of one field of a shape's node in voxels; angles, factors and directions stay, a rate becomes radians a voxel. */
enum tr_status tr_metres_convert_field(const struct tr_metres *metres, const struct tr_shape_field *field,
                                       const char *state, const double *values, double y_max, double *voxels);

/* ---- spans ---- */

/* Where a number lies. */
struct tr_span {
    double lo, hi;
};

/* A box of points of a frame. */
struct tr_region {
    double middle[3], half[3];
    double way;  /* from the middle to a corner */
    double size; /* no coordinate and no sum of coordinates is larger */
};
struct tr_region tr_region_make(const double lo[3], const double hi[3]);

/* Where p -> r p + t leads it. */
struct tr_region tr_region_push(const struct tr_region *region, const double r[3][3], const double t[3]);
/* Where the instruction ELONGATE, TWIST, BEND or TAPER with these operands leads it. */
struct tr_region tr_region_move(const struct tr_region *region, uint32_t code, const double *operands);

/* Of the leaf whose instruction is at words[at], over the region; *count is how many words the instruction has. */
struct tr_span tr_leaf_span(const uint32_t *words, uint32_t at, const struct tr_region *region,
                            uint32_t *count);
/* Of the piece of a tube whose words begin at `at`. */
struct tr_span tr_piece_span(const uint32_t *words, uint32_t at, uint32_t profile,
                             const struct tr_region *region);
/* Of the instruction BLEND whose operands begin at `at`; x and y as in tr_tree_blend. */
struct tr_span tr_blend_span(const uint32_t *words, uint32_t at, struct tr_span x, struct tr_span y);
/* Of OFFSET, ONION or DISPLACE at words[at], of a value in x. */
struct tr_span tr_alter_span(const uint32_t *words, uint32_t at, struct tr_span x);

/* ---- instructions ---- */

/* Where code is for. */
struct tr_frame {
    const int64_t *origin;
    struct tr_crop crop; /* of pictures and fields */
};

/* The greatest leaf but tubes, pictures and fields: a prism of 16 sides; it is room for a picture and a field cropped to one point, too. */
#define TR_LEAF_WORDS_MAX (4u + 4u * 18u + 9u * 60u)
#define TR_ALTER_WORDS_MAX (1u + TR_CODE_DISPLACE_WORDS)
#define TR_TUBE_HEAD_WORDS 4u /* the instruction and what stands before its pieces */

/* How many words the leaf's instruction has; not of a tube. */
size_t tr_leaf_words(const struct tr_tree *tree, const struct tr_tree_node *node,
                     const struct tr_frame *frame);
/* Writes it; returns the word behind. */
uint32_t *tr_leaf_write(const struct tr_tree *tree, const struct tr_tree_node *node,
                        const struct tr_frame *frame, uint32_t *words);
/* A tube's instruction and counts, its pieces to follow; and one of them. */
uint32_t *tr_tube_write_head(const struct tr_tree_node *node, uint32_t pieces, uint32_t *words);
uint32_t *tr_tube_write_piece(const struct tr_tree *tree, const struct tr_tree_node *node, uint32_t piece,
                              const struct tr_frame *frame, uint32_t *words);
/* BLEND, TR_CODE_BLEND_WORDS and one. */
uint32_t *tr_blend_write(const struct tr_tree_node *node, bool is_swapped, uint32_t *words);
/* OFFSET, ONION, DISPLACE, or what stands behind that which sees moved points; `origin` is the frame's, whatever is around. */
uint32_t *tr_alter_write(const struct tr_tree_node *node, const int64_t origin[3], uint32_t *words);
/* POINT_PUSH and the instruction that moves; TR_MOVE_WORDS_MAX at most. */
#define TR_MOVE_WORDS_MAX (2u + TR_CODE_POINT_PUSH_WORDS + TR_CODE_ELONGATE_WORDS)
uint32_t *tr_move_write(const struct tr_tree_node *node, const int64_t origin[3], uint32_t *words);

/* The numbers of a modifier that moves points, in a frame: of POINT_PUSH, and its own. */
struct tr_move {
    double r[3][3], t[3];
    uint32_t code, operand_count;
    double operands[3];
};
struct tr_move tr_move_make(const struct tr_tree_node *node, const int64_t origin[3]);

#endif
