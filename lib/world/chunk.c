/* Chunk: the samples that one column owns, and the questions asked of them: what is the ground here
 * (tr_chunk_field) and of what (tr_chunk_material), and is this block worth storing (tr_block_differs).
 *
 * Blocks are few and come in any order of rows, so they are kept sorted in one array and found by bisection.
 *
 * The hash is a tree of digests over small pieces: heights, layers of 64 x 64 samples, blocks, paint where there
 * is any. So it needs no memory, cannot fail, and its input is little-endian whatever the machine; FORMAT.md
 * spells it out. */
#include "lib/world/chunk.h"

#include "lib/base/alloc.h"
#include "shaders/exact.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_Y_MAX (1 << 20) /* beyond it every height gives the clamped field */

/* ---- life ---- */

static bool size_is_valid(uint32_t size)
{
    return size == TR_CHUNK || size == 1;
}

enum tr_status tr_chunk_init(struct tr_chunk *chunk, int32_t cx, int32_t cz, uint32_t size_x, uint32_t size_z,
                             struct tr_error *error)
{
    *chunk = (struct tr_chunk){.cx = cx, .cz = cz, .size_x = size_x, .size_z = size_z};
    if (!size_is_valid(size_x) || !size_is_valid(size_z))
        return tr_fail(error, TR_BAD_INPUT, "chunk (%d, %d) of %u x %u samples, expected %d or 1 each", cx,
                       cz, size_x, size_z, TR_CHUNK);
    if (cx < -TR_CHUNK_INDEX_MAX || cx > TR_CHUNK_INDEX_MAX || cz < -TR_CHUNK_INDEX_MAX ||
        cz > TR_CHUNK_INDEX_MAX)
        return tr_fail(error, TR_BAD_INPUT, "chunk (%d, %d), expected at most %d from 0", cx, cz,
                       TR_CHUNK_INDEX_MAX);
    chunk->heights = tr_alloc(TR_CHUNK_SAMPLES, sizeof *chunk->heights, error);
    return chunk->heights ? TR_OK : TR_IO;
}

static void block_release(struct tr_block *block)
{
    free(block->samples);
    free(block->paint);
}

void tr_chunk_release(struct tr_chunk *chunk)
{
    for (size_t i = 0; i < chunk->block_count; i++)
        block_release(&chunk->blocks[i]);
    free(chunk->blocks);
    free(chunk->paint);
    free(chunk->heights);
    *chunk = (struct tr_chunk){0};
}

static enum tr_status copy_block(struct tr_block *to, const struct tr_block *from, struct tr_error *error)
{
    *to =
        (struct tr_block){.cy = from->cy, .samples = tr_alloc(TR_BLOCK_SAMPLES, sizeof *to->samples, error)};
    if (!to->samples)
        return TR_IO;
    memcpy(to->samples, from->samples, TR_BLOCK_SAMPLES * sizeof *to->samples);
    if (!from->paint)
        return TR_OK;
    to->paint = tr_alloc(TR_BLOCK_SAMPLES, 1, error);
    if (!to->paint)
        return TR_IO;
    memcpy(to->paint, from->paint, TR_BLOCK_SAMPLES);
    return TR_OK;
}

enum tr_status tr_chunk_copy(struct tr_chunk *to, const struct tr_chunk *from, struct tr_error *error)
{
    enum tr_status status = tr_chunk_init(to, from->cx, from->cz, from->size_x, from->size_z, error);

    if (status == TR_OK)
        memcpy(to->heights, from->heights, TR_CHUNK_SAMPLES * sizeof *to->heights);
    if (status == TR_OK && from->paint)
        status = tr_chunk_add_paint(to, error);
    if (status == TR_OK && from->paint)
        memcpy(to->paint, from->paint, TR_CHUNK_SAMPLES);
    if (status == TR_OK)
        status = tr_grow(&to->blocks, &to->block_capacity, from->block_count, sizeof *to->blocks, error);
    while (status == TR_OK && to->block_count < from->block_count) {
        size_t i = to->block_count++;

        status = copy_block(&to->blocks[i], &from->blocks[i], error);
    }
    if (status != TR_OK)
        tr_chunk_release(to);
    return status;
}

/* ---- blocks ---- */

/* Where the block of row cy is, or belongs. */
static size_t block_slot(const struct tr_chunk *chunk, int32_t cy)
{
    size_t lo = 0, hi = chunk->block_count;

    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;

        if (chunk->blocks[middle].cy < cy)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool slot_holds(const struct tr_chunk *chunk, size_t slot, int32_t cy)
{
    return slot < chunk->block_count && chunk->blocks[slot].cy == cy;
}

const int16_t *tr_chunk_block(const struct tr_chunk *chunk, int32_t cy)
{
    size_t slot = block_slot(chunk, cy);

    return slot_holds(chunk, slot, cy) ? chunk->blocks[slot].samples : NULL;
}

/* What lies beyond a rim chunk's own samples is zero, as in its heights. */
static void clear_beyond(int16_t *samples, uint32_t size_x, uint32_t size_z)
{
    if (size_x == TR_CHUNK && size_z == TR_CHUNK)
        return;
    for (int y = 0; y < 64; y++)
        for (uint32_t z = 0; z < 64; z++) {
            uint32_t first = z < size_z ? size_x : 0;

            memset(samples + tr_block_index(first, y, z), 0, (64 - first) * sizeof *samples);
        }
}

enum tr_status tr_chunk_add_block(struct tr_chunk *chunk, int32_t cy, int16_t **samples,
                                  struct tr_error *error)
{
    size_t slot = block_slot(chunk, cy);
    struct tr_block block = {.cy = cy};
    enum tr_status status;

    *samples = NULL;
    if (slot_holds(chunk, slot, cy)) {
        *samples = chunk->blocks[slot].samples;
        return TR_OK;
    }
    if (cy < TR_BLOCK_ROW_MIN || cy > TR_BLOCK_ROW_MAX)
        return tr_fail(error, TR_BAD_INPUT, "block row %d in chunk (%d, %d), expected %d to %d", cy,
                       chunk->cx, chunk->cz, TR_BLOCK_ROW_MIN, TR_BLOCK_ROW_MAX);
    status =
        tr_grow(&chunk->blocks, &chunk->block_capacity, chunk->block_count + 1, sizeof *chunk->blocks, error);
    if (status != TR_OK)
        return status;
    block.samples = tr_alloc(TR_BLOCK_SAMPLES, sizeof *block.samples, error);
    if (!block.samples)
        return TR_IO;
    tr_block_from_heights(chunk->heights, cy, block.samples);
    clear_beyond(block.samples, chunk->size_x, chunk->size_z);

    memmove(chunk->blocks + slot + 1, chunk->blocks + slot,
            (chunk->block_count - slot) * sizeof *chunk->blocks);
    chunk->blocks[slot] = block;
    chunk->block_count++;
    *samples = block.samples;
    return TR_OK;
}

/* ---- paint ---- */

enum tr_status tr_chunk_add_paint(struct tr_chunk *chunk, struct tr_error *error)
{
    if (!chunk->paint)
        chunk->paint = tr_alloc(TR_CHUNK_SAMPLES, 1, error);
    return chunk->paint ? TR_OK : TR_IO;
}

enum tr_status tr_chunk_add_block_paint(struct tr_chunk *chunk, int32_t cy, uint8_t **paint,
                                        struct tr_error *error)
{
    size_t slot = block_slot(chunk, cy);
    struct tr_block *block;

    assert(slot_holds(chunk, slot, cy));
    block = &chunk->blocks[slot];
    if (!block->paint)
        block->paint = tr_alloc(TR_BLOCK_SAMPLES, 1, error);
    *paint = block->paint;
    return block->paint ? TR_OK : TR_IO;
}

const uint8_t *tr_chunk_block_paint(const struct tr_chunk *chunk, int32_t cy)
{
    size_t slot = block_slot(chunk, cy);

    return slot_holds(chunk, slot, cy) ? chunk->blocks[slot].paint : NULL;
}

bool tr_chunk_is_painted(const struct tr_chunk *chunk)
{
    for (size_t i = 0; i < chunk->block_count; i++)
        if (chunk->blocks[i].paint)
            return true;
    return chunk->paint != NULL;
}

int tr_chunk_material(const struct tr_chunk *chunk, int x, int64_t y, int z)
{
    int64_t row = tr_floor_div(y, TR_CHUNK);
    const uint8_t *paint = NULL;
    int material = 0;

    assert(x >= 0 && (uint32_t)x < chunk->size_x && z >= 0 && (uint32_t)z < chunk->size_z);
    if (row >= TR_BLOCK_ROW_MIN && row <= TR_BLOCK_ROW_MAX)
        paint = tr_chunk_block_paint(chunk, (int32_t)row);
    if (paint)
        material = paint[tr_block_index(x, (int)tr_floor_mod(y, TR_CHUNK), z)];
    if (material != 0)
        return material;
    return chunk->paint ? chunk->paint[z * 64 + x] : 0;
}

/* ---- the field ---- */

int tr_chunk_field(const struct tr_chunk *chunk, int x, int64_t y, int z)
{
    int64_t row = tr_floor_div(y, TR_CHUNK);

    assert(x >= 0 && (uint32_t)x < chunk->size_x && z >= 0 && (uint32_t)z < chunk->size_z);
    if (row >= TR_BLOCK_ROW_MIN && row <= TR_BLOCK_ROW_MAX) {
        const int16_t *samples = tr_chunk_block(chunk, (int32_t)row);

        if (samples)
            return samples[tr_block_index(x, (int)tr_floor_mod(y, TR_CHUNK), z)];
    }
    y = y < -FIELD_Y_MAX ? -FIELD_Y_MAX : y > FIELD_Y_MAX ? FIELD_Y_MAX : y;
    return tr_height_field((int)y, chunk->heights[z * 64 + x]);
}

void tr_block_from_heights(const int32_t *heights, int32_t cy, int16_t *samples)
{
    for (int y = 0; y < 64; y++) {
        int16_t *layer = samples + tr_block_index(0, y, 0);
        int world_y = cy * TR_CHUNK + y;

        for (int i = 0; i < TR_CHUNK_SAMPLES; i++)
            layer[i] = (int16_t)tr_height_field(world_y, heights[i]);
    }
}

bool tr_block_differs(const int32_t *heights, uint32_t size_x, uint32_t size_z, int32_t cy,
                      const int16_t *samples)
{
    for (int y = 0; y < 64; y++)
        for (uint32_t z = 0; z < size_z; z++) {
            const int16_t *row = samples + tr_block_index(0, y, z);
            const int32_t *row_heights = heights + z * 64;
            int world_y = cy * TR_CHUNK + y;
            int difference = 0;

            for (uint32_t x = 0; x < size_x; x++)
                difference |= row[x] ^ tr_height_field(world_y, row_heights[x]);
            if (difference)
                return true;
        }
    return false;
}

/* ---- the canonical form ---- */

/* Whether one of the chunk's own columns is painted, in an array of them or a layer of a block. */
static bool layer_is_painted(const struct tr_chunk *chunk, const uint8_t *layer)
{
    for (uint32_t z = 0; z < chunk->size_z; z++) {
        int found = 0;

        for (uint32_t x = 0; x < chunk->size_x; x++)
            found |= layer[z * 64 + x];
        if (found)
            return true;
    }
    return false;
}

/* Takes the paint from samples that equal the height field. Whether any is left. */
static bool clean_block_paint(const struct tr_chunk *chunk, struct tr_block *block)
{
    bool is_painted = false;

    for (int y = 0; y < 64; y++) {
        uint8_t *layer = block->paint + tr_block_index(0, y, 0);

        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++)
                if (block->samples[tr_block_index(x, y, z)] ==
                    tr_height_field(block->cy * TR_CHUNK + y, chunk->heights[z * 64 + x]))
                    layer[z * 64 + x] = 0;
        is_painted = is_painted || layer_is_painted(chunk, layer);
    }
    return is_painted;
}

static void drop_paint(uint8_t **paint)
{
    free(*paint);
    *paint = NULL;
}

void tr_chunk_make_canonical(struct tr_chunk *chunk)
{
    size_t kept = 0;

    if (chunk->paint && !layer_is_painted(chunk, chunk->paint))
        drop_paint(&chunk->paint);
    for (size_t i = 0; i < chunk->block_count; i++) {
        struct tr_block block = chunk->blocks[i];

        if (!tr_block_differs(chunk->heights, chunk->size_x, chunk->size_z, block.cy, block.samples)) {
            block_release(&block);
            continue;
        }
        if (block.paint && !clean_block_paint(chunk, &block))
            drop_paint(&block.paint);
        chunk->blocks[kept++] = block;
    }
    chunk->block_count = kept;
}

/* ---- the hash ---- */

/* The value whose bytes in this machine's memory are the little-endian bytes of `value`. */
static uint16_t little16(uint16_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap16(value) : value;
}

static uint32_t little32(uint32_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(value) : value;
}

static uint64_t little64(uint64_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(value) : value;
}

static struct tr_hash little_hash(struct tr_hash hash)
{
    return (struct tr_hash){.lo = little64(hash.lo), .hi = little64(hash.hi)};
}

static struct tr_hash heights_digest(const struct tr_chunk *chunk)
{
    uint32_t values[TR_CHUNK_SAMPLES];
    size_t count = 0;

    for (uint32_t z = 0; z < chunk->size_z; z++)
        for (uint32_t x = 0; x < chunk->size_x; x++)
            values[count++] = little32((uint32_t)chunk->heights[z * 64 + x]);
    return tr_hash_bytes(values, count * sizeof values[0]);
}

static struct tr_hash block_digest(const struct tr_chunk *chunk, const int16_t *samples)
{
    struct tr_hash layers[64];
    uint16_t values[TR_CHUNK_SAMPLES];

    for (int y = 0; y < 64; y++) {
        size_t count = 0;

        for (uint32_t z = 0; z < chunk->size_z; z++)
            for (uint32_t x = 0; x < chunk->size_x; x++)
                values[count++] = little16((uint16_t)samples[tr_block_index(x, y, z)]);
        layers[y] = little_hash(tr_hash_bytes(values, count * sizeof values[0]));
    }
    return tr_hash_bytes(layers, sizeof layers);
}

/* Of the columns' paint, or of a layer of a block's. */
static struct tr_hash paint_digest(const struct tr_chunk *chunk, const uint8_t *layer)
{
    uint8_t values[TR_CHUNK_SAMPLES];
    size_t count = 0;

    for (uint32_t z = 0; z < chunk->size_z; z++, count += chunk->size_x)
        memcpy(values + count, layer + (size_t)z * 64, chunk->size_x);
    return tr_hash_bytes(values, count);
}

static struct tr_hash block_paint_digest(const struct tr_chunk *chunk, const uint8_t *paint)
{
    struct tr_hash layers[64];

    for (int y = 0; y < 64; y++)
        layers[y] = little_hash(paint_digest(chunk, paint + tr_block_index(0, y, 0)));
    return tr_hash_bytes(layers, sizeof layers);
}

static struct tr_hash head_hash(const struct tr_chunk *chunk)
{
    struct {
        char tag[8];
        uint32_t cx, cz, size_x, size_z;
        struct tr_hash heights;
    } head = {
        .tag = {'T', 'R', 'C', 'H', 'U', 'N', 'K', '\n'},
        .cx = little32((uint32_t)chunk->cx),
        .cz = little32((uint32_t)chunk->cz),
        .size_x = little32(chunk->size_x),
        .size_z = little32(chunk->size_z),
        .heights = little_hash(heights_digest(chunk)),
    };

    static_assert(sizeof head == 40, "hashed as it lies in memory");
    return tr_hash_bytes(&head, sizeof head);
}

static struct tr_hash add_item(struct tr_hash before, enum tr_section kind, int32_t cy, struct tr_hash digest)
{
    struct {
        struct tr_hash before;
        uint32_t kind, cy;
        struct tr_hash digest;
    } item = {
        .before = little_hash(before),
        .kind = little32(kind),
        .cy = little32((uint32_t)cy),
        .digest = little_hash(digest),
    };

    static_assert(sizeof item == 40, "hashed as it lies in memory");
    return tr_hash_bytes(&item, sizeof item);
}

struct tr_hash tr_chunk_hash(const struct tr_chunk *chunk)
{
    struct tr_hash hash = head_hash(chunk);

    if (chunk->paint)
        hash = add_item(hash, TR_SECTION_PAINT, 0, paint_digest(chunk, chunk->paint));
    for (size_t i = 0; i < chunk->block_count; i++) {
        const struct tr_block *block = &chunk->blocks[i];

        hash = add_item(hash, TR_SECTION_BLOCK, block->cy, block_digest(chunk, block->samples));
        if (block->paint)
            hash = add_item(hash, TR_SECTION_BLOCK_PAINT, block->cy, block_paint_digest(chunk, block->paint));
    }
    return hash;
}
