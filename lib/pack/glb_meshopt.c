/* What meshoptimizer does for the quantised profiles: the order of triangles and vertices, and the codecs of EXT_meshopt_compression.
 *
 * The order is the one for strips: it serves the caches of vertices nearly as well as the other, and takes a tenth less when compressed. It
 * is found from sums of floats out of a table, in one thread, so it is the same on every machine, but another version of the library may find
 * another. The codecs lose nothing. Their versions are pinned, so that a library that has newer ones writes the same: 0 for vertices and 1 for
 * indices are those that the extension knows. Compressed triangles keep their order and their sides, but may begin at another corner.
 *
 * The library is C++, and takes memory in a way that ends the program where there is none. So as much as it may need is taken before, and
 * given back: a lack of memory shows there. The codecs take none. */
#include "lib/pack/glb.h"

#include "lib/base/alloc.h"

#include <meshoptimizer.h>

#include <stdlib.h>

#define VERTEX_CODEC 0
#define INDEX_CODEC 1

/* For each index the order's copy of it, its place among those of its vertex, and its triangle's state; for each vertex its counts and score,
 * and the copy that is made of it when it moves. */
#define ORDER_BYTES_AN_INDEX 16
#define ORDER_BYTES_A_VERTEX 32

static enum tr_status check_memory(const struct tr_tile_mesh *mesh, struct tr_error *error)
{
    void *room = tr_alloc((size_t)mesh->index_count * ORDER_BYTES_AN_INDEX +
                              (size_t)mesh->vertex_count * ORDER_BYTES_A_VERTEX,
                          1, error);

    free(room);
    return room ? TR_OK : TR_IO;
}

static void move_elements(void *array, size_t size_bytes, uint32_t count, const uint32_t *to)
{
    if (array)
        meshopt_remapVertexBuffer(array, array, count, size_bytes, to);
}

enum tr_status tr_glb_reorder(struct tr_tile_mesh *mesh, struct tr_error *error)
{
    const uint32_t count = mesh->vertex_count;
    uint32_t *to = tr_alloc(count, sizeof *to, error);

    if (!to || check_memory(mesh, error) != TR_OK) {
        free(to);
        return TR_IO;
    }
    meshopt_optimizeVertexCacheStrip(mesh->indices, mesh->indices, mesh->index_count, count);
    mesh->vertex_count =
        (uint32_t)meshopt_optimizeVertexFetchRemap(to, mesh->indices, mesh->index_count, count);
    meshopt_remapIndexBuffer(mesh->indices, mesh->indices, mesh->index_count, to);
    move_elements(mesh->vertices, sizeof *mesh->vertices, count, to);
    move_elements(mesh->materials, sizeof *mesh->materials, count, to);
    move_elements(mesh->targets, sizeof *mesh->targets, count, to);
    move_elements(mesh->weights, sizeof *mesh->weights, count, to);
    free(to);
    return TR_OK;
}

static size_t encode_elements(const struct tr_glb_stream *stream, struct tr_writer *room)
{
    meshopt_encodeVertexVersion(VERTEX_CODEC);
    return meshopt_encodeVertexBuffer(room->bytes, room->capacity_bytes, stream->data.bytes, stream->count,
                                      stream->stride_bytes);
}

/* 0 without memory. */
static size_t encode_indices(const struct tr_glb_stream *stream, struct tr_writer *room,
                             struct tr_error *error)
{
    struct tr_reader reader = {.bytes = stream->data.bytes, .size_bytes = stream->data.size_bytes};
    uint32_t *indices = tr_alloc(stream->count, sizeof *indices, error);
    size_t size_bytes;

    if (!indices)
        return 0;
    for (uint32_t i = 0; i < stream->count; i++)
        indices[i] = stream->component == TR_GLB_U16 ? tr_read_u16(&reader) : tr_read_u32(&reader);
    meshopt_encodeIndexVersion(INDEX_CODEC);
    size_bytes = meshopt_encodeIndexBuffer(room->bytes, room->capacity_bytes, indices, stream->count);
    free(indices);
    return size_bytes;
}

enum tr_status tr_glb_compress(struct tr_glb_stream *stream, struct tr_error *error)
{
    const bool is_index = stream->use == TR_GLB_INDICES;
    const size_t room_bytes = is_index ? meshopt_encodeIndexBufferBound(stream->count, UINT32_MAX)
                                       : meshopt_encodeVertexBufferBound(stream->count, stream->stride_bytes);
    struct tr_writer compressed = {.bytes = tr_alloc(room_bytes, 1, error), .capacity_bytes = room_bytes};

    if (!compressed.bytes)
        return TR_IO;
    compressed.size_bytes =
        is_index ? encode_indices(stream, &compressed, error) : encode_elements(stream, &compressed);
    tr_writer_release(&stream->data);
    stream->data = compressed;
    return compressed.size_bytes > 0 ? TR_OK : TR_IO;
}
