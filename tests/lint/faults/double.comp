/* expect capability: 64-bit floats */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

void main()
{
    precise double a = double(numbers[1]) * double(numbers[2]);
    numbers[0] = float(a);
}
