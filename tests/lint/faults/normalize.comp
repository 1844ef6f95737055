/* expect ext-inst: normalize has a square root and a division inside */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

void main()
{
    precise vec3 a = normalize(vec3(numbers[1], numbers[2], numbers[3]));
    numbers[0] = a.x;
}
