/* The curve through the points of a tube, as straight pieces. */
#ifndef TR_EDIT_CURVE_H
#define TR_EDIT_CURVE_H

#include <stdint.h>

/* How many points a path of `count` >= 2 points has when each span is cut into `steps` >= 1 pieces. */
uint32_t tr_curve_count(uint32_t count, uint32_t steps);

/* Fills points[tr_curve_count()] with the Catmull-Rom curve through the path, each a place and a radius, which is at least 0. EDITS.md,
 * "Exactly", tubes. */
void tr_curve_flatten(const double (*path)[4], uint32_t count, uint32_t steps, double (*points)[4]);

#endif
