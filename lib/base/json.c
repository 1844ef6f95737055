/* JSON: a strict scan of the text (RFC 8259) in front of cJSON, and numbers as decimal text.
 *
 * cJSON builds the tree; the scan decides what is accepted. It walks the text once and notes the line of each
 * value in pre-order, the order in which the finished tree is walked to store them. Keys are unescaped into
 * one buffer and sorted when their object ends, so a repeated key is found in n log n steps whatever the
 * text. Both recursions are bounded by TR_JSON_DEPTH_MAX; memory grows only with text that was read.
 *
 * Decimal text is converted through "<digits>e<exponent>" without a decimal point, the one part of strtod and
 * printf that a locale changes; the C library's conversions are correctly rounded. */
#include "lib/base/json.h"

#include "lib/base/alloc.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES_MAX 63 /* what cJSON reads of one number */
#define INTEGER_MAX 9007199254740992.0
#define SHOWN_BYTES 64 /* of a key or number in a message */

/* ---- numbers as text ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits from *at on are counted and passed. */
static size_t digits_skip(const char **at, const char *end)
{
    const char *start = *at;

    while (*at < end && is_digit(**at))
        (*at)++;
    return (size_t)(*at - start);
}

/* [+-] digits [. digits] [e [+-] digits], with a digit before or behind the point; true if that is the whole
 * text. */
static bool is_decimal(const char *at, const char *end)
{
    size_t digits;

    if (at < end && (*at == '-' || *at == '+'))
        at++;
    digits = digits_skip(&at, end);
    if (at < end && *at == '.') {
        at++;
        digits += digits_skip(&at, end);
    }
    if (digits == 0)
        return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        if (digits_skip(&at, end) == 0)
            return false;
    }
    return at == end;
}

/* The value of at most NUMBER_BYTES_MAX bytes that is_decimal accepts; infinite when too large. */
static double decimal_value(const char *text, size_t size_bytes)
{
    char plain[NUMBER_BYTES_MAX + 32];
    size_t length = 0, at = 0;
    long exponent = 0;
    bool behind_point = false;

    for (; at < size_bytes && text[at] != 'e' && text[at] != 'E'; at++) {
        if (text[at] == '.') {
            behind_point = true;
            continue;
        }
        plain[length++] = text[at];
        exponent -= behind_point;
    }
    if (at < size_bytes) { /* at most 63 characters, whose digits may still be too many for a long */
        char written[NUMBER_BYTES_MAX + 1];
        long stated;

        memcpy(written, text + at + 1, size_bytes - at - 1);
        written[size_bytes - at - 1] = '\0';
        stated = strtol(written, NULL, 10);
        if (stated > 1000000)
            stated = 1000000;
        if (stated < -1000000)
            stated = -1000000;
        exponent += stated;
    }
    snprintf(plain + length, sizeof plain - length, "e%ld", exponent);
    return strtod(plain, NULL);
}

bool tr_number_parse(const char *text, size_t size_bytes, double *value)
{
    double number;

    if (size_bytes > NUMBER_BYTES_MAX || !is_decimal(text, text + size_bytes))
        return false;
    number = decimal_value(text, size_bytes);
    if (!isfinite(number))
        return false;
    *value = number;
    return true;
}

/* The fewest significant digits (at most 17, no trailing zeros) that read back as `value` > 0; its first
 * digit has the weight 10^*exponent. Returns how many. */
static int shortest_digits(double value, char digits[18], int *exponent)
{
    int count = 0;

    for (int precision = 1; precision <= 17; precision++) {
        char text[40], whole[48];
        const char *at = text;

        snprintf(text, sizeof text, "%.*e", precision - 1, value);
        for (count = 0; *at != 'e'; at++)
            if (is_digit(*at)) /* all but the locale's decimal point */
                digits[count++] = *at;
        digits[count] = '\0';
        *exponent = (int)strtol(at + 1, NULL, 10);
        snprintf(whole, sizeof whole, "%se%d", digits, *exponent - (count - 1));
        if (strtod(whole, NULL) == value)
            break;
    }
    return count;
}

int tr_number_text(double value, char text[32])
{
    const char *sign = value < 0 ? "-" : "";
    char digits[18];
    int exponent, count;

    if (value == 0)
        return snprintf(text, 32, "0");
    count = shortest_digits(fabs(value), digits, &exponent);
    if (exponent < -5 || fabs(value) > INTEGER_MAX) /* a reader refuses larger ones that look like integers */
        return snprintf(text, 32, "%s%c%s%se%+d", sign, digits[0], count > 1 ? "." : "", digits + 1,
                        exponent);
    if (exponent < 0)
        return snprintf(text, 32, "%s0.%.*s%s", sign, -exponent - 1, "0000", digits);
    if (count <= exponent + 1)
        return snprintf(text, 32, "%s%s%.*s", sign, digits, exponent + 1 - count, "0000000000000000");
    return snprintf(text, 32, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
}

/* ---- the scan ---- */

struct key {
    size_t offset, size_bytes; /* unescaped, in scan.key_text */
    const char *text;          /* set when key_text grows no more for this object */
    size_t order;
    int line;
};

struct scan {
    const char *at, *end;
    const char *name;
    int line;
    int depth;
    int *lines; /* of values, in pre-order */
    size_t line_count, line_capacity;
    struct key *keys; /* of the open objects, innermost last */
    size_t key_count, key_capacity;
    char *key_text;
    size_t key_text_bytes, key_text_capacity;
    struct tr_error *error;
};

static enum tr_status scan_fail(struct scan *scan, const char *what)
{
    return tr_fail(scan->error, TR_BAD_INPUT, "%s:%d: %s", scan->name, scan->line, what);
}

/* What stands at the cursor is not what was expected. */
static enum tr_status fail_found(struct scan *scan, const char *expected)
{
    unsigned char found;

    if (scan->at == scan->end)
        return tr_fail(scan->error, TR_BAD_INPUT, "%s:%d: text ends, expected %s", scan->name, scan->line,
                       expected);
    found = (unsigned char)*scan->at;
    if (found > 0x20 && found < 0x7f)
        return tr_fail(scan->error, TR_BAD_INPUT, "%s:%d: found '%c', expected %s", scan->name, scan->line,
                       found, expected);
    return tr_fail(scan->error, TR_BAD_INPUT, "%s:%d: found byte 0x%02x, expected %s", scan->name, scan->line,
                   found, expected);
}

static void skip_blanks(struct scan *scan)
{
    for (; scan->at < scan->end; scan->at++) {
        if (*scan->at == '\n' && scan->line < INT_MAX)
            scan->line++;
        else if (*scan->at != ' ' && *scan->at != '\t' && *scan->at != '\r' && *scan->at != '\n')
            return;
    }
}

static bool next_is(const struct scan *scan, char c)
{
    return scan->at < scan->end && *scan->at == c;
}

size_t tr_utf8_length(const unsigned char *at, size_t left)
{
    unsigned char low = 0x80, high = 0xbf;
    size_t length;

    if (at[0] < 0x80)
        return 1;
    if (at[0] >= 0xc2 && at[0] <= 0xdf)
        length = 2;
    else if (at[0] >= 0xe0 && at[0] <= 0xef)
        length = 3;
    else if (at[0] >= 0xf0 && at[0] <= 0xf4)
        length = 4;
    else
        return 0;
    if (length > left)
        return 0;
    if (at[0] == 0xe0) /* no overlong form, no surrogate, nothing above U+10FFFF */
        low = 0xa0;
    else if (at[0] == 0xed)
        high = 0x9f;
    else if (at[0] == 0xf0)
        low = 0x90;
    else if (at[0] == 0xf4)
        high = 0x8f;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

static size_t utf8_encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* Four hex digits at the cursor. */
static enum tr_status scan_hex4(struct scan *scan, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, scan->at++) {
        char c = scan->at < scan->end ? *scan->at : '\0';

        if (is_digit(c))
            *code = *code << 4 | (uint32_t)(c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            *code = *code << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return fail_found(scan, "4 hex digits behind \\u");
    }
    return TR_OK;
}

/* Behind "\u": one code point, which a pair of escapes may spell. */
static enum tr_status scan_unicode_escape(struct scan *scan, uint32_t *code)
{
    uint32_t low;
    enum tr_status status = scan_hex4(scan, code);

    if (status != TR_OK)
        return status;
    if (*code == 0)
        return scan_fail(scan, "string holds \\u0000, expected no NUL");
    if (*code < 0xd800 || *code > 0xdfff)
        return TR_OK;
    if (*code > 0xdbff || scan->end - scan->at < 2 || scan->at[0] != '\\' || scan->at[1] != 'u')
        return scan_fail(
            scan, "string holds half a surrogate pair, expected \\ud800-\\udbff and then \\udc00-\\udfff");
    scan->at += 2;
    status = scan_hex4(scan, &low);
    if (status != TR_OK)
        return status;
    if (low < 0xdc00 || low > 0xdfff)
        return scan_fail(
            scan, "string holds half a surrogate pair, expected \\ud800-\\udbff and then \\udc00-\\udfff");
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return TR_OK;
}

/* Behind "\": the character that the escape stands for, as UTF-8. */
static enum tr_status scan_escape(struct scan *scan, char out[4], size_t *length)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *letter;
    uint32_t code;

    if (next_is(scan, 'u')) {
        enum tr_status status;

        scan->at++;
        status = scan_unicode_escape(scan, &code);
        *length = status == TR_OK ? utf8_encode(code, out) : 0;
        return status;
    }
    letter = scan->at < scan->end && *scan->at ? strchr(letters, *scan->at) : NULL;
    if (!letter)
        return fail_found(scan, "one of \"\\/bfnrtu behind a backslash");
    scan->at++;
    out[0] = meanings[letter - letters];
    *length = 1;
    return TR_OK;
}

static enum tr_status key_append(struct scan *scan, const char *bytes, size_t size_bytes)
{
    enum tr_status status =
        tr_grow(&scan->key_text, &scan->key_text_capacity, scan->key_text_bytes + size_bytes, 1, scan->error);

    if (status == TR_OK) {
        memcpy(scan->key_text + scan->key_text_bytes, bytes, size_bytes);
        scan->key_text_bytes += size_bytes;
    }
    return status;
}

/* A string whose opening quote is at the cursor; a key's characters are kept. */
static enum tr_status scan_string(struct scan *scan, bool is_key)
{
    enum tr_status status = TR_OK;

    scan->at++;
    while (status == TR_OK && !next_is(scan, '"')) {
        char escaped[4];
        const char *bytes = scan->at;
        size_t length = 0;

        if (scan->at == scan->end)
            return fail_found(scan, "'\"' to end the string");
        if (*scan->at == '\\') {
            scan->at++;
            status = scan_escape(scan, escaped, &length);
            bytes = escaped;
        } else if ((unsigned char)*scan->at < 0x20) {
            return fail_found(scan, "control characters in strings to be escaped");
        } else {
            length = tr_utf8_length((const unsigned char *)scan->at, (size_t)(scan->end - scan->at));
            if (length == 0)
                return fail_found(scan, "UTF-8");
            scan->at += length;
        }
        if (status == TR_OK && is_key)
            status = key_append(scan, bytes, length);
    }
    if (status == TR_OK)
        scan->at++;
    return status;
}

static enum tr_status fail_number(struct scan *scan, const char *start, const char *what,
                                  const char *expected)
{
    size_t length = (size_t)(scan->at - start);

    return tr_fail(scan->error, TR_BAD_INPUT, "%s:%d: number %.*s%s %s, expected %s", scan->name, scan->line,
                   (int)(length > SHOWN_BYTES ? SHOWN_BYTES : length), start,
                   length > SHOWN_BYTES ? "..." : "", what, expected);
}

static enum tr_status scan_number(struct scan *scan)
{
    const char *start = scan->at;
    bool is_integer = true;
    double value;

    if (next_is(scan, '-'))
        scan->at++;
    if (next_is(scan, '0')) {
        scan->at++;
        if (scan->at < scan->end && is_digit(*scan->at))
            return fail_number(scan, start, "is followed by a digit", "no leading zero");
    } else if (digits_skip(&scan->at, scan->end) == 0) {
        return fail_found(scan, "a digit");
    }
    if (next_is(scan, '.')) {
        is_integer = false;
        scan->at++;
        if (digits_skip(&scan->at, scan->end) == 0)
            return fail_found(scan, "a digit behind the point");
    }
    if (next_is(scan, 'e') || next_is(scan, 'E')) {
        is_integer = false;
        scan->at++;
        if (next_is(scan, '-') || next_is(scan, '+'))
            scan->at++;
        if (digits_skip(&scan->at, scan->end) == 0)
            return fail_found(scan, "a digit in the exponent");
    }
    if (scan->at - start > NUMBER_BYTES_MAX)
        return fail_number(scan, start, "is too long", "at most 63 characters");
    value = decimal_value(start, (size_t)(scan->at - start));
    if (!isfinite(value))
        return fail_number(scan, start, "is too large", "a finite number");
    /* 2^53 + 1 reads as 2^53: what rounds to the limit is compared as text */
    if (is_integer && (fabs(value) > INTEGER_MAX || (fabs(value) == INTEGER_MAX && scan->at[-1] != '2')))
        return fail_number(scan, start, "is too large", "integers from -2^53 to 2^53");
    return TR_OK;
}

static enum tr_status scan_word(struct scan *scan, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0)
        return fail_found(scan, "a value");
    scan->at += length;
    return TR_OK;
}

static int key_compare(const void *a, const void *b)
{
    const struct key *left = a, *right = b;
    int order;

    if (left->size_bytes != right->size_bytes)
        return left->size_bytes < right->size_bytes ? -1 : 1;
    order = memcmp(left->text, right->text, left->size_bytes);
    if (order != 0)
        return order;
    return left->order < right->order ? -1 : left->order > right->order;
}

/* Sorts the keys from `first` on, which belong to one object, and refuses the earliest repetition. */
static enum tr_status check_keys(struct scan *scan, size_t first)
{
    struct key *keys = scan->keys + first, *repeated = NULL;
    size_t count = scan->key_count - first;
    int shown;

    for (size_t i = 0; i < count; i++)
        keys[i].text = scan->key_text + keys[i].offset;
    qsort(keys, count, sizeof *keys, key_compare);
    for (size_t i = 1; i < count; i++)
        if (keys[i].size_bytes == keys[i - 1].size_bytes &&
            memcmp(keys[i].text, keys[i - 1].text, keys[i].size_bytes) == 0 &&
            (!repeated || keys[i].order < repeated->order))
            repeated = &keys[i];
    if (!repeated)
        return TR_OK;
    shown = repeated->size_bytes > SHOWN_BYTES ? SHOWN_BYTES : (int)repeated->size_bytes;
    return tr_fail(scan->error, TR_BAD_INPUT, "%s:%d: key \"%.*s%s\" appears twice in one object", scan->name,
                   repeated->line, shown, repeated->text, repeated->size_bytes > SHOWN_BYTES ? "..." : "");
}

static enum tr_status scan_value(struct scan *scan);

static enum tr_status scan_key(struct scan *scan, size_t first)
{
    struct key *key;
    size_t offset = scan->key_text_bytes;
    enum tr_status status;

    skip_blanks(scan);
    if (!next_is(scan, '"'))
        return fail_found(scan, "a key in quotes");
    status = tr_grow(&scan->keys, &scan->key_capacity, scan->key_count + 1, sizeof *scan->keys, scan->error);
    if (status == TR_OK)
        status = scan_string(scan, true);
    if (status == TR_OK) /* an empty key still needs text to point to */
        status = key_append(scan, "", 1);
    if (status != TR_OK)
        return status;
    key = &scan->keys[scan->key_count];
    *key = (struct key){.offset = offset,
                        .size_bytes = scan->key_text_bytes - offset - 1,
                        .order = scan->key_count - first,
                        .line = scan->line};
    scan->key_count++;
    return TR_OK;
}

static enum tr_status scan_object(struct scan *scan)
{
    size_t first_key = scan->key_count, first_text = scan->key_text_bytes;
    enum tr_status status = TR_OK;

    scan->at++;
    skip_blanks(scan);
    if (next_is(scan, '}')) {
        scan->at++;
        return TR_OK;
    }
    for (;;) {
        status = scan_key(scan, first_key);
        if (status != TR_OK)
            return status;
        skip_blanks(scan);
        if (!next_is(scan, ':'))
            return fail_found(scan, "':' behind the key");
        scan->at++;
        status = scan_value(scan);
        if (status != TR_OK)
            return status;
        skip_blanks(scan);
        if (!next_is(scan, ','))
            break;
        scan->at++;
    }
    if (!next_is(scan, '}'))
        return fail_found(scan, "',' or '}'");
    scan->at++;
    status = check_keys(scan, first_key);
    scan->key_count = first_key;
    scan->key_text_bytes = first_text;
    return status;
}

static enum tr_status scan_array(struct scan *scan)
{
    enum tr_status status;

    scan->at++;
    skip_blanks(scan);
    if (next_is(scan, ']')) {
        scan->at++;
        return TR_OK;
    }
    for (;;) {
        status = scan_value(scan);
        if (status != TR_OK)
            return status;
        skip_blanks(scan);
        if (!next_is(scan, ','))
            break;
        scan->at++;
    }
    if (!next_is(scan, ']'))
        return fail_found(scan, "',' or ']'");
    scan->at++;
    return TR_OK;
}

static enum tr_status scan_nested(struct scan *scan)
{
    enum tr_status status;

    if (scan->depth == TR_JSON_DEPTH_MAX)
        return tr_fail(scan->error, TR_BAD_INPUT, "%s:%d: values nested deeper than %d", scan->name,
                       scan->line, TR_JSON_DEPTH_MAX);
    scan->depth++;
    status = *scan->at == '{' ? scan_object(scan) : scan_array(scan);
    scan->depth--;
    return status;
}

static enum tr_status scan_value(struct scan *scan)
{
    enum tr_status status;

    skip_blanks(scan);
    if (scan->at == scan->end)
        return fail_found(scan, "a value");
    status =
        tr_grow(&scan->lines, &scan->line_capacity, scan->line_count + 1, sizeof *scan->lines, scan->error);
    if (status != TR_OK)
        return status;
    scan->lines[scan->line_count++] = scan->line;
    switch (*scan->at) {
    case '{':
    case '[':
        return scan_nested(scan);
    case '"':
        return scan_string(scan, false);
    case 't':
        return scan_word(scan, "true");
    case 'f':
        return scan_word(scan, "false");
    case 'n':
        return scan_word(scan, "null");
    default:
        if (*scan->at == '-' || is_digit(*scan->at))
            return scan_number(scan);
        return fail_found(scan, "a value");
    }
}

static enum tr_status scan_text(struct scan *scan)
{
    enum tr_status status;

    if (scan->end - scan->at >= 3 && memcmp(scan->at, "\xef\xbb\xbf", 3) == 0)
        return scan_fail(scan, "text begins with a byte order mark, expected plain UTF-8 without one");
    skip_blanks(scan);
    if (scan->at == scan->end) {
        return scan_fail(scan, "file is empty, expected a JSON value");
    }
    status = scan_value(scan);
    if (status != TR_OK)
        return status;
    skip_blanks(scan);
    return scan->at == scan->end ? TR_OK : fail_found(scan, "the end behind the value");
}

/* ---- the tree ---- */

static void assign_lines(cJSON *item, const int **next_line)
{
    item->valueint = *(*next_line)++;
    for (cJSON *child = item->child; child; child = child->next)
        assign_lines(child, next_line);
}

enum tr_status tr_json_parse(const char *text, size_t size_bytes, const char *name, int first_line,
                             cJSON **out, struct tr_error *error)
{
    struct scan scan = {
        .at = text, .end = text + size_bytes, .name = name, .line = first_line, .error = error};
    const int *next_line;
    enum tr_status status;

    *out = NULL;
    status = scan_text(&scan);
    if (status != TR_OK)
        goto done;
    *out = cJSON_ParseWithLength(text, size_bytes);
    if (!*out) { /* the scan accepts nothing that cJSON refuses, so this is memory */
        status = tr_fail(error, TR_IO, "out of memory: tree of \"%s\"", name);
        goto done;
    }
    next_line = scan.lines;
    assign_lines(*out, &next_line);
done:
    free(scan.lines);
    free(scan.keys);
    free(scan.key_text);
    return status;
}

int tr_json_line(const cJSON *item)
{
    return item->valueint;
}
