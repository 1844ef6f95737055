/* Any bytes as a mesh: read or refused in one line; what was read is a solid, and its distance field, where
 * it fits the limits, has the solid inside its margin. */
#include "lib/edit/solid_field.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define TRIANGLES_MAX 2000 /* of a mesh whose field is made: for more runs a second */

static void check_refusal(enum tr_status status, const struct tr_error *error)
{
    FUZZ_CHECK(status == TR_BAD_INPUT);
    FUZZ_CHECK(error->text[0] && !strchr(error->text, '\n'));
}

static void check_mesh(const struct tr_solid_mesh *mesh)
{
    FUZZ_CHECK(mesh->vertex_count >= 4 && mesh->vertex_count <= TR_SOLID_MESH_VERTICES_MAX);
    FUZZ_CHECK(mesh->triangle_count >= 4 && mesh->triangle_count <= TR_SOLID_MESH_TRIANGLES_MAX);
    FUZZ_CHECK(mesh->triangle_count % 2 == 0); /* each edge has two triangles */
    FUZZ_CHECK(mesh->volume > 0.0 && isfinite(mesh->volume));
    FUZZ_CHECK(mesh->part_count >= 1 && mesh->cavity_count < mesh->part_count);
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++)
            FUZZ_CHECK(mesh->positions[i][axis] >= mesh->min[axis] &&
                       mesh->positions[i][axis] <= mesh->max[axis]);
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            FUZZ_CHECK(mesh->triangles[i][k] < mesh->vertex_count);
            FUZZ_CHECK(mesh->triangles[i][k] != mesh->triangles[i][(k + 1) % 3]);
        }
}

static bool is_at_rim(uint32_t at, uint32_t size)
{
    return at == 0 || at == size - 1;
}

static void check_field(const struct tr_solid_field *field)
{
    const int16_t *sample = field->samples;

    for (uint32_t y = 0; y < field->size[1]; y++)
        for (uint32_t z = 0; z < field->size[2]; z++)
            for (uint32_t x = 0; x < field->size[0]; x++, sample++) {
                FUZZ_CHECK(*sample >= -32767);
                if (is_at_rim(x, field->size[0]) || is_at_rim(y, field->size[1]) ||
                    is_at_rim(z, field->size[2]))
                    FUZZ_CHECK(*sample >= TR_SOLID_FIELD_UNITS);
            }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct tr_solid_mesh mesh;
    struct tr_solid_field field;
    struct tr_error error = {0};
    struct tr_jobs *jobs = NULL;
    double extent = 0.0;
    enum tr_status status = tr_solid_mesh_parse(bytes, size_bytes, "fuzz", &mesh, &error);

    if (status != TR_OK) {
        check_refusal(status, &error);
        return 0;
    }
    check_mesh(&mesh);
    for (int axis = 0; axis < 3; axis++)
        extent = mesh.max[axis] - mesh.min[axis] > extent ? mesh.max[axis] - mesh.min[axis] : extent;
    FUZZ_CHECK(tr_jobs_create(1, &jobs, &error) == TR_OK);
    if (mesh.triangle_count <= TRIANGLES_MAX) {
        status = tr_solid_field_make(&mesh, extent / 7.0, 1, jobs, &field, &error);
        if (status == TR_OK)
            check_field(&field);
        else
            check_refusal(status, &error);
        tr_solid_field_release(&field);
    }
    tr_jobs_free(jobs);
    tr_solid_mesh_release(&mesh);
    return 0;
}
