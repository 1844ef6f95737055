/* terrain verify: whether a world or a pack keeps every rule of its format. */
#include "cmd/common.h"
#include "lib/base/text.h"
#include "lib/edit/log.h"
#include "lib/pack/pack_check.h"
#include "lib/world/verify.h"
#include <inttypes.h>
#include <string.h>

#define SHOWN_DEFECTS 20

static const struct tr_option options[] = {TR_OPTION_JOBS, TR_OPTION_JSON, TR_OPTION_QUIET, TR_OPTION_END};

/* What is said of a world: the first defects in lines, or all of them in JSON. */
struct finding {
    const struct tr_world_info *info;
    cJSON *all; /* NULL without --json */
    char shown[SHOWN_DEFECTS][TR_ERROR_TEXT_BYTES];
    size_t count;
};

/* Names in the line may hold any bytes, JSON only UTF-8. */
static enum tr_status add_to_json(cJSON *all, const char *line, struct tr_error *error)
{
    char text[TR_ERROR_TEXT_BYTES];
    snprintf(text, sizeof text, "%s", line);
    tr_text_make_utf8(text);
    cJSON *item = cJSON_CreateString(text);
    if (item && cJSON_AddItemToArray(all, item))
        return TR_OK;
    cJSON_Delete(item);
    return tr_fail(error, TR_IO, "out of memory");
}

static enum tr_status add_defect(void *context, const char *line, struct tr_error *error)
{
    struct finding *finding = context;
    enum tr_status status = finding->all ? add_to_json(finding->all, line, error) : TR_OK;
    if (finding->count < SHOWN_DEFECTS)
        snprintf(finding->shown[finding->count], TR_ERROR_TEXT_BYTES, "%s", line);
    finding->count++;
    return status;
}

/* A stored log is in normal form, and each of its edits reaches the world. */
static enum tr_status check_log(void *context, const char *text, size_t size_bytes, const char *name,
                                struct tr_error *error)
{
    const struct finding *finding = context;
    struct tr_log log = {0};
    struct tr_writer normal = {0};
    size_t same = 0;
    enum tr_status status = tr_log_parse(&log, text, size_bytes, name, NULL, NULL, error);
    if (status == TR_OK)
        status = tr_log_write(&log, TR_LOG_LINES, &normal, error);
    while (status == TR_OK && same < size_bytes && same < normal.size_bytes &&
           (uint8_t)text[same] == normal.bytes[same])
        same++;
    if (status == TR_OK && (same < size_bytes || same < normal.size_bytes))
        status =
            tr_fail(error, TR_BAD_INPUT,
                    "%s: byte %zu is not in the normal form, expected the log as it was written", name, same);
    if (status == TR_OK)
        status = tr_log_resolve(&log, 0, finding->info, name, false, NULL, error);
    tr_writer_release(&normal);
    tr_log_release(&log);
    return status;
}

static void print_world(const struct tr_call *call, const struct finding *finding, size_t chunk_count)
{
    const char *path = tr_shown(call->arguments[0]);
    if (finding->count == 0) {
        printf("%s: good, %zu chunks\n", path, chunk_count);
        return;
    }
    printf("%s: bad, %zu defect%s\n", path, finding->count, finding->count == 1 ? "" : "s");
    for (size_t i = 0; i < finding->count && i < SHOWN_DEFECTS; i++)
        printf("  %s\n", finding->shown[i]);
    if (finding->count > SHOWN_DEFECTS)
        printf("  and %zu more\n", finding->count - SHOWN_DEFECTS);
}

/* Takes finding->all over. */
static enum tr_status report_world(const struct tr_call *call, struct finding *finding, size_t chunk_count,
                                   struct tr_error *error)
{
    enum tr_status status = TR_OK;
    if (finding->all) {
        cJSON *object = cJSON_CreateObject();
        tr_json_add_path(object, "path", call->arguments[0]);
        cJSON_AddStringToObject(object, "kind", "world");
        cJSON_AddBoolToObject(object, "good", finding->count == 0);
        cJSON_AddItemToObject(object, "defects", finding->all);
        cJSON_AddNumberToObject(object, "chunks", (double)chunk_count);
        finding->all = NULL;
        status = tr_json_print(object, error);
    } else if (!tr_call_has(call, "--quiet")) {
        print_world(call, finding, chunk_count);
    }
    return status == TR_OK && finding->count ? TR_NO : status;
}

/* Without a good world.json and index nothing else can be judged: what is wrong with them is the one defect. */
static enum tr_status examine_world(const struct tr_call *call, struct tr_world **world,
                                    struct finding *finding, struct tr_error *error)
{
    const struct tr_verify_calls calls = {.report = add_defect, .check_log = check_log, .context = finding};
    struct tr_jobs *jobs = NULL;
    enum tr_status status = tr_world_open(call->arguments[0], world, error);
    if (status == TR_BAD_INPUT)
        return add_defect(finding, error->text, error);
    if (status == TR_OK)
        status = tr_jobs_create((int)tr_call_number(call, "--jobs", 0), &jobs, error);
    if (status == TR_OK) {
        finding->info = &(*world)->info;
        status = tr_world_verify(*world, jobs, &calls, error);
    }
    tr_jobs_free(jobs);
    return status;
}

static enum tr_status verify_world(const struct tr_call *call, struct tr_error *error)
{
    struct tr_world *world = NULL;
    struct finding finding = {0};
    enum tr_status status = TR_OK;
    if (tr_call_has(call, "--json") && !(finding.all = cJSON_CreateArray()))
        status = tr_fail(error, TR_IO, "out of memory");
    if (status == TR_OK)
        status = examine_world(call, &world, &finding, error);
    if (status == TR_OK)
        status = report_world(call, &finding, world ? world->chunk_count : 0, error);
    cJSON_Delete(finding.all);
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
        tr_json_add_path(object, "path", call->arguments[0]);
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
    printf("%s: %s, %s triangles, %s vertices in %zu tiles\n", tr_shown(call->arguments[0]),
           good ? "good" : "bad", tr_grouped(mesh->triangles, triangles),
           tr_grouped(mesh->vertices, vertices), pack->tile_count);
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
            cJSON *defects = cJSON_AddArrayToObject(object, "defects");
            tr_json_add_path(object, "path", call->arguments[0]);
            cJSON_AddStringToObject(object, "kind", "pack");
            cJSON_AddBoolToObject(object, "good", false);
            status = defects ? add_to_json(defects, defect.text, error) : TR_OK;
            if (status == TR_OK)
                status = tr_json_print(object, error);
            else
                cJSON_Delete(object);
        } else if (!tr_call_has(call, "--quiet")) {
            printf("%s: bad: %s\n", tr_shown(call->arguments[0]), defect.text);
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
    .about = "A world: every file of it, each section, sample and hash, the log, and that nothing else lies "
             "in its folder. All\n"
             "defects are counted, and 20 shown; --json has them all. A pack: format and hash, and that the "
             "mesh is closed over\n"
             "the whole world: every directed edge has exactly one opposite, no edge has more than two "
             "triangles, no vertex is\n"
             "pinched. Exit 1 when a rule is broken.",
    .examples = "  terrain verify world.tpack\n  terrain verify --json world | jq -r '.defects[]'",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
