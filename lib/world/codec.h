/* The chunk file: magic, version, table of contents, checked sections, zstd. The format is written down in
 * FORMAT.md beside this.
 *
 * Decoding trusts nothing: sizes are compared with what the file can hold before memory is taken, every
 * section has a checksum, samples and paint must be canonical and give the hash that the file names. Errors name
 * file, section and byte offset. */
#ifndef TR_WORLD_CODEC_H
#define TR_WORLD_CODEC_H

#include "lib/base/bytes.h"
#include "lib/world/chunk.h"

#define TR_CHUNK_MAGIC "TRCHUNK\n" /* how the file begins: 8 bytes */
/* No chunk file is larger: 2048 painted blocks that do not compress at all. */
#define TR_CHUNK_FILE_MAX (1600u << 20)

/* Appends the file to `out`. The chunk must be canonical; `hash` is tr_chunk_hash of it. A sample or height
 * out of range is refused (TR_BAD_INPUT), for no reader would take it. */
enum tr_status tr_chunk_encode(const struct tr_chunk *chunk, struct tr_hash hash, struct tr_writer *out,
                               struct tr_error *error);

/* The whole file. `name` is what errors call it. *chunk is to be released; on failure it holds nothing. */
enum tr_status tr_chunk_decode(const uint8_t *bytes, size_t size_bytes, const char *name,
                               struct tr_chunk *chunk, struct tr_hash *hash, struct tr_error *error);

/* What header and table of contents say, after checking them, but no section. */
struct tr_chunk_head {
    uint32_t version; /* 2: the chunk is painted */
    uint32_t section_count, block_count;
    int32_t cx, cz;
    uint32_t size_x, size_z;
    struct tr_hash hash;
};
enum tr_status tr_chunk_read_head(const uint8_t *bytes, size_t size_bytes, const char *name,
                                  struct tr_chunk_head *head, struct tr_error *error);

/* Checks all that tr_chunk_decode does, but goes on behind a section that is damaged: `report` is called with
 * a line for each defect, which makes the result TR_BAD_INPUT. *head is as the file says once it is good.
 * `error` is not NULL. */
enum tr_status tr_chunk_inspect(const uint8_t *bytes, size_t size_bytes, const char *name,
                                void (*report)(void *context, const char *line), void *context,
                                struct tr_chunk_head *head, struct tr_error *error);

#endif
