#include "tests/naive/naive_volume.h"
#include "tests/naive/naive_float.h"

/* Distance from the plane in units, within what a sample can hold. */
static float plane_sample(const struct naive_brush *brush, const float p[3])
{
    const float limit = (float)NAIVE_SAMPLE_LIMIT;
    return naive_between((naive_dot_float(p, brush->plane) + brush->plane_offset) * 256.0f, -limit, limit);
}

int naive_brushed_sample(const struct naive_brush *brush, const int p[3], int s)
{
    const struct naive_edit *edit = brush->edit;
    const float q[3] = {(float)p[0], (float)p[1], (float)p[2]};
    float w = naive_falloff(edit->falloff, edit->power, naive_space_distance(brush, p)) * brush->strength;
    float change = w; /* add, subtract */
    if (edit->op == NAIVE_VOLUME_FLATTEN)
        change = (plane_sample(brush, q) - (float)s) * w;
    else if (edit->op == NAIVE_VOLUME_NOISE)
        change = w * naive_noise_at(&brush->noise, q);
    else if (edit->op == NAIVE_VOLUME_STAMP)
        change = w * naive_picture_at(&brush->picture, q);
    return naive_changed_sample(s, change);
}

/* Twice the limit takes any sample to any other. */
int naive_changed_sample(int s, float change)
{
    return naive_clamp_int(s + naive_round(change, 2 * NAIVE_SAMPLE_LIMIT), NAIVE_SAMPLE_LIMIT);
}

bool naive_brush_reaches(const struct naive_brush *brush, const int p[3])
{
    return naive_space_distance(brush, p) < 1.0f;
}
