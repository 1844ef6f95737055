/* Lattices: from a field and from finer lattices equal to what brute force makes of the samples of LOD 0, which descends every edge for
 * itself; their triangles as a naive mesher's that walks cells in the documented order, closed and wound outward; the same bytes from every
 * instruction set. */
#include "tests/support/test.h"

#include "lib/base/alloc.h"
#include "lib/mesh/case_table.h"
#include "lib/mesh/check.h"
#include "lib/mesh/lattice.h"
#include "lib/mesh/mesh.h"
#include "shaders/surface.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define TILE_UNITS (TR_TILE_CELLS * TR_UNITS)
#define NOISE_WORLDS 2
#define LOD_MAX 3

static enum tr_status (*const from_field[TR_ISA_LEVELS])(const int16_t *, const uint32_t[3],
                                                         struct tr_lattice *, struct tr_error *) =
    TR_ISA_TABLE(tr_lattice_from_field);
static enum tr_status (*const reduce[TR_ISA_LEVELS])(const struct tr_lattice *const[8], uint32_t,
                                                     struct tr_lattice *,
                                                     struct tr_error *) = TR_ISA_TABLE(tr_lattice_reduce);
static enum tr_status (*const triangles[TR_ISA_LEVELS])(const struct tr_lattice *, uint32_t **, uint32_t *,
                                                        struct tr_error *) =
    TR_ISA_TABLE(tr_lattice_triangles);

/* The value at voxel (x, y, z) of a world; `seed` chooses one of its kind. */
typedef int16_t field_function(int x, int y, int z, uint32_t seed);

struct world {
    const char *name;
    field_function *function;
    uint32_t seed;
    uint32_t width;
    int size[3]; /* cells of LOD 0 */
};

static int16_t field[TR_TILE_FIELD_SAMPLES];

static int sample(const struct world *world, const int at[3])
{
    return world->function(at[0], at[1], at[2], world->seed);
}

static bool is_solid(const struct world *world, const int at[3])
{
    return sample(world, at) <= 0;
}

/* Fills `field` for the tile of LOD 0 whose lowest corner is voxel origin. What lies beyond it stays as it was, so a lattice that read it
 * would not be equal to the naive one. */
static void fill(const struct world *world, const int origin[3], const uint32_t cells[3])
{
    for (int y = -1; y <= (int)cells[1] + 1; y++) {
        for (int z = -1; z <= (int)cells[2] + 1; z++) {
            for (int x = -1; x <= (int)cells[0] + 1; x++)
                field[tr_tile_index(x, y, z)] =
                    (int16_t)sample(world, (int[3]){origin[0] + x, origin[1] + y, origin[2] + z});
        }
    }
}

/* ---- worlds ---- */

static uint32_t hash_voxel(int x, int y, int z, uint32_t seed)
{
    uint32_t h = seed * 0x9e3779b9u ^ (uint32_t)x * 0x85ebca6bu ^ (uint32_t)y * 0xc2b2ae35u ^
                 (uint32_t)z * 0x27d4eb2fu;

    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

static int16_t quantise(double units)
{
    return (int16_t)fmin(fmax(floor(units + 0.5), -TR_SDF_MAX), TR_SDF_MAX);
}

static int16_t white_noise(int x, int y, int z, uint32_t seed)
{
    return (int16_t)(hash_voxel(x, y, z, seed) % (2 * TR_SDF_MAX + 1) - TR_SDF_MAX);
}

static int16_t three_values(int x, int y, int z, uint32_t seed)
{
    return (int16_t)((int)(hash_voxel(x, y, z, seed) % 3) * 256 - 256);
}

/* Air wherever y is outermost, so that a mesh is open in the world's sides only. */
static int16_t white_noise_below_air(int x, int y, int z, uint32_t seed)
{
    return y <= 0 || y >= 64 ? 100 : white_noise(x, y, z, seed);
}

static int16_t three_values_below_air(int x, int y, int z, uint32_t seed)
{
    return y <= 0 || y >= 64 ? 256 : three_values(x, y, z, seed);
}

/* Few solid samples: many bodies of one sample, and ambiguous faces between them. */
static int16_t sparse_below_air(int x, int y, int z, uint32_t seed)
{
    return y <= 0 || y >= 64 || hash_voxel(x, y, z, seed) % 8 ? 1 : 0;
}

static int16_t hills_with_caves(int x, int y, int z, uint32_t seed)
{
    double ground = y - 32 - 9 * sin(0.11 * x + seed) - 7 * cos(0.13 * z + 0.05 * x);
    double cave = 5 - sqrt(pow(remainder(x + 3, 20), 2) + pow(y - 30, 2) + pow(remainder(z, 24), 2));

    return quantise(256 * fmax(ground, cave));
}

/* Hills about y = 3, for worlds of few cells. */
static int16_t low_hills(int x, int y, int z, uint32_t seed)
{
    return quantise(256 * (y - 3 - 2 * sin(0.9 * x + seed) - 1.5 * cos(0.7 * z + 0.4 * x)));
}

#define SPHERE_RADIUS 20.0

static int16_t sphere(int x, int y, int z, uint32_t seed)
{
    (void)seed;
    return quantise(256 * (sqrt(pow(x - 32.25, 2) + pow(y - 31.5, 2) + pow(z - 32.75, 2)) - SPHERE_RADIUS));
}

static int16_t air(int x, int y, int z, uint32_t seed)
{
    (void)x, (void)y, (void)z, (void)seed;
    return 1;
}

static int16_t solid(int x, int y, int z, uint32_t seed)
{
    (void)x, (void)y, (void)z, (void)seed;
    return 0;
}

/* One solid sample, at a corner that only the far faces know. */
static int16_t far_corner(int x, int y, int z, uint32_t seed)
{
    (void)seed;
    return x == 64 && y == 64 && z == 64 ? -1 : 1;
}

/* One solid sample at the tile's lowest corner. */
static int16_t near_corner(int x, int y, int z, uint32_t seed)
{
    (void)seed;
    return x == 0 && y == 0 && z == 0 ? -1 : 1;
}

/* Where a tile begins and its cells, cut to the world. */
struct tile {
    uint32_t lod, cells[3];
    int origin[3];
};

/* false: the tile lies beyond the world. */
static bool tile_at(const struct world *world, uint32_t lod, const int number[3], struct tile *tile)
{
    tile->lod = lod;
    for (int k = 0; k < 3; k++) {
        int left;

        tile->origin[k] = number[k] * (int)(world->width << lod);
        left = (world->size[k] - tile->origin[k]) >> lod;
        if (left <= 0)
            return false;
        tile->cells[k] = left < (int)world->width ? (uint32_t)left : world->width;
    }
    return true;
}

/* ---- brute force ---- */

struct naive {
    struct tile tile;
    struct tr_mesh mesh;
    bool solid[TR_TILE_CORNERS][TR_TILE_CORNERS][TR_TILE_CORNERS];        /* y, z, x */
    uint32_t edges[TR_TILE_CORNERS][TR_TILE_CORNERS][TR_TILE_CORNERS][3]; /* y, z, x, axis */
};

/* The vertex of the LOD 0 edge from a sample along an axis, in units from the world's origin. */
static tr_vertex naive_crossing(const struct world *world, const int a[3], int axis)
{
    int b[3] = {a[0] + (axis == 0), a[1] + (axis == 1), a[2] + (axis == 2)};
    int t = tr_crossing(sample(world, a), sample(world, b)), g[2][3];

    for (int end = 0; end < 2; end++) {
        for (int k = 0; k < 3; k++) {
            int before[3], after[3];

            memcpy(before, end ? b : a, sizeof before);
            memcpy(after, before, sizeof after);
            before[k]--;
            after[k]++;
            g[end][k] = sample(world, after) - sample(world, before);
        }
    }
    return (tr_vertex){
        a[0] * TR_UNITS + (axis == 0) * t, a[1] * TR_UNITS + (axis == 1) * t,
        a[2] * TR_UNITS + (axis == 2) * t,
        tr_normal(g[0][0], g[0][1], g[0][2], g[1][0], g[1][1], g[1][2], t, axis, is_solid(world, a))};
}

static void naive_signs(struct naive *naive, const struct world *world)
{
    const struct tile *tile = &naive->tile;

    for (uint32_t y = 0; y <= tile->cells[1]; y++) {
        for (uint32_t z = 0; z <= tile->cells[2]; z++) {
            for (uint32_t x = 0; x <= tile->cells[0]; x++)
                naive->solid[y][z][x] = is_solid(world, (int[3]){tile->origin[0] + (int)(x << tile->lod),
                                                                 tile->origin[1] + (int)(y << tile->lod),
                                                                 tile->origin[2] + (int)(z << tile->lod)});
        }
    }
}

/* Appends the vertex of an edge, if it is in the tile and crossed. */
static void naive_vertex(struct naive *naive, const struct world *world, const uint32_t at[3], int axis)
{
    const struct tile *tile = &naive->tile;
    int a[3], b[3];
    tr_vertex *v = &naive->mesh.vertices[naive->mesh.vertex_count];
    uint32_t *edge = &naive->edges[at[1]][at[2]][at[0]][axis];

    *edge = UINT32_MAX;
    if (at[axis] == tile->cells[axis])
        return;
    for (int k = 0; k < 3; k++)
        a[k] = b[k] = tile->origin[k] + (int)(at[k] << tile->lod);
    if (naive->solid[at[1]][at[2]][at[0]] ==
        naive->solid[at[1] + (axis == 1)][at[2] + (axis == 2)][at[0] + (axis == 0)])
        return;
    for (int half = 1 << tile->lod >> 1; half > 0; half >>= 1) {
        b[axis] = a[axis] + half;
        if (is_solid(world, a) == is_solid(world, b))
            a[axis] = b[axis];
    }
    *v = naive_crossing(world, a, axis);
    v->x -= tile->origin[0] * TR_UNITS;
    v->y -= tile->origin[1] * TR_UNITS;
    v->z -= tile->origin[2] * TR_UNITS;
    *edge = naive->mesh.vertex_count++;
}

static uint32_t naive_index(const struct naive *naive, uint32_t x, uint32_t y, uint32_t z, uint32_t edge)
{
    static const uint32_t lower[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
    uint32_t corner = lower[edge];

    return naive->edges[y + (corner >> 1 & 1)][z + (corner >> 2)][x + (corner & 1)][edge / 4];
}

static void naive_cell(struct naive *naive, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t signs = 0;

    for (uint32_t i = 0; i < 8; i++)
        signs |= (uint32_t)naive->solid[y + (i >> 1 & 1)][z + (i >> 2)][x + (i & 1)] << i;
    for (uint32_t i = 0; i < 3 * tr_case_count(tr_case_table[signs]); i++)
        naive->mesh.indices[naive->mesh.index_count++] =
            naive_index(naive, x, y, z, tr_case_edge(tr_case_table[signs], i));
}

static void naive_make(struct naive *naive, const struct world *world, const struct tile *tile)
{
    const uint32_t *cells = tile->cells;
    struct tr_error error = {0};

    naive->tile = *tile;
    naive->mesh.vertex_count = naive->mesh.index_count = 0;
    naive->mesh.vertices = tr_alloc((size_t)3 * (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1),
                                    sizeof *naive->mesh.vertices, &error);
    naive->mesh.indices =
        tr_alloc((size_t)15 * cells[0] * cells[1] * cells[2], sizeof *naive->mesh.indices, &error);
    if (!naive->mesh.vertices || !naive->mesh.indices)
        fail_msg("%s", error.text);
    naive_signs(naive, world);
    for (uint32_t y = 0; y <= cells[1]; y++) {
        for (uint32_t z = 0; z <= cells[2]; z++) {
            for (uint32_t x = 0; x <= cells[0]; x++) {
                for (int axis = 0; axis < 3; axis++)
                    naive_vertex(naive, world, (uint32_t[3]){x, y, z}, axis);
            }
        }
    }
    for (uint32_t y = 0; y < cells[1]; y++) {
        for (uint32_t z = 0; z < cells[2]; z++) {
            for (uint32_t x = 0; x < cells[0]; x++)
                naive_cell(naive, x, y, z);
        }
    }
}

/* ---- lattices ---- */

/* A material that tells a place; 0 where seed is 0, as if nothing were painted. */
static uint8_t material_at(const struct world *world, const struct tile *tile, const tr_vertex *v)
{
    return world->seed
               ? (uint8_t)hash_voxel(tile->origin[0] * TR_UNITS + v->x, tile->origin[1] * TR_UNITS + v->y,
                                     tile->origin[2] * TR_UNITS + v->z, world->seed)
               : 0;
}

static struct tr_lattice lattice_from_field(const struct world *world, const struct tile *tile, int level)
{
    struct tr_lattice lattice;
    struct tr_error error = {0};

    fill(world, tile->origin, tile->cells);
    assert_ok(from_field[level](field, tile->cells, &lattice, &error), &error);
    assert_null(lattice.materials);
    if (lattice.vertex_count == 0 || world->seed == 0)
        return lattice;
    if (!(lattice.materials = tr_alloc(lattice.vertex_count, 1, &error)))
        fail_msg("%s", error.text);
    for (uint32_t i = 0; i < lattice.vertex_count; i++)
        lattice.materials[i] = material_at(world, tile, &lattice.vertices[i]);
    return lattice;
}

static void describe(const struct world *world, const struct tile *tile, int level, char what[160])
{
    snprintf(what, 160, "%s, world %u of %dx%dx%d, width %u, LOD %u at (%d, %d, %d), %s", world->name,
             world->seed, world->size[0], world->size[1], world->size[2], world->width, tile->lod,
             tile->origin[0], tile->origin[1], tile->origin[2], tr_isa_name(level));
}

static void expect_equal_signs(const struct tr_lattice *found, const struct naive *naive, const char *what)
{
    const uint32_t *cells = found->cells;

    for (uint32_t y = 0; y <= cells[1]; y++) {
        for (uint32_t z = 0; z <= cells[2]; z++) {
            for (uint32_t x = 0; x <= cells[0]; x++) {
                if (tr_lattice_is_solid(found, x, y, z) != naive->solid[y][z][x])
                    fail_msg("%s: sample (%u, %u, %u) is %s", what, x, y, z,
                             tr_lattice_is_solid(found, x, y, z) ? "solid" : "air");
                for (uint32_t axis = 0; axis < 3; axis++) {
                    uint32_t index = tr_lattice_vertex(found, axis, x, y, z);

                    if (index != naive->edges[y][z][x][axis])
                        fail_msg("%s: vertex of edge (%u, %u, %u) along axis %u is %u, expected %u", what, x,
                                 y, z, axis, index, naive->edges[y][z][x][axis]);
                }
            }
        }
    }
    for (uint32_t row = 0; found->vertex_count > 0 && cells[0] < 64 && row < tr_lattice_rows(cells); row++) {
        if (found->solid[row] >> cells[0])
            fail_msg("%s: row %u has the word %" PRIx64 ", expected nothing above bit %u", what, row,
                     found->solid[row], cells[0] - 1);
    }
}

static void expect_equal_meshes(const struct tr_mesh *found, const struct tr_mesh *expected, const char *what)
{
    if (found->vertex_count != expected->vertex_count || found->index_count != expected->index_count)
        fail_msg("%s: %u vertices, %u indices; expected %u, %u", what, found->vertex_count,
                 found->index_count, expected->vertex_count, expected->index_count);
    for (uint32_t i = 0; i < found->vertex_count; i++) {
        const tr_vertex *a = &found->vertices[i], *b = &expected->vertices[i];

        if (memcmp(a, b, sizeof *a) != 0)
            fail_msg("%s: vertex %u is (%d, %d, %d) normal %08x; expected (%d, %d, %d) normal %08x", what, i,
                     a->x, a->y, a->z, a->normal, b->x, b->y, b->z, b->normal);
    }
    for (uint32_t i = 0; i < found->index_count; i++) {
        if (found->indices[i] != expected->indices[i])
            fail_msg("%s: index %u is %u, expected %u", what, i, found->indices[i], expected->indices[i]);
    }
}

static void expect_materials(const struct tr_lattice *found, const struct world *world,
                             const struct tile *tile, const char *what)
{
    if (!found->materials && found->vertex_count > 0 && world->seed)
        fail_msg("%s: no materials", what);
    for (uint32_t i = 0; found->materials && i < found->vertex_count; i++) {
        if (found->materials[i] != material_at(world, tile, &found->vertices[i]))
            fail_msg("%s: vertex %u has material %u, expected %u", what, i, found->materials[i],
                     material_at(world, tile, &found->vertices[i]));
    }
}

/* Compares a lattice, its triangles and materials with brute force; returns the number of its vertices. */
static uint32_t expect_naive(const struct tr_lattice *found, const struct world *world,
                             const struct tile *tile, int level)
{
    static struct naive naive;
    struct tr_mesh mesh = {.vertices = found->vertices, .vertex_count = found->vertex_count};
    struct tr_error error = {0};
    char what[160];

    describe(world, tile, level, what);
    naive_make(&naive, world, tile);
    assert_ok(triangles[level](found, &mesh.indices, &mesh.index_count, &error), &error);
    assert_int_equal(found->lod, tile->lod);
    assert_memory_equal(found->cells, tile->cells, sizeof tile->cells);
    if (found->vertex_count == 0)
        assert_true(!found->solid && !found->solid_last && !found->first && !found->vertices &&
                    !found->materials);
    expect_equal_meshes(&mesh, &naive.mesh, what);
    expect_equal_signs(found, &naive, what);
    expect_materials(found, world, tile, what);
    free(mesh.indices);
    tr_mesh_release(&naive.mesh);
    return found->vertex_count;
}

/* The lattice of a tile, made from those of LOD 0 up; each coarser one on the way is compared with brute force. *vertices: theirs are added. */
static struct tr_lattice lattice_of(const struct world *world, const struct tile *tile, int level,
                                    uint32_t *vertices)
{
    const int length = (int)(world->width << tile->lod);
    struct tr_lattice made[8], parent;
    const struct tr_lattice *children[8] = {0};
    struct tr_error error = {0};

    if (tile->lod == 0)
        return lattice_from_field(world, tile, level);
    for (int i = 0; i < 8; i++) {
        const int number[3] = {2 * (tile->origin[0] / length) + (i & 1),
                               2 * (tile->origin[1] / length) + (i >> 1 & 1),
                               2 * (tile->origin[2] / length) + (i >> 2)};
        struct tile child;

        if (!tile_at(world, tile->lod - 1, number, &child))
            continue;
        made[i] = lattice_of(world, &child, level, vertices);
        children[i] = &made[i];
    }
    assert_ok(reduce[level](children, world->width, &parent, &error), &error);
    *vertices += expect_naive(&parent, world, tile, level);
    for (int i = 0; i < 8; i++) {
        if (children[i])
            tr_lattice_release(&made[i]);
    }
    return parent;
}

/* ---- against brute force ---- */

static const struct {
    const char *name;
    field_function *function;
    uint32_t worlds;
} kinds[] = {
    {"white noise", white_noise, NOISE_WORLDS},    {"samples -256, 0, 256", three_values, NOISE_WORLDS},
    {"hills with caves", hills_with_caves, 2},     {"sphere", sphere, 1},
    {"one solid sample far away", far_corner, 1},  {"one solid sample near", near_corner, 1},
    {"sparse solid samples", sparse_below_air, 1},
};

static void order_and_bytes_from_a_field_are_those_of_brute_force(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (uint32_t seed = 1; seed <= kinds[k].worlds; seed++) {
            const struct world world = {kinds[k].name, kinds[k].function, seed, 64, {64, 64, 64}};
            const struct tile tile = {0, {64, 64, 64}, {0, 0, 0}};

            for (int level = 0; level <= tr_isa_pick(); level++) {
                struct tr_lattice found = lattice_from_field(&world, &tile, level);

                assert_true(expect_naive(&found, &world, &tile, level) > 0);
                tr_lattice_release(&found);
            }
        }
    }
}

static void tiles_of_fewer_cells_read_and_make_nothing_beyond_them(void **state)
{
    static const uint32_t shapes[][3] = {{1, 1, 1},   {2, 2, 2},   {3, 5, 7},
                                         {63, 2, 64}, {64, 63, 1}, {1, 64, 33}};

    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct world world = {"white noise", white_noise, 7, 64, {0}};
        struct tile tile = {0};

        for (int i = 0; i < 3; i++)
            world.size[i] = (int)(tile.cells[i] = shapes[k][i]);
        for (int level = 0; level <= tr_isa_pick(); level++) {
            struct tr_lattice found = lattice_from_field(&world, &tile, level);

            assert_true(expect_naive(&found, &world, &tile, level) > 0);
            tr_lattice_release(&found);
        }
    }
}

static void a_tile_of_one_sign_has_no_arrays_and_no_triangles(void **state)
{
    field_function *const functions[] = {air, solid};

    (void)state;
    for (int k = 0; k < 2; k++) {
        const struct world world = {"one sign", functions[k], 0, 16, {64, 64, 64}};
        const struct tile tile = {2, {16, 16, 16}, {0, 0, 0}};

        for (int level = 0; level <= tr_isa_pick(); level++) {
            uint32_t vertices = 0;
            struct tr_lattice found = lattice_of(&world, &tile, level, &vertices);

            assert_int_equal(vertices, 0);
            assert_int_equal(found.is_solid, k == 1);
            tr_lattice_release(&found);
        }
    }
}

/* A world of `width` cells of LOD lod, or as cut says fewer along each axis, never none. */
static void expect_levels(const char *name, field_function *function, uint32_t seed, uint32_t width,
                          uint32_t lod, bool is_cut, uint32_t *vertices)
{
    struct world world = {name, function, seed, width, {0}};
    struct tile tile;

    for (int k = 0; k < 3; k++) {
        uint32_t cells = is_cut ? 1 + hash_voxel(k, (int)width, (int)lod, seed) % width : width;

        world.size[k] = (int)(cells << lod);
    }
    assert_true(tile_at(&world, lod, (int[3]){0, 0, 0}, &tile));
    for (int level = 0; level <= tr_isa_pick(); level++) {
        struct tr_lattice found = lattice_of(&world, &tile, level, vertices);

        tr_lattice_release(&found);
    }
}

static void coarser_lattices_are_those_of_brute_force(void **state)
{
    static const uint32_t widths[] = {2, 4, 16};
    static const struct {
        const char *name;
        field_function *function;
    } worlds[] = {{"white noise", white_noise},
                  {"samples -256, 0, 256", three_values},
                  {"sparse solid samples", sparse_below_air},
                  {"hills", low_hills}};

    (void)state;
    for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++) {
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            uint32_t vertices = 0, worlds_of_width = widths[w] < 16 ? 6 : 1;

            for (uint32_t seed = 0; seed < worlds_of_width; seed++) {
                for (uint32_t lod = 1; lod <= LOD_MAX; lod++) {
                    expect_levels(worlds[k].name, worlds[k].function, seed, widths[w], lod, false, &vertices);
                    expect_levels(worlds[k].name, worlds[k].function, seed, widths[w], lod, true, &vertices);
                }
            }
            if (vertices == 0)
                fail_msg("%s, width %u: no vertex was compared", worlds[k].name, widths[w]);
        }
    }
}

static void coarser_lattices_of_full_width_are_those_of_brute_force(void **state)
{
    uint32_t vertices = 0;

    (void)state;
    expect_levels("hills with caves", hills_with_caves, 1, 64, 1, false, &vertices);
    expect_levels("white noise", white_noise, 2, 64, 1, true, &vertices);
    assert_true(vertices > 50000);
}

/* ---- as geometry ---- */

static struct tr_mesh mesh_of(field_function *function, uint32_t seed, int tile_x)
{
    const struct world world = {"", function, seed, 64, {2 * TR_TILE_CELLS, TR_TILE_CELLS, TR_TILE_CELLS}};
    const uint32_t cells[3] = {64, 64, 64};
    struct tr_lattice lattice;
    struct tr_mesh mesh = {0};
    struct tr_error error = {0};

    fill(&world, (int[3]){TR_TILE_CELLS * tile_x, 0, 0}, cells);
    assert_ok(tr_lattice_from_field(field, cells, &lattice, &error), &error);
    assert_ok(tr_lattice_triangles(&lattice, &mesh.indices, &mesh.index_count, &error), &error);
    mesh.vertices = lattice.vertices;
    mesh.vertex_count = lattice.vertex_count;
    lattice.vertices = NULL;
    tr_lattice_release(&lattice);
    return mesh;
}

static void add_mesh(struct tr_check *check, const struct tr_mesh *mesh, int tile_x)
{
    struct tr_error error = {0};
    int64_t *xyz = tr_alloc((size_t)3 * mesh->vertex_count, sizeof *xyz, &error);

    if (!xyz)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        xyz[3 * i] = mesh->vertices[i].x + (int64_t)TILE_UNITS * tile_x;
        xyz[3 * i + 1] = mesh->vertices[i].y;
        xyz[3 * i + 2] = mesh->vertices[i].z;
    }
    if (tr_check_add(check, xyz, mesh->vertex_count, mesh->indices, mesh->index_count, &error) != TR_OK)
        fail_msg("%s", error.text);
    free(xyz);
}

/* The world is the given number of tiles along x. */
static struct tr_check_result judge(const struct tr_mesh *meshes, int tiles)
{
    const int64_t lo[2] = {0, 0}, hi[2] = {(int64_t)TILE_UNITS * tiles, TILE_UNITS};
    struct tr_check *check;
    struct tr_check_result result;
    struct tr_error error = {0};

    if (tr_check_create(lo, hi, &check, &error) != TR_OK)
        fail_msg("%s", error.text);
    for (int i = 0; i < tiles; i++)
        add_mesh(check, &meshes[i], i);
    if (tr_check_finish(check, &result, &error) != TR_OK)
        fail_msg("%s", error.text);
    tr_check_free(check);
    return result;
}

static void expect_closed(const struct tr_check_result *r, const char *what, uint32_t seed)
{
    if (r->open_edges || r->crowded_edges || r->duplicates || r->degenerates || r->pinches)
        fail_msg("%s, world %u: %" PRIu64 " open edges, first at (%" PRId64 ", %" PRId64 ", %" PRId64
                 "), %" PRIu64 " crowded, %" PRIu64 " duplicates, %" PRIu64 " degenerate, %" PRIu64
                 " pinches",
                 what, seed, r->open_edges, r->first_open[0], r->first_open[1], r->first_open[2],
                 r->crowded_edges, r->duplicates, r->degenerates, r->pinches);
}

static void expect_within(double found, double expected, double share, const char *what)
{
    if (!(fabs(found - expected) <= share * expected))
        fail_msg("%s is %g, expected %g within %g%%", what, found, expected, 100 * share);
}

/* The direction that tr_octahedral packed. */
static void unpack_normal(uint32_t packed, double n[3])
{
    double u = (int16_t)(packed & 0xffff) / 32767.0, v = (int16_t)(packed >> 16) / 32767.0, length;

    n[1] = 1 - fabs(u) - fabs(v);
    n[0] = n[1] < 0 ? copysign(1 - fabs(v), u) : u;
    n[2] = n[1] < 0 ? copysign(1 - fabs(u), v) : v;
    length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
}

static void a_sphere_is_closed_and_has_its_volume_and_area(void **state)
{
    struct tr_mesh mesh = mesh_of(sphere, 0, 0);
    struct tr_check_result result = judge(&mesh, 1);
    const double radius = SPHERE_RADIUS * TR_UNITS;

    (void)state;
    expect_closed(&result, "sphere", 0);
    assert_int_equal(result.side_edges, 0);
    assert_int_equal(result.euler, 2);
    assert_int_equal(result.components, 1);
    expect_within(result.volume_units3, 4.0 / 3 * PI * radius * radius * radius, 0.01, "volume");
    expect_within(result.area_units2, 4 * PI * radius * radius, 0.01, "area");
    tr_mesh_release(&mesh);
}

static void triangles_and_normals_of_a_sphere_point_outward(void **state)
{
    const double centre[3] = {32.25 * TR_UNITS, 31.5 * TR_UNITS, 32.75 * TR_UNITS};
    struct tr_mesh mesh = mesh_of(sphere, 0, 0);

    (void)state;
    for (uint32_t i = 0; i < mesh.index_count; i += 3) {
        double p[3][3], n[3], along = 0;

        for (int c = 0; c < 3; c++) {
            const tr_vertex *v = &mesh.vertices[mesh.indices[i + (uint32_t)c]];
            const int at[3] = {v->x, v->y, v->z};

            for (int k = 0; k < 3; k++)
                p[c][k] = at[k] - centre[k];
        }
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;

            n[k] = (p[1][a] - p[0][a]) * (p[2][b] - p[0][b]) - (p[1][b] - p[0][b]) * (p[2][a] - p[0][a]);
            along += n[k] * (p[0][k] + p[1][k] + p[2][k]);
        }
        if (along <= 0)
            fail_msg("triangle %u faces inward: %g", i / 3, along);
    }
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        const tr_vertex *v = &mesh.vertices[i];
        double radial[3] = {v->x - centre[0], v->y - centre[1], v->z - centre[2]}, n[3];
        double cosine;

        unpack_normal(v->normal, n);
        cosine = (n[0] * radial[0] + n[1] * radial[1] + n[2] * radial[2]) /
                 sqrt(radial[0] * radial[0] + radial[1] * radial[1] + radial[2] * radial[2]);
        if (cosine < 0.9999)
            fail_msg("normal of vertex %u (%d, %d, %d) leans off: cosine %.6f", i, v->x, v->y, v->z, cosine);
    }
    tr_mesh_release(&mesh);
}

static void two_tiles_of_one_field_close(void **state)
{
    static const struct {
        const char *name;
        field_function *function;
    } worlds[] = {
        {"white noise", white_noise_below_air},
        {"samples -256, 0, 256", three_values_below_air},
        {"sparse solid samples", sparse_below_air},
        {"hills with caves", hills_with_caves},
    };

    (void)state;
    for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++) {
        for (uint32_t seed = 1; seed <= 2; seed++) {
            struct tr_mesh meshes[2] = {mesh_of(worlds[k].function, seed, 0),
                                        mesh_of(worlds[k].function, seed, 1)};
            struct tr_check_result result = judge(meshes, 2);

            expect_closed(&result, worlds[k].name, seed);
            assert_true(result.side_edges > 0);
            result = judge((struct tr_mesh[2]){meshes[0]}, 2);
            if (result.open_edges == 0)
                fail_msg("%s, world %u: closed without the second tile", worlds[k].name, seed);
            tr_mesh_release(&meshes[0]);
            tr_mesh_release(&meshes[1]);
        }
    }
}

/* Vertices on the plane x = units, in order. */
static uint32_t vertices_on_plane(const struct tr_mesh *mesh, int units, tr_vertex *found, uint32_t capacity)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        if (mesh->vertices[i].x != units)
            continue;
        assert_true(count < capacity);
        found[count++] = mesh->vertices[i];
    }
    return count;
}

static void tiles_share_vertices_and_normals_on_their_border(void **state)
{
    static tr_vertex left[2 * 65 * 65], right[2 * 65 * 65];
    field_function *const functions[] = {white_noise, three_values, hills_with_caves};

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct tr_mesh meshes[2] = {mesh_of(functions[k], 7, 0), mesh_of(functions[k], 7, 1)};
        uint32_t count = vertices_on_plane(&meshes[0], TILE_UNITS, left, 2 * 65 * 65);

        assert_int_equal(vertices_on_plane(&meshes[1], 0, right, 2 * 65 * 65), count);
        assert_true(count > 50);
        for (uint32_t i = 0; i < count; i++) {
            if (left[i].y != right[i].y || left[i].z != right[i].z || left[i].normal != right[i].normal)
                fail_msg("field %d, border vertex %u: (%d, %d) normal %08x and (%d, %d) normal %08x", k, i,
                         left[i].y, left[i].z, left[i].normal, right[i].y, right[i].z, right[i].normal);
        }
        tr_mesh_release(&meshes[0]);
        tr_mesh_release(&meshes[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_and_bytes_from_a_field_are_those_of_brute_force),
        cmocka_unit_test(tiles_of_fewer_cells_read_and_make_nothing_beyond_them),
        cmocka_unit_test(a_tile_of_one_sign_has_no_arrays_and_no_triangles),
        cmocka_unit_test(coarser_lattices_are_those_of_brute_force),
        cmocka_unit_test(coarser_lattices_of_full_width_are_those_of_brute_force),
        cmocka_unit_test(a_sphere_is_closed_and_has_its_volume_and_area),
        cmocka_unit_test(triangles_and_normals_of_a_sphere_point_outward),
        cmocka_unit_test(two_tiles_of_one_field_close),
        cmocka_unit_test(tiles_share_vertices_and_normals_on_their_border),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
