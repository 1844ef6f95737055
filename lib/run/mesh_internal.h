/* What the files of the mesh pipeline share. Private to lib/run/mesh_*.c.
 *
 *   mesh_world.c    the world in regions, the regions in blocks of 8 x 8 chunks, and the levels of each
 *   mesh_ground.c   LOD 0: chunks gathered, lattices and height grids from the device
 *   mesh_levels.c   a level from the one below, and its tiles
 *   mesh_finish.c   errors, targets, weights, packing */
#ifndef TR_RUN_MESH_INTERNAL_H
#define TR_RUN_MESH_INTERNAL_H

#include "lib/run/column_kinds.h"
#include "lib/run/mesh_world.h"
#include "lib/world/cache.h"

#define TR_BLOCK_LOD 3u /* a block is a column of this LOD: 8 x 8 chunks keep a device busy */
/* Sides of a column that count where samples move: all but -y and +y. */
#define TR_COLUMN_FACES 0x33u

/* LOD 0 vertices of a column of LOD 0: x and z in units from the region's corner, y from y = 0. */
struct mesh_points {
    int32_t (*xyz)[3];
    size_t count;
};

struct mesh_tile {
    int32_t row;
    struct tr_tile_mesh mesh;
    struct tr_pack_blob blob;
};

/* A column of one LOD while it is worked on. */
struct mesh_node {
    int32_t cx, cz;
    bool is_marched;   /* else a height column */
    bool is_selected;  /* its tiles go into the pack */
    bool has_lattices; /* of every row that may have a crossing, without gaps */
    uint8_t states[TR_SIDES];
    int32_t first_row;
    uint32_t row_count;
    struct tr_lattice *lattices;
    const struct tr_lattice **rows; /* pointers to these */
    struct tr_height_grid grid;     /* of a height column */
    struct mesh_tile *tiles;
    size_t tile_count;
    struct mesh_points points; /* LOD 0 only */
    uint32_t **triangles;      /* LOD 0 only: indices of each row, where they were wanted */
    uint32_t *triangle_indices;
};

/* The columns of one LOD in a region or block: those of the world. */
struct mesh_level {
    uint32_t lod;
    int32_t x0, z0; /* the first column */
    uint32_t count_x, count_z;
    struct mesh_node *nodes; /* [z][x] */
};

struct mesher {
    struct tr_bake *bake;
    const struct tr_world *world;
    const struct tr_mesh_options *options;
    struct tr_pack_writer *writer;
    struct tr_mesh_result *result;
    struct tr_column_kinds kinds;
    struct tr_cache *cache;
    uint32_t top;  /* the coarsest level that is built: of the selection, and one more for targets */
    bool measures; /* tiles coarser than LOD 0 are selected, so points are kept */
    uint64_t chunks_done;
    int32_t region_x, region_z; /* chunk at the corner of the region that is worked on */
};

/* The level's frame: which columns there are. corner and side in chunks. */
enum tr_status mesh_level_init(struct mesher *mesher, uint32_t lod, int32_t corner_x, int32_t corner_z,
                               int32_t side, struct mesh_level *level, struct tr_error *error);
void mesh_level_release(struct mesh_level *level);
void mesh_node_release(struct mesh_node *node);
static inline size_t mesh_level_count(const struct mesh_level *level)
{
    return (size_t)level->count_x * level->count_z;
}
/* NULL where the level has no such column. */
struct mesh_node *mesh_level_find(const struct mesh_level *level, int32_t cx, int32_t cz);
/* Cells of a column along an axis of `size` chunks. */
uint32_t mesh_cells(int32_t size, uint32_t lod, int32_t column);
/* The column's lattice of that row; beyond its rows *spare is made one: solid below, air above. */
const struct tr_lattice *mesh_node_row(const struct mesher *mesher, const struct mesh_node *node,
                                       uint32_t lod, int32_t row, struct tr_lattice *spare);

/* The place beside a column at its side -x, +x, -z or +z (0..3); there may be no column. */
struct mesh_neighbour {
    int32_t cx, cz;
};
static inline struct mesh_neighbour mesh_neighbour_of(const struct mesh_node *node, int side)
{
    static const int32_t steps[TR_COLUMN_SIDES][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    return (struct mesh_neighbour){node->cx + steps[side][0], node->cz + steps[side][1]};
}

/* mesh_ground.c: fills the nodes of LOD 0. */
enum tr_status mesh_ground(struct mesher *mesher, struct mesh_level *level, struct tr_error *error);

/* mesh_levels.c: level from finer; then the tiles of a level (finer NULL for LOD 0). */
enum tr_status mesh_reduce(struct mesher *mesher, const struct mesh_level *finer, struct mesh_level *level,
                           struct tr_error *error);
enum tr_status mesh_build_tiles(struct mesher *mesher, const struct mesh_level *finer,
                                struct mesh_level *level, struct tr_error *error);

/* mesh_finish.c: the errors of tiles coarser than LOD 0 from points of the region; any number of calls between begin and end. */
struct mesh_measure;
enum tr_status mesh_measure_create(struct mesher *mesher, struct mesh_level *levels, size_t level_count,
                                   struct mesh_measure **out, struct tr_error *error);
enum tr_status mesh_measure_add(struct mesh_measure *measure, const struct mesh_points *points, size_t count,
                                struct tr_error *error);
void mesh_measure_end(struct mesh_measure *measure); /* writes the errors into the tiles; frees */
/* Targets, weights, the neighbourhood of a window, and the pack. coarse may be NULL. */
enum tr_status mesh_finish(struct mesher *mesher, struct mesh_level *level, const struct mesh_level *coarse,
                           struct tr_error *error);

#endif
