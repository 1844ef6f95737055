/* Any bytes as chunks.idx: refused with one line, or entries that give the same bytes when written again.
 * Tried a second time with the checksum made right. */
#include "lib/world/index.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void decode(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_error error = {0};
    struct tr_index_entry *entries;
    int32_t size_x, size_z;
    enum tr_status status = tr_index_read(bytes, size_bytes, "input", &size_x, &size_z, &entries, &error);

    if (status == TR_OK) {
        struct tr_writer file = {0};

        tr_index_write(entries, size_x, size_z, &file);
        FUZZ_CHECK(file.size_bytes == size_bytes && memcmp(file.bytes, bytes, size_bytes) == 0);
        tr_writer_release(&file);
        free(entries);
    } else {
        FUZZ_CHECK(status == TR_BAD_INPUT);
        FUZZ_CHECK(error.status == status && error.text[0] != '\0' && !entries);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    uint8_t *copy = malloc(size_bytes > 0 ? size_bytes : 1);

    decode(bytes, size_bytes);
    if (!copy)
        return 0;
    memcpy(copy, bytes, size_bytes);
    if (size_bytes >= 8) {
        uint64_t checksum = tr_hash_bytes(copy, size_bytes - 8).lo;

        for (size_t i = 0; i < 8; i++)
            copy[size_bytes - 8 + i] = (uint8_t)(checksum >> (8 * i));
    }
    decode(copy, size_bytes);
    free(copy);
    return 0;
}
