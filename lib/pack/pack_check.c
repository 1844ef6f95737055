/* The verification of a pack: every byte of it through the reader, then its tiles together through the check of meshes.
 *
 * What the reader refuses (damage, numbers out of the format) is an error and ends the verification: the pack cannot be read. What can
 * be read and is wrong (indices, bounds, the hash, a mesh that is not closed) is counted, so that all of it is reported at once. */
#include "lib/pack/pack_check.h"

#include "lib/base/alloc.h"
#include "lib/pack/pack_format.h"

#include <stdlib.h>

/* Vertices outside the tile's stated bounds. Bounds wider than the vertices count as one. */
static uint64_t count_out_of_bounds(const struct tr_pack_tile *tile, const struct tr_mesh *mesh)
{
    int32_t lo[3], hi[3];
    uint64_t count = 0;
    bool exact = true;

    tr_pack_mesh_bounds(mesh, lo, hi);
    for (int axis = 0; axis < 3; axis++)
        exact = exact && lo[axis] == tile->lo[axis] && hi[axis] == tile->hi[axis];
    if (exact)
        return 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const tr_vertex *v = &mesh->vertices[i];

        count += v->x < tile->lo[0] || v->x > tile->hi[0] || v->y < tile->lo[1] || v->y > tile->hi[1] ||
                 v->z < tile->lo[2] || v->z > tile->hi[2];
    }
    return count > 0 ? count : 1;
}

static enum tr_status add_mesh(struct tr_check *check, const struct tr_pack_tile *tile,
                               const struct tr_mesh *mesh, struct tr_error *error)
{
    int64_t units = tr_pack_tile_units(tile->lod);
    int64_t *xyz = tr_alloc(mesh->vertex_count, 3 * sizeof *xyz, error);
    enum tr_status status;

    if (!xyz)
        return TR_IO;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        xyz[3 * i] = tile->cx * units + mesh->vertices[i].x;
        xyz[3 * i + 1] = tile->cy * units + mesh->vertices[i].y;
        xyz[3 * i + 2] = tile->cz * units + mesh->vertices[i].z;
    }
    status = tr_check_add(check, xyz, mesh->vertex_count, mesh->indices, mesh->index_count, error);
    free(xyz);
    return status;
}

static enum tr_status verify_tile(const struct tr_pack *pack, size_t i, struct tr_check *check,
                                  struct tr_pack_report *report, struct tr_error *error)
{
    struct tr_mesh mesh = {0};
    uint64_t bad_indices, out_of_bounds;
    enum tr_status status = tr_pack_read_raw(pack, i, &mesh, error);

    if (status != TR_OK)
        return status;
    bad_indices = tr_pack_mesh_bad_indices(&mesh);
    out_of_bounds = count_out_of_bounds(&pack->tiles[i], &mesh);
    report->bad_indices += bad_indices;
    report->out_of_bounds += out_of_bounds;
    if (bad_indices == 0 && out_of_bounds == 0)
        status = add_mesh(check, &pack->tiles[i], &mesh, error);
    tr_mesh_release(&mesh);
    return status;
}

static bool report_is_good(const struct tr_pack_report *report)
{
    const struct tr_check_result *mesh = &report->mesh;

    return report->hash_matches && report->bad_indices == 0 && report->out_of_bounds == 0 &&
           mesh->open_edges == 0 && mesh->crowded_edges == 0 && mesh->duplicates == 0 &&
           mesh->degenerates == 0 && mesh->pinches == 0;
}

enum tr_status tr_pack_verify(const struct tr_pack *pack, struct tr_pack_report *report, bool *good,
                              struct tr_error *error)
{
    const int64_t lo[2] = {0, 0};
    const int64_t hi[2] = {pack->info.size_x * tr_pack_tile_units(0),
                           pack->info.size_z * tr_pack_tile_units(0)};
    struct tr_check *check = NULL;
    struct tr_hash hash;
    enum tr_status status;

    *report = (struct tr_pack_report){0};
    *good = false;
    status = tr_check_create(lo, hi, &check, error);
    for (size_t i = 0; i < pack->tile_count && status == TR_OK; i++)
        status = verify_tile(pack, i, check, report, error);
    if (status == TR_OK)
        status = tr_check_finish(check, &report->mesh, error);
    /* each tile was found to have the hash that the table gives it */
    if (status == TR_OK)
        status =
            tr_pack_hash_tiles(&pack->info, pack->tiles, tr_pack_sums(pack), pack->tile_count, &hash, error);
    if (status == TR_OK) {
        report->hash_matches = tr_hash_equal(hash, pack->hash);
        *good = report_is_good(report);
    }
    tr_check_free(check);
    return status;
}
