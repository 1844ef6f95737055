/* Elevation from an Esri ASCII grid: parsing, and resampling to voxels.
 *
 * The format is the one ESRI documents for ASCIIToRaster: header lines "key value" in any case and order,
 * then the heights, northernmost row first, separated by blanks or line ends. xllcorner is the outer corner
 * of the south-west cell, xllcenter its middle; a height is taken as a point in the middle of its cell.
 *
 * What the header claims takes no memory: room is made for as many heights as the rest of the text can hold,
 * two bytes each. Rows and columns in messages count from 1. */
#include "lib/gen/dem.h"

#include "lib/base/alloc.h"
#include "lib/base/json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* --- text --- */

#define SHOWN_BYTES_MAX 40 /* of a token, in messages */

struct token {
    const char *text; /* NULL at the end */
    size_t size_bytes;
    int line;
};

struct scanner {
    const char *text, *end;
    const char *name;
    int line;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct token token_next(struct scanner *scanner)
{
    struct token token = {0};

    while (scanner->text < scanner->end && is_blank(*scanner->text))
        scanner->line += *scanner->text++ == '\n';
    token.line = scanner->line;
    if (scanner->text == scanner->end)
        return token;
    token.text = scanner->text;
    while (scanner->text < scanner->end && !is_blank(*scanner->text))
        scanner->text++;
    token.size_bytes = (size_t)(scanner->text - token.text);
    return token;
}

static int token_shown_bytes(struct token token)
{
    return token.size_bytes < SHOWN_BYTES_MAX ? (int)token.size_bytes : SHOWN_BYTES_MAX;
}

static bool token_is(struct token token, const char *word)
{
    return token.size_bytes == strlen(word) && strncasecmp(token.text, word, token.size_bytes) == 0;
}

/* "nan", "inf", "infinity", with or without a sign: what other programs write for what is no height. */
static bool token_is_not_finite(struct token token)
{
    if (token.size_bytes > 0 && (*token.text == '-' || *token.text == '+')) {
        token.text++;
        token.size_bytes--;
    }
    return token_is(token, "nan") || token_is(token, "inf") || token_is(token, "infinity");
}

/* Whether the heights begin here: no header key looks like a number. */
static bool token_begins_heights(struct token token)
{
    return (*token.text >= '0' && *token.text <= '9') || *token.text == '-' || *token.text == '+' ||
           *token.text == '.' || token_is_not_finite(token);
}

/* --- header --- */

enum header_key {
    NCOLS,
    NROWS,
    XLLCORNER,
    XLLCENTER,
    YLLCORNER,
    YLLCENTER,
    CELLSIZE,
    DX,
    DY,
    NODATA,
    KEY_COUNT
};

static const char *const key_names[KEY_COUNT] = {"ncols",     "nrows",       "xllcorner", "xllcenter",
                                                 "yllcorner", "yllcenter",   "cellsize",  "dx",
                                                 "dy",        "nodata_value"};

struct header {
    bool has[KEY_COUNT];
    double value[KEY_COUNT];
    int line[KEY_COUNT];
};

static enum tr_status header_add(struct header *header, const struct scanner *scanner, struct token key,
                                 struct token value, struct tr_error *error)
{
    int i = 0;

    while (i < KEY_COUNT && !token_is(key, key_names[i]))
        i++;
    if (i == KEY_COUNT)
        return tr_fail(error, TR_BAD_INPUT,
                       "%s:%d: header key '%.*s' is unknown, expected ncols, nrows, xllcorner or xllcenter, "
                       "yllcorner or "
                       "yllcenter, cellsize, nodata_value or a height",
                       scanner->name, key.line, token_shown_bytes(key), key.text);
    if (header->has[i])
        return tr_fail(error, TR_BAD_INPUT, "%s:%d: '%s' stands twice, first on line %d", scanner->name,
                       key.line, key_names[i], header->line[i]);
    if (!value.text)
        return tr_fail(error, TR_BAD_INPUT, "%s:%d: '%s' has no value, expected a number", scanner->name,
                       key.line, key_names[i]);
    header->line[i] = key.line;
    if (i == NODATA && token_is_not_finite(value))
        return TR_OK; /* no height equals it: one that is not finite is refused as such */
    if (!tr_number_parse(value.text, value.size_bytes, &header->value[i]))
        return tr_fail(error, TR_BAD_INPUT, "%s:%d: '%s' is '%.*s', expected a number", scanner->name,
                       value.line, key_names[i], token_shown_bytes(value), value.text);
    header->has[i] = true;
    return TR_OK;
}

/* Reads keys up to the first height, which *first receives (or the end of the text). */
static enum tr_status header_read(struct header *header, struct scanner *scanner, struct token *first,
                                  struct tr_error *error)
{
    for (;;) {
        struct token key = token_next(scanner);
        enum tr_status status;
        if (!key.text || token_begins_heights(key)) {
            *first = key;
            return TR_OK;
        }
        status = header_add(header, scanner, key, token_next(scanner), error);
        if (status != TR_OK)
            return status;
    }
}

static enum tr_status header_side(const struct header *header, enum header_key key, const char *name,
                                  uint32_t *side, struct tr_error *error)
{
    double value = header->value[key];

    if (!header->has[key])
        return tr_fail(error, TR_BAD_INPUT, "%s: header has no '%s'", name, key_names[key]);
    if (!(value >= 1.0 && value <= TR_DEM_SIDE_MAX) || value != floor(value))
        return tr_fail(error, TR_BAD_INPUT, "%s:%d: '%s' is %.17g, expected a whole number from 1 to %d",
                       name, header->line[key], key_names[key], value, TR_DEM_SIDE_MAX);
    *side = (uint32_t)value;
    return TR_OK;
}

static enum tr_status header_cell_size(const struct header *header, const char *name, double *cell_size,
                                       struct tr_error *error)
{
    enum header_key key = CELLSIZE;

    if (header->has[DX] || header->has[DY]) {
        key = DX;
        if (header->has[CELLSIZE])
            return tr_fail(error, TR_BAD_INPUT,
                           "%s:%d: 'dx' or 'dy' stands beside 'cellsize', expected one or the other", name,
                           header->line[header->has[DX] ? DX : DY]);
        if (!header->has[DX] || !header->has[DY])
            return tr_fail(error, TR_BAD_INPUT,
                           "%s:%d: header has only one of 'dx' and 'dy', expected 'cellsize'", name,
                           header->line[header->has[DX] ? DX : DY]);
        if (header->value[DX] != header->value[DY])
            return tr_fail(error, TR_BAD_INPUT,
                           "%s:%d: cells of 'dx' %.17g by 'dy' %.17g are not square, expected 'cellsize'",
                           name, header->line[DY], header->value[DX], header->value[DY]);
    }
    if (!header->has[key])
        return tr_fail(error, TR_BAD_INPUT, "%s: header has no 'cellsize'", name);
    if (!(header->value[key] > 0.0))
        return tr_fail(error, TR_BAD_INPUT, "%s:%d: '%s' is %.17g, expected more than 0", name,
                       header->line[key], key_names[key], header->value[key]);
    *cell_size = header->value[key];
    return TR_OK;
}

/* The map coordinate of the south-west height along one axis, whose corner key is `corner` and centre key
 * `corner + 1`. */
static enum tr_status header_place(const struct header *header, enum header_key corner, const char *name,
                                   double cell_size, double *place, struct tr_error *error)
{
    enum header_key centre = corner + 1;

    if (header->has[corner] && header->has[centre])
        return tr_fail(error, TR_BAD_INPUT, "%s:%d: '%s' stands beside '%s', expected one or the other", name,
                       header->line[centre], key_names[centre], key_names[corner]);
    if (!header->has[corner] && !header->has[centre])
        return tr_fail(error, TR_BAD_INPUT, "%s: header has no '%s' or '%s'", name, key_names[corner],
                       key_names[centre]);
    *place = header->has[centre] ? header->value[centre] : header->value[corner] + 0.5 * cell_size;
    return TR_OK;
}

static enum tr_status header_check(const struct header *header, const char *name, struct tr_dem *dem,
                                   struct tr_error *error)
{
    enum tr_status status;
    double south = 0.0;

    if ((status = header_side(header, NCOLS, name, &dem->columns, error)) != TR_OK ||
        (status = header_side(header, NROWS, name, &dem->rows, error)) != TR_OK ||
        (status = header_cell_size(header, name, &dem->cell_size, error)) != TR_OK ||
        (status = header_place(header, XLLCORNER, name, dem->cell_size, &dem->west, error)) != TR_OK ||
        (status = header_place(header, YLLCORNER, name, dem->cell_size, &south, error)) != TR_OK)
        return status;
    dem->north = south + (dem->rows - 1) * dem->cell_size;
    if (!isfinite(dem->west) || !isfinite(dem->north) || !isfinite(dem->cell_size * TR_DEM_SIDE_MAX))
        return tr_fail(error, TR_BAD_INPUT,
                       "%s: 'cellsize' %.17g and the map coordinates lead beyond all numbers", name,
                       dem->cell_size);
    if ((uint64_t)dem->columns * dem->rows > TR_DEM_BYTES_MAX / sizeof *dem->heights)
        return tr_fail(error, TR_BAD_INPUT, "%s:%d: %u columns by %u rows, expected at most %u heights", name,
                       header->line[NROWS], dem->columns, dem->rows,
                       (unsigned)(TR_DEM_BYTES_MAX / sizeof *dem->heights));
    return TR_OK;
}

/* --- heights --- */

/* Rounds to float; false where that would be infinite. */
static bool float_from_double(double value, float *out)
{
    static const double limit = (double)FLT_MAX + 0x1p103; /* halfway to the next one, were there one */
    if (!(value < limit && value > -limit))
        return false;
    *out = (float)value;
    return true;
}

/* Heights that stand for none, as met so far. */
#define NODATA_DEFAULT (-9999.0) /* what the format means where a header says nothing */

struct nodata {
    bool declared;
    float value; /* compared as floats: writers print the same -3.4e38 with different numbers of digits */
    uint64_t count;
    uint64_t first_index;
    int first_line;
};

static enum tr_status height_parse(const struct scanner *scanner, struct token token, uint64_t index,
                                   const struct tr_dem *dem, struct nodata *nodata, float *height,
                                   struct tr_error *error)
{
    double value;

    if (!tr_number_parse(token.text, token.size_bytes, &value) || !float_from_double(value, height))
        return tr_fail(
            error, TR_BAD_INPUT, "%s:%d: height is '%.*s' at row %llu column %llu, expected a number",
            scanner->name, token.line, token_shown_bytes(token), token.text,
            (unsigned long long)(index / dem->columns + 1), (unsigned long long)(index % dem->columns + 1));
    if (nodata->declared && *height == nodata->value) {
        if (nodata->count++ == 0) {
            nodata->first_index = index;
            nodata->first_line = token.line;
        }
    }
    return TR_OK;
}

static enum tr_status heights_read(struct scanner *scanner, struct token token, struct tr_dem *dem,
                                   struct nodata *nodata, struct tr_error *error)
{
    uint64_t expected = (uint64_t)dem->columns * dem->rows;
    /* of the heights behind this one each takes a blank and a digit at least */
    uint64_t possible = 1 + (uint64_t)(scanner->end - scanner->text) / 2;
    uint64_t count = 0;

    dem->heights = tr_alloc((size_t)(expected < possible ? expected : possible), sizeof *dem->heights, error);
    if (!dem->heights)
        return TR_IO;
    for (; token.text && count < expected; token = token_next(scanner), count++) {
        enum tr_status status = height_parse(scanner, token, count, dem, nodata, &dem->heights[count], error);
        if (status != TR_OK)
            return status;
    }
    if (count < expected)
        return tr_fail(
            error, TR_BAD_INPUT,
            "%s:%d: the text ends after %llu heights, in row %llu; expected %llu (%u columns by %u rows)",
            scanner->name, token.line, (unsigned long long)count,
            (unsigned long long)(count / dem->columns + 1), (unsigned long long)expected, dem->columns,
            dem->rows);
    if (token.text)
        return tr_fail(error, TR_BAD_INPUT,
                       "%s:%d: '%.*s' behind the last height, expected the end after %u columns by %u rows",
                       scanner->name, token.line, token_shown_bytes(token), token.text, dem->columns,
                       dem->rows);
    return TR_OK;
}

enum tr_status tr_dem_parse(const char *text, size_t size_bytes, const char *name, struct tr_dem *dem,
                            struct tr_error *error)
{
    struct scanner scanner = {text, text + size_bytes, name, 1};
    struct header header = {0};
    struct nodata nodata = {0};
    struct token first;
    enum tr_status status;

    *dem = (struct tr_dem){0};
    status = header_read(&header, &scanner, &first, error);
    if (status == TR_OK)
        status = header_check(&header, name, dem, error);
    if (status == TR_OK) {
        nodata.declared =
            float_from_double(header.has[NODATA] ? header.value[NODATA] : NODATA_DEFAULT, &nodata.value);
        status = heights_read(&scanner, first, dem, &nodata, error);
    }
    if (status == TR_OK && nodata.count > 0)
        status = tr_fail(
            error, TR_BAD_INPUT,
            "%s:%d: %llu height%s no-data (%.9g), the first at row %llu column %llu; expected none", name,
            nodata.first_line, (unsigned long long)nodata.count, nodata.count == 1 ? " is" : "s are",
            (double)nodata.value, (unsigned long long)(nodata.first_index / dem->columns + 1),
            (unsigned long long)(nodata.first_index % dem->columns + 1));
    if (status != TR_OK)
        tr_dem_release(dem);
    return status;
}

void tr_dem_release(struct tr_dem *dem)
{
    free(dem->heights);
    *dem = (struct tr_dem){0};
}

/* --- world --- */

/* Samples along one side: those from the first height to the last. The millionth of a voxel is for voxel
 * sizes like 0.1 that a double does not hold exactly. Fails beyond the largest world. */
static bool samples_along(uint32_t heights, double cell_size, double voxel_size, int64_t *samples)
{
    double span = (heights - 1) * cell_size / voxel_size + 1e-6;
    if (!(span < (double)TR_CHUNK_INDEX_MAX * TR_CHUNK))
        return false;
    *samples = (int64_t)floor(span) + 1;
    return true;
}

static int32_t chunks_for(int64_t samples)
{
    int64_t chunks = (samples - 1 + TR_CHUNK - 1) / TR_CHUNK;
    return chunks < 1 ? 1 : (int32_t)chunks;
}

/* Refuses heights that voxels of this size cannot express. */
static enum tr_status heights_check(const struct tr_dem *dem, double voxel_size, const char *name,
                                    struct tr_error *error)
{
    double limit_m = (double)TR_HEIGHT_MAX / TR_UNITS * voxel_size;

    for (size_t i = 0; i < (size_t)dem->columns * dem->rows; i++) {
        double height = (double)dem->heights[i];
        if (height > limit_m || height < -limit_m)
            return tr_fail(error, TR_BAD_INPUT,
                           "%s: height %.9g m at row %zu column %zu, expected at most %.9g m up or down at a "
                           "voxel size of "
                           "%.9g m",
                           name, height, i / dem->columns + 1, i % dem->columns + 1, limit_m, voxel_size);
    }
    return TR_OK;
}

enum tr_status tr_dem_world_info(const struct tr_dem *dem, double voxel_size, const char *name,
                                 struct tr_world_info *info, struct tr_error *error)
{
    int64_t samples_x, samples_z;
    enum tr_status status;

    *info = (struct tr_world_info){0};
    if (!(voxel_size > 0.0) || !isfinite(voxel_size))
        return tr_fail(error, TR_BAD_INPUT, "voxel size %.9g m, expected more than 0", voxel_size);
    if (!samples_along(dem->columns, dem->cell_size, voxel_size, &samples_x) ||
        !samples_along(dem->rows, dem->cell_size, voxel_size, &samples_z))
        return tr_fail(
            error, TR_BAD_INPUT,
            "%s: %u by %u heights %.9g m apart at a voxel size of %.9g m, expected at most %d chunks a side",
            name, dem->columns, dem->rows, dem->cell_size, voxel_size, TR_CHUNK_INDEX_MAX);
    if (samples_x == 1 && samples_z == 1 && (dem->columns > 1 || dem->rows > 1))
        return tr_fail(error, TR_BAD_INPUT,
                       "%s: %u by %u heights %.9g m apart lie within one voxel of %.9g m, expected a cell "
                       "size in metres (not "
                       "degrees)",
                       name, dem->columns, dem->rows, dem->cell_size, voxel_size);
    status = heights_check(dem, voxel_size, name, error);
    if (status != TR_OK)
        return status;

    info->size_x = chunks_for(samples_x);
    info->size_z = chunks_for(samples_z);
    info->voxel_size = voxel_size;
    info->extent[2] = (double)(samples_x - 1);
    info->extent[3] = (double)(samples_z - 1);
    info->has_georeference = true;
    info->origin_easting = dem->west;
    info->origin_northing = dem->north;
    snprintf(info->source, sizeof info->source, "Esri ASCII grid of %u x %u heights, %.9g m apart",
             dem->columns, dem->rows, dem->cell_size);
    return TR_OK;
}

/* --- resampling --- */

/* The heights along one axis that a sample is made from, and the weight of each. */
struct taps {
    uint32_t at[4];
    double weight[4];
};

static uint32_t index_clamp(int64_t i, uint32_t count)
{
    return i < 0 ? 0 : (i >= count ? count - 1 : (uint32_t)i);
}

/* Of the sample at `place`, in heights from the first of `count`. Nearest takes the farther one at a tie.
 * Cubic is Catmull and Rom's 1974 spline; at a height itself its weights are exactly 0, 1, 0, 0. */
static struct taps taps_at(double place, uint32_t count, enum tr_dem_filter filter)
{
    struct taps taps = {0};
    double below, t;

    place = place < 0.0 ? 0.0 : (place > count - 1 ? count - 1 : place);
    below = floor(place);
    t = place - below;
    for (int i = 0; i < 4; i++)
        taps.at[i] = index_clamp((int64_t)below + i - 1, count);
    switch (filter) {
    case TR_DEM_NEAREST:
        taps.weight[t < 0.5 ? 1 : 2] = 1.0;
        break;
    case TR_DEM_BILINEAR:
        taps.weight[1] = 1.0 - t;
        taps.weight[2] = t;
        break;
    case TR_DEM_CUBIC:
        taps.weight[0] = 0.5 * t * ((2.0 - t) * t - 1.0);
        taps.weight[1] = 0.5 * ((3.0 * t - 5.0) * t * t + 2.0);
        taps.weight[2] = 0.5 * t * ((4.0 - 3.0 * t) * t + 1.0);
        taps.weight[3] = 0.5 * t * t * (t - 1.0);
        break;
    }
    return taps;
}

static double height_at(const struct tr_dem *dem, const struct taps *column, const struct taps *row)
{
    double sum = 0.0;

    for (int j = 0; j < 4; j++) {
        const float *heights = dem->heights + (size_t)row->at[j] * dem->columns;
        double along = 0.0;
        for (int i = 0; i < 4; i++)
            along += column->weight[i] * (double)heights[column->at[i]];
        sum += row->weight[j] * along;
    }
    return sum;
}

void tr_dem_fill(const struct tr_dem *dem, double voxel_size, enum tr_dem_filter filter, int64_t x, int64_t z,
                 int32_t *heights)
{
    struct taps columns[TR_CHUNK];

    for (int i = 0; i < TR_CHUNK; i++)
        columns[i] = taps_at((double)(x + i) * voxel_size / dem->cell_size, dem->columns, filter);
    for (int j = 0; j < TR_CHUNK; j++) {
        struct taps row = taps_at((double)(z + j) * voxel_size / dem->cell_size, dem->rows, filter);
        for (int i = 0; i < TR_CHUNK; i++) {
            double height_m = height_at(dem, &columns[i], &row);
            heights[j * TR_CHUNK + i] = tr_units_from_voxels(height_m / voxel_size, TR_HEIGHT_MAX);
        }
    }
}
