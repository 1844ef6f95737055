/* Instructions of shaders/tree.h: a node's numbers as a frame sees them. They are EDITS.md's, "Exactly", step 4: in double relative to the
 * frame's origin, then rounded to float once. Within a modifier that moves points the origin is 0: places are relative to it already. */
#include "lib/edit/tree_parts.h"

#include "lib/edit/polyhedron.h"

/* ---- numbers of a frame ---- */

static void to_frame(const double p[3], const int64_t origin[3], double q[3])
{
    for (int i = 0; i < 3; i++)
        q[i] = p[i] - (double)origin[i];
}

/* The line through a with the unit direction u. */
static struct tr_axis endless_axis(const double a[3], const double u[3])
{
    struct tr_axis axis = {.t0 = -(double)TR_ROUND_ENDLESS, .t1 = (double)TR_ROUND_ENDLESS};
    double t = -tr_dot(a, u);

    for (int i = 0; i < 3; i++) {
        axis.u[i] = u[i];
        axis.c[i] = a[i] + t * u[i];
    }
    return axis;
}

/* The length of the way from a to b, and its direction; 0 and none where it is less than TR_VOXELS_TINY. */
static double direction(const double a[3], const double b[3], double u[3])
{
    double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double length = sqrt(tr_dot(along, along));
    bool is_point = length < TR_VOXELS_TINY;

    for (int i = 0; i < 3; i++)
        u[i] = is_point ? 0.0 : along[i] / length;
    return is_point ? 0.0 : length;
}

struct tr_axis tr_axis_make(const double a[3], const double b[3], bool endless, const int64_t origin[3])
{
    struct tr_axis axis = {.t0 = 0.0};
    double begin[3], end[3], length, t;

    to_frame(a, origin, begin);
    to_frame(b, origin, end);
    length = direction(begin, end, axis.u);
    if (endless)
        return endless_axis(begin, axis.u);
    t = -tr_dot(begin, axis.u); /* from a to the foot of the origin */
    t = t < 0.0 ? 0.0 : t > length ? length : t;
    for (int i = 0; i < 3; i++)
        axis.c[i] = t > 0.0 && t == length ? end[i] : begin[i] + t * axis.u[i];
    axis.t0 = -t;
    axis.t1 = length - t;
    return axis;
}

static float narrow(double v)
{
    return tr_from_bits(tr_number_word(v));
}

static tr_round axis_round(const struct tr_axis *axis, double radius)
{
    tr_round round;

    round.cx = narrow(axis->c[0]);
    round.cy = narrow(axis->c[1]);
    round.cz = narrow(axis->c[2]);
    round.ux = narrow(axis->u[0]);
    round.uy = narrow(axis->u[1]);
    round.uz = narrow(axis->u[2]);
    round.t0 = narrow(axis->t0);
    round.t1 = narrow(axis->t1);
    round.radius = narrow(radius);
    /* from c before it is rounded: the rounding of c alone would move a surface of radius 100,000 by 1/256 voxel */
    round.k0 = narrow(tr_dot(axis->c, axis->c) - radius * radius);
    round.large = radius >= (double)TR_SHAPE_LARGE_RADIUS;
    return round;
}

tr_round tr_round_make(const double a[3], const double b[3], double radius, bool endless,
                       const int64_t origin[3])
{
    struct tr_axis axis = tr_axis_make(a, b, endless, origin);

    return axis_round(&axis, radius);
}

/* ---- words ---- */

/* Where the next word goes. */
struct writer {
    uint32_t *at;
};

static void put(struct writer *writer, uint32_t word)
{
    *writer->at++ = word;
}

static void put_number(struct writer *writer, double v)
{
    put(writer, tr_number_word(v));
}

static void put_numbers(struct writer *writer, const double v[3])
{
    for (int i = 0; i < 3; i++)
        put_number(writer, v[i]);
}

static void put_round(struct writer *writer, tr_round round)
{
    const float numbers[] = {round.cx, round.cy, round.cz, round.ux,     round.uy,
                             round.uz, round.t0, round.t1, round.radius, round.k0};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put(writer, tr_bits(numbers[i]));
    put(writer, round.large);
}

/* The places of the centre along the rows. */
static void rows_place(const struct tr_tree_node *node, const int64_t origin[3], double g[3])
{
    double centre[3];

    to_frame(node->a, origin, centre);
    for (int i = 0; i < 3; i++)
        g[i] = tr_dot(node->rows[i], centre);
}

static void put_rows(struct writer *writer, const struct tr_tree_node *node)
{
    for (int i = 0; i < 3; i++)
        put_numbers(writer, node->rows[i]);
}

/* Rows, then what leads from the frame's axes to the centre. */
static void put_rows_from_centre(struct writer *writer, const struct tr_tree_node *node,
                                 const int64_t origin[3])
{
    double g[3];

    put_rows(writer, node);
    rows_place(node, origin, g);
    for (int i = 0; i < 3; i++)
        put_number(writer, -g[i]);
}

/* ---- primitives ---- */

static void put_box(struct writer *writer, const struct tr_tree_node *node, const int64_t origin[3])
{
    double g[3];

    put(writer, TR_CODE_BOX);
    put_rows(writer, node);
    rows_place(node, origin, g);
    for (int i = 0; i < 3; i++)
        put_number(writer, -g[i] - node->size[i] / 2.0);
    for (int i = 0; i < 3; i++)
        put_number(writer, g[i] - node->size[i] / 2.0);
}

static void put_ellipsoid(struct writer *writer, const struct tr_tree_node *node, const int64_t origin[3])
{
    put(writer, TR_CODE_ELLIPSOID);
    put_rows_from_centre(writer, node, origin);
    put_numbers(writer, node->size);
    for (int i = 0; i < 3; i++)
        put_number(writer, 1.0 / node->size[i]);
}

static void put_torus(struct writer *writer, const struct tr_tree_node *node, const int64_t origin[3])
{
    double centre[3];
    struct tr_axis axis;

    to_frame(node->a, origin, centre);
    axis = endless_axis(centre, node->rows[0]);
    put(writer, TR_CODE_TORUS);
    put_round(writer, axis_round(&axis, node->size[0]));
    put_number(writer, -tr_dot(node->rows[0], centre));
    put_number(writer, node->size[1]);
}

/* Cylinder and cones. */
static void put_ended(struct writer *writer, const struct tr_tree_node *node, const int64_t origin[3])
{
    bool is_cylinder = node->kind == TR_SHAPE_CYLINDER;
    double a[3], b[3], u[3], middle[3], length, g, radius = node->size[0], slope = node->size[1] - radius;
    struct tr_axis axis;

    to_frame(node->a, origin, a);
    to_frame(node->b, origin, b);
    length = direction(a, b, u);
    for (int i = 0; i < 3; i++)
        middle[i] = (a[i] + b[i]) / 2.0;
    g = tr_dot(u, middle);
    axis = endless_axis(a, u);
    put(writer, is_cylinder ? TR_CODE_CYLINDER : TR_CODE_CONE);
    put_round(writer, axis_round(&axis, is_cylinder ? radius : 0.0));
    if (is_cylinder) {
        put_number(writer, -g - length / 2.0);
        put_number(writer, g - length / 2.0);
        return;
    }
    put_number(writer, -g);
    put_number(writer, length / 2.0);
    put_number(writer, radius); /* at the lower end */
    put_number(writer, node->size[1]);
    put_number(writer, slope);
    put_number(writer, length);
    put_number(writer, 1.0 / (slope * slope + length * length));
}

static void put_plane(struct writer *writer, const double n[3], const double p[3], const int64_t origin[3])
{
    double away[3];

    for (int i = 0; i < 3; i++)
        away[i] = (double)origin[i] - p[i];
    put_numbers(writer, n);
    put_number(writer, tr_dot(n, away));
}

static void put_link(struct writer *writer, const struct tr_tree_node *node, const int64_t origin[3])
{
    put(writer, TR_CODE_LINK);
    put_rows_from_centre(writer, node, origin);
    put_number(writer, node->size[0] / 2.0);
    put_number(writer, node->size[1]);
    put_number(writer, node->size[2]);
}

static struct tr_polyhedron polyhedron_of(const struct tr_tree_node *node)
{
    return node->kind == TR_SHAPE_PRISM     ? tr_polyhedron_prism(node->steps)
           : node->kind == TR_SHAPE_PYRAMID ? tr_polyhedron_pyramid()
                                            : tr_polyhedron_octahedron();
}

static uint32_t polyhedron_words(const struct tr_polyhedron *polyhedron)
{
    return 4 + 4 * polyhedron->face_count + 9 * polyhedron->triangle_count;
}

static void put_polyhedron(struct writer *writer, const struct tr_tree *tree, const struct tr_tree_node *node,
                           const int64_t origin[3])
{
    struct tr_polyhedron polyhedron = polyhedron_of(node);
    const double *corners = tree->numbers + node->first, *normals = corners + 3 * polyhedron.corner_count;
    double corner[3];

    put(writer, TR_CODE_POLYHEDRON);
    put(writer, polyhedron_words(&polyhedron) - 1);
    put(writer, polyhedron.face_count);
    put(writer, polyhedron.triangle_count);
    for (uint32_t k = 0; k < polyhedron.face_count; k++)
        put_plane(writer, normals + 3 * k, corners + 3 * polyhedron.faces[k], origin);
    for (uint32_t k = 0; k < polyhedron.triangle_count; k++)
        for (int i = 0; i < 3; i++) {
            to_frame(corners + 3 * polyhedron.triangles[k][i], origin, corner);
            put_numbers(writer, corner);
        }
}

uint32_t *tr_tube_write_head(const struct tr_tree_node *node, uint32_t pieces, uint32_t *words)
{
    struct writer writer = {words};

    put(&writer, TR_CODE_TUBE);
    put(&writer, 3 + TR_TUBE_SEGMENT_WORDS * pieces);
    put(&writer, node->steps);
    put(&writer, pieces);
    return writer.at;
}

uint32_t *tr_tube_write_piece(const struct tr_tree *tree, const struct tr_tree_node *node, uint32_t piece,
                              const struct tr_frame *frame, uint32_t *words)
{
    const double *numbers = tree->numbers + node->first + TR_TUBE_PIECE_NUMBERS * piece;
    const double e[3] = {numbers[3] - numbers[0], numbers[4] - numbers[1], numbers[5] - numbers[2]};
    double from[3];
    struct writer writer = {words};

    to_frame(numbers, frame->origin, from);
    put_numbers(&writer, from);
    put_numbers(&writer, e);
    put_number(&writer, 1.0 / tr_dot(e, e));
    put_number(&writer, numbers[6]);
    put_number(&writer, numbers[7] - numbers[6]);
    put_numbers(&writer, numbers + 8);
    put_numbers(&writer, numbers + 11);
    put_numbers(&writer, numbers + 14);
    return writer.at;
}

/* ---- height maps and meshes ---- */

/* The picture lies on x and z from the middle of the box. */
static struct tr_grey_place heights_place(const struct tr_tree_node *node, const struct tr_grey *picture)
{
    struct tr_grey_place place = {.a0 = (picture->width - 1.0) / 2.0, .b0 = (picture->height - 1.0) / 2.0};

    place.a[0] = (picture->width - 1.0) / node->size[0];
    place.b[2] = (picture->height - 1.0) / node->size[2];
    return place;
}

/* The crop seen along the rows, from the centre. */
static struct tr_crop heights_crop(const struct tr_tree_node *node, const struct tr_frame *frame)
{
    struct tr_crop crop = frame->crop;
    double g[3];

    rows_place(node, frame->origin, g);
    for (int i = 0; i < 3; i++) {
        const double *r = node->rows[i], *h = frame->crop.half;

        crop.middle[i] = tr_dot(r, frame->crop.middle) - g[i];
        crop.half[i] = fabs(r[0]) * h[0] + fabs(r[1]) * h[1] + fabs(r[2]) * h[2];
    }
    return crop;
}

/* 1 / sqrt(1 + slope^2), slope that of the steepest plane between pixels. */
static double heights_flatness(const struct tr_tree_node *node, const struct tr_tree_picture *made)
{
    double across = made->steepest[0] / 65535.0 * node->size[1] * (made->picture.width - 1.0) / node->size[0];
    double down = made->steepest[1] / 65535.0 * node->size[1] * (made->picture.height - 1.0) / node->size[2];

    return 1.0 / sqrt(1.0 + across * across + down * down);
}

static void put_heights(struct writer *writer, const struct tr_tree *tree, const struct tr_tree_node *node,
                        const struct tr_frame *frame)
{
    const struct tr_tree_picture *made = &tree->pictures[node->first];
    struct tr_grey_place place = heights_place(node, &made->picture);
    struct tr_crop crop = heights_crop(node, frame);

    put(writer, TR_CODE_HEIGHTS);
    put(writer, TR_HEIGHTS_IMAGE + (uint32_t)tr_grey_words(&made->picture, &place, &crop));
    put_rows_from_centre(writer, node, frame->origin);
    for (int i = 0; i < 3; i++)
        put_number(writer, node->size[i] / 2.0);
    put_number(writer, node->size[1]);
    put_number(writer, heights_flatness(node, made));
    writer->at = tr_grey_write(&made->picture, &place, &crop, writer->at);
}

/* Where the field lies and what a crop needs of it. */
struct grid {
    const struct tr_tree_solid *solid;
    double r[3][3], t[3];        /* from the frame to cells from the first sample */
    uint32_t first[3], count[3]; /* of the samples that are needed */
};

static struct grid grid_of(const struct tr_tree *tree, const struct tr_tree_node *node,
                           const struct tr_frame *frame)
{
    struct grid grid = {.solid = &tree->solids[node->first]};
    double g[3];

    rows_place(node, frame->origin, g);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            grid.r[i][j] = node->rows[i][j] / node->size[0];
        grid.t[i] = -g[i] / node->size[0];
        tr_crop_range(&frame->crop, grid.r[i], grid.t[i], grid.solid->field.size[i], 2, &grid.first[i],
                      &grid.count[i]);
    }
    return grid;
}

static size_t grid_words(const struct grid *grid)
{
    return 1 + TR_GRID_SAMPLES + ((size_t)grid->count[0] * grid->count[1] * grid->count[2] + 1) / 2;
}

static void put_samples(struct writer *writer, const struct grid *grid)
{
    const struct tr_solid_field *field = &grid->solid->field;
    size_t index = 0, count = (size_t)grid->count[0] * grid->count[1] * grid->count[2];
    uint32_t *to = writer->at;

    if (count % 2 != 0)
        to[count / 2] = 0;
    for (uint32_t y = grid->first[1]; y < grid->first[1] + grid->count[1]; y++)
        for (uint32_t z = grid->first[2]; z < grid->first[2] + grid->count[2]; z++) {
            const int16_t *row = &field->samples[((size_t)y * field->size[2] + z) * field->size[0]];

            for (uint32_t x = grid->first[0]; x < grid->first[0] + grid->count[0]; x++, index++) {
                uint32_t sample = (uint16_t)row[x];

                to[index / 2] = index % 2 == 0 ? sample : to[index / 2] | sample << 16;
            }
        }
    writer->at = to + (count + 1) / 2;
}

static void put_grid(struct writer *writer, const struct tr_tree *tree, const struct tr_tree_node *node,
                     const struct tr_frame *frame)
{
    struct grid grid = grid_of(tree, node, frame);
    const struct tr_tree_solid *solid = grid.solid;

    put(writer, TR_CODE_GRID);
    put(writer, (uint32_t)grid_words(&grid) - 1);
    for (int i = 0; i < 3; i++)
        put_numbers(writer, grid.r[i]);
    for (int i = 0; i < 3; i++)
        put_number(writer, grid.t[i] - grid.first[i]);
    for (int i = 0; i < 3; i++)
        put_number(writer, -(double)grid.first[i]);
    for (int i = 0; i < 3; i++)
        put_number(writer, solid->field.size[i] - 1.0 - grid.first[i]);
    for (int i = 0; i < 3; i++)
        put_number(writer, (solid->min[i] - solid->field.origin[i]) / solid->cell - grid.first[i]);
    for (int i = 0; i < 3; i++)
        put_number(writer, (solid->max[i] - solid->field.origin[i]) / solid->cell - grid.first[i]);
    put_number(writer, node->size[0]);
    put_number(writer, node->size[0] / TR_SOLID_FIELD_UNITS);
    for (int i = 0; i < 3; i++)
        put(writer, grid.count[i]);
    put_samples(writer, &grid);
}

/* ---- leaves ---- */

size_t tr_leaf_words(const struct tr_tree *tree, const struct tr_tree_node *node,
                     const struct tr_frame *frame)
{
    switch (node->kind) {
    case TR_SHAPE_BOX:
        return 1 + TR_CODE_BOX_WORDS;
    case TR_SHAPE_ELLIPSOID:
        return 1 + TR_CODE_ELLIPSOID_WORDS;
    case TR_SHAPE_TORUS:
        return 1 + TR_CODE_TORUS_WORDS;
    case TR_SHAPE_CYLINDER:
        return 1 + TR_CODE_CYLINDER_WORDS;
    case TR_SHAPE_CONE:
    case TR_SHAPE_CAPPED_CONE:
        return 1 + TR_CODE_CONE_WORDS;
    case TR_SHAPE_HALF_SPACE:
        return 1 + TR_CODE_PLANE_WORDS;
    case TR_SHAPE_LINK:
        return 1 + TR_CODE_LINK_WORDS;
    case TR_SHAPE_PRISM:
    case TR_SHAPE_PYRAMID:
    case TR_SHAPE_OCTAHEDRON: {
        struct tr_polyhedron polyhedron = polyhedron_of(node);

        return polyhedron_words(&polyhedron);
    }
    case TR_SHAPE_HEIGHT_MAP: {
        const struct tr_grey *picture = &tree->pictures[node->first].picture;
        struct tr_grey_place place = heights_place(node, picture);
        struct tr_crop crop = heights_crop(node, frame);

        return 1 + TR_HEIGHTS_IMAGE + tr_grey_words(picture, &place, &crop);
    }
    case TR_SHAPE_MESH: {
        struct grid grid = grid_of(tree, node, frame);

        return grid_words(&grid);
    }
    default:
        return 1 + TR_CODE_ROUND_WORDS;
    }
}

uint32_t *tr_leaf_write(const struct tr_tree *tree, const struct tr_tree_node *node,
                        const struct tr_frame *frame, uint32_t *words)
{
    const int64_t *origin = frame->origin;
    struct writer writer = {words};

    switch (node->kind) {
    case TR_SHAPE_BOX:
        put_box(&writer, node, origin);
        break;
    case TR_SHAPE_ELLIPSOID:
        put_ellipsoid(&writer, node, origin);
        break;
    case TR_SHAPE_TORUS:
        put_torus(&writer, node, origin);
        break;
    case TR_SHAPE_CYLINDER:
    case TR_SHAPE_CONE:
    case TR_SHAPE_CAPPED_CONE:
        put_ended(&writer, node, origin);
        break;
    case TR_SHAPE_HALF_SPACE:
        put(&writer, TR_CODE_PLANE);
        put_plane(&writer, node->rows[0], node->a, origin);
        break;
    case TR_SHAPE_LINK:
        put_link(&writer, node, origin);
        break;
    case TR_SHAPE_PRISM:
    case TR_SHAPE_PYRAMID:
    case TR_SHAPE_OCTAHEDRON:
        put_polyhedron(&writer, tree, node, origin);
        break;
    case TR_SHAPE_HEIGHT_MAP:
        put_heights(&writer, tree, node, frame);
        break;
    case TR_SHAPE_MESH:
        put_grid(&writer, tree, node, frame);
        break;
    default:
        put(&writer, TR_CODE_ROUND);
        put_round(&writer, tr_round_make(node->a, node->b, node->size[0], false, origin));
    }
    return writer.at;
}

/* ---- operations and modifiers ---- */

static uint32_t blend_operation(const struct tr_tree_node *node)
{
    return node->kind == TR_SHAPE_UNION      ? TR_BLEND_UNION
           : node->kind == TR_SHAPE_SUBTRACT ? TR_BLEND_SUBTRACT
                                             : TR_BLEND_INTERSECT;
}

uint32_t *tr_blend_write(const struct tr_tree_node *node, bool is_swapped, uint32_t *words)
{
    struct writer writer = {words};
    double k = node->width, step = node->blend == TR_BLEND_STAIRS ? k / node->steps : 0.0;

    put(&writer, TR_CODE_BLEND);
    put(&writer, blend_operation(node) | (is_swapped ? TR_BLEND_SWAPPED : 0u));
    put(&writer, node->blend);
    put_number(&writer, k);
    put_number(&writer, node->blend == TR_BLEND_SMOOTH ? 1.0 / (4.0 * k) : step);
    put_number(&writer, node->blend == TR_BLEND_STAIRS ? 1.0 / (2.0 * step) : 0.0);
    return writer.at;
}

/* The lattice cell of the frame's origin along one axis, and the place in it. */
static void split_lattice(int64_t origin, double scale, uint32_t *cell, uint32_t *place)
{
    double at = (double)origin / scale, below = floor(at);

    *cell = (uint32_t)(int64_t)below;
    *place = tr_number_word(at - below);
}

static void noise_write(uint32_t seed, uint32_t octaves, double scale, const int64_t origin[3],
                        uint32_t *words)
{
    words[0] = seed;
    words[1] = octaves;
    for (int i = 0; i < 3; i++)
        split_lattice(origin[i], scale, &words[2 + i], &words[5 + i]);
    words[8] = tr_number_word(1.0 / scale);
}

void tr_noise_write(uint64_t seed, uint32_t octaves, double scale, const int64_t origin[3],
                    uint32_t words[TR_BRUSH_NOISE_WORDS])
{
    noise_write((uint32_t)seed ^ (uint32_t)(seed >> 32), octaves, scale, origin, words);
}

uint32_t *tr_alter_write(const struct tr_tree_node *node, const int64_t origin[3], uint32_t *words)
{
    struct writer writer = {words};

    put(&writer, node->kind == TR_SHAPE_ROUND   ? TR_CODE_OFFSET
                 : node->kind == TR_SHAPE_ONION ? TR_CODE_ONION
                                                : TR_CODE_DISPLACE);
    put_number(&writer, node->size[0]);
    if (node->kind == TR_SHAPE_DISPLACE) {
        noise_write(node->seed, node->steps, node->size[1], origin, writer.at);
        writer.at += TR_BRUSH_NOISE_WORDS;
    }
    return writer.at;
}

struct tr_move tr_move_make(const struct tr_tree_node *node, const int64_t origin[3])
{
    struct tr_move move = {.operand_count = 1};
    double g[3];

    rows_place(node, origin, g);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            move.r[i][j] = node->rows[i][j];
        move.t[i] = -g[i];
    }
    switch (node->kind) {
    case TR_SHAPE_ELONGATE:
        move.code = TR_CODE_ELONGATE;
        move.operand_count = TR_CODE_ELONGATE_WORDS;
        for (int i = 0; i < 3; i++)
            move.operands[i] = node->size[i];
        break;
    case TR_SHAPE_TAPER:
        move.code = TR_CODE_TAPER;
        move.operand_count = TR_CODE_TAPER_WORDS;
        move.operands[0] = 1.0 / node->size[0];
        move.operands[1] = 1.0 / node->size[1] - 1.0;
        break;
    default: /* the shape turns one way where points turn the other */
        move.code = node->kind == TR_SHAPE_TWIST ? TR_CODE_TWIST : TR_CODE_BEND;
        move.operands[0] = -node->size[0];
    }
    return move;
}

uint32_t *tr_move_write(const struct tr_tree_node *node, const int64_t origin[3], uint32_t *words)
{
    struct tr_move move = tr_move_make(node, origin);
    struct writer writer = {words};

    put(&writer, TR_CODE_POINT_PUSH);
    for (int i = 0; i < 3; i++)
        put_numbers(&writer, move.r[i]);
    put_numbers(&writer, move.t);
    put(&writer, move.code);
    for (uint32_t i = 0; i < move.operand_count; i++)
        put_number(&writer, move.operands[i]);
    return writer.at;
}
