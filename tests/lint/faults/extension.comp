/* expect extension: an instruction set whose rounding nobody has looked at */
#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_AMD_gcn_shader"], set = "SPV_AMD_gcn_shader", id = 1) float cube_face(vec3 direction);
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };

void main()
{
    numbers[0] = cube_face(vec3(numbers[1], numbers[2], numbers[3]));
}
