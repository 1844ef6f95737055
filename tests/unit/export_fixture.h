/* What the tests of exports share: fields, packs of one and of several levels and kinds, exported files as bytes. Include it once, in a test. */
#ifndef TR_TESTS_EXPORT_FIXTURE_H
#define TR_TESTS_EXPORT_FIXTURE_H

#include "tests/support/test.h"

#include "lib/base/alloc.h"
#include "lib/mesh/height_tile.h"
#include "lib/mesh/splat.h"
#include "lib/pack/export_parts.h"
#include "tests/unit/pack_fixture.h"

#include <math.h>
#include <string.h>

#define FILE_BYTES_MAX (64u << 20)
#define VOXEL_SIZE 2.0 /* so one unit is 1/128 m */
#define BASE 12.0      /* metres */

static char pack_path[TR_PATH_BYTES], out_path[TR_PATH_BYTES];

static inline int setup(void **state)
{
    if (scratch_make(state) != 0)
        return -1;
    return tr_path_join(pack_path, *state, "a.tpack", NULL) == TR_OK &&
                   tr_path_join(out_path, *state, "out", NULL) == TR_OK
               ? 0
               : -1;
}

/* ---- worlds of 2 x 1 chunks ---- */

static inline int sphere(int x, int y, int z, int cx, int cy, int cz, int radius)
{
    int dx = x - cx, dy = y - cy, dz = z - cz;

    return (int)floor(256 * (sqrt(dx * dx + dy * dy + dz * dz) - radius) + 0.5);
}

static inline int hills(int x, int y, int z)
{
    return 256 * y - 256 * 30 + (x - 50) * (x - 50) - 3 * z * z / 2 + x * z / 4;
}

static inline int flat(int x, int y, int z)
{
    (void)x;
    (void)z;
    return 256 * y - 256 * 20 - 128;
}

/* Caves that break out of the south side across the tiles' border, of the world's corner, and twice out of one side, one above the other;
 * balls that float at a side and at a corner, one of them in a cave; one cave that breaks out of nothing. */
static inline int caves(int x, int y, int z)
{
    int ground = 256 * y - 256 * 48 - 20 * z;

    ground = tr_imax(ground, -sphere(x, y, z, 64, 24, 64, 14));
    ground = tr_imax(ground, -sphere(x, y, z, 0, 30, 0, 11));
    ground = tr_imax(ground, -sphere(x, y, z, 100, 12, 0, 6));
    ground = tr_imax(ground, -sphere(x, y, z, 101, 30, 0, 7));
    ground = tr_imax(ground, -sphere(x, y, z, 90, 30, 30, 7));
    ground = tr_imin(ground, sphere(x, y, z, 64, 24, 64, 5));
    ground = tr_imin(ground, sphere(x, y, z, 128, 58, 0, 4));
    return tr_imin(ground, sphere(x, y, z, 30, 56, 0, 4));
}

/* Walls that stand upright in the sides of the world: open edges one above the other. */
static inline int steps(int x, int y, int z)
{
    int height = x > 40 && x < 90 ? 40 : 16;

    (void)z;
    return 256 * (y < height ? -1 : 1) + (y == height ? 100 : 0);
}

static inline int floating(int x, int y, int z)
{
    return tr_imin(sphere(x, y, z, 128, 30, 64, 12), sphere(x, y, z, 60, 20, 0, 9));
}

/* Whether the tiles that are added have weights, and targets: down to the next whole voxel, and so many units up, the same in all tiles that
 * share a vertex. */
static bool adds_streams;
static int32_t target_rise;

static inline struct tr_pack_writer *begin_pack(const struct tr_pack_info *info)
{
    struct tr_error error = {0};
    struct tr_pack_writer *writer;

    assert_ok(tr_pack_writer_create(pack_path, info, true, &writer, &error), &error);
    return writer;
}

static inline void add_tile(struct tr_pack_writer *writer, int cx, int cy, int cz,
                            const uint8_t states[TR_SIDES], const struct tr_tile_mesh *tile)
{
    struct tr_error error = {0};
    struct tr_pack_blob blob;
    struct tr_tile_mesh full = *tile;

    if (adds_streams) {
        full.weights = NULL;
        assert_ok(tr_splat(&full, cy * tr_pack_tile_units(tile->lod), VOXEL_SIZE, &error), &error);
        assert_non_null(full.targets = malloc(full.vertex_count * sizeof *full.targets));
        for (uint32_t i = 0; i < full.vertex_count; i++) {
            full.targets[i][0] = full.vertices[i].x;
            full.targets[i][1] = (full.vertices[i].y & ~255) + target_rise;
            full.targets[i][2] = full.vertices[i].z;
        }
    }
    assert_ok(tr_pack_encode(cx, cy, cz, states, &full, &blob, &error), &error);
    assert_ok(tr_pack_writer_add(writer, &blob, &error), &error);
    tr_pack_blob_release(&blob);
    if (adds_streams) {
        free(full.weights);
        free(full.targets);
    }
}

static inline struct tr_pack *end_pack(struct tr_pack_writer *writer)
{
    struct tr_error error = {0};
    struct tr_pack *pack;
    struct tr_hash hash;

    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);
    assert_ok(tr_pack_open(pack_path, &pack, &error), &error);
    return pack;
}

static inline struct tr_pack *make_pack(fixture_field *field, double voxel_size, int shift_x)
{
    const struct tr_pack_info info = {.size_x = 2 + shift_x, .size_z = 1, .voxel_size = voxel_size};
    struct tr_pack_writer *writer = begin_pack(&info);

    for (int cx = 0; cx < 2; cx++) {
        struct tr_mesh mesh = fixture_march(field, cx, 0, 0);
        struct tr_tile_part part;
        struct tr_tile_mesh tile = fixture_tile(&mesh, &part);

        add_tile(writer, cx + shift_x, 0, 0, fixture_same, &tile);
        tr_mesh_release(&mesh);
    }
    return end_pack(writer);
}

/* ---- worlds of 4 x 2 chunks: levels and kinds ---- */

static const struct tr_pack_info wide_world = {.size_x = 4, .size_z = 2, .voxel_size = VOXEL_SIZE};

/* One level of a field whose surface lies in the lowest row, all of marching cubes. In a pack of all levels each side has the states that its place
 * has, and the tile all that these need. */
static inline void add_level(struct tr_pack_writer *writer, fixture_field *field, uint32_t lod, bool has_all)
{
    struct tr_selection selection;

    tr_selection_uniform(&selection, 4, 2, lod);
    if (has_all)
        tr_selection_all(&selection, 4, 2, 1);
    for (int cz = 0; cz < 2 >> lod; cz++) {
        for (int cx = 0; cx < 4 >> lod; cx++) {
            uint8_t states[TR_SIDES];
            uint32_t transitions = 0;
            struct tr_tile_mesh tile;

            tr_selection_states(&selection, lod, cx, cz, states);
            for (int side = 0; side < TR_SIDES; side++)
                transitions |= states[side] & TR_SIDE_FINER ? 1u << side : 0;
            tile = fixture_build(field, lod, cx, 0, cz, transitions);
            add_tile(writer, cx, 0, cz, states, &tile);
            tr_tile_mesh_release(&tile);
        }
    }
}

static inline void add_settled(struct tr_pack_writer *writer, fixture_field *field, uint32_t lod, int cx,
                               int cz, const uint8_t states[TR_SIDES])
{
    struct tr_tile_mesh tile = fixture_build(field, lod, cx, 0, cz, lod > 0 ? 0x02 : 0);
    struct tr_error error = {0};

    assert_ok(tr_tile_mesh_settle(&tile, states, &error), &error);
    add_tile(writer, cx, 0, cz, states, &tile);
    tr_tile_mesh_release(&tile);
}

/* The column's ground as a grid, whose neighbours at -x and -z are marching cubes. */
static inline void add_heights(struct tr_pack_writer *writer, fixture_field *field, int cx, int cz)
{
    static const uint8_t states[TR_COLUMN_SIDES] = {TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};
    static int32_t heights[TR_TILE_HALO];
    struct tr_lattice lattice = fixture_lattice(field, 0, cx, 0, cz);
    const struct tr_lattice *rows[1] = {&lattice};
    const struct tr_lattice_column column = {rows, 0, 1};
    struct tr_height_border borders[TR_COLUMN_SIDES][3] = {0};
    struct tr_height_grid grid;
    struct tr_tile_mesh tile;
    struct tr_error error = {0};
    int32_t row;

    for (int z = -1; z <= 65; z++)
        for (int x = -1; x <= 65; x++)
            heights[(z + 1) * TR_TILE_SAMPLES + x + 1] = -field(64 * cx + x, 0, 64 * cz + z);
    assert_ok(tr_height_grid_from_heights(heights, TR_TILE_SAMPLES, (uint32_t[]){64, 64}, &grid, &error),
              &error);
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side += 2)
        assert_ok(tr_height_border_crossings(&column, TR_TILE_CELLS, side, &borders[side][0], &error),
                  &error);
    assert_ok(tr_height_tile_build(&grid, (const struct tr_height_border(*)[3])borders, states, TR_TILE_CELLS,
                                   &row, &tile, &error),
              &error);
    assert_int_equal(row, 0);
    assert_true(tile.vertex_count > 65 * 65); /* the border is split */
    add_tile(writer, cx, row, cz, fixture_same, &tile);
    tr_tile_mesh_release(&tile);
    for (int side = 0; side < TR_COLUMN_SIDES; side++)
        tr_height_border_release(&borders[side][0]);
    tr_height_grid_release(&grid);
    tr_lattice_release(&lattice);
}

/* A tile of LOD 1 in the west, four of LOD 0 in the east, one of which is of heights. */
static inline struct tr_pack *make_mixed_pack(fixture_field *field)
{
    static const uint8_t west[TR_SIDES] = {TR_SIDE_SAME, TR_SIDE_FINER, TR_SIDE_SAME,
                                           TR_SIDE_SAME, TR_SIDE_SAME,  TR_SIDE_SAME},
                         middle[TR_SIDES] = {TR_SIDE_COARSER, TR_SIDE_SAME, TR_SIDE_SAME,
                                             TR_SIDE_SAME,    TR_SIDE_SAME, TR_SIDE_SAME};
    struct tr_pack_writer *writer = begin_pack(&wide_world);

    add_settled(writer, field, 1, 0, 0, west);
    for (int cz = 0; cz < 2; cz++)
        add_settled(writer, field, 0, 2, cz, middle);
    add_settled(writer, field, 0, 3, 0, fixture_same);
    add_heights(writer, field, 3, 1);
    return end_pack(writer);
}

/* One column of heights, alone in its world. */
static inline struct tr_pack *make_heights(fixture_field *field)
{
    static const struct tr_pack_info info = {.size_x = 1, .size_z = 1, .voxel_size = VOXEL_SIZE};
    static const uint8_t states[TR_COLUMN_SIDES] = {TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};
    static int32_t heights[TR_TILE_HALO];
    const struct tr_height_border borders[TR_COLUMN_SIDES][3] = {0};
    struct tr_pack_writer *writer = begin_pack(&info);
    struct tr_height_grid grid;
    struct tr_tile_mesh tile;
    struct tr_error error = {0};
    int32_t row;

    for (int z = -1; z <= 65; z++)
        for (int x = -1; x <= 65; x++)
            heights[(z + 1) * TR_TILE_SAMPLES + x + 1] = -field(x, 0, z);
    assert_ok(tr_height_grid_from_heights(heights, TR_TILE_SAMPLES, (uint32_t[]){64, 64}, &grid, &error),
              &error);
    assert_ok(tr_height_tile_build(&grid, borders, states, TR_TILE_CELLS, &row, &tile, &error), &error);
    add_tile(writer, 0, row, 0, fixture_same, &tile);
    tr_tile_mesh_release(&tile);
    tr_height_grid_release(&grid);
    return end_pack(writer);
}

/* A tile of LOD 2 in the west, four of LOD 1 in the east. */
static inline struct tr_pack *make_coarse_pack(fixture_field *field)
{
    static const struct tr_pack_info info = {.size_x = 8, .size_z = 4, .voxel_size = VOXEL_SIZE};
    static const uint8_t west[TR_SIDES] = {TR_SIDE_SAME, TR_SIDE_FINER, TR_SIDE_SAME,
                                           TR_SIDE_SAME, TR_SIDE_SAME,  TR_SIDE_SAME},
                         middle[TR_SIDES] = {TR_SIDE_COARSER, TR_SIDE_SAME, TR_SIDE_SAME,
                                             TR_SIDE_SAME,    TR_SIDE_SAME, TR_SIDE_SAME};
    struct tr_pack_writer *writer = begin_pack(&info);

    add_settled(writer, field, 2, 0, 0, west);
    for (int cz = 0; cz < 2; cz++) {
        add_settled(writer, field, 1, 2, cz, middle);
        add_settled(writer, field, 1, 3, cz, fixture_same);
    }
    return end_pack(writer);
}

/* ---- files ---- */

struct bytes {
    uint8_t *data;
    size_t size_bytes;
};

static inline struct bytes export_file(const struct tr_pack *pack, enum tr_export_format format, bool solid,
                                       struct tr_export_result *result)
{
    struct tr_export_options options = {.format = format, .solid = solid, .base = BASE, .replace = true};
    struct tr_error error = {0};
    struct bytes bytes;

    assert_ok(tr_export(pack, out_path, &options, result, &error), &error);
    assert_ok(tr_file_read(out_path, FILE_BYTES_MAX, &bytes.data, &bytes.size_bytes, &error), &error);
    assert_int_equal(bytes.size_bytes, result->file_bytes);
    return bytes;
}

static inline uint32_t get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline float get_f32(const uint8_t *at)
{
    uint32_t bits = get_u32(at);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Metres back to units, which must come out whole. */
static inline int64_t units_of(float metres)
{
    double units = (double)metres * TR_UNITS / VOXEL_SIZE;

    if (units != floor(units))
        fail_msg("%.9g m is no whole number of units", metres);
    return (int64_t)units;
}

static inline void assert_unit_length(const float normal[3])
{
    double x = normal[0], y = normal[1], z = normal[2], length = sqrt(x * x + y * y + z * z);

    if (!(fabs(length - 1) < 1e-6))
        fail_msg("normal (%g, %g, %g) has length %.9g", x, y, z, length);
}

static inline struct tr_pack *make_all_levels(fixture_field *field)
{
    struct tr_pack_info info = wide_world;
    struct tr_pack_writer *writer;

    info.form = TR_PACK_ALL_LODS;
    writer = begin_pack(&info);
    add_level(writer, field, 1, true);
    add_level(writer, field, 0, true);
    return end_pack(writer);
}

#endif
