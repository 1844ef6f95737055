/* The generator of the case table: derives every case of a cell from the cell's faces and prints it as C.
 *
 * On each face, looked at from outside with its corners counter-clockwise, every run of solid corners has one
 * contour segment, from the edge where the run begins to the edge where it ends. So solid corners are apart
 * on an ambiguous face, and what a face shows depends on its own signs only, which is why neighbouring cells
 * agree.
 *
 *        air--^--solid
 *         |   |    |        The segments of all faces link into loops. Each loop is filled with one disk,
 *        air--|--solid      whose triangles then are counter-clockwise seen from the air.
 *
 * Of a loop's triangulations the first is taken, in a fixed order, in which
 *   - no diagonal has both ends on one face: the neighbour may have the same one, which would make an edge of
 *     four triangles;
 *   - no triangle opposes the field's gradient when crossings are midpoints and corners are -1 or +1;
 *   - no two triangles of the case cross, wherever on their edges the crossings lie. This is tried at every
 *     combination of three positions (the extremes and the midpoint) of the at most six crossings that two
 *     triangles have, and at random ones: a search, not a proof.
 *
 * A cell is data (struct cell): contours, loops and triangulations take any corners, edges and faces. */
#include "shaders/cell.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CORNERS_MAX = 8,
    EDGES_MAX = 12,
    FACES_MAX = 6,
    FACE_CORNERS_MAX = 4,
    LOOPS_MAX = EDGES_MAX / 3,
    TRIANGLES_MAX = EDGES_MAX - 2,
    SIDE = 256,          /* of a cell, in the unit of crossings */
    RANDOM_TRIALS = 200, /* for each pair of triangles */
};

/* What the table of the regular cell is known to have. */
enum {
    REGULAR_CASES = 256,
    REGULAR_TRIANGLES = 820,
    REGULAR_LONGEST_LOOP = 7,
};

struct cell {
    int corner_count, edge_count, face_count;
    int corner[CORNERS_MAX][3]; /* position, 0 or 1 */
    int edge[EDGES_MAX][2];     /* lower and upper end, numbered as in shaders/cell.h */
    int face_corner_count[FACES_MAX];
    int face[FACES_MAX][FACE_CORNERS_MAX]; /* corners, counter-clockwise from outside */
    unsigned faces_without_diagonal;       /* bit f: face f takes no diagonal */
};

static const struct cell regular_cell = {
    .corner_count = 8,
    .edge_count = 12,
    .face_count = 6,
    .corner = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}},
    .edge = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
    .face_corner_count = {4, 4, 4, 4, 4, 4},
    .face = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}},
    .faces_without_diagonal = 0x3f,
};

struct loops {
    int count;
    int length[LOOPS_MAX];
    int edge[LOOPS_MAX][EDGES_MAX];
};

struct triangles {
    int count;
    int edge[TRIANGLES_MAX][3];
};

static void fail(const char *what, unsigned number)
{
    fprintf(stderr, "case_table_gen: %s: %u\n", what, number);
    exit(EXIT_FAILURE);
}

static bool is_solid(unsigned signs, int corner)
{
    return signs >> corner & 1;
}

/* ---- contours and loops ---- */

static int edge_between(const struct cell *cell, int corner_a, int corner_b)
{
    for (int e = 0; e < cell->edge_count; e++) {
        if ((cell->edge[e][0] == corner_a && cell->edge[e][1] == corner_b) ||
            (cell->edge[e][0] == corner_b && cell->edge[e][1] == corner_a))
            return e;
    }
    fail("no edge from corner", (unsigned)corner_a);
    return -1;
}

/* Writes the contour of face f into next[]: the crossing that follows a crossing on it. */
static void face_contour(const struct cell *cell, int f, unsigned signs, int next[EDGES_MAX])
{
    const int *face = cell->face[f];
    int n = cell->face_corner_count[f];

    for (int i = 0; i < n; i++) {
        int before = face[(i + n - 1) % n];
        int last = i;

        if (!is_solid(signs, face[i]) || is_solid(signs, before))
            continue;
        while (is_solid(signs, face[(last + 1) % n]))
            last = (last + 1) % n;
        next[edge_between(cell, before, face[i])] = edge_between(cell, face[last], face[(last + 1) % n]);
    }
}

/* A crossed edge lies on two faces; a contour begins at it on one and ends at it on the other. So next[] is a
 * permutation of the crossed edges and its cycles are the loops. They are ordered by their lowest edge and
 * begin with it. */
static void trace_loops(const struct cell *cell, unsigned signs, struct loops *loops)
{
    int next[EDGES_MAX];
    bool seen[EDGES_MAX] = {false};

    for (int e = 0; e < EDGES_MAX; e++)
        next[e] = -1;
    for (int f = 0; f < cell->face_count; f++)
        face_contour(cell, f, signs, next);

    loops->count = 0;
    for (int first = 0; first < cell->edge_count; first++) {
        int length = 0;

        if (next[first] < 0 || seen[first])
            continue;
        for (int e = first; !seen[e]; e = next[e]) {
            seen[e] = true;
            loops->edge[loops->count][length++] = e;
        }
        loops->length[loops->count++] = length;
    }
}

/* ---- triangulations, numbered ---- */

/* Triangulations of a polygon with `corners` corners: a Catalan number. A "polygon" of two corners is an
 * edge, and has one. */
static unsigned triangulation_count(int corners)
{
    unsigned count = 0;

    if (corners <= 2)
        return 1;
    for (int apex = 1; apex < corners - 1; apex++)
        count += triangulation_count(apex + 1) * triangulation_count(corners - apex);
    return count;
}

/* Adds triangulation `rank` of the polygon loop[first..last]. The triangle at the side from last to first
 * comes first; its apex is the most significant digit of the rank, then the part before the apex, then the
 * part behind. */
static void triangulate(const int *loop, int first, int last, unsigned rank, struct triangles *out)
{
    if (last - first < 2)
        return;
    for (int apex = first + 1; apex < last; apex++) {
        unsigned behind = triangulation_count(last - apex + 1);
        unsigned both = triangulation_count(apex - first + 1) * behind;

        if (rank < both) {
            int *edge = out->edge[out->count++];

            edge[0] = loop[first];
            edge[1] = loop[apex];
            edge[2] = loop[last];
            triangulate(loop, first, apex, rank / behind, out);
            triangulate(loop, apex, last, rank % behind, out);
            return;
        }
        rank -= both;
    }
}

static unsigned candidate_count(const struct loops *loops)
{
    unsigned count = 1;

    for (int i = 0; i < loops->count; i++)
        count *= triangulation_count(loops->length[i]);
    return count;
}

/* Candidate `rank` of a case: a triangulation of each loop, the first loop's as the least significant digit.
 */
static void build_candidate(const struct loops *loops, unsigned rank, struct triangles *out)
{
    out->count = 0;
    for (int i = 0; i < loops->count; i++) {
        unsigned count = triangulation_count(loops->length[i]);

        triangulate(loops->edge[i], 0, loops->length[i] - 1, rank % count, out);
        rank /= count;
    }
}

/* ---- rule: diagonals ---- */

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

static bool diagonals_are_inside(const struct cell *cell, const struct loops *loops,
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

struct point {
    int64_t at[3];
};

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

/* On which side of the plane through a, b, c the point d lies: -1, 0 or 1. */
static int side_of(struct point a, struct point b, struct point c, struct point d)
{
    int64_t volume = dot(cross(minus(b, a), minus(c, a)), minus(d, a));

    return (volume > 0) - (volume < 0);
}

static struct point crossing_point(const struct cell *cell, int e, int t)
{
    const int *lower = cell->corner[cell->edge[e][0]], *upper = cell->corner[cell->edge[e][1]];
    struct point p;

    for (int k = 0; k < 3; k++)
        p.at[k] = (int64_t)lower[k] * SIDE + (int64_t)(upper[k] - lower[k]) * t;
    return p;
}

static void triangle_points(const struct cell *cell, const int edge[3], const int t[EDGES_MAX],
                            struct point p[3])
{
    for (int i = 0; i < 3; i++)
        p[i] = crossing_point(cell, edge[i], t[edge[i]]);
}

/* ---- rule: none inverted ---- */

/* Gradient of the trilinear interpolation of the regular cell's corners (-1 solid, +1 air) at p / (3 SIDE),
 * times (3 SIDE)^2. */
static struct point regular_gradient(const struct cell *cell, unsigned signs, struct point p)
{
    struct point gradient = {{0, 0, 0}};

    for (int c = 0; c < cell->corner_count; c++) {
        int64_t value = is_solid(signs, c) ? -1 : 1;
        int64_t weight[3], slope[3];

        for (int k = 0; k < 3; k++) {
            weight[k] = cell->corner[c][k] ? p.at[k] : 3 * SIDE - p.at[k];
            slope[k] = cell->corner[c][k] ? 1 : -1;
        }
        for (int k = 0; k < 3; k++)
            gradient.at[k] += value * slope[k] * weight[(k + 1) % 3] * weight[(k + 2) % 3];
    }
    return gradient;
}

static bool none_inverted(const struct cell *cell, unsigned signs, const struct triangles *triangles)
{
    int t[EDGES_MAX];

    for (int e = 0; e < EDGES_MAX; e++)
        t[e] = SIDE / 2;
    for (int i = 0; i < triangles->count; i++) {
        struct point p[3], centre_times_3;

        triangle_points(cell, triangles->edge[i], t, p);
        for (int k = 0; k < 3; k++)
            centre_times_3.at[k] = p[0].at[k] + p[1].at[k] + p[2].at[k];
        if (dot(cross(minus(p[1], p[0]), minus(p[2], p[0])), regular_gradient(cell, signs, centre_times_3)) <=
            0)
            return false;
    }
    return true;
}

/* ---- rule: none cross ---- */

/* True where the open segment a b passes through the inside of triangle c. */
static bool pierces(struct point a, struct point b, const struct point c[3])
{
    int turn = side_of(a, b, c[0], c[1]);

    return side_of(c[0], c[1], c[2], a) * side_of(c[0], c[1], c[2], b) < 0 && turn != 0 &&
           side_of(a, b, c[1], c[2]) == turn && side_of(a, b, c[2], c[0]) == turn;
}

/* Where two triangles in general position meet, other than in a common corner or side, a side of one passes
 * through the other. */
static bool cross_at(const struct cell *cell, const int a[3], const int b[3], const int t[EDGES_MAX])
{
    struct point p[3], q[3];

    triangle_points(cell, a, t, p);
    triangle_points(cell, b, t, q);
    for (int i = 0; i < 3; i++) {
        if (pierces(p[i], p[(i + 1) % 3], q) || pierces(q[i], q[(i + 1) % 3], p))
            return true;
    }
    return false;
}

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* True where the two triangles, given by the edges of their corners, cross for some crossing positions tried.
 */
static bool may_cross(const struct cell *cell, const int a[3], const int b[3])
{
    static const int tried[3] = {1, SIDE / 2, SIDE - 1};
    int t[EDGES_MAX] = {0};
    int corner[6], count = 0, combinations = 1;
    uint32_t random = 1;

    for (int i = 0; i < 6; i++) {
        int e = i < 3 ? a[i] : b[i - 3];
        bool known = false;

        for (int k = 0; k < count; k++)
            known |= corner[k] == e;
        if (!known) {
            corner[count++] = e;
            combinations *= 3;
        }
    }
    if (count == 4)
        return false; /* a common side: they meet in it and, in general position, nowhere else */
    for (int n = 0; n < combinations; n++) {
        for (int k = 0, digits = n; k < count; k++, digits /= 3)
            t[corner[k]] = tried[digits % 3];
        if (cross_at(cell, a, b, t))
            return true;
    }
    for (int n = 0; n < RANDOM_TRIALS; n++) {
        for (int k = 0; k < count; k++)
            t[corner[k]] = 1 + (int)(random_next(&random) % (SIDE - 1));
        if (cross_at(cell, a, b, t))
            return true;
    }
    return false;
}

static bool none_cross(const struct cell *cell, const struct triangles *triangles)
{
    for (int i = 0; i < triangles->count; i++) {
        for (int k = 0; k < i; k++) {
            if (may_cross(cell, triangles->edge[k], triangles->edge[i]))
                return false;
        }
    }
    return true;
}

/* ---- the table ---- */

static void derive_regular_case(unsigned signs, const struct loops *loops, struct triangles *out)
{
    unsigned count = candidate_count(loops);

    for (unsigned rank = 0; rank < count; rank++) {
        build_candidate(loops, rank, out);
        if (diagonals_are_inside(&regular_cell, loops, out) && none_inverted(&regular_cell, signs, out) &&
            none_cross(&regular_cell, out))
            return;
    }
    fail("no triangulation keeps the rules in case", signs);
}

static tr_case_packed pack_case(const struct triangles *triangles)
{
    uint64_t bits = (uint64_t)triangles->count;

    for (int t = 0; t < triangles->count; t++) {
        for (int i = 0; i < 3; i++)
            bits |= (uint64_t)triangles->edge[t][i] << (4 + 4 * (3 * t + i));
    }
    return (tr_case_packed){(uint)bits, (uint)(bits >> 32)};
}

static void print_regular_table(void)
{
    int total = 0, longest = 0;

    puts("/* Made by lib/mesh/gen/case_table_gen.c. Case, packed as shaders/cell.h says. */");
    for (unsigned signs = 0; signs < REGULAR_CASES; signs++) {
        struct loops loops;
        struct triangles triangles;
        tr_case_packed packed;

        trace_loops(&regular_cell, signs, &loops);
        for (int i = 0; i < loops.count; i++)
            longest = loops.length[i] > longest ? loops.length[i] : longest;
        derive_regular_case(signs, &loops, &triangles);
        if (triangles.count > TR_CASE_TRIANGLES_MAX)
            fail("more triangles than a packed case holds in case", signs);
        total += triangles.count;
        packed = pack_case(&triangles);
        printf("/* %3u */ {0x%08xu, 0x%08xu},\n", signs, packed.lo, packed.hi);
    }
    if (total != REGULAR_TRIANGLES)
        fail("triangles in all regular cases", (unsigned)total);
    if (longest != REGULAR_LONGEST_LOOP)
        fail("corners of the longest loop of a regular case", (unsigned)longest);
}

int main(void)
{
    print_regular_table();
    return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
