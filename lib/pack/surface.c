/* The welded surface: tiles of a pack as one mesh.
 *
 * Tiles overlap in nothing but their sides' planes, so only vertices there can have equals in another tile, of whatever level and kind, and
 * only those are sorted. Within a tile a transition's vertices can have equals too, and all lie in such a plane. Equal means equal in units
 * of the world, never near. */
#include "lib/pack/export_parts.h"

#include "lib/base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VERTICES_MAX (INT32_MAX - 4) /* signed indices can number them and a floor's four */

struct border_vertex {
    int32_t xyz[3];
    uint32_t index;
};

struct border {
    struct border_vertex *vertices;
    size_t count, capacity;
};

void tr_surface_release(struct tr_surface *surface)
{
    free(surface->xyz);
    free(surface->normals);
    free(surface->indices);
    *surface = (struct tr_surface){0};
}

/* A height tile has sides along x and z only: it is as high as its column. */
static bool is_on_border(const tr_vertex *vertex, enum tr_tile_kind kind, int32_t units)
{
    return vertex->x == 0 || vertex->z == 0 || vertex->x == units || vertex->z == units ||
           (kind == TR_TILE_MARCHED && (vertex->y == 0 || vertex->y == units));
}

static enum tr_status append_vertices(struct tr_surface *surface, struct border *border,
                                      const struct tr_pack_tile *tile, const struct tr_mesh *mesh,
                                      struct tr_error *error)
{
    int32_t units = (int32_t)tr_pack_tile_units(tile->lod);
    const int32_t corner[3] = {tile->cx * units, tile->cy * units, tile->cz * units};
    size_t needed = surface->vertex_count + mesh->vertex_count;
    enum tr_status status =
        tr_grow(&surface->xyz, &surface->xyz_capacity, needed, sizeof *surface->xyz, error);

    if (status == TR_OK)
        status =
            tr_grow(&surface->normals, &surface->normal_capacity, needed, sizeof *surface->normals, error);
    for (size_t i = 0; i < mesh->vertex_count && status == TR_OK; i++) {
        const tr_vertex *vertex = &mesh->vertices[i];
        const int32_t xyz[3] = {corner[0] + vertex->x, corner[1] + vertex->y, corner[2] + vertex->z};

        memcpy(surface->xyz[surface->vertex_count + i], xyz, sizeof xyz);
        surface->normals[surface->vertex_count + i] = vertex->normal;
        if (!is_on_border(vertex, tile->kind, units))
            continue;
        status =
            tr_grow(&border->vertices, &border->capacity, border->count + 1, sizeof *border->vertices, error);
        if (status == TR_OK)
            border->vertices[border->count++] = (struct border_vertex){
                .xyz = {xyz[0], xyz[1], xyz[2]}, .index = (uint32_t)(surface->vertex_count + i)};
    }
    return status;
}

static enum tr_status append_tile(struct tr_surface *surface, struct border *border,
                                  const struct tr_pack *pack, size_t i, struct tr_error *error)
{
    struct tr_mesh mesh = {0};
    enum tr_status status = tr_pack_read_mesh(pack, i, &mesh, error);

    if (status == TR_OK)
        status = append_vertices(surface, border, &pack->tiles[i], &mesh, error);
    if (status == TR_OK)
        status = tr_grow(&surface->indices, &surface->index_capacity, surface->index_count + mesh.index_count,
                         sizeof *surface->indices, error);
    if (status == TR_OK) {
        for (size_t k = 0; k < mesh.index_count; k++)
            surface->indices[surface->index_count + k] = (uint32_t)surface->vertex_count + mesh.indices[k];
        surface->vertex_count += mesh.vertex_count;
        surface->index_count += mesh.index_count;
    }
    tr_mesh_release(&mesh);
    return status;
}

static int border_compare(const void *a, const void *b)
{
    const struct border_vertex *va = a, *vb = b;

    for (int axis = 0; axis < 3; axis++) {
        if (va->xyz[axis] != vb->xyz[axis])
            return va->xyz[axis] < vb->xyz[axis] ? -1 : 1;
    }
    return (va->index > vb->index) - (va->index < vb->index);
}

/* Moves each vertex that is the first of its position to its new place, and points the indices there. */
static enum tr_status weld(struct tr_surface *surface, struct border *border, struct tr_error *error)
{
    uint32_t *to = tr_alloc(surface->vertex_count, sizeof *to, error);
    size_t kept = 0;

    if (!to)
        return TR_IO;
    for (size_t i = 0; i < surface->vertex_count; i++)
        to[i] = (uint32_t)i;
    if (border->count > 0)
        qsort(border->vertices, border->count, sizeof *border->vertices, border_compare);
    for (size_t i = 1; i < border->count; i++) {
        const struct border_vertex *before = &border->vertices[i - 1], *vertex = &border->vertices[i];

        if (memcmp(before->xyz, vertex->xyz, sizeof vertex->xyz) == 0)
            to[vertex->index] = to[before->index];
    }
    /* an equal vertex comes after the first of its position, so to[to[i]] already is that one's new place */
    for (size_t i = 0; i < surface->vertex_count; i++) {
        if (to[i] != i) {
            to[i] = to[to[i]];
            continue;
        }
        memmove(surface->xyz[kept], surface->xyz[i], sizeof surface->xyz[i]);
        surface->normals[kept] = surface->normals[i];
        to[i] = (uint32_t)kept++;
    }
    for (size_t k = 0; k < surface->index_count; k++)
        surface->indices[k] = to[surface->indices[k]];
    surface->vertex_count = kept;
    free(to);
    return TR_OK;
}

enum tr_status tr_surface_read(struct tr_surface *surface, const struct tr_pack *pack,
                               struct tr_tile_range tiles, struct tr_error *error)
{
    struct border border = {0};
    uint64_t vertex_count = 0;
    enum tr_status status = TR_OK;

    *surface = (struct tr_surface){0};
    for (size_t i = 0; i < tiles.count; i++)
        vertex_count += pack->tiles[tiles.first + i].vertex_count;
    if (vertex_count > VERTICES_MAX)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": %" PRIu64 " vertices, expected at most %d in one file",
                       pack->path, vertex_count, VERTICES_MAX);
    for (size_t i = 0; i < tiles.count && status == TR_OK; i++)
        status = append_tile(surface, &border, pack, tiles.first + i, error);
    if (status == TR_OK)
        status = weld(surface, &border, error);
    free(border.vertices);
    if (status != TR_OK)
        tr_surface_release(surface);
    return status;
}
