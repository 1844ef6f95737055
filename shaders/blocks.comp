/* Edits on blocks, brick by brick: each walks the slots that the host listed for it, so the order of the log is kept and a slot costs
 * only the bricks it touches. A workgroup is small and has no barrier: software devices load a slot once for every few invocations,
 * which costs them as much as the arithmetic. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "blocks_params.h"

layout(local_size_x = TR_BLOCKS_LOCAL) in;
#include "grid.h"
layout(std430, binding = TR_BLOCKS_BRICKS) readonly buffer Bricks { tr_brick bricks[]; };
layout(std430, binding = TR_BLOCKS_NUMBERS) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = TR_BLOCKS_SLOTS) readonly buffer Slots { tr_edit_slot slots[]; };
layout(std430, binding = TR_BLOCKS_HEIGHTS) readonly buffer Heights { int heights[]; };
layout(std430, binding = TR_BLOCKS_SAMPLES) buffer Samples { uint samples[]; };
layout(push_constant) uniform Params { tr_blocks_params params; };

/* What one column has within the brick. */
struct Ground {
    int height;
    int sdf[TR_BRICK];
};

/* A volume slot on one column. */
void carve(tr_edit_slot slot, int x, int y, int z, inout Ground ground)
{
    for (int k = 0; k < TR_BRICK; k++)
        ground.sdf[k] = tr_slot_sample(slot, x, y + k, z, ground.sdf[k]);
}

/* A height slot on one column: the samples follow. */
void follow(tr_edit_slot slot, int x, int z, int voxel_y, int after, inout Ground ground)
{
    int height = tr_slot_height(slot, x, z, ground.height, after);
    if (height == ground.height)
        return;
    for (int k = 0; k < TR_BRICK; k++) {
        int f = tr_height_field(voxel_y + k, ground.height);
        ground.sdf[k] = tr_follow(ground.sdf[k], f, tr_height_field(voxel_y + k, height));
    }
    ground.height = height;
}

void main()
{
    if (tr_group() >= params.brick_count)
        return;
    tr_brick brick = bricks[tr_group()];
    uint lane = gl_LocalInvocationID.x;
    int x = tr_brick_x(brick.place) + int(lane % 4u) * 2;
    int z = tr_brick_z(brick.place) + int(lane / 4u);
    int y = tr_brick_y(brick.place);
    int voxel_y = brick.low_y + y;

    uint column = uint(z * TR_CHUNK + x);
    uint before = brick.before * TR_COLUMNS + column;
    uint after = brick.after * TR_COLUMNS + column;
    uint word = tr_group() * TR_BRICK_WORDS + lane; /* of the lowest row */
    Ground a, b;
    a.height = heights[before];
    b.height = heights[before + 1u];
    for (int k = 0; k < TR_BRICK; k++) {
        if (brick.stored != 0u) {
            uint pair = samples[word + uint(k) * TR_BRICK_LAYER_WORDS];
            a.sdf[k] = tr_sample_low(pair);
            b.sdf[k] = tr_sample_high(pair);
        } else {
            a.sdf[k] = tr_height_field(voxel_y + k, a.height);
            b.sdf[k] = tr_height_field(voxel_y + k, b.height);
        }
    }

    /* The condition comes last, since a device that only masks what it skips would do one slot more. */
    uint i = 0u;
    do {
        tr_edit_slot slot = slots[numbers[brick.first + i]];
        if (tr_slot_is_volume(slot)) {
            carve(slot, x, y, z, a);
            carve(slot, x + 1, y, z, b);
        } else {
            follow(slot, x, z, voxel_y, heights[after], a);
            follow(slot, x + 1, z, voxel_y, heights[after + 1u], b);
        }
        i++;
    } while (i < brick.count);
    for (int k = 0; k < TR_BRICK; k++)
        samples[word + uint(k) * TR_BRICK_LAYER_WORDS] = tr_sample_pair(a.sdf[k], b.sdf[k]);
}
