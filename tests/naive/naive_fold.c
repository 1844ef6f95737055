/* Transforms are folded into what they apply to, from the root down, in metres; then metres become voxels. What moves
 * points begins anew: within it places are relative to its own, along its axes, and only the factor stays. */
#include "tests/naive/naive_angle.h"
#include "tests/naive/naive_float.h"
#include "tests/naive/naive_shape.h"

#include <stdlib.h>

static const double unit_x[3] = {1, 0, 0}, unit_y[3] = {0, 1, 0};

/* ---- maps ---- */

/* p -> m p + t, where m is a rotation or reflection times the factor. */
struct map {
    double m[3][3], t[3], factor;
};

static void times(const double m[3][3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = naive_dot(m[i], v);
}

static struct map translated(struct map map, const double by[3])
{
    double moved[3];
    times(map.m, by, moved);
    for (int i = 0; i < 3; i++)
        map.t[i] = map.t[i] + moved[i];
    return map;
}

static struct map scaled(struct map map, double by, const double about[3])
{
    double e[3];
    for (int i = 0; i < 3; i++)
        e[i] = about[i] - by * about[i];
    map = translated(map, e);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            map.m[i][j] = by * map.m[i][j];
    map.factor = map.factor * by;
    return map;
}

/* Rodrigues: c 1 + s [u]x + (1 - c) u u^T. */
static void rotation(const double axis[3], double degrees, double r[3][3])
{
    double u[3];
    naive_unit(axis, u);
    double c = naive_cos(degrees * NAIVE_DEGREE), s = naive_sin(degrees * NAIVE_DEGREE);
    const double turn[3][3] = {
        {c, -(s * u[2]), s * u[1]}, {s * u[2], c, -(s * u[0])}, {-(s * u[1]), s * u[0], c}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = (1.0 - c) * u[i] * u[j] + turn[i][j];
}

/* 1 - 2 n n^T */
static void reflection(const double normal[3], double r[3][3])
{
    double n[3];
    naive_unit(normal, n);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = (i == j ? 1.0 : 0.0) - 2.0 * n[i] * n[j];
}

/* By a rotation or reflection. */
static struct map turned(struct map map, const double r[3][3], const double about[3])
{
    double away[3], e[3];
    times(r, about, away);
    for (int i = 0; i < 3; i++)
        e[i] = about[i] - away[i];
    struct map result = translated(map, e);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double column[3] = {r[0][j], r[1][j], r[2][j]};
            result.m[i][j] = naive_dot(map.m[i], column);
        }
    return result;
}

static struct map transformed(const struct map *map, const struct naive_node *node)
{
    double r[3][3];
    if (node->kind == NAIVE_TRANSLATE)
        return translated(*map, node->to);
    if (node->kind == NAIVE_SCALE)
        return scaled(*map, node->factor, node->at);
    rotation(node->axis, node->degrees, r);
    return turned(*map, (const double(*)[3])r, node->at);
}

static int copies_of(const struct naive_node *node)
{
    return node->kind == NAIVE_MIRROR ? 2 : node->count[0] * node->count[1] * node->count[2];
}

static struct map copied(const struct map *map, const struct naive_node *node, int copy)
{
    double r[3][3], away[3];
    if (node->kind == NAIVE_MIRROR) {
        reflection(node->axis, r);
        return copy == 0 ? *map : turned(*map, (const double(*)[3])r, node->at);
    }
    for (int i = 0; i < 3; i++) {
        away[i] = copy % node->count[i] * node->to[i];
        copy /= node->count[i];
    }
    return translated(*map, away);
}

/* ---- what moves points ---- */

/* x along `along` made perpendicular to z, which is along `axis`. */
static void plane_axes(const double axis[3], const double along[3], double axes[3][3])
{
    double u[3], across[3];
    naive_unit(axis, axes[2]);
    naive_unit(along, u);
    double part = naive_dot(u, axes[2]);
    for (int i = 0; i < 3; i++)
        across[i] = u[i] - part * axes[2][i];
    naive_unit(across, axes[0]);
    naive_cross(axes[2], axes[0], axes[1]);
}

/* The axes of the move, as the node is written. */
static void move_axes(const struct naive_node *node, double axes[3][3])
{
    double along[3];
    for (int i = 0; i < 3; i++)
        along[i] = node->kind == NAIVE_TAPER ? node->to[i] - node->at[i] : node->axis[i];
    if (node->kind == NAIVE_ELONGATE) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                axes[i][j] = i == j ? 1.0 : 0.0;
    } else if (node->kind == NAIVE_BEND) {
        plane_axes(node->axis, node->along, axes);
    } else {
        naive_unit(along, axes[1]);
        naive_axes_across(axes[1], unit_y, unit_x, axes[2], axes[0]);
    }
}

static struct map map_within(const struct map *map, const struct naive_node *node)
{
    struct map inner = {.factor = map->factor};
    double axes[3][3];
    move_axes(node, axes);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            inner.m[i][j] = map->factor * axes[i][j];
        inner.t[i] = 0.0 - naive_dot(inner.m[i], node->at);
    }
    return inner;
}

/* ---- solids ---- */

static void place_in_voxels(const struct map *map, const double p[3], double voxel_size, double out[3])
{
    times(map->m, p, out);
    for (int i = 0; i < 3; i++)
        out[i] = (out[i] + map->t[i]) / voxel_size;
}

static void direction_in_world(const struct map *map, const double v[3], double out[3])
{
    times(map->m, v, out);
    for (int i = 0; i < 3; i++)
        out[i] = out[i] / map->factor;
}

static double length_in_voxels(const struct map *map, double length, double voxel_size)
{
    return length * map->factor / voxel_size;
}

static bool make_polyhedron(struct naive_solid *solid, const struct map *map, double voxel_size)
{
    struct naive_polyhedron *polyhedron = malloc(sizeof *polyhedron);
    solid->polyhedron = polyhedron;
    if (polyhedron == NULL)
        return false;
    naive_polyhedron_of(solid->node, polyhedron);
    for (int k = 0; k < polyhedron->corner_count; k++) {
        const double *at = polyhedron->corners[k], corner[3] = {at[0], at[1], at[2]};
        place_in_voxels(map, corner, voxel_size, polyhedron->corners[k]);
    }
    for (int k = 0; k < polyhedron->face_count; k++) {
        const double *at = polyhedron->normals[k], n[3] = {at[0], at[1], at[2]};
        direction_in_world(map, n, polyhedron->normals[k]);
    }
    return true;
}

static bool make_tube(struct naive_solid *solid, const struct map *map, double voxel_size)
{
    const size_t count = naive_curve_count(solid->node);
    struct naive_knot *points = malloc(count * sizeof *points);
    double up[3], other[3];
    solid->pieces = malloc(count * sizeof *solid->pieces);
    if (points != NULL && solid->pieces != NULL) {
        naive_curve(solid->node, points);
        direction_in_world(map, unit_y, up);
        direction_in_world(map, unit_x, other);
        for (size_t k = 0; k < count; k++) {
            const double at[3] = {points[k].at[0], points[k].at[1], points[k].at[2]};
            place_in_voxels(map, at, voxel_size, points[k].at);
            points[k].radius = length_in_voxels(map, points[k].radius, voxel_size);
            if (k > 0)
                solid->piece_count += naive_piece_make(&points[k - 1], &points[k], up, other,
                                                       &solid->pieces[solid->piece_count]);
        }
    }
    free(points);
    return points != NULL && solid->pieces != NULL;
}

static bool make_height_map(struct naive_solid *solid)
{
    const struct naive_image *image = solid->node->image;
    return naive_picture_make(image, naive_halvings(image, solid->size[0], solid->size[2]), &solid->picture);
}

/* `all`: those made before it, with the grid if this is a copy. */
static bool make_mesh(struct naive_solid *solid, const struct map *map, double voxel_size,
                      const struct naive_solid *all)
{
    double first[3];
    solid->cell = length_in_voxels(map, solid->node->cell, voxel_size);
    while (all < solid && !(all->node == solid->node && all->has_grid))
        all++;
    solid->has_grid = all == solid;
    if (!solid->has_grid)
        solid->grid = all->grid;
    else if (!naive_grid_make(solid->node->mesh, solid->node->cell, solid->cell, &solid->grid))
        return false;
    for (int i = 0; i < 3; i++)
        first[i] = solid->grid.first[i] * solid->grid.cell;
    place_in_voxels(map, first, voxel_size, solid->a);
    return true;
}

static void set_axes(struct naive_solid *solid, const struct map *map)
{
    double axes[3][3], axis[3], along[3];
    if (solid->kind == NAIVE_LINK) {
        direction_in_world(map, solid->node->axis, axis);
        direction_in_world(map, solid->node->along, along);
        plane_axes(axis, along, solid->rows);
    } else if (naive_moves_points(solid->kind)) {
        move_axes(solid->node, axes);
        for (int i = 0; i < 3; i++)
            direction_in_world(map, axes[i], solid->rows[i]);
    } else {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                solid->rows[i][j] = map->m[j][i] / map->factor;
    }
}

static struct naive_solid solid_of_node(const struct naive_node *node, const struct map *map,
                                        double voxel_size)
{
    struct naive_solid solid = {.kind = node->kind,
                                .node = node,
                                .children = node->children,
                                .radius = length_in_voxels(map, node->radius, voxel_size),
                                .to_radius = length_in_voxels(map, node->to_radius, voxel_size),
                                .tube = length_in_voxels(map, node->tube, voxel_size),
                                .length = length_in_voxels(map, node->length, voxel_size),
                                .scale = length_in_voxels(map, node->scale, voxel_size),
                                .rate = node->degrees / map->factor * voxel_size * NAIVE_DEGREE,
                                .blend = node->blend};
    solid.blend.width = length_in_voxels(map, node->blend.width, voxel_size);
    place_in_voxels(map, node->at, voxel_size, solid.a);
    place_in_voxels(map, node->to, voxel_size, solid.b);
    direction_in_world(map, node->axis, solid.axis);
    for (int i = 0; i < 3; i++)
        solid.size[i] =
            length_in_voxels(map, node->kind == NAIVE_ELONGATE ? node->to[i] : node->size[i], voxel_size);
    set_axes(&solid, map);
    return solid;
}

static bool make_solid(const struct naive_node *node, const struct map *map, double voxel_size,
                       struct naive_solid *all, struct naive_solid *solid)
{
    *solid = solid_of_node(node, map, voxel_size);
    switch (node->kind) {
    case NAIVE_PRISM:
    case NAIVE_PYRAMID:
    case NAIVE_OCTAHEDRON:
        return make_polyhedron(solid, map, voxel_size);
    case NAIVE_TUBE:
        return make_tube(solid, map, voxel_size);
    case NAIVE_HEIGHT_MAP:
        return make_height_map(solid);
    case NAIVE_MESH:
        return make_mesh(solid, map, voxel_size, all);
    default:
        return true;
    }
}

/* ---- the fold ---- */

struct folding {
    double voxel_size;
    struct naive_solid *out;
    size_t count;
    bool good;
};

static void fold(struct folding *folding, const struct naive_node *nodes, size_t *next,
                 const struct map *map);

/* A hard union of what stands below the node, once for each copy. */
static void fold_copies(struct folding *folding, const struct naive_node *nodes, size_t *next,
                        const struct map *map)
{
    const struct naive_node *node = &nodes[*next - 1];
    const int copies = copies_of(node);
    const size_t first = *next;
    folding->out[folding->count++] =
        (struct naive_solid){.kind = NAIVE_NODE_UNION, .node = node, .children = copies};
    for (int i = 0; i < copies; i++) {
        struct map copy = copied(map, node, i);
        *next = first;
        fold(folding, nodes, next, &copy);
    }
}

/* The shape that begins at nodes[*next]. */
static void fold(struct folding *folding, const struct naive_node *nodes, size_t *next, const struct map *map)
{
    const struct naive_node *node = &nodes[(*next)++];
    if (node->kind == NAIVE_MIRROR || node->kind == NAIVE_REPEAT) {
        fold_copies(folding, nodes, next, map);
        return;
    }
    struct map inner = *map;
    if (node->kind >= NAIVE_TRANSLATE && node->kind <= NAIVE_SCALE) {
        inner = transformed(map, node);
    } else {
        struct naive_solid *solid = &folding->out[folding->count++];
        folding->good = make_solid(node, map, folding->voxel_size, folding->out, solid) && folding->good;
        if (naive_moves_points(node->kind))
            inner = map_within(map, node);
    }
    for (int i = 0; i < node->children; i++)
        fold(folding, nodes, next, &inner);
}

bool naive_solids_make(const struct naive_node *nodes, double voxel_size, struct naive_solid *out)
{
    const struct map identity = {.m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .factor = 1.0};
    struct folding folding = {.voxel_size = voxel_size, .out = out, .good = true};
    size_t next = 0;
    fold(&folding, nodes, &next, &identity);
    return folding.good;
}

static size_t count_from(const struct naive_node *nodes, size_t *next)
{
    const struct naive_node *node = &nodes[(*next)++];
    const bool is_copied = node->kind == NAIVE_MIRROR || node->kind == NAIVE_REPEAT;
    size_t within = 0;
    for (int i = 0; i < node->children; i++)
        within += count_from(nodes, next);
    return 1 + within * (size_t)(is_copied ? copies_of(node) : 1);
}

size_t naive_solid_count(const struct naive_node *nodes)
{
    size_t next = 0;
    return count_from(nodes, &next);
}
