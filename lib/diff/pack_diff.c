/* See pack_diff.h. Both tables are in one order, so they are walked side by side; tiles that both have are decoded and compared. */
#include "lib/diff/pack_diff.h"
#include "lib/base/alloc.h"
#include <stdlib.h>
#include <string.h>

/* The packs' order: level, then z, x, y. */
static int compare_places(const struct tr_pack_tile *a, const struct tr_pack_tile *b)
{
    const int64_t left[4] = {a->lod, a->cz, a->cx, a->cy}, right[4] = {b->lod, b->cz, b->cx, b->cy};
    for (int i = 0; i < 4; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static enum tr_status tiles_equal(const struct tr_pack *a, size_t i, const struct tr_pack *b, size_t j,
                                  bool *equal, struct tr_error *error)
{
    struct tr_mesh x = {0}, y = {0};
    enum tr_status status = tr_pack_read_tile(a, i, &x, error);
    if (status == TR_OK)
        status = tr_pack_read_tile(b, j, &y, error);
    if (status == TR_OK)
        *equal = x.vertex_count == y.vertex_count && x.index_count == y.index_count &&
                 memcmp(x.vertices, y.vertices, x.vertex_count * sizeof *x.vertices) == 0 &&
                 memcmp(x.indices, y.indices, x.index_count * sizeof *x.indices) == 0;
    tr_mesh_release(&x);
    tr_mesh_release(&y);
    return status;
}

enum tr_status tr_pack_diff(const struct tr_pack *a, const struct tr_pack *b, struct tr_pack_diff *diff,
                            struct tr_error *error)
{
    size_t i = 0, j = 0;
    *diff = (struct tr_pack_diff){.equal = tr_hash_equal(a->hash, b->hash)};
    if (diff->equal)
        return TR_OK;
    if (!(diff->tiles = tr_alloc(a->tile_count + b->tile_count, sizeof *diff->tiles, error)))
        return TR_IO;
    while (i < a->tile_count || j < b->tile_count) {
        const struct tr_pack_tile *from = i < a->tile_count ? &a->tiles[i] : NULL;
        const struct tr_pack_tile *to = j < b->tile_count ? &b->tiles[j] : NULL;
        int order = !from ? 1 : (!to ? -1 : compare_places(from, to));
        const struct tr_pack_tile *place = order <= 0 ? from : to;
        bool equal = false;
        if (order == 0) {
            enum tr_status status = tiles_equal(a, i, b, j, &equal, error);
            if (status != TR_OK) {
                tr_pack_diff_release(diff);
                return status;
            }
        }
        if (!equal)
            diff->tiles[diff->count++] =
                (struct tr_tile_diff){.cx = place->cx,
                                      .cy = place->cy,
                                      .cz = place->cz,
                                      .lod = place->lod,
                                      .triangles_a = order <= 0 ? from->index_count / 3 : 0,
                                      .triangles_b = order >= 0 ? to->index_count / 3 : 0};
        i += order <= 0;
        j += order >= 0;
    }
    return TR_OK;
}

void tr_pack_diff_release(struct tr_pack_diff *diff)
{
    free(diff->tiles);
    *diff = (struct tr_pack_diff){0};
}
