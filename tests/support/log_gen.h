/* Random worlds and edit logs that go where replays break: chunk corners and borders, the rim, tangent and
 * overlapping shapes, rows around and below y = 0, the clamps, tiny and far-centred brushes. The same seed
 * gives the same log everywhere.
 *
 * Built on the naive replay's types alone, so that what judges the product does not depend on it. */
#ifndef LOG_GEN_H
#define LOG_GEN_H

#include "tests/naive/naive.h"

#define LOG_GEN_EDITS_MAX 16

struct log_gen_case {
    uint64_t seed;
    int chunks_x, chunks_z;
    int row_lo, row_hi; /* the block rows to look at; edits may reach beyond them */
    double voxel_size;  /* a power of two, so that metres and voxels convert exactly */
    int32_t *heights;   /* [z][x], (64 chunks_x + 1) x (64 chunks_z + 1), units */
    struct naive_edit edits[LOG_GEN_EDITS_MAX];
    size_t count;
};

/* False without memory. */
bool log_gen_case_init(struct log_gen_case *out, uint64_t seed);
void log_gen_case_release(struct log_gen_case *c);

/* The log as a JSON document, lengths in metres, numbers that read back equal, edits "e1", "e2", ...; free()
 * it. NULL without memory. */
char *log_gen_json(const struct naive_edit *edits, size_t count, double voxel_size);

#endif
