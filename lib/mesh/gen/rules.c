/* What a triangulation has to keep.
 *
 *   - No diagonal has both ends on one face: the neighbour may have the same one, which would make an edge of
 *     four triangles. (Not on the faces that the cell excepts.)
 *   - No triangle is inverted: with crossings at midpoints none opposes the field's gradient, and wherever
 *     its corners lie it faces the way from solid to air along their edges. Where these lie in one plane with
 *     it they say nothing; then it never turns over. How much it faces a fixed way is linear in each corner's
 *     position, so the extreme positions prove it for all.
 *   - No two triangles cross, or overlap in one plane, wherever the crossings lie. This is tried at every
 *     combination of three positions, the extremes and the midpoint, of the at most six crossings that two
 *     triangles have, and at random ones: a search, not a proof. */
#include "lib/mesh/gen/case_gen.h"

enum {
    RANDOM_TRIALS = 300, /* for each pair of triangles */
    FIRST = 1,           /* extreme positions of a crossing */
    LAST = SIDE - 1,
};

/* ---- diagonals ---- */

static unsigned faces_of_edge(const struct cell *cell, int e)
{
    unsigned faces = 0;

    for (int f = 0; f < cell->face_count; f++) {
        int ends = 0;

        for (int i = 0; i < cell->face_corner_count[f]; i++)
            ends += cell->face[f][i] == cell->edge[e][0] || cell->face[f][i] == cell->edge[e][1];
        if (ends == 2)
            faces |= 1u << f;
    }
    return faces;
}

static bool is_loop_side(const struct loops *loops, int from, int to)
{
    for (int i = 0; i < loops->count; i++) {
        for (int k = 0; k < loops->length[i]; k++) {
            if (loops->edge[i][k] == from && loops->edge[i][(k + 1) % loops->length[i]] == to)
                return true;
        }
    }
    return false;
}

bool no_diagonal_on_face(const struct cell *cell, const struct loops *loops,
                         const struct triangles *triangles)
{
    for (int t = 0; t < triangles->count; t++) {
        for (int i = 0; i < 3; i++) {
            int a = triangles->edge[t][i], b = triangles->edge[t][(i + 1) % 3];
            unsigned shared = faces_of_edge(cell, a) & faces_of_edge(cell, b) & cell->faces_without_diagonal;

            if (shared && !is_loop_side(loops, a, b))
                return false;
        }
    }
    return true;
}

/* ---- geometry, in integers ---- */

static struct point minus(struct point a, struct point b)
{
    return (struct point){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static struct point cross(struct point a, struct point b)
{
    return (struct point){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                           a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static int64_t dot(struct point a, struct point b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static struct point normal(const struct point p[3])
{
    return cross(minus(p[1], p[0]), minus(p[2], p[0]));
}

/* From the lower to the upper end of an edge, in units of SIDE. */
static struct point direction(const struct cell *cell, int e)
{
    const int *lower = cell->corner[cell->edge[e][0]], *upper = cell->corner[cell->edge[e][1]];

    return (struct point){{upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]}};
}

static struct point crossing_point(const struct cell *cell, int e, int t)
{
    const int *lower = cell->corner[cell->edge[e][0]];
    struct point along = direction(cell, e), p;

    for (int k = 0; k < 3; k++)
        p.at[k] = (int64_t)lower[k] * SIDE + along.at[k] * t;
    return p;
}

static void triangle_points(const struct cell *cell, const int edge[3], const int t[EDGES_MAX],
                            struct point p[3])
{
    for (int i = 0; i < 3; i++)
        p[i] = crossing_point(cell, edge[i], t[edge[i]]);
}

/* ---- none inverted ---- */

/* Gradient of the field, up to a positive factor, at the centre of a triangle. A difference over both sides,
 * exact since the field is linear along each axis; where it has a kink it is the mean of both. */
static struct point gradient(const struct cell *cell, unsigned signs, const struct point p[3])
{
    struct point found;

    for (int k = 0; k < 3; k++) {
        struct point before, after;

        for (int j = 0; j < 3; j++)
            before.at[j] = after.at[j] = p[0].at[j] + p[1].at[j] + p[2].at[j];
        before.at[k]--;
        after.at[k]++;
        found.at[k] = cell->field(signs, after) - cell->field(signs, before);
    }
    return found;
}

/* True where the edges of a triangle's corners lie in one plane, so that the triangle does, too. */
static bool lies_in_plane_of_edges(const struct cell *cell, const int edge[3], const struct point p[3])
{
    struct point across = normal(p);

    for (int i = 0; i < 3; i++) {
        if (dot(across, direction(cell, edge[i])))
            return false;
    }
    return true;
}

/* From solid to air along the edges of a triangle's corners, summed. */
static struct point way_to_air(const struct cell *cell, unsigned signs, const int edge[3])
{
    struct point way = {{0, 0, 0}};

    for (int i = 0; i < 3; i++) {
        struct point along = direction(cell, edge[i]);

        for (int k = 0; k < 3; k++)
            way.at[k] += is_solid(cell, signs, cell->edge[edge[i]][0]) ? along.at[k] : -along.at[k];
    }
    return way;
}

static bool is_inverted(const struct cell *cell, unsigned signs, const int edge[3])
{
    struct point p[3], way;
    int t[EDGES_MAX];

    for (int e = 0; e < EDGES_MAX; e++)
        t[e] = SIDE / 2;
    triangle_points(cell, edge, t, p);
    if (dot(normal(p), gradient(cell, signs, p)) <= 0)
        return true;
    way = lies_in_plane_of_edges(cell, edge, p) ? normal(p) : way_to_air(cell, signs, edge);
    for (int n = 0; n < 8; n++) {
        for (int i = 0; i < 3; i++)
            t[edge[i]] = n >> i & 1 ? LAST : FIRST;
        triangle_points(cell, edge, t, p);
        if (dot(normal(p), way) <= 0)
            return true;
    }
    return false;
}

bool none_inverted(const struct cell *cell, unsigned signs, const struct triangles *triangles)
{
    for (int i = 0; i < triangles->count; i++) {
        if (is_inverted(cell, signs, triangles->edge[i]))
            return false;
    }
    return true;
}

/* ---- none cross ---- */

/* True where a plane across `axis` has p on one side and q on the other. Both may touch it, but not lie in it
 * together. */
static bool divides(struct point axis, const struct point p[3], const struct point q[3])
{
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};

    for (int i = 0; i < 6; i++) {
        int64_t along = dot(axis, i < 3 ? p[i] : q[i - 3]);

        low[i / 3] = along < low[i / 3] ? along : low[i / 3];
        high[i / 3] = along > high[i / 3] ? along : high[i / 3];
    }
    return (high[0] <= low[1] && low[0] < high[1]) || (high[1] <= low[0] && low[1] < high[0]);
}

/* Two triangles have no inner point in common exactly when a plane divides them. There is one then that is
 * parallel to one of them, or to a side of each; or, where both lie in one plane, one through a side and
 * across that plane. */
static bool cross_at(const struct cell *cell, const int a[3], const int b[3], const int t[EDGES_MAX])
{
    struct point p[3], q[3], up[2];

    triangle_points(cell, a, t, p);
    triangle_points(cell, b, t, q);
    up[0] = normal(p);
    up[1] = normal(q);
    if (divides(up[0], p, q) || divides(up[1], p, q))
        return false;
    for (int i = 0; i < 3; i++) {
        struct point side_p = minus(p[(i + 1) % 3], p[i]), side_q = minus(q[(i + 1) % 3], q[i]);

        if (divides(cross(up[0], side_p), p, q) || divides(cross(up[1], side_q), p, q))
            return false;
        for (int k = 0; k < 3; k++) {
            if (divides(cross(side_p, minus(q[(k + 1) % 3], q[k])), p, q))
                return false;
        }
    }
    return true;
}

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Writes the edges of both triangles' corners into corner[], each once, and returns their number. */
static int corners_of_both(const int a[3], const int b[3], int corner[6])
{
    int count = 0;

    for (int i = 0; i < 6; i++) {
        int e = i < 3 ? a[i] : b[i - 3];
        bool known = false;

        for (int k = 0; k < count; k++)
            known |= corner[k] == e;
        if (!known)
            corner[count++] = e;
    }
    return count;
}

/* True where the two triangles, given by the edges of their corners, cross for some crossing positions
 * tried. */
static bool may_cross(const struct cell *cell, const int a[3], const int b[3])
{
    static const int tried[3] = {FIRST, SIDE / 2, LAST};
    int t[EDGES_MAX] = {0};
    int corner[6], count = corners_of_both(a, b, corner), combinations = 1;
    uint32_t random = 1;

    for (int k = 0; k < count; k++)
        combinations *= 3;
    for (int n = 0; n < combinations; n++) {
        for (int k = 0, digits = n; k < count; k++, digits /= 3)
            t[corner[k]] = tried[digits % 3];
        if (cross_at(cell, a, b, t))
            return true;
    }
    for (int n = 0; n < RANDOM_TRIALS; n++) {
        for (int k = 0; k < count; k++)
            t[corner[k]] = FIRST + (int)(random_next(&random) % LAST);
        if (cross_at(cell, a, b, t))
            return true;
    }
    return false;
}

bool none_cross(const struct cell *cell, const struct triangles *triangles)
{
    for (int i = 0; i < triangles->count; i++) {
        for (int k = 0; k < i; k++) {
            if (may_cross(cell, triangles->edge[k], triangles->edge[i]))
                return false;
        }
    }
    return true;
}
