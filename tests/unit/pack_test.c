/* Mesh packs: what is written reads back, the format is what FORMAT.md says, and no damaged or lying file is taken for a pack.
 *
 * Files with one wrong field are made from a whole one: the field is changed and every checksum over it made right again, so that it is
 * the field that is refused and not the checksum. */
#include "tests/support/test.h"

#include "lib/base/alloc.h"
#include "lib/base/bytes.h"
#include "lib/diff/pack_diff.h"
#include "lib/mesh/height_tile.h"
#include "lib/pack/pack_format.h"
#include "tests/unit/pack_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#define DOCUMENT "lib/pack/FORMAT.md"
#define EXAMPLE_ZSTD_VERSION 10504
#define IMAGE_BYTES_MAX 4096

static char pack_path[TR_PATH_BYTES], other_path[TR_PATH_BYTES];

static int setup(void **state)
{
    if (scratch_make(state) != 0)
        return -1;
    return tr_path_join(pack_path, *state, "a.tpack", NULL) == TR_OK &&
                   tr_path_join(other_path, *state, "b.tpack", NULL) == TR_OK
               ? 0
               : -1;
}

static uint64_t seed = 1;

static uint32_t random_below(uint64_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % limit);
}

/* ---- tiles ---- */

/* A tile with room for its arrays. */
struct sample {
    tr_vertex vertices[4];
    uint8_t materials[4];
    int32_t targets[4][3];
    uint8_t weights[4][4];
    uint32_t indices[6];
    struct tr_tile_move moves[3];
    struct tr_tile_part parts[3];
    uint8_t states[TR_SIDES];
    struct tr_tile_mesh mesh;
};

static void sample_adopt(struct sample *sample)
{
    sample->mesh.vertices = sample->vertices;
    sample->mesh.indices = sample->indices;
    sample->mesh.parts = sample->parts;
}

/* One triangle of a window, LOD 0. */
static struct sample *make_triangle(struct sample *sample)
{
    *sample = (struct sample){
        .vertices = {{128, 256, 0, 0x00000000u}, {0, 256, 77, 0x12345678u}, {256, 300, 256, 0x7fff8001u}},
        .indices = {0, 1, 2},
        .parts = {{.states = {7, 7, 7, 7, 7, 7}, .face = TR_PART_SURFACE, .index_count = 3}},
        .mesh = {.vertex_count = 3, .index_count = 3, .part_count = 1}};
    memcpy(sample->states, fixture_same, sizeof sample->states);
    sample_adopt(sample);
    return sample;
}

/* Everything that a tile can hold: a triangle of the surface of LOD 1, and one of the transition at +x, to which two vertices move. The
 * document's example. */
static struct sample *make_rich(struct sample *sample)
{
    *sample = (struct sample){
        .vertices = {{32256, 300, 0, 0},
                     {32768, 400, 512, 0},
                     {32768, 300, 0, 0x00010002u},
                     {32768, 350, 256, 0}},
        .materials = {0, 0, 3, 3},
        .targets = {{32256, 310, 0}, {32768, 390, 512}, {32768, 300, 0}, {32768, 350, 256}},
        .weights = {{255, 0, 0, 0}, {200, 55, 0, 0}, {0, 0, 255, 0}, {0, 0, 0, 255}},
        .indices = {0, 1, 2, 1, 3, 2},
        .moves = {{1, 2, 32640, 400, 512}, {2, 2, 32640, 300, 0}},
        .parts = {{.states = {7, 7, 7, 7, 7, 7}, .face = TR_PART_SURFACE, .index_count = 3},
                  {.states = {7, TR_SIDE_FINER, 7, 7, 7, 7}, .face = 1, .first_index = 3, .index_count = 3}},
        .states = {TR_SIDE_SAME, TR_SIDE_SAME | TR_SIDE_FINER, TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME,
                   TR_SIDE_SAME},
        .mesh = {
            .lod = 1, .vertex_count = 4, .index_count = 6, .move_count = 2, .part_count = 2, .error = 37}};
    sample_adopt(sample);
    sample->mesh.materials = sample->materials;
    sample->mesh.targets = sample->targets;
    sample->mesh.weights = sample->weights;
    sample->mesh.moves = sample->moves;
    return sample;
}

/* A height tile from the lowest to the highest that there is. */
static struct sample *make_heights(struct sample *sample)
{
    *sample = (struct sample){
        .vertices = {{0, 1, 0, 0}, {256, (1 << 25) - 1, 0, 0}, {256, 500, 256, 0}, {0, 1 << 24, 256, 0}},
        .targets = {{0, (1 << 25) - 1, 0}, {256, 1, 0}, {256, 500, 256}, {0, 600, 256}},
        .indices = {0, 3, 2, 0, 2, 1},
        .parts = {{.states = {7, 7, 7, 7, 7, 7}, .face = TR_PART_SURFACE, .index_count = 6}},
        .mesh = {.kind = TR_TILE_HEIGHTS, .vertex_count = 4, .index_count = 6, .part_count = 1}};
    memcpy(sample->states, fixture_same, sizeof sample->states);
    sample_adopt(sample);
    sample->mesh.targets = sample->targets;
    return sample;
}

/* Makes the parts' states what is stored: those that the tile can have. */
static void narrow_parts(const uint8_t states[TR_SIDES], struct tr_tile_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->part_count; i++)
        for (int side = 0; side < TR_SIDES; side++)
            mesh->parts[i].states[side] &= states[side];
}

static void assert_array_equal(const char *what, const void *a, const void *b, size_t count,
                               size_t size_bytes)
{
    if ((a == NULL) != (b == NULL))
        fail_msg("%s: one has them, the other has not", what);
    for (size_t i = 0; a && i < count; i++) {
        if (memcmp((const char *)a + i * size_bytes, (const char *)b + i * size_bytes, size_bytes) != 0)
            fail_msg("%s: number %zu of %zu differs", what, i, count);
    }
}

static void assert_tile_equal(const struct tr_tile_mesh *a, const struct tr_tile_mesh *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->lod, b->lod);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->index_count, b->index_count);
    assert_int_equal(a->move_count, b->move_count);
    assert_int_equal(a->part_count, b->part_count);
    assert_int_equal(a->error, b->error);
    assert_array_equal("vertices", a->vertices, b->vertices, a->vertex_count, sizeof *a->vertices);
    assert_array_equal("materials", a->materials, b->materials, a->vertex_count, sizeof *a->materials);
    assert_array_equal("targets", a->targets, b->targets, a->vertex_count, sizeof *a->targets);
    assert_array_equal("weights", a->weights, b->weights, a->vertex_count, sizeof *a->weights);
    assert_array_equal("indices", a->indices, b->indices, a->index_count, sizeof *a->indices);
    if (a->move_count > 0)
        assert_array_equal("moves", a->moves, b->moves, a->move_count, sizeof *a->moves);
    for (uint32_t i = 0; i < a->part_count; i++) {
        const struct tr_tile_part *p = &a->parts[i], *q = &b->parts[i];

        assert_memory_equal(p->states, q->states, sizeof p->states);
        assert_int_equal(p->face, q->face);
        assert_int_equal(p->first_index, q->first_index);
        assert_int_equal(p->index_count, q->index_count);
    }
}

/* ---- packs ---- */

static const struct tr_pack_info small_world = {
    .size_x = 2, .size_z = 1, .voxel_size = 2, .world_hash = {0x0123456789abcdefu, 0xfedcba9876543210u}};
/* The sides -x, -z and +z of its tile (0, 0, 0) of LOD 1 lie at the world's edge. */
static const struct tr_pack_info all_world = {
    .size_x = 4, .size_z = 2, .form = TR_PACK_ALL_LODS, .voxel_size = 1, .world_hash = {1, 2}};

static void write_tile(struct tr_pack_writer *writer, int cx, int cy, int cz, const uint8_t states[TR_SIDES],
                       const struct tr_tile_mesh *mesh)
{
    struct tr_error error = {0};
    struct tr_pack_blob blob;

    assert_ok(tr_pack_encode(cx, cy, cz, states, mesh, &blob, &error), &error);
    assert_ok(tr_pack_writer_add(writer, &blob, &error), &error);
    tr_pack_blob_release(&blob);
}

/* Writes a pack of one tile (0, cy, 0). */
static struct tr_hash write_one(const char *path, const struct tr_pack_info *info, int cy,
                                const uint8_t states[TR_SIDES], const struct tr_tile_mesh *mesh)
{
    struct tr_error error = {0};
    struct tr_pack_writer *writer;
    struct tr_hash hash = {0};

    assert_ok(tr_pack_writer_create(path, info, true, &writer, &error), &error);
    write_tile(writer, 0, cy, 0, states, mesh);
    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);
    return hash;
}

static struct tr_pack *open_pack(void)
{
    struct tr_error error = {0};
    struct tr_pack *pack;

    assert_ok(tr_pack_open(pack_path, &pack, &error), &error);
    return pack;
}

static void assert_reads_back(const struct tr_pack *pack, size_t i, struct tr_tile_mesh *mesh)
{
    struct tr_error error = {0};
    struct tr_tile_mesh read;

    narrow_parts(pack->tiles[i].states, mesh);
    assert_ok(tr_pack_read_tile(pack, i, &read, &error), &error);
    assert_tile_equal(&read, mesh);
    tr_tile_mesh_release(&read);
}

/* ---- images: packs as bytes ---- */

struct image {
    uint8_t bytes[IMAGE_BYTES_MAX];
    size_t size_bytes;
};

static void image_load(struct image *image)
{
    struct tr_error error = {0};
    uint8_t *bytes;

    assert_ok(tr_file_read(pack_path, IMAGE_BYTES_MAX, &bytes, &image->size_bytes, &error), &error);
    memcpy(image->bytes, bytes, image->size_bytes);
    free(bytes);
}

/* Without tr_file_write's fsync, and as a new file, since some file systems flush one that was cut to nothing: these tests write
 * thousands of files. */
static void image_store(const struct image *image)
{
    FILE *file;

    remove(pack_path);
    file = fopen(pack_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(image->bytes, 1, image->size_bytes, file), image->size_bytes);
    assert_int_equal(fclose(file), 0);
}

static void put(struct image *image, size_t at, uint64_t value, int size_bytes)
{
    for (int i = 0; i < size_bytes; i++)
        image->bytes[at + (size_t)i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const struct image *image, size_t at, int size_bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < size_bytes; i++)
        value |= (uint64_t)image->bytes[at + (size_t)i] << (8 * i);
    return value;
}

/* Where things lie in the header and in an entry. */
enum { HEADER_TABLE = 88, ENTRY_OFFSET = 72, ENTRY_SIZE = 80, ENTRY_HASH = 88, ENTRY_CHECKSUM = 104 };

static size_t table_of(const struct image *image)
{
    return (size_t)get(image, HEADER_TABLE, 8);
}

static size_t entry_of(const struct image *image, size_t i)
{
    return table_of(image) + i * TR_PACK_ENTRY_BYTES;
}

/* Makes the checksums of streams, table and header right for what is there. */
static void image_seal(struct image *image)
{
    const size_t table = table_of(image);

    for (size_t entry = table; entry + TR_PACK_ENTRY_BYTES <= image->size_bytes;
         entry += TR_PACK_ENTRY_BYTES) {
        const uint64_t offset = get(image, entry + ENTRY_OFFSET, 8), size = get(image, entry + ENTRY_SIZE, 8);

        if (offset <= table && size <= table - offset)
            put(image, entry + ENTRY_CHECKSUM, tr_hash_bytes(image->bytes + offset, (size_t)size).lo, 8);
    }
    put(image, 96, tr_hash_bytes(image->bytes + table, image->size_bytes - table).lo, 8);
    put(image, 104, tr_hash_bytes(image->bytes, TR_PACK_HEADER_BYTES - 8).lo, 8);
}

/* Replaces the streams of the tile of entry i by `packed` and moves the rest. */
static void image_replace_streams(struct image *image, size_t i, const uint8_t *packed, size_t packed_bytes)
{
    const size_t at = (size_t)get(image, entry_of(image, i) + ENTRY_OFFSET, 8),
                 old_bytes = (size_t)get(image, entry_of(image, i) + ENTRY_SIZE, 8);

    assert_true(image->size_bytes + packed_bytes < sizeof image->bytes);
    memmove(image->bytes + at + packed_bytes, image->bytes + at + old_bytes,
            image->size_bytes - at - old_bytes);
    memcpy(image->bytes + at, packed, packed_bytes);
    image->size_bytes += packed_bytes - old_bytes;
    put(image, HEADER_TABLE, table_of(image) + packed_bytes - old_bytes, 8);
    put(image, entry_of(image, i) + ENTRY_SIZE, packed_bytes, 8);
    for (size_t entry = table_of(image); entry < image->size_bytes; entry += TR_PACK_ENTRY_BYTES) {
        const uint64_t offset = get(image, entry + ENTRY_OFFSET, 8);

        if (offset > at)
            put(image, entry + ENTRY_OFFSET, offset + packed_bytes - old_bytes, 8);
    }
}

/* Opens the file and reads all tiles, and their hash must be the pack's. */
static enum tr_status read_all(struct tr_error *error)
{
    struct tr_pack *pack;
    struct tr_tile_mesh mesh;
    struct tr_hash hash;
    enum tr_status status = tr_pack_open(pack_path, &pack, error);

    for (size_t i = 0; status == TR_OK && i < pack->tile_count; i++) {
        status = tr_pack_read_tile(pack, i, &mesh, error);
        tr_tile_mesh_release(&mesh);
    }
    if (status == TR_OK) {
        assert_ok(
            tr_pack_hash_tiles(&pack->info, pack->tiles, tr_pack_sums(pack), pack->tile_count, &hash, error),
            error);
        assert_true(tr_hash_equal(hash, pack->hash));
    }
    tr_pack_close(pack);
    return status;
}

static void assert_refused(const struct image *image, const char *expected)
{
    struct tr_error error = {0};
    enum tr_status status;

    image_store(image);
    status = read_all(&error);
    if (status != TR_BAD_INPUT || !strstr(error.text, expected))
        fail_msg("status %d \"%s\", expected %d and \"%s\"", status, error.text, TR_BAD_INPUT, expected);
}

/* ---- round trip ---- */

static int hills(int x, int y, int z)
{
    return 256 * (y - 20) - (x * x * 3 + z * 7 * (x & 15) + 91 * z) % 2500;
}

/* Two tiles of a smooth slope with a cave. */
static int slope(int x, int y, int z)
{
    int ground = 256 * (y - 24) - 40 * x - 17 * z,
        cave = 256 * 7 - 32 * tr_iabs(x - 60) - 64 * tr_iabs(y - 30) - 60 * tr_iabs(z - 30);

    return tr_imax(ground, cave);
}

static void a_window_reads_back_as_it_was_written(void **state)
{
    struct tr_mesh meshes[2] = {fixture_march(slope, 0, 0, 0), fixture_march(hills, 1, 0, 0)};
    struct tr_tile_part parts[2];
    struct tr_tile_mesh tiles[2] = {fixture_tile(&meshes[0], &parts[0]), fixture_tile(&meshes[1], &parts[1])};
    struct tr_error error = {0};
    struct tr_pack_writer *writer;
    struct tr_pack *pack;
    struct tr_hash hash;

    (void)state;
    assert_ok(tr_pack_writer_create(pack_path, &small_world, false, &writer, &error), &error);
    for (int i = 0; i < 2; i++)
        write_tile(writer, i, 0, 0, fixture_same, &tiles[i]);
    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);

    pack = open_pack();
    assert_true(meshes[0].index_count > 10000);
    assert_int_equal(pack->tile_count, 2);
    assert_int_equal(pack->info.size_x, 2);
    assert_int_equal(pack->info.size_z, 1);
    assert_int_equal(pack->info.form, TR_PACK_WINDOW);
    assert_int_equal(pack->lods, 1);
    assert_true(pack->info.voxel_size == 2);
    assert_true(tr_hash_equal(pack->info.world_hash, small_world.world_hash));
    assert_true(tr_hash_equal(pack->hash, hash));
    assert_int_equal(pack->vertex_count, meshes[0].vertex_count + meshes[1].vertex_count);
    assert_int_equal(pack->index_count, meshes[0].index_count + meshes[1].index_count);
    for (size_t i = 0; i < 2; i++) {
        struct tr_mesh mesh;

        assert_int_equal(pack->tiles[i].cx, i);
        assert_reads_back(pack, i, &tiles[i]);
        assert_ok(tr_pack_read_mesh(pack, i, &mesh, &error), &error);
        assert_array_equal("vertices", mesh.vertices, meshes[i].vertices, mesh.vertex_count,
                           sizeof *mesh.vertices);
        assert_array_equal("indices", mesh.indices, meshes[i].indices, mesh.index_count,
                           sizeof *mesh.indices);
        tr_mesh_release(&mesh);
        tr_mesh_release(&meshes[i]);
    }
    print_message("%.2f bytes a triangle\n", (double)pack->file_bytes / ((double)pack->index_count / 3));
    tr_pack_close(pack);
}

static void everything_that_a_tile_can_hold_reads_back(void **state)
{
    struct sample rich;
    struct tr_pack *pack;
    const struct tr_pack_tile *tile;
    struct tr_error error = {0};
    struct tr_tile_mesh read;

    (void)state;
    make_rich(&rich);
    write_one(pack_path, &all_world, 0, rich.states, &rich.mesh);
    pack = open_pack();
    tile = &pack->tiles[0];
    assert_int_equal(pack->info.form, TR_PACK_ALL_LODS);
    assert_int_equal(pack->lods, 2);
    assert_true(tile->has_materials && tile->has_targets && tile->has_weights);
    assert_memory_equal(tile->states, rich.states, sizeof rich.states);
    assert_int_equal(tile->error, 37);
    assert_int_equal(tile->lo[0], 32256); /* the moved places lie inside */
    assert_int_equal(tile->hi[0], 32768);
    assert_ok(tr_pack_read_tile(pack, 0, &read, &error), &error);
    assert_int_equal(read.size[0], 32768);
    assert_int_equal(read.size[1], 32768);
    assert_int_equal(read.size[2], 32768);
    tr_tile_mesh_release(&read);
    assert_reads_back(pack, 0, &rich.mesh);
    tr_pack_close(pack);
}

static void bounds_cover_where_vertices_move(void **state)
{
    struct sample rich;
    struct tr_pack *pack;

    (void)state;
    make_rich(&rich);
    rich.vertices[0].x = 32700;
    rich.targets[0][0] = 32700;
    write_one(pack_path, &all_world, 0, rich.states, &rich.mesh);
    pack = open_pack();
    assert_int_equal(pack->tiles[0].lo[0], 32640);
    tr_pack_close(pack);
}

static void heights_from_the_lowest_to_the_highest_read_back(void **state)
{
    struct tr_pack_info info = {.size_x = 1, .size_z = 1, .voxel_size = 1};
    struct sample heights;
    struct tr_error error = {0};
    struct tr_tile_mesh read;
    struct tr_pack *pack;

    (void)state;
    make_heights(&heights);
    write_one(pack_path, &info, -1024, heights.states, &heights.mesh);
    pack = open_pack();
    assert_int_equal(pack->tiles[0].kind, TR_TILE_HEIGHTS);
    assert_int_equal(pack->tiles[0].hi[1], (1 << 25) - 1);
    assert_reads_back(pack, 0, &heights.mesh);
    assert_ok(tr_pack_read_tile(pack, 0, &read, &error), &error);
    assert_int_equal(read.size[1], 0);
    tr_tile_mesh_release(&read);
    tr_pack_close(pack);
}

/* What only a mesher makes: transitions at two sides and a corner, and moves, from the lattices of a field with caves. */
static void a_tile_with_transitions_reads_back_and_is_drawn_as_its_own_level(void **state)
{
    static const uint8_t states[TR_SIDES] = {TR_SIDE_SAME, TR_SIDE_SAME | TR_SIDE_FINER,
                                             TR_SIDE_SAME, TR_SIDE_SAME,
                                             TR_SIDE_SAME, TR_SIDE_SAME | TR_SIDE_FINER};
    const struct tr_pack_info info = {.size_x = 4, .size_z = 4, .form = TR_PACK_ALL_LODS, .voxel_size = 1};
    struct tr_tile_mesh tile = fixture_build(slope, 1, 0, 0, 0, 0x22),
                        plain = fixture_build(slope, 1, 0, 0, 0, 0);
    struct tr_error error = {0};
    struct tr_mesh drawn;
    struct tr_pack *pack;

    (void)state;
    assert_int_equal(tile.part_count, 3);
    assert_true(tile.move_count > 100);
    write_one(pack_path, &info, 0, states, &tile);
    pack = open_pack();
    assert_reads_back(pack, 0, &tile);
    assert_ok(tr_pack_read_mesh(pack, 0, &drawn, &error), &error);
    assert_int_equal(drawn.vertex_count, plain.vertex_count);
    assert_int_equal(drawn.index_count, plain.index_count);
    assert_array_equal("vertices", drawn.vertices, plain.vertices, drawn.vertex_count,
                       sizeof *drawn.vertices);
    assert_array_equal("indices", drawn.indices, plain.indices, drawn.index_count, sizeof *drawn.indices);
    tr_mesh_release(&drawn);
    tr_tile_mesh_release(&tile);
    tr_tile_mesh_release(&plain);
    tr_pack_close(pack);
}

/* Extremes in even rounds, anything in odd ones. */
static int32_t random_from(int round, int64_t lo, int64_t hi)
{
    const uint32_t draw = random_below(UINT32_MAX);

    return (int32_t)(round % 2 ? lo + (int64_t)(draw % (uint64_t)(hi - lo + 1)) : draw % 2 ? lo : hi);
}

static void any_tile_within_the_limits_survives_its_streams(void **state)
{
    enum { VERTICES = 500, INDICES = 3000, MOVES = 900, PARTS = 81, ROUNDS = 56 };
    static struct arrays {
        tr_vertex vertices[VERTICES];
        uint8_t materials[VERTICES];
        int32_t targets[VERTICES][3];
        uint8_t weights[VERTICES][4];
        uint32_t indices[INDICES];
        struct tr_tile_move moves[MOVES];
        struct tr_tile_part parts[PARTS];
    } from, to;
    struct tr_pack_tile tile = {
        .vertex_count = VERTICES, .index_count = INDICES, .move_count = MOVES, .part_count = PARTS};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t lod = (uint32_t)round % TR_LODS;
        const int32_t side = (int32_t)tr_pack_tile_units(lod), reach = TR_UNITS << (TR_LOD_MAX),
                      step = tr_pack_move_max(lod);
        struct tr_tile_mesh mesh = {.vertex_count = VERTICES,
                                    .index_count = INDICES,
                                    .move_count = MOVES,
                                    .part_count = PARTS,
                                    .vertices = from.vertices,
                                    .indices = from.indices,
                                    .moves = from.moves,
                                    .parts = from.parts};
        struct tr_tile_mesh decoded = mesh;
        uint32_t first_index = 0;
        uint8_t *streams;

        for (int i = 0; i < VERTICES; i++) {
            tr_vertex *v = &from.vertices[i];
            int left = 255;

            *v = (tr_vertex){random_from(round, 0, side), random_from(round, 0, (1 << 25) - 1),
                             random_from(round, 0, side), random_below(UINT32_MAX)};
            from.materials[i] = (uint8_t)random_below(256);
            from.targets[i][0] = v->x + random_from(round, -reach, reach);
            from.targets[i][1] = random_from(round, -(1 << 25), (1 << 25) - 1);
            from.targets[i][2] = v->z + random_from(round, -reach, reach);
            for (int w = 0; w < 3; w++)
                left -= from.weights[i][w] = (uint8_t)random_from(round, 0, left);
            from.weights[i][3] = (uint8_t)left;
        }
        for (int i = 0; i < INDICES; i++)
            from.indices[i] = (uint32_t)random_from(round, 0, TR_PACK_HEIGHTS_VERTICES_MAX - 1);
        for (int i = 0; i < MOVES; i++) {
            const uint32_t vertex = (uint32_t)i / 2 + (i > MOVES / 2 ? 40 : 0);

            from.moves[i] = (struct tr_tile_move){
                vertex, random_below(64), from.vertices[vertex].x + random_from(round, -step, step),
                from.vertices[vertex].y, from.vertices[vertex].z + random_from(round, -step, step)};
        }
        for (int i = 0; i < PARTS; i++) {
            struct tr_tile_part *part = &from.parts[i];

            *part = (struct tr_tile_part){.face = (uint8_t)random_below(7), .first_index = first_index};
            tr_pack_states_from(random_below(1 << TR_PACK_STATES_BITS), part->states);
            part->index_count = 3 * (uint32_t)random_from(round, 1, 1 << 18);
            first_index += part->index_count;
        }
        tile.has_materials = round & 2;
        tile.has_targets = round & 4;
        tile.has_weights = round & 8;
        mesh.materials = tile.has_materials ? from.materials : NULL;
        mesh.targets = tile.has_targets ? from.targets : NULL;
        mesh.weights = tile.has_weights ? from.weights : NULL;
        streams =
            malloc(tr_pack_streams_bytes(&tile)); /* of its size, so that a sanitizer sees what goes beyond */
        assert_non_null(streams);
        tr_pack_streams_encode(&mesh, streams);

        memset(&to, 0xee, sizeof to);
        decoded.vertices = to.vertices;
        decoded.materials = tile.has_materials ? to.materials : NULL;
        decoded.targets = tile.has_targets ? to.targets : NULL;
        decoded.weights = tile.has_weights ? to.weights : NULL;
        decoded.indices = to.indices;
        decoded.moves = to.moves;
        decoded.parts = to.parts;
        tr_pack_streams_decode(streams, &decoded);
        assert_tile_equal(&decoded, &mesh);
        free(streams);
    }
}

static void an_empty_tile_is_not_stored_and_an_empty_pack_is_a_pack(void **state)
{
    struct tr_tile_mesh nothing = {0};
    struct tr_pack *pack;

    (void)state;
    write_one(pack_path, &small_world, 0, fixture_same, &nothing);
    pack = open_pack();
    assert_int_equal(pack->tile_count, 0);
    assert_int_equal(pack->lods, 0);
    assert_int_equal(pack->file_bytes, TR_PACK_HEADER_BYTES);
    tr_pack_close(pack);
}

static void paint_that_is_0_throughout_is_not_stored(void **state)
{
    struct sample rich, unpainted;
    struct tr_hash hash, other;
    struct tr_pack *pack;

    (void)state;
    make_rich(&rich);
    memset(rich.materials, 0, sizeof rich.materials);
    make_rich(&unpainted);
    unpainted.mesh.materials = NULL;
    hash = write_one(pack_path, &all_world, 0, rich.states, &rich.mesh);
    pack = open_pack();
    assert_false(pack->tiles[0].has_materials);
    assert_reads_back(pack, 0, &unpainted.mesh);
    tr_pack_close(pack);
    other = write_one(other_path, &all_world, 0, unpainted.states, &unpainted.mesh);
    assert_true(tr_hash_equal(hash, other));
}

static void tiles_come_in_any_order_and_the_table_is_sorted(void **state)
{
    static const int places[][3] = {{1, -3, 1}, {0, 0, 2}, {1, -2, 1}, {2, 7, 0}, {0, 0, 0}, {1, -3, 2}};
    enum { COUNT = sizeof places / sizeof places[0] };
    const struct tr_pack_info info = {.size_x = 3, .size_z = 3, .voxel_size = 1};
    struct tr_error error = {0};
    struct tr_pack_writer *writer;
    struct sample triangle;
    struct tr_hash hash, sorted_hash;
    struct tr_pack *pack;

    (void)state;
    make_triangle(&triangle);
    assert_ok(tr_pack_writer_create(pack_path, &info, true, &writer, &error), &error);
    for (int i = 0; i < COUNT; i++) {
        triangle.mesh.error = (uint32_t)i; /* tells the tiles apart */
        write_tile(writer, places[i][0], places[i][1], places[i][2], fixture_same, &triangle.mesh);
    }
    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);
    pack = open_pack();
    assert_int_equal(pack->tile_count, COUNT);
    assert_ok(read_all(&error), &error);

    /* the same tiles in the table's order: other offsets, one hash */
    assert_ok(tr_pack_writer_create(other_path, &info, true, &writer, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        const struct tr_pack_tile *tile = &pack->tiles[i];

        if (i > 0)
            assert_true(tr_pack_tile_compare(tile - 1, tile) < 0);
        assert_int_equal(tile->cx, places[tile->error][0]);
        assert_int_equal(tile->cy, places[tile->error][1]);
        assert_int_equal(tile->cz, places[tile->error][2]);
        triangle.mesh.error = tile->error;
        write_tile(writer, tile->cx, tile->cy, tile->cz, fixture_same, &triangle.mesh);
    }
    assert_ok(tr_pack_writer_commit(writer, &sorted_hash, &error), &error);
    tr_pack_writer_free(writer);
    assert_true(tr_hash_equal(hash, sorted_hash));
    tr_pack_close(pack);
}

/* ---- hash and diff ---- */

/* Writes the pack of the changed tile and asserts that both the hash and a comparison with that of `original` tell it apart. */
static void assert_told_apart(const char *what, struct tr_hash original, const struct tr_pack_info *info,
                              const struct sample *changed)
{
    const struct tr_hash hash = write_one(other_path, info, 0, changed->states, &changed->mesh);
    struct tr_error error = {0};
    struct tr_pack *a = open_pack(), *b;
    struct tr_pack_diff diff;

    if (tr_hash_equal(hash, original))
        fail_msg("the hash does not cover: %s", what);
    assert_ok(tr_pack_open(other_path, &b, &error), &error);
    assert_ok(tr_pack_diff(a, b, &diff, &error), &error);
    if (diff.equal || diff.count != 1)
        fail_msg("%s: %zu tiles differ, expected 1", what, diff.count);
    tr_pack_diff_release(&diff);
    tr_pack_close(a);
    tr_pack_close(b);
}

#define TOLD_APART(change)                                                                                   \
    do {                                                                                                     \
        make_rich(&rich);                                                                                    \
        change;                                                                                              \
        assert_told_apart(#change, hash, &all_world, &rich);                                                 \
    } while (0)

static void hash_and_diff_see_whatever_a_tile_holds(void **state)
{
    struct sample rich;
    struct tr_hash hash;

    (void)state;
    make_rich(&rich);
    hash = write_one(pack_path, &all_world, 0, rich.states, &rich.mesh);
    TOLD_APART(rich.vertices[3].y++);
    TOLD_APART(rich.vertices[2].normal ^= 1);
    TOLD_APART(rich.materials[3] = 4);
    TOLD_APART(rich.mesh.materials = NULL);
    TOLD_APART(rich.targets[0][1]++);
    TOLD_APART(rich.mesh.targets = NULL);
    TOLD_APART(rich.weights[1][0]--; rich.weights[1][3]++);
    TOLD_APART(rich.mesh.weights = NULL);
    TOLD_APART(rich.indices[3] = 0);
    TOLD_APART(rich.moves[1].z++);
    TOLD_APART(rich.moves[0].vertex = 0; rich.moves[0].x = 32256; rich.moves[0].y = 300; rich.moves[0].z = 0);
    TOLD_APART(rich.mesh.move_count = 1);
    TOLD_APART(rich.parts[0].states[1] = TR_SIDE_SAME);
    TOLD_APART(rich.parts[1].face = TR_PART_SURFACE);
    TOLD_APART(rich.mesh.part_count = 1; rich.mesh.index_count = 3);
    TOLD_APART(rich.mesh.error++);
    /* another kind, with nothing that heights have not */
    make_triangle(&rich);
    hash = write_one(pack_path, &small_world, 0, rich.states, &rich.mesh);
    rich.mesh.kind = TR_TILE_HEIGHTS;
    assert_told_apart("kind", hash, &small_world, &rich);
}

static void the_hash_covers_form_and_metres_but_not_the_worlds_hash(void **state)
{
    struct tr_pack_info info = small_world;
    struct sample triangle;
    struct tr_hash hash, other;

    (void)state;
    make_triangle(&triangle);
    hash = write_one(pack_path, &info, 0, fixture_same, &triangle.mesh);
    info.world_hash.lo ^= 1;
    other = write_one(pack_path, &info, 0, fixture_same, &triangle.mesh);
    assert_true(tr_hash_equal(hash, other));
    info.voxel_size = 1;
    other = write_one(pack_path, &info, 0, fixture_same, &triangle.mesh);
    assert_false(tr_hash_equal(hash, other));
    info.voxel_size = small_world.voxel_size;
    info.form = TR_PACK_ALL_LODS;
    other = write_one(pack_path, &info, 0, fixture_same, &triangle.mesh);
    assert_false(tr_hash_equal(hash, other));
    info.form = TR_PACK_WINDOW;
    info.size_x = 3;
    other = write_one(pack_path, &info, 0, fixture_same, &triangle.mesh);
    assert_false(tr_hash_equal(hash, other));
}

static void the_hash_does_not_depend_on_compression(void **state)
{
    struct tr_pack_tile tile = {.vertex_count = 3, .index_count = 3, .part_count = 1};
    uint8_t streams[256], packed[256];
    const size_t streams_bytes = tr_pack_streams_bytes(&tile);
    size_t packed_bytes;
    struct sample triangle;
    struct tr_hash hash;
    struct tr_pack *pack;
    struct image image;
    ZSTD_CCtx *context = ZSTD_createCCtx();

    (void)state;
    assert_non_null(context);
    make_triangle(&triangle);
    hash = write_one(pack_path, &small_world, 0, fixture_same, &triangle.mesh);
    image_load(&image);
    narrow_parts(fixture_same, &triangle.mesh);
    tr_pack_streams_encode(&triangle.mesh, streams);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 19);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    packed_bytes = ZSTD_compress2(context, packed, sizeof packed, streams, streams_bytes);
    ZSTD_freeCCtx(context);
    assert_false(ZSTD_isError(packed_bytes));
    assert_memory_not_equal(packed, image.bytes + TR_PACK_HEADER_BYTES, packed_bytes);

    image_replace_streams(&image, 0, packed, packed_bytes);
    image_seal(&image);
    image_store(&image);
    pack = open_pack();
    assert_true(tr_hash_equal(pack->hash, hash));
    assert_reads_back(pack, 0, &triangle.mesh);
    tr_pack_close(pack);
}

/* ---- the document ---- */

static int digit_value(char digit)
{
    const char *at = digit ? strchr("0123456789abcdef", digit) : NULL;

    return at ? (int)(at - "0123456789abcdef") : -1;
}

/* The example's bytes: in each line of its block, pairs of hex digits up to two blanks. */
static size_t document_example(uint8_t bytes[IMAGE_BYTES_MAX])
{
    struct tr_error error = {0};
    uint8_t *document;
    size_t size_bytes, count = 0;
    const char *line;

    if (tr_file_read(DOCUMENT, 1 << 20, &document, &size_bytes, &error) != TR_OK)
        fail_msg("%s (tests run in the repository's root)", error.text);
    line = strstr((const char *)document, "```pack\n");
    assert_non_null(line);
    for (line = strchr(line, '\n') + 1; *line != '`'; line = strchr(line, '\n') + 1) {
        for (const char *at = line; digit_value(at[0]) >= 0 && digit_value(at[1]) >= 0; at += 3) {
            assert_true(count < IMAGE_BYTES_MAX);
            bytes[count++] = (uint8_t)(digit_value(at[0]) << 4 | digit_value(at[1]));
            if (at[2] != ' ')
                break;
        }
    }
    free(document);
    return count;
}

/* Other versions of zstd may compress it otherwise, and then only reading the example is required. */
static void the_documents_example_is_what_is_written_and_read(void **state)
{
    uint8_t expected[IMAGE_BYTES_MAX];
    size_t expected_bytes;
    struct sample rich;
    struct tr_pack *pack;
    struct image image;

    (void)state;
    make_rich(&rich);
    write_one(pack_path, &all_world, 0, rich.states, &rich.mesh);
    image_load(&image);
    expected_bytes = document_example(expected);
    if (ZSTD_versionNumber() == EXAMPLE_ZSTD_VERSION &&
        (expected_bytes != image.size_bytes || memcmp(expected, image.bytes, image.size_bytes) != 0)) {
        for (size_t i = 0; i < image.size_bytes; i++)
            print_message("%02x%s", image.bytes[i], i % 16 == 15 ? "\n" : " ");
        fail_msg("\n%zu bytes in %s differ from the %zu above", expected_bytes, DOCUMENT, image.size_bytes);
    }
    memcpy(image.bytes, expected, expected_bytes);
    image.size_bytes = expected_bytes;
    image_store(&image);
    pack = open_pack();
    assert_reads_back(pack, 0, &rich.mesh);
    tr_pack_close(pack);
}

/* ---- what the writer refuses ---- */

static void assert_encode_refused(const struct sample *sample, const char *expected)
{
    struct tr_error error = {0};
    struct tr_pack_blob blob;
    enum tr_status status = tr_pack_encode(0, 0, 0, sample->states, &sample->mesh, &blob, &error);

    if (status != TR_BAD_INPUT || !strstr(error.text, expected))
        fail_msg("status %d \"%s\", expected %d and \"%s\"", status, error.text, TR_BAD_INPUT, expected);
    assert_null(blob.bytes);
}

#define NOT_ENCODED(make, change, expected)                                                                  \
    do {                                                                                                     \
        struct sample s;                                                                                     \
        make(&s);                                                                                            \
        change;                                                                                              \
        assert_encode_refused(&s, expected);                                                                 \
    } while (0)

static void a_tile_out_of_the_limits_is_not_encoded(void **state)
{
    (void)state;
    NOT_ENCODED(make_triangle, s.vertices[1].y = 16385,
                "y from 256 to 16385, expected them inside 0 to 16384");
    NOT_ENCODED(make_triangle, s.vertices[1].y = -1, "y from -1 to 300");
    NOT_ENCODED(make_triangle, s.indices[1] = 3, "1 indices name no vertex");
    NOT_ENCODED(make_triangle, s.mesh.index_count = 4, "4 indices, expected a multiple of 3");
    NOT_ENCODED(make_triangle, s.mesh.vertex_count = 2, "2 vertices, expected 3 to 1007808");
    NOT_ENCODED(make_triangle, s.mesh.part_count = 0, "0 parts, expected 1 to 81");
    NOT_ENCODED(make_triangle, s.mesh.part_count = 82, "82 parts, expected 1 to 81");
    NOT_ENCODED(make_triangle, s.mesh.lod = 7, "level of detail 7, expected 0 to 6");
    NOT_ENCODED(make_triangle, s.mesh.kind = 2, "kind 2, expected 0");
    NOT_ENCODED(make_triangle, s.vertices[0].normal = 0x8000u, "normal of -32768");
    NOT_ENCODED(make_triangle, s.mesh.move_count = 1; s.mesh.moves = s.moves, "1 moves, expected at most 0");
    NOT_ENCODED(make_rich, s.mesh.lod = 6, "targets at level 6, expected none");
    NOT_ENCODED(make_rich, s.states[0] = 0, "states of side -x are {none}, expected of {any}");
    NOT_ENCODED(make_rich, s.states[2] = 3, "states of side -y are {same, finer}, expected of {same}");
    NOT_ENCODED(make_triangle, s.states[5] = 2, "states of side +z are {finer}, expected of {same, coarser}");
    NOT_ENCODED(make_rich, s.targets[0][0] -= 1025,
                "target farther from its vertex than a cell of the next level");
    NOT_ENCODED(make_rich, s.targets[3][2] += 1025, "target farther");
    NOT_ENCODED(make_rich, s.targets[3][1] += 1025, "target farther");
    NOT_ENCODED(make_rich, s.targets[3][0]++, "target outside the tile");
    NOT_ENCODED(make_rich, s.targets[2][2]--, "target outside the tile");
    NOT_ENCODED(make_rich, s.weights[3][0] = 1, "weights whose sum is not 255");
    NOT_ENCODED(make_rich, s.weights[3][3] = 254, "weights whose sum is not 255");
    NOT_ENCODED(make_rich, s.moves[1].vertex = 4, "move of no vertex");
    NOT_ENCODED(make_rich, s.moves[0].vertex = 3, "move farther");
    NOT_ENCODED(make_rich, s.moves[0] = s.moves[1];
                s.moves[1].vertex = 1, "moves out of the order of their vertices");
    NOT_ENCODED(make_rich, s.moves[1] = s.moves[0], "moves of one vertex that are not two");
    NOT_ENCODED(make_rich, s.moves[1].sides = 0, "move for a side that is never finer");
    NOT_ENCODED(make_rich, s.moves[1].sides = 3, "move for a side that is never finer");
    NOT_ENCODED(make_rich, s.moves[1].x--, "move farther than a quarter of a cell");
    NOT_ENCODED(make_rich, s.moves[1].z += 129, "move farther than a quarter of a cell");
    NOT_ENCODED(make_rich, s.moves[1].y++, "or along y");
    NOT_ENCODED(make_rich, s.parts[1].first_index = 0, "parts whose triangles do not lie one behind another");
    NOT_ENCODED(make_rich, s.parts[1].index_count = 2, "parts whose triangles do not lie");
    NOT_ENCODED(make_rich, s.mesh.part_count = 1, "parts that are not all triangles of their tile");
    NOT_ENCODED(make_rich, s.parts[0].states[1] = TR_SIDE_COARSER,
                "part that is drawn in states that its tile cannot have");
    NOT_ENCODED(make_rich, s.parts[0].face = 1;
                s.parts[1].face = TR_PART_SURFACE, "transition that is drawn where its side is not finer");
    NOT_ENCODED(make_rich, s.parts[0] = s.parts[1]; s.parts[0].first_index = 0;
                s.parts[1].face = TR_PART_SURFACE, "parts that are not the surface and then the transitions");
    NOT_ENCODED(make_rich, s.parts[0] = s.parts[1];
                s.parts[0].first_index = 0, "parts that are not the surface and then");
    NOT_ENCODED(make_rich, s.parts[1].face = 7, "parts that are not the surface");
    NOT_ENCODED(make_rich, s.parts[1].states[1] = 3, "transition that is drawn where its side is not finer");
    NOT_ENCODED(make_rich, s.mesh.kind = TR_TILE_HEIGHTS, "2 moves, expected at most 0");
    NOT_ENCODED(make_rich, s.mesh.kind = TR_TILE_HEIGHTS;
                s.mesh.move_count = 0, "parts that are not the surface");
    NOT_ENCODED(make_heights, s.vertices[1].y++, "expected them inside 0 to 33554431");
    NOT_ENCODED(make_heights, s.vertices[0].y = s.vertices[2].y = 16384,
                "its row is that of its lowest vertex");
    NOT_ENCODED(make_heights, s.targets[0][0] = 513, "target farther");
    NOT_ENCODED(make_heights, (void)0, "target outside the tile"); /* in row 0 that is above the world */
}

static void counts_are_limited_by_kind(void **state)
{
    static const struct {
        enum tr_tile_kind kind;
        uint32_t vertices, indices;
        const char *expected; /* NULL: taken */
    } cases[] = {
        {TR_TILE_MARCHED, 1007808, 4521984, NULL},
        {TR_TILE_MARCHED, 1007809, 3, "1007809 vertices, expected 3 to 1007808"},
        {TR_TILE_MARCHED, 3, 4521987, "4521987 indices, expected a multiple of 3, 3 to 4521984"},
        {TR_TILE_HEIGHTS, 1 << 22, 3 << 23, NULL},
        {TR_TILE_HEIGHTS, (1 << 22) + 1, 3, "4194305 vertices, expected 3 to 4194304"},
        {TR_TILE_HEIGHTS, 3, (3 << 23) + 3, "25165827 indices, expected a multiple of 3, 3 to 25165824"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tr_pack_tile tile = {.kind = cases[i].kind,
                                    .vertex_count = cases[i].vertices,
                                    .index_count = cases[i].indices,
                                    .part_count = 1};
        struct tr_error error = {0};
        enum tr_status status;

        memcpy(tile.states, fixture_same, sizeof tile.states);
        status = tr_pack_tile_check(&tile, "a", 7, &error);
        if (status != (cases[i].expected ? TR_BAD_INPUT : TR_OK) ||
            (cases[i].expected && !strstr(error.text, cases[i].expected)))
            fail_msg("case %zu: status %d \"%s\"", i, status, error.text);
    }
}

static void assert_add_refused(struct tr_pack_writer *writer, int cx, int cy, int cz,
                               const struct sample *sample, const char *expected)
{
    struct tr_error error = {0};
    struct tr_pack_blob blob;
    enum tr_status status;

    assert_ok(tr_pack_encode(cx, cy, cz, sample->states, &sample->mesh, &blob, &error), &error);
    status = tr_pack_writer_add(writer, &blob, &error);
    if (status != TR_BAD_INPUT || !strstr(error.text, expected))
        fail_msg("status %d \"%s\", expected %d and \"%s\"", status, error.text, TR_BAD_INPUT, expected);
    tr_pack_blob_release(&blob);
}

static void tiles_must_lie_in_the_world(void **state)
{
    struct tr_error error = {0};
    const struct tr_pack_info info = {.size_x = 3, .size_z = 3, .voxel_size = 1};
    struct tr_pack_writer *writer;
    struct sample at_0, at_1, heights;

    (void)state;
    make_triangle(&at_0);
    make_triangle(&at_1);
    at_1.mesh.lod = 1;
    make_heights(&heights);
    heights.mesh.targets = NULL;
    assert_ok(tr_pack_writer_create(pack_path, &info, true, &writer, &error), &error);
    assert_add_refused(writer, 3, 0, 0, &at_0, "reaches out of the world of 3 x 3 chunks");
    assert_add_refused(writer, -1, 0, 0, &at_0, "reaches out of the world");
    assert_add_refused(writer, 0, 0, 3, &at_0, "reaches out of the world");
    assert_add_refused(writer, 0, 1024, 0, &at_0, "row 1024, expected -1025 to 1023");
    assert_add_refused(writer, 0, -514, 0, &at_1, "row -514, expected -513 to 511");
    at_1.vertices[2].x = 16385; /* of a tile that the world's edge cuts at 16384 */
    assert_add_refused(writer, 1, 0, 0, &at_1,
                       "tile (1, 0) of level 1 reaches out of the world of 3 x 3 chunks");
    assert_add_refused(writer, 0, -1025, 0, &heights, "row -1025, expected -1024 to 1023");
    assert_add_refused(writer, 0, -1023, 0, &heights,
                       "heights from -16760831 to 16793599, expected them inside -16777215 to 16777215");
    heights.vertices[0].y = 0;
    assert_add_refused(writer, 0, -1024, 0, &heights, "heights from -16777216 to 16777215");
    tr_pack_writer_free(writer);
}

static void a_place_is_taken_once(void **state)
{
    struct tr_error error = {0};
    struct tr_pack_writer *writer;
    struct sample triangle;
    struct tr_hash hash;

    make_triangle(&triangle);
    assert_ok(tr_pack_writer_create(pack_path, &small_world, true, &writer, &error), &error);
    write_tile(writer, 1, 5, 0, fixture_same, &triangle.mesh);
    write_tile(writer, 0, 0, 0, fixture_same, &triangle.mesh);
    write_tile(writer, 1, 5, 0, fixture_same, &triangle.mesh);
    assert_int_equal(tr_pack_writer_commit(writer, &hash, &error), TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "tile (1, 5, 0) of level 0 was added twice, expected once"));
    tr_pack_writer_free(writer);
    assert_int_equal(rmdir(*state), 0); /* fails where a file is left */
    assert_ok(tr_folder_create(*state, &error), &error);
}

/* Columns of LOD 1 in a world of 6 x 2 chunks, three in a row: 0 and 1 are siblings, 2 has none. */
static void sides_have_the_states_of_their_place(void **state)
{
    static const struct {
        enum tr_pack_form form;
        int cx;
        uint8_t minus_x, plus_x;
        const char *expected; /* NULL: taken */
    } cases[] = {
        /* -x at the world's edge; +x towards the sibling, never coarser */
        {TR_PACK_WINDOW, 0, 1, 1, NULL},
        {TR_PACK_WINDOW, 0, 1, 2, NULL},
        {TR_PACK_WINDOW, 0, 2, 1,
         "states of side -x are {finer}, expected one of {same} in a pack of a window"},
        {TR_PACK_WINDOW, 0, 1, 4, "states of side +x are {coarser}, expected one of {same, finer}"},
        {TR_PACK_WINDOW, 0, 1, 3, "states of side +x are {same, finer}, expected one of {same, finer}"},
        {TR_PACK_WINDOW, 1, 2, 4, NULL},
        {TR_PACK_WINDOW, 1, 4, 1, "states of side -x are {coarser}, expected one of {same, finer}"},
        {TR_PACK_WINDOW, 1, 1, 6, "states of side +x are {finer, coarser}, expected one of {any}"},
        {TR_PACK_WINDOW, 2, 4, 1, NULL},
        {TR_PACK_WINDOW, 2, 4, 2, "states of side +x are {finer}, expected one of {same}"},
        {TR_PACK_ALL_LODS, 0, 1, 3, NULL},
        {TR_PACK_ALL_LODS, 0, 1, 1,
         "states of side +x are {same}, expected all but `coarser` of {same, finer}"},
        {TR_PACK_ALL_LODS, 0, 1, 2, "states of side +x are {finer}, expected all but"},
        {TR_PACK_ALL_LODS, 0, 3, 3,
         "states of side -x are {same, finer}, expected all but `coarser` of {same} in a pack of all levels"},
        {TR_PACK_ALL_LODS, 0, 1, 7, "states of side +x are {any}, expected all but"},
        {TR_PACK_ALL_LODS, 1, 3, 7, NULL},
        {TR_PACK_ALL_LODS, 1, 3, 3, NULL}, /* where no level above is in the pack */
        {TR_PACK_ALL_LODS, 1, 3, 5,
         "states of side +x are {same, coarser}, expected all but `coarser` of {any}"},
        {TR_PACK_ALL_LODS, 2, 7, 1, NULL},
        {TR_PACK_ALL_LODS, 2, 7, 3,
         "states of side +x are {same, finer}, expected all but `coarser` of {same}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct tr_pack_info info = {.size_x = 6, .size_z = 2, .form = cases[i].form, .voxel_size = 1};
        struct sample sample;
        struct tr_error error = {0};
        struct tr_pack_writer *writer;

        make_triangle(&sample);
        sample.mesh.lod = 1;
        sample.states[0] = cases[i].minus_x;
        sample.states[1] = cases[i].plus_x;
        assert_ok(tr_pack_writer_create(pack_path, &info, true, &writer, &error), &error);
        if (cases[i].expected)
            assert_add_refused(writer, cases[i].cx, 0, 0, &sample, cases[i].expected);
        else
            write_tile(writer, cases[i].cx, 0, 0, sample.states, &sample.mesh);
        tr_pack_writer_free(writer);
    }
}

static void a_window_has_no_moves(void **state)
{
    const struct tr_pack_info info = {.size_x = 4, .size_z = 2, .voxel_size = 1};
    struct tr_error error = {0};
    struct tr_pack_writer *writer;
    struct sample rich;

    (void)state;
    make_rich(&rich);
    rich.states[1] = TR_SIDE_FINER;
    assert_ok(tr_pack_writer_create(pack_path, &info, true, &writer, &error), &error);
    assert_add_refused(writer, 0, 0, 0, &rich, "2 moves, expected none in a window");
    rich.mesh.move_count = 0;
    write_tile(writer, 0, 0, 0, rich.states, &rich.mesh);
    tr_pack_writer_free(writer);
}

static void a_pack_that_is_not_committed_leaves_nothing(void **state)
{
    struct tr_error error = {0};
    struct tr_pack_writer *writer;
    struct sample triangle;

    make_triangle(&triangle);
    assert_ok(tr_pack_writer_create(pack_path, &small_world, false, &writer, &error), &error);
    write_tile(writer, 0, 0, 0, fixture_same, &triangle.mesh);
    tr_pack_writer_free(writer);
    assert_false(tr_path_exists(pack_path));
    assert_int_equal(rmdir(*state), 0); /* fails where a temporary is left */
    assert_ok(tr_folder_create(*state, &error), &error);
}

/* ---- what the reader refuses ---- */

/* A pack of all levels: the tile that has everything, which is written first, and one of LOD 0, which comes first in the table. Written once:
 * committing a file waits for the disk. */
static struct image two_tile_image(void)
{
    static struct image image;
    const uint8_t states[TR_SIDES] = {
        TR_SIDE_SAME, TR_SIDE_SAME | TR_SIDE_COARSER, TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};
    struct tr_error error = {0};
    struct tr_pack_writer *writer;
    struct sample rich, triangle;
    struct tr_hash hash;

    if (image.size_bytes == 0) {
        make_rich(&rich);
        make_triangle(&triangle);
        assert_ok(tr_pack_writer_create(pack_path, &all_world, true, &writer, &error), &error);
        write_tile(writer, 0, 0, 0, rich.states, &rich.mesh);
        write_tile(writer, 1, 0, 0, states, &triangle.mesh);
        assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
        tr_pack_writer_free(writer);
        image_load(&image);
    }
    return image;
}

enum { TRIANGLE, RICH }; /* its entries */

static void every_flipped_bit_is_found(void **state)
{
    struct image image = two_tile_image();
    struct tr_error error = {0};

    (void)state;
    image_store(&image);
    assert_ok(read_all(&error), &error);
    for (size_t bit = 0; bit < 8 * image.size_bytes; bit++) {
        image.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        image_store(&image);
        if (read_all(&error) != TR_BAD_INPUT)
            fail_msg("byte %zu with bit %zu flipped was not refused: \"%s\"", bit / 8, bit % 8, error.text);
        image.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void every_shorter_and_every_longer_file_is_refused(void **state)
{
    const struct image whole = two_tile_image();

    (void)state;
    for (size_t size_bytes = 0; size_bytes < whole.size_bytes + TR_PACK_ENTRY_BYTES + 1; size_bytes++) {
        struct image image = whole;
        struct tr_error error = {0};

        if (size_bytes == whole.size_bytes)
            continue;
        if (size_bytes > whole.size_bytes)
            memset(image.bytes + whole.size_bytes, 0, size_bytes - whole.size_bytes);
        image.size_bytes = size_bytes;
        image_store(&image);
        if (read_all(&error) != TR_BAD_INPUT)
            fail_msg("file of %zu bytes instead of %zu was not refused: \"%s\"", size_bytes, whole.size_bytes,
                     error.text);
    }
}

/* An empty pack of version 1 is shorter than a header of this one. */
static void another_version_is_named_whatever_its_header(void **state)
{
    struct image image = two_tile_image();

    (void)state;
    put(&image, 8, 1, 4);
    assert_refused(&image, "header at byte 8: version 1, expected 2");
    image.size_bytes = 104;
    assert_refused(&image, "header at byte 8: version 1, expected 2");
    put(&image, 8, 3, 4);
    image.size_bytes = 12;
    assert_refused(&image, "header at byte 8: version 3, expected 2");
    put(&image, 8, 2, 4);
    assert_refused(&image, "file of 12 bytes, expected a header of 112");
    image.size_bytes = 11;
    assert_refused(&image, "file of 11 bytes, expected a header of 112");
    put(&image, 0, 'X', 1);
    assert_refused(&image, "header at byte 0: not a mesh pack, expected the magic TRTPACK");
}

static void a_wrong_field_is_named_though_all_checksums_are_right(void **state)
{
    /* fields of the header at their offset; of the entries of the table at these and their offset in it */
    enum { E0 = 1000, E1 = 2000 };
    static const struct {
        size_t at;
        uint64_t value;
        int size_bytes;
        const char *expected;
    } cases[] = {
        {12, 2, 4, "header at byte 12: form 2, expected 0 (a window) or 1 (all levels)"},
        {12, 0, 4,
         "states of side +x are {same, coarser}, expected one of {same, coarser} in a pack of a window"},
        {16, 0, 4, "header at byte 16: 0 x 2 chunks"},
        {20, UINT32_MAX, 4, "header at byte 16: 4 x -1 chunks"},
        {16, 1000001, 4, "header at byte 16: 1000001 x 2 chunks"},
        {16, 1, 4, "tile (1, 0) of level 0 reaches out of the world of 1 x 2 chunks"},
        {24, 1, 4, "header at byte 88: table of 1 tiles"},
        {24, UINT32_MAX, 4, "header at byte 88: table of 4294967295 tiles"},
        {28, 1, 4, "header at byte 28: set of levels 0x1, expected 0x3 as in the table"},
        {28, UINT32_MAX, 4, "header at byte 28: set of levels 0xffffffff, expected 0x3"},
        {32, 0, 8, "header at byte 32: voxel size 0"},
        {32, 0x7ff8000000000000u, 8, "header at byte 32: voxel size nan"},
        {32, 0x7ff0000000000000u, 8, "header at byte 32: voxel size inf"},
        {32, 0xbff0000000000000u, 8, "header at byte 32: voxel size -1"},
        {72, 8, 8, "header at byte 72: 8 vertices and 9 indices, expected 7 and 9"},
        {80, 6, 8, "header at byte 72: 7 vertices and 6 indices, expected 7 and 9"},
        {E0, 7, 4, "level of detail 7, expected 0 to 6"},
        {E1, 0, 4, "states of side +x are {same, finer}, expected of {same, coarser}"},
        {E0 + 4, 4, 4, "tile (4, 0) of level 0 reaches out of the world"},
        {E0 + 8, 1024, 4, "row 1024, expected -1025 to 1023"},
        {E0 + 12, 2, 4, "tile (1, 2) of level 0 reaches out of the world"},
        {E0 + 12, UINT32_MAX, 4, "tile (1, -1) of level 0 reaches out of the world"},
        {E0 + 16, 2, 4, "kind 2, expected 0 (marching cubes) or 1 (heights)"},
        {E0 + 16, 1, 4, "hash of the decoded mesh differs from the table's"},
        {E0 + 20, 8, 4, "streams 0x8 and states 0x9269"},
        {E0 + 20, 1, 4, "not a zstd frame of the tile's decoded size"},
        {E0 + 24, 1u << 18 | 0x9269, 4, "expected sets of 3 streams and of 3 states for each of 6 sides"},
        {E0 + 24, 0x9268, 4, "states of side -x are {none}"},
        {E0 + 24, 0x9249, 4,
         "hash of the decoded mesh differs from the table's"}, /* none above in the pack */
        {E0 + 24, 0x926d, 4, "states of side -x are {same, coarser}"},
        {E0 + 28, 2, 4, "2 vertices, expected 3 to 1007808"},
        {E0 + 28, 1007809, 4, "1007809 vertices, expected 3 to 1007808"},
        {E0 + 28, 1007808, 4, "bytes of streams, expected 431 to"},
        {E0 + 28, 4, 4, "header at byte 72: 7 vertices and 9 indices, expected 8 and 9"},
        {E0 + 32, 4, 4, "4 indices, expected a multiple of 3"},
        {E0 + 32, 0, 4, "0 indices, expected a multiple of 3"},
        {E0 + 32, 4521987, 4, "4521987 indices, expected a multiple of 3, 3 to 4521984"},
        {E0 + 32, 4521984, 4, "bytes of streams, expected 415 to"},
        {E0 + 36, 1, 4, "1 moves, expected at most 0"},
        {E1 + 36, 9, 4, "9 moves, expected at most 8"},
        {E1 + 36, 1, 4, "not a zstd frame of the tile's decoded size"},
        {E0 + 40, 0, 4, "0 parts, expected 1 to 81"},
        {E0 + 40, 82, 4, "82 parts, expected 1 to 81"},
        {E0 + 44, 1, 4, "hash of the decoded mesh differs from the table's"},
        {E0 + 48, UINT32_MAX, 4, "x from -1 to 256, expected them inside 0 to 16384"},
        {E0 + 48, 257, 4, "x from 257 to 256"},
        {E0 + 64, 16385, 4, "y from 256 to 16385"},
        {E0 + 48, 1, 4, "bounds of the vertices differ from the table's"},
        {E0 + 60, 257, 4, "bounds of the vertices differ from the table's"},
        {E0 + 72, 111, 8, "expected them between the header of 112 bytes and the table"},
        {E0 + 72, UINT64_MAX, 8, "bytes of streams at byte 18446744073709551615, expected them between"},
        {E0 + 72, 112, 8, "expected at byte"},
        {E1 + 72, 113, 8, "streams of a tile at byte 113, expected at byte 112"},
        {E0 + 80, 0, 8, "0 bytes of streams, expected 1 to"},
        {E0 + 80, UINT64_MAX, 8, "18446744073709551615 bytes of streams"},
        {E0 + 80, 300, 8, "expected them between the header of 112 bytes and the table"},
        {E0 + 80, 30, 8, "streams end at byte"},
        {E1 + 80, 30, 8, "expected at byte 142, where those before them end"},
        {E0 + 88, 0, 8, "hash of the decoded mesh differs from the table's"},
    };
    const struct image whole = two_tile_image();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct image image = whole;
        size_t at = cases[i].at;

        if (at >= E0)
            at = entry_of(&image, at / 1000 - 1) + at % 1000;
        put(&image, at, cases[i].value, cases[i].size_bytes);
        image_seal(&image);
        assert_refused(&image, cases[i].expected);
    }
}

static void entries_are_in_order(void **state)
{
    struct image image = two_tile_image();
    uint8_t entry[TR_PACK_ENTRY_BYTES];

    (void)state;
    memcpy(entry, image.bytes + entry_of(&image, 0), sizeof entry);
    memcpy(image.bytes + entry_of(&image, 0), image.bytes + entry_of(&image, 1), sizeof entry);
    image_seal(&image);
    assert_refused(&image, "out of the order of level, z, x, y"); /* twice the same */
    memcpy(image.bytes + entry_of(&image, 1), entry, sizeof entry);
    image_seal(&image);
    assert_refused(&image, "out of the order of level, z, x, y");
}

/* Puts streams that decode to `streams` into the pack; the hash in the table is made right for them, so that only their content is wrong. */
static void assert_streams_refused(const uint8_t *streams, size_t streams_bytes, const char *expected)
{
    struct image image = two_tile_image();
    const size_t entry = entry_of(&image, RICH);
    uint8_t packed[512];
    struct tr_pack_tile tile = {.lod = 1,
                                .vertex_count = 4,
                                .index_count = 6,
                                .move_count = 2,
                                .part_count = 2,
                                .has_materials = true,
                                .has_targets = true,
                                .has_weights = true,
                                .error = 37};
    struct tr_error error = {0};
    struct tr_tile_mesh mesh;
    struct tr_hash hash;

    tr_pack_states_from((uint32_t)get(&image, entry + 24, 4), tile.states);
    image_replace_streams(&image, RICH, packed,
                          ZSTD_compress(packed, sizeof packed, streams, streams_bytes, 3));
    assert_ok(tr_pack_mesh_take(&tile, &mesh, &error), &error);
    tr_pack_streams_decode(streams, &mesh);
    assert_ok(tr_pack_hash_tile(&tile, &mesh, &hash, &error), &error);
    tr_tile_mesh_release(&mesh);
    put(&image, entry_of(&image, RICH) + ENTRY_HASH, hash.lo, 8);
    put(&image, entry_of(&image, RICH) + ENTRY_HASH + 8, hash.hi, 8);
    image_seal(&image);
    assert_refused(&image, expected);
}

enum { RICH_STREAMS_BYTES = 4 * 26 + 6 * 3 + 2 * 8 + 2 * 7 };

#define NOT_READ(change, expected)                                                                           \
    do {                                                                                                     \
        struct sample s;                                                                                     \
        uint8_t streams[RICH_STREAMS_BYTES];                                                                 \
        make_rich(&s);                                                                                       \
        narrow_parts(s.states, &s.mesh);                                                                     \
        change;                                                                                              \
        tr_pack_streams_encode(&s.mesh, streams);                                                            \
        assert_streams_refused(streams, sizeof streams, expected);                                           \
    } while (0)

/* One byte of the streams, which are those of the sample otherwise. */
#define BYTE_NOT_READ(at, value, expected)                                                                   \
    do {                                                                                                     \
        struct sample s;                                                                                     \
        uint8_t streams[RICH_STREAMS_BYTES];                                                                 \
        make_rich(&s);                                                                                       \
        narrow_parts(s.states, &s.mesh);                                                                     \
        tr_pack_streams_encode(&s.mesh, streams);                                                            \
        streams[at] = value;                                                                                 \
        assert_streams_refused(streams, sizeof streams, expected);                                           \
    } while (0)

static void streams_that_decode_to_nonsense_are_refused(void **state)
{
    enum { MOVES = RICH_STREAMS_BYTES - 30, PARTS = RICH_STREAMS_BYTES - 14 };

    (void)state;
    NOT_READ(s.indices[2] = 4, "index that names no vertex");
    NOT_READ(s.indices[2] = UINT32_MAX, "index that names no vertex");
    NOT_READ(s.vertices[0].x = 32255, "bounds of the vertices differ from the table's");
    NOT_READ(s.vertices[3].normal = 0x80000000u, "normal of -32768");
    NOT_READ(memset(s.materials, 0, sizeof s.materials), "materials that are all 0");
    NOT_READ(s.targets[1][1] += 1400, "target farther from its vertex than a cell of the next level");
    NOT_READ(s.targets[1][0]++, "target outside the tile");
    NOT_READ(memset(s.weights[1], 128, 3), "weights whose sum is not 255");
    NOT_READ(s.moves[0] = s.moves[1], "moves of one vertex that are not two");
    NOT_READ(s.moves[0].sides = 32, "move for a side that is never finer");
    NOT_READ(s.moves[0].sides = 255, "move for a side that is never finer");
    NOT_READ(s.moves[0].x--, "move farther than a quarter of a cell");
    NOT_READ(s.moves[1].z -= 1, "bounds of the vertices differ from the table's");
    NOT_READ(s.parts[0].states[0] = 3, "part that is drawn in states that its tile cannot have");
    NOT_READ(s.parts[0].states[0] = 0, "part that is drawn in states that its tile cannot have");
    NOT_READ(s.parts[1].states[1] = 3, "transition that is drawn where its side is not finer");
    NOT_READ(s.parts[1].face = 0, "transition that is drawn where its side is not finer");
    NOT_READ(s.parts[1].face = 8, "parts that are not the surface");
    NOT_READ(s.parts[1].index_count = 0, "parts whose triangles do not lie one behind another");
    NOT_READ(s.parts[1].index_count = 6, "parts that are not all triangles of their tile");
    BYTE_NOT_READ(MOVES + 1, 200, "move of no vertex");
    BYTE_NOT_READ(MOVES + 5, 255, "move of no vertex");
    BYTE_NOT_READ(PARTS + 4, 4, "parts that are not the surface"); /* a 19th bit of states */
    BYTE_NOT_READ(PARTS + 13, 255,
                  "parts that are not all triangles of their tile"); /* the high byte of a count */
}

static void streams_are_exactly_one_frame_of_the_right_size(void **state)
{
    static const uint8_t skippable[12] = {0x50, 0x2a, 0x4d, 0x18, 4};
    uint8_t streams[RICH_STREAMS_BYTES + 1] = {0}, packed[512];
    const struct image whole = two_tile_image();
    struct image image = whole;
    struct sample rich;
    size_t size_bytes;

    (void)state;
    make_rich(&rich);
    narrow_parts(rich.states, &rich.mesh);
    tr_pack_streams_encode(&rich.mesh, streams);
    size_bytes = ZSTD_compress(packed, sizeof packed, streams, sizeof streams, 3);
    image_replace_streams(&image, RICH, packed, size_bytes);
    image_seal(&image);
    assert_refused(&image, "not a zstd frame of the tile's decoded size");

    image = whole;
    size_bytes = ZSTD_compress(packed, sizeof packed, streams, sizeof streams - 1, 3);
    memcpy(packed + size_bytes, skippable, sizeof skippable);
    image_replace_streams(&image, RICH, packed, size_bytes + sizeof skippable);
    image_seal(&image);
    assert_refused(&image, "zstd frame does not fill them");

    image = whole;
    memset(image.bytes + TR_PACK_HEADER_BYTES, 0, 4);
    image_seal(&image);
    assert_refused(&image, "not a zstd frame");

    image = whole;
    image_replace_streams(&image, RICH, packed, size_bytes - 1);
    image_seal(&image);
    assert_refused(&image, "zstd frame does not fill them");
}

static void what_is_not_a_file_is_refused(void **state)
{
    struct tr_error error = {0};
    struct tr_pack *pack;

    assert_int_equal(tr_pack_open(pack_path, &pack, &error), TR_IO);
    assert_non_null(strstr(error.text, "cannot open"));
    assert_int_equal(tr_pack_open(*state, &pack, &error), TR_IO);
    assert_non_null(strstr(error.text, "is not a regular file"));
    assert_null(pack);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_window_reads_back_as_it_was_written),
        TEST(everything_that_a_tile_can_hold_reads_back),
        TEST(bounds_cover_where_vertices_move),
        TEST(heights_from_the_lowest_to_the_highest_read_back),
        TEST(a_tile_with_transitions_reads_back_and_is_drawn_as_its_own_level),
        TEST(any_tile_within_the_limits_survives_its_streams),
        TEST(an_empty_tile_is_not_stored_and_an_empty_pack_is_a_pack),
        TEST(paint_that_is_0_throughout_is_not_stored),
        TEST(tiles_come_in_any_order_and_the_table_is_sorted),
        TEST(hash_and_diff_see_whatever_a_tile_holds),
        TEST(the_hash_covers_form_and_metres_but_not_the_worlds_hash),
        TEST(the_hash_does_not_depend_on_compression),
        TEST(the_documents_example_is_what_is_written_and_read),
        TEST(a_tile_out_of_the_limits_is_not_encoded),
        TEST(counts_are_limited_by_kind),
        TEST(tiles_must_lie_in_the_world),
        TEST(a_place_is_taken_once),
        TEST(sides_have_the_states_of_their_place),
        TEST(a_window_has_no_moves),
        TEST(a_pack_that_is_not_committed_leaves_nothing),
        TEST(every_flipped_bit_is_found),
        TEST(every_shorter_and_every_longer_file_is_refused),
        TEST(another_version_is_named_whatever_its_header),
        TEST(a_wrong_field_is_named_though_all_checksums_are_right),
        TEST(entries_are_in_order),
        TEST(streams_that_decode_to_nonsense_are_refused),
        TEST(streams_are_exactly_one_frame_of_the_right_size),
        TEST(what_is_not_a_file_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
