/* Exports: each format is read back here by a small reader of its own and compared with the meshes in the pack; solids are closed by the
 * same check that verifies packs, and have the right volume. What a GLB holds is for glb_test.c. */
#include "tests/unit/export_fixture.h"

#include "lib/mesh/check.h"

#include <inttypes.h>
#include <stdio.h>

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
