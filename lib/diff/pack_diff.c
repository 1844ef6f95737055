/* See pack_diff.h. Both tables are in one order, so they are walked side by side; tiles that both have are decoded and compared in all that
 * they hold. */
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

/* What the tables say of two tiles of one place. Sizes and offsets of compressed streams are no difference. */
static bool entries_equal(const struct tr_pack_tile *a, const struct tr_pack_tile *b)
{
    return a->kind == b->kind && memcmp(a->states, b->states, sizeof a->states) == 0 &&
           a->vertex_count == b->vertex_count && a->index_count == b->index_count &&
           a->move_count == b->move_count && a->part_count == b->part_count &&
           a->has_materials == b->has_materials && a->has_targets == b->has_targets &&
           a->has_weights == b->has_weights && a->error == b->error;
}

static bool parts_equal(const struct tr_tile_mesh *a, const struct tr_tile_mesh *b)
{
    for (size_t i = 0; i < a->part_count; i++) {
        const struct tr_tile_part *p = &a->parts[i], *q = &b->parts[i];
        if (memcmp(p->states, q->states, sizeof p->states) != 0 || p->face != q->face ||
            p->index_count != q->index_count)
            return false;
    }
    return true;
}

/* Arrays of `count` that both have or both lack. */
static bool arrays_equal(const void *a, const void *b, size_t count, size_t size_bytes)
{
    return !a || memcmp(a, b, count * size_bytes) == 0;
}

/* Of tiles whose entries are equal. */
static bool meshes_equal(const struct tr_tile_mesh *a, const struct tr_tile_mesh *b)
{
    const size_t count = a->vertex_count;
    return arrays_equal(a->vertices, b->vertices, count, sizeof *a->vertices) &&
           arrays_equal(a->materials, b->materials, count, sizeof *a->materials) &&
           arrays_equal(a->targets, b->targets, count, sizeof *a->targets) &&
           arrays_equal(a->weights, b->weights, count, sizeof *a->weights) &&
           arrays_equal(a->indices, b->indices, a->index_count, sizeof *a->indices) &&
           arrays_equal(a->moves, b->moves, a->move_count, sizeof *a->moves) && parts_equal(a, b);
}

static enum tr_status tiles_equal(const struct tr_pack *a, size_t i, const struct tr_pack *b, size_t j,
                                  bool *equal, struct tr_error *error)
{
    struct tr_tile_mesh x = {0}, y = {0};
    enum tr_status status;
    *equal = entries_equal(&a->tiles[i], &b->tiles[j]);
    if (!*equal)
        return TR_OK;
    status = tr_pack_read_tile(a, i, &x, error);
    if (status == TR_OK)
        status = tr_pack_read_tile(b, j, &y, error);
    if (status == TR_OK)
        *equal = meshes_equal(&x, &y);
    tr_tile_mesh_release(&x);
    tr_tile_mesh_release(&y);
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
