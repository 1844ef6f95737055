/* Dropping instances that are too near to others. See scatter.h.
 *
 * Who may be near is looked for by cell: the cells of the other layer within reach, whose candidates' places are known from their hashes; the
 * few that are near on the map are looked up in the list of the chunk they lie in, which is sorted. So the world's size and the number of
 * instances do not matter. */
#include "lib/run/scatter.h"

#include "lib/run/scatter_cell.h"
#include "lib/world/coord.h"
#include "shaders/shared.h"

#define CHUNK_UNITS ((int64_t)TR_CHUNK * TR_UNITS)

struct settle {
    const struct tr_scatter_rules *rules;
    struct tr_instances *instances;
    uint32_t layer;
    bool is_own; /* distances from the layer itself, else from those before it */
};

/* An instance that looks around. */
struct looker {
    const struct settle *settle;
    const struct tr_instance *instance;
    int64_t x, z; /* units */
};

/* ---- finding ---- */

/* Whether `a` comes before cell (x, z) in a list. */
static bool is_before(const struct tr_instance *a, int64_t cell_x, int64_t cell_z)
{
    return a->cell_z < cell_z || (a->cell_z == cell_z && a->cell_x < cell_x);
}

/* The first item of a list that is not before that cell. */
static size_t find_cell(const struct tr_instance_list *list, int64_t cell_x, int64_t cell_z)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (is_before(&list->items[middle], cell_x, cell_z))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The list of the chunk that a place lies in; NULL outside the world. */
static const struct tr_instance_list *list_at(const struct tr_instances *instances, uint32_t layer, int64_t x,
                                              int64_t z)
{
    int64_t cx = tr_floor_div(x, CHUNK_UNITS), cz = tr_floor_div(z, CHUNK_UNITS);

    if (cx < 0 || cx >= instances->size_x || cz < 0 || cz >= instances->size_z)
        return NULL;
    return &instances->layers[layer].chunks[(size_t)cz * (size_t)instances->size_x + (size_t)cx];
}

/* ---- judging ---- */

static uint64_t rank_of(const struct tr_scatter_layer *layer, const struct tr_instance *instance)
{
    uint64_t cell = tr_scatter_cell_hash(layer, instance->cell_x, instance->cell_z);

    return tr_scatter_draw64(tr_scatter_floor_hash(cell, instance->floor), TR_SCATTER_DRAW_RANK);
}

/* Of two instances of one layer, whether `a` gives way. */
static bool is_lesser(const struct tr_scatter_layer *layer, const struct tr_instance *a,
                      const struct tr_instance *b)
{
    uint64_t rank_a = rank_of(layer, a), rank_b = rank_of(layer, b);

    if (rank_a != rank_b)
        return rank_a < rank_b;
    if (a->cell_z != b->cell_z || a->cell_x != b->cell_x)
        return is_before(a, b->cell_x, b->cell_z);
    return a->floor < b->floor;
}

/* Whether an instance in the cell (i, k) of another layer, or of the looker's own, drives the looker out. */
static bool is_driven_out_by(const struct looker *looker, const struct tr_scatter_distance *distance,
                             int64_t i, int64_t k)
{
    const struct settle *settle = looker->settle;
    const struct tr_scatter_layer *layer = &settle->rules->layers[distance->layer];
    const int64_t limit = distance->units * distance->units;
    const struct tr_instance_list *list;
    int64_t x, z, flat;

    tr_scatter_place(layer, i, k, &x, &z);
    flat = (x - looker->x) * (x - looker->x) + (z - looker->z) * (z - looker->z);
    list = flat < limit ? list_at(settle->instances, distance->layer, x, z) : NULL;
    if (!list)
        return false;
    for (size_t at = find_cell(list, i, k); at < list->count; at++) {
        const struct tr_instance *other = &list->items[at];
        int64_t rise = (int64_t)other->y - looker->instance->y;

        if (other->cell_x != i || other->cell_z != k)
            break;
        if (flat + rise * rise < limit && other != looker->instance &&
            (!settle->is_own || is_lesser(layer, looker->instance, other)))
            return true;
    }
    return false;
}

static bool is_driven_out(const struct looker *looker, const struct tr_scatter_distance *distance)
{
    const int64_t cell = looker->settle->rules->layers[distance->layer].cell, reach = distance->units;
    const int64_t first_i = tr_floor_div(looker->x - reach, cell),
                  last_i = tr_floor_div(looker->x + reach, cell);
    const int64_t first_k = tr_floor_div(looker->z - reach, cell),
                  last_k = tr_floor_div(looker->z + reach, cell);

    for (int64_t k = first_k; k <= last_k; k++)
        for (int64_t i = first_i; i <= last_i; i++)
            if (is_driven_out_by(looker, distance, i, k))
                return true;
    return false;
}

/* ---- passes over a layer ---- */

/* Marks what goes from one chunk. Writes only marks, and reads none. */
static enum tr_status mark_chunk(void *context, size_t index, int job, struct tr_error *error)
{
    const struct settle *settle = context;
    const struct tr_scatter_layer *layer = &settle->rules->layers[settle->layer];
    const size_t size_x = (size_t)settle->instances->size_x;
    struct tr_instance_list *list = &settle->instances->layers[settle->layer].chunks[index];

    (void)job;
    (void)error;
    for (size_t at = 0; at < list->count; at++) {
        struct tr_instance *instance = &list->items[at];
        struct looker looker = {.settle = settle,
                                .instance = instance,
                                .x = (int64_t)(index % size_x) * CHUNK_UNITS + instance->x,
                                .z = (int64_t)(index / size_x) * CHUNK_UNITS + instance->z};

        for (uint32_t i = 0; i < layer->distance_count && !instance->is_dropped; i++)
            if ((layer->distances[i].layer == settle->layer) == settle->is_own)
                instance->is_dropped = is_driven_out(&looker, &layer->distances[i]);
    }
    return TR_OK;
}

static enum tr_status drop_marked(void *context, size_t index, int job, struct tr_error *error)
{
    const struct settle *settle = context;
    struct tr_instance_list *list = &settle->instances->layers[settle->layer].chunks[index];
    size_t kept = 0;

    (void)job;
    (void)error;
    for (size_t at = 0; at < list->count; at++)
        if (!list->items[at].is_dropped)
            list->items[kept++] = list->items[at];
    list->count = kept;
    return TR_OK;
}

static enum tr_status settle_layer(struct tr_jobs *jobs, struct settle *settle, struct tr_error *error)
{
    const size_t chunks = (size_t)settle->instances->size_x * (size_t)settle->instances->size_z;
    enum tr_status status = tr_jobs_run(jobs, chunks, mark_chunk, settle, error);

    return status == TR_OK ? tr_jobs_run(jobs, chunks, drop_marked, settle, error) : status;
}

enum tr_status tr_scatter_settle(struct tr_jobs *jobs, const struct tr_scatter_rules *rules,
                                 struct tr_instances *instances, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (uint32_t layer = 0; layer < rules->layer_count; layer++)
        for (int is_own = 0; is_own < 2 && status == TR_OK && rules->layers[layer].distance_count > 0;
             is_own++) {
            struct settle settle = {rules, instances, layer, is_own != 0};

            status = settle_layer(jobs, &settle, error);
        }
    return status;
}
