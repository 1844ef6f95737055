/* Marching cubes of a tile: equal to a naive mesher that walks edges and cells in the documented order,
 * closed, and wound outward; the same bytes from every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/alloc.h"
#include "lib/mesh/case_table.h"
#include "lib/mesh/check.h"
#include "lib/mesh/march.h"
#include "shaders/surface.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define TILE_UNITS (TR_TILE_CELLS * TR_UNITS)
#define NOISE_WORLDS 2

typedef enum tr_status march_function(const int16_t *field, struct tr_march_scratch *scratch,
                                      struct tr_mesh *mesh, struct tr_error *error);
static march_function *const march[TR_ISA_LEVELS] = TR_ISA_TABLE(tr_march);

/* The value at voxel (x, y, z) of a world; `seed` chooses one of its kind. */
typedef int16_t field_function(int x, int y, int z, uint32_t seed);

static int16_t field[TR_TILE_FIELD_SAMPLES];
static struct tr_march_scratch scratch;

/* Fills `field` for the tile whose lowest corner is voxel (64 tile_x, 0, 0). */
static void fill(field_function *function, uint32_t seed, int tile_x)
{
    for (int y = -1; y <= TR_TILE_CORNERS; y++) {
        for (int z = -1; z <= TR_TILE_CORNERS; z++) {
            for (int x = -1; x <= TR_TILE_CORNERS; x++)
                field[tr_tile_index(x, y, z)] = function(x + TR_TILE_CELLS * tile_x, y, z, seed);
        }
    }
}

static struct tr_mesh mesh_at_level(int level)
{
    struct tr_mesh mesh = {0};
    struct tr_error error = {0};

    if (march[level](field, &scratch, &mesh, &error) != TR_OK)
        fail_msg("%s", error.text);
    return mesh;
}

static struct tr_mesh mesh_of(field_function *function, uint32_t seed, int tile_x)
{
    fill(function, seed, tile_x);
    return mesh_at_level(tr_isa_pick());
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

/* ---- the naive mesher ---- */

static uint32_t edge_index[TR_TILE_CORNERS][TR_TILE_CORNERS][TR_TILE_CORNERS][3]; /* y, z, x, axis */

static int difference(int x, int y, int z, int axis)
{
    return field[tr_tile_index(x + (axis == 0), y + (axis == 1), z + (axis == 2))] -
           field[tr_tile_index(x - (axis == 0), y - (axis == 1), z - (axis == 2))];
}

/* Appends the vertex of an edge, if it is in the tile and crossed. */
static void naive_vertex(struct tr_mesh *mesh, int x, int y, int z, int axis)
{
    int bx = x + (axis == 0), by = y + (axis == 1), bz = z + (axis == 2);
    int a = field[tr_tile_index(x, y, z)], b, t, g[2][3];
    tr_vertex *v = &mesh->vertices[mesh->vertex_count];

    if (bx > TR_TILE_CELLS || by > TR_TILE_CELLS || bz > TR_TILE_CELLS)
        return;
    b = field[tr_tile_index(bx, by, bz)];
    if ((a <= 0) == (b <= 0))
        return;
    t = tr_crossing(a, b);
    for (int k = 0; k < 3; k++) {
        g[0][k] = difference(x, y, z, k);
        g[1][k] = difference(bx, by, bz, k);
    }
    v->x = x * TR_UNITS + (axis == 0) * t;
    v->y = y * TR_UNITS + (axis == 1) * t;
    v->z = z * TR_UNITS + (axis == 2) * t;
    v->normal = tr_normal(g[0][0], g[0][1], g[0][2], g[1][0], g[1][1], g[1][2], t, axis, a <= 0);
    edge_index[y][z][x][axis] = mesh->vertex_count++;
}

static uint32_t naive_index(int x, int y, int z, uint32_t edge)
{
    static const int lower[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
    int corner = lower[edge];

    return edge_index[y + (corner >> 1 & 1)][z + (corner >> 2)][x + (corner & 1)][edge / 4];
}

static void naive_cell(struct tr_mesh *mesh, int x, int y, int z)
{
    uint32_t signs = 0;

    for (int i = 0; i < 8; i++)
        signs |= (uint32_t)(field[tr_tile_index(x + (i & 1), y + (i >> 1 & 1), z + (i >> 2))] <= 0) << i;
    for (uint32_t i = 0; i < 3 * tr_case_count(tr_case_table[signs]); i++)
        mesh->indices[mesh->index_count++] = naive_index(x, y, z, tr_case_edge(tr_case_table[signs], i));
}

static struct tr_mesh naive_mesh(void)
{
    struct tr_mesh mesh = {0};
    struct tr_error error = {0};

    mesh.vertices = tr_alloc((size_t)3 * 65 * 65 * 65, sizeof *mesh.vertices, &error);
    mesh.indices = tr_alloc((size_t)15 * 64 * 64 * 64, sizeof *mesh.indices, &error);
    if (!mesh.vertices || !mesh.indices)
        fail_msg("%s", error.text);
    for (int y = 0; y < TR_TILE_CORNERS; y++) {
        for (int z = 0; z < TR_TILE_CORNERS; z++) {
            for (int x = 0; x < TR_TILE_CORNERS; x++) {
                for (int axis = 0; axis < 3; axis++)
                    naive_vertex(&mesh, x, y, z, axis);
            }
        }
    }
    for (int y = 0; y < TR_TILE_CELLS; y++) {
        for (int z = 0; z < TR_TILE_CELLS; z++) {
            for (int x = 0; x < TR_TILE_CELLS; x++)
                naive_cell(&mesh, x, y, z);
        }
    }
    return mesh;
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

/* ---- against the naive mesher ---- */

static void order_and_bytes_are_those_of_the_naive_mesher(void **state)
{
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

    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (uint32_t seed = 1; seed <= kinds[k].worlds; seed++) {
            struct tr_mesh expected;

            fill(kinds[k].function, seed, 0);
            expected = naive_mesh();
            assert_true(expected.index_count > 0);
            for (int level = 0; level <= tr_isa_pick(); level++) {
                struct tr_mesh found = mesh_at_level(level);
                char what[96];

                snprintf(what, sizeof what, "%s, world %u, %s", kinds[k].name, seed, tr_isa_name(level));
                expect_equal_meshes(&found, &expected, what);
                tr_mesh_release(&found);
            }
            tr_mesh_release(&expected);
        }
    }
}

static void a_tile_of_one_sign_has_an_empty_mesh(void **state)
{
    field_function *const kinds[] = {air, solid};

    (void)state;
    for (int k = 0; k < 2; k++) {
        fill(kinds[k], 0, 0);
        for (int level = 0; level <= tr_isa_pick(); level++) {
            struct tr_mesh mesh = mesh_at_level(level);

            assert_int_equal(mesh.vertex_count, 0);
            assert_int_equal(mesh.index_count, 0);
            tr_mesh_release(&mesh);
        }
    }
}

static void a_small_mesh_after_a_large_one_has_nothing_left_over(void **state)
{
    static struct tr_march_scratch fresh;
    struct tr_mesh large, small, again;
    struct tr_error error = {0};

    (void)state;
    fill(near_corner, 0, 0);
    small = (struct tr_mesh){0};
    if (march[tr_isa_pick()](field, &fresh, &small, &error) != TR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(small.index_count, 3);
    large = mesh_of(white_noise, 5, 0);
    assert_true(large.index_count > 30000);
    again = mesh_of(near_corner, 0, 0);
    expect_equal_meshes(&again, &small, "small mesh after a large one");
    tr_mesh_release(&again);

    again = mesh_of(white_noise, 5, 0);
    expect_equal_meshes(&again, &large, "the same noise again");
    tr_mesh_release(&again);
    tr_mesh_release(&large);
    tr_mesh_release(&small);
}

/* ---- as geometry ---- */

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
    } kinds[] = {
        {"white noise", white_noise_below_air},
        {"samples -256, 0, 256", three_values_below_air},
        {"sparse solid samples", sparse_below_air},
        {"hills with caves", hills_with_caves},
    };

    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (uint32_t seed = 1; seed <= 2; seed++) {
            struct tr_mesh meshes[2] = {mesh_of(kinds[k].function, seed, 0),
                                        mesh_of(kinds[k].function, seed, 1)};
            struct tr_check_result result = judge(meshes, 2);

            expect_closed(&result, kinds[k].name, seed);
            assert_true(result.side_edges > 0);
            result = judge((struct tr_mesh[2]){meshes[0]}, 2);
            if (result.open_edges == 0)
                fail_msg("%s, world %u: closed without the second tile", kinds[k].name, seed);
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
    field_function *const kinds[] = {white_noise, three_values, hills_with_caves};

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct tr_mesh meshes[2] = {mesh_of(kinds[k], 7, 0), mesh_of(kinds[k], 7, 1)};
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
        cmocka_unit_test(order_and_bytes_are_those_of_the_naive_mesher),
        cmocka_unit_test(a_tile_of_one_sign_has_an_empty_mesh),
        cmocka_unit_test(a_small_mesh_after_a_large_one_has_nothing_left_over),
        cmocka_unit_test(a_sphere_is_closed_and_has_its_volume_and_area),
        cmocka_unit_test(triangles_and_normals_of_a_sphere_point_outward),
        cmocka_unit_test(two_tiles_of_one_field_close),
        cmocka_unit_test(tiles_share_vertices_and_normals_on_their_border),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
