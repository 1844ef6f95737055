/* The rules of a pack's header and table that hold for writing and reading alike (FORMAT.md, "Limits"). */
#include "lib/pack/pack_format.h"

#include "lib/world/world.h"

#include <inttypes.h>
#include <math.h>

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int tr_pack_tile_compare(const struct tr_pack_tile *a, const struct tr_pack_tile *b)
{
    if (a->lod != b->lod)
        return compare(a->lod, b->lod);
    if (a->cz != b->cz)
        return compare(a->cz, b->cz);
    if (a->cx != b->cx)
        return compare(a->cx, b->cx);
    return compare(a->cy, b->cy);
}

enum tr_status tr_pack_info_check(const struct tr_pack_info *info, const char *path, struct tr_error *error)
{
    if (!tr_world_size_is_valid(info->size_x, info->size_z))
        return tr_fail(
            error, TR_BAD_INPUT,
            "\"%s\": header at byte 12: %d x %d chunks, expected at least 1 each and at most %d in all", path,
            info->size_x, info->size_z, TR_WORLD_CHUNKS_MAX);
    if (!isfinite(info->voxel_size) || info->voxel_size <= 0)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte 24: voxel size %g, expected a number above 0", path,
                       info->voxel_size);
    return TR_OK;
}

enum tr_status tr_pack_tile_check(const struct tr_pack_tile *tile, const char *path, uint64_t at_byte,
                                  struct tr_error *error)
{
    if (tile->lod > TR_PACK_LOD_MAX)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64 ": level of detail %u, expected 0 to %d", path,
                       at_byte, tile->lod, TR_PACK_LOD_MAX);
    if (tile->vertex_count < 3 || tile->vertex_count > TR_PACK_TILE_VERTICES_MAX)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": tile at byte %" PRIu64 ": %u vertices, expected 3 to %u",
                       path, at_byte, tile->vertex_count, TR_PACK_TILE_VERTICES_MAX);
    if (tile->index_count < 3 || tile->index_count > TR_PACK_TILE_INDICES_MAX || tile->index_count % 3 != 0)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64 ": %u indices, expected a multiple of 3, 3 to %u",
                       path, at_byte, tile->index_count, TR_PACK_TILE_INDICES_MAX);
    for (int axis = 0; axis < 3; axis++) {
        if (tile->lo[axis] < 0 || tile->lo[axis] > tile->hi[axis] ||
            tile->hi[axis] > tr_pack_tile_units(tile->lod))
            return tr_fail(error, TR_BAD_INPUT,
                           "\"%s\": tile at byte %" PRIu64
                           ": %c from %d to %d, expected them inside 0 to %" PRId64,
                           path, at_byte, "xyz"[axis], tile -> lo[axis], tile -> hi[axis],
                           tr_pack_tile_units(tile->lod));
    }
    return TR_OK;
}

enum tr_status tr_pack_tile_check_place(const struct tr_pack_info *info, const struct tr_pack_tile *tile,
                                        const char *path, uint64_t at_byte, struct tr_error *error)
{
    int64_t units = tr_pack_tile_units(tile->lod), chunk_units = tr_pack_tile_units(0);
    int row_min =
            (int)tr_floor_div(TR_BLOCK_ROW_MIN - 1, 1 << tile->lod), /* cells below the lowest samples */
        row_max = TR_BLOCK_ROW_MAX >> tile->lod;

    if (tile->cy < row_min || tile->cy > row_max)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": tile at byte %" PRIu64 ": row %d, expected %d to %d",
                       path, at_byte, tile->cy, row_min, row_max);
    if (tile->cx < 0 || tile->cz < 0 || tile->cx * units + tile->hi[0] > info->size_x * chunk_units ||
        tile->cz * units + tile->hi[2] > info->size_z * chunk_units)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64
                       ": tile (%d, %d) of level %u reaches out of the world of %d x %d "
                       "chunks",
                       path, at_byte, tile->cx, tile->cz, tile->lod, info->size_x, info->size_z);
    return TR_OK;
}
