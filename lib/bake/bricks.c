/* Bricks that a slot may change: those in its box, less those out of its reach.
 *
 * Reach is measured from a brick's middle, in double, with more than a voxel to spare, so that a rounding of the kernels never decides.
 * Beyond it a shape leaves samples as they are and a brush has no weight; heights that are given (TR_SLOT_FOLLOW) reach as far as the
 * box. A tree of shapes is asked for its bounds over cubes of bricks, halved while it may reach into them: it costs more to ask than a
 * distance does, and most of a block lies in few cubes. */
#include "lib/bake/bricks.h"

#include "lib/edit/tree.h"

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

/* A sphere or capsule: within its reach outside; or, where the ground is cut down to it, all but the inside beyond it. */
static bool round_reaches(const tr_edit_slot *slot, double x, double y, double z)
{
    double squared = axis_distance_squared(slot, x, y, z), radius = slot->radius;
    double outer = radius + slot->reach + BRICK_REACH, inner = radius - slot->reach - BRICK_REACH;

    if (slot->op == TR_SLOT_INTERSECT)
        return inner <= 0.0 || squared >= inner * inner;
    return squared <= outer * outer;
}

/* A volume brush: a ball, or projected a cylinder as high as wide. */
static bool volume_brush_reaches(const tr_edit_slot *slot, double x, double y, double z)
{
    double qx = x - slot->cx, qy = y - slot->cy, qz = z - slot->cz, reach = 1.0 / slot->radius + BRICK_REACH;
    double along = qx * slot->ux + qy * slot->uy + qz * slot->uz; /* 0 for a ball */
    double across = qx * qx + qy * qy + qz * qz - along * along;

    return along >= -reach && along <= reach && across <= reach * reach;
}

static bool height_brush_reaches(const tr_edit_slot *slot, double x, double z)
{
    double qx = x - slot->cx, qz = z - slot->cz, reach = 1.0 / slot->radius + BRICK_REACH;

    return qx * qx + qz * qz <= reach * reach;
}

/* Whether the slot, whose box meets the brick (x, y, z), may change it. Trees answer by cubes, see tree_bricks. */
static bool slot_reaches(const tr_edit_slot *slot, int brick_x, int brick_y, int brick_z)
{
    double x = TR_BRICK * (brick_x + 0.5), y = TR_BRICK * (brick_y + 0.5), z = TR_BRICK * (brick_z + 0.5);

    if (slot->op == TR_SLOT_FOLLOW)
        return true;
    if (tr_slot_is_shape(*slot))
        return round_reaches(slot, x, y, z);
    return tr_slot_is_volume(*slot) ? volume_brush_reaches(slot, x, y, z) : height_brush_reaches(slot, x, z);
}

/* The bricks from lo to hi, inclusive, along each axis: those that the slot's box meets. */
struct range {
    int lo[3], hi[3];
};

static struct range box_bricks(const tr_edit_slot *slot)
{
    bool is_volume = tr_slot_is_volume(*slot); /* a height slot has all y */

    return (struct range){
        {slot->lo_x / TR_BRICK, is_volume ? slot->lo_y / TR_BRICK : 0, slot->lo_z / TR_BRICK},
        {slot->hi_x / TR_BRICK, is_volume ? slot->hi_y / TR_BRICK : SIDE - 1, slot->hi_z / TR_BRICK},
    };
}

static void set_add(struct tr_brick_set *set, int x, int y, int z)
{
    set->layers[y] |= UINT64_C(1) << (z * SIDE + x);
}

/* Whether a tree may change a sample in the cube of `side` bricks whose lowest is (x, y, z). */
static bool tree_reaches(const tr_edit_slot *slot, const uint32_t *words, const int cube[3], int side)
{
    double lo[3], hi[3], least, most;

    for (int i = 0; i < 3; i++) {
        lo[i] = TR_BRICK * cube[i];
        hi[i] = TR_BRICK * (cube[i] + side) - 1;
    }
    tr_code_bounds(words, slot->words, lo, hi, &least, &most);
    return slot->op == TR_SLOT_INTERSECT ? -most <= slot->reach : least <= slot->reach;
}

/* Adds the bricks of a cube that a tree may change. Depth: the cubes' sides are 8, 4, 2, 1. */
static void tree_bricks(const tr_edit_slot *slot, const uint32_t *words, const struct range *box,
                        const int cube[3], int side, struct tr_brick_set *set)
{
    int half = side / 2;

    for (int i = 0; i < 3; i++)
        if (cube[i] > box->hi[i] || cube[i] + side <= box->lo[i])
            return;
    if (!tree_reaches(slot, words, cube, side))
        return;
    if (side == 1) {
        set_add(set, cube[0], cube[1], cube[2]);
        return;
    }
    for (int i = 0; i < 8; i++) {
        int part[3] = {cube[0] + half * (i & 1), cube[1] + half * (i >> 1 & 1), cube[2] + half * (i >> 2)};

        tree_bricks(slot, words, box, part, half, set);
    }
}

struct tr_brick_set tr_bricks_of_slot(const tr_edit_slot *slot, const uint32_t *words)
{
    struct range box = box_bricks(slot);
    struct tr_brick_set set = {{0}};

    if (slot->op == TR_SLOT_PAINT) /* of columns alone */
        return set;
    if (tr_slot_is_shape(*slot) && slot->form == TR_FORM_TREE) {
        tree_bricks(slot, words, &box, (const int[3]){0, 0, 0}, SIDE, &set);
        return set;
    }
    for (int y = box.lo[1]; y <= box.hi[1]; y++)
        for (int z = box.lo[2]; z <= box.hi[2]; z++)
            for (int x = box.lo[0]; x <= box.hi[0]; x++)
                if (slot_reaches(slot, x, y, z))
                    set_add(&set, x, y, z);
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
