/* Where two worlds, or two packs, that should be equal differ first: names chunk or tile, sample or vertex,
 * and both values.
 *
 *   first_difference A B          exit 0 equal, 1 different, 2 trouble */
#include "lib/pack/pack.h"
#include "lib/world/world.h"
#include <stdio.h>
#include <string.h>

static int trouble(const struct tr_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return 2;
}

/* Prints the first sample that differs between two chunks; false when none does. */
static bool compare_chunks(const struct tr_chunk *a, const struct tr_chunk *b)
{
    for (uint32_t z = 0; z < a->size_z; z++)
        for (uint32_t x = 0; x < a->size_x; x++)
            if (a->heights[z * TR_CHUNK + x] != b->heights[z * TR_CHUNK + x]) {
                printf("chunk (%d, %d), height (%u, %u): %d, %d\n", a->cx, a->cz, x, z,
                       a->heights[z * TR_CHUNK + x], b->heights[z * TR_CHUNK + x]);
                return true;
            }
    for (int32_t cy = TR_BLOCK_ROW_MIN; cy <= TR_BLOCK_ROW_MAX; cy++) {
        if (!tr_chunk_block(a, cy) && !tr_chunk_block(b, cy))
            continue;
        for (int i = 0; i < TR_BLOCK_SAMPLES; i++) {
            int x = i % 64, z = i / 64 % 64, y = i / 4096;
            if (x >= (int)a->size_x || z >= (int)a->size_z)
                continue;
            int s = tr_chunk_field(a, x, (int64_t)cy * 64 + y, z),
                t = tr_chunk_field(b, x, (int64_t)cy * 64 + y, z);
            if (s != t) {
                printf("chunk (%d, %d), block row %d, sample (%d, %d, %d): %d, %d\n", a->cx, a->cz, cy, x, y,
                       z, s, t);
                return true;
            }
        }
    }
    return false;
}

static int compare_worlds(const char *path_a, const char *path_b)
{
    struct tr_world *a = NULL, *b = NULL;
    struct tr_error error = {0};
    int result = 0;
    if (tr_world_open(path_a, &a, &error) != TR_OK || tr_world_open(path_b, &b, &error) != TR_OK) {
        result = trouble(&error);
    } else if (!tr_hash_equal(a->hash, b->hash)) {
        result = 1;
        if (a->chunk_count != b->chunk_count)
            printf("%zu chunks, %zu chunks\n", a->chunk_count, b->chunk_count);
        for (size_t i = 0; i < a->chunk_count && a->chunk_count == b->chunk_count; i++) {
            if (tr_hash_equal(a->index[i].hash, b->index[i].hash))
                continue;
            struct tr_chunk x = {0}, y = {0};
            if (tr_world_read_chunk(a, a->index[i].cx, a->index[i].cz, &x, &error) != TR_OK ||
                tr_world_read_chunk(b, a->index[i].cx, a->index[i].cz, &y, &error) != TR_OK)
                result = trouble(&error);
            else if (!compare_chunks(&x, &y))
                printf("chunk (%d, %d): hashes differ, samples do not\n", x.cx, x.cz);
            tr_chunk_release(&x);
            tr_chunk_release(&y);
            break;
        }
    }
    tr_world_close(a);
    tr_world_close(b);
    return result;
}

/* What differs in a tile, without the place. */
struct difference {
    char text[256];
};

static bool vertices_differ(const struct tr_tile_mesh *a, const struct tr_tile_mesh *b,
                            struct difference *found)
{
    for (uint32_t i = 0; i < a->vertex_count; i++) {
        const tr_vertex *v = &a->vertices[i], *w = &b->vertices[i];
        if (v->x != w->x || v->y != w->y || v->z != w->z || v->normal != w->normal) {
            snprintf(found->text, sizeof found->text,
                     "vertex %u: (%d, %d, %d) normal %08x, (%d, %d, %d) normal %08x", i, v->x, v->y, v->z,
                     v->normal, w->x, w->y, w->z, w->normal);
            return true;
        }
    }
    return false;
}

static bool indices_differ(const struct tr_tile_mesh *a, const struct tr_tile_mesh *b,
                           struct difference *found)
{
    for (uint32_t i = 0; i < a->index_count; i++)
        if (a->indices[i] != b->indices[i]) {
            snprintf(found->text, sizeof found->text, "index %u of triangle %u: %u, %u", i, i / 3,
                     a->indices[i], b->indices[i]);
            return true;
        }
    return false;
}

static bool moves_differ(const struct tr_tile_mesh *a, const struct tr_tile_mesh *b, struct difference *found)
{
    for (uint32_t i = 0; i < a->move_count; i++) {
        const struct tr_tile_move *m = &a->moves[i], *n = &b->moves[i];
        if (m->vertex != n->vertex || m->sides != n->sides || m->x != n->x || m->y != n->y || m->z != n->z) {
            snprintf(found->text, sizeof found->text,
                     "move %u: vertex %u sides %02x to (%d, %d, %d), vertex %u sides %02x to (%d, %d, %d)", i,
                     m->vertex, m->sides, m->x, m->y, m->z, n->vertex, n->sides, n->x, n->y, n->z);
            return true;
        }
    }
    return false;
}

static bool parts_differ(const struct tr_tile_mesh *a, const struct tr_tile_mesh *b, struct difference *found)
{
    for (uint32_t i = 0; i < a->part_count; i++) {
        const struct tr_tile_part *p = &a->parts[i], *q = &b->parts[i];
        for (int side = 0; side < TR_SIDES; side++)
            if (p->states[side] != q->states[side]) {
                snprintf(found->text, sizeof found->text, "part %u, states of side %d: %u, %u", i, side,
                         p->states[side], q->states[side]);
                return true;
            }
        if (p->face != q->face || p->first_index != q->first_index || p->index_count != q->index_count) {
            snprintf(found->text, sizeof found->text,
                     "part %u: face %u, indices from %u, %u of them, face %u, indices from %u, %u of them", i,
                     p->face, p->first_index, p->index_count, q->face, q->first_index, q->index_count);
            return true;
        }
    }
    return false;
}

/* A stream of `width` numbers of one byte a vertex; NULL where the tile has none. */
static bool bytes_differ(const char *name, const uint8_t *a, const uint8_t *b, uint32_t vertex_count,
                         uint32_t width, struct difference *found)
{
    if ((a == NULL) != (b == NULL)) {
        snprintf(found->text, sizeof found->text, "%s: %s", name, a ? "some, none" : "none, some");
        return true;
    }
    for (uint32_t i = 0; a && i < vertex_count * width; i++)
        if (a[i] != b[i]) {
            snprintf(found->text, sizeof found->text, "%s %u of vertex %u: %u, %u", name, i % width,
                     i / width, a[i], b[i]);
            return true;
        }
    return false;
}

static bool targets_differ(const struct tr_tile_mesh *a, const struct tr_tile_mesh *b,
                           struct difference *found)
{
    if ((a->targets == NULL) != (b->targets == NULL)) {
        snprintf(found->text, sizeof found->text, "targets: %s", a->targets ? "some, none" : "none, some");
        return true;
    }
    for (uint32_t i = 0; a->targets && i < a->vertex_count; i++) {
        const int32_t *t = a->targets[i], *u = b->targets[i];
        if (memcmp(t, u, sizeof a->targets[i]) != 0) {
            snprintf(found->text, sizeof found->text, "target of vertex %u: (%d, %d, %d), (%d, %d, %d)", i,
                     t[0], t[1], t[2], u[0], u[1], u[2]);
            return true;
        }
    }
    return false;
}

static bool counts_differ(const struct tr_tile_mesh *a, const struct tr_tile_mesh *b,
                          struct difference *found)
{
    const struct {
        const char *name;
        uint32_t a, b;
    } counts[] = {
        {"kind", a->kind, b->kind},
        {"vertices", a->vertex_count, b->vertex_count},
        {"indices", a->index_count, b->index_count},
        {"moves", a->move_count, b->move_count},
        {"parts", a->part_count, b->part_count},
        {"error", a->error, b->error},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].a != counts[i].b) {
            snprintf(found->text, sizeof found->text, "%s: %u, %u", counts[i].name, counts[i].a, counts[i].b);
            return true;
        }
    return false;
}

static bool tiles_differ(const struct tr_tile_mesh *a, const struct tr_tile_mesh *b, struct difference *found)
{
    return counts_differ(a, b, found) || vertices_differ(a, b, found) || indices_differ(a, b, found) ||
           moves_differ(a, b, found) || parts_differ(a, b, found) || targets_differ(a, b, found) ||
           bytes_differ("material", a->materials, b->materials, a->vertex_count, 1, found) ||
           bytes_differ("weight", (const uint8_t *)a->weights, (const uint8_t *)b->weights, a->vertex_count,
                        4, found);
}

/* Tile i of both, which may be in different places. */
static enum tr_status compare_tile(const struct tr_pack *a, const struct tr_pack *b, size_t i, bool *differ,
                                   struct tr_error *error)
{
    const struct tr_pack_tile *p = &a->tiles[i], *q = &b->tiles[i];
    struct tr_tile_mesh x = {0}, y = {0};
    struct difference found;
    enum tr_status status = tr_pack_read_tile(a, i, &x, error);
    if (status == TR_OK)
        status = tr_pack_read_tile(b, i, &y, error);
    if (status == TR_OK && (p->lod != q->lod || p->cx != q->cx || p->cy != q->cy || p->cz != q->cz)) {
        printf("tile %zu: LOD %u (%d, %d, %d), LOD %u (%d, %d, %d)\n", i, p->lod, p->cx, p->cy, p->cz, q->lod,
               q->cx, q->cy, q->cz);
        *differ = true;
    } else if (status == TR_OK && tiles_differ(&x, &y, &found)) {
        printf("tile of LOD %u, (%d, %d, %d), %s\n", p->lod, p->cx, p->cy, p->cz, found.text);
        *differ = true;
    }
    tr_tile_mesh_release(&x);
    tr_tile_mesh_release(&y);
    return status;
}

static int compare_packs(const char *path_a, const char *path_b)
{
    struct tr_pack *a = NULL, *b = NULL;
    struct tr_error error = {0};
    enum tr_status status = TR_OK;
    int result = 0;
    if (tr_pack_open(path_a, &a, &error) != TR_OK || tr_pack_open(path_b, &b, &error) != TR_OK) {
        result = trouble(&error);
    } else if (!tr_hash_equal(a->hash, b->hash)) {
        bool differ = false;
        if (a->tile_count != b->tile_count)
            printf("%zu tiles, %zu tiles\n", a->tile_count, b->tile_count);
        for (size_t i = 0; i < a->tile_count && i < b->tile_count && !differ && status == TR_OK; i++)
            status = compare_tile(a, b, i, &differ, &error);
        if (!differ && status == TR_OK && a->tile_count == b->tile_count)
            printf("the hashes of the packs differ, their tiles do not\n");
        result = status == TR_OK ? 1 : trouble(&error);
    }
    tr_pack_close(a);
    tr_pack_close(b);
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: first_difference A B\n");
        return 2;
    }
    return tr_path_is_folder(argv[1]) ? compare_worlds(argv[1], argv[2]) : compare_packs(argv[1], argv[2]);
}
