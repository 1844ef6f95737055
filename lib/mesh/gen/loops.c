/* Contours and loops.
 *
 * On each face, looked at from outside with its corners counter-clockwise, every run of solid corners has one
 * contour segment, from the edge where the run begins to the edge where it ends. So solid corners are apart
 * on an ambiguous face, and what a face shows depends on its own signs only, which is why neighbouring cells
 * agree.
 *
 *        air--^--solid
 *         |   |    |        The segments of all faces link into loops. A surface filled into them has
 *        air--|--solid      triangles that are counter-clockwise seen from the air. */
#include "lib/mesh/gen/case_gen.h"

bool is_solid(const struct cell *cell, unsigned signs, int corner)
{
    return signs >> cell->sample[corner] & 1;
}

static int edge_between(const struct cell *cell, int corner_a, int corner_b)
{
    for (int e = 0; e < cell->edge_count; e++) {
        if ((cell->edge[e][0] == corner_a && cell->edge[e][1] == corner_b) ||
            (cell->edge[e][0] == corner_b && cell->edge[e][1] == corner_a))
            return e;
    }
    fail("no edge from corner", (unsigned)corner_a);
}

/* Writes the contour of face f into next[]: the crossing that follows a crossing on it. */
static void face_contour(const struct cell *cell, int f, unsigned signs, int next[EDGES_MAX])
{
    const int *face = cell->face[f];
    int n = cell->face_corner_count[f];

    for (int i = 0; i < n; i++) {
        int before = face[(i + n - 1) % n];
        int last = i;

        if (!is_solid(cell, signs, face[i]) || is_solid(cell, signs, before))
            continue;
        while (is_solid(cell, signs, face[(last + 1) % n]))
            last = (last + 1) % n;
        next[edge_between(cell, before, face[i])] = edge_between(cell, face[last], face[(last + 1) % n]);
    }
}

/* A crossed edge lies on two faces; a contour begins at it on one and ends at it on the other. So next[] is a
 * permutation of the crossed edges and its cycles are the loops. They are ordered by their lowest edge and
 * begin with it. */
void trace_loops(const struct cell *cell, unsigned signs, struct loops *loops)
{
    int next[EDGES_MAX];
    bool seen[EDGES_MAX] = {false};

    for (int e = 0; e < EDGES_MAX; e++)
        next[e] = -1;
    for (int f = 0; f < cell->face_count; f++)
        face_contour(cell, f, signs, next);

    loops->count = 0;
    for (int first = 0; first < cell->edge_count; first++) {
        int length = 0;

        if (next[first] < 0 || seen[first])
            continue;
        for (int e = first; !seen[e]; e = next[e]) {
            seen[e] = true;
            loops->edge[loops->count][length++] = e;
        }
        loops->length[loops->count++] = length;
    }
    loops->bound_ring = cell->ring_case && signs == cell->ring_case;
    if (loops->bound_ring && loops->count != 2)
        fail("loops of the ring", (unsigned)loops->count);
}
