/* terrain scatter: instances of models on a world's ground, by rules. */
#include "cmd/common.h"
#include "cmd/progress.h"
#include "lib/run/scatter.h"
#include <stdlib.h>
#include <string.h>

#define RULES_BYTES_MAX (16u << 20)

static const struct tr_option options[] = {
    TR_OPTION_OUT("FILE"),
    TR_OPTION_FORCE,
    {"--format", 0, TR_OPTION_CHOICE, "json|glb", 0, 0, "instead of the one that the output's name ends in"},
    TR_OPTION_JOBS,
    TR_OPTION_MEMORY,
    TR_OPTION_JSON,
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

static enum tr_status find_format(const struct tr_call *call, const char *out,
                                  enum tr_instance_format *format, struct tr_error *error)
{
    const char *named = tr_call_text(call, "--format", NULL);

    if (named ? tr_instances_format_named(named, format) : tr_instances_format_of(out, format))
        return TR_OK;
    return tr_fail(error, TR_USAGE, "'%s' ends in no format known, expected .json or .glb, or --format", out);
}

static enum tr_status read_rules(const char *path, double voxel_size, struct tr_scatter_rules *rules,
                                 struct tr_error *error)
{
    uint8_t *bytes = NULL;
    size_t size_bytes = 0;
    enum tr_status status = tr_file_read(path, RULES_BYTES_MAX, &bytes, &size_bytes, error);

    if (status == TR_OK)
        status =
            tr_scatter_rules_read((const char *)bytes, size_bytes,
                                  strcmp(path, "-") == 0 ? "standard input" : path, voxel_size, rules, error);
    free(bytes);
    return status;
}

static enum tr_status scatter(const struct tr_call *call, const struct tr_world *world,
                              const struct tr_scatter_rules *rules, struct tr_instances *instances,
                              struct tr_error *error)
{
    struct tr_terminal terminal;
    struct tr_scatter_options how = {.cache_bytes = tr_cache_bytes(call), .progress = &terminal.progress};
    struct tr_jobs *jobs = NULL;
    enum tr_status status = tr_jobs_create((int)tr_call_number(call, "--jobs", 0), &jobs, error);

    if (status == TR_OK) {
        tr_terminal_begin(&terminal, call, "scattering");
        status = tr_scatter(jobs, world, rules, &how, instances, error);
        tr_terminal_end(&terminal);
    }
    tr_jobs_free(jobs);
    return status;
}

static enum tr_status print_json(const char *out, const struct tr_instances *instances, uint64_t file_bytes,
                                 struct tr_error *error)
{
    cJSON *object = cJSON_CreateObject(), *layers;
    uint64_t sum = 0;

    tr_json_add_path(object, "output", out);
    cJSON_AddNumberToObject(object, "file_bytes", (double)file_bytes);
    layers = cJSON_AddArrayToObject(object, "layers");
    for (uint32_t i = 0; i < instances->layer_count; i++) {
        cJSON *layer = cJSON_CreateObject();
        uint64_t count = tr_instances_count(instances, i);

        cJSON_AddStringToObject(layer, "id", instances->layers[i].id);
        cJSON_AddNumberToObject(layer, "instances", (double)count);
        cJSON_AddItemToArray(layers, layer);
        sum += count;
    }
    cJSON_AddNumberToObject(object, "instances", (double)sum);
    return tr_json_print(object, error);
}

static void print_text(const char *out, const struct tr_instances *instances, uint64_t file_bytes)
{
    char count[32], size[32];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < instances->layer_count; i++)
        sum += tr_instances_count(instances, i);
    fprintf(stderr, "%s: %s instances, %s\n", tr_shown(out), tr_grouped(sum, count),
            tr_bytes_text(file_bytes, size));
    for (uint32_t i = 0; i < instances->layer_count; i++)
        fprintf(stderr, "  %s: %s\n", instances->layers[i].id,
                tr_grouped(tr_instances_count(instances, i), count));
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const char *out;
    enum tr_instance_format format = TR_INSTANCES_JSON;
    struct tr_world *world = NULL;
    struct tr_scatter_rules rules = {0};
    struct tr_instances instances = {0};
    uint64_t file_bytes = 0;
    enum tr_status status = tr_need_output(call, &out, error);

    if (status == TR_OK)
        status = find_format(call, out, &format, error);
    if (status == TR_OK)
        status = tr_world_open(call->arguments[0], &world, error);
    if (status == TR_OK)
        status = read_rules(call->arguments[1], world->info.voxel_size, &rules, error);
    if (status == TR_OK)
        status = scatter(call, world, &rules, &instances, error);
    if (status == TR_OK)
        status =
            tr_instances_write(&instances, out, format, tr_call_has(call, "--force"), &file_bytes, error);
    if (status == TR_OK && tr_call_has(call, "--json"))
        status = print_json(out, &instances, file_bytes, error);
    else if (status == TR_OK && !tr_call_has(call, "--quiet"))
        print_text(out, &instances, file_bytes);
    tr_instances_release(&instances);
    tr_scatter_rules_release(&rules);
    tr_world_close(world);
    return status;
}

const struct tr_command tr_command_scatter = {
    .name = "scatter",
    .usage = "WORLD RULES -o FILE",
    .summary = "place instances of models on the ground by density rules",
    .about =
        "RULES is a JSON file of layers (samples/scatter.schema.json): for each, a grid of cells with one\n"
        "candidate each, which stays as the density and the slope, height, splat and noise of its place let\n"
        "it, unless it is too near to another, in a cave, on an overhang or on edited ground. All that is\n"
        "drawn is a hash of the cell, so what is elsewhere changes nothing.\n"
        "\n"
        "JSON lists position, rotation and scale. GLB has them as EXT_mesh_gpu_instancing, a pyramid where\n"
        "the model goes. A GLB that grows above 4 GiB is refused.",
    .examples = "  terrain scatter world rules.json -o trees.glb\n"
                "  terrain scatter world rules.json -o trees.json --force\n"
                "  terrain scatter --json world - -o trees.glb <rules.json",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
