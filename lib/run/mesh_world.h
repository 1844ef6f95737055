/* `mesh` as a pipeline: every tile of a world, meshed at LOD 0 and written to a pack in order. */
#ifndef TR_RUN_MESH_WORLD_H
#define TR_RUN_MESH_WORLD_H

#include "lib/bake/bake.h"
#include "lib/pack/pack.h"
#include "lib/world/world.h"

struct tr_mesh_result {
    size_t tiles; /* not empty */
    uint64_t vertices, triangles;
};

enum tr_status tr_mesh_world(struct tr_bake *bake, const struct tr_world *world, size_t cache_bytes,
                             struct tr_pack_writer *writer, struct tr_mesh_result *result,
                             struct tr_error *error);

#endif
