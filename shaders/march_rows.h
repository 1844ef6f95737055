/* Rows of a tile's corners as bits: the step between the field and its mesh (kernels mc_*).
 *
 * A row (y, z) has 65 corners, x = 0..64; bit x of its three words is set where the corner is solid. Three
 * neighbouring rows tell which edges are crossed that begin in the row: along x within it, along y toward
 * (y + 1, z), along z toward (y, z + 1). Counting bits below x numbers the row's vertices in the order of
 * cell.h, so no table of edges is needed. */
#ifndef TR_SHADERS_MARCH_ROWS_H
#define TR_SHADERS_MARCH_ROWS_H
#include "cell.h"

TR_STRUCT(tr_row)
{
    uint w0, w1, w2; /* corners 0..31, 32..63, 64 */
};

/* Crossed edges that begin in a row, a bit for each lower end. */
TR_STRUCT(tr_row_edges)
{
    tr_row x, y, z;
};

/* Vertices and triangles of a tile, or of all tiles before it. */
TR_STRUCT(tr_row_counts)
{
    uint vertices, triangles;
};

/* Bit x is the row's bit x + 1. */
TR_FN tr_row tr_row_next(tr_row row)
{
    tr_row next;
    next.w0 = (row.w0 >> 1) | (row.w1 << 31);
    next.w1 = (row.w1 >> 1) | (row.w2 << 31);
    next.w2 = 0u;
    return next;
}

TR_FN uint tr_row_bit(tr_row row, uint x)
{
    return (x < 32u ? row.w0 >> x : (x < 64u ? row.w1 >> (x - 32u) : row.w2)) & 1u;
}

/* Set bits below x, x <= 64. */
TR_FN uint tr_row_below(tr_row row, uint x)
{
    uint m0 = x < 32u ? (1u << x) - 1u : 0xffffffffu;
    uint m1 = x < 32u ? 0u : (x < 64u ? (1u << (x - 32u)) - 1u : 0xffffffffu);
    return tr_to_uint(tr_popcount(row.w0 & m0)) + tr_to_uint(tr_popcount(row.w1 & m1));
}

TR_FN tr_row tr_row_differ(tr_row a, tr_row b)
{
    tr_row r;
    r.w0 = a.w0 ^ b.w0;
    r.w1 = a.w1 ^ b.w1;
    r.w2 = a.w2 ^ b.w2;
    return r;
}

/* above is the row (y + 1, z), beyond the row (y, z + 1); at the tile's end, where no edge begins, the row
 * itself. */
TR_FN tr_row_edges tr_row_crossed(tr_row row, tr_row above, tr_row beyond)
{
    tr_row_edges edges;
    edges.x = tr_row_differ(row, tr_row_next(row));
    edges.x.w2 = 0u;
    edges.y = tr_row_differ(row, above);
    edges.z = tr_row_differ(row, beyond);
    return edges;
}

/* Vertices of the row whose owner lies below x, x <= 64. */
TR_FN uint tr_row_vertices_below(tr_row_edges edges, uint x)
{
    return tr_row_below(edges.x, x) + tr_row_below(edges.y, x) + tr_row_below(edges.z, x);
}

TR_FN uint tr_row_vertices(tr_row_edges edges)
{
    return tr_row_vertices_below(edges, 64u) + edges.y.w2 + edges.z.w2;
}

/* Which of the row's vertices lies on the edge along `axis` from corner x. */
TR_FN uint tr_row_vertex(tr_row_edges edges, uint axis, uint x)
{
    uint n = tr_row_vertices_below(edges, x);
    n += axis > 0u ? tr_row_bit(edges.x, x) : 0u;
    n += axis > 1u ? tr_row_bit(edges.y, x) : 0u;
    return n;
}

/* The owner's x of the row's vertex n: the greatest x with at most n vertices below it. */
TR_FN uint tr_row_owner(tr_row_edges edges, uint n)
{
    uint lo = 0u;
    uint hi = 65u;
    while (hi - lo > 1u) {
        uint middle = (lo + hi) / 2u;
        if (tr_row_vertices_below(edges, middle) <= n)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* The axis of the vertex that is number n, counted from 0, of those whose owner is corner x. */
TR_FN uint tr_row_axis(tr_row_edges edges, uint x, uint n)
{
    uint along_x = tr_row_bit(edges.x, x);
    if (n < along_x)
        return 0u;
    return n - along_x < tr_row_bit(edges.y, x) ? 1u : 2u;
}

/* Cells of the row, x = 0..63, whose 8 corners are not all alike; the corners are those of four rows. w2 is
 * 0. */
TR_FN tr_row tr_row_mixed(tr_row r00, tr_row r10, tr_row r01, tr_row r11)
{
    tr_row n00 = tr_row_next(r00);
    tr_row n10 = tr_row_next(r10);
    tr_row n01 = tr_row_next(r01);
    tr_row n11 = tr_row_next(r11);
    tr_row mixed;
    mixed.w0 = (r00.w0 | r10.w0 | r01.w0 | r11.w0 | n00.w0 | n10.w0 | n01.w0 | n11.w0) &
               ~(r00.w0 & r10.w0 & r01.w0 & r11.w0 & n00.w0 & n10.w0 & n01.w0 & n11.w0);
    mixed.w1 = (r00.w1 | r10.w1 | r01.w1 | r11.w1 | n00.w1 | n10.w1 | n01.w1 | n11.w1) &
               ~(r00.w1 & r10.w1 & r01.w1 & r11.w1 & n00.w1 & n10.w1 & n01.w1 & n11.w1);
    mixed.w2 = 0u;
    return mixed;
}

/* The case of cell x: rows (y, z), (y + 1, z), (y, z + 1), (y + 1, z + 1) hold corners 0 1, 2 3, 4 5, 6 7. */
TR_FN uint tr_row_case(tr_row r00, tr_row r10, tr_row r01, tr_row r11, uint x)
{
    return tr_row_bit(r00, x) | tr_row_bit(r00, x + 1u) << 1 | tr_row_bit(r10, x) << 2 |
           tr_row_bit(r10, x + 1u) << 3 | tr_row_bit(r01, x) << 4 | tr_row_bit(r01, x + 1u) << 5 |
           tr_row_bit(r11, x) << 6 | tr_row_bit(r11, x + 1u) << 7;
}

#endif
