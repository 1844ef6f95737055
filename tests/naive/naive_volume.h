/* Volume brushes: one sample behind a stamp. */
#ifndef NAIVE_VOLUME_H
#define NAIVE_VOLUME_H

#include "tests/naive/naive_brush.h"

/* The sample s at p of the frame of `brush` behind the stamp, of those that read nothing else. */
int naive_brushed_sample(const struct naive_brush *brush, const int p[3], int s);

/* s + round(change), within what a sample can hold. */
int naive_changed_sample(int s, float change);

/* Whether the brush reaches p of its frame. */
bool naive_brush_reaches(const struct naive_brush *brush, const int p[3]);

#endif
