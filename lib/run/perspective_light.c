/* From what the tiles left on the samples to the picture: rays for the rest, the shadow map, the light, the pixels.
 *
 * What cut ground and the table show is found by rays, a sample each. The sun's camera is then laid over all that was seen, so
 * that a shadow is as fine as the picture needs, however large the world is. */
#include "lib/run/perspective_parts.h"

#include "lib/base/alloc.h"
#include "lib/mesh/selection.h"
#include "lib/run/picture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define SHADOW_SIDE_MIN 128 /* texels */
#define SHADOW_SIDE_MAX 4096
#define SHADOW_TEXELS 3 /* a pixel of the picture's longer side */

/* ---- rays: cut ground and the table ---- */

static void sample_ray(const struct tr_scene *scene, int32_t x, int32_t y, double ray[3])
{
    tr_camera_ray(&scene->camera, (x + 0.5) / scene->width * 2.0 - 1.0, 1.0 - (y + 0.5) / scene->height * 2.0,
                  ray);
}

static void see_cut(const struct tr_scene *scene, const double ray[3], struct tr_seen *seen)
{
    struct tr_cut_hit hit;
    double normal[3] = {0};

    if (!tr_cut_hit(&scene->cut, scene->camera.eye, ray, &hit) || hit.t < TR_CAMERA_NEAR ||
        !((float)(1.0 / hit.t) > seen->inv_w))
        return;
    normal[hit.side < 2 ? 0 : 2] = hit.side % 2 ? 1.0 : -1.0;
    *seen = (struct tr_seen){.inv_w = (float)(1.0 / hit.t),
                             .normal = tr_normal_pack(normal),
                             .below = (float)hit.below,
                             .kind = TR_SEEN_CUT};
}

static void see_table(const struct tr_scene *scene, const double ray[3], struct tr_seen *seen)
{
    static const double up[3] = {0.0, 1.0, 0.0};
    double height = scene->camera.eye[1] - scene->cut.floor, t;

    if (height <= 0.0 || ray[1] >= 0.0)
        return;
    t = -height / ray[1];
    if (t >= TR_CAMERA_NEAR && (float)(1.0 / t) > seen->inv_w)
        *seen =
            (struct tr_seen){.inv_w = (float)(1.0 / t), .normal = tr_normal_pack(up), .kind = TR_SEEN_TABLE};
}

static enum tr_status see_row(void *context, size_t row, int job, struct tr_error *error)
{
    struct tr_scene *scene = context;
    double *bounds = scene->bounds[row];

    (void)job;
    (void)error;
    bounds[0] = bounds[1] = INFINITY;
    bounds[2] = bounds[3] = -INFINITY;
    for (int32_t x = 0; x < scene->width; x++) {
        struct tr_seen *seen = &scene->seen[row * (size_t)scene->width + (size_t)x];
        double ray[3], position[3], along[3];

        sample_ray(scene, x, (int32_t)row, ray);
        see_cut(scene, ray, seen);
        see_table(scene, ray, seen);
        if (seen->kind == TR_SEEN_SKY)
            continue;
        for (int axis = 0; axis < 3; axis++)
            position[axis] = scene->camera.eye[axis] + ray[axis] / (double)seen->inv_w;
        tr_camera_axes(&scene->shadow.camera, position, along);
        for (int axis = 0; axis < 2; axis++) {
            bounds[axis] = fmin(bounds[axis], along[axis]);
            bounds[axis + 2] = fmax(bounds[axis + 2], along[axis]);
        }
    }
    return TR_OK;
}

/* ---- shadow ---- */

/* What the mesh covers, seen from the sun; light falls past it everywhere else. */
static void bounds_of_mesh(const struct tr_scene *scene, double bounds[4])
{
    bounds[0] = bounds[1] = INFINITY;
    bounds[2] = bounds[3] = -INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        double position[3], along[3];

        for (int axis = 0; axis < 3; axis++)
            position[axis] = corner >> axis & 1 ? scene->hi[axis] : scene->lo[axis];
        tr_camera_axes(&scene->shadow.camera, position, along);
        for (int axis = 0; axis < 2; axis++) {
            bounds[axis] = fmin(bounds[axis], along[axis]);
            bounds[axis + 2] = fmax(bounds[axis + 2], along[axis]);
        }
    }
}

static int32_t shadow_side(const struct tr_view *view)
{
    uint32_t longer = view->width > view->height ? view->width : view->height;
    uint32_t side = longer * SHADOW_TEXELS + SHADOW_SIDE_MIN;

    return (int32_t)(side < SHADOW_SIDE_MAX ? side : SHADOW_SIDE_MAX);
}

/* Rays meet what the tiles left open, and the map is laid over all that is seen. */
static enum tr_status fit_shadow(struct tr_scene *scene, struct tr_error *error)
{
    struct tr_shadow_map *map = &scene->shadow;
    double light[3], middle[3], bounds[4], half;
    int32_t side = shadow_side(scene->view);
    enum tr_status status;

    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = (scene->lo[axis] + scene->hi[axis]) / 2.0;
        light[axis] = -scene->look.sun[axis];
    }
    tr_camera_parallel(&map->camera, middle, light, 1.0, 1.0, 1.0);
    scene->bounds = tr_alloc((size_t)scene->height, sizeof *scene->bounds, error);
    if (!scene->bounds)
        return TR_IO;
    status = tr_jobs_run(scene->jobs, (size_t)scene->height, see_row, scene, error);
    if (status != TR_OK)
        return status;
    bounds_of_mesh(scene, bounds);
    for (int axis = 0; axis < 2; axis++) {
        double least = INFINITY, most = -INFINITY;

        for (int32_t row = 0; row < scene->height; row++) {
            least = fmin(least, scene->bounds[row][axis]);
            most = fmax(most, scene->bounds[row][axis + 2]);
        }
        bounds[axis] = fmax(bounds[axis], least);
        bounds[axis + 2] = fmin(bounds[axis + 2], most);
    }
    if (!(bounds[0] < bounds[2] && bounds[1] < bounds[3]))
        return TR_OK; /* nothing that a shadow could fall on */
    half = fmax(bounds[2] - bounds[0], bounds[3] - bounds[1]) / 2.0 * (1.0 + 16.0 / side) + 1.0;
    for (int axis = 0; axis < 3; axis++)
        middle[axis] += (bounds[0] + bounds[2]) / 2.0 * map->camera.right[axis] +
                        (bounds[1] + bounds[3]) / 2.0 * map->camera.up[axis];
    map->reach = 0.0;
    for (int axis = 0; axis < 3; axis++)
        map->reach += scene->hi[axis] - scene->lo[axis];
    tr_camera_parallel(&map->camera, middle, light, half, half, map->reach);
    map->side = side;
    map->texel = 2.0 * half / side;
    return TR_OK;
}

enum tr_status tr_scene_cast_shadow(struct tr_scene *scene, struct tr_error *error)
{
    struct tr_shadow_map *map = &scene->shadow;
    enum tr_status status = fit_shadow(scene, error);
    size_t count = (size_t)map->side * (size_t)map->side;

    if (status != TR_OK || map->side == 0)
        return status;
    map->depths = tr_alloc(count, sizeof *map->depths, error);
    if (!map->depths)
        return TR_IO;
    for (size_t i = 0; i < count; i++)
        map->depths[i] = FLT_MAX;
    return tr_scene_draw(scene, &map->camera, map->side, map->side, true, error);
}

/* ---- the picture ---- */

static enum tr_status shade_row(void *context, size_t row, int job, struct tr_error *error)
{
    struct tr_scene *scene = context;
    double footprint = 2.0 * scene->camera.half_y / scene->view->height;

    (void)job;
    (void)error;
    for (uint32_t x = 0; x < scene->view->width; x++) {
        double sum[3] = {0};

        for (int i = 0; i < TR_SUPERSAMPLES * TR_SUPERSAMPLES; i++) {
            int32_t sx = (int32_t)x * TR_SUPERSAMPLES + i % TR_SUPERSAMPLES;
            int32_t sy = (int32_t)row * TR_SUPERSAMPLES + i / TR_SUPERSAMPLES;
            double ray[3], light[3], colour[3];

            sample_ray(scene, sx, sy, ray);
            tr_look_shade(&scene->look, scene->camera.eye, ray, footprint,
                          &scene->seen[(size_t)sy * (size_t)scene->width + (size_t)sx], light);
            tr_look_develop(light, colour);
            for (int k = 0; k < 3; k++)
                sum[k] += colour[k] / (TR_SUPERSAMPLES * TR_SUPERSAMPLES);
        }
        tr_picture_set(scene->picture, x, (uint32_t)row, (struct tr_colour){sum[0], sum[1], sum[2]});
    }
    return TR_OK;
}

#define LEGEND_INSET 12.0
#define LEGEND_ROW 17.0
#define LEGEND_TEXT 9.0
#define LEGEND_LIGHT 2.2 /* about that on level ground */

/* The levels' colours, with their numbers. */
static void draw_legend(const struct tr_scene *scene)
{
    struct tr_picture *picture = scene->picture;
    static const struct tr_colour paper = {1.0, 1.0, 0.98}, ink = {0.13, 0.13, 0.15};
    uint32_t lods = 0;
    int rows = 0;
    double y;

    for (size_t i = scene->first; i < scene->end; i++)
        lods |= 1u << scene->pack->tiles[i].lod;
    for (uint32_t lod = 0; lod <= TR_LOD_MAX; lod++)
        rows += (int)(lods >> lod & 1);
    y = picture->height - LEGEND_INSET - LEGEND_ROW * rows - 10.0;
    if (picture->width < 160 || y < LEGEND_INSET)
        return;
    tr_draw_box(picture, LEGEND_INSET, y, LEGEND_INSET + 54.0, picture->height - LEGEND_INSET, 4.0, paper,
                0.82);
    y += 5.0 + LEGEND_ROW / 2.0;
    for (uint32_t lod = 0; lod <= TR_LOD_MAX; lod++) {
        double light[3], colour[3];
        char text[2] = {(char)('0' + lod), 0};

        if (!(lods >> lod & 1))
            continue;
        tr_look_lod_colour(lod, light);
        for (int i = 0; i < 3; i++)
            light[i] *= LEGEND_LIGHT;
        tr_look_develop(light, colour);
        tr_draw_box(picture, LEGEND_INSET + 9.0, y - 5.5, LEGEND_INSET + 29.0, y + 5.5, 2.0,
                    (struct tr_colour){colour[0], colour[1], colour[2]}, 1.0);
        tr_draw_text(picture, LEGEND_INSET + 37.0, y, LEGEND_TEXT, text, ink);
        y += LEGEND_ROW;
    }
}

enum tr_status tr_scene_shade(struct tr_scene *scene, struct tr_error *error)
{
    enum tr_status status = tr_jobs_run(scene->jobs, scene->picture->height, shade_row, scene, error);

    if (status == TR_OK && scene->view->lod_colors)
        draw_legend(scene);
    return status;
}
