/* Height brushes: one height behind a stamp, and what becomes of a sample when the height changes. */
#ifndef NAIVE_HEIGHT_H
#define NAIVE_HEIGHT_H

#include "tests/naive/naive_brush.h"

/* The height before the stamp at column (x, z), clamped to the world; and how far the 4 neighbours' heights sum up
 * above 4 times its own, the column's bend. */
int naive_height_before(const struct naive_world *world, int x, int z);
int naive_bend_before(const struct naive_world *world, int x, int z);

/* The height at column (x, z) behind the stamp, which `brush` is in the frame of the column's chunk. */
int naive_brushed_height(const struct naive_world *world, const struct naive_brush *brush, int target, int x,
                         int z);

/* Whether a paint brush reaches the column. */
bool naive_brush_paints_column(const struct naive_brush *brush, int x, int z);

/* A sample s of the block where the height field's own value goes from f to f2: undisturbed ground follows, what
 * was carved stays open down to the new ground, what was added stays solid up to it. */
int naive_followed_sample(int s, int f, int f2);

#endif
