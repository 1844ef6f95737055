#include "tests/naive/naive_stroke.h"
#include "tests/naive/naive_float.h"
#include "tests/naive/naive_noise.h"

#include <stdlib.h>

static double strength_of(const struct naive_edit *edit, double strength, double voxel_size)
{
    if (edit->op == NAIVE_SET || edit->op == NAIVE_GRAB)
        return 1.0;
    if (naive_has_lambda(edit->op))
        return strength;
    double units = strength / voxel_size * NAIVE_UNITS;
    if (naive_is_noise(edit->op))
        units = units / naive_noise_weight(edit->octaves);
    bool takes = edit->op == NAIVE_LOWER || edit->op == NAIVE_VOLUME_ADD || edit->op == NAIVE_VOLUME_NOISE ||
                 edit->op == NAIVE_VOLUME_STAMP || edit->op == NAIVE_INFLATE;
    return takes ? -units : units;
}

static struct naive_stamp stamp_of_point(const struct naive_edit *edit, const struct naive_point *point,
                                         double voxel_size)
{
    struct naive_stamp stamp = {.radius = point->radius / voxel_size,
                                .strength = strength_of(edit, point->strength, voxel_size)};
    for (int i = 0; i < 3; i++)
        stamp.at[i] = point->at[i] / voxel_size;
    if (naive_is_height_brush(edit->op))
        stamp.at[1] = 0.0;
    return stamp;
}

int naive_height_of_metres(double metres, double voxel_size)
{
    return (int)floor(metres / voxel_size * NAIVE_UNITS + 0.5);
}

struct naive_measures naive_measure(const struct naive_edit *edit, double voxel_size)
{
    const struct naive_point *first = edit->path != NULL ? edit->path : &edit->place;
    struct naive_measures m = {.scale = edit->scale / voxel_size,
                               .height = naive_height_of_metres(edit->height, voxel_size),
                               .blend_width = edit->blend.width / voxel_size};
    for (int i = 0; i < 3; i++) {
        m.point[i] = (edit->has_point ? edit->point[i] : first->at[i]) / voxel_size;
        m.by[i] = edit->by[i] / voxel_size;
    }
    return m;
}

static double mix(double a, double b, double share)
{
    return a + share * (b - a);
}

/* The stamp at `length` along the path, whose points are stamps at the lengths `along`. */
static struct naive_stamp stamp_at(const struct naive_stamp *points, const double *along, size_t count,
                                   double length)
{
    if (count == 1)
        return points[0];
    size_t i = 0; /* the last segment that begins at or before the length */
    while (i + 2 < count && along[i + 1] <= length)
        i++;
    double whole = along[i + 1] - along[i];
    double share = whole > 0.0 ? (length - along[i]) / whole : 0.0;
    const struct naive_stamp *a = &points[i], *b = &points[i + 1];
    struct naive_stamp stamp = {.radius = mix(a->radius, b->radius, share),
                                .strength = mix(a->strength, b->strength, share)};
    for (int k = 0; k < 3; k++)
        stamp.at[k] = mix(a->at[k], b->at[k], share);
    return stamp;
}

static struct naive_stamp *stamps_along(const struct naive_edit *edit, double voxel_size,
                                        struct naive_stamp *points, double *along, size_t *count)
{
    for (size_t i = 0; i < edit->path_count; i++) {
        points[i] = stamp_of_point(edit, &edit->path[i], voxel_size);
        along[i] = 0.0;
        if (i > 0) {
            double step[3];
            for (int k = 0; k < 3; k++)
                step[k] = points[i].at[k] - points[i - 1].at[k];
            along[i] = along[i - 1] + sqrt(naive_dot(step, step));
        }
    }
    double spacing = edit->spacing > 0.0 ? edit->spacing / voxel_size : points[0].radius / 2.0;
    double whole = along[edit->path_count - 1];
    *count = 1;
    while ((double)*count * spacing <= whole)
        ++*count;
    struct naive_stamp *stamps = malloc(*count * sizeof *stamps);
    for (size_t i = 0; stamps != NULL && i < *count; i++)
        stamps[i] = stamp_at(points, along, edit->path_count, (double)i * spacing);
    return stamps;
}

struct naive_stamp *naive_stamps(const struct naive_edit *edit, double voxel_size, size_t *count)
{
    *count = 1;
    if (edit->path == NULL) {
        struct naive_stamp *stamp = malloc(sizeof *stamp);
        if (stamp != NULL)
            *stamp = naive_is_shape(edit->op) ? (struct naive_stamp){.radius = 1.0}
                                              : stamp_of_point(edit, &edit->place, voxel_size);
        return stamp;
    }
    struct naive_stamp *points = malloc(edit->path_count * sizeof *points), *stamps = NULL;
    double *along = malloc(edit->path_count * sizeof *along);
    if (points != NULL && along != NULL)
        stamps = stamps_along(edit, voxel_size, points, along, count);
    free(points);
    free(along);
    return stamps;
}
