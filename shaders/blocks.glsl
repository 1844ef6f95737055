/* What the kernels of blocks share: buffers, the ground of an invocation, and the common slots. A workgroup is small and
 * has no barrier: software devices load a slot once for every few invocations, which costs them as much as the arithmetic. */
layout(local_size_x = TR_BLOCKS_LOCAL) in;
#include "grid.h"
#include "ground.h"
#include "common_height.glsl"
layout(std430, binding = TR_BLOCKS_BRICKS) readonly buffer Bricks { tr_blocks_item bricks[]; };
layout(std430, binding = TR_BLOCKS_NUMBERS) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = TR_BLOCKS_SLOTS) readonly buffer Slots { tr_edit_slot slots[]; };
layout(std430, binding = TR_BLOCKS_HEIGHTS) readonly buffer Heights { int heights[]; };
layout(std430, binding = TR_BLOCKS_SAMPLES) buffer Samples { uint samples[]; };
layout(push_constant) uniform Params { tr_blocks_params params; };

#define COLUMNS 2
#define SAMPLES 16 /* number k lies in column k / 8, row k % 8 */

/* What an invocation has: two columns of a brick. */
struct Ground {
    int x, y, z;  /* of sample 0, in the block */
    int voxel_y;  /* its row in the world */
    uint word;    /* where samples and paint of the lowest row are */
    int after[COLUMNS];
    int height[COLUMNS];
    int sdf[SAMPLES];
};

Ground ground_load(tr_blocks_item brick)
{
    uint lane = gl_LocalInvocationID.x;
    Ground ground;
    ground.x = tr_brick_x(brick.place) + int(lane % 4u) * COLUMNS;
    ground.y = tr_brick_y(brick.place);
    ground.z = tr_brick_z(brick.place) + int(lane / 4u);
    ground.voxel_y = brick.low_y + ground.y;
    ground.word = tr_group() * TR_BRICK_WORDS + lane;
    uint column = uint(ground.z * TR_CHUNK + ground.x);
    for (int c = 0; c < COLUMNS; c++) {
        ground.height[c] = heights[brick.before * TR_COLUMNS + column + uint(c)];
        ground.after[c] = heights[brick.after * TR_COLUMNS + column + uint(c)];
    }
    for (int row = 0; row < TR_BRICK; row++) {
        if (brick.stored != 0u) {
            uint pair = samples[ground.word + uint(row) * TR_BRICK_LAYER_WORDS];
            ground.sdf[row] = tr_sample_low(pair);
            ground.sdf[TR_BRICK + row] = tr_sample_high(pair);
        } else {
            ground.sdf[row] = tr_height_field(ground.voxel_y + row, ground.height[0]);
            ground.sdf[TR_BRICK + row] = tr_height_field(ground.voxel_y + row, ground.height[1]);
        }
    }
    return ground;
}

void ground_store(Ground ground)
{
    for (int row = 0; row < TR_BRICK; row++)
        samples[ground.word + uint(row) * TR_BRICK_LAYER_WORDS] = tr_sample_pair(ground.sdf[row], ground.sdf[TR_BRICK + row]);
}

/* Column c gets a height: its samples follow. */
void follow(int c, int height, inout Ground ground)
{
    for (int row = 0; row < TR_BRICK; row++) {
        int k = c * TR_BRICK + row;
        int f = tr_height_field(ground.voxel_y + row, ground.height[c]);
        ground.sdf[k] = tr_follow(ground.sdf[k], f, tr_height_field(ground.voxel_y + row, height));
    }
    ground.height[c] = height;
}

/* A round shape. A hard blend is a smooth one of width 0. */
void apply_round(tr_edit_slot slot, inout Ground ground)
{
    slot.blend_k = slot.blend == TR_BLEND_HARD ? 0.0f : slot.blend_k;
    slot.blend = TR_BLEND_SMOOTH;
    for (int k = 0; k < SAMPLES; k++) {
        int x = ground.x + k / TR_BRICK;
        int y = ground.y + k % TR_BRICK;
        PF d = tr_slot_round_distance(slot, x, y, ground.z);
        int s = tr_shape_join(slot, d, ground.sdf[k]);
        ground.sdf[k] = tr_slot_covers(slot, x, y, ground.z) ? s : ground.sdf[k];
    }
}

/* A slot of which tr_blocks_is_common. */
void apply_common(tr_edit_slot slot, inout Ground ground)
{
    if (tr_slot_is_volume(slot)) {
        apply_round(slot, ground);
    } else {
        follow(0, common_height(slot, ground.x, ground.z, ground.height[0], ground.after[0]), ground);
        follow(1, common_height(slot, ground.x + 1, ground.z, ground.height[1], ground.after[1]), ground);
    }
}
