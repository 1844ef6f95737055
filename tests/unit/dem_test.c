/* Esri ASCII grids: what is read, what is refused and with which words, and how heights become voxels.
 *
 * TERRAIN_TEST_DATA names a folder with real and awkward grids (dem/, dem-awkward/); tests of those are skipped without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/file.h"
#include "lib/gen/dem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\n"

static enum tr_status parse(const char *text, struct tr_dem *dem, struct tr_error *error)
{
    return tr_dem_parse(text, strlen(text), "g.asc", dem, error);
}

static struct tr_dem parse_good(const char *text)
{
    struct tr_dem dem;
    struct tr_error error = {0};

    if (parse(text, &dem, &error) != TR_OK)
        fail_msg("refused: %s", error.text);
    return dem;
}

static void check_refused(const char *text, const char *message)
{
    struct tr_dem dem;
    struct tr_error error = {0};
    enum tr_status status = parse(text, &dem, &error);

    if (status != TR_BAD_INPUT)
        fail_msg("status %d, expected 3 for: %s", status, text);
    if (strcmp(error.text, message) != 0)
        fail_msg("said    '%s'\nexpected '%s'", error.text, message);
    assert_null(dem.heights);
}

static void grid_is_read_north_row_first(void **state)
{
    struct tr_dem dem = parse_good(HEAD "1 2 3\n4.5 -5 6e1\n");

    (void)state;
    assert_int_equal(dem.columns, 3);
    assert_int_equal(dem.rows, 2);
    assert_true(dem.cell_size == 10.0);
    assert_true(dem.heights[0] == 1.0f && dem.heights[2] == 3.0f);
    assert_true(dem.heights[3] == 4.5f && dem.heights[4] == -5.0f && dem.heights[5] == 60.0f);
    tr_dem_release(&dem);
}

static void corner_is_half_a_cell_outside_the_height_and_centre_is_not(void **state)
{
    struct tr_dem corner = parse_good(HEAD "1 2 3 4 5 6");
    struct tr_dem centre =
        parse_good("ncols 3\nnrows 2\nxllcenter 100\nyllcenter 200\ncellsize 10\n1 2 3 4 5 6");
    struct tr_dem mixed =
        parse_good("ncols 3\nnrows 2\nxllcenter 100\nyllcorner 200\ncellsize 10\n1 2 3 4 5 6");

    (void)state;
    assert_true(corner.west == 105.0 && corner.north == 215.0);
    assert_true(centre.west == 100.0 && centre.north == 210.0);
    assert_true(mixed.west == 100.0 && mixed.north == 215.0);
    tr_dem_release(&corner);
    tr_dem_release(&centre);
    tr_dem_release(&mixed);
}

static void header_keys_come_in_any_case_and_order_with_any_line_ends(void **state)
{
    struct tr_dem dem = parse_good(
        "CellSize 2\r\nYLLCORNER 0\r\nXllCorner 0 NODATA_value -1\r\nNROWS 1\tncols 2\r\n\r\n7\r\n8");

    (void)state;
    assert_int_equal(dem.columns, 2);
    assert_true(dem.heights[0] == 7.0f && dem.heights[1] == 8.0f && dem.cell_size == 2.0);
    tr_dem_release(&dem);
}

static void equal_dx_and_dy_are_a_cell_size(void **state)
{
    struct tr_dem dem = parse_good("ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ndx 5\ndy 5\n3");

    (void)state;
    assert_true(dem.cell_size == 5.0);
    tr_dem_release(&dem);
}

static void bad_headers_are_refused_by_name_and_line(void **state)
{
    (void)state;
    check_refused("", "g.asc: header has no 'ncols'");
    check_refused("1 2 3", "g.asc: header has no 'ncols'");
    check_refused("ncols 3\n1 2 3", "g.asc: header has no 'nrows'");
    check_refused("ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\n1 2 3 4 5 6",
                  "g.asc: header has no 'cellsize'");
    check_refused("ncols 3\nnrows 2\nyllcorner 0\ncellsize 1\n1 2 3 4 5 6",
                  "g.asc: header has no 'xllcorner' or 'xllcenter'");
    check_refused("ncols 3\nnrows 2\nxllcorner 0\nxllcenter 0\nyllcorner 0\ncellsize 1\n1 2 3 4 5 6",
                  "g.asc:4: 'xllcenter' stands beside 'xllcorner', expected one or the other");
    check_refused("ncols 3\nnrows 2\nNCOLS 3\n", "g.asc:3: 'ncols' stands twice, first on line 1");
    check_refused("ncols 3\nnrows", "g.asc:2: 'nrows' has no value, expected a number");
    check_refused("ncols 3\nnrows two\n", "g.asc:2: 'nrows' is 'two', expected a number");
    check_refused("ncols 3\nnrows 0x2\n", "g.asc:2: 'nrows' is '0x2', expected a number");
    check_refused("ncols 3\nnrows 1e999\n", "g.asc:2: 'nrows' is '1e999', expected a number");
    check_refused("ncols 0\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n",
                  "g.asc:1: 'ncols' is 0, expected a whole number from 1 to 65536");
    check_refused("ncols 2.5\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n",
                  "g.asc:1: 'ncols' is 2.5, expected a whole number from 1 to 65536");
    check_refused("ncols 65537\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n",
                  "g.asc:1: 'ncols' is 65537, expected a whole number from 1 to 65536");
    check_refused("ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 0\n",
                  "g.asc:5: 'cellsize' is 0, expected more than 0");
    check_refused("ncols 3\nnrows 2\nxllcorner 0\nyllcorner 1e308\ncellsize 1e308\n",
                  "g.asc: 'cellsize' 1e+308 and the map coordinates lead beyond all numbers");
    check_refused("ncols 3\ncolour 2\n", "g.asc:2: header key 'colour' is unknown, expected ncols, nrows, "
                                         "xllcorner or xllcenter, yllcorner or "
                                         "yllcenter, cellsize, nodata_value or a height");
}

static void cells_that_are_not_square_are_refused(void **state)
{
    (void)state;
    check_refused("ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ndx 5\ndy 6\n3",
                  "g.asc:6: cells of 'dx' 5 by 'dy' 6 are not square, expected 'cellsize'");
    check_refused("ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ndx 5\n3",
                  "g.asc:5: header has only one of 'dx' and 'dy', expected 'cellsize'");
    check_refused("ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 5\ndx 5\ndy 5\n3",
                  "g.asc:6: 'dx' or 'dy' stands beside 'cellsize', expected one or the other");
}

static void heights_that_are_no_numbers_are_refused_by_place(void **state)
{
    (void)state;
    check_refused(HEAD "1 2 3\n4 nan 6", "g.asc:7: height is 'nan' at row 2 column 2, expected a number");
    check_refused(HEAD "NaN 2 3\n4 5 6", "g.asc:6: height is 'NaN' at row 1 column 1, expected a number");
    check_refused(HEAD "-inf 2 3\n4 5 6", "g.asc:6: height is '-inf' at row 1 column 1, expected a number");
    check_refused(HEAD "1 2 1e999\n4 5 6", "g.asc:6: height is '1e999' at row 1 column 3, expected a number");
    check_refused(HEAD "1 2 4e38\n4 5 6", "g.asc:6: height is '4e38' at row 1 column 3, expected a number");
    check_refused(HEAD "1 2,5 3\n4 5 6", "g.asc:6: height is '2,5' at row 1 column 2, expected a number");
    check_refused(HEAD "1 2 3\n4 5 \x1b[31m6",
                  "g.asc:7: height is '?[31m6' at row 2 column 3, expected a number");
}

static void too_few_or_too_many_heights_are_refused(void **state)
{
    (void)state;
    check_refused(HEAD "1 2 3\n4 5\n",
                  "g.asc:8: the text ends after 5 heights, in row 2; expected 6 (3 columns by 2 rows)");
    check_refused(HEAD, "g.asc:6: the text ends after 0 heights, in row 1; expected 6 (3 columns by 2 rows)");
    check_refused(HEAD "1 2 3\n4 5 6 7\n",
                  "g.asc:7: '7' behind the last height, expected the end after 3 columns by 2 rows");
}

static void no_data_is_refused_with_its_count_and_first_place(void **state)
{
    (void)state;
    check_refused("ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nnodata_value -9999\n1 2 3\n-9999 "
                  "5 -9999.0\n",
                  "g.asc:8: 2 heights are no-data (-9999), the first at row 2 column 1; expected none");
    /* the largest float, as two programs print it */
    check_refused(
        "ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\nnodata_value -3.40282346638529e+38\n"
        "1 -3.4028234663852886e+38\n",
        "g.asc:7: 1 height is no-data (-3.40282347e+38), the first at row 1 column 2; expected none");
    check_refused("ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\nnodata_value nan\n1 nan\n",
                  "g.asc:7: height is 'nan' at row 1 column 2, expected a number");
}

static void huge_claims_take_no_memory(void **state)
{
    (void)state;
    check_refused(
        "ncols 20000\nnrows 20000\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n",
        "g.asc:7: the text ends after 3 heights, in row 1; expected 400000000 (20000 columns by 20000 rows)");
    check_refused("ncols 65536\nnrows 65536\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n",
                  "g.asc:2: 65536 columns by 65536 rows, expected at most 536870912 heights");
}

static void every_cut_of_a_good_text_is_refused_or_read_whole(void **state)
{
    const char *text = HEAD "NODATA_value -9999\n10 20 30\n40 50 60\n";
    size_t size = strlen(text);

    (void)state;
    for (size_t cut = 0; cut < size; cut++) {
        struct tr_dem dem;
        struct tr_error error = {0};
        char *copy = malloc(cut + 1); /* no byte beyond the cut may be read */
        assert_non_null(copy);
        memcpy(copy, text, cut);
        enum tr_status status = tr_dem_parse(copy, cut, "g.asc", &dem, &error);
        if ((status == TR_OK) != (cut >= size - 2)) /* "6" is a number too */
            fail_msg("%zu of %zu bytes: status %d, %s", cut, size, status, error.text);
        tr_dem_release(&dem);
        free(copy);
    }
}

static struct tr_world_info info_of(const struct tr_dem *dem, double voxel_size, const char *name)
{
    struct tr_world_info info;
    struct tr_error error = {0};

    if (tr_dem_world_info(dem, voxel_size, name, &info, &error) != TR_OK)
        fail_msg("refused: %s", error.text);
    return info;
}

static void world_is_as_many_chunks_as_hold_the_samples(void **state)
{
    static float zeros[400 * 400];
    const struct {
        uint32_t columns;
        double cell, voxel, last;
        int32_t chunks;
    } cases[] = {{1, 10, 1, 0, 1},    {65, 1, 1, 64, 1},    {66, 1, 1, 65, 2},  {61, 10, 2, 300, 5},
                 {129, 1, 1, 128, 2}, {130, 1, 1, 129, 3},  {4, 1, 2, 1, 1},    {61, 10, 0.1, 6000, 94},
                 {4, 0.1, 0.1, 3, 1}, {7, 0.3, 0.1, 18, 1}, {400, 1, 7, 57, 1}, {2, 640, 10, 64, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tr_dem dem = {cases[i].columns, 3, cases[i].cell, 500, 800, zeros};
        struct tr_world_info info = info_of(&dem, cases[i].voxel, "g.asc");
        if (info.size_x != cases[i].chunks || info.extent[2] != cases[i].last)
            fail_msg("%u heights %g apart, voxel %g: %d chunks to sample %g, expected %d to %g",
                     cases[i].columns, cases[i].cell, cases[i].voxel, info.size_x, info.extent[2],
                     cases[i].chunks, cases[i].last);
        assert_true(info.extent[0] == 0 && info.extent[1] == 0 && info.voxel_size == cases[i].voxel);
        assert_true(info.has_georeference && info.origin_easting == 500 && info.origin_northing == 800);
        assert_false(info.has_seed);
    }
}

static void source_says_what_the_grid_is_and_not_where_it_lay(void **state)
{
    static float height[1];
    struct tr_dem dem = {1, 1, 1, 0, 0, height};
    (void)state;
    assert_string_equal(info_of(&dem, 1, "/some/where/hill.asc").source,
                        info_of(&dem, 1, "other.asc").source);
    assert_string_equal(info_of(&dem, 1, "hill.asc").source, "Esri ASCII grid of 1 x 1 heights, 1 m apart");
}

static void check_info_refused(const struct tr_dem *dem, double voxel_size, const char *message)
{
    struct tr_world_info info;
    struct tr_error error = {0};

    assert_int_equal(tr_dem_world_info(dem, voxel_size, "g.asc", &info, &error), TR_BAD_INPUT);
    assert_string_equal(error.text, message);
}

static void worlds_beyond_the_limits_are_refused(void **state)
{
    static float heights[4] = {0, 0, 70000, 0};
    struct tr_dem dem = {2, 2, 2, 0, 0, heights};

    (void)state;
    check_info_refused(&dem, 1,
                       "g.asc: height 70000 m at row 2 column 1, expected at most 65535.9961 m up or down at "
                       "a voxel size of 1 m");
    assert_int_equal(info_of(&dem, 1.5, "g.asc").size_x, 1); /* larger voxels reach higher */
    check_info_refused(&dem, 0, "voxel size 0 m, expected more than 0");
    check_info_refused(&dem, NAN, "voxel size nan m, expected more than 0");
    check_info_refused(&dem, INFINITY, "voxel size inf m, expected more than 0");
    check_info_refused(
        &dem, 1e-9,
        "g.asc: 2 by 2 heights 2 m apart at a voxel size of 1e-09 m, expected at most 1000000 chunks a side");
    dem.cell_size = 0.0008;
    check_info_refused(&dem, 2,
                       "g.asc: 2 by 2 heights 0.0008 m apart lie within one voxel of 2 m, expected a cell "
                       "size in metres (not "
                       "degrees)");
}

/* Heights of a 5 x 4 grid, 3 m apart. */
static float values[20];

static struct tr_dem grid(float (*value)(int column, int row))
{
    struct tr_dem dem = {5, 4, 3.0, 0, 0, values};
    for (int i = 0; i < 20; i++)
        values[i] = value(i % 5, i / 5);
    return dem;
}

static float rough(int column, int row)
{
    return (float)((column * 7 + row * row * 5) % 11) + 0.25f * (float)row;
}

static float plane(int column, int row)
{
    return 100.0f + 4.0f * (float)column - 2.0f * (float)row;
}

static int32_t filled[64 * 64];

static void voxels_at_heights_hold_them_exactly_in_every_filter(void **state)
{
    const enum tr_dem_filter filters[] = {TR_DEM_NEAREST, TR_DEM_BILINEAR, TR_DEM_CUBIC};
    struct tr_dem dem = grid(rough);

    (void)state;
    for (int f = 0; f < 3; f++) {
        tr_dem_fill(&dem, 1.0, filters[f], 0, 0, filled);
        for (int row = 0; row < 4; row++)
            for (int column = 0; column < 5; column++)
                assert_int_equal(filled[row * 3 * 64 + column * 3], (int32_t)(256.0f * rough(column, row)));
    }
}

static void edge_height_repeats_beyond_the_grid(void **state)
{
    const enum tr_dem_filter filters[] = {TR_DEM_NEAREST, TR_DEM_BILINEAR, TR_DEM_CUBIC};
    struct tr_dem dem = grid(rough);

    (void)state;
    for (int f = 0; f < 3; f++) {
        tr_dem_fill(&dem, 1.0, filters[f], 0, 0, filled);
        for (int z = 0; z < 64; z++)
            for (int x = 0; x < 64; x++)
                assert_int_equal(filled[z * 64 + x], filled[(z < 9 ? z : 9) * 64 + (x < 12 ? x : 12)]);
    }
}

static void linear_filters_keep_a_plane(void **state)
{
    struct tr_dem dem = grid(plane);

    (void)state;
    tr_dem_fill(&dem, 0.5, TR_DEM_BILINEAR, 0, 0, filled);
    for (int z = 0; z <= 18; z++)
        for (int x = 0; x <= 24; x++) {
            double exact = (100.0 + 4.0 * x / 6.0 - 2.0 * z / 6.0) / 0.5 * 256.0;
            if (fabs(filled[z * 64 + x] - exact) > 0.5001)
                fail_msg("(%d, %d): %d, expected %.3f", x, z, filled[z * 64 + x], exact);
        }
    tr_dem_fill(&dem, 0.5, TR_DEM_CUBIC, 0, 0, filled);
    for (int z = 6; z <= 12; z++) /* where no tap is repeated from the edge */
        for (int x = 6; x <= 18; x++) {
            double exact = (100.0 + 4.0 * x / 6.0 - 2.0 * z / 6.0) / 0.5 * 256.0;
            if (fabs(filled[z * 64 + x] - exact) > 0.5001)
                fail_msg("(%d, %d): %d, expected %.3f", x, z, filled[z * 64 + x], exact);
        }
}

static void cubic_is_catmull_and_rom_s_spline(void **state)
{
    struct tr_dem dem = grid(rough);

    (void)state;
    tr_dem_fill(&dem, 0.75, TR_DEM_CUBIC, 0, 0, filled); /* 4 voxels from height to height */
    for (int x = 0; x <= 16; x++) {
        int i = x / 4 < 4 ? x / 4 : 3;
        double t = x / 4.0 - i, p[4];
        for (int k = 0; k < 4; k++) {
            int column = i + k - 1;
            p[k] = (double)rough(column < 0 ? 0 : column > 4 ? 4 : column, 1);
        }
        /* by its tangents: half the difference of the neighbours at each end */
        double m0 = (p[2] - p[0]) / 2, m1 = (p[3] - p[1]) / 2;
        double exact = (2 * t * t * t - 3 * t * t + 1) * p[1] + (t * t * t - 2 * t * t + t) * m0 +
                       (3 * t * t - 2 * t * t * t) * p[2] + (t * t * t - t * t) * m1;
        if (fabs(filled[4 * 64 + x] - exact / 0.75 * 256.0) > 0.5001)
            fail_msg("x %d: %d, expected %.3f", x, filled[4 * 64 + x], exact / 0.75 * 256.0);
    }
}

static void chunks_are_windows_of_one_surface(void **state)
{
    static int32_t shifted[64 * 64];
    struct tr_dem dem = grid(rough);

    (void)state;
    tr_dem_fill(&dem, 0.1, TR_DEM_CUBIC, 0, 0, filled);
    tr_dem_fill(&dem, 0.1, TR_DEM_CUBIC, 32, 16, shifted);
    for (int z = 0; z < 48; z++)
        for (int x = 0; x < 32; x++)
            assert_int_equal(shifted[z * 64 + x], filled[(z + 16) * 64 + x + 32]);
}

/* --- real files --- */

static struct tr_dem read_file(const char *path, enum tr_status *status, struct tr_error *error)
{
    struct tr_dem dem = {0};
    uint8_t *bytes = NULL;
    size_t size_bytes = 0;

    if (tr_file_read(path, TR_DEM_BYTES_MAX, &bytes, &size_bytes, error) != TR_OK)
        fail_msg("%s", error->text);
    *status = tr_dem_parse((const char *)bytes, size_bytes, "g.asc", &dem, error);
    free(bytes);
    return dem;
}

static struct tr_dem read_data(const char *name, enum tr_status *status, struct tr_error *error)
{
    const char *folder = getenv("TERRAIN_TEST_DATA");
    char path[4096];

    if (!folder)
        skip();
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_file(path, status, error);
}

static void kootenai_is_read_with_its_upper_case_header(void **state)
{
    struct tr_error error = {0};
    enum tr_status status;
    struct tr_dem dem = read_data("dem/kootenai_1m.asc", &status, &error);
    float lowest = 1e9f, highest = -1e9f;

    (void)state;
    if (status != TR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(dem.columns, 50);
    assert_int_equal(dem.rows, 37);
    assert_true(dem.west == 556440.5 && dem.north == 5394932.5 + 36);
    for (int i = 0; i < 50 * 37; i++) {
        lowest = dem.heights[i] < lowest ? dem.heights[i] : lowest;
        highest = dem.heights[i] > highest ? dem.heights[i] : highest;
    }
    assert_true(fabs((double)lowest - 537.36) < 0.01 && fabs((double)highest - 543.81) < 0.01);
    tr_dem_release(&dem);
}

static void check_data_refused(const char *name, const char *message)
{
    struct tr_error error = {0};
    enum tr_status status;
    struct tr_dem dem = read_data(name, &status, &error);

    assert_int_equal(status, TR_BAD_INPUT);
    assert_string_equal(error.text, message);
    assert_null(dem.heights);
}

static void half_void_grid_is_refused(void **state)
{
    (void)state;
    check_data_refused(
        "dem-awkward/asc_half_void_nocrs.asc",
        "g.asc:7: 2028 heights are no-data (-9999), the first at row 1 column 1; expected none");
}

static void oblong_cells_with_nan_are_refused(void **state)
{
    (void)state;
    check_data_refused("dem-awkward/made_dx_dy_nan.asc",
                       "g.asc:6: cells of 'dx' 10 by 'dy' 20 are not square, expected 'cellsize'");
}

static void truncated_grid_is_refused(void **state)
{
    struct tr_error error = {0};
    enum tr_status status;

    (void)state;
    read_data("dem-awkward/made_truncated.asc", &status, &error);
    assert_int_equal(status, TR_BAD_INPUT);
    assert_non_null(strstr(error.text, "the text ends after "));
    assert_non_null(strstr(error.text, "in row 56; expected 20736 (144 columns by 144 rows)"));
}

static void sample_volcano_has_its_crater_in_the_south(void **state)
{
    struct tr_error error = {0};
    enum tr_status status;
    struct tr_dem dem = read_file("samples/maunga-whau.asc", &status, &error);

    (void)state;
    if (status != TR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(dem.columns, 61);
    assert_int_equal(dem.rows, 87);
    assert_true(dem.cell_size == 10.0 && dem.west == 0.0 && dem.north == 860.0);
    assert_true(dem.heights[57 * 61 + 27] == 148.0f); /* crater floor, 290 m from the south edge */
    assert_true(dem.heights[67 * 61 + 30] == 195.0f); /* summit, on its southern rim */
    assert_true(dem.heights[86 * 61] == 103.0f);      /* the grid's first value: the south-west corner */
    tr_dem_release(&dem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_is_read_north_row_first),
        cmocka_unit_test(corner_is_half_a_cell_outside_the_height_and_centre_is_not),
        cmocka_unit_test(header_keys_come_in_any_case_and_order_with_any_line_ends),
        cmocka_unit_test(equal_dx_and_dy_are_a_cell_size),
        cmocka_unit_test(bad_headers_are_refused_by_name_and_line),
        cmocka_unit_test(cells_that_are_not_square_are_refused),
        cmocka_unit_test(heights_that_are_no_numbers_are_refused_by_place),
        cmocka_unit_test(too_few_or_too_many_heights_are_refused),
        cmocka_unit_test(no_data_is_refused_with_its_count_and_first_place),
        cmocka_unit_test(huge_claims_take_no_memory),
        cmocka_unit_test(every_cut_of_a_good_text_is_refused_or_read_whole),
        cmocka_unit_test(world_is_as_many_chunks_as_hold_the_samples),
        cmocka_unit_test(source_says_what_the_grid_is_and_not_where_it_lay),
        cmocka_unit_test(worlds_beyond_the_limits_are_refused),
        cmocka_unit_test(voxels_at_heights_hold_them_exactly_in_every_filter),
        cmocka_unit_test(edge_height_repeats_beyond_the_grid),
        cmocka_unit_test(linear_filters_keep_a_plane),
        cmocka_unit_test(cubic_is_catmull_and_rom_s_spline),
        cmocka_unit_test(chunks_are_windows_of_one_surface),
        cmocka_unit_test(kootenai_is_read_with_its_upper_case_header),
        cmocka_unit_test(half_void_grid_is_refused),
        cmocka_unit_test(oblong_cells_with_nan_are_refused),
        cmocka_unit_test(truncated_grid_is_refused),
        cmocka_unit_test(sample_volcano_has_its_crater_in_the_south),
    };
    return cmocka_run_group_tests_name("dem", tests, NULL, NULL);
}
