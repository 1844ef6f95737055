/* See perspective.h. The steps:
 *
 *   frame    the eye, from what the view names and the bounds of the tiles
 *   cut      the profile of the ground in the world's sides, from the tiles along them
 *   draw     the tiles, keeping of each sample the nearest surface (perspective_draw.c)
 *   shadow   the tiles once more, from the sun, and light and colour of each sample (perspective_light.c)
 *
 * Memory follows the picture's size and that of a batch of tiles, not the pack's. */
#include "lib/run/perspective.h"
#include "lib/run/perspective.h"

#include "lib/base/alloc.h"
#include "lib/mesh/selection.h"
#include "lib/run/perspective_parts.h"
#include "lib/run/picture.h"

#include <math.h>
#include <stdlib.h>

#define DEFAULT_AZIMUTH 146.0 /* of the eye, seen from the mesh: south-east, */
#define DEFAULT_ELEVATION 27.0
#define FLOOR_PART 0.045 /* thickness of the ground below its lowest place, of the world's width */
#define HAZE_WIDTHS 22.0 /* distance of the haze */
#define TABLE_WIDTHS 1.7 /* how far the table reaches before it is lost in the haze */

/* ---- the tiles ---- */

static bool has_lod(const struct tr_pack *pack, uint32_t lod)
{
    return lod <= TR_LOD_MAX && (pack->lods >> lod & 1);
}

static enum tr_status select_tiles(struct tr_scene *scene, struct tr_error *error)
{
    const struct tr_pack *pack = scene->pack;
    const struct tr_view *view = scene->view;
    uint32_t lod = view->lod;

    if (pack->tile_count == 0)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": no triangles, expected a mesh to draw", pack->path);
    scene->first = 0;
    scene->end = pack->tile_count;
    if (pack->info.form == TR_PACK_WINDOW)
        return view->has_lod
                   ? tr_fail(error, TR_USAGE,
                             "\"%s\" is one window, expected no --lod: it is drawn as it stands", pack->path)
                   : TR_OK;
    if (!view->has_lod)
        lod = pack->tiles[0].lod;
    if (!has_lod(pack, lod))
        return tr_fail(error, TR_USAGE, "\"%s\" has no level %u, expected one that info lists", pack->path,
                       lod);
    while (pack->tiles[scene->first].lod < lod)
        scene->first++;
    for (scene->end = scene->first; scene->end < pack->tile_count && pack->tiles[scene->end].lod == lod;)
        scene->end++;
    return TR_OK;
}

void tr_scene_tile_corner(const struct tr_pack_tile *tile, int64_t corner[3])
{
    const int64_t side = (int64_t)TR_TILE_CELLS * TR_UNITS << tile->lod;

    corner[0] = tile->cx * side;
    corner[1] = tile->cy * side;
    corner[2] = tile->cz * side;
}

void tr_scene_tile_bounds(const struct tr_pack_tile *tile, double lo[3], double hi[3])
{
    int64_t corner[3];

    tr_scene_tile_corner(tile, corner);
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = (double)(corner[axis] + tile->lo[axis]) / TR_UNITS;
        hi[axis] = (double)(corner[axis] + tile->hi[axis]) / TR_UNITS;
    }
}

enum tr_status tr_scene_read_tile(const struct tr_scene *scene, size_t index, struct tr_tile_mesh *mesh,
                                  struct tr_error *error)
{
    const struct tr_pack_tile *tile = &scene->pack->tiles[index];
    uint8_t states[TR_SIDES];
    enum tr_status status = tr_pack_read_tile(scene->pack, index, mesh, error);

    for (int side = 0; side < TR_SIDES; side++)
        states[side] = scene->pack->info.form == TR_PACK_WINDOW ? tile->states[side] : TR_SIDE_SAME;
    if (status == TR_OK)
        status = tr_tile_mesh_settle(mesh, states, error);
    return status;
}

/* ---- the frame ---- */

static void measure(struct tr_scene *scene)
{
    const struct tr_pack_info *info = &scene->pack->info;

    for (int axis = 0; axis < 3; axis++) {
        scene->lo[axis] = INFINITY;
        scene->hi[axis] = -INFINITY;
    }
    for (size_t i = scene->first; i < scene->end; i++) {
        double lo[3], hi[3];

        tr_scene_tile_bounds(&scene->pack->tiles[i], lo, hi);
        for (int axis = 0; axis < 3; axis++) {
            scene->lo[axis] = fmin(scene->lo[axis], lo[axis]);
            scene->hi[axis] = fmax(scene->hi[axis], hi[axis]);
        }
    }
    scene->cut.size[0] = (double)info->size_x * TR_CHUNK;
    scene->cut.size[1] = (double)info->size_z * TR_CHUNK;
    scene->across = fmax(fmax(scene->hi[0] - scene->lo[0], scene->hi[2] - scene->lo[2]), 1.0);
    scene->cut.floor = scene->lo[1] - FLOOR_PART * scene->across - 1.0;
    scene->lo[1] = scene->cut.floor;
}

static enum tr_status check_point(const char *what, const double metres[3], double voxel_size,
                                  double voxels[3], struct tr_error *error)
{
    for (int axis = 0; axis < 3; axis++) {
        voxels[axis] = metres[axis] / voxel_size;
        if (!(fabs(voxels[axis]) <= TR_VIEW_REACH_MAX))
            return tr_fail(error, TR_BAD_INPUT,
                           "%s is %g, %g, %g, expected at most %g voxels of %g m from the world", what,
                           metres[0], metres[1], metres[2], TR_VIEW_REACH_MAX, voxel_size);
    }
    return TR_OK;
}

static enum tr_status check_view(const struct tr_view *view, struct tr_error *error)
{
    if (view->width < 1 || view->height < 1 || view->width > TR_VIEW_SIDE_MAX ||
        view->height > TR_VIEW_SIDE_MAX)
        return tr_fail(error, TR_BAD_INPUT, "the picture would have %u x %u pixels, expected 1 to %d each",
                       view->width, view->height, TR_VIEW_SIDE_MAX);
    if (!(view->fov >= TR_VIEW_FOV_MIN && view->fov <= TR_VIEW_FOV_MAX))
        return tr_fail(error, TR_BAD_INPUT, "the field of view is %g degrees, expected %g to %g", view->fov,
                       TR_VIEW_FOV_MIN, TR_VIEW_FOV_MAX);
    if (!(view->sun_elevation >= TR_VIEW_SUN_MIN && view->sun_elevation <= 90.0) ||
        !(fabs(view->sun_azimuth) <= 360.0))
        return tr_fail(error, TR_BAD_INPUT,
                       "the sun is at azimuth %g, elevation %g, expected -360 to 360 and %g to 90 degrees",
                       view->sun_azimuth, view->sun_elevation, TR_VIEW_SUN_MIN);
    return TR_OK;
}

/* The eye that sees all of the mesh: the upper corners of its tiles' bounds, and the floor. */
static enum tr_status fit_eye(const struct tr_scene *scene, double aspect, const double back[3],
                              double eye[3], struct tr_error *error)
{
    size_t tiles = scene->end - scene->first, count = 0;
    double(*points)[3] = tr_alloc(4 * (tiles + 1), sizeof *points, error);

    if (!points)
        return TR_IO;
    for (size_t i = 0; i <= tiles; i++) {
        double lo[3] = {scene->lo[0], 0, scene->lo[2]}, hi[3] = {scene->hi[0], scene->lo[1], scene->hi[2]};

        if (i < tiles)
            tr_scene_tile_bounds(&scene->pack->tiles[scene->first + i], lo, hi);
        for (int corner = 0; corner < 4; corner++, count++) {
            points[count][0] = corner & 1 ? hi[0] : lo[0];
            points[count][1] = hi[1];
            points[count][2] = corner & 2 ? hi[2] : lo[2];
        }
    }
    tr_camera_fit((const double(*)[3])points, count, back, scene->view->fov, aspect, eye);
    free(points);
    return TR_OK;
}

static enum tr_status place_camera(struct tr_scene *scene, struct tr_error *error)
{
    const struct tr_view *view = scene->view;
    double aspect = (double)view->width / view->height, voxel = scene->pack->info.voxel_size;
    double back[3], eye[3], at[3], forward[3], length = 0.0;
    enum tr_status status;

    tr_direction(DEFAULT_AZIMUTH, DEFAULT_ELEVATION, back);
    status = fit_eye(scene, aspect, back, eye, error);
    for (int axis = 0; axis < 3; axis++)
        at[axis] = (scene->lo[axis] + scene->hi[axis]) / 2.0;
    if (status == TR_OK && view->has_look_at) {
        /* the same way off the place as off the mesh's middle */
        const double middle[3] = {at[0], at[1], at[2]};

        status = check_point("--look-at", view->look_at, voxel, at, error);
        for (int axis = 0; axis < 3; axis++)
            eye[axis] += at[axis] - middle[axis];
    }
    if (status == TR_OK && view->has_from)
        status = check_point("--from", view->from, voxel, eye, error);
    if (status != TR_OK)
        return status;
    for (int axis = 0; axis < 3; axis++) {
        /* the fitted eye looks along `back`, a little past the middle */
        forward[axis] = view->has_from || view->has_look_at ? at[axis] - eye[axis] : -back[axis];
        length += forward[axis] * forward[axis];
    }
    length = sqrt(length);
    if (!(length >= TR_CAMERA_NEAR))
        return tr_fail(error, TR_BAD_INPUT,
                       "the eye is where it looks at, expected another --from or --look-at");
    for (int axis = 0; axis < 3; axis++)
        forward[axis] /= length;
    tr_camera_perspective(&scene->camera, eye, forward, view->fov, aspect);
    return TR_OK;
}

/* ---- the sides ---- */

static bool touches_side(const struct tr_scene *scene, const struct tr_pack_tile *tile)
{
    double lo[3], hi[3];

    tr_scene_tile_bounds(tile, lo, hi);
    return lo[0] <= 0.0 || lo[2] <= 0.0 || hi[0] >= scene->cut.size[0] || hi[2] >= scene->cut.size[1];
}

static enum tr_status profile_tile(void *context, size_t index, int job, struct tr_error *error)
{
    struct tr_scene *scene = context;
    const struct tr_pack_tile *tile = &scene->pack->tiles[scene->first + index];
    const int64_t size[2] = {(int64_t)scene->pack->info.size_x * TR_CHUNK * TR_UNITS,
                             (int64_t)scene->pack->info.size_z * TR_CHUNK * TR_UNITS};
    struct tr_tile_mesh mesh = {0};
    int64_t corner[3];
    enum tr_status status;

    (void)job;
    if (!touches_side(scene, tile))
        return TR_OK;
    tr_scene_tile_corner(tile, corner);
    status = tr_scene_read_tile(scene, scene->first + index, &mesh, error);
    if (status == TR_OK)
        status = tr_cut_collect(&mesh, corner, size, scene->profile[index], error);
    tr_tile_mesh_release(&mesh);
    return status;
}

static enum tr_status join_profile(struct tr_cut_edges *to, const struct tr_cut_edges *from,
                                   struct tr_error *error)
{
    enum tr_status status =
        tr_grow(&to->list, &to->capacity, to->count + from->count, sizeof *to->list, error);

    if (status != TR_OK)
        return status;
    for (size_t i = 0; i < from->count; i++)
        to->list[to->count++] = from->list[i];
    return TR_OK;
}

static enum tr_status cut_sides(struct tr_scene *scene, struct tr_error *error)
{
    size_t count = scene->end - scene->first;
    enum tr_status status = TR_IO;

    scene->profile = tr_alloc(count, sizeof *scene->profile, error);
    if (!scene->profile)
        return TR_IO;
    status = tr_jobs_run(scene->jobs, count, profile_tile, scene, error);
    for (size_t i = 0; i < count; i++)
        for (int side = 0; side < TR_CUT_SIDES; side++) {
            if (status == TR_OK)
                status = join_profile(&scene->cut.sides[side], &scene->profile[i][side], error);
            free(scene->profile[i][side].list);
        }
    free(scene->profile);
    scene->profile = NULL;
    return status == TR_OK ? tr_cut_sort(&scene->cut, error) : status;
}

void tr_view_init(struct tr_view *view)
{
    *view = (struct tr_view){
        .width = 1280, .height = 800, .fov = 35.0, .sun_azimuth = 240.0, .sun_elevation = 32.0};
}

static enum tr_status look_at_mesh(struct tr_scene *scene, struct tr_error *error)
{
    const struct tr_view *view = scene->view;
    enum tr_status status = check_view(view, error);

    if (status == TR_OK)
        status = select_tiles(scene, error);
    if (status != TR_OK)
        return status;
    measure(scene);
    status = place_camera(scene, error);
    if (status != TR_OK)
        return status;
    scene->width = (int32_t)view->width * TR_SUPERSAMPLES;
    scene->height = (int32_t)view->height * TR_SUPERSAMPLES;
    scene->look = (struct tr_look){
        .sun_elevation = view->sun_elevation,
        .haze = HAZE_WIDTHS * scene->across,
        .middle = {(scene->lo[0] + scene->hi[0]) / 2.0, (scene->lo[2] + scene->hi[2]) / 2.0},
        .reach = TABLE_WIDTHS * scene->across,
        .wireframe = view->wireframe,
        .lod_colors = view->lod_colors,
        .cut = &scene->cut,
        .shadow = &scene->shadow,
    };
    tr_direction(view->sun_azimuth, view->sun_elevation, scene->look.sun);
    status = tr_picture_init(scene->picture, view->width, view->height, error);
    if (status != TR_OK)
        return status;
    scene->seen = tr_alloc((size_t)scene->width * (size_t)scene->height, sizeof *scene->seen, error);
    return scene->seen ? TR_OK : TR_IO;
}

enum tr_status tr_preview_perspective(struct tr_jobs *jobs, const struct tr_pack *pack,
                                      const struct tr_view *view, struct tr_picture *picture,
                                      struct tr_error *error)
{
    struct tr_scene *scene = tr_alloc(1, sizeof *scene, error);
    enum tr_status status;

    *picture = (struct tr_picture){0};
    if (!scene)
        return TR_IO;
    scene->jobs = jobs;
    scene->pack = pack;
    scene->view = view;
    scene->picture = picture;
    status = look_at_mesh(scene, error);
    if (status == TR_OK)
        status = cut_sides(scene, error);
    if (status == TR_OK)
        status = tr_scene_draw(scene, &scene->camera, scene->width, scene->height, false, error);
    if (status == TR_OK)
        status = tr_scene_cast_shadow(scene, error);
    if (status == TR_OK)
        status = tr_scene_shade(scene, error);
    if (status != TR_OK)
        tr_picture_release(picture);
    tr_cut_release(&scene->cut);
    free(scene->seen);
    free(scene->bounds);
    free(scene->shadow.depths);
    free(scene);
    return status;
}
