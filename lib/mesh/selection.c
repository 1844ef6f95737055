/* See selection.h. */
#include "lib/mesh/selection.h"

#include "lib/world/coord.h"

void tr_selection_uniform(struct tr_selection *selection, int32_t size_x, int32_t size_z, uint32_t lod)
{
    *selection = (struct tr_selection){.size_x = size_x, .size_z = size_z, .least = lod, .top = lod};
}

void tr_selection_all(struct tr_selection *selection, int32_t size_x, int32_t size_z, uint32_t top)
{
    *selection =
        (struct tr_selection){.size_x = size_x, .size_z = size_z, .has_all = true, .least = 0, .top = top};
}

/* Widens lo..hi (chunks, exclusive) by `by` chunks and to multiples of `unit`. */
static void widen(int64_t *lo, int64_t *hi, int64_t by, int64_t unit)
{
    *lo = tr_floor_div(*lo - by, unit) * unit;
    *hi = tr_floor_div(*hi + by + unit - 1, unit) * unit;
}

void tr_selection_rings(struct tr_selection *selection, int32_t size_x, int32_t size_z, int32_t focus_cx,
                        int32_t focus_cz, uint32_t count, uint32_t width)
{
    *selection = (struct tr_selection){.size_x = size_x, .size_z = size_z, .top = count - 1};
    int64_t x0 = focus_cx, z0 = focus_cz, x1 = x0 + 1, z1 = z0 + 1;
    for (uint32_t r = 0; r + 1 < count; r++) {
        widen(&x0, &x1, (int64_t)width << r, (int64_t)2 << r);
        widen(&z0, &z1, (int64_t)width << r, (int64_t)2 << r);
        const int64_t ring[4] = {x0, z0, x1, z1};
        for (int i = 0; i < 4; i++)
            selection->rings[r][i] = ring[i];
    }
}

static bool is_within(const int64_t ring[4], int64_t x, int64_t z)
{
    return x >= ring[0] && z >= ring[1] && x < ring[2] && z < ring[3];
}

/* Of a window: the LOD of a chunk. */
static uint32_t lod_of_chunk(const struct tr_selection *selection, int64_t x, int64_t z)
{
    uint32_t lod = selection->least;
    while (lod < selection->top && !is_within(selection->rings[lod], x, z))
        lod++;
    return lod;
}

bool tr_selection_has(const struct tr_selection *selection, uint32_t lod, int32_t cx, int32_t cz)
{
    if (lod < selection->least || lod > selection->top)
        return false;
    return selection->has_all || lod_of_chunk(selection, (int64_t)cx << lod, (int64_t)cz << lod) == lod;
}

/* The states against the column beside it, which is one of the world. */
static uint8_t states_beside(const struct tr_selection *selection, uint32_t lod, int32_t cx, int32_t cz,
                             int32_t beside_x, int32_t beside_z)
{
    if (selection->has_all) {
        const bool are_siblings = beside_x >> 1 == cx >> 1 && beside_z >> 1 == cz >> 1;
        return (uint8_t)(TR_SIDE_SAME | (lod > 0 ? TR_SIDE_FINER : 0) |
                         (lod < selection->top && !are_siblings ? TR_SIDE_COARSER : 0));
    }
    /* the chunk of the column beside that touches this one's lowest corner there: all have one LOD, or are finer */
    const int64_t x = beside_x < cx ? ((int64_t)cx << lod) - 1 : (int64_t)beside_x << lod;
    const int64_t z = beside_z < cz ? ((int64_t)cz << lod) - 1 : (int64_t)beside_z << lod;
    const uint32_t other = lod_of_chunk(selection, x, z);
    return other < lod ? TR_SIDE_FINER : other > lod ? TR_SIDE_COARSER : TR_SIDE_SAME;
}

void tr_selection_states(const struct tr_selection *selection, uint32_t lod, int32_t cx, int32_t cz,
                         uint8_t states[TR_SIDES])
{
    static const int32_t steps[TR_SIDES][2] = {{-1, 0}, {1, 0}, {0, 0}, {0, 0}, {0, -1}, {0, 1}};
    const int32_t columns_x = tr_columns_along(selection->size_x, lod),
                  columns_z = tr_columns_along(selection->size_z, lod);
    for (int side = 0; side < TR_SIDES; side++) {
        const int32_t x = cx + steps[side][0], z = cz + steps[side][1];
        const bool is_level = side == 2 || side == 3;
        states[side] = is_level || x < 0 || z < 0 || x >= columns_x || z >= columns_z
                           ? TR_SIDE_SAME
                           : states_beside(selection, lod, cx, cz, x, z);
    }
}
