/* Prints the case table of the regular or of the transition cell, one line a case, packed as shaders/cell.h
 * and shaders/transition.h say.
 *
 *   case_table_gen regular|transition
 *
 * Each loop of a case is filled with one disk, but for the one transition case whose two loops are nested in
 * one plane (samples 0, 2, 4, 6, 8 solid): disks would be two sheets upon each other there, so the loops
 * bound one ring. Of a case's triangulations the first, in a fixed order, that keeps the rules is taken. */
#include "lib/mesh/gen/case_gen.h"
#include "shaders/cell.h"
#include "shaders/transition.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORDS_MAX = 5 };

/* A table, and what it is known to have. */
struct table {
    const struct cell *cell;
    const char *name;
    int word_count, triangles_max; /* of one packed case */
    int triangles, longest_loop;
};

static const struct table tables[] = {
    {&regular_cell, "regular", 2, TR_CASE_TRIANGLES_MAX, 820, 7},
    {&transition_cell, "transition", 5, TR_TRANSITION_TRIANGLES_MAX, 2640, 11},
};

_Noreturn void fail(const char *what, unsigned number)
{
    fprintf(stderr, "case_table_gen: %s: %u\n", what, number);
    exit(EXIT_FAILURE);
}

static void derive_case(const struct cell *cell, unsigned signs, const struct loops *loops,
                        struct triangles *out)
{
    unsigned count = candidate_count(loops);

    for (unsigned rank = 0; rank < count; rank++) {
        if (build_candidate(loops, rank, out) && no_diagonal_on_face(cell, loops, out) &&
            none_inverted(cell, signs, out) && none_cross(cell, out))
            return;
    }
    fail("no triangulation keeps the rules in case", signs);
}

/* Sets 4 bits, the lowest of word 0 being place 0. */
static void set_place(uint32_t word[WORDS_MAX], int place, int value)
{
    word[place / 8] |= (uint32_t)value << 4 * (place % 8);
}

static void print_case(const struct table *table, unsigned signs, const struct triangles *triangles)
{
    uint32_t word[WORDS_MAX] = {0};

    set_place(word, 0, triangles->count);
    for (int corner = 0; corner < 3 * triangles->count; corner++)
        set_place(word, 1 + corner, triangles->edge[corner / 3][corner % 3]);
    printf("/* %3u */ {", signs);
    for (int i = 0; i < table->word_count; i++)
        printf("%s0x%08xu", i ? ", " : "", word[i]);
    puts("},");
}

static void print_table(const struct table *table)
{
    int total = 0, longest = 0;

    printf("/* Made by lib/mesh/gen/case_table_gen.c: the cases of the %s cell. */\n", table->name);
    for (unsigned signs = 0; signs < table->cell->case_count; signs++) {
        struct loops loops;
        struct triangles triangles;

        trace_loops(table->cell, signs, &loops);
        for (int i = 0; i < loops.count; i++)
            longest = loops.length[i] > longest ? loops.length[i] : longest;
        derive_case(table->cell, signs, &loops, &triangles);
        if (triangles.count > table->triangles_max)
            fail("more triangles than a packed case holds in case", signs);
        total += triangles.count;
        print_case(table, signs, &triangles);
    }
    if (total != table->triangles)
        fail("triangles in all cases", (unsigned)total);
    if (longest != table->longest_loop)
        fail("corners of the longest loop", (unsigned)longest);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (argc == 2 && !strcmp(argv[1], tables[i].name)) {
            print_table(&tables[i]);
            return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
        }
    }
    fputs("usage: case_table_gen regular|transition\n", stderr);
    return EXIT_FAILURE;
}
