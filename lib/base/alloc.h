/* Memory: arrays whose size is checked before it is taken.
 *
 * `tr_alloc` is for sizes that follow from checked facts; what a file merely claims is compared with what the
 * file can hold first. All return zeroed memory; count 0 gives a valid pointer. Released with free(). */
#ifndef TR_BASE_ALLOC_H
#define TR_BASE_ALLOC_H

#include "lib/base/status.h"
#include <stddef.h>

/* count objects of size_bytes, zeroed, 64-byte aligned. NULL with *error filled (TR_IO) on overflow or lack
 * of memory. */
void *tr_alloc(size_t count, size_t size_bytes, struct tr_error *error);

/* Grows *array (capacity *capacity objects) to hold at least `needed`, doubling; the added objects are
 * zeroed. */
enum tr_status tr_grow(void *array, size_t *capacity, size_t needed, size_t size_bytes,
                       struct tr_error *error);

#endif
