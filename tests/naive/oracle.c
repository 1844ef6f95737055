/* The formulas are written from the design's text, each in a form that differs from the kernels': powers by pow, the
 * smooth minimum as a mix of the two values, the distance from a line by the cross product, noise at the place in the
 * world. */
#include "tests/naive/oracle.h"
#include "tests/naive/naive_noise.h"

#include <math.h>

double oracle_falloff(enum naive_falloff falloff, int power, double d)
{
    if (d >= 1.0)
        return 0.0;
    double p = 1.0 - d;
    switch (falloff) {
    case NAIVE_FALLOFF_SMOOTH:
        return 3.0 * pow(p, 2.0) - 2.0 * pow(p, 3.0);
    case NAIVE_FALLOFF_SMOOTHER:
        return 6.0 * pow(p, 5.0) - 15.0 * pow(p, 4.0) + 10.0 * pow(p, 3.0);
    case NAIVE_FALLOFF_SPHERE:
        return sqrt(1.0 - d * d);
    case NAIVE_FALLOFF_ROOT:
        return pow(p, 0.5);
    case NAIVE_FALLOFF_SHARP:
        return pow(p, power);
    case NAIVE_FALLOFF_POW4:
        return pow(p, 4.0);
    case NAIVE_FALLOFF_LINEAR:
        return p;
    case NAIVE_FALLOFF_INVERSE_SQUARE:
        return 1.0 - d * d;
    case NAIVE_FALLOFF_CONSTANT:
        return 1.0;
    }
    return NAN;
}

double oracle_column_distance(const double centre[3], double x, double z)
{
    return hypot(x - centre[0], z - centre[2]);
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

double oracle_space_distance(const double centre[3], const double *axis, const double p[3], double *along)
{
    const double q[3] = {p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]};
    *along = 0.0;
    if (axis == NULL)
        return length_of(q);
    const double cross[3] = {q[1] * axis[2] - q[2] * axis[1], q[2] * axis[0] - q[0] * axis[2],
                             q[0] * axis[1] - q[1] * axis[0]};
    *along = (q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2]) / length_of(axis);
    return length_of(cross) / length_of(axis);
}

static double smoothest_step(double t)
{
    return 6.0 * pow(t, 5.0) - 15.0 * pow(t, 4.0) + 10.0 * pow(t, 3.0);
}

/* The sum over the corners of the cell of each corner's share times its slope there. */
static double lattice_noise(const double p[3], uint32_t seed, bool in_space)
{
    double sum = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        double share = 1.0, slope = 0.0;
        uint32_t point[3];
        float g[3];
        for (int i = 0; i < 3; i++) {
            double low = floor(p[i]), high = corner >> i & 1;
            point[i] = (uint32_t)(int64_t)(low + high);
            share *= smoothest_step(high > 0.0 ? p[i] - low : 1.0 - (p[i] - low));
        }
        naive_noise_gradient(point, seed, in_space, g);
        for (int i = 0; i < 3; i++)
            slope += g[i] * (p[i] - (floor(p[i]) + (corner >> i & 1)));
        sum += share * slope;
    }
    return 1.5 * sum;
}

double oracle_noise(const struct oracle_noise *noise, const double p[3])
{
    double sum = 0.0, weights = 0.0, q[3];
    for (int octave = 0; octave < noise->octaves; octave++) {
        double weight = pow(0.5, octave);
        uint32_t seed = naive_noise_seed(noise->seed) + (uint32_t)octave * NAIVE_OCTAVE_SEED;
        for (int i = 0; i < 3; i++)
            q[i] = i == 1 && !noise->in_space ? 0.0 : p[i] / (noise->scale * weight);
        sum += weight * lattice_noise(q, seed, noise->in_space);
        weights += weight;
    }
    return sum / weights;
}

/* ---- images ---- */

static int halved_size(int size, int halvings)
{
    for (; halvings > 0; halvings--)
        size = size / 2 + size % 2;
    return size;
}

/* A pixel is the mean of four of the image halved once less. */
static int pixel(const struct naive_image *image, int halvings, int x, int y)
{
    if (halvings == 0)
        return image->pixels[y * image->width + x];
    int last_x = halved_size(image->width, halvings - 1) - 1,
        last_y = halved_size(image->height, halvings - 1) - 1;
    int sum = 0;
    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++)
            sum += pixel(image, halvings - 1, 2 * x + dx < last_x ? 2 * x + dx : last_x,
                         2 * y + dy < last_y ? 2 * y + dy : last_y);
    return (int)floor(sum / 4.0 + 0.5);
}

double oracle_image(const struct naive_image *image, int halvings, double x, double y)
{
    int last_x = halved_size(image->width, halvings) - 1, last_y = halved_size(image->height, halvings) - 1;
    double sum = 0.0;
    x = fmin(fmax(x, 0.0), last_x);
    y = fmin(fmax(y, 0.0), last_y);
    for (int i = 0; i < 4; i++) {
        double px = floor(x) + i % 2, py = floor(y) + i / 2,
               share = (1.0 - fabs(x - px)) * (1.0 - fabs(y - py));
        if (px <= last_x && py <= last_y)
            sum += share * pixel(image, halvings, (int)px, (int)py);
    }
    return sum / 65535.0;
}

void oracle_image_steps(const struct naive_image *image, int halvings, double steps[2])
{
    int width = halved_size(image->width, halvings), height = halved_size(image->height, halvings);
    steps[0] = steps[1] = 0.0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double own = pixel(image, halvings, x, y);
            if (x > 0)
                steps[0] = fmax(steps[0], fabs(own - pixel(image, halvings, x - 1, y)) / 65535.0);
            if (y > 0)
                steps[1] = fmax(steps[1], fabs(own - pixel(image, halvings, x, y - 1)) / 65535.0);
        }
}

/* Right and up as who looks at the image sees them, before it is turned. */
static void image_axes(const struct naive_edit *edit, double right[3], double up[3])
{
    static const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    double n[3] = {0, 1, 0};
    for (int i = 0; i < 3 && !naive_is_height_brush(edit->op); i++)
        n[i] = edit->normal[i] / length_of(edit->normal);
    const double *level = fabs(n[0]) < 0.9 ? x : z, along = fabs(n[0]) < 0.9 ? n[0] : n[2];
    for (int i = 0; i < 3; i++)
        right[i] = (level[i] - along * n[i]) / sqrt(1.0 - along * along);
    for (int i = 0; i < 3; i++)
        up[i] = n[(i + 1) % 3] * right[(i + 2) % 3] - n[(i + 2) % 3] * right[(i + 1) % 3];
}

/* The place is turned back. */
double oracle_stamp(const struct naive_edit *edit, double radius, const double centre[3], const double p[3])
{
    const struct naive_image *image = edit->image;
    double right[3], up[3], across = 0.0, above = 0.0, angle = edit->degrees * acos(-1.0) / 180.0;
    int halvings = 0;
    while (halved_size(image->width, halvings) > fmax(4.0 * radius, 1.0) ||
           halved_size(image->height, halvings) > fmax(4.0 * radius, 1.0))
        halvings++;
    image_axes(edit, right, up);
    for (int i = 0; i < 3; i++) {
        double from_centre = i == 1 && naive_is_height_brush(edit->op) ? 0.0 : p[i] - centre[i];
        across += from_centre * right[i] / radius;
        above += from_centre * up[i] / radius;
    }
    double x = across * cos(angle) + above * sin(angle), y = above * cos(angle) - across * sin(angle);
    return oracle_image(image, halvings, (1.0 + x) / 2.0 * (halved_size(image->width, halvings) - 1),
                        (1.0 - y) / 2.0 * (halved_size(image->height, halvings) - 1));
}

/* ---- blends ---- */

static double smooth_minimum(double a, double b, double k)
{
    /* The share of b, and what the corner between the two lines is rounded off by. */
    double share = fmin(fmax(0.5 + (a - b) / (2.0 * k), 0.0), 1.0);
    return a * (1.0 - share) + b * share - k * share * (1.0 - share);
}

double oracle_union(const struct naive_blend *blend, double k, double a, double b)
{
    switch (blend->kind) {
    case NAIVE_BLEND_SMOOTH:
        return smooth_minimum(a, b, k);
    case NAIVE_BLEND_CHAMFER: /* the line through (k, 0) and (0, k) */
        return fmin(fmin(a, b), (a + b - k) / sqrt(2.0));
    case NAIVE_BLEND_STAIRS: /* how far b - a - k is from the nearest whole period */
        return fmin(fmin(a, b), (a + b - k + fabs(remainder(b - a - k, 2.0 * k / blend->steps))) / 2.0);
    case NAIVE_BLEND_HARD:
        break;
    }
    return fmin(a, b);
}

double oracle_combine(enum naive_op op, const struct naive_blend *blend, double k, double stored, double d)
{
    if (op == NAIVE_UNION)
        return oracle_union(blend, k, stored, d);
    return -oracle_union(blend, k, -stored, op == NAIVE_INTERSECT ? -d : d);
}

double oracle_smooth(double value, const double *neighbours, int count)
{
    double mean = 0.0;
    for (int i = 0; i < count; i++)
        mean += neighbours[i] / count;
    return mean - value;
}
