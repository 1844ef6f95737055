/* What logs carry: base64 and back, grey PNGs made here with libpng, files beside a log. Whatever is not as
 * it must be is refused in one line that says what it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/base64.h"
#include "lib/base/file.h"
#include "lib/edit/resource.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void assert_failed(enum tr_status status, enum tr_status expected, const struct tr_error *error,
                          const char *text)
{
    if (status != expected || error->status != expected || strcmp(error->text, text) != 0)
        fail_msg("status %d \"%s\", expected %d \"%s\"", status, error->text, expected, text);
}

static void assert_nothing_held(const struct tr_resource *resource)
{
    assert_null(resource->bytes);
    assert_null(resource->pixels);
    assert_int_equal(resource->size_bytes, 0);
}

/* ---- base64 ---- */

/* NUL-terminated; free() it. */
static char *encoded(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_resource resource = {.bytes = (uint8_t *)bytes, .size_bytes = size_bytes};
    struct tr_writer out = {0};

    tr_resource_encode(&resource, &out);
    tr_write_u8(&out, 0);
    assert_false(out.failed);
    return (char *)out.bytes;
}

static void base64_is_that_of_the_rfc(void **state)
{
    static const char *const vectors[][2] = {
        {"f", "Zg=="},         {"fo", "Zm8="},         {"foo", "Zm9v"},     {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff", "+/8="}};
    struct tr_error error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const char *bytes = vectors[i][0], *text = vectors[i][1];
        char *made = encoded((const uint8_t *)bytes, strlen(bytes));
        struct tr_resource resource;

        assert_string_equal(made, text);
        free(made);
        if (tr_resource_decode(text, strlen(text), &resource, &error) != TR_OK)
            fail_msg("\"%s\": %s", text, error.text);
        assert_int_equal(resource.size_bytes, strlen(bytes));
        assert_memory_equal(resource.bytes, bytes, strlen(bytes));
        tr_resource_release(&resource);
        assert_nothing_held(&resource);
    }
}

static void bytes_of_every_length_come_back(void **state)
{
    static const size_t long_ones[] = {3071, 3072, 3073, 10000};
    uint8_t bytes[10000];
    struct tr_error error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 167 + i / 256);
    for (size_t i = 0; i < 65 + sizeof long_ones / sizeof long_ones[0]; i++) {
        size_t length = i < 65 ? i : long_ones[i - 65], size_bytes;
        char *text = encoded(bytes, length);
        uint8_t *back;

        assert_int_equal(strlen(text), (length + 2) / 3 * 4);
        if (tr_base64_decode(text, strlen(text), length, &back, &size_bytes, &error) != TR_OK)
            fail_msg("%zu bytes: %s", length, error.text);
        assert_int_equal(size_bytes, length);
        assert_memory_equal(back, bytes, length);
        free(back);
        free(text);
    }
}

static void what_is_no_base64_is_refused(void **state)
{
    static const char *const cases[][2] = {
        {"", "the base64 is empty, expected the bytes of a file"},
        {"Z", "base64 of 1 bytes, expected a multiple of 4"},
        {"Zg", "base64 of 2 bytes, expected a multiple of 4"},
        {"Zm9", "base64 of 3 bytes, expected a multiple of 4"},
        {"Zm9vY", "base64 of 5 bytes, expected a multiple of 4"},
        {"Zg=", "base64 of 3 bytes, expected a multiple of 4"},
        {"Zm9v\n", "base64 of 5 bytes, expected a multiple of 4"},
        {"Zm9v\r\n\r\n", "byte 0x0d at offset 4 of the base64, expected A-Z, a-z, 0-9, + or /"},
        {"Zm9v    ", "byte 0x20 at offset 4 of the base64, expected A-Z, a-z, 0-9, + or /"},
        {"-_8=", "byte 0x2d at offset 0 of the base64, expected A-Z, a-z, 0-9, + or /"},
        {"====", "byte 0x3d at offset 0 of the base64, expected A-Z, a-z, 0-9, + or /"},
        {"Z===", "byte 0x3d at offset 1 of the base64, expected A-Z, a-z, 0-9, + or /"},
        {"Zg=a", "byte 0x3d at offset 2 of the base64, expected A-Z, a-z, 0-9, + or /"},
        {"Zg==Zg==", "byte 0x3d at offset 2 of the base64, expected A-Z, a-z, 0-9, + or /"},
        {"Zh==", "'h' as the last digit of the base64 has unused bits, expected 'g'"},
        {"Zm9=", "'9' as the last digit of the base64 has unused bits, expected '8'"},
        {"//==", "'/' as the last digit of the base64 has unused bits, expected 'w'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tr_resource resource;
        struct tr_error error = {0};

        assert_failed(tr_resource_decode(cases[i][0], strlen(cases[i][0]), &resource, &error), TR_BAD_INPUT,
                      &error, cases[i][1]);
        assert_nothing_held(&resource);
    }
}

static void only_the_64_digits_are_digits(void **state)
{
    int digits = 0;

    (void)state;
    for (int c = 0; c < 256; c++) {
        char text[] = "AAAA";
        struct tr_resource resource;
        bool is_digit =
            c != 0 && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", c);

        text[1] = (char)c;
        if ((tr_resource_decode(text, 4, &resource, NULL) == TR_OK) != is_digit)
            fail_msg("byte 0x%02x %s a digit", (unsigned)c, is_digit ? "is" : "is not");
        digits += is_digit;
        tr_resource_release(&resource);
    }
    assert_int_equal(digits, 64);
}

static void base64_of_too_much_is_refused(void **state)
{
    const size_t length = (TR_RESOURCE_BYTES_MAX + 2) / 3 * 4;
    char *text = calloc(length, 1), expected[96];
    struct tr_resource resource;
    struct tr_error error = {0};

    (void)state;
    assert_non_null(text);
    snprintf(expected, sizeof expected, "base64 of %zu bytes of data, expected at most 67108864",
             length / 4 * 3);
    assert_failed(tr_resource_decode(text, length, &resource, &error), TR_BAD_INPUT, &error, expected);
    assert_nothing_held(&resource);
    free(text);
}

/* ---- PNGs made here ---- */

struct recipe {
    uint32_t width, height;
    int depth, colour;
    bool is_interlaced;
    bool is_flat;                    /* all 0, as small as can be */
    void (*before)(png_structp png); /* writes chunks in front of the pixels */
    void (*after)(png_structp png);  /* and behind them */
};

/* A sample of a picture, of 16 bits; one of 8 has the upper half. */
static uint16_t sample(const struct recipe *recipe, uint32_t x, uint32_t y)
{
    return recipe->is_flat ? 0 : (uint16_t)(x * 40503 + y * 9973 + 57);
}

static void on_png_error(png_structp png, png_const_charp message)
{
    (void)png;
    fail_msg("libpng cannot make the test's picture: %s", message);
    abort();
}

static void on_png_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_png_write(png_structp png, png_bytep bytes, size_t size_bytes)
{
    tr_write_bytes(png_get_io_ptr(png), bytes, size_bytes);
}

static void on_png_flush(png_structp png)
{
    (void)png;
}

static png_structp png_begin(struct tr_writer *out, png_infop *info, uint32_t width, uint32_t height,
                             int depth, int colour, bool is_interlaced)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_png_error, on_png_warning);

    *info = png_create_info_struct(png);
    png_set_write_fn(png, out, on_png_write, on_png_flush);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png, *info, width, height, depth, colour,
                 is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (colour == PNG_COLOR_TYPE_PALETTE) {
        png_color two[] = {{0, 0, 0}, {255, 255, 255}};

        png_set_PLTE(png, *info, two, 2);
    }
    return png;
}

/* Packed to the left, as libpng wants rows. */
static void fill_row(const struct recipe *recipe, uint32_t y, uint8_t *row, size_t row_bytes)
{
    memset(row, 0, row_bytes);
    if (recipe->colour != PNG_COLOR_TYPE_GRAY || recipe->depth < 8)
        return;
    for (uint32_t x = 0; x < recipe->width; x++) {
        uint16_t value = sample(recipe, x, y);

        if (recipe->depth == 8) {
            row[x] = (uint8_t)(value >> 8);
        } else {
            row[2 * x] = (uint8_t)(value >> 8);
            row[2 * x + 1] = (uint8_t)value;
        }
    }
}

/* In memory of exactly its size, so that a sanitizer sees each byte read beyond it. */
static struct tr_resource exact_copy(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_resource resource = {.bytes = malloc(size_bytes > 0 ? size_bytes : 1),
                                   .size_bytes = size_bytes};

    assert_non_null(resource.bytes);
    memcpy(resource.bytes, bytes, size_bytes);
    return resource;
}

static struct tr_resource written(struct tr_writer *out)
{
    struct tr_resource resource;

    assert_false(out->failed);
    resource = exact_copy(out->bytes, out->size_bytes);
    tr_writer_release(out);
    return resource;
}

static struct tr_resource png_made(const struct recipe *recipe)
{
    struct tr_writer out = {0};
    png_infop info;
    png_structp png = png_begin(&out, &info, recipe->width, recipe->height, recipe->depth, recipe->colour,
                                recipe->is_interlaced);
    uint8_t *row;
    size_t row_bytes;

    if (recipe->is_flat) {
        png_set_compression_level(png, 9);
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    }
    png_write_info(png, info);
    if (recipe->before)
        recipe->before(png);
    row_bytes = png_get_rowbytes(png, info);
    row = malloc(row_bytes);
    assert_non_null(row);
    for (int pass = png_set_interlace_handling(png); pass > 0; pass--)
        for (uint32_t y = 0; y < recipe->height; y++) {
            fill_row(recipe, y, row, row_bytes);
            png_write_row(png, row);
        }
    if (recipe->after) {
        recipe->after(png);
        png_write_chunk(png, (png_const_bytep) "IEND", NULL, 0);
    } else {
        png_write_end(png, info);
    }
    png_destroy_write_struct(&png, &info);
    free(row);
    return written(&out);
}

static void assert_opens(struct tr_resource *png, const struct recipe *recipe)
{
    struct tr_error error = {0};

    if (tr_resource_open_image(png, &error) != TR_OK)
        fail_msg("%u x %u of %d bits: %s", recipe->width, recipe->height, recipe->depth, error.text);
    assert_int_equal(png->width, recipe->width);
    assert_int_equal(png->height, recipe->height);
    for (uint32_t y = 0; y < recipe->height; y++)
        for (uint32_t x = 0; x < recipe->width; x++) {
            uint16_t value = sample(recipe, x, y), found = png->pixels[(size_t)y * recipe->width + x];
            uint16_t expected = recipe->depth == 8 ? (uint16_t)((value >> 8) * 257) : value;

            if (found != expected)
                fail_msg("%u x %u of %d bits, pixel %u %u: %u, expected %u", recipe->width, recipe->height,
                         recipe->depth, x, y, found, expected);
        }
}

static void assert_made_opens(const struct recipe *recipe)
{
    struct tr_resource png = png_made(recipe);

    assert_opens(&png, recipe);
    tr_resource_release(&png);
}

static void assert_refused(struct tr_resource *png, const char *text)
{
    struct tr_error error = {0};

    assert_failed(tr_resource_open_image(png, &error), TR_BAD_INPUT, &error, text);
    assert_null(png->pixels);
    assert_int_equal(png->width, 0);
}

/* Why is said by libpng, whose words change. */
static void assert_damaged(struct tr_resource *png)
{
    static const char start[] = "the PNG is damaged: ";
    struct tr_error error = {0};
    enum tr_status status = tr_resource_open_image(png, &error);

    if (status != TR_BAD_INPUT || strncmp(error.text, start, strlen(start)) != 0 ||
        !error.text[strlen(start)] || strchr(error.text, '\n'))
        fail_msg("status %d \"%s\", expected %d \"%s...\"", status, error.text, TR_BAD_INPUT, start);
    assert_null(png->pixels);
    assert_int_equal(png->width, 0);
}

static void assert_made_damaged(const struct recipe *recipe)
{
    struct tr_resource png = png_made(recipe);

    assert_damaged(&png);
    tr_resource_release(&png);
}

static void assert_made_refused(const struct recipe *recipe, const char *text)
{
    struct tr_resource png = png_made(recipe);

    assert_refused(&png, text);
    tr_resource_release(&png);
}

/* ---- images ---- */

static void pixels_are_those_of_the_png(void **state)
{
    (void)state;
    for (int depth = 8; depth <= 16; depth += 8)
        for (int interlaced = 0; interlaced < 2; interlaced++)
            for (uint32_t width = 1; width <= 17; width++)
                for (uint32_t height = 1; height <= 9; height++) {
                    struct recipe recipe = {width, height, depth, .is_interlaced = interlaced};

                    assert_made_opens(&recipe);
                }
}

static void largest_side_is_4096(void **state)
{
    static const struct recipe fit[] = {{4096, 3, .depth = 8},
                                        {4096, 3, .depth = 16},
                                        {3, 4096, .depth = 16},
                                        {4096, 9, 16, .is_interlaced = true},
                                        {4096, 9, 8, .is_interlaced = true}};

    (void)state;
    for (size_t i = 0; i < sizeof fit / sizeof fit[0]; i++)
        assert_made_opens(&fit[i]);
    assert_made_refused(&(struct recipe){4097, 1, .depth = 8},
                        "an image must have 1 to 4096 pixels along a side, found 4097 x 1");
    assert_made_refused(&(struct recipe){1, 4097, .depth = 16},
                        "an image must have 1 to 4096 pixels along a side, found 1 x 4097");
}

/* The densest that deflate can be, so that the check against the file's size refuses no picture. */
static void largest_flat_image_opens(void **state)
{
    (void)state;
    assert_made_opens(&(struct recipe){4096, 4096, 16, .is_flat = true});
}

static void write_chunk(png_structp png, const char *name, const void *bytes, size_t size_bytes)
{
    png_write_chunk(png, (png_const_bytep)name, bytes, size_bytes);
}

static void write_what_is_not_needed(png_structp png)
{
    static const uint8_t large[100000];

    write_chunk(png, "gAMA", "\0\0\x40\0", 4);
    write_chunk(png, "sBIT", "\x05", 1);
    write_chunk(png, "bKGD", "\0\x07", 2);
    write_chunk(png, "iCCP", "no profile", 10);
    write_chunk(png, "tEXt", "Title\0a grey picture", 20);
    write_chunk(png, "zTXt", large, sizeof large);
    write_chunk(png, "stRN", large, sizeof large);
}

static void write_title(png_structp png)
{
    write_chunk(png, "tEXt", "Title\0behind", 12);
}

static void chunks_beside_the_pixels_change_nothing(void **state)
{
    (void)state;
    for (int depth = 8; depth <= 16; depth += 8)
        assert_made_opens(
            &(struct recipe){7, 5, depth, .before = write_what_is_not_needed, .after = write_title});
}

static void image_is_grey_of_8_or_16_bits(void **state)
{
    (void)state;
    assert_made_refused(&(struct recipe){4, 3, 8, .colour = PNG_COLOR_TYPE_RGB},
                        "an image must be grey, found RGB");
    assert_made_refused(&(struct recipe){4, 3, 16, .colour = PNG_COLOR_TYPE_RGB},
                        "an image must be grey, found RGB");
    assert_made_refused(&(struct recipe){4, 3, 8, .colour = PNG_COLOR_TYPE_PALETTE},
                        "an image must be grey, found a palette");
    assert_made_refused(&(struct recipe){4, 3, 8, .colour = PNG_COLOR_TYPE_GRAY_ALPHA},
                        "an image must be grey, found grey with alpha");
    assert_made_refused(&(struct recipe){4, 3, 16, .colour = PNG_COLOR_TYPE_RGB_ALPHA},
                        "an image must be grey, found RGB with alpha");
    for (int depth = 1; depth <= 4; depth *= 2) {
        char expected[96];

        snprintf(expected, sizeof expected,
                 "an image must have 8 or 16 bits a sample, found grey of %d bit%s", depth,
                 depth == 1 ? "" : "s");
        assert_made_refused(&(struct recipe){4, 3, .depth = depth}, expected);
    }
}

static void write_transparency(png_structp png)
{
    write_chunk(png, "tRNS", "\0\x01", 2);
}

static void write_short_transparency(png_structp png)
{
    write_chunk(png, "tRNS", "\x01", 1);
}

static void write_palette(png_structp png)
{
    write_chunk(png, "PLTE", "\0\0\0\xff\xff\xff", 6);
}

static void write_unknown_critical(png_structp png)
{
    write_chunk(png, "CRIT", "?", 1);
}

static void write_second_header(png_structp png)
{
    write_chunk(png, "IHDR", "\0\0\0\1\0\0\0\1\x08\0\0\0", 13);
}

static void chunks_that_change_the_pixels_are_refused(void **state)
{
    (void)state;
    assert_made_refused(&(struct recipe){4, 3, 8, .before = write_transparency},
                        "an image must have no transparency, found a tRNS chunk");
    assert_made_refused(&(struct recipe){4, 3, 16, .before = write_transparency},
                        "an image must have no transparency, found a tRNS chunk");
    assert_made_damaged(&(struct recipe){4, 3, 8, .before = write_short_transparency});
    assert_made_damaged(&(struct recipe){4, 3, 8, .after = write_transparency});
    assert_made_damaged(&(struct recipe){4, 3, 8, .before = write_palette});
    assert_made_damaged(&(struct recipe){4, 3, 8, .before = write_unknown_critical});
    assert_made_damaged(&(struct recipe){4, 3, 8, .before = write_second_header});
}

/* A PNG with the header of one size and the pixels of another. */
static void assert_pixels(uint32_t height, uint32_t found_height, bool are_enough)
{
    struct recipe found = {4, found_height, .depth = 8};
    struct tr_resource other = png_made(&found);
    struct tr_writer out = {0};
    png_infop info;
    png_structp png = png_begin(&out, &info, 4, height, 8, PNG_COLOR_TYPE_GRAY, false);
    const size_t at = 8 + 12 + 13; /* of its IDAT; IEND has 12 bytes */
    struct tr_resource made;

    png_write_info(png, info);
    write_chunk(png, "IDAT", other.bytes + at + 8, other.size_bytes - at - 12 - 12);
    write_chunk(png, "IEND", NULL, 0);
    png_destroy_write_struct(&png, &info);
    made = written(&out);
    if (are_enough)
        assert_opens(&made, &found);
    else
        assert_damaged(&made);
    tr_resource_release(&made);
    tr_resource_release(&other);
}

static void pixels_are_as_many_as_the_header_says(void **state)
{
    (void)state;
    assert_pixels(3, 3, true);
    assert_pixels(4, 3, false);
    assert_pixels(2, 3, false);
}

static void every_truncated_png_is_refused(void **state)
{
    static const struct recipe recipes[] = {{5, 4, .depth = 8},
                                            {5, 4, 16, .is_interlaced = true, .before = write_title}};

    (void)state;
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        struct tr_resource png = png_made(&recipes[i]);

        for (size_t length = 0; length < png.size_bytes; length++) {
            struct tr_resource cut = exact_copy(png.bytes, length);

            assert_refused(&cut, length < 8    ? "an image must be a PNG, found no signature of one"
                                 : length < 33 ? "the PNG is damaged: it ends in its header"
                                               : "the PNG is damaged: it ends early");
            tr_resource_release(&cut);
        }
        assert_opens(&png, &recipes[i]);
        tr_resource_release(&png);
    }
}

/* Checksums cover every chunk, needed or not, and what they do not cover is the signature and the names. */
static void every_flipped_bit_is_found(void **state)
{
    static const struct recipe recipe = {5, 4, 16, .before = write_title};
    struct tr_resource png = png_made(&recipe);

    (void)state;
    for (size_t bit = 0; bit < png.size_bytes * 8; bit++) {
        struct tr_resource damaged = exact_copy(png.bytes, png.size_bytes);
        struct tr_error error = {0};

        damaged.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (tr_resource_open_image(&damaged, &error) != TR_BAD_INPUT || strchr(error.text, '\n'))
            fail_msg("bit %zu of byte %zu: status %d \"%s\"", bit % 8, bit / 8, error.status, error.text);
        assert_null(damaged.pixels);
        tr_resource_release(&damaged);
    }
    tr_resource_release(&png);
}

static void claim_of_a_small_file_takes_no_memory(void **state)
{
    struct tr_resource png = png_made(&(struct recipe){1, 1, .depth = 16});
    char expected[96];

    (void)state;
    png.bytes[16 + 2] = png.bytes[20 + 2] = 0x10; /* the size, to 4097 x 4097 */
    assert_refused(&png, "an image must have 1 to 4096 pixels along a side, found 4097 x 4097");
    png.bytes[16 + 3] = png.bytes[20 + 3] = 0;
    snprintf(expected, sizeof expected, "the PNG is damaged: %zu bytes cannot hold its 4096 x 4096 pixels",
             png.size_bytes);
    assert_refused(&png, expected);
    png.bytes[16 + 2] = 0;
    assert_refused(&png, "an image must have 1 to 4096 pixels along a side, found 0 x 4096");
    tr_resource_release(&png);
}

static void what_is_no_png_is_refused(void **state)
{
    static const uint8_t start_of_jpeg[64] = {0xff, 0xd8, 0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F'};
    struct tr_resource jpeg = exact_copy(start_of_jpeg, sizeof start_of_jpeg);
    struct tr_resource png = png_made(&(struct recipe){2, 2, .depth = 8});
    struct tr_resource none = {0};

    (void)state;
    assert_refused(&jpeg, "an image must be a PNG, found no signature of one");
    assert_refused(&none, "an image must be a PNG, found no signature of one");
    memcpy(png.bytes + 12, "tEXt", 4);
    assert_refused(&png, "the PNG is damaged: it does not begin with a header");
    memcpy(png.bytes + 12, "IHDR", 4);
    png.bytes[25] = 1;
    assert_refused(&png, "an image must be grey, found colour type 1");
    tr_resource_release(&jpeg);
    tr_resource_release(&png);
}

static void bytes_behind_the_png_are_no_part_of_it(void **state)
{
    static const struct recipe recipe = {5, 4, .depth = 8};
    struct tr_resource png = png_made(&recipe), longer;
    uint8_t bytes[512];

    (void)state;
    memset(bytes, 0xa5, sizeof bytes);
    assert_true(png.size_bytes < sizeof bytes);
    memcpy(bytes, png.bytes, png.size_bytes);
    longer = exact_copy(bytes, sizeof bytes);
    assert_opens(&longer, &recipe);
    tr_resource_release(&longer);
    tr_resource_release(&png);
}

static void image_may_be_opened_again(void **state)
{
    static const struct recipe recipe = {5, 4, .depth = 16};
    struct tr_resource png = png_made(&recipe);

    (void)state;
    assert_opens(&png, &recipe);
    assert_opens(&png, &recipe);
    tr_resource_release(&png);
}

/* ---- copies and halves ---- */

static void copy_is_equal_and_its_own(void **state)
{
    static const struct recipe recipe = {5, 4, .depth = 16};
    struct tr_resource png = png_made(&recipe), copy, mesh = exact_copy((const uint8_t *)"v 0 0 0\n", 8),
                       none = {0};
    struct tr_error error = {0};

    (void)state;
    assert_opens(&png, &recipe);
    assert_int_equal(tr_resource_copy(&copy, &png, &error), TR_OK);
    tr_resource_release(&png);
    assert_opens(&copy, &recipe); /* from its bytes */
    tr_resource_release(&copy);

    assert_int_equal(tr_resource_copy(&copy, &mesh, &error), TR_OK);
    assert_int_equal(copy.size_bytes, 8);
    assert_memory_equal(copy.bytes, mesh.bytes, 8);
    assert_ptr_not_equal(copy.bytes, mesh.bytes);
    assert_null(copy.pixels);
    tr_resource_release(&copy);
    tr_resource_release(&mesh);

    assert_int_equal(tr_resource_copy(&copy, &none, &error), TR_OK);
    assert_nothing_held(&copy);
}

static void assert_halves(struct tr_resource image, uint32_t times, uint32_t width, uint32_t height,
                          const uint16_t *expected)
{
    struct tr_error error = {0};
    uint16_t *pixels;
    uint32_t w, h;

    if (tr_image_halve(&image, times, &pixels, &w, &h, &error) != TR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(w, width);
    assert_int_equal(h, height);
    for (uint32_t i = 0; i < w * h; i++)
        if (pixels[i] != expected[i])
            fail_msg("halved %u times, pixel %u %u: %u, expected %u", times, i % w, i / w, pixels[i],
                     expected[i]);
    free(pixels);
}

static void halved_pixel_is_the_mean_of_four(void **state)
{
    uint16_t even[] = {0, 1, 65535, 65535, 0, 0, 65535, 65534}, odd[] = {10, 20, 31, 30, 40, 50, 1, 2, 3},
             one[] = {777};
    struct tr_resource image = {.pixels = even, .width = 4, .height = 2};

    (void)state;
    assert_halves(image, 0, 4, 2, even);
    assert_halves(image, 1, 2, 1, (uint16_t[]){0, 65535}); /* 1/4 falls, 65534 3/4 rises */
    assert_halves(image, 2, 1, 1, (uint16_t[]){32768});    /* a half rises */
    assert_halves(image, UINT32_MAX, 1, 1, (uint16_t[]){32768});
    image = (struct tr_resource){.pixels = odd, .width = 3, .height = 3};
    assert_halves(image, 1, 2, 2, (uint16_t[]){25, 41, 2, 3}); /* (31 + 31 + 50 + 50) / 4 is 40.5 */
    image = (struct tr_resource){.pixels = one, .width = 1, .height = 1};
    assert_halves(image, 0, 1, 1, one);
    assert_halves(image, 5, 1, 1, one);
}

/* The mean by its definition, with clamped places and a picture of its own for each step. */
static void halves_agree_with_their_definition(void **state)
{
    static uint16_t steps[2][19 * 13];
    struct recipe recipe = {19, 13, .depth = 16};

    (void)state;
    for (uint32_t width = 1; width <= 19; width++)
        for (uint32_t height = 1; height <= 13; height++) {
            struct tr_resource image = png_made(&(struct recipe){width, height, .depth = 16});
            uint32_t w = width, h = height;

            assert_opens(&image, &(struct recipe){width, height, .depth = 16});
            for (uint32_t i = 0; i < w * h; i++)
                steps[0][i] = sample(&recipe, i % w, i / w);
            for (uint32_t times = 0; times < 6; times++) {
                const uint16_t *from = steps[times % 2];
                uint16_t *to = steps[(times + 1) % 2];
                uint32_t new_w = (w + 1) / 2, new_h = (h + 1) / 2;

                assert_halves(image, times, w, h, from);
                for (uint32_t i = 0; i < new_w * new_h; i++) {
                    uint32_t x = i % new_w * 2, y = i / new_w * 2, sum = 2;

                    for (uint32_t k = 0; k < 4; k++) {
                        uint32_t kx = x + k % 2 < w ? x + k % 2 : w - 1,
                                 ky = y + k / 2 < h ? y + k / 2 : h - 1;

                        sum += from[ky * w + kx];
                    }
                    to[i] = (uint16_t)(sum / 4);
                }
                w = new_w;
                h = new_h;
            }
            tr_resource_release(&image);
        }
}

/* ---- files ---- */

static char scratch[TR_PATH_BYTES];

static int scratch_create(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(scratch, sizeof scratch, "%s/terrain-resource-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(scratch) && chdir(scratch) == 0 && mkdir("log", 0777) == 0 ? 0 : -1;
}

static int scratch_remove(void **state)
{
    (void)state;
    return chdir("/") == 0 && tr_folder_remove(scratch, NULL) == TR_OK ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        fail_msg("cannot set up \"%s\": %s", path, strerror(errno));
}

static void assert_reads(const char *folder, const char *name, const char *text)
{
    struct tr_resource resource;
    struct tr_error error = {0};

    if (tr_resource_read(folder, name, &resource, &error) != TR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(resource.size_bytes, strlen(text));
    assert_memory_equal(resource.bytes, text, strlen(text));
    assert_null(resource.pixels);
    tr_resource_release(&resource);
}

static void assert_not_read(const char *name, enum tr_status expected, const char *text)
{
    struct tr_resource resource;
    struct tr_error error = {0};

    assert_failed(tr_resource_read("log", name, &resource, &error), expected, &error, text);
    assert_nothing_held(&resource);
}

static void file_is_read_from_below_the_folder(void **state)
{
    (void)state;
    assert_int_equal(mkdir("log/a", 0777), 0);
    assert_int_equal(mkdir("log/a/b", 0777), 0);
    put("log/rock.png", "rock");
    put("log/a/b/deep", "deep");
    put("log/...", "dots");
    put("log/..\\x", "a backslash is a letter");
    put("log/-", "minus is no standard input");
    assert_reads("log", "rock.png", "rock");
    assert_reads("log/", "a/b/deep", "deep");
    assert_reads("log", "...", "dots");
    assert_reads("log", "..\\x", "a backslash is a letter");
    assert_reads("log", "-", "minus is no standard input");
    assert_int_equal(symlink("log", "way"), 0);
    assert_reads("way", "a/b/deep", "deep");
    assert_reads(scratch, "log/rock.png", "rock");
    assert_int_equal(chdir("log"), 0);
    assert_reads(".", "rock.png", "rock");
}

static void name_that_leads_elsewhere_is_refused(void **state)
{
    static const struct {
        const char *name, *part;
    } cases[] = {{"..", ".."}, {"../secret", ".."}, {"a/../../secret", ".."}, {"a/..", ".."},
                 {".", "."},   {"./a/file", "."},   {"a/./file", "."},        {"a//file", ""},
                 {"a/", ""},   {"a/file/", ""}};
    char name[300], expected[160];

    (void)state;
    put("secret", "secret");
    assert_int_equal(mkdir("log/a", 0777), 0);
    put("log/a/file", "file");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(expected, sizeof expected, "file \"%s\" has the part \"%s\", expected names only",
                 cases[i].name, cases[i].part);
        assert_not_read(cases[i].name, TR_BAD_INPUT, expected);
    }
    assert_not_read("", TR_BAD_INPUT, "the name of the file is empty, expected one below the log's folder");
    assert_not_read("/etc/passwd", TR_BAD_INPUT,
                    "file \"/etc/passwd\" is absolute, expected a name below the log's folder");
    memset(name, 'x', 256);
    strcpy(name + 256, "/y");
    snprintf(expected, sizeof expected, "file \"%.64s...\" has a part of 256 bytes, expected at most 255",
             name);
    assert_not_read(name, TR_BAD_INPUT, expected);
}

static void links_are_not_followed(void **state)
{
    (void)state;
    put("secret", "secret");
    assert_int_equal(mkdir("log/real", 0777), 0);
    put("log/real/file", "file");
    assert_int_equal(symlink("../secret", "log/link"), 0);
    assert_int_equal(symlink("real", "log/way"), 0);
    assert_int_equal(symlink("missing", "log/broken"), 0);
    assert_not_read("link", TR_IO,
                    "cannot open \"link\" in \"log\": \"link\" is a symbolic link, which is not followed");
    assert_not_read(
        "broken", TR_IO,
        "cannot open \"broken\" in \"log\": \"broken\" is a symbolic link, which is not followed");
    assert_not_read("way/file", TR_IO,
                    "cannot open \"way/file\" in \"log\": \"way\" is a symbolic link, which is not followed");
    assert_reads("log", "real/file", "file");
}

static void what_is_no_file_is_refused_without_hanging(void **state)
{
    struct tr_resource resource;
    struct tr_error error = {0};

    (void)state;
    assert_int_equal(mkdir("log/folder", 0777), 0);
    assert_int_equal(mkfifo("log/pipe", 0666), 0);
    put("log/file", "file");
    assert_not_read("folder", TR_IO, "\"folder\" is a folder, expected a regular file");
    assert_not_read("pipe", TR_IO, "\"pipe\" is a device, pipe or socket, expected a regular file");
    assert_not_read("missing", TR_IO, "cannot open \"missing\" in \"log\": No such file or directory");
    assert_not_read("missing/file", TR_IO,
                    "cannot open \"missing/file\" in \"log\": No such file or directory");
    assert_not_read("file/file", TR_IO, "cannot open \"file/file\" in \"log\": Not a directory");
    assert_not_read("pipe/file", TR_IO, "cannot open \"pipe/file\" in \"log\": Not a directory");
    assert_failed(tr_resource_read("nowhere", "file", &resource, &error), TR_IO, &error,
                  "cannot open folder \"nowhere\": No such file or directory");
    assert_nothing_held(&resource);
}

static void file_has_1_byte_to_64_mib(void **state)
{
    struct tr_resource resource;
    struct tr_error error = {0};

    (void)state;
    put("log/empty", "");
    put("log/large", "");
    assert_int_equal(truncate("log/large", (off_t)TR_RESOURCE_BYTES_MAX), 0);
    if (tr_resource_read("log", "large", &resource, &error) != TR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(resource.size_bytes, TR_RESOURCE_BYTES_MAX);
    tr_resource_release(&resource);
    assert_int_equal(truncate("log/large", (off_t)TR_RESOURCE_BYTES_MAX + 1), 0);
    assert_not_read("large", TR_BAD_INPUT, "\"large\" has 67108865 bytes, expected at most 67108864");
    assert_not_read("empty", TR_BAD_INPUT, "\"empty\" is empty, expected at least 1 byte");
}

#define SCRATCH_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_create, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_is_that_of_the_rfc),
        cmocka_unit_test(bytes_of_every_length_come_back),
        cmocka_unit_test(what_is_no_base64_is_refused),
        cmocka_unit_test(only_the_64_digits_are_digits),
        cmocka_unit_test(base64_of_too_much_is_refused),
        cmocka_unit_test(pixels_are_those_of_the_png),
        cmocka_unit_test(largest_side_is_4096),
        cmocka_unit_test(largest_flat_image_opens),
        cmocka_unit_test(chunks_beside_the_pixels_change_nothing),
        cmocka_unit_test(image_is_grey_of_8_or_16_bits),
        cmocka_unit_test(chunks_that_change_the_pixels_are_refused),
        cmocka_unit_test(pixels_are_as_many_as_the_header_says),
        cmocka_unit_test(every_truncated_png_is_refused),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(claim_of_a_small_file_takes_no_memory),
        cmocka_unit_test(what_is_no_png_is_refused),
        cmocka_unit_test(bytes_behind_the_png_are_no_part_of_it),
        cmocka_unit_test(image_may_be_opened_again),
        cmocka_unit_test(copy_is_equal_and_its_own),
        cmocka_unit_test(halved_pixel_is_the_mean_of_four),
        cmocka_unit_test(halves_agree_with_their_definition),
        SCRATCH_TEST(file_is_read_from_below_the_folder),
        SCRATCH_TEST(name_that_leads_elsewhere_is_refused),
        SCRATCH_TEST(links_are_not_followed),
        SCRATCH_TEST(what_is_no_file_is_refused_without_hanging),
        SCRATCH_TEST(file_has_1_byte_to_64_mib),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
