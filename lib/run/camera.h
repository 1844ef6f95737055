/* Cameras: how positions of the world come onto a picture, in perspective or, for the sun, in parallel.
 *
 * Lengths are voxels. Positions are taken relative to the eye in double and only then become floats, so that a
 * world of millions of voxels is as steady as a small one, and equal positions give equal points whichever tile
 * they come from. Matrices are cglm's; its clip space is right-handed, y up, and w is the distance along the
 * direction of view (1 for a parallel view). */
#ifndef TR_RUN_CAMERA_H
#define TR_RUN_CAMERA_H

#include "lib/base/status.h"

#include <cglm/cglm.h>

/* Nearer than this nothing is seen, voxels. */
#define TR_CAMERA_NEAR 0.03

struct tr_camera {
    double eye[3]; /* of a parallel view: a point in the middle of what it sees */
    double right[3], up[3], forward[3];
    double half_x, half_y; /* half of the picture: at distance 1, or of a parallel view at any */
    mat4 clip;             /* from positions relative to the eye */
};

/* The direction to a place in the sky, degrees: azimuth clockwise from north, elevation above the horizon. */
void tr_direction(double azimuth, double elevation, double direction[3]);

/* Looks along `forward` (length 1); seen straight up or down, north is up in the picture. fov: height of the
 * picture in degrees; aspect: its width by its height. */
void tr_camera_perspective(struct tr_camera *camera, const double eye[3], const double forward[3], double fov,
                           double aspect);

/* Looks along `forward` at `middle`, and sees half_x and half_y to each side. The z of clip space is -1 to 1 for what
 * lies up to half_z before or behind the middle. */
void tr_camera_parallel(struct tr_camera *camera, const double middle[3], const double forward[3],
                        double half_x, double half_y, double half_z);

/* A position in clip space. */
void tr_camera_project(const struct tr_camera *camera, const double position[3], float clip[4]);

/* The same position along the camera's own axes: right, up, forward, from the eye. */
void tr_camera_axes(const struct tr_camera *camera, const double position[3], double along[3]);

/* The ray of a perspective camera through a place on the picture, -1 to 1 to the right and up: the position at
 * distance w (the w of clip space) is eye + w * ray. */
void tr_camera_ray(const struct tr_camera *camera, double x, double y, double ray[3]);

/* An eye in direction `back` of points from which they just fill a picture, in its middle. */
void tr_camera_fit(const double (*points)[3], size_t count, const double back[3], double fov, double aspect,
                   double eye[3]);

#endif
