#include "tests/naive/naive_reshape.h"
#include "tests/naive/naive_float.h"
#include "tests/naive/naive_volume.h"

static int clamp_to(int v, int lo, int hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

int naive_sample_before(const struct naive_world *world, int x, int y, int z)
{
    x = clamp_to(x, 0, world->size_x - 1);
    z = clamp_to(z, 0, world->size_z - 1);
    y = clamp_to(y - NAIVE_OWNER * world->row_lo, 0, world->size_y - 1);
    size_t column = (size_t)z * (size_t)world->size_x + (size_t)x;
    return world->samples_before[column * (size_t)world->size_y + (size_t)y];
}

void naive_samples_around(const struct naive_world *world, const int low[3], int samples[8])
{
    for (int i = 0; i < 8; i++)
        samples[i] = naive_sample_before(world, low[0] + i % 2, low[1] + i / 2 % 2, low[2] + i / 4);
}

static int neighbour(const struct naive_world *world, const int p[3], int axis, int way)
{
    int q[3] = {p[0], p[1], p[2]};
    q[axis] += way;
    return naive_sample_before(world, q[0], q[1], q[2]);
}

static int smoothed(const struct naive_world *world, const int p[3], int s, float w)
{
    int sum = 0;
    for (int axis = 0; axis < 3; axis++)
        sum += neighbour(world, p, axis, -1) + neighbour(world, p, axis, 1);
    return naive_changed_sample(s, (float)(sum - 6 * s) * (w * (float)(1.0 / 6.0)));
}

static int inflated(const struct naive_world *world, const int p[3], int s, float w)
{
    float slope[3];
    for (int axis = 0; axis < 3; axis++)
        slope[axis] = (float)(neighbour(world, p, axis, 1) - neighbour(world, p, axis, -1)) / 512.0f;
    return naive_changed_sample(s, w * naive_root(naive_dot_float(slope, slope)));
}

static float mix(int low, int high, float share)
{
    return (float)low + share * (float)(high - low);
}

/* Trilinear: along x, then y, then z. */
static int value_between(const struct naive_world *world, const int low[3], const float share[3])
{
    int s[8];
    float along_x[4], along_y[2];
    naive_samples_around(world, low, s);
    for (int i = 0; i < 4; i++)
        along_x[i] = mix(s[2 * i], s[2 * i + 1], share[0]);
    for (int i = 0; i < 2; i++)
        along_y[i] = along_x[2 * i] + share[1] * (along_x[2 * i + 1] - along_x[2 * i]);
    return naive_round(along_y[0] + share[2] * (along_y[1] - along_y[0]), NAIVE_SAMPLE_LIMIT);
}

/* Taken from p + by times the way: the place is computed in the frame, then the sample found in the world. */
static int carried(const struct naive_world *world, const int corner[3], const int in_frame[3],
                   const float way[3], float by)
{
    int low[3];
    float share[3];
    for (int i = 0; i < 3; i++) {
        float from = (float)in_frame[i] + by * way[i];
        share[i] = from - floorf(from);
        low[i] = corner[i] + (int)floorf(from);
    }
    return value_between(world, low, share);
}

int naive_reshaped_sample(const struct naive_world *world, const struct naive_brush *brush,
                          const int corner[3], const int p[3])
{
    const struct naive_edit *edit = brush->edit;
    const int in_frame[3] = {p[0] - corner[0], p[1] - corner[1], p[2] - corner[2]};
    int s = naive_sample_before(world, p[0], p[1], p[2]);
    float w = naive_falloff(edit->falloff, edit->power, naive_space_distance(brush, in_frame));
    float from_centre[3];
    for (int i = 0; i < 3; i++)
        from_centre[i] = (float)in_frame[i] - brush->centre[i];
    switch (edit->op) {
    case NAIVE_VOLUME_SMOOTH:
        return smoothed(world, p, s, w * brush->strength);
    case NAIVE_INFLATE:
        return inflated(world, p, s, w * brush->strength);
    case NAIVE_PINCH:
        return carried(world, corner, in_frame, from_centre, w * brush->strength);
    default: /* grab */
        return carried(world, corner, in_frame, brush->by, 0.0f - w);
    }
}

int naive_reshape_reach(const struct naive_edit *edit, const struct naive_measures *measures,
                        const struct naive_stamp *stamp)
{
    switch (edit->op) {
    case NAIVE_PINCH:
        return (int)ceil((edit->projected ? sqrt(2.0) : 1.0) * stamp->radius) + 1;
    case NAIVE_GRAB:
        return (int)ceil(fabs(measures->by[1])) + 1;
    default:
        return 1;
    }
}
