/* Code of a tree for one frame (shaders/tree.h): what matters there, in the order that needs the fewest distances at once.
 *
 * Pruning asks which operands matter, from the root down. Each node has a range of values that its reader can tell apart: a pruned
 * operand has the same value where that lies within its range, else one on the same side of it. The root's range ends at `reach`. For a
 * union of x and y of which values up to v count, with T(v) the distance from which on an operand cannot change one at v (blend.h):
 *
 *   y >= T(min(greatest x, v)) everywhere: y is left out. Where x <= v the union is x, to the bit; where x > v it is above v either way.
 *   else both stay, each with values up to T(v) counting: beyond, union(x, y) >= union(T(v), y), which is y or above v.
 *
 * Subtraction and intersection are unions of what is negated, with the range turned around; only the first operand of a subtraction is
 * never left out, since the second would have to be negated. A round, an onion and a displace hand the range down by what they add, a
 * modifier that moves points as it is: bounds of what is within are over the box of the moved points. Pieces of a tube are a hard union; one
 * that is everywhere farther than another can be is left out whatever counts. */
#include "lib/edit/tree_parts.h"

#include "lib/base/alloc.h"
#include "lib/base/dmath.h"

#include <stdlib.h>
#include <string.h>

#define BLEND_ERROR 0x1p-20 /* of the operands and the width */
#define PRUNE_SLACK 0x1p-10 /* voxels, beside BLEND_ERROR: keeps "above" strict */
#define NOISE_MOST 2.251    /* brush_noise.h, and rounding */
#define SMALL_TREE 64u      /* nodes: code for these needs no memory but the words */
#define FEW_MOVERS 4u

/* What is known of a node in a frame, pass by pass. */
struct visit {
    struct tr_span bounds;        /* of its value, nothing left out */
    struct tr_span range;         /* values that its reader can tell apart */
    bool is_kept;                 /* its value is computed */
    bool keeps_left, keeps_right; /* operations */
    bool right_first;             /* the second operand is computed first: it needs the larger stack */
    uint32_t stack;               /* distances that it needs at once */
    size_t count, first;          /* of its words */
};

struct pruning {
    const struct tr_tree *tree;
    struct tr_frame frame; /* of nodes that no modifier moves points for */
    struct tr_frame moved; /* of those within one */
    struct visit *visits;  /* one a node */
    struct tr_region
        *regions; /* of points: the frame's, then one a modifier that moves them, what it moves them to */
};

static const struct tr_frame *frame_of(const struct pruning *pruning, const struct tr_tree_node *node)
{
    return node->around == 0 ? &pruning->frame : &pruning->moved;
}

/* ---- bounds ---- */

/* Outer modifiers come first. */
static void find_regions(struct pruning *pruning)
{
    const struct tr_tree *tree = pruning->tree;

    for (uint32_t i = 0; i < tree->mover_count; i++) {
        const struct tr_tree_node *node = &tree->nodes[tree->movers[i]];
        struct tr_move move = tr_move_make(node, frame_of(pruning, node)->origin);
        struct tr_region pushed =
            tr_region_push(&pruning->regions[node->around], (const double(*)[3])move.r, move.t);

        pruning->regions[i + 1] = tr_region_move(&pushed, move.code, move.operands);
    }
}

static struct tr_span piece_span(const struct pruning *pruning, const struct tr_tree_node *node,
                                 uint32_t piece)
{
    uint32_t words[TR_TUBE_SEGMENT_WORDS];

    tr_tube_write_piece(pruning->tree, node, piece, frame_of(pruning, node), words);
    return tr_piece_span(words, 0, node->steps, &pruning->regions[node->around]);
}

/* How many pieces of a tube matter: those that may be nearer than the one that is surely near. */
static bool piece_matters(const struct pruning *pruning, const struct tr_tree_node *node, uint32_t piece,
                          double nearest)
{
    return piece_span(pruning, node, piece).lo <= nearest;
}

static void find_tube_bounds(struct pruning *pruning, const struct tr_tree_node *node, struct visit *visit)
{
    uint32_t count = 0;

    visit->bounds = piece_span(pruning, node, 0);
    for (uint32_t k = 1; k < node->count; k++) {
        struct tr_span span = piece_span(pruning, node, k);

        visit->bounds.lo = tr_least(visit->bounds.lo, span.lo);
        visit->bounds.hi = tr_least(visit->bounds.hi, span.hi);
    }
    for (uint32_t k = 0; k < node->count; k++)
        count += piece_matters(pruning, node, k, visit->bounds.hi);
    visit->count = TR_TUBE_HEAD_WORDS + (size_t)TR_TUBE_SEGMENT_WORDS * count;
}

static void find_leaf_bounds(struct pruning *pruning, const struct tr_tree_node *node, struct visit *visit)
{
    const struct tr_region *region = &pruning->regions[node->around];
    struct tr_frame middle = *frame_of(pruning, node); /* no bound looks at more of a picture or field */
    uint32_t words[TR_LEAF_WORDS_MAX], unused;

    middle.crop = (struct tr_crop){.is_whole = false};
    memcpy(middle.crop.middle, region->middle, sizeof region->middle);
    tr_leaf_write(pruning->tree, node, &middle, words);
    visit->bounds = tr_leaf_span(words, 0, region, &unused);
    visit->count = tr_leaf_words(pruning->tree, node, frame_of(pruning, node));
}

static void find_modifier_bounds(const struct pruning *pruning, const struct tr_tree_node *node,
                                 struct visit *visit)
{
    uint32_t words[TR_MOVE_WORDS_MAX > TR_ALTER_WORDS_MAX ? TR_MOVE_WORDS_MAX : TR_ALTER_WORDS_MAX];
    const struct visit *within = visit - 1;

    if (tr_node_moves_points(node)) {
        visit->bounds = within->bounds;
        visit->count = (size_t)(tr_move_write(node, frame_of(pruning, node)->origin, words) - words) + 1;
    } else {
        visit->count = (size_t)(tr_alter_write(node, pruning->frame.origin, words) - words);
        visit->bounds = tr_alter_span(words, 0, within->bounds);
    }
}

static void find_bounds(struct pruning *pruning)
{
    uint32_t words[1 + TR_CODE_BLEND_WORDS];

    for (uint32_t i = 0; i < pruning->tree->count; i++) {
        const struct tr_tree_node *node = &pruning->tree->nodes[i];
        struct visit *visit = &pruning->visits[i];

        if (tr_node_is_operation(node)) {
            tr_blend_write(node, false, words);
            visit->bounds =
                tr_blend_span(words, 1, pruning->visits[node->left].bounds, pruning->visits[i - 1].bounds);
            visit->count = 1 + TR_CODE_BLEND_WORDS;
        } else if (tr_node_is_modifier(node)) {
            find_modifier_bounds(pruning, node, visit);
        } else if (node->kind == TR_SHAPE_TUBE) {
            find_tube_bounds(pruning, node, visit);
        } else {
            find_leaf_bounds(pruning, node, visit);
        }
    }
}

/* ---- pruning ---- */

static struct tr_span negated(struct tr_span span)
{
    return (struct tr_span){-span.hi, -span.lo};
}

/* T(v): from here on an operand of a union changes no value up to v, with some slack. */
static double union_reach(const struct tr_tree_node *node, double v)
{
    double k = node->width, reach = v;

    if (node->blend == TR_BLEND_SMOOTH || node->blend == TR_BLEND_STAIRS)
        reach = v + k;
    else if (node->blend == TR_BLEND_CHAMFER) /* (x + y - k) / sqrt 2 >= v from x = v on */
        reach = tr_greatest(v, 0.41421356237309503 * v + k);
    return reach + PRUNE_SLACK + BLEND_ERROR * (fabs(v) + k);
}

/* Decides which operands of a kept operation stay, and hands ranges down. */
static void prune_operation(struct pruning *pruning, uint32_t i)
{
    const struct tr_tree_node *node = &pruning->tree->nodes[i];
    struct visit *visit = &pruning->visits[i], *left = &pruning->visits[node->left], *right = visit - 1;
    bool left_turns = node->kind != TR_SHAPE_UNION, right_turns = node->kind == TR_SHAPE_INTERSECT;
    struct tr_span x = left_turns ? negated(left->bounds) : left->bounds;
    struct tr_span y = right_turns ? negated(right->bounds) : right->bounds;
    struct tr_span range = left_turns ? negated(visit->range) : visit->range; /* of the union */

    visit->keeps_right = y.lo < union_reach(node, tr_least(x.hi, range.hi));
    visit->keeps_left = !visit->keeps_right || left_turns != right_turns ||
                        x.lo < union_reach(node, tr_least(y.hi, range.hi));
    if (visit->keeps_left && visit->keeps_right)
        range.hi = union_reach(node, range.hi);
    left->is_kept = visit->keeps_left;
    left->range = left_turns ? negated(range) : range;
    right->is_kept = visit->keeps_right;
    right->range = right_turns ? negated(range) : range;
}

/* What is within a modifier, whose value is that less or more by no more than `by`. */
static void prune_modifier(struct pruning *pruning, uint32_t i)
{
    const struct tr_tree_node *node = &pruning->tree->nodes[i];
    const struct visit *visit = &pruning->visits[i];
    struct visit *within = &pruning->visits[i - 1];
    struct tr_span range = visit->range;
    double by = tr_node_moves_points(node) ? 0.0 : node->size[0], slack = 0.0;

    if (node->kind == TR_SHAPE_DISPLACE)
        by = by * NOISE_MOST * tr_octaves_weight(node->steps);
    if (by > 0.0)
        slack = PRUNE_SLACK + BLEND_ERROR * by;
    range.hi += by + slack + (slack > 0.0 ? BLEND_ERROR * fabs(range.hi) : 0.0);
    range.lo -= by + slack + (slack > 0.0 ? BLEND_ERROR * fabs(range.lo) : 0.0);
    if (node->kind == TR_SHAPE_ONION) /* both sides of the surface are one */
        range.lo = tr_least(range.lo, -range.hi);
    within->is_kept = true;
    within->range = range;
}

static void prune(struct pruning *pruning, double reach)
{
    uint32_t root = pruning->tree->count - 1;

    for (uint32_t i = 0; i <= root; i++)
        pruning->visits[i].is_kept = false;
    pruning->visits[root].is_kept = true;
    pruning->visits[root].range = (struct tr_span){-INFINITY, reach};
    for (uint32_t i = root + 1; i-- > 0;) {
        const struct tr_tree_node *node = &pruning->tree->nodes[i];

        if (!pruning->visits[i].is_kept)
            continue;
        if (tr_node_is_operation(node))
            prune_operation(pruning, i);
        else if (tr_node_is_modifier(node))
            prune_modifier(pruning, i);
    }
}

/* ---- writing ---- */

static void measure_operation(struct pruning *pruning, uint32_t i)
{
    struct visit *visit = &pruning->visits[i];
    const struct visit *left = &pruning->visits[pruning->tree->nodes[i].left], *right = visit - 1;

    if (!visit->keeps_left || !visit->keeps_right) {
        const struct visit *kept = visit->keeps_left ? left : right;

        visit->stack = kept->stack;
        visit->count = kept->count;
        return;
    }
    visit->right_first = right->stack > left->stack;
    visit->stack = left->stack == right->stack  ? left->stack + 1
                   : left->stack > right->stack ? left->stack
                                                : right->stack;
    visit->count += left->count + right->count;
}

/* Counts words and stack of what is kept, from the primitives up. The operand that needs more stack goes first, so that the other's needs
 * come on top of one distance only: 2^n primitives need at most n + 1 (Sethi and Ullman 1970). */
static void measure(struct pruning *pruning)
{
    for (uint32_t i = 0; i < pruning->tree->count; i++) {
        const struct tr_tree_node *node = &pruning->tree->nodes[i];
        struct visit *visit = &pruning->visits[i];

        if (!visit->is_kept)
            continue;
        visit->stack = 1;
        if (tr_node_is_operation(node)) {
            measure_operation(pruning, i);
        } else if (tr_node_is_modifier(node)) {
            visit->stack = visit[-1].stack;
            visit->count += visit[-1].count;
        }
    }
}

static void write_operation(struct pruning *pruning, uint32_t i, uint32_t *words)
{
    const struct tr_tree_node *node = &pruning->tree->nodes[i];
    struct visit *visit = &pruning->visits[i], *left = &pruning->visits[node->left], *right = visit - 1;

    left->first = right->first = visit->first;
    if (!visit->keeps_left || !visit->keeps_right)
        return;
    if (visit->right_first)
        left->first += right->count;
    else
        right->first += left->count;
    tr_blend_write(node, visit->right_first, words + visit->first + left->count + right->count);
}

/* What moves points stands before what is within, and POINT_POP behind; all else behind. */
static void write_modifier(struct pruning *pruning, uint32_t i, uint32_t *words)
{
    const struct tr_tree_node *node = &pruning->tree->nodes[i];
    struct visit *visit = &pruning->visits[i], *within = visit - 1;
    uint32_t *own = words + visit->first, *behind;

    within->first = visit->first;
    if (tr_node_moves_points(node)) {
        behind = tr_move_write(node, frame_of(pruning, node)->origin, own);
        within->first += (size_t)(behind - own);
        behind[within->count] = TR_CODE_POINT_POP;
    } else {
        tr_alter_write(node, pruning->frame.origin, own + within->count);
    }
}

static void write_tube(const struct pruning *pruning, const struct tr_tree_node *node,
                       const struct visit *visit, uint32_t *words)
{
    uint32_t pieces = (uint32_t)((visit->count - TR_TUBE_HEAD_WORDS) / TR_TUBE_SEGMENT_WORDS);
    uint32_t *to = tr_tube_write_head(node, pieces, words);

    for (uint32_t k = 0; k < node->count; k++)
        if (piece_matters(pruning, node, k, visit->bounds.hi))
            to = tr_tube_write_piece(pruning->tree, node, k, frame_of(pruning, node), to);
}

/* Writes what is kept to `words`, from the root down: each node knows where its own begin. */
static void write_code(struct pruning *pruning, uint32_t *words)
{
    uint32_t root = pruning->tree->count - 1;

    pruning->visits[root].first = 0;
    for (uint32_t i = root + 1; i-- > 0;) {
        const struct tr_tree_node *node = &pruning->tree->nodes[i];
        const struct visit *visit = &pruning->visits[i];

        if (!visit->is_kept)
            continue;
        if (tr_node_is_operation(node))
            write_operation(pruning, i, words);
        else if (tr_node_is_modifier(node))
            write_modifier(pruning, i, words);
        else if (node->kind == TR_SHAPE_TUBE)
            write_tube(pruning, node, visit, words + visit->first);
        else
            tr_leaf_write(pruning->tree, node, frame_of(pruning, node), words + visit->first);
    }
    words[pruning->visits[root].count] = TR_CODE_END;
}

static enum tr_status append_code(struct pruning *pruning, struct tr_words *words, uint32_t *first,
                                  struct tr_error *error)
{
    enum tr_status status;

    measure(pruning);
    status = tr_words_add(words, pruning->visits[pruning->tree->count - 1].count + 1, "code of shapes", first,
                          error);
    if (status == TR_OK)
        write_code(pruning, words->words + *first);
    return status;
}

/* Samples that may be asked for: those of the frame, and of the box should it be larger. What is cropped begins where the frame has it, not
 * the box, so that numbers are the same for all edits that share a frame. */
static struct tr_crop crop_of(const int lo[3], const int hi[3])
{
    struct tr_crop crop = {.is_whole = false};

    for (int i = 0; i < 3; i++) {
        double from = tr_least(lo[i], 0.0), to = tr_greatest(hi[i], TR_CHUNK - 1.0);

        crop.middle[i] = 0.5 * (from + to);
        crop.half[i] = 0.5 * (to - from);
    }
    return crop;
}

enum tr_status tr_tree_code(const struct tr_tree *tree, const int64_t origin[3], const int lo[3],
                            const int hi[3], double reach, struct tr_words *words, uint32_t *first,
                            bool *reaches, struct tr_error *error)
{
    static const int64_t nowhere[3] = {0, 0, 0};
    const double from[3] = {lo[0], lo[1], lo[2]}, to[3] = {hi[0], hi[1], hi[2]};
    struct visit few_visits[SMALL_TREE];
    struct tr_region few_regions[FEW_MOVERS + 1];
    struct pruning pruning = {.tree = tree,
                              .frame = {origin, crop_of(lo, hi)},
                              .moved = {nowhere, {.is_whole = true}},
                              .visits = few_visits,
                              .regions = few_regions};
    enum tr_status status = TR_OK;

    reach = tr_greatest(reach, (double)(float)reach); /* kernels compare with the float */
    *reaches = false;
    if (tree->count > SMALL_TREE)
        pruning.visits = tr_alloc(tree->count, sizeof *pruning.visits, error);
    if (pruning.visits && tree->mover_count > FEW_MOVERS)
        pruning.regions = tr_alloc((size_t)tree->mover_count + 1, sizeof *pruning.regions, error);
    if (pruning.visits && pruning.regions) {
        pruning.regions[0] = tr_region_make(from, to);
        find_regions(&pruning);
        find_bounds(&pruning);
        *reaches = pruning.visits[tree->count - 1].bounds.lo <= reach;
        if (*reaches && words) {
            prune(&pruning, reach);
            status = append_code(&pruning, words, first, error);
        }
    } else {
        status = TR_IO;
    }
    if (pruning.visits != few_visits)
        free(pruning.visits);
    if (pruning.regions != few_regions)
        free(pruning.regions);
    return status;
}
