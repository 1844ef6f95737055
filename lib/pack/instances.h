/* Instances of models on a world's ground, and the files they are exported to: JSON, and GLB with EXT_mesh_gpu_instancing.
 *
 * Both group instances by layer and model, GLB by square tiles of TR_INSTANCE_TILE chunks as well, so that engines can cull them and floats
 * hold positions exactly: a tile's node is translated to its corner, and instances are placed from there. No model is in the GLB: a node
 * says in its extras which layer and model it stands for, and its mesh, named after the model, is a pyramid of 1 m. A reader without the
 * extension must refuse the file, since it is required.
 *
 * Within a group instances go by chunk (rows from the north, west to east), in it by cell and floor. A cell, with the layer, names an
 * instance across bakes. */
#ifndef TR_PACK_INSTANCES_H
#define TR_PACK_INSTANCES_H

#include "lib/base/hash.h"
#include "lib/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TR_INSTANCE_TILE 16 /* chunks */

struct tr_instance {
    int32_t cell_x, cell_z; /* of its layer */
    int32_t y;              /* units */
    uint32_t normal;        /* of the ground, octahedral */
    uint32_t scale;         /* 65536: as the model is */
    uint16_t x, z;          /* units from its chunk's corner */
    uint16_t yaw;           /* 65536ths of a turn about up, from z to x */
    uint16_t model;
    uint16_t floor; /* from above, 0 under the open sky */
    bool is_dropped;
};

struct tr_instance_list {
    struct tr_instance *items;
    size_t count, capacity;
};

/* Names belong to whoever made the layer. */
struct tr_instance_layer {
    const char *id;
    const char **models;
    uint32_t model_count;
    uint32_t align;                  /* how far up turns to the normal, of 65536 */
    struct tr_instance_list *chunks; /* [cz][cx] */
};

struct tr_instances {
    int32_t size_x, size_z; /* of the world, chunks */
    double voxel_size;
    struct tr_hash world_hash;
    struct tr_instance_layer *layers;
    uint32_t layer_count;
};
void tr_instances_release(struct tr_instances *instances);
uint64_t tr_instances_count(const struct tr_instances *instances, uint32_t layer);

/* Unit quaternion x, y, z, w: yaw about up, then up turned toward the normal. */
void tr_instance_rotation(const struct tr_instance_layer *layer, const struct tr_instance *instance,
                          double rotation[4]);

enum tr_instance_format { TR_INSTANCES_JSON, TR_INSTANCES_GLB };
bool tr_instances_format_named(const char *name, enum tr_instance_format *format);
/* By the path's extension (any case); false when it is none of ours. */
bool tr_instances_format_of(const char *path, enum tr_instance_format *format);

/* A GLB above 4 GiB is TR_BAD_INPUT. */
enum tr_status tr_instances_write(const struct tr_instances *instances, const char *path,
                                  enum tr_instance_format format, bool replace, uint64_t *file_bytes,
                                  struct tr_error *error);

#endif
