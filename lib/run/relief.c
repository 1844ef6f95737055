/* Shaded relief: the world from above, north up.
 *
 *   read     chunk by chunk into a raster: the topmost surface, and where the ground is hollow beneath it. A
 *            cell of the raster is one sample, or the mean of 2^k x 2^k of them, whichever is nearest to a
 *            pixel in size; no chunk is kept
 *   coarse   the raster's means over squares some pixels wide: what lies below them is a hollow and is
 *            darkened, what lies above lightened
 *   draw     each pixel from the rasters by quadratic B-splines, which have smooth slopes: colour by height,
 *            light mostly from the north-west and some from its neighbours (after Mark 1992), contour lines
 *            by the distance to the nearest level, hatching over caves, a veil beyond the data
 *
 * Every cell and pixel is computed alone, so the picture does not depend on the number of jobs. */
#include "lib/run/preview.h"

#include "lib/base/alloc.h"
#include "lib/run/column.h"
#include "lib/run/picture.h"

#include <math.h>
#include <stdlib.h>

#define DEFAULT_SIDE 1000.0
#define CELL_SAMPLES_MAX 64 /* a cell never leaves its chunk */
#define COARSE_PIXELS 14.0  /* width of a coarse cell */
/* Part of the fine slope in the light; the coarse one brings out large forms (Patterson 2001). */
#define FINE_LIGHT 0.65
#define FINE_NOISE 0.2        /* forms finer than a coarse cell and this steep, */
#define ABOVE_NOISE 0.16      /* or so much above their surroundings, keep half of their light */
#define TYPICAL_SLOPE 0.42    /* the light exaggerates gentler worlds up to this mean slope, */
#define EXAGGERATION_MAX 12.0 /* but no more than so */
#define CONTOUR_PIXELS 9.0    /* mean distance of contour lines, at least */
#define CONTOURS_MAX 24.0

/* ---- rasters ---- */

struct raster {
    size_t width, height;
    double x0, z0, step; /* middle of the first cell and distance between cells, in voxels */
    float *top;          /* voxels */
    uint8_t
        *hollow; /* 0..255, the part of the cell that has a cave or an overhang; NULL in the coarse raster */
};

static enum tr_status raster_init(struct raster *raster, size_t width, size_t height, bool hollow,
                                  struct tr_error *error)
{
    raster->width = width;
    raster->height = height;
    raster->top = tr_alloc(width * height, sizeof *raster->top, error);
    if (raster->top && hollow)
        raster->hollow = tr_alloc(width * height, 1, error);
    return raster->top && (!hollow || raster->hollow) ? TR_OK : TR_IO;
}

static void raster_release(struct raster *raster)
{
    free(raster->top);
    free(raster->hollow);
}

/* The quadratic B-spline around the cell nearest to v cells: first of the three cells, clamped, with
 * weights and their slopes. */
struct spline {
    size_t cells[3];
    double weights[3], slopes[3];
};

static struct spline spline_at(double v, size_t count)
{
    double nearest = floor(v + 0.5), t = v - nearest;
    struct spline spline = {
        .weights = {0.5 * (0.5 - t) * (0.5 - t), 0.75 - t * t, 0.5 * (0.5 + t) * (0.5 + t)},
        .slopes = {t - 0.5, -2.0 * t, t + 0.5},
    };

    for (int i = 0; i < 3; i++) {
        double cell = nearest + i - 1;

        spline.cells[i] = cell <= 0.0 ? 0 : cell >= (double)count - 1.0 ? count - 1 : (size_t)cell;
    }
    return spline;
}

struct place {
    double top, slope_x, slope_z;      /* voxels; voxels a voxel */
    double hollow, hollow_x, hollow_z; /* 0..1; a voxel */
};

static struct place raster_at(const struct raster *raster, double x, double z)
{
    struct spline sx = spline_at((x - raster->x0) / raster->step, raster->width);
    struct spline sz = spline_at((z - raster->z0) / raster->step, raster->height);
    struct place place = {0};

    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            size_t cell = sz.cells[j] * raster->width + sx.cells[i];
            double top = (double)raster->top[cell],
                   hollow = raster->hollow ? raster->hollow[cell] / 255.0 : 0.0;
            double along_x = sx.slopes[i] * sz.weights[j] / raster->step;
            double along_z = sx.weights[i] * sz.slopes[j] / raster->step;

            place.top += sx.weights[i] * sz.weights[j] * top;
            place.slope_x += along_x * top;
            place.slope_z += along_z * top;
            place.hollow += sx.weights[i] * sz.weights[j] * hollow;
            place.hollow_x += along_x * hollow;
            place.hollow_z += along_z * hollow;
        }
    return place;
}

/* ---- the whole ---- */

struct row_sums {
    double lowest, highest; /* voxels */
    double slope;           /* the sum of slopes, */
    size_t count;           /* of so many cells within the data */
};

struct relief {
    struct tr_jobs *jobs;
    const struct tr_world *world;
    double scale; /* pixels a voxel */
    struct tr_picture *picture;

    int cell_samples; /* along a side of a cell */
    struct raster fine, coarse;
    int coarse_cells; /* along a side of a coarse cell */

    double lowest, highest; /* voxels */
    double exaggeration;
    double interval, index_interval; /* of contour lines, voxels; 0: none */
    struct row_sums *rows;           /* of each row of the fine raster */
};

/* ---- reading ---- */

/* Samples of a cell along one axis, in the frame of its chunk. */
struct span {
    int first, last;
};

/* Those of the cell with this number in its chunk, which owns so many samples: at least one. */
static struct span cell_span(int cell, int cell_samples, uint32_t owned)
{
    int first = cell * cell_samples, last = first + cell_samples - 1;

    return (struct span){first, last < (int)owned ? last : (int)owned - 1};
}

/* One cell: the mean of its samples. */
static void read_cell(const struct tr_chunk *chunk, struct span across, struct span down, float *top,
                      uint8_t *hollow)
{
    int64_t sum = 0;
    int count = (across.last - across.first + 1) * (down.last - down.first + 1), hollows = 0;

    for (int z = down.first; z <= down.last; z++)
        for (int x = across.first; x <= across.last; x++) {
            struct tr_column column;

            tr_column_scan(chunk, x, z, &column);
            sum += column.top;
            hollows += column.floors > 1;
        }
    *top = (float)((double)sum / count / TR_UNITS);
    *hollow = (uint8_t)(hollows * 255 / count);
}

static void read_cells(struct relief *relief, const struct tr_chunk *chunk)
{
    int size = relief->cell_samples;
    size_t cells = (size_t)(TR_CHUNK / size);

    for (int j = 0; j * size < (int)chunk->size_z; j++) {
        struct span down = cell_span(j, size, chunk->size_z);
        size_t row = ((size_t)chunk->cz * cells + (size_t)j) * relief->fine.width;

        for (int i = 0; i * size < (int)chunk->size_x; i++) {
            size_t cell = row + (size_t)chunk->cx * cells + (size_t)i;

            read_cell(chunk, cell_span(i, size, chunk->size_x), down, &relief->fine.top[cell],
                      &relief->fine.hollow[cell]);
        }
    }
}

static enum tr_status read_chunk(void *context, size_t index, int job, struct tr_error *error)
{
    struct relief *relief = context;
    const struct tr_index_entry *entry = &relief->world->index[index];
    struct tr_chunk chunk = {0};
    enum tr_status status = tr_world_read_chunk(relief->world, entry->cx, entry->cz, &chunk, error);

    (void)job;
    if (status == TR_OK) {
        read_cells(relief, &chunk);
        tr_chunk_release(&chunk);
    }
    return status;
}

static enum tr_status read_world(struct relief *relief, struct tr_error *error)
{
    const struct tr_world_info *info = &relief->world->info;
    size_t cells;
    enum tr_status status;

    relief->cell_samples = 1;
    while (relief->cell_samples < CELL_SAMPLES_MAX && relief->cell_samples * relief->scale < sqrt(0.5))
        relief->cell_samples *= 2;
    cells = (size_t)(TR_CHUNK / relief->cell_samples);
    status = raster_init(&relief->fine, (size_t)info->size_x * cells + 1, (size_t)info->size_z * cells + 1,
                         true, error);
    if (status != TR_OK)
        return status;
    relief->fine.step = relief->cell_samples;
    relief->fine.x0 = relief->fine.z0 = (relief->cell_samples - 1) / 2.0;
    return tr_jobs_run(relief->jobs, relief->world->chunk_count, read_chunk, relief, error);
}

/* ---- what the drawing depends on ---- */

static enum tr_status coarsen_row(void *context, size_t row, int job, struct tr_error *error)
{
    struct relief *relief = context;
    size_t cells = (size_t)relief->coarse_cells;
    size_t z_end = (row + 1) * cells < relief->fine.height ? (row + 1) * cells : relief->fine.height;

    (void)job;
    (void)error;
    for (size_t column = 0; column < relief->coarse.width; column++) {
        size_t x_end = (column + 1) * cells < relief->fine.width ? (column + 1) * cells : relief->fine.width;
        double sum = 0.0;

        for (size_t z = row * cells; z < z_end; z++)
            for (size_t x = column * cells; x < x_end; x++)
                sum += (double)relief->fine.top[z * relief->fine.width + x];
        sum /= (double)((z_end - row * cells) * (x_end - column * cells));
        relief->coarse.top[row * relief->coarse.width + column] = (float)sum;
    }
    return TR_OK;
}

static enum tr_status coarsen(struct relief *relief, struct tr_error *error)
{
    double cells = COARSE_PIXELS / (relief->cell_samples * relief->scale);
    enum tr_status status;

    relief->coarse_cells = cells < 2.0 ? 2 : (int)cells;
    status = raster_init(&relief->coarse, (relief->fine.width - 1) / (size_t)relief->coarse_cells + 1,
                         (relief->fine.height - 1) / (size_t)relief->coarse_cells + 1, false, error);
    if (status != TR_OK)
        return status;
    relief->coarse.step = relief->fine.step * relief->coarse_cells;
    relief->coarse.x0 = relief->fine.x0 + (relief->coarse_cells - 1) * relief->fine.step / 2.0;
    relief->coarse.z0 = relief->fine.z0 + (relief->coarse_cells - 1) * relief->fine.step / 2.0;
    return tr_jobs_run(relief->jobs, relief->coarse.height, coarsen_row, relief, error);
}

/* Voxels beyond the data, negative within. */
static double beyond_data(const struct relief *relief, double x, double z)
{
    const struct tr_world_info *info = &relief->world->info;

    return fmax(tr_beyond_data(info, 0, x), tr_beyond_data(info, 1, z));
}

static enum tr_status measure_row(void *context, size_t row, int job, struct tr_error *error)
{
    struct relief *relief = context;
    const struct raster *fine = &relief->fine;
    const float *top = fine->top + row * fine->width;
    const float *south = row + 1 < fine->height ? top + fine->width : top;
    struct row_sums sums = {.lowest = INFINITY, .highest = -INFINITY};
    double z = fine->z0 + (double)row * fine->step;

    (void)job;
    (void)error;
    for (size_t x = 0; x < fine->width; x++) {
        size_t east = x + 1 < fine->width ? x + 1 : x;

        sums.lowest = fmin(sums.lowest, (double)top[x]);
        sums.highest = fmax(sums.highest, (double)top[x]);
        if (beyond_data(relief, fine->x0 + (double)x * fine->step, z) > 0.0)
            continue;
        sums.slope += hypot((double)(top[east] - top[x]), (double)(south[x] - top[x])) / fine->step;
        sums.count++;
    }
    relief->rows[row] = sums;
    return TR_OK;
}

/* Range of heights, and the mean slope of the data: repeated heights beyond them would only make it gentler.
 * From them the light's exaggeration and the contour interval. */
static enum tr_status measure(struct relief *relief, struct tr_error *error)
{
    double slope = 0.0, voxel = relief->world->info.voxel_size, metres, least;
    size_t count = 0;
    enum tr_status status;

    relief->rows = tr_alloc(relief->fine.height, sizeof *relief->rows, error);
    if (!relief->rows)
        return TR_IO;
    status = tr_jobs_run(relief->jobs, relief->fine.height, measure_row, relief, error);
    if (status != TR_OK)
        return status;
    relief->lowest = INFINITY;
    relief->highest = -INFINITY;
    for (size_t row = 0; row < relief->fine.height; row++) {
        relief->lowest = fmin(relief->lowest, relief->rows[row].lowest);
        relief->highest = fmax(relief->highest, relief->rows[row].highest);
        slope += relief->rows[row].slope;
        count += relief->rows[row].count;
    }
    slope /= count > 0 ? (double)count : 1.0; /* data between samples have none of their own */
    relief->exaggeration = fmin(fmax(TYPICAL_SLOPE / fmax(slope, 1e-9), 1.0), EXAGGERATION_MAX);

    if (relief->highest - relief->lowest < 2.0 / TR_UNITS)
        return TR_OK;
    least = fmax((relief->highest - relief->lowest) / CONTOURS_MAX, CONTOUR_PIXELS / relief->scale * slope);
    metres = tr_round_step(least * voxel);
    relief->interval = metres / voxel;
    relief->index_interval = relief->interval * 5.0;
    return TR_OK;
}

/* ---- drawing ---- */

static const struct tr_colour_stop tints[] = {
    {0.00, {0.498, 0.639, 0.514}}, {0.16, {0.608, 0.710, 0.541}}, {0.34, {0.765, 0.780, 0.588}},
    {0.50, {0.867, 0.800, 0.604}}, {0.66, {0.808, 0.675, 0.494}}, {0.82, {0.706, 0.576, 0.467}},
    {0.93, {0.761, 0.698, 0.643}}, {1.00, {0.925, 0.910, 0.890}},
};
#define TINTS (sizeof tints / sizeof tints[0])

static const struct tr_colour shadow = {0.33, 0.36, 0.50}, sunlight = {1.0, 0.985, 0.93},
                              contour_ink = {0.36, 0.22, 0.12}, hollow_ink = {0.16, 0.15, 0.24},
                              ink = {0.13, 0.13, 0.15}, paper = {1.0, 1.0, 0.98};

static double relative_height(const struct relief *relief, double top)
{
    double range = relief->highest - relief->lowest;

    return range > 0.0 ? tr_clamp01((top - relief->lowest) / range) : 0.3;
}

/* Light on a slope, 1 on level ground: from the north-west most, and some from its neighbours, so that no
 * ridge is lost. */
static double light_at(double slope_x, double slope_z)
{
    static const struct {
        double x, z, weight; /* toward the light, on the map */
    } lights[] = {{-0.7071, -0.7071, 0.52},
                  {-1.0, 0.0, 0.18},
                  {0.0, -1.0, 0.18},
                  {-0.7071, 0.7071, 0.06},
                  {0.7071, -0.7071, 0.06}};
    double up = 0.7071, flat = 0.7071, length = sqrt(1.0 + slope_x * slope_x + slope_z * slope_z),
           light = 0.0;

    for (size_t i = 0; i < sizeof lights / sizeof lights[0]; i++)
        light += lights[i].weight * fmax(0.0, up - flat * (lights[i].x * slope_x + lights[i].z * slope_z));
    return light / (length * up);
}

/* The part of a difference that the light shows: 0 for small ones, half at `noise`, all of large ones. The
 * small ones are mostly the rounding of the source's heights, often to whole metres, and light would make a
 * quilt of them; squares keep what stands out crisp. */
static double shown_part(double difference, double noise)
{
    return difference * difference / (difference * difference + noise * noise);
}

static struct tr_colour lit(struct tr_colour base, double light)
{
    struct tr_colour dark = {base.r * shadow.r, base.g * shadow.g, base.b * shadow.b};

    if (light <= 1.0)
        return tr_colour_mix(dark, base, tr_clamp01(light));
    return tr_colour_mix(base, sunlight, tr_clamp01((light - 1.0) * 0.95));
}

/* How much of the pixel a contour line covers. A line is an area where the ground is level: it fades out
 * there. */
static double contour_at(const struct relief *relief, const struct place *place, double interval,
                         double width)
{
    double slope = hypot(place->slope_x, place->slope_z) / relief->scale; /* voxels a pixel */
    double off = place->top / interval, distance;

    off = fabs(off - floor(off + 0.5)) * interval;
    distance = off / fmax(slope, 1e-12);
    return tr_clamp01(width / 2.0 + 0.5 - distance) * tr_ramp(0.002, 0.012, slope / relief->interval);
}

/* Over a cave the map is darker and hatched, and its edge is a row of dots: what one sees is the roof. */
static struct tr_colour over_hollow(const struct relief *relief, const struct place *place, uint32_t x,
                                    uint32_t y, struct tr_colour colour)
{
    double slope = hypot(place->hollow_x, place->hollow_z) / relief->scale;
    double inside = (place->hollow - 0.5) / fmax(slope, 1e-3); /* pixels from the edge */
    double cover = tr_clamp01(inside + 0.5);
    double stripe = fmod((double)x + (double)y, 7.0);
    bool dot = ((x >> 2) + (y >> 2)) % 2 == 0;

    if (place->hollow <= 0.0)
        return colour;
    colour = tr_colour_mix(colour, hollow_ink, 0.26 * cover);
    colour = tr_colour_mix(colour, hollow_ink, 0.34 * cover * tr_clamp01(1.6 - fabs(stripe - 3.5)));
    return tr_colour_mix(colour, hollow_ink, (dot ? 0.85 : 0.15) * tr_clamp01(1.4 - fabs(inside)));
}

static struct tr_colour pixel_colour(const struct relief *relief, uint32_t px, uint32_t py)
{
    double x = (px + 0.5) / relief->scale, z = (py + 0.5) / relief->scale;
    struct place place = raster_at(&relief->fine, x, z);
    struct place around = raster_at(&relief->coarse, x, z);
    double lift = relief->exaggeration;
    double above = (place.top - around.top) * lift / relief->coarse.step; /* above its surroundings */
    double fine_x = lift * (place.slope_x - around.slope_x), fine_z = lift * (place.slope_z - around.slope_z);
    double fine = FINE_LIGHT * shown_part(hypot(fine_x, fine_z), FINE_NOISE);
    double light = light_at(lift * around.slope_x + fine * fine_x, lift * around.slope_z + fine * fine_z);
    struct tr_colour colour = tr_colour_ramp(tints, TINTS, relative_height(relief, place.top));

    light *= 1.0 + 0.7 * copysign(shown_part(above, ABOVE_NOISE), above);
    colour = lit(colour, light);
    colour = over_hollow(relief, &place, px, py, colour);
    if (relief->interval > 0.0) {
        colour = tr_colour_mix(colour, contour_ink, 0.34 * contour_at(relief, &place, relief->interval, 0.8));
        colour = tr_colour_mix(colour, contour_ink,
                               0.42 * contour_at(relief, &place, relief->index_interval, 1.3));
    }
    return tr_veiled(colour, tr_clamp01(beyond_data(relief, x, z) * relief->scale + 0.5));
}

static enum tr_status draw_row(void *context, size_t row, int job, struct tr_error *error)
{
    struct relief *relief = context;

    (void)job;
    (void)error;
    for (uint32_t x = 0; x < relief->picture->width; x++)
        tr_picture_set(relief->picture, x, (uint32_t)row, pixel_colour(relief, x, (uint32_t)row));
    return TR_OK;
}

/* ---- edge of the data, scale, arrow, legend ---- */

#define TEXT_SIZE 9.0
#define INSET 12.0

/* Those of its sides that do not run along the end of the world. */
static void draw_data_frame(const struct relief *relief)
{
    const struct tr_world_info *info = &relief->world->info;
    double scale = relief->scale, x0 = info->extent[0] * scale, z0 = info->extent[1] * scale;
    double x1 = info->extent[2] * scale, z1 = info->extent[3] * scale;

    if (info->extent[0] > 0.0)
        tr_draw_data_edge(relief->picture, x0, z0, x0, z1);
    if (info->extent[1] > 0.0)
        tr_draw_data_edge(relief->picture, x0, z0, x1, z0);
    if (info->extent[2] < (double)info->size_x * TR_CHUNK)
        tr_draw_data_edge(relief->picture, x1, z0, x1, z1);
    if (info->extent[3] < (double)info->size_z * TR_CHUNK)
        tr_draw_data_edge(relief->picture, x0, z1, x1, z1);
}

static void draw_scale_bar(const struct relief *relief)
{
    struct tr_picture *picture = relief->picture;
    double metres_a_pixel = relief->world->info.voxel_size / relief->scale;
    double metres = tr_round_step(picture->width * 0.11 * metres_a_pixel), length = metres / metres_a_pixel;
    double left = INSET + 12.0, bottom = picture->height - INSET, bar = bottom - 13.0;
    char text[48];
    double width;

    tr_metres_text(metres, metres, metres >= 1000.0, true, text);
    width = length + 20.0 + tr_text_width(TEXT_SIZE, text);
    tr_draw_box(picture, INSET, bottom - 26.0, INSET + width + 16.0, bottom, 4.0, paper, 0.78);
    for (int i = 0; i < 4; i++)
        tr_draw_box(picture, left + length * i / 4.0, bar - 2.5, left + length * (i + 1) / 4.0, bar + 2.5,
                    0.0, i % 2 ? paper : ink, 1.0);
    tr_draw_line(picture, left, bar - 2.5, left + length, bar - 2.5, 1.0, ink, 1.0);
    tr_draw_line(picture, left, bar + 2.5, left + length, bar + 2.5, 1.0, ink, 1.0);
    tr_draw_line(picture, left + length, bar - 2.5, left + length, bar + 2.5, 1.0, ink, 1.0);
    tr_draw_text(picture, left + length + 8.0, bar, TEXT_SIZE, text, ink);
}

static void draw_north_arrow(struct tr_picture *picture)
{
    double x = picture->width - INSET - 15.0, top = INSET + 20.0;
    const double west[3][2] = {{x, top}, {x - 6.5, top + 20.0}, {x, top + 15.0}};
    const double east[3][2] = {{x, top}, {x + 6.5, top + 20.0}, {x, top + 15.0}};

    tr_draw_box(picture, x - 15.0, INSET, x + 15.0, INSET + 46.0, 4.0, paper, 0.78);
    tr_draw_text(picture, x - tr_text_width(TEXT_SIZE, "N") / 2.0, INSET + 11.0, TEXT_SIZE, "N", ink);
    tr_draw_triangle(picture, west, ink, 1.0);
    tr_draw_triangle(picture, east, tr_colour(150, 150, 152), 1.0);
}

/* The colours of heights, with a mark and a number at heights of strong contour lines. */
static void draw_legend(const struct relief *relief)
{
    struct tr_picture *picture = relief->picture;
    double voxel = relief->world->info.voxel_size, step = relief->index_interval * voxel;
    double lowest = relief->lowest * voxel, highest = relief->highest * voxel;
    double length = fmin(150.0, picture->height * 0.25), widest = 0.0;
    double bottom = picture->height - INSET - 12.0, top = bottom - length, left;
    char text[48];

    if (floor(highest / step) <= ceil(lowest / step))
        step = relief->interval * voxel;
    while (length * step / (highest - lowest) < TEXT_SIZE + 5.0)
        step *= 2.0;
    if (floor(highest / step) < ceil(lowest / step))
        return;
    for (double at = ceil(lowest / step) * step; at <= highest; at += step) {
        tr_metres_text(at, step, false, true, text);
        widest = fmax(widest, tr_text_width(TEXT_SIZE, text));
    }
    left = picture->width - INSET - 36.0 - widest;
    tr_draw_box(picture, left, top - 12.0, picture->width - INSET, bottom + 12.0, 4.0, paper, 0.78);
    for (double y = top; y < bottom; y += 1.0)
        tr_draw_box(picture, left + 10.0, y, left + 20.0, fmin(y + 1.0, bottom), 0.0,
                    tr_colour_ramp(tints, TINTS, (bottom - y - 0.5) / length), 1.0);
    for (double at = ceil(lowest / step) * step; at <= highest; at += step) {
        double y = bottom - (at - lowest) / (highest - lowest) * length;

        tr_metres_text(at, step, false, true, text);
        tr_draw_line(picture, left + 10.0, y, left + 23.5, y, 1.2, contour_ink, 0.9);
        tr_draw_text(picture, left + 28.0, y, TEXT_SIZE, text, ink);
    }
}

static void draw_furniture(const struct relief *relief)
{
    uint32_t width = relief->picture->width, height = relief->picture->height;

    if (width < 300 || height < 200)
        return;
    draw_data_frame(relief);
    draw_scale_bar(relief);
    draw_north_arrow(relief->picture);
    if (relief->interval > 0.0 && width >= 400 && height >= 320)
        draw_legend(relief);
}

enum tr_status tr_preview_relief(struct tr_jobs *jobs, const struct tr_world *world, double scale,
                                 struct tr_picture *picture, struct tr_error *error)
{
    struct relief relief = {.jobs = jobs, .world = world, .picture = picture};
    double size_x = (double)world->info.size_x * TR_CHUNK, size_z = (double)world->info.size_z * TR_CHUNK;
    enum tr_status status = tr_picture_check(&world->info, scale, error);

    *picture = (struct tr_picture){0};
    if (status != TR_OK)
        return status;
    relief.scale = scale > 0.0 ? scale : DEFAULT_SIDE / fmax(size_x, size_z);
    status = tr_picture_init(picture, fmax(floor(size_x * relief.scale + 0.5), 1.0),
                             fmax(floor(size_z * relief.scale + 0.5), 1.0), error);
    if (status == TR_OK)
        status = read_world(&relief, error);
    if (status == TR_OK)
        status = coarsen(&relief, error);
    if (status == TR_OK)
        status = measure(&relief, error);
    if (status == TR_OK)
        status = tr_jobs_run(jobs, picture->height, draw_row, &relief, error);
    if (status == TR_OK)
        draw_furniture(&relief);
    else
        tr_picture_release(picture);
    raster_release(&relief.fine);
    raster_release(&relief.coarse);
    free(relief.rows);
    return status;
}
