/* What every fuzz target has: one function that takes any bytes. It aborts when the code under test breaks a
 * promise; refusing the bytes is fine. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

#define FUZZ_CHECK(claim)                                                                                    \
    do {                                                                                                     \
        if (!(claim)) {                                                                                      \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #claim);                              \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

#endif
