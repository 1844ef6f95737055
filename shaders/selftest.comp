/* Every exact function on fixed inputs, one word an invocation. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "no_words.glsl"
#include "selftest_params.h"

layout(local_size_x_id = 0) in;
#include "grid.h"
layout(std430, binding = TR_SELFTEST_WORDS) writeonly buffer Words { uint words[]; };
layout(push_constant) uniform Params { tr_selftest_params params; };

void main()
{
    uint i = tr_invocation();
    if (i >= TR_SELFTEST_FUNCTIONS * params.inputs)
        return;
    words[i] = tr_selftest_word(i / params.inputs, i % params.inputs);
}
