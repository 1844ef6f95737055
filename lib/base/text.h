/* Text that may come from anywhere, made fit to be shown or put into JSON. */
#ifndef TR_BASE_TEXT_H
#define TR_BASE_TEXT_H

#include <stddef.h>

/* Replaces each byte that is no part of valid UTF-8 by '?', in place. */
void tr_text_make_utf8(char *text);

/* Replaces control characters (C0, DEL, C1) by '?', in place: what is printed stays one line. */
void tr_text_mask_controls(char *text);
/* The same on a copy in room, cut where it does not fit; returns room. */
const char *tr_text_shown(const char *text, char *room, size_t size_bytes);

#endif
