/* Meshes are closed: random windows, every pattern of coarse and fine, rings, and faults seen elsewhere, over the hardest ground there is; and
 * wrong readings of the design are noticed, so the judge is known to see them.
 *
 * TERRAIN_TEST_WINDOWS random windows (1000) from seed TERRAIN_TEST_SEED (1) on. A window that fails is made smaller and printed as text that
 * window_read takes: it becomes a test by pasting it below. */
#include "lib/mesh/check.h"
#include "lib/mesh/tile_mesh.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/test.h"
#include "tests/support/window_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNITS 256

static unsigned long setting(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : otherwise;
}

static uint64_t random_from(uint64_t seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < 8; i++)
        random_next(&random);
    return random;
}

/* The window's text: free() it. */
static char *text_of(const struct window *w)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    window_write(w, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Judges and releases the window. One that fails is made smaller and shown; just shown where TERRAIN_TEST_SHRINK is 0. */
static void expect_right(struct window w, struct window_counts *counts, const char *what)
{
    char fault[WINDOW_TEXT_BYTES];
    if (!window_is_legal(&w))
        fail_msg("%s: the selection is not legal", what);
    if (!window_judge(&w, counts, fault)) {
        print_error("%s, seed %llu: %s\n", what, (unsigned long long)w.seed, fault);
        struct window small = setting("TERRAIN_TEST_SHRINK", 1) ? window_shrink(&w, fault) : w;
        char *text = text_of(&small);
        print_error("the smallest window found: %s\n%s", fault, text);
        fail_msg("%s, seed %llu", what, (unsigned long long)w.seed);
    }
    window_release(&w);
}

/* ---- random windows ---- */

static void random_windows_of_all_pairings_are_closed(void **state)
{
    const unsigned long first = setting("TERRAIN_TEST_SEED", 1);
    const unsigned long count = setting("TERRAIN_TEST_WINDOWS", 1000);
    struct window_counts counts = {0};
    (void)state;
    for (unsigned long seed = first; seed < first + count; seed++)
        expect_right(window_random(seed), &counts, "random window");
    if (count < 100) /* a seed looked at again */
        return;
    assert_true(counts.triangles > 100 * count);
    for (int i = 0; i < 12; i++) {
        const uint64_t found = (&counts.pairings[0][0][0])[i];
        if (found < count / 4)
            fail_msg("%s beside %s of %s LOD met only %llu times", i / 6 ? "marching cubes" : "heights",
                     i / 3 % 2 ? "marching cubes" : "heights",
                     i % 3 == 0   ? "the same"
                     : i % 3 == 1 ? "finer"
                                  : "coarser",
                     (unsigned long long)found);
    }
}

static void tiles_for_all_neighbourhoods_settle_as_those_for_their_own(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct window w = window_random(5000 + seed);
        struct window_soup own, all;
        w.all_states = false;
        window_assemble(&w, &own);
        w.all_states = true;
        window_assemble(&w, &all);
        if (own.vertex_count != all.vertex_count || own.index_count != all.index_count ||
            memcmp(own.xyz, all.xyz, own.vertex_count * sizeof *own.xyz) != 0 ||
            memcmp(own.normals, all.normals, own.vertex_count * sizeof *own.normals) != 0 ||
            memcmp(own.indices, all.indices, own.index_count * sizeof *own.indices) != 0)
            fail_msg("seed %llu: %zu vertices and %zu indices, made for all neighbourhoods %zu and %zu",
                     (unsigned long long)w.seed, own.vertex_count, own.index_count, all.vertex_count,
                     all.index_count);
        window_soup_release(&own);
        window_soup_release(&all);
        window_release(&w);
    }
}

static void one_set_of_tiles_of_all_lods_is_closed_in_every_selection(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        uint64_t random = random_from(300 + seed);
        struct window w = {
            .layout = WINDOW_COLUMNS, .width = seed & 1 ? 2 : 4, .top = 3, .size = {40, 0, 40}};
        window_fill_columns(&w, (enum window_ground)(seed % GROUNDS), (enum window_edits)(seed * 2 % EDITS),
                            &random);
        window_force_random(&w, &random);
        w.all_states = true;
        for (int selection = 0; selection < 12; selection++) {
            struct window chosen = window_copy(&w);
            window_select_random(&chosen, &random);
            chosen.seed = seed;
            expect_right(chosen, NULL, "selection of all LODs");
        }
        window_release(&w);
    }
}

static void a_world_of_heights_has_no_triangle_facing_down(void **state)
{
    struct window_counts counts = {0};
    (void)state;
    for (int ground = 0; ground < GROUNDS; ground++) {
        for (uint64_t seed = 1; seed <= 30; seed++) {
            uint64_t random = random_from(100 * (uint64_t)ground + seed);
            struct window w = window_random_columns(&random, (enum window_ground)ground, EDITS_NONE);
            window_force_random(&w, &random);
            expect_right(w, &counts, "world of heights");
        }
    }
    assert_true(counts.triangles > 50000);
    assert_true(counts.transition_triangles > 5000);
}

/* Where a moved sample is beside one that is not, crossings rounded each by itself turn slivers over. */
static void whole_heights_beside_a_slanted_border_face_up(void **state)
{
    (void)state;
    expect_right(window_read("columns width 2 top 2 size 8 8 12 from -72 lods 1111 1111 1111 1111 2222 2222 "
                             "forced 1 0 2 forced 2 0 1 height -17664 "
                             "heights 8 -17664 -17664 -17664 -17664 -17408 -17664 -17408 -17408 -17664"),
                 NULL, "slanted border");
    expect_right(
        window_read("columns width 2 top 1 size 4 52 6 from -16 lods 00 00 11 forced 1 0 1 height 1280 "
                    "heights 4 1489 8704 8704 1280 1280 heights 5 1280 1280 -3328 1280 1280"),
        NULL, "slanted border");
}

/* ---- patterns ---- */

/* Eight coarse cubes, those of the set split into fine ones. */
static struct window eight_cubes(uint32_t width, uint32_t split, enum window_body body, uint64_t *random)
{
    const int32_t side = (int32_t)width * 4;
    struct window w = {
        .layout = WINDOW_CUBES, .width = width, .top = 1, .size = {side, side, side}, .seed = split + 1};
    window_fill_cubes(&w, body, random);
    window_select_uniform(&w, 1);
    for (int i = 0; i < 8; i++) {
        if (split >> i & 1)
            window_split(&w, 2 * (i & 1), 2 * (i >> 1 & 1), 2 * (i >> 2));
    }
    return w;
}

static void every_legal_pattern_of_coarse_and_fine_cubes_is_closed(void **state)
{
    (void)state;
    for (int body = 0; body < BODIES; body++) {
        uint32_t legal = 0;
        for (uint32_t split = 0; split < 256; split++) {
            uint64_t random = random_from(1000 * (uint64_t)body + split);
            struct window w = eight_cubes(split % 3 ? 2 : 4, split, (enum window_body)body, &random);
            if (window_is_legal(&w)) {
                legal++;
                expect_right(w, NULL, "pattern of eight cubes");
            } else {
                window_release(&w);
            }
        }
        assert_int_equal(legal, 136); /* all but those with two opposite corners of some face */
    }
}

/* 27 tiles, of which the one at `odd` - steps from the middle - is of the other LOD. A ball reaches into all of them. */
static struct window_counts judge_27(const int32_t odd[3], bool is_fine_among_coarse, const char *what)
{
    struct window w = {.layout = WINDOW_CUBES, .width = 4, .top = 1, .size = {24, 24, 24}};
    struct window_counts counts = {0};
    uint64_t random = random_from(6);
    window_fill_cubes(&w, BODY_SPARSE, &random);
    for (size_t i = 0; i < window_sample_count(&w); i++)
        w.samples[i] = UNITS;
    window_ball(&w, (double[3]){12, 12.3, 12}, 8.1, 0, true);
    window_select_uniform(&w, is_fine_among_coarse ? 1 : 0);
    if (is_fine_among_coarse) {
        window_split(&w, 2 + 2 * odd[0], 2 + 2 * odd[1], 2 + 2 * odd[2]);
    } else {
        for (int i = 0; i < 8; i++)
            w.lods[window_block(&w, 2 + 2 * odd[0] + (i & 1), 2 + 2 * odd[1] + (i >> 1 & 1),
                                2 + 2 * odd[2] + (i >> 2))] = 1;
    }
    expect_right(w, &counts, what);
    return counts;
}

static void a_tile_of_another_lod_on_6_faces_12_edges_and_8_corners_is_closed_and_outward(void **state)
{
    const double ball = 4.0 / 3 * 3.14159265358979 * 8.1 * 8.1 * 8.1;
    (void)state;
    for (int i = 0; i < 27; i++) {
        const int32_t odd[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        for (int fine = 0; fine < 2 && i != 13; fine++) {
            const struct window_counts counts = judge_27(odd, fine, "case 6");
            assert_true(counts.transition_triangles > 0);
            assert_int_equal(counts.euler, 2);
            if (counts.volume < 0.9 * ball || counts.volume > ball)
                fail_msg("tile %d, %s: volume %g of a ball of %g", i, fine ? "fine" : "coarse", counts.volume,
                         ball);
        }
    }
}

/* 2 x 2 of the coarsest tiles: K, K - 1, K - 1 and, at the corner where they meet, K - 2. `turn` says which one stays coarse. */
static void select_three_lods(struct window *w, int turn)
{
    const int32_t middle = 1 << w->top, x = turn & 1, z = turn >> 1;
    window_select_uniform(w, w->top);
    for (int i = 0; i < 4; i++) {
        if (i != turn)
            window_split(w, middle * (i & 1), 0, middle * (i >> 1));
    }
    window_split(w, middle - (x ? 1 : 0), 0, middle - (z ? 1 : 0));
}

static void three_lods_meeting_at_a_corner_are_closed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < GROUNDS * EDITS * 4; i++) {
        uint64_t random = random_from(i + 1);
        struct window w = {.layout = WINDOW_COLUMNS, .width = i % 3 ? 2 : 4, .top = 2 + (i / 3) % 2};
        w.size[0] = w.size[2] = (int32_t)(2 * w.width << w.top);
        window_fill_columns(&w, (enum window_ground)(i % GROUNDS), (enum window_edits)(i / GROUNDS % EDITS),
                            &random);
        select_three_lods(&w, (int)(i / GROUNDS / EDITS));
        window_force_random(&w, &random);
        const size_t middle = (size_t)(1 << w.top);
        const size_t pitch = 2 * middle;
        const uint8_t *corner = w.lods + (middle - 1) * pitch + middle - 1;
        assert_int_equal(corner[0] + corner[pitch + 1] + corner[1] + corner[pitch], 4 * w.top - 4);
        expect_right(w, NULL, "three LODs at a corner");
    }
}

static void rings_of_lods_0_to_6_are_closed(void **state)
{
    static const struct {
        enum window_ground ground;
        enum window_edits edits;
        const char *what;
    } kinds[] = {
        {GROUND_HILLS, EDITS_NONE, "rings over hills"},
        {GROUND_WHITE, EDITS_SAMPLES, "rings over noise"},
        {GROUND_CLIFFS, EDITS_BOXES, "rings over cliffs"},
        {GROUND_HILLS, EDITS_CAVES, "rings over caves"},
        {GROUND_WAVES, EDITS_TANGENT, "rings over craters"},
        {GROUND_INTEGERS, EDITS_BALLS, "rings over integers"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t random = random_from(60 + i);
        struct window w = {.layout = WINDOW_COLUMNS, .width = 2, .top = 6, .size = {320, 0, 256}};
        uint32_t met[7] = {0};
        window_fill_columns(&w, kinds[i].ground, kinds[i].edits, &random);
        window_select_rings(&w, 65, 0, 41);
        /* craters and caves where the rings are: balls across faces, edges and corners of their tiles */
        for (int32_t ring = 0; ring < 6 && kinds[i].edits != EDITS_NONE; ring++) {
            const int32_t x = (65 * 2 >> ring << ring) + (1 << ring), z = 41 * 2 >> ring << ring;
            const double y = w.heights[z * 321 + x] / 256.0 - w.first_y;
            window_ball(&w, (double[3]){x, floor(y), z}, 2 + ring, 0.75, ring & 1);
        }
        for (int32_t block = 0; block < 160 * 128; block++)
            met[w.lods[block]]++;
        for (int lod = 0; lod < 7; lod++)
            assert_true(met[lod] > 0);
        expect_right(w, NULL, kinds[i].what);
    }
}

/* ---- smallest inputs ---- */

/* Windows that a wrong reading opens, and the fault that it makes. Right, they are closed. */
static const struct {
    enum window_mutant reading;
    const char *fault;
    const char *text;
} smallest[] = {
    {WINDOW_HEIGHT_ON_SAMPLE, "open edges",
     "columns width 2 top 0 size 4 4 2 from 0 lods 00 forced 0 1 0 height 256"},
    {WINDOW_BORDER_PER_SIDE, "open edges",
     "columns width 2 top 1 size 8 8 4 from -4 lods 1100 1100 forced 0 2 1 height 0 heights 1 128 128 128 "
     "128 "
     "128 128 128 128 128 heights 2 256 256 256 256 256 256 256 256 256 heights 3 384 384 384 384 384 384 "
     "384 384 "
     "384 heights 4 512 512 512 512 512 512 512 512 512"},
    {WINDOW_TOUCH_OWNED, "open edges",
     "columns width 2 top 0 size 4 8 2 from -4 lods 00 height -300 sample 2 6 1 -256"},
    {WINDOW_TOUCH_OWNED, "open edges",
     "columns width 2 top 0 size 4 8 4 from -4 lods 00 00 height -300 sample 2 6 2 -256"},
    {WINDOW_TOUCH_OWN_LOD, "open edges",
     "columns width 2 top 1 size 8 8 4 from -4 lods 1100 1100 height -300 sample 4 6 1 -256"},
    {WINDOW_SKIP_BY_LATTICE, "open edges",
     "cubes width 2 top 1 size 8 8 4 from 0 lods 1100 1100 1100 1100 1100 1100 1100 1100 bottom 256 sample 4 "
     "3 1 "
     "-256"},
    {WINDOW_MOVE_IF_ANY, "open edges",
     "columns width 2 top 1 size 8 8 6 from -4 lods 1111 1111 1100 height -256 sample 8 2 2 256"},
    {WINDOW_KEEP_EQUAL, "degenerate triangles",
     "columns width 2 top 1 size 6 8 2 from -4 lods 110 height -256 sample 4 2 2 256"},
    {WINDOW_DROP_FLAT, "open edges",
     "columns width 2 top 1 size 8 8 8 from -4 lods 0011 0011 1111 1111 forced 0 0 0 forced 0 1 0 forced 0 0 "
     "1 forced "
     "0 1 1 forced 1 1 0 forced 1 0 1 forced 1 1 1 height 0 heights 4 0 0 0 0 0 700 0 0 0"},
};

static void the_smallest_inputs_of_wrong_readings_are_closed_when_read_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof smallest / sizeof *smallest; i++) {
        char fault[WINDOW_TEXT_BYTES] = "";
        struct window w = window_read(smallest[i].text);
        w.mutant = smallest[i].reading;
        const bool is_right = window_judge(&w, NULL, fault);
        if (is_right || !strstr(fault, smallest[i].fault))
            fail_msg("reading %s on input %zu: %s, expected %s", window_mutant_name(w.mutant), i,
                     is_right ? "no fault" : fault, smallest[i].fault);
        w.mutant = WINDOW_RIGHT;
        expect_right(w, NULL, "smallest input");
    }
}

/* Selection must not make it; the judge sees why. */
static void alternating_lods_round_an_edge_crowd_it(void **state)
{
    char fault[WINDOW_TEXT_BYTES];
    struct window w =
        window_read("columns width 2 top 1 size 8 8 8 from -4 lods 1100 1100 0011 0011 height -600 "
                    "sample 4 5 4 -256");
    (void)state;
    assert_false(window_is_legal(&w));
    assert_false(window_judge(&w, NULL, fault));
    if (!strstr(fault, "1 crowded edges"))
        fail_msg("%s", fault);
    window_legalise(&w);
    expect_right(w, NULL, "alternation taken away");
}

/* Whether tr_check found the fault, not what the judge adds to it. */
static bool is_fault_of_check(const char *fault)
{
    static const char *const faults[] = {"open edges", "crowded edges", "pinches", "degenerate triangles"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (strstr(fault, faults[i]))
            return true;
    }
    return false;
}

static void every_wrong_reading_is_noticed_in_random_windows(void **state)
{
    (void)state;
    for (int mutant = 1; mutant < WINDOW_MUTANTS; mutant++) {
        int noticed = 0;
        uint64_t seed = 0;
        while (seed < 400 && noticed < 3) {
            char fault[WINDOW_TEXT_BYTES];
            struct window w = window_random(++seed);
            w.mutant = (enum window_mutant)mutant;
            noticed += !window_judge(&w, NULL, fault) && is_fault_of_check(fault);
            window_release(&w);
        }
        if (noticed < 3)
            fail_msg("reading %s: noticed in %d of %llu windows",
                     window_mutant_name((enum window_mutant)mutant), noticed, (unsigned long long)seed);
    }
}

static void a_failing_window_shrinks_to_a_few_tiles_and_reads_back(void **state)
{
    char fault[WINDOW_TEXT_BYTES], again[WINDOW_TEXT_BYTES];
    struct window w = window_random(1);
    (void)state;
    w.mutant = WINDOW_TOUCH_OWNED;
    for (uint64_t seed = 2; window_judge(&w, NULL, fault); seed++) {
        window_release(&w);
        w = window_random(seed);
        w.mutant = WINDOW_TOUCH_OWNED;
    }
    struct window small = window_shrink(&w, fault);
    char *text = text_of(&small);
    if (small.top > 1 || small.width > 4 || window_block(&small, 0, 1, 0) > 8 || strlen(text) > 500)
        fail_msg("left of it:\n%s", text);

    struct window read = window_read(text);
    char *text_again = text_of(&read);
    assert_string_equal(text_again, text);
    assert_false(window_judge(&read, NULL, again));
    assert_string_equal(again, fault);
    free(text);
    free(text_again);
    window_release(&read);
    window_release(&small);
    window_release(&w);
}

/* ---- transitions ---- */

static void expect_few_opposing(const struct window_counts *counts, const char *what)
{
    assert_true(counts->transition_triangles > 1000);
    if (1000 * counts->opposing_transitions >= 5 * counts->transition_triangles)
        fail_msg("%s: %llu of %llu transition triangles oppose the gradient and are thicker than slivers",
                 what, (unsigned long long)counts->opposing_transitions,
                 (unsigned long long)counts->transition_triangles);
}

/* The definition of a sliver is in window_judge.c. */
static void transitions_of_smooth_ground_oppose_its_gradient_in_under_half_a_percent(void **state)
{
    static const enum window_ground grounds[2] = {GROUND_PLANE, GROUND_HILLS};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct window_counts counts = {0};
        for (uint64_t seed = 1; seed <= 10; seed++) {
            uint64_t random = random_from(40 + seed);
            struct window w = {.layout = WINDOW_COLUMNS, .width = 8, .top = 2, .size = {64, 0, 64}};
            window_fill_columns(&w, grounds[i], EDITS_NONE, &random);
            window_select_random(&w, &random);
            memset(w.forced, 0xff, window_block(&w, 0, 1, 0));
            expect_right(w, &counts, "smooth ground");
        }
        expect_few_opposing(&counts, i == 0 ? "planes" : "hills");
    }
    struct window_counts counts = {0};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint64_t random = random_from(70 + seed);
        struct window w = {.layout = WINDOW_CUBES, .width = 8, .top = 1, .size = {48, 48, 48}};
        window_fill_cubes(&w, BODY_SPHERE, &random);
        window_select_random(&w, &random);
        expect_right(w, &counts, "sphere");
    }
    expect_few_opposing(&counts, "spheres");
}

/* ---- faults seen in the field ---- */

/* Ground of one height. */
static struct window flat(uint32_t width, int32_t tiles_x, int32_t tiles_z, int32_t height)
{
    struct window w = {.layout = WINDOW_COLUMNS,
                       .width = width,
                       .size = {tiles_x * (int32_t)width, 0, tiles_z * (int32_t)width}};
    const size_t count = (size_t)(w.size[0] + 1) * (size_t)(w.size[2] + 1);
    int32_t *heights = malloc(count * sizeof *heights);
    assert_non_null(heights);
    for (size_t i = 0; i < count; i++)
        heights[i] = height;
    window_fill_heights(&w, heights);
    free(heights);
    return w;
}

static struct tr_check_result check_soup(const struct window *w, const struct window_soup *soup,
                                         size_t index_count)
{
    const int64_t lo[2] = {0, 0}, hi[2] = {(int64_t)w->size[0] * UNITS, (int64_t)w->size[2] * UNITS};
    struct tr_check_result result;
    struct tr_check *check;
    struct tr_error error = {0};
    assert_ok(tr_check_create(lo, hi, &check, &error), &error);
    assert_ok(tr_check_add(check, soup->xyz[0], soup->vertex_count, soup->indices, index_count, &error),
              &error);
    assert_ok(tr_check_finish(check, &result, &error), &error);
    tr_check_free(check);
    return result;
}

/* Makes the soup's last triangle one that has no edge in the window's sides. */
static void put_inner_triangle_last(const struct window *w, struct window_soup *soup)
{
    for (size_t i = 0; i < soup->index_count; i += 3) {
        bool is_inner = true;
        for (int c = 0; c < 3; c++) {
            const int64_t *at = soup->xyz[soup->indices[i + (size_t)c]];
            is_inner &= at[0] > 0 && at[0] < (int64_t)w->size[0] * UNITS && at[2] > 0 &&
                        at[2] < (int64_t)w->size[2] * UNITS;
        }
        if (!is_inner)
            continue;
        uint32_t last[3];
        memcpy(last, soup->indices + soup->index_count - 3, sizeof last);
        memcpy(soup->indices + soup->index_count - 3, soup->indices + i, sizeof last);
        memcpy(soup->indices + i, last, sizeof last);
        return;
    }
    fail_msg("no triangle inside");
}

static void expect_crater_is_closed(const struct window *ground, const double centre[3], double radius,
                                    const char *what)
{
    struct window w = window_copy(ground);
    struct window_soup soup;
    window_ball(&w, centre, radius, 0.75, false);
    assert_memory_not_equal(w.samples, ground->samples, window_sample_count(&w) * sizeof *w.samples);
    window_assemble(&w, &soup);
    put_inner_triangle_last(&w, &soup);
    assert_int_equal(check_soup(&w, &soup, soup.index_count).open_edges, 0);
    assert_int_equal(check_soup(&w, &soup, soup.index_count - 3).open_edges, 3);
    window_soup_release(&soup);
    expect_right(w, NULL, what);
}

static void a_crater_tangent_to_a_chunk_face_is_closed_and_one_missing_triangle_opens_3_edges(void **state)
{
    struct window w = flat(64, 3, 3, 66 * UNITS + 77);
    (void)state;
    assert_int_equal(w.first_y, 0);
    expect_crater_is_closed(&w, (double[3]){96, 68, 96}, 4, "case 1, face y = 64");
    expect_crater_is_closed(&w, (double[3]){68, 66, 100}, 4, "case 1, face x = 64");
    expect_crater_is_closed(&w, (double[3]){100, 66.5, 132}, 4, "case 1, face z = 128");
    window_release(&w);
}

static void a_crater_tangent_to_a_chunk_corner_is_closed(void **state)
{
    struct window w = flat(64, 3, 3, 66 * UNITS + 77);
    (void)state;
    expect_crater_is_closed(&w, (double[3]){67, 66, 68}, 5, "case 2, corner line");
    expect_crater_is_closed(&w, (double[3]){62, 70, 131}, 7, "case 2, corner point");
    window_release(&w);
}

static void craters_tangent_to_tiles_are_closed_among_mixed_lods(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static const double centres[4][3] = {{20, 0, 24}, {19, 0, 20}, {18, 3, 22}, {28, 0, 18}};
        static const double radii[4] = {4, 5, 7, 4};
        uint64_t random = random_from(200 + seed);
        struct window w = {.layout = WINDOW_COLUMNS, .width = seed & 1 ? 4 : 8, .top = 1 + seed / 2 % 2};
        w.size[0] = w.size[2] = 48;
        window_fill_columns(&w, seed % 3 ? GROUND_HILLS : GROUND_INTEGERS, EDITS_NONE, &random);
        const double *centre = centres[seed / 4 % 4];
        const double y = floor(w.heights[(int)centre[2] * 49 + (int)centre[0]] / 256.0) - w.first_y;
        window_ball(&w, (double[3]){centre[0], y + centre[1], centre[2]}, radii[seed / 4 % 4], 0.75, false);
        window_select_random(&w, &random);
        expect_right(w, NULL, "tangent crater");
    }
}

/* 3 x 3 x 3 samples of a checkerboard in the air, one of them `value`; tile planes run through them. */
static void judge_checkerboard(int odd, int16_t value, bool is_mixed)
{
    struct window w = {.layout = WINDOW_CUBES, .width = 2, .top = 1, .size = {8, 8, 8}};
    uint64_t random = random_from(3);
    window_fill_cubes(&w, BODY_SPARSE, &random);
    for (size_t i = 0; i < window_sample_count(&w); i++)
        w.samples[i] = UNITS;
    for (int i = 0; i < 27; i++) {
        const int x = i % 3, y = i / 3 % 3, z = i / 9;
        window_set(&w, 3 + x, 3 + y, 3 + z, i == odd ? value : (x + y + z) % 2 ? UNITS : -UNITS);
    }
    window_select_uniform(&w, 0);
    for (int i = 0; i < 4 && is_mixed; i++) { /* the lower half coarse */
        for (int k = 0; k < 4; k++)
            w.lods[window_block(&w, i, 0, k)] = w.lods[window_block(&w, i, 1, k)] = 1;
    }
    expect_right(w, NULL, "case 3");
}

static void a_sample_exactly_on_the_surface_of_a_checkerboard_is_closed(void **state)
{
    (void)state;
    for (int odd = 0; odd < 27; odd++) {
        for (int16_t value = -1; value <= 1; value++) {
            judge_checkerboard(odd, value, false);
            judge_checkerboard(odd, value, true);
        }
    }
}

static void flat_ground_on_samples_has_each_vertex_once(void **state)
{
    struct window w = flat(64, 1, 1, 32 * UNITS);
    struct window_soup soup;
    (void)state;
    window_assemble(&w, &soup);
    assert_int_equal(soup.vertex_count, 65 * 65);
    assert_int_equal(soup.index_count, 3 * 8192);
    assert_int_equal(check_soup(&w, &soup, soup.index_count).degenerates, 0);
    window_soup_release(&soup);
    w.forced[0] = 1;
    window_assemble(&w, &soup);
    assert_int_equal(soup.vertex_count, 65 * 65);
    assert_int_equal(soup.index_count, 3 * 8192);
    assert_int_equal(check_soup(&w, &soup, soup.index_count).degenerates, 0);
    window_soup_release(&soup);
    expect_right(w, NULL, "case 4");
}

/* Distance to the nearest of points strewn one in each cube of 9 voxels, less 3. */
static void fill_cellular(struct window *w)
{
    enum { CUBE = 9, POINTS = 128 / CUBE + 3 };
    static double points[POINTS][POINTS][POINTS][3];
    uint64_t random = random_from(5);
    for (int i = 0; i < POINTS * POINTS * POINTS * 3; i++) {
        const int axis = i % 3, cube = i / 3;
        const int at[3] = {cube % POINTS, cube / POINTS % POINTS, cube / POINTS / POINTS};
        points[at[0]][at[1]][at[2]][axis] =
            CUBE * (at[axis] - 1 + (double)(random_next(&random) >> 40) * 0x1p-24);
    }
    for (int32_t i = 0; i < w->size[0] * w->size[1] * w->size[2]; i++) {
        const int32_t x = i % w->size[0], y = i / w->size[0] % w->size[1], z = i / w->size[0] / w->size[1];
        double nearest = 1e9;
        for (int k = 0; k < 27; k++) {
            const double *p = points[x / CUBE + k % 3][y / CUBE + k / 3 % 3][z / CUBE + k / 9];
            const double d[3] = {x - p[0], y - p[1], z - p[2]};
            nearest = fmin(nearest, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
        window_set(w, x, y, z, (int16_t)floor(UNITS * (sqrt(nearest) - 3)));
    }
}

/* That each triangle lies within one cell is for the judge. */
static void cellular_noise_is_closed_and_no_triangle_leaves_its_cell(void **state)
{
    struct window w = {.layout = WINDOW_CUBES, .width = 64, .top = 1, .size = {128, 128, 128}};
    uint64_t random = random_from(5);
    (void)state;
    window_fill_cubes(&w, BODY_TANGENT, &random);
    for (size_t i = 0; i < window_sample_count(&w); i++)
        w.samples[i] = UNITS;
    fill_cellular(&w);
    struct window coarse = window_copy(&w);
    window_select_uniform(&coarse, 1);
    expect_right(coarse, NULL, "case 5, LOD 1");
    expect_right(w, NULL, "case 5, LOD 0");

    w = (struct window){.layout = WINDOW_CUBES, .width = 16, .top = 1, .size = {64, 64, 32}};
    window_fill_cubes(&w, BODY_TANGENT, &random);
    fill_cellular(&w);
    window_select_uniform(&w, 1);
    window_split(&w, 1, 1, 1);
    expect_right(w, NULL, "case 5, LOD 0 beside LOD 1");
}

static int64_t euler_of(const struct window *w)
{
    char fault[WINDOW_TEXT_BYTES];
    struct window_counts counts = {0};
    if (!window_judge(w, &counts, fault))
        fail_msg("%s", fault);
    return counts.euler;
}

static void expect_no_wall(const struct window *w, int64_t plane_x)
{
    struct window_soup soup;
    window_assemble(w, &soup);
    for (size_t i = 0; i < soup.index_count; i += 3) {
        const uint32_t *t = soup.indices + i;
        if (soup.xyz[t[0]][0] == plane_x && soup.xyz[t[1]][0] == plane_x && soup.xyz[t[2]][0] == plane_x)
            fail_msg("triangle %zu lies in the plane between tiles", i / 3);
    }
    window_soup_release(&soup);
}

static void a_small_ball_taken_away_beside_a_border_leaves_no_wall_in_it(void **state)
{
    static const double places[2][2] = {{63.5, 32}, {63.5, 63.5}};
    (void)state;
    for (int32_t height = 32 * UNITS; height < 33 * UNITS; height += 100) {
        struct window w = flat(64, 2, 2, height);
        const int64_t euler = euler_of(&w);
        assert_int_equal(euler, 1);
        for (int i = 0; i < 2; i++) {
            struct window dug = window_copy(&w);
            window_ball(&dug, (double[3]){places[i][0], height / 256.0 - w.first_y, places[i][1]}, 1, 0,
                        false);
            assert_memory_not_equal(dug.samples, w.samples, window_sample_count(&w) * sizeof *w.samples);
            expect_no_wall(&dug, 64 * UNITS);
            assert_int_equal(euler_of(&dug), euler);
            window_release(&dug);
        }
        window_release(&w);
    }
}

/* The direction that tr_octahedral packed, of length 1. */
static void unpack_normal(uint32_t packed, double n[3])
{
    const double u = (int16_t)(packed & 0xffff) / 32767.0, v = (int16_t)(packed >> 16) / 32767.0;
    n[0] = u;
    n[1] = 1 - fabs(u) - fabs(v);
    n[2] = v;
    if (n[1] < 0) {
        n[0] = (1 - fabs(v)) * (u < 0 ? -1 : 1);
        n[2] = (1 - fabs(u)) * (v < 0 ? -1 : 1);
    }
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++)
        n[i] /= length;
}

/* Height 0.1 x^2 over two chunks; bit i of `marched` marches chunk i. */
static void expect_normals_meet(uint32_t marched)
{
    struct window w = {.layout = WINDOW_COLUMNS, .width = 64, .size = {128, 0, 2}};
    const double slope = 0.2 * 64, length = sqrt(slope * slope + 1),
                 due[3] = {-slope / length, 1 / length, 0};
    struct window_soup soup;
    int32_t heights[3 * 129];
    uint32_t found = 0, normal = 0;
    for (int i = 0; i < 3 * 129; i++)
        heights[i] = (int32_t)floor(25.6 * (i % 129) * (i % 129) + 0.5);
    window_fill_heights(&w, heights);
    for (uint32_t i = 0; i < 2; i++)
        w.forced[i] = marched >> i & 1;
    window_assemble(&w, &soup);
    for (size_t i = 0; i < soup.vertex_count; i++) {
        double n[3];
        if (soup.xyz[i][0] != 64 * UNITS)
            continue;
        unpack_normal(soup.normals[i], n);
        for (int axis = 0; axis < 3; axis++) {
            if (fabs(n[axis] - due[axis]) > 1e-3)
                fail_msg("chunks marched %u: normal (%g %g %g), expected (%g %g %g)", marched, n[0], n[1],
                         n[2], due[0], due[1], due[2]);
        }
        normal = found++ ? normal : soup.normals[i];
        assert_int_equal(soup.normals[i], normal);
    }
    assert_int_equal(found, 6); /* three on each side */
    window_soup_release(&soup);
    expect_right(w, NULL, "case 10");
}

static void normals_are_equal_on_both_sides_of_a_border_and_right(void **state)
{
    (void)state;
    for (uint32_t marched = 0; marched < 4; marched++)
        expect_normals_meet(marched);
}

static void gentle_slopes_in_blocks_have_no_terraces_at_any_lod(void **state)
{
    (void)state;
    for (uint32_t lod = 0; lod <= 4; lod++) {
        struct window w = {.layout = WINDOW_COLUMNS, .width = 8, .top = 4, .size = {256, 0, 16}};
        struct window_soup soup;
        int32_t heights[257 * 17];
        for (int i = 0; i < 257 * 17; i++)
            heights[i] = 100 + 4 * (i % 257); /* 1/64 */
        window_fill_heights(&w, heights);
        memset(w.forced, 0xff, window_block(&w, 0, 1, 0));
        window_select_uniform(&w, lod);
        window_assemble(&w, &soup);
        assert_true(soup.vertex_count > 16);
        for (size_t i = 0; i < soup.vertex_count; i++) {
            const double due = 100 + soup.xyz[i][0] / 64.0;
            const double height = (double)(soup.xyz[i][1] + (int64_t)w.first_y * UNITS);
            if (fabs(height - due) > 1)
                fail_msg("LOD %u: a vertex at height %g, expected %g", lod, height, due);
        }
        window_soup_release(&soup);
        expect_right(w, NULL, "case 13");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_windows_of_all_pairings_are_closed),
        cmocka_unit_test(tiles_for_all_neighbourhoods_settle_as_those_for_their_own),
        cmocka_unit_test(one_set_of_tiles_of_all_lods_is_closed_in_every_selection),
        cmocka_unit_test(a_world_of_heights_has_no_triangle_facing_down),
        cmocka_unit_test(whole_heights_beside_a_slanted_border_face_up),
        cmocka_unit_test(every_legal_pattern_of_coarse_and_fine_cubes_is_closed),
        cmocka_unit_test(a_tile_of_another_lod_on_6_faces_12_edges_and_8_corners_is_closed_and_outward),
        cmocka_unit_test(three_lods_meeting_at_a_corner_are_closed),
        cmocka_unit_test(rings_of_lods_0_to_6_are_closed),
        cmocka_unit_test(the_smallest_inputs_of_wrong_readings_are_closed_when_read_right),
        cmocka_unit_test(alternating_lods_round_an_edge_crowd_it),
        cmocka_unit_test(every_wrong_reading_is_noticed_in_random_windows),
        cmocka_unit_test(a_failing_window_shrinks_to_a_few_tiles_and_reads_back),
        cmocka_unit_test(transitions_of_smooth_ground_oppose_its_gradient_in_under_half_a_percent),
        cmocka_unit_test(a_crater_tangent_to_a_chunk_face_is_closed_and_one_missing_triangle_opens_3_edges),
        cmocka_unit_test(a_crater_tangent_to_a_chunk_corner_is_closed),
        cmocka_unit_test(craters_tangent_to_tiles_are_closed_among_mixed_lods),
        cmocka_unit_test(a_sample_exactly_on_the_surface_of_a_checkerboard_is_closed),
        cmocka_unit_test(flat_ground_on_samples_has_each_vertex_once),
        cmocka_unit_test(cellular_noise_is_closed_and_no_triangle_leaves_its_cell),
        cmocka_unit_test(a_small_ball_taken_away_beside_a_border_leaves_no_wall_in_it),
        cmocka_unit_test(normals_are_equal_on_both_sides_of_a_border_and_right),
        cmocka_unit_test(gentle_slopes_in_blocks_have_no_terraces_at_any_lod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
