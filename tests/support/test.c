/* See test.h. */
#include "tests/support/test.h"
#include "lib/base/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int scratch_make(void **state)
{
    const char *base = getenv("TMPDIR");
    char *path = malloc(TR_PATH_BYTES);
    if (!path)
        return -1;
    snprintf(path, TR_PATH_BYTES, "%s/terrain-test-XXXXXX", base ? base : "/tmp");
    *state = path;
    return mkdtemp(path) ? 0 : -1;
}

int scratch_remove(void **state)
{
    struct tr_error error;
    int result = tr_folder_remove(*state, &error) == TR_OK ? 0 : -1;
    free(*state);
    return result;
}
