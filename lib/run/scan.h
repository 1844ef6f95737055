/* Triangles onto a grid of samples: clipped, by the rule that a sample on a shared edge belongs to one side of it
 * only, with what is needed to interpolate in perspective.
 *
 * Corners are snapped to 1/256 of a sample and edges are tested in 64-bit integers, so two triangles that share
 * two corners neither leave a gap between them nor cover a sample twice. Whoever scans gives the rectangle of
 * samples that is his: several may scan the same triangle into rectangles of their own at the same time. */
#ifndef TR_RUN_SCAN_H
#define TR_RUN_SCAN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define TR_SCAN_UNITS 256 /* of a sample */
/* Clipped beyond so many half pictures from the middle, of a picture so many samples wide at most: 2^29 units, so that the products of
 * differences stay below 2^61. */
#define TR_SCAN_GUARD 64.0
#define TR_SCAN_SAMPLES_MAX 32768
/* Five planes add a corner each; of a polygon so thin that rounding bends it a plane may cut more, half as many again. */
#define TR_SCAN_CORNERS_MAX 24

struct tr_scan_rect {
    int32_t x0, y0, x1, y1; /* samples, x1 and y1 excluded */
};

/* What covers a sample. On the picture each of `parts` is a plane: its value at the first sample of what is scanned, and its
 * slopes along x and y. It stands for the part of a corner in the position there, divided by w; their sum is 1/w. */
struct tr_scan_planes {
    double parts[3][3];
    bool is_front; /* counter-clockwise on the picture */
};

/* Called for each covered sample; q[i]: the parts there. */
typedef void tr_scan_cover(void *context, const struct tr_scan_planes *planes, int32_t x, int32_t y,
                           const double q[3]);

struct tr_scan_corner {
    double clip[4];
    double parts[3]; /* of the triangle's corners in it */
};

/* Distances from the clipping planes, in front of them positive: near, and the four of the guard. */
static inline double tr_scan_inside(const double clip[4], int plane, double near)
{
    double guard = TR_SCAN_GUARD * clip[3];

    switch (plane) {
    case 0:
        return clip[3] - near;
    case 1:
        return guard - clip[0];
    case 2:
        return guard + clip[0];
    case 3:
        return guard - clip[1];
    default:
        return guard + clip[1];
    }
}

/* Cuts a polygon by each plane that it crosses (after Sutherland and Hodgman 1974). Returns how many corners are left. */
static inline int tr_scan_clip(struct tr_scan_corner corners[TR_SCAN_CORNERS_MAX], double near)
{
    int count = 3;

    for (int plane = 0; plane < 5 && count > 0; plane++) {
        struct tr_scan_corner kept[TR_SCAN_CORNERS_MAX];
        int kept_count = 0;

        for (int i = 0; i < count; i++) {
            const struct tr_scan_corner *a = &corners[i], *b = &corners[(i + 1) % count];
            double from = tr_scan_inside(a->clip, plane, near), to = tr_scan_inside(b->clip, plane, near);

            if (from >= 0.0)
                kept[kept_count++] = *a;
            if ((from >= 0.0) != (to >= 0.0)) {
                struct tr_scan_corner *cut = &kept[kept_count++];
                double t = from / (from - to);

                for (int k = 0; k < 4; k++)
                    cut->clip[k] = a->clip[k] + (b->clip[k] - a->clip[k]) * t;
                for (int k = 0; k < 3; k++)
                    cut->parts[k] = a->parts[k] + (b->parts[k] - a->parts[k]) * t;
            }
        }
        count = kept_count;
        for (int i = 0; i < count; i++)
            corners[i] = kept[i];
    }
    return count;
}

static inline int32_t tr_scan_floor_sample(int64_t units)
{
    return (int32_t)((units - TR_SCAN_UNITS / 2) >> 8);
}

/* One triangle of a clipped polygon. */
static inline void tr_scan_snapped(const int64_t at[3][2], const double inv_w[3], const double parts[3][3],
                                   struct tr_scan_rect rect, tr_scan_cover *cover, void *context)
{
    int64_t area =
        (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]) - (at[1][1] - at[0][1]) * (at[2][0] - at[0][0]);
    int64_t step_x[3], step_y[3], row[3], lo[2], hi[2];
    struct tr_scan_planes planes = {.is_front = area < 0}; /* samples count downwards */
    double scale;

    if (area == 0)
        return;
    for (int axis = 0; axis < 2; axis++) {
        lo[axis] = at[0][axis] < at[1][axis] ? at[0][axis] : at[1][axis];
        hi[axis] = at[0][axis] > at[1][axis] ? at[0][axis] : at[1][axis];
        lo[axis] = at[2][axis] < lo[axis] ? at[2][axis] : lo[axis];
        hi[axis] = at[2][axis] > hi[axis] ? at[2][axis] : hi[axis];
    }
    /* the samples whose middles lie between lo and hi */
    if (rect.x0 <= tr_scan_floor_sample(lo[0]))
        rect.x0 = tr_scan_floor_sample(lo[0] - 1) + 1;
    if (rect.y0 <= tr_scan_floor_sample(lo[1]))
        rect.y0 = tr_scan_floor_sample(lo[1] - 1) + 1;
    if (rect.x1 > tr_scan_floor_sample(hi[0]) + 1)
        rect.x1 = tr_scan_floor_sample(hi[0]) + 1;
    if (rect.y1 > tr_scan_floor_sample(hi[1]) + 1)
        rect.y1 = tr_scan_floor_sample(hi[1]) + 1;
    if (rect.x0 >= rect.x1 || rect.y0 >= rect.y1)
        return;

    /* row[i]: twice the area between the edge opposite corner i and the sample, positive within */
    scale = 1.0 / (double)(area < 0 ? -area : area);
    for (int i = 0; i < 3; i++) {
        const int64_t *a = at[(i + 1) % 3], *b = at[(i + 2) % 3];
        int64_t dx = b[0] - a[0], dy = b[1] - a[1];
        int64_t x = (int64_t)rect.x0 * TR_SCAN_UNITS + TR_SCAN_UNITS / 2;
        int64_t y = (int64_t)rect.y0 * TR_SCAN_UNITS + TR_SCAN_UNITS / 2;
        bool owns_edge;

        if (area < 0) {
            dx = -dx;
            dy = -dy;
        }
        owns_edge = dy < 0 || (dy == 0 && dx > 0);
        row[i] = dx * (y - a[1]) - dy * (x - a[0]);
        for (int k = 0; k < 3; k++) {
            double weight = scale * inv_w[i] * parts[i][k];

            planes.parts[k][0] += weight * (double)row[i];
            planes.parts[k][1] += weight * (double)(-dy * TR_SCAN_UNITS);
            planes.parts[k][2] += weight * (double)(dx * TR_SCAN_UNITS);
        }
        if (!owns_edge)
            row[i]--;
        step_x[i] = -dy * TR_SCAN_UNITS;
        step_y[i] = dx * TR_SCAN_UNITS;
    }
    for (int32_t y = rect.y0; y < rect.y1; y++) {
        int64_t e[3] = {row[0], row[1], row[2]};

        for (int32_t x = rect.x0; x < rect.x1; x++) {
            if ((e[0] | e[1] | e[2]) >= 0) {
                double q[3], dx = x - rect.x0, dy = y - rect.y0;

                for (int k = 0; k < 3; k++)
                    q[k] = planes.parts[k][0] + planes.parts[k][1] * dx + planes.parts[k][2] * dy;
                cover(context, &planes, x, y, q);
            }
            for (int i = 0; i < 3; i++)
                e[i] += step_x[i];
        }
        for (int i = 0; i < 3; i++)
            row[i] += step_y[i];
    }
}

/* What was cut lies within the guard but for rounding, which of numbers far apart may be anything. */
static inline int64_t tr_scan_snap(double samples)
{
    const double most = TR_SCAN_GUARD * TR_SCAN_SAMPLES_MAX;

    return (int64_t)floor(fmin(fmax(samples, -most), most) * TR_SCAN_UNITS + 0.5);
}

/* Scans a triangle whose corners are in clip space onto a picture of width x height samples, within rect. */
static inline void tr_scan_triangle(const float *const clip[3], int32_t width, int32_t height, double near,
                                    struct tr_scan_rect rect, tr_scan_cover *cover, void *context)
{
    struct tr_scan_corner corners[TR_SCAN_CORNERS_MAX];
    int64_t at[TR_SCAN_CORNERS_MAX][2];
    double inv_w[TR_SCAN_CORNERS_MAX];
    bool is_whole = true;
    int count = 3;

    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++)
            corners[i].clip[k] = (double)clip[i][k];
        for (int k = 0; k < 3; k++)
            corners[i].parts[k] = i == k;
        for (int plane = 0; plane < 5; plane++)
            is_whole = is_whole && tr_scan_inside(corners[i].clip, plane, near) >= 0.0;
    }
    if (!is_whole)
        count = tr_scan_clip(corners, near);
    for (int i = 0; i < count; i++) {
        const double *c = corners[i].clip;

        inv_w[i] = 1.0 / c[3];
        at[i][0] = tr_scan_snap((0.5 + 0.5 * c[0] * inv_w[i]) * width);
        at[i][1] = tr_scan_snap((0.5 - 0.5 * c[1] * inv_w[i]) * height);
    }
    for (int i = 1; i + 1 < count; i++) {
        const int64_t corner_at[3][2] = {
            {at[0][0], at[0][1]}, {at[i][0], at[i][1]}, {at[i + 1][0], at[i + 1][1]}};
        const double corner_inv_w[3] = {inv_w[0], inv_w[i], inv_w[i + 1]};
        double parts[3][3];

        for (int k = 0; k < 3; k++) {
            parts[0][k] = corners[0].parts[k];
            parts[1][k] = corners[i].parts[k];
            parts[2][k] = corners[i + 1].parts[k];
        }
        tr_scan_snapped(corner_at, corner_inv_w, (const double(*)[3])parts, rect, cover, context);
    }
}

#endif
