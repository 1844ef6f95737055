/* Instances as JSON, one a line:
 *
 *   {"format":"terrain-instances","version":1,"voxel_size":1,"world":"<hash>","groups":[
 *   {"count":2,"layer":"oaks","model":"oak","instances":[
 *   {"cell":[3,4],"at":[20.5,31.25,25],"rotation":[0,0.382683,0,0.92388],"scale":1.25},
 *   ...
 *
 * at: metres, exact; rotation: a quaternion x, y, z, w; scale: as the model is times it; both rounded to millionths. An instance under
 * ground has "floor", counted from above, which belongs to its name as the cell does. */
#include "lib/edit/form.h"
#include "lib/pack/instances_parts.h"

#include <inttypes.h>

/* whole / 10^digits in as few characters; |whole| < 10^18, digits at most 17. */
static void write_decimal(struct tr_writer *out, int64_t whole, int digits)
{
    char text[24];
    size_t at = sizeof text;
    uint64_t left = whole < 0 ? -(uint64_t)whole : (uint64_t)whole;

    for (; digits > 0 && left % 10 == 0; digits--)
        left /= 10;
    for (int written = 0; left > 0 || written <= digits; written++) {
        if (written == digits && written > 0)
            text[--at] = '.';
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    }
    if (whole < 0)
        text[--at] = '-';
    tr_write_bytes(out, text + at, sizeof text - at);
}

static void write_millionths(struct tr_writer *out, double value)
{
    write_decimal(out, (int64_t)(value * 1e6 + (value < 0 ? -0.5 : 0.5)), 6);
}

/* The fewest digits that read back as the same number. Where ten decimals are enough and 15 digits in all, no other number of that many is as near,
 * and a division of two integers finds whether it reads back; tr_number_text, which tries all lengths, takes far longer. */
static void write_exact(struct tr_writer *out, double value)
{
    const double limit = 1e5, scale = 1e10;
    int64_t whole = 0;

    if (value > -limit && value < limit)
        whole = (int64_t)(value * scale + (value < 0 ? -0.5 : 0.5));
    if ((double)whole / scale == value)
        write_decimal(out, whole, 10);
    else
        tr_form_write_value(out, value);
}

static void write_list(struct tr_writer *out, const char *key, const double *numbers, int count,
                       void (*write)(struct tr_writer *out, double value))
{
    tr_form_write_key(out, key);
    for (int i = 0; i < count; i++) {
        tr_write_u8(out, i == 0 ? '[' : ',');
        write(out, numbers[i]);
    }
    tr_write_u8(out, ']');
}

static void write_instance(const struct tr_instance_walk *walk, const struct tr_instance *instance,
                           struct tr_writer *out)
{
    const int32_t chunk_units = TR_CHUNK * TR_UNITS;
    const double metres = walk->instances->voxel_size / TR_UNITS;
    const double cell[2] = {instance->cell_x, instance->cell_z};
    const double at[3] = {(double)((int64_t)walk->cx * chunk_units + instance->x) * metres,
                          instance->y * metres,
                          (double)((int64_t)walk->cz * chunk_units + instance->z) * metres};
    double rotation[4];

    tr_instance_rotation(walk->layer, instance, rotation);
    tr_write_u8(out, '{');
    write_list(out, "cell", cell, 2, write_exact);
    if (instance->floor > 0)
        tr_form_write_number(out, "floor", instance->floor);
    write_list(out, "at", at, 3, write_exact);
    write_list(out, "rotation", rotation, 4, write_millionths);
    tr_form_write_key(out, "scale");
    write_millionths(out, instance->scale / 65536.0);
    tr_write_u8(out, '}');
}

static enum tr_status write_group(const struct tr_instances *instances, uint32_t layer, uint32_t model,
                                  struct tr_sink *sink, struct tr_error *error)
{
    struct tr_instance_walk walk;
    const struct tr_instance *instance;
    struct tr_writer *out = &sink->batch;
    uint64_t count = 0;
    enum tr_status status = TR_OK;

    tr_instance_begin(&walk, instances, layer, model, tr_instances_area(instances));
    while (tr_instance_next(&walk))
        count++;
    tr_write_text(out, "{\"count\":%" PRIu64, count);
    tr_form_write_string(out, "layer", walk.layer->id);
    tr_form_write_string(out, "model", walk.layer->models[model]);
    tr_write_text(out, ",\"instances\":[");
    tr_instance_begin(&walk, instances, layer, model, tr_instances_area(instances));
    for (uint64_t i = 0; (instance = tr_instance_next(&walk)) && status == TR_OK; i++) {
        tr_write_text(out, i == 0 ? "\n" : ",\n");
        write_instance(&walk, instance, out);
        status = tr_sink_pump(sink, error);
    }
    tr_write_text(out, "]}");
    return status;
}

enum tr_status tr_instances_json(const struct tr_instances *instances, struct tr_sink *sink,
                                 struct tr_error *error)
{
    char world[33];
    enum tr_status status = TR_OK;

    tr_hash_text(instances->world_hash, world);
    tr_write_text(&sink->batch, "{\"format\":\"terrain-instances\",\"version\":1");
    tr_form_write_number(&sink->batch, "voxel_size", instances->voxel_size);
    tr_form_write_string(&sink->batch, "world", world);
    tr_write_text(&sink->batch, ",\"groups\":[");
    for (uint32_t layer = 0; layer < instances->layer_count; layer++)
        for (uint32_t model = 0; model < instances->layers[layer].model_count && status == TR_OK; model++) {
            tr_write_text(&sink->batch, layer + model == 0 ? "\n" : ",\n");
            status = write_group(instances, layer, model, sink, error);
        }
    tr_write_text(&sink->batch, "]}\n");
    return status;
}
