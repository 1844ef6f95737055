/* Applying slots to one chunk: the C side of the kernels heights, smooth, blocks and reshape, one chunk or block at a time. `words`
 * are those that the slots' `words` index. Slots' boxes, never empty, bound what is touched. */
#ifndef TR_EDIT_APPLY_H
#define TR_EDIT_APPLY_H

#include "lib/base/isa.h"
#include "lib/base/status.h"
#include "shaders/cell.h"
#include "shaders/ground.h"
#include "shaders/redistance.h"

#define TR_HEIGHT_HALO 68 /* heights that smoothing a chunk reads: [z + 2][x + 2], z and x in -2..65 */
#define TR_BLOCK_HALO 66  /* samples that smoothing a block reads: [y + 1][z + 1][x + 1], each in -1..64 */
#define TR_RESHAPE_MARGIN_MAX 66   /* samples around a block that pinch and grab may read */
#define TR_REDISTANCE_SIDE_MAX 131 /* of a region: a radius of 64 voxels, and one sample more */

/* One pointwise height slot (RAISE, LEVEL, NOISE, STAMP) on a chunk's 64 x 64 heights. */
TR_ISA_DECLARE(void, tr_apply_height, (const uint32_t *words, const tr_edit_slot *slot, int32_t *heights));

/* One SMOOTH or HC_SMOOTH slot: from the halo of the state before to `after`, 64 x 64; untouched heights are copied.
 * Beyond the world the halo repeats its last samples. */
TR_ISA_DECLARE(void, tr_apply_smooth, (const tr_edit_slot *slot, const int32_t *halo, int32_t *after));

/* A block as the height field gives it, at the valid samples (x < size_x, z < size_z); its lowest samples have y = 64 cy. */
TR_ISA_DECLARE(void, tr_apply_begin,
               (const int32_t *heights, uint32_t size_x, uint32_t size_z, int32_t cy, int16_t *samples));

/* Block samples follow a change of heights from `before` to `after` (64 x 64 each); the block's lowest samples have y = 64 cy. */
TR_ISA_DECLARE(void, tr_apply_follow,
               (const int32_t *before, const int32_t *after, int32_t cy, int16_t *samples));

/* One pointwise volume slot (UNION, SUBTRACT, INTERSECT, PUSH, PLANE, VOLUME_NOISE, VOLUME_STAMP) on a block. */
TR_ISA_DECLARE(void, tr_apply_volume, (const uint32_t *words, const tr_edit_slot *slot, int16_t *samples));

/* The same for slots of shapes (UNION, SUBTRACT, INTERSECT) only: what tr_apply_volume calls for them. */
TR_ISA_DECLARE(void, tr_apply_shape, (const uint32_t *words, const tr_edit_slot *slot, int16_t *samples));

/* One slot that reads the samples around (VOLUME_SMOOTH, INFLATE, PINCH, GRAB): from the halo, a cube of side 64 + 2 margin of the state
 * before, to `after`, a block; samples outside the slot's box are copied. */
TR_ISA_DECLARE(void, tr_apply_reshape,
               (const tr_edit_slot *slot, uint32_t margin, const int16_t *halo, int16_t *after));

/* The crossings of a region of samples [y][z][x], in their order (EDITS.md, redistance); free *crossings, which is NULL on failure. size: along
 * x, y, z, at most TR_REDISTANCE_SIDE_MAX each. A sample begins with the nearest of those next to it, of equally near ones the first. */
enum tr_status tr_redistance_find(const int16_t *samples, const uint32_t size[3],
                                  tr_crossing_point **crossings, size_t *count, struct tr_error *error);
/* One REDISTANCE slot on a region: all of it, then samples in the slot's box that are within radius again, to `after`. */
enum tr_status tr_apply_redistance(const tr_edit_slot *slot, const int16_t *samples, const uint32_t size[3],
                                   int16_t *after, struct tr_error *error);

/* One slot that paints samples (SHAPE_PAINT, VOLUME_PAINT) on a block's paint. Settle it afterwards. */
TR_ISA_DECLARE(void, tr_apply_block_paint, (const uint32_t *words, const tr_edit_slot *slot, uint8_t *paint));

/* One slot that paints, of a height brush or in space, on the paint of columns, whose heights are given. */
void tr_apply_column_paint(const uint32_t *words, const tr_edit_slot *slot, const int32_t *heights,
                           uint8_t *paint);

/* What every change of samples, heights or paint does to block paint: none where the sample equals the height field. size_x, size_z: valid
 * samples. */
void tr_apply_settle_paint(const int32_t *heights, uint32_t size_x, uint32_t size_z, int32_t cy,
                           const int16_t *samples, uint8_t *paint);
/* The same where one slot may have changed something: its box, of a height slot in all rows. */
void tr_apply_settle_slot(const tr_edit_slot *slot, const int32_t *heights, int32_t cy,
                          const int16_t *samples, uint8_t *paint);

/* Slabs: what a volume slot's box is worked on in, so that the parts of it that the shape or brush does not reach cost next to nothing.
 * They lie at multiples of their size; rows of a slab are whole vectors in every instruction set. */
#define TR_SLAB_X 16
#define TR_SLAB_Y 4
#define TR_SLAB_Z 8
#define TR_SLAB_ROWS (TR_SLAB_Y * TR_SLAB_Z)

struct tr_slab {
    int lo[3], hi[3]; /* x, y, z: the samples of the slab in the slot's box, inclusive */
    bool covered;     /* the slot reaches all of them for certain */
};

/* Goes on to the slot's next slab that it may reach; false at the end. Before the first call lo[0] is -1. The answer is conservative: of the
 * samples of slabs left out it reaches none. */
bool tr_slab_next(const uint32_t *words, const tr_edit_slot *slot, struct tr_slab *slab);

/* The x at which the slab's rows begin, all lanes of them. */
TR_FN int tr_slab_first(const struct tr_slab *slab)
{
    return slab->lo[0] / TR_SLAB_X * TR_SLAB_X;
}

TR_FN bool tr_slab_is_whole(const struct tr_slab *slab)
{
    return slab->hi[0] - slab->lo[0] == TR_SLAB_X - 1;
}

/* The row of samples that begins at `row`, as a number for each lane; 0 outside the box. */
TR_FN void tr_slab_take(const struct tr_slab *slab, const int16_t *row, int *lanes)
{
    int16_t line[TR_SLAB_X] = {0};

    if (!tr_slab_is_whole(slab)) {
        memcpy(line + slab->lo[0] % TR_SLAB_X, row + slab->lo[0] % TR_SLAB_X,
               (size_t)(slab->hi[0] - slab->lo[0] + 1) * sizeof *row);
        row = line;
    }
    for (int i = 0; i < TR_SLAB_X; i++)
        lanes[i] = row[i];
}

/* Writes lanes back; samples outside the box are not touched. */
TR_FN void tr_slab_put(const struct tr_slab *slab, const int *lanes, int16_t *row)
{
    int16_t line[TR_SLAB_X];
    int16_t *to = tr_slab_is_whole(slab) ? row : line;

    for (int i = 0; i < TR_SLAB_X; i++)
        to[i] = (int16_t)lanes[i];
    if (to == line)
        memcpy(row + slab->lo[0] % TR_SLAB_X, line + slab->lo[0] % TR_SLAB_X,
               (size_t)(slab->hi[0] - slab->lo[0] + 1) * sizeof *row);
}

#endif
