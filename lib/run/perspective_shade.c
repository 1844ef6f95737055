/* The light of a perspective picture: sky, sun, shadow, haze, and what materials look like.
 *
 * Materials are noise between a few colours each: a lattice of hashed values in 3D, smooth between, in octaves from hundreds
 * of voxels down to half a voxel. An octave finer than a pixel is left out, so nothing flickers. Its slopes tilt the normal, which
 * is what makes rock rough. Light is the sun's, where the shadow map lets it through, and the sky's, more of it from above.
 *
 * Colours are linear, 1 is white paper in the sun. */
#include "lib/run/perspective_parts.h"

#include "lib/run/picture.h"

#include <float.h>
#include <math.h>

/* ---- vectors ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normalise(double v[3])
{
    double length = sqrt(dot(v, v));

    for (int i = 0; i < 3 && length > 0.0; i++)
        v[i] /= length;
}

/* a toward b by t */
static void mix(double a[3], const double b[3], double t)
{
    for (int i = 0; i < 3; i++)
        a[i] += (b[i] - a[i]) * t;
}

uint32_t tr_normal_pack(const double normal[3])
{
    double sum = fabs(normal[0]) + fabs(normal[1]) + fabs(normal[2]), u, v;

    if (!(sum > 0.0))
        return 0;
    u = normal[0] / sum;
    v = normal[2] / sum;
    if (normal[1] < 0.0) {
        double fold_u = copysign(1.0 - fabs(v), normal[0]);

        v = copysign(1.0 - fabs(u), normal[2]);
        u = fold_u;
    }
    return (uint32_t)(uint16_t)(int16_t)floor(u * 32767.0 + 0.5) |
           (uint32_t)(uint16_t)(int16_t)floor(v * 32767.0 + 0.5) << 16;
}

void tr_normal_unpack(uint32_t packed, double normal[3])
{
    double u = (int16_t)(packed & 0xffffu) / 32767.0, v = (int16_t)(packed >> 16) / 32767.0;

    normal[0] = u;
    normal[1] = 1.0 - fabs(u) - fabs(v);
    normal[2] = v;
    if (normal[1] < 0.0) {
        normal[0] = copysign(1.0 - fabs(v), u);
        normal[2] = copysign(1.0 - fabs(u), v);
    }
    normalise(normal);
}

/* ---- shadow ---- */

#define SHADOW_LIFT_TEXELS 1.6 /* off the surface, so that it does not shade itself */
#define SHADOW_LIFT 0.04       /* voxels */
#define SHADOW_BIAS_TEXELS 0.8

double tr_shadow_light(const struct tr_shadow_map *map, const double position[3], const double normal[3])
{
    double lifted[3], along[3], x, y, fx, fy, sum = 0.0;
    double lift = SHADOW_LIFT_TEXELS * map->texel + SHADOW_LIFT;
    int32_t left, top;
    float depth;

    if (map->side == 0)
        return 1.0;
    for (int axis = 0; axis < 3; axis++)
        lifted[axis] = position[axis] + lift * normal[axis];
    tr_camera_axes(&map->camera, lifted, along);
    x = (0.5 + 0.5 * along[0] / map->camera.half_x) * map->side - 0.5;
    y = (0.5 - 0.5 * along[1] / map->camera.half_y) * map->side - 0.5;
    if (!(x > 1.0 && y > 1.0 && x < map->side - 3.0 && y < map->side - 3.0))
        return 1.0;
    depth = (float)((along[2] - SHADOW_BIAS_TEXELS * map->texel) / map->reach);
    left = (int32_t)floor(x);
    top = (int32_t)floor(y);
    fx = x - left;
    fy = y - top;
    /* a box of 3 x 3 texels around the place: 4 x 4 with the outer ones in part */
    for (int j = -1; j <= 2; j++)
        for (int i = -1; i <= 2; i++) {
            double weight_x = i == -1 ? 1.0 - fx : i == 2 ? fx : 1.0;
            double weight_y = j == -1 ? 1.0 - fy : j == 2 ? fy : 1.0;

            if (map->depths[(size_t)(top + j) * (size_t)map->side + (size_t)(left + i)] >= depth)
                sum += weight_x * weight_y;
        }
    return sum / 9.0;
}

/* ---- noise ---- */

struct noise {
    double value, other; /* two that are independent, 0..1 */
    double slope[3];     /* of value, a lattice step */
};

static uint32_t lattice_hash(int64_t x, int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^
                 (uint64_t)z * 0x165667b19e3779f9u;

    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32);
}

static struct noise noise_at(const double position[3])
{
    double low[3], t[3], fade[3], rise[3];
    struct noise noise = {0};

    for (int axis = 0; axis < 3; axis++) {
        low[axis] = floor(position[axis]);
        t[axis] = position[axis] - low[axis];
        fade[axis] = t[axis] * t[axis] * (3.0 - 2.0 * t[axis]);
        rise[axis] = 6.0 * t[axis] * (1.0 - t[axis]);
    }
    for (int corner = 0; corner < 8; corner++) {
        uint32_t hash = lattice_hash((int64_t)low[0] + (corner & 1), (int64_t)low[1] + (corner >> 1 & 1),
                                     (int64_t)low[2] + (corner >> 2 & 1));
        double value = (hash & 0xffffu) / 65535.0, weight[3], slope[3];

        for (int axis = 0; axis < 3; axis++) {
            bool upper = corner >> axis & 1;

            weight[axis] = upper ? fade[axis] : 1.0 - fade[axis];
            slope[axis] = upper ? rise[axis] : -rise[axis];
        }
        noise.value += weight[0] * weight[1] * weight[2] * value;
        noise.other += weight[0] * weight[1] * weight[2] * ((hash >> 16) / 65535.0);
        noise.slope[0] += slope[0] * weight[1] * weight[2] * value;
        noise.slope[1] += weight[0] * slope[1] * weight[2] * value;
        noise.slope[2] += weight[0] * weight[1] * slope[2] * value;
    }
    return noise;
}

/* ---- materials ---- */

enum { GRASS, ROCK, SAND, SOIL, MATERIALS };

#define OCTAVE_LONGEST 420.0 /* voxels */
#define OCTAVE_RATIO 2.63    /* lattices hardly ever share a plane */
#define OCTAVES 11
#define BROAD_OCTAVES 3 /* the longest ones tint whole slopes, the others are the grain */

struct grain {
    double broad, broad_other; /* -1..1 about */
    double fine, fine_other;
    double tilt[3]; /* of the normal */
};

/* footprint: voxels that a pixel is wide here. */
static struct grain grain_at(const double position[3], double footprint)
{
    struct grain grain = {0};
    double length = OCTAVE_LONGEST;

    for (int octave = 0; octave < OCTAVES; octave++, length /= OCTAVE_RATIO) {
        double seen = tr_ramp(1.0, 2.6, length / footprint), at[3];
        struct noise noise;

        if (seen <= 0.0)
            break;
        for (int axis = 0; axis < 3; axis++)
            at[axis] = position[axis] / length + octave * 17.3;
        noise = noise_at(at);
        if (octave < BROAD_OCTAVES) {
            grain.broad += seen * (noise.value - 0.5);
            grain.broad_other += seen * (noise.other - 0.5);
            continue;
        }
        grain.fine += seen * (noise.value - 0.5) * 0.8;
        grain.fine_other += seen * (noise.other - 0.5) * 0.8;
        for (int axis = 0; axis < 3; axis++)
            grain.tilt[axis] += seen * noise.slope[axis];
    }
    return grain;
}

/* Beds of rock: bands by height, bent and broken by noise. */
static double beds_at(double y, const struct grain *grain, double footprint)
{
    static const double thickness[3] = {19.0, 6.1, 2.2};
    double beds = 0.0;

    for (int i = 0; i < 3; i++) {
        double at[3] = {0.5, y / thickness[i] + grain->broad * 9.0 / thickness[i] + grain->fine * 0.45,
                        i * 7.7};

        beds += tr_ramp(1.0, 2.6, thickness[i] / footprint) * (noise_at(at).value - 0.5);
    }
    return beds;
}

static void material_colour(int material, double y, const struct grain *grain, double footprint,
                            double colour[3])
{
    static const double base[MATERIALS][3] = {
        {0.088, 0.132, 0.038}, {0.215, 0.192, 0.165}, {0.500, 0.405, 0.255}, {0.205, 0.130, 0.072}};
    static const double dark[MATERIALS][3] = {
        {0.040, 0.078, 0.022}, {0.085, 0.076, 0.070}, {0.385, 0.285, 0.165}, {0.105, 0.062, 0.034}};
    static const double light[MATERIALS][3] = {
        {0.205, 0.205, 0.075}, {0.380, 0.340, 0.285}, {0.600, 0.520, 0.370}, {0.310, 0.215, 0.125}};
    double tone = 0.75 * grain->broad + 0.75 * grain->fine;
    double shade = 0.5 * grain->broad_other + 0.9 * grain->fine_other;

    if (material == ROCK)
        tone = 0.25 * grain->broad + 0.45 * grain->fine + 1.1 * beds_at(y, grain, footprint);
    for (int i = 0; i < 3; i++)
        colour[i] = base[material][i];
    mix(colour, dark[material], tr_clamp01(-tone * 1.5));
    mix(colour, light[material], tr_clamp01(tone * 1.5));
    for (int i = 0; i < 3; i++)
        colour[i] *= 1.0 + 0.35 * fmax(shade, -1.0);
}

/* The materials share a place as the weights say, but each has its patches: where two meet, grain decides. */
static void ground_colour(const struct tr_seen *seen, double y, const struct grain *grain, double footprint,
                          double colour[3], double *roughness)
{
    static const double rough[MATERIALS] = {0.085, 0.17, 0.045, 0.10};
    const double patch[MATERIALS] = {grain->fine, -grain->fine, grain->fine_other, -grain->fine_other};
    double share[MATERIALS], sum = 0.0;

    for (int i = 0; i < MATERIALS; i++) {
        double weight = seen->weights[i] / 255.0;

        share[i] = weight * fmax(weight + 0.9 * patch[i] + 0.05, 0.02 * weight);
        sum += share[i];
    }
    colour[0] = colour[1] = colour[2] = *roughness = 0.0;
    for (int i = 0; i < MATERIALS && sum > 0.0; i++) {
        double own[3];

        if (share[i] <= 0.0)
            continue;
        material_colour(i, y, grain, footprint, own);
        for (int k = 0; k < 3; k++)
            colour[k] += share[i] / sum * own[k];
        *roughness += share[i] / sum * rough[i];
    }
}

/* Cut ground: a dark topsoil that gets lighter, then rock in beds. */
static void cut_colour(double below, double y, const struct grain *grain, double footprint, double thick,
                       double colour[3])
{
    double rock[3], depth = below / thick + 0.35 * grain->fine + 0.15 * grain->broad;
    static const double topsoil[3] = {0.060, 0.038, 0.022};

    material_colour(SOIL, y, grain, footprint, colour);
    mix(colour, topsoil, 1.0 - tr_ramp(0.25, 0.7, depth));
    material_colour(ROCK, y, grain, footprint, rock);
    rock[1] *= 0.93;
    rock[2] *= 0.86;
    mix(colour, rock, tr_ramp(0.8, 2.0, depth));
}

void tr_look_lod_colour(uint32_t lod, double colour[3])
{
    static const double colours[7][3] = {{0.270, 0.040, 0.035}, {0.330, 0.130, 0.020}, {0.290, 0.240, 0.030},
                                         {0.060, 0.190, 0.045}, {0.030, 0.180, 0.200}, {0.040, 0.085, 0.250},
                                         {0.150, 0.055, 0.190}};

    for (int i = 0; i < 3; i++)
        colour[i] = colours[lod % 7][i];
}

/* ---- light ---- */

#define EXPOSURE 1.05
#define CONTRAST 0.62

static const double sky_high[3] = {0.130, 0.290, 0.640}, sky_low[3] = {0.620, 0.760, 0.880},
                    table_colour[3] = {0.520, 0.500, 0.460}, wire_colour[3] = {0.012, 0.013, 0.016};

static void sun_colour(const struct tr_look *look, double colour[3])
{
    static const double noon[3] = {3.10, 2.78, 2.28}, dusk[3] = {2.40, 1.35, 0.62};

    for (int i = 0; i < 3; i++)
        colour[i] = dusk[i];
    mix(colour, noon, tr_ramp(0.0, 32.0, look->sun_elevation));
}

/* The sky in direction ray (length 1), a glow around the sun; below the horizon its haze. */
static void sky_light(const struct tr_look *look, const double ray[3], bool with_sun, double light[3])
{
    double toward = fmax(dot(ray, look->sun), 0.0), sun[3],
           glow = 0.09 * pow(toward, 6.0) + 0.12 * pow(toward, 60.0);

    for (int i = 0; i < 3; i++)
        light[i] = sky_low[i];
    mix(light, sky_high, pow(tr_clamp01(ray[1]), 0.55));
    sun_colour(look, sun);
    if (with_sun)
        glow += 3.0 * tr_ramp(0.99985, 0.99992, toward);
    for (int i = 0; i < 3; i++)
        light[i] += glow * sun[i];
}

/* What a surface of this colour sends back. */
static void lit(const struct tr_look *look, const double normal[3], double sunlight, const double colour[3],
                double light[3])
{
    static const double from_above[3] = {0.40, 0.47, 0.60}, from_below[3] = {0.15, 0.125, 0.095};
    double sun[3], ambient[3], facing = fmax(dot(normal, look->sun), 0.0) * sunlight;

    sun_colour(look, sun);
    for (int i = 0; i < 3; i++) {
        ambient[i] = from_below[i];
        ambient[i] += (from_above[i] - from_below[i]) * (0.5 + 0.5 * normal[1]);
        light[i] = colour[i] * (facing * sun[i] + ambient[i]);
    }
}

static void tilt_normal(double normal[3], const struct grain *grain, double roughness)
{
    double along = dot(grain->tilt, normal);

    for (int i = 0; i < 3; i++)
        normal[i] -= roughness * (grain->tilt[i] - along * normal[i]);
    normalise(normal);
}

/* On the table lies the shadow of the mesh, and of the ground below it. */
static double table_sunlight(const struct tr_look *look, const double position[3], const double normal[3])
{
    struct tr_cut_hit hit;

    return tr_cut_hit(look->cut, position, look->sun, &hit) ? 0.0
                                                            : tr_shadow_light(look->shadow, position, normal);
}

static void surface_light(const struct tr_look *look, const double position[3], double footprint,
                          const struct tr_seen *seen, double light[3])
{
    double normal[3], colour[3] = {0}, sunlight, roughness = 0.0;
    struct grain grain;

    tr_normal_unpack(seen->normal, normal);
    if (seen->kind == TR_SEEN_TABLE) {
        lit(look, normal, table_sunlight(look, position, normal), table_colour, light);
        return;
    }
    if (seen->kind == TR_SEEN_BACK)
        for (int i = 0; i < 3; i++)
            normal[i] = -normal[i];
    sunlight = tr_shadow_light(look->shadow, position, normal);
    grain = grain_at(position, footprint);
    if (seen->kind == TR_SEEN_CUT) {
        double thick = 0.018 * fmax(look->cut->size[0], look->cut->size[1]);

        cut_colour((double)seen->below, position[1], &grain, footprint, fmax(thick, 1.0), colour);
        roughness = 0.05;
    } else if (seen->kind == TR_SEEN_BACK) {
        material_colour(SOIL, position[1], &grain, footprint, colour);
    } else if (look->lod_colors) {
        static const double white[3] = {0.62, 0.62, 0.60};

        tr_look_lod_colour(seen->lod, colour);
        mix(colour, white, seen->is_transition ? 0.55 : 0.0);
    } else {
        ground_colour(seen, position[1], &grain, footprint, colour, &roughness);
    }
    tilt_normal(normal, &grain, roughness);
    lit(look, normal, sunlight, colour, light);
    mix(light, wire_colour, seen->line / 255.0 * 0.75);
}

/* The table ends in haze a little way from the world, wherever the eye is. */
static double table_haze(const struct tr_look *look, const double position[3])
{
    return tr_ramp(0.2, 1.0,
                   hypot(position[0] - look->middle[0], position[2] - look->middle[1]) / look->reach);
}

void tr_look_shade(const struct tr_look *look, const double eye[3], const double ray[3], double footprint,
                   const struct tr_seen *seen, double light[3])
{
    double direction[3] = {ray[0], ray[1], ray[2]}, length = sqrt(dot(ray, ray)), position[3], haze[3],
           distance;

    normalise(direction);
    sky_light(look, direction, seen->kind == TR_SEEN_SKY, light);
    if (seen->kind == TR_SEEN_SKY)
        return;
    for (int axis = 0; axis < 3; axis++) {
        position[axis] = eye[axis] + ray[axis] / (double)seen->inv_w;
        haze[axis] = light[axis];
    }
    distance = length / (double)seen->inv_w;
    surface_light(look, position, footprint / (double)seen->inv_w, seen, light);
    mix(light, haze,
        seen->kind == TR_SEEN_TABLE ? table_haze(look, position) : 1.0 - exp(-distance / look->haze));
}

void tr_look_develop(const double light[3], double colour[3])
{
    for (int i = 0; i < 3; i++) {
        double shown = 1.0 - exp(-EXPOSURE * light[i]); /* bright light saturates softly, as on film */

        shown = shown <= 0.0031308 ? 12.92 * shown : 1.055 * pow(shown, 1.0 / 2.4) - 0.055;
        colour[i] = shown + CONTRAST * (tr_ramp(0.0, 1.0, shown) - shown);
    }
}
