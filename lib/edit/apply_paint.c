/* Paint of columns, and what changes of samples and heights do to paint of blocks: loops over the scalar functions of shaders/ground.h. */
#include "lib/edit/apply.h"

void tr_apply_column_paint(const uint32_t *words, const tr_edit_slot *slot, const int32_t *heights,
                           uint8_t *paint)
{
    for (int z = slot->lo_z; z <= slot->hi_z; z++)
        for (int x = slot->lo_x; x <= slot->hi_x; x++) {
            int at = z * TR_CHUNK + x;
            paint[at] = (uint8_t)tr_slot_column_paint(words, *slot, x, z, heights[at], paint[at]);
        }
}

static bool row_is_unpainted(const uint8_t *row)
{
    uint64_t eights[TR_CHUNK / 8], any = 0;

    memcpy(eights, row, sizeof eights);
    for (int i = 0; i < TR_CHUNK / 8; i++)
        any |= eights[i];
    return any == 0;
}

/* Most rows have no paint: they cost a look. */
static void settle_row(const int32_t *restrict heights, int y, int lo_x, int hi_x,
                       const int16_t *restrict samples, uint8_t *restrict paint)
{
    if (row_is_unpainted(paint))
        return;
#pragma omp simd
    for (int x = lo_x; x <= hi_x; x++)
        paint[x] = (uint8_t)tr_settle_paint(samples[x], tr_height_field(y, heights[x]), paint[x]);
}

void tr_apply_settle_slot(const tr_edit_slot *slot, const int32_t *heights, int32_t cy,
                          const int16_t *samples, uint8_t *paint)
{
    bool is_volume = tr_slot_is_volume(*slot);
    int lo_y = is_volume ? slot->lo_y : 0, hi_y = is_volume ? slot->hi_y : TR_CHUNK - 1;

    for (int y = lo_y; y <= hi_y; y++)
        for (int z = slot->lo_z; z <= slot->hi_z; z++) {
            int at = tr_block_index(0, y, z);
            settle_row(heights + z * TR_CHUNK, TR_CHUNK * cy + y, slot->lo_x, slot->hi_x, samples + at,
                       paint + at);
        }
}

void tr_apply_settle_paint(const int32_t *heights, uint32_t size_x, uint32_t size_z, int32_t cy,
                           const int16_t *samples, uint8_t *paint)
{
    tr_edit_slot all = {.hi_x = (int)size_x - 1, .hi_z = (int)size_z - 1}; /* as a height slot: all rows */

    tr_apply_settle_slot(&all, heights, cy, samples, paint);
}
