/* expect atomic: who adds first is a matter of chance */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

void main()
{
    words[1] = atomicAdd(words[0], 1u);
}
