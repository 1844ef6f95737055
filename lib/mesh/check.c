/* The check of a window of meshes: welds by exact position, then looks at the triangles around each vertex.
 *
 * Each mesh is judged by itself as it comes. Its welded vertices are numbered by position (x, then y, then z) and gone through in that order,
 * so nothing depends on the order in which meshes came, and the first of anything found is the smallest by position. Around a vertex v
 * each triangle (v, a, b) has the spokes v -> a and b -> v. Sorted by their other end they show v's edges with the triangles on each;
 * triangles that share an edge belong to one fan. An edge is counted at its smaller end, a triangle and its duplicates at their smallest
 * corner. It makes no difference how many triangles meet at a vertex.
 *
 * A vertex strictly inside its tile, and every edge and triangle that has one, is known whole by then. The rest is kept: vertices that others may
 * share, the edges and triangles among these alone, the fans around each (which later edges may join to one), and which of the vertices hang
 * together through the tile. At the end these are welded once more and judged in the same way.
 *
 * Degenerate triangles are counted, then left out of everything else, the number of triangles included. A
 * vertex counts if a triangle that is left uses it. */
#include "lib/mesh/check.h"

#include "lib/base/alloc.h"
#include "lib/mesh/weld.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* For exact geometry: with coordinates up to 2^36 a determinant of three positions stays below 2^111. */
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* So that three corners of each triangle are counted in 32 bits, and two spokes of each at a vertex in 31. */
#define TRIANGLES_MAX (UINT32_C(1) << 30)
#define NONE UINT32_MAX
#define AREA_STEPS 65536.0 /* of an area, in a square unit */
#define INSERTION_SORT_MAX 32

struct triangle {
    uint32_t corner[3];
};

/* A kept edge seen from one of its ends; each has two. The number of its triangles in one mesh by their direction. */
struct spoke {
    uint32_t from, to, fan;
    uint32_t away, toward;
};

/* What may meet other meshes. Vertices, fans and parts of one mesh come behind those of the one before. */
struct kept {
    struct tr_position *vertices;
    uint32_t *parts; /* a vertex: the part of its mesh that it hangs together with */
    uint32_t *fans;  /* a fan: its vertex */
    struct spoke *spokes;
    struct triangle *triangles;
    size_t vertex_count, fan_count, spoke_count, triangle_count, part_count;
    size_t vertex_capacity, part_capacity, fan_capacity, spoke_capacity, triangle_capacity;
};

/* What is settled. Sums of signed numbers are kept modulo 2^128, so that those on the way may overflow: a volume of this world fits. */
struct tally {
    struct tr_check_result result;
    unsigned_wide six_volumes, area_steps, two_covers;
};

struct tr_check {
    int64_t lo[2], hi[2];
    pthread_mutex_t lock; /* of what follows */
    struct kept kept;
    struct tally tally;
};

enum tr_status tr_check_create(const int64_t lo[2], const int64_t hi[2], struct tr_check **out,
                               struct tr_error *error)
{
    struct tr_check *check = tr_alloc(1, sizeof *check, error);

    *out = NULL;
    if (!check)
        return TR_IO;
    if (pthread_mutex_init(&check->lock, NULL) != 0) {
        free(check);
        return tr_fail(error, TR_IO, "mesh check: cannot create a lock");
    }
    memcpy(check->lo, lo, sizeof check->lo);
    memcpy(check->hi, hi, sizeof check->hi);
    *out = check;
    return TR_OK;
}

static void kept_release(struct kept *kept)
{
    free(kept->vertices);
    free(kept->parts);
    free(kept->fans);
    free(kept->spokes);
    free(kept->triangles);
    *kept = (struct kept){0};
}

void tr_check_free(struct tr_check *check)
{
    if (!check)
        return;
    kept_release(&check->kept);
    pthread_mutex_destroy(&check->lock);
    free(check);
}

/* ---- small tools ---- */

/* Values by group: counted, then put; those of group g are values[first[g]] up to values[first[g + 1] - 1]. */
struct groups {
    uint32_t *first;
    uint64_t *values;
};

static void groups_release(struct groups *groups)
{
    free(groups->first);
    free(groups->values);
    *groups = (struct groups){0};
}

static enum tr_status groups_init(struct groups *groups, size_t group_count, size_t value_count,
                                  struct tr_error *error)
{
    groups->first = tr_alloc(group_count + 2, sizeof *groups->first, error);
    groups->values = tr_alloc(value_count, sizeof *groups->values, error);
    return groups->first && groups->values ? TR_OK : TR_IO;
}

/* Counted two places on, so that after summing, first[g + 1] is where g's values begin and runs up to their end while they are put. */
static void groups_count(struct groups *groups, uint32_t group)
{
    groups->first[group + (size_t)2]++;
}

static void groups_sum(struct groups *groups, size_t group_count)
{
    for (size_t g = 0; g < group_count; g++)
        groups->first[g + 2] += groups->first[g + 1];
}

static void groups_put(struct groups *groups, uint32_t group, uint64_t value)
{
    groups->values[groups->first[group + (size_t)1]++] = value;
}

static uint32_t groups_size(const struct groups *groups, uint32_t group)
{
    return groups->first[group + (size_t)1] - groups->first[group];
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

/* Each of count things by itself; NULL without memory. */
static uint32_t *sets_create(size_t count, struct tr_error *error)
{
    uint32_t *parent = tr_alloc(count, sizeof *parent, error);

    for (size_t i = 0; parent && i < count; i++)
        parent[i] = (uint32_t)i;
    return parent;
}

/* Copies count coordinates where they are the first, or come before those that were. */
static void note_first(int64_t *first, const int64_t *found, size_t count, bool is_first)
{
    for (size_t i = 0; i < count && !is_first; i++) {
        if (found[i] > first[i])
            return;
        is_first = found[i] < first[i];
    }
    memcpy(first, found, count * sizeof *first);
}

/* ---- verdicts ---- */

static bool lies_in_side(const struct tr_check *check, const int64_t edge[6])
{
    for (int side = 0; side < 2; side++) {
        int64_t a = edge[2 * side], b = edge[3 + 2 * side];

        if (a == b && (a == check->lo[side] || a == check->hi[side]))
            return true;
    }
    return false;
}

/* The edge from a to the larger vertex b, with the numbers of triangles that go a -> b and b -> a. */
static void judge_edge(const struct tr_check *check, const struct tr_position *a, const struct tr_position *b,
                       uint64_t forward, uint64_t backward, struct tr_check_result *result)
{
    const int64_t edge[6] = {a->at[0], a->at[1], a->at[2], b->at[0], b->at[1], b->at[2]};
    uint64_t unmet = forward > backward ? forward - backward : backward - forward;

    result->edges++;
    if (forward > 1 || backward > 1)
        note_first(result->first_crowded, edge, 6, result->crowded_edges++ == 0);
    if (unmet == 0)
        return;
    if (lies_in_side(check, edge)) {
        result->side_edges += unmet;
        return;
    }
    note_first(result->first_open, edge, 6, result->open_edges == 0);
    result->open_edges += unmet;
}

static void judge_vertex(const struct tr_position *vertex, uint32_t fans, struct tr_check_result *result)
{
    result->vertices++;
    if (fans > 1)
        note_first(result->first_pinch, vertex->at, 3, result->pinches++ == 0);
}

/* Area of the triangle a, b, c: each component of the cross product is exact before it is rounded. */
static double triangle_area(const struct tr_position *a, const struct tr_position *b,
                            const struct tr_position *c)
{
    double square = 0;

    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        wide component = (wide)(b->at[j] - a->at[j]) * (c->at[k] - a->at[k]) -
                         (wide)(b->at[k] - a->at[k]) * (c->at[j] - a->at[j]);

        square += (double)component * (double)component;
    }
    return sqrt(square) / 2;
}

static wide determinant(const struct tr_position *a, const struct tr_position *b, const struct tr_position *c)
{
    wide sum = 0;

    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;

        sum += a->at[i] * ((wide)b->at[j] * c->at[k] - (wide)b->at[k] * c->at[j]);
    }
    return sum;
}

/* Twice the area seen from above. */
static wide cover(const struct tr_position *a, const struct tr_position *b, const struct tr_position *c)
{
    return (wide)(b->at[2] - a->at[2]) * (c->at[0] - a->at[0]) -
           (wide)(b->at[0] - a->at[0]) * (c->at[2] - a->at[2]);
}

static void measure_triangle(const struct tr_position *a, const struct tr_position *b,
                             const struct tr_position *c, struct tally *tally)
{
    tally->result.triangles++;
    tally->six_volumes += (unsigned_wide)determinant(a, b, c);
    tally->two_covers += (unsigned_wide)cover(a, b, c);
    tally->area_steps += (unsigned_wide)(triangle_area(a, b, c) * AREA_STEPS + 0.5);
}

/* ---- one mesh ---- */

/* What the look around one vertex needs, as large as the highest valence asks.
 *
 *   spoke      other end << 32 | triangle's place in the vertex's list << 1 | 1 where it points away
 *   opposite   the other two corners, smaller << 32 | larger, of a triangle whose smallest corner this is */
struct around {
    uint64_t *spokes;
    uint64_t *opposites;
    uint32_t *parent; /* union-find over the places */
    uint32_t *fan;    /* of a place that is a root: its number among the kept */
    uint32_t valence, owned;
};

/* A mesh while it is judged: welded, without its degenerate triangles. */
struct mesh {
    const struct tr_check *check;
    struct tr_position *vertices;
    struct triangle *triangles;
    uint32_t *kept_number; /* of a vertex; NONE where it is not kept */
    struct groups incident;
    struct around around;
    uint32_t vertex_count, triangle_count;
    struct kept kept;
    struct tally tally;
};

static void mesh_release(struct mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
    free(mesh->kept_number);
    groups_release(&mesh->incident);
    free(mesh->around.spokes);
    free(mesh->around.opposites);
    free(mesh->around.parent);
    free(mesh->around.fan);
    kept_release(&mesh->kept);
}

static enum tr_status check_input(const int64_t *xyz, size_t vertex_count, const uint32_t *indices,
                                  size_t index_count, struct tr_error *error)
{
    if (vertex_count >= UINT32_MAX)
        return tr_fail(error, TR_BAD_INPUT, "mesh check: found %zu vertices, expected fewer than 2^32 - 1",
                       vertex_count);
    if (index_count % 3 != 0)
        return tr_fail(error, TR_BAD_INPUT, "mesh check: found %zu indices, expected a multiple of 3",
                       index_count);
    if (index_count / 3 > TRIANGLES_MAX)
        return tr_fail(error, TR_BAD_INPUT, "mesh check: found %zu triangles, expected at most %" PRIu32,
                       index_count / 3, TRIANGLES_MAX);
    for (size_t i = 0; i < 3 * vertex_count; i++) {
        if (xyz[i] < -TR_POSITION_MAX || xyz[i] > TR_POSITION_MAX)
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

static bool is_degenerate(const struct triangle *t)
{
    return t->corner[0] == t->corner[1] || t->corner[1] == t->corner[2] || t->corner[2] == t->corner[0];
}

static enum tr_status weld_mesh(struct mesh *mesh, const int64_t *xyz, size_t vertex_count,
                                const uint32_t *indices, size_t index_count, struct tr_error *error)
{
    enum tr_status status = TR_IO;
    struct tr_position *positions = tr_alloc(vertex_count, sizeof *positions, error);
    uint32_t *number = tr_alloc(vertex_count, sizeof *number, error);

    mesh->vertices = tr_alloc(vertex_count, sizeof *mesh->vertices, error);
    mesh->triangles = tr_alloc(index_count / 3, sizeof *mesh->triangles, error);
    if (!positions || !number || !mesh->vertices || !mesh->triangles)
        goto done;
    for (size_t i = 0; i < vertex_count; i++)
        positions[i] = (struct tr_position){{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}};
    status = tr_weld(positions, vertex_count, mesh->vertices, number, &mesh->vertex_count, error);
    for (size_t i = 0; i < index_count && status == TR_OK; i += 3) {
        struct triangle t = {{number[indices[i]], number[indices[i + 1]], number[indices[i + 2]]}};

        if (is_degenerate(&t))
            mesh->tally.result.degenerates++;
        else
            mesh->triangles[mesh->triangle_count++] = t;
    }
done:
    free(positions);
    free(number);
    return status;
}

static enum tr_status list_incident(struct mesh *mesh, struct tr_error *error)
{
    if (groups_init(&mesh->incident, mesh->vertex_count, (size_t)3 * mesh->triangle_count, error) != TR_OK)
        return TR_IO;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++)
            groups_count(&mesh->incident, mesh->triangles[t].corner[i]);
    groups_sum(&mesh->incident, mesh->vertex_count);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++)
            groups_put(&mesh->incident, mesh->triangles[t].corner[i], t);
    return TR_OK;
}

static bool is_strictly_inside(const struct tr_position *p, const int64_t lo[3], const int64_t hi[3])
{
    return p->at[0] > lo[0] && p->at[0] < hi[0] && p->at[1] > lo[1] && p->at[1] < hi[1] && p->at[2] > lo[2] &&
           p->at[2] < hi[2];
}

/* Numbers the vertices that others may share. */
static enum tr_status keep_vertices(struct mesh *mesh, const int64_t lo[3], const int64_t hi[3],
                                    struct tr_error *error)
{
    struct kept *kept = &mesh->kept;

    if (!(mesh->kept_number = tr_alloc(mesh->vertex_count, sizeof *mesh->kept_number, error)))
        return TR_IO;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        mesh->kept_number[v] = NONE;
        if (groups_size(&mesh->incident, v) == 0 || is_strictly_inside(&mesh->vertices[v], lo, hi))
            continue;
        if (tr_grow(&kept->vertices, &kept->vertex_capacity, kept->vertex_count + 1, sizeof *kept->vertices,
                    error) != TR_OK)
            return TR_IO;
        mesh->kept_number[v] = (uint32_t)kept->vertex_count;
        kept->vertices[kept->vertex_count++] = mesh->vertices[v];
    }
    return TR_OK;
}

/* Vertices and triangles that hang together by vertices are one part. One without a kept vertex is a component. */
static enum tr_status find_parts(struct mesh *mesh, struct tr_error *error)
{
    enum tr_status status = TR_IO;
    struct kept *kept = &mesh->kept;
    uint32_t *parent = sets_create(mesh->vertex_count, error);
    uint32_t *part = tr_alloc(mesh->vertex_count, sizeof *part, error); /* of a root, + 1 */

    if (!parent || !part ||
        tr_grow(&kept->parts, &kept->part_capacity, kept->vertex_count, sizeof *kept->parts, error) != TR_OK)
        goto done;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 1; i < 3; i++)
            unite(parent, mesh->triangles[t].corner[0], mesh->triangles[t].corner[i]);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t root = find_root(parent, v);

        mesh->tally.result.components += root == v && groups_size(&mesh->incident, v) > 0;
        if (mesh->kept_number[v] == NONE)
            continue;
        if (part[root] == 0)
            part[root] = (uint32_t)++kept->part_count;
        kept->parts[mesh->kept_number[v]] = part[root] - 1;
    }
    mesh->tally.result.components -= kept->part_count;
    status = TR_OK;
done:
    free(parent);
    free(part);
    return status;
}

static enum tr_status around_init(struct mesh *mesh, struct tr_error *error)
{
    struct around *around = &mesh->around;
    uint32_t most = 0;

    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t valence = groups_size(&mesh->incident, v);

        most = valence > most ? valence : most;
    }
    around->spokes = tr_alloc((size_t)2 * most, sizeof *around->spokes, error);
    around->opposites = tr_alloc(most, sizeof *around->opposites, error);
    around->parent = tr_alloc(most, sizeof *around->parent, error);
    around->fan = tr_alloc(most, sizeof *around->fan, error);
    return around->spokes && around->opposites && around->parent && around->fan ? TR_OK : TR_IO;
}

/* Lists the spokes of v, and the triangles whose smallest corner it is. */
static void look_around(struct mesh *mesh, uint32_t v)
{
    struct around *around = &mesh->around;
    const uint64_t *list = mesh->incident.values + mesh->incident.first[v];

    around->valence = groups_size(&mesh->incident, v);
    around->owned = 0;
    for (uint32_t place = 0; place < around->valence; place++) {
        const uint32_t *corner = mesh->triangles[list[place]].corner;
        int at = corner[0] == v ? 0 : corner[1] == v ? 1 : 2;
        uint64_t a = corner[(at + 1) % 3], b = corner[(at + 2) % 3];

        around->spokes[2 * (size_t)place] = a << 32 | place << 1 | 1;
        around->spokes[2 * (size_t)place + 1] = b << 32 | place << 1;
        around->parent[place] = place;
        if (v < a && v < b)
            around->opposites[around->owned++] = a < b ? a << 32 | b : b << 32 | a;
    }
    sort_u64(around->spokes, 2 * (size_t)around->valence);
    sort_u64(around->opposites, around->owned);
}

/* An edge of the vertex that is looked around. */
struct edge {
    uint32_t other, away, toward;
    uint32_t place; /* of one of its triangles */
};

/* Reads the edge whose spokes begin at *at, which moves behind them; false behind the last. */
static bool next_edge(const struct around *around, size_t *at, struct edge *edge)
{
    const size_t count = 2 * (size_t)around->valence;

    if (*at >= count)
        return false;
    *edge = (struct edge){.other = (uint32_t)(around->spokes[*at] >> 32),
                          .place = (uint32_t)around->spokes[*at] >> 1};
    for (; *at < count && around->spokes[*at] >> 32 == edge->other; ++*at) {
        if (around->spokes[*at] & 1)
            edge->away++;
        else
            edge->toward++;
    }
    return true;
}

/* Joins the triangles of each edge; returns the number of fans that are left. */
static uint32_t join_fans(struct around *around)
{
    uint32_t fans = around->valence;

    for (size_t i = 1; i < 2 * (size_t)around->valence; i++) {
        if (around->spokes[i] >> 32 == around->spokes[i - 1] >> 32)
            fans -=
                unite(around->parent, (uint32_t)around->spokes[i - 1] >> 1, (uint32_t)around->spokes[i] >> 1);
    }
    return fans;
}

/* The fans of a kept vertex. */
static enum tr_status keep_fans(struct mesh *mesh, uint32_t v, struct tr_error *error)
{
    struct kept *kept = &mesh->kept;

    for (uint32_t place = 0; place < mesh->around.valence; place++) {
        if (mesh->around.parent[place] != place)
            continue;
        if (tr_grow(&kept->fans, &kept->fan_capacity, kept->fan_count + 1, sizeof *kept->fans, error) !=
            TR_OK)
            return TR_IO;
        mesh->around.fan[place] = (uint32_t)kept->fan_count;
        kept->fans[kept->fan_count++] = mesh->kept_number[v];
    }
    return TR_OK;
}

static enum tr_status keep_spoke(struct mesh *mesh, uint32_t v, const struct edge *edge,
                                 struct tr_error *error)
{
    struct kept *kept = &mesh->kept;

    if (tr_grow(&kept->spokes, &kept->spoke_capacity, kept->spoke_count + 1, sizeof *kept->spokes, error) !=
        TR_OK)
        return TR_IO;
    kept->spokes[kept->spoke_count++] =
        (struct spoke){.from = mesh->kept_number[v],
                       .to = mesh->kept_number[edge->other],
                       .fan = mesh->around.fan[find_root(mesh->around.parent, edge->place)],
                       .away = edge->away,
                       .toward = edge->toward};
    return TR_OK;
}

static enum tr_status judge_edges_around(struct mesh *mesh, uint32_t v, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    struct edge edge;

    for (size_t at = 0; status == TR_OK && next_edge(&mesh->around, &at, &edge);) {
        if (mesh->kept_number[v] != NONE && mesh->kept_number[edge.other] != NONE)
            status = keep_spoke(mesh, v, &edge, error);
        else if (v < edge.other)
            judge_edge(mesh->check, &mesh->vertices[v], &mesh->vertices[edge.other], edge.away, edge.toward,
                       &mesh->tally.result);
    }
    return status;
}

static enum tr_status judge_owned(struct mesh *mesh, uint32_t v, struct tr_error *error)
{
    struct kept *kept = &mesh->kept;
    const uint64_t *opposites = mesh->around.opposites;

    for (uint32_t i = 0; i < mesh->around.owned; i++) {
        const uint32_t corner[3] = {v, (uint32_t)(opposites[i] >> 32), (uint32_t)opposites[i]};
        struct triangle t;
        bool is_kept = true;

        for (int c = 0; c < 3; c++) {
            t.corner[c] = mesh->kept_number[corner[c]];
            is_kept = is_kept && t.corner[c] != NONE;
        }
        if (!is_kept) {
            mesh->tally.result.duplicates += i > 0 && opposites[i] == opposites[i - 1];
            continue;
        }
        if (tr_grow(&kept->triangles, &kept->triangle_capacity, kept->triangle_count + 1,
                    sizeof *kept->triangles, error) != TR_OK)
            return TR_IO;
        kept->triangles[kept->triangle_count++] = t;
    }
    return TR_OK;
}

static enum tr_status judge_vertices(struct mesh *mesh, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (uint32_t v = 0; v < mesh->vertex_count && status == TR_OK; v++) {
        uint32_t fans;

        if (groups_size(&mesh->incident, v) == 0)
            continue;
        look_around(mesh, v);
        fans = join_fans(&mesh->around);
        if (mesh->kept_number[v] == NONE)
            judge_vertex(&mesh->vertices[v], fans, &mesh->tally.result);
        else
            status = keep_fans(mesh, v, error);
        if (status == TR_OK)
            status = judge_owned(mesh, v, error);
        if (status == TR_OK)
            status = judge_edges_around(mesh, v, error);
    }
    return status;
}

static void measure_triangles(struct mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles[t].corner;

        measure_triangle(&mesh->vertices[corner[0]], &mesh->vertices[corner[1]], &mesh->vertices[corner[2]],
                         &mesh->tally);
    }
}

static enum tr_status judge_mesh(struct mesh *mesh, const int64_t lo[3], const int64_t hi[3],
                                 struct tr_error *error)
{
    enum tr_status status = list_incident(mesh, error);

    if (status == TR_OK)
        status = keep_vertices(mesh, lo, hi, error);
    if (status == TR_OK)
        status = find_parts(mesh, error);
    if (status == TR_OK)
        status = around_init(mesh, error);
    if (status == TR_OK)
        status = judge_vertices(mesh, error);
    if (status == TR_OK)
        measure_triangles(mesh);
    return status;
}

/* ---- meshes together ---- */

static enum tr_status kept_grow(struct kept *to, const struct kept *from, struct tr_error *error)
{
    const struct {
        void *array;
        size_t *capacity, count, more, size_bytes;
    } arrays[] = {
        {&to->vertices, &to->vertex_capacity, to->vertex_count, from->vertex_count, sizeof *to->vertices},
        {&to->parts, &to->part_capacity, to->vertex_count, from->vertex_count, sizeof *to->parts},
        {&to->fans, &to->fan_capacity, to->fan_count, from->fan_count, sizeof *to->fans},
        {&to->spokes, &to->spoke_capacity, to->spoke_count, from->spoke_count, sizeof *to->spokes},
        {&to->triangles, &to->triangle_capacity, to->triangle_count, from->triangle_count,
         sizeof *to->triangles},
    };

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        /* numbers of all of them, and of three corners a triangle, are counted in 32 bits */
        if (arrays[i].count + arrays[i].more > (i == 4 ? UINT32_MAX / 3 : UINT32_MAX - 1))
            return tr_fail(error, TR_BAD_INPUT,
                           "mesh check: found more than 2^32 - 1 vertices and edges on the sides of tiles");
        if (tr_grow(arrays[i].array, arrays[i].capacity, arrays[i].count + arrays[i].more,
                    arrays[i].size_bytes, error) != TR_OK)
            return TR_IO;
    }
    return TR_OK;
}

/* Puts `from` behind what is there, for which room was made. */
static void kept_append(struct kept *to, const struct kept *from)
{
    const uint32_t vertex = (uint32_t)to->vertex_count, part = (uint32_t)to->part_count,
                   fan = (uint32_t)to->fan_count;

    for (size_t i = 0; i < from->vertex_count; i++) {
        to->parts[to->vertex_count] = part + from->parts[i];
        to->vertices[to->vertex_count++] = from->vertices[i];
    }
    for (size_t i = 0; i < from->fan_count; i++)
        to->fans[to->fan_count++] = vertex + from->fans[i];
    for (size_t i = 0; i < from->spoke_count; i++) {
        struct spoke spoke = from->spokes[i];

        spoke.from += vertex;
        spoke.to += vertex;
        spoke.fan += fan;
        to->spokes[to->spoke_count++] = spoke;
    }
    for (size_t i = 0; i < from->triangle_count; i++) {
        const uint32_t *corner = from->triangles[i].corner;

        to->triangles[to->triangle_count++] =
            (struct triangle){{vertex + corner[0], vertex + corner[1], vertex + corner[2]}};
    }
    to->part_count += from->part_count;
}

static void tally_add(struct tally *to, const struct tally *from)
{
    struct tr_check_result *a = &to->result;
    const struct tr_check_result *b = &from->result;

    if (b->open_edges > 0)
        note_first(a->first_open, b->first_open, 6, a->open_edges == 0);
    if (b->pinches > 0)
        note_first(a->first_pinch, b->first_pinch, 3, a->pinches == 0);
    if (b->crowded_edges > 0)
        note_first(a->first_crowded, b->first_crowded, 6, a->crowded_edges == 0);
    a->vertices += b->vertices;
    a->edges += b->edges;
    a->triangles += b->triangles;
    a->components += b->components;
    a->side_edges += b->side_edges;
    a->open_edges += b->open_edges;
    a->crowded_edges += b->crowded_edges;
    a->duplicates += b->duplicates;
    a->degenerates += b->degenerates;
    a->pinches += b->pinches;
    to->six_volumes += from->six_volumes;
    to->area_steps += from->area_steps;
    to->two_covers += from->two_covers;
}

enum tr_status tr_check_add_tile(struct tr_check *check, const int64_t lo[3], const int64_t hi[3],
                                 const int64_t *xyz, size_t vertex_count, const uint32_t *indices,
                                 size_t index_count, struct tr_error *error)
{
    struct mesh mesh = {.check = check};
    enum tr_status status = check_input(xyz, vertex_count, indices, index_count, error);

    if (status == TR_OK)
        status = weld_mesh(&mesh, xyz, vertex_count, indices, index_count, error);
    if (status == TR_OK)
        status = judge_mesh(&mesh, lo, hi, error);
    if (status == TR_OK) {
        pthread_mutex_lock(&check->lock);
        status = kept_grow(&check->kept, &mesh.kept, error);
        if (status == TR_OK) {
            kept_append(&check->kept, &mesh.kept);
            tally_add(&check->tally, &mesh.tally);
        }
        pthread_mutex_unlock(&check->lock);
    }
    mesh_release(&mesh);
    return status;
}

enum tr_status tr_check_add(struct tr_check *check, const int64_t *xyz, size_t vertex_count,
                            const uint32_t *indices, size_t index_count, struct tr_error *error)
{
    static const int64_t nowhere[3];

    return tr_check_add_tile(check, nowhere, nowhere, xyz, vertex_count, indices, index_count, error);
}

/* ---- the end ---- */

/* The kept, welded. */
struct ending {
    const struct tr_check *check;
    const struct kept *kept;
    struct tr_position *vertices;
    uint32_t *number; /* a kept vertex: which of these it is */
    uint32_t vertex_count;
    struct tally tally;
};

/* Judges the edges and fans of each vertex. groups: spokes by where they begin, other end << 32 | spoke. */
static void judge_kept_vertices(struct ending *ending, const struct groups *groups, uint32_t *fans,
                                uint32_t *fan_parent)
{
    const struct spoke *spokes = ending->kept->spokes;

    for (uint32_t v = 0; v < ending->vertex_count; v++) {
        uint64_t *list = groups->values + groups->first[v];
        const uint32_t count = groups_size(groups, v);

        sort_u64(list, count);
        for (uint32_t i = 0, end; i < count; i = end) {
            const uint32_t other = (uint32_t)(list[i] >> 32);
            uint64_t away = 0, toward = 0;

            for (end = i; end < count && list[end] >> 32 == other; end++) {
                away += spokes[(uint32_t)list[end]].away;
                toward += spokes[(uint32_t)list[end]].toward;
                fans[v] -= unite(fan_parent, spokes[(uint32_t)list[i]].fan, spokes[(uint32_t)list[end]].fan);
            }
            if (v < other)
                judge_edge(ending->check, &ending->vertices[v], &ending->vertices[other], away, toward,
                           &ending->tally.result);
        }
        judge_vertex(&ending->vertices[v], fans[v], &ending->tally.result);
    }
}

static enum tr_status judge_spokes(struct ending *ending, struct tr_error *error)
{
    const struct kept *kept = ending->kept;
    struct groups groups = {0};
    uint32_t *fan_parent = sets_create(kept->fan_count, error);
    uint32_t *fans = tr_alloc(ending->vertex_count, sizeof *fans, error); /* of a vertex, how many */
    enum tr_status status = fan_parent && fans ? TR_OK : TR_IO;

    if (status == TR_OK)
        status = groups_init(&groups, ending->vertex_count, kept->spoke_count, error);
    if (status == TR_OK) {
        for (size_t f = 0; f < kept->fan_count; f++)
            fans[ending->number[kept->fans[f]]]++;
        for (size_t s = 0; s < kept->spoke_count; s++)
            groups_count(&groups, ending->number[kept->spokes[s].from]);
        groups_sum(&groups, ending->vertex_count);
        for (size_t s = 0; s < kept->spoke_count; s++)
            groups_put(&groups, ending->number[kept->spokes[s].from],
                       (uint64_t)ending->number[kept->spokes[s].to] << 32 | s);
        judge_kept_vertices(ending, &groups, fans, fan_parent);
    }
    groups_release(&groups);
    free(fan_parent);
    free(fans);
    return status;
}

/* The corners of a kept triangle as welded, in order. */
static struct triangle sorted_triangle(const struct ending *ending, size_t t)
{
    struct triangle sorted;

    for (int i = 0; i < 3; i++) {
        const uint32_t corner = ending->number[ending->kept->triangles[t].corner[i]];
        int at = i;

        for (; at > 0 && sorted.corner[at - 1] > corner; at--)
            sorted.corner[at] = sorted.corner[at - 1];
        sorted.corner[at] = corner;
    }
    return sorted;
}

static enum tr_status count_duplicates(struct ending *ending, struct tr_error *error)
{
    const size_t count = ending->kept->triangle_count;
    struct groups groups = {0};
    enum tr_status status = groups_init(&groups, ending->vertex_count, count, error);

    if (status == TR_OK) {
        for (size_t t = 0; t < count; t++)
            groups_count(&groups, sorted_triangle(ending, t).corner[0]);
        groups_sum(&groups, ending->vertex_count);
        for (size_t t = 0; t < count; t++) {
            const struct triangle sorted = sorted_triangle(ending, t);

            groups_put(&groups, sorted.corner[0], (uint64_t)sorted.corner[1] << 32 | sorted.corner[2]);
        }
        for (uint32_t v = 0; v < ending->vertex_count; v++) {
            uint64_t *list = groups.values + groups.first[v];
            const uint32_t here = groups_size(&groups, v);

            sort_u64(list, here);
            for (uint32_t i = 1; i < here; i++)
                ending->tally.result.duplicates += list[i] == list[i - 1];
        }
    }
    groups_release(&groups);
    return status;
}

static enum tr_status count_components(struct ending *ending, struct tr_error *error)
{
    const struct kept *kept = ending->kept;
    uint32_t *parent = sets_create(kept->part_count, error);
    uint32_t *part =
        tr_alloc(ending->vertex_count, sizeof *part, error); /* of a vertex: one of its parts, + 1 */
    uint64_t united = 0;
    enum tr_status status = parent && part ? TR_OK : TR_IO;

    for (size_t i = 0; i < kept->vertex_count && status == TR_OK; i++) {
        uint32_t *here = &part[ending->number[i]];

        if (*here == 0)
            *here = kept->parts[i] + 1;
        else
            united += unite(parent, *here - 1, kept->parts[i]);
    }
    ending->tally.result.components += kept->part_count - united;
    free(parent);
    free(part);
    return status;
}

static void conclude(const struct tally *tally, struct tr_check_result *result)
{
    *result = tally->result;
    result->euler = (int64_t)result->vertices - (int64_t)result->edges + (int64_t)result->triangles;
    result->volume_units3 = (double)(wide)tally->six_volumes / 6;
    result->area_units2 = (double)(wide)tally->area_steps / AREA_STEPS;
    result->cover_units2 = (double)(wide)tally->two_covers / 2;
}

enum tr_status tr_check_finish(struct tr_check *check, struct tr_check_result *result, struct tr_error *error)
{
    const struct kept *kept = &check->kept;
    struct ending ending = {.check = check, .kept = kept, .tally = check->tally};
    enum tr_status status = TR_IO;

    *result = (struct tr_check_result){0};
    ending.vertices = tr_alloc(kept->vertex_count, sizeof *ending.vertices, error);
    ending.number = tr_alloc(kept->vertex_count, sizeof *ending.number, error);
    if (ending.vertices && ending.number)
        status = tr_weld(kept->vertices, kept->vertex_count, ending.vertices, ending.number,
                         &ending.vertex_count, error);
    if (status == TR_OK)
        status = judge_spokes(&ending, error);
    if (status == TR_OK)
        status = count_duplicates(&ending, error);
    if (status == TR_OK)
        status = count_components(&ending, error);
    if (status == TR_OK)
        conclude(&ending.tally, result);
    free(ending.vertices);
    free(ending.number);
    return status;
}
