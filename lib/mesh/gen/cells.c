/* The two kinds of cells: corners, edges and faces with the numbers of the drawings in shaders/cell.h and
 * shaders/transition.h.
 *
 * A transition cell has its true proportions, one part wide where the coarse cell is four. Its faces are the
 * four quarters of the full-resolution face, the half-resolution face and the four narrow sides, which have
 * five corners:
 *
 *        9-----------10       the side v = 0. Samples 9 and 10 are 0 and 2, so 0-9 and 2-10 are never
 *        |            |       crossed; they are sides of the face but no edges of the cell.
 *        0-----1------2
 *
 * On the quarters a diagonal is allowed: the finer cells behind them have none there. Thirteen cases, with
 * loops that lie flat in the full-resolution face, cannot be filled without. */
#include "lib/mesh/gen/case_gen.h"

enum {
    UNIT = 3 * SIDE, /* one part, as fields take it */
};

/* Bilinear interpolation of four samples in the square from 0 to `width`, times width^2. The samples are the
 * first, its neighbours along the first and the second axis, and the last. */
static int64_t bilinear(unsigned signs, const int sample[4], int64_t a, int64_t b, int64_t width)
{
    const int64_t weight[4] = {(width - a) * (width - b), a * (width - b), (width - a) * b, a * b};
    int64_t sum = 0;

    for (int i = 0; i < 4; i++)
        sum += signs >> sample[i] & 1 ? -weight[i] : weight[i];
    return sum;
}

static int64_t regular_field(unsigned signs, struct point p)
{
    static const int below[4] = {0, 1, 2, 3}, above[4] = {4, 5, 6, 7};

    return bilinear(signs, below, p.at[0], p.at[1], UNIT) * (UNIT - p.at[2]) +
           bilinear(signs, above, p.at[0], p.at[1], UNIT) * p.at[2];
}

/* Linear across the cell; on the full-resolution face bilinear in each quarter. */
static int64_t transition_field(unsigned signs, struct point p)
{
    static const int half[4] = {0, 2, 6, 8};
    int u = p.at[0] >= 2 * UNIT, v = p.at[1] >= 2 * UNIT;
    const int quarter[4] = {u + 3 * v, u + 3 * v + 1, u + 3 * v + 3, u + 3 * v + 4};
    int64_t on_full = bilinear(signs, quarter, p.at[0] - u * 2 * UNIT, p.at[1] - v * 2 * UNIT, 2 * UNIT);
    int64_t on_half = bilinear(signs, half, p.at[0], p.at[1], 4 * UNIT);

    return 4 * on_full * (UNIT - p.at[2]) + on_half * p.at[2];
}

const struct cell regular_cell = {
    .case_count = 256,
    .edge_count = 12,
    .face_count = 6,
    .corner = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}},
    .sample = {0, 1, 2, 3, 4, 5, 6, 7},
    .edge = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
    .face_corner_count = {4, 4, 4, 4, 4, 4},
    .face = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}},
    .faces_without_diagonal = 0x3f,
    .field = regular_field,
};

const struct cell transition_cell = {
    .case_count = 512,
    .edge_count = 16,
    .face_count = 9,
    .corner = {{0, 0, 0},
               {2, 0, 0},
               {4, 0, 0},
               {0, 2, 0},
               {2, 2, 0},
               {4, 2, 0},
               {0, 4, 0},
               {2, 4, 0},
               {4, 4, 0},
               {0, 0, 1},
               {4, 0, 1},
               {0, 4, 1},
               {4, 4, 1}},
    .sample = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 2, 6, 8},
    .edge = {{0, 1},
             {1, 2},
             {3, 4},
             {4, 5},
             {6, 7},
             {7, 8},
             {0, 3},
             {1, 4},
             {2, 5},
             {3, 6},
             {4, 7},
             {5, 8},
             {9, 10},
             {11, 12},
             {9, 11},
             {10, 12}},
    .face_corner_count = {4, 4, 4, 4, 4, 5, 5, 5, 5},
    .face = {{0, 3, 4, 1},
             {1, 4, 5, 2},
             {3, 6, 7, 4},
             {4, 7, 8, 5},
             {9, 10, 12, 11},
             {0, 1, 2, 10, 9},
             {6, 11, 12, 8, 7},
             {0, 9, 11, 6, 3},
             {2, 5, 8, 12, 10}},
    .faces_without_diagonal = 0x1f0,
    .ring_case = 0x155,
    .field = transition_field,
};
