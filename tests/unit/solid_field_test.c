/* Distance fields of solids against what is known of cubes, spheres, tori and staircases, and against a
 * search through all triangles.
 *
 * TERRAIN_TEST_DATA names a folder with the Stanford bunny (sdf/bunny.obj); its test is skipped without it. */
#include "tests/support/test.h"

#include "lib/base/bytes.h"
#include "lib/base/file.h"
#include "lib/base/hash.h"
#include "lib/edit/solid_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS ((double)TR_SOLID_FIELD_UNITS)
/* Moving vertices to the lattice moves the surface by at most this, in units. */
#define LATTICE_UNITS (UNITS * 0.87 / 65536.0)
#define HALF_UNIT (0.5 + LATTICE_UNITS + 1e-6)

static struct tr_jobs *jobs;

static int make_jobs(void **state)
{
    (void)state;
    return tr_jobs_create(1, &jobs, NULL);
}

static int free_jobs(void **state)
{
    (void)state;
    tr_jobs_free(jobs);
    return 0;
}

/* --- meshes --- */

/* As OBJ text, each triangle with corners of its own. */
static void add_triangle(struct tr_writer *obj, const double a[3], const double b[3], const double c[3])
{
    tr_write_text(obj, "v %.17g %.17g %.17g\nv %.17g %.17g %.17g\nv %.17g %.17g %.17g\nf -3 -2 -1\n", a[0],
                  a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]);
}

static void add_quad(struct tr_writer *obj, const double a[3], const double b[3], const double c[3],
                     const double d[3])
{
    add_triangle(obj, a, b, c);
    add_triangle(obj, a, c, d);
}

/* The box between two corners; wound inside out if `low` is above `high` along one axis or all. */
static void add_box(struct tr_writer *obj, const double low[3], const double high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        double p[2][4][3];
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 4; k++) {
                p[side][k][axis] = side ? high[axis] : low[axis];
                p[side][k][u] = k == 1 || k == 2 ? high[u] : low[u];
                p[side][k][v] = k >= 2 ? high[v] : low[v];
            }
        add_quad(obj, p[1][0], p[1][1], p[1][2], p[1][3]);
        add_quad(obj, p[0][3], p[0][2], p[0][1], p[0][0]);
    }
}

static void on_sphere(const double a[3], const double b[3], double radius, double out[3])
{
    double sum[3] = {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
    double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);

    for (int axis = 0; axis < 3; axis++)
        out[axis] = sum[axis] / length * radius;
}

static void add_sphere_part(struct tr_writer *obj, const double a[3], const double b[3], const double c[3],
                            double radius, int depth)
{
    double ab[3], bc[3], ca[3];

    if (depth == 0) {
        add_triangle(obj, a, b, c);
        return;
    }
    on_sphere(a, b, radius, ab);
    on_sphere(b, c, radius, bc);
    on_sphere(c, a, radius, ca);
    add_sphere_part(obj, a, ab, ca, radius, depth - 1);
    add_sphere_part(obj, b, bc, ab, radius, depth - 1);
    add_sphere_part(obj, c, ca, bc, radius, depth - 1);
    add_sphere_part(obj, ab, bc, ca, radius, depth - 1);
}

/* An octahedron whose triangles are split into four `depth` times; around 0. */
static void add_sphere(struct tr_writer *obj, double radius, int depth)
{
    for (int octant = 0; octant < 8; octant++) {
        double x[3] = {octant & 1 ? -radius : radius, 0, 0}, y[3] = {0, octant & 2 ? -radius : radius, 0},
               z[3] = {0, 0, octant & 4 ? -radius : radius};
        bool is_mirrored = (octant ^ octant >> 1 ^ octant >> 2) & 1;
        add_sphere_part(obj, x, is_mirrored ? z : y, is_mirrored ? y : z, radius, depth);
    }
}

static struct tr_solid_mesh mesh_of(struct tr_writer *obj)
{
    struct tr_solid_mesh mesh;
    struct tr_error error = {0};

    assert_false(obj->failed);
    if (tr_solid_mesh_parse(obj->bytes, obj->size_bytes, "m", &mesh, &error) != TR_OK)
        fail_msg("refused: %s", error.text);
    tr_writer_release(obj);
    return mesh;
}

static struct tr_solid_field field_of(const struct tr_solid_mesh *mesh, double cell, uint32_t margin)
{
    struct tr_solid_field field;
    struct tr_error error = {0};

    if (tr_solid_field_make(mesh, cell, margin, jobs, &field, &error) != TR_OK)
        fail_msg("refused: %s", error.text);
    return field;
}

static struct tr_solid_field field_of_obj(struct tr_writer *obj, double cell, uint32_t margin)
{
    struct tr_solid_mesh mesh = mesh_of(obj);
    struct tr_solid_field field = field_of(&mesh, cell, margin);

    tr_solid_mesh_release(&mesh);
    return field;
}

/* --- samples --- */

static size_t sample_count(const struct tr_solid_field *field)
{
    return (size_t)field->size[0] * field->size[1] * field->size[2];
}

/* Calls visit for each sample with its place. */
static void each_sample(const struct tr_solid_field *field,
                        void (*visit)(const void *context, const double at[3], int sample),
                        const void *context)
{
    size_t i = 0;

    for (uint32_t y = 0; y < field->size[1]; y++)
        for (uint32_t z = 0; z < field->size[2]; z++)
            for (uint32_t x = 0; x < field->size[0]; x++, i++) {
                double at[3] = {field->origin[0] + field->cell * x, field->origin[1] + field->cell * y,
                                field->origin[2] + field->cell * z};
                visit(context, at, field->samples[i]);
            }
}

static int sample_at(const struct tr_solid_field *field, double x, double y, double z)
{
    size_t i = (size_t)lround((x - field->origin[0]) / field->cell),
           j = (size_t)lround((y - field->origin[1]) / field->cell),
           k = (size_t)lround((z - field->origin[2]) / field->cell);

    assert_true(i < field->size[0] && j < field->size[1] && k < field->size[2]);
    return field->samples[(j * field->size[2] + k) * field->size[0] + i];
}

/* The exact distance from the box [0, side]^3 in units, rounded as a sample is. */
struct cube {
    double side, cell;
};

static void check_cube(const void *context, const double at[3], int sample)
{
    const struct cube *cube = context;
    double squared = 0, inside = -1e9, exact;
    int expected;

    for (int axis = 0; axis < 3; axis++) {
        double cells = floor(at[axis] / cube->cell + 0.5), side = floor(cube->side / cube->cell + 0.5);
        double over = cells < 0 ? -cells : cells - side;
        if (over > 0)
            squared += over * over;
        over = -cells > cells - side ? -cells : cells - side;
        inside = over > inside ? over : inside;
    }
    exact = inside > 0 ? sqrt(squared) : inside;
    expected = exact < 0 ? -(int)(-exact * UNITS + 0.5) : (int)(exact * UNITS + 0.5);
    if (sample != expected)
        fail_msg("(%g, %g, %g): %d, expected %d", at[0], at[1], at[2], sample, expected);
}

static void a_cube_between_grid_points_is_exact(void **state)
{
    const struct cube cubes[] = {{8, 1}, {0.8, 0.1}, {2.1, 0.3}, {768, 64}};

    (void)state;
    for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++) {
        const double low[3] = {0, 0, 0}, high[3] = {cubes[i].side, cubes[i].side, cubes[i].side};
        struct tr_writer obj = {0};
        struct tr_solid_field field;
        add_box(&obj, low, high);
        field = field_of_obj(&obj, cubes[i].cell, 3);
        for (int axis = 0; axis < 3; axis++) {
            assert_int_equal(field.size[axis], (int)lround(cubes[i].side / cubes[i].cell) + 7);
            assert_true(field.origin[axis] == -3 * cubes[i].cell);
        }
        each_sample(&field, check_cube, &cubes[i]);
        tr_solid_field_release(&field);
    }
}

static void the_grid_lies_on_multiples_of_the_cell_and_holds_the_margin(void **state)
{
    const double low[3] = {-0.1, 2.0, 5.9}, high[3] = {0.1, 3.5, 6.1};
    struct tr_writer obj = {0};
    struct tr_solid_field field;

    (void)state;
    add_box(&obj, low, high);
    field = field_of_obj(&obj, 0.5, 2);
    assert_true(field.origin[0] == -1.5 && field.origin[1] == 1.0 && field.origin[2] == 4.5);
    assert_int_equal(field.size[0], 7); /* -0.5 to 0.5, and 2 on each side */
    assert_int_equal(field.size[1], 8); /* 2 to 3.5 */
    assert_int_equal(field.size[2], 7); /* 5.5 to 6.5 */
    assert_true(field.cell == 0.5);
    tr_solid_field_release(&field);
}

/* A sphere's mesh lies within the sphere, at its corners on it and nowhere deeper than the chord. */
struct sphere {
    double radius, cell, chord;
};

static void check_sphere(const void *context, const double at[3], int sample)
{
    const struct sphere *sphere = context;
    double units = UNITS / sphere->cell;
    double exact = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]) - sphere->radius;

    if (sample < units * exact - HALF_UNIT || sample > units * (exact + sphere->chord) + HALF_UNIT)
        fail_msg("(%g, %g, %g): %d, expected %.2f to %.2f", at[0], at[1], at[2], sample, units * exact,
                 units * (exact + sphere->chord));
}

/* How deep the middles of the triangles lie in the sphere: what is greatest there is greatest of all. */
static double chord_of(const struct tr_solid_mesh *mesh, double radius)
{
    double chord = 0;

    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const double *a = mesh->positions[mesh->triangles[i][0]], *b = mesh->positions[mesh->triangles[i][1]],
                     *c = mesh->positions[mesh->triangles[i][2]];
        double u[3], v[3], n[3], depth;
        for (int axis = 0; axis < 3; axis++) {
            u[axis] = b[axis] - a[axis];
            v[axis] = c[axis] - a[axis];
        }
        for (int axis = 0; axis < 3; axis++)
            n[axis] = u[(axis + 1) % 3] * v[(axis + 2) % 3] - u[(axis + 2) % 3] * v[(axis + 1) % 3];
        depth = radius -
                (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        chord = depth > chord ? depth : chord;
    }
    return chord;
}

static void a_sphere_is_as_far_as_its_radius_says_within_the_chord(void **state)
{
    struct sphere sphere = {14.0, 1.0, 0};
    struct tr_writer obj = {0};
    struct tr_solid_mesh mesh;
    struct tr_solid_field field;

    (void)state;
    add_sphere(&obj, sphere.radius, 4);
    mesh = mesh_of(&obj);
    assert_int_equal(mesh.triangle_count, 2048);
    sphere.chord = chord_of(&mesh, sphere.radius);
    assert_true(sphere.chord > 0.001 && sphere.chord < 0.2);
    field = field_of(&mesh, sphere.cell, 6);
    each_sample(&field, check_sphere, &sphere);
    tr_solid_field_release(&field);
    tr_solid_mesh_release(&mesh);
}

static void a_mesh_much_finer_than_the_cells_is_exact_too(void **state)
{
    struct sphere sphere = {0.75, 0.5, 1e-3};
    struct tr_writer obj = {0};
    struct tr_solid_field field;

    (void)state;
    add_sphere(&obj, sphere.radius,
               6); /* 32,768 triangles, all of them candidates of the innermost samples */
    field = field_of_obj(&obj, sphere.cell, 4);
    each_sample(&field, check_sphere, &sphere);
    tr_solid_field_release(&field);
}

#define RING 96
#define TUBE 64

static void torus_point(int i, int j, double out[3])
{
    double around = 2 * M_PI * (i % RING) / RING, along = 2 * M_PI * (j % TUBE) / TUBE;
    double rho = 12 + 5 * cos(along);

    out[0] = rho * cos(around);
    out[1] = 5 * sin(along);
    out[2] = rho * sin(around);
}

static void check_torus(const void *context, const double at[3], int sample)
{
    double rho = sqrt(at[0] * at[0] + at[2] * at[2]) - 12;
    double exact = sqrt(rho * rho + at[1] * at[1]) - 5;
    double chord = 17 * (1 - cos(M_PI / RING)) + 5 * (1 - cos(M_PI / TUBE));

    (void)context;
    if (fabs(sample - UNITS * exact) > UNITS * chord + HALF_UNIT)
        fail_msg("(%g, %g, %g): %d, expected %.2f within %.2f", at[0], at[1], at[2], sample, UNITS * exact,
                 UNITS * chord);
}

static void a_torus_has_its_hole(void **state)
{
    struct tr_writer obj = {0};
    struct tr_solid_mesh mesh;
    struct tr_solid_field field;

    (void)state;
    for (int i = 0; i < RING; i++)
        for (int j = 0; j < TUBE; j++) {
            double p[4][3];
            torus_point(i, j, p[0]);
            torus_point(i, j + 1, p[1]);
            torus_point(i + 1, j + 1, p[2]);
            torus_point(i + 1, j, p[3]);
            add_quad(&obj, p[0], p[1], p[2], p[3]);
        }
    mesh = mesh_of(&obj);
    assert_int_equal(mesh.vertex_count - mesh.triangle_count / 2, 0); /* genus 1 */
    field = field_of(&mesh, 1.0, 3);
    each_sample(&field, check_torus, NULL);
    tr_solid_field_release(&field);
    tr_solid_mesh_release(&mesh);
}

/* --- signs --- */

static uint32_t random_state;

static int random_below(int end)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((uint64_t)(random_state >> 8) * (uint64_t)end >> 24);
}

static int64_t volume6(const int64_t a[3], const int64_t b[3], const int64_t c[3], const int64_t d[3])
{
    int64_t u[3], v[3], w[3];

    for (int axis = 0; axis < 3; axis++) {
        u[axis] = b[axis] - a[axis];
        v[axis] = c[axis] - a[axis];
        w[axis] = d[axis] - a[axis];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* Of a tetrahedron with positive volume6(p0, p1, p2, p3), in half cells: > 0 outside, 0 on the surface. */
static int tetra_side(int64_t p[4][3], const double at[3])
{
    int64_t q[3] = {lround(2 * at[0]), lround(2 * at[1]), lround(2 * at[2])};
    int64_t volumes[4] = {volume6(q, p[1], p[2], p[3]), volume6(p[0], q, p[2], p[3]),
                          volume6(p[0], p[1], q, p[3]), volume6(p[0], p[1], p[2], q)};
    bool is_on_surface = false;

    for (int k = 0; k < 4; k++) {
        if (volumes[k] < 0)
            return 1;
        is_on_surface |= volumes[k] == 0;
    }
    return is_on_surface ? 0 : -1;
}

/* A sample within half a unit of the surface is 0, so inside is "not above" and outside "not below". */
static void check_tetra(const void *context, const double at[3], int sample)
{
    int64_t p[4][3];
    int side;

    memcpy(p, context, sizeof p);
    side = tetra_side(p, at);
    if (side == 0 ? sample != 0 : side * sample < 0)
        fail_msg("(%g, %g, %g): %d, expected %s", at[0], at[1], at[2], sample,
                 side < 0   ? "inside"
                 : side > 0 ? "outside"
                            : "the surface");
}

static void no_sample_of_tetrahedra_with_corners_on_grid_points_has_a_wrong_sign(void **state)
{
    (void)state;
    random_state = 5;
    for (int round = 0; round < 300; round++) {
        int64_t p[4][3], volume;
        double v[4][3];
        struct tr_writer obj = {0};
        struct tr_solid_field field;
        int step = round % 3 == 0 ? 1 : 2; /* half cells too */
        for (int k = 0; k < 4; k++)
            for (int axis = 0; axis < 3; axis++)
                p[k][axis] = step * random_below(6);
        volume = volume6(p[0], p[1], p[2], p[3]);
        if (volume == 0)
            continue;
        if (volume < 0)
            for (int axis = 0; axis < 3; axis++) {
                int64_t swapped = p[0][axis];
                p[0][axis] = p[1][axis];
                p[1][axis] = swapped;
            }
        for (int k = 0; k < 4; k++)
            for (int axis = 0; axis < 3; axis++)
                v[k][axis] = 0.5 * (double)p[k][axis];
        add_triangle(&obj, v[0], v[2], v[1]);
        add_triangle(&obj, v[0], v[1], v[3]);
        add_triangle(&obj, v[1], v[2], v[3]);
        add_triangle(&obj, v[2], v[0], v[3]);
        field = field_of_obj(&obj, 1.0, 1);
        each_sample(&field, check_tetra, p);
        tr_solid_field_release(&field);
    }
}

/* A pile of unit cubes in a corner, none without one behind, below and beside it: its surface has edges and
 * corners on grid points only, and no edge with four squares. `turn` permutes and mirrors the axes. */
#define PILE 5
struct pile {
    int heights[PILE][PILE];
    int turn;
};

static bool pile_has(const struct pile *pile, int x, int y, int z)
{
    return x >= 0 && x < PILE && z >= 0 && z < PILE && y >= 0 && y < pile->heights[x][z];
}

static struct pile random_pile(int turn)
{
    struct pile pile = {.turn = turn};

    for (int x = 0; x < PILE; x++)
        for (int z = 0; z < PILE; z++) {
            int highest = PILE;
            if (x > 0 && pile.heights[x - 1][z] < highest)
                highest = pile.heights[x - 1][z];
            if (z > 0 && pile.heights[x][z - 1] < highest)
                highest = pile.heights[x][z - 1];
            pile.heights[x][z] =
                x + z == 0 ? 1 + random_below(PILE) : highest - random_below(2) * random_below(2);
            if (pile.heights[x][z] < 0)
                pile.heights[x][z] = 0;
        }
    return pile;
}

static void pile_turn(const struct pile *pile, const double in[3], double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double value = in[pile->turn & 8 ? (axis + 1) % 3 : axis];
        out[axis] = pile->turn >> axis & 1 ? -value : value;
    }
}

static void pile_turn_back(const struct pile *pile, const double in[3], double out[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[pile->turn & 8 ? (axis + 1) % 3 : axis] = pile->turn >> axis & 1 ? -in[axis] : in[axis];
}

static void add_pile(struct tr_writer *obj, const struct pile *pile)
{
    for (int i = 0; i < PILE * PILE * PILE * 6; i++) {
        int at[3] = {i / 6 % PILE, i / 6 / PILE % PILE, i / 6 / PILE / PILE}, beside[3];
        int axis = i % 6 / 2, side = i % 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double p[4][3], turned[4][3];
        memcpy(beside, at, sizeof at);
        beside[axis] += side ? 1 : -1;
        if (!pile_has(pile, at[0], at[1], at[2]) || pile_has(pile, beside[0], beside[1], beside[2]))
            continue;
        for (int k = 0; k < 4; k++) {
            p[k][axis] = at[axis] + side;
            p[k][side ? u : v] = at[side ? u : v] + (k == 1 || k == 2);
            p[k][side ? v : u] = at[side ? v : u] + (k >= 2);
            pile_turn(pile, p[k], turned[k]);
        }
        add_quad(obj, turned[0], turned[1], turned[2], turned[3]);
    }
}

static void check_pile(const void *context, const double at[3], int sample)
{
    const struct pile *pile = context;
    double own[3];
    int filled = 0;

    pile_turn_back(pile, at, own);
    for (int i = 0; i < 8; i++)
        filled += pile_has(pile, (int)lround(own[0]) - (i & 1), (int)lround(own[1]) - (i >> 1 & 1),
                           (int)lround(own[2]) - (i >> 2));
    if (filled == 8 ? sample > -256 : filled == 0 ? sample < 256 : sample != 0)
        fail_msg("turn %d (%g, %g, %g): %d, with %d of 8 cubes around it", pile->turn, at[0], at[1], at[2],
                 sample, filled);
}

static void no_sample_of_piles_of_cubes_has_a_wrong_sign(void **state)
{
    (void)state;
    random_state = 8;
    for (int turn = 0; turn < 32; turn++) {
        struct pile pile = random_pile(turn % 16);
        struct tr_writer obj = {0};
        struct tr_solid_field field;
        add_pile(&obj, &pile);
        field = field_of_obj(&obj, 1.0, 2);
        each_sample(&field, check_pile, &pile);
        tr_solid_field_release(&field);
    }
}

static void a_part_wound_the_other_way_is_hollow_within_and_solid_outside_of_another(void **state)
{
    const double low[3] = {0, 0, 0}, high[3] = {12, 12, 12}, in_low[3] = {3, 3, 3}, in_high[3] = {9, 9, 9};
    const double away_low[3] = {20, 0, 0}, away_high[3] = {26, 6, 6};
    struct tr_writer hollow = {0}, nested = {0}, away = {0};
    struct tr_solid_field field;

    (void)state;
    add_box(&hollow, low, high);
    add_box(&hollow, in_high, in_low);
    field = field_of_obj(&hollow, 1.0, 2);
    assert_int_equal(sample_at(&field, 6, 6, 6), 3 * 256);
    assert_int_equal(sample_at(&field, 4, 6, 6), 256);
    assert_int_equal(sample_at(&field, 3, 6, 6), 0);
    assert_int_equal(sample_at(&field, 2, 6, 6), -256);
    assert_int_equal(sample_at(&field, -1, 6, 6), 256);
    tr_solid_field_release(&field);

    add_box(&nested, low, high);
    add_box(&nested, in_low, in_high);
    field = field_of_obj(&nested, 1.0, 2);
    assert_int_equal(sample_at(&field, 6, 6, 6), -3 * 256);
    assert_int_equal(sample_at(&field, 4, 6, 6), -256);
    tr_solid_field_release(&field);

    add_box(&away, low, high);
    add_box(&away, away_high, away_low);
    field = field_of_obj(&away, 1.0, 2);
    assert_int_equal(sample_at(&field, 6, 6, 6), -6 * 256);
    assert_int_equal(sample_at(&field, 23, 3, 3), -3 * 256);
    assert_int_equal(sample_at(&field, 16, 3, 3), 4 * 256);
    tr_solid_field_release(&field);
}

static void overlapping_parts_are_one_solid(void **state)
{
    const double low[3] = {0, 0, 0}, high[3] = {8, 8, 8}, other_low[3] = {4, 2, 2},
                 other_high[3] = {12, 6, 6};
    struct tr_writer obj = {0};
    struct tr_solid_field field;

    (void)state;
    add_box(&obj, low, high);
    add_box(&obj, other_low, other_high);
    field = field_of_obj(&obj, 1.0, 2);
    for (int x = 1; x < 12; x++)
        if (sample_at(&field, x, 4, 4) > 0)
            fail_msg("x %d: %d, expected inside", x, sample_at(&field, x, 4, 4));
    assert_int_equal(sample_at(&field, 6, 4, 4), -2 * 256);
    assert_int_equal(sample_at(&field, 13, 4, 4), 256);
    tr_solid_field_release(&field);
}

/* --- against a search --- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The distance squared to a triangle, by Ericson's regions (Real-Time Collision Detection, 5.1.5). */
static double ericson(const double p[3], const double a[3], const double b[3], const double c[3])
{
    double ab[3], ac[3], ap[3], bp[3], cp[3], off[3], v, w, sum = 0;
    double d1, d2, d3, d4, d5, d6, va, vb, vc;

    for (int i = 0; i < 3; i++) {
        ab[i] = b[i] - a[i];
        ac[i] = c[i] - a[i];
        ap[i] = p[i] - a[i];
        bp[i] = p[i] - b[i];
        cp[i] = p[i] - c[i];
    }
    d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
    d6 = dot(ac, cp);
    va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0)
        v = 0, w = 0;
    else if (d3 >= 0 && d4 <= d3)
        v = 1, w = 0;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        v = d1 / (d1 - d3), w = 0;
    else if (d6 >= 0 && d5 <= d6)
        v = 0, w = 1;
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        v = 0, w = d2 / (d2 - d6);
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        w = (d4 - d3) / (d4 - d3 + d5 - d6), v = 1 - w;
    else
        v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    for (int i = 0; i < 3; i++)
        off[i] = ap[i] - v * ab[i] - w * ac[i];
    sum = dot(off, off);
    return sum;
}

/* The solid angle over 4 pi, by van Oosterom and Strackee (1983). */
static double winding_part(const double p[3], const double a[3], const double b[3], const double c[3])
{
    double u[3], v[3], w[3], lu, lv, lw, det;

    for (int i = 0; i < 3; i++) {
        u[i] = a[i] - p[i];
        v[i] = b[i] - p[i];
        w[i] = c[i] - p[i];
    }
    lu = sqrt(dot(u, u)), lv = sqrt(dot(v, v)), lw = sqrt(dot(w, w));
    det = u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
          u[2] * (v[0] * w[1] - v[1] * w[0]);
    return atan2(det, lu * lv * lw + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv) / (2 * M_PI);
}

static void check_by_search(const struct tr_solid_mesh *mesh, const struct tr_solid_field *field, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t at[3];
        double p[3], least = 1e300, winding = 0, exact;
        int sample;
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = (uint32_t)random_below((int)field->size[axis]);
            p[axis] = field->origin[axis] + at[axis] * field->cell;
        }
        for (uint32_t k = 0; k < mesh->triangle_count; k++) {
            const double *a = mesh->positions[mesh->triangles[k][0]],
                         *b = mesh->positions[mesh->triangles[k][1]],
                         *c = mesh->positions[mesh->triangles[k][2]];
            double squared = ericson(p, a, b, c);
            least = squared < least ? squared : least;
            winding += winding_part(p, a, b, c);
        }
        exact = sqrt(least) / field->cell * UNITS * (winding > 0.5 ? -1 : 1);
        exact = exact > 32767 ? 32767 : exact < -32767 ? -32767 : exact;
        sample = field->samples[((size_t)at[1] * field->size[2] + at[2]) * field->size[0] + at[0]];
        if (fabs(sample - exact) > HALF_UNIT)
            fail_msg("sample (%u, %u, %u): %d, expected %.3f", at[0], at[1], at[2], sample, exact);
    }
}

static void samples_are_the_least_distance_over_all_triangles(void **state)
{
    const double low[3] = {-30.3, -1.7, 2.1}, high[3] = {31.9, 0.4, 3.3};
    struct tr_writer obj = {0};
    struct tr_solid_mesh mesh;
    struct tr_solid_field field;

    (void)state;
    random_state = 3;
    add_sphere(&obj, 9.7, 3); /* a ball and a thin long box through it, cells from fine to coarse */
    add_box(&obj, low, high);
    mesh = mesh_of(&obj);
    for (double cell = 0.9; cell < 9; cell *= 2.3) {
        field = field_of(&mesh, cell, 5);
        check_by_search(&mesh, &field, 500);
        tr_solid_field_release(&field);
    }
    tr_solid_mesh_release(&mesh);
}

static void the_bunny_is_as_a_search_finds_it(void **state)
{
    const char *folder = getenv("TERRAIN_TEST_DATA");
    struct tr_solid_mesh mesh;
    struct tr_solid_field field;
    struct tr_error error = {0};
    struct tr_writer obj = {0};
    uint8_t *bytes = NULL;
    size_t size_bytes = 0, inside = 0;
    char path[4096];

    (void)state;
    if (!folder)
        skip();
    snprintf(path, sizeof path, "%s/sdf/bunny.obj", folder);
    assert_ok(tr_file_read(path, TR_SOLID_MESH_BYTES_MAX, &bytes, &size_bytes, &error), &error);
    tr_write_bytes(&obj, bytes, size_bytes);
    free(bytes);
    mesh = mesh_of(&obj);
    field = field_of(&mesh, 0.2, 8);
    random_state = 1;
    check_by_search(&mesh, &field, 500);
    for (size_t i = 0; i < sample_count(&field); i++)
        inside += field.samples[i] < 0;
    /* samples stand for a cell each: about 24,000 make up the volume */
    if (!(fabs((double)inside * 0.2 * 0.2 * 0.2 - mesh.volume) < 0.005 * mesh.volume))
        fail_msg("%zu samples inside, for a volume of %g", inside, mesh.volume);
    tr_solid_field_release(&field);
    tr_solid_mesh_release(&mesh);
}

/* --- the rest --- */

static void far_samples_are_clamped(void **state)
{
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    struct tr_writer obj = {0};
    struct tr_solid_field field;

    (void)state;
    add_box(&obj, low, high);
    field = field_of_obj(&obj, 1.0, 74);
    assert_int_equal(sample_at(&field, -74, 0, 0), 74 * 256);
    assert_int_equal(sample_at(&field, -74, -74, -73), 32665); /* 127.597 cells */
    assert_int_equal(sample_at(&field, -74, -74, -74), 32767); /* 128.17 cells */
    assert_int_equal(sample_at(&field, 75, 75, 75), 32767);
    tr_solid_field_release(&field);
}

static void deep_inside_stays_deep(void **state)
{
    const double low[3] = {0, 0, 0}, high[3] = {260, 260, 260};
    struct tr_writer obj = {0};
    struct tr_solid_field field;

    (void)state;
    add_box(&obj, low, high);
    field = field_of_obj(&obj, 1.0, 0);
    assert_int_equal(sample_at(&field, 127, 130, 130), -127 * 256);
    assert_int_equal(sample_at(&field, 128, 130, 130), -32767);
    assert_int_equal(sample_at(&field, 130, 130, 130), -32767);
    tr_solid_field_release(&field);
}

static void bytes_do_not_depend_on_the_number_of_jobs(void **state)
{
    struct tr_writer obj = {0};
    struct tr_solid_mesh mesh;
    struct tr_solid_field one, three;
    struct tr_jobs *more = NULL;
    struct tr_error error = {0};

    (void)state;
    add_sphere(&obj, 20.3, 3);
    mesh = mesh_of(&obj);
    one = field_of(&mesh, 0.7, 7);
    assert_ok(tr_jobs_create(3, &more, &error), &error);
    assert_ok(tr_solid_field_make(&mesh, 0.7, 7, more, &three, &error), &error);
    assert_memory_equal(one.size, three.size, sizeof one.size);
    assert_memory_equal(one.samples, three.samples, sample_count(&one) * sizeof *one.samples);
    tr_jobs_free(more);
    tr_solid_field_release(&one);
    tr_solid_field_release(&three);
    tr_solid_mesh_release(&mesh);
}

static void bytes_are_the_same_on_all_machines(void **state)
{
    struct tr_writer obj = {0};
    struct tr_solid_field field;
    char text[33];

    (void)state;
    add_sphere(&obj, 7.3, 3);
    field = field_of_obj(&obj, 0.7, 5);
    tr_hash_text(tr_hash_bytes(field.samples, sample_count(&field) * sizeof *field.samples), text);
    assert_string_equal(text, "fc737205afddf1e0252c365b050479a9");
    tr_solid_field_release(&field);
}

static void moving_a_mesh_by_whole_cells_moves_the_field(void **state)
{
    struct tr_writer obj = {0};
    struct tr_solid_mesh mesh;
    struct tr_solid_field here, there;

    (void)state;
    add_sphere(&obj, 5.5, 2);
    mesh = mesh_of(&obj);
    for (uint32_t i = 0; i < mesh.vertex_count; i++) /* so that moving does not round */
        for (int axis = 0; axis < 3; axis++)
            mesh.positions[i][axis] = floor(mesh.positions[i][axis] * 1024) / 1024;
    here = field_of(&mesh, 0.5, 3);
    for (int axis = 0; axis < 3; axis++) {
        const double by[3] = {-3.5, 70000.5, -0.5};
        mesh.min[axis] += by[axis];
        mesh.max[axis] += by[axis];
        for (uint32_t i = 0; i < mesh.vertex_count; i++)
            mesh.positions[i][axis] += by[axis];
    }
    there = field_of(&mesh, 0.5, 3);
    assert_memory_equal(here.size, there.size, sizeof here.size);
    assert_true(there.origin[0] == here.origin[0] - 3.5 && there.origin[1] == here.origin[1] + 70000.5);
    assert_memory_equal(here.samples, there.samples, sample_count(&here) * sizeof *here.samples);
    tr_solid_field_release(&here);
    tr_solid_field_release(&there);
    tr_solid_mesh_release(&mesh);
}

static void between_samples_it_is_trilinear_and_beyond_the_grid_the_rim(void **state)
{
    int16_t samples[2 * 2 * 3] = {0, 256, 512, 100, 356, 612, 2560, 2816, 3072, 2660, 2916, 3172};
    struct tr_solid_field field = {
        {3, 2, 2}, {10, 20, 30}, 0.5, samples}; /* linear: 256 x + 2560 y + 100 z */
    const struct {
        double at[3], units;
    } cases[] = {{{10, 20, 30}, 0},
                 {{11, 20.5, 30.5}, 3172},
                 {{10.25, 20, 30}, 128},
                 {{10.5, 20.25, 30}, 1536},
                 {{10.75, 20.125, 30.25}, 1074},
                 {{9, 19, 30.5}, 100},
                 {{99, 99, 99}, 3172},
                 {{11, 20, 0}, 512}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double found = tr_solid_field_at(&field, cases[i].at), expected = cases[i].units / UNITS * 0.5;
        if (found != expected)
            fail_msg("case %zu: %.17g, expected %.17g", i, found, expected);
    }
}

static void check_refused(const struct tr_solid_mesh *mesh, double cell, uint32_t margin, const char *message)
{
    struct tr_solid_field field;
    struct tr_error error = {0};

    assert_int_equal(tr_solid_field_make(mesh, cell, margin, jobs, &field, &error), TR_BAD_INPUT);
    assert_string_equal(error.text, message);
    assert_null(field.samples);
}

static void fields_beyond_the_limits_are_refused(void **state)
{
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 16}, far_high[3] = {2, 2, 1e9};
    struct tr_writer obj = {0};
    struct tr_solid_mesh mesh;

    (void)state;
    add_box(&obj, low, high);
    mesh = mesh_of(&obj);
    check_refused(&mesh, 0.0, 1, "distance field with cells of 0, expected more than 0");
    check_refused(&mesh, -1.0, 1, "distance field with cells of -1, expected more than 0");
    check_refused(&mesh, NAN, 1, "distance field with cells of nan, expected more than 0");
    check_refused(&mesh, INFINITY, 1, "distance field with cells of inf, expected more than 0");
    check_refused(&mesh, 1.0, 129, "distance field with a margin of 129 cells, expected at most 128");
    check_refused(&mesh, 1.0 / 1024, 0,
                  "distance field of 16385 samples along z at cells of 0.0009765625, expected at most 16384");
    check_refused(
        &mesh, 1.0 / 256, 0,
        "distance field of 257 x 257 x 4097 samples at cells of 0.00390625, expected at most 134217728");
    tr_solid_mesh_release(&mesh);
    add_box(&obj, low, far_high);
    mesh = mesh_of(&obj);
    check_refused(&mesh, 1e-6, 1,
                  "mesh from z = 0 to 1e+09 at cells of 1e-06, expected at most 2^35 cells from 0");
    check_refused(&mesh, 1e-320, 1,
                  "mesh from x = 0 to 2 at cells of 9.99988867e-321, expected at most 2^35 cells from 0");
    tr_solid_mesh_release(&mesh);
}

static void a_solid_thinner_than_the_lattice_is_all_surface(void **state)
{
    const double low[3] = {0, 0.4, 0}, high[3] = {4, 0.400001, 4};
    struct tr_writer obj = {0};
    struct tr_solid_field field;

    (void)state;
    add_box(&obj, low, high);
    field = field_of_obj(&obj, 1.0, 1);
    assert_int_equal(sample_at(&field, 2, 0, 2), 102); /* 0.4 cells: 102.4 units */
    assert_int_equal(sample_at(&field, 2, 1, 2), 154);
    for (size_t i = 0; i < sample_count(&field); i++)
        assert_true(field.samples[i] > 0);
    tr_solid_field_release(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_between_grid_points_is_exact),
        cmocka_unit_test(the_grid_lies_on_multiples_of_the_cell_and_holds_the_margin),
        cmocka_unit_test(a_sphere_is_as_far_as_its_radius_says_within_the_chord),
        cmocka_unit_test(a_mesh_much_finer_than_the_cells_is_exact_too),
        cmocka_unit_test(a_torus_has_its_hole),
        cmocka_unit_test(no_sample_of_tetrahedra_with_corners_on_grid_points_has_a_wrong_sign),
        cmocka_unit_test(no_sample_of_piles_of_cubes_has_a_wrong_sign),
        cmocka_unit_test(a_part_wound_the_other_way_is_hollow_within_and_solid_outside_of_another),
        cmocka_unit_test(overlapping_parts_are_one_solid),
        cmocka_unit_test(samples_are_the_least_distance_over_all_triangles),
        cmocka_unit_test(the_bunny_is_as_a_search_finds_it),
        cmocka_unit_test(far_samples_are_clamped),
        cmocka_unit_test(deep_inside_stays_deep),
        cmocka_unit_test(bytes_do_not_depend_on_the_number_of_jobs),
        cmocka_unit_test(bytes_are_the_same_on_all_machines),
        cmocka_unit_test(moving_a_mesh_by_whole_cells_moves_the_field),
        cmocka_unit_test(between_samples_it_is_trilinear_and_beyond_the_grid_the_rim),
        cmocka_unit_test(fields_beyond_the_limits_are_refused),
        cmocka_unit_test(a_solid_thinner_than_the_lattice_is_all_surface),
    };
    return cmocka_run_group_tests_name("solid_field", tests, make_jobs, free_jobs);
}
