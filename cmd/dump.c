/* terrain dump: the samples of one chunk, for people and other programs.
 *
 * Samples come in the order in which they are stored: rows from north to south, each from west to east; a block's
 * layers from below. Only what the chunk owns is written: on the world's rim that is less than 64 x 64.
 *
 *   text    a line a row, aligned, after a line that begins with '#'
 *   csv     a line a sample, with its place
 *   json    one object
 *   raw     little-endian, nothing else: heights as int32, samples of a block as int16, both in 1/256 voxel; paint as
 *           uint8
 *   png16   heights in 16-bit grey, the lowest 0 and the highest 65535; which those are is said on standard error */
#include "cmd/common.h"
#include "lib/base/bytes.h"
#include "lib/base/json.h"
#include "lib/run/probe.h"
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FORMATS "text|csv|json|raw|png16"

static const struct tr_option options[] = {
    {"--output", 'o', TR_OPTION_TEXT, "FILE", 0, 0,
     "where the result goes; standard output when not given, but for raw and png16"},
    TR_OPTION_FORCE,
    {"--format", 0, TR_OPTION_CHOICE, FORMATS, 0, 0,
     "by the end of the output's name when not given, else text"},
    {"--block", 0, TR_OPTION_WHOLE, "CY", TR_BLOCK_ROW_MIN, TR_BLOCK_ROW_MAX,
     "the signed distances of the block in this row instead of the heights"},
    {"--paint", 0, TR_OPTION_FLAG, NULL, 0, 0,
     "the material ids of the columns, or with --block of its samples, instead; 0 where there is none"},
    TR_OPTION_JSON,
    TR_OPTION_END,
};

/* What is dumped: a block, or the heights where samples is NULL; or the paint of either. */
struct dump {
    const struct tr_world_info *info;
    const struct tr_chunk *chunk;
    int32_t cy;
    const int16_t *samples;
    bool is_paint;
    const uint8_t *paint; /* NULL: all 0 */
    struct tr_writer out;
};

typedef enum tr_status dump_function(struct dump *dump, struct tr_error *error);

static int layer_count(const struct dump *dump)
{
    return dump->samples ? TR_CHUNK : 1;
}

/* In units; of paint the material id. */
static int32_t value_at(const struct dump *dump, uint32_t x, int y, uint32_t z)
{
    size_t at = tr_block_index(x, y, z);
    if (dump->is_paint)
        return dump->paint ? dump->paint[at] : 0;
    return dump->samples ? dump->samples[at] : dump->chunk->heights[at];
}

/* In metres for heights, in voxels for a block. */
static double shown_at(const struct dump *dump, uint32_t x, int y, uint32_t z)
{
    int32_t value = value_at(dump, x, y, z);
    if (dump->is_paint)
        return value;
    return value * (dump->samples ? 1.0 : dump->info->voxel_size) / TR_UNITS;
}

/* Digits behind the point in text. */
static int decimals(const struct dump *dump)
{
    return dump->is_paint ? 0 : 3;
}

/* A number that reads back as the same. */
static void write_number(struct dump *dump, double number)
{
    char text[32];
    int length = tr_number_text(number, text);
    tr_write_bytes(&dump->out, text, (size_t)length);
}

/* ---- text ---- */

/* Characters of the widest value. */
static int widest(const struct dump *dump)
{
    int width = 0;
    for (int y = 0; y < layer_count(dump); y++)
        for (uint32_t z = 0; z < dump->chunk->size_z; z++)
            for (uint32_t x = 0; x < dump->chunk->size_x; x++) {
                int length = snprintf(NULL, 0, "%.*f", decimals(dump), shown_at(dump, x, y, z));
                width = length > width ? length : width;
            }
    return width;
}

/* The line above a layer. */
static void write_title(struct dump *dump, int y)
{
    const struct tr_chunk *chunk = dump->chunk;
    tr_write_text(&dump->out, "# chunk %d,%d, ", chunk->cx, chunk->cz);
    if (dump->samples)
        tr_write_text(&dump->out, "%s at y = %d%s\n", dump->is_paint ? "material ids" : "signed distances",
                      dump->cy * TR_CHUNK + y, dump->is_paint ? "" : " in voxels");
    else
        tr_write_text(&dump->out, "%s\n", dump->is_paint ? "material ids" : "heights in metres");
}

static enum tr_status dump_text(struct dump *dump, struct tr_error *error)
{
    const struct tr_chunk *chunk = dump->chunk;
    int width = widest(dump);
    (void)error;
    for (int y = 0; y < layer_count(dump); y++) {
        write_title(dump, y);
        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++)
                tr_write_text(&dump->out, "%*.*f%s", width, decimals(dump), shown_at(dump, x, y, z),
                              x + 1 < chunk->size_x ? " " : "\n");
    }
    return TR_OK;
}

/* ---- csv ---- */

static enum tr_status dump_csv(struct dump *dump, struct tr_error *error)
{
    const struct tr_chunk *chunk = dump->chunk;
    int32_t x0 = chunk->cx * TR_CHUNK, y0 = dump->cy * TR_CHUNK, z0 = chunk->cz * TR_CHUNK;
    (void)error;
    tr_write_text(&dump->out, "%s,%s\n", dump->samples ? "x_voxels,y_voxels,z_voxels" : "x_m,z_m",
                  dump->is_paint  ? "material"
                  : dump->samples ? "sdf_voxels"
                                  : "height_m");
    for (int y = 0; y < layer_count(dump); y++)
        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++) {
                if (dump->samples) {
                    tr_write_text(&dump->out, "%d,%d,%d,", x0 + (int32_t)x, y0 + y, z0 + (int32_t)z);
                } else {
                    write_number(dump, (x0 + (int32_t)x) * dump->info->voxel_size);
                    tr_write_bytes(&dump->out, ",", 1);
                    write_number(dump, (z0 + (int32_t)z) * dump->info->voxel_size);
                    tr_write_bytes(&dump->out, ",", 1);
                }
                write_number(dump, shown_at(dump, x, y, z));
                tr_write_bytes(&dump->out, "\n", 1);
            }
    return TR_OK;
}

/* ---- json ---- */

static enum tr_status dump_json(struct dump *dump, struct tr_error *error)
{
    const struct tr_chunk *chunk = dump->chunk;
    (void)error;
    tr_write_text(&dump->out, "{\"cx\":%d,\"cz\":%d,", chunk->cx, chunk->cz);
    if (dump->samples)
        tr_write_text(&dump->out, "\"cy\":%d,\"size\":[%u,%d,%u],", dump->cy, chunk->size_x, TR_CHUNK,
                      chunk->size_z);
    else
        tr_write_text(&dump->out, "\"size\":[%u,%u],", chunk->size_x, chunk->size_z);
    tr_write_text(&dump->out, "\"%s\":[",
                  dump->is_paint  ? "materials"
                  : dump->samples ? "sdf_voxels"
                                  : "heights_m");
    for (int y = 0; y < layer_count(dump); y++)
        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++) {
                if (x || y || z)
                    tr_write_bytes(&dump->out, ",", 1);
                write_number(dump, shown_at(dump, x, y, z));
            }
    tr_write_text(&dump->out, "]}\n");
    return TR_OK;
}

/* ---- raw ---- */

static enum tr_status dump_raw(struct dump *dump, struct tr_error *error)
{
    (void)error;
    for (int y = 0; y < layer_count(dump); y++)
        for (uint32_t z = 0; z < dump->chunk->size_z; z++)
            for (uint32_t x = 0; x < dump->chunk->size_x; x++) {
                if (dump->is_paint)
                    tr_write_u8(&dump->out, (uint8_t)value_at(dump, x, y, z));
                else if (dump->samples)
                    tr_write_u16(&dump->out, (uint16_t)value_at(dump, x, y, z));
                else
                    tr_write_i32(&dump->out, value_at(dump, x, y, z));
            }
    return TR_OK;
}

/* ---- png ---- */

/* The lowest height becomes 0 and the highest 65535; rows of big-endian 16 bits, as PNG has them. */
static void scale_heights(const struct tr_chunk *chunk, uint8_t grey[TR_CHUNK_SAMPLES * 2])
{
    int32_t lowest, highest;
    tr_chunk_height_range(chunk, &lowest, &highest);
    int64_t range = (int64_t)highest - lowest;
    for (uint32_t z = 0; z < chunk->size_z; z++)
        for (uint32_t x = 0; x < chunk->size_x; x++) {
            int64_t above = (int64_t)chunk->heights[z * TR_CHUNK + x] - lowest;
            int64_t value = range ? (above * 65535 + range / 2) / range : 0;
            uint8_t *pixel = grey + (z * chunk->size_x + x) * 2;
            pixel[0] = (uint8_t)(value >> 8);
            pixel[1] = (uint8_t)value;
        }
}

static void png_to_writer(png_structp png, png_bytep bytes, png_size_t size_bytes)
{
    tr_write_bytes(png_get_io_ptr(png), bytes, size_bytes);
}

static void png_flush_nothing(png_structp png)
{
    (void)png;
}

static void png_say_nothing(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* libpng leaves by a jump when it fails; nothing here that is read afterwards changes meanwhile. */
static enum tr_status dump_png(struct dump *dump, struct tr_error *error)
{
    const struct tr_chunk *chunk = dump->chunk;
    uint8_t grey[TR_CHUNK_SAMPLES * 2];
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, png_say_nothing);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, NULL);
        return tr_fail(error, TR_IO, "libpng failed to write the picture");
    }
    scale_heights(chunk, grey);
    png_set_write_fn(png, &dump->out, png_to_writer, png_flush_nothing);
    png_set_IHDR(png, info, chunk->size_x, chunk->size_z, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t z = 0; z < chunk->size_z; z++)
        png_write_row(png, grey + z * chunk->size_x * 2);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return TR_OK;
}

static void say_range(const struct dump *dump)
{
    double metres = dump->info->voxel_size / TR_UNITS;
    char lo[32], hi[32];
    int32_t lowest, highest;
    tr_chunk_height_range(dump->chunk, &lowest, &highest);
    tr_number_text(lowest * metres, lo);
    tr_number_text(highest * metres, hi);
    fprintf(stderr, "{\"lowest_m\":%s,\"highest_m\":%s}\n", lo, hi);
}

/* ---- the command ---- */

static const struct format {
    const char *name;
    const char *extension; /* of files that hold it */
    dump_function *write;
    bool is_binary;
    const char *what; /* for messages */
} formats[] = {
    {"text", "txt", dump_text, false, "text"},        {"csv", "csv", dump_csv, false, "CSV"},
    {"json", "json", dump_json, false, "JSON"},       {"raw", "raw", dump_raw, true, "raw samples"},
    {"png16", "png", dump_png, true, "PNG pictures"},
};
#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

/* By --json, --format or the output's name; text when nothing says another. */
static const struct format *find_format(const struct tr_call *call)
{
    const char *name = tr_call_has(call, "--json") ? "json" : tr_call_text(call, "--format", NULL);
    const char *dot = strrchr(tr_call_text(call, "--output", ""), '.');
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (name ? strcmp(name, formats[i].name) == 0 : dot && strcasecmp(dot + 1, formats[i].extension) == 0)
            return &formats[i];
    return &formats[0];
}

static enum tr_status check_call(const struct tr_call *call, const struct format *format, const char **out,
                                 struct tr_error *error)
{
    enum tr_status status = TR_OK;
    *out = NULL;
    if (tr_call_has(call, "--json") && tr_call_has(call, "--format"))
        return tr_fail(error, TR_USAGE, "--json and --format exclude each other");
    if (format->write == dump_png && tr_call_has(call, "--block"))
        return tr_fail(error, TR_USAGE,
                       "a block is no picture, expected text, csv, json or raw with --block");
    if (format->write == dump_png && tr_call_has(call, "--paint"))
        return tr_fail(error, TR_USAGE, "paint is no picture, expected text, csv, json or raw with --paint");
    if (format->is_binary || tr_call_has(call, "--output"))
        status = tr_need_output(call, out, error);
    if (status == TR_OK && *out)
        status = tr_check_extension(call, *out, format->extension, format->what, error);
    return status;
}

static enum tr_status parse_chunk(const struct tr_call *call, int32_t *cx, int32_t *cz,
                                  struct tr_error *error)
{
    double point[2];
    if (tr_parse_point(call->arguments[1], point, 2) != 2 || !(point[0] >= -TR_CHUNK_INDEX_MAX) ||
        !(point[0] <= TR_CHUNK_INDEX_MAX) || !(point[1] >= -TR_CHUNK_INDEX_MAX) ||
        !(point[1] <= TR_CHUNK_INDEX_MAX) || point[0] != (int32_t)point[0] || point[1] != (int32_t)point[1])
        return tr_fail(error, TR_USAGE, "the chunk is '%s', expected CX,CZ, as in `terrain ls`",
                       call->arguments[1]);
    *cx = (int32_t)point[0];
    *cz = (int32_t)point[1];
    return TR_OK;
}

static enum tr_status choose_what(const struct tr_call *call, struct dump *dump, struct tr_error *error)
{
    const struct tr_chunk *chunk = dump->chunk;
    dump->is_paint = tr_call_has(call, "--paint");
    dump->paint = chunk->paint;
    if (!tr_call_has(call, "--block"))
        return TR_OK;
    dump->cy = (int32_t)tr_call_number(call, "--block", 0);
    dump->samples = tr_chunk_block(chunk, dump->cy);
    dump->paint = tr_chunk_block_paint(chunk, dump->cy);
    if (dump->samples)
        return TR_OK;
    if (chunk->block_count == 0)
        return tr_fail(error, TR_BAD_INPUT, "chunk %d,%d stores no blocks, its ground is its heights alone",
                       chunk->cx, chunk->cz);
    return tr_fail(error, TR_BAD_INPUT,
                   "chunk %d,%d stores no block in row %d, expected one of its %zu from %d to %d", chunk->cx,
                   chunk->cz, dump->cy, chunk->block_count, chunk->blocks[0].cy,
                   chunk->blocks[chunk->block_count - 1].cy);
}

static enum tr_status deliver(const struct tr_call *call, const struct dump *dump, const char *out,
                              struct tr_error *error)
{
    if (dump->out.failed)
        return tr_fail(error, TR_IO, "out of memory");
    if (out)
        return tr_file_write(out, dump->out.bytes, dump->out.size_bytes, 0644, tr_call_has(call, "--force"),
                             error);
    fwrite(dump->out.bytes, 1, dump->out.size_bytes, stdout);
    return TR_OK;
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    const struct format *format = find_format(call);
    const char *out;
    int32_t cx = 0, cz = 0;
    struct tr_world *world = NULL;
    struct tr_chunk chunk = {0};
    struct dump dump = {.chunk = &chunk};
    enum tr_status status = check_call(call, format, &out, error);
    if (status == TR_OK)
        status = parse_chunk(call, &cx, &cz, error);
    if (status == TR_OK)
        status = tr_world_open(call->arguments[0], &world, error);
    if (status == TR_OK) {
        dump.info = &world->info;
        status = tr_world_read_chunk(world, cx, cz, &chunk, error);
    }
    if (status == TR_OK)
        status = choose_what(call, &dump, error);
    if (status == TR_OK)
        status = format->write(&dump, error);
    if (status == TR_OK)
        status = deliver(call, &dump, out, error);
    if (status == TR_OK && format->write == dump_png)
        say_range(&dump);
    tr_writer_release(&dump.out);
    tr_chunk_release(&chunk);
    tr_world_close(world);
    return status;
}

const struct tr_command tr_command_dump = {
    .name = "dump",
    .usage = "WORLD CX,CZ [-o FILE]",
    .summary = "write out the samples of a chunk",
    .about =
        "Heights are in metres, a block's signed distances in voxels; rows run from north to south, "
        "each from west\n"
        "to east, a block's layers from below. raw is little-endian, in 1/256 voxel: heights int32, a "
        "block's\n"
        "samples int16, material ids uint8. png16 is grey, its lowest height 0 and its highest 65535; both "
        "are\n"
        "said in metres on standard error. The material of a block's sample is its own id, or its "
        "column's where\n"
        "that is 0.",
    .examples = "  terrain dump world 2,4\n  terrain dump world 2,4 -o heights.png\n  terrain dump edited "
                "5,8 --block 2 -o "
                "block.csv\n  terrain dump edited 5,8 --paint",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
