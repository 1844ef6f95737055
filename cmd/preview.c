/* terrain preview: a world as a map or a slice, a mesh pack in perspective. */
#include "cmd/common.h"
#include "lib/base/json.h"
#include "lib/mesh/selection.h"
#include "lib/run/perspective.h"
#include <math.h>
#include <string.h>

static const struct tr_option options[] = {
    TR_OPTION_OUT("PNG"),
    TR_OPTION_FORCE,
    {"--slice", 0, TR_OPTION_TEXT, "x=M|z=M", 0, 0,
     "a world: a vertical cut at M metres east (x) or south (z) of the north-west corner, instead of the "
     "relief"},
    {"--scale", 0, TR_OPTION_NUMBER, "PIXELS", 0.01, 64,
     "a world: pixels a voxel; as many as make about 1000 pixels when not given"},
    {"--size", 0, TR_OPTION_TEXT, "WxH", 0, 0, "a pack: the picture's pixels; 1280x800 when not given"},
    {"--from", 0, TR_OPTION_TEXT, "X,Y,Z", 0, 0,
     "a pack: the eye, in metres; south-east above when not given, far enough away to see the whole mesh"},
    {"--look-at", 0, TR_OPTION_TEXT, "X,Y,Z", 0, 0,
     "a pack: what is in the picture's middle, in metres; the mesh's middle when not given"},
    {"--fov", 0, TR_OPTION_NUMBER, "DEGREES", TR_VIEW_FOV_MIN, TR_VIEW_FOV_MAX,
     "a pack: the height of what is seen; 35 when not given"},
    {"--sun", 0, TR_OPTION_TEXT, "AZ,EL", 0, 0,
     "a pack: the sun, in degrees clockwise from north and above the horizon; 240,32 when not given"},
    {"--wireframe", 0, TR_OPTION_FLAG, NULL, 0, 0, "a pack: draw the triangles' edges"},
    {"--lod-colors", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "a pack: a colour for each level of detail, transitions lighter, instead of materials"},
    {"--lod", 0, TR_OPTION_WHOLE, "K", 0, TR_LOD_MAX,
     "a pack of all levels of detail: which one; its finest when not given"},
    TR_OPTION_JOBS,
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

static enum tr_status parse_slice(const char *text, char *axis, double *at, struct tr_error *error)
{
    *axis = text[0];
    if ((text[0] != 'x' && text[0] != 'z') || text[1] != '=' ||
        !tr_number_parse(text + 2, strlen(text + 2), at))
        return tr_fail(error, TR_USAGE, "--slice is '%s', expected x=METRES or z=METRES", text);
    return TR_OK;
}

static enum tr_status draw_world(const struct tr_call *call, struct tr_jobs *jobs, struct tr_picture *picture,
                                 struct tr_error *error)
{
    const char *slice = tr_call_text(call, "--slice", NULL);
    char axis = 0;
    double at = 0, scale = tr_call_number(call, "--scale", 0);
    struct tr_world *world = NULL;
    enum tr_status status = slice ? parse_slice(slice, &axis, &at, error) : TR_OK;
    if (status == TR_OK)
        status = tr_world_open(call->arguments[0], &world, error);
    if (status == TR_OK)
        status = slice ? tr_preview_slice(jobs, world, axis, at, scale, picture, error)
                       : tr_preview_relief(jobs, world, scale, picture, error);
    tr_world_close(world);
    return status;
}

static enum tr_status parse_size(const char *text, struct tr_view *view, struct tr_error *error)
{
    double size[2];
    size_t digits = strcspn(text, "x");
    if (text[digits] != 'x' || !tr_number_parse(text, digits, &size[0]) ||
        !tr_number_parse(text + digits + 1, strlen(text + digits + 1), &size[1]))
        return tr_fail(error, TR_USAGE, "--size is '%s', expected WxH in pixels", text);
    for (int i = 0; i < 2; i++)
        if (!(size[i] >= 1 && size[i] <= TR_VIEW_SIDE_MAX) || floor(size[i]) != size[i])
            return tr_fail(error, TR_USAGE, "--size is '%s', expected whole numbers from 1 to %d", text,
                           TR_VIEW_SIDE_MAX);
    view->width = (uint32_t)size[0];
    view->height = (uint32_t)size[1];
    return TR_OK;
}

/* A place in metres, when the option is given. */
static enum tr_status parse_place(const struct tr_call *call, const char *option, double place[3],
                                  bool *given, struct tr_error *error)
{
    const char *text = tr_call_text(call, option, NULL);
    *given = text;
    if (text && tr_parse_point(text, place, 3) != 3)
        return tr_fail(error, TR_USAGE, "%s is '%s', expected X,Y,Z in metres", option, text);
    return TR_OK;
}

static enum tr_status parse_sun(const char *text, struct tr_view *view, struct tr_error *error)
{
    double sun[2];
    if (tr_parse_point(text, sun, 2) != 2)
        return tr_fail(error, TR_USAGE, "--sun is '%s', expected AZIMUTH,ELEVATION in degrees", text);
    if (!(fabs(sun[0]) <= 360) || !(sun[1] >= TR_VIEW_SUN_MIN && sun[1] <= 90))
        return tr_fail(error, TR_USAGE,
                       "--sun is '%s', expected an azimuth of -360 to 360 and an elevation of %g to 90", text,
                       TR_VIEW_SUN_MIN);
    view->sun_azimuth = sun[0];
    view->sun_elevation = sun[1];
    return TR_OK;
}

static enum tr_status parse_view(const struct tr_call *call, struct tr_view *view, struct tr_error *error)
{
    const char *size = tr_call_text(call, "--size", NULL), *sun = tr_call_text(call, "--sun", NULL);
    enum tr_status status = TR_OK;
    tr_view_init(view);
    view->fov = tr_call_number(call, "--fov", view->fov);
    view->wireframe = tr_call_has(call, "--wireframe");
    view->lod_colors = tr_call_has(call, "--lod-colors");
    view->has_lod = tr_call_has(call, "--lod");
    view->lod = (uint32_t)tr_call_number(call, "--lod", 0);
    if (size)
        status = parse_size(size, view, error);
    if (status == TR_OK)
        status = parse_place(call, "--from", view->from, &view->has_from, error);
    if (status == TR_OK)
        status = parse_place(call, "--look-at", view->look_at, &view->has_look_at, error);
    if (status == TR_OK && sun)
        status = parse_sun(sun, view, error);
    return status;
}

static enum tr_status draw_pack(const struct tr_call *call, struct tr_jobs *jobs, struct tr_picture *picture,
                                struct tr_error *error)
{
    struct tr_view view;
    struct tr_pack *pack = NULL;
    enum tr_status status = parse_view(call, &view, error);
    if (status == TR_OK)
        status = tr_pack_open(call->arguments[0], &pack, error);
    if (status == TR_OK)
        status = tr_preview_perspective(jobs, pack, &view, picture, error);
    tr_pack_close(pack);
    return status;
}

/* Options that go with the other kind of input are refused, not passed over. */
static enum tr_status check_options(const struct tr_call *call, enum tr_kind kind, struct tr_error *error)
{
    static const char *const of_world[] = {"--slice", "--scale", NULL};
    static const char *const of_pack[] = {"--size",      "--from",       "--look-at", "--fov", "--sun",
                                          "--wireframe", "--lod-colors", "--lod",     NULL};
    for (const char *const *name = kind == TR_KIND_WORLD ? of_pack : of_world; *name; name++)
        if (tr_call_has(call, *name))
            return tr_fail(error, TR_USAGE, "%s goes with a %s, but '%s' is a %s", *name,
                           kind == TR_KIND_WORLD ? "mesh pack" : "world", call->arguments[0],
                           kind == TR_KIND_WORLD ? "world" : "mesh pack");
    return TR_OK;
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const char *out;
    enum tr_kind kind;
    struct tr_jobs *jobs = NULL;
    struct tr_picture picture = {0};
    enum tr_status status = tr_need_output(call, &out, error);
    if (status == TR_OK)
        status = tr_check_extension(call, out, "png", "PNG pictures", error);
    if (status == TR_OK)
        status = tr_find_kind(call->arguments[0], &kind, error);
    if (status == TR_OK)
        status = check_options(call, kind, error);
    if (status == TR_OK)
        status = tr_jobs_create((int)tr_call_number(call, "--jobs", 0), &jobs, error);
    if (status == TR_OK)
        status = kind == TR_KIND_WORLD ? draw_world(call, jobs, &picture, error)
                                       : draw_pack(call, jobs, &picture, error);
    if (status == TR_OK)
        status = tr_picture_write(&picture, out, tr_call_has(call, "--force"), error);
    if (status == TR_OK && !tr_call_has(call, "--quiet"))
        fprintf(stderr, "%s: %u x %u pixels\n", tr_shown(out), picture.width, picture.height);
    tr_picture_release(&picture);
    tr_jobs_free(jobs);
    return status;
}

const struct tr_command tr_command_preview = {
    .name = "preview",
    .usage = "WORLD|PACK -o PNG",
    .summary = "draw a world as shaded relief or a slice, a mesh pack in perspective",
    .about =
        "A pack is drawn with sun and shadow, in the materials of its splat weights, its sides as cut "
        "ground.\n"
        "--wireframe and --lod-colors show how it is made: triangles, levels of detail, and where they meet.",
    .examples = "  terrain preview world -o relief.png\n"
                "  terrain preview world --slice z=420 -o cave.png\n"
                "  terrain preview world.tpack -o view.png\n"
                "  terrain preview rings.tpack --lod-colors --wireframe --from 300,260,900 -o seams.png",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
