/* Shapes in edit logs: what is read of them, also of the pictures, meshes and files they carry, one message for each thing refused, the normal
 * form, and that what is written reads back equal in every encoding. */
#include "tests/unit/log_fixture.h"

#include "shaders/tree.h"

#include <sys/stat.h>
#include <unistd.h>

#define KINDS                                                                                                \
    "sphere, box, capsule, torus, cylinder, cone, ellipsoid, capped-cone, rounded-box, half-space, prism, "  \
    "pyramid, octahedron, link, height-map, mesh, tube, union, subtract, intersect, translate, rotate, "     \
    "scale, round, onion, elongate, mirror, repeat, twist, bend, taper, displace"
#define HEIGHT_MAP(image) "{\"center\":[0,0,0],\"image\":" image ",\"size\":[1,2,3],\"type\":\"height-map\"}"
#define MESH(mesh) "{\"mesh\":" mesh ",\"type\":\"mesh\"}"
#define TUBE(path, radius, more) "{\"path\":" path ",\"radius\":" radius more ",\"type\":\"tube\"}"

/* ---- what is read ---- */

static const struct tr_shape_node *root_of(const struct tr_log *log)
{
    return &log->edits[0].shape.nodes[0];
}

/* Each number goes where the table of kinds has its field: here all numbers in the order of their fields' names. */
static void every_kind_has_its_numbers_in_the_order_of_its_fields(void **state)
{
    static const struct {
        const char *shape;
        enum tr_shape_kind kind;
        uint32_t nodes;
        double values[TR_SHAPE_VALUES_MAX];
    } cases[] = {
        {"{\"type\":\"capped-cone\",\"to_radius\":8,\"to\":[5,6,7],\"from\":[1,2,3],\"radius\":4}",
         TR_SHAPE_CAPPED_CONE,
         1,
         {1, 2, 3, 4, 5, 6, 7, 8}},
        {"{\"type\":\"rounded-box\",\"size\":[9,9.5,10],\"center\":[1,2,3],\"radius\":4}",
         TR_SHAPE_ROUNDED_BOX,
         1,
         {1, 2, 3, 4, 9, 9.5, 10}},
        {"{\"type\":\"prism\",\"to\":[6,7,8],\"from\":[1,2,3],\"radius\":4,\"sides\":5}",
         TR_SHAPE_PRISM,
         1,
         {1, 2, 3, 4, 5, 6, 7, 8}},
        {"{\"type\":\"pyramid\",\"size\":[4,5,6],\"center\":[1,2,3]}",
         TR_SHAPE_PYRAMID,
         1,
         {1, 2, 3, 4, 5, 6}},
        {"{\"type\":\"octahedron\",\"radius\":4,\"center\":[1,2,3]}", TR_SHAPE_OCTAHEDRON, 1, {1, 2, 3, 4}},
        {"{\"type\":\"link\",\"tube\":12,\"radius\":11,\"length\":10,\"center\":[7,8,9],\"axis\":[4,5,7],"
         "\"along\":[1,2,3]}",
         TR_SHAPE_LINK,
         1,
         {1, 2, 3, 4, 5, 7, 7, 8, 9, 10, 11, 12}},
        {"{\"type\":\"link\",\"tube\":12,\"radius\":11,\"length\":10,\"center\":[7,8,9]}",
         TR_SHAPE_LINK,
         1,
         {1, 0, 0, 0, 1, 0, 7, 8, 9, 10, 11, 12}},
        {TUBE("[[1,2,3],[4,5,6]]", "7", ",\"steps\":9"), TR_SHAPE_TUBE, 1, {9}},
        {TUBE("[[1,2,3],[4,5,6]]", "7", ""), TR_SHAPE_TUBE, 1, {8}},
        {"{\"type\":\"round\",\"by\":2,\"of\":" BALL "}", TR_SHAPE_ROUND, 2, {2}},
        {"{\"type\":\"onion\",\"thickness\":2,\"of\":" BALL "}", TR_SHAPE_ONION, 2, {2}},
        {"{\"type\":\"elongate\",\"by\":[4,0,5],\"about\":[1,2,3],\"of\":" BALL "}",
         TR_SHAPE_ELONGATE,
         2,
         {1, 2, 3, 4, 0, 5}},
        {"{\"type\":\"elongate\",\"by\":[4,0,5],\"of\":" BALL "}", TR_SHAPE_ELONGATE, 2, {0, 0, 0, 4, 0, 5}},
        {"{\"type\":\"mirror\",\"normal\":[1,2,3],\"point\":[4,5,6],\"of\":" BALL "}",
         TR_SHAPE_MIRROR,
         2,
         {1, 2, 3, 4, 5, 6}},
        {"{\"type\":\"mirror\",\"normal\":[1,2,3],\"of\":" BALL "}", TR_SHAPE_MIRROR, 2, {1, 2, 3, 0, 0, 0}},
        {"{\"type\":\"repeat\",\"by\":[1,2,-3],\"count\":[4,5,6],\"of\":" BALL "}",
         TR_SHAPE_REPEAT,
         2,
         {1, 2, -3, 4, 5, 6}},
        {"{\"type\":\"twist\",\"axis\":[4,5,6],\"about\":[1,2,3],\"degrees_per_metre\":-7,\"of\":" BALL "}",
         TR_SHAPE_TWIST,
         2,
         {1, 2, 3, 4, 5, 6, -7}},
        {"{\"type\":\"bend\",\"axis\":[7,8,10],\"along\":[4,5,6],\"about\":[1,2,3],\"degrees_per_metre\":-7,"
         "\"of\":" BALL "}",
         TR_SHAPE_BEND,
         2,
         {1, 2, 3, 4, 5, 6, 7, 8, 10, -7}},
        {"{\"type\":\"taper\",\"from\":[2,3,4],\"to\":[5,6,7],\"factor\":0.5,\"of\":" BALL "}",
         TR_SHAPE_TAPER,
         2,
         {0.5, 2, 3, 4, 5, 6, 7}},
        {"{\"type\":\"displace\",\"strength\":3,\"scale\":2,\"octaves\":1,\"of\":" BALL "}",
         TR_SHAPE_DISPLACE,
         2,
         {1, 2, 3}},
        {"{\"type\":\"displace\",\"strength\":3,\"scale\":2,\"of\":" BALL "}",
         TR_SHAPE_DISPLACE,
         2,
         {4, 2, 3}},
        {HEIGHT_MAP(DATA(PNG_GREY8)), TR_SHAPE_HEIGHT_MAP, 1, {0, 0, 0, 1, 2, 3}},
        {"{\"type\":\"mesh\",\"cell\":0.5,\"mesh\":" DATA(OBJ_SOLID) "}", TR_SHAPE_MESH, 1, {0.5}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char edit[1024];
        struct tr_log log;
        const struct tr_shape_node *root;

        snprintf(edit, sizeof edit, UNION_OF("%s"), cases[i].shape);
        log = parse_edit(edit);
        root = root_of(&log);
        if (root->kind != cases[i].kind || log.edits[0].shape.count != cases[i].nodes ||
            !root->more != !tr_shape_has_more(root->kind) ||
            memcmp(root->values, cases[i].values, sizeof root->values) != 0)
            fail_msg("%s: kind %d, %u nodes, numbers %g %g %g %g %g %g %g %g %g %g %g %g", cases[i].shape,
                     root->kind, log.edits[0].shape.count, root->values[0], root->values[1], root->values[2],
                     root->values[3], root->values[4], root->values[5], root->values[6], root->values[7],
                     root->values[8], root->values[9], root->values[10], root->values[11]);
        tr_log_release(&log);
    }
}

static void a_tube_has_a_radius_at_each_point(void **state)
{
    static const double points[][4] = {{1, 2, 3, 0.5}, {4, 5, 6, 0.25}, {7, 8, 9, 2}};
    struct tr_log list = parse_edit(
        UNION_OF(TUBE("[[1,2,3],[4,5,6],[7,8,9]]", "[0.5,0.25,2]", ",\"profile\":\"arch\",\"steps\":1")));
    struct tr_log one = parse_edit(UNION_OF(TUBE("[[0,0,0],[4,5,6]]", "3", ",\"profile\":\"square\"")));
    struct tr_log none = parse_edit(UNION_OF(TUBE("[[0,0,0],[4,5,6]]", "3", "")));

    (void)state;
    assert_int_equal(root_of(&list)->more->path_count, 3);
    assert_memory_equal(root_of(&list)->more->path, points, sizeof points);
    assert_int_equal(root_of(&list)->more->profile, TR_PROFILE_ARCH);
    assert_true(root_of(&one)->more->path[0][3] == 3 && root_of(&one)->more->path[1][3] == 3);
    assert_int_equal(root_of(&one)->more->profile, TR_PROFILE_SQUARE);
    assert_int_equal(root_of(&none)->more->profile, TR_PROFILE_ROUND);
    tr_log_release(&list);
    tr_log_release(&one);
    tr_log_release(&none);
}

static void a_height_map_has_its_pixels_and_a_mesh_its_bytes(void **state)
{
    struct tr_log map = parse_edit(UNION_OF(HEIGHT_MAP(DATA(PNG_GREY8))));
    struct tr_log deep = parse_edit(UNION_OF(HEIGHT_MAP(DATA(PNG_GREY16))));
    struct tr_log mesh = parse_edit(UNION_OF(MESH(DATA(PLY_SOLID))));
    const struct tr_resource *image = &root_of(&map)->more->resource,
                             *deep_image = &root_of(&deep)->more->resource,
                             *solid = &root_of(&mesh)->more->resource;
    static const uint16_t pixels[] = {0, 65535, 128 * 257, 7 * 257}, deep_pixels[] = {0, 0x1234, 0xffff};
    struct tr_resource ply = decode(PLY_SOLID);

    (void)state;
    assert_true(image->width == 2 && image->height == 2);
    assert_memory_equal(image->pixels, pixels, sizeof pixels);
    assert_true(deep_image->width == 3 && deep_image->height == 1);
    assert_memory_equal(deep_image->pixels, deep_pixels, sizeof deep_pixels);
    assert_int_equal(solid->size_bytes, ply.size_bytes);
    assert_memory_equal(solid->bytes, ply.bytes, ply.size_bytes);
    assert_null(solid->pixels);
    assert_false(root_of(&mesh)->more->has_cell);
    tr_resource_release(&ply);
    tr_log_release(&map);
    tr_log_release(&deep);
    tr_log_release(&mesh);
}

/* ---- what is refused ---- */

/* Messages say where in the tree: as a path that jq takes. */
static void shapes_that_cannot_be_are_refused(void **state)
{
#define LINK(more) "{\"type\":\"link\",\"center\":[0,0,0],\"length\":1,\"radius\":1,\"tube\":1" more "}"
#define MODIFIER(type, more) "{\"type\":\"" type "\"," more ",\"of\":" BALL "}"
#define BENT(along, axis)                                                                                    \
    MODIFIER("bend", "\"about\":[0,0,0],\"along\":" along ",\"axis\":" axis ",\"degrees_per_metre\":1")
#define TREE(deep)                                                                                           \
    UNION_OF("{\"type\":\"union\",\"of\":[" BALL ",{\"type\":\"translate\",\"by\":[0,0,0],\"of\":"           \
             "{\"type\":\"subtract\",\"of\":[" BALL "," BALL "," deep "]}}]}")
    static const struct refusal refusals[] = {
        {UNION_OF("{\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":0}"),
         "\"radius\" in \"shape\" must be > 0, found 0"},
        {UNION_OF("{\"type\":\"sphere\",\"center\":[0,0],\"radius\":1}"),
         "\"center\" in \"shape\" must be an array of 3 numbers, found an array of 2"},
        {UNION_OF("{\"type\":\"box\",\"center\":[0,0,0],\"size\":[1,1,0]}"),
         "\"size\" in \"shape\" must be > 0, found 0"},
        {UNION_OF("{\"type\":\"box\",\"center\":[0,0,0],\"size\":1}"),
         "\"size\" in \"shape\" must be an array of 3 numbers, found 1"},
        {UNION_OF("{\"type\":\"ellipsoid\",\"center\":[0,0,0],\"radii\":[-1,1,1]}"),
         "\"radii\" in \"shape\" must be > 0, found -1"},
        {UNION_OF("{\"type\":\"torus\",\"center\":[0,0,0],\"radius\":1,\"tube\":-1}"),
         "\"tube\" in \"shape\" must be > 0, found -1"},
        {UNION_OF("{\"type\":\"torus\",\"center\":[0,0,0],\"radius\":1,\"tube\":1,\"axis\":[0,0,0]}"),
         "\"axis\" in \"shape\" must be a direction, with a number of at least 1e-9 in magnitude, found 0"},
        {UNION_OF("{\"type\":\"cylinder\",\"from\":[1,2,3],\"to\":[1,2,3.0],\"radius\":1}"),
         "\"from\" and \"to\" in \"shape\" must not coincide"},
        {UNION_OF("{\"type\":\"cone\",\"from\":[0,2,3],\"to\":[-0.0,2,3],\"radius\":1}"),
         "\"from\" and \"to\" in \"shape\" must not coincide"},
        {UNION_OF("{\"type\":\"rotate\",\"axis\":[0,-1e10,0],\"degrees\":1,\"of\":" BALL "}"),
         "\"axis\" in \"shape\" must be from -1000000000 to 1000000000, found -10000000000"},
        {UNION_OF("{\"type\":\"rotate\",\"axis\":[0,1,0],\"degrees\":36000.5,\"of\":" BALL "}"),
         "\"degrees\" in \"shape\" must be from -36000 to 36000, found 36000.5"},
        {UNION_OF("{\"type\":\"scale\",\"by\":0.0009,\"of\":" BALL "}"),
         "\"by\" in \"shape\" must be from 0.0009765625 to 1024, found 0.0009"},
        {UNION_OF("{\"type\":\"scale\",\"by\":-2,\"of\":" BALL "}"),
         "\"by\" in \"shape\" must be from 0.0009765625 to 1024, found -2"},
        {UNION_OF("{\"type\":\"scale\",\"by\":1,\"of\":[" BALL "]}"),
         "\"of\" in \"shape\" must be an object, found an array"},
        {UNION_OF("{\"type\":\"union\",\"of\":" BALL "}"),
         "\"of\" in \"shape\" must be an array of 2 and more shapes, found an object"},
        {UNION_OF("{\"type\":\"union\",\"of\":[" BALL "]}"),
         "\"of\" in \"shape\" must be an array of 2 and more shapes, found 1"},
        {UNION_OF("{\"type\":\"union\",\"of\":[" BALL ",7]}"),
         "\"of[1]\" in \"shape\" must be an object, found 7"},
        {UNION_OF("{\"type\":\"union\",\"of\":[" BALL "," BALL "],\"blend\":1}"),
         "\"blend\" in \"shape\" must be an object, found 1"},
        {UNION_OF("{\"type\":\"union\",\"of\":[" BALL "," BALL
                  "],\"blend\":{\"type\":\"smooth\",\"width\":0}}"),
         "\"width\" in \"shape.blend\" must be > 0, found 0"},
        /* those that end must end somewhere else */
        {UNION_OF("{\"type\":\"capped-cone\",\"from\":[1,2,3],\"to\":[1,2,3],\"radius\":1,\"to_radius\":2}"),
         "\"from\" and \"to\" in \"shape\" must not coincide"},
        {UNION_OF("{\"type\":\"prism\",\"from\":[1,2,3],\"to\":[1,2,3],\"radius\":1,\"sides\":3}"),
         "\"from\" and \"to\" in \"shape\" must not coincide"},
        {UNION_OF(MODIFIER("taper", "\"from\":[1,2,3],\"to\":[1,2,3],\"factor\":2")),
         "\"from\" and \"to\" in \"shape\" must not coincide"},
        {UNION_OF("{\"type\":\"capped-cone\",\"from\":[1,2,3],\"to\":[1,2,4],\"radius\":1,\"to_radius\":0}"),
         "\"to_radius\" in \"shape\" must be > 0, found 0"},
        {UNION_OF("{\"type\":\"rounded-box\",\"center\":[0,0,0],\"size\":[9,2,9],\"radius\":1}"),
         "\"radius\" in \"shape\" must be less than half of each number of \"size\", found 1"},
        {UNION_OF("{\"type\":\"rounded-box\",\"center\":[0,0,0],\"size\":[9,9,9],\"radius\":0}"),
         "\"radius\" in \"shape\" must be > 0, found 0"},
        {UNION_OF("{\"type\":\"prism\",\"from\":[1,2,3],\"to\":[1,2,4],\"radius\":1,\"sides\":2}"),
         "\"sides\" in \"shape\" must be an integer from 3 to 16, found 2"},
        {UNION_OF("{\"type\":\"prism\",\"from\":[1,2,3],\"to\":[1,2,4],\"radius\":1,\"sides\":17}"),
         "\"sides\" in \"shape\" must be an integer from 3 to 16, found 17"},
        {UNION_OF("{\"type\":\"prism\",\"from\":[1,2,3],\"to\":[1,2,4],\"radius\":1,\"sides\":3.5}"),
         "\"sides\" in \"shape\" must be an integer from 3 to 16, found 3.5"},
        {UNION_OF("{\"type\":\"half-space\",\"point\":[0,0,0],\"normal\":[0,0,0]}"),
         "\"normal\" in \"shape\" must be a direction, with a number of at least 1e-9 in magnitude, found 0"},
        {UNION_OF(LINK(",\"axis\":[-2,0,0]")), "\"along\" in \"shape\" must not be parallel to \"axis\""},
        {UNION_OF(LINK(",\"along\":[0,1,5e-7]")), "\"along\" in \"shape\" must not be parallel to \"axis\""},
        {UNION_OF(BENT("[1e9,1e9,1e9]", "[-1e-9,-1e-9,-1e-9]")),
         "\"along\" in \"shape\" must not be parallel to \"axis\""},
        {UNION_OF(BENT("[1,0,0]", "[0,0,0]")),
         "\"axis\" in \"shape\" must be a direction, with a number of at least 1e-9 in magnitude, found 0"},
        {UNION_OF(MODIFIER("round", "\"by\":0")), "\"by\" in \"shape\" must be > 0, found 0"},
        {UNION_OF(MODIFIER("onion", "\"thickness\":-1")), "\"thickness\" in \"shape\" must be > 0, found -1"},
        {UNION_OF(MODIFIER("elongate", "\"by\":[0,-1,0]")), "\"by\" in \"shape\" must be >= 0, found -1"},
        {UNION_OF(MODIFIER("elongate", "\"by\":1")),
         "\"by\" in \"shape\" must be an array of 3 numbers, found 1"},
        {UNION_OF(MODIFIER("mirror", "\"normal\":[0,0,0]")),
         "\"normal\" in \"shape\" must be a direction, with a number of at least 1e-9 in magnitude, found 0"},
        {UNION_OF(MODIFIER("repeat", "\"by\":[1,1,1],\"count\":[1,0,1]")),
         "\"count\" in \"shape\" must be an integer from 1 to 4096, found 0"},
        {UNION_OF(MODIFIER("repeat", "\"by\":[1,1,1],\"count\":[1,1,1.5]")),
         "\"count\" in \"shape\" must be an integer from 1 to 4096, found 1.5"},
        {UNION_OF(MODIFIER("repeat", "\"by\":[1,1,1],\"count\":[4097,1,1]")),
         "\"count\" in \"shape\" must be an integer from 1 to 4096, found 4097"},
        {UNION_OF(MODIFIER("twist", "\"about\":[0,0,0],\"axis\":[0,1,0],\"degrees_per_metre\":36001")),
         "\"degrees_per_metre\" in \"shape\" must be from -36000 to 36000, found 36001"},
        {UNION_OF(MODIFIER("taper", "\"from\":[1,2,3],\"to\":[1,2,4],\"factor\":0")),
         "\"factor\" in \"shape\" must be from 0.0009765625 to 1024, found 0"},
        {UNION_OF(MODIFIER("displace", "\"strength\":0,\"scale\":1")),
         "\"strength\" in \"shape\" must be > 0, found 0"},
        {UNION_OF(MODIFIER("displace", "\"strength\":1,\"scale\":-1")),
         "\"scale\" in \"shape\" must be > 0, found -1"},
        {UNION_OF(MODIFIER("displace", "\"strength\":1,\"scale\":1,\"octaves\":9")),
         "\"octaves\" in \"shape\" must be an integer from 1 to 8, found 9"},
        {UNION_OF(MODIFIER("displace", "\"strength\":1,\"scale\":1,\"seed\":\"01\"")),
         "\"seed\" in \"shape\" must be 0 to 18446744073709551615 in digits without leading zeros, found the "
         "string \"01\""},
        {UNION_OF("{\"type\":\"round\",\"by\":1,\"of\":[" BALL "]}"),
         "\"of\" in \"shape\" must be an object, found an array"},
        {UNION_OF(TUBE("7", "1", "")), "\"path\" in \"shape\" must be an array of 2 to 256 points, found 7"},
        {UNION_OF(TUBE("[[0,0,0]]", "1", "")),
         "\"path\" in \"shape\" must be an array of 2 to 256 points, found 1"},
        {UNION_OF(TUBE("[[0,0,0],[0,0]]", "1", "")),
         "\"path[1]\" in \"shape\" must be an array of 3 numbers, found an array of 2"},
        {UNION_OF(TUBE("[[0,0,0],[0,0,null]]", "1", "")),
         "\"path[1]\" in \"shape\" must be a number, found null"},
        {UNION_OF(TUBE("[[0,1,2],[-0.0,1,2]]", "1", "")),
         "points of \"path\" in \"shape\" must not all coincide"},
        {UNION_OF(TUBE("[[0,0,0],[0,0,1]]", "0", "")), "\"radius\" in \"shape\" must be > 0, found 0"},
        {UNION_OF(TUBE("[[0,0,0],[0,0,1]]", "[1,-1]", "")), "\"radius\" in \"shape\" must be > 0, found -1"},
        {UNION_OF(TUBE("[[0,0,0],[0,0,1]]", "[1]", "")),
         "\"radius\" in \"shape\" must be a number or an array of 2, as long as \"path\", found 1"},
        {UNION_OF(TUBE("[[0,0,0],[0,0,1]]", "1", ",\"steps\":33")),
         "\"steps\" in \"shape\" must be an integer from 1 to 32, found 33"},
        {UNION_OF(TUBE("[[0,0,0],[0,0,1]]", "1", ",\"profile\":\"oval\"")),
         "profile 'oval' in \"shape\" is not supported by this version, expected one of round, square, arch"},
        {UNION_OF("{\"type\":\"mesh\",\"cell\":0,\"mesh\":" DATA(OBJ_SOLID) "}"),
         "\"cell\" in \"shape\" must be > 0, found 0"},
        {TREE("{\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":-3}"),
         "\"radius\" in \"shape.of[1].of.of[2]\" must be > 0, found -3"},
        {TREE("{\"type\":\"teapot\"}"), "shape 'teapot' in \"shape.of[1].of.of[2]\" is not supported by this "
                                        "version, expected one of " KINDS},
        {TREE("{\"type\":\"union\",\"of\":[" BALL "," BALL "],\"blend\":{\"type\":\"stairs\"}}"),
         "\"width\" in \"shape.of[1].of.of[2].blend\" is missing"},
        {TREE("{\"type\":\"union\",\"of\":[{\"type\":\"union\",\"of\":[" BALL "," BALL "]}," BALL
              "],\"blend\":{\"type\":\"hard\"},\"at\":1}"),
         "unknown field \"at\" in \"shape.of[1].of.of[2]\", expected one of blend, of, type"},
    };

    (void)state;
    ASSERT_EDITS_REFUSED(refusals);
}

/* free() it. */
static char *union_of(const char *shape)
{
    size_t size = strlen(shape) + sizeof UNION_OF("");
    char *edit = malloc(size);

    assert_non_null(edit);
    snprintf(edit, size, UNION_OF("%s"), shape);
    return edit;
}

/* `depth` shapes, one in the other: `open` is what stands before the inner one. */
static char *nested_shape(size_t depth, const char *open, const char *close)
{
    struct tr_writer text = {0};

    for (size_t i = 1; i < depth; i++)
        tr_write_text(&text, "%s", open);
    tr_write_text(&text, "%s", BALL);
    for (size_t i = 1; i < depth; i++)
        tr_write_text(&text, "%s", close);
    tr_write_u8(&text, 0);
    assert_false(text.failed);
    return (char *)text.bytes;
}

static char *nested(size_t depth, const char *open, const char *close)
{
    char *shape = nested_shape(depth, open, close), *edit = union_of(shape);

    free(shape);
    return edit;
}

static void shapes_nest_64_deep_and_no_deeper(void **state)
{
    static const char *const ways[][2] = {
        {"{\"type\":\"translate\",\"by\":[1,0,0],\"of\":", "}"},
        {"{\"type\":\"union\",\"of\":[" BALL ",", "]}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        char *deep = nested(64, ways[i][0], ways[i][1]), *deeper = nested(65, ways[i][0], ways[i][1]);
        struct tr_log log = parse_edit(deep);

        assert_int_equal(log.edits[0].shape.count, i == 0 ? 64 : 127);
        assert_round_trip(&log);
        assert_edit_refused(deeper, "\"shape\" must be at most 64 shapes deep");
        tr_log_release(&log);
        free(deep);
        free(deeper);
    }
}

/* A union of `count` spheres. */
static char *wide(size_t count)
{
    struct tr_writer text = {0};

    tr_write_text(&text, "{\"op\":\"union\",\"shape\":{\"type\":\"union\",\"of\":[%s", BALL);
    for (size_t i = 1; i < count; i++)
        tr_write_text(&text, ",%s", BALL);
    tr_write_text(&text, "]}}");
    tr_write_u8(&text, 0);
    assert_false(text.failed);
    return (char *)text.bytes;
}

static void shapes_have_up_to_4096_nodes(void **state)
{
    char *most = wide(4095), *more = wide(4096);
    struct tr_log log = parse_edit(most);

    (void)state;
    assert_int_equal(log.edits[0].shape.count, 4096);
    assert_int_equal(log.edits[0].shape.nodes[0].child_count, 4095);
    assert_round_trip(&log);
    assert_edit_refused(more, "\"shape\" must be of at most 4096 shapes");
    tr_log_release(&log);
    free(most);
    free(more);
}

/* Modifiers in one another, the last one in a union. */
static void at_most_8_modifiers_move_points_within_each_other(void **state)
{
    static const char *const movers[] = {
        "{\"type\":\"elongate\",\"by\":[1,1,1],\"of\":",
        "{\"type\":\"twist\",\"about\":[0,0,0],\"axis\":[0,1,0],\"degrees_per_metre\":1,\"of\":",
        ("{\"type\":\"bend\",\"about\":[0,0,0],\"along\":[1,0,0],\"axis\":[0,1,0],\"degrees_per_metre\":1,"
         "\"of\":"),
        "{\"type\":\"taper\",\"from\":[0,0,0],\"to\":[0,1,0],\"factor\":2,\"of\":",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(movers); i++) {
        char open[512], *most, *more, *beside;
        struct tr_writer both = {0};
        struct tr_log log;

        /* what else is between does not count */
        snprintf(open, sizeof open, "{\"type\":\"round\",\"by\":1,\"of\":%s", movers[i]);
        most = nested_shape(9, open, "}}");
        more = nested(10, open, "}}");
        assert_edit_refused(
            more, "\"shape\" must have at most 8 of elongate, twist, bend and taper within each other");
        /* beside each other there may be more */
        tr_write_text(&both, "{\"type\":\"union\",\"of\":[%s,%s]}", most, most);
        tr_write_u8(&both, 0);
        assert_false(both.failed);
        beside = union_of((const char *)both.bytes);
        log = parse_edit(beside);
        assert_int_equal(log.edits[0].shape.count, 35);
        assert_round_trip(&log);
        tr_log_release(&log);
        tr_writer_release(&both);
        free(beside);
        free(most);
        free(more);
    }
}

static void a_shape_is_copied_at_most_4096_times_by_all_that_is_around_it(void **state)
{
#define REPEAT(i, j, k, of) "{\"by\":[1,1,1],\"count\":[" i "," j "," k "],\"of\":" of ",\"type\":\"repeat\"}"
#define MIRROR(of) "{\"normal\":[1,0,0],\"of\":" of ",\"type\":\"mirror\"}"
    static const char *const taken[] = {
        UNION_OF(REPEAT("4096", "1", "1", BALL)),
        UNION_OF(REPEAT("16", "16", "16", BALL)),
        UNION_OF(REPEAT("64", "1", "1", REPEAT("1", "1", "64", BALL))),
        UNION_OF(REPEAT("1", "2048", "1", MIRROR(BALL))),
        UNION_OF("{\"type\":\"union\",\"of\":[" REPEAT("4096", "1", "1", BALL) "," REPEAT("1", "4096", "1",
                                                                                          BALL) "]}"),
    };
    static const struct refusal refusals[] = {
        {UNION_OF(REPEAT("4096", "4096", "4096", BALL)),
         "\"of\" in \"shape\" must be copied at most 4096 times in all, found 68719476736"},
        {UNION_OF(REPEAT("17", "1", "241", BALL)),
         "\"of\" in \"shape\" must be copied at most 4096 times in all, found 4097"},
        {UNION_OF(REPEAT("64", "1", "1", REPEAT("1", "1", "65", BALL))),
         "\"of\" in \"shape.of\" must be copied at most 4096 times in all, found 4160"},
        {UNION_OF(REPEAT("4096", "1", "1", MIRROR(BALL))),
         "\"of\" in \"shape.of\" must be copied at most 4096 times in all, found 8192"},
        {UNION_OF(MIRROR(REPEAT("4096", "1", "1", BALL))),
         "\"of\" in \"shape.of\" must be copied at most 4096 times in all, found 8192"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(taken); i++) {
        struct tr_log log = parse_edit(taken[i]);

        assert_round_trip(&log);
        tr_log_release(&log);
    }
    ASSERT_EDITS_REFUSED(refusals);
}

static void what_has_no_bounds_needs_an_end(void **state)
{
#define HALF "{\"normal\":[0,1,0],\"point\":[1,2,3],\"type\":\"half-space\"}"
#define OP(type, a, b) "{\"of\":[" a "," b "],\"type\":\"" type "\"}"
    static const struct {
        const char *shape;
        bool is_bounded;
    } cases[] = {
        {HALF, false},
        {OP("union", BALL, HALF), false},
        {OP("union", BALL, BALL), true},
        {OP("intersect", BALL, HALF), true},
        {OP("intersect", HALF, BALL), true},
        {OP("intersect", HALF, HALF), false},
        {OP("subtract", BALL, HALF), true},
        {OP("subtract", HALF, BALL), false},
        {OP("union", OP("intersect", HALF, BALL), OP("subtract", BALL, HALF)), true},
        {OP("union", OP("intersect", HALF, BALL), OP("subtract", HALF, BALL)), false},
        {"{\"by\":[1,2,3],\"of\":" HALF ",\"type\":\"translate\"}", false},
        {"{\"by\":1,\"of\":" HALF ",\"type\":\"round\"}", false},
        {"{\"by\":1,\"of\":" OP("intersect", HALF, BALL) ",\"type\":\"round\"}", true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char edit[1024];
        struct tr_log log;

        snprintf(edit, sizeof edit, UNION_OF("%s"), cases[i].shape);
        if (cases[i].is_bounded) {
            log = parse_edit(edit);
            tr_log_release(&log);
        } else {
            assert_edit_refused(edit,
                                "\"shape\" has no bounds, as a half-space has none: expected \"within\"");
        }
        snprintf(
            edit, sizeof edit,
            "{\"op\":\"paint\",\"material\":1,\"shape\":%s,\"within\":{\"min\":[0,0,0],\"max\":[1,1,1]}}",
            cases[i].shape);
        log = parse_edit(edit);
        assert_round_trip(&log);
        tr_log_release(&log);
    }
}

static void names_and_fields_of_shapes_that_are_not_known_are_refused_by_name(void **state)
{
    static const struct refusal refusals[] = {
        {UNION_OF("{\"type\":\"rhombus\"}"),
         "shape 'rhombus' in \"shape\" is not supported by this version, expected one of " KINDS},
        {UNION_OF("{\"type\":\"sphere\",\"centre\":[0,0,0],\"radius\":1}"),
         "unknown field \"centre\" in \"shape\", expected one of center, radius, type"},
        {UNION_OF("{\"type\":\"torus\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of axis, center, radius, tube, type"},
        {UNION_OF("{\"type\":\"subtract\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of blend, of, type"},
        {UNION_OF("{\"type\":\"rotate\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of about, axis, degrees, of, type"},
        {UNION_OF("{\"type\":\"scale\",\"of\":" BALL ",\"by\":1,\"blend\":{}}"),
         "unknown field \"blend\" in \"shape\", expected one of about, by, of, type"},
        {UNION_OF("{\"type\":\"capped-cone\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of from, radius, to, to_radius, type"},
        {UNION_OF("{\"type\":\"rounded-box\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of center, radius, size, type"},
        {UNION_OF("{\"type\":\"half-space\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of normal, point, type"},
        {UNION_OF("{\"type\":\"prism\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of from, radius, sides, to, type"},
        {UNION_OF("{\"type\":\"pyramid\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of center, size, type"},
        {UNION_OF("{\"type\":\"octahedron\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of center, radius, type"},
        {UNION_OF("{\"type\":\"link\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of along, axis, center, length, radius, tube, type"},
        {UNION_OF("{\"type\":\"height-map\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of center, image, size, type"},
        {UNION_OF("{\"type\":\"mesh\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of cell, mesh, type"},
        {UNION_OF("{\"type\":\"tube\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of path, profile, radius, steps, type"},
        {UNION_OF("{\"type\":\"round\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of by, of, type"},
        {UNION_OF("{\"type\":\"onion\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of of, thickness, type"},
        {UNION_OF("{\"type\":\"elongate\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of about, by, of, type"},
        {UNION_OF("{\"type\":\"mirror\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of normal, of, point, type"},
        {UNION_OF("{\"type\":\"repeat\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of by, count, of, type"},
        {UNION_OF("{\"type\":\"twist\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of about, axis, degrees_per_metre, of, type"},
        {UNION_OF("{\"type\":\"bend\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of about, along, axis, degrees_per_metre, of, type"},
        {UNION_OF("{\"type\":\"taper\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of factor, from, of, to, type"},
        {UNION_OF("{\"type\":\"displace\",\"y\":1}"),
         "unknown field \"y\" in \"shape\", expected one of octaves, of, scale, seed, strength, type"},
    };

    (void)state;
    ASSERT_EDITS_REFUSED(refusals);
}

/* Of each kind each field that must be there, by leaving it out of a shape that has them all. */
static void fields_of_shapes_that_are_missing_are_named(void **state)
{
    static const struct {
        const char *type, *required; /* between blanks */
    } cases[] = {
        {"sphere", "center radius"},
        {"box", "center size"},
        {"capsule", "from radius to"},
        {"torus", "center radius tube"},
        {"cylinder", "from radius to"},
        {"cone", "from radius to"},
        {"ellipsoid", "center radii"},
        {"capped-cone", "from radius to to_radius"},
        {"rounded-box", "center radius size"},
        {"half-space", "normal point"},
        {"prism", "from radius sides to"},
        {"pyramid", "center size"},
        {"octahedron", "center radius"},
        {"link", "center length radius tube"},
        {"height-map", "center image size"},
        {"mesh", "mesh"},
        {"tube", "path radius"},
        {"union", "of"},
        {"subtract", "of"},
        {"intersect", "of"},
        {"translate", "by of"},
        {"rotate", "axis degrees of"},
        {"scale", "by of"},
        {"round", "by of"},
        {"onion", "of thickness"},
        {"elongate", "by of"},
        {"mirror", "normal of"},
        {"repeat", "by count of"},
        {"twist", "about axis degrees_per_metre of"},
        {"bend", "about along axis degrees_per_metre of"},
        {"taper", "factor from of to"},
        {"displace", "of scale strength"},
    };

    (void)state;
    assert_int_equal(COUNT(cases), TR_SHAPE_KIND_COUNT);
    assert_edit_refused(UNION_OF("{}"), "\"type\" in \"shape\" is missing");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char names[128], edit[512], expected[256];
        size_t count = 1, length;

        snprintf(names, sizeof names, "%s", cases[i].required);
        length = strlen(names);
        for (char *at = names; (at = strchr(at, ' ')); count++)
            *at++ = '\0';
        for (size_t missing = 0; missing < count; missing++) { /* all before it are there */
            const char *name = names;
            size_t used = (size_t)snprintf(edit, sizeof edit, "{\"op\":\"union\",\"shape\":{\"type\":\"%s\"",
                                           cases[i].type);

            for (size_t k = 0; k < missing; k++, name += strlen(name) + 1)
                used += (size_t)snprintf(edit + used, sizeof edit - used, ",\"%s\":null", name);
            snprintf(edit + used, sizeof edit - used, "}}");
            assert_true(name < names + length);
            snprintf(expected, sizeof expected, "\"%s\" in \"shape\" is missing", name);
            assert_edit_refused(edit, expected);
        }
    }
}

/* ---- pictures and meshes ---- */

static void pictures_and_meshes_that_cannot_be_are_refused(void **state)
{
#define IMAGE_REFUSED(image, expected)                                                                       \
    {                                                                                                        \
        UNION_OF(HEIGHT_MAP(image)), "\"image\" in \"shape\"" expected                                       \
    }
#define MESH_REFUSED(mesh, expected)                                                                         \
    {                                                                                                        \
        UNION_OF(MESH(mesh)), "\"mesh\" in \"shape\"" expected                                               \
    }
    static const struct refusal refusals[] = {
        IMAGE_REFUSED("7", " must be an object, found 7"),
        IMAGE_REFUSED("\"rock.png\"", " must be an object, found the string \"rock.png\""),
        {UNION_OF(HEIGHT_MAP("{}")), "\"data\" or \"file\" in \"shape.image\" is missing"},
        {UNION_OF(HEIGHT_MAP("{\"data\":\"AAAA\",\"file\":\"a\"}")),
         "\"file\" in \"shape.image\" stands instead of \"data\", found both"},
        {UNION_OF(HEIGHT_MAP("{\"data\":null}")), "\"data\" in \"shape.image\" must be a string, found null"},
        {UNION_OF(HEIGHT_MAP("{\"file\":[]}")),
         "\"file\" in \"shape.image\" must be a string, found an array"},
        {UNION_OF(HEIGHT_MAP("{\"path\":\"a\"}")),
         "unknown field \"path\" in \"shape.image\", expected one of data, file"},
        {UNION_OF(MESH("{\"file\":\"a.obj\"}")),
         "\"file\" in \"shape.mesh\" names a file, but the log has no folder: expected \"data\""},
        IMAGE_REFUSED("{\"data\":\"\"}", ": the base64 is empty, expected the bytes of a file"),
        IMAGE_REFUSED("{\"data\":\"AAA\"}", ": base64 of 3 bytes, expected a multiple of 4"),
        IMAGE_REFUSED("{\"data\":\"AA A\"}",
                      ": byte 0x20 at offset 2 of the base64, expected A-Z, a-z, 0-9, + or /"),
        IMAGE_REFUSED("{\"data\":\"AAB=\"}",
                      ": 'B' as the last digit of the base64 has unused bits, expected 'A'"),
        IMAGE_REFUSED("{\"data\":\"AAAA\"}", ": an image must be a PNG, found no signature of one"),
        IMAGE_REFUSED(DATA(PNG_RGB), ": an image must be grey, found RGB"),
        MESH_REFUSED("{\"data\":\"AAB=\"}",
                     ": 'B' as the last digit of the base64 has unused bits, expected 'A'"),
        MESH_REFUSED("{\"data\":\"diAwIDAgMAp2IDEgMCB6ZXJvCg==\"}",
                     ": data:2: vertex with z = 'zero', expected a number"),
        {UNION_OF("{\"type\":\"union\",\"of\":[" BALL "," HEIGHT_MAP(DATA(PNG_RGB)) "]}"),
         "\"image\" in \"shape.of[1]\": an image must be grey, found RGB"},
        {UNION_OF("{\"type\":\"union\",\"of\":[" BALL "," HEIGHT_MAP("{\"data\":7}") "]}"),
         "\"data\" in \"shape.of[1].image\" must be a string, found 7"},
    };
    char expected[] = "edits.json:2: edit #1: \"mesh\" in \"shape\": data: ";

    (void)state;
    ASSERT_EDITS_REFUSED(refusals);
    assert_refused_as(HEAD UNION_OF(MESH(DATA(OBJ_OPEN))), strlen(HEAD UNION_OF(MESH(DATA(OBJ_OPEN)))),
                      expected, false);
}

static void fields_of_pictures_that_begin_with_x_are_passed_over(void **state)
{
    (void)state;
    assert_normal_form(HEAD "{\"id\":\"n\",\"op\":\"union\",\"shape\":" HEIGHT_MAP(
                           "{\"x-from\":\"a photo\",\"data\":\"" PNG_GREY8 "\"}") "}",
                       HEAD "{\"id\":\"n\",\"op\":\"union\",\"shape\":" HEIGHT_MAP(DATA(PNG_GREY8)) "}\n");
}

static void messages_about_pictures_in_message_pack_have_their_byte_offset(void **state)
{
    struct tr_writer bytes = as_message_pack(
        DOCUMENT("{\"op\":\"union\",\"shape\":{\"center\":[0,0,0],\"size\":[1,1,1],\"type\":\"height-map\","
                 "\"image\":{\"data\":\"AAAA\"}}}"));
    const uint8_t *image = memchr(bytes.bytes, 0x81, bytes.size_bytes); /* the only map of one */
    char expected[256];

    (void)state;
    assert_non_null(image);
    snprintf(expected, sizeof expected,
             "edits.json: byte offset %d: edit #1: \"image\" in \"shape\": an image must be a PNG, found no "
             "signature of one",
             (int)(image - bytes.bytes));
    assert_refused_as((const char *)bytes.bytes, bytes.size_bytes, expected, true);
    tr_writer_release(&bytes);
}

static void files_beside_the_log_become_data(void **state)
{
    static const char written[] =
        HEAD "{\"id\":\"a\",\"op\":\"union\",\"shape\":{\"type\":\"union\",\"of\":[" HEIGHT_MAP(
            "{\"file\":\"maps/deep.png\"}") "," MESH("{\"file\":\"solid.ply\"}") "]}}";
    static const char normal[] = HEAD "{\"id\":\"a\",\"op\":\"union\",\"shape\":{\"of\":[" HEIGHT_MAP(
        DATA(PNG_GREY16)) "," MESH(DATA(PLY_SOLID)) "],\"type\":\"union\"}}\n";
    const char *folder = *state;
    char maps[512], *text;
    struct tr_error error = {0};
    struct tr_log log = {0};

    snprintf(maps, sizeof maps, "%s/maps", folder);
    assert_int_equal(mkdir(maps, 0755), 0);
    write_file(maps, "deep.png", PNG_GREY16);
    write_file(folder, "solid.ply", PLY_SOLID);
    assert_ok(tr_log_parse(&log, written, sizeof written - 1, "edits.json", folder, NULL, &error), &error);
    text = normal_form(&log);
    assert_string_equal(text, normal);
    assert_round_trip(&log);
    free(text);
    tr_log_release(&log);
}

/* What leads away, and what is not there or no picture. The status says whose fault it is: a log's, or the system's. */
static void files_that_cannot_be_read_are_refused_with_the_edit_that_names_them(void **state)
{
#define NAMES(file) HEAD "{\"id\":\"a\",\"op\":\"union\",\"shape\":" HEIGHT_MAP("{\"file\":\"" file "\"}") "}"
    static const struct {
        const char *text;
        enum tr_status status;
        const char *expected;
    } cases[] = {
        {NAMES("../up.png"), TR_BAD_INPUT, "file \"../up.png\" has the part \"..\", expected names only"},
        {NAMES("/etc/up.png"), TR_BAD_INPUT,
         "file \"/etc/up.png\" is absolute, expected a name below the log's folder"},
        {NAMES(""), TR_BAD_INPUT, "the name of the file is empty, expected one below the log's folder"},
        {NAMES("none.png"), TR_IO, "cannot open \"none.png\" in "},
        {NAMES("link.png"), TR_IO, "cannot open \"link.png\" in "},
        {NAMES("empty.png"), TR_BAD_INPUT, "\"empty.png\" is empty, expected at least 1 byte"},
        {NAMES("colour.png"), TR_BAD_INPUT, "an image must be grey, found RGB"},
        {NAMES("solid.obj"), TR_BAD_INPUT, "an image must be a PNG, found no signature of one"},
    };
    static const char open_mesh[] =
        HEAD "{\"id\":\"a\",\"op\":\"union\",\"shape\":" MESH("{\"file\":\"open.obj\"}") "}";
    static const char mesh_expected[] = "edits.json:2: edit 'a': \"mesh\" in \"shape\": open.obj: ";
    const char *folder = *state;
    char path[512];
    FILE *file;
    struct tr_error error = {0};
    struct tr_log log = {0};

    write_file(folder, "colour.png", PNG_RGB);
    write_file(folder, "grey.png", PNG_GREY8);
    write_file(folder, "solid.obj", OBJ_SOLID);
    write_file(folder, "open.obj", OBJ_OPEN);
    snprintf(path, sizeof path, "%s/link.png", folder);
    assert_int_equal(symlink("grey.png", path), 0);
    snprintf(path, sizeof path, "%s/empty.png", folder);
    file = fopen(path, "wb");
    assert_non_null(file);
    fclose(file);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char expected[512];
        enum tr_status status =
            tr_log_parse(&log, cases[i].text, strlen(cases[i].text), "edits.json", folder, NULL, &error);

        snprintf(expected, sizeof expected, "edits.json:2: edit 'a': \"image\" in \"shape\": %s",
                 cases[i].expected);
        if (status != cases[i].status || error.status != status || log.count != 0 ||
            strncmp(error.text, expected, strlen(expected)) != 0)
            fail_msg("%s: status %d, found \"%s\", expected \"%s\"", cases[i].text, status, error.text,
                     expected);
    }
    assert_int_equal(tr_log_parse(&log, open_mesh, sizeof open_mesh - 1, "edits.json", folder, NULL, &error),
                     TR_BAD_INPUT);
    if (strncmp(error.text, mesh_expected, strlen(mesh_expected)) != 0)
        fail_msg("found \"%s\", expected \"%s\"", error.text, mesh_expected);
    tr_log_release(&log);
}

/* ---- the normal form ---- */

static const struct normal_form normal_forms[] = {
    {"{\"op\":\"union\",\"shape\":{\"type\":\"sphere\",\"radius\":4,\"center\":[1,2,3]},"
     "\"blend\":{\"type\":\"hard\"}}",
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":" BALL "}"},
    {"{\"op\":\"subtract\",\"shape\":{\"type\":\"box\",\"size\":[1,2,3],\"center\":[4,5,6]},"
     "\"blend\":{\"type\":\"smooth\",\"width\":2}}",
     "{\"blend\":{\"type\":\"smooth\",\"width\":2},\"id\":\"n\",\"op\":\"subtract\","
     "\"shape\":{\"center\":[4,5,6],\"size\":[1,2,3],\"type\":\"box\"}}"},
    {"{\"op\":\"intersect\",\"within\":{\"min\":[1,2,3],\"max\":[4,5,6]},\"shape\":{\"type\":\"capsule\","
     "\"to\":[1,2,3],\"from\":[1,2,3],\"radius\":1},\"blend\":{\"type\":\"chamfer\",\"width\":2}}",
     "{\"blend\":{\"type\":\"chamfer\",\"width\":2},\"id\":\"n\",\"op\":\"intersect\",\"shape\":{\"from\":[1,"
     "2,3],"
     "\"radius\":1,\"to\":[1,2,3],\"type\":\"capsule\"},\"within\":{\"max\":[4,5,6],\"min\":[1,2,3]}}"},
    {"{\"op\":\"paint\",\"material\":7,\"shape\":{\"type\":\"torus\",\"center\":[1,2,3],\"radius\":5,"
     "\"tube\":1,"
     "\"axis\":[0,1,0]}}",
     "{\"id\":\"n\",\"material\":7,\"op\":\"paint\",\"shape\":{\"center\":[1,2,3],\"radius\":5,\"tube\":1,"
     "\"type\":\"torus\"}}"},
    {"{\"op\":\"union\",\"blend\":{\"type\":\"stairs\",\"width\":2,\"steps\":4},\"shape\":{\"type\":"
     "\"torus\","
     "\"center\":[1,2,3],\"radius\":5,\"tube\":1,\"axis\":[0,2,0]}}",
     "{\"blend\":{\"type\":\"stairs\",\"width\":2},\"id\":\"n\",\"op\":\"union\",\"shape\":{\"axis\":[0,2,0],"
     "\"center\":[1,2,3],\"radius\":5,\"tube\":1,\"type\":\"torus\"}}"},
    {"{\"op\":\"union\",\"blend\":{\"type\":\"stairs\",\"width\":2,\"steps\":64},\"shape\":{\"type\":"
     "\"cylinder\","
     "\"from\":[1,2,3],\"to\":[4,5,6],\"radius\":1}}",
     "{\"blend\":{\"steps\":64,\"type\":\"stairs\",\"width\":2},\"id\":\"n\",\"op\":\"union\","
     "\"shape\":{\"from\":[1,2,3],\"radius\":1,\"to\":[4,5,6],\"type\":\"cylinder\"}}"},
    {"{\"op\":\"union\",\"shape\":{\"type\":\"cone\",\"from\":[1,2,3],\"to\":[4,5,6],\"radius\":1}}",
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"from\":[1,2,3],\"radius\":1,\"to\":[4,5,6],\"type\":"
     "\"cone\"}}"},
    {"{\"op\":\"union\",\"shape\":{\"type\":\"ellipsoid\",\"radii\":[1,2,3],\"center\":[4,5,6]}}",
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"center\":[4,5,6],\"radii\":[1,2,3],\"type\":\"ellipsoid\"}"
     "}"},
    {"{\"op\":\"union\",\"shape\":{\"type\":\"union\",\"of\":[" BALL "," BALL "," BALL
     "],\"blend\":{\"type\":\"hard\"}}}",
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"of\":[" BALL "," BALL "," BALL "],\"type\":\"union\"}}"},
    {"{\"op\":\"union\",\"shape\":{\"type\":\"subtract\",\"of\":[" BALL "," BALL
     "],\"blend\":{\"type\":\"smooth\",\"width\":1}}}",
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"blend\":{\"type\":\"smooth\",\"width\":1},\"of\":[" BALL
     "," BALL "],\"type\":\"subtract\"}}"},
    {"{\"op\":\"union\",\"shape\":{\"type\":\"intersect\",\"of\":[" BALL ",{\"type\":\"union\",\"of\":[" BALL
     "," BALL "]}," BALL "],\"blend\":{\"type\":\"stairs\",\"width\":1,\"steps\":2}}}",
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"blend\":{\"steps\":2,\"type\":\"stairs\",\"width\":1},"
     "\"of\":[" BALL ",{\"of\":[" BALL "," BALL "],\"type\":\"union\"}," BALL "],\"type\":\"intersect\"}}"},
    {"{\"op\":\"union\",\"shape\":{\"type\":\"translate\",\"of\":" BALL ",\"by\":[0,0,-0.0]}}",
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"by\":[0,0,0],\"of\":" BALL ",\"type\":\"translate\"}}"},
    {"{\"op\":\"union\",\"shape\":{\"type\":\"rotate\",\"of\":" BALL
     ",\"axis\":[0,1,0],\"degrees\":90,\"about\":[0,0,0]}}",
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"axis\":[0,1,0],\"degrees\":90,\"of\":" BALL
     ",\"type\":\"rotate\"}}"},
    {"{\"op\":\"union\",\"shape\":{\"type\":\"rotate\",\"of\":" BALL
     ",\"axis\":[0,1,0],\"degrees\":-0.5,\"about\":[0,1,0]}}",
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"about\":[0,1,0],\"axis\":[0,1,0],\"degrees\":-0.5,"
     "\"of\":" BALL ",\"type\":\"rotate\"}}"},
    {"{\"op\":\"union\",\"shape\":{\"type\":\"scale\",\"of\":" BALL ",\"by\":2,\"about\":[0,0,1]}}",
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"about\":[0,0,1],\"by\":2,\"of\":" BALL
     ",\"type\":\"scale\"}}"},
    {UNION_OF("{\"type\":\"link\",\"center\":[0,0,0],\"length\":1,\"radius\":2,\"tube\":3,\"axis\":[0,1,0],"
              "\"along\":[1,0,0]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"center\":[0,0,0],\"length\":1,\"radius\":2,\"tube\":3,"
     "\"type\":"
     "\"link\"}}"},
    {UNION_OF("{\"type\":\"link\",\"center\":[0,0,0],\"length\":1,\"radius\":2,\"tube\":3,\"axis\":[0,0,2],"
              "\"along\":[0,1,0]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"along\":[0,1,0],\"axis\":[0,0,2],\"center\":[0,0,0],"
     "\"length\":1,"
     "\"radius\":2,\"tube\":3,\"type\":\"link\"}}"},
    {UNION_OF("{\"type\":\"rounded-box\",\"size\":[3,4,5],\"radius\":1.25,\"center\":[0,0,0]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"center\":[0,0,0],\"radius\":1.25,\"size\":[3,4,5],\"type\":"
     "\"rounded-box\"}}"},
    {UNION_OF("{\"type\":\"capped-cone\",\"to_radius\":2,\"radius\":1,\"to\":[0,1,0],\"from\":[0,0,0]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"from\":[0,0,0],\"radius\":1,\"to\":[0,1,0],\"to_radius\":2,"
     "\"type\":"
     "\"capped-cone\"}}"},
    {UNION_OF("{\"type\":\"prism\",\"sides\":6.0,\"radius\":1,\"to\":[0,1,0],\"from\":[0,0,0]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"from\":[0,0,0],\"radius\":1,\"sides\":6,\"to\":[0,1,0],"
     "\"type\":"
     "\"prism\"}}"},
    {"{\"op\":\"intersect\",\"shape\":" HALF ",\"within\":{\"min\":[0,0,0],\"max\":[1,1,1]}}",
     "{\"id\":\"n\",\"op\":\"intersect\",\"shape\":" HALF ",\"within\":{\"max\":[1,1,1],\"min\":[0,0,0]}}"},
    {UNION_OF("{\"type\":\"height-map\",\"size\":[1,2,3],\"image\":" DATA(PNG_GREY16) ",\"center\":[0,0,0]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":" HEIGHT_MAP(DATA(PNG_GREY16)) "}"},
    /* a cell that is the longest side / 128, which is 2 and 3 here */
    {UNION_OF("{\"type\":\"mesh\",\"cell\":0.015625,\"mesh\":" DATA(OBJ_SOLID) "}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":" MESH(DATA(OBJ_SOLID)) "}"},
    {UNION_OF("{\"type\":\"mesh\",\"cell\":0.0234375,\"mesh\":" DATA(PLY_SOLID) "}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":" MESH(DATA(PLY_SOLID)) "}"},
    {UNION_OF("{\"type\":\"mesh\",\"cell\":0.015625,\"mesh\":" DATA(PLY_SOLID) "}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"cell\":0.015625,\"mesh\":" DATA(
         PLY_SOLID) ",\"type\":\"mesh\"}}"},
    {UNION_OF(TUBE("[[0,0,0],[1,1,1]]", "[2,2.0]", ",\"profile\":\"round\",\"steps\":8")),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":" TUBE("[[0,0,0],[1,1,1]]", "2", "") "}"},
    {UNION_OF("{\"type\":\"tube\",\"steps\":9,\"radius\":[2,3],\"profile\":\"square\",\"path\":[[0,0,0],[1,1,"
              "-0.0]]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"path\":[[0,0,0],[1,1,0]],\"profile\":\"square\",\"radius\":"
     "[2,3],"
     "\"steps\":9,\"type\":\"tube\"}}"},
    {UNION_OF("{\"type\":\"elongate\",\"of\":" BALL ",\"by\":[1,0,0],\"about\":[0,0,0]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"by\":[1,0,0],\"of\":" BALL ",\"type\":\"elongate\"}}"},
    {UNION_OF("{\"type\":\"mirror\",\"point\":[0,0,0],\"of\":" BALL ",\"normal\":[0,1,0]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"normal\":[0,1,0],\"of\":" BALL ",\"type\":\"mirror\"}}"},
    {UNION_OF("{\"type\":\"mirror\",\"point\":[0,1,0],\"of\":" BALL ",\"normal\":[0,1,0]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"normal\":[0,1,0],\"of\":" BALL
     ",\"point\":[0,1,0],\"type\":\"mirror\"}}"},
    {UNION_OF("{\"type\":\"twist\",\"of\":" BALL
              ",\"degrees_per_metre\":5,\"axis\":[0,1,0],\"about\":[0,0,0]}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"about\":[0,0,0],\"axis\":[0,1,0],\"degrees_per_metre\":5,"
     "\"of\":" BALL ",\"type\":\"twist\"}}"},
    {UNION_OF("{\"type\":\"taper\",\"to\":[0,1,0],\"of\":" BALL ",\"from\":[0,0,0],\"factor\":5e-1}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"factor\":0.5,\"from\":[0,0,0],\"of\":" BALL
     ",\"to\":[0,1,0],\"type\":\"taper\"}}"},
    {UNION_OF("{\"type\":\"displace\",\"strength\":1,\"seed\":\"0\",\"scale\":2,\"of\":" BALL
              ",\"octaves\":4}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"of\":" BALL
     ",\"scale\":2,\"strength\":1,\"type\":\"displace\"}}"},
    {UNION_OF("{\"type\":\"displace\",\"strength\":1,\"seed\":\"9007199254740993\",\"scale\":2,\"of\":" BALL
              ",\"octaves\":5}"),
     "{\"id\":\"n\",\"op\":\"union\",\"shape\":{\"octaves\":5,\"of\":" BALL
     ",\"scale\":2,\"seed\":\"9007199254740993\",\"strength\":1,\"type\":\"displace\"}}"},
};

static void every_shape_has_one_normal_form(void **state)
{
    (void)state;
    assert_normal_forms(normal_forms, COUNT(normal_forms));
}

/* ---- random shapes ---- */

static double random_integer(uint64_t *seed, uint32_t least, uint32_t most)
{
    return (double)(least + random_below(seed, most - least + 1));
}

static void random_value(uint64_t *seed, const struct tr_shape_field *field, double *values)
{
    for (int i = 0; i < field->count; i++)
        switch (field->kind) {
        case TR_VALUE_LENGTH:
        case TR_VALUE_SCALE:
            values[i] = random_positive(seed);
            break;
        case TR_VALUE_EXTENT:
            values[i] = random_below(seed, 2) ? random_positive(seed) : 0;
            break;
        case TR_VALUE_COUNT: /* few, as they multiply */
            values[i] = random_integer(seed, 1, 2);
            break;
        case TR_VALUE_SIDES:
            values[i] = random_integer(seed, 3, 16);
            break;
        case TR_VALUE_STEPS:
            values[i] = random_integer(seed, 1, 32);
            break;
        case TR_VALUE_OCTAVES:
            values[i] = random_integer(seed, 1, 8);
            break;
        case TR_VALUE_ANGLE:
        case TR_VALUE_RATE:
            values[i] = 72000 * random_fraction(seed) - 36000;
            break;
        case TR_VALUE_FACTOR:
            values[i] = 1024 * random_fraction(seed) * (1 - 0x1p-19) + 0x1p-10;
            break;
        default:
            values[i] = random_double(seed);
        }
    if (field->kind == TR_VALUE_AXIS)
        random_direction(seed, values);
}

/* What a node has beside its numbers. */
static struct tr_shape_more *random_more(uint64_t *seed, const struct tr_shape_node *node)
{
    static const char *const images[] = {PNG_GREY8, PNG_GREY16}, *const meshes[] = {OBJ_SOLID, PLY_SOLID};
    struct tr_shape_more *more = calloc(1, sizeof *more);

    assert_non_null(more);
    if (node->kind == TR_SHAPE_HEIGHT_MAP)
        more->resource = decode_image(images[random_below(seed, 2)]);
    if (node->kind == TR_SHAPE_MESH)
        more->resource = decode(meshes[random_below(seed, 2)]);
    more->has_cell = node->kind == TR_SHAPE_MESH && node->values[0] != 0;
    if (node->kind == TR_SHAPE_DISPLACE)
        more->seed = random_next(seed) >> random_below(seed, 64);
    if (node->kind != TR_SHAPE_TUBE)
        return more;
    more->path_count = 2 + random_below(seed, 5);
    more->path = calloc(more->path_count, sizeof *more->path);
    assert_non_null(more->path);
    more->profile = random_below(seed, 3);
    for (uint32_t i = 0; i < more->path_count; i++) {
        random_place(seed, more->path[i]);
        more->path[i][3] = random_below(seed, 2) ? 1 : random_positive(seed);
    }
    return more;
}

/* What numbers must be together. */
static void settle_values(uint64_t *seed, struct tr_shape_node *node)
{
    double *values = node->values;

    if (node->kind == TR_SHAPE_ROUNDED_BOX) /* center, radius, size */
        for (int i = 0; i < 3; i++)
            values[4 + i] = 2 + values[3] * 2 * (1 + random_fraction(seed));
    if (node->kind == TR_SHAPE_ROUNDED_BOX && values[3] > 1e300)
        values[3] = 0.5;
    if (node->kind == TR_SHAPE_LINK || node->kind == TR_SHAPE_BEND) {
        double *along = values + (node->kind == TR_SHAPE_BEND ? 3 : 0), *axis = along + 3;

        memcpy(along, (const double[3]){random_fraction(seed), 2, -3}, 3 * sizeof *along);
        memcpy(axis, (const double[3]){1e3, random_fraction(seed), 1e3}, 3 * sizeof *axis);
    }
}

/* Appends a tree no deeper than `depth`; the array has room. */
static void random_tree(uint64_t *seed, struct tr_shape *shape, int depth)
{
    enum tr_shape_kind kind =
        (enum tr_shape_kind)random_below(seed, depth > 1 ? TR_SHAPE_KIND_COUNT : TR_SHAPE_UNION);
    struct tr_shape_node *node = &shape->nodes[shape->count++];
    const struct tr_shape_field *fields = tr_shape_infos[kind].fields;

    *node = (struct tr_shape_node){.kind = kind};
    for (int i = 0; fields[i].name; i++)
        if (!fields[i].is_optional || random_below(seed, 2))
            random_value(seed, &fields[i], node->values + fields[i].first);
        else
            node->values[fields[i].first + fields[i].at] = fields[i].value;
    settle_values(seed, node);
    if (tr_shape_has_more(kind))
        node->more = random_more(seed, node);
    if (tr_shape_is_operation(kind)) {
        node->child_count = 2 + random_below(seed, 2);
        node->blend = random_blend(seed);
    } else if (kind > TR_SHAPE_INTERSECT) {
        node->child_count = 1;
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        random_tree(seed, shape, depth - 1);
}
#define RANDOM_DEPTH 4
#define RANDOM_NODES 40 /* 1 + 3 + 9 + 27 */

static struct tr_edit random_edit(uint64_t *seed, size_t number)
{
    static const enum tr_edit_op ops[] = {TR_EDIT_UNION, TR_EDIT_SUBTRACT, TR_EDIT_INTERSECT,
                                          TR_EDIT_SHAPE_PAINT};
    struct tr_edit edit = {.op = ops[random_below(seed, COUNT(ops))],
                           .power = TR_EDIT_POWER_DEFAULT,
                           .octaves = TR_EDIT_OCTAVES_DEFAULT,
                           .beta = TR_EDIT_BETA_DEFAULT,
                           .normal = {0, 1, 0}};

    snprintf(edit.id, sizeof edit.id, "edit %zu", number);
    edit.shape.nodes = calloc(RANDOM_NODES, sizeof *edit.shape.nodes);
    assert_non_null(edit.shape.nodes);
    edit.shape.capacity = RANDOM_NODES;
    random_tree(seed, &edit.shape, RANDOM_DEPTH);
    if (edit.op == TR_EDIT_SHAPE_PAINT)
        edit.material = random_below(seed, 256);
    else
        edit.blend = random_blend(seed);
    edit.has_within =
        edit.op == TR_EDIT_INTERSECT || !tr_shape_is_bounded(&edit.shape) || random_below(seed, 2);
    for (int i = 0; i < 3 && edit.has_within; i++) {
        double a = random_double(seed), b = random_double(seed);

        edit.within_m[0][i] = a < b ? a : b;
        edit.within_m[1][i] = a < b ? b : a;
    }
    return edit;
}

static void shapes_that_are_written_read_back_equal_and_write_the_same(void **state)
{
    struct tr_log log = {.edits = calloc(1000, sizeof *log.edits), .count = 1000, .capacity = 1000};
    uint64_t seed = 20262;
    size_t kinds[TR_SHAPE_KIND_COUNT] = {0};

    (void)state;
    assert_non_null(log.edits);
    for (size_t i = 0; i < log.count; i++) {
        log.edits[i] = random_edit(&seed, i);
        for (uint32_t k = 0; k < log.edits[i].shape.count; k++)
            kinds[log.edits[i].shape.nodes[k].kind]++;
    }
    for (int kind = 0; kind < TR_SHAPE_KIND_COUNT; kind++)
        if (kinds[kind] < 20)
            fail_msg("%s: only %zu times", tr_shape_infos[kind].name, kinds[kind]);
    assert_round_trip(&log);
    tr_log_release(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_numbers_in_the_order_of_its_fields),
        cmocka_unit_test(a_tube_has_a_radius_at_each_point),
        cmocka_unit_test(a_height_map_has_its_pixels_and_a_mesh_its_bytes),
        cmocka_unit_test(shapes_that_cannot_be_are_refused),
        cmocka_unit_test(shapes_nest_64_deep_and_no_deeper),
        cmocka_unit_test(shapes_have_up_to_4096_nodes),
        cmocka_unit_test(at_most_8_modifiers_move_points_within_each_other),
        cmocka_unit_test(a_shape_is_copied_at_most_4096_times_by_all_that_is_around_it),
        cmocka_unit_test(what_has_no_bounds_needs_an_end),
        cmocka_unit_test(names_and_fields_of_shapes_that_are_not_known_are_refused_by_name),
        cmocka_unit_test(fields_of_shapes_that_are_missing_are_named),
        cmocka_unit_test(pictures_and_meshes_that_cannot_be_are_refused),
        cmocka_unit_test(fields_of_pictures_that_begin_with_x_are_passed_over),
        cmocka_unit_test(messages_about_pictures_in_message_pack_have_their_byte_offset),
        cmocka_unit_test_setup_teardown(files_beside_the_log_become_data, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(files_that_cannot_be_read_are_refused_with_the_edit_that_names_them,
                                        scratch_make, scratch_remove),
        cmocka_unit_test(every_shape_has_one_normal_form),
        cmocka_unit_test(shapes_that_are_written_read_back_equal_and_write_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
