/* The vertices of a height column's side between those of its grid, by the kind and LOD of what lies beyond. See height_tile.h.
 *
 * The side's plane belongs to the column's closed footprint, so the lattices show a height field there: from one corner of a cell to the
 * next it rises or falls, and each horizontal line between the two heights is crossed once, those farther from the lower corner at greater
 * height. Steep ground may cross several lines at one place along the side; so the order is that of the lines, never that of the places. */
#include "lib/mesh/height_tile.h"

#include "lib/base/alloc.h"

#include <stdlib.h>

void tr_height_border_release(struct tr_height_border *border)
{
    free(border->first);
    free(border->vertices);
    free(border->materials);
    *border = (struct tr_height_border){0};
}

/* A border while it grows. */
struct builder {
    struct tr_height_border made;
    uint32_t count;
    size_t vertex_capacity, material_capacity;
    bool has_materials;
};

static enum tr_status add_vertex(struct builder *builder, tr_vertex vertex, uint8_t material,
                                 struct tr_error *error)
{
    const size_t needed = (size_t)builder->count + 1;
    struct tr_height_border *made = &builder->made;
    if (tr_grow(&made->vertices, &builder->vertex_capacity, needed, sizeof *made->vertices, error))
        return TR_IO;
    if (builder->has_materials) {
        if (tr_grow(&made->materials, &builder->material_capacity, needed, sizeof *made->materials, error))
            return TR_IO;
        made->materials[builder->count] = material;
    }
    made->vertices[builder->count++] = vertex;
    return TR_OK;
}

static void reverse_from(struct builder *builder, uint32_t first)
{
    struct tr_height_border *made = &builder->made;
    for (uint32_t low = first, high = builder->count; low + 1 < high; low++) {
        high--;
        const tr_vertex vertex = made->vertices[low];
        made->vertices[low] = made->vertices[high];
        made->vertices[high] = vertex;
        if (builder->has_materials) {
            const uint8_t material = made->materials[low];
            made->materials[low] = made->materials[high];
            made->materials[high] = material;
        }
    }
}

/* Hands the border over; one that splits no cell has no arrays. */
static void finish(struct builder *builder, struct tr_height_border *border)
{
    if (builder->count == 0)
        tr_height_border_release(&builder->made);
    *border = builder->made;
}

/* ---- crossings ---- */

/* A column's plane at one of its sides, whose corner lies at (x, z) in units. */
struct side_plane {
    const struct tr_lattice_column *column;
    uint32_t width;
    uint32_t side;
    int32_t x, z;
};

static uint32_t axis_across(uint32_t side)
{
    return side < 2 ? 0 : 2;
}

static uint32_t axis_along(uint32_t side)
{
    return 2 - axis_across(side);
}

/* The sample of the side's plane at `at` along it, on line y. */
static void sample_on_side(const struct tr_lattice *lattice, uint32_t side, uint32_t at, uint32_t y,
                           uint32_t sample[3])
{
    sample[axis_across(side)] = side & 1 ? lattice->cells[axis_across(side)] : 0;
    sample[1] = y;
    sample[axis_along(side)] = at;
}

/* Adds the crossings of one tile row's lines first_y .. cells[1] within a cell, in order of y; its lowest corner lies at `low_y`. Sets *falls
 * where there is one to whether the ground falls along the side. */
static enum tr_status add_row_crossings(struct builder *builder, const struct side_plane *plane,
                                        const struct tr_lattice *lattice, uint32_t cell, uint32_t first_y,
                                        int32_t low_y, bool *falls, struct tr_error *error)
{
    for (uint32_t y = first_y; y <= lattice->cells[1]; y++) {
        uint32_t s[3];
        sample_on_side(lattice, plane->side, cell, y, s);
        const uint32_t found = tr_lattice_vertex(lattice, axis_along(plane->side), s[0], s[1], s[2]);
        if (found == UINT32_MAX)
            continue;
        tr_vertex vertex = lattice->vertices[found];
        vertex.x += plane->x;
        vertex.y += low_y;
        vertex.z += plane->z;
        if (add_vertex(builder, vertex, lattice->materials ? lattice->materials[found] : 0, error))
            return TR_IO;
        *falls = tr_lattice_is_solid(lattice, s[0], s[1], s[2]);
    }
    return TR_OK;
}

/* Adds the crossings within a cell, in order along the side. The line between two tile rows is in the lattices of both and taken from the
 * lower one. */
static enum tr_status add_crossings(struct builder *builder, const struct side_plane *plane, uint32_t cell,
                                    struct tr_error *error)
{
    const struct tr_lattice_column *column = plane->column;
    const uint32_t first = builder->count;
    bool falls = false;
    for (uint32_t i = 0; i < column->count; i++) {
        const struct tr_lattice *lattice = column->lattices[i];
        if (lattice->vertex_count == 0)
            continue;
        const int32_t row_units = (int32_t)(plane->width * TR_UNITS << lattice->lod);
        const int32_t low_y = (column->first_row + (int32_t)i) * row_units;
        if (add_row_crossings(builder, plane, lattice, cell, i > 0, low_y, &falls, error))
            return TR_IO;
    }
    if (falls)
        reverse_from(builder, first);
    return TR_OK;
}

static bool column_has_materials(const struct tr_lattice_column *column)
{
    for (uint32_t i = 0; i < column->count; i++) {
        if (column->lattices[i]->materials)
            return true;
    }
    return false;
}

enum tr_status tr_height_border_crossings(const struct tr_lattice_column *column, uint32_t width,
                                          uint32_t side, struct tr_height_border *border,
                                          struct tr_error *error)
{
    struct builder builder = {.has_materials = column_has_materials(column)};
    const struct side_plane plane = {.column = column, .width = width, .side = side};
    const uint32_t cells = column->count > 0 ? column->lattices[0]->cells[axis_along(side)] : 0;
    enum tr_status status = TR_IO;

    builder.made.first = tr_alloc(cells + 1, sizeof *builder.made.first, error);
    if (!builder.made.first)
        goto done;
    for (uint32_t cell = 0; cell < cells; cell++) {
        if (add_crossings(&builder, &plane, cell, error))
            goto done;
        builder.made.first[cell + 1] = builder.count;
    }
    status = TR_OK;
done:
    if (status)
        builder.count = 0;
    finish(&builder, border);
    return status;
}

/* ---- finer neighbours ---- */

/* The children on a side, in order along it; of the second NULL where the world's edge cuts it off. */
struct side_children {
    const struct tr_height_grid *grids[2];
    uint32_t numbers[2];
};

static struct side_children children_on_side(const struct tr_height_grid *const children[4], uint32_t side)
{
    const uint32_t bit_across = side < 2 ? 1 : 2, bit_along = 3 - bit_across;
    const uint32_t near = side & 1 && children[bit_across] ? bit_across : 0;
    return (struct side_children){{children[near], children[near | bit_along]}, {near, near | bit_along}};
}

static uint32_t cells_on_side(const struct tr_height_grid *grid, uint32_t side)
{
    return grid->cells[axis_along(side) / 2];
}

/* The line of a grid at `at` along its side. */
static size_t line_on_side(const struct tr_height_grid *grid, uint32_t side, uint32_t at)
{
    const uint32_t x_last = grid->cells[0], z_last = grid->cells[1];
    const uint32_t x = side == 0 ? 0 : side == 1 ? x_last : at;
    const uint32_t z = side == 2 ? 0 : side == 3 ? z_last : at;
    return (size_t)z * (x_last + 1) + x;
}

/* Adds the vertex in the middle of a cell, which is on line `at` of the child. */
static enum tr_status add_midpoint(struct builder *builder, const struct tr_height_grid *child,
                                   const struct side_plane *plane, uint32_t at, struct tr_error *error)
{
    const size_t line = line_on_side(child, plane->side, at);
    tr_vertex vertex = child->vertices[line];
    vertex.x += plane->x;
    vertex.z += plane->z;
    return add_vertex(builder, vertex, child->materials ? child->materials[line] : 0, error);
}

/* Adds the vertices of the half of the side that one child makes up: cells first_cell and on of the parent. */
static enum tr_status add_half(struct builder *builder, const struct tr_height_grid *child,
                               const struct side_plane *plane, bool is_marched, uint32_t first_cell,
                               struct tr_error *error)
{
    const uint32_t cells = cells_on_side(child, plane->side) / 2;
    for (uint32_t i = 0; i < cells; i++) {
        if (is_marched && add_crossings(builder, plane, 2 * i, error))
            return TR_IO;
        if (add_midpoint(builder, child, plane, 2 * i + 1, error))
            return TR_IO;
        if (is_marched && add_crossings(builder, plane, 2 * i + 1, error))
            return TR_IO;
        builder->made.first[first_cell + i + 1] = builder->count;
    }
    return TR_OK;
}

enum tr_status tr_height_border_finer(const struct tr_height_grid *const children[4],
                                      const struct tr_lattice_column columns[4], uint32_t width,
                                      uint32_t side, const bool marched[2], struct tr_height_border *border,
                                      struct tr_error *error)
{
    const struct side_children beside = children_on_side(children, side);
    const int32_t child_units = (int32_t)(width * TR_UNITS << children[0]->lod);
    struct builder builder = {0};
    uint32_t cells = 0;
    enum tr_status status = TR_IO;

    for (uint32_t half = 0; half < 2; half++) {
        const struct tr_height_grid *child = beside.grids[half];
        if (!child)
            continue;
        cells += cells_on_side(child, side) / 2;
        builder.has_materials |= child->materials != NULL;
        builder.has_materials |= marched[half] && column_has_materials(&columns[beside.numbers[half]]);
    }
    builder.made.first = tr_alloc(cells + 1, sizeof *builder.made.first, error);
    if (!builder.made.first)
        goto done;
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t number = beside.numbers[half];
        const struct side_plane plane = {.column = &columns[number],
                                         .width = width,
                                         .side = side,
                                         .x = (int32_t)(number & 1) * child_units,
                                         .z = (int32_t)(number >> 1) * child_units};
        if (beside.grids[half] &&
            add_half(&builder, beside.grids[half], &plane, marched[half], half * width / 2, error))
            goto done;
    }
    status = TR_OK;
done:
    if (status)
        builder.count = 0;
    finish(&builder, border);
    return status;
}
