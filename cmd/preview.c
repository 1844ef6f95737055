/* terrain preview: a world as a picture. */
#include "cmd/common.h"
#include "lib/base/json.h"
#include "lib/run/preview.h"
#include <string.h>

static const struct tr_option options[] = {
    TR_OPTION_OUT("PNG"),
    TR_OPTION_FORCE,
    {"--slice", 0, TR_OPTION_TEXT, "x=M|z=M", 0, 0,
     "a vertical cut at M metres east (x) or south (z) of the north-west corner, instead of the relief"},
    {"--scale", 0, TR_OPTION_NUMBER, "PIXELS", 0.01, 64,
     "pixels a voxel; as many as make about 1000 pixels when not given"},
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

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const char *out, *slice = tr_call_text(call, "--slice", NULL);
    char axis = 0;
    double at = 0, scale = tr_call_number(call, "--scale", 0);
    struct tr_world *world = NULL;
    struct tr_jobs *jobs = NULL;
    struct tr_picture picture = {0};
    enum tr_status status = tr_need_output(call, &out, error);
    if (status == TR_OK)
        status = tr_check_extension(call, out, "png", "PNG pictures", error);
    if (status == TR_OK && slice)
        status = parse_slice(slice, &axis, &at, error);
    if (status == TR_OK)
        status = tr_world_open(call->arguments[0], &world, error);
    if (status == TR_OK)
        status = tr_jobs_create((int)tr_call_number(call, "--jobs", 0), &jobs, error);
    if (status == TR_OK)
        status = slice ? tr_preview_slice(jobs, world, axis, at, scale, &picture, error)
                       : tr_preview_relief(jobs, world, scale, &picture, error);
    if (status == TR_OK)
        status = tr_picture_write(&picture, out, tr_call_has(call, "--force"), error);
    if (status == TR_OK && !tr_call_has(call, "--quiet"))
        fprintf(stderr, "%s: %u x %u pixels\n", tr_shown(out), picture.width, picture.height);
    tr_picture_release(&picture);
    tr_jobs_free(jobs);
    tr_world_close(world);
    return status;
}

const struct tr_command tr_command_preview = {
    .name = "preview",
    .usage = "WORLD -o PNG",
    .summary = "draw a world: shaded relief from above, or a slice",
    .examples = "  terrain preview world -o relief.png\n  terrain preview world --slice z=420 -o cave.png",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
