/* The check of a window of meshes: welds by exact position, then looks at the triangles around each vertex.
 *
 * Welding sorts the positions by radix: its time is linear whatever the input (a hash table's is not, against
 * an input made for it), and vertex numbers then grow with position: by x, then y, then z. All that follows
 * goes through vertices in that order, so nothing depends on the order in which tiles came, and the first of
 * anything found is the smallest by position.
 *
 * The rest is local. Around a vertex v each triangle (v, a, b) has the spokes v -> a and b -> v. Sorted by
 * their other end they show v's edges with the triangles on each; triangles that share an edge belong to one
 * fan. An edge is counted at its smaller end, a triangle and its duplicates at their smallest corner. It
 * makes no difference how many triangles meet at a vertex.
 *
 * Degenerate triangles are counted, then left out of everything else, the number of triangles included. A
 * vertex counts if a triangle that is left uses it. */
#include "lib/mesh/check.h"

#include "lib/base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* For exact geometry: with coordinates up to 2^36 a determinant of three positions stays below 2^111. */
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

#define POSITION_MAX (INT64_C(1) << 36) /* of each coordinate, either sign */
#define POSITION_BITS 38                /* of a coordinate moved to 0 and above */
#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

/* So that three corners of each triangle are counted in 32 bits, and two spokes of each at a vertex in 31. */
#define TRIANGLES_MAX (UINT32_C(1) << 30)
#define VERTICES_MAX UINT32_MAX

#define INSERTION_SORT_MAX 32

struct position {
    int64_t at[3];
};

struct triangle {
    uint32_t corner[3];
};

struct tr_check {
    int64_t lo[2], hi[2];
    struct position *vertices; /* as added; each once, in order, after welding */
    size_t vertex_count, vertex_capacity;
    struct triangle *triangles;
    size_t triangle_count, triangle_capacity;
};

/* The triangles around vertex v are those from triangle[first[v]] up to triangle[first[v + 1] - 1]. */
struct incidence {
    uint32_t *first;
    uint32_t *triangle;
    uint32_t valence_max;
};

/* What the look around one vertex needs, as large as the highest valence asks.
 *
 *   spoke      other end << 32 | triangle's place in the vertex's list << 1 | 1 where it points away
 *   opposite   the other two corners, smaller << 32 | larger, of a triangle whose smallest corner this is */
struct around {
    uint64_t *spokes;
    uint64_t *opposites;
    uint32_t *parent; /* union-find over the places */
};

/* ---- input ---- */

enum tr_status tr_check_create(const int64_t lo[2], const int64_t hi[2], struct tr_check **out,
                               struct tr_error *error)
{
    struct tr_check *check = tr_alloc(1, sizeof *check, error);

    *out = check;
    if (!check)
        return TR_IO;
    memcpy(check->lo, lo, sizeof check->lo);
    memcpy(check->hi, hi, sizeof check->hi);
    return TR_OK;
}

void tr_check_free(struct tr_check *check)
{
    if (!check)
        return;
    free(check->vertices);
    free(check->triangles);
    free(check);
}

static enum tr_status check_input(const struct tr_check *check, const int64_t *xyz, size_t vertex_count,
                                  const uint32_t *indices, size_t index_count, struct tr_error *error)
{
    if (vertex_count > VERTICES_MAX - check->vertex_count)
        return tr_fail(error, TR_BAD_INPUT, "mesh check: found %zu + %zu vertices, expected at most %" PRIu32,
                       check->vertex_count, vertex_count, VERTICES_MAX);
    if (index_count % 3 != 0)
        return tr_fail(error, TR_BAD_INPUT, "mesh check: found %zu indices, expected a multiple of 3",
                       index_count);
    if (index_count / 3 > TRIANGLES_MAX - check->triangle_count)
        return tr_fail(error, TR_BAD_INPUT,
                       "mesh check: found %zu + %zu triangles, expected at most %" PRIu32,
                       check->triangle_count, index_count / 3, TRIANGLES_MAX);
    for (size_t i = 0; i < 3 * vertex_count; i++) {
        if (xyz[i] < -POSITION_MAX || xyz[i] > POSITION_MAX)
            return tr_fail(error, TR_BAD_INPUT,
                           "mesh check: vertex %zu: found coordinate %" PRId64
                           ", expected at most 2^36 from 0",
                           i / 3, xyz[i]);
    }
    for (size_t i = 0; i < index_count; i++) {
        if (indices[i] >= vertex_count)
            return tr_fail(error, TR_BAD_INPUT,
                           "mesh check: index %zu: found vertex %" PRIu32 ", expected below %zu", i,
                           indices[i], vertex_count);
    }
    return TR_OK;
}

enum tr_status tr_check_add(struct tr_check *check, const int64_t *xyz, size_t vertex_count,
                            const uint32_t *indices, size_t index_count, struct tr_error *error)
{
    uint32_t base = (uint32_t)check->vertex_count;
    enum tr_status status = check_input(check, xyz, vertex_count, indices, index_count, error);

    if (status == TR_OK)
        status = tr_grow(&check->vertices, &check->vertex_capacity, check->vertex_count + vertex_count,
                         sizeof *check->vertices, error);
    if (status == TR_OK)
        status = tr_grow(&check->triangles, &check->triangle_capacity,
                         check->triangle_count + index_count / 3, sizeof *check->triangles, error);
    if (status != TR_OK)
        return status;

    for (size_t i = 0; i < vertex_count; i++)
        check->vertices[check->vertex_count++] =
            (struct position){{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}};
    for (size_t i = 0; i < index_count; i += 3)
        check->triangles[check->triangle_count++] =
            (struct triangle){{base + indices[i], base + indices[i + 1], base + indices[i + 2]}};
    return TR_OK;
}

/* ---- welding ---- */

static uint64_t axis_key(struct position p, int axis)
{
    return (uint64_t)(p.at[axis] + POSITION_MAX);
}

/* The bits in which the vertices differ along an axis: digits without one of them need no pass. */
static uint64_t varying_bits(const struct tr_check *check, int axis)
{
    uint64_t varying = 0;

    for (size_t i = 1; i < check->vertex_count; i++)
        varying |= axis_key(check->vertices[i], axis) ^ axis_key(check->vertices[0], axis);
    return varying;
}

/* One stable pass: the vertices numbered in from[] go to to[], in order of one digit of one axis. */
static void sort_by_digit(const struct tr_check *check, int axis, int shift, const uint32_t *from,
                          uint32_t *to)
{
    uint32_t count[DIGITS] = {0};
    uint32_t before = 0;

    for (size_t i = 0; i < check->vertex_count; i++)
        count[axis_key(check->vertices[i], axis) >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        uint32_t here = count[digit];

        count[digit] = before;
        before += here;
    }
    for (size_t i = 0; i < check->vertex_count; i++)
        to[count[axis_key(check->vertices[from[i]], axis) >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sorts *order, the vertices' numbers, by position; it may change places with *spare, of the same size. */
static void sort_by_position(const struct tr_check *check, uint32_t **order, uint32_t **spare)
{
    for (size_t i = 0; i < check->vertex_count; i++)
        (*order)[i] = (uint32_t)i;
    for (int axis = 2; axis >= 0; axis--) {
        uint64_t varying = varying_bits(check, axis);

        for (int shift = 0; shift < POSITION_BITS; shift += DIGIT_BITS) {
            uint32_t *sorted = *spare;

            if (!(varying >> shift & (DIGITS - 1)))
                continue;
            sort_by_digit(check, axis, shift, *order, sorted);
            *spare = *order;
            *order = sorted;
        }
    }
}

static bool same_position(struct position a, struct position b)
{
    return a.at[0] == b.at[0] && a.at[1] == b.at[1] && a.at[2] == b.at[2];
}

/* Replaces the vertices by their distinct positions in order, and the triangles' corners accordingly. */
static enum tr_status weld(struct tr_check *check, struct tr_error *error)
{
    enum tr_status status = TR_IO;
    struct position *welded = tr_alloc(check->vertex_count, sizeof *welded, error);
    uint32_t *order = tr_alloc(check->vertex_count, sizeof *order, error);
    uint32_t *number = tr_alloc(check->vertex_count, sizeof *number, error);
    uint32_t count = 0;

    if (!welded || !order || !number)
        goto done;
    sort_by_position(check, &order, &number);
    for (size_t i = 0; i < check->vertex_count; i++) {
        struct position p = check->vertices[order[i]];

        if (count == 0 || !same_position(welded[count - 1], p))
            welded[count++] = p;
        number[order[i]] = count - 1;
    }
    for (size_t t = 0; t < check->triangle_count; t++) {
        for (int i = 0; i < 3; i++)
            check->triangles[t].corner[i] = number[check->triangles[t].corner[i]];
    }
    free(check->vertices);
    check->vertices = welded;
    check->vertex_capacity = check->vertex_count;
    check->vertex_count = count;
    welded = NULL;
    status = TR_OK;
done:
    free(welded);
    free(order);
    free(number);
    return status;
}

/* ---- which triangles meet at a vertex ---- */

static bool is_degenerate(struct triangle t)
{
    return t.corner[0] == t.corner[1] || t.corner[1] == t.corner[2] || t.corner[2] == t.corner[0];
}

static void incidence_release(struct incidence *incidence)
{
    free(incidence->first);
    free(incidence->triangle);
    *incidence = (struct incidence){0};
}

static enum tr_status incidence_init(const struct tr_check *check, struct incidence *incidence,
                                     struct tr_error *error)
{
    uint32_t *first = incidence->first = tr_alloc(check->vertex_count + 2, sizeof *first, error);
    uint32_t *triangle = incidence->triangle = tr_alloc(3 * check->triangle_count, sizeof *triangle, error);

    if (!first || !triangle)
        return TR_IO;

    /* Counted two places on, so that after summing, first[v + 1] is where v's list begins and runs up to its
     * end while it is filled. */
    for (size_t t = 0; t < check->triangle_count; t++) {
        for (int i = 0; i < 3 && !is_degenerate(check->triangles[t]); i++) {
            uint32_t valence = ++first[check->triangles[t].corner[i] + (size_t)2];

            if (valence > incidence->valence_max)
                incidence->valence_max = valence;
        }
    }
    for (size_t v = 0; v < check->vertex_count; v++)
        first[v + 2] += first[v + 1];
    for (size_t t = 0; t < check->triangle_count; t++) {
        for (int i = 0; i < 3 && !is_degenerate(check->triangles[t]); i++)
            triangle[first[check->triangles[t].corner[i] + (size_t)1]++] = (uint32_t)t;
    }
    return TR_OK;
}

/* ---- around a vertex ---- */

static void around_release(struct around *around)
{
    free(around->spokes);
    free(around->opposites);
    free(around->parent);
    *around = (struct around){0};
}

static enum tr_status around_init(struct around *around, uint32_t valence_max, struct tr_error *error)
{
    around->spokes = tr_alloc((size_t)2 * valence_max, sizeof *around->spokes, error);
    around->opposites = tr_alloc(valence_max, sizeof *around->opposites, error);
    around->parent = tr_alloc(valence_max, sizeof *around->parent, error);
    return around->spokes && around->opposites && around->parent ? TR_OK : TR_IO;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Lists around a vertex are mostly a dozen long. */
static void sort_u64(uint64_t *values, size_t count)
{
    if (count > INSERTION_SORT_MAX) {
        qsort(values, count, sizeof *values, compare_u64);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        uint64_t value = values[i];
        size_t at = i;

        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

static uint32_t find_root(uint32_t *parent, uint32_t at)
{
    while (parent[at] != at) {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    return at;
}

/* Returns true where two sets became one. The smaller root stays. */
static bool unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    uint32_t root_a = find_root(parent, a), root_b = find_root(parent, b);

    if (root_a == root_b)
        return false;
    if (root_a < root_b)
        parent[root_b] = root_a;
    else
        parent[root_a] = root_b;
    return true;
}

static void copy_edge(const struct tr_check *check, uint32_t a, uint32_t b, int64_t edge[6])
{
    memcpy(edge, check->vertices[a].at, sizeof check->vertices[a].at);
    memcpy(edge + 3, check->vertices[b].at, sizeof check->vertices[b].at);
}

static bool lies_in_side(const struct tr_check *check, uint32_t a, uint32_t b)
{
    for (int side = 0; side < 2; side++) {
        int64_t at_a = check->vertices[a].at[2 * side], at_b = check->vertices[b].at[2 * side];

        if (at_a == at_b && (at_a == check->lo[side] || at_a == check->hi[side]))
            return true;
    }
    return false;
}

/* The edge from a to the larger vertex b, with the numbers of triangles that go a -> b and b -> a. */
static void judge_edge(const struct tr_check *check, uint32_t a, uint32_t b, uint32_t forward,
                       uint32_t backward, struct tr_check_result *result)
{
    uint32_t unmet = forward > backward ? forward - backward : backward - forward;

    result->edges++;
    if ((forward > 1 || backward > 1) && result->crowded_edges++ == 0)
        copy_edge(check, a, b, result->first_crowded);
    if (unmet == 0)
        return;
    if (lies_in_side(check, a, b)) {
        result->side_edges += unmet;
        return;
    }
    if (result->open_edges == 0)
        copy_edge(check, a, b, result->first_open);
    result->open_edges += unmet;
}

/* Fills spokes, opposites and parent from the triangles around v; returns the number of opposites. */
static uint32_t look_around(const struct tr_check *check, uint32_t v, const uint32_t *list, uint32_t valence,
                            struct around *around)
{
    uint32_t owned = 0;

    for (uint32_t place = 0; place < valence; place++) {
        const uint32_t *corner = check->triangles[list[place]].corner;
        int at = corner[0] == v ? 0 : corner[1] == v ? 1 : 2;
        uint64_t a = corner[(at + 1) % 3], b = corner[(at + 2) % 3];

        around->spokes[2 * (size_t)place] = a << 32 | place << 1 | 1;
        around->spokes[2 * (size_t)place + 1] = b << 32 | place << 1;
        around->parent[place] = place;
        if (v < a && v < b)
            around->opposites[owned++] = a < b ? a << 32 | b : b << 32 | a;
    }
    sort_u64(around->spokes, 2 * (size_t)valence);
    sort_u64(around->opposites, owned);
    return owned;
}

/* Goes through v's edges; returns the number of its fans. */
static uint32_t judge_spokes(const struct tr_check *check, uint32_t v, uint32_t valence,
                             struct around *around, struct tr_check_result *result)
{
    uint32_t fans = valence;

    for (size_t i = 0, end; i < 2 * (size_t)valence; i = end) {
        uint32_t other = (uint32_t)(around->spokes[i] >> 32), away = 0;
        uint32_t place = (uint32_t)around->spokes[i] >> 1;

        for (end = i; end < 2 * (size_t)valence && around->spokes[end] >> 32 == other; end++) {
            away += around->spokes[end] & 1;
            fans -= unite(around->parent, place, (uint32_t)around->spokes[end] >> 1);
        }
        if (v < other)
            judge_edge(check, v, other, away, (uint32_t)(end - i) - away, result);
    }
    return fans;
}

/* Area of the triangle a, b, c: each component of the cross product is exact before it is rounded. */
static double triangle_area(struct position a, struct position b, struct position c)
{
    double square = 0;

    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        wide component =
            (wide)(b.at[j] - a.at[j]) * (c.at[k] - a.at[k]) - (wide)(b.at[k] - a.at[k]) * (c.at[j] - a.at[j]);

        square += (double)component * (double)component;
    }
    return sqrt(square) / 2;
}

static void judge_owned(const struct tr_check *check, uint32_t v, const uint64_t *opposites, uint32_t owned,
                        struct tr_check_result *result)
{
    for (uint32_t i = 0; i < owned; i++) {
        result->duplicates += i > 0 && opposites[i] == opposites[i - 1];
        result->area_units2 += triangle_area(check->vertices[v], check->vertices[opposites[i] >> 32],
                                             check->vertices[(uint32_t)opposites[i]]);
    }
}

static void judge_vertices(const struct tr_check *check, const struct incidence *incidence,
                           struct around *around, struct tr_check_result *result)
{
    for (uint32_t v = 0; v < check->vertex_count; v++) {
        uint32_t begin = incidence->first[v], valence = incidence->first[v + (size_t)1] - begin, owned;

        if (valence == 0)
            continue;
        result->vertices++;
        owned = look_around(check, v, incidence->triangle + begin, valence, around);
        judge_owned(check, v, around->opposites, owned, result);
        if (judge_spokes(check, v, valence, around, result) > 1 && result->pinches++ == 0)
            memcpy(result->first_pinch, check->vertices[v].at, sizeof result->first_pinch);
    }
}

/* ---- the whole ---- */

/* Vertices and triangles that hang together by vertices are one component. */
static enum tr_status count_components(const struct tr_check *check, struct tr_check_result *result,
                                       struct tr_error *error)
{
    uint32_t *parent = tr_alloc(check->vertex_count, sizeof *parent, error);
    uint64_t united = 0;

    if (!parent)
        return TR_IO;
    for (uint32_t v = 0; v < check->vertex_count; v++)
        parent[v] = v;
    for (size_t t = 0; t < check->triangle_count; t++) {
        const uint32_t *corner = check->triangles[t].corner;

        if (is_degenerate(check->triangles[t]))
            continue;
        united += unite(parent, corner[0], corner[1]);
        united += unite(parent, corner[0], corner[2]);
    }
    result->components = result->vertices - united;
    free(parent);
    return TR_OK;
}

static wide determinant(struct position a, struct position b, struct position c)
{
    wide sum = 0;

    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;

        sum += a.at[i] * ((wide)b.at[j] * c.at[k] - (wide)b.at[k] * c.at[j]);
    }
    return sum;
}

/* Sums are kept modulo 2^128, so that those on the way may overflow: a volume of this world fits. */
static void count_triangles(const struct tr_check *check, struct tr_check_result *result)
{
    unsigned_wide six_volumes = 0;

    for (size_t t = 0; t < check->triangle_count; t++) {
        const uint32_t *corner = check->triangles[t].corner;

        if (is_degenerate(check->triangles[t])) {
            result->degenerates++;
            continue;
        }
        result->triangles++;
        six_volumes += (unsigned_wide)determinant(check->vertices[corner[0]], check->vertices[corner[1]],
                                                  check->vertices[corner[2]]);
    }
    result->volume_units3 = (double)(wide)six_volumes / 6;
}

enum tr_status tr_check_finish(struct tr_check *check, struct tr_check_result *result, struct tr_error *error)
{
    struct incidence incidence = {0};
    struct around around = {0};
    enum tr_status status;

    *result = (struct tr_check_result){0};
    status = weld(check, error);
    if (status != TR_OK)
        goto done;
    status = incidence_init(check, &incidence, error);
    if (status != TR_OK)
        goto done;
    status = around_init(&around, incidence.valence_max, error);
    if (status != TR_OK)
        goto done;
    count_triangles(check, result);
    judge_vertices(check, &incidence, &around, result);
    status = count_components(check, result, error);
    result->euler = (int64_t)result->vertices - (int64_t)result->edges + (int64_t)result->triangles;
done:
    around_release(&around);
    incidence_release(&incidence);
    return status;
}
