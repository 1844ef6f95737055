/* PNG: pictures of 8 bits a channel, made in memory. The bytes depend on the picture alone. */
#ifndef TR_BASE_PNG_H
#define TR_BASE_PNG_H

#include "lib/base/bytes.h"

#define TR_PNG_SIDE_MAX 16384

/* Appends the file of a picture, rows from the top, 3 bytes (red, green, blue) a pixel, 1 to TR_PNG_SIDE_MAX pixels a side. TR_IO without
 * memory. */
enum tr_status tr_png_write(const uint8_t *rgb, uint32_t width, uint32_t height, struct tr_writer *png,
                            struct tr_error *error);

#endif
