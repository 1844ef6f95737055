/* The table of the transition cell: for each of the 512 cases its triangles, as edge numbers of
 * shaders/transition.h.
 *
 * Nothing here is typed by hand: lib/mesh/gen derives it when the program is built (rules there), and
 * tests/unit/transition_table_test.c proves it. Triangles wind counter-clockwise seen from the air. */
#ifndef TR_MESH_TRANSITION_TABLE_H
#define TR_MESH_TRANSITION_TABLE_H

#include "shaders/transition.h"

extern const tr_transition_packed tr_transition_table[TR_TRANSITION_CASES];

#endif
