/* expect opcode: NaN is not kept alike */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

void main()
{
    words[0] = isnan(numbers[1]) ? 1u : 0u;
}
