/* Any bytes as world.json: refused with one line, or values that give the same text when written again. Tried
 * a second time with the checksum's digits made right. */
#include "lib/world/world_json.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define CHECKSUM_OFFSET 17

static void read_text(const uint8_t *text, size_t size_bytes)
{
    struct tr_error error = {0};
    struct tr_world_json json;
    enum tr_status status = tr_world_json_read((const char *)text, size_bytes, "world.json", &json, &error);

    if (status == TR_OK) {
        struct tr_writer again = {0};

        FUZZ_CHECK(tr_world_info_check(&json.info, &error) == TR_OK);
        tr_world_json_write(&json, &again);
        FUZZ_CHECK(again.size_bytes == size_bytes && memcmp(again.bytes, text, size_bytes) == 0);
        tr_writer_release(&again);
    } else {
        FUZZ_CHECK(status == TR_BAD_INPUT);
        FUZZ_CHECK(error.status == status && error.text[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    uint8_t *copy = malloc(size_bytes > 0 ? size_bytes : 1);

    read_text(bytes, size_bytes);
    if (!copy)
        return 0;
    memcpy(copy, bytes, size_bytes);
    if (size_bytes >= CHECKSUM_OFFSET + 16) {
        char digits[33];

        memset(copy + CHECKSUM_OFFSET, '0', 16);
        tr_hash_text(tr_hash_bytes(copy, size_bytes), digits);
        memcpy(copy + CHECKSUM_OFFSET, digits + 16, 16);
    }
    read_text(copy, size_bytes);
    free(copy);
    return 0;
}
