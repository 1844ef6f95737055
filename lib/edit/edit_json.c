/* One edit as JSON, as EDITS.md describes it. Two tables say what there is: `operations`, which fields each operation has, and `fields`, how
 * each field is read and written. Shapes have tables of their own, in shape.c and shape_json.c.
 *
 * To add an operation: its row. To add a field: its letter, in bytewise order, its row, and its two functions.
 *
 * What means the same is made the same while it is read: a path of one point is a place, a `spacing` or `point` at its default is none.
 * So an edit has one normal form, which reads back to an equal edit. */
#include "lib/edit/edit_json.h"

#include "lib/base/alloc.h"
#include "lib/edit/shape_json.h"
#include "shaders/brush_noise.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define INTEGER_MAX 9007199254740992.0 /* 2^53 */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- which fields an operation has ---- */

/* All fields of edits, in bytewise order of their names, which is the order of messages and of the normal form. */
enum field {
    AT,
    AUTHOR,
    BETA,
    BLEND,
    BY,
    DEGREES,
    FALLOFF,
    HEIGHT,
    ID,
    IMAGE,
    MATERIAL,
    NORMAL,
    OCTAVES,
    OP,
    PATH,
    POINT,
    POWER,
    PROJECTED,
    RADIUS,
    SCALE,
    SEED,
    SHAPE,
    SPACING,
    STRENGTH,
    TIME,
    WITHIN,
    FIELD_COUNT
};
_Static_assert(FIELD_COUNT <= TR_FORM_FIELDS_MAX, "a form holds all fields");

#define F(field) (1u << (field))

/* How an operation works, which `at`, `path` and `shape` tell. */
enum kind { ON_HEIGHTS, IN_VOLUME, BY_SHAPE, KIND_COUNT };

static const struct {
    uint32_t required, optional; /* sets of fields */
    int coordinates;             /* of a place: [x, z] or [x, y, z] */
} kinds[KIND_COUNT] = {
    [ON_HEIGHTS] = {F(OP) | F(RADIUS), F(AT) | F(AUTHOR) | F(ID) | F(PATH) | F(SPACING) | F(TIME), 2},
    [IN_VOLUME] = {F(OP) | F(RADIUS), F(AT) | F(AUTHOR) | F(ID) | F(PATH) | F(SPACING) | F(TIME), 3},
    [BY_SHAPE] = {F(OP) | F(SHAPE), F(AUTHOR) | F(ID) | F(TIME) | F(WITHIN), 0},
};

#define WEIGHT (F(FALLOFF) | F(POWER))
#define VOLUME_WEIGHT (WEIGHT | F(PROJECTED))

/* Beside the fields of its kind, those that it must have and those that it may have. */
static const struct {
    const char *name;
    enum kind kind;
    uint32_t required, optional;
} operations[TR_EDIT_OP_COUNT] = {
    [TR_EDIT_RAISE] = {"raise", ON_HEIGHTS, F(STRENGTH), WEIGHT},
    [TR_EDIT_LOWER] = {"lower", ON_HEIGHTS, F(STRENGTH), WEIGHT},
    [TR_EDIT_SMOOTH] = {"smooth", ON_HEIGHTS, F(STRENGTH), WEIGHT},
    [TR_EDIT_HC_SMOOTH] = {"hc-smooth", ON_HEIGHTS, F(STRENGTH), WEIGHT | F(BETA)},
    [TR_EDIT_FLATTEN] = {"flatten", ON_HEIGHTS, F(STRENGTH), WEIGHT | F(HEIGHT)},
    [TR_EDIT_NOISE] = {"noise", ON_HEIGHTS, F(STRENGTH) | F(SCALE), WEIGHT | F(SEED) | F(OCTAVES)},
    [TR_EDIT_STAMP] = {"stamp", ON_HEIGHTS, F(STRENGTH) | F(IMAGE), WEIGHT | F(DEGREES)},
    [TR_EDIT_SET] = {"set", ON_HEIGHTS, F(HEIGHT), WEIGHT},
    [TR_EDIT_PAINT] = {"paint", ON_HEIGHTS, F(MATERIAL), 0},
    [TR_EDIT_VOLUME_ADD] = {"add", IN_VOLUME, F(STRENGTH), VOLUME_WEIGHT},
    [TR_EDIT_VOLUME_SUBTRACT] = {"subtract", IN_VOLUME, F(STRENGTH), VOLUME_WEIGHT},
    [TR_EDIT_VOLUME_SMOOTH] = {"smooth", IN_VOLUME, F(STRENGTH), VOLUME_WEIGHT},
    [TR_EDIT_VOLUME_FLATTEN] = {"flatten", IN_VOLUME, F(STRENGTH), VOLUME_WEIGHT | F(NORMAL) | F(POINT)},
    [TR_EDIT_VOLUME_NOISE] = {"noise", IN_VOLUME, F(STRENGTH) | F(SCALE),
                              VOLUME_WEIGHT | F(SEED) | F(OCTAVES)},
    [TR_EDIT_VOLUME_STAMP] = {"stamp", IN_VOLUME, F(STRENGTH) | F(IMAGE),
                              VOLUME_WEIGHT | F(DEGREES) | F(NORMAL)},
    [TR_EDIT_INFLATE] = {"inflate", IN_VOLUME, F(STRENGTH), VOLUME_WEIGHT},
    [TR_EDIT_PINCH] = {"pinch", IN_VOLUME, F(STRENGTH), VOLUME_WEIGHT},
    [TR_EDIT_GRAB] = {"grab", IN_VOLUME, F(BY), VOLUME_WEIGHT},
    [TR_EDIT_REDISTANCE] = {"redistance", IN_VOLUME, 0, 0},
    [TR_EDIT_VOLUME_PAINT] = {"paint", IN_VOLUME, F(MATERIAL), F(PROJECTED)},
    [TR_EDIT_UNION] = {"union", BY_SHAPE, 0, F(BLEND)},
    [TR_EDIT_SUBTRACT] = {"subtract", BY_SHAPE, 0, F(BLEND)},
    [TR_EDIT_INTERSECT] = {"intersect", BY_SHAPE, F(WITHIN), F(BLEND)},
    [TR_EDIT_SHAPE_PAINT] = {"paint", BY_SHAPE, F(MATERIAL), 0},
};

static uint32_t required_fields(enum tr_edit_op op)
{
    return kinds[operations[op].kind].required | operations[op].required;
}

static uint32_t all_fields(enum tr_edit_op op)
{
    return required_fields(op) | kinds[operations[op].kind].optional | operations[op].optional;
}

/* Strength as a fraction: lambda. */
static bool has_lambda(enum tr_edit_op op)
{
    return op == TR_EDIT_SMOOTH || op == TR_EDIT_HC_SMOOTH || op == TR_EDIT_FLATTEN ||
           op == TR_EDIT_VOLUME_SMOOTH || op == TR_EDIT_VOLUME_FLATTEN || op == TR_EDIT_PINCH;
}

/* ---- fields of all edits ---- */

static enum tr_status read_author(const struct tr_place *place, const char *name, const cJSON *value)
{
    return tr_form_name(place, name, value, place->edit->author);
}

static void write_author(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->author[0])
        tr_form_write_string(out, name, edit->author);
}

static void write_id(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->id[0])
        tr_form_write_string(out, name, edit->id);
}

static void write_op(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    tr_form_write_string(out, name, operations[edit->op].name);
}

static enum tr_status read_time(const struct tr_place *place, const char *name, const cJSON *value)
{
    place->edit->has_time = true;
    return tr_form_integer(place, name, value, -INTEGER_MAX, INTEGER_MAX, &place->edit->time_ms);
}

static void write_time(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->has_time) {
        tr_form_write_key(out, name);
        tr_write_text(out, "%" PRId64, edit->time_ms);
    }
}

/* ---- places and paths, and the numbers along them ---- */

enum tr_status tr_edit_take_points(const struct tr_place *place, size_t count)
{
    place->edit->points = tr_alloc(count, sizeof *place->edit->points, place->error);
    if (!place->edit->points)
        return TR_IO;
    place->edit->point_count = (uint32_t)count;
    return TR_OK;
}

/* [x, z] or [x, y, z] */
static enum tr_status read_place(const struct tr_place *place, const char *name, const cJSON *value,
                                 double at_m[3])
{
    int count = kinds[operations[place->edit->op].kind].coordinates;
    enum tr_status status = tr_form_numbers(place, name, value, count, at_m);

    if (count == 2) {
        at_m[2] = at_m[1];
        at_m[1] = 0.0;
    }
    return status;
}

static void write_place(const struct tr_edit *edit, const double at_m[3], struct tr_writer *out)
{
    const double xz[2] = {at_m[0], at_m[2]};

    if (tr_edit_is_height(edit))
        tr_form_write_list(out, xz, 2);
    else
        tr_form_write_list(out, at_m, 3);
}

static enum tr_status fail_path(const struct tr_place *place, const cJSON *path)
{
    char found[TR_FOUND_TEXT_BYTES];

    if (!cJSON_IsArray(path))
        return tr_place_fail(place, path, "\"path\" must be an array of points, found %s",
                             tr_found_text(path, found));
    return tr_place_fail(place, path, "\"path\" must be an array of 1 to %d points, found %d",
                         TR_EDIT_POINTS_MAX, cJSON_GetArraySize(path));
}

static enum tr_status read_path(const struct tr_place *place, const cJSON *path)
{
    int count = cJSON_IsArray(path) ? cJSON_GetArraySize(path) : 0, i = 0;
    enum tr_status status;

    if (count < 1 || count > TR_EDIT_POINTS_MAX)
        return fail_path(place, path);
    place->edit->is_stroke = true;
    status = tr_edit_take_points(place, (size_t)count);
    for (const cJSON *point = path->child; point && status == TR_OK; point = point->next, i++) {
        char name[32];

        snprintf(name, sizeof name, "path[%d]", i);
        status = read_place(place, name, point, place->edit->points[i].at_m);
    }
    return status;
}

/* Where a brush stands or goes, before all that is read along it. */
static enum tr_status read_points(const struct tr_place *place, const cJSON *item)
{
    const cJSON *at = tr_form_find(item, "at"), *path = tr_form_find(item, "path");
    struct tr_place of_operation = *place;
    char inside[32];
    enum tr_status status;

    snprintf(inside, sizeof inside, " of %s", operations[place->edit->op].name);
    of_operation.inside = inside;
    if (!at && !path)
        return tr_place_fail(place, item, "\"at\" or \"path\" is missing");
    if (at && path)
        return tr_place_fail(place, path, "\"path\" stands instead of \"at\", found both");
    if (path)
        return read_path(&of_operation, path);
    status = tr_edit_take_points(place, 1);
    return status == TR_OK ? read_place(&of_operation, "at", at, place->edit->points[0].at_m) : status;
}

static void write_at(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->is_stroke)
        return;
    tr_form_write_key(out, name);
    write_place(edit, edit->points[0].at_m, out);
}

static void write_path(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (!edit->is_stroke)
        return;
    tr_form_write_key(out, name);
    for (uint32_t i = 0; i < edit->point_count; i++) {
        tr_write_u8(out, i == 0 ? '[' : ',');
        write_place(edit, edit->points[i].at_m, out);
    }
    tr_write_u8(out, ']');
}

/* A number that each point has, and how one is read. */
typedef double *(*point_number)(struct tr_edit_point *point);
typedef enum tr_status (*number_reader)(const struct tr_place *place, const char *name, const cJSON *value,
                                        double *number);

static double *radius_of(struct tr_edit_point *point)
{
    return &point->radius_m;
}

static double *strength_of(struct tr_edit_point *point)
{
    return &point->strength;
}

static enum tr_status read_fraction(const struct tr_place *place, const char *name, const cJSON *value,
                                    double *number)
{
    enum tr_status status = tr_form_positive(place, name, value, number);

    if (status == TR_OK && *number > 1.0)
        return tr_place_fail_found(place, name, value, "> 0 and at most 1");
    return status;
}

/* One number for all points, or with a path a list of one a point. */
static enum tr_status read_along(const struct tr_place *place, const char *name, const cJSON *value,
                                 number_reader read, point_number number_of)
{
    const struct tr_edit *edit = place->edit;
    bool is_list = edit->is_stroke && cJSON_IsArray(value);
    enum tr_status status = TR_OK;

    if (is_list && (uint32_t)cJSON_GetArraySize(value) != edit->point_count)
        return tr_place_fail(place, value,
                             "\"%s\" must be a number or an array of %u, as long as \"path\", found %d", name,
                             edit->point_count, cJSON_GetArraySize(value));
    if (is_list)
        value = value->child;
    for (uint32_t i = 0; i < edit->point_count && status == TR_OK; i++) {
        status = read(place, name, value, number_of(&edit->points[i]));
        if (is_list)
            value = value->next;
    }
    return status;
}

static void write_along(const struct tr_edit *edit, const char *name, point_number number_of,
                        struct tr_writer *out)
{
    double first = *number_of(&edit->points[0]);
    bool is_one = true;

    for (uint32_t i = 1; i < edit->point_count; i++)
        is_one = is_one && *number_of(&edit->points[i]) == first;
    if (is_one) {
        tr_form_write_number(out, name, first);
        return;
    }
    tr_form_write_key(out, name);
    for (uint32_t i = 0; i < edit->point_count; i++) {
        tr_write_u8(out, i == 0 ? '[' : ',');
        tr_form_write_value(out, *number_of(&edit->points[i]));
    }
    tr_write_u8(out, ']');
}

static enum tr_status read_radius(const struct tr_place *place, const char *name, const cJSON *value)
{
    return read_along(place, name, value, tr_form_positive, radius_of);
}

static void write_radius(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    write_along(edit, name, radius_of, out);
}

static enum tr_status read_strength(const struct tr_place *place, const char *name, const cJSON *value)
{
    return read_along(place, name, value, has_lambda(place->edit->op) ? read_fraction : tr_form_positive,
                      strength_of);
}

static void write_strength(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    write_along(edit, name, strength_of, out);
}

static enum tr_status read_spacing(const struct tr_place *place, const char *name, const cJSON *value)
{
    if (!place->edit->is_stroke)
        return tr_place_fail(place, value, "\"%s\" goes with \"path\" only, found \"at\"", name);
    place->edit->has_spacing = true;
    return tr_form_positive(place, name, value, &place->edit->spacing_m);
}

static void write_spacing(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->has_spacing)
        tr_form_write_number(out, name, edit->spacing_m);
}

/* ---- the weight of a brush ---- */

static const char *const falloff_names[TR_FALLOFF_COUNT] = {
    [TR_FALLOFF_SMOOTH] = "smooth",    [TR_FALLOFF_SMOOTHER] = "smoother",
    [TR_FALLOFF_SPHERE] = "sphere",    [TR_FALLOFF_ROOT] = "root",
    [TR_FALLOFF_SHARP] = "sharp",      [TR_FALLOFF_POW4] = "pow4",
    [TR_FALLOFF_LINEAR] = "linear",    [TR_FALLOFF_INVERSE_SQUARE] = "inverse-square",
    [TR_FALLOFF_CONSTANT] = "constant"};

static enum tr_status read_falloff(const struct tr_place *place, const char *name, const cJSON *value)
{
    const struct tr_choice choice = {name, "falloff", falloff_names, COUNT(falloff_names)};
    size_t falloff;
    enum tr_status status = tr_form_choice(place, &choice, value, &falloff);

    if (status == TR_OK)
        place->edit->falloff = (uint32_t)falloff;
    return status;
}

static void write_falloff(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->falloff != TR_FALLOFF_SMOOTH)
        tr_form_write_string(out, name, falloff_names[edit->falloff]);
}

/* "falloff" comes before "power", here as in the table. */
static enum tr_status read_power(const struct tr_place *place, const char *name, const cJSON *value)
{
    int64_t power = 0;
    enum tr_status status = tr_form_integer(place, name, value, 2, TR_FALLOFF_POWER_MAX, &power);

    if (status != TR_OK)
        return status;
    if (place->edit->falloff != TR_FALLOFF_SHARP)
        return tr_place_fail(place, value, "\"%s\" goes with falloff \"sharp\" only, found falloff \"%s\"",
                             name, falloff_names[place->edit->falloff]);
    place->edit->power = (uint32_t)power;
    return TR_OK;
}

static void write_power(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->falloff == TR_FALLOFF_SHARP && edit->power != TR_EDIT_POWER_DEFAULT)
        tr_form_write_number(out, name, edit->power);
}

static enum tr_status read_projected(const struct tr_place *place, const char *name, const cJSON *value)
{
    place->edit->is_projected = true;
    return tr_form_direction(place, name, value, place->edit->axis);
}

static void write_projected(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->is_projected)
        tr_form_write_numbers(out, name, edit->axis, 3);
}

/* ---- fields of single operations ---- */

static enum tr_status read_height(const struct tr_place *place, const char *name, const cJSON *value)
{
    place->edit->has_height = true;
    return tr_form_number(place, name, value, &place->edit->height_m);
}

static void write_height(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->has_height)
        tr_form_write_number(out, name, edit->height_m);
}

static const double normal_default[3] = {0, 1, 0};

static bool places_equal(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static enum tr_status read_normal(const struct tr_place *place, const char *name, const cJSON *value)
{
    return tr_form_direction(place, name, value, place->edit->normal);
}

static void write_normal(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (!places_equal(edit->normal, normal_default))
        tr_form_write_numbers(out, name, edit->normal, 3);
}

static enum tr_status read_point(const struct tr_place *place, const char *name, const cJSON *value)
{
    place->edit->has_point = true;
    return tr_form_numbers(place, name, value, 3, place->edit->point_m);
}

static void write_point(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->has_point)
        tr_form_write_numbers(out, name, edit->point_m, 3);
}

static enum tr_status read_scale(const struct tr_place *place, const char *name, const cJSON *value)
{
    return tr_form_positive(place, name, value, &place->edit->scale_m);
}

static void write_scale(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    tr_form_write_number(out, name, edit->scale_m);
}

static enum tr_status read_seed(const struct tr_place *place, const char *name, const cJSON *value)
{
    return tr_form_seed(place, name, value, &place->edit->seed);
}

static void write_seed(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->seed != 0)
        tr_form_write_seed(out, name, edit->seed);
}

static enum tr_status read_octaves(const struct tr_place *place, const char *name, const cJSON *value)
{
    int64_t octaves = 0;
    enum tr_status status = tr_form_integer(place, name, value, 1, TR_BRUSH_OCTAVES_MAX, &octaves);

    place->edit->octaves = (uint32_t)octaves;
    return status;
}

static void write_octaves(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->octaves != TR_EDIT_OCTAVES_DEFAULT)
        tr_form_write_number(out, name, edit->octaves);
}

static enum tr_status read_beta(const struct tr_place *place, const char *name, const cJSON *value)
{
    enum tr_status status = tr_form_number(place, name, value, &place->edit->beta);

    if (status == TR_OK && !(place->edit->beta >= 0.0 && place->edit->beta < 1.0))
        return tr_place_fail_found(place, name, value, "at least 0 and below 1");
    return status;
}

static void write_beta(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->beta != TR_EDIT_BETA_DEFAULT)
        tr_form_write_number(out, name, edit->beta);
}

static enum tr_status read_material(const struct tr_place *place, const char *name, const cJSON *value)
{
    int64_t material = 0;
    enum tr_status status = tr_form_integer(place, name, value, 0, 255, &material);

    place->edit->material = (uint32_t)material;
    return status;
}

static void write_material(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    tr_form_write_number(out, name, edit->material);
}

static enum tr_status read_image(const struct tr_place *place, const char *name, const cJSON *value)
{
    return tr_form_image(place, name, value, &place->edit->image);
}

static void write_image(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    tr_form_write_resource(out, name, &edit->image);
}

static enum tr_status read_degrees(const struct tr_place *place, const char *name, const cJSON *value)
{
    enum tr_status status = tr_form_number(place, name, value, &place->edit->degrees);

    if (status == TR_OK)
        status = tr_form_check_range(place, name, value, -36000.0, 36000.0, place->edit->degrees);
    return status;
}

static void write_degrees(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (edit->degrees != 0.0)
        tr_form_write_number(out, name, edit->degrees);
}

static enum tr_status read_by(const struct tr_place *place, const char *name, const cJSON *value)
{
    return tr_form_numbers(place, name, value, 3, place->edit->by_m);
}

static void write_by(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    tr_form_write_numbers(out, name, edit->by_m, 3);
}

/* ---- shapes and their blend with the ground: shape_json.c ---- */

static enum tr_status read_blend(const struct tr_place *place, const char *name, const cJSON *value)
{
    struct tr_place in_blend = *place;
    enum tr_status status = tr_form_object(place, name, value);

    in_blend.inside = " in \"blend\"";
    return status == TR_OK ? tr_blend_read_json(&in_blend, value, &place->edit->blend) : status;
}

static void write_blend(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    tr_blend_write_json(&edit->blend, name, out);
}

static enum tr_status read_shape(const struct tr_place *place, const char *name, const cJSON *value)
{
    return tr_shape_read_json(place, name, value, &place->edit->shape);
}

static void write_shape(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    tr_shape_write_json(&edit->shape, name, out);
}

static enum tr_status read_within(const struct tr_place *place, const char *name, const cJSON *value)
{
    static const struct tr_field corners[] = {{"max", true}, {"min", true}};
    struct tr_edit *edit = place->edit;
    struct tr_place in_within = *place;
    enum tr_status status = tr_form_object(place, name, value);

    in_within.inside = " in \"within\"";
    if (status == TR_OK)
        status = tr_form_check(&in_within, value, corners, COUNT(corners));
    if (status == TR_OK)
        status = tr_form_numbers(&in_within, "min", tr_form_find(value, "min"), 3, edit->within_m[0]);
    if (status == TR_OK)
        status = tr_form_numbers(&in_within, "max", tr_form_find(value, "max"), 3, edit->within_m[1]);
    for (int i = 0; i < 3 && status == TR_OK; i++) {
        char least[32], greatest[32];

        if (edit->within_m[0][i] <= edit->within_m[1][i])
            continue;
        tr_number_text(edit->within_m[0][i], least);
        tr_number_text(edit->within_m[1][i], greatest);
        status =
            tr_place_fail(place, value, "\"min\" in \"within\" must be <= \"max\", found %s and %s in %c",
                          least, greatest, "xyz"[i]);
    }
    edit->has_within = true;
    return status;
}

static void write_within(const struct tr_edit *edit, const char *name, struct tr_writer *out)
{
    if (!edit->has_within)
        return;
    tr_form_write_key(out, name);
    tr_write_u8(out, '{');
    tr_form_write_numbers(out, "max", edit->within_m[1], 3);
    tr_form_write_numbers(out, "min", edit->within_m[0], 3);
    tr_write_u8(out, '}');
}

/* ---- an edit ---- */

/* `read` is NULL for what has been read before the others; `write` leaves out defaults. */
static const struct {
    const char *name;
    enum tr_status (*read)(const struct tr_place *place, const char *name, const cJSON *value);
    void (*write)(const struct tr_edit *edit, const char *name, struct tr_writer *out);
} fields[FIELD_COUNT] = {
    [AT] = {"at", NULL, write_at},
    [AUTHOR] = {"author", read_author, write_author},
    [BETA] = {"beta", read_beta, write_beta},
    [BLEND] = {"blend", read_blend, write_blend},
    [BY] = {"by", read_by, write_by},
    [DEGREES] = {"degrees", read_degrees, write_degrees},
    [FALLOFF] = {"falloff", read_falloff, write_falloff},
    [HEIGHT] = {"height", read_height, write_height},
    [ID] = {"id", NULL, write_id},
    [IMAGE] = {"image", read_image, write_image},
    [MATERIAL] = {"material", read_material, write_material},
    [NORMAL] = {"normal", read_normal, write_normal},
    [OCTAVES] = {"octaves", read_octaves, write_octaves},
    [OP] = {"op", NULL, write_op},
    [PATH] = {"path", NULL, write_path},
    [POINT] = {"point", read_point, write_point},
    [POWER] = {"power", read_power, write_power},
    [PROJECTED] = {"projected", read_projected, write_projected},
    [RADIUS] = {"radius", read_radius, write_radius},
    [SCALE] = {"scale", read_scale, write_scale},
    [SEED] = {"seed", read_seed, write_seed},
    [SHAPE] = {"shape", read_shape, write_shape},
    [SPACING] = {"spacing", read_spacing, write_spacing},
    [STRENGTH] = {"strength", read_strength, write_strength},
    [TIME] = {"time", read_time, write_time},
    [WITHIN] = {"within", read_within, write_within},
};

/* The operation of this name that each kind has, TR_EDIT_OP_COUNT where it has none; how many have one. */
static int operations_named(const char *name, enum tr_edit_op found[KIND_COUNT])
{
    int count = 0;

    for (int kind = 0; kind < KIND_COUNT; kind++)
        found[kind] = TR_EDIT_OP_COUNT;
    for (int op = 0; op < TR_EDIT_OP_COUNT; op++)
        if (strcmp(name, operations[op].name) == 0) {
            found[operations[op].kind] = (enum tr_edit_op)op;
            count++;
        }
    return count;
}

/* Not the name of an operation, and the names that there are, each once. */
static enum tr_status fail_operation(const struct tr_place *place, const cJSON *value)
{
    const char *names[TR_EDIT_OP_COUNT];
    struct tr_choice choice = {"op", "operation", names, 0};
    size_t none;

    for (int op = 0; op < TR_EDIT_OP_COUNT; op++) {
        bool is_new = true;

        for (size_t i = 0; i < choice.count; i++)
            is_new = is_new && strcmp(names[i], operations[op].name) != 0;
        if (is_new)
            names[choice.count++] = operations[op].name;
    }
    return tr_form_choice(place, &choice, value, &none);
}

/* What `at` is, or the first point of `path`; NULL when neither is there. */
static const cJSON *first_place(const cJSON *item, const char **name)
{
    const cJSON *at = tr_form_find(item, "at"), *path = tr_form_find(item, "path");

    *name = at ? "at" : "path[0]";
    return at ? at : cJSON_IsArray(path) ? path->child : NULL;
}

/* Several operations have the name, and nothing tells which one is meant. */
static enum tr_status fail_kind(const struct tr_place *place, const cJSON *item,
                                const enum tr_edit_op named[KIND_COUNT])
{
    bool on_heights = named[ON_HEIGHTS] != TR_EDIT_OP_COUNT, by_shape = named[BY_SHAPE] != TR_EDIT_OP_COUNT;
    const char *counts = on_heights ? "2 or 3" : "3", *name;
    const cJSON *path = tr_form_find(item, "path"), *first = first_place(item, &name);
    const char *op = operations[named[IN_VOLUME]].name; /* all such names are volume brushes, too */
    char found[TR_FOUND_TEXT_BYTES];

    if (path && !first)
        return fail_path(place, path);
    if (!first)
        return tr_place_fail(place, item,
                             by_shape ? "\"at\", \"path\" or \"shape\" is missing"
                                      : "\"at\" or \"path\" is missing");
    if (cJSON_IsArray(first))
        snprintf(found, sizeof found, "an array of %d", cJSON_GetArraySize(first));
    else
        tr_found_text(first, found);
    return tr_place_fail(place, first, "\"%s\" of %s must be an array of %s numbers, found %s", name, op,
                         counts, found);
}

/* The operation: by its name, and where kinds share it by what the edit has. */
static enum tr_status read_op(const struct tr_place *place, const cJSON *item)
{
    const cJSON *value = tr_form_find(item, "op"), *first;
    enum tr_edit_op named[KIND_COUNT], op = TR_EDIT_OP_COUNT;
    const char *name;
    int count;

    if (!value)
        return tr_form_fail_missing(place, item, "op");
    count = cJSON_IsString(value) ? operations_named(value->valuestring, named) : 0;
    if (count == 0)
        return fail_operation(place, value);
    first = first_place(item, &name);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        bool is_meant = kind == BY_SHAPE
                            ? tr_form_find(item, "shape") != NULL
                            : cJSON_IsArray(first) && cJSON_GetArraySize(first) == kinds[kind].coordinates;

        if (named[kind] != TR_EDIT_OP_COUNT && (count == 1 || is_meant))
            op = named[kind];
    }
    if (op == TR_EDIT_OP_COUNT)
        return fail_kind(place, item, named);
    place->edit->op = op;
    return TR_OK;
}

static enum tr_status check_fields(const struct tr_place *place, const cJSON *item)
{
    uint32_t all = all_fields(place->edit->op), required = required_fields(place->edit->op);
    struct tr_field list[FIELD_COUNT];
    size_t count = 0;

    for (int field = 0; field < FIELD_COUNT; field++)
        if (all & F(field))
            list[count++] = (struct tr_field){fields[field].name, (required & F(field)) != 0};
    return tr_form_check(place, item, list, count);
}

static enum tr_status read_fields(const struct tr_place *place, const cJSON *item)
{
    uint32_t all = all_fields(place->edit->op);
    enum tr_status status = TR_OK;

    for (int field = 0; field < FIELD_COUNT && status == TR_OK; field++) {
        const cJSON *value = all & F(field) ? tr_form_find(item, fields[field].name) : NULL;

        if (value && fields[field].read)
            status = fields[field].read(place, fields[field].name, value);
    }
    return status;
}

/* What means the same becomes the same. Twice the spacing is exact where half of a radius is not. */
static void settle_brush(struct tr_edit *edit)
{
    if (edit->has_spacing && 2.0 * edit->spacing_m == edit->points[0].radius_m) {
        edit->has_spacing = false;
        edit->spacing_m = 0.0;
    }
    if (edit->point_count == 1 && !edit->has_spacing)
        edit->is_stroke = false;
    if (edit->has_point && places_equal(edit->point_m, edit->points[0].at_m)) {
        edit->has_point = false;
        memset(edit->point_m, 0, sizeof edit->point_m);
    }
    if (edit->op == TR_EDIT_SET || edit->op == TR_EDIT_GRAB)
        for (uint32_t i = 0; i < edit->point_count; i++)
            edit->points[i].strength = 1.0;
}

/* What goes on for ever needs an end. */
static enum tr_status check_bounds(const struct tr_place *place, const cJSON *item)
{
    if (place->edit->has_within || tr_shape_is_bounded(&place->edit->shape))
        return TR_OK;
    return tr_place_fail(place, item,
                         "\"shape\" has no bounds, as a half-space has none: expected \"within\"");
}

void tr_edit_begin(const struct tr_place *place, const cJSON *item)
{
    struct tr_edit *edit = place->edit;

    *edit = (struct tr_edit){.line = item->valueint,
                             .has_offset = place->has_offsets,
                             .power = TR_EDIT_POWER_DEFAULT,
                             .octaves = TR_EDIT_OCTAVES_DEFAULT,
                             .beta = TR_EDIT_BETA_DEFAULT};
    memcpy(edit->normal, normal_default, sizeof edit->normal);
}

enum tr_status tr_edit_read_json(const struct tr_place *place, const cJSON *item)
{
    const cJSON *id;
    enum tr_status status = TR_OK;

    tr_edit_begin(place, item);
    if (!cJSON_IsObject(item)) {
        char found[TR_FOUND_TEXT_BYTES];

        return tr_place_fail(place, item, "an edit must be an object, found %s", tr_found_text(item, found));
    }
    id = tr_form_find(item, "id"); /* first, so that messages can say it */
    if (id)
        status = tr_form_name(place, "id", id, place->edit->id);
    if (status == TR_OK)
        status = read_op(place, item);
    if (status == TR_OK)
        status = check_fields(place, item);
    if (status == TR_OK && !tr_edit_is_shape(place->edit))
        status = read_points(place, item);
    if (status == TR_OK)
        status = read_fields(place, item);
    if (status == TR_OK && !tr_edit_is_shape(place->edit))
        settle_brush(place->edit);
    if (status == TR_OK && tr_edit_is_shape(place->edit))
        status = check_bounds(place, item);
    return status;
}

void tr_edit_write_json(const struct tr_edit *edit, struct tr_writer *out)
{
    uint32_t all = all_fields(edit->op);

    tr_write_u8(out, '{');
    for (int field = 0; field < FIELD_COUNT; field++)
        if (all & F(field))
            fields[field].write(edit, fields[field].name, out);
    tr_write_u8(out, '}');
}
