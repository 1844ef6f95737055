/* Cropping. A place in the picture is affine in the point, so over a box of points it lies within its value in the middle and the sum of what
 * each half side adds. Kernels compute it in float, off by far less than a pixel: one pixel more below, and two above (between pixels
 * two are needed), leave room for that. What is cropped begins at a place that follows from the frame alone, because the numbers a kernel
 * computes with are relative to it. */
#include "lib/edit/grey.h"

#include "lib/edit/tree.h"

#include <math.h>
#include <stdlib.h>

void tr_grey_release(struct tr_grey *picture)
{
    free(picture->pixels);
    *picture = (struct tr_grey){0};
}

uint32_t tr_grey_halvings(uint32_t width, uint32_t height, double across, double down)
{
    uint32_t halvings = 0;

    while ((width > 1 && width > 2.0 * across) || (height > 1 && height > 2.0 * down)) {
        width = width / 2 + width % 2;
        height = height / 2 + height % 2;
        halvings++;
    }
    return halvings;
}

enum tr_status tr_grey_make(const struct tr_resource *image, uint32_t halvings, struct tr_grey *picture,
                            struct tr_error *error)
{
    return tr_image_halve(image, halvings, &picture->pixels, &picture->width, &picture->height, error);
}

/* ---- crops ---- */

static uint32_t clamp_index(double v, uint32_t lo, uint32_t hi)
{
    return v <= lo ? lo : v >= hi ? hi : (uint32_t)v;
}

void tr_crop_range(const struct tr_crop *crop, const double r[3], double t, uint32_t size, uint32_t least,
                   uint32_t *first, uint32_t *count)
{
    const double *m = crop->middle, *h = crop->half;
    double middle = r[0] * m[0] + r[1] * m[1] + r[2] * m[2] + t;
    double way = fabs(r[0]) * h[0] + fabs(r[1]) * h[1] + fabs(r[2]) * h[2];
    uint32_t last = size - 1;

    least = least < size ? least : size;
    *first = 0;
    if (!crop->is_whole) {
        *first = clamp_index(floor(middle - way) - 1.0, 0, size - least);
        last = clamp_index(floor(middle + way) + 2.0, *first + least - 1, size - 1);
    }
    *count = last - *first + 1;
}

/* What part of a picture a crop needs. */
struct part {
    uint32_t first[2], count[2]; /* columns, rows */
};

static struct part part_of(const struct tr_grey *picture, const struct tr_grey_place *place,
                           const struct tr_crop *crop)
{
    struct part part;

    tr_crop_range(crop, place->a, place->a0, picture->width, 1, &part.first[0], &part.count[0]);
    tr_crop_range(crop, place->b, place->b0, picture->height, 1, &part.first[1], &part.count[1]);
    return part;
}

static size_t part_words(const struct part *part)
{
    return TR_IMAGE_PIXELS + ((size_t)part->count[0] * part->count[1] + 1) / 2;
}

size_t tr_grey_words(const struct tr_grey *picture, const struct tr_grey_place *place,
                     const struct tr_crop *crop)
{
    struct part part = part_of(picture, place, crop);

    return part_words(&part);
}

static uint32_t *put_number(uint32_t *words, double v)
{
    *words = tr_number_word(v);
    return words + 1;
}

uint32_t *tr_grey_write(const struct tr_grey *picture, const struct tr_grey_place *place,
                        const struct tr_crop *crop, uint32_t *words)
{
    struct part part = part_of(picture, place, crop);
    uint32_t *end = words + part_words(&part), *to = words;
    size_t index = 0;

    for (int i = 0; i < 3; i++)
        to = put_number(to, place->a[i]);
    to = put_number(to, place->a0 - part.first[0]);
    for (int i = 0; i < 3; i++)
        to = put_number(to, place->b[i]);
    to = put_number(to, place->b0 - part.first[1]);
    to = put_number(to, -(double)part.first[0]);
    to = put_number(to, -(double)part.first[1]);
    to = put_number(to, (double)picture->width - 1.0 - part.first[0]);
    to = put_number(to, (double)picture->height - 1.0 - part.first[1]);
    *to++ = part.count[0];
    *to++ = part.count[1];
    for (uint32_t *word = to; word < end; word++)
        *word = 0;
    for (uint32_t row = 0; row < part.count[1]; row++)
        for (uint32_t column = 0; column < part.count[0]; column++, index++)
            to[index / 2] |=
                (uint32_t)
                    picture->pixels[(size_t)(part.first[1] + row) * picture->width + part.first[0] + column]
                << 16 * (index % 2);
    return end;
}
