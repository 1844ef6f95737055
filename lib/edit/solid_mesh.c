/* Solids from files: OBJ after Wavefront's "Object Files" (appendix B1 of the Advanced Visualizer manual),
 * PLY after Greg Turk's "The PLY Polygon File Format".
 *
 * Both readers fill a soup of vertices and triangles, which grows with what is really read: what a PLY
 * header claims takes no memory. Then one path makes the soup a solid: weld, drop the degenerate, check
 * each edge, turn outward.
 *
 * Nothing here takes more than n log n time, whatever the input. Positions are sorted to weld them (a hash
 * table could be flooded), edges are sorted at their smaller end. Vertices are numbered in the order of the
 * file all along, so "the first edge" is the same for the same file everywhere. */
#include "lib/edit/solid_mesh.h"

#include "lib/base/alloc.h"
#include "lib/base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- text --- */

#define SHOWN_BYTES_MAX 40 /* of a token, in messages */

struct token {
    const char *text; /* NULL at the end */
    size_t size_bytes;
    uint32_t line;
};

struct scanner {
    const char *at, *end;
    uint32_t line; /* from 1; files are below 2^30 bytes */
};

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* Steps over one line end: \n, \r\n or \r. */
static void line_end(struct scanner *scanner)
{
    if (scanner->at == scanner->end)
        return;
    if (*scanner->at == '\r' && scanner->end - scanner->at > 1 && scanner->at[1] == '\n')
        scanner->at++;
    scanner->at++;
    scanner->line++;
}

/* The next token of this line; none leaves the scanner at the line's end. */
static struct token token_on_line(struct scanner *scanner)
{
    struct token token = {0};

    while (scanner->at < scanner->end && is_blank(*scanner->at))
        scanner->at++;
    token.line = scanner->line;
    if (scanner->at == scanner->end || is_line_end(*scanner->at))
        return token;
    token.text = scanner->at;
    while (scanner->at < scanner->end && !is_blank(*scanner->at) && !is_line_end(*scanner->at))
        scanner->at++;
    token.size_bytes = (size_t)(scanner->at - token.text);
    return token;
}

/* The next token of the text. */
static struct token token_next(struct scanner *scanner)
{
    struct token token = token_on_line(scanner);

    while (!token.text && scanner->at < scanner->end) {
        line_end(scanner);
        token = token_on_line(scanner);
    }
    return token;
}

static void line_skip(struct scanner *scanner)
{
    while (scanner->at < scanner->end && !is_line_end(*scanner->at))
        scanner->at++;
    line_end(scanner);
}

static int token_shown_bytes(struct token token)
{
    return token.size_bytes < SHOWN_BYTES_MAX ? (int)token.size_bytes : SHOWN_BYTES_MAX;
}

static bool token_equal(struct token a, struct token b)
{
    return a.size_bytes == b.size_bytes && memcmp(a.text, b.text, a.size_bytes) == 0;
}

static bool token_is(struct token token, const char *word)
{
    return token.text && token.size_bytes == strlen(word) && memcmp(token.text, word, token.size_bytes) == 0;
}

/* Where something stands, as messages say it behind the file's name. */
struct place {
    char text[32];
};

static struct place place_line(uint32_t line)
{
    struct place place;
    snprintf(place.text, sizeof place.text, ":%u", line);
    return place;
}

static struct place place_byte(size_t offset_bytes)
{
    struct place place;
    snprintf(place.text, sizeof place.text, ": byte %zu", offset_bytes);
    return place;
}

/* --- soup --- */

struct soup {
    const char *name; /* of the file */
    double (*positions)[3];
    size_t vertex_count, vertex_capacity;
    uint32_t (*triangles)[3];
    size_t triangle_count, triangle_capacity;
};

static void soup_release(struct soup *soup)
{
    free(soup->positions);
    free(soup->triangles);
    *soup = (struct soup){0};
}

static enum tr_status soup_add_vertex(struct soup *soup, const double position[3], struct place place,
                                      struct tr_error *error)
{
    enum tr_status status;

    for (int axis = 0; axis < 3; axis++)
        if (!(position[axis] >= -TR_SOLID_MESH_COORDINATE_MAX &&
              position[axis] <= TR_SOLID_MESH_COORDINATE_MAX))
            return tr_fail(error, TR_BAD_INPUT, "%s%s: vertex with %c = %.9g, expected a number within +-1e9",
                           soup->name, place.text, "xyz"[axis], position[axis]);
    if (soup->vertex_count == TR_SOLID_MESH_VERTICES_MAX)
        return tr_fail(error, TR_BAD_INPUT, "%s%s: more vertices than %u, the most of a mesh", soup->name,
                       place.text, TR_SOLID_MESH_VERTICES_MAX);
    status = tr_grow(&soup->positions, &soup->vertex_capacity, soup->vertex_count + 1,
                     sizeof *soup->positions, error);
    if (status != TR_OK)
        return status;
    for (int axis = 0; axis < 3; axis++)
        soup->positions[soup->vertex_count][axis] =
            position[axis] + 0.0; /* -0 becomes 0: they are one place */
    soup->vertex_count++;
    return TR_OK;
}

/* A polygon being read: corners so far, the first and the last. */
struct fan {
    uint32_t corner_count, first, last;
};

static enum tr_status fan_add(struct fan *fan, uint32_t vertex, struct soup *soup, struct place place,
                              struct tr_error *error)
{
    if (fan->corner_count == 0)
        fan->first = vertex;
    if (fan->corner_count >= 2) {
        uint32_t *triangle;
        enum tr_status status;
        if (soup->triangle_count == TR_SOLID_MESH_TRIANGLES_MAX)
            return tr_fail(error, TR_BAD_INPUT, "%s%s: more triangles than %u, the most of a mesh",
                           soup->name, place.text, TR_SOLID_MESH_TRIANGLES_MAX);
        status = tr_grow(&soup->triangles, &soup->triangle_capacity, soup->triangle_count + 1,
                         sizeof *soup->triangles, error);
        if (status != TR_OK)
            return status;
        triangle = soup->triangles[soup->triangle_count++];
        triangle[0] = fan->first;
        triangle[1] = fan->last;
        triangle[2] = vertex;
    }
    fan->last = vertex;
    fan->corner_count++;
    return TR_OK;
}

static enum tr_status fan_check(const struct fan *fan, const struct soup *soup, struct place place,
                                struct tr_error *error)
{
    if (fan->corner_count < 3)
        return tr_fail(error, TR_BAD_INPUT, "%s%s: face with %u corners, expected at least 3", soup->name,
                       place.text, fan->corner_count);
    return TR_OK;
}

/* --- OBJ --- */

/* The greatest vertex number that a face has used, for faces that stand before their vertices. */
struct reference {
    int64_t vertex;
    uint32_t line;
};

/* The next token of a statement: a comment ends it, a backslash before the line's end continues it. */
static struct token obj_token(struct scanner *scanner)
{
    struct token token = token_on_line(scanner);

    while (token_is(token, "\\") && (scanner->at == scanner->end || is_line_end(*scanner->at))) {
        line_end(scanner);
        token = token_on_line(scanner);
    }
    if (token.text && *token.text == '#')
        token.text = NULL;
    return token;
}

static enum tr_status obj_vertex(struct scanner *scanner, struct soup *soup, struct tr_error *error)
{
    uint32_t line = scanner->line;
    double position[3];

    for (int axis = 0; axis < 3; axis++) {
        struct token token = obj_token(scanner);
        if (!token.text)
            return tr_fail(error, TR_BAD_INPUT, "%s:%u: vertex with %d numbers, expected 3", soup->name, line,
                           axis);
        if (!tr_number_parse(token.text, token.size_bytes, &position[axis]))
            return tr_fail(error, TR_BAD_INPUT, "%s:%u: vertex with %c = '%.*s', expected a number",
                           soup->name, token.line, "xyz"[axis], token_shown_bytes(token), token.text);
    }
    return soup_add_vertex(soup, position, place_line(line), error);
}

/* Takes an integer of at most 10 digits from the front of *text. */
static bool integer_take(const char **text, const char *end, int64_t *value)
{
    bool is_negative = *text < end && **text == '-';
    int digits = 0;

    *value = 0;
    for (*text += is_negative; *text < end && **text >= '0' && **text <= '9'; (*text)++) {
        *value = 10 * *value + (**text - '0');
        if (++digits > 10)
            return false;
    }
    if (is_negative)
        *value = -*value;
    return digits > 0;
}

/* A corner: v, and behind up to two slashes numbers that are not used, either of them optional. */
static bool corner_parse(struct token token, int64_t *vertex)
{
    const char *at = token.text, *end = token.text + token.size_bytes;

    if (!integer_take(&at, end, vertex))
        return false;
    for (int i = 0; i < 2 && at < end && *at == '/'; i++) {
        int64_t unused;
        at++;
        if (at < end && *at != '/' && !integer_take(&at, end, &unused))
            return false;
    }
    return at == end;
}

static enum tr_status obj_face(struct scanner *scanner, struct soup *soup, struct reference *greatest,
                               struct tr_error *error)
{
    struct place place = place_line(scanner->line);
    struct fan fan = {0};

    for (struct token token = obj_token(scanner); token.text; token = obj_token(scanner)) {
        int64_t vertex;
        enum tr_status status;
        if (!corner_parse(token, &vertex))
            return tr_fail(error, TR_BAD_INPUT,
                           "%s:%u: corner '%.*s', expected v, v/vt, v//vn or v/vt/vn in whole numbers",
                           soup->name, token.line, token_shown_bytes(token), token.text);
        if (vertex < 0)
            vertex += (int64_t)soup->vertex_count + 1;
        if (vertex < 1 || vertex > TR_SOLID_MESH_VERTICES_MAX)
            return tr_fail(error, TR_BAD_INPUT,
                           "%s:%u: corner '%.*s', expected a vertex from 1 or, negative, of the %zu so far",
                           soup->name, token.line, token_shown_bytes(token), token.text, soup->vertex_count);
        if (vertex > greatest->vertex)
            *greatest = (struct reference){vertex, token.line};
        status = fan_add(&fan, (uint32_t)(vertex - 1), soup, place, error);
        if (status != TR_OK)
            return status;
    }
    return fan_check(&fan, soup, place, error);
}

static enum tr_status obj_read(struct scanner scanner, struct soup *soup, struct tr_error *error)
{
    struct reference greatest = {0};

    for (; scanner.at < scanner.end; line_skip(&scanner)) {
        struct token keyword = obj_token(&scanner);
        enum tr_status status = TR_OK;
        if (token_is(keyword, "v"))
            status = obj_vertex(&scanner, soup, error);
        else if (token_is(keyword, "f"))
            status = obj_face(&scanner, soup, &greatest, error);
        if (status != TR_OK)
            return status;
    }
    if (greatest.vertex > (int64_t)soup->vertex_count)
        return tr_fail(error, TR_BAD_INPUT, "%s:%u: corner at vertex %lld, expected at most %zu, the last",
                       soup->name, greatest.line, (long long)greatest.vertex, soup->vertex_count);
    return TR_OK;
}

/* --- PLY: header --- */

enum scalar { I8, U8, I16, U16, I32, U32, F32, F64, SCALAR_COUNT };

static const struct {
    const char *name, *other_name;
    size_t size_bytes;
} scalars[SCALAR_COUNT] = {{"char", "int8", 1},     {"uchar", "uint8", 1},   {"short", "int16", 2},
                           {"ushort", "uint16", 2}, {"int", "int32", 4},     {"uint", "uint32", 4},
                           {"float", "float32", 4}, {"double", "float64", 8}};

enum ply_format { PLY_ASCII, PLY_LITTLE_ENDIAN, PLY_BIG_ENDIAN, PLY_FORMAT_COUNT };
static const char *const ply_formats[PLY_FORMAT_COUNT] = {"ascii", "binary_little_endian",
                                                          "binary_big_endian"};

#define PLY_ELEMENTS_MAX 64
#define PLY_PROPERTIES_MAX 256 /* of all elements */

struct ply_property {
    struct token name;
    bool is_list;
    enum scalar count_type; /* of a list's length */
    enum scalar type;
};

struct ply_element {
    struct token name;
    uint32_t count;
    size_t first, end; /* its properties */
};

struct ply {
    struct soup *soup;
    const char *begin; /* of the file */
    struct scanner scanner;
    enum ply_format format;
    size_t element_count, property_count;
    struct ply_element elements[PLY_ELEMENTS_MAX];
    struct ply_property properties[PLY_PROPERTIES_MAX];
    const struct ply_element *element; /* being read, and which of them, from 0 */
    uint32_t record;
};

static enum tr_status ply_format(struct ply *ply, struct tr_error *error)
{
    uint32_t line = ply->scanner.line;
    struct token format = token_on_line(&ply->scanner), version = token_on_line(&ply->scanner);
    int i = 0;

    while (i < PLY_FORMAT_COUNT && !token_is(format, ply_formats[i]))
        i++;
    if (i == PLY_FORMAT_COUNT || !token_is(version, "1.0"))
        return tr_fail(
            error, TR_BAD_INPUT,
            "%s:%u: format '%.*s %.*s', expected ascii, binary_little_endian or binary_big_endian, 1.0",
            ply->soup->name, line, token_shown_bytes(format), format.text ? format.text : "",
            token_shown_bytes(version), version.text ? version.text : "");
    ply->format = (enum ply_format)i;
    return TR_OK;
}

static bool whole_number(double value, double max, uint32_t *out)
{
    if (!(value >= 0.0 && value <= max) || value != floor(value))
        return false;
    *out = (uint32_t)value;
    return true;
}

static enum tr_status ply_element(struct ply *ply, struct tr_error *error)
{
    uint32_t line = ply->scanner.line;
    struct token name = token_on_line(&ply->scanner), count = token_on_line(&ply->scanner);
    struct ply_element *element = &ply->elements[ply->element_count];
    double max = UINT32_MAX, value;

    if (!name.text || !count.text)
        return tr_fail(error, TR_BAD_INPUT, "%s:%u: element without a name and a count", ply->soup->name,
                       line);
    if (ply->element_count == PLY_ELEMENTS_MAX)
        return tr_fail(error, TR_BAD_INPUT, "%s:%u: more than %d elements", ply->soup->name, line,
                       PLY_ELEMENTS_MAX);
    for (size_t i = 0; i < ply->element_count; i++)
        if (token_equal(ply->elements[i].name, name))
            return tr_fail(error, TR_BAD_INPUT, "%s:%u: element '%.*s' stands twice, first on line %u",
                           ply->soup->name, line, token_shown_bytes(name), name.text,
                           ply->elements[i].name.line);
    if (token_is(name, "vertex"))
        max = TR_SOLID_MESH_VERTICES_MAX;
    if (token_is(name, "face"))
        max = TR_SOLID_MESH_TRIANGLES_MAX;
    if (!tr_number_parse(count.text, count.size_bytes, &value) || !whole_number(value, max, &element->count))
        return tr_fail(error, TR_BAD_INPUT,
                       "%s:%u: '%.*s' of element '%.*s', expected a whole number up to %.0f", ply->soup->name,
                       line, token_shown_bytes(count), count.text, token_shown_bytes(name), name.text, max);
    element->name = name;
    element->first = element->end = ply->property_count;
    ply->element_count++;
    return TR_OK;
}

static enum tr_status ply_type(struct ply *ply, struct token token, enum scalar *type, struct tr_error *error)
{
    for (int i = 0; i < SCALAR_COUNT; i++)
        if (token_is(token, scalars[i].name) || token_is(token, scalars[i].other_name)) {
            *type = (enum scalar)i;
            return TR_OK;
        }
    return tr_fail(error, TR_BAD_INPUT,
                   "%s:%u: type '%.*s', expected char, uchar, short, ushort, int, uint, float or double",
                   ply->soup->name, token.line, token_shown_bytes(token), token.text ? token.text : "");
}

static enum tr_status ply_property(struct ply *ply, struct tr_error *error)
{
    uint32_t line = ply->scanner.line;
    struct token token = token_on_line(&ply->scanner);
    struct ply_element *element;
    struct ply_property *property;
    enum tr_status status = TR_OK;

    if (ply->element_count == 0)
        return tr_fail(error, TR_BAD_INPUT, "%s:%u: property before the first element", ply->soup->name,
                       line);
    if (ply->property_count == PLY_PROPERTIES_MAX)
        return tr_fail(error, TR_BAD_INPUT, "%s:%u: more than %d properties", ply->soup->name, line,
                       PLY_PROPERTIES_MAX);
    element = &ply->elements[ply->element_count - 1];
    property = &ply->properties[ply->property_count];
    *property = (struct ply_property){.is_list = token_is(token, "list")};
    if (property->is_list) {
        status = ply_type(ply, token_on_line(&ply->scanner), &property->count_type, error);
        token = token_on_line(&ply->scanner);
    }
    if (status == TR_OK)
        status = ply_type(ply, token, &property->type, error);
    if (status != TR_OK)
        return status;
    property->name = token_on_line(&ply->scanner);
    if (!property->name.text)
        return tr_fail(error, TR_BAD_INPUT, "%s:%u: property without a name", ply->soup->name, line);
    for (size_t i = element->first; i < element->end; i++)
        if (token_equal(ply->properties[i].name, property->name))
            return tr_fail(error, TR_BAD_INPUT, "%s:%u: property '%.*s' stands twice, first on line %u",
                           ply->soup->name, line, token_shown_bytes(property->name), property->name.text,
                           ply->properties[i].name.line);
    element->end = ++ply->property_count;
    return TR_OK;
}

/* Reads the header; the scanner is left at the first byte behind it. */
static enum tr_status ply_header(struct ply *ply, struct tr_error *error)
{
    ply->format = PLY_FORMAT_COUNT;
    for (line_skip(&ply->scanner); ply->scanner.at < ply->scanner.end; line_skip(&ply->scanner)) {
        struct token keyword = token_on_line(&ply->scanner);
        enum tr_status status = TR_OK;
        if (token_is(keyword, "format"))
            status = ply_format(ply, error);
        else if (token_is(keyword, "element"))
            status = ply_element(ply, error);
        else if (token_is(keyword, "property"))
            status = ply_property(ply, error);
        else if (token_is(keyword, "end_header"))
            break;
        else if (keyword.text && !token_is(keyword, "comment") && !token_is(keyword, "obj_info"))
            status =
                tr_fail(error, TR_BAD_INPUT,
                        "%s:%u: '%.*s', expected format, element, property, comment, obj_info or end_header",
                        ply->soup->name, keyword.line, token_shown_bytes(keyword), keyword.text);
        if (status != TR_OK)
            return status;
    }
    if (ply->scanner.at == ply->scanner.end)
        return tr_fail(error, TR_BAD_INPUT,
                       "%s:%u: the file ends in its header, expected end_header and data", ply->soup->name,
                       ply->scanner.line);
    if (ply->format == PLY_FORMAT_COUNT)
        return tr_fail(error, TR_BAD_INPUT, "%s:%u: header without a format", ply->soup->name,
                       ply->scanner.line);
    line_skip(&ply->scanner);
    return TR_OK;
}

static const struct ply_element *ply_find_element(const struct ply *ply, const char *name)
{
    for (size_t i = 0; i < ply->element_count; i++)
        if (token_is(ply->elements[i].name, name))
            return &ply->elements[i];
    return NULL;
}

static bool ply_has(const struct ply *ply, const struct ply_element *element, const char *name, bool is_list)
{
    for (size_t i = element->first; i < element->end; i++)
        if (token_is(ply->properties[i].name, name) && ply->properties[i].is_list == is_list)
            return true;
    return false;
}

static bool is_corner_list(const struct ply_property *property)
{
    return property->is_list &&
           (token_is(property->name, "vertex_indices") || token_is(property->name, "vertex_index"));
}

/* Whether the elements are those of a mesh. */
static enum tr_status ply_check(const struct ply *ply, struct tr_error *error)
{
    const struct ply_element *vertex = ply_find_element(ply, "vertex"), *face = ply_find_element(ply, "face");

    if (!vertex || !ply_has(ply, vertex, "x", false) || !ply_has(ply, vertex, "y", false) ||
        !ply_has(ply, vertex, "z", false))
        return tr_fail(error, TR_BAD_INPUT, "%s: header has no element 'vertex' with x, y and z",
                       ply->soup->name);
    if (vertex->count == 0)
        return tr_fail(error, TR_BAD_INPUT, "%s:%u: 0 vertices, expected a mesh", ply->soup->name,
                       vertex->name.line);
    if (!face || ply_has(ply, face, "vertex_indices", true) == ply_has(ply, face, "vertex_index", true))
        return tr_fail(error, TR_BAD_INPUT,
                       "%s: header has no element 'face' with one list 'vertex_indices' or 'vertex_index'",
                       ply->soup->name);
    return TR_OK;
}

/* --- PLY: data --- */

static struct place ply_place(const struct ply *ply, struct token item)
{
    return ply->format == PLY_ASCII ? place_line(item.line) : place_byte((size_t)(item.text - ply->begin));
}

/* Takes the next number, as text or as bytes. */
static enum tr_status ply_take(struct ply *ply, enum scalar type, struct token *item, struct tr_error *error)
{
    struct scanner *scanner = &ply->scanner;
    size_t size_bytes = scalars[type].size_bytes;

    if (ply->format == PLY_ASCII) {
        *item = token_next(scanner);
    } else {
        bool has = (size_t)(scanner->end - scanner->at) >= size_bytes;
        *item = (struct token){has ? scanner->at : NULL, size_bytes, 0};
        scanner->at = has ? scanner->at + size_bytes : scanner->end;
    }
    if (!item->text)
        return tr_fail(error, TR_BAD_INPUT, "%s%s: the file ends in %.*s %u of %u", ply->soup->name,
                       ply_place(ply, (struct token){scanner->at, 0, scanner->line}).text,
                       token_shown_bytes(ply->element->name), ply->element->name.text, ply->record + 1,
                       ply->element->count);
    return TR_OK;
}

static double scalar_value(const char *bytes, enum scalar type, bool is_big_endian)
{
    size_t size_bytes = scalars[type].size_bytes;
    uint64_t bits = 0;
    float single;
    double value;

    for (size_t i = 0; i < size_bytes; i++)
        bits = bits << 8 | (uint8_t)bytes[is_big_endian ? i : size_bytes - 1 - i];
    switch (type) {
    case I8:
        return (double)(int8_t)bits;
    case I16:
        return (double)(int16_t)bits;
    case I32:
        return (double)(int32_t)bits;
    case F32: {
        uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    case F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return (double)bits;
    }
}

static enum tr_status ply_value(struct ply *ply, enum scalar type, double *value, struct token *item,
                                struct tr_error *error)
{
    enum tr_status status = ply_take(ply, type, item, error);

    if (status != TR_OK)
        return status;
    if (ply->format != PLY_ASCII)
        *value = scalar_value(item->text, type, ply->format == PLY_BIG_ENDIAN);
    else if (!tr_number_parse(item->text, item->size_bytes, value))
        return tr_fail(error, TR_BAD_INPUT, "%s:%u: '%.*s' in %.*s %u, expected a number", ply->soup->name,
                       item->line, token_shown_bytes(*item), item->text,
                       token_shown_bytes(ply->element->name), ply->element->name.text, ply->record + 1);
    return TR_OK;
}

/* A whole number up to max; `what` it is, for the message. */
static enum tr_status ply_whole(struct ply *ply, enum scalar type, uint32_t max, const char *what,
                                uint32_t *out, struct token *item, struct tr_error *error)
{
    double value = 0.0;
    enum tr_status status = ply_value(ply, type, &value, item, error);

    if (status == TR_OK && !whole_number(value, max, out))
        status =
            tr_fail(error, TR_BAD_INPUT, "%s%s: %s %.9g in %.*s %u, expected a whole number up to %u",
                    ply->soup->name, ply_place(ply, *item).text, what, value,
                    token_shown_bytes(ply->element->name), ply->element->name.text, ply->record + 1, max);
    return status;
}

static enum tr_status ply_skip(struct ply *ply, const struct ply_property *property, struct tr_error *error)
{
    struct token item;
    uint32_t count = 1;
    enum tr_status status = TR_OK;

    if (property->is_list)
        status = ply_whole(ply, property->count_type, UINT32_MAX, "length", &count, &item, error);
    for (; status == TR_OK && count > 0; count--) /* ends with the file at the latest */
        status = ply_take(ply, property->type, &item, error);
    return status;
}

/* 0, 1, 2 for x, y, z, else -1. */
static int axis_of(const struct ply_property *property)
{
    char name = property->name.size_bytes == 1 ? *property->name.text : '\0';
    return name >= 'x' && name <= 'z' ? name - 'x' : -1;
}

static enum tr_status ply_vertex(struct ply *ply, struct tr_error *error)
{
    double position[3] = {0};
    struct token item = {0};

    for (size_t i = ply->element->first; i < ply->element->end; i++) {
        const struct ply_property *property = &ply->properties[i];
        int axis = axis_of(property);
        enum tr_status status = axis >= 0 ? ply_value(ply, property->type, &position[axis], &item, error)
                                          : ply_skip(ply, property, error);
        if (status != TR_OK)
            return status;
    }
    return soup_add_vertex(ply->soup, position, ply_place(ply, item), error);
}

static enum tr_status ply_corners(struct ply *ply, const struct ply_property *property, uint32_t vertex_count,
                                  struct tr_error *error)
{
    struct token length, item;
    struct fan fan = {0};
    uint32_t count, vertex = 0;
    enum tr_status status =
        ply_whole(ply, property->count_type, UINT32_MAX, "length", &count, &length, error);

    if (status != TR_OK)
        return status;
    for (; count > 0; count--) {
        status = ply_whole(ply, property->type, vertex_count - 1, "vertex", &vertex, &item, error);
        if (status == TR_OK)
            status = fan_add(&fan, vertex, ply->soup, ply_place(ply, item), error);
        if (status != TR_OK)
            return status;
    }
    return fan_check(&fan, ply->soup, ply_place(ply, length), error);
}

static enum tr_status ply_face(struct ply *ply, uint32_t vertex_count, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (size_t i = ply->element->first; status == TR_OK && i < ply->element->end; i++) {
        const struct ply_property *property = &ply->properties[i];
        status = is_corner_list(property) ? ply_corners(ply, property, vertex_count, error)
                                          : ply_skip(ply, property, error);
    }
    return status;
}

static enum tr_status ply_other(struct ply *ply, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (size_t i = ply->element->first; status == TR_OK && i < ply->element->end; i++)
        status = ply_skip(ply, &ply->properties[i], error);
    return status;
}

static enum tr_status ply_data(struct ply *ply, struct tr_error *error)
{
    const struct ply_element *vertex = ply_find_element(ply, "vertex"), *face = ply_find_element(ply, "face");

    for (size_t i = 0; i < ply->element_count; i++) {
        ply->element = &ply->elements[i];
        if (ply->element->first == ply->element->end)
            continue; /* without properties it takes no bytes, however many it claims to be */
        for (ply->record = 0; ply->record < ply->element->count; ply->record++) {
            enum tr_status status = ply->element == vertex ? ply_vertex(ply, error)
                                    : ply->element == face ? ply_face(ply, vertex->count, error)
                                                           : ply_other(ply, error);
            if (status != TR_OK)
                return status;
        }
    }
    return TR_OK;
}

/* Whether the file ends where its data does. */
static enum tr_status ply_end(struct ply *ply, struct tr_error *error)
{
    struct token rest = {ply->scanner.at, (size_t)(ply->scanner.end - ply->scanner.at), 0};

    if (ply->format == PLY_ASCII)
        rest = token_next(&ply->scanner);
    if (!rest.text || rest.size_bytes == 0)
        return TR_OK;
    return tr_fail(error, TR_BAD_INPUT, "%s%s: more behind the last element, expected the end of the file",
                   ply->soup->name, ply_place(ply, rest).text);
}

static enum tr_status ply_read(struct scanner scanner, struct soup *soup, struct tr_error *error)
{
    struct ply ply = {.soup = soup, .begin = scanner.at, .scanner = scanner};
    enum tr_status status = ply_header(&ply, error);

    if (status == TR_OK)
        status = ply_check(&ply, error);
    if (status == TR_OK)
        status = ply_data(&ply, error);
    if (status == TR_OK)
        status = ply_end(&ply, error);
    return status;
}

static bool is_ply(const char *text, size_t size_bytes)
{
    return size_bytes >= 4 && memcmp(text, "ply", 3) == 0 && is_line_end(text[3]);
}

/* --- solid --- */

struct corner {
    double at[3];
    uint32_t vertex;
};

static int corner_compare(const void *left, const void *right)
{
    const struct corner *a = left, *b = right;

    for (int axis = 0; axis < 3; axis++)
        if (a->at[axis] != b->at[axis])
            return a->at[axis] < b->at[axis] ? -1 : 1;
    return a->vertex < b->vertex ? -1 : 1;
}

/* same[v]: the first vertex of the file at the position of v. */
static enum tr_status weld(const struct soup *soup, uint32_t *same, struct tr_error *error)
{
    struct corner *corners = tr_alloc(soup->vertex_count, sizeof *corners, error);

    if (!corners)
        return TR_IO;
    for (size_t i = 0; i < soup->vertex_count; i++) {
        memcpy(corners[i].at, soup->positions[i], sizeof corners[i].at);
        corners[i].vertex = (uint32_t)i;
    }
    qsort(corners, soup->vertex_count, sizeof *corners, corner_compare);
    for (size_t i = 0, first = 0; i < soup->vertex_count; i++) {
        if (memcmp(corners[i].at, corners[first].at, sizeof corners[i].at) != 0)
            first = i;
        same[corners[i].vertex] = corners[first].vertex;
    }
    free(corners);
    return TR_OK;
}

/* Welds the soup's triangles and drops those with two equal corners. */
static void drop_degenerate(struct soup *soup, const uint32_t *same)
{
    size_t kept = 0;

    for (size_t i = 0; i < soup->triangle_count; i++) {
        uint32_t a = same[soup->triangles[i][0]], b = same[soup->triangles[i][1]],
                 c = same[soup->triangles[i][2]];
        if (a == b || b == c || c == a)
            continue;
        soup->triangles[kept][0] = a;
        soup->triangles[kept][1] = b;
        soup->triangles[kept][2] = c;
        kept++;
    }
    soup->triangle_count = kept;
}

/* Leaves out the vertices that no triangle uses; `number` has room for one number a vertex. */
static void drop_unused(struct soup *soup, uint32_t *number)
{
    uint32_t kept = 0;

    memset(number, 0, soup->vertex_count * sizeof *number);
    for (size_t i = 0; i < soup->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            number[soup->triangles[i][k]] = 1;
    for (size_t i = 0; i < soup->vertex_count; i++)
        if (number[i]) {
            memmove(soup->positions[kept], soup->positions[i], sizeof *soup->positions);
            number[i] = kept++;
        }
    for (size_t i = 0; i < soup->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            soup->triangles[i][k] = number[soup->triangles[i][k]];
    soup->vertex_count = kept;
}

/* Vertices become different, used ones, triangles proper ones. */
static enum tr_status soup_clean(struct soup *soup, struct tr_error *error)
{
    uint32_t *numbers = tr_alloc(soup->vertex_count, sizeof *numbers, error);
    enum tr_status status = numbers ? weld(soup, numbers, error) : TR_IO;

    if (status == TR_OK) {
        drop_degenerate(soup, numbers);
        drop_unused(soup, numbers);
    }
    free(numbers);
    return status;
}

/* Directed edges by their smaller end a: other end << 1 | 1 where the edge runs towards a. Those of a are
 * ends[first[a]] up to ends[first[a + 1] - 1]. */
struct edges {
    uint32_t *first;
    uint32_t *ends;
};

static int end_compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static enum tr_status edges_make(struct edges *edges, const struct soup *soup, struct tr_error *error)
{
    edges->first = tr_alloc(soup->vertex_count + 2, sizeof *edges->first, error);
    edges->ends = edges->first ? tr_alloc(3 * soup->triangle_count, sizeof *edges->ends, error) : NULL;
    if (!edges->ends)
        return TR_IO;
    for (size_t i = 0; i < soup->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            uint32_t from = soup->triangles[i][k], to = soup->triangles[i][(k + 1) % 3];
            edges->first[(from < to ? from : to) + 2]++;
        }
    for (size_t i = 2; i < soup->vertex_count + 2; i++)
        edges->first[i] += edges->first[i - 1];
    for (size_t i = 0; i < soup->triangle_count; i++) /* moves each first to its place */
        for (int k = 0; k < 3; k++) {
            uint32_t from = soup->triangles[i][k], to = soup->triangles[i][(k + 1) % 3];
            edges->ends[edges->first[(from < to ? from : to) + 1]++] = from < to ? to << 1 : from << 1 | 1;
        }
    for (size_t i = 0; i < soup->vertex_count; i++)
        qsort(edges->ends + edges->first[i], edges->first[i + 1] - edges->first[i], sizeof *edges->ends,
              end_compare);
    return TR_OK;
}

/* An edge that does not run once each way. */
struct open_edge {
    uint32_t from, to;
    uint32_t along, against; /* how often it runs from -> to, and to -> from */
};

static uint64_t open_edges_find(const struct edges *edges, const struct soup *soup, struct open_edge *first)
{
    uint64_t count = 0;

    for (uint32_t vertex = 0; vertex < soup->vertex_count; vertex++)
        for (uint32_t i = edges->first[vertex], end = edges->first[vertex + 1]; i < end;) {
            struct open_edge edge = {vertex, edges->ends[i] >> 1, 0, 0};
            for (; i < end && edges->ends[i] >> 1 == edge.to; i++) {
                edge.along += !(edges->ends[i] & 1);
                edge.against += edges->ends[i] & 1;
            }
            if (edge.along == 1 && edge.against == 1)
                continue;
            if (count++ == 0)
                *first = edge;
        }
    return count;
}

static const char *position_text(const double position[3], char text[112])
{
    char number[3][32];

    for (int axis = 0; axis < 3; axis++)
        tr_number_text(position[axis], number[axis]);
    snprintf(text, 112, "(%s, %s, %s)", number[0], number[1], number[2]);
    return text;
}

static enum tr_status check_closed(const struct soup *soup, struct tr_error *error)
{
    struct edges edges = {0};
    struct open_edge first = {0};
    uint64_t count = 0;
    enum tr_status status = edges_make(&edges, soup, error);

    if (status == TR_OK)
        count = open_edges_find(&edges, soup, &first);
    if (count > 0) {
        char from[112], to[112];
        status =
            tr_fail(error, TR_BAD_INPUT,
                    "%s: not closed: triangles along the edge from %s to %s: %u, against it: %u, expected "
                    "1 and 1; such edges in all: %llu",
                    soup->name, position_text(soup->positions[first.from], from),
                    position_text(soup->positions[first.to], to), first.along, first.against,
                    (unsigned long long)count);
    }
    free(edges.first);
    free(edges.ends);
    return status;
}

/* Six times the signed volume of the triangle's tetrahedron with the point `apex`; *scale gets the sum of the
 * products' magnitudes, which bounds its error. */
static double volume_term(const struct tr_solid_mesh *mesh, uint32_t triangle, const double apex[3],
                          double *scale)
{
    double v[3][3], sum = 0.0;

    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < 3; axis++)
            v[k][axis] = mesh->positions[mesh->triangles[triangle][k]][axis] - apex[axis];
    *scale = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        double p = v[1][next] * v[2][last], q = v[1][last] * v[2][next];
        sum += v[0][axis] * (p - q);
        *scale += fabs(v[0][axis]) * (fabs(p) + fabs(q));
    }
    return sum;
}

static uint32_t part_root(uint32_t *parent, uint32_t vertex)
{
    while (parent[vertex] != vertex)
        vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
}

/* parent[v] becomes the first vertex of v's part. */
static void parts_find(const struct tr_solid_mesh *mesh, uint32_t *parent)
{
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
        for (int k = 1; k < 3; k++) {
            uint32_t a = part_root(parent, mesh->triangles[i][0]),
                     b = part_root(parent, mesh->triangles[i][k]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        parent[i] = part_root(parent, i);
}

static void mesh_turn(struct tr_solid_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        uint32_t swapped = mesh->triangles[i][1];
        mesh->triangles[i][1] = mesh->triangles[i][2];
        mesh->triangles[i][2] = swapped;
    }
    mesh->is_turned = true;
}

static void mesh_bounds(struct tr_solid_mesh *mesh)
{
    memcpy(mesh->min, mesh->positions[0], sizeof mesh->min);
    memcpy(mesh->max, mesh->positions[0], sizeof mesh->max);
    for (uint32_t i = 1; i < mesh->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            double at = mesh->positions[i][axis];
            mesh->min[axis] = at < mesh->min[axis] ? at : mesh->min[axis];
            mesh->max[axis] = at > mesh->max[axis] ? at : mesh->max[axis];
        }
}

/* A volume below this part of the sum of the products that it was made from may be all rounding: 8 operations
 * a product, and errors of sums that partly cancel. */
#define VOLUME_LEAST 0x1p-44

/* The volumes of the whole and of its parts, and which way is out. */
static enum tr_status mesh_orient(struct tr_solid_mesh *mesh, const char *name, struct tr_error *error)
{
    uint32_t *part = tr_alloc(mesh->vertex_count, sizeof *part, error);
    double *volumes = part ? tr_alloc(mesh->vertex_count, sizeof *volumes, error) : NULL;
    double apex[3], sum = 0.0, scale_sum = 0.0, sign;
    enum tr_status status = volumes ? TR_OK : TR_IO;

    if (status != TR_OK)
        goto done;
    for (int axis = 0; axis < 3; axis++)
        apex[axis] = 0.5 * (mesh->min[axis] + mesh->max[axis]);
    parts_find(mesh, part);
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        double scale, term = volume_term(mesh, i, apex, &scale);
        volumes[part[mesh->triangles[i][0]]] += term;
        sum += term;
        scale_sum += scale;
    }
    if (fabs(sum) <= VOLUME_LEAST * scale_sum) {
        status = tr_fail(error, TR_BAD_INPUT, "%s: %u triangles that enclose no volume, expected a solid",
                         name, mesh->triangle_count);
        goto done;
    }
    sign = sum < 0.0 ? -1.0 : 1.0;
    mesh->volume = sign * sum / 6.0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        mesh->part_count += part[i] == i;
        mesh->cavity_count += part[i] == i && sign * volumes[i] < 0.0;
    }
    if (sign < 0.0)
        mesh_turn(mesh);

done:
    free(volumes);
    free(part);
    return status;
}

static enum tr_status solid_make(struct soup *soup, struct tr_solid_mesh *mesh, struct tr_error *error)
{
    enum tr_status status = soup_clean(soup, error);

    if (status == TR_OK && soup->triangle_count == 0)
        return tr_fail(error, TR_BAD_INPUT, "%s: no triangle, expected a mesh as OBJ or PLY", soup->name);
    if (status == TR_OK)
        status = check_closed(soup, error);
    if (status != TR_OK)
        return status;
    mesh->vertex_count = (uint32_t)soup->vertex_count;
    mesh->triangle_count = (uint32_t)soup->triangle_count;
    mesh->positions = soup->positions;
    mesh->triangles = soup->triangles;
    soup->positions = NULL;
    soup->triangles = NULL;
    mesh_bounds(mesh);
    return mesh_orient(mesh, soup->name, error);
}

enum tr_status tr_solid_mesh_parse(const void *bytes, size_t size_bytes, const char *name,
                                   struct tr_solid_mesh *mesh, struct tr_error *error)
{
    struct soup soup = {.name = name};
    struct scanner scanner = {bytes, (const char *)bytes + size_bytes, 1};
    enum tr_status status;

    *mesh = (struct tr_solid_mesh){0};
    if (size_bytes > TR_SOLID_MESH_BYTES_MAX)
        return tr_fail(error, TR_BAD_INPUT, "%s: %zu bytes, expected at most %zu", name, size_bytes,
                       TR_SOLID_MESH_BYTES_MAX);
    status = is_ply(bytes, size_bytes) ? ply_read(scanner, &soup, error) : obj_read(scanner, &soup, error);
    if (status == TR_OK)
        status = solid_make(&soup, mesh, error);
    soup_release(&soup);
    if (status != TR_OK)
        tr_solid_mesh_release(mesh);
    return status;
}

void tr_solid_mesh_release(struct tr_solid_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->triangles);
    *mesh = (struct tr_solid_mesh){0};
}
