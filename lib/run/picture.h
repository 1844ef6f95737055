/* Drawing on a picture: colours, anti-aliased strokes, and a small font of strokes. For relief.c and
 * slice.c.
 *
 * Positions are in pixels from the top left corner of the picture; the middle of the first pixel is (0.5,
 * 0.5). What lies outside is clipped. */
#ifndef TR_RUN_PICTURE_H
#define TR_RUN_PICTURE_H

#include "lib/run/preview.h"

struct tr_colour {
    double r, g, b; /* 0..1, as stored (sRGB) */
};

static inline struct tr_colour tr_colour(int r, int g, int b) /* 0..255 */
{
    return (struct tr_colour){r / 255.0, g / 255.0, b / 255.0};
}

static inline double tr_clamp01(double v)
{
    return v < 0.0 ? 0.0 : v > 1.0 ? 1.0 : v;
}

/* 0 below lo, 1 above hi, smooth between */
static inline double tr_ramp(double lo, double hi, double v)
{
    double t = tr_clamp01((v - lo) / (hi - lo));

    return t * t * (3.0 - 2.0 * t);
}

static inline struct tr_colour tr_colour_mix(struct tr_colour a, struct tr_colour b, double t)
{
    return (struct tr_colour){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

/* A row of colours, each at its place in 0..1, rising; the first at 0, the last at 1. */
struct tr_colour_stop {
    double at;
    struct tr_colour colour;
};
struct tr_colour tr_colour_ramp(const struct tr_colour_stop *stops, size_t count, double at);

/* A black picture. Refuses a side of 0 or above TR_PICTURE_SIDE_MAX (TR_BAD_INPUT); sides are whole
 * numbers. */
enum tr_status tr_picture_init(struct tr_picture *picture, double width, double height,
                               struct tr_error *error);

/* What pictures can show, else refused (TR_BAD_INPUT): a scale of 0 or at least TR_SCALE_MIN (the largest
 * world has 64,000,000 voxels), and voxels that metres can be written for. */
#define TR_SCALE_MIN 1e-6
#define TR_PICTURE_VOXEL_MIN 1e-6 /* metres */
#define TR_PICTURE_VOXEL_MAX 1e6
enum tr_status tr_picture_check(const struct tr_world_info *info, double scale, struct tr_error *error);

void tr_picture_set(struct tr_picture *picture, uint32_t x, uint32_t y, struct tr_colour colour);
void tr_picture_blend(struct tr_picture *picture, int64_t x, int64_t y, struct tr_colour colour,
                      double alpha);

/* A rectangle with corners of this radius. */
void tr_draw_box(struct tr_picture *picture, double x0, double y0, double x1, double y1, double radius,
                 struct tr_colour colour, double alpha);
void tr_draw_line(struct tr_picture *picture, double x0, double y0, double x1, double y1, double width,
                  struct tr_colour colour, double alpha);
/* Corners in either order of turning. */
void tr_draw_triangle(struct tr_picture *picture, const double corners[3][2], struct tr_colour colour,
                      double alpha);

/* Text whose left end is x, its middle y, its figures `size` high. Knows 0-9 - . = m k N x z and the blank;
 * others are blanks. */
void tr_draw_text(struct tr_picture *picture, double x, double y, double size, const char *text,
                  struct tr_colour colour);
double tr_text_width(double size, const char *text);

/* ---- ground beyond the data ---- */

/* Voxels from the data's extent along an axis (0: x, 1: z), negative within. An end where the data reach the
 * end of the world has nothing beyond it and does not count: -INFINITY when neither does. */
double tr_beyond_data(const struct tr_world_info *info, int axis, double at);
/* The colour under the veil that lies beyond the data; cover: 0..1, how much of the pixel is beyond. */
struct tr_colour tr_veiled(struct tr_colour colour, double cover);
/* An edge of the data: a thin dashed line, on the middles of pixels so that it is crisp. */
void tr_draw_data_edge(struct tr_picture *picture, double x0, double y0, double x1, double y1);

/* ---- numbers ---- */

/* The smallest of 1, 2, 5 times a power of ten that is >= least (> 0). */
double tr_round_step(double least);
/* Metres as text with as many decimals as multiples of `step` need; in km when in_km; the unit behind it
 * when with_unit. */
void tr_metres_text(double metres, double step, bool in_km, bool with_unit, char text[48]);

#endif
