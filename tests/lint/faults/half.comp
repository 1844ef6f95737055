/* expect capability: 16-bit floats */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };

void main()
{
    precise float16_t a = float16_t(numbers[1]) * float16_t(numbers[2]);
    numbers[0] = float(a);
}
