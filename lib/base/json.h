/* JSON: a strict reader and a canonical number writer around cJSON.
 *
 * cJSON alone accepts 1e999, duplicate keys, rounded integers and text behind the end. So the text is scanned
 * first: RFC 8259 syntax, valid UTF-8 without NUL, no duplicate key in an object, depth at most 256, numbers
 * finite and of at most 63 characters (cJSON reads no more), integers within +-2^53. The scan also notes the
 * line of each value, which the tree keeps in `valueint`: read numbers from `valuedouble` only. */
#ifndef TR_BASE_JSON_H
#define TR_BASE_JSON_H

#include "lib/base/status.h"
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#define TR_JSON_DEPTH_MAX 256

/* Parses one JSON text whose first line has number first_line (1 for a whole file). Errors read "name:line:
 * what, found, expected" (TR_BAD_INPUT). Free with cJSON_Delete. */
enum tr_status tr_json_parse(const char *text, size_t size_bytes, const char *name, int first_line,
                             cJSON **out, struct tr_error *error);

/* The line on which a value begins. */
int tr_json_line(const cJSON *item);

/* The shortest decimal that reads back as exactly `value` (finite), e.g. 0.1, 12, 1e+30, -2.5; -0 becomes 0.
 * Returns its length. */
int tr_number_text(double value, char text[32]);

/* Strict decimal number of a command line or a text file: the whole text is [+-] digits [. digits] [e [+-]
 * digits] with a digit before or behind the point, at most 63 characters, finite; no hex, no inf or nan, no
 * blanks, no locale. */
bool tr_number_parse(const char *text, size_t size_bytes, double *value);

/* Length of the well-formed UTF-8 sequence at `at` (Unicode, table 3-7), 0 if none begins the `left` > 0 bytes
 * there. */
size_t tr_utf8_length(const unsigned char *at, size_t left);

#endif
