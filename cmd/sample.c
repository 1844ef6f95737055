/* terrain sample: the ground at points. */
#include "cmd/common.h"
#include "lib/base/alloc.h"
#include "lib/base/bytes.h"
#include "lib/run/probe.h"
#include <stdlib.h>
#include <string.h>

#define INPUT_BYTES_MAX ((size_t)64 << 20)

static const struct tr_option options[] = {TR_OPTION_MEMORY, TR_OPTION_JSON, TR_OPTION_END};

/* What is asked of a world, and the answers so far: they are printed when all are there. */
struct sampling {
    const struct tr_world *world;
    struct tr_cache *cache;
    struct tr_writer text; /* either this */
    cJSON *points;         /* or, for --json, this */
};

/* Left out where there is no paint. */
static void add_material(cJSON *answer, int material)
{
    if (material != 0)
        cJSON_AddNumberToObject(answer, "material", material);
}

static void write_material(struct tr_writer *text, int material)
{
    if (material != 0)
        tr_write_text(text, " of material %d", material);
}

static void answer_ground(struct sampling *sampling, const double *point, const struct tr_ground *ground)
{
    if (sampling->points) {
        cJSON *answer = cJSON_CreateObject(), *surfaces;
        cJSON_AddNumberToObject(answer, "x_m", point[0]);
        cJSON_AddNumberToObject(answer, "z_m", point[1]);
        cJSON_AddNumberToObject(answer, "height_m", ground->height_m);
        add_material(answer, ground->material);
        cJSON_AddBoolToObject(answer, "sculpted", ground->sculpted);
        surfaces = cJSON_AddArrayToObject(answer, "surfaces");
        for (size_t i = 0; i < ground->count; i++) {
            cJSON *surface = cJSON_CreateObject();
            cJSON_AddNumberToObject(surface, "y_m", ground->surfaces[i].y_m);
            cJSON_AddBoolToObject(surface, "solid_below", ground->surfaces[i].solid_below);
            add_material(surface, ground->surfaces[i].material);
            cJSON_AddItemToArray(surfaces, surface);
        }
        cJSON_AddItemToArray(sampling->points, answer);
        return;
    }
    tr_write_text(&sampling->text, "%.10g,%.10g  height %.3f m", point[0], point[1], ground->height_m);
    write_material(&sampling->text, ground->material);
    for (size_t i = 0; ground->sculpted && i < ground->count; i++) {
        tr_write_text(&sampling->text, "%s%.3f m %s", i ? ", " : "; surfaces ", ground->surfaces[i].y_m,
                      ground->surfaces[i].solid_below ? "on ground" : "over air");
        write_material(&sampling->text, ground->surfaces[i].material);
    }
    tr_write_text(&sampling->text, "\n");
}

static void answer_field(struct sampling *sampling, const double *point, double distance_m, int material)
{
    if (sampling->points) {
        cJSON *answer = cJSON_CreateObject();
        cJSON_AddNumberToObject(answer, "x_m", point[0]);
        cJSON_AddNumberToObject(answer, "y_m", point[1]);
        cJSON_AddNumberToObject(answer, "z_m", point[2]);
        cJSON_AddNumberToObject(answer, "distance_m", distance_m);
        cJSON_AddBoolToObject(answer, "solid", distance_m <= 0.0);
        add_material(answer, material);
        cJSON_AddItemToArray(sampling->points, answer);
        return;
    }
    tr_write_text(&sampling->text, "%.10g,%.10g,%.10g  distance %.3f m, %s", point[0], point[1], point[2],
                  distance_m, distance_m <= 0.0 ? "solid" : "air");
    write_material(&sampling->text, material);
    tr_write_text(&sampling->text, "\n");
}

/* count: 2 for X,Z, 3 for X,Y,Z. */
static enum tr_status sample_point(struct sampling *sampling, const double *point, int count,
                                   struct tr_error *error)
{
    const struct tr_world_info *info = &sampling->world->info;
    struct tr_ground ground = {0};
    double distance_m;
    int material;
    enum tr_status status;
    if (count == 3) {
        status = tr_probe_field(sampling->cache, info, point, &distance_m, error);
        if (status == TR_OK)
            status = tr_probe_material(sampling->cache, info, point, &material, error);
        if (status == TR_OK)
            answer_field(sampling, point, distance_m, material);
    } else {
        status = tr_probe_ground(sampling->cache, info, point[0], point[1], &ground, error);
        if (status == TR_OK)
            answer_ground(sampling, point, &ground);
        tr_ground_release(&ground);
    }
    return status;
}

static enum tr_status sample_line(struct sampling *sampling, const char *line, size_t number,
                                  struct tr_error *error)
{
    double point[3];
    struct tr_error why;
    int count = tr_parse_point(line, point, 3);
    enum tr_status status;
    if (count < 2)
        return tr_fail(error, TR_BAD_INPUT, "standard input:%zu: '%.64s', expected X,Z or X,Y,Z in metres",
                       number, line);
    status = sample_point(sampling, point, count, &why);
    return status == TR_OK ? TR_OK : tr_fail(error, status, "standard input:%zu: %s", number, why.text);
}

/* Points from standard input, one a line; empty lines are passed over. */
static enum tr_status sample_input(struct sampling *sampling, struct tr_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0, number = 1;
    enum tr_status status = tr_file_read("-", INPUT_BYTES_MAX, &bytes, &size, error);
    for (char *line = (char *)bytes; status == TR_OK && line < (char *)bytes + size; number++) {
        char *end = memchr(line, '\n', size - (size_t)(line - (char *)bytes));
        end = end ? end : (char *)bytes + size;
        *end = 0; /* at the end of the bytes stands one already */
        if (end > line && end[-1] == '\r')
            end[-1] = 0;
        if (*line)
            status = sample_line(sampling, line, number, error);
        line = end + 1;
    }
    free(bytes);
    return status;
}

static enum tr_status sample_arguments(struct sampling *sampling, const struct tr_call *call,
                                       struct tr_error *error)
{
    enum tr_status status = TR_OK;
    for (int i = 1; i < call->argument_count && status == TR_OK; i++) {
        double point[3];
        if (strcmp(call->arguments[i], "-") == 0)
            status = sample_input(sampling, error);
        else
            status = sample_point(sampling, point, tr_parse_point(call->arguments[i], point, 3), error);
    }
    return status;
}

static enum tr_status check_arguments(const struct tr_call *call, struct tr_error *error)
{
    bool reads_input = false;
    for (int i = 1; i < call->argument_count; i++) {
        double point[3];
        bool is_input = strcmp(call->arguments[i], "-") == 0;
        if (is_input && reads_input)
            return tr_fail(error, TR_USAGE, "'-' is given twice, expected once: standard input is read once");
        if (!is_input && tr_parse_point(call->arguments[i], point, 3) < 2)
            return tr_fail(error, TR_USAGE, "the point is '%s', expected X,Z or X,Y,Z in metres",
                           call->arguments[i]);
        reads_input = reads_input || is_input;
    }
    return TR_OK;
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    struct tr_world *world = NULL;
    struct sampling sampling = {0};
    cJSON *object = NULL;
    enum tr_status status = check_arguments(call, error);
    if (status == TR_OK)
        status = tr_world_open(call->arguments[0], &world, error);
    if (status == TR_OK)
        status = tr_cache_create(world, tr_cache_bytes(call), &sampling.cache, error);
    if (status == TR_OK && tr_call_has(call, "--json")) {
        object = cJSON_CreateObject();
        sampling.points = cJSON_AddArrayToObject(object, "points");
        status = sampling.points ? TR_OK : tr_fail(error, TR_IO, "out of memory");
    }
    sampling.world = world;
    if (status == TR_OK)
        status = sample_arguments(&sampling, call, error);
    if (status == TR_OK && object) {
        status = tr_json_print(object, error);
        object = NULL;
    } else if (status == TR_OK) {
        if (sampling.text.failed)
            status = tr_fail(error, TR_IO, "out of memory");
        else
            fwrite(sampling.text.bytes, 1, sampling.text.size_bytes, stdout);
    }
    cJSON_Delete(object);
    tr_writer_release(&sampling.text);
    tr_cache_free(sampling.cache);
    tr_world_close(world);
    return status;
}

const struct tr_command tr_command_sample = {
    .name = "sample",
    .usage = "WORLD POINT...",
    .summary = "say where the ground is at points",
    .about = "A point X,Z, in metres, gives the height of the height field there and, where the ground is "
             "sculpted in\n"
             "3D, every surface from above: with ground below it, or air (a ceiling). X,Y,Z gives the signed "
             "distance\n"
             "to the ground, negative in it: as stored, so the vertical distance where nothing is sculpted, "
             "and cut\n"
             "at 128 voxels. Painted ground is given with its material, a surface with that of the ground at "
             "it. '-'\n"
             "reads points from standard input, one a line.",
    .examples = "  terrain sample world 255,500\n  terrain sample --json edited 352,154,562 352,562\n"
                "  seq -f '%g,562' 0 10 600 | terrain sample edited -",
    .least = 2,
    .most = TR_ARGUMENTS_ANY,
    .options = options,
    .run = run,
};
