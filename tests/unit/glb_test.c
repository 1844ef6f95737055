/* GLB: every profile is read back as a client would, its compressed streams by the library's decoders, positions computed in 32-bit floats,
 * and compared bit for bit with the meshes in the pack; what the tiles of a file decode to is closed by the check that verifies packs. */
#include "tests/unit/export_fixture.h"

#include "lib/mesh/check.h"
#include "lib/pack/glb.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <inttypes.h>
#include <meshoptimizer.h>
#include <png.h>
#include <stdio.h>
#include <sys/stat.h>

static const enum tr_export_profile profiles[] = {TR_PROFILE_PLAIN, TR_PROFILE_ENGINE, TR_PROFILE_WEB};
enum { PROFILES = 3 };

/* ---- files ---- */

struct glb {
    struct bytes file, bin;
    cJSON *json;
    bool is_web, is_quantised;
};

static const cJSON *item(const cJSON *from, const char *name)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(from, name);

    if (!found)
        fail_msg("no \"%s\" in the JSON", name);
    return found;
}

static bool has(const cJSON *from, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(from, name) != NULL;
}

static size_t number(const cJSON *from, const char *name)
{
    return (size_t)item(from, name)->valuedouble;
}

static const cJSON *element(const cJSON *from, const char *name, size_t i)
{
    const cJSON *found = cJSON_GetArrayItem(item(from, name), (int)i);

    if (!found)
        fail_msg("no %s[%zu] in the JSON", name, i);
    return found;
}

static struct glb open_glb(const char *path, enum tr_export_profile profile)
{
    struct glb glb = {.is_web = profile == TR_PROFILE_WEB, .is_quantised = profile != TR_PROFILE_PLAIN};
    struct tr_error error = {0};
    uint32_t json_bytes;

    assert_ok(tr_file_read(path, FILE_BYTES_MAX, &glb.file.data, &glb.file.size_bytes, &error), &error);
    assert_memory_equal(glb.file.data, "glTF\2\0\0\0", 8);
    assert_int_equal(get_u32(glb.file.data + 8), glb.file.size_bytes);
    json_bytes = get_u32(glb.file.data + 12);
    assert_memory_equal(glb.file.data + 16, "JSON", 4);
    assert_int_equal(json_bytes % 4, 0);
    assert_non_null(glb.json = cJSON_ParseWithLength((const char *)glb.file.data + 20, json_bytes));
    glb.bin = (struct bytes){glb.file.data + 28 + json_bytes, get_u32(glb.file.data + 20 + json_bytes)};
    assert_memory_equal(glb.file.data + 24 + json_bytes, "BIN\0", 4);
    assert_int_equal(28 + json_bytes + glb.bin.size_bytes, glb.file.size_bytes);
    assert_int_equal(number(element(glb.json, "buffers", 0), "byteLength"), glb.bin.size_bytes);
    assert_string_equal(item(item(glb.json, "asset"), "generator")->valuestring, "terrain");
    assert_int_equal(has(glb.json, "extensionsRequired"), glb.is_quantised);
    if (glb.is_quantised)
        assert_int_equal(cJSON_GetArraySize(item(glb.json, "extensionsRequired")), glb.is_web ? 2 : 1);
    return glb;
}

static void close_glb(struct glb *glb)
{
    cJSON_Delete(glb->json);
    free(glb->file.data);
}

static struct tr_export_result export_glb(const struct tr_pack *pack, struct tr_export_options options)
{
    struct tr_export_result result;
    struct tr_error error = {0};

    options.format = TR_EXPORT_GLB;
    options.replace = true;
    assert_ok(tr_export(pack, out_path, &options, &result, &error), &error);
    return result;
}

/* ---- accessors ---- */

struct stream {
    uint8_t *data; /* decoded; free it */
    size_t count, stride;
    int component;
};

static uint8_t *decode(const struct glb *glb, const cJSON *extension, size_t count, size_t stride,
                       bool is_index)
{
    const uint8_t *from = glb->bin.data + number(extension, "byteOffset");
    const size_t size_bytes = number(extension, "byteLength");
    uint8_t *data = malloc(count * stride);

    assert_non_null(data);
    assert_int_equal(number(extension, "buffer"), 0);
    assert_int_equal(number(extension, "count"), count);
    assert_int_equal(number(extension, "byteStride"), stride);
    assert_true(number(extension, "byteOffset") + size_bytes <= glb->bin.size_bytes);
    assert_string_equal(item(extension, "mode")->valuestring, is_index ? "TRIANGLES" : "ATTRIBUTES");
    assert_int_equal(from[0], is_index ? 0xe1 : 0xa0); /* the codecs' versions 1 and 0 */
    assert_int_equal(is_index ? meshopt_decodeIndexBuffer(data, count, stride, from, size_bytes)
                              : meshopt_decodeVertexBuffer(data, count, stride, from, size_bytes),
                     0);
    return data;
}

static struct stream read_stream(const struct glb *glb, size_t index, size_t element_bytes)
{
    const cJSON *accessor = element(glb->json, "accessors", index),
                *view = element(glb->json, "bufferViews", number(accessor, "bufferView"));
    const bool is_index = strcmp(item(accessor, "type")->valuestring, "SCALAR") == 0;
    struct stream stream = {.count = number(accessor, "count"),
                            .component = (int)number(accessor, "componentType"),
                            .stride = is_index ? element_bytes : number(view, "byteStride")};
    const size_t offset = number(view, "byteOffset"), size_bytes = number(view, "byteLength");

    assert_int_equal(offset % 4, 0);
    assert_int_equal(stream.stride, is_index ? element_bytes : (element_bytes + 3) / 4 * 4);
    assert_int_equal(number(view, "target"), is_index ? 34963 : 34962);
    assert_int_equal(size_bytes, stream.count * stream.stride);
    assert_int_equal(number(view, "buffer"), glb->is_web);
    assert_true(offset + size_bytes <= number(element(glb->json, "buffers", glb->is_web), "byteLength"));
    if (glb->is_web) {
        stream.data = decode(glb, item(item(view, "extensions"), "EXT_meshopt_compression"), stream.count,
                             stream.stride, is_index);
    } else {
        assert_non_null(stream.data = malloc(size_bytes));
        memcpy(stream.data, glb->bin.data + offset, size_bytes);
    }
    return stream;
}

static double component(const struct stream *stream, size_t i, size_t axis)
{
    const uint8_t *at = stream->data + i * stream->stride;

    switch (stream->component) {
    case TR_GLB_F32:
        return (double)get_f32(at + 4 * axis);
    case TR_GLB_U32:
        return get_u32(at + 4 * axis);
    case TR_GLB_U16:
        return (double)(at[2 * axis] | at[2 * axis + 1] << 8);
    case TR_GLB_S16:
        return (double)(int16_t)(at[2 * axis] | at[2 * axis + 1] << 8);
    case TR_GLB_S8:
        return (double)(int8_t)at[axis];
    default:
        return (double)at[axis];
    }
}

static void assert_exact_bounds(const struct glb *glb, size_t index, const struct stream *stream)
{
    for (size_t axis = 0; axis < 3; axis++) {
        const cJSON *accessor = element(glb->json, "accessors", index);
        double lo = INFINITY, hi = -INFINITY;

        for (size_t i = 0; i < stream->count; i++) {
            lo = fmin(lo, component(stream, i, axis));
            hi = fmax(hi, component(stream, i, axis));
        }
        assert_true(element(accessor, "min", axis)->valuedouble == lo);
        assert_true(element(accessor, "max", axis)->valuedouble == hi);
    }
}

/* ---- triangles ---- */

/* A vertex as a client has it: metres in the world, with the morph target all there, too. */
struct corner {
    float at[3], morph[3], normal[3];
    uint8_t weights[4];
};
struct triangle {
    struct corner corners[3];
};
struct triangles {
    struct triangle *all;
    size_t count;
};

static int compare_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct triangle));
}

/* Begins each triangle at its least corner, and sorts them: any two orders of the same triangles become one. */
static void sort_triangles(struct triangles *triangles)
{
    for (size_t i = 0; i < triangles->count; i++) {
        const struct triangle from = triangles->all[i];
        int least = 0;

        for (int c = 1; c < 3; c++)
            least = memcmp(&from.corners[c], &from.corners[least], sizeof from.corners[c]) < 0 ? c : least;
        for (int c = 0; c < 3; c++)
            triangles->all[i].corners[c] = from.corners[(least + c) % 3];
    }
    qsort(triangles->all, triangles->count, sizeof *triangles->all, compare_bytes);
}

static void assert_same_triangles(const struct triangles *found, const struct triangles *expected)
{
    assert_int_equal(found->count, expected->count);
    for (size_t i = 0; i < found->count; i++) {
        const struct corner *a = found->all[i].corners, *b = expected->all[i].corners;

        if (memcmp(a, b, sizeof found->all[i]) != 0)
            fail_msg("triangle %zu begins at (%.9g, %.9g, %.9g), normal (%g, %g, %g), expected "
                     "(%.9g, %.9g, %.9g), (%g, %g, %g)",
                     i, (double)a->at[0], (double)a->at[1], (double)a->at[2], (double)a->normal[0],
                     (double)a->normal[1], (double)a->normal[2], (double)b->at[0], (double)b->at[1],
                     (double)b->at[2], (double)b->normal[0], (double)b->normal[1], (double)b->normal[2]);
    }
}

/* How the triangles of a tile are read: what the file must have of them. */
struct reading {
    bool has_weights, has_morphs;
    const char *weights_name;
};

/* Node i of a file, computed in floats. */
static struct triangles read_triangles(const struct glb *glb, size_t i, struct reading reading)
{
    const cJSON *node = element(glb->json, "nodes", i), *mesh = element(glb->json, "meshes", i),
                *primitive = element(mesh, "primitives", 0), *attributes = item(primitive, "attributes");
    const size_t position_bytes = glb->is_quantised ? 6 : 12;
    const bool are_u16 =
        number(element(glb->json, "accessors", number(primitive, "indices")), "componentType") == TR_GLB_U16;
    struct stream positions = read_stream(glb, number(attributes, "POSITION"), position_bytes),
                  normals = read_stream(glb, number(attributes, "NORMAL"), glb->is_quantised ? 3 : 12),
                  indices = read_stream(glb, number(primitive, "indices"), are_u16 ? 2 : 4), weights = {0},
                  morphs = {0};
    struct triangles triangles = {.count = indices.count / 3};

    assert_int_equal(number(node, "mesh"), i);
    assert_int_equal(are_u16, positions.count <= 65535);
    assert_int_equal(positions.component, glb->is_quantised ? TR_GLB_U16 : TR_GLB_F32);
    assert_exact_bounds(glb, number(attributes, "POSITION"), &positions);
    assert_int_equal(has(attributes, reading.weights_name), reading.has_weights);
    assert_int_equal(has(primitive, "targets"), reading.has_morphs);
    if (reading.has_weights)
        weights = read_stream(glb, number(attributes, reading.weights_name), 4);
    if (reading.has_morphs) {
        const size_t morph = number(element(primitive, "targets", 0), "POSITION");

        morphs = read_stream(glb, morph, position_bytes);
        assert_int_equal(morphs.component, glb->is_quantised ? TR_GLB_S16 : TR_GLB_F32);
        assert_exact_bounds(glb, morph, &morphs);
    }
    assert_non_null(triangles.all = calloc(triangles.count, sizeof *triangles.all));
    for (size_t k = 0; k < indices.count; k++) {
        struct corner *corner = &triangles.all[k / 3].corners[k % 3];
        const size_t vertex = (size_t)component(&indices, k, 0);

        assert_true(vertex < positions.count && (!are_u16 || vertex < 65535));
        for (size_t axis = 0; axis < 3; axis++) {
            const float scale = glb->is_quantised ? (float)element(node, "scale", axis)->valuedouble : 1.0f;
            const float from = glb->is_quantised ? (float)element(node, "translation", axis)->valuedouble : 0;
            const float at = (float)component(&positions, vertex, axis);
            const float moved = reading.has_morphs ? at + (float)component(&morphs, vertex, axis) : at;

            corner->at[axis] = at * scale + from;
            corner->morph[axis] = moved * scale + from;
            corner->normal[axis] = (float)component(&normals, vertex, axis);
            if (glb->is_quantised)
                corner->normal[axis] /= 127;
        }
        if (reading.has_weights)
            memcpy(corner->weights, weights.data + 4 * vertex, 4);
    }
    free(positions.data);
    free(normals.data);
    free(indices.data);
    free(weights.data);
    free(morphs.data);
    sort_triangles(&triangles);
    return triangles;
}

/* The nearest multiple of the step, in metres; where there is none, the metres that every other export has. */
static float place_of(int64_t units, double voxel_size, double step)
{
    const double metres = (double)units * voxel_size / TR_UNITS;

    return step > 0 ? (float)(floor(metres / step + 0.5) * step) : (float)metres;
}

/* The same of tile i of the pack, by the rule. step: 0 for plain. */
static struct triangles expect_triangles(const struct tr_pack *pack, size_t i, struct reading reading,
                                         double step)
{
    const struct tr_pack_tile *tile = &pack->tiles[i];
    const int64_t units = tr_pack_tile_units(tile->lod),
                  corners[3] = {tile->cx * units, tile->cy * units, tile->cz * units};
    struct tr_tile_mesh mesh = {0};
    struct tr_error error = {0};
    struct triangles triangles;

    assert_ok(tr_pack_read_tile(pack, i, &mesh, &error), &error);
    if (pack->info.form == TR_PACK_ALL_LODS)
        assert_ok(tr_tile_mesh_settle(&mesh, fixture_same, &error), &error);
    triangles = (struct triangles){calloc(mesh.index_count / 3, sizeof *triangles.all), mesh.index_count / 3};
    assert_non_null(triangles.all);
    for (size_t k = 0; k < mesh.index_count; k++) {
        struct corner *corner = &triangles.all[k / 3].corners[k % 3];
        const uint32_t v = mesh.indices[k];
        const int32_t at[3] = {mesh.vertices[v].x, mesh.vertices[v].y, mesh.vertices[v].z};

        tr_export_normal(mesh.vertices[v].normal, corner->normal);
        for (int axis = 0; axis < 3; axis++) {
            const int32_t to = reading.has_morphs ? mesh.targets[v][axis] : at[axis];

            corner->at[axis] = place_of(corners[axis] + at[axis], pack->info.voxel_size, step);
            corner->morph[axis] = place_of(corners[axis] + to, pack->info.voxel_size, step);
            if (step > 0)
                corner->normal[axis] = (float)floor((double)corner->normal[axis] * 127 + 0.5) / 127;
        }
        if (reading.has_weights)
            memcpy(corner->weights, mesh.weights[v], 4);
    }
    tr_tile_mesh_release(&mesh);
    sort_triangles(&triangles);
    return triangles;
}

static struct triangles assert_tile(const struct glb *glb, const struct tr_pack *pack, size_t i,
                                    struct reading reading, double step)
{
    struct triangles found = read_triangles(glb, i, reading),
                     expected = expect_triangles(pack, i, reading, step);

    assert_same_triangles(&found, &expected);
    free(expected.all);
    return found;
}

/* ---- closed ---- */

/* Adds what a tile decodes to, in steps, of which every coordinate must be a whole number. */
static void add_to_check(struct tr_check *check, const struct triangles *triangles, double step)
{
    static const uint32_t order[3] = {0, 1, 2};
    struct tr_error error = {0};

    for (size_t i = 0; i < triangles->count; i++) {
        int64_t xyz[9];

        for (size_t k = 0; k < 9; k++) {
            const double at = (double)triangles->all[i].corners[k / 3].at[k % 3] / step;

            if (at != floor(at))
                fail_msg("%.9g m is no multiple of the step of %g m", at * step, step);
            xyz[k] = (int64_t)at;
        }
        assert_ok(tr_check_add(check, xyz, 3, order, 3, &error), &error);
    }
}

/* Exports a window quantised, compares every tile, and judges all tiles together as they decode. */
static struct tr_check_result check_decoded(const struct tr_pack *pack, enum tr_export_profile profile,
                                            double expected_step)
{
    const struct reading reading = {adds_streams, adds_streams, "_SPLAT0"};
    struct tr_export_result result = export_glb(pack, (struct tr_export_options){.profile = profile});
    struct glb glb = open_glb(out_path, profile);
    const int64_t width[2] = {pack->info.size_x * tr_pack_tile_units(0),
                              pack->info.size_z * tr_pack_tile_units(0)},
                  lo[2] = {0, 0};
    int64_t hi[2];
    struct tr_check *check;
    struct tr_check_result checked;
    struct tr_error error = {0};

    assert_true(result.step == expected_step);
    assert_true(item(item(item(glb.json, "asset"), "extras"), "step")->valuedouble == expected_step);
    for (int i = 0; i < 2; i++)
        hi[i] = (int64_t)((double)place_of(width[i], pack->info.voxel_size, result.step) / result.step);
    assert_ok(tr_check_create(lo, hi, &check, &error), &error);
    for (size_t i = 0; i < pack->tile_count; i++) {
        struct triangles triangles = assert_tile(&glb, pack, i, reading, result.step);

        add_to_check(check, &triangles, result.step);
        free(triangles.all);
    }
    assert_ok(tr_check_finish(check, &checked, &error), &error);
    tr_check_free(check);
    close_glb(&glb);
    assert_true(checked.side_edges > 0);
    if (checked.open_edges > 0)
        fail_msg("%" PRIu64 " open edges, first from (%" PRId64 ", %" PRId64 ", %" PRId64 ") steps",
                 checked.open_edges, checked.first_open[0], checked.first_open[1], checked.first_open[2]);
    return checked;
}

static void assert_nothing_collapsed(const struct tr_check_result *checked)
{
    if (checked->degenerates || checked->crowded_edges || checked->pinches || checked->duplicates)
        fail_msg("degenerates %" PRIu64 " crowded %" PRIu64 " pinches %" PRIu64 " duplicates %" PRIu64,
                 checked->degenerates, checked->crowded_edges, checked->pinches, checked->duplicates);
}

/* ---- every profile ---- */

static void every_profile_and_splat_holds_the_tiles_bit_for_bit(void **state)
{
    static const char *const names[] = {"_SPLAT0", "COLOR_0", "_SPLAT0", "_SPLAT0"};
    struct tr_pack *pack;

    (void)state;
    adds_streams = true;
    pack = make_pack(caves, VOXEL_SIZE, 0);
    for (int p = 0; p < PROFILES; p++) {
        for (int splat = 0; splat < 4; splat++) {
            const struct reading reading = {splat <= TR_SPLAT_COLOR, splat != TR_SPLAT_NONE, names[splat]};
            struct tr_export_result result =
                export_glb(pack, (struct tr_export_options){.profile = profiles[p],
                                                            .splat = (enum tr_export_splat)splat,
                                                            .no_morphs = splat == TR_SPLAT_NONE});
            struct glb glb = open_glb(out_path, profiles[p]);

            assert_true(result.is_exact);
            assert_true(result.step == (profiles[p] == TR_PROFILE_PLAIN ? 0 : VOXEL_SIZE / TR_UNITS));
            assert_int_equal(result.files, 1);
            assert_int_equal(result.file_bytes, glb.file.size_bytes);
            assert_int_equal(result.vertices, pack->vertex_count);
            assert_int_equal(result.triangles, pack->index_count / 3);
            assert_int_equal(cJSON_GetArraySize(item(glb.json, "nodes")), pack->tile_count);
            for (size_t i = 0; i < pack->tile_count; i++) {
                struct triangles found = assert_tile(&glb, pack, i, reading, result.step);

                free(found.all);
            }
            close_glb(&glb);
        }
    }
    tr_pack_close(pack);
}

/* Plain keeps the pack's order, whose triangles a program may know by number. */
static void plain_keeps_the_order_of_vertices_and_triangles(void **state)
{
    struct tr_pack *pack = make_pack(caves, VOXEL_SIZE, 0);
    struct tr_error error = {0};
    struct tr_mesh mesh;
    struct glb glb;
    struct stream positions, indices;

    (void)state;
    export_glb(pack, (struct tr_export_options){0});
    glb = open_glb(out_path, TR_PROFILE_PLAIN);
    positions = read_stream(&glb, 0, 12);
    indices = read_stream(&glb, 2, 2);
    assert_ok(tr_pack_read_mesh(pack, 0, &mesh, &error), &error);
    assert_int_equal(positions.count, mesh.vertex_count);
    assert_int_equal(indices.count, mesh.index_count);
    for (size_t i = 0; i < mesh.vertex_count; i++)
        assert_int_equal(units_of((float)component(&positions, i, 1)), mesh.vertices[i].y);
    for (size_t i = 0; i < mesh.index_count; i++)
        assert_int_equal(component(&indices, i, 0), mesh.indices[i]);
    free(positions.data);
    free(indices.data);
    close_glb(&glb);
    tr_mesh_release(&mesh);
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
    const struct reading reading = {.weights_name = "_SPLAT0"};
    struct tr_pack *pack = make_pack(layers, VOXEL_SIZE, 0);

    (void)state;
    assert_true(pack->tiles[0].vertex_count > 65535);
    for (int p = 0; p < PROFILES; p++) {
        struct tr_export_result result = export_glb(pack, (struct tr_export_options){.profile = profiles[p]});
        struct glb glb = open_glb(out_path, profiles[p]);
        struct triangles found = assert_tile(&glb, pack, 0, reading, result.step);

        free(found.all);
        close_glb(&glb);
    }
    tr_pack_close(pack);
}

/* A strip of triangles over so many vertices, and one vertex more that none uses. */
static struct tr_pack *make_strip(uint32_t vertex_count)
{
    static const struct tr_pack_info info = {.size_x = 1, .size_z = 1, .voxel_size = VOXEL_SIZE};
    struct tr_pack_writer *writer = begin_pack(&info);
    struct tr_mesh mesh = {.vertices = calloc(vertex_count + 1, sizeof *mesh.vertices),
                           .indices = calloc(3 * ((size_t)vertex_count - 2), sizeof *mesh.indices),
                           .vertex_count = vertex_count + 1,
                           .index_count = 3 * (vertex_count - 2)};
    struct tr_tile_part part;
    struct tr_tile_mesh tile;

    assert_true(mesh.vertices && mesh.indices);
    for (uint32_t i = 0; i <= vertex_count; i++)
        mesh.vertices[i] = (tr_vertex){(int)(i % 256), (int)(i / 256), 7, 0};
    for (uint32_t i = 0; i < mesh.index_count; i++)
        mesh.indices[i] = i / 3 + i % 3;
    tile = fixture_tile(&mesh, &part);
    add_tile(writer, 0, 0, 0, fixture_same, &tile);
    tr_mesh_release(&mesh);
    return end_pack(writer);
}

static void an_index_of_65535_is_never_one_of_16_bits(void **state)
{
    const struct reading reading = {.weights_name = "_SPLAT0"};

    (void)state;
    for (uint32_t count = 65533; count <= 65537; count++) {
        struct tr_pack *pack = make_strip(count);

        for (int p = 0; p < PROFILES; p++) {
            struct tr_export_result result =
                export_glb(pack, (struct tr_export_options){.profile = profiles[p]});
            struct glb glb = open_glb(out_path, profiles[p]);
            struct triangles found = assert_tile(&glb, pack, 0, reading, result.step);

            /* plain keeps the vertex that no triangle uses, as the pack does */
            assert_int_equal(result.vertices, profiles[p] == TR_PROFILE_PLAIN ? count + 1 : count);
            free(found.all);
            close_glb(&glb);
        }
        tr_pack_close(pack);
    }
}

/* ---- the lattice ---- */

static void the_step_is_a_unit_or_the_next_power_of_two_below(void **state)
{
    static const double voxel_sizes[] = {1, 2, 0.25, 1 << 20, 0.1, 3, 0.7, 1e-10};
    struct tr_glb_lattice lattice;

    (void)state;
    for (size_t i = 0; i < sizeof voxel_sizes / sizeof voxel_sizes[0]; i++) {
        const double unit = voxel_sizes[i] / TR_UNITS;
        int exponent;

        tr_glb_lattice_init(&lattice, voxel_sizes[i]);
        assert_true(frexp(lattice.step, &exponent) == 0.5);
        assert_true(lattice.step <= unit && 2 * lattice.step > unit);
        assert_int_equal(lattice.is_exact, i < 4);
        for (int64_t at = -70000; at < 70000; at += 7) {
            const double off = (double)tr_glb_lattice_at(&lattice, at) * lattice.step - (double)at * unit;

            assert_true(fabs(off) <= lattice.step / 2 * (1 + 1e-9));
            assert_true(tr_glb_lattice_at(&lattice, at + 1) > tr_glb_lattice_at(&lattice, at));
        }
    }
}

static void the_step_doubles_until_what_is_largest_fits(void **state)
{
    static const struct {
        int64_t extent, morph;
        int doublings;
    } cases[] = {{16384, 0, 0},  {65534, 32766, 0}, {65535, 0, 1},   {65536, 0, 1},   {131068, 0, 1},
                 {131070, 0, 2}, {100, 32767, 1},   {1 << 20, 0, 5}, {1 << 25, 0, 10}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tr_glb_lattice lattice;

        tr_glb_lattice_init(&lattice, 1);
        tr_glb_lattice_widen(&lattice, cases[i].extent, cases[i].morph);
        if (lattice.step != ldexp(1.0 / 256, cases[i].doublings) ||
            lattice.is_exact != (cases[i].doublings == 0))
            fail_msg("%" PRId64 " and %" PRId64 " units: step %g, expected %d doublings", cases[i].extent,
                     cases[i].morph, lattice.step, cases[i].doublings);
    }
}

static void levels_and_kinds_beside_each_other_decode_closed_and_exact(void **state)
{
    struct tr_pack *pack;

    (void)state;
    adds_streams = true;
    pack = make_mixed_pack(caves);
    for (int p = 1; p < PROFILES; p++) {
        struct tr_check_result checked = check_decoded(pack, profiles[p], VOXEL_SIZE / TR_UNITS);

        assert_nothing_collapsed(&checked);
    }
    tr_pack_close(pack);
}

static void levels_too_wide_for_16_bits_are_rounded_alike_and_stay_closed(void **state)
{
    struct tr_pack *pack;

    (void)state;
    adds_streams = true;
    pack = make_coarse_pack(caves);
    assert_int_equal(pack->lods, 6);
    for (int p = 1; p < PROFILES; p++) {
        struct tr_check_result checked = check_decoded(pack, profiles[p], 2 * VOXEL_SIZE / TR_UNITS);

        assert_true(checked.triangles > 0);
    }
    tr_pack_close(pack);
}

static void a_voxel_size_that_is_no_power_of_two_merges_nothing(void **state)
{
    struct tr_pack *pack = make_pack(caves, 0.1, 0);

    (void)state;
    for (int p = 1; p < PROFILES; p++) {
        struct tr_check_result checked = check_decoded(pack, profiles[p], 1.0 / 4096);

        assert_nothing_collapsed(&checked);
    }
    tr_pack_close(pack);
}

/* 6 voxels up with each one east: 384 in all. */
static int cliff(int x, int y, int z)
{
    return 256 * (y - 6 * x) - 37 * z - 100;
}

static void a_cliff_higher_than_16_bits_doubles_the_step(void **state)
{
    struct tr_pack *pack;

    (void)state;
    adds_streams = true;
    pack = make_heights(cliff);
    assert_true(pack->tiles[0].hi[1] - pack->tiles[0].lo[1] > 65535);
    for (int p = 1; p < PROFILES; p++)
        check_decoded(pack, profiles[p], 2 * VOXEL_SIZE / TR_UNITS);
    tr_pack_close(pack);
}

static void a_morph_farther_than_16_bits_doubles_the_step(void **state)
{
    struct tr_pack *pack;

    (void)state;
    adds_streams = true;
    target_rise = 40000;
    pack = make_heights(hills);
    for (int p = 1; p < PROFILES; p++)
        check_decoded(pack, profiles[p], 2 * VOXEL_SIZE / TR_UNITS);
    tr_pack_close(pack);
}

/* ---- the pictures ---- */

static void read_picture(const struct glb *glb, size_t i, uint8_t *rgb)
{
    const cJSON *view =
        element(glb->json, "bufferViews", number(element(glb->json, "images", i), "bufferView"));
    png_image image = {.version = PNG_IMAGE_VERSION};

    assert_true(png_image_begin_read_from_memory(&image, glb->bin.data + number(view, "byteOffset"),
                                                 number(view, "byteLength")));
    assert_int_equal(image.width, TR_GLB_TEXTURE_SIDE);
    assert_int_equal(image.height, TR_GLB_TEXTURE_SIDE);
    assert_int_equal(image.format, PNG_FORMAT_RGB);
    assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
}

static void a_texture_has_the_weights_of_the_ground_at_each_line_of_samples(void **state)
{
    enum { SIDE = TR_GLB_TEXTURE_SIDE };
    static uint8_t rgb[SIDE * SIDE * 3];
    struct tr_tile_mesh mesh;
    struct tr_error error = {0};
    struct tr_pack *pack;
    struct stream places;
    struct glb glb;

    (void)state;
    adds_streams = true;
    pack = make_heights(hills);
    export_glb(pack, (struct tr_export_options){.splat = TR_SPLAT_TEXTURE});
    glb = open_glb(out_path, TR_PROFILE_PLAIN);
    read_picture(&glb, 0, rgb);
    assert_ok(tr_pack_read_tile(pack, 0, &mesh, &error), &error);
    places = read_stream(&glb, 2, 8);
    assert_int_equal(mesh.vertex_count, SIDE * SIDE);
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const double x = component(&places, i, 0) * SIDE, z = component(&places, i, 1) * SIDE;

        /* the middles of texels */
        assert_true(fabs(x - mesh.vertices[i].x / 256 - 0.5) < 1e-4);
        assert_true(fabs(z - mesh.vertices[i].z / 256 - 0.5) < 1e-4);
        assert_memory_equal(rgb + 3 * ((size_t)z * SIDE + (size_t)x), mesh.weights[i], 3);
    }
    free(places.data);
    tr_tile_mesh_release(&mesh);
    close_glb(&glb);
    tr_pack_close(pack);
}

static void a_texture_shows_the_ground_above_caves(void **state)
{
    enum { SIDE = TR_GLB_TEXTURE_SIDE };
    static uint8_t rgb[SIDE * SIDE * 3];
    static int32_t top[SIDE * SIDE];
    struct tr_tile_mesh mesh;
    struct tr_error error = {0};
    struct tr_pack *pack;
    struct glb glb;
    size_t covered = 0;

    (void)state;
    adds_streams = true;
    pack = make_pack(caves, VOXEL_SIZE, 0);
    export_glb(pack, (struct tr_export_options){.splat = TR_SPLAT_TEXTURE});
    glb = open_glb(out_path, TR_PROFILE_PLAIN);
    read_picture(&glb, 0, rgb);
    assert_ok(tr_pack_read_tile(pack, 0, &mesh, &error), &error);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            const tr_vertex *v = &mesh.vertices[i];
            const size_t texel = (size_t)(v->z / 256 * SIDE + v->x / 256);

            if (v->x % 256 != 0 || v->z % 256 != 0)
                continue;
            if (pass == 0)
                top[texel] = tr_imax(top[texel], v->y);
            else if (top[texel] == v->y)
                assert_memory_equal(rgb + 3 * texel, mesh.weights[i], 3);
            else
                covered++;
        }
    }
    assert_true(covered > 100);
    tr_tile_mesh_release(&mesh);
    close_glb(&glb);
    tr_pack_close(pack);
}

static void neighbours_textures_agree_on_their_border(void **state)
{
    enum { SIDE = TR_GLB_TEXTURE_SIDE };
    static uint8_t rgb[2][SIDE * SIDE * 3];
    struct tr_pack *pack;
    struct glb glb;

    (void)state;
    adds_streams = true;
    pack = make_pack(hills, VOXEL_SIZE, 0);
    export_glb(pack, (struct tr_export_options){.profile = TR_PROFILE_WEB, .splat = TR_SPLAT_TEXTURE});
    glb = open_glb(out_path, TR_PROFILE_WEB);
    for (size_t i = 0; i < 2; i++)
        read_picture(&glb, i, rgb[i]);
    for (size_t z = 0; z < SIDE; z++)
        assert_memory_equal(rgb[0] + 3 * (z * SIDE + SIDE - 1), rgb[1] + 3 * z * SIDE, 3);
    close_glb(&glb);
    tr_pack_close(pack);
}

/* ---- what engines select by ---- */

static void nodes_say_level_place_error_and_band(void **state)
{
    struct tr_pack *pack = make_mixed_pack(caves);
    struct glb glb;

    (void)state;
    export_glb(pack, (struct tr_export_options){0});
    glb = open_glb(out_path, TR_PROFILE_PLAIN);
    for (size_t i = 0; i < pack->tile_count; i++) {
        const struct tr_pack_tile *tile = &pack->tiles[i];
        const cJSON *extras = item(element(glb.json, "nodes", i), "extras");

        assert_int_equal(number(extras, "lod"), tile->lod);
        assert_int_equal(element(extras, "tile", 0)->valueint, tile->cx);
        assert_int_equal(element(extras, "tile", 1)->valueint, tile->cy);
        assert_int_equal(element(extras, "tile", 2)->valueint, tile->cz);
        assert_true(item(extras, "error")->valuedouble == tile->error * VOXEL_SIZE / 256);
        assert_true(element(extras, "distance", 0)->valuedouble == (tile->lod == 0 ? 0 : 256));
        assert_true(element(extras, "distance", 1)->valuedouble == (tile->lod == 0 ? 256 : 768));
    }
    close_glb(&glb);
    tr_pack_close(pack);
}

/* ---- many files ---- */

static void part_path(char path[TR_PATH_BYTES], int part)
{
    char name[32];

    snprintf(name, sizeof name, "tiles-%05d.glb", part);
    assert_int_equal(tr_path_join(path, out_path, name, NULL), TR_OK);
}

static void more_tiles_than_a_file_holds_make_a_folder_of_files_on_one_lattice(void **state)
{
    const struct tr_export_options options = {.profile = TR_PROFILE_WEB, .file_tiles = 2};
    const struct reading reading = {.weights_name = "_SPLAT0"};
    struct tr_pack *pack = make_coarse_pack(caves);
    struct tr_export_result result = export_glb(pack, options);
    char path[TR_PATH_BYTES];
    size_t tile = 0;

    (void)state;
    assert_int_equal(pack->tile_count, 5);
    assert_int_equal(result.files, 3);
    assert_int_equal(result.triangles, pack->index_count / 3);
    for (int part = 1; part <= 3; part++) {
        struct glb glb;
        int nodes;

        part_path(path, part);
        glb = open_glb(path, TR_PROFILE_WEB);
        nodes = cJSON_GetArraySize(item(glb.json, "nodes"));
        assert_int_equal(nodes, part < 3 ? 2 : 1);
        for (int i = 0; i < nodes; i++, tile++) {
            struct triangles found = read_triangles(&glb, (size_t)i, reading),
                             expected = expect_triangles(pack, tile, reading, result.step);

            assert_same_triangles(&found, &expected);
            free(found.all);
            free(expected.all);
        }
        close_glb(&glb);
    }
    part_path(path, 4);
    assert_false(tr_path_exists(path));
    assert_int_equal(tile, 5);
    tr_pack_close(pack);
}

static void assert_refused_folder(const struct tr_pack *pack, bool replace, const char *text)
{
    const struct tr_export_options options = {.file_tiles = 1, .replace = replace};
    struct tr_export_result result;
    struct tr_error error = {0};

    assert_int_equal(tr_export(pack, out_path, &options, &result, &error), TR_IO);
    if (!strstr(error.text, text))
        fail_msg("\"%s\", expected \"%s\" in it", error.text, text);
}

static void a_folder_is_replaced_only_if_it_is_one_of_tiles_and_not_equal(void **state)
{
    struct tr_export_options options = {.file_tiles = 1};
    struct tr_pack *pack = make_pack(flat, VOXEL_SIZE, 0);
    struct tr_error error = {0};
    struct stat before, after;
    char path[TR_PATH_BYTES];

    (void)state;
    export_glb(pack, options);
    assert_int_equal(stat(out_path, &before), 0);
    assert_refused_folder(pack, false, "exists, expected a new name or --force");
    export_glb(pack, options);
    assert_int_equal(stat(out_path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino); /* equal: left as it was */

    options.splat = TR_SPLAT_NONE;
    options.profile = TR_PROFILE_ENGINE;
    export_glb(pack, options);
    assert_int_equal(stat(out_path, &after), 0);
    assert_int_not_equal(before.st_ino, after.st_ino);

    assert_int_equal(tr_path_join(path, out_path, "mine.txt", NULL), TR_OK);
    assert_ok(tr_file_write(path, "mine", 4, 0644, false, &error), &error);
    assert_refused_folder(pack, true, "has \"mine.txt\" in it, expected a folder of tiles to replace");
    assert_true(tr_path_exists(path));
    assert_ok(tr_folder_remove(out_path, &error), &error);
    assert_ok(tr_file_write(out_path, "mine", 4, 0644, false, &error), &error);
    assert_refused_folder(pack, true, "is a file, expected a folder to replace");
    tr_pack_close(pack);
}

/* ---- all levels ---- */

static void a_level_of_all_has_its_targets_and_weights(void **state)
{
    const struct reading reading = {true, true, "_SPLAT0"};
    struct tr_pack *pack;
    size_t first = 0;

    (void)state;
    adds_streams = true;
    pack = make_all_levels(caves);
    for (uint32_t lod = 0; lod < 2; lod++) {
        struct tr_export_result result = export_glb(
            pack, (struct tr_export_options){.profile = TR_PROFILE_ENGINE, .has_lod = true, .lod = lod});
        struct glb glb = open_glb(out_path, TR_PROFILE_ENGINE);
        const size_t count = (size_t)cJSON_GetArraySize(item(glb.json, "nodes"));

        for (size_t i = 0; i < count; i++) {
            struct triangles found = read_triangles(&glb, i, reading),
                             expected = expect_triangles(pack, first + i, reading, result.step);

            assert_same_triangles(&found, &expected);
            free(found.all);
            free(expected.all);
        }
        first += count;
        close_glb(&glb);
    }
    assert_int_equal(first, pack->tile_count);
    tr_pack_close(pack);
}

static int setup_plain(void **state)
{
    adds_streams = false;
    target_rise = 0;
    return setup(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_plain, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_profile_and_splat_holds_the_tiles_bit_for_bit),
        TEST(plain_keeps_the_order_of_vertices_and_triangles),
        TEST(a_tile_of_more_than_65535_vertices_has_32_bit_indices),
        TEST(an_index_of_65535_is_never_one_of_16_bits),
        cmocka_unit_test(the_step_is_a_unit_or_the_next_power_of_two_below),
        cmocka_unit_test(the_step_doubles_until_what_is_largest_fits),
        TEST(levels_and_kinds_beside_each_other_decode_closed_and_exact),
        TEST(levels_too_wide_for_16_bits_are_rounded_alike_and_stay_closed),
        TEST(a_voxel_size_that_is_no_power_of_two_merges_nothing),
        TEST(a_cliff_higher_than_16_bits_doubles_the_step),
        TEST(a_morph_farther_than_16_bits_doubles_the_step),
        TEST(a_texture_has_the_weights_of_the_ground_at_each_line_of_samples),
        TEST(a_texture_shows_the_ground_above_caves),
        TEST(neighbours_textures_agree_on_their_border),
        TEST(nodes_say_level_place_error_and_band),
        TEST(more_tiles_than_a_file_holds_make_a_folder_of_files_on_one_lattice),
        TEST(a_folder_is_replaced_only_if_it_is_one_of_tiles_and_not_equal),
        TEST(a_level_of_all_has_its_targets_and_weights),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
