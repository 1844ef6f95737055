/* See pack_check.h. The check is no part of the mesher and uses none: it assembles a tile from what FORMAT.md says of moves and parts.
 *
 * What can be read and is wrong is counted, so that all of it is reported at once. Tiles are read one by one for each mesh that they are part of; of a mesh only the
 * sides of its tiles are kept until it is judged (lib/mesh/check.h). Nothing depends on the number of jobs. */
#include "lib/pack/pack_check.h"

#include "lib/base/alloc.h"
#include "lib/pack/pack_format.h"
#include "lib/world/coord.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a tile by itself ---- */

static uint64_t count_bad_normals(const struct tr_tile_mesh *mesh)
{
    uint64_t count = 0;

    for (size_t i = 0; i < mesh->vertex_count; i++)
        count += (mesh->vertices[i].normal & 0xffffu) == 0x8000u || mesh->vertices[i].normal >> 16 == 0x8000u;
    return count;
}

static uint64_t count_bad_indices(const struct tr_tile_mesh *mesh)
{
    uint64_t count = 0;

    for (size_t i = 0; i < mesh->index_count; i++)
        count += mesh->indices[i] >= mesh->vertex_count;
    return count;
}

/* Bounds while positions are added to them, and the positions outside the stated ones or the tile. */
struct bounds {
    const struct tr_pack_tile *tile;
    int32_t lo[3], hi[3];
    uint64_t outside;
};

static void bounds_add(struct bounds *bounds, int32_t x, int32_t y, int32_t z)
{
    const struct tr_pack_tile *tile = bounds->tile;
    const int64_t units = tr_pack_tile_units(tile->lod);
    const int32_t at[3] = {x, y, z};
    bool is_outside = false;

    for (int axis = 0; axis < 3; axis++) {
        const bool is_endless = axis == 1 && tile->kind == TR_TILE_HEIGHTS;

        bounds->lo[axis] = at[axis] < bounds->lo[axis] ? at[axis] : bounds->lo[axis];
        bounds->hi[axis] = at[axis] > bounds->hi[axis] ? at[axis] : bounds->hi[axis];
        is_outside = is_outside || at[axis] < tile->lo[axis] || at[axis] > tile->hi[axis] ||
                     (!is_endless && (at[axis] < 0 || at[axis] > units));
    }
    bounds->outside += is_outside;
}

static uint64_t count_out_of_bounds(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh)
{
    struct bounds bounds = {
        .tile = tile, .lo = {INT32_MAX, INT32_MAX, INT32_MAX}, .hi = {INT32_MIN, INT32_MIN, INT32_MIN}};

    for (size_t i = 0; i < mesh->vertex_count; i++)
        bounds_add(&bounds, mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z);
    for (size_t i = 0; i < mesh->move_count; i++)
        bounds_add(&bounds, mesh->moves[i].x, mesh->moves[i].y, mesh->moves[i].z);
    if (bounds.outside > 0)
        return bounds.outside;
    return memcmp(bounds.lo, tile->lo, sizeof bounds.lo) != 0 ||
           memcmp(bounds.hi, tile->hi, sizeof bounds.hi) != 0;
}

/* Along a side, where a crossing on a slanted edge goes to whole coordinates (lib/mesh/tile_mesh.c): half of 4 units, and one of rounding. */
#define SLANT_UNITS 3

static bool is_far_move(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh,
                        const struct tr_tile_move *move)
{
    const tr_vertex *vertex = &mesh->vertices[move->vertex];
    const int64_t quarter = tile->lod > 0 ? TR_UNITS / 4 << tile->lod : 0;
    const int64_t by[3] = {(int64_t)move->x - vertex->x, (int64_t)move->y - vertex->y,
                           (int64_t)move->z - vertex->z};

    for (int axis = 0; axis < 3; axis++) {
        const int64_t most_up = move->sides >> (2 * axis) & 1 ? quarter : SLANT_UNITS;
        const int64_t most_down = move->sides >> (2 * axis + 1) & 1 ? quarter : SLANT_UNITS;

        if (by[axis] > most_up || by[axis] < -most_down)
            return true;
    }
    return false;
}

/* Whether `to` lies in the closed cell of that size in which `from` lies; a position between two cells lies in both. */
static bool shares_cell(int64_t from, int64_t to, int64_t cell)
{
    const int64_t lo = tr_floor_div(from - 1, cell) * cell, hi = (tr_floor_div(from, cell) + 1) * cell;

    return to >= lo && to <= hi;
}

static uint64_t count_far_targets(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh)
{
    const int64_t cell = (int64_t)TR_UNITS << (tile->lod + 1);
    uint64_t count = 0;

    for (size_t i = 0; mesh->targets && i < mesh->vertex_count; i++) {
        const tr_vertex *vertex = &mesh->vertices[i];
        const int32_t *target = mesh->targets[i];

        count += !shares_cell(vertex->x, target[0], cell) || !shares_cell(vertex->z, target[2], cell) ||
                 (tile->kind == TR_TILE_MARCHED && !shares_cell(vertex->y, target[1], cell));
    }
    return count;
}

void tr_pack_judge_tile(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh,
                        struct tr_pack_faults *faults)
{
    faults->bad_indices += count_bad_indices(mesh);
    faults->bad_normals += count_bad_normals(mesh);
    faults->out_of_bounds += count_out_of_bounds(tile, mesh);
    for (size_t i = 0; i < mesh->move_count; i++)
        faults->far_moves += is_far_move(tile, mesh, &mesh->moves[i]);
    faults->far_targets += count_far_targets(tile, mesh);
}

/* ---- selections ---- */

enum pattern {
    WINDOW,       /* the pack as it is */
    UNIFORM,      /* one LOD */
    STRIPES_X,    /* columns with x = a (mod 2) of the LOD, others one finer */
    STRIPES_Z,    /* columns with z = b */
    COARSE_AMONG, /* columns with x = a and z = b of the LOD, others one finer */
    FINE_AMONG,   /* columns with x = a and z = b one finer, others of the LOD */
    THREE_CORNERED /* columns with x = a and z = b of the LOD, those with neither two finer, others one finer */
};

struct selection {
    enum pattern pattern;
    uint32_t lod; /* the coarsest; patterns are of its columns */
    int a, b;
};

/* The LOD at a column of the coarsest. */
static uint32_t lod_at(const struct selection *selection, int32_t x, int32_t z)
{
    const bool is_x = (x & 1) == selection->a, is_z = (z & 1) == selection->b;

    switch (selection->pattern) {
    case STRIPES_X:
        return selection->lod - !is_x;
    case STRIPES_Z:
        return selection->lod - !is_z;
    case COARSE_AMONG:
        return selection->lod - !(is_x && is_z);
    case FINE_AMONG:
        return selection->lod - (is_x && is_z);
    case THREE_CORNERED:
        return selection->lod - !is_x - !is_z;
    default:
        return selection->lod;
    }
}

static bool selects(const struct selection *selection, const struct tr_pack_tile *tile)
{
    if (selection->pattern == WINDOW)
        return true;
    if (tile->lod > selection->lod)
        return false;
    const uint32_t up = selection->lod - tile->lod;
    return lod_at(selection, tile->cx >> up, tile->cz >> up) == tile->lod;
}

/* What lies beside each side of a selected tile. */
static void find_states(const struct tr_pack_info *info, const struct selection *selection,
                        const struct tr_pack_tile *tile, uint8_t states[TR_SIDES])
{
    const int32_t columns_x = tr_columns_along(info->size_x, tile->lod),
                  columns_z = tr_columns_along(info->size_z, tile->lod);
    const uint32_t up = selection->lod - tile->lod;

    for (int side = 0; side < TR_SIDES; side++) {
        const int32_t step = side % 2 ? 1 : -1;
        const int32_t x = tile->cx + (side / 2 == 0 ? step : 0), z = tile->cz + (side / 2 == 2 ? step : 0);

        states[side] = TR_SIDE_SAME;
        if (side / 2 == 1 || x < 0 || z < 0 || x >= columns_x || z >= columns_z)
            continue;
        const uint32_t beside = lod_at(selection, x >> up, z >> up);
        if (beside != tile->lod)
            states[side] = beside < tile->lod ? TR_SIDE_FINER : TR_SIDE_COARSER;
    }
}

static void name_selection(const struct selection *s, char name[TR_PACK_SELECTION_TEXT_BYTES])
{
    const uint32_t k = s->lod;
    const size_t size = TR_PACK_SELECTION_TEXT_BYTES;

    switch (s->pattern) {
    case WINDOW:
        name[0] = '\0';
        break;
    case UNIFORM:
        snprintf(name, size, "LOD %" PRIu32, k);
        break;
    case STRIPES_X:
    case STRIPES_Z: {
        const bool is_x = s->pattern == STRIPES_X;
        const int first = is_x ? s->a : s->b;

        snprintf(name, size, "LOD %" PRIu32 " and %" PRIu32 " by turns along %c", k - (uint32_t)first,
                 k - (uint32_t)!first, is_x ? 'x' : 'z');
        break;
    }
    case COARSE_AMONG:
        snprintf(name, size, "columns (2i + %d, 2j + %d) of LOD %" PRIu32 " among LOD %" PRIu32, s->a, s->b,
                 k, k - 1);
        break;
    case FINE_AMONG:
        snprintf(name, size, "LOD %" PRIu32 " in columns (2i + %d, 2j + %d) of LOD %" PRIu32, k - 1, s->a,
                 s->b, k);
        break;
    case THREE_CORNERED:
        snprintf(name, size,
                 "columns (2i + %d, 2j + %d) of LOD %" PRIu32 ", LOD %" PRIu32 " across, LOD %" PRIu32
                 " between",
                 s->a, s->b, k, k - 2, k - 1);
        break;
    }
}

/* Appends a selection, if there are several columns to choose for and one for each phase that it names. */
static void list_selection(const struct tr_pack *pack, struct selection selection, struct selection *list,
                           uint32_t *count)
{
    const int32_t columns_x = tr_columns_along(pack->info.size_x, selection.lod),
                  columns_z = tr_columns_along(pack->info.size_z, selection.lod);

    if (columns_x + columns_z > 2 && selection.a < columns_x && selection.b < columns_z)
        list[(*count)++] = selection;
}

/* All selections of LOD k with finer ones. */
static void list_mixed(const struct tr_pack *pack, uint32_t k, struct selection *list, uint32_t *count)
{
    if (k < 1 || !(pack->lods >> (k - 1) & 1))
        return;
    for (int a = 0; a < 2; a++) {
        list_selection(pack, (struct selection){STRIPES_X, k, a, 0}, list, count);
        list_selection(pack, (struct selection){STRIPES_Z, k, 0, a}, list, count);
    }
    for (int phase = 0; phase < 4; phase++) {
        const int a = phase & 1, b = phase >> 1;

        list_selection(pack, (struct selection){COARSE_AMONG, k, a, b}, list, count);
        list_selection(pack, (struct selection){FINE_AMONG, k, a, b}, list, count);
        if (k >= 2 && pack->lods >> (k - 2) & 1)
            list_selection(pack, (struct selection){THREE_CORNERED, k, a, b}, list, count);
    }
}

/* The uniform ones come first: together they have each tile once. */
static uint32_t list_selections(const struct tr_pack *pack, struct selection list[TR_PACK_SELECTIONS_MAX])
{
    uint32_t count = 0;

    if (pack->info.form == TR_PACK_WINDOW) {
        list[0] = (struct selection){.pattern = WINDOW};
        return 1;
    }
    for (uint32_t k = 0; k < TR_LODS; k++)
        if (pack->lods >> k & 1)
            list[count++] = (struct selection){.pattern = UNIFORM, .lod = k};
    for (uint32_t k = 0; k < TR_LODS; k++)
        if (pack->lods >> k & 1)
            list_mixed(pack, k, list, &count);
    return count;
}

/* ---- assembling ---- */

void tr_pack_drawn_release(struct tr_pack_drawn *drawn)
{
    free(drawn->xyz);
    free(drawn->indices);
    *drawn = (struct tr_pack_drawn){0};
}

static void place_vertices(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh,
                           const uint8_t states[TR_SIDES], int64_t *xyz)
{
    const int64_t units = tr_pack_tile_units(tile->lod);
    const int64_t corner[3] = {tile->cx * units, tile->cy * units, tile->cz * units};
    uint32_t finer = 0;

    for (uint32_t side = 0; side < TR_SIDES; side++)
        finer |= (states[side] == TR_SIDE_FINER ? 1u : 0u) << side;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        xyz[3 * i] = corner[0] + mesh->vertices[i].x;
        xyz[3 * i + 1] = corner[1] + mesh->vertices[i].y;
        xyz[3 * i + 2] = corner[2] + mesh->vertices[i].z;
    }
    for (size_t i = 0; i < mesh->move_count; i++) {
        const struct tr_tile_move *move = &mesh->moves[i];

        if ((move->sides & ~finer) != 0)
            continue;
        xyz[3 * (size_t)move->vertex] = corner[0] + move->x;
        xyz[3 * (size_t)move->vertex + 1] = corner[1] + move->y;
        xyz[3 * (size_t)move->vertex + 2] = corner[2] + move->z;
    }
}

static bool is_drawn(const struct tr_tile_part *part, const uint8_t states[TR_SIDES])
{
    for (int side = 0; side < TR_SIDES; side++)
        if (!(part->states[side] & states[side]))
            return false;
    return true;
}

static bool has_equal_corners(const int64_t *xyz, const uint32_t corner[3])
{
    for (int i = 0; i < 3; i++)
        if (memcmp(xyz + 3 * (size_t)corner[i], xyz + 3 * (size_t)corner[(i + 1) % 3], 3 * sizeof *xyz) == 0)
            return true;
    return false;
}

/* may_shrink: triangles may have two equal corners by moving, and are left out then. */
static void draw_triangles(const struct tr_tile_mesh *mesh, uint32_t first_index, uint32_t index_count,
                           bool may_shrink, struct tr_pack_drawn *drawn)
{
    for (uint32_t i = 0; i < index_count; i += 3) {
        const uint32_t *corner = mesh->indices + first_index + i;

        if (corner[0] >= mesh->vertex_count || corner[1] >= mesh->vertex_count ||
            corner[2] >= mesh->vertex_count || (may_shrink && has_equal_corners(drawn->xyz, corner)))
            continue;
        memcpy(drawn->indices + drawn->index_count, corner, 3 * sizeof *corner);
        drawn->index_count += 3;
    }
}

enum tr_status tr_pack_draw(const struct tr_pack_tile *tile, const struct tr_tile_mesh *mesh,
                            const uint8_t *states, struct tr_pack_drawn *drawn, struct tr_error *error)
{
    static const uint8_t as_it_stands[TR_SIDES];

    *drawn = (struct tr_pack_drawn){.xyz = tr_alloc(mesh->vertex_count, 3 * sizeof *drawn->xyz, error),
                                    .indices = tr_alloc(mesh->index_count, sizeof *drawn->indices, error)};
    if (!drawn->xyz || !drawn->indices)
        return TR_IO;
    place_vertices(tile, mesh, states ? states : as_it_stands, drawn->xyz);
    if (!states)
        draw_triangles(mesh, 0, mesh->index_count, false, drawn);
    for (uint32_t p = 0; states && p < mesh->part_count; p++) {
        const struct tr_tile_part *part = &mesh->parts[p];

        if (is_drawn(part, states))
            draw_triangles(mesh, part->first_index, part->index_count, part->face != TR_PART_SURFACE, drawn);
    }
    return TR_OK;
}

/* A height tile is alone in its column. */
static enum tr_status add_drawn(struct tr_check *check, const struct tr_pack_tile *tile,
                                const struct tr_tile_mesh *mesh, const struct tr_pack_drawn *drawn,
                                struct tr_error *error)
{
    const int64_t units = tr_pack_tile_units(tile->lod);
    int64_t lo[3] = {tile->cx * units, tile->cy * units, tile->cz * units};
    int64_t hi[3] = {lo[0] + units, lo[1] + units, lo[2] + units};

    if (tile->kind == TR_TILE_HEIGHTS) {
        lo[1] = INT64_MIN;
        hi[1] = INT64_MAX;
    }
    return tr_check_add_tile(check, lo, hi, drawn->xyz, mesh->vertex_count, drawn->indices,
                             drawn->index_count, error);
}

/* ---- the whole ---- */

struct verification {
    const struct tr_pack *pack;
    struct tr_jobs *jobs;
    struct tr_pack_report *report;
    size_t *tiles; /* those of the selection that is assembled */
    size_t tile_count;
    const struct selection *selection;
    struct tr_check *check;
    bool judges;          /* the tiles of this selection have not been seen before */
    pthread_mutex_t lock; /* of the report's faults */
};

static void add_faults(struct verification *verification, const struct tr_pack_faults *faults)
{
    struct tr_pack_faults *sum = &verification->report->faults;

    pthread_mutex_lock(&verification->lock);
    sum->bad_indices += faults->bad_indices;
    sum->bad_normals += faults->bad_normals;
    sum->out_of_bounds += faults->out_of_bounds;
    sum->far_moves += faults->far_moves;
    sum->far_targets += faults->far_targets;
    pthread_mutex_unlock(&verification->lock);
}

static enum tr_status verify_tile(void *context, size_t index, int job, struct tr_error *error)
{
    struct verification *verification = context;
    const struct tr_pack *pack = verification->pack;
    const size_t i = verification->tiles[index];
    const struct tr_pack_tile *tile = &pack->tiles[i];
    struct tr_tile_mesh mesh = {0};
    struct tr_pack_drawn drawn = {0};
    uint8_t states[TR_SIDES];
    enum tr_status status = tr_pack_read_raw(pack, i, &mesh, error);

    (void)job;
    if (status == TR_OK && verification->judges) {
        struct tr_pack_faults faults = {0};

        tr_pack_judge_tile(tile, &mesh, &faults);
        add_faults(verification, &faults);
    }
    if (status == TR_OK) {
        const bool stands = verification->selection->pattern == WINDOW;

        if (!stands)
            find_states(&pack->info, verification->selection, tile, states);
        status = tr_pack_draw(tile, &mesh, stands ? NULL : states, &drawn, error);
        if (status == TR_OK)
            status = add_drawn(verification->check, tile, &mesh, &drawn, error);
    }
    tr_pack_drawn_release(&drawn);
    tr_tile_mesh_release(&mesh);
    return status;
}

static enum tr_status verify_tiles(struct verification *verification, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    if (verification->jobs)
        return tr_jobs_run(verification->jobs, verification->tile_count, verify_tile, verification, error);
    for (size_t i = 0; i < verification->tile_count && status == TR_OK; i++)
        status = verify_tile(verification, i, 0, error);
    return status;
}

static bool is_closed(const struct tr_check_result *mesh)
{
    return mesh->open_edges == 0 && mesh->crowded_edges == 0 && mesh->duplicates == 0 &&
           mesh->degenerates == 0 && mesh->pinches == 0;
}

/* Ground that reaches the world's sides covers the world once, seen from above, whatever hangs over; bodies that do not have a volume. */
static bool faces_out(const struct tr_pack_info *info, const struct tr_check_result *mesh)
{
    const double units = (double)tr_pack_tile_units(0);

    if (!is_closed(mesh) || mesh->triangles == 0)
        return true;
    if (mesh->side_edges == 0)
        return mesh->volume_units3 > 0;
    return mesh->cover_units2 == info->size_x * units * (info->size_z * units);
}

static enum tr_status verify_selection(struct verification *verification, const struct selection *selection,
                                       struct tr_error *error)
{
    const struct tr_pack *pack = verification->pack;
    const int64_t lo[2] = {0, 0}, hi[2] = {pack->info.size_x * tr_pack_tile_units(0),
                                           pack->info.size_z * tr_pack_tile_units(0)};
    struct tr_pack_report *report = verification->report;
    struct tr_pack_selection *result = &report->selections[report->selection_count++];
    enum tr_status status = tr_check_create(lo, hi, &verification->check, error);

    verification->selection = selection;
    verification->judges = selection->pattern == WINDOW || selection->pattern == UNIFORM;
    verification->tile_count = 0;
    for (size_t i = 0; i < pack->tile_count; i++)
        if (selects(selection, &pack->tiles[i]))
            verification->tiles[verification->tile_count++] = i;
    name_selection(selection, result->name);
    if (status == TR_OK)
        status = verify_tiles(verification, error);
    if (status == TR_OK)
        status = tr_check_finish(verification->check, &result->mesh, error);
    if (status == TR_OK) {
        result->is_closed = is_closed(&result->mesh);
        result->faces_out = faces_out(&pack->info, &result->mesh);
    }
    tr_check_free(verification->check);
    verification->check = NULL;
    return status;
}

/* Marks the chunks of a column as covered by tile `first`; false where another column covers one. */
static bool cover_chunks(const struct tr_pack *pack, const struct tr_pack_tile *tile, size_t first,
                         uint32_t *covered)
{
    const int64_t x0 = (int64_t)tile->cx << tile->lod, z0 = (int64_t)tile->cz << tile->lod;
    const int64_t side = (int64_t)1 << tile->lod;
    bool is_free = true;

    for (int64_t z = z0; z < z0 + side && z < pack->info.size_z; z++)
        for (int64_t x = x0; x < x0 + side && x < pack->info.size_x; x++) {
            uint32_t *at = &covered[z * pack->info.size_x + x];

            is_free = is_free && (*at == 0 || *at == first + 1);
            *at = (uint32_t)first + 1;
        }
    return is_free;
}

/* The tiles of a column follow each other, and no two have one place: so says the order of the table. */
static enum tr_status count_overlaps(const struct tr_pack *pack, uint64_t *overlaps, struct tr_error *error)
{
    const size_t chunks = (size_t)pack->info.size_x * (size_t)pack->info.size_z;
    uint32_t *covered = tr_alloc(chunks, sizeof *covered, error);
    size_t first = 0;

    if (!covered)
        return TR_IO;
    for (size_t i = 0; i < pack->tile_count; i++) {
        const struct tr_pack_tile *tile = &pack->tiles[i], *begin = &pack->tiles[first];

        if (tile->lod == begin->lod && tile->cx == begin->cx && tile->cz == begin->cz) {
            *overlaps += i != first && (tile->kind == TR_TILE_HEIGHTS || begin->kind == TR_TILE_HEIGHTS);
            if (i != first)
                continue;
        }
        if (tile->lod != begin->lod && pack->info.form == TR_PACK_ALL_LODS)
            memset(covered, 0, chunks * sizeof *covered);
        first = i;
        *overlaps += !cover_chunks(pack, tile, first, covered);
    }
    free(covered);
    return TR_OK;
}

static void count_levels(const struct tr_pack *pack, struct tr_pack_report *report)
{
    for (size_t i = 0; i < pack->tile_count; i++) {
        struct tr_pack_level *level = &report->levels[pack->tiles[i].lod];

        level->tiles++;
        level->vertices += pack->tiles[i].vertex_count;
        level->triangles += pack->tiles[i].index_count / 3;
    }
}

static bool report_is_good(const struct tr_pack_report *report)
{
    const struct tr_pack_faults *faults = &report->faults;

    for (uint32_t s = 0; s < report->selection_count; s++)
        if (!report->selections[s].is_closed || !report->selections[s].faces_out)
            return false;
    return report->hash_matches && report->overlaps == 0 && faults->bad_indices == 0 &&
           faults->bad_normals == 0 && faults->out_of_bounds == 0 && faults->far_moves == 0 &&
           faults->far_targets == 0;
}

enum tr_status tr_pack_verify(const struct tr_pack *pack, struct tr_jobs *jobs, struct tr_pack_report *report,
                              bool *good, struct tr_error *error)
{
    struct verification verification = {.pack = pack, .jobs = jobs, .report = report};
    struct selection selections[TR_PACK_SELECTIONS_MAX];
    const uint32_t count = list_selections(pack, selections);
    struct tr_hash hash;
    enum tr_status status = TR_IO;

    *report = (struct tr_pack_report){0};
    *good = false;
    if (pthread_mutex_init(&verification.lock, NULL) != 0)
        return tr_fail(error, TR_IO, "verify: cannot create a lock");
    verification.tiles = tr_alloc(pack->tile_count, sizeof *verification.tiles, error);
    if (verification.tiles)
        status = count_overlaps(pack, &report->overlaps, error);
    for (uint32_t s = 0; s < count && status == TR_OK; s++)
        status = verify_selection(&verification, &selections[s], error);
    /* each tile was found to have the hash that the table gives it */
    if (status == TR_OK)
        status =
            tr_pack_hash_tiles(&pack->info, pack->tiles, tr_pack_sums(pack), pack->tile_count, &hash, error);
    if (status == TR_OK) {
        count_levels(pack, report);
        report->hash_matches = tr_hash_equal(hash, pack->hash);
        *good = report_is_good(report);
    }
    free(verification.tiles);
    pthread_mutex_destroy(&verification.lock);
    return status;
}
