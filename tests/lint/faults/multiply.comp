/* expect contraction: a product that is not precise */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

void main()
{
    numbers[0] = numbers[1] * numbers[2];
}
