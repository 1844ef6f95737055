/* Memory: the two ways in which the library takes it, both checking the size in bytes before they ask.
 *
 * A request above PTRDIFF_MAX is refused here, because pointer differences inside it would not be
 * representable. */
#include "lib/base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT_BYTES ((size_t)64)
#define SIZE_MAX_BYTES ((size_t)PTRDIFF_MAX - ALIGNMENT_BYTES)
#define GROW_MIN ((size_t)16)

static enum tr_status fail_memory(struct tr_error *error, size_t count, size_t size_bytes)
{
    return tr_fail(error, TR_IO, "out of memory: %zu objects of %zu bytes", count, size_bytes);
}

static bool size_fits(size_t count, size_t size_bytes)
{
    return size_bytes == 0 || count <= SIZE_MAX_BYTES / size_bytes;
}

void *tr_alloc(size_t count, size_t size_bytes, struct tr_error *error)
{
    size_t total;
    void *memory = NULL;

    if (size_fits(count, size_bytes)) {
        /* aligned_alloc wants a multiple of the alignment, and nothing at all still needs a pointer to free
         */
        total = (count * size_bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
        if (total == 0)
            total = ALIGNMENT_BYTES;
        memory = aligned_alloc(ALIGNMENT_BYTES, total);
        if (memory)
            memset(memory, 0, total);
    }
    if (!memory)
        fail_memory(error, count, size_bytes);
    return memory;
}

enum tr_status tr_grow(void *array, size_t *capacity, size_t needed, size_t size_bytes,
                       struct tr_error *error)
{
    size_t wanted = *capacity < GROW_MIN ? GROW_MIN : *capacity;
    void *old, *grown;

    if (needed <= *capacity)
        return TR_OK;
    if (!size_fits(needed, size_bytes))
        return fail_memory(error, needed, size_bytes);
    while (wanted < needed)
        wanted = wanted > SIZE_MAX / 2 ? needed : wanted * 2;
    if (!size_fits(wanted, size_bytes))
        wanted = needed;

    /* the caller's pointer may be of any object type: it is read and written as bytes, not through void ** */
    memcpy(&old, array, sizeof old);
    grown = realloc(old, wanted * size_bytes);
    if (!grown)
        return fail_memory(error, wanted, size_bytes);
    memset((char *)grown + *capacity * size_bytes, 0, (wanted - *capacity) * size_bytes);
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return TR_OK;
}
