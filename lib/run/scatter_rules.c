/* See scatter_rules.h. Fields are checked by the forms of edit logs (lib/edit/form.h), so both speak alike. */
#include "lib/run/scatter_rules.h"

#include "lib/base/alloc.h"
#include "lib/base/dmath.h"
#include "lib/base/hash.h"
#include "lib/edit/form.h"
#include "lib/run/scatter_cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "terrain-scatter"
#define FORMAT_VERSION 1
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define INSIDE_BYTES 64
#define METRES_MAX 1e9
#define UNITS_MAX (INT64_C(1) << 40) /* beyond any height */
#define PI 3.14159265358979323846

/* What is being read: a layer, and where messages say it is. */
struct reader {
    struct tr_place place;
    double voxel_size;
    struct tr_scatter_rules *rules;
    struct tr_scatter_layer *layer;
    uint32_t number; /* of the layer */
};

/* ---- numbers ---- */

/* floor(metres in units + 1/2), within +-UNITS_MAX. */
static int64_t units_of(const struct reader *reader, double metres)
{
    double units = metres * TR_UNITS / reader->voxel_size + 0.5;
    int64_t whole;

    if (!(units < (double)UNITS_MAX))
        return UNITS_MAX;
    if (units <= (double)-UNITS_MAX)
        return -UNITS_MAX;
    whole = (int64_t)units;
    return whole - ((double)whole > units);
}

/* A number within [min, max]; *number stays what it is when it is not, or when the object does not have it. */
static enum tr_status read_range(const struct tr_place *place, const cJSON *object, const char *name,
                                 double min, double max, double *number)
{
    const cJSON *value = tr_form_find(object, name);
    double found = 0.0;
    enum tr_status status;

    if (!value)
        return TR_OK;
    status = tr_form_number(place, name, value, &found);
    if (status == TR_OK)
        status = tr_form_check_range(place, name, value, min, max, found);
    if (status == TR_OK)
        *number = found;
    return status;
}

/* The same of a fraction, rounded to a TR_SCATTER_ONE-th. */
static enum tr_status read_fraction(const struct tr_place *place, const cJSON *object, const char *name,
                                    uint32_t *fraction)
{
    double number = (double)*fraction / TR_SCATTER_ONE;
    enum tr_status status = read_range(place, object, name, 0.0, 1.0, &number);

    *fraction = (uint32_t)(number * TR_SCATTER_ONE + 0.5);
    return status;
}

/* Two numbers within [min, max], the first not above the second. */
static enum tr_status read_span(const struct tr_place *place, const cJSON *object, const char *name,
                                double min, double max, double span[2])
{
    const cJSON *value = tr_form_find(object, name);
    enum tr_status status = value ? tr_form_numbers(place, name, value, 2, span) : TR_OK;

    for (int i = 0; i < 2 && value && status == TR_OK; i++)
        status = tr_form_check_range(place, name, value, min, max, span[i]);
    if (status == TR_OK && span[0] > span[1])
        status =
            tr_place_fail(place, value, "\"%s\"%s must have its lesser number first", name, place->inside);
    return status;
}

/* The place of what is in an object of the layer; `inside` is memory for its text. */
static struct tr_place place_in(const struct reader *reader, const char *field, char inside[INSIDE_BYTES])
{
    struct tr_place place = reader->place;

    snprintf(inside, INSIDE_BYTES, " in \"layers[%u].%s\"", reader->number, field);
    place.inside = inside;
    return place;
}

/* An object of known fields. */
static enum tr_status check_object(const struct reader *reader, const char *field, const cJSON *value,
                                   const struct tr_place *inner, const struct tr_field *fields, size_t count)
{
    enum tr_status status = tr_form_object(&reader->place, field, value);

    return status == TR_OK ? tr_form_check(inner, value, fields, count) : status;
}

/* ---- what a layer stands on ---- */

struct band_numbers {
    double min, max, ramp;
};

static enum tr_status read_band(const struct reader *reader, const cJSON *layer, const char *field,
                                double least, double most, struct band_numbers *band, bool *is_there)
{
    static const struct tr_field fields[] = {{"max", false}, {"min", false}, {"ramp", false}};
    char inside[INSIDE_BYTES];
    const cJSON *value = tr_form_find(layer, field);
    struct tr_place place = place_in(reader, field, inside);
    enum tr_status status;

    *band = (struct band_numbers){least, most, 0.0};
    *is_there = value != NULL;
    if (!value)
        return TR_OK;
    status = check_object(reader, field, value, &place, fields, COUNT(fields));
    if (status == TR_OK)
        status = read_range(&place, value, "min", least, most, &band->min);
    if (status == TR_OK)
        status = read_range(&place, value, "max", least, most, &band->max);
    if (status == TR_OK)
        status = read_range(&place, value, "ramp", 0.0, most, &band->ramp);
    if (status == TR_OK && band->min > band->max)
        status = tr_place_fail(&place, value, "\"min\"%s must not be above \"max\"", place.inside);
    return status;
}

static enum tr_status read_slope(const struct reader *reader, const cJSON *layer)
{
    struct tr_scatter_band *slope = &reader->layer->slope;
    struct band_numbers degrees;
    enum tr_status status = read_band(reader, layer, "slope", 0.0, 90.0, &degrees, &slope->is_used);

    slope->full_low = (int64_t)(degrees.min * TR_SCATTER_DEGREE + 0.5);
    slope->full_high = (int64_t)(degrees.max * TR_SCATTER_DEGREE + 0.5);
    slope->low = slope->full_low - (int64_t)(degrees.ramp * TR_SCATTER_DEGREE + 0.5);
    slope->high = slope->full_high + (int64_t)(degrees.ramp * TR_SCATTER_DEGREE + 0.5);
    return status;
}

static enum tr_status read_height(const struct reader *reader, const cJSON *layer)
{
    struct tr_scatter_band *height = &reader->layer->height;
    struct band_numbers metres;
    enum tr_status status =
        read_band(reader, layer, "height", -METRES_MAX, METRES_MAX, &metres, &height->is_used);

    height->full_low = units_of(reader, metres.min);
    height->full_high = units_of(reader, metres.max);
    height->low = height->full_low - units_of(reader, metres.ramp);
    height->high = height->full_high + units_of(reader, metres.ramp);
    return status;
}

static enum tr_status read_splat(const struct reader *reader, const cJSON *layer)
{
    static const char *const names[TR_SPLAT_WEIGHTS] = {[TR_SPLAT_GRASS] = "grass",
                                                        [TR_SPLAT_ROCK] = "rock",
                                                        [TR_SPLAT_SAND] = "sand",
                                                        [TR_SPLAT_SOIL] = "soil"};
    static const struct tr_field fields[] = {
        {"grass", false}, {"rock", false}, {"sand", false}, {"soil", false}};
    char inside[INSIDE_BYTES];
    const cJSON *value = tr_form_find(layer, "splat");
    struct tr_place place = place_in(reader, "splat", inside);
    enum tr_status status = TR_OK;

    reader->layer->has_splat = value != NULL;
    if (value)
        status = check_object(reader, "splat", value, &place, fields, COUNT(fields));
    for (int i = 0; i < TR_SPLAT_WEIGHTS && value && status == TR_OK; i++)
        status = read_fraction(&place, value, names[i], &reader->layer->splat[i]);
    return status;
}

static enum tr_status read_wavelength(const struct reader *reader, const struct tr_place *place,
                                      const cJSON *value, int64_t *wavelength)
{
    double metres = 0.0, unit = reader->voxel_size / TR_UNITS;
    enum tr_status status = tr_form_positive(place, "wavelength", value, &metres);

    *wavelength = units_of(reader, metres);
    if (status == TR_OK &&
        (*wavelength < TR_SCATTER_WAVELENGTH_MIN || *wavelength > TR_SCATTER_WAVELENGTH_MAX))
        status = tr_form_check_range(place, "wavelength", value, TR_SCATTER_WAVELENGTH_MIN * unit,
                                     TR_SCATTER_WAVELENGTH_MAX * unit, metres);
    return status;
}

static enum tr_status read_noise(const struct reader *reader, const cJSON *layer)
{
    static const struct tr_field fields[] = {
        {"from", false}, {"octaves", false}, {"seed", false}, {"to", false}, {"wavelength", true}};
    char inside[INSIDE_BYTES];
    const cJSON *value = tr_form_find(layer, "noise"), *octaves, *seed;
    struct tr_place place = place_in(reader, "noise", inside);
    struct tr_scatter_noise *noise = &reader->layer->noise;
    uint32_t from = 0, to = TR_SCATTER_ONE;
    int64_t octave_count = 1, seed_number = 0;
    enum tr_status status;

    if (!value)
        return TR_OK;
    status = check_object(reader, "noise", value, &place, fields, COUNT(fields));
    if (status != TR_OK)
        return status;
    octaves = tr_form_find(value, "octaves");
    seed = tr_form_find(value, "seed");
    status = read_wavelength(reader, &place, tr_form_find(value, "wavelength"), &noise->wavelength);
    if (status == TR_OK && octaves)
        status = tr_form_integer(&place, "octaves", octaves, 1, TR_SCATTER_OCTAVES_MAX, &octave_count);
    if (status == TR_OK && seed)
        status = tr_form_integer(&place, "seed", seed, 0, UINT32_MAX, &seed_number);
    if (status == TR_OK)
        status = read_fraction(&place, value, "from", &from);
    if (status == TR_OK)
        status = read_fraction(&place, value, "to", &to);
    noise->octaves = (uint32_t)octave_count;
    noise->seed = (uint32_t)seed_number;
    noise->from = (int32_t)from;
    noise->to = (int32_t)to;
    return status;
}

static enum tr_status read_avoid(const struct reader *reader, const cJSON *layer)
{
    static const char *const names[] = {"overhang", "cave", "edited"};
    static const struct tr_choice choice = {"avoid", "ground", names, COUNT(names)};
    const cJSON *value = tr_form_find(layer, "avoid");
    bool avoids[COUNT(names)] = {true, true, false};
    size_t index = 0;
    enum tr_status status = TR_OK;

    if (value && !cJSON_IsArray(value))
        return tr_place_fail_found(&reader->place, "avoid", value, "an array");
    if (value)
        memset(avoids, 0, sizeof avoids);
    for (const cJSON *item = value ? value->child : NULL; item && status == TR_OK; item = item->next) {
        status = tr_form_choice(&reader->place, &choice, item, &index);
        if (status == TR_OK && avoids[index])
            status = tr_place_fail(&reader->place, item, "\"avoid\"%s names '%s' twice", reader->place.inside,
                                   names[index]);
        if (status == TR_OK)
            avoids[index] = true;
    }
    reader->layer->avoids_overhang = avoids[0];
    reader->layer->avoids_cave = avoids[1];
    reader->layer->avoids_edited = avoids[2];
    return status;
}

/* ---- what a layer is ---- */

static enum tr_status add_model(const struct tr_place *place, const cJSON *value, const char *name,
                                int64_t weight, struct tr_scatter_layer *layer)
{
    /* a name may be a key, which forms do not check */
    const cJSON named = {.type = cJSON_String, .valuestring = (char *)name, .valueint = value->valueint};
    struct tr_scatter_model *model = &layer->models[layer->model_count++];

    model->weight = (uint32_t)weight;
    layer->weight_sum += model->weight;
    return tr_form_name(place, "model", &named, model->name);
}

/* One name, or an object of names with weights. */
static enum tr_status read_model(const struct reader *reader, const cJSON *value)
{
    struct tr_scatter_layer *layer = reader->layer;
    char inside[INSIDE_BYTES];
    struct tr_place place = place_in(reader, "model", inside);
    int count = cJSON_IsObject(value) ? cJSON_GetArraySize(value) : 1;
    enum tr_status status = TR_OK;

    if (!cJSON_IsString(value) && !cJSON_IsObject(value))
        return tr_place_fail_found(&reader->place, "model", value,
                                   "a name, or an object of names with weights");
    if (count < 1 || count > TR_SCATTER_MODELS_MAX)
        return tr_place_fail(&reader->place, value, "\"model\"%s must have 1 to %d names, found %d",
                             reader->place.inside, TR_SCATTER_MODELS_MAX, count);
    layer->models = tr_alloc((size_t)count, sizeof *layer->models, reader->place.error);
    if (!layer->models)
        return TR_IO;
    if (cJSON_IsString(value))
        return add_model(&reader->place, value, value->valuestring, 1, layer);
    for (const cJSON *item = value->child; item && status == TR_OK; item = item->next) {
        int64_t weight = 1;

        status = tr_form_integer(&place, item->string, item, 1, 1e6, &weight);
        if (status == TR_OK)
            status = add_model(&reader->place, item, item->string, weight, layer);
    }
    return status;
}

static enum tr_status read_cell(const struct reader *reader, const cJSON *value)
{
    double metres = 0.0, unit = reader->voxel_size / TR_UNITS;
    int64_t cell;
    enum tr_status status = tr_form_positive(&reader->place, "cell", value, &metres);

    cell = units_of(reader, metres);
    if (status == TR_OK && (cell < TR_SCATTER_CELL_MIN || cell > TR_SCATTER_CELL_MAX))
        status = tr_form_check_range(&reader->place, "cell", value, TR_SCATTER_CELL_MIN * unit,
                                     TR_SCATTER_CELL_MAX * unit, metres);
    reader->layer->cell = cell;
    return status;
}

/* The layer of that id, of those read so far with the one that is being read; or none. */
static bool find_layer(const struct tr_scatter_rules *rules, const char *id, uint32_t *index)
{
    for (*index = 0; *index < rules->layer_count; ++*index)
        if (strcmp(rules->layers[*index].id, id) == 0)
            return true;
    return false;
}

static enum tr_status read_distance(const struct reader *reader, const struct tr_place *place,
                                    const cJSON *item, struct tr_scatter_distance *distance)
{
    double metres = 0.0, most;
    enum tr_status status;

    if (!find_layer(reader->rules, item->string, &distance->layer))
        return tr_place_fail(place, item, "\"%s\"%s is no layer before this one, nor this one itself",
                             item->string, place->inside);
    most = (double)(TR_SCATTER_REACH_MAX * reader->rules->layers[distance->layer].cell) * reader->voxel_size /
           TR_UNITS;
    status = tr_form_positive(place, item->string, item, &metres);
    if (status == TR_OK)
        status = tr_form_check_range(place, item->string, item, 0.0, most, metres);
    distance->units = units_of(reader, metres);
    return status;
}

static enum tr_status read_distances(const struct reader *reader, const cJSON *layer)
{
    char inside[INSIDE_BYTES];
    const cJSON *value = tr_form_find(layer, "distance");
    struct tr_place place = place_in(reader, "distance", inside);
    enum tr_status status = value ? tr_form_object(&reader->place, "distance", value) : TR_OK;

    if (!value || status != TR_OK)
        return status;
    reader->layer->distances =
        tr_alloc((size_t)cJSON_GetArraySize(value), sizeof *reader->layer->distances, reader->place.error);
    if (!reader->layer->distances)
        return TR_IO;
    for (const cJSON *item = value->child; item && status == TR_OK; item = item->next)
        status =
            read_distance(reader, &place, item, &reader->layer->distances[reader->layer->distance_count++]);
    return status;
}

static enum tr_status read_id(const struct reader *reader, const cJSON *value, uint64_t seed)
{
    struct tr_scatter_layer *layer = reader->layer;
    char id[TR_EDIT_ID_BYTES];
    uint32_t other;
    enum tr_status status = tr_form_name(&reader->place, "id", value, id);

    if (status != TR_OK)
        return status;
    if (find_layer(reader->rules, id, &other))
        return tr_place_fail(&reader->place, value, "\"id\"%s is '%s', as that of \"layers[%u]\"",
                             reader->place.inside, id, other);
    memcpy(layer->id, id, sizeof id);
    layer->key = tr_scatter_mix(seed ^ tr_hash_bytes(id, strlen(id)).lo);
    return TR_OK;
}

/* How an instance stands: scale, yaw, alignment, and how far it may be from its cell's middle. */
static enum tr_status read_pose(const struct reader *reader, const cJSON *value)
{
    struct tr_scatter_layer *layer = reader->layer;
    double scale[2] = {1.0, 1.0}, yaw[2] = {0.0, 360.0};
    enum tr_status status = read_span(&reader->place, value, "scale", 0.001, 1000.0, scale);

    if (status == TR_OK)
        status = read_span(&reader->place, value, "yaw", 0.0, 360.0, yaw);
    layer->align = 0;
    if (status == TR_OK)
        status = read_fraction(&reader->place, value, "align", &layer->align);
    layer->jitter = TR_SCATTER_ONE;
    if (status == TR_OK)
        status = read_fraction(&reader->place, value, "jitter", &layer->jitter);
    for (int i = 0; i < 2 && status == TR_OK; i++) {
        layer->scale[i] = (uint32_t)(scale[i] * TR_SCATTER_ONE + 0.5);
        layer->yaw[i] = (uint32_t)(yaw[i] / 360.0 * 65536.0 + 0.5);
    }
    return status;
}

static enum tr_status read_ground(const struct reader *reader, const cJSON *value)
{
    struct tr_scatter_layer *layer = reader->layer;
    double density = 1.0, roof = 4.0;
    enum tr_status status = read_range(&reader->place, value, "density", 0.0, 1.0, &density);

    layer->density = (uint64_t)(density * 0x1p32 + 0.5);
    if (status == TR_OK)
        status = read_slope(reader, value);
    if (status == TR_OK)
        status = read_height(reader, value);
    if (status == TR_OK)
        status = read_splat(reader, value);
    if (status == TR_OK)
        status = read_noise(reader, value);
    if (status == TR_OK)
        status = read_avoid(reader, value);
    if (status == TR_OK)
        status = read_range(&reader->place, value, "roof", 0.0, METRES_MAX, &roof);
    layer->roof = units_of(reader, roof);
    return status;
}

static enum tr_status read_layer(const struct reader *reader, const cJSON *value, uint64_t seed)
{
    static const struct tr_field fields[] = {
        {"align", false},  {"avoid", false}, {"cell", true},    {"density", false}, {"distance", false},
        {"height", false}, {"id", true},     {"jitter", false}, {"model", true},    {"noise", false},
        {"roof", false},   {"scale", false}, {"slope", false},  {"splat", false},   {"yaw", false}};
    char found[TR_FOUND_TEXT_BYTES];
    enum tr_status status;

    if (!cJSON_IsObject(value))
        return tr_place_fail(&reader->place, value, "a layer must be an object, found %s",
                             tr_found_text(value, found));
    status = tr_form_check(&reader->place, value, fields, COUNT(fields));
    if (status == TR_OK)
        status = read_id(reader, tr_form_find(value, "id"), seed);
    reader->rules->layer_count++;
    if (status == TR_OK)
        status = read_model(reader, tr_form_find(value, "model"));
    if (status == TR_OK)
        status = read_cell(reader, tr_form_find(value, "cell"));
    if (status == TR_OK)
        status = read_pose(reader, value);
    if (status == TR_OK)
        status = read_ground(reader, value);
    return status == TR_OK ? read_distances(reader, value) : status;
}

/* ---- the document ---- */

static enum tr_status read_head(const struct tr_place *place, const cJSON *head, uint64_t *seed)
{
    static const struct tr_field fields[] = {
        {"format", true}, {"layers", true}, {"seed", false}, {"version", true}};
    const cJSON *format, *version, *seed_value;
    char found[TR_FOUND_TEXT_BYTES];
    enum tr_status status;

    if (!cJSON_IsObject(head))
        return tr_place_fail(place, head, "rules must be an object, found %s", tr_found_text(head, found));
    status = tr_form_check(place, head, fields, COUNT(fields));
    if (status != TR_OK)
        return status;
    format = tr_form_find(head, "format");
    version = tr_form_find(head, "version");
    seed_value = tr_form_find(head, "seed");
    if (!cJSON_IsString(format) || strcmp(format->valuestring, FORMAT_NAME) != 0)
        return tr_place_fail_found(place, "format", format, "\"" FORMAT_NAME "\"");
    if (!cJSON_IsNumber(version) || version->valuedouble != FORMAT_VERSION)
        return tr_place_fail(place, version, "version %s of the format is not supported, expected %d",
                             tr_found_text(version, found), FORMAT_VERSION);
    *seed = 0;
    return seed_value ? tr_form_seed(place, "seed", seed_value, seed) : TR_OK;
}

static enum tr_status read_layers(struct reader *reader, const cJSON *layers, uint64_t seed)
{
    int count = cJSON_IsArray(layers) ? cJSON_GetArraySize(layers) : 0;
    char inside[INSIDE_BYTES];
    enum tr_status status = TR_OK;

    if (!cJSON_IsArray(layers))
        return tr_place_fail_found(&reader->place, "layers", layers, "an array");
    if (count < 1 || count > TR_SCATTER_LAYERS_MAX)
        return tr_place_fail(&reader->place, layers, "\"layers\" must be 1 to %d, found %d",
                             TR_SCATTER_LAYERS_MAX, count);
    reader->rules->layers = tr_alloc((size_t)count, sizeof *reader->rules->layers, reader->place.error);
    if (!reader->rules->layers)
        return TR_IO;
    reader->place.inside = inside;
    for (const cJSON *item = layers->child; item && status == TR_OK; item = item->next) {
        reader->number = reader->rules->layer_count;
        reader->layer = &reader->rules->layers[reader->number];
        snprintf(inside, sizeof inside, " in \"layers[%u]\"", reader->number);
        status = read_layer(reader, item, seed);
    }
    return status;
}

enum tr_status tr_scatter_rules_read(const char *text, size_t size_bytes, const char *name, double voxel_size,
                                     struct tr_scatter_rules *rules, struct tr_error *error)
{
    struct reader reader = {
        .place = {.name = name, .error = error}, .voxel_size = voxel_size, .rules = rules};
    cJSON *document = NULL;
    uint64_t seed = 0;
    enum tr_status status = tr_json_parse(text, size_bytes, name, 1, &document, error);

    *rules = (struct tr_scatter_rules){0};
    for (int i = 0; i < TR_SCATTER_SLOPES; i++)
        rules->cosines[i] = (int32_t)(tr_cos(i * (PI / 180.0 / TR_SCATTER_DEGREE)) * 0x1p30 + 0.5);
    rules->cosines[TR_SCATTER_SLOPES - 1] = 0;
    if (status == TR_OK)
        status = read_head(&reader.place, document, &seed);
    if (status == TR_OK)
        status = read_layers(&reader, tr_form_find(document, "layers"), seed);
    cJSON_Delete(document);
    return status;
}

void tr_scatter_rules_release(struct tr_scatter_rules *rules)
{
    for (uint32_t i = 0; i < rules->layer_count; i++) {
        free(rules->layers[i].models);
        free(rules->layers[i].distances);
    }
    free(rules->layers);
    *rules = (struct tr_scatter_rules){0};
}
