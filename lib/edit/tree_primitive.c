/* Primitives, as the map of where they stand has them: fields by name become the numbers of a resolved node. Corners of polyhedra and points of
 * tubes are made in metres as written and then mapped like other places. Pictures and meshes are made once for all copies of a node, which
 * have one size: what copies, and what moves points, does not scale. */
#include "lib/edit/tree_fold.h"

#include "lib/base/alloc.h"
#include "lib/base/dmath.h"
#include "lib/base/json.h"
#include "lib/edit/curve.h"
#include "lib/edit/polyhedron.h"

#include <stdlib.h>
#include <string.h>

/* ---- primitives ---- */

static bool has_ends(enum tr_shape_kind kind)
{
    return kind == TR_SHAPE_CAPSULE || kind == TR_SHAPE_CYLINDER || kind == TR_SHAPE_CONE ||
           kind == TR_SHAPE_CAPPED_CONE;
}

/* The shape's own axes are those it was written along. */
static void set_rows(struct tr_tree_node *node, const struct tr_map *map)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            node->rows[i][j] = map->m[j][i] / map->factor;
}

static enum tr_status set_ends(const struct tr_fold *fold, struct tr_tree_node *node, const double *voxels)
{
    enum tr_shape_kind kind = (enum tr_shape_kind)node->kind;
    double along[3];

    memcpy(node->a, tr_field_values(kind, voxels, "from"), sizeof node->a);
    memcpy(node->b, tr_field_values(kind, voxels, "to"), sizeof node->b);
    for (int i = 0; i < 3; i++)
        along[i] = node->b[i] - node->a[i];
    if (kind == TR_SHAPE_CAPSULE || sqrt(tr_dot(along, along)) >= TR_SHAPE_ENDS_MIN)
        return TR_OK;
    return tr_fail(fold->metres->error, TR_BAD_INPUT, "%s: \"from\" and \"to\" of a %s must not coincide",
                   fold->metres->where, tr_shape_infos[kind].name);
}

static enum tr_status set_link(const struct tr_fold *fold, struct tr_tree_node *node, const double *voxels)
{
    node->size[0] = *tr_field_values(TR_SHAPE_LINK, voxels, "length");
    node->size[1] = *tr_field_values(TR_SHAPE_LINK, voxels, "radius");
    node->size[2] = *tr_field_values(TR_SHAPE_LINK, voxels, "tube");
    return tr_plane_axes(fold, TR_SHAPE_LINK, tr_field_values(TR_SHAPE_LINK, voxels, "axis"),
                         tr_field_values(TR_SHAPE_LINK, voxels, "along"), node->rows);
}

static void set_ellipsoid(struct tr_tree_node *node, const double *voxels)
{
    memcpy(node->size, tr_field_values(TR_SHAPE_ELLIPSOID, voxels, "radii"), sizeof node->size);
    for (int i = 0; i < 3; i++)
        node->size[i] = tr_greatest(node->size[i], TR_ELLIPSOID_RADIUS_MIN);
}

/* What a primitive of numbers only has. */
static enum tr_status set_primitive(const struct tr_fold *fold, struct tr_tree_node *node,
                                    const struct tr_map *map, const double *voxels)
{
    enum tr_shape_kind kind = (enum tr_shape_kind)node->kind;

    if (kind == TR_SHAPE_HALF_SPACE) {
        tr_node_set_center(node, tr_field_values(kind, voxels, "point"));
        tr_unit(tr_field_values(kind, voxels, "normal"), node->rows[0]);
        return TR_OK;
    }
    if (!has_ends(kind))
        tr_node_set_center(node, tr_field_values(kind, voxels, "center"));
    if (kind == TR_SHAPE_LINK)
        return set_link(fold, node, voxels);
    if (kind == TR_SHAPE_BOX || kind == TR_SHAPE_ELLIPSOID)
        set_rows(node, map);
    if (kind == TR_SHAPE_BOX)
        memcpy(node->size, tr_field_values(kind, voxels, "size"), sizeof node->size);
    else if (kind == TR_SHAPE_ELLIPSOID)
        set_ellipsoid(node, voxels);
    else
        node->size[0] = *tr_field_values(kind, voxels, "radius");
    if (kind == TR_SHAPE_CAPPED_CONE)
        node->size[1] = *tr_field_values(kind, voxels, "to_radius");
    if (kind == TR_SHAPE_TORUS) {
        node->size[1] = *tr_field_values(kind, voxels, "tube");
        tr_unit(tr_field_values(kind, voxels, "axis"), node->rows[0]);
    }
    return has_ends(kind) ? set_ends(fold, node, voxels) : TR_OK;
}

/* A smaller box, and a round of it. */
static enum tr_status add_rounded_box(struct tr_fold *fold, const struct tr_map *map, const double *voxels)
{
    const double *size = tr_field_values(TR_SHAPE_ROUNDED_BOX, voxels, "size");
    double radius = *tr_field_values(TR_SHAPE_ROUNDED_BOX, voxels, "radius");
    struct tr_tree_node *node;
    enum tr_status status = tr_fold_add(fold, TR_SHAPE_BOX, 1, &node);

    if (status != TR_OK)
        return status;
    tr_node_set_center(node, tr_field_values(TR_SHAPE_ROUNDED_BOX, voxels, "center"));
    set_rows(node, map);
    for (int i = 0; i < 3; i++) {
        node->size[i] = size[i] - 2.0 * radius;
        if (!(node->size[i] > 0.0))
            return tr_fold_refuse(fold, TR_SHAPE_ROUNDED_BOX,
                                  "\"radius\" must be less than half of each \"size\"");
    }
    status = tr_fold_add(fold, TR_SHAPE_ROUND, 1, &node);
    if (status == TR_OK)
        node->size[0] = radius;
    return status;
}

/* ---- polyhedra ---- */

/* In metres as written. */
static struct tr_polyhedron written_polyhedron(const struct tr_shape_node *written,
                                               struct tr_polyhedron_shape *shape)
{
    if (written->kind == TR_SHAPE_PRISM) {
        const double *from = tr_written_values(written, "from"), *to = tr_written_values(written, "to");
        uint32_t sides = (uint32_t)*tr_written_values(written, "sides");
        double along[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, u[3], side[3], top[3];

        tr_unit(along, u);
        tr_axes_across(u, tr_unit_y, tr_unit_x, side, top);
        tr_prism_place(from, to, u, side, top, *tr_written_values(written, "radius"), sides, shape);
        return tr_polyhedron_prism(sides);
    }
    if (written->kind == TR_SHAPE_PYRAMID) {
        tr_pyramid_place(tr_written_values(written, "center"), tr_written_values(written, "size"), shape);
        return tr_polyhedron_pyramid();
    }
    tr_octahedron_place(tr_written_values(written, "center"), *tr_written_values(written, "radius"), shape);
    return tr_polyhedron_octahedron();
}

static enum tr_status add_polyhedron(struct tr_fold *fold, const struct tr_map *map,
                                     const struct tr_shape_node *written)
{
    struct tr_polyhedron_shape shape;
    struct tr_polyhedron polyhedron;
    double mapped[3], *numbers;
    struct tr_tree_node *node;
    enum tr_status status = written->kind == TR_SHAPE_PRISM ? tr_fold_check_ends(fold, map, written) : TR_OK;

    if (status == TR_OK)
        status = tr_fold_add(fold, written->kind, 1, &node);
    if (status != TR_OK)
        return status;
    polyhedron = written_polyhedron(written, &shape);
    status = tr_fold_add_numbers(fold, node, 3 * (polyhedron.corner_count + polyhedron.face_count), &numbers);
    if (status != TR_OK)
        return status;
    node->steps = written->kind == TR_SHAPE_PRISM ? polyhedron.corner_count / 2 : 0;
    for (uint32_t k = 0; k < polyhedron.corner_count; k++, numbers += 3) {
        tr_map_place(map, shape.corners[k], mapped);
        for (int i = 0; i < 3; i++)
            numbers[i] = mapped[i] / fold->metres->voxel_size;
    }
    for (uint32_t k = 0; k < polyhedron.face_count; k++, numbers += 3)
        tr_map_direction(map, shape.normals[k], numbers);
    return TR_OK;
}

/* ---- tubes ---- */

/* One end of a piece in voxels. */
static enum tr_status convert_tube_point(const struct tr_fold *fold, const struct tr_map *map,
                                         const double point[4], double voxels[4])
{
    double mapped[3];
    enum tr_status status;

    tr_map_place(map, point, mapped);
    status = tr_fold_convert_place(fold, "path", mapped, voxels);
    if (status == TR_OK)
        status = tr_fold_convert_length(fold, "radius", point[3] * map->factor, &voxels[3]);
    return status;
}

/* The numbers of a piece; false when it is too short to have a direction. */
static bool set_piece(double *numbers, const double from[4], const double to[4], const double up[3],
                      const double other[3])
{
    double along[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};

    if (!(sqrt(tr_dot(along, along)) >= TR_SHAPE_ENDS_MIN))
        return false;
    memcpy(numbers, from, 3 * sizeof *from);
    memcpy(numbers + 3, to, 3 * sizeof *to);
    numbers[6] = from[3];
    numbers[7] = to[3];
    tr_unit(along, numbers + 8);
    tr_axes_across(numbers + 8, up, other, numbers + 11, numbers + 14);
    return true;
}

/* The pieces between points of the curve, in voxels. */
static void set_pieces(struct tr_tree_node *node, const struct tr_map *map, const double (*points)[4],
                       uint32_t count, double *numbers)
{
    double up[3], other[3];

    tr_map_direction(map, tr_unit_y, up);
    tr_map_direction(map, tr_unit_x, other);
    for (uint32_t k = 0; k + 1 < count; k++)
        if (set_piece(numbers + TR_TUBE_PIECE_NUMBERS * node->count, points[k], points[k + 1], up, other))
            node->count++;
}

static enum tr_status add_tube(struct tr_fold *fold, const struct tr_map *map,
                               const struct tr_shape_node *written)
{
    const struct tr_shape_more *more = written->more;
    uint32_t steps = (uint32_t)*tr_written_values(written, "steps");
    uint32_t count = tr_curve_count(more->path_count, steps);
    double unused[4], (*points)[4] = NULL, *numbers;
    struct tr_tree_node *node;
    enum tr_status status = TR_OK;

    for (uint32_t k = 0; k < more->path_count && status == TR_OK; k++) {
        status = tr_metres_convert_place(fold->metres, "path", "", more->path[k], TR_ELEVATION_MAX, unused);
        if (status == TR_OK)
            status =
                tr_metres_convert(fold->metres, "radius", "", more->path[k][3], TR_SHAPE_RADIUS_MAX, unused);
        if (status == TR_OK) /* a curve swings out a little beyond its points, within all bounds of numbers */
            status = convert_tube_point(fold, map, more->path[k], unused);
    }
    if (status == TR_OK)
        status = tr_fold_add(fold, TR_SHAPE_TUBE, count - 1, &node);
    if (status == TR_OK)
        status = tr_fold_add_numbers(fold, node, TR_TUBE_PIECE_NUMBERS * (count - 1), &numbers);
    if (status != TR_OK)
        return status;
    points = tr_alloc(count, sizeof *points, fold->metres->error);
    if (!points)
        return TR_IO;
    tr_curve_flatten((const double(*)[4])more->path, more->path_count, steps, points);
    for (uint32_t k = 0; k < count; k++) {
        double mapped[3];

        tr_map_place(map, points[k], mapped);
        for (int i = 0; i < 3; i++)
            points[k][i] = mapped[i] / fold->metres->voxel_size;
        points[k][3] = points[k][3] * map->factor / fold->metres->voxel_size;
    }
    node->steps = more->profile;
    set_pieces(node, map, (const double(*)[4])points, count, numbers);
    fold->tree->number_count = node->first + TR_TUBE_PIECE_NUMBERS * node->count;
    free(points);
    if (node->count == 0)
        return tr_fail(fold->metres->error, TR_BAD_INPUT,
                       "%s: the points of \"path\" of a tube must not all coincide", fold->metres->where);
    return TR_OK;
}

/* ---- height maps and meshes ---- */

static void find_steepest(const struct tr_grey *picture, double steepest[2])
{
    int across = 0, down = 0;

    for (uint32_t row = 0; row < picture->height; row++)
        for (uint32_t column = 0; column < picture->width; column++) {
            const uint16_t *pixel = &picture->pixels[(size_t)row * picture->width + column];
            int right = column + 1 < picture->width ? abs(pixel[1] - pixel[0]) : 0;
            int below = row + 1 < picture->height ? abs(pixel[picture->width] - pixel[0]) : 0;

            across = right > across ? right : across;
            down = below > down ? below : down;
        }
    steepest[0] = across;
    steepest[1] = down;
}

/* The picture of node `index` of the shape, which covers so much; all copies of a node have one size. */
static enum tr_status fold_picture(struct tr_fold *fold, uint32_t index, const double size[3],
                                   uint32_t *which)
{
    const struct tr_resource *image = &fold->shape->nodes[index].more->resource;
    struct tr_tree *tree = fold->tree;
    struct tr_tree_picture *made;
    enum tr_status status;

    for (*which = 0; *which < tree->picture_count; (*which)++)
        if (tree->pictures[*which].written == index)
            return TR_OK;
    status = tr_grow(&tree->pictures, &fold->picture_capacity, (size_t)tree->picture_count + 1,
                     sizeof *tree->pictures, fold->metres->error);
    if (status != TR_OK)
        return status;
    made = &tree->pictures[*which];
    status = tr_grey_make(image, tr_grey_halvings(image->width, image->height, size[0], size[2]),
                          &made->picture, fold->metres->error);
    if (status != TR_OK)
        return status;
    find_steepest(&made->picture, made->steepest);
    made->source = tr_hash_bytes(image->pixels, (size_t)image->width * image->height * sizeof *image->pixels);
    made->written = index;
    tree->picture_count++;
    return TR_OK;
}

static enum tr_status add_height_map(struct tr_fold *fold, const struct tr_map *map, uint32_t index,
                                     const double *voxels)
{
    struct tr_tree_node *node;
    enum tr_status status = tr_fold_add(fold, TR_SHAPE_HEIGHT_MAP, 1, &node);

    if (status != TR_OK)
        return status;
    tr_node_set_center(node, tr_field_values(TR_SHAPE_HEIGHT_MAP, voxels, "center"));
    set_rows(node, map);
    memcpy(node->size, tr_field_values(TR_SHAPE_HEIGHT_MAP, voxels, "size"), sizeof node->size);
    return fold_picture(fold, index, node->size, &node->first);
}

/* Where a coordinate of the mesh lies in cells: on the lattice that solid_field.h moves vertices to. */
static double lattice_cells(double at, double cell)
{
    return floor(at / cell * 65536.0 + 0.5) / 65536.0;
}

static double first_cell(const struct tr_tree_solid *solid, int axis)
{
    return floor(lattice_cells(solid->min[axis], solid->cell)) - solid->margin;
}

double tr_solid_first(const struct tr_tree_solid *solid, int axis)
{
    return first_cell(solid, axis) * solid->cell;
}

/* How many samples the field will have along an axis: as solid_field.h says. */
static double field_side(const struct tr_tree_solid *solid, int axis)
{
    return ceil(lattice_cells(solid->max[axis], solid->cell)) + solid->margin - first_cell(solid, axis) + 1.0;
}

static enum tr_status check_samples(struct tr_fold *fold, const struct tr_tree_solid *solid)
{
    double samples = field_side(solid, 0) * field_side(solid, 1) * field_side(solid, 2);
    char cell[32];

    if (samples <= (double)(TR_TREE_SAMPLES_MAX - fold->samples)) {
        fold->samples += (uint64_t)samples;
        return TR_OK;
    }
    tr_number_text(solid->cell, cell);
    return tr_fail(fold->metres->error, TR_BAD_INPUT,
                   "%s: meshes of an edit must have at most %u samples, found more at \"cell\" %s",
                   fold->metres->where, TR_TREE_SAMPLES_MAX, cell);
}

/* Reads the mesh of a node. */
static enum tr_status read_solid(struct tr_fold *fold, const struct tr_map *map,
                                 const struct tr_shape_node *written, struct tr_tree_solid *solid)
{
    const struct tr_resource *resource = &written->more->resource;
    struct tr_error refusal = {.text = ""};
    double longest = 0.0, cell;
    enum tr_status status =
        tr_solid_mesh_parse(resource->bytes, resource->size_bytes, "\"mesh\"", &solid->mesh, &refusal);

    if (status != TR_OK)
        return tr_fail(fold->metres->error, status, "%s: %s", fold->metres->where, refusal.text);
    for (int i = 0; i < 3; i++) {
        solid->min[i] = solid->mesh.min[i];
        solid->max[i] = solid->mesh.max[i];
        longest = tr_greatest(longest, solid->max[i] - solid->min[i]);
    }
    status = tr_fold_convert_length(fold, "mesh", longest * map->factor, &cell);
    solid->cell =
        written->more->has_cell ? *tr_written_values(written, "cell") : longest / TR_SHAPE_CELLS_DEFAULT;
    if (status == TR_OK)
        status = tr_fold_convert_length(fold, "cell", solid->cell * map->factor, &cell);
    if (status == TR_OK && !(cell >= TR_SHAPE_ENDS_MIN))
        status = tr_fail(fold->metres->error, TR_BAD_INPUT,
                         "%s: \"cell\" of a mesh must be at least 2^-20 voxels after transforms",
                         fold->metres->where);
    if (status != TR_OK)
        return status;
    solid->margin = (uint32_t)tr_least(ceil(TR_SHAPE_BAND / cell), TR_MESH_MARGIN_MAX);
    solid->source = tr_hash_bytes(resource->bytes, resource->size_bytes);
    return check_samples(fold, solid);
}

static enum tr_status fold_solid(struct tr_fold *fold, const struct tr_map *map, uint32_t index,
                                 uint32_t *which)
{
    struct tr_tree *tree = fold->tree;
    enum tr_status status;

    for (*which = 0; *which < tree->solid_count; (*which)++)
        if (tree->solids[*which].written == index)
            return TR_OK;
    status = tr_grow(&tree->solids, &fold->solid_capacity, (size_t)tree->solid_count + 1,
                     sizeof *tree->solids, fold->metres->error);
    if (status != TR_OK)
        return status;
    tree->solid_count++; /* released with the tree, whatever becomes of it */
    tree->solids[*which].written = index;
    return read_solid(fold, map, &fold->shape->nodes[index], &tree->solids[*which]);
}

static enum tr_status add_mesh(struct tr_fold *fold, const struct tr_map *map, uint32_t index)
{
    struct tr_tree_node *node;
    const struct tr_tree_solid *solid;
    double mapped[3], first[3], unused[3];
    enum tr_status status = tr_fold_add(fold, TR_SHAPE_MESH, 1, &node);

    if (status == TR_OK)
        status = fold_solid(fold, map, index, &node->first);
    for (int end = 0; end < 2 && status == TR_OK; end++) {
        tr_map_place(map,
                     end == 0 ? fold->tree->solids[node->first].min : fold->tree->solids[node->first].max,
                     mapped);
        status = tr_fold_convert_place(fold, "mesh", mapped, unused);
    }
    if (status != TR_OK)
        return status;
    solid = &fold->tree->solids[node->first];
    for (int i = 0; i < 3; i++)
        first[i] = tr_solid_first(solid, i);
    tr_map_place(map, first, mapped);
    for (int i = 0; i < 3; i++)
        node->a[i] = node->b[i] = mapped[i] / fold->metres->voxel_size;
    set_rows(node, map);
    node->size[0] = solid->cell * map->factor / fold->metres->voxel_size;
    return TR_OK;
}

/* Appends primitive `index` of the shape as the map has it. */
enum tr_status tr_fold_add_primitive(struct tr_fold *fold, uint32_t index)
{
    const struct tr_shape_node *written = &fold->shape->nodes[index];
    const struct tr_map *map = tr_fold_map(fold);
    double voxels[TR_SHAPE_VALUES_MAX] = {0};
    struct tr_tree_node *node;
    enum tr_status status = tr_fold_convert(fold, map, written, voxels);

    if (status != TR_OK)
        return status;
    switch (written->kind) {
    case TR_SHAPE_ROUNDED_BOX:
        return add_rounded_box(fold, map, voxels);
    case TR_SHAPE_PRISM:
    case TR_SHAPE_PYRAMID:
    case TR_SHAPE_OCTAHEDRON:
        return add_polyhedron(fold, map, written);
    case TR_SHAPE_TUBE:
        return add_tube(fold, map, written);
    case TR_SHAPE_HEIGHT_MAP:
        return add_height_map(fold, map, index, voxels);
    case TR_SHAPE_MESH:
        return add_mesh(fold, map, index);
    default:
        status = tr_fold_add(fold, written->kind, 1, &node);
        return status == TR_OK ? set_primitive(fold, node, map, voxels) : status;
    }
}
