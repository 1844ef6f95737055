/* Applying shapes to a block, slab by slab (apply.h): first the distances of all samples of a slab, then what follows from them, the join
 * with the ground or paint. Volume brushes that paint go the same way. Loops are around the scalar functions of shaders/shape.h, tree.h and
 * volume.h, and what all samples share (form, operation, blend) is a constant where they are compiled, so that they become vectors.
 *
 * Code runs one instruction at a time over the whole slab, on a stack of slabs: so an instruction is decoded and its operands are loaded
 * once for some hundred samples. Slabs that the slot cannot reach never get here. Compiled once for each instruction set, see
 * lib/base/isa.h. */
#include "lib/edit/apply_lanes.h"

#define TRIANGLE_WORDS 9u /* of a polyhedron */
#define OPERANDS_MAX 18   /* words that are copied from behind an opcode */

/* A number for each sample of a slab: the rows that the slot's box meets, by y, then z, each with all its lanes. */
typedef lanes slab_rows[TR_SLAB_ROWS];

/* --- distances --- */

ALWAYS_INLINE void round_distances(tr_edit_slot slot, uint form, const struct tr_slab *slab,
                                   slab_rows distances)
{
    int first = tr_slab_first(slab), row = 0;

    slot.form = form;
    for (int y = slab->lo[1]; y <= slab->hi[1]; y++)
        for (int z = slab->lo[2]; z <= slab->hi[2]; z++, row++) {
#pragma omp simd
            for (int i = 0; i < LANES; i++)
                distances[row][i] = tr_slot_round_distance(slot, first + i, y, z);
        }
}

/* Of a volume brush, in radii. */
static void brush_distances(tr_edit_slot slot, const struct tr_slab *slab, slab_rows distances)
{
    int first = tr_slab_first(slab), row = 0;

    for (int y = slab->lo[1]; y <= slab->hi[1]; y++)
        for (int z = slab->lo[2]; z <= slab->hi[2]; z++, row++) {
#pragma omp simd
            for (int i = 0; i < LANES; i++)
                distances[row][i] = tr_volume_distance(slot, first + i, y, z);
        }
}

/* A point for each sample. */
struct points {
    slab_rows x, y, z;
};

/* The samples of a slab, where the code sees them, and the distances that it has pushed. */
struct machine {
    const struct tr_slab *slab;
    int rows, depth, top;               /* depth: points kept; top: distances on the stack */
    struct points now;                  /* what the next shape sees */
    struct points kept[TR_TREE_POINTS]; /* what it will see again */
    slab_rows stack[TR_TREE_STACK];
};

static void machine_begin(struct machine *machine, const struct tr_slab *slab)
{
    int first = tr_slab_first(slab), row = 0;

    for (int y = slab->lo[1]; y <= slab->hi[1]; y++)
        for (int z = slab->lo[2]; z <= slab->hi[2]; z++, row++)
            for (int i = 0; i < LANES; i++) {
                machine->now.x[row][i] = tr_to_float(first + i);
                machine->now.y[row][i] = tr_to_float(y);
                machine->now.z[row][i] = tr_to_float(z);
            }
    machine->slab = slab;
    machine->rows = row;
    machine->depth = machine->top = 0;
}

/* --- shapes --- */

ALWAYS_INLINE float leaf_distance(uint code, const uint *operands, float x, float y, float z)
{
    switch (code) {
    case TR_CODE_ROUND:
        return tr_leaf_round(operands, 0u, x, y, z);
    case TR_CODE_BOX:
        return tr_leaf_box(operands, 0u, x, y, z);
    case TR_CODE_CYLINDER:
        return tr_leaf_cylinder(operands, 0u, x, y, z);
    case TR_CODE_TORUS:
        return tr_leaf_torus(operands, 0u, x, y, z);
    case TR_CODE_CONE:
        return tr_leaf_cone(operands, 0u, x, y, z);
    case TR_CODE_ELLIPSOID:
        return tr_leaf_ellipsoid(operands, 0u, x, y, z);
    case TR_CODE_PLANE:
        return tr_leaf_plane(operands, 0u, x, y, z);
    case TR_CODE_LINK:
        return tr_leaf_link(operands, 0u, x, y, z);
    case TR_CODE_HEIGHTS:
        return tr_leaf_heights(operands, 0u, x, y, z);
    default:
        return tr_leaf_grid(operands, 0u, x, y, z);
    }
}

/* The code is a constant. */
ALWAYS_INLINE void leaf_rows(const struct machine *machine, const uint *operands, uint code,
                             slab_rows distances)
{
    const struct points *p = &machine->now;

    for (int row = 0; row < machine->rows; row++) {
#pragma omp simd
        for (int i = 0; i < LANES; i++)
            distances[row][i] = leaf_distance(code, operands, p->x[row][i], p->y[row][i], p->z[row][i]);
    }
}

/* Of shapes with few operands: these stand in an array of their own, so that the compiler sees that no sample changes them. */
ALWAYS_INLINE uint run_short(const struct machine *machine, const uint *words, uint code, uint word_count,
                             slab_rows distances)
{
    uint operands[OPERANDS_MAX];

    memcpy(operands, words, word_count * sizeof *operands);
    leaf_rows(machine, operands, code, distances);
    return word_count;
}

/* Of those that begin with a round: its `large` is a constant, too. */
ALWAYS_INLINE uint run_round(const struct machine *machine, const uint *words, uint code, uint word_count,
                             slab_rows distances)
{
    uint operands[OPERANDS_MAX];

    memcpy(operands, words, word_count * sizeof *operands);
    if (words[TR_CODE_ROUND_WORDS - 1u] == 0u) {
        operands[TR_CODE_ROUND_WORDS - 1u] = 0u;
        leaf_rows(machine, operands, code, distances);
    } else {
        operands[TR_CODE_ROUND_WORDS - 1u] = 1u;
        leaf_rows(machine, operands, code, distances);
    }
    return word_count;
}

/* What a shape of many parts is the least or the greatest of. */
enum part { PART_PLANE, PART_TRIANGLE, PART_ROUND, PART_SQUARE, PART_ARCH };

/* d, or what the part makes of it. */
ALWAYS_INLINE float part_distance(enum part part, const uint *operands, float d, float x, float y, float z)
{
    switch (part) {
    case PART_PLANE:
        return tr_max(d, tr_leaf_plane(operands, 0u, x, y, z));
    case PART_TRIANGLE:
        return tr_min(d, tr_triangle_square(operands, 0u, x, y, z));
    case PART_ROUND:
        return tr_min(d, tr_tube_segment(operands, 0u, TR_PROFILE_ROUND, x, y, z));
    case PART_SQUARE:
        return tr_min(d, tr_tube_segment(operands, 0u, TR_PROFILE_SQUARE, x, y, z));
    default:
        return tr_min(d, tr_tube_segment(operands, 0u, TR_PROFILE_ARCH, x, y, z));
    }
}

/* Begins with `begin` and goes part by part over the whole slab: a loop over parts inside of one over samples does not become vectors. */
ALWAYS_INLINE void part_rows(const struct machine *machine, const uint *words, enum part part,
                             uint word_count, uint count, float begin, slab_rows distances)
{
    const struct points *p = &machine->now;

    for (int row = 0; row < machine->rows; row++)
        for (int i = 0; i < LANES; i++)
            distances[row][i] = begin;
    for (uint k = 0; k < count; k++) {
        uint operands[OPERANDS_MAX];
        memcpy(operands, words + k * word_count, word_count * sizeof *operands);
        for (int row = 0; row < machine->rows; row++) {
#pragma omp simd
            for (int i = 0; i < LANES; i++)
                distances[row][i] = part_distance(part, operands, distances[row][i], p->x[row][i],
                                                  p->y[row][i], p->z[row][i]);
        }
    }
}

static bool any_is_outside(int rows, const slab_rows distances)
{
    float most = distances[0][0];

    for (int row = 0; row < rows; row++)
        for (int i = 0; i < LANES; i++)
            most = tr_max(most, distances[row][i]);
    return most > 0.0f;
}

/* As tr_leaf_polyhedron; a slab within it does not need the triangles. */
static uint run_polyhedron(const struct machine *machine, const uint *words, slab_rows distances)
{
    const uint *planes = words + 3, *triangles = planes + TR_CODE_PLANE_WORDS * words[1];
    slab_rows squares;

    part_rows(machine, planes, PART_PLANE, TR_CODE_PLANE_WORDS, words[1], -1073741824.0f, distances);
    if (!any_is_outside(machine->rows, distances))
        return words[0];
    part_rows(machine, triangles, PART_TRIANGLE, TRIANGLE_WORDS, words[2], 1.0e30f, squares);
    for (int row = 0; row < machine->rows; row++) {
#pragma omp simd
        for (int i = 0; i < LANES; i++) {
            float inner = distances[row][i], outer = tr_sqrt(squares[row][i]);
            distances[row][i] = inner <= 0.0f ? inner : outer;
        }
    }
    return words[0];
}

/* As tr_leaf_tube. */
static uint run_tube(const struct machine *machine, const uint *words, slab_rows distances)
{
    const uint *segments = words + 3;
    const float far = 1073741824.0f;

    if (words[1] == TR_PROFILE_SQUARE)
        part_rows(machine, segments, PART_SQUARE, TR_TUBE_SEGMENT_WORDS, words[2], far, distances);
    else if (words[1] == TR_PROFILE_ARCH)
        part_rows(machine, segments, PART_ARCH, TR_TUBE_SEGMENT_WORDS, words[2], far, distances);
    else
        part_rows(machine, segments, PART_ROUND, TR_TUBE_SEGMENT_WORDS, words[2], far, distances);
    return words[0];
}

/* Pushes the shape whose operands are at words; returns how many words those are. */
static uint run_leaf(struct machine *machine, uint code, const uint *words)
{
    lanes *distances = machine->stack[machine->top++];

    switch (code) {
    case TR_CODE_ROUND:
        return run_round(machine, words, TR_CODE_ROUND, TR_CODE_ROUND_WORDS, distances);
    case TR_CODE_BOX:
        return run_short(machine, words, TR_CODE_BOX, TR_CODE_BOX_WORDS, distances);
    case TR_CODE_CYLINDER:
        return run_round(machine, words, TR_CODE_CYLINDER, TR_CODE_CYLINDER_WORDS, distances);
    case TR_CODE_TORUS:
        return run_round(machine, words, TR_CODE_TORUS, TR_CODE_TORUS_WORDS, distances);
    case TR_CODE_CONE:
        return run_round(machine, words, TR_CODE_CONE, TR_CODE_CONE_WORDS, distances);
    case TR_CODE_ELLIPSOID:
        return run_short(machine, words, TR_CODE_ELLIPSOID, TR_CODE_ELLIPSOID_WORDS, distances);
    case TR_CODE_PLANE:
        return run_short(machine, words, TR_CODE_PLANE, TR_CODE_PLANE_WORDS, distances);
    case TR_CODE_LINK:
        return run_short(machine, words, TR_CODE_LINK, TR_CODE_LINK_WORDS, distances);
    case TR_CODE_POLYHEDRON:
        return run_polyhedron(machine, words, distances);
    case TR_CODE_TUBE:
        return run_tube(machine, words, distances);
    case TR_CODE_HEIGHTS:
        leaf_rows(machine, words, TR_CODE_HEIGHTS, distances);
        return words[0];
    default:
        leaf_rows(machine, words, TR_CODE_GRID, distances);
        return words[0];
    }
}

/* --- operations --- */

ALWAYS_INLINE void blend_rows(int rows, const uint *words, uint blend, slab_rows under, const slab_rows top)
{
    uint operands[TR_CODE_BLEND_WORDS];

    memcpy(operands, words, sizeof operands);
    operands[1] = blend;
    for (int row = 0; row < rows; row++) {
#pragma omp simd
        for (int i = 0; i < LANES; i++)
            under[row][i] = tr_tree_blend(operands, 0u, under[row][i], top[row][i]);
    }
}

/* Blends the two topmost distances into the lower one. */
static void run_blend(int rows, const uint *words, slab_rows under, const slab_rows top)
{
    switch (words[1]) {
    case TR_BLEND_HARD:
        blend_rows(rows, words, TR_BLEND_HARD, under, top);
        break;
    case TR_BLEND_SMOOTH:
        blend_rows(rows, words, TR_BLEND_SMOOTH, under, top);
        break;
    case TR_BLEND_CHAMFER:
        blend_rows(rows, words, TR_BLEND_CHAMFER, under, top);
        break;
    default:
        blend_rows(rows, words, TR_BLEND_STAIRS, under, top);
        break;
    }
}

/* The code, OFFSET or ONION, is a constant. */
ALWAYS_INLINE uint alter_rows(int rows, const uint *words, uint code, slab_rows distances)
{
    const tr_point anywhere = {0.0f, 0.0f, 0.0f};
    uint operands[TR_CODE_OFFSET_WORDS];

    memcpy(operands, words, sizeof operands);
    for (int row = 0; row < rows; row++) {
#pragma omp simd
        for (int i = 0; i < LANES; i++)
            distances[row][i] = tr_tree_alter(operands, code, 0u, anywhere, distances[row][i]);
    }
    return TR_CODE_OFFSET_WORDS;
}

/* Noise is that of the samples, wherever the code sees them. */
static uint run_displace(const struct tr_slab *slab, const uint *words, slab_rows distances)
{
    float amplitude = tr_word_float(words, 0u);
    int first = tr_slab_first(slab), row = 0;

    for (int y = slab->lo[1]; y <= slab->hi[1]; y++)
        for (int z = slab->lo[2]; z <= slab->hi[2]; z++, row++) {
            lanes noise = {0};
            add_noise3(words, 1u, first, y, z, &noise);
#pragma omp simd
            for (int i = 0; i < LANES; i++)
                distances[row][i] -= amplitude * noise[i];
        }
    return TR_CODE_DISPLACE_WORDS;
}

/* Changes the topmost distances, by BLEND the two. */
static uint run_operation(struct machine *machine, uint code, const uint *words)
{
    lanes *top = machine->stack[machine->top - 1];

    switch (code) {
    case TR_CODE_BLEND:
        machine->top--;
        run_blend(machine->rows, words, machine->stack[machine->top - 1], top);
        return TR_CODE_BLEND_WORDS;
    case TR_CODE_OFFSET:
        return alter_rows(machine->rows, words, TR_CODE_OFFSET, top);
    case TR_CODE_ONION:
        return alter_rows(machine->rows, words, TR_CODE_ONION, top);
    default:
        return run_displace(machine->slab, words, top);
    }
}

/* --- points --- */

ALWAYS_INLINE tr_point point_behind(uint code, const uint *operands, tr_point p)
{
    switch (code) {
    case TR_CODE_POINT_PUSH:
        return tr_point_push(operands, 0u, p);
    case TR_CODE_ELONGATE:
        return tr_point_elongate(operands, 0u, p);
    case TR_CODE_TWIST:
        return tr_point_twist(operands, 0u, p);
    case TR_CODE_BEND:
        return tr_point_bend(operands, 0u, p);
    default:
        return tr_point_taper(operands, 0u, p);
    }
}

/* The code is a constant. */
ALWAYS_INLINE uint move_rows(struct machine *machine, const uint *words, uint code, uint word_count)
{
    struct points *now = &machine->now;
    uint operands[OPERANDS_MAX];

    memcpy(operands, words, word_count * sizeof *operands);
    for (int row = 0; row < machine->rows; row++) {
#pragma omp simd
        for (int i = 0; i < LANES; i++) {
            tr_point p = {now->x[row][i], now->y[row][i], now->z[row][i]};
            p = point_behind(code, operands, p);
            now->x[row][i] = p.x;
            now->y[row][i] = p.y;
            now->z[row][i] = p.z;
        }
    }
    return word_count;
}

/* Moves the points that the shapes behind it see. */
static uint run_point(struct machine *machine, uint code, const uint *words)
{
    switch (code) {
    case TR_CODE_POINT_PUSH:
        machine->kept[machine->depth++] = machine->now;
        return move_rows(machine, words, TR_CODE_POINT_PUSH, TR_CODE_POINT_PUSH_WORDS);
    case TR_CODE_ELONGATE:
        return move_rows(machine, words, TR_CODE_ELONGATE, TR_CODE_ELONGATE_WORDS);
    case TR_CODE_TWIST:
        return move_rows(machine, words, TR_CODE_TWIST, TR_CODE_TWIST_WORDS);
    case TR_CODE_BEND:
        return move_rows(machine, words, TR_CODE_BEND, TR_CODE_BEND_WORDS);
    case TR_CODE_TAPER:
        return move_rows(machine, words, TR_CODE_TAPER, TR_CODE_TAPER_WORDS);
    default: /* TR_CODE_POINT_POP */
        machine->now = machine->kept[--machine->depth];
        return 0;
    }
}

/* Leaves the distances in the lowest place of the stack. */
static void run_code(struct machine *machine, const uint *words)
{
    while (*words != TR_CODE_END) {
        uint code = *words++;
        if (code >= TR_CODE_POINT_PUSH)
            words += run_point(machine, code, words);
        else if (code >= TR_CODE_BLEND)
            words += run_operation(machine, code, words);
        else
            words += run_leaf(machine, code, words);
    }
}

/* The distances by which the slot decides what it reaches, in the lowest place of the stack. */
static void slot_distances(const uint32_t *words, const tr_edit_slot *slot, const struct tr_slab *slab,
                           struct machine *machine)
{
    if (!tr_slot_is_shape(*slot)) {
        brush_distances(*slot, slab, machine->stack[0]);
    } else if (slot->form == TR_FORM_TREE) {
        machine_begin(machine, slab);
        run_code(machine, words + slot->words);
    } else if (slot->form == TR_FORM_ROUND) {
        round_distances(*slot, TR_FORM_ROUND, slab, machine->stack[0]);
    } else {
        round_distances(*slot, TR_FORM_ROUND_LARGE, slab, machine->stack[0]);
    }
}

/* --- join --- */

ALWAYS_INLINE void join_rows(tr_edit_slot slot, uint op, uint blend, const struct tr_slab *slab,
                             const slab_rows distances, int16_t *restrict samples)
{
    int first = tr_slab_first(slab), row = 0;
    int line[LANES];

    slot.op = op;
    slot.blend = blend;
    for (int y = slab->lo[1]; y <= slab->hi[1]; y++)
        for (int z = slab->lo[2]; z <= slab->hi[2]; z++, row++) {
            int16_t *at = samples + tr_block_index(first, y, z);
            tr_slab_take(slab, at, line);
#pragma omp simd
            for (int i = 0; i < LANES; i++)
                line[i] = tr_shape_join(slot, distances[row][i], line[i]);
            tr_slab_put(slab, line, at);
        }
}

ALWAYS_INLINE void join_op(const tr_edit_slot *slot, uint op, const struct tr_slab *slab,
                           const slab_rows distances, int16_t *restrict samples)
{
    switch (slot->blend) {
    case TR_BLEND_HARD:
        join_rows(*slot, op, TR_BLEND_HARD, slab, distances, samples);
        break;
    case TR_BLEND_SMOOTH:
        join_rows(*slot, op, TR_BLEND_SMOOTH, slab, distances, samples);
        break;
    case TR_BLEND_CHAMFER:
        join_rows(*slot, op, TR_BLEND_CHAMFER, slab, distances, samples);
        break;
    default:
        join_rows(*slot, op, TR_BLEND_STAIRS, slab, distances, samples);
        break;
    }
}

static void join(const tr_edit_slot *slot, const struct tr_slab *slab, const slab_rows distances,
                 int16_t *restrict samples)
{
    if (slot->op == TR_SLOT_UNION)
        join_op(slot, TR_SLOT_UNION, slab, distances, samples);
    else if (slot->op == TR_SLOT_SUBTRACT)
        join_op(slot, TR_SLOT_SUBTRACT, slab, distances, samples);
    else
        join_op(slot, TR_SLOT_INTERSECT, slab, distances, samples);
}

void TR_ISA_NAME(tr_apply_shape)(const uint32_t *words, const tr_edit_slot *slot, int16_t *samples)
{
    struct tr_slab slab = {.lo = {-1}};
    struct machine machine;

    while (tr_slab_next(words, slot, &slab)) {
        slot_distances(words, slot, &slab, &machine);
        join(slot, &slab, machine.stack[0], samples);
    }
}

/* --- paint --- */

/* As tr_slot_paints decides it. */
ALWAYS_INLINE void paint_rows(const tr_edit_slot *slot, bool is_shape, const struct tr_slab *slab,
                              const slab_rows distances, uint8_t *restrict paint)
{
    int first = tr_slab_first(slab), row = 0;
    uint8_t material = (uint8_t)slot->target;

    for (int y = slab->lo[1]; y <= slab->hi[1]; y++)
        for (int z = slab->lo[2]; z <= slab->hi[2]; z++, row++) {
            uint8_t *restrict at = paint + tr_block_index(first, y, z);
#pragma omp simd
            for (int i = slab->lo[0] - first; i <= slab->hi[0] - first; i++) {
                bool paints = is_shape ? distances[row][i] <= slot->reach : distances[row][i] < 1.0f;
                at[i] = paints ? material : at[i];
            }
        }
}

static void paint_all(const tr_edit_slot *slot, const struct tr_slab *slab, uint8_t *paint)
{
    for (int y = slab->lo[1]; y <= slab->hi[1]; y++)
        for (int z = slab->lo[2]; z <= slab->hi[2]; z++)
            memset(paint + tr_block_index(slab->lo[0], y, z), (int)slot->target,
                   (size_t)(slab->hi[0] - slab->lo[0] + 1));
}

void TR_ISA_NAME(tr_apply_block_paint)(const uint32_t *words, const tr_edit_slot *slot, uint8_t *paint)
{
    struct tr_slab slab = {.lo = {-1}};
    struct machine machine;

    while (tr_slab_next(words, slot, &slab)) {
        if (slab.covered) {
            paint_all(slot, &slab, paint);
            continue;
        }
        slot_distances(words, slot, &slab, &machine);
        if (tr_slot_is_shape(*slot))
            paint_rows(slot, true, &slab, machine.stack[0], paint);
        else
            paint_rows(slot, false, &slab, machine.stack[0], paint);
    }
}
