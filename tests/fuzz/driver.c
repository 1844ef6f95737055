/* Runs a fuzz target over files: usage: TARGET FOLDER... Each file of each folder is one input, in order of
 * name. So the corpus is part of `make test`, with any compiler; libFuzzer brings a main of its own and this
 * is left out.
 *
 * An input is copied to memory of exactly its size, so that a sanitizer sees each byte read beyond it. */
#include "lib/base/file.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_BYTES_MAX ((size_t)64 << 20)

struct run {
    const char *folder;
    int inputs;
};

static enum tr_status run_file(void *context, const char *name, struct tr_error *error)
{
    struct run *run = context;
    char path[TR_PATH_BYTES];
    uint8_t *bytes = NULL, *exact;
    size_t size_bytes = 0;
    enum tr_status status = tr_path_join(path, run->folder, name, error);

    if (status == TR_OK)
        status = tr_file_read(path, INPUT_BYTES_MAX, &bytes, &size_bytes, error);
    if (status != TR_OK)
        return status;
    exact = malloc(size_bytes > 0 ? size_bytes : 1);
    if (!exact) {
        free(bytes);
        return tr_fail(error, TR_IO, "out of memory: \"%s\"", path);
    }
    memcpy(exact, bytes, size_bytes);
    free(bytes);
    printf("%s: %zu bytes\n", path, size_bytes);
    fflush(stdout); /* so that a crash names its input */
    LLVMFuzzerTestOneInput(exact, size_bytes);
    free(exact);
    run->inputs++;
    return TR_OK;
}

int main(int argc, char **argv)
{
    struct tr_error error = {0};
    struct run run = {0};

    for (int i = 1; i < argc; i++) {
        run.folder = argv[i];
        if (tr_folder_list(argv[i], run_file, &run, &error) != TR_OK) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
    }
    printf("%d inputs\n", run.inputs);
    return run.inputs > 0 ? 0 : 1;
}
