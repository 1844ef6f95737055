/* What the steps of a perspective picture share: what a sample of it shows, the shadow map, the light, and the scene that
 * has them all.
 *
 * Private to lib/run. Lengths are voxels; colours are linear here and become sRGB with the pixel. */
#ifndef TR_RUN_PERSPECTIVE_PARTS_H
#define TR_RUN_PERSPECTIVE_PARTS_H

#include "lib/run/camera.h"
#include "lib/run/cut.h"
#include "lib/run/perspective.h"

#define TR_SUPERSAMPLES 2 /* along a side of a pixel */

/* ---- what a sample shows ---- */

enum tr_seen_kind {
    TR_SEEN_SKY = 0,
    TR_SEEN_GROUND,
    TR_SEEN_BACK,  /* ground from within */
    TR_SEEN_CUT,   /* cut ground in a side */
    TR_SEEN_TABLE, /* what the world stands on */
};

struct tr_seen {
    float inv_w;     /* 1 / distance along the view, 0: infinitely far */
    uint32_t normal; /* octahedral, as tr_normal_pack makes it */
    union {
        uint8_t weights[4]; /* of ground */
        float below;        /* of cut ground: depth below the surface */
    };
    uint8_t kind, lod, is_transition;
    uint8_t line; /* 0..255: how much of it a wire covers */
};

uint32_t tr_normal_pack(const double normal[3]);
void tr_normal_unpack(uint32_t packed, double normal[3]);

/* ---- shadow ---- */

/* Depths from the sun over what the picture shows. */
struct tr_shadow_map {
    struct tr_camera camera;
    int32_t side;  /* texels; 0: everything is lit */
    double texel;  /* voxels */
    double reach;  /* half of the depth's range, voxels */
    float *depths; /* -1 to 1 along the light, of the surface nearest to the sun; FLT_MAX: none */
};
/* 0 in shadow to 1 in the sun; the edge is as soft as a few texels. */
double tr_shadow_light(const struct tr_shadow_map *map, const double position[3], const double normal[3]);

/* ---- colour ---- */

struct tr_look {
    double sun[3]; /* direction to it */
    double sun_elevation;
    double haze;             /* distance at which 63% of the light is the haze's */
    double middle[2], reach; /* x and z of the mesh's middle, and how far from it the table is lost in haze */
    bool wireframe, lod_colors;
    const struct tr_cut *cut;
    const struct tr_shadow_map *shadow;
};

/* The light that comes from a sample along `ray`, from `eye`; footprint: the width of a sample's pixel at distance 1. */
void tr_look_shade(const struct tr_look *look, const double eye[3], const double ray[3], double footprint,
                   const struct tr_seen *seen, double light[3]);
/* To sRGB, 0..1. */
void tr_look_develop(const double light[3], double colour[3]);
/* What --lod-colors paints a level with. */
void tr_look_lod_colour(uint32_t lod, double colour[3]);

/* ---- the scene ---- */

struct tr_scene {
    struct tr_jobs *jobs;
    const struct tr_pack *pack;
    const struct tr_view *view;
    struct tr_picture *picture;

    size_t first, end;   /* the tiles to draw, in the pack's table */
    double lo[3], hi[3]; /* their bounds, but lo[1] is the floor of cut ground */
    double across;       /* the wider of their x and z */
    struct tr_cut cut;
    struct tr_cut_edges (*profile)[TR_CUT_SIDES]; /* of each tile, until they are put together */

    struct tr_camera camera;
    int32_t width, height; /* samples */
    struct tr_seen *seen;
    struct tr_shadow_map shadow;
    struct tr_look look;
    double (*bounds)[4]; /* of a row of samples: least and greatest along the sun's right and up */
};

/* A tile's lowest corner, units, and the bounds of its vertices, voxels. */
void tr_scene_tile_corner(const struct tr_pack_tile *tile, int64_t corner[3]);
void tr_scene_tile_bounds(const struct tr_pack_tile *tile, double lo[3], double hi[3]);
/* A tile as its neighbourhood draws it: a window's has one state a side, a pack of all levels is drawn with one level.
 * Release the mesh, also after a failure. */
enum tr_status tr_scene_read_tile(const struct tr_scene *scene, size_t index, struct tr_tile_mesh *mesh,
                                  struct tr_error *error);

/* The scene's tiles as a camera sees them: into scene->seen, or into the shadow map's depths (perspective_draw.c). */
enum tr_status tr_scene_draw(struct tr_scene *scene, const struct tr_camera *camera, int32_t width,
                             int32_t height, bool for_shadow, struct tr_error *error);
/* Adds what rays meet to the samples, and makes the shadow map (perspective_light.c). */
enum tr_status tr_scene_cast_shadow(struct tr_scene *scene, struct tr_error *error);
/* The samples' colours, four a pixel, into the picture. */
enum tr_status tr_scene_shade(struct tr_scene *scene, struct tr_error *error);

#endif
