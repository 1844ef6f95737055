/* Lattices: what is asked of one sample or edge, and the choice of the instruction set for what is done to all of them (lattice_isa.c). */
#include "lib/mesh/lattice.h"

#include "lib/mesh/lattice_rows.h"

#include <stdatomic.h>
#include <stdlib.h>

/* tr_isa_pick asks the processor, which takes a virtual machine about 14 microseconds, a twentieth of a tile: once is enough. Threads that
 * come first together find the same. */
static int picked_isa(void)
{
    static atomic_int picked = -1;
    int isa = atomic_load_explicit(&picked, memory_order_relaxed);
    if (isa < 0) {
        isa = tr_isa_pick();
        atomic_store_explicit(&picked, isa, memory_order_relaxed);
    }
    return isa;
}

void tr_lattice_release(struct tr_lattice *lattice)
{
    free(lattice->solid);
    free(lattice->solid_last);
    free(lattice->first);
    free(lattice->vertices);
    free(lattice->materials);
    *lattice = (struct tr_lattice){0};
}

bool tr_lattice_is_solid(const struct tr_lattice *lattice, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t row = tr_lattice_row(lattice->cells, y, z);
    const struct tr_lattice_signs signs = tr_lattice_row_signs(lattice, row);
    return x < lattice->cells[0] ? tr_bits_at(signs.bits, x) : signs.last;
}

uint32_t tr_lattice_vertex(const struct tr_lattice *lattice, uint32_t axis, uint32_t x, uint32_t y,
                           uint32_t z)
{
    if (lattice->vertex_count == 0)
        return UINT32_MAX;
    const struct tr_lattice_crossings c = tr_lattice_row_crossings(lattice, y, z);
    const bool is_last = x == lattice->cells[0];
    const uint32_t crossed[3] = {is_last ? 0 : tr_bits_at(c.x, x), is_last ? c.y_last : tr_bits_at(c.y, x),
                                 is_last ? c.z_last : tr_bits_at(c.z, x)};
    if (!crossed[axis])
        return UINT32_MAX;
    uint32_t index = lattice->first[tr_lattice_row(lattice->cells, y, z)];
    index += tr_crossings_within(&c, tr_bits_below(x));
    for (uint32_t lower = 0; lower < axis; lower++)
        index += crossed[lower];
    return index;
}

enum tr_status tr_lattice_from_field(const int16_t *field, const uint32_t cells[3],
                                     struct tr_lattice *lattice, struct tr_error *error)
{
    static enum tr_status (*const from_field[TR_ISA_LEVELS])(const int16_t *, const uint32_t[3],
                                                             struct tr_lattice *, struct tr_error *) =
        TR_ISA_TABLE(tr_lattice_from_field);
    return from_field[picked_isa()](field, cells, lattice, error);
}

enum tr_status tr_lattice_reduce(const struct tr_lattice *const children[8], uint32_t width,
                                 struct tr_lattice *parent, struct tr_error *error)
{
    static enum tr_status (*const reduce[TR_ISA_LEVELS])(const struct tr_lattice *const[8], uint32_t,
                                                         struct tr_lattice *, struct tr_error *) =
        TR_ISA_TABLE(tr_lattice_reduce);
    return reduce[picked_isa()](children, width, parent, error);
}

enum tr_status tr_lattice_triangles(const struct tr_lattice *lattice, uint32_t **indices, uint32_t *count,
                                    struct tr_error *error)
{
    static enum tr_status (*const triangles[TR_ISA_LEVELS])(const struct tr_lattice *, uint32_t **,
                                                            uint32_t *, struct tr_error *) =
        TR_ISA_TABLE(tr_lattice_triangles);
    return triangles[picked_isa()](lattice, indices, count, error);
}
