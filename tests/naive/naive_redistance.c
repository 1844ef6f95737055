#include "tests/naive/naive_redistance.h"
#include "tests/naive/naive_float.h"
#include "tests/naive/naive_reshape.h"

#include <stdlib.h>

static size_t index_of(const struct naive_region *region, const int p[3])
{
    return ((size_t)p[1] * (size_t)region->size[2] + (size_t)p[2]) * (size_t)region->size[0] + (size_t)p[0];
}

static bool is_in_region(const struct naive_region *region, const int p[3])
{
    for (int i = 0; i < 3; i++)
        if (p[i] < 0 || p[i] >= region->size[i])
            return false;
    return true;
}

/* The sample at p of the region; beyond it, the last one in it. */
static int sample_at(const struct naive_region *region, const int p[3])
{
    int q[3];
    for (int i = 0; i < 3; i++) {
        int in_region = p[i] < 0 ? 0 : p[i] >= region->size[i] ? region->size[i] - 1 : p[i];
        q[i] = region->low[i] + in_region;
    }
    return naive_sample_before(region->world, q[0], q[1], q[2]);
}

/* ---- crossings ---- */

static void differences(const struct naive_region *region, const int p[3], int of[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int before[3] = {p[0], p[1], p[2]}, behind[3] = {p[0], p[1], p[2]};
        before[axis]--;
        behind[axis]++;
        of[axis] = sample_at(region, behind) - sample_at(region, before);
    }
}

static struct naive_crossing crossing_between(const struct naive_region *region, const int p[3],
                                              const int next[3])
{
    int s = abs(sample_at(region, p)), both = s + abs(sample_at(region, next)), here[3], there[3];
    float share = (float)s * naive_reciprocal((float)both), n[3];
    struct naive_crossing crossing;
    differences(region, p, here);
    differences(region, next, there);
    for (int i = 0; i < 3; i++)
        n[i] = (float)here[i] + share * (float)(there[i] - here[i]);
    float inverse = naive_reciprocal(naive_larger(naive_root(naive_dot_float(n, n)), 1.0f));
    for (int i = 0; i < 3; i++) {
        crossing.at[i] = (float)p[i] + (next[i] != p[i] ? share : 0.0f);
        crossing.normal[i] = n[i] * inverse;
    }
    return crossing;
}

static float square_of_way(const struct naive_crossing *crossing, const int p[3])
{
    float way[3];
    for (int i = 0; i < 3; i++)
        way[i] = (float)p[i] - crossing->at[i];
    return naive_dot_float(way, way);
}

/* Makes `number` the crossing that p knows if it is nearer than the one it knows. */
static void tell(struct naive_region *region, const int p[3], int number)
{
    int *known = &region->nearest[index_of(region, p)];
    if (*known < 0 ||
        square_of_way(&region->crossings[number], p) < square_of_way(&region->crossings[*known], p))
        *known = number;
}

/* Those between p and the next sample along each axis are told to both. */
static void find_crossings_at(struct naive_region *region, const int p[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int next[3] = {p[0], p[1], p[2]};
        next[axis]++;
        if (!is_in_region(region, next) || (sample_at(region, p) <= 0) == (sample_at(region, next) <= 0))
            continue;
        int number = (int)region->crossing_count++;
        region->crossings[number] = crossing_between(region, p, next);
        tell(region, p, number);
        tell(region, next, number);
    }
}

/* ---- sweeps ---- */

static void ask_around(struct naive_region *region, const int p[3])
{
    for (int i = 0; i < 27; i++) {
        const int q[3] = {p[0] - 1 + i % 3, p[1] - 1 + i / 9, p[2] - 1 + i / 3 % 3};
        if (i != 13 && is_in_region(region, q) && region->nearest[index_of(region, q)] >= 0)
            tell(region, p, region->nearest[index_of(region, q)]);
    }
}

/* Calls `visit` for each sample, along x, then z, then y; backwards along those axes that are bits of `down`. */
static void for_each_sample(struct naive_region *region, int down,
                            void (*visit)(struct naive_region *region, const int p[3]))
{
    const int *size = region->size;
    for (int y = 0; y < size[1]; y++)
        for (int z = 0; z < size[2]; z++)
            for (int x = 0; x < size[0]; x++) {
                const int p[3] = {down & 1 ? size[0] - 1 - x : x, down & 2 ? size[1] - 1 - y : y,
                                  down & 4 ? size[2] - 1 - z : z};
                visit(region, p);
            }
}

/* ---- regions ---- */

bool naive_region_make(const struct naive_world *world, const struct naive_stamp *stamp,
                       struct naive_region *region, bool *is_empty)
{
    const int first[3] = {0, NAIVE_OWNER * world->row_lo, 0};
    const int sizes[3] = {world->size_x, world->size_y, world->size_z};
    const double radius = stamp->radius + 0x1p-6 + stamp->radius * 0x1p-20; /* what rounding may add */
    size_t count = 1;
    *region = (struct naive_region){.world = world};
    *is_empty = false;
    for (int i = 0; i < 3; i++) {
        double low = fmax(ceil(stamp->at[i] - radius) - 1.0, first[i]);
        double high = fmin(floor(stamp->at[i] + radius) + 1.0, first[i] + sizes[i] - 1);
        *is_empty = *is_empty || low > high;
        region->low[i] = (int)low;
        region->size[i] = low > high ? 0 : (int)(high - low) + 1;
        count *= (size_t)region->size[i];
    }
    if (*is_empty)
        return true;
    region->crossings = malloc(3 * count * sizeof *region->crossings);
    region->nearest = malloc(count * sizeof *region->nearest);
    if (region->crossings == NULL || region->nearest == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        region->nearest[i] = -1;
    for_each_sample(region, 0, find_crossings_at);
    for (int down = 0; down < 8 && region->crossing_count > 0; down++)
        for_each_sample(region, down, ask_around);
    return true;
}

void naive_region_release(struct naive_region *region)
{
    free(region->crossings);
    free(region->nearest);
    *region = (struct naive_region){0};
}

const struct naive_crossing *naive_region_nearest(const struct naive_region *region, const int p[3])
{
    int number = region->nearest[index_of(region, p)];
    return number < 0 ? NULL : &region->crossings[number];
}

/* From the plane through the crossing; and where that is more than 3/4 voxel beside it, from there. */
int naive_redistanced_sample(const struct naive_crossing *crossing, const int p[3], int s)
{
    float way[3];
    for (int i = 0; i < 3; i++)
        way[i] = (float)p[i] - crossing->at[i];
    float height = naive_dot_float(way, crossing->normal), height_2 = height * height;
    float beside = naive_root(naive_larger(naive_dot_float(way, way) - height_2, 0.0f));
    float beyond = naive_larger(beside - 0.75f, 0.0f);
    float d = naive_root(height_2 + beyond * beyond) * 256.0f;
    int away = naive_round(d, NAIVE_SAMPLE_LIMIT);
    if (s <= 0)
        return -away;
    return away > 1 ? away : 1;
}
