/* The normative formulas (lib/edit/EDITS.md), restated plainly. Parameters of an edit are computed in double
 * from its numbers, in the frame of the sample's owner (the lowest corner of its chunk, of its block for
 * shapes), and rounded to float once; then each sample is evaluated in float, in the order of operations
 * written here. The C library's sqrtf stands for the product's own square root, which is correctly rounded
 * too. */
#include "tests/naive/naive.h"
#include "tests/naive/oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "floats must be evaluated as floats");

#define UNITS 256 /* in a voxel */
#define OWNER 64  /* samples of a chunk or block along an axis */
#define HEIGHT_LIMIT 16777215
#define SAMPLE_LIMIT 32767
#define BAND 16.0           /* how far outside a hard shape it may change samples, voxels */
#define TINY 0x1p-40        /* parameters below it count as 0 */
#define LARGE_RADIUS 1024.0 /* from here on the distance that does not cancel */

static int clamp_int(int v, int limit)
{
    return v < -limit ? -limit : v > limit ? limit : v;
}

/* The lowest coordinate of the owner of coordinate v: 64 floor(v / 64). */
static int owner_low(int v)
{
    int in_owner = ((v % OWNER) + OWNER) % OWNER;
    return v - in_owner;
}

static int field_of_height(int y, int height)
{
    return clamp_int(UNITS * y - height, SAMPLE_LIMIT);
}

static size_t height_index(const struct naive_world *world, int x, int z)
{
    return (size_t)z * (size_t)world->size_x + (size_t)x;
}

static size_t sample_index(const struct naive_world *world, int x, int y, int z)
{
    return height_index(world, x, z) * (size_t)world->size_y + (size_t)(y - OWNER * world->row_lo);
}

bool naive_world_init(struct naive_world *world, int chunks_x, int chunks_z, int row_lo, int row_hi,
                      const int32_t *heights)
{
    *world = (struct naive_world){.row_lo = row_lo, .row_hi = row_hi};
    world->size_x = OWNER * chunks_x + 1;
    world->size_z = OWNER * chunks_z + 1;
    world->size_y = OWNER * (row_hi - row_lo + 1);
    size_t columns = (size_t)world->size_x * (size_t)world->size_z;
    world->heights = malloc(columns * sizeof *world->heights);
    world->before = malloc(columns * sizeof *world->before);
    world->samples = malloc(columns * (size_t)world->size_y * sizeof *world->samples);
    if (world->heights == NULL || world->before == NULL || world->samples == NULL)
        return false;
    memcpy(world->heights, heights, columns * sizeof *heights);
    size_t i = 0;
    for (size_t column = 0; column < columns; column++)
        for (int y = OWNER * row_lo; y < OWNER * (row_hi + 1); y++)
            world->samples[i++] = (int16_t)field_of_height(y, heights[column]);
    return true;
}

void naive_world_release(struct naive_world *world)
{
    free(world->heights);
    free(world->before);
    free(world->samples);
    *world = (struct naive_world){0};
}

int naive_height(const struct naive_world *world, int x, int z)
{
    return world->heights[height_index(world, x, z)];
}

int naive_field(const struct naive_world *world, int x, int y, int z)
{
    return world->samples[sample_index(world, x, y, z)];
}

/* ---- float arithmetic that needs more than + - * ---- */

/* A parameter, rounded once. */
static float to_float(double v)
{
    return fabs(v) < TINY ? 0.0f : (float)v;
}

/* Square root; what is below 2^-80 counts as 0. */
static float root(float v)
{
    return v < 0x1p-80f ? 0.0f : sqrtf(v);
}

/* 1/v: a guess from the bits of v, then four steps of Newton's y (2 - v y). The bits of the result are part
 * of the format, so the division of the machine will not do. */
static float reciprocal(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits = UINT32_C(0x7ef311c7) - bits;
    float y;
    memcpy(&y, &bits, sizeof y);
    for (int step = 0; step < 4; step++)
        y = y * (2.0f - v * y);
    return y;
}

static float smaller(float a, float b)
{
    return b < a ? b : a;
}

/* floor(v + 1/2) within the limits of a sample. */
static int to_sample(float v)
{
    float rounded = floorf(v + 0.5f);
    if (rounded < (float)-SAMPLE_LIMIT)
        return -SAMPLE_LIMIT;
    return rounded > (float)SAMPLE_LIMIT ? SAMPLE_LIMIT : (int)rounded;
}

/* ---- height brushes ---- */

static float falloff_weight(enum naive_falloff falloff, int power, float d)
{
    if (!(d < 1.0f))
        return 0.0f;
    float p = 1.0f - d;
    float w = 1.0f;
    switch (falloff) {
    case NAIVE_FALLOFF_SMOOTH:
        w = (p * p) * (3.0f - 2.0f * p);
        break;
    case NAIVE_FALLOFF_SMOOTHER:
        w = ((p * p) * p) * ((6.0f * p - 15.0f) * p + 10.0f);
        break;
    case NAIVE_FALLOFF_SPHERE:
        w = root((2.0f - p) * p);
        break;
    case NAIVE_FALLOFF_ROOT:
        w = root(p);
        break;
    case NAIVE_FALLOFF_SHARP:
        w = p;
        for (int i = 1; i < power; i++)
            w = w * p;
        break;
    case NAIVE_FALLOFF_POW4:
        w = (p * p) * (p * p);
        break;
    case NAIVE_FALLOFF_LINEAR:
        w = p;
        break;
    case NAIVE_FALLOFF_INVERSE_SQUARE:
        w = (2.0f - p) * p;
        break;
    case NAIVE_FALLOFF_CONSTANT:
        break;
    }
    return w > 1.0f ? 1.0f : w;
}

static float brush_weight(const struct naive_edit *edit, int x, int z)
{
    int x0 = owner_low(x), z0 = owner_low(z);
    float dx = (float)(x - x0) - to_float(edit->a[0] - x0);
    float dz = (float)(z - z0) - to_float(edit->a[2] - z0);
    float d = root(dx * dx + dz * dz) * (float)(1.0 / fmax(edit->radius, TINY));
    return falloff_weight(edit->falloff, edit->power, d);
}

/* What raise adds at weight 1, units. */
static double brush_rise(const struct naive_edit *edit)
{
    return edit->op == NAIVE_LOWER ? -(edit->strength * UNITS) : edit->strength * UNITS;
}

/* The heights before the edit at (x, z), clamped to the world. */
static int height_before(const struct naive_world *world, int x, int z)
{
    x = x < 0 ? 0 : x >= world->size_x ? world->size_x - 1 : x;
    z = z < 0 ? 0 : z >= world->size_z ? world->size_z - 1 : z;
    return world->before[height_index(world, x, z)];
}

static int brushed_height(const struct naive_world *world, const struct naive_edit *edit, int x, int z)
{
    int height = height_before(world, x, z);
    float w = brush_weight(edit, x, z);
    float change;
    if (edit->op == NAIVE_SMOOTH) {
        int sum = height_before(world, x - 1, z) + height_before(world, x + 1, z) +
                  height_before(world, x, z - 1) + height_before(world, x, z + 1);
        change = (float)(sum - 4 * height) * ((w * to_float(edit->strength)) * 0.25f);
    } else {
        change = w * to_float(brush_rise(edit));
    }
    return clamp_int(height + (int)floorf(change + 0.5f), HEIGHT_LIMIT);
}

/* A sample s of the block where the height field's own value goes from f to f2: undisturbed ground follows,
 * what was carved stays open down to the new ground, what was added stays solid up to it. */
static int followed_sample(int s, int f, int f2)
{
    if (s == f)
        return f2;
    if (s > f)
        return s > f2 ? s : f2;
    return s < f2 ? s : f2;
}

/* ---- shapes ---- */

/* A sphere or capsule as the samples of one owner see it: the axis c + t u with t from t0 to t1. */
struct shape {
    float c[3], u[3], t0, t1, radius, c2_minus_r2;
    float reach;             /* voxels outside the shape within which samples may change */
    float blend, inv_4blend; /* units */
    bool large;
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c is the point of the axis nearest to the owner's lowest corner, so that numbers stay small near the
 * samples. */
static struct shape shape_in_frame(const struct naive_edit *edit, const int corner[3])
{
    double a[3], b[3], ab[3], u[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        a[i] = edit->a[i] - corner[i];
        b[i] = (edit->capsule ? edit->b[i] : edit->a[i]) - corner[i];
        ab[i] = b[i] - a[i];
    }
    double length = sqrt(dot(ab, ab));
    length = length < TINY ? 0.0 : length;
    for (int i = 0; i < 3 && length > 0.0; i++)
        u[i] = ab[i] / length;
    double t = -dot(a, u);
    t = t < 0.0 ? 0.0 : t > length ? length : t;
    double c[3];
    for (int i = 0; i < 3; i++)
        c[i] = length > 0.0 && t == length ? b[i] : a[i] + t * u[i];
    struct shape shape = {.t0 = to_float(-t), .t1 = to_float(length - t), .radius = to_float(edit->radius)};
    for (int i = 0; i < 3; i++) {
        shape.c[i] = to_float(c[i]);
        shape.u[i] = to_float(u[i]);
    }
    shape.c2_minus_r2 = to_float(dot(c, c) - edit->radius * edit->radius);
    shape.large = edit->radius >= LARGE_RADIUS;
    shape.reach = to_float(BAND + edit->blend);
    shape.blend = to_float(edit->blend * UNITS);
    shape.inv_4blend = shape.blend > 0.0f ? (float)(1.0 / (4.0 * (edit->blend * UNITS))) : 0.0f;
    return shape;
}

/* Signed distance in voxels of the point p of the frame. */
static float shape_distance(const struct shape *shape, const float p[3])
{
    float q[3], v[3];
    for (int i = 0; i < 3; i++)
        q[i] = p[i] - shape->c[i];
    float along = (q[0] * shape->u[0] + q[1] * shape->u[1]) + q[2] * shape->u[2];
    float s = along < shape->t0 ? shape->t0 : along > shape->t1 ? shape->t1 : along;
    for (int i = 0; i < 3; i++)
        v[i] = q[i] - s * shape->u[i];
    float away = root((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    if (!shape->large)
        return away - shape->radius;
    /* (|v|^2 - r^2) / (|v| + r), the numerator expanded around the frame's origin, where it does not cancel.
     */
    float t[3];
    for (int i = 0; i < 3; i++)
        t[i] = p[i] * (p[i] - 2.0f * shape->c[i]);
    float n = ((t[0] + t[1]) + t[2]) + shape->c2_minus_r2;
    n = n - s * (2.0f * along - s);
    return n * reciprocal(away + shape->radius);
}

/* min(a, b) - h^2 / (4k) with h = k - |a - b| where that is above 0. */
static float smooth_min(const struct shape *shape, float a, float b)
{
    float h = shape->blend - fabsf(a - b);
    float m = smaller(a, b);
    return h > 0.0f ? m - (h * h) * shape->inv_4blend : m;
}

/* The sample after the edit. */
static int combined_sample(const struct shape *shape, enum naive_op op, const float p[3], int stored)
{
    float d = shape_distance(shape, p);
    if (!(d <= shape->reach))
        return stored;
    if (op == NAIVE_UNION)
        return to_sample(smooth_min(shape, (float)stored, d * 256.0f));
    return to_sample(0.0f - smooth_min(shape, (float)-stored, d * 256.0f));
}

/* ---- the double check ---- */

/* One result against [lo, hi] in double, widened by `slack`. Within a unit of that all is well; *worst keeps
 * the greatest difference. */
static bool check_between(double found, double lo, double hi, double slack, double *worst, double *expected)
{
    double off = (found < lo ? lo - found : found > hi ? found - hi : 0.0) - slack;
    *worst = off > *worst ? off : *worst;
    *expected = found < lo ? lo : hi;
    return off <= 1.0;
}

/* The weight may be that of any distance within 2^-20 radii, since falloffs are steep (root, sphere) or jump
 * (constant) at the brim. The slack is what the rounding of a weight (2^-19 at most) makes of the change that
 * it scales: nothing for a strength of some voxels. */
static bool check_height(const struct naive_world *world, const struct naive_edit *edit, int x, int z,
                         int found, struct naive_report *report)
{
    double d = oracle_brush_distance(edit, x, z);
    double height = height_before(world, x, z);
    double n[4] = {height_before(world, x - 1, z), height_before(world, x + 1, z),
                   height_before(world, x, z - 1), height_before(world, x, z + 1)};
    double scaled = edit->op == NAIVE_SMOOTH ? oracle_smooth(height, n, 1.0) - height : brush_rise(edit);
    double to[2];
    for (int i = 0; i < 2; i++) {
        double w = oracle_falloff(edit->falloff, edit->power, i == 0 ? d + 0x1p-20 : fmax(d - 0x1p-20, 0.0));
        double moved =
            edit->op == NAIVE_SMOOTH ? oracle_smooth(height, n, edit->strength * w) : height + scaled * w;
        to[i] = fmin(fmax(moved, -HEIGHT_LIMIT), HEIGHT_LIMIT);
    }
    return check_between(found, fmin(to[0], to[1]), fmax(to[0], to[1]), fabs(scaled) * 0x1p-19,
                         &report->worst_height, &report->expected);
}

/* Within 1 unit; where the distance is at the reach to within 1/256 voxel, the sample may also be as it was.
 */
static bool check_sample(const struct naive_edit *edit, int x, int y, int z, int stored, int found,
                         struct naive_report *report)
{
    double d = oracle_shape_distance(edit, x, y, z);
    double beyond = d - (BAND + edit->blend);
    report->expected = stored;
    if (beyond > 0x1p-8 || (beyond > -0x1p-8 && found == stored))
        return found == stored;
    double to = oracle_combine(edit->op, stored, d * UNITS, edit->blend * UNITS);
    to = fmin(fmax(to, -SAMPLE_LIMIT), SAMPLE_LIMIT);
    return check_between(found, to, to, 0.0, &report->worst_sample, &report->expected);
}

static bool fail_at(struct naive_report *report, int x, int y, int z, int found)
{
    report->x = x;
    report->y = y;
    report->z = z;
    report->found = found;
    return false;
}

/* ---- replay ---- */

static bool apply_brush(struct naive_world *world, const struct naive_edit *edit, struct naive_report *report)
{
    size_t columns = (size_t)world->size_x * (size_t)world->size_z;
    memcpy(world->before, world->heights, columns * sizeof *world->heights);
    for (int z = 0; z < world->size_z; z++)
        for (int x = 0; x < world->size_x; x++) {
            int before = height_before(world, x, z);
            int after = brushed_height(world, edit, x, z);
            if (!check_height(world, edit, x, z, after, report))
                return fail_at(report, x, 0, z, after);
            world->heights[height_index(world, x, z)] = after;
            for (int y = OWNER * world->row_lo; y < OWNER * (world->row_hi + 1); y++) {
                int16_t *s = &world->samples[sample_index(world, x, y, z)];
                *s = (int16_t)followed_sample(*s, field_of_height(y, before), field_of_height(y, after));
            }
        }
    return true;
}

/* All samples that the owner with this lowest corner holds. */
static bool apply_shape_to_owner(struct naive_world *world, const struct naive_edit *edit,
                                 const int corner[3], struct naive_report *report)
{
    struct shape shape = shape_in_frame(edit, corner);
    for (int z = corner[2]; z < corner[2] + OWNER && z < world->size_z; z++)
        for (int x = corner[0]; x < corner[0] + OWNER && x < world->size_x; x++)
            for (int y = corner[1]; y < corner[1] + OWNER; y++) {
                int16_t *s = &world->samples[sample_index(world, x, y, z)];
                float p[3] = {(float)(x - corner[0]), (float)(y - corner[1]), (float)(z - corner[2])};
                int after = combined_sample(&shape, edit->op, p, *s);
                if (!check_sample(edit, x, y, z, *s, after, report))
                    return fail_at(report, x, y, z, after);
                *s = (int16_t)after;
            }
    return true;
}

static bool apply_shape(struct naive_world *world, const struct naive_edit *edit, struct naive_report *report)
{
    for (int row = world->row_lo; row <= world->row_hi; row++)
        for (int z = 0; z < world->size_z; z += OWNER)
            for (int x = 0; x < world->size_x; x += OWNER)
                if (!apply_shape_to_owner(world, edit, (int[3]){x, OWNER * row, z}, report))
                    return false;
    return true;
}

bool naive_replay(struct naive_world *world, const struct naive_edit *edits, size_t count,
                  struct naive_report *report)
{
    *report = (struct naive_report){0};
    for (size_t i = 0; i < count; i++) {
        const struct naive_edit *edit = &edits[i];
        report->edit = i;
        bool brush = edit->op != NAIVE_UNION && edit->op != NAIVE_SUBTRACT;
        if (!(brush ? apply_brush(world, edit, report) : apply_shape(world, edit, report)))
            return false;
    }
    return true;
}
