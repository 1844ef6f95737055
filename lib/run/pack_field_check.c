/* See pack_field_check.h. A tile's vertices are taken chunk by chunk, so that only the chunks around one are held, however coarse the tile. */
#include "lib/run/pack_field_check.h"

#include "lib/base/alloc.h"
#include "lib/pack/pack_check.h"
#include "lib/world/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_UNITS (TR_CHUNK * TR_UNITS)
#define NORMAL_TOLERANCE 1e-4 /* radians */
#define HELD_MAX 32           /* a vertex of LOD 6 may have moved from an edge two chunks away */
#define QUARTERS 4

struct field_check {
    const struct tr_pack *pack;
    const struct tr_world *world;
    struct tr_cache *cache;
    struct tr_pack_field_report *report;
    pthread_mutex_t lock; /* of the report */
    struct column *columns;
    size_t column_count;
};

/* ---- samples ---- */

/* The world as one job sees it: chunks are held until it turns to others. The first failure stays in status; then samples are 0. */
struct view {
    const struct tr_world *world;
    struct tr_cache *cache;
    const struct tr_chunk *held[HELD_MAX];
    uint32_t held_count;
    enum tr_status status;
    struct tr_error *error;
};

static void view_release(struct view *view)
{
    for (uint32_t i = 0; i < view->held_count; i++)
        tr_cache_release(view->cache, view->held[i]);
    view->held_count = 0;
}

static const struct tr_chunk *find_chunk(struct view *view, int32_t cx, int32_t cz)
{
    const struct tr_chunk *chunk = NULL;

    for (uint32_t i = 0; i < view->held_count; i++)
        if (view->held[i]->cx == cx && view->held[i]->cz == cz)
            return view->held[i];
    if (view->status != TR_OK)
        return NULL;
    if (view->held_count == HELD_MAX)
        view_release(view);
    view->status = tr_cache_hold(view->cache, cx, cz, &chunk, view->error);
    if (view->status != TR_OK)
        return NULL;
    view->held[view->held_count++] = chunk;
    return chunk;
}

static int64_t clamp(int64_t value, int64_t lo, int64_t hi)
{
    return value < lo ? lo : value > hi ? hi : value;
}

/* The chunk that owns a sample, and where in it; reads beyond the world clamp to its last sample. */
static const struct tr_chunk *find_sample(struct view *view, const int64_t at[3], int *x, int *z)
{
    const int64_t world_x = clamp(at[0], 0, (int64_t)view->world->info.size_x * TR_CHUNK),
                  world_z = clamp(at[2], 0, (int64_t)view->world->info.size_z * TR_CHUNK);

    *x = (int)(world_x % TR_CHUNK);
    *z = (int)(world_z % TR_CHUNK);
    return find_chunk(view, (int32_t)(world_x / TR_CHUNK), (int32_t)(world_z / TR_CHUNK));
}

static int sample(struct view *view, const int64_t at[3])
{
    int x, z;
    const struct tr_chunk *chunk = find_sample(view, at, &x, &z);

    return chunk ? tr_chunk_field(chunk, x, at[1], z) : 0;
}

static int material(struct view *view, const int64_t at[3])
{
    int x, z;
    const struct tr_chunk *chunk = find_sample(view, at, &x, &z);

    return chunk ? tr_chunk_material(chunk, x, at[1], z) : 0;
}

static bool is_solid(int value)
{
    return value <= 0;
}

/* ---- crossings ---- */

/* An edge of LOD 0 from a sample to the next along an axis. */
struct edge {
    int64_t at[3]; /* its lower end, a sample */
    int axis;
    int t; /* where it is crossed, of 256 */
    bool lower_is_solid;
};

/* round(256 |a| / (|a| + |b|)), halves up, at least 1 and at most 255. */
static int crossing_between(int a, int b)
{
    const int64_t size = llabs(a), sum = size + llabs(b);
    const int64_t whole = 256 * size / sum, rest = 256 * size % sum;

    return (int)clamp(whole + (2 * rest >= sum), 1, 255);
}

/* Fills t and lower_is_solid; false where the edge is not crossed. */
static bool cross_edge(struct view *view, struct edge *edge)
{
    int64_t upper[3] = {edge->at[0], edge->at[1], edge->at[2]};

    upper[edge->axis]++;
    const int a = sample(view, edge->at), b = sample(view, upper);

    edge->lower_is_solid = is_solid(a);
    if (is_solid(a) == is_solid(b))
        return false;
    edge->t = crossing_between(a, b);
    return true;
}

/* The edge of LOD 0 that is crossed on an edge of LOD k, whose lower end is given; false where there is none. */
static bool descend(struct view *view, const int64_t lower[3], int axis, uint32_t lod, struct edge *edge)
{
    int64_t at[3] = {lower[0], lower[1], lower[2]}, upper[3] = {lower[0], lower[1], lower[2]};

    upper[axis] += (int64_t)1 << lod;
    const bool lower_is_solid = is_solid(sample(view, at));
    if (is_solid(sample(view, upper)) == lower_is_solid)
        return false;
    for (int64_t half = ((int64_t)1 << lod) / 2; half > 0; half /= 2) {
        int64_t middle[3] = {at[0], at[1], at[2]};

        middle[axis] += half;
        if (is_solid(sample(view, middle)) == lower_is_solid)
            at[axis] = middle[axis];
    }
    *edge = (struct edge){.at = {at[0], at[1], at[2]}, .axis = axis};
    return cross_edge(view, edge);
}

static int64_t edge_position(const struct edge *edge, int axis)
{
    return edge->at[axis] * TR_UNITS + (axis == edge->axis ? edge->t : 0);
}

/* ---- normals ---- */

static void central_differences(struct view *view, const int64_t at[3], int gradient[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int64_t before[3] = {at[0], at[1], at[2]}, after[3] = {at[0], at[1], at[2]};

        before[axis]--;
        after[axis]++;
        gradient[axis] = sample(view, after) - sample(view, before);
    }
}

/* The field's gradient at the crossing; where it vanishes, from the solid to the air. */
static void edge_gradient(struct view *view, const struct edge *edge, double gradient[3])
{
    int64_t upper[3] = {edge->at[0], edge->at[1], edge->at[2]};
    int g0[3], g1[3];

    upper[edge->axis]++;
    central_differences(view, edge->at, g0);
    central_differences(view, upper, g1);
    for (int axis = 0; axis < 3; axis++)
        gradient[axis] = (double)g0[axis] * (256 - edge->t) + (double)g1[axis] * edge->t;
    if (gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 0)
        gradient[edge->axis] = edge->lower_is_solid ? 1 : -1;
}

/* The direction of an octahedral normal, as lib/pack/FORMAT.md says it. */
static void decode_normal(uint32_t normal, double direction[3])
{
    const double u = (int16_t)(normal & 0xffffu) / 32767.0, v = (int16_t)(normal >> 16) / 32767.0;
    const double size_u = u < 0 ? -u : u, size_v = v < 0 ? -v : v;

    direction[0] = u;
    direction[1] = 1 - size_u - size_v;
    direction[2] = v;
    if (direction[1] < 0) {
        direction[0] = (1 - size_v) * (u < 0 ? -1 : 1);
        direction[2] = (1 - size_u) * (v < 0 ? -1 : 1);
    }
}

/* Whether two directions differ by no more than the tolerance. */
static bool are_alike(const double a[3], const double b[3])
{
    double dot = 0, cross = 0, size_a = 0, size_b = 0;

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double component = a[j] * b[k] - a[k] * b[j];

        dot += a[i] * b[i];
        cross += component * component;
        size_a += a[i] * a[i];
        size_b += b[i] * b[i];
    }
    return dot > 0 && cross <= NORMAL_TOLERANCE * NORMAL_TOLERANCE * size_a * size_b;
}

static bool normal_fits(struct view *view, const struct edge *edge, uint32_t normal)
{
    double gradient[3], direction[3];

    edge_gradient(view, edge, gradient);
    decode_normal(normal, direction);
    return are_alike(gradient, direction);
}

/* ---- a tile ---- */

struct tile_check {
    const struct tr_pack_tile *tile;
    const struct tr_tile_mesh *mesh;
    bool is_window;
    int64_t corner[3]; /* units */
    struct view view;
    uint8_t *
        axes; /* of a vertex: that of its edge, | 4 where the lower end is solid, NO_AXIS where it is on none */
    struct tr_pack_field_report found;
};

#define NO_AXIS 3u

static void note(uint64_t *count, int64_t first[3], const int64_t at[3])
{
    bool is_first = (*count)++ == 0;

    for (int axis = 0; axis < 3 && !is_first; axis++) {
        if (at[axis] > first[axis])
            return;
        is_first = at[axis] < first[axis];
    }
    memcpy(first, at, 3 * sizeof *first);
}

/* The edge of LOD 0 on which a position lies, strictly between its ends; false where there is none. */
static bool find_edge(const int64_t position[3], struct edge *edge)
{
    int off_lattice = 0;

    for (int axis = 0; axis < 3; axis++) {
        edge->at[axis] = tr_floor_div(position[axis], TR_UNITS);
        if (tr_floor_mod(position[axis], TR_UNITS) != 0) {
            edge->axis = axis;
            off_lattice++;
        }
    }
    return off_lattice == 1;
}

/* Whether the position may be that of a moved vertex: within a cell of a side that has a finer neighbour. */
static bool may_have_moved(const struct tile_check *check, const int64_t position[3])
{
    const struct tr_pack_tile *tile = check->tile;
    const int64_t cell = (int64_t)TR_UNITS << tile->lod, width = (int64_t)CHUNK_UNITS << tile->lod;

    if (!check->is_window || tile->kind != TR_TILE_MARCHED || tile->lod == 0)
        return false;
    for (int side = 0; side < TR_SIDES; side++) {
        const int64_t plane = check->corner[side / 2] + (side % 2 ? width : 0);

        if (tile->states[side] == TR_SIDE_FINER && llabs(position[side / 2] - plane) <= cell)
            return true;
    }
    return false;
}

/* What of a vertex is that of an edge's crossing, besides its place. */
#define NORMAL_FITS 1u
#define MATERIAL_FITS 2u
#define ALL_FITS 3u

static unsigned find_fits(struct tile_check *check, uint32_t v, const struct edge *edge)
{
    const struct tr_tile_mesh *mesh = check->mesh;
    int64_t solid[3] = {edge->at[0], edge->at[1], edge->at[2]};

    solid[edge->axis] += !edge->lower_is_solid;
    return (normal_fits(&check->view, edge, mesh->vertices[v].normal) ? NORMAL_FITS : 0) |
           (material(&check->view, solid) == (mesh->materials ? mesh->materials[v] : 0) ? MATERIAL_FITS : 0);
}

/* The crossing that descending finds on the edge of the tile's own LOD which runs along `axis` from `lower` (in steps of that LOD); false
 * where there is none, or none from which a vertex can have moved to `position`. */
static bool find_origin(struct tile_check *check, const int64_t position[3], const int64_t lower[3], int axis,
                        struct edge *edge)
{
    const int64_t step = (int64_t)1 << check->tile->lod, quarter = step * TR_UNITS / 4;
    const int64_t sample_at[3] = {lower[0] * step, lower[1] * step, lower[2] * step};

    if (!descend(&check->view, sample_at, axis, check->tile->lod, edge))
        return false;
    for (int i = 0; i < 3; i++)
        if (llabs(position[i] - edge_position(edge, i)) > (i == 1 ? 0 : quarter))
            return false;
    return true;
}

/* Tries the edges from which a vertex may have moved there, along each axis the one or two that are nearest. *fits: of the best. */
static bool has_moved(struct tile_check *check, uint32_t v, const int64_t position[3], unsigned *fits)
{
    const int64_t cell = (int64_t)TR_UNITS << check->tile->lod;
    bool is_near = false;

    *fits = 0;
    for (int i = 0; i < 6 && *fits != ALL_FITS; i++) {
        const int axis = i / 2;
        int64_t lower[3];
        struct edge edge;
        unsigned found;

        for (int j = 0; j < 3; j++)
            lower[j] = tr_floor_div(position[j] + (j == axis ? -cell / 4 : cell / 2), cell);
        lower[axis] += i % 2;
        if (!find_origin(check, position, lower, axis, &edge))
            continue;
        found = find_fits(check, v, &edge);
        *fits = !is_near || found == ALL_FITS ? found : *fits;
        is_near = true;
    }
    return is_near;
}

static void check_vertex(struct tile_check *check, uint32_t v)
{
    const tr_vertex *vertex = &check->mesh->vertices[v];
    const int64_t position[3] = {check->corner[0] + vertex->x, check->corner[1] + vertex->y,
                                 check->corner[2] + vertex->z};
    struct tr_pack_field_report *found = &check->found;
    struct edge edge;
    const bool is_crossing = find_edge(position, &edge) && cross_edge(&check->view, &edge) &&
                             edge_position(&edge, edge.axis) == position[edge.axis];
    unsigned fits = is_crossing ? find_fits(check, v, &edge) : 0, moved_fits;

    found->vertices++;
    check->axes[v] = is_crossing ? (uint8_t)(edge.axis | (edge.lower_is_solid ? 4 : 0)) : NO_AXIS;
    /* a moved vertex may happen to lie where another edge is crossed */
    if (fits != ALL_FITS && may_have_moved(check, position) && has_moved(check, v, position, &moved_fits) &&
        (!is_crossing || moved_fits == ALL_FITS)) {
        found->moved++;
        fits = moved_fits;
    } else if (!is_crossing) {
        note(&found->off_surface, found->first_off_surface, position);
        return;
    }
    if (!(fits & NORMAL_FITS))
        note(&found->wrong_normals, found->first_wrong_normal, position);
    if (!(fits & MATERIAL_FITS))
        note(&found->wrong_materials, found->first_wrong_material, position);
}

/* ---- orientation ---- */

/* Whether the segment from a to b in the plane crosses the ray from the origin through (r0, r1), each +-1: 1 counter-clockwise, -1 clockwise, else 0. */
static int cross_ray(const int64_t a[2], const int64_t b[2], int64_t r0, int64_t r1)
{
    const int64_t side_a = r0 * a[1] - r1 * a[0], side_b = r0 * b[1] - r1 * b[0];
    const int64_t along_a = r0 * a[0] + r1 * a[1], along_b = r0 * b[0] + r1 * b[1];

    if ((side_a >= 0) == (side_b >= 0))
        return 0;
    /* where it meets the ray's line, times side_b - side_a */
    const int64_t meets = along_a * side_b - along_b * side_a;
    if (side_b > side_a)
        return meets > 0 ? 1 : 0;
    return meets < 0 ? -1 : 0;
}

/* Adds what the triangle (v, a, b) does around the edge of v: turns[quarter]. Seen from the air the plane's axes are right-handed. */
static void add_turns(const struct tr_pack_drawn *drawn, const uint32_t corner[3], uint8_t axis,
                      int32_t turns[QUARTERS])
{
    const int i = (axis & 3) + 1 < 3 ? (axis & 3) + 1 : 0, j = 3 - (axis & 3) - i;
    const int first = axis & 4 ? i : j, second = axis & 4 ? j : i;
    int64_t from[2], to[2];

    for (int k = 0; k < 2; k++) {
        const int along = k ? second : first;
        const int64_t middle = drawn->xyz[3 * (size_t)corner[0] + (size_t)along];

        from[k] = drawn->xyz[3 * (size_t)corner[1] + (size_t)along] - middle;
        to[k] = drawn->xyz[3 * (size_t)corner[2] + (size_t)along] - middle;
    }
    for (int quarter = 0; quarter < QUARTERS; quarter++)
        turns[quarter] += cross_ray(from, to, quarter & 1 ? -1 : 1, quarter & 2 ? -1 : 1);
}

/* Each triangle around a vertex goes from one neighbour of it to the next, within one cell around the vertex's edge, whose line they never meet; over the cell
 * they turn by a right angle. So in each quarter they cross its middle once more counter-clockwise than clockwise. A hole lets that be 0 and is no
 * matter of orientation. */
static enum tr_status check_orientation(struct tile_check *check, const uint8_t *states,
                                        struct tr_error *error)
{
    const struct tr_tile_mesh *mesh = check->mesh;
    struct tr_pack_drawn drawn = {0};
    int32_t(*turns)[QUARTERS] = tr_alloc(mesh->vertex_count, sizeof *turns, error);
    enum tr_status status = turns ? tr_pack_draw(check->tile, mesh, states, &drawn, error) : TR_IO;

    for (size_t i = 0; i < drawn.index_count && status == TR_OK; i += 3)
        for (size_t c = 0; c < 3; c++) {
            const uint32_t corner[3] = {drawn.indices[i + c], drawn.indices[i + (c + 1) % 3],
                                        drawn.indices[i + (c + 2) % 3]};

            if (check->axes[corner[0]] != NO_AXIS)
                add_turns(&drawn, corner, check->axes[corner[0]], turns[corner[0]]);
        }
    for (uint32_t v = 0; v < mesh->vertex_count && status == TR_OK; v++) {
        bool is_turned = false;

        for (int quarter = 0; quarter < QUARTERS; quarter++)
            is_turned = is_turned || turns[v][quarter] < 0;
        if (is_turned)
            note(&check->found.turned, check->found.first_turned, drawn.xyz + 3 * (size_t)v);
    }
    tr_pack_drawn_release(&drawn);
    free(turns);
    return status;
}

/* Whether a marching-cubes tile of a window has vertices that may have moved. */
static bool has_finer_side(const struct tr_pack_tile *tile)
{
    for (int side = 0; side < TR_SIDES; side++)
        if (tile->states[side] == TR_SIDE_FINER)
            return true;
    return false;
}

static enum tr_status check_triangles(struct tile_check *check, struct tr_error *error)
{
    static const uint8_t all_same[TR_SIDES] = {TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME,
                                               TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};

    if (!check->is_window)
        return check_orientation(check, all_same, error);
    if (check->tile->kind == TR_TILE_MARCHED && has_finer_side(check->tile))
        return TR_OK;
    return check_orientation(check, NULL, error);
}

/* ---- all tiles ---- */

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Checks the vertices in order of the chunks in which they lie. A tile has at most 64 x 64 of them, its far sides lie in those beyond. */
static enum tr_status check_vertices(struct tile_check *check, struct tr_error *error)
{
    const struct tr_tile_mesh *mesh = check->mesh;
    uint64_t *order = tr_alloc(mesh->vertex_count, sizeof *order, error); /* chunk << 32 | vertex */

    if (!order)
        return TR_IO;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const uint64_t x = (uint64_t)(mesh->vertices[v].x / CHUNK_UNITS),
                       z = (uint64_t)(mesh->vertices[v].z / CHUNK_UNITS);

        order[v] = (z << 8 | x) << 32 | v;
    }
    qsort(order, mesh->vertex_count, sizeof *order, compare_u64);
    for (uint32_t i = 0; i < mesh->vertex_count && check->view.status == TR_OK; i++) {
        if (i > 0 && order[i] >> 32 != order[i - 1] >> 32)
            view_release(&check->view);
        check_vertex(check, (uint32_t)order[i]);
    }
    view_release(&check->view);
    free(order);
    return check->view.status;
}

static void add_found(struct field_check *whole, const struct tr_pack_field_report *found)
{
    struct tr_pack_field_report *sum = whole->report;
    const struct {
        uint64_t *count, more;
        int64_t *first;
        const int64_t *found;
    } defects[] = {
        {&sum->off_surface, found->off_surface, sum->first_off_surface, found->first_off_surface},
        {&sum->wrong_normals, found->wrong_normals, sum->first_wrong_normal, found->first_wrong_normal},
        {&sum->wrong_materials, found->wrong_materials, sum->first_wrong_material,
         found->first_wrong_material},
        {&sum->turned, found->turned, sum->first_turned, found->first_turned},
        {&sum->wrong_lines, found->wrong_lines, sum->first_wrong_line, found->first_wrong_line},
    };

    pthread_mutex_lock(&whole->lock);
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
        if (defects[i].more == 0)
            continue;
        note(defects[i].count, defects[i].first, defects[i].found);
        *defects[i].count += defects[i].more - 1;
    }
    sum->vertices += found->vertices;
    sum->moved += found->moved;
    sum->unreadable_tiles += found->unreadable_tiles;
    pthread_mutex_unlock(&whole->lock);
}

static enum tr_status check_tile(void *context, size_t index, int job, struct tr_error *error)
{
    struct field_check *whole = context;
    const struct tr_pack_tile *tile = &whole->pack->tiles[index];
    const int64_t width = (int64_t)CHUNK_UNITS << tile->lod;
    struct tr_tile_mesh mesh = {0};
    struct tile_check check = {.tile = tile,
                               .mesh = &mesh,
                               .is_window = whole->pack->info.form == TR_PACK_WINDOW,
                               .corner = {tile->cx * width, tile->cy * width, tile->cz * width},
                               .view = {.world = whole->world, .cache = whole->cache, .error = error}};
    enum tr_status status = tr_pack_read_tile(whole->pack, index, &mesh, error);

    (void)job;
    if (status == TR_BAD_INPUT) {
        check.found.unreadable_tiles = 1;
        add_found(whole, &check.found);
        return TR_OK;
    }
    if (status == TR_OK && !(check.axes = tr_alloc(mesh.vertex_count, 1, error)))
        status = TR_IO;
    if (status == TR_OK)
        status = check_vertices(&check, error);
    if (status == TR_OK)
        status = check_triangles(&check, error);
    if (status == TR_OK)
        add_found(whole, &check.found);
    free(check.axes);
    tr_tile_mesh_release(&mesh);
    return status;
}

/* ---- lines ---- */

/* A vertical line of samples, every 2^lod-th of them, from below. */
struct line {
    const struct tr_chunk *chunk;
    int x, z; /* in the chunk */
    uint32_t lod;
    bool has_begun, is_solid;
    int64_t last; /* the sample looked at last */
    uint32_t changes;
};

static void scan_line(struct line *line, int64_t lo, int64_t hi)
{
    const int64_t step = (int64_t)1 << line->lod;
    int64_t y = tr_floor_div(lo, step) * step;

    if (line->has_begun && y <= line->last)
        y = line->last + step;
    for (; y < hi + step; y += step) {
        const bool solid = is_solid(tr_chunk_field(line->chunk, line->x, y, line->z));

        line->changes += line->has_begun && solid != line->is_solid;
        line->is_solid = solid;
        line->last = y;
        line->has_begun = true;
    }
}

/* How often a line changes its sign. Only blocks and the height may change it; what lies between is looked at nowhere. */
static uint32_t count_changes(struct view *view, int64_t x, int64_t z, uint32_t lod)
{
    const int64_t at[3] = {x, 0, z}, step = (int64_t)1 << lod;
    struct line line = {.lod = lod};

    line.chunk = find_sample(view, at, &line.x, &line.z);
    if (!line.chunk)
        return 0;
    const int64_t ground = tr_floor_div(line.chunk->heights[line.z * TR_CHUNK + line.x], TR_UNITS);
    bool is_ground_left = true;
    for (size_t b = 0; b < line.chunk->block_count; b++) {
        const int64_t lo = (int64_t)line.chunk->blocks[b].cy * TR_CHUNK - step;

        if (is_ground_left && ground - step <= lo) {
            scan_line(&line, ground - step, ground + step);
            is_ground_left = false;
        }
        scan_line(&line, lo, lo + TR_CHUNK + 2 * step);
    }
    if (is_ground_left)
        scan_line(&line, ground - step, ground + step);
    return line.changes;
}

/* A column of tiles: those from `first` on. */
struct column {
    size_t first, count;
};

static uint32_t cells_along(const struct tr_pack_tile *tile, int32_t column, int32_t world_chunks)
{
    const int64_t left = (((int64_t)world_chunks * TR_CHUNK) >> tile->lod) - (int64_t)column * TR_CHUNK;

    return (uint32_t)clamp(left, 0, TR_CHUNK);
}

/* Counts the vertices on each line, [z][x] of 65 x 65. Only those that a triangle uses. */
static enum tr_status count_on_lines(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh,
                                     uint32_t *counts, struct tr_error *error)
{
    const int32_t cell = TR_UNITS << tile->lod;
    uint8_t *is_used = tr_alloc(mesh->vertex_count, 1, error);

    if (!is_used)
        return TR_IO;
    for (uint32_t i = 0; i < mesh->index_count; i++)
        is_used[mesh->indices[i]] = 1;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const tr_vertex *vertex = &mesh->vertices[v];

        if (is_used[v] && vertex->x % cell == 0 && vertex->z % cell == 0 &&
            tr_floor_mod(vertex->y, TR_UNITS) != 0)
            counts[vertex->z / cell * TR_TILE_CORNERS + vertex->x / cell]++;
    }
    free(is_used);
    return TR_OK;
}

/* A body that was left out whole leaves the mesh closed and every vertex right; but each body is crossed by a line. On the sides of coarse
 * tiles vertices move, and those of the finer level come in between, so the lines there are left out. */
static enum tr_status check_lines(struct field_check *whole, const struct tr_pack_tile *tile,
                                  const uint32_t *counts, struct tr_error *error)
{
    const struct tr_world_info *info = &whole->world->info;
    const uint32_t cells_x = cells_along(tile, tile->cx, info->size_x),
                   cells_z = cells_along(tile, tile->cz, info->size_z);
    const uint32_t margin = tile->lod > 0;
    struct view view = {.world = whole->world, .cache = whole->cache, .error = error};
    struct tr_pack_field_report found = {0};

    for (uint32_t z = margin; z + margin <= cells_z && view.status == TR_OK; z++)
        for (uint32_t x = margin; x + margin <= cells_x && view.status == TR_OK; x++) {
            const int64_t at_x = ((int64_t)tile->cx * TR_CHUNK + x) << tile->lod,
                          at_z = ((int64_t)tile->cz * TR_CHUNK + z) << tile->lod;
            const int64_t position[3] = {at_x * TR_UNITS, 0, at_z * TR_UNITS};
            const uint32_t changes = count_changes(&view, at_x, at_z, tile->lod);

            if (view.status == TR_OK && changes != counts[z * TR_TILE_CORNERS + x])
                note(&found.wrong_lines, found.first_wrong_line, position);
        }
    view_release(&view);
    if (view.status == TR_OK)
        add_found(whole, &found);
    return view.status;
}

static enum tr_status check_column(void *context, size_t index, int job, struct tr_error *error)
{
    struct field_check *whole = context;
    const struct column *column = &whole->columns[index];
    uint32_t *counts = tr_alloc(TR_TILE_CORNERS * TR_TILE_CORNERS, sizeof *counts, error);
    enum tr_status status = counts ? TR_OK : TR_IO;
    bool is_readable = true;

    (void)job;
    for (size_t i = column->first; i < column->first + column->count && status == TR_OK && is_readable; i++) {
        struct tr_tile_mesh mesh = {0};

        status = tr_pack_read_tile(whole->pack, i, &mesh, error);
        is_readable = status != TR_BAD_INPUT; /* counted by check_tile */
        if (status == TR_OK)
            status = count_on_lines(&whole->pack->tiles[i], &mesh, counts, error);
        tr_tile_mesh_release(&mesh);
    }
    if (status == TR_OK)
        status = check_lines(whole, &whole->pack->tiles[column->first], counts, error);
    free(counts);
    return is_readable ? status : TR_OK;
}

static enum tr_status list_columns(struct field_check *whole, struct tr_error *error)
{
    const struct tr_pack *pack = whole->pack;

    if (!(whole->columns = tr_alloc(pack->tile_count, sizeof *whole->columns, error)))
        return TR_IO;
    for (size_t i = 0; i < pack->tile_count; i++) {
        const struct tr_pack_tile *tile = &pack->tiles[i], *before = i > 0 ? tile - 1 : NULL;

        if (!before || before->lod != tile->lod || before->cx != tile->cx || before->cz != tile->cz)
            whole->columns[whole->column_count++].first = i;
        whole->columns[whole->column_count - 1].count++;
    }
    return TR_OK;
}

/* ---- the whole ---- */

/* The world must be the one that was meshed. */
static enum tr_status check_world(const struct tr_pack *pack, const struct tr_world *world,
                                  struct tr_error *error)
{
    char found[33], expected[33];

    tr_hash_text(world->hash, found);
    tr_hash_text(pack->info.world_hash, expected);
    if (!tr_hash_equal(world->hash, pack->info.world_hash))
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": world hash %s, expected %s, the world that \"%s\" was meshed from",
                       world->path, found, expected, pack->path);
    if (world->info.size_x != pack->info.size_x || world->info.size_z != pack->info.size_z)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": %d x %d chunks, expected %d x %d, as \"%s\" was meshed from", world->path,
                       world->info.size_x, world->info.size_z, pack->info.size_x, pack->info.size_z,
                       pack->path);
    return TR_OK;
}

enum tr_status tr_pack_check_field(const struct tr_pack *pack, const struct tr_world *world,
                                   struct tr_jobs *jobs, size_t cache_bytes,
                                   struct tr_pack_field_report *report, bool *good, struct tr_error *error)
{
    struct field_check check = {.pack = pack, .world = world, .report = report};
    enum tr_status status = check_world(pack, world, error);

    *report = (struct tr_pack_field_report){0};
    *good = false;
    if (status != TR_OK)
        return status;
    if (pthread_mutex_init(&check.lock, NULL) != 0)
        return tr_fail(error, TR_IO, "verify: cannot create a lock");
    status = tr_cache_create(world, cache_bytes, &check.cache, error);
    if (status == TR_OK)
        status = tr_jobs_run(jobs, pack->tile_count, check_tile, &check, error);
    if (status == TR_OK)
        status = list_columns(&check, error);
    if (status == TR_OK)
        status = tr_jobs_run(jobs, check.column_count, check_column, &check, error);
    *good = status == TR_OK && report->off_surface == 0 && report->wrong_normals == 0 &&
            report->wrong_materials == 0 && report->turned == 0 && report->wrong_lines == 0 &&
            report->unreadable_tiles == 0;
    free(check.columns);
    tr_cache_free(check.cache);
    pthread_mutex_destroy(&check.lock);
    return status;
}
