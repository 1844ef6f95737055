/* Any bytes as an image, as they are and with every checksum made right, and as base64: refused in one line, or of the promised size and the same
 * bytes when encoded again. */
#include "lib/base/base64.h"
#include "lib/edit/resource.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static uint32_t checksum(const uint8_t *bytes, size_t size_bytes)
{
    uint32_t remainder = 0xffffffffu;

    for (size_t i = 0; i < size_bytes; i++) {
        remainder ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            remainder = remainder >> 1 ^ (remainder & 1 ? 0xedb88320u : 0);
    }
    return ~remainder;
}

/* Without this hardly a change of an input would get past the first checksum. */
static void checksums_repair(uint8_t *png, size_t size_bytes)
{
    size_t at = 8;

    while (size_bytes >= 12 && at <= size_bytes - 12) {
        size_t length =
            (size_t)png[at] << 24 | (size_t)png[at + 1] << 16 | (size_t)png[at + 2] << 8 | png[at + 3];
        uint32_t sum;

        if (length > size_bytes - 12 - at)
            return;
        sum = checksum(png + at + 4, length + 4);
        for (int i = 0; i < 4; i++)
            png[at + 8 + length + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += 12 + length;
    }
}

static void check_halves(const struct tr_resource *image)
{
    for (uint32_t times = 0; times < 3; times++) {
        uint16_t *pixels;
        uint32_t width, height;

        if (tr_image_halve(image, times, &pixels, &width, &height, NULL) != TR_OK)
            return;
        FUZZ_CHECK(width == (image->width + (1u << times) - 1) >> times);
        FUZZ_CHECK(height == (image->height + (1u << times) - 1) >> times);
        free(pixels);
    }
}

static void check_image(const uint8_t *bytes, size_t size_bytes, bool repair)
{
    struct tr_resource image = {.bytes = malloc(size_bytes + !size_bytes), .size_bytes = size_bytes}, copy;
    struct tr_error error = {0};
    enum tr_status status;

    FUZZ_CHECK(image.bytes);
    memcpy(image.bytes, bytes, size_bytes);
    if (repair)
        checksums_repair(image.bytes, size_bytes);
    status = tr_resource_open_image(&image, &error);
    if (status == TR_OK) {
        size_t pixels_bytes = (size_t)image.width * image.height * sizeof *image.pixels;

        FUZZ_CHECK(image.width >= 1 && image.width <= TR_IMAGE_SIDE_MAX);
        FUZZ_CHECK(image.height >= 1 && image.height <= TR_IMAGE_SIDE_MAX);
        if (tr_resource_copy(&copy, &image, &error) == TR_OK)
            FUZZ_CHECK(memcmp(copy.pixels, image.pixels, pixels_bytes) == 0);
        tr_resource_release(&copy);
        check_halves(&image);
    } else {
        FUZZ_CHECK(status == TR_BAD_INPUT);
        FUZZ_CHECK(!image.pixels && image.width == 0 && image.height == 0);
        FUZZ_CHECK(error.text[0] && !strchr(error.text, '\n'));
    }
    tr_resource_release(&image);
}

static void check_base64(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_resource resource;
    struct tr_error error = {0};
    struct tr_writer out = {0};

    if (tr_resource_decode((const char *)bytes, size_bytes, &resource, &error) == TR_OK) {
        tr_resource_encode(&resource, &out);
        FUZZ_CHECK(out.size_bytes == size_bytes && memcmp(out.bytes, bytes, size_bytes) == 0);
        check_image(resource.bytes, resource.size_bytes, false);
    } else {
        FUZZ_CHECK(!resource.bytes && error.text[0] && !strchr(error.text, '\n'));
    }
    tr_resource_release(&resource);
    tr_writer_release(&out);

    tr_base64_encode(&out, bytes, size_bytes);
    FUZZ_CHECK(!out.failed && out.size_bytes == (size_bytes + 2) / 3 * 4);
    if (size_bytes > 0) {
        FUZZ_CHECK(tr_resource_decode((const char *)out.bytes, out.size_bytes, &resource, &error) == TR_OK);
        FUZZ_CHECK(resource.size_bytes == size_bytes && memcmp(resource.bytes, bytes, size_bytes) == 0);
        tr_resource_release(&resource);
    }
    tr_writer_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    check_image(bytes, size_bytes, false);
    check_image(bytes, size_bytes, true);
    check_base64(bytes, size_bytes);
    return 0;
}
