/* PNG by stb_image_write. See png.h. */
#include "lib/base/png.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

/* The encoder counts the bytes of the picture, and of what it makes of them, in int. */
static_assert((uint64_t)TR_PNG_SIDE_MAX * (TR_PNG_SIDE_MAX * 3 + 1) < INT_MAX / 2,
              "the largest picture leaves the encoder room");

enum tr_status tr_png_write(const uint8_t *rgb, uint32_t width, uint32_t height, struct tr_writer *png,
                            struct tr_error *error)
{
    int size_bytes = 0;
    unsigned char *bytes =
        stbi_write_png_to_mem(rgb, (int)width * 3, (int)width, (int)height, 3, &size_bytes);

    if (bytes)
        tr_write_bytes(png, bytes, (size_t)size_bytes);
    if (!bytes || png->failed) {
        free(bytes);
        return tr_fail(error, TR_IO, "out of memory: a PNG of %u x %u pixels", width, height);
    }
    free(bytes);
    return TR_OK;
}
