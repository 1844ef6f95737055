/* See picture.h. Shapes are drawn by their distance from each pixel's middle: a pixel nearer than half a
 * pixel to the edge is covered in part, which is all the anti-aliasing that lines, boxes and letters need.
 *
 * The PNG is made in memory and then written like every file, so that it appears whole or
 * not at all. */
#include "lib/run/picture.h"

#include "lib/base/alloc.h"
#include "lib/base/file.h"
#include "lib/base/png.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static_assert(TR_PICTURE_SIDE_MAX <= TR_PNG_SIDE_MAX, "the largest picture can be written");

/* ---- the picture ---- */

enum tr_status tr_picture_check(const struct tr_world_info *info, double scale, struct tr_error *error)
{
    if (!isfinite(scale) || (scale != 0.0 && scale < TR_SCALE_MIN))
        return tr_fail(error, TR_BAD_INPUT,
                       "scale is %g pixels a voxel, expected at least %g, or 0 for about 1000 pixels", scale,
                       TR_SCALE_MIN);
    if (!(info->voxel_size >= TR_PICTURE_VOXEL_MIN && info->voxel_size <= TR_PICTURE_VOXEL_MAX))
        return tr_fail(error, TR_BAD_INPUT, "the voxel size is %g metres, expected %g to %g for a picture",
                       info->voxel_size, TR_PICTURE_VOXEL_MIN, TR_PICTURE_VOXEL_MAX);
    return TR_OK;
}

enum tr_status tr_picture_init(struct tr_picture *picture, double width, double height,
                               struct tr_error *error)
{
    *picture = (struct tr_picture){0};
    if (!(width >= 1.0 && height >= 1.0 && width <= TR_PICTURE_SIDE_MAX && height <= TR_PICTURE_SIDE_MAX))
        return tr_fail(
            error, TR_BAD_INPUT,
            "the picture would have %.0f x %.0f pixels, expected 1 to %d each: choose another scale", width,
            height, TR_PICTURE_SIDE_MAX);
    picture->rgb = tr_alloc((size_t)width * 3, (size_t)height, error);
    if (!picture->rgb)
        return TR_IO;
    picture->width = (uint32_t)width;
    picture->height = (uint32_t)height;
    return TR_OK;
}

void tr_picture_release(struct tr_picture *picture)
{
    free(picture->rgb);
    *picture = (struct tr_picture){0};
}

enum tr_status tr_picture_write(const struct tr_picture *picture, const char *path, bool replace,
                                struct tr_error *error)
{
    struct tr_writer png = {0};
    enum tr_status status = tr_png_write(picture->rgb, picture->width, picture->height, &png, error);

    if (status == TR_OK)
        status = tr_file_write(path, png.bytes, png.size_bytes, 0644, replace, error);
    tr_writer_release(&png);
    return status;
}

/* ---- colours ---- */

static uint8_t channel(double v)
{
    return (uint8_t)(tr_clamp01(v) * 255.0 + 0.5);
}

struct tr_colour tr_colour_ramp(const struct tr_colour_stop *stops, size_t count, double at)
{
    size_t i = 1;

    while (i + 1 < count && stops[i].at < at)
        i++;
    return tr_colour_mix(stops[i - 1].colour, stops[i].colour, tr_ramp(stops[i - 1].at, stops[i].at, at));
}

void tr_picture_set(struct tr_picture *picture, uint32_t x, uint32_t y, struct tr_colour colour)
{
    uint8_t *pixel = picture->rgb + ((size_t)y * picture->width + x) * 3;

    pixel[0] = channel(colour.r);
    pixel[1] = channel(colour.g);
    pixel[2] = channel(colour.b);
}

void tr_picture_blend(struct tr_picture *picture, int64_t x, int64_t y, struct tr_colour colour, double alpha)
{
    const uint8_t *pixel;

    if (x < 0 || y < 0 || x >= picture->width || y >= picture->height || alpha <= 0.0)
        return;
    pixel = picture->rgb + ((size_t)y * picture->width + (size_t)x) * 3;
    tr_picture_set(picture, (uint32_t)x, (uint32_t)y,
                   tr_colour_mix(tr_colour(pixel[0], pixel[1], pixel[2]), colour, tr_clamp01(alpha)));
}

/* ---- shapes ---- */

static double segment_distance(double px, double py, double x0, double y0, double x1, double y1)
{
    double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    double t = length2 > 0.0 ? tr_clamp01(((px - x0) * dx + (py - y0) * dy) / length2) : 0.0;
    double ex = px - x0 - t * dx, ey = py - y0 - t * dy;

    return sqrt(ex * ex + ey * ey);
}

/* Pixels that a shape between lo and hi may touch along one axis. */
static void pixel_span(double lo, double hi, uint32_t side, int64_t *first, int64_t *last)
{
    *first = (int64_t)floor(fmax(lo - 1.0, 0.0));
    *last = (int64_t)floor(fmin(hi + 1.0, (double)side - 1.0));
}

void tr_draw_box(struct tr_picture *picture, double x0, double y0, double x1, double y1, double radius,
                 struct tr_colour colour, double alpha)
{
    double middle_x = (x0 + x1) / 2.0, middle_y = (y0 + y1) / 2.0;
    double half_x = (x1 - x0) / 2.0 - radius, half_y = (y1 - y0) / 2.0 - radius;
    int64_t first_x, last_x, first_y, last_y;

    pixel_span(x0, x1, picture->width, &first_x, &last_x);
    pixel_span(y0, y1, picture->height, &first_y, &last_y);
    for (int64_t y = first_y; y <= last_y; y++)
        for (int64_t x = first_x; x <= last_x; x++) {
            double dx = fabs((double)x + 0.5 - middle_x) - half_x,
                   dy = fabs((double)y + 0.5 - middle_y) - half_y;
            double outside = hypot(fmax(dx, 0.0), fmax(dy, 0.0)) + fmin(fmax(dx, dy), 0.0) - radius;

            tr_picture_blend(picture, x, y, colour, alpha * tr_clamp01(0.5 - outside));
        }
}

void tr_draw_line(struct tr_picture *picture, double x0, double y0, double x1, double y1, double width,
                  struct tr_colour colour, double alpha)
{
    int64_t first_x, last_x, first_y, last_y;

    pixel_span(fmin(x0, x1) - width, fmax(x0, x1) + width, picture->width, &first_x, &last_x);
    pixel_span(fmin(y0, y1) - width, fmax(y0, y1) + width, picture->height, &first_y, &last_y);
    for (int64_t y = first_y; y <= last_y; y++)
        for (int64_t x = first_x; x <= last_x; x++) {
            double d = segment_distance((double)x + 0.5, (double)y + 0.5, x0, y0, x1, y1);

            tr_picture_blend(picture, x, y, colour, alpha * tr_clamp01(width / 2.0 + 0.5 - d));
        }
}

void tr_draw_triangle(struct tr_picture *picture, const double corners[3][2], struct tr_colour colour,
                      double alpha)
{
    const double(*c)[2] = corners;
    double turn = (c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (c[1][1] - c[0][1]) * (c[2][0] - c[0][0]);
    int64_t first_x, last_x, first_y, last_y;

    pixel_span(fmin(c[0][0], fmin(c[1][0], c[2][0])), fmax(c[0][0], fmax(c[1][0], c[2][0])), picture->width,
               &first_x, &last_x);
    pixel_span(fmin(c[0][1], fmin(c[1][1], c[2][1])), fmax(c[0][1], fmax(c[1][1], c[2][1])), picture->height,
               &first_y, &last_y);
    for (int64_t y = first_y; y <= last_y; y++)
        for (int64_t x = first_x; x <= last_x; x++) {
            double inside = INFINITY;

            for (int i = 0; i < 3; i++) {
                const double *a = c[i], *b = c[(i + 1) % 3];
                double dx = b[0] - a[0], dy = b[1] - a[1];
                double side = (dx * ((double)y + 0.5 - a[1]) - dy * ((double)x + 0.5 - a[0])) / hypot(dx, dy);

                inside = fmin(inside, turn > 0.0 ? side : -side);
            }
            tr_picture_blend(picture, x, y, colour, alpha * tr_clamp01(inside + 0.5));
        }
}

/* ---- letters ---- */

/* Strokes on a grid 6 high: pairs of digits are points (x from the left, y from the top), a blank lifts the
 * pen. */
struct glyph {
    char letter;
    uint8_t width;
    const char *strokes;
};

static const struct glyph glyphs[] = {
    {'0', 4, "103041453616050110"},
    {'1', 2, "022026"},
    {'2', 4, "0110304142330646"},
    {'3', 4, "01103041423313 334445361605"},
    {'4', 4, "36300444"},
    {'5', 4, "400002324345361605"},
    {'6', 4, "413010010516364544331304"},
    {'7', 4, "004016"},
    {'8', 4, "13020110304142331304051636454433"},
    {'9', 4, "051636454130100102133342"},
    {'-', 3, "0333"},
    {'.', 0, "0606"},
    {'=', 4, "0343 0545"},
    {'m', 6, "0206 0312223336 3342526366"},
    {'k', 3, "0006 3204 1336"},
    {'N', 4, "06004640"},
    {'x', 4, "0246 4206"},
    {'z', 4, "02420646"},
};

#define GLYPH_GRID 6.0
#define GLYPH_GAP 2.0
#define GLYPH_BLANK 2.0
#define GLYPH_STROKE 0.9 /* of a grid step */

static const struct glyph *glyph_find(char letter)
{
    for (size_t i = 0; i < sizeof glyphs / sizeof glyphs[0]; i++)
        if (glyphs[i].letter == letter)
            return &glyphs[i];
    return NULL;
}

static double glyph_advance(const struct glyph *glyph)
{
    return (glyph ? glyph->width : GLYPH_BLANK) + GLYPH_GAP;
}

double tr_text_width(double size, const char *text)
{
    double steps = 0.0;

    for (; *text; text++)
        steps += glyph_advance(glyph_find(*text));
    return steps > 0.0 ? (steps - GLYPH_GAP) * size / GLYPH_GRID : 0.0;
}

/* Distance of a point from the nearest stroke, all in grid steps. */
static double glyph_distance(const struct glyph *glyph, double x, double y)
{
    double nearest = INFINITY;

    for (const char *s = glyph->strokes; s[0] && s[1] && s[2]; s += s[2] == ' ' ? 3 : 2)
        if (s[2] != ' ')
            nearest = fmin(nearest, segment_distance(x, y, s[0] - '0', s[1] - '0', s[2] - '0', s[3] - '0'));
    return nearest;
}

void tr_draw_text(struct tr_picture *picture, double x, double y, double size, const char *text,
                  struct tr_colour colour)
{
    double step = size / GLYPH_GRID, top = y - size / 2.0;

    for (; *text; text++) {
        const struct glyph *glyph = glyph_find(*text);
        int64_t first_x, last_x, first_y, last_y;

        if (glyph) {
            pixel_span(x - step, x + (glyph->width + 1) * step, picture->width, &first_x, &last_x);
            pixel_span(top - step, top + size + step, picture->height, &first_y, &last_y);
            for (int64_t py = first_y; py <= last_y; py++)
                for (int64_t px = first_x; px <= last_x; px++) {
                    double d =
                        glyph_distance(glyph, ((double)px + 0.5 - x) / step, ((double)py + 0.5 - top) / step);

                    tr_picture_blend(picture, px, py, colour,
                                     tr_clamp01((GLYPH_STROKE / 2.0 - d) * step + 0.5));
                }
        }
        x += glyph_advance(glyph) * step;
    }
}

/* ---- ground beyond the data ---- */

#define VEIL 0.38
#define DASH_LENGTH 7.0
#define DASH_PERIOD 12.0

double tr_beyond_data(const struct tr_world_info *info, int axis, double at)
{
    double end = (double)TR_CHUNK * (axis == 0 ? info->size_x : info->size_z), beyond = -INFINITY;

    if (info->extent[axis] > 0.0)
        beyond = info->extent[axis] - at;
    if (info->extent[axis + 2] < end)
        beyond = fmax(beyond, at - info->extent[axis + 2]);
    return beyond;
}

struct tr_colour tr_veiled(struct tr_colour colour, double cover)
{
    static const struct tr_colour veil = {0.945, 0.945, 0.93};

    return tr_colour_mix(colour, veil, VEIL * cover);
}

void tr_draw_data_edge(struct tr_picture *picture, double x0, double y0, double x1, double y1)
{
    static const struct tr_colour edge_ink = {0.25, 0.25, 0.27};
    double length = hypot(x1 - x0, y1 - y0);

    x0 = floor(x0) + 0.5, y0 = floor(y0) + 0.5, x1 = floor(x1) + 0.5, y1 = floor(y1) + 0.5;
    for (double from = 0.0; from < length; from += DASH_PERIOD) {
        double a = from / length, b = fmin(from + DASH_LENGTH, length) / length;

        tr_draw_line(picture, x0 + (x1 - x0) * a, y0 + (y1 - y0) * a, x0 + (x1 - x0) * b, y0 + (y1 - y0) * b,
                     1.0, edge_ink, 0.7);
    }
}

/* ---- numbers ---- */

double tr_round_step(double least)
{
    double power = pow(10.0, floor(log10(least)));
    static const double steps[] = {1.0, 2.0, 5.0, 10.0};

    for (size_t i = 0; i < 4; i++)
        if (steps[i] * power >= least * (1.0 - 1e-9))
            return steps[i] * power;
    return 10.0 * power;
}

void tr_metres_text(double metres, double step, bool in_km, bool with_unit, char text[48])
{
    double unit = in_km ? 1000.0 : 1.0, shown = metres / unit;
    int decimals = 0;

    while (decimals < 4 &&
           fabs(step / unit * pow(10.0, decimals) - floor(step / unit * pow(10.0, decimals) + 0.5)) > 1e-6)
        decimals++;
    if (fabs(shown) < 0.5 * pow(10.0, -decimals))
        shown = 0.0; /* no "-0" */
    snprintf(text, 48, "%.*f%s", decimals, shown, with_unit ? in_km ? " km" : " m" : "");
}
