/* What the kernels `heights` and `heights_any` share. */
layout(local_size_x_id = 0) in;
#include "grid.h"
#include "ground.h"
#include "common_height.glsl"
layout(std430, binding = TR_HEIGHTS_ITEMS) readonly buffer Items { tr_heights_item items[]; };
layout(std430, binding = TR_HEIGHTS_SLOTS) readonly buffer Slots { tr_edit_slot slots[]; };
layout(std430, binding = TR_HEIGHTS_BEFORE) readonly buffer Before { int before[]; };
layout(std430, binding = TR_HEIGHTS_RESULT) writeonly buffer Result { int result[]; };
layout(push_constant) uniform Params { tr_heights_params params; };
