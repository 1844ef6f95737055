/* Forms: see form.h. The text was scanned strictly before (lib/base/json.h): strings are valid UTF-8 without
 * NUL, numbers are finite, no key appears twice. Texts from the log are cut to SHOWN_BYTES in messages. */
#include "lib/edit/form.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_BYTES 64
#define LIST_BYTES 256

/* ---- messages ---- */

enum tr_status tr_place_fail(const struct tr_place *place, const cJSON *item, const char *format, ...)
{
    char what[TR_ERROR_TEXT_BYTES];
    int line = tr_json_line(item);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (!place->edit)
        return tr_fail(place->error, TR_BAD_INPUT, "%s:%d: %s", place->name, line, what);
    if (place->edit->id[0] == '\0')
        return tr_fail(place->error, TR_BAD_INPUT, "%s:%d: edit #%zu: %s", place->name, line, place->number,
                       what);
    return tr_fail(place->error, TR_BAD_INPUT, "%s:%d: edit '%s': %s", place->name, line, place->edit->id,
                   what);
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

    return tr_place_fail(place, value, "\"%s\" must be %s, found %s", field, expected,
                         tr_found_text(value, found));
}

/* ---- values ---- */

enum tr_status tr_form_number(const struct tr_place *place, const char *field, const cJSON *value,
                              double *number)
{
    if (!cJSON_IsNumber(value))
        return tr_place_fail_found(place, field, value, "a number");
    *number = value->valuedouble + 0.0; /* -0 + 0 is 0 */
    return TR_OK;
}

enum tr_status tr_form_positive(const struct tr_place *place, const char *field, const cJSON *value,
                                double *number)
{
    enum tr_status status = tr_form_number(place, field, value, number);

    if (status == TR_OK && !(*number > 0.0))
        return tr_place_fail_found(place, field, value, "> 0");
    return status;
}

enum tr_status tr_form_integer(const struct tr_place *place, const char *field, const cJSON *value,
                               double min, double max, int64_t *integer)
{
    double number = 0.0;
    char expected[64], min_text[32], max_text[32];
    enum tr_status status = tr_form_number(place, field, value, &number);

    if (status != TR_OK)
        return status;
    if (number >= min && number <= max && (double)(int64_t)number == number) {
        *integer = (int64_t)number;
        return TR_OK;
    }
    tr_number_text(min, min_text);
    tr_number_text(max, max_text);
    snprintf(expected, sizeof expected, "an integer from %.20s to %.20s", min_text, max_text);
    return tr_place_fail_found(place, field, value, expected);
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
        return tr_place_fail(place, value, "\"%s\" must be %s, found %d", field, expected, found);
    for (const cJSON *child = value->child; child && status == TR_OK; child = child->next)
        status = tr_form_number(place, field, child, &numbers[i++]);
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
        return tr_place_fail(place, value, "\"%s\" must be 1 to %d bytes long, found %zu", field,
                             TR_EDIT_ID_BYTES - 1, size_bytes);
    if (has_control(value->valuestring))
        return tr_place_fail_found(place, field, value, "free of control characters");
    memcpy(name, value->valuestring, size_bytes + 1);
    return TR_OK;
}

/* "one, two, three" */
static void list_text(const char *const *names, size_t count, char text[LIST_BYTES])
{
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && at < LIST_BYTES; i++)
        at += (size_t)snprintf(text + at, LIST_BYTES - at, "%s%s", i > 0 ? ", " : "", names[i]);
}

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
    return tr_place_fail(place, value, "%s '%.*s' is not supported by this version, expected one of %s",
                         choice->kind, shown_length(value->valuestring), value->valuestring, expected);
}

/* ---- objects ---- */

const cJSON *tr_form_find(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static enum tr_status fail_missing(const struct tr_place *place, const cJSON *object, const char *name,
                                   const char *inside)
{
    return tr_place_fail(place, object, "\"%s\"%s is missing", name, inside);
}

enum tr_status tr_form_kind(const struct tr_place *place, const cJSON *object, const char *inside,
                            const struct tr_choice *choice, size_t *index)
{
    const cJSON *value = tr_form_find(object, choice->field);

    if (!value)
        return fail_missing(place, object, choice->field, inside);
    return tr_form_choice(place, choice, value, index);
}

static enum tr_status fail_unknown(const struct tr_place *place, const cJSON *value,
                                   const struct tr_form *form)
{
    const char *names[TR_FORM_FIELDS_MAX];
    char expected[LIST_BYTES];

    for (size_t i = 0; i < form->count; i++)
        names[i] = form->fields[i].name;
    list_text(names, form->count, expected);
    return tr_place_fail(place, value, "unknown field \"%.*s\"%s, expected one of %s",
                         shown_length(value->string), value->string, form->inside, expected);
}

static enum tr_status read_field(const struct tr_place *place, const cJSON *value, const struct tr_form *form)
{
    if (strncmp(value->string, "x-", 2) == 0)
        return TR_OK;
    for (size_t i = 0; i < form->count; i++)
        if (strcmp(value->string, form->fields[i].name) == 0)
            return form->fields[i].read ? form->fields[i].read(place, value) : TR_OK;
    return fail_unknown(place, value, form);
}

enum tr_status tr_form_read(const struct tr_place *place, const cJSON *object, const struct tr_form *form)
{
    enum tr_status status = TR_OK;

    for (const cJSON *value = object->child; value && status == TR_OK; value = value->next)
        status = read_field(place, value, form);
    for (size_t i = 0; i < form->count && status == TR_OK; i++)
        if (form->fields[i].required && !tr_form_find(object, form->fields[i].name))
            status = fail_missing(place, object, form->fields[i].name, form->inside);
    return status;
}
