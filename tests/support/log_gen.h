/* Random worlds and edit logs that go where replays break: every operation, falloff, primitive, blend, transform and
 * modifier, over chunk corners and borders, the rim, tangent and overlapping shapes, rows around and below y = 0,
 * the clamps, tiny and far-centred brushes, strokes, trees of shapes, images and meshes. The same seed gives the same
 * log everywhere.
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
    double voxel_size;
    int32_t *heights; /* [z][x], (64 chunks_x + 1) x (64 chunks_z + 1), units */
    struct naive_edit edits[LOG_GEN_EDITS_MAX];
    size_t count;
    struct naive_node *nodes; /* of the shapes, and points of the strokes, to which edits point */
    size_t node_count;
    struct naive_point *points;
    size_t point_count;
    struct log_gen_files *files; /* images, meshes and paths of tubes, to which edits and nodes point */
};

/* False without memory. */
bool log_gen_case_init(struct log_gen_case *out, uint64_t seed);
/* One thing alone where it shows: a kind of shape, or what lies behind those, a brush on the surface of a box. */
#define LOG_GEN_SINGLES (NAIVE_KIND_COUNT + NAIVE_VOLUME_PAINT + 1)
bool log_gen_single_init(struct log_gen_case *out, int which, uint64_t seed);
void log_gen_case_release(struct log_gen_case *c);

/* The log as a JSON document, numbers that read back equal, edits "e1", "e2", ...; free() it. NULL without
 * memory. */
char *log_gen_json(const struct naive_edit *edits, size_t count);

#endif
