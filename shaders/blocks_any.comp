/* Edits on blocks, as blocks.comp, with slots of every kind, and with paint; of trees those whose instructions are all common. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "blocks_params.h"

#define ALL_INSTRUCTIONS false
#include "blocks_any.glsl"
