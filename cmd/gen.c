/* terrain gen: a world from elevation or noise. */
#include "cmd/common.h"
#include "lib/run/generate.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct tr_option options[] = {
    {"--dem", 0, TR_OPTION_TEXT, "FILE", 0, 0,
     "elevation: an Esri ASCII grid (.asc), metres, first row north"},
    {"--resample", 0, TR_OPTION_CHOICE, "nearest|bilinear|cubic", 0, 0,
     "how heights between those of --dem are made; cubic when not given"},
    {"--preset", 0, TR_OPTION_CHOICE, "hills|flat", 0, 0,
     "noise: hills (hills, ridges and fine detail) or a flat world at height 0"},
    {"--size", 0, TR_OPTION_TEXT, "WxD", 0, 0,
     "size in chunks of 64 voxels, east by south, for --preset; 4x4 when not given"},
    {"--seed", 0, TR_OPTION_TEXT, "N", 0, 0,
     "seed for --preset, 0 to 18446744073709551615; 0 when not given"},
    {"--voxel-size", 0, TR_OPTION_NUMBER, "METRES", 0.001, 100000, "edge of a voxel; 1 when not given"},
    TR_OPTION_OUT("WORLD"),
    TR_OPTION_FORCE,
    TR_OPTION_DEVICE,
    TR_OPTION_JOBS,
    TR_OPTION_VALIDATE,
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

static enum tr_status parse_size(const char *text, int32_t *width, int32_t *depth, struct tr_error *error)
{
    char *end;
    errno = 0;
    long w = strtol(text, &end, 10), d = 0;
    bool good =
        end != text && *end == 'x' && text[0] >= '0' && text[0] <= '9' && end[1] >= '0' && end[1] <= '9';
    if (good) {
        d = strtol(end + 1, &end, 10);
        good = *end == 0 && w >= 1 && d >= 1 && w < TR_CHUNK_INDEX_MAX && d < TR_CHUNK_INDEX_MAX &&
               errno == 0 && w * d <= 1000000;
    }
    if (!good)
        return tr_fail(error, TR_USAGE,
                       "--size is '%s', expected WxD chunks, at most 1,000,000 of them, like 4x4", text);
    *width = (int32_t)w;
    *depth = (int32_t)d;
    return TR_OK;
}

static enum tr_status parse_seed(const char *text, uint64_t *seed, struct tr_error *error)
{
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno)
        return tr_fail(error, TR_USAGE,
                       "--seed is '%s', expected a whole number from 0 to 18446744073709551615", text);
    return TR_OK;
}

static enum tr_status read_dem(const char *path, struct tr_dem *dem, struct tr_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    enum tr_status status = tr_file_read(path, TR_DEM_BYTES_MAX, &bytes, &size, error);
    if (status == TR_OK)
        status = tr_dem_parse((const char *)bytes, size, path, dem, error);
    free(bytes);
    return status;
}

static enum tr_dem_filter filter_of(const char *name)
{
    if (strcmp(name, "nearest") == 0)
        return TR_DEM_NEAREST;
    return strcmp(name, "bilinear") == 0 ? TR_DEM_BILINEAR : TR_DEM_CUBIC;
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const char *out, *dem_path = tr_call_text(call, "--dem", NULL),
                     *preset_name = tr_call_text(call, "--preset", NULL);
    double voxel_size = tr_call_number(call, "--voxel-size", 1);
    struct tr_dem dem = {0};
    struct tr_preset preset;
    struct tr_world_info info = {.voxel_size = voxel_size};
    struct tr_bake *bake = NULL;
    struct tr_world_build *build = NULL;
    struct tr_hash hash;
    enum tr_status status = tr_need_output(call, &out, error);
    if (status != TR_OK)
        return status;
    if (!dem_path == !preset_name)
        return tr_fail(error, TR_USAGE, "expected one of --dem FILE and --preset NAME");
    if (dem_path && (tr_call_has(call, "--size") || tr_call_has(call, "--seed")))
        return tr_fail(error, TR_USAGE, "--size and --seed go with --preset: elevation has its own size");
    if (preset_name && tr_call_has(call, "--resample"))
        return tr_fail(error, TR_USAGE, "--resample goes with --dem");
    if (dem_path) {
        status = read_dem(dem_path, &dem, error);
        if (status == TR_OK)
            status = tr_dem_world_info(&dem, voxel_size, dem_path, &info, error);
    } else {
        info.has_seed = true;
        status = parse_size(tr_call_text(call, "--size", "4x4"), &info.size_x, &info.size_z, error);
        if (status == TR_OK)
            status = parse_seed(tr_call_text(call, "--seed", "0"), &info.seed, error);
        info.extent[2] = 64.0 * info.size_x;
        info.extent[3] = 64.0 * info.size_z;
        snprintf(info.source, sizeof info.source, "preset %s", preset_name);
        tr_preset_make(preset_name, info.seed, voxel_size, &preset);
    }
    if (status != TR_OK)
        goto done;
    /* a sample of noise costs about eight of the edits that this is measured in */
    uint64_t work = preset_name ? 8 * 64ull * (uint64_t)info.size_x * 64ull * (uint64_t)info.size_z : 0;
    status = tr_world_build_create(out, &info, tr_call_has(call, "--force"), &build, error);
    if (status == TR_OK)
        status = tr_open_bake(call, work, &bake, error);
    if (status == TR_OK && dem_path)
        status = tr_generate_dem(bake->jobs, &info, &dem,
                                 filter_of(tr_call_text(call, "--resample", "cubic")), build, error);
    else if (status == TR_OK)
        status = tr_generate_noise(bake, &info, &preset, build, error);
    if (status == TR_OK)
        status = tr_world_build_commit(build, &hash, error);
    if (status == TR_OK && !tr_call_has(call, "--quiet")) {
        char text[33], wide[32], deep[32], voxel[32];
        tr_hash_text(hash, text);
        fprintf(stderr, "%s: %d x %d chunks, %s x %s, voxel %s, hash %s\n", tr_shown(out), info.size_x,
                info.size_z, tr_metres(64 * info.size_x * voxel_size, wide),
                tr_metres(64 * info.size_z * voxel_size, deep), tr_metres(voxel_size, voxel), text);
    }
done:
    tr_world_build_free(build);
    tr_bake_close(bake);
    tr_dem_release(&dem);
    return status;
}

const struct tr_command tr_command_gen = {
    .name = "gen",
    .usage = "--dem FILE | --preset NAME -o WORLD",
    .summary = "fill a new world from elevation or noise",
    .about = "A world is whole chunks of 64 x 64 voxels: beyond the elevation's last row and column its edge "
             "height repeats.",
    .examples = "  terrain gen --dem samples/maunga-whau.asc --voxel-size 2 -o world\n"
                "  terrain gen --preset hills --size 8x8 --seed 7 -o hills",
    .least = 0,
    .most = 0,
    .options = options,
    .run = run,
};
