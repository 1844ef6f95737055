/* One edit of any kind, as JSON: see every_edit.h. Each number is a statement of its own, since C does not say in which order arguments are
 * evaluated. */
#include "tests/support/every_edit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* 8 x 8 grey pixels, and a tetrahedron. */
#define STAMP                                                                                                \
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAAU0lEQVR42gFIALf/AAAlSm+Uud4DADVup+AZ7idgAGq3BO06I3C9"   \
    "AJ8A/V5bWLm2ANRJWmt8jQITAAkuU3idwucMAD53sOki9zBpAHPADfZDLHnG7fkcta5NqhUAAAAASUVORK5CYII="
#define TETRAHEDRON "diAwIDAgMAp2IDkgMCAxCnYgMiAwIDgKdiAzIDEwIDIKZiAxIDIgMwpmIDEgNCAyCmYgMiA0IDMKZiAzIDQgMQo="

uint64_t tr_log_state;
const char *const tr_log_falloffs[9] = {"smooth", "smoother", "sphere",         "root",    "sharp",
                                        "pow4",   "linear",   "inverse-square", "constant"};

uint32_t tr_log_next(void)
{
    tr_log_state = tr_log_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(tr_log_state >> 33);
}

double tr_log_number(double lo, double hi)
{
    uint32_t steps = (uint32_t)((hi - lo) * 16);
    return lo + (steps ? tr_log_next() % steps : 0) / 16.0;
}

static struct {
    double width, depth, voxel;
} world;

/* ---- values ---- */

/* , "name": value; lengths are in voxels here. */
static void print_number(const char *name, double value)
{
    printf(", \"%s\": %.10g", name, value);
}

static void print_length(const char *name, double lo, double hi)
{
    double length = tr_log_number(lo, hi) * world.voxel;
    print_number(name, length);
}

static void print_vector(const char *name, double reach)
{
    double x = tr_log_number(-reach, reach) * world.voxel;
    double y = tr_log_number(-reach, reach) * world.voxel;
    double z = tr_log_number(-reach, reach) * world.voxel;
    printf(", \"%s\": [%.10g, %.10g, %.10g]", name, x, y, z);
}

static void print_sizes(const char *name, double lo, double hi)
{
    double x = tr_log_number(lo, hi) * world.voxel;
    double y = tr_log_number(lo, hi) * world.voxel;
    double z = tr_log_number(lo, hi) * world.voxel;
    printf(", \"%s\": [%.10g, %.10g, %.10g]", name, x, y, z);
}

static void print_direction(const char *name)
{
    double x = tr_log_number(-1, 1), y = 0.25 + tr_log_number(0, 1), z = tr_log_number(-1, 1);
    printf(", \"%s\": [%.10g, %.10g, %.10g]", name, x, y, z);
}

/* A place around the ground, a multiple of 1/16. */
static void print_place(const char *name)
{
    double x = tr_log_number(0, world.width);
    double y = tr_log_number(-30, 50) * world.voxel;
    double z = tr_log_number(0, world.depth);
    printf(", \"%s\": [%.10g, %.10g, %.10g]", name, x, y, z);
}

static void print_noise(void)
{
    uint32_t octaves = 1 + tr_log_next() % 8;
    print_length("scale", 2, 40);
    printf(", \"octaves\": %" PRIu32 ", \"seed\": \"1844674407370955%" PRIu32 "\"", octaves,
           1000 + tr_log_next() % 600);
}

static void print_blend(double widest)
{
    static const char *const kinds[] = {"hard", "smooth", "chamfer", "stairs"};
    uint32_t kind = tr_log_next() % 4;
    printf(", \"blend\": {\"type\": \"%s\"", kinds[kind]);
    if (kind > 0)
        print_length("width", 0.5, widest);
    if (kind == 3)
        printf(", \"steps\": %" PRIu32, 2 + tr_log_next() % 6);
    printf("}");
}

static void print_weight(int is_volume)
{
    const char *falloff = tr_log_falloffs[tr_log_next() % 9];
    printf(", \"falloff\": \"%s\"", falloff);
    if (strcmp(falloff, "sharp") == 0)
        printf(", \"power\": %" PRIu32, 2 + tr_log_next() % 15);
    if (is_volume && tr_log_next() % 4 == 0)
        print_direction("projected");
}

/* ---- shapes ---- */

static void print_shape(int depth);

static void print_axis_shape(const char *type)
{
    double x = tr_log_number(0, world.width);
    double y = tr_log_number(-20, 40) * world.voxel;
    double z = tr_log_number(0, world.depth);
    double to_x = x + (1 + tr_log_number(0, 30)) * world.voxel;
    double to_y = y + tr_log_number(-20, 20) * world.voxel;
    double to_z = z + tr_log_number(-30, 30) * world.voxel;
    printf("\"%s\", \"from\": [%.10g, %.10g, %.10g], \"to\": [%.10g, %.10g, %.10g]", type, x, y, z, to_x,
           to_y, to_z);
    print_length("radius", 1, 12);
}

static void print_centre_shape(const char *type)
{
    printf("\"%s\"", type);
    print_place("center");
}

static void print_tube(void)
{
    static const char *const profiles[] = {"round", "square", "arch"};
    double x = tr_log_number(0, world.width), y = tr_log_number(-10, 30) * world.voxel,
           z = tr_log_number(0, world.depth);
    printf("\"tube\", \"profile\": \"%s\"", profiles[tr_log_next() % 3]);
    printf(", \"steps\": %" PRIu32 ", \"path\": [", 1 + tr_log_next() % 6);
    for (int i = 0; i < 4; i++) {
        printf("%s[%.10g, %.10g, %.10g]", i ? ", " : "", x, y, z);
        x += (1 + tr_log_number(0, 20)) * world.voxel;
        y += tr_log_number(-8, 8) * world.voxel;
        z += tr_log_number(-20, 20) * world.voxel;
    }
    printf("]");
    print_length("radius", 1, 8);
}

static void print_primitive(void)
{
    switch (tr_log_next() % 17) {
    case 0:
        print_centre_shape("sphere");
        print_length("radius", 1, 16);
        break;
    case 1:
        print_centre_shape("box");
        print_sizes("size", 1, 30);
        break;
    case 2:
        print_axis_shape("capsule");
        break;
    case 3:
        print_centre_shape("torus");
        print_length("radius", 4, 20);
        print_length("tube", 1, 6);
        print_direction("axis");
        break;
    case 4:
        print_axis_shape("cylinder");
        break;
    case 5:
        print_axis_shape("cone");
        break;
    case 6:
        print_centre_shape("ellipsoid");
        print_sizes("radii", 2, 20);
        break;
    case 7:
        print_axis_shape("capped-cone");
        print_length("to_radius", 1, 8);
        break;
    case 8:
        print_centre_shape("rounded-box");
        print_sizes("size", 8, 30);
        print_length("radius", 0.5, 3);
        break;
    case 9: /* bounded by a box */
        printf("\"intersect\", \"of\": [{\"type\": \"half-space\"");
        print_place("point");
        print_direction("normal");
        printf("}, {\"type\": ");
        print_centre_shape("box");
        print_sizes("size", 8, 40);
        printf("}]");
        break;
    case 10:
        print_axis_shape("prism");
        printf(", \"sides\": %" PRIu32, 3 + tr_log_next() % 14);
        break;
    case 11:
        print_centre_shape("pyramid");
        print_sizes("size", 4, 30);
        break;
    case 12:
        print_centre_shape("octahedron");
        print_length("radius", 2, 20);
        break;
    case 13:
        print_centre_shape("link");
        print_length("radius", 3, 12);
        print_length("tube", 1, 4);
        print_length("length", 2, 20);
        print_direction("axis");
        break;
    case 14:
        print_centre_shape("height-map");
        print_sizes("size", 8, 40);
        printf(", \"image\": {\"data\": \"" STAMP "\"}");
        break;
    case 15:
        print_tube();
        break;
    default: /* the tetrahedron is some metres wide, wherever it is put */
        printf("\"translate\"");
        print_place("by");
        printf(", \"of\": {\"type\": \"scale\", \"by\": %.10g, \"of\": {\"type\": \"mesh\", \"cell\": 0.25, "
               "\"mesh\": {\"data\": \"" TETRAHEDRON "\"}}}",
               world.voxel);
    }
}

/* A modifier or transform around a shape near its place, so that the shape stays in the world. */
static void print_around(int depth)
{
    static const char *const kinds[] = {"translate", "rotate", "scale", "round", "onion", "elongate",
                                        "mirror",    "repeat", "twist", "bend",  "taper", "displace"};
    uint32_t kind = tr_log_next() % 12;
    printf("\"%s\"", kinds[kind]);
    switch (kind) {
    case 0:
        print_vector("by", 20);
        break;
    case 1:
        print_direction("axis");
        print_number("degrees", tr_log_number(-360, 360));
        print_place("about");
        break;
    case 2:
        print_number("by", 0.5 + tr_log_number(0, 1));
        print_place("about");
        break;
    case 3:
        print_length("by", 0.25, 4);
        break;
    case 4:
        print_length("thickness", 0.5, 4);
        break;
    case 5:
        print_sizes("by", 0, 12);
        print_place("about");
        break;
    case 6:
        print_direction("normal");
        print_place("point");
        break;
    case 7:
        print_vector("by", 24);
        printf(", \"count\": [%" PRIu32, 1 + tr_log_next() % 3);
        printf(", %" PRIu32, 1 + tr_log_next() % 2);
        printf(", %" PRIu32 "]", 1 + tr_log_next() % 3);
        break;
    case 8:
        print_direction("axis");
        print_place("about");
        print_number("degrees_per_metre", tr_log_number(-10, 10) / world.voxel);
        break;
    case 9:
        printf(", \"axis\": [0, 1, 0], \"along\": [%.10g, 0, 1]", tr_log_number(-1, 1));
        print_place("about");
        print_number("degrees_per_metre", tr_log_number(-2, 2) / world.voxel);
        break;
    case 10: {
        double x = tr_log_number(0, world.width);
        double z = tr_log_number(0, world.depth);
        double length = (4 + tr_log_number(0, 40)) * world.voxel;
        printf(", \"from\": [%.10g, 0, %.10g], \"to\": [%.10g, %.10g, %.10g]", x, z, x, length, z);
        print_number("factor", 0.25 + tr_log_number(0, 1.5));
        break;
    }
    default:
        print_length("strength", 0.25, 4);
        print_noise();
    }
    printf(", \"of\": {\"type\": ");
    print_shape(depth + 1);
    printf("}");
}

/* What stands behind "type": . */
static void print_shape(int depth)
{
    static const char *const operations[] = {"union", "subtract", "intersect"};
    uint32_t what = tr_log_next() % 8, count;
    if (depth > 4 || what < 4) {
        print_primitive();
    } else if (what < 6) {
        print_around(depth);
    } else {
        printf("\"%s\", \"of\": [", operations[tr_log_next() % 5 % 3]);
        count = 2 + tr_log_next() % 3;
        for (uint32_t i = 0; i < count; i++) {
            printf("%s{\"type\": ", i ? ", " : "");
            print_shape(depth + 1);
            printf("}");
        }
        printf("]");
        print_blend(12);
    }
}

static void shape_edit(const char *operation)
{
    double size = tr_log_number(20, 60) * world.voxel;
    double x = tr_log_number(0, world.width);
    double y = tr_log_number(-20, 30) * world.voxel;
    double z = tr_log_number(0, world.depth);
    printf("\"op\": \"%s\", \"shape\": {\"type\": ", operation);
    print_shape(1);
    printf("}");
    if (strcmp(operation, "intersect") == 0 || tr_log_next() % 3 == 0)
        printf(", \"within\": {\"min\": [%.10g, %.10g, %.10g], \"max\": [%.10g, %.10g, %.10g]}", x - size,
               y - size, z - size, x + size, y + size, z + size);
    if (strcmp(operation, "paint") == 0)
        printf(", \"material\": %" PRIu32, tr_log_next() % 256);
    else
        print_blend(16);
}

/* ---- brushes ---- */

struct brush {
    const char *operation;
    int is_volume;
    char strength;     /* m metres, l lambda, 0 none */
    double radius_max; /* voxels */
};

static const struct brush brushes[] = {
    {"raise", 0, 'm', 40},   {"lower", 0, 'm', 40},   {"smooth", 0, 'l', 40}, {"hc-smooth", 0, 'l', 40},
    {"flatten", 0, 'l', 40}, {"flatten", 0, 'l', 40}, {"noise", 0, 'm', 40},  {"set", 0, 0, 20},
    {"stamp", 0, 'm', 40},   {"paint", 0, 0, 40},     {"add", 1, 'm', 20},    {"subtract", 1, 'm', 20},
    {"smooth", 1, 'l', 20},  {"flatten", 1, 'l', 20}, {"noise", 1, 'm', 20},  {"stamp", 1, 'm', 20},
    {"inflate", 1, 'm', 20}, {"pinch", 1, 'l', 20},   {"grab", 1, 0, 20},     {"redistance", 1, 0, 16},
    {"paint", 1, 0, 20},
};
#define BRUSHES (sizeof brushes / sizeof *brushes)

static int is(const struct brush *brush, const char *operation)
{
    return strcmp(brush->operation, operation) == 0;
}

static void print_point(const struct brush *brush, double x, double y, double z)
{
    if (brush->is_volume)
        printf("[%.10g, %.10g, %.10g]", x, y, z);
    else
        printf("[%.10g, %.10g]", x, z);
}

static void print_where(const struct brush *brush, int is_stroke)
{
    double x = tr_log_number(0, world.width);
    double y = tr_log_number(-20, 40) * world.voxel;
    double z = tr_log_number(0, world.depth);
    printf(is_stroke ? ", \"path\": [" : ", \"at\": ");
    print_point(brush, x, y, z);
    if (!is_stroke)
        return;
    for (int i = 0; i < 2; i++) {
        double to_x = x + tr_log_number(-24, 24) * world.voxel;
        double to_y = y + tr_log_number(-8, 8) * world.voxel;
        double to_z = z + tr_log_number(-24, 24) * world.voxel;
        printf(", ");
        print_point(brush, to_x, to_y, to_z);
        x = to_x;
        y = to_y;
        z = to_z;
    }
    printf("]");
}

static void brush_edit(const struct brush *brush)
{
    int is_stroke = tr_log_next() % 6 == 0;
    printf("\"op\": \"%s\"", brush->operation);
    print_where(brush, is_stroke);
    print_length("radius", 1, is_stroke ? brush->radius_max / 3 : brush->radius_max);
    if (brush->strength == 'm')
        print_length("strength", 0.25, 10);
    if (brush->strength == 'l')
        print_number("strength", tr_log_number(0.125, 1));
    if (!is(brush, "paint") && !is(brush, "redistance"))
        print_weight(brush->is_volume);
    if (is(brush, "noise"))
        print_noise();
    if (is(brush, "stamp"))
        printf(", \"degrees\": %.10g, \"image\": {\"data\": \"" STAMP "\"}", tr_log_number(-180, 180));
    if (is(brush, "set") || (is(brush, "flatten") && !brush->is_volume && tr_log_next() % 2))
        print_length("height", -20, 40);
    if (is(brush, "grab"))
        print_vector("by", 12);
    if (is(brush, "paint"))
        printf(", \"material\": %" PRIu32, tr_log_next() % 256);
    if (brush->is_volume && (is(brush, "flatten") || is(brush, "stamp")) && tr_log_next() % 2)
        print_direction("normal");
}

void tr_log_every_edit(long index, double width, double depth, double voxel)
{
    static const char *const operations[] = {"union", "subtract", "union", "subtract", "intersect", "paint"};
    size_t kind = (size_t)index % (BRUSHES + 2 * 6);
    world.width = width;
    world.depth = depth;
    world.voxel = voxel;
    if (kind < BRUSHES)
        brush_edit(&brushes[kind]);
    else
        shape_edit(operations[(kind - BRUSHES) % 6]);
}
