/* See resource.h. Both what a log says and the files it names come from anybody.
 *
 * A named file is opened part by part, each relative to the folder before it and never through a symbolic
 * link, so that no name leads out of the log's folder. What is opened is asked what it is before it is read.
 *
 * A PNG (ISO/IEC 15948) is decoded by libpng, kept on a short lead. Its header, the first chunk of every PNG,
 * is judged before libpng sees it: so each refusal can say what was found, and no memory is taken for pixels
 * that a file of its size cannot hold. Chunks that are not needed (gamma, profiles, texts, significant bits)
 * are skipped by their length and checksum and never parsed; no transformation is asked for. libpng reports by
 * longjmp: a function with a setjmp uses nothing but its argument, and not even that, after a jump back into
 * it, so nothing need be volatile; what must be released hangs on struct decoder. */
#include "lib/edit/resource.h"

#include "lib/base/alloc.h"
#include "lib/base/base64.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tr_resource_release(struct tr_resource *resource)
{
    free(resource->bytes);
    free(resource->pixels);
    *resource = (struct tr_resource){0};
}

static enum tr_status memory_copy(void *copy, const void *from, size_t size_bytes, struct tr_error *error)
{
    void *memory = tr_alloc(size_bytes, 1, error);

    if (!memory)
        return TR_IO;
    memcpy(memory, from, size_bytes);
    memcpy(copy, &memory, sizeof memory);
    return TR_OK;
}

enum tr_status tr_resource_copy(struct tr_resource *to, const struct tr_resource *from,
                                struct tr_error *error)
{
    enum tr_status status = TR_OK;

    *to = *from;
    to->bytes = NULL;
    to->pixels = NULL;
    if (from->bytes)
        status = memory_copy(&to->bytes, from->bytes, from->size_bytes, error);
    if (status == TR_OK && from->pixels)
        status = memory_copy(&to->pixels, from->pixels,
                             (size_t)from->width * from->height * sizeof *from->pixels, error);
    if (status != TR_OK)
        tr_resource_release(to);
    return status;
}

/* ---- base64 ---- */

enum tr_status tr_resource_decode(const char *text, size_t size_bytes, struct tr_resource *resource,
                                  struct tr_error *error)
{
    *resource = (struct tr_resource){0};
    if (size_bytes == 0)
        return tr_fail(error, TR_BAD_INPUT, "the base64 is empty, expected the bytes of a file");
    return tr_base64_decode(text, size_bytes, TR_RESOURCE_BYTES_MAX, &resource->bytes, &resource->size_bytes,
                            error);
}

void tr_resource_encode(const struct tr_resource *resource, struct tr_writer *out)
{
    tr_base64_encode(out, resource->bytes, resource->size_bytes);
}

/* ---- files ---- */

/* Bytes up to the next slash or the end. */
static size_t part_length(const char *part)
{
    return strcspn(part, "/");
}

static bool part_is_name(const char *part, size_t length)
{
    return length > 0 && !(length == 1 && part[0] == '.') &&
           !(length == 2 && part[0] == '.' && part[1] == '.');
}

static enum tr_status name_check(const char *name, struct tr_error *error)
{
    if (name[0] == '\0')
        return tr_fail(error, TR_BAD_INPUT,
                       "the name of the file is empty, expected one below the log's folder");
    if (name[0] == '/')
        return tr_fail(error, TR_BAD_INPUT, "file \"%s\" is absolute, expected a name below the log's folder",
                       name);
    for (const char *part = name;;) {
        size_t length = part_length(part);

        if (!part_is_name(part, length))
            return tr_fail(error, TR_BAD_INPUT, "file \"%s\" has the part \"%.*s\", expected names only",
                           name, (int)length, part);
        if (length > NAME_MAX)
            return tr_fail(error, TR_BAD_INPUT,
                           "file \"%.64s...\" has a part of %zu bytes, expected at most %d", name, length,
                           NAME_MAX);
        if (part[length] == '\0')
            return TR_OK;
        part += length + 1;
    }
}

/* Says why an openat() failed. A link shows itself as one of several errors, which would puzzle. */
static enum tr_status fail_open(int parent, const char *part, const char *folder, const char *name,
                                struct tr_error *error)
{
    int code = errno;
    struct stat info;

    if (fstatat(parent, part, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
        return tr_fail(error, TR_IO,
                       "cannot open \"%s\" in \"%s\": \"%s\" is a symbolic link, which is not followed", name,
                       folder, part);
    errno = code;
    return tr_fail_errno(error, "cannot open \"%s\" in \"%s\"", name, folder);
}

/* Opens a checked name below the folder. */
static enum tr_status file_open(const char *folder, const char *name, int *descriptor, struct tr_error *error)
{
    const int pass_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    /* O_NONBLOCK: opening a pipe that nobody writes must not hang before it is refused */
    const int read_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (at < 0)
        return tr_fail_errno(error, "cannot open folder \"%s\"", folder);
    for (const char *next = name; *next;) {
        size_t length = part_length(next);
        bool is_last = next[length] == '\0';
        char part[NAME_MAX + 1];
        int opened;

        memcpy(part, next, length);
        part[length] = '\0';
        opened = openat(at, part, is_last ? read_flags : pass_flags);
        if (opened < 0) {
            enum tr_status status = fail_open(at, part, folder, name, error);

            close(at);
            return status;
        }
        close(at);
        at = opened;
        next += is_last ? length : length + 1;
    }
    *descriptor = at;
    return TR_OK;
}

/* The size of an open file, when it is one that may be read whole. */
static enum tr_status file_size(int descriptor, const char *name, size_t *size_bytes, struct tr_error *error)
{
    struct stat info;

    if (fstat(descriptor, &info) != 0)
        return tr_fail_errno(error, "cannot inspect \"%s\"", name);
    if (!S_ISREG(info.st_mode))
        return tr_fail(error, TR_IO, "\"%s\" is %s, expected a regular file", name,
                       S_ISDIR(info.st_mode) ? "a folder" : "a device, pipe or socket");
    if (info.st_size == 0)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\" is empty, expected at least 1 byte", name);
    if ((uintmax_t)info.st_size > TR_RESOURCE_BYTES_MAX)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\" has %jd bytes, expected at most %zu", name,
                       (intmax_t)info.st_size, TR_RESOURCE_BYTES_MAX);
    *size_bytes = (size_t)info.st_size;
    return TR_OK;
}

/* Reads a file of the size it had. `bytes` has room for one byte more, which tells whether it has grown. */
static enum tr_status file_read(int descriptor, const char *name, uint8_t *bytes, size_t size_bytes,
                                struct tr_error *error)
{
    size_t used = 0;

    while (used <= size_bytes) {
        ssize_t got = read(descriptor, bytes + used, size_bytes + 1 - used);

        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tr_fail_errno(error, "cannot read \"%s\" at byte %zu", name, used);
        used += (size_t)got;
    }
    if (used != size_bytes)
        return tr_fail(error, TR_IO, "\"%s\" has changed while it was read, expected %zu bytes", name,
                       size_bytes);
    return TR_OK;
}

enum tr_status tr_resource_read(const char *folder, const char *name, struct tr_resource *resource,
                                struct tr_error *error)
{
    enum tr_status status = name_check(name, error);
    int descriptor = -1;

    *resource = (struct tr_resource){0};
    if (status == TR_OK)
        status = file_open(folder, name, &descriptor, error);
    if (status == TR_OK)
        status = file_size(descriptor, name, &resource->size_bytes, error);
    if (status == TR_OK) {
        resource->bytes = tr_alloc(resource->size_bytes + 1, 1, error);
        status = resource->bytes ? file_read(descriptor, name, resource->bytes, resource->size_bytes, error)
                                 : TR_IO;
    }
    if (descriptor >= 0)
        close(descriptor);
    if (status != TR_OK)
        tr_resource_release(resource);
    return status;
}

/* ---- the header of a PNG ---- */

#define SIGNATURE_BYTES 8
#define HEADER_BYTES 13 /* what IHDR holds */
#define CHUNK_BYTES 12  /* around what a chunk holds: length, name, checksum */

/* Deflate never makes less of its input than this: 258 bytes in two codes of one bit each. */
#define DEFLATE_RATIO_MAX 1032

struct header {
    uint32_t width, height;
    unsigned depth, colour_type;
};

static uint32_t big_endian(const uint8_t bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* All but the checksum and the methods, which are libpng's to check. */
static enum tr_status header_read(const struct tr_resource *resource, struct header *header,
                                  struct tr_error *error)
{
    static const uint8_t start[] = {0x89, 'P', 'N', 'G',          '\r', '\n', 0x1a, '\n',
                                    0,    0,   0,   HEADER_BYTES, 'I',  'H',  'D',  'R'};
    const uint8_t *bytes = resource->bytes;

    if (resource->size_bytes < SIGNATURE_BYTES || memcmp(bytes, start, SIGNATURE_BYTES) != 0)
        return tr_fail(error, TR_BAD_INPUT, "an image must be a PNG, found no signature of one");
    if (resource->size_bytes < SIGNATURE_BYTES + CHUNK_BYTES + HEADER_BYTES)
        return tr_fail(error, TR_BAD_INPUT, "the PNG is damaged: it ends in its header");
    if (memcmp(bytes, start, sizeof start) != 0)
        return tr_fail(error, TR_BAD_INPUT, "the PNG is damaged: it does not begin with a header");
    bytes += sizeof start;
    *header = (struct header){.width = big_endian(bytes),
                              .height = big_endian(bytes + 4),
                              .depth = bytes[8],
                              .colour_type = bytes[9]};
    return TR_OK;
}

static enum tr_status header_check(const struct header *header, size_t size_bytes, struct tr_error *error)
{
    static const char *const colours[] = {"grey",          NULL, "RGB", "a palette", "grey with alpha", NULL,
                                          "RGB with alpha"};
    const unsigned type = header->colour_type;
    const char *colour = type < sizeof colours / sizeof colours[0] ? colours[type] : NULL;

    if (!colour)
        return tr_fail(error, TR_BAD_INPUT, "an image must be grey, found colour type %u", type);
    if (type != PNG_COLOR_TYPE_GRAY)
        return tr_fail(error, TR_BAD_INPUT, "an image must be grey, found %s", colour);
    if (header->depth != 8 && header->depth != 16)
        return tr_fail(error, TR_BAD_INPUT,
                       "an image must have 8 or 16 bits a sample, found grey of %u bit%s", header->depth,
                       header->depth == 1 ? "" : "s");
    /* 0 - 1 is large */
    if (header->width - 1 >= TR_IMAGE_SIDE_MAX || header->height - 1 >= TR_IMAGE_SIDE_MAX)
        return tr_fail(error, TR_BAD_INPUT, "an image must have 1 to %d pixels along a side, found %u x %u",
                       TR_IMAGE_SIDE_MAX, header->width, header->height);
    if ((size_t)header->width * header->height * (header->depth / 8) / DEFLATE_RATIO_MAX > size_bytes)
        return tr_fail(error, TR_BAD_INPUT, "the PNG is damaged: %zu bytes cannot hold its %u x %u pixels",
                       size_bytes, header->width, header->height);
    return TR_OK;
}

/* ---- libpng ---- */

struct decoder {
    png_structp png;
    png_infop info;
    struct tr_reader file;
    struct header header;
    uint16_t *pixels; /* while they are read a row is as in the file, at the beginning of its place */
    bool is_out_of_memory;
    char reason[128]; /* of the failure, in libpng's words */
};

static void on_error(png_structp png, png_const_charp message)
{
    struct decoder *decoder = png_get_error_ptr(png);

    snprintf(decoder->reason, sizeof decoder->reason, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static png_voidp on_malloc(png_structp png, png_alloc_size_t size_bytes)
{
    struct decoder *decoder = png_get_mem_ptr(png);
    void *memory = malloc(size_bytes);

    if (!memory)
        decoder->is_out_of_memory = true;
    return memory;
}

static void on_free(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static void on_read(png_structp png, png_bytep bytes, size_t size_bytes)
{
    struct decoder *decoder = png_get_io_ptr(png);
    const uint8_t *from = tr_read_bytes(&decoder->file, size_bytes);

    if (!from)
        png_error(png, "it ends early");
    memcpy(bytes, from, size_bytes);
}

/* Sets libpng's limits and reads up to the pixels. */
static bool decoder_start(struct decoder *decoder)
{
    if (setjmp(png_jmpbuf(decoder->png)))
        return false;
    png_set_user_limits(decoder->png, TR_IMAGE_SIDE_MAX, TR_IMAGE_SIDE_MAX);
    png_set_chunk_cache_max(decoder->png, 1); /* 0 would be no limit */
    png_set_chunk_malloc_max(decoder->png, decoder->file.size_bytes);
    /* -1: no chunk is kept but those that make the pixels, and tRNS */
    png_set_keep_unknown_chunks(decoder->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    /* what libpng would forgive (a damaged chunk that is not needed, bytes behind the last pixel) is an error */
    png_set_crc_action(decoder->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(decoder->png, 0);
    png_set_read_fn(decoder->png, decoder, on_read);
    png_read_info(decoder->png, decoder->info);
    return true;
}

/* Reads the pixels and all chunks behind them. */
static bool decoder_finish(struct decoder *decoder)
{
    if (setjmp(png_jmpbuf(decoder->png)))
        return false;
    /* each pass brings some of the pixels and leaves the others as they are */
    for (int pass = png_set_interlace_handling(decoder->png); pass > 0; pass--)
        for (uint32_t y = 0; y < decoder->header.height; y++)
            png_read_row(decoder->png, (png_bytep)(decoder->pixels + (size_t)y * decoder->header.width),
                         NULL);
    png_read_end(decoder->png, decoder->info);
    return true;
}

static enum tr_status decoder_fail(const struct decoder *decoder, struct tr_error *error)
{
    if (decoder->is_out_of_memory)
        return tr_fail(error, TR_IO, "out of memory: decoding a PNG");
    return tr_fail(error, TR_BAD_INPUT, "the PNG is damaged: %s", decoder->reason);
}

static enum tr_status decoder_init(struct decoder *decoder, struct tr_error *error)
{
    decoder->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, decoder, on_error, on_warning, decoder,
                                            on_malloc, on_free);
    if (decoder->png)
        decoder->info = png_create_info_struct(decoder->png);
    if (!decoder->info)
        return tr_fail(error, TR_IO, "cannot start libpng %s", png_get_libpng_ver(NULL));
    return TR_OK;
}

static void decoder_release(struct decoder *decoder)
{
    if (decoder->png)
        png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
    free(decoder->pixels);
    *decoder = (struct decoder){0};
}

/* Rows as in the file, 8 bits or 16 of which the higher come first, become numbers in their place. From the
 * right: there a pixel's bytes lie at or before where its number goes, and behind those of the pixels to come. */
static void pixels_widen(uint16_t *pixels, const struct header *header)
{
    for (uint32_t y = 0; y < header->height; y++, pixels += header->width) {
        const uint8_t *bytes = (const uint8_t *)pixels;

        for (size_t x = header->width; x-- > 0;)
            pixels[x] =
                (uint16_t)(header->depth == 8 ? bytes[x] * 257 : bytes[2 * x] << 8 | bytes[2 * x + 1]);
    }
}

enum tr_status tr_resource_open_image(struct tr_resource *resource, struct tr_error *error)
{
    struct decoder decoder = {.file = {.bytes = resource->bytes, .size_bytes = resource->size_bytes}};
    const struct header *header = &decoder.header;
    enum tr_status status = header_read(resource, &decoder.header, error);

    if (status == TR_OK)
        status = header_check(header, resource->size_bytes, error);
    if (status == TR_OK)
        status = decoder_init(&decoder, error);
    if (status == TR_OK && !decoder_start(&decoder))
        status = decoder_fail(&decoder, error);
    if (status == TR_OK && png_get_valid(decoder.png, decoder.info, PNG_INFO_tRNS))
        status = tr_fail(error, TR_BAD_INPUT, "an image must have no transparency, found a tRNS chunk");
    if (status == TR_OK) {
        decoder.pixels = tr_alloc((size_t)header->width * header->height, sizeof *decoder.pixels, error);
        if (!decoder.pixels)
            status = TR_IO;
    }
    if (status == TR_OK && !decoder_finish(&decoder))
        status = decoder_fail(&decoder, error);
    if (status == TR_OK) {
        pixels_widen(decoder.pixels, header);
        free(resource->pixels);
        resource->pixels = decoder.pixels;
        resource->width = header->width;
        resource->height = header->height;
        decoder.pixels = NULL;
    }
    decoder_release(&decoder);
    return status;
}

/* ---- halving ---- */

#define HALVINGS_MAX 12 /* what is left then is one pixel */
static_assert(TR_IMAGE_SIDE_MAX == 1 << HALVINGS_MAX, "no image can be halved more often");

static uint32_t half(uint32_t side)
{
    return side / 2 + side % 2;
}

/* `to` may be `from`: a pixel is written at or before the first of its four, which no later one needs. */
static void pixels_halve(const uint16_t *from, uint32_t width, uint32_t height, uint16_t *to)
{
    for (uint32_t y = 0; y < height; y += 2) {
        const uint16_t *above = from + (size_t)y * width, *below = y + 1 < height ? above + width : above;

        for (uint32_t x = 0; x < width; x += 2) {
            uint32_t right = x + 1 < width ? x + 1 : x;
            uint32_t sum = (uint32_t)above[x] + above[right] + below[x] + below[right];

            *to++ = (uint16_t)((sum + 2) / 4);
        }
    }
}

enum tr_status tr_image_halve(const struct tr_resource *image, uint32_t times, uint16_t **pixels,
                              uint32_t *width, uint32_t *height, struct tr_error *error)
{
    const size_t size = sizeof *image->pixels;

    *pixels = NULL;
    *width = image->width;
    *height = image->height;
    if (times == 0)
        return memory_copy(pixels, image->pixels, (size_t)*width * *height * size, error);
    *pixels = tr_alloc((size_t)half(*width) * half(*height), size, error);
    if (!*pixels)
        return TR_IO;
    for (uint32_t i = 0; i < times && i < HALVINGS_MAX; i++) {
        pixels_halve(i == 0 ? image->pixels : *pixels, *width, *height, *pixels);
        *width = half(*width);
        *height = half(*height);
    }
    return TR_OK;
}
