/* Base64 as in RFC 4648, section 4: bytes as text of A-Z, a-z, 0-9, + and /, padded with =.
 *
 * Strict: no blanks, no line breaks, padding where it belongs and nowhere else, unused bits 0. So there is one
 * text for given bytes, and what is decoded and encoded again is the same text. */
#ifndef TR_BASE_BASE64_H
#define TR_BASE_BASE64_H

#include "lib/base/bytes.h"
#include "lib/base/status.h"
#include <stddef.h>
#include <stdint.h>

/* Decodes at most max_bytes bytes; "" gives 0 of them. free() *bytes. What is no base64, and what is more than
 * max_bytes, is TR_BAD_INPUT. */
enum tr_status tr_base64_decode(const char *text, size_t text_bytes, size_t max_bytes, uint8_t **bytes,
                                size_t *size_bytes, struct tr_error *error);
/* Appends the text. */
void tr_base64_encode(struct tr_writer *out, const uint8_t *bytes, size_t size_bytes);

#endif
