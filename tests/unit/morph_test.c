/* Geomorph targets: what tiles share goes to one place, whichever tile says so; targets lie on the coarse surface; hand values. */
#include "lib/mesh/morph.h"
#include "lib/base/dmath.h"
#include "lib/world/coord.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A world of 6 x 6 columns of LOD 0, so that the outermost tiles of LOD 2 are cut, and rows -4 .. 3. */
#define COLUMNS 6
#define ROWS 8
#define FIRST_ROW (-4)
#define LEVELS 3

enum kind { PLANE, HILLS, NOISE, CLIFFS, SCULPTED };

struct ground {
    enum kind kind;
    uint64_t seed;
    int32_t width;
    bool sculpted[COLUMNS][COLUMNS]; /* [z][x]: columns with edited samples inside */
};

struct level {
    uint32_t lod;
    uint32_t columns, rows;      /* along x and along z; tile rows from FIRST_ROW >> lod */
    struct tr_lattice *lattices; /* [z][x][row] */
    const struct tr_lattice **pointers;
    struct tr_height_grid *grids; /* [z][x]; only of worlds with heights */
};

struct world {
    struct ground ground;
    struct level levels[LEVELS];
};

/* ---- the ground ---- */

static uint64_t mix(uint64_t seed, int64_t x, int64_t y, int64_t z)
{
    uint64_t state = (seed * 0x9e3779b97f4a7c15u) ^ ((uint64_t)(x + 1000) << 40) ^
                     ((uint64_t)(y + 1000) << 20) ^ (uint64_t)(z + 1000);
    state += state == 0;
    for (int i = 0; i < 4; i++)
        state = random_next(&state) * 0x2545f4914f6cdd1du | 1;
    return state >> 16;
}

static int32_t height_at(const struct ground *ground, int32_t x, int32_t z)
{
    const double phase = (double)(ground->seed % 100);
    if (ground->kind == CLIFFS ||
        ground->kind == SCULPTED) { /* steps, some whole voxels, some in one tile, some through many */
        const int32_t steep = (int32_t)(mix(ground->seed, x, 0, z) % (3 * 256));
        const int32_t step = mix(ground->seed, x / 5, 1, z / 7) % 3 == 0 ? 3 * ground->width * 256 : 0;
        const int32_t height = steep + step - ground->width * 256;
        return mix(ground->seed, x, 2, z) % 4 == 0 ? height & ~255 : height;
    }
    return (int32_t)(300 * tr_sin(0.35 * x + phase) + 250 * tr_sin(0.3 * z - phase)) + 77;
}

static int16_t clamp_sample(int64_t value)
{
    return (int16_t)(value < -32767 ? -32767 : value > 32767 ? 32767 : value);
}

/* Inside a sculpted column, off its planes, a quarter of the samples is anything. */
static bool is_edited(const struct ground *ground, int32_t x, int32_t y, int32_t z)
{
    const int32_t cx = x / ground->width, cz = z / ground->width;
    return x > 0 && z > 0 && x % ground->width != 0 && z % ground->width != 0 && cx < COLUMNS &&
           cz < COLUMNS && ground->sculpted[cz][cx] && mix(ground->seed, x, y, z) % 4 == 0;
}

static int16_t field_at(const struct ground *ground, int32_t x, int32_t y, int32_t z)
{
    switch (ground->kind) {
    case PLANE: /* any slope; of a length of about 256, as distances have */
    {
        const int32_t a = (int32_t)(ground->seed % 200) - 100, c = (int32_t)(ground->seed / 7 % 300) - 150;
        return clamp_sample(a * (x - 11) + 180 * y + c * (z - 10) + 41);
    }
    case NOISE:
        return (int16_t)((int32_t)(mix(ground->seed, x, y, z) % 601) - 300);
    case SCULPTED:
        if (is_edited(ground, x, y, z))
            return (int16_t)((int32_t)(mix(ground->seed + 1, x, y, z) % 1001) - 500);
        break;
    default:
        break;
    }
    return clamp_sample((int64_t)256 * y - height_at(ground, x, z));
}

/* ---- its levels ---- */

static size_t lattice_index(const struct level *level, uint32_t x, uint32_t row, uint32_t z)
{
    return ((size_t)z * level->columns + x) * level->rows + row;
}

static void level_init(struct level *level, uint32_t lod)
{
    level->lod = lod;
    level->columns = (COLUMNS + (1u << lod) - 1) >> lod;
    level->rows = ROWS >> lod;
    const size_t count = (size_t)level->columns * level->columns * level->rows;
    level->lattices = calloc(count, sizeof *level->lattices);
    level->pointers = calloc(count, sizeof *level->pointers);
    level->grids = calloc(count, sizeof *level->grids);
    assert_true(level->lattices && level->pointers && level->grids);
    for (size_t i = 0; i < count; i++)
        level->pointers[i] = &level->lattices[i];
}

static void fill_lattice(const struct ground *ground, int16_t *field, uint32_t cx, uint32_t row, uint32_t cz,
                         struct tr_lattice *lattice)
{
    struct tr_error error;
    const int32_t width = ground->width;
    const uint32_t cells[3] = {(uint32_t)width, (uint32_t)width, (uint32_t)width};
    const int32_t at[3] = {(int32_t)cx * width, ((int32_t)row + FIRST_ROW) * width, (int32_t)cz * width};
    for (int32_t y = -1; y <= width + 1; y++)
        for (int32_t z = -1; z <= width + 1; z++)
            for (int32_t x = -1; x <= width + 1; x++)
                field[tr_tile_index(x, y, z)] = field_at(ground, at[0] + x, at[1] + y, at[2] + z);
    assert_ok(tr_lattice_from_field(field, cells, lattice, &error), &error);
}

static void fill_grid(const struct world *world, uint32_t cx, uint32_t cz)
{
    struct tr_error error;
    const struct ground *ground = &world->ground;
    const struct level *level = &world->levels[0];
    const int32_t width = ground->width, pitch = width + 3;
    const uint32_t cells[2] = {(uint32_t)width, (uint32_t)width};
    int32_t *heights = malloc((size_t)(pitch * pitch) * sizeof *heights);
    assert_non_null(heights);
    for (int32_t z = -1; z <= width + 1; z++)
        for (int32_t x = -1; x <= width + 1; x++)
            heights[(z + 1) * pitch + x + 1] =
                height_at(ground, (int32_t)cx * width + x, (int32_t)cz * width + z);
    struct tr_height_grid *grid = &level->grids[cz * level->columns + cx];
    assert_ok(tr_height_grid_from_heights(heights, (uint32_t)pitch, cells, grid, &error), &error);
    const struct tr_lattice_column column = {&level->pointers[lattice_index(level, cx, 0, cz)], FIRST_ROW,
                                             level->rows};
    tr_height_grid_take_normals(grid, &column, (uint32_t)width);
    free(heights);
}

static void reduce_lattice(const struct level *fine, struct level *coarse, uint32_t cx, uint32_t row,
                           uint32_t cz, uint32_t width)
{
    struct tr_error error;
    const struct tr_lattice *children[8];
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t x = 2 * cx + (i & 1), z = 2 * cz + (i >> 2);
        children[i] = x < fine->columns && z < fine->columns
                          ? &fine->lattices[lattice_index(fine, x, 2 * row + (i >> 1 & 1), z)]
                          : NULL;
    }
    assert_ok(
        tr_lattice_reduce(children, width, &coarse->lattices[lattice_index(coarse, cx, row, cz)], &error),
        &error);
}

static void reduce_grid(const struct level *fine, struct level *coarse, uint32_t cx, uint32_t cz,
                        uint32_t width)
{
    struct tr_error error;
    const struct tr_height_grid *children[4];
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t x = 2 * cx + (i & 1), z = 2 * cz + (i >> 1);
        children[i] = x < fine->columns && z < fine->columns ? &fine->grids[z * fine->columns + x] : NULL;
    }
    assert_ok(tr_height_grid_reduce(children, width, &coarse->grids[cz * coarse->columns + cx], &error),
              &error);
}

static void world_init(struct world *world, enum kind kind, uint64_t seed, int32_t width)
{
    *world = (struct world){.ground = {.kind = kind, .seed = seed, .width = width}};
    int16_t *field = calloc(TR_TILE_FIELD_SAMPLES, sizeof *field);
    assert_non_null(field);
    for (int z = 0; z < COLUMNS; z++)
        for (int x = 0; x < COLUMNS; x++)
            world->ground.sculpted[z][x] = kind == SCULPTED && mix(seed, x, 3, z) % 3 == 0;
    for (uint32_t lod = 0; lod < LEVELS; lod++) {
        struct level *level = &world->levels[lod];
        level_init(level, lod);
        for (uint32_t cz = 0; cz < level->columns; cz++)
            for (uint32_t cx = 0; cx < level->columns; cx++)
                for (uint32_t row = 0; row < level->rows; row++) {
                    if (lod == 0)
                        fill_lattice(&world->ground, field, cx, row, cz,
                                     &level->lattices[lattice_index(level, cx, row, cz)]);
                    else
                        reduce_lattice(level - 1, level, cx, row, cz, (uint32_t)width);
                }
        for (uint32_t cz = 0; cz < level->columns && kind >= CLIFFS; cz++)
            for (uint32_t cx = 0; cx < level->columns; cx++) {
                if (lod == 0)
                    fill_grid(world, cx, cz);
                else
                    reduce_grid(level - 1, level, cx, cz, (uint32_t)width);
            }
    }
    free(field);
}

static void world_release(struct world *world)
{
    for (uint32_t lod = 0; lod < LEVELS; lod++) {
        struct level *level = &world->levels[lod];
        const size_t columns = (size_t)level->columns * level->columns;
        for (size_t i = 0; i < columns * level->rows; i++)
            tr_lattice_release(&level->lattices[i]);
        for (size_t i = 0; i < columns; i++)
            tr_height_grid_release(&level->grids[i]);
        free(level->lattices);
        free(level->pointers);
        free(level->grids);
    }
}

static bool is_marched(const struct world *world, uint32_t lod, int64_t cx, int64_t cz)
{
    for (int64_t z = cz * (1 << lod); z < (cz + 1) * (1 << lod); z++)
        for (int64_t x = cx * (1 << lod); x < (cx + 1) * (1 << lod); x++)
            if (x >= 0 && z >= 0 && x < COLUMNS && z < COLUMNS &&
                (world->ground.kind < CLIFFS || world->ground.sculpted[z][x]))
                return true;
    return false;
}

/* ---- tiles with their targets ---- */

/* The lattice's vertices, and one more, as a transition has it. */
static void marched_tile(const struct tr_lattice *lattice, struct tr_tile_mesh *tile)
{
    *tile = (struct tr_tile_mesh){.lod = lattice->lod, .vertex_count = lattice->vertex_count + 1};
    for (int axis = 0; axis < 3; axis++)
        tile->size[axis] = (int32_t)(lattice->cells[axis] * TR_UNITS << lattice->lod);
    tile->vertices = calloc(tile->vertex_count, sizeof *tile->vertices);
    assert_non_null(tile->vertices);
    if (lattice->vertex_count > 0)
        memcpy(tile->vertices, lattice->vertices, lattice->vertex_count * sizeof *tile->vertices);
    tile->vertices[lattice->vertex_count] = (tr_vertex){0, 77, 130, 0x7fff};
}

static const struct tr_lattice *coarse_of(const struct world *world, uint32_t lod, uint32_t cx, uint32_t row,
                                          uint32_t cz)
{
    const struct level *coarse = &world->levels[lod + 1];
    return &coarse->lattices[lattice_index(coarse, cx / 2, row / 2, cz / 2)];
}

static void morph_marched(const struct world *world, uint32_t lod, uint32_t cx, uint32_t row, uint32_t cz,
                          struct tr_tile_mesh *tile)
{
    struct tr_error error;
    const struct level *level = &world->levels[lod];
    const struct tr_lattice *lattice = &level->lattices[lattice_index(level, cx, row, cz)];
    marched_tile(lattice, tile);
    assert_ok(tr_morph_marched(lattice, coarse_of(world, lod, cx, row, cz),
                               (cx & 1) | (row & 1) << 1 | (cz & 1) << 2, (uint32_t)world->ground.width, tile,
                               &error),
              &error);
    tile->vertex_count--;
}

/* Returns the tile row. */
static int32_t morph_heights(const struct world *world, uint32_t lod, uint32_t cx, uint32_t cz,
                             struct tr_tile_mesh *tile)
{
    static const int32_t steps[TR_COLUMN_SIDES][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const uint8_t states[TR_COLUMN_SIDES] = {TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};
    struct tr_height_border borders[TR_COLUMN_SIDES][3] = {0};
    const struct level *level = &world->levels[lod], *coarse = level + 1;
    const uint32_t width = (uint32_t)world->ground.width;
    const struct tr_lattice_column column = {&level->pointers[lattice_index(level, cx, 0, cz)],
                                             FIRST_ROW >> lod, level->rows};
    const struct tr_lattice_column coarse_column = {
        &coarse->pointers[lattice_index(coarse, cx / 2, 0, cz / 2)], FIRST_ROW >> (lod + 1), coarse->rows};
    struct tr_error error;
    uint32_t marched = 0;
    int32_t row;
    for (uint32_t side = 0; side < TR_COLUMN_SIDES; side++)
        if (is_marched(world, lod, (int64_t)cx + steps[side][0], (int64_t)cz + steps[side][1])) {
            marched |= 1u << side;
            assert_ok(tr_height_border_crossings(&column, width, side, &borders[side][0], &error), &error);
        }
    assert_ok(tr_height_tile_build(&level->grids[cz * level->columns + cx], borders, states, width, &row,
                                   tile, &error),
              &error);
    assert_ok(tr_morph_heights(&coarse_column, (cx & 1) | (cz & 1) << 1, width, marched, row, tile, &error),
              &error);
    for (int side = 0; side < TR_COLUMN_SIDES; side++)
        tr_height_border_release(&borders[side][0]);
    return row;
}

static void tile_free(struct tr_tile_mesh *tile)
{
    free(tile->vertices);
    free(tile->materials);
    free(tile->targets);
    free(tile->indices);
    free(tile->parts);
}

/* ---- what tiles share ---- */

/* A vertex as one tile has it, in the world. */
struct seen {
    int64_t at[3], target[3];
    bool is_heights;
};

struct seen_list {
    struct seen *all;
    size_t count;
};

static void see_tile(struct seen_list *list, const struct tr_tile_mesh *tile, const int64_t corner[3],
                     bool is_heights)
{
    list->all = realloc(list->all, (list->count + tile->vertex_count + 1) * sizeof *list->all);
    assert_non_null(list->all);
    for (uint32_t i = 0; i < tile->vertex_count; i++) {
        const int32_t at[3] = {tile->vertices[i].x, tile->vertices[i].y, tile->vertices[i].z};
        struct seen *seen = &list->all[list->count++];
        *seen = (struct seen){.is_heights = is_heights};
        for (int axis = 0; axis < 3; axis++) {
            seen->at[axis] = at[axis] + corner[axis];
            seen->target[axis] = tile->targets[i][axis] + corner[axis];
        }
    }
}

static void see_level(const struct world *world, uint32_t lod, struct seen_list *list)
{
    const struct level *level = &world->levels[lod];
    const int64_t units = (int64_t)world->ground.width * TR_UNITS << lod;
    for (uint32_t cz = 0; cz < level->columns; cz++)
        for (uint32_t cx = 0; cx < level->columns; cx++) {
            struct tr_tile_mesh tile;
            if (!is_marched(world, lod, cx, cz)) {
                const int32_t row = morph_heights(world, lod, cx, cz, &tile);
                see_tile(list, &tile, (const int64_t[3]){cx * units, row * units, cz * units}, true);
                tile_free(&tile);
                continue;
            }
            for (uint32_t row = 0; row < level->rows; row++) {
                morph_marched(world, lod, cx, row, cz, &tile);
                see_tile(
                    list, &tile,
                    (const int64_t[3]){cx * units, ((int32_t)row + (FIRST_ROW >> lod)) * units, cz * units},
                    false);
                tile_free(&tile);
            }
        }
}

static int compare_places(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    for (int axis = 0; axis < 3; axis++)
        if (x->at[axis] != y->at[axis])
            return x->at[axis] < y->at[axis] ? -1 : 1;
    return x->is_heights - y->is_heights;
}

/* Fails where two tiles send a vertex to different places; shared[n] grows by the pairs of which n are of height tiles, moved[n] by those that
 * have another place to go. */
static void assert_agreement(const struct world *world, uint32_t lod, size_t shared[3], size_t moved[3])
{
    struct seen_list list = {0};
    see_level(world, lod, &list);
    qsort(list.all, list.count, sizeof *list.all, compare_places);
    for (size_t i = 1; i < list.count; i++) {
        const struct seen *a = &list.all[i - 1], *b = &list.all[i];
        if (memcmp(a->at, b->at, sizeof a->at) != 0)
            continue;
        if (memcmp(a->target, b->target, sizeof a->target) != 0)
            fail_msg(
                "kind %d seed %llu width %d LOD %u: vertex %lld,%lld,%lld goes to %lld,%lld,%lld (%s) and "
                "%lld,%lld,%lld (%s)",
                world->ground.kind, (unsigned long long)world->ground.seed, world->ground.width, lod,
                (long long)a->at[0], (long long)a->at[1], (long long)a->at[2], (long long)a->target[0],
                (long long)a->target[1], (long long)a->target[2], a->is_heights ? "heights" : "marched",
                (long long)b->target[0], (long long)b->target[1], (long long)b->target[2],
                b->is_heights ? "heights" : "marched");
        shared[a->is_heights + b->is_heights]++;
        moved[a->is_heights + b->is_heights] += memcmp(a->at, a->target, sizeof a->at) != 0;
    }
    free(list.all);
}

static void tiles_of_marching_cubes_agree_on_what_they_share(void **state)
{
    (void)state;
    static const int32_t widths[] = {2, 4, 8};
    size_t shared[3] = {0}, moved[3] = {0};
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int w = 0; w < 3; w++) {
            struct world world;
            world_init(&world, seed % 2 ? NOISE : HILLS, seed, widths[w]);
            for (uint32_t lod = 0; lod + 1 < LEVELS; lod++)
                assert_agreement(&world, lod, shared, moved);
            world_release(&world);
        }
    assert_in_range(shared[0], 10000, SIZE_MAX);
    assert_in_range(moved[0], 1000, SIZE_MAX);
}

static void height_tiles_agree_with_each_other_and_with_marching_cubes(void **state)
{
    (void)state;
    static const int32_t widths[] = {2, 4, 8};
    size_t shared[3] = {0}, moved[3] = {0};
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (int w = 0; w < 3; w++) {
            struct world world;
            world_init(&world, seed % 4 ? SCULPTED : CLIFFS, seed, widths[w]);
            for (uint32_t lod = 0; lod + 1 < LEVELS; lod++)
                assert_agreement(&world, lod, shared, moved);
            world_release(&world);
        }
    for (int i = 0; i < 3; i++) {
        assert_in_range(shared[i], 1000, SIZE_MAX);
        assert_in_range(moved[i], 500, SIZE_MAX);
    }
}

/* ---- where targets lie ---- */

struct vector {
    double x, y, z;
};

static struct vector minus(struct vector a, struct vector b)
{
    return (struct vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector cross(struct vector a, struct vector b)
{
    return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double segment_distance(struct vector p, struct vector a, struct vector b)
{
    const struct vector way = minus(b, a);
    double t = dot(minus(p, a), way) / dot(way, way);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const struct vector off = minus(p, (struct vector){a.x + t * way.x, a.y + t * way.y, a.z + t * way.z});
    return sqrt(dot(off, off));
}

static double triangle_distance(struct vector p, const struct vector corners[3])
{
    const struct vector a = corners[0], b = corners[1], c = corners[2];
    const struct vector normal = cross(minus(b, a), minus(c, a));
    const double length = sqrt(dot(normal, normal));
    double least =
        fmin(segment_distance(p, a, b), fmin(segment_distance(p, b, c), segment_distance(p, c, a)));
    if (length > 0 && dot(cross(minus(b, a), minus(p, a)), normal) >= 0 &&
        dot(cross(minus(c, b), minus(p, b)), normal) >= 0 &&
        dot(cross(minus(a, c), minus(p, c)), normal) >= 0)
        least = fmin(least, fabs(dot(minus(p, a), normal)) / length);
    return least;
}

/* The coarse triangles that lie within a box. */
struct coarse_cell {
    struct vector corners[8][3];
    size_t count;
};

static struct vector vector_of(const tr_vertex *vertex)
{
    return (struct vector){vertex->x, vertex->y, vertex->z};
}

static bool is_within(const tr_vertex *vertex, const int32_t low[3], int32_t units)
{
    const int32_t at[3] = {vertex->x, vertex->y, vertex->z};
    for (int axis = 0; axis < 3; axis++)
        if (at[axis] < low[axis] || at[axis] > low[axis] + units)
            return false;
    return true;
}

static void find_coarse_cell(const struct tr_lattice *coarse, const uint32_t *indices, uint32_t count,
                             const int32_t place[3], struct coarse_cell *cell)
{
    const int32_t units = TR_UNITS << coarse->lod;
    int32_t low[3];
    cell->count = 0;
    for (int axis = 0; axis < 3; axis++)
        low[axis] = (place[axis] > 0 ? place[axis] - 1 : 0) / units * units;
    for (uint32_t i = 0; i < count; i += 3) {
        const tr_vertex *corners[3];
        bool inside = true;
        for (int c = 0; c < 3; c++) {
            corners[c] = &coarse->vertices[indices[i + (uint32_t)c]];
            inside = inside && is_within(corners[c], low, units);
        }
        if (!inside)
            continue;
        assert_in_range(cell->count, 0, 7);
        for (int c = 0; c < 3; c++)
            cell->corners[cell->count][c] = vector_of(corners[c]);
        cell->count++;
    }
}

/* Independent of the library's integers: the direction of an octahedral normal. */
static struct vector normal_of(uint32_t packed)
{
    double u = (int16_t)(packed & 0xffff) / 32767.0, v = (int16_t)(packed >> 16) / 32767.0;
    const double up = 1 - fabs(u) - fabs(v);
    if (up < 0) {
        const double folded = copysign(1 - fabs(v), u);
        v = copysign(1 - fabs(u), v);
        u = folded;
    }
    const double length = sqrt(u * u + up * up + v * v);
    return (struct vector){u / length, up / length, v / length};
}

/* The least distance at which a line meets a triangle well inside it; infinite if it does not. */
static double line_distance(struct vector p, struct vector along, const struct vector corners[3])
{
    const struct vector ab = minus(corners[1], corners[0]), ac = minus(corners[2], corners[0]);
    const struct vector q = cross(along, ac), from = minus(p, corners[0]);
    const double determinant = dot(ab, q);
    if (fabs(determinant) < 1)
        return HUGE_VAL;
    const struct vector r = cross(from, ab);
    const double u = dot(from, q) / determinant, v = dot(along, r) / determinant;
    if (u < 1e-6 || v < 1e-6 || u + v > 1 - 1e-6)
        return HUGE_VAL;
    return fabs(dot(ac, r) / determinant);
}

struct tally {
    size_t inside, on_sides, on_surface;
};

/* One vertex of a tile: its target lies on the coarse surface of its cell, or is itself; inside the tile it lies on the normal's line, and
 * the line meets nothing nearer. */
static void check_target(const struct world *world, uint32_t lod, const struct tr_tile_mesh *tile, uint32_t i,
                         const int32_t offset[3], const struct coarse_cell *cell, struct tally *tally)
{
    const struct vector p = {tile->vertices[i].x + offset[0], tile->vertices[i].y + offset[1],
                             tile->vertices[i].z + offset[2]};
    const struct vector target = {tile->targets[i][0] + offset[0], tile->targets[i][1] + offset[1],
                                  tile->targets[i][2] + offset[2]};
    const struct vector move = minus(target, p);
    const double moved = sqrt(dot(move, move));
    double least = HUGE_VAL, met = HUGE_VAL;
    const int32_t at[3] = {tile->vertices[i].x, tile->vertices[i].y, tile->vertices[i].z};
    bool on_side = false;
    for (int axis = 0; axis < 3; axis++)
        on_side = on_side || at[axis] == 0 || at[axis] == tile->size[axis];
    const struct vector normal = normal_of(tile->vertices[i].normal);
    for (size_t t = 0; t < cell->count; t++) {
        least = fmin(least, triangle_distance(target, cell->corners[t]));
        met = fmin(met, line_distance(p, normal, cell->corners[t]));
    }
    const struct vector aside = cross(move, normal);
    const char *wrong = NULL;
    if (moved > 0 && least > 0.87) /* half a unit along each axis */
        wrong = "is off the coarse surface";
    if (!on_side && sqrt(dot(aside, aside)) > 0.87)
        wrong = "is off the line of the normal";
    if (!on_side && met < HUGE_VAL && moved > met + 0.87)
        wrong = "is not the nearest";
    if (!on_side && met < HUGE_VAL && moved == 0 && least > 0.87)
        wrong = "stays though something is met";
    if (wrong)
        fail_msg(
            "kind %d seed %llu width %d LOD %u: target %g,%g,%g of %g,%g,%g %s: %g off, line meets at %g",
            world->ground.kind, (unsigned long long)world->ground.seed, world->ground.width, lod, target.x,
            target.y, target.z, p.x, p.y, p.z, wrong, least, met);
    tally->inside += !on_side;
    tally->on_sides += on_side;
    tally->on_surface += least <= 0.87;
}

static void check_tile(const struct world *world, uint32_t lod, uint32_t cx, uint32_t row, uint32_t cz,
                       struct tally *tally)
{
    struct tr_error error;
    struct tr_tile_mesh tile;
    uint32_t *indices, count;
    const struct tr_lattice *coarse = coarse_of(world, lod, cx, row, cz);
    const int32_t units = (int32_t)(world->ground.width * TR_UNITS << lod);
    const int32_t offset[3] = {(int32_t)(cx & 1) * units, (int32_t)(row & 1) * units,
                               (int32_t)(cz & 1) * units};
    morph_marched(world, lod, cx, row, cz, &tile);
    assert_ok(tr_lattice_triangles(coarse, &indices, &count, &error), &error);
    for (uint32_t i = 0; i < tile.vertex_count; i++) {
        const int32_t place[3] = {tile.vertices[i].x + offset[0], tile.vertices[i].y + offset[1],
                                  tile.vertices[i].z + offset[2]};
        struct coarse_cell cell;
        find_coarse_cell(coarse, indices, count, place, &cell);
        check_target(world, lod, &tile, i, offset, &cell, tally);
    }
    free(indices);
    tile_free(&tile);
}

static struct tally check_world(enum kind kind, uint64_t seed, int32_t width)
{
    struct world world;
    struct tally tally = {0};
    world_init(&world, kind, seed, width);
    for (uint32_t lod = 0; lod + 1 < LEVELS; lod++) {
        const struct level *level = &world.levels[lod];
        for (uint32_t cz = 0; cz < level->columns; cz++)
            for (uint32_t cx = 0; cx < level->columns; cx++)
                for (uint32_t row = 0; row < level->rows; row++)
                    check_tile(&world, lod, cx, row, cz, &tally);
    }
    world_release(&world);
    return tally;
}

static void targets_are_the_nearest_points_of_the_coarse_cell_along_the_normal(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const struct tally tally = check_world(NOISE, seed, 4);
        assert_in_range(tally.inside, 1000, SIZE_MAX);
        assert_in_range(tally.on_sides, 1000, SIZE_MAX);
    }
}

static void targets_on_smooth_hills_lie_on_the_coarse_surface(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const struct tally tally = check_world(HILLS, seed, 4);
        const size_t all = tally.inside + tally.on_sides;
        if (tally.on_surface * 10 < all * 9 || all < 1000)
            fail_msg("seed %u: %zu of %zu targets lie on the coarse surface", (unsigned)seed,
                     tally.on_surface, all);
    }
}

static void targets_on_a_plane_are_the_vertices_themselves(void **state)
{
    (void)state;
    size_t count = 0;
    for (uint64_t seed = 1; seed < 2000; seed += 111) {
        struct world world;
        world_init(&world, PLANE, seed, 4);
        for (uint32_t lod = 0; lod + 1 < LEVELS; lod++) {
            struct seen_list list = {0};
            see_level(&world, lod, &list);
            for (size_t i = 0; i < list.count; i++)
                for (int axis = 0; axis < 3; axis++)
                    if (llabs(list.all[i].target[axis] - list.all[i].at[axis]) > 2)
                        fail_msg("seed %u LOD %u: vertex %lld,%lld,%lld moves by %lld along axis %d",
                                 (unsigned)seed, lod, (long long)list.all[i].at[0],
                                 (long long)list.all[i].at[1], (long long)list.all[i].at[2],
                                 (long long)(list.all[i].target[axis] - list.all[i].at[axis]), axis);
            count += list.count;
            free(list.all);
        }
        world_release(&world);
    }
    assert_in_range(count, 1000, SIZE_MAX);
}

static void vertices_of_both_levels_stay(void **state)
{
    (void)state;
    struct world world;
    size_t count = 0;
    world_init(&world, NOISE, 9, 4);
    const struct level *level = &world.levels[0];
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t cx = 2 + (i & 1), row = 2 + (i >> 1 & 1), cz = i >> 2;
        const struct tr_lattice *coarse = coarse_of(&world, 0, cx, row, cz);
        const struct tr_lattice *lattice = &level->lattices[lattice_index(level, cx, row, cz)];
        struct tr_tile_mesh tile;
        morph_marched(&world, 0, cx, row, cz, &tile);
        for (uint32_t v = 0; v < coarse->vertex_count; v++)
            for (uint32_t f = 0; f < lattice->vertex_count; f++) {
                const tr_vertex *a = &coarse->vertices[v], *b = &lattice->vertices[f];
                if (a->x != b->x + 1024 * (int)(cx & 1) || a->y != b->y + 1024 * (int)(row & 1) ||
                    a->z != b->z + 1024 * (int)(cz & 1))
                    continue;
                count++;
                assert_int_equal(tile.targets[f][0], b->x);
                assert_int_equal(tile.targets[f][1], b->y);
                assert_int_equal(tile.targets[f][2], b->z);
            }
        tile_free(&tile);
    }
    assert_in_range(count, 100, SIZE_MAX);
    world_release(&world);
}

/* ---- by hand ---- */

static int16_t *flat_field(int32_t height)
{
    int16_t *field = calloc(TR_TILE_FIELD_SAMPLES, sizeof *field);
    assert_non_null(field);
    for (int32_t y = -1; y <= 5; y++)
        for (int32_t z = -1; z <= 5; z++)
            for (int32_t x = -1; x <= 5; x++)
                field[tr_tile_index(x, y, z)] = (int16_t)(256 * y - height);
    return field;
}

static void raise_line(int16_t *field, int32_t x, int32_t z, int32_t height)
{
    for (int32_t y = -1; y <= 5; y++)
        field[tr_tile_index(x, y, z)] = (int16_t)(256 * y - height);
}

/* Morphs a tile of 4 cells a side alone in its parent. */
static void morph_alone(const int16_t *field, struct tr_tile_mesh *tile)
{
    static const uint32_t cells[3] = {4, 4, 4};
    struct tr_error error;
    struct tr_lattice lattice, coarse;
    const struct tr_lattice *children[8] = {&lattice};
    assert_ok(tr_lattice_from_field(field, cells, &lattice, &error), &error);
    assert_ok(tr_lattice_reduce(children, 4, &coarse, &error), &error);
    marched_tile(&lattice, tile);
    assert_ok(tr_morph_marched(&lattice, &coarse, 0, 4, tile, &error), &error);
    tr_lattice_release(&lattice);
    tr_lattice_release(&coarse);
}

static void assert_target(const struct tr_tile_mesh *tile, int32_t x, int32_t y, int32_t z, int32_t to_x,
                          int32_t to_y, int32_t to_z)
{
    for (uint32_t i = 0; i < tile->vertex_count; i++) {
        const tr_vertex *vertex = &tile->vertices[i];
        if (vertex->x != x || vertex->y != y || vertex->z != z)
            continue;
        const int32_t *to = tile->targets[i];
        if (to[0] != to_x || to[1] != to_y || to[2] != to_z)
            fail_msg("vertex %d,%d,%d goes to %d,%d,%d, expected %d,%d,%d", x, y, z, to[0], to[1], to[2],
                     to_x, to_y, to_z);
        return;
    }
    fail_msg("no vertex at %d,%d,%d", x, y, z);
}

static void bumps_between_coarse_samples_go_down_to_the_coarse_ground(void **state)
{
    (void)state;
    struct tr_tile_mesh tile;
    int16_t *field = flat_field(640);
    raise_line(field, 1, 1, 832); /* inside */
    raise_line(field, 0, 3, 700); /* on the side -x */
    morph_alone(field, &tile);
    assert_target(&tile, 256, 832, 256, 256, 640, 256);
    assert_target(&tile, 0, 700, 768, 0, 640, 768);
    assert_target(&tile, 512, 640, 512, 512, 640, 512);
    assert_target(&tile, 0, 77, 130, 0, 77, 130); /* of a transition */
    tile_free(&tile);
    free(field);
}

static void vertices_stay_where_the_coarse_cell_is_empty(void **state)
{
    (void)state;
    struct tr_tile_mesh tile;
    int16_t *field = flat_field(100);
    raise_line(field, 1, 1, 832);        /* out of the coarse cell of the ground */
    field[tr_tile_index(0, 3, 4)] = -64; /* a grain of solid on the edge of -x and +z */
    morph_alone(field, &tile);
    assert_target(&tile, 256, 832, 256, 256, 832, 256);
    assert_target(&tile, 0, 734, 1024, 0, 734, 1024); /* 412 / 476 of the way from y = 2 to 3 */
    assert_target(&tile, 0, 785, 1024, 0, 785, 1024); /* 64 / 988 of the way from y = 3 to 4 */
    tile_free(&tile);
    free(field);
}

static void heights_go_straight_to_the_coarse_triangles(void **state)
{
    (void)state;
    /* Lines 0, 2, 4 are coarse; the others lie in the middle of an edge or of the diagonal that goes up with x and z. */
    static const int32_t heights[5][5] = {{100, 900, 203, 0, 300},
                                          {0, 1000, 1000, 0, 0},
                                          {400, 0, 501, 0, 600},
                                          {0, 0, 0, 0, 0},
                                          {-300, 0, -200, 0, -101}};
    struct tr_height_border borders[TR_COLUMN_SIDES][3] = {0};
    const uint8_t states[TR_COLUMN_SIDES] = {TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};
    struct tr_height_grid grid = {.cells = {4, 4}};
    struct tr_tile_mesh tile;
    struct tr_error error;
    int32_t row;
    grid.vertices = calloc(25, sizeof *grid.vertices);
    assert_non_null(grid.vertices);
    for (int z = 0; z < 5; z++)
        for (int x = 0; x < 5; x++)
            grid.vertices[z * 5 + x] = (tr_vertex){256 * x, heights[z][x], 256 * z, 0};
    assert_ok(tr_height_tile_build(&grid, borders, states, 4, &row, &tile, &error), &error);
    assert_int_equal(row, -1); /* so y of the tile is 1024 more */
    assert_ok(tr_morph_heights(NULL, 0, 4, 0, row, &tile, &error), &error);
    assert_target(&tile, 256, 1924, 0, 256, 1024 + 152, 0);       /* (100 + 203) / 2, halves up */
    assert_target(&tile, 256, 2024, 256, 256, 1024 + 301, 256);   /* (100 + 501) / 2 */
    assert_target(&tile, 512, 2024, 256, 512, 1024 + 352, 256);   /* (203 + 501) / 2 */
    assert_target(&tile, 768, 1024, 1024, 768, 1024 - 150, 1024); /* (-200 - 101) / 2 */
    assert_target(&tile, 768, 1024, 768, 768, 1024 + 200, 768);   /* (501 - 101) / 2 */
    assert_target(&tile, 1024, 1324, 0, 1024, 1324, 0);
    tile_free(&tile);
    tr_height_grid_release(&grid);
}

static void height_tiles_only_move_up_and_down_beside_height_tiles(void **state)
{
    (void)state;
    struct world world;
    size_t count = 0;
    world_init(&world, CLIFFS, 5, 4);
    for (uint32_t lod = 0; lod + 1 < LEVELS; lod++) {
        struct seen_list list = {0};
        see_level(&world, lod, &list);
        for (size_t i = 0; i < list.count; i++) {
            assert_int_equal(list.all[i].target[0], list.all[i].at[0]);
            assert_int_equal(list.all[i].target[2], list.all[i].at[2]);
        }
        count += list.count;
        free(list.all);
    }
    world_release(&world);
    assert_in_range(count, 500, SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_marching_cubes_agree_on_what_they_share),
        cmocka_unit_test(height_tiles_agree_with_each_other_and_with_marching_cubes),
        cmocka_unit_test(targets_are_the_nearest_points_of_the_coarse_cell_along_the_normal),
        cmocka_unit_test(targets_on_smooth_hills_lie_on_the_coarse_surface),
        cmocka_unit_test(targets_on_a_plane_are_the_vertices_themselves),
        cmocka_unit_test(vertices_of_both_levels_stay),
        cmocka_unit_test(bumps_between_coarse_samples_go_down_to_the_coarse_ground),
        cmocka_unit_test(vertices_stay_where_the_coarse_cell_is_empty),
        cmocka_unit_test(heights_go_straight_to_the_coarse_triangles),
        cmocka_unit_test(height_tiles_only_move_up_and_down_beside_height_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
