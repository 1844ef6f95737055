/* See cut.h. */
#include "lib/run/cut.h"

#include "lib/base/alloc.h"

#include <math.h>
#include <stdlib.h>

#define BINS_MAX ((size_t)1 << 20)

static enum tr_status add_edge(struct tr_cut_edges *edges, const int64_t a[3], const int64_t b[3], int u_axis,
                               struct tr_error *error)
{
    const int64_t *first = a[u_axis] < b[u_axis] ? a : b, *last = first == a ? b : a;
    enum tr_status status;

    if (a[u_axis] == b[u_axis]) /* upright: above no point of the side */
        return TR_OK;
    status = tr_grow(&edges->list, &edges->capacity, edges->count + 1, sizeof *edges->list, error);
    if (status == TR_OK)
        edges->list[edges->count++] =
            (struct tr_cut_edge){(double)first[u_axis] / TR_UNITS, (double)first[1] / TR_UNITS,
                                 (double)last[u_axis] / TR_UNITS, (double)last[1] / TR_UNITS};
    return status;
}

enum tr_status tr_cut_collect(const struct tr_tile_mesh *tile, const int64_t corner[3], const int64_t size[2],
                              struct tr_cut_edges sides[TR_CUT_SIDES], struct tr_error *error)
{
    for (uint32_t i = 0; i < tile->index_count; i++) {
        const tr_vertex *from = &tile->vertices[tile->indices[i]];
        const tr_vertex *to = &tile->vertices[tile->indices[i % 3 == 2 ? i - 2 : i + 1]];
        const int64_t a[3] = {corner[0] + from->x, corner[1] + from->y, corner[2] + from->z};
        const int64_t b[3] = {corner[0] + to->x, corner[1] + to->y, corner[2] + to->z};

        for (int side = 0; side < TR_CUT_SIDES; side++) {
            int axis = side < 2 ? 0 : 2;
            int64_t plane = side % 2 ? size[side / 2] : 0;
            enum tr_status status;

            if (a[axis] != plane || b[axis] != plane)
                continue;
            status = add_edge(&sides[side], a, b, 2 - axis, error);
            if (status != TR_OK)
                return status;
        }
    }
    return TR_OK;
}

static double side_length(const struct tr_cut *cut, int side)
{
    return cut->size[side < 2 ? 1 : 0];
}

static size_t bin_of(const struct tr_cut *cut, int side, double u)
{
    size_t count = cut->bin_count[side];
    double bin = floor(u / side_length(cut, side) * (double)count);

    return bin <= 0.0 ? 0 : bin >= (double)count - 1.0 ? count - 1 : (size_t)bin;
}

static enum tr_status sort_side(struct tr_cut *cut, int side, struct tr_error *error)
{
    const struct tr_cut_edges *edges = &cut->sides[side];
    size_t bins = edges->count / 2 + 1, *starts;

    cut->bin_count[side] = bins < BINS_MAX ? bins : BINS_MAX;
    starts = cut->starts[side] = tr_alloc(cut->bin_count[side] + 2, sizeof *starts, error);
    if (!starts)
        return TR_IO;
    /* starts[bin + 1] counts, then points behind the bin's items while they are filled in */
    for (size_t i = 0; i < edges->count; i++)
        for (size_t bin = bin_of(cut, side, edges->list[i].u0); bin <= bin_of(cut, side, edges->list[i].u1);
             bin++)
            starts[bin + 2]++;
    for (size_t bin = 0; bin < cut->bin_count[side]; bin++)
        starts[bin + 2] += starts[bin + 1];
    cut->items[side] = tr_alloc(starts[cut->bin_count[side] + 1], sizeof *cut->items[side], error);
    if (!cut->items[side])
        return TR_IO;
    for (size_t i = 0; i < edges->count; i++)
        for (size_t bin = bin_of(cut, side, edges->list[i].u0); bin <= bin_of(cut, side, edges->list[i].u1);
             bin++)
            cut->items[side][starts[bin + 1]++] = i;
    return TR_OK;
}

enum tr_status tr_cut_sort(struct tr_cut *cut, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (int side = 0; side < TR_CUT_SIDES && status == TR_OK; side++)
        status = sort_side(cut, side, error);
    return status;
}

void tr_cut_release(struct tr_cut *cut)
{
    for (int side = 0; side < TR_CUT_SIDES; side++) {
        free(cut->sides[side].list);
        free(cut->starts[side]);
        free(cut->items[side]);
    }
    *cut = (struct tr_cut){0};
}

/* Whether the point (u, y) of a side is in the ground, and how deep. */
static bool in_ground(const struct tr_cut *cut, int side, double u, double y, double *below)
{
    size_t bin = bin_of(cut, side, u), above = 0;

    *below = INFINITY;
    for (size_t i = cut->starts[side][bin]; i < cut->starts[side][bin + 1]; i++) {
        const struct tr_cut_edge *edge = &cut->sides[side].list[cut->items[side][i]];
        double edge_y;

        if (u < edge->u0 || u >= edge->u1)
            continue;
        edge_y = edge->y0 + (edge->y1 - edge->y0) * (u - edge->u0) / (edge->u1 - edge->u0);
        if (edge_y <= y)
            continue;
        above++;
        *below = fmin(*below, edge_y - y);
    }
    return above % 2 == 1;
}

bool tr_cut_hit(const struct tr_cut *cut, const double from[3], const double ray[3], struct tr_cut_hit *hit)
{
    for (int side = 0; side < TR_CUT_SIDES; side++) {
        int axis = side < 2 ? 0 : 2;
        double plane = side % 2 ? cut->size[side / 2] : 0.0;
        double outward = side % 2 ? 1.0 : -1.0, t, u, y;

        if (ray[axis] * outward >= 0.0 || (from[axis] - plane) * outward < 0.0)
            continue;
        t = (plane - from[axis]) / ray[axis];
        u = from[2 - axis] + t * ray[2 - axis];
        y = from[1] + t * ray[1];
        if (u < 0.0 || u >= side_length(cut, side) || y < cut->floor)
            continue;
        if (!in_ground(cut, side, u, y, &hit->below))
            continue;
        hit->t = t;
        hit->side = side;
        return true;
    }
    return false;
}
