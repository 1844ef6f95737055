/* Makes a failing window smaller while it fails: fewer tiles, narrower tiles, fewer LODs, plainer ground. See window.h.
 *
 * Each step proposes a changed copy; it is kept if it is a legal window that fails, and is not closed if the given one was not. Steps that
 * change many things of one kind try all of them at once, then halves, and so on down to single ones. */
#include "tests/support/window.h"

#include "shaders/shared.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX 150000000 /* judged in all: some ten seconds */
#define SAMPLES_PER_TRY 2000  /* that a try costs beside those of its window */

struct shrinker {
    struct window best;
    char *fault;
    int64_t samples_left;
};

/* Faults of closing begin with how many there are. */
static bool is_closing(const char *fault)
{
    return isdigit((unsigned char)fault[0]);
}

static bool is_window(const struct window *w)
{
    bool bottom_is_solid, top_is_solid;
    if (!window_is_legal(w) || !window_has_level_ends(w, &bottom_is_solid, &top_is_solid))
        return false;
    return w->layout == WINDOW_CUBES || (bottom_is_solid && !top_is_solid);
}

/* Takes the candidate. */
static bool try_window(struct shrinker *s, struct window *candidate)
{
    char fault[WINDOW_TEXT_BYTES];
    s->samples_left -= SAMPLES_PER_TRY;
    if (s->samples_left <= 0 || !is_window(candidate)) {
        window_release(candidate);
        return false;
    }
    s->samples_left -= (int64_t)window_sample_count(candidate);
    if (window_judge(candidate, NULL, fault) || (is_closing(s->fault) && !is_closing(fault))) {
        window_release(candidate);
        return false;
    }
    window_release(&s->best);
    s->best = *candidate;
    memcpy(s->fault, fault, WINDOW_TEXT_BYTES);
    return true;
}

/* ---- sizes ---- */

/* A window of the given size out of another, from `lo` on, which lies on a corner of the coarsest tiles. */
static struct window cropped(const struct window *w, const int32_t lo[3], const int32_t size[3])
{
    struct window made = *w;
    const int32_t width = (int32_t)w->width;
    memcpy(made.size, size, sizeof made.size);
    made.first_y += lo[1];
    window_allocate(&made);
    for (int32_t y = -1; y <= size[1] + 1; y++) {
        for (int32_t z = 0; z <= size[2]; z++)
            memcpy(made.samples + window_index(&made, 0, y, z),
                   w->samples + window_index(w, lo[0], lo[1] + y, lo[2] + z),
                   (size_t)(size[0] + 1) * sizeof *w->samples);
    }
    for (int32_t z = 0; z <= size[2] && w->heights; z++)
        memcpy(made.heights + (size_t)z * (size_t)(size[0] + 1),
               w->heights + (size_t)(lo[2] + z) * (size_t)(w->size[0] + 1) + lo[0],
               (size_t)(size[0] + 1) * sizeof *w->heights);
    for (int32_t y = 0; y < window_blocks(&made, 1, 0); y++) {
        for (int32_t z = 0; z < window_blocks(&made, 2, 0); z++) {
            for (int32_t x = 0; x < window_blocks(&made, 0, 0); x++) {
                const int32_t from_y = w->layout == WINDOW_CUBES ? y + lo[1] / width : 0;
                const size_t from = window_block(w, x + lo[0] / width, from_y, z + lo[2] / width);
                made.lods[window_block(&made, x, y, z)] = w->lods[from];
                if (w->forced)
                    made.forced[window_block(&made, x, y, z)] = w->forced[from];
            }
        }
    }
    return made;
}

/* Leaves out `cells` at one end of an axis. */
static bool try_crop(struct shrinker *s, int axis, int32_t cells, bool at_low_end)
{
    int32_t lo[3] = {0, 0, 0}, size[3];
    memcpy(size, s->best.size, sizeof size);
    size[axis] -= cells;
    if (cells <= 0 || size[axis] <= 0)
        return false;
    lo[axis] = at_low_end ? cells : 0;
    struct window candidate = cropped(&s->best, lo, size);
    return try_window(s, &candidate);
}

static bool shrink_size(struct shrinker *s)
{
    bool has_shrunk = false;
    for (int axis = 0; axis < 3; axis++) {
        for (int end = 0; end < 2; end++) {
            const int32_t block = (int32_t)(s->best.width << s->best.top);
            const int32_t unit = end || axis == 1 ? block : 1 << s->best.top;
            int32_t cells = s->best.size[axis] / 2 / unit * unit;
            while (cells > 0) {
                while (try_crop(s, axis, cells, end))
                    has_shrunk = true;
                cells = cells / 2 / unit * unit;
            }
            while (try_crop(s, axis, unit, end))
                has_shrunk = true;
        }
    }
    return has_shrunk;
}

static bool shrink_top(struct shrinker *s)
{
    if (s->best.top == 0)
        return false;
    struct window candidate = window_copy(&s->best);
    const size_t count = window_block(&candidate, 0, window_blocks(&candidate, 1, 0), 0);
    candidate.top--;
    for (size_t i = 0; i < count; i++)
        candidate.lods[i] = candidate.lods[i] > candidate.top ? (uint8_t)candidate.top : candidate.lods[i];
    return try_window(s, &candidate);
}

/* Tiles half as wide, four or eight for one. */
static bool shrink_width(struct shrinker *s)
{
    const struct window *w = &s->best;
    if (w->width % 4 != 0)
        return false;
    struct window candidate = *w;
    candidate.width /= 2;
    window_allocate(&candidate);
    memcpy(candidate.samples, w->samples, window_sample_count(w) * sizeof *w->samples);
    if (w->heights)
        memcpy(candidate.heights, w->heights,
               (size_t)(w->size[0] + 1) * (size_t)(w->size[2] + 1) * sizeof *w->heights);
    for (int32_t y = 0; y < window_blocks(&candidate, 1, 0); y++) {
        for (int32_t z = 0; z < window_blocks(&candidate, 2, 0); z++) {
            for (int32_t x = 0; x < window_blocks(&candidate, 0, 0); x++) {
                const size_t to = window_block(&candidate, x, y, z);
                candidate.lods[to] = w->lods[window_block(w, x / 2, y / 2, z / 2)];
                for (uint32_t lod = 0; candidate.forced && lod <= w->top; lod++) {
                    const int32_t from_x = x >> (lod + 1) << lod, from_z = z >> (lod + 1) << lod;
                    candidate.forced[to] |=
                        w->forced[window_block(w, from_x, 0, from_z)] & (uint8_t)(1u << lod);
                }
            }
        }
    }
    return try_window(s, &candidate);
}

static bool shrink_states(struct shrinker *s)
{
    if (!s->best.all_states)
        return false;
    struct window candidate = window_copy(&s->best);
    candidate.all_states = false;
    return try_window(s, &candidate);
}

/* ---- many things of one kind ---- */

/* Makes item number i of a window plain; false if it is already. */
typedef bool simplify_function(struct window *w, size_t i);

static bool try_items(struct shrinker *s, simplify_function *simplify, size_t first, size_t end)
{
    struct window candidate = window_copy(&s->best);
    bool is_changed = false;
    for (size_t i = first; i < end; i++)
        is_changed |= simplify(&candidate, i);
    if (is_changed)
        return try_window(s, &candidate);
    window_release(&candidate);
    return false;
}

/* Halves of the range that may be made plain alone. */
static bool shrink_range(struct shrinker *s, simplify_function *simplify, size_t first, size_t end)
{
    if (first == end || s->samples_left <= 0)
        return false;
    if (try_items(s, simplify, first, end))
        return true;
    if (end - first == 1)
        return false;
    const size_t middle = first + (end - first) / 2; /* so the depth is the logarithm of the range */
    const bool low = shrink_range(s, simplify, first, middle);
    const bool high = shrink_range(s, simplify, middle, end);
    return low || high;
}

static bool plain_forced(struct window *w, size_t i)
{
    const bool was_forced = w->forced[i] != 0;
    w->forced[i] = 0;
    return was_forced;
}

/* Merges what lies within a tile of LOD i / count, number i % count in order of LOD 0, if it begins there. */
static bool plain_lod(struct window *w, size_t i)
{
    const size_t count = window_block(w, 0, window_blocks(w, 1, 0), 0);
    const uint32_t lod = (uint32_t)(i / count) + 1;
    const int32_t mask = (1 << lod) - 1;
    const int32_t size_x = window_blocks(w, 0, 0), size_z = window_blocks(w, 2, 0);
    const int32_t block = (int32_t)(i % count);
    const int32_t at[3] = {block % size_x, block / size_x / size_z, block / size_x % size_z};
    bool is_changed = false;
    if ((at[0] & mask) || (at[1] & mask) || (at[2] & mask))
        return false;
    for (int32_t y = at[1]; y <= at[1] + mask && y < window_blocks(w, 1, 0); y++) {
        for (int32_t z = at[2]; z <= at[2] + mask && z < size_z; z++) {
            for (int32_t x = at[0]; x <= at[0] + mask && x < size_x; x++) {
                uint8_t *here = &w->lods[window_block(w, x, y, z)];
                is_changed |= *here < lod;
                *here = *here < lod ? (uint8_t)lod : *here;
            }
        }
    }
    return is_changed;
}

/* The coordinates of sample number i. */
static void find_sample(const struct window *w, size_t i, int32_t at[3])
{
    const size_t pitch = (size_t)(w->size[0] + 1), layer = pitch * (size_t)(w->size[2] + 1);
    at[0] = (int32_t)(i % pitch);
    at[1] = (int32_t)(i / layer) - 1;
    at[2] = (int32_t)(i % layer / pitch);
}

static bool plain_sample(struct window *w, size_t i)
{
    int32_t at[3];
    find_sample(w, i, at);
    const int16_t old = w->samples[i];
    if (w->layout == WINDOW_COLUMNS)
        w->samples[i] = window_height_sample(w, at[0], at[1], at[2]);
    else
        w->samples[i] = at[1] <= 0 ? w->samples[0] : TR_UNITS;
    return w->samples[i] != old;
}

/* The same sign, one voxel away. */
static bool plain_value(struct window *w, size_t i)
{
    int32_t at[3];
    find_sample(w, i, at);
    const int16_t old = w->samples[i];
    if (w->layout == WINDOW_COLUMNS && old == window_height_sample(w, at[0], at[1], at[2]))
        return false;
    w->samples[i] = old <= 0 ? -TR_UNITS : TR_UNITS;
    return w->samples[i] != old;
}

/* Changes a height, and what is not sculpted with it. */
static bool set_height(struct window *w, size_t i, int32_t height)
{
    const int32_t x = (int32_t)(i % (size_t)(w->size[0] + 1)), z = (int32_t)(i / (size_t)(w->size[0] + 1));
    const int32_t old = w->heights[i];
    for (int32_t y = -1; y <= w->size[1] + 1; y++) {
        int16_t *sample = &w->samples[window_index(w, x, y, z)];
        w->heights[i] = old;
        const bool is_sculpted = *sample != window_height_sample(w, x, y, z);
        w->heights[i] = height;
        if (!is_sculpted)
            *sample = window_height_sample(w, x, y, z);
    }
    return height != old;
}

static bool plain_height(struct window *w, size_t i)
{
    return set_height(w, i, w->heights[0]);
}

static bool whole_height(struct window *w, size_t i)
{
    return set_height(w, i, w->heights[i] & ~(TR_UNITS - 1));
}

static bool shrink_ground(struct shrinker *s)
{
    const struct window *w = &s->best;
    const size_t samples = window_sample_count(w);
    const size_t heights = (size_t)(w->size[0] + 1) * (size_t)(w->size[2] + 1);
    bool has_shrunk = shrink_range(s, plain_sample, 0, samples);
    has_shrunk |= shrink_range(s, plain_value, 0, samples);
    if (w->layout == WINDOW_COLUMNS) {
        has_shrunk |= shrink_range(s, plain_height, 0, heights);
        has_shrunk |= shrink_range(s, whole_height, 0, heights);
    }
    return has_shrunk;
}

static bool shrink_tiles(struct shrinker *s)
{
    const size_t blocks = window_block(&s->best, 0, window_blocks(&s->best, 1, 0), 0);
    bool has_shrunk = shrink_range(s, plain_lod, 0, blocks * s->best.top);
    if (s->best.layout == WINDOW_COLUMNS)
        has_shrunk |= shrink_range(s, plain_forced, 0, blocks);
    return has_shrunk;
}

struct window window_shrink(const struct window *w, char fault[WINDOW_TEXT_BYTES])
{
    struct shrinker s = {.best = window_copy(w), .fault = fault, .samples_left = SAMPLES_MAX};
    bool has_shrunk = true;
    while (has_shrunk && s.samples_left > 0) {
        has_shrunk = shrink_states(&s);
        has_shrunk |= shrink_size(&s);
        has_shrunk |= shrink_top(&s);
        has_shrunk |= shrink_width(&s);
        has_shrunk |= shrink_tiles(&s);
        has_shrunk |= shrink_ground(&s);
    }
    return s.best;
}
