/* expect nothing: the same work done as the rules say */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

precise float twice(float x)
{
    precise float y = x + x;
    return y;
}

void main()
{
    uint i = gl_LocalInvocationID.x;
    precise float a = numbers[i] * numbers[i + 1u];
    a = a - 1.0f;
    a = twice(a);
    a = floor(a);
    a = a < 0.0f ? 0.0f : a;
    numbers[i] = a;
    words[i] = uint(min(int(a), 7)) / 3u;
    atomicOr(words[0], 1u);
}
