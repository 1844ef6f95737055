/* Where two worlds, or two packs, that should be equal differ first: names chunk or tile, sample or vertex,
 * and both values.
 *
 *   first_difference A B          exit 0 equal, 1 different, 2 trouble */
#include "lib/pack/pack.h"
#include "lib/world/world.h"
#include <stdio.h>

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

static void compare_meshes(const struct tr_pack_tile *tile, const struct tr_mesh *a, const struct tr_mesh *b)
{
    printf("tile (%d, %d, %d): ", tile->cx, tile->cy, tile->cz);
    for (uint32_t i = 0; i < a->vertex_count && i < b->vertex_count; i++) {
        const tr_vertex *v = &a->vertices[i], *w = &b->vertices[i];
        if (v->x != w->x || v->y != w->y || v->z != w->z || v->normal != w->normal) {
            printf("vertex %u: (%d, %d, %d) normal %08x, (%d, %d, %d) normal %08x\n", i, v->x, v->y, v->z,
                   v->normal, w->x, w->y, w->z, w->normal);
            return;
        }
    }
    for (uint32_t i = 0; i < a->index_count && i < b->index_count; i++)
        if (a->indices[i] != b->indices[i]) {
            printf("index %u of triangle %u: %u, %u\n", i, i / 3, a->indices[i], b->indices[i]);
            return;
        }
    printf("%u vertices and %u indices, %u vertices and %u indices\n", a->vertex_count, a->index_count,
           b->vertex_count, b->index_count);
}

static int compare_packs(const char *path_a, const char *path_b)
{
    struct tr_pack *a = NULL, *b = NULL;
    struct tr_error error = {0};
    int result = 0;
    if (tr_pack_open(path_a, &a, &error) != TR_OK || tr_pack_open(path_b, &b, &error) != TR_OK) {
        result = trouble(&error);
    } else if (!tr_hash_equal(a->hash, b->hash)) {
        result = 1;
        if (a->tile_count != b->tile_count)
            printf("%zu tiles, %zu tiles\n", a->tile_count, b->tile_count);
        for (size_t i = 0; i < a->tile_count && i < b->tile_count; i++) {
            struct tr_mesh x = {0}, y = {0};
            if (tr_pack_read_tile(a, i, &x, &error) != TR_OK ||
                tr_pack_read_tile(b, i, &y, &error) != TR_OK) {
                result = trouble(&error);
                break;
            }
            bool same = x.vertex_count == y.vertex_count && x.index_count == y.index_count &&
                        memcmp(x.vertices, y.vertices, x.vertex_count * sizeof *x.vertices) == 0 &&
                        memcmp(x.indices, y.indices, x.index_count * sizeof *x.indices) == 0;
            if (!same)
                compare_meshes(&a->tiles[i], &x, &y);
            tr_mesh_release(&x);
            tr_mesh_release(&y);
            if (!same)
                break;
        }
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
