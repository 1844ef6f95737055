/* Windows: small worlds that are meshed by the library and judged as a whole, to prove that meshes are closed.
 *
 * A window is data only: samples, a selection of LODs, and which columns are marched although nobody sculpted there. So it can be made at
 * random (window_field.h), be written and read as text, and be made smaller while it still fails.
 *
 *   columns   the product's layout: one LOD a column, height tiles where the ground is not sculpted, marching cubes elsewhere
 *   cubes     one LOD a cube, all six sides may meet another LOD, marching cubes everywhere
 *
 * Coordinates are voxels from the window's lowest corner, which lies at (0, first_y, 0) of the world. In x and z reads beyond the window clamp
 * to its last sample, as the product's do at the world's edge. The lowest layers are of one sign and so are the highest, so that the surface
 * meets the window's sides in x and z only. */
#ifndef TESTS_SUPPORT_WINDOW_H
#define TESTS_SUPPORT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum window_layout { WINDOW_COLUMNS, WINDOW_CUBES };

/* Wrong readings of the design, switched on to see that the judge notices. */
enum window_mutant {
    WINDOW_RIGHT,
    WINDOW_BORDER_PER_SIDE, /* a height tile's border is decided for a whole side, by its first neighbour */
    WINDOW_TOUCH_OWNED, /* a column is sculpted if a sample that it owns is, not one of its closed footprint */
    WINDOW_TOUCH_OWN_LOD, /* or only if a sample of its own LOD is */
    WINDOW_SKIP_BY_LATTICE, /* a tile is empty where its own lattice is of one sign, whatever its finer faces show */
    WINDOW_MOVE_IF_ANY,      /* a sample moves where any of its sides is finer, not all */
    WINDOW_DROP_FLAT,        /* triangles without area are left out */
    WINDOW_KEEP_EQUAL,       /* transition triangles with two equal corners are kept */
    WINDOW_HEIGHT_ON_SAMPLE, /* a height that is a multiple of 256 gives a vertex on the sample */
    WINDOW_MUTANTS
};
const char *window_mutant_name(enum window_mutant mutant);

struct window {
    uint64_t seed; /* it was made from, 0: by hand */
    enum window_layout layout;
    uint32_t width;   /* cells along a tile: 2 to 64, even */
    uint32_t top;     /* the coarsest LOD that may occur */
    int32_t size[3];  /* cells of LOD 0: x and z multiples of 2^top, y of width * 2^top */
    int32_t first_y;  /* a multiple of width * 2^top */
    int16_t *samples; /* window_index: y from -1 to size + 1, x and z from 0 to size */
    int32_t *heights; /* columns: [z][x], 0 to size; NULL for cubes */
    uint8_t *lods;    /* window_block: of each tile of LOD 0, the LOD of the tile that covers it */
    uint8_t *
        forced; /* the same: bit k, if the column of LOD k that begins here is marched in any case; NULL for cubes */
    bool
        all_states; /* tiles are built for all neighbourhoods and take theirs when assembled, as --all-lods does */
    enum window_mutant mutant;
};

static inline size_t window_index(const struct window *w, int32_t x, int32_t y, int32_t z)
{
    return ((size_t)(y + 1) * (size_t)(w->size[2] + 1) + (size_t)z) * (size_t)(w->size[0] + 1) + (size_t)x;
}

static inline size_t window_sample_count(const struct window *w)
{
    return window_index(w, 0, w->size[1] + 2, 0);
}

/* Clamped in x and z; y in -1 .. size + 1. */
int16_t window_sample(const struct window *w, int32_t x, int32_t y, int32_t z);
/* What the sample (x, y, z) of a window of columns is where it is not sculpted. */
int16_t window_height_sample(const struct window *w, int32_t x, int32_t y, int32_t z);
/* The sign that samples of the layers y <= 0 have, and those of y >= size; false if they have several. */
bool window_has_level_ends(const struct window *w, bool *bottom_is_solid, bool *top_is_solid);

/* Tiles of LOD `lod` along an axis; in columns 1 along y. */
int32_t window_blocks(const struct window *w, int axis, uint32_t lod);
/* Where lods[] has the tile of LOD 0 at (x, y, z). */
size_t window_block(const struct window *w, int32_t x, int32_t y, int32_t z);

/* Memory for everything, zero: layout, width, top, size and first_y are set. Fails the test without memory. */
void window_allocate(struct window *w);
void window_release(struct window *w);
struct window window_copy(const struct window *w);

/* Splits the tile that covers the tile of LOD 0 at (x, y, z) into those of the next finer LOD; false if it is of LOD 0. */
bool window_split(struct window *w, int32_t x, int32_t y, int32_t z);
/* Splits tiles until the selection is legal. */
void window_legalise(struct window *w);
/* Neighbours differ by at most one LOD, and round no edge the LODs alternate a, b, a, b. */
bool window_is_legal(const struct window *w);

/* ---- judging ---- */

/* Where two columns of a window meet, a side counted once for each of its tiles: [kind of the tile][kind of its neighbour][the neighbour is
 * of the same LOD, finer, coarser]; kinds are 0 heights, 1 marched. */
struct window_counts {
    uint64_t pairings[2][2][3];
    uint64_t triangles;
    uint64_t transition_triangles;
    uint64_t
        opposing_transitions; /* transition triangles that oppose the field's gradient and are thicker than a sliver */
    double volume;            /* signed, of the last window, in voxels */
    int64_t euler;            /* of the last window */
};

#define WINDOW_TEXT_BYTES 512

/* Meshes the window and judges it: false with a line in `fault` for the first fault found, else true. Adds to *counts (NULL: nobody
 * asks). What it demands:
 *   - closed: no open or crowded edge but in the window's sides, no duplicate, no degenerate triangle, no pinch
 *   - seen from above, triangles cover the window exactly once, counted with their direction (or add up to nothing where bottom and top
 *     are of one sign)
 *   - a vertex that did not move lies on the crossing of an edge of LOD 0, exactly, with the normal that is due there; so vertices at one
 *     place have one normal
 *   - a vertex that moved did so by at most a quarter of a cell, along the axes of finer sides, inward
 *   - each triangle lies within one cell of its tile
 *   - height tiles have two triangles for each cell inside
 *   - settling a tile leaves what assembling it gives
 *   - where nothing is sculpted no triangle faces down */
bool window_judge(const struct window *w, struct window_counts *counts, char fault[WINDOW_TEXT_BYTES]);

/* All triangles of the window, in voxels / 256 from its lowest corner: free() both. Fails the test where the library fails. */
struct window_soup {
    int64_t (*xyz)[3];
    uint32_t *normals;
    uint8_t *lods;
    uint32_t *indices;
    size_t vertex_count, index_count;
};
void window_assemble(const struct window *w, struct window_soup *soup);
void window_soup_release(struct window_soup *soup);

/* ---- failures ---- */

/* The smallest window that it finds, by leaving out tiles, LODs and samples, that is legal and still fails. The given one fails, with the fault
 * given, which becomes that of the smallest. */
struct window window_shrink(const struct window *w, char fault[WINDOW_TEXT_BYTES]);

/* As text, which window_read reads back:
 *
 *   columns width 2 top 1 size 4 4 4 from -4      first_y last; or cubes
 *   seed 17                                       for the reader only
 *   all-states                                    if so
 *   lods 10 01                                    of tiles of LOD 0: a word a row along x, ordered by y, z
 *   forced 1 0 0                                  LOD, x, z in tiles of that LOD
 *   height 256                                    everywhere, but
 *   heights 3 0 0 256 -4                          those of z = 3, from x = 0 on
 *   bottom -256                                   cubes: the layers y <= 0; every other sample is 256, but
 *   sample 1 2 3 -5                               at x, y, z: columns, where sculpted
 *   reading skip-by-lattice                       the wrong reading that is switched on, if any
 */
void window_write(const struct window *w, FILE *out);
/* Fails the test where the text is no window. */
struct window window_read(const char *text);

#endif
