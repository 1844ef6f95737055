/* Grey images: halved until they are no finer than two pixels a voxel, and read between their pixels. */
#ifndef NAIVE_IMAGE_H
#define NAIVE_IMAGE_H

#include "tests/naive/naive.h"

/* How often an image is halved that covers so many voxels across and down. */
int naive_halvings(const struct naive_image *image, double across, double down);

/* An image as it is read. */
struct naive_picture {
    int width, height;
    uint16_t *pixels;
};
/* Halves it so often; release it. False without memory. */
bool naive_picture_make(const struct naive_image *image, int halvings, struct naive_picture *picture);
void naive_picture_release(struct naive_picture *picture);

/* The greatest differences of pixels beside each other in a row, and in a column, of white. */
void naive_picture_steps(const struct naive_picture *picture, double steps[2]);

/* What a frame may ask for: all of its 64 x 64 x 64 samples, or, where points are moved, any point. Numbers of a grid -
 * pixels, samples of a field - are counted from the first one that the frame sees, so that they are small. */
struct naive_view {
    bool is_endless;
    double middle[3], half[3];
};
struct naive_view naive_view_of_frame(void);
/* The first along one axis of a grid of so many that points r.p + t of the view need, less one for rounding; no later than
 * `least` before the end. */
int naive_first_seen(const struct naive_view *view, const double r[3], double t, int size, int least);

/* Where pixels lie: a point p is beside pixel a[0].p + a0[0] across and a[1].p + a0[1] down. */
struct naive_picture_place {
    double a[2][3], a0[2];
};

/* A picture as the samples of one owner see it. */
struct naive_framed_picture {
    const struct naive_picture *picture;
    int first[2];
    float a[2][3], a0[2];
};
struct naive_framed_picture naive_picture_in_frame(const struct naive_picture *picture,
                                                   const struct naive_picture_place *place,
                                                   const struct naive_view *view);
/* Black 0, white 1; beyond the picture its rim. */
float naive_picture_at(const struct naive_framed_picture *picture, const float p[3]);

#endif
