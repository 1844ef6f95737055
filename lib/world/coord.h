/* Coordinates: voxels, chunks and blocks, units and metres. Y is up, right-handed; +X east, -Z north.
 *
 * Every sample has one owner: chunk (floor(x/64), floor(z/64)), block row floor(y/64). Divisions here are
 * floor divisions, which plain C division is not for negative numbers. */
#ifndef TR_WORLD_COORD_H
#define TR_WORLD_COORD_H

#include "shaders/shared.h"

#define TR_CHUNK_INDEX_MAX 1000000 /* |cx|, |cz| */
#define TR_BLOCK_ROW_MIN (-1024)
#define TR_BLOCK_ROW_MAX 1023
#define TR_BRUSH_RADIUS_MAX 100000.0 /* voxels */

static inline int64_t tr_floor_div(int64_t a, int64_t b) /* b > 0 */
{
    int64_t q = a / b;
    return q - (a % b < 0);
}

static inline int64_t tr_floor_mod(int64_t a, int64_t b) /* b > 0; in [0, b) */
{
    int64_t r = a % b;
    return r + (r < 0 ? b : 0);
}

/* Inclusive box of samples, in voxels. Empty where a lo exceeds its hi. */
struct tr_box {
    int64_t lo[3], hi[3]; /* x, y, z */
};

static inline bool tr_box_is_empty(const struct tr_box *box)
{
    return box->lo[0] > box->hi[0] || box->lo[1] > box->hi[1] || box->lo[2] > box->hi[2];
}

static inline struct tr_box tr_box_intersect(struct tr_box a, const struct tr_box *b)
{
    for (int i = 0; i < 3; i++) {
        a.lo[i] = a.lo[i] > b->lo[i] ? a.lo[i] : b->lo[i];
        a.hi[i] = a.hi[i] < b->hi[i] ? a.hi[i] : b->hi[i];
    }
    return a;
}

static inline bool tr_box_meets(const struct tr_box *a, const struct tr_box *b)
{
    struct tr_box both = tr_box_intersect(*a, b);
    return !tr_box_is_empty(&both);
}

/* floor(v * 256 + 1/2), clamped to +-limit before converting; v in voxels, finite. */
static inline int32_t tr_units_from_voxels(double v, int32_t limit)
{
    double u = v * 256.0 + 0.5;
    if (u >= (double)limit)
        return limit;
    if (u <= (double)-limit)
        return -limit;
    int64_t i = (int64_t)u; /* toward zero */
    return (int32_t)(i - ((double)i > u));
}

#endif
