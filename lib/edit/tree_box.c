/* Boxes of trees. A primitive's value is at least the distance from its own box, so where it is at most R lies within that box grown by R. A union
 * dips below the least of its operands x, y where it blends, and may be at most R although neither operand is. But (blend.h)
 *
 *   either   x <= R + dip or y <= R + dip      dip: smooth k / 4; chamfer and stairs k / 2, since x + y - k <= 2R (chamfer: sqrt(2) R)
 *   or       x <= R or y <= R + k              since union(x, y) >= union(R, R + k) = R for greater x and y
 *
 * The first holds for two primitives. The second keeps R on the side of an operation, so that a long list of operands grows each of them
 * once and not by the whole list. What is taken from a shape, or cut by another, is at least the shape's own value: R stays. A round,
 * an onion and a displace are at most R where what is within is at most R and what they add. All that is added up from the root down, and
 * the primitives' boxes grow by it.
 *
 * A modifier that moves points is at most R at the points that it moves into the box of what is within, grown by R. That is found in the
 * modifier's own coordinates, where
 *
 *   elongate   pulls each side of the box away by half of `by`
 *   twist      keeps the distance from the axis: the points lie in the square around the circle through the box's farthest edge
 *   bend       the same about z
 *   taper      leaves points across the axis between where they are and there times `factor`
 *
 * and the box around it, turned back, is the modifier's. What R adds there is more than R: a corner that grows by R to all sides moves
 * sqrt(2) R away from the axis, and so on. So each box grows by R times its node's spread, 1 for a primitive. The way through a
 * modifier is computed in float by kernels, relative to its place: ROUNDING of the greatest coordinate is added for that. */
#include "lib/edit/tree_parts.h"

#include "lib/base/dmath.h"
#include "lib/edit/polyhedron.h"

#define NOISE_MOST 2.25 /* the sum of octaves over the sum of their weights, brush_noise.h */
#define ROUNDING 0x1p-19
#define REACH_MOST 64.0 /* voxels: more than any R that is asked for */

/* ---- growth ---- */

/* By how much the operands' boxes of a union grow. */
static void union_growth(const struct tr_tree_node *node, bool left_is_operation, bool right_is_operation,
                         double *left, double *right)
{
    double k = node->width, dip = node->blend == TR_BLEND_SMOOTH ? 0.25 * k : 0.5 * k; /* hard: k is 0 */

    *left = left_is_operation == right_is_operation ? dip : left_is_operation ? 0.0 : k;
    *right = left_is_operation == right_is_operation ? dip : left_is_operation ? k : 0.0;
}

/* By how much a modifier's value may be below that of what is within. */
static double modifier_growth(const struct tr_tree_node *node)
{
    switch (node->kind) {
    case TR_SHAPE_ROUND:
    case TR_SHAPE_ONION:
        return node->size[0];
    case TR_SHAPE_DISPLACE:
        return NOISE_MOST * node->size[0] * tr_octaves_weight(node->steps);
    default:
        return 0.0;
    }
}

/* Growth comes from the root down. */
static void set_growth(struct tr_tree *tree)
{
    for (uint32_t i = tree->count; i-- > 0;) {
        struct tr_tree_node *node = &tree->nodes[i], *left, *right;
        double left_growth = 0.0, right_growth = 0.0;

        if (tr_node_is_modifier(node))
            node[-1].growth = node->growth + modifier_growth(node);
        if (!tr_node_is_operation(node))
            continue;
        left = &tree->nodes[node->left];
        right = node - 1;
        if (node->kind == TR_SHAPE_UNION)
            union_growth(node, tr_node_is_operation(left), tr_node_is_operation(right), &left_growth,
                         &right_growth);
        left->growth = node->growth + left_growth;
        right->growth = node->growth + right_growth;
    }
}

/* ---- primitives ---- */

/* How far a disc of radius 1 across u reaches along a coordinate. */
static double across(double u)
{
    double rest = 1.0 - u * u;

    return rest > 0.0 ? sqrt(rest) : 0.0;
}

/* How far a box of these half sides along its rows reaches along a coordinate. */
static double rows_extent(const double rows[3][3], const double half[3], int axis)
{
    return fabs(rows[0][axis]) * half[0] + fabs(rows[1][axis]) * half[1] + fabs(rows[2][axis]) * half[2];
}

/* How far a primitive of numbers reaches from its end a, and from b, along one coordinate. */
static void extents(const struct tr_tree_node *node, int axis, double *at_a, double *at_b)
{
    const double *size = node->size;
    const double half[3] = {0.5 * size[0], 0.5 * size[1], 0.5 * size[2]};
    const double link[3] = {0.5 * size[0] + size[1] + size[2], size[1] + size[2], size[2]};
    double along[3], u[3];

    switch (node->kind) {
    case TR_SHAPE_BOX:
    case TR_SHAPE_HEIGHT_MAP:
        *at_a = *at_b = rows_extent(node->rows, half, axis);
        break;
    case TR_SHAPE_ELLIPSOID: /* its value is known to be at least the distance from the box around it */
        *at_a = *at_b = rows_extent(node->rows, size, axis);
        break;
    case TR_SHAPE_LINK:
        *at_a = *at_b = rows_extent(node->rows, link, axis);
        break;
    case TR_SHAPE_TORUS:
        *at_a = *at_b = size[0] * across(node->rows[0][axis]) + size[1];
        break;
    case TR_SHAPE_CYLINDER:
    case TR_SHAPE_CONE:
    case TR_SHAPE_CAPPED_CONE:
        for (int i = 0; i < 3; i++)
            along[i] = node->b[i] - node->a[i];
        tr_unit(along, u);
        *at_a = size[0] * across(u[axis]);
        *at_b = node->kind == TR_SHAPE_CYLINDER ? *at_a : size[1] * across(u[axis]); /* cone: size[1] is 0 */
        break;
    default: /* sphere, capsule */
        *at_a = *at_b = size[0];
    }
}

static void box_add(struct tr_tree_node *node, int axis, double lo, double hi)
{
    node->lo[axis] = tr_least(node->lo[axis], lo);
    node->hi[axis] = tr_greatest(node->hi[axis], hi);
}

static void add_corners(const struct tr_tree *tree, struct tr_tree_node *node)
{
    const double *numbers = tree->numbers + node->first;
    uint32_t count = node->kind == TR_SHAPE_PRISM ? 2 * node->steps : node->kind == TR_SHAPE_PYRAMID ? 5 : 6;

    for (uint32_t i = 0; i < 3 * count; i++)
        box_add(node, (int)(i % 3), numbers[i], numbers[i]);
}

/* A round piece reaches as far as the balls around its ends, a square one as far as the squares across it there. */
static void add_pieces(const struct tr_tree *tree, struct tr_tree_node *node)
{
    for (uint32_t k = 0; k < node->count; k++) {
        const double *piece = tree->numbers + node->first + TR_TUBE_PIECE_NUMBERS * k;

        for (int axis = 0; axis < 3; axis++) {
            double out =
                node->steps == TR_PROFILE_SQUARE ? fabs(piece[11 + axis]) + fabs(piece[14 + axis]) : 1.0;

            for (int end = 0; end < 2; end++) {
                double p = piece[3 * end + axis], r = piece[6 + end] * out;

                box_add(node, axis, p - r, p + r);
            }
        }
    }
}

/* The box of the mesh itself, turned with it. */
static void add_solid(const struct tr_tree *tree, struct tr_tree_node *node)
{
    const struct tr_tree_solid *solid = &tree->solids[node->first];
    double scale = node->size[0] / solid->cell, half[3], middle[3];

    for (int i = 0; i < 3; i++) {
        half[i] = 0.5 * scale * (solid->max[i] - solid->min[i]);
        /* vertices were moved by up to 2^-17 cell */
        half[i] += 0x1p-16 * node->size[0];
        middle[i] = scale * (0.5 * (solid->min[i] + solid->max[i]) - tr_solid_first(solid, i));
    }
    for (int axis = 0; axis < 3; axis++) {
        double at = node->a[axis] + node->rows[0][axis] * middle[0] + node->rows[1][axis] * middle[1] +
                    node->rows[2][axis] * middle[2];
        double extent = rows_extent(node->rows, half, axis);

        box_add(node, axis, at - extent, at + extent);
    }
}

static void set_primitive_box(const struct tr_tree *tree, struct tr_tree_node *node)
{
    bool is_endless = node->kind == TR_SHAPE_HALF_SPACE;

    node->spread = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        node->lo[axis] = is_endless ? -INFINITY : INFINITY;
        node->hi[axis] = is_endless ? INFINITY : -INFINITY;
    }
    if (is_endless)
        return;
    if (tr_node_is_polyhedron(node)) {
        add_corners(tree, node);
    } else if (node->kind == TR_SHAPE_TUBE) {
        add_pieces(tree, node);
    } else if (node->kind == TR_SHAPE_MESH) {
        add_solid(tree, node);
    } else {
        for (int axis = 0; axis < 3; axis++) {
            double a = node->a[axis], b = node->b[axis], at_a, at_b;

            extents(node, axis, &at_a, &at_b);
            box_add(node, axis, tr_least(a - at_a, b - at_b), tr_greatest(a + at_a, b + at_b));
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        node->lo[axis] -= node->growth;
        node->hi[axis] += node->growth;
    }
}

/* ---- operations and modifiers ---- */

static void set_operation_box(struct tr_tree_node *node, const struct tr_tree_node *left,
                              const struct tr_tree_node *right)
{
    node->spread = node->kind == TR_SHAPE_SUBTRACT ? left->spread : tr_greatest(left->spread, right->spread);
    for (int axis = 0; axis < 3; axis++) {
        node->lo[axis] = node->kind == TR_SHAPE_UNION       ? tr_least(left->lo[axis], right->lo[axis])
                         : node->kind == TR_SHAPE_INTERSECT ? tr_greatest(left->lo[axis], right->lo[axis])
                                                            : left->lo[axis];
        node->hi[axis] = node->kind == TR_SHAPE_UNION       ? tr_greatest(left->hi[axis], right->hi[axis])
                         : node->kind == TR_SHAPE_INTERSECT ? tr_least(left->hi[axis], right->hi[axis])
                                                            : left->hi[axis];
    }
}

/* The farthest that a box of two coordinates reaches from their middle. */
static double farthest(double lo_1, double hi_1, double lo_2, double hi_2)
{
    double one = tr_greatest(fabs(lo_1), fabs(hi_1)), two = tr_greatest(fabs(lo_2), fabs(hi_2));

    return sqrt(one * one + two * two);
}

/* From the box of what is within to the box of the points that are moved there, in the modifier's coordinates; *spread is what R is
 * multiplied by. */
static void unmove(const struct tr_tree_node *node, double lo[3], double hi[3], double *spread)
{
    double d;

    switch (node->kind) {
    case TR_SHAPE_ELONGATE:
        for (int i = 0; i < 3; i++) {
            lo[i] -= node->size[i];
            hi[i] += node->size[i];
        }
        break;
    case TR_SHAPE_TAPER:
        for (int i = 0; i < 3; i += 2) {
            lo[i] = tr_least(lo[i], lo[i] * node->size[1]);
            hi[i] = tr_greatest(hi[i], hi[i] * node->size[1]);
        }
        *spread *= tr_greatest(node->size[1], 1.0);
        break;
    default: {
        int second =
            node->kind == TR_SHAPE_TWIST ? 2 : 1; /* the other axis of the plane of x in which points turn */

        d = farthest(lo[0], hi[0], lo[second], hi[second]);
        lo[0] = lo[second] = -d;
        hi[0] = hi[second] = d;
        *spread *= sqrt(2.0);
    }
    }
}

static void set_mover_box(struct tr_tree_node *node, const struct tr_tree_node *within)
{
    double lo[3], hi[3], middle[3], half[3], size = 0.0, spread = within->spread, turn = 0.0;

    for (int i = 0; i < 3; i++) {
        lo[i] = within->lo[i];
        hi[i] = within->hi[i];
    }
    unmove(node, lo, hi, &spread);
    for (int i = 0; i < 3; i++)
        size += tr_greatest(fabs(lo[i]), fabs(hi[i])) + REACH_MOST * spread;
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5 * (lo[i] + hi[i]);
        half[i] = 0.5 * (hi[i] - lo[i]) + ROUNDING * size;
    }
    for (int axis = 0; axis < 3; axis++) {
        double at = node->a[axis] + node->rows[0][axis] * middle[0] + node->rows[1][axis] * middle[1] +
                    node->rows[2][axis] * middle[2];
        double extent = rows_extent(node->rows, half, axis);

        node->lo[axis] = isfinite(size) ? at - extent : -INFINITY;
        node->hi[axis] = isfinite(size) ? at + extent : INFINITY;
        turn = tr_greatest(turn,
                           fabs(node->rows[0][axis]) + fabs(node->rows[1][axis]) + fabs(node->rows[2][axis]));
    }
    node->spread = spread * turn;
}

/* A round, onion or displace: growth has been handed down. */
static void set_modifier_box(struct tr_tree_node *node, const struct tr_tree_node *within)
{
    node->spread = within->spread;
    for (int axis = 0; axis < 3; axis++) {
        node->lo[axis] = within->lo[axis];
        node->hi[axis] = within->hi[axis];
    }
}

/* Boxes of all nodes for R = 0; for another they grow by it times the spread, since hulls and overlaps do. */
void tr_tree_set_boxes(struct tr_tree *tree)
{
    set_growth(tree);
    for (uint32_t i = 0; i < tree->count; i++) {
        struct tr_tree_node *node = &tree->nodes[i];

        if (tr_node_is_operation(node)) {
            set_operation_box(node, &tree->nodes[node->left], node - 1);
        } else if (tr_node_moves_points(node)) {
            set_mover_box(node, node - 1);
        } else if (tr_node_is_modifier(node)) {
            set_modifier_box(node, node - 1);
        } else {
            set_primitive_box(tree, node);
        }
    }
}

bool tr_tree_box(const struct tr_tree *tree, double reach, double lo[3], double hi[3])
{
    const struct tr_tree_node *root = &tree->nodes[tree->count - 1];

    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = root->lo[axis] - reach * root->spread;
        hi[axis] = root->hi[axis] + reach * root->spread;
    }
    return isfinite(lo[0]) && isfinite(hi[0]);
}
