/* Bricks that a slot may change: those in its box, less those out of its reach.
 *
 * Reach is measured from a brick's middle, in double, with more than a voxel to spare, so that a rounding of
 * the kernels never decides. Beyond it a shape leaves samples as they are and a brush has no weight; heights
 * that are given (TR_SLOT_FOLLOW) reach as far as the box. */
#include "lib/bake/bricks.h"

/* No sample of a brick is farther from its middle: sqrt(3 * 4^2) is 6.9, in a plane sqrt(2 * 4^2) is 5.7. */
#define BRICK_REACH 8.0
#define SIDE (TR_CHUNK / TR_BRICK) /* bricks along a side of a block */

/* The square of the distance of (x, y, z) from a shape's axis. */
static double axis_distance_squared(const tr_edit_slot *slot, double x, double y, double z)
{
    double s, qx = x - slot->cx, qy = y - slot->cy, qz = z - slot->cz;

    s = qx * slot->ux + qy * slot->uy + qz * slot->uz;
    s = s < slot->t0 ? slot->t0 : s > slot->t1 ? slot->t1 : s;
    qx -= s * slot->ux;
    qy -= s * slot->uy;
    qz -= s * slot->uz;
    return qx * qx + qy * qy + qz * qz;
}

/* The square of the distance of (x, z) from a brush's centre. */
static double centre_distance_squared(const tr_edit_slot *slot, double x, double z)
{
    double qx = x - slot->cx, qz = z - slot->cz;

    return qx * qx + qz * qz;
}

/* Whether the slot, whose box meets the brick whose middle is (x, y, z), may change it. */
static bool slot_reaches(const tr_edit_slot *slot, double x, double y, double z)
{
    double reach;

    if (slot->op == TR_SLOT_FOLLOW)
        return true;
    if (tr_slot_is_volume(*slot)) {
        reach = (double)slot->radius + slot->reach + BRICK_REACH;
        return axis_distance_squared(slot, x, y, z) <= reach * reach;
    }
    reach = 1.0 / slot->radius + BRICK_REACH;
    return centre_distance_squared(slot, x, z) <= reach * reach;
}

struct tr_brick_set tr_bricks_of_slot(const tr_edit_slot *slot)
{
    bool is_volume = tr_slot_is_volume(*slot); /* a height slot has all y */
    int lo_y = is_volume ? slot->lo_y / TR_BRICK : 0, hi_y = is_volume ? slot->hi_y / TR_BRICK : SIDE - 1;
    struct tr_brick_set set = {{0}};

    for (int y = lo_y; y <= hi_y; y++)
        for (int z = slot->lo_z / TR_BRICK; z <= slot->hi_z / TR_BRICK; z++)
            for (int x = slot->lo_x / TR_BRICK; x <= slot->hi_x / TR_BRICK; x++) {
                bool reaches =
                    slot_reaches(slot, TR_BRICK * (x + 0.5), TR_BRICK * (y + 0.5), TR_BRICK * (z + 0.5));

                set.layers[y] |= (uint64_t)reaches << (z * SIDE + x);
            }
    return set;
}

/* The number of a layer's lowest brick, which is taken out; the layer is not empty. */
static int lowest_brick(uint64_t *layer, int y)
{
    int brick = y * SIDE * SIDE + __builtin_ctzll(*layer);

    *layer &= *layer - 1;
    return brick;
}

void tr_bricks_count(const struct tr_brick_set *sets, uint32_t set_count, uint32_t counts[TR_BRICKS])
{
    memset(counts, 0, TR_BRICKS * sizeof *counts);
    for (uint32_t k = 0; k < set_count; k++)
        for (int y = 0; y < SIDE; y++)
            for (uint64_t layer = sets[k].layers[y]; layer != 0;)
                counts[lowest_brick(&layer, y)]++;
}

void tr_bricks_list(const struct tr_brick_set *sets, uint32_t set_count, uint32_t first,
                    uint32_t next[TR_BRICKS], uint32_t *numbers)
{
    for (uint32_t k = 0; k < set_count; k++)
        for (int y = 0; y < SIDE; y++)
            for (uint64_t layer = sets[k].layers[y]; layer != 0;)
                numbers[next[lowest_brick(&layer, y)]++] = first + k;
}
