/* Which columns of a world are height columns and which are marching cubes, at every LOD.
 *
 * A column is marching cubes exactly if a sample of its closed footprint (both border planes and the corner lines, whoever owns them, at any
 * y, at LOD 0) differs from the height field. Blocks are stored exactly where one does, so a chunk with a block is; of the chunks beyond +x, +z and the
 * corner between, only the samples on the shared planes count. */
#ifndef TR_RUN_COLUMN_KINDS_H
#define TR_RUN_COLUMN_KINDS_H

#include "lib/base/jobs.h"
#include "lib/mesh/selection.h"
#include "lib/world/cache.h"

struct tr_column_kinds {
    int32_t columns_x[TR_LODS], columns_z[TR_LODS];
    uint8_t *marched[TR_LODS]; /* [cz][cx]: whether the column is marching cubes */
};

/* Reads the head of every chunk, and through the cache those whose border planes matter: sculpted, beside one that is not. */
enum tr_status tr_column_kinds_init(struct tr_column_kinds *kinds, const struct tr_world *world,
                                    struct tr_cache *cache, struct tr_jobs *jobs, struct tr_error *error);
void tr_column_kinds_release(struct tr_column_kinds *kinds);

/* False for a place outside the world. */
bool tr_column_is_marched(const struct tr_column_kinds *kinds, uint32_t lod, int32_t cx, int32_t cz);

#endif
