/* Maps: transforms folded into one, from the root down. The formulas and their order are EDITS.md's, "Exactly", step 1. */
#include "lib/edit/tree_fold.h"

#include "lib/base/dmath.h"

#include <string.h>

#define RADIANS_PER_DEGREE 0x1.1df46a2529d39p-6

/* The numbers of the field of that name, among those of a kind that has it. */
const double *tr_field_values(enum tr_shape_kind kind, const double *values, const char *name)
{
    const struct tr_shape_field *field = tr_shape_infos[kind].fields;

    while (strcmp(field->name, name) != 0)
        field++;
    return values + field->first;
}

void tr_map_place(const struct tr_map *map, const double p[3], double mapped[3])
{
    for (int i = 0; i < 3; i++)
        mapped[i] = tr_dot(map->m[i], p) + map->t[i];
}

void tr_map_direction(const struct tr_map *map, const double v[3], double mapped[3])
{
    for (int i = 0; i < 3; i++)
        mapped[i] = tr_dot(map->m[i], v) / map->factor;
}

/* t becomes t + m v. */
static void map_move(struct tr_map *map, const double v[3])
{
    for (int i = 0; i < 3; i++)
        map->t[i] = map->t[i] + tr_dot(map->m[i], v);
}

/* p -> r (p - about) + about comes before it. */
static void map_turn(struct tr_map *map, const double about[3], const double r[3][3])
{
    double away[3], product[3][3];

    for (int i = 0; i < 3; i++)
        away[i] = about[i] - tr_dot(r[i], about);
    map_move(map, away);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            product[i][j] = map->m[i][0] * r[0][j] + map->m[i][1] * r[1][j] + map->m[i][2] * r[2][j];
    memcpy(map->m, product, sizeof product);
}

/* Rodrigues' formula: cos I + (1 - cos) u u^T + sin [u]x. */
static void rotation(const double axis[3], double degrees, double r[3][3])
{
    double radians = degrees * RADIANS_PER_DEGREE, c = tr_cos(radians), s = tr_sin(radians), v = 1.0 - c,
           u[3];

    tr_unit(axis, u);
    const double k[3][3] = {
        {c, -(s * u[2]), s * u[1]}, {s * u[2], c, -(s * u[0])}, {-(s * u[1]), s * u[0], c}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = (v * u[i]) * u[j] + k[i][j];
}

/* I - 2 n n^T */
static void reflection(const double normal[3], double r[3][3])
{
    double n[3];

    tr_unit(normal, n);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = (i == j ? 1.0 : 0.0) - (2.0 * n[i]) * n[j];
}

static void map_scale(struct tr_map *map, const double about[3], double by)
{
    double away[3];

    for (int i = 0; i < 3; i++)
        away[i] = about[i] - by * about[i];
    map_move(map, away);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            map->m[i][j] = by * map->m[i][j];
    map->factor = map->factor * by;
}

/* The map of what stands below a transform. */
void tr_map_enter(struct tr_map *map, const struct tr_shape_node *node)
{
    double r[3][3];

    if (node->kind == TR_SHAPE_TRANSLATE) {
        map_move(map, tr_written_values(node, "by"));
    } else if (node->kind == TR_SHAPE_ROTATE) {
        rotation(tr_written_values(node, "axis"), *tr_written_values(node, "degrees"), r);
        map_turn(map, tr_written_values(node, "about"), (const double(*)[3])r);
    } else if (node->kind == TR_SHAPE_SCALE) {
        map_scale(map, tr_written_values(node, "about"), *tr_written_values(node, "by"));
    }
}

/* The map of a copy that a mirror or repeat makes; the first is what is copied. */
void tr_map_copy(struct tr_map *map, const struct tr_shape_node *node, uint32_t copy)
{
    double r[3][3];

    if (node->kind == TR_SHAPE_MIRROR && copy == 1) {
        reflection(tr_written_values(node, "normal"), r);
        map_turn(map, tr_written_values(node, "point"), (const double(*)[3])r);
    } else if (node->kind == TR_SHAPE_REPEAT) {
        const double *by = tr_written_values(node, "by"), *count = tr_written_values(node, "count");
        double away[3];

        for (int i = 0; i < 3; i++) {
            away[i] = (copy % (uint32_t)count[i]) * by[i];
            copy /= (uint32_t)count[i];
        }
        map_move(map, away);
    }
}

/* The map within a modifier that moves points: to its axes, from its own place. */
void tr_map_begin(struct tr_map *map, const double axes[3][3], const double about[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            map->m[i][j] = map->factor * axes[i][j];
    for (int i = 0; i < 3; i++)
        map->t[i] = 0.0 - tr_dot(map->m[i], about);
}

void tr_map_field(const struct tr_map *map, const struct tr_shape_field *field, const double *values,
                  double *mapped)
{
    for (int i = 0; i < field->count; i++)
        switch (field->kind) {
        case TR_VALUE_PLACE:
            mapped[i] = tr_dot(map->m[i], values) + map->t[i];
            break;
        case TR_VALUE_AXIS:
            mapped[i] = tr_dot(map->m[i], values) / map->factor;
            break;
        case TR_VALUE_LENGTH:
        case TR_VALUE_EXTENT:
        case TR_VALUE_SCALE:
            mapped[i] = values[i] * map->factor;
            break;
        case TR_VALUE_RATE:
            mapped[i] = values[i] / map->factor;
            break;
        default: /* counts, and what no node keeps */
            mapped[i] = values[i];
        }
}
