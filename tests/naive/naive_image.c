#include "tests/naive/naive_image.h"
#include "tests/naive/naive_float.h"

#include <stdlib.h>

static int half_of(int size)
{
    return (size + 1) / 2;
}

int naive_halvings(const struct naive_image *image, double across, double down)
{
    int width = image->width, height = image->height, count = 0;
    for (; (width > 1 && width > 2.0 * across) || (height > 1 && height > 2.0 * down); count++) {
        width = half_of(width);
        height = half_of(height);
    }
    return count;
}

/* In place: what is written has been read. An odd last row or column counts twice. */
static void halve(struct naive_picture *picture)
{
    int width = picture->width, height = picture->height;
    picture->width = half_of(width);
    picture->height = half_of(height);
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++) {
            int sum = 0;
            for (int i = 0; i < 4; i++) {
                int from_x = 2 * x + i % 2, from_y = 2 * y + i / 2;
                from_x = from_x < width ? from_x : width - 1;
                from_y = from_y < height ? from_y : height - 1;
                sum += picture->pixels[from_y * width + from_x];
            }
            picture->pixels[y * picture->width + x] = (uint16_t)((sum + 2) / 4);
        }
}

bool naive_picture_make(const struct naive_image *image, int halvings, struct naive_picture *picture)
{
    size_t bytes = (size_t)image->width * (size_t)image->height * sizeof *image->pixels;
    *picture = (struct naive_picture){image->width, image->height, malloc(bytes)};
    if (picture->pixels == NULL)
        return false;
    memcpy(picture->pixels, image->pixels, bytes);
    for (int i = 0; i < halvings; i++)
        halve(picture);
    return true;
}

void naive_picture_release(struct naive_picture *picture)
{
    free(picture->pixels);
    *picture = (struct naive_picture){0};
}

void naive_picture_steps(const struct naive_picture *picture, double steps[2])
{
    int most[2] = {0, 0}, width = picture->width;
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < width; x++) {
            const uint16_t *pixel = &picture->pixels[y * width + x];
            int across = x + 1 < width ? abs(pixel[1] - pixel[0]) : 0;
            int down = y + 1 < picture->height ? abs(pixel[width] - pixel[0]) : 0;
            most[0] = across > most[0] ? across : most[0];
            most[1] = down > most[1] ? down : most[1];
        }
    for (int i = 0; i < 2; i++)
        steps[i] = most[i] / 65535.0;
}

struct naive_view naive_view_of_frame(void)
{
    const double half = (NAIVE_OWNER - 1) / 2.0;
    return (struct naive_view){.middle = {half, half, half}, .half = {half, half, half}};
}

int naive_first_seen(const struct naive_view *view, const double r[3], double t, int size, int least)
{
    const double *half = view->half;
    double middle = naive_dot(r, view->middle) + t;
    double way = fabs(r[0]) * half[0] + fabs(r[1]) * half[1] + fabs(r[2]) * half[2];
    double first = floor(middle - way) - 1.0;
    int last = size > least ? size - least : 0;
    if (view->is_endless || first <= 0.0)
        return 0;
    return first >= last ? last : (int)first;
}

struct naive_framed_picture naive_picture_in_frame(const struct naive_picture *picture,
                                                   const struct naive_picture_place *place,
                                                   const struct naive_view *view)
{
    struct naive_framed_picture framed = {.picture = picture};
    for (int i = 0; i < 2; i++) {
        int size = i == 0 ? picture->width : picture->height;
        framed.first[i] = naive_first_seen(view, place->a[i], place->a0[i], size, 1);
        framed.a0[i] = naive_parameter(place->a0[i] - framed.first[i]);
        naive_parameters(place->a[i], framed.a[i]);
    }
    return framed;
}

static float mix(float a, float b, float share)
{
    return a + share * (b - a);
}

float naive_picture_at(const struct naive_framed_picture *framed, const float p[3])
{
    const struct naive_picture *picture = framed->picture;
    const int sizes[2] = {picture->width, picture->height};
    int low[2], high[2];
    float share[2], rows[2];
    for (int i = 0; i < 2; i++) {
        int first = framed->first[i];
        float at = naive_dot_float(framed->a[i], p) + framed->a0[i];
        at = naive_between(at, (float)-first, (float)(sizes[i] - 1 - first));
        share[i] = at - floorf(at);
        low[i] = first + (int)floorf(at);
        high[i] = low[i] + 1 < sizes[i] ? low[i] + 1 : low[i];
    }
    for (int i = 0; i < 2; i++) {
        const uint16_t *row = &picture->pixels[(i == 0 ? low[1] : high[1]) * picture->width];
        rows[i] = mix((float)row[low[0]], (float)row[high[0]], share[0]);
    }
    return mix(rows[0], rows[1], share[1]) * (float)(1.0 / 65535.0);
}
