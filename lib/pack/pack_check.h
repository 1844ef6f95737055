/* Everything `terrain verify PACK` says of a pack without its world: the format, each tile by itself, and that the meshes are closed.
 *
 * A window is one mesh. From a pack of all LODs meshes are assembled as an engine might, and each must be closed: every LOD by itself, and
 * for each two that follow each other
 *   - columns of the two by turns, along x and along z, each of them first
 *   - single columns of the coarser among the finer, and of the finer among the coarser, at each of the four phases
 *   - with a third, still finer one: columns of the middle one between those of the other two, at each of the four phases
 * so that each side of a tile meets all that may stand there, and so do each two sides that share a corner. */
#ifndef TR_PACK_PACK_CHECK_H
#define TR_PACK_PACK_CHECK_H

#include "lib/base/jobs.h"
#include "lib/mesh/check.h"
#include "lib/mesh/selection.h"
#include "lib/pack/pack.h"

#define TR_PACK_SELECTIONS_MAX (TR_LODS + 12 * (TR_LODS - 1) + 4 * (TR_LODS - 2))
#define TR_PACK_SELECTION_TEXT_BYTES 96

/* One assembled mesh. */
struct tr_pack_selection {
    char name[TR_PACK_SELECTION_TEXT_BYTES]; /* which, for people; empty for a window */
    struct tr_check_result mesh;
    bool is_closed;
    bool faces_out; /* solid lies below and inside; true where it is not closed and nothing can be said */
};

/* What is wrong with a tile by itself. */
struct tr_pack_faults {
    uint64_t bad_indices; /* that name no vertex */
    uint64_t bad_normals; /* that are no direction */
    uint64_t
        out_of_bounds;  /* vertices outside the stated bounds or the tile; 1 where the bounds are too wide */
    uint64_t far_moves; /* farther than a quarter of a cell along an axis, or not inward from a finer side */
    uint64_t
        far_targets; /* outside the cell of the next LOD (height tiles: its column) in which the vertex lies */
};

struct tr_pack_level {
    size_t tiles;
    uint64_t vertices, triangles; /* as stored: of all neighbourhoods */
};

struct tr_pack_report {
    bool hash_matches;
    struct tr_pack_level levels[TR_LODS];
    struct tr_pack_faults faults;
    uint64_t overlaps; /* tiles that lie where another of the same mesh does */
    uint32_t selection_count;
    struct tr_pack_selection selections[TR_PACK_SELECTIONS_MAX];
};

/* Triangles with an index that names no vertex are left out of what is assembled. What the reader refuses (damage, numbers out of the format) is an error and
 * ends the verification: the pack cannot be read. *good: there is no defect. jobs NULL: one. */
enum tr_status tr_pack_verify(const struct tr_pack *pack, struct tr_jobs *jobs, struct tr_pack_report *report,
                              bool *good, struct tr_error *error);

/* A tile's mesh in world positions, as it is drawn in one neighbourhood. */
struct tr_pack_drawn {
    int64_t *xyz; /* of all its vertices */
    uint32_t *indices;
    size_t index_count;
};
/* states NULL: as it stands, with all its triangles (a window's tile). Triangles with an index that names no vertex are left out. Release it, also after a failure. */
enum tr_status tr_pack_draw(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh,
                            const uint8_t *states, struct tr_pack_drawn *drawn, struct tr_error *error);
void tr_pack_drawn_release(struct tr_pack_drawn *drawn);

/* Adds what is wrong with a tile by itself. */
void tr_pack_judge_tile(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh,
                        struct tr_pack_faults *faults);

#endif
