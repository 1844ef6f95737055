/* The lattice of the quantised profiles.
 *
 * A vertex is stored as a whole number of steps from its tile's origin, itself a whole number of steps from the world's. A client computes
 * origin + step * number in 32-bit floats. With the step a power of two, and no vertex 2^24 steps away (tr_export_check_range sees to it),
 * product and sum are exact, so what is stored twice, in two tiles of whatever level and kind, decodes to the same bits. A grid of each
 * tile's own, or a step that is no power of two, would open cracks.
 *
 * Where the voxel size is a power of two the first step is the unit of 1/256 voxel, and nothing is rounded. Tiles of level 2 and above are
 * wider than 65,535 units, as is a cliff of more than 255 voxels inside a tile: then the step of the whole export doubles, for what two
 * tiles share must be rounded alike. Rounding may put corners of a triangle in one place; it stays, and the mesh closed. */
#include "lib/pack/glb.h"

#include <math.h>

void tr_glb_lattice_init(struct tr_glb_lattice *lattice, double voxel_size)
{
    const double unit = voxel_size / TR_UNITS;
    int exponent;

    frexp(unit, &exponent); /* unit is in [1/2, 1) times 2^exponent */
    *lattice = (struct tr_glb_lattice){.voxel_size = voxel_size, .step = ldexp(1, exponent - 1)};
    lattice->is_exact = lattice->step == unit;
}

void tr_glb_lattice_widen(struct tr_glb_lattice *lattice, int64_t extent, int64_t morph)
{
    const double unit = lattice->voxel_size / TR_UNITS;

    /* one more, as both ends are rounded */
    while ((double)extent * unit / lattice->step + 1 > UINT16_MAX ||
           (double)morph * unit / lattice->step + 1 > INT16_MAX) {
        lattice->step *= 2;
        lattice->is_exact = false;
    }
}

int64_t tr_glb_lattice_at(const struct tr_glb_lattice *lattice, int64_t units)
{
    return (int64_t)floor((double)units * lattice->voxel_size / TR_UNITS / lattice->step + 0.5);
}
