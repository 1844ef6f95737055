/* One tile of a GLB: its streams.
 *
 *   stream      plain                       engine, web
 *   positions   f32, metres in the world    u16, steps from the tile's origin; 8 bytes each
 *   normals     f32                         s8, normalised; 4 bytes each
 *   weights     u8, normalised: grass, rock, sand, soil
 *   texture     f32                         u16, normalised
 *   morphs      f32, metres                 s16, steps; 8 bytes each
 *   indices     u16 where they do not reach 65535, which would restart a primitive; else u32
 *
 * The origin is the least coordinate of the tile's vertices along each axis. Elements are padded to multiples of 4 bytes. */
#include "lib/pack/glb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define U16_VERTICES_MAX 65535u /* the highest index is 65534 */
#define S8_ONE 127
#define U16_ONE 65535

enum tr_status tr_glb_read(const struct tr_pack *pack, size_t i, struct tr_tile_mesh *mesh,
                           struct tr_error *error)
{
    static const uint8_t all_same[TR_SIDES] = {TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME,
                                               TR_SIDE_SAME, TR_SIDE_SAME, TR_SIDE_SAME};
    enum tr_status status = tr_pack_read_tile(pack, i, mesh, error);

    if (status == TR_OK && pack->info.form == TR_PACK_ALL_LODS)
        status = tr_tile_mesh_settle(mesh, all_same, error);
    return status;
}

/* ---- numbers ---- */

/* A tile while its streams are made. */
struct maker {
    const struct tr_glb *glb;
    const struct tr_tile_mesh *mesh;
    int64_t corner[3]; /* units, in the world */
    int64_t origin[3]; /* steps */
    struct tr_glb_tile *out;
};

static bool is_quantised(const struct tr_glb *glb)
{
    return glb->profile != TR_PROFILE_PLAIN;
}

static int32_t nearest(double value)
{
    return (int32_t)floor(value + 0.5);
}

static int32_t coordinate(const tr_vertex *vertex, int axis)
{
    return axis == 0 ? vertex->x : axis == 1 ? vertex->y : vertex->z;
}

static double metres(const struct maker *maker, int axis, int32_t at)
{
    return tr_export_metres(maker->corner[axis] + at, maker->glb->pack->info.voxel_size);
}

static int64_t steps(const struct maker *maker, int axis, int32_t at)
{
    return tr_glb_lattice_at(&maker->glb->lattice, maker->corner[axis] + at) - maker->origin[axis];
}

static struct tr_glb_stream *begin(const struct maker *maker, enum tr_glb_use use,
                                   enum tr_glb_component component, uint32_t width, uint32_t stride_bytes)
{
    struct tr_glb_stream *stream = &maker->out->streams[maker->out->stream_count++];

    *stream = (struct tr_glb_stream){.use = use,
                                     .component = component,
                                     .width = width,
                                     .stride_bytes = stride_bytes,
                                     .count = maker->mesh->vertex_count};
    return stream;
}

/* Takes element i, of three components, into the bounds. */
static void extend(struct tr_glb_stream *stream, uint32_t i, const double value[3])
{
    stream->has_bounds = true;
    for (int axis = 0; axis < 3; axis++) {
        if (i == 0 || value[axis] < stream->lo[axis])
            stream->lo[axis] = value[axis];
        if (i == 0 || value[axis] > stream->hi[axis])
            stream->hi[axis] = value[axis];
    }
}

/* Writes three numbers that the component holds exactly, and padding. */
static void put_vector(struct tr_glb_stream *stream, const double value[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (stream->component == TR_GLB_F32)
            tr_write_f32(&stream->data, (float)value[axis]);
        else if (stream->component == TR_GLB_S8)
            tr_write_u8(&stream->data, (uint8_t)(int8_t)value[axis]);
        else
            tr_write_u16(&stream->data, (uint16_t)(int32_t)value[axis]);
    }
    if (stream->component == TR_GLB_S8)
        tr_write_u8(&stream->data, 0);
    else if (stream->component != TR_GLB_F32)
        tr_write_u16(&stream->data, 0);
}

/* ---- streams ---- */

static void find_origin(struct maker *maker)
{
    for (int axis = 0; axis < 3; axis++) {
        int32_t least = INT32_MAX;

        for (uint32_t i = 0; i < maker->mesh->vertex_count; i++) {
            const int32_t at = coordinate(&maker->mesh->vertices[i], axis);

            least = at < least ? at : least;
        }
        maker->origin[axis] = tr_glb_lattice_at(&maker->glb->lattice, maker->corner[axis] + least);
        maker->out->translation[axis] = (double)maker->origin[axis] * maker->glb->lattice.step;
    }
}

static void put_positions(const struct maker *maker)
{
    const bool quantised = is_quantised(maker->glb);
    struct tr_glb_stream *stream =
        begin(maker, TR_GLB_POSITION, quantised ? TR_GLB_U16 : TR_GLB_F32, 3, quantised ? 8 : 12);

    for (uint32_t i = 0; i < stream->count; i++) {
        double value[3];

        for (int axis = 0; axis < 3; axis++) {
            const int32_t at = coordinate(&maker->mesh->vertices[i], axis);

            value[axis] = quantised ? (double)steps(maker, axis, at) : metres(maker, axis, at);
        }
        extend(stream, i, value);
        put_vector(stream, value);
    }
}

static void put_normals(const struct maker *maker)
{
    const bool quantised = is_quantised(maker->glb);
    struct tr_glb_stream *stream =
        begin(maker, TR_GLB_NORMAL, quantised ? TR_GLB_S8 : TR_GLB_F32, 3, quantised ? 4 : 12);

    stream->is_normalized = quantised;
    for (uint32_t i = 0; i < stream->count; i++) {
        float normal[3];
        double value[3];

        tr_export_normal(maker->mesh->vertices[i].normal, normal);
        for (int axis = 0; axis < 3; axis++)
            value[axis] = quantised ? nearest((double)normal[axis] * S8_ONE) : (double)normal[axis];
        put_vector(stream, value);
    }
}

static void put_weights(const struct maker *maker)
{
    struct tr_glb_stream *stream = begin(maker, TR_GLB_WEIGHTS, TR_GLB_U8, 4, 4);

    stream->is_normalized = true;
    tr_write_bytes(&stream->data, maker->mesh->weights, (size_t)stream->count * sizeof *maker->mesh->weights);
}

static void put_texture_places(const struct maker *maker)
{
    const bool quantised = is_quantised(maker->glb);
    struct tr_glb_stream *stream =
        begin(maker, TR_GLB_TEXTURE, quantised ? TR_GLB_U16 : TR_GLB_F32, 2, quantised ? 4 : 8);

    stream->is_normalized = quantised;
    for (uint32_t i = 0; i < stream->count; i++) {
        for (int axis = 0; axis < 3; axis += 2) {
            const double place =
                tr_glb_texture_place(coordinate(&maker->mesh->vertices[i], axis), maker->mesh->lod);

            if (quantised)
                tr_write_u16(&stream->data, (uint16_t)nearest(place * U16_ONE));
            else
                tr_write_f32(&stream->data, (float)place);
        }
    }
}

static void put_morphs(const struct maker *maker)
{
    const bool quantised = is_quantised(maker->glb);
    struct tr_glb_stream *stream =
        begin(maker, TR_GLB_MORPH, quantised ? TR_GLB_S16 : TR_GLB_F32, 3, quantised ? 8 : 12);

    for (uint32_t i = 0; i < stream->count; i++) {
        double value[3];

        for (int axis = 0; axis < 3; axis++) {
            const int32_t from = coordinate(&maker->mesh->vertices[i], axis),
                          to = maker->mesh->targets[i][axis];

            value[axis] = quantised ? (double)(steps(maker, axis, to) - steps(maker, axis, from))
                                    : (float)(metres(maker, axis, to) - metres(maker, axis, from));
        }
        extend(stream, i, value);
        put_vector(stream, value);
    }
}

static void put_indices(const struct maker *maker)
{
    const bool are_u16 = maker->mesh->vertex_count <= U16_VERTICES_MAX;
    struct tr_glb_stream *stream =
        begin(maker, TR_GLB_INDICES, are_u16 ? TR_GLB_U16 : TR_GLB_U32, 1, are_u16 ? 2 : 4);

    stream->count = maker->mesh->index_count;
    for (uint32_t i = 0; i < stream->count; i++) {
        if (are_u16)
            tr_write_u16(&stream->data, (uint16_t)maker->mesh->indices[i]);
        else
            tr_write_u32(&stream->data, maker->mesh->indices[i]);
    }
}

/* ---- the tile ---- */

static enum tr_status make_streams(struct maker *maker, struct tr_error *error)
{
    const bool has_weights = maker->mesh->weights != NULL;
    const enum tr_export_splat splat = has_weights ? maker->glb->splat : TR_SPLAT_NONE;

    if (is_quantised(maker->glb))
        find_origin(maker);
    put_positions(maker);
    put_normals(maker);
    if (splat == TR_SPLAT_ATTRIBUTE || splat == TR_SPLAT_COLOR)
        put_weights(maker);
    if (splat == TR_SPLAT_TEXTURE)
        put_texture_places(maker);
    if (maker->glb->has_morphs && maker->mesh->targets)
        put_morphs(maker);
    put_indices(maker);
    return splat == TR_SPLAT_TEXTURE ? tr_glb_texture(maker->mesh, &maker->out->png, error) : TR_OK;
}

static enum tr_status finish_streams(const struct maker *maker, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (uint32_t i = 0; i < maker->out->stream_count && status == TR_OK; i++) {
        struct tr_glb_stream *stream = &maker->out->streams[i];

        if (stream->data.failed)
            status = tr_fail(error, TR_IO, "out of memory: part of a tile of \"%s\"", maker->glb->pack->path);
        else if (maker->glb->profile == TR_PROFILE_WEB)
            status = tr_glb_compress(stream, error);
    }
    return status;
}

enum tr_status tr_glb_tile_make(const struct tr_glb *glb, size_t i, struct tr_glb_tile *out,
                                struct tr_error *error)
{
    struct tr_tile_mesh mesh = {0};
    struct maker maker = {.glb = glb, .mesh = &mesh, .out = out};
    enum tr_status status;

    *out = (struct tr_glb_tile){.tile = &glb->pack->tiles[i]};
    status = tr_glb_read(glb->pack, i, &mesh, error);
    if (status != TR_OK || mesh.index_count == 0)
        goto done;
    const int32_t place[3] = {out->tile->cx, out->tile->cy, out->tile->cz};
    for (int axis = 0; axis < 3; axis++)
        maker.corner[axis] = place[axis] * tr_pack_tile_units(out->tile->lod);
    if (is_quantised(glb))
        status = tr_glb_reorder(&mesh, error);
    if (status == TR_OK)
        status = make_streams(&maker, error);
    if (status == TR_OK)
        status = finish_streams(&maker, error);
done:
    tr_tile_mesh_release(&mesh);
    return status;
}

static void forget(struct tr_writer *data)
{
    free(data->bytes);
    data->bytes = NULL;
}

void tr_glb_tile_forget(struct tr_glb_tile *tile)
{
    for (uint32_t i = 0; i < tile->stream_count; i++)
        forget(&tile->streams[i].data);
    forget(&tile->png);
}

void tr_glb_tile_release(struct tr_glb_tile *tile)
{
    tr_glb_tile_forget(tile);
    *tile = (struct tr_glb_tile){0};
}
