/* Ground and selections for windows, the same from a seed on every machine. See window.h.
 *
 * Random numbers come from random_next (chunk_gen.h): *random must not be 0. */
#ifndef TESTS_SUPPORT_WINDOW_FIELD_H
#define TESTS_SUPPORT_WINDOW_FIELD_H

#include "tests/support/window.h"

/* Heights of a window of columns. */
enum window_ground {
    GROUND_HILLS,
    GROUND_CLIFFS,   /* plateaus, with steps of up to 540 voxels in windows that are small in x and z */
    GROUND_WHITE,    /* white noise */
    GROUND_INTEGERS, /* hills whose heights are whole voxels, so samples are exactly 0 */
    GROUND_PLANE,    /* steep */
    GROUND_WAVES,
    GROUNDS
};
/* What is sculpted into it. */
enum window_edits {
    EDITS_NONE,
    EDITS_BALLS,   /* added and taken away, hard or blended */
    EDITS_TANGENT, /* balls that just touch a plane between tiles, an edge or a corner */
    EDITS_CAVES,   /* noise in boxes */
    EDITS_SAMPLES, /* single ones, on planes between tiles, edges and corners */
    EDITS_BOXES,
    EDITS
};
/* Samples of a window of cubes. */
enum window_body {
    BODY_WHITE,
    BODY_NOISE,   /* of two wavelengths */
    BODY_THREE,   /* samples are -256, 0 or 256 */
    BODY_SPHERE,  /* round the middle, so that it meets no side */
    BODY_CAVES,   /* hills with caves */
    BODY_TANGENT, /* spheres that just touch a plane between tiles, an edge or a corner */
    BODY_SPARSE,  /* single solid samples */
    BODIES
};

/* Chooses size[1] and first_y (layout, width, top and the other sizes are set), allocates, and fills in the ground. */
void window_fill_columns(struct window *w, enum window_ground ground, enum window_edits edits,
                         uint64_t *random);
/* The same from heights that are given, [z][x]. */
void window_fill_heights(struct window *w, const int32_t *heights);
/* Allocates and fills a window of cubes, whose size is set. */
void window_fill_cubes(struct window *w, enum window_body body, uint64_t *random);

/* Adds a ball of solid or takes it away; centre and radius in voxels, blended over `blend` voxels as the design's smooth edits. The lowest and
 * highest layers stay as they are. */
void window_ball(struct window *w, const double centre[3], double radius, double blend, bool is_added);
/* Sets a sample, but in the lowest and highest layers. */
void window_set(struct window *w, int32_t x, int32_t y, int32_t z, int16_t value);

/* Every tile of LOD `lod`. */
void window_select_uniform(struct window *w, uint32_t lod);
/* Rings of all LODs 0 to top round a tile of LOD 0. */
void window_select_rings(struct window *w, int32_t x, int32_t y, int32_t z);
/* Tiles split at random until they are legal. */
void window_select_random(struct window *w, uint64_t *random);
/* Marches some columns whatever their ground. */
void window_force_random(struct window *w, uint64_t *random);

/* Everything at random: layout, widths 2 to 16, ground, selection. */
struct window window_random(uint64_t seed);
/* The same for one layout with ground of one kind. */
struct window window_random_columns(uint64_t *random, enum window_ground ground, enum window_edits edits);
struct window window_random_cubes(uint64_t *random, enum window_body body);

#endif
