/* The naive replay: the judge of every fast path that edits the ground.
 *
 * A small world, dense: all heights, and every signed distance sample of a range of block rows, each in one
 * plain array. Edits are applied one after another, each alone, one sample at a time, over all samples there
 * are; no boxes, no batches, no blocks, no skipping. The formulas are those that lib/edit/EDITS.md makes
 * normative, in words of its own: nothing of lib/ or shaders/ is included here (a check holds that), so that
 * a mistake there cannot excuse itself.
 *
 * Double-checked: each result is compared with the meaning of the edit in double (oracle.h), and the replay
 * fails where they differ by more than rounding may.
 *
 * Numbers are in voxels, but for heights and samples, which are in units of 1/256 voxel. Must be compiled as
 * the product is, with -ffp-contract=off and floats evaluated as floats. */
#ifndef NAIVE_H
#define NAIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum naive_op { NAIVE_RAISE, NAIVE_LOWER, NAIVE_SMOOTH, NAIVE_UNION, NAIVE_SUBTRACT };

enum naive_falloff {
    NAIVE_FALLOFF_SMOOTH,
    NAIVE_FALLOFF_SMOOTHER,
    NAIVE_FALLOFF_SPHERE,
    NAIVE_FALLOFF_ROOT,
    NAIVE_FALLOFF_SHARP,
    NAIVE_FALLOFF_POW4,
    NAIVE_FALLOFF_LINEAR,
    NAIVE_FALLOFF_INVERSE_SQUARE,
    NAIVE_FALLOFF_CONSTANT,
};

struct naive_edit {
    enum naive_op op;
    double radius; /* > 0 */
    double a[3];   /* brush: centre, a[1] unused. Sphere: centre. Capsule: one end */

    /* brushes */
    enum naive_falloff falloff;
    int power;       /* n of sharp */
    double strength; /* raise, lower: voxels. smooth: lambda */

    /* shapes */
    bool capsule;
    double b[3];  /* capsule: the other end */
    double blend; /* width of a smooth blend, 0 for a hard one */
};

/* chunks_x x chunks_z chunks of cells, so samples 0 .. 64 chunks_x along x; y in [64 row_lo, 64 (row_hi +
 * 1)). */
struct naive_world {
    int row_lo, row_hi;
    int size_x, size_z, size_y; /* samples */
    int32_t *heights;           /* [z][x] */
    int32_t *before;            /* scratch: heights before the edit at hand */
    int16_t *samples;           /* [z][x][y - 64 row_lo] */
};

/* What the double check found. */
struct naive_report {
    double worst_height,
        worst_sample; /* greatest difference from the meaning, units; up to 1/2 is rounding */
    size_t edit;      /* on failure: index of the edit, the sample, the two values */
    int x, y, z;      /* y is 0 for a height */
    double found, expected;
};

/* Heights [z][x] of all samples are copied. False without memory; release it then too. */
bool naive_world_init(struct naive_world *world, int chunks_x, int chunks_z, int row_lo, int row_hi,
                      const int32_t *heights);
void naive_world_release(struct naive_world *world);

int naive_height(const struct naive_world *world, int x, int z);
/* The sample at (x, y, z), which must be one that the world holds. */
int naive_field(const struct naive_world *world, int x, int y, int z);

/* Applies the edits. False when a result leaves the bounds of the double check; report (never NULL) then says
 * where. */
bool naive_replay(struct naive_world *world, const struct naive_edit *edits, size_t count,
                  struct naive_report *report);

#endif
