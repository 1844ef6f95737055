/* Forms: how JSON objects of an edit log are read, and written in the normal form. A form lists the fields that an object may have. Reading refuses what is not in the
 * list by its name (fields that begin with x- are passed over), then the object if one that must be there is not; then the values are read
 * one by one.
 *
 * Every message is `file:line: edit 'id': "field" must be ..., found ...`, in MessagePack `file: byte offset N: edit ...`; an edit without
 * id goes by its number. */
#ifndef TR_EDIT_FORM_H
#define TR_EDIT_FORM_H

#include "lib/base/bytes.h"
#include "lib/base/json.h"
#include "lib/edit/edit.h"

#define TR_FOUND_TEXT_BYTES 96

/* What a log carries in all: a few bytes of it can stand for large files, and these for larger pictures. */
#define TR_CARRIED_BYTES_MAX (UINT64_C(1) << 29) /* so that all fits into a stored log, as base64 */
#define TR_CARRIED_PIXELS_MAX (UINT64_C(1) << 29)
struct tr_carried {
    uint64_t bytes, pixels;
};

/* What is being read: where messages point, and the target of fields. */
struct tr_place {
    const char *name;     /* of the file */
    bool has_offsets;     /* values know the byte offset at which they begin (MessagePack), not their line */
    struct tr_edit *edit; /* NULL outside edits */
    size_t number;        /* of the edit in its text, from 1 */
    const char *inside; /* what messages say behind the name of a field: ` in "shape.of[2]"`; NULL: nothing */
    const char *folder; /* that files named by edits are relative to; NULL: none may be named */
    struct tr_carried *carried; /* so far */
    struct tr_error *error;
};

/* `file:line`, or `file: byte offset N`. */
void tr_position_text(const char *name, bool is_offset, int at, char text[TR_ERROR_TEXT_BYTES]);

/* Fills the error with a line that begins with the place and the position of `item`; TR_BAD_INPUT. */
enum tr_status tr_place_fail(const struct tr_place *place, const cJSON *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* ... `"field" must be <expected>, found <value>`. */
enum tr_status tr_place_fail_found(const struct tr_place *place, const char *field, const cJSON *value,
                                   const char *expected);
/* ... `"field": <reason>`, for what an inner reader refused with a line without a place; its status. */
enum tr_status tr_place_fail_for(const struct tr_place *place, const char *field, const cJSON *value,
                                 const struct tr_error *reason);
/* A value as messages show it: a number, `the string "..."` (cut when long), `an array` ...; returns `text`. */
const char *tr_found_text(const cJSON *value, char text[TR_FOUND_TEXT_BYTES]);

/* ---- objects ---- */

struct tr_field {
    const char *name;
    bool is_required;
};

#define TR_FORM_FIELDS_MAX 32

/* Refuses fields that the object must not have and fields that it lacks. `fields`, at most TR_FORM_FIELDS_MAX, are listed in messages as
 * they stand. */
enum tr_status tr_form_check(const struct tr_place *place, const cJSON *object, const struct tr_field *fields,
                             size_t count);
/* NULL where the object has no such field. */
const cJSON *tr_form_find(const cJSON *object, const char *field);
/* `"field" is missing` */
enum tr_status tr_form_fail_missing(const struct tr_place *place, const cJSON *object, const char *field);

/* ---- values ---- */

/* A string field whose value is one of a few names. */
struct tr_choice {
    const char *field, *kind; /* `kind` is what it names: "operation" */
    const char *const *names;
    size_t count;
};

enum tr_status tr_form_choice(const struct tr_place *place, const struct tr_choice *choice,
                              const cJSON *value, size_t *index);
/* The same for a field that must be there and decides by which form its object is read. */
enum tr_status tr_form_kind(const struct tr_place *place, const cJSON *object, const struct tr_choice *choice,
                            size_t *index);

enum tr_status tr_form_object(const struct tr_place *place, const char *field, const cJSON *value);
/* A number; -0 is read as 0, so that edits which mean the same are the same bytes. */
enum tr_status tr_form_number(const struct tr_place *place, const char *field, const cJSON *value,
                              double *number);
enum tr_status tr_form_positive(const struct tr_place *place, const char *field, const cJSON *value,
                                double *number);
/* A whole number in [min, max], both within +-2^53. */
enum tr_status tr_form_integer(const struct tr_place *place, const char *field, const cJSON *value,
                               double min, double max, int64_t *integer);
/* An array of exactly `count` numbers. */
enum tr_status tr_form_numbers(const struct tr_place *place, const char *field, const cJSON *value, int count,
                               double *numbers);
/* An array of 3 numbers within +-1e9, of which one is at least 1e-9 in magnitude. */
enum tr_status tr_form_direction(const struct tr_place *place, const char *field, const cJSON *value,
                                 double direction[3]);
/* An integer from 0 to 2^53, or a string of digits up to 2^64 - 1. */
enum tr_status tr_form_seed(const struct tr_place *place, const char *field, const cJSON *value,
                            uint64_t *seed);
/* A name: 1 to TR_EDIT_ID_BYTES - 1 bytes, no control characters. */
enum tr_status tr_form_name(const struct tr_place *place, const char *field, const cJSON *value,
                            char name[TR_EDIT_ID_BYTES]);

/* The bytes of a file, in the log as `data` or beside it as `file`. They go to *resource, which is to be released on failure, too. */
enum tr_status tr_form_resource(const struct tr_place *place, const char *field, const cJSON *value,
                                struct tr_resource *resource);
/* The same of a picture, with its pixels. */
enum tr_status tr_form_image(const struct tr_place *place, const char *field, const cJSON *value,
                             struct tr_resource *resource);

/* The limits alone, of a number that was read from `value` or from an array there. */
enum tr_status tr_form_check_positive(const struct tr_place *place, const char *field, const cJSON *value,
                                      double number);
enum tr_status tr_form_check_least(const struct tr_place *place, const char *field, const cJSON *value,
                                   double min, double number);
enum tr_status tr_form_check_range(const struct tr_place *place, const char *field, const cJSON *value,
                                   double min, double max, double number);
enum tr_status tr_form_check_integer(const struct tr_place *place, const char *field, const cJSON *value,
                                     double min, double max, double number);

/* ---- writing ---- */

/* The key of an object's next member, behind a comma unless it is the first. */
void tr_form_write_key(struct tr_writer *out, const char *key);
void tr_form_write_string(struct tr_writer *out, const char *key, const char *text);
void tr_form_write_number(struct tr_writer *out, const char *key, double number);
void tr_form_write_numbers(struct tr_writer *out, const char *key, const double *numbers, int count);
void tr_form_write_seed(struct tr_writer *out, const char *key, uint64_t seed);
void tr_form_write_resource(struct tr_writer *out, const char *key, const struct tr_resource *resource);
/* The same without key, for lists. */
void tr_form_write_value(struct tr_writer *out, double number);
void tr_form_write_list(struct tr_writer *out, const double *numbers, int count);

#endif
