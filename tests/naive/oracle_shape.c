/* Distances of shapes. Points are taken back into the shape's own space, from the root down, where it is as written;
 * the kernels take the shape out into the world. Lengths are metres. */
#include "tests/naive/oracle.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define BAND 16.0       /* voxels that a mesh's field reaches beyond it, */
#define MARGIN_MAX 16.0 /* but no more cells than these */
#define NEAR 0x1p-10    /* voxels */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length_of(const double v[3])
{
    return sqrt(dot(v, v));
}

/* ---- points taken back ---- */

/* p turned by so much around the axis through `at`. */
static void turn_around(const double at[3], const double axis[3], double angle, const double p[3],
                        double out[3])
{
    double u[3], q[3], length = length_of(axis);
    for (int i = 0; i < 3; i++) {
        u[i] = axis[i] / length;
        q[i] = p[i] - at[i];
    }
    const double cross[3] = {u[1] * q[2] - u[2] * q[1], u[2] * q[0] - u[0] * q[2], u[0] * q[1] - u[1] * q[0]};
    for (int i = 0; i < 3; i++)
        out[i] = at[i] + q[i] * cos(angle) + cross[i] * sin(angle) + u[i] * dot(u, q) * (1.0 - cos(angle));
}

static void mirror(const struct naive_node *node, const double p[3], double out[3])
{
    double away = 0.0;
    for (int i = 0; i < 3; i++)
        away += (p[i] - node->at[i]) * node->axis[i];
    for (int i = 0; i < 3; i++)
        out[i] = p[i] - 2.0 * away * node->axis[i] / dot(node->axis, node->axis);
}

static void push_together(const struct naive_node *node, const double p[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        double q = p[i] - node->at[i], half = node->to[i] / 2.0;
        out[i] = node->at[i] + (q > half ? q - half : q < -half ? q + half : 0.0);
    }
}

/* How far p lies along a direction, which for a bend is `along` made perpendicular to the axis. */
static double way_along(const struct naive_node *node, const double p[3])
{
    double direction[3], q[3];
    for (int i = 0; i < 3; i++) {
        q[i] = p[i] - node->at[i];
        direction[i] = node->kind == NAIVE_TAPER ? node->to[i] - node->at[i] : node->axis[i];
        if (node->kind == NAIVE_BEND)
            direction[i] =
                node->along[i] - dot(node->along, node->axis) * node->axis[i] / dot(node->axis, node->axis);
    }
    return dot(q, direction) / length_of(direction);
}

static void widen(const struct naive_node *node, const double p[3], double out[3])
{
    const double axis[3] = {node->to[0] - node->at[0], node->to[1] - node->at[1], node->to[2] - node->at[2]};
    double length = length_of(axis), way = way_along(node, p), share = fmin(fmax(way / length, 0.0), 1.0);
    double wide = (1.0 - share) + share / node->factor;
    for (int i = 0; i < 3; i++) {
        double on_axis = node->at[i] + way * axis[i] / length;
        out[i] = on_axis + (p[i] - on_axis) * wide;
    }
}

/* Where the shape below a node has what the node has at p. */
static void take_back(const struct naive_node *node, const double p[3], double out[3])
{
    const double degree = PI / 180.0;
    switch (node->kind) {
    case NAIVE_TRANSLATE:
        for (int i = 0; i < 3; i++)
            out[i] = p[i] - node->to[i];
        break;
    case NAIVE_ROTATE:
        turn_around(node->at, node->axis, -node->degrees * degree, p, out);
        break;
    case NAIVE_SCALE:
        for (int i = 0; i < 3; i++)
            out[i] = node->at[i] + (p[i] - node->at[i]) / node->factor;
        break;
    case NAIVE_ELONGATE:
        push_together(node, p, out);
        break;
    case NAIVE_TWIST:
    case NAIVE_BEND:
        turn_around(node->at, node->axis, -node->degrees * degree * way_along(node, p), p, out);
        break;
    case NAIVE_TAPER:
        widen(node, p, out);
        break;
    default:
        for (int i = 0; i < 3; i++)
            out[i] = p[i];
        break;
    }
}

/* ---- the tree ---- */

struct walk {
    const struct oracle_shape *shape;
    const double *sample; /* voxels */
    size_t next;
    bool doubtful;
};

static double distance(struct walk *walk, const double p[3]);

static double least_of_copies(struct walk *walk, const struct naive_node *node, const double p[3])
{
    const size_t first = walk->next;
    const bool is_mirror = node->kind == NAIVE_MIRROR;
    double nearest = INFINITY, q[3];
    int count[3] = {2, 1, 1}, copy[3];
    for (int i = 0; i < 3 && !is_mirror; i++)
        count[i] = node->count[i];
    for (copy[0] = 0; copy[0] < count[0]; copy[0]++)
        for (copy[1] = 0; copy[1] < count[1]; copy[1]++)
            for (copy[2] = 0; copy[2] < count[2]; copy[2]++) {
                for (int i = 0; i < 3; i++)
                    q[i] = is_mirror ? p[i] : p[i] - copy[i] * node->to[i];
                if (is_mirror && copy[0] == 1)
                    mirror(node, p, q);
                walk->next = first;
                nearest = fmin(nearest, distance(walk, q));
            }
    return nearest;
}

static double displacement(const struct walk *walk, const struct naive_node *node, double factor)
{
    const struct oracle_noise noise = {.seed = node->seed,
                                       .octaves = node->octaves,
                                       .scale = node->scale * factor / walk->shape->voxel_size,
                                       .in_space = true};
    return node->length * oracle_noise(&noise, walk->sample);
}

static double combination(struct walk *walk, const struct naive_node *node, const double p[3])
{
    enum naive_op op = node->kind == NAIVE_NODE_UNION      ? NAIVE_UNION
                       : node->kind == NAIVE_NODE_SUBTRACT ? NAIVE_SUBTRACT
                                                           : NAIVE_INTERSECT;
    double d = distance(walk, p);
    for (int i = 1; i < node->children; i++)
        d = oracle_combine(op, &node->blend, node->blend.width, d, distance(walk, p));
    return d;
}

/* Of the shape that begins at the node walk->next; p in metres. */
static double distance(struct walk *walk, const double p[3])
{
    const struct oracle_node *known = &walk->shape->known[walk->next];
    const struct naive_node *node = &walk->shape->nodes[walk->next++];
    double q[3];
    if (node->children == 0)
        return oracle_primitive_distance(node, known, p, &walk->doubtful);
    if (naive_is_operation(node->kind))
        return combination(walk, node, p);
    if (node->kind == NAIVE_MIRROR || node->kind == NAIVE_REPEAT)
        return least_of_copies(walk, node, p);
    take_back(node, p, q);
    double d = distance(walk, q);
    switch (node->kind) {
    case NAIVE_SCALE:
        return node->factor * d;
    case NAIVE_ROUND:
        return d - node->length;
    case NAIVE_ONION:
        return fabs(d) - node->length / 2.0;
    case NAIVE_DISPLACE:
        return d - displacement(walk, node, known->factor);
    default:
        return d;
    }
}

double oracle_shape_distance(const struct oracle_shape *shape, const double p[3], bool *doubtful)
{
    struct walk walk = {.shape = shape, .sample = p};
    double metres[3];
    for (int i = 0; i < 3; i++)
        metres[i] = p[i] * shape->voxel_size;
    double d = distance(&walk, metres) / shape->voxel_size;
    *doubtful = walk.doubtful;
    return d;
}

/* ---- what is known beforehand ---- */

static double greatest_length(const struct naive_node *node)
{
    const double axis[3] = {node->to[0] - node->at[0], node->to[1] - node->at[1], node->to[2] - node->at[2]};
    const bool has_length = node->kind == NAIVE_CYLINDER || node->kind == NAIVE_CONE ||
                            node->kind == NAIVE_CAPPED_CONE || node->kind == NAIVE_PRISM;
    double longest = fmax(fmax(node->radius, node->to_radius), fmax(node->tube, node->length));
    longest = fmax(longest, has_length ? length_of(axis) : 0.0);
    for (int i = 0; i < 3; i++)
        longest = fmax(longest, node->size[i]);
    return longest;
}

/* The image of a height map is no finer than two pixels a voxel. */
static void know_height_map(const struct naive_node *node, double voxels_a_metre, struct oracle_node *known)
{
    const struct naive_image *image = node->image;
    const double most[2] = {fmax(2.0 * node->size[0] * voxels_a_metre, 1.0),
                            fmax(2.0 * node->size[2] * voxels_a_metre, 1.0)};
    int width = image->width, height = image->height;
    double steps[2];
    for (; width > most[0] || height > most[1]; known->halvings++) {
        width = width / 2 + width % 2;
        height = height / 2 + height % 2;
    }
    oracle_image_steps(image, known->halvings, steps);
    known->grade_2 = pow(steps[0] * (width - 1) * node->size[1] / node->size[0], 2.0) +
                     pow(steps[1] * (height - 1) * node->size[1] / node->size[2], 2.0);
}

static void know(struct oracle_shape *shape, size_t *next, double factor)
{
    const struct naive_node *node = &shape->nodes[*next];
    struct oracle_node *known = &shape->known[(*next)++];
    const double voxels_a_metre = factor / shape->voxel_size;
    *known = (struct oracle_node){.factor = factor, .near = NEAR / voxels_a_metre};
    shape->size = fmax(shape->size, greatest_length(node) * voxels_a_metre);
    if (node->kind == NAIVE_HEIGHT_MAP)
        know_height_map(node, voxels_a_metre, known);
    if (node->kind == NAIVE_MESH) {
        double cell = node->cell * voxels_a_metre;
        known->margin = fmin(ceil(BAND / cell), MARGIN_MAX);
        shape->off = fmax(shape->off, cell / 512.0);
    }
    if (naive_moves_points(node->kind)) /* one more rounding of places; a taper moves what is off as well */
        shape->blur *= 1.5 * fmax(1.0, node->kind == NAIVE_TAPER ? 1.0 / node->factor : 1.0);
    if (node->kind == NAIVE_DISPLACE) /* places in the lattice, as for brushes of noise */
        shape->off += node->length * voxels_a_metre * node->octaves * 8.0 *
                      (64.0 / (node->scale * voxels_a_metre) + 1.0) * 0x1p-22;
    for (int i = 0; i < node->children; i++)
        know(shape, next, node->kind == NAIVE_SCALE ? factor * node->factor : factor);
}

bool oracle_shape_init(struct oracle_shape *shape, const struct naive_node *nodes, size_t count,
                       double voxel_size)
{
    size_t next = 0;
    *shape = (struct oracle_shape){.nodes = nodes, .voxel_size = voxel_size, .blur = 1.0};
    shape->known = malloc(count * sizeof *shape->known);
    if (shape->known == NULL)
        return false;
    know(shape, &next, 1.0);
    return true;
}

void oracle_shape_release(struct oracle_shape *shape)
{
    free(shape->known);
    *shape = (struct oracle_shape){0};
}
