/* Meshes of solids: what of OBJ and PLY is read, what makes a mesh a solid, and what is refused with which
 * words.
 *
 * TERRAIN_TEST_DATA names a folder with the Stanford bunny (sdf/bunny.obj); its test is skipped without it. */
#include "tests/support/test.h"

#include "lib/base/bytes.h"
#include "lib/base/file.h"
#include "lib/edit/solid_mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tetrahedron with its right angle at 0 and legs of 6, 5 and 4: volume 20. */
#define TETRA_V "v 0 0 0\nv 6 0 0\nv 0 5 0\nv 0 0 4\n"
#define TETRA_F "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
#define TETRA TETRA_V TETRA_F

static struct tr_solid_mesh parse_bytes(const void *bytes, size_t size_bytes)
{
    struct tr_solid_mesh mesh;
    struct tr_error error = {0};

    if (tr_solid_mesh_parse(bytes, size_bytes, "m", &mesh, &error) != TR_OK)
        fail_msg("refused: %s", error.text);
    return mesh;
}

static struct tr_solid_mesh parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static void check_bytes_refused(const void *bytes, size_t size_bytes, const char *message)
{
    struct tr_solid_mesh mesh;
    struct tr_error error = {0};
    enum tr_status status = tr_solid_mesh_parse(bytes, size_bytes, "m", &mesh, &error);

    if (status != TR_BAD_INPUT)
        fail_msg("status %d, expected 3 and '%s'", status, message);
    if (strcmp(error.text, message) != 0)
        fail_msg("said    '%s'\nexpected '%s'", error.text, message);
    assert_null(mesh.positions);
    assert_null(mesh.triangles);
}

static void check_refused(const char *text, const char *message)
{
    check_bytes_refused(text, strlen(text), message);
}

static void check_is_tetra(struct tr_solid_mesh mesh)
{
    if (mesh.vertex_count != 4 || mesh.triangle_count != 4 || mesh.volume != 20.0)
        fail_msg("%u vertices, %u triangles, volume %.17g, expected 4, 4, 20", mesh.vertex_count,
                 mesh.triangle_count, mesh.volume);
    assert_true(mesh.min[0] == 0 && mesh.min[1] == 0 && mesh.min[2] == 0);
    assert_true(mesh.max[0] == 6 && mesh.max[1] == 5 && mesh.max[2] == 4);
    assert_int_equal(mesh.part_count, 1);
    assert_int_equal(mesh.cavity_count, 0);
}

static void check_text_is_tetra(const char *text)
{
    struct tr_solid_mesh mesh = parse(text);
    check_is_tetra(mesh);
    tr_solid_mesh_release(&mesh);
}

/* --- OBJ --- */

static void obj_is_read_in_the_order_of_the_file(void **state)
{
    struct tr_solid_mesh mesh = parse(TETRA);
    const double positions[4][3] = {{0, 0, 0}, {6, 0, 0}, {0, 5, 0}, {0, 0, 4}};
    const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

    (void)state;
    check_is_tetra(mesh);
    assert_memory_equal(mesh.positions, positions, sizeof positions);
    assert_memory_equal(mesh.triangles, triangles, sizeof triangles);
    assert_false(mesh.is_turned);
    tr_solid_mesh_release(&mesh);
}

static void corners_come_in_every_index_form(void **state)
{
    (void)state;
    check_text_is_tetra(TETRA_V "f 1/1 3/2 2/3\nf 1//1 2//2 4//3\nf 2/1/1 3/2/2 4/3/3\nf 3 1/ 4//\n");
    check_text_is_tetra(TETRA_V "f -4 -2 -3\nf -4/-1 -3//-1 -1/-1/-1\nf 2 3 -1\nf 3 -4 4\n");
    check_text_is_tetra("v 0 0 0\nv 6 0 0\nv 0 5 0\nf -3 -1 -2\nv 0 0 4\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    check_text_is_tetra(TETRA_F TETRA_V); /* faces before their vertices */
}

static void other_obj_statements_comments_and_line_ends_do_not_matter(void **state)
{
    (void)state;
    check_text_is_tetra(
        "# f 1 2\r\nmtllib a.mtl\r\no part\r\nv 0 0 0 1 # w\r\nv 6 0 0 .5 .5 .5\r\nv 0 5. 0\r\n"
        "v +0 -0 4e0\r\nvt 0 0\r\nvn 0 0 1\r\nvp 1\r\ns off\r\n\tf 1 3  2 # face\r\nf 1 2 4\r\n"
        "g\r\nusemtl stone\r\nl 1 2\r\nf 2 3 4\r\nf 3 1 4");
    check_text_is_tetra("v 0 0 0\rv 6 0 0\rv 0 5 0\rv 0 0 4\rf 1 3 2\rf 1 2 4\rf 2 3 4\rf 3 1 4\r");
    check_text_is_tetra(
        "v 0 0 \\\n0\nv \\\r\n6 0 0\nv 0 5 0\nv 0 0 4\nf 1 \\\n3 \\\n2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
}

static void polygons_are_fans_around_their_first_corner(void **state)
{
    /* a cube of side 2 from quads, and a prism over a pentagon with a corner in a straight edge */
    struct tr_solid_mesh cube =
        parse("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n"
              "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    const uint32_t first[2][3] = {{3, 2, 1}, {3, 1, 0}};
    struct tr_solid_mesh prism =
        parse("v 0 0 0\nv 2 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 0 0 1\nv 2 0 1\nv 4 0 1\nv 4 4 1\nv 0 4 1\n"
              "f 5 4 3 2 1\nf 6 7 8 9 10\nf 1 2 7 6\nf 2 3 8 7\nf 3 4 9 8\nf 4 5 10 9\nf 5 1 6 10\n");

    (void)state;
    assert_int_equal(cube.triangle_count, 12);
    assert_true(cube.volume == 8.0);
    assert_memory_equal(cube.triangles, first, sizeof first);
    assert_int_equal(prism.triangle_count, 16);
    assert_true(prism.volume == 16.0);
    tr_solid_mesh_release(&cube);
    tr_solid_mesh_release(&prism);
}

static void malformed_obj_is_refused_by_line(void **state)
{
    (void)state;
    check_refused("", "m: no triangle, expected a mesh as OBJ or PLY");
    check_refused("solid stl\nfacet normal 0 0 1\n", "m: no triangle, expected a mesh as OBJ or PLY");
    check_refused(TETRA_V, "m: no triangle, expected a mesh as OBJ or PLY");
    check_refused("v 0 0\n", "m:1: vertex with 2 numbers, expected 3");
    check_refused("\nv 0 0 # 0\n", "m:2: vertex with 2 numbers, expected 3");
    check_refused("v 0 nan 0\n", "m:1: vertex with y = 'nan', expected a number");
    check_refused("v 0 0 0,5\n", "m:1: vertex with z = '0,5', expected a number");
    check_refused("v 1e999 0 0\n", "m:1: vertex with x = '1e999', expected a number");
    check_refused("v 0x10 0 0\n", "m:1: vertex with x = '0x10', expected a number");
    check_refused("v 0 -1.5e9 0\n", "m:1: vertex with y = -1.5e+09, expected a number within +-1e9");
    check_refused("v 0 0 \x1b[2J\n", "m:1: vertex with z = '?[2J', expected a number");
    check_refused(TETRA_V "f 1 2\n", "m:5: face with 2 corners, expected at least 3");
    check_refused(TETRA_V "f\n", "m:5: face with 0 corners, expected at least 3");
    check_refused(TETRA_V "f 1 3 two\n",
                  "m:5: corner 'two', expected v, v/vt, v//vn or v/vt/vn in whole numbers");
    check_refused(TETRA_V "f 1 3 2.0\n",
                  "m:5: corner '2.0', expected v, v/vt, v//vn or v/vt/vn in whole numbers");
    check_refused(TETRA_V "f 1/1/1/1 3 2\n",
                  "m:5: corner '1/1/1/1', expected v, v/vt, v//vn or v/vt/vn in whole numbers");
    check_refused(TETRA_V "f 1/- 3 2\n",
                  "m:5: corner '1/-', expected v, v/vt, v//vn or v/vt/vn in whole numbers");
    check_refused(TETRA_V "f 99999999999 3 2\n",
                  "m:5: corner '99999999999', expected v, v/vt, v//vn or v/vt/vn in whole numbers");
    check_refused(TETRA_V "f 0 3 2\n",
                  "m:5: corner '0', expected a vertex from 1 or, negative, of the 4 so far");
    check_refused(TETRA_V "f 1 3 -5\n",
                  "m:5: corner '-5', expected a vertex from 1 or, negative, of the 4 so far");
    check_refused(TETRA_V "f 1 3 4194305\n",
                  "m:5: corner '4194305', expected a vertex from 1 or, negative, of the 4 so far");
    check_refused(TETRA "f 1 3 7\nf 1 3 6\n", "m:9: corner at vertex 7, expected at most 4, the last");
}

static void every_cut_of_a_good_obj_is_refused_or_read_whole(void **state)
{
    size_t size = strlen(TETRA);

    (void)state;
    for (size_t cut = 0; cut < size; cut++) {
        struct tr_solid_mesh mesh;
        struct tr_error error = {0};
        char *copy = malloc(cut + 1); /* no byte beyond the cut may be read */
        assert_non_null(copy);
        memcpy(copy, TETRA, cut);
        enum tr_status status = tr_solid_mesh_parse(copy, cut, "m", &mesh, &error);
        if ((status == TR_OK) != (cut == size - 1)) /* all but the last line end */
            fail_msg("%zu of %zu bytes: status %d, %s", cut, size, status, error.text);
        tr_solid_mesh_release(&mesh);
        free(copy);
    }
}

/* --- PLY --- */

#define PLY_TETRA_HEAD                                                                                       \
    "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"                               \
    "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
#define PLY_TETRA_V "0 0 0\n6 0 0\n0 5 0\n0 0 4\n"
#define PLY_TETRA "ply\nformat ascii 1.0\n" PLY_TETRA_HEAD PLY_TETRA_V "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n"

static void ascii_ply_is_read_as_the_same_obj_is(void **state)
{
    struct tr_solid_mesh ply = parse(PLY_TETRA), obj = parse(TETRA);

    (void)state;
    check_is_tetra(ply);
    assert_memory_equal(ply.positions, obj.positions, 4 * sizeof *obj.positions);
    assert_memory_equal(ply.triangles, obj.triangles, 4 * sizeof *obj.triangles);
    tr_solid_mesh_release(&ply);
    tr_solid_mesh_release(&obj);
}

static void other_elements_and_properties_of_ply_are_skipped(void **state)
{
    (void)state;
    check_text_is_tetra(
        "ply\r\ncomment made by hand\r\nformat ascii 1.0\r\nobj_info none\r\nelement nothing 4000000000\r\n"
        "element camera 2\r\nproperty list uchar double view\r\nproperty float f\r\nelement vertex 4\r\n"
        "property double nx\r\nproperty float32 z\r\nproperty list int8 int16 marks\r\nproperty uint8 x\r\n"
        "property int16 y\r\nelement face 4\r\nproperty uchar red\r\nproperty list uint32 uint16 "
        "vertex_index\r\n"
        "property list uchar float texcoord\r\nelement edge 1\r\nproperty int vertex1\r\nend_header\r\n"
        "3 1 2 3 0.5\r\n0 nan\r\nnan 0 0 0 0\r\n0 0 2 1 2 6 0\r\n0 0 1 7 0 5\r\n0 4 0 0 0\r\n"
        "255 3 0 2 1 2 0 0\r\n0 3 0 1 3 0\r\n0 3 1 2 3 0\r\n\r\n0 3\r\n2 0 3 0\r\n9\r\n");
}

static void put(struct tr_writer *out, uint64_t bits, size_t size_bytes, bool is_big_endian)
{
    for (size_t i = 0; i < size_bytes; i++)
        tr_write_u8(out, (uint8_t)(bits >> 8 * (is_big_endian ? size_bytes - 1 - i : i)));
}

/* The types that PLY has, with the number v as its bits. */
static const struct type {
    const char *name;
    size_t size_bytes;
    enum { WHOLE, SINGLE, DOUBLE } kind;
} types[] = {{"char", 1, WHOLE},  {"uchar", 1, WHOLE},  {"short", 2, WHOLE},    {"ushort", 2, WHOLE},
             {"int", 4, WHOLE},   {"uint", 4, WHOLE},   {"float", 4, SINGLE},   {"double", 8, DOUBLE},
             {"int8", 1, WHOLE},  {"uint8", 1, WHOLE},  {"int16", 2, WHOLE},    {"uint16", 2, WHOLE},
             {"int32", 4, WHOLE}, {"uint32", 4, WHOLE}, {"float32", 4, SINGLE}, {"float64", 8, DOUBLE}};

static void put_number(struct tr_writer *out, double value, const struct type *type, bool is_big_endian)
{
    uint64_t bits = (uint64_t)(int64_t)value;
    float single = (float)value;
    uint32_t single_bits;

    memcpy(&single_bits, &single, sizeof single_bits);
    if (type->kind == SINGLE)
        bits = single_bits;
    if (type->kind == DOUBLE)
        memcpy(&bits, &value, sizeof bits);
    put(out, bits, type->size_bytes, is_big_endian);
}

/* The tetrahedron, with a property more in front of each vertex and behind each face. */
static void write_binary_ply(struct tr_writer *out, const struct type *type, bool is_big_endian)
{
    static const double positions[4][3] = {{0, 0, 0}, {6, 0, 0}, {0, 5, 0}, {0, 0, 4}};
    static const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

    tr_write_text(out,
                  "ply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty %s quality\nproperty %s x\n"
                  "property %s y\nproperty %s z\nelement face 4\nproperty list %s %s vertex_indices\n"
                  "property list uchar %s flags\nend_header\n",
                  is_big_endian ? "big" : "little", type->name, type->name, type->name, type->name,
                  type->name, type->name, type->name);
    for (int i = 0; i < 4; i++) {
        put_number(out, 99, type, is_big_endian);
        for (int axis = 0; axis < 3; axis++)
            put_number(out, positions[i][axis], type, is_big_endian);
    }
    for (int i = 0; i < 4; i++) {
        put_number(out, 3, type, is_big_endian);
        for (int k = 0; k < 3; k++)
            put_number(out, triangles[i][k], type, is_big_endian);
        tr_write_u8(out, 2);
        put_number(out, 1, type, is_big_endian);
        put_number(out, 2, type, is_big_endian);
    }
}

static void binary_ply_is_read_in_both_byte_orders_and_all_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int is_big_endian = 0; is_big_endian < 2; is_big_endian++) {
            struct tr_writer out = {0};
            struct tr_solid_mesh mesh;
            struct tr_error error = {0};
            write_binary_ply(&out, &types[i], is_big_endian);
            if (tr_solid_mesh_parse(out.bytes, out.size_bytes, "m", &mesh, &error) != TR_OK)
                fail_msg("%s, big-endian %d: %s", types[i].name, is_big_endian, error.text);
            check_is_tetra(mesh);
            tr_solid_mesh_release(&mesh);
            tr_writer_release(&out);
        }
}

static void negative_and_fractional_binary_coordinates_keep_their_values(void **state)
{
    /* the tetrahedron of legs -2: shorts below 0 beside doubles */
    const struct type *short_type = &types[2], *double_type = &types[7];

    (void)state;
    for (int is_big_endian = 0; is_big_endian < 2; is_big_endian++) {
        static const double positions[4][3] = {
            {-300, 0, 0.125}, {-302, 0, 0.125}, {-300, -2, 0.125}, {-300, 0, -1.875}};
        static const uint8_t triangles[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
        struct tr_writer out = {0};
        struct tr_solid_mesh mesh;
        tr_write_text(
            &out,
            "ply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty short x\nproperty short y\n"
            "property double z\nelement face 4\nproperty list uchar uchar vertex_indices\nend_header\n",
            is_big_endian ? "big" : "little");
        for (int i = 0; i < 4; i++) {
            put_number(&out, positions[i][0], short_type, is_big_endian);
            put_number(&out, positions[i][1], short_type, is_big_endian);
            put_number(&out, positions[i][2], double_type, is_big_endian);
        }
        for (int i = 0; i < 4; i++) {
            tr_write_u8(&out, 3);
            tr_write_bytes(&out, triangles[i], 3);
        }
        mesh = parse_bytes(out.bytes, out.size_bytes);
        assert_memory_equal(mesh.positions, positions, sizeof positions);
        assert_true(mesh.volume == 8.0 / 6.0);
        tr_solid_mesh_release(&mesh);
        tr_writer_release(&out);
    }
}

static void malformed_ply_headers_are_refused_by_line(void **state)
{
    (void)state;
    check_refused("ply\n", "m:2: the file ends in its header, expected end_header and data");
    check_refused("ply\nformat ascii 1.0\nelement vertex 4",
                  "m:3: the file ends in its header, expected end_header and data");
    check_refused("ply\nelement vertex 4\nend_header\n", "m:3: header without a format");
    check_refused("ply\nformat ascii 2.0\n",
                  "m:2: format 'ascii 2.0', expected ascii, binary_little_endian or "
                  "binary_big_endian, 1.0");
    check_refused("ply\nformat binary\n", "m:2: format 'binary ', expected ascii, binary_little_endian or "
                                          "binary_big_endian, 1.0");
    check_refused("ply\nformat ascii 1.0\nvertices 4\n",
                  "m:3: 'vertices', expected format, element, property, comment, obj_info or end_header");
    check_refused("ply\nelement vertex\n", "m:2: element without a name and a count");
    check_refused("ply\nelement vertex -1\n",
                  "m:2: '-1' of element 'vertex', expected a whole number up to 4194304");
    check_refused("ply\nelement vertex 4194305\n",
                  "m:2: '4194305' of element 'vertex', expected a whole number up to 4194304");
    check_refused("ply\nelement face 8388609\n",
                  "m:2: '8388609' of element 'face', expected a whole number up to 8388608");
    check_refused("ply\nelement edge 1.5\n",
                  "m:2: '1.5' of element 'edge', expected a whole number up to 4294967295");
    check_refused("ply\nelement a 1\nelement b 1\nelement a 1\n",
                  "m:4: element 'a' stands twice, first on line 2");
    check_refused("ply\nproperty float x\n", "m:2: property before the first element");
    check_refused("ply\nelement vertex 1\nproperty half x\n",
                  "m:3: type 'half', expected char, uchar, short, ushort, int, uint, float or double");
    check_refused("ply\nelement vertex 1\nproperty list uchar\n",
                  "m:3: type '', expected char, uchar, short, ushort, int, uint, float or double");
    check_refused("ply\nelement vertex 1\nproperty float\n", "m:3: property without a name");
    check_refused("ply\nelement vertex 1\nproperty float x\nproperty int x\n",
                  "m:4: property 'x' stands twice, first on line 3");
    check_refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n",
                  "m: header has no element 'vertex' with x, y and z");
    check_refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                  "property list uchar float z\nend_header\n",
                  "m: header has no element 'vertex' with x, y and z");
    check_refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                  "property float z\nend_header\n",
                  "m: header has no element 'face' with one list 'vertex_indices' or 'vertex_index'");
    check_refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                  "property float z\nelement face 1\nproperty list uchar int vertex_index\n"
                  "property list uchar int vertex_indices\nend_header\n",
                  "m: header has no element 'face' with one list 'vertex_indices' or 'vertex_index'");
    check_refused(
        "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n3 0 1 2\n",
        "m:3: 0 vertices, expected a mesh");
}

static void too_many_elements_or_properties_are_refused(void **state)
{
    struct tr_writer elements = {0}, properties = {0};

    (void)state;
    tr_write_text(&elements, "ply\n");
    for (int i = 0; i < 65; i++)
        tr_write_text(&elements, "element e%d 1\n", i);
    check_bytes_refused(elements.bytes, elements.size_bytes, "m:66: more than 64 elements");
    tr_write_text(&properties, "ply\nelement vertex 1\n");
    for (int i = 0; i < 257; i++)
        tr_write_text(&properties, "property int p%d\n", i);
    check_bytes_refused(properties.bytes, properties.size_bytes, "m:259: more than 256 properties");
    tr_writer_release(&elements);
    tr_writer_release(&properties);
}

#define ASCII "ply\nformat ascii 1.0\n" PLY_TETRA_HEAD

static void malformed_ply_data_is_refused_by_line(void **state)
{
    (void)state;
    check_refused(ASCII "0 0 0\n6 0 0\n0 5", "m:12: the file ends in vertex 3 of 4");
    check_refused(ASCII PLY_TETRA_V "3 0 2 1\n", "m:15: the file ends in face 2 of 4");
    check_refused(ASCII "0 0 0\n6 zero 0\n", "m:11: 'zero' in vertex 2, expected a number");
    check_refused(ASCII "0 0 nan\n", "m:10: 'nan' in vertex 1, expected a number");
    check_refused(ASCII "0 2e9 0\n", "m:10: vertex with y = 2e+09, expected a number within +-1e9");
    check_refused(ASCII PLY_TETRA_V "-1\n",
                  "m:14: length -1 in face 1, expected a whole number up to 4294967295");
    check_refused(ASCII PLY_TETRA_V "2.5\n",
                  "m:14: length 2.5 in face 1, expected a whole number up to 4294967295");
    check_refused(ASCII PLY_TETRA_V "2 0 1\n", "m:14: face with 2 corners, expected at least 3");
    check_refused(ASCII PLY_TETRA_V "3 0 2 1\n3 0 1 4\n",
                  "m:15: vertex 4 in face 2, expected a whole number up to 3");
    check_refused(ASCII PLY_TETRA_V "3 0 2 -1\n",
                  "m:14: vertex -1 in face 1, expected a whole number up to 3");
    check_refused(PLY_TETRA "1\n", "m:18: more behind the last element, expected the end of the file");
}

static void malformed_binary_ply_is_refused_by_byte(void **state)
{
    struct tr_writer out = {0};
    const char *head = "ply\nformat binary_little_endian 1.0\n" PLY_TETRA_HEAD;
    size_t begin = strlen(head);
    char message[200];
    static const float not_finite[3] = {0.0f, INFINITY, 0.0f};

    (void)state;
    tr_write_text(&out, "%s", head);
    snprintf(message, sizeof message, "m: byte %zu: the file ends in vertex 1 of 4", begin);
    check_bytes_refused(out.bytes, out.size_bytes, message);
    tr_write_f32(&out, not_finite[0]);
    tr_write_f32(&out, not_finite[1]);
    tr_write_f32(&out, not_finite[2]);
    snprintf(message, sizeof message, "m: byte %zu: vertex with y = inf, expected a number within +-1e9",
             begin + 8);
    check_bytes_refused(out.bytes, out.size_bytes, message);
    tr_writer_release(&out);

    write_binary_ply(&out, &types[2], true);
    tr_write_u8(&out, 0);
    snprintf(message, sizeof message,
             "m: byte %zu: more behind the last element, expected the end of the file", out.size_bytes - 1);
    check_bytes_refused(out.bytes, out.size_bytes, message);
    tr_writer_release(&out);
}

static void every_cut_of_a_good_binary_ply_is_refused(void **state)
{
    struct tr_writer out = {0};

    (void)state;
    write_binary_ply(&out, &types[4], false);
    for (size_t cut = 0; cut < out.size_bytes; cut++) {
        struct tr_solid_mesh mesh;
        struct tr_error error = {0};
        uint8_t *copy = malloc(cut + 1);
        assert_non_null(copy);
        memcpy(copy, out.bytes, cut);
        if (tr_solid_mesh_parse(copy, cut, "m", &mesh, &error) != TR_BAD_INPUT)
            fail_msg("%zu of %zu bytes: not refused", cut, out.size_bytes);
        free(copy);
    }
    tr_writer_release(&out);
}

static void huge_claims_take_no_memory(void **state)
{
    (void)state;
    check_refused(
        "ply\nformat ascii 1.0\nelement vertex 4194304\nproperty float x\nproperty float y\n"
        "property float z\nelement face 8388608\nproperty list uchar int vertex_index\nend_header\n1 2 3\n",
        "m:11: the file ends in vertex 2 of 4194304");
    check_refused(ASCII PLY_TETRA_V "4294967295 0 1 2\n", "m:15: the file ends in face 1 of 4");
}

/* --- solids --- */

static void vertices_at_equal_places_become_one(void **state)
{
    (void)state;
    /* each triangle has corners of its own, one of them at -0 */
    check_text_is_tetra("v 0 0 0\nv 0 5 0\nv 6 0 0\nv -0 0 0\nv 6 0 0\nv 0 0 4\nv 6 0 0\nv 0 5 0\nv 0 0 4\n"
                        "v 0 5 0\nv 0.0 -0 0\nv 0 0 4e0\nf 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n");
    check_refused(
        "v 0 0 0\nv 0 5 0\nv 6 0 0\nv 1e-300 0 0\nv 6 0 0\nv 0 0 4\nv 6 0 0\nv 0 5 0\nv 0 0 4\n"
        "v 0 5 0\nv 0 0 0\nv 0 0 4\nf 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n",
        "m: not closed: triangles along the edge from (0, 0, 0) to (6, 0, 0): 0, against it: 1, expected "
        "1 and 1; such edges in all: 4");
}

static void unused_vertices_and_degenerate_triangles_are_left_out(void **state)
{
    (void)state;
    check_text_is_tetra("v 900 900 900\n" TETRA_V
                        "f 2 2 3\nf 2 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\nf 1 1 1\nf 3 4 3\n");
}

static void open_meshes_are_refused_with_the_edge_and_a_count(void **state)
{
    (void)state;
    check_refused(
        "v 0 0 0\nv 6.5 0 0\nv 0 5 0\nf 1 3 2\n",
        "m: not closed: triangles along the edge from (0, 0, 0) to (6.5, 0, 0): 0, against it: 1, expected "
        "1 and 1; such edges in all: 3");
    check_refused(
        TETRA_V "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 3 4\n",
        "m: not closed: triangles along the edge from (0, 0, 0) to (0, 5, 0): 2, against it: 0, expected "
        "1 and 1; such edges in all: 3");
    check_refused(
        TETRA "f 1 3 2\nf 2 3 1\n",
        "m: not closed: triangles along the edge from (0, 0, 0) to (6, 0, 0): 2, against it: 2, expected "
        "1 and 1; such edges in all: 3");
}

static void clockwise_meshes_are_turned(void **state)
{
    struct tr_solid_mesh mesh = parse(TETRA_V "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

    (void)state;
    check_is_tetra(mesh);
    assert_true(mesh.is_turned);
    assert_memory_equal(mesh.triangles, triangles, sizeof triangles);
    tr_solid_mesh_release(&mesh);
}

#define CUBE_F(a, b, c, d, e, f, g, h)                                                                       \
    "f " #d " " #c " " #b " " #a "\nf " #e " " #f " " #g " " #h "\nf " #a " " #b " " #f " " #e "\n"          \
    "f " #b " " #c " " #g " " #f "\nf " #c " " #d " " #h " " #g "\nf " #d " " #a " " #e " " #h "\n"
#define CUBE_V(lo, hi)                                                                                       \
    "v " lo " " lo " " lo "\nv " hi " " lo " " lo "\nv " hi " " hi " " lo "\nv " lo " " hi " " lo "\nv " lo  \
    " " lo " " hi "\nv " hi " " lo " " hi "\nv " hi " " hi " " hi "\nv " lo " " hi " " hi "\n"

static void parts_are_counted_and_those_wound_the_other_way_are_cavities(void **state)
{
    /* the second cube's corners in an order that turns it inside out */
    struct tr_solid_mesh hollow = parse(CUBE_V("0", "10") CUBE_F(1, 2, 3, 4, 5, 6, 7, 8) CUBE_V("2", "4")
                                            CUBE_F(13, 14, 15, 16, 9, 10, 11, 12));
    struct tr_solid_mesh turned = parse(CUBE_V("0", "10") CUBE_F(5, 6, 7, 8, 1, 2, 3, 4) CUBE_V("2", "4")
                                            CUBE_F(9, 10, 11, 12, 13, 14, 15, 16));

    (void)state;
    assert_int_equal(hollow.part_count, 2);
    assert_int_equal(hollow.cavity_count, 1);
    assert_true(hollow.volume == 992.0);
    assert_false(hollow.is_turned);
    assert_int_equal(turned.part_count, 2);
    assert_int_equal(turned.cavity_count, 1);
    assert_true(turned.volume == 992.0);
    assert_true(turned.is_turned);
    tr_solid_mesh_release(&hollow);
    tr_solid_mesh_release(&turned);
}

static void meshes_without_volume_are_refused(void **state)
{
    (void)state;
    /* both sides of a triangle; of a slanted one, whose volume in double is not 0; a cube and the same
     * turned */
    check_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n",
                  "m: 2 triangles that enclose no volume, expected a solid");
    check_refused("v 0.1 0.2 0.7\nv 1.3 0.9 0.1\nv 0.3 1.1 0.35\nv 0.5666666666666667 0.7333333333333334 "
                  "0.38333333333333336\n"
                  "f 1 2 4\nf 2 3 4\nf 3 1 4\nf 3 2 1\n",
                  "m: 4 triangles that enclose no volume, expected a solid");
    check_refused(CUBE_V("0", "1") CUBE_F(1, 2, 3, 4, 5, 6, 7, 8) CUBE_V("2", "3")
                      CUBE_F(13, 14, 15, 16, 9, 10, 11, 12),
                  "m: 24 triangles that enclose no volume, expected a solid");
}

static void thin_solids_far_away_keep_their_volume(void **state)
{
    struct tr_solid_mesh mesh = parse(
        "v 1e8 1e8 1e8\nv 100000001 1e8 1e8\nv 1e8 100000001 1e8\nv 1e8 1e8 100000000.000001\n" TETRA_F);

    (void)state;
    if (!(fabs(mesh.volume - 1e-6 / 6.0) < 1e-8))
        fail_msg("volume %.9g, expected about %.9g", mesh.volume, 1e-6 / 6.0);
    tr_solid_mesh_release(&mesh);
}

static void more_vertices_or_triangles_than_the_limits_are_refused(void **state)
{
    struct tr_writer out = {0};

    (void)state;
    for (uint32_t i = 0; i <= TR_SOLID_MESH_VERTICES_MAX; i++)
        tr_write_bytes(&out, "v 0 0 0\n", 8);
    check_bytes_refused(out.bytes, out.size_bytes,
                        "m:4194305: more vertices than 4194304, the most of a mesh");
    tr_writer_release(&out);

    tr_write_text(&out, TETRA_V "f");
    for (uint32_t i = 0; i < TR_SOLID_MESH_TRIANGLES_MAX + 3; i++)
        tr_write_bytes(&out, " 1", 2);
    check_bytes_refused(out.bytes, out.size_bytes, "m:5: more triangles than 8388608, the most of a mesh");
    tr_writer_release(&out);
}

static void the_bunny_is_a_closed_solid_of_genus_0(void **state)
{
    const char *folder = getenv("TERRAIN_TEST_DATA");
    struct tr_solid_mesh mesh;
    struct tr_error error = {0};
    uint8_t *bytes = NULL;
    size_t size_bytes = 0;
    char path[4096];

    (void)state;
    if (!folder)
        skip();
    snprintf(path, sizeof path, "%s/sdf/bunny.obj", folder);
    assert_ok(tr_file_read(path, TR_SOLID_MESH_BYTES_MAX, &bytes, &size_bytes, &error), &error);
    mesh = parse_bytes(bytes, size_bytes);
    assert_int_equal(mesh.vertex_count, 1839);
    assert_int_equal(mesh.triangle_count, 3674);
    /* each edge has two triangles, so V - E + F = V - 3F/2 + F */
    assert_int_equal(mesh.vertex_count - mesh.triangle_count / 2, 2);
    if (!(fabs(mesh.volume - 194.288) < 0.001))
        fail_msg("volume %.9g, expected 194.288", mesh.volume);
    assert_int_equal(mesh.part_count, 1);
    assert_false(mesh.is_turned);
    tr_solid_mesh_release(&mesh);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_is_read_in_the_order_of_the_file),
        cmocka_unit_test(corners_come_in_every_index_form),
        cmocka_unit_test(other_obj_statements_comments_and_line_ends_do_not_matter),
        cmocka_unit_test(polygons_are_fans_around_their_first_corner),
        cmocka_unit_test(malformed_obj_is_refused_by_line),
        cmocka_unit_test(every_cut_of_a_good_obj_is_refused_or_read_whole),
        cmocka_unit_test(ascii_ply_is_read_as_the_same_obj_is),
        cmocka_unit_test(other_elements_and_properties_of_ply_are_skipped),
        cmocka_unit_test(binary_ply_is_read_in_both_byte_orders_and_all_types),
        cmocka_unit_test(negative_and_fractional_binary_coordinates_keep_their_values),
        cmocka_unit_test(malformed_ply_headers_are_refused_by_line),
        cmocka_unit_test(too_many_elements_or_properties_are_refused),
        cmocka_unit_test(malformed_ply_data_is_refused_by_line),
        cmocka_unit_test(malformed_binary_ply_is_refused_by_byte),
        cmocka_unit_test(every_cut_of_a_good_binary_ply_is_refused),
        cmocka_unit_test(huge_claims_take_no_memory),
        cmocka_unit_test(vertices_at_equal_places_become_one),
        cmocka_unit_test(unused_vertices_and_degenerate_triangles_are_left_out),
        cmocka_unit_test(open_meshes_are_refused_with_the_edge_and_a_count),
        cmocka_unit_test(clockwise_meshes_are_turned),
        cmocka_unit_test(parts_are_counted_and_those_wound_the_other_way_are_cavities),
        cmocka_unit_test(meshes_without_volume_are_refused),
        cmocka_unit_test(thin_solids_far_away_keep_their_volume),
        cmocka_unit_test(more_vertices_or_triangles_than_the_limits_are_refused),
        cmocka_unit_test(the_bunny_is_a_closed_solid_of_genus_0),
    };
    return cmocka_run_group_tests_name("solid_mesh", tests, NULL, NULL);
}
