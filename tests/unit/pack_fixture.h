/* Meshes for the tests of packs and exports: tiles of LOD 0 by plain marching cubes of its own, and those of any LOD by the product's mesher.
 *
 * In the first, loops are traced over the faces of each cell (each run of solid corners of a face gets a segment of its own) and filled with a fan.
 * A fan is not enough for every field; for the smooth ones here it gives closed meshes, which the tests check. Vertices and triangles come
 * in the order of shaders/cell.h. Include it once, in a test. */
#ifndef TR_TESTS_PACK_FIXTURE_H
#define TR_TESTS_PACK_FIXTURE_H

#include "lib/pack/pack.h"
#include "shaders/surface.h"

#include <stdlib.h>
#include <unistd.h>

/* Signed distance in units at a world sample; negative is solid. */
typedef int fixture_field(int x, int y, int z);

struct fixture_cells {
    fixture_field *field;
    int origin[3];       /* the tile's lowest sample */
    uint32_t *vertex_at; /* of the edge owned by a corner: [(y * 65 + z) * 65 + x][axis] */
    struct tr_mesh mesh;
    size_t vertex_capacity, index_capacity;
};

static inline int fixture_sample(const struct fixture_cells *cells, int x, int y, int z)
{
    int value = cells->field(x + cells->origin[0], y + cells->origin[1], z + cells->origin[2]);
    return tr_iclamp(value, -TR_SDF_MAX, TR_SDF_MAX);
}

static inline uint32_t fixture_normal(const struct fixture_cells *cells, const int at[3], int axis, int t,
                                      bool solid)
{
    int g[2][3];
    for (int end = 0; end < 2; end++) {
        int p[3] = {at[0], at[1], at[2]};
        p[axis] += end;
        g[end][0] = fixture_sample(cells, p[0] + 1, p[1], p[2]) - fixture_sample(cells, p[0] - 1, p[1], p[2]);
        g[end][1] = fixture_sample(cells, p[0], p[1] + 1, p[2]) - fixture_sample(cells, p[0], p[1] - 1, p[2]);
        g[end][2] = fixture_sample(cells, p[0], p[1], p[2] + 1) - fixture_sample(cells, p[0], p[1], p[2] - 1);
    }
    return tr_normal(g[0][0], g[0][1], g[0][2], g[1][0], g[1][1], g[1][2], t, axis, solid);
}

static inline void fixture_add_vertices(struct fixture_cells *cells, const int at[3])
{
    int a = fixture_sample(cells, at[0], at[1], at[2]);

    for (int axis = 0; axis < 3; axis++) {
        int p[3] = {at[0], at[1], at[2]}, b;
        if (++p[axis] > TR_TILE_CELLS)
            continue;
        b = fixture_sample(cells, p[0], p[1], p[2]);
        if ((a <= 0) == (b <= 0))
            continue;
        if (tr_grow(&cells->mesh.vertices, &cells->vertex_capacity, cells->mesh.vertex_count + 1u,
                    sizeof(tr_vertex), NULL))
            abort();
        int t = tr_crossing(a, b), v[3] = {256 * at[0], 256 * at[1], 256 * at[2]};
        v[axis] += t;
        cells->vertex_at[3 * ((at[1] * 65 + at[2]) * 65 + at[0]) + axis] = cells->mesh.vertex_count;
        cells->mesh.vertices[cells->mesh.vertex_count++] =
            (tr_vertex){v[0], v[1], v[2], fixture_normal(cells, at, axis, t, a <= 0)};
    }
}

/* The edge of shaders/cell.h between two corners of a cell that differ in one bit. */
static inline int fixture_edge(int c0, int c1)
{
    static const int lower[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
    int axis = (c0 ^ c1) >> 1, low = c0 & c1;
    for (int i = 4 * axis; i < 4 * axis + 4; i++) {
        if (lower[i] == low)
            return i;
    }
    abort();
}

static inline void fixture_add_cell(struct fixture_cells *cells, const int at[3])
{
    /* corners of each face, counter-clockwise seen from outside the cell */
    static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const int lower[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
    bool solid[8];
    int next[12];
    bool crossed[12] = {false};

    for (int i = 0; i < 8; i++)
        solid[i] = fixture_sample(cells, at[0] + (i & 1), at[1] + (i >> 1 & 1), at[2] + (i >> 2 & 1)) <= 0;
    for (int f = 0; f < 6; f++) {
        for (int i = 0; i < 4; i++) {
            int enter = fixture_edge(face[f][i], face[f][(i + 1) % 4]), j = i + 1;
            if (solid[face[f][i]] || !solid[face[f][j % 4]])
                continue;
            while (solid[face[f][(j + 1) % 4]])
                j++;
            crossed[enter] = true;
            next[enter] = fixture_edge(face[f][j % 4], face[f][(j + 1) % 4]);
        }
    }
    for (int start = 0; start < 12; start++) {
        uint32_t loop[12];
        int count = 0;
        for (int e = start; crossed[e]; e = next[e]) {
            int c = lower[e], axis = e / 4;
            crossed[e] = false;
            loop[count++] = cells->vertex_at[3 * (((at[1] + (c >> 1 & 1)) * 65 + at[2] + (c >> 2 & 1)) * 65 +
                                                  at[0] + (c & 1)) +
                                             axis];
        }
        for (int i = 1; i + 1 < count; i++) {
            if (tr_grow(&cells->mesh.indices, &cells->index_capacity, cells->mesh.index_count + 3u,
                        sizeof(uint32_t), NULL))
                abort();
            cells->mesh.indices[cells->mesh.index_count++] = loop[0];
            cells->mesh.indices[cells->mesh.index_count++] = loop[i];
            cells->mesh.indices[cells->mesh.index_count++] = loop[i + 1];
        }
    }
}

/* The mesh of tile (cx, cy, cz) at LOD 0. Release it. */
static inline struct tr_mesh fixture_march(fixture_field *field, int cx, int cy, int cz)
{
    struct fixture_cells cells = {.field = field, .origin = {64 * cx, 64 * cy, 64 * cz}};
    int at[3];

    cells.vertex_at = malloc(sizeof(uint32_t) * 3 * 65 * 65 * 65);
    if (!cells.vertex_at)
        abort();
    for (at[1] = 0; at[1] <= 64; at[1]++)
        for (at[2] = 0; at[2] <= 64; at[2]++)
            for (at[0] = 0; at[0] <= 64; at[0]++)
                fixture_add_vertices(&cells, at);
    for (at[1] = 0; at[1] < 64; at[1]++)
        for (at[2] = 0; at[2] < 64; at[2]++)
            for (at[0] = 0; at[0] < 64; at[0]++)
                fixture_add_cell(&cells, at);
    free(cells.vertex_at);
    return cells.mesh;
}

static const uint8_t fixture_same[TR_SIDES] = {TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME,
                                               TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};

/* The mesh as a tile of one part; it borrows the mesh's arrays and `part`. */
static inline struct tr_tile_mesh fixture_tile(const struct tr_mesh *mesh, struct tr_tile_part *part)
{
    *part = (struct tr_tile_part){.face = TR_PART_SURFACE, .index_count = mesh->index_count};
    memset(part->states, TR_SIDE_ANY, sizeof part->states);
    return (struct tr_tile_mesh){.size = {16384, 16384, 16384},
                                 .vertex_count = mesh->vertex_count,
                                 .index_count = mesh->index_count,
                                 .part_count = 1,
                                 .vertices = mesh->vertices,
                                 .indices = mesh->indices,
                                 .parts = part};
}

/* ---- any LOD ---- */

static inline struct tr_lattice fixture_lattice(fixture_field *field, uint32_t lod, int cx, int cy, int cz);

/* The eight of LOD lod - 1. */
static inline void fixture_children(fixture_field *field, uint32_t lod, int cx, int cy, int cz,
                                    struct tr_lattice children[8], const struct tr_lattice *pointers[8])
{
    for (int i = 0; i < 8; i++) {
        children[i] =
            fixture_lattice(field, lod - 1, 2 * cx + (i & 1), 2 * cy + (i >> 1 & 1), 2 * cz + (i >> 2 & 1));
        pointers[i] = &children[i];
    }
}

static inline struct tr_lattice fixture_lattice(fixture_field *field, uint32_t lod, int cx, int cy, int cz)
{
    static int16_t samples[TR_TILE_FIELD_SAMPLES];
    struct tr_lattice children[8], lattice;
    const struct tr_lattice *pointers[8];

    if (lod > 0) {
        fixture_children(field, lod, cx, cy, cz, children, pointers);
        if (tr_lattice_reduce(pointers, TR_TILE_CELLS, &lattice, NULL))
            abort();
        for (int i = 0; i < 8; i++)
            tr_lattice_release(&children[i]);
        return lattice;
    }
    for (int y = -1; y <= 65; y++)
        for (int z = -1; z <= 65; z++)
            for (int x = -1; x <= 65; x++)
                samples[tr_tile_index(x, y, z)] =
                    (int16_t)tr_iclamp(field(64 * cx + x, 64 * cy + y, 64 * cz + z), -TR_SDF_MAX, TR_SDF_MAX);
    if (tr_lattice_from_field(samples, (uint32_t[]){64, 64, 64}, &lattice, NULL))
        abort();
    return lattice;
}

/* The tile of marching cubes at a place, with transitions on a set of sides. Release it. */
static inline struct tr_tile_mesh fixture_build(fixture_field *field, uint32_t lod, int cx, int cy, int cz,
                                                uint32_t transitions)
{
    enum { VERTICAL_SIDES = 0x33 };
    struct tr_lattice children[8] = {0}, lattice = fixture_lattice(field, lod, cx, cy, cz);
    const struct tr_lattice *pointers[8];
    struct tr_tile_mesh tile;

    if (lod > 0)
        fixture_children(field, lod, cx, cy, cz, children, pointers);
    if (tr_tile_mesh_build(&lattice, lod > 0 ? pointers : NULL, TR_TILE_CELLS, VERTICAL_SIDES, transitions,
                           &tile, NULL))
        abort();
    for (int i = 0; i < 8; i++)
        tr_lattice_release(&children[i]);
    tr_lattice_release(&lattice);
    return tile;
}

#endif
