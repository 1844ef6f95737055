/* Hashes: XXH3 with 128 bits, from the system's xxHash; its values are fixed by that library's specification
 * since 0.8.0.
 *
 * Numbers are fed in little-endian order, so a hash does not depend on the machine. */
#include "lib/base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct tr_hasher {
    XXH3_state_t *state; /* xxHash allocates it, because it wants an alignment that malloc does not promise */
};

static struct tr_hash hash_from_xxh(XXH128_hash_t hash)
{
    return (struct tr_hash){.lo = hash.low64, .hi = hash.high64};
}

struct tr_hash tr_hash_bytes(const void *bytes, size_t size_bytes)
{
    return hash_from_xxh(XXH3_128bits(bytes, size_bytes));
}

struct tr_hasher *tr_hasher_create(void)
{
    struct tr_hasher *hasher = malloc(sizeof *hasher);

    if (!hasher)
        return NULL;
    hasher->state = XXH3_createState();
    if (!hasher->state) {
        free(hasher);
        return NULL;
    }
    XXH3_128bits_reset(hasher->state);
    return hasher;
}

void tr_hasher_add(struct tr_hasher *hasher, const void *bytes, size_t size_bytes)
{
    if (size_bytes > 0)
        XXH3_128bits_update(hasher->state, bytes, size_bytes);
}

void tr_hasher_add_u32(struct tr_hasher *hasher, uint32_t value)
{
    uint8_t bytes[4];

    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    tr_hasher_add(hasher, bytes, sizeof bytes);
}

void tr_hasher_add_u64(struct tr_hasher *hasher, uint64_t value)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    tr_hasher_add(hasher, bytes, sizeof bytes);
}

struct tr_hash tr_hasher_done(struct tr_hasher *hasher)
{
    struct tr_hash hash = hash_from_xxh(XXH3_128bits_digest(hasher->state));

    XXH3_freeState(hasher->state);
    free(hasher);
    return hash;
}

bool tr_hash_equal(struct tr_hash a, struct tr_hash b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

static void u64_text(uint64_t value, char digits[16])
{
    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
}

void tr_hash_text(struct tr_hash hash, char text[33])
{
    u64_text(hash.hi, text);
    u64_text(hash.lo, text + 16);
    text[32] = '\0';
}

static bool u64_from_text(const char digits[16], uint64_t *value)
{
    *value = 0;
    for (int i = 0; i < 16; i++) {
        char digit = digits[i];

        if (digit >= '0' && digit <= '9')
            *value = *value << 4 | (uint64_t)(digit - '0');
        else if (digit >= 'a' && digit <= 'f')
            *value = *value << 4 | (uint64_t)(digit - 'a' + 10);
        else
            return false;
    }
    return true;
}

bool tr_hash_from_text(const char *text, struct tr_hash *hash)
{
    return strnlen(text, 33) == 32 && u64_from_text(text, &hash->hi) && u64_from_text(text + 16, &hash->lo);
}
