/* Rows of a lattice as bits: what its files count on. The C side of shaders/march_rows.h, for rows of 1 to 64 cells.
 *
 * A row of samples (y, z) is one word of signs, bit x for sample x < cells[0], and one more bit for the last sample. The crossed edges whose
 * lower end lies in it are three such words:
 *
 *   x   signs ^ signs one sample on
 *   y   signs ^ signs of row (y + 1, z)
 *   z   signs ^ signs of row (y, z + 1)
 *
 * The vertex of the edge at sample x of a row has the index: vertices of all rows before, plus set bits of the three words below x, plus the
 * row's crossed edges at x along a lower axis. So no index is stored for any edge. Rows at the greatest y and z lie on the tile's far faces:
 * they own the edges within the face and none beyond it. */
#ifndef TR_MESH_LATTICE_ROWS_H
#define TR_MESH_LATTICE_ROWS_H

#include "lib/mesh/lattice.h"

/* The crossed edges whose lower end lies in a row. */
struct tr_lattice_crossings {
    uint64_t x, y, z;        /* bit i: the edge from sample i < cells[0] */
    uint32_t y_last, z_last; /* the edge from the last sample */
};

/* The signs of a run of samples: bit i for sample i, up to 64 of them, and the one behind these. */
struct tr_lattice_signs {
    uint64_t bits;
    uint32_t last;
};

static inline uint32_t tr_bits_count(uint64_t bits)
{
    return (uint32_t)__builtin_popcountll(bits);
}

static inline uint32_t tr_bits_lowest(uint64_t bits)
{
    return (uint32_t)__builtin_ctzll(bits);
}

static inline uint32_t tr_bits_at(uint64_t bits, uint32_t at)
{
    return (uint32_t)(bits >> at) & 1u;
}

/* Bits 0 .. count - 1, count <= 64. */
static inline uint64_t tr_bits_below(uint32_t count)
{
    return count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
}

/* Bit i is bit 2i. */
static inline uint64_t tr_bits_even(uint64_t bits)
{
    bits &= 0x5555555555555555u;
    bits = (bits | bits >> 1) & 0x3333333333333333u;
    bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0fu;
    bits = (bits | bits >> 4) & 0x00ff00ff00ff00ffu;
    bits = (bits | bits >> 8) & 0x0000ffff0000ffffu;
    return (bits | bits >> 16) & 0x00000000ffffffffu;
}

/* Bit i is sample i + 1 of a run of `count` samples and a last one. */
static inline uint64_t tr_bits_next(struct tr_lattice_signs signs, uint32_t count)
{
    return signs.bits >> 1 | (uint64_t)signs.last << (count - 1);
}

static inline uint32_t tr_lattice_row(const uint32_t cells[3], uint32_t y, uint32_t z)
{
    return y * (cells[2] + 1) + z;
}

/* A row's signs, also of a lattice without arrays. */
static inline struct tr_lattice_signs tr_lattice_row_signs(const struct tr_lattice *lattice, uint32_t row)
{
    if (lattice->vertex_count == 0)
        return (struct tr_lattice_signs){lattice->is_solid ? tr_bits_below(lattice->cells[0]) : 0,
                                         lattice->is_solid};
    return (struct tr_lattice_signs){lattice->solid[row], lattice->solid_last[row]};
}

/* The row must be that of a lattice with arrays. */
static inline struct tr_lattice_crossings tr_lattice_row_crossings(const struct tr_lattice *lattice,
                                                                   uint32_t y, uint32_t z)
{
    const uint32_t *cells = lattice->cells;
    const uint32_t row = tr_lattice_row(cells, y, z);
    const uint32_t above =
        y < cells[1] ? row + cells[2] + 1 : row; /* on a far face itself: none is crossed */
    const uint32_t behind = z < cells[2] ? row + 1 : row;
    const struct tr_lattice_signs signs = {lattice->solid[row], lattice->solid_last[row]};
    return (struct tr_lattice_crossings){
        .x = signs.bits ^ tr_bits_next(signs, cells[0]),
        .y = signs.bits ^ lattice->solid[above],
        .z = signs.bits ^ lattice->solid[behind],
        .y_last = signs.last ^ lattice->solid_last[above],
        .z_last = signs.last ^ lattice->solid_last[behind],
    };
}

/* Vertices of a row whose owner is one of the samples of the set `below`. */
static inline uint32_t tr_crossings_within(const struct tr_lattice_crossings *c, uint64_t below)
{
    return tr_bits_count(c->x & below) + tr_bits_count(c->y & below) + tr_bits_count(c->z & below);
}

#endif
