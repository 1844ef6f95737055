/* expect capability: how large a subgroup is differs from device to device */
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Words { uint words[]; };

void main()
{
    words[gl_LocalInvocationID.x] = subgroupAdd(words[gl_LocalInvocationID.x + 64u]);
}
