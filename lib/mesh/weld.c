/* See weld.h. Positions are sorted by radix: the time is linear whatever the input; a hash table's is not, against an input made for it. */
#include "lib/mesh/weld.h"

#include "lib/base/alloc.h"

#include <stdlib.h>

#define POSITION_BITS 38 /* of a coordinate moved to 0 and above */
#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

int tr_position_compare(const struct tr_position *a, const struct tr_position *b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (a->at[axis] != b->at[axis])
            return a->at[axis] < b->at[axis] ? -1 : 1;
    }
    return 0;
}

static uint64_t axis_key(const struct tr_position *position, int axis)
{
    return (uint64_t)(position->at[axis] + TR_POSITION_MAX);
}

/* The bits in which the positions differ along an axis: digits without one of them need no pass. */
static uint64_t varying_bits(const struct tr_position *positions, size_t count, int axis)
{
    uint64_t varying = 0;

    for (size_t i = 1; i < count; i++)
        varying |= axis_key(&positions[i], axis) ^ axis_key(&positions[0], axis);
    return varying;
}

/* One stable pass: the positions numbered in from[] go to to[], in order of one digit of one axis. */
static void sort_by_digit(const struct tr_position *positions, size_t count, int axis, int shift,
                          const uint32_t *from, uint32_t *to)
{
    uint32_t place[DIGITS] = {0};
    uint32_t before = 0;

    for (size_t i = 0; i < count; i++)
        place[axis_key(&positions[i], axis) >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        uint32_t here = place[digit];

        place[digit] = before;
        before += here;
    }
    for (size_t i = 0; i < count; i++)
        to[place[axis_key(&positions[from[i]], axis) >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sorts *order by position; it may change places with *spare, of the same size. */
static void sort_by_position(const struct tr_position *positions, size_t count, uint32_t **order,
                             uint32_t **spare)
{
    for (size_t i = 0; i < count; i++)
        (*order)[i] = (uint32_t)i;
    for (int axis = 2; axis >= 0; axis--) {
        uint64_t varying = varying_bits(positions, count, axis);

        for (int shift = 0; shift < POSITION_BITS; shift += DIGIT_BITS) {
            uint32_t *sorted = *spare;

            if (!(varying >> shift & (DIGITS - 1)))
                continue;
            sort_by_digit(positions, count, axis, shift, *order, sorted);
            *spare = *order;
            *order = sorted;
        }
    }
}

enum tr_status tr_weld(const struct tr_position *positions, size_t count, struct tr_position *welded,
                       uint32_t *number, uint32_t *welded_count, struct tr_error *error)
{
    enum tr_status status = TR_IO;
    uint32_t *order = tr_alloc(count, sizeof *order, error);
    uint32_t *spare = tr_alloc(count, sizeof *spare, error);
    uint32_t distinct = 0;

    if (!order || !spare)
        goto done;
    sort_by_position(positions, count, &order, &spare);
    for (size_t i = 0; i < count; i++) {
        const struct tr_position *position = &positions[order[i]];

        if (distinct == 0 || tr_position_compare(&welded[distinct - 1], position) != 0)
            welded[distinct++] = *position;
        number[order[i]] = distinct - 1;
    }
    *welded_count = distinct;
    status = TR_OK;
done:
    free(order);
    free(spare);
    return status;
}
