/* Windows as data: samples, legal selections, text. See window.h. */
#include "tests/support/window.h"

#include "lib/base/alloc.h"
#include "shaders/shared.h"
#include "tests/support/test.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const mutant_names[WINDOW_MUTANTS] = {
    "right",       "border-per-side", "touch-owned", "touch-own-lod",    "skip-by-lattice",
    "move-if-any", "drop-flat",       "keep-equal",  "height-on-sample",
};

const char *window_mutant_name(enum window_mutant mutant)
{
    return mutant_names[mutant];
}

/* ---- samples ---- */

static int32_t clamp(int32_t value, int32_t lo, int32_t hi)
{
    return value < lo ? lo : value > hi ? hi : value;
}

int16_t window_sample(const struct window *w, int32_t x, int32_t y, int32_t z)
{
    return w->samples[window_index(w, clamp(x, 0, w->size[0]), y, clamp(z, 0, w->size[2]))];
}

int16_t window_height_sample(const struct window *w, int32_t x, int32_t y, int32_t z)
{
    const int32_t height = w->heights[(size_t)z * (size_t)(w->size[0] + 1) + (size_t)x];
    return (int16_t)clamp(TR_UNITS * (w->first_y + y) - height, -TR_SDF_MAX, TR_SDF_MAX);
}

/* Whether the layers lo .. hi are all solid or all air. */
static bool are_layers_level(const struct window *w, int32_t lo, int32_t hi, bool *is_solid)
{
    const size_t end = window_index(w, 0, hi + 1, 0);
    size_t i = window_index(w, 0, lo, 0);
    *is_solid = w->samples[i] <= 0;
    while (i < end && (w->samples[i] <= 0) == *is_solid)
        i++;
    return i == end;
}

bool window_has_level_ends(const struct window *w, bool *bottom_is_solid, bool *top_is_solid)
{
    return are_layers_level(w, -1, 0, bottom_is_solid) &&
           are_layers_level(w, w->size[1], w->size[1] + 1, top_is_solid);
}

/* ---- memory ---- */

int32_t window_blocks(const struct window *w, int axis, uint32_t lod)
{
    const int32_t block = (int32_t)(w->width << lod);
    return axis == 1 && w->layout == WINDOW_COLUMNS ? 1 : (w->size[axis] + block - 1) / block;
}

size_t window_block(const struct window *w, int32_t x, int32_t y, int32_t z)
{
    return ((size_t)y * (size_t)window_blocks(w, 2, 0) + (size_t)z) * (size_t)window_blocks(w, 0, 0) +
           (size_t)x;
}

static size_t block_count(const struct window *w)
{
    return window_block(w, 0, window_blocks(w, 1, 0), 0);
}

static size_t height_count(const struct window *w)
{
    return (size_t)(w->size[0] + 1) * (size_t)(w->size[2] + 1);
}

static void *array_of(size_t count, size_t size_bytes)
{
    struct tr_error error = {0};
    void *array = tr_alloc(count, size_bytes, &error);
    if (!array)
        fail_msg("%s", error.text);
    return array;
}

void window_allocate(struct window *w)
{
    w->samples = array_of(window_sample_count(w), sizeof *w->samples);
    w->lods = array_of(block_count(w), 1);
    w->heights = NULL;
    w->forced = NULL;
    if (w->layout == WINDOW_COLUMNS) {
        w->heights = array_of(height_count(w), sizeof *w->heights);
        w->forced = array_of(block_count(w), 1);
    }
}

void window_release(struct window *w)
{
    free(w->samples);
    free(w->heights);
    free(w->lods);
    free(w->forced);
    *w = (struct window){0};
}

struct window window_copy(const struct window *w)
{
    struct window copy = *w;
    window_allocate(&copy);
    memcpy(copy.samples, w->samples, window_sample_count(w) * sizeof *w->samples);
    memcpy(copy.lods, w->lods, block_count(w));
    if (w->layout == WINDOW_COLUMNS) {
        memcpy(copy.heights, w->heights, height_count(w) * sizeof *w->heights);
        memcpy(copy.forced, w->forced, block_count(w));
    }
    return copy;
}

/* ---- selections ---- */

bool window_split(struct window *w, int32_t x, int32_t y, int32_t z)
{
    const uint32_t lod = w->lods[window_block(w, x, y, z)];
    const int32_t at[3] = {x, y, z};
    int32_t lo[3], hi[3];
    if (lod == 0)
        return false;
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = at[axis] >> lod << lod;
        hi[axis] = lo[axis] + (1 << lod);
        hi[axis] = clamp(hi[axis], 0, window_blocks(w, axis, 0));
    }
    for (int32_t j = lo[1]; j < hi[1]; j++) {
        for (int32_t k = lo[2]; k < hi[2]; k++)
            memset(w->lods + window_block(w, lo[0], j, k), (int)lod - 1, (size_t)(hi[0] - lo[0]));
    }
    return true;
}

static uint32_t lod_at(const struct window *w, const int32_t at[3])
{
    return w->lods[window_block(w, at[0], at[1], at[2])];
}

static bool step_back(const int32_t at[3], int axis, int32_t before[3])
{
    memcpy(before, at, 3 * sizeof *before);
    return --before[axis] >= 0;
}

/* Finds a tile to split because of a neighbour of the tile of LOD 0 at `at`, on the lower side of an axis. */
static bool find_steep_side(const struct window *w, const int32_t at[3], int32_t coarser[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int32_t before[3];
        if (!step_back(at, axis, before))
            continue;
        const uint32_t a = lod_at(w, before), b = lod_at(w, at);
        if (a > b + 1 || b > a + 1) {
            memcpy(coarser, a > b ? before : at, 3 * sizeof *coarser);
            return true;
        }
    }
    return false;
}

/* The same because of the edges that run along `axis` through the lowest corner. */
static bool find_alternation(const struct window *w, const int32_t at[3], int axis, int32_t coarser[3])
{
    int32_t u[3], v[3], uv[3];
    if (!step_back(at, (axis + 1) % 3, u) || !step_back(at, (axis + 2) % 3, v) ||
        !step_back(u, (axis + 2) % 3, uv))
        return false;
    const uint32_t a = lod_at(w, at), b = lod_at(w, u);
    if (a == b || lod_at(w, uv) != a || lod_at(w, v) != b)
        return false;
    memcpy(coarser, a > b ? at : u, 3 * sizeof *coarser);
    return true;
}

static bool find_illegal_at(const struct window *w, const int32_t at[3], int32_t coarser[3])
{
    if (find_steep_side(w, at, coarser))
        return true;
    for (int axis = 0; axis < 3; axis++) {
        if ((w->layout == WINDOW_CUBES || axis == 1) && find_alternation(w, at, axis, coarser))
            return true;
    }
    return false;
}

static bool find_illegal(const struct window *w, int32_t coarser[3])
{
    int32_t at[3];
    for (at[1] = 0; at[1] < window_blocks(w, 1, 0); at[1]++) {
        for (at[2] = 0; at[2] < window_blocks(w, 2, 0); at[2]++) {
            for (at[0] = 0; at[0] < window_blocks(w, 0, 0); at[0]++) {
                if (find_illegal_at(w, at, coarser))
                    return true;
            }
        }
    }
    return false;
}

void window_legalise(struct window *w)
{
    int32_t at[3];
    while (find_illegal(w, at))
        window_split(w, at[0], at[1], at[2]);
}

bool window_is_legal(const struct window *w)
{
    int32_t at[3];
    return !find_illegal(w, at);
}

/* ---- writing ---- */

static void write_lods(const struct window *w, FILE *out)
{
    fputs("lods", out);
    for (int32_t y = 0; y < window_blocks(w, 1, 0); y++) {
        for (int32_t z = 0; z < window_blocks(w, 2, 0); z++) {
            fputc(' ', out);
            for (int32_t x = 0; x < window_blocks(w, 0, 0); x++)
                fputc('0' + w->lods[window_block(w, x, y, z)], out);
        }
    }
    fputc('\n', out);
}

static void write_forced(const struct window *w, FILE *out)
{
    for (int32_t z = 0; z < window_blocks(w, 2, 0); z++) {
        for (int32_t x = 0; x < window_blocks(w, 0, 0); x++) {
            for (uint32_t lod = 0; lod <= w->top; lod++) {
                if (w->forced[window_block(w, x, 0, z)] >> lod & 1)
                    fprintf(out, "forced %u %d %d\n", lod, x >> lod, z >> lod);
            }
        }
    }
}

static void write_heights(const struct window *w, FILE *out)
{
    const int32_t usual = w->heights[0];
    fprintf(out, "height %d\n", usual);
    for (int32_t z = 0; z <= w->size[2]; z++) {
        const int32_t *row = w->heights + (size_t)z * (size_t)(w->size[0] + 1);
        int32_t x = 0;
        while (x <= w->size[0] && row[x] == usual)
            x++;
        if (x > w->size[0])
            continue;
        fprintf(out, "heights %d", z);
        for (x = 0; x <= w->size[0]; x++)
            fprintf(out, " %d", row[x]);
        fputc('\n', out);
    }
}

/* What a sample is where the text has none for it. */
static int16_t usual_sample(const struct window *w, int32_t x, int32_t y, int32_t z, int16_t bottom)
{
    if (w->layout == WINDOW_COLUMNS)
        return window_height_sample(w, x, y, z);
    return y <= 0 ? bottom : TR_UNITS;
}

static void write_samples(const struct window *w, int16_t bottom, FILE *out)
{
    for (int32_t y = -1; y <= w->size[1] + 1; y++) {
        for (int32_t z = 0; z <= w->size[2]; z++) {
            for (int32_t x = 0; x <= w->size[0]; x++) {
                const int16_t value = window_sample(w, x, y, z);
                if (value != usual_sample(w, x, y, z, bottom))
                    fprintf(out, "sample %d %d %d %d\n", x, y, z, value);
            }
        }
    }
}

void window_write(const struct window *w, FILE *out)
{
    const int16_t bottom = w->samples[0];
    fprintf(out, "%s width %u top %u size %d %d %d from %d\n",
            w->layout == WINDOW_COLUMNS ? "columns" : "cubes", w->width, w->top, w->size[0], w->size[1],
            w->size[2], w->first_y);
    if (w->seed)
        fprintf(out, "seed %llu\n", (unsigned long long)w->seed);
    if (w->all_states)
        fputs("all-states\n", out);
    if (w->mutant != WINDOW_RIGHT)
        fprintf(out, "reading %s\n", window_mutant_name(w->mutant));
    write_lods(w, out);
    if (w->layout == WINDOW_COLUMNS) {
        write_forced(w, out);
        write_heights(w, out);
    } else {
        fprintf(out, "bottom %d\n", bottom);
    }
    write_samples(w, bottom, out);
}

/* ---- reading ---- */

/* Takes the next word, if it is this one. */
static bool take_word(const char **text, const char *word)
{
    const char *at = *text + strspn(*text, " \n");
    const size_t length = strlen(word);
    if (strncmp(at, word, length) != 0 || (at[length] && !isspace((unsigned char)at[length])))
        return false;
    *text = at + length;
    return true;
}

static void expect_word(const char **text, const char *word)
{
    if (!take_word(text, word))
        fail_msg("a window's text goes on with \"%.20s\", expected %s", *text, word);
}

static int32_t take_number(const char **text)
{
    char *end;
    const long number = strtol(*text, &end, 10);
    if (end == *text)
        fail_msg("a window's text goes on with \"%.20s\", expected a number", *text);
    *text = end;
    return (int32_t)number;
}

static int32_t take_number_within(const char **text, int32_t lo, int32_t hi)
{
    const int32_t number = take_number(text);
    if (number < lo || number > hi)
        fail_msg("a window's text has the number %d, expected one from %d to %d", number, lo, hi);
    return number;
}

static void read_head(struct window *w, const char **text)
{
    w->layout = take_word(text, "cubes") ? WINDOW_CUBES : WINDOW_COLUMNS;
    if (w->layout == WINDOW_COLUMNS)
        expect_word(text, "columns");
    expect_word(text, "width");
    w->width = (uint32_t)take_number_within(text, 2, 64);
    expect_word(text, "top");
    w->top = (uint32_t)take_number_within(text, 0, 6);
    expect_word(text, "size");
    for (int axis = 0; axis < 3; axis++)
        w->size[axis] = take_number_within(text, 1, 4096);
    expect_word(text, "from");
    w->first_y = take_number(text);
}

static void read_lods(struct window *w, const char **text)
{
    const size_t count = block_count(w);
    for (size_t i = 0; i < count; i++) {
        *text += strspn(*text, " \n");
        const char digit = *(*text)++;
        if (digit < '0' || digit > '0' + (char)w->top)
            fail_msg("a window's text has LOD '%c', expected 0 to %u", digit, w->top);
        w->lods[i] = (uint8_t)(digit - '0');
    }
}

static void read_forced(struct window *w, const char **text)
{
    const uint32_t lod = (uint32_t)take_number_within(text, 0, (int32_t)w->top);
    const int32_t x = take_number_within(text, 0, window_blocks(w, 0, lod) - 1);
    const int32_t z = take_number_within(text, 0, window_blocks(w, 2, lod) - 1);
    w->forced[window_block(w, x << lod, 0, z << lod)] |= (uint8_t)(1u << lod);
}

static void read_height_row(struct window *w, const char **text)
{
    const int32_t z = take_number_within(text, 0, w->size[2]);
    int32_t *row = w->heights + (size_t)z * (size_t)(w->size[0] + 1);
    for (int32_t x = 0; x <= w->size[0]; x++)
        row[x] = take_number_within(text, -TR_HEIGHT_MAX, TR_HEIGHT_MAX);
}

static void read_heights(struct window *w, const char **text)
{
    const size_t count = height_count(w);
    expect_word(text, "height");
    const int32_t usual = take_number_within(text, -TR_HEIGHT_MAX, TR_HEIGHT_MAX);
    for (size_t i = 0; i < count; i++)
        w->heights[i] = usual;
    while (take_word(text, "heights"))
        read_height_row(w, text);
}

static void fill_usual_samples(struct window *w, int16_t bottom)
{
    for (int32_t y = -1; y <= w->size[1] + 1; y++) {
        for (int32_t z = 0; z <= w->size[2]; z++) {
            for (int32_t x = 0; x <= w->size[0]; x++)
                w->samples[window_index(w, x, y, z)] = usual_sample(w, x, y, z, bottom);
        }
    }
}

static void read_samples(struct window *w, const char **text)
{
    while (take_word(text, "sample")) {
        const int32_t x = take_number_within(text, 0, w->size[0]);
        const int32_t y = take_number_within(text, -1, w->size[1] + 1);
        const int32_t z = take_number_within(text, 0, w->size[2]);
        w->samples[window_index(w, x, y, z)] = (int16_t)take_number_within(text, -TR_SDF_MAX, TR_SDF_MAX);
    }
}

static enum window_mutant read_mutant(const char **text)
{
    for (int mutant = 0; mutant < WINDOW_MUTANTS; mutant++) {
        if (take_word(text, mutant_names[mutant]))
            return (enum window_mutant)mutant;
    }
    fail_msg("a window's text has an unknown reading: \"%.20s\"", *text);
    return WINDOW_RIGHT;
}

struct window window_read(const char *text)
{
    struct window w = {0};
    int16_t bottom = 0;
    read_head(&w, &text);
    window_allocate(&w);
    if (take_word(&text, "seed"))
        w.seed = (uint64_t)take_number(&text);
    w.all_states = take_word(&text, "all-states");
    if (take_word(&text, "reading"))
        w.mutant = read_mutant(&text);
    expect_word(&text, "lods");
    read_lods(&w, &text);
    while (w.layout == WINDOW_COLUMNS && take_word(&text, "forced"))
        read_forced(&w, &text);
    if (w.layout == WINDOW_COLUMNS) {
        read_heights(&w, &text);
    } else {
        expect_word(&text, "bottom");
        bottom = (int16_t)take_number_within(&text, -TR_SDF_MAX, TR_SDF_MAX);
    }
    fill_usual_samples(&w, bottom);
    read_samples(&w, &text);
    if (text[strspn(text, " \n")])
        fail_msg("a window's text ends with \"%.20s\", expected a sample or nothing", text);
    return w;
}
