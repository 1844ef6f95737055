/* A tile's splat weights as a picture: the route for programs that drop attributes of their own names.
 *
 * A texel stands for a vertical line of samples, those of the borders included, so neighbours' pictures agree where they meet. Several
 * vertices may be nearest to one line: one on the line comes before others, then the highest counts, as seen from above. Texels without a
 * vertex get those of a neighbour, from texel to texel, so that filtering finds nothing foreign at the edge of what is drawn. Caves under
 * ground of the same tile have the ground's weights: the attribute has no such limit.
 *
 * Three channels are enough, for the four weights are 255 together; alpha would be multiplied into the others by browsers. */
#include "lib/pack/glb.h"

#include "lib/base/alloc.h"
#include "lib/base/png.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = TR_GLB_TEXTURE_SIDE, TEXELS = SIDE * SIDE, CHANNELS = 3 };

struct texel {
    bool is_set, is_on_line;
    int32_t y;
    uint8_t weights[CHANNELS];
};

double tr_glb_texture_place(int32_t at, uint32_t lod)
{
    return ((double)at / (TR_UNITS << lod) + 0.5) / SIDE;
}

static bool comes_before(const struct texel *a, const struct texel *b)
{
    if (!b->is_set || a->is_on_line != b->is_on_line)
        return !b->is_set || a->is_on_line;
    return a->y > b->y;
}

static void set_texels(const struct tr_tile_mesh *mesh, struct texel texels[TEXELS])
{
    const int32_t cell = TR_UNITS << mesh->lod;

    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const tr_vertex *vertex = &mesh->vertices[i];
        struct texel *texel = &texels[(vertex->z + cell / 2) / cell * SIDE + (vertex->x + cell / 2) / cell];
        struct texel found = {
            .is_set = true, .is_on_line = vertex->x % cell == 0 && vertex->z % cell == 0, .y = vertex->y};

        memcpy(found.weights, mesh->weights[i], CHANNELS);
        if (comes_before(&found, texel))
            *texel = found;
    }
}

/* The first of a texel's neighbours that is set. */
static const struct texel *set_neighbour(const struct texel texels[TEXELS], int x, int z)
{
    static const int beside[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};

    for (int i = 0; i < 4; i++) {
        const int nx = x + beside[i][0], nz = z + beside[i][1];

        if (nx >= 0 && nx < SIDE && nz >= 0 && nz < SIDE && texels[nz * SIDE + nx].is_set)
            return &texels[nz * SIDE + nx];
    }
    return NULL;
}

/* Fills the texels beside those that are set; returns how many. */
static int spread(struct texel texels[TEXELS], struct texel before[TEXELS])
{
    int count = 0;

    memcpy(before, texels, TEXELS * sizeof *texels);
    for (int z = 0; z < SIDE; z++) {
        for (int x = 0; x < SIDE; x++) {
            const struct texel *neighbour = before[z * SIDE + x].is_set ? NULL : set_neighbour(before, x, z);

            if (!neighbour)
                continue;
            texels[z * SIDE + x] = *neighbour;
            count++;
        }
    }
    return count;
}

enum tr_status tr_glb_texture(const struct tr_tile_mesh *mesh, struct tr_writer *png, struct tr_error *error)
{
    struct texel *texels = tr_alloc(2 * TEXELS, sizeof *texels, error);
    uint8_t rgb[TEXELS * CHANNELS];
    enum tr_status status;

    if (!texels)
        return TR_IO;
    set_texels(mesh, texels);
    while (spread(texels, texels + TEXELS) > 0)
        ;
    for (int i = 0; i < TEXELS; i++)
        memcpy(rgb + CHANNELS * i, texels[i].weights, CHANNELS);
    status = tr_png_write(rgb, SIDE, SIDE, png, error);
    free(texels);
    return status;
}
