/* See camera.h. */
#include "lib/run/camera.h"

#include <math.h>

#define FAR 1e10f          /* depth is w, the matrix's own is not used */
#define STRAIGHT_UP 0.9999 /* |y| of a direction beyond which north is up in the picture */
#define FIT_STEPS 12
#define FIT_MARGIN 1.04

void tr_direction(double azimuth, double elevation, double direction[3])
{
    float a = glm_rad((float)azimuth), e = glm_rad((float)elevation);

    direction[0] = sin((double)a) * cos((double)e);
    direction[1] = sin((double)e);
    direction[2] = -cos((double)a) * cos((double)e);
}

/* The view along `forward` from the origin, and the camera's axes, which are the rows of its matrix. */
static void camera_look(struct tr_camera *camera, const double eye[3], const double forward[3], mat4 view)
{
    vec3 origin = {0, 0, 0};
    vec3 direction = {(float)forward[0], (float)forward[1], (float)forward[2]};
    vec3 up = {0, 1, 0}, north = {0, 0, -1};

    glm_vec3_normalize(direction);
    glm_look(origin, direction, fabs(forward[1]) > STRAIGHT_UP ? north : up, view);
    for (int axis = 0; axis < 3; axis++) {
        camera->eye[axis] = eye[axis];
        camera->right[axis] = (double)view[axis][0];
        camera->up[axis] = (double)view[axis][1];
        camera->forward[axis] = -(double)view[axis][2];
    }
}

void tr_camera_perspective(struct tr_camera *camera, const double eye[3], const double forward[3], double fov,
                           double aspect)
{
    mat4 view, projection;
    float angle = glm_rad((float)fov);

    camera_look(camera, eye, forward, view);
    glm_perspective(angle, (float)aspect, (float)TR_CAMERA_NEAR, FAR, projection);
    glm_mat4_mul(projection, view, camera->clip);
    camera->half_x = 1.0 / (double)projection[0][0];
    camera->half_y = 1.0 / (double)projection[1][1];
}

void tr_camera_parallel(struct tr_camera *camera, const double middle[3], const double forward[3],
                        double half_x, double half_y, double half_z)
{
    mat4 view, projection;
    float x = (float)half_x, y = (float)half_y, z = (float)half_z;

    camera_look(camera, middle, forward, view);
    glm_ortho(-x, x, -y, y, -z, z, projection);
    glm_mat4_mul(projection, view, camera->clip);
    camera->half_x = half_x;
    camera->half_y = half_y;
}

void tr_camera_project(const struct tr_camera *camera, const double position[3], float clip[4])
{
    vec4 from = {(float)(position[0] - camera->eye[0]), (float)(position[1] - camera->eye[1]),
                 (float)(position[2] - camera->eye[2]), 1.0f};
    vec4 to;

    glm_mat4_mulv((vec4 *)camera->clip, from, to);
    for (int i = 0; i < 4; i++)
        clip[i] = to[i];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void tr_camera_axes(const struct tr_camera *camera, const double position[3], double along[3])
{
    double from[3] = {position[0] - camera->eye[0], position[1] - camera->eye[1],
                      position[2] - camera->eye[2]};

    along[0] = dot(camera->right, from);
    along[1] = dot(camera->up, from);
    along[2] = dot(camera->forward, from);
}

void tr_camera_ray(const struct tr_camera *camera, double x, double y, double ray[3])
{
    for (int axis = 0; axis < 3; axis++)
        ray[axis] = camera->forward[axis] + x * camera->half_x * camera->right[axis] +
                    y * camera->half_y * camera->up[axis];
}

/* How far back from its eye the camera sees all points. */
static double distance_to_see(const struct tr_camera *camera, const double (*points)[3], size_t count)
{
    double distance = -INFINITY, along[3];

    for (size_t i = 0; i < count; i++) {
        tr_camera_axes(camera, points[i], along);
        distance = fmax(distance, fabs(along[0]) / camera->half_x * FIT_MARGIN - along[2]);
        distance = fmax(distance, fabs(along[1]) / camera->half_y * FIT_MARGIN - along[2]);
    }
    return distance + TR_CAMERA_NEAR;
}

/* How far from the picture's middle that of the points lies, by the distance, seen from so far back. */
static void middle_of(const struct tr_camera *camera, const double (*points)[3], size_t count,
                      double distance, double middle[2])
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY}, along[3];

    for (size_t i = 0; i < count; i++) {
        tr_camera_axes(camera, points[i], along);
        for (int axis = 0; axis < 2; axis++) {
            least[axis] = fmin(least[axis], along[axis] / (along[2] + distance));
            most[axis] = fmax(most[axis], along[axis] / (along[2] + distance));
        }
    }
    middle[0] = (least[0] + most[0]) / 2.0;
    middle[1] = (least[1] + most[1]) / 2.0;
}

void tr_camera_fit(const double (*points)[3], size_t count, const double back[3], double fov, double aspect,
                   double eye[3])
{
    struct tr_camera camera;
    double target[3], forward[3] = {-back[0], -back[1], -back[2]}, distance, middle[2];

    for (int axis = 0; axis < 3; axis++)
        target[axis] = points[0][axis];
    for (int step = 0; step < FIT_STEPS; step++) {
        tr_camera_perspective(&camera, target, forward, fov, aspect);
        distance = distance_to_see(&camera, points, count);
        middle_of(&camera, points, count, distance, middle);
        for (int axis = 0; axis < 3; axis++)
            target[axis] += distance * (middle[0] * camera.right[axis] + middle[1] * camera.up[axis]);
    }
    tr_camera_perspective(&camera, target, forward, fov, aspect);
    distance = distance_to_see(&camera, points, count);
    for (int axis = 0; axis < 3; axis++)
        eye[axis] = target[axis] + distance * back[axis];
}
