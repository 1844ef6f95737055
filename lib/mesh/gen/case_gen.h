/* The generator of the case tables: derives every case of a cell from the cell's faces and prints it as C. It
 * runs on the building machine; this header is what its files share.
 *
 *   cells.c            the regular and the transition cell, as data: everything else takes any cell
 *   loops.c            contours on faces, and the loops that they link into
 *   candidates.c       the triangulations of a case's loops, numbered: the order in which they are tried
 *   rules.c            what a triangulation has to keep
 *   case_table_gen.c   takes the first that keeps the rules, case after case, and prints the table
 *
 * A vertex is named by the edge that it lies on. Positions are integers. */
#ifndef TR_MESH_GEN_CASE_GEN_H
#define TR_MESH_GEN_CASE_GEN_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CORNERS_MAX = 13,
    EDGES_MAX = 16,
    FACES_MAX = 9,
    FACE_CORNERS_MAX = 5,
    LOOPS_MAX = EDGES_MAX / 3,
    TRIANGLES_MAX = EDGES_MAX, /* a ring has as many as vertices, disks have fewer */
    SIDE = 256,                /* a crossing lies 1..SIDE-1 parts of SIDE from its edge's lower end */
};

struct point {
    int64_t at[3];
};

struct cell {
    unsigned case_count;
    int edge_count, face_count;
    int corner[CORNERS_MAX][3]; /* position; times SIDE it is in the unit of crossings */
    int sample[CORNERS_MAX];    /* the bit of a case that says the corner is solid */
    int edge[EDGES_MAX][2];     /* lower and upper end, numbered as in the drawing */
    int face_corner_count[FACES_MAX];
    int face[FACES_MAX][FACE_CORNERS_MAX]; /* corners, counter-clockwise from outside */
    unsigned faces_without_diagonal;       /* bit f: face f takes no diagonal */
    unsigned ring_case; /* the case whose two loops bound one ring; 0, which has none, for no such case */
    /* The cell's field where solid corners are -1 and the others +1, times a positive constant, at p / (3 *
     * SIDE). */
    int64_t (*field)(unsigned signs, struct point p);
};

struct loops {
    int count;
    int length[LOOPS_MAX];
    int edge[LOOPS_MAX][EDGES_MAX];
    bool bound_ring; /* the two loops bound one ring, else each bounds a disk */
};

struct triangles {
    int count;
    int edge[TRIANGLES_MAX][3];
};

extern const struct cell regular_cell, transition_cell;

/* Ends the program. */
_Noreturn void fail(const char *what, unsigned number);

bool is_solid(const struct cell *cell, unsigned signs, int corner);
void trace_loops(const struct cell *cell, unsigned signs, struct loops *loops);

/* Builds candidate `rank` of candidate_count(); false where that number stands for none. */
unsigned candidate_count(const struct loops *loops);
bool build_candidate(const struct loops *loops, unsigned rank, struct triangles *out);

bool no_diagonal_on_face(const struct cell *cell, const struct loops *loops,
                         const struct triangles *triangles);
bool none_inverted(const struct cell *cell, unsigned signs, const struct triangles *triangles);
bool none_cross(const struct cell *cell, const struct triangles *triangles);

#endif
