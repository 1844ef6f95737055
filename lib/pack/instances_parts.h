/* What the two formats of instances share. Private to lib/pack. */
#ifndef TR_PACK_INSTANCES_PARTS_H
#define TR_PACK_INSTANCES_PARTS_H

#include "lib/pack/export_parts.h"
#include "lib/pack/instances.h"

/* A rectangle of chunks, ends not included. */
struct tr_instance_area {
    int32_t x0, z0, x1, z1;
};
struct tr_instance_area tr_instances_area(const struct tr_instances *instances);

/* The instances of one model of a layer in an area, in order. */
struct tr_instance_walk {
    const struct tr_instances *instances;
    const struct tr_instance_layer *layer;
    uint32_t model;
    struct tr_instance_area area;
    int32_t cx, cz; /* the chunk of what tr_instance_next gave last */
    size_t next;    /* in its list */
};
void tr_instance_begin(struct tr_instance_walk *walk, const struct tr_instances *instances, uint32_t layer,
                       uint32_t model, struct tr_instance_area area);
const struct tr_instance *tr_instance_next(struct tr_instance_walk *walk); /* NULL behind the last */

enum tr_status tr_instances_json(const struct tr_instances *instances, struct tr_sink *sink,
                                 struct tr_error *error);
enum tr_status tr_instances_glb(const struct tr_instances *instances, struct tr_sink *sink,
                                struct tr_error *error);

#endif
