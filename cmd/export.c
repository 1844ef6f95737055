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
    {"--profile", 0, TR_OPTION_CHOICE, "plain|engine|web", 0, 0,
     "glb: floats that every loader reads (plain, the default), 16 bits (engine), or these compressed (web)"},
    {"--splat", 0, TR_OPTION_CHOICE, "attribute|color|texture|none", 0, 0,
     "glb: splat weights as _SPLAT0 (the default), as COLOR_0, as a texture of each tile, or not at all"},
    {"--no-morph", 0, TR_OPTION_FLAG, NULL, 0, 0, "glb: no morph targets, though the pack has them"},
    {"--tiles-per-file", 0, TR_OPTION_WHOLE, "N", 1, TR_EXPORT_FILE_TILES_MAX,
     "glb: how many tiles go into one file; 4096 when not given. More make the output a folder"},
    {"--solid", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "close the world's sides and add a floor (obj, ply; stl does so unless --open)"},
    {"--open", 0, TR_OPTION_FLAG, NULL, 0, 0, "stl: the surface alone, open at the world's sides"},
    {"--base", 0, TR_OPTION_NUMBER, "METRES", 0.001, 1e6,
     "floor of a solid, below the lowest vertex; 4 voxels when not given"},
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

/* Which of the words of a choice, in the order of its enum; 0 when not given. */
static int choice(const struct tr_call *call, const char *option, const char *const *words)
{
    const char *given = tr_call_text(call, option, words[0]);
    int i = 0;
    while (strcmp(given, words[i]) != 0)
        i++;
    return i;
}

static enum tr_status read_solid(const struct tr_call *call, struct tr_export_options *how,
                                 struct tr_error *error)
{
    const bool is_solid = tr_call_has(call, "--solid"), is_open = tr_call_has(call, "--open");
    if (is_solid && is_open)
        return tr_fail(error, TR_USAGE, "--solid and --open exclude each other");
    if (is_solid && how->format == TR_EXPORT_GLB)
        return tr_fail(error, TR_USAGE, "--solid goes with obj, ply and stl");
    if (is_open && how->format != TR_EXPORT_STL)
        return tr_fail(error, TR_USAGE, "--open goes with stl: other formats are open unless --solid");
    how->solid = is_solid || (how->format == TR_EXPORT_STL && !is_open);
    if (tr_call_has(call, "--base") && !how->solid)
        return tr_fail(error, TR_USAGE, "--base goes with a solid");
    return TR_OK;
}

static enum tr_status read_glb(const struct tr_call *call, struct tr_export_options *how,
                               struct tr_error *error)
{
    static const char *const only[] = {"--profile", "--splat", "--no-morph", "--tiles-per-file"};
    static const char *const profiles[] = {"plain", "engine", "web"};
    static const char *const splats[] = {"attribute", "color", "texture", "none"};
    for (size_t i = 0; i < sizeof only / sizeof only[0]; i++) {
        if (how->format != TR_EXPORT_GLB && tr_call_has(call, only[i]))
            return tr_fail(error, TR_USAGE, "%s goes with glb", only[i]);
    }
    how->profile = (enum tr_export_profile)choice(call, "--profile", profiles);
    how->splat = (enum tr_export_splat)choice(call, "--splat", splats);
    how->no_morphs = tr_call_has(call, "--no-morph");
    how->file_tiles = (uint32_t)tr_call_number(call, "--tiles-per-file", 0);
    return TR_OK;
}

static enum tr_status read_options(const struct tr_call *call, const char *out, struct tr_export_options *how,
                                   struct tr_error *error)
{
    const char *named = tr_call_text(call, "--format", NULL);
    enum tr_status status;
    *how = (struct tr_export_options){.replace = tr_call_has(call, "--force"),
                                      .has_lod = tr_call_has(call, "--lod"),
                                      .lod = (uint32_t)tr_call_number(call, "--lod", 0)};
    if (named ? !tr_export_format_named(named, &how->format) : !tr_export_format_of(out, &how->format))
        return tr_fail(error, TR_USAGE,
                       "'%s' ends in no format known, expected .glb, .obj, .ply or .stl, or --format", out);
    status = read_solid(call, how, error);
    return status == TR_OK ? read_glb(call, how, error) : status;
}

static void print_result(const char *out, const struct tr_export_result *result)
{
    char triangles[32], vertices[32], size[32], files[32];
    fprintf(stderr, "%s: %s triangles, %s vertices, %s", tr_shown(out),
            tr_grouped(result->triangles, triangles), tr_grouped(result->vertices, vertices),
            tr_bytes_text(result->file_bytes, size));
    if (result->files > 1)
        fprintf(stderr, " in %s files", tr_grouped(result->files, files));
    if (result->step > 0)
        fprintf(stderr, ", step %.12g m%s", result->step,
                result->is_exact ? ", exact" : ": positions are rounded to it");
    fputc('\n', stderr);
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const char *out;
    struct tr_pack *pack = NULL;
    struct tr_export_options how;
    struct tr_export_result result;
    enum tr_status status = tr_need_output(call, &out, error);
    if (status == TR_OK)
        status = read_options(call, out, &how, error);
    if (status == TR_OK)
        status = tr_pack_open(call->arguments[0], &pack, error);
    if (status != TR_OK)
        return status;
    how.base = tr_call_number(call, "--base", 4 * pack->info.voxel_size);
    status = tr_export(pack, out, &how, &result, error);
    if (status == TR_OK && !tr_call_has(call, "--quiet"))
        print_result(out, &result);
    tr_pack_close(pack);
    return status;
}

const struct tr_command tr_command_export = {
    .name = "export",
    .usage = "PACK -o FILE",
    .summary = "write a mesh pack as GLB, OBJ, PLY or STL",
    .about =
        "Positions are metres, Y up. STL is a closed solid: walls at the world's sides and a floor.\n"
        "\n"
        "A window is written as it is, levels of detail and all. A pack of all levels (mesh --all-lods) "
        "holds\n"
        "the whole world at each of them: --lod says which is written.\n"
        "\n"
        "GLB has a node and a mesh a tile. Every loader reads --profile plain. In the others positions "
        "have 16\n"
        "bits, whole steps of one size for all tiles, a power of two that is printed, so that borders stay\n"
        "equal; the step is 1/256 voxel, and nothing is lost, unless the voxel size is no power of two or a\n"
        "tile is larger than 65,535 of them, as those of level 2 are. Geomorph targets become a morph "
        "target.\n"
        "A file holds up to 4,096 tiles (--tiles-per-file) and 2 GiB; for more the output is a folder of\n"
        "tiles-00001.glb and so on, which belong together.",
    .examples = "  terrain export world.tpack -o world.glb\n"
                "  terrain export world.tpack -o web.glb --profile web\n"
                "  terrain export world.tpack -o print.stl --base 20\n"
                "  terrain export all.tpack --lod 3 -o far.obj",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
