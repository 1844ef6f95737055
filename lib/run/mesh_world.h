/* `mesh` as a pipeline: the tiles of a selection, from the finest level to the coarsest, written to a pack.
 *
 * LOD 0 comes from the device; each coarser level is selected from the one below (lib/mesh/lattice.h, height_tile.h), so the world is read
 * once, besides the survey of what is sculpted. The order of the work, and with it the pack, does not depend on jobs or device. */
#ifndef TR_RUN_MESH_WORLD_H
#define TR_RUN_MESH_WORLD_H

#include "lib/bake/bake.h"
#include "lib/base/progress.h"
#include "lib/mesh/selection.h"
#include "lib/pack/pack.h"
#include "lib/world/world.h"

struct tr_mesh_options {
    struct tr_selection selection;
    bool wants_targets; /* geomorph targets, for all levels below TR_LOD_MAX */
    size_t cache_bytes;
    const struct tr_progress *progress; /* chunks; NULL: none */
};

struct tr_mesh_result {
    struct {
        size_t tiles; /* not empty */
        uint64_t vertices, triangles;
        uint32_t error; /* units, the greatest */
    } lods[TR_LODS];
};

enum tr_status tr_mesh_world(struct tr_bake *bake, const struct tr_world *world,
                             const struct tr_mesh_options *options, struct tr_pack_writer *writer,
                             struct tr_mesh_result *result, struct tr_error *error);

#endif
