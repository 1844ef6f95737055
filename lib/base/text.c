/* See text.h. */
#include "lib/base/text.h"
#include <stdint.h>
#include <stdio.h>

/* Length of the UTF-8 sequence at `at`, 0 where there is none. */
static int utf8_length(const unsigned char *at)
{
    uint32_t code;
    int length;

    if (at[0] < 0x80)
        return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    length = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    code = at[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) /* the end of the text too */
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    if ((length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10ffff)) ||
        (code >= 0xd800 && code <= 0xdfff))
        return 0;
    return length;
}

void tr_text_make_utf8(char *text)
{
    while (*text) {
        int length = utf8_length((const unsigned char *)text);

        if (length == 0)
            *text = '?';
        text += length == 0 ? 1 : length;
    }
}

/* C0 controls and DEL are single bytes; C1 controls are 0xc2 0x80..0x9f in UTF-8. */
void tr_text_mask_controls(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        if (*at < 0x20 || *at == 0x7f)
            *at = '?';
        else if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f)
            at[0] = at[1] = '?';
    }
}

const char *tr_text_shown(const char *text, char *room, size_t size_bytes)
{
    snprintf(room, size_bytes, "%s", text);
    tr_text_mask_controls(room);
    return room;
}
