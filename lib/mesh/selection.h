/* Selection: which columns of tiles are meshed, at which level of detail.
 *
 * A column (lod, cx, cz) is a square of 2^lod x 2^lod chunks, cut at the world's edge. A window covers the world once, either at one LOD or by rings around a
 * focus; a pack of all LODs has every column of every LOD.
 *
 * Rings (the clipmap): ring 0 are the tiles of LOD 0 within `width` tiles of the one with the focus; ring r those of LOD r within `width` tiles of
 * ring r - 1, each ring widened to whole tiles of the next LOD; the last goes on to the world's edge. So neighbouring columns differ by at most one
 * LOD, and since the finer rings are rectangles within each other, no four columns around a corner alternate a, b, a, b: what the mesher
 * needs for a closed mesh. */
#ifndef TR_MESH_SELECTION_H
#define TR_MESH_SELECTION_H

#include "lib/mesh/tile_mesh.h"

#define TR_LOD_MAX 6
#define TR_LODS 7

struct tr_selection {
    int32_t size_x, size_z; /* the world, chunks */
    bool has_all;           /* every column of LOD 0 .. top */
    uint32_t least, top;    /* the LODs that occur */
    int64_t rings[TR_LODS]
                 [4]; /* rings[r], r < top: chunks x0, z0, x1, z1 (exclusive) that have LOD r or finer */
};

/* One LOD everywhere, 0 .. TR_LOD_MAX. */
void tr_selection_uniform(struct tr_selection *selection, int32_t size_x, int32_t size_z, uint32_t lod);
void tr_selection_all(struct tr_selection *selection, int32_t size_x, int32_t size_z, uint32_t top);
/* count rings, 1 .. TR_LODS, of LOD 0 .. count - 1; width in tiles, 1 .. 1024. The focus is a chunk, and may lie outside the world. */
void tr_selection_rings(struct tr_selection *selection, int32_t size_x, int32_t size_z, int32_t focus_cx,
                        int32_t focus_cz, uint32_t count, uint32_t width);

/* Columns of a LOD along an axis of `size` chunks. */
static inline int32_t tr_columns_along(int32_t size, uint32_t lod)
{
    return (int32_t)(((int64_t)size + (1 << lod) - 1) >> lod);
}

/* Whether the column, one of the world, is meshed. */
bool tr_selection_has(const struct tr_selection *selection, uint32_t lod, int32_t cx, int32_t cz);

/* The states (TR_SIDE_*) that each side of a selected column may have: in a window one; with all LODs `same`, and where there are such
 * columns `finer` and `coarser`. */
void tr_selection_states(const struct tr_selection *selection, uint32_t lod, int32_t cx, int32_t cz,
                         uint8_t states[TR_SIDES]);

#endif
