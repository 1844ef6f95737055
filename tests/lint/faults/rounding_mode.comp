/* expect execution-mode: a device need not offer it */
#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };

void main()
{
    numbers[0] = 1.0f;
}
