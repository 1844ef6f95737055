/* The triangulations of a case's loops, numbered from 0: the fixed order in which they are tried.
 *
 * Loops that bound disks are independent: a number's digits are one triangulation each. A polygon's
 * triangulation is its triangle at the side from the last corner to the first, then what is before that
 * triangle's apex and what is behind.
 *
 * Between two loops that bound a ring, every triangle has a side on one loop and its third corner on the
 * other. Going round once meets all sides of both; the order in which they are met is the triangulation. */
#include "lib/mesh/gen/case_gen.h"

/* Triangulations of a polygon with `corners` corners: a Catalan number. A "polygon" of two corners is an
 * edge, and has one. */
static unsigned polygon_count(int corners)
{
    unsigned count = 0;

    if (corners <= 2)
        return 1;
    for (int apex = 1; apex < corners - 1; apex++)
        count += polygon_count(apex + 1) * polygon_count(corners - apex);
    return count;
}

static void add_triangle(struct triangles *out, int a, int b, int c)
{
    int *edge = out->edge[out->count++];

    edge[0] = a;
    edge[1] = b;
    edge[2] = c;
}

/* Adds triangulation `rank` of the polygon loop[first..last]. The apex is the most significant digit of the
 * rank, then the part before it, then the part behind. */
static void build_polygon(const int *loop, int first, int last, unsigned rank, struct triangles *out)
{
    if (last - first < 2)
        return;
    for (int apex = first + 1; apex < last; apex++) {
        unsigned behind = polygon_count(last - apex + 1);
        unsigned both = polygon_count(apex - first + 1) * behind;

        if (rank < both) {
            add_triangle(out, loop[first], loop[apex], loop[last]);
            build_polygon(loop, first, apex, rank / behind, out);
            build_polygon(loop, apex, last, rank % behind, out);
            return;
        }
        rank -= both;
    }
}

/* The rank of a ring has one bit for each step, the first step's the highest: 0 takes the next side of the
 * first loop, 1 the next of the second. Above these bits is the corner of the second loop across from the
 * first loop's first corner. */
static unsigned ring_count(const struct loops *loops)
{
    return (unsigned)loops->length[1] << (loops->length[0] + loops->length[1]);
}

static bool build_ring(const struct loops *loops, unsigned rank, struct triangles *out)
{
    const int *outer = loops->edge[0], *inner = loops->edge[1];
    int outer_length = loops->length[0], inner_length = loops->length[1];
    int steps = outer_length + inner_length;
    int o = 0, i = (int)(rank >> steps), inner_steps = 0;

    for (int n = steps - 1; n >= 0; n--) {
        if (rank >> n & 1) {
            int before =
                (i + inner_length - 1) % inner_length; /* the ring is on the other side of this loop */

            add_triangle(out, outer[o], inner[before], inner[i]);
            i = before;
            inner_steps++;
        } else {
            int after = (o + 1) % outer_length;

            add_triangle(out, outer[o], outer[after], inner[i]);
            o = after;
        }
    }
    return inner_steps == inner_length;
}

unsigned candidate_count(const struct loops *loops)
{
    unsigned count = 1;

    if (loops->bound_ring)
        return ring_count(loops);
    for (int i = 0; i < loops->count; i++)
        count *= polygon_count(loops->length[i]);
    return count;
}

bool build_candidate(const struct loops *loops, unsigned rank, struct triangles *out)
{
    out->count = 0;
    if (loops->bound_ring)
        return build_ring(loops, rank, out);
    for (int i = 0; i < loops->count; i++) {
        unsigned count = polygon_count(loops->length[i]);

        build_polygon(loops->edge[i], 0, loops->length[i] - 1, rank % count, out);
        rank /= count;
    }
    return true;
}
