/* GLB: glTF 2.0 in one binary file. One mesh and node a tile, exact floats, no extension, nothing that a plain loader lacks.
 *
 *   12 bytes  "glTF", version 2, length        then two chunks: JSON padded with blanks, BIN
 *   BIN       for each tile: positions (12 bytes a vertex), normals (12), indices (2 or 4 bytes each, padded to 4)
 *
 * The JSON comes first, so counts and bounds of all tiles are needed before any is written. A window's are those of the pack's table; the
 * tiles of a pack of all levels hold triangles for other neighbourhoods too, and are read twice.
 *
 * Node translations are not used: a vertex that two tiles share has the same float in both only as a position in the world. That bounds
 * the world's size, see export.c. */
#include "lib/pack/export_parts.h"

#include "lib/base/alloc.h"
#include "lib/base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GLB_HEADER_BYTES 12
#define CHUNK_HEADER_BYTES 8
#define GLB_MAGIC 0x46546c67u
#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN 0x004e4942u
#define COMPONENT_U16 5123
#define COMPONENT_U32 5125
#define COMPONENT_F32 5126
#define TARGET_ARRAY 34962
#define TARGET_ELEMENT 34963
#define VECTOR_BYTES 12u
#define U16_VERTICES_MAX 65535u /* the highest index is 65534: 65535 restarts a primitive */

/* A tile as it is written. */
struct shape {
    size_t tile; /* in the pack */
    uint32_t vertex_count, index_count;
    int32_t lo[3], hi[3]; /* bounds of its vertices, units from its corner */
};

struct glb {
    const struct tr_pack *pack;
    struct shape *shapes; /* without those of no triangle */
    size_t shape_count;
};

/* Sizes of one tile's parts in the buffer. */
struct layout {
    uint64_t vector_bytes; /* positions, and normals */
    uint64_t index_bytes;  /* without padding */
    uint64_t padding_bytes;
    bool indices_are_u16;
};

static struct layout layout_of(const struct shape *tile)
{
    struct layout layout = {.vector_bytes = (uint64_t)tile->vertex_count * VECTOR_BYTES,
                            .indices_are_u16 = tile->vertex_count <= U16_VERTICES_MAX};

    layout.index_bytes = (uint64_t)tile->index_count * (layout.indices_are_u16 ? 2 : 4);
    layout.padding_bytes = (4 - layout.index_bytes % 4) % 4;
    return layout;
}

static uint64_t layout_bytes(const struct layout *layout)
{
    return 2 * layout->vector_bytes + layout->index_bytes + layout->padding_bytes;
}

static uint64_t buffer_bytes(const struct glb *glb)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < glb->shape_count; i++) {
        struct layout layout = layout_of(&glb->shapes[i]);

        sum += layout_bytes(&layout);
    }
    return sum;
}

/* ---- JSON ---- */

static const char *separator(size_t i)
{
    return i == 0 ? "" : ",";
}

static void write_nodes(const struct glb *glb, struct tr_writer *json)
{
    tr_write_text(json, "\"scenes\":[{\"nodes\":[");
    for (size_t i = 0; i < glb->shape_count; i++)
        tr_write_text(json, "%s%zu", separator(i), i);
    tr_write_text(json, "]}],\"nodes\":[");
    for (size_t i = 0; i < glb->shape_count; i++) {
        const struct tr_pack_tile *tile = &glb->pack->tiles[glb->shapes[i].tile];

        tr_write_text(json, "%s{\"name\":\"lod %u tile %d %d %d\",\"mesh\":%zu}", separator(i), tile->lod,
                      tile->cx, tile->cy, tile->cz, i);
    }
    tr_write_text(json, "],");
}

static void write_meshes(const struct glb *glb, struct tr_writer *json)
{
    tr_write_text(json, "\"meshes\":[");
    for (size_t i = 0; i < glb->shape_count; i++)
        tr_write_text(json,
                      "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%zu,\"NORMAL\":%zu},\"indices\":%zu,"
                      "\"material\":0}]}",
                      separator(i), 3 * i, 3 * i + 1, 3 * i + 2);
    tr_write_text(json, "],\"materials\":[{\"name\":\"ground\",\"pbrMetallicRoughness\":{\"baseColorFactor\":"
                        "[0.42,0.33,0.22,1],\"metallicFactor\":0,\"roughnessFactor\":1}}],");
}

/* A corner of a tile's bounds as floats in metres: rounding keeps order, so the bounds of the floats are the floats of the bounds. */
static void write_bound(const struct tr_pack *pack, const struct tr_pack_tile *tile, const int32_t bound[3],
                        struct tr_writer *json)
{
    const int32_t place[3] = {tile->cx, tile->cy, tile->cz};

    for (int axis = 0; axis < 3; axis++) {
        int64_t units = place[axis] * tr_pack_tile_units(tile->lod) + bound[axis];
        char text[32];

        tr_number_text(tr_export_metres(units, pack->info.voxel_size), text);
        tr_write_text(json, "%s%s", separator((size_t)axis), text);
    }
}

static void write_accessors(const struct glb *glb, struct tr_writer *json)
{
    tr_write_text(json, "\"accessors\":[");
    for (size_t i = 0; i < glb->shape_count; i++) {
        const struct shape *tile = &glb->shapes[i];
        struct layout layout = layout_of(tile);

        tr_write_text(json,
                      "%s{\"bufferView\":%zu,\"componentType\":%d,\"count\":%u,\"type\":\"VEC3\",\"min\":[",
                      separator(i), 3 * i, COMPONENT_F32, tile->vertex_count);
        write_bound(glb->pack, &glb->pack->tiles[tile->tile], tile->lo, json);
        tr_write_text(json, "],\"max\":[");
        write_bound(glb->pack, &glb->pack->tiles[tile->tile], tile->hi, json);
        tr_write_text(json, "]},{\"bufferView\":%zu,\"componentType\":%d,\"count\":%u,\"type\":\"VEC3\"}",
                      3 * i + 1, COMPONENT_F32, tile->vertex_count);
        tr_write_text(json, ",{\"bufferView\":%zu,\"componentType\":%d,\"count\":%u,\"type\":\"SCALAR\"}",
                      3 * i + 2, layout.indices_are_u16 ? COMPONENT_U16 : COMPONENT_U32, tile->index_count);
    }
    tr_write_text(json, "],");
}

static void write_view(struct tr_writer *json, const char *before, uint64_t *offset, uint64_t size_bytes,
                       int target)
{
    tr_write_text(json,
                  "%s{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64 ",\"target\":%d}",
                  before, *offset, size_bytes, target);
    *offset += size_bytes;
}

static void write_views(const struct glb *glb, struct tr_writer *json)
{
    uint64_t offset = 0;

    tr_write_text(json, "\"bufferViews\":[");
    for (size_t i = 0; i < glb->shape_count; i++) {
        struct layout layout = layout_of(&glb->shapes[i]);

        write_view(json, separator(i), &offset, layout.vector_bytes, TARGET_ARRAY);
        write_view(json, ",", &offset, layout.vector_bytes, TARGET_ARRAY);
        write_view(json, ",", &offset, layout.index_bytes, TARGET_ELEMENT);
        offset += layout.padding_bytes;
    }
    tr_write_text(json, "],\"buffers\":[{\"byteLength\":%" PRIu64 "}]", offset);
}

static void write_json(const struct glb *glb, struct tr_writer *json)
{
    tr_write_text(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"terrain\"},\"scene\":0,");
    write_nodes(glb, json);
    write_meshes(glb, json);
    write_accessors(glb, json);
    write_views(glb, json);
    tr_write_text(json, "}");
    while (json->size_bytes % 4 != 0)
        tr_write_u8(json, ' ');
}

/* ---- BIN ---- */

static enum tr_status write_vertices(const struct tr_pack *pack, const struct tr_pack_tile *tile,
                                     const struct tr_mesh *mesh, struct tr_sink *sink, struct tr_error *error)
{
    int64_t units = tr_pack_tile_units(tile->lod);
    const int64_t corner[3] = {tile->cx * units, tile->cy * units, tile->cz * units};
    double voxel_size = pack->info.voxel_size;
    enum tr_status status = TR_OK;

    for (size_t i = 0; i < mesh->vertex_count && status == TR_OK; i++) {
        tr_write_f32(&sink->batch, tr_export_metres(corner[0] + mesh->vertices[i].x, voxel_size));
        tr_write_f32(&sink->batch, tr_export_metres(corner[1] + mesh->vertices[i].y, voxel_size));
        tr_write_f32(&sink->batch, tr_export_metres(corner[2] + mesh->vertices[i].z, voxel_size));
        status = tr_sink_pump(sink, error);
    }
    for (size_t i = 0; i < mesh->vertex_count && status == TR_OK; i++) {
        float normal[3];

        tr_export_normal(mesh->vertices[i].normal, normal);
        for (int axis = 0; axis < 3; axis++)
            tr_write_f32(&sink->batch, normal[axis]);
        status = tr_sink_pump(sink, error);
    }
    return status;
}

static enum tr_status write_indices(const struct shape *shape, const struct tr_mesh *mesh,
                                    struct tr_sink *sink, struct tr_error *error)
{
    struct layout layout = layout_of(shape);
    enum tr_status status = TR_OK;

    for (size_t i = 0; i < mesh->index_count && status == TR_OK; i++) {
        if (layout.indices_are_u16)
            tr_write_u16(&sink->batch, (uint16_t)mesh->indices[i]);
        else
            tr_write_u32(&sink->batch, mesh->indices[i]);
        status = tr_sink_pump(sink, error);
    }
    for (uint64_t i = 0; i < layout.padding_bytes; i++)
        tr_write_u8(&sink->batch, 0);
    return status;
}

static enum tr_status write_tile(const struct tr_pack *pack, const struct shape *shape, struct tr_sink *sink,
                                 struct tr_error *error)
{
    struct tr_mesh mesh = {0};
    enum tr_status status = tr_pack_read_mesh(pack, shape->tile, &mesh, error);

    if (status == TR_OK)
        status = write_vertices(pack, &pack->tiles[shape->tile], &mesh, sink, error);
    if (status == TR_OK)
        status = write_indices(shape, &mesh, sink, error);
    tr_mesh_release(&mesh);
    return status;
}

/* ---- the file ---- */

static void shape_of_mesh(const struct tr_mesh *mesh, struct shape *shape)
{
    const struct tr_tile_mesh bare = {.vertices = mesh->vertices, .vertex_count = mesh->vertex_count};

    shape->vertex_count = mesh->vertex_count;
    shape->index_count = mesh->index_count;
    if (mesh->vertex_count > 0)
        tr_pack_mesh_bounds(&bare, shape->lo, shape->hi);
}

static enum tr_status find_shape(const struct tr_pack *pack, size_t i, struct shape *shape,
                                 struct tr_error *error)
{
    const struct tr_pack_tile *tile = &pack->tiles[i];
    struct tr_mesh mesh = {0};
    enum tr_status status = TR_OK;

    *shape = (struct shape){.tile = i, .vertex_count = tile->vertex_count, .index_count = tile->index_count};
    if (pack->info.form == TR_PACK_WINDOW) {
        memcpy(shape->lo, tile->lo, sizeof shape->lo);
        memcpy(shape->hi, tile->hi, sizeof shape->hi);
        return TR_OK;
    }
    status = tr_pack_read_mesh(pack, i, &mesh, error);
    if (status == TR_OK)
        shape_of_mesh(&mesh, shape);
    tr_mesh_release(&mesh);
    return status;
}

static enum tr_status find_shapes(struct glb *glb, struct tr_tile_range tiles, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    glb->shapes = tr_alloc(tiles.count, sizeof *glb->shapes, error);
    if (!glb->shapes)
        return TR_IO;
    for (size_t i = 0; i < tiles.count && status == TR_OK; i++) {
        struct shape *shape = &glb->shapes[glb->shape_count];

        status = find_shape(glb->pack, tiles.first + i, shape, error);
        glb->shape_count += status == TR_OK && shape->index_count > 0;
    }
    if (status == TR_OK && glb->shape_count == 0)
        status =
            tr_fail(error, TR_BAD_INPUT, "\"%s\": no triangles, expected a mesh to export", glb->pack->path);
    return status;
}

static enum tr_status check_size(const struct glb *glb, uint64_t json_bytes, struct tr_error *error)
{
    uint64_t total = GLB_HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + json_bytes + buffer_bytes(glb);

    if (total > UINT32_MAX)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": glb of %" PRIu64
                       " bytes, expected at most %u, which is all that its header can say",
                       glb->pack->path, total, UINT32_MAX);
    return TR_OK;
}

static enum tr_status write_file(const struct glb *glb, const struct tr_writer *json, struct tr_sink *sink,
                                 struct tr_export_result *result, struct tr_error *error)
{
    const uint64_t bin_bytes = buffer_bytes(glb);
    enum tr_status status = TR_OK;

    tr_write_u32(&sink->batch, GLB_MAGIC);
    tr_write_u32(&sink->batch, 2);
    tr_write_u32(&sink->batch,
                 (uint32_t)(GLB_HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + json->size_bytes + bin_bytes));
    tr_write_u32(&sink->batch, (uint32_t)json->size_bytes);
    tr_write_u32(&sink->batch, CHUNK_JSON);
    tr_write_bytes(&sink->batch, json->bytes, json->size_bytes);
    tr_write_u32(&sink->batch, (uint32_t)bin_bytes);
    tr_write_u32(&sink->batch, CHUNK_BIN);
    for (size_t i = 0; i < glb->shape_count && status == TR_OK; i++) {
        status = write_tile(glb->pack, &glb->shapes[i], sink, error);
        result->vertices += glb->shapes[i].vertex_count;
        result->triangles += glb->shapes[i].index_count / 3;
    }
    return status;
}

enum tr_status tr_export_glb(const struct tr_pack *pack, struct tr_tile_range tiles, struct tr_sink *sink,
                             struct tr_export_result *result, struct tr_error *error)
{
    struct tr_writer json = {0};
    struct glb glb = {.pack = pack};
    enum tr_status status = find_shapes(&glb, tiles, error);

    if (status == TR_OK)
        status = check_size(&glb, 0, error);
    if (status != TR_OK)
        goto done;
    write_json(&glb, &json);
    status = json.failed ? tr_fail(error, TR_IO, "out of memory: JSON of \"%s\"", sink->output.path)
                         : check_size(&glb, json.size_bytes, error);
    if (status == TR_OK)
        status = write_file(&glb, &json, sink, result, error);
done:
    free(glb.shapes);
    tr_writer_release(&json);
    return status;
}
