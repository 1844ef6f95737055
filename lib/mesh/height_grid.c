/* The grid of a height column, from heights or from four finer grids. See height_tile.h. */
#include "lib/mesh/height_tile.h"

#include "lib/base/alloc.h"
#include "shaders/height_vertex.h"

#include <stdlib.h>

void tr_height_grid_release(struct tr_height_grid *grid)
{
    free(grid->vertices);
    free(grid->materials);
    *grid = (struct tr_height_grid){0};
}

static size_t line_count(const uint32_t cells[2])
{
    return (size_t)(cells[0] + 1) * (cells[1] + 1);
}

static enum tr_status take_lines(const uint32_t cells[2], bool has_materials, struct tr_height_grid *grid,
                                 struct tr_error *error)
{
    grid->vertices = tr_alloc(line_count(cells), sizeof *grid->vertices, error);
    if (has_materials)
        grid->materials = tr_alloc(line_count(cells), sizeof *grid->materials, error);
    return grid->vertices && (grid->materials || !has_materials) ? TR_OK : TR_IO;
}

enum tr_status tr_height_grid_from_heights(const int32_t *heights, uint32_t pitch, const uint32_t cells[2],
                                           struct tr_height_grid *grid, struct tr_error *error)
{
    struct tr_height_grid made = {.cells = {cells[0], cells[1]}};
    if (take_lines(cells, false, &made, error)) {
        tr_height_grid_release(&made);
        return TR_IO;
    }
    tr_vertex *out = made.vertices;
    for (uint32_t z = 0; z <= cells[1]; z++) {
        const int32_t *north = heights + (size_t)z * pitch + 1;
        const int32_t *row = north + pitch, *south = row + pitch;
        for (uint32_t x = 0; x <= cells[0]; x++)
            *out++ = tr_height_vertex((int)x, (int)z, row[x], row[(ptrdiff_t)x - 1], row[x + 1], north[x],
                                      south[x]);
    }
    *grid = made;
    return TR_OK;
}

/* ---- coarser ---- */

/* Cells of the children together along an axis of the grid (0 x, 1 z). */
static uint32_t cells_along(const struct tr_height_grid *const children[4], uint32_t axis)
{
    const struct tr_height_grid *second = children[1u << axis];
    return children[0]->cells[axis] + (second ? second->cells[axis] : 0);
}

static bool have_materials(const struct tr_height_grid *const children[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        if (children[i] && children[i]->materials)
            return true;
    }
    return false;
}

/* Of the parent's lines those on lines of child i; what children share is the same in each. */
static void select_lines(const struct tr_height_grid *child, uint32_t i, uint32_t width,
                         struct tr_height_grid *parent)
{
    const uint32_t first_x = (i & 1) * width / 2, first_z = (i >> 1) * width / 2;
    const int32_t corner_x = (int32_t)(first_x * TR_UNITS << parent->lod),
                  corner_z = (int32_t)(first_z * TR_UNITS << parent->lod);
    for (uint32_t z = 0; z <= child->cells[1] / 2; z++) {
        for (uint32_t x = 0; x <= child->cells[0] / 2; x++) {
            const size_t from = (size_t)2 * z * (child->cells[0] + 1) + (size_t)2 * x;
            const size_t to = (size_t)(first_z + z) * (parent->cells[0] + 1) + first_x + x;
            tr_vertex vertex = child->vertices[from];
            vertex.x += corner_x;
            vertex.z += corner_z;
            parent->vertices[to] = vertex;
            if (child->materials)
                parent->materials[to] = child->materials[from];
        }
    }
}

enum tr_status tr_height_grid_reduce(const struct tr_height_grid *const children[4], uint32_t width,
                                     struct tr_height_grid *parent, struct tr_error *error)
{
    struct tr_height_grid made = {.lod = children[0]->lod + 1,
                                  .cells = {cells_along(children, 0) / 2, cells_along(children, 1) / 2}};
    if (take_lines(made.cells, have_materials(children), &made, error)) {
        tr_height_grid_release(&made);
        return TR_IO;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (children[i])
            select_lines(children[i], i, width, &made);
    }
    *parent = made;
    return TR_OK;
}

/* ---- normals ---- */

/* The lattices' vertex on the vertical line (x, z) at the height of `vertex`; NULL where no row has it. It lies on no sample, so its height
 * names one edge of the line. */
static const tr_vertex *find_in_column(const struct tr_lattice_column *column, uint32_t width, uint32_t lod,
                                       uint32_t x, uint32_t z, int32_t height)
{
    const int64_t edge = (height >> 8) >> lod; /* floor, also below y = 0 */
    const int64_t above_first = edge - (int64_t)column->first_row * width;
    if (above_first < 0 || above_first >= (int64_t)column->count * width)
        return NULL;
    const struct tr_lattice *lattice = column->lattices[above_first / width];
    const uint32_t found = tr_lattice_vertex(lattice, 1, x, (uint32_t)(above_first % width), z);
    return found == UINT32_MAX ? NULL : lattice->vertices + found;
}

void tr_height_grid_take_normals(struct tr_height_grid *grid, const struct tr_lattice_column *column,
                                 uint32_t width)
{
    tr_vertex *vertex = grid->vertices;
    for (uint32_t z = 0; z <= grid->cells[1]; z++) {
        for (uint32_t x = 0; x <= grid->cells[0]; x++, vertex++) {
            if (x > 0 && z > 0 && x < grid->cells[0] && z < grid->cells[1])
                continue;
            const tr_vertex *found = find_in_column(column, width, grid->lod, x, z, vertex->y);
            if (found)
                vertex->normal = found->normal;
        }
    }
}
