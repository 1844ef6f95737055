/* Forms: how a JSON object of an edit log is read. A form is a table of the fields that an object may have.
 * Reading refuses what is not in the table by its name (fields that begin with x- are passed over), lets each
 * field check its own value, and then refuses the object if one that must be there is not.
 *
 * Every message is `file:line: edit 'id': "field" must be ..., found ...`; an edit without id goes by its
 * number. */
#ifndef TR_EDIT_FORM_H
#define TR_EDIT_FORM_H

#include "lib/base/json.h"
#include "lib/edit/edit.h"

#define TR_FOUND_TEXT_BYTES 96

/* What is being read: where messages point, and the target of fields. */
struct tr_place {
    const char *name;     /* of the file */
    struct tr_edit *edit; /* NULL outside edits */
    size_t number;        /* of the edit in its text, from 1 */
    struct tr_error *error;
};

/* Fills the error with a line that begins with the place and the line of `item`; TR_BAD_INPUT. */
enum tr_status tr_place_fail(const struct tr_place *place, const cJSON *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* ... `"field" must be <expected>, found <value>`. */
enum tr_status tr_place_fail_found(const struct tr_place *place, const char *field, const cJSON *value,
                                   const char *expected);
/* A value as messages show it: a number, `the string "..."` (cut when long), `an array` ...; returns `text`.
 */
const char *tr_found_text(const cJSON *value, char text[TR_FOUND_TEXT_BYTES]);

/* One field of a form. `read` is NULL for a field that has been read before the others. */
struct tr_field {
    const char *name;
    bool required;
    enum tr_status (*read)(const struct tr_place *place, const cJSON *value);
};

#define TR_FORM_FIELDS_MAX 16

struct tr_form {
    const char *inside; /* how messages call the object, behind a field's name: ` in "shape"`, or `` */
    const struct tr_field *fields; /* in the order in which messages list them */
    size_t count;                  /* at most TR_FORM_FIELDS_MAX */
};

enum tr_status tr_form_read(const struct tr_place *place, const cJSON *object, const struct tr_form *form);
/* NULL where the object has no such field. */
const cJSON *tr_form_find(const cJSON *object, const char *field);

/* A string field whose value is one of a few names. */
struct tr_choice {
    const char *field, *kind; /* `kind` is what it names: "operation" */
    const char *const *names;
    size_t count;
};

enum tr_status tr_form_choice(const struct tr_place *place, const struct tr_choice *choice,
                              const cJSON *value, size_t *index);
/* The same for a field that must be there and decides by which form its object is read. */
enum tr_status tr_form_kind(const struct tr_place *place, const cJSON *object, const char *inside,
                            const struct tr_choice *choice, size_t *index);

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
/* A name: 1 to TR_EDIT_ID_BYTES - 1 bytes, no control characters. */
enum tr_status tr_form_name(const struct tr_place *place, const char *field, const cJSON *value,
                            char name[TR_EDIT_ID_BYTES]);

#endif
