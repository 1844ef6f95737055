/* Redistance on a region of samples (EDITS.md, shaders/redistance.h): finds the crossings, hands the number of the nearest one on from sample to
 * sample, and measures each sample again.
 *
 * A sample whose neighbours know nothing new since it last looked at them would find nothing, so a pass goes past it: that halves the work
 * of the eight. Numbers have a rim of one around the region, without crossing, so that a look around asks nothing about ends. */
#include "lib/edit/apply.h"

#include "lib/base/alloc.h"

#include <stdlib.h>

#define NEIGHBOURS 26
#define SQUARE_FAR 3.0e38f /* no crossing is as far */

/* Samples [y][z][x] that repeat beyond their ends. */
struct region {
    const int16_t *samples;
    int size[3]; /* x, y, z */
};

static struct region region_of(const int16_t *samples, const uint32_t size[3])
{
    return (struct region){samples, {(int)size[0], (int)size[1], (int)size[2]}};
}

static size_t region_index(const struct region *region, int x, int y, int z)
{
    return ((size_t)y * (size_t)region->size[2] + (size_t)z) * (size_t)region->size[0] + (size_t)x;
}

static int sample_at(const struct region *region, int x, int y, int z)
{
    x = tr_iclamp(x, 0, region->size[0] - 1);
    y = tr_iclamp(y, 0, region->size[1] - 1);
    z = tr_iclamp(z, 0, region->size[2] - 1);
    return region->samples[region_index(region, x, y, z)];
}

/* --- crossings --- */

/* An edge between two samples on different sides; of the lower one, x, y, z. */
struct edge {
    int x, y, z, axis;
    size_t index; /* of the lower sample */
};

/* Goes on to the next such edge, in the order in which crossings are numbered: along x, then z, then y, then by axis. False at the end.
 * Before the first call axis is -1 and the rest 0. */
static bool edge_next(const struct region *region, struct edge *edge)
{
    const int *size = region->size;
    const size_t steps[3] = {1, (size_t)size[0] * (size_t)size[2], (size_t)size[0]};

    for (; edge->y < size[1]; edge->y++, edge->z = 0)
        for (; edge->z < size[2]; edge->z++, edge->x = 0)
            for (; edge->x < size[0]; edge->x++, edge->index++, edge->axis = -1) {
                const int place[3] = {edge->x, edge->y, edge->z};
                bool is_solid = region->samples[edge->index] <= 0;
                while (++edge->axis < 3)
                    if (place[edge->axis] + 1 < size[edge->axis] &&
                        (region->samples[edge->index + steps[edge->axis]] <= 0) != is_solid)
                        return true;
            }
    return false;
}

/* The differences of a sample's neighbours along each axis. */
static void differences(const struct region *region, int x, int y, int z, int of[3])
{
    of[0] = sample_at(region, x + 1, y, z) - sample_at(region, x - 1, y, z);
    of[1] = sample_at(region, x, y + 1, z) - sample_at(region, x, y - 1, z);
    of[2] = sample_at(region, x, y, z + 1) - sample_at(region, x, y, z - 1);
}

static tr_crossing_point crossing_of(const struct region *region, const struct edge *edge)
{
    int x = edge->x, y = edge->y, z = edge->z, axis = edge->axis;
    int upper_x = x + (axis == 0), upper_y = y + (axis == 1), upper_z = z + (axis == 2), lower[3], upper[3];
    float way = tr_redistance_way(sample_at(region, x, y, z), sample_at(region, upper_x, upper_y, upper_z));

    differences(region, x, y, z, lower);
    differences(region, upper_x, upper_y, upper_z, upper);
    return tr_redistance_crossing(x, y, z, axis, way, lower[0], lower[1], lower[2], upper[0], upper[1],
                                  upper[2]);
}

enum tr_status tr_redistance_find(const int16_t *samples, const uint32_t size[3],
                                  tr_crossing_point **crossings, size_t *count, struct tr_error *error)
{
    struct region region = region_of(samples, size);
    struct edge edge = {.axis = -1};
    size_t next = 0;

    *count = 0;
    while (edge_next(&region, &edge))
        ++*count;
    *crossings = tr_alloc(*count, sizeof **crossings, error);
    if (!*crossings)
        return TR_IO;
    edge = (struct edge){.axis = -1};
    while (edge_next(&region, &edge))
        (*crossings)[next++] = crossing_of(&region, &edge);
    return TR_OK;
}

/* --- sweeps --- */

/* What each sample knows. */
struct knowledge {
    const tr_crossing_point *crossings;
    int size[3];
    ptrdiff_t row, layer; /* from a sample to the next along z and y */
    uint32_t *numbers;    /* of the nearest crossing known, or TR_REDISTANCE_NONE; with the rim */
    uint8_t
        *stirred; /* 1 where a neighbour has learnt something since the sample looked at it; with the rim */
    ptrdiff_t neighbours[NEIGHBOURS]; /* from a sample, in the order dy, dz, dx */
};

static ptrdiff_t rim_index(const struct knowledge *knowledge, int x, int y, int z)
{
    return (y + 1) * knowledge->layer + (z + 1) * knowledge->row + x + 1;
}

static void list_neighbours(struct knowledge *knowledge)
{
    int count = 0;

    for (int dy = -1; dy <= 1; dy++)
        for (int dz = -1; dz <= 1; dz++)
            for (int dx = -1; dx <= 1; dx++)
                if (dy != 0 || dz != 0 || dx != 0)
                    knowledge->neighbours[count++] = dy * knowledge->layer + dz * knowledge->row + dx;
}

static enum tr_status knowledge_create(struct knowledge *knowledge, const int size[3], struct tr_error *error)
{
    size_t count;

    memcpy(knowledge->size, size, sizeof knowledge->size);
    knowledge->row = size[0] + 2;
    knowledge->layer = knowledge->row * (size[2] + 2);
    list_neighbours(knowledge);
    count = (size_t)knowledge->layer * (size_t)(size[1] + 2);
    knowledge->numbers = tr_alloc(count, sizeof *knowledge->numbers, error);
    knowledge->stirred = tr_alloc(count, sizeof *knowledge->stirred, error);
    if (!knowledge->numbers || !knowledge->stirred)
        return TR_IO;
    for (size_t i = 0; i < count; i++)
        knowledge->numbers[i] = TR_REDISTANCE_NONE;
    return TR_OK;
}

static void knowledge_release(struct knowledge *knowledge)
{
    free(knowledge->numbers);
    free(knowledge->stirred);
}

static float square_of(const struct knowledge *knowledge, uint32_t number, int x, int y, int z)
{
    if (number == TR_REDISTANCE_NONE)
        return SQUARE_FAR;
    return tr_redistance_square(knowledge->crossings[number], x, y, z);
}

/* The sample has learnt of a crossing: its neighbours are to look again. */
static void learn(struct knowledge *knowledge, ptrdiff_t here, uint32_t number)
{
    knowledge->numbers[here] = number;
    for (int k = 0; k < NEIGHBOURS; k++)
        knowledge->stirred[here + knowledge->neighbours[k]] = 1;
}

static void learn_if_nearer(struct knowledge *knowledge, int x, int y, int z, uint32_t number)
{
    ptrdiff_t here = rim_index(knowledge, x, y, z);

    if (square_of(knowledge, number, x, y, z) < square_of(knowledge, knowledge->numbers[here], x, y, z))
        learn(knowledge, here, number);
}

/* Each sample begins with the nearest crossing next to it, of equally near ones the first. */
static void knowledge_begin(struct knowledge *knowledge, const struct region *region)
{
    struct edge edge = {.axis = -1};

    for (uint32_t number = 0; edge_next(region, &edge); number++) {
        learn_if_nearer(knowledge, edge.x, edge.y, edge.z, number);
        learn_if_nearer(knowledge, edge.x + (edge.axis == 0), edge.y + (edge.axis == 1),
                        edge.z + (edge.axis == 2), number);
    }
}

static void look_around(struct knowledge *knowledge, int x, int y, int z)
{
    ptrdiff_t here = rim_index(knowledge, x, y, z);
    uint32_t nearest = knowledge->numbers[here];
    float least = square_of(knowledge, nearest, x, y, z);

    knowledge->stirred[here] = 0;
    for (int k = 0; k < NEIGHBOURS; k++) {
        uint32_t number = knowledge->numbers[here + knowledge->neighbours[k]];
        float square;
        if (number == nearest || number == TR_REDISTANCE_NONE)
            continue;
        square = tr_redistance_square(knowledge->crossings[number], x, y, z);
        if (square < least) {
            least = square;
            nearest = number;
        }
    }
    if (nearest != knowledge->numbers[here])
        learn(knowledge, here, nearest);
}

/* One pass; each bit says whether x, y, z descend. */
static void sweep(struct knowledge *knowledge, unsigned pass)
{
    const int *size = knowledge->size;

    for (int j = 0; j < size[1]; j++)
        for (int k = 0; k < size[2]; k++)
            for (int i = 0; i < size[0]; i++) {
                int x = pass & 1u ? size[0] - 1 - i : i;
                int y = pass & 2u ? size[1] - 1 - j : j;
                int z = pass & 4u ? size[2] - 1 - k : k;
                if (knowledge->stirred[rim_index(knowledge, x, y, z)])
                    look_around(knowledge, x, y, z);
            }
}

/* --- samples --- */

static void measure(const struct knowledge *knowledge, const struct region *region, const tr_edit_slot *slot,
                    int16_t *after)
{
    for (int y = slot->lo_y; y <= slot->hi_y; y++)
        for (int z = slot->lo_z; z <= slot->hi_z; z++)
            for (int x = slot->lo_x; x <= slot->hi_x; x++) {
                size_t at = region_index(region, x, y, z);
                uint32_t number = knowledge->numbers[rim_index(knowledge, x, y, z)];
                if (tr_volume_distance(*slot, x, y, z) < 1.0f)
                    after[at] = (int16_t)tr_redistance_sample(knowledge->crossings[number], x, y, z,
                                                              region->samples[at]);
            }
}

enum tr_status tr_apply_redistance(const tr_edit_slot *slot, const int16_t *samples, const uint32_t size[3],
                                   int16_t *after, struct tr_error *error)
{
    struct region region = region_of(samples, size);
    struct knowledge knowledge = {.numbers = NULL};
    tr_crossing_point *crossings = NULL;
    size_t count;
    enum tr_status status;

    memcpy(after, samples, (size_t)size[0] * size[1] * size[2] * sizeof *after);
    status = tr_redistance_find(samples, size, &crossings, &count, error);
    if (status != TR_OK || count == 0)
        goto out;
    status = knowledge_create(&knowledge, region.size, error);
    if (status != TR_OK)
        goto out;
    knowledge.crossings = crossings;
    knowledge_begin(&knowledge, &region);
    for (unsigned pass = 0; pass < TR_REDISTANCE_PASSES; pass++)
        sweep(&knowledge, pass); /* after all of them every sample knows one, in whatever direction it lies */
    measure(&knowledge, &region, slot, after);

out:
    knowledge_release(&knowledge);
    free(crossings);
    return status;
}
