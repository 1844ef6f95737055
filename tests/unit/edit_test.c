/* What an edit can touch, and its slots: limits, stamps of strokes, boxes that hold every sample that the kernels' formulas change, slots
 * that keep the true distance in every frame, and culling that never takes a sample away.
 *
 * Slots are judged by `slot_by_hand`, which takes the same numbers from long double and neither clips nor culls, and distances by
 * `true_distance`, which knows no frame at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/edit/slot.h"
#include "shaders/ground.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tr_box everywhere = {{-70000000, -65536, -70000000}, {70000000, 65535, 70000000}};

/* ---- random numbers ---- */

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static double random_between(uint64_t *seed, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(random_next(seed) >> 11) * 0x1p-53);
}

static int random_below(uint64_t *seed, int n)
{
    return (int)((random_next(seed) >> 33) % (uint64_t)n);
}

/* A coordinate near a chunk's corner, chunks from one edge of the widest world to the other; whole, half or
 * any. */
static double random_coordinate(uint64_t *seed, int chunks_max)
{
    static const int chunks[] = {0, -1, 1, -1000, 77777, -999999, 999997};
    int chunk = chunks[random_below(seed, 7)];
    double v = random_between(seed, -40, 104);

    while (chunk > chunks_max || chunk < -chunks_max)
        chunk /= 10;
    switch (random_below(seed, 4)) {
    case 0:
        v = floor(v);
        break;
    case 1:
        v = floor(v) + 0.5;
        break;
    }
    return chunk * 64.0 + v;
}

static void random_direction(uint64_t *seed, double u[3])
{
    double length;

    do {
        for (int i = 0; i < 3; i++)
            u[i] = random_between(seed, -1, 1);
        length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    } while (length < 0.1 || length > 1);
    for (int i = 0; i < 3; i++)
        u[i] /= length;
}

/* ---- edits ---- */

static bool is_volume_brush(const struct tr_edit *edit)
{
    return !tr_edit_is_height(edit) && !tr_edit_is_shape(edit);
}

/* A picture whose pixel (x, y) is 1000 x + 10 y + 7. */
static void set_image(struct tr_edit *edit, uint32_t width, uint32_t height)
{
    tr_resource_release(&edit->image);
    edit->image.width = width;
    edit->image.height = height;
    edit->image.pixels = calloc((size_t)width * height, sizeof *edit->image.pixels);
    assert_non_null(edit->image.pixels);
    for (uint32_t i = 0; i < width * height; i++)
        edit->image.pixels[i] = (uint16_t)(1000 * (i % width) + 10 * (i / width) + 7);
}

/* A brush of any operation with the fields that it needs, in metres; one metre is one voxel. */
static struct tr_edit brush_begin(enum tr_edit_op op, const double at[3], double radius)
{
    struct tr_edit edit = {.op = op, .falloff = TR_FALLOFF_CONSTANT, .power = 3, .point_count = 1};
    bool is_lambda = op == TR_EDIT_SMOOTH || op == TR_EDIT_HC_SMOOTH || op == TR_EDIT_FLATTEN ||
                     op == TR_EDIT_VOLUME_SMOOTH || op == TR_EDIT_VOLUME_FLATTEN || op == TR_EDIT_PINCH;
    bool has_strength = !tr_edit_is_paint(&edit) && op != TR_EDIT_GRAB && op != TR_EDIT_REDISTANCE;

    edit.points = calloc(1, sizeof *edit.points);
    assert_non_null(edit.points);
    memcpy(edit.points->at_m, at, sizeof edit.points->at_m);
    if (tr_edit_is_height(&edit))
        edit.points->at_m[1] = 0;
    edit.points->radius_m = radius;
    edit.points->strength = !has_strength ? 0 : is_lambda ? 0.5 : op == TR_EDIT_SET ? 1 : 4;
    edit.has_height = op == TR_EDIT_FLATTEN || op == TR_EDIT_SET;
    edit.height_m = 1000;
    edit.normal[1] = 1;
    edit.scale_m = 8;
    edit.octaves = 4;
    edit.beta = 0.5;
    edit.material = 7;
    if (op == TR_EDIT_GRAB)
        memcpy(edit.by_m, (double[]){3, -4, 12}, sizeof edit.by_m);
    if (tr_edit_is_stamp(&edit))
        set_image(&edit, 9, 7);
    return edit;
}

static struct tr_edit shape_begin(enum tr_edit_op op, uint32_t nodes)
{
    struct tr_edit edit = {.op = op, .material = 7};

    edit.shape.nodes = calloc(nodes, sizeof *edit.shape.nodes);
    assert_non_null(edit.shape.nodes);
    edit.shape.capacity = nodes;
    return edit;
}

static struct tr_shape_node *shape_add(struct tr_edit *edit, enum tr_shape_kind kind, uint32_t child_count)
{
    struct tr_shape_node *node = &edit->shape.nodes[edit->shape.count++];

    assert_true(edit->shape.count <= edit->shape.capacity);
    node->kind = kind;
    node->child_count = child_count;
    return node;
}

static void node_set(struct tr_shape_node *node, const char *name, const double *numbers)
{
    for (const struct tr_shape_field *field = tr_shape_infos[node->kind].fields; field->name; field++)
        if (strcmp(field->name, name) == 0) {
            memcpy(node->values + field->first, numbers, field->count * sizeof *numbers);
            return;
        }
    fail_msg("%s has no field %s", tr_shape_infos[node->kind].name, name);
}

/* A capsule from a to b, or a sphere around a where b is NULL. */
static struct tr_edit round_begin(enum tr_edit_op op, const double a[3], const double b[3], double radius)
{
    struct tr_edit edit = shape_begin(op, 1);
    struct tr_shape_node *node = shape_add(&edit, b ? TR_SHAPE_CAPSULE : TR_SHAPE_SPHERE, 0);

    node_set(node, b ? "from" : "center", a);
    if (b)
        node_set(node, "to", b);
    node_set(node, "radius", &radius);
    return edit;
}

static void resolve(struct tr_edit *edit)
{
    struct tr_error error = {.text = ""};

    if (tr_edit_resolve(edit, 1, "here", &error) != TR_OK)
        fail_msg("an edit is refused: %s", error.text);
}

static struct tr_edit random_brush_of(uint64_t *seed, enum tr_edit_op op, double radius)
{
    double at[3] = {random_coordinate(seed, 1000000), random_coordinate(seed, 1000),
                    random_coordinate(seed, 1000000)};
    double radius_max = op == TR_EDIT_VOLUME_SMOOTH || op == TR_EDIT_INFLATE ? 256
                        : op == TR_EDIT_PINCH                                ? 45
                        : op == TR_EDIT_GRAB || op == TR_EDIT_REDISTANCE     ? 64
                                                                             : 100000;
    struct tr_edit edit = brush_begin(op, at, fmin(radius, radius_max));

    if (random_below(seed, 2))
        edit.falloff = (uint32_t)random_below(seed, TR_FALLOFF_COUNT);
    edit.is_projected = is_volume_brush(&edit) && op != TR_EDIT_REDISTANCE && random_below(seed, 2);
    random_direction(seed, edit.axis);
    resolve(&edit);
    return edit;
}

static struct tr_edit random_brush(uint64_t *seed, double radius)
{
    return random_brush_of(seed, (enum tr_edit_op)random_below(seed, TR_EDIT_UNION), radius);
}

/* What rounds and other shapes have in common; not an intersection, which reaches everywhere. */
static enum tr_edit_op random_shape_op(uint64_t *seed)
{
    static const enum tr_edit_op ops[] = {TR_EDIT_UNION, TR_EDIT_SUBTRACT, TR_EDIT_SHAPE_PAINT};

    return ops[random_below(seed, 3)];
}

static void random_ground_blend(uint64_t *seed, struct tr_edit *edit)
{
    edit->blend = (struct tr_blend){0};
    if (edit->op == TR_EDIT_SHAPE_PAINT || random_below(seed, 2))
        return;
    edit->blend.kind = 1 + (uint32_t)random_below(seed, 3);
    edit->blend.width_m = random_between(seed, 0.01, 16);
    edit->blend.steps = edit->blend.kind == TR_BLEND_STAIRS ? 4 : 0;
}

/* A sphere or capsule no longer than length_max. */
static struct tr_edit random_round(uint64_t *seed, double radius, double length_max)
{
    static const double lengths[] = {0, 1e-13, 1e-6, 0.5, 7, 150, 5000};
    double length = fmin(lengths[random_below(seed, 7)], length_max), u[3], a[3], b[3];
    bool is_sphere = random_below(seed, 3) == 0;
    struct tr_edit edit;

    random_direction(seed, u);
    if (random_below(seed, 3) == 0) /* along x, y or z */
        for (int i = 0, axis = random_below(seed, 3); i < 3; i++)
            u[i] = i == axis;
    for (int i = 0; i < 3; i++) {
        a[i] = random_coordinate(seed, i == 1 ? 800 : 999000);
        b[i] = a[i] + length * u[i];
    }
    edit = round_begin(random_shape_op(seed), a, is_sphere ? NULL : b, radius);
    random_ground_blend(seed, &edit);
    resolve(&edit);
    return edit;
}

/* A primitive of any kind and about that size, turned; or two, blended. */
static struct tr_edit random_tree(uint64_t *seed, double size)
{
    struct tr_edit edit = shape_begin(random_shape_op(seed), 5);
    int count = 1 + random_below(seed, 2);
    double degrees = random_between(seed, -180, 180), u[3], at[3];

    random_direction(seed, u);
    for (int i = 0; i < 3; i++)
        at[i] = random_coordinate(seed, i == 1 ? 800 : 999000);
    if (count == 2)
        shape_add(&edit, (enum tr_shape_kind)(TR_SHAPE_UNION + random_below(seed, 3)), 2)->blend =
            (struct tr_blend){TR_BLEND_SMOOTH, size, 0};
    for (int i = 0; i < count; i++) {
        enum tr_shape_kind kind = (enum tr_shape_kind)random_below(seed, TR_SHAPE_HEIGHT_MAP);
        bool has_ends = kind == TR_SHAPE_CAPSULE || kind == TR_SHAPE_CYLINDER || kind == TR_SHAPE_CONE ||
                        kind == TR_SHAPE_CAPPED_CONE || kind == TR_SHAPE_PRISM;
        struct tr_shape_node *node = shape_add(&edit, TR_SHAPE_ROTATE, 1);
        double sizes[3] = {size, size * random_between(seed, 0.3, 1), size * random_between(seed, 0.3, 1)};

        if (kind == TR_SHAPE_HALF_SPACE)
            kind = TR_SHAPE_SPHERE;

        node_set(node, "about", at);
        node_set(node, "axis", u);
        node_set(node, "degrees", &degrees);
        node = shape_add(&edit, kind, 0);
        node_set(node, has_ends ? "from" : "center", at);
        if (has_ends)
            node_set(node, "to",
                     (double[]){at[0] + fmin(sizes[1], 5000), at[1] + fmin(sizes[2], 5000), at[2]});
        if (kind == TR_SHAPE_BOX || kind == TR_SHAPE_PYRAMID || kind == TR_SHAPE_ROUNDED_BOX)
            node_set(node, "size", sizes);
        else if (kind == TR_SHAPE_ELLIPSOID)
            node_set(node, "radii", sizes);
        else
            node_set(node, "radius", sizes);
        if (kind == TR_SHAPE_ROUNDED_BOX)
            node_set(node, "radius", (double[]){size * 0.1});
        if (kind == TR_SHAPE_CAPPED_CONE)
            node_set(node, "to_radius", &sizes[1]);
        if (kind == TR_SHAPE_PRISM)
            node_set(node, "sides", (double[]){3 + random_below(seed, 6)});
        if (kind == TR_SHAPE_TORUS || kind == TR_SHAPE_LINK) {
            node_set(node, "axis", u);
            node_set(node, "tube", &sizes[1]);
        }
        if (kind == TR_SHAPE_LINK) {
            node_set(node, "along", (double[]){-u[1], u[0] + 0.3, u[2]});
            node_set(node, "length", &sizes[2]);
        }
    }
    random_ground_blend(seed, &edit);
    resolve(&edit);
    return edit;
}

/* ---- judges ---- */

/* The ends and radius of an edit that is one round. */
struct round {
    double a[3], b[3], radius;
};

static struct round round_of(const struct tr_edit *edit)
{
    struct round round;

    assert_true(tr_tree_is_round(edit->tree, round.a, round.b, &round.radius));
    return round;
}

/* The point of the axis nearest to p, as a distance from `a` along it, and p's distance from it, less the radius. */
static long double true_distance(const struct round *round, const long double p[3], long double *along)
{
    long double axis[3], q[3], length_2 = 0, t = 0, d_2 = 0;

    for (int i = 0; i < 3; i++) {
        axis[i] = (long double)round->b[i] - round->a[i];
        q[i] = p[i] - round->a[i];
        length_2 += axis[i] * axis[i];
        t += axis[i] * q[i];
    }
    t = length_2 > 0 ? t / length_2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int i = 0; i < 3; i++)
        d_2 += (q[i] - t * axis[i]) * (q[i] - t * axis[i]);
    if (along)
        *along = t * sqrtl(length_2);
    return sqrtl(d_2) - round->radius;
}

/* A slot of a whole frame, and its words. */
struct made {
    tr_edit_slot slot;
    struct tr_words words;
    bool reaches;
};

static void made_end(struct made *made)
{
    tr_words_release(&made->words);
}

static void round_by_hand(const struct tr_edit *edit, const int64_t origin[3], tr_edit_slot *slot)
{
    struct round round = round_of(edit);
    long double o[3] = {origin[0], origin[1], origin[2]}, c[3], u[3] = {0}, length = 0, t, c_2 = 0;

    true_distance(&round, o, &t);
    for (int i = 0; i < 3; i++)
        length += ((long double)round.b[i] - round.a[i]) * ((long double)round.b[i] - round.a[i]);
    length = sqrtl(length);
    for (int i = 0; i < 3; i++) {
        u[i] = length > 1e-12L ? ((long double)round.b[i] - round.a[i]) / length : 0;
        c[i] = round.a[i] - o[i] + t * u[i];
        c_2 += c[i] * c[i];
    }
    slot->form = round.radius >= 1024 ? TR_FORM_ROUND_LARGE : TR_FORM_ROUND;
    slot->cx = (float)c[0];
    slot->cy = (float)c[1];
    slot->cz = (float)c[2];
    slot->ux = (float)u[0];
    slot->uy = (float)u[1];
    slot->uz = (float)u[2];
    slot->t0 = (float)-t;
    slot->t1 = (float)(length - t);
    slot->radius = (float)round.radius;
    slot->k0 = (float)(c_2 - (long double)round.radius * round.radius);
}

static void brush_by_hand(const struct tr_edit *edit, const int64_t origin[3], tr_edit_slot *slot)
{
    long double length =
        sqrtl((long double)edit->axis[0] * edit->axis[0] + (long double)edit->axis[1] * edit->axis[1] +
              (long double)edit->axis[2] * edit->axis[2]);

    slot->form = edit->is_projected ? TR_FORM_PROJECTED : TR_FORM_SPHERICAL;
    slot->falloff = edit->falloff;
    slot->power = edit->power;
    slot->cx = (float)((long double)edit->points->at[0] - origin[0]);
    slot->cy = (float)((long double)edit->points->at[1] - origin[1]);
    slot->cz = (float)((long double)edit->points->at[2] - origin[2]);
    slot->radius = (float)(1 / (long double)edit->points->radius);
    if (edit->is_projected) {
        slot->ux = (float)(edit->axis[0] / length);
        slot->uy = (float)(edit->axis[1] / length);
        slot->uz = (float)(edit->axis[2] / length);
    }
}

/* The numbers that the formulas of distance and reach read, in the frame at `origin`; its box is the frame's. */
static struct made slot_by_hand(const struct tr_edit *edit, const int64_t origin[3])
{
    static const uint32_t shape_ops[] = {TR_SLOT_UNION, TR_SLOT_SUBTRACT, TR_SLOT_INTERSECT,
                                         TR_SLOT_SHAPE_PAINT};
    struct made made = {.slot = {.hi_x = 63, .hi_y = 63, .hi_z = 63}, .reaches = true};
    struct tr_error error;
    const int lo[3] = {-100000000, -100000000, -100000000}, hi[3] = {100000000, 100000000, 100000000};
    struct round round;

    if (!tr_edit_is_shape(edit)) {
        made.slot.op = edit->op == TR_EDIT_VOLUME_PAINT ? TR_SLOT_VOLUME_PAINT : TR_SLOT_RAISE;
        brush_by_hand(edit, origin, &made.slot);
        return made;
    }
    made.slot.op = shape_ops[edit->op - TR_EDIT_UNION];
    made.slot.reach = edit->op == TR_EDIT_SHAPE_PAINT ? 1 : (float)(16 + edit->blend.width_m);
    made.slot.blend = edit->blend.kind;
    made.slot.blend_k = (float)(edit->blend.width_m * 256);
    made.slot.blend_a = edit->blend.kind == TR_BLEND_SMOOTH   ? (float)(1 / (4 * edit->blend.width_m * 256))
                        : edit->blend.kind == TR_BLEND_STAIRS ? (float)(edit->blend.width_m * 256 / 4)
                                                              : 0;
    made.slot.blend_b =
        edit->blend.kind == TR_BLEND_STAIRS ? (float)(1 / (edit->blend.width_m * 256 / 2)) : 0;
    if (tr_tree_is_round(edit->tree, round.a, round.b, &round.radius)) {
        round_by_hand(edit, origin, &made.slot);
        return made;
    }
    made.slot.form = TR_FORM_TREE;
    assert_int_equal(
        tr_tree_code(edit->tree, origin, lo, hi, 1e30, &made.words, &made.slot.words, &made.reaches, &error),
        TR_OK);
    return made;
}

/* Whether the formulas change a sample, at (x, y, z) of the slot's frame, that is as easy to change as any. */
static bool changes(const struct tr_edit *edit, const struct made *made, int x, int y, int z)
{
    int easy = edit->op == TR_EDIT_UNION ? TR_SDF_MAX : -TR_SDF_MAX;

    if (edit->op == TR_EDIT_PAINT)
        return tr_brush_covers(made->slot, x, z);
    if (tr_edit_is_height(edit))
        return tr_brush_weight(made->slot, x, z) > 0;
    if (tr_edit_is_paint(edit))
        return tr_slot_paints(made->words.words, made->slot, x, y, z);
    if (!tr_edit_is_shape(edit))
        return tr_volume_weight(made->slot, x, y, z) > 0;
    return tr_slot_sample(made->words.words, made->slot, x, y, z, easy) != easy;
}

/* The frame that owns a sample, by hand; kept from sample to sample. */
struct owner {
    const struct tr_edit *edit;
    int64_t origin[3];
    struct made made;
    bool is_made;
};

static bool changes_at(struct owner *owner, const int64_t p[3])
{
    int64_t origin[3];

    for (int i = 0; i < 3; i++)
        origin[i] = 64 * tr_floor_div(p[i], 64);
    if (!owner->is_made || memcmp(origin, owner->origin, sizeof origin) != 0) {
        made_end(&owner->made);
        memcpy(owner->origin, origin, sizeof origin);
        owner->made = slot_by_hand(owner->edit, origin);
        owner->is_made = true;
    }
    return changes(owner->edit, &owner->made, (int)(p[0] - origin[0]), (int)(p[1] - origin[1]),
                   (int)(p[2] - origin[2]));
}

static bool box_holds(const struct tr_box *box, const int64_t p[3])
{
    for (int i = 0; i < 3; i++)
        if (p[i] < box->lo[i] || p[i] > box->hi[i])
            return false;
    return true;
}

static void boxes_of(const struct tr_edit *edit, struct tr_box *reads, struct tr_box *writes)
{
    struct tr_stamp stamp = tr_edit_stamp(edit, 0);

    tr_edit_boxes(edit, &stamp, reads, writes);
}

static struct made slot_of(const struct tr_edit *edit, const struct tr_box *world, const int64_t origin[3])
{
    struct tr_stamp stamp = tr_edit_stamp(edit, 0);
    struct tr_error error = {.text = ""};
    struct made made = {.words = {0}};

    if (tr_edit_slot_make(edit, &stamp, 0, world, origin, &made.words, &made.slot, &made.reaches, &error) !=
        TR_OK)
        fail_msg("no slot: %s", error.text);
    return made;
}

static void fail_sample(const char *what, const struct tr_edit *edit, const int64_t p[3])
{
    struct tr_box reads, writes;

    boxes_of(edit, &reads, &writes);
    print_error("%s: sample (%lld, %lld, %lld), op %d, box x %lld to %lld, y %lld to %lld, z %lld to %lld\n",
                what, (long long)p[0], (long long)p[1], (long long)p[2], edit->op, (long long)writes.lo[0],
                (long long)writes.hi[0], (long long)writes.lo[1], (long long)writes.hi[1],
                (long long)writes.lo[2], (long long)writes.hi[2]);
    if (edit->points)
        print_error("  at (%.17g, %.17g, %.17g), radius %.17g, projected %d\n", edit->points->at[0],
                    edit->points->at[1], edit->points->at[2], edit->points->radius, edit->is_projected);
    for (uint32_t i = 0; i < edit->shape.count; i++) {
        print_error("  %s, width %.17g:", tr_shape_infos[edit->shape.nodes[i].kind].name,
                    edit->shape.nodes[i].blend.width_m);
        for (int j = 0; j < TR_SHAPE_VALUES_MAX; j++)
            print_error(" %.17g", edit->shape.nodes[i].values[j]);
        print_error("\n");
    }
    fail();
}

/* ---- boxes ---- */

/* Looks at all samples within 2 of the box but not in it; a height brush at one row. Returns how many there were. */
static size_t assert_nothing_changes_around(const struct tr_edit *edit)
{
    struct owner owner = {.edit = edit};
    struct tr_box reads, writes;
    int64_t p[3], y_lo, y_hi;
    size_t count = 0;

    boxes_of(edit, &reads, &writes);
    y_lo = tr_edit_is_height(edit) ? 0 : writes.lo[1] - 2;
    y_hi = tr_edit_is_height(edit) ? 0 : writes.hi[1] + 2;
    for (p[1] = y_lo; p[1] <= y_hi; p[1]++)
        for (p[2] = writes.lo[2] - 2; p[2] <= writes.hi[2] + 2; p[2]++)
            for (p[0] = writes.lo[0] - 2; p[0] <= writes.hi[0] + 2; p[0]++) {
                if (box_holds(&writes, p)) {
                    p[0] = writes.hi[0]; /* on to the other side */
                    continue;
                }
                if (changes_at(&owner, p))
                    fail_sample("changed outside the box", edit, p);
                count++;
            }
    made_end(&owner.made);
    return count;
}

static void boxes_hold_every_sample_that_a_brush_changes(void **state)
{
    static const double radii[] = {1e-30, 0.25, 0.5, 1, 5, 9.3};
    uint64_t seed = 1;
    size_t count = 0;

    (void)state;
    for (int op = 0; op < TR_EDIT_UNION; op++)
        for (int i = 0; i < 60; i++) {
            struct tr_edit edit = random_brush_of(&seed, (enum tr_edit_op)op, radii[i % 6]);

            count += assert_nothing_changes_around(&edit);
            tr_edit_release(&edit);
        }
    assert_true(count > 100000);
}

static void boxes_hold_every_sample_that_a_shape_changes(void **state)
{
    static const double sizes[] = {1e-5, 0.25, 1, 4, 9.7};
    uint64_t seed = 2;
    size_t count = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        struct tr_edit edit =
            i % 2 ? random_round(&seed, sizes[i / 2 % 5], 10) : random_tree(&seed, sizes[i / 2 % 5]);

        count += assert_nothing_changes_around(&edit);
        tr_edit_release(&edit);
    }
    assert_true(count > 100000);
}

/* Where a sphere, brush or other primitive of huge size comes closest to each side of its box, 40 samples around: the surface is about
 * flat there. */
static void boxes_hold_every_sample_near_the_poles_of_huge_edits(void **state)
{
    static const double radii[] = {1023.999, 1024, 5000.25, 99999.5, 100000};
    uint64_t seed = 3;
    size_t inside = 0;

    (void)state;
    for (int i = 0; i < 240; i++) {
        double radius = radii[i % 5];
        struct tr_edit edit = i % 4 == 0   ? random_brush(&seed, radius)
                              : i % 4 == 1 ? random_round(&seed, radius, 0)
                                           : random_tree(&seed, radius);
        struct owner owner = {.edit = &edit};
        struct tr_box reads, writes;

        edit.falloff = TR_FALLOFF_CONSTANT;
        boxes_of(&edit, &reads, &writes);
        for (int axis = 0; axis < 3; axis += tr_edit_is_height(&edit) ? 2 : 1)
            for (int side = 0; side < 2; side++)
                for (int step = 0; step < 4 * 500; step++) {
                    int64_t p[3];

                    for (int j = 0; j < 3; j++)
                        p[j] = tr_floor_div(writes.lo[j] + writes.hi[j], 2) + random_below(&seed, 81) - 40;
                    p[axis] = side ? writes.hi[axis] - 1 + step / 500 : writes.lo[axis] + 1 - step / 500;
                    if (box_holds(&writes, p))
                        inside += changes_at(&owner, p);
                    else if (changes_at(&owner, p))
                        fail_sample("changed outside the box", &edit, p);
                }
        made_end(&owner.made);
        tr_edit_release(&edit);
    }
    assert_true(inside > 1000); /* so it was looked at where it matters */
}

/* Samples that lie beyond the reach by less than a kernel's distance may be off: some do change, and the box must know. */
static void boxes_hold_the_samples_that_only_rounding_brings_into_reach(void **state)
{
    static const enum tr_edit_op ops[] = {TR_EDIT_UNION, TR_EDIT_RAISE, TR_EDIT_VOLUME_ADD};
    uint64_t seed = 13;
    int beyond[3] = {0, 0, 0};

    (void)state;
    for (int i = 0; i < 150000; i++) {
        double radius = exp(random_between(&seed, 0, 11.5)), off = random_between(&seed, 0, 0x1p-21), at[3];
        int what = i % 3;
        double reach = radius + (what == 0 ? 16 : 0);
        struct tr_box reads, writes;
        struct tr_edit edit;
        struct owner owner = {.edit = &edit};
        int64_t p[3];

        for (int j = 0; j < 3; j++) {
            p[j] = (int64_t)random_coordinate(&seed, 1000);
            at[j] = (double)p[j];
        }
        at[0] -= what == 0 ? reach + off * 1024 : reach * (1 + off); /* straight to the west of p */
        edit = what == 0 ? round_begin(ops[0], at, NULL, radius) : brush_begin(ops[what], at, radius);
        resolve(&edit);
        if (changes_at(&owner, p)) {
            boxes_of(&edit, &reads, &writes);
            if (!box_holds(&writes, p))
                fail_sample("changed outside the box", &edit, p);
            beyond[what] += (double)p[0] - at[0] > reach;
        }
        made_end(&owner.made);
        tr_edit_release(&edit);
    }
    assert_true(beyond[0] > 100 && beyond[1] > 100 && beyond[2] > 100);
}

static void boxes_are_no_wider_than_the_reach_and_a_margin(void **state)
{
    uint64_t seed = 4;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        double radius = exp(random_between(&seed, -10, 11.5)), reach = radius + 0.125;
        bool is_brush = random_below(&seed, 2);
        struct tr_edit edit = is_brush ? random_brush(&seed, radius) : random_round(&seed, radius, 5000);
        struct tr_box reads, writes;
        struct round round = {{0}, {0}, 0};

        if (is_brush) {
            memcpy(round.a, edit.points->at, sizeof round.a);
            memcpy(round.b, edit.points->at, sizeof round.b);
            reach = edit.points->radius * (edit.is_projected ? sqrt(2) : 1) + 0.25;
        } else {
            round = round_of(&edit);
            reach += edit.op == TR_EDIT_SHAPE_PAINT ? 1 : 16 + edit.blend.width_m;
        }
        boxes_of(&edit, &reads, &writes);
        for (int axis = 0; axis < 3; axis += tr_edit_is_height(&edit) ? 2 : 1)
            if ((double)writes.lo[axis] < fmin(round.a[axis], round.b[axis]) - reach ||
                (double)writes.hi[axis] > fmax(round.a[axis], round.b[axis]) + reach)
                fail_sample("box too wide", &edit, writes.lo);
        tr_edit_release(&edit);
    }
}

/* What smooths, inflates, pinches, grabs and redistances read beyond what they write, sideways and up; nothing else reads more than it
 * writes. */
static void only_some_read_beyond_what_they_write(void **state)
{
    uint64_t seed = 5;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct tr_edit edit = i % 2 ? random_brush(&seed, i % 3 ? 20 : 0.01) : random_round(&seed, 5, 100);
        int64_t wider = 0;
        struct tr_box reads, writes;

        switch (edit.op) {
        case TR_EDIT_SMOOTH:
        case TR_EDIT_VOLUME_SMOOTH:
        case TR_EDIT_INFLATE:
        case TR_EDIT_REDISTANCE:
            wider = 1;
            break;
        case TR_EDIT_HC_SMOOTH:
            wider = 2;
            break;
        case TR_EDIT_PINCH: /* lambda is a half */
            wider = 2 + (int64_t)ceil(0.5 * edit.points->radius * (edit.is_projected ? sqrt(2) : 1));
            break;
        case TR_EDIT_GRAB:
            wider = 2 + 13;
            break;
        default:
            break;
        }
        boxes_of(&edit, &reads, &writes);
        wider = tr_box_is_empty(&writes) ? 0 : wider; /* an empty box does not grow into one that is not */
        for (int axis = 0; axis < 3; axis++) {
            int64_t by = axis == 1 && tr_edit_is_height(&edit) ? 0 : wider;

            assert_int_equal(reads.lo[axis], writes.lo[axis] - by);
            assert_int_equal(reads.hi[axis], writes.hi[axis] + by);
        }
        if (tr_edit_is_height(&edit)) {
            assert_int_equal(writes.lo[1], -65536);
            assert_int_equal(writes.hi[1], 65535);
        }
        tr_edit_release(&edit);
    }
}

static void boxes_of_shapes_are_cut_to_within(void **state)
{
    static const enum tr_edit_op ops[] = {TR_EDIT_UNION, TR_EDIT_SUBTRACT, TR_EDIT_INTERSECT,
                                          TR_EDIT_SHAPE_PAINT};
    struct tr_box reads, writes;

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct tr_edit edit = round_begin(ops[i], (double[]){0, 0, 0}, NULL, 10);

        edit.has_within = true;
        memcpy(edit.within_m[0], (double[]){-3.5, -1000, 2}, sizeof edit.within_m[0]);
        memcpy(edit.within_m[1], (double[]){4.5, 1000, 2}, sizeof edit.within_m[1]);
        resolve(&edit);
        boxes_of(&edit, &reads, &writes);
        assert_int_equal(writes.lo[0], -3);
        assert_int_equal(writes.hi[0], 4);
        assert_int_equal(writes.lo[2], 2);
        assert_int_equal(writes.hi[2], 2);
        assert_int_equal(writes.hi[1], ops[i] == TR_EDIT_INTERSECT     ? 1000
                                       : ops[i] == TR_EDIT_SHAPE_PAINT ? 11
                                                                       : 26);
        assert_memory_equal(&reads, &writes, sizeof reads);
        edit.within_m[0][2] = edit.within_m[1][2] = 2.5; /* between samples */
        resolve(&edit);
        boxes_of(&edit, &reads, &writes);
        assert_true(tr_box_is_empty(&writes));
        tr_edit_release(&edit);
    }
}

/* ---- slots ---- */

static void slots_of_a_brush_carry_its_numbers(void **state)
{
    const struct tr_box world = {{0, -65536, 0}, {128, 65535, 64}};
    const int64_t origin[3] = {64, 12345, 0};
    struct tr_edit edit = brush_begin(TR_EDIT_LOWER, (double[]){70.5, 0, 3}, 8);
    struct made made;

    (void)state;
    edit.falloff = TR_FALLOFF_SHARP;
    edit.power = 5;
    edit.points->strength = 2;
    resolve(&edit);
    made = slot_of(&edit, &world, origin);
    assert_true(made.reaches);
    assert_int_equal(made.slot.op, TR_SLOT_RAISE);
    assert_int_equal(made.slot.falloff, TR_FALLOFF_SHARP);
    assert_int_equal(made.slot.power, 5);
    assert_true(made.slot.cx == 6.5f && made.slot.cy == 0 && made.slot.cz == 3 &&
                made.slot.radius == 0.125f && made.slot.strength == -512);
    assert_int_equal(made.slot.lo_x, 0); /* 62.5 - 64, clipped to the frame */
    assert_int_equal(made.slot.hi_x, 14);
    assert_int_equal(made.slot.lo_z, 0); /* -5, clipped to the world */
    assert_int_equal(made.slot.hi_z, 11);
    assert_int_equal(made.slot.lo_y, -65536);
    assert_int_equal(made.slot.hi_y, 65535);
    assert_int_equal(made.slot.base_y, 0);
    assert_int_equal(made.words.count, 0);
    tr_edit_release(&edit);
}

/* What each operation's slot has beside its place. */
static void slots_of_every_brush_say_what_it_does(void **state)
{
    static const struct {
        enum tr_edit_op op;
        uint32_t slot_op;
        float strength;
        int target;
    } cases[] = {
        {TR_EDIT_RAISE, TR_SLOT_RAISE, 1024, 0},
        {TR_EDIT_LOWER, TR_SLOT_RAISE, -1024, 0},
        {TR_EDIT_SMOOTH, TR_SLOT_SMOOTH, 0.5f, 0},
        {TR_EDIT_HC_SMOOTH, TR_SLOT_HC_SMOOTH, 0.5f, 0},
        {TR_EDIT_FLATTEN, TR_SLOT_LEVEL, 0.5f, 256000},
        {TR_EDIT_NOISE, TR_SLOT_NOISE, (float)(1024 / 1.875), 0},
        {TR_EDIT_STAMP, TR_SLOT_STAMP, 1024, 0},
        {TR_EDIT_SET, TR_SLOT_LEVEL, 1, 256000},
        {TR_EDIT_PAINT, TR_SLOT_PAINT, 0, 7},
        {TR_EDIT_VOLUME_ADD, TR_SLOT_PUSH, -1024, 0},
        {TR_EDIT_VOLUME_SUBTRACT, TR_SLOT_PUSH, 1024, 0},
        {TR_EDIT_VOLUME_SMOOTH, TR_SLOT_VOLUME_SMOOTH, 0.5f, 0},
        {TR_EDIT_VOLUME_FLATTEN, TR_SLOT_PLANE, 0.5f, 0},
        {TR_EDIT_VOLUME_NOISE, TR_SLOT_VOLUME_NOISE, (float)(1024 / 1.875), 0},
        {TR_EDIT_VOLUME_STAMP, TR_SLOT_VOLUME_STAMP, 1024, 0},
        {TR_EDIT_INFLATE, TR_SLOT_INFLATE, 1024, 0},
        {TR_EDIT_PINCH, TR_SLOT_PINCH, 0.5f, 0},
        {TR_EDIT_GRAB, TR_SLOT_GRAB, 0, 0},
        {TR_EDIT_VOLUME_PAINT, TR_SLOT_VOLUME_PAINT, 0, 7},
    };
    const int64_t origin[3] = {0, -64, 64};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tr_edit edit = brush_begin(cases[i].op, (double[]){1, -3, 70}, 4);
        struct made made;
        bool is_height = tr_edit_is_height(&edit);

        resolve(&edit);
        made = slot_of(&edit, &everywhere, origin);
        assert_true(made.reaches);
        assert_int_equal(made.slot.op, cases[i].slot_op);
        assert_true(made.slot.strength == cases[i].strength);
        assert_int_equal(made.slot.target, cases[i].target);
        assert_int_equal(made.slot.base_y, is_height ? 0 : -64);
        assert_true(made.slot.cy == (is_height ? 0 : 61));
        assert_true(made.slot.px == (cases[i].op == TR_EDIT_HC_SMOOTH ? 0.5f
                                     : cases[i].op == TR_EDIT_GRAB    ? 3
                                                                      : 0));
        assert_true(made.slot.py == (cases[i].op == TR_EDIT_VOLUME_FLATTEN ? 1
                                     : cases[i].op == TR_EDIT_GRAB         ? -4
                                                                           : 0));
        assert_int_equal(made.words.count > 0, cases[i].op == TR_EDIT_NOISE ||
                                                   cases[i].op == TR_EDIT_VOLUME_NOISE ||
                                                   tr_edit_is_stamp(&edit));
        made_end(&made);
        tr_edit_release(&edit);
    }
}

static void a_flatten_without_height_takes_the_height_where_it_starts(void **state)
{
    const struct tr_box world = {{0, -65536, 0}, {128, 65535, 64}};
    const int64_t origin[3] = {0, 0, 0};
    struct tr_edit edit = brush_begin(TR_EDIT_FLATTEN, (double[]){-2.5, 0, 9.5}, 8);
    struct tr_stamp stamp;
    struct tr_words words = {0};
    struct tr_error error;
    tr_edit_slot slot;
    int64_t x, z;
    bool reaches;

    (void)state;
    edit.has_height = false;
    resolve(&edit);
    assert_true(tr_edit_reads_start(&edit));
    tr_edit_start_column(&edit, &world, &x, &z);
    assert_int_equal(x, 0);  /* -2, clamped */
    assert_int_equal(z, 10); /* halves up */
    stamp = tr_edit_stamp(&edit, 0);
    assert_int_equal(tr_edit_slot_make(&edit, &stamp, -777, &world, origin, &words, &slot, &reaches, &error),
                     TR_OK);
    assert_true(reaches);
    assert_int_equal(slot.target, -777);
    tr_edit_release(&edit);
}

/* Words of noise: the lattice cell of the frame's origin and the place in it, exact however far away. */
static void noise_words_place_the_frame_in_the_lattice(void **state)
{
    const int64_t origin[3] = {-64 * 999999, 128, 64 * 777777};
    struct tr_edit edit =
        brush_begin(TR_EDIT_VOLUME_NOISE, (double[]){-64 * 999999 + 5, 130, 64 * 777777 + 9}, 20);
    struct made made;

    (void)state;
    edit.scale_m = 7;
    edit.octaves = 3;
    edit.seed = UINT64_C(0x123456789abcdef0);
    resolve(&edit);
    made = slot_of(&edit, &everywhere, origin);
    assert_int_equal(made.slot.words, 0);
    assert_int_equal(made.words.words[0], 0x12345678u ^ 0x9abcdef0u);
    assert_int_equal(made.words.words[1], 3);
    for (int i = 0; i < 3; i++) {
        int64_t cell = tr_floor_div(origin[i], 7);

        assert_int_equal(made.words.words[2 + i], (uint32_t)cell);
        assert_float_equal(tr_from_bits(made.words.words[5 + i]), (float)(origin[i] - 7 * cell) / 7, 1e-7);
    }
    assert_true(tr_from_bits(made.words.words[8]) == 1.0f / 7);
    made_end(&made);
    edit.op = TR_EDIT_NOISE; /* in the plane */
    resolve(&edit);
    made = slot_of(&edit, &everywhere, origin);
    assert_int_equal(made.words.words[3], 0);
    assert_int_equal(made.words.words[6], 0);
    made_end(&made);
    tr_edit_release(&edit);
}

static void slots_of_projected_brushes_and_planes_have_unit_directions(void **state)
{
    const int64_t origin[3] = {64, 0, 0};
    struct tr_edit edit = brush_begin(TR_EDIT_VOLUME_FLATTEN, (double[]){70, 10, 3}, 8);
    struct made made;

    (void)state;
    edit.is_projected = true;
    memcpy(edit.axis, (double[]){0, 3e8, -4e8}, sizeof edit.axis);
    memcpy(edit.normal, (double[]){0, 6e-9, 8e-9}, sizeof edit.normal);
    resolve(&edit);
    made = slot_of(&edit, &everywhere, origin);
    assert_int_equal(made.slot.form, TR_FORM_PROJECTED);
    assert_true(made.slot.ux == 0 && made.slot.uy == 0.6f && made.slot.uz == -0.8f);
    assert_true(made.slot.px == 0 && made.slot.py == 0.6f && made.slot.pz == 0.8f);
    assert_float_equal(made.slot.p0, -(0.6 * 10 + 0.8 * 3), 1e-6); /* through the centre */
    edit.has_point = true;
    memcpy(edit.point_m, (double[]){1000, 5, 0}, sizeof edit.point_m);
    resolve(&edit);
    made = slot_of(&edit, &everywhere, origin);
    assert_float_equal(made.slot.p0, -(0.6 * 5), 1e-6);
    tr_edit_release(&edit);
}

static void slots_of_a_shape_carry_its_numbers(void **state)
{
    const int64_t origin[3] = {-64, 0, 64};
    struct tr_edit edit = round_begin(TR_EDIT_SUBTRACT, (double[]){-84, 3, 68}, (double[]){-44, 3, 68}, 5);
    struct made made;

    (void)state;
    edit.blend = (struct tr_blend){TR_BLEND_SMOOTH, 2, 0};
    resolve(&edit);
    made = slot_of(&edit, &everywhere, origin);
    assert_true(made.reaches);
    assert_int_equal(made.slot.op, TR_SLOT_SUBTRACT);
    assert_int_equal(made.slot.form, TR_FORM_ROUND);
    assert_true(made.slot.cx == 0 && made.slot.cy == 3 && made.slot.cz == 4);
    assert_true(made.slot.ux == 1 && made.slot.uy == 0 && made.slot.uz == 0);
    assert_true(made.slot.t0 == -20 && made.slot.t1 == 20);
    assert_true(made.slot.radius == 5 && made.slot.k0 == 0 && made.slot.reach == 18);
    assert_int_equal(made.slot.blend, TR_BLEND_SMOOTH);
    assert_true(made.slot.blend_k == 512 && made.slot.blend_a == 1.0f / 2048 && made.slot.blend_b == 0);
    assert_int_equal(made.slot.lo_x, 0);
    assert_int_equal(made.slot.hi_x, 20 + 23);
    assert_int_equal(made.slot.hi_y, 3 + 23);
    assert_int_equal(made.slot.hi_z, 4 + 23);
    edit.blend = (struct tr_blend){TR_BLEND_STAIRS, 2, 4};
    resolve(&edit);
    made = slot_of(&edit, &everywhere, origin);
    assert_true(made.slot.blend_k == 512 && made.slot.blend_a == 128 && made.slot.blend_b == 1.0f / 256);
    edit.blend = (struct tr_blend){TR_BLEND_CHAMFER, 2, 0};
    resolve(&edit);
    made = slot_of(&edit, &everywhere, origin);
    assert_true(made.slot.blend_k == 512 && made.slot.blend_a == 0 && made.slot.blend_b == 0 &&
                made.slot.reach == 18);
    edit.op = TR_EDIT_SHAPE_PAINT;
    edit.blend = (struct tr_blend){0};
    resolve(&edit);
    made = slot_of(&edit, &everywhere, origin);
    assert_int_equal(made.slot.target, 7);
    assert_true(made.slot.reach == 1);
    tr_edit_release(&edit);
    edit = round_begin(TR_EDIT_UNION, (double[]){-84, 3, 68}, (double[]){-44, 3, 68}, 1024);
    resolve(&edit);
    made = slot_of(&edit, &everywhere, origin);
    assert_int_equal(made.slot.op, TR_SLOT_UNION);
    assert_int_equal(made.slot.form, TR_FORM_ROUND_LARGE);
    assert_true(made.slot.k0 == 25 - 1024 * 1024 && made.slot.reach == 16 &&
                made.slot.blend == TR_BLEND_HARD);
    assert_true(made.slot.blend_k == 0 && made.slot.blend_a == 0);
    tr_edit_release(&edit);
}

static void slots_of_other_shapes_point_to_their_code(void **state)
{
    const int64_t origin[3] = {0, 0, 0};
    struct tr_edit edit = shape_begin(TR_EDIT_UNION, 1);
    struct tr_shape_node *node = shape_add(&edit, TR_SHAPE_BOX, 0);
    struct tr_stamp stamp;
    struct tr_words words = {0};
    struct tr_error error;
    tr_edit_slot slot;
    bool reaches;

    (void)state;
    node_set(node, "center", (double[]){10, 10, 10});
    node_set(node, "size", (double[]){4, 4, 4});
    resolve(&edit);
    stamp = tr_edit_stamp(&edit, 0);
    for (uint32_t i = 0; i < 3; i++) { /* one behind the other */
        assert_int_equal(
            tr_edit_slot_make(&edit, &stamp, 0, &everywhere, origin, &words, &slot, &reaches, &error), TR_OK);
        assert_true(reaches);
        assert_int_equal(slot.form, TR_FORM_TREE);
        assert_int_equal(slot.words, i * 17);
        assert_int_equal(words.count, (i + 1) * 17); /* BOX, 15 numbers, END */
        assert_true(tr_slot_distance(words.words, slot, 10, 10, 15) == 3);
    }
    tr_words_release(&words);
    tr_edit_release(&edit);
}

static void a_capsule_whose_ends_coincide_is_a_sphere(void **state)
{
    uint64_t seed = 6;
    int count = 0;

    (void)state;
    for (int i = 0; i < 500; i++) {
        double radius = exp(random_between(&seed, -2, 11.5)), at[3];
        struct tr_edit sphere, capsule;
        struct made a, b;
        int64_t origin[3];

        for (int j = 0; j < 3; j++) {
            at[j] = random_coordinate(&seed, j == 1 ? 800 : 999000);
            origin[j] = 64 * tr_floor_div((int64_t)floor(at[j] + (j == 0 ? radius : 0)), 64);
        }
        sphere = round_begin(TR_EDIT_UNION, at, NULL, radius);
        capsule = round_begin(TR_EDIT_UNION, at, at, radius);
        resolve(&sphere);
        resolve(&capsule);
        a = slot_of(&sphere, &everywhere, origin);
        b = slot_of(&capsule, &everywhere, origin);
        assert_int_equal(a.reaches, b.reaches);
        assert_memory_equal(&a.slot, &b.slot, sizeof a.slot);
        assert_true(a.slot.ux == 0 && a.slot.uy == 0 && a.slot.uz == 0 && a.slot.t0 == 0 && a.slot.t1 == 0);
        count += a.reaches;
        tr_edit_release(&sphere);
        tr_edit_release(&capsule);
    }
    assert_true(count > 400);
}

/* A sample within `band` voxels of the surface: from a place on the axis in any direction. */
static void random_sample(uint64_t *seed, const struct round *round, double band, int64_t p[3])
{
    double t = random_between(seed, -0.1, 1.1), away = round->radius + random_between(seed, -band, band),
           u[3];

    t = t < 0 ? 0 : t > 1 ? 1 : t;
    random_direction(seed, u);
    for (int i = 0; i < 3; i++)
        p[i] = (int64_t)floor(round->a[i] + t * (round->b[i] - round->a[i]) + away * u[i] + 0.5);
}

/* Compares the distance of samples near the surface, from the frame of their owner and from one beside it, with the true one. */
static void assert_distances(uint64_t seed, double radius_lo, double radius_hi, double bound)
{
    int owners = 0, others = 0;

    for (int i = 0; i < 20000; i++) {
        struct tr_edit edit =
            random_round(&seed, exp(random_between(&seed, log(radius_lo), log(radius_hi))), 5000);
        struct round round = round_of(&edit);
        long double at[3], expected;
        int64_t p[3];
        int moved = random_below(&seed, 3), by = random_below(&seed, 2) ? 64 : -64;

        random_sample(&seed, &round, 32, p);
        for (int j = 0; j < 3; j++)
            at[j] = p[j];
        expected = true_distance(&round, at, NULL);
        for (int frame = 0; frame < 2 && p[1] >= -65536 && p[1] <= 65535 &&
                            expected <= (edit.op == TR_EDIT_SHAPE_PAINT ? 0.9L : 15.9L);
             frame++) {
            int64_t origin[3];
            struct made made;
            double found;

            for (int j = 0; j < 3; j++)
                origin[j] = 64 * tr_floor_div(p[j], 64) + (frame == 1 && j == moved ? by : 0);
            made = slot_of(&edit, &everywhere, origin);
            if (!made.reaches) {
                if (frame == 0)
                    fail_sample("its owner has no slot", &edit, p);
                continue;
            }
            found = (double)tr_slot_round_distance(made.slot, (int)(p[0] - origin[0]),
                                                   (int)(p[1] - origin[1]), (int)(p[2] - origin[2]));
            if (!(fabsl(found - expected) <= bound)) {
                print_error("frame %d: distance %.9g, true %.9Lg, bound %g\n", frame, found, expected, bound);
                fail_sample("distance is off", &edit, p);
            }
            owners += frame == 0;
            others += frame == 1;
        }
        tr_edit_release(&edit);
    }
    assert_true(owners > 5000 && others > 1000);
}

static void slots_keep_the_distance_within_1_2048_voxel(void **state)
{
    (void)state;
    assert_distances(7, 0.01, 10, 1.0 / 2048);
    assert_distances(8, 10, 1023.999, 1.0 / 2048);
}

static void slots_of_large_radius_keep_it_within_1_1024_voxel(void **state)
{
    (void)state;
    assert_distances(9, 1024, 100000, 1.0 / 1024);
    assert_distances(10, 99999, 100000, 1.0 / 1024);
}

/* ---- culling and clipping ---- */

/* The slot, or its absence, against all samples of the frame: none that changes is left out, none is in another place. */
static size_t assert_slot_leaves_nothing_out(const struct tr_edit *edit, const struct tr_box *world,
                                             const int64_t origin[3])
{
    struct made made = slot_of(edit, world, origin), whole = slot_by_hand(edit, origin);
    bool is_height = tr_edit_is_height(edit);
    size_t count = 0;

    for (int y = 0; y < (is_height ? 1 : 64); y++)
        for (int z = 0; z < 64; z++)
            for (int x = 0; x < 64; x++) {
                const int64_t p[3] = {origin[0] + x, origin[1] + y, origin[2] + z};
                bool in_slot = made.reaches && (is_height ? tr_slot_covers_column(made.slot, x, z)
                                                          : tr_slot_covers(made.slot, x, y, z));
                bool may_change = box_holds(world, p) && (!edit->has_within || box_holds(&edit->within, p));

                if (in_slot && !may_change)
                    fail_sample("in the slot but outside the world", edit, p);
                if (in_slot || !may_change)
                    continue;
                if (changes(edit, &whole, x, y, z))
                    fail_sample(made.reaches ? "left out by the slot's box" : "left out with its frame", edit,
                                p);
                count++;
            }
    made_end(&made);
    made_end(&whole);
    return count;
}

/* Asked without words, a slot says the same about what it reaches. */
static bool reaches_without_words(const struct tr_edit *edit, const int64_t origin[3])
{
    struct tr_stamp stamp = tr_edit_stamp(edit, 0);
    struct tr_error error;
    tr_edit_slot slot;
    bool reaches;

    assert_int_equal(tr_edit_slot_make(edit, &stamp, 0, &everywhere, origin, NULL, &slot, &reaches, &error),
                     TR_OK);
    return reaches;
}

/* Where an edit's reach ends, in any direction: a point of its box's side, which a frame's near corner then lies at. */
static void random_edge_frame(uint64_t *seed, const struct tr_edit *edit, int64_t origin[3])
{
    struct tr_box reads, writes;
    double u[3], most = 0;

    boxes_of(edit, &reads, &writes);
    random_direction(seed, u);
    if (tr_edit_is_height(edit))
        u[1] = 0;
    for (int i = 0; i < 3; i++)
        most = fmax(most, fabs(u[i]));
    for (int i = 0; i < 3; i++) {
        double middle = 0.5 * ((double)writes.lo[i] + (double)writes.hi[i]);
        double half = 0.5 * ((double)writes.hi[i] - (double)writes.lo[i]);
        /* on a sphere in the box, or out at its corners */
        double v = middle + half * u[i] / (random_below(seed, 4) ? 1 : most) + random_between(seed, -3, 3);

        origin[i] = (int64_t)floor(v) - (u[i] < 0 ? 63 : 0);
    }
}

/* Frames into which an edit of any size just reaches, or just not. */
static void culling_never_changes_a_result(void **state)
{
    uint64_t seed = 11;
    int reached = 0, refused = 0;

    (void)state;
    for (int i = 0; i < 240; i++) {
        double radius = exp(random_between(&seed, -1, 11.5));
        struct tr_edit edit = i % 3 == 0   ? random_brush(&seed, radius)
                              : i % 3 == 1 ? random_round(&seed, radius, 5000)
                                           : random_tree(&seed, radius);
        int64_t origin[3];
        struct made made;

        random_edge_frame(&seed, &edit, origin);
        if (origin[1] < -65536 + 64 || origin[1] > 65535 - 64) {
            tr_edit_release(&edit);
            continue;
        }
        assert_slot_leaves_nothing_out(&edit, &everywhere, origin);
        made = slot_of(&edit, &everywhere, origin);
        assert_int_equal(reaches_without_words(&edit, origin), made.reaches);
        assert_true(made.reaches || made.words.count == 0);
        reached += made.reaches;
        refused += !made.reaches;
        made_end(&made);
        tr_edit_release(&edit);
    }
    assert_true(reached > 30 && refused > 30);
}

/* Ground is cut down to a shape by what lies outside it: frames deep inside are left out, all others of `within` are not. */
static void an_intersection_reaches_all_but_what_is_deep_inside(void **state)
{
    uint64_t seed = 15;
    int reached = 0, refused = 0;

    (void)state;
    for (int i = 0; i < 60; i++) {
        struct tr_edit edit = i % 2 ? random_round(&seed, 300, 5000) : random_tree(&seed, 300);
        int64_t origin[3];
        struct made made;

        edit.op = TR_EDIT_INTERSECT;
        edit.has_within = true;
        for (int j = 0; j < 3; j++) {
            double lo[3], hi[3];

            tr_tree_box(edit.tree, 0, lo, hi);
            edit.within_m[0][j] = lo[j] - 200;
            edit.within_m[1][j] = hi[j] + 200;
            origin[j] =
                64 * tr_floor_div((int64_t)(i % 4 < 2 ? 0.5 * (lo[j] + hi[j]) + random_between(&seed, -60, 60)
                                                      : random_between(&seed, lo[j] - 200, hi[j] + 200)),
                                  64);
        }
        random_ground_blend(&seed, &edit);
        resolve(&edit);
        assert_slot_leaves_nothing_out(&edit, &everywhere, origin);
        made = slot_of(&edit, &everywhere, origin);
        assert_int_equal(reaches_without_words(&edit, origin), made.reaches);
        assert_true(made.reaches || made.words.count == 0);
        reached += made.reaches;
        refused += !made.reaches;
        made_end(&made);
        tr_edit_release(&edit);
    }
    assert_true(reached > 10 && refused > 5);
}

/* A frame whose farthest corner lies just where an intersection stops to change, and just beyond. */
static void an_intersection_reaches_a_frame_by_its_farthest_corner(void **state)
{
    static const double radii[] = {70.5,
                                   72}; /* the corner is 54.56 from the centre, and 16 are reached within */
    const int64_t origin[3] = {0, 0, 0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tr_edit edit = round_begin(TR_EDIT_INTERSECT, (double[]){31.5, 31.5, 31.5}, NULL, radii[i]);

        edit.has_within = true;
        edit.within_m[1][0] = edit.within_m[1][1] = edit.within_m[1][2] = 63;
        resolve(&edit);
        assert_int_equal(slot_of(&edit, &everywhere, origin).reaches, i == 0);
        assert_slot_leaves_nothing_out(&edit, &everywhere, origin);
        tr_edit_release(&edit);
    }
}

/* A projected brush is a cylinder: its rim lies farther from the centre than its radius. */
static void a_frame_at_the_rim_of_a_projected_brush_is_not_culled(void **state)
{
    const int64_t origin[3] = {64, 64, 64};
    struct tr_edit edit = brush_begin(TR_EDIT_VOLUME_ADD, (double[]){64 - 99.5, 64 - 99.5, 64}, 100);

    (void)state;
    edit.is_projected = true;
    edit.axis[1] = 2;
    resolve(&edit);
    assert_true(slot_of(&edit, &everywhere, origin).reaches);
    assert_slot_leaves_nothing_out(&edit, &everywhere, origin);
    tr_edit_release(&edit);
}

static void a_frame_beside_a_diagonal_capsule_is_culled(void **state)
{
    struct tr_edit edit = round_begin(TR_EDIT_UNION, (double[]){0, 0, 0}, (double[]){10000, 10000, 10000}, 4);
    int count = 0;

    (void)state;
    resolve(&edit);
    for (int64_t i = 0; i < 10; i++)
        for (int64_t j = 0; j < 10; j++)
            for (int64_t k = 0; k < 10; k++) {
                const int64_t origin[3] = {64 * i, 64 * j, 64 * k};
                long double gap[3], best = 1e9L;
                struct made made;

                for (int n = 0; n < 64 * 64;
                     n++) { /* the capsule lies on the diagonal, so the box's nearest point does too */
                    long double s = n * 10000.0L / (64 * 64), d_2 = 0;

                    for (int axis = 0; axis < 3; axis++) {
                        gap[axis] = s < origin[axis]        ? origin[axis] - s
                                    : s > origin[axis] + 63 ? s - origin[axis] - 63
                                                            : 0;
                        d_2 += gap[axis] * gap[axis];
                    }
                    best = d_2 < best ? d_2 : best;
                }
                made = slot_of(&edit, &everywhere, origin);
                if (sqrtl(best) < 4 + 16 && !made.reaches)
                    fail_msg("frame %lld %lld %lld at distance %Lg is culled", (long long)i, (long long)j,
                             (long long)k, sqrtl(best));
                if (sqrtl(best) > 4 + 16 + 1 + 2.5L && made.reaches)
                    fail_msg("frame %lld %lld %lld at distance %Lg is not culled", (long long)i, (long long)j,
                             (long long)k, sqrtl(best));
                count += made.reaches;
            }
    assert_true(count >= 10 && count < 120); /* of 1000 that meet its box */
    tr_edit_release(&edit);
}

static void slots_are_clipped_to_the_world(void **state)
{
    const struct tr_box world = {{0, -65536, 0}, {128, 65535, 64}}; /* 2 x 1 chunks */
    uint64_t seed = 12;
    size_t count = 0;

    (void)state;
    for (int i = 0; i < 20; i++) {
        double at[3] = {random_between(&seed, -30, 160), random_between(&seed, -30, 30),
                        random_between(&seed, -30, 160)};
        struct tr_edit edit = i % 2 ? brush_begin((enum tr_edit_op)random_below(&seed, TR_EDIT_UNION), at, 30)
                                    : round_begin(random_shape_op(&seed), at, NULL, 10);

        resolve(&edit);
        for (int64_t cz = -1; cz <= 1; cz++)
            for (int64_t cx = -1; cx <= 2; cx++) {
                const int64_t origin[3] = {64 * cx, -64, 64 * cz};

                count += assert_slot_leaves_nothing_out(&edit, &world, origin);
            }
        tr_edit_release(&edit);
    }
    assert_true(count > 1000);
}

static void a_frame_outside_the_world_has_no_slot(void **state)
{
    const struct tr_box world = {{0, -65536, 0}, {128, 65535, 64}};
    const int64_t outside[][3] = {{-64, 0, 0}, {0, 0, -64},   {192, 0, 0},
                                  {0, 0, 128}, {0, 65536, 0}, {0, -65600, 0}};
    struct tr_edit edit = round_begin(TR_EDIT_UNION, (double[]){0, 0, 0}, NULL, 100000);
    struct made made;

    (void)state;
    resolve(&edit);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_false(slot_of(&edit, &world, outside[i]).reaches);
    made = slot_of(&edit, &world, (int64_t[3]){128, 0, 64}); /* the rim: one sample wide */
    assert_true(made.reaches);
    assert_int_equal(made.slot.hi_x, 0);
    assert_int_equal(made.slot.hi_y, 63);
    assert_int_equal(made.slot.hi_z, 0);
    tr_edit_release(&edit);
}

static void assert_numbers_are_normal(const tr_edit_slot *slot, double tiny, int op)
{
    const float numbers[] = {slot->cx,       slot->cy,      slot->cz,      slot->ux,     slot->uy,
                             slot->uz,       slot->t0,      slot->t1,      slot->radius, slot->k0,
                             slot->strength, slot->px,      slot->py,      slot->pz,     slot->p0,
                             slot->reach,    slot->blend_k, slot->blend_a, slot->blend_b};

    for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
        if (numbers[j] != 0 && !isnormal(numbers[j]))
            fail_msg("%g, op %d: number %d is %g", tiny, op, (int)j, (double)numbers[j]);
}

/* No number of a slot is subnormal, infinite or NaN, however small what it came from. */
static void tiny_numbers_give_slots_that_every_device_reads_alike(void **state)
{
    static const double tiny[] = {5e-324, 1e-300, 1e-45, 1e-30, 0x1p-41};
    const int64_t origin[3] = {0, 0, 0};

    (void)state;
    for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++)
        for (int op = 0; op < TR_EDIT_OP_COUNT; op++) {
            double t = tiny[i], at[3] = {t, t, t};
            struct tr_edit edit = op < TR_EDIT_UNION
                                      ? brush_begin((enum tr_edit_op)op, at, t)
                                      : round_begin((enum tr_edit_op)op, at, (double[]){10, -t, -t}, t);
            struct made made;

            if (op < TR_EDIT_UNION)
                edit.points->strength = t;
            if (op == TR_EDIT_GRAB)
                edit.by_m[1] = t;
            edit.is_projected = is_volume_brush(&edit) && i % 2;
            edit.axis[2] = 1;
            edit.axis[0] = t;
            edit.normal[0] = t;
            edit.blend = (struct tr_blend){1 + (uint32_t)i % 3, t, 4};
            edit.has_within = true;
            edit.within_m[1][0] = 20;
            resolve(&edit);
            made = slot_of(&edit, &everywhere, origin);
            assert_true(made.reaches);
            assert_numbers_are_normal(&made.slot, t, op);
            made_end(&made);
            tr_edit_release(&edit);
        }
}

/* ---- limits ---- */

static void assert_refused(struct tr_edit *edit, double voxel_size, const char *message)
{
    struct tr_error error = {.text = ""};

    assert_int_equal(tr_edit_resolve(edit, voxel_size, "here", &error), TR_BAD_INPUT);
    assert_string_equal(error.text, message);
}

static void assert_accepted(struct tr_edit *edit, double voxel_size)
{
    struct tr_error error = {.text = ""};

    if (tr_edit_resolve(edit, voxel_size, "here", &error) != TR_OK)
        fail_msg("refused: %s", error.text);
}

/* Each limit in voxels at a voxel size of half a metre: the greatest that is read, and the next that is not. */
static void brushes_beyond_a_limit_are_refused(void **state)
{
    struct tr_edit edit = brush_begin(TR_EDIT_VOLUME_ADD, (double[]){32000000, -32768, -32000000}, 50000);

    (void)state;
    edit.points->strength = 32767.99;
    assert_accepted(&edit, 0.5);
    assert_true(edit.points->at[0] == 64000000 && edit.points->at[1] == -65536 &&
                edit.points->radius == 100000);
    assert_true(edit.points->strength_units == -32767.99 * 2 * 256);
    edit.points->at_m[0] = 32000001;
    assert_refused(&edit, 0.5,
                   "here: \"at\" must be at most 32000000 m (64000000 voxels) in magnitude, found 32000001");
    edit.is_stroke = true;
    assert_refused(
        &edit, 0.5,
        "here: \"path\" must be at most 32000000 m (64000000 voxels) in magnitude, found 32000001");
    edit.is_stroke = false;
    edit.points->at_m[0] = 0;
    edit.points->at_m[1] = -32769;
    assert_refused(&edit, 0.5,
                   "here: \"at\" must be at most 32768 m (65536 voxels) in magnitude, found -32769");
    edit.points->at_m[1] = 0;
    edit.points->radius_m = 50001;
    assert_refused(&edit, 0.5,
                   "here: \"radius\" must be at most 50000 m (100000 voxels) in magnitude, found 50001");
    edit.points->radius_m = 1e308;
    assert_refused(&edit, 0.5,
                   "here: \"radius\" must be at most 50000 m (100000 voxels) in magnitude, found 1e+308");
    edit.points->radius_m = 129;
    edit.points->strength = 32768;
    assert_refused(&edit, 0.5,
                   "here: \"strength\" must be at most 32767.998046875 m (65535.99609375 voxels) in "
                   "magnitude, found 32768");
    edit.op = TR_EDIT_VOLUME_SMOOTH; /* a fraction, and a radius of its own */
    edit.points->strength = 1;
    assert_refused(&edit, 0.5, "here: \"radius\" must be at most 128 m (256 voxels) in magnitude, found 129");
    edit.points->radius_m = 128;
    assert_accepted(&edit, 0.5);
    assert_true(edit.points->strength_units == 1);
    tr_edit_release(&edit);
}

static void fields_of_brushes_beyond_a_limit_are_refused(void **state)
{
    struct tr_edit edit = brush_begin(TR_EDIT_SET, (double[]){0, 0, 0}, 5);

    (void)state;
    edit.height_m = -32767.998046875;
    assert_accepted(&edit, 0.5);
    assert_int_equal(edit.height, -16777215);
    assert_true(edit.points->strength_units == 1);
    edit.height_m = -32768;
    assert_refused(&edit, 0.5,
                   "here: \"height\" must be at most 32767.998046875 m (65535.99609375 voxels) in magnitude, "
                   "found -32768");
    edit.op = TR_EDIT_NOISE;
    edit.has_height = false;
    edit.points->strength = 3;
    edit.scale_m = 32768;
    assert_accepted(&edit, 0.5);
    assert_true(edit.points->strength_units == 3 * 2 * 256 / 1.875);
    edit.octaves = 1;
    assert_accepted(&edit, 0.5);
    assert_true(edit.points->strength_units == 3 * 2 * 256);
    edit.scale_m = 32769;
    assert_refused(&edit, 0.5,
                   "here: \"scale\" must be at most 32768 m (65536 voxels) in magnitude, found 32769");
    edit.scale_m = 0.4;
    assert_refused(&edit, 0.5, "here: \"scale\" must be at least 0.5 m (1 voxel), found 0.4");
    edit.scale_m = 0.5;
    assert_accepted(&edit, 0.5);
    edit.op = TR_EDIT_VOLUME_FLATTEN;
    edit.has_point = true;
    edit.point_m[1] = 32769;
    assert_refused(&edit, 0.5,
                   "here: \"point\" must be at most 32768 m (65536 voxels) in magnitude, found 32769");
    edit.point_m[1] = 32768;
    assert_accepted(&edit, 0.5);
    assert_true(edit.point[1] == 65536);
    tr_edit_release(&edit);
}

static void shapes_beyond_a_limit_are_refused(void **state)
{
    struct tr_edit edit = round_begin(TR_EDIT_UNION, (double[]){1, 2, 3}, NULL, 5);
    struct tr_tree *tree;

    (void)state;
    edit.blend = (struct tr_blend){TR_BLEND_CHAMFER, 8, 0};
    assert_accepted(&edit, 0.5);
    assert_true(edit.blend_width == 16);
    assert_accepted(&edit, 1); /* again, for another voxel size */
    assert_true(edit.blend_width == 8);
    tree = edit.tree;
    assert_non_null(tree);
    edit.blend.width_m = 8.5;
    assert_refused(&edit, 0.5, "here: \"width\" must be at most 8 m (16 voxels) in magnitude, found 8.5");
    edit.blend.width_m = 8;
    edit.shape.nodes->values[3] = 50001;
    assert_refused(&edit, 0.5,
                   "here: \"radius\" must be at most 50000 m (100000 voxels) in magnitude, found 50001");
    edit.shape.nodes->values[3] = 50000;
    edit.has_within = true;
    edit.within_m[0][1] = -32769;
    assert_refused(&edit, 0.5,
                   "here: \"within\" must be at most 32768 m (65536 voxels) in magnitude, found -32769");
    edit.within_m[0][1] = -32768;
    edit.within_m[1][2] = 32000000.25;
    assert_refused(
        &edit, 0.5,
        "here: \"within\" must be at most 32000000 m (64000000 voxels) in magnitude, found 32000000.25");
    tr_edit_release(&edit);
    assert_null(edit.tree);
}

/* ---- strokes ---- */

static struct tr_edit stroke_begin(const double (*points)[5], uint32_t count, double spacing)
{
    struct tr_edit edit = brush_begin(TR_EDIT_VOLUME_ADD, points[0], 1);

    free(edit.points);
    edit.points = calloc(count, sizeof *edit.points);
    assert_non_null(edit.points);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(edit.points[i].at_m, points[i], sizeof edit.points[i].at_m);
        edit.points[i].radius_m = points[i][3];
        edit.points[i].strength = points[i][4];
    }
    edit.point_count = count;
    edit.is_stroke = true;
    edit.has_spacing = spacing > 0;
    edit.spacing_m = spacing;
    return edit;
}

/* x, y, z, radius, strength in units behind the sign of add. */
static void assert_stamp(const struct tr_edit *edit, uint32_t index, const double expected[5])
{
    struct tr_stamp stamp = tr_edit_stamp(edit, index);

    for (int i = 0; i < 3; i++)
        assert_float_equal(stamp.at[i], expected[i], 1e-12);
    assert_float_equal(stamp.radius, expected[3], 1e-12);
    assert_float_equal(stamp.strength, -256 * expected[4], 1e-9);
}

static void stamps_stand_along_the_path_at_their_spacing(void **state)
{
    /* 10 along x, 5 up, 10 back; from 4 to 8 the radius grows on the last leg */
    static const double points[][5] = {
        {0, 0, 0, 4, 1}, {10, 0, 0, 4, 2}, {10, 5, 0, 4, 2}, {0, 5, 0, 8, 0.5}};
    struct tr_edit edit = stroke_begin(points, 4, 2.5);

    (void)state;
    resolve(&edit);
    assert_int_equal(tr_edit_stamp_count(&edit), 11);
    assert_stamp(&edit, 0, (double[]){0, 0, 0, 4, 1});
    assert_stamp(&edit, 1, (double[]){2.5, 0, 0, 4, 1.25});
    assert_stamp(&edit, 4, (double[]){10, 0, 0, 4, 2});
    assert_stamp(&edit, 5, (double[]){10, 2.5, 0, 4, 2});
    assert_stamp(&edit, 8, (double[]){5, 5, 0, 6, 1.25});
    assert_stamp(&edit, 10, (double[]){0, 5, 0, 8, 0.5});
    edit.has_spacing = false; /* half the radius at the first point */
    resolve(&edit);
    assert_int_equal(tr_edit_stamp_count(&edit), 13);
    assert_stamp(&edit, 12, (double[]){1, 5, 0, 7.6, 0.65});
    tr_edit_release(&edit);
}

static void stamps_of_paths_that_stand_still(void **state)
{
    static const double same[][5] = {{1, 2, 3, 4, 1}, {1, 2, 3, 5, 2}, {1, 2, 3, 6, 3}};
    static const double stops[][5] = {{0, 0, 0, 4, 1}, {0, 0, 0, 5, 2}, {6, 0, 0, 6, 3}, {6, 0, 0, 7, 4}};
    struct tr_edit edit = stroke_begin(same, 1, 3);

    (void)state;
    resolve(&edit);
    assert_int_equal(tr_edit_stamp_count(&edit), 1);
    assert_stamp(&edit, 0, (double[]){1, 2, 3, 4, 1});
    tr_edit_release(&edit);
    edit = stroke_begin(same, 3, 3);
    resolve(&edit);
    assert_int_equal(tr_edit_stamp_count(&edit), 1);
    assert_stamp(&edit, 0, (double[]){1, 2, 3, 5, 2}); /* the last but one point */
    tr_edit_release(&edit);
    edit = stroke_begin(stops, 4, 3);
    resolve(&edit);
    assert_int_equal(tr_edit_stamp_count(&edit), 3);
    assert_stamp(&edit, 0, (double[]){0, 0, 0, 5, 2});
    assert_stamp(&edit, 1, (double[]){3, 0, 0, 5.5, 2.5});
    assert_stamp(&edit, 2, (double[]){6, 0, 0, 6, 3});
    tr_edit_release(&edit);
}

/* Every multiple of the spacing that is at most the length, and no other, however the quotient rounds. */
static void the_number_of_stamps_is_that_of_the_multiples(void **state)
{
    uint64_t seed = 16;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        double spacing = random_between(&seed, 0.01, 3), length = spacing * (1 + random_below(&seed, 60000));
        double points[][5] = {{0, 0, 0, 4, 1}, {length, 0, 0, 4, 1}};
        struct tr_edit edit;
        uint32_t count;

        if (length > 100000)
            continue;
        edit = stroke_begin((const double(*)[5])points, 2, spacing);
        resolve(&edit);
        count = tr_edit_stamp_count(&edit);
        assert_true((count - 1) * spacing <= length && count * spacing > length);
        tr_edit_release(&edit);
    }
}

static void strokes_beyond_a_limit_are_refused(void **state)
{
    static const double points[][5] = {{0, 0, 0, 4, 1}, {65535, 0, 0, 4, 1}};
    struct tr_edit edit = stroke_begin(points, 2, 1);

    (void)state;
    assert_accepted(&edit, 1);
    assert_int_equal(tr_edit_stamp_count(&edit), TR_EDIT_STAMPS_MAX);
    assert_stamp(&edit, TR_EDIT_STAMPS_MAX - 1, (double[]){65535, 0, 0, 4, 1});
    edit.points[1].at_m[0] = 65536;
    assert_refused(&edit, 1, "here: \"path\" must have at most 65536 stamps, found more");
    edit.spacing_m = 1e-320;
    assert_refused(&edit, 1, "here: \"path\" must have at most 65536 stamps, found more");
    edit.spacing_m = 100001;
    assert_refused(&edit, 1,
                   "here: \"spacing\" must be at most 100000 m (100000 voxels) in magnitude, found 100001");
    edit.points[1].at_m[0] = 0;
    edit.spacing_m = 1e-320; /* no way to go: one stamp, whatever the spacing */
    assert_accepted(&edit, 1);
    assert_int_equal(tr_edit_stamp_count(&edit), 1);
    edit.spacing_m = 1;
    edit.points[1].radius_m = 100001;
    assert_refused(&edit, 1,
                   "here: \"radius\" must be at most 100000 m (100000 voxels) in magnitude, found 100001");
    tr_edit_release(&edit);
}

/* ---- images ---- */

/* The grey of a stamp at a sample, as kernels look it up, times 65,535. */
static double grey_at(const struct made *made, int x, int y, int z)
{
    return 65535 * (double)tr_words_image(made->words.words, made->slot.words, (float)x, (float)y, (float)z);
}

/* Columns of the picture run east, rows south; a quarter turn leads east to north. */
static void images_of_height_brushes_lie_as_seen_from_above(void **state)
{
    static const struct {
        double degrees;
        int x, z, column, row;
    } cases[] = {
        {0, 28, 28, 0, 0},   {0, 36, 28, 8, 0},   {0, 28, 36, 0, 4},   {0, 34, 30, 6, 1},
        {0, 33, 32, 5, 2},   {90, 28, 36, 0, 0},  {90, 28, 28, 8, 0},  {90, 36, 36, 0, 4},
        {90, 32, 31, 5, 2},  {180, 36, 36, 0, 0}, {180, 28, 36, 8, 0}, {-90, 36, 28, 0, 0},
        {-90, 32, 33, 5, 2},
    };
    const int64_t origin[3] = {-64, 640, 128};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tr_edit edit = brush_begin(TR_EDIT_STAMP, (double[]){-64 + 32, 0, 128 + 32}, 4);
        struct made made;

        set_image(&edit, 9, 5); /* a pixel a voxel across, half as many down */
        edit.degrees = cases[i].degrees;
        resolve(&edit);
        made = slot_of(&edit, &everywhere, origin);
        assert_float_equal(grey_at(&made, cases[i].x, 0, cases[i].z),
                           1000 * cases[i].column + 10 * cases[i].row + 7, 0.2);
        made_end(&made);
        tr_edit_release(&edit);
    }
}

/* Any normal, any turn: the picture stands across the normal, its rows turned from its columns clockwise as seen against it. */
static void images_of_volume_brushes_lie_across_their_normal(void **state)
{
    uint64_t seed = 41;

    (void)state;
    for (int i = 0; i < 300; i++) {
        const int64_t origin[3] = {64 * 1000, -128, -64 * 5};
        double n[3], e[3], t[3], s[3], length = 0, degrees = random_between(&seed, -400, 400);
        double c = cos(degrees * 3.14159265358979323846 / 180),
               d = sin(degrees * 3.14159265358979323846 / 180);
        double at[3];
        struct tr_edit edit;
        struct made made;

        random_direction(&seed, n);
        if (i % 10 == 0)
            memcpy(n, (double[]){i % 20 ? -1 : 1, 0, 0}, sizeof n);
        for (int j = 0; j < 3; j++)
            at[j] = (double)origin[j] + random_between(&seed, 20, 44);
        edit = brush_begin(TR_EDIT_VOLUME_STAMP, at, 25);
        set_image(&edit, 40, 30);
        memcpy(edit.normal, (double[]){5 * n[0], 5 * n[1], 5 * n[2]}, sizeof edit.normal);
        edit.degrees = degrees;
        resolve(&edit);
        made = slot_of(&edit, &everywhere, origin);
        for (int j = 0; j < 3; j++)
            e[j] = (j == (fabs(n[0]) < 0.9 ? 0 : 2)) - n[fabs(n[0]) < 0.9 ? 0 : 2] * n[j];
        for (int j = 0; j < 3; j++)
            length += e[j] * e[j];
        for (int j = 0; j < 3; j++)
            e[j] /= sqrt(length);
        for (int j = 0; j < 3; j++)
            t[j] = n[(j + 1) % 3] * e[(j + 2) % 3] -
                   n[(j + 2) % 3] * e[(j + 1) % 3]; /* what a quarter turn makes of e */
        for (int j = 0; j < 3; j++) {
            s[j] = d * e[j] - c * t[j];
            e[j] = c * e[j] + d * t[j];
        }
        for (int k = 0; k < 100; k++) {
            int p[3] = {random_below(&seed, 64), random_below(&seed, 64), random_below(&seed, 64)};
            double u = 0, v = 0;

            for (int j = 0; j < 3; j++) {
                u += e[j] * (p[j] + (double)origin[j] - at[j]);
                v += s[j] * (p[j] + (double)origin[j] - at[j]);
            }
            u = fmin(fmax((u / 25 + 1) * 39 / 2, 0), 39);
            v = fmin(fmax((v / 25 + 1) * 29 / 2, 0), 29);
            assert_float_equal(grey_at(&made, p[0], p[1], p[2]), 1000 * u + 10 * v + 7,
                               2); /* linear, as bilinear is */
        }
        made_end(&made);
        tr_edit_release(&edit);
    }
}

/* A stroke from a radius that wants the picture as it is to one that wants it small: each stamp has its own halving. */
static void images_are_halved_until_they_have_two_pixels_a_voxel(void **state)
{
    static const struct {
        double radius;
        uint32_t halvings, width, height;
    } cases[] = {{16, 0, 64, 20}, {15.9, 1, 32, 10}, {8, 1, 32, 10}, {7.9, 2, 16, 5},
                 {4, 2, 16, 5},   {1, 4, 4, 2},      {0.5, 5, 2, 1}, {0.2, 6, 1, 1}};
    struct tr_edit edit = brush_begin(TR_EDIT_STAMP, (double[]){0, 0, 0}, 16);

    (void)state;
    free(edit.points);
    edit.point_count = 2;
    edit.points = calloc(2, sizeof *edit.points);
    assert_non_null(edit.points);
    edit.is_stroke = true;
    edit.points[0] = (struct tr_edit_point){.radius_m = 16, .strength = 1};
    edit.points[1] = (struct tr_edit_point){.at_m = {100, 0, 0}, .radius_m = 0.2, .strength = 1};
    set_image(&edit, 64, 20);
    resolve(&edit);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tr_stamp stamp = {.radius = cases[i].radius};
        struct tr_grey image = tr_edit_picture(&edit, &stamp), expected = {0};
        struct tr_error error;

        assert_int_equal(image.width, cases[i].width);
        assert_int_equal(image.height, cases[i].height);
        assert_int_equal(tr_image_halve(&edit.image, cases[i].halvings, &expected.pixels, &expected.width,
                                        &expected.height, &error),
                         TR_OK);
        assert_int_equal(expected.width, image.width);
        assert_memory_equal(expected.pixels, image.pixels,
                            (size_t)image.width * image.height * sizeof *image.pixels);
        tr_grey_release(&expected);
    }
    resolve(&edit); /* again */
    tr_edit_release(&edit);
}

/* Words as long as they are, so that a sanitizer sees what is read beyond: at samples of the frame that the picture crosses anyhow. */
static void cropped_images_have_the_values_of_whole_ones(void **state)
{
    uint64_t seed = 42;
    size_t words = 0, whole = 0;

    (void)state;
    for (int i = 0; i < 200; i++) {
        double at[3] = {random_between(&seed, -150, 200), random_between(&seed, -40, 100),
                        random_between(&seed, -150, 200)};
        enum tr_edit_op op = i % 2 ? TR_EDIT_STAMP : TR_EDIT_VOLUME_STAMP;
        struct tr_edit edit = brush_begin(op, at, random_between(&seed, 100, 300));
        const int64_t origin[3] = {0, 0, 0};
        struct made made;
        uint32_t *exact;

        random_direction(&seed, edit.normal);
        edit.degrees = random_between(&seed, -180, 180);
        set_image(&edit, 60, 64); /* 60,000 and more is white enough */
        resolve(&edit);
        made = slot_of(&edit, &everywhere, origin);
        if (made.reaches) {
            exact = malloc(made.words.count * sizeof *exact);
            assert_non_null(exact);
            memcpy(exact, made.words.words, made.words.count * sizeof *exact);
            words += made.words.count;
            whole += TR_IMAGE_PIXELS + 60 * 64 / 2;
            for (int k = 0; k < 200; k++) {
                float p[3];
                double u, v, found;

                for (int j = 0; j < 3; j++)
                    p[j] = random_below(&seed, 2) ? (float)(63 * random_below(&seed, 2))
                                                  : (float)random_below(&seed, 64);
                if (op == TR_EDIT_STAMP)
                    p[1] = 0;
                found = 65535 * (double)tr_words_image(exact, 0, p[0], p[1], p[2]);
                u = (double)(tr_words_row(exact, 0, p[0], p[1], p[2]) + tr_from_bits(exact[3]) -
                             tr_from_bits(exact[8]));
                v = (double)(tr_words_row(exact, 4, p[0], p[1], p[2]) + tr_from_bits(exact[7]) -
                             tr_from_bits(exact[9]));
                u = fmin(fmax(u, 0), 59);
                v = fmin(fmax(v, 0), 63);
                assert_float_equal(found, 1000 * u + 10 * v + 7, 1);
            }
            free(exact);
        }
        made_end(&made);
        tr_edit_release(&edit);
    }
    assert_true(words > 0 && words < whole / 2);
}

/* ---- regions ---- */

static void the_region_of_a_redistance_is_what_it_reads(void **state)
{
    const struct tr_box world = {{0, -65536, 0}, {127, 65535, 127}};
    uint64_t seed = 43;

    (void)state;
    for (int i = 0; i < 300; i++) {
        double at[3] = {random_between(&seed, -30, 160), random_between(&seed, -65530, 65530),
                        random_between(&seed, -30, 160)};
        struct tr_edit edit =
            brush_begin(TR_EDIT_REDISTANCE, at, i % 3 ? random_between(&seed, 0.1, 64) : 64);
        struct tr_stamp stamp;
        struct tr_box reads, writes;
        tr_edit_slot slot;
        int64_t lo[3];
        uint32_t size[3];

        resolve(&edit);
        stamp = tr_edit_stamp(&edit, 0);
        tr_edit_boxes(&edit, &stamp, &reads, &writes);
        reads = tr_box_intersect(reads, &world);
        writes = tr_box_intersect(writes, &world);
        tr_edit_region(&edit, &stamp, &world, lo, size, &slot);
        if (tr_box_is_empty(&writes)) {
            assert_int_equal(size[0] | size[1] | size[2], 0);
            assert_true(slot.lo_x > slot.hi_x);
        } else {
            const int first[3] = {slot.lo_x, slot.lo_y, slot.lo_z},
                      last[3] = {slot.hi_x, slot.hi_y, slot.hi_z};

            for (int axis = 0; axis < 3; axis++) {
                assert_int_equal(lo[axis], reads.lo[axis]);
                assert_int_equal(lo[axis] + size[axis] - 1, reads.hi[axis]);
                assert_int_equal(lo[axis] + first[axis], writes.lo[axis]);
                assert_int_equal(lo[axis] + last[axis], writes.hi[axis]);
                assert_true(size[axis] <= 131);
            }
            assert_int_equal(slot.op, TR_SLOT_REDISTANCE);
            assert_int_equal(slot.base_y, lo[1]);
            assert_true(slot.cx == (float)(at[0] - (double)lo[0]) &&
                        slot.cy == (float)(at[1] - (double)lo[1]) &&
                        slot.cz == (float)(at[2] - (double)lo[2]));
            assert_true(slot.radius == (float)(1 / edit.points->radius));
        }
        tr_edit_release(&edit);
    }
}

/* ---- margins ---- */

/* Where a pinch or grab takes any sample from is no farther from it than the margin allows for the 8 around. */
static void pinches_and_grabs_take_samples_from_within_their_margin(void **state)
{
    uint64_t seed = 44;
    double fullest = 0;

    (void)state;
    for (int i = 0; i < 400; i++) {
        enum tr_edit_op op = i % 2 ? TR_EDIT_PINCH : TR_EDIT_GRAB;
        double radius = i % 4 < 2 ? 64 : random_between(&seed, 0.5, 64);
        struct tr_edit edit = brush_begin(op, (double[]){31.3, 30.8, 33}, radius);
        const int64_t origin[3] = {0, 0, 0};
        struct tr_stamp stamp;
        struct made made;
        int margin;

        edit.is_projected = i % 8 >= 4;
        random_direction(&seed, edit.axis);
        if (op == TR_EDIT_PINCH && edit.is_projected)
            edit.points->radius_m = fmin(radius, 45);
        if (op == TR_EDIT_PINCH)
            edit.points->strength = i % 3 ? 1 : 0.3;
        for (int j = 0; j < 3 && op == TR_EDIT_GRAB; j++)
            edit.by_m[j] = edit.axis[j] * (i % 3 ? 63.99 : 5.5);
        resolve(&edit);
        stamp = tr_edit_stamp(&edit, 0);
        margin = (int)tr_edit_margin(&edit, &stamp);
        assert_in_range(margin, 2, 66);
        made = slot_of(&edit, &everywhere, origin);
        for (int k = 0; k < 2000; k++) {
            int p[3] = {random_below(&seed, 64), random_below(&seed, 64), random_below(&seed, 64)};
            tr_source source = tr_volume_source(made.slot, p[0], p[1], p[2]);
            const int from[3] = {source.x, source.y, source.z};

            for (int j = 0; j < 3; j++) {
                assert_true(from[j] >= p[j] - margin && from[j] + 1 <= p[j] + margin);
                fullest = fmax(fullest, (double)abs(from[j] - p[j]) / margin);
            }
        }
        made_end(&made);
        tr_edit_release(&edit);
    }
    assert_true(fullest > 0.6);
}

static void reshaping_brushes_beyond_a_limit_are_refused(void **state)
{
    static const struct {
        enum tr_edit_op op;
        bool is_projected;
        double radius; /* voxels */
        const char *message;
    } cases[] = {
        {TR_EDIT_INFLATE, false, 256,
         "here: \"radius\" must be at most 128 m (256 voxels) in magnitude, found 129"},
        {TR_EDIT_PINCH, false, 64,
         "here: \"radius\" must be at most 32 m (64 voxels) in magnitude, found 33"},
        {TR_EDIT_PINCH, true, 45,
         "here: \"radius\" must be at most 22.5 m (45 voxels) in magnitude, found 23.5"},
        {TR_EDIT_GRAB, true, 64, "here: \"radius\" must be at most 32 m (64 voxels) in magnitude, found 33"},
        {TR_EDIT_REDISTANCE, false, 64,
         "here: \"radius\" must be at most 32 m (64 voxels) in magnitude, found 33"},
    };
    struct tr_edit edit;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        edit = brush_begin(cases[i].op, (double[]){0, 0, 0}, cases[i].radius / 2);
        edit.is_projected = cases[i].is_projected;
        edit.axis[0] = 1;
        assert_accepted(&edit, 0.5);
        edit.points->radius_m += 1;
        assert_refused(&edit, 0.5, cases[i].message);
        tr_edit_release(&edit);
    }
    edit = brush_begin(TR_EDIT_GRAB, (double[]){0, 0, 0}, 5);
    memcpy(edit.by_m, (double[]){0, 19.2, -25.6}, sizeof edit.by_m);
    assert_accepted(&edit, 0.5);
    assert_true(edit.by[1] == 38.4);
    edit.by_m[0] = 1;
    assert_refused(&edit, 0.5,
                   "here: \"by\" must be at most 32 m (64 voxels) in magnitude, found 32.01562118716424");
    tr_edit_release(&edit);
    edit = brush_begin(TR_EDIT_INFLATE, (double[]){0, 0, 0}, 5);
    edit.points->strength = 2;
    assert_accepted(&edit, 0.5);
    assert_true(edit.points->strength_units == 1024);
    edit.points->strength = 32768;
    assert_refused(&edit, 0.5,
                   "here: \"strength\" must be at most 32767.998046875 m (65535.99609375 voxels) in "
                   "magnitude, found 32768");
    tr_edit_release(&edit);
}

/* ---- shapes without bounds ---- */

static void a_half_space_needs_within(void **state)
{
    static const enum tr_edit_op ops[] = {TR_EDIT_UNION, TR_EDIT_SUBTRACT, TR_EDIT_INTERSECT,
                                          TR_EDIT_SHAPE_PAINT};
    const int64_t origin[3] = {0, 0, 0};
    struct tr_box reads, writes;

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct tr_edit edit = shape_begin(ops[i], 1);
        struct tr_shape_node *node = shape_add(&edit, TR_SHAPE_HALF_SPACE, 0);
        struct made made;

        node_set(node, "point", (double[]){0, 30, 0});
        node_set(node, "normal", (double[]){0, 1, 0});
        assert_refused(&edit, 1, "here: \"within\" is missing: a half-space has no bounds");
        edit.has_within = true;
        memcpy(edit.within_m[0], (double[]){-3.5, -1000, 2}, sizeof edit.within_m[0]);
        memcpy(edit.within_m[1], (double[]){40.5, 1000, 50}, sizeof edit.within_m[1]);
        resolve(&edit);
        boxes_of(&edit, &reads, &writes);
        assert_memory_equal(&reads, &edit.within, sizeof reads);
        assert_memory_equal(&writes, &edit.within, sizeof writes);
        made = slot_of(&edit, &everywhere, origin);
        assert_true(made.reaches);
        assert_true(tr_slot_distance(made.words.words, made.slot, 9, 34, 7) == 4);
        made_end(&made);
        tr_edit_release(&edit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_every_sample_that_a_brush_changes),
        cmocka_unit_test(boxes_hold_every_sample_that_a_shape_changes),
        cmocka_unit_test(boxes_hold_every_sample_near_the_poles_of_huge_edits),
        cmocka_unit_test(boxes_hold_the_samples_that_only_rounding_brings_into_reach),
        cmocka_unit_test(boxes_are_no_wider_than_the_reach_and_a_margin),
        cmocka_unit_test(only_some_read_beyond_what_they_write),
        cmocka_unit_test(boxes_of_shapes_are_cut_to_within),
        cmocka_unit_test(slots_of_a_brush_carry_its_numbers),
        cmocka_unit_test(slots_of_every_brush_say_what_it_does),
        cmocka_unit_test(a_flatten_without_height_takes_the_height_where_it_starts),
        cmocka_unit_test(noise_words_place_the_frame_in_the_lattice),
        cmocka_unit_test(slots_of_projected_brushes_and_planes_have_unit_directions),
        cmocka_unit_test(slots_of_a_shape_carry_its_numbers),
        cmocka_unit_test(slots_of_other_shapes_point_to_their_code),
        cmocka_unit_test(a_capsule_whose_ends_coincide_is_a_sphere),
        cmocka_unit_test(slots_keep_the_distance_within_1_2048_voxel),
        cmocka_unit_test(slots_of_large_radius_keep_it_within_1_1024_voxel),
        cmocka_unit_test(culling_never_changes_a_result),
        cmocka_unit_test(an_intersection_reaches_all_but_what_is_deep_inside),
        cmocka_unit_test(an_intersection_reaches_a_frame_by_its_farthest_corner),
        cmocka_unit_test(a_frame_at_the_rim_of_a_projected_brush_is_not_culled),
        cmocka_unit_test(a_frame_beside_a_diagonal_capsule_is_culled),
        cmocka_unit_test(slots_are_clipped_to_the_world),
        cmocka_unit_test(a_frame_outside_the_world_has_no_slot),
        cmocka_unit_test(tiny_numbers_give_slots_that_every_device_reads_alike),
        cmocka_unit_test(brushes_beyond_a_limit_are_refused),
        cmocka_unit_test(fields_of_brushes_beyond_a_limit_are_refused),
        cmocka_unit_test(shapes_beyond_a_limit_are_refused),
        cmocka_unit_test(stamps_stand_along_the_path_at_their_spacing),
        cmocka_unit_test(stamps_of_paths_that_stand_still),
        cmocka_unit_test(the_number_of_stamps_is_that_of_the_multiples),
        cmocka_unit_test(strokes_beyond_a_limit_are_refused),
        cmocka_unit_test(images_of_height_brushes_lie_as_seen_from_above),
        cmocka_unit_test(images_of_volume_brushes_lie_across_their_normal),
        cmocka_unit_test(images_are_halved_until_they_have_two_pixels_a_voxel),
        cmocka_unit_test(cropped_images_have_the_values_of_whole_ones),
        cmocka_unit_test(the_region_of_a_redistance_is_what_it_reads),
        cmocka_unit_test(pinches_and_grabs_take_samples_from_within_their_margin),
        cmocka_unit_test(reshaping_brushes_beyond_a_limit_are_refused),
        cmocka_unit_test(a_half_space_needs_within),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
