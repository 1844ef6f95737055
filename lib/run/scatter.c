/* See scatter.h. This is what grows; scatter_settle.c drops what is too near.
 *
 * A task is a chunk: the candidates whose place lies in it, whosever their cell is. It holds the chunks around for the samples that
 * normals need, and reads what they were before the log only when a layer that avoids edited ground gets so far. */
#include "lib/run/scatter.h"

#include "lib/base/alloc.h"
#include "lib/run/gather.h"
#include "lib/run/probe.h"
#include "lib/run/scatter_cell.h"
#include "shaders/surface.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#define CHUNK_UNITS ((int64_t)TR_CHUNK * TR_UNITS)
#define BATCH_CHUNKS 1024 /* between reports of progress */

struct grow {
    const struct tr_world *world;
    const struct tr_scatter_rules *rules;
    struct tr_shore shore;
    struct tr_cache *cache;
    struct tr_instances *instances;
    struct tr_ground *grounds; /* one a job */
    size_t first;              /* chunk of the batch */
    atomic_uint_fast64_t count;
};

/* What a task sees of the world. */
struct patch {
    struct grow *grow;
    int32_t cx, cz;
    struct tr_neighbourhood around;
    struct tr_cells cells;        /* the same chunks: of the corners of this chunk's cells */
    struct tr_chunk before[2][2]; /* of those the log changed, as they were; read when first asked for */
    struct tr_cells cells_before;
    bool has_before;
    struct tr_ground *ground;
};

/* ---- the chunks around ---- */

static void patch_release(struct patch *patch)
{
    for (int i = 0; i < 9; i++)
        if (patch->around.chunks[i / 3][i % 3])
            tr_cache_release(patch->grow->cache, patch->around.chunks[i / 3][i % 3]);
    for (int i = 0; i < 4; i++)
        tr_chunk_release(&patch->before[i / 2][i % 2]);
}

static enum tr_status patch_hold(struct patch *patch, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (int i = 0; i < 9 && status == TR_OK; i++) {
        int32_t cx = patch->cx + i % 3 - 1, cz = patch->cz + i / 3 - 1;

        if (tr_world_find(patch->grow->world, cx, cz))
            status = tr_cache_hold(patch->grow->cache, cx, cz, &patch->around.chunks[i / 3][i % 3], error);
    }
    patch->cells = (struct tr_cells){.cx = patch->cx, .cz = patch->cz};
    for (int i = 0; i < 4; i++)
        patch->cells.chunks[i / 2][i % 2] = patch->around.chunks[1 + i / 2][1 + i % 2];
    return status;
}

/* Fills cells_before. */
static enum tr_status patch_read_before(struct patch *patch, struct tr_error *error)
{
    const struct tr_world *world = patch->grow->world;
    enum tr_status status = TR_OK;

    patch->cells_before = patch->cells;
    for (int i = 0; i < 4 && status == TR_OK && world->has_log; i++) {
        int32_t cx = patch->cx + i % 2, cz = patch->cz + i / 2;
        struct tr_chunk *before = &patch->before[i / 2][i % 2];
        bool has_base;

        status = tr_world_has_base(world, cx, cz, &has_base, error);
        if (status == TR_OK && has_base)
            status = tr_world_read_base_chunk(world, cx, cz, before, error);
        if (status == TR_OK && has_base)
            patch->cells_before.chunks[i / 2][i % 2] = before;
    }
    patch->has_before = true;
    return status;
}

static const struct tr_chunk *find_chunk(void *context, int32_t cx, int32_t cz)
{
    const struct patch *patch = context;

    return patch->around.chunks[cz - patch->cz + 1][cx - patch->cx + 1];
}

/* ---- the ground at a candidate ---- */

/* A floor of a line: where it is, and which way it faces. */
struct spot {
    int x, z;           /* the lowest corner of its cell of the world, 0..63, */
    int part_x, part_z; /* and how far from it, 256ths */
    int32_t y;          /* units */
    uint32_t floor;     /* from above */
    int material;
    int32_t gradient[3]; /* |component| < 2^24, not all zero */
    uint32_t normal;
};

#define SIDE 4 /* samples around a cell along each axis: its corners, and those that differences need */

/* The difference along one axis (0 x, 1 y, 2 z) at corner i of the cell. */
static int32_t difference(const int16_t samples[SIDE][SIDE][SIDE], int i, int axis)
{
    int at[3] = {1 + (i & 1), 1 + (i >> 1 & 1), 1 + (i >> 2 & 1)}, after, before;

    at[axis]++;
    after = samples[at[1]][at[2]][at[0]];
    at[axis] -= 2;
    before = samples[at[1]][at[2]][at[0]];
    return after - before;
}

/* Scaled down by a power of two until each component is below 2^24; up where there is none. */
static void set_gradient(int64_t x, int64_t y, int64_t z, int32_t gradient[3])
{
    const int64_t limit = INT64_C(1) << 24;

    while (x <= -limit || x >= limit || y <= -limit || y >= limit || z <= -limit || z >= limit) {
        x /= 2;
        y /= 2;
        z /= 2;
    }
    gradient[0] = (int32_t)x;
    gradient[1] = x == 0 && y == 0 && z == 0 ? 1 : (int32_t)y;
    gradient[2] = (int32_t)z;
}

/* Finds gradient and normal: the differences at the cell's corners, which weigh 2^24 in all. */
static void find_normal(struct patch *patch, struct spot *spot)
{
    const int64_t row = tr_floor_div(spot->y, TR_UNITS);
    const int part_y = (int)tr_floor_mod(spot->y, TR_UNITS);
    const int64_t lowest[3] = {(int64_t)patch->cx * TR_CHUNK + spot->x - 1, row - 1,
                               (int64_t)patch->cz * TR_CHUNK + spot->z - 1};
    const uint32_t size[3] = {SIDE, SIDE, SIDE};
    int16_t samples[SIDE][SIDE][SIDE];
    int64_t sum[3] = {0};

    tr_gather_field(&patch->grow->world->info, lowest, size, find_chunk, patch, &samples[0][0][0]);
    for (int i = 0; i < 8; i++) {
        int64_t weight = (int64_t)(i & 1 ? spot->part_x : TR_UNITS - spot->part_x) *
                         (i >> 1 & 1 ? part_y : TR_UNITS - part_y) *
                         (i >> 2 & 1 ? spot->part_z : TR_UNITS - spot->part_z);

        for (int axis = 0; axis < 3; axis++)
            sum[axis] += weight * difference(samples, i, axis);
    }
    set_gradient(sum[0], sum[1], sum[2], spot->gradient);
    spot->normal = tr_octahedral(spot->gradient[0], spot->gradient[1], spot->gradient[2]);
}

/* Whether a sample at the corners of the cell that the floor is in is not what it was before the log. */
static enum tr_status spot_is_edited(struct patch *patch, const struct spot *spot, bool *is_edited,
                                     struct tr_error *error)
{
    const int64_t row = tr_floor_div(spot->y, TR_UNITS);
    enum tr_status status = patch->has_before ? TR_OK : patch_read_before(patch, error);

    *is_edited = false;
    for (int i = 0; i < 8 && status == TR_OK; i++) {
        int x = spot->x + (i & 1), z = spot->z + (i >> 2 & 1);
        int64_t y = row + (i >> 1 & 1);

        *is_edited = *is_edited || tr_cells_sample(&patch->cells, x, y, z) !=
                                       tr_cells_sample(&patch->cells_before, x, y, z);
    }
    return status;
}

/* ---- candidates ---- */

struct candidate {
    const struct tr_scatter_layer *layer;
    struct tr_instance_list *list;
    int32_t i, k; /* its cell */
    uint64_t hash;
    uint64_t odds; /* of its place on the map, whatever the ground is */
};

static enum tr_status add_instance(struct patch *patch, const struct candidate *candidate,
                                   const struct spot *spot, uint64_t hash, struct tr_error *error)
{
    const struct tr_scatter_layer *layer = candidate->layer;
    struct tr_instance_list *list = candidate->list;

    if (atomic_fetch_add_explicit(&patch->grow->count, 1, memory_order_relaxed) >= TR_SCATTER_INSTANCES_MAX)
        return tr_fail(error, TR_BAD_INPUT,
                       "layer '%s': more than %u instances grow, expected fewer: wider cells or less density",
                       layer->id, TR_SCATTER_INSTANCES_MAX);
    if (tr_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items, error) != TR_OK)
        return TR_IO;
    list->items[list->count++] = (struct tr_instance){
        .cell_x = candidate->i,
        .cell_z = candidate->k,
        .y = spot->y,
        .normal = spot->normal,
        .scale = (uint32_t)tr_scatter_between(tr_scatter_draw(hash, TR_SCATTER_DRAW_SCALE), layer->scale[0],
                                              layer->scale[1]),
        .x = (uint16_t)(spot->x * TR_UNITS + spot->part_x),
        .z = (uint16_t)(spot->z * TR_UNITS + spot->part_z),
        .yaw = (uint16_t)tr_scatter_between(tr_scatter_draw(hash, TR_SCATTER_DRAW_YAW), layer->yaw[0],
                                            layer->yaw[1]),
        .model = (uint16_t)tr_scatter_model_of(layer, hash),
        .floor = (uint16_t)spot->floor};
    return TR_OK;
}

/* The odds on the ground at `spot`, whose normal is found. */
static uint64_t ground_odds(const struct patch *patch, const struct candidate *candidate,
                            const struct spot *spot)
{
    const struct tr_scatter_layer *layer = candidate->layer;
    uint8_t splat[TR_SPLAT_WEIGHTS];
    uint64_t odds = tr_scatter_odds(candidate->odds, tr_scatter_band_weight(&layer->height, spot->y));

    if (layer->slope.is_used)
        odds = tr_scatter_odds(
            odds,
            tr_scatter_band_weight(&layer->slope, tr_scatter_slope(patch->grow->rules, spot->gradient)));
    if (layer->has_splat) {
        tr_splat_point(spot->normal, spot->y, (uint8_t)spot->material, &patch->grow->shore, splat);
        odds = tr_scatter_odds(odds, tr_scatter_splat_weight(layer, splat));
    }
    return odds;
}

static enum tr_status try_floor(struct patch *patch, const struct candidate *candidate, struct spot *spot,
                                struct tr_error *error)
{
    uint64_t hash = tr_scatter_floor_hash(candidate->hash, spot->floor);
    uint32_t draw = tr_scatter_draw(hash, TR_SCATTER_DRAW_STAY);
    bool is_edited = false;
    enum tr_status status = TR_OK;

    if (draw >= candidate->odds)
        return TR_OK;
    find_normal(patch, spot);
    if (draw >= ground_odds(patch, candidate, spot))
        return TR_OK;
    if (candidate->layer->avoids_edited)
        status = spot_is_edited(patch, spot, &is_edited, error);
    return status == TR_OK && !is_edited ? add_instance(patch, candidate, spot, hash, error) : status;
}

static int32_t units_of(double y_vox)
{
    return (int32_t)floor(y_vox * TR_UNITS + 0.5);
}

/* Each floor of the line at `spot`, as far as the layer does not avoid it. */
static enum tr_status try_line(struct patch *patch, const struct candidate *candidate, struct spot *spot,
                               struct tr_error *error)
{
    const struct tr_scatter_layer *layer = candidate->layer;
    const struct tr_ground *ground = patch->ground;
    enum tr_status status = tr_cells_ground(&patch->cells, spot->x, spot->z, (double)spot->part_x / TR_UNITS,
                                            (double)spot->part_z / TR_UNITS, 1.0, patch->ground, error);

    spot->floor = 0;
    for (size_t i = 0; i < ground->count && status == TR_OK; i++) {
        const struct tr_surface *surface = &ground->surfaces[i];
        bool is_cave = i > 0, is_roof;

        if (!surface->solid_below)
            continue;
        spot->y = units_of(surface->y_m);
        spot->material = surface->material;
        is_roof = i + 1 < ground->count && spot->y - units_of(ground->surfaces[i + 1].y_m) < layer->roof;
        if (!(is_cave && layer->avoids_cave) && !(is_roof && layer->avoids_overhang))
            status = try_floor(patch, candidate, spot, error);
        spot->floor++;
    }
    return status;
}

/* Whether the candidate can have no instance, whatever the ground is like: most are told so, before the ground is looked at. */
static bool is_hopeless(const struct candidate *candidate)
{
    uint64_t hash = tr_scatter_floor_hash(candidate->hash, 0);

    return candidate->odds == 0 ||
           (candidate->layer->avoids_cave && tr_scatter_draw(hash, TR_SCATTER_DRAW_STAY) >= candidate->odds);
}

static enum tr_status grow_cell(struct patch *patch, struct candidate *candidate, struct tr_error *error)
{
    const struct tr_scatter_layer *layer = candidate->layer;
    struct spot spot = {0};
    int64_t x, z, local_x, local_z;

    tr_scatter_place(layer, candidate->i, candidate->k, &x, &z);
    local_x = x - patch->cx * CHUNK_UNITS;
    local_z = z - patch->cz * CHUNK_UNITS;
    if (local_x < 0 || local_x >= CHUNK_UNITS || local_z < 0 || local_z >= CHUNK_UNITS)
        return TR_OK;
    candidate->hash = tr_scatter_cell_hash(layer, candidate->i, candidate->k);
    candidate->odds = tr_scatter_odds(layer->density, tr_scatter_noise_weight(&layer->noise, x, z));
    if (is_hopeless(candidate))
        return TR_OK;
    spot.x = (int)(local_x / TR_UNITS);
    spot.z = (int)(local_z / TR_UNITS);
    spot.part_x = (int)(local_x % TR_UNITS);
    spot.part_z = (int)(local_z % TR_UNITS);
    return try_line(patch, candidate, &spot, error);
}

static enum tr_status grow_layer(struct patch *patch, uint32_t number, struct tr_error *error)
{
    const struct tr_scatter_layer *layer = &patch->grow->rules->layers[number];
    struct tr_instances *instances = patch->grow->instances;
    const size_t index = (size_t)patch->cz * (size_t)instances->size_x + (size_t)patch->cx;
    struct candidate candidate = {.layer = layer, .list = &instances->layers[number].chunks[index]};
    const int64_t first_i = patch->cx * CHUNK_UNITS / layer->cell,
                  first_k = patch->cz * CHUNK_UNITS / layer->cell;
    const int64_t last_i = ((patch->cx + 1) * CHUNK_UNITS - 1) / layer->cell,
                  last_k = ((patch->cz + 1) * CHUNK_UNITS - 1) / layer->cell;
    enum tr_status status = TR_OK;

    for (int64_t k = first_k; k <= last_k; k++)
        for (int64_t i = first_i; i <= last_i && status == TR_OK; i++) {
            candidate.i = (int32_t)i;
            candidate.k = (int32_t)k;
            status = grow_cell(patch, &candidate, error);
        }
    return status;
}

static enum tr_status grow_chunk(void *context, size_t index, int job, struct tr_error *error)
{
    struct grow *grow = context;
    const size_t chunk = grow->first + index, size_x = (size_t)grow->instances->size_x;
    struct patch patch = {.grow = grow,
                          .cx = (int32_t)(chunk % size_x),
                          .cz = (int32_t)(chunk / size_x),
                          .ground = &grow->grounds[job]};
    enum tr_status status = patch_hold(&patch, error);

    for (uint32_t i = 0; i < grow->rules->layer_count && status == TR_OK; i++)
        status = grow_layer(&patch, i, error);
    patch_release(&patch);
    return status;
}

/* ---- the whole ---- */

static enum tr_status init_layer(const struct tr_scatter_layer *rules, size_t chunks,
                                 struct tr_instance_layer *layer, struct tr_error *error)
{
    layer->id = rules->id;
    layer->align = rules->align;
    layer->model_count = rules->model_count;
    layer->models = tr_alloc(rules->model_count, sizeof *layer->models, error);
    layer->chunks = tr_alloc(chunks, sizeof *layer->chunks, error);
    for (uint32_t i = 0; i < rules->model_count && layer->models; i++)
        layer->models[i] = rules->models[i].name;
    return layer->models && layer->chunks ? TR_OK : TR_IO;
}

static enum tr_status init_instances(const struct tr_world *world, const struct tr_scatter_rules *rules,
                                     struct tr_instances *instances, struct tr_error *error)
{
    size_t chunks = (size_t)world->info.size_x * (size_t)world->info.size_z;
    enum tr_status status = TR_OK;

    *instances = (struct tr_instances){.size_x = world->info.size_x,
                                       .size_z = world->info.size_z,
                                       .voxel_size = world->info.voxel_size,
                                       .world_hash = world->hash};
    instances->layers = tr_alloc(rules->layer_count, sizeof *instances->layers, error);
    if (!instances->layers)
        return TR_IO;
    for (uint32_t i = 0; i < rules->layer_count && status == TR_OK; i++)
        status = init_layer(&rules->layers[i], chunks, &instances->layers[instances->layer_count++], error);
    return status;
}

static enum tr_status grow_all(struct tr_jobs *jobs, struct grow *grow, const struct tr_progress *progress,
                               struct tr_error *error)
{
    const size_t chunks = (size_t)grow->instances->size_x * (size_t)grow->instances->size_z;
    enum tr_status status = TR_OK;

    for (grow->first = 0; grow->first < chunks && status == TR_OK; grow->first += BATCH_CHUNKS) {
        size_t left = chunks - grow->first;

        tr_progress_report(progress, grow->first, chunks);
        status = tr_jobs_run(jobs, left < BATCH_CHUNKS ? left : BATCH_CHUNKS, grow_chunk, grow, error);
    }
    return status;
}

enum tr_status tr_scatter(struct tr_jobs *jobs, const struct tr_world *world,
                          const struct tr_scatter_rules *rules, const struct tr_scatter_options *options,
                          struct tr_instances *instances, struct tr_error *error)
{
    struct grow grow = {
        .world = world, .rules = rules, .shore = tr_shore_of(world->info.voxel_size), .instances = instances};
    size_t job_count = (size_t)tr_jobs_count(jobs);
    enum tr_status status = init_instances(world, rules, instances, error);

    if (status == TR_OK)
        status = tr_cache_create(world, options->cache_bytes, &grow.cache, error);
    if (status == TR_OK && !(grow.grounds = tr_alloc(job_count, sizeof *grow.grounds, error)))
        status = TR_IO;
    if (status == TR_OK)
        status = grow_all(jobs, &grow, options->progress, error);
    if (status == TR_OK)
        status = tr_scatter_settle(jobs, rules, instances, error);
    for (size_t i = 0; i < job_count && grow.grounds; i++)
        tr_ground_release(&grow.grounds[i]);
    free(grow.grounds);
    tr_cache_free(grow.cache);
    return status;
}
