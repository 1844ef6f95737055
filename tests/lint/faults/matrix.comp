/* expect opcode: matrices are sums without an order */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

void main()
{
    precise vec2 a = mat2(numbers[1], numbers[2], numbers[3], numbers[4]) * vec2(numbers[5], numbers[6]);
    numbers[0] = a.x;
    numbers[7] = a.y;
}
