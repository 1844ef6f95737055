#include "tests/naive/naive_check.h"
#include "tests/naive/naive_float.h"
#include "tests/naive/naive_height.h"
#include "tests/naive/naive_reshape.h"

#include <stdlib.h>

#define BAND 16.0

static bool fail_at(const struct naive_step *step, const char *what, const int p[3], double found,
                    double expected)
{
    struct naive_report *report = step->report;
    report->what = what;
    report->x = p[0];
    report->y = p[1];
    report->z = p[2];
    report->found = found;
    report->expected = expected;
    return false;
}

/* One result against the span between two values, widened by `slack`. Within a unit of that all is well; *worst
 * keeps the greatest difference. */
static bool check_between(const struct naive_step *step, const char *what, const int p[3], double found,
                          double a, double b, double slack, double *worst)
{
    double lo = fmin(a, b), hi = fmax(a, b);
    double off = (found < lo ? lo - found : found > hi ? found - hi : 0.0) - slack;
    *worst = off > *worst ? off : *worst;
    return off <= 1.0 || fail_at(step, what, p, found, found < lo ? lo : hi);
}

/* ---- brushes ---- */

/* By how much the distance from a brush may be off, in radii: the rounding of distances up to a radius, and of the
 * centre's place in a frame. */
static double distance_slack(const struct naive_step *step)
{
    return 0x1p-20 + 0x1p-17 / step->stamp.radius;
}

/* The weights at the least and the greatest distance that rounding allows. A span, since falloffs are steep (root,
 * sphere) or jump (constant) at the brim, and a projected brush at its ends. */
static void weight_span(const struct naive_step *step, const int p[3], double w[2])
{
    const struct naive_edit *edit = step->edit;
    const double q[3] = {p[0], p[1], p[2]}, slack = distance_slack(step);
    double along = 0.0;
    double d = naive_is_height_brush(edit->op)
                   ? oracle_column_distance(step->stamp.at, q[0], q[2])
                   : oracle_space_distance(step->stamp.at, edit->projected ? edit->axis : NULL, q, &along);
    d /= step->stamp.radius;
    along = fabs(along) / step->stamp.radius;
    double near = along >= 1.0 + slack ? 1.0 : fmax(d - slack, 0.0);
    double far = along >= 1.0 - slack ? 1.0 : d + slack;
    w[0] = oracle_falloff(edit->falloff, edit->power, near);
    w[1] = oracle_falloff(edit->falloff, edit->power, far);
}

/* What the rounding of a place in a lattice or image makes of what is there, for a strength of 1. A place has up to
 * 64 / scale + 1 cells in a float, whose sum is off by 2^-22 of that; noise rises by less than 8 a cell, and an octave
 * halves the cell and the weight. An image has up to two pixels a voxel, so that numbers of places are below 512, off by
 * 2^-14, and rises from pixel to pixel by its greatest steps. */
static double pattern_slack(const struct naive_step *step)
{
    const struct naive_edit *edit = step->edit;
    double steps[2];
    if (naive_is_noise(edit->op))
        return edit->octaves * 8.0 * (64.0 / step->measures.scale + 1.0) * 0x1p-22;
    if (!naive_is_stamp(edit->op))
        return 0.0;
    naive_picture_steps(&step->picture, steps);
    return (steps[0] + steps[1]) * 0x1p-14;
}

static double pattern_at(const struct naive_step *step, const double p[3])
{
    const struct naive_edit *edit = step->edit;
    const struct oracle_noise noise = {.seed = edit->seed,
                                       .octaves = edit->octaves,
                                       .scale = step->measures.scale,
                                       .in_space = !naive_is_height_brush(edit->op)};
    if (naive_is_stamp(edit->op))
        return oracle_stamp(edit, step->stamp.radius, step->stamp.at, p);
    return (2.0 - pow(0.5, edit->octaves - 1)) * oracle_noise(&noise, p);
}

/* How much the height changes at weight 1. */
static double height_change(const struct naive_step *step, int x, int z)
{
    static const int ways[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const double strength = step->stamp.strength, h = naive_height_before(step->world, x, z);
    double pulls[5], n[4];
    switch (step->edit->op) {
    case NAIVE_SMOOTH:
        for (int i = 0; i < 4; i++)
            n[i] = naive_height_before(step->world, x + ways[i][0], z + ways[i][1]);
        return strength * oracle_smooth(h, n, 4);
    case NAIVE_HC_SMOOTH: /* what smoothing would do here, less what it would do around; beta of it stays */
        for (int i = 0; i < 5; i++) {
            int cx = x + (i < 4 ? ways[i][0] : 0), cz = z + (i < 4 ? ways[i][1] : 0);
            for (int k = 0; k < 4; k++)
                n[k] = naive_height_before(step->world, cx + ways[k][0], cz + ways[k][1]);
            pulls[i] = oracle_smooth(naive_height_before(step->world, cx, cz), n, 4);
        }
        return -strength * (1.0 - step->edit->beta) * oracle_smooth(pulls[4], pulls, 4);
    case NAIVE_FLATTEN:
    case NAIVE_SET:
        return strength * (step->target - h);
    case NAIVE_NOISE:
    case NAIVE_STAMP: {
        const double p[3] = {x, 0.0, z};
        return strength * pattern_at(step, p);
    }
    default: /* raise, lower */
        return strength;
    }
}

/* The slack is what the rounding of a weight (2^-19 at most) makes of the change that it scales: nothing for a strength
 * of some voxels. */
bool naive_check_height(const struct naive_step *step, int x, int z, int found)
{
    const int p[3] = {x, 0, z};
    double change = height_change(step, x, z), before = naive_height_before(step->world, x, z), w[2], to[2];
    weight_span(step, p, w);
    for (int i = 0; i < 2; i++)
        to[i] = fmin(fmax(before + w[i] * change, -NAIVE_HEIGHT_LIMIT), NAIVE_HEIGHT_LIMIT);
    double slack = fabs(change) * 0x1p-19 + fabs(step->stamp.strength) * pattern_slack(step);
    return check_between(step, "height", p, found, to[0], to[1], slack, &step->report->worst_height);
}

static double sample_change(const struct naive_step *step, const int p[3], int stored)
{
    const double strength = step->stamp.strength, q[3] = {p[0], p[1], p[2]};
    double around[6];
    for (int axis = 0; axis < 3; axis++)
        for (int way = 0; way < 2 && naive_reads_around(step->edit->op); way++) {
            int beside[3] = {p[0], p[1], p[2]};
            beside[axis] += way == 0 ? -1 : 1;
            around[2 * axis + way] = naive_sample_before(step->world, beside[0], beside[1], beside[2]);
        }
    switch (step->edit->op) {
    case NAIVE_VOLUME_SMOOTH:
        return strength * oracle_smooth(stored, around, 6);
    case NAIVE_INFLATE: /* steepness 1 is a sample that changes by a voxel's units from voxel to voxel */
        return strength * hypot(hypot(around[1] - around[0], around[3] - around[2]), around[5] - around[4]) /
               (2.0 * NAIVE_UNITS);
    case NAIVE_VOLUME_FLATTEN: {
        double along;
        oracle_space_distance(step->measures.point, step->edit->normal, q, &along);
        along = fmin(fmax(along * NAIVE_UNITS, -NAIVE_SAMPLE_LIMIT), NAIVE_SAMPLE_LIMIT);
        return strength * (along - stored);
    }
    case NAIVE_VOLUME_NOISE:
    case NAIVE_VOLUME_STAMP:
        return strength * pattern_at(step, q);
    default: /* add, subtract */
        return strength;
    }
}

/* Slack as for heights; a plane's distance in a frame has 2^-16 voxels. */
static bool check_changed(const struct naive_step *step, const int p[3], int stored, int found)
{
    double change = sample_change(step, p, stored), w[2], to[2];
    weight_span(step, p, w);
    for (int i = 0; i < 2; i++)
        to[i] = fmin(fmax(stored + w[i] * change, -NAIVE_SAMPLE_LIMIT), NAIVE_SAMPLE_LIMIT);
    double slack = fabs(change) * 0x1p-19 + fabs(step->stamp.strength) * pattern_slack(step) + 0x1p-8;
    return check_between(step, "sample", p, found, to[0], to[1], slack, &step->report->worst_sample);
}

/* ---- pinch and grab ---- */

/* The state before at a place between samples: the mean of the 8 around, each by its share; and by how much the samples
 * there, and one farther, differ. */
static double field_between(const struct naive_world *world, const double at[3], double *range)
{
    double sum = 0.0, least = INFINITY, greatest = -INFINITY;
    for (int i = 0; i < 64; i++) {
        double share = 1.0, q[3];
        for (int axis = 0; axis < 3; axis++) {
            q[axis] = floor(at[axis]) - 1.0 + (i >> 2 * axis & 3);
            share *= fmax(1.0 - fabs(at[axis] - q[axis]), 0.0);
        }
        double s = naive_sample_before(world, (int)q[0], (int)q[1], (int)q[2]);
        sum += share * s;
        least = fmin(least, s);
        greatest = fmax(greatest, s);
    }
    *range = greatest - least;
    return sum;
}

/* The place is off by what the rounding of numbers below 256 and of the weight makes, and by the span of weights, where
 * that is not one jump at the brim; the field may change by its range on a voxel's way along each axis. */
static bool check_carried(const struct naive_step *step, const int p[3], int found)
{
    const bool pinches = step->edit->op == NAIVE_PINCH;
    double w[2], off[2], expected = 0.0, way_2 = 0.0, range;
    weight_span(step, p, w);
    for (int i = 0; i < 2; i++) {
        double from[3];
        way_2 = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double way =
                pinches ? step->stamp.strength * (p[axis] - step->stamp.at[axis]) : -step->measures.by[axis];
            from[axis] = p[axis] + w[i] * way;
            way_2 += way * way;
        }
        double value = field_between(step->world, from, &range);
        double spread = fabs(w[0] - w[1]) < 0.125 ? fabs(w[0] - w[1]) : 0.0;
        double slack = 3.0 * range * (0x1p-16 + sqrt(way_2) * (spread + 0x1p-19));
        off[i] = fabs(found - value) - slack;
        expected = i == 0 || off[1] < off[0] ? value : expected;
    }
    double least = fmin(off[0], off[1]);
    step->report->worst_sample = fmax(step->report->worst_sample, fmin(least, 1.0));
    return least <= 1.0 || fail_at(step, "sample carried there", p, found, expected);
}

bool naive_check_sample(const struct naive_step *step, const int p[3], int stored, int found)
{
    if (step->edit->op == NAIVE_PINCH || step->edit->op == NAIVE_GRAB)
        return check_carried(step, p, found);
    return check_changed(step, p, stored, found);
}

/* ---- redistance ---- */

/* Voxels that a crossing known by sweeps may be farther than the nearest: 0.22 is the most in 150 random logs. */
#define SWEEP_SLACK 0.5

/* A crossing in double, with the slack of its normal. */
struct crossing {
    double at[3], normal[3], slack;
};

static double in_region(const struct naive_region *region, const int p[3])
{
    int q[3];
    for (int i = 0; i < 3; i++)
        q[i] = region->low[i] + (p[i] < 0 ? 0 : p[i] >= region->size[i] ? region->size[i] - 1 : p[i]);
    return naive_sample_before(region->world, q[0], q[1], q[2]);
}

static double slope_at(const struct naive_region *region, const int p[3], int axis)
{
    int q[3] = {p[0], p[1], p[2]};
    q[axis]++;
    double higher = in_region(region, q);
    q[axis] -= 2;
    return higher - in_region(region, q);
}

/* Differences are whole and below 2^17, so the sum of two by shares is off by 2^-6 at most. */
static struct crossing crossing_of(const struct naive_region *region, const int p[3], const int next[3])
{
    double from = fabs(in_region(region, p)), to = fabs(in_region(region, next)), share = from / (from + to);
    struct crossing crossing;
    double length_2 = 0.0;
    for (int i = 0; i < 3; i++) {
        crossing.at[i] = p[i] + share * (next[i] - p[i]);
        crossing.normal[i] = (1.0 - share) * slope_at(region, p, i) + share * slope_at(region, next, i);
        length_2 += crossing.normal[i] * crossing.normal[i];
    }
    double length = fmax(sqrt(length_2), 1.0);
    for (int i = 0; i < 3; i++)
        crossing.normal[i] /= length;
    crossing.slack = 0x1p-20 + 0x1p-6 / length;
    return crossing;
}

/* All of a region, in their order. */
static struct crossing *crossings_of(const struct naive_region *region)
{
    struct crossing *crossings = malloc((region->crossing_count + 1) * sizeof *crossings);
    size_t count = 0;
    for (int y = 0; y < region->size[1] && crossings != NULL; y++)
        for (int z = 0; z < region->size[2]; z++)
            for (int x = 0; x < region->size[0]; x++)
                for (int axis = 0; axis < 3; axis++) {
                    const int p[3] = {x, y, z};
                    const int next[3] = {x + (axis == 0), y + (axis == 1), z + (axis == 2)};
                    bool crosses = next[axis] < region->size[axis] &&
                                   (in_region(region, p) > 0.0) != (in_region(region, next) > 0.0);
                    if (crosses && count < region->crossing_count)
                        crossings[count] = crossing_of(region, p, next);
                    count += crosses;
                }
    if (crossings != NULL && count == region->crossing_count)
        return crossings;
    free(crossings);
    return NULL;
}

static double way_to(const struct crossing *crossing, const int p[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += pow(p[i] - crossing->at[i], 2.0);
    return sqrt(sum);
}

static double distance_from_crossing(const struct crossing *crossing, const int p[3])
{
    double way = way_to(crossing, p), height = 0.0;
    for (int i = 0; i < 3; i++)
        height += (p[i] - crossing->at[i]) * crossing->normal[i];
    double beside = sqrt(fmax(way * way - height * height, 0.0));
    return hypot(height, fmax(beside - 0.75, 0.0));
}

/* One sample that is within radius: at p of the region, `q` in the world. */
static bool check_measured(const struct naive_step *step, const struct naive_region *region,
                           const struct crossing *crossings, const int p[3], const int q[3], int found)
{
    const int before = naive_sample_before(region->world, q[0], q[1], q[2]);
    const long number = naive_region_nearest(region, p) - region->crossings;
    const struct crossing *known = &crossings[number];
    if ((before > 0) != (found > 0))
        return fail_at(step, "side of a sample", q, found, before);
    double way = way_to(known, p), nearest = way;
    for (size_t i = 0; i < region->crossing_count && (p[0] + 3 * p[1] + 7 * p[2]) % 16 == 0; i++)
        nearest = fmin(nearest, way_to(&crossings[i], p));
    if (way > nearest + SWEEP_SLACK)
        return fail_at(step, "way to the nearest crossing", q, way, nearest);
    double units = fmin(distance_from_crossing(known, p) * NAIVE_UNITS, NAIVE_SAMPLE_LIMIT);
    double slack = NAIVE_UNITS * (2.0 * way * known->slack + 0x1p-16);
    if (found == 1)
        units = fmax(units, 1.0);
    return check_between(step, "distance", q, abs(found), units, units, slack, &step->report->worst_sample);
}

bool naive_check_region(const struct naive_step *step, const struct naive_region *region)
{
    struct naive_edit all = *step->edit; /* weight 1 as far as it reaches */
    struct naive_step reach = *step;
    struct crossing *crossings = crossings_of(region);
    bool good = crossings != NULL || fail_at(step, "crossings of region", region->low, 0, 0);
    all.falloff = NAIVE_FALLOFF_CONSTANT;
    reach.edit = &all;
    for (int y = 0; y < region->size[1]; y++)
        for (int z = 0; z < region->size[2]; z++)
            for (int x = 0; x < region->size[0] && good; x++) {
                const int p[3] = {x, y, z},
                          q[3] = {region->low[0] + x, region->low[1] + y, region->low[2] + z};
                const int before = naive_sample_before(region->world, q[0], q[1], q[2]);
                const int found = naive_field(step->world, q[0], q[1], q[2]);
                double w[2];
                weight_span(&reach, q, w);
                bool may = w[0] > 0.0 && region->crossing_count > 0, must = w[1] > 0.0 && may;
                if (!may || (!must && found == before))
                    good = found == before || fail_at(step, "sample out of reach", q, found, before);
                else
                    good = check_measured(step, region, crossings, p, q, found);
            }
    free(crossings);
    return good;
}

/* ---- shapes ---- */

static double shape_distance(const struct naive_step *step, const int p[3], bool *doubtful)
{
    const double q[3] = {p[0], p[1], p[2]};
    return oracle_shape_distance(&step->shape, q, doubtful);
}

/* What distances may be off near the surface, voxels, and 2^-16 of a distance far from it. */
static double shape_slack(const struct naive_step *step, double d)
{
    return ((step->shape.size < 1024.0 ? 0x1p-10 : 0x1p-6) + fabs(d) * 0x1p-16) * step->shape.blur +
           step->shape.off;
}

static bool is_within(const struct naive_step *step, const int p[3])
{
    const struct naive_edit *edit = step->edit;
    for (int i = 0; edit->has_within && i < 3; i++)
        if (p[i] < edit->within[0][i] / step->world->voxel_size ||
            p[i] > edit->within[1][i] / step->world->voxel_size)
            return false;
    return true;
}

/* Where the distance is at the reach to within the slack, the sample may also be as it was. */
bool naive_check_joined(const struct naive_step *step, const int p[3], int stored, int found)
{
    const enum naive_op op = step->edit->op;
    const double k = step->measures.blend_width;
    bool doubtful;
    if (!is_within(step, p))
        return found == stored || fail_at(step, "sample beyond `within`", p, found, stored);
    double d = shape_distance(step, p, &doubtful), slack = shape_slack(step, d);
    double beyond = (op == NAIVE_INTERSECT ? -d : d) - (BAND + k);
    if (doubtful || (beyond > -slack && found == stored))
        return true;
    if (beyond > slack)
        return fail_at(step, "sample beyond the reach", p, found, stored);
    double to = oracle_combine(op, &step->edit->blend, k * NAIVE_UNITS, stored, d * NAIVE_UNITS);
    to = fmin(fmax(to, -NAIVE_SAMPLE_LIMIT), NAIVE_SAMPLE_LIMIT);
    return check_between(step, "sample", p, found, to, to, slack * NAIVE_UNITS, &step->report->worst_sample);
}

bool naive_check_painted(const struct naive_step *step, const int p[3], bool found)
{
    double lo, hi; /* how far beyond its brim the place may be, as rounding has it */
    if (naive_is_shape(step->edit->op)) {
        bool doubtful;
        double d = shape_distance(step, p, &doubtful), slack = shape_slack(step, d);
        lo = is_within(step, p) ? d - 1.0 - slack : 1.0;
        hi = is_within(step, p) ? d - 1.0 + slack : 1.0;
    } else {
        struct naive_edit all = *step->edit; /* weight 1 as far as it reaches */
        struct naive_step reach = *step;
        double w[2];
        all.falloff = NAIVE_FALLOFF_CONSTANT;
        reach.edit = &all;
        weight_span(&reach, p, w);
        lo = w[0] > 0.0 ? -1.0 : 1.0;
        hi = w[1] > 0.0 ? -1.0 : 1.0;
    }
    bool may = lo <= 0.0, must = hi < 0.0;
    return (found ? may : !must) || fail_at(step, "paint", p, found, may);
}
