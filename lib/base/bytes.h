/* Bytes: little-endian numbers in byte buffers, whatever the machine; a growing writer and a bounded reader.
 *
 * A reader that runs past its end sets `failed` and returns zeros from then on, so a parser checks once
 * behind a group. */
#ifndef TR_BASE_BYTES_H
#define TR_BASE_BYTES_H

#include "lib/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tr_writer {
    uint8_t *bytes;
    size_t size_bytes, capacity_bytes;
    bool failed; /* memory ran out; what was written is lost */
};

void tr_writer_release(struct tr_writer *writer);
void tr_write_bytes(struct tr_writer *writer, const void *bytes, size_t size_bytes);
void tr_write_u8(struct tr_writer *writer, uint8_t value);
void tr_write_u16(struct tr_writer *writer, uint16_t value);
void tr_write_u32(struct tr_writer *writer, uint32_t value);
void tr_write_u64(struct tr_writer *writer, uint64_t value);
void tr_write_i32(struct tr_writer *writer, int32_t value);
void tr_write_f32(struct tr_writer *writer, float value);
void tr_write_f64(struct tr_writer *writer, double value);
void tr_write_text(struct tr_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct tr_reader {
    const uint8_t *bytes;
    size_t size_bytes, at;
    bool failed;
};

const uint8_t *tr_read_bytes(struct tr_reader *reader, size_t size_bytes); /* NULL when fewer are left */
uint8_t tr_read_u8(struct tr_reader *reader);
uint16_t tr_read_u16(struct tr_reader *reader);
uint32_t tr_read_u32(struct tr_reader *reader);
uint64_t tr_read_u64(struct tr_reader *reader);
int32_t tr_read_i32(struct tr_reader *reader);
double tr_read_f64(struct tr_reader *reader);

#endif
