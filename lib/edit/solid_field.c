/* Distance fields of solids, in two passes over the grid.
 *
 * Signs. Along each line of samples in x, every triangle that the line crosses adds +1 or -1 to the first
 * sample behind the crossing; the sum from the left is the winding number. A line that meets an edge or a
 * corner is moved by an infinitesimal step, far more in y than in z (simulation of simplicity, Edelsbrunner
 * and Muecke 1990), so each triangle is crossed or not, neighbours agree, and no case is special. With
 * vertices on a lattice of 2^-16 cells and at most 2^14 cells a side all of it fits in 64 bits, the place
 * of a crossing in 128.
 *
 * Distances. The grid is cut into bricks, those into 8 blocks and so on down to 2^3 samples. Each block
 * gets a list of triangles and passes on those that may be the nearest of any of its samples: all but those
 * that are farther than one and the same other triangle wherever in the block one stands (view_is_behind).
 * At the end few are left, and each sample takes the minimum over them. Nothing is estimated, and a
 * triangle is left out only where rounding cannot matter: so a sample is the minimum over all triangles,
 * and its bytes do not depend on blocks, order or jobs. */
#include "lib/edit/solid_field.h"

#include "lib/base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LATTICE 65536 /* lattice points a cell */
#define SAMPLE_MAX 32767
/* Of a sample, in cells: from there on it is clamped. */
#define REACH ((double)SAMPLE_MAX / TR_SOLID_FIELD_UNITS)
/* Beyond what a double's rounding may do to a distance below 2^15 cells. */
#define SLACK 0x1p-20

__extension__ typedef __int128 wide;

/* The solid, moved so that the first sample is at 0. */
struct solid {
    uint32_t triangle_count;
    const uint32_t (*triangles)[3];
    int32_t (*positions)[3]; /* in lattice points, 0 to 2^30 */
    struct ball *balls;
};

/* Holds a triangle; in cells. */
struct ball {
    float centre[3];
    float radius;
};

/* A triangle that may be the nearest. */
struct candidate {
    uint32_t triangle;
    uint32_t facet; /* its place among the job's facets, where the list has them */
};

/* Of one job: a stack of lists of candidates, one on the other from the brick down. */
struct work {
    struct candidate *candidates;
    size_t capacity;
    struct facet *facets; /* of one of these lists (list_keep_facets) */
    int32_t *crossings;   /* of the lines of one task */
};

struct build {
    struct tr_solid_field *field;
    struct solid solid;
    struct work *works;       /* one a job */
    uint32_t lines;           /* of samples in x, a task of signs */
    uint32_t brick_side;      /* in samples, a task of distances */
    uint32_t brick_counts[3]; /* along each axis */
};

static size_t sample_index(const struct tr_solid_field *field, uint32_t x, uint32_t y, uint32_t z)
{
    return ((size_t)y * field->size[2] + z) * field->size[0] + x;
}

/* --- grid --- */

/* To the lattice point nearest to `at`; false where doubles are too coarse for that. */
static bool lattice_from(double at, double cell, int64_t *out)
{
    double cells = at / cell;

    if (!(cells >= -TR_SOLID_FIELD_CELLS_MAX && cells <= TR_SOLID_FIELD_CELLS_MAX))
        return false;
    *out = (int64_t)floor(cells * LATTICE + 0.5);
    return true;
}

static int64_t cell_below(int64_t lattice)
{
    return lattice >= 0 ? lattice / LATTICE : -((-lattice + LATTICE - 1) / LATTICE);
}

/* Chooses the field's size and origin; *first gets the first sample in cells from 0. */
static enum tr_status grid_place(const struct tr_solid_mesh *mesh, uint32_t margin,
                                 struct tr_solid_field *field, int64_t first[3], struct tr_error *error)
{
    int64_t size[3];

    for (int axis = 0; axis < 3; axis++) {
        int64_t low, high;
        if (!lattice_from(mesh->min[axis], field->cell, &low) ||
            !lattice_from(mesh->max[axis], field->cell, &high))
            return tr_fail(error, TR_BAD_INPUT,
                           "mesh from %c = %.9g to %.9g at cells of %.9g, expected at most 2^35 cells from 0",
                           "xyz"[axis], mesh -> min[axis], mesh -> max[axis], field -> cell);
        first[axis] = cell_below(low) - margin;
        size[axis] = -cell_below(-high) + margin - first[axis] + 1;
    }
    for (int axis = 0; axis < 3; axis++)
        if (size[axis] > TR_SOLID_FIELD_SIDE_MAX)
            return tr_fail(error, TR_BAD_INPUT,
                           "distance field of %lld samples along %c at cells of %.9g, expected at most %u",
                           (long long)size[axis], "xyz"[axis], field -> cell, TR_SOLID_FIELD_SIDE_MAX);
    if (size[0] * size[1] * size[2] > (int64_t)TR_SOLID_FIELD_SAMPLES_MAX)
        return tr_fail(error, TR_BAD_INPUT,
                       "distance field of %lld x %lld x %lld samples at cells of %.9g, expected at most %llu",
                       (long long)size[0], (long long)size[1], (long long)size[2], field->cell,
                       (unsigned long long)TR_SOLID_FIELD_SAMPLES_MAX);
    for (int axis = 0; axis < 3; axis++) {
        field->size[axis] = (uint32_t)size[axis];
        field->origin[axis] = (double)first[axis] * field->cell;
    }
    return TR_OK;
}

/* --- solid --- */

static struct ball ball_around(const struct solid *solid, uint32_t triangle)
{
    struct ball ball;
    double radius2 = 0.0;

    for (int axis = 0; axis < 3; axis++) {
        int64_t sum = 0;
        for (int k = 0; k < 3; k++)
            sum += solid->positions[solid->triangles[triangle][k]][axis];
        ball.centre[axis] = (float)((double)sum / (3.0 * LATTICE));
    }
    for (int k = 0; k < 3; k++) {
        double distance2 = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double at = (double)solid->positions[solid->triangles[triangle][k]][axis] / LATTICE;
            distance2 += (at - (double)ball.centre[axis]) * (at - (double)ball.centre[axis]);
        }
        radius2 = distance2 > radius2 ? distance2 : radius2;
    }
    /* one part in 2^20 more than a float may round away */
    ball.radius = (float)(sqrt(radius2) * (1.0 + 0x1p-20) + SLACK);
    return ball;
}

static enum tr_status solid_place(struct solid *solid, const struct tr_solid_mesh *mesh, double cell,
                                  const int64_t first[3], struct tr_error *error)
{
    solid->triangle_count = mesh->triangle_count;
    solid->triangles = (const uint32_t(*)[3])mesh->triangles;
    solid->positions = tr_alloc(mesh->vertex_count, sizeof *solid->positions, error);
    solid->balls = solid->positions ? tr_alloc(mesh->triangle_count, sizeof *solid->balls, error) : NULL;
    if (!solid->balls)
        return TR_IO;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            int64_t at = 0;
            lattice_from(mesh->positions[i][axis], cell, &at); /* the mesh's least and greatest fit */
            solid->positions[i][axis] = (int32_t)(at - first[axis] * LATTICE);
        }
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
        solid->balls[i] = ball_around(solid, i);
    return TR_OK;
}

/* --- signs --- */

/* A triangle as lines along x meet it; in lattice points. */
struct gate {
    const int32_t *corners[3];
    int64_t normal[3]; /* (b - a) x (c - a), each below 2^62 */
};

static struct gate gate_make(const struct solid *solid, uint32_t triangle)
{
    struct gate gate;
    int64_t ab[3], ac[3];

    for (int k = 0; k < 3; k++)
        gate.corners[k] = solid->positions[solid->triangles[triangle][k]];
    for (int axis = 0; axis < 3; axis++) {
        ab[axis] = (int64_t)gate.corners[1][axis] - gate.corners[0][axis];
        ac[axis] = (int64_t)gate.corners[2][axis] - gate.corners[0][axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        gate.normal[axis] = ab[next] * ac[last] - ab[last] * ac[next];
    }
    return gate;
}

/* On which side of the edge a -> b the line at (y, z) passes, +1 or -1. On the edge itself the line is taken
 * at (y + e, z + e^2) with e > 0 as small as one likes. */
static int side_of(const int32_t *a, const int32_t *b, int64_t y, int64_t z)
{
    int64_t dy = (int64_t)b[1] - a[1], dz = (int64_t)b[2] - a[2];
    int64_t area = dy * (z - a[2]) - dz * (y - a[1]);

    if (area == 0)
        area = dz != 0 ? -dz : dy;
    return area > 0 ? 1 : -1;
}

/* Whether the line at (y, z) passes through a gate that is not seen edge-on. */
static bool gate_is_crossed(const struct gate *gate, int64_t y, int64_t z)
{
    int side = gate->normal[0] > 0 ? 1 : -1;

    for (int k = 0; k < 3; k++)
        if (side_of(gate->corners[k], gate->corners[(k + 1) % 3], y, z) != side)
            return false;
    return true;
}

/* The first sample at or behind the place where the line at (y, z) crosses the gate. */
static uint32_t gate_sample(const struct gate *gate, int64_t y, int64_t z)
{
    const int32_t *a = gate->corners[0];
    wide place = (wide)a[0] * gate->normal[0] - (wide)gate->normal[1] * (y - a[1]) -
                 (wide)gate->normal[2] * (z - a[2]);
    wide unit = (wide)gate->normal[0] * LATTICE;

    /* the quotient is not below 0, so the division below rounds up */
    if (unit < 0) {
        unit = -unit;
        place = -place;
    }
    return (uint32_t)((place + unit - 1) / unit);
}

static int64_t min3(int64_t a, int64_t b, int64_t c)
{
    int64_t least = a < b ? a : b;
    return least < c ? least : c;
}

static int64_t max3(int64_t a, int64_t b, int64_t c)
{
    return -min3(-a, -b, -c);
}

/* The samples along one axis between a gate's least and greatest coordinate, both counted. */
struct range {
    int64_t first, last;
};

static struct range gate_range(const struct gate *gate, int axis)
{
    int64_t a = gate->corners[0][axis], b = gate->corners[1][axis], c = gate->corners[2][axis];
    return (struct range){(min3(a, b, c) + LATTICE - 1) / LATTICE, max3(a, b, c) / LATTICE};
}

/* Adds the triangle's crossings with the lines from first_line to end_line - 1; line l is the one at y = l /
 * size_z, z = l % size_z. */
static void crossings_add(const struct build *build, uint32_t triangle, int64_t first_line, int64_t end_line,
                          int32_t *crossings)
{
    struct gate gate = gate_make(&build->solid, triangle);
    int64_t size_x = build->field->size[0], size_z = build->field->size[2];
    struct range ys = gate_range(&gate, 1), zs = gate_range(&gate, 2);

    if (gate.normal[0] == 0)
        return;
    ys.first = ys.first > first_line / size_z ? ys.first : first_line / size_z;
    ys.last = ys.last < (end_line - 1) / size_z ? ys.last : (end_line - 1) / size_z;
    for (int64_t y = ys.first; y <= ys.last; y++) {
        int64_t z = zs.first > first_line - y * size_z ? zs.first : first_line - y * size_z;
        int64_t end = zs.last + 1 < end_line - y * size_z ? zs.last + 1 : end_line - y * size_z;
        for (; z < end; z++)
            if (gate_is_crossed(&gate, y * LATTICE, z * LATTICE)) {
                uint32_t x = gate_sample(&gate, y * LATTICE, z * LATTICE);
                assert(x < size_x);
                crossings[(y * size_z + z - first_line) * size_x + x] += gate.normal[0] < 0 ? 1 : -1;
            }
    }
}

/* Samples become -1 inside and 1 outside; those on the surface either. */
static enum tr_status task_signs(void *context, size_t index, int job, struct tr_error *error)
{
    const struct build *build = context;
    int32_t *crossings = build->works[job].crossings;
    size_t size_x = build->field->size[0];
    int64_t line_count = (int64_t)build->field->size[1] * build->field->size[2];
    int64_t first = (int64_t)index * build->lines;
    int64_t end = first + build->lines < line_count ? first + build->lines : line_count;
    int16_t *samples = build->field->samples + (size_t)first * size_x;

    (void)error;
    memset(crossings, 0, (size_t)(end - first) * size_x * sizeof *crossings);
    for (uint32_t i = 0; i < build->solid.triangle_count; i++)
        crossings_add(build, i, first, end, crossings);
    for (size_t line = 0; line < (size_t)(end - first); line++) {
        int32_t winding = 0;
        for (size_t x = 0; x < size_x; x++) {
            winding += crossings[line * size_x + x];
            samples[line * size_x + x] = winding != 0 ? -1 : 1;
        }
    }
    return TR_OK;
}

#define SIGNS_SAMPLES ((size_t)1 << 18) /* of a task, or one line */

static enum tr_status signs_make(struct build *build, struct tr_jobs *jobs, struct tr_error *error)
{
    size_t line_count = (size_t)build->field->size[1] * build->field->size[2];

    build->lines = (uint32_t)(SIGNS_SAMPLES / build->field->size[0]);
    for (int job = 0; job < tr_jobs_count(jobs); job++) {
        build->works[job].crossings =
            tr_alloc((size_t)build->lines * build->field->size[0], sizeof(int32_t), error);
        if (!build->works[job].crossings)
            return TR_IO;
    }
    return tr_jobs_run(jobs, (line_count + build->lines - 1) / build->lines, task_signs, build, error);
}

/* --- distances --- */

/* A triangle as distances need it; in cells. The normal is exact but for one rounding, as the products are
 * taken in integers: a sliver's would cancel away. */
struct facet {
    double corner[3][3];
    double edge[3][3];       /* from corner k to the next */
    double edge_inverse2[3]; /* 1 / its length squared; 0 for a length of 0 */
    double inward[3][3];     /* normal x edge: points across the edge to the third corner */
    double normal[3];
    double normal_inverse2; /* 1 / its length squared; 0 for an area of 0 */
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double inverse(double value)
{
    return value > 0.0 ? 1.0 / value : 0.0;
}

static struct facet facet_make(const struct solid *solid, uint32_t triangle)
{
    struct gate gate = gate_make(solid, triangle);
    struct facet facet;

    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < 3; axis++) {
            facet.corner[k][axis] = (double)gate.corners[k][axis] / LATTICE;
            facet.edge[k][axis] =
                (double)((int64_t)gate.corners[(k + 1) % 3][axis] - gate.corners[k][axis]) / LATTICE;
        }
    for (int axis = 0; axis < 3; axis++)
        facet.normal[axis] = (double)gate.normal[axis] / ((double)LATTICE * LATTICE);
    facet.normal_inverse2 = inverse(dot(facet.normal, facet.normal));
    for (int k = 0; k < 3; k++) {
        facet.edge_inverse2[k] = inverse(dot(facet.edge[k], facet.edge[k]));
        for (int axis = 0; axis < 3; axis++) {
            int next = (axis + 1) % 3, last = (axis + 2) % 3;
            facet.inward[k][axis] =
                facet.normal[next] * facet.edge[k][last] - facet.normal[last] * facet.edge[k][next];
        }
    }
    return facet;
}

#define FAR2 0x1p60 /* more than any distance squared */

/* The distance squared: to the plane where the point is above the triangle, else to the nearest edge. *away
 * gets the step from the nearest point of the triangle. Without branches: which case it is is hard to
 * predict. */
static inline double facet_nearest(const struct facet *facet, const double point[3], double away[3])
{
    double least = FAR2, inside = FAR2, height = 0.0, plane2;

    for (int k = 0; k < 3; k++) {
        double v[3] = {point[0] - facet->corner[k][0], point[1] - facet->corner[k][1],
                       point[2] - facet->corner[k][2]};
        double along = dot(v, facet->edge[k]) * facet->edge_inverse2[k], off[3], distance2;
        double across = dot(v, facet->inward[k]);
        along = along > 0.0 ? along : 0.0;
        along = along < 1.0 ? along : 1.0;
        for (int axis = 0; axis < 3; axis++)
            off[axis] = v[axis] - along * facet->edge[k][axis];
        distance2 = dot(off, off);
        for (int axis = 0; axis < 3; axis++)
            away[axis] = distance2 < least ? off[axis] : away[axis];
        least = distance2 < least ? distance2 : least;
        inside = across < inside ? across : inside;
        height = dot(v, facet->normal);
    }
    plane2 = inside > 0.0 ? height * height * facet->normal_inverse2 : FAR2;
    for (int axis = 0; axis < 3; axis++)
        away[axis] = plane2 < least ? facet->normal[axis] * (height * facet->normal_inverse2) : away[axis];
    return plane2 < least ? plane2 : least;
}

static double facet_distance2(const struct facet *facet, double x, double y, double z)
{
    const double point[3] = {x, y, z};
    double away[3] = {0};
    return facet_nearest(facet, point, away);
}

#define LEAF 2 /* samples a side of the smallest block */

struct block {
    uint32_t at[3]; /* first sample */
    uint32_t side;  /* in samples */
};

/* The candidates of a block: those of the job from `first` on. A brick begins with all triangles instead. */
struct list {
    bool is_all;
    bool has_facets;
    size_t first, count;
};

static double ball_distance(const struct ball *ball, const double centre[3])
{
    double x = centre[0] - (double)ball->centre[0], y = centre[1] - (double)ball->centre[1],
           z = centre[2] - (double)ball->centre[2];
    return sqrt(x * x + y * y + z * z) - (double)ball->radius;
}

static struct candidate list_candidate(const struct work *work, struct list list, size_t i)
{
    return list.is_all ? (struct candidate){(uint32_t)i, 0} : work->candidates[list.first + i];
}

/* A candidate's facet: kept, or else made in *room. */
static const struct facet *list_facet(const struct solid *solid, const struct work *work, struct list list,
                                      struct candidate candidate, struct facet *room)
{
    if (list.has_facets)
        return &work->facets[candidate.facet];
    *room = facet_make(solid, candidate.triangle);
    return room;
}

/* How a triangle lies to the centre of a block. */
struct view {
    double distance;
    double away[3]; /* of length 1, from the nearest point; 0 for a distance of 0 */
};

static struct view view_of(const struct facet *facet, const double centre[3])
{
    struct view view = {0};
    double scale;

    view.distance = sqrt(facet_nearest(facet, centre, view.away));
    scale = inverse(view.distance);
    for (int axis = 0; axis < 3; axis++)
        view.away[axis] *= scale;
    return view;
}

/* Whether a triangle is farther than another from all points within radius of the centre, beyond doubt by
 * rounding: whether it is farther from the centre c by more than the difference can shrink on a step s from
 * there. That is at most 2 |s|, as each distance changes by |s| at most. It is also at most |away - other's
 * away| |s| + s.s / (2 other's distance), which is far less where both lie in about the same direction:
 *
 *   distance(c + s) >= distance(c) + away.s             as the distance from a convex set is convex
 *   other(c + s)    <= |c + s - its nearest point to c| <= other(c) + its away.s + s.s / (2 other(c)) */
static bool view_is_behind(const struct view *view, const struct view *other, double radius)
{
    double off[3], turned, straight = 2.0 * radius;

    for (int axis = 0; axis < 3; axis++)
        off[axis] = view->away[axis] - other->away[axis];
    turned = sqrt(dot(off, off)) * radius + radius * radius * 0.5 * inverse(other->distance);
    if (other->distance > 0.0 && turned < straight)
        straight = turned;
    return view->distance > other->distance + straight + SLACK;
}

/* The view of the candidate whose ball is nearest to the centre: it leaves few others. */
static struct view first_view(const struct solid *solid, const struct work *work, struct list list,
                              const double centre[3])
{
    double least = FAR2;
    struct candidate nearest = {0};
    struct facet room;

    for (size_t i = 0; i < list.count; i++) {
        struct candidate candidate = list_candidate(work, list, i);
        double distance = ball_distance(&solid->balls[candidate.triangle], centre);
        if (distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
    return view_of(list_facet(solid, work, list, nearest, &room), centre);
}

/* Puts behind the given list the one of its candidates that may be the nearest of, and within REACH of, some
 * point within radius of the centre. The list is not empty. */
static enum tr_status list_narrow(const struct solid *solid, struct work *work, struct list list,
                                  const double centre[3], double radius, struct list *out,
                                  struct tr_error *error)
{
    struct view least = first_view(solid, work, list, centre);

    *out = (struct list){false, list.has_facets, list.is_all ? 0 : list.first + list.count, 0};
    for (size_t i = 0; i < list.count; i++) {
        struct candidate candidate = list_candidate(work, list, i);
        double bound =
            least.distance + 2.0 * radius < REACH + radius ? least.distance + 2.0 * radius : REACH + radius;
        struct facet room;
        struct view view;
        enum tr_status status;
        if (ball_distance(&solid->balls[candidate.triangle], centre) > bound + SLACK)
            continue;
        view = view_of(list_facet(solid, work, list, candidate, &room), centre);
        if (view.distance > REACH + radius + SLACK || view_is_behind(&view, &least, radius))
            continue;
        if (view.distance < least.distance)
            least = view;
        status = tr_grow(&work->candidates, &work->capacity, out->first + out->count + 1,
                         sizeof *work->candidates, error);
        if (status != TR_OK)
            return status;
        work->candidates[out->first + out->count++] = candidate;
    }
    return TR_OK;
}

#define FACETS_MAX 32768 /* of a job; 6.5 MB */

/* Makes the facets of a list for all blocks within its own, at the first one in which they are few enough. */
static void list_keep_facets(const struct solid *solid, struct work *work, struct list *list)
{
    if (list->has_facets || list->count > FACETS_MAX)
        return;
    for (size_t i = 0; i < list->count; i++) {
        struct candidate *candidate = &work->candidates[list->first + i];
        candidate->facet = (uint32_t)i;
        work->facets[i] = facet_make(solid, candidate->triangle);
    }
    list->has_facets = true;
}

/* One behind the block's last sample along an axis; bricks reach beyond the grid, which cuts them. */
static uint32_t block_end(const struct tr_solid_field *field, const struct block *block, int axis)
{
    uint32_t end = block->at[axis] + block->side;
    return end < field->size[axis] ? end : field->size[axis];
}

/* The samples of a block have their signs; they get the magnitude too. */
static void block_clamp(struct tr_solid_field *field, const struct block *block)
{
    for (uint32_t y = block->at[1]; y < block_end(field, block, 1); y++)
        for (uint32_t z = block->at[2]; z < block_end(field, block, 2); z++)
            for (uint32_t x = block->at[0]; x < block_end(field, block, 0); x++) {
                int16_t *sample = &field->samples[sample_index(field, x, y, z)];
                *sample = (int16_t)(*sample * SAMPLE_MAX);
            }
}

static int sample_magnitude(double distance2)
{
    double units = sqrt(distance2) * TR_SOLID_FIELD_UNITS;
    return units < SAMPLE_MAX ? (int)(units + 0.5) : SAMPLE_MAX;
}

/* Distances squared of a leaf's samples, by rows along x; row r is at y = r / LEAF, z = r % LEAF. */
#define ROWS (LEAF * LEAF)
struct leaf {
    double distances2[ROWS][LEAF];
};

static void leaf_add(struct leaf *leaf, const struct facet *facet, const struct block *block)
{
    int first = (int)block->at[0];

    for (uint32_t row = 0; row < ROWS; row++) {
        double y = (double)(block->at[1] + row / LEAF), z = (double)(block->at[2] + row % LEAF);
        double *distances2 = leaf->distances2[row];
        for (int x = 0; x < LEAF; x++) {
            double distance2 = facet_distance2(facet, (double)(first + x), y, z);
            distances2[x] = distance2 < distances2[x] ? distance2 : distances2[x];
        }
    }
}

static void leaf_fill(const struct build *build, const struct work *work, struct list list,
                      const struct block *block)
{
    struct tr_solid_field *field = build->field;
    struct leaf leaf;

    for (size_t i = 0; i < ROWS * LEAF; i++)
        leaf.distances2[i / LEAF][i % LEAF] = FAR2;
    for (size_t i = 0; i < list.count; i++) {
        struct facet room;
        leaf_add(&leaf, list_facet(&build->solid, work, list, list_candidate(work, list, i), &room), block);
    }
    for (uint32_t y = block->at[1]; y < block_end(field, block, 1); y++)
        for (uint32_t z = block->at[2]; z < block_end(field, block, 2); z++)
            for (uint32_t x = block->at[0]; x < block_end(field, block, 0); x++) {
                int16_t *sample = &field->samples[sample_index(field, x, y, z)];
                uint32_t row = (y - block->at[1]) * LEAF + (z - block->at[2]);
                *sample = (int16_t)(*sample * sample_magnitude(leaf.distances2[row][x - block->at[0]]));
            }
}

/* Fills a block from the candidates of the one around it. As deep as a brick is halved down to a leaf. */
static enum tr_status block_fill(const struct build *build, struct work *work, struct list list,
                                 struct block block, struct tr_error *error)
{
    double half = 0.5 * (double)(block.side - 1), radius = half * sqrt(3.0);
    double centre[3];
    enum tr_status status;

    for (int axis = 0; axis < 3; axis++) {
        if (block.at[axis] >= build->field->size[axis])
            return TR_OK;
        centre[axis] = (double)block.at[axis] + half;
    }
    status = list_narrow(&build->solid, work, list, centre, radius, &list, error);
    if (status != TR_OK)
        return status;
    list_keep_facets(&build->solid, work, &list);
    if (list.count == 0) {
        block_clamp(build->field, &block);
    } else if (block.side == LEAF) {
        leaf_fill(build, work, list, &block);
    } else {
        uint32_t side = block.side / 2;
        for (uint32_t i = 0; status == TR_OK && i < 8; i++) {
            struct block part = {{block.at[0] + (i & 1) * side, block.at[1] + (i >> 1 & 1) * side,
                                  block.at[2] + (i >> 2) * side},
                                 side};
            status = block_fill(build, work, list, part, error);
        }
    }
    return status;
}

static enum tr_status task_distances(void *context, size_t index, int job, struct tr_error *error)
{
    const struct build *build = context;
    struct list all = {true, false, 0, build->solid.triangle_count};
    struct block brick = {.side = build->brick_side};

    for (int axis = 0; axis < 3; axis++) {
        brick.at[axis] = (uint32_t)(index % build->brick_counts[axis]) * brick.side;
        index /= build->brick_counts[axis];
    }
    return block_fill(build, &build->works[job], all, brick, error);
}

/* Each brick goes through all triangles once: not many bricks, but enough for many processors. */
#define BRICK_SIDE 32u
#define BRICKS_MAX 512u

static enum tr_status distances_make(struct build *build, struct tr_jobs *jobs, struct tr_error *error)
{
    size_t brick_count;

    for (int job = 0; job < tr_jobs_count(jobs); job++) {
        build->works[job].facets = tr_alloc(FACETS_MAX, sizeof(struct facet), error);
        if (!build->works[job].facets)
            return TR_IO;
    }
    build->brick_side = BRICK_SIDE / 2;
    do {
        brick_count = 1;
        build->brick_side *= 2;
        for (int axis = 0; axis < 3; axis++) {
            build->brick_counts[axis] =
                (build->field->size[axis] + build->brick_side - 1) / build->brick_side;
            brick_count *= build->brick_counts[axis];
        }
    } while (brick_count > BRICKS_MAX);
    return tr_jobs_run(jobs, brick_count, task_distances, build, error);
}

/* --- field --- */

static void build_release(struct build *build, struct tr_jobs *jobs)
{
    free(build->solid.positions);
    free(build->solid.balls);
    for (int job = 0; build->works && job < tr_jobs_count(jobs); job++) {
        free(build->works[job].candidates);
        free(build->works[job].facets);
        free(build->works[job].crossings);
    }
    free(build->works);
}

enum tr_status tr_solid_field_make(const struct tr_solid_mesh *mesh, double cell, uint32_t margin,
                                   struct tr_jobs *jobs, struct tr_solid_field *field, struct tr_error *error)
{
    struct build build = {.field = field};
    int64_t first[3];
    enum tr_status status;

    *field = (struct tr_solid_field){.cell = cell};
    if (!(cell > 0.0) || !isfinite(cell))
        return tr_fail(error, TR_BAD_INPUT, "distance field with cells of %.9g, expected more than 0", cell);
    if (margin > TR_SOLID_FIELD_MARGIN_MAX)
        return tr_fail(error, TR_BAD_INPUT, "distance field with a margin of %u cells, expected at most %u",
                       margin, TR_SOLID_FIELD_MARGIN_MAX);
    status = grid_place(mesh, margin, field, first, error);
    if (status != TR_OK)
        return status;
    field->samples =
        tr_alloc((size_t)field->size[0] * field->size[1] * field->size[2], sizeof *field->samples, error);
    build.works = field->samples ? tr_alloc((size_t)tr_jobs_count(jobs), sizeof *build.works, error) : NULL;
    status = build.works ? solid_place(&build.solid, mesh, cell, first, error) : TR_IO;
    if (status == TR_OK)
        status = signs_make(&build, jobs, error);
    if (status == TR_OK)
        status = distances_make(&build, jobs, error);
    build_release(&build, jobs);
    if (status != TR_OK)
        tr_solid_field_release(field);
    return status;
}

void tr_solid_field_release(struct tr_solid_field *field)
{
    free(field->samples);
    *field = (struct tr_solid_field){0};
}

double tr_solid_field_at(const struct tr_solid_field *field, const double point[3])
{
    uint32_t low[3], high[3];
    double part[3], sum = 0.0;

    for (int axis = 0; axis < 3; axis++) {
        double last = (double)(field->size[axis] - 1), at = (point[axis] - field->origin[axis]) / field->cell;
        at = at > 0.0 ? at : 0.0;
        at = at < last ? at : last;
        low[axis] = (uint32_t)at;
        high[axis] = low[axis] + (low[axis] + 1 < field->size[axis]);
        part[axis] = at - (double)low[axis];
    }
    for (int i = 0; i < 8; i++) {
        uint32_t x = i & 1 ? high[0] : low[0], y = i & 2 ? high[1] : low[1], z = i & 4 ? high[2] : low[2];
        double weight = (i & 1 ? part[0] : 1.0 - part[0]) * (i & 2 ? part[1] : 1.0 - part[1]) *
                        (i & 4 ? part[2] : 1.0 - part[2]);
        sum += weight * (double)field->samples[sample_index(field, x, y, z)];
    }
    return sum / TR_SOLID_FIELD_UNITS * field->cell;
}
