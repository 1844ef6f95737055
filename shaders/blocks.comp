/* Edits on blocks, brick by brick: each walks the slots that the host listed for it, so the order of the log is kept and a slot costs
 * only the bricks it touches. This one is for blocks that have common slots alone, and no paint. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "blocks_params.h"
#include "no_words.glsl"
#include "blocks.glsl"

void main()
{
    if (tr_group() >= params.brick_count)
        return;
    tr_blocks_item brick = bricks[tr_group()];
    Ground ground = ground_load(brick);
    /* The condition comes last, since a device that only masks what it skips would do one slot more. */
    uint i = 0u;
    do {
        apply_common(slots[numbers[brick.first + i]], ground);
        i++;
    } while (i < brick.count);
    ground_store(ground);
}
