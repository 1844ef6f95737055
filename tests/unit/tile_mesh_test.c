/* Tiles: where samples move, by hand and within a quarter of a cell; one neighbourhood settled and assembled alike, what each vertex carries
 * staying with it; windows of coarse and fine tiles closed, transitions on every face, at edges and corners. */
#include "tests/support/test.h"

#include "lib/base/alloc.h"
#include "lib/mesh/check.h"
#include "lib/mesh/tile_mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE(face) (1u << (face))
#define VERTICAL (SIDE(0) | SIDE(1) | SIDE(4) | SIDE(5))
#define ALL_SIDES 0x3fu

/* ---- worlds ---- */

/* Where size is not 0 the world ends, with air on its border. */
struct world {
    int16_t (*function)(const int at[3], const int size[3], uint32_t seed);
    uint32_t seed, width;
    int size[3];
};

static uint32_t hash_voxel(const int at[3], uint32_t seed)
{
    uint32_t h = seed * 0x9e3779b9u ^ (uint32_t)at[0] * 0x85ebca6bu ^ (uint32_t)at[1] * 0xc2b2ae35u ^
                 (uint32_t)at[2] * 0x27d4eb2fu;

    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

static int16_t white_noise(const int at[3], const int size[3], uint32_t seed)
{
    (void)size;
    return (int16_t)(hash_voxel(at, seed) % (2 * TR_SDF_MAX + 1) - TR_SDF_MAX);
}

/* Noise whose features are about two voxels wide. */
static int16_t smooth_noise(const int at[3], const int size[3], uint32_t seed)
{
    int sum = 0;

    (void)size;
    for (int i = 0; i < 8; i++)
        sum += (int)(hash_voxel((int[3]){at[0] + (i & 1), at[1] + (i >> 1 & 1), at[2] + (i >> 2)}, seed) %
                     2001) -
               1000;
    return (int16_t)sum;
}

/* About the middle of the world, almost as large as it is along its shortest side; the seed shifts it. */
static int16_t sphere(const int at[3], const int size[3], uint32_t seed)
{
    const int shortest =
        size[0] < size[1] ? (size[0] < size[2] ? size[0] : size[2]) : (size[1] < size[2] ? size[1] : size[2]);
    double square = 0;

    for (int k = 0; k < 3; k++)
        square += pow(at[k] - 0.5 * size[k] - 0.03 * (double)(seed % 10), 2);
    return (int16_t)floor(256 * (sqrt(square) - 0.43 * shortest));
}

static int16_t sample(const struct world *world, const int at[3])
{
    for (int k = 0; k < 3; k++) {
        if (world->size[k] && (at[k] <= 0 || at[k] >= world->size[k]))
            return 256;
    }
    return world->function(at, world->size, world->seed);
}

/* ---- lattices ---- */

/* A lattice and those of the next finer LOD that it came from. */
struct block {
    struct tr_lattice lattice, finer[8];
    const struct tr_lattice *children[8];
};

static bool is_beyond(const struct world *world, const int at[3])
{
    return (world->size[0] && at[0] >= world->size[0]) || (world->size[1] && at[1] >= world->size[1]) ||
           (world->size[2] && at[2] >= world->size[2]);
}

/* A material that tells a place, in units of the world. */
static uint8_t material_at(const int origin[3], const tr_vertex *v)
{
    return (uint8_t)hash_voxel(
        (int[3]){origin[0] * TR_UNITS + v->x, origin[1] * TR_UNITS + v->y, origin[2] * TR_UNITS + v->z}, 77);
}

static struct tr_lattice ground_at(const struct world *world, const int origin[3])
{
    static int16_t field[TR_TILE_FIELD_SAMPLES];
    uint32_t cells[3];
    struct tr_lattice lattice;
    struct tr_error error = {0};

    for (int k = 0; k < 3; k++) {
        const int left = world->size[k] - origin[k];

        cells[k] = world->size[k] && left < (int)world->width ? (uint32_t)left : world->width;
    }
    for (int y = -1; y <= (int)cells[1] + 1; y++) {
        for (int z = -1; z <= (int)cells[2] + 1; z++) {
            for (int x = -1; x <= (int)cells[0] + 1; x++)
                field[tr_tile_index(x, y, z)] =
                    sample(world, (int[3]){origin[0] + x, origin[1] + y, origin[2] + z});
        }
    }
    assert_ok(tr_lattice_from_field(field, cells, &lattice, &error), &error);
    if (lattice.vertex_count == 0)
        return lattice;
    if (!(lattice.materials = tr_alloc(lattice.vertex_count, 1, &error)))
        fail_msg("%s", error.text);
    for (uint32_t i = 0; i < lattice.vertex_count; i++)
        lattice.materials[i] = material_at(origin, &lattice.vertices[i]);
    return lattice;
}

/* The lattice of the tile whose lowest corner is the voxel `origin`; where block is given, its children stay there. */
static struct tr_lattice lattice_at(const struct world *world, uint32_t lod, const int origin[3],
                                    struct block *block)
{
    const int half = (int)(world->width << lod >> 1);
    struct block own = {0}, *made = block ? block : &own;
    struct tr_lattice lattice;
    struct tr_error error = {0};

    if (lod == 0)
        return ground_at(world, origin);
    for (int i = 0; i < 8; i++) {
        const int at[3] = {origin[0] + (i & 1) * half, origin[1] + (i >> 1 & 1) * half,
                           origin[2] + (i >> 2) * half};

        if (is_beyond(world, at))
            continue;
        made->finer[i] = lattice_at(world, lod - 1, at, NULL);
        made->children[i] = &made->finer[i];
    }
    assert_ok(tr_lattice_reduce(made->children, world->width, &lattice, &error), &error);
    for (int i = 0; !block && i < 8; i++)
        tr_lattice_release(&own.finer[i]);
    return lattice;
}

static void block_make(const struct world *world, uint32_t lod, const int origin[3], struct block *block)
{
    *block = (struct block){0};
    block->lattice = lattice_at(world, lod, origin, block);
}

static void block_release(struct block *block)
{
    tr_lattice_release(&block->lattice);
    for (int i = 0; i < 8; i++)
        tr_lattice_release(&block->finer[i]);
}

static struct tr_tile_mesh tile_of(const struct tr_lattice *lattice, const struct tr_lattice *const *finer,
                                   uint32_t width, uint32_t counting, uint32_t transitions)
{
    struct tr_tile_mesh tile;
    struct tr_error error = {0};

    assert_ok(tr_tile_mesh_build(lattice, finer, width, counting, transitions, &tile, &error), &error);
    return tile;
}

/* ---- moves ---- */

/* In a tile of 4 cells a side at LOD 1, so of 2048 units: where the vertex `along` units from a sample along an axis moves to. */
struct move_case {
    const char *name;
    uint32_t counting, transitions;
    uint32_t axis;
    int sample[3], along;
    uint32_t count;
    struct tr_tile_move moves[2]; /* vertex 0 */
};

static const struct move_case move_cases[] = {
    {"inside", VERTICAL, VERTICAL, 1, {1, 0, 2}, 300, 0, {{0}}},
    {"no side may be finer", VERTICAL, 0, 1, {0, 0, 2}, 300, 0, {{0}}},
    {"edge within a side", VERTICAL, SIDE(0), 1, {0, 1, 2}, 300, 1, {{0, SIDE(0), 128, 812, 1024}}},
    {"edge within an upper side", VERTICAL, SIDE(5), 1, {2, 1, 4}, 300, 1, {{0, SIDE(5), 1024, 812, 1920}}},
    {"edge within a side that is not finer", VERTICAL, SIDE(1), 1, {0, 1, 2}, 300, 0, {{0}}},
    {"edge where two sides meet, one of them never finer", VERTICAL, SIDE(0), 1, {0, 1, 0}, 300, 0, {{0}}},
    {"edge where two sides meet",
     VERTICAL,
     VERTICAL,
     1,
     {0, 1, 4},
     300,
     1,
     {{0, SIDE(0) | SIDE(5), 128, 812, 1920}}},
    {"edge to a lower side, a third of the way",
     VERTICAL,
     SIDE(0),
     0,
     {0, 1, 1},
     192,
     1,
     {{0, SIDE(0), 272, 512, 512}}},
    {"its place rounded up", VERTICAL, SIDE(0), 0, {0, 1, 1}, 193, 1, {{0, SIDE(0), 273, 512, 512}}},
    {"a half rounded up", VERTICAL, SIDE(0), 0, {0, 1, 1}, 194, 1, {{0, SIDE(0), 274, 512, 512}}},
    {"edge to an upper side, halves still up",
     VERTICAL,
     SIDE(1),
     0,
     {3, 1, 1},
     194,
     1,
     {{0, SIDE(1), 1682, 512, 512}}},
    {"edge from where two sides meet",
     VERTICAL,
     VERTICAL,
     0,
     {0, 1, 0},
     193,
     2,
     {{0, SIDE(4), 192, 512, 48}, {0, SIDE(0) | SIDE(4), 273, 512, 128}}},
    {"the other side never finer", VERTICAL, SIDE(4), 0, {0, 1, 0}, 193, 1, {{0, SIDE(4), 192, 512, 48}}},
    {"the edge's own side never finer", VERTICAL, SIDE(0), 0, {0, 1, 0}, 193, 0, {{0}}},
    {"lowest samples of a column", VERTICAL, SIDE(0), 1, {0, 0, 2}, 300, 1, {{0, SIDE(0), 128, 300, 1024}}},
    {"lowest samples where all sides count",
     ALL_SIDES,
     ALL_SIDES,
     1,
     {0, 0, 2},
     300,
     2,
     {{0, SIDE(0), 75, 300, 1024}, {0, SIDE(0) | SIDE(2), 128, 353, 1024}}},
};

/* A lattice whose one vertex lies as the case says; its signs are of no matter to moves, and its triangles none. */
static void move_lattice(const struct move_case *c, struct tr_lattice *lattice)
{
    struct tr_error error = {0};
    int at[3];

    *lattice = (struct tr_lattice){.lod = 1, .cells = {4, 4, 4}, .vertex_count = 1};
    lattice->solid = tr_alloc(tr_lattice_rows(lattice->cells), sizeof *lattice->solid, &error);
    lattice->solid_last = tr_alloc(tr_lattice_rows(lattice->cells), 1, &error);
    lattice->first = tr_alloc(tr_lattice_rows(lattice->cells) + 1, sizeof *lattice->first, &error);
    lattice->vertices = tr_alloc(1, sizeof *lattice->vertices, &error);
    if (!lattice->solid || !lattice->solid_last || !lattice->first || !lattice->vertices)
        fail_msg("%s", error.text);
    for (uint32_t k = 0; k < 3; k++)
        at[k] = c->sample[k] * 512 + (k == c->axis ? c->along : 0);
    lattice->vertices[0] = (tr_vertex){at[0], at[1], at[2], 0};
}

static void vertices_move_with_the_samples_of_their_edge(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof move_cases / sizeof *move_cases; i++) {
        const struct move_case *c = &move_cases[i];
        const struct tr_lattice air = {.cells = {4, 4, 4}};
        const struct tr_lattice *const finer[8] = {&air, &air, &air, &air, &air, &air, &air, &air};
        struct tr_lattice lattice;
        struct tr_tile_mesh tile;

        move_lattice(c, &lattice);
        tile = tile_of(&lattice, finer, 4, c->counting, c->transitions);
        if (tile.move_count != c->count)
            fail_msg("%s: %u moves, expected %u", c->name, tile.move_count, c->count);
        for (uint32_t m = 0; m < c->count; m++) {
            const struct tr_tile_move *found = &tile.moves[m], *expected = &c->moves[m];

            if (memcmp(found, expected, sizeof *found) != 0)
                fail_msg("%s, move %u: sides 0x%02x to (%d, %d, %d); expected 0x%02x to (%d, %d, %d)",
                         c->name, m, found->sides, found->x, found->y, found->z, expected->sides, expected->x,
                         expected->y, expected->z);
        }
        tr_tile_mesh_release(&tile);
        tr_lattice_release(&lattice);
    }
}

static int32_t distance(int32_t a, int32_t b)
{
    return a < b ? b - a : a - b;
}

static void moves_stay_within_a_quarter_of_a_cell_and_are_in_order(void **state)
{
    static const struct {
        uint32_t width, lod;
    } tiles[] = {{2, 1}, {2, 2}, {4, 1}, {4, 3}, {16, 2}};

    (void)state;
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++) {
        const struct world world = {white_noise, 5, tiles[t].width, {0}};
        const int32_t quarter = TR_UNITS / 4 << tiles[t].lod;
        struct block block;
        struct tr_tile_mesh tile;
        uint32_t of_two_moves = 0;

        block_make(&world, tiles[t].lod, (int[3]){0, 0, 0}, &block);
        tile = tile_of(&block.lattice, block.children, world.width, ALL_SIDES, ALL_SIDES);
        for (uint32_t i = 0; i < tile.move_count; i++) {
            const struct tr_tile_move *move = &tile.moves[i], *last = i ? move - 1 : NULL;
            const tr_vertex *from = &tile.vertices[move->vertex];

            if (distance(move->x, from->x) > quarter || distance(move->y, from->y) > quarter ||
                distance(move->z, from->z) > quarter)
                fail_msg("width %u, LOD %u: vertex %u moves from (%d, %d, %d) to (%d, %d, %d)", world.width,
                         tiles[t].lod, move->vertex, from->x, from->y, from->z, move->x, move->y, move->z);
            assert_true(move->vertex < block.lattice.vertex_count);
            if (last && last->vertex == move->vertex) {
                of_two_moves++;
                assert_true(last->sides != move->sides && (last->sides & ~move->sides) == 0);
                assert_true(i < 2 || tile.moves[i - 2].vertex < move->vertex);
            } else if (last) {
                assert_true(last->vertex < move->vertex);
            }
        }
        assert_true(of_two_moves > 0);
        tr_tile_mesh_release(&tile);
        block_release(&block);
    }
}

/* ---- one neighbourhood ---- */

/* Gives each vertex what tells it from the others: its number in its weights, a target far away, a material. */
static void mark_vertices(struct tr_tile_mesh *tile)
{
    struct tr_error error = {0};

    tile->weights = tr_alloc(tile->vertex_count, sizeof *tile->weights, &error);
    tile->targets = tr_alloc(tile->vertex_count, sizeof *tile->targets, &error);
    if (!tile->weights || !tile->targets || !tile->materials)
        fail_msg("%s", error.text);
    for (uint32_t i = 0; i < tile->vertex_count; i++) {
        memcpy(tile->weights[i], &i, sizeof i);
        tile->targets[i][0] = -1 - (int32_t)i;
        tile->materials[i] = (uint8_t)(i % 251);
    }
}

static bool lies_beside_another_lod(const struct tr_tile_mesh *tile, const tr_vertex *v,
                                    const uint8_t states[TR_SIDES])
{
    const int32_t at[3] = {v->x, v->y, v->z};

    for (uint32_t side = 0; side < TR_SIDES; side++) {
        if (states[side] != TR_SIDE_SAME && at[side / 2] == (side % 2 ? tile->size[side / 2] : 0))
            return true;
    }
    return false;
}

/* Where a vertex lies in a neighbourhood, by the words of the header; true: it moved. */
static bool place_of(const struct tr_tile_mesh *tile, uint32_t vertex, const uint8_t states[TR_SIDES],
                     tr_vertex *place)
{
    bool has_moved = false;

    *place = tile->vertices[vertex];
    for (uint32_t i = 0; i < tile->move_count; i++) {
        const struct tr_tile_move *move = &tile->moves[i];
        bool holds = move->vertex == vertex;

        for (uint32_t side = 0; side < TR_SIDES; side++)
            holds = holds && (!(move->sides & SIDE(side)) || states[side] == TR_SIDE_FINER);
        if (holds) {
            *place = (tr_vertex){move->x, move->y, move->z, place->normal};
            has_moved = true;
        }
    }
    return has_moved;
}

static void expect_settled(const struct tr_tile_mesh *tile, const struct tr_tile_mesh *settled,
                           const struct tr_mesh *assembled, const uint8_t states[TR_SIDES])
{
    uint32_t last_index = 0;

    assert_int_equal(settled->vertex_count, assembled->vertex_count);
    assert_int_equal(settled->index_count, assembled->index_count);
    assert_int_equal(settled->move_count, 0);
    assert_memory_equal(settled->vertices, assembled->vertices,
                        assembled->vertex_count * sizeof *assembled->vertices);
    assert_memory_equal(settled->indices, assembled->indices,
                        assembled->index_count * sizeof *assembled->indices);
    for (uint32_t i = 0; i < settled->part_count; i++) {
        assert_true(settled->parts[i].index_count > 0);
        assert_int_equal(settled->parts[i].first_index, last_index);
        last_index += settled->parts[i].index_count;
    }
    assert_int_equal(last_index, settled->index_count);
    for (uint32_t i = 0; i < settled->vertex_count; i++) {
        uint32_t vertex;
        tr_vertex place;
        bool is_own;

        memcpy(&vertex, settled->weights[i], sizeof vertex);
        is_own = place_of(tile, vertex, states, &place) ||
                 lies_beside_another_lod(tile, &tile->vertices[vertex], states);
        assert_memory_equal(&settled->vertices[i], &place, sizeof place);
        assert_int_equal(settled->materials[i], vertex % 251);
        if (is_own)
            assert_memory_equal(settled->targets[i], &place, sizeof settled->targets[i]);
        else
            assert_int_equal(settled->targets[i][0], -1 - (int32_t)vertex);
    }
}

/* Triangles with three different corners of the parts that are drawn, and those of the surface as they are. */
static uint32_t count_triangles(const struct tr_tile_mesh *tile, const uint8_t states[TR_SIDES])
{
    uint32_t count = 0;

    for (uint32_t p = 0; p < tile->part_count; p++) {
        const struct tr_tile_part *part = &tile->parts[p];

        if (part->face != TR_PART_SURFACE && states[part->face] != TR_SIDE_FINER)
            continue;
        for (uint32_t i = 0; i < part->index_count; i += 3) {
            tr_vertex corners[3];

            for (uint32_t c = 0; c < 3; c++) {
                place_of(tile, tile->indices[part->first_index + i + c], states, &corners[c]);
                corners[c].normal = 0;
            }
            count +=
                part->face == TR_PART_SURFACE || (memcmp(&corners[0], &corners[1], sizeof *corners) != 0 &&
                                                  memcmp(&corners[1], &corners[2], sizeof *corners) != 0 &&
                                                  memcmp(&corners[2], &corners[0], sizeof *corners) != 0);
        }
    }
    return count;
}

static void settled_and_assembled_tiles_are_equal_and_vertices_keep_what_they_carry(void **state)
{
    static const uint8_t kinds[] = {TR_SIDE_SAME, TR_SIDE_FINER, TR_SIDE_COARSER};
    uint32_t left_out = 0;

    (void)state;
    for (uint32_t seed = 0; seed < 60; seed++) {
        const struct world world = {seed % 2 ? white_noise : smooth_noise, seed, seed % 3 ? 2 : 4, {0}};
        struct block block;
        struct tr_tile_mesh tile, settled;
        struct tr_mesh assembled;
        struct tr_error error = {0};
        uint8_t states[TR_SIDES];
        uint32_t all = 0;

        block_make(&world, 1, (int[3]){0, 0, 0}, &block);
        for (uint32_t side = 0; side < TR_SIDES; side++)
            states[side] = kinds[hash_voxel((int[3]){(int)side, 0, 0}, seed) % 3];
        tile = tile_of(&block.lattice, block.children, world.width, ALL_SIDES, ALL_SIDES);
        settled = tile_of(&block.lattice, block.children, world.width, ALL_SIDES, ALL_SIDES);
        mark_vertices(&settled);
        assert_ok(tr_tile_mesh_assemble(&tile, states, &assembled, &error), &error);
        assert_ok(tr_tile_mesh_settle(&settled, states, &error), &error);
        expect_settled(&tile, &settled, &assembled, states);
        assert_int_equal(assembled.index_count, 3 * count_triangles(&tile, states));
        for (uint32_t p = 0; p < tile.part_count; p++) {
            if (tile.parts[p].face == TR_PART_SURFACE || states[tile.parts[p].face] == TR_SIDE_FINER)
                all += tile.parts[p].index_count;
        }
        left_out += (all - assembled.index_count) / 3;
        tr_mesh_release(&assembled);
        tr_tile_mesh_release(&settled);
        tr_tile_mesh_release(&tile);
        block_release(&block);
    }
    assert_true(left_out > 0);
}

static void a_tile_without_a_crossing_of_its_own_has_those_of_finer_ones(void **state)
{
    const int solid_at[3] = {4, 1, 1}; /* on the face +x, at odd samples: seen at LOD 0 only */
    const struct tr_lattice *finer[8];
    struct tr_lattice lattice = {.lod = 1, .cells = {2, 2, 2}}, made[8];
    struct tr_tile_mesh tile;
    struct tr_mesh mesh;
    struct tr_error error = {0};
    uint8_t states[TR_SIDES] = {TR_SIDE_SAME, TR_SIDE_FINER, TR_SIDE_SAME,
                                TR_SIDE_SAME, TR_SIDE_SAME,  TR_SIDE_SAME};
    static int16_t field[TR_TILE_FIELD_SAMPLES];

    (void)state;
    for (int i = 0; i < 8; i++) {
        for (int y = -1; y <= 3; y++) {
            for (int z = -1; z <= 3; z++) {
                for (int x = -1; x <= 3; x++)
                    field[tr_tile_index(x, y, z)] = x + 2 * (i & 1) == solid_at[0] &&
                                                            y + 2 * (i >> 1 & 1) == solid_at[1] &&
                                                            z + 2 * (i >> 2) == solid_at[2]
                                                        ? -256
                                                        : 256;
            }
        }
        assert_ok(tr_lattice_from_field(field, (uint32_t[3]){2, 2, 2}, &made[i], &error), &error);
        finer[i] = &made[i];
    }
    tile = tile_of(&lattice, finer, 2, VERTICAL, VERTICAL);
    assert_int_equal(tile.vertex_count, 4);
    assert_int_equal(tile.part_count, 1);
    assert_int_equal(tile.parts[0].face, 1);
    assert_int_equal(tile.index_count, 6);
    assert_ok(tr_tile_mesh_assemble(&tile, states, &mesh, &error), &error);
    assert_int_equal(mesh.index_count, 6);
    tr_mesh_release(&mesh);
    states[1] = TR_SIDE_SAME;
    assert_ok(tr_tile_mesh_assemble(&tile, states, &mesh, &error), &error);
    assert_int_equal(mesh.vertex_count, 0);
    assert_int_equal(mesh.index_count, 0);
    tr_mesh_release(&mesh);
    tr_tile_mesh_release(&tile);
    for (int i = 0; i < 8; i++)
        tr_lattice_release(&made[i]);
}

static void every_vertex_has_the_material_of_its_place(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 6; seed++) {
        const struct world world = {white_noise, seed, 4, {16, 16, 16}};
        const int origin[3] = {8, 0, 8};
        struct block block;
        struct tr_tile_mesh tile;

        block_make(&world, 1, origin, &block);
        tile = tile_of(&block.lattice, block.children, world.width, ALL_SIDES, ALL_SIDES);
        assert_true(tile.vertex_count > block.lattice.vertex_count);
        for (uint32_t i = 0; i < tile.vertex_count; i++) {
            if (tile.materials[i] != material_at(origin, &tile.vertices[i]))
                fail_msg("world %u: vertex %u of %u has material %u, expected %u", seed, i, tile.vertex_count,
                         tile.materials[i], material_at(origin, &tile.vertices[i]));
        }
        tr_tile_mesh_release(&tile);
        block_release(&block);
    }
}

/* ---- windows ---- */

/* Blocks of one tile of LOD lod, or of eight of the finer one where the block is: bit x + count[0] * (y + count[1] * z) of `finer`. */
struct window {
    const char *name;
    struct world world;
    uint32_t lod;
    int count[3];
    uint32_t finer;
    int cut; /* cells of LOD lod that the last blocks lack along each axis */
};

static int number_of(const struct window *window, const int at[3])
{
    return at[0] + window->count[0] * (at[1] + window->count[1] * at[2]);
}

static uint8_t state_of(const struct window *window, const int at[3], bool is_finer, uint32_t side)
{
    int beside[3] = {at[0], at[1], at[2]};
    bool is_beside_finer;

    beside[side / 2] += side % 2 ? 1 : -1;
    if (beside[side / 2] < 0 || beside[side / 2] >= window->count[side / 2])
        return TR_SIDE_SAME;
    is_beside_finer = window->finer >> number_of(window, beside) & 1;
    return is_beside_finer == is_finer ? TR_SIDE_SAME : is_finer ? TR_SIDE_COARSER : TR_SIDE_FINER;
}

/* Sides of a block that are not the world's. */
static uint32_t sides_within(const struct window *window, const int at[3])
{
    uint32_t sides = 0;

    for (uint32_t axis = 0; axis < 3; axis++) {
        sides |= at[axis] > 0 ? SIDE(2 * axis) : 0;
        sides |= at[axis] < window->count[axis] - 1 ? SIDE(2 * axis + 1) : 0;
    }
    return sides;
}

static void add_tile(struct tr_check *check, const struct tr_tile_mesh *tile, const uint8_t states[TR_SIDES],
                     const int origin[3])
{
    struct tr_mesh mesh;
    struct tr_error error = {0};
    int64_t *xyz;

    assert_ok(tr_tile_mesh_assemble(tile, states, &mesh, &error), &error);
    if (!(xyz = tr_alloc((size_t)3 * mesh.vertex_count, sizeof *xyz, &error)))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        xyz[3 * i] = mesh.vertices[i].x + (int64_t)origin[0] * TR_UNITS;
        xyz[3 * i + 1] = mesh.vertices[i].y + (int64_t)origin[1] * TR_UNITS;
        xyz[3 * i + 2] = mesh.vertices[i].z + (int64_t)origin[2] * TR_UNITS;
    }
    assert_ok(tr_check_add(check, xyz, mesh.vertex_count, mesh.indices, mesh.index_count, &error), &error);
    free(xyz);
    tr_mesh_release(&mesh);
}

/* has_transitions false: as if every side were of the same LOD. */
static void add_block(struct tr_check *check, const struct window *window, const int at[3],
                      bool has_transitions)
{
    const bool is_finer = window->finer >> number_of(window, at) & 1;
    const int length = (int)(window->world.width << window->lod);
    int origin[3] = {at[0] * length, at[1] * length, at[2] * length};
    struct block block;

    block_make(&window->world, window->lod, origin, &block);
    for (int i = 0; i < (is_finer ? 8 : 1); i++) {
        const int corner[3] = {origin[0] + (i & 1) * length / 2, origin[1] + (i >> 1 & 1) * length / 2,
                               origin[2] + (i >> 2) * length / 2};
        uint8_t states[TR_SIDES];

        if (is_finer && !block.children[i])
            continue;
        struct tr_tile_mesh tile = is_finer
                                       ? tile_of(&block.finer[i], NULL, window->world.width, ALL_SIDES, 0)
                                       : tile_of(&block.lattice, block.children, window->world.width,
                                                 ALL_SIDES, sides_within(window, at));

        for (uint32_t side = 0; side < TR_SIDES; side++) {
            const bool is_within = is_finer && (i >> side / 2 & 1) != (int)(side % 2);

            states[side] =
                is_within || !has_transitions ? TR_SIDE_SAME : state_of(window, at, is_finer, side);
        }
        add_tile(check, &tile, states, corner);
        tr_tile_mesh_release(&tile);
    }
    block_release(&block);
}

static struct tr_check_result judge(struct window *window, bool has_transitions)
{
    const int64_t lo[2] = {-1, -1}, hi[2] = {INT64_C(1) << 36, INT64_C(1) << 36};
    struct tr_check *check;
    struct tr_check_result result;
    struct tr_error error = {0};

    for (int k = 0; k < 3; k++)
        window->world.size[k] = (window->count[k] * (int)window->world.width - window->cut) << window->lod;
    assert_ok(tr_check_create(lo, hi, &check, &error), &error);
    for (int z = 0; z < window->count[2]; z++) {
        for (int y = 0; y < window->count[1]; y++) {
            for (int x = 0; x < window->count[0]; x++)
                add_block(check, window, (int[3]){x, y, z}, has_transitions);
        }
    }
    assert_ok(tr_check_finish(check, &result, &error), &error);
    tr_check_free(check);
    return result;
}

/* Returns the number of triangles, of which a small world may have none. */
static uint64_t expect_closed(struct window *window)
{
    const struct tr_check_result r = judge(window, true);

    if (r.open_edges || r.side_edges || r.crowded_edges || r.duplicates || r.pinches ||
        (r.triangles > 0 && r.volume_units3 <= 0))
        fail_msg("%s, world %u, width %u, LOD %u, %dx%dx%d blocks, finer 0x%x: %" PRIu64
                 " open edges, first at (%" PRId64 ", %" PRId64 ", %" PRId64 "), %" PRIu64
                 " crowded, %" PRIu64 " duplicates, %" PRIu64 " pinches, volume %g",
                 window->name, window->world.seed, window->world.width, window->lod, window->count[0],
                 window->count[1], window->count[2], window->finer, r.open_edges, r.first_open[0],
                 r.first_open[1], r.first_open[2], r.crowded_edges, r.duplicates, r.pinches, r.volume_units3);
    return r.triangles;
}

static struct window window_of(uint32_t kind, uint32_t seed, uint32_t width, uint32_t lod)
{
    static const struct {
        const char *name;
        int16_t (*function)(const int at[3], const int size[3], uint32_t seed);
    } kinds[] = {{"sphere", sphere}, {"white noise", white_noise}, {"smooth noise", smooth_noise}};

    return (struct window){kinds[kind].name, {kinds[kind].function, seed, width, {0}}, lod, {1, 1, 1}, 0, 0};
}

static void a_coarse_tile_closes_with_finer_ones_at_each_face(void **state)
{
    (void)state;
    for (uint32_t face = 0; face < TR_SIDES; face++) {
        uint32_t empty = 0;

        for (uint32_t seed = 0; seed < 24; seed++) {
            struct window window = window_of(seed % 3, seed, seed & 1 ? 2 : 4, seed % 4 == 3 ? 2 : 1);

            window.count[face / 2] = 2;
            window.finer = face % 2 ? 2 : 1;
            window.cut = (int)(seed / 3 % window.world.width);
            empty += expect_closed(&window) == 0;
            if (seed % 3 == 0 && window.cut == 0 && judge(&window, false).open_edges == 0)
                fail_msg("face %u, world %u: closed without a transition", face, seed);
        }
        assert_true(empty < 12); /* of 24, some of one cell */
    }
}

static void one_tile_of_another_lod_among_26_closes(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 12; seed++) {
        struct window window = window_of(seed % 3, seed, 2, 1);

        memcpy(window.count, (int[3]){3, 3, 3}, sizeof window.count);
        window.cut = (int)(seed / 3 % 2);
        window.finer = UINT32_C(1) << 13;
        assert_true(expect_closed(&window) > 0);
        window.finer = ((UINT32_C(1) << 27) - 1) & ~window.finer;
        assert_true(expect_closed(&window) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_move_with_the_samples_of_their_edge),
        cmocka_unit_test(moves_stay_within_a_quarter_of_a_cell_and_are_in_order),
        cmocka_unit_test(settled_and_assembled_tiles_are_equal_and_vertices_keep_what_they_carry),
        cmocka_unit_test(every_vertex_has_the_material_of_its_place),
        cmocka_unit_test(a_tile_without_a_crossing_of_its_own_has_those_of_finer_ones),
        cmocka_unit_test(a_coarse_tile_closes_with_finer_ones_at_each_face),
        cmocka_unit_test(one_tile_of_another_lod_among_26_closes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
