/* Chunks for tests: made from a seed, the same everywhere; and comparing two with a message that shows where
 * they part. */
#ifndef CHUNK_GEN_H
#define CHUNK_GEN_H

#include "lib/world/chunk.h"

/* The next of a sequence that visits all but 0 (Marsaglia's xorshift); *state must not be 0. */
uint64_t random_next(uint64_t *state);

/* Rolling ground. */
void chunk_gen_heights(struct tr_chunk *chunk, uint64_t seed);
/* A block of the row in which a cave with a soft rim was carved and a lump added. Differs from the height
 * field. */
void chunk_gen_sculpted_block(struct tr_chunk *chunk, int32_t cy, uint64_t seed);
/* A block of any samples. */
void chunk_gen_random_block(struct tr_chunk *chunk, int32_t cy, uint64_t seed);

/* Round patches of a few materials on the columns, and on the samples of the blocks that differ from the height
 * field. The chunk is canonical then. */
void chunk_gen_paint(struct tr_chunk *chunk, uint64_t seed);

/* tr_chunk_init or the test fails. */
void chunk_gen_init(struct tr_chunk *chunk, int32_t cx, int32_t cz, uint32_t size_x, uint32_t size_z);

/* Coordinates, sizes, own samples and paint; what lies beyond a rim does not count. */
void assert_chunks_equal(const struct tr_chunk *found, const struct tr_chunk *expected);

#endif
