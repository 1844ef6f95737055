/* Exports: each format is read back here by a small reader of its own and compared with the meshes in the pack; solids are closed by the
 * same check that verifies packs, and have the right volume. */
#include "tests/support/test.h"

#include "lib/base/alloc.h"
#include "lib/mesh/check.h"
#include "lib/mesh/height_tile.h"
#include "lib/pack/export_parts.h"
#include "tests/unit/pack_fixture.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FILE_BYTES_MAX (64u << 20)
#define VOXEL_SIZE 2.0 /* so one unit is 1/128 m */
#define BASE 12.0      /* metres */

static char pack_path[TR_PATH_BYTES], out_path[TR_PATH_BYTES];

static int setup(void **state)
{
    if (scratch_make(state) != 0)
        return -1;
    return tr_path_join(pack_path, *state, "a.tpack", NULL) == TR_OK &&
                   tr_path_join(out_path, *state, "out", NULL) == TR_OK
               ? 0
               : -1;
}

/* ---- worlds of 2 x 1 chunks ---- */

static int sphere(int x, int y, int z, int cx, int cy, int cz, int radius)
{
    int dx = x - cx, dy = y - cy, dz = z - cz;

    return (int)floor(256 * (sqrt(dx * dx + dy * dy + dz * dz) - radius) + 0.5);
}

static int hills(int x, int y, int z)
{
    return 256 * y - 256 * 30 + (x - 50) * (x - 50) - 3 * z * z / 2 + x * z / 4;
}

static int flat(int x, int y, int z)
{
    (void)x;
    (void)z;
    return 256 * y - 256 * 20 - 128;
}

/* Caves that break out of the south side across the tiles' border, of the world's corner, and twice out of one side, one above the other;
 * balls that float at a side and at a corner, one of them in a cave; one cave that breaks out of nothing. */
static int caves(int x, int y, int z)
{
    int ground = 256 * y - 256 * 48 - 20 * z;

    ground = tr_imax(ground, -sphere(x, y, z, 64, 24, 64, 14));
    ground = tr_imax(ground, -sphere(x, y, z, 0, 30, 0, 11));
    ground = tr_imax(ground, -sphere(x, y, z, 100, 12, 0, 6));
    ground = tr_imax(ground, -sphere(x, y, z, 101, 30, 0, 7));
    ground = tr_imax(ground, -sphere(x, y, z, 90, 30, 30, 7));
    ground = tr_imin(ground, sphere(x, y, z, 64, 24, 64, 5));
    ground = tr_imin(ground, sphere(x, y, z, 128, 58, 0, 4));
    return tr_imin(ground, sphere(x, y, z, 30, 56, 0, 4));
}

/* Walls that stand upright in the sides of the world: open edges one above the other. */
static int steps(int x, int y, int z)
{
    int height = x > 40 && x < 90 ? 40 : 16;

    (void)z;
    return 256 * (y < height ? -1 : 1) + (y == height ? 100 : 0);
}

static int floating(int x, int y, int z)
{
    return tr_imin(sphere(x, y, z, 128, 30, 64, 12), sphere(x, y, z, 60, 20, 0, 9));
}

static struct tr_pack_writer *begin_pack(const struct tr_pack_info *info)
{
    struct tr_error error = {0};
    struct tr_pack_writer *writer;

    assert_ok(tr_pack_writer_create(pack_path, info, true, &writer, &error), &error);
    return writer;
}

static void add_tile(struct tr_pack_writer *writer, int cx, int cy, int cz, const uint8_t states[TR_SIDES],
                     const struct tr_tile_mesh *tile)
{
    struct tr_error error = {0};
    struct tr_pack_blob blob;

    assert_ok(tr_pack_encode(cx, cy, cz, states, tile, &blob, &error), &error);
    assert_ok(tr_pack_writer_add(writer, &blob, &error), &error);
    tr_pack_blob_release(&blob);
}

static struct tr_pack *end_pack(struct tr_pack_writer *writer)
{
    struct tr_error error = {0};
    struct tr_pack *pack;
    struct tr_hash hash;

    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);
    assert_ok(tr_pack_open(pack_path, &pack, &error), &error);
    return pack;
}

static struct tr_pack *make_pack(fixture_field *field, double voxel_size, int shift_x)
{
    const struct tr_pack_info info = {.size_x = 2 + shift_x, .size_z = 1, .voxel_size = voxel_size};
    struct tr_pack_writer *writer = begin_pack(&info);

    for (int cx = 0; cx < 2; cx++) {
        struct tr_mesh mesh = fixture_march(field, cx, 0, 0);
        struct tr_tile_part part;
        struct tr_tile_mesh tile = fixture_tile(&mesh, &part);

        add_tile(writer, cx + shift_x, 0, 0, fixture_same, &tile);
        tr_mesh_release(&mesh);
    }
    return end_pack(writer);
}

/* ---- worlds of 4 x 2 chunks: levels and kinds ---- */

static const struct tr_pack_info wide_world = {.size_x = 4, .size_z = 2, .voxel_size = VOXEL_SIZE};

/* One level of a field whose surface lies in the lowest row, all of marching cubes. In a pack of all levels each side has the states that its place
 * has, and the tile all that these need. */
static void add_level(struct tr_pack_writer *writer, fixture_field *field, uint32_t lod, bool has_all)
{
    struct tr_selection selection;

    tr_selection_uniform(&selection, 4, 2, lod);
    if (has_all)
        tr_selection_all(&selection, 4, 2, 1);
    for (int cz = 0; cz < 2 >> lod; cz++) {
        for (int cx = 0; cx < 4 >> lod; cx++) {
            uint8_t states[TR_SIDES];
            uint32_t transitions = 0;
            struct tr_tile_mesh tile;

            tr_selection_states(&selection, lod, cx, cz, states);
            for (int side = 0; side < TR_SIDES; side++)
                transitions |= states[side] & TR_SIDE_FINER ? 1u << side : 0;
            tile = fixture_build(field, lod, cx, 0, cz, transitions);
            add_tile(writer, cx, 0, cz, states, &tile);
            tr_tile_mesh_release(&tile);
        }
    }
}

static void add_settled(struct tr_pack_writer *writer, fixture_field *field, uint32_t lod, int cx, int cz,
                        const uint8_t states[TR_SIDES])
{
    struct tr_tile_mesh tile = fixture_build(field, lod, cx, 0, cz, lod > 0 ? 0x02 : 0);
    struct tr_error error = {0};

    assert_ok(tr_tile_mesh_settle(&tile, states, &error), &error);
    add_tile(writer, cx, 0, cz, states, &tile);
    tr_tile_mesh_release(&tile);
}

/* The column's ground as a grid, whose neighbours at -x and -z are marching cubes. */
static void add_heights(struct tr_pack_writer *writer, fixture_field *field, int cx, int cz)
{
    static const uint8_t states[TR_COLUMN_SIDES] = {TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};
    static int32_t heights[TR_TILE_HALO];
    struct tr_lattice lattice = fixture_lattice(field, 0, cx, 0, cz);
    const struct tr_lattice *rows[1] = {&lattice};
    const struct tr_lattice_column column = {rows, 0, 1};
    struct tr_height_border borders[TR_COLUMN_SIDES][3] = {0};
    struct tr_height_grid grid;
    struct tr_tile_mesh tile;
    struct tr_error error = {0};
    int32_t row;

    for (int z = -1; z <= 65; z++)
        for (int x = -1; x <= 65; x++)
            heights[(z + 1) * TR_TILE_SAMPLES + x + 1] = -field(64 * cx + x, 0, 64 * cz + z);
    assert_ok(tr_height_grid_from_heights(heights, TR_TILE_SAMPLES, (uint32_t[]){64, 64}, &grid, &error),
              &error);
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side += 2)
        assert_ok(tr_height_border_crossings(&column, TR_TILE_CELLS, side, &borders[side][0], &error),
                  &error);
    assert_ok(tr_height_tile_build(&grid, (const struct tr_height_border(*)[3])borders, states, TR_TILE_CELLS,
                                   &row, &tile, &error),
              &error);
    assert_int_equal(row, 0);
    assert_true(tile.vertex_count > 65 * 65); /* the border is split */
    add_tile(writer, cx, row, cz, fixture_same, &tile);
    tr_tile_mesh_release(&tile);
    for (int side = 0; side < TR_COLUMN_SIDES; side++)
        tr_height_border_release(&borders[side][0]);
    tr_height_grid_release(&grid);
    tr_lattice_release(&lattice);
}

/* A tile of LOD 1 in the west, four of LOD 0 in the east, one of which is of heights. */
static struct tr_pack *make_mixed_pack(fixture_field *field)
{
    static const uint8_t west[TR_SIDES] = {TR_SIDE_SAME, TR_SIDE_FINER, TR_SIDE_SAME,
                                           TR_SIDE_SAME, TR_SIDE_SAME,  TR_SIDE_SAME},
                         middle[TR_SIDES] = {TR_SIDE_COARSER, TR_SIDE_SAME, TR_SIDE_SAME,
                                             TR_SIDE_SAME,    TR_SIDE_SAME, TR_SIDE_SAME};
    struct tr_pack_writer *writer = begin_pack(&wide_world);

    add_settled(writer, field, 1, 0, 0, west);
    for (int cz = 0; cz < 2; cz++)
        add_settled(writer, field, 0, 2, cz, middle);
    add_settled(writer, field, 0, 3, 0, fixture_same);
    add_heights(writer, field, 3, 1);
    return end_pack(writer);
}

/* ---- files ---- */

struct bytes {
    uint8_t *data;
    size_t size_bytes;
};

static struct bytes export_file(const struct tr_pack *pack, enum tr_export_format format, bool solid,
                                struct tr_export_result *result)
{
    struct tr_export_options options = {.format = format, .solid = solid, .base = BASE, .replace = true};
    struct tr_error error = {0};
    struct bytes bytes;

    assert_ok(tr_export(pack, out_path, &options, result, &error), &error);
    assert_ok(tr_file_read(out_path, FILE_BYTES_MAX, &bytes.data, &bytes.size_bytes, &error), &error);
    assert_int_equal(bytes.size_bytes, result->file_bytes);
    return bytes;
}

static uint32_t get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static float get_f32(const uint8_t *at)
{
    uint32_t bits = get_u32(at);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Metres back to units, which must come out whole. */
static int64_t units_of(float metres)
{
    double units = (double)metres * TR_UNITS / VOXEL_SIZE;

    if (units != floor(units))
        fail_msg("%.9g m is no whole number of units", metres);
    return (int64_t)units;
}

static void assert_unit_length(const float normal[3])
{
    double x = normal[0], y = normal[1], z = normal[2], length = sqrt(x * x + y * y + z * z);

    if (!(fabs(length - 1) < 1e-6))
        fail_msg("normal (%g, %g, %g) has length %.9g", x, y, z, length);
}

/* ---- numbers ---- */

static void a_float_as_text_is_short_and_reads_back(void **state)
{
    static const struct {
        float value;
        const char *text;
    } known[] = {{0, "0"},
                 {-0.0f, "0"},
                 {12.5f, "12.5"},
                 {-0.1f, "-0.1"},
                 {100, "100"},
                 {0.003f, "0.003"},
                 {16777216, "16777216"},
                 {123.00390625f, "123.00391"},
                 {1.0f / 3, "0.33333334"},
                 {123456792, "123456792"},
                 {1.0f / 32767, "0.00003051851"},
                 {999999.9f, "999999.9"}};
    char text[TR_FLOAT_TEXT_BYTES];
    uint64_t seed = 7;

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(tr_float_text(known[i].value, text), strlen(known[i].text));
        assert_string_equal(text, known[i].text);
    }
    for (int i = 0; i < 300000; i++) {
        uint32_t bits;
        float value;
        char shortest[32];
        int length;

        /* exponents 2^-24 to 2^29, then anything finite */
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bits = (uint32_t)(seed >> 32);
        if (i % 4 != 0)
            bits = (bits & 0x807fffffu) | (103u + (bits >> 23 & 0xffu) % 54u) << 23;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        length = tr_float_text(value, text);
        assert_int_equal(length, strlen(text));
        if (strtof(text, NULL) != value)
            fail_msg("%.9g was written as %s", value, text);
        if (i % 4 == 0)
            continue;
        for (int digits = 1; digits <= 9; digits++) {
            snprintf(shortest, sizeof shortest, "%.*g", digits, value);
            if (strtof(shortest, NULL) == value)
                break;
        }
        if (fabsf(value) >= 1e-4f && fabsf(value) < 1e6f && strlen(text) > strlen(shortest))
            fail_msg("%.9g was written as %s, expected %s", value, text, shortest);
    }
}

static void an_octahedral_normal_decodes_to_where_it_came_from(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        int g[3];
        float normal[3];
        double length, off = 0;

        for (int axis = 0; axis < 3; axis++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            g[axis] = i % 7 == axis ? 0 : (int)(seed >> 40) - (1 << 23);
        }
        if (g[0] == 0 && g[1] == 0 && g[2] == 0)
            continue;
        tr_export_normal(tr_octahedral(g[0], g[1], g[2]), normal);
        assert_unit_length(normal);
        length = sqrt((double)g[0] * g[0] + (double)g[1] * g[1] + (double)g[2] * g[2]);
        for (int axis = 0; axis < 3; axis++)
            off += (g[axis] / length - normal[axis]) * (g[axis] / length - normal[axis]);
        if (!(sqrt(off) < 6.6e-5)) /* what tr_octahedral promises, and rounding to floats */
            fail_msg("(%d, %d, %d) decodes to (%g, %g, %g)", g[0], g[1], g[2], normal[0], normal[1],
                     normal[2]);
    }
}

/* ---- formats by name ---- */

static void formats_go_by_name_and_extension_and_others_are_refused(void **state)
{
    static const char *const refused[] = {"",        "glb",   "a.",   "a.gltf", "a.stl.gz",
                                          "a.stl/b", ".glb/", "a.st", "a.stll"};
    enum tr_export_format format = TR_EXPORT_GLB;

    (void)state;
    assert_true(tr_export_format_of("dir.obj/a.b.STL", &format));
    assert_int_equal(format, TR_EXPORT_STL);
    assert_true(tr_export_format_of("a.Glb", &format));
    assert_int_equal(format, TR_EXPORT_GLB);
    assert_true(tr_export_format_of("/x/a.ply", &format));
    assert_int_equal(format, TR_EXPORT_PLY);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (tr_export_format_of(refused[i], &format))
            fail_msg("\"%s\" was taken for a format", refused[i]);
    }
    assert_true(tr_export_format_named("obj", &format));
    assert_int_equal(format, TR_EXPORT_OBJ);
    assert_false(tr_export_format_named("OBJ", &format));
    assert_false(tr_export_format_named("gltf", &format));
    assert_false(tr_export_format_named("", &format));
}

/* ---- GLB ---- */

static const cJSON *item(const cJSON *from, const char *name)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(from, name);

    if (!found)
        fail_msg("no \"%s\" in the JSON", name);
    return found;
}

static size_t number(const cJSON *from, const char *name)
{
    return (size_t)item(from, name)->valuedouble;
}

/* The bytes of an accessor, which must lie inside BIN at a multiple of 4. */
static const uint8_t *accessor_bytes(const cJSON *json, size_t index, size_t element_bytes, int target,
                                     struct bytes bin)
{
    const cJSON *accessor = cJSON_GetArrayItem(item(json, "accessors"), (int)index);
    const cJSON *view = cJSON_GetArrayItem(item(json, "bufferViews"), (int)number(accessor, "bufferView"));
    size_t offset = number(view, "byteOffset");

    assert_int_equal(offset % 4, 0);
    assert_int_equal(number(view, "target"), target);
    assert_int_equal(number(view, "byteLength"), number(accessor, "count") * element_bytes);
    assert_true(offset + number(view, "byteLength") <= bin.size_bytes);
    return bin.data + offset;
}

static void assert_bounds(const cJSON *accessor, const uint8_t *positions, size_t count)
{
    for (size_t axis = 0; axis < 3; axis++) {
        float lo = INFINITY, hi = -INFINITY;

        for (size_t i = 0; i < count; i++) {
            lo = fminf(lo, get_f32(positions + 12 * i + 4 * axis));
            hi = fmaxf(hi, get_f32(positions + 12 * i + 4 * axis));
        }
        assert_true(cJSON_GetArrayItem(item(accessor, "min"), (int)axis)->valuedouble == lo);
        assert_true(cJSON_GetArrayItem(item(accessor, "max"), (int)axis)->valuedouble == hi);
    }
}

static void assert_tile_in_glb(const cJSON *json, struct bytes bin, const struct tr_pack *pack, size_t i)
{
    const cJSON *node = cJSON_GetArrayItem(item(json, "nodes"), (int)i);
    const cJSON *mesh = cJSON_GetArrayItem(item(json, "meshes"), (int)number(node, "mesh"));
    const cJSON *primitive = cJSON_GetArrayItem(item(mesh, "primitives"), 0);
    size_t position = number(item(primitive, "attributes"), "POSITION"), index = number(primitive, "indices");
    const cJSON *accessor = cJSON_GetArrayItem(item(json, "accessors"), (int)position);
    bool is_u16 = number(cJSON_GetArrayItem(item(json, "accessors"), (int)index), "componentType") == 5123;
    const uint8_t *positions = accessor_bytes(json, position, 12, 34962, bin);
    const uint8_t *normals =
        accessor_bytes(json, number(item(primitive, "attributes"), "NORMAL"), 12, 34962, bin);
    const uint8_t *indices = accessor_bytes(json, index, is_u16 ? 2 : 4, 34963, bin);
    const struct tr_pack_tile *tile = &pack->tiles[i];
    const int64_t units = tr_pack_tile_units(tile->lod),
                  corner[3] = {tile->cx * units, tile->cy * units, tile->cz * units};
    struct tr_error error = {0};
    struct tr_mesh expected;

    assert_null(cJSON_GetObjectItemCaseSensitive(node, "translation"));
    assert_ok(tr_pack_read_mesh(pack, i, &expected, &error), &error);
    assert_int_equal(number(accessor, "count"), expected.vertex_count);
    assert_int_equal(number(cJSON_GetArrayItem(item(json, "accessors"), (int)index), "count"),
                     expected.index_count);
    assert_int_equal(is_u16, expected.vertex_count <= 65535);
    assert_bounds(accessor, positions, expected.vertex_count);
    for (size_t v = 0; v < expected.vertex_count; v++) {
        float normal[3] = {get_f32(normals + 12 * v), get_f32(normals + 12 * v + 4),
                           get_f32(normals + 12 * v + 8)};

        assert_int_equal(units_of(get_f32(positions + 12 * v)), corner[0] + expected.vertices[v].x);
        assert_int_equal(units_of(get_f32(positions + 12 * v + 4)), corner[1] + expected.vertices[v].y);
        assert_int_equal(units_of(get_f32(positions + 12 * v + 8)), corner[2] + expected.vertices[v].z);
        assert_unit_length(normal);
    }
    for (size_t k = 0; k < expected.index_count; k++)
        assert_int_equal(is_u16 ? (indices[2 * k] | indices[2 * k + 1] << 8)
                                : (int64_t)get_u32(indices + 4 * k),
                         expected.indices[k]);
    tr_mesh_release(&expected);
}

static void assert_glb_equals_pack(const struct tr_pack *pack)
{
    struct tr_export_result result;
    struct bytes file = export_file(pack, TR_EXPORT_GLB, false, &result), bin;
    uint32_t json_bytes;
    cJSON *json;

    assert_memory_equal(file.data, "glTF\2\0\0\0", 8);
    assert_int_equal(get_u32(file.data + 8), file.size_bytes);
    json_bytes = get_u32(file.data + 12);
    assert_memory_equal(file.data + 16, "JSON", 4);
    assert_int_equal(json_bytes % 4, 0);
    json = cJSON_ParseWithLength((const char *)file.data + 20, json_bytes);
    assert_non_null(json);
    bin = (struct bytes){file.data + 28 + json_bytes, get_u32(file.data + 20 + json_bytes)};
    assert_memory_equal(file.data + 24 + json_bytes, "BIN\0", 4);
    assert_int_equal(28 + json_bytes + bin.size_bytes, file.size_bytes);
    assert_int_equal(number(cJSON_GetArrayItem(item(json, "buffers"), 0), "byteLength"), bin.size_bytes);
    assert_string_equal(item(item(json, "asset"), "generator")->valuestring, "terrain");
    assert_int_equal(cJSON_GetArraySize(item(json, "nodes")), pack->tile_count);
    assert_int_equal(cJSON_GetArraySize(item(cJSON_GetArrayItem(item(json, "scenes"), 0), "nodes")),
                     pack->tile_count);
    for (size_t i = 0; i < pack->tile_count; i++)
        assert_tile_in_glb(json, bin, pack, i);
    assert_int_equal(result.vertices, pack->vertex_count);
    assert_int_equal(result.triangles, pack->index_count / 3);
    cJSON_Delete(json);
    free(file.data);
}

static void a_glb_holds_the_tiles_bit_for_bit(void **state)
{
    struct tr_pack *pack = make_pack(caves, VOXEL_SIZE, 0);

    (void)state;
    assert_glb_equals_pack(pack);
    tr_pack_close(pack);
}

/* Many thin layers: more vertices than 16-bit indices can name. */
static int layers(int x, int y, int z)
{
    int phase = (y * 2 + (x + z) / 16) & 3;

    return phase < 2 ? -300 + z : 200 + x;
}

static void a_tile_of_more_than_65535_vertices_has_32_bit_indices(void **state)
{
    struct tr_pack *pack = make_pack(layers, VOXEL_SIZE, 0);

    (void)state;
    assert_true(pack->tiles[0].vertex_count > 65535);
    assert_glb_equals_pack(pack);
    tr_pack_close(pack);
}

/* ---- the welded formats ---- */

/* Vertices in the plane between the two tiles, which both have. */
static size_t count_shared(const struct tr_pack *pack)
{
    struct tr_error error = {0};
    struct tr_mesh mesh;
    size_t count = 0;

    assert_ok(tr_pack_read_mesh(pack, 0, &mesh, &error), &error);
    for (size_t i = 0; i < mesh.vertex_count; i++)
        count += mesh.vertices[i].x == 16384;
    tr_mesh_release(&mesh);
    assert_true(count > 60);
    return count;
}

static void a_ply_has_each_vertex_once(void **state)
{
    struct tr_pack *pack = make_pack(caves, VOXEL_SIZE, 0);
    struct tr_export_result result;
    struct bytes file = export_file(pack, TR_EXPORT_PLY, false, &result);
    size_t vertices = 0, faces = 0;
    const uint8_t *body;

    (void)state;
    assert_int_equal(sscanf(strstr((char *)file.data, "element vertex"), "element vertex %zu", &vertices), 1);
    assert_int_equal(sscanf(strstr((char *)file.data, "element face"), "element face %zu", &faces), 1);
    assert_int_equal(vertices, pack->vertex_count - count_shared(pack));
    assert_int_equal(vertices, result.vertices);
    assert_int_equal(faces, pack->index_count / 3);
    body = (const uint8_t *)strstr((char *)file.data, "end_header\n") + 11;
    assert_int_equal((size_t)(body - file.data) + 24 * vertices + 13 * faces, file.size_bytes);
    for (size_t v = 0; v < vertices; v++) {
        float normal[3] = {get_f32(body + 24 * v + 12), get_f32(body + 24 * v + 16),
                           get_f32(body + 24 * v + 20)};

        units_of(get_f32(body + 24 * v + 4));
        assert_unit_length(normal);
    }
    for (size_t f = 0; f < faces; f++) {
        const uint8_t *face = body + 24 * vertices + 13 * f;

        assert_int_equal(face[0], 3);
        for (size_t c = 0; c < 3; c++)
            assert_true(get_u32(face + 1 + 4 * c) < vertices);
    }
    free(file.data);
    tr_pack_close(pack);
}

static void an_obj_says_what_the_surface_is(void **state)
{
    struct tr_pack *pack = make_pack(hills, VOXEL_SIZE, 0);
    struct tr_error error = {0};
    struct tr_surface surface;
    struct tr_export_result result;
    struct bytes file = export_file(pack, TR_EXPORT_OBJ, false, &result);
    size_t vertices = 0, normals = 0, faces = 0;

    (void)state;
    assert_ok(tr_surface_read(&surface, pack, (struct tr_tile_range){0, pack->tile_count}, &error), &error);
    for (char *line = strtok((char *)file.data, "\n"); line; line = strtok(NULL, "\n")) {
        float f[3];
        unsigned a[6];

        if (sscanf(line, "v %f %f %f", &f[0], &f[1], &f[2]) == 3) {
            for (int axis = 0; axis < 3; axis++)
                assert_int_equal(units_of(f[axis]), surface.xyz[vertices][axis]);
            vertices++;
        } else if (sscanf(line, "vn %f %f %f", &f[0], &f[1], &f[2]) == 3) {
            assert_unit_length(f);
            normals++;
        } else if (sscanf(line, "f %u//%u %u//%u %u//%u", &a[0], &a[1], &a[2], &a[3], &a[4], &a[5]) == 6) {
            for (size_t c = 0; c < 3; c++) {
                assert_int_equal(a[2 * c], surface.indices[3 * faces + c] + 1);
                assert_int_equal(a[2 * c + 1], a[2 * c]);
            }
            faces++;
        } else {
            assert_int_equal(line[0], '#');
        }
    }
    assert_int_equal(vertices, surface.vertex_count);
    assert_int_equal(vertices, pack->vertex_count - count_shared(pack));
    assert_int_equal(normals, vertices);
    assert_int_equal(faces, pack->index_count / 3);
    assert_int_equal(result.vertices, vertices);
    assert_int_equal(result.triangles, faces);
    tr_surface_release(&surface);
    free(file.data);
    tr_pack_close(pack);
}

/* ---- solids ---- */

/* Checks an STL of a window without sides, where no edge may be open. */
static struct tr_check_result check_stl(struct bytes file)
{
    const int64_t lo[2] = {-(INT64_C(1) << 35), -(INT64_C(1) << 35)},
                  hi[2] = {INT64_C(1) << 35, INT64_C(1) << 35};
    struct tr_error error = {0};
    struct tr_check *check;
    struct tr_check_result result;
    uint32_t triangles = get_u32(file.data + 80);
    static const uint32_t order[3] = {0, 1, 2};

    assert_int_equal(file.size_bytes, 84 + 50 * (size_t)triangles);
    assert_memory_not_equal(file.data, "solid", 5);
    assert_ok(tr_check_create(lo, hi, &check, &error), &error);
    for (uint32_t i = 0; i < triangles; i++) {
        const uint8_t *at = file.data + 84 + 50 * (size_t)i;
        float normal[3] = {get_f32(at), get_f32(at + 4), get_f32(at + 8)};
        int64_t xyz[9];

        for (size_t k = 0; k < 9; k++)
            xyz[k] = units_of(get_f32(at + 12 + 4 * k));
        if (normal[0] != 0 || normal[1] != 0 || normal[2] != 0)
            assert_unit_length(normal);
        assert_memory_equal(at + 48, "\0\0", 2);
        assert_ok(tr_check_add(check, xyz, 3, order, 3, &error), &error);
    }
    assert_ok(tr_check_finish(check, &result, &error), &error);
    tr_check_free(check);
    return result;
}

static void assert_closed(const struct tr_check_result *checked)
{
    if (checked->open_edges || checked->side_edges || checked->crowded_edges || checked->duplicates ||
        checked->degenerates || checked->pinches)
        fail_msg("open %" PRIu64 " crowded %" PRIu64 " duplicates %" PRIu64 " degenerates %" PRIu64
                 " pinches %" PRIu64 ", expected a closed mesh",
                 checked->open_edges + checked->side_edges, checked->crowded_edges, checked->duplicates,
                 checked->degenerates, checked->pinches);
}

static struct tr_check_result check_solid(fixture_field *field)
{
    struct tr_pack *pack = make_pack(field, VOXEL_SIZE, 0);
    struct tr_export_result result;
    struct bytes file = export_file(pack, TR_EXPORT_STL, true, &result);
    struct tr_check_result checked = check_stl(file);

    assert_int_equal(result.triangles, get_u32(file.data + 80));
    assert_true(checked.triangles > pack->index_count / 3);
    assert_closed(&checked);
    free(file.data);
    tr_pack_close(pack);
    return checked;
}

static void a_flat_solid_is_a_box(void **state)
{
    struct tr_check_result result = check_solid(flat);

    (void)state;
    assert_int_equal(result.euler, 2);
    assert_int_equal(result.components, 1);
    assert_true(result.volume_units3 == 128.0 * 64 * (BASE / VOXEL_SIZE) * 256 * 256 * 256);
}

static void a_hilly_solid_has_the_volume_under_its_surface(void **state)
{
    struct tr_check_result result = check_solid(hills);
    double expected = 0, lowest = 1e9;

    (void)state;
    for (int x = 0; x <= 128; x++)
        for (int z = 0; z <= 64; z++) {
            double height = -hills(x, 0, z) / 256.0;

            lowest = fmin(lowest, height);
            expected += height * (x % 128 ? 1 : 0.5) * (z % 64 ? 1 : 0.5); /* trapezoid rule */
        }
    expected -= 128 * 64 * (lowest - BASE / VOXEL_SIZE);
    assert_int_equal(result.euler, 2);
    if (!(fabs(result.volume_units3 / (256.0 * 256 * 256) / expected - 1) < 0.001))
        fail_msg("volume %g voxels, expected %g", result.volume_units3 / (256.0 * 256 * 256), expected);
}

static void sides_with_caves_and_floating_ground_are_closed(void **state)
{
    struct tr_check_result result = check_solid(caves);

    (void)state;
    assert_int_equal(result.components, 5); /* ground, the cave that breaks out of nothing, three balls */
    assert_int_equal(result.euler, 10);     /* each a sphere: the caves at the sides are dents */
    assert_true(result.volume_units3 > 0);
}

/* One chunk of rubble: every sample of some rows is ground or air at random, so the sides have all cases that faces can have. The
 * product's mesher, since a plain fan does not close every case. */
static void sides_of_any_field_are_closed(void **state)
{
    enum { LOW = 20, HIGH = 27 };
    static int16_t field[TR_TILE_FIELD_SAMPLES];
    const struct tr_pack_info info = {.size_x = 1, .size_z = 1, .voxel_size = VOXEL_SIZE};
    struct tr_error error = {0};
    uint64_t seed = 11;

    (void)state;
    for (int round = 0; round < 8; round++) {
        struct tr_pack_writer *writer;
        struct tr_export_result result;
        struct tr_check_result checked;
        struct tr_lattice lattice;
        struct tr_tile_mesh tile;
        struct tr_pack *pack;
        struct bytes file;

        for (int y = -1; y <= 65; y++)
            for (int z = -1; z <= 65; z++)
                for (int x = -1; x <= 65; x++) {
                    seed = seed * 6364136223846793005u + 1442695040888963407u;
                    int value = (int)(seed >> 33) % 600 - 70 * round;
                    field[tr_tile_index(x, y, z)] = (int16_t)(y < LOW ? -200 : y > HIGH ? 200 : value);
                }
        assert_ok(tr_lattice_from_field(field, (uint32_t[]){64, 64, 64}, &lattice, &error), &error);
        assert_ok(tr_tile_mesh_build(&lattice, NULL, TR_TILE_CELLS, 0x33, 0, &tile, &error), &error);
        writer = begin_pack(&info);
        add_tile(writer, 0, 0, 0, fixture_same, &tile);
        pack = end_pack(writer);
        tr_tile_mesh_release(&tile);
        tr_lattice_release(&lattice);
        file = export_file(pack, TR_EXPORT_STL, true, &result);
        checked = check_stl(file);
        assert_closed(&checked);
        assert_true(checked.volume_units3 > 0);
        free(file.data);
        tr_pack_close(pack);
    }
}

static void upright_walls_in_a_side_are_closed(void **state)
{
    struct tr_check_result result = check_solid(steps);

    (void)state;
    assert_int_equal(result.euler, 2);
    assert_int_equal(result.components, 1);
    assert_true(result.volume_units3 > 0);
}

static void ground_that_floats_needs_no_floor(void **state)
{
    struct tr_check_result result = check_solid(floating);
    double quarter = 12.0 * 12 * 12 * 4.18879 / 4, half = 9.0 * 9 * 9 * 4.18879 / 2;

    (void)state;
    assert_int_equal(result.components, 2);
    assert_int_equal(result.euler, 4);
    if (!(fabs(result.volume_units3 / (256.0 * 256 * 256) / (quarter + half) - 1) < 0.02))
        fail_msg("volume %g voxels, expected %g", result.volume_units3 / (256.0 * 256 * 256), quarter + half);
}

static void a_solid_ply_has_the_floors_four_vertices_more(void **state)
{
    struct tr_pack *pack = make_pack(hills, VOXEL_SIZE, 0);
    struct tr_export_result open, solid;

    (void)state;
    free(export_file(pack, TR_EXPORT_PLY, false, &open).data);
    free(export_file(pack, TR_EXPORT_PLY, true, &solid).data);
    assert_int_equal(solid.vertices, open.vertices + 4);
    assert_true(solid.triangles > open.triangles + 2);
    free(export_file(pack, TR_EXPORT_STL, false, &solid).data);
    assert_int_equal(solid.triangles, open.triangles);
    tr_pack_close(pack);
}

/* ---- levels and kinds ---- */

static struct tr_check_result check_pack_solid(const struct tr_pack *pack)
{
    struct tr_export_result result;
    struct bytes file = export_file(pack, TR_EXPORT_STL, true, &result);
    struct tr_check_result checked = check_stl(file);

    assert_closed(&checked);
    free(file.data);
    return checked;
}

static void a_window_of_several_levels_and_kinds_makes_a_closed_solid(void **state)
{
    struct tr_pack *pack = make_mixed_pack(caves);
    struct tr_check_result mixed, uniform;
    struct tr_pack_writer *writer;

    (void)state;
    assert_int_equal(pack->lods, 3);
    mixed = check_pack_solid(pack);
    assert_glb_equals_pack(pack);
    tr_pack_close(pack);

    writer = begin_pack(&wide_world);
    add_level(writer, caves, 0, false);
    pack = end_pack(writer);
    uniform = check_pack_solid(pack);
    tr_pack_close(pack);
    assert_int_equal(mixed.components, uniform.components);
    if (!(fabs(mixed.volume_units3 / uniform.volume_units3 - 1) < 0.01))
        fail_msg("volume %g, at LOD 0 %g", mixed.volume_units3, uniform.volume_units3);
}

static void a_window_of_a_coarse_level_makes_a_closed_solid(void **state)
{
    struct tr_pack_writer *writer = begin_pack(&wide_world);
    struct tr_pack *pack;
    struct tr_check_result result;

    (void)state;
    add_level(writer, caves, 1, false);
    pack = end_pack(writer);
    assert_int_equal(pack->lods, 2);
    result = check_pack_solid(pack);
    assert_true(result.volume_units3 > 0);
    tr_pack_close(pack);
}

static struct tr_pack *make_all_levels(fixture_field *field)
{
    struct tr_pack_info info = wide_world;
    struct tr_pack_writer *writer;

    info.form = TR_PACK_ALL_LODS;
    writer = begin_pack(&info);
    add_level(writer, field, 1, true);
    add_level(writer, field, 0, true);
    return end_pack(writer);
}

/* One level of a pack of all levels is the window of that level, byte for byte, though its tiles hold more. */
static void a_level_of_all_is_the_window_of_that_level(void **state)
{
    static const enum tr_export_format formats[] = {TR_EXPORT_GLB, TR_EXPORT_OBJ, TR_EXPORT_PLY,
                                                    TR_EXPORT_STL};
    struct tr_error error = {0};

    (void)state;
    for (uint32_t lod = 0; lod < 2; lod++) {
        struct tr_pack *all = make_all_levels(caves), *window;
        struct tr_pack_writer *writer = begin_pack(&wide_world);

        add_level(writer, caves, lod, false);
        window = end_pack(writer);
        assert_true(lod == 0 || all->vertex_count > 2 * window->vertex_count);
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
            struct tr_export_options options = {.format = formats[i],
                                                .solid = formats[i] == TR_EXPORT_STL,
                                                .base = BASE,
                                                .replace = true,
                                                .has_lod = true,
                                                .lod = lod};
            struct tr_export_result result, expected_result;
            struct bytes expected = export_file(window, formats[i], options.solid, &expected_result), file;

            assert_ok(tr_export(all, out_path, &options, &result, &error), &error);
            assert_ok(tr_file_read(out_path, FILE_BYTES_MAX, &file.data, &file.size_bytes, &error), &error);
            assert_int_equal(result.triangles, expected_result.triangles);
            assert_int_equal(result.vertices, expected_result.vertices);
            assert_int_equal(file.size_bytes, expected.size_bytes);
            assert_memory_equal(file.data, expected.data, file.size_bytes);
            free(file.data);
            free(expected.data);
        }
        tr_pack_close(all);
        tr_pack_close(window);
    }
}

/* ---- refusals ---- */

static void assert_refused(const struct tr_pack *pack, struct tr_export_options options,
                           enum tr_status expected, const char *text)
{
    struct tr_error error = {0};
    struct tr_export_result result;
    enum tr_status status = tr_export(pack, out_path, &options, &result, &error);

    if (status != expected || !strstr(error.text, text))
        fail_msg("status %d \"%s\", expected %d and \"%s\"", status, error.text, expected, text);
    assert_false(tr_path_exists(out_path));
}

static void what_cannot_be_exported_is_refused_and_leaves_nothing(void **state)
{
    struct tr_pack *pack = make_pack(flat, VOXEL_SIZE, 0);
    struct tr_export_options stl = {.format = TR_EXPORT_STL, .solid = true, .base = BASE};

    (void)state;
    assert_refused(pack, (struct tr_export_options){.format = TR_EXPORT_GLB, .solid = true, .base = 1},
                   TR_USAGE, "glb keeps the world's tiles apart");
    stl.base = 0;
    assert_refused(pack, stl, TR_BAD_INPUT, "base of 0 m, expected above 0");
    stl.base = NAN;
    assert_refused(pack, stl, TR_BAD_INPUT, "base of nan m, expected above 0");
    stl.base = 131072;
    assert_refused(pack, stl, TR_BAD_INPUT, "base of 131072 m, expected above 0 and below 131072 m");
    tr_pack_close(pack);
}

static void a_level_is_asked_for_exactly_where_there_are_several(void **state)
{
    struct tr_export_options obj = {.format = TR_EXPORT_OBJ};
    struct tr_pack *pack = make_all_levels(flat);

    (void)state;
    assert_refused(pack, obj, TR_USAGE, "holds all levels, expected --lod with one of them: 0, 1");
    obj.has_lod = true;
    obj.lod = 2;
    assert_refused(pack, obj, TR_USAGE, "has no level 2, expected --lod with one of 0, 1");
    obj.lod = 1000;
    assert_refused(pack, obj, TR_USAGE, "has no level 1000, expected");
    tr_pack_close(pack);
    pack = make_pack(flat, VOXEL_SIZE, 0);
    obj.lod = 0;
    assert_refused(pack, obj, TR_USAGE, "is one window (levels 0), expected no --lod");
    tr_pack_close(pack);
}

static void a_world_too_large_for_floats_is_refused(void **state)
{
    struct tr_export_options glb = {.format = TR_EXPORT_GLB};
    struct tr_pack *pack = make_pack(flat, 1, 1022);
    struct tr_export_result result;

    (void)state;
    free(export_file(pack, TR_EXPORT_GLB, false, &result).data); /* 1024 chunks: 2^24 units */
    assert_int_equal(remove(out_path), 0);
    tr_pack_close(pack);
    pack = make_pack(flat, 1, 1023);
    assert_refused(
        pack, glb, TR_BAD_INPUT,
        "a vertex, or the floor of a solid (--base), 65600 voxels from the origin, expected at most 65536");
    tr_pack_close(pack);
    pack = make_pack(flat, 0.1, 600);
    assert_refused(
        pack, glb, TR_BAD_INPUT,
        "a vertex, or the floor of a solid (--base), 38528 voxels from the origin, expected at most 32767");
    tr_pack_close(pack);
    pack = make_pack(flat, 1e-30, 0);
    assert_refused(pack, glb, TR_BAD_INPUT, "voxel size 1e-30 m, expected");
    tr_pack_close(pack);
}

static void an_open_mesh_makes_no_solid(void **state)
{
    struct tr_export_options stl = {.format = TR_EXPORT_STL, .solid = true, .base = BASE};
    struct tr_pack *pack = make_pack(flat, VOXEL_SIZE, 1); /* nothing west of the two tiles */

    (void)state;
    assert_refused(pack, stl, TR_BAD_INPUT, "an open edge inside the world at voxel (64, ");
    tr_pack_close(pack);
}

static void an_existing_file_is_kept_unless_it_is_to_be_replaced(void **state)
{
    struct tr_pack *pack = make_pack(flat, VOXEL_SIZE, 0);
    struct tr_export_options options = {.format = TR_EXPORT_STL};
    struct tr_error error = {0};
    struct tr_export_result result;
    uint8_t *bytes;
    size_t size_bytes;

    (void)state;
    assert_ok(tr_file_write(out_path, "mine", 4, 0644, false, &error), &error);
    assert_int_equal(tr_export(pack, out_path, &options, &result, &error), TR_IO);
    assert_ok(tr_file_read(out_path, 100, &bytes, &size_bytes, &error), &error);
    assert_string_equal((char *)bytes, "mine");
    free(bytes);
    tr_pack_close(pack);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_float_as_text_is_short_and_reads_back),
        cmocka_unit_test(an_octahedral_normal_decodes_to_where_it_came_from),
        cmocka_unit_test(formats_go_by_name_and_extension_and_others_are_refused),
        TEST(a_glb_holds_the_tiles_bit_for_bit),
        TEST(a_tile_of_more_than_65535_vertices_has_32_bit_indices),
        TEST(a_ply_has_each_vertex_once),
        TEST(an_obj_says_what_the_surface_is),
        TEST(a_flat_solid_is_a_box),
        TEST(a_hilly_solid_has_the_volume_under_its_surface),
        TEST(sides_with_caves_and_floating_ground_are_closed),
        TEST(sides_of_any_field_are_closed),
        TEST(upright_walls_in_a_side_are_closed),
        TEST(ground_that_floats_needs_no_floor),
        TEST(a_solid_ply_has_the_floors_four_vertices_more),
        TEST(a_window_of_several_levels_and_kinds_makes_a_closed_solid),
        TEST(a_window_of_a_coarse_level_makes_a_closed_solid),
        TEST(a_level_of_all_is_the_window_of_that_level),
        TEST(what_cannot_be_exported_is_refused_and_leaves_nothing),
        TEST(a_level_is_asked_for_exactly_where_there_are_several),
        TEST(a_world_too_large_for_floats_is_refused),
        TEST(an_open_mesh_makes_no_solid),
        TEST(an_existing_file_is_kept_unless_it_is_to_be_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
