/* Makes a solid of a surface that is open in the world's sides: each side is filled exactly where it cuts ground, a floor closes the
 * bottom. The surface itself is not touched: its open edges get the opposite edge that they lack, no vertex is added to them.
 *
 *        D---------C      corners A (0, 0), B (x, 0), C (x, z), D (0, z), seen from below; under each a floor vertex A'..D'.
 *        |  z      |      A side's plane is (u, y) as seen from outside, u to the right: D to C, C to B, B to A, A to D.
 *        |  ^      |
 *        |  +-> x  |      The region to fill has as boundary: the surface's open edges in the side, turned round; up the right corner
 *        A---------B      and down the left one, the stretches that lie in ground; the floor's edge, left to right.
 *
 * Which stretches of a corner lie in ground follows from counting: there the surface crosses from air to ground and back at each of its
 * vertices, and above the last is air. So an odd number means ground below the first, down to the floor. The two sides at a corner use
 * the same stretches in opposite directions, and sides and floor the same four edges, so the whole is closed: overhangs, caves that break
 * out of a side or of a corner, and ground that floats, included. The floor is two triangles; triangles of walls can be long and thin, but all have area.
 *
 * An open edge that does not lie in one side, or a boundary that branches, means that the surface was not closed: an error. */
#include "lib/pack/export_parts.h"

#include "lib/base/alloc.h"

#include <stdlib.h>

#define SMALL_SORT 24 /* edges at a vertex up to which inserting is faster than qsort */

struct edge {
    uint32_t from, to; /* vertices */
};

struct edges {
    struct edge *list;
    size_t count, capacity;
};

static enum tr_status edges_add(struct edges *edges, uint32_t from, uint32_t to, struct tr_error *error)
{
    enum tr_status status =
        tr_grow(&edges->list, &edges->capacity, edges->count + 1, sizeof *edges->list, error);

    if (status == TR_OK)
        edges->list[edges->count++] = (struct edge){from, to};
    return status;
}

static enum tr_status fail_at(const struct tr_surface *surface, uint32_t vertex, const char *what,
                              struct tr_error *error)
{
    const int32_t *xyz = surface->xyz[vertex];

    return tr_fail(error, TR_BAD_INPUT, "%s at voxel (%.9g, %.9g, %.9g), expected a closed mesh", what,
                   xyz[0] / (double)TR_UNITS, xyz[1] / (double)TR_UNITS, xyz[2] / (double)TR_UNITS);
}

/* ---- the open edges ---- */

static int u32_compare(const void *a, const void *b)
{
    uint32_t ua = *(const uint32_t *)a, ub = *(const uint32_t *)b;

    return (ua > ub) - (ua < ub);
}

static void sort_u32(uint32_t *values, size_t count)
{
    if (count > SMALL_SORT) {
        qsort(values, count, sizeof *values, u32_compare);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        uint32_t value = values[i];
        size_t at = i;

        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

/* The edges between `vertex` and higher vertices, each as 2 * other, + 1 where it runs from other to vertex. */
static enum tr_status open_edges_at(const struct tr_surface *surface, uint32_t vertex, uint32_t *entries,
                                    size_t count, struct edges *open, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    sort_u32(entries, count);
    for (size_t i = 0; i < count && status == TR_OK;) {
        uint32_t other = entries[i] >> 1, backward = entries[i] & 1;
        size_t same = 1;

        while (i + same < count && entries[i + same] >> 1 == other)
            same++;
        if (same > 2 || (same == 2 && entries[i] == entries[i + 1]))
            return fail_at(surface, vertex, "an edge of more than two triangles", error);
        if (same == 1)
            status = backward ? edges_add(open, other, vertex, error) : edges_add(open, vertex, other, error);
        i += same;
    }
    return status;
}

static enum tr_status find_open_edges(const struct tr_surface *surface, struct edges *open,
                                      struct tr_error *error)
{
    size_t *first = tr_alloc(surface->vertex_count + 2, sizeof *first, error);
    uint32_t *entries = first ? tr_alloc(surface->index_count, sizeof *entries, error) : NULL;
    enum tr_status status = entries ? TR_OK : TR_IO;

    /* counting sort by the lower vertex: first[v + 1] counts, then points behind v's entries while they are filled in */
    for (size_t pass = 0; pass < 2 && status == TR_OK; pass++) {
        for (size_t k = 0; k < surface->index_count; k++) {
            uint32_t from = surface->indices[k], to = surface->indices[k % 3 == 2 ? k - 2 : k + 1];
            uint32_t low = from < to ? from : to, high = from < to ? to : from;

            if (pass == 0)
                first[low + 2]++;
            else
                entries[first[low + 1]++] = high << 1 | (from > to);
        }
        for (size_t v = 1; v < surface->vertex_count + 2 && pass == 0; v++)
            first[v] += first[v - 1];
    }
    for (size_t v = 0; v < surface->vertex_count && status == TR_OK; v++)
        status =
            open_edges_at(surface, (uint32_t)v, entries + first[v], first[v + 1] - first[v], open, error);
    free(first);
    free(entries);
    return status;
}

/* ---- the sides ---- */

enum { SIDES = 4, CORNERS = 4 };

/* How a side lies: the axis that is constant, whether at its upper end, and the corners at its left and right seen from outside. */
struct side {
    int axis;
    bool upper;
    int u_axis, u_sign;
    int left, right;
};

static const struct side sides[SIDES] = {
    {.axis = 2, .upper = true, .u_axis = 0, .u_sign = 1, .left = 3, .right = 2},
    {.axis = 0, .upper = true, .u_axis = 2, .u_sign = -1, .left = 2, .right = 1},
    {.axis = 2, .upper = false, .u_axis = 0, .u_sign = -1, .left = 1, .right = 0},
    {.axis = 0, .upper = false, .u_axis = 2, .u_sign = 1, .left = 0, .right = 3},
};
static const bool corner_upper[CORNERS][2] = {
    {false, false}, {true, false}, {true, true}, {false, true}}; /* x, z */

struct solid {
    struct tr_surface *surface;
    int32_t size[2]; /* x, z */
    int32_t floor_y;
    struct edges walls[SIDES];     /* boundary of what is to be filled, vertices of the surface */
    struct edges corners[CORNERS]; /* stretches of ground, upward */
    struct tr_error *error;
};

static bool is_in_side(const struct solid *solid, const struct side *side, uint32_t vertex)
{
    return solid->surface->xyz[vertex][side->axis] == (side->upper ? solid->size[side->axis / 2] : 0);
}

/* Which corner a vertex lies on; -1: none. */
static int corner_of(const struct solid *solid, uint32_t vertex)
{
    const int32_t *xyz = solid->surface->xyz[vertex];

    for (int c = 0; c < CORNERS; c++) {
        if (xyz[0] == (corner_upper[c][0] ? solid->size[0] : 0) &&
            xyz[2] == (corner_upper[c][1] ? solid->size[1] : 0))
            return c;
    }
    return -1;
}

static enum tr_status sort_edges_into_sides(struct solid *solid, const struct edges *open)
{
    for (size_t i = 0; i < open->count; i++) {
        struct edge edge = open->list[i];
        int found = -1;
        enum tr_status status;

        for (int s = 0; s < SIDES; s++) {
            if (!is_in_side(solid, &sides[s], edge.from) || !is_in_side(solid, &sides[s], edge.to))
                continue;
            if (found >= 0)
                return fail_at(solid->surface, edge.from, "an open edge along the world's corner",
                               solid->error);
            found = s;
        }
        if (found < 0)
            return fail_at(solid->surface, edge.from, "an open edge inside the world", solid->error);
        status = edges_add(&solid->walls[found], edge.to, edge.from, solid->error);
        if (status != TR_OK)
            return status;
    }
    return TR_OK;
}

/* ---- corners and floor ---- */

static enum tr_status floor_vertex_create(struct solid *solid, int corner, uint32_t *vertex)
{
    struct tr_surface *surface = solid->surface;
    size_t needed = surface->vertex_count + 1;
    enum tr_status status =
        tr_grow(&surface->xyz, &surface->xyz_capacity, needed, sizeof *surface->xyz, solid->error);

    if (status == TR_OK)
        status = tr_grow(&surface->normals, &surface->normal_capacity, needed, sizeof *surface->normals,
                         solid->error);
    if (status != TR_OK)
        return status;
    *vertex = (uint32_t)surface->vertex_count++;
    surface->xyz[*vertex][0] = corner_upper[corner][0] ? solid->size[0] : 0;
    surface->xyz[*vertex][1] = solid->floor_y;
    surface->xyz[*vertex][2] = corner_upper[corner][1] ? solid->size[1] : 0;
    surface->normals[*vertex] = 0x7fffu | 0x7fffu << 16; /* octahedral for straight down */
    return TR_OK;
}

struct height {
    int32_t y;
    uint32_t vertex;
};

static int height_compare(const void *a, const void *b)
{
    const struct height *ha = a, *hb = b;

    if (ha->y != hb->y)
        return ha->y < hb->y ? -1 : 1;
    return (ha->vertex > hb->vertex) - (ha->vertex < hb->vertex);
}

/* The surface's vertices on a corner, from below. Each is met once: as the end of an open edge in the side left of the corner. */
static enum tr_status corner_heights(const struct solid *solid, int corner, struct height **heights,
                                     size_t *count)
{
    size_t capacity = 0;

    *heights = NULL;
    *count = 0;
    for (int s = 0; s < SIDES; s++) {
        if (sides[s].right != corner)
            continue;
        for (size_t i = 0; i < 2 * solid->walls[s].count; i++) {
            const struct edge *edge = &solid->walls[s].list[i / 2];
            uint32_t vertex = i % 2 ? edge->to : edge->from;

            if (corner_of(solid, vertex) != corner)
                continue;
            if (tr_grow(heights, &capacity, *count + 1, sizeof **heights, solid->error))
                return TR_IO;
            (*heights)[(*count)++] = (struct height){.y = solid->surface->xyz[vertex][1], .vertex = vertex};
        }
    }
    if (*count > 0)
        qsort(*heights, *count, sizeof **heights, height_compare);
    return TR_OK;
}

/* Pairs the vertices on a corner into stretches of ground, from the floor if their number is odd. */
static enum tr_status pair_corner(struct solid *solid, int corner, bool *odd, uint32_t *floor_vertex)
{
    struct height *heights;
    size_t count, i = 0;
    enum tr_status status = corner_heights(solid, corner, &heights, &count);

    *odd = count % 2 == 1;
    if (status == TR_OK && *odd) {
        status = floor_vertex_create(solid, corner, floor_vertex);
        if (status == TR_OK)
            status = edges_add(&solid->corners[corner], *floor_vertex, heights[i++].vertex, solid->error);
    }
    for (; i + 1 < count && status == TR_OK; i += 2)
        status = edges_add(&solid->corners[corner], heights[i].vertex, heights[i + 1].vertex, solid->error);
    free(heights);
    return status;
}

static enum tr_status add_triangle(struct solid *solid, uint32_t a, uint32_t b, uint32_t c)
{
    struct tr_surface *surface = solid->surface;
    enum tr_status status = tr_grow(&surface->indices, &surface->index_capacity, surface->index_count + 3,
                                    sizeof *surface->indices, solid->error);

    if (status != TR_OK)
        return status;
    surface->indices[surface->index_count++] = a;
    surface->indices[surface->index_count++] = b;
    surface->indices[surface->index_count++] = c;
    return TR_OK;
}

static enum tr_status add_corners_and_floor(struct solid *solid)
{
    uint32_t floor_vertices[CORNERS] = {0};
    int odd_count = 0;
    enum tr_status status = TR_OK;

    for (int c = 0; c < CORNERS && status == TR_OK; c++) {
        bool odd;

        status = pair_corner(solid, c, &odd, &floor_vertices[c]);
        odd_count += odd;
    }
    if (status != TR_OK || odd_count == 0)
        return status;
    if (odd_count != CORNERS)
        return tr_fail(
            solid->error, TR_BAD_INPUT,
            "ground reaches the floor at %d of the world's 4 corners, expected all or none in a closed mesh",
            odd_count);
    for (int s = 0; s < SIDES && status == TR_OK; s++)
        status = edges_add(&solid->walls[s], floor_vertices[sides[s].left], floor_vertices[sides[s].right],
                           solid->error);
    if (status == TR_OK)
        status = add_triangle(solid, floor_vertices[0], floor_vertices[1], floor_vertices[2]);
    if (status == TR_OK)
        status = add_triangle(solid, floor_vertices[0], floor_vertices[2], floor_vertices[3]);
    return status;
}

/* ---- the walls ---- */

static int edge_compare(const void *a, const void *b)
{
    const struct edge *ea = a, *eb = b;

    if (ea->from != eb->from)
        return ea->from < eb->from ? -1 : 1;
    return (ea->to > eb->to) - (ea->to < eb->to);
}

static int edge_compare_from(const void *key, const void *edge)
{
    uint32_t from = *(const uint32_t *)key;

    return (from > ((const struct edge *)edge)->from) - (from < ((const struct edge *)edge)->from);
}

/* Numbers the vertices of a side's boundary, in which each must have one edge that leaves it and one that arrives. */
static enum tr_status wall_points(const struct solid *solid, const struct side *side, struct edges *wall,
                                  struct tr_plane_point **points)
{
    bool *reached = tr_alloc(wall->count, sizeof *reached, solid->error);
    enum tr_status status = TR_OK;

    *points = tr_alloc(wall->count, sizeof **points, solid->error);
    if (!*points || !reached) {
        free(reached);
        return TR_IO;
    }
    qsort(wall->list, wall->count, sizeof *wall->list, edge_compare);
    for (size_t i = 0; i < wall->count && status == TR_OK; i++) {
        const struct edge *edge = &wall->list[i];
        const int32_t *xyz = solid->surface->xyz[edge->from];
        const struct edge *next =
            bsearch(&edge->to, wall->list, wall->count, sizeof *wall->list, edge_compare_from);
        size_t to = next ? (size_t)(next - wall->list) : 0;

        if (!next || reached[to] || (i > 0 && edge[-1].from == edge->from)) {
            status = fail_at(solid->surface, edge->to, "an edge in the world's side that ends or branches",
                             solid->error);
            break;
        }
        reached[to] = true;
        (*points)[i] = (struct tr_plane_point){
            .u = side->u_sign * xyz[side->u_axis], .y = xyz[1], .vertex = edge->from, .next = (uint32_t)to};
    }
    free(reached);
    return status;
}

static enum tr_status fill_side(struct solid *solid, int s)
{
    struct edges *wall = &solid->walls[s];
    const struct edges *left = &solid->corners[sides[s].left], *right = &solid->corners[sides[s].right];
    struct tr_plane_point *points = NULL;
    enum tr_status status = TR_OK;

    for (size_t i = 0; i < left->count && status == TR_OK; i++)
        status = edges_add(wall, left->list[i].to, left->list[i].from, solid->error);
    for (size_t i = 0; i < right->count && status == TR_OK; i++)
        status = edges_add(wall, right->list[i].from, right->list[i].to, solid->error);
    if (status != TR_OK || wall->count == 0)
        return status;
    status = wall_points(solid, &sides[s], wall, &points);
    if (status == TR_OK)
        status = tr_plane_fill(points, wall->count, solid->surface, solid->error);
    free(points);
    return status;
}

enum tr_status tr_surface_make_solid(struct tr_surface *surface, const int32_t size[2], int32_t floor_y,
                                     struct tr_error *error)
{
    struct solid solid = {.surface = surface, .size = {size[0], size[1]}, .floor_y = floor_y, .error = error};
    struct edges open = {0};
    enum tr_status status = find_open_edges(surface, &open, error);

    if (status == TR_OK)
        status = sort_edges_into_sides(&solid, &open);
    if (status == TR_OK)
        status = add_corners_and_floor(&solid);
    for (int s = 0; s < SIDES && status == TR_OK; s++)
        status = fill_side(&solid, s);
    free(open.list);
    for (int i = 0; i < SIDES; i++)
        free(solid.walls[i].list);
    for (int i = 0; i < CORNERS; i++)
        free(solid.corners[i].list);
    return status;
}
