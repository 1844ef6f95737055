/* Everything `terrain verify PACK` says of a pack: the format, and that its meshes are closed over the whole window. */
#ifndef TR_PACK_PACK_CHECK_H
#define TR_PACK_PACK_CHECK_H

#include "lib/mesh/check.h"
#include "lib/pack/pack.h"

struct tr_pack_report {
    struct tr_check_result mesh;
    bool hash_matches;
    uint64_t bad_indices,
        out_of_bounds; /* vertices outside the tile's stated bounds, 1 where these are too wide */
};
/* True in *good when there is no defect. */
enum tr_status tr_pack_verify(const struct tr_pack *pack, struct tr_pack_report *report, bool *good,
                              struct tr_error *error);

#endif
