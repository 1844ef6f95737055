/* Cache: one slot a chunk of the world, empty or pointing to an entry; entries that nobody holds are in a
 * list, the one released longest ago first, and go from there while the whole exceeds the budget.
 *
 * Who misses a chunk puts an entry in its slot before reading, so others who want it wait for that one decode
 * instead of starting their own. A failed read leaves the slot empty, and who waited tries again and gets an
 * error of their own. */
#include "lib/world/cache.h"

#include "lib/base/alloc.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum entry_state {
    ENTRY_READING,
    ENTRY_READY,
    ENTRY_FAILED, /* no longer in its slot; the last who waits frees it */
};

struct entry {
    struct tr_chunk chunk; /* first: who releases a chunk names its entry */
    size_t slot;
    size_t size_bytes;
    size_t holders; /* and who waits */
    enum entry_state state;
    struct entry *before, *after; /* in the list, while nobody holds it */
};

struct tr_cache {
    const struct tr_world *world;
    size_t budget_bytes, used_bytes;
    struct entry **slots;
    struct entry *oldest, *newest;
    pthread_mutex_t mutex;
    pthread_cond_t read; /* some entry is no longer ENTRY_READING */
};

enum tr_status tr_cache_create(const struct tr_world *world, size_t budget_bytes, struct tr_cache **out,
                               struct tr_error *error)
{
    struct tr_cache *cache = tr_alloc(1, sizeof *cache, error);

    *out = NULL;
    if (!cache)
        return TR_IO;
    cache->slots = tr_alloc(world->chunk_count, sizeof(struct entry *), error);
    if (!cache->slots) {
        free(cache);
        return TR_IO;
    }
    cache->world = world;
    cache->budget_bytes = budget_bytes;
    pthread_mutex_init(&cache->mutex, NULL);
    pthread_cond_init(&cache->read, NULL);
    *out = cache;
    return TR_OK;
}

static void entry_free(struct entry *entry)
{
    tr_chunk_release(&entry->chunk);
    free(entry);
}

void tr_cache_free(struct tr_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < cache->world->chunk_count; i++)
        if (cache->slots[i]) {
            assert(cache->slots[i]->holders == 0);
            entry_free(cache->slots[i]);
        }
    pthread_cond_destroy(&cache->read);
    pthread_mutex_destroy(&cache->mutex);
    free(cache->slots);
    free(cache);
}

/* ---- the list of those that nobody holds; all with the mutex locked ---- */

static void list_append(struct tr_cache *cache, struct entry *entry)
{
    entry->before = cache->newest;
    entry->after = NULL;
    if (cache->newest)
        cache->newest->after = entry;
    else
        cache->oldest = entry;
    cache->newest = entry;
}

static void list_remove(struct tr_cache *cache, struct entry *entry)
{
    if (entry->before)
        entry->before->after = entry->after;
    else
        cache->oldest = entry->after;
    if (entry->after)
        entry->after->before = entry->before;
    else
        cache->newest = entry->before;
    entry->before = entry->after = NULL;
}

static void evict(struct tr_cache *cache)
{
    while (cache->used_bytes > cache->budget_bytes && cache->oldest) {
        struct entry *entry = cache->oldest;

        list_remove(cache, entry);
        cache->slots[entry->slot] = NULL;
        cache->used_bytes -= entry->size_bytes;
        entry_free(entry);
    }
}

/* ---- holding ---- */

static size_t entry_size_bytes(const struct entry *entry)
{
    const struct tr_chunk *chunk = &entry->chunk;
    size_t size_bytes = sizeof *entry + TR_CHUNK_SAMPLES * sizeof *chunk->heights +
                        chunk->block_capacity * sizeof *chunk->blocks;

    if (chunk->paint)
        size_bytes += TR_CHUNK_SAMPLES * sizeof *chunk->paint;
    for (size_t i = 0; i < chunk->block_count; i++) {
        size_bytes += TR_BLOCK_SAMPLES * sizeof *chunk->blocks[i].samples;
        if (chunk->blocks[i].paint)
            size_bytes += TR_BLOCK_SAMPLES * sizeof *chunk->blocks[i].paint;
    }
    return size_bytes;
}

/* Fills an empty slot; the mutex is locked but while the file is read. */
static enum tr_status read_into_slot(struct tr_cache *cache, size_t slot, int32_t cx, int32_t cz,
                                     struct entry **out, struct tr_error *error)
{
    struct entry *entry = tr_alloc(1, sizeof *entry, error);
    enum tr_status status;

    if (!entry)
        return TR_IO;
    entry->slot = slot;
    entry->holders = 1;
    cache->slots[slot] = entry;

    pthread_mutex_unlock(&cache->mutex);
    status = tr_world_read_chunk(cache->world, cx, cz, &entry->chunk, error);
    pthread_mutex_lock(&cache->mutex);

    pthread_cond_broadcast(&cache->read);
    if (status != TR_OK) {
        cache->slots[slot] = NULL;
        entry->state = ENTRY_FAILED;
        if (--entry->holders == 0)
            entry_free(entry);
        return status;
    }
    entry->state = ENTRY_READY;
    entry->size_bytes = entry_size_bytes(entry);
    cache->used_bytes += entry->size_bytes;
    evict(cache);
    *out = entry;
    return TR_OK;
}

/* Takes hold of what is in a slot, waiting while it is read. False: that failed. */
static bool hold_slot(struct tr_cache *cache, struct entry *entry)
{
    if (entry->holders++ == 0)
        list_remove(cache, entry);
    while (entry->state == ENTRY_READING)
        pthread_cond_wait(&cache->read, &cache->mutex);
    if (entry->state == ENTRY_READY)
        return true;
    if (--entry->holders == 0)
        entry_free(entry);
    return false;
}

enum tr_status tr_cache_hold(struct tr_cache *cache, int32_t cx, int32_t cz, const struct tr_chunk **chunk,
                             struct tr_error *error)
{
    const struct tr_index_entry *found = tr_world_find(cache->world, cx, cz);
    enum tr_status status = TR_OK;
    struct entry *entry = NULL;
    size_t slot;

    *chunk = NULL;
    if (!found)
        return tr_fail(error, TR_BAD_INPUT, "no chunk (%d, %d) in \"%s\"", cx, cz, cache->world->path);
    slot = (size_t)(found - cache->world->index);

    pthread_mutex_lock(&cache->mutex);
    while (status == TR_OK && !entry) {
        struct entry *there = cache->slots[slot];

        if (!there)
            status = read_into_slot(cache, slot, cx, cz, &entry, error);
        else if (hold_slot(cache, there))
            entry = there;
    }
    pthread_mutex_unlock(&cache->mutex);
    if (status == TR_OK)
        *chunk = &entry->chunk;
    return status;
}

void tr_cache_release(struct tr_cache *cache, const struct tr_chunk *chunk)
{
    struct entry *entry = (struct entry *)(uintptr_t)chunk;

    pthread_mutex_lock(&cache->mutex);
    assert(entry->holders > 0);
    if (--entry->holders == 0) {
        list_append(cache, entry);
        evict(cache);
    }
    pthread_mutex_unlock(&cache->mutex);
}
