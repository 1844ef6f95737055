/* Selections: every chunk of a window is covered once, neighbours differ by at most one LOD, and no corner alternates. */
#include "lib/mesh/selection.h"
#include "tests/support/test.h"

/* The LOD that a window gives a chunk; fails unless exactly one column covers it. */
static uint32_t lod_at(const struct tr_selection *selection, int32_t x, int32_t z)
{
    uint32_t found = TR_LODS, count = 0;
    for (uint32_t lod = 0; lod < TR_LODS; lod++)
        if (tr_selection_has(selection, lod, x >> lod, z >> lod)) {
            found = lod;
            count++;
        }
    if (count != 1)
        fail_msg("chunk %d,%d is covered %u times", x, z, count);
    return found;
}

static void assert_legal(const struct tr_selection *selection)
{
    for (int32_t z = 0; z + 1 < selection->size_z; z++)
        for (int32_t x = 0; x + 1 < selection->size_x; x++) {
            const uint32_t a = lod_at(selection, x, z), b = lod_at(selection, x + 1, z),
                           c = lod_at(selection, x, z + 1), d = lod_at(selection, x + 1, z + 1);
            const bool is_steep = a > b + 1 || b > a + 1 || a > c + 1 || c > a + 1;
            const bool alternates = a == d && b == c && a != b;
            if (is_steep || alternates)
                fail_msg("chunks at %d,%d have LOD %u %u / %u %u", x, z, a, b, c, d);
        }
}

static void rings_cover_the_world_once_and_are_legal(void **state)
{
    (void)state;
    static const int32_t sizes[][2] = {{1, 1}, {3, 5}, {64, 64}, {65, 130}, {200, 33}};
    static const int32_t focuses[][2] = {{0, 0}, {2, 1}, {31, 40}, {63, 0}, {-9, 500}};
    for (int s = 0; s < 5; s++)
        for (int f = 0; f < 5; f++)
            for (uint32_t count = 1; count <= TR_LODS; count++)
                for (uint32_t width = 1; width <= 3; width++) {
                    struct tr_selection selection;
                    tr_selection_rings(&selection, sizes[s][0], sizes[s][1], focuses[f][0], focuses[f][1],
                                       count, width);
                    assert_legal(&selection);
                }
}

static void the_focus_has_lod_0_and_so_have_tiles_within_the_ring_width(void **state)
{
    (void)state;
    struct tr_selection selection;
    tr_selection_rings(&selection, 200, 200, 100, 77, 7, 3);
    for (int32_t dz = -3; dz <= 3; dz++)
        for (int32_t dx = -3; dx <= 3; dx++)
            assert_int_equal(lod_at(&selection, 100 + dx, 77 + dz), 0);
    assert_int_equal(lod_at(&selection, 106, 77), 1);
    tr_selection_rings(&selection, 200, 200, 100, 77, 7, 1); /* widened to x 98-102, 96-104, 88-112, ... */
    static const int32_t places[][2] = {{101, 0}, {102, 1}, {104, 2}, {112, 3}, {128, 4}, {160, 5}, {192, 6}};
    for (int i = 0; i < 7; i++)
        assert_int_equal(lod_at(&selection, places[i][0], 77), places[i][1]);
}

static int sign_of_difference(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static void states_are_what_the_chunks_along_each_side_say(void **state)
{
    (void)state;
    static const uint8_t expected_state[3] = {TR_SIDE_COARSER, TR_SIDE_SAME, TR_SIDE_FINER};
    struct tr_selection selection;
    tr_selection_rings(&selection, 70, 67, 20, 30, 5, 1);
    for (uint32_t lod = 0; lod < 5; lod++)
        for (int32_t cz = 0; cz < tr_columns_along(67, lod); cz++)
            for (int32_t cx = 0; cx < tr_columns_along(70, lod); cx++) {
                if (!tr_selection_has(&selection, lod, cx, cz))
                    continue;
                uint8_t states[TR_SIDES];
                tr_selection_states(&selection, lod, cx, cz, states);
                for (int side = 0; side < TR_SIDES; side++) {
                    const int32_t x0 = cx << lod, z0 = cz << lod, width = 1 << lod;
                    for (int32_t i = 0; i < width; i++) {
                        const int32_t x = side == 0 ? x0 - 1 : side == 1 ? x0 + width : x0 + i;
                        const int32_t z = side == 4 ? z0 - 1 : side == 5 ? z0 + width : z0 + i;
                        const bool is_edge = side == 2 || side == 3 || x < 0 || z < 0 || x >= 70 || z >= 67;
                        const int sign = is_edge ? 0 : sign_of_difference(lod, lod_at(&selection, x, z));
                        if (is_edge && i > 0)
                            continue; /* beyond the world on the other axis */
                        assert_int_equal(states[side], expected_state[1 + sign]);
                    }
                }
            }
}

static void a_pack_of_all_lods_says_what_each_side_may_meet(void **state)
{
    (void)state;
    struct tr_selection selection;
    uint8_t states[TR_SIDES];
    tr_selection_all(&selection, 9, 9, 3);
    tr_selection_states(&selection, 0, 1, 0,
                        states); /* its -x neighbour has the same parent, -z is the edge */
    assert_int_equal(states[0], TR_SIDE_SAME);
    assert_int_equal(states[1], TR_SIDE_SAME | TR_SIDE_COARSER);
    assert_int_equal(states[4], TR_SIDE_SAME);
    assert_int_equal(states[5], TR_SIDE_SAME);
    tr_selection_states(&selection, 2, 1, 1, states);
    assert_int_equal(states[0], TR_SIDE_SAME | TR_SIDE_FINER);
    assert_int_equal(states[1], TR_SIDE_SAME | TR_SIDE_FINER | TR_SIDE_COARSER);
    tr_selection_states(&selection, 3, 0, 0, states);
    assert_int_equal(states[1], TR_SIDE_SAME | TR_SIDE_FINER);
    assert_true(tr_selection_has(&selection, 3, 1, 1));
    assert_false(tr_selection_has(&selection, 4, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_cover_the_world_once_and_are_legal),
        cmocka_unit_test(the_focus_has_lod_0_and_so_have_tiles_within_the_ring_width),
        cmocka_unit_test(states_are_what_the_chunks_along_each_side_say),
        cmocka_unit_test(a_pack_of_all_lods_says_what_each_side_may_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
