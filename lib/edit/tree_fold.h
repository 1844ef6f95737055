/* The fold of a shape: what its files share. Not for others. */
#ifndef TR_EDIT_TREE_FOLD_H
#define TR_EDIT_TREE_FOLD_H

#include "lib/edit/tree_parts.h"

/* ---- maps ---- */

/* p -> m p + t; m is a rotation or reflection times the factor. */
struct tr_map {
    double m[3][3], t[3], factor;
};

void tr_map_place(const struct tr_map *map, const double p[3], double mapped[3]);
void tr_map_direction(const struct tr_map *map, const double v[3], double mapped[3]);
/* The map of what stands below a transform. */
void tr_map_enter(struct tr_map *map, const struct tr_shape_node *node);
/* The map of a copy that a mirror or repeat makes; the first is what is copied. */
void tr_map_copy(struct tr_map *map, const struct tr_shape_node *node, uint32_t copy);
/* The map within a modifier that moves points: to its axes, from its own place. */
void tr_map_begin(struct tr_map *map, const double axes[3][3], const double about[3]);
/* The numbers of a field where the map leads them: places, directions, lengths; others stay. */
void tr_map_field(const struct tr_map *map, const struct tr_shape_field *field, const double *values,
                  double *mapped);

/* The numbers of the field of that name, among those of a kind that has it. */
const double *tr_field_values(enum tr_shape_kind kind, const double *values, const char *name);
/* The same, of a node as written. */
static inline const double *tr_written_values(const struct tr_shape_node *node, const char *name)
{
    return tr_field_values(node->kind, node->values, name);
}

static const double tr_unit_x[3] = {1, 0, 0}, tr_unit_y[3] = {0, 1, 0};

/* ---- the fold ---- */

/* A node that is still open. */
struct tr_open_node {
    const struct tr_shape_node *written;
    uint32_t index;         /* of it in the shape */
    struct tr_map own, map; /* its own; that of its children */
    double width;           /* of its blend, voxels */
    uint32_t total;         /* children, or copies of the one */
    uint32_t done;          /* of them */
    uint32_t operand;       /* of an operation: the node that all done so far make */
    uint32_t around;        /* of its children: as in tr_tree_node */
};

struct tr_fold {
    const struct tr_shape *shape;
    const struct tr_metres *metres;
    struct tr_tree *tree;
    size_t node_capacity, number_capacity, mover_capacity, picture_capacity, solid_capacity;
    uint32_t weight;  /* of nodes, as TR_TREE_NODES_MAX counts them */
    uint64_t samples; /* of all meshes' fields */
    struct tr_open_node open[TR_SHAPE_DEPTH_MAX];
    uint32_t depth;
};

/* The map of what stands inside the innermost open node. */
const struct tr_map *tr_fold_map(const struct tr_fold *fold);

/* Appends a node that counts as `weight`. */
enum tr_status tr_fold_add(struct tr_fold *fold, enum tr_shape_kind kind, uint32_t weight,
                           struct tr_tree_node **node);
/* Room for numbers of a polyhedron or tube. */
enum tr_status tr_fold_add_numbers(struct tr_fold *fold, struct tr_tree_node *node, uint32_t count,
                                   double **numbers);
/* Appends primitive `index` of the shape as the map has it. */
enum tr_status tr_fold_add_primitive(struct tr_fold *fold, uint32_t index);

enum tr_status tr_fold_refuse(const struct tr_fold *fold, enum tr_shape_kind kind, const char *what);
/* The numbers of a node in voxels, as its map has them, or with map NULL as written. */
enum tr_status tr_fold_convert(const struct tr_fold *fold, const struct tr_map *map,
                               const struct tr_shape_node *node, double *voxels);
/* A place or a length that no field names, after transforms. */
enum tr_status tr_fold_convert_place(const struct tr_fold *fold, const char *name, const double p[3],
                                     double voxels[3]);
enum tr_status tr_fold_convert_length(const struct tr_fold *fold, const char *name, double length,
                                      double *voxels);
/* The ends of a prism or taper must have a way between them, as written too: its direction comes from there. */
enum tr_status tr_fold_check_ends(const struct tr_fold *fold, const struct tr_map *map,
                                  const struct tr_shape_node *written);
/* x along `along` made perpendicular to z, which is along `axis`; y = z x x. Refuses directions that are parallel. */
enum tr_status tr_plane_axes(const struct tr_fold *fold, enum tr_shape_kind kind, const double axis[3],
                             const double along[3], double axes[3][3]);

static inline void tr_node_set_center(struct tr_tree_node *node, const double p[3])
{
    for (int i = 0; i < 3; i++)
        node->a[i] = node->b[i] = p[i];
}

#endif
