/* Pictures as slots and code have them: halved to where they have at most two pixels a voxel, and cropped to what a frame can see of them
 * (shaders/image.h). */
#ifndef TR_EDIT_GREY_H
#define TR_EDIT_GREY_H

#include "lib/edit/resource.h"

struct tr_grey {
    uint16_t *pixels; /* [row][column], black 0, white 65535 */
    uint32_t width, height;
};
void tr_grey_release(struct tr_grey *picture);

/* How often an image is halved that covers so many voxels across and down. */
uint32_t tr_grey_halvings(uint32_t width, uint32_t height, double across, double down);
/* The image halved so often. */
enum tr_status tr_grey_make(const struct tr_resource *image, uint32_t halvings, struct tr_grey *picture,
                            struct tr_error *error);

/* Where a picture lies: u = a.p + a0 pixels from the left one, v = b.p + b0 from the upper one. */
struct tr_grey_place {
    double a[3], a0, b[3], b0;
};

/* A box of points that may be asked for; `is_whole`: any may. */
struct tr_crop {
    double middle[3], half[3];
    bool is_whole;
};
/* The samples along one axis of a grid of `size` that r.p + t leads to, and one and two more below and above: from *first on *count; at
 * least `least` where there are so many. */
void tr_crop_range(const struct tr_crop *crop, const double r[3], double t, uint32_t size, uint32_t least,
                   uint32_t *first, uint32_t *count);

/* The words of shaders/image.h for the pixels that a crop needs: how many, and writing them; returns the word behind. */
size_t tr_grey_words(const struct tr_grey *picture, const struct tr_grey_place *place,
                     const struct tr_crop *crop);
uint32_t *tr_grey_write(const struct tr_grey *picture, const struct tr_grey_place *place,
                        const struct tr_crop *crop, uint32_t *words);

#endif
