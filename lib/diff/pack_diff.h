/* Which tiles of two mesh packs differ. */
#ifndef TR_DIFF_PACK_DIFF_H
#define TR_DIFF_PACK_DIFF_H

#include "lib/pack/pack.h"

struct tr_tile_diff {
    int32_t cx, cy, cz;
    uint32_t lod;
    uint32_t triangles_a, triangles_b; /* for all neighbourhoods; 0 where that pack has no such tile */
};

struct tr_pack_diff {
    bool
        equal; /* packs of different form, or of worlds whose size or voxel size differs, are not, even with equal tiles */
    struct tr_tile_diff *tiles; /* in the packs' order */
    size_t count;
};

enum tr_status tr_pack_diff(const struct tr_pack *a, const struct tr_pack *b, struct tr_pack_diff *diff,
                            struct tr_error *error);
void tr_pack_diff_release(struct tr_pack_diff *diff);

#endif
