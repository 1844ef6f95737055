/* The examples in lib/world/FORMAT.md. */
#include "tests/support/format_example.h"
#include "tests/support/test.h"

#include "lib/base/file.h"

#include <stdlib.h>
#include <string.h>

#define DOCUMENT "lib/world/FORMAT.md"

size_t format_example_text(const char *fence, char text[FORMAT_EXAMPLE_BYTES])
{
    struct tr_error error = {0};
    uint8_t *document;
    size_t size_bytes, length;
    const char *begin, *end;

    if (tr_file_read(DOCUMENT, 1 << 20, &document, &size_bytes, &error) != TR_OK)
        fail_msg("%s (tests run in the repository's root)", error.text);
    begin = strstr((const char *)document, fence);
    if (!begin)
        fail_msg("%s has no block %s", DOCUMENT, fence);
    begin += strlen(fence);
    end = strstr(begin, "```");
    assert_non_null(end);
    length = (size_t)(end - begin);
    assert_true(length < FORMAT_EXAMPLE_BYTES);
    memcpy(text, begin, length);
    text[length] = '\0';
    free(document);
    return length;
}

static int digit_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = digit ? strchr(digits, digit) : NULL;

    return at ? (int)(at - digits) : -1;
}

size_t format_example(const char *fence, uint8_t bytes[FORMAT_EXAMPLE_BYTES])
{
    char text[FORMAT_EXAMPLE_BYTES];
    size_t count = 0;

    format_example_text(fence, text);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        for (const char *at = line; digit_value(at[0]) >= 0 && digit_value(at[1]) >= 0; at += 3) {
            bytes[count++] = (uint8_t)(digit_value(at[0]) << 4 | digit_value(at[1]));
            if (at[2] != ' ')
                break;
        }
    return count;
}
