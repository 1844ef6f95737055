/* Any bytes as a chunk file: refused with one line, or a canonical chunk that gives an equal chunk when
 * written and read again.
 *
 * Bytes at random never pass a checksum, so each input is tried a second time with its checksums made right,
 * which lets mutations reach the table, the frames and the samples. */
#include "lib/world/codec.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define HEADER_BYTES 48
#define ENTRY_BYTES 32
#define SECTIONS_MAX 64 /* more in an input only cost time */

/* A canonical chunk stays as it is when made so: its hash sees a block or an array of paint that goes. */
static void check_canonical(const struct tr_chunk *chunk, struct tr_hash hash)
{
    struct tr_error error = {0};
    struct tr_chunk copy;

    FUZZ_CHECK(tr_chunk_copy(&copy, chunk, &error) == TR_OK);
    tr_chunk_make_canonical(&copy);
    FUZZ_CHECK(copy.block_count == chunk->block_count);
    FUZZ_CHECK(tr_hash_equal(tr_chunk_hash(&copy), hash));
    tr_chunk_release(&copy);
}

static void check_round_trip(const struct tr_chunk *chunk, struct tr_hash hash)
{
    struct tr_error error = {0};
    struct tr_writer file = {0};
    struct tr_chunk back;
    struct tr_hash back_hash;

    FUZZ_CHECK(tr_hash_equal(tr_chunk_hash(chunk), hash));
    check_canonical(chunk, hash);
    FUZZ_CHECK(tr_chunk_encode(chunk, hash, &file, &error) == TR_OK);
    FUZZ_CHECK(tr_chunk_decode(file.bytes, file.size_bytes, "again", &back, &back_hash, &error) == TR_OK);
    FUZZ_CHECK(tr_hash_equal(back_hash, hash));
    FUZZ_CHECK(back.block_count == chunk->block_count);
    FUZZ_CHECK(tr_chunk_is_painted(&back) == tr_chunk_is_painted(chunk));
    tr_chunk_release(&back);
    tr_writer_release(&file);
}

static void decode(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_error error = {0};
    struct tr_chunk_head head;
    struct tr_chunk chunk;
    struct tr_hash hash;
    enum tr_status status = tr_chunk_decode(bytes, size_bytes, "input", &chunk, &hash, &error);

    if (status == TR_OK) {
        FUZZ_CHECK(tr_chunk_read_head(bytes, size_bytes, "input", &head, &error) == TR_OK);
        FUZZ_CHECK((head.version == 2) == tr_chunk_is_painted(&chunk));
        check_round_trip(&chunk, hash);
    } else {
        FUZZ_CHECK(status == TR_BAD_INPUT);
        FUZZ_CHECK(error.status == status && error.text[0] != '\0');
        FUZZ_CHECK(!chunk.heights && !chunk.paint && !chunk.blocks);
    }
    tr_chunk_release(&chunk);
}

static uint64_t number_at(const uint8_t *bytes, size_t at, int size_bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < size_bytes; i++)
        value |= (uint64_t)bytes[at + (size_t)i] << (8 * i);
    return value;
}

static void put_checksum(uint8_t *bytes, size_t at, const uint8_t *of, size_t size_bytes)
{
    uint64_t value = tr_hash_bytes(of, size_bytes).lo;

    for (int i = 0; i < 8; i++)
        bytes[at + (size_t)i] = (uint8_t)(value >> (8 * i));
}

/* Makes the checksums of sections and header right where they lie within the file. */
static void repair(uint8_t *bytes, size_t size_bytes)
{
    uint64_t count, end;

    if (size_bytes < HEADER_BYTES)
        return;
    count = number_at(bytes, 12, 4);
    end = HEADER_BYTES + count * ENTRY_BYTES;
    if (count > SECTIONS_MAX || end + 8 > size_bytes)
        return;
    for (size_t entry = HEADER_BYTES; entry < end; entry += ENTRY_BYTES) {
        uint64_t offset = number_at(bytes, entry + 8, 8), stored = number_at(bytes, entry + 16, 4);

        if (offset <= size_bytes && stored <= size_bytes - offset)
            put_checksum(bytes, entry + 24, bytes + offset, (size_t)stored);
    }
    put_checksum(bytes, (size_t)end, bytes, (size_t)end);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    uint8_t *copy = malloc(size_bytes > 0 ? size_bytes : 1);

    decode(bytes, size_bytes);
    if (!copy)
        return 0;
    memcpy(copy, bytes, size_bytes);
    repair(copy, size_bytes);
    decode(copy, size_bytes);
    free(copy);
    return 0;
}
