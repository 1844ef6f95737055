/* Mesh packs: what is written reads back, the format is what FORMAT.md says, and no damaged or lying file is taken for a pack.
 *
 * Files with one wrong field are made from a whole one: the field is changed and every checksum over it made right again, so that it is
 * the field that is refused and not the checksum. */
#include "tests/support/test.h"

#include "lib/base/alloc.h"
#include "lib/base/bytes.h"
#include "lib/pack/pack_check.h"
#include "lib/pack/pack_format.h"
#include "tests/unit/pack_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#define DOCUMENT "lib/pack/FORMAT.md"
#define EXAMPLE_ZSTD_VERSION 10504
#define IMAGE_BYTES_MAX 4096

static char pack_path[TR_PATH_BYTES];

static int setup(void **state)
{
    if (scratch_make(state) != 0)
        return -1;
    return tr_path_join(pack_path, *state, "a.tpack", NULL) == TR_OK ? 0 : -1;
}

/* ---- meshes ---- */

static tr_vertex triangle_vertices[3] = {
    {128, 256, 0, 0x00000000u}, {0, 256, 77, 0x12345678u}, {256, 300, 256, 0x7fff8001u}};
static uint32_t triangle_indices[3] = {0, 1, 2};
static const struct tr_mesh triangle = {triangle_vertices, triangle_indices, 3, 3};
static const struct tr_pack_info small_world = {
    .size_x = 2, .size_z = 1, .voxel_size = 2, .world_hash = {0x0123456789abcdefu, 0xfedcba9876543210u}};

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

static void write_tile(struct tr_pack_writer *writer, int cx, int cy, int cz, uint32_t lod,
                       const struct tr_mesh *mesh)
{
    struct tr_error error = {0};
    struct tr_pack_blob blob;

    assert_ok(tr_pack_encode(cx, cy, cz, lod, mesh, &blob, &error), &error);
    assert_ok(tr_pack_writer_add(writer, &blob, &error), &error);
    tr_pack_blob_release(&blob);
}

/* Writes meshes as tiles (0, 0, 0), (1, 0, 0) ... */
static struct tr_hash write_pack(const struct tr_pack_info *info, const struct tr_mesh *meshes, int count)
{
    struct tr_error error = {0};
    struct tr_pack_writer *writer;
    struct tr_hash hash = {0};

    assert_ok(tr_pack_writer_create(pack_path, info, true, &writer, &error), &error);
    for (int i = 0; i < count; i++)
        write_tile(writer, i, 0, 0, 0, &meshes[i]);
    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);
    return hash;
}

static void assert_mesh_equal(const struct tr_mesh *a, const struct tr_mesh *b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->index_count, b->index_count);
    assert_memory_equal(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices);
    assert_memory_equal(a->indices, b->indices, a->index_count * sizeof *a->indices);
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

static size_t table_of(const struct image *image)
{
    return (size_t)get(image, 80, 8);
}

/* Makes the checksums of streams, table and header right for what is there. */
static void image_seal(struct image *image)
{
    size_t table = table_of(image), offset = TR_PACK_HEADER_BYTES;

    for (size_t entry = table; entry + TR_PACK_ENTRY_BYTES <= image->size_bytes;
         entry += TR_PACK_ENTRY_BYTES) {
        size_t size_bytes = (size_t)get(image, entry + 48, 8);

        if (size_bytes > table - offset)
            break;
        put(image, entry + 72, tr_hash_bytes(image->bytes + offset, size_bytes).lo, 8);
        offset += size_bytes;
    }
    put(image, 88, tr_hash_bytes(image->bytes + table, image->size_bytes - table).lo, 8);
    put(image, 96, tr_hash_bytes(image->bytes, TR_PACK_HEADER_BYTES - 8).lo, 8);
}

/* Replaces the streams of tile 0 by `packed` and moves the rest. */
static void image_replace_streams(struct image *image, const uint8_t *packed, size_t packed_bytes)
{
    size_t table = table_of(image), old_bytes = (size_t)get(image, table + 48, 8);

    assert_true(image->size_bytes + packed_bytes < sizeof image->bytes);
    memmove(image->bytes + TR_PACK_HEADER_BYTES + packed_bytes,
            image->bytes + TR_PACK_HEADER_BYTES + old_bytes,
            image->size_bytes - TR_PACK_HEADER_BYTES - old_bytes);
    memcpy(image->bytes + TR_PACK_HEADER_BYTES, packed, packed_bytes);
    image->size_bytes += packed_bytes - old_bytes;
    put(image, 80, table + packed_bytes - old_bytes, 8);
    put(image, table_of(image) + 48, packed_bytes, 8);
}

/* Opens the file, reads all tiles and verifies. Returns the first failure's status, TR_NO for a defect. */
static enum tr_status read_all(struct tr_error *error)
{
    struct tr_pack *pack;
    struct tr_pack_report report;
    struct tr_mesh mesh;
    bool good = false;
    enum tr_status status = tr_pack_open(pack_path, &pack, error);

    for (size_t i = 0; status == TR_OK && i < pack->tile_count; i++) {
        status = tr_pack_read_tile(pack, i, &mesh, error);
        tr_mesh_release(&mesh);
    }
    if (status == TR_OK)
        status = tr_pack_verify(pack, &report, &good, error);
    tr_pack_close(pack);
    return status == TR_OK && !good ? TR_NO : status;
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

static void a_pack_reads_back_as_it_was_written(void **state)
{
    struct tr_mesh meshes[2] = {fixture_march(slope, 0, 0, 0), fixture_march(slope, 1, 0, 0)};
    struct tr_hash hash = write_pack(&small_world, meshes, 2);
    struct tr_error error = {0};
    struct tr_pack *pack;

    (void)state;
    assert_true(meshes[0].index_count > 10000);
    assert_ok(tr_pack_open(pack_path, &pack, &error), &error);
    assert_int_equal(pack->tile_count, 2);
    assert_int_equal(pack->info.size_x, 2);
    assert_int_equal(pack->info.size_z, 1);
    assert_true(pack->info.voxel_size == 2);
    assert_true(tr_hash_equal(pack->info.world_hash, small_world.world_hash));
    assert_true(tr_hash_equal(pack->hash, hash));
    assert_int_equal(pack->vertex_count, meshes[0].vertex_count + meshes[1].vertex_count);
    assert_int_equal(pack->index_count, meshes[0].index_count + meshes[1].index_count);
    for (int i = 0; i < 2; i++) {
        struct tr_mesh mesh;

        assert_int_equal(pack->tiles[i].cx, i);
        assert_ok(tr_pack_read_tile(pack, (size_t)i, &mesh, &error), &error);
        assert_mesh_equal(&mesh, &meshes[i]);
        tr_mesh_release(&mesh);
    }
    print_message("%.2f bytes a triangle\n", (double)pack->file_bytes / ((double)pack->index_count / 3));
    tr_pack_close(pack);
    tr_mesh_release(&meshes[0]);
    tr_mesh_release(&meshes[1]);
}

static void any_mesh_within_the_limits_survives_its_streams(void **state)
{
    enum { VERTICES = 500, INDICES = 3000, ROUNDS = 40 };
    static tr_vertex vertices[VERTICES], decoded_vertices[VERTICES];
    static uint32_t indices[INDICES], decoded_indices[INDICES];
    static uint8_t streams[VERTICES * TR_PACK_VERTEX_BYTES + INDICES * TR_PACK_INDEX_BYTES];
    struct tr_mesh mesh = {vertices, indices, VERTICES, INDICES};
    struct tr_mesh decoded = {decoded_vertices, decoded_indices, VERTICES, INDICES};
    uint64_t seed = 1;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int32_t side = (int32_t)tr_pack_tile_units((uint32_t)round % (TR_PACK_LOD_MAX + 1));

        /* extremes in even rounds, anything in odd ones */
        for (int i = 0; i < VERTICES; i++) {
            int32_t *xyz[3] = {&vertices[i].x, &vertices[i].y, &vertices[i].z};

            for (int axis = 0; axis < 3; axis++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                *xyz[axis] = (int32_t)(round % 2 ? (seed >> 33) % ((uint64_t)side + 1)
                                                 : (seed >> 40 & 1) * (uint64_t)side);
            }
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            vertices[i].normal = (uint32_t)(seed >> 32);
        }
        for (int i = 0; i < INDICES; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            indices[i] = round % 2 ? (uint32_t)(seed >> 33) % TR_PACK_TILE_VERTICES_MAX
                                   : (uint32_t)(seed >> 40 & 1) * (TR_PACK_TILE_VERTICES_MAX - 1);
        }
        tr_pack_streams_encode(&mesh, streams);
        memset(decoded_vertices, 0xee, sizeof decoded_vertices);
        memset(decoded_indices, 0xee, sizeof decoded_indices);
        tr_pack_streams_decode(streams, &decoded);
        assert_mesh_equal(&decoded, &mesh);
    }
}

static void an_empty_tile_is_not_stored_and_an_empty_pack_is_a_pack(void **state)
{
    struct tr_mesh nothing = {0};
    struct tr_error error = {0};
    struct tr_pack *pack;

    (void)state;
    write_pack(&small_world, &nothing, 1);
    assert_ok(tr_pack_open(pack_path, &pack, &error), &error);
    assert_int_equal(pack->tile_count, 0);
    assert_int_equal(pack->file_bytes, TR_PACK_HEADER_BYTES);
    tr_pack_close(pack);
}

static void the_hash_covers_meshes_and_metres_but_not_the_worlds_hash(void **state)
{
    struct tr_pack_info info = small_world;
    struct tr_hash hash = write_pack(&info, &triangle, 1), other;
    tr_vertex moved_vertices[3];
    struct tr_mesh moved = {moved_vertices, triangle_indices, 3, 3};

    (void)state;
    info.world_hash.lo ^= 1;
    other = write_pack(&info, &triangle, 1);
    assert_true(tr_hash_equal(hash, other));
    info.voxel_size = 1;
    other = write_pack(&info, &triangle, 1);
    assert_false(tr_hash_equal(hash, other));
    memcpy(moved_vertices, triangle_vertices, sizeof moved_vertices);
    moved_vertices[2].normal ^= 2;
    other = write_pack(&small_world, &moved, 1);
    assert_false(tr_hash_equal(hash, other));
}

static void the_hash_does_not_depend_on_compression(void **state)
{
    uint8_t streams[3 * TR_PACK_VERTEX_BYTES + 3 * TR_PACK_INDEX_BYTES], packed[256];
    size_t packed_bytes;
    struct tr_hash hash = write_pack(&small_world, &triangle, 1);
    struct tr_error error = {0};
    struct tr_pack *pack;
    struct tr_mesh mesh;
    struct image image;
    ZSTD_CCtx *context = ZSTD_createCCtx();

    (void)state;
    assert_non_null(context);
    image_load(&image);
    tr_pack_streams_encode(&triangle, streams);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 19);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    packed_bytes = ZSTD_compress2(context, packed, sizeof packed, streams, sizeof streams);
    ZSTD_freeCCtx(context);
    assert_false(ZSTD_isError(packed_bytes));
    assert_memory_not_equal(packed, image.bytes + TR_PACK_HEADER_BYTES, packed_bytes);

    image_replace_streams(&image, packed, packed_bytes);
    image_seal(&image);
    image_store(&image);
    assert_ok(tr_pack_open(pack_path, &pack, &error), &error);
    assert_true(tr_hash_equal(pack->hash, hash));
    assert_ok(tr_pack_read_tile(pack, 0, &mesh, &error), &error);
    assert_mesh_equal(&mesh, &triangle);
    tr_mesh_release(&mesh);
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
    static tr_vertex vertices[3] = {{128, 256, 0, 0}, {0, 256, 128, 0}, {256, 300, 256, 0x00010002u}};
    struct tr_mesh mesh = {vertices, triangle_indices, 3, 3}, read;
    struct tr_pack_info info = {.size_x = 1, .size_z = 1, .voxel_size = 1, .world_hash = {1, 2}};
    uint8_t expected[IMAGE_BYTES_MAX];
    size_t expected_bytes;
    struct tr_error error = {0};
    struct tr_pack *pack;
    struct image image;

    (void)state;
    write_pack(&info, &mesh, 1);
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
    assert_ok(tr_pack_open(pack_path, &pack, &error), &error);
    assert_ok(tr_pack_read_tile(pack, 0, &read, &error), &error);
    assert_mesh_equal(&read, &mesh);
    tr_mesh_release(&read);
    tr_pack_close(pack);
}

/* ---- what the writer refuses ---- */

static void assert_encode_refused(const struct tr_mesh *mesh, const char *expected)
{
    struct tr_error error = {0};
    struct tr_pack_blob blob;
    enum tr_status status = tr_pack_encode(0, 0, 0, 0, mesh, &blob, &error);

    if (status != TR_BAD_INPUT || !strstr(error.text, expected))
        fail_msg("status %d \"%s\", expected %d and \"%s\"", status, error.text, TR_BAD_INPUT, expected);
    assert_null(blob.bytes);
}

static void a_mesh_out_of_the_limits_is_not_encoded(void **state)
{
    tr_vertex vertices[3];
    uint32_t indices[4] = {0, 1, 2, 0};
    struct tr_mesh mesh = {vertices, indices, 3, 3};

    (void)state;
    memcpy(vertices, triangle_vertices, sizeof vertices);
    vertices[1].y = 16385;
    assert_encode_refused(&mesh, "y from 256 to 16385, expected them inside 0 to 16384");
    vertices[1].y = -1;
    assert_encode_refused(&mesh, "y from -1 to 300");
    vertices[1].y = 0;
    indices[1] = 3;
    assert_encode_refused(&mesh, "1 indices name no vertex");
    indices[1] = 1;
    mesh.index_count = 4;
    assert_encode_refused(&mesh, "4 indices, expected a multiple of 3");
    mesh.index_count = 3;
    mesh.vertex_count = 2;
    assert_encode_refused(&mesh, "2 vertices, expected 3 to 823875");
    mesh.vertex_count = 3;
    vertices[0].normal = 0x8000u;
    assert_encode_refused(&mesh, "normal of -32768");
}

static void assert_add_refused(struct tr_pack_writer *writer, int cx, int cy, int cz, uint32_t lod,
                               const char *expected)
{
    struct tr_error error = {0};
    struct tr_pack_blob blob;
    enum tr_status status;

    assert_ok(tr_pack_encode(cx, cy, cz, lod, &triangle, &blob, &error), &error);
    status = tr_pack_writer_add(writer, &blob, &error);
    if (status != TR_BAD_INPUT || !strstr(error.text, expected))
        fail_msg("status %d \"%s\", expected %d and \"%s\"", status, error.text, TR_BAD_INPUT, expected);
    tr_pack_blob_release(&blob);
}

static void tiles_must_come_in_order_and_lie_in_the_world(void **state)
{
    struct tr_error error = {0};
    struct tr_pack_info info = {.size_x = 3, .size_z = 3, .voxel_size = 1};
    struct tr_pack_writer *writer;
    struct tr_hash hash;

    (void)state;
    assert_ok(tr_pack_writer_create(pack_path, &info, true, &writer, &error), &error);
    assert_add_refused(writer, 3, 0, 0, 0, "reaches out of the world of 3 x 3 chunks");
    assert_add_refused(writer, -1, 0, 0, 0, "reaches out of the world");
    assert_add_refused(writer, 0, 0, 3, 0, "reaches out of the world");
    assert_add_refused(writer, 0, 1024, 0, 0, "row 1024, expected -1025 to 1023");
    assert_add_refused(writer, 0, -514, 0, 1, "row -514, expected -513 to 511");
    write_tile(writer, 1, -3, 1, 0, &triangle);
    assert_add_refused(writer, 1, -3, 1, 0, "expected the order of level, z, x, y");
    assert_add_refused(writer, 1, -4, 1, 0, "expected the order");
    assert_add_refused(writer, 0, 5, 1, 0, "expected the order");
    assert_add_refused(writer, 2, 5, 0, 0, "expected the order");
    write_tile(writer, 1, -2, 1, 0, &triangle);
    write_tile(writer, 2, -9, 1, 0, &triangle);
    write_tile(writer, 0, 0, 2, 0, &triangle);
    write_tile(writer, 1, 0, 0, 1, &triangle);
    assert_add_refused(writer, 2, 0, 2, 0, "expected the order");
    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);
}

static void a_pack_that_is_not_committed_leaves_nothing(void **state)
{
    struct tr_error error = {0};
    struct tr_pack_writer *writer;

    assert_ok(tr_pack_writer_create(pack_path, &small_world, false, &writer, &error), &error);
    write_tile(writer, 0, 0, 0, 0, &triangle);
    tr_pack_writer_free(writer);
    assert_false(tr_path_exists(pack_path));
    assert_int_equal(rmdir(*state), 0); /* fails where a temporary is left */
    assert_ok(tr_folder_create(*state, &error), &error);
}

/* ---- what the reader refuses ---- */

/* Written once: committing a file waits for the disk. */
static struct image two_tile_image(void)
{
    static struct image image;
    const struct tr_mesh meshes[2] = {triangle, triangle};

    if (image.size_bytes == 0) {
        write_pack(&small_world, meshes, 2);
        image_load(&image);
    }
    return image;
}

static void every_flipped_bit_is_found(void **state)
{
    struct image image = two_tile_image();

    (void)state;
    for (size_t bit = 0; bit < 8 * image.size_bytes; bit++) {
        struct tr_error error = {0};

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

static void a_wrong_field_is_named_though_all_checksums_are_right(void **state)
{
    /* fields of the header at their offset; of entry e of the table at 1000 + 100 e + their offset in it */
    static const struct {
        size_t at;
        uint64_t value;
        int size_bytes;
        const char *expected;
    } cases[] = {
        {0, 'X', 1, "header at byte 0: not a mesh pack, expected the magic TRTPACK"},
        {8, 2, 4, "header at byte 8: version 2, expected 1"},
        {12, 0, 4, "header at byte 12: 0 x 1 chunks"},
        {16, UINT32_MAX, 4, "header at byte 12: 2 x -1 chunks"},
        {12, 1000001, 4, "header at byte 12: 1000001 x 1 chunks"},
        {12, 1, 4, "tile (1, 0) of level 0 reaches out of the world of 1 x 1 chunks"},
        {20, 1, 4, "header at byte 80: table of 1 tiles"},
        {20, UINT32_MAX, 4, "header at byte 80: table of 4294967295 tiles"},
        {24, 0, 8, "header at byte 24: voxel size 0"},
        {24, 0x7ff8000000000000u, 8, "header at byte 24: voxel size nan"},
        {24, 0x7ff0000000000000u, 8, "header at byte 24: voxel size inf"},
        {24, 0xbff0000000000000u, 8, "header at byte 24: voxel size -1"},
        {64, 7, 8, "header at byte 64: 7 vertices and 6 indices, expected 6 and 6"},
        {72, 9, 8, "header at byte 64: 6 vertices and 9 indices, expected 6 and 6"},
        {1000, 7, 4, "level of detail 7, expected 0 to 6"},
        {1004, 1, 4, "out of the order of level, z, x, y"},
        {1008, 1024, 4, "row 1024, expected -1025 to 1023"},
        {1012, 1, 4, "tile (0, 1) of level 0 reaches out of the world"},
        {1012, UINT32_MAX, 4, "tile (0, -1) of level 0 reaches out of the world"},
        {1016, 2, 4, "2 vertices, expected 3 to 823875"},
        {1016, 823876, 4, "823876 vertices, expected 3 to 823875"},
        {1016, 823875, 4, "bytes of streams, expected 327 to"},
        {1016, 4, 4, "header at byte 64: 6 vertices and 6 indices, expected 7 and 6"},
        {1020, 4, 4, "4 indices, expected a multiple of 3"},
        {1020, 0, 4, "0 indices, expected a multiple of 3"},
        {1020, 3932163, 4, "3932163 indices, expected a multiple of 3, 3 to 3932160"},
        {1020, 3932160, 4, "bytes of streams, expected 361 to"},
        {1024, UINT32_MAX, 4, "x from -1 to 256, expected them inside 0 to 16384"},
        {1024, 257, 4, "x from 257 to 256"},
        {1040, 16385, 4, "y from 256 to 16385"},
        {1024, 1, 4, "bounds of the vertices differ from the table's"},
        {1036, 257, 4, "bounds of the vertices differ from the table's"},
        {1048, 0, 8, "0 bytes of streams, expected 1 to"},
        {1048, UINT64_MAX, 8, "18446744073709551615 bytes of streams"},
        {1056, 0, 8, "hash of the decoded mesh differs from the table's"},
        {1100 + 48, 30, 8, "streams end at byte"},
        {1100 + 48, 100, 8, "expected at most the"},
    };
    const struct image whole = two_tile_image();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct image image = whole;
        size_t at = cases[i].at, table = table_of(&image);

        if (at >= 1000)
            at = table + (at - 1000) / 100 * TR_PACK_ENTRY_BYTES + (at - 1000) % 100;
        put(&image, at, cases[i].value, cases[i].size_bytes);
        image_seal(&image);
        assert_refused(&image, cases[i].expected);
    }
}

/* The hash in the table made that of the mesh that the streams decode to, so that only the streams' own content is wrong. */
static void assert_mesh_refused(const struct tr_mesh *mesh, const char *expected)
{
    uint8_t streams[3 * TR_PACK_VERTEX_BYTES + 3 * TR_PACK_INDEX_BYTES], packed[256];
    struct tr_error error = {0};
    struct tr_hash hash;
    struct image image = two_tile_image();

    tr_pack_streams_encode(mesh, streams);
    image_replace_streams(&image, packed, ZSTD_compress(packed, sizeof packed, streams, sizeof streams, 3));
    assert_ok(tr_pack_hash_tile(mesh, &hash, &error), &error);
    put(&image, table_of(&image) + 56, hash.lo, 8);
    put(&image, table_of(&image) + 64, hash.hi, 8);
    image_seal(&image);
    assert_refused(&image, expected);
}

static void streams_that_decode_to_nonsense_are_refused(void **state)
{
    tr_vertex vertices[3];
    uint32_t indices[3] = {0, 1, 2};
    struct tr_mesh mesh = {vertices, indices, 3, 3};

    (void)state;
    memcpy(vertices, triangle_vertices, sizeof vertices);
    indices[2] = 3;
    assert_mesh_refused(&mesh, "index that names no vertex");
    indices[2] = UINT32_MAX;
    assert_mesh_refused(&mesh, "index that names no vertex");
    indices[2] = 2;
    vertices[1].x = 16385;
    assert_mesh_refused(&mesh, "bounds of the vertices differ from the table's");
    vertices[1].x = 0;
    vertices[1].normal = 0x80000000u;
    assert_mesh_refused(&mesh, "normal of -32768");
}

static void streams_are_exactly_one_frame_of_the_right_size(void **state)
{
    static const uint8_t skippable[12] = {0x50, 0x2a, 0x4d, 0x18, 4};
    uint8_t streams[3 * TR_PACK_VERTEX_BYTES + 3 * TR_PACK_INDEX_BYTES + 1] = {0}, packed[256];
    const struct image whole = two_tile_image();
    struct image image = whole;
    size_t size_bytes;

    (void)state;
    tr_pack_streams_encode(&triangle, streams);
    size_bytes = ZSTD_compress(packed, sizeof packed, streams, sizeof streams, 3);
    image_replace_streams(&image, packed, size_bytes);
    image_seal(&image);
    assert_refused(&image, "not a zstd frame of the tile's decoded size");

    image = whole;
    size_bytes = ZSTD_compress(packed, sizeof packed, streams, sizeof streams - 1, 3);
    memcpy(packed + size_bytes, skippable, sizeof skippable);
    image_replace_streams(&image, packed, size_bytes + sizeof skippable);
    image_seal(&image);
    assert_refused(&image, "zstd frame does not fill them");

    image = whole;
    memset(image.bytes + TR_PACK_HEADER_BYTES, 0, 4);
    image_seal(&image);
    assert_refused(&image, "not a zstd frame");

    image = whole;
    image_replace_streams(&image, packed, size_bytes - 1);
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

/* ---- verify ---- */

/* Verifies the file, which must be readable; returns whether it is good. */
static bool verify(struct tr_pack_report *report)
{
    struct tr_error error = {0};
    struct tr_pack *pack;
    bool good = true;

    assert_ok(tr_pack_open(pack_path, &pack, &error), &error);
    assert_ok(tr_pack_verify(pack, report, &good, &error), &error);
    tr_pack_close(pack);
    return good;
}

static void a_closed_world_is_good_and_one_triangle_less_is_not(void **state)
{
    struct tr_mesh meshes[2] = {fixture_march(slope, 0, 0, 0), fixture_march(slope, 1, 0, 0)};
    struct tr_pack_report report;

    (void)state;
    write_pack(&small_world, meshes, 2);
    assert_true(verify(&report));
    assert_true(report.hash_matches);
    assert_int_equal(report.mesh.triangles, (meshes[0].index_count + meshes[1].index_count) / 3);
    assert_true(report.mesh.side_edges > 2 * (128 + 64));

    meshes[0].index_count -= 3;
    write_pack(&small_world, meshes, 2);
    assert_false(verify(&report));
    assert_int_equal(report.mesh.open_edges, 3);
    meshes[0].index_count += 3;
    write_pack(&small_world, meshes, 1); /* the border to the tile that is missing is open */
    assert_false(verify(&report));
    assert_true(report.mesh.open_edges >= 64);
    tr_mesh_release(&meshes[0]);
    tr_mesh_release(&meshes[1]);
}

static void a_hash_that_is_not_the_tiles_is_reported(void **state)
{
    struct image image = two_tile_image();
    struct tr_pack_report report;

    (void)state;
    put(&image, 48, 1, 8);
    image_seal(&image);
    image_store(&image);
    assert_false(verify(&report));
    assert_false(report.hash_matches);
}

static void bad_indices_and_vertices_out_of_bounds_are_counted(void **state)
{
    uint8_t streams[3 * TR_PACK_VERTEX_BYTES + 3 * TR_PACK_INDEX_BYTES], packed[256];
    tr_vertex vertices[3];
    uint32_t indices[3] = {0, 7, 8};
    struct tr_mesh mesh = {vertices, indices, 3, 3};
    struct image image = two_tile_image();
    struct tr_pack_report report;
    struct tr_error error = {0};
    struct tr_hash hash;

    (void)state;
    memcpy(vertices, triangle_vertices, sizeof vertices);
    vertices[0].x = 257;
    tr_pack_streams_encode(&mesh, streams);
    image_replace_streams(&image, packed, ZSTD_compress(packed, sizeof packed, streams, sizeof streams, 3));
    assert_ok(tr_pack_hash_tile(&mesh, &hash, &error), &error);
    put(&image, table_of(&image) + 56, hash.lo, 8);
    put(&image, table_of(&image) + 64, hash.hi, 8);
    put(&image, table_of(&image) + TR_PACK_ENTRY_BYTES + 24, 0, 4); /* tile 1: wider than its vertices */
    put(&image, table_of(&image) + TR_PACK_ENTRY_BYTES + 28, 255, 4);
    image_seal(&image);
    image_store(&image);
    assert_false(verify(&report));
    assert_int_equal(report.bad_indices, 2);
    assert_int_equal(report.out_of_bounds, 2);
    assert_int_equal(report.mesh.triangles, 0);
}

static void a_rough_field_survives_too(void **state)
{
    struct tr_mesh mesh = fixture_march(hills, 0, 0, 0), read;
    struct tr_error error = {0};
    struct tr_pack *pack;

    (void)state;
    write_pack(&small_world, &mesh, 1);
    assert_ok(tr_pack_open(pack_path, &pack, &error), &error);
    assert_ok(tr_pack_read_tile(pack, 0, &read, &error), &error);
    assert_mesh_equal(&read, &mesh);
    tr_mesh_release(&read);
    tr_mesh_release(&mesh);
    tr_pack_close(pack);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pack_reads_back_as_it_was_written),
        TEST(a_rough_field_survives_too),
        TEST(any_mesh_within_the_limits_survives_its_streams),
        TEST(an_empty_tile_is_not_stored_and_an_empty_pack_is_a_pack),
        TEST(the_hash_covers_meshes_and_metres_but_not_the_worlds_hash),
        TEST(the_hash_does_not_depend_on_compression),
        TEST(the_documents_example_is_what_is_written_and_read),
        TEST(a_mesh_out_of_the_limits_is_not_encoded),
        TEST(tiles_must_come_in_order_and_lie_in_the_world),
        TEST(a_pack_that_is_not_committed_leaves_nothing),
        TEST(every_flipped_bit_is_found),
        TEST(every_shorter_and_every_longer_file_is_refused),
        TEST(a_wrong_field_is_named_though_all_checksums_are_right),
        TEST(streams_that_decode_to_nonsense_are_refused),
        TEST(streams_are_exactly_one_frame_of_the_right_size),
        TEST(what_is_not_a_file_is_refused),
        TEST(a_closed_world_is_good_and_one_triangle_less_is_not),
        TEST(a_hash_that_is_not_the_tiles_is_reported),
        TEST(bad_indices_and_vertices_out_of_bounds_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
