/* The replay as a whole: planning, reading chunks, making slots, the device, and the hash of what came out. */
#include "cmd/bench.h"
#include "lib/base/alloc.h"
#include "lib/run/generate.h"
#include "lib/run/replay.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 32     /* chunks of the world along x and z */
#define BLEND 2.0   /* voxels */
#define GROUND 64.0 /* spheres lie this far around height 0, where the hills are */

enum tr_status tr_bench_sphere(uint64_t number, const double at[3], double radius, struct tr_edit *edit,
                               struct tr_error *error)
{
    *edit = (struct tr_edit){.op = number % 2 ? TR_EDIT_SUBTRACT : TR_EDIT_UNION,
                             .blend = {.kind = TR_BLEND_SMOOTH, .width_m = BLEND}};
    edit->shape.nodes = tr_alloc(1, sizeof *edit->shape.nodes, error);
    if (!edit->shape.nodes)
        return TR_IO;
    edit->shape.count = edit->shape.capacity = 1;
    edit->shape.nodes[0] =
        (struct tr_shape_node){.kind = TR_SHAPE_SPHERE, .values = {at[0], at[1], at[2], radius}};
    snprintf(edit->id, sizeof edit->id, "s%llu", (unsigned long long)number);
    return tr_edit_resolve(edit, 1.0, "bench", error);
}

/* Rows of the box along x, each cut by the sphere of what is within reach. */
uint64_t tr_bench_touched(const double at[3], double radius, const struct tr_box *box)
{
    double reach = radius + TR_SHAPE_BAND + BLEND;
    uint64_t touched = 0;
    int64_t lo[3], hi[3];
    for (int i = 0; i < 3; i++) {
        lo[i] = (int64_t)ceil(at[i] - reach);
        hi[i] = (int64_t)floor(at[i] + reach);
        lo[i] = lo[i] < box->lo[i] ? box->lo[i] : lo[i];
        hi[i] = hi[i] > box->hi[i] ? box->hi[i] : hi[i];
    }
    for (int64_t y = lo[1]; y <= hi[1]; y++)
        for (int64_t z = lo[2]; z <= hi[2]; z++) {
            double dy = (double)y - at[1], dz = (double)z - at[2];
            double left = reach * reach - dy * dy - dz * dz;
            if (left < 0)
                continue;
            int64_t first = (int64_t)ceil(at[0] - sqrt(left)), last = (int64_t)floor(at[0] + sqrt(left));
            first = first < lo[0] ? lo[0] : first;
            last = last > hi[0] ? hi[0] : last;
            touched += last >= first ? (uint64_t)(last - first + 1) : 0;
        }
    return touched;
}

static enum tr_status make_world(struct tr_bench *bench, const char *path, struct tr_error *error)
{
    const struct tr_world_info info = {.size_x = SIDE,
                                       .size_z = SIDE,
                                       .voxel_size = 1.0,
                                       .extent = {0, 0, SIDE * TR_CHUNK, SIDE * TR_CHUNK}};
    struct tr_world_build *build = NULL;
    struct tr_preset preset;
    struct tr_hash hash;
    tr_preset_make("hills", 1, 1, &preset);
    enum tr_status status = tr_world_build_create(path, &info, false, &build, error);
    if (status == TR_OK)
        status = tr_generate_noise(bench->bake, &info, &preset, build, error);
    if (status == TR_OK)
        status = tr_world_build_commit(build, &hash, error);
    tr_world_build_free(build);
    return status;
}

static enum tr_status make_log(struct tr_bench *bench, const struct tr_box *box, struct tr_log *log,
                               uint64_t *touched, struct tr_error *error)
{
    uint64_t state = 1;
    enum tr_status status = tr_grow(&log->edits, &log->capacity, bench->edits, sizeof *log->edits, error);
    for (size_t i = 0; i < bench->edits && status == TR_OK; i++) {
        double at[3], radius;
        at[0] = SIDE * TR_CHUNK * tr_bench_random(&state);
        at[1] = GROUND * (2 * tr_bench_random(&state) - 1);
        at[2] = SIDE * TR_CHUNK * tr_bench_random(&state);
        radius = 4 + 16 * tr_bench_random(&state);
        *touched += tr_bench_touched(at, radius, box);
        status = tr_bench_sphere(i, at, radius, &log->edits[i], error);
        log->count = i + 1;
    }
    return status;
}

static enum tr_status replay(struct tr_bench *bench, const char *path, struct tr_error *error)
{
    struct tr_world *world = NULL;
    struct tr_log log = {0};
    uint64_t touched = 0;
    size_t repeats = bench->repeats < 3 ? bench->repeats : 3; /* seconds each */
    enum tr_status status = tr_world_open(path, &world, error);
    if (status == TR_OK) {
        struct tr_box box = tr_world_box(&world->info);
        status = make_log(bench, &box, &log, &touched, error);
    }
    for (size_t r = 0; r <= repeats && status == TR_OK; r++) {
        struct tr_replay_result result;
        double start = tr_bench_now();
        status = tr_replay(bench->bake, world, &log, 0, NULL, NULL, &result, error);
        bench->seconds[r ? r - 1 : 0] = tr_bench_now() - start;
        tr_replay_result_release(&result);
    }
    if (status == TR_OK) {
        size_t all = bench->repeats;
        bench->repeats = repeats;
        status = tr_bench_report(bench, "replay", SIDE * SIDE, "edits", (double)bench->edits,
                                 "touched_samples", (double)touched, error);
        bench->repeats = all;
    }
    tr_log_release(&log);
    tr_world_close(world);
    return status;
}

enum tr_status tr_bench_replay(struct tr_bench *bench, struct tr_error *error)
{
    const char *where = getenv("TMPDIR");
    char folder[TR_PATH_BYTES], path[TR_PATH_BYTES];
    struct tr_error ignored = {0};
    enum tr_status status =
        tr_path_join(folder, where && *where ? where : "/tmp", "terrain-bench-XXXXXX", error);
    if (status != TR_OK)
        return status;
    if (!mkdtemp(folder))
        return tr_fail_errno(error, "cannot make a folder for bench at '%s'", folder);
    status = tr_path_join(path, folder, "world", error);
    if (status == TR_OK)
        status = make_world(bench, path, error);
    if (status == TR_OK)
        status = replay(bench, path, error);
    tr_folder_remove(folder, &ignored);
    return status;
}
