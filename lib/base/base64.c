/* See base64.h. Three bytes are four digits of 6 bits, the highest first; a last group of one or two bytes has
 * two or three digits and is padded to four with '='. The low bits of its last digit stand for nothing: they
 * are refused unless they are 0, else several texts would mean the same bytes. */
#include "lib/base/base64.h"

#include "lib/base/alloc.h"

#include <stdlib.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* -1 for what is no digit; by ranges and not by the C library's, which ask the locale. */
static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* `count` digits become count * 6 / 8 bytes. */
static enum tr_status digits_decode(const char *text, size_t count, uint8_t *bytes, struct tr_error *error)
{
    uint32_t bits = 0; /* the low `pending` ones are not yet written */
    int pending = 0;

    for (size_t i = 0; i < count; i++) {
        int value = digit_value(text[i]);

        if (value < 0)
            return tr_fail(error, TR_BAD_INPUT,
                           "byte 0x%02x at offset %zu of the base64, expected A-Z, a-z, 0-9, + or /",
                           (unsigned char)text[i], i);
        bits = bits << 6 | (uint32_t)value;
        pending += 6;
        if (pending >= 8) {
            pending -= 8;
            *bytes++ = (uint8_t)(bits >> pending);
        }
    }
    if (bits & ((1u << pending) - 1))
        return tr_fail(error, TR_BAD_INPUT,
                       "'%c' as the last digit of the base64 has unused bits, expected '%c'", text[count - 1],
                       digits[bits & 63u & ~((1u << pending) - 1)]);
    return TR_OK;
}

enum tr_status tr_base64_decode(const char *text, size_t text_bytes, size_t max_bytes, uint8_t **bytes,
                                size_t *size_bytes, struct tr_error *error)
{
    size_t padding = 0, decoded;
    enum tr_status status;
    uint8_t *memory;

    *bytes = NULL;
    *size_bytes = 0;
    if (text_bytes % 4 != 0)
        return tr_fail(error, TR_BAD_INPUT, "base64 of %zu bytes, expected a multiple of 4", text_bytes);
    while (padding < 2 && padding < text_bytes && text[text_bytes - 1 - padding] == '=')
        padding++;
    decoded = text_bytes / 4 * 3 - padding;
    if (decoded > max_bytes)
        return tr_fail(error, TR_BAD_INPUT, "base64 of %zu bytes of data, expected at most %zu", decoded,
                       max_bytes);

    memory = tr_alloc(decoded, 1, error);
    if (!memory)
        return TR_IO;
    status = digits_decode(text, text_bytes - padding, memory, error);
    if (status != TR_OK) {
        free(memory);
        return status;
    }
    *bytes = memory;
    *size_bytes = decoded;
    return TR_OK;
}

void tr_base64_encode(struct tr_writer *out, const uint8_t *bytes, size_t size_bytes)
{
    char text[4096];
    size_t used = 0;

    for (size_t at = 0; at < size_bytes; at += 3) {
        size_t left = size_bytes - at;
        uint32_t second = left > 1 ? bytes[at + 1] : 0, third = left > 2 ? bytes[at + 2] : 0;
        uint32_t group = (uint32_t)bytes[at] << 16 | second << 8 | third;

        text[used++] = digits[group >> 18];
        text[used++] = digits[group >> 12 & 63];
        text[used++] = left > 1 ? digits[group >> 6 & 63] : '=';
        text[used++] = left > 2 ? digits[group & 63] : '=';
        if (used == sizeof text) {
            tr_write_bytes(out, text, used);
            used = 0;
        }
    }
    tr_write_bytes(out, text, used);
}
