/* Applying brushes to one chunk: loops over rows along x around the scalar functions of shaders/brush.h and shaders/volume.h.
 *
 * Rows are worked on in a line of their own, in whole rounds of lanes around the slot's box, and only what lies in the box is taken from it.
 * What differs from edit to edit but not from sample to sample (operation, falloff) is a constant where the loop is compiled, so that a row
 * has no branch and becomes vectors; `slot.falloff = falloff` and the like say so to the compiler. The arithmetic is that of the scalar
 * functions, whose results vectors do not change: no contraction, no reordering.
 *
 * A slot's box, which is never empty, bounds the loops: samples outside it are never touched. Compiled once for each instruction set, see
 * lib/base/isa.h. */
#include "lib/edit/apply_lanes.h"

/* Calls box(*slot, falloff, power, ...) with the slot's falloff as a constant, and the power of sharp, which costs a product each, where it
 * is the default. */
#define FALLOFF_CASE(falloff, box, ...)                                                                      \
    case falloff:                                                                                            \
        box(*slot, falloff, slot->power, __VA_ARGS__);                                                       \
        break;
#define SWITCH_FALLOFF(box, ...)                                                                             \
    switch (slot->falloff) {                                                                                 \
        FALLOFF_CASE(TR_FALLOFF_SMOOTH, box, __VA_ARGS__)                                                    \
        FALLOFF_CASE(TR_FALLOFF_SMOOTHER, box, __VA_ARGS__)                                                  \
        FALLOFF_CASE(TR_FALLOFF_SPHERE, box, __VA_ARGS__)                                                    \
        FALLOFF_CASE(TR_FALLOFF_ROOT, box, __VA_ARGS__)                                                      \
        FALLOFF_CASE(TR_FALLOFF_POW4, box, __VA_ARGS__)                                                      \
        FALLOFF_CASE(TR_FALLOFF_LINEAR, box, __VA_ARGS__)                                                    \
        FALLOFF_CASE(TR_FALLOFF_INVERSE_SQUARE, box, __VA_ARGS__)                                            \
        FALLOFF_CASE(TR_FALLOFF_CONSTANT, box, __VA_ARGS__)                                                  \
    case TR_FALLOFF_SHARP:                                                                                   \
        if (slot->power == POWER_COMMON)                                                                     \
            box(*slot, TR_FALLOFF_SHARP, POWER_COMMON, __VA_ARGS__);                                         \
        else                                                                                                 \
            box(*slot, TR_FALLOFF_SHARP, slot->power, __VA_ARGS__);                                          \
        break;                                                                                               \
    }
#define POWER_COMMON 3u

/* --- heights --- */

/* Octave by octave, as add_noise3. */
static void add_noise2(const uint *words, uint at, int first, int z, lanes *sums)
{
    for (uint o = 0; o < words[at + 1u]; o++) {
#pragma omp simd
        for (int i = 0; i < LANES; i++)
            (*sums)[i] += tr_brush_octave2(words, at, o, tr_to_float(first + i), tr_to_float(z));
    }
}

/* The image at words[at] at the samples from `first` on. */
static void take_image(const uint *words, uint at, int first, int y, int z, lanes *image)
{
#pragma omp simd
    for (int i = 0; i < LANES; i++)
        (*image)[i] = tr_words_image(words, at, tr_to_float(first + i), tr_to_float(y), tr_to_float(z));
}

/* Slots whose weight is multiplied by a pattern, NOISE and STAMP, are one operation behind it: that of noise. *pattern is 0 before. */
static void take_pattern2(const uint *words, const tr_edit_slot *slot, int first, int z, lanes *pattern)
{
    if (slot->op == TR_SLOT_STAMP)
        take_image(words, slot->words, first, 0, z, pattern);
    else
        add_noise2(words, slot->words, first, z, pattern);
}

ALWAYS_INLINE int height_after(tr_edit_slot slot, int x, int z, int height, float pattern)
{
    if (slot.op == TR_SLOT_RAISE)
        return tr_brush_raise(slot, x, z, height);
    if (slot.op == TR_SLOT_LEVEL)
        return tr_brush_level(slot, x, z, height);
    return tr_brush_displace(slot, x, z, height, pattern);
}

ALWAYS_INLINE void height_box(tr_edit_slot slot, uint falloff, uint power, uint op, const uint *words,
                              const tr_edit_slot *source, int32_t *restrict heights)
{
    size_t size_bytes = (size_t)(slot.hi_x - slot.lo_x + 1) * sizeof *heights;
    int32_t line[TR_CHUNK] = {0};

    slot.falloff = falloff;
    slot.power = power;
    slot.op = op;
    for (int z = slot.lo_z; z <= slot.hi_z; z++) {
        int32_t *restrict row = heights + z * TR_CHUNK;
        memcpy(line + slot.lo_x, row + slot.lo_x, size_bytes);
        for (int first = slot.lo_x / LANES * LANES; first <= slot.hi_x; first += LANES) {
            lanes pattern = {0};
            if (op == TR_SLOT_NOISE)
                take_pattern2(words, source, first, z, &pattern);
#pragma omp simd
            for (int i = 0; i < LANES; i++)
                line[first + i] = height_after(slot, first + i, z, line[first + i], pattern[i]);
        }
        memcpy(row + slot.lo_x, line + slot.lo_x, size_bytes);
    }
}

void TR_ISA_NAME(tr_apply_height)(const uint32_t *words, const tr_edit_slot *slot, int32_t *heights)
{
    if (slot->op == TR_SLOT_RAISE)
        SWITCH_FALLOFF(height_box, TR_SLOT_RAISE, words, slot, heights)
    else if (slot->op == TR_SLOT_LEVEL)
        SWITCH_FALLOFF(height_box, TR_SLOT_LEVEL, words, slot, heights)
    else
        SWITCH_FALLOFF(height_box, TR_SLOT_NOISE, words, slot, heights)
}

#define HALO TR_HEIGHT_HALO
#define BENDS (HALO - 2) /* bends along a side: all that have their neighbours in the halo */

/* The height at column (x, z) in the halo. */
ALWAYS_INLINE const int32_t *halo_at(const int32_t *halo, int x, int z)
{
    return halo + (z + 2) * HALO + x + 2;
}

/* here points to a height in the halo. */
ALWAYS_INLINE int neighbour_sum(const int32_t *here)
{
    return here[-1] + here[1] + here[-HALO] + here[HALO];
}

ALWAYS_INLINE void smooth_box(tr_edit_slot slot, uint falloff, uint power, const int32_t *restrict halo,
                              int32_t *restrict after)
{
    int32_t line[TR_CHUNK];

    slot.falloff = falloff;
    slot.power = power;
    for (int z = slot.lo_z; z <= slot.hi_z; z++) {
        const int32_t *restrict here = halo_at(halo, 0, z);
        for (int first = slot.lo_x / LANES * LANES; first <= slot.hi_x; first += LANES) {
#pragma omp simd
            for (int x = first; x < first + LANES; x++)
                line[x] = tr_brush_smooth(slot, x, z, here[x], neighbour_sum(here + x));
        }
        memcpy(after + z * TR_CHUNK + slot.lo_x, line + slot.lo_x,
               (size_t)(slot.hi_x - slot.lo_x + 1) * sizeof *after);
    }
}

/* Bends of the columns -1..64, [z + 1][x + 1]. */
static void make_bends(const int32_t *restrict halo, int32_t *restrict bends)
{
    for (int z = -1; z <= TR_CHUNK; z++) {
        const int32_t *restrict here = halo_at(halo, -1, z);
        int32_t *restrict row = bends + (z + 1) * BENDS;
#pragma omp simd
        for (int i = 0; i < BENDS; i++)
            row[i] = neighbour_sum(here + i) - 4 * here[i];
    }
}

ALWAYS_INLINE void hc_smooth_box(tr_edit_slot slot, uint falloff, uint power, const int32_t *restrict halo,
                                 const int32_t *restrict bends, int32_t *restrict after)
{
    int32_t line[TR_CHUNK];

    slot.falloff = falloff;
    slot.power = power;
    for (int z = slot.lo_z; z <= slot.hi_z; z++) {
        const int32_t *restrict here = halo_at(halo, 0, z);
        const int32_t *restrict bend = bends + (z + 1) * BENDS + 1;
        for (int first = slot.lo_x / LANES * LANES; first <= slot.hi_x; first += LANES) {
#pragma omp simd
            for (int x = first; x < first + LANES; x++) {
                int sum = bend[x - 1] + bend[x + 1] + bend[x - BENDS] + bend[x + BENDS];
                line[x] = tr_brush_hc_smooth(slot, x, z, here[x], bend[x], sum);
            }
        }
        memcpy(after + z * TR_CHUNK + slot.lo_x, line + slot.lo_x,
               (size_t)(slot.hi_x - slot.lo_x + 1) * sizeof *after);
    }
}

void TR_ISA_NAME(tr_apply_smooth)(const tr_edit_slot *slot, const int32_t *halo, int32_t *after)
{
    int32_t bends[BENDS * BENDS];

    for (int z = 0; z < TR_CHUNK; z++)
        memcpy(after + z * TR_CHUNK, halo_at(halo, 0, z), TR_CHUNK * sizeof *after);
    if (slot->op == TR_SLOT_SMOOTH) {
        SWITCH_FALLOFF(smooth_box, halo, after)
    } else {
        make_bends(halo, bends);
        SWITCH_FALLOFF(hc_smooth_box, halo, bends, after)
    }
}

/* --- the height field in blocks --- */

void TR_ISA_NAME(tr_apply_begin)(const int32_t *heights, uint32_t size_x, uint32_t size_z, int32_t cy,
                                 int16_t *samples)
{
    for (int y = 0; y < TR_CHUNK; y++) {
        for (int z = 0; z < (int)size_z; z++) {
            const int32_t *restrict row_heights = heights + z * TR_CHUNK;
            int16_t *restrict row = samples + tr_block_index(0, y, z);
#pragma omp simd
            for (int x = 0; x < (int)size_x; x++)
                row[x] = (int16_t)tr_height_field(TR_CHUNK * cy + y, row_heights[x]);
        }
    }
}

void TR_ISA_NAME(tr_apply_follow)(const int32_t *before, const int32_t *after, int32_t cy, int16_t *samples)
{
    bool row_changes[TR_CHUNK];

    for (int z = 0; z < TR_CHUNK; z++)
        row_changes[z] = memcmp(before + z * TR_CHUNK, after + z * TR_CHUNK, TR_CHUNK * sizeof *before) != 0;

    for (int y = 0; y < TR_CHUNK; y++) {
        for (int z = 0; z < TR_CHUNK; z++) {
            const int32_t *restrict row_before = before + z * TR_CHUNK;
            const int32_t *restrict row_after = after + z * TR_CHUNK;
            int16_t *restrict row = samples + tr_block_index(0, y, z);
            if (!row_changes[z])
                continue;
#pragma omp simd
            for (int x = 0; x < TR_CHUNK; x++) {
                int f = tr_height_field(TR_CHUNK * cy + y, row_before[x]);
                int f2 = tr_height_field(TR_CHUNK * cy + y, row_after[x]);
                row[x] = (int16_t)tr_follow(row[x], f, f2);
            }
        }
    }
}

/* --- volume brushes --- */

/* As take_pattern2. */
static void take_pattern3(const uint *words, const tr_edit_slot *slot, int first, int y, int z,
                          lanes *pattern)
{
    if (slot->op == TR_SLOT_VOLUME_STAMP)
        take_image(words, slot->words, first, y, z, pattern);
    else
        add_noise3(words, slot->words, first, y, z, pattern);
}

ALWAYS_INLINE int sample_after(tr_edit_slot slot, int x, int y, int z, int s, float pattern)
{
    if (slot.op == TR_SLOT_PUSH)
        return tr_volume_push(slot, x, y, z, s);
    if (slot.op == TR_SLOT_PLANE)
        return tr_volume_plane(slot, x, y, z, s);
    return tr_volume_displace(slot, x, y, z, s, pattern);
}

/* The slot whose falloff and operation are constants is a copy: the compiler must see that tr_slab_next does not change it. */
ALWAYS_INLINE void brush_box(tr_edit_slot slot, uint falloff, uint power, uint op, const uint *words,
                             const tr_edit_slot *source, int16_t *restrict samples)
{
    struct tr_slab slab = {.lo = {-1}};
    int line[LANES];

    slot.falloff = falloff;
    slot.power = power;
    slot.op = op;
    while (tr_slab_next(words, source, &slab)) {
        int first = tr_slab_first(&slab);
        for (int y = slab.lo[1]; y <= slab.hi[1]; y++)
            for (int z = slab.lo[2]; z <= slab.hi[2]; z++) {
                int16_t *row = samples + tr_block_index(first, y, z);
                tr_slab_take(&slab, row, line);
                lanes pattern = {0};
                if (op == TR_SLOT_VOLUME_NOISE)
                    take_pattern3(words, source, first, y, z, &pattern);
#pragma omp simd
                for (int i = 0; i < LANES; i++)
                    line[i] = sample_after(slot, first + i, y, z, line[i], pattern[i]);
                tr_slab_put(&slab, line, row);
            }
    }
}

void TR_ISA_NAME(tr_apply_volume)(const uint32_t *words, const tr_edit_slot *slot, int16_t *samples)
{
    if (tr_slot_is_shape(*slot))
        TR_ISA_NAME(tr_apply_shape)(words, slot, samples);
    else if (slot->op == TR_SLOT_PUSH)
        SWITCH_FALLOFF(brush_box, TR_SLOT_PUSH, words, slot, samples)
    else if (slot->op == TR_SLOT_PLANE)
        SWITCH_FALLOFF(brush_box, TR_SLOT_PLANE, words, slot, samples)
    else
        SWITCH_FALLOFF(brush_box, TR_SLOT_VOLUME_NOISE, words, slot, samples)
}

/* --- brushes that read the samples around --- */

/* A cube of samples, of a block and so many around it. */
struct halo {
    const int16_t *samples;
    int margin, side;
};

ALWAYS_INLINE int cube_index(const struct halo *halo, int x, int y, int z)
{
    return ((y + halo->margin) * halo->side + z + halo->margin) * halo->side + x + halo->margin;
}

/* here points to the sample; rows and layers are so far apart. */
ALWAYS_INLINE int smooth_or_inflate(tr_edit_slot slot, int x, int y, int z, const int16_t *here, int row,
                                    int layer)
{
    if (slot.op == TR_SLOT_VOLUME_SMOOTH) {
        int sum = here[-1] + here[1] + here[-row] + here[row] + here[-layer] + here[layer];
        return tr_volume_smooth(slot, x, y, z, here[0], sum);
    }
    return tr_volume_inflate(slot, x, y, z, here[0], here[1] - here[-1], here[layer] - here[-layer],
                             here[row] - here[-row]);
}

ALWAYS_INLINE void smooth_or_inflate_row(tr_edit_slot slot, const struct tr_slab *slab,
                                         const struct halo *halo, int y, int z, int *restrict line)
{
    int first = tr_slab_first(slab), side = halo->side;
    const int16_t *restrict here = halo->samples + cube_index(halo, first, y, z);

#pragma omp simd
    for (int i = 0; i < LANES; i++)
        line[i] = smooth_or_inflate(slot, first + i, y, z, here + i, side, side * side);
}

/* The 8 samples from each index on, by their bits x, y, z. No instruction set loads 16 bits from many places, so they come one by one, and
 * for lanes outside the box, which may point anywhere, not at all. */
ALWAYS_INLINE void take_corners(const struct tr_slab *slab, const struct halo *halo, const int *indices,
                                int corners[8][LANES])
{
    int first = tr_slab_first(slab), row = halo->side, layer = row * row;

    for (int i = slab->lo[0] - first; i <= slab->hi[0] - first; i++)
        for (int k = 0; k < 8; k++)
            corners[k][i] = halo->samples[indices[i] + (k & 1) + (k >> 1 & 1) * layer + (k >> 2) * row];
}

ALWAYS_INLINE void pinch_or_grab_row(tr_edit_slot slot, const struct tr_slab *slab, const struct halo *halo,
                                     int y, int z, int *restrict line)
{
    int first = tr_slab_first(slab), indices[LANES], corners[8][LANES] = {{0}};
    lanes wx, wy, wz;

#pragma omp simd
    for (int i = 0; i < LANES; i++) {
        tr_source source = tr_volume_source(slot, first + i, y, z);
        indices[i] = cube_index(halo, source.x, source.y, source.z);
        wx[i] = source.wx;
        wy[i] = source.wy;
        wz[i] = source.wz;
    }
    take_corners(slab, halo, indices, corners);
#pragma omp simd
    for (int i = 0; i < LANES; i++) {
        tr_source source = {.wx = wx[i], .wy = wy[i], .wz = wz[i]};
        line[i] = tr_volume_mix(source, corners[0][i], corners[1][i], corners[2][i], corners[3][i],
                                corners[4][i], corners[5][i], corners[6][i], corners[7][i]);
    }
}

ALWAYS_INLINE void reshape_box(tr_edit_slot slot, uint falloff, uint power, uint op,
                               const tr_edit_slot *source, const struct halo *halo, int16_t *restrict after)
{
    struct tr_slab slab = {.lo = {-1}};
    int line[LANES];

    slot.falloff = falloff;
    slot.power = power;
    slot.op = op;
    while (tr_slab_next(NULL, source, &slab)) {
        int first = tr_slab_first(&slab);
        for (int y = slab.lo[1]; y <= slab.hi[1]; y++)
            for (int z = slab.lo[2]; z <= slab.hi[2]; z++) {
                if (op == TR_SLOT_PINCH || op == TR_SLOT_GRAB)
                    pinch_or_grab_row(slot, &slab, halo, y, z, line);
                else
                    smooth_or_inflate_row(slot, &slab, halo, y, z, line);
                tr_slab_put(&slab, line, after + tr_block_index(first, y, z));
            }
    }
}

void TR_ISA_NAME(tr_apply_reshape)(const tr_edit_slot *slot, uint32_t margin, const int16_t *samples,
                                   int16_t *after)
{
    struct halo halo = {samples, (int)margin, TR_CHUNK + 2 * (int)margin};

    for (int y = 0; y < TR_CHUNK; y++)
        for (int z = 0; z < TR_CHUNK; z++)
            memcpy(after + tr_block_index(0, y, z), samples + cube_index(&halo, 0, y, z),
                   TR_CHUNK * sizeof *after);
    if (slot->op == TR_SLOT_VOLUME_SMOOTH)
        SWITCH_FALLOFF(reshape_box, TR_SLOT_VOLUME_SMOOTH, slot, &halo, after)
    else if (slot->op == TR_SLOT_INFLATE)
        SWITCH_FALLOFF(reshape_box, TR_SLOT_INFLATE, slot, &halo, after)
    else if (slot->op == TR_SLOT_PINCH)
        SWITCH_FALLOFF(reshape_box, TR_SLOT_PINCH, slot, &halo, after)
    else
        SWITCH_FALLOFF(reshape_box, TR_SLOT_GRAB, slot, &halo, after)
}
