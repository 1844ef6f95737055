/* Status and error: formats the one line that a tr_error carries.
 *
 * The line is built in a buffer of its own and copied at the end, so an argument may be the text of the error
 * that is being filled: tr_fail(error, status, "%s: %s", path, error->text) puts a place in front of a
 * message. Names from files and command lines reach this text, so control characters are replaced and a cut
 * never leaves half a UTF-8 sequence. */
#include "lib/base/status.h"

#include "lib/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Ends a full buffer with "..." behind the last whole UTF-8 sequence that leaves room for it. */
static void text_mark_cut(char text[TR_ERROR_TEXT_BYTES])
{
    static const char mark[] = "...";
    size_t at = TR_ERROR_TEXT_BYTES - sizeof mark;

    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    memcpy(text + at, mark, sizeof mark);
}

static void error_fill(struct tr_error *error, enum tr_status status, const char *reason, const char *format,
                       va_list arguments)
{
    char text[TR_ERROR_TEXT_BYTES];
    int length = vsnprintf(text, sizeof text, format, arguments);
    bool cut = false;

    if (length < 0) {
        length = 0;
        text[0] = '\0';
    }
    if (reason && (size_t)length < sizeof text)
        length += snprintf(text + length, sizeof text - (size_t)length, ": %s", reason);
    cut = (size_t)length >= sizeof text;
    if (cut)
        text_mark_cut(text);
    tr_text_mask_controls(text);
    error->status = status;
    memcpy(error->text, text, sizeof text);
}

enum tr_status tr_fail(struct tr_error *error, enum tr_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;

        va_start(arguments, format);
        error_fill(error, status, NULL, format, arguments);
        va_end(arguments);
    }
    return status;
}

enum tr_status tr_fail_errno(struct tr_error *error, const char *format, ...)
{
    const char *reason = strerror(errno);

    if (error) {
        va_list arguments;

        va_start(arguments, format);
        error_fill(error, TR_IO, reason, format, arguments);
        va_end(arguments);
    }
    return TR_IO;
}
