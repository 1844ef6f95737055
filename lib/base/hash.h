/* Hashes: 128 bits of XXH3 (xxHash), the only hash in formats and names. */
#ifndef TR_BASE_HASH_H
#define TR_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tr_hash {
    uint64_t lo, hi;
};

struct tr_hash tr_hash_bytes(const void *bytes, size_t size_bytes);

/* Streaming form: init, any number of updates, done (which also frees). `tr_hasher_create` returns NULL
 * without memory. */
struct tr_hasher;
struct tr_hasher *tr_hasher_create(void);
void tr_hasher_add(struct tr_hasher *hasher, const void *bytes, size_t size_bytes);
void tr_hasher_add_u32(struct tr_hasher *hasher, uint32_t value); /* little-endian, whatever the machine */
void tr_hasher_add_u64(struct tr_hasher *hasher, uint64_t value);
struct tr_hash tr_hasher_done(struct tr_hasher *hasher);

bool tr_hash_equal(struct tr_hash a, struct tr_hash b);
/* 32 lower-case hex digits (hi first) and a NUL. */
void tr_hash_text(struct tr_hash hash, char text[33]);
bool tr_hash_from_text(const char *text, struct tr_hash *hash);

#endif
