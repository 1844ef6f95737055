/* Bounds of what code computes over a box of points.
 *
 * They are those of the kernels' own floats: the formula's true range for the words as they are, widened by what rounding
 * may add. The largest number that a leaf adds or subtracts near the end is at most `size`, the sum of its operands' and the box's
 * coordinates; a leaf has some ten roundings of 2^-24 of that, a blend fewer; LEAF_ERROR and BLEND_ERROR allow many times as much.
 *
 * Ranges: a distance from a segment or line is convex, so it lies above its tangent plane at the box's middle, and it changes by no more
 * than the way; boxes, cylinders and pieces of tubes follow from intervals of their faces, to which they are monotone; the ellipsoid's
 * estimate from those of n and m, whose quotient lies between the least and the greatest radius. Cones, links and polyhedra are
 * distances, and a height map is the greater of two numbers that change by no more than the way: their value in the middle, and the way.
 * Samples of a field beside each other differ by a cell and the rounding of samples, so between them it changes by less than GRID_SLOPE
 * times the way; beside the grid by less than that, too. Unions are monotone in both operands.
 *
 * Points that a modifier moves lie in a box again (tree_box.c has the same the other way): a twist keeps them in the square around the circle
 * through the farthest corner, and so on. */
#include "lib/edit/tree_parts.h"

#include "lib/base/dmath.h"

#define LEAF_ERROR 0x1p-19  /* of size */
#define BLEND_ERROR 0x1p-20 /* of the operands and the width */
#define POINT_ERROR 0x1p-20 /* of size: what a modifier's own arithmetic may move a point by */
#define TURN_ERROR 0x1p-18  /* of a distance from the axis: sin and cos are no exact pair */
#define GRID_SLOPE 1.75     /* sqrt 3 (1 + 1/256) */
#define NOISE_MOST 2.251    /* brush_noise.h, and rounding */

static struct tr_span widened(struct tr_span span, double by)
{
    return (struct tr_span){span.lo - by, span.hi + by};
}

static struct tr_span negated(struct tr_span span)
{
    return (struct tr_span){-span.hi, -span.lo};
}

static double greatest(struct tr_span span)
{
    return tr_greatest(fabs(span.lo), fabs(span.hi));
}

/* The magnitudes of a span's numbers. */
static struct tr_span magnitude(struct tr_span span)
{
    return (struct tr_span){tr_greatest(tr_greatest(span.lo, -span.hi), 0.0), greatest(span)};
}

/* The squares of a span's numbers. */
static struct tr_span squared(struct tr_span span)
{
    struct tr_span m = magnitude(span);

    return (struct tr_span){m.lo * m.lo, m.hi * m.hi};
}

struct tr_region tr_region_make(const double lo[3], const double hi[3])
{
    struct tr_region region = {.size = 1.0};

    for (int i = 0; i < 3; i++) {
        region.middle[i] = 0.5 * (lo[i] + hi[i]);
        region.half[i] = 0.5 * (hi[i] - lo[i]);
        region.size += tr_greatest(fabs(lo[i]), fabs(hi[i]));
    }
    region.way = sqrt(tr_dot(region.half, region.half));
    return region;
}

/* r.p over a region. */
static struct tr_span row_span(const double r[3], const struct tr_region *region)
{
    double reach = fabs(r[0]) * region->half[0] + fabs(r[1]) * region->half[1] + fabs(r[2]) * region->half[2];

    return widened((struct tr_span){tr_dot(r, region->middle), tr_dot(r, region->middle)}, reach);
}

static double word_number(const uint32_t *words, uint32_t at)
{
    return (double)tr_word_float(words, at);
}

static void word_numbers(const uint32_t *words, uint32_t at, double numbers[3])
{
    for (uint32_t i = 0; i < 3; i++)
        numbers[i] = word_number(words, at + i);
}

/* The sum of the magnitudes of three words' numbers. */
static double words_size(const uint32_t *words, uint32_t at)
{
    return fabs(word_number(words, at)) + fabs(word_number(words, at + 1)) + fabs(word_number(words, at + 2));
}

/* Of the round whose words begin at `at`; its error is left to the caller, who adds round_size. */
static struct tr_span round_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double c[3], u[3], q[3], v[3], t0 = word_number(words, at + 6), t1 = word_number(words, at + 7);
    double radius = word_number(words, at + 8), along, length, tilt = 0.0;

    word_numbers(words, at, c);
    word_numbers(words, at + 3, u);
    for (int i = 0; i < 3; i++)
        q[i] = region->middle[i] - c[i];
    along = tr_dot(q, u);
    along = along < t0 ? t0 : along > t1 ? t1 : along;
    for (int i = 0; i < 3; i++)
        v[i] = q[i] - along * u[i];
    length = sqrt(tr_dot(v, v));
    for (int i = 0; i < 3 && length > 0.0; i++)
        tilt += fabs(v[i]) / length * region->half[i];
    return (struct tr_span){length - tilt - radius, length + region->way - radius};
}

static double round_size(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    return region->size + words_size(words, at) + word_number(words, at + 8);
}

/* As tr_over_faces. */
static double over(double x, double y, double z)
{
    double out[3] = {tr_greatest(x, 0.0), tr_greatest(y, 0.0), tr_greatest(z, 0.0)};

    return sqrt(tr_dot(out, out)) + tr_least(tr_greatest(x, tr_greatest(y, z)), 0.0);
}

static double over_plane(double x, double y)
{
    return over(x, y, tr_least(tr_least(x, y), 0.0));
}

/* The farther one of two parallel faces, at g + a and b - g. */
static struct tr_span faces_span(struct tr_span g, double a, double b)
{
    return (struct tr_span){tr_greatest(tr_greatest(g.lo + a, b - g.hi), 0.5 * (a + b)),
                            tr_greatest(g.hi + a, b - g.lo)};
}

static struct tr_span box_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double size = region->size + words_size(words, at + 9) + words_size(words, at + 12), row[3];
    struct tr_span e[3];

    for (uint32_t i = 0; i < 3; i++) {
        word_numbers(words, at + 3 * i, row);
        e[i] = faces_span(row_span(row, region), word_number(words, at + 9 + i),
                          word_number(words, at + 12 + i));
    }
    return widened((struct tr_span){over(e[0].lo, e[1].lo, e[2].lo), over(e[0].hi, e[1].hi, e[2].hi)},
                   LEAF_ERROR * size);
}

static struct tr_span cylinder_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double a = word_number(words, at + 11), b = word_number(words, at + 12), u[3];
    double size = round_size(words, at, region) + fabs(a) + fabs(b);
    struct tr_span side = round_span(words, at, region), cap;

    word_numbers(words, at + 3, u);
    cap = faces_span(row_span(u, region), a, b);
    return widened((struct tr_span){over_plane(side.lo, cap.lo), over_plane(side.hi, cap.hi)},
                   LEAF_ERROR * size);
}

static struct tr_span torus_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double h = word_number(words, at + 11), tube = word_number(words, at + 12), u[3];
    double size = round_size(words, at, region) + fabs(h) + tube;
    struct tr_span side = squared(round_span(words, at, region)), up;

    word_numbers(words, at + 3, u);
    up = row_span(u, region);
    up = squared((struct tr_span){up.lo + h, up.hi + h});
    return widened((struct tr_span){sqrt(side.lo + up.lo) - tube, sqrt(side.hi + up.hi) - tube},
                   LEAF_ERROR * size);
}

static struct tr_span cone_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double size = round_size(words, at, region) + words_size(words, at + 11) + words_size(words, at + 14);
    double d = (double)tr_leaf_cone(words, at, (float)region->middle[0], (float)region->middle[1],
                                    (float)region->middle[2]);

    return widened((struct tr_span){d, d}, region->way + 2.0 * LEAF_ERROR * size); /* d has the error, too */
}

/* n (n - 1) / m of tr_leaf_ellipsoid, given the squares of n and m. */
static struct tr_span estimate_span(struct tr_span n2, struct tr_span m2, double least, double most)
{
    struct tr_span n = {sqrt(n2.lo), sqrt(n2.hi)}, ratio = {least, most}, estimate; /* ratio: n / m */

    ratio.lo = tr_greatest(ratio.lo, sqrt(n2.lo / m2.hi));
    if (m2.lo > 0.0)
        ratio.hi = tr_least(ratio.hi, sqrt(n2.hi / m2.lo));
    estimate.lo = (n.lo - 1.0) * (n.lo < 1.0 ? ratio.hi : ratio.lo);
    estimate.hi = (n.hi - 1.0) * (n.hi < 1.0 ? ratio.lo : ratio.hi);
    if (n.lo < 0x1p-9) /* perhaps the middle, which has a value of its own */
        estimate = (struct tr_span){tr_least(estimate.lo, -least), tr_greatest(estimate.hi, -least)};
    return widened(estimate, LEAF_ERROR * (1.0 + n.hi) * ratio.hi);
}

static struct tr_span ellipsoid_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double radii[3], row[3], out_lo[3], out_hi[3], least, most;
    struct tr_span n2 = {0, 0}, m2 = {0, 0}, estimate, box;

    word_numbers(words, at + 12, radii);
    for (uint32_t i = 0; i < 3; i++) {
        double t = word_number(words, at + 9 + i), r2 = radii[i] * radii[i];
        struct tr_span q, q2;

        word_numbers(words, at + 3 * i, row);
        q = row_span(row, region);
        q2 = squared(widened((struct tr_span){q.lo + t, q.hi + t}, LEAF_ERROR * (region->size + fabs(t))));
        n2.lo += q2.lo / r2;
        n2.hi += q2.hi / r2;
        m2.lo += q2.lo / (r2 * r2);
        m2.hi += q2.hi / (r2 * r2);
        out_lo[i] = sqrt(q2.lo) - radii[i];
        out_hi[i] = sqrt(q2.hi) - radii[i];
    }
    least = tr_least(radii[0], tr_least(radii[1], radii[2]));
    most = tr_greatest(radii[0], tr_greatest(radii[1], radii[2]));
    estimate = estimate_span(n2, m2, least, most);
    box = (struct tr_span){over(out_lo[0], out_lo[1], out_lo[2]), over(out_hi[0], out_hi[1], out_hi[2])};
    box = widened(box, LEAF_ERROR * (greatest(box) + most));
    return (struct tr_span){tr_greatest(estimate.lo, box.lo), tr_greatest(estimate.hi, box.hi)};
}

/* Of a leaf that is a distance, or another number that changes by no more than `slope` times the way, from its value in the middle; that
 * has the error, too. */
static struct tr_span around(float middle, double slope, double error, const struct tr_region *region)
{
    return widened((struct tr_span){(double)middle, (double)middle}, slope * region->way + 2.0 * error);
}

static struct tr_span plane_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double n[3], p0 = word_number(words, at + 3);
    struct tr_span span;

    word_numbers(words, at, n);
    span = row_span(n, region);
    return widened((struct tr_span){span.lo + p0, span.hi + p0}, LEAF_ERROR * (region->size + fabs(p0)));
}

static struct tr_span link_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double size = region->size + words_size(words, at + 9) + words_size(words, at + 12);

    return around(
        tr_leaf_link(words, at, (float)region->middle[0], (float)region->middle[1], (float)region->middle[2]),
        1.0, LEAF_ERROR * size, region);
}

/* What rounding may add to the distance from a triangle: its plane's normal is a difference of products as large as the square of the
 * longest edge, which tilts that of a thin one. */
static double triangle_error(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double p[3][3], e[3], f[3], n[3], longest2 = 0.0, size = region->size;

    for (uint32_t k = 0; k < 3; k++)
        word_numbers(words, at + 3 * k, p[k]);
    for (int k = 0; k < 3; k++) {
        double edge[3];

        for (int i = 0; i < 3; i++) {
            edge[i] = p[(k + 1) % 3][i] - p[k][i];
            e[i] = k == 0 ? edge[i] : e[i];
            f[i] = k == 1 ? edge[i] : f[i];
        }
        longest2 = tr_greatest(longest2, tr_dot(edge, edge));
        size = tr_greatest(size, region->size + words_size(words, at + 3 * (uint32_t)k));
    }
    tr_cross(e, f, n);
    return LEAF_ERROR * size * (1.0 + longest2 / tr_greatest(sqrt(tr_dot(n, n)), 0x1p-40));
}

static struct tr_span polyhedron_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    uint32_t triangles = words[at + 2], first = at + 3 + 4 * words[at + 1];
    double error = 0.0;

    for (uint32_t k = 0; k < triangles; k++)
        error = tr_greatest(error, triangle_error(words, first + 9 * k, region));
    return around(tr_leaf_polyhedron(words, at, (float)region->middle[0], (float)region->middle[1],
                                     (float)region->middle[2]),
                  1.0, error, region);
}

/* ---- tubes ---- */

/* What a piece's profile is computed from, over a region. */
struct piece {
    struct tr_span away; /* |w| */
    struct tr_span radius;
    struct tr_span along;     /* w.axis: how far beyond an end, 0 between */
    struct tr_span side, top; /* w.side, w.top, which are those of the point itself */
    bool touches_ends, touches_between;
    double size;
};

static struct piece piece_over(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    struct piece piece = {.size = region->size + words_size(words, at) + words_size(words, at + 3)};
    double from[3], e[3], row[3], length, radius = word_number(words, at + 7),
                                          more = word_number(words, at + 8);
    double v[3], t, w[3], slack;
    struct tr_span axis;

    word_numbers(words, at, from);
    word_numbers(words, at + 3, e);
    length = sqrt(tr_dot(e, e));
    piece.size += fabs(radius) + fabs(more);
    slack = LEAF_ERROR * piece.size;
    word_numbers(words, at + 9, row);
    axis = row_span(row, region);
    axis = widened((struct tr_span){axis.lo - tr_dot(row, from), axis.hi - tr_dot(row, from)}, slack);
    piece.touches_ends = axis.lo <= 0.0 || axis.hi >= length;
    piece.touches_between = axis.hi >= 0.0 && axis.lo <= length;
    piece.along.lo = tr_greatest(tr_greatest(-axis.hi, axis.lo - length), 0.0);
    piece.along.hi = tr_greatest(tr_greatest(-axis.lo, axis.hi - length), 0.0);
    for (int i = 0; i < 2; i++) {
        double *end = i == 0 ? &axis.lo : &axis.hi, place = *end / length;

        place = place < 0.0 ? 0.0 : place > 1.0 ? 1.0 : place;
        *end = radius + place * more;
    }
    piece.radius = (struct tr_span){tr_least(axis.lo, axis.hi), tr_greatest(axis.lo, axis.hi)};
    for (uint32_t i = 0; i < 2; i++) {
        struct tr_span *across = i == 0 ? &piece.side : &piece.top;

        word_numbers(words, at + 12 + 3 * i, row);
        *across = row_span(row, region);
        *across =
            widened((struct tr_span){across->lo - tr_dot(row, from), across->hi - tr_dot(row, from)}, slack);
    }
    for (int i = 0; i < 3; i++)
        v[i] = region->middle[i] - from[i];
    t = tr_dot(v, e) / tr_dot(e, e);
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    for (int i = 0; i < 3; i++)
        w[i] = v[i] - t * e[i];
    t = sqrt(tr_dot(w, w));
    piece.away = (struct tr_span){tr_greatest(t - region->way, 0.0), t + region->way};
    return piece;
}

static struct tr_span square_span(const struct piece *piece)
{
    struct tr_span side = magnitude(piece->side), top = magnitude(piece->top), d;

    side = (struct tr_span){side.lo - piece->radius.hi, side.hi - piece->radius.lo};
    top = (struct tr_span){top.lo - piece->radius.hi, top.hi - piece->radius.lo};
    d.lo = piece->touches_between ? over_plane(side.lo, top.lo) : over(side.lo, top.lo, piece->along.lo);
    d.hi = piece->touches_ends ? over(side.hi, top.hi, piece->along.hi) : over_plane(side.hi, top.hi);
    return d;
}

struct tr_span tr_piece_span(const uint32_t *words, uint32_t at, uint32_t profile,
                             const struct tr_region *region)
{
    struct piece piece = piece_over(words, at, region);
    struct tr_span d;

    if (profile == TR_PROFILE_SQUARE) {
        d = square_span(&piece);
    } else {
        d = (struct tr_span){piece.away.lo - piece.radius.hi, piece.away.hi - piece.radius.lo};
        if (profile == TR_PROFILE_ARCH) {
            d.lo = tr_greatest(d.lo, -piece.top.hi - 0.5 * piece.radius.hi);
            d.hi = tr_greatest(d.hi, -piece.top.lo - 0.5 * piece.radius.lo);
        }
    }
    return widened(d, 4.0 * LEAF_ERROR * piece.size);
}

static struct tr_span tube_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    struct tr_span d = {TR_ROUND_ENDLESS, TR_ROUND_ENDLESS};

    for (uint32_t i = 0; i < words[at + 2]; i++) {
        struct tr_span one = tr_piece_span(words, at + 3 + TR_TUBE_SEGMENT_WORDS * i, words[at + 1], region);

        d = (struct tr_span){tr_least(d.lo, one.lo), tr_least(d.hi, one.hi)};
    }
    return d;
}

/* ---- pictures and fields ---- */

static struct tr_span heights_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double size = region->size + words_size(words, at + 10) + words_size(words, at + 13) +
                  fabs(word_number(words, at + 16));
    double t[3], row[3], out[3];
    struct tr_span d = around(tr_leaf_heights(words, at, (float)region->middle[0], (float)region->middle[1],
                                              (float)region->middle[2]),
                              1.0, 4.0 * LEAF_ERROR * size, region);

    word_numbers(words, at + 10, t);
    for (uint32_t i = 0; i < 3; i++) {
        double half = word_number(words, at + 13 + i);
        struct tr_span q;

        word_numbers(words, at + 1 + 3 * i, row);
        q = row_span(row, region);
        q = magnitude((struct tr_span){q.lo + t[i], q.hi + t[i]});
        out[i] = q.lo - half;
    }
    d.lo = tr_greatest(d.lo, over(out[0], out[1], out[2]) - LEAF_ERROR * size);
    d.hi = tr_greatest(d.hi, d.lo);
    return d;
}

static struct tr_span grid_span(const uint32_t *words, uint32_t at, const struct tr_region *region)
{
    double cell = word_number(words, at + 25), size = region->size, t[3], row[3], out[3];
    struct tr_span d;

    word_numbers(words, at + 10, t);
    for (uint32_t i = 0; i < 3; i++) {
        double least = word_number(words, at + 19 + i), most = word_number(words, at + 22 + i);
        struct tr_span g;

        word_numbers(words, at + 1 + 3 * i, row);
        g = row_span(row, region);
        g = (struct tr_span){g.lo + t[i], g.hi + t[i]};
        out[i] = tr_greatest(least - g.hi, g.lo - most);
        size += cell * (fabs(t[i]) + fabs(least) + fabs(most) + fabs(word_number(words, at + 16 + i)));
    }
    d = around(
        tr_leaf_grid(words, at, (float)region->middle[0], (float)region->middle[1], (float)region->middle[2]),
        GRID_SLOPE, 4.0 * LEAF_ERROR * size, region);
    d.lo = tr_greatest(d.lo, cell * over(out[0], out[1], out[2]) - 4.0 * LEAF_ERROR * size);
    d.hi = tr_greatest(d.hi, d.lo);
    return d;
}

/* ---- code ---- */

struct tr_span tr_leaf_span(const uint32_t *words, uint32_t at, const struct tr_region *region,
                            uint32_t *count)
{
    uint32_t code = words[at++];

    *count = 1 + (code >= TR_CODE_POLYHEDRON ? words[at] : 0);
    switch (code) {
    case TR_CODE_BOX:
        *count += TR_CODE_BOX_WORDS;
        return box_span(words, at, region);
    case TR_CODE_CYLINDER:
        *count += TR_CODE_CYLINDER_WORDS;
        return cylinder_span(words, at, region);
    case TR_CODE_TORUS:
        *count += TR_CODE_TORUS_WORDS;
        return torus_span(words, at, region);
    case TR_CODE_CONE:
        *count += TR_CODE_CONE_WORDS;
        return cone_span(words, at, region);
    case TR_CODE_ELLIPSOID:
        *count += TR_CODE_ELLIPSOID_WORDS;
        return ellipsoid_span(words, at, region);
    case TR_CODE_PLANE:
        *count += TR_CODE_PLANE_WORDS;
        return plane_span(words, at, region);
    case TR_CODE_LINK:
        *count += TR_CODE_LINK_WORDS;
        return link_span(words, at, region);
    case TR_CODE_POLYHEDRON:
        return polyhedron_span(words, at, region);
    case TR_CODE_TUBE:
        return tube_span(words, at, region);
    case TR_CODE_HEIGHTS:
        return heights_span(words, at, region);
    case TR_CODE_GRID:
        return grid_span(words, at, region);
    default:
        *count += TR_CODE_ROUND_WORDS;
        return widened(round_span(words, at, region), LEAF_ERROR * round_size(words, at, region));
    }
}

/* Of the instruction BLEND whose operands begin at `at`; x and y as in tr_tree_blend. */
struct tr_span tr_blend_span(const uint32_t *words, uint32_t at, struct tr_span x, struct tr_span y)
{
    uint32_t operation = words[at] & 255u, blend = words[at + 1];
    float k = tr_word_float(words, at + 2), a = tr_word_float(words, at + 3),
          b = tr_word_float(words, at + 4);
    double error;
    struct tr_span result;

    x = operation == TR_BLEND_UNION ? x : negated(x);
    y = operation == TR_BLEND_INTERSECT ? negated(y) : y;
    if (blend == TR_BLEND_HARD) {
        result = (struct tr_span){tr_least(x.lo, y.lo), tr_least(x.hi, y.hi)};
    } else {
        error = BLEND_ERROR * (greatest(x) + greatest(y) + (double)k);
        result.lo = (double)tr_blend_min(blend, k, a, b, (float)x.lo, (float)y.lo);
        result.hi = (double)tr_blend_min(blend, k, a, b, (float)x.hi, (float)y.hi);
        result = widened(result, error);
    }
    return operation == TR_BLEND_UNION ? result : negated(result);
}

struct tr_span tr_alter_span(const uint32_t *words, uint32_t at, struct tr_span x)
{
    double by = word_number(words, at + 1);
    struct tr_span by_span = {by, by};

    if (words[at] == TR_CODE_ONION)
        x = magnitude(x);
    if (words[at] == TR_CODE_DISPLACE) {
        by = NOISE_MOST * by * tr_octaves_weight(words[at + 3]);
        by_span = (struct tr_span){-by, by};
    }
    return widened((struct tr_span){x.lo - by_span.hi, x.hi - by_span.lo},
                   BLEND_ERROR * (greatest(x) + greatest(by_span)));
}

/* ---- points ---- */

static struct tr_region region_widened(const double lo[3], const double hi[3], double by)
{
    double from[3], to[3];

    for (int i = 0; i < 3; i++) {
        from[i] = lo[i] - by;
        to[i] = hi[i] + by;
    }
    return tr_region_make(from, to);
}

struct tr_region tr_region_push(const struct tr_region *region, const double r[3][3], const double t[3])
{
    double lo[3], hi[3];

    for (int i = 0; i < 3; i++) {
        struct tr_span q = row_span(r[i], region);

        lo[i] = q.lo + t[i];
        hi[i] = q.hi + t[i];
    }
    return region_widened(lo, hi, POINT_ERROR * (region->size + fabs(t[0]) + fabs(t[1]) + fabs(t[2])));
}

static double clamped(double v, double half)
{
    return v < -half ? -half : v > half ? half : v;
}

struct tr_region tr_region_move(const struct tr_region *region, uint32_t code, const double *operands)
{
    double lo[3], hi[3], d;
    int second = code == TR_CODE_TWIST ? 2 : 1; /* the other axis of the plane of x in which points turn */

    for (int i = 0; i < 3; i++) {
        lo[i] = region->middle[i] - region->half[i];
        hi[i] = region->middle[i] + region->half[i];
    }
    if (code == TR_CODE_ELONGATE) {
        for (int i = 0; i < 3; i++) {
            lo[i] = lo[i] - clamped(lo[i], operands[i]);
            hi[i] = hi[i] - clamped(hi[i], operands[i]);
        }
    } else if (code == TR_CODE_TAPER) {
        double widest = 1.0 + operands[1];

        for (int i = 0; i < 3; i += 2) {
            lo[i] = tr_least(lo[i], lo[i] * widest);
            hi[i] = tr_greatest(hi[i], hi[i] * widest);
        }
    } else {
        double one = tr_greatest(fabs(lo[0]), fabs(hi[0])),
               two = tr_greatest(fabs(lo[second]), fabs(hi[second]));

        d = sqrt(one * one + two * two) * (1.0 + TURN_ERROR);
        lo[0] = lo[second] = -d;
        hi[0] = hi[second] = d;
    }
    d = 0.0;
    for (int i = 0; i < 3; i++)
        d += tr_greatest(fabs(lo[i]), fabs(hi[i]));
    return region_widened(lo, hi, POINT_ERROR * (region->size + d));
}

/* The region that the instruction at words[at] leads to; *count is how many words it has. */
static struct tr_region region_after(const uint32_t *words, uint32_t at, const struct tr_region *region,
                                     uint32_t *count)
{
    uint32_t code = words[at++];
    double r[3][3], t[3], operands[3] = {0, 0, 0};

    if (code == TR_CODE_POINT_PUSH) {
        for (uint32_t i = 0; i < 3; i++)
            word_numbers(words, at + 3 * i, r[i]);
        word_numbers(words, at + 9, t);
        *count = 1 + TR_CODE_POINT_PUSH_WORDS;
        return tr_region_push(region, (const double(*)[3])r, t);
    }
    *count = 1 + (code == TR_CODE_ELONGATE ? TR_CODE_ELONGATE_WORDS
                  : code == TR_CODE_TAPER  ? TR_CODE_TAPER_WORDS
                                           : TR_CODE_TWIST_WORDS);
    for (uint32_t i = 0; i + 1 < *count; i++)
        operands[i] = word_number(words, at + i);
    return tr_region_move(region, code, operands);
}

void tr_code_bounds(const uint32_t *words, uint32_t at, const double lo[3], const double hi[3], double *least,
                    double *most)
{
    struct tr_region kept[TR_TREE_POINTS], region = tr_region_make(lo, hi);
    struct tr_span stack[TR_TREE_STACK] = {{0, 0}};
    uint32_t top = 0, depth = 0, count; /* top: distances; depth: regions kept */

    while (words[at] != TR_CODE_END) {
        uint32_t code = words[at];

        if (code == TR_CODE_POINT_POP) {
            region = kept[--depth];
            count = 1;
        } else if (code >= TR_CODE_POINT_PUSH) {
            if (code == TR_CODE_POINT_PUSH)
                kept[depth++] = region;
            region = region_after(words, at, &region, &count);
        } else if (code == TR_CODE_BLEND) {
            bool is_swapped = (words[at + 1] & TR_BLEND_SWAPPED) != 0;
            struct tr_span under = stack[top - 2], over_it = stack[top - 1];

            stack[top - 2] =
                tr_blend_span(words, at + 1, is_swapped ? over_it : under, is_swapped ? under : over_it);
            top--;
            count = 1 + TR_CODE_BLEND_WORDS;
        } else if (code > TR_CODE_BLEND) {
            stack[top - 1] = tr_alter_span(words, at, stack[top - 1]);
            count = 1 + (code == TR_CODE_DISPLACE ? TR_CODE_DISPLACE_WORDS : TR_CODE_OFFSET_WORDS);
        } else {
            stack[top++] = tr_leaf_span(words, at, &region, &count);
        }
        at += count;
    }
    *least = stack[0].lo;
    *most = stack[0].hi;
}
