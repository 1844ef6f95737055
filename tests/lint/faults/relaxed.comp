/* expect decoration: half precision where the driver likes */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

void main()
{
    mediump uint a = words[1];
    words[0] = a * 3u;
}
