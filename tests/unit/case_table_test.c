/* The table of the regular cell: all 256 cases, against the rules and against an oracle made by other code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/mesh/case_table.h"

#include <stdio.h>
#include <stdlib.h>

#define CASES 256
#define EDGES 12
#define TRIANGLES_MAX TR_CASE_TRIANGLES_MAX
#define RANDOM_VECTORS 1000

struct triangles {
    uint32_t count;
    int edge[TRIANGLES_MAX][3];
};

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

/* ---- topology ---- */

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

static void vertices_lie_on_exactly_the_edges_that_change_sign(void **state)
{
    (void)state;
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles triangles = triangles_of(signs);
        uint32_t used = 0, crossed = 0;

        for (uint32_t i = 0; i < 3 * triangles.count; i++)
            used |= 1u << triangles.edge[i / 3][i % 3];
        for (int e = 0; e < EDGES; e++)
            crossed |= (uint32_t)is_crossed(signs, e) << e;
        if (used != crossed)
            fail_msg("case %d: edges used %03x, crossed %03x", signs, used, crossed);
    }
}

static void no_side_repeats_and_sides_met_once_lie_on_a_face(void **state)
{
    (void)state;
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles triangles = triangles_of(signs);
        int sides[EDGES][EDGES];

        count_sides(&triangles, sides);
        for (int a = 0; a < EDGES; a++) {
            for (int b = 0; b < EDGES; b++) {
                if (sides[a][b] > 1 || (a == b && sides[a][b]))
                    fail_msg("case %d: side %d-%d occurs %d times", signs, a, b, sides[a][b]);
                if (sides[a][b] && !sides[b][a] && !share_a_face(a, b))
                    fail_msg("case %d: open side %d-%d lies on no face", signs, a, b);
            }
        }
    }
}

static void no_diagonal_has_both_ends_on_one_face(void **state)
{
    (void)state;
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles triangles = triangles_of(signs);
        int sides[EDGES][EDGES];

        count_sides(&triangles, sides);
        for (int a = 0; a < EDGES; a++) {
            for (int b = 0; b < EDGES; b++) {
                if (sides[a][b] && sides[b][a] && share_a_face(a, b))
                    fail_msg("case %d: diagonal %d-%d lies on a face", signs, a, b);
            }
        }
    }
}

/* ---- contours on faces ---- */

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

static void a_face_shows_what_its_own_signs_say_and_its_neighbour_the_reverse(void **state)
{
    bool known[3][16] = {{false}};
    uint32_t contour[3][16];

    (void)state;
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles triangles = triangles_of(signs);

        for (int face = 0; face < 6; face++) {
            int axis = face >> 1, end = face & 1, own = face_signs(signs, axis, end);
            uint32_t found = face_contour(&triangles, axis, end);

            if (end == 1)
                found = reversed(found);
            if (!known[axis][own])
                contour[axis][own] = found;
            known[axis][own] = true;
            if (found != contour[axis][own])
                fail_msg("case %d, axis %d, end %d, signs %x: contour %04x, elsewhere %04x", signs, axis, end,
                         own, found, contour[axis][own]);
        }
    }
}

static void solid_corners_are_apart_on_ambiguous_faces(void **state)
{
    int segments = 0;

    (void)state;
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles triangles = triangles_of(signs);
        int sides[EDGES][EDGES];

        count_sides(&triangles, sides);
        for (int face = 0; face < 6; face++) {
            int own = face_signs(signs, face >> 1, face & 1);

            if (own != 6 && own != 9)
                continue;
            for (int a = 0; a < EDGES; a++) {
                for (int b = 0; b < EDGES; b++) {
                    int ends_a = 1 << edge_lower_corner(a) | 1 << edge_upper_corner(a);
                    int ends_b = 1 << edge_lower_corner(b) | 1 << edge_upper_corner(b);

                    if (!sides[a][b] || !lies_on_face(a, face >> 1, face & 1) ||
                        !lies_on_face(b, face >> 1, face & 1))
                        continue;
                    segments++;
                    if (!(ends_a & ends_b & signs))
                        fail_msg("case %d, face %d: segment %d-%d goes round no solid corner", signs, face, a,
                                 b);
                }
            }
        }
    }
    /* each of the 6 faces is ambiguous in 2 x 16 cases, with two segments each time */
    assert_int_equal(segments, 6 * 2 * 16 * 2);
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

static struct point normal_of(const struct point p[3])
{
    struct point u, v, n;

    for (int k = 0; k < 3; k++) {
        u.at[k] = p[1].at[k] - p[0].at[k];
        v.at[k] = p[2].at[k] - p[0].at[k];
    }
    for (int k = 0; k < 3; k++)
        n.at[k] = u.at[(k + 1) % 3] * v.at[(k + 2) % 3] - u.at[(k + 2) % 3] * v.at[(k + 1) % 3];
    return n;
}

static int64_t six_volumes(struct point a, struct point b, struct point c, struct point d)
{
    struct point n = normal_of((struct point[3]){a, b, c});
    int64_t sum = 0;

    for (int k = 0; k < 3; k++)
        sum += n.at[k] * (d.at[k] - a.at[k]);
    return sum;
}

static int sign(int64_t x)
{
    return (x > 0) - (x < 0);
}

static bool pierces(struct point a, struct point b, const struct point t[3])
{
    int turn = sign(six_volumes(a, b, t[0], t[1]));

    return turn && sign(six_volumes(a, b, t[1], t[2])) == turn &&
           sign(six_volumes(a, b, t[2], t[0])) == turn &&
           sign(six_volumes(t[0], t[1], t[2], a)) * sign(six_volumes(t[0], t[1], t[2], b)) < 0;
}

static void place(const int edge[3], const int t[EDGES], struct point p[3])
{
    for (int i = 0; i < 3; i++)
        p[i] = crossing(edge[i], t[edge[i]]);
}

static bool triangles_cross(const int a[3], const int b[3], const int t[EDGES])
{
    struct point p[3], q[3];

    place(a, t, p);
    place(b, t, q);
    for (int i = 0; i < 3; i++) {
        if (pierces(p[i], p[(i + 1) % 3], q) || pierces(q[i], q[(i + 1) % 3], p))
            return true;
    }
    return false;
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

static void check_crossing(int signs, const struct triangles *triangles, uint32_t i, uint32_t k,
                           const int t[EDGES])
{
    if (triangles_cross(triangles->edge[i], triangles->edge[k], t))
        fail_msg("case %d: triangles %u and %u cross at %d %d %d %d %d %d %d %d %d %d %d %d", signs, i, k,
                 t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[10], t[11]);
}

static void no_two_triangles_of_a_case_cross(void **state)
{
    uint32_t random = 1;

    (void)state;
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles triangles = triangles_of(signs);
        int t[EDGES] = {0};

        /* two triangles depend on their own edges only, so all combinations of a pair are all combinations of
         * the case */
        for (uint32_t i = 0; i < triangles.count; i++) {
            for (uint32_t k = 0; k < i; k++) {
                uint32_t edges = edge_set(triangles.edge[i]) | edge_set(triangles.edge[k]);

                for (int n = 0; set_combination(edges, n, t); n++)
                    check_crossing(signs, &triangles, i, k, t);
            }
        }
        for (int n = 0; n < RANDOM_VECTORS; n++) {
            for (int e = 0; e < EDGES; e++)
                t[e] = 1 + (int)(random_next(&random) % 255);
            for (uint32_t i = 0; i < triangles.count; i++) {
                for (uint32_t k = 0; k < i; k++)
                    check_crossing(signs, &triangles, i, k, t);
            }
        }
    }
}

static void every_triangle_faces_the_air_wherever_its_corners_lie(void **state)
{
    uint32_t random = 2;

    (void)state;
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles triangles = triangles_of(signs);
        int t[EDGES] = {0};

        for (uint32_t i = 0; i < triangles.count; i++) {
            const int *edge = triangles.edge[i];

            for (int n = 0; set_combination(edge_set(edge), n, t); n++) {
                if (!faces_air(signs, edge, t))
                    fail_msg("case %d, triangle %u: inverted at %d %d %d", signs, i, t[edge[0]], t[edge[1]],
                             t[edge[2]]);
            }
            for (int n = 0; n < RANDOM_VECTORS; n++) {
                for (int k = 0; k < 3; k++)
                    t[edge[k]] = 1 + (int)(random_next(&random) % 255);
                if (!faces_air(signs, edge, t))
                    fail_msg("case %d, triangle %u: inverted at %d %d %d", signs, i, t[edge[0]], t[edge[1]],
                             t[edge[2]]);
            }
        }
    }
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

static void no_triangle_opposes_the_gradient_at_midpoints(void **state)
{
    int t[EDGES];

    (void)state;
    for (int e = 0; e < EDGES; e++)
        t[e] = 128;
    for (int signs = 0; signs < CASES; signs++) {
        struct triangles triangles = triangles_of(signs);

        for (uint32_t i = 0; i < triangles.count; i++) {
            struct point p[3], n;
            double along = 0;

            place(triangles.edge[i], t, p);
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
                fail_msg("case %d, triangle %u: normal times gradient is %g", signs, i, along);
        }
    }
}

/* ---- the oracle: lines "R case a-b a-b a-b ...", three pairs of corners a triangle ---- */

static int edge_between(int a, int b)
{
    for (int e = 0; e < EDGES; e++) {
        if (edge_lower_corner(e) == a && edge_upper_corner(e) == b)
            return e;
    }
    fail_msg("oracle: no edge %d-%d", a, b);
    return -1;
}

static struct triangles parse_oracle_line(const char *text)
{
    struct triangles triangles = {0};
    uint32_t corners = 0;
    int a, b, length;

    for (; sscanf(text, " %d-%d%n", &a, &b, &length) == 2; text += length) {
        if (corners == 3 * TRIANGLES_MAX)
            fail_msg("oracle: more than %d triangles: %s", TRIANGLES_MAX, text);
        triangles.edge[corners / 3][corners % 3] = edge_between(a, b);
        corners++;
    }
    triangles.count = corners / 3;
    return triangles;
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
            bool open = own[a][b] && !own[b][a], oracle_open = other[a][b] && !other[b][a];

            used |= (uint32_t)(own[a][b] > 0) | (uint32_t)(other[a][b] > 0) << 1;
            if (open != oracle_open)
                fail_msg("case %d: contour %d-%d is %d, oracle %d", signs, a, b, open, oracle_open);
        }
        if (used == 1 || used == 2)
            fail_msg("case %d: edge %d is crossed in one table only", signs, a);
    }
}

static void crossings_contours_and_counts_equal_the_oracle(void **state)
{
    const char *folder = getenv("TERRAIN_TEST_DATA");
    char path[4096], line[1024];
    FILE *file = NULL;
    int compared = 0;

    (void)state;
    if (folder && snprintf(path, sizeof path, "%s/oracle/case_tables.txt", folder) < (int)sizeof path)
        file = fopen(path, "r");
    if (!file) {
        print_message("skipped: TERRAIN_TEST_DATA names no folder with oracle/case_tables.txt\n");
        skip();
    }
    while (fgets(line, sizeof line, file)) {
        struct triangles oracle;
        int signs, length;

        if (sscanf(line, "R %d%n", &signs, &length) != 1)
            continue;
        if (signs < 0 || signs >= CASES)
            fail_msg("oracle: case %d", signs);
        oracle = parse_oracle_line(line + length);
        compare_with_oracle(signs, &oracle);
        compared++;
    }
    fclose(file);
    assert_int_equal(compared, CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_820_triangles_and_no_odd_bits),
        cmocka_unit_test(vertices_lie_on_exactly_the_edges_that_change_sign),
        cmocka_unit_test(no_side_repeats_and_sides_met_once_lie_on_a_face),
        cmocka_unit_test(no_diagonal_has_both_ends_on_one_face),
        cmocka_unit_test(a_face_shows_what_its_own_signs_say_and_its_neighbour_the_reverse),
        cmocka_unit_test(solid_corners_are_apart_on_ambiguous_faces),
        cmocka_unit_test(no_two_triangles_of_a_case_cross),
        cmocka_unit_test(every_triangle_faces_the_air_wherever_its_corners_lie),
        cmocka_unit_test(no_triangle_opposes_the_gradient_at_midpoints),
        cmocka_unit_test(crossings_contours_and_counts_equal_the_oracle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
