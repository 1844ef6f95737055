/* The error of a tile, by branch and bound over its cells. See tile_error.h.
 *
 * Triangles are sorted by their cell's y, z, x (of a height tile z, x: a cell there has no height). `first` tells where a row (y, z) begins and
 * `columns` each triangle's x, so a cell is found by bisection and empty ones take no room. From a point's own cell the search goes out in
 * square shells, until no triangle farther out can be nearer than what was found, or until what was found is near enough.
 *
 * Rounding. Positions and the normal of a triangle are whole numbers that a double holds; what is computed from them is off by less than
 * 2^-20 units. Bounds of cells are only trusted with a margin far above that, so whatever is left out would not have been the least. */
#include "lib/mesh/tile_error.h"

#include "lib/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tr_tile_error {
    int32_t (*vertices)[3];
    uint32_t (*triangles)[3];
    uint8_t *columns;
    uint32_t *first;
    uint32_t triangle_count;
    bool is_flat;  /* heights: cells have no height, and there is one row of y */
    int32_t units; /* a cell's width */
    int32_t cells[3];
    uint32_t last_nearest; /* the triangle that was nearest to the last point */
    double greatest;       /* squared */
};

/* ---- distances ---- */

struct vector {
    double x, y, z;
};

static struct vector minus(struct vector a, struct vector b)
{
    return (struct vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector cross(struct vector a, struct vector b)
{
    return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double lesser(double a, double b)
{
    return b < a ? b : a;
}

/* From the origin to the segment from a to b, squared. */
static double segment_distance(struct vector a, struct vector b)
{
    const struct vector way = minus(b, a);
    const double length = dot(way, way), at = -dot(a, way);
    if (at <= 0)
        return dot(a, a);
    if (at >= length)
        return dot(b, b);
    const double t = at / length;
    const struct vector nearest = {a.x + t * way.x, a.y + t * way.y, a.z + t * way.z};
    return dot(nearest, nearest);
}

/* From the origin to a triangle, squared: to its plane if the origin lies above or below it, else to its sides. */
static double triangle_distance(struct vector a, struct vector b, struct vector c)
{
    const struct vector ab = minus(b, a), bc = minus(c, b), ca = minus(a, c);
    const struct vector normal = cross(ab, bc);
    const double area = dot(normal, normal);
    if (area > 0 && dot(normal, cross(a, ab)) >= 0 && dot(normal, cross(b, bc)) >= 0 &&
        dot(normal, cross(c, ca)) >= 0) {
        const double height = dot(normal, a);
        return height * height / area;
    }
    return lesser(segment_distance(a, b), lesser(segment_distance(b, c), segment_distance(c, a)));
}

static struct vector corner_from(const int32_t corner[3], const int32_t point[3])
{
    return (struct vector){(double)corner[0] - point[0], (double)corner[1] - point[1],
                           (double)corner[2] - point[2]};
}

/* ---- the index ---- */

/* One state for each side, which its surface parts agree on: `same` where it has parts for that. Parts away from a side take any state. */
static void choose_states(const struct tr_tile_mesh *tile, uint8_t states[TR_SIDES])
{
    for (int side = 0; side < TR_SIDES; side++) {
        uint32_t occurring = 0;
        for (uint32_t i = 0; i < tile->part_count; i++) {
            const struct tr_tile_part *part = &tile->parts[i];
            if (part->face == TR_PART_SURFACE && part->states[side] != TR_SIDE_ANY)
                occurring |= part->states[side];
        }
        const uint32_t lowest = occurring & (~occurring + 1);
        states[side] = occurring ? (uint8_t)lowest : TR_SIDE_SAME;
    }
}

/* Copies the surface's triangles in the tile's order. */
static enum tr_status copy_surface(const struct tr_tile_mesh *tile, struct tr_tile_error *measure,
                                   struct tr_error *error)
{
    uint8_t states[TR_SIDES];
    uint32_t count = 0;
    choose_states(tile, states);
    measure->vertices = tr_alloc(tile->vertex_count, sizeof *measure->vertices, error);
    measure->triangles = tr_alloc(tile->index_count / 3, sizeof *measure->triangles, error);
    if (!measure->vertices || !measure->triangles)
        return TR_IO;
    for (uint32_t i = 0; i < tile->vertex_count; i++) {
        measure->vertices[i][0] = tile->vertices[i].x;
        measure->vertices[i][1] = tile->vertices[i].y;
        measure->vertices[i][2] = tile->vertices[i].z;
    }
    for (uint32_t i = 0; i < tile->part_count; i++) {
        const struct tr_tile_part *part = &tile->parts[i];
        if (part->face != TR_PART_SURFACE || !tr_tile_part_is_drawn(part, states) || part->index_count == 0)
            continue;
        memcpy(measure->triangles + count, tile->indices + part->first_index,
               part->index_count * sizeof *tile->indices);
        count += part->index_count / 3;
    }
    measure->triangle_count = count;
    return TR_OK;
}

/* The cell along an axis of a coordinate, the nearest one beyond the tile. */
static int32_t cell_along(const struct tr_tile_error *measure, int axis, int32_t at)
{
    if (at < 0 || (axis == 1 && measure->is_flat))
        return 0;
    const int32_t cell = at / measure->units;
    return cell < measure->cells[axis] ? cell : measure->cells[axis] - 1;
}

/* The number of a triangle's cell. */
static uint32_t cell_of(const struct tr_tile_error *measure, const uint32_t triangle[3])
{
    int32_t cell[3];
    for (int axis = 0; axis < 3; axis++) {
        int32_t least = INT32_MAX;
        for (int c = 0; c < 3; c++) {
            const int32_t at = measure->vertices[triangle[c]][axis];
            least = at < least ? at : least;
        }
        cell[axis] = cell_along(measure, axis, least);
    }
    return (uint32_t)((cell[1] * measure->cells[2] + cell[2]) * measure->cells[0] + cell[0]);
}

/* Sorts the triangles by cell, and notes where the rows begin. */
static enum tr_status sort_triangles(struct tr_tile_error *measure, struct tr_error *error)
{
    const uint32_t count = measure->triangle_count, row_cells = (uint32_t)measure->cells[0];
    const uint32_t rows = (uint32_t)(measure->cells[1] * measure->cells[2]);
    uint32_t *next = tr_alloc((size_t)rows * row_cells + 1, sizeof *next, error);
    uint32_t(*sorted)[3] = tr_alloc(count, sizeof *sorted, error);
    enum tr_status status = TR_IO;

    measure->columns = tr_alloc(count, sizeof *measure->columns, error);
    measure->first = tr_alloc((size_t)rows + 1, sizeof *measure->first, error);
    if (!next || !sorted || !measure->columns || !measure->first)
        goto done;
    for (uint32_t i = 0; i < count; i++)
        next[cell_of(measure, measure->triangles[i]) + 1]++;
    for (uint32_t cell = 0; cell < rows * row_cells; cell++)
        next[cell + 1] += next[cell];
    for (uint32_t row = 0; row <= rows; row++)
        measure->first[row] = next[row * row_cells];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t cell = cell_of(measure, measure->triangles[i]);
        const uint32_t to = next[cell]++;
        memcpy(sorted[to], measure->triangles[i], sizeof *sorted);
        measure->columns[to] = (uint8_t)(cell % row_cells);
    }
    free(measure->triangles);
    measure->triangles = sorted;
    sorted = NULL;
    status = TR_OK;
done:
    free(next);
    free(sorted);
    return status;
}

enum tr_status tr_tile_error_create(const struct tr_tile_mesh *tile, struct tr_tile_error **out,
                                    struct tr_error *error)
{
    struct tr_tile_error *measure = tr_alloc(1, sizeof *measure, error);
    if (!measure)
        return TR_IO;
    measure->is_flat = tile->kind == TR_TILE_HEIGHTS;
    measure->units = TR_UNITS << tile->lod;
    for (int axis = 0; axis < 3; axis++)
        measure->cells[axis] = tile->size[axis] / measure->units;
    if (measure->is_flat)
        measure->cells[1] = 1;
    if (copy_surface(tile, measure, error) || sort_triangles(measure, error)) {
        tr_tile_error_free(measure);
        return TR_IO;
    }
    *out = measure;
    return TR_OK;
}

void tr_tile_error_free(struct tr_tile_error *measure)
{
    if (!measure)
        return;
    free(measure->vertices);
    free(measure->triangles);
    free(measure->columns);
    free(measure->first);
    free(measure);
}

/* ---- the search ---- */

struct search {
    struct tr_tile_error *measure;
    const int32_t *point;
    int32_t cell[3]; /* the point's own, or the nearest to it */
    double least;    /* squared distance found so far */
};

static bool is_settled(const struct search *search)
{
    return search->least <= search->measure->greatest;
}

/* Whether triangles at this squared distance or more cannot be nearer than what was found. */
static bool is_too_far(const struct search *search, double bound)
{
    return bound > search->least * (1 + 0x1p-20) + 1;
}

static void try_triangle(struct search *search, uint32_t i)
{
    const struct tr_tile_error *measure = search->measure;
    const uint32_t *corners = measure->triangles[i];
    const double distance = triangle_distance(corner_from(measure->vertices[corners[0]], search->point),
                                              corner_from(measure->vertices[corners[1]], search->point),
                                              corner_from(measure->vertices[corners[2]], search->point));
    if (distance < search->least) {
        search->least = distance;
        search->measure->last_nearest = i;
    }
}

/* The distance along an axis to a cell, squared. */
static double axis_distance(const struct search *search, int axis, int32_t cell)
{
    const double low = (double)cell * search->measure->units, at = search->point[axis];
    const double high = low + search->measure->units;
    const double distance = at < low ? low - at : at > high ? at - high : 0;
    return axis == 1 && search->measure->is_flat ? 0 : distance * distance;
}

/* Tries the triangles of cells low .. high of a row, whose squared distance is given. */
static void try_cells(struct search *search, uint32_t row, double row_distance, int32_t low, int32_t high)
{
    const struct tr_tile_error *measure = search->measure;
    uint32_t i = measure->first[row], end = measure->first[row + 1];
    for (uint32_t span = end - i; span > 0;) { /* to the first triangle not before `low` */
        const uint32_t half = span / 2;
        const bool is_before = measure->columns[i + half] < low;
        i += is_before ? half + 1 : 0;
        span = is_before ? span - half - 1 : half;
    }
    for (; i < end && measure->columns[i] <= high && !is_settled(search); i++) {
        if (!is_too_far(search, row_distance + axis_distance(search, 0, measure->columns[i])))
            try_triangle(search, i);
    }
}

/* Tries a row's cells in the shell: all within the radius where the row itself is at the radius, else the two at the ends. */
static void try_row(struct search *search, int32_t y, int32_t z, int32_t radius)
{
    const struct tr_tile_error *measure = search->measure;
    const uint32_t row = (uint32_t)(y * measure->cells[2] + z);
    const int32_t low = search->cell[0] - radius, high = search->cell[0] + radius;
    if (measure->first[row] == measure->first[row + 1])
        return;
    const double distance = axis_distance(search, 1, y) + axis_distance(search, 2, z);
    if (is_too_far(search, distance))
        return;
    if (abs(y - search->cell[1]) == radius || abs(z - search->cell[2]) == radius) {
        try_cells(search, row, distance, low, high);
        return;
    }
    try_cells(search, row, distance, low, low);
    try_cells(search, row, distance, high, high);
}

static int32_t clamp_to(int32_t value, int32_t end)
{
    return value < 0 ? 0 : value < end ? value : end - 1;
}

static void try_shell(struct search *search, int32_t radius)
{
    const int32_t *cells = search->measure->cells, *cell = search->cell;
    const int32_t y_last = clamp_to(cell[1] + radius, cells[1]),
                  z_last = clamp_to(cell[2] + radius, cells[2]);
    for (int32_t y = clamp_to(cell[1] - radius, cells[1]); y <= y_last; y++) {
        for (int32_t z = clamp_to(cell[2] - radius, cells[2]); z <= z_last && !is_settled(search); z++)
            try_row(search, y, z, radius);
    }
}

/* The squared distance to the cells beyond a shell; infinite where there are none. */
static double distance_beyond(const struct search *search, int32_t radius)
{
    double least = HUGE_VAL;
    for (int axis = 0; axis < 3; axis++) {
        const int32_t below = search->cell[axis] - radius - 1, above = search->cell[axis] + radius + 1;
        if (below >= 0)
            least = lesser(least, axis_distance(search, axis, below));
        if (above < search->measure->cells[axis])
            least = lesser(least, axis_distance(search, axis, above));
    }
    return least;
}

static void add_point(struct tr_tile_error *measure, const int32_t point[3])
{
    struct search search = {.measure = measure, .point = point, .least = HUGE_VAL};
    for (int axis = 0; axis < 3; axis++)
        search.cell[axis] = cell_along(measure, axis, point[axis]);
    try_shell(&search, 0);
    if (search.least == HUGE_VAL) /* points come side by side, and so do the triangles near them */
        try_triangle(&search, measure->last_nearest);
    for (int32_t radius = 0; !is_settled(&search); radius++) {
        const double beyond = distance_beyond(&search, radius);
        if (beyond == HUGE_VAL || is_too_far(&search, beyond)) {
            measure->greatest = search.least;
            return;
        }
        try_shell(&search, radius + 1);
    }
}

void tr_tile_error_add(struct tr_tile_error *measure, const int32_t (*points)[3], size_t count)
{
    if (measure->triangle_count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        add_point(measure, points[i]);
}

uint32_t tr_tile_error_result(const struct tr_tile_error *measure)
{
    const double distance = sqrt(measure->greatest);
    const uint32_t whole = (uint32_t)distance;
    return whole + (whole < distance);
}
