/* Which work an invocation does, for kernels only: tr_gpu_dispatch lays workgroups out in rows, because a
 * device may take no more than 65535 in one, and the last row may have groups too many. */
#ifndef TR_SHADERS_GRID_H
#define TR_SHADERS_GRID_H

uint tr_group()
{
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

uint tr_invocation()
{
    return tr_group() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
}

#endif
