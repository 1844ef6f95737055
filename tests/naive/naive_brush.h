/* What height and volume brushes share: the distance of a sample from the brush, in radii, and the weight there. */
#ifndef NAIVE_BRUSH_H
#define NAIVE_BRUSH_H

#include "tests/naive/naive_image.h"
#include "tests/naive/naive_noise.h"
#include "tests/naive/naive_stroke.h"

/* A stamp of a brush as the samples of one owner see it. */
struct naive_brush {
    const struct naive_edit *edit;
    float centre[3], inverse_radius, strength;
    float axis[3];                /* of a projected one, else 0 */
    float plane[3], plane_offset; /* volume flatten: distance of p is plane.p + plane_offset */
    struct naive_noise noise;
    struct naive_framed_picture picture; /* stamps */
    float by[3];                         /* grab */
};
/* `picture` is what naive_stamp_picture made, for stamps. */
struct naive_brush naive_brush_in_frame(const struct naive_edit *edit, const struct naive_measures *measures,
                                        const struct naive_stamp *stamp, const struct naive_picture *picture,
                                        const int corner[3]);

/* The image of an edit as a stamp of this radius has it; release it. False without memory. */
bool naive_stamp_picture(const struct naive_edit *edit, const struct naive_stamp *stamp,
                         struct naive_picture *picture);
/* Its own east and south, unit directions. */
void naive_stamp_axes(const struct naive_edit *edit, double east[3], double south[3]);

/* Distances in radii of a sample of the frame. In XZ: */
float naive_column_distance(const struct naive_brush *brush, int x, int z);
/* In space: from the centre, or from the axis as far as a radius along it. */
float naive_space_distance(const struct naive_brush *brush, const int p[3]);

float naive_falloff(enum naive_falloff falloff, int power, float distance);

/* Whether the stamp may reach samples at this distance from its centre, along one axis or several: false only
 * where none is within its radius. */
bool naive_stamp_is_near(const struct naive_edit *edit, const struct naive_stamp *stamp, double distance);

#endif
