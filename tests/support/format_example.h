/* The examples in lib/world/FORMAT.md, taken from the document itself, so that it cannot say one thing and
 * the code do another. Tests run in the repository's root. */
#ifndef FORMAT_EXAMPLE_H
#define FORMAT_EXAMPLE_H

#include <stddef.h>
#include <stdint.h>

#define FORMAT_EXAMPLE_BYTES 2048

/* The bytes of the fenced block that begins with the line `fence`: pairs of hex digits up to two blanks in
 * each line. The test fails where there is none. */
size_t format_example(const char *fence, uint8_t bytes[FORMAT_EXAMPLE_BYTES]);

/* The text of the block, as it is. */
size_t format_example_text(const char *fence, char text[FORMAT_EXAMPLE_BYTES]);

#endif
