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

/* To the nearest millionth, in as few digits. (tr_number_text finds the fewest for any double, and takes its time.) */
static void write_millionths(struct tr_writer *out, double value)
{
    int64_t whole = (int64_t)((value < 0 ? -value : value) * 1e6 + 0.5);
    int digits = 6;

    if (value < 0 && whole > 0)
        tr_write_u8(out, '-');
    tr_write_text(out, "%" PRId64, whole / 1000000);
    whole %= 1000000;
    if (whole == 0)
        return;
    for (; whole % 10 == 0; digits--)
        whole /= 10;
    tr_write_text(out, ".%0*" PRId64, digits, whole);
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
    tr_form_write_numbers(out, "cell", cell, 2);
    if (instance->floor > 0)
        tr_form_write_number(out, "floor", instance->floor);
    tr_form_write_numbers(out, "at", at, 3);
    tr_form_write_key(out, "rotation");
    for (int i = 0; i < 4; i++) {
        tr_write_u8(out, i == 0 ? '[' : ',');
        write_millionths(out, rotation[i]);
    }
    tr_write_u8(out, ']');
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
