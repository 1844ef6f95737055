/* See probe.h. A vertical line may be 131072 samples long, so only rows that hold a block around it are looked
 * at sample by sample. Between them the field is a mean of height fields, which never falls as y rises: it
 * crosses 0 at most once there, and bisection finds where. */
#include "lib/run/probe.h"

#include "lib/base/alloc.h"
#include "shaders/exact.h"

#include <math.h>
#include <stdlib.h>

/* No block reaches these samples, and every height lies between them. */
#define LINE_TOP ((int64_t)(TR_BLOCK_ROW_MAX + 1) * TR_CHUNK)
#define LINE_BOTTOM ((int64_t)TR_BLOCK_ROW_MIN * TR_CHUNK - 1)

/* ---- cells ---- */

enum tr_status tr_cells_hold(struct tr_cache *cache, int32_t cx, int32_t cz, struct tr_cells *cells,
                             struct tr_error *error)
{
    *cells = (struct tr_cells){.cx = cx, .cz = cz};
    for (int dz = 0; dz < 2; dz++)
        for (int dx = 0; dx < 2; dx++) {
            enum tr_status status = tr_cache_hold(cache, cx + dx, cz + dz, &cells->chunks[dz][dx], error);

            if (status != TR_OK) {
                tr_cells_release(cache, cells);
                return status;
            }
        }
    return TR_OK;
}

void tr_cells_release(struct tr_cache *cache, struct tr_cells *cells)
{
    for (int i = 0; i < 4; i++)
        if (cells->chunks[i / 2][i % 2])
            tr_cache_release(cache, cells->chunks[i / 2][i % 2]);
    *cells = (struct tr_cells){0};
}

int tr_cells_sample(const struct tr_cells *cells, int x, int64_t y, int z)
{
    return tr_chunk_field(cells->chunks[z / TR_CHUNK][x / TR_CHUNK], x % TR_CHUNK, y, z % TR_CHUNK);
}

int32_t tr_cells_height(const struct tr_cells *cells, int x, int z)
{
    const struct tr_chunk *chunk = cells->chunks[z / TR_CHUNK][x / TR_CHUNK];

    return chunk->heights[z % TR_CHUNK * TR_CHUNK + x % TR_CHUNK];
}

int tr_cells_material(const struct tr_cells *cells, int x, int64_t y, int z)
{
    return tr_chunk_material(cells->chunks[z / TR_CHUNK][x / TR_CHUNK], x % TR_CHUNK, y, z % TR_CHUNK);
}

int tr_cells_paint(const struct tr_cells *cells, int x, int z)
{
    const struct tr_chunk *chunk = cells->chunks[z / TR_CHUNK][x / TR_CHUNK];

    return chunk->paint ? chunk->paint[z % TR_CHUNK * TR_CHUNK + x % TR_CHUNK] : 0;
}

void tr_chunk_height_range(const struct tr_chunk *chunk, int32_t *lowest, int32_t *highest)
{
    *lowest = *highest = chunk->heights[0];
    for (uint32_t z = 0; z < chunk->size_z; z++)
        for (uint32_t x = 0; x < chunk->size_x; x++) {
            int32_t height = chunk->heights[z * TR_CHUNK + x];

            *lowest = height < *lowest ? height : *lowest;
            *highest = height > *highest ? height : *highest;
        }
}

/* ---- places ---- */

/* A place on the map: the column of cells it lies in, and where in it. */
struct place {
    int32_t cx, cz;
    int x, z;              /* of the column among its chunk's, 0..63 */
    double part_x, part_z; /* in [0, 1] */
};

/* Along one axis, `size` chunks long. The world's last sample lies at the end of its last cell. */
static void place_along(double at_m, double voxel_size, int32_t size, int32_t *chunk, int *cell, double *part)
{
    double last = (double)size * TR_CHUNK;
    double at = fmin(at_m / voxel_size, last);
    int64_t index = (int64_t)fmin(floor(at), last - 1.0);

    *chunk = (int32_t)(index / TR_CHUNK);
    *cell = (int)(index % TR_CHUNK);
    *part = at - (double)index;
}

static enum tr_status find_place(const struct tr_world_info *info, double x_m, double z_m,
                                 struct place *place, struct tr_error *error)
{
    double length_x = info->size_x * TR_CHUNK * info->voxel_size;
    double length_z = info->size_z * TR_CHUNK * info->voxel_size;

    if (!(x_m >= 0.0 && x_m <= length_x && z_m >= 0.0 && z_m <= length_z))
        return tr_fail(error, TR_BAD_INPUT,
                       "x %.10g, z %.10g is outside the world, expected x 0 to %.10g and z 0 to %.10g metres",
                       x_m, z_m, length_x, length_z);
    place_along(x_m, info->voxel_size, info->size_x, &place->cx, &place->x, &place->part_x);
    place_along(z_m, info->voxel_size, info->size_z, &place->cz, &place->z, &place->part_z);
    return TR_OK;
}

/* ---- a point ---- */

/* The cell around a point: its eight samples, and where in it the point lies. */
struct cell {
    struct tr_cells cells;
    struct place place;
    int64_t y; /* of its lower corners */
    double part_y;
    double field[8];
};

/* tr_cells_release its cells. */
static enum tr_status hold_cell(struct tr_cache *cache, const struct tr_world_info *info,
                                const double at_m[3], struct cell *cell, struct tr_error *error)
{
    double y = at_m[1] / info->voxel_size;
    enum tr_status status = find_place(info, at_m[0], at_m[2], &cell->place, error);

    if (status == TR_OK && !(y >= (double)LINE_BOTTOM && y <= (double)LINE_TOP))
        status =
            tr_fail(error, TR_BAD_INPUT, "y %.10g is outside the world, expected %.10g to %.10g metres",
                    at_m[1], (double)LINE_BOTTOM * info->voxel_size, (double)LINE_TOP * info->voxel_size);
    if (status == TR_OK)
        status = tr_cells_hold(cache, cell->place.cx, cell->place.cz, &cell->cells, error);
    if (status != TR_OK)
        return status;
    cell->y = (int64_t)floor(y);
    cell->part_y = y - floor(y);
    for (int i = 0; i < 8; i++)
        cell->field[i] = tr_cells_sample(&cell->cells, cell->place.x + (i & 1), cell->y + (i >> 1 & 1),
                                         cell->place.z + (i >> 2 & 1));
    return TR_OK;
}

static double cell_value(const struct cell *cell)
{
    return tr_trilinear(cell->field, cell->place.part_x, cell->part_y, cell->place.part_z);
}

enum tr_status tr_probe_field(struct tr_cache *cache, const struct tr_world_info *info, const double at_m[3],
                              double *distance_m, struct tr_error *error)
{
    struct cell cell;
    enum tr_status status = hold_cell(cache, info, at_m, &cell, error);

    if (status != TR_OK)
        return status;
    *distance_m = cell_value(&cell) / TR_UNITS * info->voxel_size;
    tr_cells_release(cache, &cell.cells);
    return TR_OK;
}

/* How much each corner counts at a point of a cell. */
static double corner_weight(int i, double part_x, double part_y, double part_z)
{
    return (i & 1 ? part_x : 1.0 - part_x) * (i >> 1 & 1 ? part_y : 1.0 - part_y) *
           (i >> 2 & 1 ? part_z : 1.0 - part_z);
}

static int cell_material(const struct cell *cell)
{
    const struct place *place = &cell->place;
    double most = 0.0;
    int best = -1;

    for (int i = 0; i < 8; i++) {
        double weight = corner_weight(i, place->part_x, cell->part_y, place->part_z);

        if (cell->field[i] <= 0.0 && weight > most) {
            most = weight;
            best = i;
        }
    }
    if (best < 0)
        return 0;
    return tr_cells_material(&cell->cells, place->x + (best & 1), cell->y + (best >> 1 & 1),
                             place->z + (best >> 2 & 1));
}

enum tr_status tr_probe_material(struct tr_cache *cache, const struct tr_world_info *info,
                                 const double at_m[3], int *material, struct tr_error *error)
{
    struct cell cell;
    enum tr_status status = hold_cell(cache, info, at_m, &cell, error);

    *material = 0;
    if (status != TR_OK)
        return status;
    if (cell_value(&cell) <= 0.0)
        *material = cell_material(&cell);
    tr_cells_release(cache, &cell.cells);
    return TR_OK;
}

/* ---- a vertical line ---- */

struct line {
    const struct tr_cells *cells;
    int x, z;          /* lowest corner of its column of cells */
    double weights[4]; /* of the samples at corners (i & 1, i >> 1) of the column */
    double voxel_size;
    int64_t y; /* the level looked at last, and the field there */
    double value;
    struct tr_ground *ground;
};

static double line_value(const struct line *line, int64_t y)
{
    double value = 0.0;

    for (int i = 0; i < 4; i++)
        if (line->weights[i] > 0.0)
            value +=
                line->weights[i] * tr_cells_sample(line->cells, line->x + (i & 1), y, line->z + (i >> 1));
    return value;
}

static bool level_is_sculpted(const struct line *line, int64_t y)
{
    for (int i = 0; i < 4; i++) {
        int x = line->x + (i & 1), z = line->z + (i >> 1);

        if (line->weights[i] > 0.0 && tr_cells_sample(line->cells, x, y, z) !=
                                          tr_height_field((int)y, tr_cells_height(line->cells, x, z)))
            return true;
    }
    return false;
}

/* At a level where the line is in the ground: of the samples there that are, too, the one that counts most. */
static int level_material(const struct line *line, int64_t y)
{
    double most = 0.0;
    int best = -1;

    for (int i = 0; i < 4; i++)
        if (line->weights[i] > most &&
            tr_cells_sample(line->cells, line->x + (i & 1), y, line->z + (i >> 1)) <= 0) {
            most = line->weights[i];
            best = i;
        }
    return best < 0 ? 0 : tr_cells_material(line->cells, line->x + (best & 1), y, line->z + (best >> 1));
}

/* One level down; notes a surface passed on the way. */
static enum tr_status step_down(struct line *line, struct tr_error *error)
{
    struct tr_ground *ground = line->ground;
    double above = line->value, below = line_value(line, --line->y);
    enum tr_status status;

    line->value = below;
    ground->sculpted = ground->sculpted || level_is_sculpted(line, line->y);
    if ((below <= 0.0) == (above <= 0.0))
        return TR_OK;
    status =
        tr_grow(&ground->surfaces, &ground->capacity, ground->count + 1, sizeof *ground->surfaces, error);
    if (status == TR_OK)
        ground->surfaces[ground->count++] =
            (struct tr_surface){.y_m = ((double)line->y + below / (below - above)) * line->voxel_size,
                                .solid_below = below <= 0.0,
                                .material = level_material(line, below <= 0.0 ? line->y : line->y + 1)};
    return status;
}

/* Down to level y; no block has samples from there up to the level above the line's own. */
static enum tr_status fall_to(struct line *line, int64_t y, struct tr_error *error)
{
    int64_t solid = y, air = line->y;

    if (y >= line->y)
        return TR_OK;
    if (line->value > 0.0 && line_value(line, y) <= 0.0) {
        enum tr_status status;

        while (air - solid > 1) {
            int64_t middle = solid + (air - solid) / 2;

            if (line_value(line, middle) > 0.0)
                air = middle;
            else
                solid = middle;
        }
        line->y = air;
        line->value = line_value(line, air);
        status = step_down(line, error);
        if (status != TR_OK)
            return status;
    }
    line->y = y;
    line->value = line_value(line, y);
    return TR_OK;
}

/* The highest row below `under` in which one of the chunks stores a block; left[i] counts the blocks of each that
 * are not yet passed. */
static bool next_row(const struct tr_cells *cells, size_t left[4], int64_t under, int64_t *row)
{
    bool found = false;

    for (int i = 0; i < 4; i++) {
        const struct tr_chunk *chunk = cells->chunks[i / 2][i % 2];

        while (left[i] > 0 && chunk->blocks[left[i] - 1].cy >= under)
            left[i]--;
        if (left[i] > 0 && (!found || chunk->blocks[left[i] - 1].cy > *row)) {
            *row = chunk->blocks[left[i] - 1].cy;
            found = true;
        }
    }
    return found;
}

static enum tr_status follow_line(struct line *line, struct tr_error *error)
{
    size_t left[4];
    int64_t row = TR_BLOCK_ROW_MAX + 1;
    enum tr_status status = TR_OK;

    for (int i = 0; i < 4; i++)
        left[i] = line->cells->chunks[i / 2][i % 2]->block_count;
    line->y = LINE_TOP;
    line->value = line_value(line, LINE_TOP);
    while (status == TR_OK && next_row(line->cells, left, row, &row)) {
        status = fall_to(line, (row + 1) * TR_CHUNK, error);
        while (status == TR_OK && line->y >= row * TR_CHUNK) /* to the level below the row */
            status = step_down(line, error);
    }
    return status == TR_OK ? fall_to(line, LINE_BOTTOM, error) : status;
}

void tr_ground_release(struct tr_ground *ground)
{
    free(ground->surfaces);
    *ground = (struct tr_ground){0};
}

enum tr_status tr_cells_ground(const struct tr_cells *cells, int x, int z, double part_x, double part_z,
                               double voxel_size, struct tr_ground *ground, struct tr_error *error)
{
    struct line line = {.cells = cells, .x = x, .z = z, .voxel_size = voxel_size, .ground = ground};
    double height = 0.0, most = 0.0;

    ground->material = 0;
    ground->sculpted = false;
    ground->count = 0;
    for (int i = 0; i < 4; i++) {
        line.weights[i] = (i & 1 ? part_x : 1.0 - part_x) * (i >> 1 ? part_z : 1.0 - part_z);
        height += line.weights[i] * tr_cells_height(cells, x + (i & 1), z + (i >> 1));
        if (line.weights[i] > most) {
            most = line.weights[i];
            ground->material = tr_cells_paint(cells, x + (i & 1), z + (i >> 1));
        }
    }
    ground->height_m = height / TR_UNITS * voxel_size;
    return follow_line(&line, error);
}

enum tr_status tr_probe_ground(struct tr_cache *cache, const struct tr_world_info *info, double x_m,
                               double z_m, struct tr_ground *ground, struct tr_error *error)
{
    struct place place;
    struct tr_cells cells;
    enum tr_status status = find_place(info, x_m, z_m, &place, error);

    *ground = (struct tr_ground){0};
    if (status == TR_OK)
        status = tr_cells_hold(cache, place.cx, place.cz, &cells, error);
    if (status != TR_OK)
        return status;
    status = tr_cells_ground(&cells, place.x, place.z, place.part_x, place.part_z, info->voxel_size, ground,
                             error);
    tr_cells_release(cache, &cells);
    if (status != TR_OK)
        tr_ground_release(ground);
    return status;
}
