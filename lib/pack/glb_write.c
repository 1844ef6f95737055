/* A GLB file: glTF 2.0 in one binary file, a mesh and a node a tile.
 *
 *   12 bytes  "glTF", version 2, length        then two chunks: JSON padded with blanks, BIN
 *   BIN       the tiles one behind another, of each its streams and its picture, each padded to a multiple of 4 bytes
 *
 * Accessor n and buffer view n are the file's stream n; the views of pictures come last. Compressed streams are in buffer 0, the BIN, and
 * their views in buffer 1, which has no bytes: it is how they would lie decoded. */
#include "lib/pack/glb.h"

#include "lib/base/json.h"

#include <inttypes.h>
#include <math.h>

#define GLB_HEADER_BYTES 12
#define CHUNK_HEADER_BYTES 8
#define GLB_MAGIC 0x46546c67u
#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN 0x004e4942u
#define TARGET_ARRAY 34962
#define TARGET_ELEMENT 34963
#define FILTER_LINEAR 9729
#define WRAP_CLAMP 33071
/* Rings of the default width put level L from this many voxels times 2^L - 1 to this many times 2^(L + 1) - 1 from their focus. */
#define BAND_VOXELS (2 * TR_TILE_CELLS)

static const char *const profile_names[] = {
    [TR_PROFILE_PLAIN] = "plain", [TR_PROFILE_ENGINE] = "engine", [TR_PROFILE_WEB] = "web"};

static uint64_t padded(uint64_t size_bytes)
{
    return (size_bytes + 3) / 4 * 4;
}

static uint64_t decoded_bytes(const struct tr_glb_stream *stream)
{
    return (uint64_t)stream->count * stream->stride_bytes;
}

uint64_t tr_glb_tile_bytes(const struct tr_glb_tile *tile)
{
    uint64_t sum = padded(tile->png.size_bytes);

    for (uint32_t i = 0; i < tile->stream_count; i++)
        sum += padded(tile->streams[i].data.size_bytes);
    return sum;
}

/* ---- JSON ---- */

/* A JSON text while it is written. */
struct head {
    const struct tr_glb *glb;
    const struct tr_glb_file *file;
    struct tr_writer *json;
    uint32_t stream, picture; /* numbers of the next ones */
    uint64_t offset_bytes;    /* in BIN */
    uint64_t decoded_offset;  /* in the buffer that decoding would fill */
};

static const char *separator(size_t i)
{
    return i == 0 ? "" : ",";
}

static void write_numbers(struct tr_writer *json, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[32];

        tr_number_text(values[i], text);
        tr_write_text(json, "%s%s", separator(i), text);
    }
}

static bool is_quantised(const struct head *head)
{
    return head->glb->profile != TR_PROFILE_PLAIN;
}

static void write_asset(const struct head *head)
{
    tr_write_text(head->json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"terrain\"");
    if (is_quantised(head)) {
        tr_write_text(head->json,
                      ",\"extras\":{\"profile\":\"%s\",\"step\":", profile_names[head->glb->profile]);
        write_numbers(head->json, &head->glb->lattice.step, 1);
        tr_write_text(head->json, ",\"exact\":%s}", head->glb->lattice.is_exact ? "true" : "false");
    }
    tr_write_text(head->json, "},");
    if (is_quantised(head)) {
        const char *names = head->glb->profile == TR_PROFILE_WEB
                                ? "[\"KHR_mesh_quantization\",\"EXT_meshopt_compression\"]"
                                : "[\"KHR_mesh_quantization\"]";

        tr_write_text(head->json, "\"extensionsUsed\":%s,\"extensionsRequired\":%s,", names, names);
    }
}

/* What an engine selects by: level, error and the band of distances, in metres. */
static void write_node_extras(const struct head *head, const struct tr_pack_tile *tile)
{
    const double voxel_size = head->glb->pack->info.voxel_size,
                 error = (double)tile->error * voxel_size / TR_UNITS,
                 band[2] = {voxel_size * BAND_VOXELS * ((1 << tile->lod) - 1),
                            voxel_size * BAND_VOXELS * ((2 << tile->lod) - 1)};

    tr_write_text(head->json, ",\"extras\":{\"lod\":%u,\"tile\":[%d,%d,%d],\"error\":", tile->lod, tile->cx,
                  tile->cy, tile->cz);
    write_numbers(head->json, &error, 1);
    tr_write_text(head->json, ",\"distance\":[");
    write_numbers(head->json, band, 2);
    tr_write_text(head->json, "]}}");
}

static void write_nodes(const struct head *head)
{
    tr_write_text(head->json, "\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (size_t i = 0; i < head->file->count; i++)
        tr_write_text(head->json, "%s%zu", separator(i), i);
    tr_write_text(head->json, "]}],\"nodes\":[");
    for (size_t i = 0; i < head->file->count; i++) {
        const struct tr_pack_tile *tile = head->file->tiles[i].tile;
        const double step = head->glb->lattice.step, scale[3] = {step, step, step};

        tr_write_text(head->json, "%s{\"name\":\"lod %u tile %d %d %d\",\"mesh\":%zu", separator(i),
                      tile->lod, tile->cx, tile->cy, tile->cz, i);
        if (is_quantised(head)) {
            tr_write_text(head->json, ",\"translation\":[");
            write_numbers(head->json, head->file->tiles[i].translation, 3);
            tr_write_text(head->json, "],\"scale\":[");
            write_numbers(head->json, scale, 3);
            tr_write_text(head->json, "]");
        }
        write_node_extras(head, tile);
    }
    tr_write_text(head->json, "],");
}

static const char *attribute_name(const struct head *head, enum tr_glb_use use)
{
    switch (use) {
    case TR_GLB_POSITION:
        return "POSITION";
    case TR_GLB_NORMAL:
        return "NORMAL";
    case TR_GLB_WEIGHTS:
        return head->glb->splat == TR_SPLAT_COLOR ? "COLOR_0" : "_SPLAT0";
    case TR_GLB_TEXTURE:
        return "TEXCOORD_0";
    default:
        return NULL;
    }
}

/* A tile's streams are in the order of enum tr_glb_use: attributes, the morph target, indices. */
static void write_mesh(struct head *head, size_t i)
{
    const struct tr_glb_tile *tile = &head->file->tiles[i];
    const uint32_t first = head->stream, indices = first + tile->stream_count - 1;
    bool morphs = false;

    tr_write_text(head->json, "%s{\"primitives\":[{\"attributes\":{", separator(i));
    for (uint32_t s = 0; s < tile->stream_count; s++) {
        const char *name = attribute_name(head, tile->streams[s].use);

        morphs |= tile->streams[s].use == TR_GLB_MORPH;
        if (name)
            tr_write_text(head->json, "%s\"%s\":%u", separator(s), name, first + s);
    }
    tr_write_text(head->json, "},\"indices\":%u,\"material\":%zu", indices,
                  head->glb->splat == TR_SPLAT_TEXTURE ? i : 0);
    if (morphs)
        tr_write_text(head->json,
                      ",\"targets\":[{\"POSITION\":%u}]}],\"weights\":[0],"
                      "\"extras\":{\"targetNames\":[\"coarser\"]}}",
                      indices - 1);
    else
        tr_write_text(head->json, "}]}");
    head->stream += tile->stream_count;
}

static void write_meshes(struct head *head)
{
    tr_write_text(head->json, "\"meshes\":[");
    head->stream = 0;
    for (size_t i = 0; i < head->file->count; i++)
        write_mesh(head, i);
    tr_write_text(head->json, "],");
}

/* One for all tiles, but with pictures one a tile. What has weights as its colours is white, so that these are seen as they are. */
static void write_materials(struct head *head)
{
    const enum tr_export_splat splat = head->glb->splat;
    const size_t count = splat == TR_SPLAT_TEXTURE ? head->file->count : 1;

    tr_write_text(head->json, "\"materials\":[");
    head->picture = 0;
    for (size_t i = 0; i < count; i++) {
        tr_write_text(head->json, "%s{\"name\":\"ground\",\"pbrMetallicRoughness\":{", separator(i));
        if (splat == TR_SPLAT_TEXTURE && head->file->tiles[i].png.size_bytes > 0)
            tr_write_text(head->json, "\"baseColorTexture\":{\"index\":%u},", head->picture++);
        else if (splat != TR_SPLAT_COLOR)
            tr_write_text(head->json, "\"baseColorFactor\":[0.42,0.33,0.22,1],");
        tr_write_text(head->json, "\"metallicFactor\":0,\"roughnessFactor\":1}}");
    }
    tr_write_text(head->json, "],");
}

/* The views of pictures come behind those of all streams, of which head->stream is the number now. */
static void write_pictures(const struct head *head)
{
    if (head->picture == 0)
        return;
    tr_write_text(
        head->json,
        "\"samplers\":[{\"magFilter\":%d,\"minFilter\":%d,\"wrapS\":%d,\"wrapT\":%d}],\"textures\":[",
        FILTER_LINEAR, FILTER_LINEAR, WRAP_CLAMP, WRAP_CLAMP);
    for (uint32_t i = 0; i < head->picture; i++)
        tr_write_text(head->json, "%s{\"sampler\":0,\"source\":%u}", separator(i), i);
    tr_write_text(head->json, "],\"images\":[");
    for (uint32_t i = 0; i < head->picture; i++)
        tr_write_text(head->json, "%s{\"mimeType\":\"image/png\",\"bufferView\":%u}", separator(i),
                      head->stream + i);
    tr_write_text(head->json, "],");
}

static void write_accessor(const struct head *head, const struct tr_glb_stream *stream, uint32_t number)
{
    static const char *const types[] = {[1] = "SCALAR", [2] = "VEC2", [3] = "VEC3", [4] = "VEC4"};

    tr_write_text(head->json, "%s{\"bufferView\":%u,\"componentType\":%d,\"count\":%u,\"type\":\"%s\"",
                  separator(number), number, stream->component, stream->count, types[stream->width]);
    if (stream->is_normalized)
        tr_write_text(head->json, ",\"normalized\":true");
    if (stream->has_bounds) {
        tr_write_text(head->json, ",\"min\":[");
        write_numbers(head->json, stream->lo, stream->width);
        tr_write_text(head->json, "],\"max\":[");
        write_numbers(head->json, stream->hi, stream->width);
        tr_write_text(head->json, "]");
    }
    tr_write_text(head->json, "}");
}

static void write_accessors(struct head *head)
{
    tr_write_text(head->json, "\"accessors\":[");
    head->stream = 0;
    for (size_t i = 0; i < head->file->count; i++) {
        const struct tr_glb_tile *tile = &head->file->tiles[i];

        for (uint32_t s = 0; s < tile->stream_count; s++)
            write_accessor(head, &tile->streams[s], head->stream++);
    }
    tr_write_text(head->json, "],");
}

static void write_view(const struct head *head, const struct tr_glb_stream *stream)
{
    const bool is_index = stream->use == TR_GLB_INDICES, is_web = head->glb->profile == TR_PROFILE_WEB;

    tr_write_text(head->json, "{\"buffer\":%d,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64, is_web,
                  is_web ? head->decoded_offset : head->offset_bytes, decoded_bytes(stream));
    if (!is_index)
        tr_write_text(head->json, ",\"byteStride\":%u", stream->stride_bytes);
    tr_write_text(head->json, ",\"target\":%d", is_index ? TARGET_ELEMENT : TARGET_ARRAY);
    if (is_web)
        tr_write_text(head->json,
                      ",\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,\"byteOffset\":%" PRIu64
                      ",\"byteLength\":%zu,\"byteStride\":%u,\"mode\":\"%s\",\"count\":%u}}",
                      head->offset_bytes, stream->data.size_bytes, stream->stride_bytes,
                      is_index ? "TRIANGLES" : "ATTRIBUTES", stream->count);
    tr_write_text(head->json, "}");
}

static void write_views(struct head *head)
{
    tr_write_text(head->json, "\"bufferViews\":[");
    head->stream = 0;
    for (size_t i = 0; i < head->file->count; i++) {
        const struct tr_glb_tile *tile = &head->file->tiles[i];

        for (uint32_t s = 0; s < tile->stream_count; s++) {
            tr_write_text(head->json, "%s", separator(head->stream++));
            write_view(head, &tile->streams[s]);
            head->offset_bytes += padded(tile->streams[s].data.size_bytes);
            head->decoded_offset += padded(decoded_bytes(&tile->streams[s]));
        }
        head->offset_bytes += padded(tile->png.size_bytes);
    }
}

static void write_picture_views(const struct head *head)
{
    uint64_t end_bytes = 0;

    for (size_t i = 0; i < head->file->count; i++) {
        const size_t size_bytes = head->file->tiles[i].png.size_bytes;

        end_bytes += tr_glb_tile_bytes(&head->file->tiles[i]);
        if (size_bytes > 0)
            tr_write_text(head->json, ",{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%zu}",
                          end_bytes - padded(size_bytes), size_bytes);
    }
}

static void write_buffers(const struct head *head)
{
    tr_write_text(head->json, "],\"buffers\":[{\"byteLength\":%" PRIu64 "}", head->offset_bytes);
    if (head->glb->profile == TR_PROFILE_WEB)
        tr_write_text(head->json,
                      ",{\"byteLength\":%" PRIu64
                      ",\"extensions\":{\"EXT_meshopt_compression\":{\"fallback\":true}}}",
                      head->decoded_offset);
    tr_write_text(head->json, "]}");
}

static void write_json(struct head *head)
{
    write_asset(head);
    write_nodes(head);
    write_meshes(head);
    write_materials(head);
    write_pictures(head);
    write_accessors(head);
    write_views(head);
    write_picture_views(head);
    write_buffers(head);
    while (head->json->size_bytes % 4 != 0)
        tr_write_u8(head->json, ' ');
}

/* ---- the file ---- */

enum tr_status tr_glb_write_head(const struct tr_glb *glb, const struct tr_glb_file *file,
                                 struct tr_sink *sink, struct tr_error *error)
{
    struct tr_writer json = {0};
    struct head head = {.glb = glb, .file = file, .json = &json};
    enum tr_status status = TR_OK;
    uint64_t total;

    write_json(&head);
    total = GLB_HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + json.size_bytes + file->bin_bytes;
    if (json.failed)
        status = tr_fail(error, TR_IO, "out of memory: JSON of \"%s\"", sink->output.path);
    else if (total > TR_GLB_FILE_BYTES_MAX)
        status = tr_fail(error, TR_BAD_INPUT, "\"%s\": glb of %" PRIu64 " bytes, expected at most %d",
                         glb->pack->path, total, TR_GLB_FILE_BYTES_MAX);
    if (status == TR_OK) {
        tr_write_u32(&sink->batch, GLB_MAGIC);
        tr_write_u32(&sink->batch, 2);
        tr_write_u32(&sink->batch, (uint32_t)total);
        tr_write_u32(&sink->batch, (uint32_t)json.size_bytes);
        tr_write_u32(&sink->batch, CHUNK_JSON);
        tr_write_bytes(&sink->batch, json.bytes, json.size_bytes);
        tr_write_u32(&sink->batch, (uint32_t)file->bin_bytes);
        tr_write_u32(&sink->batch, CHUNK_BIN);
    }
    tr_writer_release(&json);
    return status;
}

static enum tr_status write_padded(const struct tr_writer *data, struct tr_sink *sink, struct tr_error *error)
{
    tr_write_bytes(&sink->batch, data->bytes, data->size_bytes);
    for (uint64_t i = data->size_bytes; i < padded(data->size_bytes); i++)
        tr_write_u8(&sink->batch, 0);
    return tr_sink_pump(sink, error);
}

enum tr_status tr_glb_write_tile(const struct tr_glb_tile *tile, struct tr_sink *sink, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (uint32_t i = 0; i < tile->stream_count && status == TR_OK; i++)
        status = write_padded(&tile->streams[i].data, sink, error);
    return status == TR_OK ? write_padded(&tile->png, sink, error) : status;
}
