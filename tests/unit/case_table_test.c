/* The table of the regular cell: all 256 cases, against the rules and against two oracles made by other code.
 *
 * A check takes one case and says whether it holds, so that each is also tried on cases in which one thing is
 * wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/mesh/case_table.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CASES 256
#define EDGES 12
#define TRIANGLES_MAX TR_CASE_TRIANGLES_MAX
#define RANDOM_VECTORS 1000

struct triangles {
    uint32_t count;
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

/* ---- the cell, from the drawing in shaders/cell.h ---- */

static int edge_axis(int e)
{
    return e / 4;
}

static int edge_lower_corner(int e)
{
    static const int lower[EDGES] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};

    return lower[e];
}

static int edge_upper_corner(int e)
{
    return edge_lower_corner(e) | 1 << edge_axis(e);
}

static bool is_solid(int signs, int corner)
{
    return signs >> corner & 1;
}

static bool is_crossed(int signs, int e)
{
    return is_solid(signs, edge_lower_corner(e)) != is_solid(signs, edge_upper_corner(e));
}

/* The face across `axis` at its lower (0) or upper (1) end. */
static bool lies_on_face(int e, int axis, int end)
{
    return edge_axis(e) != axis && (edge_lower_corner(e) >> axis & 1) == end;
}

static bool share_a_face(int e, int other)
{
    for (int face = 0; face < 6; face++) {
        if (lies_on_face(e, face >> 1, face & 1) && lies_on_face(other, face >> 1, face & 1))
            return true;
    }
    return false;
}

static struct triangles triangles_of(int signs)
{
    tr_case_packed packed = tr_case_table[signs];
    struct triangles triangles = {.count = tr_case_count(packed)};

    if (triangles.count > TRIANGLES_MAX)
        fail_msg("case %d: %u triangles", signs, triangles.count);
    for (uint32_t i = 0; i < 3 * triangles.count; i++)
        triangles.edge[i / 3][i % 3] = (int)tr_case_edge(packed, i);
    return triangles;
}

/* How often each directed side from one edge's vertex to another's occurs. */
static void count_sides(const struct triangles *triangles, int sides[EDGES][EDGES])
{
    for (int i = 0; i < EDGES * EDGES; i++)
        sides[i / EDGES][i % EDGES] = 0;
    for (uint32_t t = 0; t < triangles->count; t++) {
        for (int i = 0; i < 3; i++)
            sides[triangles->edge[t][i]][triangles->edge[t][(i + 1) % 3]]++;
    }
}

static bool is_open(int sides[EDGES][EDGES], int a, int b)
{
    return sides[a][b] && !sides[b][a];
}

/* ---- checks: topology ---- */

static bool check_vertices(int signs, const struct triangles *triangles)
{
    uint32_t used = 0, crossed = 0;

    for (uint32_t i = 0; i < 3 * triangles->count; i++)
        used |= 1u << triangles->edge[i / 3][i % 3];
    for (int e = 0; e < EDGES; e++)
        crossed |= (uint32_t)is_crossed(signs, e) << e;
    return used == crossed || refuse("case %d: edges used %03x, crossed %03x", signs, used, crossed);
}

static bool check_sides(int signs, const struct triangles *triangles)
{
    int sides[EDGES][EDGES];

    count_sides(triangles, sides);
    for (int a = 0; a < EDGES; a++) {
        for (int b = 0; b < EDGES; b++) {
            if (sides[a][b] > 1 || (a == b && sides[a][b]))
                return refuse("case %d: side %d-%d occurs %d times", signs, a, b, sides[a][b]);
            if (is_open(sides, a, b) && !share_a_face(a, b))
                return refuse("case %d: open side %d-%d lies on no face", signs, a, b);
        }
    }
    return true;
}

static bool check_diagonals(int signs, const struct triangles *triangles)
{
    int sides[EDGES][EDGES];

    count_sides(triangles, sides);
    for (int a = 0; a < EDGES; a++) {
        for (int b = 0; b < EDGES; b++) {
            if (sides[a][b] && sides[b][a] && share_a_face(a, b))
                return refuse("case %d: diagonal %d-%d lies on a face", signs, a, b);
        }
    }
    return true;
}

/* ---- checks: contours on faces ---- */

/* Edge e of the face across `axis`, numbered alike on both faces across it. */
static int edge_within_face(int e, int axis)
{
    int first = (axis + 1) % 3, second = (axis + 2) % 3;
    int across = edge_axis(e) == first ? second : first;

    return (edge_axis(e) == first ? 0 : 2) + (edge_lower_corner(e) >> across & 1);
}

static int face_signs(int signs, int axis, int end)
{
    int found = 0;

    for (int i = 0; i < 4; i++) {
        int corner = end << axis | (i & 1) << (axis + 1) % 3 | (i >> 1) << (axis + 2) % 3;

        found |= is_solid(signs, corner) << i;
    }
    return found;
}

/* The open sides on a face: bit 4a + b for one from edge a to edge b of the face. */
static uint32_t face_contour(const struct triangles *triangles, int axis, int end)
{
    int sides[EDGES][EDGES];
    uint32_t contour = 0;

    count_sides(triangles, sides);
    for (int a = 0; a < EDGES; a++) {
        for (int b = 0; b < EDGES; b++) {
            if (sides[a][b] && !sides[b][a] && lies_on_face(a, axis, end) && lies_on_face(b, axis, end))
                contour |= 1u << (4 * edge_within_face(a, axis) + edge_within_face(b, axis));
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

/* A face's signs say its contour: on the square of its corners, counter-clockwise seen from outside, a
 * segment goes from where each run of solid corners begins to where it ends. So solid corners are apart where
 * all four edges are crossed, and the contour that a neighbour has on the same square is the reverse. */
static uint32_t expected_contour(int own_signs, int end)
{
    /* corners and edges counter-clockwise seen from the upper end of the axis; edge i goes from corner i to
     * the next */
    static const int corner[4] = {0, 1, 3, 2}, edge[4] = {0, 3, 1, 2};
    uint32_t contour = 0;

    for (int i = 0; i < 4; i++) {
        int last = (i + 1) % 4;

        if (is_solid(own_signs, corner[i]) || !is_solid(own_signs, corner[last]))
            continue;
        while (is_solid(own_signs, corner[(last + 1) % 4]))
            last = (last + 1) % 4;
        contour |= 1u << (4 * edge[i] + edge[last]);
    }
    return end ? contour : reversed(contour);
}

static bool check_contours(int signs, const struct triangles *triangles)
{
    for (int face = 0; face < 6; face++) {
        int axis = face >> 1, end = face & 1, own = face_signs(signs, axis, end);
        uint32_t contour = face_contour(triangles, axis, end), expected = expected_contour(own, end);

        if (contour != expected)
            return refuse("case %d, axis %d, end %d, signs %x: contour %04x, expected %04x", signs, axis, end,
                          own, contour, expected);
    }
    return true;
}

/* ---- geometry: integers in 1/256 of a cell ---- */

struct point {
    int64_t at[3];
};

static struct point crossing(int e, int t)
{
    struct point p;

    for (int k = 0; k < 3; k++)
        p.at[k] = (edge_lower_corner(e) >> k & 1) * 256 + (k == edge_axis(e) ? t : 0);
    return p;
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

static void place(const int edge[3], const int t[EDGES], struct point p[3])
{
    for (int i = 0; i < 3; i++)
        p[i] = crossing(edge[i], t[edge[i]]);
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

/* True where the normal leans to the way from solid to air along the triangle's three edges, summed. */
static bool faces_air(int signs, const int edge[3], const int t[EDGES])
{
    struct point p[3], n;
    int64_t sum = 0;

    place(edge, t, p);
    n = normal_of(p);
    for (int i = 0; i < 3; i++)
        sum += is_solid(signs, edge_lower_corner(edge[i])) ? n.at[edge_axis(edge[i])]
                                                           : -n.at[edge_axis(edge[i])];
    return sum > 0;
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

static uint32_t edge_set(const int edge[3])
{
    return 1u << edge[0] | 1u << edge[1] | 1u << edge[2];
}

static uint32_t random_next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static bool refuse_at(const char *what, int signs, const int edge[3], const int t[EDGES])
{
    return refuse("case %d: %s, triangle %d-%d-%d at %d %d %d", signs, what, edge[0], edge[1], edge[2],
                  t[edge[0]], t[edge[1]], t[edge[2]]);
}

static void set_random(uint32_t *state, int t[EDGES])
{
    for (int e = 0; e < EDGES; e++)
        t[e] = 1 + (int)(random_next(state) % 255);
}

/* ---- checks: geometry ---- */

/* Two triangles depend on their own edges only, so all combinations of each pair are all combinations of the
 * case. */
static bool check_crossings(int signs, const struct triangles *triangles)
{
    uint32_t random = 1 + (uint32_t)signs;
    int t[EDGES] = {0};

    for (uint32_t i = 1; i < triangles->count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const int *a = triangles->edge[i], *b = triangles->edge[k];

            for (int n = 0; set_combination(edge_set(a) | edge_set(b), n, t); n++) {
                if (triangles_cross(a, b, t))
                    return refuse_at("crosses an earlier one", signs, a, t);
            }
        }
    }
    for (int n = 0; n < RANDOM_VECTORS; n++) {
        set_random(&random, t);
        for (uint32_t i = 1; i < triangles->count; i++) {
            for (uint32_t k = 0; k < i; k++) {
                if (triangles_cross(triangles->edge[i], triangles->edge[k], t))
                    return refuse_at("crosses an earlier one", signs, triangles->edge[i], t);
            }
        }
    }
    return true;
}

static bool check_faces_air(int signs, const struct triangles *triangles)
{
    uint32_t random = 1 + (uint32_t)signs;
    int t[EDGES] = {0};

    for (uint32_t i = 0; i < triangles->count; i++) {
        const int *edge = triangles->edge[i];

        for (int n = 0; set_combination(edge_set(edge), n, t); n++) {
            if (!faces_air(signs, edge, t))
                return refuse_at("inverted", signs, edge, t);
        }
        for (int n = 0; n < RANDOM_VECTORS; n++) {
            set_random(&random, t);
            if (!faces_air(signs, edge, t))
                return refuse_at("inverted", signs, edge, t);
        }
    }
    return true;
}

/* The field between corners of -1 (solid) and +1 (air). */
static double interpolate(int signs, const double at[3])
{
    double sum = 0;

    for (int corner = 0; corner < 8; corner++) {
        double weight = is_solid(signs, corner) ? -1 : 1;

        for (int k = 0; k < 3; k++)
            weight *= corner >> k & 1 ? at[k] : 1 - at[k];
        sum += weight;
    }
    return sum;
}

static bool check_gradient_at_midpoints(int signs, const struct triangles *triangles)
{
    int t[EDGES];

    for (int e = 0; e < EDGES; e++)
        t[e] = 128;
    for (uint32_t i = 0; i < triangles->count; i++) {
        struct point p[3], n;
        double along = 0;

        place(triangles->edge[i], t, p);
        n = normal_of(p);
        for (int k = 0; k < 3; k++) {
            double before[3], behind[3];

            for (int j = 0; j < 3; j++)
                before[j] = behind[j] = (double)(p[0].at[j] + p[1].at[j] + p[2].at[j]) / 768;
            before[k] -= 0.25; /* linear along each axis: any step gives the derivative */
            behind[k] += 0.25;
            along += (double)n.at[k] * (interpolate(signs, behind) - interpolate(signs, before));
        }
        if (along <= 1e-6)
            return refuse_at("against the gradient", signs, triangles->edge[i], t);
    }
    return true;
}

/* ---- tests: the table holds ---- */

static void the_table_has_820_triangles_and_no_odd_bits(void **state)
{
    uint32_t total = 0;

    (void)state;
    for (int signs = 0; signs < CASES; signs++) {
        tr_case_packed packed = tr_case_table[signs];
        uint64_t bits = (uint64_t)packed.hi << 32 | packed.lo;
        uint32_t used = 4 + 12 * triangles_of(signs).count;

        total += tr_case_count(packed);
        if ((bits & 8) || (used < 64 && bits >> used))
            fail_msg("case %d: bits outside of its triangles: %08x %08x", signs, packed.hi, packed.lo);
    }
    assert_int_equal(total, 820);
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

static void no_side_repeats_and_sides_met_once_lie_on_a_face(void **state)
{
    (void)state;
    expect_in_all_cases(check_sides);
}

static void no_diagonal_has_both_ends_on_one_face(void **state)
{
    (void)state;
    expect_in_all_cases(check_diagonals);
}

static void a_face_shows_what_its_own_signs_say_and_its_neighbour_the_reverse(void **state)
{
    (void)state;
    expect_in_all_cases(check_contours);
}

static void no_two_triangles_of_a_case_cross_or_overlap(void **state)
{
    (void)state;
    expect_in_all_cases(check_crossings);
}

static void every_triangle_faces_the_air_wherever_its_corners_lie(void **state)
{
    (void)state;
    expect_in_all_cases(check_faces_air);
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
    snprintf(command, sizeof command, "'%s/gen/case_table_gen' regular", path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) {
        tr_case_packed made;
        int signs;

        if (sscanf(line, "/* %d */ {%xu, %xu}", &signs, &made.lo, &made.hi) != 3)
            continue;
        assert_in_range(signs, 0, CASES - 1);
        if (memcmp(&made, &tr_case_table[signs], sizeof made))
            fail_msg("case %d: the generator prints %s", signs, line);
        compared++;
    }
    assert_int_equal(pclose(pipe), 0);
    assert_int_equal(compared, CASES);
}

/* ---- tests: a wrong case is refused ---- */

enum {
    VERTICES = 1 << 0,
    SIDES = 1 << 1,
    DIAGONALS = 1 << 2,
    CONTOURS = 1 << 3,
    CROSSINGS = 1 << 4,
    FACES_AIR = 1 << 5,
    GRADIENT = 1 << 6,
};

static int checks_that_refuse(int signs, const struct triangles *triangles)
{
    static bool (*const checks[])(int signs,
                                  const struct triangles *triangles) = {check_vertices,
                                                                        check_sides,
                                                                        check_diagonals,
                                                                        check_contours,
                                                                        check_crossings,
                                                                        check_faces_air,
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
        {"an edge that is not crossed", VERTICES | SIDES | CONTOURS, 1, {1, {{0, 4, 9}}}},
        {"a triangle left out", VERTICES | SIDES | CONTOURS, 3, {1, {{4, 8, 5}}}},
        {"a triangle turned round", SIDES | CONTOURS | FACES_AIR | GRADIENT, 3, {2, {{4, 8, 5}, {9, 8, 5}}}},
        {"all turned round", CONTOURS | FACES_AIR | GRADIENT, 3, {2, {{8, 4, 5}, {9, 8, 5}}}},
        {"a triangle twice", SIDES | CROSSINGS, 3, {3, {{4, 8, 5}, {8, 9, 5}, {8, 9, 5}}}},
        {"solid corners linked on an ambiguous face",
         CONTOURS,
         6,
         {4, {{4, 0, 9}, {10, 4, 9}, {1, 10, 9}, {5, 1, 9}}}},
        {"a diagonal on a face", DIAGONALS, 111, {4, {{2, 7, 8}, {7, 6, 8}, {7, 11, 6}, {11, 3, 6}}}},
        {"a diagonal on a face, and inverted at some positions",
         DIAGONALS | FACES_AIR,
         61,
         {5, {{0, 5, 9}, {5, 11, 9}, {11, 10, 9}, {10, 6, 9}, {6, 7, 9}}}},
        {"two triangles that cross at some positions",
         CROSSINGS,
         61,
         {5, {{0, 10, 9}, {0, 11, 10}, {0, 5, 11}, {10, 6, 9}, {6, 7, 9}}}},
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

/* The edge between two corners. */
static int edge_between(int a, int b)
{
    for (int e = 0; e < EDGES; e++) {
        if (edge_lower_corner(e) == (a < b ? a : b) && edge_upper_corner(e) == (a < b ? b : a))
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
        fail_msg("case %d: %u triangles, oracle %u", signs, triangles.count, oracle->count);
    count_sides(&triangles, own);
    count_sides(oracle, other);
    for (int a = 0; a < EDGES; a++) {
        uint32_t used = 0;

        for (int b = 0; b < EDGES; b++) {
            used |= (uint32_t)(own[a][b] > 0) | (uint32_t)(other[a][b] > 0) << 1;
            if (is_open(own, a, b) != is_open(other, a, b))
                fail_msg("case %d: contour %d-%d is %d, oracle %d", signs, a, b, is_open(own, a, b),
                         is_open(other, a, b));
        }
        if (used == 1 || used == 2)
            fail_msg("case %d: edge %d is crossed in one table only", signs, a);
    }
}

/* Lines "R case a-b a-b a-b ...": three pairs of corners a triangle. */
static void crossings_contours_and_counts_equal_the_prototype(void **state)
{
    FILE *file = open_oracle("case_tables.txt");
    char line[1024];
    int compared = 0;

    (void)state;
    while (fgets(line, sizeof line, file)) {
        struct triangles oracle = {0};
        const char *text = line;
        int signs, a, b, length;
        uint32_t corners = 0;

        if (sscanf(line, "R %d%n", &signs, &length) != 1)
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

/* The published table has, for each case, a class of triangles between the case's vertices; a vertex code's
 * low byte is its two corners. Corners and cases have the same numbers as ours. */
static struct triangles published_case(const cJSON *root, int signs)
{
    int class = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "regularCellClass"), signs)->valueint;
    const cJSON *data = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "regularCellData"), class);
    const cJSON *vertices = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "regularVertexData"), signs);
    struct triangles triangles = {0};
    const cJSON *index;
    uint32_t corners = 0;

    cJSON_ArrayForEach(index, cJSON_GetObjectItem(data, "vertexIndex"))
    {
        int code = cJSON_GetArrayItem(vertices, index->valueint)->valueint;

        assert_in_range(corners, 0, 3 * TRIANGLES_MAX - 1);
        triangles.edge[corners / 3][corners % 3] = edge_between(code >> 4 & 15, code & 15);
        corners++;
    }
    triangles.count = corners / 3;
    return triangles;
}

static void crossings_contours_and_counts_equal_the_published_table(void **state)
{
    static char text[1 << 17];
    FILE *file = open_oracle("transvoxel_tables.json");
    cJSON *root;

    (void)state;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    root = cJSON_Parse(text);
    assert_non_null(root);
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles oracle = published_case(root, signs);

        compare_with_oracle(signs, &oracle);
    }
    cJSON_Delete(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_820_triangles_and_no_odd_bits),
        cmocka_unit_test(vertices_lie_on_exactly_the_edges_that_change_sign),
        cmocka_unit_test(no_side_repeats_and_sides_met_once_lie_on_a_face),
        cmocka_unit_test(no_diagonal_has_both_ends_on_one_face),
        cmocka_unit_test(a_face_shows_what_its_own_signs_say_and_its_neighbour_the_reverse),
        cmocka_unit_test(no_two_triangles_of_a_case_cross_or_overlap),
        cmocka_unit_test(every_triangle_faces_the_air_wherever_its_corners_lie),
        cmocka_unit_test(no_triangle_opposes_the_gradient_at_midpoints),
        cmocka_unit_test(the_table_is_what_the_generator_prints),
        cmocka_unit_test(each_fault_is_refused_by_the_checks_that_look_for_it),
        cmocka_unit_test(crossings_contours_and_counts_equal_the_prototype),
        cmocka_unit_test(crossings_contours_and_counts_equal_the_published_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
