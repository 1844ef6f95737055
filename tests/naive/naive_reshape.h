/* Volume brushes that read the samples around: smooth, inflate, pinch, grab. */
#ifndef NAIVE_RESHAPE_H
#define NAIVE_RESHAPE_H

#include "tests/naive/naive_brush.h"

/* A sample of the state before the stamp, clamped to the world. */
int naive_sample_before(const struct naive_world *world, int x, int y, int z);
/* The 8 samples around a point whose lowest one is at `low`: those at higher x at bit 0, y at bit 1, z at bit 2. */
void naive_samples_around(const struct naive_world *world, const int low[3], int samples[8]);

/* The sample p of the world behind the stamp, which `brush` is in the frame at `corner`. */
int naive_reshaped_sample(const struct naive_world *world, const struct naive_brush *brush,
                          const int corner[3], const int p[3]);

/* How many samples away it reads. */
int naive_reshape_reach(const struct naive_edit *edit, const struct naive_measures *measures,
                        const struct naive_stamp *stamp);

#endif
