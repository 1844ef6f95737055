/* See log_work.h.
 *
 * What optimize may do rests on three facts about every world that takes an edit; which world it will be is not known.
 *
 *   - A shape reaches a world through its tree alone, whose numbers are made in metres and then divided by the voxel size. Two trees that
 *     are the same bits in metres are the same bits on every world. tr_tree_create at a voxel size of 1 m gives the numbers in metres, so a
 *     change of transforms is kept only if the trees before and after are equal there. A shape that such a world refuses is left as it is.
 *   - No length of an edit is above 100,000 voxels. So a voxel is at least longest / 100,000, and a number far smaller than the longest
 *     length of its edit is nothing in voxels on every world.
 *   - Samples are whole numbers of bounded size, so a fraction of a difference of them can be too small to round to anything.
 *
 * A shape with a modifier, or of a kind whose numbers are not all lengths of its tree, is not touched.
 *
 * What changes nothing only on some worlds stays: a shape away from all ground, a box of `within` without a sample in it, a blend of shapes
 * that are farther apart than it is wide. All of them depend on how far 16 voxels are, or on the samples. */
#include "lib/edit/log_work.h"
#include "lib/edit/edit_json.h"
#include "shaders/falloff.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- equality ---- */

enum tr_status tr_edit_equal(const struct tr_edit *a, const struct tr_edit *b, bool *equal,
                             struct tr_error *error)
{
    struct tr_writer text_a = {0}, text_b = {0};
    enum tr_status status = TR_OK;
    tr_edit_write_json(a, &text_a);
    tr_edit_write_json(b, &text_b);
    bool is_whole = !text_a.failed && !text_b.failed;
    *equal = is_whole && text_a.size_bytes == text_b.size_bytes &&
             memcmp(text_a.bytes, text_b.bytes, text_a.size_bytes) == 0;
    if (!is_whole)
        status = tr_fail(error, TR_IO, "out of memory: two edits to compare");
    tr_writer_release(&text_a);
    tr_writer_release(&text_b);
    return status;
}

/* The edit without what does not change the result. Shares what `edit` holds. */
static struct tr_edit without_names(const struct tr_edit *edit)
{
    struct tr_edit bare = *edit;
    bare.id[0] = 0;
    bare.author[0] = 0;
    bare.has_time = false;
    return bare;
}

static enum tr_status has_same_effect(const struct tr_edit *a, const struct tr_edit *b, bool *equal,
                                      struct tr_error *error)
{
    *equal = false;
    if (a->op != b->op || a->point_count != b->point_count || a->shape.count != b->shape.count)
        return TR_OK;
    struct tr_edit bare_a = without_names(a), bare_b = without_names(b);
    return tr_edit_equal(&bare_a, &bare_b, equal, error);
}

/* ---- filter ---- */

static bool reaches(const struct tr_edit *edit, const struct tr_box *bounds)
{
    uint32_t stamps = tr_edit_stamp_count(edit);
    for (uint32_t i = 0; i < stamps; i++) {
        struct tr_stamp stamp = tr_edit_stamp(edit, i);
        struct tr_box reads, writes;
        tr_edit_boxes(edit, &stamp, &reads, &writes);
        if (tr_box_meets(&writes, bounds))
            return true;
    }
    return false;
}

static bool is_kept(const struct tr_edit *edit, const struct tr_log_filter *filter)
{
    return (!filter->author || strcmp(edit->author, filter->author) == 0) &&
           (!filter->has_since || (edit->has_time && edit->time_ms >= filter->since_ms)) &&
           (!filter->has_bounds || reaches(edit, &filter->bounds));
}

void tr_log_filter(struct tr_log *log, const struct tr_log_filter *filter, size_t *dropped)
{
    size_t kept = 0;
    for (size_t i = 0; i < log->count; i++) {
        if (is_kept(&log->edits[i], filter))
            log->edits[kept++] = log->edits[i];
        else
            tr_edit_release(&log->edits[i]);
    }
    *dropped = log->count - kept;
    log->count = kept;
}

/* ---- merge ---- */

/* An edit of one of the logs, and its place in their concatenation. */
struct entry {
    struct tr_edit *edit;
    size_t part, number; /* its log, and its place there from 1 */
    size_t place;
    bool is_repeated; /* the same as one that comes before it */
};

static int compare_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->edit->time_ms != y->edit->time_ms)
        return x->edit->time_ms < y->edit->time_ms ? -1 : 1;
    int authors = strcmp(x->edit->author, y->edit->author);
    return authors ? authors : (x->place > y->place) - (x->place < y->place);
}

/* By id, then in the order of the result. */
static int compare_ids(const void *a, const void *b)
{
    const struct entry *const *x = a, *const *y = b;
    int ids = strcmp((*x)->edit->id, (*y)->edit->id);
    return ids ? ids : (*x > *y) - (*x < *y);
}

static enum tr_status check_times(const struct tr_log *part, const char *name, struct tr_error *error)
{
    char where[TR_ERROR_TEXT_BYTES];
    for (size_t i = 0; i < part->count; i++) {
        const struct tr_edit *edit = &part->edits[i];
        tr_edit_where(edit, name, i + 1, where);
        if (!edit->has_time)
            return tr_fail(error, TR_BAD_INPUT, "%s: \"time\" is missing, expected one to merge by", where);
        if (i && edit->time_ms < edit[-1].time_ms)
            return tr_fail(error, TR_BAD_INPUT,
                           "%s: \"time\" must not go backwards in a log to merge, found %" PRId64
                           " after %" PRId64,
                           where, edit->time_ms, edit[-1].time_ms);
    }
    return TR_OK;
}

/* Marks edits whose id and all else an earlier one has; refuses those that differ. `by_id` has room for the entries. */
static enum tr_status mark_repeats(struct entry *entries, struct entry **by_id, size_t count,
                                   const char *const *names, struct tr_error *error)
{
    for (size_t i = 0; i < count; i++)
        by_id[i] = &entries[i];
    qsort(by_id, count, sizeof *by_id, compare_ids);
    for (size_t i = 1; i < count; i++) {
        const struct entry *first = by_id[i - 1];
        struct entry *second = by_id[i];
        bool equal;
        if (strcmp(first->edit->id, second->edit->id) != 0)
            continue;
        enum tr_status status = tr_edit_equal(first->edit, second->edit, &equal, error);
        if (status != TR_OK)
            return status;
        if (!equal) {
            char where[TR_ERROR_TEXT_BYTES], other[TR_ERROR_TEXT_BYTES];
            tr_edit_where(second->edit, names[second->part], second->number, where);
            tr_position_text(names[first->part], first->edit->has_offset, first->edit->line, other);
            return tr_fail(error, TR_BAD_INPUT,
                           "%s: differs from the edit of that id at %s, expected an equal one or another id",
                           where, other);
        }
        second->is_repeated = true;
    }
    return TR_OK;
}

/* Moves the edits out of the logs, which become empty. */
static void move_edits(struct tr_log *log, const struct entry *entries, size_t count, struct tr_log *parts,
                       size_t part_count)
{
    for (size_t i = 0; i < count; i++) {
        if (entries[i].is_repeated)
            tr_edit_release(entries[i].edit);
        else
            log->edits[log->count++] = *entries[i].edit;
    }
    for (size_t i = 0; i < part_count; i++) {
        parts[i].count = 0;
        tr_log_release(&parts[i]);
    }
}

enum tr_status tr_log_merge(struct tr_log *log, struct tr_log *parts, const char *const *names, size_t count,
                            struct tr_error *error)
{
    struct entry *entries = NULL, **by_id = NULL;
    size_t total = 0;
    enum tr_status status = TR_OK;
    for (size_t i = 0; i < count && status == TR_OK; i++) {
        total += parts[i].count;
        status = check_times(&parts[i], names[i], error);
    }
    if (status != TR_OK || total == 0)
        return status;
    entries = calloc(total, sizeof *entries);
    by_id = calloc(total, sizeof(struct entry *));
    log->edits = calloc(total, sizeof *log->edits);
    if (!entries || !by_id || !log->edits) {
        status = tr_fail(error, TR_IO, "out of memory");
        goto done;
    }
    log->capacity = total;
    for (size_t part = 0, place = 0; part < count; part++)
        for (size_t i = 0; i < parts[part].count; i++, place++)
            entries[place] = (struct entry){&parts[part].edits[i], part, i + 1, place, false};
    qsort(entries, total, sizeof *entries, compare_order);
    status = mark_repeats(entries, by_id, total, names, error);
    if (status == TR_OK)
        move_edits(log, entries, total, parts, count);
done:
    free(entries);
    free(by_id);
    return status;
}

/* ---- optimize: lengths ---- */

/* Changes of fewer units round to none, with all that float arithmetic may add. */
#define LEAST_UNITS 0x1p-4
/* Widths of fewer voxels (of a blend with the ground: units) count as 0; half of that, for what rounding may add. */
#define LEAST_WIDTH (TR_VOXELS_TINY / 2)

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* A voxel is at least so many metres on every world that takes an edit with a length of `longest_m`. */
static double least_voxel(double longest_m)
{
    return longest_m / TR_SHAPE_RADIUS_MAX * (1 - 0x1p-20); /* less a little, for rounding */
}

static double longest_radius(const struct tr_edit *edit)
{
    double longest = 0;
    for (uint32_t i = 0; i < edit->point_count; i++)
        longest = greater(longest, edit->points[i].radius_m);
    return longest;
}

/* ---- optimize: edits ---- */

static double greatest_strength(const struct tr_edit *edit)
{
    double greatest = 0;
    for (uint32_t i = 0; i < edit->point_count; i++)
        greatest = greater(greatest, edit->points[i].strength);
    return greatest;
}

/* The most units by which a brush of strength 1 changes a sample or height, on any world: 0 where that is not known. */
static double greatest_change(const struct tr_edit *edit)
{
    const double heights = 2.0 * TR_HEIGHT_MAX, samples = 2.0 * TR_SDF_MAX;
    switch (edit->op) {
    case TR_EDIT_RAISE:
    case TR_EDIT_LOWER:
    case TR_EDIT_NOISE:
    case TR_EDIT_STAMP:
    case TR_EDIT_VOLUME_ADD:
    case TR_EDIT_VOLUME_SUBTRACT:
    case TR_EDIT_VOLUME_STAMP:
    case TR_EDIT_VOLUME_NOISE: /* twice, as noise may go a little beyond 1 */
        return 2 * TR_UNITS / least_voxel(longest_radius(edit));
    case TR_EDIT_SMOOTH: /* from the mean of the neighbours */
    case TR_EDIT_FLATTEN:
        return heights;
    case TR_EDIT_HC_SMOOTH: /* a bend is at most 4 differences, and (4 c - m) / 16 half of the greatest bend */
        return 2 * heights;
    case TR_EDIT_VOLUME_SMOOTH:
    case TR_EDIT_VOLUME_FLATTEN:
        return samples;
    default:
        return 0;
    }
}

static bool is_too_weak(const struct tr_edit *edit)
{
    double change = greatest_change(edit);
    return change > 0 && greatest_strength(edit) * change < LEAST_UNITS;
}

/* Whether doing the same again changes nothing: what is painted is painted, the least of samples and a distance stays that, and a height
 * that was set whole is there. A blend that is not hard goes on growing, and a flatten to the height where it starts may start anew. */
static bool is_idempotent(const struct tr_edit *edit)
{
    if (tr_edit_is_paint(edit))
        return true;
    if (tr_edit_is_shape(edit))
        return edit->blend.kind == TR_BLEND_HARD;
    if (edit->op != TR_EDIT_SET && !(edit->op == TR_EDIT_FLATTEN && edit->has_height))
        return false;
    for (uint32_t i = 0; i < edit->point_count && edit->op == TR_EDIT_FLATTEN; i++)
        if (edit->points[i].strength != 1)
            return false;
    return edit->falloff == TR_FALLOFF_CONSTANT;
}

static enum tr_status changes_nothing(const struct tr_edit *edit, const struct tr_edit *before, bool *nothing,
                                      struct tr_error *error)
{
    *nothing = is_too_weak(edit);
    if (*nothing || !before || !is_idempotent(edit))
        return TR_OK;
    return has_same_effect(edit, before, nothing, error);
}

/* ---- optimize: shapes ---- */

/* A shape being rewritten: its tree in metres, which must stay, and room for a rewriting that may not. */
struct rewriting {
    struct tr_shape *shape, trial;
    struct tr_tree *tree;
    double longest_m; /* of the lengths of its tree */
};

static bool is_identity(const struct tr_shape_node *node)
{
    switch (node->kind) {
    case TR_SHAPE_TRANSLATE:
        return node->values[0] == 0 && node->values[1] == 0 && node->values[2] == 0;
    case TR_SHAPE_ROTATE: /* degrees stand behind about and axis */
        return node->values[6] == 0;
    case TR_SHAPE_SCALE: /* by stands behind about */
        return node->values[3] == 1;
    default:
        return false;
    }
}

static bool are_values_equal(const struct tr_shape_node *a, const struct tr_shape_node *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a->values[i] != b->values[i])
            return false;
    return true;
}

/* A move that every world takes which takes the two that it is made of, and lengths up to `longest_m`: those bound a voxel from below. */
static bool is_move_within(double by, double outer, double inner, double longest_m)
{
    double most = greater(fabs(outer), fabs(inner));
    return fabs(by) <= greater(most, TR_COORDINATE_MAX * least_voxel(longest_m));
}

/* Two transforms of one kind, the outer first, as one; false where they cannot be. Whether the result is the same bits is not asked here. */
static bool fold(const struct tr_shape_node *outer, const struct tr_shape_node *inner, double longest_m,
                 struct tr_shape_node *folded)
{
    *folded = *outer;
    if (outer->kind != inner->kind)
        return false;
    switch (outer->kind) {
    case TR_SHAPE_TRANSLATE:
        for (int i = 0; i < 3; i++) {
            folded->values[i] = outer->values[i] + inner->values[i];
            if (!is_move_within(folded->values[i], outer->values[i], inner->values[i], longest_m))
                return false;
        }
        return true;
    case TR_SHAPE_ROTATE:
        folded->values[6] = outer->values[6] + inner->values[6];
        return are_values_equal(outer, inner, 6) && fabs(folded->values[6]) <= 36000;
    case TR_SHAPE_SCALE:
        folded->values[3] = outer->values[3] * inner->values[3];
        return are_values_equal(outer, inner, 3) && folded->values[3] >= 1.0 / 1024 &&
               folded->values[3] <= 1024;
    default:
        return false;
    }
}

/* Replaces the transform at `index` and the node below it by `node`, if the tree stays the same. */
static enum tr_status try_replace(struct rewriting *work, uint32_t index, struct tr_shape_node node,
                                  bool *taken, struct tr_error *error)
{
    struct tr_shape *shape = work->shape, *trial = &work->trial;
    struct tr_tree *tree = NULL;
    struct tr_error refusal = {0};
    trial->count = shape->count - 1;
    memcpy(trial->nodes, shape->nodes, index * sizeof *trial->nodes);
    trial->nodes[index] = node;
    memcpy(trial->nodes + index + 1, shape->nodes + index + 2,
           (shape->count - index - 2) * sizeof *trial->nodes);
    enum tr_status status = tr_tree_create(trial, 1, "", &tree, &refusal);
    *taken = status == TR_OK && tr_tree_equal(tree, work->tree);
    tr_tree_free(tree);
    if (*taken) {
        memcpy(shape->nodes, trial->nodes, trial->count * sizeof *trial->nodes);
        shape->count = trial->count;
    }
    return status == TR_IO ? tr_fail(error, status, "%s", refusal.text) : TR_OK;
}

/* Drops the transform at `index` or folds the one below it into it, as long as that can be done. */
static enum tr_status simplify(struct rewriting *work, uint32_t index, size_t *dropped,
                               struct tr_error *error)
{
    for (;;) {
        const struct tr_shape_node *node = &work->shape->nodes[index];
        struct tr_shape_node folded;
        bool taken = false;
        enum tr_status status = TR_OK;
        if (!tr_shape_is_transform(node->kind))
            return TR_OK;
        if (is_identity(node))
            status = try_replace(work, index, node[1], &taken, error);
        if (status == TR_OK && !taken && fold(node, node + 1, work->longest_m, &folded))
            status = try_replace(work, index, folded, &taken, error);
        if (status != TR_OK || !taken)
            return status;
        (*dropped)++;
    }
}

static double longest_length(const struct tr_tree *tree)
{
    double longest = 0;
    for (uint32_t i = 0; i < tree->count; i++)
        for (int j = 0; j < 3; j++)
            longest = greater(longest, tree->nodes[i].size[j]);
    return longest;
}

/* Whether the tree has all numbers in metres: a radius of an ellipsoid that counts as a greater one in voxels of 1 m does not show what it
 * is. */
static bool shows_metres(const struct tr_tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++)
        for (int j = 0; j < 3 && tree->nodes[i].kind == TR_SHAPE_ELLIPSOID; j++)
            if (tree->nodes[i].size[j] <= TR_ELLIPSOID_RADIUS_MIN)
                return false;
    return true;
}

static void harden(struct tr_blend *blend, size_t *hardened)
{
    *blend = (struct tr_blend){.kind = TR_BLEND_HARD};
    (*hardened)++;
}

/* A smooth blend whose width counts as 0 on every world is a hard one: its dip is never above 0. The others are not: a chamfer of width 0
 * still cuts inside both, at (a + b) / sqrt 2. `factor`: that of the scales above the node. Returns the index behind the node's tree. As
 * deep as shapes are, which is TR_SHAPE_DEPTH_MAX. */
static uint32_t harden_blends(struct tr_shape *shape, uint32_t index, double factor, double longest_m,
                              size_t *hardened)
{
    struct tr_shape_node *node = &shape->nodes[index++];
    uint32_t children = node->child_count;
    if (node->kind == TR_SHAPE_SCALE)
        factor *= node->values[3];
    if (node->blend.kind == TR_BLEND_SMOOTH &&
        node->blend.width_m * factor < LEAST_WIDTH * least_voxel(longest_m))
        harden(&node->blend, hardened);
    for (uint32_t i = 0; i < children; i++)
        index = harden_blends(shape, index, factor, longest_m, hardened);
    return index;
}

/* Whether all that its tree is made of is known here: the lengths, and that a voxel's size only divides them. */
static bool is_plain(const struct tr_shape *shape)
{
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->nodes[i].kind > TR_SHAPE_ELLIPSOID && !tr_shape_is_operation(shape->nodes[i].kind) &&
            !tr_shape_is_transform(shape->nodes[i].kind))
            return false;
    return true;
}

static enum tr_status optimize_shape(struct tr_edit *edit, struct tr_log_optimized *result,
                                     struct tr_error *error)
{
    struct rewriting work = {.shape = &edit->shape};
    struct tr_error refusal = {0};
    enum tr_status status = tr_tree_create(&edit->shape, 1, "", &work.tree, &refusal);
    if (status == TR_BAD_INPUT)
        return TR_OK;
    if (status != TR_OK)
        return tr_fail(error, status, "%s", refusal.text);
    work.longest_m = longest_length(work.tree);
    work.trial.nodes = calloc(edit->shape.count, sizeof *work.trial.nodes);
    if (!work.trial.nodes) {
        status = tr_fail(error, TR_IO, "out of memory");
        goto done;
    }
    /* From the last node up, so that what is below a node is as simple as it can be. */
    for (uint32_t index = shows_metres(work.tree) ? edit->shape.count : 0; index-- > 0 && status == TR_OK;)
        status = simplify(&work, index, &result->nodes_dropped, error);
    if (status == TR_OK)
        harden_blends(&edit->shape, 0, 1, work.longest_m, &result->blends_hardened);
    if (status == TR_OK && edit->blend.kind == TR_BLEND_SMOOTH &&
        edit->blend.width_m * TR_UNITS < LEAST_WIDTH * least_voxel(work.longest_m))
        harden(&edit->blend, &result->blends_hardened);
done:
    free(work.trial.nodes);
    tr_tree_free(work.tree);
    return status;
}

enum tr_status tr_log_optimize(struct tr_log *log, struct tr_log_optimized *result, struct tr_error *error)
{
    size_t kept = 0;
    enum tr_status status = TR_OK;
    *result = (struct tr_log_optimized){0};
    for (size_t i = 0; i < log->count; i++) {
        struct tr_edit *edit = &log->edits[i];
        bool nothing = false;
        if (status == TR_OK && tr_edit_is_shape(edit) && is_plain(&edit->shape))
            status = optimize_shape(edit, result, error);
        if (status == TR_OK)
            status = changes_nothing(edit, kept ? &log->edits[kept - 1] : NULL, &nothing, error);
        if (nothing) {
            tr_edit_release(edit);
            result->edits_dropped++;
            continue;
        }
        edit->id_is_made = false;
        log->edits[kept++] = *edit;
    }
    log->count = kept;
    return status;
}
