/* The rules of a pack that hold for writing and reading alike: header, table and the arrays of a tile (FORMAT.md, "Limits"). */
#include "lib/pack/pack_format.h"

#include "lib/world/world.h"
#include "shaders/exact.h"

#include <inttypes.h>
#include <math.h>

#define HEIGHTS_TOP ((1 << 25) - 1) /* from the lowest row's bottom to TR_PACK_HEIGHT_MAX */

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
    if (info->form != TR_PACK_WINDOW && info->form != TR_PACK_ALL_LODS)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte 12: form %u, expected 0 (a window) or 1 (all levels)", path,
                       (unsigned)info->form);
    if (!tr_world_size_is_valid(info->size_x, info->size_z))
        return tr_fail(
            error, TR_BAD_INPUT,
            "\"%s\": header at byte 16: %d x %d chunks, expected at least 1 each and at most %d in all", path,
            info->size_x, info->size_z, TR_WORLD_CHUNKS_MAX);
    if (!isfinite(info->voxel_size) || info->voxel_size <= 0)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": header at byte 32: voxel size %g, expected a number above 0", path,
                       info->voxel_size);
    return TR_OK;
}

/* ---- one entry ---- */

static const char *const side_names[TR_SIDES] = {"-x", "+x", "-y", "+y", "-z", "+z"};

/* Sets of states, by number, as errors name them. */
static const char *const state_names[] = {"none",    "same",          "finer",          "same, finer",
                                          "coarser", "same, coarser", "finer, coarser", "any"};

static enum tr_status check_counts(const struct tr_pack_tile *tile, const char *path, uint64_t at_byte,
                                   struct tr_error *error)
{
    const bool is_heights = tile->kind == TR_TILE_HEIGHTS;
    const uint32_t vertices_max = is_heights ? TR_PACK_HEIGHTS_VERTICES_MAX : TR_PACK_MARCHED_VERTICES_MAX,
                   indices_max = is_heights ? TR_PACK_HEIGHTS_INDICES_MAX : TR_PACK_MARCHED_INDICES_MAX;
    const uint32_t moves_max = is_heights || tile->lod == 0 ? 0 : 2 * tile->vertex_count;

    if (tile->vertex_count < 3 || tile->vertex_count > vertices_max)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": tile at byte %" PRIu64 ": %u vertices, expected 3 to %u",
                       path, at_byte, tile->vertex_count, vertices_max);
    if (tile->index_count < 3 || tile->index_count > indices_max || tile->index_count % 3 != 0)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64 ": %u indices, expected a multiple of 3, 3 to %u",
                       path, at_byte, tile->index_count, indices_max);
    if (tile->move_count > moves_max)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": tile at byte %" PRIu64 ": %u moves, expected at most %u",
                       path, at_byte, tile->move_count, moves_max);
    if (tile->part_count < 1 || tile->part_count > TR_PACK_PARTS_MAX)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": tile at byte %" PRIu64 ": %u parts, expected 1 to %u",
                       path, at_byte, tile->part_count, TR_PACK_PARTS_MAX);
    return TR_OK;
}

static enum tr_status check_bounds(const struct tr_pack_tile *tile, const char *path, uint64_t at_byte,
                                   struct tr_error *error)
{
    const int32_t units = (int32_t)tr_pack_tile_units(tile->lod);

    for (int axis = 0; axis < 3; axis++) {
        const int32_t top = axis == 1 && tile->kind == TR_TILE_HEIGHTS ? HEIGHTS_TOP : units;

        if (tile->lo[axis] < 0 || tile->lo[axis] > tile->hi[axis] || tile->hi[axis] > top)
            return tr_fail(error, TR_BAD_INPUT,
                           "\"%s\": tile at byte %" PRIu64 ": %c from %d to %d, expected them inside 0 to %d",
                           path, at_byte, (char)('x' + axis), tile->lo[axis], tile->hi[axis], top);
    }
    if (tile->kind == TR_TILE_HEIGHTS && tile->lo[1] >= units)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64
                       ": y from %d up, expected less than %d: its row is that of its lowest vertex",
                       path, at_byte, tile->lo[1], units);
    return TR_OK;
}

/* States that no side can have at the tile's level, wherever it lies. */
static enum tr_status check_states(const struct tr_pack_tile *tile, const char *path, uint64_t at_byte,
                                   struct tr_error *error)
{
    const uint8_t possible = (uint8_t)(TR_SIDE_SAME | (tile->lod > 0 ? TR_SIDE_FINER : 0) |
                                       (tile->lod < TR_LOD_MAX ? TR_SIDE_COARSER : 0));

    for (int side = 0; side < TR_SIDES; side++) {
        const uint8_t allowed = side / 2 == 1 ? TR_SIDE_SAME : possible;

        if (tile->states[side] == 0 || (tile->states[side] & ~allowed) != 0)
            return tr_fail(error, TR_BAD_INPUT,
                           "\"%s\": tile at byte %" PRIu64 ": states of side %s are {%s}, expected of {%s}",
                           path, at_byte, side_names[side], state_names[tile->states[side] & TR_SIDE_ANY],
                           state_names[allowed]);
    }
    return TR_OK;
}

enum tr_status tr_pack_tile_check(const struct tr_pack_tile *tile, const char *path, uint64_t at_byte,
                                  struct tr_error *error)
{
    enum tr_status status;

    if (tile->lod > TR_LOD_MAX)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64 ": level of detail %u, expected 0 to %d", path,
                       at_byte, tile->lod, TR_LOD_MAX);
    if (tile->kind != TR_TILE_MARCHED && tile->kind != TR_TILE_HEIGHTS)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64
                       ": kind %u, expected 0 (marching cubes) or 1 (heights)",
                       path, at_byte, (unsigned)tile->kind);
    if (tile->has_targets && tile->lod == TR_LOD_MAX)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64
                       ": targets at level %u, expected none: there is no coarser one",
                       path, at_byte, tile->lod);
    status = check_states(tile, path, at_byte, error);
    if (status == TR_OK)
        status = check_counts(tile, path, at_byte, error);
    if (status == TR_OK)
        status = check_bounds(tile, path, at_byte, error);
    return status;
}

/* ---- its place ---- */

static enum tr_status check_row(const struct tr_pack_tile *tile, const char *path, uint64_t at_byte,
                                struct tr_error *error)
{
    const int64_t corner = tile->cy * tr_pack_tile_units(tile->lod);
    /* marching cubes also mesh the cells below the lowest samples */
    const int32_t lowest = tile->kind == TR_TILE_MARCHED ? TR_BLOCK_ROW_MIN - 1 : TR_BLOCK_ROW_MIN,
                  row_min = (int32_t)tr_floor_div(lowest, 1 << tile->lod),
                  row_max = TR_BLOCK_ROW_MAX >> tile->lod;

    if (tile->cy < row_min || tile->cy > row_max)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": tile at byte %" PRIu64 ": row %d, expected %d to %d",
                       path, at_byte, tile->cy, row_min, row_max);
    if (tile->kind == TR_TILE_HEIGHTS &&
        (corner + tile->lo[1] < -TR_PACK_HEIGHT_MAX || corner + tile->hi[1] > TR_PACK_HEIGHT_MAX))
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64 ": heights from %" PRId64 " to %" PRId64
                       ", expected them inside %d to %d",
                       path, at_byte, corner + tile->lo[1], corner + tile->hi[1], -TR_PACK_HEIGHT_MAX,
                       TR_PACK_HEIGHT_MAX);
    return TR_OK;
}

/* The states that a side may have where the tile lies, as FORMAT.md, "States": at the world's edge, and towards the tile with which it makes
 * up one of the next level, there is no choice of a coarser one. */
static uint8_t states_beside(const struct tr_pack_info *info, const struct tr_pack_tile *tile, int side)
{
    const bool is_x = side < 2, is_upper = side % 2 == 1;
    const int32_t at = is_x ? tile->cx : tile->cz, size = is_x ? info->size_x : info->size_z;
    const bool has_sibling = at % 2 == (is_upper ? 0 : 1);

    if (side / 2 == 1 || at == (is_upper ? tr_columns_along(size, tile->lod) - 1 : 0))
        return TR_SIDE_SAME;
    return (uint8_t)(TR_SIDE_SAME | (tile->lod > 0 ? TR_SIDE_FINER : 0) |
                     (tile->lod < TR_LOD_MAX && !has_sibling ? TR_SIDE_COARSER : 0));
}

static bool are_states_of_form(enum tr_pack_form form, uint8_t states, uint8_t possible)
{
    if ((states & ~possible) != 0)
        return false;
    if (form == TR_PACK_WINDOW)
        return states == TR_SIDE_SAME || states == TR_SIDE_FINER || states == TR_SIDE_COARSER;
    return (states | TR_SIDE_COARSER) == (possible | TR_SIDE_COARSER);
}

static enum tr_status check_states_place(const struct tr_pack_info *info, const struct tr_pack_tile *tile,
                                         const char *path, uint64_t at_byte, struct tr_error *error)
{
    for (int side = 0; side < TR_SIDES; side++) {
        const uint8_t possible = states_beside(info, tile, side);

        if (!are_states_of_form(info->form, tile->states[side], possible))
            return tr_fail(error, TR_BAD_INPUT,
                           "\"%s\": tile at byte %" PRIu64
                           ": states of side %s are {%s}, expected %s {%s} in a pack of %s",
                           path, at_byte, side_names[side], state_names[tile->states[side] & TR_SIDE_ANY],
                           info->form == TR_PACK_WINDOW ? "one of" : "all but `coarser` of",
                           state_names[possible], info->form == TR_PACK_WINDOW ? "a window" : "all levels");
    }
    if (info->form == TR_PACK_WINDOW && tile->move_count > 0)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64 ": %u moves, expected none in a window", path, at_byte,
                       tile->move_count);
    return TR_OK;
}

enum tr_status tr_pack_tile_check_place(const struct tr_pack_info *info, const struct tr_pack_tile *tile,
                                        const char *path, uint64_t at_byte, struct tr_error *error)
{
    const int64_t units = tr_pack_tile_units(tile->lod), chunk_units = tr_pack_tile_units(0);
    enum tr_status status = check_row(tile, path, at_byte, error);

    if (status != TR_OK)
        return status;
    /* a tile beyond the world has no width there, even where its vertices lie in its side */
    if (tile->cx < 0 || tile->cz < 0 || tile->cx >= tr_columns_along(info->size_x, tile->lod) ||
        tile->cz >= tr_columns_along(info->size_z, tile->lod) ||
        tile->cx * units + tile->hi[0] > info->size_x * chunk_units ||
        tile->cz * units + tile->hi[2] > info->size_z * chunk_units)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": tile at byte %" PRIu64
                       ": tile (%d, %d) of level %u reaches out of the world of %d x %d chunks",
                       path, at_byte, tile->cx, tile->cz, tile->lod, info->size_x, info->size_z);
    return check_states_place(info, tile, path, at_byte, error);
}

/* ---- the arrays ---- */

static const char *vertices_fault(const struct tr_tile_mesh *mesh)
{
    bool is_valid = true;

    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const uint32_t normal = mesh->vertices[i].normal;

        is_valid = is_valid && (normal & 0xffffu) != 0x8000u && normal >> 16 != 0x8000u;
    }
    return is_valid ? NULL : "normal of -32768, expected -32767 to 32767";
}

static const char *materials_fault(const struct tr_tile_mesh *mesh)
{
    if (!mesh->materials)
        return NULL;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (mesh->materials[i] != 0)
            return NULL;
    }
    return "materials that are all 0, expected no such stream";
}

static const char *weights_fault(const struct tr_tile_mesh *mesh)
{
    for (size_t i = 0; mesh->weights && i < mesh->vertex_count; i++) {
        const uint8_t *of = mesh->weights[i];

        if (of[0] + of[1] + of[2] + of[3] != 255)
            return "weights whose sum is not 255";
    }
    return NULL;
}

static const char *targets_fault(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh)
{
    const int64_t reach = tr_pack_target_max(tile->lod), units = tr_pack_tile_units(tile->lod);
    const bool is_heights = tile->kind == TR_TILE_HEIGHTS;
    const int64_t y_lo = is_heights ? -TR_PACK_HEIGHT_MAX - tile->cy * units : 0,
                  y_hi = is_heights ? TR_PACK_HEIGHT_MAX - tile->cy * units : units;

    for (size_t i = 0; mesh->targets && i < mesh->vertex_count; i++) {
        const int32_t *target = mesh->targets[i];
        const int64_t dx = (int64_t)target[0] - mesh->vertices[i].x,
                      dy = (int64_t)target[1] - mesh->vertices[i].y,
                      dz = (int64_t)target[2] - mesh->vertices[i].z;

        if (dx < -reach || dx > reach || dz < -reach || dz > reach ||
            (!is_heights && (dy < -reach || dy > reach)))
            return "target farther from its vertex than a cell of the next level";
        if (target[0] < 0 || target[0] > units || target[1] < y_lo || target[1] > y_hi || target[2] < 0 ||
            target[2] > units)
            return "target outside the tile";
    }
    return NULL;
}

static uint32_t finer_sides(const struct tr_pack_tile *tile)
{
    uint32_t sides = 0;

    for (int side = 0; side < TR_SIDES; side++)
        sides |= tile->states[side] & TR_SIDE_FINER ? 1u << side : 0;
    return sides;
}

static bool is_move_near(const struct tr_tile_move *move, const tr_vertex *vertex, int64_t reach)
{
    const int64_t dx = (int64_t)move->x - vertex->x, dz = (int64_t)move->z - vertex->z;

    return dx >= -reach && dx <= reach && move->y == vertex->y && dz >= -reach && dz <= reach;
}

static const char *moves_fault(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh)
{
    const uint32_t finer = finer_sides(tile);

    for (size_t i = 0; i < mesh->move_count; i++) {
        const struct tr_tile_move *move = &mesh->moves[i], *before = i > 0 ? move - 1 : NULL;
        const bool is_second = before && before->vertex == move->vertex;

        if (move->vertex >= mesh->vertex_count)
            return "move of no vertex";
        if (before && before->vertex > move->vertex)
            return "moves out of the order of their vertices";
        if (is_second && ((i > 1 && before[-1].vertex == move->vertex) || before->sides == move->sides ||
                          (before->sides & ~move->sides) != 0))
            return "moves of one vertex that are not two, the second of more sides than the first";
        if (move->sides == 0 || (move->sides & ~finer) != 0)
            return "move for a side that is never finer";
        if (!is_move_near(move, &mesh->vertices[move->vertex], tr_pack_move_max(tile->lod)))
            return "move farther than a quarter of a cell along x or z, or along y";
    }
    return NULL;
}

static const char *parts_fault(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh)
{
    uint64_t first_index = 0;
    int last_face = -1; /* of transitions */

    for (size_t i = 0; i < mesh->part_count; i++) {
        const struct tr_tile_part *part = &mesh->parts[i];

        if (part->first_index != first_index || part->index_count == 0 || part->index_count % 3 != 0)
            return "parts whose triangles do not lie one behind another";
        first_index += part->index_count;
        for (int side = 0; side < TR_SIDES; side++) {
            if (part->states[side] == 0 || (part->states[side] & ~tile->states[side]) != 0)
                return "part that is drawn in states that its tile cannot have";
        }
        if (part->face == TR_PART_SURFACE && last_face < 0)
            continue;
        if (tile->kind == TR_TILE_HEIGHTS || part->face >= TR_SIDES || part->face <= last_face)
            return "parts that are not the surface and then the transitions of marching cubes by face";
        if (part->states[part->face] != TR_SIDE_FINER)
            return "transition that is drawn where its side is not finer";
        last_face = part->face;
    }
    return first_index == mesh->index_count ? NULL : "parts that are not all triangles of their tile";
}

const char *tr_pack_mesh_fault(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh)
{
    const char *fault = vertices_fault(mesh);

    fault = fault ? fault : materials_fault(mesh);
    fault = fault ? fault : targets_fault(tile, mesh);
    fault = fault ? fault : weights_fault(mesh);
    fault = fault ? fault : moves_fault(tile, mesh);
    return fault ? fault : parts_fault(tile, mesh);
}

static void widen(int32_t lo[3], int32_t hi[3], int32_t x, int32_t y, int32_t z)
{
    const int32_t at[3] = {x, y, z};

    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = tr_imin(lo[axis], at[axis]);
        hi[axis] = tr_imax(hi[axis], at[axis]);
    }
}

void tr_pack_mesh_bounds(const struct tr_tile_mesh *mesh, int32_t lo[3], int32_t hi[3])
{
    const tr_vertex *first = &mesh->vertices[0];

    lo[0] = hi[0] = first->x;
    lo[1] = hi[1] = first->y;
    lo[2] = hi[2] = first->z;
    for (size_t i = 1; i < mesh->vertex_count; i++)
        widen(lo, hi, mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z);
    for (size_t i = 0; i < mesh->move_count; i++)
        widen(lo, hi, mesh->moves[i].x, mesh->moves[i].y, mesh->moves[i].z);
}

uint64_t tr_pack_mesh_bad_indices(const struct tr_tile_mesh *mesh)
{
    uint64_t bad = 0;

    for (size_t i = 0; i < mesh->index_count; i++)
        bad += mesh->indices[i] >= mesh->vertex_count;
    return bad;
}
