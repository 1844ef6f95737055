/* The coding of one tile: its arrays to byte planes and back, and the hashes of decoded tiles.
 *
 * All arithmetic is modulo 2^32 on unsigned numbers: encoding and decoding are inverse for every mesh that the rules of pack_format.c let
 * pass, and decoding hostile bytes overflows nothing. Differences are stored in as many bytes as the limits need: voxels along x and z are
 * at most 64 * 2^6 apart (2 bytes), along y as far as two heights can be, 2^17 (3 bytes); indices are less than 2^22 (3 bytes); octahedral
 * components wrap in their 16 bits; a target is within 2^14 along x and z (2 bytes) and 2^25 along y (4 bytes). */
#include "lib/pack/pack_format.h"

#include <string.h>

_Static_assert(sizeof(tr_vertex) == 16, "a vertex is four words");
_Static_assert(sizeof(struct tr_tile_move) == 20, "a move is five words");

static inline uint32_t zigzag(uint32_t difference)
{
    return difference << 1 ^ (0u - (difference >> 31));
}

static inline uint32_t unzigzag(uint32_t code)
{
    return code >> 1 ^ (0u - (code & 1u));
}

/* Number i of `count` in planes of its bytes, the lowest first. */
static inline void put(uint8_t *planes, size_t count, size_t i, int bytes, uint32_t number)
{
    for (int b = 0; b < bytes; b++)
        planes[(size_t)b * count + i] = (uint8_t)(number >> (8 * b));
}

static inline uint32_t get(const uint8_t *planes, size_t count, size_t i, int bytes)
{
    uint32_t number = 0;

    for (int b = 0; b < bytes; b++)
        number |= (uint32_t)planes[(size_t)b * count + i] << (8 * b);
    return number;
}

/* ---- vertices ---- */

static inline int component(const tr_vertex *vertex, int axis)
{
    return axis == 0 ? vertex->x : axis == 1 ? vertex->y : vertex->z;
}

static inline int *component_of(tr_vertex *vertex, int axis)
{
    return axis == 0 ? &vertex->x : axis == 1 ? &vertex->y : &vertex->z;
}

static inline int voxel_bytes(int axis)
{
    return axis == 1 ? 3 : 2;
}

static uint8_t *encode_component(const struct tr_tile_mesh *mesh, int axis, uint8_t *planes)
{
    const size_t count = mesh->vertex_count;
    uint32_t before = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t value = (uint32_t)component(&mesh->vertices[i], axis);

        planes[i] = (uint8_t)value;
        put(planes + count, count, i, voxel_bytes(axis), zigzag((value >> 8) - before));
        before = value >> 8;
    }
    return planes + (size_t)(1 + voxel_bytes(axis)) * count;
}

static const uint8_t *decode_component(const uint8_t *planes, int axis, struct tr_tile_mesh *mesh)
{
    const size_t count = mesh->vertex_count;
    uint32_t voxel = 0;

    for (size_t i = 0; i < count; i++) {
        voxel += unzigzag(get(planes + count, count, i, voxel_bytes(axis)));
        *component_of(&mesh->vertices[i], axis) = (int)(voxel << 8 | planes[i]);
    }
    return planes + (size_t)(1 + voxel_bytes(axis)) * count;
}

/* One half of all normals. */
static uint8_t *encode_normals(const struct tr_tile_mesh *mesh, int shift, uint8_t *planes)
{
    uint32_t before = 0;

    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const uint32_t value = mesh->vertices[i].normal >> shift & 0xffffu;
        const uint32_t difference = value - before;

        put(planes, mesh->vertex_count, i, 2,
            zigzag((difference & 0xffffu) | (difference & 0x8000u ? 0xffff0000u : 0u)));
        before = value;
    }
    return planes + (size_t)2 * mesh->vertex_count;
}

static const uint8_t *decode_normals(const uint8_t *planes, int shift, struct tr_tile_mesh *mesh)
{
    uint32_t value = 0;

    for (size_t i = 0; i < mesh->vertex_count; i++) {
        value += unzigzag(get(planes, mesh->vertex_count, i, 2));
        mesh->vertices[i].normal |= (value & 0xffffu) << shift;
    }
    return planes + (size_t)2 * mesh->vertex_count;
}

/* ---- what a vertex may have besides ---- */

static inline int target_bytes(int axis)
{
    return axis == 1 ? 4 : 2;
}

static uint8_t *encode_targets(const struct tr_tile_mesh *mesh, uint8_t *planes)
{
    const size_t count = mesh->vertex_count;

    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < count; i++)
            put(planes, count, i, target_bytes(axis),
                zigzag((uint32_t)mesh->targets[i][axis] - (uint32_t)component(&mesh->vertices[i], axis)));
        planes += (size_t)target_bytes(axis) * count;
    }
    return planes;
}

static const uint8_t *decode_targets(const uint8_t *planes, struct tr_tile_mesh *mesh)
{
    const size_t count = mesh->vertex_count;

    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < count; i++)
            mesh->targets[i][axis] = (int32_t)((uint32_t)component(&mesh->vertices[i], axis) +
                                               unzigzag(get(planes, count, i, target_bytes(axis))));
        planes += (size_t)target_bytes(axis) * count;
    }
    return planes;
}

/* The fourth follows from the sum. */
static uint8_t *encode_weights(const struct tr_tile_mesh *mesh, uint8_t *planes)
{
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const uint8_t *of = mesh->weights[i];

        put(planes, mesh->vertex_count, i, TR_PACK_WEIGHT_BYTES,
            of[0] | (uint32_t)of[1] << 8 | (uint32_t)of[2] << 16);
    }
    return planes + (size_t)TR_PACK_WEIGHT_BYTES * mesh->vertex_count;
}

static const uint8_t *decode_weights(const uint8_t *planes, struct tr_tile_mesh *mesh)
{
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const uint32_t three = get(planes, mesh->vertex_count, i, TR_PACK_WEIGHT_BYTES);
        uint8_t *of = mesh->weights[i];

        of[0] = (uint8_t)three;
        of[1] = (uint8_t)(three >> 8);
        of[2] = (uint8_t)(three >> 16);
        of[3] = (uint8_t)(255 - of[0] - of[1] - of[2]);
    }
    return planes + (size_t)TR_PACK_WEIGHT_BYTES * mesh->vertex_count;
}

/* ---- indices, moves, parts ---- */

static uint8_t *encode_indices(const struct tr_tile_mesh *mesh, uint8_t *planes)
{
    uint32_t from = 0;

    for (size_t i = 0; i < mesh->index_count; i++) {
        put(planes, mesh->index_count, i, TR_PACK_INDEX_BYTES, zigzag(mesh->indices[i] - from));
        /* corner 0 is what corners 1 and 2 and the next corner 0 differ from */
        if (i % 3 == 0)
            from = mesh->indices[i];
    }
    return planes + (size_t)TR_PACK_INDEX_BYTES * mesh->index_count;
}

static const uint8_t *decode_indices(const uint8_t *planes, struct tr_tile_mesh *mesh)
{
    uint32_t from = 0;

    for (size_t i = 0; i < mesh->index_count; i++) {
        mesh->indices[i] = from + unzigzag(get(planes, mesh->index_count, i, TR_PACK_INDEX_BYTES));
        if (i % 3 == 0)
            from = mesh->indices[i];
    }
    return planes + (size_t)TR_PACK_INDEX_BYTES * mesh->index_count;
}

static uint8_t *encode_moves(const struct tr_tile_mesh *mesh, uint8_t *planes)
{
    const size_t count = mesh->move_count;
    uint32_t before = 0;

    for (size_t i = 0; i < count; i++) {
        const struct tr_tile_move *move = &mesh->moves[i];
        const tr_vertex *vertex = &mesh->vertices[move->vertex];

        put(planes, count, i, 3, move->vertex - before);
        put(planes + 3 * count, count, i, 1, move->sides);
        put(planes + 4 * count, count, i, 2, zigzag((uint32_t)move->x - (uint32_t)vertex->x));
        put(planes + 6 * count, count, i, 2, zigzag((uint32_t)move->z - (uint32_t)vertex->z));
        before = move->vertex;
    }
    return planes + TR_PACK_MOVE_BYTES * count;
}

static const uint8_t *decode_moves(const uint8_t *planes, struct tr_tile_mesh *mesh)
{
    static const tr_vertex nowhere;
    const size_t count = mesh->move_count;
    uint32_t before = 0;

    for (size_t i = 0; i < count; i++) {
        struct tr_tile_move *move = &mesh->moves[i];
        const tr_vertex *vertex;

        before = move->vertex = before + get(planes, count, i, 3);
        move->sides = get(planes + 3 * count, count, i, 1);
        vertex = move->vertex < mesh->vertex_count ? &mesh->vertices[move->vertex] : &nowhere;
        move->x = (int32_t)((uint32_t)vertex->x + unzigzag(get(planes + 4 * count, count, i, 2)));
        move->y = vertex->y;
        move->z = (int32_t)((uint32_t)vertex->z + unzigzag(get(planes + 6 * count, count, i, 2)));
    }
    return planes + TR_PACK_MOVE_BYTES * count;
}

static void encode_parts(const struct tr_tile_mesh *mesh, uint8_t *planes)
{
    const size_t count = mesh->part_count;

    for (size_t i = 0; i < count; i++) {
        const struct tr_tile_part *part = &mesh->parts[i];

        put(planes, count, i, 3, tr_pack_states_number(part->states));
        put(planes + 3 * count, count, i, 1, part->face);
        put(planes + 4 * count, count, i, 3, part->index_count / 3);
    }
}

/* States beyond the sides' 18 bits make a face that is none. */
static void decode_parts(const uint8_t *planes, struct tr_tile_mesh *mesh)
{
    const size_t count = mesh->part_count;
    uint32_t first_index = 0;

    for (size_t i = 0; i < count; i++) {
        struct tr_tile_part *part = &mesh->parts[i];
        const uint32_t states = get(planes, count, i, 3);

        tr_pack_states_from(states, part->states);
        part->face = (uint8_t)get(planes + 3 * count, count, i, 1);
        if (states >> TR_PACK_STATES_BITS != 0)
            part->face = UINT8_MAX;
        part->first_index = first_index;
        part->index_count = 3 * get(planes + 4 * count, count, i, 3);
        first_index += part->index_count;
    }
}

/* ---- a tile ---- */

size_t tr_pack_streams_bytes(const struct tr_pack_tile *tile)
{
    const size_t vertex_bytes = TR_PACK_VERTEX_BYTES + (tile->has_materials ? 1u : 0u) +
                                (tile->has_targets ? TR_PACK_TARGET_BYTES : 0u) +
                                (tile->has_weights ? TR_PACK_WEIGHT_BYTES : 0u);

    return tile->vertex_count * vertex_bytes + (size_t)tile->index_count * TR_PACK_INDEX_BYTES +
           (size_t)tile->move_count * TR_PACK_MOVE_BYTES + (size_t)tile->part_count * TR_PACK_PART_BYTES;
}

void tr_pack_streams_encode(const struct tr_tile_mesh *mesh, uint8_t *streams)
{
    for (int axis = 0; axis < 3; axis++)
        streams = encode_component(mesh, axis, streams);
    streams = encode_normals(mesh, 0, streams);
    streams = encode_normals(mesh, 16, streams);
    if (mesh->materials) {
        memcpy(streams, mesh->materials, mesh->vertex_count);
        streams += mesh->vertex_count;
    }
    if (mesh->targets)
        streams = encode_targets(mesh, streams);
    if (mesh->weights)
        streams = encode_weights(mesh, streams);
    streams = encode_indices(mesh, streams);
    streams = encode_moves(mesh, streams);
    encode_parts(mesh, streams);
}

void tr_pack_streams_decode(const uint8_t *streams, struct tr_tile_mesh *mesh)
{
    for (int axis = 0; axis < 3; axis++)
        streams = decode_component(streams, axis, mesh);
    for (size_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i].normal = 0;
    streams = decode_normals(streams, 0, mesh);
    streams = decode_normals(streams, 16, mesh);
    if (mesh->materials) {
        memcpy(mesh->materials, streams, mesh->vertex_count);
        streams += mesh->vertex_count;
    }
    if (mesh->targets)
        streams = decode_targets(streams, mesh);
    if (mesh->weights)
        streams = decode_weights(streams, mesh);
    streams = decode_indices(streams, mesh);
    streams = decode_moves(streams, mesh);
    decode_parts(streams, mesh);
}

/* ---- hashes ---- */

/* Feeds words as little-endian bytes, whatever the machine, a block at a time. `words` are of any type of 4 bytes. */
static void hash_words(struct tr_hasher *hasher, const void *words, size_t count)
{
    const uint8_t *from = words;
    uint8_t block[4096];

    while (count > 0) {
        const size_t some = count < sizeof block / 4 ? count : sizeof block / 4;

        for (size_t i = 0; i < some; i++) {
            uint32_t word;

            memcpy(&word, from + 4 * i, sizeof word);
            block[4 * i] = (uint8_t)word;
            block[4 * i + 1] = (uint8_t)(word >> 8);
            block[4 * i + 2] = (uint8_t)(word >> 16);
            block[4 * i + 3] = (uint8_t)(word >> 24);
        }
        tr_hasher_add(hasher, block, 4 * some);
        from += 4 * some;
        count -= some;
    }
}

static enum tr_status hasher_open(struct tr_hasher **hasher, struct tr_error *error)
{
    *hasher = tr_hasher_create();
    return *hasher ? TR_OK : tr_fail(error, TR_IO, "out of memory: state of a hash");
}

enum tr_status tr_pack_hash_tile(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh,
                                 struct tr_hash *hash, struct tr_error *error)
{
    const uint32_t facts[] = {tile->kind,
                              tr_pack_optional_streams(tile),
                              tr_pack_states_number(tile->states),
                              tile->vertex_count,
                              tile->index_count,
                              tile->move_count,
                              tile->part_count,
                              tile->error};
    const size_t vertex_count = mesh->vertex_count;
    struct tr_hasher *hasher;
    enum tr_status status = hasher_open(&hasher, error);

    if (status != TR_OK)
        return status;
    hash_words(hasher, facts, sizeof facts / sizeof *facts);
    hash_words(hasher, mesh->vertices, 4 * vertex_count);
    if (mesh->materials)
        tr_hasher_add(hasher, mesh->materials, vertex_count);
    if (mesh->targets)
        hash_words(hasher, mesh->targets, 3 * vertex_count);
    if (mesh->weights)
        tr_hasher_add(hasher, mesh->weights, 4 * vertex_count);
    hash_words(hasher, mesh->indices, mesh->index_count);
    hash_words(hasher, mesh->moves, 5 * (size_t)mesh->move_count);
    for (size_t i = 0; i < mesh->part_count; i++) {
        const struct tr_tile_part *part = &mesh->parts[i];

        hash_words(hasher, (uint32_t[]){tr_pack_states_number(part->states), part->face, part->index_count},
                   3);
    }
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
    tr_hasher_add_u32(hasher, info->form);
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
