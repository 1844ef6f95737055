/* Pictures and meshes that a log carries: the bytes of a file, and what they say. In a log they stand as base64 (`data`), or are named
 * (`file`) and read from beside the log. EDITS.md, "Images and meshes". */
#ifndef TR_EDIT_RESOURCE_H
#define TR_EDIT_RESOURCE_H

#include "lib/base/bytes.h"
#include "lib/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TR_RESOURCE_BYTES_MAX ((size_t)64 << 20)
#define TR_IMAGE_SIDE_MAX 4096

struct tr_resource {
    uint8_t *bytes; /* the PNG, OBJ or PLY; NULL: none */
    size_t size_bytes;
    uint16_t *pixels; /* of an image, [row from above][column], black 0, white 65535; NULL for a mesh */
    uint32_t width, height;
};
void tr_resource_release(struct tr_resource *resource);

/* Decodes base64 (RFC 4648 section 4: padded, no blanks, unused bits 0) into new bytes, at most TR_RESOURCE_BYTES_MAX; "" is refused. */
enum tr_status tr_resource_decode(const char *text, size_t size_bytes, struct tr_resource *resource,
                                  struct tr_error *error);
/* Appends the bytes as base64. */
void tr_resource_encode(const struct tr_resource *resource, struct tr_writer *out);

/* Reads a file named by a log: `name` must be relative, without empty, `.` or `..` parts, and lie below `folder`. No symbolic link is followed
 * there (`folder` itself may be one). A regular file of 1 to TR_RESOURCE_BYTES_MAX bytes; a missing one, a link, a folder, a device: TR_IO. */
enum tr_status tr_resource_read(const char *folder, const char *name, struct tr_resource *resource,
                                struct tr_error *error);

/* Decodes the bytes as a grey PNG of 8 or 16 bits (8 become 16 by times 257), at most TR_IMAGE_SIDE_MAX along a side. Each chunk must be
 * whole, needed or not; bytes behind the last are no part of the picture. Errors say what is wrong with it, without a place: "an image must be
 * grey, found RGB". */
enum tr_status tr_resource_open_image(struct tr_resource *resource, struct tr_error *error);

/* A copy with the same bytes and pixels. */
enum tr_status tr_resource_copy(struct tr_resource *to, const struct tr_resource *from,
                                struct tr_error *error);

/* Pixels of an image, halved `times` times: each the mean of 2 x 2, rounded half up; an odd last row or column counts twice. Free *pixels. */
enum tr_status tr_image_halve(const struct tr_resource *image, uint32_t times, uint16_t **pixels,
                              uint32_t *width, uint32_t *height, struct tr_error *error);

#endif
