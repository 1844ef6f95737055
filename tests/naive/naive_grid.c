/* Corners are moved to the nearest points of a lattice of 2^-16 cells, so with corners and places of few binary digits
 * all that leads to a distance is exact but the last division and root. Whether a rounding of that could change a sample
 * is a question for who makes the mesh: see log_gen.c.
 *
 * Inside is where the surface winds around a point, whichever way: where the solid angles of its triangles do not sum up
 * to 0. */
#include "tests/naive/naive_grid.h"
#include "tests/naive/naive_float.h"

#include <stdlib.h>

#define LATTICE 65536.0
#define BAND 16.0       /* voxels; the grid has cells enough around the mesh for it, */
#define MARGIN_MAX 16.0 /* but no more than these */

/* ---- distances from triangles, in double ---- */

struct triangle {
    double corners[3][3]; /* cells */
};

static double from_segment(const double p[3], const double a[3], const double b[3])
{
    double ab[3], ap[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = b[i] - a[i];
        ap[i] = p[i] - a[i];
    }
    double t = naive_dot(ap, ab) / naive_dot(ab, ab);
    t = fmin(fmax(t, 0.0), 1.0);
    for (int i = 0; i < 3; i++)
        ap[i] -= t * ab[i];
    return sqrt(naive_dot(ap, ap));
}

static double from_triangle(const double p[3], const struct triangle *triangle)
{
    double edges[3][3], normal[3], from_first[3], nearest = INFINITY;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            edges[k][i] = triangle->corners[(k + 1) % 3][i] - triangle->corners[k][i];
    naive_cross(edges[0], edges[1], normal);
    bool is_over = true;
    for (int k = 0; k < 3; k++) {
        double inward[3], from[3];
        naive_cross(normal, edges[k], inward);
        for (int i = 0; i < 3; i++)
            from[i] = p[i] - triangle->corners[k][i];
        is_over = is_over && naive_dot(inward, from) >= 0.0;
        nearest = fmin(nearest, from_segment(p, triangle->corners[k], triangle->corners[(k + 1) % 3]));
    }
    for (int i = 0; i < 3; i++)
        from_first[i] = p[i] - triangle->corners[0][i];
    return is_over ? fabs(naive_dot(normal, from_first)) / sqrt(naive_dot(normal, normal)) : nearest;
}

/* The solid angle that the triangle takes up, seen from p; negative from behind (van Oosterom and Strackee). */
static double solid_angle(const double p[3], const struct triangle *triangle)
{
    double v[3][3], length[3], across[3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            v[k][i] = triangle->corners[k][i] - p[i];
        length[k] = sqrt(naive_dot(v[k], v[k]));
    }
    naive_cross(v[1], v[2], across);
    double below = length[0] * length[1] * length[2] + naive_dot(v[0], v[1]) * length[2] +
                   naive_dot(v[1], v[2]) * length[0] + naive_dot(v[2], v[0]) * length[1];
    return 2.0 * atan2(naive_dot(v[0], across), below);
}

static bool is_inside(const double p[3], const struct triangle *triangles, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++)
        sum += solid_angle(p, &triangles[k]);
    return fabs(sum) > 6.28; /* a whole turn around is 4 pi */
}

static int16_t sample_of(const double p[3], const struct triangle *triangles, int count, bool may_be_inside)
{
    double nearest = INFINITY;
    for (int k = 0; k < count; k++)
        nearest = fmin(nearest, from_triangle(p, &triangles[k]));
    double units = fmin(floor(nearest * NAIVE_UNITS + 0.5), NAIVE_SAMPLE_LIMIT);
    bool inside = may_be_inside && units > 0.0 && is_inside(p, triangles, count);
    return (int16_t)(inside ? -units : units);
}

/* ---- the grid ---- */

static double to_lattice(double metres, double cell)
{
    return floor(metres / cell * LATTICE + 0.5) / LATTICE;
}

static void find_box(const struct naive_mesh *mesh, struct naive_grid *grid)
{
    for (int i = 0; i < 3; i++) {
        grid->least[i] = INFINITY;
        grid->greatest[i] = -INFINITY;
        for (int k = 0; k < mesh->corner_count; k++) {
            grid->least[i] = fmin(grid->least[i], mesh->corners[k][i]);
            grid->greatest[i] = fmax(grid->greatest[i], mesh->corners[k][i]);
        }
    }
}

static void fill(const struct triangle *triangles, int count, const double box[2][3], struct naive_grid *grid)
{
    size_t next = 0;
    for (int y = 0; y < grid->size[1]; y++)
        for (int z = 0; z < grid->size[2]; z++)
            for (int x = 0; x < grid->size[0]; x++) {
                const double p[3] = {grid->first[0] + x, grid->first[1] + y, grid->first[2] + z};
                bool in_box = true;
                for (int i = 0; i < 3; i++)
                    in_box = in_box && p[i] >= box[0][i] && p[i] <= box[1][i];
                grid->samples[next++] = sample_of(p, triangles, count, in_box);
            }
}

bool naive_grid_make(const struct naive_mesh *mesh, double cell, double cell_voxels, struct naive_grid *grid)
{
    const int margin = (int)fmin(ceil(BAND / cell_voxels), MARGIN_MAX);
    double box[2][3];
    *grid = (struct naive_grid){.cell = cell};
    find_box(mesh, grid);
    for (int i = 0; i < 3; i++) {
        box[0][i] = to_lattice(grid->least[i], cell);
        box[1][i] = to_lattice(grid->greatest[i], cell);
        grid->first[i] = (int)floor(box[0][i]) - margin;
        grid->size[i] = (int)ceil(box[1][i]) + margin - grid->first[i] + 1;
    }
    struct triangle *triangles = malloc((size_t)mesh->triangle_count * sizeof *triangles);
    grid->samples =
        malloc((size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2] * sizeof *grid->samples);
    bool good = triangles != NULL && grid->samples != NULL;
    if (good) {
        for (int k = 0; k < mesh->triangle_count; k++)
            for (int v = 0; v < 3; v++)
                for (int i = 0; i < 3; i++)
                    triangles[k].corners[v][i] = to_lattice(mesh->corners[mesh->triangles[k][v]][i], cell);
        fill(triangles, mesh->triangle_count, (const double(*)[3])box, grid);
    }
    free(triangles);
    return good;
}

void naive_grid_release(struct naive_grid *grid)
{
    free(grid->samples);
    *grid = (struct naive_grid){0};
}

/* ---- between its samples ---- */

struct naive_framed_grid naive_grid_in_frame(const struct naive_grid *grid, const double rows[3][3],
                                             const double at[3], double cell, const int corner[3],
                                             const struct naive_view *view)
{
    struct naive_framed_grid framed = {
        .grid = grid, .cell = naive_parameter(cell), .unit = naive_parameter(cell / NAIVE_UNITS)};
    double from_corner[3];
    for (int i = 0; i < 3; i++)
        from_corner[i] = at[i] - corner[i];
    for (int i = 0; i < 3; i++) {
        double row[3], origin = grid->first[i] * grid->cell;
        double t = -naive_dot(rows[i], from_corner) / cell;
        for (int j = 0; j < 3; j++)
            row[j] = rows[i][j] / cell;
        int first = naive_first_seen(view, row, t, grid->size[i], 2);
        framed.first[i] = first;
        naive_parameters(row, framed.rows[i]);
        framed.offset[i] = naive_parameter(t - first);
        framed.least[i] = naive_parameter((grid->least[i] - origin) / grid->cell - first);
        framed.greatest[i] = naive_parameter((grid->greatest[i] - origin) / grid->cell - first);
    }
    return framed;
}

static float mix(float a, float b, float share)
{
    return a + share * (b - a);
}

/* Trilinear around the sample at `low` of the grid: along x, then z, then y. */
static float value_between(const struct naive_grid *grid, const int low[3], const float share[3])
{
    float layers[2], rows[2];
    for (int y = 0; y < 2; y++) {
        for (int z = 0; z < 2; z++) {
            size_t row = (size_t)(low[1] + y) * (size_t)grid->size[2] + (size_t)(low[2] + z);
            const int16_t *s = &grid->samples[row * (size_t)grid->size[0] + (size_t)low[0]];
            rows[z] = mix((float)s[0], (float)s[1], share[0]);
        }
        layers[y] = mix(rows[0], rows[1], share[2]);
    }
    return mix(layers[0], layers[1], share[1]);
}

float naive_grid_distance(const struct naive_framed_grid *framed, const float p[3])
{
    const struct naive_grid *grid = framed->grid;
    int low[3];
    float share[3], beyond[3], faces[3];
    for (int i = 0; i < 3; i++) {
        const float first = (float)-framed->first[i], last = (float)(grid->size[i] - 1 - framed->first[i]);
        float g = naive_dot_float(framed->rows[i], p) + framed->offset[i];
        float on_grid = naive_between(g, first, last);
        float below = naive_between(floorf(on_grid), first, last - 1.0f);
        share[i] = on_grid - below;
        low[i] = (int)below + framed->first[i];
        beyond[i] = g - on_grid;
        faces[i] = naive_larger(framed->least[i] - g, g - framed->greatest[i]);
    }
    float way = naive_root(naive_dot_float(beyond, beyond));
    float d = value_between(grid, low, share) * framed->unit + way * framed->cell;
    return naive_larger(d, naive_over_faces(faces[0], faces[1], faces[2]) * framed->cell);
}
