/* See column.h. A column may be 131072 samples high, so only the rows that can hold a crossing are looked
 * at: rows with a block, and the row of the height. Elsewhere the field is the height field beyond its
 * height and keeps its sign. */
#include "lib/run/column.h"

#include "shaders/surface.h"

struct scan {
    const struct tr_chunk *chunk;
    int x, z;
    int64_t y; /* the sample looked at last */
    int value;
    bool begun;
    struct tr_column *column;
};

static void note_crossing(struct scan *scan, int below)
{
    int32_t at = (int32_t)((scan->y - 1) * TR_UNITS) + tr_crossing(below, scan->value);

    if (below <= 0) {
        if (scan->column->floors == 0)
            scan->column->top = at;
        scan->column->floors++;
    }
    scan->column->bottom = at;
}

/* The samples of one row from above, with the sample above and the one below it, which a gap between rows
 * may leave out. */
static void scan_row(struct scan *scan, int32_t row)
{
    int64_t lowest = (int64_t)row * TR_CHUNK - 1;

    for (int64_t y = lowest + TR_CHUNK + 1; y >= lowest; y--) {
        int value;

        if (scan->begun && y >= scan->y)
            continue;
        value = tr_chunk_field(scan->chunk, scan->x, y, scan->z);
        if (scan->begun && y == scan->y - 1 && (value <= 0) != (scan->value <= 0))
            note_crossing(scan, value);
        scan->y = y;
        scan->value = value;
        scan->begun = true;
    }
}

void tr_column_scan(const struct tr_chunk *chunk, int x, int z, struct tr_column *column)
{
    int32_t height = chunk->heights[z * TR_CHUNK + x];
    int32_t height_row = (int32_t)tr_floor_div(height, TR_UNITS * TR_CHUNK);
    struct scan scan = {.chunk = chunk, .x = x, .z = z, .column = column};
    size_t left = chunk->block_count;
    bool height_row_left = true;

    *column = (struct tr_column){.top = height, .bottom = height, .floors = 1};
    if (left == 0)
        return;
    column->floors = 0;
    while (left > 0 || height_row_left) {
        int32_t row = left > 0 ? chunk->blocks[left - 1].cy : height_row;

        if (height_row_left && height_row >= row)
            row = height_row;
        height_row_left = height_row_left && row != height_row;
        if (left > 0 && chunk->blocks[left - 1].cy == row)
            left--;
        scan_row(&scan, row);
    }
}
