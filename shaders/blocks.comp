/* Edits on blocks. Slots are taken 64 at a time: each invocation tests one slot against the brick, then all walk those that touch it
 * from the first, so the order of the log is kept and a slot costs only the bricks it touches. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "blocks_params.h"

layout(local_size_x = TR_BLOCKS_LOCAL) in;
#include "grid.h"
layout(std430, binding = TR_BLOCKS_ITEMS) readonly buffer Items { tr_blocks_item items[]; };
layout(std430, binding = TR_BLOCKS_SLOTS) readonly buffer Slots { tr_edit_slot slots[]; };
layout(std430, binding = TR_BLOCKS_HEIGHTS) readonly buffer Heights { int heights[]; };
layout(std430, binding = TR_BLOCKS_SAMPLES) buffer Samples { uint samples[]; };
layout(std430, binding = TR_BLOCKS_DIFFERS) writeonly buffer Differs { uint differs[]; };
layout(push_constant) uniform Params { tr_blocks_params params; };

shared uint flags[TR_BLOCKS_LOCAL];
shared uint masks[TR_BLOCKS_LOCAL / 32];

/* Makes bit i of masks the flag of invocation i. All invocations must call it; masks may still be in use when they do. */
void masks_gather(uint lane, bool flag)
{
    flags[lane] = flag ? 1u : 0u;
    barrier();
    if (lane < TR_BLOCKS_LOCAL / 32u) {
        uint mask = 0u;
        for (uint i = 0u; i < 32u; i++)
            mask |= flags[lane * 32u + i] << i;
        masks[lane] = mask;
    }
    barrier();
}

bool touches_brick(tr_edit_slot slot, ivec3 low)
{
    ivec3 high = low + (TR_BLOCKS_BRICK - 1);
    if (slot.lo_x > high.x || slot.hi_x < low.x || slot.lo_z > high.z || slot.hi_z < low.z)
        return false;
    if (!tr_slot_is_volume(slot))
        return true;
    if (slot.lo_y > high.y || slot.hi_y < low.y)
        return false;
    ivec3 middle = low + TR_BLOCKS_BRICK / 2;
    PF distance = tr_shape_distance(slot, middle.x, middle.y, middle.z);
    PF reach = slot.reach + TR_BLOCKS_BRICK_REACH;
    return distance <= reach;
}

/* What one column has within the invocation's rows. */
struct Ground {
    int height;
    int sdf[TR_BLOCKS_ROWS];
};

/* A volume slot on one column. */
void carve(tr_edit_slot slot, int x, int y, int z, inout Ground ground)
{
    for (int k = 0; k < TR_BLOCKS_ROWS; k++)
        ground.sdf[k] = tr_slot_sample(slot, x, y + k, z, ground.sdf[k]);
}

/* A height slot on one column: the samples follow. */
void follow(tr_edit_slot slot, int x, int z, int voxel_y, int after, inout Ground ground)
{
    int height = tr_slot_height(slot, x, z, ground.height, after);
    if (height == ground.height)
        return;
    for (int k = 0; k < TR_BLOCKS_ROWS; k++) {
        int f = tr_height_field(voxel_y + k, ground.height);
        ground.sdf[k] = tr_follow(ground.sdf[k], f, tr_height_field(voxel_y + k, height));
    }
    ground.height = height;
}

bool differs_from_field(Ground ground, int voxel_y)
{
    bool any = false;
    for (int k = 0; k < TR_BLOCKS_ROWS; k++)
        any = any || ground.sdf[k] != tr_height_field(voxel_y + k, ground.height);
    return any;
}

void main()
{
    uint block = tr_group() / TR_BLOCKS_BRICKS;
    if (block >= params.block_count)
        return;
    uint brick = tr_group() % TR_BLOCKS_BRICKS;
    uint lane = gl_LocalInvocationID.x;
    ivec3 low = ivec3(brick % 8u, brick / 64u, brick / 8u % 8u) * TR_BLOCKS_BRICK;
    int x = low.x + int(lane % 4u) * 2;
    int z = low.z + int(lane / 4u % 8u);
    int y = low.y + int(lane / 32u) * TR_BLOCKS_ROWS;

    tr_blocks_item item = items[block];
    int voxel_y = item.low_y + y;
    uint column = uint(z * TR_CHUNK + x);
    uint word = block * TR_BLOCK_WORDS + uint(tr_block_index(x, y, z)) / 2u; /* of the lowest row */
    uint before = item.before * TR_COLUMNS + column;
    uint after = item.after * TR_COLUMNS + column;
    Ground a, b;
    a.height = heights[before];
    b.height = heights[before + 1u];
    for (int k = 0; k < TR_BLOCKS_ROWS; k++) {
        if (item.stored != 0u) {
            uint pair = samples[word + uint(k) * TR_BLOCKS_ROW_WORDS];
            a.sdf[k] = tr_sample_low(pair);
            b.sdf[k] = tr_sample_high(pair);
        } else {
            a.sdf[k] = tr_height_field(voxel_y + k, a.height);
            b.sdf[k] = tr_height_field(voxel_y + k, b.height);
        }
    }

    for (uint first = 0u; first < item.slot_count; first += TR_BLOCKS_LOCAL) {
        bool touches = first + lane < item.slot_count && touches_brick(slots[item.first_slot + first + lane], low);
        masks_gather(lane, touches);
        for (uint part = 0u; part < TR_BLOCKS_LOCAL / 32u; part++) {
            for (uint bits = masks[part]; bits != 0u; bits &= bits - 1u) {
                tr_edit_slot slot = slots[item.first_slot + first + part * 32u + uint(findLSB(bits))];
                if (tr_slot_is_volume(slot)) {
                    carve(slot, x, y, z, a);
                    carve(slot, x + 1, y, z, b);
                } else {
                    follow(slot, x, z, voxel_y, heights[after], a);
                    follow(slot, x + 1, z, voxel_y, heights[after + 1u], b);
                }
            }
        }
    }
    for (int k = 0; k < TR_BLOCKS_ROWS; k++)
        samples[word + uint(k) * TR_BLOCKS_ROW_WORDS] = tr_sample_pair(a.sdf[k], b.sdf[k]);

    bool a_differs = uint(x) < item.size_x && differs_from_field(a, voxel_y);
    bool b_differs = uint(x) + 1u < item.size_x && differs_from_field(b, voxel_y);
    masks_gather(lane, uint(z) < item.size_z && (a_differs || b_differs));
    if (lane == 0u) {
        uint any = 0u;
        for (uint part = 0u; part < TR_BLOCKS_LOCAL / 32u; part++)
            any |= masks[part];
        differs[tr_group()] = any != 0u ? 1u : 0u;
    }
}
