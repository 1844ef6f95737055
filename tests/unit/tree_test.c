/* Trees of shapes: distances against textbook formulas in long double, which know no frame, no folded transform and no code; pruning
 * against the whole code, bounds against samples, boxes against points outside.
 *
 * The judge (`true_value`) walks the shape as written: it takes a point backwards through each transform and modifier and multiplies what
 * comes back by the factor. Meshes it looks up in a field of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/edit/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIMITIVES TR_SHAPE_UNION /* kinds, TR_SHAPE_SPHERE to TR_SHAPE_TUBE */
#define PI 3.14159265358979323846264L
#define UNIT (1.0 / 256) /* voxels */
#define WHOLE_REACH 1e30 /* a reach and a box with which nothing is left out */
#define WHOLE_BOX 100000000

/* ---- random numbers ---- */

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static double random_between(uint64_t *seed, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(random_next(seed) >> 11) * 0x1p-53);
}

static int random_below(uint64_t *seed, int n)
{
    return (int)((random_next(seed) >> 33) % (uint64_t)n);
}

static double random_size(uint64_t *seed, double lo, double hi) /* evenly in its logarithm */
{
    return exp(random_between(seed, log(lo), log(hi)));
}

static void random_direction(uint64_t *seed, double u[3])
{
    double length;

    do {
        for (int i = 0; i < 3; i++)
            u[i] = random_between(seed, -1, 1);
        length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    } while (length < 0.1 || length > 1);
    for (int i = 0; i < 3; i++)
        u[i] /= length;
}

/* ---- shapes ---- */

/* A shape without nodes, with room for the largest. */
static struct tr_shape shape_begin(void)
{
    struct tr_shape shape = {.capacity = TR_SHAPE_NODES_MAX};

    shape.nodes = calloc(shape.capacity, sizeof *shape.nodes);
    assert_non_null(shape.nodes);
    return shape;
}

static struct tr_shape_node *shape_add(struct tr_shape *shape, enum tr_shape_kind kind, uint32_t child_count)
{
    struct tr_shape_node *node = &shape->nodes[shape->count++];

    assert_true(shape->count <= TR_SHAPE_NODES_MAX);
    *node = (struct tr_shape_node){.kind = kind, .child_count = child_count};
    return node;
}

static void node_set(struct tr_shape_node *node, const char *name, const double *numbers)
{
    for (const struct tr_shape_field *field = tr_shape_infos[node->kind].fields; field->name; field++)
        if (strcmp(field->name, name) == 0) {
            memcpy(node->values + field->first, numbers, field->count * sizeof *numbers);
            return;
        }
    fail_msg("%s has no field %s", tr_shape_infos[node->kind].name, name);
}

static const double *node_get(const struct tr_shape_node *node, const char *name)
{
    for (const struct tr_shape_field *field = tr_shape_infos[node->kind].fields; field->name; field++)
        if (strcmp(field->name, name) == 0)
            return node->values + field->first;
    fail_msg("%s has no field %s", tr_shape_infos[node->kind].name, name);
    return NULL;
}

static void add_sphere(struct tr_shape *shape, double x, double y, double z, double radius)
{
    struct tr_shape_node *node = shape_add(shape, TR_SHAPE_SPHERE, 0);

    node_set(node, "center", (double[]){x, y, z});
    node_set(node, "radius", &radius);
}

static struct tr_shape_more *node_more(struct tr_shape_node *node)
{
    node->more = calloc(1, sizeof *node->more);
    assert_non_null(node->more);
    return node->more;
}

/* A picture of hills: neighbours differ, but not by everything. */
static void set_picture(struct tr_shape_node *node, uint64_t *seed, uint32_t width, uint32_t height)
{
    struct tr_resource *image = &node_more(node)->resource;

    *image = (struct tr_resource){.width = width, .height = height};
    image->pixels = calloc((size_t)width * height, sizeof *image->pixels);
    assert_non_null(image->pixels);
    for (uint32_t i = 0; i < width * height; i++)
        image->pixels[i] = (uint16_t)(20000 + 15000 * sin(0.7 * (i % width)) +
                                      12000 * cos(0.4 * (i / width)) + random_below(seed, 17000));
}

/* A closed mesh of eight triangles, about as large as an octahedron of this radius; as an OBJ. */
static void set_mesh(struct tr_shape_node *node, uint64_t *seed, const double centre[3], double radius)
{
    static const char faces[] = "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
    struct tr_resource *resource = &node_more(node)->resource;
    char text[1024];
    int at = 0;

    for (int k = 0; k < 6; k++) {
        double p[3];

        for (int i = 0; i < 3; i++)
            p[i] = centre[i] +
                   (k / 2 == i ? (k % 2 ? -1 : 1) * radius : random_between(seed, -0.2, 0.2) * radius);
        at += sprintf(text + at, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    at += sprintf(text + at, "%s", faces);
    resource->bytes = malloc((size_t)at);
    assert_non_null(resource->bytes);
    memcpy(resource->bytes, text, (size_t)at);
    resource->size_bytes = (size_t)at;
    node->more->has_cell = true;
    node_set(node, "cell", (double[]){radius / 6});
}

/* A path that winds around a centre. */
static void set_path(struct tr_shape_node *node, uint64_t *seed, const double centre[3], double size)
{
    struct tr_shape_more *more = node_more(node);

    more->path_count = 2 + (uint32_t)random_below(seed, 4);
    more->path = calloc(more->path_count, sizeof *more->path);
    assert_non_null(more->path);
    more->profile = (uint32_t)random_below(seed, 3);
    for (uint32_t k = 0; k < more->path_count; k++) {
        for (int i = 0; i < 3; i++)
            more->path[k][i] = centre[i] + size * (i == 0 ? 0.3 * k : random_between(seed, -0.2, 0.2));
        more->path[k][3] = size * random_between(seed, 0.1, 0.25);
    }
    node_set(node, "steps", (double[]){1 + random_below(seed, 4)});
}

static bool has_ends(enum tr_shape_kind kind)
{
    return kind == TR_SHAPE_CAPSULE || kind == TR_SHAPE_CYLINDER || kind == TR_SHAPE_CONE ||
           kind == TR_SHAPE_CAPPED_CONE || kind == TR_SHAPE_PRISM;
}

/* A primitive around a centre, none of whose lengths exceeds `size`; one of them is that, or about that. */
static void add_primitive(struct tr_shape *shape, uint64_t *seed, enum tr_shape_kind kind,
                          const double centre[3], double size)
{
    struct tr_shape_node *node = shape_add(shape, kind, 0);
    double u[3], v[3], sizes[3], radius = size, half = size / 2;

    random_direction(seed, u);
    random_direction(seed, v);
    for (int i = 0; i < 3; i++)
        sizes[i] = size * (i == 0 ? 1 : random_between(seed, 0.2, 1));
    if (random_below(seed, 2))
        radius = size * random_between(seed, 0.1, 1);
    else
        half *= random_between(seed, 0.1, 1);
    if (has_ends(kind)) {
        node_set(node, "from",
                 (double[]){centre[0] - half * u[0], centre[1] - half * u[1], centre[2] - half * u[2]});
        node_set(node, "to",
                 (double[]){centre[0] + half * u[0], centre[1] + half * u[1], centre[2] + half * u[2]});
        node_set(node, "radius", &radius);
    } else if (kind == TR_SHAPE_HALF_SPACE) {
        node_set(node, "point", centre);
        node_set(node, "normal", u);
    } else if (kind != TR_SHAPE_MESH && kind != TR_SHAPE_TUBE) {
        node_set(node, "center", centre);
    }
    switch (kind) {
    case TR_SHAPE_SPHERE:
    case TR_SHAPE_OCTAHEDRON:
        node_set(node, "radius", &size);
        break;
    case TR_SHAPE_ROUNDED_BOX:
        node_set(node, "radius", (double[]){0.45 * fmin(sizes[1], sizes[2])});
        node_set(node, "size", sizes);
        break;
    case TR_SHAPE_HEIGHT_MAP:
        set_picture(node, seed, 1 + (uint32_t)random_below(seed, 24), 1 + (uint32_t)random_below(seed, 24));
        node_set(node, "size", sizes);
        break;
    case TR_SHAPE_BOX:
    case TR_SHAPE_PYRAMID:
        node_set(node, "size", sizes);
        break;
    case TR_SHAPE_LINK:
        node_set(node, "along", v);
        node_set(node, "length", sizes);
        /* fall through */
    case TR_SHAPE_TORUS:
        node_set(node, "axis", (double[]){7 * u[0], 7 * u[1], 7 * u[2]});
        node_set(node, "radius", &sizes[2]);
        node_set(node, "tube", &sizes[1]);
        break;
    case TR_SHAPE_ELLIPSOID:
        node_set(node, "radii", sizes);
        break;
    case TR_SHAPE_CAPPED_CONE:
        node_set(node, "to_radius", &sizes[1]);
        break;
    case TR_SHAPE_PRISM:
        node_set(node, "sides", (double[]){3 + random_below(seed, 14)});
        break;
    case TR_SHAPE_MESH:
        set_mesh(node, seed, centre, size / 2);
        break;
    case TR_SHAPE_TUBE:
        set_path(node, seed, centre, size);
        break;
    default:
        break;
    }
}

/* A transform that moves what is near `centre` by no more than about `far`. */
static void add_transform(struct tr_shape *shape, uint64_t *seed, const double centre[3], double far)
{
    enum tr_shape_kind kind = (enum tr_shape_kind)(TR_SHAPE_TRANSLATE + random_below(seed, 3));
    struct tr_shape_node *node = shape_add(shape, kind, 1);
    double about[3], u[3], degrees = random_between(seed, -400, 400), by = random_between(seed, 0.5, 1);

    random_direction(seed, u);
    for (int i = 0; i < 3; i++)
        about[i] = centre[i] + random_between(seed, -far, far) / 2;
    if (kind == TR_SHAPE_TRANSLATE) {
        node_set(node, "by", (double[]){far * u[0], far * u[1], far * u[2]});
        return;
    }
    node_set(node, "about", about);
    if (kind == TR_SHAPE_SCALE) {
        node_set(node, "by", &by);
        return;
    }
    if (random_below(seed, 3) == 0)
        degrees = 90 * random_below(seed, 9) - 360;
    node_set(node, "axis", (double[]){5 * u[0], 5 * u[1], 5 * u[2]});
    node_set(node, "degrees", &degrees);
}

static struct tr_blend random_blend(uint64_t *seed, double width_max)
{
    struct tr_blend blend = {.kind = (uint32_t)random_below(seed, 4)};

    if (blend.kind != TR_BLEND_HARD)
        blend.width_m = random_between(seed, 0.01, width_max);
    if (blend.kind == TR_BLEND_STAIRS)
        blend.steps = 2 + (uint32_t)random_below(seed, 10);
    return blend;
}

/* How random trees look. */
struct look {
    double centre[3], spread; /* of the primitives' centres */
    double size_lo, size_hi, width_max;
    int primitives_left; /* about so many */
    bool is_endless;     /* half-spaces among them */
    bool is_cropped;     /* height maps and meshes, one of these */
    int movers_left, copies_left, meshes_left;
};

static enum tr_shape_kind random_kind(uint64_t *seed, struct look *look)
{
    for (;;) {
        enum tr_shape_kind kind = (enum tr_shape_kind)random_below(seed, PRIMITIVES);

        if ((kind == TR_SHAPE_HALF_SPACE && !look->is_endless) ||
            ((kind == TR_SHAPE_HEIGHT_MAP || kind == TR_SHAPE_MESH) && !look->is_cropped))
            continue;
        if (kind != TR_SHAPE_MESH || look->meshes_left-- > 0)
            return kind;
    }
}

/* Modifiers whose fields are of the size of the look. */
static void add_modifier(struct tr_shape *shape, uint64_t *seed, struct look *look)
{
    enum tr_shape_kind kind =
        (enum tr_shape_kind)(TR_SHAPE_ROUND + random_below(seed, TR_SHAPE_KIND_COUNT - TR_SHAPE_ROUND));
    double about[3], to[3], u[3], v[3], length = random_between(seed, 0.2, 4);
    struct tr_shape_node *node;

    if ((tr_shape_moves_points(kind) && look->movers_left-- <= 0) ||
        ((kind == TR_SHAPE_MIRROR || kind == TR_SHAPE_REPEAT) && look->copies_left-- <= 0))
        kind = TR_SHAPE_ROUND;
    node = shape_add(shape, kind, 1);
    random_direction(seed, u);
    random_direction(seed, v);
    for (int i = 0; i < 3; i++) {
        about[i] = look->centre[i] + random_between(seed, -0.5, 0.5) * look->spread;
        to[i] = about[i] + look->spread * u[i];
    }
    switch (kind) {
    case TR_SHAPE_ROUND:
        node_set(node, "by", &length);
        break;
    case TR_SHAPE_ONION:
        node_set(node, "thickness", &length);
        break;
    case TR_SHAPE_ELONGATE:
        node_set(node, "about", about);
        node_set(node, "by",
                 (double[]){fabs(9 * u[0]), random_below(seed, 2) ? 0 : fabs(9 * u[1]), fabs(9 * u[2])});
        break;
    case TR_SHAPE_MIRROR:
        node_set(node, "normal", u);
        node_set(node, "point", about);
        break;
    case TR_SHAPE_REPEAT:
        node_set(node, "by", (double[]){20 * u[0], 20 * u[1], 20 * u[2]});
        node_set(node, "count", (double[]){1 + random_below(seed, 2), 1 + random_below(seed, 3), 1});
        break;
    case TR_SHAPE_BEND:
        node_set(node, "along", v);
        /* fall through */
    case TR_SHAPE_TWIST:
        node_set(node, "about", about);
        node_set(node, "axis", u);
        node_set(node, "degrees_per_metre", (double[]){random_between(seed, -60, 60) / look->spread});
        break;
    case TR_SHAPE_TAPER:
        node_set(node, "factor", (double[]){random_size(seed, 0.4, 2.5)});
        node_set(node, "from", about);
        node_set(node, "to", to);
        break;
    default:
        node_set(node, "octaves", (double[]){1 + random_below(seed, 4)});
        node_set(node, "scale", (double[]){random_between(seed, 5, 40)});
        node_set(node, "strength", &length);
        node_more(node)->seed = random_next(seed);
    }
}

static void add_random_tree(struct tr_shape *shape, uint64_t *seed, struct look *look, int depth)
{
    double centre[3];
    int pick = random_below(seed, 10),
        children = 2 + (random_below(seed, 4) == 0 ? random_below(seed, 6) : 0);

    if (depth <= 1 || look->primitives_left <= 1) {
        for (int i = 0; i < 3; i++)
            centre[i] = look->centre[i] + random_between(seed, -1, 1) * look->spread;
        look->primitives_left--;
        add_primitive(shape, seed, random_kind(seed, look), centre,
                      random_size(seed, look->size_lo, look->size_hi));
    } else if (pick >= 8) {
        add_modifier(shape, seed, look);
        add_random_tree(shape, seed, look, depth - 1);
    } else if (pick < 2) {
        add_transform(shape, seed, look->centre, look->spread / 4);
        add_random_tree(shape, seed, look, depth - 1);
    } else {
        enum tr_shape_kind kind = pick < 6    ? TR_SHAPE_UNION
                                  : pick == 6 ? TR_SHAPE_SUBTRACT
                                              : TR_SHAPE_INTERSECT;
        struct tr_shape_node *node = shape_add(shape, kind, (uint32_t)children);

        node->blend = random_blend(seed, look->width_max);
        for (int i = 0; i < children; i++) /* mostly one deep branch, on any side */
            add_random_tree(shape, seed, look,
                            random_below(seed, 3) == 0 || i == children / 2 ? depth - 1 : depth / 2);
    }
}

/* The field that the judge looks up, of the last mesh that it was asked for. */
static struct {
    const struct tr_shape_more *of;
    long double factor;
    struct tr_solid_field field;
    struct tr_solid_mesh mesh;
} judge_field;

/* What the judge knows of where it is: the sample in voxels, and the factor of all scales above. */
static long double judge_sample[3], judge_factor, judge_voxel_size;

static void judge_forget(void)
{
    tr_solid_field_release(&judge_field.field);
    tr_solid_mesh_release(&judge_field.mesh);
    judge_field.of = NULL;
}

static struct tr_tree *resolve(const struct tr_shape *shape, double voxel_size)
{
    struct tr_error error = {.text = ""};
    struct tr_tree *tree;

    judge_forget();
    if (tr_tree_create(shape, voxel_size, "here", &tree, &error) != TR_OK ||
        tr_tree_load(tree, "here", &error) != TR_OK)
        fail_msg("a shape is refused: %s", error.text);
    return tree;
}

/* ---- the judge ---- */

static long double norm(const long double v[3])
{
    return sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static long double box_distance(const long double q[3], const long double half[3])
{
    long double out[3], inner = -1e30L;

    for (int i = 0; i < 3; i++) {
        out[i] = fmaxl(fabsl(q[i]) - half[i], 0);
        inner = fmaxl(inner, fabsl(q[i]) - half[i]);
    }
    return norm(out) + fminl(inner, 0);
}

/* The distance of a point of the plane from the segment from a to b. */
static long double segment_distance(long double x, long double y, long double ax, long double ay,
                                    long double bx, long double by)
{
    long double t =
        ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) * (bx - ax) + (by - ay) * (by - ay));

    t = fminl(fmaxl(t, 0), 1);
    return hypotl(x - ax - t * (bx - ax), y - ay - t * (by - ay));
}

/* Of a cone of radius `low` at y = -h and `high` at y = h. */
static long double cone_distance(long double rho, long double y, long double low, long double high,
                                 long double h)
{
    long double base = segment_distance(rho, y, 0, -h, low, -h);
    long double slope = segment_distance(rho, y, low, -h, high, h);
    long double top = high > 0 ? segment_distance(rho, y, 0, h, high, h) : slope;
    bool inside = fabsl(y) < h && rho * 2 * h < low * (h - y) + high * (h + y);

    base = fminl(base, fminl(slope, top));
    return inside ? -base : base;
}

/* Of a convex polygon in its plane, its corners in order. */
static long double polygon_distance(long double x, long double y, const long double (*corners)[2], int count)
{
    long double nearest = 1e30L;
    bool left = true, right = true;

    for (int i = 0; i < count; i++) {
        const long double *a = corners[i], *b = corners[(i + 1) % count];
        long double turn = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);

        nearest = fminl(nearest, segment_distance(x, y, a[0], a[1], b[0], b[1]));
        left = left && turn >= 0;
        right = right && turn <= 0;
    }
    return left || right ? -nearest : nearest;
}

static void cross(const long double a[3], const long double b[3], long double c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static long double dot(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Of a solid all of whose faces are flat and which has `inside` within: each face is looked at in its own plane. */
static long double solid_distance(const long double p[3], const long double (*corners)[3],
                                  const int (*faces)[5], int count, const long double inside[3])
{
    long double nearest = 1e30L;
    bool is_in = true;

    for (int k = 0; k < count; k++) {
        int sides = faces[k][4] < 0 && faces[k][3] < 0 ? 3 : 4;
        long double x[3], y[3], n[3], q[3], to_inside[3], flat[4][2], height, beside;

        for (int i = 0; i < 3; i++) {
            x[i] = corners[faces[k][1]][i] - corners[faces[k][0]][i];
            y[i] = corners[faces[k][2]][i] - corners[faces[k][0]][i];
            q[i] = p[i] - corners[faces[k][0]][i];
            to_inside[i] = inside[i] - corners[faces[k][0]][i];
        }
        cross(x, y, n);
        cross(n, x, y);
        for (int j = 0; j < sides; j++) {
            long double r[3];

            for (int i = 0; i < 3; i++)
                r[i] = corners[faces[k][j]][i] - corners[faces[k][0]][i];
            flat[j][0] = dot(r, x) / norm(x);
            flat[j][1] = dot(r, y) / norm(y);
        }
        height = dot(q, n) / norm(n);
        beside =
            polygon_distance(dot(q, x) / norm(x), dot(q, y) / norm(y), (const long double(*)[2])flat, sides);
        nearest = fminl(nearest, hypotl(height, fmaxl(beside, 0)));
        is_in = is_in && height * dot(to_inside, n) >= 0;
    }
    return is_in ? -nearest : nearest;
}

static long double pyramid_distance(const long double q[3], const double size[3])
{
    static const int faces[][5] = {
        {0, 1, 2, 3, -1}, {0, 1, 4, -1, -1}, {1, 2, 4, -1, -1}, {2, 3, 4, -1, -1}, {3, 0, 4, -1, -1}};
    long double x = size[0] / 2.0L, z = size[2] / 2.0L;
    const long double corners[5][3] = {{-x, 0, -z}, {x, 0, -z}, {x, 0, z}, {-x, 0, z}, {0, size[1], 0}};

    return solid_distance(q, corners, faces, 5, (long double[]){0, size[1] / 4.0L, 0});
}

/* By symmetry in one eighth of space, where it is a triangle. */
static long double octahedron_distance(const long double q[3], long double radius)
{
    static const int face[][5] = {{0, 1, 2, -1, -1}};
    const long double corners[3][3] = {{radius, 0, 0}, {0, radius, 0}, {0, 0, radius}};
    const long double p[3] = {fabsl(q[0]), fabsl(q[1]), fabsl(q[2])};
    long double plane = (p[0] + p[1] + p[2] - radius) / sqrtl(3);

    return plane <= 0 ? plane : solid_distance(p, corners, face, 1, (long double[]){0, 0, 0});
}

/* Two directions across a unit one, the first level if it can be. */
static void across(const long double u[3], long double side[3], long double top[3])
{
    const long double up[3] = {fabsl(u[1]) > 0.999L, fabsl(u[1]) <= 0.999L, 0};
    long double length;

    cross(up, u, side);
    length = norm(side);
    for (int i = 0; i < 3; i++)
        side[i] /= length;
    cross(u, side, top);
}

static long double prism_distance(const struct tr_shape_node *node, const long double q[3],
                                  const long double axis[3])
{
    long double u[3], side[3], top[3], corners[16][2], length = norm(axis), beside, above;
    int sides = (int)*node_get(node, "sides");

    for (int i = 0; i < 3; i++)
        u[i] = axis[i] / length;
    across(u, side, top);
    for (int k = 0; k < sides; k++) {
        corners[k][0] = *node_get(node, "radius") * cosl(2 * PI * k / sides);
        corners[k][1] = *node_get(node, "radius") * sinl(2 * PI * k / sides);
    }
    beside = polygon_distance(dot(q, side), dot(q, top), (const long double(*)[2])corners, sides);
    above = fabsl(dot(q, u)) - length / 2;
    return hypotl(fmaxl(beside, 0), fmaxl(above, 0)) + fminl(fmaxl(beside, above), 0);
}

static long double link_distance(const struct tr_shape_node *node, const long double q[3])
{
    const double *axis_m = node_get(node, "axis"), *along_m = node_get(node, "along");
    long double axis[3], along[3], x, z, rest[3], length;

    for (int i = 0; i < 3; i++) {
        axis[i] = axis_m[i];
        along[i] = along_m[i];
    }
    z = dot(q, axis) / norm(axis);
    for (int i = 0; i < 3; i++)
        along[i] -=
            dot((long double[]){along_m[0], along_m[1], along_m[2]}, axis) / dot(axis, axis) * axis[i];
    x = dot(q, along) / norm(along);
    for (int i = 0; i < 3; i++)
        rest[i] = q[i] - z * axis[i] / norm(axis) - x * along[i] / norm(along);
    length = *node_get(node, "length");
    x = fmaxl(fabsl(x) - length / 2, 0);
    return hypotl(hypotl(x, norm(rest)) - *node_get(node, "radius"), z) - *node_get(node, "tube");
}

static long double tube_piece_distance(const long double p[3], const long double a[4], const long double b[4],
                                       uint32_t profile)
{
    long double u[3], side[3], top[3], w[3], length, along = 0, t, r, d;

    for (int i = 0; i < 3; i++)
        u[i] = b[i] - a[i];
    length = norm(u);
    for (int i = 0; i < 3; i++) {
        u[i] /= length;
        along += u[i] * (p[i] - a[i]);
    }
    t = fminl(fmaxl(along / length, 0), 1);
    r = a[3] + t * (b[3] - a[3]);
    across(u, side, top);
    for (int i = 0; i < 3; i++)
        w[i] = p[i] - a[i] - t * length * u[i];
    if (profile == TR_PROFILE_SQUARE) {
        long double s = fabsl(dot(w, side)) - r, h = fabsl(dot(w, top)) - r;
        long double beyond = fmaxl(fmaxl(-along, along - length), 0);

        d = hypotl(hypotl(fmaxl(s, 0), fmaxl(h, 0)), beyond);
        return t > 0 && t < 1 ? d + fminl(fmaxl(s, h), 0) : d;
    }
    d = norm(w) - r;
    return profile == TR_PROFILE_ARCH ? fmaxl(d, -dot(w, top) - r / 2) : d;
}

/* In Hermite's form: from point to point with slopes half the way between the points beside. */
static void curve_point(const struct tr_shape_more *more, uint32_t span, long double t, long double point[4])
{
    const double *a = more->path[span], *b = more->path[span + 1];
    const double *before = span > 0 ? more->path[span - 1] : a;
    const double *behind = span + 2 < more->path_count ? more->path[span + 2] : b;

    for (int i = 0; i < 4; i++) {
        long double from = ((long double)b[i] - before[i]) / 2, to = ((long double)behind[i] - a[i]) / 2;

        point[i] = (1 + 2 * t) * (1 - t) * (1 - t) * a[i] + t * (1 - t) * (1 - t) * from +
                   t * t * (3 - 2 * t) * b[i] + t * t * (t - 1) * to;
    }
    point[3] = fmaxl(point[3], 0);
}

static long double tube_distance(const struct tr_shape_node *node, const long double p[3])
{
    int steps = (int)*node_get(node, "steps");
    long double nearest = 1e30L, a[4], b[4];

    for (uint32_t span = 0; span + 1 < node->more->path_count; span++)
        for (int k = 0; k < steps; k++) {
            curve_point(node->more, span, (long double)k / steps, a);
            curve_point(node->more, span, (long double)(k + 1) / steps, b);
            nearest = fminl(nearest, tube_piece_distance(p, a, b, node->more->profile));
        }
    return nearest;
}

/* A picture, halved by hand as often as it must be. */
static struct tr_resource halved_picture(const struct tr_shape_node *node)
{
    struct tr_resource image = node->more->resource;
    const double *size = node_get(node, "size");
    long double pixels = 2 * judge_factor / judge_voxel_size; /* a metre */

    image.pixels = malloc((size_t)image.width * image.height * sizeof *image.pixels);
    assert_non_null(image.pixels);
    memcpy(image.pixels, node->more->resource.pixels,
           (size_t)image.width * image.height * sizeof *image.pixels);
    while ((image.width > 1 && image.width > pixels * size[0]) ||
           (image.height > 1 && image.height > pixels * size[2])) {
        uint32_t width = (image.width + 1) / 2, height = (image.height + 1) / 2;

        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                uint32_t right = 2 * x + 1 < image.width ? 2 * x + 1 : 2 * x;
                uint32_t below = 2 * y + 1 < image.height ? 2 * y + 1 : 2 * y;
                uint32_t sum =
                    image.pixels[2 * y * image.width + 2 * x] + image.pixels[2 * y * image.width + right] +
                    image.pixels[below * image.width + 2 * x] + image.pixels[below * image.width + right];

                image.pixels[y * width + x] = (uint16_t)((sum + 2) / 4); /* never ahead of what is read */
            }
        image.width = width;
        image.height = height;
    }
    return image;
}

static long double picture_at(const struct tr_resource *image, long double u, long double v)
{
    long double sum = 0;
    int x, y;

    u = fminl(fmaxl(u, 0), image->width - 1);
    v = fminl(fmaxl(v, 0), image->height - 1);
    x = (int)u;
    y = (int)v;
    for (int i = 0; i < 4; i++) {
        int column = x + i % 2 < (int)image->width ? x + i % 2 : x;
        int row = y + i / 2 < (int)image->height ? y + i / 2 : y;

        sum += (i % 2 ? u - x : 1 - (u - x)) * (i / 2 ? v - y : 1 - (v - y)) *
               image->pixels[(uint32_t)row * image->width + (uint32_t)column];
    }
    return sum / 65535;
}

static long double heights_distance(const struct tr_shape_node *node, const long double q[3])
{
    struct tr_resource image = halved_picture(node);
    const double *size = node_get(node, "size");
    const long double half[3] = {size[0] / 2.0L, size[1] / 2.0L, size[2] / 2.0L};
    long double steep[2] = {0, 0}, grey;

    for (uint32_t y = 0; y < image.height; y++)
        for (uint32_t x = 0; x < image.width; x++) {
            long double here = image.pixels[y * image.width + x];

            if (x + 1 < image.width)
                steep[0] = fmaxl(steep[0], fabsl(image.pixels[y * image.width + x + 1] - here));
            if (y + 1 < image.height)
                steep[1] = fmaxl(steep[1], fabsl(image.pixels[(y + 1) * image.width + x] - here));
        }
    steep[0] *= size[1] / 65535.0L * (image.width - 1) / size[0];
    steep[1] *= size[1] / 65535.0L * (image.height - 1) / size[2];
    grey = picture_at(&image, (q[0] / size[0] + 0.5L) * (image.width - 1),
                      (q[2] / size[2] + 0.5L) * (image.height - 1));
    free(image.pixels);
    return fmaxl(box_distance(q, half),
                 (q[1] + half[1] - grey * size[1]) / sqrtl(1 + steep[0] * steep[0] + steep[1] * steep[1]));
}

static long double mesh_distance(const struct tr_shape_node *node, const long double p[3])
{
    const struct tr_solid_field *field = &judge_field.field;
    double cell = *node_get(node, "cell"), at[3];
    long double off[3], box[3], half[3];
    struct tr_error error;

    if (judge_field.of != node->more || judge_field.factor != judge_factor) {
        double margin = ceil((double)(16 / (cell * judge_factor / judge_voxel_size)));
        struct tr_jobs *jobs;

        judge_forget();
        assert_int_equal(tr_jobs_create(1, &jobs, &error), TR_OK);
        assert_int_equal(tr_solid_mesh_parse(node->more->resource.bytes, node->more->resource.size_bytes,
                                             "mesh", &judge_field.mesh, &error),
                         TR_OK);
        assert_int_equal(tr_solid_field_make(&judge_field.mesh, cell, (uint32_t)fmin(margin, 16), jobs,
                                             &judge_field.field, &error),
                         TR_OK);
        tr_jobs_free(jobs);
        judge_field.of = node->more;
        judge_field.factor = judge_factor;
    }
    for (int i = 0; i < 3; i++) {
        long double first = field->origin[i], last = first + cell * (field->size[i] - 1.0L);

        at[i] = (double)p[i];
        off[i] = fmaxl(fmaxl(first - p[i], p[i] - last), 0);
        half[i] = ((long double)judge_field.mesh.max[i] - judge_field.mesh.min[i]) / 2;
        box[i] = p[i] - ((long double)judge_field.mesh.max[i] + judge_field.mesh.min[i]) / 2;
    }
    return fmaxl(tr_solid_field_at(field, at) + norm(off), box_distance(box, half));
}

static long double ellipsoid_value(const long double q[3], const double radii[3])
{
    long double n[3], m[3], half[3], least = 1e30L, estimate;

    for (int i = 0; i < 3; i++) {
        half[i] = radii[i];
        n[i] = q[i] / half[i];
        m[i] = n[i] / half[i];
        least = fminl(least, half[i]);
    }
    estimate = norm(n) < 0x1p-10L ? -least : norm(n) * (norm(n) - 1) / norm(m);
    return fmaxl(estimate, box_distance(q, half));
}

static long double primitive_value(const struct tr_shape_node *node, const long double p[3])
{
    const double *from, *to;
    long double q[3], axis[3], foot[3], half[3], length, along = 0, rho, radius;

    if (node->kind == TR_SHAPE_TUBE)
        return tube_distance(node, p);
    if (node->kind == TR_SHAPE_MESH)
        return mesh_distance(node, p);
    from = node_get(node, has_ends(node->kind)                ? "from"
                          : node->kind == TR_SHAPE_HALF_SPACE ? "point"
                                                              : "center");
    to = has_ends(node->kind) ? node_get(node, "to") : from;
    for (int i = 0; i < 3; i++) { /* from the middle */
        q[i] = p[i] - ((long double)from[i] + to[i]) / 2;
        axis[i] = (long double)to[i] - from[i];
    }
    switch (node->kind) {
    case TR_SHAPE_BOX:
    case TR_SHAPE_ROUNDED_BOX:
        radius = node->kind == TR_SHAPE_BOX ? 0 : *node_get(node, "radius");
        for (int i = 0; i < 3; i++)
            half[i] = node_get(node, "size")[i] / 2 - radius;
        return box_distance(q, half) - radius;
    case TR_SHAPE_ELLIPSOID:
        return ellipsoid_value(q, node_get(node, "radii"));
    case TR_SHAPE_HALF_SPACE:
        for (int i = 0; i < 3; i++)
            axis[i] = node_get(node, "normal")[i];
        return dot(q, axis) / norm(axis);
    case TR_SHAPE_PRISM:
        return prism_distance(node, q, axis);
    case TR_SHAPE_PYRAMID:
        return pyramid_distance(q, node_get(node, "size"));
    case TR_SHAPE_OCTAHEDRON:
        return octahedron_distance(q, *node_get(node, "radius"));
    case TR_SHAPE_LINK:
        return link_distance(node, q);
    case TR_SHAPE_HEIGHT_MAP:
        return heights_distance(node, q);
    default:
        break;
    }
    for (int i = 0; i < 3 && node->kind == TR_SHAPE_TORUS; i++)
        axis[i] = node_get(node, "axis")[i];
    length = norm(axis);
    for (int i = 0; i < 3 && length > 0; i++)
        along += q[i] * axis[i] / length;
    for (int i = 0; i < 3; i++)
        foot[i] = q[i] - (length > 0 ? along * axis[i] / length : 0);
    rho = norm(foot);
    radius = *node_get(node, "radius");
    switch (node->kind) {
    case TR_SHAPE_TORUS:
        return hypotl(rho - radius, along) - *node_get(node, "tube");
    case TR_SHAPE_CYLINDER:
        return box_distance((long double[]){rho, along, 0}, (long double[]){radius, length / 2, 1e9L});
    case TR_SHAPE_CONE:
        return cone_distance(rho, along, radius, 0, length / 2);
    case TR_SHAPE_CAPPED_CONE:
        return cone_distance(rho, along, radius, *node_get(node, "to_radius"), length / 2);
    default: /* sphere, capsule */
        return hypotl(rho, fmaxl(fabsl(along) - length / 2, 0)) - radius;
    }
}

static long double mix(long double a, long double b, long double t)
{
    return a + (b - a) * t;
}

/* A union with the blend, in the forms in which they were published (Quilez, "smooth minimum"; Mercury, "hg_sdf"). */
static long double union_value(const struct tr_blend *blend, long double k, long double a, long double b)
{
    long double h, s;

    switch (blend->kind) {
    case TR_BLEND_SMOOTH:
        h = fminl(fmaxl(0.5L + 0.5L * (b - a) / k, 0), 1);
        return mix(b, a, h) - k * h * (1 - h);
    case TR_BLEND_CHAMFER:
        return fminl(fminl(a, b), (a - k + b) * sqrtl(0.5L));
    case TR_BLEND_STAIRS:
        s = k / blend->steps;
        h = fmodl(b - k - a + s, 2 * s);
        h = h < 0 ? h + 2 * s : h;
        return fminl(fminl(a, b), 0.5L * (b - k + a + fabsl(h - s)));
    default:
        return fminl(a, b);
    }
}

static const struct tr_shape_node *true_value(const struct tr_shape_node *node, const long double p[3],
                                              long double *value);

/* Turned back by some degrees: what is along the axis stays, the rest turns in its plane. */
static const struct tr_shape_node *true_rotation(const struct tr_shape_node *node, const long double about[3],
                                                 long double degrees, const long double p[3],
                                                 long double *value)
{
    long double angle = -degrees * PI / 180;
    long double q[3], u[3], v[3], along = 0;

    for (int i = 0; i < 3; i++) {
        u[i] = node_get(node, "axis")[i];
        v[i] = p[i] - about[i];
    }
    for (int i = 0; i < 3; i++)
        along += u[i] * v[i] / norm(u);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        long double kept = along * u[i] / norm(u);

        q[i] = about[i] + kept + cosl(angle) * (v[i] - kept) +
               sinl(angle) * (u[j] * v[k] - u[k] * v[j]) / norm(u);
    }
    return true_value(node + 1, q, value);
}

static const struct tr_shape_node *true_transform(const struct tr_shape_node *node, const long double p[3],
                                                  long double *value)
{
    long double q[3], about[3] = {0, 0, 0};

    for (int i = 0; i < 3 && node->kind != TR_SHAPE_TRANSLATE; i++)
        about[i] = node_get(node, "about")[i];
    if (node->kind == TR_SHAPE_TRANSLATE) {
        for (int i = 0; i < 3; i++)
            q[i] = p[i] - node_get(node, "by")[i];
        return true_value(node + 1, q, value);
    }
    if (node->kind == TR_SHAPE_SCALE) {
        long double by = *node_get(node, "by");
        const struct tr_shape_node *next;

        for (int i = 0; i < 3; i++)
            q[i] = about[i] + (p[i] - about[i]) / by;
        judge_factor *= by;
        next = true_value(node + 1, q, value);
        judge_factor /= by;
        *value *= by;
        return next;
    }
    return true_rotation(node, about, *node_get(node, "degrees"), p, value);
}

/* Noise of the sample, whatever is around, as brush_noise.h says. */
static long double true_noise(const struct tr_shape_node *node)
{
    uint32_t seed = (uint32_t)node->more->seed ^ (uint32_t)(node->more->seed >> 32);
    int octaves = (int)*node_get(node, "octaves");
    long double scale = *node_get(node, "scale") * judge_factor / judge_voxel_size, sum = 0, weights = 0;

    for (int o = 0; o < octaves; o++) {
        long double place[3], cell[3], octave = 0;

        for (int i = 0; i < 3; i++) {
            place[i] = judge_sample[i] / scale * (1 << o);
            cell[i] = floorl(place[i]);
            place[i] -= cell[i];
        }
        for (int corner = 0; corner < 8; corner++) {
            long double weight = 1, slope = 0;
            uint32_t at[3], h;

            for (int i = 0; i < 3; i++) {
                long double t = place[i], fade = t * t * t * (t * (6 * t - 15) + 10);

                at[i] = (uint32_t)((int64_t)cell[i] + (corner >> i & 1));
                weight *= corner >> i & 1 ? fade : 1 - fade;
            }
            h = tr_noise_hash(at[0], at[2], seed + (uint32_t)o * 0x9e3779b1u + at[1] * 0xc2b2ae3du);
            for (int i = 0; i < 3; i++)
                slope += ((int)(h >> 10 * i & 1023) * 2 - 1023) / 1024.0L * (place[i] - (corner >> i & 1));
            octave += weight * slope;
        }
        sum += 1.5L * octave / (1 << o);
        weights += 1.0L / (1 << o);
    }
    return sum / weights;
}

/* The least over copies, each taken back to where it is copied from. */
static const struct tr_shape_node *true_copies(const struct tr_shape_node *node, const long double p[3],
                                               long double *value)
{
    const struct tr_shape_node *next = NULL;
    const double *a = node_get(node, node->kind == TR_SHAPE_MIRROR ? "normal" : "by"), *b;
    int count[3] = {2, 1, 1};

    b = node_get(node, node->kind == TR_SHAPE_MIRROR ? "point" : "count");
    for (int i = 0; i < 3 && node->kind == TR_SHAPE_REPEAT; i++)
        count[i] = (int)b[i];
    *value = 1e30L;
    for (int k = 0; k < count[0] * count[1] * count[2]; k++) {
        const int copy[3] = {k % count[0], k / count[0] % count[1], k / count[0] / count[1]};
        long double q[3], one, away = 0, length2 = 0;

        for (int i = 0; i < 3; i++) {
            away += (p[i] - b[i]) * a[i];
            length2 += (long double)a[i] * a[i];
        }
        for (int i = 0; i < 3; i++)
            q[i] = p[i] - (node->kind == TR_SHAPE_REPEAT ? copy[i] * (long double)a[i]
                                                         : k * 2 * away * a[i] / length2);
        next = true_value(node + 1, q, &one);
        *value = fminl(*value, one);
    }
    return next;
}

static const struct tr_shape_node *true_bend(const struct tr_shape_node *node, const long double about[3],
                                             const long double p[3], long double *value)
{
    long double axis[3], along[3], q[3], part;

    for (int i = 0; i < 3; i++) {
        axis[i] = node_get(node, "axis")[i];
        along[i] = node_get(node, "along")[i];
        q[i] = p[i] - about[i];
    }
    part = dot(along, axis) / dot(axis, axis);
    for (int i = 0; i < 3; i++)
        along[i] -= part * axis[i];
    return true_rotation(node, about, *node_get(node, "degrees_per_metre") * dot(q, along) / norm(along), p,
                         value);
}

static const struct tr_shape_node *true_taper(const struct tr_shape_node *node, const long double p[3],
                                              long double *value)
{
    const double *from = node_get(node, "from"), *to = node_get(node, "to");
    long double axis[3], q[3], length2, along, widen;

    for (int i = 0; i < 3; i++) {
        axis[i] = (long double)to[i] - from[i];
        q[i] = p[i] - from[i];
    }
    length2 = dot(axis, axis);
    along = dot(q, axis) / length2;
    widen = 1 + fminl(fmaxl(along, 0), 1) * (1 / (long double)*node_get(node, "factor") - 1);
    for (int i = 0; i < 3; i++)
        q[i] = from[i] + along * axis[i] + widen * (q[i] - along * axis[i]);
    return true_value(node + 1, q, value);
}

static const struct tr_shape_node *true_modifier(const struct tr_shape_node *node, const long double p[3],
                                                 long double *value)
{
    const struct tr_shape_node *next;
    long double q[3], about[3] = {0, 0, 0};

    for (int i = 0; i < 3 && tr_shape_moves_points(node->kind) && node->kind != TR_SHAPE_TAPER; i++)
        about[i] = node_get(node, "about")[i];
    switch (node->kind) {
    case TR_SHAPE_MIRROR:
    case TR_SHAPE_REPEAT:
        return true_copies(node, p, value);
    case TR_SHAPE_ELONGATE:
        for (int i = 0; i < 3; i++) {
            long double half = node_get(node, "by")[i] / 2;

            q[i] = p[i] - fminl(fmaxl(p[i] - about[i], -half), half);
        }
        return true_value(node + 1, q, value);
    case TR_SHAPE_TWIST: {
        long double axis[3], along = 0;

        for (int i = 0; i < 3; i++)
            axis[i] = node_get(node, "axis")[i];
        for (int i = 0; i < 3; i++)
            along += (p[i] - about[i]) * axis[i] / norm(axis);
        return true_rotation(node, about, along * *node_get(node, "degrees_per_metre"), p, value);
    }
    case TR_SHAPE_BEND:
        return true_bend(node, about, p, value);
    case TR_SHAPE_TAPER:
        return true_taper(node, p, value);
    default:
        next = true_value(node + 1, p, value);
    }
    if (node->kind == TR_SHAPE_ROUND)
        *value -= *node_get(node, "by");
    else if (node->kind == TR_SHAPE_ONION)
        *value = fabsl(*value) - *node_get(node, "thickness") / 2;
    else
        *value -= *node_get(node, "strength") * true_noise(node);
    return next;
}

/* The value of the shape that begins at `node`, metres; returns the node behind it. */
static const struct tr_shape_node *true_value(const struct tr_shape_node *node, const long double p[3],
                                              long double *value)
{
    const struct tr_shape_node *next = node + 1;

    if (tr_shape_is_transform(node->kind))
        return true_transform(node, p, value);
    if (tr_shape_is_modifier(node->kind))
        return true_modifier(node, p, value);
    if (!tr_shape_is_operation(node->kind)) {
        *value = primitive_value(node, p);
        return next;
    }
    for (uint32_t i = 0; i < node->child_count; i++) {
        long double operand, k = node->blend.width_m;

        next = true_value(next, p, &operand);
        if (i == 0)
            *value = operand;
        else if (node->kind == TR_SHAPE_UNION)
            *value = union_value(&node->blend, k, *value, operand);
        else if (node->kind == TR_SHAPE_SUBTRACT)
            *value = -union_value(&node->blend, k, -*value, operand);
        else
            *value = -union_value(&node->blend, k, -*value, -operand);
    }
    return next;
}

/* The same at a place in voxels, in voxels. */
static double true_distance(const struct tr_shape *shape, double voxel_size, const double at[3])
{
    long double p[3], value;

    judge_factor = 1;
    judge_voxel_size = voxel_size;
    for (int i = 0; i < 3; i++) {
        judge_sample[i] = at[i];
        p[i] = (long double)at[i] * voxel_size;
    }
    assert_ptr_equal(true_value(shape->nodes, p, &value), shape->nodes + shape->count);
    return (double)(value / voxel_size);
}

/* ---- code ---- */

/* Code of a tree in a frame, for a box of its samples. */
struct code {
    struct tr_words words;
    uint32_t first;
    bool reaches;
};

static struct code code_of(const struct tr_tree *tree, const int64_t origin[3], const int lo[3],
                           const int hi[3], double reach)
{
    struct code code = {.words = {0}};
    struct tr_error error;

    assert_int_equal(
        tr_tree_code(tree, origin, lo, hi, reach, &code.words, &code.first, &code.reaches, &error), TR_OK);
    return code;
}

/* Nothing left out. */
static struct code whole_code(const struct tr_tree *tree, const int64_t origin[3])
{
    const int lo[3] = {-WHOLE_BOX, -WHOLE_BOX, -WHOLE_BOX}, hi[3] = {WHOLE_BOX, WHOLE_BOX, WHOLE_BOX};

    return code_of(tree, origin, lo, hi, WHOLE_REACH);
}

static float code_value(const struct code *code, const int p[3])
{
    return tr_tree_distance(code->words.words, code->first, (float)p[0], (float)p[1], (float)p[2]);
}

static void code_end(struct code *code)
{
    tr_words_release(&code->words);
}

/* How many words stand behind an instruction. */
static uint32_t operands_of(const uint32_t *words, size_t at)
{
    static const uint32_t operands[] = {
        [TR_CODE_ROUND] = TR_CODE_ROUND_WORDS,
        [TR_CODE_BOX] = TR_CODE_BOX_WORDS,
        [TR_CODE_CYLINDER] = TR_CODE_CYLINDER_WORDS,
        [TR_CODE_TORUS] = TR_CODE_TORUS_WORDS,
        [TR_CODE_CONE] = TR_CODE_CONE_WORDS,
        [TR_CODE_ELLIPSOID] = TR_CODE_ELLIPSOID_WORDS,
        [TR_CODE_PLANE] = TR_CODE_PLANE_WORDS,
        [TR_CODE_LINK] = TR_CODE_LINK_WORDS,
        [TR_CODE_BLEND] = TR_CODE_BLEND_WORDS,
        [TR_CODE_OFFSET] = TR_CODE_OFFSET_WORDS,
        [TR_CODE_ONION] = TR_CODE_ONION_WORDS,
        [TR_CODE_DISPLACE] = TR_CODE_DISPLACE_WORDS,
        [TR_CODE_POINT_PUSH] = TR_CODE_POINT_PUSH_WORDS,
        [TR_CODE_ELONGATE] = TR_CODE_ELONGATE_WORDS,
        [TR_CODE_TWIST] = TR_CODE_TWIST_WORDS,
        [TR_CODE_BEND] = TR_CODE_BEND_WORDS,
        [TR_CODE_TAPER] = TR_CODE_TAPER_WORDS,
        [TR_CODE_POINT_POP] = 0,
    };

    if (words[at] >= TR_CODE_POLYHEDRON && words[at] <= TR_CODE_GRID)
        return words[at + 1];
    assert_true(words[at] < sizeof operands / sizeof *operands);
    assert_true(operands[words[at]] > 0 || words[at] == TR_CODE_POINT_POP);
    return operands[words[at]];
}

/* What a device would have to hold while it evaluates; fills how many primitives there are. */
static int stack_of(const struct code *code, int *primitives)
{
    int held = 0, most = 0, points = 0;

    *primitives = 0;
    for (size_t at = code->first; code->words.words[at] != TR_CODE_END;) {
        uint32_t instruction = code->words.words[at];

        points += instruction == TR_CODE_POINT_PUSH ? 1 : instruction == TR_CODE_POINT_POP ? -1 : 0;
        held += instruction == TR_CODE_BLEND ? -1 : instruction < TR_CODE_BLEND;
        *primitives += instruction < TR_CODE_BLEND;
        most = held > most ? held : most;
        at += 1 + operands_of(code->words.words, at);
        assert_true((held >= 1 || instruction >= TR_CODE_POINT_PUSH) && at < code->words.count);
        assert_true(points >= 0 && points <= TR_TREE_POINTS);
    }
    assert_int_equal(held, 1);
    assert_int_equal(points, 0);
    return most;
}

static void fail_shape(const char *what, const struct tr_shape *shape)
{
    print_error("%s, the shape being\n", what);
    for (uint32_t i = 0; i < shape->count && i < 40; i++) {
        const struct tr_shape_node *node = &shape->nodes[i];

        print_error("  %s of %u, blend %u width %.17g steps %u:", tr_shape_infos[node->kind].name,
                    node->child_count, node->blend.kind, node->blend.width_m, node->blend.steps);
        for (int j = 0; j < TR_SHAPE_VALUES_MAX; j++)
            print_error(" %.17g", node->values[j]);
        print_error("\n");
    }
    fail();
}

/* ---- distances ---- */

/* The frame that owns a sample, moved by so many blocks. */
static void frame_of(const int64_t p[3], const int moved[3], int64_t origin[3], int at[3])
{
    for (int i = 0; i < 3; i++) {
        origin[i] = 64 * (tr_floor_div(p[i], 64) + moved[i]);
        at[i] = (int)(p[i] - origin[i]);
    }
}

/* A sample not far from the surface: a point in the box walks down the distance, and then off again by up to `band`. */
static void random_sample(uint64_t *seed, const struct tr_shape *shape, const struct tr_tree *tree,
                          double band, int64_t p[3])
{
    double lo[3], hi[3], at[3], slope[3], u[3], away = random_between(seed, -band, band);

    if (!tr_tree_box(tree, 0, lo, hi))
        for (int i = 0; i < 3; i++) {
            lo[i] = -1000;
            hi[i] = 1000;
        }
    for (int i = 0; i < 3; i++)
        at[i] = random_between(seed, lo[i], hi[i]);
    for (int step = 0; step < 12; step++) {
        double d = true_distance(shape, 1, at);

        for (int i = 0; i < 3; i++) {
            double beside[3] = {at[0], at[1], at[2]};

            beside[i] += 0.01;
            slope[i] = (true_distance(shape, 1, beside) - d) / 0.01;
        }
        for (int i = 0; i < 3; i++)
            at[i] -= d * slope[i];
    }
    random_direction(seed, u);
    for (int i = 0; i < 3; i++)
        p[i] = (int64_t)floor(at[i] + away * u[i] + 0.5);
}

/* The code's value against the true one at samples within 16 voxels of the surface, from their owner's frame and from one beside; the
 * greatest difference. */
static double distance_error(uint64_t *seed, const struct tr_shape *shape, const struct tr_tree *tree,
                             int samples)
{
    double worst = 0;

    for (int n = 0; n < samples; n++) {
        const int moved[3] = {n % 2 ? random_below(seed, 3) - 1 : 0, n % 2 ? random_below(seed, 3) - 1 : 0,
                              n % 2 ? random_below(seed, 3) - 1 : 0};
        int64_t p[3], origin[3];
        double expected;
        struct code code;
        int at[3];

        random_sample(seed, shape, tree, 16, p);
        expected = true_distance(shape, 1, (double[]){(double)p[0], (double)p[1], (double)p[2]});
        if (fabs(expected) > 16)
            continue;
        frame_of(p, moved, origin, at);
        code = whole_code(tree, origin);
        worst = fmax(worst, fabs((double)code_value(&code, at) - expected));
        code_end(&code);
    }
    return worst;
}

/* Of single primitives of a kind and size, each in transforms, at the middle of the world and near its edge. */
static double primitive_error(uint64_t seed, enum tr_shape_kind kind, double size_lo, double size_hi,
                              double bound)
{
    double worst = 0;

    if (kind == TR_SHAPE_MESH || kind == TR_SHAPE_TUBE) /* whose corners and points must lie in the world */
        size_hi = fmin(size_hi, 60000);
    for (int i = 0; i < (kind == TR_SHAPE_MESH ? 6 : kind == TR_SHAPE_HEIGHT_MAP ? 20 : 60); i++) {
        struct tr_shape shape = shape_begin();
        double centre[3], size = random_size(&seed, size_lo, size_hi), error;
        struct tr_tree *tree;

        for (int axis = 0; axis < 3; axis++)
            centre[axis] = random_between(&seed, -1000, 1000) + (axis != 1 && i % 4 == 0 ? 6e7 : 0);
        for (int n = random_below(&seed, 4); n > 0; n--)
            add_transform(&shape, &seed, centre, 500);
        add_primitive(&shape, &seed, kind, centre, size);
        tree = resolve(&shape, 1);
        error = distance_error(&seed, &shape, tree, 50);
        if (error > bound) {
            print_error("off by %.9g voxels, at most %.9g: ", error, bound);
            fail_shape("a distance is off", &shape);
        }
        worst = fmax(worst, error);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
    return worst;
}

static void primitives_have_their_textbook_distances(void **state)
{
    (void)state;
    for (int i = 0; i < PRIMITIVES; i++) {
        enum tr_shape_kind kind = (enum tr_shape_kind)i;
        double small = primitive_error(1, kind, 0.5, 100, UNIT / 4);
        double middle = primitive_error(2, kind, 100, 1024, UNIT / 4);
        double large = primitive_error(3, kind, 1024, 10000, 1.0 / 256);
        double largest = primitive_error(4, kind, 10000, 100000, 1.0 / 64);

        print_message(
            "%s, sizes up to 100: off by 1/%.0f voxel; 1,024: 1/%.0f; 10,000: 1/%.0f; 100,000: 1/%.0f\n",
            tr_shape_infos[kind].name, 1 / small, 1 / middle, 1 / large, 1 / largest);
    }
}

/* A cylinder's rim, a cone's apex and its rim, from outside: where the nearest point is an edge. */
static void edges_are_as_far_as_they_are(void **state)
{
    const int64_t origin[3] = {0, 0, 0};
    const struct {
        enum tr_shape_kind kind;
        int p[3];
        double distance;
    } cases[] = {
        {TR_SHAPE_CYLINDER, {13, 24, 0}, 5}, {TR_SHAPE_CYLINDER, {0, 22, 0}, 2},
        {TR_SHAPE_CYLINDER, {12, 5, 0}, 2},  {TR_SHAPE_CYLINDER, {9, 5, 0}, -1},
        {TR_SHAPE_CYLINDER, {0, 19, 0}, -1}, {TR_SHAPE_CONE, {0, 23, 0}, 3},
        {TR_SHAPE_CONE, {13, -4, 0}, 5},     {TR_SHAPE_CONE, {3, -2, 0}, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tr_shape shape = shape_begin();
        struct tr_shape_node *node = shape_add(&shape, cases[i].kind, 0);
        struct tr_tree *tree;
        struct code code;
        double radius = 10;

        node_set(node, "from", (double[]){0, 0, 0});
        node_set(node, "to", (double[]){0, 20, 0});
        node_set(node, "radius", &radius);
        tree = resolve(&shape, 1);
        code = whole_code(tree, origin);
        assert_float_equal(code_value(&code, cases[i].p), cases[i].distance, 1e-5);
        code_end(&code);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
}

static struct look look_near(uint64_t *seed, double spread, double size_hi, int primitives)
{
    struct look look = {.spread = spread, .size_lo = 1, .size_hi = size_hi, .width_max = 8};

    look.is_cropped = true;
    look.movers_left = 3;
    look.copies_left = 2;
    look.meshes_left = random_below(seed, 8) == 0;

    for (int i = 0; i < 3; i++)
        look.centre[i] = random_between(seed, -200, 200) + (i != 1 && primitives % 2 ? 3e7 : 0);
    look.primitives_left = primitives;
    return look;
}

/* Blends, operations on two to seven and transforms of all kinds, at any depth. */
static void trees_have_the_values_of_their_formulas(void **state)
{
    uint64_t seed = 5;
    double worst = 0;

    (void)state;
    for (int i = 0; i < 150; i++) {
        struct tr_shape shape = shape_begin();
        struct look look = look_near(&seed, 40, 60, 2 + i % 20);
        struct tr_tree *tree;
        double error;

        add_random_tree(&shape, &seed, &look, 3 + i % 8);
        tree = resolve(&shape, 1);
        error = distance_error(&seed, &shape, tree, 30);
        if (error > UNIT) {
            print_error("off by %.9g voxels: ", error);
            fail_shape("a value is off", &shape);
        }
        worst = fmax(worst, error);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
    print_message("trees of up to 21 primitives: off by 1/%.0f voxel\n", 1 / worst);
}

/* Metres are divided by the voxel size: a shape twice as large in voxels half as large. */
static void shapes_in_metres_meet_voxels_of_any_size(void **state)
{
    static const double voxel_sizes[] = {0.25, 0.5, 3, 0.1};
    uint64_t seed = 6;

    (void)state;
    for (int i = 0; i < 40; i++) {
        struct tr_shape shape = shape_begin();
        struct look look = {.spread = 20,
                            .size_lo = 5,
                            .size_hi = 30,
                            .width_max = 4,
                            .primitives_left = 6,
                            .is_cropped = true,
                            .movers_left = 1,
                            .copies_left = 1};
        double voxel_size = voxel_sizes[i % 4];
        struct tr_tree *tree;

        add_random_tree(&shape, &seed, &look, 6);
        tree = resolve(&shape, voxel_size);
        for (int n = 0; n < 40; n++) {
            int64_t p[3], origin[3];
            int at[3];
            struct code code;
            double expected, found;

            for (int axis = 0; axis < 3; axis++)
                p[axis] = (int64_t)(random_between(&seed, -40, 40) / voxel_size);
            frame_of(p, (int[]){0, 0, 0}, origin, at);
            expected =
                true_distance(&shape, voxel_size, (double[]){(double)p[0], (double)p[1], (double)p[2]});
            code = whole_code(tree, origin);
            found = (double)code_value(&code, at);
            if (!(fabs(found - expected) <= UNIT)) {
                print_error("value %.9g, true %.9g: ", found, expected);
                fail_shape("a value is off", &shape);
            }
            code_end(&code);
        }
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
}

/* ---- pruning and bounds ---- */

static void random_box(uint64_t *seed, int lo[3], int hi[3])
{
    int side = random_below(seed, 3), size = random_below(seed, 8);

    for (int i = 0; i < 3; i++) {
        lo[i] = side == 0 ? 0 : random_below(seed, 57);
        hi[i] = side == 0 ? 63 : side == 1 ? lo[i] + size : lo[i] + random_below(seed, 64 - lo[i]);
    }
}

static void random_point(uint64_t *seed, const int lo[3], const int hi[3], int p[3])
{
    for (int i = 0; i < 3; i++) /* corners more often */
        switch (random_below(seed, 4)) {
        case 0:
            p[i] = lo[i];
            break;
        case 1:
            p[i] = hi[i];
            break;
        default:
            p[i] = lo[i] + random_below(seed, hi[i] - lo[i] + 1);
        }
}

/* A frame near the shapes of a look. */
static void random_frame(uint64_t *seed, const struct look *look, int64_t origin[3])
{
    for (int i = 0; i < 3; i++)
        origin[i] = 64 * tr_floor_div(
                             (int64_t)(look->centre[i] + random_between(seed, -1.2, 1.2) * look->spread), 64);
}

/* Code with which pruned code is compared: nothing left out; but where there are pictures and fields, whose numbers depend on where they are
 * cropped, cropped to the frame. */
static struct code reference_code(const struct tr_tree *tree, const int64_t origin[3])
{
    const int lo[3] = {0, 0, 0}, hi[3] = {63, 63, 63};

    return tree->picture_count + tree->solid_count > 0 ? code_of(tree, origin, lo, hi, WHOLE_REACH)
                                                       : whole_code(tree, origin);
}

/* How much was left out, over all comparisons. */
struct left_out {
    int kept, all, out_of_reach;
};

static void assert_pruning_is_not_seen(uint64_t *seed, const struct tr_shape *shape,
                                       const struct tr_tree *tree, const struct look *look,
                                       struct left_out *left_out)
{
    static const double reaches[] = {0, 1, 16, 20.3, 32, WHOLE_REACH};
    double reach = reaches[random_below(seed, 6)];
    int64_t origin[3];
    int lo[3], hi[3], kept = 0, all;
    struct code whole, pruned;

    random_frame(seed, look, origin);
    random_box(seed, lo, hi);
    whole = reference_code(tree, origin);
    pruned = code_of(tree, origin, lo, hi, reach);
    assert_true(stack_of(&whole, &all) <= TR_TREE_STACK);
    if (pruned.reaches)
        assert_true(stack_of(&pruned, &kept) <= TR_TREE_STACK);
    else
        assert_int_equal(pruned.words.count, 0);
    left_out->kept += kept;
    left_out->all += all;
    left_out->out_of_reach += !pruned.reaches;
    for (int n = 0; n < 60; n++) {
        int p[3];
        float expected, found;

        random_point(seed, lo, hi, p);
        expected = code_value(&whole, p);
        found = pruned.reaches ? code_value(&pruned, p) : INFINITY;
        if (expected <= (float)reach ? tr_bits(found) != tr_bits(expected) : !(found > (float)reach)) {
            print_error("at (%d, %d, %d) of the box (%d, %d, %d) to (%d, %d, %d) of the frame at (%lld, "
                        "%lld, %lld), reach %g: "
                        "%.9g becomes %.9g: ",
                        p[0], p[1], p[2], lo[0], lo[1], lo[2], hi[0], hi[1], hi[2], (long long)origin[0],
                        (long long)origin[1], (long long)origin[2], reach, (double)expected, (double)found);
            fail_shape("pruning is seen", shape);
        }
    }
    code_end(&whole);
    code_end(&pruned);
}

static void pruning_does_not_change_a_bit(void **state)
{
    struct left_out left_out = {0, 0, 0};
    uint64_t seed = 7;

    (void)state;
    for (int i = 0; i < 300; i++) {
        struct tr_shape shape = shape_begin();
        struct look look = look_near(&seed, i % 3 ? 60 : 300, 40, i % 10 == 0 ? 400 : 2 + i % 40);
        struct tr_tree *tree;

        look.width_max = i % 2 ? 40 : 8;
        look.is_endless = i % 5 == 0;
        add_random_tree(&shape, &seed, &look, i % 10 == 0 ? 64 : 3 + i % 9);
        tree = resolve(&shape, 1);
        for (int n = 0; n < 12; n++)
            assert_pruning_is_not_seen(&seed, &shape, tree, &look, &left_out);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
    print_message("%d of %d primitives are kept; of 3600 boxes %d are out of reach\n", left_out.kept,
                  left_out.all, left_out.out_of_reach);
    assert_true(left_out.kept < left_out.all / 2 && left_out.out_of_reach > 100 &&
                left_out.out_of_reach < 3000);
}

/* Two shapes, one around, beside or inside the other, in bricks: where one hides the other, or nearly so. */
static void pruning_of_two_shapes_does_not_change_a_bit(void **state)
{
    struct left_out left_out = {0, 0, 0};
    uint64_t seed = 14;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct tr_shape shape = shape_begin();
        struct look look = {.spread = 40, .is_endless = true, .is_cropped = true, .meshes_left = i % 32 == 0};
        struct tr_shape_node *node = shape_add(&shape, (enum tr_shape_kind)(TR_SHAPE_UNION + i % 3), 2);
        struct tr_tree *tree;

        node->blend = random_blend(&seed, 20);
        for (int n = 0; n < 2; n++) {
            double centre[3];

            for (int axis = 0; axis < 3; axis++)
                centre[axis] = random_between(&seed, -30, 30);
            add_primitive(&shape, &seed, random_kind(&seed, &look), centre, random_size(&seed, 5, 300));
        }
        tree = resolve(&shape, 1);
        for (int n = 0; n < 12; n++)
            assert_pruning_is_not_seen(&seed, &shape, tree, &look, &left_out);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
    assert_true(left_out.kept > left_out.all / 4 && left_out.kept < left_out.all * 3 / 4);
}

/* Widely scattered small shapes: a frame keeps those near it. */
static void a_frame_keeps_what_is_near_it(void **state)
{
    const int64_t origin[3] = {64, 0, 64};
    const int lo[3] = {0, 0, 0}, hi[3] = {63, 63, 63};
    static const struct tr_blend blends[] = {
        {0}, {TR_BLEND_SMOOTH, 4, 0}, {TR_BLEND_CHAMFER, 4, 0}, {TR_BLEND_STAIRS, 4, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof blends / sizeof *blends; i++) {
        struct tr_shape shape = shape_begin();
        struct tr_tree *tree;
        struct code code;
        int kept;

        shape_add(&shape, TR_SHAPE_UNION, 1600)->blend = blends[i];
        for (int x = 0; x < 40; x++)
            for (int z = 0; z < 40; z++)
                add_sphere(&shape, 100 * x, 32, 100 * z, 5);
        tree = resolve(&shape, 1);
        code = code_of(tree, origin, lo, hi, 16);
        assert_true(code.reaches);
        stack_of(&code, &kept);
        assert_int_equal(kept, 1); /* of 1,600: the one at (100, 32, 100) */
        code_end(&code);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
}

static void assert_within_bounds(uint64_t *seed, const struct tr_shape *shape, const struct tr_tree *tree,
                                 const struct look *look)
{
    int64_t origin[3];
    int lo[3], hi[3];
    struct code code;
    double from[3], to[3], least, most;

    random_frame(seed, look, origin);
    random_box(seed, lo, hi);
    for (int i = 0; i < 3; i++) {
        from[i] = lo[i];
        to[i] = hi[i];
    }
    code = whole_code(tree, origin);
    tr_code_bounds(code.words.words, code.first, from, to, &least, &most);
    for (int n = 0; n < 100; n++) {
        int p[3];
        double value;

        random_point(seed, lo, hi, p);
        value = (double)code_value(&code, p);
        if (!(value >= least && value <= most)) {
            print_error(
                "%.9g at (%d, %d, %d) of the frame at (%lld, %lld, %lld), bounds %.9g to %.9g: ", value, p[0],
                p[1], p[2], (long long)origin[0], (long long)origin[1], (long long)origin[2], least, most);
            fail_shape("beyond the bounds", shape);
        }
    }
    code_end(&code);
}

static void bounds_hold_every_sample_of_a_box(void **state)
{
    uint64_t seed = 8;

    (void)state;
    for (int i = 0; i < 4000; i++) {
        struct tr_shape shape = shape_begin();
        struct look look =
            look_near(&seed, random_size(&seed, 30, 3000), random_size(&seed, 2, 3000), 1 + i % 8);
        struct tr_tree *tree;

        look.width_max = 30;
        look.is_endless = true;
        look.meshes_left = i % 32 == 0;
        add_random_tree(&shape, &seed, &look, 1 + i % 5);
        tree = resolve(&shape, 1);
        for (int n = 0; n < 4; n++)
            assert_within_bounds(&seed, &shape, tree, &look);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
}

/* Single primitives up to the greatest size, seen from near and far: rounding is part of the bounds. */
static void bounds_hold_for_huge_and_far_primitives(void **state)
{
    uint64_t seed = 9;

    (void)state;
    for (int i = 0; i < PRIMITIVES * 300; i++) {
        struct tr_shape shape = shape_begin();
        double size = random_size(&seed, 0.01, 99000);
        struct look look = {.spread = size * random_size(&seed, 0.5, 1000)};
        struct tr_tree *tree;

        look.spread = fmin(look.spread, 3e7);
        if (i % PRIMITIVES == TR_SHAPE_MESH && i / PRIMITIVES % 10 != 0)
            i++; /* they take long */
        if (i % PRIMITIVES == TR_SHAPE_MESH || i % PRIMITIVES == TR_SHAPE_TUBE)
            size = fmin(size, 60000);
        add_primitive(&shape, &seed, (enum tr_shape_kind)(i % PRIMITIVES), look.centre, size);
        tree = resolve(&shape, 1);
        for (int n = 0; n < 4; n++)
            assert_within_bounds(&seed, &shape, tree, &look);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
}

/* Bounds are of use: over a brick of 8 samples they are not much wider than the values themselves can be. */
static void bounds_of_a_brick_are_close(void **state)
{
    uint64_t seed = 10;

    (void)state;
    for (int i = 0; i < PRIMITIVES; i++) {
        double widest = 0;

        for (int n = 0; n < (i == TR_SHAPE_MESH ? 20 : 300); n++) {
            struct tr_shape shape = shape_begin();
            double lo[3], hi[3], least, most;
            struct look look = {.spread = 60};
            int64_t origin[3];
            struct tr_tree *tree;
            struct code code;

            add_primitive(&shape, &seed, (enum tr_shape_kind)i, look.centre, 40);
            tree = resolve(&shape, 1);
            random_frame(&seed, &look, origin);
            for (int axis = 0; axis < 3; axis++) {
                lo[axis] = 8 * random_below(&seed, 8);
                hi[axis] = lo[axis] + 7;
            }
            code = whole_code(tree, origin);
            tr_code_bounds(code.words.words, code.first, lo, hi, &least, &most);
            if (least < 16 && most > -16)
                widest = fmax(widest, most - least);
            code_end(&code);
            tr_tree_free(tree);
            tr_shape_release(&shape);
        }
        /* the way from corner to corner is 12.1 */
        if (!(widest > 6 && widest < (i == TR_SHAPE_ELLIPSOID ? 40 : i == TR_SHAPE_MESH ? 24 : 18)))
            fail_msg("%s: as wide as %g", tr_shape_infos[i].name, widest);
    }
}

/* ---- the stack ---- */

/* Operations inside the last operand, 63 deep: the second goes first, or 64 distances would be held. */
static void right_leaning_trees_need_two_distances(void **state)
{
    const int64_t origin[3] = {0, 0, 0};
    struct tr_shape shape = shape_begin();
    struct tr_tree *tree;
    struct code code;
    int primitives;

    (void)state;
    for (int i = 0; i < 63; i++) {
        shape_add(&shape, i % 3 == 2 ? TR_SHAPE_SUBTRACT : TR_SHAPE_UNION, 2)->blend =
            (struct tr_blend){TR_BLEND_SMOOTH, 3, 0};
        add_sphere(&shape, i, 0, 0, 10);
    }
    add_sphere(&shape, 70, 0, 0, 10);
    tree = resolve(&shape, 1);
    code = whole_code(tree, origin);
    assert_int_equal(stack_of(&code, &primitives), 2);
    assert_int_equal(primitives, 64);
    for (int x = -30; x < 90; x++)
        assert_float_equal(code_value(&code, (int[]){x, 3, 1}), true_distance(&shape, 1, (double[]){x, 3, 1}),
                           UNIT);
    code_end(&code);
    tr_tree_free(tree);
    tr_shape_release(&shape);
}

static void add_balanced(struct tr_shape *shape, int levels, double *x)
{
    if (levels == 0) {
        add_sphere(shape, *x, 0, 0, 4);
        *x += 1;
        return;
    }
    shape_add(shape, TR_SHAPE_UNION, 2);
    add_balanced(shape, levels - 1, x);
    add_balanced(shape, levels - 1, x);
}

/* The largest stack that 4,096 nodes can ask for, and the longest list. */
static void the_largest_trees_fit_the_stack(void **state)
{
    const int64_t origin[3] = {0, 0, 0};
    struct tr_shape balanced = shape_begin(), list = shape_begin();
    struct tr_tree *tree;
    struct code code;
    double x = 0;
    int primitives;

    (void)state;
    add_balanced(&balanced, 11, &x);
    tree = resolve(&balanced, 1);
    code = whole_code(tree, origin);
    assert_int_equal(stack_of(&code, &primitives), 12);
    assert_int_equal(primitives, 2048);
    code_end(&code);
    tr_tree_free(tree);
    shape_add(&list, TR_SHAPE_INTERSECT, TR_SHAPE_NODES_MAX - 1);
    for (int i = 0; i < TR_SHAPE_NODES_MAX - 1; i++)
        add_sphere(&list, i, 0, 0, 5000);
    tree = resolve(&list, 1);
    code = whole_code(tree, origin);
    assert_int_equal(stack_of(&code, &primitives), 2);
    assert_int_equal(primitives, TR_SHAPE_NODES_MAX - 1);
    code_end(&code);
    tr_tree_free(tree);
    tr_shape_release(&balanced);
    tr_shape_release(&list);
}

/* ---- boxes ---- */

/* Points beside the box by any distance, straight out of its faces or anywhere. */
static void random_outside(uint64_t *seed, const double lo[3], const double hi[3], double p[3])
{
    int axis = random_below(seed, 3);
    double away = random_below(seed, 2) ? 1e-6 : random_size(seed, 1e-3, 10);

    for (int i = 0; i < 3; i++)
        p[i] = random_between(seed, fmin(lo[i], hi[i]) - 1, fmax(lo[i], hi[i]) + 1);
    p[axis] = random_below(seed, 2) ? lo[axis] - away : hi[axis] + away;
}

static void values_outside_the_box_exceed_the_reach(void **state)
{
    static const double reaches[] = {0, 1, 16, 32};
    uint64_t seed = 11;
    int close = 0;

    (void)state;
    for (int i = 0; i < 600; i++) {
        struct tr_shape shape = shape_begin();
        struct look look = {.spread = 40,
                            .size_lo = 1,
                            .size_hi = 40,
                            .width_max = 60,
                            .is_cropped = true,
                            .movers_left = 3,
                            .copies_left = 1,
                            .meshes_left = i % 16 == 0};
        double lo[3], hi[3], reach = reaches[i % 4];
        struct tr_tree *tree;

        look.primitives_left = 1 + i % 30;
        add_random_tree(&shape, &seed, &look, 1 + i % 12);
        tree = resolve(&shape, 1);
        tr_tree_box(tree, reach, lo, hi);
        for (int n = 0; n < 300; n++) {
            double p[3], value;

            random_outside(&seed, lo, hi, p);
            value = true_distance(&shape, 1, p);
            if (!(value > reach)) {
                print_error(
                    "%.9g at (%.9g, %.9g, %.9g), reach %g, box (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g): ",
                    value, p[0], p[1], p[2], reach, lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
                fail_shape("within reach but outside the box", &shape);
            }
            close += value < reach + 1;
        }
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
    assert_true(close > 1000); /* so boxes are not much too wide */
}

/* Where two equal shapes blend, the box ends where the reach does. */
static void boxes_end_where_a_blend_reaches(void **state)
{
    static const struct tr_blend blends[] = {{0}, {TR_BLEND_SMOOTH, 8, 0}, {TR_BLEND_STAIRS, 8, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof blends / sizeof *blends; i++) {
        struct tr_shape shape = shape_begin();
        struct tr_tree *tree;
        double lo[3], hi[3];

        shape_add(&shape, TR_SHAPE_UNION, 2)->blend = blends[i];
        add_sphere(&shape, 0, 0, 0, 10);
        add_sphere(&shape, 0, 0, 0, 10);
        tree = resolve(&shape, 1);
        tr_tree_box(tree, 16, lo, hi);
        assert_float_equal(true_distance(&shape, 1, (double[]){hi[0], 0, 0}), 16, 1e-9);
        assert_float_equal(true_distance(&shape, 1, (double[]){0, lo[1], 0}), 16, 1e-9);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
}

/* A long list of shapes in one smooth union grows the box by no more than the blend is wide; what is taken away does not grow it. */
static void boxes_grow_by_one_blend_and_not_by_the_list(void **state)
{
    struct tr_shape list = shape_begin(), cut = shape_begin();
    struct tr_tree *tree;
    double lo[3], hi[3];

    (void)state;
    shape_add(&list, TR_SHAPE_UNION, 1000)->blend = (struct tr_blend){TR_BLEND_SMOOTH, 8, 0};
    for (int i = 0; i < 1000; i++)
        add_sphere(&list, 0, 0, 0, 10);
    tree = resolve(&list, 1);
    tr_tree_box(tree, 16, lo, hi);
    assert_float_equal(hi[0], 10 + 16 + 8, 0);
    tr_tree_free(tree);
    shape_add(&cut, TR_SHAPE_SUBTRACT, 2)->blend = (struct tr_blend){TR_BLEND_SMOOTH, 8, 0};
    add_sphere(&cut, 0, 0, 0, 10);
    add_sphere(&cut, 20, 0, 0, 1000);
    tree = resolve(&cut, 1);
    tr_tree_box(tree, 16, lo, hi);
    assert_float_equal(lo[2], -10 - 16, 0);
    assert_float_equal(hi[0], 10 + 16, 0);
    tr_tree_free(tree);
    tr_shape_release(&list);
    tr_shape_release(&cut);
}

static void the_box_of_what_never_meets_is_empty(void **state)
{
    struct tr_shape shape = shape_begin();
    struct tr_tree *tree;
    double lo[3], hi[3];

    (void)state;
    shape_add(&shape, TR_SHAPE_INTERSECT, 2);
    add_sphere(&shape, 0, 0, 0, 10);
    add_sphere(&shape, 100, 0, 0, 10);
    tree = resolve(&shape, 1);
    tr_tree_box(tree, 16, lo, hi);
    assert_true(lo[0] > hi[0]);
    tr_tree_box(tree, 40, lo, hi);
    assert_true(lo[0] == 50 && hi[0] == 50);
    tr_tree_free(tree);
    tr_shape_release(&shape);
}

/* ---- folding ---- */

/* What differs in how it is written only is the same tree. */
static void trees_are_equal_when_their_numbers_are(void **state)
{
    struct tr_shape nested = shape_begin(), flat = shape_begin(), moved = shape_begin();
    struct tr_tree *a, *b, *c;

    (void)state;
    shape_add(&nested, TR_SHAPE_UNION, 2);
    shape_add(&nested, TR_SHAPE_UNION, 2);
    add_sphere(&nested, 1, 2, 3, 4);
    add_sphere(&nested, 5, 6, 7, 8);
    add_sphere(&nested, 9, 10, 11, 12);
    shape_add(&flat, TR_SHAPE_UNION, 3);
    add_sphere(&flat, 1, 2, 3, 4);
    node_set(shape_add(&flat, TR_SHAPE_TRANSLATE, 1), "by", (double[]){5, 6, 0});
    add_sphere(&flat, 0, 0, 7, 8);
    add_sphere(&flat, 9, 10, 11, 12);
    shape_add(&moved, TR_SHAPE_UNION, 3);
    add_sphere(&moved, 1, 2, 3, 4);
    add_sphere(&moved, 5, 6, 7, 8.000000000000002);
    add_sphere(&moved, 9, 10, 11, 12);
    a = resolve(&nested, 0.5);
    b = resolve(&flat, 0.5);
    c = resolve(&moved, 0.5);
    assert_true(tr_tree_equal(a, b));
    assert_false(tr_tree_equal(a, c));
    tr_tree_free(a);
    tr_tree_free(b);
    tr_tree_free(c);
    tr_shape_release(&nested);
    tr_shape_release(&flat);
    tr_shape_release(&moved);
}

static void only_one_sphere_or_capsule_is_round(void **state)
{
    double a[3], b[3], radius, u[3] = {0, 0, 0};
    uint64_t seed = 12;

    (void)state;
    for (int i = 0; i < PRIMITIVES; i++) {
        struct tr_shape shape = shape_begin();
        struct tr_tree *tree;
        double by = 2;
        bool is_round = i == TR_SHAPE_SPHERE || i == TR_SHAPE_CAPSULE;

        node_set(shape_add(&shape, TR_SHAPE_SCALE, 1), "by", &by);
        add_primitive(&shape, &seed, (enum tr_shape_kind)i, u, 10);
        tree = resolve(&shape, 1);
        assert_int_equal(tr_tree_is_round(tree, a, b, &radius), is_round);
        if (i == TR_SHAPE_SPHERE)
            assert_true(radius == 20 && a[0] == 0 && b[2] == 0);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
}

static void assert_refused(const struct tr_shape *shape, double voxel_size, const char *message)
{
    struct tr_error error = {.text = ""};
    struct tr_tree *tree;

    assert_int_equal(tr_tree_create(shape, voxel_size, "here", &tree, &error), TR_BAD_INPUT);
    assert_null(tree);
    assert_string_equal(error.text, message);
}

/* Every limit in voxels, as written and behind transforms: what just keeps it is read, what just exceeds it is refused. */
static void shapes_beyond_a_limit_are_refused(void **state)
{
    struct tr_shape shape = shape_begin();
    struct tr_shape_node *first, *second;
    struct tr_tree *tree;
    double by = 2, radius = 50000;

    (void)state;
    first = shape_add(&shape, TR_SHAPE_SPHERE, 0);
    node_set(first, "center", (double[]){32000000, -32768, -32000000});
    node_set(first, "radius", &radius);
    tree = resolve(&shape, 0.5);
    tr_tree_free(tree);
    first->values[0] = 32000001;
    assert_refused(
        &shape, 0.5,
        "here: \"center\" must be at most 32000000 m (64000000 voxels) in magnitude, found 32000001");
    first->values[0] = 0;
    first->values[1] = 32769;
    assert_refused(&shape, 0.5,
                   "here: \"center\" must be at most 32768 m (65536 voxels) in magnitude, found 32769");
    first->values[1] = 0;
    first->values[3] = 50001;
    assert_refused(&shape, 0.5,
                   "here: \"radius\" must be at most 50000 m (100000 voxels) in magnitude, found 50001");

    shape.count = 0;
    first = shape_add(&shape, TR_SHAPE_SCALE, 1);
    node_set(first, "by", &by);
    add_sphere(&shape, 0, 0, 0, 50000);
    tree = resolve(&shape, 1);
    tr_tree_free(tree);
    shape.nodes[1].values[3] = 50001;
    assert_refused(&shape, 1,
                   "here: \"radius\" must be at most 100000 m (100000 voxels) in magnitude after transforms, "
                   "found 100002");
    shape.nodes[1].values[3] = 1;
    shape.nodes[1].values[1] = 40000;
    assert_refused(
        &shape, 1,
        "here: \"center\" must be at most 65536 m (65536 voxels) in magnitude after transforms, found 80000");

    shape.count = 0;
    first = shape_add(&shape, TR_SHAPE_TRANSLATE, 1);
    node_set(first, "by", (double[]){0, 64000000, 0});
    add_sphere(&shape, 0, 0, 0, 1);
    assert_refused(&shape, 1,
                   "here: \"center\" must be at most 65536 m (65536 voxels) in magnitude after transforms, "
                   "found 64000000");
    node_set(first, "by", (double[]){0, 64000001, 0});
    assert_refused(&shape, 1,
                   "here: \"by\" must be at most 64000000 m (64000000 voxels) in magnitude, found 64000001");

    shape.count = 0;
    node_set(shape_add(&shape, TR_SHAPE_SCALE, 1), "by", &by);
    first = shape_add(&shape, TR_SHAPE_UNION, 2);
    first->blend = (struct tr_blend){TR_BLEND_STAIRS, 60000, 4};
    add_sphere(&shape, 0, 0, 0, 1);
    add_sphere(&shape, 0, 0, 0, 1);
    assert_refused(&shape, 1,
                   "here: \"width\" must be at most 100000 m (100000 voxels) in magnitude after transforms, "
                   "found 120000");
    first->blend.width_m = 100001;
    assert_refused(&shape, 1,
                   "here: \"width\" must be at most 100000 m (100000 voxels) in magnitude, found 100001");

    shape.count = 0;
    second = shape_add(&shape, TR_SHAPE_CYLINDER, 0);
    radius = 1;
    node_set(second, "from", (double[]){64000000, 0, 0});
    node_set(second, "to", (double[]){64000000, 1e-9, 0});
    node_set(second, "radius", &radius);
    assert_refused(&shape, 1, "here: \"from\" and \"to\" of a cylinder must not coincide");
    tr_shape_release(&shape);
}

/* Operands that are numbers: not counts, seeds and lattice cells, nor the pixels and samples of what is cropped. */
static void assert_numbers_are_normal(const struct code *code)
{
    const uint32_t *words = code->words.words;

    for (size_t at = code->first; words[at] != TR_CODE_END; at += 1 + operands_of(words, at)) {
        uint32_t count = operands_of(words, at);

        if (words[at] == TR_CODE_HEIGHTS)
            count = TR_HEIGHTS_IMAGE + 12;
        if (words[at] == TR_CODE_GRID)
            count = TR_GRID_SAMPLES - 3;
        for (uint32_t i = 1; i <= count; i++) {
            bool is_length = i == 1 && words[at] >= TR_CODE_POLYHEDRON && words[at] <= TR_CODE_GRID;
            bool is_lattice = i > 1 && i < 7 && words[at] == TR_CODE_DISPLACE;

            if (!is_length && !is_lattice && words[at + i] > TR_BLEND_SWAPPED + 64) /* else a small count */
                assert_true(isnormal(tr_from_bits(words[at + i])));
        }
    }
}

/* Scales nested 60 deep, each 1/1024: nothing overflows, and what is left of the shape is a point. */
static void the_smallest_shapes_have_numbers_that_every_device_reads_alike(void **state)
{
    const int64_t origin[3] = {0, 0, 0};
    uint64_t seed = 13;
    double by = 1.0 / 1024;

    (void)state;
    for (int depth = 0; depth <= 60; depth += 4)
        for (int i = 0; i < PRIMITIVES; i++) {
            struct tr_shape shape = shape_begin();
            struct tr_tree *tree;
            struct code code;
            bool is_ended = (has_ends((enum tr_shape_kind)i) && i != TR_SHAPE_CAPSULE) ||
                            i == TR_SHAPE_TUBE || i == TR_SHAPE_MESH;

            for (int n = 0; n < (is_ended ? depth / 40 : depth); n++)
                node_set(shape_add(&shape, TR_SHAPE_SCALE, 1), "by", &by);
            shape_add(&shape, TR_SHAPE_UNION, 2)->blend = random_blend(&seed, 1);
            add_primitive(&shape, &seed, (enum tr_shape_kind)i, (double[]){0, 0, 0}, 1);
            add_primitive(&shape, &seed, (enum tr_shape_kind)i, (double[]){0, 0, 0}, 1);
            tree = resolve(&shape, 1);
            code = whole_code(tree, origin);
            assert_numbers_are_normal(&code);
            if (i != TR_SHAPE_HALF_SPACE) /* which has no size */
                assert_true(fabsf(code_value(&code, (int[]){3, 4, 0}) - 5) < 3.5f);
            code_end(&code);
            tr_tree_free(tree);
            tr_shape_release(&shape);
        }
}

/* Modifiers of numbers as small and as large as they may be. */
static void modifiers_at_their_limits_have_numbers_that_every_device_reads_alike(void **state)
{
    static const double small = 1e-300;
    const int64_t origin[3] = {-64 * 999999, 128, 64 * 777777};
    uint64_t seed = 21;

    (void)state;
    for (int kind = TR_SHAPE_ROUND; kind < TR_SHAPE_KIND_COUNT; kind++)
        for (int is_large = 0; is_large < 2; is_large++) {
            double length = is_large ? 100000 : small, factor = is_large ? 1024 : 1.0 / 1024;
            struct tr_shape shape = shape_begin();
            struct tr_shape_node *node = shape_add(&shape, (enum tr_shape_kind)kind, 1);
            struct look look = {.spread = 1};
            struct tr_tree *tree;
            struct code code;

            switch (kind) {
            case TR_SHAPE_ROUND:
                node_set(node, "by", &length);
                break;
            case TR_SHAPE_ONION:
                node_set(node, "thickness", &length);
                break;
            case TR_SHAPE_ELONGATE:
                node_set(node, "by", (double[]){length, 0, length});
                break;
            case TR_SHAPE_DISPLACE:
                node_set(node, "octaves", (double[]){8});
                node_set(node, "scale", (double[]){is_large ? 65536 : 1});
                node_set(node, "strength", &length);
                node_more(node)->seed = UINT64_MAX;
                break;
            case TR_SHAPE_TAPER:
                node_set(node, "factor", &factor);
                node_set(node, "to", (double[]){is_large ? 64000000 : 0x1p-20, 0, 0});
                break;
            case TR_SHAPE_TWIST:
            case TR_SHAPE_BEND:
                node_set(node, "axis", (double[]){1e-9, 1e9, 1});
                if (kind == TR_SHAPE_BEND)
                    node_set(node, "along", (double[]){1e9, 1e-9, 1e-9});
                node_set(node, "degrees_per_metre", (double[]){is_large ? -90 : small});
                break;
            default:
                node_set(node, kind == TR_SHAPE_MIRROR ? "normal" : "count", (double[]){1, 1, 1});
            }
            add_primitive(&shape, &seed, TR_SHAPE_BOX, look.centre, 1);
            tree = resolve(&shape, 1);
            code = whole_code(tree, origin);
            assert_numbers_are_normal(&code);
            assert_true(isfinite(code_value(&code, (int[]){63, 0, 63})));
            code_end(&code);
            tr_tree_free(tree);
            tr_shape_release(&shape);
        }
}

/* ---- crops ---- */

/* Code as long as it is, so that a sanitizer sees what is read beyond; and its value. */
static float exact_value(const struct code *code, const double p[3])
{
    size_t size = (code->words.count - code->first) * sizeof(uint32_t);
    uint32_t *words = malloc(size);
    float value;

    assert_non_null(words);
    memcpy(words, code->words.words + code->first, size);
    value = tr_tree_distance(words, 0, (float)p[0], (float)p[1], (float)p[2]);
    free(words);
    return value;
}

/* Height maps and meshes, turned, in frames around them: what is cropped gives the value of what is not, at all places of the frame, and it is
 * not much more than what the frame sees. */
static void cropped_pictures_and_fields_have_the_values_of_whole_ones(void **state)
{
    uint64_t seed = 31;
    size_t words = 0, whole_words = 0;

    (void)state;
    for (int i = 0; i < 60; i++) {
        struct tr_shape shape = shape_begin();
        struct look look = {.spread = 150};
        struct tr_tree *tree;

        add_transform(&shape, &seed, look.centre, 30);
        if (i % 2) {
            struct tr_shape_node *node = shape_add(&shape, TR_SHAPE_HEIGHT_MAP, 0);

            node_set(node, "center", look.centre);
            node_set(node, "size", (double[]){random_size(&seed, 3, 300), 40, random_size(&seed, 3, 300)});
            set_picture(node, &seed, 2 + (uint32_t)random_below(&seed, 200),
                        2 + (uint32_t)random_below(&seed, 200));
        } else {
            set_mesh(shape_add(&shape, TR_SHAPE_MESH, 0), &seed, look.centre, random_size(&seed, 30, 150));
        }
        tree = resolve(&shape, 1);
        for (int n = 0; n < 20; n++) {
            const int lo[3] = {0, 0, 0}, hi[3] = {63, 63, 63};
            int64_t origin[3];
            struct code whole, cropped;

            random_frame(&seed, &look, origin);
            whole = whole_code(tree, origin);
            cropped = code_of(tree, origin, lo, hi, WHOLE_REACH);
            assert_true(cropped.reaches && cropped.words.count <= whole.words.count);
            words += cropped.words.count;
            whole_words += whole.words.count;
            for (int k = 0; k < 60; k++) {
                double p[3], found, expected;

                for (int axis = 0; axis < 3; axis++)
                    p[axis] =
                        random_below(&seed, 3) ? random_between(&seed, 0, 63) : 63 * random_below(&seed, 2);
                expected = (double)exact_value(&whole, p);
                found = (double)exact_value(&cropped, p);
                if (!(fabs(found - expected) <= UNIT / 8)) {
                    print_error("%.9g of the whole, %.9g cropped: ", expected, found);
                    fail_shape("a crop is seen", &shape);
                }
            }
            code_end(&whole);
            code_end(&cropped);
        }
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
    print_message("crops have %zu of %zu words\n", words, whole_words);
    assert_true(words < whole_words / 3);
}

/* Numbers of a crop follow from the frame, not from the part of it that an edit may change. */
static void a_crop_does_not_depend_on_the_box_within_the_frame(void **state)
{
    const int64_t origin[3] = {-64, 0, 0};
    const int lo[3] = {0, 0, 0}, hi[3] = {63, 63, 63}, part_lo[3] = {40, 2, 7}, part_hi[3] = {52, 20, 9};
    uint64_t seed = 32;

    (void)state;
    for (int i = 0; i < 8; i++) {
        struct tr_shape shape = shape_begin();
        struct tr_tree *tree;
        struct code whole, part;

        add_primitive(&shape, &seed, i % 2 ? TR_SHAPE_HEIGHT_MAP : TR_SHAPE_MESH, (double[]){-30, 20, 30},
                      90);
        tree = resolve(&shape, 1);
        whole = code_of(tree, origin, lo, hi, WHOLE_REACH);
        part = code_of(tree, origin, part_lo, part_hi, WHOLE_REACH);
        assert_int_equal(whole.words.count, part.words.count);
        assert_memory_equal(whole.words.words, part.words.words, whole.words.count * sizeof(uint32_t));
        code_end(&whole);
        code_end(&part);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
}

/* What a moved point may see is all of it. */
static void pictures_and_fields_under_moved_points_are_whole(void **state)
{
    const int64_t origin[3] = {0, 0, 0};
    const int lo[3] = {0, 0, 0}, hi[3] = {63, 63, 63};
    struct tr_shape shape = shape_begin();
    struct tr_shape_node *node = shape_add(&shape, TR_SHAPE_TWIST, 1);
    struct tr_tree *tree;
    struct code cropped, whole;
    uint64_t seed = 33;

    (void)state;
    node_set(node, "axis", (double[]){0, 1, 0});
    node_set(node, "degrees_per_metre", (double[]){2});
    node = shape_add(&shape, TR_SHAPE_HEIGHT_MAP, 0);
    node_set(node, "center", (double[]){100, 0, 100});
    node_set(node, "size", (double[]){400, 40, 400});
    set_picture(node, &seed, 64, 64);
    tree = resolve(&shape, 1);
    cropped = code_of(tree, origin, lo, hi, WHOLE_REACH);
    whole = whole_code(tree, origin);
    assert_int_equal(cropped.words.count, whole.words.count);
    assert_memory_equal(cropped.words.words, whole.words.words, whole.words.count * sizeof(uint32_t));
    code_end(&cropped);
    code_end(&whole);
    tr_tree_free(tree);
    tr_shape_release(&shape);
}

/* A long tube in a frame is the pieces near it. */
static void a_frame_keeps_the_pieces_of_a_tube_that_are_near_it(void **state)
{
    const int64_t origin[3] = {640, 0, 0};
    const int lo[3] = {0, 0, 0}, hi[3] = {63, 63, 63};

    (void)state;
    for (uint32_t profile = 0; profile < 3; profile++) {
        struct tr_shape shape = shape_begin();
        struct tr_shape_node *node = shape_add(&shape, TR_SHAPE_TUBE, 0);
        struct tr_shape_more *more = node_more(node);
        struct tr_tree *tree;
        struct code whole, near;

        more->profile = profile;
        more->path_count = 200;
        more->path = calloc(more->path_count, sizeof *more->path);
        assert_non_null(more->path);
        for (uint32_t k = 0; k < more->path_count; k++)
            memcpy(more->path[k], (double[]){10.0 * k, 30 + 5 * sin(k), 30 + 5 * cos(k), 4},
                   sizeof more->path[k]);
        node_set(node, "steps", (double[]){8});
        tree = resolve(&shape, 1);
        assert_int_equal(tree->nodes->count, 199 * 8);
        whole = whole_code(tree, origin);
        near = code_of(tree, origin, lo, hi, 16);
        assert_int_equal(whole.words.words[whole.first + 3], 199 * 8);
        assert_in_range(near.words.words[near.first + 3], 40, 400); /* of 1,592; some 52 cross the frame */
        for (int x = 0; x < 64; x++)
            for (int y = 0; y < 64; y += 9)
                assert_int_equal(tr_bits(code_value(&whole, (int[]){x, y, x ^ y})),
                                 tr_bits(code_value(&near, (int[]){x, y, x ^ y})));
        code_end(&whole);
        code_end(&near);
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
}

/* ---- meshes ---- */

/* Faces of a mesh lie where they are: trilinear interpolation of distances from a plane is exact but for the rounding of samples. */
static void the_surface_of_a_mesh_is_where_its_faces_are(void **state)
{
    static const double corners[3][3] = {{32, 0, 0}, {0, 32, 0}, {0, 0, 32}};
    uint64_t seed = 34;
    double worst = 0;
    struct tr_shape shape = shape_begin();
    struct tr_shape_node *node = shape_add(&shape, TR_SHAPE_MESH, 0);
    char text[512];
    int at = 0;
    struct tr_tree *tree;

    (void)state;
    for (int k = 0; k < 6; k++) /* regular */
        at += sprintf(text + at, "v %d %d %d\n", k / 2 == 0 ? 32 - 64 * (k % 2) : 0,
                      k / 2 == 1 ? 32 - 64 * (k % 2) : 0, k / 2 == 2 ? 32 - 64 * (k % 2) : 0);
    at += sprintf(text + at, "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n");
    node_more(node)->resource = (struct tr_resource){.bytes = malloc((size_t)at), .size_bytes = (size_t)at};
    memcpy(node->more->resource.bytes, text, (size_t)at);
    tree = resolve(&shape, 1); /* cells of half a voxel, by default */
    assert_true(tree->solids->cell == 0.5);
    for (int n = 0; n < 500; n++) {
        double a = random_between(&seed, 0.1, 0.8), b = random_between(&seed, 0.1, 0.9 - a);
        int64_t p[3], origin[3];
        int local[3], lo[3], hi[3];
        long double q[3];
        struct code code;

        for (int axis = 0; axis < 3; axis++) {
            p[axis] = (int64_t)floor(a * corners[0][axis] + b * corners[1][axis] +
                                     (1 - a - b) * corners[2][axis] + random_between(&seed, -2, 2));
            q[axis] = p[axis];
        }
        frame_of(p, (int[]){0, 0, 0}, origin, local);
        memcpy(lo, local, sizeof lo);
        memcpy(hi, local, sizeof hi);
        code = code_of(tree, origin, lo, hi, WHOLE_REACH);
        worst = fmax(worst, fabs((double)code_value(&code, local) - (double)octahedron_distance(q, 32)));
        code_end(&code);
    }
    tr_tree_free(tree);
    tr_shape_release(&shape);
    print_message("faces of a mesh: off by 1/%.0f voxel\n", 1 / worst);
    assert_true(worst < 1.0 / 64);
}

/* ---- copies ---- */

static void copies_are_the_same_as_written_out(void **state)
{
    struct tr_shape repeated = shape_begin(), listed = shape_begin();
    struct tr_tree *a, *b;

    (void)state;
    node_set(shape_add(&repeated, TR_SHAPE_REPEAT, 1), "by", (double[]){10, 20, 30});
    node_set(&repeated.nodes[0], "count", (double[]){3, 2, 2});
    shape_add(&repeated, TR_SHAPE_UNION, 2)->blend = (struct tr_blend){TR_BLEND_SMOOTH, 2, 0};
    add_sphere(&repeated, 1, 2, 3, 4);
    add_sphere(&repeated, 4, 2, 3, 4);
    shape_add(&listed, TR_SHAPE_UNION, 12);
    for (int k = 0; k < 12; k++) {
        node_set(shape_add(&listed, TR_SHAPE_TRANSLATE, 1), "by",
                 (double[]){10 * (k % 3), 20 * (k / 3 % 2), 30 * (k / 6)});
        shape_add(&listed, TR_SHAPE_UNION, 2)->blend = (struct tr_blend){TR_BLEND_SMOOTH, 2, 0};
        add_sphere(&listed, 1, 2, 3, 4);
        add_sphere(&listed, 4, 2, 3, 4);
    }
    a = resolve(&repeated, 0.5);
    b = resolve(&listed, 0.5);
    assert_true(tr_tree_equal(a, b));
    assert_int_equal(a->count, 12 * 3 + 11);
    tr_tree_free(a);
    tr_tree_free(b);
    tr_shape_release(&repeated);
    tr_shape_release(&listed);
}

/* A mirror within a repeat within a mirror: copies multiply, each with the map of its own. */
static void copies_of_copies_multiply(void **state)
{
    const int64_t origin[3] = {0, 0, 0};
    struct tr_shape shape = shape_begin();
    struct tr_tree *tree;
    struct code code;

    (void)state;
    node_set(shape_add(&shape, TR_SHAPE_MIRROR, 1), "normal", (double[]){0, 0, 5});
    node_set(shape_add(&shape, TR_SHAPE_REPEAT, 1), "by", (double[]){20, 0, 0});
    node_set(&shape.nodes[1], "count", (double[]){2, 1, 1});
    node_set(shape_add(&shape, TR_SHAPE_MIRROR, 1), "normal", (double[]){0, 2, 0});
    add_sphere(&shape, 3, 10, 10, 2);
    tree = resolve(&shape, 1);
    assert_int_equal(tree->count, 8 + 7);
    code = whole_code(tree, origin);
    for (int k = 0; k < 8; k++)
        assert_true(code_value(&code, (int[]){k % 2 ? 23 : 3, k & 2 ? -10 : 10, k & 4 ? -10 : 10}) == -2);
    code_end(&code);
    tr_tree_free(tree);
    tr_shape_release(&shape);
}

/* ---- bounds of shapes ---- */

static void only_what_a_half_space_is_left_in_has_no_box(void **state)
{
    uint64_t seed = 35;
    int bounded = 0;
    double lo[3], hi[3];

    (void)state;
    for (int i = 0; i < 400; i++) {
        struct tr_shape shape = shape_begin();
        struct look look = {.spread = 40,
                            .size_lo = 1,
                            .size_hi = 40,
                            .width_max = 4,
                            .is_endless = true,
                            .movers_left = 3,
                            .copies_left = 1,
                            .primitives_left = 1 + i % 8};
        struct tr_tree *tree;

        if (i % 2)
            shape_add(&shape, (enum tr_shape_kind)(TR_SHAPE_UNION + random_below(&seed, 3)), 2);
        if (i % 2)
            add_primitive(&shape, &seed, TR_SHAPE_HALF_SPACE, look.centre, 1);
        add_random_tree(&shape, &seed, &look, 1 + i % 6);
        tree = resolve(&shape, 1);
        assert_int_equal(tr_tree_box(tree, 16, lo, hi), tr_shape_is_bounded(&shape));
        bounded += tr_shape_is_bounded(&shape);
        for (int axis = 0; axis < 3; axis++)
            assert_int_equal(isfinite(lo[axis]) && isfinite(hi[axis]), tr_shape_is_bounded(&shape));
        tr_tree_free(tree);
        tr_shape_release(&shape);
    }
    assert_true(bounded > 50 && bounded < 350);
}

/* ---- limits of modifiers ---- */

/* As deep as points are kept, and one deeper. */
static void modifiers_that_move_points_nest_eight_deep(void **state)
{
    const int64_t origin[3] = {0, 0, 0};
    struct tr_shape shape = shape_begin();
    struct tr_tree *tree;
    struct code code;
    int primitives;

    (void)state;
    for (int k = 0; k < 9; k++)
        node_set(shape_add(&shape, TR_SHAPE_ELONGATE, 1), "by", (double[]){4, 0, 0});
    add_sphere(&shape, 0, 0, 0, 5);
    assert_refused(
        &shape, 1,
        "here: \"shape\" must have at most 8 of elongate, twist, bend and taper within each other, "
        "found more");
    memmove(shape.nodes, shape.nodes + 1, --shape.count * sizeof *shape.nodes);
    tree = resolve(&shape, 1);
    code = whole_code(tree, origin);
    assert_int_equal(stack_of(&code, &primitives), 1);
    assert_true(code_value(&code, (int[]){8 * 2 + 5, 0, 0}) == 0);
    assert_true(code_value(&code, (int[]){0, 9, 0}) == 4);
    code_end(&code);
    tr_tree_free(tree);
    tr_shape_release(&shape);
}

static void shapes_of_too_many_parts_are_refused(void **state)
{
    static const char message[] =
        "here: \"shape\" must be of at most 65536 shapes with all copies and pieces of tubes, found more";
    struct tr_shape shape = shape_begin();
    struct tr_shape_node *node;
    struct tr_tree *tree;
    uint64_t seed = 36;

    (void)state;
    node = shape_add(&shape, TR_SHAPE_REPEAT, 1);
    node_set(node, "by", (double[]){1, 1, 1});
    node_set(node, "count", (double[]){4096, 1, 1});
    shape_add(&shape, TR_SHAPE_UNION, 8);
    for (int k = 0; k < 8; k++)
        add_sphere(&shape, k, 0, 0, 1);
    tree = resolve(&shape, 1); /* 4096 * 15 + 4095 */
    assert_int_equal(tree->count, 65535);
    tr_tree_free(tree);
    shape.nodes[1].child_count = 9;
    add_sphere(&shape, 9, 0, 0, 1);
    assert_refused(&shape, 1, message);
    node_set(node, "count", (double[]){64, 65, 1});
    assert_refused(&shape, 1, "here: \"count\" must be of at most 4096 copies");
    shape.count = 0;
    node = shape_add(&shape, TR_SHAPE_REPEAT, 1);
    node_set(node, "by", (double[]){1, 1, 1});
    node_set(node, "count", (double[]){16, 16, 16});
    set_path(shape_add(&shape, TR_SHAPE_TUBE, 0), &seed, (double[]){0, 0, 0}, 9);
    shape.nodes[1].more->path_count = 2;
    node_set(&shape.nodes[1], "steps", (double[]){16});
    assert_refused(&shape, 1, message); /* 4096 * 16 + 4095 */
    node_set(&shape.nodes[1], "steps", (double[]){15});
    tree = resolve(&shape, 1);
    assert_int_equal(tree->count, 4096 + 4095);
    tr_tree_free(tree);
    tr_shape_release(&shape);
}

static void new_shapes_beyond_a_limit_are_refused(void **state)
{
    struct tr_shape shape = shape_begin();
    struct tr_shape_node *node = shape_add(&shape, TR_SHAPE_ROUNDED_BOX, 0);
    struct tr_tree *tree;
    uint64_t seed = 37;
    double radius = 2;

    (void)state;
    node_set(node, "size", (double[]){5, 4, 6});
    node_set(node, "radius", &radius);
    assert_refused(&shape, 1, "here: \"radius\" must be less than half of each \"size\" of a rounded-box");
    *node = (struct tr_shape_node){.kind = TR_SHAPE_LINK};
    node_set(node, "axis", (double[]){1, 2, 3});
    node_set(node, "along", (double[]){-2, -4, -6});
    assert_refused(&shape, 1, "here: \"along\" must not be parallel to \"axis\" of a link");
    *node = (struct tr_shape_node){.kind = TR_SHAPE_PRISM};
    node_set(node, "sides", (double[]){5});
    node_set(node, "radius", &radius);
    assert_refused(&shape, 1, "here: \"from\" and \"to\" of a prism must not coincide");
    *node = (struct tr_shape_node){.kind = TR_SHAPE_CAPPED_CONE};
    assert_refused(&shape, 1, "here: \"from\" and \"to\" of a capped-cone must not coincide");
    *node = (struct tr_shape_node){.kind = TR_SHAPE_TUBE};
    set_path(node, &seed, (double[]){0, 0, 0}, 4);
    for (uint32_t k = 1; k < node->more->path_count; k++)
        memcpy(node->more->path[k], node->more->path[0], sizeof node->more->path[0]);
    assert_refused(&shape, 1, "here: the points of \"path\" of a tube must not all coincide");
    node->more->path[0][1] = 65537;
    assert_refused(&shape, 1,
                   "here: \"path\" must be at most 65536 m (65536 voxels) in magnitude, found 65537");
    tr_shape_release(&shape);

    shape = shape_begin();
    node = shape_add(&shape, TR_SHAPE_TWIST, 1);
    node_set(node, "axis", (double[]){0, 1, 0});
    node_set(node, "degrees_per_metre", (double[]){91});
    add_sphere(&shape, 0, 0, 0, 1);
    assert_refused(&shape, 1, "here: \"degrees_per_metre\" must be at most 90 degrees a voxel, found 91");
    tree = resolve(&shape, 0.5);
    tr_tree_free(tree);
    *node = (struct tr_shape_node){.kind = TR_SHAPE_TAPER, .child_count = 1};
    node_set(node, "factor", &radius);
    assert_refused(&shape, 1, "here: \"from\" and \"to\" of a taper must not coincide");
    *node = (struct tr_shape_node){.kind = TR_SHAPE_BEND, .child_count = 1};
    node_set(node, "axis", (double[]){0, 1, 0});
    node_set(node, "along", (double[]){0, 1, 0});
    assert_refused(&shape, 1, "here: \"along\" must not be parallel to \"axis\" of a bend");
    *node = (struct tr_shape_node){.kind = TR_SHAPE_DISPLACE, .child_count = 1};
    node_set(node, "octaves", (double[]){1});
    node_set(node, "scale", (double[]){0.25});
    node_set(node, "strength", &radius);
    node_more(node);
    assert_refused(&shape, 0.5, "here: \"scale\" must be at least 0.5 m (1 voxel), found 0.25");
    tr_shape_release(&shape);
}

static void meshes_beyond_a_limit_are_refused(void **state)
{
    struct tr_shape shape = shape_begin();
    struct tr_shape_node *node = shape_add(&shape, TR_SHAPE_MESH, 0);
    struct tr_error error = {.text = ""};
    struct tr_tree *tree;
    uint64_t seed = 38;

    (void)state;
    set_mesh(node, &seed, (double[]){0, 0, 0}, 10);
    node->more->resource.bytes[0] = '#'; /* the first vertex is a comment now */
    assert_int_equal(tr_tree_create(&shape, 1, "here", &tree, &error), TR_BAD_INPUT);
    assert_memory_equal(error.text, "here: \"mesh\"", 12);
    node->more->resource.bytes[0] = 'v';
    node_set(node, "cell", (double[]){0.05});
    assert_refused(&shape, 1,
                   "here: meshes of an edit must have at most 16777216 samples, found more at \"cell\" 0.05");
    node_set(node, "cell", (double[]){100001});
    assert_refused(&shape, 1,
                   "here: \"cell\" must be at most 100000 m (100000 voxels) in magnitude, found 100001");
    node_set(node, "cell", (double[]){2});
    assert_refused(
        &shape, 1e-4,
        "here: \"mesh\" must be at most 10 m (100000 voxels) in magnitude after transforms, found 20");
    tr_shape_release(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_have_their_textbook_distances),
        cmocka_unit_test(edges_are_as_far_as_they_are),
        cmocka_unit_test(trees_have_the_values_of_their_formulas),
        cmocka_unit_test(shapes_in_metres_meet_voxels_of_any_size),
        cmocka_unit_test(pruning_does_not_change_a_bit),
        cmocka_unit_test(pruning_of_two_shapes_does_not_change_a_bit),
        cmocka_unit_test(a_frame_keeps_what_is_near_it),
        cmocka_unit_test(bounds_hold_every_sample_of_a_box),
        cmocka_unit_test(bounds_hold_for_huge_and_far_primitives),
        cmocka_unit_test(bounds_of_a_brick_are_close),
        cmocka_unit_test(right_leaning_trees_need_two_distances),
        cmocka_unit_test(the_largest_trees_fit_the_stack),
        cmocka_unit_test(values_outside_the_box_exceed_the_reach),
        cmocka_unit_test(boxes_end_where_a_blend_reaches),
        cmocka_unit_test(boxes_grow_by_one_blend_and_not_by_the_list),
        cmocka_unit_test(the_box_of_what_never_meets_is_empty),
        cmocka_unit_test(trees_are_equal_when_their_numbers_are),
        cmocka_unit_test(only_one_sphere_or_capsule_is_round),
        cmocka_unit_test(shapes_beyond_a_limit_are_refused),
        cmocka_unit_test(the_smallest_shapes_have_numbers_that_every_device_reads_alike),
        cmocka_unit_test(modifiers_at_their_limits_have_numbers_that_every_device_reads_alike),
        cmocka_unit_test(cropped_pictures_and_fields_have_the_values_of_whole_ones),
        cmocka_unit_test(a_crop_does_not_depend_on_the_box_within_the_frame),
        cmocka_unit_test(pictures_and_fields_under_moved_points_are_whole),
        cmocka_unit_test(a_frame_keeps_the_pieces_of_a_tube_that_are_near_it),
        cmocka_unit_test(the_surface_of_a_mesh_is_where_its_faces_are),
        cmocka_unit_test(copies_are_the_same_as_written_out),
        cmocka_unit_test(copies_of_copies_multiply),
        cmocka_unit_test(only_what_a_half_space_is_left_in_has_no_box),
        cmocka_unit_test(modifiers_that_move_points_nest_eight_deep),
        cmocka_unit_test(shapes_of_too_many_parts_are_refused),
        cmocka_unit_test(new_shapes_beyond_a_limit_are_refused),
        cmocka_unit_test(meshes_beyond_a_limit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
