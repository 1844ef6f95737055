/* terrain verify: whether a world or a pack keeps every rule of its format. */
#include "cmd/common.h"
#include "lib/base/alloc.h"
#include "lib/base/text.h"
#include "lib/edit/log.h"
#include "lib/pack/pack_check.h"
#include "lib/run/pack_field_check.h"
#include "lib/world/verify.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_DEFECTS 20

static const struct tr_option options[] = {{"--world", 0, TR_OPTION_TEXT, "WORLD", 0, 0,
                                            "of a pack: compare it with the world that it was meshed from"},
                                           TR_OPTION_JOBS,
                                           TR_OPTION_MEMORY,
                                           TR_OPTION_JSON,
                                           TR_OPTION_QUIET,
                                           TR_OPTION_END};

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

/* ---- a pack ---- */

/* What was found of a pack; the field's part only with --world. */
struct pack_finding {
    const struct tr_call *call;
    struct tr_pack *pack;
    struct tr_pack_report report;
    struct tr_pack_field_report field;
    const char *world; /* NULL without --world */
    bool good;
};

static void print_edges(uint64_t count, const char *what, const int64_t first[6])
{
    if (count)
        printf("  %" PRIu64 " %s, one from (%" PRId64 ", %" PRId64 ", %" PRId64 ") to (%" PRId64 ", %" PRId64
               ", %" PRId64 ") in 1/256 voxel\n",
               count, what, first[0], first[1], first[2], first[3], first[4], first[5]);
}

static void print_vertices(uint64_t count, const char *what, const int64_t first[3])
{
    if (count)
        printf("  %" PRIu64 " %s, one at (%" PRId64 ", %" PRId64 ", %" PRId64 ") in 1/256 voxel\n", count,
               what, first[0], first[1], first[2]);
}

static void print_count(uint64_t count, const char *what)
{
    if (count)
        printf("  %" PRIu64 " %s\n", count, what);
}

static void print_selection(const struct tr_pack_selection *selection)
{
    const struct tr_check_result *mesh = &selection->mesh;
    if (selection->is_closed && selection->faces_out)
        return;
    if (selection->name[0])
        printf("  %s:\n", selection->name);
    print_edges(mesh->open_edges, "open edges", mesh->first_open);
    print_edges(mesh->crowded_edges, "edges with more than two triangles", mesh->first_crowded);
    print_count(mesh->duplicates, "triangles twice");
    print_count(mesh->degenerates, "triangles with two equal corners");
    print_vertices(mesh->pinches, "pinched vertices", mesh->first_pinch);
    if (!selection->faces_out)
        printf("  the surface is closed but faces inward\n");
}

static void print_defects(const struct pack_finding *finding)
{
    const struct tr_pack_report *report = &finding->report;
    const struct tr_pack_field_report *field = &finding->field;
    if (!report->hash_matches)
        printf("  the tiles do not give the hash in the header\n");
    print_count(report->overlaps, "tiles lie where another does");
    print_count(report->faults.bad_indices, "indices name no vertex");
    print_count(report->faults.bad_normals, "normals are no direction");
    print_count(report->faults.out_of_bounds, "vertices lie outside their tile's bounds");
    print_count(report->faults.far_moves, "vertices move farther than a quarter of a cell");
    print_count(report->faults.far_targets, "geomorph targets lie outside the next level's cell");
    for (uint32_t s = 0, shown = 0; s < report->selection_count && shown < SHOWN_DEFECTS; s++) {
        shown += !report->selections[s].is_closed || !report->selections[s].faces_out;
        print_selection(&report->selections[s]);
    }
    print_count(field->unreadable_tiles, "tiles were not compared with the world");
    print_vertices(field->off_surface, "vertices off the world's surface", field->first_off_surface);
    print_vertices(field->wrong_normals, "normals that are not the world's", field->first_wrong_normal);
    print_vertices(field->wrong_materials, "materials that are not the world's", field->first_wrong_material);
    print_vertices(field->wrong_lines,
                   "vertical lines that the mesh crosses more or less often than the world's surface",
                   field->first_wrong_line);
    print_vertices(field->turned, "vertices whose triangles face into the ground", field->first_turned);
}

static void print_levels(const struct tr_pack_report *report)
{
    for (uint32_t k = 0; k < TR_LODS; k++) {
        const struct tr_pack_level *level = &report->levels[k];
        char triangles[32], vertices[32];
        if (level->tiles)
            printf("  LOD %" PRIu32 ": %s triangles, %s vertices in %zu tiles\n", k,
                   tr_grouped(level->triangles, triangles), tr_grouped(level->vertices, vertices),
                   level->tiles);
    }
}

static void print_pack(const struct pack_finding *finding)
{
    const struct tr_pack *pack = finding->pack;
    const struct tr_pack_report *report = &finding->report;
    const struct tr_check_result *mesh = &report->selections[0].mesh;
    const bool is_window = pack->info.form == TR_PACK_WINDOW;
    char triangles[32], vertices[32], sides[32];
    printf("%s: %s, %s triangles, %s vertices in %zu tiles\n", tr_shown(finding->call->arguments[0]),
           finding->good ? "good" : "bad",
           tr_grouped(is_window ? mesh->triangles : pack->index_count / 3, triangles),
           tr_grouped(is_window ? mesh->vertices : pack->vertex_count, vertices), pack->tile_count);
    if (pack->lods & (pack->lods - 1))
        print_levels(report);
    if (finding->good && is_window)
        printf("  closed%s; %" PRIu64 " part%s, Euler number %" PRId64 "; %s edges in the world's sides\n",
               mesh->side_edges ? " but for the world's sides" : "", mesh->components,
               mesh->components == 1 ? "" : "s", mesh->euler, tr_grouped(mesh->side_edges, sides));
    else if (finding->good)
        printf("  closed, whichever levels are chosen: %" PRIu32 " selections tried\n",
               report->selection_count);
    if (finding->good && finding->world)
        printf("  it is the surface of %s: all vertices lie on it, and none is missing\n",
               tr_shown(finding->world));
    print_defects(finding);
}

struct number {
    const char *name;
    double value;
};

static void add_numbers(cJSON *object, const struct number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cJSON_AddNumberToObject(object, numbers[i].name, numbers[i].value);
}

/* unit: metres. */
static void add_mesh(cJSON *object, const struct tr_pack_selection *selection, double unit)
{
    const struct tr_check_result *mesh = &selection->mesh;
    const struct number numbers[] = {
        {"triangles", (double)mesh->triangles},   {"vertices", (double)mesh->vertices},
        {"edges", (double)mesh->edges},           {"components", (double)mesh->components},
        {"euler", (double)mesh->euler},           {"side_edges", (double)mesh->side_edges},
        {"open_edges", (double)mesh->open_edges}, {"crowded_edges", (double)mesh->crowded_edges},
        {"duplicates", (double)mesh->duplicates}, {"degenerates", (double)mesh->degenerates},
        {"pinches", (double)mesh->pinches},       {"area_m2", mesh->area_units2 * unit * unit},
    };
    add_numbers(object, numbers, sizeof numbers / sizeof numbers[0]);
    cJSON_AddBoolToObject(object, "faces_out", selection->faces_out);
    if (mesh->side_edges == 0)
        cJSON_AddNumberToObject(object, "volume_m3", mesh->volume_units3 * unit * unit * unit);
}

static void add_selections(cJSON *object, const struct pack_finding *finding, double unit)
{
    const struct tr_pack_report *report = &finding->report;
    if (finding->pack->info.form == TR_PACK_WINDOW) {
        add_mesh(object, &report->selections[0], unit);
        return;
    }
    const struct number numbers[] = {{"triangles", (double)(finding->pack->index_count / 3)},
                                     {"vertices", (double)finding->pack->vertex_count}};
    add_numbers(object, numbers, sizeof numbers / sizeof numbers[0]);
    cJSON *selections = cJSON_AddArrayToObject(object, "selections");
    for (uint32_t s = 0; s < report->selection_count; s++) {
        cJSON *selection = cJSON_CreateObject();
        cJSON_AddStringToObject(selection, "name", report->selections[s].name);
        cJSON_AddBoolToObject(selection, "good",
                              report->selections[s].is_closed && report->selections[s].faces_out);
        add_mesh(selection, &report->selections[s], unit);
        cJSON_AddItemToArray(selections, selection);
    }
}

static void add_levels(cJSON *object, const struct tr_pack_report *report)
{
    cJSON *levels = cJSON_AddArrayToObject(object, "levels");
    for (uint32_t k = 0; k < TR_LODS; k++) {
        const struct tr_pack_level *level = &report->levels[k];
        const struct number numbers[] = {{"lod", k},
                                         {"tiles", (double)level->tiles},
                                         {"triangles", (double)level->triangles},
                                         {"vertices", (double)level->vertices}};
        if (!level->tiles)
            continue;
        cJSON *item = cJSON_CreateObject();
        add_numbers(item, numbers, sizeof numbers / sizeof numbers[0]);
        cJSON_AddItemToArray(levels, item);
    }
}

static void add_field(cJSON *object, const struct pack_finding *finding)
{
    const struct tr_pack_field_report *field = &finding->field;
    const struct number numbers[] = {
        {"vertices", (double)field->vertices},
        {"moved", (double)field->moved},
        {"off_surface", (double)field->off_surface},
        {"wrong_normals", (double)field->wrong_normals},
        {"wrong_materials", (double)field->wrong_materials},
        {"turned", (double)field->turned},
        {"wrong_lines", (double)field->wrong_lines},
        {"unreadable_tiles", (double)field->unreadable_tiles},
    };
    if (!finding->world)
        return;
    cJSON *world = cJSON_AddObjectToObject(object, "world");
    tr_json_add_path(world, "path", finding->world);
    add_numbers(world, numbers, sizeof numbers / sizeof numbers[0]);
}

static enum tr_status print_pack_json(const struct pack_finding *finding, struct tr_error *error)
{
    const struct tr_pack_report *report = &finding->report;
    const struct number numbers[] = {
        {"tiles", (double)finding->pack->tile_count},
        {"overlaps", (double)report->overlaps},
        {"bad_indices", (double)report->faults.bad_indices},
        {"bad_normals", (double)report->faults.bad_normals},
        {"out_of_bounds", (double)report->faults.out_of_bounds},
        {"far_moves", (double)report->faults.far_moves},
        {"far_targets", (double)report->faults.far_targets},
    };
    cJSON *object = cJSON_CreateObject();
    tr_json_add_path(object, "path", finding->call->arguments[0]);
    cJSON_AddStringToObject(object, "kind", "pack");
    cJSON_AddBoolToObject(object, "good", finding->good);
    cJSON_AddBoolToObject(object, "hash_matches", report->hash_matches);
    add_numbers(object, numbers, sizeof numbers / sizeof numbers[0]);
    add_levels(object, report);
    add_selections(object, finding, finding->pack->info.voxel_size / 256);
    add_field(object, finding);
    return tr_json_print(object, error);
}

/* A pack that cannot be read: that is the one defect. */
static enum tr_status report_unreadable(const struct tr_call *call, const char *line, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    if (tr_call_has(call, "--json")) {
        cJSON *object = cJSON_CreateObject();
        tr_json_add_path(object, "path", call->arguments[0]);
        cJSON_AddStringToObject(object, "kind", "pack");
        cJSON_AddBoolToObject(object, "good", false);
        cJSON *defects = cJSON_AddArrayToObject(object, "defects");
        status = defects ? add_to_json(defects, line, error) : TR_OK;
        if (status == TR_OK)
            status = tr_json_print(object, error);
        else
            cJSON_Delete(object);
    } else if (!tr_call_has(call, "--quiet")) {
        printf("%s: bad: %s\n", tr_shown(call->arguments[0]), line);
    }
    return status == TR_OK ? TR_NO : status;
}

static enum tr_status compare_with_world(struct pack_finding *finding, struct tr_jobs *jobs, bool *good,
                                         struct tr_error *error)
{
    struct tr_world *world = NULL;
    enum tr_status status = tr_world_open(finding->world, &world, error);
    if (status == TR_OK)
        status = tr_pack_check_field(finding->pack, world, jobs, tr_cache_bytes(finding->call),
                                     &finding->field, good, error);
    tr_world_close(world);
    return status;
}

/* What the reader of packs refuses comes back in *defect, with TR_BAD_INPUT as any other bad input. */
static enum tr_status examine_pack(struct pack_finding *finding, struct tr_error *defect,
                                   struct tr_error *error)
{
    struct tr_jobs *jobs = NULL;
    bool lies_on_field = true;
    enum tr_status status = tr_jobs_create((int)tr_call_number(finding->call, "--jobs", 0), &jobs, error);
    if (status == TR_OK && finding->world)
        status = compare_with_world(finding, jobs, &lies_on_field, error);
    if (status == TR_OK) {
        status = tr_pack_verify(finding->pack, jobs, &finding->report, &finding->good, defect);
        if (status != TR_OK && status != TR_BAD_INPUT)
            *error = *defect;
    }
    finding->good = finding->good && lies_on_field;
    tr_jobs_free(jobs);
    return status;
}

static enum tr_status verify_pack(const struct tr_call *call, struct tr_error *error)
{
    struct pack_finding *finding = tr_alloc(1, sizeof *finding, error);
    struct tr_error defect = {0};
    if (!finding)
        return TR_IO;
    finding->call = call;
    finding->world = tr_call_text(call, "--world", NULL);
    enum tr_status status = tr_pack_open(call->arguments[0], &finding->pack, &defect);
    if (status == TR_OK)
        status = examine_pack(finding, &defect, error);
    else if (status != TR_BAD_INPUT)
        *error = defect;
    if (status == TR_BAD_INPUT && defect.text[0])
        status = report_unreadable(call, defect.text, error);
    else if (status == TR_OK) {
        if (tr_call_has(call, "--json"))
            status = print_pack_json(finding, error);
        else if (!tr_call_has(call, "--quiet"))
            print_pack(finding);
        status = status == TR_OK && !finding->good ? TR_NO : status;
    }
    tr_pack_close(finding->pack);
    free(finding);
    return status;
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    enum tr_kind kind;
    enum tr_status status = tr_find_kind(call->arguments[0], &kind, error);
    if (status != TR_OK)
        return status;
    if (kind == TR_KIND_PACK)
        return verify_pack(call, error);
    if (tr_call_has(call, "--world"))
        return tr_fail(error, TR_USAGE, "--world is for packs, \"%s\" is a world", call->arguments[0]);
    return verify_world(call, error);
}

const struct tr_command tr_command_verify = {
    .name = "verify",
    .usage = "WORLD|PACK",
    .summary = "check every rule of a world or a pack",
    .about =
        "A world: every file of it, each section, sample and hash, the log, and that nothing else lies "
        "in its folder. All\n"
        "defects are counted, and 20 shown; --json has them all. A pack: format and hash, and that the "
        "mesh is closed over\n"
        "the whole world: every directed edge has exactly one opposite, no edge has more than two "
        "triangles, no vertex is\n"
        "pinched, solid lies below. A pack of all levels: so for every way in which levels may meet. With "
        "--world each vertex,\n"
        "its normal and the triangles around it are compared with the field. Exit 1 when a rule is "
        "broken.",
    .examples =
        "  terrain verify world.tpack --world world\n  terrain verify --json world | jq -r '.defects[]'",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
