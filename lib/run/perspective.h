/* A mesh pack as a picture in perspective, with sun and shadow: a look at what engines will draw.
 *
 * The triangles are drawn as the pack has them, transitions and all, so a crack would show. Their colours are the pack's
 * splat weights: grass, rock, sand and soil, with the grain of a material where it is near enough to see. The sides of the
 * world are shown as cut ground (cut.h), on a table.
 *
 * Like all pictures these are for people: the bytes are the same at every number of jobs on one machine, no more. */
#ifndef TR_RUN_PERSPECTIVE_H
#define TR_RUN_PERSPECTIVE_H

#include "lib/pack/pack.h"
#include "lib/run/preview.h"

#define TR_VIEW_SIDE_MAX 4096 /* pixels */
#define TR_VIEW_FOV_MIN 1.0   /* degrees */
#define TR_VIEW_FOV_MAX 150.0
#define TR_VIEW_SUN_MIN 1.0   /* degrees above the horizon */
#define TR_VIEW_REACH_MAX 1e9 /* voxels from the world's corner */

struct tr_view {
    uint32_t width, height; /* pixels */
    bool has_from,
        has_look_at; /* else: south-east above, from where the whole mesh is seen; the mesh's middle */
    double from[3], look_at[3]; /* metres of the world */
    double fov;                 /* the picture's height in degrees */
    double sun_azimuth;         /* degrees clockwise from north */
    double sun_elevation;       /* degrees above the horizon */
    bool has_lod;               /* of a pack of all levels; else its finest */
    uint32_t lod;
    bool wireframe;  /* the triangles' edges */
    bool lod_colors; /* a colour for each level instead of materials, transitions lighter */
};

/* 1280 x 800 pixels, 35 degrees high, sun in the south-west. */
void tr_view_init(struct tr_view *view);

/* Refuses views that show nothing that could be drawn: TR_USAGE for a level that the pack lacks, TR_BAD_INPUT for numbers
 * out of range. Release the picture. */
enum tr_status tr_preview_perspective(struct tr_jobs *jobs, const struct tr_pack *pack,
                                      const struct tr_view *view, struct tr_picture *picture,
                                      struct tr_error *error);

#endif
