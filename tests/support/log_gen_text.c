/* Logs as text, with what they carry as files: images as PNG (ISO 15948), not compressed, and meshes as OBJ. */
#include "tests/support/log_gen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

struct text {
    char *bytes; /* NULL: no memory */
    size_t length, capacity;
};

__attribute__((format(printf, 2, 3))) static void text_add(struct text *text, const char *format, ...)
{
    va_list args;
    if (text->bytes == NULL)
        return;
    if (text->capacity - text->length < 1024) { /* no piece is longer */
        char *larger = realloc(text->bytes, 2 * text->capacity);
        if (larger == NULL)
            free(text->bytes);
        text->bytes = larger;
        text->capacity *= 2;
        if (larger == NULL)
            return;
    }
    va_start(args, format);
    int n = vsnprintf(text->bytes + text->length, text->capacity - text->length, format, args);
    va_end(args);
    text->length += n > 0 ? (size_t)n : 0;
}

static struct text text_new(void)
{
    struct text text = {.capacity = 4096};
    text.bytes = malloc(text.capacity);
    return text;
}

/* ---- files ---- */

static void add_byte(struct text *file, unsigned byte)
{
    text_add(file, "%c", (int)(byte & 255));
}

static void add_word(struct text *file, uint32_t word)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        add_byte(file, word >> shift);
}

static uint32_t crc_of(const char *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        crc ^= (uint8_t)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

static uint32_t adler_of(const char *bytes, size_t count)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + (uint8_t)bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* Begins a chunk of a PNG; returns where its type stands. */
static size_t begin_chunk(struct text *file, const char *type)
{
    add_word(file, 0);
    size_t at = file->length;
    text_add(file, "%s", type);
    return at;
}

static void end_chunk(struct text *file, size_t at)
{
    if (file->bytes == NULL)
        return;
    const uint32_t length = (uint32_t)(file->length - at - 4);
    for (int i = 0; i < 4; i++)
        file->bytes[at - 4 + (size_t)i] = (char)(length >> (24 - 8 * i) & 255);
    add_word(file, crc_of(file->bytes + at, file->length - at));
}

static void add_header(struct text *file, const struct naive_image *image)
{
    size_t chunk = begin_chunk(file, "IHDR");
    add_word(file, (uint32_t)image->width);
    add_word(file, (uint32_t)image->height);
    add_byte(file, image->has_8_bits ? 8 : 16);
    for (int i = 0; i < 4; i++) /* grey; deflate, the one way to filter, not interlaced */
        add_byte(file, 0);
    end_chunk(file, chunk);
}

/* One stored block, so at most 65535 bytes. */
static void add_pixels(struct text *file, const struct naive_image *image)
{
    const unsigned size = (unsigned)(image->height * (1 + image->width * (image->has_8_bits ? 1 : 2)));
    size_t chunk = begin_chunk(file, "IDAT");
    add_byte(file, 0x78);
    add_byte(file, 0x01);
    add_byte(file, 1);
    for (unsigned word = 0; word < 2; word++) { /* the size, and all its bits turned */
        add_byte(file, word == 0 ? size : ~size);
        add_byte(file, (word == 0 ? size : ~size) >> 8);
    }
    size_t first = file->length;
    for (int y = 0; y < image->height; y++) {
        add_byte(file, 0);
        for (int x = 0; x < image->width; x++) {
            unsigned pixel = image->pixels[y * image->width + x];
            if (!image->has_8_bits)
                add_byte(file, pixel >> 8);
            add_byte(file, image->has_8_bits ? pixel / 257 : pixel);
        }
    }
    if (file->bytes != NULL)
        add_word(file, adler_of(file->bytes + first, file->length - first));
    end_chunk(file, chunk);
}

static struct text png_of(const struct naive_image *image)
{
    struct text file = text_new();
    add_byte(&file, 0x89);
    text_add(&file, "PNG\r\n%c\n", 0x1a);
    add_header(&file, image);
    add_pixels(&file, image);
    end_chunk(&file, begin_chunk(&file, "IEND"));
    return file;
}

static struct text obj_of(const struct naive_mesh *mesh)
{
    struct text file = text_new();
    for (int i = 0; i < mesh->corner_count; i++)
        text_add(&file, "v %.17g %.17g %.17g\n", mesh->corners[i][0], mesh->corners[i][1],
                 mesh->corners[i][2]);
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *corners = mesh->triangles[i];
        text_add(&file, "f %d %d %d\n", corners[0] + 1, corners[1] + 1, corners[2] + 1);
    }
    return file;
}

/* The file in base64 as the field `name`, and frees it. */
static void add_file(struct text *text, const char *name, struct text file)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text_add(text, ",\"%s\":{\"data\":\"", name);
    for (size_t i = 0; i < file.length && file.bytes != NULL; i += 3) {
        uint32_t three = 0;
        for (size_t k = 0; k < 3; k++)
            three = three << 8 | (i + k < file.length ? (uint8_t)file.bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            text_add(text, "%c", i + k <= file.length ? digits[three >> (18 - 6 * k) & 63] : '=');
    }
    text_add(text, "\"}");
    if (file.bytes == NULL) {
        free(text->bytes);
        text->bytes = NULL;
    }
    free(file.bytes);
}

/* ---- JSON ---- */

static void add_vector(struct text *text, const char *name, const double v[3])
{
    text_add(text, ",\"%s\":[%.17g,%.17g,%.17g]", name, v[0], v[1], v[2]);
}

static void add_blend(struct text *text, const struct naive_blend *blend)
{
    static const char *const kinds[] = {"hard", "smooth", "chamfer", "stairs"};
    text_add(text, ",\"blend\":{\"type\":\"%s\"", kinds[blend->kind]);
    if (blend->kind != NAIVE_BLEND_HARD)
        text_add(text, ",\"width\":%.17g", blend->width);
    if (blend->kind == NAIVE_BLEND_STAIRS)
        text_add(text, ",\"steps\":%d", blend->steps);
    text_add(text, "}");
}

static void add_place(struct text *text, enum naive_op op, const double at[3])
{
    if (naive_is_height_brush(op))
        text_add(text, "[%.17g,%.17g]", at[0], at[2]);
    else
        text_add(text, "[%.17g,%.17g,%.17g]", at[0], at[1], at[2]);
}

/* Radius (0) or strength (1) along a path: a list where they differ. */
static void add_along(struct text *text, const char *name, const struct naive_point *points, size_t count,
                      int which)
{
    bool equal = true;
    for (size_t i = 1; i < count; i++)
        equal = equal && (which == 0 ? points[i].radius == points[0].radius
                                     : points[i].strength == points[0].strength);
    text_add(text, ",\"%s\":%s", name, equal ? "" : "[");
    for (size_t i = 0; i < (equal ? 1 : count); i++)
        text_add(text, "%s%.17g", i == 0 ? "" : ",", which == 0 ? points[i].radius : points[i].strength);
    text_add(text, "%s", equal ? "" : "]");
}

static void add_places(struct text *text, const struct naive_edit *edit)
{
    const struct naive_point *points = edit->path != NULL ? edit->path : &edit->place;
    const size_t count = edit->path != NULL ? edit->path_count : 1;
    text_add(text, edit->path != NULL ? ",\"path\":[" : ",\"at\":");
    for (size_t i = 0; i < count; i++) {
        text_add(text, "%s", i == 0 ? "" : ",");
        add_place(text, edit->op, points[i].at);
    }
    text_add(text, edit->path != NULL ? "]" : "");
    if (edit->path != NULL && edit->spacing > 0.0)
        text_add(text, ",\"spacing\":%.17g", edit->spacing);
    add_along(text, "radius", points, count, 0);
    if (!naive_has_no_strength(edit->op))
        add_along(text, "strength", points, count, 1);
}

static void add_noise(struct text *text, double scale, int octaves, uint64_t seed)
{
    const char *quote = seed > UINT64_C(9007199254740992) ? "\"" : "";
    text_add(text, ",\"scale\":%.17g,\"octaves\":%d,\"seed\":%s%" PRIu64 "%s", scale, octaves, quote, seed,
             quote);
}

static void add_number(struct text *text, const char *name, double number)
{
    text_add(text, ",\"%s\":%.17g", name, number);
}

static void add_brush(struct text *text, const struct naive_edit *edit)
{
    static const char *const falloffs[] = {"smooth", "smoother", "sphere",         "root",    "sharp",
                                           "pow4",   "linear",   "inverse-square", "constant"};
    const bool has_falloff = !naive_is_paint(edit->op) && edit->op != NAIVE_REDISTANCE;
    add_places(text, edit);
    if (has_falloff)
        text_add(text, ",\"falloff\":\"%s\"", falloffs[edit->falloff]);
    if (has_falloff && edit->falloff == NAIVE_FALLOFF_SHARP)
        text_add(text, ",\"power\":%d", edit->power);
    if (edit->projected)
        add_vector(text, "projected", edit->axis);
    if (edit->op == NAIVE_SET || edit->has_height)
        add_number(text, "height", edit->height);
    if (edit->op == NAIVE_HC_SMOOTH)
        add_number(text, "beta", edit->beta);
    if (edit->op == NAIVE_VOLUME_FLATTEN || edit->op == NAIVE_VOLUME_STAMP)
        add_vector(text, "normal", edit->normal);
    if (edit->has_point)
        add_vector(text, "point", edit->point);
    if (naive_is_noise(edit->op))
        add_noise(text, edit->scale, edit->octaves, edit->seed);
    if (edit->op == NAIVE_GRAB)
        add_vector(text, "by", edit->by);
    if (naive_is_stamp(edit->op)) {
        add_file(text, "image", png_of(edit->image));
        add_number(text, "degrees", edit->degrees);
    }
}

/* The fields of a kind, by what naive_node calls them; NULL: it has none such. */
struct names {
    const char *type, *at, *to, *axis, *along, *size;
    const char *radius, *to_radius, *tube, *length, *degrees, *factor;
};

static const struct names kinds[NAIVE_KIND_COUNT] = {
    [NAIVE_SPHERE] = {.type = "sphere", .at = "center", .radius = "radius"},
    [NAIVE_BOX] = {.type = "box", .at = "center", .size = "size"},
    [NAIVE_CAPSULE] = {.type = "capsule", .at = "from", .to = "to", .radius = "radius"},
    [NAIVE_TORUS] = {.type = "torus", .at = "center", .axis = "axis", .radius = "radius", .tube = "tube"},
    [NAIVE_CYLINDER] = {.type = "cylinder", .at = "from", .to = "to", .radius = "radius"},
    [NAIVE_CONE] = {.type = "cone", .at = "from", .to = "to", .radius = "radius"},
    [NAIVE_ELLIPSOID] = {.type = "ellipsoid", .at = "center", .size = "radii"},
    [NAIVE_CAPPED_CONE] =
        {.type = "capped-cone", .at = "from", .to = "to", .radius = "radius", .to_radius = "to_radius"},
    [NAIVE_ROUNDED_BOX] = {.type = "rounded-box", .at = "center", .size = "size", .radius = "radius"},
    [NAIVE_HALF_SPACE] = {.type = "half-space", .at = "point", .axis = "normal"},
    [NAIVE_PRISM] = {.type = "prism", .at = "from", .to = "to", .radius = "radius"},
    [NAIVE_PYRAMID] = {.type = "pyramid", .at = "center", .size = "size"},
    [NAIVE_OCTAHEDRON] = {.type = "octahedron", .at = "center", .radius = "radius"},
    [NAIVE_LINK] = {.type = "link",
                    .at = "center",
                    .axis = "axis",
                    .along = "along",
                    .radius = "radius",
                    .tube = "tube",
                    .length = "length"},
    [NAIVE_HEIGHT_MAP] = {.type = "height-map", .at = "center", .size = "size"},
    [NAIVE_MESH] = {.type = "mesh"},
    [NAIVE_TUBE] = {.type = "tube"},
    [NAIVE_NODE_UNION] = {.type = "union"},
    [NAIVE_NODE_SUBTRACT] = {.type = "subtract"},
    [NAIVE_NODE_INTERSECT] = {.type = "intersect"},
    [NAIVE_TRANSLATE] = {.type = "translate", .to = "by"},
    [NAIVE_ROTATE] = {.type = "rotate", .at = "about", .axis = "axis", .degrees = "degrees"},
    [NAIVE_SCALE] = {.type = "scale", .at = "about", .factor = "by"},
    [NAIVE_ROUND] = {.type = "round", .length = "by"},
    [NAIVE_ONION] = {.type = "onion", .length = "thickness"},
    [NAIVE_DISPLACE] = {.type = "displace", .length = "strength"},
    [NAIVE_MIRROR] = {.type = "mirror", .at = "point", .axis = "normal"},
    [NAIVE_REPEAT] = {.type = "repeat", .to = "by"},
    [NAIVE_ELONGATE] = {.type = "elongate", .at = "about", .to = "by"},
    [NAIVE_TWIST] = {.type = "twist", .at = "about", .axis = "axis", .degrees = "degrees_per_metre"},
    [NAIVE_BEND] =
        {.type = "bend", .at = "about", .axis = "axis", .along = "along", .degrees = "degrees_per_metre"},
    [NAIVE_TAPER] = {.type = "taper", .at = "from", .to = "to", .factor = "factor"},
};

static void add_tube(struct text *text, const struct naive_node *node)
{
    static const char *const profiles[] = {"round", "square", "arch"};
    for (int i = 0; i < node->path_count; i++) {
        const double *at = node->path[i].at;
        text_add(text, "%s[%.17g,%.17g,%.17g]", i == 0 ? ",\"path\":[" : ",", at[0], at[1], at[2]);
    }
    for (int i = 0; i < node->path_count; i++)
        text_add(text, "%s%.17g", i == 0 ? "],\"radius\":[" : ",", node->path[i].radius);
    text_add(text, "],\"profile\":\"%s\",\"steps\":%d", profiles[node->profile], node->steps);
}

/* What is of one kind only. */
static void add_details(struct text *text, const struct naive_node *node)
{
    switch (node->kind) {
    case NAIVE_PRISM:
        text_add(text, ",\"sides\":%d", node->sides);
        break;
    case NAIVE_REPEAT:
        text_add(text, ",\"count\":[%d,%d,%d]", node->count[0], node->count[1], node->count[2]);
        break;
    case NAIVE_DISPLACE:
        add_noise(text, node->scale, node->octaves, node->seed);
        break;
    case NAIVE_HEIGHT_MAP:
        add_file(text, "image", png_of(node->image));
        break;
    case NAIVE_MESH:
        add_file(text, "mesh", obj_of(node->mesh));
        add_number(text, "cell", node->cell);
        break;
    case NAIVE_TUBE:
        add_tube(text, node);
        break;
    default:
        break;
    }
}

static void add_fields(struct text *text, const struct naive_node *node)
{
    const struct names *names = &kinds[node->kind];
    const struct {
        const char *name;
        const double *vector;
    } vectors[] = {{names->at, node->at},
                   {names->to, node->to},
                   {names->axis, node->axis},
                   {names->along, node->along},
                   {names->size, node->size}};
    const struct {
        const char *name;
        double number;
    } numbers[] = {{names->radius, node->radius},   {names->to_radius, node->to_radius},
                   {names->tube, node->tube},       {names->length, node->length},
                   {names->degrees, node->degrees}, {names->factor, node->factor}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i].name != NULL)
            add_vector(text, vectors[i].name, vectors[i].vector);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].name != NULL)
            add_number(text, numbers[i].name, numbers[i].number);
    add_details(text, node);
}

static void add_shape(struct text *text, const struct naive_node *nodes, size_t *next)
{
    const struct naive_node *node = &nodes[(*next)++];
    const bool is_operation = naive_is_operation(node->kind);
    text_add(text, "{\"type\":\"%s\"", kinds[node->kind].type);
    add_fields(text, node);
    if (is_operation)
        add_blend(text, &node->blend);
    if (node->children > 0)
        text_add(text, ",\"of\":%s", is_operation ? "[" : "");
    for (int i = 0; i < node->children; i++) {
        text_add(text, "%s", i == 0 ? "" : ",");
        add_shape(text, nodes, next);
    }
    text_add(text, "%s}", is_operation ? "]" : "");
}

static void add_shape_edit(struct text *text, const struct naive_edit *edit)
{
    size_t next = 0;
    text_add(text, ",\"shape\":");
    add_shape(text, edit->shape, &next);
    if (edit->op != NAIVE_SHAPE_PAINT)
        add_blend(text, &edit->blend);
    if (edit->has_within) {
        text_add(text, ",\"within\":{\"min\":[%.17g,%.17g,%.17g]", edit->within[0][0], edit->within[0][1],
                 edit->within[0][2]);
        add_vector(text, "max", edit->within[1]);
        text_add(text, "}");
    }
}

char *log_gen_json(const struct naive_edit *edits, size_t count)
{
    static const char *const ops[] = {"raise",      "lower", "smooth", "hc-smooth", "flatten",   "set",
                                      "noise",      "stamp", "paint",  "add",       "subtract",  "smooth",
                                      "flatten",    "noise", "stamp",  "inflate",   "pinch",     "grab",
                                      "redistance", "paint", "union",  "subtract",  "intersect", "paint"};
    struct text text = text_new();
    text_add(&text, "{\"format\":\"terrain-edits\",\"version\":1,\"edits\":[");
    for (size_t i = 0; i < count; i++) {
        const struct naive_edit *edit = &edits[i];
        text_add(&text, "%s\n{\"id\":\"e%zu\",\"op\":\"%s\"", i == 0 ? "" : ",", i + 1, ops[edit->op]);
        if (naive_is_shape(edit->op))
            add_shape_edit(&text, edit);
        else
            add_brush(&text, edit);
        if (naive_is_paint(edit->op))
            text_add(&text, ",\"material\":%d", edit->material);
        text_add(&text, "}");
    }
    text_add(&text, "\n]}\n");
    return text.bytes;
}
