/* expect opcode: a dot product has no order of its sums, and precise does not reach it */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

void main()
{
    precise float a = dot(vec3(numbers[1], numbers[2], numbers[3]), vec3(numbers[4], numbers[5], numbers[6]));
    numbers[0] = a;
}
