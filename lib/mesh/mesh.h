/* A plain mesh: what every mesher fills, and its reader releases. */
#ifndef TR_MESH_MESH_H
#define TR_MESH_MESH_H

#include "shaders/cell.h"

/* Zero is empty. */
struct tr_mesh {
    tr_vertex *vertices;
    uint32_t *indices; /* 3 a triangle, each < vertex_count */
    uint32_t vertex_count, index_count;
};
void tr_mesh_release(struct tr_mesh *mesh);

#endif
