/* Fills a plane region with triangles: an exact sweep from left to right, after Hertel and Mehlhorn, "Fast triangulation of simple
 * polygons", 1983.
 *
 * The region may have any number of pieces and holes. Its boundary is directed, the region on the left. The sweep keeps the strips of
 * region that its line crosses; each has the boundary edge below and above it, and a chain of points, from the left end of the lower edge
 * to the left end of the upper one, that bounds what is already filled:
 *
 *        \                      each step joins the next point v to the chain: triangles with the chain's edges that v
 *         u---------- upper     sees are written and the chain gets shorter, until an edge faces away. The chain's
 *          \                    rightmost point (apex) is always the point that the strip met last.
 *           a      v
 *          /                    v continues a lower or an upper edge, starts a strip, splits one, merges two or ends one;
 *         l---------- lower     which, its two neighbours on the boundary and the turn at v say.
 *
 * All decisions are signs of 64-bit determinants of coordinates below 2^26, so they are exact; points one above another are swept
 * upward, as if the plane were sheared a little. No triangle written has an area of 0 or less. Time is n log n for sorting, and n times
 * the strips crossed at once, which for the sides of a world is a handful.
 *
 * A boundary that crosses or touches itself has no such filling: some step then finds no strip that fits, and that is an error. */
#include "lib/pack/export_parts.h"

#include "lib/base/alloc.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct node {
    uint32_t point, below, above; /* below, above: neighbours in the chain, NONE at its ends */
};

struct strip {
    uint32_t lower_right, lower_left; /* points: the ends of the boundary edge below */
    uint32_t upper_right, upper_left;
    uint32_t bottom, top, apex; /* nodes */
};

struct swept {
    int32_t u, y;
    uint32_t point;
};

struct fill {
    const struct tr_plane_point *points;
    size_t point_count;
    uint32_t *before;    /* the point whose next is this one */
    struct swept *order; /* points from left to right */
    struct node *nodes;
    size_t node_count, node_capacity;
    struct strip *strips; /* in no order */
    size_t strip_count, strip_capacity;
    struct tr_surface *surface;
    struct tr_error *error;
};

static enum tr_status fail_crossing(const struct fill *fill, uint32_t point)
{
    return tr_fail(fill->error, TR_BAD_INPUT,
                   "the surface's edge in the world's side touches or crosses itself at height %d/256 "
                   "voxels, expected a "
                   "closed mesh",
                   fill->points[point].y);
}

/* Above 0 where a, b, c turn left. */
static int64_t turn(const struct fill *fill, uint32_t a, uint32_t b, uint32_t c)
{
    const struct tr_plane_point *pa = &fill->points[a], *pb = &fill->points[b], *pc = &fill->points[c];

    return ((int64_t)pb->u - pa->u) * ((int64_t)pc->y - pa->y) -
           ((int64_t)pb->y - pa->y) * ((int64_t)pc->u - pa->u);
}

static bool is_left_of(const struct tr_plane_point *a, const struct tr_plane_point *b)
{
    return a->u != b->u ? a->u < b->u : a->y < b->y;
}

static enum tr_status write_triangle(struct fill *fill, uint32_t a, uint32_t b, uint32_t c)
{
    struct tr_surface *surface = fill->surface;
    enum tr_status status = tr_grow(&surface->indices, &surface->index_capacity, surface->index_count + 3,
                                    sizeof *surface->indices, fill->error);

    if (status != TR_OK)
        return status;
    surface->indices[surface->index_count++] = fill->points[a].vertex;
    surface->indices[surface->index_count++] = fill->points[b].vertex;
    surface->indices[surface->index_count++] = fill->points[c].vertex;
    return TR_OK;
}

static enum tr_status node_create(struct fill *fill, uint32_t point, uint32_t *node)
{
    enum tr_status status =
        tr_grow(&fill->nodes, &fill->node_capacity, fill->node_count + 1, sizeof *fill->nodes, fill->error);

    if (status != TR_OK)
        return status;
    *node = (uint32_t)fill->node_count++;
    fill->nodes[*node] = (struct node){.point = point, .below = NONE, .above = NONE};
    return TR_OK;
}

/* Joins v to the lower end of the strip's chain, whose bottom point v has an edge to. */
static enum tr_status join_bottom(struct fill *fill, struct strip *strip, uint32_t v)
{
    enum tr_status status = TR_OK;
    uint32_t node = NONE;

    while (status == TR_OK && fill->nodes[strip->bottom].above != NONE) {
        uint32_t above = fill->nodes[strip->bottom].above;
        uint32_t a = fill->nodes[strip->bottom].point, b = fill->nodes[above].point;

        if (turn(fill, a, v, b) <= 0)
            break;
        status = write_triangle(fill, a, v, b);
        strip->bottom = above;
    }
    if (status == TR_OK)
        status = node_create(fill, v, &node);
    if (status != TR_OK)
        return status;
    fill->nodes[node].above = strip->bottom;
    fill->nodes[strip->bottom].below = node;
    strip->bottom = strip->apex = node;
    return TR_OK;
}

/* The same at the upper end. */
static enum tr_status join_top(struct fill *fill, struct strip *strip, uint32_t v)
{
    enum tr_status status = TR_OK;
    uint32_t node = NONE;

    while (status == TR_OK && fill->nodes[strip->top].below != NONE) {
        uint32_t below = fill->nodes[strip->top].below;
        uint32_t a = fill->nodes[strip->top].point, b = fill->nodes[below].point;

        if (turn(fill, v, a, b) <= 0)
            break;
        status = write_triangle(fill, v, a, b);
        strip->top = below;
    }
    if (status == TR_OK)
        status = node_create(fill, v, &node);
    if (status != TR_OK)
        return status;
    fill->nodes[node].below = strip->top;
    fill->nodes[strip->top].above = node;
    strip->top = strip->apex = node;
    return TR_OK;
}

/* The strip whose lower (upper) edge ends in v; NULL when there is none. */
static struct strip *strip_with_lower_end(struct fill *fill, uint32_t v)
{
    for (size_t i = 0; i < fill->strip_count; i++) {
        if (fill->strips[i].lower_right == v)
            return &fill->strips[i];
    }
    return NULL;
}

static struct strip *strip_with_upper_end(struct fill *fill, uint32_t v)
{
    for (size_t i = 0; i < fill->strip_count; i++) {
        if (fill->strips[i].upper_right == v)
            return &fill->strips[i];
    }
    return NULL;
}

static struct strip *strip_around(struct fill *fill, uint32_t v)
{
    for (size_t i = 0; i < fill->strip_count; i++) {
        struct strip *strip = &fill->strips[i];

        if (turn(fill, strip->lower_left, strip->lower_right, v) > 0 &&
            turn(fill, strip->upper_left, strip->upper_right, v) < 0)
            return strip;
    }
    return NULL;
}

static enum tr_status strip_append(struct fill *fill, const struct strip *strip)
{
    enum tr_status status = tr_grow(&fill->strips, &fill->strip_capacity, fill->strip_count + 1,
                                    sizeof *fill->strips, fill->error);

    if (status == TR_OK)
        fill->strips[fill->strip_count++] = *strip;
    return status;
}

static void strip_remove(struct fill *fill, struct strip *strip)
{
    *strip = fill->strips[--fill->strip_count];
}

/* ---- the kinds of point; before and next are v's neighbours along the boundary ---- */

static enum tr_status continue_lower(struct fill *fill, uint32_t v, uint32_t next)
{
    struct strip *strip = strip_with_lower_end(fill, v);

    if (!strip)
        return fail_crossing(fill, v);
    strip->lower_left = v;
    strip->lower_right = next;
    return join_bottom(fill, strip, v);
}

static enum tr_status continue_upper(struct fill *fill, uint32_t v, uint32_t before)
{
    struct strip *strip = strip_with_upper_end(fill, v);

    if (!strip)
        return fail_crossing(fill, v);
    strip->upper_left = v;
    strip->upper_right = before;
    return join_top(fill, strip, v);
}

static enum tr_status start(struct fill *fill, uint32_t v, uint32_t before, uint32_t next)
{
    struct strip strip = {.lower_left = v, .lower_right = next, .upper_left = v, .upper_right = before};
    enum tr_status status = node_create(fill, v, &strip.bottom);

    strip.top = strip.apex = strip.bottom;
    return status == TR_OK ? strip_append(fill, &strip) : status;
}

/* v sees the apex of the strip around it: the chain is cut there, and both parts get v at the cut. */
static enum tr_status split(struct fill *fill, uint32_t v, uint32_t before, uint32_t next)
{
    struct strip *found = strip_around(fill, v);
    struct strip lower, upper;
    enum tr_status status;

    if (!found)
        return fail_crossing(fill, v);
    lower = upper = *found;
    strip_remove(fill, found);
    status = node_create(fill, fill->nodes[lower.apex].point, &upper.bottom);
    if (status != TR_OK)
        return status;
    if (lower.top == lower.apex) {
        upper.top = upper.bottom;
    } else {
        fill->nodes[upper.bottom].above = fill->nodes[lower.apex].above;
        fill->nodes[fill->nodes[lower.apex].above].below = upper.bottom;
        fill->nodes[lower.apex].above = NONE;
    }
    lower.top = lower.apex;
    lower.upper_left = upper.lower_left = v;
    lower.upper_right = before;
    upper.lower_right = next;

    status = join_top(fill, &lower, v);
    if (status == TR_OK)
        status = join_bottom(fill, &upper, v);
    if (status == TR_OK)
        status = strip_append(fill, &lower);
    if (status == TR_OK)
        status = strip_append(fill, &upper);
    return status;
}

/* The edge below the upper strip and the edge above the lower one end in v: one strip goes on, its chain the two joined at v. */
static enum tr_status merge(struct fill *fill, uint32_t v)
{
    struct strip *upper = strip_with_lower_end(fill, v), *lower = strip_with_upper_end(fill, v);
    enum tr_status status;

    if (!upper || !lower || upper == lower)
        return fail_crossing(fill, v);
    status = join_top(fill, lower, v);
    if (status == TR_OK)
        status = join_bottom(fill, upper, v);
    if (status != TR_OK)
        return status;
    fill->nodes[lower->top].above = fill->nodes[upper->bottom].above;
    fill->nodes[fill->nodes[upper->bottom].above].below = lower->top;
    lower->apex = lower->top;
    lower->top = upper->top;
    lower->upper_left = upper->upper_left;
    lower->upper_right = upper->upper_right;
    strip_remove(fill, upper);
    return TR_OK;
}

/* v sees all of the chain. */
static enum tr_status end(struct fill *fill, uint32_t v)
{
    struct strip *strip = strip_with_lower_end(fill, v);
    enum tr_status status;

    if (!strip || strip->upper_right != v || strip->bottom == strip->top)
        return fail_crossing(fill, v);
    status = join_bottom(fill, strip, v);
    if (status == TR_OK && fill->nodes[strip->bottom].above != strip->top)
        status = fail_crossing(fill, v);
    if (status == TR_OK)
        strip_remove(fill, strip);
    return status;
}

static enum tr_status sweep_point(struct fill *fill, uint32_t v)
{
    uint32_t before = fill->before[v], next = fill->points[v].next;
    const struct tr_plane_point *point = &fill->points[v];
    bool from_left = is_left_of(&fill->points[before], point),
         to_left = is_left_of(&fill->points[next], point);
    int64_t turns = turn(fill, before, v, next);

    if (from_left && !to_left)
        return continue_lower(fill, v, next);
    if (!from_left && to_left)
        return continue_upper(fill, v, before);
    if (turns == 0)
        return fail_crossing(fill, v);
    if (from_left)
        return turns > 0 ? end(fill, v) : merge(fill, v);
    return turns > 0 ? start(fill, v, before, next) : split(fill, v, before, next);
}

/* ---- the order ---- */

static int order_compare(const void *a, const void *b)
{
    const struct swept *sa = a, *sb = b;

    if (sa->u != sb->u)
        return sa->u < sb->u ? -1 : 1;
    if (sa->y != sb->y)
        return sa->y < sb->y ? -1 : 1;
    return (sa->point > sb->point) - (sa->point < sb->point);
}

static enum tr_status fill_prepare(struct fill *fill)
{
    fill->before = tr_alloc(fill->point_count, sizeof *fill->before, fill->error);
    fill->order = tr_alloc(fill->point_count, sizeof *fill->order, fill->error);
    if (!fill->before || !fill->order)
        return TR_IO;
    for (size_t i = 0; i < fill->point_count; i++) {
        const struct tr_plane_point *point = &fill->points[i];

        fill->before[point->next] = (uint32_t)i;
        fill->order[i] = (struct swept){.u = point->u, .y = point->y, .point = (uint32_t)i};
    }
    qsort(fill->order, fill->point_count, sizeof *fill->order, order_compare);
    return TR_OK;
}

enum tr_status tr_plane_fill(const struct tr_plane_point *points, size_t point_count,
                             struct tr_surface *surface, struct tr_error *error)
{
    struct fill fill = {.points = points, .point_count = point_count, .surface = surface, .error = error};
    enum tr_status status = fill_prepare(&fill);

    for (size_t i = 0; i < point_count && status == TR_OK; i++)
        status = sweep_point(&fill, fill.order[i].point);
    if (status == TR_OK && fill.strip_count > 0)
        status = fail_crossing(&fill, fill.order[point_count - 1].point);
    free(fill.before);
    free(fill.order);
    free(fill.nodes);
    free(fill.strips);
    return status;
}
