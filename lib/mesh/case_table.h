/* The table of the regular cell: for each of the 256 cases its triangles, as edge numbers of shaders/cell.h.
 *
 * Nothing here is typed by hand: lib/mesh/gen derives it when the program is built (rules there), and
 * tests/unit/case_table_test.c proves it. Triangles wind counter-clockwise seen from the air. */
#ifndef TR_MESH_CASE_TABLE_H
#define TR_MESH_CASE_TABLE_H

#include "shaders/cell.h"

extern const tr_case_packed tr_case_table[256];

#endif
