/* Edits on blocks, as blocks_any.comp, with trees of every instruction. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "blocks_params.h"

#define ALL_INSTRUCTIONS true
#include "blocks_any.glsl"
