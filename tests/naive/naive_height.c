#include "tests/naive/naive_height.h"
#include "tests/naive/naive_float.h"

static int clamp_coordinate(int v, int size)
{
    return v < 0 ? 0 : v >= size ? size - 1 : v;
}

int naive_height_before(const struct naive_world *world, int x, int z)
{
    x = clamp_coordinate(x, world->size_x);
    z = clamp_coordinate(z, world->size_z);
    return world->heights_before[(size_t)z * (size_t)world->size_x + (size_t)x];
}

int naive_bend_before(const struct naive_world *world, int x, int z)
{
    int sum = naive_height_before(world, x - 1, z) + naive_height_before(world, x + 1, z) +
              naive_height_before(world, x, z - 1) + naive_height_before(world, x, z + 1);
    return sum - 4 * naive_height_before(world, x, z);
}

/* h + round(change), |change| < 2^30. */
static int changed_height(int height, float change)
{
    return naive_clamp_int(height + (int)floorf(change + 0.5f), NAIVE_HEIGHT_LIMIT);
}

int naive_brushed_height(const struct naive_world *world, const struct naive_brush *brush, int target, int x,
                         int z)
{
    const struct naive_edit *edit = brush->edit;
    const int in_frame[3] = {x - naive_owner_low(x), 0, z - naive_owner_low(z)};
    const float q[3] = {(float)in_frame[0], 0.0f, (float)in_frame[2]};
    int height = naive_height_before(world, x, z);
    float w =
        naive_falloff(edit->falloff, edit->power, naive_column_distance(brush, in_frame[0], in_frame[2])) *
        brush->strength;
    switch (edit->op) {
    case NAIVE_SMOOTH:
        return changed_height(height, (float)naive_bend_before(world, x, z) * (w * 0.25f));
    case NAIVE_HC_SMOOTH: {
        int bends = naive_bend_before(world, x - 1, z) + naive_bend_before(world, x + 1, z) +
                    naive_bend_before(world, x, z - 1) + naive_bend_before(world, x, z + 1);
        w = w * naive_parameter(1.0 - edit->beta) * 0.0625f;
        return changed_height(height, (float)(4 * naive_bend_before(world, x, z) - bends) * w);
    }
    case NAIVE_FLATTEN:
    case NAIVE_SET:
        return w >= 1.0f ? target : changed_height(height, (float)(target - height) * w);
    case NAIVE_NOISE:
        return changed_height(height, w * naive_noise_at(&brush->noise, q));
    case NAIVE_STAMP:
        return changed_height(height, w * naive_picture_at(&brush->picture, q));
    default: /* raise, lower */
        return changed_height(height, w);
    }
}

bool naive_brush_paints_column(const struct naive_brush *brush, int x, int z)
{
    return naive_column_distance(brush, x - naive_owner_low(x), z - naive_owner_low(z)) < 1.0f;
}

int naive_followed_sample(int s, int f, int f2)
{
    if (s == f)
        return f2;
    if (s > f)
        return s > f2 ? s : f2;
    return s < f2 ? s : f2;
}
