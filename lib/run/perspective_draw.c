/* The tiles of a pack onto the samples of a picture, or the texels of a shadow map.
 *
 * Tiles come in batches: a batch is read and projected, a tile a job, then scanned into squares of the picture, a square a
 * job. A square is drawn tile by tile in the pack's order, and of two surfaces equally near the first stays: so neither the
 * number of jobs nor the size of a batch shows. */
#include "lib/run/perspective_parts.h"

#include "lib/base/alloc.h"
#include "lib/mesh/splat.h"
#include "lib/run/picture.h"
#include "lib/run/scan.h"

#include <math.h>
#include <stdlib.h>

#define SQUARE 64 /* samples or texels along a side */
#define BATCH_TILES 256
#define BATCH_INDICES ((uint64_t)12 << 20)
#define LINE_PIXELS 0.55     /* half of a wire's width */
#define LINE_FADE_PIXELS 5.0 /* triangles narrower than this have fainter wires */

_Static_assert(TR_VIEW_SIDE_MAX *TR_SUPERSAMPLES <= TR_SCAN_SAMPLES_MAX,
               "a picture's samples can be scanned");

/* A tile that is being drawn. */
struct tile {
    struct tr_tile_mesh mesh; /* of its neighbourhood */
    float (*clip)[4];
    float (*normals)[3];
    uint32_t transition_from; /* indices from here on are transitions */
    struct tr_scan_rect rect; /* of the picture that it may touch */
};

struct batch {
    struct tr_scene *scene;
    const struct tr_camera *camera;
    int32_t width, height; /* of the target */
    bool for_shadow;
    size_t first, count; /* in the pack's table */
    struct tile tiles[BATCH_TILES];
};

/* ---- a batch: reading ---- */

static double near_of(const struct batch *batch)
{
    return batch->for_shadow ? 0.5 : TR_CAMERA_NEAR; /* w is 1 in a parallel view */
}

/* Whether a box may be seen: not all of its corners are beyond one side of the picture. */
static bool box_is_seen(const struct batch *batch, const double lo[3], const double hi[3])
{
    int beyond[5] = {0};

    for (int corner = 0; corner < 8; corner++) {
        double position[3];
        float clip[4];

        for (int axis = 0; axis < 3; axis++)
            position[axis] = corner >> axis & 1 ? hi[axis] : lo[axis];
        tr_camera_project(batch->camera, position, clip);
        beyond[0] += clip[0] > clip[3];
        beyond[1] += clip[0] < -clip[3];
        beyond[2] += clip[1] > clip[3];
        beyond[3] += clip[1] < -clip[3];
        beyond[4] += (double)clip[3] < near_of(batch);
    }
    for (int side = 0; side < 5; side++)
        if (beyond[side] == 8)
            return false;
    return true;
}

static void unpack_normal(uint32_t octahedral, float normal[3])
{
    double n[3];

    tr_normal_unpack(octahedral, n);
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = (float)n[axis];
}

static enum tr_status project_tile(struct batch *batch, const struct tr_pack_tile *from, struct tile *tile,
                                   struct tr_error *error)
{
    const struct tr_tile_mesh *mesh = &tile->mesh;
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    bool is_near = false;
    int64_t corner[3];

    tr_scene_tile_corner(from, corner);
    tile->clip = tr_alloc(mesh->vertex_count, sizeof *tile->clip, error);
    tile->normals = tr_alloc(batch->for_shadow ? 0 : mesh->vertex_count, sizeof *tile->normals, error);
    if (!tile->clip || !tile->normals)
        return TR_IO;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const tr_vertex *vertex = &mesh->vertices[i];
        const double position[3] = {(double)(corner[0] + vertex->x) / TR_UNITS,
                                    (double)(corner[1] + vertex->y) / TR_UNITS,
                                    (double)(corner[2] + vertex->z) / TR_UNITS};
        float *clip = tile->clip[i];

        tr_camera_project(batch->camera, position, clip);
        if (!batch->for_shadow)
            unpack_normal(vertex->normal, tile->normals[i]);
        if ((double)clip[3] < near_of(batch)) {
            is_near = true;
            continue;
        }
        for (int axis = 0; axis < 2; axis++) {
            lo[axis] = fmin(lo[axis], (double)clip[axis] / (double)clip[3]);
            hi[axis] = fmax(hi[axis], (double)clip[axis] / (double)clip[3]);
        }
    }
    tile->rect = (struct tr_scan_rect){0, 0, batch->width, batch->height};
    if (!is_near) {
        double x0 = floor((0.5 + 0.5 * lo[0]) * batch->width) - 1.0;
        double x1 = ceil((0.5 + 0.5 * hi[0]) * batch->width) + 1.0;
        double y0 = floor((0.5 - 0.5 * hi[1]) * batch->height) - 1.0;
        double y1 = ceil((0.5 - 0.5 * lo[1]) * batch->height) + 1.0;

        tile->rect.x0 = (int32_t)fmin(fmax(x0, 0.0), batch->width);
        tile->rect.x1 = (int32_t)fmin(fmax(x1, 0.0), batch->width);
        tile->rect.y0 = (int32_t)fmin(fmax(y0, 0.0), batch->height);
        tile->rect.y1 = (int32_t)fmin(fmax(y1, 0.0), batch->height);
    }
    return TR_OK;
}

static enum tr_status weigh_tile(const struct batch *batch, const struct tr_pack_tile *from,
                                 struct tr_tile_mesh *mesh, struct tr_error *error)
{
    int64_t corner[3];

    if (mesh->weights)
        return TR_OK;
    tr_scene_tile_corner(from, corner);
    return tr_splat(mesh, corner[1], batch->scene->pack->info.voxel_size, error);
}

static enum tr_status load_tile(void *context, size_t index, int job, struct tr_error *error)
{
    struct batch *batch = context;
    const struct tr_pack_tile *from = &batch->scene->pack->tiles[batch->first + index];
    struct tile *tile = &batch->tiles[index];
    double lo[3], hi[3];
    enum tr_status status;

    (void)job;
    tr_scene_tile_bounds(from, lo, hi);
    if (!box_is_seen(batch, lo, hi))
        return TR_OK;
    status = tr_scene_read_tile(batch->scene, batch->first + index, &tile->mesh, error);
    if (status == TR_OK && !batch->for_shadow)
        status = weigh_tile(batch, from, &tile->mesh, error);
    if (status == TR_OK)
        status = project_tile(batch, from, tile, error);
    tile->transition_from = tile->mesh.index_count;
    for (uint32_t i = tile->mesh.part_count; status == TR_OK && i-- > 0;)
        if (tile->mesh.parts[i].face != TR_PART_SURFACE)
            tile->transition_from = tile->mesh.parts[i].first_index;
    return status;
}

static void unload_tiles(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        tr_tile_mesh_release(&batch->tiles[i].mesh);
        free(batch->tiles[i].clip);
        free(batch->tiles[i].normals);
        batch->tiles[i] = (struct tile){0};
    }
}

/* ---- a batch: drawing ---- */

/* The triangle that is being scanned. */
struct stroke {
    const struct batch *batch;
    const struct tile *tile;
    const uint32_t *corners;
    bool is_transition;
};

/* How much of a sample a wire along the triangle's nearest edge covers. q[i] is 0 on the edge opposite corner i and rises
 * evenly on the picture. */
static uint8_t line_at(const struct tr_scan_planes *planes, const double q[3])
{
    double distance = INFINITY, narrow = INFINITY;

    for (int i = 0; i < 3; i++) {
        double slope =
            sqrt(planes->parts[i][1] * planes->parts[i][1] + planes->parts[i][2] * planes->parts[i][2]);

        if (slope > 0.0) {
            distance = fmin(distance, q[i] / slope);
            narrow = fmin(narrow, (q[0] + q[1] + q[2]) / slope);
        }
    }
    distance = tr_clamp01(LINE_PIXELS * TR_SUPERSAMPLES + 0.5 - distance);
    return (uint8_t)(255.0 * distance * tr_clamp01(narrow / (LINE_FADE_PIXELS * TR_SUPERSAMPLES)));
}

static void cover_sample(void *context, const struct tr_scan_planes *planes, int32_t x, int32_t y,
                         const double q[3])
{
    const struct stroke *stroke = context;
    const struct tile *tile = stroke->tile;
    struct tr_seen *seen =
        &stroke->batch->scene->seen[(size_t)y * (size_t)stroke->batch->scene->width + (size_t)x];
    double inv_w = q[0] + q[1] + q[2], normal[3] = {0}, weights[4] = {0};

    if (!((float)inv_w > seen->inv_w))
        return;
    for (int i = 0; i < 3; i++) {
        double part = q[i] / inv_w;

        for (int axis = 0; axis < 3; axis++)
            normal[axis] += part * (double)tile->normals[stroke->corners[i]][axis];
        for (int k = 0; k < 4; k++)
            weights[k] += part * tile->mesh.weights[stroke->corners[i]][k];
    }
    seen->inv_w = (float)inv_w;
    seen->normal = tr_normal_pack(normal);
    for (int k = 0; k < 4; k++)
        seen->weights[k] = (uint8_t)fmin(fmax(weights[k] + 0.5, 0.0), 255.0);
    seen->kind = planes->is_front ? TR_SEEN_GROUND : TR_SEEN_BACK;
    seen->lod = (uint8_t)tile->mesh.lod;
    seen->is_transition = stroke->is_transition;
    seen->line = stroke->batch->scene->view->wireframe ? line_at(planes, q) : 0;
}

static void cover_texel(void *context, const struct tr_scan_planes *planes, int32_t x, int32_t y,
                        const double q[3])
{
    const struct stroke *stroke = context;
    struct tr_shadow_map *map = &stroke->batch->scene->shadow;
    float *depth = &map->depths[(size_t)y * (size_t)map->side + (size_t)x];
    double found = 0.0;

    (void)planes;
    for (int i = 0; i < 3; i++)
        found += q[i] * (double)stroke->tile->clip[stroke->corners[i]][2];
    *depth = fminf(*depth, (float)found);
}

static struct tr_scan_rect square_rect(int32_t width, int32_t height, size_t index)
{
    size_t across = ((size_t)width + SQUARE - 1) / SQUARE;
    int32_t x = (int32_t)(index % across) * SQUARE, y = (int32_t)(index / across) * SQUARE;

    return (struct tr_scan_rect){x, y, x + SQUARE < width ? x + SQUARE : width,
                                 y + SQUARE < height ? y + SQUARE : height};
}

static size_t square_count(int32_t width, int32_t height)
{
    return (((size_t)width + SQUARE - 1) / SQUARE) * (((size_t)height + SQUARE - 1) / SQUARE);
}

static enum tr_status draw_square(void *context, size_t index, int job, struct tr_error *error)
{
    struct batch *batch = context;
    struct tr_scan_rect rect = square_rect(batch->width, batch->height, index);
    double near = near_of(batch);

    (void)job;
    (void)error;
    for (size_t i = 0; i < batch->count; i++) {
        const struct tile *tile = &batch->tiles[i];

        if (tile->rect.x0 >= rect.x1 || tile->rect.x1 <= rect.x0 || tile->rect.y0 >= rect.y1 ||
            tile->rect.y1 <= rect.y0)
            continue;
        for (uint32_t k = 0; k < tile->mesh.index_count; k += 3) {
            struct stroke stroke = {batch, tile, &tile->mesh.indices[k], k >= tile->transition_from};
            const float *const clip[3] = {tile->clip[stroke.corners[0]], tile->clip[stroke.corners[1]],
                                          tile->clip[stroke.corners[2]]};

            tr_scan_triangle(clip, batch->width, batch->height, near, rect,
                             batch->for_shadow ? cover_texel : cover_sample, &stroke);
        }
    }
    return TR_OK;
}

/* So many tiles from `first` on as fit a batch. */
static size_t batch_size(const struct batch *batch, size_t first)
{
    uint64_t indices = 0;
    size_t count = 0;

    while (first + count < batch->scene->end && count < BATCH_TILES) {
        indices += batch->scene->pack->tiles[first + count].index_count;
        if (count > 0 && indices > BATCH_INDICES)
            break;
        count++;
    }
    return count;
}

enum tr_status tr_scene_draw(struct tr_scene *scene, const struct tr_camera *camera, int32_t width,
                             int32_t height, bool for_shadow, struct tr_error *error)
{
    struct batch *batch = tr_alloc(1, sizeof *batch, error);
    enum tr_status status = TR_OK;

    if (!batch)
        return TR_IO;
    *batch = (struct batch){
        .scene = scene, .camera = camera, .width = width, .height = height, .for_shadow = for_shadow};
    for (size_t first = scene->first; first < scene->end && status == TR_OK; first += batch->count) {
        batch->first = first;
        batch->count = batch_size(batch, first);
        status = tr_jobs_run(scene->jobs, batch->count, load_tile, batch, error);
        if (status == TR_OK)
            status = tr_jobs_run(scene->jobs, square_count(width, height), draw_square, batch, error);
        unload_tiles(batch);
    }
    free(batch);
    return status;
}
