/* The coding of one tile: positions, normals and indices to byte planes and back, and the hashes of decoded tiles.
 *
 * All arithmetic is modulo 2^32 on unsigned numbers: encoding and decoding are inverse for every mesh inside the limits of pack_format.h,
 * and decoding hostile bytes overflows nothing. Differences are stored in as many bytes as the limits need: voxels of a tile are at most
 * 64 * 2^6 apart (2 bytes), indices less than 2^20 (3 bytes), octahedral components wrap in their 16 bits. */
#include "lib/pack/pack_format.h"

#include "shaders/exact.h"

#include <string.h>

_Static_assert(sizeof(tr_vertex) == 16, "a vertex is four words");

static uint32_t zigzag(uint32_t difference)
{
    return difference << 1 ^ (0u - (difference >> 31));
}

static uint32_t unzigzag(uint32_t code)
{
    return code >> 1 ^ (0u - (code & 1u));
}

static uint32_t component(const tr_vertex *vertex, int axis)
{
    return (uint32_t)(axis == 0 ? vertex->x : axis == 1 ? vertex->y : vertex->z);
}

/* Planes of one component of all positions: 3 bytes a vertex. */
static uint8_t *encode_component(const struct tr_mesh *mesh, int axis, uint8_t *plane)
{
    size_t count = mesh->vertex_count;
    uint32_t before = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t value = component(&mesh->vertices[i], axis);
        uint32_t code = zigzag((value >> 8) - before);

        before = value >> 8;
        plane[i] = (uint8_t)value;
        plane[count + i] = (uint8_t)code;
        plane[2 * count + i] = (uint8_t)(code >> 8);
    }
    return plane + 3 * count;
}

static const uint8_t *decode_component(const uint8_t *plane, struct tr_mesh *mesh, int axis)
{
    size_t count = mesh->vertex_count;
    uint32_t voxel = 0;

    for (size_t i = 0; i < count; i++) {
        tr_vertex *vertex = &mesh->vertices[i];
        int value;

        voxel += unzigzag(plane[count + i] | (uint32_t)plane[2 * count + i] << 8);
        value = (int)(voxel << 8 | plane[i]);
        if (axis == 0)
            vertex->x = value;
        else if (axis == 1)
            vertex->y = value;
        else
            vertex->z = value;
    }
    return plane + 3 * count;
}

/* Planes of one half of all normals: 2 bytes a vertex. */
static uint8_t *encode_normals(const struct tr_mesh *mesh, int shift, uint8_t *plane)
{
    size_t count = mesh->vertex_count;
    uint32_t before = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t value = mesh->vertices[i].normal >> shift & 0xffffu;
        uint32_t difference = value - before;
        uint32_t code = zigzag((difference & 0xffffu) | (difference & 0x8000u ? 0xffff0000u : 0u));

        before = value;
        plane[i] = (uint8_t)code;
        plane[count + i] = (uint8_t)(code >> 8);
    }
    return plane + 2 * count;
}

static const uint8_t *decode_normals(const uint8_t *plane, struct tr_mesh *mesh, int shift)
{
    size_t count = mesh->vertex_count;
    uint32_t value = 0;

    for (size_t i = 0; i < count; i++) {
        value += unzigzag(plane[i] | (uint32_t)plane[count + i] << 8);
        mesh->vertices[i].normal |= (value & 0xffffu) << shift;
    }
    return plane + 2 * count;
}

static void encode_indices(const struct tr_mesh *mesh, uint8_t *plane)
{
    size_t count = mesh->index_count;
    uint32_t from = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t code = zigzag(mesh->indices[i] - from);

        /* corner 0 is what corners 1 and 2 and the next corner 0 differ from */
        if (i % 3 == 0)
            from = mesh->indices[i];
        plane[i] = (uint8_t)code;
        plane[count + i] = (uint8_t)(code >> 8);
        plane[2 * count + i] = (uint8_t)(code >> 16);
    }
}

static void decode_indices(const uint8_t *plane, struct tr_mesh *mesh)
{
    size_t count = mesh->index_count;
    uint32_t from = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t code = plane[i] | (uint32_t)plane[count + i] << 8 | (uint32_t)plane[2 * count + i] << 16;

        mesh->indices[i] = from + unzigzag(code);
        if (i % 3 == 0)
            from = mesh->indices[i];
    }
}

void tr_pack_streams_encode(const struct tr_mesh *mesh, uint8_t *streams)
{
    for (int axis = 0; axis < 3; axis++)
        streams = encode_component(mesh, axis, streams);
    streams = encode_normals(mesh, 0, streams);
    streams = encode_normals(mesh, 16, streams);
    encode_indices(mesh, streams);
}

void tr_pack_streams_decode(const uint8_t *streams, struct tr_mesh *mesh)
{
    for (int axis = 0; axis < 3; axis++)
        streams = decode_component(streams, mesh, axis);
    for (size_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i].normal = 0;
    streams = decode_normals(streams, mesh, 0);
    streams = decode_normals(streams, mesh, 16);
    decode_indices(streams, mesh);
}

void tr_pack_mesh_bounds(const struct tr_mesh *mesh, int32_t lo[3], int32_t hi[3])
{
    for (int axis = 0; axis < 3; axis++)
        lo[axis] = hi[axis] = (int32_t)component(&mesh->vertices[0], axis);
    for (size_t i = 1; i < mesh->vertex_count; i++) {
        const tr_vertex *vertex = &mesh->vertices[i];

        for (int axis = 0; axis < 3; axis++) {
            int32_t value = (int32_t)component(vertex, axis);

            lo[axis] = tr_imin(lo[axis], value);
            hi[axis] = tr_imax(hi[axis], value);
        }
    }
}

uint64_t tr_pack_mesh_bad_indices(const struct tr_mesh *mesh)
{
    uint64_t bad = 0;

    for (size_t i = 0; i < mesh->index_count; i++)
        bad += mesh->indices[i] >= mesh->vertex_count;
    return bad;
}

bool tr_pack_mesh_normals_are_valid(const struct tr_mesh *mesh)
{
    bool valid = true;

    for (size_t i = 0; i < mesh->vertex_count; i++) {
        uint32_t normal = mesh->vertices[i].normal;

        valid = valid && (normal & 0xffffu) != 0x8000u && normal >> 16 != 0x8000u;
    }
    return valid;
}

/* ---- hashes ---- */

/* Feeds words as little-endian bytes, whatever the machine, a block at a time. */
static void hash_words(struct tr_hasher *hasher, const uint32_t *words, size_t count)
{
    uint8_t block[4096];

    while (count > 0) {
        size_t some = count < sizeof block / 4 ? count : sizeof block / 4;

        for (size_t i = 0; i < some; i++) {
            block[4 * i] = (uint8_t)words[i];
            block[4 * i + 1] = (uint8_t)(words[i] >> 8);
            block[4 * i + 2] = (uint8_t)(words[i] >> 16);
            block[4 * i + 3] = (uint8_t)(words[i] >> 24);
        }
        tr_hasher_add(hasher, block, 4 * some);
        words += some;
        count -= some;
    }
}

static void hash_vertices(struct tr_hasher *hasher, const tr_vertex *vertices, size_t count)
{
    uint32_t words[1024];

    while (count > 0) {
        size_t some = count < 256 ? count : 256;

        memcpy(words, vertices, some * sizeof *vertices);
        hash_words(hasher, words, 4 * some);
        vertices += some;
        count -= some;
    }
}

static enum tr_status hasher_open(struct tr_hasher **hasher, struct tr_error *error)
{
    *hasher = tr_hasher_create();
    return *hasher ? TR_OK : tr_fail(error, TR_IO, "out of memory: state of a hash");
}

enum tr_status tr_pack_hash_tile(const struct tr_mesh *mesh, struct tr_hash *hash, struct tr_error *error)
{
    struct tr_hasher *hasher;
    enum tr_status status = hasher_open(&hasher, error);

    if (status != TR_OK)
        return status;
    tr_hasher_add_u32(hasher, mesh->vertex_count);
    tr_hasher_add_u32(hasher, mesh->index_count);
    hash_vertices(hasher, mesh->vertices, mesh->vertex_count);
    hash_words(hasher, mesh->indices, mesh->index_count);
    *hash = tr_hasher_done(hasher);
    return TR_OK;
}

enum tr_status tr_pack_hash_tiles(const struct tr_pack_info *info, const struct tr_pack_tile *tiles,
                                  const struct tr_pack_sums *sums, size_t tile_count, struct tr_hash *hash,
                                  struct tr_error *error)
{
    struct tr_hasher *hasher;
    uint64_t voxel_size_bits;
    enum tr_status status = hasher_open(&hasher, error);

    if (status != TR_OK)
        return status;
    memcpy(&voxel_size_bits, &info->voxel_size, sizeof voxel_size_bits);
    tr_hasher_add_u32(hasher, (uint32_t)info->size_x);
    tr_hasher_add_u32(hasher, (uint32_t)info->size_z);
    tr_hasher_add_u64(hasher, voxel_size_bits);
    tr_hasher_add_u64(hasher, tile_count);
    for (size_t i = 0; i < tile_count; i++) {
        tr_hasher_add_u32(hasher, tiles[i].lod);
        tr_hasher_add_u32(hasher, (uint32_t)tiles[i].cx);
        tr_hasher_add_u32(hasher, (uint32_t)tiles[i].cy);
        tr_hasher_add_u32(hasher, (uint32_t)tiles[i].cz);
        tr_hasher_add_u64(hasher, sums[i].hash.lo);
        tr_hasher_add_u64(hasher, sums[i].hash.hi);
    }
    *hash = tr_hasher_done(hasher);
    return TR_OK;
}
