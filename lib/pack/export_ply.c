/* PLY: Stanford's format, binary little-endian, one element `vertex` with position and normal, one `face` of three indices. */
#include "lib/pack/export_parts.h"

static void write_header(const struct tr_surface *surface, struct tr_writer *out)
{
    tr_write_text(out, "ply\nformat binary_little_endian 1.0\ncomment terrain: metres, y up\n");
    tr_write_text(out, "element vertex %zu\n", surface->vertex_count);
    tr_write_text(out, "property float x\nproperty float y\nproperty float z\n");
    tr_write_text(out, "property float nx\nproperty float ny\nproperty float nz\n");
    tr_write_text(out, "element face %zu\n", surface->index_count / 3);
    tr_write_text(out, "property list uchar int vertex_indices\nend_header\n");
}

enum tr_status tr_export_ply(const struct tr_surface *surface, double voxel_size, struct tr_sink *sink,
                             struct tr_error *error)
{
    enum tr_status status = TR_OK;

    write_header(surface, &sink->batch);
    for (size_t i = 0; i < surface->vertex_count && status == TR_OK; i++) {
        float normal[3];

        tr_export_normal(surface->normals[i], normal);
        for (int axis = 0; axis < 3; axis++)
            tr_write_f32(&sink->batch, tr_export_metres(surface->xyz[i][axis], voxel_size));
        for (int axis = 0; axis < 3; axis++)
            tr_write_f32(&sink->batch, normal[axis]);
        status = tr_sink_pump(sink, error);
    }
    for (size_t k = 0; k + 3 <= surface->index_count && status == TR_OK; k += 3) {
        tr_write_u8(&sink->batch, 3);
        for (size_t c = 0; c < 3; c++)
            tr_write_u32(&sink->batch, surface->indices[k + c]);
        status = tr_sink_pump(sink, error);
    }
    return status;
}
