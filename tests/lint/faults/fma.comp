/* expect ext-inst: fma is fused on one device and not on another */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

void main()
{
    precise float a = fma(numbers[1], numbers[2], numbers[3]);
    numbers[0] = a;
}
