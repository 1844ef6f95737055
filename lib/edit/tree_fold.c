/* Shapes meet their world: transforms are folded into the primitives, metres become voxels, and what remains is a list of primitives, of
 * operations on two and of modifiers of one, in postorder. The formulas and their order are EDITS.md's, "Exactly", steps 1 and 2.
 *
 * The fold walks the nodes as written, in preorder, with a stack of the nodes that are still open; its depth is the shape's, at most
 * TR_SHAPE_DEPTH_MAX. What a mirror or repeat copies it walks again for each copy, with the map of that copy. Within a modifier that moves
 * points a new map begins: there places are relative to the modifier's own, along its axes, and only the factor stays. All later
 * passes are loops over the list. */
#include "lib/edit/tree_fold.h"

#include "lib/base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define AXIS_SLANT_MIN 1e-6 /* of the sine between two directions that must not be parallel */

/* ---- the fold ---- */

static const struct tr_map identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}, 1};

const struct tr_map *tr_fold_map(const struct tr_fold *fold)
{
    return fold->depth > 0 ? &fold->open[fold->depth - 1].map : &identity;
}

static uint32_t fold_around(const struct tr_fold *fold)
{
    return fold->depth > 0 ? fold->open[fold->depth - 1].around : 0;
}

/* How far up and down places may lie: as far as the world reaches, but within a modifier, whose axes may lie any way. */
static double fold_y_max(const struct tr_fold *fold)
{
    return fold_around(fold) > 0 ? TR_COORDINATE_MAX : TR_ELEVATION_MAX;
}

/* Appends a node that counts as `weight`. */
enum tr_status tr_fold_add(struct tr_fold *fold, enum tr_shape_kind kind, uint32_t weight,
                           struct tr_tree_node **node)
{
    struct tr_tree *tree = fold->tree;
    enum tr_status status;

    if (weight > TR_TREE_NODES_MAX - fold->weight)
        return tr_fail(
            fold->metres->error, TR_BAD_INPUT,
            "%s: \"shape\" must be of at most %d shapes with all copies and pieces of tubes, found more",
            fold->metres->where, TR_TREE_NODES_MAX);
    status = tr_grow(&tree->nodes, &fold->node_capacity, (size_t)tree->count + 1, sizeof *tree->nodes,
                     fold->metres->error);
    if (status != TR_OK)
        return status;
    fold->weight += weight;
    *node = &tree->nodes[tree->count++];
    (*node)->kind = kind;
    (*node)->around = fold_around(fold);
    return TR_OK;
}

/* Room for numbers of a polyhedron or tube. */
enum tr_status tr_fold_add_numbers(struct tr_fold *fold, struct tr_tree_node *node, uint32_t count,
                                   double **numbers)
{
    struct tr_tree *tree = fold->tree;
    enum tr_status status =
        tr_grow(&tree->numbers, &fold->number_capacity, (size_t)tree->number_count + count,
                sizeof *tree->numbers, fold->metres->error);

    if (status != TR_OK)
        return status;
    node->first = tree->number_count;
    *numbers = tree->numbers + tree->number_count;
    tree->number_count += count;
    return TR_OK;
}

enum tr_status tr_fold_refuse(const struct tr_fold *fold, enum tr_shape_kind kind, const char *what)
{
    return tr_fail(fold->metres->error, TR_BAD_INPUT, "%s: %s of a %s", fold->metres->where, what,
                   tr_shape_infos[kind].name);
}

/* The numbers of a node in voxels, as its map has them, or with map NULL as written. */
enum tr_status tr_fold_convert(const struct tr_fold *fold, const struct tr_map *map,
                               const struct tr_shape_node *node, double *voxels)
{
    const struct tr_shape_field *field = tr_shape_infos[node->kind].fields;
    double mapped[3];
    enum tr_status status = TR_OK;

    for (; field->name && status == TR_OK; field++) {
        const double *values = node->values + field->first;

        if (node->kind == TR_SHAPE_MESH && !node->more->has_cell)
            continue; /* it follows from the mesh */
        if (map) {
            tr_map_field(map, field, values, mapped);
            values = mapped;
        }
        status = tr_metres_convert_field(fold->metres, field, map ? " after transforms" : "", values,
                                         map ? fold_y_max(fold) : TR_ELEVATION_MAX, voxels + field->first);
    }
    return status;
}

/* A place or a length that no field names. */
enum tr_status tr_fold_convert_place(const struct tr_fold *fold, const char *name, const double p[3],
                                     double voxels[3])
{
    return tr_metres_convert_place(fold->metres, name, " after transforms", p, fold_y_max(fold), voxels);
}

enum tr_status tr_fold_convert_length(const struct tr_fold *fold, const char *name, double length,
                                      double *voxels)
{
    return tr_metres_convert(fold->metres, name, " after transforms", length, TR_SHAPE_RADIUS_MAX, voxels);
}

/* x along `along` made perpendicular to z, which is along `axis`. */
enum tr_status tr_plane_axes(const struct tr_fold *fold, enum tr_shape_kind kind, const double axis[3],
                             const double along[3], double axes[3][3])
{
    double direction[3], across[3], part;

    tr_unit(axis, axes[2]);
    tr_unit(along, direction);
    part = tr_dot(direction, axes[2]);
    for (int i = 0; i < 3; i++)
        across[i] = direction[i] - part * axes[2][i];
    if (!(tr_dot(across, across) >= AXIS_SLANT_MIN * AXIS_SLANT_MIN))
        return tr_fold_refuse(fold, kind, "\"along\" must not be parallel to \"axis\"");
    tr_unit(across, axes[0]);
    tr_cross(axes[2], axes[0], axes[1]);
    return TR_OK;
}

/* The ends of a prism or taper must have a way between them, as written too: its direction comes from there. */
enum tr_status tr_fold_check_ends(const struct tr_fold *fold, const struct tr_map *map,
                                  const struct tr_shape_node *written)
{
    const double *from = tr_written_values(written, "from"), *to = tr_written_values(written, "to");
    double along[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};

    if (sqrt(tr_dot(along, along)) * map->factor / fold->metres->voxel_size >= TR_SHAPE_ENDS_MIN)
        return TR_OK;
    return tr_fail(fold->metres->error, TR_BAD_INPUT, "%s: \"from\" and \"to\" of a %s must not coincide",
                   fold->metres->where, tr_shape_infos[written->kind].name);
}

/* ---- operations and modifiers ---- */

/* The axes of a modifier that moves points, in the coordinates that it was written in. */
static enum tr_status mover_axes(const struct tr_fold *fold, const struct tr_shape_node *written,
                                 double axes[3][3])
{
    double along[3];

    switch (written->kind) {
    case TR_SHAPE_TWIST:
        tr_unit(tr_written_values(written, "axis"), axes[1]);
        break;
    case TR_SHAPE_TAPER:
        for (int i = 0; i < 3; i++)
            along[i] = tr_written_values(written, "to")[i] - tr_written_values(written, "from")[i];
        tr_unit(along, axes[1]);
        break;
    case TR_SHAPE_BEND:
        return tr_plane_axes(fold, TR_SHAPE_BEND, tr_written_values(written, "axis"),
                             tr_written_values(written, "along"), axes);
    default:
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                axes[i][j] = i == j ? 1.0 : 0.0;
        return TR_OK;
    }
    tr_axes_across(axes[1], tr_unit_y, tr_unit_x, axes[2], axes[0]);
    return TR_OK;
}

/* Opens what moves points: it gets its place among them now, so that outer ones come first; its node comes behind those within. */
static enum tr_status open_mover(struct tr_fold *fold, struct tr_open_node *open)
{
    struct tr_tree *tree = fold->tree;
    const char *about = open->written->kind == TR_SHAPE_TAPER ? "from" : "about";
    double axes[3][3];
    uint32_t depth = 1;
    enum tr_status status =
        open->written->kind == TR_SHAPE_TAPER ? tr_fold_check_ends(fold, &open->own, open->written) : TR_OK;

    if (status == TR_OK)
        status = mover_axes(fold, open->written, axes);
    if (status == TR_OK)
        status = tr_grow(&tree->movers, &fold->mover_capacity, (size_t)tree->mover_count + 1,
                         sizeof *tree->movers, fold->metres->error);
    if (status != TR_OK)
        return status;
    for (uint32_t i = 0; i < fold->depth; i++)
        depth += tr_shape_moves_points(fold->open[i].written->kind);
    if (depth > TR_SHAPE_MOVERS_MAX)
        return tr_fail(
            fold->metres->error, TR_BAD_INPUT,
            "%s: \"shape\" must have at most %d of elongate, twist, bend and taper within each other, "
            "found more",
            fold->metres->where, TR_SHAPE_MOVERS_MAX);
    tr_map_begin(&open->map, (const double(*)[3])axes, tr_written_values(open->written, about));
    open->around = ++tree->mover_count;
    return TR_OK;
}

/* How many copies a modifier makes; 0 when there are too many. */
static uint32_t copies_of(const struct tr_shape_node *node)
{
    const double *count;

    if (node->kind == TR_SHAPE_MIRROR)
        return 2;
    count = tr_written_values(node, "count");
    if (count[0] * count[1] * count[2] > TR_SHAPE_COPIES_MAX)
        return 0;
    return (uint32_t)(count[0] * count[1] * count[2]);
}

static enum tr_status open_copies(const struct tr_fold *fold, struct tr_open_node *open)
{
    open->total = copies_of(open->written);
    if (open->total == 0)
        return tr_fail(fold->metres->error, TR_BAD_INPUT, "%s: \"count\" must be of at most %d copies",
                       fold->metres->where, TR_SHAPE_COPIES_MAX);
    tr_map_copy(&open->map, open->written, 0);
    return TR_OK;
}

static enum tr_status open_operation(const struct tr_fold *fold, struct tr_open_node *open)
{
    double unused, width_m = open->written->blend.width_m;
    enum tr_status status =
        tr_metres_convert(fold->metres, "width", "", width_m, TR_SHAPE_RADIUS_MAX, &unused);

    if (status == TR_OK)
        status = tr_fold_convert_length(fold, "width", width_m * open->map.factor, &open->width);
    return status;
}

/* Opens node `index` of the shape. */
static enum tr_status open_node(struct tr_fold *fold, uint32_t index)
{
    const struct tr_shape_node *written = &fold->shape->nodes[index];
    struct tr_open_node open = {.written = written, .index = index, .own = *tr_fold_map(fold)};
    enum tr_status status = TR_OK;

    assert(fold->depth < TR_SHAPE_DEPTH_MAX);
    open.map = open.own;
    open.total = written->child_count;
    open.around = fold_around(fold);
    if (tr_shape_is_transform(written->kind))
        tr_map_enter(&open.map, written);
    else if (tr_shape_is_operation(written->kind))
        status = open_operation(fold, &open);
    else if (tr_shape_moves_points(written->kind))
        status = open_mover(fold, &open);
    else if (written->kind == TR_SHAPE_MIRROR || written->kind == TR_SHAPE_REPEAT)
        status = open_copies(fold, &open);
    if (status == TR_OK)
        fold->open[fold->depth++] = open;
    return status;
}

/* The union or other operation of what is done so far and the last child. */
static enum tr_status close_operand(struct tr_fold *fold, const struct tr_open_node *open)
{
    bool is_operation = tr_shape_is_operation(open->written->kind);
    struct tr_tree_node *node;
    enum tr_status status = tr_fold_add(fold, is_operation ? open->written->kind : TR_SHAPE_UNION, 1, &node);

    if (status != TR_OK)
        return status;
    node->left = open->operand;
    if (is_operation && open->width >= TR_VOXELS_TINY) { /* else hard */
        node->blend = open->written->blend.kind;
        node->steps = node->blend == TR_BLEND_STAIRS ? open->written->blend.steps : 0;
        node->width = node->blend == TR_BLEND_HARD ? 0.0 : open->width;
    }
    return TR_OK;
}

static void set_displace(struct tr_tree_node *node, const struct tr_shape_node *written, const double *voxels)
{
    node->steps = (uint32_t)*tr_written_values(written, "octaves");
    node->size[0] = *tr_field_values(TR_SHAPE_DISPLACE, voxels, "strength") / tr_octaves_weight(node->steps);
    node->size[1] = *tr_field_values(TR_SHAPE_DISPLACE, voxels, "scale");
    node->seed = (uint32_t)written->more->seed ^ (uint32_t)(written->more->seed >> 32);
}

static void set_mover(struct tr_tree_node *node, const struct tr_map *map,
                      const struct tr_shape_node *written, const double *voxels, const double axes[3][3])
{
    enum tr_shape_kind kind = written->kind;
    double along[3];

    for (int i = 0; i < 3; i++)
        tr_map_direction(map, axes[i], node->rows[i]);
    tr_node_set_center(node, tr_field_values(kind, voxels, kind == TR_SHAPE_TAPER ? "from" : "about"));
    if (kind == TR_SHAPE_ELONGATE) {
        for (int i = 0; i < 3; i++)
            node->size[i] = tr_field_values(kind, voxels, "by")[i] / 2.0;
    } else if (kind == TR_SHAPE_TAPER) {
        for (int i = 0; i < 3; i++)
            along[i] = tr_field_values(kind, voxels, "to")[i] - node->a[i];
        node->size[0] = sqrt(tr_dot(along, along));
        node->size[1] = *tr_field_values(kind, voxels, "factor");
    } else {
        node->size[0] = *tr_field_values(kind, voxels, "degrees_per_metre");
    }
}

/* The modifier's own node, behind what is within. fold->depth is the modifier's own. */
static enum tr_status close_modifier(struct tr_fold *fold, const struct tr_open_node *open)
{
    const struct tr_shape_node *written = open->written;
    double voxels[TR_SHAPE_VALUES_MAX] = {0}, axes[3][3];
    struct tr_tree_node *node;
    enum tr_status status = tr_fold_convert(fold, &open->own, written, voxels);

    if (status == TR_OK)
        status = tr_fold_add(fold, written->kind, 1, &node);
    if (status != TR_OK)
        return status;
    if (written->kind == TR_SHAPE_ROUND) {
        node->size[0] = *tr_field_values(written->kind, voxels, "by");
    } else if (written->kind == TR_SHAPE_ONION) {
        node->size[0] = *tr_field_values(written->kind, voxels, "thickness") / 2.0;
    } else if (written->kind == TR_SHAPE_DISPLACE) {
        set_displace(node, written, voxels);
    } else {
        status = mover_axes(fold, written, axes);
        if (status == TR_OK)
            set_mover(node, &open->own, written, voxels, (const double(*)[3])axes);
        fold->tree->movers[open->around - 1] = fold->tree->count - 1;
    }
    return status;
}

/* The last child of the innermost open node is the tree's last node. */
static enum tr_status close_child(struct tr_fold *fold)
{
    struct tr_open_node *open = &fold->open[fold->depth - 1];
    enum tr_shape_kind kind = open->written->kind;
    bool is_kept = tr_shape_is_modifier(kind) && kind != TR_SHAPE_MIRROR && kind != TR_SHAPE_REPEAT;
    enum tr_status status = TR_OK;

    fold->depth--; /* what is appended now is outside of it */
    if (open->done > 0)
        status = close_operand(fold, open);
    else if (is_kept)
        status = close_modifier(fold, open);
    fold->depth++;
    open->operand = fold->tree->count - 1;
    open->done++;
    return status;
}

/* Closes all that the last child ends; *next is the node of the shape that comes then: behind it, or what is copied once more. */
static enum tr_status close_nodes(struct tr_fold *fold, uint32_t *next)
{
    enum tr_status status = TR_OK;

    while (fold->depth > 0) {
        struct tr_open_node *open = &fold->open[fold->depth - 1];

        status = close_child(fold);
        if (status != TR_OK)
            break;
        if (open->done < open->total) {
            if (open->written->child_count == 1) {
                open->map = open->own;
                tr_map_copy(&open->map, open->written, open->done);
                *next = open->index + 1;
            }
            break;
        }
        fold->depth--;
    }
    return status;
}

enum tr_status tr_tree_fold(struct tr_tree *tree, const struct tr_shape *shape,
                            const struct tr_metres *metres)
{
    struct tr_fold *fold = tr_alloc(1, sizeof *fold, metres->error);
    enum tr_status status = fold ? TR_OK : TR_IO;

    if (status != TR_OK)
        return status;
    fold->shape = shape;
    fold->metres = metres;
    fold->tree = tree;
    for (uint32_t i = 0; i < shape->count && status == TR_OK;) {
        const struct tr_shape_node *node = &shape->nodes[i];
        double unused[TR_SHAPE_VALUES_MAX];

        status = tr_fold_convert(fold, NULL, node, unused);
        if (status == TR_OK && node->child_count > 0) {
            status = open_node(fold, i++);
        } else if (status == TR_OK) {
            status = tr_fold_add_primitive(fold, i++);
            if (status == TR_OK)
                status = close_nodes(fold, &i);
        }
    }
    assert(status != TR_OK || (fold->depth == 0 && tree->count > 0));
    free(fold);
    return status;
}
