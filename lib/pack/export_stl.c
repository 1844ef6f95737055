/* STL: binary, 80 bytes of text, the number of triangles, 50 bytes for each: normal, three corners, two bytes 0.
 *
 * The text does not begin with "solid", by which readers tell the ASCII form. The normal is that of the triangle's floats, computed in
 * double: readers compute it again and complain of another. A triangle without area has normal 0. */
#include "lib/pack/export_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TEXT_BYTES 80

static void triangle_normal(float corner[3][3], float normal[3])
{
    double a[3], b[3], n[3], length;

    for (int axis = 0; axis < 3; axis++) {
        a[axis] = (double)corner[1][axis] - (double)corner[0][axis];
        b[axis] = (double)corner[2][axis] - (double)corner[0][axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;

        n[axis] = a[next] * b[last] - a[last] * b[next];
    }
    length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = length > 0 ? (float)(n[axis] / length) : 0;
}

static void write_triangle(const struct tr_surface *surface, const uint32_t *index, double voxel_size,
                           struct tr_writer *out)
{
    float corner[3][3], normal[3];

    for (int c = 0; c < 3; c++) {
        for (int axis = 0; axis < 3; axis++)
            corner[c][axis] = tr_export_metres(surface->xyz[index[c]][axis], voxel_size);
    }
    triangle_normal(corner, normal);
    for (int axis = 0; axis < 3; axis++)
        tr_write_f32(out, normal[axis]);
    for (int c = 0; c < 3; c++) {
        for (int axis = 0; axis < 3; axis++)
            tr_write_f32(out, corner[c][axis]);
    }
    tr_write_u16(out, 0);
}

enum tr_status tr_export_stl(const struct tr_surface *surface, double voxel_size, struct tr_sink *sink,
                             struct tr_error *error)
{
    static const char text[] = "terrain: binary STL, metres, y up";
    uint8_t header[TEXT_BYTES] = {0};
    enum tr_status status = TR_OK;

    if (surface->index_count / 3 > UINT32_MAX)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": %zu triangles, expected at most %" PRIu32 ", which is all that STL can say",
                       sink->output.path, surface->index_count / 3, UINT32_MAX);
    memcpy(header, text, sizeof text);
    tr_write_bytes(&sink->batch, header, sizeof header);
    tr_write_u32(&sink->batch, (uint32_t)(surface->index_count / 3));
    for (size_t k = 0; k + 3 <= surface->index_count && status == TR_OK; k += 3) {
        write_triangle(surface, &surface->indices[k], voxel_size, &sink->batch);
        status = tr_sink_pump(sink, error);
    }
    return status;
}
