/* One edit as JSON, as EDITS.md describes it: the forms of all edits, shapes and blends, and the normal form.
 * To add an operation: its name, its form, and its part of the normal form; to add a shape or blend likewise.
 */
#include "lib/edit/edit_json.h"

#include <inttypes.h>
#include <string.h>

#define TIME_MAX 9007199254740992.0 /* 2^53 */
#define POWER_DEFAULT 3u
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const op_names[TR_EDIT_OP_COUNT] = {"raise", "lower", "smooth", "union", "subtract"};
static const char *const falloff_names[TR_FALLOFF_COUNT] = {
    "smooth", "smoother", "sphere", "root", "sharp", "pow4", "linear", "inverse-square", "constant"};
static const char *const shape_names[] = {"sphere", "capsule"}; /* enum tr_shape_kind */
enum blend_kind { BLEND_HARD, BLEND_SMOOTH, BLEND_COUNT };
static const char *const blend_names[BLEND_COUNT] = {"hard", "smooth"};

static const struct tr_choice op_choice = {"op", "operation", op_names, COUNT(op_names)};
static const struct tr_choice falloff_choice = {"falloff", "falloff", falloff_names, COUNT(falloff_names)};
static const struct tr_choice shape_choice = {"type", "shape", shape_names, COUNT(shape_names)};
static const struct tr_choice blend_choice = {"type", "blend", blend_names, COUNT(blend_names)};

/* ---- fields of shapes and blends ---- */

static enum tr_status read_radius(const struct tr_place *place, const cJSON *value)
{
    return tr_form_positive(place, "radius", value, &place->edit->radius_m);
}

static enum tr_status read_center(const struct tr_place *place, const cJSON *value)
{
    enum tr_status status = tr_form_numbers(place, "center", value, 3, place->edit->a_m);

    memcpy(place->edit->b_m, place->edit->a_m, sizeof place->edit->b_m);
    return status;
}

static enum tr_status read_from(const struct tr_place *place, const cJSON *value)
{
    return tr_form_numbers(place, "from", value, 3, place->edit->a_m);
}

static enum tr_status read_to(const struct tr_place *place, const cJSON *value)
{
    return tr_form_numbers(place, "to", value, 3, place->edit->b_m);
}

static enum tr_status read_width(const struct tr_place *place, const cJSON *value)
{
    return tr_form_positive(place, "width", value, &place->edit->blend_m);
}

static const struct tr_field sphere_fields[] = {
    {"center", true, read_center}, {"radius", true, read_radius}, {"type", true, NULL}};
static const struct tr_field capsule_fields[] = {
    {"from", true, read_from}, {"radius", true, read_radius}, {"to", true, read_to}, {"type", true, NULL}};
static const struct tr_form shape_forms[] = {{" in \"shape\"", sphere_fields, COUNT(sphere_fields)},
                                             {" in \"shape\"", capsule_fields, COUNT(capsule_fields)}};
static const struct tr_field hard_fields[] = {{"type", true, NULL}};
static const struct tr_field smooth_fields[] = {{"type", true, NULL}, {"width", true, read_width}};
static const struct tr_form blend_forms[BLEND_COUNT] = {
    {" in \"blend\"", hard_fields, COUNT(hard_fields)},
    {" in \"blend\"", smooth_fields, COUNT(smooth_fields)}};

static enum tr_status read_shape(const struct tr_place *place, const cJSON *value)
{
    size_t kind;
    enum tr_status status;

    if (!cJSON_IsObject(value))
        return tr_place_fail_found(place, "shape", value, "an object");
    status = tr_form_kind(place, value, " in \"shape\"", &shape_choice, &kind);
    if (status != TR_OK)
        return status;
    place->edit->shape = (enum tr_shape_kind)kind;
    return tr_form_read(place, value, &shape_forms[kind]);
}

static enum tr_status read_blend(const struct tr_place *place, const cJSON *value)
{
    size_t kind;
    enum tr_status status;

    if (!cJSON_IsObject(value))
        return tr_place_fail_found(place, "blend", value, "an object");
    status = tr_form_kind(place, value, " in \"blend\"", &blend_choice, &kind);
    return status == TR_OK ? tr_form_read(place, value, &blend_forms[kind]) : status;
}

/* ---- fields of edits ---- */

static enum tr_status read_at(const struct tr_place *place, const cJSON *value)
{
    double xz[3] = {0};
    enum tr_status status = tr_form_numbers(place, "at", value, 2, xz);

    place->edit->a_m[0] = place->edit->b_m[0] = xz[0];
    place->edit->a_m[2] = place->edit->b_m[2] = xz[1];
    return status;
}

static enum tr_status read_author(const struct tr_place *place, const cJSON *value)
{
    return tr_form_name(place, "author", value, place->edit->author);
}

static enum tr_status read_falloff(const struct tr_place *place, const cJSON *value)
{
    size_t falloff;
    enum tr_status status = tr_form_choice(place, &falloff_choice, value, &falloff);

    if (status == TR_OK)
        place->edit->falloff = (uint32_t)falloff;
    return status;
}

static enum tr_status read_power(const struct tr_place *place, const cJSON *value)
{
    int64_t power;
    enum tr_status status = tr_form_integer(place, "power", value, 2, 16, &power);

    if (status == TR_OK)
        place->edit->power = (uint32_t)power;
    return status;
}

static enum tr_status read_strength(const struct tr_place *place, const cJSON *value)
{
    enum tr_status status = tr_form_positive(place, "strength", value, &place->edit->strength);

    if (status == TR_OK && place->edit->op == TR_EDIT_SMOOTH && place->edit->strength > 1.0)
        return tr_place_fail_found(place, "strength", value, "> 0 and at most 1");
    return status;
}

static enum tr_status read_time(const struct tr_place *place, const cJSON *value)
{
    place->edit->has_time = true;
    return tr_form_integer(place, "time", value, -TIME_MAX, TIME_MAX, &place->edit->time_ms);
}

static const struct tr_field height_fields[] = {{"at", true, read_at},
                                                {"author", false, read_author},
                                                {"falloff", false, read_falloff},
                                                {"id", false, NULL},
                                                {"op", true, NULL},
                                                {"power", false, read_power},
                                                {"radius", true, read_radius},
                                                {"strength", true, read_strength},
                                                {"time", false, read_time}};
static const struct tr_field csg_fields[] = {
    {"author", false, read_author}, {"blend", false, read_blend}, {"id", false, NULL}, {"op", true, NULL},
    {"shape", true, read_shape},    {"time", false, read_time}};
static const struct tr_form height_form = {"", height_fields, COUNT(height_fields)};
static const struct tr_form csg_form = {"", csg_fields, COUNT(csg_fields)};

static enum tr_status check_power(const struct tr_place *place, const cJSON *item)
{
    const cJSON *power = tr_form_find(item, "power");

    if (power && place->edit->falloff != TR_FALLOFF_SHARP)
        return tr_place_fail(place, power, "\"power\" goes with falloff \"sharp\" only, found falloff \"%s\"",
                             falloff_names[place->edit->falloff]);
    return TR_OK;
}

enum tr_status tr_edit_read_json(const struct tr_place *place, const cJSON *item)
{
    struct tr_edit *edit = place->edit;
    const cJSON *id;
    size_t op;
    enum tr_status status = TR_OK;

    *edit = (struct tr_edit){.line = tr_json_line(item), .power = POWER_DEFAULT};
    if (!cJSON_IsObject(item)) {
        char found[TR_FOUND_TEXT_BYTES];

        return tr_place_fail(place, item, "an edit must be an object, found %s", tr_found_text(item, found));
    }
    id = tr_form_find(item, "id"); /* first, so that messages can say it */
    if (id)
        status = tr_form_name(place, "id", id, edit->id);
    if (status == TR_OK)
        status = tr_form_kind(place, item, "", &op_choice, &op);
    if (status != TR_OK)
        return status;
    edit->op = (enum tr_edit_op)op;
    status = tr_form_read(place, item, tr_edit_is_height(edit) ? &height_form : &csg_form);
    return status == TR_OK ? check_power(place, item) : status;
}

/* ---- the normal form ---- */

static void write_key(struct tr_writer *out, const char *key)
{
    if (out->size_bytes > 0 && out->bytes[out->size_bytes - 1] != '{')
        tr_write_u8(out, ',');
    tr_write_text(out, "\"%s\":", key);
}

static void write_string(struct tr_writer *out, const char *key, const char *text)
{
    write_key(out, key);
    tr_write_u8(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            tr_write_u8(out, '\\');
        tr_write_u8(out, (uint8_t)*text);
    }
    tr_write_u8(out, '"');
}

static void write_number(struct tr_writer *out, const char *key, double number)
{
    char text[32];

    write_key(out, key);
    tr_number_text(number, text);
    tr_write_text(out, "%s", text);
}

static void write_numbers(struct tr_writer *out, const char *key, const double *numbers, int count)
{
    write_key(out, key);
    for (int i = 0; i < count; i++) {
        char text[32];

        tr_number_text(numbers[i], text);
        tr_write_text(out, "%c%s", i == 0 ? '[' : ',', text);
    }
    tr_write_u8(out, ']');
}

static void write_time(const struct tr_edit *edit, struct tr_writer *out)
{
    if (edit->has_time) {
        write_key(out, "time");
        tr_write_text(out, "%" PRId64, edit->time_ms);
    }
}

static void write_height_edit(const struct tr_edit *edit, struct tr_writer *out)
{
    const double at[2] = {edit->a_m[0], edit->a_m[2]};

    write_numbers(out, "at", at, 2);
    if (edit->author[0])
        write_string(out, "author", edit->author);
    if (edit->falloff != TR_FALLOFF_SMOOTH)
        write_string(out, "falloff", falloff_names[edit->falloff]);
    if (edit->id[0])
        write_string(out, "id", edit->id);
    write_string(out, "op", op_names[edit->op]);
    if (edit->falloff == TR_FALLOFF_SHARP && edit->power != POWER_DEFAULT)
        write_number(out, "power", edit->power);
    write_number(out, "radius", edit->radius_m);
    write_number(out, "strength", edit->strength);
    write_time(edit, out);
}

static void write_shape(const struct tr_edit *edit, struct tr_writer *out)
{
    bool is_sphere = edit->shape == TR_SHAPE_SPHERE;

    write_key(out, "shape");
    tr_write_u8(out, '{');
    write_numbers(out, is_sphere ? "center" : "from", edit->a_m, 3);
    write_number(out, "radius", edit->radius_m);
    if (!is_sphere)
        write_numbers(out, "to", edit->b_m, 3);
    write_string(out, "type", shape_names[edit->shape]);
    tr_write_u8(out, '}');
}

static void write_csg_edit(const struct tr_edit *edit, struct tr_writer *out)
{
    if (edit->author[0])
        write_string(out, "author", edit->author);
    if (edit->blend_m > 0.0) {
        write_key(out, "blend");
        tr_write_u8(out, '{');
        write_string(out, "type", blend_names[BLEND_SMOOTH]);
        write_number(out, "width", edit->blend_m);
        tr_write_u8(out, '}');
    }
    if (edit->id[0])
        write_string(out, "id", edit->id);
    write_string(out, "op", op_names[edit->op]);
    write_shape(edit, out);
    write_time(edit, out);
}

void tr_edit_write_json(const struct tr_edit *edit, struct tr_writer *out)
{
    tr_write_u8(out, '{');
    if (tr_edit_is_height(edit))
        write_height_edit(edit, out);
    else
        write_csg_edit(edit, out);
    tr_write_u8(out, '}');
}
