/* Trees of shapes on all samples of an invocation: what tr_tree_distance (tree.h) does for one sample, but an instruction at a time. Each kind
 * of shape has a loop of its own over the samples, of no turns for the other kinds (blocks_any.glsl says why). */
float distances[TR_TREE_STACK * SAMPLES]; /* the stack, of all samples */
tr_point points[SAMPLES];                 /* the present point of each */
tr_point kept_points[TR_TREE_POINTS * SAMPLES];

tr_point sample_point(Ground ground, int k)
{
    tr_point p;
    p.x = tr_to_float(ground.x + k / TR_BRICK);
    p.y = tr_to_float(ground.y + k % TR_BRICK);
    p.z = tr_to_float(ground.z);
    return p;
}

/* The code is a constant. */
PF leaf_distance(uint code, uint at, tr_point p)
{
    PF d = 0.0f;
    if (code == TR_CODE_ROUND)
        d = tr_leaf_round(at, p.x, p.y, p.z);
    else if (code == TR_CODE_BOX)
        d = tr_leaf_box(at, p.x, p.y, p.z);
    else if (code == TR_CODE_CYLINDER)
        d = tr_leaf_cylinder(at, p.x, p.y, p.z);
    else if (code == TR_CODE_TORUS)
        d = tr_leaf_torus(at, p.x, p.y, p.z);
    else if (code == TR_CODE_CONE)
        d = tr_leaf_cone(at, p.x, p.y, p.z);
    else if (code == TR_CODE_ELLIPSOID)
        d = tr_leaf_ellipsoid(at, p.x, p.y, p.z);
    else if (code == TR_CODE_PLANE)
        d = tr_leaf_plane(at, p.x, p.y, p.z);
    else if (code == TR_CODE_LINK)
        d = tr_leaf_link(at, p.x, p.y, p.z);
    else if (code == TR_CODE_POLYHEDRON)
        d = tr_leaf_polyhedron(at, p.x, p.y, p.z);
    else if (code == TR_CODE_TUBE)
        d = tr_leaf_tube(at, p.x, p.y, p.z);
    else if (code == TR_CODE_HEIGHTS)
        d = tr_leaf_heights(at, p.x, p.y, p.z);
    else
        d = tr_leaf_grid(at, p.x, p.y, p.z);
    return d;
}

tr_point moved_point(uint code, uint at, tr_point p)
{
    if (code == TR_CODE_POINT_PUSH)
        return tr_point_push(at, p);
    if (code == TR_CODE_ELONGATE)
        return tr_point_elongate(at, p);
    if (code == TR_CODE_TWIST)
        return tr_point_twist(at, p);
    return code == TR_CODE_BEND ? tr_point_bend(at, p) : tr_point_taper(at, p);
}

/* An instruction whose operands begin at `at`, and the stacks. */
struct Turn {
    uint code, at;
    int top;   /* distances on the stack */
    int depth; /* points kept */
};

int turns_if(bool runs)
{
    return runs ? SAMPLES : 0;
}

/* Where the samples of a place on a stack begin; inside the stack for instructions that only pass, too. */
int stack_at(int place, int size)
{
    return tr_iclamp(place, 0, size - 1) * SAMPLES;
}

/* Each of these runs the turn's instruction if it is of its kind; of a leaf that is a constant. */
void run_leaf(uint code, Turn turn)
{
    int count = turns_if(turn.code == code);
    int here = stack_at(turn.top, TR_TREE_STACK);
    for (int k = 0; k < count; k++)
        distances[here + k] = leaf_distance(code, turn.at, points[k]);
}

void run_blend(Turn turn)
{
    int count = turns_if(turn.code == TR_CODE_BLEND);
    int under = stack_at(turn.top - 2, TR_TREE_STACK);
    int last = stack_at(turn.top - 1, TR_TREE_STACK);
    for (int k = 0; k < count; k++)
        distances[under + k] = tr_tree_blend(turn.at, distances[under + k], distances[last + k]);
}

void run_alter(Turn turn, Ground ground)
{
    int count = turns_if(turn.code > TR_CODE_BLEND && turn.code < TR_CODE_POINT_PUSH);
    int last = stack_at(turn.top - 1, TR_TREE_STACK);
    for (int k = 0; k < count; k++)
        distances[last + k] = tr_tree_alter(turn.code, turn.at, sample_point(ground, k), distances[last + k]);
}

void run_push(Turn turn)
{
    int count = turns_if(turn.code == TR_CODE_POINT_PUSH);
    int here = stack_at(turn.depth, TR_TREE_POINTS);
    for (int k = 0; k < count; k++) {
        kept_points[here + k] = points[k];
        points[k] = tr_point_push(turn.at, points[k]);
    }
}

void run_move(Turn turn)
{
    int count = turns_if(turn.code > TR_CODE_POINT_PUSH && turn.code < TR_CODE_POINT_POP);
    for (int k = 0; k < count; k++)
        points[k] = moved_point(turn.code, turn.at, points[k]);
}

void run_pop(Turn turn)
{
    int count = turns_if(turn.code == TR_CODE_POINT_POP);
    int last = stack_at(turn.depth - 1, TR_TREE_POINTS);
    for (int k = 0; k < count; k++)
        points[k] = kept_points[last + k];
}

void run_common(Turn turn)
{
    run_leaf(TR_CODE_ROUND, turn);
    run_leaf(TR_CODE_BOX, turn);
    run_leaf(TR_CODE_CYLINDER, turn);
    run_leaf(TR_CODE_TORUS, turn);
    run_leaf(TR_CODE_CONE, turn);
    run_leaf(TR_CODE_ELLIPSOID, turn);
    run_blend(turn);
}

void run_uncommon(Turn turn, Ground ground)
{
    run_leaf(TR_CODE_PLANE, turn);
    run_leaf(TR_CODE_LINK, turn);
    run_leaf(TR_CODE_POLYHEDRON, turn);
    run_leaf(TR_CODE_TUBE, turn);
    run_leaf(TR_CODE_HEIGHTS, turn);
    run_leaf(TR_CODE_GRID, turn);
    run_alter(turn, ground);
    run_pop(turn);
    run_push(turn);
    run_move(turn);
}

/* How many operands the turn's instruction has. */
uint operand_count(Turn turn)
{
    const uint counts[] = uint[](
        0u, TR_CODE_ROUND_WORDS, TR_CODE_BOX_WORDS, TR_CODE_CYLINDER_WORDS, TR_CODE_TORUS_WORDS, TR_CODE_CONE_WORDS,
        TR_CODE_ELLIPSOID_WORDS, TR_CODE_PLANE_WORDS, TR_CODE_LINK_WORDS, 0u, 0u, 0u, 0u, 0u, 0u, 0u, TR_CODE_BLEND_WORDS,
        TR_CODE_OFFSET_WORDS, TR_CODE_ONION_WORDS, TR_CODE_DISPLACE_WORDS, 0u, 0u, 0u, 0u, TR_CODE_POINT_PUSH_WORDS,
        TR_CODE_ELONGATE_WORDS, TR_CODE_TWIST_WORDS, TR_CODE_BEND_WORDS, TR_CODE_TAPER_WORDS, 0u);
    return turn.code >= TR_CODE_POLYHEDRON && turn.code <= TR_CODE_GRID ? tr_words[turn.at] : counts[turn.code];
}

/* distances[k] becomes that of sample k, of the code that begins at `at`. */
void run_tree(uint at, Ground ground)
{
    Turn turn;
    turn.code = tr_words[at];
    turn.at = at + 1u;
    turn.top = 0;
    turn.depth = 0;
    for (int k = 0; k < SAMPLES; k++)
        points[k] = sample_point(ground, k);
    while (turn.code != TR_CODE_END) {
        run_common(turn);
        if (ALL_INSTRUCTIONS)
            run_uncommon(turn, ground);
        turn.top += turn.code < TR_CODE_BLEND ? 1 : (turn.code == TR_CODE_BLEND ? -1 : 0);
        turn.depth += turn.code == TR_CODE_POINT_PUSH ? 1 : (turn.code == TR_CODE_POINT_POP ? -1 : 0);
        turn.at += operand_count(turn);
        turn.code = tr_words[turn.at];
        turn.at++;
    }
}
