/* Applying slots to one chunk: loops over rows along x around the scalar functions of shaders/brush.h and
 * shaders/shape.h.
 *
 * What differs from edit to edit but not from sample to sample (operation, falloff, form of the distance) is
 * a constant where the loop is compiled, so that a row has no branch and becomes vectors; `slot.falloff =
 * falloff` and the like say so to the compiler. The arithmetic is that of the scalar functions, whose results
 * vectors do not change: no contraction, no reordering.
 *
 * A slot's box, which is never empty, bounds the loops: samples outside it are never touched. Compiled once
 * for each instruction set, see lib/base/isa.h. */
#include "lib/edit/apply.h"

#include "shaders/brush.h"
#include "shaders/shape.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
/* Samples a round. Whole vectors in every instruction set, so that no row leaves a rest to go through one by
 * one: rows are worked on in a line of their own, in whole rounds around the slot's box, and only what lies
 * in the box is taken from it. */
#define LANES 16
#define HALO 66 /* samples along a side of the heights that smoothing reads */

/* CASE(falloff) for every falloff */
#define EACH_FALLOFF(CASE)                                                                                   \
    CASE(TR_FALLOFF_SMOOTH)                                                                                  \
    CASE(TR_FALLOFF_SMOOTHER)                                                                                \
    CASE(TR_FALLOFF_SPHERE)                                                                                  \
    CASE(TR_FALLOFF_ROOT)                                                                                    \
    CASE(TR_FALLOFF_SHARP)                                                                                   \
    CASE(TR_FALLOFF_POW4)                                                                                    \
    CASE(TR_FALLOFF_LINEAR)                                                                                  \
    CASE(TR_FALLOFF_INVERSE_SQUARE)                                                                          \
    CASE(TR_FALLOFF_CONSTANT)

/* line is scratch of TR_CHUNK heights. */
ALWAYS_INLINE void raise_row(tr_edit_slot slot, int z, int32_t *restrict row, int32_t *restrict line)
{
    size_t size_bytes = (size_t)(slot.hi_x - slot.lo_x + 1) * sizeof *row;

    memcpy(line + slot.lo_x, row + slot.lo_x, size_bytes);
    for (int first = slot.lo_x / LANES * LANES; first <= slot.hi_x; first += LANES) {
#pragma omp simd
        for (int x = first; x < first + LANES; x++)
            line[x] = tr_brush_raise(slot, x, z, line[x]);
    }
    memcpy(row + slot.lo_x, line + slot.lo_x, size_bytes);
}

ALWAYS_INLINE void raise_box(tr_edit_slot slot, uint falloff, int32_t *restrict heights)
{
    int32_t line[TR_CHUNK] = {0};

    slot.falloff = falloff;
    for (int z = slot.lo_z; z <= slot.hi_z; z++)
        raise_row(slot, z, heights + z * TR_CHUNK, line);
}

void TR_ISA_NAME(tr_apply_raise)(const tr_edit_slot *slot, int32_t *heights)
{
#define RAISE_CASE(falloff)                                                                                  \
    case falloff:                                                                                            \
        raise_box(*slot, falloff, heights);                                                                  \
        return;

    switch (slot->falloff) {
        EACH_FALLOFF(RAISE_CASE)
    }
#undef RAISE_CASE
}

/* here points to the row's height at x = 0 in the halo; line is scratch of TR_CHUNK heights. */
ALWAYS_INLINE void smooth_row(tr_edit_slot slot, int z, const int32_t *restrict here, int32_t *restrict row,
                              int32_t *restrict line)
{
    const int32_t *restrict north = here - HALO;
    const int32_t *restrict south = here + HALO;

    for (int first = slot.lo_x / LANES * LANES; first <= slot.hi_x; first += LANES) {
#pragma omp simd
        for (int x = first; x < first + LANES; x++) {
            int sum = here[x - 1] + here[x + 1] + north[x] + south[x];
            line[x] = tr_brush_smooth(slot, x, z, here[x], sum);
        }
    }
    memcpy(row + slot.lo_x, line + slot.lo_x, (size_t)(slot.hi_x - slot.lo_x + 1) * sizeof *row);
}

ALWAYS_INLINE void smooth_box(tr_edit_slot slot, uint falloff, const int32_t *restrict halo,
                              int32_t *restrict after)
{
    int32_t line[TR_CHUNK];

    slot.falloff = falloff;
    for (int z = slot.lo_z; z <= slot.hi_z; z++)
        smooth_row(slot, z, halo + (z + 1) * HALO + 1, after + z * TR_CHUNK, line);
}

void TR_ISA_NAME(tr_apply_smooth)(const tr_edit_slot *slot, const int32_t *halo, int32_t *after)
{
#define SMOOTH_CASE(falloff)                                                                                 \
    case falloff:                                                                                            \
        smooth_box(*slot, falloff, halo, after);                                                             \
        return;

    for (int z = 0; z < TR_CHUNK; z++)
        memcpy(after + z * TR_CHUNK, halo + (z + 1) * HALO + 1, TR_CHUNK * sizeof *after);

    switch (slot->falloff) {
        EACH_FALLOFF(SMOOTH_CASE)
    }
#undef SMOOTH_CASE
}

void TR_ISA_NAME(tr_apply_begin)(const int32_t *heights, uint32_t size_x, uint32_t size_z, int32_t cy,
                                 int16_t *samples)
{
    for (int y = 0; y < TR_CHUNK; y++) {
        for (int z = 0; z < (int)size_z; z++) {
            const int32_t *restrict row_heights = heights + z * TR_CHUNK;
            int16_t *restrict row = samples + tr_block_index(0, y, z);
#pragma omp simd
            for (int x = 0; x < (int)size_x; x++)
                row[x] = (int16_t)tr_height_field(TR_CHUNK * cy + y, row_heights[x]);
        }
    }
}

void TR_ISA_NAME(tr_apply_follow)(const int32_t *before, const int32_t *after, int32_t cy, int16_t *samples)
{
    bool row_changes[TR_CHUNK];

    for (int z = 0; z < TR_CHUNK; z++)
        row_changes[z] = memcmp(before + z * TR_CHUNK, after + z * TR_CHUNK, TR_CHUNK * sizeof *before) != 0;

    for (int y = 0; y < TR_CHUNK; y++) {
        for (int z = 0; z < TR_CHUNK; z++) {
            const int32_t *restrict row_before = before + z * TR_CHUNK;
            const int32_t *restrict row_after = after + z * TR_CHUNK;
            int16_t *restrict row = samples + tr_block_index(0, y, z);
            if (!row_changes[z])
                continue;
#pragma omp simd
            for (int x = 0; x < TR_CHUNK; x++) {
                int f = tr_height_field(TR_CHUNK * cy + y, row_before[x]);
                int f2 = tr_height_field(TR_CHUNK * cy + y, row_after[x]);
                row[x] = (int16_t)tr_follow(row[x], f, f2);
            }
        }
    }
}

/* line is scratch of TR_CHUNK samples. */
ALWAYS_INLINE void shape_row(tr_edit_slot slot, int y, int z, int16_t *restrict row, int16_t *restrict line)
{
    size_t size_bytes = (size_t)(slot.hi_x - slot.lo_x + 1) * sizeof *row;

    memcpy(line + slot.lo_x, row + slot.lo_x, size_bytes);
    for (int first = slot.lo_x / LANES * LANES; first <= slot.hi_x; first += LANES) {
        if (slot.op == TR_SLOT_UNION) {
#pragma omp simd
            for (int x = first; x < first + LANES; x++)
                line[x] = (int16_t)tr_shape_union(slot, x, y, z, line[x]);
        } else {
#pragma omp simd
            for (int x = first; x < first + LANES; x++)
                line[x] = (int16_t)tr_shape_subtract(slot, x, y, z, line[x]);
        }
    }
    memcpy(row + slot.lo_x, line + slot.lo_x, size_bytes);
}

ALWAYS_INLINE void shape_box(tr_edit_slot slot, uint op, uint large, int16_t *restrict samples)
{
    int16_t line[TR_CHUNK] = {0};

    slot.op = op;
    slot.large = large;
    for (int y = slot.lo_y; y <= slot.hi_y; y++)
        for (int z = slot.lo_z; z <= slot.hi_z; z++)
            shape_row(slot, y, z, samples + tr_block_index(0, y, z), line);
}

void TR_ISA_NAME(tr_apply_shape)(const tr_edit_slot *slot, int16_t *samples)
{
    if (slot->op == TR_SLOT_UNION && slot->large == 0u)
        shape_box(*slot, TR_SLOT_UNION, 0u, samples);
    else if (slot->op == TR_SLOT_UNION)
        shape_box(*slot, TR_SLOT_UNION, 1u, samples);
    else if (slot->large == 0u)
        shape_box(*slot, TR_SLOT_SUBTRACT, 0u, samples);
    else
        shape_box(*slot, TR_SLOT_SUBTRACT, 1u, samples);
}
