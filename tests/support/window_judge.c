/* The judge of a window: what is right is recomputed here from its samples, one vertex and one triangle at a time. See window.h. */
#include "tests/support/window_mesh.h"

#include "lib/base/alloc.h"
#include "lib/mesh/check.h"
#include "shaders/surface.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLANT_UNITS 3 /* that a vertex may move along a side, to have whole coordinates on a slanted edge */
#define SLIVER_COSINE (-0.1) /* a transition triangle opposes the gradient from here on */
#define SLIVER_CELLS                                                                                         \
    16.0 /* and is thicker than a sliver if its least altitude is over a cell divided by this */

struct judge {
    const struct window *w;
    struct window_mesh mesh;
    struct tr_check *check;
    int64_t twice_area_seen_from_above;
    struct window_counts counts;
    char *fault;
};

static bool found_fault(struct judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns false, which goes up through all that judges. */
static bool found_fault(struct judge *j, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(j->fault, WINDOW_TEXT_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* A vertex of a tile, from the window's lowest corner. */
static void place(const struct window_tile *tile, const tr_vertex *v, int64_t at[3])
{
    at[0] = (int64_t)tile->corner[0] * TR_UNITS + v->x;
    at[1] = (int64_t)tile->corner[1] * TR_UNITS + v->y;
    at[2] = (int64_t)tile->corner[2] * TR_UNITS + v->z;
}

/* ---- vertices ---- */

static void differences(const struct window *w, const int32_t s[3], int g[3])
{
    g[0] = window_sample(w, s[0] + 1, s[1], s[2]) - window_sample(w, s[0] - 1, s[1], s[2]);
    g[1] = window_sample(w, s[0], s[1] + 1, s[2]) - window_sample(w, s[0], s[1] - 1, s[2]);
    g[2] = window_sample(w, s[0], s[1], s[2] + 1) - window_sample(w, s[0], s[1], s[2] - 1);
}

/* Finds the edge of LOD 0 in whose inside the position lies: its lower end and axis. */
static bool find_edge(const struct window *w, const int64_t at[3], int32_t lower[3], int *axis)
{
    int inside = 0;
    for (int i = 0; i < 3; i++) {
        if (at[i] < 0 || at[i] > (int64_t)w->size[i] * TR_UNITS)
            return false;
        lower[i] = (int32_t)(at[i] / TR_UNITS);
        if (at[i] % TR_UNITS != 0) {
            *axis = i;
            inside++;
        }
    }
    return inside == 1;
}

/* Whether the surface crosses an edge of LOD 0 here; *normal is the normal due. */
static bool is_crossing(const struct window *w, const int64_t at[3], uint32_t *normal)
{
    int32_t lower[3], upper[3];
    int axis = 0, g0[3], g1[3];
    if (!find_edge(w, at, lower, &axis))
        return false;
    memcpy(upper, lower, sizeof upper);
    upper[axis]++;
    const int a = window_sample(w, lower[0], lower[1], lower[2]);
    const int b = window_sample(w, upper[0], upper[1], upper[2]);
    const int t = (int)(at[axis] % TR_UNITS);
    if ((a <= 0) == (b <= 0) || tr_crossing(a, b) != t)
        return false;
    differences(w, lower, g0);
    differences(w, upper, g1);
    *normal = tr_normal(g0[0], g0[1], g0[2], g1[0], g1[1], g1[2], t, axis, a <= 0);
    return true;
}

static const char *kind_name(const struct window_tile *tile)
{
    return tile->tile.kind == TR_TILE_HEIGHTS ? "height tile" : "marched tile";
}

static bool judge_unmoved(struct judge *j, const struct window_tile *tile)
{
    for (uint32_t i = 0; i < tile->tile.vertex_count; i++) {
        const tr_vertex *v = &tile->tile.vertices[i];
        int64_t at[3];
        uint32_t normal;
        place(tile, v, at);
        if (!is_crossing(j->w, at, &normal))
            return found_fault(j,
                               "%s of LOD %u: vertex %u at (%" PRId64 " %" PRId64 " %" PRId64
                               ") is on no crossing of LOD 0",
                               kind_name(tile), tile->lod, i, at[0], at[1], at[2]);
        if (v->normal != normal)
            return found_fault(j,
                               "%s of LOD %u: vertex %u at (%" PRId64 " %" PRId64 " %" PRId64
                               ") has normal %08x, expected %08x",
                               kind_name(tile), tile->lod, i, at[0], at[1], at[2], v->normal, normal);
    }
    return true;
}

static bool judge_moves(struct judge *j, const struct window_tile *tile)
{
    const int32_t most = (TR_UNITS / 4) << tile->lod;
    for (uint32_t i = 0; i < tile->tile.move_count; i++) {
        const struct tr_tile_move *move = &tile->tile.moves[i];
        const tr_vertex *v = &tile->tile.vertices[move->vertex];
        const int32_t by[3] = {move->x - v->x, move->y - v->y, move->z - v->z};
        for (int axis = 0; axis < 3; axis++) {
            const int32_t inward = move->sides >> (2 * axis) & 1 ? most : SLANT_UNITS;
            const int32_t backward = move->sides >> (2 * axis + 1) & 1 ? -most : -SLANT_UNITS;
            if (by[axis] > inward || by[axis] < backward)
                return found_fault(j,
                                   "tile of LOD %u: vertex %u moves by (%d %d %d) where sides %#x are finer, "
                                   "expected at most %d inward",
                                   tile->lod, move->vertex, by[0], by[1], by[2], move->sides, most);
        }
    }
    return true;
}

/* Whether a vertex of the assembled mesh is where a move of the tile that holds there puts one. */
static bool is_moved(const struct window_tile *tile, const tr_vertex *v)
{
    for (uint32_t i = 0; i < tile->tile.move_count; i++) {
        const struct tr_tile_move *move = &tile->tile.moves[i];
        bool holds = true;
        for (uint32_t side = 0; side < TR_SIDES; side++)
            holds &= !(move->sides >> side & 1) || tile->states[side] == TR_SIDE_FINER;
        if (holds && move->x == v->x && move->y == v->y && move->z == v->z)
            return true;
    }
    return false;
}

static bool judge_assembled(struct judge *j, const struct window_tile *tile)
{
    for (uint32_t i = 0; i < tile->mesh.vertex_count; i++) {
        int64_t at[3];
        uint32_t normal;
        place(tile, &tile->mesh.vertices[i], at);
        const bool is_due = is_crossing(j->w, at, &normal) && tile->mesh.vertices[i].normal == normal;
        if (!is_due && !is_moved(tile, &tile->mesh.vertices[i]))
            return found_fault(j,
                               "%s of LOD %u: assembled vertex %u at (%" PRId64 " %" PRId64 " %" PRId64
                               ") is neither due there nor moved",
                               kind_name(tile), tile->lod, i, at[0], at[1], at[2]);
    }
    return true;
}

/* ---- triangles ---- */

/* Twice its area seen from above, negative from below. */
static int64_t area_from_above(const struct tr_mesh *mesh, const uint32_t *t)
{
    const tr_vertex *a = &mesh->vertices[t[0]], *b = &mesh->vertices[t[1]], *c = &mesh->vertices[t[2]];
    return (int64_t)(b->z - a->z) * (c->x - a->x) - (int64_t)(b->x - a->x) * (c->z - a->z);
}

static bool is_within_cell(const struct window_tile *tile, const uint32_t *t)
{
    const int32_t cell = TR_UNITS << tile->lod;
    for (int axis = 0; axis < 3; axis++) {
        int32_t lo = INT32_MAX, hi = INT32_MIN;
        for (int i = 0; i < 3; i++) {
            const tr_vertex *v = &tile->mesh.vertices[t[i]];
            const int32_t at = axis == 0 ? v->x : axis == 1 ? v->y : v->z;
            lo = at < lo ? at : lo;
            hi = at > hi ? at : hi;
        }
        if ((axis != 1 || tile->tile.kind == TR_TILE_MARCHED) && hi > (lo / cell + 1) * cell)
            return false;
    }
    return true;
}

/* The field's gradient at a position: central differences, interpolated between the samples around it. */
static void gradient(const struct window *w, const double at[3], double g[3])
{
    int32_t lower[3];
    double part[3];
    for (int i = 0; i < 3; i++) {
        lower[i] = (int32_t)(at[i] / TR_UNITS);
        lower[i] = lower[i] < w->size[i] ? lower[i] : w->size[i] - 1;
        part[i] = at[i] / TR_UNITS - lower[i];
        g[i] = 0;
    }
    for (int corner = 0; corner < 8; corner++) {
        int32_t s[3];
        int d[3];
        double weight = 1;
        for (int i = 0; i < 3; i++) {
            s[i] = lower[i] + (corner >> i & 1);
            weight *= corner >> i & 1 ? part[i] : 1 - part[i];
        }
        differences(w, s, d);
        for (int i = 0; i < 3; i++)
            g[i] += weight * d[i];
    }
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Whether the triangle faces against the gradient and is thicker than a sliver. */
static bool is_opposing(const struct window *w, const struct window_tile *tile, const uint32_t *t)
{
    double p[3][3], edge[3][3], centre[3], g[3], normal[3], longest = 0, along = 0;
    for (int i = 0; i < 3; i++) {
        int64_t at[3];
        place(tile, &tile->mesh.vertices[t[i]], at);
        for (int k = 0; k < 3; k++)
            p[i][k] = (double)at[k];
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            edge[i][k] = p[(i + 1) % 3][k] - p[i][k];
            centre[k] = (p[0][k] + p[1][k] + p[2][k]) / 3;
        }
        longest = fmax(longest, length(edge[i]));
    }
    for (int k = 0; k < 3; k++)
        normal[k] = edge[0][(k + 1) % 3] * edge[1][(k + 2) % 3] - edge[0][(k + 2) % 3] * edge[1][(k + 1) % 3];
    const double twice_area = length(normal);
    if (twice_area <= longest * (TR_UNITS << tile->lod) / SLIVER_CELLS)
        return false;
    gradient(w, centre, g);
    for (int k = 0; k < 3; k++)
        along += g[k] * normal[k];
    return along < SLIVER_COSINE * twice_area * length(g);
}

static bool judge_triangles(struct judge *j, const struct window_tile *tile)
{
    const bool must_face_up = j->w->layout == WINDOW_COLUMNS && !j->mesh.is_sculpted;
    for (uint32_t i = 0; i < tile->mesh.index_count; i += 3) {
        const uint32_t *t = tile->mesh.indices + i;
        const int64_t area = area_from_above(&tile->mesh, t);
        const bool is_transition = i >= tile->surface_indices;
        j->twice_area_seen_from_above += area;
        j->counts.triangles++;
        j->counts.transition_triangles += is_transition;
        j->counts.opposing_transitions += is_transition && is_opposing(j->w, tile, t);
        if (must_face_up && area < 0)
            return found_fault(j, "%s of LOD %u: %s triangle %u faces down", kind_name(tile), tile->lod,
                               is_transition ? "transition" : "surface", i / 3);
        if (!is_within_cell(tile, t))
            return found_fault(j, "%s of LOD %u: %s triangle %u reaches beyond its cell", kind_name(tile),
                               tile->lod, is_transition ? "transition" : "surface", i / 3);
    }
    return true;
}

/* A height tile's first part has the cells that touch none of its sides, if there are any. */
static bool judge_inner_cells(struct judge *j, const struct window_tile *tile)
{
    const int32_t cell = TR_UNITS << tile->lod;
    const int32_t x = tile->tile.size[0] / cell - 2, z = tile->tile.size[2] / cell - 2;
    if (tile->tile.kind == TR_TILE_MARCHED || x <= 0 || z <= 0)
        return true;
    const struct tr_tile_part *inner = &tile->tile.parts[0];
    for (uint32_t side = 0; side < TR_SIDES; side++) {
        if (inner->states[side] != TR_SIDE_ANY)
            return found_fault(j, "height tile of LOD %u: its inner cells depend on side %u", tile->lod,
                               side);
    }
    if (inner->index_count != (uint32_t)(6 * x * z))
        return found_fault(j, "height tile of LOD %u: %u triangles in %d x %d inner cells", tile->lod,
                           inner->index_count / 3, x, z);
    return true;
}

/* Settles the tile. */
static bool judge_settled(struct judge *j, struct window_tile *tile)
{
    struct tr_error error = {0};
    assert_ok(tr_tile_mesh_settle(&tile->tile, tile->states, &error), &error);
    if (tile->tile.vertex_count != tile->mesh.vertex_count ||
        tile->tile.index_count != tile->mesh.index_count)
        return found_fault(j, "%s of LOD %u: settled %u vertices and %u indices, assembled %u and %u",
                           kind_name(tile), tile->lod, tile->tile.vertex_count, tile->tile.index_count,
                           tile->mesh.vertex_count, tile->mesh.index_count);
    if (tile->mesh.index_count > 0 && (memcmp(tile->tile.vertices, tile->mesh.vertices,
                                              tile->mesh.vertex_count * sizeof *tile->mesh.vertices) != 0 ||
                                       memcmp(tile->tile.indices, tile->mesh.indices,
                                              tile->mesh.index_count * sizeof *tile->mesh.indices) != 0))
        return found_fault(j, "%s of LOD %u: settled and assembled meshes differ", kind_name(tile),
                           tile->lod);
    return true;
}

/* ---- the whole ---- */

static void add_to_check(struct judge *j, const struct window_tile *tile)
{
    struct tr_error error = {0};
    int64_t *xyz = tr_alloc(3 * (size_t)tile->mesh.vertex_count, sizeof *xyz, &error);
    if (!xyz)
        fail_msg("%s", error.text);
    for (uint32_t i = 0; i < tile->mesh.vertex_count; i++)
        place(tile, &tile->mesh.vertices[i], xyz + 3 * (size_t)i);
    assert_ok(tr_check_add(j->check, xyz, tile->mesh.vertex_count, tile->mesh.indices, tile->mesh.index_count,
                           &error),
              &error);
    free(xyz);
}

static bool judge_closed(struct judge *j)
{
    struct tr_check_result r;
    struct tr_error error = {0};
    assert_ok(tr_check_finish(j->check, &r, &error), &error);
    j->counts.volume = r.volume_units3 / ((double)TR_UNITS * TR_UNITS * TR_UNITS);
    j->counts.euler = r.euler;
    if (r.open_edges)
        return found_fault(j,
                           "%" PRIu64 " open edges, the first from (%" PRId64 " %" PRId64 " %" PRId64
                           ") to (%" PRId64 " %" PRId64 " %" PRId64 ")",
                           r.open_edges, r.first_open[0], r.first_open[1], r.first_open[2], r.first_open[3],
                           r.first_open[4], r.first_open[5]);
    if (r.crowded_edges)
        return found_fault(j,
                           "%" PRIu64 " crowded edges, the first from (%" PRId64 " %" PRId64 " %" PRId64
                           ") to (%" PRId64 " %" PRId64 " %" PRId64 ")",
                           r.crowded_edges, r.first_crowded[0], r.first_crowded[1], r.first_crowded[2],
                           r.first_crowded[3], r.first_crowded[4], r.first_crowded[5]);
    if (r.pinches)
        return found_fault(j, "%" PRIu64 " pinches, the first at (%" PRId64 " %" PRId64 " %" PRId64 ")",
                           r.pinches, r.first_pinch[0], r.first_pinch[1], r.first_pinch[2]);
    if (r.duplicates || r.degenerates)
        return found_fault(j, "%" PRIu64 " duplicate and %" PRIu64 " degenerate triangles", r.duplicates,
                           r.degenerates);
    return true;
}

static bool judge_cover(struct judge *j)
{
    const struct window *w = j->w;
    bool bottom_is_solid, top_is_solid;
    if (!window_has_level_ends(w, &bottom_is_solid, &top_is_solid))
        return found_fault(j, "the window's ends are not level: it is none");
    const int64_t ground = INT64_C(2) * w->size[0] * w->size[2] * TR_UNITS * TR_UNITS;
    const int64_t due = ground * ((int)bottom_is_solid - (int)top_is_solid);
    if (j->twice_area_seen_from_above != due)
        return found_fault(j, "triangles cover %" PRId64 " seen from above, expected %" PRId64,
                           j->twice_area_seen_from_above, due);
    return true;
}

static bool judge_tile(struct judge *j, struct window_tile *tile)
{
    return judge_unmoved(j, tile) && judge_moves(j, tile) && judge_assembled(j, tile) &&
           judge_triangles(j, tile) && judge_inner_cells(j, tile) && judge_settled(j, tile);
}

static void add_counts(const struct judge *j, struct window_counts *counts)
{
    const uint64_t *found = &j->mesh.pairings[0][0][0];
    uint64_t *sums = &counts->pairings[0][0][0];
    for (size_t i = 0; i < sizeof counts->pairings / sizeof *sums; i++)
        sums[i] += found[i];
    counts->triangles += j->counts.triangles;
    counts->transition_triangles += j->counts.transition_triangles;
    counts->opposing_transitions += j->counts.opposing_transitions;
    counts->volume = j->counts.volume;
    counts->euler = j->counts.euler;
}

bool window_judge(const struct window *w, struct window_counts *counts, char fault[WINDOW_TEXT_BYTES])
{
    const int64_t lo[2] = {0, 0};
    const int64_t hi[2] = {(int64_t)w->size[0] * TR_UNITS, (int64_t)w->size[2] * TR_UNITS};
    struct judge j = {.w = w, .fault = fault};
    struct tr_error error = {0};
    bool is_right;
    assert_ok(tr_check_create(lo, hi, &j.check, &error), &error);
    window_mesh_build(w, &j.mesh);
    for (size_t i = 0; i < j.mesh.count; i++)
        add_to_check(&j, &j.mesh.tiles[i]);
    is_right = judge_closed(&j);
    for (size_t i = 0; i < j.mesh.count && is_right; i++)
        is_right = judge_tile(&j, &j.mesh.tiles[i]);
    is_right = is_right && judge_cover(&j);
    if (counts && is_right)
        add_counts(&j, counts);
    window_mesh_release(&j.mesh);
    tr_check_free(j.check);
    return is_right;
}

/* ---- soup ---- */

void window_assemble(const struct window *w, struct window_soup *soup)
{
    struct window_mesh mesh;
    struct tr_error error = {0};
    size_t vertices = 0, indices = 0;
    window_mesh_build(w, &mesh);
    for (size_t i = 0; i < mesh.count; i++) {
        vertices += mesh.tiles[i].mesh.vertex_count;
        indices += mesh.tiles[i].mesh.index_count;
    }
    *soup = (struct window_soup){.xyz = tr_alloc(vertices, sizeof *soup->xyz, &error),
                                 .normals = tr_alloc(vertices, sizeof *soup->normals, &error),
                                 .lods = tr_alloc(vertices, 1, &error),
                                 .indices = tr_alloc(indices, sizeof *soup->indices, &error)};
    if (!soup->xyz || !soup->normals || !soup->lods || !soup->indices)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < mesh.count; i++) {
        const struct window_tile *tile = &mesh.tiles[i];
        const uint32_t first = (uint32_t)soup->vertex_count;
        for (uint32_t v = 0; v < tile->mesh.vertex_count; v++) {
            place(tile, &tile->mesh.vertices[v], soup->xyz[soup->vertex_count]);
            soup->normals[soup->vertex_count] = tile->mesh.vertices[v].normal;
            soup->lods[soup->vertex_count++] = (uint8_t)tile->lod;
        }
        for (uint32_t k = 0; k < tile->mesh.index_count; k++)
            soup->indices[soup->index_count++] = first + tile->mesh.indices[k];
    }
    window_mesh_release(&mesh);
}

void window_soup_release(struct window_soup *soup)
{
    free(soup->xyz);
    free(soup->normals);
    free(soup->lods);
    free(soup->indices);
    *soup = (struct window_soup){0};
}
