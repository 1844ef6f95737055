/* Shapes and blends as JSON. What a kind has is its numbers, from the table in shape.c, and what `extras` adds; members stand by name, as
 * messages and the normal form list them. Reader and writer recurse, no deeper than TR_SHAPE_DEPTH_MAX.
 *
 * All limits that need no world are checked here, also those on what a shape becomes: copies, and points that are moved again and again.
 * Messages say where in the tree: as a path that jq takes. */
#include "lib/edit/shape_json.h"

#include "lib/base/alloc.h"
#include "lib/edit/solid_mesh.h"
#include "shaders/tree.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- blends ---- */

static const char *const blend_names[] = {[TR_BLEND_HARD] = "hard",
                                          [TR_BLEND_SMOOTH] = "smooth",
                                          [TR_BLEND_CHAMFER] = "chamfer",
                                          [TR_BLEND_STAIRS] = "stairs"};

enum tr_status tr_blend_read_json(const struct tr_place *place, const cJSON *value, struct tr_blend *blend)
{
    static const struct tr_choice choice = {"type", "blend", blend_names, COUNT(blend_names)};
    static const struct tr_field fields[] = {{"steps", false}, {"type", true}, {"width", true}};
    const cJSON *width, *steps;
    int64_t step_count = TR_EDIT_STEPS_DEFAULT;
    size_t kind = TR_BLEND_HARD;
    bool has_steps, has_width;
    enum tr_status status = tr_form_kind(place, value, &choice, &kind);

    if (status != TR_OK)
        return status;
    has_steps = kind == TR_BLEND_STAIRS;
    has_width = kind != TR_BLEND_HARD;
    status = tr_form_check(place, value, fields + !has_steps, 1 + (size_t)has_steps + (size_t)has_width);
    if (status != TR_OK)
        return status;
    *blend = (struct tr_blend){.kind = (uint32_t)kind};
    width = has_width ? tr_form_find(value, "width") : NULL;
    steps = has_steps ? tr_form_find(value, "steps") : NULL;
    if (width)
        status = tr_form_positive(place, "width", width, &blend->width_m);
    if (status == TR_OK && steps)
        status = tr_form_integer(place, "steps", steps, 2, 64, &step_count);
    if (has_steps)
        blend->steps = (uint32_t)step_count;
    return status;
}

void tr_blend_write_json(const struct tr_blend *blend, const char *name, struct tr_writer *out)
{
    if (blend->kind == TR_BLEND_HARD)
        return;
    tr_form_write_key(out, name);
    tr_write_u8(out, '{');
    if (blend->kind == TR_BLEND_STAIRS && blend->steps != TR_EDIT_STEPS_DEFAULT)
        tr_form_write_number(out, "steps", blend->steps);
    tr_form_write_string(out, "type", blend_names[blend->kind]);
    tr_form_write_number(out, "width", blend->width_m);
    tr_write_u8(out, '}');
}

/* ---- what a kind has beside its numbers ---- */

static enum tr_status read_image(const struct tr_place *place, const char *name, const cJSON *value,
                                 struct tr_shape_node *node)
{
    return tr_form_image(place, name, value, &node->more->resource);
}

static void write_resource(const struct tr_shape_node *node, const char *name, struct tr_writer *out)
{
    tr_form_write_resource(out, name, &node->more->resource);
}

/* Once as it will be read when it meets its world, so that what is no solid is refused here; of the solid only its size is kept. */
static enum tr_status check_mesh(const struct tr_place *place, const char *name, const cJSON *value,
                                 const struct tr_resource *resource, double *longest)
{
    const cJSON *file = tr_form_find(value, "file");
    struct tr_solid_mesh mesh = {0};
    struct tr_error reason = {0};
    enum tr_status status = tr_solid_mesh_parse(resource->bytes, resource->size_bytes,
                                                file ? file->valuestring : "data", &mesh, &reason);

    *longest = 0.0;
    for (int i = 0; i < 3 && status == TR_OK; i++)
        if (mesh.max[i] - mesh.min[i] > *longest)
            *longest = mesh.max[i] - mesh.min[i];
    tr_solid_mesh_release(&mesh);
    return status == TR_OK ? TR_OK : tr_place_fail_for(place, name, value, &reason);
}

/* "cell" comes before "mesh"; one at its default becomes none. Times a power of two is exact. */
static enum tr_status read_mesh(const struct tr_place *place, const char *name, const cJSON *value,
                                struct tr_shape_node *node)
{
    struct tr_shape_more *more = node->more;
    double longest = 0.0;
    enum tr_status status = tr_form_resource(place, name, value, &more->resource);

    if (status == TR_OK)
        status = check_mesh(place, name, value, &more->resource, &longest);
    more->has_cell = node->values[0] != 0.0 && node->values[0] * TR_SHAPE_CELLS_DEFAULT != longest;
    if (!more->has_cell)
        node->values[0] = 0.0;
    return status;
}

static enum tr_status read_path(const struct tr_place *place, const char *name, const cJSON *value,
                                struct tr_shape_node *node)
{
    struct tr_shape_more *more = node->more;
    char expected[64], field[32];
    int count = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;
    enum tr_status status = TR_OK;

    snprintf(expected, sizeof expected, "an array of 2 to %d points", TR_SHAPE_PATH_MAX);
    if (!cJSON_IsArray(value))
        return tr_place_fail_found(place, name, value, expected);
    if (count < 2 || count > TR_SHAPE_PATH_MAX)
        return tr_place_fail(place, value, "\"%s\"%s must be %s, found %d", name, place->inside, expected,
                             count);
    more->path = tr_alloc((size_t)count, sizeof *more->path, place->error);
    if (!more->path)
        return TR_IO;
    for (const cJSON *point = value->child; point && status == TR_OK; point = point->next) {
        snprintf(field, sizeof field, "%s[%u]", name, more->path_count);
        status = tr_form_numbers(place, field, point, 3, more->path[more->path_count++]);
    }
    return status;
}

static void write_path(const struct tr_shape_node *node, const char *name, struct tr_writer *out)
{
    tr_form_write_key(out, name);
    for (uint32_t i = 0; i < node->more->path_count; i++) {
        tr_write_u8(out, i == 0 ? '[' : ',');
        tr_form_write_list(out, node->more->path[i], 3);
    }
    tr_write_u8(out, ']');
}

/* One number for all points of the path, which comes before it, or one a point. */
static enum tr_status read_radius(const struct tr_place *place, const char *name, const cJSON *value,
                                  struct tr_shape_node *node)
{
    struct tr_shape_more *more = node->more;
    bool is_list = cJSON_IsArray(value);
    enum tr_status status = TR_OK;

    if (is_list && (uint32_t)cJSON_GetArraySize(value) != more->path_count)
        return tr_place_fail(place, value,
                             "\"%s\"%s must be a number or an array of %u, as long as \"path\", found %d",
                             name, place->inside, more->path_count, cJSON_GetArraySize(value));
    if (is_list)
        value = value->child;
    for (uint32_t i = 0; i < more->path_count && status == TR_OK; i++) {
        status = tr_form_positive(place, name, value, &more->path[i][3]);
        if (is_list)
            value = value->next;
    }
    return status;
}

static void write_radius(const struct tr_shape_node *node, const char *name, struct tr_writer *out)
{
    const struct tr_shape_more *more = node->more;
    bool is_one = true;

    for (uint32_t i = 1; i < more->path_count; i++)
        is_one = is_one && more->path[i][3] == more->path[0][3];
    if (is_one) {
        tr_form_write_number(out, name, more->path[0][3]);
        return;
    }
    tr_form_write_key(out, name);
    for (uint32_t i = 0; i < more->path_count; i++) {
        tr_write_u8(out, i == 0 ? '[' : ',');
        tr_form_write_value(out, more->path[i][3]);
    }
    tr_write_u8(out, ']');
}

static const char *const profile_names[] = {
    [TR_PROFILE_ROUND] = "round", [TR_PROFILE_SQUARE] = "square", [TR_PROFILE_ARCH] = "arch"};

static enum tr_status read_profile(const struct tr_place *place, const char *name, const cJSON *value,
                                   struct tr_shape_node *node)
{
    const struct tr_choice choice = {name, "profile", profile_names, COUNT(profile_names)};
    size_t profile = 0;
    enum tr_status status = tr_form_choice(place, &choice, value, &profile);

    node->more->profile = (uint32_t)profile;
    return status;
}

static void write_profile(const struct tr_shape_node *node, const char *name, struct tr_writer *out)
{
    if (node->more->profile != TR_PROFILE_ROUND)
        tr_form_write_string(out, name, profile_names[node->more->profile]);
}

static enum tr_status read_seed(const struct tr_place *place, const char *name, const cJSON *value,
                                struct tr_shape_node *node)
{
    return tr_form_seed(place, name, value, &node->more->seed);
}

static void write_seed(const struct tr_shape_node *node, const char *name, struct tr_writer *out)
{
    if (node->more->seed != 0)
        tr_form_write_seed(out, name, node->more->seed);
}

/* ---- members ---- */

/* What a kind has in its tr_shape_more. */
struct extra {
    enum tr_shape_kind kind;
    const char *name;
    bool is_required;
    enum tr_status (*read)(const struct tr_place *place, const char *name, const cJSON *value,
                           struct tr_shape_node *node);
    void (*write)(const struct tr_shape_node *node, const char *name, struct tr_writer *out);
};

static const struct extra extras[] = {
    {TR_SHAPE_HEIGHT_MAP, "image", true, read_image, write_resource},
    {TR_SHAPE_MESH, "mesh", true, read_mesh, write_resource},
    {TR_SHAPE_TUBE, "path", true, read_path, write_path},
    {TR_SHAPE_TUBE, "profile", false, read_profile, write_profile},
    {TR_SHAPE_TUBE, "radius", true, read_radius, write_radius},
    {TR_SHAPE_DISPLACE, "seed", false, read_seed, write_seed},
};

/* One member of an object; of the pointers at most one is set. */
struct member {
    const char *name;
    bool is_required;
    const struct tr_shape_field *field;
    const struct extra *extra;
};

#define MEMBERS_MAX (TR_SHAPE_FIELDS_MAX + 6) /* of one kind */

struct members {
    struct member list[MEMBERS_MAX]; /* by name, ascending */
    size_t count;
};

static void add_member(struct members *members, struct member member)
{
    size_t at = members->count++;

    for (; at > 0 && strcmp(member.name, members->list[at - 1].name) < 0; at--)
        members->list[at] = members->list[at - 1];
    members->list[at] = member;
}

static struct members members_of(enum tr_shape_kind kind)
{
    struct members members = {.count = 0};

    for (const struct tr_shape_field *field = tr_shape_infos[kind].fields; field->name; field++)
        add_member(&members, (struct member){field->name, !field->is_optional, .field = field});
    for (size_t i = 0; i < COUNT(extras) && tr_shape_has_more(kind); i++)
        if (extras[i].kind == kind)
            add_member(&members, (struct member){extras[i].name, extras[i].is_required, .extra = &extras[i]});
    if (tr_shape_is_operation(kind))
        add_member(&members, (struct member){.name = "blend"});
    if (kind >= TR_SHAPE_UNION)
        add_member(&members, (struct member){.name = "of", .is_required = true});
    add_member(&members, (struct member){.name = "type", .is_required = true});
    return members;
}

/* ---- the numbers of a node ---- */

static const double *values_of(const struct tr_shape_node *node, const char *name)
{
    const struct tr_shape_field *field = tr_shape_infos[node->kind].fields;

    while (strcmp(field->name, name) != 0)
        field++;
    return node->values + field->first;
}

static enum tr_status check_value(const struct tr_place *place, const struct tr_shape_field *field,
                                  const cJSON *value, double number)
{
    switch (field->kind) {
    case TR_VALUE_LENGTH:
    case TR_VALUE_SCALE:
        return tr_form_check_positive(place, field->name, value, number);
    case TR_VALUE_EXTENT:
        return tr_form_check_least(place, field->name, value, 0.0, number);
    case TR_VALUE_ANGLE:
    case TR_VALUE_RATE:
        return tr_form_check_range(place, field->name, value, -36000.0, 36000.0, number);
    case TR_VALUE_FACTOR:
        return tr_form_check_range(place, field->name, value, 0x1p-10, 0x1p10, number);
    case TR_VALUE_COUNT:
        return tr_form_check_integer(place, field->name, value, 1.0, TR_SHAPE_COPIES_MAX, number);
    case TR_VALUE_SIDES:
        return tr_form_check_integer(place, field->name, value, 3.0, 16.0, number);
    case TR_VALUE_STEPS:
        return tr_form_check_integer(place, field->name, value, 1.0, 32.0, number);
    case TR_VALUE_OCTAVES:
        return tr_form_check_integer(place, field->name, value, 1.0, TR_BRUSH_OCTAVES_MAX, number);
    case TR_VALUE_PLACE: /* limits in voxels */
    case TR_VALUE_VECTOR:
    case TR_VALUE_AXIS: /* checked as a whole */
        break;
    }
    return TR_OK;
}

static enum tr_status read_field(const struct tr_place *place, const struct tr_shape_field *field,
                                 const cJSON *value, double *values)
{
    enum tr_status status;

    if (field->kind == TR_VALUE_AXIS)
        status = tr_form_direction(place, field->name, value, values);
    else if (field->count == 1)
        status = tr_form_number(place, field->name, value, values);
    else
        status = tr_form_numbers(place, field->name, value, field->count, values);
    for (int i = 0; i < field->count && status == TR_OK; i++)
        status = check_value(place, field, value, values[i]);
    return status;
}

static double default_of(const struct tr_shape_field *field, int i)
{
    return i == field->at ? field->value : 0.0;
}

static bool is_default(const struct tr_shape_field *field, const double *values)
{
    for (int i = 0; i < field->count; i++)
        if (values[i] != default_of(field, i))
            return false;
    return field->is_optional;
}

static enum tr_status read_values(const struct tr_place *place, const cJSON *item,
                                  const struct members *members, struct tr_shape_node *node)
{
    enum tr_status status = TR_OK;

    for (size_t i = 0; i < members->count && status == TR_OK; i++) {
        const struct member *member = &members->list[i];
        const struct tr_shape_field *field = member->field;
        const cJSON *value = tr_form_find(item, member->name);

        if (value && member->extra)
            status = member->extra->read(place, member->name, value, node);
        else if (value && field)
            status = read_field(place, field, value, node->values + field->first);
        else if (field)
            for (int k = 0; k < field->count; k++)
                node->values[field->first + k] = default_of(field, k);
    }
    return status;
}

/* ---- what numbers must be together ---- */

/* Shapes with ends need a direction. */
static enum tr_status check_ends(const struct tr_place *place, const cJSON *item,
                                 const struct tr_shape_node *node)
{
    if (memcmp(values_of(node, "from"), values_of(node, "to"), 3 * sizeof *node->values) != 0)
        return TR_OK; /* equal bytes are equal numbers: none is -0 */
    return tr_place_fail(place, item, "\"from\" and \"to\"%s must not coincide", place->inside);
}

static enum tr_status check_rounding(const struct tr_place *place, const cJSON *item,
                                     const struct tr_shape_node *node)
{
    double radius = *values_of(node, "radius");

    for (int i = 0; i < 3; i++)
        if (!(2.0 * radius < values_of(node, "size")[i]))
            return tr_place_fail_found(place, "radius", tr_form_find(item, "radius"),
                                       "less than half of each number of \"size\"");
    return TR_OK;
}

#define PARALLEL_SINE 0x1p-20 /* of the angle between directions; a smaller one leaves too few digits */

static double square(const double v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static enum tr_status check_directions(const struct tr_place *place, const cJSON *item,
                                       const struct tr_shape_node *node)
{
    const double *a = values_of(node, "axis"), *b = values_of(node, "along");
    const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};

    if (square(cross) >= PARALLEL_SINE * PARALLEL_SINE * square(a) * square(b))
        return TR_OK;
    return tr_place_fail(place, item, "\"along\"%s must not be parallel to \"axis\"", place->inside);
}

/* A curve needs two points. */
static enum tr_status check_path(const struct tr_place *place, const cJSON *item,
                                 const struct tr_shape_node *node)
{
    double(*const path)[4] = node->more->path;

    for (uint32_t i = 1; i < node->more->path_count; i++)
        if (memcmp(path[i], path[0], 3 * sizeof **path) != 0)
            return TR_OK;
    return tr_place_fail(place, item, "points of \"path\"%s must not all coincide", place->inside);
}

static enum tr_status check_values(const struct tr_place *place, const cJSON *item,
                                   const struct tr_shape_node *node)
{
    switch (node->kind) {
    case TR_SHAPE_CYLINDER:
    case TR_SHAPE_CONE:
    case TR_SHAPE_CAPPED_CONE:
    case TR_SHAPE_PRISM:
    case TR_SHAPE_TAPER:
        return check_ends(place, item, node);
    case TR_SHAPE_ROUNDED_BOX:
        return check_rounding(place, item, node);
    case TR_SHAPE_LINK:
    case TR_SHAPE_BEND:
        return check_directions(place, item, node);
    case TR_SHAPE_TUBE:
        return check_path(place, item, node);
    default:
        return TR_OK;
    }
}

/* ---- reading a tree ---- */

#define INSIDE_BYTES (32 + 16 * TR_SHAPE_DEPTH_MAX) /* a step is at most ".of[4096]" */

/* A tree that is being read. */
struct tree {
    struct tr_place place; /* its `inside` is the text here: ` in "shape.of[3].of[0]"` */
    char inside[INSIDE_BYTES];
    size_t inside_bytes;
    struct tr_shape *shape; /* the nodes so far */
    size_t capacity;
};

/* What is around a node. */
struct around {
    int depth;       /* of nodes, with the node itself */
    int movers;      /* of these, those that move points */
    uint64_t copies; /* that they make of it */
};

/* Lengthens the way to where the reader is; returns how long it was, which inside_leave gives back. */
static size_t inside_enter(struct tree *tree, const char *format, ...) __attribute__((format(printf, 2, 3)));

static size_t inside_enter(struct tree *tree, const char *format, ...)
{
    size_t before = tree->inside_bytes, at = before - 1; /* in place of the quote at the end */
    va_list arguments;

    va_start(arguments, format);
    at += (size_t)vsnprintf(tree->inside + at, INSIDE_BYTES - at - 1, format, arguments);
    va_end(arguments);
    tree->inside_bytes = at + 1;
    memcpy(tree->inside + at, "\"", 2);
    return before;
}

static void inside_leave(struct tree *tree, size_t before)
{
    tree->inside_bytes = before;
    memcpy(tree->inside + before - 1, "\"", 2);
}

/* Appends a node of a kind, without its values. */
static enum tr_status append_node(struct tree *tree, const cJSON *item, enum tr_shape_kind kind)
{
    struct tr_shape_node node = {.kind = kind};
    enum tr_status status;

    if (tree->shape->count == TR_SHAPE_NODES_MAX)
        return tr_place_fail(&tree->place, item, "\"shape\" must be of at most %d shapes",
                             TR_SHAPE_NODES_MAX);
    status = tr_grow(&tree->shape->nodes, &tree->capacity, tree->shape->count + 1, sizeof *tree->shape->nodes,
                     tree->place.error);
    if (status == TR_OK && tr_shape_has_more(kind)) {
        node.more = tr_alloc(1, sizeof *node.more, tree->place.error);
        status = node.more ? TR_OK : TR_IO;
    }
    if (status == TR_OK)
        tree->shape->nodes[tree->shape->count++] = node;
    return status;
}

/* The node without its children, appended to the tree. */
static enum tr_status read_node_alone(struct tree *tree, const cJSON *item)
{
    const char *names[TR_SHAPE_KIND_COUNT];
    const struct tr_choice choice = {"type", "shape", names, COUNT(names)};
    struct tr_field fields[MEMBERS_MAX];
    struct members members;
    struct tr_shape_node *node;
    size_t kind = 0;
    enum tr_status status;

    for (size_t i = 0; i < COUNT(names); i++)
        names[i] = tr_shape_infos[i].name;
    status = tr_form_kind(&tree->place, item, &choice, &kind);
    if (status != TR_OK)
        return status;
    members = members_of((enum tr_shape_kind)kind);
    for (size_t i = 0; i < members.count; i++)
        fields[i] = (struct tr_field){members.list[i].name, members.list[i].is_required};
    status = tr_form_check(&tree->place, item, fields, members.count);
    if (status == TR_OK)
        status = append_node(tree, item, (enum tr_shape_kind)kind);
    if (status != TR_OK)
        return status;
    node = &tree->shape->nodes[tree->shape->count - 1];
    status = read_values(&tree->place, item, &members, node);
    return status == TR_OK ? check_values(&tree->place, item, node) : status;
}

static enum tr_status read_node(struct tree *tree, const cJSON *item, struct around around);

static enum tr_status read_node_blend(struct tree *tree, const cJSON *value, struct tr_blend *blend)
{
    enum tr_status status = tr_form_object(&tree->place, "blend", value);

    if (status == TR_OK) {
        size_t before = inside_enter(tree, ".blend");

        status = tr_blend_read_json(&tree->place, value, blend);
        inside_leave(tree, before);
    }
    return status;
}

/* The operands of an operation. */
static enum tr_status read_operands(struct tree *tree, const cJSON *of, struct around around)
{
    enum tr_status status = TR_OK;
    int i = 0;

    for (const cJSON *child = of->child; child && status == TR_OK; child = child->next, i++) {
        char name[32];

        snprintf(name, sizeof name, "of[%d]", i);
        status = tr_form_object(&tree->place, name, child);
        if (status == TR_OK) {
            size_t before = inside_enter(tree, ".%s", name);

            status = read_node(tree, child, around);
            inside_leave(tree, before);
        }
    }
    return status;
}

static enum tr_status read_operation(struct tree *tree, const cJSON *item, uint32_t index,
                                     struct around around)
{
    const cJSON *of = tr_form_find(item, "of"), *blend = tr_form_find(item, "blend");
    enum tr_status status = TR_OK;
    int count;

    if (!cJSON_IsArray(of))
        return tr_place_fail_found(&tree->place, "of", of, "an array of 2 and more shapes");
    count = cJSON_GetArraySize(of);
    if (count < 2)
        return tr_place_fail(&tree->place, of, "\"of\"%s must be an array of 2 and more shapes, found %d",
                             tree->inside, count);
    tree->shape->nodes[index].child_count = (uint32_t)count;
    if (blend)
        status = read_node_blend(tree, blend, &tree->shape->nodes[index].blend);
    return status == TR_OK ? read_operands(tree, of, around) : status;
}

/* Counts a transform or modifier among what is around the shape in it. */
static enum tr_status add_around(const struct tr_place *place, const cJSON *item,
                                 const struct tr_shape_node *node, struct around *around)
{
    if (tr_shape_moves_points(node->kind) && ++around->movers > TR_SHAPE_MOVERS_MAX)
        return tr_place_fail(
            place, item,
            "\"shape\" must have at most %d of elongate, twist, bend and taper within each other",
            TR_SHAPE_MOVERS_MAX);
    if (node->kind == TR_SHAPE_MIRROR)
        around->copies *= 2;
    for (int i = 0; i < 3 && node->kind == TR_SHAPE_REPEAT; i++)
        around->copies *= (uint64_t)values_of(node, "count")[i];
    if (around->copies > TR_SHAPE_COPIES_MAX)
        return tr_place_fail(place, item, "\"of\"%s must be copied at most %d times in all, found %" PRIu64,
                             place->inside, TR_SHAPE_COPIES_MAX, around->copies);
    return TR_OK;
}

/* The shape in a transform or modifier. */
static enum tr_status read_inner(struct tree *tree, const cJSON *item, uint32_t index, struct around around)
{
    const cJSON *of = tr_form_find(item, "of");
    enum tr_status status = add_around(&tree->place, item, &tree->shape->nodes[index], &around);

    if (status == TR_OK)
        status = tr_form_object(&tree->place, "of", of);
    if (status == TR_OK) {
        size_t before = inside_enter(tree, ".of");

        tree->shape->nodes[index].child_count = 1;
        status = read_node(tree, of, around);
        inside_leave(tree, before);
    }
    return status;
}

/* The tree at `item`, an object; no deeper than TR_SHAPE_DEPTH_MAX. */
static enum tr_status read_node(struct tree *tree, const cJSON *item, struct around around)
{
    uint32_t index = tree->shape->count;
    enum tr_shape_kind kind;
    enum tr_status status;

    if (++around.depth > TR_SHAPE_DEPTH_MAX)
        return tr_place_fail(&tree->place, item, "\"shape\" must be at most %d shapes deep",
                             TR_SHAPE_DEPTH_MAX);
    status = read_node_alone(tree, item);
    if (status != TR_OK)
        return status;
    kind = tree->shape->nodes[index].kind;
    if (tr_shape_is_operation(kind))
        return read_operation(tree, item, index, around);
    if (tr_shape_is_transform(kind) || tr_shape_is_modifier(kind))
        return read_inner(tree, item, index, around);
    return TR_OK;
}

/* Gives back what the array grew beyond its nodes: most trees are one node, and logs have many. */
static void trim_nodes(struct tr_shape *shape)
{
    struct tr_shape_node *nodes = realloc(shape->nodes, shape->count * sizeof *nodes);

    if (nodes)
        shape->nodes = nodes;
    shape->capacity = shape->count;
}

enum tr_status tr_shape_read_json(const struct tr_place *place, const char *name, const cJSON *value,
                                  struct tr_shape *shape)
{
    struct tree tree = {.place = *place, .shape = shape};
    enum tr_status status = tr_form_object(place, name, value);

    if (status != TR_OK)
        return status;
    tree.inside_bytes = (size_t)snprintf(tree.inside, sizeof tree.inside, " in \"%s\"", name);
    tree.place.inside = tree.inside;
    status = read_node(&tree, value, (struct around){.copies = 1});
    if (status == TR_OK)
        trim_nodes(tree.shape);
    return status;
}

/* ---- writing a tree ---- */

static void write_node(const struct tr_shape *shape, uint32_t *at, struct tr_writer *out);

static void write_children(const struct tr_shape *shape, const struct tr_shape_node *node, uint32_t *at,
                           struct tr_writer *out)
{
    bool is_list = tr_shape_is_operation(node->kind);

    tr_form_write_key(out, "of");
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (is_list)
            tr_write_u8(out, i == 0 ? '[' : ',');
        write_node(shape, at, out);
    }
    if (is_list)
        tr_write_u8(out, ']');
}

static void write_field(const struct tr_shape_field *field, const double *values, struct tr_writer *out)
{
    if (is_default(field, values))
        return;
    if (field->count == 1)
        tr_form_write_number(out, field->name, *values);
    else
        tr_form_write_numbers(out, field->name, values, field->count);
}

/* Node *at and what is below it; *at becomes the node behind. As deep as the reader went. */
static void write_node(const struct tr_shape *shape, uint32_t *at, struct tr_writer *out)
{
    const struct tr_shape_node *node = &shape->nodes[(*at)++];
    const struct members members = members_of(node->kind);

    tr_write_u8(out, '{');
    for (size_t i = 0; i < members.count; i++) {
        const struct member *member = &members.list[i];

        if (member->field)
            write_field(member->field, node->values + member->field->first, out);
        else if (member->extra)
            member->extra->write(node, member->name, out);
        else if (strcmp(member->name, "blend") == 0)
            tr_blend_write_json(&node->blend, member->name, out);
        else if (strcmp(member->name, "of") == 0)
            write_children(shape, node, at, out);
        else
            tr_form_write_string(out, member->name, tr_shape_infos[node->kind].name);
    }
    tr_write_u8(out, '}');
}

void tr_shape_write_json(const struct tr_shape *shape, const char *name, struct tr_writer *out)
{
    uint32_t at = 0;

    tr_form_write_key(out, name);
    write_node(shape, &at, out);
}
