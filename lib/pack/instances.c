/* See instances.h. Rotations are computed in double by + - * / and sqrt, and sin and cos of our own, so they are the same everywhere. */
#include "lib/pack/instances_parts.h"

#include "lib/base/dmath.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PI 3.14159265358979323846
#define LENGTH_MIN 1e-6 /* of what a direction is made from, else it has none */

void tr_instances_release(struct tr_instances *instances)
{
    size_t chunks = (size_t)instances->size_x * (size_t)instances->size_z;

    for (uint32_t i = 0; i < instances->layer_count; i++) {
        for (size_t j = 0; j < chunks && instances->layers[i].chunks; j++)
            free(instances->layers[i].chunks[j].items);
        free(instances->layers[i].chunks);
        free(instances->layers[i].models);
    }
    free(instances->layers);
    *instances = (struct tr_instances){0};
}

uint64_t tr_instances_count(const struct tr_instances *instances, uint32_t layer)
{
    size_t chunks = (size_t)instances->size_x * (size_t)instances->size_z;
    uint64_t count = 0;

    for (size_t j = 0; j < chunks; j++)
        count += instances->layers[layer].chunks[j].count;
    return count;
}

/* ---- walking ---- */

struct tr_instance_area tr_instances_area(const struct tr_instances *instances)
{
    return (struct tr_instance_area){0, 0, instances->size_x, instances->size_z};
}

void tr_instance_begin(struct tr_instance_walk *walk, const struct tr_instances *instances, uint32_t layer,
                       uint32_t model, struct tr_instance_area area)
{
    *walk = (struct tr_instance_walk){.instances = instances,
                                      .layer = &instances->layers[layer],
                                      .model = model,
                                      .area = area,
                                      .cx = area.x0,
                                      .cz = area.z0};
}

const struct tr_instance *tr_instance_next(struct tr_instance_walk *walk)
{
    while (walk->cz < walk->area.z1) {
        const struct tr_instance_list *list =
            &walk->layer->chunks[(size_t)walk->cz * (size_t)walk->instances->size_x + (size_t)walk->cx];

        while (walk->next < list->count) {
            const struct tr_instance *instance = &list->items[walk->next++];

            if (instance->model == walk->model)
                return instance;
        }
        walk->next = 0;
        if (++walk->cx == walk->area.x1) {
            walk->cx = walk->area.x0;
            walk->cz++;
        }
    }
    return NULL;
}

/* ---- rotation ---- */

static double length_of(const double *v, int count)
{
    double sum = 0.0;

    for (int i = 0; i < count; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Where up points: from (0, 1, 0) by `align` of 65536 to the normal. */
static void find_up(uint32_t align, uint32_t octahedral, double up[3])
{
    double part = align / 65536.0, length;
    float normal[3];

    tr_export_normal(octahedral, normal);
    for (int i = 0; i < 3; i++)
        up[i] = part * normal[i];
    up[1] += 1.0 - part;
    length = length_of(up, 3);
    for (int i = 0; i < 3; i++)
        up[i] = length < LENGTH_MIN ? i == 1 : up[i] / length;
}

/* The shortest turn that takes (0, 1, 0) to `up`. */
static void turn_to(const double up[3], double turn[4])
{
    const double made[4] = {up[2], 0.0, -up[0], 1.0 + up[1]};
    double length = length_of(made, 4);

    for (int i = 0; i < 4; i++)
        turn[i] = length < LENGTH_MIN ? i == 0 : made[i] / length; /* straight down: half a turn about x */
}

void tr_instance_rotation(const struct tr_instance_layer *layer, const struct tr_instance *instance,
                          double rotation[4])
{
    double half = instance->yaw * (PI / 65536.0), s = tr_sin(half), c = tr_cos(half), up[3], turn[4];

    find_up(layer->align, instance->normal, up);
    turn_to(up, turn);
    rotation[0] = turn[0] * c - turn[2] * s;
    rotation[1] = turn[3] * s;
    rotation[2] = turn[0] * s + turn[2] * c;
    rotation[3] = turn[3] * c;
}

/* ---- the file ---- */

bool tr_instances_format_named(const char *name, enum tr_instance_format *format)
{
    *format = strcasecmp(name, "glb") == 0 ? TR_INSTANCES_GLB : TR_INSTANCES_JSON;
    return *format == TR_INSTANCES_GLB || strcasecmp(name, "json") == 0;
}

bool tr_instances_format_of(const char *path, enum tr_instance_format *format)
{
    const char *dot = strrchr(path, '.');

    return dot && tr_instances_format_named(dot + 1, format);
}

enum tr_status tr_instances_write(const struct tr_instances *instances, const char *path,
                                  enum tr_instance_format format, bool replace, uint64_t *file_bytes,
                                  struct tr_error *error)
{
    struct tr_sink sink = {0};
    enum tr_status status = tr_sink_open(&sink, path, replace, error);

    if (status == TR_OK)
        status = format == TR_INSTANCES_GLB ? tr_instances_glb(instances, &sink, error)
                                            : tr_instances_json(instances, &sink, error);
    if (status == TR_OK)
        status = tr_sink_commit(&sink, error);
    *file_bytes = sink.written_bytes;
    tr_sink_release(&sink);
    return status;
}
