/* terrain mesh: a world's surface as a mesh pack. */
#include "cmd/common.h"
#include "lib/run/mesh_world.h"
#include <string.h>

static const struct tr_option options[] = {
    TR_OPTION_OUT("PACK"), TR_OPTION_FORCE,    TR_OPTION_DEVICE, TR_OPTION_JOBS,
    TR_OPTION_MEMORY,      TR_OPTION_VALIDATE, TR_OPTION_QUIET,  TR_OPTION_END,
};

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const char *out;
    struct tr_world *world = NULL;
    struct tr_pack_writer *writer = NULL;
    struct tr_bake *bake = NULL;
    struct tr_mesh_result result;
    struct tr_hash hash;
    enum tr_status status = tr_need_output(call, &out, error);
    if (status == TR_OK)
        status = tr_check_extension(call, out, "tpack", "mesh packs (export makes other formats)", error);
    if (status == TR_OK)
        status = tr_world_open(call->arguments[0], &world, error);
    if (status != TR_OK)
        return status;
    const struct tr_world_info *info = &world->info;
    struct tr_pack_info pack_info = {info->size_x, info->size_z, info->voxel_size, world->hash};
    uint64_t cells = (uint64_t)info->size_x * (uint64_t)info->size_z * TR_BLOCK_SAMPLES;
    status = tr_pack_writer_create(out, &pack_info, tr_call_has(call, "--force"), &writer, error);
    if (status == TR_OK)
        status = tr_open_bake(call, cells, &bake, error);
    if (status == TR_OK)
        status = tr_mesh_world(bake, world, tr_cache_bytes(call), writer, &result, error);
    if (status == TR_OK)
        status = tr_pack_writer_commit(writer, &hash, error);
    if (status == TR_OK && !tr_call_has(call, "--quiet")) {
        char text[33], triangles[32], vertices[32];
        tr_hash_text(hash, text);
        fprintf(stderr, "%s: %zu tiles, %s triangles, %s vertices, hash %s\n", tr_shown(out), result.tiles,
                tr_grouped(result.triangles, triangles), tr_grouped(result.vertices, vertices), text);
    }
    tr_pack_writer_free(writer);
    tr_bake_close(bake);
    tr_world_close(world);
    return status;
}

const struct tr_command tr_command_mesh = {
    .name = "mesh",
    .usage = "WORLD -o PACK",
    .summary = "extract the surface of a world as a mesh pack",
    .about = "The mesh is closed but for the world's sides, has one vertex for each crossed cell edge, and "
             "normals that agree on\n"
             "both sides of every border.",
    .examples = "  terrain mesh world -o world.tpack",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
