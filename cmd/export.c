/* terrain export: a mesh pack in a format that other programs read. */
#include "cmd/common.h"
#include "lib/mesh/selection.h"
#include "lib/pack/export.h"
#include <string.h>

static const struct tr_option options[] = {
    TR_OPTION_OUT("FILE"),
    TR_OPTION_FORCE,
    {"--format", 0, TR_OPTION_CHOICE, "glb|obj|ply|stl", 0, 0,
     "instead of the one that the output's name ends in"},
    {"--lod", 0, TR_OPTION_WHOLE, "K", 0, TR_LOD_MAX,
     "of a pack of all levels of detail: which one; info lists them"},
    {"--solid", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "close the world's sides and add a floor (obj, ply; stl does so unless --open)"},
    {"--open", 0, TR_OPTION_FLAG, NULL, 0, 0, "stl: the surface alone, open at the world's sides"},
    {"--base", 0, TR_OPTION_NUMBER, "METRES", 0.001, 1e6,
     "floor of a solid, below the lowest vertex; 4 voxels when not given"},
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const char *out, *named = tr_call_text(call, "--format", NULL);
    struct tr_pack *pack = NULL;
    struct tr_export_options how = {.replace = tr_call_has(call, "--force"),
                                    .has_lod = tr_call_has(call, "--lod"),
                                    .lod = (uint32_t)tr_call_number(call, "--lod", 0)};
    struct tr_export_result result;
    enum tr_status status = tr_need_output(call, &out, error);
    if (status != TR_OK)
        return status;
    if (named ? !tr_export_format_named(named, &how.format) : !tr_export_format_of(out, &how.format))
        return tr_fail(error, TR_USAGE,
                       "'%s' ends in no format known, expected .glb, .obj, .ply or .stl, or --format", out);
    if (tr_call_has(call, "--solid") && tr_call_has(call, "--open"))
        return tr_fail(error, TR_USAGE, "--solid and --open exclude each other");
    if (tr_call_has(call, "--solid") && how.format == TR_EXPORT_GLB)
        return tr_fail(error, TR_USAGE, "--solid goes with obj, ply and stl");
    if (tr_call_has(call, "--open") && how.format != TR_EXPORT_STL)
        return tr_fail(error, TR_USAGE, "--open goes with stl: other formats are open unless --solid");
    how.solid = tr_call_has(call, "--solid") || (how.format == TR_EXPORT_STL && !tr_call_has(call, "--open"));
    if (tr_call_has(call, "--base") && !how.solid)
        return tr_fail(error, TR_USAGE, "--base goes with a solid");
    status = tr_pack_open(call->arguments[0], &pack, error);
    if (status != TR_OK)
        return status;
    how.base = tr_call_number(call, "--base", 4 * pack->info.voxel_size);
    status = tr_export(pack, out, &how, &result, error);
    if (status == TR_OK && !tr_call_has(call, "--quiet")) {
        char triangles[32], vertices[32], size[32];
        fprintf(stderr, "%s: %s triangles, %s vertices, %s\n", tr_shown(out),
                tr_grouped(result.triangles, triangles), tr_grouped(result.vertices, vertices),
                tr_bytes_text(result.file_bytes, size));
    }
    tr_pack_close(pack);
    return status;
}

const struct tr_command tr_command_export = {
    .name = "export",
    .usage = "PACK -o FILE",
    .summary = "write a mesh pack as GLB, OBJ, PLY or STL",
    .about = "Positions are metres, Y up. STL is a closed solid: walls at the world's sides and a floor.\n"
             "\n"
             "A window is written as it is, levels of detail and all. A pack of all levels (mesh --all-lods) "
             "holds\n"
             "the whole world at each of them: --lod says which is written.",
    .examples = "  terrain export world.tpack -o world.glb\n"
                "  terrain export world.tpack -o print.stl --base 20\n"
                "  terrain export all.tpack --lod 3 -o far.obj",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
