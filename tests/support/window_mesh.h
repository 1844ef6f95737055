/* The meshes of a window's tiles, as the library makes them. See window.h. */
#ifndef TESTS_SUPPORT_WINDOW_MESH_H
#define TESTS_SUPPORT_WINDOW_MESH_H

#include "lib/mesh/tile_mesh.h"
#include "tests/support/window.h"

struct window_tile {
    uint32_t lod;
    int32_t corner[3];          /* voxels from the window's lowest corner */
    uint8_t states[TR_SIDES];   /* its neighbourhood: one bit each */
    uint8_t possible[TR_SIDES]; /* those it was built for */
    struct tr_tile_mesh tile;   /* for all of these */
    struct tr_mesh mesh;        /* in its own */
    uint32_t surface_indices;   /* of mesh.indices, those that are no transition: the first */
};

struct window_mesh {
    struct window_tile *tiles;
    size_t count, capacity;
    uint64_t pairings[2][2][3]; /* as window_counts */
    bool is_sculpted;           /* of columns: any sample differs from the heights */
};

/* Fails the test where the library fails. */
void window_mesh_build(const struct window *w, struct window_mesh *mesh);
void window_mesh_release(struct window_mesh *mesh);

#endif
