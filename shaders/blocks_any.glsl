/* What the kernels `blocks_any` and `blocks_tree` share. They say before whether they know ALL_INSTRUCTIONS of trees or the common ones alone.
 *
 * A device that only masks what it skips does each part of a loop at least once a turn. So the list is walked in runs, of common slots and
 * of others; and among the others each kind has a loop of its own over an invocation's samples, of no turns for the other kinds. */
layout(std430, binding = TR_BLOCKS_WORDS) readonly buffer Words { uint tr_words[]; };
layout(std430, binding = TR_BLOCKS_PAINT) buffer Paint { uint paint_pairs[]; };
#include "blocks.glsl"
#include "tree.glsl"

int paint[SAMPLES];

void paint_load(bool there, Ground ground)
{
    for (int row = 0; row < TR_BRICK; row++) {
        uint pair = there ? paint_pairs[ground.word + uint(row) * TR_BRICK_LAYER_WORDS] : 0u;
        paint[row] = tr_sample_low(pair);
        paint[TR_BRICK + row] = tr_sample_high(pair);
    }
}

void paint_store(Ground ground)
{
    for (int row = 0; row < TR_BRICK; row++)
        paint_pairs[ground.word + uint(row) * TR_BRICK_LAYER_WORDS] = tr_sample_pair(paint[row], paint[TR_BRICK + row]);
}

/* Behind every slot. */
void paint_settle(Ground ground)
{
    for (int k = 0; k < SAMPLES; k++) {
        int f = tr_height_field(ground.voxel_y + k % TR_BRICK, ground.height[k / TR_BRICK]);
        paint[k] = tr_settle_paint(ground.sdf[k], f, paint[k]);
    }
}

/* A shape's distance at sample k: the ground is joined with it, or painted. */
void apply_distance(tr_edit_slot slot, float d, int k, inout Ground ground)
{
    if (!tr_slot_covers(slot, ground.x + k / TR_BRICK, ground.y + k % TR_BRICK, ground.z))
        return;
    if (slot.op == TR_SLOT_SHAPE_PAINT)
        paint[k] = d <= slot.reach ? slot.target : paint[k];
    else
        ground.sdf[k] = tr_shape_join(slot, d, ground.sdf[k]);
}

void apply_round_shape(tr_edit_slot slot, inout Ground ground)
{
    int count = tr_slot_is_shape(slot) && slot.form != TR_FORM_TREE ? SAMPLES : 0;
    for (int k = 0; k < count; k++) {
        PF d = tr_slot_round_distance(slot, ground.x + k / TR_BRICK, ground.y + k % TR_BRICK, ground.z);
        apply_distance(slot, d, k, ground);
    }
}

void apply_tree(tr_edit_slot slot, inout Ground ground)
{
    int count = tr_slot_is_shape(slot) && slot.form == TR_FORM_TREE ? SAMPLES : 0;
    if (count > 0)
        run_tree(slot.words, ground);
    for (int k = 0; k < count; k++)
        apply_distance(slot, distances[k], k, ground);
}

/* A volume brush, if it is of that operation: a constant again. */
void apply_brush(tr_edit_slot slot, uint op, inout Ground ground)
{
    int count = slot.op == op ? SAMPLES : 0;
    slot.op = op;
    for (int k = 0; k < count; k++)
        ground.sdf[k] = tr_slot_sample(slot, ground.x + k / TR_BRICK, ground.y + k % TR_BRICK, ground.z, ground.sdf[k]);
}

void apply_paint_brush(tr_edit_slot slot, inout Ground ground)
{
    int count = slot.op == TR_SLOT_VOLUME_PAINT ? SAMPLES : 0;
    slot.op = TR_SLOT_VOLUME_PAINT;
    for (int k = 0; k < count; k++)
        if (tr_slot_paints(slot, ground.x + k / TR_BRICK, ground.y + k % TR_BRICK, ground.z))
            paint[k] = slot.target;
}

/* A height brush, if it is of that operation. */
void apply_height(tr_edit_slot slot, uint op, inout Ground ground)
{
    int count = slot.op == op ? COLUMNS : 0;
    slot.op = op;
    for (int c = 0; c < count; c++)
        follow(c, tr_slot_height(slot, ground.x + c, ground.z, ground.height[c], 0), ground);
}

/* A slot of which not tr_blocks_is_common. */
void apply_other(tr_edit_slot slot, inout Ground ground)
{
    apply_round_shape(slot, ground);
    apply_tree(slot, ground);
    apply_brush(slot, TR_SLOT_PUSH, ground);
    apply_brush(slot, TR_SLOT_PLANE, ground);
    apply_brush(slot, TR_SLOT_VOLUME_NOISE, ground);
    apply_brush(slot, TR_SLOT_VOLUME_STAMP, ground);
    apply_paint_brush(slot, ground);
    apply_height(slot, TR_SLOT_NOISE, ground);
    apply_height(slot, TR_SLOT_STAMP, ground);
}

/* Slot i of a brick's list; from the end on the last. */
tr_edit_slot listed_slot(tr_blocks_item brick, uint i)
{
    uint last = brick.count - 1u;
    return slots[numbers[brick.first + (i < last ? i : last)]];
}

void main()
{
    if (tr_group() >= params.brick_count)
        return;
    tr_blocks_item brick = bricks[tr_group()];
    Ground ground = ground_load(brick);
    paint_load(brick.stored != 0u && params.painted != 0u, ground);
    uint i = 0u;
    do {
        bool more;
        do {
            tr_edit_slot slot = listed_slot(brick, i);
            more = i < brick.count && tr_blocks_is_common(slot);
            if (more) {
                apply_common(slot, ground);
                paint_settle(ground);
                i++;
            }
        } while (more);
        do {
            tr_edit_slot slot = listed_slot(brick, i);
            more = i < brick.count && !tr_blocks_is_common(slot);
            if (more) {
                apply_other(slot, ground);
                paint_settle(ground);
                i++;
            }
        } while (more);
    } while (i < brick.count);
    ground_store(ground);
    if (params.painted != 0u)
        paint_store(ground);
}
