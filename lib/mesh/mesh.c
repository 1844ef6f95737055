/* A mesh: what every mesher fills and the caller releases. */
#include "lib/mesh/mesh.h"

#include <stdlib.h>

void tr_mesh_release(struct tr_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (struct tr_mesh){0};
}
