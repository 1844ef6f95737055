/* Height tiles: vertices equal what marching cubes makes of the field, written out naively here; borders carry the polylines that the rule
 * of the design gives; every neighbourhood draws each cell once, face up; and windows of all pairings and two LODs are closed. */
#include "tests/support/test.h"

#include "lib/base/alloc.h"
#include "lib/mesh/check.h"
#include "lib/mesh/height_tile.h"
#include "shaders/surface.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct tr_error error;

/* ---- worlds: heights in units, of all x and z ---- */

static uint32_t hash_line(int x, int z, uint32_t seed)
{
    uint32_t h = seed * 0x9e3779b9u ^ (uint32_t)x * 0x85ebca6bu ^ (uint32_t)z * 0xc2b2ae35u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

typedef int32_t height_function(int x, int z, uint32_t seed);

static int32_t smooth(int x, int z, uint32_t seed)
{
    const int a = (int)(seed % 7) - 3, b = (int)(seed % 5) - 2;
    return 40 * a * x + 60 * b * z + (x * x - 2 * z * z) * (int)(seed % 3) * 4 - 300;
}

static int32_t noise(int x, int z, uint32_t seed)
{
    return (int32_t)(hash_line(x, z, seed) % 6000) - 3000;
}

/* Whole voxels: every vertex lies one unit above its height. */
static int32_t whole(int x, int z, uint32_t seed)
{
    return 256 * ((int32_t)(hash_line(x, z, seed) % 9) - 4);
}

/* Steps of more than 128 voxels, where the field between is clamped. */
static int32_t cliffs(int x, int z, uint32_t seed)
{
    const int32_t step = (int32_t)(hash_line((x + 64) / 3, (z + 64) / 4, seed) % 3);
    return 256 * 135 * step - 35000 + (int32_t)(hash_line(x, z, seed) % 300);
}

static int32_t deep(int x, int z, uint32_t seed)
{
    return noise(x, z, seed) - 16000000;
}

static const struct world {
    const char *name;
    height_function *height;
} worlds[] = {{"smooth", smooth}, {"noise", noise}, {"whole", whole}, {"cliffs", cliffs}, {"deep", deep}};
#define WORLDS (sizeof worlds / sizeof worlds[0])

static int field_at(height_function *height, uint32_t seed, int x, int y, int z)
{
    const int64_t value = INT64_C(256) * y - height(x, z, seed);
    return value > TR_SDF_MAX ? TR_SDF_MAX : value < -TR_SDF_MAX ? -TR_SDF_MAX : (int)value;
}

/* ---- marching cubes, naively: the vertex of one edge ---- */

/* The vertex of the edge of `length` voxels from (x, y, z) along an axis, by descending to the voxel of it whose ends differ. */
static tr_vertex naive_vertex(height_function *height, uint32_t seed, int x, int y, int z, int axis,
                              int length)
{
    int p[3] = {x, y, z}, q[3];
    for (; length > 1; length /= 2) {
        memcpy(q, p, sizeof q);
        q[axis] += length / 2;
        if ((field_at(height, seed, p[0], p[1], p[2]) <= 0) ==
            (field_at(height, seed, q[0], q[1], q[2]) <= 0))
            memcpy(p, q, sizeof p);
    }
    memcpy(q, p, sizeof q);
    q[axis]++;
    const int a = field_at(height, seed, p[0], p[1], p[2]), b = field_at(height, seed, q[0], q[1], q[2]);
    int g[2][3];
    for (int i = 0; i < 3; i++) {
        const int dx = i == 0, dy = i == 1, dz = i == 2;
        g[0][i] = field_at(height, seed, p[0] + dx, p[1] + dy, p[2] + dz) -
                  field_at(height, seed, p[0] - dx, p[1] - dy, p[2] - dz);
        g[1][i] = field_at(height, seed, q[0] + dx, q[1] + dy, q[2] + dz) -
                  field_at(height, seed, q[0] - dx, q[1] - dy, q[2] - dz);
    }
    const int t = tr_crossing(a, b);
    p[0] *= 256;
    p[1] *= 256;
    p[2] *= 256;
    p[axis] += t;
    return (tr_vertex){p[0], p[1], p[2],
                       tr_normal(g[0][0], g[0][1], g[0][2], g[1][0], g[1][1], g[1][2], t, axis, a <= 0)};
}

/* The crossing of a vertical line, found by going up it. */
static tr_vertex naive_line(height_function *height, uint32_t seed, int x, int z)
{
    int y = height(x, z, seed) / 256 - 3;
    assert_true(field_at(height, seed, x, y, z) <= 0);
    while (field_at(height, seed, x, y + 1, z) <= 0)
        y++;
    return naive_vertex(height, seed, x, y, z, 1, 1);
}

static void assert_vertex(tr_vertex found, tr_vertex expected, const char *name, int x, int z)
{
    if (memcmp(&found, &expected, sizeof found) != 0)
        fail_msg("%s (%d, %d): found %d %d %d %08x, expected %d %d %d %08x", name, x, z, found.x, found.y,
                 found.z, found.normal, expected.x, expected.y, expected.z, expected.normal);
}

/* ---- grids ---- */

#define GRID_PITCH 80

/* The grid of cells (x0, z0) .. of LOD 0. */
static struct tr_height_grid grid_at(height_function *height, uint32_t seed, int x0, int z0, uint32_t cells_x,
                                     uint32_t cells_z)
{
    static int32_t heights[67 * GRID_PITCH];
    const uint32_t cells[2] = {cells_x, cells_z};
    struct tr_height_grid grid;
    for (int z = -1; z <= (int)cells_z + 1; z++) {
        for (int x = -1; x <= (int)cells_x + 1; x++)
            heights[(z + 1) * GRID_PITCH + x + 1] = height(x0 + x, z0 + z, seed);
    }
    assert_ok(tr_height_grid_from_heights(heights, GRID_PITCH, cells, &grid, &error), &error);
    return grid;
}

static void vertices_are_those_of_marching_cubes(void **state)
{
    (void)state;
    for (size_t w = 0; w < WORLDS; w++) {
        for (uint32_t seed = 1; seed < 9; seed++) {
            struct tr_height_grid grid = grid_at(worlds[w].height, seed, 0, 0, 9, 6);
            assert_int_equal(grid.lod, 0);
            assert_null(grid.materials);
            for (int z = 0; z <= 6; z++) {
                for (int x = 0; x <= 9; x++)
                    assert_vertex(grid.vertices[z * 10 + x], naive_line(worlds[w].height, seed, x, z),
                                  worlds[w].name, x, z);
            }
            tr_height_grid_release(&grid);
        }
    }
}

/* Four grids of `width` cells, the farther ones cut to far_x and far_z; 0: beyond the world. */
static void make_children(height_function *height, uint32_t seed, uint32_t width, uint32_t far_x,
                          uint32_t far_z, struct tr_height_grid grids[4],
                          const struct tr_height_grid *children[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t cells_x = i & 1 ? far_x : width, cells_z = i >> 1 ? far_z : width;
        grids[i] = (struct tr_height_grid){0};
        children[i] = NULL;
        if (cells_x == 0 || cells_z == 0)
            continue;
        grids[i] =
            grid_at(height, seed, (int)(i & 1 ? width : 0), (int)(i >> 1 ? width : 0), cells_x, cells_z);
        children[i] = &grids[i];
    }
}

static void release_grids(struct tr_height_grid grids[4])
{
    for (uint32_t i = 0; i < 4; i++)
        tr_height_grid_release(&grids[i]);
}

static void a_coarser_grid_is_every_second_vertex(void **state)
{
    (void)state;
    static const uint32_t far[][2] = {{4, 4}, {2, 4}, {4, 2}, {0, 2}, {2, 0}, {0, 0}};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        struct tr_height_grid grids[4], parent;
        const struct tr_height_grid *children[4];
        make_children(noise, 5, 4, far[i][0], far[i][1], grids, children);
        assert_ok(tr_height_grid_reduce(children, 4, &parent, &error), &error);
        assert_int_equal(parent.lod, 1);
        assert_int_equal(parent.cells[0], (4 + far[i][0]) / 2);
        assert_int_equal(parent.cells[1], (4 + far[i][1]) / 2);
        assert_null(parent.materials);
        for (uint32_t z = 0; z <= parent.cells[1]; z++) {
            for (uint32_t x = 0; x <= parent.cells[0]; x++)
                assert_vertex(parent.vertices[z * (parent.cells[0] + 1) + x],
                              naive_line(noise, 5, (int)(2 * x), (int)(2 * z)), "coarser", (int)x, (int)z);
        }
        tr_height_grid_release(&parent);
        release_grids(grids);
    }
}

static void a_coarser_grid_takes_the_materials_too(void **state)
{
    (void)state;
    struct tr_height_grid grids[4], parent;
    const struct tr_height_grid *children[4];
    make_children(noise, 5, 4, 4, 4, grids, children);
    /* child 0 stays bare: its lines are 0, also those that others share */
    for (uint32_t i = 1; i < 4; i++) {
        grids[i].materials = tr_alloc(25, 1, &error);
        assert_non_null(grids[i].materials);
        for (uint32_t line = 0; line < 25; line++) {
            const uint32_t x = line % 5 + (i & 1) * 4, z = line / 5 + (i >> 1) * 4;
            grids[i].materials[line] = x <= 4 && z <= 4 ? 0 : (uint8_t)(z * 9 + x);
        }
    }
    assert_ok(tr_height_grid_reduce(children, 4, &parent, &error), &error);
    assert_non_null(parent.materials);
    for (uint32_t z = 0; z <= 4; z++) {
        for (uint32_t x = 0; x <= 4; x++)
            assert_int_equal(parent.materials[z * 5 + x], x <= 2 && z <= 2 ? 0 : 2 * z * 9 + 2 * x);
    }
    tr_height_grid_release(&parent);
    release_grids(grids);
}

/* ---- columns of lattices ---- */

#define ROWS_MAX 512

struct column {
    struct tr_lattice lattices[ROWS_MAX];
    const struct tr_lattice *pointers[ROWS_MAX];
    struct tr_lattice_column column;
};

typedef int sample_function(height_function *height, uint32_t seed, int x, int y, int z);

/* The lattices of LOD 0 of the column whose lowest corner is (x0, z0). */
static struct column *column_at(sample_function *sample, height_function *height, uint32_t seed, int x0,
                                int z0, uint32_t width, int32_t first_row, uint32_t count)
{
    static int16_t field[TR_TILE_FIELD_SAMPLES];
    const uint32_t cells[3] = {width, width, width};
    const int last = (int)width + 1;
    struct column *made = tr_alloc(1, sizeof *made, &error);
    assert_non_null(made);
    assert_true(count <= ROWS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const int y0 = (first_row + (int32_t)i) * (int32_t)width;
        for (int y = -1; y <= last; y++) {
            for (int z = -1; z <= last; z++) {
                for (int x = -1; x <= last; x++)
                    field[tr_tile_index(x, y, z)] = (int16_t)sample(height, seed, x0 + x, y0 + y, z0 + z);
            }
        }
        assert_ok(tr_lattice_from_field(field, cells, &made->lattices[i], &error), &error);
        made->pointers[i] = &made->lattices[i];
    }
    made->column = (struct tr_lattice_column){made->pointers, first_row, count};
    return made;
}

static void free_column(struct column *column)
{
    if (!column)
        return;
    for (uint32_t i = 0; i < column->column.count; i++)
        tr_lattice_release(&column->lattices[i]);
    free(column);
}

/* The column of LOD 1 from four of LOD 0, whose first row is even and count too. */
static struct column *reduce_columns(struct column *const fine[4], uint32_t width)
{
    struct column *made = tr_alloc(1, sizeof *made, &error);
    assert_non_null(made);
    const uint32_t count = fine[0]->column.count / 2;
    for (uint32_t row = 0; row < count; row++) {
        const struct tr_lattice *children[8];
        for (uint32_t i = 0; i < 8; i++)
            children[i] = &fine[(i & 1) | (i >> 1 & 2)]->lattices[2 * row + (i >> 1 & 1)];
        assert_ok(tr_lattice_reduce(children, width, &made->lattices[row], &error), &error);
        made->pointers[row] = &made->lattices[row];
    }
    made->column = (struct tr_lattice_column){made->pointers, fine[0]->column.first_row / 2, count};
    return made;
}

/* Rows of `width` voxels, an even first one, that hold all crossings of samples within -1 .. size + 1. */
static void rows_of(height_function *height, uint32_t seed, int size, int width, int32_t *first,
                    uint32_t *count)
{
    int32_t low = INT32_MAX, high = INT32_MIN;
    for (int z = -1; z <= size + 1; z++) {
        for (int x = -1; x <= size + 1; x++) {
            const int32_t h = height(x, z, seed);
            low = h < low ? h : low;
            high = h > high ? h : high;
        }
    }
    const int32_t unit = 512 * width; /* a row of LOD 1 */
    const int32_t below = low / unit - 2, above = high / unit + 2;
    *first = 2 * below;
    *count = (uint32_t)(2 * (above - below));
}

#define GARDEN 6 /* cells a side */

/* Heights within a column, other ground all around it. */
static int sculpted_around(height_function *height, uint32_t seed, int x, int y, int z)
{
    const int value = field_at(height, seed, x, y, z);
    return x < 0 || z < 0 || x > GARDEN || z > GARDEN ? value / 2 : value;
}

/* The normal of a vertical line there, its crossing being at `place`. */
static uint32_t sculpted_normal(height_function *height, uint32_t seed, int x, int z, int32_t place)
{
    const int y = place >> 8;
    int gx[2], gz[2];
    for (int end = 0; end < 2; end++) {
        gx[end] = sculpted_around(height, seed, x + 1, y + end, z) -
                  sculpted_around(height, seed, x - 1, y + end, z);
        gz[end] = sculpted_around(height, seed, x, y + end, z + 1) -
                  sculpted_around(height, seed, x, y + end, z - 1);
    }
    return tr_normal(gx[0], 512, gz[0], gx[1], 512, gz[1], place - 256 * y, 1, true);
}

static void normals_of_the_outermost_vertices_come_from_the_lattices(void **state)
{
    (void)state;
    const uint32_t seed = 3;
    int32_t first;
    uint32_t count;
    rows_of(noise, seed, GARDEN, GARDEN, &first, &count);
    struct column *column = column_at(sculpted_around, noise, seed, 0, 0, GARDEN, first, count);
    struct tr_height_grid grid = grid_at(noise, seed, 0, 0, GARDEN, GARDEN);
    struct tr_height_grid plain = grid_at(noise, seed, 0, 0, GARDEN, GARDEN);
    tr_height_grid_take_normals(&grid, &column->column, GARDEN);
    int changed = 0;
    for (int z = 0, line = 0; z <= GARDEN; z++) {
        for (int x = 0; x <= GARDEN; x++, line++) {
            tr_vertex expected = plain.vertices[line];
            if (x == 0 || z == 0 || x == GARDEN || z == GARDEN)
                expected.normal = sculpted_normal(noise, seed, x, z, expected.y);
            changed += expected.normal != plain.vertices[line].normal;
            assert_vertex(grid.vertices[line], expected, "normal", x, z);
        }
    }
    assert_true(changed > 3 * GARDEN);
    tr_height_grid_release(&grid);
    tr_height_grid_release(&plain);
    free_column(column);
}

/* ---- borders ---- */

/* A polyline being checked: the expected vertices come one after another. */
struct expected {
    tr_vertex vertices[1 << 14];
    uint32_t count;
};

static void expect(struct expected *expected, tr_vertex vertex)
{
    assert_true(expected->count < sizeof expected->vertices / sizeof expected->vertices[0]);
    expected->vertices[expected->count++] = vertex;
}

/* The crossings between two samples `step` apart on a side whose plane is at `plane`, by the design's words: lines y = j * step in (lower
 * height, higher height], going the way the ground does. */
static void expect_crossings(struct expected *expected, height_function *height, uint32_t seed, int side,
                             int plane, int at, int step)
{
    const bool is_x = side < 2;
    const int32_t a = is_x ? height(plane, at, seed) : height(at, plane, seed);
    const int32_t b = is_x ? height(plane, at + step, seed) : height(at + step, plane, seed);
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    int line = low / 256 - 2 * step;
    line -= ((line % step) + step) % step;
    uint32_t first = expected->count;
    for (; 256 * line <= high; line += step) {
        if (256 * line > low)
            expect(expected, is_x ? naive_vertex(height, seed, plane, line, at, 2, step)
                                  : naive_vertex(height, seed, at, line, plane, 0, step));
    }
    for (uint32_t last = expected->count; a > b && first + 1 < last; first++) {
        const tr_vertex vertex = expected->vertices[first];
        expected->vertices[first] = expected->vertices[--last];
        expected->vertices[last] = vertex;
    }
}

static void assert_cell(const struct tr_height_border *border, uint32_t cell, const struct expected *expected,
                        const char *name)
{
    const uint32_t count = border->first ? border->first[cell + 1] - border->first[cell] : 0;
    if (count != expected->count)
        fail_msg("%s cell %u: found %u vertices, expected %u", name, cell, count, expected->count);
    for (uint32_t i = 0; i < count; i++)
        assert_vertex(border->vertices[border->first[cell] + i], expected->vertices[i], name, (int)cell,
                      (int)i);
}

#define WIDTH 4
#define SPAN (2 * WIDTH) /* voxels of a column of LOD 1 */

/* One column of LOD 1 with its four children, as grids and as lattices. */
struct family {
    struct column *fine[4], *coarse;
    struct tr_lattice_column fine_columns[4];
    struct tr_height_grid grids[4], grid;
    const struct tr_height_grid *children[4];
};

static void make_family(height_function *height, uint32_t seed, struct family *family)
{
    int32_t first;
    uint32_t count;
    rows_of(height, seed, SPAN, WIDTH, &first, &count);
    for (int i = 0; i < 4; i++) {
        family->fine[i] =
            column_at(field_at, height, seed, (i & 1) * WIDTH, (i >> 1) * WIDTH, WIDTH, first, count);
        family->fine_columns[i] = family->fine[i]->column;
    }
    family->coarse = reduce_columns(family->fine, WIDTH);
    make_children(height, seed, WIDTH, WIDTH, WIDTH, family->grids, family->children);
    assert_ok(tr_height_grid_reduce(family->children, WIDTH, &family->grid, &error), &error);
}

static void release_family(struct family *family)
{
    for (int i = 0; i < 4; i++)
        free_column(family->fine[i]);
    free_column(family->coarse);
    release_grids(family->grids);
    tr_height_grid_release(&family->grid);
}

static void a_marched_neighbour_splits_by_its_crossings_in_order(void **state)
{
    (void)state;
    static struct expected expected;
    for (size_t w = 0; w + 1 < WORLDS; w++) {
        for (uint32_t seed = 1; seed < 4; seed++) {
            struct family family;
            make_family(worlds[w].height, seed, &family);
            for (uint32_t lod = 0; lod < 2; lod++) {
                const struct column *column = lod ? family.coarse : family.fine[0];
                for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
                    struct tr_height_border border;
                    assert_ok(tr_height_border_crossings(&column->column, WIDTH, side, &border, &error),
                              &error);
                    for (uint32_t cell = 0; cell < WIDTH; cell++) {
                        expected.count = 0;
                        expect_crossings(&expected, worlds[w].height, seed, (int)side,
                                         side & 1 ? WIDTH << lod : 0, (int)(cell << lod), 1 << lod);
                        assert_cell(&border, cell, &expected, worlds[w].name);
                    }
                    tr_height_border_release(&border);
                }
            }
            release_family(&family);
        }
    }
}

static void a_finer_side_is_decided_for_each_half(void **state)
{
    (void)state;
    static struct expected expected;
    for (size_t w = 0; w + 1 < WORLDS; w++) {
        const uint32_t seed = 7;
        struct family family;
        make_family(worlds[w].height, seed, &family);
        for (uint32_t pick = 0; pick < 4 * TR_COLUMN_SIDES; pick++) {
            const uint32_t side = pick / 4;
            const bool marched[2] = {pick & 1, pick >> 1 & 1};
            const int plane = side & 1 ? SPAN : 0;
            struct tr_height_border border;
            assert_ok(tr_height_border_finer(family.children, family.fine_columns, WIDTH, side, marched,
                                             &border, &error),
                      &error);
            for (uint32_t cell = 0; cell < WIDTH; cell++) {
                const int at = (int)(2 * cell);
                const bool is_marched = marched[cell >= WIDTH / 2];
                expected.count = 0;
                if (is_marched)
                    expect_crossings(&expected, worlds[w].height, seed, (int)side, plane, at, 1);
                expect(&expected, side < 2 ? naive_line(worlds[w].height, seed, plane, at + 1)
                                           : naive_line(worlds[w].height, seed, at + 1, plane));
                if (is_marched)
                    expect_crossings(&expected, worlds[w].height, seed, (int)side, plane, at + 1, 1);
                assert_cell(&border, cell, &expected, worlds[w].name);
            }
            tr_height_border_release(&border);
        }
        release_family(&family);
    }
}

static void a_finer_side_of_a_cut_column_ends_with_it(void **state)
{
    (void)state;
    static struct expected expected;
    static const uint32_t far_x[] = {0, 2};
    for (size_t i = 0; i < 2; i++) {
        const uint32_t width_x = WIDTH + far_x[i];
        struct tr_height_grid grids[4];
        const struct tr_height_grid *children[4];
        const struct tr_lattice_column none[4] = {0};
        const bool marched[2] = {false, false};
        make_children(noise, 8, WIDTH, far_x[i], WIDTH, grids, children);
        for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
            const uint32_t cells = side < 2 ? WIDTH : width_x / 2;
            const int plane = side == 1 ? (int)width_x : side == 3 ? SPAN : 0;
            struct tr_height_border border;
            assert_ok(tr_height_border_finer(children, none, WIDTH, side, marched, &border, &error), &error);
            for (uint32_t cell = 0; cell < cells; cell++) {
                const int at = (int)(2 * cell + 1);
                expected.count = 0;
                expect(&expected,
                       side < 2 ? naive_line(noise, 8, plane, at) : naive_line(noise, 8, at, plane));
                assert_cell(&border, cell, &expected, "cut");
            }
            tr_height_border_release(&border);
        }
        release_grids(grids);
    }
}

/* ---- drawing, apart from tile_mesh.c ---- */

/* The triangles of a tile in one neighbourhood; a group of cells is named by the sides it touches, so each cell's triangles must come from
 * one part. */
struct drawing {
    uint32_t *indices;
    uint32_t count;
};

static struct drawing draw(const struct tr_tile_mesh *tile, const uint8_t states[TR_SIDES])
{
    struct drawing drawing = {tr_alloc(tile->index_count + 1, sizeof(uint32_t), &error), 0};
    assert_non_null(drawing.indices);
    for (uint32_t p = 0; p < tile->part_count; p++) {
        const struct tr_tile_part *part = &tile->parts[p];
        bool is_drawn = true;
        assert_int_equal(part->face, TR_PART_SURFACE);
        for (int side = 0; side < TR_SIDES; side++)
            is_drawn &= (part->states[side] & states[side]) != 0;
        if (!is_drawn)
            continue;
        memcpy(drawing.indices + drawing.count, tile->indices + part->first_index,
               part->index_count * sizeof(uint32_t));
        drawing.count += part->index_count;
    }
    return drawing;
}

/* Twice the area of a triangle seen from above, positive where it faces up. */
static int64_t area_from_above(const tr_vertex *a, const tr_vertex *b, const tr_vertex *c)
{
    const int64_t bx = b->x - a->x, bz = b->z - a->z, cx = c->x - a->x, cz = c->z - a->z;
    return bz * cx - bx * cz;
}

static int32_t least(int32_t a, int32_t b, int32_t c)
{
    const int32_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static bool is_within(const tr_vertex *v, int32_t x, int32_t z, int32_t unit)
{
    return v->x >= x && v->z >= z && v->x <= x + unit && v->z <= z + unit;
}

/* No triangle faces down, each lies within one cell, and those of a cell add up to it and are two and one for each extra vertex. */
static void assert_cells_are_drawn_once(const struct tr_tile_mesh *tile, const struct drawing *drawing,
                                        const uint32_t cells[2], const uint32_t *expected_triangles)
{
    const int32_t unit = 256 << tile->lod;
    int64_t areas[TR_TILE_CELLS * TR_TILE_CELLS] = {0};
    uint32_t triangles[TR_TILE_CELLS * TR_TILE_CELLS] = {0};
    for (uint32_t i = 0; i < drawing->count; i += 3) {
        const tr_vertex *v[3];
        for (int c = 0; c < 3; c++) {
            assert_true(drawing->indices[i + (uint32_t)c] < tile->vertex_count);
            v[c] = &tile->vertices[drawing->indices[i + (uint32_t)c]];
        }
        const int64_t area = area_from_above(v[0], v[1], v[2]);
        const int32_t x = least(v[0]->x, v[1]->x, v[2]->x), z = least(v[0]->z, v[1]->z, v[2]->z);
        if (area < 0)
            fail_msg("triangle at %d, %d faces down: %" PRId64, x, z, area);
        for (int c = 0; c < 3; c++)
            assert_true(is_within(v[c], x / unit * unit, z / unit * unit, unit));
        const uint32_t cell = (uint32_t)(z / unit) * cells[0] + (uint32_t)(x / unit);
        areas[cell] += area;
        triangles[cell]++;
    }
    for (uint32_t cell = 0; cell < cells[0] * cells[1]; cell++) {
        assert_int_equal(areas[cell], 2 * (int64_t)unit * unit);
        assert_int_equal(triangles[cell], expected_triangles[cell]);
    }
}

static void no_triangle_lies_in_a_side(const struct tr_tile_mesh *tile, const struct drawing *drawing)
{
    for (uint32_t i = 0; i < drawing->count; i += 3) {
        const tr_vertex *a = &tile->vertices[drawing->indices[i]],
                        *b = &tile->vertices[drawing->indices[i + 1]],
                        *c = &tile->vertices[drawing->indices[i + 2]];
        assert_false(a->x == b->x && b->x == c->x && (a->x == 0 || a->x == tile->size[0]));
        assert_false(a->z == b->z && b->z == c->z && (a->z == 0 || a->z == tile->size[2]));
    }
}

/* The open edge that begins at `from`; fails unless there is exactly one. */
static uint32_t open_edge_from(const struct drawing *drawing, uint32_t from)
{
    uint32_t end = UINT32_MAX;
    for (uint32_t i = 0; i < drawing->count; i++) {
        const uint32_t a = drawing->indices[i], b = drawing->indices[i % 3 == 2 ? i - 2 : i + 1];
        bool has_opposite = false;
        for (uint32_t j = 0; a == from && j < drawing->count; j++)
            has_opposite |= drawing->indices[j] == b && drawing->indices[j % 3 == 2 ? j - 2 : j + 1] == a;
        if (a != from || has_opposite)
            continue;
        assert_int_equal(end, UINT32_MAX);
        end = b;
    }
    assert_int_not_equal(end, UINT32_MAX);
    return end;
}

/* ---- tiles with borders made by hand ---- */

/* A border with 0 to 3 vertices a cell, weakly ascending along the side, at any height. */
static struct tr_height_border random_border(const struct tr_height_grid *grid, uint32_t side, uint32_t seed)
{
    const uint32_t cells = grid->cells[side < 2];
    struct tr_height_border border = {.first = tr_alloc(cells + 1, sizeof(uint32_t), &error),
                                      .vertices = tr_alloc((size_t)3 * cells, sizeof(tr_vertex), &error),
                                      .materials = tr_alloc((size_t)3 * cells, 1, &error)};
    assert_true(border.first && border.vertices && border.materials);
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < cells; cell++) {
        const uint32_t many = hash_line((int)cell, (int)side, seed) % 4;
        for (uint32_t i = 0; i < many; i++, count++) {
            const int32_t along = (int32_t)(256 * cell + 60 * (i + 1) - (i == 2 ? 60 : 0));
            const int32_t across = side & 1 ? (int32_t)(256 * grid->cells[side >> 1]) : 0;
            border.vertices[count] =
                (tr_vertex){side < 2 ? across : along, noise((int)count, (int)side, seed),
                            side < 2 ? along : across, hash_line((int)count, 7, seed)};
            border.materials[count] = (uint8_t)(1 + count);
        }
        border.first[cell + 1] = count;
    }
    return border;
}

struct tile {
    struct tr_height_grid grid;
    struct tr_height_border borders[TR_COLUMN_SIDES][3];
    uint8_t states[TR_COLUMN_SIDES];
    struct tr_tile_mesh mesh;
    int32_t row;
};

static void build(struct tile *tile, uint32_t width)
{
    assert_ok(tr_height_tile_build(&tile->grid, (const struct tr_height_border(*)[3])tile->borders,
                                   tile->states, width, &tile->row, &tile->mesh, &error),
              &error);
}

static void release_tile(struct tile *tile)
{
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        for (uint32_t state = 0; state < 3; state++)
            tr_height_border_release(&tile->borders[side][state]);
    }
    tr_height_grid_release(&tile->grid);
    tr_tile_mesh_release(&tile->mesh);
}

/* All sides may have any state and every border is another one; a side that would be opposite a split one in a tile of one cell is the
 * world's edge. */
static struct tile random_tile(uint32_t cells_x, uint32_t cells_z, uint32_t seed)
{
    struct tile tile = {.grid = grid_at(noise, seed, 0, 0, cells_x, cells_z)};
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        const bool is_edge = (side == 1 && cells_x == 1) || (side == 3 && cells_z == 1);
        tile.states[side] = is_edge ? TR_SIDE_SAME : TR_SIDE_ANY;
        for (uint32_t state = 0; state < 3 && !is_edge; state++)
            tile.borders[side][state] = random_border(&tile.grid, side, seed + 31 * state + side);
    }
    build(&tile, 16);
    return tile;
}

/* The k-th combination of legal states; false beyond the last. */
static bool pick_states(const struct tile *tile, uint32_t k, uint8_t states[TR_SIDES])
{
    memset(states, TR_SIDE_SAME, TR_SIDES);
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        uint8_t legal[3];
        uint32_t count = 0;
        for (uint32_t state = 0; state < 3; state++) {
            if (tile->states[side] >> state & 1)
                legal[count++] = (uint8_t)(1u << state);
        }
        states[tr_column_side(side)] = legal[k % count];
        k /= count;
    }
    return k == 0;
}

static const struct tr_height_border *border_in(const struct tile *tile, uint32_t side,
                                                const uint8_t states[TR_SIDES])
{
    const uint8_t state = states[tr_column_side(side)];
    return &tile->borders[side][state == TR_SIDE_SAME ? 0 : state == TR_SIDE_FINER ? 1 : 2];
}

static uint32_t extras(const struct tr_height_border *border, uint32_t cell)
{
    return border->first ? border->first[cell + 1] - border->first[cell] : 0;
}

static void count_expected(const struct tile *tile, const uint8_t states[TR_SIDES], uint32_t *triangles)
{
    const uint32_t cells_x = tile->grid.cells[0], cells_z = tile->grid.cells[1];
    for (uint32_t cell = 0; cell < cells_x * cells_z; cell++)
        triangles[cell] = 2;
    for (uint32_t z = 0; z < cells_z; z++) {
        triangles[z * cells_x] += extras(border_in(tile, 0, states), z);
        triangles[z * cells_x + cells_x - 1] += extras(border_in(tile, 1, states), z);
    }
    for (uint32_t x = 0; x < cells_x; x++) {
        triangles[x] += extras(border_in(tile, 2, states), x);
        triangles[(cells_z - 1) * cells_x + x] += extras(border_in(tile, 3, states), x);
    }
}

static const uint32_t shapes[][2] = {{5, 4}, {2, 2}, {3, 1}, {1, 3}, {1, 1}, {2, 5}};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static void every_neighbourhood_draws_each_cell_once_face_up(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3 * SHAPES; i++) {
        struct tile tile = random_tile(shapes[i % SHAPES][0], shapes[i % SHAPES][1], 100 + i);
        uint8_t states[TR_SIDES];
        uint32_t combinations = 0;
        for (uint32_t k = 0; pick_states(&tile, k, states); k++, combinations++) {
            uint32_t expected[TR_TILE_CELLS * TR_TILE_CELLS];
            struct drawing drawing = draw(&tile.mesh, states);
            count_expected(&tile, states, expected);
            assert_cells_are_drawn_once(&tile.mesh, &drawing, tile.grid.cells, expected);
            no_triangle_lies_in_a_side(&tile.mesh, &drawing);
            free(drawing.indices);
        }
        assert_int_equal(combinations,
                         (tile.grid.cells[0] == 1 ? 27 : 81) / (tile.grid.cells[1] == 1 ? 3 : 1));
        release_tile(&tile);
    }
}

/* Walks the open edges of a drawing along a side, from its first to its last corner in the direction that faces up, and compares them with
 * the grid's and border's vertices. */
static void assert_polyline(const struct tile *tile, const struct drawing *drawing, uint32_t side,
                            const struct tr_height_border *border)
{
    const uint32_t cells_x = tile->grid.cells[0], cells_z = tile->grid.cells[1], pitch = cells_x + 1;
    const uint32_t cells = side < 2 ? cells_z : cells_x, step = side < 2 ? pitch : 1;
    const uint32_t origin = side == 1 ? cells_x : side == 3 ? cells_z * pitch : 0;
    const bool ascends = side == 0 || side == 3;
    const int32_t base = tile->row * 16 * 256;
    uint32_t at = ascends ? origin : origin + cells * step;
    for (uint32_t i = 0; i < cells; i++) {
        const uint32_t cell = ascends ? i : cells - 1 - i, many = extras(border, cell);
        for (uint32_t j = 0; j < many; j++) {
            const uint32_t from = border->first[cell] + (ascends ? j : many - 1 - j);
            at = open_edge_from(drawing, at);
            tr_vertex found = tile->mesh.vertices[at];
            found.y += base;
            assert_vertex(found, border->vertices[from], "polyline", (int)side, (int)cell);
            assert_int_equal(tile->mesh.materials[at], border->materials[from]);
        }
        at = open_edge_from(drawing, at);
        assert_int_equal(at, origin + (ascends ? cell + 1 : cell) * step);
    }
}

static void polylines_are_the_open_edges_of_the_mesh(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SHAPES; i++) {
        struct tile tile = random_tile(shapes[i][0], shapes[i][1], 500 + i);
        uint8_t states[TR_SIDES];
        for (uint32_t k = 0; pick_states(&tile, k, states); k++) {
            struct drawing drawing = draw(&tile.mesh, states);
            for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++)
                assert_polyline(&tile, &drawing, side, border_in(&tile, side, states));
            free(drawing.indices);
        }
        release_tile(&tile);
    }
}

static void cells_that_are_not_split_keep_one_diagonal(void **state)
{
    (void)state;
    struct tile tile = random_tile(5, 4, 900);
    uint8_t states[TR_SIDES];
    uint32_t plain = 0;
    for (uint32_t k = 0; pick_states(&tile, k, states); k++) {
        uint32_t expected[20];
        struct drawing drawing = draw(&tile.mesh, states);
        count_expected(&tile, states, expected);
        for (uint32_t cell = 0; cell < 20; cell++) {
            const uint32_t low = cell / 5 * 6 + cell % 5;
            const uint32_t both[6] = {low, low + 6, low + 7, low, low + 7, low + 1};
            bool is_there = false;
            for (uint32_t i = 0; i + 6 <= drawing.count; i += 3)
                is_there |= memcmp(drawing.indices + i, both, sizeof both) == 0;
            assert_int_equal(is_there, expected[cell] == 2);
            plain += is_there;
        }
        free(drawing.indices);
    }
    assert_true(plain > 0);
    release_tile(&tile);
}

/* ---- parts ---- */

static void states_that_draw_the_same_share_a_part(void **state)
{
    (void)state;
    struct tile tile = {.grid = grid_at(noise, 1, 0, 0, 4, 4)};
    memset(tile.states, TR_SIDE_ANY, sizeof tile.states);
    build(&tile, 16);
    assert_int_equal(tile.mesh.part_count, 9); /* nothing splits: inside, four sides, four corners */
    assert_int_equal(tile.mesh.vertex_count, 25);
    for (uint32_t p = 0; p < 9; p++) {
        for (int side = 0; side < TR_SIDES; side++)
            assert_int_equal(tile.mesh.parts[p].states[side], TR_SIDE_ANY);
    }
    assert_int_equal(tile.mesh.parts[0].index_count, 4 * 6);
    tr_tile_mesh_release(&tile.mesh);

    /* -x: same and coarser are the same vertices; the finer border splits cells 1 and 2 only, not the corners */
    uint32_t first[2][5] = {{0, 1, 2, 3, 4}, {0, 0, 1, 2, 2}};
    tr_vertex vertices[4] = {{0, 1, 100, 0}, {0, 2, 400, 0}, {0, 3, 600, 0}, {0, 4, 900, 0}};
    tile.borders[0][0] = tile.borders[0][2] = (struct tr_height_border){first[0], vertices, NULL};
    tile.borders[0][1] = (struct tr_height_border){first[1], vertices + 1, NULL};
    tile.states[1] = TR_SIDE_SAME;
    build(&tile, 16);
    static const uint8_t
        expected[][TR_COLUMN_SIDES] =
            {
                {7, 7, 7, 7}, {7, 7, 7, 7},
                {7, 1, 7, 7}, /* inner; then -x, whose three states are the same but in the corners; +x */
                {7, 7, 7, 7}, {5, 7, 7, 7},
                {2, 7, 7, 7}, {7, 1, 7, 7}, /* -z, its corners with -x, and with +x */
                {7, 7, 7, 7}, {5, 7, 7, 7},
                {2, 7, 7, 7}, {7, 1, 7, 7}, /* +z */
            };
    assert_int_equal(tile.mesh.part_count, sizeof expected / sizeof expected[0]);
    for (uint32_t p = 0; p < tile.mesh.part_count; p++) {
        for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++)
            assert_int_equal(tile.mesh.parts[p].states[tr_column_side(side)], expected[p][side]);
    }
    assert_int_equal(tile.mesh.vertex_count, 25 + 4);
    memset(tile.borders, 0, sizeof tile.borders);
    release_tile(&tile);
}

static void states_that_differ_have_parts_of_their_own(void **state)
{
    (void)state;
    struct tile tile = {.grid = grid_at(noise, 1, 0, 0, 4, 4)};
    uint32_t first[5] = {0, 1, 2, 3, 4}, indices = 0;
    tr_vertex vertices[TR_COLUMN_SIDES][3][4];
    memset(tile.states, TR_SIDE_ANY, sizeof tile.states);
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        for (uint32_t s = 0; s < 3; s++) {
            for (int i = 0; i < 4; i++)
                vertices[side][s][i] = (tr_vertex){(int)(side & 1) * 1024, (int)s, 256 * i + 100, 0};
            tile.borders[side][s] = (struct tr_height_border){first, vertices[side][s], NULL};
        }
    }
    build(&tile, 16);
    assert_int_equal(tile.mesh.part_count, 1 + 4 * 3 + 4 * 9);
    assert_int_equal(tile.mesh.vertex_count, 25 + 4 * 3 * 4);
    for (uint32_t p = 0; p < tile.mesh.part_count; p++) {
        assert_int_equal(tile.mesh.parts[p].first_index, indices);
        indices += tile.mesh.parts[p].index_count;
    }
    assert_int_equal(indices, tile.mesh.index_count);
    memset(tile.borders, 0, sizeof tile.borders);
    release_tile(&tile);
}

static void heights_are_relative_to_the_row_of_the_lowest_vertex(void **state)
{
    (void)state;
    for (int32_t low = -2; low <= 2; low++) {
        struct tile tile = {.grid = grid_at(noise, 2, 0, 0, 3, 2), .states = {1, 1, 1, 1}};
        int32_t lowest = INT32_MAX;
        for (uint32_t i = 0; i < 12; i++)
            lowest = tile.grid.vertices[i].y < lowest ? tile.grid.vertices[i].y : lowest;
        for (uint32_t i = 0; i < 12; i++)
            tile.grid.vertices[i].y += 8 * 256 * low + 5 - lowest;
        build(&tile, 8);
        assert_int_equal(tile.row, low);
        for (uint32_t i = 0; i < 12; i++)
            assert_int_equal(tile.mesh.vertices[i].y, tile.grid.vertices[i].y - 8 * 256 * low);
        assert_int_equal(tile.mesh.kind, TR_TILE_HEIGHTS);
        assert_int_equal(tile.mesh.size[0], 3 * 256);
        assert_int_equal(tile.mesh.size[1], 0);
        assert_int_equal(tile.mesh.size[2], 2 * 256);
        release_tile(&tile);
    }
}

static int32_t flat(int x, int z, uint32_t seed)
{
    (void)x, (void)z, (void)seed;
    return 32 * 256;
}

static void a_flat_world_at_an_integer_height_doubles_no_vertex(void **state)
{
    (void)state;
    struct tile tile = {.grid = grid_at(flat, 0, 0, 0, 64, 64), .states = {1, 1, 1, 1}};
    static uint32_t expected[TR_TILE_CELLS * TR_TILE_CELLS];
    const uint8_t states[TR_SIDES] = {1, 1, 1, 1, 1, 1};
    build(&tile, 64);
    assert_int_equal(tile.row, 0);
    assert_int_equal(tile.mesh.vertex_count, 65 * 65);
    struct drawing drawing = draw(&tile.mesh, states);
    assert_int_equal(drawing.count, 3 * 8192);
    for (uint32_t cell = 0; cell < TR_TILE_CELLS * TR_TILE_CELLS; cell++)
        expected[cell] = 2;
    assert_cells_are_drawn_once(&tile.mesh, &drawing, tile.grid.cells, expected);
    for (uint32_t i = 0; i < drawing.count; i += 3) {
        const uint32_t *t = drawing.indices + i;
        const tr_vertex *v = tile.mesh.vertices;
        assert_int_equal(area_from_above(&v[t[0]], &v[t[1]], &v[t[2]]), 256 * 256);
    }
    for (uint32_t i = 0; i < tile.mesh.vertex_count; i++)
        assert_int_equal(tile.mesh.vertices[i].y, 32 * 256 + 1);
    free(drawing.indices);
    release_tile(&tile);
}

/* ---- windows ---- */

#define COARSE 2 /* columns of LOD 1 along a side of the world */
#define FINE (2 * COARSE)

/* A world of heights at two LODs, all that any choice of columns needs. */
struct window {
    struct column *columns[2][FINE * FINE]; /* by LOD, then z * (columns along a side) + x */
    struct tr_height_grid grids[2][FINE * FINE];
    /* the choice */
    bool is_fine[COARSE * COARSE];
    bool is_marched[2][FINE * FINE];
    struct tr_check *check;
    tr_vertex *vertices; /* of all meshes, in the world */
    size_t vertex_count, vertex_capacity;
};

static int along(uint32_t lod)
{
    return lod ? COARSE : FINE;
}

/* The number in LOD 0 of child i (0..3) of column (x, z) of LOD 1. */
static int child_of(int x, int z, uint32_t i)
{
    return (2 * z + (int)(i >> 1)) * FINE + 2 * x + (int)(i & 1);
}

static void make_window(height_function *height, uint32_t seed, struct window *window)
{
    int32_t first;
    uint32_t count;
    rows_of(height, seed, FINE * WIDTH, WIDTH, &first, &count);
    for (int i = 0; i < FINE * FINE; i++) {
        const int x = i % FINE * WIDTH, z = i / FINE * WIDTH;
        window->columns[0][i] = column_at(field_at, height, seed, x, z, WIDTH, first, count);
        window->grids[0][i] = grid_at(height, seed, x, z, WIDTH, WIDTH);
    }
    for (int i = 0; i < COARSE * COARSE; i++) {
        struct column *fine[4];
        const struct tr_height_grid *children[4];
        for (uint32_t j = 0; j < 4; j++) {
            const int child = child_of(i % COARSE, i / COARSE, j);
            fine[j] = window->columns[0][child];
            children[j] = &window->grids[0][child];
        }
        window->columns[1][i] = reduce_columns(fine, WIDTH);
        assert_ok(tr_height_grid_reduce(children, WIDTH, &window->grids[1][i], &error), &error);
    }
}

static void release_window(struct window *window)
{
    for (int i = 0; i < FINE * FINE; i++) {
        free_column(window->columns[0][i]);
        free_column(window->columns[1][i]);
        tr_height_grid_release(&window->grids[0][i]);
        tr_height_grid_release(&window->grids[1][i]);
    }
    free(window->vertices);
}

struct neighbour {
    uint8_t state;
    bool is_marched[2]; /* the second: of two finer ones */
};

/* What lies beside column (x, z) of a LOD. */
static struct neighbour neighbour_of(const struct window *window, uint32_t lod, int x, int z, uint32_t side)
{
    static const int steps[TR_COLUMN_SIDES][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    x += steps[side][0];
    z += steps[side][1];
    if (x < 0 || z < 0 || x >= along(lod) || z >= along(lod))
        return (struct neighbour){.state = TR_SIDE_SAME};
    const int coarse = lod ? z * COARSE + x : z / 2 * COARSE + x / 2;
    if (window->is_fine[coarse] == (lod == 0))
        return (struct neighbour){TR_SIDE_SAME, {window->is_marched[lod][z * along(lod) + x]}};
    if (lod == 0)
        return (struct neighbour){TR_SIDE_COARSER, {window->is_marched[1][coarse]}};
    struct neighbour finer = {.state = TR_SIDE_FINER};
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t facing = side & 1 ? 0 : 1; /* its children's near plane to this side */
        const uint32_t child = side < 2 ? facing | half << 1 : half | facing << 1;
        finer.is_marched[half] = window->is_marched[0][child_of(x, z, child)];
    }
    return finer;
}

/* The most by which area_from_above can change where each corner is rounded to a unit. */
static int64_t rounding_of_area(const tr_vertex *a, const tr_vertex *b, const tr_vertex *c)
{
    const int64_t around = labs((long)a->x - b->x) + labs((long)b->x - c->x) + labs((long)c->x - a->x) +
                           labs((long)a->z - b->z) + labs((long)b->z - c->z) + labs((long)c->z - a->z);
    return around / 2 + 2;
}

/* Vertices beside a finer neighbour have moved and are rounded: upright triangles may lean over by that, no others and no more. */
static void no_triangle_faces_down(const struct tr_mesh *mesh, bool has_moved)
{
    for (uint32_t i = 0; i < mesh->index_count; i += 3) {
        const tr_vertex *a = &mesh->vertices[mesh->indices[i]], *b = &mesh->vertices[mesh->indices[i + 1]],
                        *c = &mesh->vertices[mesh->indices[i + 2]];
        const int64_t area = area_from_above(a, b, c);
        if (area < (has_moved ? -rounding_of_area(a, b, c) : 0))
            fail_msg("triangle %u faces down by %" PRId64 ": %d %d %d, %d %d %d, %d %d %d", i / 3, area, a->x,
                     a->y, a->z, b->x, b->y, b->z, c->x, c->y, c->z);
    }
}

/* Adds one tile as it is drawn in its neighbourhood. */
static void add_tile(struct window *window, const struct tr_tile_mesh *tile, const uint8_t states[TR_SIDES],
                     int x, int z, int32_t row)
{
    struct tr_mesh mesh = {0};
    const int32_t unit = WIDTH * 256 << tile->lod; /* the tile's width */
    assert_ok(tr_tile_mesh_assemble(tile, states, &mesh, &error), &error);
    no_triangle_faces_down(&mesh, tile->move_count > 0);
    const size_t first = window->vertex_count;
    window->vertex_count += mesh.vertex_count;
    assert_ok(
        tr_grow(&window->vertices, &window->vertex_capacity, window->vertex_count, sizeof(tr_vertex), &error),
        &error);
    int64_t *xyz = tr_alloc((size_t)3 * mesh.vertex_count, sizeof *xyz, &error);
    assert_non_null(xyz);
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        tr_vertex vertex = mesh.vertices[i];
        vertex.x += x * unit;
        vertex.y += row * unit;
        vertex.z += z * unit;
        window->vertices[first + i] = vertex;
        xyz[3 * i] = vertex.x;
        xyz[3 * i + 1] = vertex.y;
        xyz[3 * i + 2] = vertex.z;
    }
    assert_ok(tr_check_add(window->check, xyz, mesh.vertex_count, mesh.indices, mesh.index_count, &error),
              &error);
    free(xyz);
    tr_mesh_release(&mesh);
}

#define VERTICAL_SIDES 0x33u /* -x, +x, -z, +z */

static void add_marched(struct window *window, uint32_t lod, int x, int z, const uint8_t states[TR_SIDES])
{
    const struct column *column = window->columns[lod][z * along(lod) + x];
    uint32_t transitions = 0;
    for (uint32_t side = 0; side < TR_SIDES; side++)
        transitions |= (states[side] == TR_SIDE_FINER ? 1u : 0u) << side;
    for (uint32_t row = 0; row < column->column.count; row++) {
        const struct tr_lattice *finer[8] = {0};
        struct tr_tile_mesh tile = {0};
        for (uint32_t i = 0; lod > 0 && i < 8; i++)
            finer[i] =
                &window->columns[0][child_of(x, z, (i & 1) | (i >> 1 & 2))]->lattices[2 * row + (i >> 1 & 1)];
        assert_ok(tr_tile_mesh_build(&column->lattices[row], lod ? finer : NULL, WIDTH, VERTICAL_SIDES,
                                     transitions, &tile, &error),
                  &error);
        add_tile(window, &tile, states, x, z, column->column.first_row + (int32_t)row);
        tr_tile_mesh_release(&tile);
    }
}

static void add_heights(struct window *window, uint32_t lod, int x, int z, const uint8_t states[TR_SIDES],
                        const struct neighbour neighbours[TR_COLUMN_SIDES])
{
    const int number = z * along(lod) + x;
    const struct tr_height_grid *children[4] = {0};
    struct tr_lattice_column columns[4] = {0};
    struct tile tile = {.grid = window->grids[lod][number]};
    for (uint32_t i = 0; lod > 0 && i < 4; i++) {
        children[i] = &window->grids[0][child_of(x, z, i)];
        columns[i] = window->columns[0][child_of(x, z, i)]->column;
    }
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        const struct neighbour *beside = &neighbours[side];
        tile.states[side] = beside->state;
        if (beside->state == TR_SIDE_FINER)
            assert_ok(tr_height_border_finer(children, columns, WIDTH, side, beside->is_marched,
                                             &tile.borders[side][1], &error),
                      &error);
        else if (beside->is_marched[0])
            assert_ok(tr_height_border_crossings(&window->columns[lod][number]->column, WIDTH, side,
                                                 &tile.borders[side][beside->state == TR_SIDE_SAME ? 0 : 2],
                                                 &error),
                      &error);
    }
    build(&tile, WIDTH);
    add_tile(window, &tile.mesh, states, x, z, tile.row);
    tile.grid = (struct tr_height_grid){0}; /* the window's */
    release_tile(&tile);
}

static void add_column(struct window *window, uint32_t lod, int x, int z)
{
    struct neighbour neighbours[TR_COLUMN_SIDES];
    uint8_t states[TR_SIDES] = {[2] = TR_SIDE_SAME, [3] = TR_SIDE_SAME};
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++) {
        neighbours[side] = neighbour_of(window, lod, x, z, side);
        states[tr_column_side(side)] = neighbours[side].state;
    }
    if (window->is_marched[lod][z * along(lod) + x])
        add_marched(window, lod, x, z, states);
    else
        add_heights(window, lod, x, z, states, neighbours);
}

static int compare_places(const void *a, const void *b)
{
    const tr_vertex *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return (p->z > q->z) - (p->z < q->z);
}

static void vertices_of_one_place_have_one_normal(struct window *window, const char *name)
{
    qsort(window->vertices, window->vertex_count, sizeof(tr_vertex), compare_places);
    for (size_t i = 1; i < window->vertex_count; i++) {
        const tr_vertex *a = &window->vertices[i - 1], *b = &window->vertices[i];
        if (compare_places(a, b) == 0 && a->normal != b->normal)
            fail_msg("%s: normals %08x and %08x at %d %d %d", name, a->normal, b->normal, a->x, a->y, a->z);
    }
}

/* Meshes the window as chosen and judges it. */
static void assert_window_is_closed(struct window *window, const char *name, uint32_t seed, uint32_t choice)
{
    const int64_t lo[2] = {0, 0}, hi[2] = {FINE * WIDTH * 256, FINE * WIDTH * 256};
    struct tr_check_result r;
    window->vertex_count = 0;
    assert_ok(tr_check_create(lo, hi, &window->check, &error), &error);
    for (int i = 0; i < COARSE * COARSE; i++) {
        const int x = i % COARSE, z = i / COARSE;
        if (!window->is_fine[i])
            add_column(window, 1, x, z);
        for (uint32_t j = 0; window->is_fine[i] && j < 4; j++)
            add_column(window, 0, 2 * x + (int)(j & 1), 2 * z + (int)(j >> 1));
    }
    assert_ok(tr_check_finish(window->check, &r, &error), &error);
    if (r.triangles == 0 || r.open_edges || r.crowded_edges || r.duplicates || r.degenerates || r.pinches)
        fail_msg("%s seed %u choice %x: open %" PRIu64 " crowded %" PRIu64 " duplicates %" PRIu64
                 " degenerates %" PRIu64 " pinches %" PRIu64 "; first open %" PRId64 " %" PRId64 " %" PRId64
                 " to %" PRId64 " %" PRId64 " %" PRId64,
                 name, seed, choice, r.open_edges, r.crowded_edges, r.duplicates, r.degenerates, r.pinches,
                 r.first_open[0], r.first_open[1], r.first_open[2], r.first_open[3], r.first_open[4],
                 r.first_open[5]);
    assert_int_equal(r.components, 1);
    assert_int_equal(r.euler, 1); /* one sheet */
    tr_check_free(window->check);
    vertices_of_one_place_have_one_normal(window, name);
}

/* LODs that alternate round the middle are never selected. */
static bool is_legal(uint32_t fine)
{
    return fine != 6 && fine != 9;
}

static void windows_of_two_lods_and_all_pairings_are_closed(void **state)
{
    (void)state;
    for (size_t w = 0; w < WORLDS; w++) {
        for (uint32_t seed = 1; seed < 4; seed++) {
            static struct window window;
            memset(&window, 0, sizeof window);
            make_window(worlds[w].height, seed, &window);
            for (uint32_t fine = 0; fine < 16; fine++) {
                if (!is_legal(fine))
                    continue;
                for (int i = 0; i < COARSE * COARSE; i++)
                    window.is_fine[i] = fine >> i & 1;
                for (int i = 0; i < FINE * FINE; i++) {
                    window.is_marched[0][i] = hash_line(i, (int)fine, seed) & 1;
                    window.is_marched[1][i] = hash_line(i, (int)fine + 16, seed) & 1;
                }
                assert_window_is_closed(&window, worlds[w].name, seed, fine);
            }
            release_window(&window);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_are_those_of_marching_cubes),
        cmocka_unit_test(a_coarser_grid_is_every_second_vertex),
        cmocka_unit_test(a_coarser_grid_takes_the_materials_too),
        cmocka_unit_test(normals_of_the_outermost_vertices_come_from_the_lattices),
        cmocka_unit_test(a_marched_neighbour_splits_by_its_crossings_in_order),
        cmocka_unit_test(a_finer_side_is_decided_for_each_half),
        cmocka_unit_test(a_finer_side_of_a_cut_column_ends_with_it),
        cmocka_unit_test(every_neighbourhood_draws_each_cell_once_face_up),
        cmocka_unit_test(polylines_are_the_open_edges_of_the_mesh),
        cmocka_unit_test(cells_that_are_not_split_keep_one_diagonal),
        cmocka_unit_test(states_that_draw_the_same_share_a_part),
        cmocka_unit_test(states_that_differ_have_parts_of_their_own),
        cmocka_unit_test(heights_are_relative_to_the_row_of_the_lowest_vertex),
        cmocka_unit_test(a_flat_world_at_an_integer_height_doubles_no_vertex),
        cmocka_unit_test(windows_of_two_lods_and_all_pairings_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
