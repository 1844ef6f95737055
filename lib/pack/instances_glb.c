/* Instances as GLB: glTF 2.0 with EXT_mesh_gpu_instancing, one node for each layer, model and tile that has any.
 *
 *   BIN   the marker's positions (12 bytes a vertex) and indices (2 bytes, padded); then of all nodes, one behind another:
 *         translations (12 bytes an instance), rotations (16), scales (12), all floats
 *
 * Accessors 0 and 1 are the marker's; node n has 2 + 3n (translation), and behind it rotation and scale. A translation is taken from the
 * tile's corner at y = 0: fewer than 2^24 units, so it is exact where the voxel size is a power of two. */
#include "lib/edit/form.h"
#include "lib/pack/instances_parts.h"

#include "lib/base/alloc.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#define GLB_HEADER_BYTES 12
#define CHUNK_HEADER_BYTES 8
#define GLB_MAGIC 0x46546c67u
#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN 0x004e4942u
#define INSTANCE_BYTES 40u

/* A square pyramid, 1 m high, counter-clockwise from outside. */
static const float marker_vertices[5][3] = {
    {-0.25f, 0, -0.25f}, {0.25f, 0, -0.25f}, {0.25f, 0, 0.25f}, {-0.25f, 0, 0.25f}, {0, 1, 0}};
static const uint16_t marker_indices[18] = {0, 1, 2, 0, 2, 3, 3, 2, 4, 2, 1, 4, 1, 0, 4, 0, 3, 4};
#define MARKER_VERTEX_BYTES sizeof marker_vertices
#define MARKER_INDEX_BYTES sizeof marker_indices /* a multiple of 4 */

static_assert(sizeof marker_indices % 4 == 0, "what follows the indices is aligned");

struct node {
    uint32_t layer, model, mesh;
    struct tr_instance_area tile;
    uint64_t count;
};

struct glb {
    const struct tr_instances *instances;
    struct node *nodes; /* by layer, model, tile */
    size_t node_count, node_capacity;
    uint32_t mesh_count; /* pairs of layer and model that have a node */
    uint64_t count;      /* of all instances */
};

/* ---- nodes ---- */

static enum tr_status add_node(struct glb *glb, struct node node, struct tr_error *error)
{
    struct tr_instance_walk walk;

    tr_instance_begin(&walk, glb->instances, node.layer, node.model, node.tile);
    while (tr_instance_next(&walk))
        node.count++;
    if (node.count == 0)
        return TR_OK;
    if (tr_grow(&glb->nodes, &glb->node_capacity, glb->node_count + 1, sizeof *glb->nodes, error) != TR_OK)
        return TR_IO;
    glb->nodes[glb->node_count++] = node;
    glb->count += node.count;
    return TR_OK;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* The nodes of one model. */
static enum tr_status add_nodes(struct glb *glb, uint32_t layer, uint32_t model, struct tr_error *error)
{
    const struct tr_instance_area world = tr_instances_area(glb->instances);
    size_t before = glb->node_count;
    enum tr_status status = TR_OK;

    for (int32_t z = 0; z < world.z1; z += TR_INSTANCE_TILE)
        for (int32_t x = 0; x < world.x1 && status == TR_OK; x += TR_INSTANCE_TILE) {
            struct node node = {.layer = layer, .model = model, .mesh = glb->mesh_count};

            node.tile = (struct tr_instance_area){x, z, least(x + TR_INSTANCE_TILE, world.x1),
                                                  least(z + TR_INSTANCE_TILE, world.z1)};
            status = add_node(glb, node, error);
        }
    glb->mesh_count += glb->node_count > before;
    return status;
}

/* ---- JSON ---- */

static void write_scene(const struct glb *glb, struct tr_writer *json)
{
    tr_write_text(json, "\"scene\":0,\"scenes\":[{");
    for (size_t i = 0; i < glb->node_count; i++)
        tr_write_text(json, "%s%zu", i == 0 ? "\"nodes\":[" : ",", i);
    tr_write_text(json, glb->node_count > 0 ? "]}]" : "}]");
}

static void write_node(const struct glb *glb, size_t i, struct tr_writer *json)
{
    const struct node *node = &glb->nodes[i];
    const struct tr_instance_layer *layer = &glb->instances->layers[node->layer];
    const double chunk_m = TR_CHUNK * glb->instances->voxel_size;
    const double corner[3] = {node->tile.x0 * chunk_m, 0.0, node->tile.z0 * chunk_m};

    tr_write_text(json, "{\"mesh\":%u", node->mesh);
    tr_form_write_numbers(json, "translation", corner, 3);
    tr_write_text(json, ",\"extras\":{");
    tr_form_write_string(json, "layer", layer->id);
    tr_form_write_string(json, "model", layer->models[node->model]);
    tr_write_text(json,
                  "},\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":%zu,"
                  "\"ROTATION\":%zu,\"SCALE\":%zu}}}}",
                  2 + 3 * i, 3 + 3 * i, 4 + 3 * i);
}

static void write_nodes(const struct glb *glb, struct tr_writer *json)
{
    tr_write_text(json, ",\"nodes\":[");
    for (size_t i = 0; i < glb->node_count; i++) {
        tr_write_text(json, i == 0 ? "" : ",");
        write_node(glb, i, json);
    }
    tr_write_text(json, "],\"meshes\":[");
    for (size_t i = 0; i < glb->node_count; i++) {
        const struct node *node = &glb->nodes[i];

        if (i > 0 && glb->nodes[i - 1].mesh == node->mesh)
            continue;
        tr_write_text(json, i == 0 ? "{" : ",{");
        tr_form_write_string(json, "name", glb->instances->layers[node->layer].models[node->model]);
        tr_write_text(json, ",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}");
    }
    tr_write_text(json, "]");
}

static void write_accessors(const struct glb *glb, struct tr_writer *json)
{
    uint64_t before = 0;

    tr_write_text(json,
                  ",\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":\"VEC3\","
                  "\"min\":[-0.25,0,-0.25],\"max\":[0.25,1,0.25]},"
                  "{\"bufferView\":1,\"componentType\":5123,\"count\":18,\"type\":\"SCALAR\"}");
    for (size_t i = 0; i < glb->node_count; i++) {
        for (unsigned part = 0; part < 3; part++)
            tr_write_text(json,
                          ",{\"bufferView\":%u,\"byteOffset\":%" PRIu64
                          ",\"componentType\":5126,\"count\":%" PRIu64 ",\"type\":\"VEC%d\"}",
                          2 + part, before * (part == 1 ? 16 : 12), glb->nodes[i].count, part == 1 ? 4 : 3);
        before += glb->nodes[i].count;
    }
    tr_write_text(json, "]");
}

static uint64_t buffer_bytes(const struct glb *glb)
{
    return MARKER_VERTEX_BYTES + MARKER_INDEX_BYTES + glb->count * INSTANCE_BYTES;
}

static void write_views(const struct glb *glb, struct tr_writer *json)
{
    uint64_t at = MARKER_VERTEX_BYTES + MARKER_INDEX_BYTES;

    tr_write_text(json,
                  ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu,\"target\":34962},"
                  "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34963}",
                  MARKER_VERTEX_BYTES, MARKER_VERTEX_BYTES, MARKER_INDEX_BYTES);
    for (int part = 0; part < 3 && glb->count > 0; part++) {
        uint64_t size_bytes = glb->count * (part == 1 ? 16 : 12);

        tr_write_text(json, ",{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64 "}", at,
                      size_bytes);
        at += size_bytes;
    }
    tr_write_text(json, "],\"buffers\":[{\"byteLength\":%" PRIu64 "}]", buffer_bytes(glb));
}

static void write_json(const struct glb *glb, struct tr_writer *json)
{
    tr_write_text(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"terrain\"},"
                        "\"extensionsUsed\":[\"EXT_mesh_gpu_instancing\"],"
                        "\"extensionsRequired\":[\"EXT_mesh_gpu_instancing\"],");
    write_scene(glb, json);
    if (glb->node_count > 0)
        write_nodes(glb, json);
    write_accessors(glb, json);
    write_views(glb, json);
    tr_write_text(json, "}");
    while (json->size_bytes % 4 != 0)
        tr_write_u8(json, ' ');
}

/* ---- BIN ---- */

static void write_marker(struct tr_writer *out)
{
    for (size_t i = 0; i < MARKER_VERTEX_BYTES / 12; i++)
        for (int axis = 0; axis < 3; axis++)
            tr_write_f32(out, marker_vertices[i][axis]);
    for (size_t i = 0; i < MARKER_INDEX_BYTES / 2; i++)
        tr_write_u16(out, marker_indices[i]);
}

typedef void write_part(const struct tr_instance_walk *walk, const struct tr_instance *instance,
                        struct tr_writer *out);

static void write_translation(const struct tr_instance_walk *walk, const struct tr_instance *instance,
                              struct tr_writer *out)
{
    const int64_t chunk_units = TR_CHUNK * TR_UNITS;
    const double voxel_size = walk->instances->voxel_size;

    tr_write_f32(out, tr_export_metres((walk->cx - walk->area.x0) * chunk_units + instance->x, voxel_size));
    tr_write_f32(out, tr_export_metres(instance->y, voxel_size));
    tr_write_f32(out, tr_export_metres((walk->cz - walk->area.z0) * chunk_units + instance->z, voxel_size));
}

static void write_rotation(const struct tr_instance_walk *walk, const struct tr_instance *instance,
                           struct tr_writer *out)
{
    double rotation[4];

    tr_instance_rotation(walk->layer, instance, rotation);
    for (int i = 0; i < 4; i++)
        tr_write_f32(out, (float)rotation[i]);
}

static void write_scale(const struct tr_instance_walk *walk, const struct tr_instance *instance,
                        struct tr_writer *out)
{
    (void)walk;
    for (int axis = 0; axis < 3; axis++)
        tr_write_f32(out, (float)(instance->scale / 65536.0));
}

static enum tr_status write_all(const struct glb *glb, write_part *write, struct tr_sink *sink,
                                struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (size_t i = 0; i < glb->node_count; i++) {
        const struct node *node = &glb->nodes[i];
        const struct tr_instance *instance;
        struct tr_instance_walk walk;

        tr_instance_begin(&walk, glb->instances, node->layer, node->model, node->tile);
        while (status == TR_OK && (instance = tr_instance_next(&walk))) {
            write(&walk, instance, &sink->batch);
            status = tr_sink_pump(sink, error);
        }
    }
    return status;
}

/* ---- the file ---- */

static enum tr_status write_file(const struct glb *glb, const struct tr_writer *json, struct tr_sink *sink,
                                 struct tr_error *error)
{
    const uint64_t total = GLB_HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + json->size_bytes + buffer_bytes(glb);
    enum tr_status status;

    if (json->failed)
        return tr_fail(error, TR_IO, "out of memory: the head of \"%s\"", sink->output.path);
    if (total > UINT32_MAX)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": glb of %" PRIu64
                       " bytes, expected at most %u, which is all that its header can say",
                       sink->output.path, total, UINT32_MAX);
    tr_write_u32(&sink->batch, GLB_MAGIC);
    tr_write_u32(&sink->batch, 2);
    tr_write_u32(&sink->batch, (uint32_t)total);
    tr_write_u32(&sink->batch, (uint32_t)json->size_bytes);
    tr_write_u32(&sink->batch, CHUNK_JSON);
    tr_write_bytes(&sink->batch, json->bytes, json->size_bytes);
    tr_write_u32(&sink->batch, (uint32_t)buffer_bytes(glb));
    tr_write_u32(&sink->batch, CHUNK_BIN);
    write_marker(&sink->batch);
    status = write_all(glb, write_translation, sink, error);
    if (status == TR_OK)
        status = write_all(glb, write_rotation, sink, error);
    return status == TR_OK ? write_all(glb, write_scale, sink, error) : status;
}

enum tr_status tr_instances_glb(const struct tr_instances *instances, struct tr_sink *sink,
                                struct tr_error *error)
{
    struct glb glb = {.instances = instances};
    struct tr_writer json = {0};
    enum tr_status status = TR_OK;

    for (uint32_t layer = 0; layer < instances->layer_count; layer++)
        for (uint32_t model = 0; model < instances->layers[layer].model_count && status == TR_OK; model++)
            status = add_nodes(&glb, layer, model, error);
    if (status == TR_OK) {
        write_json(&glb, &json);
        status = write_file(&glb, &json, sink, error);
    }
    tr_writer_release(&json);
    free(glb.nodes);
    return status;
}
