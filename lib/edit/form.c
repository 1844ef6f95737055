/* Forms: see form.h. The text was checked strictly before (lib/base/json.h, msgpack.h): strings are valid UTF-8 without NUL, numbers are
 * finite, no key appears twice. Texts from the log are cut to SHOWN_BYTES in messages. */
#include "lib/edit/form.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_BYTES 64
#define LIST_BYTES 512
#define INSIDE_BYTES 1280              /* more than the longest way into a shape: shape_json.c */
#define INTEGER_MAX 9007199254740992.0 /* 2^53 */
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define DIRECTION_MAX 1e9
#define DIRECTION_MIN 1e-9

/* ---- messages ---- */

void tr_position_text(const char *name, bool is_offset, int at, char text[TR_ERROR_TEXT_BYTES])
{
    snprintf(text, TR_ERROR_TEXT_BYTES, is_offset ? "%s: byte offset %d" : "%s:%d", name, at);
}

enum tr_status tr_place_fail(const struct tr_place *place, const cJSON *item, const char *format, ...)
{
    char what[TR_ERROR_TEXT_BYTES], where[TR_ERROR_TEXT_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tr_position_text(place->name, place->has_offsets, item->valueint, where);
    if (!place->edit)
        return tr_fail(place->error, TR_BAD_INPUT, "%s: %s", where, what);
    if (place->edit->id[0] == '\0')
        return tr_fail(place->error, TR_BAD_INPUT, "%s: edit #%zu: %s", where, place->number, what);
    return tr_fail(place->error, TR_BAD_INPUT, "%s: edit '%s': %s", where, place->edit->id, what);
}

static const char *inside(const struct tr_place *place)
{
    return place->inside ? place->inside : "";
}

/* The length of `text` cut to SHOWN_BYTES, not within a UTF-8 sequence. */
static int shown_length(const char *text)
{
    size_t length = strlen(text);

    if (length <= SHOWN_BYTES)
        return (int)length;
    length = SHOWN_BYTES;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return (int)length;
}

const char *tr_found_text(const cJSON *value, char text[TR_FOUND_TEXT_BYTES])
{
    int length;

    if (cJSON_IsNumber(value)) {
        tr_number_text(value->valuedouble, text);
    } else if (cJSON_IsString(value)) {
        length = shown_length(value->valuestring);
        snprintf(text, TR_FOUND_TEXT_BYTES, "the string \"%.*s%s\"", length, value->valuestring,
                 value->valuestring[length] ? "..." : "");
    } else {
        snprintf(text, TR_FOUND_TEXT_BYTES, "%s",
                 cJSON_IsArray(value)    ? "an array"
                 : cJSON_IsObject(value) ? "an object"
                 : cJSON_IsNull(value)   ? "null"
                 : cJSON_IsTrue(value)   ? "true"
                                         : "false");
    }
    return text;
}

enum tr_status tr_place_fail_found(const struct tr_place *place, const char *field, const cJSON *value,
                                   const char *expected)
{
    char found[TR_FOUND_TEXT_BYTES];

    return tr_place_fail(place, value, "\"%s\"%s must be %s, found %s", field, inside(place), expected,
                         tr_found_text(value, found));
}

enum tr_status tr_place_fail_for(const struct tr_place *place, const char *field, const cJSON *value,
                                 const struct tr_error *reason)
{
    tr_place_fail(place, value, "\"%s\"%s: %s", field, inside(place), reason->text);
    if (place->error)
        place->error->status = reason->status;
    return reason->status;
}

static enum tr_status fail_number(const struct tr_place *place, const char *field, const cJSON *value,
                                  const char *expected, double found)
{
    char found_text[32];

    tr_number_text(found, found_text);
    return tr_place_fail(place, value, "\"%s\"%s must be %s, found %s", field, inside(place), expected,
                         found_text);
}

/* "one, two, three" */
static void list_text(const char *const *names, size_t count, char text[LIST_BYTES])
{
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && at < LIST_BYTES; i++)
        at += (size_t)snprintf(text + at, LIST_BYTES - at, "%s%s", i > 0 ? ", " : "", names[i]);
}

/* ---- objects ---- */

const cJSON *tr_form_find(const cJSON *object, const char *field)
{
    return cJSON_GetObjectItemCaseSensitive(object, field);
}

enum tr_status tr_form_fail_missing(const struct tr_place *place, const cJSON *object, const char *field)
{
    return tr_place_fail(place, object, "\"%s\"%s is missing", field, inside(place));
}

static enum tr_status fail_unknown(const struct tr_place *place, const cJSON *value,
                                   const struct tr_field *fields, size_t count)
{
    const char *names[TR_FORM_FIELDS_MAX];
    char expected[LIST_BYTES];

    for (size_t i = 0; i < count; i++)
        names[i] = fields[i].name;
    list_text(names, count, expected);
    return tr_place_fail(place, value, "unknown field \"%.*s\"%s, expected one of %s",
                         shown_length(value->string), value->string, inside(place), expected);
}

static bool is_known(const char *name, const struct tr_field *fields, size_t count)
{
    if (strncmp(name, "x-", 2) == 0)
        return true;
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, fields[i].name) == 0)
            return true;
    return false;
}

enum tr_status tr_form_check(const struct tr_place *place, const cJSON *object, const struct tr_field *fields,
                             size_t count)
{
    for (const cJSON *value = object->child; value; value = value->next)
        if (!is_known(value->string, fields, count))
            return fail_unknown(place, value, fields, count);
    for (size_t i = 0; i < count; i++)
        if (fields[i].is_required && !tr_form_find(object, fields[i].name))
            return tr_form_fail_missing(place, object, fields[i].name);
    return TR_OK;
}

/* ---- values ---- */

enum tr_status tr_form_choice(const struct tr_place *place, const struct tr_choice *choice,
                              const cJSON *value, size_t *index)
{
    char expected[LIST_BYTES];

    if (!cJSON_IsString(value))
        return tr_place_fail_found(place, choice->field, value, "a string");
    for (*index = 0; *index < choice->count; ++*index)
        if (strcmp(value->valuestring, choice->names[*index]) == 0)
            return TR_OK;
    list_text(choice->names, choice->count, expected);
    return tr_place_fail(place, value, "%s '%.*s'%s is not supported by this version, expected one of %s",
                         choice->kind, shown_length(value->valuestring), value->valuestring, inside(place),
                         expected);
}

enum tr_status tr_form_kind(const struct tr_place *place, const cJSON *object, const struct tr_choice *choice,
                            size_t *index)
{
    const cJSON *value = tr_form_find(object, choice->field);

    if (!value)
        return tr_form_fail_missing(place, object, choice->field);
    return tr_form_choice(place, choice, value, index);
}

enum tr_status tr_form_object(const struct tr_place *place, const char *field, const cJSON *value)
{
    return cJSON_IsObject(value) ? TR_OK : tr_place_fail_found(place, field, value, "an object");
}

enum tr_status tr_form_number(const struct tr_place *place, const char *field, const cJSON *value,
                              double *number)
{
    if (!cJSON_IsNumber(value))
        return tr_place_fail_found(place, field, value, "a number");
    *number = value->valuedouble + 0.0; /* -0 + 0 is 0 */
    return TR_OK;
}

enum tr_status tr_form_check_positive(const struct tr_place *place, const char *field, const cJSON *value,
                                      double number)
{
    return number > 0.0 ? TR_OK : fail_number(place, field, value, "> 0", number);
}

enum tr_status tr_form_check_least(const struct tr_place *place, const char *field, const cJSON *value,
                                   double min, double number)
{
    char expected[40], min_text[32];

    if (number >= min)
        return TR_OK;
    tr_number_text(min, min_text);
    snprintf(expected, sizeof expected, ">= %s", min_text);
    return fail_number(place, field, value, expected, number);
}

enum tr_status tr_form_check_range(const struct tr_place *place, const char *field, const cJSON *value,
                                   double min, double max, double number)
{
    char expected[80], min_text[32], max_text[32];

    if (number >= min && number <= max)
        return TR_OK;
    tr_number_text(min, min_text);
    tr_number_text(max, max_text);
    snprintf(expected, sizeof expected, "from %s to %s", min_text, max_text);
    return fail_number(place, field, value, expected, number);
}

enum tr_status tr_form_check_integer(const struct tr_place *place, const char *field, const cJSON *value,
                                     double min, double max, double number)
{
    char expected[96], min_text[32], max_text[32];

    if (number >= min && number <= max && (double)(int64_t)number == number)
        return TR_OK;
    tr_number_text(min, min_text);
    tr_number_text(max, max_text);
    snprintf(expected, sizeof expected, "an integer from %s to %s", min_text, max_text);
    return fail_number(place, field, value, expected, number);
}

enum tr_status tr_form_positive(const struct tr_place *place, const char *field, const cJSON *value,
                                double *number)
{
    enum tr_status status = tr_form_number(place, field, value, number);

    return status == TR_OK ? tr_form_check_positive(place, field, value, *number) : status;
}

enum tr_status tr_form_integer(const struct tr_place *place, const char *field, const cJSON *value,
                               double min, double max, int64_t *integer)
{
    double number = 0.0;
    enum tr_status status = tr_form_number(place, field, value, &number);

    if (status == TR_OK)
        status = tr_form_check_integer(place, field, value, min, max, number);
    if (status == TR_OK)
        *integer = (int64_t)number;
    return status;
}

enum tr_status tr_form_numbers(const struct tr_place *place, const char *field, const cJSON *value, int count,
                               double *numbers)
{
    char expected[32];
    int found = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : -1, i = 0;
    enum tr_status status = TR_OK;

    snprintf(expected, sizeof expected, "an array of %d numbers", count);
    if (found < 0)
        return tr_place_fail_found(place, field, value, expected);
    if (found != count)
        return tr_place_fail(place, value, "\"%s\"%s must be %s, found an array of %d", field, inside(place),
                             expected, found);
    for (const cJSON *child = value->child; child && status == TR_OK; child = child->next)
        status = tr_form_number(place, field, child, &numbers[i++]);
    return status;
}

enum tr_status tr_form_direction(const struct tr_place *place, const char *field, const cJSON *value,
                                 double direction[3])
{
    double greatest = 0.0;
    enum tr_status status = tr_form_numbers(place, field, value, 3, direction);

    for (int i = 0; i < 3 && status == TR_OK; i++) {
        greatest = fabs(direction[i]) > greatest ? fabs(direction[i]) : greatest;
        status = tr_form_check_range(place, field, value, -DIRECTION_MAX, DIRECTION_MAX, direction[i]);
    }
    if (status == TR_OK && greatest < DIRECTION_MIN)
        return fail_number(place, field, value, "a direction, with a number of at least 1e-9 in magnitude",
                           greatest);
    return status;
}

static bool seed_from_text(const char *text, uint64_t *seed)
{
    if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0'))
        return false;
    for (*seed = 0; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');

        if (*seed > (UINT64_MAX - digit) / 10)
            return false;
        *seed = *seed * 10 + digit;
    }
    return *text == '\0';
}

enum tr_status tr_form_seed(const struct tr_place *place, const char *field, const cJSON *value,
                            uint64_t *seed)
{
    int64_t integer = 0;
    enum tr_status status;

    if (cJSON_IsString(value)) {
        if (seed_from_text(value->valuestring, seed))
            return TR_OK;
        return tr_place_fail_found(place, field, value,
                                   "0 to 18446744073709551615 in digits without leading zeros");
    }
    if (!cJSON_IsNumber(value))
        return tr_place_fail_found(place, field, value, "a number or a string of digits");
    status = tr_form_integer(place, field, value, 0, INTEGER_MAX, &integer);
    *seed = (uint64_t)integer;
    return status;
}

/* No C0 or C1 control, no DEL: what a message or a terminal shows as it is. The text is UTF-8. */
static bool has_control(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        if (*at < 0x20 || *at == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0))
            return true;
    return false;
}

enum tr_status tr_form_name(const struct tr_place *place, const char *field, const cJSON *value,
                            char name[TR_EDIT_ID_BYTES])
{
    size_t size_bytes;

    if (!cJSON_IsString(value))
        return tr_place_fail_found(place, field, value, "a string");
    size_bytes = strlen(value->valuestring);
    if (size_bytes == 0 || size_bytes >= TR_EDIT_ID_BYTES)
        return tr_place_fail(place, value, "\"%s\"%s must be 1 to %d bytes long, found %zu", field,
                             inside(place), TR_EDIT_ID_BYTES - 1, size_bytes);
    if (has_control(value->valuestring))
        return tr_place_fail_found(place, field, value, "free of control characters");
    memcpy(name, value->valuestring, size_bytes + 1);
    return TR_OK;
}

/* ---- pictures and meshes ---- */

/* What messages say of the fields of an object in `field`: ` in "shape.of[2].image"`. */
static const char *inside_of(const struct tr_place *place, const char *field, char text[INSIDE_BYTES])
{
    if (place->inside)
        snprintf(text, INSIDE_BYTES, "%.*s.%s\"", (int)strlen(place->inside) - 1, place->inside, field);
    else
        snprintf(text, INSIDE_BYTES, " in \"%s\"", field);
    return text;
}

/* Of `data` and `file` one, and which. */
static enum tr_status check_source(const struct tr_place *place, const cJSON *value, const cJSON **data,
                                   const cJSON **file)
{
    static const struct tr_field fields[] = {{"data", false}, {"file", false}};
    enum tr_status status = tr_form_check(place, value, fields, COUNT(fields));

    if (status != TR_OK)
        return status;
    *data = tr_form_find(value, "data");
    *file = tr_form_find(value, "file");
    if (!*data && !*file)
        return tr_place_fail(place, value, "\"data\" or \"file\"%s is missing", place->inside);
    if (*data && *file)
        return tr_place_fail(place, *file, "\"file\"%s stands instead of \"data\", found both",
                             place->inside);
    if (*data && !cJSON_IsString(*data))
        return tr_place_fail_found(place, "data", *data, "a string");
    if (*file && !cJSON_IsString(*file))
        return tr_place_fail_found(place, "file", *file, "a string");
    if (*file && !place->folder)
        return tr_place_fail(place, *file,
                             "\"file\"%s names a file, but the log has no folder: expected \"data\"",
                             place->inside);
    return TR_OK;
}

/* Counts what has been read for `field`. */
static enum tr_status carry(const struct tr_place *place, const char *field, const cJSON *value,
                            uint64_t *sum, uint64_t count, uint64_t most, const char *units)
{
    *sum += count;
    if (*sum <= most)
        return TR_OK;
    return tr_place_fail(place, value,
                         "\"%s\"%s: a log must carry at most %" PRIu64 " %s in all, found %" PRIu64, field,
                         inside(place), most, units, *sum);
}

enum tr_status tr_form_resource(const struct tr_place *place, const char *field, const cJSON *value,
                                struct tr_resource *resource)
{
    struct tr_place in_source = *place;
    char inside_text[INSIDE_BYTES];
    const cJSON *data, *file;
    struct tr_error reason = {0};
    enum tr_status status = tr_form_object(place, field, value);

    in_source.inside = inside_of(place, field, inside_text);
    if (status == TR_OK)
        status = check_source(&in_source, value, &data, &file);
    if (status != TR_OK)
        return status;
    if (data)
        status = tr_resource_decode(data->valuestring, strlen(data->valuestring), resource, &reason);
    else
        status = tr_resource_read(place->folder, file->valuestring, resource, &reason);
    if (status != TR_OK)
        return tr_place_fail_for(place, field, value, &reason);
    return carry(place, field, value, &place->carried->bytes, resource->size_bytes, TR_CARRIED_BYTES_MAX,
                 "bytes of files");
}

enum tr_status tr_form_image(const struct tr_place *place, const char *field, const cJSON *value,
                             struct tr_resource *resource)
{
    struct tr_error reason = {0};
    enum tr_status status = tr_form_resource(place, field, value, resource);

    if (status != TR_OK)
        return status;
    status = tr_resource_open_image(resource, &reason);
    if (status != TR_OK)
        return tr_place_fail_for(place, field, value, &reason);
    return carry(place, field, value, &place->carried->pixels, (uint64_t)resource->width * resource->height,
                 TR_CARRIED_PIXELS_MAX, "pixels");
}

/* ---- writing ---- */

void tr_form_write_key(struct tr_writer *out, const char *key)
{
    if (out->size_bytes > 0 && out->bytes[out->size_bytes - 1] != '{')
        tr_write_u8(out, ',');
    tr_write_text(out, "\"%s\":", key);
}

void tr_form_write_string(struct tr_writer *out, const char *key, const char *text)
{
    tr_form_write_key(out, key);
    tr_write_u8(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            tr_write_u8(out, '\\');
        tr_write_u8(out, (uint8_t)*text);
    }
    tr_write_u8(out, '"');
}

void tr_form_write_value(struct tr_writer *out, double number)
{
    char text[32];

    tr_number_text(number, text);
    tr_write_text(out, "%s", text);
}

void tr_form_write_number(struct tr_writer *out, const char *key, double number)
{
    tr_form_write_key(out, key);
    tr_form_write_value(out, number);
}

void tr_form_write_list(struct tr_writer *out, const double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        tr_write_u8(out, i == 0 ? '[' : ',');
        tr_form_write_value(out, numbers[i]);
    }
    tr_write_u8(out, ']');
}

void tr_form_write_numbers(struct tr_writer *out, const char *key, const double *numbers, int count)
{
    tr_form_write_key(out, key);
    tr_form_write_list(out, numbers, count);
}

/* As a string where it is beyond the integers of JSON. */
void tr_form_write_seed(struct tr_writer *out, const char *key, uint64_t seed)
{
    const char *quote = seed > (uint64_t)INTEGER_MAX ? "\"" : "";

    tr_form_write_key(out, key);
    tr_write_text(out, "%s%" PRIu64 "%s", quote, seed, quote);
}

void tr_form_write_resource(struct tr_writer *out, const char *key, const struct tr_resource *resource)
{
    tr_form_write_key(out, key);
    tr_write_text(out, "{\"data\":\"");
    tr_resource_encode(resource, out);
    tr_write_text(out, "\"}");
}
