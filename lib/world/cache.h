/* Decoded chunks of one world, kept while they fit a budget, shared by all jobs. */
#ifndef TR_WORLD_CACHE_H
#define TR_WORLD_CACHE_H

#include "lib/world/world.h"

struct tr_cache;

/* budget_bytes caps what is kept; what is held (pinned) may exceed it. */
enum tr_status tr_cache_create(const struct tr_world *world, size_t budget_bytes, struct tr_cache **out,
                               struct tr_error *error);
void tr_cache_free(struct tr_cache *cache);
/* Holds a chunk until it is released; read and decoded when it is not there. Safe from several threads; two
 * that miss the same chunk decode it once. */
enum tr_status tr_cache_hold(struct tr_cache *cache, int32_t cx, int32_t cz, const struct tr_chunk **chunk,
                             struct tr_error *error);
void tr_cache_release(struct tr_cache *cache, const struct tr_chunk *chunk);

#endif
