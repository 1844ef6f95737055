/* expect contraction: arithmetic in the argument of a call is not reached by precise */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer Words { uint words[]; };

int rounded(float x)
{
    precise float y = x + 0.5f;
    return int(y);
}

void main()
{
    words[0] = uint(rounded(numbers[1] - numbers[2]));
}
