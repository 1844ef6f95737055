/* The numbers of make_log, and one edit of any kind. */
#ifndef TESTS_SUPPORT_EVERY_EDIT_H
#define TESTS_SUPPORT_EVERY_EDIT_H

#include <stdint.h>

extern uint64_t tr_log_state;
extern const char *const tr_log_falloffs[9];

uint32_t tr_log_next(void);
/* A multiple of 1/16 in [lo, hi). */
double tr_log_number(double lo, double hi);

/* Prints the fields of edit `index` behind its id: operations go round, so that a few dozen edits have each of them. */
void tr_log_every_edit(long index, double width, double depth, double voxel);

#endif
