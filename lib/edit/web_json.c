/* Messages of the web client:
 *
 *   {"t": T, "brush": {"position": [x, y, z], "radius": r, "strength": s, "falloff": F, "operation": O, "targetHeight": h}}
 *   {"t": T, "cx": i, "cz": k, "brush": {"wx": x, "wz": z, "radius": r, "strength": s, "falloff": F, "operation": O}}
 *
 * The first kind names falloff and operation, the second, told by its chunk (cx, cz), gives their place in the client's lists. What a height
 * brush has no use for is checked all the same, so that a message which was garbled on its way is noticed. */
#include "lib/edit/web_json.h"

#include "lib/edit/edit_json.h"

#define INTEGER_MAX 9007199254740992.0 /* 2^53 */
#define SCALE_MIN_M 1.0                /* of noise: a quarter of the radius, at least this */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The client's lists: their order is the meaning of its numbers. */
static const char *const falloff_names[] = {"smooth", "linear", "sharp", "constant"};
static const uint32_t falloffs[] = {TR_FALLOFF_SMOOTH, TR_FALLOFF_LINEAR, TR_FALLOFF_SHARP,
                                    TR_FALLOFF_CONSTANT};
static const struct tr_choice falloff_choice = {"falloff", "falloff", falloff_names, COUNT(falloff_names)};

static const char *const operation_names[] = {"raise", "lower", "smooth", "flatten", "noise"};
static const enum tr_edit_op operations[] = {TR_EDIT_RAISE, TR_EDIT_LOWER, TR_EDIT_SMOOTH, TR_EDIT_FLATTEN,
                                             TR_EDIT_NOISE};
static const struct tr_choice operation_choice = {"operation", "operation", operation_names,
                                                  COUNT(operation_names)};

static const struct tr_field named_fields[] = {{"brush", true}, {"t", true}};
static const struct tr_field numbered_fields[] = {{"brush", true}, {"cx", true}, {"cz", true}, {"t", true}};
static const struct tr_field named_brush[] = {{"falloff", true},  {"operation", true},
                                              {"position", true}, {"radius", true},
                                              {"strength", true}, {"targetHeight", false}};
static const struct tr_field numbered_brush[] = {{"falloff", true},  {"operation", true}, {"radius", true},
                                                 {"strength", true}, {"wx", true},        {"wz", true}};

bool tr_web_is_message(const cJSON *item)
{
    return cJSON_IsObject(item) && tr_form_find(item, "brush") && !tr_form_find(item, "format");
}

/* A field that is known to be there. */
static enum tr_status read_integer(const struct tr_place *place, const cJSON *object, const char *name,
                                   int64_t *integer)
{
    return tr_form_integer(place, name, tr_form_find(object, name), -INTEGER_MAX, INTEGER_MAX, integer);
}

static enum tr_status read_choice(const struct tr_place *place, const cJSON *brush,
                                  const struct tr_choice *choice, bool is_numbered, size_t *index)
{
    const cJSON *value = tr_form_find(brush, choice->field);
    int64_t number = 0;
    enum tr_status status;

    if (!is_numbered)
        return tr_form_choice(place, choice, value, index);
    status = tr_form_integer(place, choice->field, value, 0.0, (double)(choice->count - 1), &number);
    *index = (size_t)number;
    return status;
}

static enum tr_status read_position(const struct tr_place *place, const cJSON *brush, bool is_numbered,
                                    double at_m[3])
{
    enum tr_status status;

    if (is_numbered) {
        status = tr_form_number(place, "wx", tr_form_find(brush, "wx"), &at_m[0]);
        if (status == TR_OK)
            status = tr_form_number(place, "wz", tr_form_find(brush, "wz"), &at_m[2]);
    } else {
        status = tr_form_numbers(place, "position", tr_form_find(brush, "position"), 3, at_m);
    }
    at_m[1] = 0.0;
    return status;
}

static enum tr_status read_target_height(const struct tr_place *place, const cJSON *value, size_t operation)
{
    if (operations[operation] != TR_EDIT_FLATTEN)
        return tr_place_fail(
            place, value, "\"targetHeight\"%s goes with operation \"flatten\" only, found operation \"%s\"",
            place->inside, operation_names[operation]);
    place->edit->has_height = true;
    return tr_form_number(place, "targetHeight", value, &place->edit->height_m);
}

/* What follows for a height brush that is not the client's. */
static void settle_brush(struct tr_edit *edit, struct tr_edit_point *point)
{
    if ((edit->op == TR_EDIT_SMOOTH || edit->op == TR_EDIT_FLATTEN) && point->strength > 1.0)
        point->strength = 1.0;
    if (edit->op == TR_EDIT_NOISE)
        edit->scale_m = point->radius_m / 4.0 > SCALE_MIN_M ? point->radius_m / 4.0 : SCALE_MIN_M;
}

static enum tr_status read_brush(const struct tr_place *place, const cJSON *brush, bool is_numbered)
{
    struct tr_edit *edit = place->edit;
    struct tr_edit_point *point = &edit->points[0];
    const cJSON *target = tr_form_find(brush, "targetHeight");
    size_t falloff = 0, operation = 0;
    enum tr_status status = read_choice(place, brush, &operation_choice, is_numbered, &operation);

    if (status == TR_OK)
        status = read_choice(place, brush, &falloff_choice, is_numbered, &falloff);
    if (status == TR_OK)
        status = read_position(place, brush, is_numbered, point->at_m);
    if (status == TR_OK)
        status = tr_form_positive(place, "radius", tr_form_find(brush, "radius"), &point->radius_m);
    if (status == TR_OK)
        status = tr_form_positive(place, "strength", tr_form_find(brush, "strength"), &point->strength);
    if (status == TR_OK && target)
        status = read_target_height(place, target, operation);
    if (status != TR_OK)
        return status;
    edit->op = operations[operation];
    edit->falloff = falloffs[falloff];
    settle_brush(edit, point);
    return TR_OK;
}

enum tr_status tr_web_read_json(const struct tr_place *place, const cJSON *item)
{
    bool is_numbered = tr_form_find(item, "cx") || tr_form_find(item, "cz");
    const cJSON *brush = tr_form_find(item, "brush");
    struct tr_place in_brush = *place;
    int64_t chunk;
    enum tr_status status;

    tr_edit_begin(place, item);
    if (!cJSON_IsObject(item)) {
        char found[TR_FOUND_TEXT_BYTES];

        return tr_place_fail(place, item, "a message must be an object, found %s",
                             tr_found_text(item, found));
    }
    if (!brush && tr_form_find(item, "op"))
        return tr_place_fail(place, item, "found an edit among messages of the web client");
    in_brush.inside = " in \"brush\"";
    status = is_numbered ? tr_form_check(place, item, numbered_fields, COUNT(numbered_fields))
                         : tr_form_check(place, item, named_fields, COUNT(named_fields));
    if (status == TR_OK)
        status = tr_form_object(place, "brush", brush);
    if (status == TR_OK)
        status = is_numbered ? tr_form_check(&in_brush, brush, numbered_brush, COUNT(numbered_brush))
                             : tr_form_check(&in_brush, brush, named_brush, COUNT(named_brush));
    if (status == TR_OK)
        status = read_integer(place, item, "t", &place->edit->time_ms);
    if (status == TR_OK && is_numbered)
        status = read_integer(place, item, "cx", &chunk);
    if (status == TR_OK && is_numbered)
        status = read_integer(place, item, "cz", &chunk);
    if (status == TR_OK)
        status = tr_edit_take_points(place, 1);
    place->edit->has_time = true;
    return status == TR_OK ? read_brush(&in_brush, brush, is_numbered) : status;
}
