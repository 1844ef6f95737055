/* Bytes: every multi-byte number is put together and taken apart by shifts, so files do not depend on the
 * machine's order and nothing is read through a misaligned pointer.
 *
 * Failure is sticky on both sides: a writer without memory drops what follows, a reader past its end gives
 * zeros. */
#include "lib/base/bytes.h"

#include "lib/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tr_writer_release(struct tr_writer *writer)
{
    free(writer->bytes);
    *writer = (struct tr_writer){0};
}

/* Makes room for more bytes behind the written ones; NULL once the writer has failed. */
static uint8_t *writer_extend(struct tr_writer *writer, size_t more_bytes)
{
    if (writer->failed)
        return NULL;
    if (more_bytes > SIZE_MAX - writer->size_bytes ||
        tr_grow(&writer->bytes, &writer->capacity_bytes, writer->size_bytes + more_bytes, 1, NULL)) {
        tr_writer_release(writer);
        writer->failed = true;
        return NULL;
    }
    return writer->bytes + writer->size_bytes;
}

void tr_write_bytes(struct tr_writer *writer, const void *bytes, size_t size_bytes)
{
    uint8_t *end;

    if (size_bytes == 0)
        return;
    end = writer_extend(writer, size_bytes);
    if (!end)
        return;
    memcpy(end, bytes, size_bytes);
    writer->size_bytes += size_bytes;
}

static void write_little_endian(struct tr_writer *writer, uint64_t value, int size_bytes)
{
    uint8_t bytes[8];

    for (int i = 0; i < size_bytes; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    tr_write_bytes(writer, bytes, (size_t)size_bytes);
}

void tr_write_u8(struct tr_writer *writer, uint8_t value)
{
    write_little_endian(writer, value, 1);
}

void tr_write_u16(struct tr_writer *writer, uint16_t value)
{
    write_little_endian(writer, value, 2);
}

void tr_write_u32(struct tr_writer *writer, uint32_t value)
{
    write_little_endian(writer, value, 4);
}

void tr_write_u64(struct tr_writer *writer, uint64_t value)
{
    write_little_endian(writer, value, 8);
}

void tr_write_i32(struct tr_writer *writer, int32_t value)
{
    write_little_endian(writer, (uint32_t)value, 4);
}

void tr_write_f32(struct tr_writer *writer, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    write_little_endian(writer, bits, 4);
}

void tr_write_f64(struct tr_writer *writer, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    write_little_endian(writer, bits, 8);
}

void tr_write_text(struct tr_writer *writer, const char *format, ...)
{
    va_list arguments;
    char *end;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) { /* only a text of 2 GiB or more */
        tr_writer_release(writer);
        writer->failed = true;
        return;
    }
    end = (char *)writer_extend(writer, (size_t)length + 1);
    if (!end)
        return;
    va_start(arguments, format);
    vsnprintf(end, (size_t)length + 1, format, arguments);
    va_end(arguments);
    writer->size_bytes += (size_t)length;
}

const uint8_t *tr_read_bytes(struct tr_reader *reader, size_t size_bytes)
{
    const uint8_t *bytes;

    if (reader->failed || size_bytes > reader->size_bytes - reader->at) {
        reader->failed = true;
        return NULL;
    }
    bytes = reader->bytes + reader->at;
    reader->at += size_bytes;
    return bytes;
}

static uint64_t read_little_endian(struct tr_reader *reader, int size_bytes)
{
    const uint8_t *bytes = tr_read_bytes(reader, (size_t)size_bytes);
    uint64_t value = 0;

    for (int i = 0; bytes && i < size_bytes; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint8_t tr_read_u8(struct tr_reader *reader)
{
    return (uint8_t)read_little_endian(reader, 1);
}

uint16_t tr_read_u16(struct tr_reader *reader)
{
    return (uint16_t)read_little_endian(reader, 2);
}

uint32_t tr_read_u32(struct tr_reader *reader)
{
    return (uint32_t)read_little_endian(reader, 4);
}

uint64_t tr_read_u64(struct tr_reader *reader)
{
    return read_little_endian(reader, 8);
}

int32_t tr_read_i32(struct tr_reader *reader)
{
    uint32_t bits = tr_read_u32(reader);
    int32_t value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

double tr_read_f64(struct tr_reader *reader)
{
    uint64_t bits = tr_read_u64(reader);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}
