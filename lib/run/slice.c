/* A vertical cut through the world, seen from the side.
 *
 *   range    chunk by chunk along the cut: the lowest and highest surface, which decide what is shown
 *   beyond   the land behind the cut, as far as few enough chunks reach: its skyline in some bands of
 *            distance
 *   cut      pixel columns: the field between the samples (trilinear) in pixels, and which air has ground
 *            above it
 *   caves    how far such air is from the open sky, along air (chamfer distance, Borgefors 1986): it darkens
 *            with it
 *   draw     rows: sky, strata by depth below the height field, the surface as a line of even width, a veil
 *            beyond the data
 *
 * Strata hang on the heights, not on the surface: carving shows them where they were, and a cave does not
 * bend them. One voxel has the same size in both directions, always. */
#include "lib/run/preview.h"

#include "lib/base/alloc.h"
#include "lib/run/column.h"
#include "lib/run/picture.h"
#include "lib/world/cache.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_SIDE 1000.0
#define PLOT_HEIGHT_MIN 250.0
#define CACHE_BYTES ((size_t)256 << 20)
#define COLUMNS_A_TASK 32
#define BEYOND_ROWS_MAX 16     /* chunks behind the cut whose land is seen, */
#define BEYOND_CHUNKS_MAX 4096 /* and all of them together */
#define BANDS 4                /* of distance behind the cut, each with a skyline */

struct surfaces {
    int32_t lowest, highest; /* units */
};

struct slice {
    struct tr_jobs *jobs;
    const struct tr_world *world;
    struct tr_cache *cache;
    struct tr_picture *picture;
    char axis;
    double at_m;
    double across;             /* where the cut is, voxels */
    double scale;              /* pixels a voxel */
    int64_t length, breadth;   /* of the world along the cut and across it, voxels: one sample more */
    struct surfaces *surfaces; /* of each chunk along the cut */
    int64_t beyond0, beyond1;  /* across: first and last sample seen behind the cut, rising or falling */
    float *skyline;            /* [band][sample along], voxels; NULL when no land is seen */
    double top, bottom;        /* what is shown, voxels */
    size_t width, height;      /* of the plot inside the picture, pixels */
    float *field;              /* pixels from the surface along y, negative in the ground */
    uint8_t *dark;             /* of air: way to the open sky, DARK_STEP a pixel, up to 255 */
    float *ground;             /* of each pixel column: the height field, voxels */
};

/* ---- which chunks ---- */

/* The sample at or before v and the one behind it, both in the world, and the part of the second. */
struct between {
    int64_t samples[2];
    double part;
};

static struct between between(double v, int64_t last)
{
    int64_t first = (int64_t)floor(v);

    first = first < 0 ? 0 : first > last ? last : first;
    return (struct between){{first, first < last ? first + 1 : last}, tr_clamp01(v - (double)first)};
}

/* Samples that count: the second only where its part is not 0. */
static int between_count(const struct between *b)
{
    return b->part > 0.0 && b->samples[1] != b->samples[0] ? 2 : 1;
}

static struct between slice_across(const struct slice *slice)
{
    return between(slice->across, slice->breadth);
}

static enum tr_status hold(const struct slice *slice, int64_t across, int64_t along,
                           const struct tr_chunk **chunk, struct tr_error *error)
{
    int32_t chunk_across = (int32_t)tr_floor_div(across, TR_CHUNK),
            chunk_along = (int32_t)tr_floor_div(along, TR_CHUNK);

    return slice->axis == 'x' ? tr_cache_hold(slice->cache, chunk_across, chunk_along, chunk, error)
                              : tr_cache_hold(slice->cache, chunk_along, chunk_across, chunk, error);
}

/* Place of a sample in its chunk. */
static void local_place(const struct slice *slice, int64_t across, int64_t along, int *x, int *z)
{
    int local_across = (int)tr_floor_mod(across, TR_CHUNK), local_along = (int)tr_floor_mod(along, TR_CHUNK);

    *x = slice->axis == 'x' ? local_across : local_along;
    *z = slice->axis == 'x' ? local_along : local_across;
}

static size_t chunks_along(const struct slice *slice)
{
    return (size_t)(slice->length / TR_CHUNK) + 1;
}

static size_t samples_along(const struct slice *slice)
{
    return (size_t)slice->length + 1;
}

/* The samples along the cut that the chunk of this index owns. */
static void chunk_span(const struct slice *slice, size_t index, int64_t *first, int64_t *last)
{
    *first = (int64_t)index * TR_CHUNK;
    *last = *first < slice->length ? *first + TR_CHUNK - 1 : *first;
}

/* ---- range ---- */

static enum tr_status range_chunk(void *context, size_t index, int job, struct tr_error *error)
{
    struct slice *slice = context;
    struct between across = slice_across(slice);
    struct surfaces found = {INT32_MAX, INT32_MIN};
    int64_t first, last;

    (void)job;
    chunk_span(slice, index, &first, &last);
    for (int plane = 0; plane < between_count(&across); plane++) {
        const struct tr_chunk *chunk;
        enum tr_status status = hold(slice, across.samples[plane], first, &chunk, error);

        if (status != TR_OK)
            return status;
        for (int64_t along = first; along <= last; along++) {
            struct tr_column column;
            int x, z;

            local_place(slice, across.samples[plane], along, &x, &z);
            tr_column_scan(chunk, x, z, &column);
            found.lowest = column.bottom < found.lowest ? column.bottom : found.lowest;
            found.highest = column.top > found.highest ? column.top : found.highest;
        }
        tr_cache_release(slice->cache, chunk);
    }
    slice->surfaces[index] = found;
    return TR_OK;
}

static enum tr_status find_range(struct slice *slice, struct tr_error *error)
{
    size_t chunks = chunks_along(slice);
    struct surfaces all = {INT32_MAX, INT32_MIN};
    enum tr_status status;

    slice->surfaces = tr_alloc(chunks, sizeof *slice->surfaces, error);
    if (!slice->surfaces)
        return TR_IO;
    status = tr_jobs_run(slice->jobs, chunks, range_chunk, slice, error);
    for (size_t i = 0; i < chunks && status == TR_OK; i++) {
        all.lowest = slice->surfaces[i].lowest < all.lowest ? slice->surfaces[i].lowest : all.lowest;
        all.highest = slice->surfaces[i].highest > all.highest ? slice->surfaces[i].highest : all.highest;
    }
    slice->bottom = (double)all.lowest / TR_UNITS;
    slice->top = (double)all.highest / TR_UNITS;
    return status;
}

/* ---- beyond ---- */

/* Marks the skylines of one chunk's samples. */
static void see_chunk(struct slice *slice, const struct tr_chunk *chunk, int64_t across0, int64_t across1,
                      int64_t first, int64_t last)
{
    int64_t reach = llabs(slice->beyond1 - slice->beyond0) + 1;

    for (int64_t across = across0; across <= across1; across++) {
        size_t band = (size_t)(llabs(across - slice->beyond0) * BANDS / reach);

        for (int64_t along = first; along <= last; along++) {
            float *skyline = slice->skyline + band * samples_along(slice) + along;
            struct tr_column column;
            int x, z;

            local_place(slice, across, along, &x, &z);
            tr_column_scan(chunk, x, z, &column);
            *skyline = fmaxf(*skyline, (float)column.top / TR_UNITS);
        }
    }
}

static enum tr_status see_beyond(void *context, size_t index, int job, struct tr_error *error)
{
    struct slice *slice = context;
    int64_t lo = slice->beyond0 < slice->beyond1 ? slice->beyond0 : slice->beyond1;
    int64_t hi = slice->beyond0 < slice->beyond1 ? slice->beyond1 : slice->beyond0;
    int64_t first, last;

    (void)job;
    chunk_span(slice, index, &first, &last);
    for (int64_t row = tr_floor_div(lo, TR_CHUNK); row <= tr_floor_div(hi, TR_CHUNK); row++) {
        int64_t across0 = row * TR_CHUNK > lo ? row * TR_CHUNK : lo;
        int64_t across1 = row * TR_CHUNK + TR_CHUNK - 1 < hi ? row * TR_CHUNK + TR_CHUNK - 1 : hi;
        const struct tr_chunk *chunk;
        enum tr_status status = hold(slice, across0, first, &chunk, error);

        if (status != TR_OK)
            return status;
        see_chunk(slice, chunk, across0, across1, first, last);
        tr_cache_release(slice->cache, chunk);
    }
    return TR_OK;
}

/* The cut along x is seen toward the east, the one along z toward the north. */
static enum tr_status find_skylines(struct slice *slice, struct tr_error *error)
{
    size_t chunks = chunks_along(slice), rows = BEYOND_CHUNKS_MAX / chunks,
           count = BANDS * samples_along(slice);
    int64_t reach = (int64_t)(rows < BEYOND_ROWS_MAX ? rows : BEYOND_ROWS_MAX) * TR_CHUNK, left;
    int toward = slice->axis == 'x' ? 1 : -1;

    slice->beyond0 =
        slice->axis == 'x' ? (int64_t)floor(slice->across) + 1 : (int64_t)ceil(slice->across) - 1;
    left = slice->axis == 'x' ? slice->breadth - slice->beyond0 + 1 : slice->beyond0 + 1;
    reach = left < reach ? left : reach;
    if (reach < 1)
        return TR_OK;
    slice->beyond1 = slice->beyond0 + (reach - 1) * toward;
    slice->skyline = tr_alloc(count, sizeof *slice->skyline, error);
    if (!slice->skyline)
        return TR_IO;
    for (size_t i = 0; i < count; i++)
        slice->skyline[i] = -INFINITY;
    return tr_jobs_run(slice->jobs, chunks, see_beyond, slice, error);
}

/* Ground below the lowest surface and sky above the highest; the scale; and a size that the picture may
 * have. */
static enum tr_status lay_out(struct slice *slice, double scale, struct tr_error *error)
{
    double range = slice->top - slice->bottom, length = (double)slice->length, missing;

    slice->top += fmax(0.22 * range, 4.0);
    slice->bottom -= fmax(0.28 * range, 8.0);
    range = slice->top - slice->bottom;
    slice->scale = scale > 0.0 ? scale
                               : fmin((DEFAULT_SIDE - TR_SLICE_LEFT - TR_SLICE_RIGHT) / length,
                                      (DEFAULT_SIDE - TR_SLICE_ABOVE - TR_SLICE_BELOW) / range);
    missing = PLOT_HEIGHT_MIN / slice->scale - range;
    if (missing > 0.0) {
        slice->top += 0.5 * missing;
        slice->bottom -= 0.5 * missing;
        range += missing;
    }
    length = fmax(floor(length * slice->scale + 0.5), 1.0);
    range = fmax(floor(range * slice->scale + 0.5), 1.0);
    slice->width = length <= TR_PICTURE_SIDE_MAX ? (size_t)length : 0;
    slice->height = range <= TR_PICTURE_SIDE_MAX ? (size_t)range : 0;
    return tr_picture_init(slice->picture, length + TR_SLICE_LEFT + TR_SLICE_RIGHT,
                           range + TR_SLICE_ABOVE + TR_SLICE_BELOW, error);
}

/* ---- cut ---- */

/* Up to four columns of samples around one pixel column, with their parts. */
struct cut_column {
    const struct tr_chunk *chunks[4];
    int x[4], z[4];
    double parts[4];
    int count;
};

static double column_field(const struct cut_column *column, int64_t y)
{
    double sum = 0.0;

    for (int i = 0; i < column->count; i++)
        sum += column->parts[i] * tr_chunk_field(column->chunks[i], column->x[i], y, column->z[i]);
    return sum / TR_UNITS;
}

static enum tr_status column_hold(const struct slice *slice, double along_at, struct cut_column *column,
                                  struct tr_error *error)
{
    struct between across = slice_across(slice), along = between(along_at, slice->length);

    *column = (struct cut_column){0};
    for (int i = 0; i < between_count(&across); i++)
        for (int j = 0; j < between_count(&along); j++) {
            int k = column->count;
            enum tr_status status =
                hold(slice, across.samples[i], along.samples[j], &column->chunks[k], error);

            if (status != TR_OK)
                return status;
            local_place(slice, across.samples[i], along.samples[j], &column->x[k], &column->z[k]);
            column->parts[k] = (i ? across.part : 1.0 - across.part) * (j ? along.part : 1.0 - along.part);
            column->count++;
        }
    return TR_OK;
}

static void column_release(const struct slice *slice, const struct cut_column *column)
{
    for (int i = 0; i < column->count; i++)
        tr_cache_release(slice->cache, column->chunks[i]);
}

/* One pixel column from the top. */
static void cut_column(struct slice *slice, size_t px, const struct cut_column *column)
{
    double above = 0.0, below = 0.0, ground = 0.0; /* the field at y + 1 and y */
    int64_t y = INT64_MAX;
    bool roofed = false;

    for (int i = 0; i < column->count; i++)
        ground += column->parts[i] * column->chunks[i]->heights[column->z[i] * TR_CHUNK + column->x[i]];
    slice->ground[px] = (float)(ground / TR_UNITS);
    for (size_t row = 0; row < slice->height; row++) {
        double at = slice->top - ((double)row + 0.5) / slice->scale, field;

        if (y != (int64_t)floor(at)) {
            above = y == (int64_t)floor(at) + 1 ? below : column_field(column, (int64_t)floor(at) + 1);
            y = (int64_t)floor(at);
            below = column_field(column, y);
        }
        field = below + (above - below) * (at - (double)y);
        slice->field[row * slice->width + px] = (float)(field * slice->scale);
        slice->dark[row * slice->width + px] = roofed ? UINT8_MAX : 0;
        roofed = roofed || field <= 0.0;
    }
}

static enum tr_status cut_columns(void *context, size_t index, int job, struct tr_error *error)
{
    struct slice *slice = context;
    size_t end = (index + 1) * COLUMNS_A_TASK;

    (void)job;
    for (size_t px = index * COLUMNS_A_TASK; px < end && px < slice->width; px++) {
        struct cut_column column;
        enum tr_status status = column_hold(slice, ((double)px + 0.5) / slice->scale, &column, error);

        if (status == TR_OK)
            cut_column(slice, px, &column);
        column_release(slice, &column);
        if (status != TR_OK)
            return status;
    }
    return TR_OK;
}

static enum tr_status cut(struct slice *slice, struct tr_error *error)
{
    slice->ground = tr_alloc(slice->width, sizeof *slice->ground, error);
    if (slice->ground)
        slice->field = tr_alloc(slice->width * slice->height, sizeof *slice->field, error);
    if (slice->field)
        slice->dark = tr_alloc(slice->width * slice->height, 1, error);
    if (!slice->dark)
        return TR_IO;
    return tr_jobs_run(slice->jobs, (slice->width - 1) / COLUMNS_A_TASK + 1, cut_columns, slice, error);
}

/* ---- caves ---- */

#define DARK_STEP 3    /* a pixel up, down or aside; */
#define DARK_OBLIQUE 4 /* and aslant */
#define DARK_SWEEPS 3  /* there and back: a way that turns oftener looks longer than it is */

/* Shortens the way of one pixel by those of the neighbours on one side of the sweep. Only air leads on;
 * ground at its edge learns of it, because an anti-aliased pixel there shows both. */
static void shorten(struct slice *slice, size_t x, size_t y, int back)
{
    static const int steps[4][3] = {
        {-1, 0, DARK_STEP}, {-1, -1, DARK_OBLIQUE}, {0, -1, DARK_STEP}, {1, -1, DARK_OBLIQUE}};
    size_t here = y * slice->width + x;
    int best = slice->dark[here];

    for (int i = 0; i < 4; i++) {
        int64_t nx = (int64_t)x + back * steps[i][0], ny = (int64_t)y + back * steps[i][1];
        size_t there = (size_t)ny * slice->width + (size_t)nx;

        if (nx < 0 || ny < 0 || nx >= (int64_t)slice->width || ny >= (int64_t)slice->height)
            continue;
        if (slice->field[there] > 0.0f && slice->dark[there] + steps[i][2] < best)
            best = slice->dark[there] + steps[i][2];
    }
    slice->dark[here] = (uint8_t)best;
}

static bool row_has_dark_air(const struct slice *slice, size_t y)
{
    for (size_t x = 0; x < slice->width; x++)
        if (slice->dark[y * slice->width + x] > 0 && slice->field[y * slice->width + x] > 0.0f)
            return true;
    return false;
}

static void find_dark(struct slice *slice)
{
    size_t first = 0, end = slice->height;

    while (first < end && !row_has_dark_air(slice, first))
        first++;
    while (end > first && !row_has_dark_air(slice, end - 1))
        end--;
    for (int sweep = 0; sweep < DARK_SWEEPS; sweep++) {
        for (size_t y = first; y < end; y++)
            for (size_t x = 0; x < slice->width; x++)
                shorten(slice, x, y, 1);
        for (size_t y = end; y-- > first;)
            for (size_t x = slice->width; x-- > 0;)
                shorten(slice, x, y, -1);
    }
}

/* ---- drawing ---- */

static const struct tr_colour_stop sky[] = {
    {0.00, {0.627, 0.769, 0.886}}, {0.55, {0.800, 0.882, 0.937}}, {1.00, {0.945, 0.957, 0.945}}};
/* by depth in pixels over STRATA_DEPTH: soil, subsoil, rock */
#define STRATA_DEPTH 420.0
static const struct tr_colour_stop strata[] = {{0.000, {0.400, 0.310, 0.216}}, {0.012, {0.478, 0.369, 0.251}},
                                               {0.022, {0.780, 0.624, 0.424}}, {0.090, {0.741, 0.573, 0.396}},
                                               {0.250, {0.655, 0.498, 0.380}}, {0.550, {0.529, 0.412, 0.345}},
                                               {1.000, {0.404, 0.333, 0.306}}};
static const struct tr_colour cave_near = {0.640, 0.640, 0.650}, cave_far = {0.180, 0.157, 0.180},
                              outline = {0.150, 0.110, 0.080}, ink = {0.13, 0.13, 0.15},
                              paper = {1.0, 1.0, 0.985};

static const struct tr_colour land_near = {0.580, 0.675, 0.640}, land_far = {0.780, 0.850, 0.885};

/* The sky with the land behind the cut, the farther the hazier. */
static struct tr_colour open_colour(const struct slice *slice, size_t x, size_t y)
{
    struct tr_colour colour =
        tr_colour_ramp(sky, sizeof sky / sizeof sky[0], (double)y / (double)slice->height);
    double along = ((double)x + 0.5) / slice->scale;
    double at = slice->top - ((double)y + 0.5) / slice->scale;
    size_t i = (size_t)along, last = (size_t)slice->length;

    for (int band = slice->skyline ? BANDS - 1 : -1; band >= 0; band--) {
        const float *line = slice->skyline + (size_t)band * samples_along(slice);
        double a = (double)line[i < last ? i : last], b = (double)line[i < last ? i + 1 : last];
        double below = (a + (b - a) * (along - (double)i) - at) * slice->scale;
        struct tr_colour land = tr_colour_mix(land_near, land_far, (double)band / (BANDS - 1));

        if (!isfinite(below)) /* no land in this band */
            continue;
        colour = tr_colour_mix(colour, tr_colour_mix(land, sky[2].colour, 0.45 * tr_clamp01(below / 90.0)),
                               tr_clamp01(below + 0.5));
        colour = tr_colour_mix(colour, land_near, 0.35 * tr_clamp01(1.0 - fabs(below)));
    }
    return colour;
}

static struct tr_colour air_colour(const struct slice *slice, size_t x, size_t y)
{
    struct tr_colour open = open_colour(slice, x, y);
    double dark = slice->dark[y * slice->width + x] / 255.0;

    if (dark <= 0.0)
        return open;
    return tr_colour_mix(tr_colour_mix(open, cave_near, tr_ramp(0.0, 0.25, dark)), cave_far,
                         tr_ramp(0.05, 0.9, dark));
}

/* Beds of rock: light and dark bands that follow the surface, less the deeper they are. */
static struct tr_colour ground_colour(const struct slice *slice, size_t x, size_t y)
{
    double at = slice->top - ((double)y + 0.5) / slice->scale;
    double depth = fmax(((double)slice->ground[x] - at) * slice->scale, 0.0);
    struct tr_colour colour =
        tr_colour_ramp(strata, sizeof strata / sizeof strata[0], tr_clamp01(depth / STRATA_DEPTH));
    double bed = depth / (17.0 + 0.03 * depth), phase = bed - floor(bed);
    double band = tr_ramp(0.0, 0.08, phase) -
                  tr_ramp(0.52, 0.62, phase); /* 1 in the upper part of a bed, 0 in the lower */

    if (depth < 14.0)
        return colour;
    return tr_colour_mix(colour, (struct tr_colour){0.30, 0.22, 0.17},
                         0.13 * band * tr_ramp(14.0, 24.0, depth));
}

/* Pixels from the surface, in any direction: the field over its slope. */
static double surface_distance(const struct slice *slice, size_t x, size_t y)
{
    size_t west = x > 0 ? x - 1 : x, east = x + 1 < slice->width ? x + 1 : x;
    size_t north = y > 0 ? y - 1 : y, south = y + 1 < slice->height ? y + 1 : y;
    const float *field = slice->field;
    size_t row = y * slice->width;
    double across = (double)(field[row + east] - field[row + west]) / (double)(east > west ? east - west : 1);
    double down = (double)(field[south * slice->width + x] - field[north * slice->width + x]) /
                  (double)(south > north ? south - north : 1);

    return (double)field[row + x] / fmax(hypot(across, down), 0.25);
}

/* Whether the whole cut is beyond the data: not one along their edge, whatever metres round to. */
static bool misses_data(const struct slice *slice)
{
    return tr_beyond_data(&slice->world->info, slice->axis == 'x' ? 0 : 1, slice->across) > 1e-6;
}

/* How much of a pixel column is beyond the data. */
static double beyond_data(const struct slice *slice, size_t x)
{
    double along = ((double)x + 0.5) / slice->scale;
    double beyond = tr_beyond_data(&slice->world->info, slice->axis == 'x' ? 1 : 0, along);

    return misses_data(slice) ? 1.0 : tr_clamp01(beyond * slice->scale + 0.5);
}

static enum tr_status draw_row(void *context, size_t y, int job, struct tr_error *error)
{
    struct slice *slice = context;

    (void)job;
    (void)error;
    for (size_t x = 0; x < slice->width; x++) {
        double distance = surface_distance(slice, x, y), solid = tr_clamp01(0.5 - distance);
        struct tr_colour colour;

        if (solid <= 0.0)
            colour = air_colour(slice, x, y);
        else if (solid >= 1.0)
            colour = ground_colour(slice, x, y);
        else
            colour = tr_colour_mix(air_colour(slice, x, y), ground_colour(slice, x, y), solid);
        colour = tr_colour_mix(colour, outline, 0.92 * tr_clamp01(1.4 - fabs(distance)));
        colour = tr_veiled(colour, beyond_data(slice, x));
        tr_picture_set(slice->picture, (uint32_t)x + TR_SLICE_LEFT, (uint32_t)y + TR_SLICE_ABOVE, colour);
    }
    return TR_OK;
}

/* ---- axes ---- */

#define TEXT_SIZE 9.0

static void draw_elevations(const struct slice *slice)
{
    struct tr_picture *picture = slice->picture;
    double voxel = slice->world->info.voxel_size, left = TR_SLICE_LEFT, right = left + (double)slice->width;
    double step = tr_round_step(44.0 / slice->scale * voxel);
    double first = ceil(slice->bottom * voxel / step), last = floor(slice->top * voxel / step);
    bool in_km = step >= 1000.0;

    for (double tick = first; tick <= last; tick++) {
        double y = TR_SLICE_ABOVE + (slice->top - tick * step / voxel) * slice->scale;
        char text[48];

        tr_metres_text(tick * step, step, in_km, tick == last, text);
        tr_draw_line(picture, left - 5.0, y, left, y, 1.0, ink, 0.9);
        tr_draw_line(picture, left, y, right, y, 1.0, ink, 0.07);
        tr_draw_text(picture, left - 9.0 - tr_text_width(TEXT_SIZE, text), y, TEXT_SIZE, text, ink);
    }
}

static void draw_distances(const struct slice *slice)
{
    struct tr_picture *picture = slice->picture;
    double voxel = slice->world->info.voxel_size, top = TR_SLICE_ABOVE, bottom = top + (double)slice->height;
    double step = tr_round_step(84.0 / slice->scale * voxel);
    double last = floor((double)slice->length * voxel / step + 1e-9);
    bool in_km = step >= 1000.0 && last > 0.0;

    for (double tick = 0.0; tick <= last; tick++) {
        double x = TR_SLICE_LEFT + tick * step / voxel * slice->scale;
        char text[48];

        tr_metres_text(tick * step, step, in_km, tick == last, text);
        tr_draw_line(picture, x, bottom, x, bottom + 5.0, 1.0, ink, 0.9);
        tr_draw_line(picture, x, top, x, bottom, 1.0, ink, 0.05);
        tr_draw_text(picture,
                     fmin(x - tr_text_width(TEXT_SIZE, text) / 2.0,
                          picture->width - 3.0 - tr_text_width(TEXT_SIZE, text)),
                     bottom + 14.0, TEXT_SIZE, text, ink);
    }
}

/* The ends of the data along the cut. */
static void draw_data_ends(const struct slice *slice)
{
    int along = slice->axis == 'x' ? 1 : 0;
    double top = TR_SLICE_ABOVE, bottom = top + (double)slice->height;

    if (misses_data(slice))
        return;
    for (int end = 0; end <= 2; end += 2) {
        double at = slice->world->info.extent[along + end], x = TR_SLICE_LEFT + at * slice->scale;

        if (at > 0.0 && at < (double)slice->length)
            tr_draw_data_edge(slice->picture, x, top, x, bottom);
    }
}

static void draw_frame(const struct slice *slice)
{
    double left = TR_SLICE_LEFT, top = TR_SLICE_ABOVE;
    double right = left + (double)slice->width, bottom = top + (double)slice->height;

    tr_draw_line(slice->picture, left, top, left, bottom, 1.0, ink, 0.9);
    tr_draw_line(slice->picture, left, bottom, right, bottom, 1.0, ink, 0.9);
    tr_draw_line(slice->picture, left, top, right, top, 1.0, ink, 0.25);
    tr_draw_line(slice->picture, right, top, right, bottom, 1.0, ink, 0.25);
}

/* Which cut it is, in the corner of the sky; and along which axis the distances run. */
static void draw_title(const struct slice *slice)
{
    char text[64], metres[48], along[2] = {slice->axis == 'x' ? 'z' : 'x', 0};

    tr_metres_text(slice->at_m, 0.1, false, true, metres);
    if (slice->at_m == floor(slice->at_m))
        tr_metres_text(slice->at_m, 1.0, false, true, metres);
    snprintf(text, sizeof text, "%c = %s", slice->axis, metres);
    tr_draw_text(slice->picture, TR_SLICE_LEFT + 12.0, TR_SLICE_ABOVE + 16.0, 11.0, text, ink);
    tr_draw_text(slice->picture, TR_SLICE_LEFT - 22.0, TR_SLICE_ABOVE + (double)slice->height + 14.0,
                 TEXT_SIZE, along, ink);
}

static enum tr_status draw(struct slice *slice, struct tr_error *error)
{
    enum tr_status status;

    tr_draw_box(slice->picture, -2.0, -2.0, slice->picture->width + 2.0, slice->picture->height + 2.0, 0.0,
                paper, 1.0);
    status = tr_jobs_run(slice->jobs, slice->height, draw_row, slice, error);
    if (status != TR_OK)
        return status;
    draw_elevations(slice);
    draw_distances(slice);
    draw_data_ends(slice);
    draw_frame(slice);
    if (slice->width >= 150)
        draw_title(slice);
    return TR_OK;
}

/* ---- the whole ---- */

static enum tr_status check_place(struct slice *slice, struct tr_error *error)
{
    const struct tr_world_info *info = &slice->world->info;
    int64_t size_x = (int64_t)info->size_x * TR_CHUNK, size_z = (int64_t)info->size_z * TR_CHUNK;
    double end;

    if (slice->axis != 'x' && slice->axis != 'z')
        return tr_fail(error, TR_USAGE, "slice along axis '%c', expected 'x' or 'z'", slice->axis);
    slice->length = slice->axis == 'x' ? size_z : size_x;
    slice->breadth = slice->axis == 'x' ? size_x : size_z;
    end = (double)slice->breadth * info->voxel_size;
    if (!(slice->at_m >= 0.0 && slice->at_m <= end))
        return tr_fail(error, TR_BAD_INPUT, "slice %c=%g is outside the world, expected 0 to %g metres",
                       slice->axis, slice->at_m, end);
    slice->across = slice->at_m / info->voxel_size;
    return TR_OK;
}

enum tr_status tr_preview_slice(struct tr_jobs *jobs, const struct tr_world *world, char axis, double at_m,
                                double scale, struct tr_picture *picture, struct tr_error *error)
{
    struct slice slice = {.jobs = jobs, .world = world, .picture = picture, .axis = axis, .at_m = at_m};
    enum tr_status status = tr_picture_check(&world->info, scale, error);

    *picture = (struct tr_picture){0};
    if (status == TR_OK)
        status = check_place(&slice, error);
    if (status == TR_OK)
        status = tr_cache_create(world, CACHE_BYTES, &slice.cache, error);
    if (status == TR_OK)
        status = find_range(&slice, error);
    if (status == TR_OK)
        status = lay_out(&slice, scale, error);
    if (status == TR_OK)
        status = find_skylines(&slice, error);
    if (status == TR_OK)
        status = cut(&slice, error);
    if (status == TR_OK) {
        find_dark(&slice);
        status = draw(&slice, error);
    }
    if (status != TR_OK)
        tr_picture_release(picture);
    free(slice.surfaces);
    free(slice.skyline);
    free(slice.ground);
    free(slice.field);
    free(slice.dark);
    tr_cache_free(slice.cache);
    return status;
}
