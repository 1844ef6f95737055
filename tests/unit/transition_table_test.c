/* The table of the transition cell: all 512 cases, against the rules, against the regular cell's table on
 * every face where the two meet, and against two oracles made by other code.
 *
 * A check takes one case and says whether it holds, so that each is also tried on cases in which one thing is
 * wrong. Geometry is exact: integers, the cell 1024 x 1024 x 256 so that its proportions are true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/mesh/case_table.h"
#include "lib/mesh/transition_table.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CASES TR_TRANSITION_CASES
#define EDGES TR_TRANSITION_EDGES
#define FULL_EDGES TR_TRANSITION_FULL_EDGES
#define TRIANGLES_MAX TR_TRANSITION_TRIANGLES_MAX
#define PLACES 40 /* of 4 bits, in a packed case */
#define RING_CASE 0x155
#define RANDOM_VECTORS 1000

struct triangles {
    int count;
    int edge[TRIANGLES_MAX][3];
};

/* What the last check that does not hold found. */
static char fault[512];

__attribute__((format(printf, 1, 2))) static bool refuse(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(fault, sizeof fault, format, values);
    va_end(values);
    return false;
}

/* ---- cases ---- */

static struct triangles triangles_of(int signs)
{
    tr_transition_packed packed = tr_transition_table[signs];
    struct triangles triangles = {.count = (int)tr_transition_count(packed)};

    if (triangles.count > TRIANGLES_MAX)
        fail_msg("case 0x%03x: %d triangles", signs, triangles.count);
    for (int i = 0; i < 3 * triangles.count; i++)
        triangles.edge[i / 3][i % 3] = (int)tr_transition_edge(packed, (uint)i);
    return triangles;
}

static bool is_solid(int signs, int sample)
{
    return signs >> sample & 1;
}

static int edge_lower(int e)
{
    return (int)tr_transition_edge_lower((uint)e);
}

static int edge_upper(int e)
{
    return (int)tr_transition_edge_upper((uint)e);
}

static bool is_crossed(int signs, int e)
{
    return is_solid(signs, edge_lower(e)) != is_solid(signs, edge_upper(e));
}

/* How often each directed side from one edge's vertex to another's occurs. */
static void count_sides(const struct triangles *triangles, int sides[EDGES][EDGES])
{
    for (int i = 0; i < EDGES * EDGES; i++)
        sides[i / EDGES][i % EDGES] = 0;
    for (int t = 0; t < triangles->count; t++) {
        for (int i = 0; i < 3; i++)
            sides[triangles->edge[t][i]][triangles->edge[t][(i + 1) % 3]]++;
    }
}

static bool is_open(int sides[EDGES][EDGES], int a, int b)
{
    return sides[a][b] && !sides[b][a];
}

/* ---- faces of the cell ---- */

/* Quarter (i, j) of the full-resolution face is face i + 2j. */
enum { HALF = 4, SIDE_V0, SIDE_V2, SIDE_U0, SIDE_U2, FACES };

static bool lies_on_face(int e, int face)
{
    int u = (int)tr_transition_edge_u((uint)e), v = (int)tr_transition_edge_v((uint)e);
    bool along_v = tr_transition_edge_axis((uint)e), half = e >= FULL_EDGES;
    int i = face % 2, j = face / 2;

    switch (face) {
    case HALF:
        return half;
    case SIDE_V0:
        return !along_v && v == 0;
    case SIDE_V2:
        return !along_v && v == 2;
    case SIDE_U0:
        return along_v && u == 0;
    case SIDE_U2:
        return along_v && u == 2;
    default:
        if (half)
            return false;
        return along_v ? v == j && (u == i || u == i + 1) : u == i && (v == j || v == j + 1);
    }
}

static bool share_face(int a, int b, int first_face)
{
    for (int face = first_face; face < FACES; face++) {
        if (lies_on_face(a, face) && lies_on_face(b, face))
            return true;
    }
    return false;
}

/* Edge e among those of its face. On quarters and the half-resolution face: 0, 1 along u at lower and upper
 * v; 2, 3 along v at lower and upper u. On sides: 0, 1 the full-resolution edges from the lower end on, 2 the
 * other. */
static int edge_within_face(int e, int face)
{
    int u = (int)tr_transition_edge_u((uint)e), v = (int)tr_transition_edge_v((uint)e);
    bool along_v = tr_transition_edge_axis((uint)e);

    if (face == HALF)
        return along_v ? 2 + u / 2 : v / 2;
    if (face < HALF)
        return along_v ? 2 + u - face % 2 : v - face / 2;
    return e >= FULL_EDGES ? 2 : along_v ? v : u;
}

/* The open sides on a face: bit 4a + b for one from edge a to edge b of the face. */
static uint32_t contour_of(const struct triangles *triangles, int face)
{
    int sides[EDGES][EDGES];
    uint32_t contour = 0;

    count_sides(triangles, sides);
    for (int a = 0; a < EDGES; a++) {
        for (int b = 0; b < EDGES; b++) {
            if (is_open(sides, a, b) && lies_on_face(a, face) && lies_on_face(b, face))
                contour |= 1u << (4 * edge_within_face(a, face) + edge_within_face(b, face));
        }
    }
    return contour;
}

static uint32_t reversed(uint32_t contour)
{
    uint32_t other = 0;

    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++)
            other |= (contour >> (4 * a + b) & 1) << (4 * b + a);
    }
    return other;
}

/* ---- checks: topology ---- */

static bool check_vertices(int signs, const struct triangles *triangles)
{
    uint32_t used = 0, crossed = 0;

    for (int i = 0; i < 3 * triangles->count; i++)
        used |= 1u << triangles->edge[i / 3][i % 3];
    for (int e = 0; e < EDGES; e++)
        crossed |= (uint32_t)is_crossed(signs, e) << e;
    return used == crossed || refuse("case 0x%03x: edges used %04x, crossed %04x", signs, used, crossed);
}

static uint32_t corner_set(const int edge[3])
{
    return 1u << edge[0] | 1u << edge[1] | 1u << edge[2];
}

static bool check_duplicates(int signs, const struct triangles *triangles)
{
    for (int i = 0; i < triangles->count; i++) {
        for (int k = 0; k < i; k++) {
            if (corner_set(triangles->edge[i]) == corner_set(triangles->edge[k]))
                return refuse("case 0x%03x: triangles %d and %d have the same corners", signs, k, i);
        }
    }
    return true;
}

static bool check_sides(int signs, const struct triangles *triangles)
{
    int sides[EDGES][EDGES];

    count_sides(triangles, sides);
    for (int a = 0; a < EDGES; a++) {
        for (int b = 0; b < EDGES; b++) {
            if (sides[a][b] > 1 || (a == b && sides[a][b]))
                return refuse("case 0x%03x: side %d-%d occurs %d times", signs, a, b, sides[a][b]);
            if (is_open(sides, a, b) && !share_face(a, b, 0))
                return refuse("case 0x%03x: open side %d-%d lies on no face", signs, a, b);
        }
    }
    return true;
}

/* On the quarters a diagonal may lie: the regular cells behind have none there. */
static bool check_diagonals(int signs, const struct triangles *triangles)
{
    int sides[EDGES][EDGES];

    count_sides(triangles, sides);
    for (int a = 0; a < EDGES; a++) {
        for (int b = 0; b < EDGES; b++) {
            if (sides[a][b] && sides[b][a] && share_face(a, b, HALF))
                return refuse("case 0x%03x: diagonal %d-%d lies on a face", signs, a, b);
        }
    }
    return true;
}

/* Loops of open sides; -1 where they do not link. */
static int loop_count(int sides[EDGES][EDGES])
{
    int next[EDGES], count = 0;
    bool seen[EDGES] = {false};

    for (int a = 0; a < EDGES; a++) {
        next[a] = -1;
        for (int b = 0; b < EDGES; b++) {
            if (!is_open(sides, a, b))
                continue;
            if (next[a] >= 0)
                return -1;
            next[a] = b;
        }
    }
    for (int first = 0; first < EDGES; first++) {
        if (next[first] < 0 || seen[first])
            continue;
        for (int e = first; !seen[e]; e = next[e]) {
            seen[e] = true;
            if (next[e] < 0)
                return -1;
        }
        count++;
    }
    return count;
}

/* Euler number: 1 for a disk, 0 for a ring. */
static bool check_disks(int signs, const struct triangles *triangles)
{
    int sides[EDGES][EDGES], euler = triangles->count, loops;

    count_sides(triangles, sides);
    for (int e = 0; e < EDGES; e++)
        euler += is_crossed(signs, e);
    for (int i = 0; i < EDGES * EDGES; i++) {
        int a = i / EDGES, b = i % EDGES;

        euler -= a < b && (sides[a][b] || sides[b][a]);
    }
    loops = loop_count(sides);
    if (signs == RING_CASE ? euler != 0 || loops != 2 : euler != loops)
        return refuse("case 0x%03x: %d loops, Euler number %d", signs, loops, euler);
    return true;
}

/* ---- checks: contours ---- */

static int regular_face_signs(int signs, int u_axis, int v_axis, int across, int end)
{
    int face = 0;

    for (int i = 0; i < 4; i++)
        face |= (signs >> ((i & 1) << u_axis | (i >> 1) << v_axis | end << across) & 1) << i;
    return face;
}

/* Edge e of the regular cell within that face, as edge_within_face; -1 where it is not on it. */
static int regular_edge_within_face(int e, int u_axis, int v_axis, int across, int end)
{
    static const int lower[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};

    if (e / 4 == across || (lower[e] >> across & 1) != end)
        return -1;
    return e / 4 == u_axis ? lower[e] >> v_axis & 1 : 2 + (lower[e] >> u_axis & 1);
}

static uint32_t regular_contour(int signs, int u_axis, int v_axis, int across, int end)
{
    tr_case_packed packed = tr_case_table[signs];
    int sides[12][12] = {{0}};
    uint32_t contour = 0;

    for (uint t = 0; t < tr_case_count(packed); t++) {
        for (uint i = 0; i < 3; i++)
            sides[tr_case_edge(packed, 3 * t + i)][tr_case_edge(packed, 3 * t + (i + 1) % 3)]++;
    }
    for (int i = 0; i < 12 * 12; i++) {
        int a = regular_edge_within_face(i / 12, u_axis, v_axis, across, end);
        int b = regular_edge_within_face(i % 12, u_axis, v_axis, across, end);

        if (a >= 0 && b >= 0 && sides[i / 12][i % 12] && !sides[i % 12][i / 12])
            contour |= 1u << (4 * a + b);
    }
    return contour;
}

/* Contours of the regular cell on the face that lies against a tile's face, at the cell's lower (0) or upper
 * (1) end, by the signs of the face's corners; u and v as the transition cells of that tile's face have them.
 * That a face shows what its own signs say and nothing else is proven in case_table_test, so any case with
 * these signs will do. */
static uint32_t regular_contour_by_signs(int tile_face, int end, int face_signs)
{
    static uint32_t contours[6][2][16];
    static bool known;

    for (int i = 0; !known && i < 6 * 2 * 256; i++) {
        int face = i / 512, side = i / 256 % 2, signs = i % 256;
        int u_axis = (int)tr_transition_u_axis((uint)face), v_axis = (int)tr_transition_v_axis((uint)face);

        contours[face][side][regular_face_signs(signs, u_axis, v_axis, face / 2, side)] =
            regular_contour(signs, u_axis, v_axis, face / 2, side);
    }
    known = true;
    return contours[tile_face][end][face_signs];
}

static int signs_of_quarter(int signs, int quarter)
{
    int first = quarter % 2 + 3 * (quarter / 2);

    return (signs >> first & 3) | (signs >> (first + 3) & 3) << 2;
}

static int signs_of_half(int signs)
{
    return is_solid(signs, 0) | is_solid(signs, 2) << 1 | is_solid(signs, 6) << 2 | is_solid(signs, 8) << 3;
}

/* On each face of a tile, every quarter shows the reverse of the finer cell behind it, and the
 * half-resolution face the reverse of the coarse cell. */
static bool check_contours_with_regular_cells(int signs, const struct triangles *triangles)
{
    for (int tile_face = 0; tile_face < 6; tile_face++) {
        for (int face = 0; face <= HALF; face++) {
            int end = face == HALF ? tile_face % 2 : 1 - tile_face % 2;
            int own_signs = face == HALF ? signs_of_half(signs) : signs_of_quarter(signs, face);
            uint32_t own = contour_of(triangles, face),
                     other = regular_contour_by_signs(tile_face, end, own_signs);

            if (own != reversed(other))
                return refuse("case 0x%03x, face %d on a tile's face %d: contour %04x, regular cell %04x",
                              signs, face, tile_face, own, other);
        }
    }
    return true;
}

static int signs_of_side(int signs, int side)
{
    int first = side == SIDE_V2 ? 6 : side == SIDE_U2 ? 2 : 0;
    int step = side == SIDE_V0 || side == SIDE_V2 ? 1 : 3;

    return is_solid(signs, first) | is_solid(signs, first + step) << 1 |
           is_solid(signs, first + 2 * step) << 2;
}

/* A side's three signs say its contour: seen from outside and counter-clockwise, along the full resolution
 * and back along the half, it goes from where solid begins to where it ends. Two of the sides have their
 * samples in the other order. So transition cells agree with their neighbours on the same face of a tile and
 * round the tile's edges. */
static bool check_contours_of_sides(int signs, const struct triangles *triangles)
{
    for (int side = SIDE_V0; side < FACES; side++) {
        int own = signs_of_side(signs, side), begin = 0, end = 0;
        uint32_t expected, contour = contour_of(triangles, side);

        for (int i = 0; i < 3; i++) {
            bool solid = is_solid(own, i), next = is_solid(own, (i + 1) % 3);

            begin = !solid && next ? i : begin;
            end = solid && !next ? i : end;
        }
        expected = begin == end ? 0 : 1u << (4 * begin + end);
        if (side == SIDE_V2 || side == SIDE_U0)
            expected = reversed(expected);
        if (contour != expected)
            return refuse("case 0x%03x, side %d, signs %d: contour %04x, expected %04x", signs, side, own,
                          contour, expected);
    }
    return true;
}

/* ---- geometry ---- */

struct point {
    int64_t at[3];
};

static struct point crossing(int e, int t)
{
    struct point p = {{512 * (int64_t)tr_transition_edge_u((uint)e),
                       512 * (int64_t)tr_transition_edge_v((uint)e), e < FULL_EDGES ? 0 : 256}};

    p.at[tr_transition_edge_axis((uint)e)] += 2 * (int64_t)tr_transition_edge_steps((uint)e) * t;
    return p;
}

static void place(const int edge[3], const int t[EDGES], struct point p[3])
{
    for (int i = 0; i < 3; i++)
        p[i] = crossing(edge[i], t[edge[i]]);
}

static struct point minus(struct point a, struct point b)
{
    return (struct point){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static struct point cross(struct point a, struct point b)
{
    struct point n;

    for (int k = 0; k < 3; k++)
        n.at[k] = a.at[(k + 1) % 3] * b.at[(k + 2) % 3] - a.at[(k + 2) % 3] * b.at[(k + 1) % 3];
    return n;
}

static int64_t dot(struct point a, struct point b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static struct point normal_of(const struct point p[3])
{
    return cross(minus(p[1], p[0]), minus(p[2], p[0]));
}

/* True where a plane across `axis` has p on one side and q on the other; both may touch it, but not lie in it
 * together. */
static bool divides(struct point axis, const struct point p[3], const struct point q[3])
{
    int64_t p_low = INT64_MAX, p_high = INT64_MIN, q_low = INT64_MAX, q_high = INT64_MIN;

    for (int i = 0; i < 3; i++) {
        int64_t along_p = dot(axis, p[i]), along_q = dot(axis, q[i]);

        p_low = along_p < p_low ? along_p : p_low;
        p_high = along_p > p_high ? along_p : p_high;
        q_low = along_q < q_low ? along_q : q_low;
        q_high = along_q > q_high ? along_q : q_high;
    }
    return (p_high <= q_low && p_low < q_high) || (q_high <= p_low && q_low < p_high);
}

/* Two triangles have no point inside both exactly when some plane divides them, and then one does that is
 * parallel to one of them or to a side of each; in a common plane, one that goes through a side. */
static bool triangles_cross(const int a[3], const int b[3], const int t[EDGES])
{
    struct point p[3], q[3], up_p, up_q;

    place(a, t, p);
    place(b, t, q);
    up_p = normal_of(p);
    up_q = normal_of(q);
    if (divides(up_p, p, q) || divides(up_q, p, q))
        return false;
    for (int i = 0; i < 3; i++) {
        struct point side_p = minus(p[(i + 1) % 3], p[i]), side_q = minus(q[(i + 1) % 3], q[i]);

        if (divides(cross(up_p, side_p), p, q) || divides(cross(up_q, side_q), p, q))
            return false;
        for (int k = 0; k < 3; k++) {
            if (divides(cross(side_p, minus(q[(k + 1) % 3], q[k])), p, q))
                return false;
        }
    }
    return true;
}

/* Writes combination n of the positions 1, 128, 255 for the edges of the set into t; returns false when there
 * is none left. */
static bool set_combination(uint32_t edges, int n, int t[EDGES])
{
    static const int tried[3] = {1, 128, 255};

    for (int e = 0; e < EDGES; e++) {
        if (edges >> e & 1) {
            t[e] = tried[n % 3];
            n /= 3;
        }
    }
    return n == 0;
}

static void set_random(uint32_t *state, int t[EDGES])
{
    for (int e = 0; e < EDGES; e++) {
        *state ^= *state << 13;
        *state ^= *state >> 17;
        *state ^= *state << 5;
        t[e] = 1 + (int)(*state % 255);
    }
}

static bool refuse_at(const char *what, int signs, const int edge[3], const int t[EDGES])
{
    return refuse("case 0x%03x: %s, triangle %d-%d-%d at %d %d %d", signs, what, edge[0], edge[1], edge[2],
                  t[edge[0]], t[edge[1]], t[edge[2]]);
}

/* ---- checks: geometry ---- */

/* Two triangles depend on their own edges only, so all combinations of each pair are all combinations of the
 * case. */
static bool check_crossings(int signs, const struct triangles *triangles)
{
    uint32_t random = 1 + (uint32_t)signs;
    int t[EDGES] = {0};

    for (int i = 1; i < triangles->count; i++) {
        for (int k = 0; k < i; k++) {
            const int *a = triangles->edge[i], *b = triangles->edge[k];

            for (int n = 0; set_combination(corner_set(a) | corner_set(b), n, t); n++) {
                if (triangles_cross(a, b, t))
                    return refuse_at("crosses an earlier one", signs, a, t);
            }
        }
    }
    for (int n = 0; n < RANDOM_VECTORS; n++) {
        set_random(&random, t);
        for (int i = 1; i < triangles->count; i++) {
            for (int k = 0; k < i; k++) {
                if (triangles_cross(triangles->edge[i], triangles->edge[k], t))
                    return refuse_at("crosses an earlier one", signs, triangles->edge[i], t);
            }
        }
    }
    return true;
}

static struct point edge_direction(int e)
{
    return minus(crossing(e, 1), crossing(e, 0));
}

/* A way that the triangle must face wherever its corners lie: from solid to air along their edges, summed.
 * Where these lie in one plane with the triangle, which is then always in it, they say nothing; there it is
 * the way it faces at midpoints. */
static struct point way_to_air(int signs, const int edge[3])
{
    struct point p[3], up, way = {{0, 0, 0}};
    int t[EDGES];
    bool in_plane = true;

    for (int e = 0; e < EDGES; e++)
        t[e] = 128;
    place(edge, t, p);
    up = normal_of(p);
    for (int i = 0; i < 3; i++) {
        struct point along = edge_direction(edge[i]);

        in_plane &= dot(up, along) == 0;
        for (int k = 0; k < 3; k++)
            way.at[k] += is_solid(signs, edge_lower(edge[i])) ? along.at[k] : -along.at[k];
    }
    return in_plane ? up : way;
}

static bool faces(struct point way, const int edge[3], const int t[EDGES])
{
    struct point p[3];

    place(edge, t, p);
    return dot(normal_of(p), way) > 0;
}

static bool check_none_turns_over(int signs, const struct triangles *triangles)
{
    uint32_t random = 1 + (uint32_t)signs;
    int t[EDGES] = {0};

    for (int i = 0; i < triangles->count; i++) {
        const int *edge = triangles->edge[i];
        struct point way = way_to_air(signs, edge);

        for (int n = 0; set_combination(corner_set(edge), n, t); n++) {
            if (!faces(way, edge, t))
                return refuse_at("turned over", signs, edge, t);
        }
        for (int n = 0; n < RANDOM_VECTORS; n++) {
            set_random(&random, t);
            if (!faces(way, edge, t))
                return refuse_at("turned over", signs, edge, t);
        }
    }
    return true;
}

/* Between the four samples from `first` on, `step` apart, of -1 (solid) or +1 (air); a and b in 0..1 between
 * them. */
static double bilinear(int signs, int first, int step, double a, double b)
{
    double sum = 0;

    for (int i = 0; i < 4; i++)
        sum += (is_solid(signs, first + step * ((i & 1) + 3 * (i >> 1))) ? -1 : 1) * (i & 1 ? a : 1 - a) *
               (i >> 1 ? b : 1 - b);
    return sum;
}

/* The field in the cell, linear from the full-resolution face to the other. */
static double field_at(int signs, const double at[3])
{
    double u = at[0] / 512, v = at[1] / 512, w = at[2] / 256;
    int i = u >= 1, j = v >= 1;

    return (1 - w) * bilinear(signs, i + 3 * j, 1, u - i, v - j) + w * bilinear(signs, 0, 2, u / 2, v / 2);
}

static bool check_gradient_at_midpoints(int signs, const struct triangles *triangles)
{
    int t[EDGES];

    for (int e = 0; e < EDGES; e++)
        t[e] = 128;
    for (int i = 0; i < triangles->count; i++) {
        struct point p[3], up;
        double along = 0;

        place(triangles->edge[i], t, p);
        up = normal_of(p);
        for (int k = 0; k < 3; k++) {
            double before[3], after[3];

            for (int j = 0; j < 3; j++)
                before[j] = after[j] = (double)(p[0].at[j] + p[1].at[j] + p[2].at[j]) / 3;
            before[k] -= 1; /* linear along each axis but for the kink between quarters */
            after[k] += 1;
            along += (double)up.at[k] * (field_at(signs, after) - field_at(signs, before));
        }
        if (along <= 1e-6)
            return refuse_at("against the gradient", signs, triangles->edge[i], t);
    }
    return true;
}

/* ---- tests: the table holds ---- */

static void the_drawing_numbers_each_edge_of_the_cell_once(void **state)
{
    static const char *const ends[EDGES] = {"0-1", "1-2", "3-4", "4-5", "6-7", "7-8", "0-3", "1-4",
                                            "2-5", "3-6", "4-7", "5-8", "0-2", "6-8", "0-6", "2-8"};

    (void)state;
    for (int e = 0; e < EDGES; e++) {
        char text[16];

        snprintf(text, sizeof text, "%d-%d", edge_lower(e), edge_upper(e));
        assert_string_equal(text, ends[e]);
    }
}

static void u_v_w_are_right_handed_on_all_faces_of_a_tile(void **state)
{
    (void)state;
    for (int face = 0; face < 6; face++) {
        struct point u = {{0}}, v = {{0}}, w = {{0}};

        u.at[tr_transition_u_axis((uint)face)] = 1;
        v.at[tr_transition_v_axis((uint)face)] = 1;
        w.at[face / 2] = face % 2 ? -1 : 1;
        assert_int_equal(dot(cross(u, v), w), 1);
    }
}

static void the_table_has_2640_triangles_and_no_odd_bits(void **state)
{
    int total = 0;

    (void)state;
    for (int signs = 0; signs < CASES; signs++) {
        tr_transition_packed packed = tr_transition_table[signs];
        const uint word[5] = {packed.word0, packed.word1, packed.word2, packed.word3, packed.word4};
        int count = triangles_of(signs).count;

        for (int place = 1 + 3 * count; place < PLACES; place++) {
            if (word[place / 8] >> 4 * (place % 8) & 15)
                fail_msg("case 0x%03x: bits behind its %d triangles", signs, count);
        }
        total += count;
    }
    assert_int_equal(total, 2640);
}

static void expect_in_all_cases(bool (*check)(int signs, const struct triangles *triangles))
{
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles triangles = triangles_of(signs);

        if (!check(signs, &triangles))
            fail_msg("%s", fault);
    }
}

static void vertices_lie_on_exactly_the_edges_that_change_sign(void **state)
{
    (void)state;
    expect_in_all_cases(check_vertices);
}

static void no_two_triangles_of_a_case_have_the_same_corners(void **state)
{
    (void)state;
    expect_in_all_cases(check_duplicates);
}

static void no_side_repeats_and_sides_met_once_lie_on_a_face(void **state)
{
    (void)state;
    expect_in_all_cases(check_sides);
}

static void no_diagonal_has_both_ends_on_the_half_resolution_face_or_a_side(void **state)
{
    (void)state;
    expect_in_all_cases(check_diagonals);
}

static void each_loop_bounds_a_disk_but_for_the_one_ring(void **state)
{
    (void)state;
    expect_in_all_cases(check_disks);
}

static void quarters_and_half_resolution_face_show_the_reverse_of_regular_cells(void **state)
{
    (void)state;
    expect_in_all_cases(check_contours_with_regular_cells);
}

static void a_side_shows_what_its_three_signs_say(void **state)
{
    (void)state;
    expect_in_all_cases(check_contours_of_sides);
}

static void no_two_triangles_of_a_case_cross_or_overlap(void **state)
{
    (void)state;
    expect_in_all_cases(check_crossings);
}

static void no_triangle_turns_over_wherever_its_corners_lie(void **state)
{
    (void)state;
    expect_in_all_cases(check_none_turns_over);
}

static void no_triangle_opposes_the_gradient_at_midpoints(void **state)
{
    (void)state;
    expect_in_all_cases(check_gradient_at_midpoints);
}

/* The generator stands beside the tests in the build folder. */
static void the_table_is_what_the_generator_prints(void **state)
{
    char path[4096], command[4200], line[256];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    char *folder;
    FILE *pipe;
    int compared = 0;

    (void)state;
    assert_true(length > 0);
    path[length] = 0;
    folder = strstr(path, "/tests/unit/");
    assert_non_null(folder);
    *folder = 0;
    snprintf(command, sizeof command, "'%s/gen/case_table_gen' transition", path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) {
        tr_transition_packed made;
        int signs;

        if (sscanf(line, "/* %d */ {%xu, %xu, %xu, %xu, %xu}", &signs, &made.word0, &made.word1, &made.word2,
                   &made.word3, &made.word4) != 6)
            continue;
        assert_in_range(signs, 0, CASES - 1);
        if (memcmp(&made, &tr_transition_table[signs], sizeof made))
            fail_msg("case 0x%03x: the generator prints %s", signs, line);
        compared++;
    }
    assert_int_equal(pclose(pipe), 0);
    assert_int_equal(compared, CASES);
}

/* ---- tests: a wrong case is refused ---- */

enum {
    VERTICES = 1 << 0,
    DUPLICATES = 1 << 1,
    SIDES = 1 << 2,
    DIAGONALS = 1 << 3,
    DISKS = 1 << 4,
    REGULAR_CELLS = 1 << 5,
    NARROW_SIDES = 1 << 6,
    CROSSINGS = 1 << 7,
    TURNS_OVER = 1 << 8,
    GRADIENT = 1 << 9,
};

static int checks_that_refuse(int signs, const struct triangles *triangles)
{
    static bool (*const checks[])(int signs,
                                  const struct triangles *triangles) = {check_vertices,
                                                                        check_duplicates,
                                                                        check_sides,
                                                                        check_diagonals,
                                                                        check_disks,
                                                                        check_contours_with_regular_cells,
                                                                        check_contours_of_sides,
                                                                        check_crossings,
                                                                        check_none_turns_over,
                                                                        check_gradient_at_midpoints};
    int refused = 0;

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        refused |= !checks[i](signs, triangles) << i;
    return refused;
}

/* Cases in which one thing is wrong, and the checks that see it, no others. */
static void each_fault_is_refused_by_the_checks_that_look_for_it(void **state)
{
    static const struct {
        const char *name;
        int refused_by, signs;
        struct triangles triangles;
    } faults[] = {
        {"an edge that is not crossed",
         VERTICES | SIDES | DISKS | REGULAR_CELLS,
         0x001,
         {2, {{0, 5, 12}, {6, 14, 12}}}},
        {"a triangle left out",
         VERTICES | SIDES | DISKS | REGULAR_CELLS | NARROW_SIDES,
         0x001,
         {1, {{0, 6, 12}}}},
        {"a triangle turned round",
         SIDES | DISKS | REGULAR_CELLS | NARROW_SIDES | TURNS_OVER | GRADIENT,
         0x001,
         {2, {{0, 6, 12}, {14, 6, 12}}}},
        {"all turned round",
         REGULAR_CELLS | NARROW_SIDES | TURNS_OVER | GRADIENT,
         0x001,
         {2, {{6, 0, 12}, {14, 6, 12}}}},
        {"front and back of a triangle",
         DUPLICATES | SIDES | DIAGONALS | DISKS | REGULAR_CELLS | NARROW_SIDES | CROSSINGS | TURNS_OVER |
             GRADIENT,
         0x001,
         {3, {{0, 6, 12}, {6, 14, 12}, {14, 6, 12}}}},
        {"solid samples linked on an ambiguous quarter",
         REGULAR_CELLS,
         0x00a,
         {4, {{7, 0, 1}, {6, 0, 7}, {2, 6, 7}, {9, 6, 2}}}},
        {"a diagonal on the half-resolution face",
         DIAGONALS,
         0x05e,
         {8,
          {{0, 12, 6},
           {12, 15, 6},
           {15, 14, 6},
           {15, 13, 14},
           {15, 3, 13},
           {15, 8, 3},
           {3, 10, 13},
           {10, 4, 13}}}},
        {"two disks for the ring",
         DISKS | CROSSINGS | GRADIENT,
         RING_CASE,
         {8, {{0, 6, 9}, {0, 9, 4}, {0, 4, 5}, {0, 5, 11}, {0, 11, 8}, {0, 8, 1}, {2, 7, 3}, {2, 3, 10}}}},
        {"two triangles that cross at some positions",
         CROSSINGS,
         0x039,
         {6, {{0, 7, 12}, {7, 8, 12}, {8, 14, 12}, {8, 11, 14}, {11, 10, 14}, {10, 9, 14}}}},
        {"two triangles that cross from a common corner",
         CROSSINGS,
         0x065,
         {7, {{0, 6, 1}, {6, 9, 1}, {9, 4, 1}, {4, 13, 1}, {13, 15, 1}, {15, 3, 1}, {15, 11, 3}}}},
        {"two triangles that overlap in the full-resolution face at some positions",
         CROSSINGS,
         0x015,
         {6, {{0, 6, 1}, {6, 14, 1}, {14, 15, 1}, {15, 8, 1}, {2, 7, 10}, {7, 3, 10}}}},
        {"a triangle that turns over at some positions",
         TURNS_OVER,
         0x003,
         {3, {{1, 6, 12}, {1, 7, 6}, {6, 14, 12}}}},
        {"a triangle against the gradient",
         GRADIENT,
         0x01d,
         {7, {{0, 7, 1}, {7, 8, 1}, {7, 14, 8}, {7, 10, 14}, {7, 3, 10}, {10, 9, 14}, {14, 15, 8}}}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        int refused_by = checks_that_refuse(faults[i].signs, &faults[i].triangles);

        if (refused_by != faults[i].refused_by)
            fail_msg("%s: refused by checks %03x, expected %03x", faults[i].name, refused_by,
                     faults[i].refused_by);
    }
}

/* ---- tests: the oracles ---- */

static FILE *open_oracle(const char *name)
{
    const char *folder = getenv("TERRAIN_TEST_DATA");
    char path[4096];
    FILE *file = NULL;

    if (folder && snprintf(path, sizeof path, "%s/oracle/%s", folder, name) < (int)sizeof path)
        file = fopen(path, "r");
    if (!file) {
        print_message("skipped: TERRAIN_TEST_DATA names no folder with oracle/%s\n", name);
        skip();
    }
    return file;
}

/* The edge between two samples of 0..12, where 9..12 are those of the half-resolution face. */
static int edge_between(int a, int b)
{
    static const int seen_from_half[4] = {0, 2, 6, 8};
    bool half = a >= 9 && b >= 9;
    int low = a < b ? a : b, high = a < b ? b : a;

    for (int e = 0; e < EDGES; e++) {
        if ((e >= FULL_EDGES) == half && edge_lower(e) == (half ? seen_from_half[low - 9] : low) &&
            edge_upper(e) == (half ? seen_from_half[high - 9] : high))
            return e;
    }
    fail_msg("oracle: no edge %d-%d", a, b);
    return -1;
}

/* Both tables may fill a loop differently, but must have the same loops. */
static void compare_with_oracle(int signs, const struct triangles *oracle)
{
    struct triangles triangles = triangles_of(signs);
    int own[EDGES][EDGES], other[EDGES][EDGES];

    if (triangles.count != oracle->count)
        fail_msg("case 0x%03x: %d triangles, oracle %d", signs, triangles.count, oracle->count);
    count_sides(&triangles, own);
    count_sides(oracle, other);
    for (int a = 0; a < EDGES; a++) {
        int used = 0;

        for (int b = 0; b < EDGES; b++) {
            used |= (own[a][b] > 0) | (other[a][b] > 0) << 1;
            if (is_open(own, a, b) != is_open(other, a, b))
                fail_msg("case 0x%03x: contour %d-%d is %d, oracle %d", signs, a, b, is_open(own, a, b),
                         is_open(other, a, b));
        }
        if (used == 1 || used == 2)
            fail_msg("case 0x%03x: edge %d is crossed in one table only", signs, a);
    }
}

/* Lines "T case a-b a-b a-b ...": three pairs of samples a triangle. */
static void crossings_contours_and_counts_equal_the_prototype(void **state)
{
    FILE *file = open_oracle("case_tables.txt");
    char line[1024];
    int compared = 0;

    (void)state;
    while (fgets(line, sizeof line, file)) {
        struct triangles oracle = {0};
        const char *text = line;
        int signs, a, b, length, corners = 0;

        if (sscanf(line, "T %d%n", &signs, &length) != 1)
            continue;
        assert_in_range(signs, 0, CASES - 1);
        for (text += length; sscanf(text, " %d-%d%n", &a, &b, &length) == 2; text += length) {
            assert_in_range(corners, 0, 3 * TRIANGLES_MAX - 1);
            oracle.edge[corners / 3][corners % 3] = edge_between(a, b);
            corners++;
        }
        oracle.count = corners / 3;
        compare_with_oracle(signs, &oracle);
        compared++;
    }
    fclose(file);
    assert_int_equal(compared, CASES);
}

/* The published table has a bit of its own for each sample and, for each case, a class of triangles between
 * the case's vertices: bit 7 of the class number turns them round, and a vertex code's low byte is its two
 * samples. */
static struct triangles published_case(const cJSON *root, int published_signs)
{
    int class =
        cJSON_GetArrayItem(cJSON_GetObjectItem(root, "transitionCellClass"), published_signs)->valueint;
    const cJSON *data = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "transitionCellData"), class & 0x7f);
    const cJSON *vertices =
        cJSON_GetArrayItem(cJSON_GetObjectItem(root, "transitionVertexData"), published_signs);
    struct triangles triangles = {0};
    const cJSON *index;
    int corners = 0;

    cJSON_ArrayForEach(index, cJSON_GetObjectItem(data, "vertexIndex"))
    {
        int code = cJSON_GetArrayItem(vertices, index->valueint)->valueint;

        assert_in_range(corners, 0, 3 * TRIANGLES_MAX - 1);
        triangles.edge[corners / 3][corners % 3] = edge_between(code >> 4 & 15, code & 15);
        corners++;
    }
    triangles.count = corners / 3;
    for (int i = 0; class & 0x80 && i < triangles.count; i++) {
        int first = triangles.edge[i][0];

        triangles.edge[i][0] = triangles.edge[i][1];
        triangles.edge[i][1] = first;
    }
    return triangles;
}

static void crossings_contours_and_counts_equal_the_published_table(void **state)
{
    static const int published_bit[TR_TRANSITION_SAMPLES] = {0x01, 0x02, 0x04, 0x80, 0x100,
                                                             0x08, 0x40, 0x20, 0x10};
    static char text[1 << 17];
    FILE *file = open_oracle("transvoxel_tables.json");
    cJSON *root;

    (void)state;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    root = cJSON_Parse(text);
    assert_non_null(root);
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles oracle;
        int published_signs = 0;

        for (int i = 0; i < TR_TRANSITION_SAMPLES; i++)
            published_signs |= is_solid(signs, i) ? published_bit[i] : 0;
        oracle = published_case(root, published_signs);
        compare_with_oracle(signs, &oracle);
    }
    cJSON_Delete(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_drawing_numbers_each_edge_of_the_cell_once),
        cmocka_unit_test(u_v_w_are_right_handed_on_all_faces_of_a_tile),
        cmocka_unit_test(the_table_has_2640_triangles_and_no_odd_bits),
        cmocka_unit_test(vertices_lie_on_exactly_the_edges_that_change_sign),
        cmocka_unit_test(no_two_triangles_of_a_case_have_the_same_corners),
        cmocka_unit_test(no_side_repeats_and_sides_met_once_lie_on_a_face),
        cmocka_unit_test(no_diagonal_has_both_ends_on_the_half_resolution_face_or_a_side),
        cmocka_unit_test(each_loop_bounds_a_disk_but_for_the_one_ring),
        cmocka_unit_test(quarters_and_half_resolution_face_show_the_reverse_of_regular_cells),
        cmocka_unit_test(a_side_shows_what_its_three_signs_say),
        cmocka_unit_test(no_two_triangles_of_a_case_cross_or_overlap),
        cmocka_unit_test(no_triangle_turns_over_wherever_its_corners_lie),
        cmocka_unit_test(no_triangle_opposes_the_gradient_at_midpoints),
        cmocka_unit_test(the_table_is_what_the_generator_prints),
        cmocka_unit_test(each_fault_is_refused_by_the_checks_that_look_for_it),
        cmocka_unit_test(crossings_contours_and_counts_equal_the_prototype),
        cmocka_unit_test(crossings_contours_and_counts_equal_the_published_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
