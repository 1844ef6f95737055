/* Verification of packs, by itself and against the world: packs of a small world with a crater over the corner of four chunks, a
 * pebble in the air and paint are good, and each planted defect is found by the one check that is for it, and by no other. */
#include "lib/base/alloc.h"
#include "lib/pack/pack_check.h"
#include "lib/run/mesh_world.h"
#include "lib/run/pack_field_check.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 4      /* chunks */
#define UNITS 16384 /* a tile of LOD 0 */
#define CACHE_BYTES ((size_t)1 << 24)

static char world_path[TR_PATH_BYTES], planted_path[TR_PATH_BYTES];
static struct tr_bake *bake;
static struct tr_jobs *jobs;

/* The packs of the good world. */
enum { LOD_0, RINGS, ALL, PACKS };
static char pack_paths[PACKS][TR_PATH_BYTES];

/* ---- the world ---- */

static double distance(double x, double y, double z, double cx, double cy, double cz)
{
    return sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy) + (z - cz) * (z - cz));
}

static int32_t height(int64_t x, int64_t z)
{
    return (int32_t)(20 * 256 + 3 * (x % 97) + 5 * (z % 61) + 2 * x);
}

static int16_t field(int64_t x, int64_t y, int64_t z, int16_t ground)
{
    double pebble = 256 * (distance((double)x, (double)y, (double)z, 31, 45, 33) - 6);
    double crater = 256 * (14 - distance((double)x, (double)y, (double)z, 128, 24, 128));
    double value = ground;

    value = pebble < value ? pebble : value;
    value = crater > value ? crater : value;
    return (int16_t)floor(value + 0.5);
}

static void put_chunk(struct tr_world_build *build, const struct tr_world_info *info, int32_t cx, int32_t cz)
{
    struct tr_error error = {0};
    struct tr_chunk chunk;
    int16_t *samples;
    uint32_t size_x, size_z;

    tr_world_chunk_size(info, cx, cz, &size_x, &size_z);
    assert_ok(tr_chunk_init(&chunk, cx, cz, size_x, size_z, &error), &error);
    for (uint32_t z = 0; z < size_z; z++)
        for (uint32_t x = 0; x < size_x; x++)
            chunk.heights[z * 64 + x] = height(64 * cx + (int)x, 64 * cz + (int)z);
    assert_ok(tr_chunk_add_block(&chunk, 0, &samples, &error), &error);
    for (uint32_t i = 0; i < TR_BLOCK_SAMPLES; i++) {
        uint32_t x = i % 64, z = i / 64 % 64, y = i / 4096;

        if (x < size_x && z < size_z)
            samples[i] = field(64 * cx + (int)x, y, 64 * cz + (int)z, samples[i]);
    }
    if (cx == 1 && cz == 2) {
        assert_ok(tr_chunk_add_paint(&chunk, &error), &error);
        memset(chunk.paint, 2, 64 * 32);
    }
    assert_ok(tr_world_build_put(build, &chunk, &error), &error);
    tr_chunk_release(&chunk);
}

static void build_world(const char *path, int32_t size)
{
    struct tr_world_info info = {
        .size_x = size, .size_z = size, .voxel_size = 1, .extent = {0, 0, 64 * size, 64 * size}};
    struct tr_world_build *build = NULL;
    struct tr_error error = {0};
    struct tr_hash hash;

    assert_ok(tr_world_build_create(path, &info, false, &build, &error), &error);
    for (int32_t cz = 0; cz <= size; cz++)
        for (int32_t cx = 0; cx <= size; cx++)
            put_chunk(build, &info, cx, cz);
    assert_ok(tr_world_build_commit(build, &hash, &error), &error);
    tr_world_build_free(build);
}

static void mesh_world(const struct tr_selection *selection, const char *path)
{
    struct tr_mesh_options options = {
        .selection = *selection, .wants_targets = selection->top > 0, .cache_bytes = CACHE_BYTES};
    struct tr_mesh_result meshed;
    struct tr_world *world = NULL;
    struct tr_pack_writer *writer = NULL;
    struct tr_error error = {0};
    struct tr_hash hash;

    assert_ok(tr_world_open(world_path, &world, &error), &error);
    struct tr_pack_info info = {.size_x = SIZE,
                                .size_z = SIZE,
                                .form = selection->has_all ? TR_PACK_ALL_LODS : TR_PACK_WINDOW,
                                .voxel_size = 1,
                                .world_hash = world->hash};
    assert_ok(tr_pack_writer_create(path, &info, false, &writer, &error), &error);
    assert_ok(tr_mesh_world(bake, world, &options, writer, &meshed, &error), &error);
    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);
    tr_world_close(world);
}

static void join(char path[TR_PATH_BYTES], const char *folder, const char *name)
{
    struct tr_error error = {0};

    assert_ok(tr_path_join(path, folder, name, &error), &error);
}

static int make_packs(void **state)
{
    struct tr_error error = {0};
    struct tr_selection selection;

    if (scratch_make(state) != 0)
        return -1;
    assert_ok(tr_bake_open(&(struct tr_bake_options){.device = "cpu", .jobs = 2}, &bake, &error), &error);
    assert_ok(tr_jobs_create(2, &jobs, &error), &error);
    join(world_path, *state, "world");
    join(planted_path, *state, "planted.tpack");
    join(pack_paths[LOD_0], *state, "lod_0.tpack");
    join(pack_paths[RINGS], *state, "rings.tpack");
    join(pack_paths[ALL], *state, "all.tpack");
    build_world(world_path, SIZE);
    tr_selection_uniform(&selection, SIZE, SIZE, 0);
    mesh_world(&selection, pack_paths[LOD_0]);
    tr_selection_rings(&selection, SIZE, SIZE, 0, 0, 2, 1);
    mesh_world(&selection, pack_paths[RINGS]);
    tr_selection_all(&selection, SIZE, SIZE, 2);
    mesh_world(&selection, pack_paths[ALL]);
    return 0;
}

static int remove_packs(void **state)
{
    tr_jobs_free(jobs);
    tr_bake_close(bake);
    return scratch_remove(state);
}

/* ---- planting ---- */

/* A defect in a tile of LOD 0 (its place (0, 0, 0) there), or in the first that has what it needs; true when it is done. */
typedef bool plant(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh);

static bool is_first_tile(const struct tr_pack_tile *tile)
{
    return tile->lod == 0 && tile->cx == 0 && tile->cy == 0 && tile->cz == 0;
}

static void write_tile(struct tr_pack_writer *writer, const struct tr_pack_tile *tile,
                       const struct tr_tile_mesh *mesh)
{
    struct tr_error error = {0};
    struct tr_pack_blob blob = {0};

    assert_ok(tr_pack_encode(tile->cx, tile->cy, tile->cz, tile->states, mesh, &blob, &error), &error);
    assert_ok(tr_pack_writer_add(writer, &blob, &error), &error);
    tr_pack_blob_release(&blob);
}

static void create_planted(const struct tr_pack *pack, struct tr_pack_writer **writer)
{
    struct tr_error error = {0};

    assert_ok(tr_pack_writer_create(planted_path, &pack->info, true, writer, &error), &error);
}

static void commit_planted(struct tr_pack_writer *writer)
{
    struct tr_error error = {0};
    struct tr_hash hash;

    assert_ok(tr_pack_writer_commit(writer, &hash, &error), &error);
    tr_pack_writer_free(writer);
}

static struct tr_pack *open_pack(const char *path)
{
    struct tr_pack *pack = NULL;
    struct tr_error error = {0};

    assert_ok(tr_pack_open(path, &pack, &error), &error);
    return pack;
}

/* Writes the planted pack: that one with one defect. */
static void plant_in(int which, plant *defect)
{
    struct tr_pack *pack = open_pack(pack_paths[which]);
    struct tr_pack_writer *writer = NULL;
    struct tr_error error = {0};
    bool is_done = false;

    create_planted(pack, &writer);
    for (size_t i = 0; i < pack->tile_count; i++) {
        struct tr_tile_mesh mesh;

        assert_ok(tr_pack_read_tile(pack, i, &mesh, &error), &error);
        is_done = is_done || defect(&pack->tiles[i], &mesh);
        if (mesh.index_count > 0)
            write_tile(writer, &pack->tiles[i], &mesh);
        tr_tile_mesh_release(&mesh);
    }
    assert_true(is_done);
    commit_planted(writer);
    tr_pack_close(pack);
}

static void *grown(void *array, size_t count, size_t more, size_t size_bytes)
{
    struct tr_error error = {0};
    char *larger = tr_alloc(count + more, size_bytes, &error);

    assert_non_null(larger);
    memcpy(larger, array, count * size_bytes);
    free(array);
    return larger;
}

/* Adds a vertex in the air with whatever the tile's others have. */
static uint32_t add_vertex(struct tr_tile_mesh *mesh, int x, int y, int z)
{
    const uint32_t at = mesh->vertex_count++;

    mesh->vertices = grown(mesh->vertices, at, 1, sizeof *mesh->vertices);
    mesh->vertices[at] = (tr_vertex){x, y, z, 0};
    if (mesh->materials)
        mesh->materials = grown(mesh->materials, at, 1, 1);
    if (mesh->targets) {
        mesh->targets = grown(mesh->targets, at, 1, sizeof *mesh->targets);
        mesh->targets[at][0] = x;
        mesh->targets[at][1] = y;
        mesh->targets[at][2] = z;
    }
    if (mesh->weights) {
        mesh->weights = grown(mesh->weights, at, 1, sizeof *mesh->weights);
        mesh->weights[at][0] = 255;
    }
    return at;
}

static void add_triangle(struct tr_tile_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corner[3] = {a, b, c};

    mesh->indices = grown(mesh->indices, mesh->index_count, 3, sizeof *mesh->indices);
    memcpy(mesh->indices + mesh->index_count, corner, sizeof corner);
    mesh->index_count += 3;
    mesh->parts[mesh->part_count - 1].index_count += 3;
}

static void add_tetrahedron(struct tr_tile_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(mesh, a, b, c);
    add_triangle(mesh, a, d, b);
    add_triangle(mesh, b, d, c);
    add_triangle(mesh, c, d, a);
}

/* t: its first index. */
static void remove_triangle(struct tr_tile_mesh *mesh, uint32_t t)
{
    memmove(mesh->indices + t, mesh->indices + t + 3, (mesh->index_count - t - 3) * sizeof *mesh->indices);
    mesh->index_count -= 3;
    for (uint32_t p = 0; p < mesh->part_count; p++) {
        struct tr_tile_part *part = &mesh->parts[p];

        if (part->first_index > t)
            part->first_index -= 3;
        else if (part->first_index + part->index_count > t)
            part->index_count -= 3;
    }
}

static bool is_inside(const struct tr_pack_tile *tile, const tr_vertex *v)
{
    const int units = UNITS << tile->lod;

    return v->x > 0 && v->x < units && v->y > 0 && v->y < units && v->z > 0 && v->z < units;
}

/* The first index of a triangle that has no corner on a side of the tile. */
static uint32_t inner_triangle(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->index_count; t += 3) {
        if (is_inside(tile, &mesh->vertices[mesh->indices[t]]) &&
            is_inside(tile, &mesh->vertices[mesh->indices[t + 1]]) &&
            is_inside(tile, &mesh->vertices[mesh->indices[t + 2]]))
            return t;
    }
    fail_msg("the tile has no triangle inside");
    return 0;
}

/* ---- judging ---- */

/* What is wrong with the mesh of a selection, and with the tiles. */
struct defects {
    uint64_t open, crowded, duplicates, degenerates, pinches, inward;
    uint64_t bad_indices, out_of_bounds, overlaps, wrong_hash;
};

static void expect_selection(const struct tr_pack_selection *selection, const struct defects *expected)
{
    const struct tr_check_result *mesh = &selection->mesh;
    const struct {
        const char *name;
        uint64_t found, expected;
    } counts[] = {
        {"open edges", mesh->open_edges, expected->open},
        {"crowded edges", mesh->crowded_edges, expected->crowded},
        {"duplicates", mesh->duplicates, expected->duplicates},
        {"degenerates", mesh->degenerates, expected->degenerates},
        {"pinches", mesh->pinches, expected->pinches},
        {"surfaces that face inward", !selection->faces_out, expected->inward},
    };

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].found != counts[i].expected)
            fail_msg("\"%s\": %" PRIu64 " %s, expected %" PRIu64, selection->name, counts[i].found,
                     counts[i].name, counts[i].expected);
}

static bool verify(const struct tr_pack *pack, struct tr_pack_report *report)
{
    struct tr_error error = {0};
    bool good = false;

    assert_ok(tr_pack_verify(pack, jobs, report, &good, &error), &error);
    return good;
}

/* Of a window, held open by the caller. */
static void expect_in(const struct tr_pack *pack, struct defects expected)
{
    const struct defects none = {0};
    struct tr_pack_report report;
    const bool good = verify(pack, &report);

    assert_int_equal(report.selection_count, 1);
    expect_selection(&report.selections[0], &expected);
    assert_int_equal(report.faults.bad_indices, expected.bad_indices);
    assert_int_equal(report.faults.out_of_bounds, expected.out_of_bounds);
    assert_int_equal(report.overlaps, expected.overlaps);
    assert_int_equal(!report.hash_matches, expected.wrong_hash);
    assert_int_equal(report.faults.bad_normals, 0);
    assert_int_equal(report.faults.far_moves, 0);
    assert_int_equal(report.faults.far_targets, 0);
    assert_int_equal(good, memcmp(&expected, &none, sizeof none) == 0);
}

static void expect_planted(struct defects expected)
{
    struct tr_pack *pack = open_pack(planted_path);

    expect_in(pack, expected);
    tr_pack_close(pack);
}

static struct tr_pack_field_report compare(const char *path, bool *good)
{
    struct tr_pack *pack = open_pack(path);
    struct tr_world *world = NULL;
    struct tr_pack_field_report report;
    struct tr_error error = {0};

    assert_ok(tr_world_open(world_path, &world, &error), &error);
    assert_ok(tr_pack_check_field(pack, world, jobs, CACHE_BYTES, &report, good, &error), &error);
    tr_world_close(world);
    tr_pack_close(pack);
    return report;
}

/* Of the planted pack against the world. */
static void expect_field(uint64_t off_surface, uint64_t wrong_normals, uint64_t wrong_materials,
                         bool has_turned)
{
    bool good = true;
    const struct tr_pack_field_report report = compare(planted_path, &good);

    assert_int_equal(report.off_surface, off_surface);
    assert_int_equal(report.wrong_normals, wrong_normals);
    assert_int_equal(report.wrong_materials, wrong_materials);
    assert_int_equal(report.turned > 0, has_turned);
    assert_int_equal(report.wrong_lines, 0);
    assert_int_equal(report.unreadable_tiles, 0);
    assert_int_equal(good, off_surface + wrong_normals + wrong_materials == 0 && !has_turned);
}

/* ---- good packs ---- */

static void windows_of_one_and_of_several_levels_are_good(void **state)
{
    (void)state;
    for (int which = LOD_0; which <= RINGS; which++) {
        struct tr_pack *pack = open_pack(pack_paths[which]);
        struct tr_pack_report report;

        expect_in(pack, (struct defects){0});
        assert_true(verify(pack, &report));
        assert_int_equal(report.selections[0].mesh.components, 2);
        assert_int_equal(report.selections[0].mesh.euler, 3); /* a disk and a sphere */
        assert_float_equal(report.selections[0].mesh.cover_units2, (double)UNITS * UNITS * SIZE * SIZE, 0);
        assert_int_equal(report.levels[0].tiles > 0, 1);
        assert_int_equal(report.levels[1].tiles > 0, which == RINGS);
        tr_pack_close(pack);
    }
}

static void a_pack_of_all_levels_is_good_however_they_meet(void **state)
{
    struct tr_pack *pack = open_pack(pack_paths[ALL]);
    struct tr_pack_report report;
    uint64_t tiles = 0;

    (void)state;
    assert_true(verify(pack, &report));
    /* LOD 0, 1 and 2 alone; at LOD 1 four ways of stripes, four phases of each of two kinds of islands; LOD 2 is one column */
    assert_int_equal(report.selection_count, 3 + 4 + 8);
    for (uint32_t s = 0; s < report.selection_count; s++)
        expect_selection(&report.selections[s], &(struct defects){0});
    assert_string_equal(report.selections[0].name, "LOD 0");
    assert_string_equal(report.selections[3].name, "LOD 1 and 0 by turns along x");
    for (int k = 0; k < TR_LODS; k++)
        tiles += report.levels[k].tiles;
    assert_int_equal(tiles, pack->tile_count);
    tr_pack_close(pack);
}

static void good_packs_lie_on_the_field(void **state)
{
    (void)state;
    for (int which = 0; which < PACKS; which++) {
        bool good = false;
        const struct tr_pack_field_report report = compare(pack_paths[which], &good);

        if (!good)
            fail_msg("pack %d: of %" PRIu64 " vertices %" PRIu64 " are off the surface, one at (%" PRId64
                     ", %" PRId64 ", %" PRId64 "), %" PRIu64 " normals and %" PRIu64
                     " materials are wrong, %" PRIu64 " are turned, %" PRIu64 " lines are wrong",
                     which, report.vertices, report.off_surface, report.first_off_surface[0],
                     report.first_off_surface[1], report.first_off_surface[2], report.wrong_normals,
                     report.wrong_materials, report.turned, report.wrong_lines);
        assert_true(report.vertices > 10000);
        assert_int_equal(report.moved > 0, which == RINGS);
    }
}

static void the_number_of_jobs_does_not_matter(void **state)
{
    struct tr_pack_report one, two;
    struct tr_error error = {0};
    struct tr_pack *pack = open_pack(pack_paths[ALL]);
    bool good;

    (void)state;
    memset(&one, 0, sizeof one);
    memset(&two, 0, sizeof two);
    assert_ok(tr_pack_verify(pack, NULL, &one, &good, &error), &error);
    assert_ok(tr_pack_verify(pack, jobs, &two, &good, &error), &error);
    assert_memory_equal(&one, &two, sizeof one);
    tr_pack_close(pack);
}

/* ---- defects of meshes ---- */

static bool make_hole(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    if (!is_first_tile(tile))
        return false;
    remove_triangle(mesh, inner_triangle(tile, mesh));
    return true;
}

static void a_hole_is_three_open_edges(void **state)
{
    (void)state;
    plant_in(LOD_0, make_hole);
    expect_planted((struct defects){.open = 3});
    expect_field(0, 0, 0, false);
}

static bool turn_one(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    if (!is_first_tile(tile))
        return false;
    uint32_t *corner = mesh->indices + inner_triangle(tile, mesh), first = corner[0];
    corner[0] = corner[1];
    corner[1] = first;
    return true;
}

static void a_turned_triangle_has_three_edges_of_one_direction(void **state)
{
    (void)state;
    plant_in(LOD_0, turn_one);
    expect_planted((struct defects){.open = 6, .crowded = 3});
}

/* A triangle with two sides, in the air. */
static bool add_flap(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    if (!is_first_tile(tile))
        return false;
    const uint32_t a = add_vertex(mesh, 500, 15000, 500), b = add_vertex(mesh, 700, 15000, 500),
                   c = add_vertex(mesh, 500, 15000, 700);
    add_triangle(mesh, a, b, c);
    add_triangle(mesh, a, c, b);
    return true;
}

static void two_triangles_of_the_same_corners_are_a_duplicate(void **state)
{
    (void)state;
    plant_in(LOD_0, add_flap);
    expect_planted((struct defects){.duplicates = 1});
}

static bool add_line(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    if (!is_first_tile(tile))
        return false;
    add_triangle(mesh, mesh->indices[0], mesh->indices[1], mesh->indices[1]);
    return true;
}

static void a_triangle_with_two_equal_corners_is_found(void **state)
{
    (void)state;
    plant_in(LOD_0, add_line);
    expect_planted((struct defects){.degenerates = 1});
    expect_field(0, 0, 0, false);
}

static bool add_pinch(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    if (!is_first_tile(tile))
        return false;
    const uint32_t middle = add_vertex(mesh, 1000, 15000, 1000);
    for (int leg = -200; leg <= 200; leg += 400) {
        const uint32_t a = add_vertex(mesh, 1000 + leg, 15000, 1000),
                       b = add_vertex(mesh, 1000, 15000 + leg, 1000),
                       c = add_vertex(mesh, 1000, 15000, 1000 + leg);
        if (leg > 0)
            add_tetrahedron(mesh, a, b, c, middle);
        else
            add_tetrahedron(mesh, b, a, c, middle);
    }
    return true;
}

static void two_bodies_on_one_vertex_pinch_it(void **state)
{
    (void)state;
    plant_in(LOD_0, add_pinch);
    expect_planted((struct defects){.pinches = 1});
}

static bool is_pebble(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh, uint32_t t)
{
    const tr_vertex *vertex = &mesh->vertices[mesh->indices[t]];

    return is_first_tile(tile) && vertex->y > 35 * 256 && vertex->x > 20 * 256;
}

static void turn(uint32_t *corner)
{
    const uint32_t first = corner[0];

    corner[0] = corner[1];
    corner[1] = first;
}

static bool turn_all(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->index_count; t += 3)
        turn(mesh->indices + t);
    return tile->cx == SIZE - 1 && tile->cz == SIZE - 1;
}

static bool turn_pebble_alone(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    for (uint32_t t = mesh->index_count; t > 0; t -= 3) {
        if (is_pebble(tile, mesh, t - 3))
            turn(mesh->indices + t - 3);
        else
            remove_triangle(mesh, t - 3);
    }
    return tile->cx == SIZE - 1 && tile->cz == SIZE - 1;
}

/* plant_in stops at the tile where the defect is done: here that is the last. */
static void a_surface_that_is_inside_out_is_found_without_the_world(void **state)
{
    (void)state;
    plant_in(LOD_0, turn_all);
    expect_planted((struct defects){.inward = 1});
    expect_field(0, 0, 0, true);
    plant_in(LOD_0, turn_pebble_alone);
    expect_planted((struct defects){.inward = 1});
}

static bool turn_pebble(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    uint32_t turned = 0;

    for (uint32_t t = 0; t < mesh->index_count; t += 3) {
        if (!is_pebble(tile, mesh, t))
            continue;
        turn(mesh->indices + t);
        turned++;
    }
    return turned > 0;
}

static void a_body_inside_out_in_the_air_is_found_with_the_world(void **state)
{
    (void)state;
    plant_in(LOD_0, turn_pebble);
    expect_planted((struct defects){0});
    expect_field(0, 0, 0, true);
    plant_in(RINGS, turn_pebble);
    expect_planted((struct defects){0});
    expect_field(0, 0, 0, true);
}

static bool drop_pebble(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    uint32_t dropped = 0;

    for (uint32_t t = mesh->index_count; t > 0; t -= 3) {
        if (!is_pebble(tile, mesh, t - 3))
            continue;
        remove_triangle(mesh, t - 3);
        dropped++;
    }
    return dropped > 0;
}

static void a_body_that_was_left_out_is_found_with_the_world(void **state)
{
    bool good = true;
    struct tr_pack_field_report report;

    (void)state;
    plant_in(LOD_0, drop_pebble);
    expect_planted((struct defects){0});
    report = compare(planted_path, &good);
    assert_false(good);
    assert_in_range(report.wrong_lines, 110, 116); /* a disk of radius 6 */
    assert_int_equal(report.off_surface + report.wrong_normals + report.wrong_materials + report.turned, 0);
}

/* ---- defects of tiles ---- */

static void a_hash_that_is_not_that_of_the_tiles_is_found(void **state)
{
    struct tr_pack *pack = open_pack(pack_paths[LOD_0]);

    (void)state;
    pack->hash.lo ^= 1;
    expect_in(pack, (struct defects){.wrong_hash = 1});
    tr_pack_close(pack);
}

static void bounds_that_are_not_exact_are_found(void **state)
{
    struct tr_pack *pack = open_pack(pack_paths[LOD_0]);

    (void)state;
    pack->tiles[0].hi[1]++;
    expect_in(pack, (struct defects){.out_of_bounds = 1});
    pack->tiles[0].hi[1] -= 2;
    expect_in(pack, (struct defects){.out_of_bounds = 1});
    tr_pack_close(pack);
}

/* A tile of LOD 1 that covers four others, with a body in the air. */
static void tiles_in_one_place_are_found(void **state)
{
    struct tr_pack *pack = open_pack(pack_paths[LOD_0]);
    struct tr_pack_writer *writer = NULL;
    struct tr_error error = {0};
    struct tr_tile_mesh mesh = {0}, body = {.lod = 1, .part_count = 1};
    struct tr_tile_part part = {.states = {1, 1, 1, 1, 1, 1}, .face = TR_PART_SURFACE};
    struct tr_pack_tile place = {.cx = 1, .lod = 1, .states = {1, 1, 1, 1, 1, 1}};

    (void)state;
    create_planted(pack, &writer);
    for (size_t i = 0; i < pack->tile_count; i++) {
        assert_ok(tr_pack_read_tile(pack, i, &mesh, &error), &error);
        write_tile(writer, &pack->tiles[i], &mesh);
        tr_tile_mesh_release(&mesh);
    }
    body.vertices = tr_alloc(0, 1, &error);
    body.indices = tr_alloc(0, 1, &error);
    body.parts = &part;
    for (int i = 0; i < 4; i++)
        add_vertex(&body, i == 0 ? 900 : 400, i == 1 ? 30500 : 30000, i == 2 ? 900 : 400);
    add_tetrahedron(&body, 0, 1, 2, 3);
    write_tile(writer, &place, &body);
    free(body.vertices);
    free(body.indices);
    commit_planted(writer);
    tr_pack_close(pack);
    expect_planted((struct defects){.overlaps = 1});
}

/* What neither writer nor reader lets through is still judged. */
static void a_tile_is_judged_by_itself(void **state)
{
    tr_vertex vertices[3] = {{0, 256, 512, 0}, {100, 512, 512, 0}, {512, 300, 1024, 0}};
    int32_t targets[3][3] = {{0, 256, 512}, {512, 512, 512}, {1024, 0, 1024}};
    uint32_t indices[3] = {0, 1, 2};
    struct tr_tile_move moves[2] = {{1, 1u << 0, 228, 512, 512}, {2, 1u << 1 | 1u << 4, 384, 300, 1152}};
    struct tr_tile_mesh mesh = {.lod = 1,
                                .vertex_count = 3,
                                .index_count = 3,
                                .move_count = 2,
                                .vertices = vertices,
                                .indices = indices,
                                .targets = targets,
                                .moves = moves};
    const struct tr_pack_tile tile = {
        .lod = 1, .vertex_count = 3, .index_count = 3, .lo = {0, 256, 512}, .hi = {512, 512, 1152}};
    struct tr_pack_faults faults = {0};

    (void)state;
    tr_pack_judge_tile(&tile, &mesh, &faults);
    assert_memory_equal(&faults, &(struct tr_pack_faults){0}, sizeof faults);

    indices[1] = 3;
    tr_pack_judge_tile(&tile, &mesh, &faults);
    assert_memory_equal(&faults, &(struct tr_pack_faults){.bad_indices = 1}, sizeof faults);
    indices[1] = 1;

    faults = (struct tr_pack_faults){0};
    vertices[2].normal = 0x80000000u;
    tr_pack_judge_tile(&tile, &mesh, &faults);
    assert_memory_equal(&faults, &(struct tr_pack_faults){.bad_normals = 1}, sizeof faults);
    vertices[2].normal = 0;

    static const struct {
        int32_t x, y, z;
    } far_places[] = {{229, 512, 512}, {96, 512, 512}, {100, 508, 512}, {100, 512, 516}};
    for (size_t i = 0; i < sizeof far_places / sizeof far_places[0]; i++) {
        faults = (struct tr_pack_faults){0};
        moves[0] = (struct tr_tile_move){1, 1u << 0, far_places[i].x, far_places[i].y, far_places[i].z};
        tr_pack_judge_tile(&tile, &mesh, &faults);
        assert_memory_equal(&faults, &(struct tr_pack_faults){.far_moves = 1}, sizeof faults);
    }
    moves[0] = (struct tr_tile_move){1, 1u << 0, 228, 512, 512};

    for (int axis = 0; axis < 3; axis++) {
        /* vertex 1 lies in the cell from 0 to 1024, in z too */
        for (int side = 0; side < 2; side++) {
            const int32_t before = targets[1][axis];

            faults = (struct tr_pack_faults){0};
            targets[1][axis] = side ? 1025 : -1;
            tr_pack_judge_tile(&tile, &mesh, &faults);
            assert_memory_equal(&faults, &(struct tr_pack_faults){.far_targets = 1}, sizeof faults);
            targets[1][axis] = before;
        }
    }
}

/* ---- levels that meet ---- */

/* Removes a triangle of the last transition of the first tile that has one. */
static bool make_transition_hole(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    const struct tr_tile_part *last = &mesh->parts[mesh->part_count - 1];

    (void)tile;
    if (last->face == TR_PART_SURFACE || last->index_count < 30)
        return false;
    remove_triangle(mesh, last->first_index + last->index_count / 6 * 3);
    return true;
}

static void a_defect_between_levels_fails_where_they_meet_and_nowhere_else(void **state)
{
    struct tr_pack_report report;
    uint32_t failed = 0;

    (void)state;
    plant_in(ALL, make_transition_hole);
    struct tr_pack *pack = open_pack(planted_path);
    assert_false(verify(pack, &report));
    for (uint32_t s = 0; s < report.selection_count; s++) {
        const struct tr_pack_selection *selection = &report.selections[s];

        if (!selection->is_closed) {
            assert_in_range(selection->mesh.open_edges, 1, 3);
            failed++;
        }
        assert_true(selection->is_closed || s >= 3); /* 0, 1, 2 are of one level */
        expect_selection(selection, &(struct defects){.open = selection->mesh.open_edges});
    }
    assert_in_range(failed, 3, report.selection_count - 4);
    tr_pack_close(pack);
}

/* ---- defects against the field ---- */

static uint32_t inner_vertex(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh)
{
    return mesh->indices[inner_triangle(tile, mesh)];
}

static bool raise_vertex(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    if (!is_first_tile(tile))
        return false;
    tr_vertex *vertex = &mesh->vertices[inner_vertex(tile, mesh)];
    vertex->y++;
    return true;
}

static void a_vertex_one_unit_off_the_field_is_found(void **state)
{
    (void)state;
    plant_in(LOD_0, raise_vertex);
    expect_planted((struct defects){0});
    expect_field(1, 0, 0, false);
}

static bool tilt_normal(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    if (!is_first_tile(tile))
        return false;
    tr_vertex *vertex = &mesh->vertices[inner_vertex(tile, mesh)];
    const int u = (int16_t)(vertex->normal & 0xffffu);
    vertex->normal = (vertex->normal & 0xffff0000u) | (uint16_t)(u + 10);
    return true;
}

static void a_normal_that_is_tilted_is_found(void **state)
{
    (void)state;
    plant_in(LOD_0, tilt_normal);
    expect_planted((struct defects){0});
    expect_field(0, 1, 0, false);
}

static bool paint_vertex(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    if (!mesh->materials)
        return false;
    mesh->materials[inner_vertex(tile, mesh)] ^= 1;
    return true;
}

static void a_vertex_of_other_paint_is_found(void **state)
{
    (void)state;
    plant_in(LOD_0, paint_vertex);
    expect_planted((struct defects){0});
    expect_field(0, 0, 1, false);
}

/* Of a coarse tile beside a finer one: a vertex that moved by less than a quarter of a cell goes too far. */
static bool move_too_far(const struct tr_pack_tile *tile, struct tr_tile_mesh *mesh)
{
    if (tile->lod != 1 || tile->kind != TR_TILE_MARCHED)
        return false;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        tr_vertex *vertex = &mesh->vertices[v];

        if (!is_inside(tile, vertex) || vertex->y % 256 == 0 || vertex->x != 128)
            continue;
        vertex->x += 1;
        return true;
    }
    return false;
}

static void a_vertex_that_moved_too_far_is_found(void **state)
{
    (void)state;
    plant_in(RINGS, move_too_far);
    expect_planted((struct defects){0});
    expect_field(1, 0, 0, false);
}

static void another_world_is_refused(void **state)
{
    struct tr_pack *pack = open_pack(pack_paths[LOD_0]);
    struct tr_world *world = NULL;
    struct tr_pack_field_report report;
    struct tr_error error = {0};
    char path[TR_PATH_BYTES];
    bool good;

    join(path, *state, "other");
    build_world(path, 2);
    assert_ok(tr_world_open(path, &world, &error), &error);
    assert_int_equal(tr_pack_check_field(pack, world, jobs, CACHE_BYTES, &report, &good, &error),
                     TR_BAD_INPUT);
    if (!strstr(error.text, "/other\": world hash ") || !strstr(error.text, "lod_0.tpack\" was meshed from"))
        fail_msg("the error is: %s", error.text);
    tr_world_close(world);
    tr_pack_close(pack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_of_one_and_of_several_levels_are_good),
        cmocka_unit_test(a_pack_of_all_levels_is_good_however_they_meet),
        cmocka_unit_test(good_packs_lie_on_the_field),
        cmocka_unit_test(the_number_of_jobs_does_not_matter),
        cmocka_unit_test(a_hole_is_three_open_edges),
        cmocka_unit_test(a_turned_triangle_has_three_edges_of_one_direction),
        cmocka_unit_test(two_triangles_of_the_same_corners_are_a_duplicate),
        cmocka_unit_test(a_triangle_with_two_equal_corners_is_found),
        cmocka_unit_test(two_bodies_on_one_vertex_pinch_it),
        cmocka_unit_test(a_surface_that_is_inside_out_is_found_without_the_world),
        cmocka_unit_test(a_body_inside_out_in_the_air_is_found_with_the_world),
        cmocka_unit_test(a_body_that_was_left_out_is_found_with_the_world),
        cmocka_unit_test(a_hash_that_is_not_that_of_the_tiles_is_found),
        cmocka_unit_test(bounds_that_are_not_exact_are_found),
        cmocka_unit_test(tiles_in_one_place_are_found),
        cmocka_unit_test(a_tile_is_judged_by_itself),
        cmocka_unit_test(a_defect_between_levels_fails_where_they_meet_and_nowhere_else),
        cmocka_unit_test(a_vertex_one_unit_off_the_field_is_found),
        cmocka_unit_test(a_normal_that_is_tilted_is_found),
        cmocka_unit_test(a_vertex_of_other_paint_is_found),
        cmocka_unit_test(a_vertex_that_moved_too_far_is_found),
        cmocka_unit_test(another_world_is_refused),
    };

    return cmocka_run_group_tests(tests, make_packs, remove_packs);
}
