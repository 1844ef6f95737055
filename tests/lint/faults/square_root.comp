/* expect ext-inst: built-in square roots differ */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

void main()
{
    precise float a = sqrt(numbers[1]);
    numbers[0] = a;
}
