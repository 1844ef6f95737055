/* Trees: limits of their numbers, and what owns them. */
#include "lib/edit/tree.h"

#include "lib/base/alloc.h"
#include "lib/base/json.h"
#include "lib/base/jobs.h"
#include "lib/base/stop.h"
#include "lib/edit/tree_parts.h"

#include <stdlib.h>
#include <string.h>

#define RADIANS_PER_DEGREE 0x1.1df46a2529d39p-6
#define DEGREES_A_VOXEL_MAX 90.0

/* So that equal nodes are equal bytes. */
_Static_assert(sizeof(struct tr_tree_node) == 27 * sizeof(double) + 8 * sizeof(uint32_t),
               "tr_tree_node has no padding");

void tr_words_release(struct tr_words *words)
{
    free(words->words);
    *words = (struct tr_words){0};
}

enum tr_status tr_words_add(struct tr_words *words, size_t count, const char *what, uint32_t *first,
                            struct tr_error *error)
{
    enum tr_status status;

    if (count > UINT32_MAX || words->count > UINT32_MAX - count)
        return tr_fail(error, TR_IO, "%s: more than 2^32 words", what);
    status = tr_grow(&words->words, &words->capacity, words->count + count, sizeof *words->words, error);
    if (status != TR_OK)
        return status;
    *first = (uint32_t)words->count;
    words->count += count;
    return TR_OK;
}

/* ---- metres and limits ---- */

enum tr_status tr_metres_convert(const struct tr_metres *metres, const char *field, const char *state,
                                 double value, double voxels_max, double *voxels)
{
    char most_voxels[32], most[32], found[32];

    *voxels = value / metres->voxel_size;
    if (fabs(*voxels) <= voxels_max)
        return TR_OK;
    if (!isfinite(value)) /* transforms may lead anywhere */
        return tr_fail(metres->error, TR_BAD_INPUT, "%s: \"%s\" leaves all bounds%s", metres->where, field,
                       state);
    tr_number_text(voxels_max, most_voxels);
    tr_number_text(voxels_max * metres->voxel_size, most);
    tr_number_text(value, found);
    return tr_fail(metres->error, TR_BAD_INPUT,
                   "%s: \"%s\" must be at most %s m (%s voxels) in magnitude%s, found %s", metres->where,
                   field, most, most_voxels, state, found);
}

enum tr_status tr_metres_convert_place(const struct tr_metres *metres, const char *field, const char *state,
                                       const double value[3], double y_max, double voxels[3])
{
    enum tr_status status = TR_OK;

    for (int i = 0; i < 3 && status == TR_OK; i++)
        status =
            tr_metres_convert(metres, field, state, value[i], i == 1 ? y_max : TR_COORDINATE_MAX, &voxels[i]);
    return status;
}

enum tr_status tr_metres_convert_scale(const struct tr_metres *metres, const char *state, double value,
                                       double *voxels)
{
    enum tr_status status = tr_metres_convert(metres, "scale", state, value, TR_SCALE_MAX, voxels);
    char least[32], found[32];

    if (status != TR_OK || *voxels >= 1.0)
        return status;
    tr_number_text(metres->voxel_size, least);
    tr_number_text(value, found);
    return tr_fail(metres->error, TR_BAD_INPUT, "%s: \"scale\" must be at least %s m (1 voxel)%s, found %s",
                   metres->where, least, state, found);
}

/* Degrees a metre to radians a voxel. */
static enum tr_status convert_rate(const struct tr_metres *metres, const char *field, const char *state,
                                   double value, double *radians)
{
    double degrees = value * metres->voxel_size;
    char found[32];

    *radians = degrees * RADIANS_PER_DEGREE;
    if (fabs(degrees) <= DEGREES_A_VOXEL_MAX)
        return TR_OK;
    tr_number_text(degrees, found);
    return tr_fail(metres->error, TR_BAD_INPUT, "%s: \"%s\" must be at most 90 degrees a voxel%s, found %s",
                   metres->where, field, state, found);
}

enum tr_status tr_metres_convert_field(const struct tr_metres *metres, const struct tr_shape_field *field,
                                       const char *state, const double *values, double y_max, double *voxels)
{
    enum tr_status status = TR_OK;

    switch (field->kind) {
    case TR_VALUE_PLACE:
        return tr_metres_convert_place(metres, field->name, state, values, y_max, voxels);
    case TR_VALUE_VECTOR:
        return tr_metres_convert_place(metres, field->name, state, values, TR_COORDINATE_MAX, voxels);
    case TR_VALUE_LENGTH:
    case TR_VALUE_EXTENT:
        for (int i = 0; i < field->count && status == TR_OK; i++)
            status =
                tr_metres_convert(metres, field->name, state, values[i], TR_SHAPE_RADIUS_MAX, &voxels[i]);
        return status;
    case TR_VALUE_SCALE:
        return tr_metres_convert_scale(metres, state, *values, voxels);
    case TR_VALUE_RATE:
        return convert_rate(metres, field->name, state, *values, voxels);
    default:
        memcpy(voxels, values, field->count * sizeof *values);
        return TR_OK;
    }
}

/* ---- trees ---- */

enum tr_status tr_tree_create(const struct tr_shape *shape, double voxel_size, const char *where,
                              struct tr_tree **out, struct tr_error *error)
{
    const struct tr_metres metres = {.voxel_size = voxel_size, .where = where, .error = error};
    struct tr_tree *tree = tr_alloc(1, sizeof *tree, error);
    enum tr_status status = tree ? tr_tree_fold(tree, shape, &metres) : TR_IO;

    *out = NULL;
    if (status == TR_OK) {
        tr_tree_set_boxes(tree);
        *out = tree;
        tree = NULL;
    }
    tr_tree_free(tree);
    return status;
}

void tr_tree_free(struct tr_tree *tree)
{
    if (!tree)
        return;
    for (uint32_t i = 0; i < tree->picture_count; i++)
        tr_grey_release(&tree->pictures[i].picture);
    for (uint32_t i = 0; i < tree->solid_count; i++) {
        tr_solid_mesh_release(&tree->solids[i].mesh);
        tr_solid_field_release(&tree->solids[i].field);
    }
    free(tree->nodes);
    free(tree->numbers);
    free(tree->movers);
    free(tree->pictures);
    free(tree->solids);
    free(tree);
}

enum tr_status tr_tree_load(struct tr_tree *tree, const char *where, struct tr_error *error)
{
    struct tr_jobs *jobs = NULL;
    struct tr_error refusal = {.text = ""};
    enum tr_status status = TR_OK;

    for (uint32_t i = 0; i < tree->solid_count && status == TR_OK; i++) {
        struct tr_tree_solid *solid = &tree->solids[i];

        if (solid->field.samples)
            continue;
        if (!jobs)
            status = tr_jobs_create(0, &jobs, &refusal);
        if (status == TR_OK)
            status =
                tr_solid_field_make(&solid->mesh, solid->cell, solid->margin, jobs, &solid->field, &refusal);
        if (status == TR_OK)
            tr_solid_mesh_release(&solid->mesh);
    }
    tr_jobs_free(jobs);
    if (status != TR_OK && tr_stop_signal()) /* no fault of the edit */
        return tr_fail(error, status, "%s", refusal.text);
    return status == TR_OK ? TR_OK : tr_fail(error, status, "%s: \"mesh\": %s", where, refusal.text);
}

static bool are_parts_equal(const struct tr_tree *a, const struct tr_tree *b)
{
    bool equal = a->picture_count == b->picture_count && a->solid_count == b->solid_count;

    for (uint32_t i = 0; equal && i < a->picture_count; i++)
        equal = a->pictures[i].picture.width == b->pictures[i].picture.width &&
                a->pictures[i].picture.height == b->pictures[i].picture.height &&
                tr_hash_equal(a->pictures[i].source, b->pictures[i].source);
    for (uint32_t i = 0; equal && i < a->solid_count; i++)
        equal = memcmp(&a->solids[i].cell, &b->solids[i].cell, sizeof a->solids[i].cell) == 0 &&
                a->solids[i].margin == b->solids[i].margin &&
                tr_hash_equal(a->solids[i].source, b->solids[i].source);
    return equal;
}

bool tr_tree_equal(const struct tr_tree *a, const struct tr_tree *b)
{
    return a->count == b->count && memcmp(a->nodes, b->nodes, a->count * sizeof *a->nodes) == 0 &&
           a->number_count == b->number_count &&
           (a->number_count == 0 ||
            memcmp(a->numbers, b->numbers, a->number_count * sizeof *a->numbers) == 0) &&
           are_parts_equal(a, b);
}

bool tr_tree_is_round(const struct tr_tree *tree, double a[3], double b[3], double *radius)
{
    const struct tr_tree_node *node = tree->nodes;

    if (tree->count != 1 || (node->kind != TR_SHAPE_SPHERE && node->kind != TR_SHAPE_CAPSULE))
        return false;
    memcpy(a, node->a, sizeof node->a);
    memcpy(b, node->b, sizeof node->b);
    *radius = node->size[0];
    return true;
}
