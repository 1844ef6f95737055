/* terrain verify: whether a world or a pack keeps every rule of its format. */
#include "cmd/common.h"
#include "lib/pack/pack_check.h"
#include <inttypes.h>
#include <string.h>

static const struct tr_option options[] = {TR_OPTION_JOBS, TR_OPTION_JSON, TR_OPTION_QUIET, TR_OPTION_END};

/* Reading a chunk checks its every section and sample, and its hash against the index. */
static enum tr_status check_chunk(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    const struct tr_world *world = context;
    struct tr_chunk chunk = {0};
    enum tr_status status =
        tr_world_read_chunk(world, world->index[index].cx, world->index[index].cz, &chunk, error);
    tr_chunk_release(&chunk);
    return status;
}

static enum tr_status report_world(const struct tr_call *call, const struct tr_world *world,
                                   const struct tr_error *defect, struct tr_error *error)
{
    bool good = defect->text[0] == 0;
    if (tr_call_has(call, "--json")) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "path", call->arguments[0]);
        cJSON_AddStringToObject(object, "kind", "world");
        cJSON_AddBoolToObject(object, "good", good);
        if (!good)
            cJSON_AddStringToObject(object, "defect", defect->text);
        cJSON_AddNumberToObject(object, "chunks", world ? (double)world->chunk_count : 0);
        enum tr_status status = tr_json_print(object, error);
        return status == TR_OK && !good ? TR_NO : status;
    }
    if (!tr_call_has(call, "--quiet")) {
        if (good)
            printf("%s: good, %zu chunks\n", call->arguments[0], world->chunk_count);
        else
            printf("%s: bad: %s\n", call->arguments[0], defect->text);
    }
    return good ? TR_OK : TR_NO;
}

/* A file that is not what it must be is the answer here, not a failure to answer. */
static enum tr_status verify_world(const struct tr_call *call, struct tr_error *error)
{
    struct tr_world *world = NULL;
    struct tr_jobs *jobs = NULL;
    struct tr_error defect = {0};
    enum tr_status status = tr_world_open(call->arguments[0], &world, &defect);
    if (status == TR_OK) {
        status = tr_jobs_create((int)tr_call_number(call, "--jobs", 0), &jobs, &defect);
        if (status == TR_OK)
            status = tr_jobs_run(jobs, world->chunk_count, check_chunk, world, &defect);
    }
    if (status == TR_OK || status == TR_BAD_INPUT)
        status = report_world(call, world, &defect, error);
    else
        *error = defect;
    tr_jobs_free(jobs);
    tr_world_close(world);
    return status;
}

static void print_defects(const struct tr_pack_report *report)
{
    const struct tr_check_result *mesh = &report->mesh;
    if (!report->hash_matches)
        printf("  the tiles do not give the hash in the header\n");
    if (report->bad_indices)
        printf("  %" PRIu64 " indices name no vertex\n", report->bad_indices);
    if (report->out_of_bounds)
        printf("  %" PRIu64 " vertices lie outside their tile's bounds\n", report->out_of_bounds);
    if (mesh->open_edges)
        printf("  %" PRIu64 " open edges, one from (%" PRId64 ", %" PRId64 ", %" PRId64 ") in 1/256 voxel\n",
               mesh->open_edges, mesh->first_open[0], mesh->first_open[1], mesh->first_open[2]);
    if (mesh->crowded_edges)
        printf("  %" PRIu64 " edges with more than two triangles, one from (%" PRId64 ", %" PRId64
               ", %" PRId64 ") in 1/256 voxel\n",
               mesh->crowded_edges, mesh->first_crowded[0], mesh->first_crowded[1], mesh->first_crowded[2]);
    if (mesh->duplicates)
        printf("  %" PRIu64 " triangles twice\n", mesh->duplicates);
    if (mesh->degenerates)
        printf("  %" PRIu64 " triangles with two equal corners\n", mesh->degenerates);
    if (mesh->pinches)
        printf("  %" PRIu64 " pinched vertices, one at (%" PRId64 ", %" PRId64 ", %" PRId64
               ") in 1/256 voxel\n",
               mesh->pinches, mesh->first_pinch[0], mesh->first_pinch[1], mesh->first_pinch[2]);
}

static enum tr_status report_pack(const struct tr_call *call, const struct tr_pack *pack,
                                  const struct tr_pack_report *report, bool good, struct tr_error *error)
{
    const struct tr_check_result *mesh = &report->mesh;
    if (tr_call_has(call, "--json")) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "path", call->arguments[0]);
        cJSON_AddStringToObject(object, "kind", "pack");
        cJSON_AddBoolToObject(object, "good", good);
        cJSON_AddBoolToObject(object, "hash_matches", report->hash_matches);
        const struct {
            const char *name;
            double value;
        } counts[] = {
            {"tiles", (double)pack->tile_count},
            {"triangles", (double)mesh->triangles},
            {"vertices", (double)mesh->vertices},
            {"edges", (double)mesh->edges},
            {"components", (double)mesh->components},
            {"euler", (double)mesh->euler},
            {"side_edges", (double)mesh->side_edges},
            {"open_edges", (double)mesh->open_edges},
            {"crowded_edges", (double)mesh->crowded_edges},
            {"duplicates", (double)mesh->duplicates},
            {"degenerates", (double)mesh->degenerates},
            {"pinches", (double)mesh->pinches},
            {"bad_indices", (double)report->bad_indices},
            {"out_of_bounds", (double)report->out_of_bounds},
        };
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            cJSON_AddNumberToObject(object, counts[i].name, counts[i].value);
        double unit = pack->info.voxel_size / 256;
        cJSON_AddNumberToObject(object, "area_m2", mesh->area_units2 * unit * unit);
        if (mesh->side_edges == 0)
            cJSON_AddNumberToObject(object, "volume_m3", mesh->volume_units3 * unit * unit * unit);
        return tr_json_print(object, error);
    }
    if (tr_call_has(call, "--quiet"))
        return TR_OK;
    char triangles[32], vertices[32], sides[32];
    printf("%s: %s, %s triangles, %s vertices in %zu tiles\n", call->arguments[0], good ? "good" : "bad",
           tr_grouped(mesh->triangles, triangles), tr_grouped(mesh->vertices, vertices), pack->tile_count);
    if (good)
        printf("  closed%s; %" PRIu64 " part%s, Euler number %" PRId64 "; %s edges in the world's sides\n",
               mesh->side_edges ? " but for the world's sides" : "", mesh->components,
               mesh->components == 1 ? "" : "s", mesh->euler, tr_grouped(mesh->side_edges, sides));
    print_defects(report);
    return TR_OK;
}

static enum tr_status verify_pack(const struct tr_call *call, struct tr_error *error)
{
    struct tr_pack *pack = NULL;
    struct tr_pack_report report = {0};
    struct tr_error defect = {0};
    bool good = false;
    enum tr_status status = tr_pack_open(call->arguments[0], &pack, &defect);
    if (status == TR_OK)
        status = tr_pack_verify(pack, &report, &good, &defect);
    if (status == TR_OK) {
        status = report_pack(call, pack, &report, good, error);
        if (status == TR_OK && !good)
            status = TR_NO;
    } else if (status == TR_BAD_INPUT) {
        if (tr_call_has(call, "--json")) {
            cJSON *object = cJSON_CreateObject();
            cJSON_AddStringToObject(object, "path", call->arguments[0]);
            cJSON_AddStringToObject(object, "kind", "pack");
            cJSON_AddBoolToObject(object, "good", false);
            cJSON_AddStringToObject(object, "defect", defect.text);
            status = tr_json_print(object, error);
        } else if (!tr_call_has(call, "--quiet")) {
            printf("%s: bad: %s\n", call->arguments[0], defect.text);
        }
        status = status == TR_IO ? status : TR_NO;
    } else {
        *error = defect;
    }
    tr_pack_close(pack);
    return status;
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    enum tr_kind kind;
    enum tr_status status = tr_find_kind(call->arguments[0], &kind, error);
    if (status != TR_OK)
        return status;
    return kind == TR_KIND_WORLD ? verify_world(call, error) : verify_pack(call, error);
}

const struct tr_command tr_command_verify = {
    .name = "verify",
    .usage = "WORLD|PACK",
    .summary = "check every rule of a world or a pack",
    .about = "A world: index and every chunk file, its sections, samples and hash. A pack: format and hash, "
             "and that the mesh is\n"
             "closed over the whole world: every directed edge has exactly one opposite, no edge has more "
             "than two triangles, no\n"
             "vertex is pinched. Exit 1 when a rule is broken.",
    .examples = "  terrain verify world.tpack\n  terrain verify --json world | jq .good",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
