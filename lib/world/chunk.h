/* A chunk in memory: a column of 64 x 64 samples of height, the blocks where the ground was sculpted in 3D, and
 * the paint of either.
 *
 * Paint is a material id, 0 for none. A block's sample may have one only where it differs from the height
 * field; everywhere else, and where its own is 0, the column's counts. So paint alone never stores a block, and
 * column paint moves with the height.
 *
 * A chunk of the world's cells owns 64 x 64 samples. The outermost +X/+Z samples belong to rim chunks (W, .)
 * and (., D), which own only size_x x size_z of them (64 or 1); the rest of their arrays is zero and means
 * nothing. */
#ifndef TR_WORLD_CHUNK_H
#define TR_WORLD_CHUNK_H

#include "lib/base/hash.h"
#include "lib/base/status.h"
#include "lib/world/coord.h"
#include "shaders/cell.h"

#define TR_CHUNK_SAMPLES (64 * 64)

/* What a chunk is made of: the kinds of section in its file, and of item in its hash. */
enum tr_section {
    TR_SECTION_HEIGHTS = 1,
    TR_SECTION_BLOCK = 2,
    TR_SECTION_PAINT = 3,       /* of the columns */
    TR_SECTION_BLOCK_PAINT = 4, /* of the block of the same row, behind it */
};

struct tr_block {
    int32_t cy;       /* row: y of its lowest samples is 64 cy */
    int16_t *samples; /* TR_BLOCK_SAMPLES, tr_block_index */
    uint8_t *paint;   /* the same; NULL: all 0 */
};

struct tr_chunk {
    int32_t cx, cz;
    uint32_t size_x, size_z;
    int32_t *heights;        /* [z][x], 64 x 64, units */
    uint8_t *paint;          /* [z][x], 64 x 64, material ids; NULL: all 0 */
    struct tr_block *blocks; /* sorted by cy, no two alike */
    size_t block_count, block_capacity;
};

/* All heights 0, no blocks. */
enum tr_status tr_chunk_init(struct tr_chunk *chunk, int32_t cx, int32_t cz, uint32_t size_x, uint32_t size_z,
                             struct tr_error *error);
void tr_chunk_release(struct tr_chunk *chunk);
enum tr_status tr_chunk_copy(struct tr_chunk *to, const struct tr_chunk *from, struct tr_error *error);

/* The samples of the block of row cy, or NULL. */
const int16_t *tr_chunk_block(const struct tr_chunk *chunk, int32_t cy);
/* Its paint; NULL where there is no such block, too. */
const uint8_t *tr_chunk_block_paint(const struct tr_chunk *chunk, int32_t cy);
/* Adds a block of row cy that equals the height field (or finds it); *samples points to it. */
enum tr_status tr_chunk_add_block(struct tr_chunk *chunk, int32_t cy, int16_t **samples,
                                  struct tr_error *error);

/* Arrays of paint, all 0 where there were none: of the columns, and of the block of row cy, which the chunk has.
 */
enum tr_status tr_chunk_add_paint(struct tr_chunk *chunk, struct tr_error *error);
enum tr_status tr_chunk_add_block_paint(struct tr_chunk *chunk, int32_t cy, uint8_t **paint,
                                        struct tr_error *error);
/* Whether any array of paint is there. */
bool tr_chunk_is_painted(const struct tr_chunk *chunk);

/* field() at local x, z in [0, size) and world row y. */
int tr_chunk_field(const struct tr_chunk *chunk, int x, int64_t y, int z);

/* The material at the same place: the block's if it has one there, else the column's. */
int tr_chunk_material(const struct tr_chunk *chunk, int x, int64_t y, int z);

/* Fills 64^3 samples with the height field at row cy. */
void tr_block_from_heights(const int32_t *heights, int32_t cy, int16_t *samples);
/* Whether a valid sample differs from the height field. */
bool tr_block_differs(const int32_t *heights, uint32_t size_x, uint32_t size_z, int32_t cy,
                      const int16_t *samples);
/* Paint goes from block samples that equal the height field; blocks whose samples all do, and arrays of paint
 * that are all 0, are removed. In this form chunks are hashed and stored. */
void tr_chunk_make_canonical(struct tr_chunk *chunk);

/* Hash of coordinates, size, decoded samples and paint of a canonical chunk, as lib/world/FORMAT.md defines it. */
struct tr_hash tr_chunk_hash(const struct tr_chunk *chunk);

#endif
