/* terrain mesh: a world's surface as a mesh pack, at one level of detail, in rings around a focus, or at all levels. */
#include "cmd/common.h"
#include "cmd/progress.h"
#include "lib/run/mesh_world.h"
#include <math.h>

static const struct tr_option options[] = {
    TR_OPTION_OUT("PACK"),
    TR_OPTION_FORCE,
    {"--lod", 0, TR_OPTION_WHOLE, "K", 0, TR_LOD_MAX,
     "the level of detail, 0 (every sample, the default) to 6 (every 64th)"},
    {"--focus", 0, TR_OPTION_TEXT, "X,Z", 0, 0, "rings of levels around this place, in metres"},
    {"--rings", 0, TR_OPTION_WHOLE, "N", 1, TR_LODS, "how many rings, LOD 0 to N - 1; 4 when not given"},
    {"--ring-width", 0, TR_OPTION_WHOLE, "W", 1, 1024, "how wide a ring is, in its tiles; 2 when not given"},
    {"--all-lods", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "every tile of every level, for engines that choose while running"},
    {"--morph", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "geomorph targets with --lod too; rings and --all-lods have them"},
    TR_OPTION_DEVICE,
    TR_OPTION_JOBS,
    TR_OPTION_MEMORY,
    TR_OPTION_VALIDATE,
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

/* The chunk that holds a place; the selection allows one outside the world. */
static int32_t chunk_of(double metres, double voxel_size)
{
    const double chunk = floor(metres / (voxel_size * TR_CHUNK));
    return chunk < -2e6 ? -2000000 : chunk > 2e6 ? 2000000 : (int32_t)chunk;
}

static enum tr_status select_rings(const struct tr_call *call, const struct tr_world_info *info,
                                   struct tr_selection *selection, struct tr_error *error)
{
    const char *text = tr_call_text(call, "--focus", NULL);
    double at[2];
    if (tr_parse_point(text, at, 2) != 2)
        return tr_fail(error, TR_USAGE, "--focus is '%s', expected X,Z in metres", text);
    tr_selection_rings(selection, info->size_x, info->size_z, chunk_of(at[0], info->voxel_size),
                       chunk_of(at[1], info->voxel_size), (uint32_t)tr_call_number(call, "--rings", 4),
                       (uint32_t)tr_call_number(call, "--ring-width", 2));
    return TR_OK;
}

/* The finest level that has the world in one tile: coarser ones would be the same tile with less in it. */
static uint32_t coarsest_lod(const struct tr_world_info *info)
{
    const int32_t size = info->size_x > info->size_z ? info->size_x : info->size_z;
    uint32_t lod = 0;
    while (lod < TR_LOD_MAX && 1 << lod < size)
        lod++;
    return lod;
}

static enum tr_status select_columns(const struct tr_call *call, const struct tr_world_info *info,
                                     struct tr_mesh_options *mesh, struct tr_error *error)
{
    const bool has_focus = tr_call_has(call, "--focus"), has_all = tr_call_has(call, "--all-lods"),
               has_lod = tr_call_has(call, "--lod");
    if (has_focus + has_all + has_lod > 1)
        return tr_fail(error, TR_USAGE, "--lod, --focus and --all-lods exclude each other");
    for (int i = 0; i < 2 && !has_focus; i++) {
        const char *name = i ? "--ring-width" : "--rings";
        if (tr_call_has(call, name))
            return tr_fail(error, TR_USAGE, "%s needs --focus X,Z", name);
    }
    mesh->wants_targets = has_focus || has_all || tr_call_has(call, "--morph");
    if (has_focus)
        return select_rings(call, info, &mesh->selection, error);
    if (has_all)
        tr_selection_all(&mesh->selection, info->size_x, info->size_z, coarsest_lod(info));
    else
        tr_selection_uniform(&mesh->selection, info->size_x, info->size_z,
                             (uint32_t)tr_call_number(call, "--lod", 0));
    return TR_OK;
}

static void print_result(const char *out, const struct tr_mesh_result *result, double voxel_size,
                         struct tr_hash hash)
{
    char text[33], triangles[32], vertices[32], metres[32];
    struct tr_mesh_result sum = {0};
    int levels = 0;
    for (int lod = 0; lod < TR_LODS; lod++) {
        sum.lods[0].tiles += result->lods[lod].tiles;
        sum.lods[0].vertices += result->lods[lod].vertices;
        sum.lods[0].triangles += result->lods[lod].triangles;
        levels += result->lods[lod].tiles > 0;
    }
    tr_hash_text(hash, text);
    fprintf(stderr, "%s: %zu tiles, %s triangles, %s vertices, hash %s\n", tr_shown(out), sum.lods[0].tiles,
            tr_grouped(sum.lods[0].triangles, triangles), tr_grouped(sum.lods[0].vertices, vertices), text);
    for (int lod = 0; lod < TR_LODS && levels > 1; lod++) {
        const double error_m = result->lods[lod].error * voxel_size / TR_UNITS;
        if (result->lods[lod].tiles == 0)
            continue;
        fprintf(stderr, "  LOD %d: %zu tiles, %s triangles", lod, result->lods[lod].tiles,
                tr_grouped(result->lods[lod].triangles, triangles));
        fprintf(stderr, lod > 0 ? ", at most %s off LOD 0\n" : "\n", tr_metres(error_m, metres));
    }
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const char *out;
    struct tr_world *world = NULL;
    struct tr_pack_writer *writer = NULL;
    struct tr_bake *bake = NULL;
    struct tr_terminal terminal;
    struct tr_mesh_options mesh = {.cache_bytes = tr_cache_bytes(call)};
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
    status = select_columns(call, info, &mesh, error);
    struct tr_pack_info pack_info = {.size_x = info->size_x,
                                     .size_z = info->size_z,
                                     .form = mesh.selection.has_all ? TR_PACK_ALL_LODS : TR_PACK_WINDOW,
                                     .voxel_size = info->voxel_size,
                                     .world_hash = world->hash};
    uint64_t cells = (uint64_t)info->size_x * (uint64_t)info->size_z * TR_BLOCK_SAMPLES;
    if (status == TR_OK)
        status = tr_pack_writer_create(out, &pack_info, tr_call_has(call, "--force"), &writer, error);
    if (status == TR_OK)
        status = tr_open_bake(call, cells, &bake, error);
    if (status == TR_OK) {
        tr_terminal_begin(&terminal, call, "meshing");
        mesh.progress = &terminal.progress;
        status = tr_mesh_world(bake, world, &mesh, writer, &result, error);
        tr_terminal_end(&terminal);
    }
    if (status == TR_OK)
        status = tr_pack_writer_commit(writer, &hash, error);
    if (status == TR_OK && !tr_call_has(call, "--quiet"))
        print_result(out, &result, info->voxel_size, hash);
    tr_pack_writer_free(writer);
    tr_bake_close(bake);
    tr_world_close(world);
    return status;
}

const struct tr_command tr_command_mesh = {
    .name = "mesh",
    .usage = "WORLD -o PACK",
    .summary = "extract the surface of a world as a mesh pack",
    .about =
        "The mesh is closed but for the world's sides, at every level of detail and between levels, and its\n"
        "normals agree on both sides of every border. Columns that were never sculpted become grids, the\n"
        "others marching cubes. LOD K uses every 2^K-th sample.\n"
        "\n"
        "With --focus the levels lie in rings: LOD 0 around the focus, coarser ones outside, the last up to\n"
        "the world's edge. With --all-lods the pack holds every tile of every level, up to the one that "
        "needs a\n"
        "single tile, with triangles for each neighbourhood that it may stand in.",
    .examples = "  terrain mesh world -o world.tpack\n"
                "  terrain mesh world -o far.tpack --lod 3\n"
                "  terrain mesh world -o rings.tpack --focus 512,512 --rings 5 --ring-width 2",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
