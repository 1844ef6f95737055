/* See world_diff.h. Chunk pairs are compared on all jobs, each into its own slot, and summed in order. */
#include "lib/diff/world_diff.h"
#include "lib/base/alloc.h"
#include <stdlib.h>

static const struct tr_box nothing = {{INT64_MAX, INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN, INT64_MIN}};

static void box_add(struct tr_box *box, int64_t x, int64_t y, int64_t z)
{
    const int64_t at[3] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        box->lo[i] = at[i] < box->lo[i] ? at[i] : box->lo[i];
        box->hi[i] = at[i] > box->hi[i] ? at[i] : box->hi[i];
    }
}

/* Part of a voxel that is ground, in 1/256: all where s <= -128, none where s >= 128. */
static int64_t ground(int s)
{
    return 128 - (s < -128 ? -128 : (s > 128 ? 128 : s));
}

static void add_moved(int64_t moved_256, double *cut, double *fill)
{
    if (moved_256 < 0)
        *cut += (double)-moved_256 / 256.0;
    else
        *fill += (double)moved_256 / 256.0;
}

/* Rows in which one of the two chunks stores a block: [lowest, highest], empty when lowest > highest. */
static void stored_rows(const struct tr_chunk *a, const struct tr_chunk *b, int32_t *lowest, int32_t *highest)
{
    *lowest = INT32_MAX;
    *highest = INT32_MIN;
    const struct tr_chunk *both[2] = {a, b};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < both[i]->block_count; k++) {
            int32_t cy = both[i]->blocks[k].cy;
            *lowest = cy < *lowest ? cy : *lowest;
            *highest = cy > *highest ? cy : *highest;
        }
}

static void compare_heights(const struct tr_chunk *a, const struct tr_chunk *b, bool count_volume,
                            struct tr_chunk_diff *diff)
{
    for (uint32_t z = 0; z < a->size_z; z++)
        for (uint32_t x = 0; x < a->size_x; x++) {
            int32_t from = a->heights[z * TR_CHUNK + x], to = b->heights[z * TR_CHUNK + x];
            int32_t by = to - from;
            if (by == 0)
                continue;
            int32_t size = by < 0 ? -by : by;
            diff->heights++;
            diff->sum += (uint64_t)size;
            diff->greatest = size > diff->greatest ? size : diff->greatest;
            box_add(&diff->box, (int64_t)a->cx * TR_CHUNK + x, tr_floor_div(from < to ? from : to, TR_UNITS),
                    (int64_t)a->cz * TR_CHUNK + z);
            box_add(&diff->box, (int64_t)a->cx * TR_CHUNK + x, tr_floor_div(from > to ? from : to, TR_UNITS),
                    (int64_t)a->cz * TR_CHUNK + z);
            if (count_volume)
                add_moved(by, &diff->cut, &diff->fill);
        }
}

/* Samples of the rows with blocks. Above and below them both worlds are height fields, whose ground is
 * counted by clamping each height to the rows. */
static void compare_rows(const struct tr_chunk *a, const struct tr_chunk *b, int32_t lowest, int32_t highest,
                         struct tr_chunk_diff *diff)
{
    int64_t bottom = (int64_t)lowest * TR_CHUNK, top = (int64_t)(highest + 1) * TR_CHUNK - 1;
    for (uint32_t z = 0; z < a->size_z; z++)
        for (uint32_t x = 0; x < a->size_x; x++) {
            for (int64_t y = bottom; y <= top; y++) {
                int s = tr_chunk_field(a, (int)x, y, (int)z), t = tr_chunk_field(b, (int)x, y, (int)z);
                if (s == t)
                    continue;
                diff->samples++;
                if (ground(s) == ground(t))
                    continue;
                box_add(&diff->box, (int64_t)a->cx * TR_CHUNK + x, y, (int64_t)a->cz * TR_CHUNK + z);
                add_moved(ground(t) - ground(s), &diff->cut, &diff->fill);
            }
            /* A column of height field holds ground up to its height: what of the change lies outside the
             * rows. */
            int64_t from = a->heights[z * TR_CHUNK + x], to = b->heights[z * TR_CHUNK + x];
            int64_t floor_units = bottom * TR_UNITS - 128, roof_units = top * TR_UNITS + 128;
            int64_t below = (to < floor_units ? to : floor_units) - (from < floor_units ? from : floor_units);
            int64_t above = (to > roof_units ? to : roof_units) - (from > roof_units ? from : roof_units);
            add_moved(below, &diff->cut, &diff->fill);
            add_moved(above, &diff->cut, &diff->fill);
        }
}

static int paint_at(const uint8_t *paint, size_t at)
{
    return paint ? paint[at] : 0;
}

static void compare_paint(const struct tr_chunk *a, const struct tr_chunk *b, struct tr_chunk_diff *diff)
{
    for (uint32_t z = 0; z < a->size_z; z++)
        for (uint32_t x = 0; x < a->size_x; x++) {
            size_t at = z * TR_CHUNK + x;
            if (paint_at(a->paint, at) == paint_at(b->paint, at))
                continue;
            diff->paint++;
            box_add(&diff->box, (int64_t)a->cx * TR_CHUNK + x, tr_floor_div(a->heights[at], TR_UNITS),
                    (int64_t)a->cz * TR_CHUNK + z);
            box_add(&diff->box, (int64_t)a->cx * TR_CHUNK + x, tr_floor_div(b->heights[at], TR_UNITS),
                    (int64_t)a->cz * TR_CHUNK + z);
        }
}

static void compare_block_paint(const struct tr_chunk *a, const struct tr_chunk *b, int32_t cy,
                                struct tr_chunk_diff *diff)
{
    const uint8_t *from = tr_chunk_block_paint(a, cy), *to = tr_chunk_block_paint(b, cy);
    if (!from && !to)
        return;
    for (int y = 0; y < TR_CHUNK; y++)
        for (uint32_t z = 0; z < a->size_z; z++)
            for (uint32_t x = 0; x < a->size_x; x++) {
                size_t at = tr_block_index(x, y, z);
                if (paint_at(from, at) == paint_at(to, at))
                    continue;
                diff->block_paint++;
                box_add(&diff->box, (int64_t)a->cx * TR_CHUNK + x, (int64_t)cy * TR_CHUNK + y,
                        (int64_t)a->cz * TR_CHUNK + z);
            }
}

struct diff_run {
    const struct tr_world *a, *b;
    struct tr_world_diff *diff;
};

static enum tr_status diff_chunk(void *context, size_t index, int job, struct tr_error *error)
{
    (void)job;
    struct diff_run *run = context;
    struct tr_chunk_diff *diff = &run->diff->chunks[index];
    struct tr_chunk a = {0}, b = {0};
    enum tr_status status = tr_world_read_chunk(run->a, diff->cx, diff->cz, &a, error);
    if (status == TR_OK)
        status = tr_world_read_chunk(run->b, diff->cx, diff->cz, &b, error);
    if (status == TR_OK) {
        int32_t lowest, highest;
        stored_rows(&a, &b, &lowest, &highest);
        diff->blocks_a = (uint32_t)a.block_count;
        diff->blocks_b = (uint32_t)b.block_count;
        diff->box = nothing;
        compare_heights(&a, &b, lowest > highest, diff);
        if (lowest <= highest)
            compare_rows(&a, &b, lowest, highest, diff);
        compare_paint(&a, &b, diff);
        for (int32_t cy = lowest; cy <= highest; cy++)
            compare_block_paint(&a, &b, cy, diff);
    }
    tr_chunk_release(&a);
    tr_chunk_release(&b);
    return status;
}

static void add_to_total(struct tr_chunk_diff *total, const struct tr_chunk_diff *chunk)
{
    total->heights += chunk->heights;
    total->samples += chunk->samples;
    total->paint += chunk->paint;
    total->block_paint += chunk->block_paint;
    total->blocks_a += chunk->blocks_a;
    total->blocks_b += chunk->blocks_b;
    total->greatest = chunk->greatest > total->greatest ? chunk->greatest : total->greatest;
    total->sum += chunk->sum;
    total->cut += chunk->cut;
    total->fill += chunk->fill;
    if (tr_box_is_empty(&chunk->box))
        return;
    box_add(&total->box, chunk->box.lo[0], chunk->box.lo[1], chunk->box.lo[2]);
    box_add(&total->box, chunk->box.hi[0], chunk->box.hi[1], chunk->box.hi[2]);
}

enum tr_status tr_world_diff(struct tr_jobs *jobs, const struct tr_world *a, const struct tr_world *b,
                             struct tr_world_diff *diff, struct tr_error *error)
{
    *diff = (struct tr_world_diff){.total = {.box = nothing}};
    if (a->info.size_x != b->info.size_x || a->info.size_z != b->info.size_z)
        return tr_fail(error, TR_BAD_INPUT,
                       "'%s' has %d x %d chunks, '%s' has %d x %d: expected worlds of one size", a->path,
                       a->info.size_x, a->info.size_z, b->path, b->info.size_x, b->info.size_z);
    if (a->info.voxel_size != b->info.voxel_size)
        return tr_fail(error, TR_BAD_INPUT,
                       "'%s' has voxels of %g m, '%s' of %g m: expected worlds of one voxel size", a->path,
                       a->info.voxel_size, b->path, b->info.voxel_size);
    diff->equal = tr_hash_equal(a->hash, b->hash);
    if (diff->equal)
        return TR_OK;
    for (size_t i = 0; i < a->chunk_count; i++) /* one size: the same places in the same order */
        diff->count += !tr_hash_equal(a->index[i].hash, b->index[i].hash);
    if (!(diff->chunks = tr_alloc(diff->count, sizeof *diff->chunks, error)))
        return TR_IO;
    size_t at = 0;
    for (size_t i = 0; i < a->chunk_count; i++)
        if (!tr_hash_equal(a->index[i].hash, b->index[i].hash))
            diff->chunks[at++] = (struct tr_chunk_diff){.cx = a->index[i].cx, .cz = a->index[i].cz};
    enum tr_status status = tr_jobs_run(jobs, diff->count, diff_chunk, &(struct diff_run){a, b, diff}, error);
    for (size_t i = 0; i < diff->count && status == TR_OK; i++)
        add_to_total(&diff->total, &diff->chunks[i]);
    return status;
}

void tr_world_diff_release(struct tr_world_diff *diff)
{
    free(diff->chunks);
    *diff = (struct tr_world_diff){0};
}
