/* Pictures of a world: shaded relief from above, and a vertical slice. They read field() like everything
 * else, so caves and edits show.
 *
 * Both show the whole world. A world is whole chunks, so it may reach beyond its data (tr_world_info.extent);
 * the ground there can be edited and is in the mesh like any other. It is drawn under a light veil, and the
 * data's edge is dashed, so that nobody takes it for data.
 *
 * Pictures are for people: they are computed in double on the host and are not part of the exact bytes; the
 * same world still gives the same picture on the same machine at any number of jobs. */
#ifndef TR_RUN_PREVIEW_H
#define TR_RUN_PREVIEW_H

#include "lib/base/jobs.h"
#include "lib/world/world.h"

#define TR_PICTURE_SIDE_MAX 16384

struct tr_picture {
    uint32_t width, height;
    uint8_t *rgb; /* rows from the top, 3 bytes a pixel */
};
void tr_picture_release(struct tr_picture *picture);
enum tr_status tr_picture_write(const struct tr_picture *picture, const char *path, bool replace,
                                struct tr_error *error);

/* From above, north up: heights coloured from low green to high brown and rock, lit
 * from the north-west, contour lines at a round interval, darker where the ground lies below its
 * surroundings, hatched where a cave lies under it. `scale` pixels a voxel (>= 1: magnified; below: several
 * voxels a pixel), 0: the longer side has about 1000 pixels. Pictures large enough get a bar of metres, an
 * arrow to the north and the colours of heights. Refuses (TR_BAD_INPUT) a side of more than
 * TR_PICTURE_SIDE_MAX pixels. */
enum tr_status tr_preview_relief(struct tr_jobs *jobs, const struct tr_world *world, double scale,
                                 struct tr_picture *picture, struct tr_error *error);

/* A vertical cut: sky, ground, caves, with scales of metres. axis 'x': the plane x = at_m, seen from the
 * west, z to the right; axis 'z': the plane z = at_m, seen from the south, x to the right. at_m in metres
 * of the world, as edits have them: from its north-west corner. One voxel is as high as it is wide. Around
 * the cut lie margins of so many pixels. Outside the world: refused, with its range. */
#define TR_SLICE_LEFT 72
#define TR_SLICE_RIGHT 20
#define TR_SLICE_ABOVE 12
#define TR_SLICE_BELOW 28
enum tr_status tr_preview_slice(struct tr_jobs *jobs, const struct tr_world *world, char axis, double at_m,
                                double scale, struct tr_picture *picture, struct tr_error *error);

#endif
